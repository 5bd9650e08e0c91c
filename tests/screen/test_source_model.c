// The contents of a source dock: lines of a kernel file, their numbers, and the changes.
#include "unit.h"

#include "device/cpu/rewrite.h"
#include "device/device_text.h"
#include "folder.h"
#include "screen/source_model.h"

static const char text[] =
    "//! filter \"Two\"\n"                                   // 1
    "//! param radius 3 [0, 64] pixels\n"                    // 2
    "#include \"kernel.h\"\n"                                // 3
    "\n"                                                     // 4
    "static __device__ int half(int x) { return x / 2; }\n"  // 5
    "\n"                                                     // 6
    "// Above.\n"                                            // 7
    "//! variant first 32x8\n"                               // 8
    "__global__ void two_first(plane out, plane in)\n"       // 9
    "{\n"                                                    // 10
    "    const int x = threadIdx.x;\n"                       // 11
    "    out.pixels[x] = load(in, x, 0);\n"                  // 12
    "}\n"                                                    // 13
    "\n"                                                     // 14
    "// Below.\n"                                            // 15
    "//! variant second 32x8\n"                              // 16
    "__global__ void two_second(plane in,\n"                 // 17
    "                           plane out)\n"                // 18
    "{\n"                                                    // 19
    "\tconst int x = threadIdx.x;\n"                         // 20
    "    out.pixels[x] = half(load(in, x, 0));\n"            // 21
    "\n"                                                     // 22
    "}\n"                                                    // 23
    "\n"
    "//! reference out\n"  // of an array's name, which kernels have as an argument
    "__host__ __device__ int out(plane in) { return load(in, 0, 0); }\n";

struct world {
    struct filter filter;
    struct headers headers;
    struct header header;
    struct source_model model;
};

static struct world open_world(const char *source)
{
    struct world w = {.header = {(char *)"k/kernel.h", (char *)"int load(int x)\n{\n}\n"}};
    must(filter_parse(&w.filter, "k/two.cu", source, NULL, &err));
    w.headers = (struct headers){.count = 1};
    return w;
}

static void close_world(struct world *w)
{
    source_model_finish(&w->model);
    filter_finish(&w->filter);
}

static struct source_model_facts facts_of(struct world *w, int variant)
{
    w->headers.list = &w->header;
    return (struct source_model_facts){.filter = &w->filter,
                                       .variant = &w->filter.variants[variant],
                                       .headers = &w->headers,
                                       .letter = ""};
}

static const struct listing *update(struct world *w, int variant, bool has_changes, bool is_broken)
{
    struct source_model_facts facts = facts_of(w, variant);
    facts.has_changes = has_changes;
    facts.is_broken = is_broken;
    source_model_update(&w->model, &facts);
    source_model_set_lens(&w->model, &(struct source_model_lens){.result = NULL});
    return &w->model.listing;
}

// Each line as "number mark text", marks being blank, + - =.
static char *written(const struct listing *l)
{
    GString *all = g_string_new(NULL);
    for (int i = 0; i < l->count; i++)
        g_string_append_printf(all, "%d%c%s\n", l->lines[i].number, " +-="[l->lines[i].mark],
                               l -> lines[i].text);
    return g_string_free(all, FALSE);
}

static void expect_lines(const struct listing *l, const char *wanted)
{
    g_autofree char *found = written(l);
    assert_string_equal(found, wanted);
}

#define LOAD(word) "0 \n0=kernel.h · load" word "\n1 int load(int x)\n2 {\n3 }\n"
#define HALF(word) \
    "0 \n0=two.cu · half" word "\n5 static __device__ int half(int x) { return x / 2; }\n"

TEST(a_few_prints_come_first)
{
    struct world w = open_world(text);
    g_autofree char *plain = written(update(&w, 0, false, false));
    struct source_model_facts facts = facts_of(&w, 0);
    for (int prints = 1; prints <= 3; prints++) {
        static const char *const printed[] = {"one\ttwo\n",
                                              "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n",
                                              "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n"};
        static const char *const shown[] = {
            "0 one two\n", "0 1\n0 2\n0 3\n0 4\n0 5\n0 6\n0 7\n0 8\n0 9\n0 10\n0 11\n0 12\n",
            ("0 1\n0 2\n0 3\n0 4\n0 5\n0 6\n0 7\n0 8\n0 9\n0 10\n0 11\n"
             "0 … and 2 lines more in the terminal\n")};
        facts.printed = printed[prints - 1];
        facts.prints = (unsigned)prints;
        source_model_update(&w.model, &facts);
        g_autofree char *wanted =
            g_strconcat("0=printed\n", shown[prints - 1], "0 \n", plain, NULL);
        expect_lines(&w.model.listing, wanted);
        assert_int_equal(w.model.head, 0);
    }
    facts.printed = NULL;
    source_model_update(&w.model, &facts);
    expect_lines(&w.model.listing, plain);
    close_world(&w);
}

