#include "screen/lens_model.h"

#include <glib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

// ---- the cursor ----

static const struct lens_pass *pass_of(const struct lens_result *r, struct lens_cursor *cursor)
{
    cursor->pass = CLAMP(cursor->pass, 0, r->pass_count - 1);
    return &r->passes[cursor->pass];
}

static int count_warps(const struct lens_pass *p)
{
    return (p->config.block_width * p->config.block_height + MODEL_LANES - 1) / MODEL_LANES;
}

// The steps [first, end) of a warp.
static void find_warp(const struct lens_pass *p, int warp, int *first, int *end)
{
    *first = 0;
    while (*first < p->step_count && p->steps[*first].warp < warp) ++*first;
    *end = *first;
    while (*end < p->step_count && p->steps[*end].warp == warp) ++*end;
}

static const struct lens_step *take(struct lens_cursor *cursor, const struct lens_step *step)
{
    cursor->warp = step->warp;
    cursor->site = step->request.site;
    cursor->instance = step->instance;
    return step;
}

// The same instruction's nearest instance, else the warp's first request, else the block's.
const struct lens_step *lens_model_find(const struct lens_result *r, struct lens_cursor *cursor)
{
    const struct lens_pass *p = pass_of(r, cursor);
    const struct lens_step *nearest = NULL;
    int first, end;
    find_warp(p, cursor->warp, &first, &end);
    for (int i = first; i < end; i++) {
        if (p->steps[i].request.site != cursor->site) continue;
        if (p->steps[i].instance == cursor->instance) return &p->steps[i];
        if (p->steps[i].instance < cursor->instance) nearest = &p->steps[i];
    }
    if (nearest) return take(cursor, nearest);
    if (first < end) return take(cursor, &p->steps[first]);
    return p->step_count ? take(cursor, &p->steps[0]) : NULL;
}

// ---- steps ----

// A way stops at every request, at the instances of one site, or at each site's first request.
static bool is_on_way(const struct lens_pass *p, int first, int at, enum lens_way way,
                      unsigned int site)
{
    if (way == LENS_REQUEST) return true;
    if (way == LENS_INSTANCE) return p->steps[at].request.site == site;
    for (int i = first; i < at; i++)
        if (p->steps[i].request.site == p->steps[at].request.site) return false;
    return true;
}

static void go_round(const struct lens_result *r, struct lens_cursor *cursor)
{
    const struct lens_step *now = lens_model_find(r, cursor);
    const struct lens_pass *p = pass_of(r, cursor);
    if (!now) return;
    for (const struct lens_step *s = now; s < p->steps + p->step_count; s++) {
        if (s->warp == now->warp || s->request.site != now->request.site ||
            s->instance != now->instance)
            continue;
        take(cursor, s);
        return;
    }
    int i = 0;  // then the next instruction's first step
    while (p->steps[i].request.site != now->request.site) i++;
    for (i++; i < p->step_count; i++) {
        if (!is_on_way(p, 0, i, LENS_INSTRUCTION, 0)) continue;
        take(cursor, &p->steps[i]);
        return;
    }
    *cursor = (struct lens_cursor){.pass = number_wrap(cursor->pass + 1, r->pass_count)};
    if (pass_of(r, cursor)->step_count) take(cursor, &pass_of(r, cursor)->steps[0]);
}

void lens_model_go(const struct lens_result *r, struct lens_cursor *cursor, enum lens_way way,
                   int steps)
{
    if (way == LENS_ROUND) {
        for (int i = 0; i < steps; i++) go_round(r, cursor);
        return;
    }
    if (way == LENS_WARP) {
        const struct lens_pass *p = pass_of(r, cursor);
        const int last = number_wrap(cursor->warp + steps, count_warps(p));
        const bool is_wrapped = last != cursor->warp + steps;  // goes to another pass, if any
        cursor->warp = last;
        if (is_wrapped && r->pass_count > 1)
            *cursor = (struct lens_cursor){
                .pass = number_wrap(cursor->pass + (steps > 0 ? 1 : -1), r->pass_count)};
        return;
    }
    const struct lens_step *now = lens_model_find(r, cursor);
    const struct lens_pass *p = pass_of(r, cursor);
    int first, end, at = 0;
    if (!now) return;
    find_warp(p, now->warp, &first, &end);
    g_autoptr(GArray) stops = g_array_new(FALSE, FALSE, sizeof(int));
    for (int i = first; i < end; i++) {
        if (!is_on_way(p, first, i, way, now->request.site)) continue;
        const bool is_here = way == LENS_INSTRUCTION ? p->steps[i].request.site == now->request.site
                                                     : &p->steps[i] == now;
        if (is_here) at = (int)stops->len;
        g_array_append_val(stops, i);
    }
    take(cursor, &p->steps[g_array_index(stops, int, number_wrap(at + steps, (int)stops->len))]);
}

