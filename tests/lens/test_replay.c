// Warps of threads whose logs are written as words (logs.h), against requests worked out by hand.
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "lens/replay.h"
#include "logs.h"

// What the visitor hears, a word a request: site, instance, lanes.
struct heard {
    GString *text[TRACE_MAX_WORKERS];
    int requests[TRACE_MAX_WORKERS];
};

static void hear(void *data, int worker, const struct replay_step *step)
{
    struct heard *h = data;
    const struct lens_request *r = &step->request;
    h->requests[worker]++;
    if (step->warp) g_string_append_printf(h->text[worker], "%d", step->warp);
    g_string_append_printf(h->text[worker], "%c%d:%x ", (char)r->site, step->instance, r->active);
    for (int lane = 0; lane < MODEL_LANES; lane++)
        if (r->active >> lane & 1)
            assert_int_equal(r->address[lane], 4 * (step->warp * MODEL_LANES + lane));
    assert_int_equal(r->bytes, 4);
    assert_int_equal(r->kind, TRACE_LOAD);
    assert_int_equal(r->space, g_ascii_isdigit((char)r->site) ? TRACE_SHARED : TRACE_GLOBAL);
}

struct arena {
    struct replay *replay;
    struct heard heard;
    struct logs *logs;
};

static void set_up(struct arena *a)
{
    *a = (struct arena){.logs = calloc(1, sizeof *a->logs)};
    a->replay = replay_create(hear, &a->heard);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) a->heard.text[i] = g_string_new("");
}

static void tear_down(struct arena *a)
{
    replay_destroy(a->replay);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) g_string_free(a->heard.text[i], TRUE);
    free(a->logs);
}

// A block whose threads do as many things as there are words, in turns.
static void replay_logs(struct arena *a, int worker, struct logs *logs, int width, int height,
                        const char *const words[])
{
    int count = 0;
    while (words[count]) count++;
    logs->count = 0;
    for (int i = 0; i < width * height; i++) logs_add(logs, words[i % count]);
    const struct trace_block block = {.width = width, .height = height, .threads = logs->threads};
    replay_block(a->replay, worker, &block);
}

static void replay_words(struct arena *a, int worker, int width, int height,
                         const char *const words[])
{
    replay_logs(a, worker, a->logs, width, height, words);
}

static void assert_words(const char *expected, int width, int height, const char *const words[])
{
    struct arena a;
    set_up(&a);
    replay_words(&a, 0, width, height, words);
    assert_string_equal(a.heard.text[0]->str, expected);
    assert_true(replay_is_settled(a.replay));
    tear_down(&a);
}

