// main.c -- the command table. The command's outcome is the process's; GLib's fatal messages end
// it here, too.
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "commands/commands.h"

// To add a command: a row here, and a file that defines it.
static const struct command *const commands[] = {
    &command_view, &command_render, &command_run,     &command_bench, &command_compare,
    &command_lens, &command_sass,   &command_grade,   &command_adopt, &command_tour,
    &command_list, &command_tours,  &command_devices,
};

static enum outcome run_command(const struct command *c, int argc, char **argv)
{
    OWNED(options_finish) struct options o = {0};
    struct error err = {""};
    if (!options_parse(&o, c->options, argc, argv, &err)) return command_fail(OUTCOME_USAGE, &err);
    enum outcome outcome = OUTCOME_DONE;
    if (o.wants_help) {
        g_autofree char *usage = g_strdup_printf("tilescope %s [OPTION…]", c->usage);
        g_autofree char *more = c->more ? c->more() : g_strdup("");
        g_autofree char *about = g_strconcat(c->about, g_strchomp(more), NULL);
        g_autofree char *text = options_help(c->options, usage, about);
        terminal_print(stdout, "%s", text);
    } else {
        signals_hold(c->grace_s > 0 ? c->grace_s : 3);
        outcome = c->run(&o, &err);
        if (outcome != OUTCOME_DONE && *err.text) command_fail(outcome, &err);
    }
    return outcome;
}

static enum outcome run(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "view";
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
        terminal_print(stdout, "Tilescope: a microscope for GPU memory.\n\nUsage:\n");
        for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
            const int pad = 30 - (int)g_utf8_strlen(commands[i]->usage, -1);
            terminal_print(stdout, "  tilescope %s%*s%s\n", commands[i]->usage, pad, "",
                           commands[i]->summary);
        }
        g_autofree char *keys = command_keys();
        terminal_print(stdout,
                       "\ntilescope COMMAND --help lists a command's options.\n\nKeys in the "
                       "window:\n%s",
                       keys);
        return OUTCOME_DONE;
    }
    if (!strcmp(word, "--version")) {
        terminal_print(stdout, "tilescope %s\n", TILESCOPE_VERSION);
        return OUTCOME_DONE;
    }
    if (!strcmp(word, "--man")) return command_manual(commands, G_N_ELEMENTS(commands));
    if (!strcmp(word, "--complete"))
        return command_complete(commands, G_N_ELEMENTS(commands), argv + 2);
    bool is_part;
    const enum outcome of_part = command_part(argc, argv, &is_part);
    if (is_part) return of_part;
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        if (argc > 1 && !strcmp(commands[i]->name, word))
            return run_command(commands[i], argc - 1, argv + 1);
    // A word that is neither an option nor a file may be near a command.
    if (argc > 1 && *word != '-' && !g_file_test(word, G_FILE_TEST_EXISTS)) {
        struct error err;
        g_autoptr(GString) names = g_string_new(NULL);
        for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
            g_string_append_printf(names, "%s ", commands[i]->name);
        error_set(&err, "unknown command '%s'", word);
        const size_t length = strlen(err.text);
        suggest(&err, word, names->str);
        if (err.text[length]) return command_fail(OUTCOME_USAGE, &err);
    }
    return run_command(&command_view, argc, argv);  // options and pictures only
}

// GLib, and pango with it, end the program where there is no memory or no thread. It ends here
// instead, with a line and without a core file.
static GLogWriterOutput end_with_a_line(GLogLevelFlags level, const GLogField *fields, gsize count,
                                        gpointer unused)
{
    (void)unused;
    struct error err = {""};
    if (!(level & (G_LOG_FLAG_FATAL | G_LOG_LEVEL_ERROR)))
        return g_log_writer_default(level, fields, count, NULL);
    for (gsize i = 0; i < count; i++)
        if (!strcmp(fields[i].key, "MESSAGE")) error_set(&err, "%s", (const char *)fields[i].value);
    _exit(command_fail(OUTCOME_REFUSED, &err));
}

int main(int argc, char **argv)
{
    // Files that are opened must not take the places of stdin, stdout and stderr.
    int fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);
    if (fd >= 0) close(fd);
    signal(SIGXFSZ, SIG_IGN);  // a file that becomes too large is an error like others
    g_log_set_writer_func(end_with_a_line, NULL, NULL);
    enum outcome outcome = run(argc, argv);
    struct error err;
    if (fflush(stdout) || ferror(stdout)) {
        error_set(&err, "cannot write to stdout: %s", g_strerror(errno));
        outcome = command_fail(MAX(outcome, OUTCOME_REFUSED), &err);
    }
    signals_release();
    return outcome;
}