bool lens_model_go_to_line(const struct lens_result *r, struct lens_cursor *cursor,
                           const char *file, int line)
{
    for (int pass = 0; pass < r->pass_count; pass++)
        for (int i = 0; i < r->passes[pass].step_count; i++) {
            const struct lens_pass *p = &r->passes[pass];
            if (!lens_result_leads(&p->lines[p->steps[i].line].chain, file, line)) continue;
            cursor->pass = pass;
            take(cursor, &p->steps[i]);
            return true;
        }
    return false;
}

// ---- addresses ----

// Finds the first of the elements, of step bytes each, that the bytes from an offset touch, and
// their number.
static void set_span(struct lens_spot *place, unsigned long long offset, int bytes, int step)
{
    const unsigned long long one = (unsigned long long)step;
    place->x = (long long)(offset / one);
    place->count = (long long)((offset + (unsigned long long)bytes - 1) / one) - place->x + 1;
}

bool lens_model_place(const struct lens_result *r, const struct lens_request *q, int lane,
                      struct lens_spot *place)
{
    const struct lens_memory *m = lens_result_memory_at(r, q, lane);
    *place = (struct lens_spot){.memory = m};
    if (!m) return false;
    const struct planes *shape = &m->shape;
    unsigned long long offset = q->address[lane] - m->address;
    if (!shape->width) {
        set_span(place, offset, q->bytes, MAX(1, m->element_bytes));
        if (!m->record.count) return true;
        const size_t last = offset + (size_t)q->bytes - 1;
        place->x = array_record_index(&m->record, offset);
        place->count = array_record_index(&m->record, last) - place->x + 1;
        return true;
    }
    const int step = lens_result_pixel_bytes(m);
    if (step == 1) offset %= shape->plane_bytes;
    place->y = (long long)(offset / (unsigned long long)shape->pitch);
    set_span(place, offset % (unsigned long long)shape->pitch, q->bytes, step);
    return place->x < shape->width && place->y < shape->height;
}

// ---- words ----

static void append_figure(char *text, size_t size, double number, const char *after)
{
    text_append(text, size, "%s%s", number > 0 ? number_three(number).text : "0", after);
}

// Writes what a request costs beside what it is for.
static void write_moved(struct lens_view *v, const struct lens_counts *c)
{
    const bool is_load = v->request.kind == TRACE_LOAD;
    if (c->sectors)
        g_snprintf(v->moved, sizeof v->moved, "%s %llu B, %s %llu B",
                   is_load ? "fetched" : "touches", c->sectors * MODEL_SECTOR_BYTES,
                   is_load ? "used" : "writes", c->bytes);
    if (c->words)
        g_snprintf(v->moved, sizeof v->moved, "%llu word%s where 1 would do", c->words,
                   c->words == 1 ? "" : "s");
    if (c->wavefronts)
        g_snprintf(v->moved, sizeof v->moved, "%llu wavefront%s, no conflict", c->wavefronts,
                   c->wavefronts == 1 ? "" : "s");
    if (model_conflicts(c))
        g_snprintf(v->moved, sizeof v->moved, "%llu wavefronts where %llu would do", c->wavefronts,
                   c->ideal_wavefronts);
}

