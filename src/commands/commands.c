#include "commands/commands.h"

#include <glib.h>
#include <stdio.h>

enum outcome command_fail(enum outcome outcome, const struct error *err)
{
    fprintf(stderr, "tilescope: %s\n", err->text);
    return outcome;
}

enum outcome command_run(enum options_of command, int argc, char **argv, const char *usage,
                         const char *about, enum outcome (*run)(const struct options *o))
{
    struct options o;
    struct error err = {""};
    if (!options_parse(&o, command, argc, argv, &err)) return command_fail(OUTCOME_USAGE, &err);
    enum outcome outcome = OUTCOME_DONE;
    if (o.wants_help) {
        char *text = options_help(command, usage, about);
        fputs(text, stdout);
        g_free(text);
    } else {
        outcome = run(&o);
    }
    options_finish(&o);
    return outcome;
}
