#include "screen/baseline.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "filter/launch.h"
#include "measure/figures.h"

struct baseline baseline_pin(const struct baseline_subject *subject, struct stats_summary ms)
{
    const struct choice *c = &subject->choice;
    struct baseline b = {.ms = ms};
    g_strlcpy(b.filter, c->filter->name, sizeof b.filter);
    g_strlcpy(b.variant, c->variant->name, sizeof b.variant);
    text_copy(b.params, sizeof b.params, filter_write_params(c->filter, &c->settings.params).text);
    g_strlcpy(b.block, launch_write_block(c->variant, &c->settings).text, sizeof b.block);
    if (c->settings.is_unrolled && choice_can_unroll(c))
        g_strlcat(b.block, " unrolled", sizeof b.block);
    const struct planes p = arrays_picture(c->filter, subject->picture);
    if (p.width)
        g_snprintf(b.size, sizeof b.size, "%d×%d %s", p.width, p.height,
                   p.count == 1 ? "grey" : "colour");
    g_strlcpy(b.device, subject->device->name, sizeof b.device);
    return b;
}

void baseline_write_name(const struct baseline *b, char *text, size_t size)
{
    g_snprintf(text, size, "%s %s", b->filter, b->variant);
    text_join(text, size, " · ", "%s", b->params);
    text_join(text, size, " · ", "%s", b->block);
}

void baseline_write_differences(const struct baseline *b, const struct baseline_subject *subject,
                                char *text, size_t size)
{
    const struct baseline now = baseline_pin(subject, b->ms);
    const struct {
        const char *what, *was, *is;
    } parts[] = {{"filter", b->filter, now.filter},
                 {"params", b->params, now.params},
                 {"size", b->size, now.size},
                 {"device", b->device, now.device}};
    text[0] = '\0';
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (strcmp(parts[i].was, parts[i].is) != 0)
            text_join(text, size, ", ", "%s", parts[i].what);
}

bool baseline_write_change(const struct baseline *b, const struct baseline_subject *subject,
                           struct stats_summary ms, char *text, size_t size)
{
    char differences[64];
    text[0] = '\0';
    if (!b || !b->ms.count || ms.median <= 0) return true;
    baseline_write_differences(b, subject, differences, sizeof differences);
    if (*differences) return true;
    const enum figures_order order = figures_compare(b->ms, ms);
    const double percent = 100 * (ms.median / b->ms.median - 1);
    if (order == FIGURES_EQUAL || order == FIGURES_UNCLEAR)
        g_strlcpy(text, order == FIGURES_EQUAL ? "±0 %" : "unclear", size);
    else
        g_snprintf(text, size, "%s%s %%", percent > 0 ? "+" : "−",
                   number_three(fabs(percent)).text);
    return order != FIGURES_UNCLEAR;
}
