#include "viewer/jobs.h"

#include <glib.h>

static const struct job_type *const types[] = {
    &keys_job,    &baseline_job,   &menu_job,   &tour_job,   &drop_job,
    &picture_job, &follow_job,     &reload_job, &lens_job,   &panels_job,
    &sheet_job,   &screenshot_job, &copy_job,   &source_job, &dump_job};

enum { COUNT = G_N_ELEMENTS(types) };

struct jobs {
    void *states[COUNT];
};

struct jobs *jobs_create(const struct options *options)
{
    struct jobs *jobs = g_new0(struct jobs, 1);
    for (int i = 0; i < COUNT; i++) {
        jobs->states[i] = g_malloc0(types[i]->size);
        if (types[i]->open) types[i]->open(jobs->states[i], options);
    }
    return jobs;
}

void jobs_destroy(struct jobs *jobs)
{
    if (!jobs) return;
    for (int i = 0; i < COUNT; i++) {
        if (types[i]->finish) types[i]->finish(jobs->states[i]);
        g_free(jobs->states[i]);
    }
    g_free(jobs);
}

void jobs_step(struct jobs *jobs, enum job_phase phase, struct viewer *v)
{
    for (int i = 0; i < COUNT; i++)
        if (types[i]->step[phase]) types[i]->step[phase](jobs->states[i], v);
}

bool jobs_are_busy(const struct jobs *jobs)
{
    for (int i = 0; i < COUNT; i++)
        if (types[i]->is_busy && types[i]->is_busy(jobs->states[i])) return true;
    return false;
}
