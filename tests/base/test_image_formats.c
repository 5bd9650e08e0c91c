// Pictures as other programs write them: each format's forms, their orientations, and files that
// would end a careless reader. The fuzzers' corpus has a few pixels of each form.
#include "unit.h"

#include <tiffio.h>

#include "base/image.h"
#include "picture_files.h"

// ---- forms ----

// The samples, pixel by pixel.
TEST(samples)
{
    static const struct {
        const char *name;
        int width, height, planes;
        const char *samples;
    } rows[] = {
        {"a.bmp", 3, 2, 3, "90 80 70 60 50 40 30 20 10 9 8 7 6 5 4 3 2 1 "},
        {"a.pgm", 1, 2, 1, "17 153 "},
        {"deep.pgm", 1, 1, 1, "1 "},
        {"a.ppm", 3, 1, 3, "1 2 3 4 5 6 7 8 9 "},
        {"a.tga", 2, 1, 3, "3 2 1 6 5 4 "},
        {"map.tga", 2, 1, 3, "6 5 4 3 2 1 "},
        {"runs.tga", 4, 1, 3, "3 2 1 3 2 1 6 5 4 9 8 7 "},
        {"palette.png", 2, 1, 3, "1 2 3 4 5 6 "},
        {"deep.png", 1, 1, 3, "1 3 5 "},  // and alpha
        {"exif.png", 2, 3, 1, "100 97 101 98 102 99 "},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct planes p =
            load_shape(sample(rows[i].name), rows[i].width, rows[i].height, rows[i].planes).planes;
        g_autoptr(GString) samples = g_string_new(NULL);
        for (int k = 0; k < p.width * p.height * p.count; k++) {
            const int pixel = k / p.count, y = pixel / p.width, x = pixel % p.width;
            g_string_append_printf(samples, "%d ", planes_row(p, k % p.count, y)[x]);
        }
        assert_string_equal(samples->str, rows[i].samples);
    }
    const struct planes tiff = load_shape(sample("rgb.tif"), 8, 8, 3).planes;
    const guint8 *stored = read_file(sample("rgb.tif"))->data + 8;  // its only strip
    for (int i = 0; i < 8 * 8 * 3; i++)
        assert_int_equal(planes_row(tiff, i % 3, i / 24)[i / 3 % 8], stored[i]);
}

static void assert_same(const char *path, struct planes expected)
{
    struct image image = load(path, expected.count == 1);
    assert_true(planes_is_same_shape(image.planes, expected));
    assert_int_equal(image_compare(image.planes, expected).count, 0);
}

// The same picture in another form, under a name that says nothing.
TEST(forms)
{
    static const char *const twins[][2] = {
        {"rgb.png", "lossless.webp"}, {"rgb.png", "moving.webp"}, {"grey.png", "interlaced.png"},
        {"rgb.tif", "deep.tif"},      {"rgb.tif", "alpha.tif"},   {"fax3.tif", "fax4.tif"}};
    for (size_t i = 0; i < G_N_ELEMENTS(twins); i++) {
        const struct image one = load(sample(twins[i][0]), false);
        assert_same(write_bytes("a.jpg", read_file(sample(twins[i][1]))), one.planes);
    }
    struct image red = load(sample("rgb.tif"), false);
    red.planes.count = 1;
    assert_same(sample("lzw.tif"), red.planes);
    load(write_bytes("a.png", read_file(sample("ramp.jpg"))), false);
}

TEST(lossy_samples)
{
    const struct image ramp = load_shape(sample("ramp.jpg"), 67, 45, 3);
    for (int i = 0; i < 67 * 45 * 3; i++) {
        const int plane = i % 3, x = i / 3 % 67, y = i / 3 / 67;
        const int loss = planes_row(ramp.planes, plane, y)[x] - (40 + x + 2 * y + 20 * plane);
        assert_in_range(loss + 6, 0, 12);
    }
    GByteArray *bytes = read_file(sample("ramp.jpg"));
    g_byte_array_append(bytes, (const guint8 *)"behind", 6);  // cameras do that
    assert_same(write_bytes("a.jpg", bytes), ramp.planes);
    load_shape(sample("lossy.webp"), 7, 5, 3);
    load_shape(sample("inks.jpg"), 7, 5, 3);
    load_shape(sample("grey.jpg"), 7, 5, 1);
}

