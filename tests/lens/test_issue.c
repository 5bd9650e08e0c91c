// How many instructions warps execute, from machine code and counts.
#include "unit.h"

#include <math.h>

#include "lens/issue.h"

// Four instructions; then, in a loop, five with a load of line 7; in another, three with a load and
// a store of line 8; a store of line 9, and the end.
static const char sass[] = "\t.target\tsm_90\n\n"
                           "\t.section\t.text.launch_one,\"ax\",@progbits\n"
                           "launch_one:\n"
                           ".text.launch_one:\n"
                           "\t//## File \"/a/own.cu\", line 6\n"
                           "        /*0000*/                   S2R R0, SR_TID.X ;\n"
                           "        /*0010*/                   IMAD R2, R0, R1, R2 ;\n"
                           "        /*0020*/                   ISETP.GE.AND P0, PT, R0, R1, PT ;\n"
                           "        /*0030*/               @P0 EXIT ;\n"
                           ".L_x_1:\n"
                           "\t//## File \"/a/own.cu\", line 7\n"
                           "        /*0040*/                   LDG.E R4, desc[UR4][R2.64] ;\n"
                           "        /*0050*/                   FADD R5, R4, R5 ;\n"
                           "        /*0060*/                   IADD3 R2, R2, 0x4, RZ ;\n"
                           "        /*0070*/                   ISETP.NE.AND P1, PT, R2, R8, PT ;\n"
                           "        /*0080*/               @P1 BRA `(.L_x_1) ;\n"
                           ".L_x_2:\n"
                           "\t//## File \"/a/own.cu\", line 8\n"
                           "        /*0090*/                   LDS.64 R6, [R7] ;\n"
                           "        /*00a0*/                   STS [R7], R5 ;\n"
                           "        /*00b0*/               @P2 BRA `(.L_x_2) ;\n"
                           "\t//## File \"/a/own.cu\", line 9\n"
                           "        /*00c0*/                   STG.E desc[UR4][R2.64], R5 ;\n"
                           "        /*00d0*/                   EXIT ;\n"
                           ".L_x_3:\n"
                           "        /*00e0*/                   BRA `(.L_x_3);\n"
                           "\n\n\t.section\t.nv.info\n";
enum { ENTRY = 4, LOOP = 5, SHARED_LOOP = 3, END = 2, WARPS = 8 };

#define LINE(at, where, what, of_bytes, times)                                                 \
    {                                                                                          \
        .chain = {.places = {{.file = "own.cu", .line = (at)}}, .count = 1}, .space = (where), \
        .kind = (what), .bytes = (of_bytes), .counts = {                                       \
            .requests = (times)                                                                \
        }                                                                                      \
    }

static double count(const char *text, struct lens_line *lines, int line_count)
{
    const struct lens_pass pass = {.config = {.grid_width = 100,
                                              .grid_height = 1,
                                              .grid_depth = 1,
                                              .block_width = 32,
                                              .block_height = WARPS,
                                              .block_depth = 1},
                                   .lines = lines,
                                   .line_count = line_count};
    OWNED(machine_code_finish) struct machine_code code = {.count = 0};
    machine_code_read(&code, text, "one", NULL);
    const double instructions = issue_count(&code, &pass, false);
    return instructions;
}

TEST(a_block_runs_as_often_as_its_line_was_counted)
{
    const struct {
        struct lens_line lines[4];
        int line_count;
        double instructions;
    } rows[] = {
        // Warps begin, whether or not they reach memory.
        {{LINE(1, TRACE_GLOBAL, TRACE_LOAD, 4, 5)}, 0, WARPS * ENTRY},
        {{LINE(7, TRACE_GLOBAL, TRACE_LOAD, 4, 1000)}, 1, WARPS * ENTRY + 1000 * LOOP},
        // Two loads of four bytes are one of eight. What stores is another demand for the same
        // block, and none of its instructions is counted twice.
        {{LINE(8, TRACE_SHARED, TRACE_LOAD, 4, 1000)}, 1, WARPS * ENTRY + 500 * SHARED_LOOP},
        {{LINE(8, TRACE_SHARED, TRACE_LOAD, 4, 1000), LINE(8, TRACE_SHARED, TRACE_STORE, 4, 500)},
         2,
         WARPS * ENTRY + 500 * SHARED_LOOP},
        // An instruction outside of loops runs once a warp at most, and the loop before it once at
        // least.
        {{LINE(9, TRACE_GLOBAL, TRACE_STORE, 4, WARPS)}, 1, WARPS * (ENTRY + SHARED_LOOP + END)},
        {{LINE(9, TRACE_GLOBAL, TRACE_STORE, 4, 1000)}, 1, WARPS * (ENTRY + SHARED_LOOP + END)},
        // Lines that the machine code does not have, and constants, which are loaded once.
        {{LINE(3, TRACE_GLOBAL, TRACE_LOAD, 4, 1000), LINE(7, TRACE_GLOBAL, TRACE_STORE, 4, 1000),
          LINE(7, TRACE_CONSTANT, TRACE_LOAD, 4, 1000), LINE(7, TRACE_TEXTURE, TRACE_LOAD, 4, 8)},
         4,
         WARPS * ENTRY},
        // Places that a line was inlined into count together.
        {{LINE(7, TRACE_GLOBAL, TRACE_LOAD, 4, 600), LINE(7, TRACE_GLOBAL, TRACE_LOAD, 4, 400)},
         2,
         WARPS * ENTRY + 1000 * LOOP},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const double found = count(sass, (struct lens_line *)rows[i].lines, rows[i].line_count);
        assert_true(fabs(found - rows[i].instructions) < 1);  // the search ends early
    }
}

TEST(what_is_not_machine_code_is_not_counted)
{
    static const char ptx[] = "//\n.version 9.0\n.target sm_90\n\n.visible .entry launch_one(\n)\n"
                              "{\n\tret;\n}\n";
    assert_true(count(ptx, NULL, 0) == 0);
    assert_true(count("\t.target\tsm_90\n", NULL, 0) == 0);
}

// A window counts between two of its pictures.
TEST(what_would_take_too_long_is_not_counted)
{
    enum { LINES = 200, LONG = 20000 };
    g_autofree struct lens_line *lines = g_new0(struct lens_line, LINES);
    g_autoptr(GString) text = g_string_new("\t.target\tsm_90\n.text.launch_one:\n");
    for (int i = 0; i < LINES; i++)
        lines[i] = (struct lens_line)LINE(i + 1, TRACE_GLOBAL, TRACE_LOAD, 4, 1000);
    for (int i = 0; i < LONG; i++)
        g_string_append_printf(text, "\t/*%04x*/ FADD R0, R0, R1 ;\n", 16 * i);
    assert_true(count(text->str, lines, 1) > 0);
    assert_true(count(text->str, lines, LINES) == 0);
}
