// Pictures as other programs write them: each format's forms, their orientations, and files that
// would end a careless reader.
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <png.h>
#include <tiffio.h>
#include <webp/encode.h>

#include "base/image.h"
#include "picture_files.h"

static void append_text(GByteArray *bytes, const char *text)
{
    g_byte_array_append(bytes, (const guint8 *)text, (guint)strlen(text));
}

// ---- orientation ----

// What is seen of the stored rows "abc" and "def", row by row, for each of EXIF's orientations.
static const char *const seen[] = {"abcdef", "abcdef", "cbafed", "fedcba", "defabc",
                                   "adbecf", "daebfc", "fcebda", "cfbead"};
static const guint8 stored[] = "abcdef";

static void assert_seen(const char *path, int orientation)
{
    struct image image = load(path, true);
    const char *expected = seen[orientation];
    assert_int_equal(image.planes.width, orientation < 5 ? 3 : 2);
    assert_int_equal(image.planes.height, orientation < 5 ? 2 : 3);
    for (int y = 0; y < image.planes.height; y++)
        for (int x = 0; x < image.planes.width; x++)
            assert_int_equal(planes_row(image.planes, 0, y)[x],
                             expected[y * image.planes.width + x]);
}

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

static GByteArray *make_png_with(const GByteArray *exif)
{
    GByteArray *bytes = make_png_form(3, 2, 8, 0), *rows = make_bytes(stored, 3);
    append_chunk(bytes, "eXIf", exif->data, exif->len);
    g_byte_array_append(rows, (const guint8 *)"\0def", 4);
    append_row(bytes, rows->data, rows->len);
    return bytes;
}

static void test_png_orientation(void **state)
{
    for (int i = 1; i <= 16; i++) {
        GByteArray *exif = make_exif((guint16)((i + 1) / 2), i % 2), *bytes = make_png_with(exif);
        assert_seen(write_bytes("a.png", bytes), (i + 1) / 2);
    }
}

static void test_tiff_orientation(void **state)
{
    for (int i = 1; i <= 8; i++) {
        TIFF *tiff = TIFFOpen(at("a.tif"), i % 2 ? "wl" : "wb");
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 3);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 2);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tiff, TIFFTAG_ORIENTATION, i);
        TIFFWriteScanline(tiff, (void *)(guintptr)stored, 0, 0);
        TIFFWriteScanline(tiff, (void *)(guintptr)(stored + 3), 1, 0);
        TIFFClose(tiff);
        assert_seen(at("a.tif"), i);
    }
}

static void insert(GByteArray *bytes, guint position, const guint8 *data, guint size)
{
    const guint old = bytes->len;
    g_byte_array_set_size(bytes, old + size);
    memmove(bytes->data + position + size, bytes->data + position, old - position);
    memcpy(bytes->data + position, data, size);
}

static GByteArray *make_jpeg_with(const guint8 *exif, guint size)
{
    const guint8 head[] = {0xff, 0xe1, (guint8)((size + 8) >> 8), (guint8)(size + 8)};
    GByteArray *bytes = make_jpeg(), *segment = make_bytes(head, sizeof head);
    g_byte_array_append(segment, (const guint8 *)"Exif\0", 6);
    g_byte_array_append(segment, exif, size);
    insert(bytes, 2, segment->data, segment->len);
    return bytes;
}

// The corners of the JPEG, row by row: 40, 106, 128 and 194 where it is stored.
static void test_jpeg_orientation(void **state)
{
    static const char *const corners[] = {"",     "abcd", "badc", "dcba", "cdab",
                                          "acbd", "cadb", "dbca", "bdac"};
    static const int values[] = {40, 106, 128, 194};
    for (int i = 1; i <= 8; i++) {
        GByteArray *exif = make_exif((guint16)i, i % 2);
        GByteArray *bytes = make_jpeg_with(exif->data, exif->len);
        struct image image =
            load_shape(write_bytes("a.jpg", bytes), i < 5 ? 67 : 45, i < 5 ? 45 : 67, 3);
        for (int k = 0; k < 4; k++) {
            const int y = k / 2 * (image.planes.height - 1), x = k % 2 * (image.planes.width - 1);
            assert_in_range(planes_row(image.planes, 0, y)[x] - values[corners[i][k] - 'a'] + 6, 0,
                            12);
        }
    }
}

