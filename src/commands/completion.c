// completion.c -- `tilescope --complete WORD…`: what may stand for the last word, which is not
// whole yet, as a line each with a tab and what it does. packaging/completion has the scripts for
// bash, zsh and fish that ask. They complete files themselves, also where nothing is printed.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/terminal.h"
#include "commands/commands.h"

static void offer(const char *beginning, const char *word, const char *help)
{
    if (g_str_has_prefix(word, beginning)) terminal_print(stdout, "%s\t%s\n", word, help);
}

// The names that may stand in a picture's place; only labs are run with files.
static void offer_names(const struct command *command, const char *beginning)
{
    const int with_all =
        OPTIONS_VIEW | OPTIONS_SASS | OPTIONS_RENDER | OPTIONS_BENCH | OPTIONS_LENS;
    const int with_names = with_all | OPTIONS_RUN;
    const struct options nothing = {0};
    OWNED(filter_list_finish) struct filter_list filters = {0};
    struct error err;
    command_load_filters(&filters, &nothing, NULL, &err);  // without files there are no names
    for (int i = 0; i < filters.count; i++) {
        const struct filter *f = &filters.filters[i];
        if ((int)command->options & (filter_has_picture(f) ? with_all : with_names))
            offer(beginning, f->name, f->title);
    }
}

enum outcome command_complete(const struct command *const *commands, int count, char *const *words)
{
    struct option_facts facts[OPTIONS_MAX_LISTED];
    const int last = (int)g_strv_length((char **)words) - 1;
    const char *beginning = last >= 0 ? words[last] : "";
    const struct command *command = commands[0];  // view's options need no command
    for (int i = 0; i < count; i++)
        if (last > 0 && !strcmp(commands[i]->name, words[0])) command = commands[i];
    if (last <= 0) offer(beginning, "--version", "the program's version");
    for (int i = 0; i < count && last <= 0; i++)
        offer(beginning, commands[i]->name, commands[i]->summary);
    const int listed = options_list(command->options, facts, OPTIONS_MAX_LISTED);
    for (int i = 0; i < listed && (last <= 0 || *beginning == '-'); i++) {
        g_autofree char *name = g_strconcat("--", facts[i].name, NULL);
        offer(beginning, name, facts[i].help);
    }
    if (*beginning != '-') offer_names(command, beginning);
    return OUTCOME_DONE;
}
