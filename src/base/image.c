#include "base/image.h"

#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/image_impl.h"

bool image_init(struct image *image, int width, int height, int planes, struct error *err)
{
    assert(width >= 1 && width <= PLANES_MAX_SIDE && height >= 1 && height <= PLANES_MAX_SIDE);
    assert(planes == 1 || planes == 3);
    const struct planes shape = planes_shape(width, height, planes);
    void *pixels = calloc(planes_bytes(shape), 1);
    if (!pixels)
        return error_set(err, "no memory for a picture of %d x %d pixels (%zu MB)", width, height,
                         planes_bytes(shape) / 1000000);
    image->planes = planes_at(shape, pixels);
    return true;
}

void image_finish(struct image *image)
{
    free(image->planes.pixels);
    *image = (struct image){0};
}

// Pitches may differ: one picture may be a part of a larger one.
static bool is_same_size(struct planes a, struct planes b)
{
    return a.width == b.width && a.height == b.height && a.count == b.count;
}

bool image_fit(struct image *image, struct planes shape, struct error *err)
{
    if (image->planes.pixels && is_same_size(image->planes, shape)) return true;
    image_finish(image);
    return image_init(image, shape.width, shape.height, shape.count, err);
}

struct image_difference image_compare(struct planes a, struct planes b)
{
    assert(is_same_size(a, b));
    struct image_difference d = {0};
    for (int plane = 0; plane < a.count; plane++) {
        for (int y = 0; y < a.height; y++) {
            const unsigned char *left = planes_row(a, plane, y), *right = planes_row(b, plane, y);
            for (int x = 0; x < a.width; x++) {
                const int difference = abs(left[x] - right[x]);
                d.count += difference != 0;
                if (difference <= d.max) continue;
                d.max = difference;
                d.x = x, d.y = y, d.plane = plane;
            }
        }
    }
    return d;
}

void image_copy(struct planes to, struct planes from)
{
    assert(is_same_size(to, from));
    for (int plane = 0; plane < to.count; plane++)
        for (int y = 0; y < to.height; y++)
            memcpy(planes_row(to, plane, y), planes_row(from, plane, y), (size_t)to.width);
}

// Writes a row of means of squares that are `rows` high and at most factor wide.
static void reduce_rows(unsigned char *to, const struct planes *from, int plane, int top, int rows,
                        int factor)
{
    for (int left = 0; left < from->width; left += factor) {
        const int columns = MIN(factor, from->width - left);
        const uint64_t count = (uint64_t)rows * (uint64_t)columns;
        uint64_t sum = count / 2;
        for (int y = top; y < top + rows; y++) {
            const unsigned char *row = planes_row(*from, plane, y) + left;
            for (int x = 0; x < columns; x++) sum += row[x];
        }
        *to++ = (unsigned char)(sum / count);
    }
}

bool image_reduce(struct image *small, struct planes from, int factor, struct error *err)
{
    assert(factor >= 1);
    struct image made = {0};
    const int width = (from.width - 1) / factor + 1, height = (from.height - 1) / factor + 1;
    if (!image_init(&made, width, height, from.count, err)) return false;
    for (int plane = 0; plane < from.count; plane++)
        for (int y = 0; y < height; y++) {
            const int top = y * factor;
            reduce_rows(planes_row(made.planes, plane, y), &from, plane, top,
                        MIN(factor, from.height - top), factor);
        }
    *small = made;
    return true;
}

// splitmix64 (Steele, Lea and Flood 2014), eight bytes a step, low byte first on every machine.
void image_fill_noise(struct planes planes, unsigned int seed)
{
    const size_t bytes = planes_bytes(planes);
    uint64_t state = seed;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = (state += 0x9e3779b97f4a7c15u);
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
        word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
        word ^= word >> 31;
        for (size_t k = 0; k < 8 && i + k < bytes; k++)
            planes.pixels[i + k] = (unsigned char)(word >> 8 * k);
    }
}

// ---- files ----

// To add a format: a row, and its reader. read NULL: known by sight only. Formats without a
// signature are left to stb_image.
static const struct format {
    const char *name;
    size_t at;  // of the signature
    const char *signature;
    size_t size;
    bool (*read)(const struct image_file *f, struct image_raw *raw, struct error *err);
} formats[] = {{"PNG", 0, "\x89PNG\r\n\x1a\n", 8, image_read_png},
               {"JPEG", 0, "\xff\xd8\xff", 3, image_read_jpeg},
               {"WebP", 8, "WEBP", 4, image_read_webp},
               {"TIFF", 0, "II*\0", 4, image_read_tiff},
               {"TIFF", 0, "MM\0*", 4, image_read_tiff},
               {"TIFF", 0, "II+\0", 4, image_read_tiff},
               {"TIFF", 0, "MM\0+", 4, image_read_tiff},
               {"GIF", 0, "GIF8", 4, NULL},
               {"Photoshop", 0, "8BPS", 4, NULL},
               {"Softimage", 0, "\x53\x80\xf6\x34", 4, NULL},
               {"Radiance", 0, "#?", 2, NULL},
               {"JPEG 2000", 4, "jP  \r\n", 6, NULL},
               {"JPEG XL", 4, "JXL \r\n", 6, NULL},
               {"HEIF or AVIF", 4, "ftyp", 4, NULL}};

// ---- what the readers share ----

bool image_open(struct image_file *f, const char *path, struct error *err)
{
    if (!(f->file = file_open(path, &f->bytes, err))) return false;
    if (f->bytes) return true;
    fclose(f->file);
    error_set(err, "the file is empty");
    return file_refuse(err, "read", path);
}

