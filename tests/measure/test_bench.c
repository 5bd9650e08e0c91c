// A benchmark on the cpu backend: honest rows for kernels that are right, wrong, illegal, broken or
// too slow; what a stop leaves; and the result as text.
#include "unit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdatomic.h>

#include "base/file.h"
#include "base/number.h"
#include "base/image.h"
#include "device/backend_impl.h"
#include "device/cpu/fault.h"
#include "draw/bench_plot.h"
#include "endless.h"
#include "frame/agreement.h"
#include "measure/bench.h"
#include "measure/bench_report.h"

// No busy machine spends it: only the tests of the budget are about one.
static const double PLENTY_S = 3600;

#define HEAD   "#include \"kernel.h\"\n"
#define PLANES "(plane out, plane in)\n{\n"
#define PLACE                                                    \
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n" \
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n" \
    "    if (x >= out.width || y >= out.height) return;\n"
#define AT "out.pixels[y * out.pitch + x] = (unsigned char)"

// `lazy` leaves rows as they were, `off` is wrong by 3 at the left edge.
static const char invert_source[] =
    "//! filter \"Invert\"\n" HEAD "//! reference out\n"
    "__host__ __device__ int inverse(plane in, int x, int y) { return 255 - load(in, x, y); }\n"
    "//! variant naive 32x8\n"
    "__global__ void a" PLANES PLACE "    " AT "(255 - load(in, x, y));\n}\n"
    "//! variant lazy 32x8\n"
    "__global__ void b" PLANES PLACE "    if (y % 2) " AT "(255 - load(in, x, y));\n}\n"
    "//! variant off 32x8\n"
    "__global__ void c" PLANES PLACE "    const int v = 255 - load(in, x, y);\n"
    "    " AT "(x ? v : v < 128 ? v + 3 : v - 3);\n}\n"
    "//! variant greedy 32x8 shared=1000000*bw\n"
    "__global__ void greedy(plane out)\n{\n" PLACE "    " AT "0;\n}\n"
    "//! variant fixed 16x16 block=fixed\n"
    "__global__ void e" PLANES PLACE "    " AT "(255 - load(in, x, y));\n}\n";

#define MEAN_BODY                                                                     \
    "(plane out, plane in, int radius)\n{\n" PLACE                                    \
    "    unsigned int sum = 0, area = (2 * radius + 1) * (2 * radius + 1);\n"         \
    "    for (int dy = -radius; dy <= radius; dy++)\n"                                \
    "        for (int dx = -radius; dx <= radius; dx++) sum += load(in, x + dx, y + " \
    "dy);\n"                                                                          \
    "    " AT "((sum + area / 2) / area);\n}\n"
static const char mean_source[] =
    "//! filter \"Mean\"\n" HEAD "//! param radius 3 [0, 64] pixels\n"
    "//! reference out\n"
    "__host__ __device__ int mean(plane in, int radius, int x, int y)\n{\n"
    "    int sum = 0, area = (2 * radius + 1) * (2 * radius + 1);\n"
    "    for (int dy = -radius; dy <= radius; dy++)\n"
    "        for (int dx = -radius; dx <= radius; dx++) sum += load(in, x + dx, y + dy);\n"
    "    return (sum + area / 2) / area;\n}\n"
    "//! variant naive 32x8\n__global__ void a" MEAN_BODY
    "//! variant again 16x16\n__global__ void b" MEAN_BODY;

static const char broken_source[] = "//! filter \"Broken\"\n" HEAD "//! variant naive 32x8\n"
                                    "__global__ void a(plane out)\n{\n    no_such_word(out);\n}\n";

// Packed pixels; `packed_lazy` leaves half of the rows as they were.
#define PACKED                                         \
    "    for (int i = 0; i < 3; i++)\n"                \
    "        out.pixels[y * out.pitch + 3 * x + i] = " \
    "in.pixels[(in.height - 1 - y) * in.pitch + 3 * x + i];\n"
static const char flip_source[] =
    "//! filter \"Flip\"\n" HEAD "//! param axis y [x, y, both] axis\n"
    "//! reference out\n__host__ __device__ int flipped(plane in, int x, int y)\n"
    "{\n    return load(in, x, in.height - 1 - y);\n}\n"
    "#include \"rgb24.h\"\n"
    "//! variant naive 32x8\n"
    "__global__ void a" PLANES PLACE "    " AT "load(in, x, in.height - 1 - y);\n}\n"
    "//! variant packed 32x8 prepare=pack finish=unpack\n"
    "__global__ void b" PLANES PLACE PACKED "}\n"
    "//! variant packed_lazy 32x8 prepare=pack finish=unpack\n"
    "__global__ void c" PLANES PLACE "    if (y % 2) return;\n" PACKED "}\n";

#define ELEMENT "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
#define TWICE                                                    \
    "__host__ __device__ int twice(const int *x, long long i)\n" \
    "{\n    return 2 * x[i];\n}\n"

// `off` is wrong in one element.
static const char twice_source[] =
    "//! lab \"Twice\"\n#include \"lab.h\"\n"
    "//! param n 3000 [1, 9000] numbers\n//! param m 1 [1, 9] of scratch\n"
    "//! array x in [n] noise 0, 9\n//! array y out [n/2][2] shown 0, 18\n"
    "//! array t int scratch [m]\n"
    "//! reference y\n" TWICE "//! variant naive 256x1 domain=n\n"
    "__global__ void a(float *y, const int *x, int n)\n{\n" ELEMENT
    "    if (i < n / 2 * 2) y[i] = 2 * x[i];\n}\n"
    "//! variant off 256x1 domain=n\n"
    "__global__ void b(float *y, const int *x, int n)\n{\n" ELEMENT
    "    if (i < n / 2 * 2) y[i] = 2 * x[i] + (i == 0);\n}\n";

static atomic_bool is_in_forever;

// For the kernels below.
void forever_begins(void), reference_fails(void);
void forever_begins(void)
{
    atomic_store(&is_in_forever, true);
}

void reference_fails(void)
{
    host_call_fail("has failed");
}

