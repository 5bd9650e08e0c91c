// test_kernels -- every filter and lab × variant × params × block × picture or size × unroll, on
// one device: all pixels or elements equal to the reference, nothing written beside them, or
// refused before the launch with a reason.
//
//     test_kernels DEVICE [BILLIONS [NAME [FOLDER]]]     skips (77) where there is no such device
//
// NAME is a file, or "filters" or "labs". The test finds files and variants by itself.
//
// The axis, which is the radius of a filter or the first param of a lab, goes through all its
// values. Of the other params, one lies beside its middle value at a time; two do in labs. Literals
// are compiled for every radius, where floats, which are none, go through their values, too; and
// for three choices of a lab's params. With BILLIONS, every second radius and the largest have
// them, and two choices of a lab's params.
//
// Cases of more than BILLIONS of steps are counted as left out (0: none are), because the emulator
// would take minutes for them. Steps are the taps of pixels, or a lab's additions. With BILLIONS,
// pictures are smaller, too, and numbers of a picture other than the defaults, literals, and two
// params of a lab at a time meet two shapes of block instead of all. If BILLIONS is low, the run is
// brief: without literals, without middle-sized pictures, and with one param at a time. Labs take
// the steps that a brief run of them needs, however low it is.
//
// Every variant must run on several blocks at each value of the axis that allows it. The run ends
// when so much is wrong that no more is shown. A library may differ by its tolerance. Where it is
// not installed, a line says so.
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "base/image.h"
#include "device/backend.h"
#include "frame/frame.h"
#include "frame/reference.h"
#include "frame/trials.h"
#include "second_references.h"

enum { SKIPPED = 77, MAX_SHOWN = 20, POISON = 0xee, MAX_VALUES = 16 };

static const int radii[] = {0, 1, 2, 7, 16, 64};
// Of params that shapes follow from; 20011 are several blocks of the longest runs of a block.
static const int sizes[] = {1, 2, 31, 32, 33, 67, 131, 257, 1000, 1009, 20011};
enum { LARGEST_BASE = 200, LARGEST_END = 1024, LARGEST_LITERAL = 131 };
// 0: the variant's own.
static const int blocks[][2] = {{0, 0}, {7, 5}, {8, 8}, {16, 16}, {32, 8}, {32, 32}, {128, 1}};
enum { FEW_BLOCKS = 2 };
// Up to 17×9 they have few enough pixels for the largest radius, which 137 and 141 exceed on both
// sides of a pixel; 35×33 are several blocks of every shape.
static const int pictures[][2] = {{1, 1},   {1, 137},   {141, 1},   {17, 9},   {35, 33},
                                  {67, 45}, {203, 117}, {640, 160}, {640, 480}};
// More for packed pixels, whose rows end and whose words begin anywhere in a pixel.
static const int packed_pictures[][2] = {{2, 3}, {3, 2},  {4, 1},  {5, 4},  {7, 9},
                                         {8, 3}, {31, 8}, {33, 5}, {64, 4}, {1021, 3}};
enum { MIDDLE = 20000, LARGE = 100000, HUGE = 200000 };  // pixels
static const double SEVERAL_BLOCKS_TAPS = 4e6;  // what every variant takes on several blocks
static const double BRIEF_STEPS = 5e5;  // of labs, whose variants all run on several blocks then

// What a param is tried with; the others have their base meanwhile.
struct values {
    double v[MAX_VALUES];
    int count;
    double base;
    bool is_size;  // a shape follows from it
};

// What is known of a variant. The last four are of the present value of the axis.
struct tally {
    long run;
    bool is_missing;   // a library that cannot be called
    bool ran_several;  // on several blocks
    bool has_run, can_several, has_several;
};

struct suite {
    struct backend *backend;
    struct references references;
    double max_steps;
    const struct filter *filter;
    const struct module *module;
    struct module *narrow[2];  // for strips of 8 and 16 lanes; NULL: not yet needed
    const char *literals;      // that it was built for, if unrolled
    struct values values[FILTER_MAX_PARAMS];
    struct settings settings;
    size_t block_count;
    struct image source;  // no pixels: a lab
    struct arena arena;
    double *expected[ARRAYS_MAX];
    void *own;
    struct tally tallies[FILTER_MAX_VARIANTS];
    long run, refused, left_out, wrong;
};

