// Kernel files: what is parsed can be planned for every variant at both ends of its parameters, as
// can a lab's arrays, and driven by keys. No line of any text moves where it is written for a C++
// compiler, or where its host code is left out. Notes are proposed for any text.
#include "app/app.h"
#include "app/input.h"
#include "device/cpu/cuda_text.h"
#include "device/device_text.h"
#include "filter/adopt.h"
#include "filter/filter.h"
#include "filter/launch.h"
#include "fuzz.h"

static const struct device device = {.max_threads = 1024,
                                     .max_block_width = 1024,
                                     .max_block_height = 1024,
                                     .max_grid_width = 2147483647,
                                     .max_grid_height = 65535,
                                     .multiprocessors = 132,
                                     .max_shared_bytes = 227 * 1024};

// The host finds each pass by the symbol in its call.
static void check_calls(const struct filter *f)
{
    for (const struct variant *v = f->variants; v < f->variants + f->variant_count; v++)
        for (int i = 0; i < v->pass_count; i++) {
            g_autofree char *head = g_strdup_printf("(%s, ", v->passes[i].entry);
            assert(strstr(f->calls, head) && v->passes[i].kernel[0]);
        }
}

static void plan(const struct filter *f, const struct variant *v, const struct settings *s)
{
    static const struct planes pictures[] = {{.width = 1, .height = 1, .count = 1},
                                             {.width = 32768, .height = 32768, .count = 3}};
    const struct choice choice = {f, v, *s};
    struct launch_plan launches;
    for (size_t i = 0; i < G_N_ELEMENTS(pictures); i++) {
        struct error err = {""};
        if (!launch_plan(&launches, &choice, pictures[i], &device, NULL, &err)) assert(err.text[0]);
    }
    launch_taps(f, s);
    launch_build(&choice);
}

// Arrays that there can be lie one behind the other.
static void plan_arrays(const struct filter *f, const struct settings *s)
{
    struct arrays_layout layout;
    struct error err = {""};
    size_t end = 0;
    const struct choice choice = {.filter = f, .settings = *s};
    const struct planes picture = planes_shape(37, 5, 3);
    if (!arrays_plan(&layout, &choice, picture, &err)) {
        assert(err.text[0]);
        return;
    }
    for (int i = 0; i < layout.count; i++) {
        const struct array_place *place = &layout.places[i];
        if (place->is_shared) continue;
        assert(place->count >= 1 && place->rows >= 1 && place->columns >= 1);
        assert(place->low <= place->high);
        assert(place->offset >= end && place->offset % 512 == 0);
        end = place->offset + place->bytes;
        array_write_shape(&f->arrays[i], place);
    }
    assert(layout.places[0].picture.width || layout.copy_offset >= end);
    assert(layout.bytes >= layout.copy_offset + layout.copy_bytes);
}

static void use(const struct filter *f, const uint8_t *data)
{
    unsigned char packed[4 * FILTER_MAX_PARAMS];
    struct settings low = {.params = filter_defaults(f)}, high = low;
    for (int i = 0; i < f->param_count; i++) {
        low.params.v[i] = f->params[i].min;
        high.params.v[i] = f->params[i].max;
    }
    high.block_width = 1 << data[0] % 11;
    high.block_height = 1 << data[1] % 11;
    high.is_unrolled = true;
    check_calls(f);
    plan_arrays(f, &low);
    plan_arrays(f, &high);
    for (int i = 0; i < f->variant_count; i++) {
        plan(f, &f->variants[i], &low);
        plan(f, &f->variants[i], &high);
    }
    filter_pack(f, &high.params, packed);
    filter_write_params(f, &high.params);
}

static void drive(struct filter *f, const uint8_t *data, size_t size)
{
    static const char *const keys[] = {"1", "2", "Up", "Down", "PgUp", ".", ">", "u",
                                       "]", "}", "b",  "c",    "x",    "t", "l", "g"};
    struct filter_list list = {.filters = f, .count = 1};
    g_autofree struct app *app = g_new(struct app, 1);
    enum input_request asked;
    app_init(app, &list, 1);
    for (size_t i = 0; i < 40; i++)
        input_press(app, keys[(data[i % size] + i) % G_N_ELEMENTS(keys)], &asked);
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

// Notes that are proposed can be read, but for what the text itself says. What stands behind the
// file's first form feed is a header beside it.
static void adopt(const char *text)
{
    struct error err = {""};
    g_autofree char *file = g_strndup(text, strcspn(text, "\f"));
    const char *const beside = text + strlen(file);
    g_autofree char *guesses = NULL, *notes = adopt_propose("x.cu", beside, file, &guesses, &err);
    if (notes)
        assert(g_str_has_prefix(notes, "//! lab \"x\"\n") && strstr(notes, "\n//! variant "));
    else
        assert(err.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct filter f = {0};
    struct error err = {""};
    if (size < 2) return 0;
    g_autofree char *text = fuzz_text(data, size), *cuda = cuda_text(text, NULL);
    assert(count_lines(cuda) == count_lines(text));
    g_free(cuda);
    cuda = device_text(text, "a( ", &(struct headers){.count = 0});
    assert(count_lines(cuda) == count_lines(text) && strlen(cuda) == strlen(text));
    adopt(text);
    if (filter_parse(&f, "/k/mean.cu", text, NULL, &err)) {
        use(&f, data);
        drive(&f, data, size);
        filter_finish(&f);
    } else {
        assert(err.text[0]);
    }
    return 0;
}