// A lab with an out array `y` of n numbers, and with more arrays, which are also arguments. A
// variant is its head and what it does for element i.
struct lab {
    const char *path, *arrays, *arguments, *reference, *variants[5][2];
};
#define WRITES(value) "if (i < n) y[i] = " value ";"

static const struct lab lab_files[] = {
    {.path = "failing.cu",  // its reference fails
     .reference = "extern \"C\" __device__ void reference_fails(void);\n//! reference y\n"
                  "__host__ __device__ double element(long long i)\n"
                  "{\n    reference_fails();\n    return i;\n}\n",
     .variants = {{"variant naive 256x1", WRITES("i")}, {"variant again 256x1", WRITES("i")}}},
    {.path = "slow.cu",  // its reference takes a second for an element; naive is right
     .reference = ENDLESS_NAP "//! reference y\n__host__ __device__ double element(long long i)\n"
                              "{\n    for (int k = 0; k < 1000; k++) nap();\n    return i;\n}\n",
     .variants = {{"variant naive 256x1", WRITES("i")}, {"variant again 256x1", WRITES("i")}}},
    {.path = "forgets.cu",  // its reference is right for as many calls as there are elements
     .reference = "//! reference y\n__host__ __device__ double element(int n, long long i)\n"
                  "{\n    static int calls;\n    return calls++ < n ? i : -1;\n}\n",
     .variants = {{"variant naive 256x1", WRITES("i")},
                  {"variant again 256x1", WRITES("i")},
                  {"variant off 256x1", WRITES("i + (i == 6)")}}},
    {.path = "plain.cu",
     .reference = "",
     .variants = {{"variant naive 256x1", WRITES("i")},
                  {"variant same 64x1", WRITES("i")},
                  {"variant other 64x1", WRITES("i ^ (i == 7) * 2")}}},
    // In `racy` a thread finds what the one before it has written, or what all have.
    {.path = "racy.cu",
     .reference = "",
     .variants = {{"variant naive 32x1", WRITES("7")},
                  {"variant racy 32x1",
                   "__shared__ int row[32];\n    row[threadIdx.x] = 0;\n    __syncthreads();\n"
                   "    row[threadIdx.x] = 7;\n    " WRITES("row[threadIdx.x ^ 1]")}}},
    // `gathered` and `far` prepare the same array in their own ways: with what `far` has there,
    // `gathered` reads far behind its own. naive is wrong.
    {.path = "clash.cu",
     .arrays = "//! array x in [n] noise 0, 9\n//! array t scratch [n]\n",
     .arguments = ", const int *x, int *t",
     .reference = "//! reference y\n" TWICE,
     .variants = {{"untimed 256x1 domain=n", "if (i < n) t[i] = i;"},
                  {"untimed 256x1 domain=n", "if (i < n) t[i] = 1 << 30;"},
                  {"variant naive 256x1 domain=n", WRITES("3 * x[i] + 1")},
                  {"variant gathered 256x1 domain=n prepare=k0", WRITES("2 * x[t[i]]")},
                  {"variant far 256x1 domain=n prepare=k1",
                   WRITES("2 * x[i + (t[i] - (1 << 30))]")}}},
    {.path = "caught.cu",
     .reference = "//! reference y\n__host__ __device__ double element(long long i) { return i; }\n"
                  "extern \"C\" __device__ void forever_begins(void);\n" ENDLESS_NAP,
     .variants = {
         {"variant naive 256x1", WRITES("i")},
         {"variant forever 256x1", "forever_begins();\n    while (i >= 0) nap();\n    y[i] = i;"},
         {"variant again 256x1", WRITES("i")},
         {"variant prepared 256x1 prepare=k4", WRITES("i")},
         {"untimed 256x1 domain=n", "while (i >= 0) nap();\n    y[i] = i;"}}}};

// Its kernels are k0, k1 …; the caller frees it.
static char *source_of(const struct lab *l)
{
    GString *text = g_string_new(NULL);
    g_string_printf(text,
                    "//! lab \"L\"\n#include \"lab.h\"\n//! param n 3000 [1, 9000] numbers\n"
                    "%s//! array y out [n] shown 0, 18\n%s",
                    l->arrays ? l->arrays : "", l->reference);
    for (int i = 0; i < 5 && l->variants[i][0]; i++)
        g_string_append_printf(
            text, "//! %s\n__global__ void k%d(int *y, int n%s)\n{\n" ELEMENT "    %s\n}\n",
            l->variants[i][0], i, l->arguments ? l->arguments : "", l->variants[i][1]);
    return g_string_free(text, FALSE);
}

static const struct {
    const char *path, *source;
} files[] = {{"invert.cu", invert_source},
             {"mean.cu", mean_source},
             {"broken.cu", broken_source},
             {TILESCOPE_KERNELS "/flip.cu", flip_source},
             {"twice.cu", twice_source}};
enum { INVERT, MEAN, FILES = G_N_ELEMENTS(files), FILTERS = FILES + G_N_ELEMENTS(lab_files) };

static struct suite {
    struct filter_list filters;
    struct backend *backend;
    struct image picture;
    GPtrArray *results, *pixels;  // of a test
} suite;

static const struct device device = {.id = "cuda:0",
                                     .name = "NVIDIA \"H200\", one",
                                     .arch = "sm_90",
                                     .driver = "driver 580, CUDA 13.0",
                                     .clock_mhz = 1980};

static const struct bench_about about = {.device = &device,
                                         .picture = {.width = 8000, .height = 8000, .count = 1},
                                         .picture_name = "noise",
                                         .subject = "8000×8000 grey noise",
                                         .date = "2026-11-20T10:00:00+00:00"};

static void free_result(gpointer result)
{
    bench_finish(result);
    bench_finish(result);
    g_free(result);
}

