// test_kernels -- every filter × variant × radius × block × picture × layout × unroll, on one
// device: equal to the reference to the last bit, or refused before the launch with a reason.
//
// device_suite.h has the command line. The test finds filters and variants by itself. Cases of more
// than BILLIONS of taps are counted as left out (0: none are), because the emulator would take
// minutes for them. With BILLIONS, pictures are smaller, too, and numbers other than the defaults
// and literals meet two shapes of block instead of all. Every variant must run on several blocks at
// every radius. If BILLIONS is too low for that, the run is brief: it leaves out literals and
// middle-sized pictures. The run ends when so much is wrong that no more is shown.
//
// A library may differ by its tolerance. Where it is not installed, a line says so.
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "device/backend.h"
#include "device_suite.h"
#include "filter_references.h"
#include "frame/frame.h"
#include "frame/reference.h"
#include "frame/results.h"

enum { MAX_SHOWN = 20, POISON = 0xee };

static const int radii[] = {0, 1, 2, 7, 16, 64};
// 0: the variant's own.
static const int blocks[][2] = {{0, 0}, {7, 5}, {8, 8}, {16, 16}, {32, 8}, {32, 32}, {128, 1}};
enum { FEW_BLOCKS = 2 };
// Up to 17×9 they have few enough pixels for the largest radius, which 137 and 141 exceed on both
// sides of a pixel; 35×33 are several blocks of every shape.
static const int pictures[][2] = {{1, 1},   {1, 137},   {141, 1},   {17, 9},   {35, 33},
                                  {67, 45}, {203, 117}, {640, 160}, {640, 480}};
static const int layouts[] = {1, 3};
enum { MIDDLE = 20000, LARGE = 100000, HUGE = 200000 };  // pixels
static const double SEVERAL_BLOCKS_TAPS = 4e6;  // what every variant takes on several blocks
// More of them for packed pixels, whose rows end and whose words begin anywhere in a pixel.
static const int packed_pictures[][2] = {{2, 3}, {3, 2},  {4, 1},  {5, 4},  {7, 9},
                                         {8, 3}, {31, 8}, {33, 5}, {64, 4}, {1021, 3}};

struct suite {
    struct backend *backend;
    const struct references *references;
    double max_taps;
    const char *only;  // a filter's name; NULL: all
    const struct filter *filter;
    struct image source, expected, found;
    void *in, *out, *own, *shared;
    struct settings settings;
    size_t block_count;
    const struct module *module;
    long run, refused, wrong, left_out;
    long run_of[FILTER_MAX_VARIANTS];          // of this filter
    struct launch_build unrolled;              // what the second module is for
    bool has_several_of[FILTER_MAX_VARIANTS];  // several blocks at this radius
    bool is_missing[FILTER_MAX_VARIANTS];      // a library that cannot be called
};

static void report(struct suite *s, const char *variant, const char *what)
{
    if (s->wrong++ >= MAX_SHOWN) return;
    const struct planes p = s->source.planes;
    printf("WRONG %s %s", s->filter->name, variant);
    for (int i = 0; i < s->filter->param_count; i++) {
        char value[FILTER_VALUE];
        filter_write_value(&s->filter->params[i], s->settings.params.v[i], value);
        printf(" %s %s", s->filter->params[i].name, value);
    }
    printf(" block %d×%d unroll %d picture %d×%d×%d: %s\n", s->settings.block_width,
           s->settings.block_height, s->settings.is_unrolled, p.width, p.height, p.count, what);
}

static bool run_frame(struct suite *s, const struct frame *frame, struct error *err)
{
    const struct planes shape = s->source.planes;
    const struct frame_memory memory = {
        .arrays = s->in, .own = s->own, .shared = s->shared, .target = planes_at(shape, s->out)};
    return backend_fill(s->backend, s->own, POISON, 2 * planes_bytes(shape), err) &&
           frame_fill(frame, &memory, err) && frame_prepare(frame, &memory, err) &&
           backend_fill(s->backend, s->out, POISON, planes_bytes(shape), err) &&
           frame_run(frame, &memory, err) && frame_finish(frame, &memory, err) &&
           backend_wait(s->backend, err) &&
           backend_download(s->backend, s->found.planes, memory.target, err);
}

