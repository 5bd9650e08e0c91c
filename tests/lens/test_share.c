// What tracing may take: whatever is asked for, all that runs together stays below 1 GiB.
#include "unit.h"

#include "device/trace.h"
#include "filter/filter.h"
#include "lens/lens_result.h"
#include "lens/share.h"

enum { EVENT_BYTES = sizeof(struct trace_event) * 3 / 2 };
static const enum share shares[] = {SHARE_ALONE, SHARE_BLOCKS, SHARE_WHOLE};
static const size_t mib = 1 << 20;

static size_t taken(enum share share, const struct share_launch *l)
{
    const size_t blocks = l->is_whole ? (size_t)l->workers : 1;
    const size_t steps = l->is_whole ? 0 : SHARE_MAX_STEPS * sizeof(struct lens_step);
    const size_t sectors = l->has_sectors ? 4 * SHARE_SECTORS * mib : 0;
    return l->memory_bytes + steps + sectors + blocks * share_max_events(share, l) * EVENT_BYTES;
}

TEST(nothing_takes_more_than_its_share)
{
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        for (int part = 0; part <= 4; part++)
            for (int workers = 1; workers <= TRACE_MAX_WORKERS; workers++) {
                const struct share_launch l = {.memory_bytes =
                                                   share_memory_bytes(shares[i]) * (size_t)part / 4,
                                               .shared_bytes = workers % 2 ? 0 : 228 << 10,
                                               .workers = workers,
                                               .is_whole = part % 2,
                                               .has_sectors = part == 1};
                assert_true(taken(shares[i], &l) <= (size_t)shares[i] * mib);
            }
}

// A block of 32×8 threads of mean naive at radius 32 logs about 2.3 million events, whole launches
// of it on two processors twice as many.
TEST(usual_launches_fit)
{
    const struct share_launch block = {.memory_bytes = 128 * mib, .shared_bytes = 48 << 10};
    assert_true(share_max_events(SHARE_BLOCKS, &block) > 3000000);
    const struct share_launch whole = {.memory_bytes = 8 * mib, .workers = 2, .is_whole = true};
    assert_true(share_max_events(SHARE_WHOLE, &whole) > 2300000);
    assert_true(share_max_events(SHARE_ALONE, &whole) > 20000000);  // matmul wide, n = 1024: 13
}

// At the sizes that they begin with on a GPU.
TEST(every_lab_of_ours_fits)
{
    OWNED(filter_list_finish) struct filter_list filters;
    const struct planes none = {.pixels = NULL};
    must(filter_list_load(&filters, TILESCOPE_KERNELS, NULL, &err));
    for (int i = 0; i < filters.count; i++) {
        struct choice c = {.filter = &filters.filters[i], .variant = filters.filters[i].variants};
        if (filter_has_picture(c.filter)) continue;
        c.settings.params = filter_defaults(c.filter);
        if (!share_fits(SHARE_BLOCKS, &c, none, &err) || !share_fits(SHARE_WHOLE, &c, none, &err))
            fail_msg("%s: %s", c.filter->name, err.text);
    }
}
