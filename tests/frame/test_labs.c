// test_labs -- every lab × variant × size × ends of the other params × block × unroll, on one
// device: all elements equal to the REFERENCE, nothing written beside them, or refused before the
// launch with a reason.
//
// device_suite.h has the command line. The test finds labs and variants by itself. At most two
// params at a time lie beside a middle value, and literals are compiled for three choices of params
// only, because each takes the compiler a second. Where BILLIONS is low, the run is brief: one
// param at a time lies there, and nothing is compiled with literals. Cases of more than BILLIONS of
// additions are counted as left out (0: none are). Every variant must run on several blocks, and
// for each value of the first param that allows it. The run ends when so much is wrong that no more
// is shown.
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/backend.h"
#include "frame/frame.h"
#include "frame/reference.h"
#include "device_suite.h"
#include "lab_arena.h"
#include "lab_references.h"

enum { MAX_SHOWN = 20, MAX_VALUES = 16 };

// Of params that shapes follow from; 20011 are several blocks of the longest runs of a block.
static const int sizes[] = {1, 2, 31, 32, 33, 67, 131, 257, 1000, 1009, 20011};
static const double BRIEF_STEPS = 5e5;
enum { LARGEST_BASE = 200, LARGEST_END = 1024 };
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
    struct backend *backend;
    const struct references *from;  // who compiles the references
    double max_steps;
    const char *only;  // a lab's name; NULL: all
    const struct filter *lab;
    const struct module *module;  // of the present params, if unrolled
    struct reference reference;
    struct values values[FILTER_MAX_PARAMS];
    struct settings settings;
    struct lab_arena arena;
    double *expected[ARRAYS_MAX];
    long run, refused, wrong, left_out, reports;
    long run_of[FILTER_MAX_VARIANTS];  // of this lab
    // For the present value of the first param: whether a variant ran, whether any of its launches
    // are of several blocks, and whether such a launch ran.
    bool ran[FILTER_MAX_VARIANTS], can_several[FILTER_MAX_VARIANTS], several[FILTER_MAX_VARIANTS];
    bool several_ever[FILTER_MAX_VARIANTS];
    bool is_missing[FILTER_MAX_VARIANTS];  // a library that cannot be called
};

static void report(struct suite *s, const char *variant, const char *what)
{
    if (s->reports++ >= MAX_SHOWN) return;
    char params[256];
    filter_write_params(s->lab, &s->settings.params, params, sizeof params);
    printf("WRONG %s %s %s block %d×%d unroll %d: %s\n", s->lab->name, variant, params,
           s->settings.block_width, s->settings.block_height, s->settings.is_unrolled, what);
}

// ---- what is expected ----

static struct frame frame_of(const struct suite *s, const struct variant *v)
{
    return (struct frame){
        .backend = s->backend, .choice = {s->lab, v, s->settings}, .module = s->module};
}

static void compute_expected(struct suite *s)
{
    const void *pointers[ARRAYS_MAX];
    struct reference reference = s->reference;
    filter_pack(s->lab, &s->settings.params, reference.params);
    for (int i = 0; i < s->lab->array_count; i++) pointers[i] = lab_arena_before(&s->arena, i);
    for (int i = 0; i < s->lab->array_count; i++) {
        const long long count = s->arena.layout.places[i].count;
        if (!reference.elements[i]) continue;
        s->expected[i] = g_new(double, (gsize)count);
        for (long long k = 0; k < count; k++)
            s->expected[i][k] = reference.elements[i](pointers, reference.params, k);
    }
}

static void forget_expected(struct suite *s)
{
    for (int i = 0; i < ARRAYS_MAX; i++) g_free(s->expected[i]);
    memset(s->expected, 0, sizeof s->expected);
}

static struct lab_values values_of(const struct suite *s)
{
    struct lab_values v = {.lab = s->lab, .params = &s->settings.params, .layout = s->arena.layout};
    for (int i = 0; s->arena.before && i < s->lab->array_count; i++) {
        if (s->lab->arrays[i].kind == ARRAY_IN) v.in[i] = lab_arena_before(&s->arena, i);
        v.expected[i] = s->expected[i];
    }
    return v;
}

