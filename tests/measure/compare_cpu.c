// compare_cpu -- prints how the CPU device does beside what people have without it: the same
// kernels by hand in OpenCL on PoCL, and the obvious loop, which is the file's reference called for
// each element. It is no test, and judges nothing.
//
//     compare_cpu [ROUNDS [FILTER]]
//
// All run in turns on one thread. The times are medians of that thread's processor time a launch,
// so that other work on the machine disturbs them little. Elements that differ from the loop's are
// counted. Without OpenCL's library, or without PoCL, a line says so. A device of fewer vector
// instructions: TILESCOPE_KERNEL_FLAGS=-march=x86-64-v3 (PoCL's stays).
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/image.h"
#include "frame/frame.h"
#include "frame/reference.h"
#include "frame/workspace.h"

#ifdef HAVE_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif

enum { WIDTH = 1280, HEIGHT = 720, MOST_ROUNDS = 99, BUFFERS = 3, INTS = 4 };

// A variant, and the kernel FILTER_VARIANT in compare_cpu.cl. Its arguments are buffers, ints and
// local memory.
struct rival {
    const char *filter, *variant;
    char *params[3];       // "radius=3", up to NULL
    int buffers[BUFFERS];  // arrays of the file, `out` first
    int buffer_count;
    int ints[INTS];
    int int_count;
    size_t local_bytes;
};

static const struct rival rivals[] = {
    {"mean", "naive", {"radius=3"}, {1, 0}, 2, {WIDTH, HEIGHT, WIDTH, 3}, 4, 0},
    {"mean", "shared", {"radius=3"}, {1, 0}, 2, {WIDTH, HEIGHT, WIDTH, 3}, 4, 38 * 14},
    {"transpose", "read_columns", {"rows=1000", "columns=1000"}, {1, 0}, 2, {1000, 1000}, 2, 0},
    {"transpose", "padded", {"rows=1000", "columns=1000"}, {1, 0}, 2, {1000, 1000}, 2, 4 * 32 * 33},
    {"matmul", "naive", {"n=256"}, {2, 0, 1}, 3, {256}, 1, 0},
    {"matmul", "shared", {"n=256"}, {2, 0, 1}, 3, {256}, 1, 0},
    {"sum", "sequential", {"n=1048576"}, {1, 0}, 2, {1 << 20}, 1, 4 * 256},
};

struct comparison {
    struct backend *backend;
    struct references references;
    const struct rival *rival;
    struct frame frame;
    struct frame_memory memory;
    struct reference reference;
    struct image picture;
    double *expected;
#ifdef HAVE_OPENCL
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffers[BUFFERS];
#endif
};

static void must(bool is_done, const char *what)
{
    if (is_done) return;
    fprintf(stderr, "compare_cpu: %s\n", what);
    exit(1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static const struct array_place *place_of(const struct comparison *c, int buffer)
{
    return &c->frame.arrays.places[c->rival->buffers[buffer]];
}

static size_t bytes_of(const struct comparison *c, int buffer)
{
    return place_of(c, buffer)->bytes;
}

static void *start_of(const struct comparison *c, int buffer)
{
    return frame_array(&c->frame, &c->memory, c->rival->buffers[buffer]);
}

// How many elements of `out` are not the loop's.
static long long count_wrong(const struct comparison *c, const void *out)
{
    const struct array_place *p = place_of(c, 0);
    const enum array_type type = c->frame.choice.filter->arrays[c->rival->buffers[0]].type;
    long long wrong = 0;
    for (long long i = 0; i < p->count; i++) {
        const long long at =
            p->picture.width ? i / p->columns * p->picture.pitch + i % p->columns : i;
        wrong += array_value(type, out, at) != c->expected[i];
    }
    return wrong;
}

// ---- who is compared; each returns how many elements are wrong ----

static void run_device(struct comparison *c)
{
    struct error err = {""};
    must(frame_run(&c->frame, &c->memory, &err) && backend_wait(c->backend, &err), err.text);
}

static void run_loop(struct comparison *c)
{
    const void *pointers[ARRAYS_MAX];
    const struct planes in = planes_at(c->picture.planes, start_of(c, 1));
    const bool is_picture = filter_has_picture(c->frame.choice.filter);
    for (int i = 0; i < c->frame.arrays.count; i++)
        pointers[i] = is_picture ? NULL : frame_array(&c->frame, &c->memory, i);
    if (is_picture) pointers[ARRAYS_IN] = &in;
    for (long long i = 0; i < place_of(c, 0)->count; i++)
        c->expected[i] =
            c->reference.elements[c->rival->buffers[0]](pointers, c->reference.params, i);
}

#ifdef HAVE_OPENCL
static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "compare_cpu: OpenCL: %s fails with %d\n", what, status);
    exit(1);
}

