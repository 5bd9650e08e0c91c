// What bounds a kernel, from times and counts as an H200 gives them.
#include "unit.h"

#include <math.h>

#include "measure/bound.h"

static const struct device h200 = {.is_gpu = true, .multiprocessors = 132, .clock_mhz = 1980};
static const double pixels = 8000.0 * 8000, copy_ms = 0.0333;

static struct bound found(double ms, struct bound_counts counts)
{
    return bound_find(&(struct bound_facts){&h200, ms, copy_ms, 2 * pixels, counts, NULL});
}

static void assert_words(const struct bound *b, const char *words, const char *evidence)
{
    char text[160];
    bound_write(b, text, sizeof text);
    assert_string_equal(text, words);
    bound_write_evidence(b, text, sizeof text);
    assert_string_equal(text, evidence);
}

static void test_nothing_is_known(void **state)
{
    struct bound b = found(0, (struct bound_counts){0});
    assert_int_equal(b.by, BOUND_UNKNOWN);
    assert_words(&b, "", "");
    b = bound_find(&(struct bound_facts){&h200, 1, 0, 2 * pixels, {0}, NULL});
    assert_int_equal(b.by, BOUND_UNKNOWN);
}

// Without counts, only what must be moved is known: mean running and mean naive at radius 8.
static void test_times_alone(void **state)
{
    struct bound b = found(1.25 * copy_ms, (struct bound_counts){0});
    assert_int_equal(b.by, BOUND_NEEDED);
    assert_words(&b, "bound by memory: 80 % of a copy's rate", "memory 80 % or more");
    b = found(7.435, (struct bound_counts){0});
    assert_int_equal(b.by, BOUND_NOT_MEMORY);
    assert_words(&b, "the minimum of memory traffic takes <1 % of its time: M counts the rest",
                 "memory <1 % or more");
}

// mean naive 32×8 at radius 8: 289 loads and a store a warp; a block of 256 pixels touches 24 rows
// of two or three sectors, and writes eight.
static void test_instructions(void **state)
{
    const struct bound_counts counts = {.is_known = true,
                                        .sectors = pixels / 256 * (24 * 2.5 + 8),
                                        .requests = pixels / 32 * 290,
                                        .l1_clocks =
                                            pixels / 32 * 290};  // each of at most two sectors
    const struct bound b = found(7.435, counts);
    assert_int_equal(b.by, BOUND_NEITHER);
    assert_true(b.memory > 0.015 && b.memory < 0.025);
    assert_true(b.issue > 0.05 && b.issue < 0.1);
    assert_words(&b, "bound by instructions or latency: memory 2 %, L1 30 %",
                 "memory <1 % to 2 % · L1 at least 30 % · issue at least 7 % · memory traffic "
                 "4.25× the minimum");
}

// Counts on a GPU of another architecture follow the rules of this one; a copy's rate does not.
static void test_foreign_rules_are_named(void **state)
{
    struct bound_facts facts = {.device = &h200,
                                .ms = 10 * copy_ms,
                                .copy_ms = copy_ms,
                                .bytes = 2 * pixels,
                                .counts = {.is_known = true, .sectors = 8 * 2 * pixels / 32},
                                .foreign_rules = "sm_90"};
    struct bound b = bound_find(&facts);
    assert_words(&b, "bound by memory traffic: 8.00× the minimum, by the rules of sm_90",
                 "memory 10 % to 80 % · memory traffic 8.00× the minimum, by the rules of "
                 "sm_90");
    facts.counts.is_known = false;
    b = bound_find(&facts);
    assert_words(&b, "the minimum of memory traffic takes 10 % of its time: M counts the rest",
                 "memory 10 % or more");
}

// access bytes4 at stride 8: 4.1 copies of b; each word that is read brings a sector.
static void test_sectors(void **state)
{
    const double words = 16777216, copy = 8 * words / 3.85e9;
    const struct bound_counts counts = {
        .is_known = true, .sectors = words + words / 8, .requests = words / 32 * 2};
    const struct bound b =
        bound_find(&(struct bound_facts){&h200, 4.1 * copy, copy, 8 * words, counts, NULL});
    assert_int_equal(b.by, BOUND_SECTORS);
    assert_true(fabs(b.moved - 4.5) < 1e-9);
    assert_words(&b, "bound by memory traffic: 4.50× the minimum",
                 "memory 24 % to 110 % · memory traffic 4.50× the minimum");
}

