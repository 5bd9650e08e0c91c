// main.c -- the command table. The only place that ends the process.
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"

static const struct {
    const char *name;
    enum outcome (*run)(int argc, char **argv);
    const char *usage, *about;
} commands[] = {
    {"view", command_view, "[view] [IMAGE…]", "the window (also without a command)"},
    {"render", command_render, "render IMAGE -o OUT.png", "one picture, no window"},
    {"bench", command_bench, "bench [IMAGE | --size WxH]", "times of a sweep, and a plot"},
    {"list", command_list, "list", "filters, variants, parameters"},
    {"devices", command_devices, "devices", "GPUs, the path chosen, and why"},
};

static enum outcome print_help(void)
{
    puts("Tilescope: a microscope for GPU memory.\n\nUsage:");
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        const int pad = 28 - (int)g_utf8_strlen(commands[i].usage, -1);
        printf("  tilescope %s%*s%s\n", commands[i].usage, pad, "", commands[i].about);
    }
    char *keys = command_keys();
    printf("\ntilescope COMMAND --help lists a command's options.\n\nKeys in the window:\n%s",
           keys);
    g_free(keys);
    return OUTCOME_DONE;
}

static enum outcome run(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "view";
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
        return print_help();
    if (!strcmp(word, "--version")) {
        puts("tilescope " TILESCOPE_VERSION);
        return OUTCOME_DONE;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        if (argc > 1 && !strcmp(commands[i].name, word)) return commands[i].run(argc - 1, argv + 1);
    return command_view(argc, argv);  // options and pictures only
}

int main(int argc, char **argv)
{
    const enum outcome outcome = run(argc, argv);
    if (!fflush(stdout) && !ferror(stdout)) return outcome;
    struct error err;
    error_set(&err, "cannot write to stdout: %s", g_strerror(errno));
    return command_fail(OUTCOME_REFUSED, &err);
}
