#include "overlay_samples.h"

struct overlay_content sample_content(void)
{
    struct overlay_content c = {.scale = 1,
                                .sides = {{.is_settled = true, .badge = OVERLAY_BADGE_GOOD}}};
    SET(c.sides[0].title, "Mean · shared · radius 5 · block 32×8 · unroll off");
    SET(c.device, "NVIDIA H200");
    SET(c.sides[0].time, "0.412 ms");
    SET(c.sides[0].spread, "0.409–0.418 ms");
    SET(c.sides[0].speed, "155 Gpix/s   74 % of copy   3.4× naive");
    SET(c.sides[0].badge_text, "exact");
    SET(c.sides[0].detail, "310 GB/s · occupancy 75 % (registers) · 40 registers · 3.4 KB shared");
    SET(c.status, "interop: PBO mapped, zero copy · 16.7 ms a frame · vsync on");
    SET(c.hint, "h  help");
    return c;
}

struct overlay_content sample_pair(void)
{
    struct overlay_content c = sample_content();
    c.is_comparing = true;
    c.sides[1] = c.sides[0];
    SET(c.sides[1].title, "Gaussian · separable · radius 15 · sigma 2.50 · block 128×8");
    SET(c.sides[1].time, "0.0412 ms");
    SET(c.pair.difference, "max |A − B| = 12   3.40 % of pixels");
    SET(c.pair.ratio, "B 10.0× as fast as A");
    c.pair.active = 1;
    c.pair.divider = 300;
    return c;
}

static const char *const variant_names[] = {"naive", "texture", "shared", "separable", "running"};

static const int block_widths[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024};
static const int block_heights[] = {1, 2, 4, 8, 16, 32, 64};

static bool is_refused_cell(int cell)
{
    return block_widths[cell % 9] * block_heights[cell / 9] > 1024;
}

static void fill_bars(struct bars *bars)
{
    SET(bars->title, "Variants at radius 5, ms a launch");
    bars->count = VARIANTS + 1;
    for (int i = 0; i < VARIANTS; i++) {
        bars->rows[i] = (struct bar){.ms = 1.6 / (i + 1), .state = BARS_DONE, .over_naive = i + 1};
        snprintf(bars->rows[i].key, sizeof bars->rows[i].key, "%d", i + 1);
        SET(bars->rows[i].name, variant_names[i]);
        SET(bars->rows[i].block, "32×8");
    }
    bars->rows[PRESENT].is_present = true;
    bars->rows[VARIANTS].state = BARS_REFUSED;
    SET(bars->rows[VARIANTS].name, "fast");
    SET(bars->rows[VARIANTS].reason, "needs a block width that is a multiple of 32, not 8");
}

void sample_fill_panels(struct sample_panels *p)
{
    *p = (struct sample_panels){.grid = "block 1, 2 of 60×135\nthreads\t32×8 = 256\nidle\tnone"};
    fill_bars(&p->bars);
    for (int i = 0; i < VARIANTS; i++) {
        SET(p->list[i].label, variant_names[i]);
        p->list[i].points = p->points[i];
        p->list[i].count = RADII;
        p->list[i].style = i;
        p->list[i].is_emphasised = i == PRESENT;
        for (int k = 0; k < RADII; k++)
            p->points[i][k] = (struct plot_point){1 << k, 0.1 * (1 << k) / (i + 1), 0, 0, false};
    }
    for (int k = 0; k < RADII; k++) p->xs[k] = 1 << k;
    p->curves = (struct plot_curves){.x_label = "radius",
                                     .y_label = "ms",
                                     .curves = p->list,
                                     .count = VARIANTS,
                                     .floor = 0.01,
                                     .floor_label = "device copy 0.0100",
                                     .xs = p->xs,
                                     .x_count = RADII,
                                     .has_crossings = true,
                                     .has_mark = true,
                                     .mark_x = 8};
    p->sweep = (struct plot){.title = "Mean: ms over radius",
                             .caption = "measuring",
                             .curves = &p->curves,
                             .is_compact = true};
    for (int i = 0; i < CELLS; i++) p->cells[i] = is_refused_cell(i) ? PLOT_REFUSED : 1 + i * 0.01;
    p->cells[BEST_CELL] = 0.5;
    p->marks = (struct plot_marks){NOW_CELL, -1, ""};
    p->map = (struct plot_heat){.widths = block_widths,
                                .heights = block_heights,
                                .columns = 9,
                                .rows = 7,
                                .cells = p->cells,
                                .marks = &p->marks};
    p->heat = (struct plot){.title = "shared, radius 5: ms over block",
                            .caption = "best 0.500",
                            .heats = &p->map,
                            .heat_count = 1,
                            .is_compact = true};
}

void sample_use_long_words(struct overlay_content *c, struct sample_panels *p)
{
    SET(c->device, "Intel(R) Xeon(R) Processor, threads 1");
    SET(c->status, "interop: PBO mapped, zero copy · 16.7 ms a frame · vsync on · shore.png 1");
    SET(c->hint, "h  help 1");
    for (int side = 0; side <= c->is_comparing; side++) {
        struct overlay_side *s = &c->sides[side];
        SET(s->title,
            c->is_comparing
                ? "Gaussian · separable · radius 15 · sigma 2.50 · block 128×1"
                : "Gaussian · separable · radius 15 · sigma 2.50 · block 128×8 · unroll 1");
        SET(s->time, "0.0412 ms 1");
        SET(s->spread, "0.0409–0.0411");
        SET(s->speed, "155 Gpix/s   74.1 % of copy   3.41× naive 32×1");
        SET(s->badge_text, "exact 1");
        SET(s->detail, "310 GB/s · occupancy 75 % (registers) · 40 registers · 3.41 KB shared, 1");
    }
    SET(c->pair.difference, "max |A − B| = 12   3.40 % of pixels 1");
    SET(c->pair.ratio, "B 10.0× as fast as A, but wrong 1");
    SET(p->bars.title, "Variants at radius 15 · sigma 2.50, ms a launch 1");
    SET(p->bars.naive_block, "128×1");
    p->sweep.caption = "radius 15: separable fastest, 0.0411";
    p->sweep.title = "Gaussian blur: ms over radius 1";
    p->heat.title = "separable, radius 15: ms over block 1";
    p->heat.caption = "best 0.0412 at 1024×1";
    SET(p->grid, "block 12, 21 of 60×135\nthreads\t128×8 = 1024\ntile\t158×38 = 6004 bytes\nhalo\t"
                 "81 % of it\nidle\tnone\nreads a pixel\t5.86 instead of 961, 1");
}

void sample_open_panels(struct overlay_content *c, const struct sample_panels *p, unsigned open)
{
    c->panels.grid = open & 1u << OVERLAY_GRID ? p->grid : NULL;
    c->panels.bars = open & 1u << OVERLAY_BARS ? &p->bars : NULL;
    c->panels.sweep = open & 1u << OVERLAY_SWEEP ? &p->sweep : NULL;
    c->panels.heat = open & 1u << OVERLAY_HEAT ? &p->heat : NULL;
}
