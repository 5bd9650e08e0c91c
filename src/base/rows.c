#include "base/rows.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"

struct rows rows_begin(void)
{
    return (struct rows){g_ptr_array_new_with_free_func(g_free), g_string_new(NULL)};
}

static void finish(struct rows *r)
{
    g_ptr_array_unref(r->cells);
    g_string_free(r->kinds, TRUE);
}

void rows_add_column(struct rows *r, enum rows_kind kind, const char *title)
{
    g_string_append_c(r->kinds, (char)kind);
    rows_add(r, title);
}

void rows_add(struct rows *r, const char *text)
{
    g_ptr_array_add(r->cells, g_strdup(text));
}

void rows_add_format(struct rows *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_ptr_array_add(r->cells, g_strdup_vprintf(format, args));
    va_end(args);
}

// A NULL cell follows one that fills the rest of its row.
void rows_add_rest(struct rows *r, const char *text)
{
    rows_add(r, text);
    while (r->cells->len % r->kinds->len) g_ptr_array_add(r->cells, NULL);
}

static guint count_rows(const struct rows *r)
{
    return r->kinds->len ? r->cells->len / (guint)r->kinds->len : 0;
}

static const char *cell_at(const struct rows *r, guint row, guint column)
{
    const char *text = r->cells->pdata[row * r->kinds->len + column];
    return text ? text : "";
}

// ---- text ----

static bool is_rest(const struct rows *r, guint row, guint column)
{
    return column + 1 < r->kinds->len && !r->cells->pdata[row * r->kinds->len + column + 1];
}

// The width of a column; 0: it is empty and is left out.
static int width_of(const struct rows *r, guint column)
{
    glong width = 0;
    for (guint row = 1; row < count_rows(r); row++)
        if (!is_rest(r, row, column))
            width = MAX(width, g_utf8_strlen(cell_at(r, row, column), -1));
    return (int)(width ? MAX(width, g_utf8_strlen(cell_at(r, 0, column), -1)) : 0);
}

void rows_end_text(struct rows *r, GString *text)
{
    g_autofree int *widths = g_new(int, r->kinds->len + 1);
    for (guint i = 0; i < r->kinds->len; i++) widths[i] = width_of(r, i);
    for (guint row = 0; row < count_rows(r); row++) {
        for (guint i = 0; i < r->kinds->len; i++) {
            const char *words = cell_at(r, row, i);
            const int width = is_rest(r, row, i) ? 0 : widths[i];
            const int pad = MAX(0, width - (int)g_utf8_strlen(words, -1));
            if (r->kinds->str[i] == ROWS_NUMBER) g_string_append_printf(text, "%*s", pad, "");
            if (width || is_rest(r, row, i)) g_string_append(text, words);
            if (r->kinds->str[i] == ROWS_WORDS) g_string_append_printf(text, "%*s", pad, "");
            if (width) g_string_append(text, "  ");
        }
        while (text->len && text->str[text->len - 1] == ' ') g_string_truncate(text, text->len - 1);
        g_string_append_c(text, '\n');
    }
    finish(r);
}

void rows_append_html(GString *html, const char *text)
{
    g_autofree char *clean = terminal_clean(text), *escaped = g_markup_escape_text(clean, -1);
    g_string_append(html, escaped);
}

void rows_end_html(struct rows *r, GString *html, int shown)
{
    for (guint row = 0; row < count_rows(r); row++) {
        g_string_append(html, row && (int)row == shown + 1 ? "<tr class=\"shown\">" : "<tr>");
        for (guint i = 0; i < r->kinds->len; i++) {
            const char *const tag = row ? "td" : "th";
            if (!width_of(r, i)) continue;
            g_string_append_printf(html, "<%s>", tag);
            rows_append_html(html, cell_at(r, row, i));
            g_string_append_printf(html, "</%s>", tag);
        }
        g_string_append(html, "</tr>\n");
    }
    finish(r);
}

// ---- fields ----

static void append_csv(GString *csv, const char *field)
{
    const bool is_quoted = strpbrk(field, ",\"\r\n");
    if (is_quoted) g_string_append_c(csv, '"');
    for (; *field; field++) g_string_append_printf(csv, *field == '"' ? "\"\"" : "%c", *field);
    if (is_quoted) g_string_append_c(csv, '"');
}

// Tabs and line breaks inside a field become blanks.
static void append_between_tabs(GString *tabs, const char *field)
{
    const gsize before = tabs->len;
    g_string_append(tabs, field);
    g_strdelimit(tabs->str + before, "\t\r\n", ' ');
}

