// sheet_cell.c -- the words and pictures of a sheet's cells.
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/figure.h"
#include "draw/sheet.h"

void sheet_set_times(struct sheet_cell *cell, struct stats_summary ms, double copy_ms,
                     double naive_ms)
{
    char a[32], b[32];
    if (!ms.count || ms.median <= 0) return;
    cell->ms = ms.median;
    figure_three(a, sizeof a, ms.median);
    g_snprintf(cell->time, sizeof cell->time, "%s ms", a);
    figure_three(a, sizeof a, ms.lower);
    figure_three(b, sizeof b, ms.upper);
    g_snprintf(cell->spread, sizeof cell->spread, "%s–%s", a, b);
    cell->speed[0] = '\0';
    if (naive_ms > 0) {
        figure_three(a, sizeof a, naive_ms / ms.median);
        g_snprintf(cell->speed, sizeof cell->speed, "%s× naive", a);
    }
    if (copy_ms > 0) {
        figure_three(a, sizeof a, 100 * copy_ms / ms.median);
        if (cell->speed[0]) g_strlcat(cell->speed, " · ", sizeof cell->speed);
        g_strlcat(cell->speed, a, sizeof cell->speed);
        g_strlcat(cell->speed, " % of copy", sizeof cell->speed);
    }
}

void sheet_set_check(struct sheet_cell *cell, struct image_difference difference)
{
    cell->badge = difference.count ? SHEET_BAD : SHEET_GOOD;
    if (difference.count)
        g_snprintf(cell->badge_text, sizeof cell->badge_text, "max |diff| = %d", difference.max);
    else
        g_strlcpy(cell->badge_text, "exact", sizeof cell->badge_text);
}

// ---- details ----

static long contrast_at(struct planes v, int left, int top)
{
    long sum = 0;
    for (int plane = 0; plane < v.count; plane++)
        for (int y = top; y < top + SHEET_DETAIL - 1; y++) {
            const unsigned char *row = planes_row(v, plane, y),
                                *below = planes_row(v, plane, y + 1);
            for (int x = left; x < left + SHEET_DETAIL - 1; x++)
                sum += abs(row[x] - row[x + 1]) + abs(row[x] - below[x]);
        }
    return sum;
}

bool sheet_find_detail(struct planes picture, int *left, int *top)
{
    long most = -1;
    if (picture.width < 8 * SHEET_DETAIL || picture.height < 4 * SHEET_DETAIL) return false;
    for (int y = 0; y + SHEET_DETAIL <= picture.height; y += SHEET_DETAIL / 2)
        for (int x = 0; x + SHEET_DETAIL <= picture.width; x += SHEET_DETAIL / 2) {
            const long contrast = contrast_at(picture, x, y);
            if (contrast <= most) continue;
            most = contrast;
            *left = x;
            *top = y;
        }
    return true;
}

void sheet_set_detail(struct sheet_cell *cell, struct planes picture, int left, int top)
{
    cell->detail = picture;
    cell->detail.pixels = planes_row(picture, 0, top) + left;
    cell->detail.width = cell->detail.height = SHEET_DETAIL;
    cell->detail_left = (double)left / picture.width;
    cell->detail_top = (double)top / picture.width;
    cell->detail_width = (double)SHEET_DETAIL / picture.width;
}

// ---- differences ----

static struct sheet_difference find(struct planes a, struct planes b)
{
    struct sheet_difference d = {0};
    for (int y = 0; y < a.height; y++)
        for (int x = 0; x < a.width; x++) {
            int most = 0;
            for (int p = 0; p < a.count; p++)
                most = MAX(most, abs(planes_row(a, p, y)[x] - planes_row(b, p, y)[x]));
            d.pixels += most > 0;
            d.max = MAX(d.max, most);
        }
    d.gain = d.max ? 255 / d.max : 1;
    return d;
}

bool sheet_subtract(struct image *difference, struct planes a, struct planes b,
                    struct sheet_difference *found, struct error *err)
{
    struct image made = {0};
    if (!image_init(&made, a.width, a.height, a.count, err)) return false;
    *found = find(a, b);
    for (int p = 0; p < a.count; p++)
        for (int y = 0; y < a.height; y++) {
            const unsigned char *left = planes_row(a, p, y), *right = planes_row(b, p, y);
            unsigned char *row = planes_row(made.planes, p, y);
            for (int x = 0; x < a.width; x++)
                row[x] = (unsigned char)(abs(left[x] - right[x]) * found->gain);
        }
    *difference = made;
    return true;
}

// "1 234 567", in groups of three with narrow spaces between them.
static void write_count(char *text, size_t size, long count)
{
    char digits[32];
    g_snprintf(digits, sizeof digits, "%ld", count);
    const size_t length = strlen(digits);
    text[0] = '\0';
    for (size_t i = 0; i < length; i++) {
        const char digit[2] = {digits[i], '\0'};
        if (i && (length - i) % 3 == 0) g_strlcat(text, "\u202f", size);
        g_strlcat(text, digit, size);
    }
}

void sheet_set_difference(struct sheet_cell *cell, struct planes difference,
                          struct sheet_difference found)
{
    char count[64];
    cell->picture = difference;
    cell->is_difference = true;
    g_strlcpy(cell->label, "|A − B|", sizeof cell->label);
    if (!found.pixels) {
        g_strlcpy(cell->time, "no difference", sizeof cell->time);
        g_strlcpy(cell->speed, "every pixel is equal", sizeof cell->speed);
        return;
    }
    write_count(count, sizeof count, found.pixels);
    g_snprintf(cell->time, sizeof cell->time, "max %d", found.max);
    g_snprintf(cell->spread, sizeof cell->spread, "of 255");
    g_snprintf(cell->speed, sizeof cell->speed, "%s pixel%s differ%s", count,
               found.pixels == 1 ? "" : "s", found.pixels == 1 ? "s" : "");
    if (found.gain > 1) g_snprintf(cell->note, sizeof cell->note, "amplified %d×", found.gain);
}
