// Which curves of a benchmark's plot share a colour, read from the file that is drawn.
#include "unit.h"

#include <glib/gstdio.h>

#include "draw/bench_plot.h"

static const struct device device = {.name = "Test GPU", .driver = "1", .is_gpu = true};

// A row for each case, as if it had been measured.
static struct bench_result result_of(const struct sweep *sweep)
{
    struct bench_result r = {.rows = g_new0(struct bench_row, sweep->count), .count = sweep->count};
    for (int i = 0; i < sweep->count; i++) {
        struct bench_row *row = &r.rows[i];
        *row = bench_row_of(&sweep->cases[i]);
        row->check = CHECK_EXACT;
        row->times[0] = row->times[1] = (struct stats_summary){9, 1 + i, 1 + i, 1 + i};
    }
    return r;
}

static char *draw(const struct sweep_axes *axes)
{
    OWNED(filter_list_finish) struct filter_list filters = {0};
    OWNED(sweep_finish) struct sweep sweep = {.count = 0};
    char *folder = g_dir_make_tmp("tilescope-plot-XXXXXX", NULL), *svg;
    g_autofree char *path = g_build_filename(folder, "a.svg", NULL);
    must(filter_list_load(&filters, TILESCOPE_KERNELS, TILESCOPE_KERNELS, &err));
    must(sweep_build(&sweep, &filters, axes, &err));
    struct bench_result result = result_of(&sweep);
    const struct bench_about about = {.device = &device,
                                      .picture = {.width = 8, .height = 8, .count = 1},
                                      .subject = "n",
                                      .date = "d"};
    must(bench_plot_save(path, &sweep, &result, &about, &err));
    assert_true(g_file_get_contents(path, &svg, NULL, NULL));
    assert_int_equal(g_unlink(path) | g_rmdir(folder), 0);
    g_free(result.rows);
    g_free(folder);
    return svg;
}

// The colours of the lines that are as thick as a curve.
static void collect(const char *svg, GHashTable *plain, GHashTable *dashed)
{
    g_auto(GStrv) lines = g_strsplit(svg, "\n", -1);
    for (int i = 0; lines[i]; i++) {
        // As attributes, or in a style: cairo's versions differ.
        const bool is_thick =
            strstr(lines[i], "stroke-width:2;") || strstr(lines[i], "stroke-width=\"2\"");
        const char *color = strstr(lines[i], "rgb(");
        if (!is_thick || !color) continue;
        GHashTable *const into = strstr(lines[i], "stroke-dasharray") ? dashed : plain;
        g_hash_table_add(into, g_strndup(color, strcspn(color, ")")));
    }
}

TEST(twins_share_a_colour)
{
    static char *const two[] = {(char *)"c=-3..3+3", (char *)"radius=1,2", NULL};
    static const struct {
        struct sweep_axes axes;
        guint plain, dashed;
    } rows[] = {
        {{.radius = "1,4", .variant = "naive,texture,shared,separable,running", .unroll = "both"},
         5,
         5},
        {{.radius = "1,4", .unroll = "off", .variant = "naive,shared"}, 2, 0},
        {{.filter = "threshold", .variant = "naive", .params = two}, 2, 0},  // over c
        {{.filter = "mean,gaussian", .radius = "1,4", .variant = "naive,shared"}, 4, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GHashTable) plain = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        g_autoptr(GHashTable) dashed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        g_autofree char *svg = draw(&rows[i].axes);
        collect(svg, plain, dashed);
        assert_int_equal(g_hash_table_size(plain), rows[i].plain);
        assert_int_equal(g_hash_table_size(dashed), rows[i].dashed);
        GHashTableIter each;
        gpointer color;
        g_hash_table_iter_init(&each, dashed);
        while (g_hash_table_iter_next(&each, &color, NULL))
            assert_true(g_hash_table_contains(plain, color));
    }
}
