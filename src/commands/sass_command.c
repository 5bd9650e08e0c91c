// sass_command.c -- `tilescope sass`: the machine code of a variant, with or without a GPU.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "filter/launch.h"
#include "frame/machine_text.h"

static bool is_json(const struct options *o)
{
    return o->format && !strcmp(o->format, "json");
}

static struct rows instructions_of(const struct machine_code *m, const struct filter *f,
                                   bool is_drawn)
{
    struct rows r = rows_begin();
    g_autofree char *own = g_path_get_basename(f->path);
    rows_add_column(&r, m->is_ptx ? ROWS_NUMBER : ROWS_WORDS, m->is_ptx ? "index" : "address");
    rows_add_column(&r, is_drawn ? ROWS_WORDS : ROWS_NUMBER, "loop");
    rows_add_column(&r, ROWS_WORDS, "instruction");
    rows_add_column(&r, ROWS_WORDS, "line");
    rows_add_column(&r, ROWS_WORDS, "memory");
    for (int i = 0; i < m->count; i++) {
        const struct machine_line *line = &m->lines[i];
        const struct trace_place *place = machine_line_place(line, own);
        const int arguments = is_drawn ? machine_code_arguments(m, i) : 0;
        char mark[64];
        machine_line_write(line, mark, sizeof mark);
        rows_add_format(&r, m->is_ptx ? "%d" : "0x%04x", line->address);
        if (is_drawn)
            rows_add(&r, machine_code_bracket(m, i));
        else if (line->loop)
            rows_add_format(&r, "%d", line->loop);
        else
            rows_add(&r, "");
        if (arguments > 1)
            rows_add_format(&r, "ld.param, %d times", arguments);
        else
            rows_add(&r, line->text);
        if (place)
            rows_add_format(&r, "%s:%d", place->file, place->line);
        else
            rows_add(&r, "");
        rows_add(&r, arguments > 1 ? "" : mark);
        i += MAX(arguments, 1) - 1;
    }
    return r;
}

static bool print_kernel(const struct options *o, const char *text, const struct choice *c,
                         const struct pass *pass, cJSON *kernels, struct error *err)
{
    struct machine_code m;
    g_autoptr(GString) out = g_string_new(NULL);
    if (!machine_code_read(&m, text, pass->entry, err)) return false;
    cJSON *json = rows_add_object(kernels);
    const char *const language = m.is_ptx ? "PTX" : "SASS";
    const bool is_text = !o->format || !strcmp(o->format, "table");
    rows_add_members(json, "kernel%s language%s arch%s", pass->entry, language, m.arch);
    if (is_text) {
        struct build_target wanted;
        const bool has_wanted = o->arch && machine_text_read_arch(o->arch, &wanted, NULL);
        g_autofree char *arch = has_wanted ? g_strdup_printf("sm_%d", wanted.arch) : NULL;
        g_string_append_printf(out, "%s: %s for %s", pass->entry, language, m.arch);
        if (arch && strcmp(arch, m.arch) != 0)
            g_string_append_printf(out, ", which NVRTC has in place of %s", arch);
        g_string_append(out, "\n\n");
    }
    struct rows rows = instructions_of(&m, c->filter, is_text);
    if (is_json(o)) {
        cJSON_AddItemToObject(json, "instructions", rows_end_json(&rows));
    } else if (is_text) {
        rows_end_text(&rows, out);
    } else {
        g_autofree char *csv = rows_end_csv(&rows);
        g_string_append(out, csv);
    }
    // A line for the kernel, and one for each innermost loop.
    g_autoptr(GString) all = g_string_new(NULL);
    g_autofree char *own = g_path_get_basename(c->filter->path);
    for (int loop = 0, first = 0; loop <= m.loop_count; loop++) {
        char counts[512];
        while (loop && m.lines[first].loop != loop) first++;
        const struct trace_place *place = loop ? machine_line_place(&m.lines[first], own) : NULL;
        machine_code_write_counts(&m, loop, counts, sizeof counts);
        g_string_append(all, loop ? "loop" : "kernel");
        if (place) g_string_append_printf(all, " at %s:%d", place->file, place->line);
        g_string_append_printf(all, ": %s\n", counts);
    }
    command_add_lines(json, "counts", all->str);
    if (is_text) g_string_append_printf(out, "\n%s", all->str);
    terminal_print(stdout, "%s", out->str);
    machine_code_finish(&m);
    return true;
}

static enum outcome sass(const struct options *o, struct error *err)
{
    OWNED(filter_list_finish) struct filter_list filters = {0};
    struct machine_text made = {.text = NULL};
    struct choice choice;
    if (o->pictures[0] && (o->pictures[1] || o->filter))
        return command_misuse(err, "sass wants one filter, lab or file");
    const struct device best = backend_best();
    struct build_target target = machine_text_target(&best);
    target.wants_ptx = o->is_ptx;
    if (o->arch && !machine_text_read_arch(o->arch, &target, err)) return OUTCOME_USAGE;
    if (!command_load_filters(&filters, o, NULL, err)) return OUTCOME_REFUSED;
    struct choice_words words = options_words(o);
    if (o->pictures[0]) words.filter = o->pictures[0];
    enum outcome outcome = OUTCOME_USAGE;
    if (choice_read(&choice, &words, &filters, err)) {
        g_autofree char *include = options_include_folder(o);
        const struct launch_build build = launch_build(&choice);
        const struct library_function *library = choice.variant->library.function;
        bool is_done = !library ||
                       error_set(err, "%s %s has no kernel: it calls %s of %s", choice.filter->name,
                                 choice.variant->name, library->name, library->object);
        const struct translation asked = {
            .build.params = build.params, .include = include, .target = target};
        is_done = is_done && machine_text_make(&made, choice.filter, &asked, NULL, err);
        if (is_done && *made.why_no_sass.text)
            terminal_print(stderr, "tilescope: PTX in place of SASS: %s\n", made.why_no_sass.text);
        cJSON *json = cJSON_CreateObject(), *kernels = cJSON_AddArrayToObject(json, "kernels");
        for (int i = 0; i < choice.variant->pass_count && is_done; i++) {
            const struct pass *const passes = choice.variant->passes;
            bool is_printed = false;
            for (int k = 0; k < i; k++) is_printed |= !strcmp(passes[k].entry, passes[i].entry);
            if (!is_printed)
                is_done = print_kernel(o, made.text, &choice, &passes[i], kernels, err);
        }
        if (is_done && is_json(o))
            command_print_json(json);
        else
            cJSON_Delete(json);
        outcome = is_done ? OUTCOME_DONE : OUTCOME_REFUSED;
    }
    g_free(made.text);
    return outcome;
}

const struct command command_sass = {
    .name = "sass",
    .options = OPTIONS_SASS,
    .run = sass,
    .usage = "sass [FILE|NAME]",
    .summary = "a kernel's machine code by source line, also without a GPU",
    .about =
        "Compiles a variant of a filter or lab with NVRTC, as it runs on a GPU, and prints its\n"
        "instructions: the line that each comes from, what it loads or stores and how many bits a\n"
        "thread, barriers, spills to local memory, and the innermost loops. It needs no GPU.\n"
        "nvdisasm prints SASS; where it is not installed, PTX is shown.",
};