static bool has_picture(const struct suite *s)
{
    return filter_has_picture(s->filter);
}

static void report(struct suite *s, const char *variant, const char *what)
{
    if (s->wrong++ >= MAX_SHOWN) return;
    const struct planes p = s->source.planes;
    printf("WRONG %s %s %s block %d×%d unroll %d picture %d×%d×%d: %s\n", s->filter->name, variant,
           filter_write_params(s->filter, &s->settings.params).text, s->settings.block_width,
           s->settings.block_height, s->settings.is_unrolled, p.width, p.height, p.count, what);
}

// What meets all of the optimizer in another module of the file need not meet it again where there
// is little time. GCC unrolls even for -O1, which takes as long as all else.
#ifdef __clang__
#define BRIEF_FLAGS "-O1"
#else
#define BRIEF_FLAGS "-O1 -fno-tree-loop-optimize"
#endif
static struct module *build_more(struct suite *s, struct build build, struct error *err)
{
    if (s->max_steps > 0) g_setenv("TILESCOPE_KERNEL_FLAGS", BRIEF_FLAGS, TRUE);
    struct module *const module = frame_build(s->backend, s->filter, build, err);
    if (s->max_steps > 0) g_unsetenv("TILESCOPE_KERNEL_FLAGS");
    return module;
}

// The module that the program would take, apart from literals.
static const struct module *module_for(struct suite *s, const struct choice *c)
{
    const int lanes = launch_build(c).lanes;
    if (!lanes || s->settings.is_unrolled || !frame_has_strips(s->backend, s->module, c->variant))
        return s->module;
    struct module **const narrow = &s->narrow[lanes / 16];
    struct error err = {""};
    if (!*narrow) *narrow = build_more(s, (struct build){.is_fast = true, .lanes = lanes}, &err);
    if (!*narrow) report(s, c->variant->name, err.text);
    return *narrow ? *narrow : s->module;
}

static struct frame frame_of(struct suite *s, const struct variant *v)
{
    const struct choice choice = {s->filter, v, s->settings};
    return (struct frame){
        .backend = s->backend, .choice = choice, .module = module_for(s, &choice)};
}

// ---- what is expected ----

static struct lab_values lab_values_of(const struct suite *s)
{
    struct lab_values v = {
        .lab = s->filter, .params = &s->settings.params, .layout = s->arena.layout};
    for (int i = 0; s->arena.before && i < s->filter->array_count; i++) {
        if (s->filter->arrays[i].kind == ARRAY_IN) v.in[i] = arena_before(&s->arena, i);
        v.expected[i] = s->expected[i];
    }
    return v;
}

// Runs the reference on all pixels, with all threads, and looks at some of them in another way.
static bool expect_picture(struct suite *s, const struct reference *reference, struct error *err)
{
    static const double TAPS = 1e5;
    const struct planes shape = s->source.planes;
    double *expected = s->expected[ARRAYS_OUT] =
        g_new(double, (gsize)s->arena.layout.places[ARRAYS_OUT].count);
    struct image made;
    if (!image_init(&made, shape.width, shape.height, shape.count, err)) return false;
    reference_run(reference, made.planes, shape, 0);
    for (int row = 0; row < shape.height * shape.count; row++)
        for (int x = 0; x < shape.width; x++)
            *expected++ = planes_row(made.planes, row / shape.height, row % shape.height)[x];
    if (second_reference_differs(s->filter, &s->settings.params, made.planes, shape, TAPS).count)
        report(s, "reference", "wrong itself");
    image_finish(&made);
    return true;
}

static void expect_arrays(struct suite *s, const struct reference *reference)
{
    const void *pointers[ARRAYS_MAX];
    for (int i = 0; i < s->filter->array_count; i++) pointers[i] = arena_before(&s->arena, i);
    for (int i = 0; i < s->filter->array_count; i++) {
        const long long count = s->arena.layout.places[i].count;
        if (!reference->elements[i]) continue;
        s->expected[i] = g_new(double, (gsize)count);
        for (long long k = 0; k < count; k++)
            s->expected[i][k] = reference->elements[i](pointers, reference->params, k);
    }
    const struct lab_values values = lab_values_of(s);
    if (!second_reference_is_right(&values)) report(s, "reference", "wrong itself");
}

