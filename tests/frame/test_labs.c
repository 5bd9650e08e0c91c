// test_labs -- every lab × variant × size × ends of the other params × block × unroll, on one
// device: all elements equal to the REFERENCE, nothing written beside them, or refused before the
// launch with a reason.
//
//     test_labs DEVICE [BILLIONS [LAB [FOLDER]]]      skips (77) where there is no such device
//
// Finds labs and variants by itself. Cases of more than BILLIONS of additions are counted as left
// out (0: none are). Every variant must run on several blocks, and for each value of the first
// param that allows it.
//
// The arrays lie further apart than arrays.h has them, with guards between:
//
//     │ guard │ a (in) │ guard │ b (out) │ guard │
//
// Each case begins with the same bytes everywhere; all but the in arrays are noise, so that a word
// copied from guard to guard shows. After it, those of out arrays are what the REFERENCE says,
// scratch holds anything, and all others are as they were.
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/backend.h"
#include "device/cpu/fiber.h"
#include "frame/frame.h"
#include "frame/lab_check.h"
#include "lab_references.h"

#if FIBER_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum { SKIPPED = 77, MAX_SHOWN = 20, GUARD = 4096, MAX_VALUES = 16 };

// Of params that shapes follow from; 20011 are several blocks of the longest runs of a block.
static const int sizes[] = {1, 2, 31, 32, 33, 67, 131, 257, 1000, 1009, 20011};
enum { LARGEST_BASE = 1000, LARGEST_END = 1024, MAX_BESIDE = 2 };
// 0: the variant's own.
static const int blocks[][2] = {{0, 0}, {8, 8}, {16, 16}, {32, 8}, {32, 32}, {128, 1}, {7, 5}};

// What a param is tried with; the others have their base meanwhile.
struct values {
    double v[MAX_VALUES];
    int count;
    double base;
    bool is_size;  // a shape follows from it
};

struct suite {
    struct backend *backend, *host;  // host: has the references
    double max_steps;
    const char *only;  // a lab's name; NULL: all
    const struct filter *lab;
    const struct module *module;  // of the present params, if unrolled
    lab_reference *references[ARRAYS_MAX];
    struct values values[FILTER_MAX_PARAMS];
    struct settings settings;
    struct arrays_layout layout;
    void *memory;
    unsigned char *before, *after;
    double *expected[ARRAYS_MAX];
    long run, refused, wrong, left_out, reports;
    long run_of[FILTER_MAX_VARIANTS];  // of this lab
    // For the present value of the first param: whether a variant ran, whether any of its launches
    // are of several blocks, and whether such a launch ran.
    bool ran[FILTER_MAX_VARIANTS], can_several[FILTER_MAX_VARIANTS], several[FILTER_MAX_VARIANTS];
    bool several_ever[FILTER_MAX_VARIANTS];
};

static void report(struct suite *s, const char *variant, const char *what)
{
    if (s->reports++ >= MAX_SHOWN) return;
    char params[256];
    filter_write_params(s->lab, &s->settings.params, params, sizeof params);
    printf("WRONG %s %s %s block %d×%d unroll %d: %s\n", s->lab->name, variant, params,
           s->settings.block_width, s->settings.block_height, s->settings.is_unrolled, what);
}

// ---- memory ----

static void spread(struct arrays_layout *layout)
{
    size_t at = GUARD;
    for (int i = 0; i < layout->count; i++) {
        layout->places[i].offset = at;
        at += (layout->places[i].bytes + 511) / 512 * 512 + GUARD;
    }
    layout->bytes = at;
}

// Where the guard behind an array begins and ends; -1: the one before all arrays.
static size_t guard_begin(const struct suite *s, int array)
{
    return array < 0 ? 0 : s->layout.places[array].offset + s->layout.places[array].bytes;
}

static size_t guard_end(const struct suite *s, int array)
{
    return array + 1 < s->layout.count ? s->layout.places[array + 1].offset : s->layout.bytes;
}

// Under the address sanitizer not even a read may touch a guard while kernels run on the CPU.
static void close_guards(const struct suite *s)
{
#if FIBER_HAS_ASAN
    if (backend_device(s->backend)->is_gpu) return;
    for (int i = -1; i < s->layout.count; i++)
        __asan_poison_memory_region((unsigned char *)s->memory + guard_begin(s, i),
                                    guard_end(s, i) - guard_begin(s, i));
#else
    (void)s;
#endif
}