static void write_request(struct lens_view *v, const struct lens_result *r)
{
    const struct lens_request *q = &v->request;
    const int first = __builtin_ctz(q->active ? q->active : 1);
    const struct lens_memory *memory = lens_result_memory_at(r, q, first);
    if (memory) {
        text_copy(v->memory, sizeof v->memory, memory->name);
        v->beginning = memory->address;
        v->element_bytes = memory->shape.width || memory->record.count ? 0 : memory->element_bytes;
    }
    g_snprintf(v->request_words, sizeof v->request_words, "%s %s · %s%s%d lane%s × %d B",
               lens_result_space_name((enum trace_space)q->space),
               lens_result_kind_name((enum trace_kind)q->kind), v->memory, *v->memory ? " · " : "",
               __builtin_popcount(q->active), __builtin_popcount(q->active) == 1 ? "" : "s",
               q->bytes);
    const size_t size = sizeof v->request_words;
    struct lens_counts c = {0};
    model_count(q, &c);
    if (q->space == TRACE_SHARED)
        text_append(v->request_words, size, " · %llu wavefront%s%s", c.wavefronts,
                    c.wavefronts == 1 ? "" : "s", model_conflicts(&c) ? "" : ", no bank conflict");
    if (model_conflicts(&c))
        text_append(v->request_words, size, ", %llu of them %s", model_conflicts(&c),
                    model_conflicts(&c) == 1 ? "a bank conflict" : "bank conflicts");
    if (q->space == TRACE_GLOBAL || q->space == TRACE_TEXTURE)
        text_append(v->request_words, size, " · %llu sector%s of 32 bytes where %llu would do",
                    c.sectors, c.sectors == 1 ? "" : "s", c.ideal_sectors);
    if (q->space == TRACE_CONSTANT)
        text_append(v->request_words, size, " · %llu word%s", c.words, c.words == 1 ? "" : "s");
    write_moved(v, &c);
    struct lens_spot at;
    if (v->lane < 0 || !(v->request.active & 1u << v->lane)) return;
    text_append(v->request_words, sizeof v->request_words, " · lane %d: ", v->lane);
    if (!lens_model_place(r, &v->request, v->lane, &at))
        text_append(v->request_words, sizeof v->request_words, "byte %llu",
                    v->request.address[v->lane]);
    else if (at.memory->shape.width)
        text_append(v->request_words, sizeof v->request_words, "pixel %lld, %lld", at.x, at.y);
    else {
        char element[2 * ARRAYS_NAME + 32];
        array_write_element(at.memory->name, &at.memory->record, -1, at.x, element, sizeof element);
        text_append(v->request_words, sizeof v->request_words, "%s", element);
    }
}

// ---- totals ----

// Writes the first fault, and how many more there are.
static void write_fault(struct lens_view *v, const struct lens_result *r)
{
    const int count = lens_result_fault_count(r);
    v->fault[0] = '\0';
    if (!count) return;
    lens_result_write_fault(r, 0, v->fault, sizeof v->fault);
    if (count > 1) text_append(v->fault, sizeof v->fault, " · and %d more", count - 1);
}

static const char *unit_of(const struct lens_result *r)
{
    return r->memory_count && r->memory[0].shape.width ? "pixel" : "element";
}

static void append_totals(struct lens_view *v, const struct lens_result *r, const char *what)
{
    const size_t size = sizeof v->totals;
    char *const text = v->totals;
    const struct lens_sums s = lens_result_sum(r);
    append_figure(text, size, s.each.wanted_bytes, " B wanted · ");
    append_figure(text, size, s.each.sectors * MODEL_SECTOR_BYTES, " B fetched by requests · ");
    append_figure(text, size, s.each.sectors, " sectors where ");
    append_figure(text, size, s.each.ideal_sectors, " would do");
    v->conflicts[0] = '\0';
    if (s.shared.requests)
        g_snprintf(v->conflicts, sizeof v->conflicts, "%s: %llu conflicts", what,
                   model_conflicts(&s.shared));
}

void lens_model_write_whole(struct lens_view *view, const struct lens_result *whole)
{
    g_snprintf(view->totals, sizeof view->totals, "whole launch, per %s: ", unit_of(whole));
    append_totals(view, whole, "launch");
    write_fault(view, whole);
}

void lens_model_write_sums(const struct lens_result *r, char *text, size_t size, bool has_words)
{
    const struct lens_sums s = lens_result_sum(r);
    *text = '\0';
    append_figure(text, size, s.each.sectors, has_words ? " sectors" : "");
    if (s.shared.requests) {
        text_append(text, size, " · ");
        append_figure(text, size, s.each.conflicts, has_words ? " conflicts" : "");
    }
    if (has_words) text_append(text, size, " per %s", unit_of(r));
}

void lens_model_write_headline(const struct lens_result *r, struct overlay_side *words,
                               bool has_unit)
{
    const struct lens_sums s = lens_result_sum(r);
    char *rest = words->spread;
    words->time[0] = rest[0] = '\0';
    append_figure(words->time, sizeof words->time, s.each.sectors, " sectors");
    if (s.shared.requests)
        append_figure(rest, sizeof words->spread, s.each.conflicts, " conflicts");
    if (has_unit) text_append(rest, sizeof words->spread, "%sper %s", *rest ? " " : "", unit_of(r));
}

