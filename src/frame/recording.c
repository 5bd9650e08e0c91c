#include "frame/recording.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "base/data.h"
#include "base/file.h"
#include "base/rows.h"
#include "base/text.h"
#include "device/headers.h"
#include "filter/kernel_text.h"
#include "filter/launch.h"

#define ENDING ".json.gz"  // of those that the program comes with

enum {
    MAX_TIMES = 65536,
    USUAL_COUNT = 31,  // of a benchmark's samples (bench.h); a file writes only other ones
};

// A clock's step, and far more than a day: figures that are made of others could overflow.
static const double LEAST_MS = 1e-6, MOST_MS = 1e9;

// ---- names ----

static char *name_variant(const struct filter *f, const struct variant *v)
{
    return g_strconcat(f->name, "/", v->name, NULL);
}

// A name has all of the params, or two choices would share a time. A file groups names by what
// stands before the first blank: filter and variant. The copy of a lab's arrays has its filter
// alone, and that of a picture has words where a lab called copy has params. The caller frees it.
static char *name_choice(const struct choice *point)
{
    const struct choice c = choice_normal(point);
    if (!c.filter) return g_strdup("copy of a picture");
    GString *name = g_string_new(c.filter->name);
    if (c.variant)
        g_string_append_printf(name, "/%s %s%s", c.variant->name,
                               launch_write_block(c.variant, &c.settings).text,
                               c.settings.is_unrolled ? " unrolled" : "");
    const struct params_text params = filter_write_params(c.filter, &c.settings.params);
    if (*params.text || !c.variant) g_string_append_printf(name, " %s", params.text);
    return g_string_free(name, FALSE);
}

// The key of the variant's text as it is now; the recording keeps it.
static const char *present_text(struct recording *r, const struct filter *f,
                                const struct variant *v)
{
    char *key = g_hash_table_lookup(r->known, v);
    struct headers headers = {0};
    if (key) return key;
    if (headers_load(&headers, r->headers, NULL)) headers_add_users(&headers, f->path, f->source);
    key = kernel_text_key(f, v, &headers);
    headers_finish(&headers);
    g_hash_table_insert(r->known, (gpointer)v, key);
    return key;
}

// ---- life ----

static struct recording *make(const char *headers)
{
    struct recording *r = g_new0(struct recording, 1);
    r->headers = g_strdup(headers);
    r->times = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    r->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    r->known = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    return r;
}

// Writes `about`, once device and date are known.
static void describe(struct recording *r)
{
    g_autoptr(GDateTime) date = g_date_time_new_from_iso8601(r->date, NULL);
    g_autofree char *day = date ? g_date_time_format(date, "%-d %b %Y") : g_strdup(r->date);
    text_append(r->about, sizeof r->about, "%s, recorded %s", r->device.name, day);
}

struct recording *recording_create(const struct device *device, struct planes picture,
                                   const char *date, const char *headers)
{
    struct recording *r = make(headers);
    r->device = *device;
    r->picture = planes_at(picture, NULL);
    g_strlcpy(r->date, date, sizeof r->date);
    describe(r);
    return r;
}

void recording_destroy(struct recording *r)
{
    if (!r) return;
    g_hash_table_destroy(r->times);
    g_hash_table_destroy(r->texts);
    g_hash_table_destroy(r->known);
    g_free(r->headers);
    g_free(r);
}

// ---- times ----

static enum recording_state find_text(struct recording *r, const struct filter *f,
                                      const struct variant *v)
{
    g_autofree char *name = name_variant(f, v);
    const char *const text = g_hash_table_lookup(r->texts, name);
    if (!text) return RECORDING_LACKS;
    return strcmp(text, present_text(r, f, v)) ? RECORDING_EDITED : RECORDING_FOUND;
}

enum recording_state recording_find(struct recording *r, const struct choice *point,
                                    struct stats_summary *ms)
{
    g_autofree char *name = name_choice(point);
    const struct filter *const f = point->filter;
    enum recording_state state = f ? RECORDING_LACKS : RECORDING_FOUND;
    if (point->variant) state = find_text(r, f, point->variant);
    // A lab's copy moves its arrays. They are as recorded if the text of one variant is.
    for (int i = 0; f && !point->variant && i < f->variant_count && state != RECORDING_FOUND; i++) {
        const enum recording_state one = find_text(r, f, &f->variants[i]);
        if (one != RECORDING_LACKS) state = one;
    }
    if (state != RECORDING_FOUND) return state;
    const struct stats_summary *const found = g_hash_table_lookup(r->times, name);
    if (!found) return RECORDING_LACKS;
    *ms = *found;
    return RECORDING_FOUND;
}

bool recording_has_filter(const struct recording *r, const struct filter *f)
{
    bool is_known = false;
    for (int i = 0; i < f->variant_count; i++) {
        g_autofree char *name = name_variant(f, &f->variants[i]);
        is_known |= g_hash_table_contains(r->texts, name);
    }
    return is_known;
}

