// What a kernel file may say about itself, and what each mistake in it is called, with its line.
#include "unit.h"

#include "filter/files.h"

// ---- whole files ----

static const char full[] =
    "// A comment of the file.\n"
    "//! filter \"Adaptive threshold\" key t\n"
    "//! param radius 3 [0, 64] pixels on each side\n"
    "//! param c -5 [-128, 127] offset\n"
    "//! param sigma 0.5 [0, 12.25]\n"
    "#include \"kernel.h\"\n"
    "\n"
    "// One thread per pixel,\n"
    "// every tap from global memory.\n"
    "//! variant naive 32x8 level=floor\n"
    "__global__ void threshold_naive(plane out, plane in, int radius, int c, float sigma)\n"
    "{\n"
    "    // inside\n"
    "}\n"
    "\n"
    "// Rows, then columns.\n"
    "//! variant separable 64x4 each=2x3 shared=(bw + 2*radius) * 4\n"
    "__global__ void threshold_rows(unsigned int *scratch, plane in, int radius)\n"
    "{\n"
    "}\n"
    "//! variant separable 16x16 columns=8*bw - radius rows=5 block=fixed level=expert "
    "multiple_of=16\n"
    "__global__ void threshold_columns(plane out, const unsigned int *scratch, int radius)\n"
    "{\n"
    "}\n";

static void assert_full(const struct filter *f)
{
    assert_string_equal(f->name, "mean");
    assert_string_equal(f->title, "Adaptive threshold");
    assert_int_equal(f->key, 't');
    assert_int_equal(f->param_count, 3);
    assert_string_equal(f->params[0].name, "radius");
    assert_string_equal(f->params[0].help, "pixels on each side");
    assert_false(f->params[0].is_float);
    assert_true(f->params[1].value == -5 && f->params[1].min == -128 && f->params[1].max == 127);
    assert_true(f->params[2].is_float);
    assert_true(f->params[2].value == 0.5 && f->params[2].max == 12.25);
    assert_string_equal(f->params[2].help, "");
    assert_variants(f, "naive: threshold_naive 32x8"
                       " note=One thread per pixel, every tap from global memory. floor\n"
                       "separable: threshold_rows 64x4 each=2x3 shared=(bw + 2*radius) * 4 |"
                       " threshold_columns 16x16 multiple_of=16 columns=8*bw - radius rows=5 fixed"
                       " note=Rows, then columns. expert\n");
}

TEST(a_whole_file)
{
    OWNED(filter_finish) struct filter f = parsed(full);
    assert_full(&f);
    assert_string_equal(f.path, "kernels/mean.cu");
    assert_string_equal(f.source, full);
    assert_ptr_equal(filter_variant(&f, "separable"), &f.variants[1]);
    assert_null(filter_variant(&f, "separabl"));
    assert_null(filter_variant(&f, ""));
    assert_int_equal(filter_param(&f, "sigma"), 2);
    assert_int_equal(filter_param(&f, "sigm"), -1);
    assert_int_equal(filter_radius(&f), 0);
    filter_finish(&f);
    assert_null(f.source);
}

TEST(line_ends)
{
    g_auto(GStrv) lines = g_strsplit(full, "\n", -1);
    g_autofree char *text = g_strjoinv("\r\n", lines);
    OWNED(filter_finish) struct filter f = parsed(text);
    assert_full(&f);
    filter_finish(&f);
    assert_refused(MEAN "\r\n//! variant naive 32x\r\n", 3, "expected: //! variant name WxH");
    f = parsed(MEAN "//! variant naive 32x8\n__global__ void mean_naive() {}");  // none at the end
    assert_string_equal(f.variants[0].passes[0].entry, "mean_naive");
    assert_refused(MEAN "//! variant naive 32x8", 2, "the variant line has no kernel below it");
}

TEST(huge_files)
{
    enum { LINES = 8000, LONG = 1 << 20 };
    g_autofree char *longest = g_strnfill(LONG, 'x');
    g_autoptr(GString) text = g_string_new(MEAN);
    g_string_append_printf(text, "// %s\n" NAIVE, longest);
    for (int i = 0; i < LINES; i++) g_string_append(text, "    // sum += in.pixels[0];\n");
    g_string_append(text, "//! variant second 8x8\n__global__ void mean_second()\n{\n}\n");
    OWNED(filter_finish) struct filter f = parsed(text->str);
    assert_int_equal(f.variant_count, 2);
    assert_int_equal(strlen(f.variants[0].note), sizeof f.variants[0].note - 1);
    g_string_append(text, "//! oops\n");
    assert_refused(text->str, 1 + 1 + 4 + LINES + 4 + 1, "unknown directive 'oops'; " KNOWN);
}