// Behind the last row of an interleaved result nothing may be written.
static void check_end(struct suite *s, const struct frame *frame)
{
    const struct variant *v = frame->choice.variant;
    struct error err = {""};
    const struct planes shape = s->found.planes;
    unsigned char *const result = (unsigned char *)s->own + planes_bytes(shape);
    if (!backend_download(s->backend, shape, planes_at(shape, result), &err))
        report(s, v->name, err.text);
    const size_t end = (size_t)frame->plan.pitch * (size_t)shape.height;
    for (size_t i = end; i < planes_bytes(shape); i++)
        if (shape.pixels[i] != POISON) {
            report(s, v->name, "written behind the last row");
            return;
        }
}

// A library that is refused in any block.
static void note_missing(struct suite *s, const struct variant *v, const struct error *why)
{
    bool *const is_missing = &s->is_missing[v - s->filter->variants];
    if (!v->library.function || s->settings.block_width || *is_missing) return;
    printf("skipped: %s: %s\n", s->filter->name, why->text);
    *is_missing = true;
}

static void check_case(struct suite *s, const struct variant *v)
{
    struct error err = {""};
    struct frame frame = {
        .backend = s->backend, .choice = {s->filter, v, s->settings}, .module = s->module};
    if (!frame_plan(&frame, s->source.planes, &err)) {
        s->refused++;
        note_missing(s, v, &err);
        if (!err.text[0]) report(s, v->name, "refused without a reason");
        return;
    }
    s->run++;
    s->run_of[v - s->filter->variants]++;
    if (v->library.function ||
        frame.plan.passes[0].grid_width * frame.plan.passes[0].grid_height > 1)
        s->has_several_of[v - s->filter->variants] = true;
    if (!run_frame(s, &frame, &err)) {
        report(s, v->name, err.text);
        return;
    }
    const struct image_difference d = image_compare(s->found.planes, s->expected.planes);
    if (!d.count && frame.plan.pitch) check_end(s, &frame);
    if (result_check_of(&frame.choice, d) != CHECK_WRONG) return;
    char what[128];
    g_snprintf(what, sizeof what, "%ld pixels differ, by %d at (%d, %d) of plane %d", d.count,
               d.max, d.x, d.y, d.plane);
    report(s, v->name, what);
}

// What a variant reads for a pixel, about: with two passes, or with blocks that are not made of
// their threads' pixels, it shares sums between pixels.
static double taps_of(const struct suite *s, const struct variant *v)
{
    const struct pass *p = &v->passes[0];
    const double taps = launch_taps(s->filter, &s->settings);
    const bool is_direct =
        v->pass_count == 1 && !p->columns.count && !p->rows.count && p->each_x * p->each_y == 1;
    return is_direct ? taps : v->pass_count * sqrt(taps);
}

static bool is_too_long(const struct suite *s, double taps, double max)
{
    const struct planes p = s->source.planes;
    return s->max_taps > 0 && (double)p.width * p.height * p.count * taps > max;
}

static void check_blocks(struct suite *s)
{
    for (int i = 0; i < s->filter->variant_count; i++) {
        const struct variant *v = &s->filter->variants[i];
        if (is_too_long(s, taps_of(s, v), s->max_taps)) {
            s->left_out += (long)s->block_count;
            continue;
        }
        for (size_t b = 0; b < s->block_count && s->wrong < MAX_SHOWN; b++) {
            s->settings.block_width = blocks[b][0];
            s->settings.block_height = blocks[b][1];
            check_case(s, v);
        }
    }
}

// A module with literals is for one choice of ints.
static bool is_built_for(const struct suite *s, int unroll)
{
    const struct launch_build build = launch_build(s->filter, &s->settings);
    return !unroll || !strcmp(build.params, s->unrolled.params);
}

static void check_reference(struct suite *s)
{
    static const double TAPS = 1e5;
    const struct image_difference d = filter_reference_differs(
        s->filter, &s->settings.params, s->expected.planes, s->source.planes, TAPS);
    if (d.count) report(s, "REFERENCE", "wrong itself");
}

