// A watchdog acts once while a call is caught, and never otherwise. Its limit is short here; a busy
// machine makes it act later, and changes nothing of the order that is tested.
#include "unit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/own_time.h"
#include "base/watchdog.h"
#include "held_thread.h"

struct gate {
    GMutex lock;
    GCond changed;
    int acts;
};

static void act(void *user)
{
    struct gate *g = user;
    g_mutex_lock(&g->lock);
    g->acts++;
    g_cond_signal(&g->changed);
    g_mutex_unlock(&g->lock);
}

static void wait_for_act(struct gate *g)
{
    g_mutex_lock(&g->lock);
    while (!g->acts) g_cond_wait(&g->changed, &g->lock);
    g_mutex_unlock(&g->lock);
}

// The caller is caught until the watchdog has acted: without it the test would not end.
TEST(a_caught_call_is_noticed)
{
    struct gate g = {.acts = 0};
    struct watchdog *w = watchdog_create(20, act, &g);
    assert_non_null(w);
    watchdog_begin(w);
    wait_for_act(&g);
    watchdog_end(w);
    watchdog_destroy(w);
    assert_int_equal(g.acts, 1);
}

struct slow {
    struct gate gate;
    struct own_time_thread caller;
    atomic_bool is_ending, has_ended;  // the call
    bool was_left_alone;
};

// Goes on until the caller waits at the call's end, or is beyond it.
static void act_slowly(void *user)
{
    struct slow *s = user;
    act(&s->gate);
    while (!atomic_load(&s->has_ended) &&
           !(atomic_load(&s->is_ending) && own_time_look(s->caller).is_waiting))
        g_usleep(1000);
    s->was_left_alone = !atomic_load(&s->has_ended);
}

// What act looks at does not change before it is over.
TEST(a_call_that_comes_back_waits_for_act)
{
    struct slow s = {.caller = own_time_thread()};
    struct watchdog *w = watchdog_create(20, act_slowly, &s);
    watchdog_begin(w);
    wait_for_act(&s.gate);
    atomic_store(&s.is_ending, true);
    watchdog_end(w);
    atomic_store(&s.has_ended, true);
    watchdog_destroy(w);
    assert_true(s.was_left_alone);
}

TEST(calls_that_come_back_are_left_alone)
{
    struct gate g = {.acts = 0};
    struct watchdog *w = watchdog_create(1000000, act, &g);
    for (int i = 0; i < 10000; i++) {
        watchdog_begin(w);
        watchdog_end(w);
    }
    watchdog_destroy(w);
    assert_int_equal(g.acts, 0);
}

static int acts_of(struct gate *g)
{
    g_mutex_lock(&g->lock);
    const int acts = g->acts;
    g_mutex_unlock(&g->lock);
    return acts;
}

// It looks no more once it has acted.
static void wait_for_looks(struct watchdog *w, struct gate *g, unsigned count)
{
    const unsigned before = watchdog_looks(w);
    while (watchdog_looks(w) - before < count && !acts_of(g)) g_usleep(1000);
}

TEST(no_call_is_never_late)
{
    struct gate g = {.acts = 0};
    struct watchdog *w = watchdog_create(1, act, &g);
    wait_for_looks(w, &g, 50);
    watchdog_begin(w);
    watchdog_end(w);
    wait_for_looks(w, &g, 50);
    watchdog_destroy(w);
    assert_int_equal(g.acts, 0);
    watchdog_begin(NULL);
    watchdog_end(NULL);
    watchdog_destroy(NULL);
}

struct caller {
    struct watchdog *watchdog;
    atomic_int id;
    atomic_bool may_end;
};

static gpointer call(gpointer data)
{
    struct caller *c = data;
    watchdog_begin(c->watchdog);
    atomic_store(&c->id, gettid());
    while (!atomic_load(&c->may_end)) continue;
    watchdog_end(c->watchdog);
    return NULL;
}

// It computes for longer than the limit, but not while it is held.
TEST(a_caller_without_a_processor_is_not_late)
{
    struct gate g = {.acts = 0};
    struct caller c = {.watchdog = watchdog_create(300, act, &g)};
    GThread *thread = g_thread_new("caller", call, &c);
    while (!atomic_load(&c.id)) g_usleep(100);
    const struct held_thread held = held_thread_hold(c.id);
    wait_for_looks(c.watchdog, &g, 2);
    const int early = acts_of(&g);  // it may have been late before it was held
    wait_for_looks(c.watchdog, &g, 30);
    assert_int_equal(acts_of(&g), early);
    held_thread_let_go(held);
    wait_for_act(&g);
    atomic_store(&c.may_end, true);
    g_thread_join(thread);
    watchdog_destroy(c.watchdog);
    assert_int_equal(g.acts, 1);
}
