#include "viewer/viewer.h"

#include <assert.h>
#include <string.h>

#include "base/rows.h"
#include "base/signals.h"
#include "base/text.h"

enum { NOTES = 16 };  // that are kept for dumps

static const double FRAME_LIMIT_MS = 8;         // a turn waits this long for the device,
static const double AWAITED_LIMIT_MS = 1;       // and this long while something else is awaited
static const gint64 CAPTION_EVERY_US = 200000;  // numbers that change faster cannot be read

void viewer_note(struct viewer *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    text_copy(v->notes.text, sizeof v->notes.text, text);
    // The serial is that of the first dump that has it.
    rows_add_members(rows_add_object(v->notes.last), "serial%d text%s", (int)v->notes.dumps + 1,
                     v->notes.text);
    if (cJSON_GetArraySize(v->notes.last) > NOTES) cJSON_DeleteItemFromArray(v->notes.last, 0);
    v->notes.since_us = g_get_monotonic_time();
    v->notes.is_over = false;
    v->screen.needs_words = true;
}

bool viewer_has_note(const struct viewer *v)
{
    return v->notes.text[0] && !v->notes.is_over;
}

void viewer_end_note(struct viewer *v)
{
    v->notes.is_over = true;
    v->app.is_leaving = false;
    v->screen.needs_words = true;
}

struct viewport_sizes viewer_sizes(const struct viewer *v)
{
    struct viewport_sizes sizes = {0};
    const struct planes picture = display_shape(v->screen.display);
    window_size(v->screen.window, &sizes.window_width, &sizes.window_height);
    sizes.picture_width = picture.width;
    sizes.picture_height = picture.height;
    const struct paint_box room = overlay_room(v->screen.overlay);
    sizes.left = room.left;
    sizes.top = room.top;
    sizes.right = sizes.window_width - room.left - room.width;
    sizes.bottom = sizes.window_height - room.top - room.height;
    return sizes;
}

struct paint_box viewer_place(const struct viewer *v, double *across, double *down)
{
    const struct viewport_sizes sizes = viewer_sizes(v);
    const struct paint_box place = viewport_place(v->app.viewport, sizes);
    *across = place.width / sizes.picture_width;
    *down = place.height / sizes.picture_height;
    return place;
}

// ---- requests and choices ----

int viewer_take(struct viewer *v, enum input_request request)
{
    const int count = v->input.asked[request];
    v->input.asked[request] = 0;
    return count;
}

bool viewer_has_request(const struct viewer *v)
{
    for (int i = INPUT_NOTHING + 1; i < INPUT_REQUESTS; i++)
        if (v->input.asked[i]) return true;
    return false;
}

// The array that a side shows; -1: none was chosen.
static int array_of(const struct viewer *v, int side)
{
    return v->overrides[side].shows_input ? arrays_first(viewer_choice(v, side).filter, ARRAY_IN)
                                          : app_array(&v->app, side);
}

struct choice viewer_choice(const struct viewer *v, int side)
{
    const struct choice *other = &v->overrides[side].choice;
    return other->filter ? *other : app_chosen(&v->app, side);
}

struct viewer_subject viewer_subject_of(const struct viewer *v)
{
    struct viewer_subject s = {.is_pair = v->app.is_comparing,
                               .is_frozen = v->app.is_frozen,
                               .side = v->app.side,
                               .picture_version = v->pictures.version,
                               .times = results_recording(v->stage->host.results)};
    for (int i = 0; i < APP_SIDES; i++) {
        s.choices[i] = app_chosen(&v->app, i);
        s.arrays[i] = app_array(&v->app, i);
    }
    return s;
}

bool viewer_has_subject(const struct viewer *v, const struct viewer_subject *s)
{
    const struct viewer_subject now = viewer_subject_of(v);
    bool is_same = now.is_pair == s->is_pair && now.is_frozen == s->is_frozen &&
                   now.picture_version == s->picture_version && now.times == s->times &&
                   (s->is_pair || now.side == s->side);
    for (int i = 0; i < APP_SIDES; i++)
        if (s->is_pair || i == s->side)
            is_same &=
                choice_is_same(&now.choices[i], &s->choices[i]) && now.arrays[i] == s->arrays[i];
    return is_same;
}

// ---- the facts of a turn ----

