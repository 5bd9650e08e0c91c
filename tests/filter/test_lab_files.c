// What the file of a lab may say beside what a filter's may (test_filter.c), and what each mistake
// in it is called, with its line.
#include "unit.h"

#include "filter/files.h"

#define HEAD   "//! lab \"Sum\"\n"
#define N      "//! param n 64 cpu=8 [1, 99]\n"
#define IN     "//! array a float in [n] noise 0, 255\n"
#define OUT    "//! array b float out [n]\n"
#define ARRAYS IN OUT
#define SUM    "//! variant naive 32x8\n__global__ void sum_naive()\n{\n}\n"

// ---- a whole file ----

static const char full[] =
    "//! lab \"Matrix times vector\" key V\n"
    "//! file .bin rows columns a -> rows y\n"
    "#include \"lab.h\"\n"
    "\n"
    "//! param rows 4096 cpu=512 [1, 32768] rows of a\n"
    "//! param columns 4096 [1, 32768] columns of a\n"
    "//! param scale 2 cpu=0.5 [0, 8] of all\n"
    "//! let pitch = columns + 1\n"
    "//! array a in [rows][pitch] noise -rows, min(15, 2 * columns)\n"
    "//! array x unsigned char in [columns] counted\n"
    "//!array p  unsigned \t int  in[columns]permutation\n"
    "//! array y out [rows] shown -16384, 16384\n"
    "//! array sums\tunsigned char out [2][rows][columns]\n"
    "//! array t scratch [columns][rows]\n"
    "//! array l float in [rows][columns] letter -rows, 7\n"
    "\n"
    "//! reference y\n"
    "__device__ double y_at(const float *a, int columns, long long i)\n"
    "{\n"
    "}\n"
    "\n"
    "// A thread a row.\n"
    "//! variant naive 128x1 domain=rows\n"
    "__global__ void matvec_naive(int *y, const float *a, int rows, float scale)\n"
    "{\n"
    "}\n"
    "// Turned round.\n"
    "//! variant turned 32x8 domain=max(rows, 32), columns prepare=matvec_turn finish=matvec_back "
    "shared=4*bw\n"
    "__global__ void matvec_turned(float4 *t)\n"
    "{\n"
    "}\n"
    "//! variant turned 64x1\n"
    "__global__ void matvec_turned_again() {}\n"
    "//! untimed 32x4 domain=rows, columns\n"
    "__global__ void matvec_turn() {}\n"
    "//! untimed 16x16\n"
    "__global__ void matvec_back() {}\n";

static void assert_arrays(const struct filter *f)
{
    static const struct {
        const char *name;
        enum array_type type;
        enum array_kind kind;
        enum array_fill fill;
        int dimensions;
        bool has_reference;
        const char *first, *low, *high;
    } wanted[] = {
        {"a", ARRAY_FLOAT, ARRAY_IN, ARRAY_NOISE, 2, false, "rows", " -rows",
         " min(15, 2 * columns)"},
        {"x", ARRAY_BYTE, ARRAY_IN, ARRAY_COUNTED, 1, false, "columns", "", ""},
        {"p", ARRAY_UINT, ARRAY_IN, ARRAY_PERMUTATION, 1, false, "columns", "", ""},
        {"y", ARRAY_INT, ARRAY_OUT, ARRAY_NOISE, 1, true, "rows", " -16384", " 16384"},
        {"sums", ARRAY_BYTE, ARRAY_OUT, ARRAY_NOISE, 3, false, "2", "", ""},
        {"t", ARRAY_FLOAT, ARRAY_SCRATCH, ARRAY_NOISE, 2, false, "columns", "", ""},
        {"l", ARRAY_FLOAT, ARRAY_IN, ARRAY_LETTER, 2, false, "rows", " -rows", " 7"},
    };
    assert_int_equal(f->array_count, G_N_ELEMENTS(wanted));
    for (int i = 0; i < f->array_count; i++) {
        const struct array *a = &f->arrays[i];
        assert_string_equal(a->name, wanted[i].name);
        assert_int_equal(a->type, wanted[i].type);
        assert_int_equal(a->kind, wanted[i].kind);
        assert_int_equal(a->fill, wanted[i].fill);
        assert_int_equal(a->dimensions, wanted[i].dimensions);
        assert_int_equal(a->has_reference, wanted[i].has_reference);
        assert_string_equal(a->shape[0].text, wanted[i].first);
        assert_string_equal(a->low.text, wanted[i].low);
        assert_string_equal(a->high.text, wanted[i].high);
        assert_int_equal(arrays_find(f, a->name), i);
    }
    assert_int_equal(arrays_find(f, "b"), -1);
    assert_int_equal(arrays_first(f, ARRAY_OUT), 3);
}

