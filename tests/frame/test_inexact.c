// Labs with a tolerance on the CPU, as each compiler makes them: the functions that they may call,
// what is checked of their results, and that no other file may call one.
#include "on_device.h"

#include <math.h>

#include "frame/check.h"
#include "frame/frame.h"
#include "frame/results.h"

static struct backend *cpu;

static int open_cpu(void **state)
{
    cpu = open_device("cpu");
    return 0;
}

static int close_cpu(void **state)
{
    backend_close(cpu);
    return 0;
}

// A lab of n floats in a, and in k and y what a kernel makes of them. wanted: of element i of y.
static char *lab_text(const char *line, const char *wanted, const char *body)
{
    return g_strdup_printf("//! lab \"Planted\"\n%s\n//! param n 37 [1, 99]\n"
                           "//! array a float in [n] noise 1, 9\n//! array k out [n] shown 0, 9\n"
                           "//! array y out [n] shown 0, 9\n#include \"lab.h\"\n"
                           "//! reference k\n"
                           "__host__ __device__ double k_reference(long long i) { return i; }\n"
                           "//! reference y\n__host__ __device__ double y_reference("
                           "const float *a, long long i)\n{\n    const double x = a[i];\n"
                           "    (void)x;\n    %s\n}\n//! variant naive 64x1\n"
                           "__global__ void naive(const float *a, int *k, float *y, int n)\n{\n"
                           "    const int i = threadIdx.x;\n    if (i >= n) return;\n"
                           "    const float x = a[i];\n    (void)x;\n    k[i] = i;\n    %s\n}\n",
                           line, wanted, body);
}

static struct filter lab_of(const char *line, const char *wanted, const char *body)
{
    struct filter f;
    g_autofree char *text = lab_text(line, wanted, body);
    must(filter_parse(&f, "planted.cu", text, NULL, &err));
    return f;
}

static struct image_difference compared(const struct filter *f)
{
    struct frame frame = {
        .backend = cpu,
        .choice = {.filter = f, .variant = f->variants, .settings.params = filter_defaults(f)}};
    struct frame_memory memory = {.arrays = NULL};
    struct image_difference found = {0};
    struct references references;
    struct checker *const c = checker_create();
    enum checker_state state;
    must((frame.module = frame_build(cpu, f, (struct build){.params = NULL}, &err)) &&
         frame_plan(&frame, (struct planes){.pixels = NULL}, &err) &&
         backend_alloc(cpu, frame.arrays.bytes, &memory.arrays, &err) &&
         frame_fill(&frame, &memory, &err) && frame_poison(&frame, &memory, &err) &&
         frame_run(&frame, &memory, &err) && backend_wait(cpu, &err));
    references_open(&references, cpu, NULL);
    const struct checker_task task = {
        .references = &references, .frame = &frame, .memory = &memory};
    if (checker_begin_now(c, &task, &err) != CHECKER_RUNNING) fail_msg("%s", err.text);
    while ((state = checker_result(c, &found, &err)) == CHECKER_RUNNING) g_usleep(20);
    if (state != CHECKER_DONE) fail_msg("%s", err.text);
    checker_destroy(c);
    references_close(&references);
    backend_free(cpu, memory.arrays);
    backend_unload(cpu, (struct module *)frame.module);
    return found;
}

// ---- what is checked ----

// Skips the rest of a test whose numbers are any compiler's, where it has run with one.
static void run_once(bool *has_run)
{
    if (*has_run) skip();
    *has_run = true;
}

