// What is kept apart, what is added up, and that parts make the whole.
#include "unit.h"

#include "lens/totals.h"

// One lane's access.
static struct lens_request request(unsigned int site, int space, int kind, int bytes)
{
    return (struct lens_request){.site = site,
                                 .space = (unsigned char)space,
                                 .kind = (unsigned char)kind,
                                 .bytes = (unsigned char)bytes,
                                 .active = 1};
}

static void add(struct totals *t, unsigned int site, int space, int kind, int bytes)
{
    const struct lens_request r = request(site, space, kind, bytes);
    totals_add(t, &r);
}

static void test_nothing(void **state)
{
    struct totals *t = totals_create();
    int count = -1;
    totals_rows(t, &count);
    assert_int_equal(count, 0);
    assert_int_equal(totals_of(t, TRACE_GLOBAL, TRACE_LOAD).requests, 0);
    totals_destroy(t);
    totals_destroy(NULL);
}

static void test_instructions_are_kept_apart(void **state)
{
    struct totals *t = totals_create();
    add(t, 900, TRACE_GLOBAL, TRACE_STORE, 4);
    add(t, 20, TRACE_SHARED, TRACE_LOAD, 4);
    add(t, 20, TRACE_GLOBAL, TRACE_LOAD, 4);
    add(t, 20, TRACE_GLOBAL, TRACE_LOAD, 16);
    add(t, 900, TRACE_GLOBAL, TRACE_STORE, 4);
    add(t, 900, TRACE_GLOBAL, TRACE_ATOMIC, 4);
    int count;
    const struct totals_row *rows = totals_rows(t, &count);
    static const struct totals_row expected[] = {
        {20, TRACE_LOAD, TRACE_GLOBAL, 4, {.requests = 1}},
        {20, TRACE_LOAD, TRACE_GLOBAL, 16, {.requests = 1}},
        {20, TRACE_LOAD, TRACE_SHARED, 4, {.requests = 1}},
        {900, TRACE_STORE, TRACE_GLOBAL, 4, {.requests = 2}},
        {900, TRACE_ATOMIC, TRACE_GLOBAL, 4, {.requests = 1}},
    };
    assert_int_equal(count, 5);
    for (int i = 0; i < count; i++) {
        assert_int_equal(rows[i].site, expected[i].site);
        assert_int_equal(rows[i].kind, expected[i].kind);
        assert_int_equal(rows[i].space, expected[i].space);
        assert_int_equal(rows[i].bytes, expected[i].bytes);
        assert_int_equal(rows[i].counts.requests, expected[i].counts.requests);
    }
    const struct lens_counts loads = totals_of(t, TRACE_GLOBAL, TRACE_LOAD);
    assert_int_equal(loads.requests, 2);
    assert_int_equal(loads.wanted_bytes, 20);
    totals_destroy(t);
}

// After its rows were sorted, an instruction still has one row.
static void test_parts_make_the_whole(void **state)
{
    struct totals *a = totals_create(), *b = totals_create();
    int count;
    for (unsigned int site = 100; site > 0; site--) add(a, site, TRACE_GLOBAL, TRACE_LOAD, 4);
    totals_rows(a, &count);
    assert_int_equal(count, 100);
    for (unsigned int site = 1; site <= 150; site++) add(b, site, TRACE_GLOBAL, TRACE_LOAD, 4);
    totals_merge(a, b);
    const struct totals_row *rows = totals_rows(a, &count);
    assert_int_equal(count, 150);
    for (int i = 0; i < count; i++) {
        assert_int_equal(rows[i].site, i + 1);
        assert_int_equal(rows[i].counts.requests, i < 100 ? 2 : 1);
    }
    assert_int_equal(totals_of(a, TRACE_GLOBAL, TRACE_LOAD).sectors, 250);
    totals_clear(a);
    totals_rows(a, &count);
    assert_int_equal(count, 0);
    totals_merge(a, b);
    assert_int_equal(totals_of(a, TRACE_GLOBAL, TRACE_LOAD).requests, 150);
    totals_destroy(a);
    totals_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_instructions_are_kept_apart),
        cmocka_unit_test(test_parts_make_the_whole),
    };
    return cmocka_run_group_tests_name("totals", tests, NULL, NULL);
}
