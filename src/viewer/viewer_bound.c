// viewer_bound.c -- what bounds a kernel: its counts, and words about these and its time.
#include <string.h>

#include "base/text.h"
#include "lens/model.h"
#include "lens/bound.h"
#include "measure/figures.h"
#include "viewer/viewer.h"

static double bytes_of_time(const struct pane_times *t)
{
    return figures_bytes(&t->choice, t->picture);
}

struct bound_counts viewer_count_as_timed(const struct pane_facts *f,
                                          const struct pane_times *timed,
                                          struct bound_counts counts)
{
    const double bytes = figures_bytes(&f->choice, f->picture);
    if (!timed->is_recorded || !counts.is_known) return counts;
    const bool has_params = !memcmp(&timed->choice.settings.params, &f->choice.settings.params,
                                    sizeof f->choice.settings.params);
    if (!has_params || bytes <= 0) return (struct bound_counts){.is_known = false};
    const double ratio = bytes_of_time(timed) / bytes;
    counts.sectors *= ratio;
    counts.wavefronts *= ratio;
    counts.requests *= ratio;
    counts.l1_clocks *= ratio;
    return counts;
}

void viewer_write_bound(struct viewer *v, int side)
{
    const struct pane_facts *f = viewer_facts(v, side);
    const struct viewer_lens_side *lens = &v->lens.sides[side];
    const struct choice shown = viewer_choice(v, side);
    struct overlay_side *words = &v->screen.content.sides[side];
    struct bound_counts counts = {0};
    words->bound[0] = '\0';
    if (!f->is_current || f->is_refused || !f->device) return;
    if (lens->result && !lens->is_stale)
        counts = lens->result->launch;
    else if (lens->counted)
        counts = lens->counted->launch;
    else if (side == v->app.side)
        counts = v->lens.variants.counts[shown.variant - shown.filter->variants];
    const struct device *device = f->has_gpu_times ? f->timed.device : f->device;
    const struct bound b =
        bound_find(&(struct bound_facts){.device = device,
                                         .ms = f->known.is_settled ? f->known.ms.median : 0,
                                         .copy_ms = f->copy_ms,
                                         .bytes = bytes_of_time(&f->timed),
                                         .counts = viewer_count_as_timed(f, &f->timed, counts),
                                         .foreign_rules = model_foreign_rules(device)});
    bound_write(&b, words->bound, sizeof words->bound);
    if (b.by == BOUND_NEITHER && v->source.loops[side] && *v->source.loops[side])
        text_append(words->bound, sizeof words->bound, " · %s", v->source.loops[side]);
}