TEST(a_whole_file)
{
    OWNED(filter_finish) struct filter f = parsed(full);
    assert_false(filter_has_picture(&f));
    assert_string_equal(f.title, "Matrix times vector");
    assert_int_equal(f.key, 'V');
    assert_arrays(&f);
    assert_variants(&f,
                    "naive: matvec_naive 128x1 across=rows down=1 note=A thread a row.\n"
                    "turned: matvec_turned 32x8 shared=4*bw across=max(rows, 32) down= columns |"
                    " matvec_turned_again 64x1 prepare=matvec_turn finish=matvec_back"
                    " note=Turned round.\n");
    assert_int_equal(f.untimed_count, 2);
    assert_int_equal(filter_untimed(&f, "matvec_back"), 1);
    assert_int_equal(filter_untimed(&f, "matvec_turned"), -1);
    assert_int_equal(f.untimed[0].block_height, 4);
    assert_string_equal(f.untimed[0].domain[1].text, " columns");
    assert_true(f.untimed[1].is_fixed);
    assert_true(f.has_file);
    assert_int_equal(f.file_in.param_count, 2);
    assert_int_equal(f.file_in.params[1], 1);
    assert_int_equal(f.file_in.array, 0);
    assert_int_equal(f.file_out.param_count, 1);
    assert_int_equal(f.file_out.params[0], 0);
    assert_int_equal(f.file_out.array, 3);
    filter_finish(&f);

    f = parsed(HEAD N ARRAYS SUM);
    assert_false(f.has_file);
    assert_int_equal(f.untimed_count, 0);
    filter_finish(&f);
    f = parsed("//! filter \"Mean\"\n" SUM);
    assert_true(filter_has_picture(&f));
}

TEST(defaults_on_a_cpu)
{
    OWNED(filter_finish) struct filter f = parsed(full);
    assert_true(f.params[0].value == 4096 && f.params[0].cpu_value == 512);
    assert_true(f.params[1].value == 4096 && f.params[1].cpu_value == 4096);
    assert_true(f.params[2].value == 2 && f.params[2].cpu_value == 0.5);
    assert_string_equal(f.params[0].help, "rows of a");
    struct filter_list list = {&f, 1};
    filter_list_use_cpu(&list);
    const struct param_values values = filter_defaults(&f);
    assert_true(values.v[0] == 512 && values.v[1] == 4096 && values.v[2] == 0.5);
}

TEST(bad_defaults_on_a_cpu)
{
    static const char limits[] = "expected: //! param name default [min, max] help";
    static const struct mistake bad[] = {
        {"//! param n 64 cpu=100 [1, 99]", "default 100 of 'n' lies outside [1, 99]"},
        {"//! param n 64 cpu=0 [1, 99]", "default 0 of 'n' lies outside [1, 99]"},
        {"//! param n 100 cpu=8 [1, 99]", "default 100 of 'n' lies outside [1, 99]"},
        {"//! param n int 64 cpu=1.5 [1, 99]", "default and limits of int 'n' must be whole"},
        {"//! param n float 64 cpu=nan [1, 99]", "default nan of 'n' lies outside [1, 99]"},
        {"//! param n 64 cpu= [1, 99]", limits},
        {"//! param n 64 gpu=8 [1, 99]", limits},
        {"//! param n cpu=8 [1, 99]", limits},
        {"//! param n 64 [1, 99", limits},
        {"//! param n x cpu=y [x, y]", limits},
    };
    assert_mistakes(HEAD, bad, G_N_ELEMENTS(bad), "\n" SUM, 2);
}

