#include "app/state.h"

#include <glib.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "app/input.h"
#include "base/rows.h"
#include "base/text.h"
#include "filter/axis.h"
#include "screen/overlay.h"

// To add a number: its name, its place in struct app (a double), its limits.
static const struct number {
    const char *name;
    size_t offset;
    double min, max;
} numbers[] = {
    {"divider", offsetof(struct app, divider), 0, 1},
    {"text_scale", offsetof(struct app, text_scale), OVERLAY_MIN_SCALE, OVERLAY_MAX_SCALE},
    {"zoom", offsetof(struct app, viewport.zoom), 0, 1e6},
    {"center_x", offsetof(struct app, viewport.x), -1, 1},
    {"center_y", offsetof(struct app, viewport.y), -1, 1},
    {"source_line", offsetof(struct app, scrolls[APP_A].first), 0, 1e6},
    {"source_line_b", offsetof(struct app, scrolls[APP_B].first), 0, 1e6}};

static double *number_of(struct app *a, const struct number *n)
{
    return (double *)(void *)((char *)a + n->offset);
}

void state_picture_finish(struct state_picture *picture)
{
    g_free(picture->name);
    g_free(picture->sha256);
    g_free(picture->times);
    *picture = (struct state_picture){0};
}

// ---- writing ----

static cJSON *write_side(const struct app *a, int index)
{
    const struct app_side *side = &a->sides[index];
    const struct filter *f = &a->filters->filters[side->filter];
    const struct app_choice *choice = &side->choices[side->filter];
    const int block[] = {choice->settings.block_width, choice->settings.block_height};
    cJSON *json = cJSON_CreateObject(), *params = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "filter", f->name);
    cJSON_AddStringToObject(json, "variant", f->variants[choice->variant].name);
    for (int i = 0; i < f->param_count; i++) {
        const struct param *p = &f->params[i];
        const double value = choice->settings.params.v[i];
        if (p->name_count)
            cJSON_AddStringToObject(params, p->name, p->names[(int)value]);
        else
            cJSON_AddNumberToObject(params, p->name, value);
    }
    cJSON_AddItemToObject(json, "params", params);
    cJSON_AddItemToObject(json, "block",
                          block[0] > 0 ? cJSON_CreateIntArray(block, 2) : cJSON_CreateNull());
    cJSON_AddBoolToObject(json, "unroll", choice->settings.is_unrolled);
    const int axis = app_axis(a, index);
    if (axis != axis_find(f, NULL))
        cJSON_AddStringToObject(json, "sweep_axis", f->params[axis].name);
    if (app_array(a, index) >= 0) cJSON_AddStringToObject(json, "array", choice->array);
    return json;
}

// JSON is UTF-8. Another name is written with escapes, behind a prefix.
#define ESCAPED "bytes:"

// The pinned baseline, but for its time.
static const char baseline_members[] =
    "filter%s variant%s params%s block%s size%s device%s samples%d";

cJSON *state_json(const struct app *a, const struct state_picture *picture)
{
    struct app copy = *a;  // the tables' places are writable
    int switches = 0;
    cJSON *json = cJSON_CreateObject(), *sides = cJSON_CreateArray();
    cJSON_AddNumberToObject(json, "format", STATE_FORMAT);
    cJSON_AddStringToObject(json, "program", TILESCOPE_VERSION);
    if (picture->name) {
        g_autofree char *name = g_path_get_basename(picture->name), *text = g_strdup(name);
        if (!g_utf8_validate(name, -1, NULL) || g_str_has_prefix(name, ESCAPED)) {
            g_autofree char *escaped = g_uri_escape_bytes((const guint8 *)name, strlen(name), NULL);
            g_free(text);
            text = g_strconcat(ESCAPED, escaped, NULL);
        }
        cJSON_AddStringToObject(json, "picture", text);
        if (picture->sha256) cJSON_AddStringToObject(json, "sha256", picture->sha256);
    }
    cJSON_AddBoolToObject(json, "grey", picture->is_grey);
    if (picture->times && g_utf8_validate(picture->times, -1, NULL))
        cJSON_AddStringToObject(json, "times", picture->times);
    for (int i = 0; i < app_sides(a); i++) cJSON_AddItemToArray(sides, write_side(a, i));
    cJSON_AddItemToObject(json, "sides", sides);
    const struct baseline *b = &a->baseline;
    if (b->ms.count) {
        const double ms[] = {b->ms.median, b->ms.lower, b->ms.upper};
        cJSON *pinned = cJSON_AddObjectToObject(json, "baseline");
        rows_add_members(pinned, baseline_members, b->filter, b->variant, b->params, b->block,
                         b->size, b->device, b->ms.count);
        cJSON_AddItemToObject(pinned, "ms", cJSON_CreateDoubleArray(ms, G_N_ELEMENTS(ms)));
    }
    cJSON_AddNumberToObject(json, "side", a->is_comparing ? a->side : APP_A);
    for (const char *name; (name = input_switch_name(switches)); switches++)
        cJSON_AddBoolToObject(json, name, *input_switch(&copy, name));
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        cJSON_AddNumberToObject(json, numbers[i].name, *number_of(&copy, &numbers[i]));
    return json;
}