// EXIF data that lie or end too early turn nothing and read nothing behind them.
static void test_hostile_exif(void **state)
{
    for (int k = 0; k < 4; k++) {
        GByteArray *exif = make_exif((guint16[]){6, 6, 0, 9}[k], true);
        if (k == 0) memset(exif->data + 4, 0xff, 4);
        if (k == 1) g_byte_array_set_size(exif, 30);
        if (k == 1) memset(exif->data + 8, 0xff, 2);
        for (guint size = k > 1 ? exif->len : 0; size <= exif->len; size++) {
            guint8 *copy = g_memdup2(exif->data, size);
            GByteArray *bytes = make_jpeg_with(copy, size);
            load_shape(write_bytes("a.jpg", bytes), 67, 45, 3);
            g_free(copy);
        }
    }
}

// ---- WebP ----

static GByteArray *make_webp(struct planes planes)
{
    uint8_t *encoded;
    guint8 *rgb = g_malloc((size_t)planes.width * (size_t)planes.height * 3);
    for (int i = 0; i < planes.width * planes.height * 3; i++)
        rgb[i] = planes_row(planes, i % 3, i / 3 / planes.width)[i / 3 % planes.width];
    const size_t size =
        WebPEncodeLosslessRGB(rgb, planes.width, planes.height, planes.width * 3, &encoded);
    GByteArray *bytes = make_bytes(encoded, (guint)size);
    WebPFree(encoded);
    g_free(rgb);
    return bytes;
}

static void append_riff(GByteArray *bytes, const char *type, const guint8 *data, guint size)
{
    const guint32 length = GUINT32_TO_LE(size);
    append_text(bytes, type);
    g_byte_array_append(bytes, (const guint8 *)&length, 4);
    g_byte_array_append(bytes, data, size);
    if (size % 2) g_byte_array_append(bytes, (const guint8 *)"", 1);
}

static void end_riff(GByteArray *bytes)
{
    const guint32 length = GUINT32_TO_LE(bytes->len - 8);
    memcpy(bytes->data + 4, &length, 4);
}

static void assert_same(const char *path, struct planes expected)
{
    struct image image = load(path, expected.count == 1);
    assert_true(planes_is_same_shape(image.planes, expected));
    assert_int_equal(image_compare(image.planes, expected).count, 0);
}

static void test_webp(void **state)
{
    struct image noise = make_noise(41, 37, 3, 5);
    GByteArray *bytes = make_webp(noise.planes);
    assert_same(write_bytes("a.webp", bytes), noise.planes);
    for (guint size = 12; size < bytes->len; size += size < 60 ? 1 : 97)
        assert_refused(write_file("cut.webp", bytes->data, size), "truncated");
}

// An animation of one frame: the header names a canvas, and the frame its place on it.
static void test_webp_animation(void **state)
{
    struct image noise = make_noise(3, 2, 3, 5);
    GByteArray *plain = make_webp(noise.planes), *bytes = make_bytes("RIFF....WEBP", 12);
    append_riff(bytes, "VP8X", (const guint8 *)"\x02\0\0\0\x02\0\0\x01\0", 10);
    append_riff(bytes, "ANIM", (const guint8 *)"\0\0\0\0\0", 6);
    GByteArray *frame = make_bytes("\0\0\0\0\0\0\x02\0\0\x01\0\0\x64\0\0", 16);
    g_byte_array_append(frame, plain->data + 12, plain->len - 12);
    append_riff(bytes, "ANMF", frame->data, frame->len);
    end_riff(bytes);
    assert_same(write_bytes("a.webp", bytes), noise.planes);
}