// ---- one case ----

static void check_out(struct suite *s, const struct variant *v, int array)
{
    const struct array *a = &s->lab->arrays[array];
    const void *const elements = lab_arena_after(&s->arena, array);
    const long long count = s->arena.layout.places[array].count;
    long long wrong = 0, first = 0;
    for (long long i = count - 1; i >= 0; i--)
        if (array_value(a->type, elements, i) != s->expected[array][i]) {
            wrong++;
            first = i;
        }
    if (!wrong) return;
    char what[160];
    g_snprintf(what, sizeof what,
               "%lld of %lld elements of %s differ, the first is [%lld]: %g, not %g", wrong, count,
               a->name, first, array_value(a->type, elements, first), s->expected[array][first]);
    report(s, v->name, what);
}

static void check_arrays(struct suite *s, const struct variant *v)
{
    char what[96];
    if (!lab_arena_is_intact(&s->arena, what, sizeof what)) report(s, v->name, what);
    for (int i = 0; i < s->lab->array_count; i++)
        if (s->expected[i]) check_out(s, v, i);
}

static bool run_frame(struct suite *s, const struct frame *frame, struct error *err)
{
    const struct frame_memory memory = {.arrays = s->arena.memory};
    struct error unused = {""};
    if (!lab_arena_begin(&s->arena, err)) return false;
    const bool is_queued = frame_prepare(frame, &memory, err) && frame_run(frame, &memory, err) &&
                           frame_finish(frame, &memory, err);
    return lab_arena_end(&s->arena, is_queued ? err : &unused) && is_queued;
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
    double steps = count_elements(&s->arena.layout) + lab_steps(&values, frame->choice.variant);
    for (int i = 0; i < frame->plan.pass_count; i++) {
        const struct launch_config *c = &frame->plan.passes[i];
        steps += (double)c->grid_width * c->grid_height * c->block_width * c->block_height;
    }
    return steps;
}

// A library that is refused in any block.
static void note_missing(struct suite *s, const struct variant *v, const struct error *why)
{
    bool *const is_missing = &s->is_missing[v - s->lab->variants];
    if (!v->library.function || s->settings.block_width || *is_missing) return;
    printf("skipped: %s: %s\n", s->lab->name, why->text);
    *is_missing = true;
}

