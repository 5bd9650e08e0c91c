#include "gl/display.h"

#include <GL/glew.h>
#include <assert.h>
#include <glib.h>
#include <math.h>

#include "draw/digits.h"
#include "gl/shader.h"

struct layer {
    GLuint buffer, picture, counts;  // counts 0: there are none
    bool has_picture, has_mipmaps;
};

// The block of that name in image.frag, which says what its members mean. Pairs come first, so that
// both lay them out alike.
struct scene {
    GLfloat window[2], origin_at[2], pixel[2], divider_rows[2];
    GLint origin[2], has_picture[2], map[2], has_counts[2], block[2], cursor[2];
    GLfloat unit, divider, gain;
    GLint mode, layer, has_values, halo;
    GLint unused;  // a block ends at 16 bytes
};

// image.frag for any scene, and for those in which its words are defined: OpenGL in software goes
// through all branches of a shader, and most scenes are plain.
enum { ANY_SCENE, PLAIN_SCENE, LARGE_SCENE, SCENES };
static const char *const scene_words[SCENES] = {NULL, "PLAIN", "LARGE"};

// The linked shaders of a folder.
struct programs {
    GLuint image[SCENES], overlay;
};

struct display {
    struct programs programs;
    GLuint vertices, overlay, digits, maps, scene;
    struct layer layers[DISPLAY_LAYERS];
    int layer_count;
    struct planes shape;
    int overlay_width, overlay_height;
};

// ---- shaders ----

static void delete_programs(struct programs *p)
{
    for (int i = 0; i < SCENES; i++) glDeleteProgram(p->image[i]);
    glDeleteProgram(p->overlay);
    *p = (struct programs){0};
}

static bool load_programs(struct programs *programs, const char *folder, struct error *err)
{
    static const char *const samplers[] = {"layer_a", "layer_b",  "digits",
                                           "maps",    "counts_a", "counts_b"};  // by unit
    struct programs p = {.overlay = 0};
    for (int i = 0; i < SCENES; i++) {
        p.image[i] = shader_load(folder, "image", scene_words[i], err);
        if (!p.image[i]) break;
        glUseProgram(p.image[i]);
        for (int unit = 0; unit < (int)G_N_ELEMENTS(samplers); unit++)
            glUniform1i(glGetUniformLocation(p.image[i], samplers[unit]), unit);
    }
    if (p.image[SCENES - 1]) p.overlay = shader_load(folder, "overlay", NULL, err);
    if (p.overlay)
        *programs = p;
    else
        delete_programs(&p);
    return p.overlay;
}

bool display_reload(struct display *d, const char *shader_folder, struct error *err)
{
    struct programs programs;
    if (!load_programs(&programs, shader_folder, err)) return false;
    delete_programs(&d->programs);
    d->programs = programs;
    return true;
}

// ---- life ----

// One byte a pixel; it stays bound.
static GLuint make_texture(int width, int height, int count, const void *pixels)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_R8, width, height, count, 0, GL_RED, GL_UNSIGNED_BYTE,
                 pixels);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

struct display *display_create(const char *shader_folder, struct error *err)
{
    struct display *d = g_new0(struct display, 1);
    if (!load_programs(&d->programs, shader_folder, err)) {
        g_free(d);
        return NULL;
    }
    glGenVertexArrays(1, &d->vertices);
    glGenTextures(1, &d->overlay);
    glGenBuffers(1, &d->scene);
    OWNED(digits_finish) struct digits digits;
    digits_init(&digits, 96);  // a digit in the largest pixel is 70 high
    d->digits = make_texture(digits.width, digits.height, 10, digits.alpha);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glGenerateMipmap(GL_TEXTURE_2D_ARRAY);
    // A row for each map; red, green and blue are layers.
    unsigned char pixels[3][COLOR_MAPS][COLOR_MAP_STEPS];
    for (int map = 0; map < COLOR_MAPS; map++) {
        const struct color_map_table table = color_map_table((enum color_map)map);
        for (int i = 0; i < COLOR_MAP_STEPS; i++)
            for (int c = 0; c < 3; c++) pixels[c][map][i] = table.colors[i][c];
    }
    d->maps = make_texture(COLOR_MAP_STEPS, COLOR_MAPS, 3, pixels);
    return d;
}

static void delete_layer(struct layer *l)
{
    glDeleteBuffers(1, &l->buffer);
    glDeleteTextures(1, &l->picture);
    glDeleteTextures(1, &l->counts);
    *l = (struct layer){0};
}

