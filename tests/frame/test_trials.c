// test_trials -- what is drawn for every filter and lab.
#include "grade/desk.h"
#include "frame/check.h"
#include "frame/trials.h"
#include "grade/wire.h"

#define ON_DESK(name) TEST_OF(struct desk *d, name, NULL, NULL)

ON_DESK(all_fit)
{
    struct trial trials[TRIALS_COUNT];
    struct arrays_layout layout;
    for (int i = 0; i < d->list.count; i++)
        for (unsigned int seed = 0; seed < 50; seed++) {
            const struct filter *f = &d->list.filters[i];
            trials_draw(trials, f, f->variants, seed);
            for (int k = 0; k < TRIALS_COUNT; k++) {
                must(filter_check(f, &trials[k].params, &err));
                assert_int_equal(trials[k].is_counted, k == TRIALS_COUNT - 1);
                if (!filter_has_picture(f)) {
                    assert_true(trial_layout(&trials[k], f, &layout, &err));
                    assert_true(layout.bytes <= WIRE_HALF);
                } else {
                    assert_in_range(trials[k].width, 1, 400);
                    assert_in_range(trials[k].height, 1, 400);
                }
            }
        }
}

TEST(a_seed_repeats)
{
    const struct filter *f = ((struct desk *)*state)->given;
    struct trial one[TRIALS_COUNT], same[TRIALS_COUNT], other[TRIALS_COUNT];
    trials_draw(one, f, f->variants, 5);
    trials_draw(same, f, f->variants, 5);
    trials_draw(other, f, f->variants, 6);
    int changed = 0;
    for (int i = 0; i < TRIALS_COUNT; i++) {
        assert_memory_equal(&one[i].params, &same[i].params, sizeof one[i].params);
        assert_int_equal(one[i].seed, same[i].seed);
        changed += memcmp(&one[i].params, &other[i].params, sizeof one[i].params) != 0;
    }
    assert_true(changed > TRIALS_COUNT / 2);
}

// The smallest of all, a block's edge, and one more and one less.
ON_DESK(edges_are_there)
{
    const struct filter *f = filter_find(&d->list, "sum");
    const struct variant *v = filter_variant(f, "modulo");
    struct trial trials[TRIALS_COUNT];
    const int width = v->passes[v->pass_count - 1].block_width;
    for (unsigned int seed = 0; seed < 20; seed++) {
        trials_draw(trials, f, v, seed);
        assert_int_equal((int)trials[0].params.v[0], 1);
        assert_int_equal((int)trials[2].params.v[0] % width, width - 1);
        assert_int_equal((int)trials[3].params.v[0] % width, 0);
        assert_int_equal((int)trials[4].params.v[0] % width, 1);
    }
}

// An edited kernel meets the end of a block, and all of its result can be compared.
ON_DESK(edits_meet_edges)
{
    struct trial trials[TRIALS_EDGES];
    struct arrays_layout layout;
    char size[64];
    for (int i = 0; i < d->list.count; i++) {
        const struct filter *f = &d->list.filters[i];
        const struct choice choice = {f, f->variants, {.params = filter_defaults(f)}};
        trials_at_edges(trials, &choice);
        for (int k = 0; k < TRIALS_EDGES; k++) {
            const struct choice tried = {f, f->variants, {.params = trials[k].params}};
            must(filter_check(f, &trials[k].params, &err));
            assert_true(arrays_plan(&layout, &tried, trial_picture(&trials[k]), &err));
            for (int a = 0; a < layout.count; a++)
                if (f->arrays[a].has_reference && layout.places[a].count > CHECK_MOST)
                    fail_msg("%s: %lld elements", f->name, layout.places[a].count);
        }
    }
    const struct filter *const mean = filter_find(&d->list, "mean");
    struct choice choice = {mean, mean->variants, {.params = {{7}}}};
    trials_at_edges(trials, &choice);
    trial_write_size(&trials[1], mean, size, sizeof size);
    assert_string_equal(size, "67×44");
    assert_int_equal((int)trials[1].params.v[0], 7);
    choice = (struct choice){d->given, filter_variant(d->given, "shared"), {{{0}}}};
    choice.settings.params = filter_defaults(d->given);
    trials_at_edges(trials, &choice);
    trial_write_size(&trials[0], d->given, size, sizeof size);
    assert_string_equal(size, "rows 33 · columns 33");
    // Elsewhere rows are not as many as columns: what is taken for the other would not show.
    assert_true(trials[1].params.v[0] != trials[1].params.v[1]);
}

// Each array has a page before and behind it.
ON_DESK(arrays_stand_apart)
{
    const struct filter *f = filter_find(&d->list, "matvec");
    const struct trial t = {.params = {{3, 5}}};
    struct arrays_layout layout;
    size_t end = 0;
    assert_true(trial_layout(&t, f, &layout, &err));
    for (int i = 0; i < layout.count; i++) {
        assert_true(layout.places[i].offset >= end + 4096);
        assert_int_equal(layout.places[i].offset % 512, 0);
        end = layout.places[i].offset + layout.places[i].bytes;
    }
    assert_true(layout.bytes >= end + 4096);
}

SUITE("trials", desk_set_up, desk_tear_down)