static const struct {
    const char *requests;
    const char *words[5];
    int width, height;  // 0: a warp
} rows[] = {
    // All alike.
    {"a0:ffffffff b0:ffffffff b1:ffffffff c0:ffffffff ", {"AaBbBbCc"}},
    {"a0:ffffffff 1a0:ffffffff ", {"Aa"}, 8, 8},
    // If and else.
    {"b0:55555555 c0:aaaaaaaa d0:ffffffff ", {"ABbDd", "ACcDd"}},
    {"b0:aaaaaaaa d0:ffffffff ", {"ADd", "ABbDd"}},
    // An early return.
    {"b0:55555555 c0:55555555 ", {"ABbCc", "A"}},
    {"b0:55555555 c0:55555555 ", {"ABbCcR", "AR"}},
    {"b0:11111111 c0:22222222 ", {"ABbR", "ACcR", "AR", "AR"}},
    // Lane l goes round 1 + l % 4 times; then all go on.
    {"b0:ffffffff b1:eeeeeeee b2:cccccccc b3:88888888 c0:ffffffff ",
     {"AHBbHCc", "AHBbHBbHCc", "AHBbHBbHBbHCc", "AHBbHBbHBbHBbHCc"}},
    // The loop's test is at its end, so that its body is a block that follows itself.
    {"b0:ffffffff b1:aaaaaaaa c0:ffffffff ", {"ABbCc", "ABbBbCc"}},
    // Even lanes break in the first round, with a load of their own.
    {"b0:ffffffff x0:55555555 d0:aaaaaaaa b1:aaaaaaaa d1:aaaaaaaa e0:ffffffff ",
     {"AHBbXxEe", "AHBbDdHBbDdHEe"}},
    // Continue.
    {"b0:ffffffff d0:aaaaaaaa b1:ffffffff d1:ffffffff e0:ffffffff ",
     {"AHBbHBbDdHEe", "AHBbDdHBbDdHEe"}},
    // The inner loop's trips differ, the outer one's do not: each outer round begins together.
    {"o0:ffffffff i0:ffffffff i1:aaaaaaaa p0:ffffffff "
     "o1:ffffffff i2:ffffffff i3:55555555 p1:ffffffff z0:ffffffff ",
     {"AGOoHIiHPpGOoHIiHIiHPpGZz", "AGOoHIiHIiHPpGOoHIiHPpGZz"}},
    // Branches in branches.
    {"b0:33333333 c0:11111111 d0:22222222 e0:33333333 f0:cccccccc z0:ffffffff ",
     {"ABbCcEeZz", "ABbDdEeZz", "AFfZz", "AFfZz"}},
    // A switch with a fall-through: two ways lead into D, where their lanes meet before all do.
    {"b0:11111111 c0:22222222 e0:44444444 d0:33333333 z0:ffffffff ",
     {"ABbDdZz", "ACcDdZz", "AEeZz", "AZz"}},
    // if (a && b) X; else Y: whoever fails a test goes to the same Y.
    {"b0:33333333 x0:11111111 y0:eeeeeeee z0:ffffffff ", {"ABbXxZz", "ABbYyZz", "AYyZz", "AYyZz"}},
    // Who leaves the loop from inside the if, by a break, continue or return, is not waited for
    // behind the if.
    {"x0:55555555 y0:55555555 z0:ffffffff x1:aaaaaaaa z1:55555555 e0:ffffffff ",
     {"HAXxYyZzHAZzHEe", "HAZzHAXxEe"}},
    {"x0:55555555 z0:aaaaaaaa x1:aaaaaaaa y0:aaaaaaaa z1:ffffffff e0:ffffffff ",
     {"HAXxHAZzHEe", "HAZzHAXxYyZzHEe"}},
    {"x0:33333333 y0:11111111 r0:22222222 z0:dddddddd ", {"AXxYyZz", "AXxRr", "AZz", "AZz"}},
    // Lanes break in different rounds, and each time there is work to be done on the way out.
    {"w0:11111111 w1:22222222 e0:ffffffff ", {"HAWwEe", "HAHAWwEe", "HAHAHEe", "HAHAHEe"}},
    // 7 x 5 threads: the second warp has three lanes.
    {"a0:ffffffff 1a0:7 ", {"Aa"}, 7, 5},
    {"b0:55555555 c0:aaaaaaaa d0:ffffffff 1b0:5 1c0:2 1d0:7 ", {"ABbDd", "ACcDd"}, 7, 5},
    {"a0:1 ", {"Aa"}, 1, 1},
    // Threads without events.
    {"a0:55555555 ", {"Aa", ""}},
    {"", {""}},
    {"b0:11111111 c0:44444444 ", {"ABb", "", "ACc", ""}},
    // The order inside a block is that of the log, whatever the sites' numbers are.
    {"z0:ffffffff a0:ffffffff m0:ffffffff b0:55555555 ", {"AzamBb", "AzamC"}},
    // Lanes that leave out an access of the block, or make it more often, wait for the others.
    {"a0:55555555 b0:ffffffff ", {"Aab", "Ab"}},
    {"a0:aaaaaaaa b0:ffffffff ", {"Ab", "Aab"}},
    {"a0:ffffffff a1:aaaaaaaa b0:ffffffff ", {"Aab", "Aaab"}},
    {"a0:55555555 c0:aaaaaaaa b0:ffffffff ", {"Aab", "Acb"}},
    {"a0:55555555 b0:ffffffff a1:aaaaaaaa ", {"Aab", "Aba"}},
    // Accesses before the first block.
    {"a0:ffffffff b0:55555555 ", {"aBb", "aC"}},
    // Memory decides what is one request.
    {"10:ffffffff b0:55555555 c0:aaaaaaaa ", {"A1Bb", "A1Cc"}},
};

TEST(warps_by_hand)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_words(rows[i].requests, rows[i].width ? rows[i].width : 32, MAX(rows[i].height, 1),
                     rows[i].words);
}

// Each lane goes a way of its own, and all meet.
TEST(many_ways)
{
    char words[25][8];
    const char *list[26] = {NULL};
    g_autoptr(GString) expected = g_string_new("");
    for (int i = 0; i < 25; i++) {
        g_snprintf(words[i], sizeof words[i], "%cxZz", 'A' + i);
        list[i] = words[i];
        g_string_append_printf(expected, "x%d:%x ", i, 1u << i);
    }
    g_string_append_printf(expected, "z0:%x ", (1u << 25) - 1);
    assert_words(expected->str, 25, 1, list);
}

