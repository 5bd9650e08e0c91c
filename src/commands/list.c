// list.c -- `tilescope list`: what the kernel files say.
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "base/terminal.h"
#include "commands/commands.h"

// What a CPU runs in place of a file's kernels; *kept, *where: see backend_rewrite.
static char *rewritten(const struct filter *f, const char *include, char ***kept, char ***where,
                       struct error *err)
{
    const struct build build = {.path = f->path, .source = f->source, .calls = f->calls};
    *kept = NULL;
    return backend_rewrite(&build, include, kept, where, err);
}

static cJSON *filter_json(const struct filter *f, const char *include)
{
    cJSON *json = cJSON_CreateObject();
    rows_add_members(json, "name%s title%s checked_against%s tolerance%g tolerance_unit%s", f->name,
                     f->title, filter_has_reference(f) ? "reference" : "", f->tolerance.most,
                     tolerance_units[f->tolerance.unit]);
    cJSON *params = cJSON_AddArrayToObject(json, "params");
    for (const struct param *p = f->params; p < f->params + f->param_count; p++) {
        cJSON *one = rows_add_object(params);
        rows_add_members(one, "name%s type%s", p->name,
                         p->name_count ? "name"
                         : p->is_float ? "float"
                                       : "int");
        if (p->name_count) {
            cJSON_AddStringToObject(one, "default", p->names[(int)p->value]);
            cJSON *names = cJSON_AddArrayToObject(one, "names");
            for (int i = 0; i < p->name_count; i++)
                cJSON_AddItemToArray(names, cJSON_CreateString(p->names[i]));
        } else {
            cJSON_AddNumberToObject(one, "default", p->value);
            if (p->cpu_value != p->value)
                cJSON_AddNumberToObject(one, "default_without_gpu", p->cpu_value);
            rows_add_members(one, "min%g max%g", p->min, p->max);
            if (p->step != 1) cJSON_AddNumberToObject(one, "step", p->step);
        }
        cJSON_AddStringToObject(one, "help", p->help);
    }
    cJSON *lets = cJSON_AddObjectToObject(json, "lets");
    for (int i = 0; i < f->let_count; i++)
        cJSON_AddStringToObject(lets, f->lets[i].name, f->lets[i].expr.text);
    cJSON *variants = cJSON_AddArrayToObject(json, "variants");
    for (const struct variant *v = f->variants; v < f->variants + f->variant_count; v++) {
        const struct pass *first = &v->passes[0];
        cJSON *one = rows_add_object(variants);
        cJSON_AddStringToObject(one, "name", v->name);
        const int block[] = {first->block_width, first->block_height, first->block_depth};
        cJSON_AddItemToObject(one, "block", cJSON_CreateIntArray(block, block[2] > 1 ? 3 : 2));
        cJSON_AddItemToObject(one, "each",
                              cJSON_CreateIntArray((const int[]){first->each_x, first->each_y}, 2));
        rows_add_members(one, "columns%s rows%s passes%d prepare%s finish%s shared%s fixed%i",
                         first->columns.text, first->rows.text, v->pass_count, v->prepare,
                         v->finish, first->shared.text, first->is_fixed);
        rows_add_members(one, "multiple_of%d expert%i floor%i note%s compiled%s",
                         first->multiple_of, v->is_expert, v->is_floor, v->note, v->compiled);
        if (v->library.function)
            rows_add_members(one, "library%s function%s tolerance%g", v->library.function->object,
                             v->library.function->name, v->library.tolerance.most);
    }
    cJSON *slow = cJSON_AddObjectToObject(json, "not_rewritten");
    g_auto(GStrv) kept = NULL;
    g_autofree char *text = rewritten(f, include, &kept, NULL, NULL);
    for (char **name = kept; text && *name; name += 2)
        cJSON_AddStringToObject(slow, name[0], name[1]);
    return json;
}