TEST(lines_are_the_files)
{
    struct world w = open_world(text);
    const struct listing *l = update(&w, 0, false, false);
    assert_string_equal(l->title, "two.cu · first");
    assert_string_equal(l->about, "");
    expect_lines(l, "7 // Above.\n8 //! variant first 32x8\n"
                    "9 __global__ void two_first(plane out, plane in)\n10 {\n"
                    "11     const int x = threadIdx.x;\n12     out.pixels[x] = load(in, x, 0);\n"
                    "13 }\n" LOAD(""));
    close_world(&w);
}

TEST(changes_are_marked)
{
    struct world w = open_world(text);
    const struct listing *l = update(&w, 1, true, false);
    assert_string_equal(l->about, "+1  −1  against first");
    expect_lines(l, "15 // Below.\n16 //! variant second 32x8\n"
                    "17 __global__ void two_second(plane in,\n"
                    "18                            plane out)\n19 {\n"
                    "20     const int x = threadIdx.x;\n"
                    "0-    out.pixels[x] = load(in, x, 0);\n"
                    "21+    out.pixels[x] = half(load(in, x, 0));\n"
                    "22 \n23 }\n" HALF(" · new") LOAD(""));
    assert_string_equal(update(&w, 0, true, false)->about, "the first variant");
    close_world(&w);
}

// A library's variant has no lines, so the one above it is compared.
TEST(changes_pass_over_a_library)
{
    struct world w = open_world(text);
    struct variant *const variants = w.filter.variants;
    variants[2] = variants[1];
    variants[1] = variants[0];
    w.filter.variant_count = 3;
    variants[1].library.function = library_of(LIBRARY_SUM);
    assert_string_equal(update(&w, 1, true, false)->about, "a library's");
    assert_string_equal(update(&w, 2, true, false)->about, "+1  −1  against first");
    variants[0].library.function = library_of(LIBRARY_SUM);
    update(&w, 2, false, false);
    assert_string_equal(update(&w, 2, true, false)->about, "the first variant");
    close_world(&w);
}

// Its line stands for it, and what it is checked against.
TEST(a_library_has_its_line)
{
    struct world w =
        open_world("//! filter \"One\"\n"                                             // 1
                   "//! param radius 3 [0, 64] pixels\n"                              // 2
                   "#include \"kernel.h\"\n"                                          // 3
                   "static __device__ int half(int x) { return x / 2; }\n"            // 4
                   "// Slowly.\n"                                                     // 5
                   "//! reference out\n"                                              // 6
                   "__host__ __device__ int slowly(plane in) { return load(in); }\n"  // 7
                   "// By others.\n"                                                  // 8
                   "//! library npp nppiFilterBoxBorder_8u_C1R_Ctx(radius)\n");       // 9
    expect_lines(update(&w, 0, false, false),
                 "0 \n0=two.cu · npp\n8 // By others.\n"
                 "9 //! library npp nppiFilterBoxBorder_8u_C1R_Ctx(radius)\n"
                 "0 \n0=two.cu · slowly\n5 // Slowly.\n6 //! reference out\n"
                 "7 __host__ __device__ int slowly(plane in) { return load(in); }\n" LOAD(""));
    close_world(&w);
}

TEST(every_fact_changes_the_fingerprint)
{
    struct world w = open_world(text);
    const uint64_t first = update(&w, 0, false, false)->hash;
    assert_true(update(&w, 0, false, true)->hash != first);
    assert_true(update(&w, 0, false, true)->about[0]);
    assert_true(update(&w, 1, false, false)->hash != first);
    assert_true(update(&w, 1, true, false)->hash != update(&w, 1, false, false)->hash);
    assert_true(update(&w, 0, false, false)->hash == first);
    close_world(&w);
}

TEST(what_stays_slow_on_a_cpu_says_why)
{
    static const char source[] = "//! filter \"One\"\n"
                                 "#include \"kernel.h\"\n"
                                 "// Above.\n"
                                 "//! variant first 32x8\n"
                                 "__global__ void one(plane out, plane in)\n"
                                 "{\n"
                                 "    printf(\"x\");\n"
                                 "}\n"
                                 "//! reference out\n"
                                 "__host__ __device__ int out(plane in) { return 0; }\n";
    struct world w = open_world(source);
    struct source_model_facts facts = facts_of(&w, 0);
    facts.include = TILESCOPE_KERNELS;
    source_model_update(&w.model, &facts);
    const struct listing *l = &w.model.listing;
    assert_string_equal(l->lines[0].text,
                        "stays slow on a CPU: printf, whose lines keep their order");
    assert_int_equal(l->lines[0].mark, LISTING_HEADING);
    assert_string_equal(l->lines[1].text, "// Above.");
    assert_int_equal(w.model.head, 3);
    facts.include = NULL;  // a GPU
    source_model_update(&w.model, &facts);
    assert_string_equal(w.model.listing.lines[0].text, "// Above.");
    close_world(&w);
}

