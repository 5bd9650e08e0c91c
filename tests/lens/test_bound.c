// What bounds a kernel, from times and counts as an H200 gives them.
#include "unit.h"

#include <math.h>

#include "lens/bound.h"

static const struct device h200 = {.is_gpu = true, .multiprocessors = 132, .clock_mhz = 1980};
static const double pixels = 8000.0 * 8000, copy_ms = 0.0333;

// The counts are of what the comments name.
TEST(words)
{
    static const struct device cpu = {.multiprocessors = 2, .clock_mhz = 3000};
    static const struct device unclocked = {.is_gpu = true, .multiprocessors = 132};
    const double bytes = 2 * pixels;
    // mean naive 32×8 at radius 8: 289 loads and a store a warp, each of at most two sectors; a
    // block of 256 pixels touches 24 rows of two or three sectors, and writes eight.
    const struct bound_counts mean = {.is_known = true,
                                      .sectors = pixels / 256 * (24 * 2.5 + 8),
                                      .requests = pixels / 32 * 290,
                                      .l1_clocks = pixels / 32 * 290};
    struct bound_counts mean_issue[2] = {mean, mean};
    mean_issue[0].instructions = 6 * mean.requests;
    mean_issue[1].instructions = 10 * mean.requests;
    // access bytes4 at stride 8: 4.1 copies of b; each word that is read brings a sector.
    const double words = 16777216, words_ms = 8 * words / 3.85e9;
    const struct bound_counts access = {
        .is_known = true, .sectors = words + words / 8, .requests = words / 32 * 2};
    // records aos at 16 fields: 7 × 16 loads, and as many stores, of 2^20 records. A word of each
    // of 32 sectors takes eight clocks of L1. What comes again and again is in the cache.
    const double requests = 1048576 / 32 * 2 * 7 * 16, records = 2.0 * 1048576 * 16 * 4,
                 records_ms = records / 3.85e9;
    const struct bound_counts aos = {
        .is_known = true, .sectors = records / 32, .requests = requests, .l1_clocks = requests * 8};
    // banks plain at stride 32: each load of a warp takes 32 clocks of its multiprocessor.
    const double threads = 1048576, banks = 8 * threads, banks_ms = banks / 3.85e9;
    const struct bound_counts plain = {.is_known = true,
                                       .sectors = banks / 32,
                                       .wavefronts = threads / 32 * 256 * 32,
                                       .requests = threads / 32 * 256};
    struct bound_counts at_1 = plain;  // stride 1: a twenty-sixth of the time
    at_1.wavefronts /= 32;
    const struct bound_counts near = {true, bytes / 32, 0.7 * copy_ms * 132 * 1980e3, 1, 0};
    const struct bound_counts much = {true, 4.5 * bytes / 32, 1e9, 1e9, 1e9}, none = {0};
    const struct bound_counts eight = {.is_known = true, .sectors = 8 * bytes / 32};
    const struct {
        struct bound_facts facts;
        enum bound_by by;
        const char *words, *evidence;  // NULL: any
    } rows[] = {
        {{&h200, 0, copy_ms, bytes, none, NULL}, BOUND_UNKNOWN, "", ""},
        {{&h200, 1, 0, bytes, none, NULL}, BOUND_UNKNOWN, "", ""},
        // Without counts, only what must be moved is known: mean running and mean naive.
        {{&h200, 1.25 * copy_ms, copy_ms, bytes, none, NULL},
         BOUND_NEEDED,
         "bound by memory: 80 % of a copy's rate",
         "memory 80 % or more"},
        {{&h200, 7.435, copy_ms, bytes, none, NULL},
         BOUND_NOT_MEMORY,
         "the minimum of memory traffic takes <1 % of its time · M counts the rest",
         "memory <1 % or more"},
        {{&h200, 7.435, copy_ms, bytes, mean, NULL},
         BOUND_NEITHER,
         "bound by instructions or latency: memory 2 % · L1 30 %",
         "memory <1 % to 2 % · L1 at least 30 % · issue at least 7 % · memory traffic "
         "4.25× the minimum"},
        {{&h200, 4.1 * words_ms, words_ms, 8 * words, access, NULL},
         BOUND_SECTORS,
         "bound by memory traffic: 4.50× the minimum",
         "memory 24 % to 110 % · memory traffic 4.50× the minimum"},
        {{&h200, 11.4 * records_ms, records_ms, records, aos, NULL},
         BOUND_NEITHER,
         "bound by instructions or latency: memory 9 % · L1 57 %",
         "memory 9 % · L1 at least 57 % · issue at least 2 % · memory traffic 1.00× the minimum"},
        {{&h200, 9 * records_ms, records_ms, records, aos, NULL},
         BOUND_L1,
         "bound by the L1 cache: 72 % of its clocks",
         NULL},
        {{&h200, 1.1, banks_ms, banks, plain, NULL},
         BOUND_SHARED,
         "bound by shared memory: 93 % of its clocks",
         "memory <1 % · shared memory 93 % · memory traffic 1.00× the minimum"},
        {{&h200, 1.1 / 26, banks_ms, banks, at_1, NULL},
         BOUND_SHARED,
         "bound by shared memory: 76 % of its clocks",
         NULL},
        // Memory wins where it is closer.
        {{&h200, 1.02 * copy_ms, copy_ms, bytes, near, NULL}, BOUND_NEEDED, NULL, NULL},
        {{&h200, 1.04 * copy_ms, copy_ms, bytes, {true, 0, 1e9, 1, 0}, NULL},
         BOUND_SHARED,
         NULL,
         NULL},
        // By its machine code, mean executes six instructions a load; more than can be issued in
        // the time is no count.
        {{&h200, 7.435, copy_ms, bytes, mean_issue[0], NULL},
         BOUND_NEITHER,
         "bound by instructions or latency: memory 2 % · L1 30 % · issue at least 45 %",
         "memory <1 % to 2 % · L1 at least 30 % · issue at least 45 % · memory traffic "
         "4.25× the minimum"},
        {{&h200, 5, copy_ms, bytes, mean_issue[0], NULL},
         BOUND_ISSUE,
         "bound by instructions: at least 67 % of what can be issued",
         NULL},
        {{&h200, 5, copy_ms, bytes, mean_issue[1], NULL},
         BOUND_NEITHER,
         "bound by instructions or latency: memory 3 % · L1 44 %",
         NULL},
        // Counts on a GPU of another architecture follow the rules of this one; a copy's rate does
        // not.
        {{&h200, 10 * copy_ms, copy_ms, bytes, eight, "sm_90"},
         BOUND_SECTORS,
         "bound by memory traffic: 8.00× the minimum, by the rules of sm_90",
         "memory 10 % to 80 % · memory traffic 8.00× the minimum, by the rules of sm_90"},
        {{&h200, 10 * copy_ms, copy_ms, bytes, none, "sm_90"},
         BOUND_NOT_MEMORY,
         "the minimum of memory traffic takes 10 % of its time · M counts the rest",
         "memory 10 % or more"},
        // A GPU whose clock is not known has no ceilings but memory's.
        {{&unclocked, 1, copy_ms, bytes, {true, bytes / 32, 1e9, 1e9, 1e9}, NULL},
         BOUND_NEITHER,
         "bound by instructions or latency: memory 3 %",
         "memory 3 % · memory traffic 1.00× the minimum"},
        // The emulator's times are a CPU's.
        {{&cpu, 1, 1, bytes, much, NULL},
         BOUND_EMULATED,
         "memory traffic 4.50× the minimum · each sector once a block",
         "memory traffic 4.50× the minimum"},
        {{&cpu, 1, 1, bytes, none, NULL}, BOUND_EMULATED, "", ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct bound b = bound_find(&rows[i].facts);
        char text[160];
        assert_int_equal(b.by, rows[i].by);
        bound_write(&b, text, sizeof text);
        if (rows[i].words) assert_string_equal(text, rows[i].words);
        bound_write_evidence(&b, text, sizeof text);
        if (rows[i].evidence) assert_string_equal(text, rows[i].evidence);
        const double shared_ms = bound_shared_ms(&rows[i].facts);
        const double clocks = rows[i].facts.counts.wavefronts / (132 * 1980e3);
        const bool has_clock = rows[i].facts.device == &h200;
        assert_true(fabs(shared_ms - (has_clock ? clocks : 0)) < 1e-9);
    }
}
