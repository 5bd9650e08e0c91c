// Joins of small graphs, whose ways are written as words: a letter is a basic block.
#include "unit.h"

#include <stdlib.h>

#include "lens/flow.h"
#include "logs.h"

static struct flow *flow_of(const char *const ways[])
{
    struct flow *f = flow_create();
    struct logs *logs = calloc(1, sizeof *logs);
    for (int i = 0; ways[i]; i++) {
        logs_add(logs, ways[i]);
        flow_learn(f, logs->threads[i]);
    }
    free(logs);
    flow_find_joins(f);
    return f;
}

// Node numbers are given in the order of the first meeting; a way leads to each.
static int node_after(const struct flow *f, const char *way)
{
    int node = FLOW_ENTRY;
    for (; *way; way++) node = flow_next(f, node, (unsigned char)*way);
    return node;
}

static void assert_join(struct flow *f, const char *from, const char *to)
{
    assert_int_equal(flow_join(f, node_after(f, from)).last, *to ? node_after(f, to) : FLOW_EXIT);
}

static void test_if_and_else(void **state)
{
    struct flow *f = flow_of((const char *const[]){"ABD", "ACD", NULL});
    assert_join(f, "A", "ABD");
    assert_join(f, "AB", "ABD");
    assert_join(f, "AC", "ABD");
    assert_join(f, "ABD", "");
    assert_join(f, "", "A");
    flow_destroy(f);
}

static void test_if_without_else(void **state)
{
    struct flow *f = flow_of((const char *const[]){"ABD", "AD", NULL});
    assert_join(f, "A", "AD");
    flow_destroy(f);
}

static void test_an_early_return_joins_at_the_end(void **state)
{
    struct flow *f = flow_of((const char *const[]){"AR", "ABCR", "ABDR", NULL});
    assert_join(f, "A", "AR");
    assert_join(f, "AB", "AR");
    flow_destroy(f);
    f = flow_of((const char *const[]){"A", "AB", NULL});
    assert_join(f, "A", "");
    flow_destroy(f);
}

// B is the head of a loop over C; F leaves it.
static void test_loop_and_break(void **state)
{
    struct flow *f = flow_of((const char *const[]){"ABCBCBE", "ABCBE", NULL});
    assert_join(f, "AB", "ABE");
    assert_join(f, "ABC", "AB");
    flow_destroy(f);
    f = flow_of((const char *const[]){"ABCDBE", "ABCFE", "ABE", NULL});
    assert_join(f, "AB", "ABE");
    assert_join(f, "ABC", "ABE");
    assert_join(f, "ABCD", "AB");
    flow_destroy(f);
}

static void test_nested_loops(void **state)
{
    struct flow *f = flow_of((const char *const[]){"ABCDCDCEBCEBZ", NULL});
    assert_join(f, "AB", "ABCEBZ");
    assert_join(f, "ABC", "ABCE");
    assert_join(f, "ABCD", "ABC");
    assert_join(f, "ABCE", "AB");
    flow_destroy(f);
}

static void test_switch(void **state)
{
    struct flow *f = flow_of((const char *const[]){"ABX", "ACX", "ADX", "AEDX", "AX", NULL});
    assert_join(f, "A", "AX");
    assert_join(f, "AE", "AD");
    flow_destroy(f);
}

static void assert_first(struct flow *f, const char *from, const char *to)
{
    assert_int_equal(flow_join(f, node_after(f, from)).first, *to ? node_after(f, to) : FLOW_EXIT);
}

static void assert_head(struct flow *f, const char *from, const char *to)
{
    assert_int_equal(flow_join(f, node_after(f, from)).head, *to ? node_after(f, to) : FLOW_EXIT);
}

static void test_some_lanes_meet_before_all_do(void **state)
{
    struct flow *f = flow_of((const char *const[]){"ABXZ", "ABYZ", "AYZ", NULL});
    assert_first(f, "A", "AY");
    assert_join(f, "A", "ABXZ");
    assert_first(f, "AB", "ABXZ");
    flow_destroy(f);
    f = flow_of((const char *const[]){"ABDZ", "ACDZ", "AEZ", NULL});
    assert_first(f, "A", "ABD");
    assert_join(f, "A", "AEZ");
    flow_destroy(f);
}