void recording_forget_texts(struct recording *r)
{
    g_hash_table_remove_all(r->known);
}

static gboolean is_of_variant(gpointer name, gpointer ms, gpointer variant)
{
    (void)ms;
    return g_str_has_prefix(name, variant) && ((char *)name)[strlen(variant)] == ' ';
}

void recording_add(struct recording *r, const struct choice *point, struct stats_summary ms)
{
    if (point->variant) {
        char *const variant = name_variant(point->filter, point->variant);
        char *const text = g_strdup(present_text(r, point->filter, point->variant));
        if (g_strcmp0(g_hash_table_lookup(r->texts, variant), text) != 0)
            g_hash_table_foreach_remove(r->times, is_of_variant, variant);
        g_hash_table_replace(r->texts, variant, text);
    }
    g_hash_table_replace(r->times, name_choice(point), g_memdup2(&ms, sizeof ms));
}

// ---- files ----

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **recording_installed(void)
{
    g_autofree char *assets = data_path("assets"), *folder = g_build_filename(assets, "runs", NULL);
    GPtrArray *paths = g_ptr_array_new();
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, ENDING))
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    if (dir) g_dir_close(dir);
    g_ptr_array_sort(paths, compare_names);
    g_ptr_array_add(paths, NULL);
    return (char **)g_ptr_array_free(paths, FALSE);
}

char *recording_name(const char *path)
{
    char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, ENDING)) name[strlen(name) - strlen(ENDING)] = '\0';
    return name;
}

char *recording_find_shown(const char *word, struct error *err)
{
    g_auto(GStrv) paths = recording_installed();
    g_autoptr(GString) names = g_string_new(NULL);
    err->text[0] = '\0';
    if (!word) return g_strdup(paths[0]);
    if (!strcmp(word, "off")) return NULL;
    for (char **path = paths; *path; path++) {
        g_autofree char *name = recording_name(*path);
        if (!strcmp(name, word)) return g_strdup(*path);
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
    }
    if (strpbrk(word, "./") || g_file_test(word, G_FILE_TEST_EXISTS)) return g_strdup(word);
    error_set(err, "no times are recorded under the name '%s'; known are %s%soff, and files", word,
              names->str, names->len ? ", " : "");
    return NULL;
}

static const char device_members[] =
    "name%s arch%s driver%s is_gpu%i multiprocessors%d clock_mhz%d max_threads%d max_block_width%d "
    "max_block_height%d max_grid_width%d max_grid_height%d max_shared_bytes%g memory_bytes%g "
    "l2_bytes%g";

static GList *sorted(GHashTable *table)
{
    return g_list_sort(g_hash_table_get_keys(table), (GCompareFunc)strcmp);
}

// Rounds to four figures, which is more than the spread leaves.
static double rounded(double ms)
{
    char text[32];
    return g_ascii_strtod(g_ascii_formatd(text, sizeof text, "%.4g", ms), NULL);
}

bool recording_save(const struct recording *r, const char *path, struct error *err)
{
    cJSON *json = cJSON_CreateObject();
    rows_add_members(json, "tilescope%s date%s", TILESCOPE_VERSION, r->date);
    cJSON *device = cJSON_AddObjectToObject(json, "device");
    const struct device *d = &r->device;
    rows_add_members(device, device_members, d->name, d->arch, d->driver, d->is_gpu,
                     d->multiprocessors, d->clock_mhz, d->max_threads, d->max_block_width,
                     d->max_block_height, d->max_grid_width, d->max_grid_height,
                     (double)d->max_shared_bytes, (double)d->memory_bytes, (double)d->l2_bytes);
    cJSON *picture = cJSON_AddObjectToObject(json, "picture");
    rows_add_members(picture, "width%d height%d planes%d", r->picture.width, r->picture.height,
                     r->picture.count);
    cJSON *texts = cJSON_AddObjectToObject(json, "texts");
    g_autoptr(GList) variants = sorted(r->texts);
    for (const GList *name = variants; name; name = name->next)
        cJSON_AddStringToObject(texts, name->data, g_hash_table_lookup(r->texts, name->data));
    // Times of one variant are a group, so that its name is written once.
    cJSON *times = cJSON_AddObjectToObject(json, "cold_ms"), *group = NULL;
    g_autoptr(GList) choices = sorted(r->times);
    for (const GList *name = choices; name; name = name->next) {
        const struct stats_summary *const ms = g_hash_table_lookup(r->times, name->data);
        const double figures[] = {rounded(ms->median), rounded(ms->lower), rounded(ms->upper),
                                  ms->count};
        g_auto(GStrv) parts = g_strsplit(name->data, " ", 2);
        if (!group || strcmp(group->string, parts[0]) != 0)
            group = cJSON_AddObjectToObject(times, parts[0]);
        cJSON_AddItemToObject(group, parts[1],
                              cJSON_CreateDoubleArray(figures, ms->count == USUAL_COUNT ? 3 : 4));
    }
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    const bool is_saved = file_write(path, text, strlen(text), err);
    cJSON_free(text);
    return is_saved;
}