static bool expect(struct suite *s, struct error *err)
{
    struct reference reference;
    if (!reference_wait(&reference, &s->references, s->filter, &s->settings.params))
        return error_set(err, "%s: its references do not compile", s->filter->name);
    for (int i = 0; i < s->filter->array_count; i++)
        if (s->filter->arrays[i].kind == ARRAY_OUT && !reference.elements[i])
            return error_set(err, "%s has no reference of %s", s->filter->name,
                             s->filter->arrays[i].name);
    if (has_picture(s)) return expect_picture(s, &reference, err);
    expect_arrays(s, &reference);
    return true;
}

// ---- how long it takes ----

static double count_elements(const struct suite *s)
{
    const struct arrays_layout *layout = &s->arena.layout;
    double count = 0;
    if (has_picture(s)) return (double)layout->places[ARRAYS_OUT].count;
    for (int i = 0; i < layout->count; i++) count += (double)layout->places[i].count;
    return count;
}

// The taps of a pixel, about: with two passes, or with blocks that are not made of their threads'
// pixels, a variant shares sums between pixels.
static double taps_of(const struct suite *s, const struct variant *v)
{
    const struct pass *p = &v->passes[0];
    const double taps = launch_taps(s->filter, &s->settings);
    const bool is_direct =
        v->pass_count == 1 && !p->columns.count && !p->rows.count && p->each_x * p->each_y == 1;
    return is_direct ? taps : v->pass_count * sqrt(taps);
}

// Of a lab, the threads, the words that are moved here, and what the variant does with them.
static double count_steps(const struct suite *s, const struct frame *frame)
{
    const struct lab_values values = lab_values_of(s);
    if (has_picture(s)) return count_elements(s) * taps_of(s, frame->choice.variant);
    double steps = count_elements(s) + second_reference_steps(&values, frame->choice.variant);
    for (int i = 0; i < frame->plan.pass_count; i++) {
        const struct launch_config *c = &frame->plan.passes[i].config;
        steps += (double)c->grid_width * c->grid_height * c->block_width * c->block_height;
    }
    return steps;
}

static bool is_too_long(const struct suite *s, double steps)
{
    return s->max_steps > 0 && steps > s->max_steps;
}

// The host is much faster than the emulator, on all threads or with an element of an array.
static bool is_reference_too_long(const struct suite *s)
{
    enum { PICTURE_SPEED = 10, ARRAY_SPEED = 30 };
    const struct lab_values values = lab_values_of(s);
    if (has_picture(s))
        return is_too_long(s, count_elements(s) * launch_taps(s->filter, &s->settings) /
                                  PICTURE_SPEED);
    return is_too_long(s, count_elements(s)) ||
           is_too_long(s, second_reference_steps(&values, NULL) / ARRAY_SPEED);
}

static bool is_brief(const struct suite *s)
{
    return s->max_steps > 0 &&
           (has_picture(s) ? s->max_steps < SEVERAL_BLOCKS_TAPS : s->max_steps <= BRIEF_STEPS);
}

// ---- one case ----

static void check_out(struct suite *s, const struct variant *v, int array)
{
    const struct array *a = &s->filter->arrays[array];
    const struct array_place *place = &s->arena.layout.places[array];
    const size_t bytes = array_types[a->type].bytes;
    const struct tolerance t = filter_tolerance(s->filter, v, a, 0);
    const unsigned char *const elements = arena_after(&s->arena, array);
    const struct planes picture = planes_at(place->picture, (unsigned char *)elements);
    long long wrong = 0, first = 0, i = 0;
    double is = 0;
    for (long long row = 0; row < place->rows; row++) {
        const int height = MAX(picture.height, 1), plane = (int)(row / height);
        const unsigned char *at = picture.width ? planes_row(picture, plane, (int)(row % height))
                                                : elements + (size_t)i * bytes;
        for (int x = 0; x < place->columns; x++, i++, at += bytes) {
            const double value = array_value(a->type, at, 0);
            if (tolerance_error(t, value, s->expected[array][i]) <= t.most || wrong++) continue;
            first = i;
            is = value;
        }
    }
    if (!wrong) return;
    char what[160];
    g_snprintf(what, sizeof what,
               "%lld of %lld elements of %s differ, the first is [%lld][%lld]: %g, not %g", wrong,
               place->count, a->name, first / place->columns, first % place->columns, is,
               s->expected[array][first]);
    report(s, v->name, what);
}

