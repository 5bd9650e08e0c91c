#include <string.h>

#include "base/rows.h"
#include "lens/report_parts.h"

// The figures of an access, by its space.
static const struct {
    enum report_figure figures[3];
    int count;
} of_space[LENS_RESULT_SPACES] = {
    [TRACE_GLOBAL] = {{REPORT_REQUESTS, REPORT_SECTORS, REPORT_BYTES}, 3},
    [TRACE_SHARED] = {{REPORT_REQUESTS, REPORT_WAVEFRONTS, REPORT_CONFLICTS}, 3},
    [TRACE_CONSTANT] = {{REPORT_REQUESTS, REPORT_WORDS}, 2},
    [TRACE_TEXTURE] = {{REPORT_REQUESTS, REPORT_SECTORS}, 2},
};

static const struct access {
    const char *name;
    enum trace_space space;
    enum trace_kind kind;
    bool is_rare;  // left out where there is none
} accesses[] = {
    {"global_load", TRACE_GLOBAL, TRACE_LOAD, false},
    {"global_store", TRACE_GLOBAL, TRACE_STORE, false},
    {"global_atomic", TRACE_GLOBAL, TRACE_ATOMIC, true},
    {"shared_load", TRACE_SHARED, TRACE_LOAD, false},
    {"shared_store", TRACE_SHARED, TRACE_STORE, false},
    {"shared_atomic", TRACE_SHARED, TRACE_ATOMIC, true},
    {"texture", TRACE_TEXTURE, TRACE_LOAD, false},
    {"constant", TRACE_CONSTANT, TRACE_LOAD, false},
};

static void add_figure(cJSON *json, const struct lens_counts *c, enum report_figure figure)
{
    cJSON_AddNumberToObject(json, report_name(figure), (double)report_value(c, figure));
}

static void add_access(cJSON *json, const struct lens_pass *p, const struct access *a)
{
    const struct lens_counts *c = &p->counts[a->space][a->kind];
    if (a->is_rare && !c->requests) return;
    cJSON *one = cJSON_AddObjectToObject(json, a->name);
    for (int i = 0; i < of_space[a->space].count; i++)
        add_figure(one, c, of_space[a->space].figures[i]);
}

static void add_place(cJSON *json, const struct trace_place *place)
{
    cJSON_AddStringToObject(json, "file", place->file);
    cJSON_AddNumberToObject(json, "line", place->line);
}

// "file" and "line" are those of the access; "inlined_into" leads to the kernel's own.
static void add_chain(cJSON *json, const struct trace_chain *chain)
{
    if (chain->count) add_place(json, &chain->places[0]);
    if (chain->count < 2) return;
    cJSON *into = cJSON_AddArrayToObject(json, "inlined_into");
    for (int i = 1; i < chain->count; i++) {
        cJSON *place = cJSON_CreateObject();
        add_place(place, &chain->places[i]);
        cJSON_AddItemToArray(into, place);
    }
}

static cJSON *line_json(const struct lens_line *line)
{
    cJSON *json = cJSON_CreateObject();
    add_chain(json, &line->chain);
    cJSON_AddStringToObject(json, "space", lens_result_space_name(line->space));
    cJSON_AddStringToObject(json, "op", lens_result_kind_name(line->kind));
    cJSON_AddNumberToObject(json, "bytes_a_lane", line->bytes);
    for (int i = 0; i < REPORT_FIGURES; i++)
        if (report_has(line->space, (enum report_figure)i))
            add_figure(json, &line->counts, (enum report_figure)i);
    return json;
}

static cJSON *pair_json(int x, int y)
{
    const int pair[] = {x, y};
    return cJSON_CreateIntArray(pair, 2);
}

static cJSON *race_json(const struct lens_race *race)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "space", lens_result_space_name(TRACE_SHARED));
    cJSON_AddStringToObject(json, "array", race->is_tile ? "tile" : "static");
    cJSON_AddNumberToObject(json, "word", race->word);
    cJSON *accesses_json = cJSON_AddArrayToObject(json, "accesses");
    for (int i = 0; i < 2; i++) {
        cJSON *one = cJSON_CreateObject();
        add_chain(one, &race->chain[i]);
        cJSON_AddStringToObject(one, "op", lens_result_kind_name(race->kind[i]));
        cJSON_AddNumberToObject(one, "thread", race->thread[i]);
        cJSON_AddItemToArray(accesses_json, one);
    }
    return json;
}

static cJSON *outside_json(const struct lens_outside *o)
{
    cJSON *json = cJSON_CreateObject();
    add_chain(json, &o->chain);
    cJSON_AddStringToObject(json, "op", lens_result_kind_name(o->kind));
    cJSON_AddItemToObject(json, "block", pair_json(o->block_x, o->block_y));
    cJSON_AddItemToObject(json, "thread", pair_json(o->thread_x, o->thread_y));
    cJSON_AddStringToObject(json, "array", o->array);
    cJSON_AddNumberToObject(json, "byte", (double)o->at);
    cJSON_AddNumberToObject(json, "array_bytes", (double)o->array_bytes);
    return json;
}

static cJSON *pass_json(const struct lens_result *result, const struct lens_pass *p)
{
    cJSON *json = cJSON_CreateObject();
    const int grid[] = {p->config.grid_width, p->config.grid_height, p->depth};
    cJSON_AddStringToObject(json, "kernel", p->kernel);
    cJSON_AddItemToObject(json, "grid", cJSON_CreateIntArray(grid, 3));
    cJSON_AddItemToObject(json, "block", pair_json(p->config.block_width, p->config.block_height));
    if (!result->is_whole)
        cJSON_AddItemToObject(json, "block_at", pair_json(p->block_x, p->block_y));
    for (size_t i = 0; i < G_N_ELEMENTS(accesses); i++) add_access(json, p, &accesses[i]);
    cJSON *lines = cJSON_AddArrayToObject(json, "lines");
    for (int i = 0; i < p->line_count; i++) cJSON_AddItemToArray(lines, line_json(&p->lines[i]));
    cJSON *outside = cJSON_AddArrayToObject(json, "outside");
    for (int i = 0; i < p->outside_count; i++)
        cJSON_AddItemToArray(outside, outside_json(&p->outside[i]));
    cJSON *races = cJSON_AddArrayToObject(json, "races");
    for (int i = 0; i < p->race_count; i++) cJSON_AddItemToArray(races, race_json(&p->races[i]));
    return json;
}

static void add_case(cJSON *json, const struct report_case *one)
{
    cJSON_AddStringToObject(json, "variant", one->choice.variant->name);
    if (!one->result) {
        cJSON_AddStringToObject(json, "refused", one->refused);
        return;
    }
    if (*one->choice.variant->compiled)
        cJSON_AddStringToObject(json, "compiled", one->choice.variant->compiled);
    cJSON *passes = cJSON_AddArrayToObject(json, "passes");
    for (int i = 0; i < one->result->pass_count; i++)
        cJSON_AddItemToArray(passes, pass_json(one->result, &one->result->passes[i]));
}

char *report_write_json(const struct report *r)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "model", "sm_90");
    cJSON_AddStringToObject(json, "filter", r->cases[0].choice.filter->name);
    if (r->is_comparison) {
        cJSON *variants = cJSON_AddArrayToObject(json, "variants");
        for (int i = 0; i < r->case_count; i++) {
            cJSON *one = cJSON_CreateObject();
            add_case(one, &r->cases[i]);
            cJSON_AddItemToArray(variants, one);
        }
    } else {
        add_case(json, &r->cases[0]);
    }
    return rows_print_json(json);
}
