// test_edges -- what is said of a kernel that is right only where blocks end with the picture or
// array, of one that faults or does not end, and of the program's own.
#include "on_device.h"

#include "frame/edges.h"
#include "endless.h"

static const char picture_head[] =
    "//! filter \"Edge\"\n#include \"kernel.h\"\n"
    "//! reference out\n"
    "__host__ __device__ int edge_reference(plane in, int x, int y)\n"
    "{ return 255 - load(in, x, y); }\n"
    "#define AT const int x = blockIdx.x * blockDim.x + threadIdx.x, \\\n"
    "    y = blockIdx.y * blockDim.y + threadIdx.y\n"
    "#define PUT out.pixels[y * out.pitch + x] = 255 - in.pixels[y * in.pitch + x]\n";
static const char right[] = "//! variant right 32x8\n"
                            "__global__ void edge_right(plane out, plane in)\n"
                            "{ AT; if (x < out.width && y < out.height) PUT; }\n";
static const char whole_words[] =
    "//! variant words 32x8\n"
    "__global__ void edge_words(plane out, plane in)\n"
    "{ AT; if (x / 16 * 16 + 16 <= out.width && y < out.height) PUT; }\n";
static const char lab_head[] =
    "//! lab \"Line\"\n//! param n 4096 [256, 65536]\n"
    "//! array a in [n] counted\n//! array b out [n]\n#include \"lab.h\"\n"
    "//! reference b\n"
    "__host__ __device__ double line_reference(const float *a, long long i) { return a[i] + 1; }\n";

struct world {
    struct filter filter;
    struct edges *edges;
};

// A file whose variant of that number is the shown one has been tried.
static struct edges *try_file(struct world *w, int shown, ...)
{
    g_autoptr(GString) text = g_string_new(NULL);
    va_list parts;
    va_start(parts, shown);
    for (const char *part; (part = va_arg(parts, const char *));) g_string_append(text, part);
    va_end(parts);
    must(filter_parse(&w->filter, "edge.cu", text->str, NULL, &err));
    const struct choice choice = {
        &w->filter, &w->filter.variants[shown], {.params = filter_defaults(&w->filter)}};
    w->edges = edges_create(TILESCOPE_KERNELS, &choice);
    edges_run(w->edges);
    return w->edges;
}

static void finish(struct world *w)
{
    edges_destroy(w->edges);
    filter_finish(&w->filter);
}

TEST(the_place_is_the_first_in_memory)
{
    OWNED(finish) struct world w;
    const struct edges *e = try_file(&w, 0, picture_head, right, whole_words, NULL);
    assert_int_equal(e->tried, 2);
    assert_string_equal(e->found[0].where, "");
    assert_string_equal(e->found[1].where, "at 33×17: first at (32, 0)");
    assert_string_equal(e->found[1].why, "");
}

TEST(an_array_is_written_behind)
{
    OWNED(finish) struct world w;
    const struct edges *e = try_file(&w, 0, lab_head,
                                     "//! variant last 256x1\n"
                                     "__global__ void line_last(float *b, const float *a, int n)\n"
                                     "{ const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "  if (i < n) b[i] = a[i] + 1; else if (i <= n) b[i] = 0; }\n"
                                     "//! variant whole 256x1\n"
                                     "__global__ void line_whole(float *b, const float *a, int n)\n"
                                     "{ const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "  if (i / 256 * 256 + 256 <= n) b[i] = a[i] + 1; }\n",
                                     NULL);
    assert_string_equal(e->found[0].where, "at n 1025: writes behind b");
    assert_string_equal(e->found[1].where, "at n 1025: first at b[1024]");
}

// A kernel that fails, or never ends, keeps nobody from trying the others.
TEST(faults_and_what_does_not_end)
{
    OWNED(finish) struct world w;
    endless_skip();
    leave_faults();
    const struct edges *e = try_file(&w, 1, ENDLESS_NAP, picture_head, right,
                                     "//! variant wild 32x8\n"
                                     "__global__ void edge_wild(plane out, plane in)\n"
                                     "{ AT; if (x < out.width && y < out.height) PUT;\n"
                                     "  if (x == 32) *(volatile int *)16 = 1; }\n"
                                     "//! variant stuck 32x8\n"
                                     "__global__ void edge_stuck(plane out, plane in)\n"
                                     "{ AT; while (x >= 0 && out.width == 33) nap();\n"
                                     "  if (x < out.width && y < out.height - 1) PUT; }\n",
                                     whole_words, NULL);
    assert_int_equal(e->tried, 4);
    assert_string_equal(e->found[0].where, "");
    assert_string_equal(e->found[1].where, "at 33×17: the kernel faults");
    assert_non_null(strstr(e->found[1].why, "edge_wild: thread (0, "));
    assert_string_equal(e->found[2].where, "at 67×44: first at (0, 43)");
    assert_string_equal(e->found[3].where, "at 33×17: first at (32, 0)");
}

TEST(what_cannot_be_compared)
{
    struct world w;
    const struct edges *e =
        try_file(&w, 0, "//! filter \"Bare\"\n#include \"kernel.h\"\n", "#define AT\n#define PUT\n",
                 "//! variant right 32x8\n"
                 "__global__ void bare_right(plane out, plane in) { }\n",
                 NULL);
    assert_string_equal(e->found[0].where, "");
    finish(&w);
    e = try_file(&w, 0, picture_head,
                 "//! variant bad 32x8\n"
                 "__global__ void edge_bad(plane out, plane in) { nothing; }\n",
                 NULL);
    assert_int_equal(e->tried, 1);
    assert_string_equal(e->found[0].where, "");
    finish(&w);
}