// Asks first what is settled, so that a check that ends meanwhile is in the facts.
static void find_facts(struct viewer *v)
{
    struct viewer_turn *now = &v->now;
    int done, wanted;
    now->sides = app_sides(&v->app);
    now->is_settled = stage_is_settled(v->stage);
    results_progress(v->stage->host.results, &done, &wanted);
    now->is_measured = done == wanted;
    now->pair =
        (struct caption_pair){.active = v->app.side, .is_difference_shown = v->app.has_difference};
    for (int i = 0; i < now->sides; i++) {
        struct pane_facts *facts = &now->pair.sides[i];
        const bool is_reduced =
            v->extent.is_reduced && filter_has_picture(viewer_choice(v, i).filter);
        const struct planes whole =
            is_reduced ? planes_at(v->pictures.whole.planes, NULL) : (struct planes){.width = 0};
        *facts = (struct pane_facts){.choice = viewer_choice(v, i),
                                     .picture_name = v->pictures.name,
                                     .whole = whole,
                                     .baseline = &v->app.baseline,
                                     .is_frozen = v->app.is_frozen,
                                     .vsync = window_vsync_name(v->screen.vsync)};
        facts->array = arrays_shown(&facts->choice, array_of(v, i));
        pane_facts(&v->stage->panes[i], facts);
        facts->lacks_gpu = facts->path == INTEROP_CPU && *v->stage->chosen.reasons;
    }
    now->pair.is_difference_known = stage_difference(v->stage, &now->pair.difference);
}

const struct pane_facts *viewer_facts(const struct viewer *v, int side)
{
    assert(v->now.sides);
    return &v->now.pair.sides[MIN(side, v->now.sides - 1)];
}

bool viewer_is_of_pictures(const struct viewer *v)
{
    bool are_all = true;
    for (int i = 0; i < app_sides(&v->app); i++)
        are_all &= filter_has_picture(viewer_choice(v, i).filter);
    return are_all;
}

bool viewer_shows_chosen(const struct viewer *v)
{
    if (v->now.sides != app_sides(&v->app)) return false;
    for (int i = 0; i < v->now.sides; i++) {
        const struct pane_facts *now = viewer_facts(v, i);
        const struct choice chosen = app_chosen(&v->app, i);
        if (!choice_is_same(&now->choice, &chosen) ||
            now->array != arrays_shown(&chosen, app_array(&v->app, i)))
            return false;
    }
    return true;
}

bool viewer_is_settled(const struct viewer *v)
{
    if (!v->now.is_settled || v->now.sides != app_sides(&v->app) || v->extent.is_due) return false;
    for (int i = 0; i < v->now.sides; i++) {
        const struct choice choice = viewer_choice(v, i);
        if (!choice_is_same(&choice, &v->now.pair.sides[i].choice)) return false;
    }
    return true;
}

// ---- words ----

void viewer_set_message(struct viewer *v, enum overlay_tone tone, const char *text)
{
    struct overlay_content *c = &v->screen.content;
    if (c->message[0]) return;
    text_copy(c->message, sizeof c->message, text);
    c->tone = tone;
}

static void write_content(struct viewer *v)
{
    struct overlay_content *c = &v->screen.content;
    const char *reasons = v->stage->chosen.reasons;
    char text[4096];
    c->message[0] = c->caption[0] = '\0';
    c->is_first = !v->app.is_used && !v->app.has_tour;
    viewer_write_pointer(v);
    if (v->now.sides == 1)
        caption_write(c, &v->now.pair.sides[0]);
    else
        caption_write_pair(c, &v->now.pair);
    // Why this is not the best path of all, in a line. Without a GPU there is no other.
    if (*reasons && !viewer_facts(v, 0)->lacks_gpu)
        overlay_add_status(c, "%.*s", (int)strcspn(reasons, "\n"), reasons);
    jobs_step(v->jobs, JOB_WRITES, v);
    for (int i = 0; i < v->now.sides; i++) {  // while two are compared it says whose trouble it is
        static const char *const names[] = {"A: ", "B: "};
        const struct trouble *trouble = &v->stage->panes[i].trouble;
        g_snprintf(text, sizeof text, "%s%s", v->now.sides > 1 ? names[i] : "", trouble->text);
        if (trouble->kind)
            viewer_set_message(
                v, trouble->kind == TROUBLE_BROKEN ? OVERLAY_BROKEN : OVERLAY_REFUSED, text);
    }
    viewer_set_message(v, OVERLAY_NOTE, viewer_has_note(v) ? v->notes.text : "");
    for (int i = 0; i < v->now.sides; i++) {  // on a CPU, whose blocks are seen to end
        const struct pane_facts *f = viewer_facts(v, i);
        g_snprintf(text, sizeof text, "%s %s is still running (%.0f s): large %s are slow on a CPU",
                   f->choice.filter->name, f->choice.variant->name, f->running_s,
                   filter_has_picture(f->choice.filter) ? "pictures" : "arrays");
        if (f->running_s > 0) viewer_set_message(v, OVERLAY_NOTE, text);
    }
    c->is_hidden = v->app.is_bare;
    c->is_light = v->app.is_light;
    c->scale = v->app.text_scale;
    v->screen.written = v->now;
    v->screen.written_us = g_get_monotonic_time();
    v->screen.needs_words = false;
}

// ---- the picture ----

