// test_bounds -- which accesses are outside, of which array, and how that is said.
#include "unit.h"

#include "lens/bounds.h"

enum { A = 1 << 20, B = A + 1024, FAR = 4096 };

static const struct lens_memory memory[] = {
    {.name = "b", .address = B, .bytes = 400, .element_bytes = 4},
    {.name = "a", .address = A, .bytes = 1000, .element_bytes = 1},
};

// What is said of thread 5 of block (1, 2), which is 4 threads wide; empty: it is inside.
static void expect(struct trace_event e, const char *wanted)
{
    const struct trace_block block = {
        .x = 1, .y = 2, .width = 4, .height = 2, .shared_bytes = 96, .static_bytes = 64};
    struct lens_outside o;
    char said[192] = "";
    const bool is_outside = bounds_look(&block, 5, &e, memory, G_N_ELEMENTS(memory), &o);
    if (is_outside) lens_result_append_outside(&o, said, sizeof said);
    assert_string_equal(said, wanted);
    assert_int_equal(is_outside, *wanted != '\0');
}

#define WHO "thread (1, 1) of block (1, 2) "

static void global_memory_ends_where_its_arrays_do(void **state)
{
    static const struct {
        unsigned long long address;
        unsigned char bytes;
        const char *wanted;
    } loads[] = {
        {A, 1, ""},
        {A + 999, 1, ""},
        {A + 998, 4, WHO "reads a[998]; a has 1000 elements"},
        {A + 1000, 1, WHO "reads a[1000]; a has 1000 elements"},
        {B - 1, 1, WHO "reads a[1023]; a has 1000 elements"},
        {B, 16, ""},
        {B + 396, 4, ""},
        {B + 396, 8, WHO "reads b[99]; b has 100 elements"},
        {B + 400, 4, WHO "reads b[100]; b has 100 elements"},
        {B + 400 + FAR - 4, 4, WHO "reads b[1123]; b has 100 elements"},
        {B + 400 + FAR, 4, ""},
        {A - 1, 1, WHO "reads a[-1]; a has 1000 elements"},
        {A - FAR, 4, WHO "reads a[-4096]; a has 1000 elements"},
        {A - FAR - 1, 1, ""},
        {0, 4, ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(loads); i++)
        expect((struct trace_event){.address = loads[i].address,
                                    .kind = TRACE_LOAD,
                                    .space = TRACE_GLOBAL,
                                    .bytes = loads[i].bytes},
               loads[i].wanted);
}

static void a_wild_access_is_outside_wherever_it_is(void **state)
{
    struct trace_event e = {
        .kind = TRACE_STORE, .space = TRACE_GLOBAL, .bytes = 4, .is_wild = 1, .address = 8};
    expect(e, WHO "writes address 0x8, where there is no array");
    e.address = B + 400 + FAR;
    expect(e, WHO "writes address 0x101590, where there is no array");
    e.address = B + 400;
    expect(e, WHO "writes b[100]; b has 100 elements");
}

static void shared_memory_ends_behind_the_tile(void **state)
{
    struct trace_event e = {.kind = TRACE_STORE, .space = TRACE_SHARED, .bytes = 4};
    e.address = 92;
    expect(e, "");
    e.address = 96;
    expect(e, WHO "writes tile[8]; tile has 32 bytes of shared memory (8 elements)");
    e.kind = TRACE_FLOW;
    expect(e, "");
}

static void what_is_before_whole_words_counts_from_minus_one(void **state)
{
    const struct lens_outside o = {
        .kind = TRACE_STORE, .array = "b", .at = -1, .array_bytes = 400, .element_bytes = 4};
    char said[192] = "";
    lens_result_append_outside(&o, said, sizeof said);
    assert_string_equal(said, "thread (0, 0) of block (0, 0) writes b[-1]; b has 100 elements");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_memory_ends_where_its_arrays_do),
        cmocka_unit_test(a_wild_access_is_outside_wherever_it_is),
        cmocka_unit_test(shared_memory_ends_behind_the_tile),
        cmocka_unit_test(what_is_before_whole_words_counts_from_minus_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