static int set_up(void **state)
{
    suite.filters.filters = g_new0(struct filter, FILTERS);
    suite.filters.count = FILTERS;
    suite.backend = backend_open("cpu", NULL, 0, NULL);
    if (!suite.backend) return -1;
    backend_set_include(suite.backend, TILESCOPE_KERNELS);
    for (int i = 0; i < FILTERS; i++) {
        g_autofree char *source =
            i < FILES ? g_strdup(files[i].source) : source_of(&lab_files[i - FILES]);
        const char *path = i < FILES ? files[i].path : lab_files[i - FILES].path;
        must(filter_parse(&suite.filters.filters[i], path, source, NULL, &err));
    }
    if (!image_init(&suite.picture, 83, 47, 1, NULL)) return -1;
    image_fill_noise(suite.picture.planes, 5);
    suite.results = g_ptr_array_new_with_free_func(free_result);
    suite.pixels = g_ptr_array_new_with_free_func(free);
    return 0;
}

static int free_results(void **state)
{
    g_ptr_array_set_size(suite.results, 0);
    g_ptr_array_set_size(suite.pixels, 0);
    return 0;
}

static int tear_down(void **state)
{
    backend_close(suite.backend);
    return 0;
}

// ---- running ----

static struct planes noise(int width, int height, int planes)
{
    struct image picture = {0};
    assert_true(image_init(&picture, width, height, planes, NULL));
    g_ptr_array_add(suite.pixels, picture.planes.pixels);
    image_fill_noise(picture.planes, 3);
    return picture.planes;
}

struct steps {
    int count, last;        // the step at which it stops; 0: never
    double spend_s;         // the time that the first one takes
    const char *last_what;  // or the work; NULL: none
    double fraction;
    bool went_back, is_stopped, went_on;
};

static bool step(void *data, const struct bench_progress *progress)
{
    struct steps *s = data;
    s->went_back |= progress->fraction < s->fraction || progress->fraction > 1;
    s->went_back |= progress->left_s < 0 || !progress->what[0];
    s->fraction = progress->fraction;
    s->went_on |= s->is_stopped;
    if (!s->count) g_usleep((gulong)(s->spend_s * G_USEC_PER_SEC));
    s->is_stopped =
        ++s->count == s->last || (s->last_what && !strcmp(s->last_what, progress->what));
    return s->is_stopped;
}

struct wish {
    struct sweep_axes axes;
    double budget_s;  // 0: plenty
    bool with_host;
    struct planes picture;  // zeroed: the suite's
    int last_step;          // as in struct steps
    double spend_s;
    const char *last_what;
};

// The result is freed after the test.
static const struct bench_result *run_job(struct bench_job job, const struct sweep_axes *axes)
{
    struct bench_result *result = g_new0(struct bench_result, 1);
    OWNED(sweep_finish) struct sweep sweep = {.count = 0};
    must(sweep_build(&sweep, &suite.filters, axes, &err));
    job.backend = suite.backend;
    job.sweep = &sweep;
    g_ptr_array_add(suite.results, result);
    bench_run(&job, result);
    return result;
}

static const struct bench_result *run(struct wish wish)
{
    struct steps steps = {
        .last = wish.last_step, .spend_s = wish.spend_s, .last_what = wish.last_what};
    const struct bench_job job = {.picture =
                                      wish.picture.pixels ? wish.picture : suite.picture.planes,
                                  .budget_s = wish.budget_s ? wish.budget_s : PLENTY_S,
                                  .with_host = wish.with_host,
                                  .step = step,
                                  .data = &steps};
    const struct bench_result *r = run_job(job, &wish.axes);
    assert_false(steps.went_back || steps.went_on);
    return r;
}

// A lab of that size or several, without a picture.
static const struct bench_result *run_lab(const char *lab, const char *variants, const char *n)
{
    const struct sweep_axes axes = {
        .filter = lab, .variant = variants, .sweep = "n", .params = (char *[]){(char *)n, NULL}};
    const struct bench_result *r = run_job((struct bench_job){.budget_s = PLENTY_S}, &axes);
    assert_string_equal(r->failure, "");
    return r;
}

static const struct bench_row *find(const struct bench_result *r, const char *variant, int width)
{
    for (int i = 0; i < r->count; i++)
        if (!strcmp(r->rows[i].name, variant) && (!width || r->rows[i].block_width == width))
            return &r->rows[i];
    fail_msg("no row for %s, block width %d", variant, width);
    return NULL;
}

static void assert_times(const struct stats_summary *ms, int least)
{
    assert_in_range(ms->count, least, 1000);
    assert_true(ms->lower > 0 && ms->lower <= ms->median && ms->median <= ms->upper);
}

static void assert_measured(const struct bench_row *row, enum result_check check)
{
    assert_string_equal(row->reason, "");
    assert_times(&row->times[BENCH_TIMER_COLD], 3);
    assert_times(&row->times[BENCH_TIMER_HOT], 3);
    assert_int_equal(row->check, check);
    assert_true(row->copy_ms > 0);
}

static void assert_refused(const struct bench_row *row, const char *words)
{
    assert_int_equal(row->times[BENCH_TIMER_COLD].count, 0);
    assert_int_equal(row->times[BENCH_TIMER_HOT].count, 0);
    assert_true(bench_ms(row) == 0);
    if (!strstr(row->reason, words)) fail_msg("'%s' is not in '%s'", words, row->reason);
    assert_null(strchr(row->reason, '\n'));
}

static void assert_has(const char *text, const char *words)
{
    if (!strstr(text, words)) fail_msg("'%s' is not in:\n%s", words, text);
}

// The report holds these words, and lacks those; NULL: none.
static void assert_report(const char *format, const struct bench_result *r,
                          const struct bench_about *a, const char *words, const char *lacks)
{
    g_autofree char *text = bench_report(format, r, a);
    if (words) assert_has(text, words);
    if (lacks && strstr(text, lacks)) fail_msg("'%s' is in:\n%s", lacks, text);
}

// ---- rows ----

#define WITH_RESULTS(name) TEST_WITH(name, NULL, free_results)

