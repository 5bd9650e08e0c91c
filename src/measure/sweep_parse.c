// sweep_parse.c -- reads one axis of a sweep, as it is typed.
#include <glib.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "filter/choice.h"
#include "measure/sweep_parts.h"

// The blocks of `--block all`. Those of more than 1024 threads are kept: the table shows that they
// are refused.
static const int all_widths[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024};
static const int all_heights[] = {1, 2, 4, 8, 16, 32, 64};

enum { LARGEST_RADIUS = 99999 };  // wider than any picture

char **sweep_split(const char *axis, const char *text, struct error *err)
{
    char **items = g_strsplit(text, ",", -1);
    for (char **item = items; *item; item++) g_strstrip(*item);
    if (items[0] && (*items[0] || items[1])) return items;
    error_set(err, "empty sweep: --%s names nothing", axis);
    g_strfreev(items);
    return NULL;
}

static bool add_value(struct sweep_values *v, int width, int height, struct error *err)
{
    for (int i = 0; i < v->count; i++)
        if (v->widths[i] == width && v->heights[i] == height) return true;
    if (v->count == SWEEP_MAX_VALUES)
        return error_set(err, "has more than %d values", SWEEP_MAX_VALUES);
    v->widths[v->count] = width;
    v->heights[v->count++] = height;
    return true;
}

// What a typed number may be.
struct limits {
    gint64 least, most;
};

static bool is_within(const struct limits *l, double number)
{
    return number >= (double)l->least && number <= (double)l->most;
}

// Reads "5", "-5" or "2^24" at the front of *text and moves *text behind it.
static bool cut_number(const char **text, const struct limits *l, int *value)
{
    char *end = (char *)*text + (**text == '-' && l->least < 0);
    if (!g_ascii_isdigit(*end)) return false;
    double number = (double)g_ascii_strtoll(*text, &end, 10);
    if (*end == '^' && g_ascii_isdigit(end[1]))
        number = pow(number, (double)g_ascii_strtoull(end + 1, &end, 10));
    if (!is_within(l, number)) return false;
    *text = end;
    *value = (int)number;
    return true;
}

// "4", "1..9", "1..9+4", "1..64x2"
struct range {
    int first, last, step, factor;
};

static bool parse_range(struct range *r, const struct limits *l, const char *text)
{
    *r = (struct range){.step = 1, .factor = 1};
    if (!cut_number(&text, l, &r->first)) return false;
    r->last = r->first;
    if (!*text) return true;
    if (!g_str_has_prefix(text, "..")) return false;
    text += 2;
    if (!cut_number(&text, l, &r->last)) return false;
    if (*text == '+') return text++, cut_number(&text, l, &r->step) && r->step > 0 && !*text;
    if (*text != 'x') return !*text;
    text++;
    r->step = 0;
    return cut_number(&text, l, &r->factor) && r->factor > 1 && r->first > 0 && !*text;
}

static bool add_range(struct sweep_values *v, const struct limits *l, const char *item,
                      struct error *err)
{
    struct range r;
    if (!parse_range(&r, l, item))
        return error_set(err, "is not understood; expected N, A..B or a list such as 1,2,4");
    if (r.last < r.first)
        return error_set(err, "runs backwards: %d is less than %d", r.last, r.first);
    for (gint64 value = r.first; value <= r.last; value = value * r.factor + r.step)
        if (!add_value(v, (int)value, 0, err)) return false;
    return true;
}

static bool add_blocks(struct sweep_values *v, const char *item, struct error *err)
{
    int width, height;
    if (choice_read_size(item, &width, &height)) return add_value(v, width, height, err);
    if (strcmp(item, "all"))
        return error_set(err, "is not understood; expected WxH, such as 32x8, a list or all");
    for (size_t y = 0; y < G_N_ELEMENTS(all_heights); y++)
        for (size_t x = 0; x < G_N_ELEMENTS(all_widths); x++)
            if (!add_value(v, all_widths[x], all_heights[y], err)) return false;
    return true;
}

bool sweep_parse(struct sweep_values *values, const char *axis, const char *text, struct error *err)
{
    const bool is_block = !strcmp(axis, "block"), is_radius = !strcmp(axis, "radius");
    const struct limits limits = {is_radius ? 0 : INT_MIN, is_radius ? LARGEST_RADIUS : INT_MAX};
    struct sweep_values found = {.count = 0};
    char **items = sweep_split(axis, text, err);
    bool is_good = items != NULL;
    for (char **item = items; is_good && *item; item++)
        is_good =
            (is_block ? add_blocks(&found, *item, err) : add_range(&found, &limits, *item, err)) ||
            error_prefix(err, "%s '%s' ", axis, text);
    g_strfreev(items);
    if (is_good) *values = found;
    return is_good;
}
