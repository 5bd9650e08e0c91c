#include "frame/prediction.h"

#include <math.h>

#include "filter/launch.h"

// How close a known launch is: 0, one of another variant, or one of the same, whose block is odd,
// the default one or the same, unrolled alike or not.
enum { FAR, COUSIN, USUAL_COUSIN, SIBLING, USUAL_SIBLING = SIBLING + 2 };

static int closeness(const struct prediction_cost *c, const struct choice *to)
{
    const struct settings *a = &c->point.settings, *b = &to->settings;
    if (c->point.filter != to->filter || c->ms <= 0) return FAR;
    if (!c->point.variant != !to->variant) return FAR;  // a copy is no launch
    const bool is_same = a->block_width == b->block_width && a->block_height == b->block_height;
    const int block = is_same ? 2 : !a->block_width && !a->block_height;
    if (c->point.variant != to->variant) return block ? USUAL_COUSIN : COUSIN;
    return SIBLING + 2 * block + (a->is_unrolled == b->is_unrolled);
}

static int closest(const GList *costs, const struct choice *to)
{
    int best = FAR;
    for (const GList *l = costs; l; l = l->next) best = MAX(best, closeness(l->data, to));
    return best;
}

// What one more tap costs among launches in one block: the slope from the known settings with the
// fewest taps to those with the most. Costs are concave over taps (linear with an overhead, by the
// window's side, or constant), so beyond the known ones this is rather too much than too little. It
// is never more than in proportion.
static double slope_of(const GList *costs, const struct choice *to, int close)
{
    const struct prediction_cost *least = NULL, *most = NULL;
    for (const GList *l = costs; l; l = l->next) {
        const struct prediction_cost *c = l->data;
        if (closeness(c, to) != close) continue;
        if (!least || c->work < least->work) least = c;
        if (!most || c->work > most->work) most = c;
    }
    const double at_most = most->ms / most->work;
    if (least->work == most->work) return at_most;
    return CLAMP((most->ms - least->ms) / (most->work - least->work), 0, at_most);
}

// From launches of another radius.
static double predict_by_taps(const GList *costs, const struct choice *to, int close)
{
    const bool is_one_block = close >= USUAL_SIBLING;
    const double taps = launch_work(to->filter, &to->settings);
    const double slope = is_one_block ? slope_of(costs, to, close) : 0;
    double ms = 0;
    for (const GList *l = costs; l; l = l->next) {
        const struct prediction_cost *c = l->data;
        if (closeness(c, to) != close) continue;
        ms = fmax(ms, is_one_block ? c->ms + slope * (taps - c->work) : c->ms * taps / c->work);
    }
    return ms;
}

// Of two launches with equal work, the slower one tells.
static bool is_nearer(const struct prediction_cost *c, const struct prediction_cost *than,
                      double work)
{
    if (!than) return true;
    const double far = fabs(c->work - work), old = fabs(than->work - work);
    return far < old || (far == old && c->ms > than->ms);
}

// From launches of other numbers of elements. While few elements keep a device partly idle, more of
// them cost nothing; after that, time grows in proportion. So a slope between known ones would
// promise too little, and the nearest one below, in proportion, is at most too much. A known one
// above is no faster.
static double predict_by_ratio(const GList *costs, const struct choice *to, int close)
{
    const double work = launch_work(to->filter, &to->settings);
    const struct prediction_cost *below = NULL, *above = NULL;
    for (const GList *l = costs; l; l = l->next) {
        const struct prediction_cost *c = l->data;
        if (closeness(c, to) != close) continue;
        if (c->work <= work && is_nearer(c, below, work)) below = c;
        if (c->work >= work && is_nearer(c, above, work)) above = c;
    }
    if (!below) return above->ms * work / above->work;
    const double grown = below->ms * work / below->work;
    return above ? fmin(grown, fmax(below->ms, above->ms)) : grown;
}

double prediction_ms(const GList *costs, const struct choice *point)
{
    const struct choice to = choice_normal(point);
    const int close = closest(costs, &to);
    if (close == FAR) return 0;
    const bool has_taps = filter_radius(to.filter) >= 0;
    return (has_taps ? predict_by_taps : predict_by_ratio)(costs, &to, close);
}

bool prediction_has_variant(const GList *costs, const struct choice *point)
{
    const struct choice to = choice_normal(point);
    return closest(costs, &to) >= SIBLING;
}