WITH_RESULTS(rows)
{
    const struct bench_result *r =
        run((struct wish){.axes = {.filter = "invert", .block = "32x8,64x32"}});
    assert_int_equal(r->count, 1 + 2 * 5);
    assert_null(r->rows[0].choice.filter);
    assert_measured(find(r, "copy", 0), CHECK_UNKNOWN);
    assert_true(r->rows[0].copy_ms == bench_ms(&r->rows[0]));
    assert_true((double)r->pairs * (double)r->pair_bytes >= 3 * 64e6 || r->pairs == 1024);

    const struct bench_row *naive = find(r, "naive", 32);
    assert_measured(naive, CHECK_EXACT);
    assert_true(naive->naive_ms == bench_ms(naive));

    assert_measured(find(r, "lazy", 32), CHECK_WRONG);
    assert_measured(find(r, "off", 32), CHECK_WRONG);
    assert_int_equal(find(r, "off", 32)->wrong_by.max, 3);
    assert_refused(find(r, "naive", 64), "2048 threads");
    assert_refused(find(r, "greedy", 32), "shared memory");
    assert_refused(find(r, "fixed", 32), "blocks of 16×16");
}

// Naive is measured to compare with, and not shown where it was not asked for.
WITH_RESULTS(hidden_naive)
{
    const struct bench_result *r = run((struct wish){
        .axes = {.filter = "mean", .variant = "again", .radius = "0,2", .unroll = "both"}});
    assert_int_equal(r->count, 1 + 4);
    for (int i = 1; i < r->count; i++) {
        assert_measured(&r->rows[i], CHECK_EXACT);
        assert_true(r->rows[i].naive_ms > 0);
        assert_int_equal(r->rows[i].choice.settings.is_unrolled, i % 2 == 0);
        assert_true(r->rows[i].choice.settings.params.v[0] == (i > 2 ? 2 : 0));
    }
}

WITH_RESULTS(awkward_pictures)
{
    static const int shapes[][3] = {{1, 1, 1}, {1, 37, 1}, {41, 1, 3}, {67, 45, 3}};
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        const struct bench_result *r =
            run((struct wish){.axes = {.filter = "mean", .radius = "5"},
                              .with_host = true,
                              .picture = noise(shapes[i][0], shapes[i][1], shapes[i][2])});
        assert_measured(find(r, "naive", 0), CHECK_EXACT);
        assert_measured(find(r, "again", 0), CHECK_EXACT);
        assert_times(&find(r, "cpu 1 thread", 0)->times[BENCH_TIMER_HOT], 1);
    }
}

WITH_RESULTS(packed_pixels)
{
    static const char *const names[] = {"packed", "packed_lazy"};
    for (int planes = 1; planes <= 3; planes += 2) {
        const struct bench_result *r = run((struct wish){
            .axes = {.filter = "flip", .block = "32x8,16x16"}, .picture = noise(83, 47, planes)});
        assert_int_equal(r->count, 1 + 2 * 3);
        assert_measured(find(r, "naive", 32), CHECK_EXACT);
        for (int i = 0; i < 2; i++)
            for (int width = 16; width <= 32; width += 16) {
                const struct bench_row *row = find(r, names[i], width);
                if (planes == 3)
                    assert_measured(row, i ? CHECK_WRONG : CHECK_EXACT);
                else
                    assert_refused(row, "works on colour pictures");
            }
    }
}

WITH_RESULTS(host_rows)
{
    static const char *const names[] = {"cpu 1 thread", "cpu all threads"};
    const struct bench_result *r = run((struct wish){
        .axes = {.filter = "mean", .variant = "naive", .radius = "2"}, .with_host = true});
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        const struct bench_row *row = find(r, names[i], 0);
        assert_null(row->choice.variant);
        assert_int_equal(row->times[BENCH_TIMER_COLD].count, 0);
        assert_times(&row->times[BENCH_TIMER_HOT], 1);  // where half a second is over, one will do
        assert_true(bench_ms(row) == row->times[BENCH_TIMER_HOT].median);
        assert_true(row->naive_ms > 0);
    }
    r = run((struct wish){.axes = {.filter = "broken"}, .with_host = true});
    const struct bench_row *row = find(r, "cpu 1 thread", 0);
    assert_null(row->choice.variant);
    assert_refused(row, "there is no reference");
}

WITH_RESULTS(kernels_that_do_not_compile)
{
    const struct bench_result *r =
        run((struct wish){.axes = {.filter = "broken,invert", .variant = "naive"}});
    assert_int_equal(r->count, 3);
    assert_refused(&r->rows[1], "broken.cu:");
    assert_measured(&r->rows[2], CHECK_EXACT);
}

// ---- budget and stop ----

// So large that the mean of it takes more than a second on any machine.
WITH_RESULTS(a_budget_is_kept)
{
    const int height = MIN(400 * (int)g_get_num_processors(), PLANES_MAX_SIDE);
    const struct bench_result *r =
        run((struct wish){.axes = {.filter = "invert,mean", .variant = "naive", .radius = "64,63"},
                          .budget_s = 1,
                          .with_host = true,
                          .picture = noise(1500, height, 1)});
    int slow = 0;
    for (int i = 1; i < r->count; i++) {
        if (strcmp(r->rows[i].choice.filter->name, "mean") != 0) continue;
        slow++;
        if (!strstr(r->rows[i].reason, "not reached")) assert_refused(&r->rows[i], "too slow");
    }
    assert_in_range(slow, 2, 6);
}

// Nothing is too slow for a budget that the cases before have spent.
WITH_RESULTS(a_spent_budget_blames_no_launch)
{
    int skipped = 0;
    const struct bench_result *r =
        run((struct wish){.axes = {.filter = "invert", .variant = "naive", .block = "all"},
                          .budget_s = 0.5,
                          .spend_s = 0.5});
    for (int i = 0; i < r->count; i++) {
        assert_null(strstr(r->rows[i].reason, "too slow"));
        skipped += !strcmp(r->rows[i].reason, "not reached within the budget");
    }
    assert_true(skipped > 0);
}