static char *end_fields(struct rows *r, char separator, void (*append)(GString *, const char *))
{
    GString *text = g_string_new(NULL);
    for (guint row = 0; row < count_rows(r); row++)
        for (guint i = 0; i < r->kinds->len; i++) {
            append(text, cell_at(r, row, i));
            g_string_append_c(text, i + 1 < r->kinds->len ? separator : '\n');
        }
    finish(r);
    return g_string_free(text, FALSE);
}

char *rows_end_csv(struct rows *r)
{
    return end_fields(r, ',', append_csv);
}

char *rows_end_tabs(struct rows *r)
{
    return end_fields(r, '\t', append_between_tabs);
}

// ---- JSON ----

cJSON *rows_add_object(cJSON *array)
{
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(array, one);
    return one;
}

cJSON *rows_end_json(struct rows *r)
{
    cJSON *list = cJSON_CreateArray();
    for (guint row = 1; row < count_rows(r); row++) {
        cJSON *json = rows_add_object(list);
        for (guint i = 0; i < r->kinds->len; i++) {
            const char *title = cell_at(r, 0, i), *text = cell_at(r, row, i);
            if (!*text)
                cJSON_AddNullToObject(json, title);
            else if (r->kinds->str[i] == ROWS_NUMBER)
                cJSON_AddNumberToObject(json, title, g_ascii_strtod(text, NULL));
            else
                cJSON_AddStringToObject(json, title, text);
        }
    }
    finish(r);
    return list;
}

void rows_add_members(cJSON *json, const char *members, ...)
{
    g_auto(GStrv) names = g_strsplit(members, " ", -1);
    va_list values;
    va_start(values, members);
    for (char **name = names; *name; name++) {
        char *const sign = strchr(*name, '%');
        const char kind = sign[1];
        *sign = '\0';
        if (kind == 's')
            cJSON_AddStringToObject(json, *name, va_arg(values, const char *));
        else if (kind == 'i')
            cJSON_AddBoolToObject(json, *name, va_arg(values, int));
        else
            cJSON_AddNumberToObject(json, *name,
                                    kind == 'd' ? va_arg(values, int) : va_arg(values, double));
    }
    va_end(values);
}

bool rows_has_members(const cJSON *json, const char *members)
{
    g_auto(GStrv) names = g_strsplit(members, " ", -1);
    for (char **name = names; *name; name++) {
        *strchr(*name, '%') = '\0';
        const cJSON *const item = cJSON_GetObjectItemCaseSensitive(json, *name);
        if (!item || cJSON_IsNull(item)) return false;
    }
    return true;
}

const char *rows_read_members(const cJSON *json, const char *members, ...)
{
    g_auto(GStrv) names = g_strsplit(members, " ", -1);
    const char *wrong = NULL;
    va_list places;
    va_start(places, members);
    for (char **name = names; *name; name++) {
        char *const sign = strchr(*name, '%');
        const char kind = sign[1];
        *sign = '\0';
        const cJSON *const item = cJSON_GetObjectItemCaseSensitive(json, *name);
        const bool is_there = item && !cJSON_IsNull(item);
        const double value = cJSON_IsNumber(item) ? item->valuedouble : 0;
        if (kind == 's') {
            g_autofree char *clean = terminal_clean(cJSON_IsString(item) ? item->valuestring : "");
            char *const text = va_arg(places, char *);
            text_copy(text, va_arg(places, size_t), g_strdelimit(clean, "\n\t", ' '));
            if (is_there && !cJSON_IsString(item)) wrong = "a name is not a text";
        } else if (kind == 'i') {
            *va_arg(places, bool *) = cJSON_IsTrue(item);
            if (is_there && !cJSON_IsBool(item)) wrong = "a claim is neither true nor false";
        } else if ((is_there && !cJSON_IsNumber(item)) || !isfinite(value)) {
            (void)va_arg(places, void *);
            wrong = "a figure is not a number";
        } else if (kind == 'g') {
            *va_arg(places, double *) = value;
        } else {
            const bool is_count = value >= 0 && value <= G_MAXINT && value == floor(value);
            *va_arg(places, int *) = is_count ? (int)value : 0;
            if (!is_count) wrong = "a count is not a whole number";
        }
    }
    va_end(places);
    return wrong;
}

bool rows_read_list(const cJSON *json, double *values, int count)
{
    const cJSON *item;
    int read = 0;
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != count) return false;
    cJSON_ArrayForEach(item, json)
    {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) return false;
        values[read++] = item->valuedouble;
    }
    return true;
}

char *rows_print_json(cJSON *json)
{
    char *printed = cJSON_Print(json), *text = g_strconcat(printed, "\n", NULL);
    cJSON_free(printed);
    cJSON_Delete(json);
    return text;
}
