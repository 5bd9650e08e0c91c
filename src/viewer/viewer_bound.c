// viewer_bound.c -- the line that says what bounds each side's kernel: from its times, and from
// what the lens or the roofline has had counted.
#include "lens/model.h"
#include "measure/bound.h"
#include "measure/figures.h"
#include "viewer/viewer.h"

// A block that was traced for the side, or the present variant's for the roofline.
static struct bound_counts counts_of(const struct viewer *v, int side)
{
    const struct choice shown = viewer_choice(v, side);
    if (v->lens.sides[side].result && !v->lens.sides[side].is_stale)
        return v->lens.sides[side].result->launch;
    if (side != v->app.side) return (struct bound_counts){0};
    return v->lens.counts[shown.variant - shown.filter->variants];
}

void viewer_write_bound(struct viewer *v, int side)
{
    const struct pane_facts *f = viewer_facts(v, side);
    struct overlay_side *words = &v->screen.content.sides[side];
    words->bound[0] = '\0';
    if (!f->is_current || f->is_refused || !f->device) return;
    const struct bound b =
        bound_find(&(struct bound_facts){.device = f->device,
                                         .ms = f->known.is_settled ? f->known.ms.median : 0,
                                         .copy_ms = f->copy_ms,
                                         .bytes = figures_bytes(&f->choice, f->picture),
                                         .counts = counts_of(v, side),
                                         .foreign_rules = model_foreign_rules(f->device)});
    bound_write(&b, words->bound, sizeof words->bound);
}
