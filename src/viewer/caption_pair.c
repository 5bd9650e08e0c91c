#include "viewer/caption_pair.h"

#include <glib.h>

#include "base/number.h"
#include "base/text.h"
#include "measure/figures.h"
#include "screen/overlay.h"
#include "viewer/caption.h"

// Equal pixels are then equal results.
static bool is_of_picture(const struct caption_pair *p)
{
    return array_is_picture(&p->sides[0].choice.filter->arrays[0]);
}

// How many: in percent, or, where that is next to nothing, counted. A pixel of a lab may be one of
// its elements, or stand for many.
static void write_share(char *text, size_t size, const struct caption_pair *p)
{
    static const char *const units[2][2] = {{"pixel", "pixels"}, {"sample", "samples"}};
    const long count = p->difference.count;
    const struct planes shape = p->sides[0].picture;
    const double percent = 100 * (double)count / shape.width / shape.height / shape.count;
    const char *const *unit = units[shape.count > 1];
    char figure[32];
    number_three(figure, sizeof figure, percent);
    if (!is_of_picture(p))
        g_snprintf(text, size, "%s %% of the picture", figure);
    else if (percent < 0.1)
        g_snprintf(text, size, "%ld %s", count, unit[count != 1]);
    else
        g_snprintf(text, size, "%s %% of %s", figure, unit[1]);
}

static bool has_same_shape(const struct caption_facts *a, const struct caption_facts *b)
{
    struct arrays_layout layout;
    struct array_place places[2] = {{0}};
    const struct caption_facts *const facts[] = {a, b};
    for (int i = 0; i < 2; i++)
        if (arrays_plan(&layout, &facts[i]->choice, facts[i]->picture, NULL))
            places[i] = layout.places[arrays_shown(facts[i]->choice.filter, facts[i]->array)];
    return places[0].columns == places[1].columns && places[0].rows == places[1].rows;
}

// Greys of a lab's arrays may be the same where their elements are not. One of another shape is
// shown as far as it goes.
static void write_difference(struct overlay_pair *c, const struct caption_pair *p)
{
    char share[64];
    if (!p->is_difference_known) {
        const bool is_refused = p->sides[0].is_refused || p->sides[1].is_refused;
        c->verdict = is_refused ? OVERLAY_BADGE_NONE : OVERLAY_BADGE_PENDING;
        g_strlcpy(c->difference, is_refused ? "not compared" : "comparing", sizeof c->difference);
        return;
    }
    if (!has_same_shape(&p->sides[0], &p->sides[1])) {
        c->verdict = OVERLAY_BADGE_NONE;
        g_strlcpy(c->difference, "different shapes", sizeof c->difference);
        return;
    }
    const bool is_same = !p->difference.count;
    c->verdict = is_same && is_of_picture(p) ? OVERLAY_BADGE_GOOD : OVERLAY_BADGE_NONE;
    g_strlcpy(c->difference, is_of_picture(p) ? "identical" : "the same picture",
              sizeof c->difference);
    if (!p->difference.count) return;
    write_share(share, sizeof share, p);
    g_snprintf(c->difference, sizeof c->difference, "max |A − B| = %d   %s", p->difference.max,
               share);
}

static bool has_settled_time(const struct caption_facts *f)
{
    return f->is_current && f->known.is_settled && f->known.ms.median > 0;
}

// Says nothing where one of them will never have a time.
static void write_ratio(struct overlay_pair *c, const struct caption_pair *p)
{
    const struct caption_facts *a = &p->sides[0], *b = &p->sides[1];
    const bool is_known = has_settled_time(a) && has_settled_time(b);
    c->ratio[0] = '\0';
    c->is_ratio_pending = !a->is_refused && !b->is_refused && !is_known;
    if (c->is_ratio_pending) g_strlcpy(c->ratio, "measuring", sizeof c->ratio);
    if (is_known)
        figures_write_comparison(
            c->ratio, sizeof c->ratio,
            (struct figures_side){"A", a->known.ms, a->known.check == CHECK_WRONG},
            (struct figures_side){"B", b->known.ms, b->known.check == CHECK_WRONG});
}

double caption_pair_gain(const struct caption_pair *p)
{
    return figures_gain(p->is_difference_known ? p->difference.max : 0);
}

static void write_shown(struct overlay_pair *c, const struct caption_pair *p)
{
    const double gain = caption_pair_gain(p);
    g_strlcpy(c->shown, p->is_difference_shown ? "|A − B|" : "", sizeof c->shown);
    if (!p->is_difference_shown || gain <= 1) return;
    char figure[32];
    figures_write_gain(figure, sizeof figure, gain);
    text_append(c->shown, sizeof c->shown, " ×%s", figure);
}

void caption_pair_write(struct overlay_pair *c, const struct caption_pair *p)
{
    write_difference(c, p);
    write_ratio(c, p);
    write_shown(c, p);
}