WITH_RESULTS(a_stop_keeps_what_is_finished)
{
    struct wish wish = {.axes = {.filter = "mean", .radius = "1..4"}};
    const struct bench_result *r = run(wish);
    assert_false(r->is_stopped);
    assert_int_equal(r->count, 1 + 8);

    wish.last_what = "mean radius 3";
    r = run(wish);
    assert_true(r->is_stopped);
    assert_int_equal(r->count, 1 + 4);
    assert_measured(&r->rows[1], CHECK_EXACT);
    for (int i = 1; i < r->count; i++) assert_true(r->rows[i].times[BENCH_TIMER_HOT].count > 0);

    wish.last_what = NULL;
    wish.last_step = 1;
    r = run(wish);
    assert_true(r->is_stopped);
    assert_int_equal(r->count, 0);
}

// ---- labs ----

// Each size has its own copy, and nothing is said of a picture.
WITH_RESULTS(labs_need_no_picture)
{
    const struct bench_result *r = run_lab("twice", NULL, "n=1000,3000");
    assert_int_equal(r->count, 4);  // and no copy of a picture
    assert_int_equal(r->pairs, 0);
    for (int i = 0; i < r->count; i++) {
        const bool is_off = !strcmp(r->rows[i].name, "off");
        assert_int_equal(r->rows[i].check, is_off ? CHECK_WRONG : CHECK_EXACT);
        assert_true(r->rows[i].copy_ms > 0);
        assert_true(r->rows[i].copy_ms == r->rows[i / 2 * 2].copy_ms);
    }
    const struct bench_about a = {.device = &(struct device){.id = "cpu", .name = "c"},
                                  .subject = "m 1",
                                  .date = "2026-11-20T10:00:00+00:00"};
    assert_report("csv", r, &a, ",exact,,x[1000] y[500][2],,,,,c,", NULL);
    assert_report("csv", r, &a, ",x[3000] y[1500][2],,,,,c,", NULL);
    assert_report("json", r, &a, NULL, "picture");
    assert_report(NULL, r, &a, "\nm 1, 2026-11-20T10", "pixels");
}

// ---- memory ----

WITH_RESULTS(memory_is_told_before)
{
    OWNED(sweep_finish) struct sweep sweep = {.count = 0};
    const struct sweep_axes axes = {.filter = "invert"};
    assert_true(sweep_build(&sweep, &suite.filters, &axes, NULL));
    struct bench_job job = {
        .backend = suite.backend, .sweep = &sweep, .picture = planes_shape(32768, 32768, 3)};
    const double picture = 32768.0 * 32768 * 3;
    assert_true((double)bench_job_device_bytes(&job) == 2 * picture);  // one pair is above 3 x L2
    assert_true((double)bench_job_host_bytes(&job) == 2 * picture);
    OWNED(sweep_finish) struct sweep packed = {.count = 0};
    assert_true(sweep_build(&packed, &suite.filters, &(struct sweep_axes){.filter = "flip"}, NULL));
    job.sweep = &packed;
    assert_true((double)bench_job_device_bytes(&job) == 4 * picture);  // and their packed pixels
    job.sweep = &sweep;
    job.with_host = true;
    assert_true((double)bench_job_host_bytes(&job) == 3 * picture);
    job.picture = planes_shape(1000, 1000, 1);
    assert_true((double)bench_job_device_bytes(&job) >= 3 * 64 * 1048576.0);
}

static const struct bench_result *run_caught(struct bench_job job)
{
    const struct sweep_axes axes = {
        .filter = "caught", .sweep = "n", .params = (char *[]){(char *)"n=9", NULL}};
    endless_skip();
    const struct bench_result *r = run_job(job, &axes);
    assert_string_equal(r->failure, "");
    assert_false(r->is_caught);
    return r;
}

// It is refused, and the others have most of the budget.
WITH_RESULTS(a_launch_that_does_not_come_back)
{
    const struct bench_result *r = run_caught((struct bench_job){.budget_s = 30});
    assert_int_equal(r->count, 4);
    for (int i = 0; i < 4; i += 2) {
        assert_measured(&r->rows[i], CHECK_EXACT);
        assert_refused(&r->rows[i + 1], "too slow: it has not come back for ");  // or prepares
        assert_true(r->rows[i + 1].is_over_budget);
    }
}

static bool stop_in_forever(void *data, const struct bench_progress *progress)
{
    return atomic_load(&is_in_forever);
}

WITH_RESULTS(what_is_finished_is_there_after_a_stop)
{
    atomic_store(&is_in_forever, false);
    const struct bench_result *r =
        run_caught((struct bench_job){.budget_s = PLENTY_S, .step = stop_in_forever});
    assert_true(r->is_stopped);
    assert_int_equal(r->count, 1);
    assert_string_equal(r->rows[0].name, "naive");
    assert_true(r->rows[0].times[BENCH_TIMER_COLD].count > 0);
}

// Nothing says what is right, and so it has no time.
WITH_RESULTS(fast_code_that_differs_from_fibers)
{
    const struct bench_result *r = run_lab("racy", NULL, "n=320");
    assert_int_equal(r->count, 2);
    assert_measured(&r->rows[0], CHECK_IMPOSSIBLE);
    assert_refused(&r->rows[1], AGREEMENT_LACKS);
}

// The run goes on, and says it of each variant.
WITH_RESULTS(a_reference_that_fails)
{
    const struct bench_result *r = run_lab("failing", NULL, "n=9");
    assert_int_equal(r->count, 2);
    for (int i = 0; i < r->count; i++)
        assert_string_equal(r->rows[i].reason, "the reference has failed");
}