char *state_write(const struct app *a, const struct state_picture *picture)
{
    cJSON *json = state_json(a, picture);
    char *text = cJSON_PrintUnformatted(json), *copy = g_strdup(text);
    cJSON_free(text);
    cJSON_Delete(json);
    return copy;
}

// ---- reading ----

// A state that is being read, and the first error.
struct state_reader {
    struct app app;
    struct state_picture picture;
    struct error *err;  // without the file's name
};

// A word of the file, fit for a message of one line.
static const char *tame(const char *word, char *text, size_t size)
{
    g_strlcpy(text, word, size);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    text_copy(text, size, valid);
    return text;
}

static bool refuse_unknown(const struct state_reader *r, const char *what, const char *name)
{
    char text[64];
    return error_set(r->err, "was made with %s '%s', which this build does not have", what,
                     tame(name, text, sizeof text));
}

static bool refuse_kind(const struct state_reader *r, const char *name, const char *wanted)
{
    return error_set(r->err, "cannot be restored: %s is not %s", name, wanted);
}

static const cJSON *item_of(const cJSON *json, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(json, name);
}

static const char *text_of(const cJSON *json, const char *name)
{
    return cJSON_GetStringValue(item_of(json, name));
}

static bool read_params(const struct state_reader *r, const struct filter *f,
                        struct param_values *values, const cJSON *json)
{
    char text[64];
    if (json && !cJSON_IsObject(json)) return refuse_kind(r, "'params'", "an object");
    *values = filter_defaults(f);
    for (const cJSON *item = json ? json->child : NULL; item; item = item->next) {
        const int index = filter_param(f, item->string);
        if (index < 0) return refuse_unknown(r, "param", item->string);
        const struct param *p = &f->params[index];
        const bool has_names = p->name_count > 0;
        if (has_names ? !cJSON_IsString(item) : !cJSON_IsNumber(item))
            return refuse_kind(r, p->name, has_names ? "a name" : "a number");
        if (!has_names)
            values->v[index] = item->valuedouble;
        else if (!filter_read_value(p, tame(item->valuestring, text, sizeof text),
                                    &values->v[index], r->err))
            return error_prefix(r->err, "cannot be restored: ");
    }
    return filter_check(f, values, r->err) || error_prefix(r->err, "cannot be restored: ");
}

static bool read_block(const struct state_reader *r, struct settings *s, const cJSON *json)
{
    double sides[2];
    if (!json || cJSON_IsNull(json)) return true;
    bool is_good = rows_read_list(json, sides, 2);
    for (int i = 0; is_good && i < 2; i++)
        is_good = sides[i] >= 1 && sides[i] <= 1 << 20 && floor(sides[i]) == sides[i];
    if (!is_good) return refuse_kind(r, "'block'", "a width and a height");
    s->block_width = (int)sides[0];
    s->block_height = (int)sides[1];
    return true;
}

static bool read_bool(const struct state_reader *r, const cJSON *item, bool *value)
{
    char text[64];
    if (!cJSON_IsBool(item))
        return error_set(r->err, "cannot be restored: '%s' is not true or false",
                         tame(item->string, text, sizeof text));
    *value = cJSON_IsTrue(item);
    return true;
}

static bool read_axis(const struct state_reader *r, const struct filter *f, char *axis,
                      const cJSON *json)
{
    if (!json) return true;
    const char *name = cJSON_GetStringValue(json);
    const int index = name ? filter_param(f, name) : -1;
    if (name && index < 0) return refuse_unknown(r, "param", name);
    if (!axis_can_be(f, index)) return refuse_kind(r, "'sweep_axis'", "a param of whole numbers");
    g_strlcpy(axis, name, FILTER_NAME);
    return true;
}

