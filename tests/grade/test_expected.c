// test_expected -- what is right, and whose fault it is where nobody knows.
#include "unit.h"

#include "grade/expected.h"

enum { MEMORY_BYTES = 32768 };

static const char text[] = "//! filter \"Copy\" key C\n"
                           "//! param radius 3 [0, 2000] of a window\n"
                           "#include \"kernel.h\"\n"
                           "//! reference out\n"
                           "__host__ __device__ int copy_reference(plane in, int x, int y)\n"
                           "{ return load(in, x, y); }\n"
                           "//! variant naive 32x8\n"
                           "__global__ void copy_naive() {}\n";

// Whether a trial can begin, with a copy of whose picture, which is right, there is nothing wrong.
static bool begins(double radius)
{
    OWNED(filter_finish) struct filter f;
    struct error what = {""};
    const struct trial trial = {.params = {{radius}}, .width = 8, .height = 2, .planes = 1};
    must(filter_parse(&f, "copy.cu", text, NULL, &err));
    struct expected *e = expected_create(&f, TILESCOPE_KERNELS, &err);
    must(e);
    g_autofree unsigned char *memory = g_malloc0(MEMORY_BYTES);
    const bool has_begun = expected_begin(e, &trial, memory, MEMORY_BYTES, &err);
    struct arrays_layout layout;
    assert_true(trial_layout(&trial, &f, &layout, &what));
    const struct array_place *in = &layout.places[ARRAYS_IN], *out = &layout.places[ARRAYS_OUT];
    memcpy(memory + out->offset, memory + in->offset, in->bytes);
    if (has_begun && !expected_check(e, memory, &what)) fail_msg("%s", what.text);
    expected_destroy(e);
    return has_begun;
}

// A pixel of the larger window would take too long.
TEST(a_reference_that_does_not_run_is_our_fault)
{
    assert_true(begins(3));
    assert_string_equal(err.text, "");
    assert_false(begins(1500));
    assert_string_equal(err.text, "the reference of copy does not run with radius 1500");
}
