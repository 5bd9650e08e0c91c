#include "measure/bench_file.h"

#include <cjson/cJSON.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/terminal.h"
#include "base/text.h"

// Where the reader stands.
struct reader {
    const char *path;
    int row;  // from 1; 0: before the rows
    struct error *err;
};

static bool refuse(const struct reader *r, const char *what)
{
    if (r->row) return error_set(r->err, "'%s': row %d: %s", r->path, r->row, what);
    return error_set(r->err, "'%s' is not a benchmark of tilescope: %s", r->path, what);
}

static const cJSON *member(const cJSON *json, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(json, name);
}

// ---- values ----

// Takes a text, fit for a line of a table. False: it is something else; null and nothing are empty.
static bool read_text(const struct reader *r, const cJSON *item, char *text, size_t size)
{
    text[0] = '\0';
    if (!item || cJSON_IsNull(item)) return true;
    if (!cJSON_IsString(item)) return refuse(r, "a name is not a text");
    char *clean = terminal_clean(item->valuestring);
    g_strdelimit(clean, "\n\t", ' ');
    text_copy(text, size, clean);
    g_free(clean);
    return true;
}

// 0 stands for null and for nothing.
static bool read_number(const struct reader *r, const cJSON *item, double *value)
{
    *value = 0;
    if (!item || cJSON_IsNull(item)) return true;
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return refuse(r, "a figure is not a number");
    *value = item->valuedouble;
    return true;
}

static bool read_whole(const struct reader *r, const cJSON *item, int *value)
{
    double number;
    if (!read_number(r, item, &number)) return false;
    if (number < 0 || number > 1 << 30 || number != floor(number))
        return refuse(r, "a count is not a whole number");
    *value = (int)number;
    return true;
}

// kind is "cold" or "hot".
static bool read_times(const struct reader *r, const cJSON *row, const char *kind,
                       struct stats_summary *ms)
{
    static const char *const parts[] = {"median_ms", "lower_quartile_ms", "upper_quartile_ms"};
    double *const places[] = {&ms->median, &ms->lower, &ms->upper};
    char name[48];
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        g_snprintf(name, sizeof name, "%s_%s", kind, parts[i]);
        if (!read_number(r, member(row, name), places[i])) return false;
    }
    g_snprintf(name, sizeof name, "%s_count", kind);
    if (!read_whole(r, member(row, name), &ms->count)) return false;
    if (!ms->count) *ms = (struct stats_summary){0};
    return !ms->count || (ms->lower > 0 && ms->lower <= ms->median && ms->median <= ms->upper) ||
           refuse(r, "its quartiles do not lie around its median");
}

// ---- rows ----

// The axis is the member between the other params and the block, whatever its name is.
static bool read_axis(const struct reader *r, const cJSON *json, struct bench_file_row *row)
{
    const cJSON *params = member(json, "params"), *axis = params ? params->next : NULL;
    if (!axis || !strcmp(axis->string, "block_width")) return true;
    if (!read_number(r, axis, &row->value)) return false;
    row->has_value = cJSON_IsNumber(axis);
    char *name = terminal_clean(axis->string);
    text_copy_line(row->axis, sizeof row->axis, name);
    g_free(name);
    return true;
}

static bool read_check(const struct reader *r, const cJSON *json, bool *is_wrong)
{
    char check[64];
    if (!read_text(r, member(json, "check"), check, sizeof check)) return false;
    *is_wrong = g_str_has_prefix(check, "wrong");
    return true;
}