WITH_RESULTS(labs_are_checked)
{
    static const struct {
        const char *lab, *variants, *n;
        int count;
        enum result_check checks[3];
    } rows[] = {
        // Each is timed on what it has prepared. Naive is hidden, and checked all the same.
        {"clash", "gathered,far", "n=3000", 2, {CHECK_EXACT, CHECK_EXACT}},
        // All variants are compared with the same answers.
        {"forgets", NULL, "n=7", 3, {CHECK_EXACT, CHECK_EXACT, CHECK_WRONG}},
        {"plain", NULL, "n=99", 3, {CHECK_IMPOSSIBLE, CHECK_IMPOSSIBLE, CHECK_IMPOSSIBLE}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct bench_result *r = run_lab(rows[i].lab, rows[i].variants, rows[i].n);
        assert_int_equal(r->count, rows[i].count);
        for (int k = 0; k < r->count; k++) {
            assert_measured(&r->rows[k], rows[i].checks[k]);
            assert_int_equal(r->rows[k].naive_ms > 0, i > 0);  // nothing to compare with if wrong
        }
        if (i == 2) assert_report(NULL, r, &about, "not checked\n", NULL);
    }
}

// Two samples make no time; whoever took little of the budget was not too slow for it.
WITH_RESULTS(a_case_without_enough_samples_has_no_time)
{
    static const struct {
        double turn_s;
        int samples;
        const char *reason;
    } cases[] = {
        {0, 0, "not reached within the budget"},
        {20, 2, "not reached within the budget"},
        {30, 2, "too slow: measuring takes about 90.0 s, and the budget leaves 60.0 s here"},
        {30, 3, ""},
    };
    const double one = 1;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct bench_row row = {.name = "copy"};
        g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(double));
        for (int k = 0; k < cases[i].samples; k++) g_array_append_val(samples, one);
        bench_row_close(&row, (GArray *[]){samples, samples}, cases[i].turn_s, 60);
        assert_string_equal(row.reason, cases[i].reason);
        assert_int_equal(row.is_over_budget, *cases[i].reason != '\0');
        assert_true(bench_ms(&row) == (*cases[i].reason ? 0 : 1));
    }
}

// One that would take minutes ends with the budget, and no result is said to be right.
WITH_RESULTS(the_budget_bounds_checks)
{
    const struct bench_result *r = run((struct wish){.axes = {.filter = "slow"}, .budget_s = 10});
    for (int i = 0; i < r->count; i++) {
        if (!r->rows[i].choice.filter) continue;
        assert_true(r->rows[i].is_unchecked);
        assert_int_equal(r->rows[i].check, CHECK_UNKNOWN);
    }
    assert_report(NULL, r, &about, "unchecked (budget)\n", "exact");
}

// As many pairs as fill three caches, of the largest lab.
WITH_RESULTS(memory_of_labs_is_told)
{
    OWNED(sweep_finish) struct sweep sweep;
    const struct sweep_axes axes = {
        .filter = "twice", .sweep = "n", .params = (char *[]){(char *)"n=1000,9000", NULL}};
    assert_true(sweep_build(&sweep, &suite.filters, &axes, NULL));
    const struct bench_job job = {.backend = suite.backend, .sweep = &sweep};
    const double one = 8.0 * 9000, pairs = (double)bench_job_device_bytes(&job) / one;
    const size_t l2 = backend_device(suite.backend)->l2_bytes;
    assert_true(pairs > fmin(1024, 3.0 * (double)(l2 ? l2 : 64 << 20) / one));
    assert_true(pairs < 2 * 1024);
    assert_true(bench_job_host_bytes(&job) == 0);
}

// A launch at stride 64 reads a sector of every eight: what it leaves out fills no cache.
WITH_RESULTS(what_a_lab_skips_fills_no_cache)
{
    const struct device h200 = {.is_gpu = true, .l2_bytes = 50 << 20};
    const double touched = 262144 * 32.0 + 262144 * 4.0, all = 262144 * 64.0 * 4 + 262144 * 4.0;
    OWNED(filter_finish) struct filter access = {0};
    g_autofree char *source = file_read_text(TILESCOPE_KERNELS "/labs/access.cu", &err);
    must(source && filter_parse(&access, "access.cu", source, NULL, &err));
    struct choice choice = {.filter = &access, .settings = {.params = filter_defaults(&access)}};
    struct arrays_layout layout;
    choice.settings.params.v[filter_param(&access, "stride")] = 64;
    choice.settings.params.v[filter_param(&access, "n")] = 262144;
    assert_true(arrays_plan(&layout, &choice, (struct planes){0}, NULL));
    const double pairs = (double)bench_timer_bytes(&h200, &layout) / all;
    assert_true(pairs * touched > 1.5 * (double)h200.l2_bytes);
}

// ---- meter ----

static bool never(void *data)
{
    return *(int *)data > 0 && --*(int *)data == 0;
}

WITH_RESULTS(short_batches_do_not_count)
{
    const struct frame copy = {.backend = suite.backend};
    int stop = 0;
    double expected = 1e9, ms = -1;
    struct arrays_layout layout;
    assert_true(arrays_plan(&layout, &copy.choice, suite.picture.planes, NULL));
    struct bench_timer *m =
        bench_timer_create(suite.backend, suite.picture.planes, &layout, never, &stop, NULL);
    assert_non_null(m);
    assert_true(bench_timer_sample(m, &copy, BENCH_TIMER_HOT, &expected, &ms, NULL));
    assert_true(ms == 0 || ms >= 0.2);  // one copy of 6 KB is shorter than a sample may be
    for (int i = 0; i < 50 && ms == 0; i++)
        assert_true(bench_timer_sample(m, &copy, BENCH_TIMER_HOT, &expected, &ms, NULL));
    assert_true(ms > 0);
    bench_timer_destroy(m);
    bench_timer_destroy(NULL);
}

WITH_RESULTS(a_long_launch_is_given_up)
{
    int stop = 3;
    const struct planes picture = noise(2000, 2000, 1);
    const struct filter *mean = &suite.filters.filters[MEAN];
    struct module *module = frame_build(suite.backend, mean, (struct build){.params = NULL}, NULL);
    assert_non_null(module);
    struct frame slow = {.backend = suite.backend,
                         .choice = {mean, &mean->variants[0], {.params.v[0] = 64}},
                         .module = module};
    assert_true(frame_plan(&slow, picture, NULL));
    struct bench_timer *m =
        bench_timer_create(suite.backend, picture, &slow.arrays, never, &stop, NULL);
    assert_non_null(m);
    double expected = 0, ms;
    assert_false(bench_timer_sample(m, &slow, BENCH_TIMER_COLD, &expected, &ms, &err));
    assert_true(m->is_stopped);
    bench_timer_destroy(m);
    backend_unload(suite.backend, module);
}