bool image_check_size(double width, double height, const struct image_file *f,
                      double pixels_per_byte, struct error *err)
{
    if (width < 1 || height < 1) return error_set(err, "it is %.0f x %.0f pixels", width, height);
    if (width > PLANES_MAX_SIDE || height > PLANES_MAX_SIDE)
        return error_set(err, "it is %.0f x %.0f pixels; the limit is %d a side", width, height,
                         PLANES_MAX_SIDE);
    return width * height <= pixels_per_byte * (double)f->bytes ||
           error_set(err, "the file is truncated: %lld bytes cannot hold %.0f x %.0f pixels",
                     f->bytes, width, height);
}

bool image_raw_init(struct image_raw *raw, int width, int height, int channels, struct error *err)
{
    const size_t size = (size_t)width * (size_t)height * (size_t)channels;
    *raw = (struct image_raw){malloc(size), width, height, channels, 1, false};
    return raw->pixels || error_set(err, "no memory for a picture of %d x %d pixels (%zu MB)",
                                    width, height, size / 1000000);
}

bool image_refuse_damaged(const struct image_file *f, const char *reason, struct error *err)
{
    if (ferror(f->file)) return error_set(err, "%s", g_strerror(EIO));
    if (feof(f->file)) return error_set(err, "the file is truncated");
    return error_set(err, "the file is damaged (%s)", reason);
}

static unsigned int number_at(const unsigned char *at, int bytes, bool is_little)
{
    unsigned int number = 0;
    for (int i = 0; i < bytes; i++) number = number << 8 | at[is_little ? bytes - 1 - i : i];
    return number;
}

// EXIF is a TIFF header and its first directory: a count, and entries of 12 bytes (Exif 2.3, 4.6).
int image_exif_orientation(const unsigned char *exif, size_t size)
{
    if (size > 6 && !memcmp(exif, "Exif\0", 6)) exif += 6, size -= 6;
    if (size < 10 || (memcmp(exif, "II", 2) != 0 && memcmp(exif, "MM", 2) != 0)) return 1;
    const bool is_little = exif[0] == 'I';
    const size_t first = number_at(exif + 4, 4, is_little);
    if (first > size - 2) return 1;
    const unsigned int count = number_at(exif + first, 2, is_little);
    for (size_t i = 0; i < count && first + 2 + (i + 1) * 12 <= size; i++) {
        const unsigned char *entry = exif + first + 2 + i * 12;
        const bool is_short = number_at(entry + 2, 2, is_little) == 3;
        if (number_at(entry, 2, is_little) == 0x112 && is_short)
            return (int)number_at(entry + 8, 2, is_little);
    }
    return 1;
}

// ---- upright planes ----

static bool take_pixels(struct image *image, const struct image_raw *raw, bool is_grey,
                        struct error *err)
{
    const bool is_turned = raw->orientation >= 5 && raw->orientation <= 8;
    const int width = is_turned ? raw->height : raw->width;
    const int height = is_turned ? raw->width : raw->height;
    const int planes = is_grey || raw->is_grey || raw->channels < 3 ? 1 : 3;
    // EXIF's orientations: 2, 3, 7 and 8 begin at the right, 3, 4, 6 and 7 at the bottom, and from
    // 5 on a stored row is a column.
    const int o = raw->orientation >= 1 && raw->orientation <= 8 ? raw->orientation : 1;
    const ptrdiff_t pixel = raw->channels, line = pixel * raw->width;
    const bool is_right = o == 2 || o == 3 || o >= 7, is_bottom = o == 3 || o == 4 || o / 2 == 3;
    const ptrdiff_t along = is_right ? -pixel : pixel, across = is_bottom ? -line : line;
    // Where the upper left pixel lies, and the distance to its right neighbour and the one below.
    const unsigned char *const first =
        raw->pixels + (is_right ? line - pixel : 0) + (is_bottom ? (raw->height - 1) * line : 0);
    const ptrdiff_t right = o >= 5 ? across : along, down = o >= 5 ? along : across;
    if (!image_init(image, width, height, planes, err)) return false;
    for (int plane = 0; plane < planes; plane++)
        for (int y = 0; y < height; y++) {
            const unsigned char *p = first + y * down;
            unsigned char *row = planes_row(image->planes, plane, y);
            for (int x = 0; x < width; x++, p += right)
                row[x] = planes == 1 && raw->channels >= 3
                             ? (unsigned char)((299 * p[0] + 587 * p[1] + 114 * p[2] + 500) / 1000)
                             : p[plane];
        }
    return true;
}

bool image_load(struct image *image, const char *path, bool is_grey, struct error *err)
{
    struct image_file f;
    struct image_raw raw = {0};
    char head[16] = {0};
    if (!image_open(&f, path, err)) return false;
    const size_t size = fread(head, 1, sizeof head, f.file);
    const struct format *a = formats, *const end = formats + G_N_ELEMENTS(formats);
    rewind(f.file);
    while (a < end && (size < a->at + a->size || memcmp(head + a->at, a->signature, a->size) != 0))
        a++;
    const bool is_read =
        a == end  ? image_read_stb(&f, &raw, err)
        : a->read ? a->read(&f, &raw, err)
                  : error_set(err, "it is a %s picture; Tilescope reads " IMAGE_FORMATS, a->name);
    const bool is_done = is_read && take_pixels(image, &raw, is_grey, err);
    free(raw.pixels);
    fclose(f.file);
    return is_done || file_refuse(err, "read", path);
}

char *image_checksum(const char *path)
{
    struct image_file f;
    unsigned char bytes[65536];
    if (!image_open(&f, path, NULL)) return NULL;
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, f.file)) > 0;)
        g_checksum_update(sum, bytes, (gssize)got);
    char *text = ferror(f.file) ? NULL : g_strdup(g_checksum_get_string(sum));
    fclose(f.file);
    return text;
}