static void open_guards(const struct suite *s)
{
#if FIBER_HAS_ASAN
    if (!backend_device(s->backend)->is_gpu)
        __asan_unpoison_memory_region(s->memory, s->layout.bytes);
#else
    (void)s;
#endif
}

static struct frame frame_of(const struct suite *s, const struct variant *v)
{
    return (struct frame){.backend = s->backend,
                          .choice = {s->lab, v, s->settings},
                          .module = s->module,
                          .arrays = s->layout};
}

static void compute_expected(struct suite *s)
{
    void *pointers[ARRAYS_MAX];
    unsigned char params[4 * FILTER_MAX_PARAMS];
    filter_pack(s->lab, &s->settings.params, params);
    for (int i = 0; i < s->layout.count; i++) pointers[i] = s->before + s->layout.places[i].offset;
    for (int i = 0; i < s->layout.count; i++) {
        if (!s->references[i]) continue;
        s->expected[i] = g_new(double, (gsize)s->layout.places[i].count);
        for (long long k = 0; k < s->layout.places[i].count; k++)
            s->expected[i][k] = s->references[i](pointers, params, k);
    }
}

static void fill_noise(unsigned char *bytes, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        bytes[i] = (unsigned char)((unsigned)i * 2654435761u >> 24);
}

static void fill_beside(struct suite *s)
{
    for (int i = -1; i < s->layout.count; i++) {
        fill_noise(s->before, guard_begin(s, i), guard_end(s, i));
        if (i >= 0 && s->lab->arrays[i].kind != ARRAY_IN)
            fill_noise(s->before, s->layout.places[i].offset, guard_begin(s, i));
    }
}

static bool open_arrays(struct suite *s, struct error *err)
{
    if (!backend_alloc(s->backend, s->layout.bytes, &s->memory, err)) return false;
    const struct frame frame = frame_of(s, s->lab->variants);
    const struct frame_memory memory = {.arrays = s->memory};
    s->before = g_malloc(s->layout.bytes);
    s->after = g_malloc(s->layout.bytes);
    if (!backend_fill(s->backend, s->memory, 0, s->layout.bytes, err) ||
        !frame_fill(&frame, &memory, err) || !backend_wait(s->backend, err) ||
        !backend_read(s->backend, s->before, s->memory, s->layout.bytes, err))
        return false;
    fill_beside(s);
    return true;
}

static void close_arrays(struct suite *s)
{
    backend_free(s->backend, s->memory);
    g_free(s->before);
    g_free(s->after);
    for (int i = 0; i < ARRAYS_MAX; i++) g_free(s->expected[i]);
    memset(s->expected, 0, sizeof s->expected);
    s->memory = s->before = s->after = NULL;
}

static struct lab_values values_of(const struct suite *s)
{
    struct lab_values v = {.lab = s->lab, .params = &s->settings.params, .layout = s->layout};
    for (int i = 0; i < s->layout.count; i++) {
        if (s->lab->arrays[i].kind == ARRAY_IN) v.in[i] = s->before + s->layout.places[i].offset;
        v.expected[i] = s->expected[i];
    }
    return v;
}

// ---- one case ----

static bool is_unchanged(const struct suite *s, size_t begin, size_t end)
{
    return !memcmp(s->before + begin, s->after + begin, end - begin);
}

static void check_out(struct suite *s, const struct variant *v, int array)
{
    const struct array_place *place = &s->layout.places[array];
    const enum array_type type = s->lab->arrays[array].type;
    long long wrong = 0, first = 0;
    for (long long i = place->count - 1; i >= 0; i--)
        if (array_value(type, s->after + place->offset, i) != s->expected[array][i]) {
            wrong++;
            first = i;
        }
    if (!wrong) return;
    char what[160];
    g_snprintf(what, sizeof what,
               "%lld of %lld elements of %s differ, the first is [%lld]: %g, not %g", wrong,
               place->count, s->lab->arrays[array].name, first,
               array_value(type, s->after + place->offset, first), s->expected[array][first]);
    report(s, v->name, what);
}

