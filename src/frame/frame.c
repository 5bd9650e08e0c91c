// frame.c -- one frame, from the picture to the window. Read this first.
//
//   image.c         frame.c                            interop.c        display.c      window.c
//   file ──load──▶  source ──pass──▶ … ──pass──▶ target = PBO (mapped) ──▶ texture ──▶ quad
//                   planes      scratch               lent for the frame          + overlay, swap
//                                            headless: plain memory ──▶ image_save
//
// A filter is a file in kernels/; a variant is one way to compute it; a pass is one kernel launch.
// A single pass reads the source and writes the target. Variants of several passes hand their
// intermediate results on in scratch; each pass still sees the source and the target. A variant
// with prepare= and finish= sees two pictures of its own instead: these two kernels convert.
//
// frame_plan turns a choice into grids, blocks, shared bytes and packed params, once. frame_run is
// what happens for every picture: it fills in the pointers and launches each pass.
#include "frame/frame.h"

#include <assert.h>
#include <glib.h>

// ---- once for a choice ----

// The index of a variant's first pass among all entries of its filter, as frame_build() lists
// them. Behind them come the untimed kernels, and then what the program adds by itself.
static int entry_of(const struct filter *f, const struct variant *v)
{
    int entry = 0;
    for (const struct variant *before = f->variants; before != v; before++)
        entry += before->pass_count;
    return entry;
}

struct planes frame_picture(const struct frame *frame)
{
    int columns, step;
    return array_picture(&frame->choice.filter->arrays[frame->shown_array],
                         &frame->arrays.places[frame->shown_array], &columns, &step);
}

void frame_show(struct frame *frame, int array, const struct array_scale *scale)
{
    assert(array >= 0 && array < frame->arrays.count);
    const struct array_place *place = &frame->arrays.places[array];
    frame->shown_array = array;
    frame->scale = scale ? *scale : (struct array_scale){place->low, place->high};
}

// The index of a choice's library among the functions of the module.
static int library_index(const struct choice *c)
{
    int index = 0;
    for (const struct variant *v = c->filter->variants; v != c->variant; v++)
        index += v->library.function != NULL;
    return index;
}

bool frame_plan(struct frame *frame, struct planes picture, struct error *err)
{
    const struct choice *c = &frame->choice;
    struct arrays_layout arrays;
    if (!arrays_plan(&arrays, c, picture, err)) return false;
    // The CPU's gaps begin right behind guessed arrays.
    const bool meets_gaps = c->filter && c->filter->guesses && !frame->is_traced &&
                            !backend_device(frame->backend)->is_gpu;
    for (int i = 0; meets_gaps && i < arrays.count; i++) {
        struct array_place *const place = &arrays.places[i];
        const size_t word = array_word(c->filter, i);
        place->offset = array_end(place) - (place->bytes + word - 1) / word * word;
    }
    if (!c->variant) {
        frame->arrays = arrays;
        return true;
    }
    struct device device = *backend_device(frame->backend);
    if (frame->multiprocessors) device.multiprocessors = frame->multiprocessors;
    const int entry = entry_of(c->filter, c->variant);
    if (!launch_plan(&frame->plan, c, picture, &device, backend_facts(frame->module) + entry, err))
        return false;
    if (c->variant->library.function && !backend_has_function(frame->module, library_index(c), err))
        return error_prefix(err, "%s ", c->variant->name);
    frame->picture = planes_at(picture, NULL);
    frame->first_entry = entry;
    frame->params_bytes = filter_pack(c->filter, &c->settings.params, frame->params);
    frame->arrays = arrays;
    frame_show(frame, arrays_first(c->filter, ARRAY_OUT), NULL);
    return true;
}

// ---- where things are ----

void *frame_array(const struct frame *frame, const struct frame_memory *memory, int array)
{
    const struct array_place *place = &frame->arrays.places[array];
    if (!place->bytes) return NULL;
    if (array == ARRAYS_OUT && place->picture.width && memory->target.pixels)
        return memory->target.pixels;
    unsigned char *const start = place->is_shared ? memory->shared : memory->arrays;
    return start ? start + place->offset : NULL;
}

static struct planes picture(const struct frame *frame, const struct frame_memory *memory,
                             int array)
{
    return planes_at(frame->arrays.places[array].picture, frame_array(frame, memory, array));
}