TEST(the_name_is_the_files)
{
    struct filter f;
    assert_true(filter_parse(&f, "/a b/gaussian_2.cu", MEAN NAIVE, NULL, NULL));
    assert_string_equal(f.name, "gaussian_2");
    filter_finish(&f);
    assert_true(filter_parse(&f, "x/2_My-Filter.cu", MEAN NAIVE, NULL, NULL));
    assert_string_equal(f.name, "2_My-Filter");
    filter_finish(&f);
    static const char *const others[][2] = {
        {"", "_cu"},
        {"-mean", "_mean"},
        {"my mean.v2 (1)", "my_mean_v2__1_"},
        {"m\u00f6an", "m__an"},
        {"a_name_of_thirty_two_characters_", "a_name_of_thirty_two_characters"}};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_autofree char *path = g_strconcat("/a/", others[i][0], ".cu", NULL);
        assert_true(filter_parse(&f, path, MEAN NAIVE, NULL, &err));
        assert_string_equal(f.name, others[i][1]);
        filter_finish(&f);
    }
}

// ---- //! filter ----

TEST(titles)
{
    static const struct {
        const char *line, *title;
        char key;
    } good[] = {
        {"//! filter \"Mean\"", "Mean", 0},
        {"//!filter \"Mean\"", "Mean", 0},
        {"  //!   filter   \"Mean\"   ", "Mean", 0},
        {"//! filter \"Gauß \xc2\xb7 \xe5\xb9\xb3\xe5\x9d\x87\" key G", "Gauß · 平均", 'G'},
        {"//! filter \"M\" key 0", "M", '0'},
        {"//! filter \"M\"  key   x", "M", 'x'},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autofree char *source = g_strconcat(good[i].line, "\n" NAIVE, NULL);
        OWNED(filter_finish) struct filter f = parsed(source);
        assert_string_equal(f.title, good[i].title);
        assert_int_equal(f.key, good[i].key);
    }
}

TEST(bad_titles)
{
    static const char form[] = "expected: //! filter \"Title\"";
    static const struct mistake bad[] = {
        {"//! filter", form},
        {"//! filter Mean", form},
        {"//! filter \"\"", form},
        {"//! filter \"Mean", form},
        {"//! filter \"A title that is longer than the sixty-three characters there are\" key m",
         form},
        {"//! filter \"Mean\" m", "'m' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" key", "'key' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" key mm",
         "'key mm' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" keym", "'keym' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" key ?",
         "'key ?' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" key m n",
         "'key m n' is not understood; after the title may stand: key K"},
        {"//! filter \"Mean\" Key m",
         "'Key m' is not understood; after the title may stand: key K"},
        {"//! variant naive 32x8", "the first directive is: //! filter \"Title\""},
        {"//! param radius 3 [0, 64]", "the first directive is: //! filter \"Title\""},
    };
    assert_mistakes("\n", bad, G_N_ELEMENTS(bad), "\n" NAIVE, 2);
    assert_refused("#include \"kernel.h\"\n", 1, "no line: //! filter \"Title\"");
    assert_refused("", 1, "no line: //! filter \"Title\"");
    assert_refused(MEAN "\n" MEAN NAIVE, 3, "a second filter line");
    assert_refused(MEAN, 1, "no line: //! variant name WxH (tilescope adopt proposes notes)");
}

// ---- weights ----

#define RADIUS_AND(more) "//! param radius 3 [0, 64]\n" more
#define SIGMA            "//! param sigma float 0 [0, 64]\n"

TEST(weights)
{
    OWNED(filter_finish) struct filter f = parsed(MEAN NAIVE);
    assert_false(f.has_weights);
    filter_finish(&f);
    f = parsed(MEAN "//! weights gaussian\n" RADIUS_AND(SIGMA) NAIVE);
    assert_true(f.has_weights);

    const char *source = "//! weights gaussian\n" MEAN RADIUS_AND(SIGMA) NAIVE;
    assert_refused(source, 1, "the first directive is: //! filter \"Title\"");
    assert_refused(MEAN "//! weights gauss\n" RADIUS_AND(SIGMA) NAIVE, 2,
                   "there are no weights 'gauss'; known are gaussian");
    assert_refused(MEAN "//! weights\n" NAIVE, 2, "expected: //! weights gaussian");
    assert_refused(MEAN "//! weights gaussian 3\n" NAIVE, 2, "expected: //! weights gaussian");
    assert_refused(MEAN "//! weights gaussian\n\n//! weights gaussian\n" NAIVE, 4,
                   "a second weights line");
    assert_refused(MEAN "\n//! weights gaussian\n" RADIUS_AND("") NAIVE, 3,
                   "the weights 'gaussian' need a param 'sigma'");
    assert_refused(MEAN "//! weights gaussian\n//! param radius 3 [0, 65]\n" SIGMA "" NAIVE, 2,
                   "the weights 'gaussian' want a radius of at least 0 and at most 64");
    assert_refused(MEAN "//! weights gaussian\n" RADIUS_AND("//! param sigma float 0 [-1, 64]\n")
                       NAIVE,
                   2, "the weights 'gaussian' want a sigma of at least 0");
}

