// options.h -- reads the command line of every command.
//
// It checks the form of options, not their meaning: choice.h checks filters, variants and numbers.
// It does not print or exit: err holds the message for the command to print.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "filter/choice.h"
#include "filter/filter.h"

// How a command ends: the program's exit status.
enum outcome {
    OUTCOME_DONE = 0,
    OUTCOME_REFUSED = 1,
    OUTCOME_USAGE = 2,
    OUTCOME_INTERRUPTED = 130  // by Ctrl-C; the shells' convention
};

// The options as they were given; NULL or -1: not given. The struct owns its strings.
struct options {
    char **pictures;  // ends with NULL, is never NULL
    char *file;       // a kernel file that was named in place of a filter or lab
    char *filter, *variant, *block, *radius, *device, *path, *data, *output, *format;
    char *keys, *shots, *size, *unroll, *plot, *sweep, *ignore, *record, *times;
    char *array;  // of a lab, to be shown
    char *restore, *resume, *script, *from, *dump_state;
    char **params;       // "name=value"; for bench also "name=1..9"
    char **ins, **outs;  // "array=file"
    int is_rewritten;
    int is_quiet, is_unrolled, is_grey, is_bare, is_light, wants_help, is_probe, with_cpu;
    int is_sheet;  // all variants on one picture
    int is_clean;  // screenshots without the overlay
    char *block_at, *report;
    char *against, *skeleton, *json, *seed;
    char *arch;  // of a GPU
    int is_ptx;
    int has_lines, is_all, without_sandbox;
    double text_scale, budget_s, reduce_above_ms;
};

// The command that the options are for. Each takes the common ones and some of its own.
enum options_of {
    OPTIONS_VIEW = 1,
    OPTIONS_RENDER = 2,
    OPTIONS_LIST = 4,
    OPTIONS_DEVICES = 8,
    OPTIONS_BENCH = 16,
    OPTIONS_RUN = 32,
    OPTIONS_LENS = 64,
    OPTIONS_GRADE = 128,
    OPTIONS_TOUR = 256,
    OPTIONS_TOURS = 512,
    OPTIONS_COMPARE = 1024,
    OPTIONS_ADOPT = 2048,
    OPTIONS_SASS = 4096
};

// Reads argv[1...] of a command. A word that ends in .cu where a filter or lab may be named becomes
// `file`, and its name stands for it: as --filter, or for `run` as the word. False: err names the
// word and says what is wrong with it.
bool options_parse(struct options *o, enum options_of command, int argc, char **argv,
                   struct error *err);
void options_finish(struct options *o);
// The help for a command's options, usage first. The caller frees it.
char *options_help(enum options_of command, const char *usage, const char *about);

// Lists the options of a command's help, in its order, for the manual and for completion. Returns
// their number; each lives as long as the program.
enum { OPTIONS_MAX_LISTED = 64 };
struct option_facts {
    const char *name, *value, *help;  // value NULL: it takes none
    char letter;                      // 0: none
};
int options_list(enum options_of command, struct option_facts *facts, int max);

// The folders in use: those of --data DIR, or the program's own. The caller frees each.
char *options_kernel_folder(const struct options *o);             // with the .cu files
char *options_include_folder(const struct options *o);            // with kernel.h
char *options_folder(const struct options *o, const char *name);  // "shaders", "tours"
bool options_lends_tours(const struct options *o);  // tours are the program's, kernels are not
char *options_sample(const char *name);  // the path of a sample picture; "": of their folder

// The words that say what to run, for choice_read(). They live as long as the options.
struct choice_words options_words(const struct options *o);
