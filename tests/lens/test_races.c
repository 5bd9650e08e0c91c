// test_races -- which accesses race, from logs that are written here.
#include "unit.h"

#include <ctype.h>

#include "lens/races.h"

enum { MAX_EVENTS = 64, MAX_THREADS = 96, BASE = 4096, WATCHED = 64 };

// What a thread does, as words: "w4" writes word 4 of shared memory, "r4" reads it, "a4" adds to it
// atomically; capitals do it in global memory; "|" is a block's barrier, "-" a warp's, "f" a fence.
struct log {
    struct trace_event events[MAX_THREADS][MAX_EVENTS];
    struct trace_thread threads[MAX_THREADS];
};

static struct trace_event event_of(const char *word, int site)
{
    struct trace_event e = {.site = (unsigned int)site, .kind = TRACE_FLOW};
    if (*word == '|') e.bytes = TRACE_BLOCK_BARRIER;
    if (*word == '-') e.bytes = TRACE_WARP_BARRIER;
    if (*word == 'f') e.bytes = TRACE_FENCE;
    if (e.bytes) return e;
    const char letter = (char)tolower((unsigned char)*word);
    e.kind = letter == 'w' ? TRACE_STORE : letter == 'r' ? TRACE_LOAD : TRACE_ATOMIC;
    e.space = isupper((unsigned char)*word) ? TRACE_GLOBAL : TRACE_SHARED;
    e.bytes = 4;
    e.address = 4 * g_ascii_strtoull(word + 1, NULL, 10) + (e.space == TRACE_GLOBAL ? BASE : 0);
    return e;
}

// Threads 0, 1 … do what the texts say; the others nothing.
static void add_block(struct races *r, const int *threads, const char *const *texts, int count)
{
    g_autofree struct log *log = g_new0(struct log, 1);
    for (int i = 0; i < count; i++) {
        struct trace_event *const events = log->events[threads[i]];
        g_auto(GStrv) words = g_strsplit(texts[i], " ", -1);
        const guint length = g_strv_length(words);
        for (guint k = 0; k < length; k++) events[k] = event_of(words[k], i * MAX_EVENTS + (int)k);
        log->threads[threads[i]] = (struct trace_thread){events, length};
    }
    const struct trace_block block = {.width = MAX_THREADS, .height = 1, .threads = log->threads};
    races_add_block(r, &block);
}

static int count_races(struct races *r)
{
    int count;
    races_found(r, &count);
    return count;
}

static struct races *watching(void)
{
    struct races *r = races_create();
    races_watch(r, BASE, WATCHED);
    races_begin_launch(r);
    return r;
}

// Whose the second text is, besides a thread of the same block.
enum { OTHER_BLOCK = -1, OTHER_LAUNCH = -2 };

static const struct {
    int other;  // thread 0 is the first
    const char *first, *second;
    bool is_race;
} rows[] = {
    {1, "w0", "r1", false},      // other words
    {1, "r0", "r0", false},      // nobody writes
    {1, "w0", "r0", true},       // lanes of a warp are not in step
    {1, "w0 -", "- r0", false},  // but wait for each other
    {1, "w0 |", "| r0", false},
    {40, "w0", "r0", true},
    {40, "r0", "w0", true},
    {40, "w0", "w0", true},
    {40, "w0 -", "- r0", true},  // another warp's lanes do not wait with them
    {40, "w0 |", "| r0", false},
    {40, "w0 | |", "| | w0 r0", false},
    {40, "w0 | r0", "| w0", true},  // one barrier is not enough for a second round
    {40, "w0 | r0 |", "| | w0", false},
    {40, "a0", "a0", false},
    {40, "a0", "r0", true},
    {40, "a0 |", "| r0", false},
    {40, "w0 r0 w0", "", false},
    {40, "W0", "R0", true},
    {40, "W0 |", "| R0", false},
    {40, "W0 f", "f R0", true},        // a fence does not order threads of a block
    {40, "W99", "W99", false},         // not watched
    {OTHER_BLOCK, "w0", "r0", false},  // each has its own shared memory
    {OTHER_BLOCK, "W0", "R0", true},
    {OTHER_BLOCK, "W0 |", "| R0", true},
    {OTHER_BLOCK, "R0", "W0", true},
    {OTHER_BLOCK, "A0", "A0", false},
    {OTHER_BLOCK, "W0", "R1", false},
    {OTHER_BLOCK, "W0 f", "f R0", false},  // they may have agreed on something
    {OTHER_LAUNCH, "W0 R1", "R0 W1", false},
};

TEST(accesses_race_where_nothing_orders_them)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const bool is_block = rows[i].other < 0;
        const int threads[] = {0, is_block ? 7 : rows[i].other};
        const char *const texts[] = {rows[i].first, rows[i].second};
        struct races *r = watching();
        add_block(r, threads, texts, is_block ? 1 : 2);
        if (rows[i].other == OTHER_LAUNCH) races_begin_launch(r);
        if (is_block) add_block(r, threads + 1, texts + 1, 1);
        if ((count_races(r) > 0) != rows[i].is_race)
            fail_msg("'%s' and '%s' in %d: %d races", texts[0], texts[1], rows[i].other,
                     count_races(r));
        races_destroy(r);
    }
}

TEST(a_race_is_told_once)
{
    struct races *r = watching();
    for (int i = 0; i < 3; i++)
        add_block(r, (const int[]){3, 70}, (const char *const[]){"r9 w2", "w2"}, 2);
    int count;
    const struct race *race = races_found(r, &count);
    assert_int_equal(count, 1);
    assert_int_equal(race->space, TRACE_SHARED);
    assert_int_equal(race->address, 8);
    assert_int_equal(race->site[0], 1);
    assert_int_equal(race->site[1], MAX_EVENTS);
    assert_int_equal(race->kind[0], TRACE_STORE);
    assert_int_equal(race->thread[0], 3);
    assert_int_equal(race->thread[1], 70);
    assert_true(race->is_one_block);
    races_destroy(r);
}