#define TOLD "; known are sectors in ideal and copy, conflicts, and time in copy"

TEST(goals)
{
    static const struct {
        const char *line;
        struct goal goal;
    } rows[] = {
        {"//! goal sectors <= 1.05 ideal\n", {GOAL_SECTORS, GOAL_IDEAL, 1.05, 10}},
        {"//! goal sectors <= 2 copy points 30\n", {GOAL_SECTORS, GOAL_COPY, 2, 30}},
        {"//! goal conflicts = 0\n", {GOAL_CONFLICTS, GOAL_NUMBER, 0, 10}},
        {"//! goal conflicts <= 64 points 5\n", {GOAL_CONFLICTS, GOAL_NUMBER, 64, 5}},
        {"  //! goal   time<=1.2   copy\n", {GOAL_TIME, GOAL_COPY, 1.2, 10}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *source = g_strconcat(MEAN, rows[i].line, NAIVE, NULL);
        OWNED(filter_finish) struct filter f = parsed(source);
        assert_int_equal(f.goal_count, 1);
        assert_int_equal(f.goals[0].figure, rows[i].goal.figure);
        assert_int_equal(f.goals[0].unit, rows[i].goal.unit);
        assert_true(f.goals[0].limit == rows[i].goal.limit);
        assert_int_equal(f.goals[0].points, rows[i].goal.points);
    }
    static const char form[] = "expected: //! goal FIGURE <= N [UNIT] [points N]";
    static const struct mistake bad[] = {
        {"//! goal", form},
        {"//! goal sectors 1.05 ideal", form},
        {"//! goal speed <= 2", "goal 'speed' is not one of sectors, conflicts and time"},
        {"//! goal sectors = 1 ideal", "a goal is a figure with <= and a limit, or = 0"},
        {"//! goal conflicts == 0", "a goal is a figure with <= and a limit, or = 0"},
        {"//! goal sectors <= -1 ideal", "a goal's limit is a number from 0 on"},
        {"//! goal sectors <= nan ideal", "a goal's limit is a number from 0 on"},
        {"//! goal sectors <= 2", "sectors is not told in ''" TOLD},
        {"//! goal conflicts <= 2 copy", "conflicts is not told in 'copy'" TOLD},
        {"//! goal time <= 2 ideal", "time is not told in 'ideal'" TOLD},
        {"//! goal time <= 2 copies", "time is not told in 'copies'" TOLD},
        {"//! goal time <= 2 copy point 3", "'point 3' is not understood; expected: points N"},
        {"//! goal time <= 2 copy points 0", "points are at least 1 and at most 100"},
        {"//! goal time <= 2 copy points 3 4", "'4' is too much"},
        {"//! goal conflicts = 0\n//! goal conflicts = 0\n//! goal conflicts = 0\n"
         "//! goal conflicts = 0\n//! goal conflicts = 0\n//! goal conflicts = 0\n"
         "//! goal conflicts = 0",
         "more than 6 goals", 8},
    };
    assert_mistakes(MEAN, bad, G_N_ELEMENTS(bad), "\n" NAIVE, 2);
}

TEST(what_the_compiler_does_otherwise)
{
    OWNED(filter_finish)
    struct filter f =
        parsed(MEAN "//! variant a 32x8\n//! compiled merges two loads\n__global__ void a() {}\n"
                    "//! variant b 32x8\n__global__ void b() {}\n");
    assert_variants(&f, "a: a 32x8 compiled=merges two loads\nb: b 32x8\n");
    filter_finish(&f);
    f = parsed(MEAN "//! variant a 32x8 of k\n//! compiled merges\n"
                    "//! variant b 32x8\n__global__ void k() {}\n");
    assert_variants(&f, "a: k 32x8 compiled=merges\nb: k 32x8\n");
    const char *place = "a compiled line stands between a variant line and its kernel";
    assert_refused(MEAN "//! compiled merges two loads\n" NAIVE, 2, place);
    assert_refused(
        MEAN "//! untimed 32x8\n//! compiled merges two loads\n__global__ void a() {}\n" NAIVE, 3,
        place);
    assert_refused(MEAN NAIVE "//! compiled merges two loads\n", 6, place);
    assert_refused(MEAN "//! variant a 32x8\n//! compiled\n__global__ void a() {}\n", 3,
                   "expected: //! compiled what the GPU's compiler does");
    assert_refused(MEAN
                   "//! variant a 32x8\n//! compiled x\n//! compiled y\n__global__ void a() {}\n",
                   4, "a second compiled line of 'a'");
}

// ---- variants ----

#define THERE_AND_BACK                                                          \
    "//! untimed 16x16 planes=3 pitch=4*width\n__global__ void there()\n{\n}\n" \
    "//! untimed 32x8\n__global__ void back()\n{\n}\n"

TEST(own_pictures)
{
    OWNED(filter_finish)
    struct filter f = parsed(MEAN NAIVE "//! variant four 32x8 prepare=there finish=back each=4x1\n"
                                        "__global__ void mean_four()\n{\n}\n" THERE_AND_BACK);
    assert_false(filter_is_interleaved(&f, &f.variants[0]));
    assert_true(filter_is_interleaved(&f, &f.variants[1]));
    assert_variants(&f, "naive: mean_naive 32x8\n"
                        "four: mean_four 32x8 each=4x1 prepare=there finish=back\n");
    assert_int_equal(f.untimed_count, 2);
    assert_int_equal(f.untimed[0].planes, 3);
    assert_string_equal(f.untimed[0].pitch.text, "4*width");

    static const struct mistake bad[] = {
        {"//! variant four 8x8 prepare=there\n__global__ void four() {}\n" THERE_AND_BACK,
         "'four' has only one of prepare= and finish=", 1},
        {"//! variant four 8x8 finish=back\n__global__ void four() {}\n" THERE_AND_BACK,
         "'four' has only one of prepare= and finish=", 1},
        {"//! variant four 8x8 prepare=there finish=bock\n__global__ void four() "
         "{}\n" THERE_AND_BACK,
         "finish= of 'four' names 'bock', which has no //! untimed line", 1},
        {"//! variant four 8x8 planes=3\n__global__ void four() {}\n",
         "planes= and pitch= belong to an untimed kernel"},
        {"//! variant four 8x8 pitch=bw\n__global__ void four() {}\n",
         "planes= and pitch= belong to an untimed kernel"},
        {"//! untimed 8x8 planes=2\n", "planes= is 1, grey, or 3, colour"},
        {"//! untimed 8x8 planes=3 planes=3\n", "a second planes="},
        {"//! untimed 8x8 planes=\n", "'planes=' is not understood in a variant line"},
        {"//! untimed 8x8 pitch=bv\n", "pitch=: unknown name 'bv' in 'bv'"},
    };
    assert_mistakes(MEAN NAIVE, bad, G_N_ELEMENTS(bad), "", 6);
}

TEST(a_pass_before_all_variants)
{
    OWNED(filter_finish)
    struct filter f = parsed(
        MEAN "//! before each=4x1 columns=bw*2\n__global__ void mean_clear()\n{\n}\n"  //
        NAIVE "//! variant two 16x16 prepare=there finish=back\n__global__ void two()\n{\n}\n"
             "//! variant two 8x4\n__global__ void two_more()\n{\n}\n" THERE_AND_BACK);
    assert_variants(&f, "naive: mean_clear 32x8 each=4x1 columns=bw*2 | mean_naive 32x8\n"
                        "two: mean_clear 16x16 each=4x1 columns=bw*2 | two 16x16 | two_more 8x4"
                        " prepare=there finish=back\n");

    assert_refused(MEAN "//! before\n__global__ void a() {}\n//! before\n", 4,
                   "a second before line");
    assert_refused(MEAN NAIVE "//! before\n__global__ void a() {}\n", 6,
                   "the before line stands above all variants");
    assert_refused(MEAN "//! before prepare=a\n__global__ void a() {}\n", 2,
                   "prepare=, finish=, planes=, pitch= and level= do not go with before");
    assert_refused(MEAN "//! before 32x8\n__global__ void a() {}\n", 2,
                   "'32x8' is not understood in a variant line");
    assert_refused(MEAN "//! before\n" NAIVE, 3, "a variant line must be followed by its kernel");
    assert_refused(MEAN "//! before\n__global__ void mean_naive() {}\n" NAIVE, 5,
                   "a second kernel 'mean_naive'");
    assert_refused(MEAN "//! before\n__global__ void a() {}\n", 1,
                   "no line: //! variant name WxH (tilescope adopt proposes notes)");
}

TEST(bad_variants)
{
    static const char form[] = "expected: //! variant name WxH";
    static const struct mistake bad[] = {
        {"//! variant", form},
        {"//! variant naive", form},
        {"//! variant 32x8", form},
        {"//! variant naive 32", form},
        {"//! variant naive 32x", form},
        {"//! variant naive 32X8", form},
        {"//! variant naive 32×8", form},
        {"//! variant naive 32 x 8", form},
        {"//! variant naive 32x8each=2x2", form},
        {"//! variant naive 32x8x1x1", form},
        {"//! variant naive 32x8x0", "block 32x8x0 has no threads"},
        {"//! variant naive 32x8x2", "blocks of labs have up to 64 layers, and a filter's has one"},
        {"//! variant naive 0x20x8", "block 0x20x8 has no threads"},
        {"//! variant Naive 32x8", "variant 'Naive' is not a lower-case name"},
        {"//! variant na-ive 32x8", "variant 'na-ive' is not a lower-case name"},
        {"//! variant a_name_of_thirty_two_characters_ 1x1",
         "variant 'a_name_of_thirty_two_characters_' is not a lower-case name"},
        {"//! variant naive 0x8", "block 0x8 has no threads"},
        {"//! variant naive 32x-8", "block 32x-8 has no threads"},
        {"//! variant naive 33x32", "block 33x32 has more than 1024 threads"},
        {"//! variant naive 65536x65536", "block 65536x65536 has more than 1024 threads"},
        {"//! variant naive 32x8 each", "'each' is not understood in a variant line"},
        {"//! variant naive 32x8 each=", "'each=' is not understood in a variant line"},
        {"//! variant naive 32x8 each=16", "'each=16' is not understood in a variant line"},
        {"//! variant naive 32x8 each=4x4z", "'each=4x4z' is not understood in a variant line"},
        {"//! variant naive 32x8 each=0x4", "each= wants numbers from 1 to 1024"},
        {"//! variant naive 32x8 each=4x-1", "each= wants numbers from 1 to 1024"},
        {"//! variant naive 32x8 each=1025x1", "each= wants numbers from 1 to 1024"},
        {"//! variant naive 32x8 eech=4x1", "'eech=4x1' is not understood in a variant line"},
        {"//! variant naive 32x8 Each=4x1", "'Each=4x1' is not understood in a variant line"},
        {"//! variant naive 32x8 each = 4x1", "'each = 4x1' is not understood in a variant line"},
        {"//! variant naive 32x8 fixed", "'fixed' is not understood in a variant line"},
        {"//! variant naive 32x8 order=rows", "'order=rows' is not understood in a variant line"},
        {"//! variant naive 32x8 level=hard", "'level=hard' is not understood in a variant line"},
        {"//! variant naive 32x8 block=free", "'block=free' is not understood in a variant line"},
        {"//! variant naive 32x8 block=fixed each=2x2 junk",
         "'each=2x2 junk' is not understood in a variant line"},
        {"//! variant naive 32x8 multiple_of=0", "multiple_of= wants a positive number"},
        {"//! variant naive 32x8 multiple_of=-4", "multiple_of= wants a positive number"},
        {"//! variant naive 32x8 multiple_of=4.5",
         "'multiple_of=4.5' is not understood in a variant line"},
        {"//! variant naive 32x8 multiple_of=24", "block width 32 is not a multiple of 24"},
        {"//! variant naive 32x8 multiple=4", "'multiple=4' is not understood in a variant line"},
        {"//! variant naive 32x8 shared=", "shared=: '' breaks off at ''"},
        {"//! variant naive 32x8 shared=bw*", "shared=: 'bw*' breaks off at ''"},
        {"//! variant naive 32x8 shared=(bw + 2*radius", "shared=: missing ) in '(bw + 2*radius'"},
        {"//! variant naive 32x8 shared=bw + 2*radius)",
         "shared=: 'bw + 2*radius)' breaks off at ')'"},
        {"//! variant naive 32x8 shared=bw*raduis",
         "shared=: unknown name 'raduis' in 'bw*raduis'"},
        {"//! variant naive 32x8 columns=", "columns=: '' breaks off at ''"},
        {"//! variant naive 32x8 rows=8*bw)", "rows=: '8*bw)' breaks off at ')'"},
        {"//! variant naive 32x8 rows=8 columns=bv", "columns=: unknown name 'bv' in 'bv'"},
        {"//! variant naive 32x8 rows=8 rows=8", "a second rows="},
        {"//! variant naive 32x8 shared=64 each=2x2 fixed",
         "'each=2x2 fixed' is not understood in a variant line"},
        {"//! variant naive 32x8 shared=64 fixed", "shared=: '64 fixed' breaks off at 'fixed'"},
        {"//! variant naive 32x8 shared=1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 "
         "+ 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1",
         "shared= is longer than 127 characters"},
        {"//! variant naive 32x8 each=2x2 each=4x4", "a second each="},
        {"//! variant naive 32x8 layout=rgb24",
         "'layout=rgb24' is not understood in a variant line"},
        {"//! variant naive 32x8 shared=64 shared=128", "a second shared="},
        {"//! variants naive 32x8",
         "unknown directive 'variants'; " KNOWN "; did you mean 'variant'?"},
        {"//!refrence out", "unknown directive 'refrence'; " KNOWN "; did you mean 'reference'?"},
        {"//! this is only a loud comment", "unknown directive 'this'; " KNOWN},
    };
    assert_mistakes(MEAN "//! param radius 3 [0, 64]\n" NAIVE "\n", bad, G_N_ELEMENTS(bad),
                    "\n__global__ void mean_second()\n{\n}\n", 8);
}

// Doxygen's comments begin so, too.
TEST(comments_that_look_like_notes)
{
    OWNED(filter_finish)
    struct filter f =
        parsed("//! Computes a mean.\n//! @param out where\n//!\n//!< 3 of it\n//! \\brief B\n"
               "enum { TILE = 8 };  //!< Threads across\n" MEAN NAIVE "//! A second line.\n");
    assert_int_equal(f.variant_count, 1);
    assert_refused("//! Computes a mean.\n" NAIVE, 2,
                   "the first directive is: //! filter \"Title\"");
}

// ---- tolerance ----

#define LAB "//! lab \"Exp\"\n//! param n 9 [1, 99]\n"
#define FLOATS                                                                   \
    "//! array k int out [n] shown 0, 9\n//! array y float out [n] shown 0, 9\n" \
    "//! variant naive 32x1\n__global__ void exp_naive(float *y) {}\n"

TEST(tolerance)
{
    static const struct {
        const char *line;
        struct tolerance t;
    } rows[] = {{"", {TOLERANCE_NONE, 0}},
                {"//! tolerance 1e-6 relative\n", {TOLERANCE_RELATIVE, 1e-6}},
                {"//! tolerance\t0.001   absolute  \n", {TOLERANCE_ABSOLUTE, 0.001}},
                {"//! tolerance 4 ulp\n", {TOLERANCE_ULP, 4}}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strconcat(LAB, rows[i].line, FLOATS, NULL);
        OWNED(filter_finish) struct filter f = parsed(text);
        const struct tolerance of[] = {f.tolerance, filter_tolerance(&f, f.variants, NULL, 0),
                                       filter_tolerance(&f, NULL, &f.arrays[1], 0)};
        for (size_t k = 0; k < G_N_ELEMENTS(of); k++) {
            assert_int_equal(of[k].unit, rows[i].t.unit);
            assert_true(of[k].most == rows[i].t.most);
        }
        assert_int_equal(filter_tolerance(&f, f.variants, &f.arrays[0], 0).unit, TOLERANCE_NONE);
    }
}

TEST(bad_tolerances)
{
    static const char form[] = "expected: //! tolerance N relative, absolute or ulp";
    static const struct mistake bad[] = {
        {"//! tolerance", form},
        {"//! tolerance 1e-6", form},
        {"//! tolerance relative", form},
        {"//! tolerance 1e-6 percent", form},
        {"//! tolerance 1e-6 relative more", form},
        {"//! tolerance 1e-6relativ", form},
        {"//! tolerance -1e-6 relative", "a tolerance is a number above 0"},
        {"//! tolerance 0 absolute", "a tolerance is a number above 0"},
        {"//! tolerance 0 ulp", "a tolerance is a number above 0"},
        {"//! tolerance inf absolute", "a tolerance is a number above 0"},
        {"//! tolerance nan absolute", "a tolerance is a number above 0"},
        {"//! tolerance 1 relative", "a relative tolerance is below 1"},
        {"//! tolerance 1.5 ulp", "a tolerance in ulp is a whole number"},
        {"//! tolerance 1 ulp\n//! tolerance 1 ulp", "a second tolerance line", 4},
    };
    assert_mistakes(LAB, bad, G_N_ELEMENTS(bad), "\n" FLOATS, 3);
    assert_refused(LAB "//! tolerance 1 ulp\n//! array k int out [n] shown 0, 9\n"
                       "//! array x float in [n] counted\n"
                       "//! variant naive 32x1\n__global__ void exp_naive(int *k) {}\n",
                   3, "a tolerance is for floats, and no out array is of them");
    assert_refused(MEAN "//! tolerance 1 ulp\n" NAIVE, 2,
                   "a tolerance is for labs; a filter's pixels are exact");
    assert_refused("//! tolerance 1 ulp\n" LAB FLOATS, 1,
                   "the first directive is: //! filter \"Title\"");
}

// ---- named parts ----

TEST(lets)
{
    OWNED(filter_finish)
    struct filter f =
        parsed(MEAN "//! let Halo = 2*radius\n"
                    "//! param radius 3 [0, 64]\n"
                    "//! let  side=bw + Halo\n" NAIVE "//! let late = multiprocessors\n"
                    "//! variant second 32x8 shared=side * side rows=late\n"
                    "__global__ void mean_second() {}\n");
    static const double values[] = {32, 8, 640, 480, 132, 5};
    static const char *const names[] = {"Halo", "side", "late"};
    long long value;
    assert_int_equal(f.let_count, 3);
    for (int i = 0; i < 3; i++) assert_string_equal(f.lets[i].name, names[i]);
    assert_string_equal(f.lets[1].expr.text, "bw + Halo");
    const struct pass *second = &f.variants[1].passes[0];
    assert_string_equal(second->shared.text, "side * side");
    assert_true(expr_eval(&second->shared, values, &value, NULL));
    assert_int_equal(value, 42 * 42);
    assert_true(expr_eval(&second->rows, values, &value, NULL));
    assert_int_equal(value, 132);
}

#define NINE_LETS                                                                                \
    "//! let a = 1\n//! let b = 1\n//! let c = 1\n//! let d = 1\n//! let e = 1\n//! let f = 1\n" \
    "//! let g = 1\n//! let h = 1"

TEST(bad_lets)
{
    static const char form[] = "expected: //! let name = EXPR";
    static const struct mistake bad[] = {
        {"//! let", form},
        {"//! let x", form},
        {"//! let x 3", form},
        {"//! let = 3", form},
        {"//! let x+y = 3", form},
        {"//! let x =", "let x: '' breaks off at ''"},
        {"//! let x = (bw", "let x: missing ) in '(bw'"},
        {"//! let x = 2*y", "let x: unknown name 'y' in '2*y'"},
        {"//! let x = x + 1", "let x: unknown name 'x' in 'x + 1'"},
        {"//! let x = y\n//! let y = x", "let x: unknown name 'y' in 'y'"},
        {"//! let 2x = 3", "let '2x' is not a name of less than 32 letters"},
        {"//! let a_name_of_thirty_two_characters_ = 3",
         "let 'a_name_of_thirty_two_characters_' is not a name of less than 32 letters"},
        {"//! let bw = 3", "let 'bw' means something else in expressions"},
        {"//! let multiprocessors = 3",
         "let 'multiprocessors' means something else in expressions"},
        {"//! let radius = 3", "let 'radius' is also a param"},
        {"//! let half = 3", "a second let 'half'"},
        {"//! let x = 3\n//! param x 1 [0, 4]", "param 'x' is also a let", 5},
        {NINE_LETS, "more than 8 lets", 11},
        {"//! let x = 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 "
         "+ 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1",
         "let x is longer than 127 characters"},
    };
    assert_mistakes(MEAN "//! param radius 3 [0, 64]\n//! let half = bw/2\n", bad,
                    G_N_ELEMENTS(bad), "\n" NAIVE, 4);
    assert_refused("//! let x = 3\n" MEAN NAIVE, 1, "the first directive is: //! filter \"Title\"");
    assert_refused(MEAN NAIVE "//! let x = oops", 6, "let x: unknown name 'oops' in 'oops'");
}

// Whatever is mistyped around a kernel, the variant is there or the file is refused.
TEST(no_variant_is_lost)
{
    static const char typed[] = "a note begins with //! and no blank in it";
    static const char before[] = "nothing may stand before //! in its line";
    static const char unread[] = "the arguments of 'k' cannot be read: there are at most 24, with "
                                 "names and types of less than 64 letters";
    static const char none[] = "the variant line has no kernel below it";
    static const struct mistake bad[] = {
        {"// ! variant second 32x8\n__global__ void k() {}\n", typed},
        {"// variant second 32x8\n__global__ void k() {}\n", typed},
        {"  //variant second 32x8 each=2x2\n__global__ void k() {}\n", typed},
        {"// untimed 32x8\n__global__ void k() {}\n", typed},
        {"// //! variant second 32x8\n__global__ void k() {}\n", before},
        {"int n;  //! param n 3 [0, 64]\n", before},
        {"__global__ void k() {}  //! variant second 32x8\n", before},
        {"//! variant second 32x8\n" NAIVE, "a variant line must be followed by its kernel", 7},
        {"//! variant second 32x8\n__globl__ void k() {}\n", none},
        {"//! variant second 32x8\n__global__ void k();\n", none},
        {"//! variant second 32x8\n__global__ void k()\n", none},
        {"//! variant second 32x8\n__global__ void k() {\n",
         "the variant line has no kernel below it: a } is missing"},
        {"//! variant second 32x8\n__global__ void k( {}\n", unread, 7},
        {"//! variant second 32x8\n__global__ void k) {}\n", none},
        {"//! variant second 32x8\n__global__ k {}\n", none},
        {"//! variant second 32x8\n__global__ void (*k)() = 0;\n", none},
        {"//! variant second 32x8\n__global__ void\n", none},
        {"//! variant second 32x8\n// __global__ void k() {}\n", none},
        {"//! variant second 32x8\n#define K __global__ void k() {}\n", none},
        {"//! variant second 32x8\nstruct s { __global__ void k() {} };\n", none},
        {"//! variant second 32x8\n__global__ void mean_naive() {}\n",
         "a second kernel 'mean_naive'", 7},
    };
    assert_mistakes(MEAN NAIVE, bad, G_N_ELEMENTS(bad), "", 6);

    static const char *const good[] = {"  __global__ void k() {}",
                                       "__global__\nvoid\nk\n(\n)\n{\n}",
                                       "\t__global__ void k(){ if (1) { } }",
                                       "\n\n__global__ void k() {}",
                                       "// between\n__global__ void k() {}",
                                       "__device__ int f() { return 1; }\n__global__ void k() {}",
                                       "/* __global__ void a() {} */ __global__ void k(void) {}",
                                       "void static __global__ k() {}",
                                       "extern \"C\" __global__ void k() {}"};
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autofree char *source = g_strconcat(MEAN "//! variant a 32x8\n", good[i], "\n", NULL);
        OWNED(filter_finish) struct filter f = parsed(source);
        assert_string_equal(f.variants[0].passes[0].entry, "k");
    }
}

