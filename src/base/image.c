#include "base/image.h"

#include <assert.h>
#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <glib.h>
#include <png.h>

#include "base/file.h"
#include "base/image_impl.h"

bool image_init(struct image *image, int width, int height, int planes, struct error *err)
{
    assert(width >= 1 && width <= PLANES_MAX_SIDE && height >= 1 && height <= PLANES_MAX_SIDE);
    assert(planes == 1 || planes == 3);
    const struct planes shape = planes_shape(width, height, planes);
    void *pixels = calloc(planes_bytes(shape), 1);
    if (!pixels) {
        return error_set(err, "no memory for a picture of %d x %d pixels (%zu MB)", width, height,
                         planes_bytes(shape) / 1000000);
    }
    image->planes = planes_at(shape, pixels);
    return true;
}

void image_finish(struct image *image)
{
    free(image->planes.pixels);
    *image = (struct image){0};
}

bool image_fit(struct image *image, struct planes shape, struct error *err)
{
    const struct planes have = image->planes;
    if (have.pixels && have.width == shape.width && have.height == shape.height &&
        have.count == shape.count)
        return true;
    image_finish(image);
    return image_init(image, shape.width, shape.height, shape.count, err);
}

// ---- save ----

// libpng calls this for every error. It keeps the message and jumps to the caller's setjmp, where
// nothing but libpng's own structures needs to be freed.
static void png_refuse(png_structp png, png_const_charp message)
{
    g_strlcpy(png_get_error_ptr(png), message, IMAGE_REASON);
    png_longjmp(png, 1);
}

// A chunk that is too large is only a warning to libpng, which makes room for it.
static void png_ignore(png_structp png, png_const_charp message)
{
    if (strstr(message, "chunk data is too large")) png_error(png, message);
}

static void join_row(unsigned char *to, struct planes from, int y)
{
    for (int plane = 0; plane < from.count; plane++) {
        const unsigned char *row = planes_row(from, plane, y);
        for (int x = 0; x < from.width; x++) to[x * from.count + plane] = row[x];
    }
}

// What write_png needs; all of it is allocated before libpng may jump.
struct png_job {
    struct planes planes;
    png_text *chunks;
    int chunk_count;
    unsigned char *row;
    char reason[IMAGE_REASON];  // libpng's; "no memory" until then
};

static bool write_png(struct png_job *job, FILE *file)
{
    const struct planes v = job->planes;
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, job->reason, png_refuse, png_ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)v.width, (png_uint_32)v.height, 8,
                 v.count == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_text(png, info, job->chunks, job->chunk_count);
    png_write_info(png, info);
    for (int y = 0; y < v.height; y++) {
        join_row(job->row, v, y);
        png_write_row(png, job->row);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

// Text becomes a tEXt chunk (Latin-1), which every reader knows, or else an iTXt chunk (UTF-8).
static png_text make_chunk(struct image_text text)
{
    assert(strlen(text.key) >= 1 && strlen(text.key) <= 79);
    char *utf8 = g_utf8_make_valid(text.text, -1);
    char *latin = g_convert(utf8, -1, "ISO-8859-1", "UTF-8", NULL, NULL, NULL);
    png_text chunk = {.key = (char *)text.key};
    chunk.compression = latin ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
    chunk.text = latin ? latin : utf8;
    if (latin) g_free(utf8);
    return chunk;
}

static bool write_stream(struct planes planes, const struct image_text *texts, int text_count,
                         FILE *file, struct error *err)
{
    struct png_job job = {.planes = planes, .chunk_count = text_count, .reason = "no memory"};
    job.chunks = g_new0(png_text, (size_t)text_count + 1);
    for (int i = 0; i < text_count; i++) job.chunks[i] = make_chunk(texts[i]);
    job.row = g_malloc((size_t)planes.width * (size_t)planes.count);
    errno = 0;
    const bool is_done = write_png(&job, file);
    // libpng only says "Write Error" where the system knows more
    if (!is_done) error_set(err, "%s", errno ? g_strerror(errno) : job.reason);
    g_free(job.row);
    for (int i = 0; i < text_count; i++) g_free(job.chunks[i].text);
    g_free(job.chunks);
    return is_done;
}

bool image_save(struct planes planes, const char *path, const struct image_text *texts,
                int text_count, struct error *err)
{
    struct file_output o;
    if (!file_begin(&o, path, err)) return false;
    return file_end(&o, write_stream(planes, texts, text_count, o.stream, err), err);
}

bool image_encode(struct planes planes, const struct image_text *texts, int text_count,
                  unsigned char **bytes, size_t *size, struct error *err)
{
    char *made = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&made, &length);
    if (!stream) return error_set(err, "no memory for a picture");
    const bool is_written = write_stream(planes, texts, text_count, stream, err);
    const bool is_whole = !fclose(stream) || (is_written && error_set(err, "no memory"));
    if (!is_written || !is_whole) {
        free(made);
        return error_prefix(err, "cannot make a PNG: ");
    }
    *bytes = (unsigned char *)made;
    *size = length;
    return true;
}