TEST(what_is_within_the_tolerance_is_right)
{
    static bool has_run;
    static const struct {
        const char *line, *wanted, *body;
        long wrong;          // of 37 elements of k and 37 of y
        double least, most;  // error
    } rows[] = {
        {"//! tolerance 1e-6 relative", "return exp(x);", "y[i] = expf(x);", 0, 1e-9, 1e-6},
        {"//! tolerance 1e-6 relative", "return x;", "y[i] = x;", 0, 0, 0},
        {"//! tolerance 1e-6 relative", "return exp(x);", "y[i] = expf(x) * 1.000002f;", 37, 1e-6,
         3e-6},
        {"//! tolerance 0.5 absolute", "return x;", "y[i] = x + 0.5f;", 0, 0.5, 0.5},
        {"//! tolerance 0.5 absolute", "return x;", "y[i] = x + (i == 3 ? 0.75f : 0.25f);", 1, 0.75,
         0.75},
        {"//! tolerance 4 ulp", "return (float)x;",
         "y[i] = __int_as_float(__float_as_int(x) + i % 5);", 0, 4, 4},
        {"//! tolerance 4 ulp", "return (float)x;",
         "y[i] = __int_as_float(__float_as_int(x) - (i == 7 ? 5 : 0));", 1, 5, 5},
        // integers have none, and no number is near what is none
        {"//! tolerance 4 ulp", "return x;", "y[i] = x; if (i == 7) k[i]++;", 1, INFINITY,
         INFINITY},
        {"//! tolerance 9 absolute", "return x;", "y[i] = i == 7 ? NAN : x;", 1, INFINITY,
         INFINITY},
        {"//! tolerance 9 absolute", "return i == 7 ? NAN : i == 8 ? -INFINITY : x;",
         "y[i] = i == 7 ? NAN : i == 8 ? -INFINITY : x;", 0, 0, 0},
        {"//! tolerance 9 absolute", "return i == 8 ? -INFINITY : x;",
         "y[i] = i == 8 ? INFINITY : x;", 1, INFINITY, INFINITY},
        {"", "return x;", "y[i] = x;", 0, 0, 0},
        {"", "return x;", "y[i] = __int_as_float(__float_as_int(x) + (i == 7));", 1, INFINITY,
         INFINITY},
    };
    run_once(&has_run);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(filter_finish) struct filter f = lab_of(rows[i].line, rows[i].wanted, rows[i].body);
        const struct choice c = {.filter = &f, .variant = f.variants};
        const struct image_difference found = compared(&f);
        if (found.count != rows[i].wrong || !(found.error >= rows[i].least) ||
            !(found.error <= rows[i].most))
            fail_msg("%s: %ld are wrong, by up to %g", rows[i].body, found.count, found.error);
        assert_int_equal(result_check_of(&c, found), rows[i].wrong   ? CHECK_WRONG
                                                     : *rows[i].line ? CHECK_NEAR
                                                                     : CHECK_EXACT);
    }
}

// It is of the element that differs most, of those that are wrong.
TEST(the_place_is_that_of_the_largest_error)
{
    static bool has_run;
    run_once(&has_run);
    OWNED(filter_finish)
    struct filter f =
        lab_of("//! tolerance 0.001 absolute", "return x;",
               "y[i] = x + (i == 2 ? 0.002f : i == 30 ? 0.004f : i == 33 ? 0.003f : 0.0005f);");
    const struct image_difference found = compared(&f);
    assert_int_equal(found.count, 3);
    assert_int_equal(found.x, 30);
    assert_int_equal(found.plane, 2);
}

// ---- what may be called ----