// Behind the last row of an interleaved result nothing may be written.
static void check_end(struct suite *s, const struct frame *frame)
{
    const size_t end = (size_t)frame->plan.pitch * (size_t)frame->picture.height;
    const size_t most = planes_bytes(frame->picture);
    g_autofree unsigned char *result = g_malloc(most);
    struct error err = {""};
    bool is_clean = backend_read(s->backend, result, (unsigned char *)s->own + most, most, &err);
    for (size_t i = end; i < most; i++) is_clean &= result[i] == POISON;
    if (!is_clean) report(s, frame->choice.variant->name, "written behind the last row");
}

static bool run_frame(struct suite *s, const struct frame *frame, struct error *err)
{
    const struct frame_memory memory = {.arrays = s->arena.memory, .own = s->own};
    struct error unused = {""};
    if (!arena_begin(&s->arena, err)) return false;
    const bool is_ready = frame->module == s->module || frame_bring_constants(frame, &memory, err);
    const bool is_queued = is_ready &&
                           (!s->own || backend_fill(s->backend, s->own, POISON,
                                                    2 * planes_bytes(frame->picture), err)) &&
                           frame_prepare(frame, &memory, err) && frame_run(frame, &memory, err) &&
                           frame_finish(frame, &memory, err);
    return arena_end(&s->arena, is_queued ? err : &unused) && is_queued;
}

static void check_case(struct suite *s, const struct variant *v)
{
    struct error err = {""};
    struct tally *t = &s->tallies[v - s->filter->variants];
    struct frame frame = frame_of(s, v);
    if (!frame_plan(&frame, s->source.planes, &err)) {
        s->refused++;
        if (!err.text[0]) report(s, v->name, "refused without a reason");
        if (!v->library.function || s->settings.block_width || t->is_missing) return;
        printf("skipped: %s: %s\n", s->filter->name, err.text);
        t->is_missing = true;
        return;
    }
    const struct launch_config *last = &frame.plan.passes[MAX(frame.plan.pass_count, 1) - 1].config;
    const bool is_several = v->library.function || last->grid_width > 1 || last->grid_height > 1;
    const size_t own_bytes = frame.arrays.own_bytes;
    t->can_several |= is_several;
    if (is_too_long(s, count_steps(s, &frame))) {
        s->left_out++;
        return;
    }
    frame.arrays = s->arena.layout;
    frame.arrays.own_bytes = own_bytes;
    s->run++;
    t->run++;
    t->has_run = true;
    t->has_several |= is_several;
    // On a CPU on fibers, too; a brief run leaves the rest to a longer one.
    for (int strict = backend_is_fast(s->module); strict >= 0; strict--) {
        frame.is_strict = strict;
        if (!run_frame(s, &frame, &err)) {
            report(s, v->name, err.text);
            return;
        }
        if (!trial_is_intact(s->filter, &s->arena.layout, s->arena.before, s->arena.after, &err))
            report(s, v->name, err.text);
        if (frame.plan.pitch) check_end(s, &frame);
        for (int i = 0; i < s->filter->array_count; i++)
            if (s->expected[i]) check_out(s, v, i);
    }
}

