// Where definitions begin and end in a C text.
#include "unit.h"

#include "filter/kernel_text.h"

static const char text[] = "// file.cu -- about the file\n"                                    // 1
                           "#include \"kernel.h\"\n"                                           // 2
                           "\n"                                                                // 3
                           "// The params.\n"                                                  // 4
                           "struct params {\n"                                                 // 5
                           "    int radius;  //! 3 [0, 64] a { in a comment\n"                 // 6
                           "};\n"                                                              // 7
                           "\n"                                                                // 8
                           "enum { STEP = 8, PAIRS = STEP / 2 };\n"                            // 9
                           "// Two lines\n"                                                    // 10
                           "// of comment.\n"                                                  // 11
                           "#define TWICE(x) \\\n"                                             // 12
                           "    ((x) + (x))\n"                                                 // 13
                           "\n"                                                                // 14
                           "// Stands alone.\n"                                                // 15
                           "\n"                                                                // 16
                           "static __device__ struct plane moved(struct plane a, int x)\n"     // 17
                           "{\n"                                                               // 18
                           "    if (x) { a.pixels += '{'; }\n"                                 // 19
                           "#ifdef __CUDACC__\n"                                               // 20
                           "#define INNER 1\n"                                                 // 21
                           "#endif\n"                                                          // 22
                           "    return a;\n"                                                   // 23
                           "}\n"                                                               // 24
                           "__device__ int declared(int x);\n"                                 // 25
                           "__constant__ int table[] = {1, 2};\n"                              // 26
                           "/* A block\n"                                                      // 27
                           "   comment. */\n"                                                  // 28
                           "//! variant naive 32x8\n"                                          // 29
                           "KERNEL(mean_naive)\n"                                              // 30
                           "{\n"                                                               // 31
                           "}\n"                                                               // 32
                           "struct plane;\n"                                                   // 33
                           "__global__ void __launch_bounds__(256) bounded(int n) { n++; }\n"  // 34
                           "REFERENCE(b) { return 0; }\n"                                      // 35
                           "int open(void) {\n";                                               // 36

static void test_items_have_their_lines(void **state)
{
    static const struct {
        enum c_item_kind kind;
        const char *name;
        int first, last;
    } wanted[] = {
        {C_ITEM_STRUCT, "params", 4, 7},       {C_ITEM_ENUM, "", 9, 9},
        {C_ITEM_MACRO, "TWICE", 10, 13},       {C_ITEM_FUNCTION, "moved", 17, 24},
        {C_ITEM_KERNEL, "mean_naive", 27, 32}, {C_ITEM_FUNCTION, "bounded", 34, 34},
        {C_ITEM_KERNEL, "b", 35, 35},
    };
    struct c_items items;
    c_items_find(&items, text);
    assert_int_equal(items.count, G_N_ELEMENTS(wanted));
    for (int i = 0; i < items.count; i++) {
        const struct c_item *item = &items.list[i];
        char *name = g_strndup(item->name, item->name_length);
        int last = item->line;
        for (size_t at = 0; at < item->length; at++) last += item->start[at] == '\n';
        assert_string_equal(name ? name : "", wanted[i].name);
        assert_int_equal(item->kind, wanted[i].kind);
        assert_int_equal(item->line, wanted[i].first);
        assert_int_equal(last, wanted[i].last);
        assert_true(item->start == text || item->start[-1] == '\n');
        assert_int_equal(item->start[item->length], '\n');
        g_free(name);
    }
    c_items_finish(&items);
}

static void test_enums_define_their_names(void **state)
{
    struct c_items items;
    c_items_find(&items, "enum {\n    A,  // not C,\n    B = D + E\n};\n");
    assert_int_equal(items.count, 1);
    assert_true(c_item_defines(&items.list[0], "A", 1));
    assert_true(c_item_defines(&items.list[0], "B", 1));
    for (const char *word = "C D E"; *word; word += 2) {
        assert_false(c_item_defines(&items.list[0], word, 1));
        if (!word[1]) break;
    }
    c_items_finish(&items);
}

// Whole lines, also where two items share one, and where the text does not end its last line.
static void test_items_may_share_a_line(void **state)
{
    static const char *const lines[] = {"// One and two.", "int one(void) {} int two(void) {}",
                                        "#define THREE 3", "/* four */ int four(void) {}", NULL};
    char *all = g_strjoinv("\n", (char **)lines);
    struct c_items items;
    c_items_find(&items, all);
    assert_int_equal(items.count, 4);
    for (int i = 0; i < items.count; i++) {
        char *found = g_strndup(items.list[i].start, items.list[i].length);
        char *told = g_strjoin("\n", lines[0], lines[1], NULL);
        assert_string_equal(found, i == 0 ? told : lines[i]);
        g_free(told);
        g_free(found);
    }
    c_items_finish(&items);
    g_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_items_may_share_a_line),
                                       cmocka_unit_test(test_items_have_their_lines),
                                       cmocka_unit_test(test_enums_define_their_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
