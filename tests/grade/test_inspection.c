// test_inspection -- which accesses of a trial's log are said to be outside of its memory.
#include "desk.h"
#include "grade/inspection.h"

enum { BASE = 1 << 20, FAR_AWAY = 1 << 24, WIDTH = 5, HEIGHT = 2 };

// One thread touches one address. wanted: the beginning of what is said of it; NULL: nothing is.
static void expect_bounds(const struct desk *d, const char *name, struct trace_event event,
                          const char *wanted)
{
    const struct trial trial = {.params = {{3, 4}}, .width = WIDTH, .height = HEIGHT, .planes = 1};
    const struct wire_memory memory[] = {{.name = "in", .address = BASE, .bytes = 64},
                                         {.name = "out", .address = 2 * BASE, .bytes = 64}};
    const struct wire_pass pass = {
        .config = {.grid_width = 1, .grid_height = 1, .block_width = 1, .block_height = 1},
        .depth = 1};
    const struct trace_thread thread = {&event, 1};
    const struct trace_block block = {.width = 1, .height = 1, .threads = &thread};
    struct inspection *i = inspection_create(filter_find(&d->list, name), &trial);
    inspection_take_memory(i, memory, G_N_ELEMENTS(memory));
    inspection_take_pass(i, &pass);
    inspection_take_block(i, &block);
    const struct finding *const f = inspection_bounds(i);
    assert_int_equal(f->site_count, wanted != NULL);
    if (wanted && !strstr(f->what, wanted)) fail_msg("'%s' is not in '%s'", wanted, f->what);
    if (wanted) assert_int_equal(f->site[0], event.site);
    inspection_destroy(i);
}

static struct trace_event access_of(enum trace_kind kind, unsigned long long address)
{
    return (struct trace_event){
        .address = address, .site = 7, .kind = (unsigned char)kind, .bytes = 4};
}

static void what_lies_beside_an_array_is_outside(void **state)
{
    expect_bounds(*state, "transpose", access_of(TRACE_STORE, 2 * BASE + 60), NULL);
    expect_bounds(*state, "transpose", access_of(TRACE_STORE, 2 * BASE + 64), "writes out[");
    expect_bounds(*state, "transpose", access_of(TRACE_LOAD, BASE - 4), "reads in[");
}

// Of what lies far from all arrays, a log holds variables of the file only.
static void a_variable_that_keeps_its_value_is_outside(void **state)
{
    expect_bounds(*state, "transpose", access_of(TRACE_LOAD, FAR_AWAY), NULL);
    expect_bounds(*state, "transpose", access_of(TRACE_STORE, FAR_AWAY), "keeps its value");
    expect_bounds(*state, "transpose", access_of(TRACE_ATOMIC, FAR_AWAY), "keeps its value");
    expect_bounds(*state, "invert", access_of(TRACE_STORE, FAR_AWAY), "keeps its value");
}

// Words may reach into the padding of a row, up to 16 bytes.
static void a_picture_has_rows(void **state)
{
    struct trace_event byte = access_of(TRACE_STORE, 2 * BASE + WIDTH);
    byte.bytes = 1;
    expect_bounds(*state, "invert", access_of(TRACE_STORE, 2 * BASE + 12), NULL);
    expect_bounds(*state, "invert", access_of(TRACE_STORE, 2 * BASE + 16),
                  "writes beside the rows of out");
    expect_bounds(*state, "invert", byte, "writes beside the rows of out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_beside_an_array_is_outside),
        cmocka_unit_test(a_variable_that_keeps_its_value_is_outside),
        cmocka_unit_test(a_picture_has_rows),
    };
    return cmocka_run_group_tests(tests, desk_set_up, desk_tear_down);
}
