// image_webp.c -- reads WebP files with libwebp: the picture, or an animation's first frame.
#include <glib.h>
#include <stdlib.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include "base/image_impl.h"

// One colour all over takes a few bytes at any size; WebP itself allows 16383 pixels a side.
static const double free_pixels = 1 << 26, pixels_per_byte = 8192;

static bool read_bytes(const struct image_file *f, const unsigned char *bytes,
                       struct image_raw *raw, struct error *err)
{
    WebPDemuxState state;
    WebPIterator frame;
    WebPChunkIterator exif;
    const WebPData all = {bytes, (size_t)f->bytes};
    WebPDemuxer *demuxer = WebPDemuxPartial(&all, &state);
    const bool is_whole = demuxer && state == WEBP_DEMUX_DONE;
    if (!is_whole && demuxer) error_set(err, "the file is truncated");
    if (!demuxer) error_set(err, "the file is truncated or damaged");
    bool is_done = is_whole && (WebPDemuxGetFrame(demuxer, 1, &frame) ||
                                error_set(err, "the file is damaged (it has no picture)"));
    if (is_done) {
        const WebPData picture = frame.fragment;
        const double limit = MAX(pixels_per_byte, free_pixels / (double)f->bytes);
        int width, height;
        if (!WebPGetInfo(picture.bytes, picture.size, &width, &height))
            is_done = image_refuse_damaged(f, "its head is wrong", err);
        else
            is_done = image_check_size(width, height, f, limit, err) &&
                      image_raw_init(raw, width, height, 3, err) &&
                      (WebPDecodeRGBInto(picture.bytes, picture.size, raw->pixels,
                                         (size_t)width * (size_t)height * 3, width * 3) ||
                       image_refuse_damaged(f, "its pixels are wrong", err));
        WebPDemuxReleaseIterator(&frame);
    }
    if (is_done && WebPDemuxGetChunk(demuxer, "EXIF", 1, &exif)) {
        raw->orientation = image_exif_orientation(exif.chunk.bytes, exif.chunk.size);
        WebPDemuxReleaseChunkIterator(&exif);
    }
    WebPDemuxDelete(demuxer);
    return is_done;
}

bool image_read_webp(const struct image_file *f, struct image_raw *raw, struct error *err)
{
    const size_t size = (size_t)f->bytes;
    unsigned char *bytes = malloc(size);
    if (!bytes) return error_set(err, "no memory for a file of %zu MB", size / 1000000);
    const bool is_done = fread(bytes, 1, size, f->file) == size
                             ? read_bytes(f, bytes, raw, err)
                             : image_refuse_damaged(f, "it cannot be read", err);
    free(bytes);
    return is_done;
}
