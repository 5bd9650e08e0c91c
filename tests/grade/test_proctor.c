// test_proctor -- what is compiled is loaded in a process that runs it, and not in one that finds
// its lines. test_attacks tries what such a process can reach.
#include "desk.h"
#include "grade/proctor.h"
#include "device/sandbox.h"

// Whether it is compiled and loaded.
static bool gets_far(const struct desk *d)
{
    char missing[2 * SANDBOX_MISSING];
    struct proctor *p =
        proctor_start(TILESCOPE_PROGRAM, &d->submission, &d->submission.filter.variants[0], &err);
    must(p);
    const bool is_loaded = proctor_load(p, missing, sizeof missing, &err);
    proctor_stop(p);
    return is_loaded;
}

TEST(what_is_honest_is_loaded)
{
    desk_open_with(*state, "__constant__ int table[4];\nstatic const int more[2] = {1, 2};\n"
                           "__device__ int same(int i);\n__device__ int same(int i) { return i; }\n"
                           "EMULATOR_EXPORT __device__ int f(int i);\n"
                           "__device__ int f(int i) { return table[i] + more[i] + same(i); }\n"
                           "__shared__ float s[4];\nEMULATOR_EXPORT __device__ float g(int i);\n"
                           "__device__ float g(int i) { return s[i] += 1; }\n");
    must(gets_far(*state));
}

TEST(what_does_not_compile_says_so)
{
    desk_open_with(*state, "__device__ int f() { return nothing; }\n");
    assert_false(gets_far(*state));
    assert_non_null(strstr(err.text, "'nothing'"));
}

TEST(lines_are_found_without_loading)
{
    struct desk *d = *state;
    const unsigned int site = 0;
    struct trace_chain chain = {.count = -1};
    desk_open_with(
        d, "__device__ __attribute__((constructor)) static void f() { __builtin_trap(); }\n");
    assert_false(gets_far(d));
    assert_true(proctor_find_lines(TILESCOPE_PROGRAM, &d->submission,
                                   &d->submission.filter.variants[0], &site, 1, &chain));
    assert_int_equal(chain.count, 0);
}

int main(void)
{
    return unit_run("proctor", desk_set_up, desk_tear_down);
}
