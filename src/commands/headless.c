#include "commands/headless.h"

#include <glib.h>

#include "app/app.h"
#include "app/state.h"
#include "frame/frame.h"
#include "frame/workspace.h"

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

static bool run(struct headless *r, const struct frame *frame, struct workspace *w,
                struct error *err)
{
    struct backend *b = r->backend;
    if (!workspace_prepare(w, frame, err)) return false;
    const struct frame_memory memory = workspace_memory(w, 0);
    return backend_mark(b, 0, err) && frame_run(frame, &memory, err) && backend_mark(b, 1, err) &&
           frame_finish(frame, &memory, err) && backend_wait(b, err) &&
           backend_elapsed(b, 0, 1, &r->kernel_ms, err) &&
           backend_download(b, r->result.planes, memory.target, err);
}

bool headless_run(struct headless *r, const struct choice *c, struct error *err)
{
    struct workspace w = {0};
    const struct launch_build build = launch_build(c->filter, &c->settings);
    struct module *module = frame_compile(r->backend, c->filter, build.params, err);
    struct frame frame = {.backend = r->backend, .choice = *c, .module = module};
    const bool is_done = module && frame_plan(&frame, r->picture.planes, err) &&
                         workspace_init(&w, r->backend, r->picture.planes, 1, err) &&
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

// The settings as state.h's text, for the picture to carry. The caller frees it.
static char *write_state(const struct headless *r, const struct choice *s)
{
    struct app *a = g_new(struct app, 1);
    const struct state_picture picture = {r->picture_path, r->picture_sha256, r->is_grey};
    app_init(a, &r->filters, 1);
    a->sides[APP_A].filter = (int)(s->filter - r->filters.filters);
    *app_side_choice(a, APP_A) = (struct app_choice){
        .variant = (int)(s->variant - s->filter->variants), .settings = s->settings};
    char *text = state_write(a, &picture);
    g_free(a);
    return text;
}

void headless_describe(const struct headless *r, const struct choice *s, struct image_texts *texts)
{
    const struct device *d = backend_device(r->backend);
    const struct planes shape = r->picture.planes;
    char *picture = g_path_get_basename(r->picture_path), *state = write_state(r, s);
    char block[32], size[32], value[FILTER_VALUE];
    int width, height;
    launch_block(s->variant, &s->settings, &width, &height);
    g_snprintf(block, sizeof block, "%dx%d", width, height);
    g_snprintf(size, sizeof size, "%dx%d", shape.width, shape.height);
    const struct image_text fixed[] = {
        {"Software", "Tilescope " TILESCOPE_VERSION},
        {"filter", s->filter->name},
        {"variant", s->variant->name},
        {"block", block},
        {"unroll", s->settings.is_unrolled ? "on" : "off"},
        {"device", d->name},
        {"driver", d->driver},
        {"picture", picture},
        {"size", size},
        {STATE_KEY, state},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
        image_texts_add(texts, fixed[i].key, fixed[i].text);
    for (int i = 0; i < s->filter->param_count; i++) {
        filter_write_value(&s->filter->params[i], s->settings.params.v[i], value);
        image_texts_add(texts, s->filter->params[i].name, value);
    }
    g_free(picture);
    g_free(state);
}
