// probe_png.c -- looks into PNG files and windows for the shell tests, and makes pictures for them.
//
//     probe_png text A                    its text chunks, a line each: key=value
//     probe_png shape A                   "203x117 rgb" (or grey, other)
//     probe_png pixel A X Y               "12 34 56"
//     probe_png colours A X Y W H         how many colours that region has
//     probe_png same A B [X Y W H]        succeeds when the pictures, or that region, are equal
//     probe_png difference A B OUT        writes |A - B|, its largest as 255; prints "max samples"
//     probe_png grab WINDOW OUT           what a window of $DISPLAY shows, by its X11 id
//     probe_png close WINDOW              asks it to close, as a window manager does
//     probe_png noise OUT W H KIND SEED   writes noise; KIND is grey, rgb, rgba or greya
//     probe_png mean A OUT RADIUS         the mean filter, slow and plain
//     probe_png invert A OUT
//     probe_png hold FILE                 whoever opens FILE now waits until this is ended; prints
//                                         "held"
//
// Shares no code with the program. Fails with 1 and a line on stderr.
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <fcntl.h>
#include <png.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct picture {
    int width, height;
    png_bytep pixels;  // RGB, without padding
};

struct box {
    int x, y, width, height;
};

static _Noreturn void die(const char *what, const char *name)
{
    fprintf(stderr, "probe_png: %s '%s'\n", what, name);
    exit(1);
}

// Alpha is read and dropped: asked for RGB alone, libpng would blend with a background.
static struct picture read_picture(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) die("cannot read", path);
    image.format = PNG_FORMAT_RGBA;
    png_bytep pixels = malloc(PNG_IMAGE_SIZE(image));
    if (!pixels || !png_image_finish_read(&image, NULL, pixels, 0, NULL)) die("cannot read", path);
    const size_t count = (size_t)image.width * (size_t)image.height;
    for (size_t i = 0; i < count; i++) memmove(pixels + 3 * i, pixels + 4 * i, 3);
    return (struct picture){(int)image.width, (int)image.height, pixels};
}

static void write_picture(const char *path, int width, int height, unsigned int format,
                          const void *pixels)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .flags = PNG_IMAGE_FLAG_FAST,
                       .format = format};
    if (!png_image_write_to_file(&image, path, 0, pixels, 0, NULL)) die("cannot write", path);
}

static const unsigned char *at(struct picture p, int x, int y)
{
    return p.pixels + 3 * ((size_t)y * (size_t)p.width + (size_t)x);
}

static struct box read_box(char **words)
{
    return (struct box){atoi(words[0]), atoi(words[1]), atoi(words[2]), atoi(words[3])};
}

static void check_box(struct picture p, struct box b, const char *path)
{
    if (b.x < 0 || b.y < 0 || b.x + b.width > p.width || b.y + b.height > p.height)
        die("the region is outside", path);
}

// ---- looking ----

// What the file itself says, which the simple interface above does not tell; of what comes before
// its pixels, or with is_whole also that they can be read.
static void with_header(const char *path, bool is_whole,
                        void (*print)(png_structp png, png_infop info))
{
    FILE *file = fopen(path, "rb");
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    if (!file || setjmp(png_jmpbuf(png))) die("cannot read", path);
    png_init_io(png, file);
    if (is_whole)
        png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
    else
        png_read_info(png, info);
    print(png, info);
    png_destroy_read_struct(&png, &info, NULL);
    fclose(file);
}

static void print_text(png_structp png, png_infop info)
{
    png_textp chunks;
    const int count = png_get_text(png, info, &chunks, NULL);
    for (int i = 0; i < count; i++) printf("%s=%s\n", chunks[i].key, chunks[i].text);
}

static void print_shape(png_structp png, png_infop info)
{
    const int type = png_get_color_type(png, info);
    const bool is_byte = png_get_bit_depth(png, info) == 8;
    const char *kind = is_byte && type == PNG_COLOR_TYPE_GRAY  ? "grey"
                       : is_byte && type == PNG_COLOR_TYPE_RGB ? "rgb"
                                                               : "other";
    printf("%ux%u %s\n", (unsigned)png_get_image_width(png, info),
           (unsigned)png_get_image_height(png, info), kind);
}

