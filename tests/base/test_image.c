// Pictures in files: round trips, foreign formats, text chunks, and every kind of file that must be
// refused with one line that names it.
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>

#include <glib/gstdio.h>

#include "base/image.h"
#include "picture_files.h"

#ifdef __has_feature  // clang's
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1  // gcc's
#endif
#endif

static const struct {
    int width, height;
} sizes[] = {{1, 1}, {1, 37}, {41, 1}, {67, 45}, {203, 117}, {127, 3}, {128, 2}, {129, 5}};

// ---- memory ----

TEST(init)
{
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        OWNED(image_finish) struct image image;
        assert_true(image_init(&image, sizes[i].width, sizes[i].height, 3, NULL));
        assert_true(image.planes.pitch >= sizes[i].width && image.planes.pitch % 128 == 0);
        assert_int_equal(image.planes.plane_bytes % 512, 0);
        const size_t bytes = planes_bytes(image.planes);
        for (size_t k = 0; k < bytes; k++) assert_int_equal(image.planes.pixels[k], 0);
        image_finish(&image);
        assert_null(image.planes.pixels);
    }
}

TEST(no_memory)
{
#ifdef __SANITIZE_ADDRESS__
    print_message("skipped: AddressSanitizer needs the address space that this test takes away\n");
    skip();
#endif
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    small = old;
    small.rlim_cur = 1u << 30;
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    struct image image = {0};
    const bool is_made = image_init(&image, PLANES_MAX_SIDE, PLANES_MAX_SIDE, 3, &err);
    setrlimit(RLIMIT_AS, &old);
    assert_false(is_made);
    assert_null(image.planes.pixels);
    assert_non_null(strstr(err.text, "32768 x 32768"));
}

TEST(noise)
{
    struct image a = make_noise(203, 117, 3, 7), b = make_noise(203, 117, 3, 7);
    const size_t bytes = planes_bytes(a.planes);
    assert_memory_equal(a.planes.pixels, b.planes.pixels, bytes);
    const unsigned char first[8] = {0xd7, 0x0d, 0x32, 0x59, 0xe4, 0xe1, 0xcb, 0x63};
    assert_memory_equal(a.planes.pixels, first, sizeof first);  // the same on every machine

    long counts[256] = {0};
    for (size_t i = 0; i < bytes; i++) counts[a.planes.pixels[i]]++;
    for (int i = 0; i < 256; i++) assert_in_range(counts[i], bytes / 512, bytes / 128);

    long padding = 0;  // zeros stay rare behind the last column, too
    for (int y = 0; y < 117; y++) {
        for (int x = 203; x < a.planes.pitch; x++) padding += planes_row(a.planes, 2, y)[x] == 0;
    }
    assert_in_range(padding, 1, 117 * (a.planes.pitch - 203) / 64);

    image_fill_noise(b.planes, 8);
    assert_true(image_compare(a.planes, b.planes).count > 203 * 117 * 3 * 9 / 10);
}

TEST(compare)
{
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        const int w = sizes[i].width, h = sizes[i].height;
        struct image a = make_noise(w, h, 3, 1), b = make_noise(w, h, 3, 2);
        image_copy(b.planes, a.planes);  // paddings differ
        struct image_difference d = image_compare(a.planes, b.planes);
        assert_int_equal(d.count, 0);
        assert_int_equal(d.max, 0);

        unsigned char *last = &planes_row(b.planes, 2, h - 1)[w - 1];
        *last = *last < 128 ? 255 : 0;
        unsigned char *corner = planes_row(b.planes, 0, 0);
        *corner ^= 1;
        d = image_compare(a.planes, b.planes);
        assert_int_equal(d.count, 2);
        assert_int_equal(d.max, abs(*last - planes_row(a.planes, 2, h - 1)[w - 1]));
        assert_int_equal(d.x, w - 1);
        assert_int_equal(d.y, h - 1);
        assert_int_equal(d.plane, 2);
    }
}

// ---- good files ----

