// The pinned result: its name, what it compares with, and what counts as a change.
#include "unit.h"

#include "device/backend.h"
#include "screen/baseline.h"

struct world {
    struct filter mean;
    struct device device;
    struct baseline_subject subject;
};

static int set_up(void **state)
{
    struct world *w = g_new0(struct world, 1);
    if (!filter_parse(&w->mean, "mean.cu",
                      "//! filter \"Mean\"\n//! param radius 3 [0, 64]\n"
                      "//! variant naive 32x8\n__global__ void a() {}\n//! variant shared "
                      "16x16\n__global__ void b() {}\n",
                      NULL, &err))
        fail_msg("%s", err.text);
    g_strlcpy(w->device.name, "NVIDIA H200", sizeof w->device.name);
    w->subject = (struct baseline_subject){
        .choice = {&w->mean, &w->mean.variants[0], {.params = filter_defaults(&w->mean)}},
        .picture = planes_shape(640, 480, 1),
        .device = &w->device};
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    g_autofree struct world *w = *state;
    filter_finish(&w->mean);
    return 0;
}

static struct stats_summary ms_of(double median, double spread)
{
    return (struct stats_summary){31, median, median - spread, median + spread};
}

static void assert_differs(const struct baseline *b, const struct world *w, const char *wanted)
{
    char text[64];
    baseline_write_differences(b, &w->subject, text, sizeof text);
    assert_string_equal(text, wanted);
}

TEST_OF(struct world *w, name, set_up, tear_down)
{
    char text[BASELINE_WORDS];
    w->subject.choice.settings.is_unrolled = true;
    const struct baseline b = baseline_pin(&w->subject, ms_of(1, 0.1));
    baseline_write_name(&b, text, sizeof text);
    assert_string_equal(text, "mean naive · radius 3 · 32×8 unrolled");
}

TEST_OF(struct world *w, what_may_differ, set_up, tear_down)
{
    struct device other = w->device;
    const struct baseline b = baseline_pin(&w->subject, ms_of(1, 0.1));
    struct settings *s = &w->subject.choice.settings;
    assert_differs(&b, w, "");
    w->subject.choice.variant = &w->mean.variants[1];
    s->block_width = s->block_height = 8;
    s->is_unrolled = true;
    assert_differs(&b, w, "");
    s->params.v[0] = 4;
    assert_differs(&b, w, "params");
    w->subject.picture = planes_shape(640, 480, 3);
    g_strlcpy(other.name, "NVIDIA H100", sizeof other.name);
    w->subject.device = &other;
    assert_differs(&b, w, "params, size, device");
}

TEST_OF(struct world *w, changes, set_up, tear_down)
{
    const struct baseline b = baseline_pin(&w->subject, ms_of(1, 0.1));
    static const struct {
        double ms, spread;
        const char *text;
    } rows[] = {{1, 0.1, "±0 %"},      {1.15, 0.1, "unclear"}, {2.5, 1.5, "unclear"},
                {0.8, 0.2, "unclear"}, {2.5, 0.1, "+150 %"},   {1.5, 0.1, "+50.0 %"},
                {0.5, 0.1, "−50.0 %"}, {12, 0.1, "+1100 %"}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char text[32];
        assert_int_equal(baseline_write_change(&b, &w->subject, ms_of(rows[i].ms, rows[i].spread),
                                               text, sizeof text),
                         strcmp(rows[i].text, "unclear") != 0);
        assert_string_equal(text, rows[i].text);
    }
    // What cannot be compared is not called clear.
    const struct baseline none = {.ms.count = 0};
    char text[32] = "old";
    assert_true(baseline_write_change(NULL, &w->subject, ms_of(1, 0.1), text, sizeof text));
    assert_string_equal(text, "");
    assert_true(baseline_write_change(&none, &w->subject, ms_of(1, 0.1), text, sizeof text));
    assert_true(
        baseline_write_change(&b, &w->subject, (struct stats_summary){0}, text, sizeof text));
    w->subject.choice.settings.params.v[0] = 4;
    assert_true(baseline_write_change(&b, &w->subject, ms_of(5, 0.1), text, sizeof text));
    assert_string_equal(text, "");
}
