// What machine code does to memory, where it loops and which lines it comes from.
#include "unit.h"

#include "device/machine_code.h"

static const char sass[] =
    "\t.target\tsm_86\n\n"
    "//--------------------- .text.launch_other        --------------------------\n"
    "\t.section\t.text.launch_other,\"ax\",@progbits\n"
    "launch_other:\n"
    ".text.launch_other:\n"
    "        /*0000*/                   EXIT ;\n"
    ".L_x_0:\n"
    "        /*0010*/                   BRA `(.L_x_0);\n"
    "\n\n"
    "//--------------------- .text.launch_one          --------------------------\n"
    "\t.section\t.text.launch_one,\"ax\",@progbits\n"
    "        .type           launch_one,@function\n"
    "launch_one:\n"
    ".text.launch_one:\n"
    "\t//## File \"/hхre/launch\", line 3\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    "\t//## File \"/a/own.cu\", line 7 inlined at \"/hхre/launch\", line 3\n"
    "\t//## File \"/hхre/launch\", line 3\n"
    "        /*0010*/                   LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;\n"
    "        /*0020*/                   STL [R1+0x4], R9 ;\n"
    "        /*0030*/              @!P0 BRA `(.L_x_3) ;\n"
    ".L_x_1:\n"
    "        /*0040*/                   LDS.U8 R5, [R5+0x10] ;\n"
    ".L_x_2:\n"
    "\t//## File \"/k/kernel.h\", line 2 inlined at \"/a/own.cu\", line 9\n"
    "\t//## File \"/a/own.cu\", line 9 inlined at \"/hхre/launch\", line 3\n"
    "\t//## File \"/hхre/launch\", line 3\n"
    "        /*0050*/                   LDG.E.LTC128B R6,   desc[UR4][R2.64+0x7] ;\n"
    "        /*0060*/                   LDSM.16.MT88.4 R8, [R7] ;\n"
    "        /*0070*/               @P1 BRA `(.L_x_2) ;\n"
    "        /*0080*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;\n"
    "        /*0090*/               @P0 BRA `(.L_x_1) ;\n"
    ".L_x_3:\n"
    "\t//## File \"/a/own.cu\", line 12\n"
    "        /*00a0*/                   STG.E.64 desc[UR4][R2.64], R6 ;\n"
    "        /*00b0*/                   RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R6 ;\n"
    "        /*00c0*/                   TEX.SCR.LL RZ, R4, R0, R2, 2D, 0x1 ;\n"
    "        /*00d0*/                   EXIT ;\n"
    "        /*00e0*/                   FADD R0, R0, R1 ;\n"
    "        /*00f0*/                   BRA `(.L_x_3) ;\n"
    ".L_x_4:\n"
    "        /*0100*/                   BRA `(.L_x_4);\n"
    "        /*0110*/                   NOP;\n"
    "        /*0120*/                   NOP;\n"
    ".L_x_9:\n";

static const char ptx[] = "//\n.version 9.0\n.target sm_90\n.address_size 64\n\n"
                          ".visible .entry launch_one(\n"
                          "\t.param .u64 launch_one_param_0\n"
                          ")\n"
                          "{\n"
                          "\t.reg .f32 \t%f<6>;\n"
                          "\t.loc\t1 1 0\n"
                          "\tld.param.u64 \t%rd1, [launch_one_param_0];\n"
                          "\t.loc\t2 9 5, function_name $L__info_string0, inlined_at 1 3 5\n"
                          "\tmov.u32 \t%r1, %tid.x;\n"
                          "$L__BB0_1:\n"
                          "\t.pragma \"nounroll\";\n"
                          "\t.loc\t3 2 34, function_name $L__info_string1, inlined_at 2 9 5\n"
                          "\tld.global.nc.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd1];\n"
                          "\tst.shared.u8 \t[%r2], %r1;\n"
                          "\t// begin inline asm\n"
                          "\t{ .reg .pred p; bar.sync 0; }\n"
                          "\t// end inline asm\n"
                          "\t@%p1 bra \t$L__BB0_1;\n\n"
                          "\t{ // callseq 0, 0\n"
                          "\tst.param.b64 \t[param0+0], %rd1;\n"
                          "\tcall.uni (retval0), \n"
                          "\tvprintf, \n"
                          "\t(\n"
                          "\tparam0, \n"
                          "\tparam1\n"
                          "\t);\n"
                          "\t} // callseq 0\n"
                          "\tst.local.v2.u32 \t[%SP+0], {%r1, %r2};\n"
                          "\tatom.global.add.u32 \t%r3, [%rd1], 1;\n"
                          "\tret;\n\n"
                          "}\n"
                          ".visible .entry launch_two(\n)\n{\n\tret;\n}\n"
                          "\t.file\t1 \"/hхre/launch\"\n"
                          "\t.file\t2 \"/a/own.cu\"\n"
                          "\t.file\t3 \"/k/kernel.h\"\n";

