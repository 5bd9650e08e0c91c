// completion.c -- `tilescope --completion SHELL`: the script that completes commands and options in
// bash, zsh or fish, made from the tables of commands and options. bash and fish know the names of
// filters and labs, too. Everything else is completed as a file's name. Without a command the
// options are those of view, the first command.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/terminal.h"
#include "commands/commands.h"

struct tables {
    const struct command *const *commands;
    int count;
    const struct filter_list *filters;
};

// The names that may stand in a picture's place: labs, and in the window filters, too.
static char *list_names(const struct tables *t, const struct command *command)
{
    const int with_labs = OPTIONS_RENDER | OPTIONS_RUN | OPTIONS_BENCH | OPTIONS_LENS;
    const bool is_view = command->options == OPTIONS_VIEW;
    GString *names = g_string_new(NULL);
    for (int i = 0; i < t->filters->count; i++) {
        const struct filter *f = &t->filters->filters[i];
        if (is_view || (!filter_has_picture(f) && (int)command->options & with_labs))
            g_string_append_printf(names, "%s%s", names->len ? " " : "", f->name);
    }
    return g_string_free(names, FALSE);
}

// ---- bash ----

static void append_bash(GString *script, const struct tables *t)
{
    g_string_append(script, "_tilescope()\n{\n"
                            "    local word=${COMP_WORDS[COMP_CWORD]} words='' names='' found\n"
                            "    case ${COMP_WORDS[1]} in\n");
    for (int i = t->count - 1; i >= 0; i--) {
        struct option_facts facts[OPTIONS_MAX_LISTED];
        const int count = options_list(t->commands[i]->options, facts, OPTIONS_MAX_LISTED);
        g_string_append_printf(script, "    %s) words='", i > 0 ? t->commands[i]->name : "*");
        for (int k = 0; k < count; k++)
            g_string_append_printf(script, "%s--%s", k > 0 ? " " : "", facts[k].name);
        char *names = list_names(t, t->commands[i]);
        g_string_append_printf(script, "' names='%s' ;;\n", names);
        g_free(names);
    }
    g_string_append(script, "    esac\n"
                            "    [ \"$COMP_CWORD\" = 1 ] && words+=' --version");
    for (int i = 0; i < t->count; i++) g_string_append_printf(script, " %s", t->commands[i]->name);
    g_string_append(script, "'\n"
                            "    [ \"$COMP_CWORD\" = 1 ] || [[ $word == -* ]] || words=''\n"
                            "    COMPREPLY=()\n"
                            "    while read -r found; do COMPREPLY+=(\"$found\"); done < <(\n"
                            "        compgen -W \"$words\" -- \"$word\"\n"
                            "        found=$(compgen -W \"$names\" -- \"$word\") || exit\n"
                            "        printf '%s\\n' \"$found\"\n"
                            "        compgen -f -- \"$word\")\n"
                            "}\n"
                            "complete -o default -F _tilescope tilescope\n");
}

// ---- zsh and fish ----

// Text between single quotes, with a backslash before each of the characters in `special`.
static void append_quoted(GString *script, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            g_string_append(script, "'\\''");
        else if (strchr(special, *text))
            g_string_append_printf(script, "\\%c", *text);
        else
            g_string_append_c(script, *text);
    }
}

static bool is_of_file(const struct option_facts *o)
{
    static const char *const values[] = {"FILE", "DIR", "PNG", NULL};
    return o->value && g_strv_contains(values, o->value);
}

static void append_zsh(GString *script, const struct tables *t)
{
    struct option_facts facts[OPTIONS_MAX_LISTED];
    g_string_append(script, "#compdef tilescope\n"
                            "local -a commands\n"
                            "commands=(\n");
    for (int i = 0; i < t->count; i++) {
        g_string_append_printf(script, "    '%s:", t->commands[i]->name);
        append_quoted(script, t->commands[i]->summary, "\\");
        g_string_append(script, "'\n");
    }
    g_string_append(script, ")\n"
                            "(( CURRENT == 2 )) && _describe command commands\n"
                            "case $words[2] in\n");
    for (int i = t->count - 1; i >= 0; i--) {
        const int count = options_list(t->commands[i]->options, facts, OPTIONS_MAX_LISTED);
        g_string_append_printf(script, "    %s)\n        _arguments",
                               i > 0 ? t->commands[i]->name : "*");
        for (int k = 0; k < count; k++) {
            g_string_append_printf(script, " \\\n            '--%s[", facts[k].name);
            append_quoted(script, facts[k].help, "[]:\\");
            g_string_append_c(script, ']');
            if (facts[k].value) {
                g_string_append_c(script, ':');
                append_quoted(script, facts[k].value, ":\\");
                g_string_append(script, is_of_file(&facts[k]) ? ":_files" : ": ");
            }
            g_string_append_c(script, '\'');
        }
        g_string_append(script, " \\\n            '*:file:_files' ;;\n");
    }
    g_string_append(script, "esac\n");
}

static void append_fish(GString *script, const struct tables *t)
{
    struct option_facts facts[OPTIONS_MAX_LISTED];
    GString *view = g_string_new("not __fish_seen_subcommand_from");
    for (int i = 1; i < t->count; i++) g_string_append_printf(view, " %s", t->commands[i]->name);
    for (int i = 0; i < t->count; i++) {
        const struct command *command = t->commands[i];
        g_string_append_printf(script, "complete -c tilescope -n __fish_use_subcommand -a %s -d '",
                               command->name);
        append_quoted(script, command->summary, "");
        g_string_append(script, "'\n");
        char *when = i > 0 ? g_strconcat("__fish_seen_subcommand_from ", command->name, NULL)
                           : g_strdup(view->str);
        const int count = options_list(command->options, facts, OPTIONS_MAX_LISTED);
        for (int k = 0; k < count; k++) {
            const struct option_facts *o = &facts[k];
            g_string_append_printf(script, "complete -c tilescope -n '%s' -l %s%s", when, o->name,
                                   !o->value       ? ""
                                   : is_of_file(o) ? " -r"
                                                   : " -x");
            if (o->letter) g_string_append_printf(script, " -s %c", o->letter);
            g_string_append(script, " -d '");
            append_quoted(script, o->help, "");
            g_string_append(script, "'\n");
        }
        char *names = list_names(t, command);
        if (*names)
            g_string_append_printf(script, "complete -c tilescope -n '%s' -a '%s'\n", when, names);
        g_free(names);
        g_free(when);
    }
    g_string_free(view, TRUE);
}

// ---- the command ----

// To add a shell: a function above, and a row here.
static const struct {
    const char *name;
    void (*append)(GString *script, const struct tables *t);
} shells[] = {{"bash", append_bash}, {"zsh", append_zsh}, {"fish", append_fish}};

enum outcome command_completion(const struct command *const *commands, int count, const char *shell)
{
    struct error err;
    struct filter_list filters = {0};
    const struct options nothing = {0};
    size_t i = 0;
    while (i < G_N_ELEMENTS(shells) && (!shell || strcmp(shells[i].name, shell) != 0)) i++;
    if (i == G_N_ELEMENTS(shells)) {
        error_set(&err, "--completion needs a shell: bash, zsh or fish");
        return command_fail(OUTCOME_USAGE, &err);
    }
    command_load_filters(&filters, &nothing, NULL, &err);  // without files there are no names
    const struct tables tables = {commands, count, &filters};
    GString *script = g_string_new(NULL);
    shells[i].append(script, &tables);
    terminal_print(stdout, "%s", script->str);
    g_string_free(script, TRUE);
    filter_list_finish(&filters);
    return OUTCOME_DONE;
}