// All blocks of all variants, with the present params.
static bool check_params(struct suite *s, struct error *err)
{
    const struct frame frame = frame_of(s, s->filter->variants);
    const size_t own_bytes = 2 * planes_bytes(s->source.planes);
    if (s->wrong >= MAX_SHOWN) return error_set(err, "and more, which is not looked at");
    if (!arena_plan(&s->arena, s->backend, s->filter, &s->settings.params, s->source.planes, err))
        return false;
    if (is_reference_too_long(s)) {
        s->left_out += (long)s->block_count * s->filter->variant_count;
        return true;
    }
    const bool is_good = arena_open(&s->arena, &frame, err) &&
                         (!own_bytes || backend_alloc(s->backend, own_bytes, &s->own, err)) &&
                         expect(s, err);
    for (int i = 0; is_good && i < s->filter->variant_count; i++)
        for (size_t b = 0; b < s->block_count; b++) {
            s->settings.block_width = blocks[b][0];
            s->settings.block_height = blocks[b][1];
            check_case(s, &s->filter->variants[i]);
        }
    for (int i = 0; i < ARRAYS_MAX; i++) g_free(s->expected[i]);
    memset(s->expected, 0, sizeof s->expected);
    backend_free(s->backend, s->own);
    s->own = NULL;
    arena_close(&s->arena);
    return is_good;
}

// ---- pictures ----

static bool has_packed_variant(const struct filter *f)
{
    for (int i = 0; i < f->variant_count; i++)
        if (filter_is_interleaved(f, &f->variants[i])) return true;
    return false;
}

// Planes are blocks of their own, as smaller pictures show: where time matters, larger ones are
// grey, and large ones are left to those devices where it does not. Pictures that are large, or
// that take long, show nothing more with other params than the defaults.
static bool shows_nothing_more(const struct suite *s, const int size[2], int planes, int beside)
{
    const int pixels = size[0] * size[1];
    const double taps = launch_taps(s->filter, &s->settings);
    if (beside && (pixels >= LARGE || is_too_long(s, pixels * planes * taps))) return true;
    if (s->max_steps <= 0) return false;
    if (is_brief(s)) return pixels >= MIDDLE;
    return pixels >= HUGE || (planes > 1 && pixels >= MIDDLE && !has_packed_variant(s->filter));
}

static bool check_picture(struct suite *s, const int size[2], int planes, struct error *err)
{
    if (!image_init(&s->source, size[0], size[1], planes, err)) return false;
    image_fill_noise(s->source.planes, (unsigned)(size[0] * 31 + size[1] * 7 + planes));
    const bool is_good = check_params(s, err);
    image_finish(&s->source);
    return is_good;
}

// All pictures of a filter, or the arrays of a lab. beside: how many params have not their base.
static bool check_sizes(struct suite *s, int beside, struct error *err)
{
    const bool is_short = s->max_steps > 0 && has_picture(s);
    bool is_number = s->settings.is_unrolled;
    const struct choice choice = {s->filter, s->filter->variants, s->settings};
    if (is_number && strcmp(launch_build(&choice).params, s->literals) != 0) return true;
    for (int i = 0; i < s->filter->param_count; i++)
        is_number |=
            !s->filter->params[i].name_count && s->settings.params.v[i] != s->values[i].base;
    const bool is_pair = s->max_steps > 0 && beside > 1;
    s->block_count = (is_short && is_number) || is_pair ? FEW_BLOCKS : G_N_ELEMENTS(blocks);
    if (!has_picture(s)) return check_params(s, err);
    for (size_t i = 0; i < G_N_ELEMENTS(pictures); i++)
        for (int planes = 1; planes <= 3; planes += 2)
            if (!shows_nothing_more(s, pictures[i], planes, beside) &&
                !check_picture(s, pictures[i], planes, err))
                return false;
    for (size_t i = 0; has_packed_variant(s->filter) && i < G_N_ELEMENTS(packed_pictures); i++)
        if (!check_picture(s, packed_pictures[i], 3, err)) return false;
    return true;
}

// ---- params ----

static void add_value(struct values *values, const struct param *p, double v)
{
    for (int i = 0; i < values->count; i++)
        if (values->v[i] == v) return;
    if (v >= p->min && v <= p->max) values->v[values->count++] = v;
}