// One a line: text, mark, loop, and the places.
struct expected {
    const char *text, *mark;
    int address, loop;
    const char *places;
};

static void assert_lines(const struct machine_code *m, const struct expected *expected, int count)
{
    assert_int_equal(m->count, count);
    for (int i = 0; i < count; i++) {
        char mark[64];
        g_autoptr(GString) places = g_string_new(NULL);
        const struct machine_line *line = &m->lines[i];
        machine_line_write(line, mark, sizeof mark);
        for (int k = 0; k < line->chain.count; k++)
            g_string_append_printf(places, "%s%s:%d", k ? " " : "", line->chain.places[k].file,
                                   line->chain.places[k].line);
        assert_string_equal(line->text, expected[i].text);
        assert_string_equal(mark, expected[i].mark);
        assert_int_equal(line->address, expected[i].address);
        assert_int_equal(line->loop, expected[i].loop);
        assert_string_equal(places->str, expected[i].places);
    }
}

TEST(sass)
{
    static const struct expected lines[] = {
        {"LDC R1, c[0x0][0x28]", "load constant 32 bits", 0x00, 0, ""},
        {"LDG.E.128.CONSTANT R4, desc[UR4][R2.64]", "load global 128 bits", 0x10, 0, "own.cu:7"},
        {"STL [R1+0x4], R9", "store local 32 bits", 0x20, 0, "own.cu:7"},
        {"@!P0 BRA 0x00a0", "", 0x30, 0, "own.cu:7"},
        {"LDS.U8 R5, [R5+0x10]", "load shared 8 bits", 0x40, 0, "own.cu:7"},
        {"LDG.E.LTC128B R6, desc[UR4][R2.64+0x7]", "load global 32 bits", 0x50, 1,
         "kernel.h:2 own.cu:9"},
        {"LDSM.16.MT88.4 R8, [R7]", "load shared 128 bits", 0x60, 1, "kernel.h:2 own.cu:9"},
        {"@P1 BRA 0x0050", "", 0x70, 1, "kernel.h:2 own.cu:9"},
        {"BAR.SYNC.DEFER_BLOCKING 0x0", "barrier", 0x80, 0, "kernel.h:2 own.cu:9"},
        {"@P0 BRA 0x0040", "", 0x90, 0, "kernel.h:2 own.cu:9"},
        {"STG.E.64 desc[UR4][R2.64], R6", "store global 64 bits", 0xa0, 0, "own.cu:12"},
        {"RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R6", "atomic global 32 bits", 0xb0, 0,
         "own.cu:12"},
        {"TEX.SCR.LL RZ, R4, R0, R2, 2D, 0x1", "load texture", 0xc0, 0, "own.cu:12"},
        {"EXIT", "", 0xd0, 0, "own.cu:12"},
        {"FADD R0, R0, R1", "", 0xe0, 0, "own.cu:12"},
        {"BRA 0x00a0", "", 0xf0, 0, "own.cu:12"},
        {"BRA 0x0100", "", 0x100, 0, "own.cu:12"},
    };
    OWNED(machine_code_finish) struct machine_code m;
    assert_true(machine_code_read(&m, sass, "one", &err));
    assert_false(m.is_ptx);
    assert_string_equal(m.arch, "sm_86");
    assert_lines(&m, lines, G_N_ELEMENTS(lines));
    assert_int_equal(m.loop_count, 1);
    assert_string_equal(m.lines[3].text + m.lines[3].opcode, "BRA 0x00a0");
    machine_code_finish(&m);
    assert_true(machine_code_read(&m, sass, "other", &err));
    assert_int_equal(m.count, 2);
    assert_int_equal(m.loop_count, 0);
}

TEST(ptx)
{
    static const struct expected lines[] = {
        {"ld.param.u64 %rd1, [launch_one_param_0]", "load constant 64 bits", 0, 0, ""},
        {"mov.u32 %r1, %tid.x", "", 1, 0, "own.cu:9"},
        {"ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]", "load global 128 bits", 2, 1,
         "kernel.h:2 own.cu:9"},
        {"st.shared.u8 [%r2], %r1", "store shared 8 bits", 3, 1, "kernel.h:2 own.cu:9"},
        {"bar.sync 0", "barrier", 4, 1, "kernel.h:2 own.cu:9"},
        {"@%p1 bra 2", "", 5, 1, "kernel.h:2 own.cu:9"},
        {"st.param.b64 [param0+0], %rd1", "", 6, 0, "kernel.h:2 own.cu:9"},
        {"call.uni (retval0), vprintf, ( param0, param1 )", "", 7, 0, "kernel.h:2 own.cu:9"},
        {"st.local.v2.u32 [%SP+0], {%r1, %r2}", "store local 64 bits", 8, 0, "kernel.h:2 own.cu:9"},
        {"atom.global.add.u32 %r3, [%rd1], 1", "atomic global 32 bits", 9, 0,
         "kernel.h:2 own.cu:9"},
        {"ret", "", 10, 0, "kernel.h:2 own.cu:9"},
    };
    OWNED(machine_code_finish) struct machine_code m;
    assert_true(machine_code_read(&m, ptx, "one", &err));
    assert_true(m.is_ptx);
    assert_string_equal(m.arch, "sm_90");
    assert_lines(&m, lines, G_N_ELEMENTS(lines));
    assert_int_equal(m.loop_count, 1);
    assert_int_equal(machine_code_arguments(&m, 0), 1);
    assert_int_equal(machine_code_arguments(&m, 1), 0);
    assert_int_equal(machine_code_arguments(&m, m.count), 0);
}

