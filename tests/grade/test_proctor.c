// test_proctor -- what is compiled is loaded in a process that runs it, and not in one that finds
// its lines. test_attacks tries what such a process can reach.
#include "desk.h"
#include "grade/proctor.h"
#include "device/sandbox.h"

#include <glib/gstdio.h>

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

// Whether a launch is taken from a process that says it.
static bool is_taken(struct desk *d, const char *name, struct launch_config config)
{
    g_autofree char *skeleton = submission_skeleton(filter_find(&d->list, name)),
                    *program = g_build_filename(d->folder, "program", NULL),
                    *said = g_build_filename(d->folder, "said", NULL),
                    *text = g_strdup_printf("#!/bin/sh\ncat '%s'\ncat > /dev/null\n", said);
    desk_open(d, name, skeleton);
    const struct wire_head heads[] = {{.kind = WIRE_PASS, .bytes = sizeof config},
                                      {.kind = WIRE_DONE}};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_byte_array_append(bytes, (const void *)&heads[0], sizeof heads[0]);
    g_byte_array_append(bytes, (const void *)&config, sizeof config);
    g_byte_array_append(bytes, (const void *)&heads[1], sizeof heads[1]);
    assert_true(g_file_set_contents(program, text, -1, NULL));
    assert_true(g_file_set_contents(said, (const char *)bytes->data, bytes->len, NULL));
    g_chmod(program, 0755);
    const struct trial trial = {.seed = 1};
    struct proctor *p = proctor_start(program, &d->submission, d->submission.filter.variants, &err);
    must(p);
    const bool is_good = proctor_run(p, &trial, NULL, &err);
    proctor_stop(p);
    if (!is_good) assert_string_equal(err.text, "its process sends nonsense");
    return is_good;
}

TEST(launches_beyond_all_plans_are_nonsense)
{
    static const struct {
        const char *name;
        int grid[3], block[3];
        bool is_good;
    } rows[] = {
        {"mean", {8, 8, 3}, {32, 8, 1}, true},
        {"mean", {8, 8, 4}, {32, 8, 1}, false},
        {"mean", {8, 8, 3}, {32, 8, 2}, false},
        {"transpose", {8, 8, 100000}, {4, 8, 4}, true},
        {"transpose", {8, 8, 1}, {4, 8, 3}, false},
        {"transpose", {8, 8, 1}, {4, 8, 0}, false},
        {"transpose", {1 << 24, 1 << 24, 1}, {4, 8, 1}, true},
        {"transpose", {1 << 24, 1 << 24, 1 << 16}, {4, 8, 1}, false},  // none, in 64 bits
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const int *const grid = rows[i].grid, *const block = rows[i].block;
        const struct launch_config config = {.grid_width = grid[0],
                                             .grid_height = grid[1],
                                             .grid_depth = grid[2],
                                             .block_width = block[0],
                                             .block_height = block[1],
                                             .block_depth = block[2]};
        if (is_taken(*state, rows[i].name, config) != rows[i].is_good) fail_msg("row %zu", i);
    }
}

SUITE("proctor", desk_set_up, desk_tear_down)