static void check_case(struct suite *s, const struct variant *v)
{
    struct error err = {""};
    const long index = v - s->lab->variants;
    struct frame frame = frame_of(s, v);
    const struct planes none = {.pixels = NULL};
    if (!frame_plan(&frame, none, &err)) {
        s->refused++;
        note_missing(s, v, &err);
        if (!err.text[0]) report(s, v->name, "refused without a reason");
        return;
    }
    const struct launch_config *last = &frame.plan.passes[MAX(frame.plan.pass_count, 1) - 1];
    const bool is_several = v->library.function || last->grid_width > 1 || last->grid_height > 1;
    s->can_several[index] |= is_several;
    frame.arrays = s->arena.layout;
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
        check_arrays(s, v);
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
static bool is_left_out(const struct suite *s)
{
    enum { REFERENCE_SPEED = 30 };
    const struct lab_values planned = values_of(s);
    return is_too_long(s, count_elements(&s->arena.layout)) ||
           is_too_long(s, lab_steps(&planned, NULL) / REFERENCE_SPEED);
}

static bool check_params(struct suite *s, struct error *err)
{
    if (s->reports >= MAX_SHOWN) return error_set(err, "and more, which is not looked at");
    if (!lab_arena_plan(&s->arena, s->backend, s->lab, &s->settings.params, err)) return false;
    if (is_left_out(s)) {
        s->left_out += (long)G_N_ELEMENTS(blocks) * s->lab->variant_count;
        return true;
    }
    const struct frame frame = frame_of(s, s->lab->variants);
    const bool is_open = lab_arena_open(&s->arena, &frame, err);
    if (is_open) {
        compute_expected(s);
        const struct lab_values values = values_of(s);
        if (!lab_reference_is_right(&values)) report(s, "REFERENCE", "wrong itself");
        check_blocks(s);
    }
    forget_expected(s);
    lab_arena_close(&s->arena);
    return is_open;
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
    const struct planes none = {.pixels = NULL};
    struct choice choice = {.filter = lab, .settings = {.params = filter_defaults(lab)}};
    double *const v = choice.settings.params.v;
    const struct param *p = &lab->params[param];
    for (int i = 0; i < lab->param_count; i++)
        if (!lab->params[i].name_count) v[i] = CLAMP(37, lab->params[i].min, lab->params[i].max);
    v[param] = p->min;
    if (p->is_float || p->name_count || !arrays_plan(&small, &choice, none, NULL)) return false;
    v[param] = MIN(p->min + 7, p->max);
    if (!arrays_plan(&other, &choice, none, NULL)) return true;
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

static bool is_brief(const struct suite *s)
{
    return s->max_steps > 0 && s->max_steps <= BRIEF_STEPS;
}

// Calls check_params for all values of the params from one on, of which two at most lie beside
// their bases, or one in a brief run.
static bool check_values(struct suite *s, int param, int beside, struct error *err)
{
    if (param >= MIN(s->lab->param_count, FILTER_MAX_PARAMS)) return check_params(s, err);
    const struct values *values = &s->values[param];
    const int max_beside = is_brief(s) ? 1 : 2;
    for (int i = 0; i < values->count; i++) {
        const int now = beside + (values->v[i] != values->base);
        s->settings.params.v[param] = values->v[i];
        if (now <= max_beside && !check_values(s, param + 1, now, err)) return false;
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
    if (!filter_can_unroll(s->lab) || is_brief(s)) return true;
    for (int choice = 0; choice < CHOICES; choice++) {
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

static bool find_reference(struct suite *s, struct error *err)
{
    const struct param_values defaults = filter_defaults(s->lab);
    if (!reference_wait(&s->reference, s->from, s->lab, &defaults))
        return error_set(err, "%s: its references do not compile", s->lab->name);
    for (int i = 0; i < s->lab->array_count; i++)
        if (s->lab->arrays[i].kind == ARRAY_OUT && !s->reference.elements[i])
            return error_set(err, "%s has no REFERENCE(%s)", s->lab->name, s->lab->arrays[i].name);
    return true;
}

static bool check_lab(struct suite *s, struct error *err)
{
    struct module *const plain = frame_compile(s->backend, s->lab, "", err);
    for (int i = 0; i < s->lab->param_count; i++) s->values[i] = list_values(s->lab, i);
    memset(s->several_ever, 0, sizeof s->several_ever);
    memset(s->is_missing, 0, sizeof s->is_missing);
    forget_several(s);
    s->module = plain;
    const bool is_good =
        plain && find_reference(s, err) && check_plain(s, err) && check_unrolled(s, err);
    backend_unload(s->backend, plain);
    return is_good;
}

static bool ran_on_several(const struct suite *s, struct error *err)
{
    for (int v = 0; v < s->lab->variant_count; v++)
        if (!s->several_ever[v] && !s->is_missing[v])
            return error_set(err, "%s %s was never run on several blocks", s->lab->name,
                             s->lab->variants[v].name);
    return true;
}

static bool check_all(struct suite *s, const struct filter_list *filters, struct error *err)
{
    int labs = 0;
    for (int i = 0; i < filters->count; i++) {
        s->lab = &filters->filters[i];
        if (filter_has_picture(s->lab) || (s->only && strcmp(s->only, s->lab->name))) continue;
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

static bool check_device(struct device_suite *d, struct device_suite_outcome *outcome,
                         struct error *err)
{
    struct suite s = {
        .backend = d->backend, .from = &d->references, .max_steps = d->max_steps, .only = d->only};
    const bool is_complete = check_all(&s, &d->filters, err);
    *outcome = (struct device_suite_outcome){s.run, MAX(s.wrong, s.reports), s.refused, s.left_out};
    return is_complete;
}

int main(int argc, char **argv)
{
    return device_suite_main(argc, argv, check_device);
}