static void check_memory(struct suite *s, const struct variant *v)
{
    char what[96];
    for (int i = -1; i < s->layout.count; i++)
        if (!is_unchanged(s, guard_begin(s, i), guard_end(s, i))) {
            g_snprintf(what, sizeof what, "written %s %s", i < 0 ? "before" : "behind",
                       s->lab->arrays[MAX(i, 0)].name);
            report(s, v->name, what);
        }
    for (int i = 0; i < s->layout.count; i++) {
        const struct array_place *place = &s->layout.places[i];
        if (s->expected[i]) check_out(s, v, i);
        if (s->lab->arrays[i].kind == ARRAY_IN &&
            !is_unchanged(s, place->offset, place->offset + place->bytes)) {
            g_snprintf(what, sizeof what, "written into %s", s->lab->arrays[i].name);
            report(s, v->name, what);
        }
    }
}

static bool run_frame(struct suite *s, const struct frame *frame, struct error *err)
{
    const struct frame_memory memory = {.arrays = s->memory};
    if (!backend_write(s->backend, s->memory, s->before, s->layout.bytes, err)) return false;
    close_guards(s);
    const bool has_run = frame_prepare(frame, &memory, err) && frame_run(frame, &memory, err) &&
                         frame_finish(frame, &memory, err) && backend_wait(s->backend, err);
    open_guards(s);
    return has_run && backend_read(s->backend, s->after, s->memory, s->layout.bytes, err);
}

static bool is_too_long(const struct suite *s, double steps)
{
    return s->max_steps > 0 && steps > s->max_steps;
}

static double count_elements(const struct arrays_layout *layout)
{
    double count = 0;
    for (int i = 0; i < layout->count; i++) count += (double)layout->places[i].count;
    return count;
}

// Threads, words that are moved here, and what the variant does with them.
static double count_steps(const struct suite *s, const struct frame *frame)
{
    const struct lab_values values = values_of(s);
    double steps = count_elements(&s->layout) + lab_steps(&values, frame->choice.variant);
    for (int i = 0; i < frame->plan.pass_count; i++) {
        const struct launch_config *c = &frame->plan.passes[i];
        steps += (double)c->grid_width * c->grid_height * c->block_width * c->block_height;
    }
    return steps;
}

static void check_case(struct suite *s, const struct variant *v)
{
    struct error err = {""};
    const long index = v - s->lab->variants;
    struct frame frame = frame_of(s, v);
    const struct planes none = {.pixels = NULL};
    if (!frame_plan(&frame, none, &err)) {
        s->refused++;
        if (!err.text[0]) report(s, v->name, "refused without a reason");
        return;
    }
    const struct launch_config *last = &frame.plan.passes[frame.plan.pass_count - 1];
    const bool is_several = last->grid_width > 1 || last->grid_height > 1;
    s->can_several[index] |= is_several;
    frame.arrays = s->layout;
    if (is_too_long(s, count_steps(s, &frame))) {
        s->left_out++;
        return;
    }
    s->run++;
    s->run_of[index]++;
    s->ran[index] = true;
    s->several[index] |= is_several;
    const long reports = s->reports;
    if (!run_frame(s, &frame, &err))
        report(s, v->name, err.text);
    else
        check_memory(s, v);
    s->wrong += s->reports > reports;
}

static void check_blocks(struct suite *s)
{
    for (int i = 0; i < s->lab->variant_count; i++)
        for (size_t b = 0; b < G_N_ELEMENTS(blocks); b++) {
            s->settings.block_width = blocks[b][0];
            s->settings.block_height = blocks[b][1];
            check_case(s, &s->lab->variants[i]);
        }
}

// ---- all params of one lab ----

// The host computes an element much faster than the emulator.
static bool check_params(struct suite *s, struct error *err)
{
    enum { REFERENCE_SPEED = 30 };
    bool is_good = arrays_plan(&s->layout, s->lab, &s->settings.params, err);
    spread(&s->layout);
    const struct lab_values planned = values_of(s);
    if (is_good && (is_too_long(s, count_elements(&s->layout)) ||
                    is_too_long(s, lab_steps(&planned, NULL) / REFERENCE_SPEED))) {
        s->left_out += (long)G_N_ELEMENTS(blocks) * s->lab->variant_count;
        return true;
    }
    is_good = is_good && open_arrays(s, err);
    if (is_good) {
        compute_expected(s);
        const struct lab_values values = values_of(s);
        if (!lab_reference_is_right(&values)) report(s, "REFERENCE", "wrong itself");
    }
    if (is_good) check_blocks(s);
    close_arrays(s);
    return is_good;
}

static bool has_value(const struct values *values, double v)
{
    for (int i = 0; i < values->count; i++)
        if (values->v[i] == v) return true;
    return false;
}

