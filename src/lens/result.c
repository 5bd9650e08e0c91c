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