TEST(bad_titles)
{
    static const char form[] = "expected: //! lab \"Title\"";
    assert_refused("//! lab\n", 1, form);
    assert_refused("//! lab Sum\n", 1, form);
    assert_refused("//! lab \"\"\n", 1, form);
    assert_refused("//! lab \"Sum\" key #\n", 1,
                   "'key #' is not understood; after the title may stand: key K");
    assert_refused("\n//! labs \"Sum\"\n", 2, "the first directive is: //! filter \"Title\"");
    assert_refused(HEAD HEAD, 2, "a second lab line");
    assert_refused(HEAD "//! filter \"Sum\"\n", 2, "a second filter line");
    assert_refused("//! filter \"Sum\"\n" HEAD, 2, "a second lab line");
}

// ---- arrays ----

#define EXPECTED                                                                                \
    "expected: //! array name [type] in [EXPR] [reads [EXPR]] noise|letter EXPR, EXPR; or "     \
    "counted, or permutation; or out [EXPR] [shown EXPR, EXPR [grey|ramp|signed]]; or scratch " \
    "[EXPR]"
#define TYPES "numbers of 8, 16, 32 and 64 bits are known, such as unsigned char, half and double"
#define LONG                                                                                   \
    "1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + " \
    "1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1"

// The word behind the range is the map, unless it is all of the upper value.
TEST(maps)
{
    static const struct {
        const char *shown;
        enum color_map map;
        const char *high;
    } rows[] = {{"shown 0, n", COLOR_MAP_GREY, "n"},
                {"shown 0, 2 * n grey", COLOR_MAP_GREY, "2 * n"},
                {"shown -n, n signed ", COLOR_MAP_SIGNED, "n"},
                {"shown 0, ramp", COLOR_MAP_GREY, "ramp"},
                {"shown 0, ramp ramp", COLOR_MAP_RAMP, "ramp"},
                {"shown 0, 2 * ramp", COLOR_MAP_GREY, "2 * ramp"},
                {"", COLOR_MAP_GREY, NULL}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text =
            g_strdup_printf("//! lab \"M\"\n#include \"lab.h\"\n"
                            "//! param n 8 [1, 9] n\n//! param ramp 8 [1, 9] n\n"
                            "//! array y int out [n] %s\n"
                            "//! variant naive 1x1\n__global__ void a() {}\n",
                            rows[i].shown);
        OWNED(filter_finish) struct filter f = parsed(text);
        assert_int_equal(f.arrays[0].map, rows[i].map);
        if (rows[i].high) {
            g_autofree char *high = g_strstrip(g_strdup(f.arrays[0].high.text));
            assert_string_equal(high, rows[i].high);
        }
    }
}