// Cut anywhere, a file is refused. Readers of TIFF may not miss what an end of a strip lacks, and
// those of BMP the padding of its last row.
TEST(cut)
{
    g_autoptr(GDir) dir = g_dir_open(sample(""), 0, NULL);
    for (const char *name; (name = g_dir_read_name(dir));) {
        const char *ending = strrchr(name, '.');
        if (!ending) continue;
        GByteArray *bytes = read_file(sample(name));
        const bool is_said = strstr(".jpg.webp.png", ending) && strcmp(name, "scans.jpg") != 0;
        const guint len = bytes->len, most = len - (!strcmp(ending, ".tif")   ? 4
                                                    : !strcmp(ending, ".bmp") ? 3
                                                                              : 0);
        for (guint size = 1; size < most; size += size < 40 || size + 20 > len ? 1 : 1 + len / 40)
            assert_no_image(write_file("cut", bytes->data, size),
                            is_said && size >= 12 ? "truncated" : "");
    }
}

// ---- orientation ----

// A directory with a text and the orientation, low byte first or high byte first.
static GByteArray *make_exif(guint16 orientation, bool is_little)
{
    const guint16 words[] = {42, 0,     8, 2, 0x10e, 2,           0, 4, 0x6968,
                             0,  0x112, 3, 0, 1,     orientation, 0, 0, 0};
    GByteArray *exif = make_bytes(is_little ? "II" : "MM", 2);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        const guint16 word = is_little ? GUINT16_TO_LE(words[i]) : GUINT16_TO_BE(words[i]);
        g_byte_array_append(exif, (const guint8 *)&word, 2);
    }
    if (!is_little) return exif;
    static const size_t longs[] = {4, 14, 26};  // their words change places
    for (size_t i = 0; i < G_N_ELEMENTS(longs); i++) {
        guint8 *at_long = exif->data + longs[i], high[2];
        memcpy(high, at_long, 2);
        memmove(at_long, at_long + 2, 2);
        memcpy(at_long + 2, high, 2);
    }
    return exif;
}

static void insert(GByteArray *bytes, guint position, const guint8 *data, guint size)
{
    const guint old = bytes->len;
    g_byte_array_set_size(bytes, old + size);
    memmove(bytes->data + position + size, bytes->data + position, old - position);
    memcpy(bytes->data + position, data, size);
}

static const char *write_png_with(const GByteArray *exif)
{
    GByteArray *bytes = read_file(sample("rgb.png")), *chunk = make_bytes("", 0);
    append_chunk(chunk, "eXIf", exif->data, exif->len);
    insert(bytes, 33, chunk->data, chunk->len);  // behind the signature and the first chunk
    return write_bytes("a.png", bytes);
}

static const char *write_jpeg_with(const GByteArray *exif)
{
    const guint size = exif->len + 8;
    const guint8 head[] = {0xff, 0xe1, (guint8)(size >> 8), (guint8)size};
    GByteArray *bytes = read_file(sample("ramp.jpg")), *segment = make_bytes(head, sizeof head);
    g_byte_array_append(segment, (const guint8 *)"Exif\0", 6);
    g_byte_array_append(segment, exif->data, exif->len);
    insert(bytes, 2, segment->data, segment->len);
    return write_bytes("a.jpg", bytes);
}

static void append_riff(GByteArray *bytes, const char *type, const guint8 *data, guint size)
{
    const guint32 length = GUINT32_TO_LE(size);
    g_byte_array_append(bytes, (const guint8 *)type, 4);
    g_byte_array_append(bytes, (const guint8 *)&length, 4);
    g_byte_array_append(bytes, data, size);
    if (size % 2) g_byte_array_append(bytes, (const guint8 *)"", 1);
}

