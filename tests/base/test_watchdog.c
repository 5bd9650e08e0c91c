// A watchdog acts once while a call is caught, and never otherwise. Its limit is short here; a busy
// machine makes it act later, and changes nothing of the order that is tested.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>

#include "base/watchdog.h"

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

// The caller is caught until the watchdog has acted: without it the test would not end.
static void test_a_caught_call_is_noticed(void **state)
{
    (void)state;
    struct gate g = {.acts = 0};
    struct watchdog *w = watchdog_create(20, act, &g);
    assert_non_null(w);
    watchdog_begin(w);
    g_mutex_lock(&g.lock);
    while (!g.acts) g_cond_wait(&g.changed, &g.lock);
    g_mutex_unlock(&g.lock);
    watchdog_end(w);
    watchdog_destroy(w);
    assert_int_equal(g.acts, 1);
}

// Acts slowly, and says when it is over.
static void act_slowly(void *user)
{
    struct gate *g = user;
    act(g);
    g_usleep(100000);
    g_mutex_lock(&g->lock);
    g->acts++;
    g_mutex_unlock(&g->lock);
}

// What act looks at does not change before it is over.
static void test_a_call_that_comes_back_waits_for_act(void **state)
{
    (void)state;
    struct gate g = {.acts = 0};
    struct watchdog *w = watchdog_create(20, act_slowly, &g);
    watchdog_begin(w);
    g_mutex_lock(&g.lock);
    while (!g.acts) g_cond_wait(&g.changed, &g.lock);
    g_mutex_unlock(&g.lock);
    watchdog_end(w);
    g_mutex_lock(&g.lock);
    assert_int_equal(g.acts, 2);
    g_mutex_unlock(&g.lock);
    watchdog_destroy(w);
}

static void test_calls_that_come_back_are_left_alone(void **state)
{
    (void)state;
    struct gate g = {.acts = 0};
    struct watchdog *w = watchdog_create(1000000, act, &g);
    for (int i = 0; i < 10000; i++) {
        watchdog_begin(w);
        watchdog_end(w);
    }
    watchdog_destroy(w);
    assert_int_equal(g.acts, 0);
}

static void test_no_call_is_never_late(void **state)
{
    (void)state;
    struct gate g = {.acts = 0};
    struct watchdog *w = watchdog_create(1, act, &g);
    g_usleep(30000);  // many limits; it may be more
    watchdog_destroy(w);
    assert_int_equal(g.acts, 0);
    watchdog_begin(NULL);
    watchdog_end(NULL);
    watchdog_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_caught_call_is_noticed),
        cmocka_unit_test(test_a_call_that_comes_back_waits_for_act),
        cmocka_unit_test(test_calls_that_come_back_are_left_alone),
        cmocka_unit_test(test_no_call_is_never_late),
    };
    return cmocka_run_group_tests_name("watchdog", tests, NULL, NULL);
}