// ---- compiling ----

static const struct backend_impl *cpu;
static char widths[64];  // of the strips that were compiled

static struct module *note_compile(struct backend *b, const struct build *build,
                                   const struct headers *headers, struct error *why)
{
    if (build->is_fast) text_append(widths, sizeof widths, " %d", build->lanes);
    return cpu->compile(b, build, headers, why);
}

// Only kernels with tiles of rows have strips of their own width. The naive kernel, which is only
// compared with, takes any.
WITH_RESULTS(only_those_strips_that_matter_are_compiled)
{
    static const char source[] =
        "//! filter \"Tiled\"\n" HEAD "//! reference out\n"
        "__host__ __device__ int same(plane in, int x, int y) { return load(in, x, y); }\n"
        "//! variant naive 32x8\n__global__ void a" PLANES PLACE "    " AT "load(in, x, y);\n}\n"
        "//! variant tiled 16x16\n__global__ void b" PLANES
        "    __shared__ unsigned char tile[32][33];\n"
        "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    tile[threadIdx.y][threadIdx.x] = (unsigned char)load(in, x, y);\n"
        "    __syncthreads();\n    if (x >= out.width || y >= out.height) return;\n"
        "    " AT "tile[threadIdx.y][threadIdx.x];\n}\n";
    static const struct {
        const char *variant, *block, *widths;
    } rows[] = {{"tiled", NULL, " 16"},
                {"naive", "16x16,8x8,32x8", " 16"},
                {"tiled", "8x8,16x16,32x8", " 8 16 0"},
                {"naive,tiled", NULL, " 0 16"}};
    cpu = suite.backend->impl;
    struct backend_impl noting = *cpu;
    noting.compile = note_compile;
    OWNED(filter_list_finish)
    struct filter_list list = {.filters = g_new0(struct filter, 1), .count = 1};
    must(filter_parse(&list.filters[0], "tiled.cu", source, NULL, &err));
    const struct filter_list all = suite.filters;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        *widths = '\0';
        suite.filters = list;
        suite.backend->impl = &noting;
        const struct bench_result *r =
            run((struct wish){{"tiled", .variant = rows[i].variant, .block = rows[i].block}});
        suite.backend->impl = cpu;
        suite.filters = all;
        assert_string_equal(widths, rows[i].widths);
        for (int k = 1; k < r->count; k++) assert_int_equal(r->rows[k].check, CHECK_EXACT);
    }
    free_results(NULL);  // their rows name the filter
}

// ---- text ----

// A copy, a measured row, one that was refused.
static struct bench_result example(struct bench_row *rows)
{
    const struct filter *mean = &suite.filters.filters[MEAN];
    const struct stats_summary copy = {31, 0.0333, 0.0331, 0.0335};
    const struct stats_summary cold = {31, 0.0581234, 0.0577, 0.059}, hot = {29, 0.05, 0.04, 0.06};
    rows[0] = (struct bench_row){.name = "copy", .times = {copy, copy}, .copy_ms = 0.0333};
    rows[1] = (struct bench_row){.choice = {mean, filter_variant(mean, "again"), {{{16}}}},
                                 .name = "again",
                                 .block_width = 32,
                                 .block_height = 8,
                                 .times = {cold, hot},
                                 .copy_ms = 0.0333,
                                 .naive_ms = 26.468,
                                 .check = CHECK_EXACT};
    rows[2] = rows[1];
    rows[2].times[0] = rows[2].times[1] = (struct stats_summary){0};
    g_strlcpy(rows[2].reason, "too slow: 35 s, \"much\" | too", sizeof rows[2].reason);
    return (struct bench_result){.rows = rows, .count = 3, .pairs = 2, .pair_bytes = 128000000};
}

static char *report(const char *format)
{
    struct bench_row rows[3];
    const struct bench_result r = example(rows);
    return bench_report(format, &r, &about);
}

WITH_RESULTS(table)
{
    g_autofree char *text = report(NULL), *same = report("table");
    assert_string_equal(text, same);
    static const char *const words[] = {"sm_90, driver 580, CUDA 13.0, up to 1980 MHz",
                                        "8000×8000 grey noise, 2026-11-20T10:00",
                                        "2 pairs of buffers in turn, 256 MB",
                                        "cold ms",
                                        "Gpix/s",
                                        "GB/s",
                                        "% of copy",
                                        "× naive",
                                        "0.0581  0.0577–0.0590  31",
                                        "57.3",
                                        "455  exact\n",
                                        "32×8   too slow: 35 s, \"much\" | too\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) assert_has(text, words[i]);
    assert_null(strstr(text, "unroll"));  // off in every row
    assert_null(strstr(text, " \n"));
}

WITH_RESULTS(csv)
{
    g_autofree char *text = report("csv");
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    assert_int_equal(g_strv_length(lines), 5);
    assert_true(g_str_has_prefix(lines[0], "filter,variant,params,radius_px,block_width,"));
    assert_true(g_str_has_suffix(lines[0], ",driver,clock_mhz,date"));
    assert_true(g_str_has_prefix(lines[2], "mean,again,,16,32,8,off,0.0581234,0.0577,0.059,31,"));
    assert_has(lines[2], "\"NVIDIA \"\"H200\"\", one\",\"driver 580, CUDA 13.0\",1980,2026-11-20T");
    assert_has(
        lines[3],
        "off,,,,,,,,,0.0333,26.468,,,,,,\"too slow: 35 s, \"\"much\"\" | too\",,8000,8000,1,");
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

WITH_RESULTS(json)
{
    g_autofree char *text = report("json");
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    const cJSON *on = cJSON_GetObjectItemCaseSensitive(json, "device");
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(on, "name")->valuestring, device.name);
    assert_true(number(on, "clock_mhz") == 1980);
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(json, "rows");
    assert_int_equal(cJSON_GetArraySize(rows), 3);
    const cJSON *row = cJSON_GetArrayItem(rows, 1);
    assert_true(number(row, "cold_median_ms") == 0.0581234);
    assert_true(fabs(number(row, "percent_of_copy") - 100 * 0.0333 / 0.0581234) < 1e-3);
    const cJSON *refused = cJSON_GetArrayItem(rows, 2);
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(refused, "cold_median_ms")));
    assert_has(cJSON_GetObjectItemCaseSensitive(refused, "reason")->valuestring, "35 s, \"much\"");
    cJSON_Delete(json);
}

