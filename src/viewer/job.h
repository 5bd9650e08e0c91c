// job.h -- a job of the viewer is what it does besides drawing, such as writing a sheet or
// reloading the kernels.
//
// Each job lives in a file of its own, which offers one struct job_type. A job owns its wish, its
// progress and its trouble; nobody else sees its state. The viewer steps every job once a turn.
// Jobs of one phase may be stepped in any order. To add a job: a file, and a row in jobs.c's table.
//
// A job takes what a key asks for with viewer_take(). It may show another choice than the user's
// with viewer_show(), and it leaves the user's choice alone.
#ifndef JOB_H
#define JOB_H

#include <stdbool.h>
#include <stddef.h>

struct options;
struct viewer;

// The parts of a turn. The stage makes its frames between FOLLOWS and SHOWS; the window
// is drawn between SHOWS and TELLS.
enum job_phase {
    JOB_PRESSES,  // presses keys, as the user does
    JOB_FOLLOWS,  // brings window and stage to what the user wishes
    JOB_SHOWS,    // uses what the stage has done: the facts of this turn are known
    JOB_TELLS,    // says what the window shows: the drawing of this turn is on the screen
};

// Functions may be NULL, except for step.
struct job_type {
    size_t size;  // of the job's state, which begins as zeros
    enum job_phase phase;
    void (*open)(void *job, const struct options *options);  // before there is a window
    void (*step)(void *job, struct viewer *v);
    // Whether a script of keys has to wait for it.
    bool (*is_busy)(const void *job);
    // Adds the job's words to the overlay's content each time it is written.
    void (*write)(const void *job, struct viewer *v);
    // The window was drawn and is not yet swapped.
    void (*drawn)(void *job, struct viewer *v);
    // The window is closed, or the user quits: ends what is under way. The stage may be gone.
    void (*end)(void *job, struct viewer *v);
    void (*finish)(void *job);  // frees what the state owns
};

extern const struct job_type dump_job, follow_job, keys_job, panels_job, reload_job, screenshot_job,
    sheet_job, tour_job;

#endif
