// adopt_command.c -- `tilescope adopt`: a CUDA file with the notes that it may need.
#include <glib.h>
#include <string.h>

#include "base/file.h"
#include "base/terminal.h"
#include "commands/commands.h"

static enum outcome adopt(const struct options *o, struct error *err)
{
    const char *const path = o->pictures[0];
    if (!path || o->pictures[1] || !g_str_has_suffix(path, ".cu"))
        return command_misuse(err, "adopt wants one file: tilescope adopt FILE.cu");
    if (o->output && !command_can_write(o->output, err)) return OUTCOME_REFUSED;
    OWNED(filter_list_finish) struct filter_list list = {NULL, 0, NULL};
    g_autofree char *headers = options_include_folder(o), *text = file_read_text(path, err);
    bool is_good = text && filter_list_add(&list, path, headers, err);
    if (is_good && !list.filters[0].guesses)
        is_good = error_set(err, "'%s' has notes: nothing is changed", path);
    if (is_good) {
        const struct filter *const f = &list.filters[0];
        g_autoptr(GString) all = g_string_new(f->source + strlen(text) + 1);  // the notes
        g_auto(GStrv) lines = g_strsplit(g_strchomp(f->guesses), "\n", -1);
        for (char **line = lines; *line; line++)
            g_string_append_printf(all, "// guessed: %s\n", *line);
        g_string_append_printf(all, "\n%s", text);
        if (o->output)
            is_good = file_write(o->output, all->str, all->len, err);
        else
            terminal_print(stdout, "%s", all->str);
    }
    return is_good ? OUTCOME_DONE : OUTCOME_REFUSED;
}

const struct command command_adopt = {
    .name = "adopt",
    .options = OPTIONS_ADOPT,
    .run = adopt,
    .usage = "adopt FILE [-o OUT]",
    .summary = "a CUDA file with the notes that were guessed for it",
    .about =
        "Prints a CUDA file that has no notes, with those above it by which view, lens, bench,\n"
        "run and render take it as a lab: each __global__ function is a variant, what it writes\n"
        "is an out array, and an int that bounds or multiplies indexes is a size. A comment says\n"
        "what was guessed. Change what is wrong; nothing is checked until you add a reference.\n"
        "The same notes are used, and told on stderr, where such a file is opened.",
};
