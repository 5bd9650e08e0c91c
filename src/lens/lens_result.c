#include "lens/lens_result.h"

#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "lens/sharing.h"

void lens_result_free(struct lens_result *r)
{
    if (!r) return;
    for (int i = 0; i < r->pass_count; i++) lens_result_free_pass(&r->passes[i]);
    sharing_destroy(r->sharing);
    g_free(r);
}

void lens_result_free_pass(struct lens_pass *p)
{
    g_free(p->lines);
    g_free(p->races);
    g_free(p->outside);
    g_free(p->steps);
    *p = (struct lens_pass){.lines = NULL};
}

void lens_result_drop_steps(struct lens_result *r)
{
    for (int i = 0; i < r->pass_count; i++) {
        g_clear_pointer(&r->passes[i].steps, g_free);
        r->passes[i].step_count = 0;
    }
    g_clear_pointer(&r->sharing, sharing_destroy);
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

struct lens_sums lens_result_sum_of(const struct lens_result *r, int space, int kind)
{
    struct lens_sums s = {.each = {0}};
    for (int i = 0; i < r->pass_count * LENS_RESULT_SPACES; i++) {
        const struct lens_pass *p = &r->passes[i / LENS_RESULT_SPACES];
        const int k = i % LENS_RESULT_SPACES;
        const double weight = p->times / r->elements;
        const struct lens_counts c =
            kind < 0 ? lens_result_of_space(p, (enum trace_space)k) : p->counts[k][kind];
        if (space >= 0 && space != k) continue;
        model_add(k == TRACE_SHARED     ? &s.shared
                  : k == TRACE_CONSTANT ? &s.constant
                                        : &s.memory,
                  &c);
        s.each.conflicts += weight * (double)model_conflicts(&c);
        if (k != TRACE_GLOBAL && k != TRACE_TEXTURE) continue;
        s.each.wanted_bytes += weight * (double)c.wanted_bytes;
        s.each.sectors += weight * (double)c.sectors;
        s.each.ideal_sectors += weight * (double)c.ideal_sectors;
    }
    return s;
}

struct lens_sums lens_result_sum(const struct lens_result *r)
{
    return lens_result_sum_of(r, -1, -1);
}

// ---- races and accesses outside ----

int lens_result_fault_count(const struct lens_result *r)
{
    int count = 0;
    for (int i = 0; i < r->pass_count; i++)
        count += r->passes[i].race_count + r->passes[i].outside_count;
    return count;
}

// The kernel's own line; NULL: it is not known.
static const struct trace_place *own_place(const struct trace_chain *chain)
{
    return chain->count ? &chain->places[chain->count - 1] : NULL;
}

static void append_place(char *text, size_t size, const struct trace_chain *chain)
{
    const struct trace_place *own = own_place(chain);
    if (own)
        text_append(text, size, "%s:%d", own->file, own->line);
    else
        text_append(text, size, "?");
}

void lens_result_append_outside(const struct lens_outside *o, char *text, size_t size)
{
    const size_t element = (size_t)MAX(1, o->element_bytes);
    const long long one = (long long)element, index = (o->at < 0 ? o->at - one + 1 : o->at) / one;
    const bool is_tile = !strcmp(o->array, "tile");
    const char *const place = o->has_layers ? "%s(%d, %d, %d)" : "%s(%d, %d)";
    text_append(text, size, place, "thread ", o->thread[0], o->thread[1], o->thread[2]);
    text_append(text, size, place, " of block ", o->block[0], o->block[1], o->block[2]);
    text_append(text, size, o->kind == TRACE_LOAD ? " reads " : " writes ");
    if (!o->array[0]) {
        text_append(text, size, "address 0x%llx, where there is no array", o->at);
        return;
    }
    text_append(text, size, "%s[%lld]; %s has ", o->array, index, o->array);
    if (is_tile)
        text_append(text, size, "%zu bytes of shared memory (%zu elements)", o->array_bytes,
                    o->array_bytes / element);
    else
        text_append(text, size, "%zu elements", o->array_bytes / element);
}

void lens_result_write_outside(const struct lens_outside *o, char *text, size_t size)
{
    text_copy(text, size, "outside: ");
    append_place(text, size, &o->chain);
    text_append(text, size, ": ");
    lens_result_append_outside(o, text, size);
}

void lens_result_write_fault(const struct lens_result *r, int i, char *text, size_t size)
{
    for (int pass = 0; pass < r->pass_count; i -= r->passes[pass++].outside_count) {
        if (i >= r->passes[pass].outside_count) continue;
        lens_result_write_outside(&r->passes[pass].outside[i], text, size);
        return;
    }
    for (int pass = 0; pass < r->pass_count; i -= r->passes[pass++].race_count) {
        if (i >= r->passes[pass].race_count) continue;
        const struct lens_race *const race = &r->passes[pass].races[i];
        text_copy(text, size, "race: ");
        for (int k = 0; k < 2; k++) {  // "a.cu:20 (store of thread 0)"
            append_place(text, size, &race->chain[k]);
            text_append(text, size, " (%s of thread %d)%s",
                        lens_result_kind_name(race->race.kind[k]), race->race.thread[k],
                        k ? "" : " and ");
        }
        bool is_tile;
        const int at = races_place(&race->race, &is_tile);
        if (is_tile)
            text_append(text, size, " touch tile[%d]", at / MAX(1, race->race.bytes));
        else
            text_append(text, size, " touch word %d of __shared__ arrays", at / MODEL_WORD_BYTES);
        // The remedy.
        const struct trace_place *one = own_place(&race->chain[0]);
        const struct trace_place *other = own_place(&race->chain[1]);
        const struct trace_place *barrier = own_place(&race->barrier_chain);
        const struct race_barrier *b = &race->race.barrier;
        if (b->waiting && barrier)
            text_append(text, size,
                        ": not all threads reach line %d, where %d wait, as thread %d; %d never "
                        "come, as thread %d",
                        barrier->line, b->waiting, b->first_waiting, b->missing, b->first_missing);
        else if (one && other && !strcmp(one->file, other->file) && one->line != other->line)
            text_append(text, size, ": put __syncthreads() between lines %d and %d",
                        MIN(one->line, other->line), MAX(one->line, other->line));
        else
            text_append(text, size, " without a barrier between");
        return;
    }
}

bool lens_result_leads(const struct trace_chain *chain, const char *file, int line)
{
    for (int i = 0; i < chain->count; i++)
        if (chain->places[i].line == line && !strcmp(chain->places[i].file, file)) return true;
    return false;
}

bool lens_result_is_at_fault(const struct lens_result *r, const char *file, int line)
{
    for (int pass = 0; pass < r->pass_count; pass++) {
        const struct lens_pass *p = &r->passes[pass];
        for (int i = 0; i < p->outside_count; i++)
            if (lens_result_leads(&p->outside[i].chain, file, line)) return true;
        for (int i = 0; i < p->race_count; i++)
            if (lens_result_leads(&p->races[i].chain[0], file, line) ||
                lens_result_leads(&p->races[i].chain[1], file, line) ||
                lens_result_leads(&p->races[i].barrier_chain, file, line))
                return true;
    }
    return false;
}

// ---- names ----

const struct lens_access_name lens_result_accesses[LENS_RESULT_ACCESSES] = {
    {"global_load", TRACE_GLOBAL, TRACE_LOAD},     {"global_store", TRACE_GLOBAL, TRACE_STORE},
    {"global_atomic", TRACE_GLOBAL, TRACE_ATOMIC}, {"shared_load", TRACE_SHARED, TRACE_LOAD},
    {"shared_store", TRACE_SHARED, TRACE_STORE},   {"shared_atomic", TRACE_SHARED, TRACE_ATOMIC},
    {"texture", TRACE_TEXTURE, TRACE_LOAD},        {"constant", TRACE_CONSTANT, TRACE_LOAD},
};

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
