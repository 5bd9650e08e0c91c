// run_files.h -- the files of `tilescope run`: --in and --out, each NAME=FILE.
//
// Everything that can be refused is refused before the lab runs, except what the elements
// themselves say. Outputs appear together at the end, when all of them are written.
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include "app/options.h"
#include "frame/array_file.h"

enum { RUN_MAX_OUTPUTS = 16 };

struct run_output {
    int array;
    enum array_form form;
    const char *path;  // the options own it
};

// {0}: no files.
struct run_files {
    struct array_input inputs[ARRAYS_MAX];
    struct run_output outputs[RUN_MAX_OUTPUTS];
    int input_count, output_count;
    struct arrays_layout layout;  // of the choice's arrays
};

// Opens the inputs, and sets the choice's params that they fix. A param that --param or another
// file gives differently is refused. run_files_finish must follow.
enum outcome run_files_open(struct run_files *files, const struct options *o, struct choice *choice,
                            struct error *err);
void run_files_finish(struct run_files *files);  // accepts zeroed ones

// Fills the in arrays of a planned frame: as its lab says, or from the files.
bool run_files_fill(struct run_files *files, const struct frame *frame,
                    const struct frame_memory *memory, struct error *err);
// The first input that holds floats of which sums may depend on the order; NULL: none does.
const struct array_input *run_files_unusual(const struct run_files *files);

// Writes the outputs, and prints a line for each.
bool run_files_write(const struct run_files *files, const struct frame *frame,
                     const struct frame_memory *memory, struct error *err);

#endif
