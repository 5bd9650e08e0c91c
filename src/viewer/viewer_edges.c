// viewer_edges.c -- the job that has edited kernels tried at two awkward sizes, beside the picture.
//
// It begins when such a file is shown and checked, and gives up when the file is edited again. The
// results know what it finds, and so the badge says it.
#include <glib.h>

#include "frame/edges.h"
#include "viewer/viewer.h"

struct edges_job {
    struct work work;
    struct edges *edges;  // that the work runs; NULL: none
    int told;             // how many of its variants are known
    bool has_begun;
};

static void set_state(struct viewer *v, const struct filter *f, enum viewer_edited state)
{
    g_hash_table_insert(v->kernels.edited, g_strdup(f->name), GINT_TO_POINTER(state));
}

static bool is_in_state(const struct viewer *v, const struct filter *f, enum viewer_edited state)
{
    return GPOINTER_TO_INT(g_hash_table_lookup(v->kernels.edited, f->name)) == (int)state;
}

void viewer_note_edited(struct viewer *v, const struct filter_list *before)
{
    for (int i = 0; i < v->kernels.filters.count; i++) {
        const struct filter *f = &v->kernels.filters.filters[i],
                            *was = filter_find(before, f->name);
        if (was && filter_has_same_text(f, was) &&
            !g_hash_table_contains(v->kernels.edited, f->name))
            continue;
        set_state(v, f, EDITED_DUE);
        for (int k = 0; k < f->variant_count; k++) {
            const struct choice any = {.filter = f, .variant = &f->variants[k]};
            results_doubt(v->stage->host.results, &any, NULL);
        }
    }
}

static void tell(struct edges_job *j, struct viewer *v)
{
    const struct filter *f = j->edges->filter;
    for (; j->told < atomic_load(&j->edges->tried); j->told++) {
        const int at = (j->edges->first + j->told) % f->variant_count;
        const struct edges_found *found = &j->edges->found[at];
        const struct choice tried = {f, &f->variants[at], j->edges->settings};
        if (!*found->where) continue;
        results_doubt(v->stage->host.results, &tried, found->where);
        v->screen.needs_words = true;
        if (*found->why) viewer_note(v, found->why);
    }
}

static void begin(struct edges_job *j, struct viewer *v)
{
    for (int side = 0; side < v->now.sides; side++) {
        const struct pane_facts *facts = viewer_facts(v, side);
        if (!facts->is_current || facts->known.check < CHECK_EXACT ||
            !is_in_state(v, facts->choice.filter, EDITED_DUE))
            continue;
        set_state(v, facts->choice.filter, EDITED_TRYING);
        j->edges = edges_create(v->stage->options.include_folder, &facts->choice);
        j->told = 0;
        work_begin(&j->work, "edges", edges_run, j->edges);
        return;
    }
}

static void step(void *job, struct viewer *v)
{
    struct edges_job *j = job;
    if (!j->has_begun && v->kernels.file) set_state(v, &v->kernels.filters.filters[0], EDITED_DUE);
    j->has_begun = true;
    if (j->edges) {
        const bool is_over = work_end(&j->work, false);
        const bool is_wanted = is_in_state(v, j->edges->filter, EDITED_TRYING);
        if (is_wanted)
            tell(j, v);
        else
            atomic_store(&j->edges->stop, true);
        if (is_over && is_wanted) set_state(v, j->edges->filter, EDITED_TRIED);
        if (is_over) g_clear_pointer(&j->edges, edges_destroy);
    }
    if (!j->edges) begin(j, v);
}

static bool is_busy(const void *job)
{
    return ((const struct edges_job *)job)->edges != NULL;
}

static void finish(void *job)
{
    struct edges_job *j = job;
    if (j->edges) atomic_store(&j->edges->stop, true);
    work_end(&j->work, true);
    edges_destroy(j->edges);
}

const struct job_type edges_job = {.size = sizeof(struct edges_job),
                                   .step = {[JOB_SHOWS] = step},
                                   .is_busy = is_busy,
                                   .finish = finish};