// Some write JPEG's "Exif\0\0" in front, too.
static const char *write_webp_with(const GByteArray *exif)
{
    GByteArray *plain = read_file(sample("lossless.webp")), *bytes = make_bytes("RIFF....WEBP", 12);
    GByteArray *chunk = make_bytes(exif->data, exif->len);
    if (exif->data[0] == 'M') insert(chunk, 0, (const guint8 *)"Exif\0", 6);
    append_riff(bytes, "VP8X", (const guint8 *)"\x08\0\0\0\x06\0\0\x04\0", 10);
    g_byte_array_append(bytes, plain->data + 12, plain->len - 12);
    append_riff(bytes, "EXIF", chunk->data, chunk->len);
    const guint32 length = GUINT32_TO_LE(bytes->len - 8);
    memcpy(bytes->data + 4, &length, 4);
    return write_bytes("a.webp", bytes);
}

static const char *write_tiff_with(const GByteArray *exif)
{
    write_bytes("a.tif", read_file(sample("rgb.tif")));
    TIFF *tiff = TIFFOpen(at("a.tif"), "r+");
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, exif->data[30] + exif->data[31]);
    TIFFRewriteDirectory(tiff);
    TIFFClose(tiff);
    return at("a.tif");
}

// Where in the stored picture a pixel is that is seen: whether rows are columns, and whether they
// are counted from the right and from the bottom.
TEST(orientation)
{
    static const struct {
        bool is_turned, from_right, from_bottom;
    } ways[] = {[1] = {0, 0, 0}, [2] = {0, 1, 0}, [3] = {0, 1, 1}, [4] = {0, 0, 1},
                [5] = {1, 0, 0}, [6] = {1, 0, 1}, [7] = {1, 1, 1}, [8] = {1, 1, 0}};
    static const struct {
        const char *name;
        const char *(*write)(const GByteArray *exif);
    } formats[] = {{"rgb.png", write_png_with},
                   {"ramp.jpg", write_jpeg_with},
                   {"lossless.webp", write_webp_with},
                   {"rgb.tif", write_tiff_with}};
    for (int i = 0; i < 8 * 2 * 4; i++) {
        const int orientation = 1 + i % 8;
        const struct planes stored = load(sample(formats[i / 16].name), false).planes;
        const char *path = formats[i / 16].write(make_exif((guint16)orientation, i / 8 % 2));
        const bool is_turned = ways[orientation].is_turned;
        const int width = is_turned ? stored.height : stored.width;
        const int height = is_turned ? stored.width : stored.height;
        const struct planes seen = load_shape(path, width, height, 3).planes;
        for (int k = 0; k < width * height * 3; k++) {
            const int x = k / 3 % width, y = k / 3 / width, across = is_turned ? y : x,
                      down = is_turned ? x : y;
            const int from_x = ways[orientation].from_right ? stored.width - 1 - across : across;
            const int from_y = ways[orientation].from_bottom ? stored.height - 1 - down : down;
            assert_int_equal(planes_row(seen, k % 3, y)[x],
                             planes_row(stored, k % 3, from_y)[from_x]);
        }
    }
}

// EXIF data that lie or end too early turn nothing and read nothing behind them.
TEST(hostile_exif)
{
    for (int k = 0; k < 4; k++) {
        GByteArray *exif = make_exif((guint16[]){6, 6, 0, 9}[k], true);
        if (k == 0) memset(exif->data + 4, 0xff, 4);
        if (k == 1) g_byte_array_set_size(exif, 30);
        if (k == 1) memset(exif->data + 8, 0xff, 2);
        for (guint size = k > 1 ? exif->len : 0; size <= exif->len; size++)
            load_shape(write_jpeg_with(make_bytes(exif->data, size)), 67, 45, 3);
    }
}

// ---- refusals ----