static void add_value(struct values *values, const struct param *p, double v)
{
    if (v >= p->min && v <= p->max && !has_value(values, v)) values->v[values->count++] = v;
}

// Whether a shape follows from a param: whether another value makes any array longer.
static bool is_size(const struct filter *lab, int param)
{
    struct arrays_layout small, other;
    struct param_values values = filter_defaults(lab);
    const struct param *p = &lab->params[param];
    for (int i = 0; i < lab->param_count; i++)
        if (!lab->params[i].name_count)
            values.v[i] = CLAMP(37, lab->params[i].min, lab->params[i].max);
    values.v[param] = p->min;
    if (p->is_float || p->name_count || !arrays_plan(&small, lab, &values, NULL)) return false;
    values.v[param] = MIN(p->min + 7, p->max);
    if (!arrays_plan(&other, lab, &values, NULL)) return true;
    for (int i = 0; i < lab->array_count; i++)
        if (small.places[i].count != other.places[i].count) return true;
    return false;
}

static struct values list_values(const struct filter *lab, int param)
{
    const struct param *p = &lab->params[param];
    const double between = p->min + (p->max - p->min) / 37;
    struct values values = {.is_size = is_size(lab, param)};
    values.base = values.is_size ? CLAMP(LARGEST_BASE, p->min, MAX(p->min, p->value)) : p->value;
    for (int i = 0; i < p->name_count; i++) values.v[values.count++] = i;
    if (p->name_count) return values;
    for (size_t i = 0; values.is_size && i < G_N_ELEMENTS(sizes); i++)
        add_value(&values, p, sizes[i]);
    add_value(&values, p, values.base);
    add_value(&values, p, p->min);
    if (!values.is_size) add_value(&values, p, p->is_float ? between : (int)between);
    if (!values.is_size || p->max <= LARGEST_END) add_value(&values, p, p->max);
    return values;
}

// Calls check_params for all values of the params from one on, of which MAX_BESIDE at most lie
// beside their bases.
static bool check_values(struct suite *s, int param, int beside, struct error *err)
{
    if (param == s->lab->param_count) return check_params(s, err);
    const struct values *values = &s->values[param];
    for (int i = 0; i < values->count; i++) {
        const int now = beside + (values->v[i] != values->base);
        s->settings.params.v[param] = values->v[i];
        if (now <= MAX_BESIDE && !check_values(s, param + 1, now, err)) return false;
    }
    return true;
}

static void forget_several(struct suite *s)
{
    memset(s->ran, 0, sizeof s->ran);
    memset(s->can_several, 0, sizeof s->can_several);
    memset(s->several, 0, sizeof s->several);
}

static bool note_several(struct suite *s, double value, struct error *err)
{
    for (int v = 0; v < s->lab->variant_count; v++) {
        s->several_ever[v] |= s->several[v];
        if (s->ran[v] && s->can_several[v] && !s->several[v])
            return error_set(err, "%s %s was never run on several blocks at %s %g", s->lab->name,
                             s->lab->variants[v].name, s->lab->params[0].name, value);
    }
    forget_several(s);
    return true;
}

static bool check_plain(struct suite *s, struct error *err)
{
    const struct values all = s->values[0];
    for (int i = 0; i < MAX(all.count, 1); i++) {
        if (all.count)
            s->values[0] = (struct values){.v = {all.v[i]}, .count = 1, .base = all.base};
        if (!check_values(s, 0, 0, err) || !note_several(s, all.v[i], err)) return false;
    }
    s->values[0] = all;
    return true;
}

// ---- literals ----

enum choice_of_values { LOWEST, BASES, HIGHEST, CHOICES };

static double value_of(const struct values *values, enum choice_of_values choice)
{
    double highest = values->v[0];
    switch (choice) {
    case LOWEST:
        return values->v[0];
    case BASES:
        return values->base;
    case HIGHEST:
        for (int i = 0; i < values->count; i++)
            if (!values->is_size || values->v[i] <= 131) highest = MAX(highest, values->v[i]);
        return highest;
    case CHOICES:
        break;
    }
    return 0;
}

static bool check_unrolled(struct suite *s, struct error *err)
{
    s->settings.is_unrolled = true;
    for (int choice = 0; choice < CHOICES && filter_can_unroll(s->lab); choice++) {
        for (int i = 0; i < s->lab->param_count; i++)
            s->settings.params.v[i] = value_of(&s->values[i], (enum choice_of_values)choice);
        const struct launch_build build = launch_build(s->lab, &s->settings);
        struct module *const module = frame_compile(s->backend, s->lab, build.params, err);
        s->module = module;
        const bool is_good = module && check_params(s, err);
        backend_unload(s->backend, module);
        if (!is_good) return false;
    }
    return true;
}