// One without a line is for others, such as a file's own main.
TEST(kernels_without_a_line)
{
    OWNED(filter_finish)
    struct filter f =
        parsed(MEAN "__global__ void a(double *x) {}\n" NAIVE "__global__ void b() {}\n");
    assert_variants(&f, "naive: mean_naive 32x8\n");
}

TEST(number_of_variants_and_passes)
{
    g_autoptr(GString) text = g_string_new(MEAN);
    for (int i = 0; i < FILTER_MAX_VARIANTS; i++)
        g_string_append_printf(text, "//! variant v%d 8x8\n__global__ void k%d() {}\n", i, i);
    OWNED(filter_finish) struct filter f = parsed(text->str);
    assert_int_equal(f.variant_count, FILTER_MAX_VARIANTS);
    assert_string_equal(f.variants[15].name, "v15");
    filter_finish(&f);
    for (int i = 1; i < FILTER_MAX_PASSES; i++)  // passes need not stand together
        g_string_append_printf(text, "//! variant v0 8x%d\n__global__ void more%d() {}\n", i, i);
    f = parsed(text->str);
    f.variant_count = 1;
    assert_variants(&f, "v0: k0 8x8 | more1 8x1 | more2 8x2 | more3 8x3\n");
    g_autofree char *more =
        g_strconcat(text->str, "//! variant v0 8x8\n__global__ void x() {}\n", NULL);
    assert_refused(more, 2 + 2 * 16 + 2 * 3, "variant 'v0' has more than 4 passes");
    g_string_append(text, "//! variant v16 8x8\n__global__ void x() {}\n");
    assert_refused(text->str, 2 + 2 * 16 + 2 * 3, "more than 16 variants");
}