// The entries of rgb.tif's directory: width, height, bits of a sample.
TEST(tiff_refusals)
{
    static const struct {
        const char *width, *height, *bits, *why;
    } rows[] = {
        {"\0\x80\0\0", "\0\x80\0\0", "\x08", "cannot hold 32768 x 32768 pixels"},
        {"\x01\x80\0\0", "\0\x80\0\0", "\x08", "is 32769 x 32768 pixels; the limit"},
        {"\x08\0\0\0", "\x08\0\0\0", "\x20", "it is a TIFF picture with samples of 32 bits"}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        GByteArray *bytes = read_file(sample("rgb.tif"));
        guint8 *entries = bytes->data + bytes->data[4] + 2;
        guint8 *bits = bytes->data + entries[24 + 8] + 256 * entries[24 + 9];
        memcpy(entries + 2, "\x04\0", 2);  // longs, as the value fills four bytes
        memcpy(entries + 12 + 2, "\x04\0", 2);
        memcpy(entries + 8, rows[i].width, 4);
        memcpy(entries + 12 + 8, rows[i].height, 4);
        for (int k = 0; k < 3; k++) bits[2 * k] = (guint8)rows[i].bits[0];
        assert_no_image(write_bytes("a.tif", bytes), rows[i].why);
    }
}

// Every byte of a PNG is covered by a checksum or has one legal value.
TEST(png_checksums)
{
    struct image noise = make_noise(13, 7, 3, 3);
    static const struct image_text text = {"filter", "Mean"};
    assert_true(image_save(noise.planes, at("a.png"), &text, 1, NULL));
    GByteArray *bytes = read_file(at("a.png"));
    for (guint i = 8; i < bytes->len; i++) {
        bytes->data[i] ^= 0x10;
        assert_no_image(write_bytes("bad.png", bytes), "");
        bytes->data[i] ^= 0x10;
    }
}

// The pixels' own checksum is wrong, the chunk's is right; and a block of no kind, which ended the
// program.
TEST(bad_deflate)
{
    static const char *const streams[] = {"\x78\x01\x01\x02\0\xfd\xff\0\x07\0\0\0\x01",
                                          "\x78\x01\x07\0\0\0\0\0\0\0\0\0\x01"};
    for (size_t i = 0; i < G_N_ELEMENTS(streams); i++) {
        GByteArray *bytes = make_png_form(1, 1, 8, 0);
        append_chunk(bytes, "IDAT", streams[i], 13);
        append_chunk(bytes, "IEND", "", 0);
        assert_no_image(write_bytes("bad.png", bytes), "damaged");
    }
}

// A Huffman table whose counts say more codes than there can be.
TEST(huffman_counts)
{
    for (guint count = 0; count < 256; count += 51) {
        GByteArray *bytes = read_file(sample("ramp.jpg"));
        for (guint i = 2; i + 21 < bytes->len; i++)
            if (bytes->data[i] == 0xff && bytes->data[i + 1] == 0xc4)
                memset(bytes->data + i + 5, (int)count, 16);
        assert_no_image(write_bytes("bad.jpg", bytes), "");
    }
    GByteArray *bytes = make_bytes("\xff\xd8\xff\xc4\x03\x10", 7);
    for (int i = 0; i < 400; i++) g_byte_array_append(bytes, (const guint8 *)"\0\xff\xff\xff", 4);
    assert_no_image(write_bytes("bad.jpg", bytes), "");
}

// A legal progressive file can ask for a pass over all pixels again and again: this one has 190.
TEST(many_scans)
{
    assert_no_image(sample("scans.jpg"), "more than 100 scans");
}

TEST(known_by_sight)
{
    guint8 softimage[172] = "\x53\x80\xf6\x34";
    memcpy(softimage + 88, "PICT\0\x04\0\x03", 8);
    memcpy(softimage + 104, "\0\x08\x05\xe0", 4);
    assert_no_image(write_file("a.pic", softimage, sizeof softimage), "it is a Softimage picture");
    assert_no_image(write_file("a.png", "GIF89a\1\0\1\0\0\0\0", 14), "it is a GIF picture");
    assert_no_image(write_file("a.psd", "8BPS\0\1\0\0\0\0\0\0\0", 14), "it is a Photoshop picture");
    assert_no_image(write_file("a.avif",
                               "\0\0\0\x1c"
                               "ftypavif\0\0\0\0",
                               16),
                    "HEIF or AVIF");
    assert_no_image(write_file("a.png", "a text, and no picture", 22),
                    "Tilescope reads PNG, JPEG, WebP, TIFF, BMP, PNM and TGA");
}

SUITE("image_formats", make_folder, remove_folder)