// 1024 pairs of a small picture.
WITH_RESULTS(buffers_that_fit_in_the_cache_are_told)
{
    struct bench_row rows[3];
    struct bench_result r = example(rows);
    struct device small = device;
    struct bench_about told = about;
    told.device = &small;
    small.l2_bytes = 50 << 20;
    assert_report(NULL, &r, &told, NULL, "cache");
    r.pairs = 1024;
    r.pair_bytes = 8192;
    assert_report(NULL, &r, &told, "8.39 MB, which fit in the cache; hot", NULL);
}

// The axis has a column in its place; the radius is a param like others then.
WITH_RESULTS(another_axis)
{
    static struct filter work = {.name = "work",
                                 .params = {{.name = "radius", .max = 64, .step = 1},
                                            {.name = "n", .max = 1 << 30, .step = 1}},
                                 .param_count = 2};
    arrays_add_pictures(&work);
    struct bench_row rows[3];
    struct bench_result r = example(rows);
    rows[1].choice.filter = rows[2].choice.filter = &work;
    rows[1].choice.settings.params.v[1] = rows[2].choice.settings.params.v[1] = 1 << 24;
    g_strlcpy(r.axis, "n", sizeof r.axis);
    g_autofree char *csv = bench_report("csv", &r, &about);
    assert_true(g_str_has_prefix(csv, "filter,variant,params,n,block_width,"));
    assert_has(csv, "\nwork,again,radius=16,16777216,32,8,");
    assert_report("json", &r, &about, "\"n\":\t16777216", "_px");
    assert_report(NULL, &r, &about, "radius=16", NULL);
    assert_report(NULL, &r, &about, "  16777216  32×8", NULL);
}

// Of cases that compute the same, on a GPU.
WITH_RESULTS(the_best_is_named)
{
    struct bench_row rows[3];
    struct bench_result r = example(rows);
    struct bench_about told = about;
    struct device card = *about.device;
    told.device = &card;
    assert_report(NULL, &r, &told, NULL, "best:");  // the only one
    rows[2] = rows[1];
    rows[2].name = "wide";
    rows[2].block_width = 64;
    rows[2].choice.settings.is_unrolled = true;
    rows[2].times[0] = (struct stats_summary){31, 0.04, 0.039, 0.041};
    card.is_gpu = true;
    assert_report(NULL, &r, &told, "\nbest: wide 64×8 unrolled, 0.0400 ms\n", NULL);
    assert_report("csv", &r, &told, NULL, "best");
    struct variant floor = {.is_floor = true};
    const struct variant *const wide = rows[2].choice.variant;
    rows[2].choice.variant = &floor;  // there is one candidate left
    assert_report(NULL, &r, &told, NULL, "best:");
    rows[2].choice.variant = wide;
    rows[2].times[0] = (struct stats_summary){31, 0.058, 0.0577, 0.0585};
    assert_report(NULL, &r, &told, "best: wide 64×8 unrolled, 0.0580 ms; 1 more within the spread",
                  NULL);
    rows[2].choice.settings.params.v[0] = 3;  // it computes something else
    assert_report(NULL, &r, &told, NULL, "best:");
    rows[2].choice.settings.params.v[0] = 16;
    rows[2].check = CHECK_WRONG;
    assert_report(NULL, &r, &told, NULL, "best:");
    rows[2].check = CHECK_EXACT;
    card.is_gpu = false;
    assert_report(NULL, &r, &told, NULL, "best:");
}

// The wrong row's times are marked, and it is not said to be faster than naive.
WITH_RESULTS(a_wrong_result_is_marked)
{
    struct bench_row rows[3];
    const struct bench_result r = example(rows);
    rows[1].check = CHECK_WRONG;
    rows[1].wrong_by.max = 3;
    static const struct {
        const char *format, *has, *has_not;
    } cases[] = {
        {"table", "✗ 0.0581  0.0577–0.0590  31  ✗ 0.0", "455"},
        {"table", "wrong, max 3\n", "exact"},
        {"csv", ",,\"wrong, max 3\",,,8000,", "455"},
        {"json", "\"wrong, max 3\"", "455"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_report(cases[i].format, &r, &about, cases[i].has, cases[i].has_not);
}

// ---- plots ----

WITH_RESULTS(what_can_be_plotted)
{
    static const struct {
        struct sweep_axes axes;
        const char *message;  // NULL: it can
    } cases[] = {
        {{.radius = "1,2"}, NULL},
        {{.radius = "2", .block = "8x8,16x16"}, NULL},
        {{.filter = "invert", .block = "all"}, NULL},
        {{.radius = "1,2", .block = "8x8,16x16", .unroll = "both"}, NULL},
        {{.filter = "invert,mean", .radius = "1,2", .variant = "naive"}, NULL},
        {{.radius = "2"}, "nothing to plot"},
        {{.filter = "invert"}, "nothing to plot"},
        {{.filter = "invert,mean", .radius = "1"}, "nothing to plot"},
        {{.radius = "1,2", .block = "all"}, "cannot be read"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        OWNED(sweep_finish) struct sweep sweep = {.count = 0};
        err.text[0] = '\0';
        assert_true(sweep_build(&sweep, &suite.filters, &cases[i].axes, NULL));
        assert_int_equal(bench_plot_check(&sweep, &err), cases[i].message == NULL);
        if (cases[i].message) assert_has(err.text, cases[i].message);
    }
}

SUITE("bench", set_up, tear_down)