static int text(char **words)
{
    with_header(words[0], false, print_text);
    return 0;
}

static int shape(char **words)
{
    with_header(words[0], true, print_shape);
    return 0;
}

static int pixel(char **words)
{
    const struct picture p = read_picture(words[0]);
    const struct box b = {atoi(words[1]), atoi(words[2]), 1, 1};
    check_box(p, b, words[0]);
    const unsigned char *rgb = at(p, b.x, b.y);
    printf("%d %d %d\n", rgb[0], rgb[1], rgb[2]);
    return 0;
}

static int colours(char **words)
{
    const struct picture p = read_picture(words[0]);
    const struct box b = read_box(words + 1);
    unsigned char *is_seen = calloc(1 << 24, 1);
    int count = 0;
    check_box(p, b, words[0]);
    for (int y = b.y; y < b.y + b.height; y++)
        for (int x = b.x; x < b.x + b.width; x++) {
            const unsigned char *rgb = at(p, x, y);
            unsigned char *seen = is_seen + (rgb[0] << 16 | rgb[1] << 8 | rgb[2]);
            count += !*seen;
            *seen = 1;
        }
    printf("%d\n", count);
    return 0;
}

static int same(char **words)
{
    const struct picture a = read_picture(words[0]), b = read_picture(words[1]);
    struct box box = {0, 0, a.width, a.height};
    int count = 0;
    if (words[2]) box = read_box(words + 2);
    if (!words[2] && (a.width != b.width || a.height != b.height)) {
        printf("%dx%d is not %dx%d\n", a.width, a.height, b.width, b.height);
        return 1;
    }
    check_box(a, box, words[0]);
    check_box(b, box, words[1]);
    for (int y = box.y; y < box.y + box.height; y++)
        for (int x = box.x; x < box.x + box.width; x++) {
            const unsigned char *p = at(a, x, y), *q = at(b, x, y);
            if (memcmp(p, q, 3) && !count++)
                printf("at %d,%d: %d %d %d is not %d %d %d\n", x, y, p[0], p[1], p[2], q[0], q[1],
                       q[2]);
        }
    if (count) printf("%d pixels differ\n", count);
    return count > 0;
}

// Of two grey pictures, each sample counts three times.
static int difference(char **words)
{
    const struct picture a = read_picture(words[0]), b = read_picture(words[1]);
    if (a.width != b.width || a.height != b.height) die("not the shape of", words[1]);
    const int size = 3 * a.width * a.height;
    int max = 0, count = 0;
    for (int i = 0; i < size; i++) {
        const int d = abs(a.pixels[i] - b.pixels[i]);
        a.pixels[i] = (unsigned char)d;
        count += d > 0;
        if (d > max) max = d;
    }
    for (int i = 0; i < size && max; i++)
        a.pixels[i] = (unsigned char)((2 * 255 * a.pixels[i] + max) / (2 * max));
    write_picture(words[2], a.width, a.height, PNG_FORMAT_RGB, a.pixels);
    printf("%d %d\n", max, count);
    return 0;
}

static int grab(char **words)
{
    Display *display = XOpenDisplay(NULL);
    if (!display) die("cannot open the display for", words[0]);
    const Window window = strtoul(words[0], NULL, 0);
    XWindowAttributes facts;
    XGetWindowAttributes(display, window, &facts);
    XImage *image = XGetImage(display, window, 0, 0, (unsigned)facts.width, (unsigned)facts.height,
                              AllPlanes, ZPixmap);
    if (!image || image->bits_per_pixel != 32) die("cannot grab window", words[0]);
    unsigned char *pixels = malloc(3 * (size_t)facts.width * (size_t)facts.height), *to = pixels;
    for (int y = 0; y < facts.height; y++)
        for (int x = 0; x < facts.width; x++) {
            const unsigned long value = XGetPixel(image, x, y);
            *to++ = (unsigned char)(value >> 16);
            *to++ = (unsigned char)(value >> 8);
            *to++ = (unsigned char)value;
        }
    write_picture(words[1], facts.width, facts.height, PNG_FORMAT_RGB, pixels);
    XCloseDisplay(display);
    return 0;
}

