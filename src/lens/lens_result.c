#include "lens/lens_result.h"

#include <glib.h>

#include "base/text.h"

void lens_result_free(struct lens_result *r)
{
    if (!r) return;
    for (int i = 0; i < r->pass_count; i++) lens_result_free_pass(&r->passes[i]);
    g_free(r);
}

void lens_result_free_pass(struct lens_pass *p)
{
    g_free(p->lines);
    g_free(p->races);
    g_free(p->steps);
    *p = (struct lens_pass){.lines = NULL};
}

void lens_result_drop_steps(struct lens_result *r)
{
    for (int i = 0; i < r->pass_count; i++) {
        g_clear_pointer(&r->passes[i].steps, g_free);
        r->passes[i].step_count = 0;
    }
}

const struct lens_memory *lens_result_memory_at(const struct lens_result *r,
                                                const struct lens_request *request, int lane)
{
    const bool is_global = request->space == TRACE_GLOBAL || request->space == TRACE_TEXTURE;
    if (!is_global || !(request->active >> lane & 1)) return NULL;
    for (int i = 0; i < r->memory_count; i++)
        if (request->address[lane] - r->memory[i].address < r->memory[i].bytes)
            return &r->memory[i];
    return NULL;
}

int lens_result_pixel_bytes(const struct lens_memory *picture)
{
    return picture->shape.plane_bytes > 1 ? 1 : picture->shape.count;
}

struct lens_counts lens_result_of_space(const struct lens_pass *p, enum trace_space space)
{
    struct lens_counts all = {0};
    for (int kind = 0; kind < LENS_RESULT_KINDS; kind++) model_add(&all, &p->counts[space][kind]);
    return all;
}

static struct lens_counts *part_of(struct lens_sums *s, enum trace_space space)
{
    switch (space) {
    case TRACE_SHARED:
        return &s->shared;
    case TRACE_CONSTANT:
        return &s->constant;
    case TRACE_GLOBAL:
    case TRACE_TEXTURE:
        break;
    }
    return &s->memory;
}

static void add_to_sums(struct lens_sums *s, const struct lens_counts *c, enum trace_space space,
                        double weight)
{
    model_add(part_of(s, space), c);
    s->each.conflicts += weight * (double)model_conflicts(c);
    if (space != TRACE_GLOBAL && space != TRACE_TEXTURE) return;
    s->each.wanted_bytes += weight * (double)c->wanted_bytes;
    s->each.sectors += weight * (double)c->sectors;
    s->each.ideal_sectors += weight * (double)c->ideal_sectors;
}

struct lens_sums lens_result_sum_of(const struct lens_result *r, enum trace_space space,
                                    enum trace_kind kind)
{
    struct lens_sums s = {.each = {0}};
    for (int i = 0; i < r->pass_count; i++) {
        const struct lens_pass *p = &r->passes[i];
        add_to_sums(&s, &p->counts[space][kind], space, p->times / r->elements);
    }
    return s;
}

struct lens_sums lens_result_sum(const struct lens_result *r)
{
    struct lens_sums s = {.each = {0}};
    for (int i = 0; i < r->pass_count; i++)
        for (int space = 0; space < LENS_RESULT_SPACES; space++) {
            const struct lens_pass *p = &r->passes[i];
            const struct lens_counts c = lens_result_of_space(p, (enum trace_space)space);
            add_to_sums(&s, &c, (enum trace_space)space, p->times / r->elements);
        }
    return s;
}

// ---- races ----

int lens_result_race_count(const struct lens_result *r)
{
    int count = 0;
    for (int i = 0; i < r->pass_count; i++) count += r->passes[i].race_count;
    return count;
}

// "a.cu:20 (store of thread 0)": the kernel's own line.
static void append_access(char *text, size_t size, const struct lens_race *race, int i)
{
    const struct trace_chain *chain = &race->chain[i];
    const struct trace_place *own = &chain->places[MAX(0, chain->count - 1)];
    if (chain->count)
        text_append(text, size, "%s:%d", own->file, own->line);
    else
        text_append(text, size, "?");
    text_append(text, size, " (%s of thread %d)", lens_result_kind_name(race->kind[i]),
                race->thread[i]);
}

void lens_result_write_race(const struct lens_race *race, char *text, size_t size)
{
    text_copy(text, size, "race: ");
    append_access(text, size, race, 0);
    text_append(text, size, " and ");
    append_access(text, size, race, 1);
    text_append(text, size, " touch shared word %d without a barrier between", race->word);
}

// ---- names ----

const char *lens_result_space_name(enum trace_space space)
{
    static const char *const names[LENS_RESULT_SPACES] = {
        [TRACE_GLOBAL] = "global",
        [TRACE_SHARED] = "shared",
        [TRACE_CONSTANT] = "constant",
        [TRACE_TEXTURE] = "texture",
    };
    return names[space];
}

const char *lens_result_kind_name(enum trace_kind kind)
{
    static const char *const names[LENS_RESULT_KINDS] = {
        [TRACE_FLOW] = "flow",
        [TRACE_LOAD] = "load",
        [TRACE_STORE] = "store",
        [TRACE_ATOMIC] = "atomic",
    };
    return names[kind];
}