// Each mean by its definition, at sizes that leave parts of squares at the edges.
TEST(reduce)
{
    static const int shapes[][2] = {{1, 1}, {7, 5}, {129, 33}, {1, 40}, {300, 2}};
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
        for (int planes = 1; planes <= 3; planes += 2)
            for (int factor = 1; factor <= 9; factor += factor == 4 ? 5 : 1) {
                OWNED(image_finish) struct image whole = {0}, small = {0};
                assert_true(image_init(&whole, shapes[i][0], shapes[i][1], planes, NULL));
                image_fill_noise(whole.planes, (unsigned)(i + 1));
                assert_true(image_reduce(&small, whole.planes, factor, NULL));
                const struct planes from = whole.planes, to = small.planes;
                assert_int_equal(to.width, (from.width + factor - 1) / factor);
                assert_int_equal(to.height, (from.height + factor - 1) / factor);
                assert_int_equal(to.count, planes);
                for (int at = 0; at < to.width * to.height * planes; at++) {
                    const int x = at % to.width, y = at / to.width % to.height;
                    const int plane = at / to.width / to.height;
                    int sum = 0, count = 0;
                    for (int dy = y * factor; dy < MIN((y + 1) * factor, from.height); dy++)
                        for (int dx = x * factor; dx < MIN((x + 1) * factor, from.width); dx++)
                            sum += planes_row(from, plane, dy)[dx], count++;
                    assert_int_equal(planes_row(to, plane, y)[x], (2 * sum + count) / (2 * count));
                }
            }
    // Sums do not overflow.
    OWNED(image_finish) struct image white = {0}, small = {0};
    assert_true(image_init(&white, 5000, 300, 1, NULL));
    memset(white.planes.pixels, 255, planes_bytes(white.planes));
    assert_true(image_reduce(&small, white.planes, 5000, NULL));
    assert_int_equal(small.planes.width * small.planes.height, 1);
    assert_int_equal(small.planes.pixels[0], 255);
}

TEST(round_trip)
{
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        for (int planes = 1; planes <= 3; planes += 2) {
            struct image a = make_noise(sizes[i].width, sizes[i].height, planes, (unsigned)i);
            must(image_save(a.planes, at("a.png"), NULL, 0, &err));
            struct image b = load_shape(at("a.png"), sizes[i].width, sizes[i].height, planes);
            assert_int_equal(image_compare(a.planes, b.planes).count, 0);
        }
    }
    assert_int_equal(count_files(), 1);  // nothing beside it
    struct stat facts;
    assert_int_equal(stat(at("a.png"), &facts), 0);
    const mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(facts.st_mode & 0777, 0666 & ~mask);
    g_remove(at("a.png"));
}

TEST(grey)
{
    struct image a = make_noise(67, 45, 3, 5);
    assert_true(image_save(a.planes, at("a.png"), NULL, 0, NULL));
    struct image b = load(at("a.png"), true);
    assert_int_equal(b.planes.count, 1);
    for (int y = 0; y < 45; y++) {
        for (int x = 0; x < 67; x++) {
            const int red = planes_row(a.planes, 0, y)[x], green = planes_row(a.planes, 1, y)[x];
            const int luma = 299 * red + 587 * green + 114 * planes_row(a.planes, 2, y)[x];
            const int grey = planes_row(b.planes, 0, y)[x];
            assert_in_range(2 * (luma - 1000 * grey) + 1000, 0, 2000);
        }
    }
    g_remove(at("a.png"));
}

static void assert_pixel(struct planes v, int x, int y, int red, int green, int blue)
{
    assert_int_equal(planes_row(v, 0, y)[x], red);
    assert_int_equal(planes_row(v, 1, y)[x], green);
    assert_int_equal(planes_row(v, 2, y)[x], blue);
}

TEST(alpha)
{
    const unsigned char rgba[] = {10, 20, 30, 0, 40, 50, 60, 128}, grey[] = {10, 0, 200, 255};
    GByteArray *bytes = make_png_row(2, 6, rgba, 8);
    struct image image = load_shape(write_bytes("a.png", bytes), 2, 1, 3);
    assert_pixel(image.planes, 0, 0, 10, 20, 30);
    assert_pixel(image.planes, 1, 0, 40, 50, 60);

    bytes = make_png_row(2, 4, grey, 4);
    image = load_shape(write_bytes("a.png", bytes), 2, 1, 1);
    assert_int_equal(planes_row(image.planes, 0, 0)[0], 10);
    assert_int_equal(planes_row(image.planes, 0, 0)[1], 200);
}

