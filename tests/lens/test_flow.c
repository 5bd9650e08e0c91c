// Joins of small graphs, whose ways are written as words: a letter is a basic block.
#include "unit.h"

#include <stdlib.h>

#include "lens/flow.h"
#include "logs.h"

CLOSER(flow, flow_destroy)

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

static int target(const struct flow *f, const char *way)
{
    return *way ? node_after(f, way) : FLOW_EXIT;
}

static void assert_join(struct flow *f, const char *from, const char *to)
{
    assert_int_equal(flow_join(f, node_after(f, from)).last, target(f, to));
}

// Ways lead to nodes; an empty one to the exit.
static const struct {
    const char *ways[6];
    struct {
        const char *from, *last, *first, *head;  // NULL: it does not matter
    } joins[6];
} rows[] = {
    // If and else.
    {{"ABD", "ACD"}, {{"A", "ABD"}, {"AB", "ABD"}, {"AC", "ABD"}, {"ABD", ""}, {"", "A"}}},
    {{"ABD", "AD"}, {{"A", "AD"}}},
    // An early return joins at the end.
    {{"AR", "ABCR", "ABDR"}, {{"A", "AR"}, {"AB", "AR"}}},
    {{"A", "AB"}, {{"A", ""}}},
    // B is the head of a loop over C; F leaves it.
    {{"ABCBCBE", "ABCBE"}, {{"AB", "ABE"}, {"ABC", "AB"}}},
    {{"ABCDBE", "ABCFE", "ABE"}, {{"AB", "ABE"}, {"ABC", "ABE"}, {"ABCD", "AB"}}},
    // Nested loops.
    {{"ABCDCDCEBCEBZ"},
     {{"AB", "ABCEBZ", NULL, "AB"},
      {"ABC", "ABCE", NULL, "ABC"},
      {"ABCD", "ABC", NULL, "ABC"},
      {"ABCE", "AB", NULL, "AB"},
      {"A", NULL, NULL, ""}}},
    // A switch.
    {{"ABX", "ACX", "ADX", "AEDX", "AX"}, {{"A", "AX"}, {"AE", "AD"}}},
    // Some lanes meet before all do.
    {{"ABXZ", "ABYZ", "AYZ"}, {{"A", "ABXZ", "AY"}, {"AB", NULL, "ABXZ"}}},
    {{"ABDZ", "ACDZ", "AEZ"}, {{"A", "AEZ", "ABD"}}},
    // H is the head of a loop; X may break to E, continue with H, or go on to Z. Before the next
    // round, X has no first join.
    {{"HAXYZHAZHE", "HAXHE", "HAXE"},
     {{"HA", "HE", "HAZ"},
      {"HAX", NULL, "", "H"},
      {"HAZ", NULL, NULL, "H"},
      {"H", NULL, NULL, "H"},
      {"HE", NULL, NULL, ""}}},
};

TEST(joins_of_small_graphs)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(close_flow) struct flow *f = flow_of(rows[i].ways);
        for (size_t k = 0; k < G_N_ELEMENTS(rows[i].joins) && rows[i].joins[k].from; k++) {
            const char *const from = rows[i].joins[k].from;
            const char *const wanted[] = {rows[i].joins[k].last, rows[i].joins[k].first,
                                          rows[i].joins[k].head};
            const struct flow_join join = flow_join(f, node_after(f, from));
            const int found[] = {join.last, join.first, join.head};
            for (int n = 0; n < 3; n++)
                if (wanted[n] && found[n] != target(f, wanted[n]))
                    fail_msg("row %zu, join %d of '%s' is not '%s'", i, n, from, wanted[n]);
        }
    }
}

TEST(an_edge_that_comes_late_moves_a_join)
{
    OWNED(close_flow) struct flow *f = flow_of((const char *const[]){"ABDE", "ACDE", NULL});
    struct flow *late = flow_of((const char *const[]){"ABE", NULL});
    assert_false(flow_merge(f, f));
    assert_join(f, "A", "ABD");
    assert_true(flow_merge(f, late));
    assert_false(flow_merge(f, late));
    assert_false(flow_find_joins(f));  // the join of A had been used
    assert_join(f, "A", "ABE");
    assert_true(flow_find_joins(f));
    flow_destroy(late);
}

TEST(a_join_that_nobody_used_may_move)
{
    OWNED(close_flow) struct flow *f = flow_of((const char *const[]){"ABDE", "ACDE", NULL});
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
}

// A loop over many blocks, every second of which may be left out.
TEST(many_nodes)
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