// Of x, a float from 1 to 9, in floats, and in doubles.
static const struct {
    const char *is, *wanted;
} words[] = {
    {"expf(-x)", "exp(-x)"},
    {"exp(-x)", "exp(-x)"},
    {"exp2f(x)", "exp2(x)"},
    {"exp10f(x)", "exp10(x)"},
    {"expm1f(x)", "expm1(x)"},
    {"logf(x + 1)", "log(x + 1)"},
    {"log(x + 1)", "log(x + 1)"},
    {"log2f(x + 1)", "log2(x + 1)"},
    {"log2(i + 2)", "log2(i + 2.)"},
    {"log10f(x + 1)", "log10(x + 1)"},
    {"log1pf(x)", "log1p(x)"},
    {"sinf(x / 9)", "sin(x / 9)"},
    {"cosf(x / 9)", "cos(x / 9)"},
    {"tanf(x / 9)", "tan(x / 9)"},
    {"asinf(x / 9)", "asin(x / 9)"},
    {"acosf(x / 10)", "acos(x / 10)"},
    {"atanf(x)", "atan(x)"},
    {"sinhf(x)", "sinh(x)"},
    {"coshf(x)", "cosh(x)"},
    {"tanhf(x)", "tanh(x)"},
    {"asinhf(x)", "asinh(x)"},
    {"acoshf(x + 1)", "acosh(x + 1)"},
    {"atanhf(x / 10)", "atanh(x / 10)"},
    {"cbrtf(x)", "cbrt(x)"},
    {"erff(x)", "erf(x)"},
    {"erfcf(x / 9)", "erfc(x / 9)"},
    {"lgammaf(x + 3)", "lgamma(x + 3)"},
    {"tgammaf(x)", "tgamma(x)"},
    {"normcdff(x)", "0.5 * erfc(-x / sqrt(2.))"},
    {"sinpif(x / 32)", "sin(3.14159265358979324 * x / 32)"},
    {"cospif(x / 32)", "cos(3.14159265358979324 * x / 32)"},
    {"rsqrtf(x)", "1 / sqrt(x)"},
    {"rsqrt(x)", "1 / sqrt(x)"},
    {"rsqrt((double)x)", "1 / sqrt(x)"},
    {"rcbrtf(x)", "1 / cbrt(x)"},
    {"powf(x, 2.5f)", "pow(x, 2.5)"},
    {"pow(x, 2)", "x * x"},
    {"pow(2, i)", "exp2((double)i)"},
    {"pow(x, 0.5)", "sqrt(x)"},
    {"atan2f(x, 3)", "atan2(x, 3.)"},
    {"hypotf(x, 3)", "sqrt(x * x + 9)"},
    {"__expf(x / 9)", "exp(x / 9)"},
    {"__exp10f(x / 9)", "exp10(x / 9)"},
    {"__logf(x + 1)", "log(x + 1)"},
    {"__log2f(x + 1)", "log2(x + 1)"},
    {"__log10f(x + 1)", "log10(x + 1)"},
    {"__powf(x, 1.5f)", "pow(x, 1.5)"},
    {"__sinf(x / 9)", "sin(x / 9)"},
    {"__cosf(x / 9)", "cos(x / 9)"},
    {"__tanf(x / 9)", "tan(x / 9)"},
    {"__tanhf(x)", "tanh(x)"},
    {"__fdividef(x, 3)", "x / 3"},
    {"fdividef(x, 3)", "x / 3"},
    {"__frsqrt_rn(x)", "1 / sqrt(x)"},
};

// One lab has each of them, in turns.
TEST(each_word_is_near_the_slow_one)
{
    g_autoptr(GString) wanted = g_string_new("switch (i) {\n");
    g_autoptr(GString) is = g_string_new("switch (i) {\n");
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        g_string_append_printf(wanted, "case %zu: return %s;\n", i, words[i].wanted);
        g_string_append_printf(is, "case %zu: y[i] = %s; break;\n", i, words[i].is);
    }
    const int last = (int)G_N_ELEMENTS(words);
    g_string_append_printf(wanted, "case %d: return sin(x) + 2 * cos(x);\n}\n    return 0;", last);
    g_string_append_printf(is,
                           "case %d: float s, c; sincosf(x, &s, &c); y[i] = s + 2 * c; break;\n"
                           "default: y[i] = 0;\n}",
                           last);
    OWNED(filter_finish)
    struct filter f = lab_of("//! tolerance 2e-6 relative", wanted->str, is->str);
    f.params[0].value = f.params[0].cpu_value = last + 1;
    const struct image_difference found = compared(&f);
    if (found.count)
        fail_msg("%s: off by %g", found.x < last ? words[found.x].is : "sincosf", found.error);
    struct module *traced = frame_build(cpu, &f, (struct build){.is_traced = true}, &err);
    must(traced);
    backend_unload(cpu, traced);
}

#define REMEDY ": its last bits differ between devices; say //! tolerance 1e-6 relative\n"