static int ask_to_close(char **words)
{
    Display *display = XOpenDisplay(NULL);
    if (!display) die("cannot open the display for", words[0]);
    const Window window = strtoul(words[0], NULL, 0);
    XEvent event = {.xclient = {.type = ClientMessage, .window = window, .format = 32}};
    event.xclient.message_type = XInternAtom(display, "WM_PROTOCOLS", False);
    event.xclient.data.l[0] = (long)XInternAtom(display, "WM_DELETE_WINDOW", False);
    XSendEvent(display, window, False, NoEventMask, &event);
    XCloseDisplay(display);
    return 0;
}

// ---- making ----

static int noise(char **words)
{
    static const struct {
        const char *name;
        int channels;
        unsigned int format;
    } kinds[] = {{"grey", 1, PNG_FORMAT_GRAY},
                 {"greya", 2, PNG_FORMAT_GA},
                 {"rgb", 3, PNG_FORMAT_RGB},
                 {"rgba", 4, PNG_FORMAT_RGBA}};
    const int width = atoi(words[1]), height = atoi(words[2]);
    unsigned int state = (unsigned int)atoi(words[4]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, words[3])) continue;
        const size_t size = (size_t)width * (size_t)height * (size_t)kinds[i].channels;
        unsigned char *pixels = malloc(size);
        for (size_t k = 0; k < size; k++)  // Numerical Recipes' generator
            pixels[k] = (unsigned char)((state = state * 1664525 + 1013904223) >> 24);
        write_picture(words[0], width, height, kinds[i].format, pixels);
        return 0;
    }
    die("unknown kind", words[3]);
}

static int clamp(int value, int limit)
{
    return value < 0 ? 0 : value >= limit ? limit - 1 : value;
}

static int mean(char **words)
{
    const struct picture p = read_picture(words[0]);
    const int r = atoi(words[2]), area = (2 * r + 1) * (2 * r + 1);
    unsigned char *out = malloc(3 * (size_t)p.width * (size_t)p.height), *to = out;
    for (int y = 0; y < p.height; y++)
        for (int x = 0; x < p.width; x++)
            for (int c = 0; c < 3; c++) {
                int sum = 0;
                for (int v = y - r; v <= y + r; v++)
                    for (int u = x - r; u <= x + r; u++)
                        sum += at(p, clamp(u, p.width), clamp(v, p.height))[c];
                *to++ = (unsigned char)((sum + area / 2) / area);
            }
    write_picture(words[1], p.width, p.height, PNG_FORMAT_RGB, out);
    return 0;
}

static int invert(char **words)
{
    const struct picture p = read_picture(words[0]);
    for (int i = 0; i < 3 * p.width * p.height; i++)
        p.pixels[i] = (unsigned char)(255 - p.pixels[i]);
    write_picture(words[1], p.width, p.height, PNG_FORMAT_RGB, p.pixels);
    return 0;
}

// The kernel ends a lease itself after /proc/sys/fs/lease-break-time.
static int hold(char **words)
{
    const int file = open(words[0], O_RDWR);
    signal(SIGIO, SIG_IGN);  // it says that somebody waits
    if (file < 0 || fcntl(file, F_SETLEASE, F_WRLCK) != 0) die("cannot hold", words[0]);
    puts("held");
    fflush(stdout);
    for (;;) pause();
}

static const struct {
    const char *name;
    int min_words, max_words;
    int (*run)(char **words);
} verbs[] = {
    {"text", 1, 1, text},       {"shape", 1, 1, shape},        {"pixel", 3, 3, pixel},
    {"colours", 5, 5, colours}, {"same", 2, 6, same},          {"difference", 3, 3, difference},
    {"grab", 2, 2, grab},       {"close", 1, 1, ask_to_close}, {"noise", 5, 5, noise},
    {"mean", 3, 3, mean},       {"invert", 2, 2, invert},      {"hold", 1, 1, hold}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(verbs[i].name, argv[1]) && argc - 2 >= verbs[i].min_words &&
            argc - 2 <= verbs[i].max_words)
            return verbs[i].run(argv + 2);
    fputs("probe_png: see the top of its source\n", stderr);
    return 2;
}
