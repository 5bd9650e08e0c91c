// image_png.c -- reads and writes PNG files and their text chunks with libpng.
#include <assert.h>
#include <errno.h>
#include <glib.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/image.h"
#include "base/image_impl.h"

// libpng calls this for every error. It keeps the message and jumps to the caller's setjmp, where
// nothing but libpng's own structures needs to be freed.
static void refuse(png_structp png, png_const_charp message)
{
    g_strlcpy(png_get_error_ptr(png), message, IMAGE_REASON);
    png_longjmp(png, 1);
}

// ---- pixels ----

// Deflate reaches 1032 to 1, and PNG has at most eight pixels a byte.
static const double pixels_per_byte = 1032.0 * 8;

// All that must outlive libpng's jumps, which end in read_guarded().
struct png_reader {
    const struct image_file *f;
    struct image_raw *raw;
    struct error *err;
    png_structp png;
    png_infop info;
    char reason[IMAGE_REASON];
};

// libpng only warns of pixel data whose checksum is wrong.
static void warn(png_structp png, png_const_charp message)
{
    if (g_str_has_prefix(message, "IDAT:")) refuse(png, message);
}

// May jump.
static bool read_picture(struct png_reader *r)
{
    png_uint_32 size;
    png_bytep exif;
    // Only pixels and orientation are wanted: no chunk of colour profiles or texts can cost
    // anything.
    png_set_crc_action(r->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_AS_DEFAULT, (png_const_bytep) "eXIf", 1);
    png_set_user_limits(r->png, PLANES_MAX_SIDE, PLANES_MAX_SIDE);
    png_init_io(r->png, r->f->file);
    png_read_info(r->png, r->info);
    png_set_expand(r->png);  // to samples of 8 bits without alpha: grey ones, or three colours
    png_set_scale_16(r->png);
    png_set_strip_alpha(r->png);
    const int passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    if (!image_raw_init(r->raw, (int)png_get_image_width(r->png, r->info),
                        (int)png_get_image_height(r->png, r->info),
                        png_get_channels(r->png, r->info), r->err))
        return false;
    const size_t row_bytes = (size_t)r->raw->width * (size_t)r->raw->channels;
    for (int pass = 0; pass < passes; pass++)
        for (int y = 0; y < r->raw->height; y++)
            png_read_row(r->png, r->raw->pixels + (size_t)y * row_bytes, NULL);
    png_read_end(r->png, r->info);
    if (png_get_eXIf_1(r->png, r->info, &size, &exif))
        r->raw->orientation = image_exif_orientation(exif, size);
    return true;
}

// A function of its own: what the jump comes back over is not of this frame.
static bool read_guarded(struct png_reader *r)
{
    if (setjmp(png_jmpbuf(r->png))) return image_refuse_damaged(r->f, r->reason, r->err);
    return read_picture(r);
}

bool image_read_png(const struct image_file *f, struct image_raw *raw, struct error *err)
{
    struct png_reader r = {.f = f, .raw = raw, .err = err};
    // The size is read from the first chunk, because libpng does not report sizes that it refuses.
    unsigned char head[24];
    const bool is_read = fread(head, 1, sizeof head, f->file) == sizeof head;
    const bool is_header = is_read && !memcmp(head + 12, "IHDR", 4);
    if (!is_header) return image_refuse_damaged(f, "it has no header", err);
    rewind(f->file);
    if (!image_check_size(png_get_uint_32(head + 16), png_get_uint_32(head + 20), f,
                          pixels_per_byte, err))
        return false;
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r.reason, refuse, warn);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    const bool is_done = r.info ? read_guarded(&r) : error_set(err, "no memory");
    png_destroy_read_struct(&r.png, &r.info, NULL);
    return is_done;
}

// ---- saving ----

// A chunk that is too large is only a warning to libpng, which makes room for it.
static void refuse_large(png_structp png, png_const_charp message)
{
    if (strstr(message, "chunk data is too large")) png_error(png, message);
}

// Everything that write_png needs, allocated before libpng may jump.
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
        png_create_write_struct(PNG_LIBPNG_VER_STRING, job->reason, refuse, refuse_large);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)v.width, (png_uint_32)v.height, 8,
                 v.count == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    // A photo of two megapixels takes 0.1 s, and as libpng does it 0.5 s; files are 9 % larger at
    // most.
    png_set_compression_level(png, 3);
    png_set_compression_strategy(png, 0);  // zlib's default
    png_set_text(png, info, job->chunks, job->chunk_count);
    png_write_info(png, info);
    for (int y = 0; y < v.height; y++) {
        for (int plane = 0; plane < v.count; plane++)
            for (int x = 0; x < v.width; x++)
                job->row[x * v.count + plane] = planes_row(v, plane, y)[x];
        png_write_row(png, job->row);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

static bool write_stream(struct planes planes, const struct image_text *texts, int text_count,
                         FILE *file, struct error *err)
{
    struct png_job job = {.planes = planes, .chunk_count = text_count, .reason = "no memory"};
    job.chunks = g_new0(png_text, (size_t)text_count + 1);
    // Text becomes a tEXt chunk (Latin-1), which every reader knows, or else an iTXt chunk (UTF-8).
    for (int i = 0; i < text_count; i++) {
        char *utf8 = g_utf8_make_valid(texts[i].text, -1);
        char *latin = g_convert(utf8, -1, "ISO-8859-1", "UTF-8", NULL, NULL, NULL);
        assert(strlen(texts[i].key) >= 1 && strlen(texts[i].key) <= 79);
        job.chunks[i].key = (char *)texts[i].key;
        job.chunks[i].compression = latin ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
        job.chunks[i].text = latin ? latin : utf8;
        if (latin) g_free(utf8);
    }
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

// Returns false for a damaged file, with the reason; texts has the chunks in front of the damage.
static bool read_chunks(struct image_texts *texts, FILE *file, char *reason)
{
    volatile bool is_whole = false;  // kept over libpng's jump
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reason, refuse, refuse_large);
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
    png_textp chunks;
    const int count = info ? png_get_text(png, info, &chunks, NULL) : 0;
    for (int i = 0; i < count; i++) {
        const bool is_utf8 = chunks[i].compression >= PNG_ITXT_COMPRESSION_NONE;
        g_autofree char *utf8 =
            is_utf8 ? g_utf8_make_valid(chunks[i].text, -1)
                    : g_convert(chunks[i].text, -1, "UTF-8", "ISO-8859-1", NULL, NULL, NULL);
        image_texts_add(texts, chunks[i].key, utf8 ? utf8 : "");
    }
    png_destroy_read_struct(&png, &info, NULL);
    return is_whole;
}

bool image_read_texts(struct image_texts *texts, const char *path, struct error *err)
{
    struct image_file f;
    struct image_texts found = {0};
    char reason[IMAGE_REASON] = "no memory";
    unsigned char head[8] = {0};
    if (!image_open(&f, path, err)) return false;
    const bool is_png =
        fread(head, 1, sizeof head, f.file) == sizeof head && !png_sig_cmp(head, 0, sizeof head);
    rewind(f.file);
    const bool is_done = is_png ? read_chunks(&found, f.file, reason) || found.count ||
                                      image_refuse_damaged(&f, reason, err)
                                : error_set(err, "it is not a PNG file");
    fclose(f.file);
    if (is_done) *texts = found;
    return is_done || file_refuse(err, "read", path);
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