// ---- bad files ----

TEST(not_files)
{
    assert_no_image(at("missing.png"), "No such file or directory");
    assert_no_image(at(""), "it is a folder");
    assert_no_image(write_file("empty.png", "", 0), "the file is empty");
}

TEST(not_pictures)
{
    char text[5000];
    memset(text, 'e', sizeof text);
    static const size_t lengths[] = {1, 2, 5, 17, 127, 128, 129, 256, 5000};
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        assert_no_image(write_file("a.png", text, lengths[i]), "not a picture");
        assert_no_image(write_file("a.png", memset(text, 0, sizeof text), lengths[i]),
                        "not a picture");
        memset(text, 'e', sizeof text);
    }
}

// The decoder reads 128 bytes at a time, and pixels in one go: both ends are tried.
TEST(truncated_pnm)
{
    for (int wanted = 1; wanted <= 300; wanted++) {
        char head[32];
        const int size = snprintf(head, sizeof head, "P5 1 %d 255\n", wanted);
        GByteArray *bytes = make_bytes(head, (guint)size);
        g_byte_array_set_size(bytes, (guint)(size + wanted));
        memset(bytes->data + size, 7, (size_t)wanted);
        load(write_bytes("a.pgm", bytes), false);
        assert_no_image(write_file("cut.pgm", bytes->data, bytes->len - 1), "truncated");
    }
}

static void refuse_png_head(guint32 width, guint32 height, const char *what)
{
    GByteArray *bytes = make_png_form(width, height, 8, 2);
    g_byte_array_append(bytes, (const guint8 *)"\0\0\0\x01IDATx", 9);
    assert_no_image(write_bytes("head.png", bytes), what);
}

TEST(sizes)
{
    refuse_png_head(0, 10, "0 x 10 pixels");
    refuse_png_head(10, 0, "10 x 0 pixels");
    refuse_png_head(40000, 10, "is 40000 x 10 pixels; the limit is 32768 a side");
    refuse_png_head(10, 32769, "is 10 x 32769 pixels; the limit is 32768 a side");
    refuse_png_head(4294967295u, 4294967295u, "is 4294967295 x 4294967295 pixels; the limit");
    refuse_png_head(32768, 32768, "truncated");
    refuse_png_head(20000, 20000, "truncated");
    refuse_png_head(30, 20, "truncated");
    assert_no_image(write_file("a.pgm", "P5 0 7 255\n", 11), "");
    assert_no_image(write_file("a.pgm", "P5 7 0 255\n", 11), "");
    assert_no_image(write_file("a.pgm", "P5 40000 10 255\n...", 19),
                    "is 40000 x 10 pixels; the limit is 32768 a side");
    assert_no_image(write_file("a.ppm", "P6 30000 30000 255\n...", 22), "truncated");

    unsigned char *row = g_malloc0(40000);  // not only by the header: a whole file of that width
    GByteArray *wide = make_png_row(40000, 0, row, 40000);
    assert_no_image(write_bytes("a.png", wide), "is 40000 x 1 pixels; the limit");
    wide = make_png_row(PLANES_MAX_SIDE, 0, row, PLANES_MAX_SIDE);
    load_shape(write_bytes("a.png", wide), PLANES_MAX_SIDE, 1, 1);
    g_free(row);
}

// Bytes changed at random: any answer but a crash; whatever is read has a legal shape.
TEST(damaged)
{
    struct image noise = make_noise(41, 37, 3, 3);
    assert_true(image_save(noise.planes, at("a.png"), NULL, 0, NULL));
    GByteArray *good[2] = {read_file(sample("ramp.jpg")), read_file(at("a.png"))};
    unsigned int random = 1;
    for (int i = 0; i < 400; i++) {
        GByteArray *bytes = good[i % 2];
        random = random * 1664525u + 1013904223u;
        guint8 *victim = &bytes->data[(random >> 8) % bytes->len];
        const guint8 old = *victim;
        *victim ^= (guint8)(1u << (random >> 3) % 8);
        struct image image;
        if (image_load(&image, write_bytes("a.bin", bytes), false, NULL)) {
            assert_in_range(image.planes.width, 1, PLANES_MAX_SIDE);
            assert_in_range(image.planes.height, 1, PLANES_MAX_SIDE);
            image_finish(&image);
        }
        *victim = old;
    }
}

