// bench_report.h -- a benchmark's result as text: table, csv or json.
//
// Every format names the device, driver, picture or arrays, and date, and every column its unit.
// csv and json hold figures to six digits. A table holds three, and leaves out empty columns.
#pragma once

#include "measure/bench.h"

// The subject of the measurements, and the device; borrowed.
struct bench_about {
    const struct device *device;
    struct planes picture;     // no pixels wide: labs have none
    const char *picture_name;  // "noise", or the file; unused without a picture
    const char *subject;       // what is measured: the picture, or sizes of a lab
    const char *date;          // ISO 8601
    bool is_recorded;          // cold times that another device measured on that date
    bool is_of_frames;         // times of frames in a window, which are neither cold nor hot
};

// The caller frees it. format NULL: table.
char *bench_report(const char *format, const struct bench_result *result,
                   const struct bench_about *about);

// "NVIDIA H200 · 8000×8000 grey noise · 2026-11-20"; the caller frees it.
char *bench_report_line(const struct bench_about *about);

// "radius, pixels", or another axis with what its file says of it. The caller frees it.
char *bench_report_axis(const struct param *axis);

// ---- subjects ----

// The subject of a measurement, in words. The caller frees each text.

// "8000×8000 grey noise; several labs". Of one lab, what its launches have in common: the sizes if
// all arrays keep theirs, "a: float 512×64 · b: float 64×512"; else the params that keep their
// values, except the axis: "columns 64", or nothing.
char *bench_report_subject(const struct sweep *sweep, struct planes picture,
                           const char *picture_name);