void lens_model_write_unit(const struct lens_result *r, char *text, size_t size)
{
    g_snprintf(text, size, "sectors · conflicts per %s", unit_of(r));
}

void lens_model_write(struct lens_view *view, const struct lens_result *r,
                      struct lens_cursor *cursor, const char *name)
{
    const struct lens_step *step = lens_model_find(r, cursor);
    const struct lens_pass *p = pass_of(r, cursor);
    const bool is_picture = r->memory_count && r->memory[0].shape.width;
    const bool has_layers = p->config.grid_depth > 1 && !is_picture;
    g_snprintf(view->title, sizeof view->title, "%s · block %d, %d%s", name, p->block_x, p->block_y,
               has_layers ? ", 0" : "");
    if (r->pass_count > 1)
        text_append(view->title, sizeof view->title, " · pass %d of %d", cursor->pass + 1,
                    r->pass_count);
    g_snprintf(view->totals, sizeof view->totals, "per %s: ", unit_of(r));
    append_totals(view, r, "block");
    write_fault(view, r);
    view->has_request = step != NULL;
    if (!step) return;
    view->request = step->request;
    int first, end, instances = 0;
    find_warp(p, step->warp, &first, &end);
    for (int i = first; i < end; i++) instances += p->steps[i].request.site == step->request.site;
    g_snprintf(view->where, sizeof view->where, "warp %d of %d · round %d of %d", step->warp,
               count_warps(p), step->instance + 1, instances);
    const struct trace_chain *chain = &p->lines[step->line].chain;
    for (int i = chain->count - 1; i >= 0; i--)
        text_append(view->where, sizeof view->where, "%s%s:%d",
                    i == chain->count - 1 ? " · " : " > ", chain->places[i].file,
                    chain->places[i].line);
    write_request(view, r);
}

// ---- source lines ----

bool lens_model_line(const struct lens_result *r, const char *file, int line,
                     struct lens_figures *f)
{
    struct lens_counts sums[LENS_RESULT_SPACES] = {{0}};
    for (int pass = 0; pass < r->pass_count; pass++)
        for (int i = 0; i < r->passes[pass].line_count; i++) {
            const struct lens_line *l = &r->passes[pass].lines[i];
            if (lens_result_leads(&l->chain, file, line)) model_add(&sums[l->space], &l->counts);
        }
    *f = (struct lens_figures){.excess = 0};
    for (int i = 0; i < LENS_RESULT_SPACES; i++) {
        const enum trace_space space = (enum trace_space)i;
        const unsigned long long excess = model_excess(&sums[i], space);
        if (excess > f->excess || (excess == f->excess && sums[i].requests > f->counts.requests))
            *f = (struct lens_figures){.counts = sums[i], .space = space, .excess = excess};
    }
    return f->counts.requests > 0;
}

void lens_model_write_figures(const struct lens_figures *f, char *text, size_t size)
{
    const struct lens_counts *c = &f->counts;
    const double requests = (double)c->requests;
    if (f->space == TRACE_CONSTANT) {
        g_snprintf(text, size, "%llu × %.1f words", c->requests, (double)c->words / requests);
        return;
    }
    const bool is_shared = f->space == TRACE_SHARED;
    const double cost = (double)(is_shared ? c->wavefronts : c->sectors);
    const double ideal = (double)(is_shared ? c->ideal_wavefronts : c->ideal_sectors);
    g_snprintf(text, size, "%llu × %.1f/%.1f %s", c->requests, cost / requests, ideal / requests,
               is_shared ? "w" : "s");
    if (c->lanes < MODEL_LANES * c->requests)
        text_append(text, size, " %.0f l", (double)c->lanes / requests);
}

void lens_model_write_caveat(struct lens_view *view, const struct device *device,
                             const struct variant *variant)
{
    const char *foreign = model_foreign_rules(device);
    if (foreign)
        text_join(view->caveat, sizeof view->caveat, " · ",
                  "by the rules of %s, not verified on %s", foreign, device->arch);
    if (*variant->compiled)
        text_join(view->caveat, sizeof view->caveat, " · ",
                  "counts as written; the GPU's compiler %s", variant->compiled);
}

