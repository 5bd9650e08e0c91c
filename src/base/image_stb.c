// image_stb.c -- reads BMP, PNM and TGA with stb_image.
//
// stb_image is not made for hostile files. Its readers of these three are short and were fuzzed; in
// those that are switched off (PNG, JPEG, GIF, PSD, PIC, HDR) damaged files have overrun memory.
#include <glib.h>
#include <string.h>

#include "base/image_impl.h"
#include "base/planes.h"

#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#define STBI_ONLY_BMP
#define STBI_ONLY_PNM
#define STBI_ONLY_TGA
#define STBI_MAX_DIMENSIONS PLANES_MAX_SIDE
#define STBI_FAILURE_USERMSG
#include <stb/stb_image.h>

// A run of 128 pixels takes two bytes.
static const double pixels_per_byte = 128;

// A file as stb reads it. The first read fills stb's own buffer. Later reads to that address refill
// it and may return less than asked for; all other reads must return everything.
struct stream {
    FILE *file;
    const char *buffer;  // NULL before the first read
    bool is_past_end;    // the decoder wanted more than the file has
};

static int stream_read(void *user, char *data, int size)
{
    struct stream *s = user;
    const size_t got = fread(data, 1, (size_t)size, s->file);
    if (!s->buffer) s->buffer = data;
    if (got == 0 || (got < (size_t)size && data != s->buffer)) s->is_past_end = true;
    return (int)got;
}

static void stream_skip(void *user, int bytes)
{
    const struct stream *s = user;
    fseek(s->file, bytes, SEEK_CUR);
}

// Stays true after the end was reached once: decoders loop until then, and fseek() clears feof().
static int stream_eof(void *user)
{
    const struct stream *s = user;
    return s->is_past_end || feof(s->file) || ferror(s->file);
}

static const stbi_io_callbacks stream_calls = {stream_read, stream_skip, stream_eof};

bool image_read_stb(const struct image_file *f, struct image_raw *raw, struct error *err)
{
    struct stream stream = {.file = f->file};
    // The header alone says whether decoding would exhaust the memory; where it cannot be read, the
    // decoder knows better why.
    int width, height, channels;
    const bool is_known =
        stbi_info_from_callbacks(&stream_calls, &stream, &width, &height, &channels);
    rewind(f->file);
    if (is_known && !image_check_size(width, height, f, pixels_per_byte, err)) return false;
    const bool is_deep = stbi_is_16_bit_from_callbacks(&stream_calls, &stream);
    rewind(f->file);
    stream = (struct stream){.file = f->file};
    if (is_deep) {
        // PNM's samples of 16 bits have their high byte first. Not every stb knows that, so one is
        // tried. Each sample goes down to its own place.
        static const unsigned char one[] = "P5 1 1 65535\n\1\2";
        int side;
        stbi_us *probe = stbi_load_16_from_memory(one, sizeof one - 1, &side, &side, &channels, 0);
        const int shift = probe && *probe == 0x0102 ? 8 : 0;
        stbi_us *samples = stbi_load_16_from_callbacks(&stream_calls, &stream, &raw->width,
                                                       &raw->height, &raw->channels, 0);
        const size_t count =
            samples ? (size_t)raw->width * (size_t)raw->height * (size_t)raw->channels : 0;
        raw->pixels = (unsigned char *)samples;
        for (size_t i = 0; i < count; i++) raw->pixels[i] = (unsigned char)(samples[i] >> shift);
        stbi_image_free(probe);
    } else {
        raw->pixels = stbi_load_from_callbacks(&stream_calls, &stream, &raw->width, &raw->height,
                                               &raw->channels, 0);
    }
    const char *reason = stbi_failure_reason();
    if (raw->pixels && !stream.is_past_end) return true;
    if (ferror(f->file)) return error_set(err, "%s", g_strerror(EIO));
    if (!raw->pixels && reason && !strcmp(reason, "Image not of any known type, or corrupt"))
        return error_set(err,
                         "it is not a picture of a known kind; Tilescope reads " IMAGE_FORMATS);
    if (stream.is_past_end) return error_set(err, "the file is truncated");
    return error_set(err, "the file is damaged (%s)", reason ? reason : "no reason is known");
}