// A compiler may refuse what is written anew after the panel has shown the kernel.
TEST(a_late_refusal_is_told)
{
    static const char *const source = "//! filter \"Slow\"\n"
                                      "#include \"kernel.h\"\n"
                                      "//! variant first 32x8\n"
                                      "__global__ void one(plane out, plane in)\n"
                                      "{\n"
                                      "    out.pixels[0] = 1;\n"
                                      "}\n";
    char *folder = folder_make(), *before = unit_set("TILESCOPE_CACHE", folder);
    struct world w = open_world(source);
    struct source_model_facts facts = facts_of(&w, 0);
    facts.include = TILESCOPE_KERNELS;
    facts.is_generic = true;
    source_model_update(&w.model, &facts);
    assert_string_equal(w.model.listing.lines[0].text, "//! variant first 32x8");
    OWNED(rewritten_finish) struct rewritten written;
    OWNED(headers_finish) struct headers headers;
    assert_true(headers_load(&headers, TILESCOPE_KERNELS, &err));
    g_autofree char *own = device_text(source, w.filter.calls, &headers);
    rewrite(&written, own, w.filter.calls, &headers);
    rewritten_keep_refusal(&written, own, "one.cu:6:5: no such name");
    facts.is_generic = false;
    source_model_update(&w.model, &facts);
    assert_string_equal(w.model.listing.lines[0].text,
                        "stays slow on a CPU: what is written anew fails: no such name");
    close_world(&w);
    unit_restore("TILESCOPE_CACHE", before);
    folder_end(folder);
}

// Every variant of every file, with its changes: no line of it is lost.
TEST(all_files_have_all_lines)
{
    OWNED(filter_list_finish) struct filter_list filters;
    OWNED(headers_finish) struct headers headers;
    assert_true(filter_list_load(&filters, TILESCOPE_KERNELS, TILESCOPE_KERNELS, &err));
    assert_true(headers_load(&headers, TILESCOPE_KERNELS, &err));
    OWNED(source_model_finish) struct source_model m = {.head = 0};
    for (int i = 0; i < filters.count; i++)
        for (int k = 0; k < filters.filters[i].variant_count; k++) {
            struct source_model_facts facts = {.filter = &filters.filters[i],
                                               .variant = &filters.filters[i].variants[k],
                                               .headers = &headers,
                                               .letter = ""};
            source_model_update(&m, &facts);
            const int count = m.listing.count;
            int kept = 0;
            facts.has_changes = true;
            source_model_update(&m, &facts);
            const struct listing *l = &m.listing;
            for (int line = 0; line < l->count; line++)
                kept += l->lines[line].mark != LISTING_REMOVED;
            assert_int_equal(kept, count);
            assert_true(count > 8);
        }
}

TEST(machine_code_has_the_lines_it_comes_from)
{
    static const char ptx[] = "\n.version 9.0\n.target sm_86\n"
                              ".entry launch_two_second(\n)\n{\n"
                              "\tmov.u32 %r1, 1;\n"
                              "\t.loc 1 20 3\n"
                              "$L__BB0_1:\n"
                              "\tld.global.v2.f32 {%f1, %f2}, [%rd1];\n"
                              "\t.loc 2 1 3, function_name $n, inlined_at 1 21 5\n"
                              "\t@%p1 bra $L__BB0_1;\n"
                              "\tret;\n}\n"
                              "\t.file 1 \"k/two.cu\"\n\t.file 2 \"k/kernel.h\"\n";
    static const bool marked_lines[] = {false, false, false, false, true, true};
    struct world w = open_world(text);
    struct source_model_facts facts = facts_of(&w, 1);
    facts.has_changes = true;
    struct machine_code codes[FILTER_MAX_PASSES] = {{.count = 0}};
    assert_true(machine_code_read(&codes[0], ptx, facts.variant->passes[0].entry, &err));
    facts.machine = codes;
    const struct trace_place marked = {.file = "kernel.h", .line = 1};
    source_model_update(&w.model, &facts);
    source_model_set_lens(&w.model, &(struct source_model_lens){.marked = &marked});
    const struct listing *l = &w.model.listing;
    assert_string_equal(l->title, "two.cu · second");
    assert_string_equal(l->about, "PTX for sm_86");
    expect_lines(l,
                 "0=two_second\n0 4 instructions; load global 1×64 bits\n0      0  mov.u32 %r1, 1\n"
                 "20 ┌    1  ld.global.v2.f32 {%f1, %f2}, [%rd1]\n"
                 "21 └    2  @%p1 bra 1\n21      3  ret\n");
    assert_string_equal(l->lines[3].figures, "load global 64 bits");
    for (int i = 0; i < l->count; i++) assert_int_equal(l->lines[i].is_marked, marked_lines[i]);
    // Other code of the same variant, which was read into the same place.
    machine_code_finish(&codes[0]);
    facts.machine_version++;
    source_model_update(&w.model, &facts);
    assert_int_equal(l->count, 0);
    facts.machine = NULL;
    facts.no_machine = "there is none";
    source_model_update(&w.model, &facts);
    assert_string_equal(l->about, "no machine code");
    expect_lines(l, "0 there is none\n");
    facts.no_machine = NULL;
    source_model_update(&w.model, &facts);
    source_model_set_lens(&w.model, &(struct source_model_lens){.marked = &marked});
    assert_true(l->count > 8 && l->about[0] == '+');
    close_world(&w);
}
