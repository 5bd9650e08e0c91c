// What looks at a thread prove about its own time.
#include "unit.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/own_time.h"
#include "held_thread.h"

TEST(looks_are_added_up)
{
    static const struct {
        struct own_time_look look;
        int64_t adds_us;
    } rows[] = {
        {{1010, 205, false}, 5},    // it runs now and then
        {{9010, 205, false}, 0},    // ready, but others have the processors
        {{9020, 205, true}, 0},     // since when it waits is not known
        {{9050, 206, true}, 30},    // it waited, or computed shortly
        {{99050, 206, true}, 100},  // everything was stopped, perhaps
        {{99060, 206, false}, 0},   // ready again
        {{99100, 246, true}, 40},   // it computed, and waits now
        {{99110, 306, true}, 60},   // clocks tick differently
        {{999110, 1306, true}, 1000},
    };
    struct own_time t = {.most_us = 100};
    assert_int_equal(own_time_add(&t, (struct own_time_look){1000, 200, false}), 0);
    int64_t all_us = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_int_equal(own_time_add(&t, rows[i].look), rows[i].adds_us);
        all_us += rows[i].adds_us;
        assert_int_equal(t.us, all_us);
    }
}

struct worker {
    struct own_time_thread thread;
    atomic_bool is_there, is_over;
    int gate[2];
};

static gpointer spin(gpointer data)
{
    struct worker *w = data;
    w->thread = own_time_thread();
    atomic_store(&w->is_there, true);
    while (!atomic_load(&w->is_over)) continue;
    return NULL;
}

static gpointer wait_at_gate(gpointer data)
{
    struct worker *w = data;
    char byte;
    w->thread = own_time_thread();
    atomic_store(&w->is_there, true);
    g_assert_cmpint(read(w->gate[0], &byte, 1), ==, 1);
    return NULL;
}

static GThread *begin(struct worker *w, GThreadFunc work)
{
    GThread *thread = g_thread_new("worker", work, w);
    while (!atomic_load(&w->is_there)) g_usleep(100);
    return thread;
}

// Until its own time has grown by so much, however long that takes.
static void add_until(struct own_time *t, const struct worker *w, int64_t us)
{
    while (t->us < us) {
        g_usleep(1000);
        own_time_add(t, own_time_look(w->thread));
    }
}

TEST(a_thread_that_computes)
{
    struct worker w = {.is_there = false};
    struct own_time t;
    GThread *thread = begin(&w, spin);
    assert_int_not_equal(w.thread.id, own_time_thread().id);
    t = (struct own_time){.most_us = 0};  // a wait adds nothing
    own_time_add(&t, own_time_look(w.thread));
    add_until(&t, &w, 20000);
    atomic_store(&w.is_over, true);
    g_thread_join(thread);
}

TEST(a_thread_that_waits)
{
    struct worker w = {.is_there = false};
    struct own_time t;
    assert_int_equal(pipe(w.gate), 0);
    GThread *thread = begin(&w, wait_at_gate);
    t = (struct own_time){.most_us = 1000};
    own_time_add(&t, own_time_look(w.thread));
    add_until(&t, &w, 20000);
    assert_int_equal(write(w.gate[1], "", 1), 1);
    g_thread_join(thread);
    close(w.gate[0]);
    close(w.gate[1]);
}

TEST(a_thread_that_gets_no_processor)
{
    struct worker w = {.is_there = false};
    struct own_time t;
    GThread *thread = begin(&w, spin);
    const struct held_thread held = held_thread_hold(w.thread.id);
    t = (struct own_time){.most_us = G_MAXINT64};
    own_time_add(&t, own_time_look(w.thread));
    const int64_t begin_us = t.last.now_us;
    while (t.last.now_us - begin_us < 50000) {
        g_usleep(1000);
        assert_int_equal(own_time_add(&t, own_time_look(w.thread)), 0);
    }
    held_thread_let_go(held);
    add_until(&t, &w, 1000);
    atomic_store(&w.is_over, true);
    g_thread_join(thread);
}