// H is the head of a loop; X may break to E, continue with H, or go on to Z.
static void test_joins_of_a_round(void **state)
{
    struct flow *f = flow_of((const char *const[]){"HAXYZHAZHE", "HAXHE", "HAXE", NULL});
    assert_first(f, "HA", "HAZ");
    assert_join(f, "HA", "HE");
    assert_first(f, "HAX", "");  // nothing before the next round
    assert_head(f, "HAX", "H");
    assert_head(f, "HAZ", "H");
    assert_head(f, "H", "H");
    assert_head(f, "HE", "");
    flow_destroy(f);
}

static void test_heads_of_nested_loops(void **state)
{
    struct flow *f = flow_of((const char *const[]){"ABCDCDCEBCEBZ", NULL});
    assert_head(f, "AB", "AB");
    assert_head(f, "ABC", "ABC");
    assert_head(f, "ABCD", "ABC");
    assert_head(f, "ABCE", "AB");
    assert_head(f, "A", "");
    flow_destroy(f);
}

static void test_an_edge_that_comes_late_moves_a_join(void **state)
{
    struct flow *f = flow_of((const char *const[]){"ABDE", "ACDE", NULL});
    struct flow *late = flow_of((const char *const[]){"ABE", NULL});
    assert_false(flow_merge(f, f));
    assert_join(f, "A", "ABD");
    assert_true(flow_merge(f, late));
    assert_false(flow_merge(f, late));
    assert_false(flow_find_joins(f));  // the join of A had been used
    assert_join(f, "A", "ABE");
    assert_true(flow_find_joins(f));
    flow_destroy(late);
    flow_destroy(f);
}

static void test_a_join_that_nobody_used_may_move(void **state)
{
    struct flow *f = flow_of((const char *const[]){"ABDE", "ACDE", NULL});
    struct flow *late = flow_of((const char *const[]){"ABE", NULL});
    assert_join(f, "AC", "ACD");
    flow_merge(f, late);
    assert_true(flow_find_joins(f));
    flow_destroy(f);

    f = flow_of((const char *const[]){"ABDE", "ACDE", NULL});
    assert_join(f, "A", "ABD");
    flow_forget(f);
    flow_merge(f, late);
    assert_true(flow_find_joins(f));
    flow_destroy(late);
    flow_destroy(f);
}

// A loop over many blocks, every second of which may be left out.
static void test_many_nodes(void **state)
{
    enum { NODES = 4000 };
    struct trace_event *all = calloc(2 * NODES, sizeof *all), *even = calloc(NODES, sizeof *even);
    for (unsigned int i = 0; i < 2 * NODES; i++) all[i].site = i % NODES;
    for (unsigned int i = 0; i < NODES; i += 2) even[i / 2].site = i;
    struct flow *f = flow_create();
    assert_true(flow_learn(f, (struct trace_thread){all, 2 * NODES}));
    assert_false(flow_learn(f, (struct trace_thread){all, 2 * NODES}));
    assert_true(flow_learn(f, (struct trace_thread){even, NODES / 2}));
    assert_true(flow_find_joins(f));
    int node = flow_next(f, FLOW_ENTRY, 0);
    for (unsigned int i = 0; i + 2 < NODES; i++) {
        const int next = flow_next(f, node, i + 1), join = flow_join(f, node).last;
        assert_int_equal(join, i % 2 ? next : flow_next(f, node, i + 2));
        node = next;
    }
    flow_destroy(f);
    free(all);
    free(even);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if_and_else),
        cmocka_unit_test(test_if_without_else),
        cmocka_unit_test(test_an_early_return_joins_at_the_end),
        cmocka_unit_test(test_loop_and_break),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_switch),
        cmocka_unit_test(test_some_lanes_meet_before_all_do),
        cmocka_unit_test(test_joins_of_a_round),
        cmocka_unit_test(test_heads_of_nested_loops),
        cmocka_unit_test(test_an_edge_that_comes_late_moves_a_join),
        cmocka_unit_test(test_a_join_that_nobody_used_may_move),
        cmocka_unit_test(test_many_nodes),
    };
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
