// Tours, played to their end with a clock of their own.
#include "app/tour.h"
#include "kernels.h"

static bool write_figure(void *user, const struct tour_figure *figure, char *text, size_t size)
{
    (void)user;
    g_snprintf(text, (gulong)size, "%d%s%s", (int)figure->kind, figure->variant, figure->other);
    return figure->kind % 2;
}

static void play(const struct tour *tour)
{
    struct tour_play p = {.tour = tour};
    struct tour_figure figures[16];
    for (int i = 0; i < 300 && !tour_is_over(&p); i++) {
        tour_turn(&p, i * 0.3, i % 3 == 0);
        if (i % 5 == 0) tour_go_on(&p);
        if (!p.caption) continue;
        g_free(tour_fill(p.caption, write_figure, NULL));
        tour_figures(p.caption, figures, G_N_ELEMENTS(figures));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tour tour = {0};
    struct error err = {""};
    char *text = fuzz_text(data, size);
    if (tour_parse(&tour, "x.tour", text, kernels(), &err)) {
        play(&tour);
        tour_finish(&tour);
    } else {
        assert(err.text[0]);
    }
    g_free(text);
    return 0;
}