// The reference reads every tap, on all threads and far faster than the emulator.
static void check_values(struct suite *s, struct module *const modules[2])
{
    enum { REFERENCE_SPEED = 10 };
    struct reference reference;
    if (is_too_long(s, launch_taps(s->filter, &s->settings), REFERENCE_SPEED * s->max_taps)) {
        s->left_out += (long)s->block_count * s->filter->variant_count * 2;
        return;
    }
    if (!reference_wait(&reference, s->references, s->filter, &s->settings.params)) {
        report(s, "REFERENCE", "does not compile");
        return;
    }
    reference_run(&reference, s->expected.planes, s->source.planes, 0);
    check_reference(s);
    const size_t block_count = s->block_count;
    for (int unroll = 0; unroll < 2; unroll++) {
        s->settings.is_unrolled = unroll;
        if (!modules[unroll] || !is_built_for(s, unroll)) continue;
        s->module = modules[unroll];
        if (unroll && s->max_taps > 0) s->block_count = FEW_BLOCKS;
        check_blocks(s);
    }
    s->block_count = block_count;
}

// Every name of a param; of a number both ends, and one that lies an odd way between them.
static int list_values(const struct param *p, double *values)
{
    int count = 0;
    for (; count < p->name_count; count++) values[count] = count;
    if (p->name_count) return count;
    const double between = p->min + (p->max - p->min) / 37;
    values[count++] = p->min;
    values[count++] = p->is_float ? between : (int)between;
    values[count++] = p->max;
    return count;
}

// The defaults, and then every other param through its values; pictures that are large, or that
// take long, show nothing more.
static void check_params(struct suite *s, struct module *const modules[2])
{
    const struct planes p = s->source.planes;
    const struct param_values defaults = s->settings.params;
    s->block_count = G_N_ELEMENTS(blocks);
    check_values(s, modules);
    if (p.width * p.height >= LARGE ||
        is_too_long(s, launch_taps(s->filter, &s->settings), s->max_taps))
        return;
    for (int i = 0; i < s->filter->param_count; i++) {
        double values[FILTER_MAX_NAMES];
        s->block_count = G_N_ELEMENTS(blocks);
        if (i == filter_radius(s->filter)) continue;
        const int count = list_values(&s->filter->params[i], values);
        if (s->max_taps > 0 && !s->filter->params[i].name_count) s->block_count = FEW_BLOCKS;
        for (int k = 0; k < count; k++) {
            s->settings.params = defaults;
            if (values[k] == defaults.v[i]) continue;
            s->settings.params.v[i] = values[k];
            check_values(s, modules);
        }
    }
    s->settings.params = defaults;
}

static bool open_picture(struct suite *s, int width, int height, int planes, struct error *err)
{
    const struct planes shape = planes_shape(width, height, planes);
    if (!image_init(&s->source, width, height, planes, err) ||
        !image_init(&s->expected, width, height, planes, err) ||
        !image_init(&s->found, width, height, planes, err) ||
        !backend_alloc(s->backend, planes_bytes(shape), &s->in, err) ||
        !backend_alloc(s->backend, planes_bytes(shape), &s->out, err) ||
        !backend_alloc(s->backend, 2 * WEIGHTS_BYTES + 4 * planes_bytes(shape), &s->shared, err) ||
        !backend_alloc(s->backend, 2 * planes_bytes(shape), &s->own, err))
        return false;
    image_fill_noise(s->source.planes, (unsigned)(width * 31 + height * 7 + planes));
    return backend_upload(s->backend, planes_at(shape, s->in), s->source.planes, err);
}

static void close_picture(struct suite *s)
{
    backend_free(s->backend, s->in);
    backend_free(s->backend, s->out);
    backend_free(s->backend, s->shared);
    backend_free(s->backend, s->own);
    s->in = s->out = s->shared = s->own = NULL;
    image_finish(&s->source);
    image_finish(&s->expected);
    image_finish(&s->found);
}

static bool check_picture(struct suite *s, struct module *const modules[2], const int size[2],
                          int planes, struct error *err)
{
    if (!open_picture(s, size[0], size[1], planes, err)) return false;
    check_params(s, modules);
    close_picture(s);
    return true;
}

static bool has_packed_variant(const struct filter *f)
{
    for (int i = 0; i < f->variant_count; i++)
        if (filter_is_interleaved(f, &f->variants[i])) return true;
    return false;
}

static bool is_brief(const struct suite *s)
{
    return s->max_taps > 0 && s->max_taps < SEVERAL_BLOCKS_TAPS;
}