TEST(bad_arrays)
{
    static const struct mistake bad[] = {
        {"//! array", EXPECTED},
        {"//! array b", EXPECTED},
        {"//! array b; float out [n]", EXPECTED},
        {"//! array b[4] float out [n]", EXPECTED},
        {"//! array *b float out [n]", EXPECTED},
        {"//! array b float* out [n]", EXPECTED},
        {"//! array b float [n]", EXPECTED},
        {"//! array b long double out [n]", "array 'b' is of type long double; " TYPES},
        {"//! array b Float out [n]", "array 'b' is of type Float; " TYPES},
        {"//! array b float5 out [n]", "array 'b' is of type float5; " TYPES},
        {"//! array b const float in [n] counted", "array 'b' is of type const float; " TYPES},
        {"//! array new float out [n]", "array 'new' is a word of C++: give it another name"},
        {"//! array 2b float out [n]", "array '2b' is not a name of less than 32 letters"},
        {"//! array a_name_of_thirty_two_characters_ float out [n]",
         "array 'a_name_of_thirty_two_characters_' is not a name of less than 32 letters"},
        {"//! array a int out [n]", "a second array 'a'"},
        {"//! array b out [n]", "no kernel has an argument 'b'; its type may stand in the line, as "
                                "in: //! array b float in [n]"},
        {"//! array b float inout [n]", EXPECTED},
        {"//! array b float Out [n]", EXPECTED},
        {"//! array b float out", EXPECTED},
        {"//! array b float out n", EXPECTED},
        {"//! array b float out [n", EXPECTED},
        {"//! array b float out [n] 3", EXPECTED},
        {"//! array b float out [n] noise 0, 255", EXPECTED},
        {"//! array b float out [n] shown", EXPECTED},
        {"//! array b float out [n] shown 0", EXPECTED},
        {"//! array b float out [n] shown ramp", EXPECTED},
        {"//! array b float scratch [n] shown 0, 255", EXPECTED},
        {"//! array b float scratch", EXPECTED},
        {"//! array b float in [n]", EXPECTED},
        {"//! array b float in [n] zeros", EXPECTED},
        {"//! array b float in [n] counted 3", EXPECTED},
        {"//! array b float in [n] permutation of n", EXPECTED},
        {"//! array b float in [n] noise", EXPECTED},
        {"//! array b float in [n] noise 255", EXPECTED},
        {"//! array b float in [n] noise min(0, 255)", EXPECTED},
        {"//! array b float in noise 0, 255", EXPECTED},
        {"//! array b float in [n] noise , 255", "the lower value: ' ' breaks off at ''"},
        {"//! array b float in [n] noise 0,", "the higher value: '' breaks off at ''"},
        {"//! array b float in [n] noise0, 255", EXPECTED},
        {"//! array b float in [n][2] letter", EXPECTED},
        {"//! array b float in [n][2] letters 0, 255", EXPECTED},
        {"//! array b float in [n] letter 0, 255", "a letter needs rows and columns: [EXPR][EXPR]"},
        {"//! array b float in [n][n][n] letter 0, 255",
         "a letter needs rows and columns: [EXPR][EXPR]"},
        {"//! array b float out [n] shown0, 255", EXPECTED},
        {"//! array b float in [n] noise 0, 255, 3",
         "the higher value: ' 255, 3' breaks off at ', 3'"},
        {"//! array b float in [n] noise -m, 3", "the lower value: unknown name 'm' in ' -m'"},
        {"//! array b float in [n] reads n counted", EXPECTED},
        {"//! array b float in [n] reads [m] counted", "what is read: unknown name 'm' in 'm'"},
        {"//! array b float in [n] reads [n][n] counted", EXPECTED},
        {"//! array b float out [n] reads [n]", EXPECTED},
        {"//! array b float out []", "a side of the array: '' breaks off at ''"},
        {"//! array b float out [n][m]", "a side of the array: unknown name 'm' in 'm'"},
        {"//! array b float out [2*bw]", "a side of the array: unknown name 'bw' in '2*bw'"},
        {"//! array b float out [width]", "a side of the array: unknown name 'width' in 'width'"},
        {"//! array b float out [of_block]",
         "a side of the array: 'of_block' follows from bw, which is not known yet"},
        {"//! array b float out [n] shown 0, multiprocessors",
         "the higher value: unknown name 'multiprocessors' in ' multiprocessors'"},
        {"//! array b float out [n][n][n][n]", "array 'b' has more than 3 dimensions"},
        {"//! array b float out [" LONG "]", "a side of the array is longer than 127 characters"},
    };
    assert_mistakes(HEAD N "//! let of_block = n + bw\n" IN, bad, G_N_ELEMENTS(bad),
                    "\n//! array last int out [n]\n" SUM, 5);
}

TEST(where_arrays_stand)
{
    assert_refused("//! filter \"Mean\"\n" N ARRAYS SUM, 3, "only a lab has arrays");
    assert_refused(HEAD N SUM, 1, "no out array");
    assert_refused(HEAD N IN SUM, 1, "no out array");
    assert_refused(HEAD OUT N SUM, 2, "a side of the array: unknown name 'n' in 'n'");
    assert_refused(HEAD N ARRAYS, 1,
                   "no line: //! variant name WxH (tilescope adopt proposes notes)");
    OWNED(filter_finish) struct filter f = parsed(HEAD N OUT SUM);
    assert_int_equal(f.array_count, 1);
}

TEST(number_of_arrays)
{
    g_autoptr(GString) text = g_string_new(HEAD N);
    for (int i = 0; i < ARRAYS_MAX; i++)
        g_string_append_printf(text, "//! array a%d int out [n]\n", i);
    g_autofree char *good = g_strconcat(text->str, SUM, NULL);
    OWNED(filter_finish) struct filter f = parsed(good);
    assert_int_equal(f.array_count, ARRAYS_MAX);
    g_string_append(text, "//! array more int out [n]\n");
    assert_refused(text->str, 3 + ARRAYS_MAX, "more than 12 arrays");
}