static void test_webp_orientation(void **state)
{
    struct image image;
    assert_true(image_init(&image, 3, 2, 3, NULL));
    for (int i = 0; i < 18; i++) planes_row(image.planes, i / 6, i % 6 / 3)[i % 3] = stored[i % 6];
    GByteArray *plain = make_webp(image.planes);
    for (int i = 1; i <= 16; i++) {
        GByteArray *exif = make_exif((guint16)((i + 1) / 2), true),
                   *bytes = make_bytes("RIFF....WEBP", 12);
        if (i % 2) insert(exif, 0, (const guint8 *)"Exif\0", 6);
        append_riff(bytes, "VP8X", (const guint8 *)"\x08\0\0\0\x02\0\0\x01\0", 10);
        g_byte_array_append(bytes, plain->data + 12, plain->len - 12);
        append_riff(bytes, "EXIF", exif->data, exif->len);
        end_riff(bytes);
        assert_seen(write_bytes("a.webp", bytes), (i + 1) / 2);
    }
    image_finish(&image);
}

// ---- TIFF ----

struct tiff_form {
    int samples, bits, compression;
    uint16_t extra;  // of the last sample; 0: none
};

// Each sample of 8 bits is the planes' own; a wider one has a second byte that is to be dropped.
static void write_tiff(const char *path, struct planes planes, struct tiff_form form)
{
    TIFF *tiff = TIFFOpen(path, "w");
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, planes.width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, planes.height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, form.bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, form.samples);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, form.compression);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                 planes.count == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 8);
    if (form.extra) TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &form.extra);
    const size_t step = (size_t)form.bits / 8;
    guint8 *row = g_malloc0((size_t)planes.width * (size_t)form.samples * step);
    for (int y = 0; y < planes.height; y++) {
        for (int i = 0; i < planes.width * planes.count; i++) {
            const size_t place = (size_t)(i / planes.count * form.samples + i % planes.count);
            memset(row + place * step, planes_row(planes, i % planes.count, y)[i / planes.count],
                   step);
        }
        TIFFWriteScanline(tiff, row, (uint32_t)y, 0);
    }
    TIFFClose(tiff);
    g_free(row);
}

