#include "picture_files.h"

#include "unit.h"
#include "folder.h"

#include <stdio.h>
#include <zlib.h>

static char *place;

// What the functions below make; remove_folder() frees it.
static GPtrArray *arrays, *pixels;

int make_folder(void **state)
{
    arrays = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
    pixels = g_ptr_array_new_with_free_func(free);
    place = folder_make();
    return place ? 0 : -1;
}

int remove_folder(void **state)
{
    folder_end(place);
    g_ptr_array_unref(arrays);
    g_ptr_array_unref(pixels);
    return 0;
}

// Path of a file of this run; one at a time.
const char *at(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return path;
}

const char *sample(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, TILESCOPE_SOURCE_DIR "/tests/fuzz/corpus/image/%s", name);
    return path;
}

int count_files(void)
{
    int count = 0;
    g_autoptr(GDir) dir = g_dir_open(place, 0, NULL);
    while (g_dir_read_name(dir)) count++;
    return count;
}

const char *write_file(const char *name, const void *bytes, size_t size)
{
    assert_true(g_file_set_contents(at(name), bytes, (gssize)size, NULL));
    return at(name);
}

const char *write_bytes(const char *name, const GByteArray *bytes)
{
    return write_file(name, bytes->data, bytes->len);
}

static GByteArray *keep(GByteArray *bytes)
{
    g_ptr_array_add(arrays, bytes);
    return bytes;
}

GByteArray *make_bytes(const void *bytes, guint size)
{
    return g_byte_array_append(keep(g_byte_array_new()), bytes, size);
}

GByteArray *read_file(const char *path)
{
    char *bytes;
    gsize size;
    assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    return keep(g_byte_array_new_take((guint8 *)bytes, size));
}

static void append_number(GByteArray *bytes, guint32 number)
{
    const guint32 big = g_htonl(number);
    g_byte_array_append(bytes, (const guint8 *)&big, 4);
}

void append_chunk(GByteArray *bytes, const char *type, const void *data, guint size)
{
    append_number(bytes, size);
    g_byte_array_append(bytes, (const guint8 *)type, 4);
    g_byte_array_append(bytes, data, size);
    append_number(bytes, (guint32)crc32(0, bytes->data + bytes->len - size - 4, size + 4));
}

GByteArray *make_png_form(guint32 width, guint32 height, guint8 depth, guint8 colour_type)
{
    GByteArray *bytes = make_bytes("\x89PNG\r\n\x1a\n", 8);
    const guint32 size[2] = {g_htonl(width), g_htonl(height)};
    guint8 header[13] = {[8] = depth, [9] = colour_type};
    memcpy(header, size, sizeof size);
    append_chunk(bytes, "IHDR", header, sizeof header);
    return bytes;
}

// One row of pixels, stored without compression: zlib's header, a block, its checksum.
void append_row(GByteArray *bytes, const void *row, guint row_bytes)
{
    const guint size = row_bytes + 1;
    const guint8 head[] = {
        0x78, 0x01, 1, size & 255, size >> 8 & 255, ~size & 255, ~size >> 8 & 255, 0};
    GByteArray *data = make_bytes(head, sizeof head);
    g_byte_array_append(data, row, row_bytes);
    append_number(data, (guint32)adler32(1, data->data + 7, size));
    append_chunk(bytes, "IDAT", data->data, data->len);
    append_chunk(bytes, "IEND", "", 0);
}

GByteArray *make_png_row(guint32 width, guint8 colour_type, const void *row, guint row_bytes)
{
    GByteArray *bytes = make_png_form(width, 1, 8, colour_type);
    append_row(bytes, row, row_bytes);
    return bytes;
}

struct image make_noise(int width, int height, int planes, unsigned int seed)
{
    struct image image;
    assert_true(image_init(&image, width, height, planes, NULL));
    g_ptr_array_add(pixels, image.planes.pixels);
    image_fill_noise(image.planes, seed);
    return image;
}

struct image load(const char *path, bool is_grey)
{
    struct image image;
    must(image_load(&image, path, is_grey, &err));
    g_ptr_array_add(pixels, image.planes.pixels);
    return image;
}

struct image load_shape(const char *path, int width, int height, int planes)
{
    struct image image = load(path, false);
    assert_int_equal(image.planes.width, width);
    assert_int_equal(image.planes.height, height);
    assert_int_equal(image.planes.count, planes);
    return image;
}

// Refused: image untouched, and one line that names the file and holds what.
void assert_no_image(const char *path, const char *what)
{
    struct image image, before;
    memset(&image, 0xa5, sizeof image);
    before = image;
    err.text[0] = '\0';
    assert_false(image_load(&image, path, false, &err));
    assert_memory_equal(&image, &before, sizeof image);
    g_autofree char *quoted = g_strdup_printf("'%s'", path);
    if (!strstr(err.text, quoted) || !strstr(err.text, what) || strchr(err.text, '\n')) {
        fail_msg("'%s' does not name %s and '%s' on one line", err.text, quoted, what);
    }
}