#define AT "__device__ double at() {}\n"

TEST(references)
{
    static const char form[] = "expected: //! reference array";
    static const char lonely[] = "the reference of 'b' has no function below it";
    OWNED(filter_finish)
    struct filter f = parsed(HEAD N ARRAYS "// Slowly.\n//! reference b\n// Still.\n" AT SUM);
    assert_true(f.arrays[1].has_reference);
    filter_finish(&f);
    f = parsed("//! filter \"Mean\"\n  //! reference  out \n" AT SUM);
    assert_true(f.arrays[ARRAYS_OUT].has_reference && filter_has_reference(&f));
    assert_refused("//! filter \"Mean\"\n//! reference in\n" SUM, 2, "there is no out array 'in'");
    static const struct mistake bad[] = {
        {"//! reference\n" AT, form},
        {"//! reference b at\n" AT, form},
        {"//! reference b;\n" AT, form},
        {"//! reference a\n" AT, "there is no out array 'a'"},
        {"//! reference c\n" AT, "there is no out array 'c'"},
        {"//! reference b\n//! reference b\n" AT, "the reference line above has no function", 6},
        {"//! reference b\n" AT "//! reference b\n" AT, "a second reference of 'b'", 7},
        {"//! reference b\n", "the reference of 'b' cannot be a kernel", 7},
    };
    assert_mistakes(HEAD N ARRAYS, bad, G_N_ELEMENTS(bad), SUM, 5);
    assert_refused(HEAD N "//! reference b\n" AT ARRAYS SUM, 3, "there is no out array 'b'");
    assert_refused(HEAD N ARRAYS SUM "//! reference b\n", 9, lonely);
    assert_refused(HEAD N ARRAYS SUM "//! reference b\n__device__ double at();\n", 9, lonely);
}

// ---- variants ----

TEST(bad_options)
{
    static const struct mistake bad[] = {
        {"domain=", "domain=: '' breaks off at ''"},
        {"domain=n,", "domain=: '' breaks off at ''"},
        {"domain=,n", "domain=: '' breaks off at ''"},
        {"domain=n, n,", "domain=: '' breaks off at ''"},
        {"domain=n, n, n, n", "domain=: ' n, n' breaks off at ', n'"},
        {"domain=m", "domain=: unknown name 'm' in 'm'"},
        {"domain=n/(n - n)", "domain=: 'n/(n - n)' divides by zero"},
        {"domain=n domain=n", "a second domain="},
        {"domain=" LONG, "domain= is longer than 127 characters"},
        {"prepare=", "prepare= names no kernel"},
        {"finish=", "finish= names no kernel"},
        {"prepare=turn prepare=turn", "a second prepare="},
        {"pitch=n", "planes= and pitch= belong to an untimed kernel"},
        {"prepare=" LONG, "prepare= is too long"},
    };
    assert_mistakes(HEAD N ARRAYS "//! variant naive 8x8 ", bad, G_N_ELEMENTS(bad),
                    "\n__global__ void k() {}\n//! untimed 8x8\n__global__ void turn() {}\n", 5);
    assert_refused("//! filter \"Mean\"\n" N
                   "//! variant naive 8x8 domain=n\n__global__ void k() {}\n",
                   3, "domain= is for labs; a filter's is its picture");
    assert_refused(HEAD "//! weights gaussian\n" N ARRAYS SUM, 2, "weights are for filters");
}

#define TURN "//! untimed 8x8\n__global__ void turn() {}\n"