struct planes frame_planes(const struct frame *frame, const struct frame_memory *memory, int array)
{
    struct planes v = picture(frame, memory, array);
    if (!frame->arrays.own_bytes) return v;
    v.pixels = (unsigned char *)memory->own + (array == ARRAYS_OUT ? planes_bytes(v) : 0);
    if (!frame->plan.pitch) return v;
    v.pitch = frame->plan.pitch;
    v.plane_bytes = 1;
    return v;
}

bool frame_read(const struct frame *frame, const struct frame_memory *memory, int array,
                long long first, int count, double *values, struct error *err)
{
    const struct array *const a = &frame->choice.filter->arrays[array];
    const struct array_place *const place = &frame->arrays.places[array];
    const unsigned char *const start = frame_array(frame, memory, array);
    const int width = place->picture.width;
    unsigned char elements[16 * FRAME_READ_MOST];  // numbers with what lies between them
    assert(count <= FRAME_READ_MOST);
    for (int done = 0, part; done < count; done += part) {  // to the end of a picture's row
        const long long from = first + done;
        part = width ? MIN(count - done, width - (int)(from % width)) : count;
        const size_t begin = array_offset(a, place, from);
        const size_t end = array_offset(a, place, from + part - 1) +
                           array_types[array_type_at(a, from + part - 1)].bytes;
        assert(end - begin <= sizeof elements);
        if (!backend_read(frame->backend, elements, start + begin, end - begin, err)) return false;
        for (long long i = from; i < from + part; i++)
            values[i - first] =
                array_value(array_type_at(a, i), elements + (array_offset(a, place, i) - begin), 0);
    }
    return true;
}

// ---- every frame ----

// A kernel of the file. A filter's takes pictures (kernel.h), a lab's takes arrays (lab.h).
struct kernel {
    int entry;
    const struct launch_config *config;
    struct planes out, in;
    const struct trace *trace;
};

static bool launch(const struct frame *frame, const struct frame_memory *memory,
                   const struct kernel *kernel, struct error *err)
{
    void *arrays[ARRAYS_MAX] = {NULL};
    struct launch l = {
        .module = frame->module,
        .entry = kernel->entry,
        .config = *kernel->config,
        .out = kernel->out,
        .in = kernel->in,
        .is_packed = frame->plan.pitch > 0,
        .params = frame->params,
        .params_bytes = frame->params_bytes,
        .trace = kernel->trace,
        .is_strict = frame->is_strict,
        .is_cut = memory->is_cut,
    };
    struct launch_array guarded[BACKEND_MAX_GUARDED] = {{.start = memory->arrays}}, *last = guarded;
    _Static_assert(BACKEND_MAX_GUARDED > (int)ARRAYS_MAX, "there is room for all");
    for (int i = 0; i < frame->arrays.count; i++) arrays[i] = frame_array(frame, memory, i);
    const bool is_guarded = frame->choice.filter->guesses && !frame->is_unguarded && !l.trace;
    // The first gap lies before all arrays, and each later one ends where the next array begins.
    for (int i = 0; is_guarded && i <= frame->arrays.count; i++) {
        const bool is_copy = i == frame->arrays.count;
        const unsigned char *const start =
            is_copy ? (unsigned char *)memory->arrays + frame->arrays.copy_offset : arrays[i];
        if (!start) continue;
        last->gap_bytes = (size_t)(start - last->start) - last->bytes;
        l.guarded = guarded;
        l.guarded_count = (int)(last + 1 - guarded);
        if (is_copy) break;
        *++last =
            (struct launch_array){.start = start,
                                  .bytes = frame->arrays.places[i].bytes,
                                  .element_bytes = array_step(&frame->choice.filter->arrays[i])};
        g_strlcpy(last->name, array_words(frame->choice.filter, i), sizeof last->name);
    }
    if (filter_has_picture(frame->choice.filter)) {
        l.scratch = arrays[ARRAYS_SCRATCH];
        l.weights = arrays[ARRAYS_WEIGHTS];
    } else {
        l.arrays = arrays;
        l.arrays_bytes = sizeof *arrays * (size_t)frame->arrays.count;
    }
    return backend_launch(frame->backend, &l, err);
}