// A word of each of 32 sectors takes eight clocks of L1. records aos at 16 fields: 7 × 16 loads,
// and as many stores, of 2^20 records. What comes again and again is in the cache.
static void test_l1(void **state)
{
    const double records = 1048576, requests = records / 32 * 2 * 7 * 16;
    const double bytes = 2 * records * 16 * 4, copy = bytes / 3.85e9;
    const struct bound_counts counts = {
        .is_known = true, .sectors = bytes / 32, .requests = requests, .l1_clocks = requests * 8};
    struct bound_facts facts = {&h200, 11.4 * copy, copy, bytes, counts, NULL};
    struct bound b = bound_find(&facts);
    assert_int_equal(b.by, BOUND_NEITHER);
    assert_words(
        &b, "bound by instructions or latency: memory 9 %, L1 57 %",
        "memory 9 % · L1 at least 57 % · issue at least 2 % · memory traffic 1.00× the minimum");
    facts.ms = 9 * copy;
    b = bound_find(&facts);
    assert_int_equal(b.by, BOUND_L1);
    char text[160];
    bound_write(&b, text, sizeof text);
    assert_string_equal(text, "bound by the L1 cache: 72 % of its clocks");
}

// banks plain at stride 32: each load of a warp takes 32 clocks of its multiprocessor.
static void test_shared_memory(void **state)
{
    const double threads = 1048576, words = 256, bytes = 8 * threads;
    const struct bound_counts counts = {.is_known = true,
                                        .sectors = bytes / 32,
                                        .wavefronts = threads / 32 * words * 32,
                                        .requests = threads / 32 * words};
    struct bound_facts facts = {&h200, 1.1, bytes / 3.85e9, bytes, counts, NULL};
    const double shared_ms = bound_shared_ms(&facts);
    assert_true(shared_ms > 1.02 && shared_ms < 1.03);
    struct bound b = bound_find(&facts);
    assert_int_equal(b.by, BOUND_SHARED);
    assert_words(&b, "bound by shared memory: 93 % of its clocks",
                 "memory <1 % · shared memory 93 % · memory traffic 1.00× the minimum");
    facts.counts.wavefronts /= 32;  // stride 1: a twenty-sixth of the time
    facts.ms /= 26;
    b = bound_find(&facts);
    assert_int_equal(b.by, BOUND_SHARED);
    assert_true(b.shared > 0.7 && b.shared < 0.8);
}

// Memory wins where it is closer.
static void test_two_ceilings(void **state)
{
    const struct bound_counts counts = {.is_known = true,
                                        .sectors = 2 * pixels / 32,
                                        .wavefronts = 0.7 * copy_ms * 132 * 1980e3,
                                        .requests = 1};
    assert_int_equal(found(1.02 * copy_ms, counts).by, BOUND_NEEDED);
    assert_int_equal(found(1.04 * copy_ms, (struct bound_counts){true, 0, 1e9, 1, 0}).by,
                     BOUND_SHARED);
}

// A GPU whose clock is not known has no ceiling of shared memory.
static void test_an_unknown_clock(void **state)
{
    const struct device other = {.is_gpu = true, .multiprocessors = 132};
    const struct bound_counts counts = {true, 2 * pixels / 32, 1e9, 1e9, 1e9};
    const struct bound_facts facts = {&other, 1, copy_ms, 2 * pixels, counts, NULL};
    assert_true(bound_shared_ms(&facts) == 0);
    const struct bound b = bound_find(&facts);
    assert_int_equal(b.by, BOUND_NEITHER);
    assert_true(b.shared == 0 && b.issue == 0 && b.l1 == 0);
}

static void test_the_emulator(void **state)
{
    const struct device cpu = {.multiprocessors = 2, .clock_mhz = 3000};
    const struct bound_counts counts = {true, 4.5 * 2 * pixels / 32, 1e9, 1e9, 1e9};
    struct bound_facts facts = {&cpu, 1, 1, 2 * pixels, counts, NULL};
    assert_true(bound_shared_ms(&facts) == 0);
    struct bound b = bound_find(&facts);
    assert_int_equal(b.by, BOUND_EMULATED);
    assert_words(&b, "memory traffic 4.50× the minimum, each sector once a block",
                 "memory traffic 4.50× the minimum");
    facts.counts.is_known = false;
    b = bound_find(&facts);
    assert_words(&b, "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_known),
        cmocka_unit_test(test_times_alone),
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_foreign_rules_are_named),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_l1),
        cmocka_unit_test(test_two_ceilings),
        cmocka_unit_test(test_an_unknown_clock),
        cmocka_unit_test(test_the_emulator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