// ---- a request as another kernel may make it ----

static const char *array_of(const struct lens_result *r, const struct lens_request *q)
{
    const struct lens_memory *m =
        lens_result_memory_at(r, q, __builtin_ctz(q->active ? q->active : 1));
    return m ? m->name : "";
}

// The cursors of the first requests of all instructions that make such accesses, of one warp or, if
// that is -1, of all.
static GArray *list_alike(const struct lens_result *r, const struct lens_access *access, int warp)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct lens_cursor));
    for (int pass = 0; pass < r->pass_count; pass++) {
        const struct lens_pass *p = &r->passes[pass];
        g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
        for (int i = 0; i < p->step_count; i++) {
            const struct lens_request *q = &p->steps[i].request;
            if (warp >= 0 && p->steps[i].warp != MIN(warp, count_warps(p) - 1)) continue;
            if (q->kind != access->kind || strcmp(array_of(r, q), access->array) != 0 ||
                (!*access->array && q->space != access->space) ||
                !g_hash_table_add(seen, GUINT_TO_POINTER(q->site)))
                continue;
            const struct lens_cursor at = {.pass = pass,
                                           .warp = p->steps[i].warp,
                                           .instance = p->steps[i].instance,
                                           .site = q->site};
            g_array_append_val(list, at);
        }
    }
    return list;
}

bool lens_pair_access(const struct lens_result *r, struct lens_cursor *cursor,
                      struct lens_access *access)
{
    const struct lens_step *now = lens_model_find(r, cursor);
    if (!now) return false;
    *access = (struct lens_access){.space = (enum trace_space)now->request.space,
                                   .kind = (enum trace_kind)now->request.kind,
                                   .warp = now->warp,
                                   .instance = now->instance};
    text_copy(access->array, sizeof access->array, array_of(r, &now->request));
    g_autoptr(GArray) list = list_alike(r, access, now->warp);
    for (guint i = 0; i < list->len; i++) {
        const struct lens_cursor at = g_array_index(list, struct lens_cursor, i);
        if (at.pass == cursor->pass && at.site == cursor->site) access->number = (int)i;
    }
    return true;
}

bool lens_pair_go(const struct lens_result *r, struct lens_cursor *cursor,
                  const struct lens_access *access)
{
    for (int tries = 0; tries < 2; tries++) {
        g_autoptr(GArray) list = list_alike(r, access, tries ? -1 : access->warp);
        if (!list->len) continue;
        const guint number = MIN((guint)access->number, list->len - 1);
        *cursor = g_array_index(list, struct lens_cursor, number);
        cursor->instance = MAX(cursor->instance, access->instance);
        return lens_model_find(r, cursor) != NULL;
    }
    return false;
}

// ---- two of them ----

// False: there is no other side, or the side's kernel makes no request like that one's.
static bool go_to_other(const struct lens_pair_now *now, int side)
{
    struct lens_access access;
    return now->results[1] &&
           lens_pair_access(now->results[!side], &now->cursors[!side], &access) &&
           lens_pair_go(now->results[side], &now->cursors[side], &access);
}

void lens_pair_follow(struct lens_pair *pair, const struct lens_pair_now *now)
{
    const int count = now->results[1] ? 2 : 1;
    bool is_new[2] = {false};
    if (count == 1) pair->sides[1].variant = NULL;
    for (int i = 0; i < count; i++)
        is_new[i] =
            pair->sides[i].variant != now->variants[i] || pair->sides[i].version != now->version;
    if (!now->has_gone && !is_new[0] && !is_new[1]) return;
    const bool are_new = is_new[0] && is_new[1];
    for (int i = 0; i < count && !are_new; i++) {
        const struct lens_pair_side *s = &pair->sides[i];
        if (!is_new[i] || (i == now->active && now->has_gone)) continue;
        if (!s->variant || !lens_pair_go(now->results[i], &now->cursors[i], &s->access))
            go_to_other(now, i);
    }
    if (now->has_gone || are_new) go_to_other(now, now->has_gone ? !now->active : 1);
    for (int i = 0; i < count; i++) {
        struct lens_pair_side *s = &pair->sides[i];
        *s = (struct lens_pair_side){.variant = now->variants[i], .version = now->version};
        lens_pair_access(now->results[i], &now->cursors[i], &s->access);
    }
}