void display_destroy(struct display *d)
{
    if (!d) return;
    for (int i = 0; i < DISPLAY_LAYERS; i++) delete_layer(&d->layers[i]);
    delete_programs(&d->programs);
    glDeleteVertexArrays(1, &d->vertices);
    glDeleteTextures(1, &d->overlay);
    glDeleteTextures(1, &d->digits);
    glDeleteTextures(1, &d->maps);
    glDeleteBuffers(1, &d->scene);
    g_free(d);
}

// ---- layers ----

static void drain_errors(void)
{
    while (glGetError() != GL_NO_ERROR) continue;
}

static GLuint make_buffer(struct planes shape)
{
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, (GLsizeiptr)planes_bytes(shape), NULL, GL_STREAM_DRAW);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    return buffer;
}

static bool make_layer(struct layer *layer, struct planes shape, struct error *err)
{
    drain_errors();
    struct layer made = {.buffer = make_buffer(shape),
                         .picture = make_texture(shape.width, shape.height, shape.count, NULL)};
    // Mesa may lose the picture if levels are first made after it was drawn without them.
    for (int i = 1; MAX(shape.width, shape.height) >> i; i++)
        glTexImage3D(GL_TEXTURE_2D_ARRAY, i, GL_R8, MAX(1, shape.width >> i),
                     MAX(1, shape.height >> i), shape.count, 0, GL_RED, GL_UNSIGNED_BYTE, NULL);
    if (glGetError() != GL_NO_ERROR) {
        delete_layer(&made);
        return error_set(err, "OpenGL has no memory for a picture of %d×%d", shape.width,
                         shape.height);
    }
    *layer = made;
    return true;
}

bool display_set_shape(struct display *d, struct planes shape, int layers, struct error *err)
{
    struct layer made[DISPLAY_LAYERS] = {{0}};
    GLint limit = 0;
    assert(layers >= 1 && layers <= DISPLAY_LAYERS);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    if (shape.width > limit || shape.height > limit)
        return error_set(err, "a picture of %d×%d; this OpenGL shows at most %d a side",
                         shape.width, shape.height, limit);
    for (int i = 0; i < layers; i++) {
        if (make_layer(&made[i], shape, err)) continue;
        while (i > 0) delete_layer(&made[--i]);
        return false;
    }
    for (int i = 0; i < DISPLAY_LAYERS; i++) {
        delete_layer(&d->layers[i]);
        d->layers[i] = made[i];
    }
    d->layer_count = layers;
    d->shape = planes_at(shape, NULL);
    return true;
}

bool display_set_layers(struct display *d, int layers, struct error *err)
{
    assert(d->layer_count > 0 && layers >= 1 && layers <= DISPLAY_LAYERS);
    for (int i = layers; i < d->layer_count; i++) delete_layer(&d->layers[i]);
    d->layer_count = MIN(d->layer_count, layers);
    for (; d->layer_count < layers; d->layer_count++)
        if (!make_layer(&d->layers[d->layer_count], d->shape, err)) return false;
    return true;
}

bool display_renew_buffer(struct display *d, int layer, struct error *err)
{
    assert(layer >= 0 && layer < d->layer_count);
    drain_errors();
    const GLuint buffer = make_buffer(d->shape);
    if (glGetError() != GL_NO_ERROR) {
        glDeleteBuffers(1, &buffer);
        return error_set(err, "OpenGL has no memory for another buffer");
    }
    glDeleteBuffers(1, &d->layers[layer].buffer);
    drain_errors();
    d->layers[layer].buffer = buffer;
    return true;
}

struct planes display_shape(const struct display *d)
{
    return d->shape;
}

unsigned int display_buffer(const struct display *d, int layer)
{
    assert(layer >= 0 && layer < d->layer_count);
    return d->layers[layer].buffer;
}

void display_show(struct display *d, int layer)
{
    const struct planes s = d->shape;
    struct layer *l = &d->layers[layer];
    assert(layer >= 0 && layer < d->layer_count);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, l->buffer);
    glBindTexture(GL_TEXTURE_2D_ARRAY, l->picture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, s.pitch);
    glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, (GLint)(s.plane_bytes / (size_t)s.pitch));
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, s.width, s.height, s.count, GL_RED,
                    GL_UNSIGNED_BYTE, NULL);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    l->has_picture = true;
    l->has_mipmaps = false;
}

void display_hide(struct display *d, int layer)
{
    d->layers[layer].has_picture = false;
}

bool display_has_picture(const struct display *d, int layer)
{
    return d->layers[layer].has_picture;
}

void display_set_counts(struct display *d, int layer, const unsigned char *counts)
{
    struct layer *const l = &d->layers[layer];
    assert(layer >= 0 && layer < d->layer_count);
    glDeleteTextures(1, &l->counts);
    l->counts = counts ? make_texture(d->shape.width, d->shape.height, 1, counts) : 0;
}