static bool read_device(const cJSON *json, struct device *d)
{
    double bytes[3];
    size_t *const places[] = {&d->max_shared_bytes, &d->memory_bytes, &d->l2_bytes};
    if (!rows_has_members(json, device_members) ||
        rows_read_members(json, device_members, d->name, sizeof d->name, d->arch, sizeof d->arch,
                          d->driver, sizeof d->driver, &d->is_gpu, &d->multiprocessors,
                          &d->clock_mhz, &d->max_threads, &d->max_block_width, &d->max_block_height,
                          &d->max_grid_width, &d->max_grid_height, &bytes[0], &bytes[1], &bytes[2]))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(bytes); i++) {
        if (bytes[i] < 0 || bytes[i] > 0x1p60 || bytes[i] != floor(bytes[i])) return false;
        *places[i] = (size_t)bytes[i];
    }
    return *d->name && d->max_threads;
}

static bool read_times(const cJSON *item, struct stats_summary *ms)
{
    double figures[4] = {[3] = USUAL_COUNT};
    const int size = cJSON_GetArraySize(item);
    if ((size != 3 && size != 4) || !rows_read_list(item, figures, size) ||
        !(figures[3] >= 1 && figures[3] <= G_MAXINT))
        return false;
    *ms = (struct stats_summary){(int)figures[3], figures[0], figures[1], figures[2]};
    return ms->lower >= LEAST_MS && ms->lower <= ms->median && ms->median <= ms->upper &&
           ms->upper <= MOST_MS;
}

// Reads the file's members; returns what is wrong with it, or NULL.
static const char *read_all(struct recording *r, const cJSON *json)
{
    const cJSON *const picture = cJSON_GetObjectItemCaseSensitive(json, "picture"),
                       *const texts = cJSON_GetObjectItemCaseSensitive(json, "texts"),
                       *const times = cJSON_GetObjectItemCaseSensitive(json, "cold_ms"), *group,
                       *item;
    struct stats_summary ms;
    int width, height, planes;
    if (!cJSON_IsObject(json)) return "it is not a JSON object";
    if (!cJSON_IsObject(texts) || !cJSON_IsObject(times)) return "it has no recorded times";
    if (rows_read_members(json, "date%s", r->date, sizeof r->date) || !*r->date)
        return "it has no date";
    if (!read_device(cJSON_GetObjectItemCaseSensitive(json, "device"), &r->device))
        return "its device is not described";
    if (rows_read_members(picture, "width%d height%d planes%d", &width, &height, &planes) ||
        !width || !height || MAX(width, height) > PLANES_MAX_SIDE || (planes != 1 && planes != 3))
        return "its picture has no size";
    r->picture = planes_shape(width, height, planes);
    if (cJSON_GetArraySize(texts) > MAX_TIMES) return "it has too many times";
    cJSON_ArrayForEach(item, texts)
    {
        if (!cJSON_IsString(item)) return "a kernel's text has no key";
        g_hash_table_replace(r->texts, g_strdup(item->string), g_strdup(item->valuestring));
    }
    cJSON_ArrayForEach(group, times) cJSON_ArrayForEach(item, group)
    {
        // An array's items have no names.
        if (!item->string || !read_times(item, &ms))
            return "a time has no quartiles around its median";
        if (g_hash_table_size(r->times) >= MAX_TIMES) return "it has too many times";
        g_hash_table_replace(r->times, g_strconcat(group->string, " ", item->string, NULL),
                             g_memdup2(&ms, sizeof ms));
    }
    return NULL;
}

struct recording *recording_load(const char *path, const char *headers, struct error *err)
{
    g_autofree char *text = file_read_text(path, err);
    if (!text) return NULL;
    struct recording *r = make(headers);
    cJSON *json = g_utf8_validate(text, -1, NULL) ? cJSON_Parse(text) : NULL;
    const char *const mistake = read_all(r, json);
    cJSON_Delete(json);
    if (!mistake) {
        describe(r);
        return r;
    }
    error_set(err, "'%s' holds no times that tilescope has recorded: %s", path, mistake);
    recording_destroy(r);
    return NULL;
}

struct recording *recording_open(const char *path, const char *headers, struct error *err)
{
    struct recording *r = recording_load(path, headers, err);
    if (!r || r->device.is_gpu) return r;
    error_set(err, "'%s' was recorded on a CPU: its times say nothing about a GPU", path);
    recording_destroy(r);
    return NULL;
}