bool frame_run_pass(const struct frame *frame, const struct frame_memory *memory, int pass,
                    const struct trace *trace, struct error *err)
{
    assert(pass >= 0 && pass < frame->plan.pass_count);
    struct kernel kernel = {.entry = frame->first_entry + pass,
                            .config = &frame->plan.passes[pass].config,
                            .out = frame_planes(frame, memory, ARRAYS_OUT),
                            .in = frame_planes(frame, memory, ARRAYS_IN),
                            .trace = trace};
    if (frame->plan.pitch) kernel.out.count = kernel.in.count = 1;  // to a kernel they are one
    return launch(frame, memory, &kernel, err);
}

static bool run_library(const struct frame *frame, const struct frame_memory *memory,
                        struct error *err)
{
    const struct choice *c = &frame->choice;
    const struct variant_library *l = &c->variant->library;
    struct library_call call = {.module = frame->module, .function = library_index(c)};
    struct library_arguments *a = &call.arguments;
    for (int i = 0; l->function->arguments[i]; i++)
        if (l->function->arguments[i] == 'n')
            a->values[i].whole = (int)c->settings.params.v[l->arguments[i]];
        else
            a->values[i].array = frame_array(frame, memory, l->arguments[i]);
    if (l->function->is_of_pictures) {
        const float *const weights = frame_array(frame, memory, ARRAYS_WEIGHTS);
        a->out = frame_planes(frame, memory, ARRAYS_OUT);
        a->in = frame_planes(frame, memory, ARRAYS_IN);
        a->weights = weights ? weights + WEIGHTS_MAX + 1 : NULL;
    }
    return backend_call_library(frame->backend, &call, err);
}

bool frame_warm_up(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    const struct choice *c = &frame->choice;
    if (!c->variant || !c->variant->library.function) return true;
    return backend_has_called(frame->backend, frame->module, library_index(c)) ||
           (run_library(frame, memory, err) && backend_wait(frame->backend, err));
}

bool frame_run(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    const struct arrays_layout *arrays = &frame->arrays;
    if (!frame->choice.variant)
        return backend_copy(frame->backend, (unsigned char *)memory->arrays + arrays->copy_offset,
                            memory->arrays, arrays->copy_bytes, err);
    if (frame->choice.variant->library.function) return run_library(frame, memory, err);
    for (int pass = 0; pass < frame->plan.pass_count; pass++)
        if (!frame_run_pass(frame, memory, pass, NULL, err)) return false;
    return true;
}

// ---- what lab.h in kernels/ does with arrays that are no pictures ----

enum { FILL_THREADS = 256, PAINT_WIDTH = 32, PAINT_HEIGHT = 8 };

// Its own kernels, which follow the file's entries in the module.
enum lab_kernel { LAB_FILL, LAB_PAINT, LAB_KERNELS };
static const char *const lab_kernels[LAB_KERNELS] = {
    [LAB_FILL] = "lab_fill", [LAB_PAINT] = "lab_paint"};

// Their argument, which kernels/lab.h has under the same fields.
struct lab_task {
    void *array;
    long long count;
    int type, fill;
    int low, high;
    unsigned int seed;
    int columns, step;
    unsigned char *pixels;
    int width, height, pitch;
    int fields, record_bytes;
    unsigned char types[ARRAYS_MAX_FIELDS];
    unsigned short offsets[ARRAYS_MAX_FIELDS];
};
_Static_assert(sizeof(struct lab_task) <= BACKEND_MAX_ARGUMENT_BYTES, "it is a kernel's argument");

static struct lab_task task_of(const struct frame *frame, const struct frame_memory *memory,
                               int index)
{
    const struct array *a = &frame->choice.filter->arrays[index];
    struct lab_task task = {.array = frame_array(frame, memory, index),
                            .count = frame->arrays.places[index].count,
                            .type = (int)a->type,
                            .fields = array_fields(a),
                            .record_bytes = a->record.bytes};
    for (int i = 0; i < a->record.count; i++) {
        task.types[i] =
            (unsigned char)(a->record.fields[i].type | a->record.fields[i].is_bool << 7);
        task.offsets[i] = (unsigned short)a->record.fields[i].offset;
    }
    return task;
}

static bool run_own(const struct frame *frame, const struct frame_memory *memory,
                    enum lab_kernel kernel, const struct lab_task *task,
                    const struct launch_config *config, struct error *err)
{
    const struct filter *f = frame->choice.filter;
    const struct launch l = {
        .module = frame->module,
        .entry = entry_of(f, f->variants + f->variant_count) + f->untimed_count + (int)kernel,
        .config = *config,
        .is_cut = memory->is_cut,
        .arrays = &task->array,  // unused: the task says all
        .arrays_bytes = sizeof(void *),
        .params = task,
        .params_bytes = sizeof *task,
    };
    return backend_launch(frame->backend, &l, err);
}