static bool read_side(struct state_reader *r, int index, const cJSON *json)
{
    static const char *const known[] = {"filter", "variant",    "params", "block",
                                        "unroll", "sweep_axis", "array",  NULL};
    struct app_side *side = &r->app.sides[index];
    const char *filter = text_of(json, "filter"), *variant = text_of(json, "variant");
    const cJSON *unroll = item_of(json, "unroll");
    struct app_choice choice = {.variant = 0};
    struct settings *settings = &choice.settings;
    if (!filter || !variant) return refuse_kind(r, "a side", "a filter and its variant");
    for (const cJSON *item = json->child; item; item = item->next)
        if (!g_strv_contains(known, item->string))
            return refuse_unknown(r, "setting", item->string);
    const struct filter *f = filter_find(r->app.filters, filter);
    if (!f || f - r->app.filters->filters >= APP_MAX_FILTERS)
        return refuse_unknown(r, "filter", filter);
    const struct variant *v = filter_variant(f, variant);
    if (!v) return refuse_unknown(r, "variant", variant);
    if (!read_params(r, f, &settings->params, item_of(json, "params")) ||
        !read_block(r, settings, item_of(json, "block")) ||
        !read_axis(r, f, choice.axis, item_of(json, "sweep_axis")) ||
        (unroll && !read_bool(r, unroll, &settings->is_unrolled)))
        return false;
    const cJSON *array = item_of(json, "array");
    const char *name = cJSON_GetStringValue(array);
    if (array && !name) return refuse_kind(r, "'array'", "a text");
    if (name && arrays_find(f, name) < 0) return refuse_unknown(r, "array", name);
    if (name) g_strlcpy(choice.array, name, ARRAYS_NAME);
    if (settings->is_unrolled && !filter_can_unroll(f))
        return error_set(r->err, "cannot be restored: %s has no whole number to unroll", f->name);
    side->filter = (int)(f - r->app.filters->filters);
    choice.variant = (int)(v - f->variants);
    side->choices[side->filter] = choice;
    return true;
}

// ---- one function for each name that is not in a table of numbers or switches ----

static bool read_sides(struct state_reader *r, const cJSON *json)
{
    const int count = cJSON_IsArray(json) ? cJSON_GetArraySize(json) : 0;
    if (count < 1 || count > APP_SIDES) return refuse_kind(r, "'sides'", "a list of one or two");
    for (int i = 0; i < count; i++)
        if (!read_side(r, i, cJSON_GetArrayItem(json, i))) return false;
    r->app.has_compared = count == APP_SIDES;
    return true;
}

static bool read_acting_side(struct state_reader *r, const cJSON *json)
{
    if (!cJSON_IsNumber(json) || (json->valuedouble != APP_A && json->valuedouble != APP_B))
        return refuse_kind(r, "'side'", "0 or 1");
    r->app.side = json->valueint;
    return true;
}

// Only the name is read: no file may tell where to look.
static bool read_picture(struct state_reader *r, const cJSON *json)
{
    const char *text = cJSON_GetStringValue(json);
    if (!text) return refuse_kind(r, "'picture'", "a text");
    g_autofree char *whole = g_str_has_prefix(text, ESCAPED)
                                 ? g_uri_unescape_string(text + strlen(ESCAPED), NULL)
                                 : g_strdup(text);
    g_free(r->picture.name);
    r->picture.name = whole && *whole ? g_path_get_basename(whole) : NULL;
    return r->picture.name || refuse_kind(r, "'picture'", "a file");
}

static bool read_sha256(struct state_reader *r, const cJSON *json)
{
    const char *text = cJSON_GetStringValue(json);
    if (!text || strlen(text) != 64 || strspn(text, "0123456789abcdef") != 64)
        return refuse_kind(r, "'sha256'", "64 hex digits");
    g_free(r->picture.sha256);
    r->picture.sha256 = g_strdup(text);
    return true;
}

static bool read_whose_times(struct state_reader *r, const cJSON *json)
{
    const char *text = cJSON_GetStringValue(json);
    if (!text) return refuse_kind(r, "'times'", "a text");
    g_free(r->picture.times);
    r->picture.times = g_strdup(text);
    return true;
}

// Only words to be shown and compared: they need not be of a filter that there is.
static bool read_baseline(struct state_reader *r, const cJSON *json)
{
    struct baseline b = {.ms.count = 0};
    double found[3];
    const bool is_read =
        rows_has_members(json, baseline_members) &&
        !rows_read_members(json, baseline_members, b.filter, sizeof b.filter, b.variant,
                           sizeof b.variant, b.params, sizeof b.params, b.block, sizeof b.block,
                           b.size, sizeof b.size, b.device, sizeof b.device, &b.ms.count) &&
        b.ms.count >= 1 && b.ms.count <= 1e6 && rows_read_list(item_of(json, "ms"), found, 3) &&
        found[1] > 0 && found[1] <= found[0] && found[0] <= found[2] && found[2] < 1e9;
    if (!is_read) return refuse_kind(r, "'baseline'", "a result with its time");
    b.ms = (struct stats_summary){b.ms.count, found[0], found[1], found[2]};
    r->app.baseline = b;
    return true;
}

static const struct {
    const char *name;
    bool (*read)(struct state_reader *r, const cJSON *json);  // NULL: it is not needed
} parts[] = {{"format", NULL},        {"program", NULL},           {"facts", NULL},
             {"serial", NULL},        {"presses", NULL},           {"notes", NULL},
             {"sides", read_sides},   {"side", read_acting_side},  {"picture", read_picture},
             {"sha256", read_sha256}, {"baseline", read_baseline}, {"times", read_whose_times}};

