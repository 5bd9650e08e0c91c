// image_tiff.c -- reads the first picture of TIFF files with libtiff.
#include <glib.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <tiffio.h>

#include "base/image_impl.h"

// A blank line of a fax takes one bit whatever its length.
static const double free_pixels = 1 << 26, pixels_per_byte = 8192;

enum { MAX_ALLOCATION = 1 << 30 };  // of libtiff at a time: a strip, a table

// The codecs that have long been in use. libtiff's others come and go with its builds.
static const uint16_t codecs[] = {
    COMPRESSION_NONE,      COMPRESSION_CCITTRLE,      COMPRESSION_CCITTFAX3,
    COMPRESSION_CCITTFAX4, COMPRESSION_LZW,           COMPRESSION_PACKBITS,
    COMPRESSION_DEFLATE,   COMPRESSION_ADOBE_DEFLATE, COMPRESSION_JPEG};

struct reader {
    const struct image_file *f;
    bool is_past_end;
    char reason[IMAGE_REASON];  // the first of libtiff's messages
};

// ---- what libtiff calls ----

static tmsize_t read_bytes(thandle_t user, void *bytes, tmsize_t size)
{
    struct reader *r = user;
    const tmsize_t got = (tmsize_t)fread(bytes, 1, (size_t)size, r->f->file);
    r->is_past_end |= got < size;
    return got;
}

static tmsize_t write_nothing(thandle_t user, void *bytes, tmsize_t size)
{
    (void)user, (void)bytes, (void)size;
    return -1;
}

static toff_t seek(thandle_t user, toff_t offset, int from)
{
    const struct reader *r = user;
    if (fseeko(r->f->file, (off_t)offset, from)) return (toff_t)-1;
    return (toff_t)ftello(r->f->file);
}

static toff_t size_of(thandle_t user)
{
    const struct reader *r = user;
    return (toff_t)r->f->bytes;
}

static int close_nothing(thandle_t user)
{
    (void)user;
    return 0;
}

static int hear_error(TIFF *tiff, void *user, const char *module, const char *format, va_list args)
{
    struct reader *r = user;
    (void)tiff, (void)module;
    if (!r->reason[0]) g_vsnprintf(r->reason, sizeof r->reason, format, args);
    return 1;  // nothing is printed
}

static int hear_warning(TIFF *tiff, void *user, const char *module, const char *format,
                        va_list args)
{
    (void)tiff, (void)user, (void)module, (void)format, (void)args;
    return 1;
}

// ---- reading ----

static bool refuse(const struct reader *r, struct error *err)
{
    if (r->is_past_end) return error_set(err, "the file is truncated");
    char *valid = g_utf8_make_valid(r->reason, -1);
    image_refuse_damaged(r->f, valid, err);
    g_free(valid);
    return false;
}

// libtiff's own reason need not name what is read.
static bool refuse_kind(TIFF *tiff, struct error *err)
{
    uint16_t bits = 1;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    return error_set(err,
                     "it is a TIFF picture with samples of %d bits, of a kind that is not read; "
                     "grey, palette, RGB, YCbCr, CMYK and Lab are, of whole numbers of up to 16 "
                     "bits",
                     bits);
}

static bool check(struct reader *r, TIFF *tiff, struct error *err)
{
    uint32_t width = 0, height = 0;
    uint16_t codec = COMPRESSION_NONE;
    char reason[1024] = "";
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &codec);
    const double limit = MAX(pixels_per_byte, free_pixels / (double)r->f->bytes);
    if (!image_check_size(width, height, r->f, limit, err)) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(codecs); i++)
        if (codec == codecs[i]) return TIFFRGBAImageOK(tiff, reason) || refuse_kind(tiff, err);
    return error_set(err, "it is a TIFF picture of compression %d, which is not read", codec);
}

// Keeps the channels that are wanted, in their place.
static void pack(struct image_raw *raw, const uint32_t *rgba, int channels)
{
    const size_t count = (size_t)raw->width * (size_t)raw->height;
    for (size_t i = 0; i < count; i++) {
        const uint32_t pixel = rgba[i];
        unsigned char *to = raw->pixels + i * (size_t)channels;
        to[0] = (unsigned char)TIFFGetR(pixel);
        if (channels < 3) continue;
        to[1] = (unsigned char)TIFFGetG(pixel);
        to[2] = (unsigned char)TIFFGetB(pixel);
    }
    raw->channels = channels;
}

// As it is stored: image_load() turns it, libtiff could only mirror it.
static bool decode(TIFFRGBAImage *picture, struct image_raw *raw, struct error *err)
{
    const bool is_grey = picture->photometric == PHOTOMETRIC_MINISBLACK ||
                         picture->photometric == PHOTOMETRIC_MINISWHITE;
    if (!image_raw_init(raw, (int)picture->width, (int)picture->height, 4, err)) return false;
    uint32_t *rgba = (uint32_t *)(void *)raw->pixels;
    raw->orientation = picture->orientation;
    picture->req_orientation = picture->orientation;
    if (!TIFFRGBAImageGet(picture, rgba, picture->width, picture->height)) return false;
    pack(raw, rgba, is_grey ? 1 : 3);
    return true;
}

static bool read_picture(struct reader *r, TIFF *tiff, struct image_raw *raw, struct error *err)
{
    TIFFRGBAImage picture;
    char reason[1024] = "";
    struct error why = {""};
    if (!check(r, tiff, err)) return false;
    // libtiff would multiply colours by their alpha; told that this was done, it leaves them alone.
    const uint16_t done = EXTRASAMPLE_ASSOCALPHA;
    uint16_t count = 0, *samples;
    if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &samples) && count == 1)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &done);
    if (!TIFFRGBAImageBegin(&picture, tiff, 1, reason)) return error_set(err, "%s", reason);
    const bool is_done = decode(&picture, raw, &why);
    TIFFRGBAImageEnd(&picture);
    if (is_done) return true;
    return why.text[0] ? error_set(err, "%s", why.text) : refuse(r, err);
}

bool image_read_tiff(const struct image_file *f, struct image_raw *raw, struct error *err)
{
    struct reader r = {.f = f};
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, MAX_ALLOCATION);
    TIFFOpenOptionsSetErrorHandlerExtR(options, hear_error, &r);
    TIFFOpenOptionsSetWarningHandlerExtR(options, hear_warning, NULL);
    TIFF *tiff = TIFFClientOpenExt("", "rm", &r, read_bytes, write_nothing, seek, close_nothing,
                                   size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    if (!tiff) return refuse(&r, err);
    const bool is_done = read_picture(&r, tiff, raw, err);
    TIFFClose(tiff);
    return is_done;
}
