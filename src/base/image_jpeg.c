// image_jpeg.c -- reads JPEG files with libjpeg.
#include <stdio.h>  // jpeglib.h wants it first

#include <jpeglib.h>

#include <jerror.h>
#include <setjmp.h>

#include "base/image_impl.h"

// A block of 64 pixels takes at least one bit in the first scan of a progressive file.
static const double pixels_per_byte = 1024;

// Files have about ten. Each further one costs a pass over all pixels and as little as 400 bytes.
enum { MAX_SCANS = 100 };

// All that must outlive libjpeg's jumps, which end in read_guarded().
struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    const struct image_file *f;
    struct image_raw *raw;
    struct error *err;
    bool has_many_scans;
};

static void refuse(j_common_ptr jpeg)
{
    struct reader *r = jpeg->client_data;
    longjmp(r->back, 1);
}

// Where libjpeg would guess, the file is damaged. Bytes between markers and odd versions are not
// damage.
static void hear(j_common_ptr jpeg, int level)
{
    const int code = jpeg->err->msg_code;
    const bool is_harmless =
        code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM;
    if (level < 0 && !is_harmless) refuse(jpeg);
}

static void count_scans(j_common_ptr jpeg)
{
    struct reader *r = jpeg->client_data;
    r->has_many_scans = r->jpeg.input_scan_number > MAX_SCANS;
    if (r->has_many_scans) refuse(jpeg);
}

// May jump.
static bool read_picture(struct reader *r)
{
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg->client_data = r;
    jpeg->progress = &r->progress;
    jpeg_stdio_src(jpeg, r->f->file);
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(jpeg, TRUE);
    if (!image_check_size(jpeg->image_width, jpeg->image_height, r->f, pixels_per_byte, r->err))
        return false;
    const J_COLOR_SPACE stored = jpeg->jpeg_color_space;
    jpeg->out_color_space = stored == JCS_GRAYSCALE                    ? JCS_GRAYSCALE
                            : stored == JCS_CMYK || stored == JCS_YCCK ? JCS_CMYK
                                                                       : JCS_RGB;
    jpeg_start_decompress(jpeg);
    if (!image_raw_init(r->raw, (int)jpeg->output_width, (int)jpeg->output_height,
                        jpeg->output_components, r->err))
        return false;
    const size_t row_bytes = (size_t)jpeg->output_width * (size_t)jpeg->output_components;
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW row = r->raw->pixels + jpeg->output_scanline * row_bytes;
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    for (jpeg_saved_marker_ptr m = jpeg->marker_list; m && r->raw->orientation == 1; m = m->next)
        r->raw->orientation = image_exif_orientation(m->data, m->data_length);
    jpeg_finish_decompress(jpeg);  // forgets the markers
    if (jpeg->out_color_space == JCS_CMYK) {
        // Four inks become three colours in their place. Adobe's programs store inks inverted.
        const size_t count = (size_t)r->raw->width * (size_t)r->raw->height;
        for (size_t i = 0; i < count; i++) {
            const unsigned char *inks = r->raw->pixels + i * 4;
            const int black = jpeg->saw_Adobe_marker ? inks[3] : 255 - inks[3];
            for (size_t k = 0; k < 3; k++) {
                const int ink = jpeg->saw_Adobe_marker ? inks[k] : 255 - inks[k];
                r->raw->pixels[i * 3 + k] = (unsigned char)((ink * black + 127) / 255);
            }
        }
        r->raw->channels = 3;
    }
    return true;
}

static bool read_guarded(struct reader *r)
{
    char reason[JMSG_LENGTH_MAX];
    if (!setjmp(r->back)) return read_picture(r);
    if (r->has_many_scans) return error_set(r->err, "it has more than %d scans", MAX_SCANS);
    r->errors.format_message((j_common_ptr)&r->jpeg, reason);
    return image_refuse_damaged(r->f, reason, r->err);
}

bool image_read_jpeg(const struct image_file *f, struct image_raw *raw, struct error *err)
{
    struct reader r = {.f = f, .raw = raw, .err = err};
    r.jpeg.err = jpeg_std_error(&r.errors);
    r.jpeg.client_data = &r;
    r.errors.error_exit = refuse;
    r.errors.emit_message = hear;
    r.progress.progress_monitor = count_scans;
    const bool is_done = read_guarded(&r);
    jpeg_destroy_decompress(&r.jpeg);
    return is_done;
}