// ---- labs ----

static bool find_references(struct suite *s, const struct module *module, struct error *err)
{
    memset(s->references, 0, sizeof s->references);
    for (int i = 0; i < s->lab->array_count; i++) {
        char name[ARRAYS_NAME + 16];
        if (s->lab->arrays[i].kind != ARRAY_OUT) continue;
        g_snprintf(name, sizeof name, "reference_%s", s->lab->arrays[i].name);
        void *const address = backend_function(s->host, module, name);
        if (!address) return error_set(err, "%s has no %s", s->lab->name, name);
        memcpy(&s->references[i], &address, sizeof address);
    }
    return true;
}

static bool check_lab(struct suite *s, struct error *err)
{
    struct module *const plain = frame_compile(s->backend, s->lab, "", err);
    struct module *const module =
        s->host == s->backend || !plain ? plain : frame_compile(s->host, s->lab, "", err);
    for (int i = 0; i < s->lab->param_count; i++) s->values[i] = list_values(s->lab, i);
    memset(s->several_ever, 0, sizeof s->several_ever);
    forget_several(s);
    s->module = plain;
    const bool is_good = plain && module && find_references(s, module, err) &&
                         check_plain(s, err) && check_unrolled(s, err);
    if (module != plain) backend_unload(s->host, module);
    backend_unload(s->backend, plain);
    return is_good;
}

static bool ran_on_several(const struct suite *s, struct error *err)
{
    for (int v = 0; v < s->lab->variant_count; v++)
        if (!s->several_ever[v])
            return error_set(err, "%s %s was never run on several blocks", s->lab->name,
                             s->lab->variants[v].name);
    return true;
}

static bool check_all(struct suite *s, const struct filter_list *filters, struct error *err)
{
    int labs = 0;
    for (int i = 0; i < filters->count; i++) {
        s->lab = &filters->filters[i];
        if (!s->lab->is_lab || (s->only && strcmp(s->only, s->lab->name))) continue;
        const long run = s->run, refused = s->refused, left_out = s->left_out;
        s->settings = (struct settings){.params = filter_defaults(s->lab)};
        const bool is_good = check_lab(s, err) && ran_on_several(s, err);
        printf("%s: %ld run, %ld refused, %ld left out%s\n", s->lab->name, s->run - run,
               s->refused - refused, s->left_out - left_out,
               lab_is_known(s->lab) ? "" : "; nothing else checks its REFERENCE");
        fflush(stdout);
        if (!is_good) return false;
        labs++;
    }
    if (!labs) printf("there are no labs\n");
    return true;
}

static void open_host(struct suite *s, const char *folder, struct error *err)
{
    char reasons[1024];
    s->host = backend_device(s->backend)->is_gpu ? backend_open("cpu", reasons, sizeof reasons, err)
                                                 : s->backend;
    if (s->host) backend_set_include(s->host, folder);
}

int main(int argc, char **argv)
{
    const char *device = argc > 1 ? argv[1] : "cpu";
    struct suite s = {.max_steps = argc > 2 ? 1e9 * atof(argv[2]) : 0,
                      .only = argc > 3 ? argv[3] : NULL};
    struct filter_list filters = {0};
    struct error err = {""};
    char reasons[1024];
    s.backend = backend_open(device, reasons, sizeof reasons, &err);
    if (!s.backend) {
        printf("skipped: %s\n", err.text);
        return SKIPPED;
    }
    const char *folder = argc > 4 ? argv[4] : TILESCOPE_KERNELS;
    backend_set_include(s.backend, folder);
    open_host(&s, folder, &err);
    const bool is_complete =
        s.host && filter_list_load(&filters, folder, NULL, &err) && check_all(&s, &filters, &err);
    if (!is_complete) printf("FAILED %s\n", err.text);
    printf("%s: %ld run, %ld of them wrong, %ld refused with a reason, %ld left out as too long\n",
           backend_device(s.backend)->name, s.run, s.wrong, s.refused, s.left_out);
    filter_list_finish(&filters);
    if (s.host != s.backend) backend_close(s.host);
    backend_close(s.backend);
    return is_complete && !s.reports ? 0 : 1;
}
