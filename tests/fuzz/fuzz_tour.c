// Tours, played to their end with a clock of their own.
#include "kernels.h"
#include "tour/tour_play.h"

static struct tour_value find_figure(void *user, const struct tour_figure *figure)
{
    struct tour_value v = {.known = (enum tour_known)(figure->kind % 3),
                           .number = *figure->variant,
                           .low = *figure->variant - figure->kind,
                           .high = *figure->variant + figure->kind,
                           .is_wrong = figure->kind == TOUR_COPY};
    (void)user;
    g_snprintf(v.text, sizeof v.text, "%d%s%s", (int)figure->kind, figure->variant, figure->other);
    g_snprintf(v.why, sizeof v.why, "%s", figure->variant);
    return v;
}

static void look(const struct tour_play *p)
{
    struct tour_figure figures[16];
    const char *caption = tour_play_caption(p);
    g_free(tour_figure_fill(caption ? caption : "", find_figure, NULL));
    for (int i = -1; (i = tour_play_next_claim(p, i)) >= 0;) {
        const struct claim *c = &p->tour->lines[i].claim;
        const struct claim_finding found = claim_judge(c, find_figure, NULL, i % 2);
        g_free(claim_write(c, &found, find_figure, NULL));
    }
    assert(tour_play_figures(p, figures, G_N_ELEMENTS(figures)) <= (int)G_N_ELEMENTS(figures));
    assert(tour_play_step(p) < p->tour->step_count);
}

static void play(const struct tour *tour)
{
    struct tour_play p = {.tour = tour};
    for (int i = 0; i < 300 && !tour_play_is_over(&p); i++) {
        tour_play_turn(&p, i * 0.3, i % 5 == 0, i % 3 == 0);
        if (i % 5 == 0) tour_play_go_on(&p);
        if (i == 50 && !tour_play_is_over(&p)) tour_play_hurry(&p, tour->step_count - 1);
        look(&p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tour tour = {0};
    struct error err = {""};
    g_autofree char *text = fuzz_text(data, size);
    if (tour_parse(&tour, "x.tour", text, kernels(), &err)) {
        play(&tour);
        tour_finish(&tour);
    } else {
        assert(err.text[0]);
    }
    return 0;
}
