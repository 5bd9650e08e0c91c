#include "lens/result.h"

#include <glib.h>

void result_free(struct lens_result *r)
{
    if (!r) return;
    for (int i = 0; i < r->pass_count; i++) {
        g_free(r->passes[i].lines);
        g_free(r->passes[i].steps);
    }
    g_free(r);
}

void result_drop_steps(struct lens_result *r)
{
    for (int i = 0; i < r->pass_count; i++) {
        g_clear_pointer(&r->passes[i].steps, g_free);
        r->passes[i].step_count = 0;
    }
}

const struct lens_memory *result_memory_at(const struct lens_result *r,
                                           const struct lens_request *request, int lane)
{
    const bool is_global = request->space == TRACE_GLOBAL || request->space == TRACE_TEXTURE;
    if (!is_global || !(request->active >> lane & 1)) return NULL;
    for (int i = 0; i < r->memory_count; i++)
        if (request->address[lane] - r->memory[i].address < r->memory[i].bytes)
            return &r->memory[i];
    return NULL;
}

struct lens_counts result_of_space(const struct lens_pass *p, enum trace_space space)
{
    struct lens_counts all = {0};
    for (int kind = 0; kind < RESULT_KINDS; kind++) model_add(&all, &p->counts[space][kind]);
    return all;
}

double result_written(const struct lens_result *r)
{
    const struct lens_pass *p = &r->passes[r->pass_count - 1];
    double written = 0;
    for (int i = 0; i < p->step_count; i++) {
        const struct lens_request *q = &p->steps[i].request;
        struct lens_counts c = {0};
        if (q->space != TRACE_GLOBAL || q->kind == TRACE_LOAD || !q->active) continue;
        const struct lens_memory *m = result_memory_at(r, q, __builtin_ctz(q->active));
        model_count(q, &c);
        written += (double)c.bytes / (m ? MAX(1, m->element_bytes) : 1);
    }
    return written;
}

struct lens_sums result_sum(const struct lens_result *r)
{
    struct lens_sums s = {.written = r->written};
    for (int i = 0; i < r->pass_count; i++) {
        const struct lens_pass *p = &r->passes[i];
        const struct lens_counts parts[] = {
            result_of_space(p, TRACE_GLOBAL), result_of_space(p, TRACE_TEXTURE),
            result_of_space(p, TRACE_SHARED), result_of_space(p, TRACE_CONSTANT)};
        model_add(&s.memory, &parts[0]);
        model_add(&s.memory, &parts[1]);
        model_add(&s.shared, &parts[2]);
        model_add(&s.constant, &parts[3]);
    }
    return s;
}

const char *result_space_name(enum trace_space space)
{
    static const char *const names[RESULT_SPACES] = {
        [TRACE_GLOBAL] = "global",
        [TRACE_SHARED] = "shared",
        [TRACE_CONSTANT] = "constant",
        [TRACE_TEXTURE] = "texture",
    };
    return names[space];
}

const char *result_kind_name(enum trace_kind kind)
{
    static const char *const names[RESULT_KINDS] = {
        [TRACE_FLOW] = "flow",
        [TRACE_LOAD] = "load",
        [TRACE_STORE] = "store",
        [TRACE_ATOMIC] = "atomic",
    };
    return names[kind];
}