void viewer_paint(struct viewer *v, bool has_overlay, bool is_new)
{
    const struct app *a = &v->app;
    struct viewport_sizes sizes = viewer_sizes(v);
    const struct overlay_pixels pixels =
        has_overlay ? overlay_pixels(v->screen.overlay) : (struct overlay_pixels){0};
    if (!has_overlay) sizes.left = sizes.right = sizes.top = sizes.bottom = 0;
    struct display_scene scene = {.place = viewport_place(a->viewport, sizes),
                                  .grid = v->screen.grid,
                                  .has_values = viewer_is_of_pictures(v)};
    for (int i = 0; i < v->now.sides; i++) {
        const struct pane_facts *f = viewer_facts(v, i);
        scene.maps[i] = f->choice.filter->arrays[f->array].map;
    }
    if (a->is_comparing) {
        scene.mode = a->has_difference ? DISPLAY_DIFFERENCE : DISPLAY_SPLIT;
        scene.layer = a->is_flipped;
        scene.divider = a->divider * sizes.window_width;
        scene.divider_top = sizes.top;
        scene.divider_bottom = sizes.window_height - sizes.bottom;
        if (a->has_difference) scene.gain = caption_gain(&v->now.pair);
    }
    display_draw(v->screen.display, &scene, pixels, is_new, sizes.window_width,
                 sizes.window_height);
}

void viewer_draw(struct viewer *v)
{
    struct viewer_screen *s = &v->screen;
    const gint64 start = g_get_monotonic_time();
    if (!s->needs_draw && draw_pace_is_put_off(&s->pace, start)) {
        g_usleep(1000);
        return;
    }
    const struct viewport_sizes sizes = viewer_sizes(v);
    if (s->needs_words) write_content(v);
    s->content.pair.divider = v->app.is_comparing ? v->app.divider * sizes.window_width : 0;
    s->content.pair.is_flipped = v->app.is_comparing && v->app.is_flipped;
    const bool is_new =
        overlay_update(v->screen.overlay, &s->content, sizes.window_width, sizes.window_height);
    v->app.help_pages = overlay_help_pages(v->screen.overlay);
    const gint64 now = g_get_monotonic_time();
    const bool is_gpu = viewer_facts(v, 0)->device->is_gpu;
    if (!is_new && !s->needs_draw && !draw_pace_is_due(&s->pace, is_gpu, now)) {
        // A choice that is settled needs few frames more: the processor rests for as long as one of
        // a display takes.
        g_usleep(!v->now.is_settled || !v->now.is_measured || s->pace.awaited_us ? 1000 : 16000);
        return;
    }
    viewer_paint(v, true, is_new);
    jobs_step(v->jobs, JOB_DRAWN, v);
    window_swap(v->screen.window);
    s->needs_draw = false;
    draw_pace_drawn(&s->pace, start, g_get_monotonic_time());
}

// ---- the loop ----

static void turn(struct viewer *v)
{
    jobs_step(v->jobs, JOB_PRESSES, v);
    if (v->input.is_closing) return;
    jobs_step(v->jobs, JOB_FOLLOWS, v);
    struct choice choices[STAGE_PANES];
    for (int i = 0; i < STAGE_PANES; i++) {
        choices[i] = viewer_choice(v, i);
        v->stage->panes[i].array = array_of(v, i);
    }
    const double limit_ms = v->screen.pace.awaited_us ? AWAITED_LIMIT_MS : FRAME_LIMIT_MS;
    if (stage_step(v->stage, choices, v->app.is_frozen, limit_ms))
        draw_pace_add(&v->screen.pace,
                      (unsigned[]){v->stage->panes[0].shown, v->stage->panes[1].shown});
    find_facts(v);
    jobs_step(v->jobs, JOB_SHOWS, v);
    const gint64 now = g_get_monotonic_time();
    if (viewer_has_note(v) && now - v->notes.since_us > text_reading_us(v->notes.text))
        viewer_end_note(v);
    // The words on the screen are old if they say something else than this turn's facts.
    const struct viewer_turn *told = &v->screen.written, *facts = &v->now;
    bool is_new = told->sides != facts->sides || told->is_settled != facts->is_settled ||
                  told->is_measured != facts->is_measured ||
                  told->pair.is_difference_known != facts->pair.is_difference_known;
    for (int i = 0; i < facts->sides; i++)
        is_new |= caption_is_news(&told->pair.sides[i], &facts->pair.sides[i]);
    v->screen.needs_words |= is_new || now - v->screen.written_us > CAPTION_EVERY_US;
    if (window_is_visible(v->screen.window))
        viewer_draw(v);
    else
        g_usleep(10000);
    jobs_step(v->jobs, JOB_TELLS, v);
}

void viewer_loop(struct viewer *v)
{
    v->notes.since_us =
        g_get_monotonic_time();  // what was noted before is shown for its whole time
    while (!v->input.is_closing && !signals_came()) {
        window_poll(v->screen.window);
        if (!v->input.is_closing) turn(v);
    }
    jobs_step(v->jobs, JOB_ENDS, v);
}