// Names of a param; radii or sizes; or both ends of a number, and one an odd way between them.
static struct values list_values(const struct filter *f, int param)
{
    const struct param *p = &f->params[param];
    const double between = p->min + (p->max - p->min) / 37;
    struct values values = {.is_size = trials_is_size(f, param), .base = p->value};
    for (int i = 0; i < p->name_count; i++) values.v[values.count++] = i;
    if (p->name_count) return values;
    if (filter_has_picture(f) && param == filter_radius(f)) {
        for (size_t i = 0; i < G_N_ELEMENTS(radii); i++) add_value(&values, p, radii[i]);
        return values;
    }
    if (values.is_size) values.base = CLAMP(LARGEST_BASE, p->min, MAX(p->min, p->value));
    for (size_t i = 0; values.is_size && i < G_N_ELEMENTS(sizes); i++)
        add_value(&values, p, sizes[i]);
    add_value(&values, p, values.base);
    add_value(&values, p, p->min);
    if (!values.is_size) add_value(&values, p, p->is_float ? between : (int)between);
    if (!values.is_size || p->max <= LARGEST_END) add_value(&values, p, p->max);
    return values;
}

// Goes through the values of the params from one on, as long as few of them have not their base.
static bool check_values(struct suite *s, int param, int beside, struct error *err)
{
    if (param >= s->filter->param_count) return check_sizes(s, beside, err);
    const struct values *values = &s->values[param];
    const int max_beside = has_picture(s) || is_brief(s) ? 1 : 2;
    for (int i = 0; i < values->count; i++) {
        const int now = beside + (values->v[i] != values->base);
        s->settings.params.v[param] = values->v[i];
        if (now <= max_beside && !check_values(s, param + 1, now, err)) return false;
    }
    return true;
}

// ---- literals ----

enum literals { LOWEST, BASES, HIGHEST, LITERALS };

static double literal_of(const struct values *values, enum literals choice)
{
    double highest = values->v[0];
    if (choice != HIGHEST) return choice == LOWEST ? values->v[0] : values->base;
    for (int i = 0; i < values->count; i++)
        if (!values->is_size || values->v[i] <= LARGEST_LITERAL)
            highest = MAX(highest, values->v[i]);
    return highest;
}

static bool check_literals(struct suite *s, enum literals choice, struct error *err)
{
    const struct module *const plain = s->module;
    if (!filter_can_unroll(s->filter) || is_brief(s)) return true;
    s->settings.is_unrolled = true;
    for (int i = 0; i < s->filter->param_count; i++)
        s->settings.params.v[i] = literal_of(&s->values[i], choice);
    const struct launch_build build =
        launch_build(&(struct choice){s->filter, s->filter->variants, s->settings});
    // What is written anew does not differ with literals, and takes a compiler long.
    const int radius = has_picture(s) ? filter_radius(s->filter) : -1;
    const bool is_fast = radius >= 0 && s->settings.params.v[radius] == 2;
    struct module *const module =
        build_more(s, (struct build){.params = build.params, .is_fast = is_fast}, err);
    s->module = module;
    s->literals = build.params;
    const bool is_good =
        module && (has_picture(s) ? check_values(s, 0, 0, err) : check_sizes(s, 0, err));
    backend_unload(s->backend, module);
    s->module = plain;
    s->settings.is_unrolled = false;
    return is_good;
}

// ---- files ----

// A lab's variant may be too long for the budget at some value of the axis, or have one block only.
static bool ran_on_several(struct suite *s, const char *axis, double value, struct error *err)
{
    for (int v = 0; v < s->filter->variant_count; v++) {
        struct tally *t = &s->tallies[v];
        const bool is_wanted = has_picture(s) ? !is_brief(s) : t->has_run && t->can_several;
        if (is_wanted && !t->has_several && !t->is_missing)
            return error_set(err, "%s %s was never run on several blocks at %s %g", s->filter->name,
                             s->filter->variants[v].name, axis, value);
        t->ran_several |= t->has_several;
        t->has_run = t->can_several = t->has_several = false;
    }
    return true;
}

