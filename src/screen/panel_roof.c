// panel_roof.c -- the roofline: each variant as a point, by what it moves and how fast it is.
//
//     GB/s that are needed
//        │- - - - - - - - - - - device copy       no point is above it
//        │ ○ naive      ╲
//        │      □ shared  ╲ if no cache helped     what moves twice as much has half the rate
//        └───────────────────
//         1    2    4    8   × the minimum of memory traffic (bound.h)
//
// A point between the two lines lives on the caches; one below both is not bound by memory. Where a
// variant uses shared memory, a bar goes up from its point to what its wavefronts leave, or to the
// copy.
#include <glib.h>
#include <math.h>
#include <string.h>

#include "lens/model.h"
#include "lens/bound.h"
#include "measure/figures.h"
#include "screen/panel_model_parts.h"

enum { SLOPE_POINTS = 2, MAX_XS = 24 };

// Variants whose points are known and wanted, and the words about the present one.
struct progress {
    int known, wanted;
    char evidence[192];
};

// The GB/s of the bytes that a choice needs, moved in that time.
static double rate_of(const struct panel_model_facts *f, const struct choice *timed, double ms)
{
    return figures_gb_per_s(ms, timed, f->picture);
}

static void fill_point(struct panel_model *p, const struct results *s, int variant,
                       struct progress *progress)
{
    struct panel_model_sweep *roof = &p->sweep;
    struct plot_curve *curve = &roof->curve[variant];
    const struct panel_point *point = &panel_model_points(p, OVERLAY_BARS)[variant];
    const struct variant *of = point->choice.variant;
    const struct result *r = &point->result;
    const double ms = r->ms.count ? r->ms.median : 0;
    const struct panel_model_facts *f = &p->facts;
    const struct choice timed = results_timed(s, &f->choice);
    const struct bound_facts facts = {.device = f->device,
                                      .ms = ms,
                                      .copy_ms = results_copy_ms(s, &f->choice),
                                      .bytes = figures_bytes(&timed, f->picture),
                                      .counts = f->lens.counts[variant],
                                      .foreign_rules = model_foreign_rules(f->device)};
    const struct bound b = bound_find(&facts);
    const double shared_ms = bound_shared_ms(&facts);
    curve->style = variant;
    if (r->state == RESULT_REFUSED || p->facts.lens.has_failed[variant]) return;
    progress->wanted++;
    if (facts.ms <= 0 || b.moved <= 0) return;
    progress->known++;
    const bool is_wrong = r->check == CHECK_WRONG;
    struct plot_point *const shown = &roof->points[variant][0];
    *shown = (struct plot_point){.x = panel_model_shown(b.moved),
                                 .y = panel_model_shown(rate_of(&p->facts, &timed, facts.ms)),
                                 .is_wrong = is_wrong};
    if (shared_ms > 0) {
        shown->lower = shown->y;
        shown->upper = panel_model_shown(
            rate_of(&p->facts, &timed, CLAMP(shared_ms, fmin(facts.copy_ms, facts.ms), facts.ms)));
    }
    curve->points = shown;
    curve->count = 1;
    curve->is_emphasised = of == p->facts.choice.variant;
    g_snprintf(curve->label, sizeof curve->label, "%s%s", of->name, is_wrong ? ", wrong" : "");
    if (curve->is_emphasised)
        bound_write_evidence(&b, progress->evidence, sizeof progress->evidence);
}

// Says which params of a recorded time have other values than the shown ones. Counts are those of
// what is shown; nothing follows from them for arrays of another size. False: all are the same.
static bool write_other_size(char *text, size_t size, const struct choice *shown,
                             const struct choice *timed)
{
    const struct param_values *const one = &shown->settings.params, *const two =
                                                                        &timed->settings.params;
    char here[128] = "", there[128] = "";
    filter_add_changed(here, sizeof here, shown->filter, one, two, "");
    filter_add_changed(there, sizeof there, shown->filter, two, one, "");
    if (*here)
        g_snprintf(text, size,
                   "no roofline at %s: the recorded times are of %s. Set that size to see it.",
                   here, there);
    return *here != '\0';
}