static bool fill(const struct frame *frame, const struct frame_memory *memory, int index,
                 struct error *err)
{
    const struct array *a = &frame->choice.filter->arrays[index];
    const struct array_place *place = &frame->arrays.places[index];
    struct lab_task task = task_of(frame, memory, index);
    task.fill = (int)a->fill;
    task.low = (int)place->low;
    task.high = (int)place->high;
    task.seed = (unsigned int)index;
    task.columns = place->columns;
    const struct launch_config config = {
        .grid_width = (int)((place->count - 1) / FILL_THREADS) + 1,
        .grid_height = 1,
        .block_width = FILL_THREADS,
        .block_height = 1,
    };
    return run_own(frame, memory, LAB_FILL, &task, &config, err);
}

// ---- before and after ----

bool frame_bring_constants(const struct frame *frame, const struct frame_memory *memory,
                           struct error *err)
{
    const struct filter *f = frame->choice.filter;
    for (int i = 0; i < f->array_count; i++) {
        if (!f->arrays[i].is_constant) continue;
        const size_t bytes = frame->arrays.places[i].bytes;
        g_autofree void *host = g_malloc(bytes);
        if (!backend_read(frame->backend, host, frame_array(frame, memory, i), bytes, err) ||
            !backend_set_constant(frame->backend, frame->module, f->arrays[i].name, host, bytes,
                                  err))
            return false;
    }
    struct {
        int whole[WEIGHTS_MAX];
        float before, parts[WEIGHTS_MAX], after;
    } weights = {.before = 0};
    _Static_assert(sizeof weights == WEIGHTS_BYTES, "weights in memory");
    if (!f->has_weights) return true;
    filter_fill_weights(f, &frame->choice.settings.params, weights.whole);
    for (int i = 0; i < WEIGHTS_MAX; i++) weights.parts[i] = (float)weights.whole[i] / WEIGHTS_SUM;
    return backend_write(frame->backend, frame_array(frame, memory, ARRAYS_WEIGHTS), &weights,
                         sizeof weights, err) &&
           backend_set_constant(frame->backend, frame->module, "constant_weights", weights.whole,
                                sizeof weights.whole, err);
}

bool frame_fill(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    const struct filter *f = frame->choice.filter;
    for (int i = 0; i < f->array_count; i++)
        if (array_is_filled(&f->arrays[i]) && !fill(frame, memory, i, err)) return false;
    return frame_bring_constants(frame, memory, err);
}

// Runs an untimed kernel; name empty: there is none.
static bool run_untimed(const struct frame *frame, const struct frame_memory *memory,
                        const char *name, const struct launch_config *config, struct planes out,
                        struct planes in, struct error *err)
{
    if (!*name) return true;
    const struct filter *f = frame->choice.filter;
    const int first = entry_of(f, f->variants + f->variant_count);
    const struct kernel kernel = {
        .entry = first + filter_untimed(f, name), .config = config, .out = out, .in = in};
    return launch(frame, memory, &kernel, err);
}

bool frame_prepare(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    return run_untimed(frame, memory, frame->choice.variant->prepare, &frame->plan.prepare,
                       frame_planes(frame, memory, ARRAYS_IN), picture(frame, memory, ARRAYS_IN),
                       err);
}

bool frame_poison(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    for (int i = 0; i < frame->arrays.count; i++) {
        const struct array_place *place = &frame->arrays.places[i];
        const struct array *a = &frame->choice.filter->arrays[i];
        const bool is_rubbish = a->kind == ARRAY_OUT && !a->from;
        const size_t begin = is_rubbish ? 0 : place->bytes, end = array_end(place) - place->offset;
        if (a->from && !backend_copy(frame->backend, frame_array(frame, memory, i),
                                     frame_array(frame, memory, a->from - 1), place->bytes, err))
            return false;
        if (end > begin &&
            !backend_fill(frame->backend, frame_planes(frame, memory, i).pixels + begin,
                          FRAME_POISON + i, end - begin, err))
            return false;
    }
    return true;
}