// picture: its size, which a lab's arrays take the place of.
static bool read_row(const struct reader *r, const cJSON *json, const char *picture,
                     struct bench_file_row *row)
{
    struct stats_summary hot;
    if (!cJSON_IsObject(json)) return refuse(r, "it is not an object");
    const bool is_read = read_text(r, member(json, "filter"), row->filter, sizeof row->filter) &&
                         read_text(r, member(json, "variant"), row->variant, sizeof row->variant) &&
                         read_text(r, member(json, "params"), row->params, sizeof row->params) &&
                         read_text(r, member(json, "unroll"), row->unroll, sizeof row->unroll) &&
                         read_text(r, member(json, "arrays"), row->size, sizeof row->size) &&
                         read_axis(r, json, row) &&
                         read_whole(r, member(json, "block_width"), &row->block_width) &&
                         read_whole(r, member(json, "block_height"), &row->block_height) &&
                         read_times(r, json, "cold", &row->ms) &&
                         read_times(r, json, "hot", &hot) && read_check(r, json, &row->is_wrong);
    if (!is_read) return false;
    if (!row->variant[0]) return refuse(r, "it names no variant");
    row->is_hot = !row->ms.count;
    if (row->is_hot) row->ms = hot;
    if (!row->size[0]) g_strlcpy(row->size, picture, sizeof row->size);
    return true;
}

static bool read_rows(struct reader *r, const cJSON *rows, struct bench_file *f,
                      const char *picture)
{
    if (!cJSON_IsArray(rows)) return refuse(r, "it has no rows");
    const int count = cJSON_GetArraySize(rows);
    if (count > BENCH_FILE_MAX_ROWS) return refuse(r, "it has too many rows");
    f->rows = g_new0(struct bench_file_row, count + 1);
    for (const cJSON *row = rows->child; row; row = row->next) {
        r->row = f->count + 1;
        if (!read_row(r, row, picture, &f->rows[f->count++])) return false;
    }
    return true;
}

// ---- the file ----

static bool read_picture(const struct reader *r, const cJSON *json, struct bench_file *f,
                         char *size, size_t bytes)
{
    const cJSON *picture = member(json, "picture");
    char name[96];
    int width, height, planes;
    size[0] = '\0';
    if (!picture) return true;
    if (!read_text(r, member(picture, "name"), name, sizeof name) ||
        !read_whole(r, member(picture, "width"), &width) ||
        !read_whole(r, member(picture, "height"), &height) ||
        !read_whole(r, member(picture, "planes"), &planes))
        return false;
    g_snprintf(size, bytes, "%d×%d %s", width, height, planes == 1 ? "grey" : "colour");
    text_append(f->subject, sizeof f->subject, "%s %s", size, name);
    return true;
}

static bool read_all(struct reader *r, const cJSON *json, struct bench_file *f)
{
    const cJSON *device = member(json, "device");
    char picture[BENCH_FILE_WORDS];
    if (!cJSON_IsObject(json)) return refuse(r, "it is not a JSON object");
    if (!cJSON_IsObject(device)) return refuse(r, "it names no device");
    return read_text(r, member(json, "tilescope"), f->program, sizeof f->program) &&
           read_text(r, member(json, "date"), f->date, sizeof f->date) &&
           read_text(r, member(device, "name"), f->device, sizeof f->device) &&
           read_text(r, member(device, "driver"), f->driver, sizeof f->driver) &&
           read_picture(r, json, f, picture, sizeof picture) &&
           read_rows(r, member(json, "rows"), f, picture);
}

bool bench_file_parse(struct bench_file *f, const char *path, const char *text, struct error *err)
{
    struct bench_file found = {.count = 0};
    struct reader r = {.path = path, .err = err};
    if (!g_utf8_validate(text, -1, NULL)) return refuse(&r, "it is not UTF-8 text");
    cJSON *json = cJSON_Parse(text);
    const bool is_read = read_all(&r, json, &found);
    cJSON_Delete(json);
    if (is_read)
        *f = found;
    else
        bench_file_finish(&found);
    return is_read;
}

bool bench_file_load(struct bench_file *f, const char *path, struct error *err)
{
    char *text = file_read_text(path, err);
    const bool is_read = text && bench_file_parse(f, path, text, err);
    g_free(text);
    return is_read;
}

void bench_file_finish(struct bench_file *f)
{
    g_free(f->rows);
    *f = (struct bench_file){.count = 0};
}