bool display_has_counts(const struct display *d, int layer)
{
    return layer < d->layer_count && d->layers[layer].counts;
}

// ---- drawing ----

// The first visible pixel of the picture along one side, and where it starts in the window. Counted
// from there, single precision is enough for the shader at any zoom.
struct start {
    int pixel;
    double at;
};

static struct start find_start(double place, double pixel_size)
{
    const double hidden = place < 0 ? floor(-place / pixel_size) : 0;
    return (struct start){(int)hidden, place + hidden * pixel_size};
}

static void set_scene(const struct display *d, const struct display_scene *scene, int width,
                      int height, int unit)
{
    const struct paint_box *place = &scene->place;
    const struct display_grid *grid = &scene->grid;
    const double across = place->width / d->shape.width, down = place->height / d->shape.height;
    const struct start x = find_start(place->left, across), y = find_start(place->top, down);
    const struct scene s = {
        .window = {(float)width, (float)height},
        .origin_at = {(float)x.at, (float)y.at},
        .pixel = {(float)across, (float)down},
        .divider_rows = {(float)scene->divider_top, (float)scene->divider_bottom},
        .origin = {x.pixel, y.pixel},
        .has_picture = {d->layers[0].has_picture, d->layers[1].has_picture},
        .map = {(GLint)scene->maps[0], (GLint)scene->maps[1]},
        .has_counts = {display_has_counts(d, 0), display_has_counts(d, 1)},
        .block = {grid->width, grid->height},
        .cursor = {grid->column, grid->row},
        .unit = (float)unit,
        .divider = (float)scene->divider,
        .gain = scene->gain > 0 ? (float)scene->gain : 1,
        .mode = (GLint)scene->mode,
        .layer = scene->layer,
        .has_values = scene->has_values,
        .halo = grid->halo};
    glBindBuffer(GL_UNIFORM_BUFFER, d->scene);
    glBufferData(GL_UNIFORM_BUFFER, sizeof s, &s, GL_STREAM_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, d->scene);
}

// Limits drawing to the picture and a block that reaches beyond its edge. A processor that draws
// would spend most of its time on the rest.
static void scissor_scene(const struct display *d, const struct display_scene *scene, int height)
{
    enum { OUTLINE = 16 };
    const struct paint_box *p = &scene->place;
    const struct display_grid *g = &scene->grid;
    const double pixel = MAX(p->width / d->shape.width, p->height / d->shape.height);
    const double reach = g->width > 0 ? (MAX(g->width, g->height) + g->halo) * pixel + OUTLINE : 0;
    const int left = (int)floor(p->left - reach), right = (int)ceil(p->left + p->width + reach);
    const int top = (int)floor(p->top - reach), bottom = (int)ceil(p->top + p->height + reach);
    glScissor(left, height - bottom, right - left, bottom - top);
}

