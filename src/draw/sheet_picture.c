#include "draw/sheet_picture.h"

#include <glib.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

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
        const double left = x * step, right = fmin(left + step, from_width);
        double sum = 0;
        for (int u = (int)left; u < right; u++)
            sum += row[u] * (fmin(right, u + 1) - fmax(left, u));
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

// ---- the largest, the nearest ----

// First and last pixel that an output pixel's area touches.
static void touched(int at, int size, int from_size, int *first, int *last)
{
    *first = (int)((int64_t)at * from_size / size);
    *last = (int)(((int64_t)(at + 1) * from_size - 1) / size);
}

static unsigned char largest(struct planes from, int plane, int x0, int x1, int y0, int y1)
{
    unsigned char max = 0;
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) max = MAX(max, planes_row(from, plane, y)[x]);
    return max;
}

static void largest_row(struct planes to, struct planes from, int plane, int y)
{
    int x0, x1, y0, y1;
    touched(y, to.height, from.height, &y0, &y1);
    for (int x = 0; x < to.width; x++) {
        touched(x, to.width, from.width, &x0, &x1);
        planes_row(to, plane, y)[x] = largest(from, plane, x0, x1, y0, y1);
    }
}

static void nearest_row(struct planes to, struct planes from, int plane, int y)
{
    const unsigned char *row =
        planes_row(from, plane, (int)((2 * (int64_t)y + 1) * from.height / (2 * to.height)));
    for (int x = 0; x < to.width; x++)
        planes_row(to, plane, y)[x] = row[(2 * (int64_t)x + 1) * from.width / (2 * to.width)];
}

void sheet_scale(struct planes to, struct planes from, bool is_max)
{
    const bool is_larger = to.width >= from.width && to.height >= from.height;
    double *sums = g_new(double, (size_t)to.width);
    for (int plane = 0; plane < to.count; plane++)
        for (int y = 0; y < to.height; y++) {
            if (is_larger)
                nearest_row(to, from, plane, y);
            else if (is_max)
                largest_row(to, from, plane, y);
            else
                average_row(to, from, plane, y, sums);
        }
    g_free(sums);
}

cairo_surface_t *sheet_surface(struct planes picture)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture.width, picture.height);
    cairo_surface_flush(surface);
    unsigned char *data = cairo_image_surface_get_data(surface);
    if (!data) return surface;
    const int stride = cairo_image_surface_get_stride(surface), blue = picture.count - 1;
    for (int y = 0; y < picture.height; y++) {
        uint32_t *row = (uint32_t *)(void *)(data + (size_t)y * (size_t)stride);
        for (int x = 0; x < picture.width; x++)
            row[x] = (uint32_t)(planes_row(picture, 0, y)[x] << 16 |
                                planes_row(picture, blue / 2, y)[x] << 8 |
                                planes_row(picture, blue, y)[x]);
    }
    cairo_surface_mark_dirty(surface);
    return surface;
}