static bool open_rival(struct comparison *c)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    char name[128] = "", log[4096] = "";
    g_autofree char *text = NULL;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL) != CL_SUCCESS)
        return false;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    printf("PoCL: %s\n", name);
    c->context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    c->queue = clCreateCommandQueue(c->context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    must(g_file_get_contents(TILESCOPE_SOURCE_DIR "/tests/measure/compare_cpu.cl", &text, NULL,
                             NULL),
         "cannot read compare_cpu.cl");
    c->program = clCreateProgramWithSource(c->context, 1, (const char **)&text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(c->program, 1, &device, "", NULL, NULL);
    clGetProgramBuildInfo(c->program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    if (status != CL_SUCCESS) fprintf(stderr, "%s\n", log);
    check(status, "clBuildProgram");
    return true;
}

static void begin_rival(struct comparison *c)
{
    const struct rival *r = c->rival;
    g_autofree char *name = g_strdup_printf("%s_%s", r->filter, r->variant);
    cl_int status;
    cl_uint argument = 0;
    c->kernel = clCreateKernel(c->program, name, &status);
    check(status, name);
    for (int i = 0; i < r->buffer_count; i++) {
        c->buffers[i] = clCreateBuffer(c->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       bytes_of(c, i), start_of(c, i), &status);
        check(status, "clCreateBuffer");
        check(clSetKernelArg(c->kernel, argument++, sizeof(cl_mem), &c->buffers[i]), name);
    }
    for (int i = 0; i < r->int_count; i++)
        check(clSetKernelArg(c->kernel, argument++, sizeof(int), &r->ints[i]), name);
    if (r->local_bytes) check(clSetKernelArg(c->kernel, argument, r->local_bytes, NULL), name);
}

// In the variant's blocks.
static void run_rival(struct comparison *c)
{
    const struct launch_plan *plan = &c->frame.plan;
    const struct launch_config *l = &plan->passes[plan->pass_count - 1].config;
    const size_t local[] = {(size_t)l->block_width, (size_t)l->block_height};
    const size_t global[] = {local[0] * (size_t)l->grid_width, local[1] * (size_t)l->grid_height};
    const int zero = 0;
    if (plan->pass_count > 1)  // the first pass clears `out`
        check(clEnqueueFillBuffer(c->queue, c->buffers[0], &zero, sizeof zero, 0, bytes_of(c, 0), 0,
                                  NULL, NULL),
              "clEnqueueFillBuffer");
    check(clEnqueueNDRangeKernel(c->queue, c->kernel, 2, NULL, global, local, 0, NULL, NULL),
          c->rival->variant);
    check(clFinish(c->queue), "clFinish");
}

static void end_rival(struct comparison *c, long long *wrong)
{
    g_autofree void *out = g_malloc(bytes_of(c, 0));
    check(clEnqueueReadBuffer(c->queue, c->buffers[0], CL_TRUE, 0, bytes_of(c, 0), out, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    *wrong = count_wrong(c, out);
    for (int i = 0; i < c->rival->buffer_count; i++) clReleaseMemObject(c->buffers[i]);
    clReleaseKernel(c->kernel);
}
#else
static bool open_rival(struct comparison *c)
{
    (void)c;
    return false;
}
static void begin_rival(struct comparison *c)
{
    (void)c;
}
static void run_rival(struct comparison *c)
{
    (void)c;
}
static void end_rival(struct comparison *c, long long *wrong)
{
    (void)c;
    *wrong = 0;
}
#endif

// ---- one row ----

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Who, on fibers, by PoCL, by the loop.
enum who { FAST, STRICT, RIVAL, LOOP, ALL };

static void measure(struct comparison *c, int rounds, bool has_rival, double medians[ALL])
{
    double times[ALL][MOST_ROUNDS];
    for (int round = -1; round < rounds; round++)  // the first one warms up
        for (int who = 0; who < ALL; who++) {
            const double begin = now_ms();
            c->frame.is_strict = who == STRICT;
            if (who <= STRICT)
                run_device(c);
            else if (who == LOOP)
                run_loop(c);
            else if (has_rival)
                run_rival(c);
            if (round >= 0) times[who][round] = now_ms() - begin;
        }
    for (int who = 0; who < ALL; who++) {
        qsort(times[who], (size_t)rounds, sizeof *times[who], compare_doubles);
        medians[who] = times[who][rounds / 2];
    }
}

static void print_row(struct comparison *c, int rounds, bool has_rival)
{
    double ms[ALL];
    long long wrong = 0;
    c->expected = g_new(double, (gsize)place_of(c, 0)->count);
    if (has_rival) begin_rival(c);
    measure(c, rounds, has_rival, ms);
    if (has_rival) end_rival(c, &wrong);
    printf("%-10s %-13s %8.3f ms  fibers %6.1f×  loop %5.1f×", c->rival->filter, c->rival->variant,
           ms[FAST], ms[STRICT] / ms[FAST], ms[LOOP] / ms[FAST]);
    if (has_rival) printf("  PoCL %5.2f×", ms[RIVAL] / ms[FAST]);
    printf("  wrong: %lld here, %lld of PoCL's\n", count_wrong(c, start_of(c, 0)), wrong);
    g_free(c->expected);
}

static void compare(struct comparison *c, const struct filter_list *filters, int rounds,
                    bool has_rival)
{
    struct error err = {""};
    struct choice choice;
    must(choice_read(&choice,
                     &(struct choice_words){.filter = c->rival->filter,
                                            .variant = c->rival->variant,
                                            .params = (char **)c->rival->params},
                     filters, &err),
         err.text);
    const struct filter *const f = choice.filter;
    struct module *const module = frame_build(c->backend, f, (struct build){.is_fast = true}, &err);
    must(module && backend_is_fast(module) &&
             reference_wait(&c->reference, &c->references, f, &choice.settings.params),
         err.text);
    c->frame = (struct frame){.backend = c->backend, .choice = choice, .module = module};
    const struct planes picture =
        filter_has_picture(f) ? c->picture.planes : (struct planes){.pixels = NULL};
    OWNED(workspace_finish) struct workspace w = {0};
    must(frame_plan(&c->frame, picture, &err) && workspace_init(&w, c->backend, picture, 1, &err) &&
             workspace_prepare(&w, &c->frame, &err) && backend_wait(c->backend, &err),
         err.text);
    c->memory = workspace_of(&w, &c->frame);
    print_row(c, rounds, has_rival);
    backend_wait(c->backend, NULL);
    workspace_finish(&w);
    w = (struct workspace){0};
    backend_unload(c->backend, module);
}

int main(int argc, char **argv)
{
    const int rounds = CLAMP(argc > 1 ? atoi(argv[1]) : 15, 1, MOST_ROUNDS);
    OWNED(filter_list_finish) struct filter_list filters = {.filters = NULL};
    struct comparison c = {.backend = NULL};
    struct error err = {""};
    g_setenv("TILESCOPE_THREADS", "1", TRUE);
    g_setenv("POCL_DEVICES", "basic", TRUE);  // which has no threads
    c.backend = backend_open("cpu", NULL, 0, &err);
    must(c.backend != NULL, err.text);
    backend_set_include(c.backend, TILESCOPE_SOURCE_DIR "/kernels");
    references_open(&c.references, c.backend, NULL);
    must(filter_list_load(&filters, TILESCOPE_SOURCE_DIR "/kernels", NULL, &err) &&
             image_init(&c.picture, WIDTH, HEIGHT, 1, &err),
         err.text);
    image_fill_noise(c.picture.planes, 1);
    const bool has_rival = open_rival(&c);
    if (!has_rival) printf("without PoCL: install pocl-opencl-icd and ocl-icd-opencl-dev\n");
    printf("%s, %s\nOne thread, processor time, medians of %d; the others' in terms of ours\n",
           backend_device(c.backend)->name, backend_device(c.backend)->driver, rounds);
    for (size_t i = 0; i < G_N_ELEMENTS(rivals); i++) {
        c.rival = &rivals[i];
        if (argc < 3 || !strcmp(argv[2], c.rival->filter)) compare(&c, &filters, rounds, has_rival);
    }
    image_finish(&c.picture);
    references_close(&c.references);
    backend_close(c.backend);
    return 0;
}