static bool check_axis(struct suite *s, struct error *err)
{
    const int axis = has_picture(s) ? filter_radius(s->filter) : s->filter->param_count ? 0 : -1;
    if (axis < 0)
        return check_values(s, 0, 0, err) && check_literals(s, BASES, err) &&
               ran_on_several(s, "", 0, err);
    const struct values all = s->values[axis];
    for (int i = 0; i < all.count; i++) {
        const double base = has_picture(s) ? all.v[i] : all.base;
        const bool has_literals =
            has_picture(s) && (s->max_steps <= 0 || i % 2 == 0 || i == all.count - 1);
        s->values[axis] = (struct values){.v = {all.v[i]}, .count = 1, .base = base};
        if (!check_values(s, 0, 0, err) || (has_literals && !check_literals(s, BASES, err)) ||
            !ran_on_several(s, s->filter->params[axis].name, all.v[i], err))
            return false;
    }
    s->values[axis] = all;
    const int literals = s->max_steps > 0 ? HIGHEST : LITERALS;
    for (int choice = 0; !has_picture(s) && choice < literals; choice++)
        if (!check_literals(s, (enum literals)choice, err)) return false;
    return true;
}

static bool check_file(struct suite *s, struct error *err)
{
    struct module *const plain =
        frame_build(s->backend, s->filter, (struct build){.is_fast = !is_brief(s)}, err);
    memset(s->tallies, 0, sizeof s->tallies);
    s->settings = (struct settings){.params = filter_defaults(s->filter)};
    for (int i = 0; i < s->filter->param_count; i++) s->values[i] = list_values(s->filter, i);
    s->module = plain;
    if (!s->references.has_own_host) s->references.module = plain;
    bool is_good = plain && check_axis(s, err);
    if (is_good && !is_brief(s) && !backend_device(s->backend)->is_gpu && !backend_is_fast(plain))
        is_good = error_set(err, "%s: what is written anew does not compile", s->filter->name);
    s->references.module = NULL;
    backend_unload(s->backend, plain);
    for (int i = 0; i < 2; i++) {
        backend_unload(s->backend, s->narrow[i]);
        s->narrow[i] = NULL;
    }
    for (int v = 0; is_good && v < s->filter->variant_count; v++) {
        const struct tally *t = &s->tallies[v];
        const bool has_run = has_picture(s) && is_brief(s) ? t->run > 0 : t->ran_several;
        if (!has_run && !t->is_missing)
            is_good = error_set(err, "%s %s was never run on several blocks", s->filter->name,
                                s->filter->variants[v].name);
    }
    return is_good;
}

static bool check_all(struct suite *s, const struct filter_list *filters, const char *only,
                      struct error *err)
{
    const double max_steps = s->max_steps;
    bool is_good = true;
    for (int i = 0; i < filters->count && is_good; i++) {
        s->filter = &filters->filters[i];
        const char *const kind = has_picture(s) ? "filters" : "labs";
        if (only && strcmp(only, kind) != 0 && strcmp(only, s->filter->name) != 0) continue;
        const long run = s->run, refused = s->refused, left_out = s->left_out;
        if (max_steps > 0) s->max_steps = MAX(max_steps, has_picture(s) ? 0 : BRIEF_STEPS);
        is_good = check_file(s, err);
        printf("%s: %ld run, %ld refused, %ld left out%s\n", s->filter->name, s->run - run,
               s->refused - refused, s->left_out - left_out,
               second_reference_is_known(s->filter) ? "" : "; nothing else checks its reference");
        fflush(stdout);
    }
    return is_good;
}

int main(int argc, char **argv)
{
    const char *const folder = argc > 4 ? argv[4] : TILESCOPE_KERNELS;
    struct suite s = {.max_steps = argc > 2 ? 1e9 * atof(argv[2]) : 0};
    struct filter_list filters = {.filters = NULL};
    struct error err = {""};
    s.backend = backend_open(argc > 1 ? argv[1] : "cpu", NULL, 0, &err);
    if (!s.backend) {
        printf("skipped: %s\n", err.text);
        return SKIPPED;
    }
    backend_set_include(s.backend, folder);
    references_open(&s.references, s.backend, NULL);
    const bool is_complete = filter_list_load(&filters, folder, NULL, &err) &&
                             check_all(&s, &filters, argc > 3 ? argv[3] : NULL, &err);
    if (!is_complete) printf("FAILED %s\n", err.text);
    printf("%s: %ld run, %ld wrong, %ld refused with a reason, %ld left out as too long\n",
           backend_device(s.backend)->name, s.run, s.wrong, s.refused, s.left_out);
    filter_list_finish(&filters);
    references_close(&s.references);
    backend_close(s.backend);
    return is_complete && !s.wrong ? 0 : 1;
}