static void test_tiff(void **state)
{
    static const struct tiff_form forms[] = {
        {3, 8, COMPRESSION_NONE, 0},
        {3, 16, COMPRESSION_LZW, 0},
        {3, 8, COMPRESSION_PACKBITS, 0},
        {4, 8, COMPRESSION_ADOBE_DEFLATE, EXTRASAMPLE_UNASSALPHA},
        {1, 8, COMPRESSION_ADOBE_DEFLATE, 0},
        {1, 16, COMPRESSION_NONE, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
        struct image noise = make_noise(41, 37, forms[i].samples == 1 ? 1 : 3, 5);
        write_tiff(at("a.tif"), noise.planes, forms[i]);
        assert_same(at("a.tif"), noise.planes);
        GByteArray *bytes = read_file(at("a.tif"));
        for (guint size = 4; size < bytes->len; size += 97)  // its directory lies behind its pixels
            assert_refused(write_file("cut.tif", bytes->data, size), "");
    }
}

static void test_tiff_refusals(void **state)
{
    struct image noise = make_noise(3, 2, 3, 5);
    write_tiff(at("a.tif"), noise.planes, (struct tiff_form){3, 8, COMPRESSION_NONE, 0});
    GByteArray *bytes = read_file(at("a.tif"));
    const guint32 directory = GUINT32_FROM_LE(*(guint32 *)(void *)(bytes->data + 4));
    guint8 *width = bytes->data + directory + 2 + 8, *height = width + 12;
    memcpy(width - 6, "\x04\0", 2);  // longs, as the value fills four bytes
    memcpy(height - 6, "\x04\0", 2);
    memcpy(width, "\0\x80\0\0", 4);
    memcpy(height, "\0\x80\0\0", 4);
    assert_refused(write_bytes("a.tif", bytes), "cannot hold 32768 x 32768 pixels");
    memcpy(width, "\x01\x80\0\0", 4);
    assert_refused(write_bytes("a.tif", bytes), "is 32769 x 32768 pixels; the limit");
    noise = make_noise(3, 2, 1, 5);
    write_tiff(at("a.tif"), noise.planes, (struct tiff_form){1, 32, COMPRESSION_NONE, 0});
    assert_refused(at("a.tif"), "it is a TIFF picture with samples of 32 bits");
}

// ---- PNG ----

static void test_png_forms(void **state)
{
    static const guint8 palette[] = {1, 2, 3, 40, 50, 60}, bits[] = {0x40};
    static const guint8 deep[] = {10, 10, 200, 200, 0, 0, 255, 255};
    GByteArray *bytes = make_png_form(2, 1, 1, PNG_COLOR_TYPE_PALETTE);
    append_chunk(bytes, "PLTE", palette, sizeof palette);
    append_chunk(bytes, "tRNS", "\0", 1);
    append_row(bytes, bits, 1);
    struct image image = load_shape(write_bytes("a.png", bytes), 2, 1, 3);
    for (int plane = 0; plane < 3; plane++)
        assert_memory_equal(planes_row(image.planes, plane, 0),
                            ((const guint8[]){palette[plane], palette[3 + plane]}), 2);

    bytes = make_png_form(4, 1, 16, PNG_COLOR_TYPE_GRAY);
    append_row(bytes, deep, sizeof deep);
    image = load_shape(write_bytes("a.png", bytes), 4, 1, 1);
    assert_memory_equal(planes_row(image.planes, 0, 0), "\x0a\xc8\0\xff", 4);
}

static void write_interlaced(const char *path, struct planes planes)
{
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)planes.width, (png_uint_32)planes.height, 8,
                 PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_ADAM7, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int pass = png_set_interlace_handling(png); pass > 0; pass--)
        for (int y = 0; y < planes.height; y++) png_write_row(png, planes_row(planes, 0, y));
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

static void test_interlaced_png(void **state)
{
    static const int sides[][2] = {{1, 1}, {3, 2}, {41, 37}, {8, 9}};
    for (size_t i = 0; i < G_N_ELEMENTS(sides); i++) {
        struct image noise = make_noise(sides[i][0], sides[i][1], 1, 5);
        write_interlaced(at("a.png"), noise.planes);
        assert_same(at("a.png"), noise.planes);
    }
}

// Every byte of a PNG is covered by a checksum or has one legal value.
static void test_png_checksums(void **state)
{
    struct image noise = make_noise(13, 7, 3, 3);
    static const struct image_text text = {"filter", "Mean"};
    assert_true(image_save(noise.planes, at("a.png"), &text, 1, NULL));
    GByteArray *bytes = read_file(at("a.png"));
    for (guint i = 8; i < bytes->len; i++) {
        bytes->data[i] ^= 0x10;
        assert_refused(write_bytes("bad.png", bytes), "");
        bytes->data[i] ^= 0x10;
    }
}

// The pixels' own checksum is wrong, the chunk's is right; and a block of no kind, which ended the
// program.
static void test_bad_deflate(void **state)
{
    static const char *const streams[] = {"\x78\x01\x01\x02\0\xfd\xff\0\x07\0\0\0\x01",
                                          "\x78\x01\x07\0\0\0\0\0\0\0\0\0\x01"};
    for (size_t i = 0; i < G_N_ELEMENTS(streams); i++) {
        GByteArray *bytes = make_png_form(1, 1, 8, 0);
        append_chunk(bytes, "IDAT", streams[i], 13);
        append_chunk(bytes, "IEND", "", 0);
        assert_refused(write_bytes("bad.png", bytes), "damaged");
    }
}

// ---- files that ended the program ----