// ---- text chunks ----

static const struct image_text texts[] = {
    {"filter", "Mean"},      {"empty", ""},
    {"block", "32\u00d78"},  {"caption", "\u0441\u0440\u0435\u0434\u043d\u0435\u0435 \u5e73\u5747"},
    {"lines", "one\ntwo\n"}, {"kernel_ms", "0.412"},
};

static bool holds(const GByteArray *bytes, const char *what, size_t size)
{
    for (size_t i = 0; i + size <= bytes->len; i++) {
        if (!memcmp(bytes->data + i, what, size)) return true;
    }
    return false;
}

static void assert_named(const char *path, const char *what)
{
    if (!strstr(err.text, path) || !strstr(err.text, what) || strchr(err.text, '\n'))
        fail_msg("'%s' does not name '%s' and '%s' on one line", err.text, path, what);
}

static void assert_no_texts(const char *path, const char *what)
{
    struct image_texts found, before;
    memset(&found, 0xa5, sizeof found);
    before = found;
    if (image_read_texts(&found, path, &err)) fail_msg("%s: read", path);
    assert_memory_equal(&found, &before, sizeof found);
    assert_named(path, what);
}

static void assert_texts(const char *path, const struct image_text *wanted, int count)
{
    OWNED(image_texts_finish) struct image_texts found = {0};
    must(image_read_texts(&found, path, &err));
    assert_int_equal(found.count, count);
    for (int i = 0; i < count; i++) {
        assert_string_equal(found.texts[i].key, wanted[i].key);
        assert_string_equal(found.texts[i].text, wanted[i].text);
        assert_string_equal(image_find_text(&found, wanted[i].key), wanted[i].text);
    }
    assert_null(image_find_text(&found, "Filter"));
    assert_null(image_find_text(&found, "fil"));
    image_texts_finish(&found);
}

TEST(all_texts)
{
    struct image image = make_noise(67, 45, 1, 4);
    assert_true(image_save(image.planes, at("a.png"), texts, G_N_ELEMENTS(texts), NULL));
    assert_texts(at("a.png"), texts, G_N_ELEMENTS(texts));
    struct image same = load(at("a.png"), false);
    assert_int_equal(image_compare(image.planes, same.planes).count, 0);
    GByteArray *bytes = read_file(at("a.png"));
    assert_true(holds(bytes, "tEXtfilter\0Mean", 15));
    assert_true(holds(bytes,
                      "tEXtblock\0"
                      "32\xd7"
                      "8",
                      14));
    assert_true(holds(bytes, "iTXtcaption\0", 12));
    write_file("b.png", bytes->data, bytes->len / 2);  // damaged behind the texts
    assert_texts(at("b.png"), texts, G_N_ELEMENTS(texts));
    assert_true(image_save(image.planes, at("a.png"), NULL, 0, NULL));
    assert_texts(at("a.png"), NULL, 0);
    // As other programs write it: text between the pixels and the end.
    bytes = read_file(at("a.png"));
    g_byte_array_set_size(bytes, bytes->len - 12);
    append_chunk(bytes, "tEXt", "k\0after", 7);
    append_chunk(bytes, "IEND", "", 0);
    assert_texts(write_bytes("b.png", bytes), &(struct image_text){"k", "after"}, 1);
}

TEST(no_texts)
{
    assert_no_texts(at("missing.png"), "No such file");
    assert_no_texts(at(""), "it is a folder");
    assert_no_texts(write_file("b.png", "", 0), "empty");
    assert_no_texts(write_file("b.png", "not a PNG, but long enough", 26), "not a PNG file");
    assert_no_texts(write_file("b.png", "\x89PNG\r\n\x1a\n", 8), "truncated");
    assert_no_texts(write_file("b.png", "\x89PNG\r\n\x1a\n\0\0\0\x0dJUNK and no header at all", 36),
                    "damaged");
}

