#include "display.h"

#include <GL/glew.h>
#include <glib.h>
#include <string.h>

#include "shader.h"

struct display {
    GLuint image_program, overlay_program, vertices;
    GLint place, plane_count;
    GLuint buffer, picture, overlay;
    struct view shape;
    int overlay_width, overlay_height;
    bool has_picture;
    bool has_mipmaps;
};

static GLuint load(const char *folder, const char *name, struct error *err)
{
    char *vertex = g_strdup_printf("%s/%s.vert", folder, name);
    char *fragment = g_strdup_printf("%s/%s.frag", folder, name);
    const GLuint program = shader_load(vertex, fragment, err);
    g_free(vertex);
    g_free(fragment);
    return program;
}

struct display *display_create(const char *shader_folder, struct error *err)
{
    struct display *d = g_new0(struct display, 1);
    d->image_program = load(shader_folder, "image", err);
    d->overlay_program = d->image_program ? load(shader_folder, "overlay", err) : 0;
    if (!d->overlay_program) {
        display_destroy(d);
        return NULL;
    }
    d->place = glGetUniformLocation(d->image_program, "place");
    d->plane_count = glGetUniformLocation(d->image_program, "plane_count");
    glGenVertexArrays(1, &d->vertices);
    glGenTextures(1, &d->overlay);
    return d;
}

void display_destroy(struct display *d)
{
    if (!d) return;
    glDeleteProgram(d->image_program);
    glDeleteProgram(d->overlay_program);
    glDeleteVertexArrays(1, &d->vertices);
    glDeleteBuffers(1, &d->buffer);
    glDeleteTextures(1, &d->picture);
    glDeleteTextures(1, &d->overlay);
    g_free(d);
}

static void drain_errors(void)
{
    while (glGetError() != GL_NO_ERROR) {
    }
}

static GLuint make_buffer(struct view shape)
{
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, (GLsizeiptr)view_bytes(shape), NULL, GL_STREAM_DRAW);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    return buffer;
}

static void make_picture(GLuint texture, struct view shape)
{
    glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_R8, shape.width, shape.height, shape.planes, 0, GL_RED,
                 GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

bool display_set_shape(struct display *d, struct view shape, struct error *err)
{
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    if (shape.width > limit || shape.height > limit)
        return error_set(err, "a picture of %d×%d; this OpenGL shows at most %d a side",
                         shape.width, shape.height, limit);

    GLuint picture;
    drain_errors();
    const GLuint buffer = make_buffer(shape);
    glGenTextures(1, &picture);
    make_picture(picture, shape);
    if (glGetError() != GL_NO_ERROR) {
        glDeleteBuffers(1, &buffer);
        glDeleteTextures(1, &picture);
        return error_set(err, "OpenGL has no memory for a picture of %d×%d", shape.width,
                         shape.height);
    }
    glDeleteBuffers(1, &d->buffer);
    glDeleteTextures(1, &d->picture);
    d->buffer = buffer;
    d->picture = picture;
    d->shape = view_at(shape, NULL);
    d->has_picture = d->has_mipmaps = false;
    return true;
}

bool display_renew_buffer(struct display *d, struct error *err)
{
    drain_errors();
    const GLuint buffer = make_buffer(d->shape);
    if (glGetError() != GL_NO_ERROR) {
        glDeleteBuffers(1, &buffer);
        return error_set(err, "OpenGL has no memory for another buffer");
    }
    glDeleteBuffers(1, &d->buffer);
    drain_errors();
    d->buffer = buffer;
    return true;
}

unsigned int display_buffer(const struct display *d)
{
    return d->buffer;
}

void display_show(struct display *d)
{
    const struct view s = d->shape;
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, d->buffer);
    glBindTexture(GL_TEXTURE_2D_ARRAY, d->picture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, s.pitch);
    glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, (GLint)(s.plane_bytes / (size_t)s.pitch));
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, s.width, s.height, s.planes, GL_RED,
                    GL_UNSIGNED_BYTE, NULL);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    d->has_picture = true;
    d->has_mipmaps = false;
}

// Mipmaps only for pictures shown much smaller than they are: elsewhere they would cost and not
// show.
static void filter_picture(struct display *d, double scale)
{
    const bool is_small = scale < 0.6;
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER,
                    is_small ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
    if (!is_small || d->has_mipmaps) return;
    glGenerateMipmap(GL_TEXTURE_2D_ARRAY);
    d->has_mipmaps = true;
}

static void draw_picture(struct display *d, int width, int height)
{
    const double across = (double)width / d->shape.width, down = (double)height / d->shape.height;
    const double scale = MIN(across, down);
    glUseProgram(d->image_program);
    glBindTexture(GL_TEXTURE_2D_ARRAY, d->picture);
    filter_picture(d, scale);
    glUniform4f(d->place, 0, 0, (float)(scale * d->shape.width / width),
                (float)(scale * d->shape.height / height));
    glUniform1i(d->plane_count, d->shape.planes);
    glDisable(GL_BLEND);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void upload_overlay(struct display *d, struct overlay_pixels o)
{
    glBindTexture(GL_TEXTURE_2D, d->overlay);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, o.stride / 4);
    if (o.width != d->overlay_width || o.height != d->overlay_height) {
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, o.width, o.height, 0, GL_BGRA, GL_UNSIGNED_BYTE,
                     o.pixels);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        d->overlay_width = o.width;
        d->overlay_height = o.height;
    } else {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, o.dirty_top, o.width, o.dirty_bottom - o.dirty_top,
                        GL_BGRA, GL_UNSIGNED_BYTE,
                        o.pixels + (size_t)o.dirty_top * (size_t)o.stride);
    }
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

void display_draw(struct display *d, struct overlay_pixels overlay, bool has_new_overlay, int width,
                  int height)
{
    glViewport(0, 0, width, height);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindVertexArray(d->vertices);
    glActiveTexture(GL_TEXTURE0);
    if (d->has_picture) draw_picture(d, width, height);

    if (has_new_overlay) upload_overlay(d, overlay);
    glUseProgram(d->overlay_program);
    glBindTexture(GL_TEXTURE_2D, d->overlay);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

bool display_capture(struct display *d, struct image *image, int width, int height,
                     struct error *err)
{
    (void)d;
    struct image shot = {0};
    unsigned char *rows = g_try_malloc_n((gsize)width * (gsize)height, 3);
    if (!rows) return error_set(err, "no memory for a screenshot of %d×%d", width, height);
    if (!image_init(&shot, width, height, 3, err)) {
        g_free(rows);
        return false;
    }
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadBuffer(GL_BACK);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, rows);
    for (int y = 0; y < height; y++) {  // GL's rows run bottom up
        const unsigned char *from = rows + (size_t)(height - 1 - y) * (size_t)width * 3;
        for (int plane = 0; plane < 3; plane++)
            for (int x = 0; x < width; x++) view_row(shot.view, plane, y)[x] = from[3 * x + plane];
    }
    g_free(rows);
    *image = shot;
    return true;
}

void display_read(struct display *d, struct view host)
{
    glBindTexture(GL_TEXTURE_2D_ARRAY, d->picture);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ROW_LENGTH, host.pitch);
    glPixelStorei(GL_PACK_IMAGE_HEIGHT, (GLint)(host.plane_bytes / (size_t)host.pitch));
    glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RED, GL_UNSIGNED_BYTE, host.pixels);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glPixelStorei(GL_PACK_IMAGE_HEIGHT, 0);
}