static bool read_item(struct state_reader *r, const cJSON *item)
{
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (!strcmp(parts[i].name, item->string)) return !parts[i].read || parts[i].read(r, item);
    const bool is_grey = !strcmp(item->string, "grey");
    bool *on = is_grey ? &r->picture.is_grey : input_switch(&r->app, item->string);
    if (on) return read_bool(r, item, on);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        const struct number *n = &numbers[i];
        if (strcmp(n->name, item->string) != 0) continue;
        if (!cJSON_IsNumber(item)) return refuse_kind(r, n->name, "a number");
        *number_of(&r->app, n) = item->valuedouble;
        return (item->valuedouble >= n->min && item->valuedouble <= n->max) ||
               error_set(r->err, "cannot be restored: %s %g is outside [%g, %g]", n->name,
                         item->valuedouble, n->min, n->max);
    }
    return refuse_unknown(r, "setting", item->string);
}

static bool read_json(struct state_reader *r, const cJSON *json)
{
    char program[64];
    const cJSON *format = item_of(json, "format");
    const char *made_by = text_of(json, "program");
    if (!cJSON_IsObject(json) || !cJSON_IsNumber(format))
        return error_set(r->err, "cannot be restored: its settings are not readable");
    if (format->valuedouble != STATE_FORMAT)
        return error_set(r->err,
                         "was made by Tilescope %s with settings of format %g; this build reads "
                         "format %d",
                         made_by ? tame(made_by, program, sizeof program) : "(unknown version)",
                         format->valuedouble, STATE_FORMAT);
    if (!item_of(json, "sides")) return refuse_kind(r, "'sides'", "a list of one or two");
    for (const cJSON *item = json->child; item; item = item->next)
        if (!read_item(r, item)) return false;
    if (r->app.is_comparing != r->app.has_compared)
        return refuse_kind(r, "'sides'", r->app.is_comparing ? "a list of two" : "a list of one");
    if (r->app.side == APP_B && !r->app.is_comparing) return refuse_kind(r, "'side'", "0");
    return true;
}

bool state_read(struct app *a, struct state_picture *picture, const char *text, const char *source,
                struct error *err)
{
    struct state_reader r = {.app = *a, .err = err};
    const size_t size = strnlen(text, STATE_MAX_BYTES + 1);
    cJSON *json = size <= STATE_MAX_BYTES ? cJSON_Parse(text) : NULL;
    const bool is_read = read_json(&r, json);
    cJSON_Delete(json);
    if (!is_read) {
        state_picture_finish(&r.picture);
        return error_prefix(err, "'%s' ", source);
    }
    *a = r.app;
    a->is_used = true;
    *picture = r.picture;
    return true;
}

char *state_find(const char *path, struct error *err)
{
    OWNED(image_texts_finish) struct image_texts texts = {0};
    if (!image_read_texts(&texts, path, err)) return NULL;
    g_autofree char *name = g_filename_display_name(path);
    char *const settings = g_strdup(image_find_text(&texts, STATE_KEY));
    if (!settings) error_set(err, "'%s' carries no settings of Tilescope", name);
    return settings;
}

bool state_load(struct app *a, struct state_picture *picture, const char *path, struct error *err)
{
    g_autofree char *text = state_find(path, err), *name = g_filename_display_name(path);
    return text && state_read(a, picture, text, name, err);
}

// ---- the picture ----

char *state_find_picture(const struct state_picture *picture, const char *shot, const char *samples,
                         struct error *err)
{
    g_autofree char *beside = g_path_get_dirname(shot);
    char *found = NULL;
    const char *const folders[] = {beside, ".", samples};
    bool is_same = false;
    for (size_t i = 0; i < G_N_ELEMENTS(folders) && !is_same; i++) {
        g_autofree char *path = g_build_filename(folders[i], picture->name, NULL);
        const bool is_there = g_file_test(path, G_FILE_TEST_IS_REGULAR);
        g_autofree char *sum = is_there && picture->sha256 ? image_checksum(path) : NULL;
        is_same = is_there && !g_strcmp0(sum, picture->sha256);
        if (is_same || (is_there && !found)) {
            g_free(found);
            found = g_steal_pointer(&path);
        }
    }
    g_autofree char *name = g_filename_display_name(picture->name),
                    *whose = g_filename_display_name(shot);
    if (!found)
        error_set(err, "'%s' was made of '%s', which is neither beside it nor here: name a picture",
                  whose, name);
    else if (!is_same)
        error_set(err, "'%s' is not the picture that '%s' was made of: it has changed", name,
                  whose);
    return found;
}