static void write_caption(struct panel_model *p, const struct choice *timed,
                          const struct progress *progress)
{
    struct panel_model_sweep *const roof = &p->sweep;
    const bool is_other = !progress->known && write_other_size(roof->caption, sizeof roof->caption,
                                                               &p->facts.choice, timed);
    if (is_other)
        g_snprintf(roof->title, sizeof roof->title, "%s: roofline", p->facts.choice.filter->title);
    else if (progress->known < progress->wanted)
        g_snprintf(roof->caption, sizeof roof->caption, "measuring and counting, %d of %d",
                   progress->known, progress->wanted);
    else if (!p->facts.device->is_gpu)
        g_strlcpy(roof->caption, "emulated: no ceilings, and only × needed is a GPU's",
                  sizeof roof->caption);
    else
        g_strlcpy(roof->caption, progress->evidence, sizeof roof->caption);
}

void panel_model_fill_roof(struct panel_model *p, const struct results *s)
{
    struct panel_model_sweep *roof = &p->sweep;
    struct progress progress = {.known = 0};
    const int variants = p->facts.choice.filter->variant_count;
    memset(roof, 0, sizeof *roof);
    for (int i = 0; i < variants; i++) fill_point(p, s, i, &progress);
    // The axis shows the doublings of x around all points, and quarters of them if they are few.
    double most = 2, least = 1;
    for (int i = 0; i < variants; i++) {
        if (!roof->curve[i].count) continue;
        most = fmax(most, roof->points[i][0].x);
        least = fmin(least, roof->points[i][0].x);
    }
    const int first = (int)floor(log2(least)), last = (int)ceil(log2(most));
    const int parts = last - first <= 2 ? 4 : 1;
    int count = 0;
    for (int i = first * parts; i <= last * parts && count < MAX_XS; i++) {
        const int power = (int)floor((double)i / parts);
        roof->xs[count++] = exp2(power) * (1 + (double)(i - power * parts) / parts);
    }
    roof->curves = (struct plot_curves){.x_label = "× minimum",
                                        .y_label = device_has_gpu_times(p->facts.device)
                                                       ? "GB/s that are needed"
                                                       : "needed GB/s on this CPU",
                                        .curves = roof->curve,
                                        .count = variants,
                                        .floor_label = roof->floor_label,
                                        .floor_short = roof->floor_short,
                                        .xs = roof->xs,
                                        .x_count = count};
    g_autofree char *where = panel_model_where(p, s);
    // Both lines begin at the minimum of traffic and go to the right.
    const struct choice timed = results_timed(s, &p->facts.choice);
    const double ceiling = rate_of(&p->facts, &timed, results_copy_ms(s, &p->facts.choice));
    const double end = roof->xs[count - 1];
    if (p->facts.device->is_gpu && ceiling > 0) {
        roof->curves.floor = panel_model_shown(ceiling);
        roof->floors[0] = (struct plot_point){.x = 1, .y = panel_model_shown(ceiling)};
        roof->floors[1] = (struct plot_point){.x = end, .y = panel_model_shown(ceiling / end)};
        roof->curves.floors = roof->floors;
        roof->curves.floor_count = SLOPE_POINTS;
        g_snprintf(roof->floor_short, sizeof roof->floor_short, "device copy %.4g GB/s",
                   roof->curves.floor);
        g_snprintf(roof->floor_label, sizeof roof->floor_label, "%s; sloping: if no cache helped",
                   roof->floor_short);
    }
    g_snprintf(roof->title, sizeof roof->title, "%s: GB/s over memory traffic%s",
               p->facts.choice.filter->title, where);
    write_caption(p, &timed, &progress);
    roof->plot = (struct plot){.title = roof->title,
                               .caption = roof->caption,
                               .curves = progress.known ? &roof->curves : NULL,
                               .is_compact = true};
}