static GByteArray *make_good_head(void)
{
    GByteArray *bytes = make_png_form(5, 3, 8, 0);
    append_chunk(bytes, "tEXt", "first\0kept", 10);
    return bytes;
}

// Chunks that lie, or ask for memory: what stood in front of them is there, and no more than that.
TEST(hostile_texts)
{
    static const struct image_text first = {"first", "kept"};
    static const struct {
        const char *type, *data;
        guint size;
    } rows[] = {{"tEXt", "", 0},
                {"tEXt", "no end of the key", 17},
                {"tEXt", "\0text without a key", 19},
                {"iTXt", "k\0", 2},
                {"iTXt", "k\0\1\0en\0k\0not deflated", 22},
                {"iTXt", "k\0\1\x7f\0\0x", 7},
                {"zTXt", "k\0\0\x78\x9c\xff\xff", 7},
                {"zTXt", "k\0\x09text", 7}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        GByteArray *bytes = make_good_head();
        append_chunk(bytes, rows[i].type, rows[i].data, rows[i].size);
        write_bytes("hostile.png", bytes);
        OWNED(image_texts_finish) struct image_texts found = {0};
        assert_true(image_read_texts(&found, at("hostile.png"), NULL));
        assert_string_equal(image_find_text(&found, "first"), "kept");
    }
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    static const char *const lengths[] = {"\x7f\xff\xff\xfftEXtkey", "\xff\xff\xff\xfftEXtkey",
                                          "\x00\x50\x00\x00tEXtkey"};
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        GByteArray *bytes = make_good_head();
        g_byte_array_append(bytes, (const guint8 *)lengths[i], 11);
        assert_texts(write_bytes("hostile.png", bytes), &first, 1);
    }
    getrusage(RUSAGE_SELF, &after);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0,
                    100000);  // kB, of the 2 GB that are said
}

TEST(too_many_texts)
{
    GByteArray *bytes = make_good_head();
    for (int i = 0; i < 5000; i++) append_chunk(bytes, "tEXt", "k\0v", 3);
    write_bytes("hostile.png", bytes);
    OWNED(image_texts_finish) struct image_texts found = {0};
    assert_true(image_read_texts(&found, at("hostile.png"), NULL));
    assert_in_range(found.count, IMAGE_MAX_TEXTS - 1, IMAGE_MAX_TEXTS);
}

// Every byte changed and every length cut: never a crash, and never more than was written.
TEST(damaged_texts)
{
    struct image image = make_noise(3, 2, 1, 4);
    assert_true(image_save(image.planes, at("a.png"), texts, G_N_ELEMENTS(texts), NULL));
    GByteArray *bytes = read_file(at("a.png"));
    for (guint i = 0; i < 2 * bytes->len; i++) {
        const bool is_cut = i >= bytes->len;
        const guint k = i % bytes->len;
        if (!is_cut) bytes->data[k] ^= 0x41;
        write_file("b.png", bytes->data, is_cut ? k : bytes->len);
        if (!is_cut) bytes->data[k] ^= 0x41;
        OWNED(image_texts_finish) struct image_texts found = {0};
        err.text[0] = '\0';
        if (!image_read_texts(&found, at("b.png"), &err))
            assert_non_null(strstr(err.text, "b.png"));
        assert_in_range(found.count, 0, G_N_ELEMENTS(texts));
    }
}

// ---- a bad target ----

// Others are test_file's. The disk is full half way: the old file stays as it was, with nothing
// beside it.
TEST(disk_full)
{
    struct image small = make_noise(41, 1, 1, 1), large = make_noise(640, 480, 3, 2);
    assert_true(image_save(small.planes, at("full.png"), NULL, 0, NULL));
    const int files = count_files();
    struct rlimit old, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    tight = old;
    tight.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const bool is_saved = image_save(large.planes, at("full.png"), NULL, 0, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_false(is_saved);
    assert_non_null(strstr(err.text, "full.png': File too large"));
    assert_int_equal(count_files(), files);
    struct image same = load(at("full.png"), false);
    assert_int_equal(image_compare(small.planes, same.planes).count, 0);
}

SUITE("image", make_folder, remove_folder)
