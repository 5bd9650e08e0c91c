// Blocks that do the same in another place are told from those that do not, and counts of whole
// launches are those of all their blocks, each counted by itself.
#include "unit.h"

#include "bench.h"
#include "filter/axis.h"
#include "lens/alike.h"

enum { A = 1 << 20, B = 2 << 20, EVENTS = 3 };

static const struct lens_memory memory[] = {
    {.name = "a", .address = A, .bytes = 4096, .element_bytes = 4},
    {.name = "b", .address = B, .bytes = 4096, .element_bytes = 4}};

// Of a block of two threads, each of which loads a word of a, stores one of b and loads one of its
// block's memory.
struct accesses {
    unsigned long long a, b, shared;
    size_t count;  // of the second thread's events
    unsigned int site;
};

static bool find(struct accesses w, struct alike *found)
{
    const struct trace_event first[EVENTS] = {
        {.address = A, .site = 1, .kind = TRACE_LOAD, .bytes = 4},
        {.address = B + w.b, .site = 2, .kind = TRACE_STORE, .bytes = 4},
        {.address = 0, .site = 3, .kind = TRACE_LOAD, .space = TRACE_SHARED, .bytes = 4}};
    struct trace_event second[EVENTS];
    memcpy(second, first, sizeof first);
    second[0].address = A + w.a;
    second[1].site += w.site;
    second[2].address = w.shared;
    const struct trace_thread threads[] = {{first, EVENTS}, {second, w.count}};
    const struct trace_block block = {
        .width = 2, .height = 1, .threads = threads, .shared_bytes = 256};
    return alike_find(&block, memory, G_N_ELEMENTS(memory), found);
}

TEST(only_shifts_of_128_bytes_are_alike)
{
    static const struct {
        struct accesses words;
        bool is_alike;
    } rows[] = {
        {{4, 0, 4, EVENTS, 0}, true},      {{4, 128, 4, EVENTS, 0}, true},
        {{4, 1024, 4, EVENTS, 0}, true},   {{4, 64, 4, EVENTS, 0}, false},
        {{4, 4, 4, EVENTS, 0}, false},     {{132, 0, 4, EVENTS, 0}, false},
        {{0, 0, 4, EVENTS, 0}, false},     {{4, 0, 132, EVENTS, 0}, false},
        {{4, 0, 4, EVENTS - 1, 0}, false}, {{4, 0, 4, EVENTS, 1}, false},
        {{B - A, 0, 4, EVENTS, 0}, false},
    };
    struct alike first, other;
    assert_true(find(rows[0].words, &first));
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_true(find(rows[i].words, &other));
        if ((first.low == other.low && first.high == other.high) != rows[i].is_alike)
            fail_msg("row %zu", i);
    }
}

TEST(blocks_that_go_outside_are_looked_at_by_themselves)
{
    struct alike found;
    assert_true(find((struct accesses){4092, 4092, 252, EVENTS, 0}, &found));
    assert_false(find((struct accesses){4094, 0, 4, EVENTS, 0}, &found));
    assert_false(find((struct accesses){4096, 0, 4, EVENTS, 0}, &found));
    assert_false(find((struct accesses){4, 4096, 4, EVENTS, 0}, &found));
    assert_false(find((struct accesses){4, 0, 256, EVENTS, 0}, &found));
}

// ---- whole launches ----

// Where sectors are counted, each block is counted by itself.
static void compare(struct bench *b, const struct tracing_request *request, const char *size)
{
    struct tracing_request r = *request;
    struct error err_of_each = {""};
    const char *const name = r.choice.variant->name;
    r.picture = b->picture.planes;
    r.picture_version = b->picture_version;
    r.multiprocessors = 4;
    err.text[0] = '\0';
    struct lens_result *const quick = tracing_run(b->tracing, &r, &b->watch, &err);
    r.has_sectors = true;
    struct lens_result *const each = tracing_run(b->tracing, &r, &b->watch, &err_of_each);
    assert_string_equal(err.text, err_of_each.text);
    for (int i = 0; quick && i < quick->pass_count; i++) {
        const struct lens_pass *const one = &quick->passes[i], *const other = &each->passes[i];
        assert_non_null(each->sharing);
        if (memcmp(one->counts, other->counts, sizeof one->counts) ||
            one->race_count != other->race_count || one->outside_count != other->outside_count ||
            one->line_count != other->line_count)
            fail_msg("%s %s of size %s: pass %d", r.choice.filter->name, name, size, i);
        for (int k = 0; k < one->line_count; k++)
            assert_memory_equal(&one->lines[k].counts, &other->lines[k].counts,
                                sizeof one->lines[k].counts);
    }
    lens_result_free(quick);
    lens_result_free(each);
}

static void compare_variants(struct bench *b, const struct filter *f,
                             const struct param_values *params, const char *size)
{
    for (int i = 0; i < f->variant_count; i++) {
        if (!strcmp(f->variants[i].name, "look_back")) continue;  // waits as long as it must
        const struct tracing_request r = {
            .is_whole = true,
            .choice = {.filter = f, .variant = &f->variants[i], .settings.params = *params}};
        compare(b, &r, size);
    }
}

// Histograms are among them, whose addresses follow from data.
TEST_OF(struct bench *b, counts_of_all_kernels_are_those_of_each_block, NULL, NULL)
{
    static const int sizes[][2] = {{203, 61}, {256, 64}};
    for (int i = 0; i < b->filters.count; i++) {
        const struct filter *const f = &b->filters.filters[i];
        const int axis = axis_find(f, NULL);
        struct param_values params = filter_defaults(f);
        for (int k = 0; k < 2; k++) {
            g_autofree char *size = g_strdup_printf("%d", sizes[k][0]);
            if (filter_has_picture(f)) {
                bench_make_picture(b, sizes[k][0], sizes[k][1], 1);
            } else if (axis >= 0) {
                const double most = MIN(filter_defaults(f).v[axis], 32768);
                params.v[axis] = k ? (int)(most / 2) : (int)(most / 4) + 3;
            }
            compare_variants(b, f, &params, size);
        }
    }
}

SUITE("alike", bench_set_up, bench_tear_down)