TEST(others_may_not_call_them)
{
    static const struct {
        const char *body, *start;
    } rows[] = {
        {"y[i] = expf(x); int broken = ;", "planted.cu:25:12: expf" REMEDY},
        {"y[i] = 1 + /* of x */ rsqrtf /* */ (x);", "planted.cu:25:27: rsqrtf" REMEDY},
        {"y[i] = __fdividef(1, x);", "planted.cu:25:12: __fdividef" REMEDY},
        {"y[i] = pow((double)x, 2);", "planted.cu:25:12: pow" REMEDY},
        {"float (*f)(float) = expf; y[i] = f(x);", "planted.cu:25:25: expf" REMEDY},
        {"y[i] = ::sin(x);", "planted.cu:25:14: sin" REMEDY},
        {"#define EXP expf\n    y[i] = EXP(x);", "planted.cu:25:17: expf" REMEDY},
        {"#define EXP(x) __expf(x)\n    y[i] = EXP(x);", "planted.cu:25:20: __expf" REMEDY},
        {"y[i] = expf(x) + logf(x);\n    y[i] = expf(x);", "planted.cu:25:12: expf" REMEDY},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(filter_finish) struct filter f = lab_of("", "return x;", rows[i].body);
        assert_null(frame_build(cpu, &f, (struct build){.params = NULL}, &err));
        if (!g_str_has_prefix(err.text, rows[i].start)) fail_msg("%s: %s", rows[i].body, err.text);
        assert_null(strstr(err.text + 1, "planted.cu"));
    }
    OWNED(filter_finish) struct filter f = lab_of("", "return log(x);", "y[i] = x;");
    assert_null(frame_build(cpu, &f, (struct build){.params = NULL}, &err));
    assert_true(g_str_has_prefix(err.text, "planted.cu:15:12: log" REMEDY));
    filter_finish(&f);
    must(filter_parse(&f, "planted.cu",
                      "//! filter \"Planted\"\n#include \"kernel.h\"\n//! variant naive 32x8\n"
                      "__global__ void naive(plane out) { out.pixels[0] = (int)expf(1); }\n",
                      NULL, &err));
    assert_null(frame_build(cpu, &f, (struct build){.params = NULL}, &err));
    assert_true(g_str_has_prefix(err.text, "planted.cu:4:57: expf: its last bits differ between "
                                           "devices; a filter's pixels are exact\n"));
}

// Names of its own, what is switched off, what host code calls, and what is rounded correctly.
TEST(what_is_exact_needs_no_tolerance)
{
    static const char *const bodies[] = {
        "y[i] = x;\n}\n__device__ float cosf(float v, int) { return v; }\n"
        "__device__ float more(float v) {\n    return cosf(v, 1);",
        "#define sinf(v) (v)\n    y[i] = sinf(x);",
        "int log = 3; struct { float exp; } s = {x}; y[i] = s.exp * log; // expf(x)",
        "struct { float pow(float v) { return v; } } s, *p = &s; y[i] = s.pow(x) + p->pow(x);",
        "#if 0\n    y[i] = expf(x);\n#endif\n    y[i] = x;",
        "y[i] = x;\n}\n#include <math.h>\nint main() { return (int)sinf(1); }\n"
        "__device__ void more() {",
        "y[i] = fabsf(x) + fminf(x, 1) + fmaxf(x, 2) + floorf(x) + ceilf(x) + truncf(x) + rintf(x)"
        " + sqrtf(x) + fmaf(x, x, x) + x / 3;",
        "y[i] = __frcp_rn(x) + __fsqrt_rn(x) + __fdiv_rn(x, 3) + __fadd_rn(x, 1)"
        " + __fsub_rn(x, 1) + __fmul_rn(x, 3);",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bodies); i++) {
        OWNED(filter_finish) struct filter f = lab_of("", "return x;", bodies[i]);
        struct module *const m = frame_build(cpu, &f, (struct build){.params = NULL}, &err);
        if (!m) fail_msg("%s: %s", bodies[i], err.text);
        backend_unload(cpu, m);
    }
    // Without a reference nothing is compared, so that any CUDA file with expf opens.
    OWNED(filter_finish) struct filter f;
    must(filter_parse(&f, "planted.cu",
                      "__global__ void k(float *y) { y[threadIdx.x] = expf(threadIdx.x); }\n"
                      "//! lab \"Planted\"\n//! array y float out [32] shown 0, 9\n"
                      "//! variant k 32x1 of k\n",
                      NULL, &err));
    struct module *const m = frame_build(cpu, &f, (struct build){.params = NULL}, &err);
    must(m);
    backend_unload(cpu, m);
}

int main(void)
{
    return run_with_each_compiler(open_cpu, close_cpu);
}
