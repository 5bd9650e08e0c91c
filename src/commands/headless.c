#include "commands/headless.h"

#include <glib.h>
#include <string.h>

#include "app/app.h"
#include "app/state.h"
#include "commands/commands.h"
#include "commands/launch_watch.h"
#include "draw/legend.h"
#include "frame/frame.h"
#include "frame/workspace.h"

// ---- what to run ----

const struct filter *headless_lab(const struct headless *r, const struct options *o)
{
    return command_find_lab(&r->filters, o->pictures[0] ? o->pictures[0] : o->filter);
}

enum outcome headless_open_lab(struct headless *r, const struct options *o,
                               const struct filter *lab, struct error *err)
{
    if (o->filter && strcmp(o->filter, lab->name) != 0) {
        error_set(err, "%s is a lab: --filter does not go with it", lab->name);
        return OUTCOME_USAGE;
    }
    r->array = o->array ? command_find_array(lab, o->array, err) : -1;
    if (o->array && r->array < 0) return OUTCOME_USAGE;
    if (!r->backend && !(r->backend = command_open_device(o, err))) return OUTCOME_REFUSED;
    if (!backend_device(r->backend)->is_gpu) filter_list_use_cpu(&r->filters);
    return OUTCOME_DONE;
}

bool headless_is_of_picture(const struct filter *f, const struct options *o, struct error *err)
{
    if (!filter_has_picture(f))
        return error_set(err, "%s is a lab, which has no picture: tilescope render %s", f->name,
                         f->name);
    return !o->array || error_set(err, "%s has no arrays", f->name);
}

bool headless_load_picture(struct headless *r, const char *path, bool is_grey, struct error *err)
{
    if (!image_load(&r->picture, path, is_grey, err)) return false;
    const struct planes shape = r->picture.planes;
    r->picture_path = g_strdup(path);
    r->picture_sha256 = image_checksum(path);
    r->is_grey = is_grey;
    return image_init(&r->result, shape.width, shape.height, shape.count, err);
}

// ---- one run ----

// The result takes the shape of what is shown: the picture, or that of an array.
static bool run(struct headless *r, struct frame *frame, struct workspace *w, struct error *err)
{
    void *target = NULL;
    frame_show(frame, arrays_shown(frame->choice.filter, r->array), NULL);
    const struct planes shape = frame_picture(frame);
    image_finish(&r->result);
    if (!workspace_init(w, r->backend, arrays_picture(frame->choice.filter, r->picture.planes), 1,
                        err) ||
        !workspace_prepare(w, frame, err) ||
        !image_init(&r->result, shape.width, shape.height, shape.count, err) ||
        !backend_alloc(r->backend, planes_bytes(shape), &target, err))
        return false;
    struct frame_memory memory = workspace_of(w, frame);
    memory.target = planes_at(shape, target);
    const bool is_done = launch_watch_run(frame, &memory, &r->kernel_ms, err) &&
                         backend_download(r->backend, r->result.planes, memory.target, err);
    if (!is_done) backend_wait(r->backend, NULL);
    backend_free(r->backend, target);
    return is_done;
}

bool headless_run(struct headless *r, const struct choice *c, struct error *err)
{
    struct workspace w = {0};
    const struct launch_build build = launch_build(c->filter, &c->settings);
    struct module *module = frame_compile(r->backend, c->filter, build.params, err);
    struct frame frame = {.backend = r->backend, .choice = *c, .module = module};
    const bool is_done = module && frame_plan(&frame, r->picture.planes, err) &&
                         command_has_memory("the arrays", backend_device(r->backend),
                                            (double)workspace_bytes(&frame.arrays, 1), 0, err) &&
                         run(r, &frame, &w, err);
    if (!is_done) backend_wait(r->backend, NULL);  // nothing may be in use when it goes
    workspace_finish(&w);
    backend_unload(r->backend, module);
    return is_done;
}

void headless_finish(struct headless *r)
{
    backend_close(r->backend);
    image_finish(&r->picture);
    image_finish(&r->result);
    g_free(r->picture_path);
    g_free(r->picture_sha256);
    filter_list_finish(&r->filters);
    *r = (struct headless){0};
}

// ---- what the file says ----

bool headless_picture(const struct headless *r, const struct choice *s, struct image *picture,
                      struct error *err)
{
    const struct planes from = r->result.planes;
    const struct filter *f = s->filter;
    const enum color_map map = f->arrays[arrays_shown(f, r->array)].map;
    const struct color_map_table table = color_map_table(map);
    const bool is_mapped = map != COLOR_MAP_GREY;
    if (!image_init(picture, from.width, from.height, is_mapped ? 3 : from.count, err))
        return false;
    if (!is_mapped) {
        image_copy(picture->planes, from);
        return true;
    }
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < from.height; y++)
            for (int x = 0; x < from.width; x++)
                planes_row(picture->planes, plane, y)[x] =
                    table.colors[planes_row(from, 0, y)[x]][plane];
    return true;
}

// The settings as state.h's text, for the picture to carry. The caller frees it.
static char *write_state(const struct headless *r, const struct choice *s)
{
    struct app *a = g_new(struct app, 1);
    const struct state_picture picture = {r->picture_path, r->picture_sha256, r->is_grey};
    app_init(a, &r->filters, 1);
    a->sides[APP_A].filter = (int)(s->filter - r->filters.filters);
    *app_side_choice(a, APP_A) = (struct app_choice){
        .variant = (int)(s->variant - s->filter->variants), .settings = s->settings};
    const struct array *shown = &s->filter->arrays[arrays_shown(s->filter, r->array)];
    if (!filter_has_picture(s->filter))
        g_strlcpy(app_side_choice(a, APP_A)->array, shown->name, ARRAYS_NAME);
    char *text = state_write(a, &picture);
    g_free(a);
    return text;
}

void headless_describe(const struct headless *r, const struct choice *s, struct image_texts *texts)
{
    const struct device *d = backend_device(r->backend);
    const struct planes shape = r->result.planes;
    const struct array *shown = &s->filter->arrays[arrays_shown(s->filter, r->array)];
    char *picture = filter_has_picture(s->filter) ? g_path_get_basename(r->picture_path) : NULL;
    char *state = write_state(r, s);
    char block[32], size[32], value[FILTER_VALUE];
    int width, height;
    launch_block(s->variant, &s->settings, &width, &height);
    g_snprintf(block, sizeof block, "%dx%d", width, height);
    g_snprintf(size, sizeof size, "%dx%d", shape.width, shape.height);
    const struct image_text fixed[] = {
        {"Software", "Tilescope " TILESCOPE_VERSION},
        {"filter", s->filter->name},
        {"variant", s->variant->name},
        {"unroll", s->settings.is_unrolled ? "on" : "off"},
        {"device", d->name},
        {"driver", d->driver},
        {picture ? "picture" : "array", picture ? picture : shown->name},
        {"size", size},
        {STATE_KEY, state},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
        image_texts_add(texts, fixed[i].key, fixed[i].text);
    if (width) image_texts_add(texts, "block", block);  // a library has none
    if (!picture) {
        const struct legend legend = legend_of(s, r->array, NULL);
        char *scale =
            g_strdup_printf("%s … %s %s", legend.low, legend.high, color_map_name(legend.map));
        image_texts_add(texts, "shown", scale);
        g_free(scale);
    }
    for (int i = 0; i < s->filter->param_count; i++) {
        filter_write_value(&s->filter->params[i], s->settings.params.v[i], value);
        image_texts_add(texts, s->filter->params[i].name, value);
    }
    g_free(picture);
    g_free(state);
}
