// jobs.h -- a job of the viewer is what it does besides drawing, such as writing a sheet or
// reloading the kernels.
//
// Each job lives in a file of its own, which offers one struct job_type. A job owns its wish, its
// progress and its trouble; nobody else sees its state. To add a job: a file, and a row in jobs.c's
// table.
//
// A job takes what a key asks for with viewer_take(). It may show another choice than the user's
// with viewer_show(), and it leaves the user's choice alone.
#ifndef JOBS_H
#define JOBS_H

#include <stdbool.h>
#include <stddef.h>

struct options;
struct viewer;

// When a job may act. In a turn, the stage makes its frames between FOLLOWS and SHOWS; the window
// is drawn between SHOWS and TELLS. Jobs of one phase may be stepped in any order.
enum job_phase {
    JOB_PRESSES,  // presses keys, as the user does
    JOB_FOLLOWS,  // brings window and stage to what the user wishes
    JOB_SHOWS,    // uses what the stage has done: the facts of this turn are known
    JOB_WRITES,   // adds words to the overlay's content, each time it is written
    JOB_DRAWN,    // the window was drawn and is not yet swapped
    JOB_TELLS,    // says what the window shows: the drawing of this turn is on the screen
    JOB_ENDS,     // the window is closed: ends what is under way. The stage may be gone
    JOB_PHASES
};

// Functions may be NULL.
struct job_type {
    size_t size;                                             // of the job's state, at first zeros
    void (*open)(void *job, const struct options *options);  // before there is a window
    void (*step[JOB_PHASES])(void *job, struct viewer *v);
    bool (*is_busy)(const void *job);  // whether a script of keys has to wait for it
    void (*finish)(void *job);         // frees what the state owns
};

extern const struct job_type baseline_job, copy_job, drop_job, dump_job, follow_job, keys_job,
    lens_job, menu_job, panels_job, picture_job, reload_job, screenshot_job, sheet_job, source_job,
    tour_job;

// All jobs that there are.
struct jobs;

struct jobs *jobs_create(const struct options *options);
void jobs_destroy(struct jobs *jobs);  // accepts NULL
void jobs_step(struct jobs *jobs, enum job_phase phase, struct viewer *v);
bool jobs_are_busy(const struct jobs *jobs);

#endif