TEST(notes)
{
    OWNED(filter_finish)
    struct filter f = parsed("// Of the file.\n" MEAN "//! variant a 8x8\n__global__ void a() {}\n"
                             "// Far away.\n\n//! variant b 8x8\n__global__ void b() {}\n"
                             "// First\n//  second\n// third.\n//! variant c 8x8\n"
                             "// not a note\n__global__ void c() {}\n"
                             "    // Indented.\n//! variant d 8x8\n__global__ void d() {}\n");
    assert_variants(&f, "a: a 8x8\nb: b 8x8\nc: c 8x8 note=First  second third.\nd: d 8x8\n");
}

// Texts too long for their place end with a whole character.
TEST(long_texts_stay_utf8)
{
    for (int shift = 0; shift < 3; shift++) {
        g_autoptr(GString) text = g_string_new(MEAN "//! param a 1 [0, 2] ");
        g_string_append_len(text, "xyz", shift);
        for (int i = 0; i < 200; i++) g_string_append(text, "平");
        g_string_append(text, "\n");
        for (int line = 0; line < 3; line++) {
            g_string_append(text, "// ");
            g_string_append_len(text, "xyz", shift);
            for (int i = 0; i < 100; i++) g_string_append(text, "均");
            g_string_append(text, "\n");
        }
        g_string_append(text, NAIVE);
        OWNED(filter_finish) struct filter f = parsed(text->str);
        assert_true(g_utf8_validate(f.params[0].help, -1, NULL));
        assert_true(g_utf8_validate(f.variants[0].note, -1, NULL));
        assert_in_range(strlen(f.params[0].help), sizeof f.params[0].help - 4,
                        sizeof f.params[0].help - 1);
    }
}

TEST(text_that_is_not_utf8)
{
    assert_refused(MEAN "//! variant naive 32x8 \xff\n__global__ void k() {}\n", 2,
                   "not UTF-8 text");
    assert_refused("//! filter \"Gau\xdf\"\n" NAIVE, 1, "not UTF-8 text");
    assert_refused(MEAN "// Gau\xdf\n" NAIVE, 2, "not UTF-8 text");
}