bool frame_finish(const struct frame *frame, const struct frame_memory *memory, struct error *err)
{
    const struct planes to = memory->target;
    if (!run_untimed(frame, memory, frame->choice.variant->finish, &frame->plan.finish,
                     picture(frame, memory, ARRAYS_OUT), frame_planes(frame, memory, ARRAYS_OUT),
                     err))
        return false;
    if (!to.pixels || filter_has_picture(frame->choice.filter)) return true;
    // Paints the shown array into the target.
    const struct array *a = &frame->choice.filter->arrays[frame->shown_array];
    const struct array_place *place = &frame->arrays.places[frame->shown_array];
    struct lab_task task = task_of(frame, memory, frame->shown_array);
    task.low = (int)frame->scale.low;
    task.high = (int)frame->scale.high;
    task.pixels = to.pixels;
    task.width = to.width;
    task.height = to.height;
    task.pitch = to.pitch;
    array_picture(a, place, &task.columns, &task.step);
    const struct launch_config config = {
        .grid_width = (to.width - 1) / PAINT_WIDTH + 1,
        .grid_height = (to.height - 1) / PAINT_HEIGHT + 1,
        .block_width = PAINT_WIDTH,
        .block_height = PAINT_HEIGHT,
    };
    return run_own(frame, memory, LAB_PAINT, &task, &config, err);
}

// ---- compiling ----

static struct module *build_module(struct backend *b, const struct filter *f,
                                   const struct choice *only, struct build build, struct error *err)
{
    const char *entries[FILTER_MAX_VARIANTS * FILTER_MAX_PASSES + FILTER_MAX_UNTIMED + LAB_KERNELS];
    const char *kernels[G_N_ELEMENTS(entries)] = {NULL};
    _Static_assert(G_N_ELEMENTS(entries) <= BACKEND_MAX_ENTRIES, "a module has room for all");
    const struct library_function *functions[BACKEND_MAX_FUNCTIONS];
    assert(!build.entry_count && !build.function_count);
    build.path = f->path;
    build.source = f->source;
    g_autofree char *part = only ? launch_calls(f, only->variant) : NULL;
    g_autoptr(GString) calls = g_string_new(part ? part : f->calls);
    const bool has_picture = filter_has_picture(f);
    build.inexact = f->tolerance.unit         ? NULL
                    : has_picture             ? "a filter's pixels are exact"
                    : filter_has_reference(f) ? "say //! tolerance 1e-6 relative"
                                              : NULL;  // nothing is compared
    build.entries = entries;
    build.kernels = kernels;
    build.functions = functions;
    build.has_lines = f->guesses;
    if (build.params && !*build.params) build.params = NULL;
    for (const struct variant *v = f->variants; v < f->variants + f->variant_count; v++) {
        for (int pass = 0; pass < v->pass_count; pass++) {
            kernels[build.entry_count] = v->passes[pass].kernel;
            entries[build.entry_count++] =
                !only || v == only->variant ? v->passes[pass].entry : NULL;
        }
        if (v->library.function) functions[build.function_count++] = v->library.function;
    }
    for (int i = 0; i < f->untimed_count; i++) entries[build.entry_count++] = f->untimed[i].entry;
    for (int i = 0; !has_picture && i < LAB_KERNELS; i++) {
        // Traces and references are not painted, and a guarded trace gets its arrays filled.
        const bool is_needed = i == LAB_FILL ? !build.is_traced || !build.guard
                                             : !build.is_traced && (!only || only->variant);
        entries[build.entry_count++] = is_needed ? lab_kernels[i] : NULL;
        if (is_needed) g_string_append_printf(calls, "LAUNCH_OWN(%s)\n", lab_kernels[i]);
    }
    build.calls = calls->str;
    return backend_compile(b, &build, err);
}

bool frame_has_strips(struct backend *b, const struct module *m, const struct variant *v)
{
    bool has_strips = false;
    for (int pass = 0; pass < v->pass_count; pass++) {
        g_autofree char *name = g_strconcat("strips_", v->passes[pass].entry, NULL);
        has_strips |= backend_function(b, m, name) != NULL;
    }
    return has_strips;
}

struct module *frame_build(struct backend *b, const struct filter *f, struct build build,
                           struct error *err)
{
    return build_module(b, f, NULL, build, err);
}

struct module *frame_build_one(struct backend *b, const struct choice *c, struct build build,
                               struct error *err)
{
    return build_module(b, c->filter, c, build, err);
}