// A Huffman table whose counts say more codes than there can be.
static void test_huffman_counts(void **state)
{
    for (guint count = 0; count < 256; count += 51) {
        GByteArray *bytes = make_jpeg();
        for (guint i = 2; i + 21 < bytes->len; i++)
            if (bytes->data[i] == 0xff && bytes->data[i + 1] == 0xc4)
                memset(bytes->data + i + 5, (int)count, 16);
        assert_refused(write_bytes("bad.jpg", bytes), "");
    }
    GByteArray *bytes = make_bytes("\xff\xd8\xff\xc4\x03\x10", 7);
    for (int i = 0; i < 400; i++) g_byte_array_append(bytes, (const guint8 *)"\0\xff\xff\xff", 4);
    assert_refused(write_bytes("bad.jpg", bytes), "");
}

static void test_softimage(void **state)
{
    guint8 bytes[172] = "\x53\x80\xf6\x34";
    memcpy(bytes + 88, "PICT\0\x04\0\x03", 8);
    memcpy(bytes + 104, "\0\x08\x05\xe0", 4);
    assert_refused(write_file("a.pic", bytes, sizeof bytes), "it is a Softimage picture");
}

// A legal progressive file can ask for a pass over all pixels again and again.
static void test_many_scans(void **state)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    JSAMPLE row[64 * 3] = {0};
    JSAMPROW rows[] = {row};
    jpeg_scan_info scans[190] = {{3, {0, 1, 2}, 0, 0, 0, 0}};
    for (int i = 1; i < 190; i++) {
        const int band = 1 + (i - 1) % 63;
        scans[i] = (jpeg_scan_info){1, {(i - 1) / 63}, band, band, 0, 0};
    }
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = jpeg.image_height = 64;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg.scan_info = scans;
    jpeg.num_scans = 190;
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < 64) jpeg_write_scanlines(&jpeg, rows, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    assert_refused(write_file("a.jpg", bytes, size), "more than 100 scans");
    free(bytes);
}

// ---- names ----

static void test_names_do_not_count(void **state)
{
    struct image noise = make_noise(13, 7, 3, 3);
    GByteArray *jpeg = make_jpeg(), *webp = make_webp(noise.planes);
    assert_true(image_save(noise.planes, at("a.jpg"), NULL, 0, NULL));
    assert_same(at("a.jpg"), noise.planes);
    assert_same(write_bytes("a.bmp", webp), noise.planes);
    write_tiff(at("a.png"), noise.planes, (struct tiff_form){3, 8, COMPRESSION_NONE, 0});
    assert_same(at("a.png"), noise.planes);
    load(write_bytes("a.png", jpeg), false);
}

static void test_known_by_sight(void **state)
{
    assert_refused(write_file("a.png", "GIF89a\1\0\1\0\0\0\0", 14), "it is a GIF picture");
    assert_refused(write_file("a.psd", "8BPS\0\1\0\0\0\0\0\0\0", 14), "it is a Photoshop picture");
    assert_refused(write_file("a.avif",
                              "\0\0\0\x1c"
                              "ftypavif\0\0\0\0",
                              16),
                   "HEIF or AVIF");
    assert_refused(write_file("a.png", "a text, and no picture", 22),
                   "Tilescope reads PNG, JPEG, WebP, TIFF, BMP, PNM and TGA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_png_orientation),
        cmocka_unit_test(test_tiff_orientation),
        cmocka_unit_test(test_jpeg_orientation),
        cmocka_unit_test(test_hostile_exif),
        cmocka_unit_test(test_webp),
        cmocka_unit_test(test_webp_animation),
        cmocka_unit_test(test_webp_orientation),
        cmocka_unit_test(test_tiff),
        cmocka_unit_test(test_tiff_refusals),
        cmocka_unit_test(test_png_forms),
        cmocka_unit_test(test_interlaced_png),
        cmocka_unit_test(test_png_checksums),
        cmocka_unit_test(test_bad_deflate),
        cmocka_unit_test(test_huffman_counts),
        cmocka_unit_test(test_softimage),
        cmocka_unit_test(test_many_scans),
        cmocka_unit_test(test_names_do_not_count),
        cmocka_unit_test(test_known_by_sight),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