TEST(counts)
{
    OWNED(machine_code_finish) struct machine_code m;
    char text[512];
    assert_true(machine_code_read(&m, sass, "one", &err));
    machine_code_write_counts(&m, 0, text, sizeof text);
    assert_string_equal(text,
                        "17 instructions; load global 1×32 1×128 bits; load shared 1×8 1×128 bits; "
                        "load constant 1×32 bits; load texture 1; store global 1×64 bits; "
                        "store local 1×32 bits (spilled); atomic global 1×32 bits; barrier 1");
    machine_code_write_counts(&m, 1, text, sizeof text);
    assert_string_equal(text, "3 instructions; load global 1×32 bits; load shared 1×128 bits");
    machine_code_write_inner(&m, text, sizeof text);
    assert_string_equal(text, "inner loop: 3 instructions, 1 global load, 1 shared load");
    assert_string_equal(machine_code_bracket(&m, 4), "");
    assert_string_equal(machine_code_bracket(&m, 5), "┌");
    assert_string_equal(machine_code_bracket(&m, 6), "│");
    assert_string_equal(machine_code_bracket(&m, 7), "└");
    assert_string_equal(machine_line_place(&m.lines[5], "own.cu")->file, "own.cu");
    assert_string_equal(machine_line_place(&m.lines[5], "other.cu")->file, "kernel.h");
    assert_null(machine_line_place(&m.lines[0], "own.cu"));
}

TEST(the_inner_loop_is_the_longest)
{
    static const struct {
        const char *body, *words;
    } rows[] = {
        {"/*00*/ S2R R0, SR_TID.X ;\n/*10*/ BAR.SYNC 0x0 ;\n/*20*/ BAR.SYNC 0x0 ;\n/*30*/ EXIT ;\n",
         "no loop: 4 instructions, 2 barriers"},
        {"/*00*/ EXIT ;\n", "no loop: 1 instruction"},
        {".L_1:\n/*00*/ FADD R0, R0, R0 ;\n/*10*/ @P0 BRA `(.L_1) ;\n"
         ".L_2:\n/*20*/ LDS R0, [R1] ;\n/*30*/ LDS R2, [R3] ;\n/*40*/ STG.E [R4], R2 ;\n"
         "/*50*/ @P0 BRA `(.L_2) ;\n/*60*/ EXIT ;\n",
         "longest inner loop: 4 instructions, 2 shared loads, 1 global store"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(machine_code_finish) struct machine_code m;
        char text[160];
        g_autofree char *all = g_strconcat("\n.text.launch_k:\n", rows[i].body, NULL);
        must(machine_code_read(&m, all, "k", &err));
        machine_code_write_inner(&m, text, sizeof text);
        assert_string_equal(text, rows[i].words);
    }
}

TEST(any_text)
{
    static const char *const texts[] = {
        "",
        "\n.version 9.0\n",
        "\n.version 9.0\n.entry launch_k(",
        "\n.version 9.0\n.entry launch_k(\n{ ld",
        "\n.version 9.0\n.entry launch_k(\n{ @p; ; .loc\n.loc 1\n.loc a b c, inlined_at\nx: }",
        "\n.text.launch_k:",
        "\n.text.launch_k:\n/*",
        "\n.text.launch_k:\n/*0*/ @P0 ;\n//## File \"\n//## File \"a\"",
        "\n.text.launch_k:\n/*0*/ LDG.\xff\xfe R1 ;",
        "\n.version 9.0\n.entry launch_k(\n{ ld.\xff %r1; \x1b; }",
        "\n.text.launch_k:\n/*0*/ BRA ;\n.L:\n/*10*/ BRA `(.L) ;\n/*20*/ BRA `( ;",
    };
    struct machine_code m = {0};
    machine_code_finish(&m);
    assert_false(machine_code_read(&m, sass, "on", &err));
    assert_string_equal(err.text, "the machine code has no kernel 'launch_on'");
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        if (machine_code_read(&m, texts[i], "k", &err)) machine_code_finish(&m);
}