// Lane l is in l ifs, each inside the one before: A ... L open them, Y ... N close them.
TEST(deep_branches)
{
    enum { DEPTH = 12 };
    char words[DEPTH + 1][4 * DEPTH + 4];
    const char *list[DEPTH + 2] = {NULL};
    g_autoptr(GString) expected = g_string_new("");
    const unsigned int all = (1u << (DEPTH + 1)) - 1;
    for (int lane = 0; lane <= DEPTH; lane++) {
        char *at = words[lane];
        for (int i = 0; i < lane; i++) at += sprintf(at, "%c%c", 'A' + i, 'a' + i);
        for (int i = lane - 1; i >= 0; i--) at += sprintf(at, "%c%c", 'Y' - i, 'y' - i);
        strcpy(at, "Zz");
        list[lane] = words[lane];
    }
    for (int i = 0; i < DEPTH; i++)
        g_string_append_printf(expected, "%c0:%x ", 'a' + i, all & ~0u << (i + 1));
    for (int i = DEPTH - 1; i >= 0; i--)
        g_string_append_printf(expected, "%c0:%x ", 'y' - i, all & ~0u << (i + 1));
    g_string_append_printf(expected, "z0:%x ", all);
    assert_words(expected->str, DEPTH + 1, 1, list);
}

// ---- ways that are seen late ----

static const char *const parting[] = {"ABbDdEe", "ACcDdEe", NULL};
static const char *const late[] = {"ABbEe", NULL};

// The second block shows a way from B past D, so that all ways from A meet in E, no longer in D.
TEST(a_late_way_asks_for_another_round)
{
    struct arena a;
    set_up(&a);
    replay_words(&a, 0, 32, 1, parting);
    assert_string_equal(a.heard.text[0]->str, "b0:55555555 c0:aaaaaaaa d0:ffffffff e0:ffffffff ");
    replay_words(&a, 0, 32, 1, late);
    assert_false(replay_is_settled(a.replay));

    g_string_truncate(a.heard.text[0], 0);
    replay_words(&a, 0, 32, 1, parting);
    assert_string_equal(a.heard.text[0]->str, "b0:55555555 c0:aaaaaaaa d0:ffffffff e0:ffffffff ");
    replay_words(&a, 0, 32, 1, late);
    assert_true(replay_is_settled(a.replay));
    assert_true(replay_is_settled(a.replay));
    tear_down(&a);
}

TEST(a_late_way_that_moves_no_join_is_fine)
{
    struct arena a;
    set_up(&a);
    replay_words(&a, 0, 32, 1, parting);
    replay_words(&a, 0, 32, 1, (const char *const[]){"A", NULL});
    assert_false(replay_is_settled(a.replay));  // the ways from A now meet at the end
    replay_words(&a, 0, 32, 1, parting);
    replay_words(&a, 0, 32, 1, (const char *const[]){"ACcDdEeFf", NULL});
    assert_true(replay_is_settled(a.replay));
    tear_down(&a);
}

// What one worker has seen reaches the others. If it comes too late, there is another round.
TEST(workers_tell_each_other)
{
    struct arena a;
    set_up(&a);
    replay_words(&a, 1, 32, 1, late);
    replay_words(&a, 0, 32, 1, parting);
    assert_string_equal(a.heard.text[0]->str, "b0:55555555 c0:aaaaaaaa d0:ffffffff e0:ffffffff ");
    assert_true(replay_is_settled(a.replay));
    tear_down(&a);

    set_up(&a);
    replay_words(&a, 0, 32, 1, parting);
    replay_words(&a, 1, 32, 1, late);
    assert_false(replay_is_settled(a.replay));
    tear_down(&a);
}

struct job {
    struct arena *arena;
    struct logs *logs;
    int worker;
};

// Each worker meets the ways in another order.
static void *work(void *data)
{
    const struct job *job = data;
    for (int i = 0; i < 200; i++) {
        const char *const *words = (i + job->worker) % 5 ? parting : late;
        replay_logs(job->arena, job->worker, job->logs, 16, 8, words);
    }
    return NULL;
}

static int work_at_once(struct arena *a, struct job jobs[TRACE_MAX_WORKERS])
{
    GThread *threads[TRACE_MAX_WORKERS];
    int requests = 0;
    memset(a->heard.requests, 0, sizeof a->heard.requests);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) threads[i] = g_thread_new("worker", work, &jobs[i]);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) g_thread_join(threads[i]);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) requests += a->heard.requests[i];
    return requests;
}

// Of 200 blocks of four warps, a worker has 40 with late ones, which make two requests each; the
// others make four.
TEST(workers_at_once)
{
    struct arena a;
    set_up(&a);
    struct job jobs[TRACE_MAX_WORKERS];
    for (int i = 0; i < TRACE_MAX_WORKERS; i++)
        jobs[i] = (struct job){&a, calloc(1, sizeof(struct logs)), i};
    int requests = work_at_once(&a, jobs), rounds = 1;
    for (; !replay_is_settled(a.replay); rounds++) requests = work_at_once(&a, jobs);
    assert_in_range(rounds, 1, 2);
    assert_int_equal(requests, TRACE_MAX_WORKERS * 4 * (40 * 2 + 160 * 4));
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) free(jobs[i].logs);
    tear_down(&a);
}