// Planes are blocks of their own, as smaller pictures show: where time matters, larger ones are
// grey, and large ones are left to those devices where it does not.
static bool shows_nothing_more(const struct suite *s, const int size[2], int planes)
{
    const int pixels = size[0] * size[1];
    if (s->max_taps <= 0) return false;
    if (is_brief(s)) return pixels >= MIDDLE;
    return pixels >= HUGE || (planes > 1 && pixels >= MIDDLE && !has_packed_variant(s->filter));
}

// Every variant that ran at this radius ran on several blocks.
static bool check_several_blocks(const struct suite *s, int radius, struct error *err)
{
    if (is_brief(s)) return true;
    for (int v = 0; v < s->filter->variant_count; v++)
        if (!s->has_several_of[v] && !s->is_missing[v])
            return error_set(err, "%s %s was never run on several blocks at radius %d",
                             s->filter->name, s->filter->variants[v].name, radius);
    return true;
}

static bool check_pictures(struct suite *s, struct module *const modules[2], struct error *err)
{
    for (size_t i = 0; i < G_N_ELEMENTS(pictures); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(layouts); k++)
            if (!shows_nothing_more(s, pictures[i], layouts[k]) &&
                !check_picture(s, modules, pictures[i], layouts[k], err))
                return false;
    const size_t more = has_packed_variant(s->filter) ? G_N_ELEMENTS(packed_pictures) : 0;
    for (size_t i = 0; i < more; i++)
        if (!check_picture(s, modules, packed_pictures[i], 3, err)) return false;
    return true;
}

// All of one filter for one radius; without a radius, once.
static bool check_filter(struct suite *s, int radius, struct error *err)
{
    const int index = filter_radius(s->filter);
    if (!filter_has_reference(s->filter))
        return error_set(err, "%s: no REFERENCE(out)", s->filter->name);
    s->settings = (struct settings){.params = filter_defaults(s->filter)};
    if (index >= 0) s->settings.params.v[index] = radius;
    if (!filter_check(s->filter, &s->settings.params, NULL)) return true;

    struct module *modules[2] = {frame_compile(s->backend, s->filter, "", err), NULL};
    if (!modules[0]) return false;
    s->settings.is_unrolled = true;
    s->unrolled = launch_build(s->filter, &s->settings);
    if (*s->unrolled.params && !is_brief(s) &&
        !(modules[1] = frame_compile(s->backend, s->filter, s->unrolled.params, err)))
        return false;
    memset(s->has_several_of, 0, sizeof s->has_several_of);
    const bool is_good = check_pictures(s, modules, err) && check_several_blocks(s, radius, err);
    backend_unload(s->backend, modules[0]);
    backend_unload(s->backend, modules[1]);
    return is_good;
}

static bool check_all(struct suite *s, const struct filter_list *filters, struct error *err)
{
    for (int i = 0; i < filters->count; i++) {
        s->filter = &filters->filters[i];
        if (!filter_has_picture(s->filter)) continue;  // test_labs
        if (s->only && strcmp(s->only, s->filter->name)) continue;
        const long run = s->run, refused = s->refused;
        memset(s->run_of, 0, sizeof s->run_of);
        memset(s->is_missing, 0, sizeof s->is_missing);
        const bool has_radius = filter_radius(s->filter) >= 0;
        const size_t count = has_radius ? G_N_ELEMENTS(radii) : 1;
        for (size_t k = 0; k < count; k++) {
            if (!check_filter(s, radii[k], err)) return false;
            if (s->wrong >= MAX_SHOWN) return error_set(err, "and more, which is not looked at");
        }
        printf("%s: %ld run, %ld refused%s\n", s->filter->name, s->run - run, s->refused - refused,
               filter_is_known(s->filter) ? "" : "; nothing else checks its REFERENCE");
        fflush(stdout);
        for (int v = 0; v < s->filter->variant_count; v++)
            if (!s->run_of[v] && !s->is_missing[v])
                return error_set(err, "%s %s was never run", s->filter->name,
                                 s->filter->variants[v].name);
    }
    return true;
}

static bool check_device(struct device_suite *d, struct device_suite_outcome *outcome,
                         struct error *err)
{
    struct suite s = {.backend = d->backend,
                      .references = &d->references,
                      .max_taps = d->max_steps,
                      .only = d->only};
    const bool is_complete = check_all(&s, &d->filters, err);
    *outcome = (struct device_suite_outcome){s.run, s.wrong, s.refused, s.left_out};
    return is_complete;
}

int main(int argc, char **argv)
{
    return device_suite_main(argc, argv, check_device);
}
