#include <glib.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "draw/sheet_parts.h"
#include "measure/figures.h"

void sheet_fit(struct planes picture, int box_width, int box_height, int *width, int *height)
{
    const double zoom =
        fmin((double)box_width / picture.width, (double)box_height / picture.height);
    const double factor = zoom > 1 ? floor(zoom) : zoom;
    *width = MAX(1, (int)round(picture.width * factor));
    *height = MAX(1, (int)round(picture.height * factor));
}

// ---- averages ----

// Adds a row's areas to sums, weighted by how much of the row counts.
static void add_row(double *sums, int width, const unsigned char *row, int from_width,
                    double weight)
{
    const double step = (double)from_width / width;
    for (int x = 0; x < width; x++) {
        const double left = x * step, right = MIN(left + step, from_width);
        double sum = 0;
        for (int u = (int)left; u < right; u++) sum += row[u] * (MIN(right, u + 1) - MAX(left, u));
        sums[x] += sum * weight;
    }
}

static void average_row(struct planes to, struct planes from, int plane, int y, double *sums)
{
    const double step = (double)from.height / to.height;
    const double top = y * step, bottom = fmin(top + step, from.height);
    const double area = (bottom - top) * from.width / to.width;
    memset(sums, 0, (size_t)to.width * sizeof *sums);
    for (int v = (int)top; v < bottom; v++)
        add_row(sums, to.width, planes_row(from, plane, v), from.width,
                fmin(bottom, v + 1) - fmax(top, v));
    for (int x = 0; x < to.width; x++)
        planes_row(to, plane, y)[x] = (unsigned char)CLAMP(sums[x] / area + 0.5, 0, 255);
}

// ---- the largest ----

// First and last pixel that an output pixel's area touches.
static void touched(int at, int size, int from_size, int *first, int *last)
{
    *first = (int)((int64_t)at * from_size / size);
    *last = (int)(((int64_t)(at + 1) * from_size - 1) / size);
}

static void largest_row(struct planes to, struct planes from, int plane, int y)
{
    int x0, x1, y0, y1;
    touched(y, to.height, from.height, &y0, &y1);
    for (int x = 0; x < to.width; x++) {
        touched(x, to.width, from.width, &x0, &x1);
        unsigned char max = 0;
        for (int v = y0; v <= y1; v++)
            for (int u = x0; u <= x1; u++) max = MAX(max, planes_row(from, plane, v)[u]);
        planes_row(to, plane, y)[x] = max;
    }
}

void sheet_scale(struct planes to, struct planes from, bool is_max)
{
    double *sums = g_new(double, (size_t)to.width);
    for (int plane = 0; plane < to.count; plane++)
        for (int y = 0; y < to.height; y++) {
            if (is_max)
                largest_row(to, from, plane, y);
            else
                average_row(to, from, plane, y, sums);
        }
    g_free(sums);
}

cairo_surface_t *sheet_surface(struct planes picture, enum color_map map)
{
    const struct color_map_table table = color_map_table(map);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture.width, picture.height);
    cairo_surface_flush(surface);
    unsigned char *data = cairo_image_surface_get_data(surface);
    if (!data) return surface;
    const int stride = cairo_image_surface_get_stride(surface), blue = picture.count - 1;
    for (int y = 0; y < picture.height; y++) {
        uint32_t *row = (uint32_t *)(void *)(data + (size_t)y * (size_t)stride);
        for (int x = 0; x < picture.width; x++) {
            const unsigned char rgb[] = {planes_row(picture, 0, y)[x],
                                         planes_row(picture, blue / 2, y)[x],
                                         planes_row(picture, blue, y)[x]};
            const unsigned char *shown = blue ? rgb : table.colors[rgb[0]];
            row[x] = (uint32_t)(shown[0] << 16 | shown[1] << 8 | shown[2]);
        }
    }
    cairo_surface_mark_dirty(surface);
    return surface;
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

// ---- differences ----

bool sheet_subtract(struct image *difference, struct planes a, struct planes b,
                    struct sheet_difference *found, struct error *err)
{
    struct image made = {0};
    if (!image_init(&made, a.width, a.height, a.count, err)) return false;
    *found = (struct sheet_difference){0};
    for (int y = 0; y < a.height; y++)
        for (int x = 0; x < a.width; x++) {
            int most = 0;
            for (int p = 0; p < a.count; p++)
                most = MAX(most, abs(planes_row(a, p, y)[x] - planes_row(b, p, y)[x]));
            found->pixels += most > 0;
            found->max = MAX(found->max, most);
        }
    found->gain = figures_gain(found->max);
    for (int p = 0; p < a.count; p++)
        for (int y = 0; y < a.height; y++) {
            const unsigned char *left = planes_row(a, p, y), *right = planes_row(b, p, y);
            unsigned char *row = planes_row(made.planes, p, y);
            for (int x = 0; x < a.width; x++)
                row[x] = (unsigned char)(abs(left[x] - right[x]) * found->gain + 0.5);
        }
    *difference = made;
    return true;
}
