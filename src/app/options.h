// options.h -- the command line, shared by the commands: parsed, checked against the filters,
// resolved.
//
// Does not print: a message comes back in err, for the command to print and to exit with.
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "filter/choice.h"
#include "filter/filter.h"

// How a command ends; main.c hands it to the system.
enum outcome {
    OUTCOME_DONE = 0,
    OUTCOME_REFUSED = 1,
    OUTCOME_USAGE = 2,
    OUTCOME_INTERRUPTED = 130  // by Ctrl-C, as shells say it
};

// As given; NULL or -1: not given. Strings are owned.
struct options {
    char **pictures;  // NULL-ended, never NULL
    char *filter, *variant, *block, *radius, *device, *path, *data, *output, *format;
    char *keys, *shots, *size, *unroll, *plot;
    char *restore, *script, *dump_state;
    char **params;  // "name=value"
    int is_unrolled, is_grey, is_bare, is_light, wants_help, is_probe, with_cpu;
    int is_sheet;  // all variants on one picture
    int is_clean;  // screenshots without the overlay
    double text_scale, budget_s;
};

// Which of the options a command takes beside --help and the common ones.
enum options_of {
    OPTIONS_VIEW = 1,
    OPTIONS_RENDER = 2,
    OPTIONS_LIST = 4,
    OPTIONS_DEVICES = 8,
    OPTIONS_BENCH = 16
};

// Parses argv[1...] of a command. False: err says what is wrong with which word.
bool options_parse(struct options *o, enum options_of command, int argc, char **argv,
                   struct error *err);
void options_finish(struct options *o);
// Whether the files and folders that are named can be there: --shots, --script, --dump-state. To be
// asked before anything is opened; what is wrong with one is a refusal, not a usage error.
bool options_check_files(const struct options *o, struct error *err);
// Help for a command's options (the caller frees it); usage is its first line.
char *options_help(enum options_of command, const char *usage, const char *about);

// Folders in effect: --data DIR, or the program's own.
char *options_kernel_folder(const struct options *o);   // with the .cu files
char *options_include_folder(const struct options *o);  // with kernel.h
char *options_shader_folder(const struct options *o);
char *options_sample(const char *name);  // path of a sample picture

// The words that say what to run, for choice_read(); they live as long as the options.
struct choice_words options_words(const struct options *o);

#endif
