// image_tiff.c -- reads the first picture of TIFF files with libtiff.
#include <glib.h>
#include <stdarg.h>
#include <stdint.h>
#include <tiffio.h>
#include <unistd.h>

#include "base/image_impl.h"

// A blank line of a fax takes one bit whatever its length.
static const double free_pixels = 1 << 26, pixels_per_byte = 8192;

enum { MAX_ALLOCATION = 1 << 30 };  // of libtiff at a time: a strip, a table

// The codecs that have long been in use. libtiff's others come and go with its builds.
static const uint16_t codecs[] = {
    COMPRESSION_NONE,      COMPRESSION_CCITTRLE,      COMPRESSION_CCITTFAX3,
    COMPRESSION_CCITTFAX4, COMPRESSION_LZW,           COMPRESSION_PACKBITS,
    COMPRESSION_DEFLATE,   COMPRESSION_ADOBE_DEFLATE, COMPRESSION_JPEG};

// Keeps the first message, and prints none.
static int hear(TIFF *tiff, void *user, const char *module, const char *format, va_list args)
{
    char *reason = user;
    (void)tiff, (void)module;
    if (!*reason) g_vsnprintf(reason, IMAGE_REASON, format, args);
    return 1;
}

// False with no words in err: libtiff has said why.
static bool read_picture(const struct image_file *f, TIFF *tiff, struct image_raw *raw,
                         struct error *err)
{
    TIFFRGBAImage picture;
    uint32_t width = 0, height = 0;
    uint16_t codec = COMPRESSION_NONE, bits = 1;
    bool is_known = false;
    char reason[1024] = "";
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &codec);
    const double limit = MAX(pixels_per_byte, free_pixels / (double)f->bytes);
    if (!image_check_size(width, height, f, limit, err)) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(codecs); i++) is_known |= codec == codecs[i];
    if (!is_known)
        return error_set(err, "it is a TIFF picture of compression %d, which is not read", codec);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    if (!TIFFRGBAImageOK(tiff, reason))  // the reason need not name what is read
        return error_set(err,
                         "it is a TIFF picture with samples of %d bits, of a kind that is not "
                         "read; grey, palette, RGB, YCbCr, CMYK and Lab are, of whole numbers of "
                         "up to 16 bits",
                         bits);
    // libtiff would multiply colours by their alpha; told that this was done, it leaves them alone.
    const uint16_t done = EXTRASAMPLE_ASSOCALPHA;
    uint16_t count = 0, *samples;
    if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &samples) && count == 1)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &done);
    if (!TIFFRGBAImageBegin(&picture, tiff, 1, reason)) return error_set(err, "%s", reason);
    // As it is stored: image_load() turns it, libtiff could only mirror it.
    picture.req_orientation = picture.orientation;
    // Words of red in the lowest byte to blue and alpha: where low bytes come first, that is RGBA.
    G_STATIC_ASSERT(G_BYTE_ORDER == G_LITTLE_ENDIAN);
    const bool is_done =
        image_raw_init(raw, (int)picture.width, (int)picture.height, 4, err) &&
        TIFFRGBAImageGet(&picture, (uint32_t *)(void *)raw->pixels, picture.width, picture.height);
    raw->is_grey = picture.photometric == PHOTOMETRIC_MINISBLACK ||
                   picture.photometric == PHOTOMETRIC_MINISWHITE;
    raw->orientation = picture.orientation;
    TIFFRGBAImageEnd(&picture);
    return is_done;
}

bool image_read_tiff(const struct image_file *f, struct image_raw *raw, struct error *err)
{
    char reason[IMAGE_REASON] = "", warning[IMAGE_REASON] = "";
    struct error why = {""};
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, MAX_ALLOCATION);
    TIFFOpenOptionsSetErrorHandlerExtR(options, hear, reason);
    TIFFOpenOptionsSetWarningHandlerExtR(options, hear, warning);
    const int file = dup(fileno(f->file));  // TIFFClose() closes its own
    lseek(file, 0, SEEK_SET);
    TIFF *tiff = TIFFFdOpenExt(file, "", "rm", options);
    TIFFOpenOptionsFree(options);
    const bool is_done = tiff && read_picture(f, tiff, raw, &why);
    if (tiff)
        TIFFClose(tiff);
    else
        close(file);
    g_autofree char *valid = g_utf8_make_valid(reason, -1);
    if (!is_done && why.text[0])
        error_set(err, "%s", why.text);
    else if (!is_done)
        error_set(err, "the file is truncated or damaged (%s)", valid);
    return is_done;
}