// ---- text chunks ----

void image_texts_add(struct image_texts *texts, const char *key, const char *text)
{
    texts->texts = g_renew(struct image_text, texts->texts, texts->count + 1);
    texts->texts[texts->count++] = (struct image_text){g_strdup(key), g_strdup(text)};
}

static void take_text(struct image_texts *texts, const png_text *chunk)
{
    const bool is_utf8 = chunk->compression >= PNG_ITXT_COMPRESSION_NONE;
    char *utf8 = is_utf8 ? g_utf8_make_valid(chunk->text, -1)
                         : g_convert(chunk->text, -1, "UTF-8", "ISO-8859-1", NULL, NULL, NULL);
    image_texts_add(texts, chunk->key, utf8 ? utf8 : "");
    g_free(utf8);
}

static void take_texts(struct image_texts *texts, png_structp png, png_infop info)
{
    png_textp chunks;
    const int count = png_get_text(png, info, &chunks, NULL);
    for (int i = 0; i < count; i++) take_text(texts, &chunks[i]);
}

// Returns false for a damaged file, with the reason; texts has the chunks in front of the damage.
static bool read_chunks(struct image_texts *texts, FILE *file, char *reason)
{
    volatile bool is_whole = false;  // kept over libpng's jump
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reason, png_refuse, png_ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (info && !setjmp(png_jmpbuf(png))) {
        png_set_chunk_cache_max(png, IMAGE_MAX_TEXTS + 1);  // counts down to 1
        png_set_chunk_malloc_max(png, IMAGE_MAX_TEXT_BYTES);
        png_init_io(png, file);
        png_read_info(png, info);
        png_start_read_image(png);  // some programs write theirs behind the pixels
        png_read_end(png, info);
        is_whole = true;
    }
    if (info) take_texts(texts, png, info);
    png_destroy_read_struct(&png, &info, NULL);
    return is_whole;
}

static bool is_png(FILE *file)
{
    unsigned char head[8] = {0};
    const bool is_read = fread(head, 1, sizeof head, file) == sizeof head;
    rewind(file);
    return is_read && !png_sig_cmp(head, 0, sizeof head);
}

static bool read_texts(struct image_texts *texts, const struct image_file *f, struct error *err)
{
    char reason[IMAGE_REASON] = "no memory";
    if (!is_png(f->file)) return error_set(err, "it is not a PNG file");
    return read_chunks(texts, f->file, reason) || texts->count ||
           image_refuse_damaged(f, reason, err);
}

bool image_read_texts(struct image_texts *texts, const char *path, struct error *err)
{
    struct image_file f = {0};
    struct image_texts found = {0};
    const bool is_done = image_open(&f, path, err) && read_texts(&found, &f, err);
    if (f.file) fclose(f.file);
    if (is_done)
        *texts = found;
    else
        image_texts_finish(&found);
    return is_done || image_name_file(err, "read", path);
}

const char *image_find_text(const struct image_texts *texts, const char *key)
{
    for (int i = 0; i < texts->count; i++)
        if (!strcmp(texts->texts[i].key, key)) return texts->texts[i].text;
    return NULL;
}

void image_texts_finish(struct image_texts *texts)
{
    for (int i = 0; i < texts->count; i++) {
        g_free((char *)texts->texts[i].key);
        g_free((char *)texts->texts[i].text);
    }
    g_free(texts->texts);
    *texts = (struct image_texts){0};
}

// ---- in memory ----

// Pitches may differ: one picture may be a part of a larger one. Only asserts ask.
G_GNUC_UNUSED static bool is_same_size(struct planes a, struct planes b)
{
    return a.width == b.width && a.height == b.height && a.count == b.count;
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
    for (int plane = 0; plane < to.count; plane++) {
        for (int y = 0; y < to.height; y++) {
            memcpy(planes_row(to, plane, y), planes_row(from, plane, y), (size_t)to.width);
        }
    }
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
        for (size_t k = 0; k < 8 && i + k < bytes; k++) {
            planes.pixels[i + k] = (unsigned char)(word >> 8 * k);
        }
    }
}