static void draw_scene(struct display *d, const struct display_scene *wanted, int width, int height)
{
    struct display_scene scene = *wanted;
    const int unit = MAX(1, (height + 540) / 1080);
    if (d->layer_count < 2) scene.mode = DISPLAY_ONE, scene.layer = 0;
    if (!scene.divider_bottom) scene.divider_bottom = height;
    const double pixel = scene.place.width / d->shape.width;
    const bool may_have_values = scene.has_values && pixel > DISPLAY_VALUE_PIXEL_GREY - 1;
    const bool has_counts = display_has_counts(d, 0) || display_has_counts(d, 1);
    const bool is_plain = scene.mode != DISPLAY_DIFFERENCE && !has_counts && !may_have_values &&
                          scene.grid.width <= 0;
    const bool is_large = is_plain && scene.mode == DISPLAY_ONE && pixel > 0.9995;
    const int kind = is_large ? LARGE_SCENE : is_plain ? PLAIN_SCENE : ANY_SCENE;
    glUseProgram(d->programs.image[kind]);
    // Mipmaps are for pictures that are shown much smaller than they are; otherwise they would cost
    // time and not show. A difference compares pixels, never their means.
    const bool is_small =
        scene.place.width < 0.6 * d->shape.width && scene.mode != DISPLAY_DIFFERENCE;
    glActiveTexture(GL_TEXTURE2);
    glBindTexture(GL_TEXTURE_2D_ARRAY, d->digits);
    glActiveTexture(GL_TEXTURE3);
    glBindTexture(GL_TEXTURE_2D_ARRAY, d->maps);
    for (int i = DISPLAY_LAYERS - 1; i >= 0; i--) {
        struct layer *l = &d->layers[MIN(is_large ? scene.layer : i, d->layer_count - 1)];
        const bool has_mipmaps = is_small && (scene.mode != DISPLAY_ONE || i == scene.layer);
        glActiveTexture(GL_TEXTURE4 + (GLenum)i);
        glBindTexture(GL_TEXTURE_2D_ARRAY, l->counts ? l->counts : d->maps);
        glActiveTexture(GL_TEXTURE0 + (GLenum)i);
        glBindTexture(GL_TEXTURE_2D_ARRAY, l->picture);
        glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER,
                        has_mipmaps ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
        if (has_mipmaps && !l->has_mipmaps) glGenerateMipmap(GL_TEXTURE_2D_ARRAY);
        l->has_mipmaps |= has_mipmaps;
    }
    set_scene(d, &scene, width, height, unit);
    glDisable(GL_BLEND);
    glEnable(GL_SCISSOR_TEST);
    scissor_scene(d, &scene, height);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    if (scene.mode == DISPLAY_SPLIT) {
        // the divider above, below or next to the picture
        const int top = (int)scene.divider_top, bottom = (int)scene.divider_bottom;
        glScissor((int)floor(scene.divider) - 2 * unit, height - bottom, 4 * unit + 1,
                  bottom - top);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    glDisable(GL_SCISSOR_TEST);
}

// ---- overlay ----

static void upload_overlay(struct display *d, const struct overlay_pixels *o)
{
    glBindTexture(GL_TEXTURE_2D, d->overlay);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, o->stride / 4);
    if (o->width != d->overlay_width || o->height != d->overlay_height) {
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, o->width, o->height, 0, GL_BGRA, GL_UNSIGNED_BYTE,
                     o->pixels);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        d->overlay_width = o->width;
        d->overlay_height = o->height;
    } else {
        for (int i = 0; i < o->damage_count; i++) {
            const struct paint_box *box = &o->damage[i];
            const size_t start = (size_t)box->top * (size_t)o->stride + 4 * (size_t)box->left;
            glTexSubImage2D(GL_TEXTURE_2D, 0, (GLint)box->left, (GLint)box->top,
                            (GLsizei)box->width, (GLsizei)box->height, GL_BGRA, GL_UNSIGNED_BYTE,
                            o->pixels + start);
        }
    }
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

void display_draw(struct display *d, const struct display_scene *scene,
                  struct overlay_pixels overlay, bool has_new_overlay, int width, int height)
{
    glViewport(0, 0, width, height);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindVertexArray(d->vertices);
    if (d->layer_count && scene->place.width > 0) draw_scene(d, scene, width, height);
    if (!overlay.pixels) return;
    if (has_new_overlay) upload_overlay(d, &overlay);
    glUseProgram(d->programs.overlay);
    glBindTexture(GL_TEXTURE_2D, d->overlay);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

bool display_capture(struct display *d, struct image *image, int width, int height,
                     struct error *err)
{
    (void)d;
    struct image picture = {0};
    g_autofree unsigned char *rows = g_try_malloc_n((gsize)width * (gsize)height, 3);
    if (!rows) return error_set(err, "no memory for a screenshot of %d×%d", width, height);
    if (!image_init(&picture, width, height, 3, err)) return false;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadBuffer(GL_BACK);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, rows);
    for (int y = 0; y < height; y++) {  // GL's rows run bottom up
        const unsigned char *from = rows + (size_t)(height - 1 - y) * (size_t)width * 3;
        for (int plane = 0; plane < 3; plane++)
            for (int x = 0; x < width; x++)
                planes_row(picture.planes, plane, y)[x] = from[3 * x + plane];
    }
    *image = picture;
    return true;
}

void display_read(struct display *d, int layer, struct planes host)
{
    assert(layer >= 0 && layer < d->layer_count);
    glBindTexture(GL_TEXTURE_2D_ARRAY, d->layers[layer].picture);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ROW_LENGTH, host.pitch);
    glPixelStorei(GL_PACK_IMAGE_HEIGHT, (GLint)(host.plane_bytes / (size_t)host.pitch));
    glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RED, GL_UNSIGNED_BYTE, host.pixels);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glPixelStorei(GL_PACK_IMAGE_HEIGHT, 0);
}

void display_read_pixel(struct display *d, int layer, int x, int y, unsigned char *values)
{
    GLuint framebuffer;
    assert(layer >= 0 && layer < d->layer_count);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    for (int plane = 0; plane < d->shape.count; plane++) {
        glFramebufferTextureLayer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                  d->layers[layer].picture, 0, plane);
        glReadPixels(x, y, 1, 1, GL_RED, GL_UNSIGNED_BYTE, &values[plane]);
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
}
