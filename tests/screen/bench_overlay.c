// Prints how long the overlay takes for what happens while somebody watches; judges nothing.
#include <glib.h>
#include <time.h>

#include "overlay_samples.h"

enum { TURNS = 40 };

static struct sample_panels panels;

static void change_theme(struct overlay_content *c, int turn)
{
    c->is_light = turn % 2;
}

static void change_nothing(struct overlay_content *c, int turn)
{
    (void)c, (void)turn;
}

static void change_time(struct overlay_content *c, int turn)
{
    snprintf(c->sides[0].time, sizeof c->sides[0].time, "0.4%02d ms", turn % 100);
}

static void move_divider(struct overlay_content *c, int turn)
{
    c->pair.divider = 500 + 3 * turn;
}

static void change_block(struct overlay_content *c, int turn)
{
    (void)c;
    snprintf(panels.grid, sizeof panels.grid, "block %d, 2 of 60×135\nthreads\t32×8 = 256", turn);
}

static void change_bars(struct overlay_content *c, int turn)
{
    (void)c;
    panels.bars.rows[0].ms = 1 + 0.01 * turn;
}

static void change_all_figures(struct overlay_content *c, int turn)
{
    change_time(c, turn);
    change_bars(c, turn);
    panels.points[0][0].y = 1 + 0.01 * turn;
    panels.cells[0] = 1 + 0.01 * turn;
}

static const struct {
    const char *name;
    void (*change)(struct overlay_content *c, int turn);
} cases[] = {{"nothing", change_nothing},
             {"time", change_time},
             {"divider", move_divider},
             {"block under the cursor", change_block},
             {"bars", change_bars},
             {"all figures", change_all_figures},
             {"theme (everything)", change_theme}};

// Of this thread: what else runs on the machine does not count.
static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void time_case(size_t i, int width, int height)
{
    struct overlay *o = overlay_create();
    struct overlay_content c = sample_pair();
    sample_fill_panels(&panels);
    sample_open_panels(&c, &panels, ALL_PANELS);
    overlay_update(o, &c, width, height);
    double total = 0, area = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        cases[i].change(&c, turn);
        const double start = now_ms();
        overlay_update(o, &c, width, height);
        total += now_ms() - start;
        const struct overlay_pixels p = overlay_pixels(o);
        for (int k = 0; k < p.damage_count; k++)
            area += (double)p.damage[k].width * p.damage[k].height;
    }
    printf("%4d×%-4d  %-24s %8.3f ms  %5.1f %% of the window\n", width, height, cases[i].name,
           total / TURNS, 100 * area / TURNS / width / height);
    overlay_destroy(o);
}

int main(void)
{
    static const int sizes[][2] = {{1280, 720}, {1920, 1080}, {3840, 2160}};
    for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++)
        for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) time_case(i, sizes[s][0], sizes[s][1]);
    return 0;
}
