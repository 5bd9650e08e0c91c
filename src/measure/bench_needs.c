#include "measure/bench_needs.h"

#include <glib.h>

struct workspace_needs bench_needs_workspace(const struct bench_job *job)
{
    struct workspace_needs needs = {0};
    for (int i = 0; i < job->sweep->count; i++) {
        const struct sweep_case *c = &job->sweep->cases[i];
        const struct variant *naive = filter_variant(c->filter, "naive");
        if (c->filter->is_lab) continue;  // its timer has memory of its own
        workspace_add_needs(&needs, c->filter, c->variant, job->picture);
        if (naive) workspace_add_needs(&needs, c->filter, naive, job->picture);
    }
    return needs;
}

// One lab's arrays are there at a time.
static size_t largest_lab(const struct bench_job *job)
{
    size_t largest = 0;
    for (int i = 0; i < job->sweep->count; i++) {
        const struct sweep_case *c = &job->sweep->cases[i];
        if (c->filter->is_lab)
            largest = MAX(largest, bench_timer_lab_bytes(backend_device(job->backend), c->filter,
                                                         &c->settings.params));
    }
    return largest;
}

static bool has_picture(const struct bench_job *job)
{
    return job->picture.width > 0;
}

size_t bench_needs_device_bytes(const struct bench_job *job)
{
    const struct device *device = backend_device(job->backend);
    return largest_lab(job) +
           (has_picture(job) ? bench_timer_bytes(device, job->picture, bench_needs_workspace(job))
                             : 0);
}

size_t bench_needs_host_bytes(const struct bench_job *job)
{
    return has_picture(job) ? planes_bytes(job->picture) * (job->with_host ? 3 : 2) : 0;
}
