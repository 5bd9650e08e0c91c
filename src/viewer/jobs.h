// jobs.h -- the list of the viewer's jobs (job.h); each function calls all of them.
//
// Only jobs.c knows which jobs there are.
#ifndef JOBS_H
#define JOBS_H

#include "viewer/job.h"

struct jobs;

struct jobs *jobs_create(const struct options *options);
void jobs_destroy(struct jobs *jobs);  // accepts NULL

void jobs_step(struct jobs *jobs, enum job_phase phase, struct viewer *v);
bool jobs_are_busy(const struct jobs *jobs);
void jobs_write(const struct jobs *jobs, struct viewer *v);
void jobs_drawn(const struct jobs *jobs, struct viewer *v);
void jobs_end(struct jobs *jobs, struct viewer *v);

#endif
