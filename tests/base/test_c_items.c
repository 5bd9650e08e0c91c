// Where definitions begin and end in a C text.
#include "unit.h"

#include "base/c_items.h"

static const char text[] = "// file.cu -- about the file\n"                                    // 1
                           "#include \"kernel.h\"\n"                                           // 2
                           "\n"                                                                // 3
                           "// A pixel.\n"                                                     // 4
                           "struct pixel {\n"                                                  // 5
                           "    int value;  // a { in a comment\n"                             // 6
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
                           "__global__ void mean_naive(plane in)\n"                            // 30
                           "{\n"                                                               // 31
                           "}\n"                                                               // 32
                           "struct plane;\n"                                                   // 33
                           "__global__ void __launch_bounds__(256) bounded(int n) { n++; }\n"  // 34
                           "extern \"C\" __global__ void b(int n = {3}) { n++; }\n"            // 35
                           "int open(void) {\n";                                               // 36

TEST(items_have_their_lines)
{
    static const struct {
        enum c_item_kind kind;
        const char *name;
        int first, last;
    } wanted[] = {
        {C_ITEM_STRUCT, "pixel", 4, 7},        {C_ITEM_ENUM, "", 9, 9},
        {C_ITEM_MACRO, "TWICE", 10, 13},       {C_ITEM_FUNCTION, "moved", 17, 24},
        {C_ITEM_KERNEL, "mean_naive", 27, 32}, {C_ITEM_KERNEL, "bounded", 34, 34},
        {C_ITEM_KERNEL, "b", 35, 35},
    };
    OWNED(c_items_finish) struct c_items items;
    c_items_find(&items, text);
    assert_int_equal(items.count, G_N_ELEMENTS(wanted));
    for (int i = 0; i < items.count; i++) {
        const struct c_item *item = &items.list[i];
        g_autofree char *name = g_strndup(item->name, item->name_length);
        int last = item->line;
        for (size_t at = 0; at < item->length; at++) last += item->start[at] == '\n';
        assert_string_equal(name ? name : "", wanted[i].name);
        assert_int_equal(item->kind, wanted[i].kind);
        assert_int_equal(item->line, wanted[i].first);
        assert_int_equal(last, wanted[i].last);
        assert_true(item->start == text || item->start[-1] == '\n');
        assert_int_equal(item->start[item->length], '\n');
    }
}

TEST(enums_define_their_names)
{
    OWNED(c_items_finish) struct c_items items;
    c_items_find(&items, "enum {\n    A,  // not C,\n    B = D + E\n};\n");
    assert_int_equal(items.count, 1);
    assert_true(c_item_defines(&items.list[0], "A", 1));
    assert_true(c_item_defines(&items.list[0], "B", 1));
    for (const char *word = "C D E"; *word; word += 2) {
        assert_false(c_item_defines(&items.list[0], word, 1));
        if (!word[1]) break;
    }
}

// Whole lines, also where two items share one, and where the text does not end its last line.
TEST(items_may_share_a_line)
{
    static const char *const lines[] = {"// One and two.", "int one(void) {} int two(void) {}",
                                        "#define THREE 3", "/* four */ int four(void) {}", NULL};
    g_autofree char *all = g_strjoinv("\n", (char **)lines);
    OWNED(c_items_finish) struct c_items items;
    c_items_find(&items, all);
    assert_int_equal(items.count, 4);
    for (int i = 0; i < items.count; i++) {
        g_autofree char *found = g_strndup(items.list[i].start, items.list[i].length);
        g_autofree char *told = g_strjoin("\n", lines[0], lines[1], NULL);
        assert_string_equal(found, i == 0 ? told : lines[i]);
    }
}

static void assert_item(const char *source, enum c_item_kind kind, const char *scope,
                        const char *name)
{
    OWNED(c_items_finish) struct c_items items;
    c_items_find(&items, source);
    if (items.count != 1) fail_msg("%d items: %s", items.count, source);
    g_autofree char *found = g_strndup(items.list[0].name, items.list[0].name_length);
    assert_string_equal(found, name);
    assert_int_equal(items.list[0].kind, kind);
    assert_string_equal(items.list[0].scope, scope);
}

// One item of C++, in one of the ways to write it.
TEST(items_of_cpp)
{
    static const struct {
        const char *source;
        enum c_item_kind kind;
        const char *scope, *name;
    } rows[] = {
        {"template <int N> __global__ void k(int a[N]) {}", C_ITEM_KERNEL, "", "k"},
        {"template <int N = 3, class T = float>\n__global__ void k(T *a) {}", C_ITEM_KERNEL, "",
         "k"},
        {"template <int N = max(1, 2)> void f() {}", C_ITEM_FUNCTION, "", "f"},
        {"template <class T> struct V { T at(int i) { return a[i]; } T a[4]; };", C_ITEM_STRUCT, "",
         "V"},
        {"template <class T> struct V<T> f(T a) { }", C_ITEM_FUNCTION, "", "f"},
        {"class c { int f() { return 1; } };", C_ITEM_STRUCT, "", "c"},
        {"constexpr int f(int a) { return a; }", C_ITEM_FUNCTION, "", "f"},
        {"__global__ void __launch_bounds__(32 * 8, 2) k() {}", C_ITEM_KERNEL, "", "k"},
        {"namespace a { __global__ void k() {} }", C_ITEM_KERNEL, "a::", "k"},
        {"namespace a::b {\nnamespace {\nint f() {}\n}\n}", C_ITEM_FUNCTION, "a::b::", "f"},
        {"namespace a { namespace b { } }\nint f() {}", C_ITEM_FUNCTION, "", "f"},
        {"namespace a { inline namespace b { int x; } int f() {} }", C_ITEM_FUNCTION, "a::", "f"},
        {"inline namespace a { extern \"C\" { int f() {} } }", C_ITEM_FUNCTION, "a::", "f"},
        {"extern \"C\" {\nint g();\n}\n} }\nint f() {}", C_ITEM_FUNCTION, "", "f"},
        {"namespace b = a;\nint f() {}", C_ITEM_FUNCTION, "", "f"},
        {"auto f = [](int a) { return a; };\nint g() {}", C_ITEM_FUNCTION, "", "g"},
        {"void (*f)(int) = 0;\nint table[2] = {g(1), 2};\nint g(void (*h)(int)) {}",
         C_ITEM_FUNCTION, "", "g"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_item(rows[i].source, rows[i].kind, rows[i].scope, rows[i].name);
}

// Each branch of an #if opens the same braces; the file goes on behind them once.
TEST(branches_of_an_if_share_their_braces)
{
    static const char *const sources[] = {
        "__global__ void a(int n)\n{\n#ifdef X\n    if (n) {\n#elif Y\n    for (;;) {\n#else\n    "
        "{\n"
        "#endif\n    }\n}\n__global__ void b(int n) {}\n",
        "#if X\n__global__ void a(int n) {\n#else\n__global__ void a(long n) {\n#endif\n}\n"
        "__global__ void b(int n) {}\n",
        "__global__ void a(int n)\n{\n#if X\n}\n#else\n#if Y\n#endif\n}\n#endif\n"
        "__global__ void b(int n) {}\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
        OWNED(c_items_finish) struct c_items items;
        c_items_find(&items, sources[i]);
        int kernels = 0;
        for (int n = 0; n < items.count; n++) {
            if (items.list[n].kind != C_ITEM_KERNEL) continue;
            assert_memory_equal(items.list[n].name, kernels ? "b" : "a", 1);
            kernels++;
        }
        assert_int_equal(kernels, 2);
    }
}