static void print_text(const struct filter *filters, int count, const char *include)
{
    for (int i = 0; i < count; i++) {
        const struct filter *f = &filters[i];
        char exactness[64] = "";
        terminal_print(stdout, "%s%s  %s\n", i ? "\n" : "", f->name, f->title);
        for (const struct param *p = f->params; p < f->params + f->param_count; p++) {
            terminal_print(stdout, "  --param %s=%s", p->name,
                           filter_write_value(p, p->value).text);
            if (p->cpu_value != p->value)
                terminal_print(stdout, " (without a GPU %s)",
                               filter_write_value(p, p->cpu_value).text);
            terminal_print(stdout, "  [");
            for (int k = 0; k < p->name_count; k++)
                terminal_print(stdout, "%s%s", k ? ", " : "", p->names[k]);
            if (!p->name_count)
                terminal_print(stdout, "%s, %s", filter_write_value(p, p->min).text,
                               filter_write_value(p, p->max).text);
            if (p->step != 1) terminal_print(stdout, " step %g", p->step);
            terminal_print(stdout, "]  %s\n", p->help);
        }
        for (int k = 0; k < f->variant_count; k++) {
            const struct variant *v = &f->variants[k];
            const struct pass *first = &v->passes[0];
            terminal_print(stdout, "  %d %-12s ", k + 1, v->name);
            if (v->library.function)
                terminal_print(stdout, "%s of %s, only for cuda\n", v->library.function->name,
                               v->library.function->object);
            else
                terminal_print(
                    stdout, "%s%s%s%s%s\n", launch_write_block(v, &(struct settings){0}).text,
                    first->is_fixed ? " (fixed)" : "", *v->prepare ? " prepare=" : "", v->prepare,
                    v->is_expert  ? " expert"
                    : v->is_floor ? " floor"
                                  : "");
        }
        if (!filter_has_reference(f))
            terminal_print(stdout, "  no reference: results are not checked\n");
        tolerance_append(exactness, sizeof exactness, f->tolerance);
        if (f->tolerance.unit) terminal_print(stdout, "  results are %s\n", exactness);
        g_auto(GStrv) kept = NULL, where = NULL;
        g_autofree char *text = rewritten(f, include, &kept, &where, NULL);
        for (char **name = kept; text && *name; name += 2)
            terminal_print(stdout, "  %s stays slow on a CPU: %s\n", name[0], name[1]);
        for (char **name = where; name && *name; name += 2)
            terminal_print(stdout, "  %s stays slow on a CPU %s\n", name[0], name[1]);
    }
}

static enum outcome list(const struct options *o, struct error *err)
{
    OWNED(filter_list_finish) struct filter_list filters = {0};
    g_autofree char *include = options_include_folder(o);
    if (!command_load_filters(&filters, o, NULL, err)) return OUTCOME_REFUSED;
    const int shown = o->file ? 1 : filters.count;
    if (o->is_rewritten) {
        g_auto(GStrv) kept = NULL;
        g_autofree char *text =
            o->file ? rewritten(&filters.filters[0], include, &kept, NULL, err) : NULL;
        if (!o->file) error_set(err, "--rewritten wants a FILE");
        if (text) terminal_print(stdout, "%s", text);
        return text ? OUTCOME_DONE : OUTCOME_REFUSED;
    }
    if (o->format && !strcmp(o->format, "json")) {
        cJSON *json = cJSON_CreateObject(), *array = cJSON_AddArrayToObject(json, "filters");
        for (int i = 0; i < shown; i++)
            cJSON_AddItemToArray(array, filter_json(&filters.filters[i], include));
        command_add_lines(json, "left_out", filters.mistakes ? filters.mistakes : "");
        command_print_json(json);
    } else {
        print_text(filters.filters, shown, include);
    }
    const bool is_whole = !filters.mistakes;
    if (!is_whole) error_set_log(err, filters.mistakes);
    return is_whole ? OUTCOME_DONE : OUTCOME_REFUSED;
}

const struct command command_list = {
    .name = "list",
    .options = OPTIONS_LIST,
    .run = list,
    .usage = "list [FILE]",
    .summary = "filters, variants, parameters",
    .about =
        "Lists the filters, their params and variants, as the kernel files say, or what a CUDA\n"
        "file says. On a CPU, kernels run as text that is written anew from the file's, so that\n"
        "the innermost loop goes over neighbouring threads: --rewritten shows it. Kernels that it\n"
        "does not understand are listed with the reason; they run thread by thread.",
};
