// bench_file.h -- reads what `tilescope bench --format json` has written (bench_report.h).
//
// The file may come from another machine or another version, or be no such file at all: whatever it
// holds, reading it ends with rows whose figures make sense or with one line that says why not. It
// does not know the kernel files, which may have changed since: filters, variants and params are
// names here.
#ifndef BENCH_FILE_H
#define BENCH_FILE_H

#include "base/error.h"
#include "base/stats.h"

enum { BENCH_FILE_MAX_ROWS = 16384, BENCH_FILE_NAME = 64, BENCH_FILE_WORDS = 192 };

struct bench_file_row {
    char filter[BENCH_FILE_NAME], variant[BENCH_FILE_NAME];  // filter empty: the device copy
    char params[BENCH_FILE_WORDS];                           // all but the axis: "c=5"; or empty
    char axis[BENCH_FILE_NAME];                              // its name and unit: "radius_px"
    double value;                                            // of the axis
    bool has_value;
    int block_width, block_height;  // 0: none
    char unroll[8];                 // "on", "off" or empty
    char size[BENCH_FILE_WORDS];    // of the picture, or of a lab's arrays
    struct stats_summary ms;        // cold, or hot where there is nothing else; count 0: no time
    bool is_hot;                    // there are no cold ones
    bool is_wrong;                  // its result
};

struct bench_file {
    char device[128], driver[128], program[32], date[40];
    char subject[BENCH_FILE_WORDS];  // "noise 1920×1080, 1 plane"; empty: labs alone
    struct bench_file_row *rows;     // owned
    int count;
};

// path is for messages and to be read. On failure err is one line, and f needs no finish.
bool bench_file_load(struct bench_file *f, const char *path, struct error *err);
bool bench_file_parse(struct bench_file *f, const char *path, const char *text, struct error *err);
void bench_file_finish(struct bench_file *f);  // accepts a zeroed one

#endif
