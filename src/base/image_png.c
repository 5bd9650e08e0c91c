// image_png.c -- reads PNG files with libpng. Writing them is image.c's work.
#include <glib.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/image_impl.h"
#include "base/planes.h"

// Deflate reaches 1032 to 1, and PNG has at most eight pixels a byte.
static const double pixels_per_byte = 1032.0 * 8;

// All that must outlive libpng's jumps, which end in read_guarded().
struct reader {
    const struct image_file *f;
    struct image_raw *raw;
    struct error *err;
    png_structp png;
    png_infop info;
    char reason[IMAGE_REASON];
};

static void refuse(png_structp png, png_const_charp message)
{
    struct reader *r = png_get_error_ptr(png);
    g_strlcpy(r->reason, message, sizeof r->reason);
    png_longjmp(png, 1);
}

// libpng only warns of pixel data whose checksum is wrong.
static void warn(png_structp png, png_const_charp message)
{
    if (g_str_has_prefix(message, "IDAT:")) refuse(png, message);
}

// Reads the size from the first chunk, because libpng does not report sizes that it refuses.
static bool check_size(const struct image_file *f, struct error *err)
{
    unsigned char head[24];
    const bool is_read = fread(head, 1, sizeof head, f->file) == sizeof head;
    const bool is_header = is_read && !memcmp(head + 12, "IHDR", 4);
    if (!is_header) return image_refuse_damaged(f, "it has no header", err);
    rewind(f->file);
    return image_check_size(png_get_uint_32(head + 16), png_get_uint_32(head + 20), f,
                            pixels_per_byte, err);
}

// Only pixels and orientation are wanted: no chunk of colour profiles or texts can cost anything.
static void set_up(const struct reader *r)
{
    png_set_crc_action(r->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_AS_DEFAULT, (png_const_bytep) "eXIf", 1);
    png_set_user_limits(r->png, PLANES_MAX_SIDE, PLANES_MAX_SIDE);
    png_init_io(r->png, r->f->file);
}

// Samples of 8 bits without alpha: grey ones, or three colours.
static int set_form(const struct reader *r)
{
    png_set_expand(r->png);
    png_set_scale_16(r->png);
    png_set_strip_alpha(r->png);
    const int passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    return passes;
}

static int find_orientation(const struct reader *r)
{
    png_uint_32 size;
    png_bytep exif;
    if (!png_get_eXIf_1(r->png, r->info, &size, &exif)) return 1;
    return image_exif_orientation(exif, size);
}

// May jump.
static bool read_picture(struct reader *r)
{
    set_up(r);
    png_read_info(r->png, r->info);
    const int passes = set_form(r);
    if (!image_raw_init(r->raw, (int)png_get_image_width(r->png, r->info),
                        (int)png_get_image_height(r->png, r->info),
                        png_get_channels(r->png, r->info), r->err))
        return false;
    const size_t row_bytes = (size_t)r->raw->width * (size_t)r->raw->channels;
    for (int pass = 0; pass < passes; pass++)
        for (int y = 0; y < r->raw->height; y++)
            png_read_row(r->png, r->raw->pixels + (size_t)y * row_bytes, NULL);
    png_read_end(r->png, r->info);
    r->raw->orientation = find_orientation(r);
    return true;
}

static bool read_guarded(struct reader *r)
{
    if (setjmp(png_jmpbuf(r->png))) return image_refuse_damaged(r->f, r->reason, r->err);
    return read_picture(r);
}

bool image_read_png(const struct image_file *f, struct image_raw *raw, struct error *err)
{
    struct reader r = {.f = f, .raw = raw, .err = err};
    if (!check_size(f, err)) return false;
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, refuse, warn);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    const bool is_done = r.info ? read_guarded(&r) : error_set(err, "no memory");
    png_destroy_read_struct(&r.png, &r.info, NULL);
    return is_done;
}