TEST(untimed_kernels)
{
    static const char *const missing[] = {"prepare", "finish"};
    for (int i = 0; i < 2; i++) {
        g_autofree char *source = g_strdup_printf(
            HEAD N ARRAYS "//! variant naive 8x8 %s=turm\n__global__ void k() {}\n" TURN,
            missing[i]);
        g_autofree char *message = g_strdup_printf(
            "%s= of 'naive' names 'turm', which has no //! untimed line", missing[i]);
        assert_refused(source, 1, message);
    }
    assert_refused(HEAD N ARRAYS SUM
                   "//! variant naive 8x8 prepare=turn\n__global__ void k() {}\n" TURN,
                   9, "prepare= and finish= belong to the first pass of 'naive'");
    static const struct mistake bad[] = {
        {"//! untimed\n", "expected: //! untimed WxH"},
        {"//! untimed turn 8x8\n", "expected: //! untimed WxH"},
        {"//! untimed 8x8x8x8\n", "expected: //! untimed WxH"},
        {"//! untimed 8x8x65\n", "blocks of labs have up to 64 layers, and a filter's has one"},
        {"//! untimed 0x8\n", "block 0x8 has no threads"},
        {"//! untimed 64x32\n", "block 64x32 has more than 1024 threads"},
        {"//! untimed 8x8 fast\n", "'fast' is not understood in a variant line"},
        {"//! untimed 8x8 prepare=turn\n", "an untimed kernel has no prepare= and no finish="},
        {"//! untimed 8x8 planes=3\n", "planes= and pitch= are for filters"},
        {"//! untimed 8x8 pitch=n\n", "planes= and pitch= are for filters"},
        {"//! untimed 8x8\n", "the variant line has no kernel below it"},
        {TURN TURN, "a second kernel 'turn'", 12},
        {"//! untimed 8x8\n__global__ void sum_naive() {}\n", "a second kernel 'sum_naive'", 10},
        {"//! untimed 8x8\n" TURN, "a variant line must be followed by its kernel", 10},
    };
    assert_mistakes(HEAD N ARRAYS SUM, bad, G_N_ELEMENTS(bad), "", 9);
    g_autoptr(GString) text = g_string_new(HEAD N ARRAYS SUM);
    for (int i = 0; i < FILTER_MAX_UNTIMED; i++)
        g_string_append_printf(text, "//! untimed 8x8\n__global__ void u%d() {}\n", i);
    OWNED(filter_finish) struct filter f = parsed(text->str);
    assert_int_equal(f.untimed_count, FILTER_MAX_UNTIMED);
    g_string_append(text, TURN);
    assert_refused(text->str, 9 + 2 * FILTER_MAX_UNTIMED, "more than 4 untimed kernels");
}

// ---- //! file ----

TEST(bad_files)
{
    static const char form[] = "expected: //! file .bin param ... array -> param ... array";
    static const struct mistake bad[] = {
        {"//! file", form},
        {"//! file .bin", form},
        {"//! file .npy n a -> n b", form},
        {"//! file n a -> n b", form},
        {"//! file .bin n a n b", form},
        {"//! file .bin n a ->", "the file line names no array"},
        {"//! file .bin -> b", "the file line names no array"},
        {"//! file .bin n -> b", "'n' is not an in array"},
        {"//! file .bin n b -> b", "'b' is not an in array"},
        {"//! file .bin n a -> a", "'a' is not an out array"},
        {"//! file .bin n a -> t", "'t' is not an out array"},
        {"//! file .bin m a -> b", "'m' is not an int param"},
        {"//! file .bin f a -> b", "'f' is not an int param"},
        {"//! file .bin a n -> b", "'a' is not an int param"},
        {"//! file .bin a -> b -> b", "'b' is not an int param"},
        {"//! file .bin n n a -> b", "'n' stands twice before 'a'"},
        {"//! file .bin a -> n n b", "'n' stands twice before 'b'"},
    };
    assert_mistakes(
        HEAD "\n", bad, G_N_ELEMENTS(bad),
        "\n" N "//! param f float 1 [0, 1]\n" IN OUT "//! array t float scratch [n]\n" SUM, 3);
    assert_refused(HEAD "//! file .bin a -> b\n//! file .bin a -> b\n" N ARRAYS SUM, 3,
                   "a second file line");
    assert_refused("//! filter \"Mean\"\n//! file .bin a -> b\n" SUM, 2, "file is for labs");
    OWNED(filter_finish) struct filter f = parsed(HEAD N ARRAYS SUM "//! file .bin a->b");
    assert_true(f.has_file);
    assert_int_equal(f.file_in.param_count, 0);
    assert_int_equal(f.file_out.array, 1);
}
