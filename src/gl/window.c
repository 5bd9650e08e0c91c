// window.c -- freeglut without its main loop.
//
// freeglut ends the process when something is missing. Therefore this file looks for the display
// and GLX first, and freeglut's error hook jumps back here for all else. After such a jump freeglut
// is never called again.
//
// This file is long because nothing else may call freeglut.
#include "gl/window.h"

#include <GL/glew.h>
#include <GL/glxew.h>

#include <GL/freeglut.h>
#include <GL/freeglut_ucall.h>
#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <glib.h>
#include <setjmp.h>
#include <string.h>

#include "gl/exchange.h"

enum { MAX_HELD = 8 };

struct window {
    struct window_handler handler;
    int id, width, height;
    bool is_open, is_visible;
    bool has_manager;  // a window manager decides where windows are
    bool is_fullscreen;
    struct {
        int x, y, width, height;
    } before_fullscreen;  // where the window was; without a manager only
    enum window_cursor cursor;
    char held[MAX_HELD][12];  // names of the keys that are down
    int held_count;
    int buttons_down;
    char renderer[256];
    jmp_buf refused;
    bool is_guarded;  // refused may be jumped to
    struct error *err;
};

// ---- what freeglut would exit on ----

// Opens a connection to the display; NULL: err says what is missing.
static Display *find_display(struct error *err)
{
    const char *name = g_getenv("DISPLAY");
    int unused;
    if (!name || !*name) {
        error_set(err, "no display (DISPLAY is not set%s)",
                  g_getenv("WAYLAND_DISPLAY") ? "; on Wayland, XWayland is needed" : "");
        return NULL;
    }
    Display *display = XOpenDisplay(NULL);
    if (!display) {
        error_set(err, "no display (cannot open '%s')", name);
        return NULL;
    }
    if (XQueryExtension(display, "GLX", &unused, &unused, &unused)) return display;
    error_set(err, "no OpenGL on display '%s' (no GLX extension)", name);
    XCloseDisplay(display);
    return NULL;
}

static void on_error(const char *format, va_list args, void *user)
{
    struct window *w = user;
    g_autofree char *text = g_strdup_vprintf(format, args);
    error_set(w->err, "cannot open a window: %s", g_strstrip(text));
    if (w->is_guarded) longjmp(w->refused, 1);
}

static void on_warning(const char *format, va_list args, void *user)
{
    (void)format, (void)args, (void)user;
}

// ---- callbacks ----

// freeglut reports characters and special keys apart. A key without a name here is ignored.
struct key_name {
    int key;
    const char *name;
};

static const struct key_name character_names[] = {{' ', "space"},   {27, "Esc"},   {'\r', "Return"},
                                                  {'\n', "Return"}, {'\t', "Tab"}, {8, "Backspace"},
                                                  {127, "Delete"},  {3, "Ctrl+C"}, {20, "Ctrl+T"}};
static const struct key_name special_names[] = {
    {GLUT_KEY_LEFT, "Left"}, {GLUT_KEY_RIGHT, "Right"},  {GLUT_KEY_UP, "Up"},
    {GLUT_KEY_DOWN, "Down"}, {GLUT_KEY_PAGE_UP, "PgUp"}, {GLUT_KEY_PAGE_DOWN, "PgDn"},
    {GLUT_KEY_HOME, "Home"}, {GLUT_KEY_END, "End"},      {GLUT_KEY_DELETE, "Delete"},
    {GLUT_KEY_F1, "F1"},     {GLUT_KEY_F11, "F11"}};

static const char *find_name(const struct key_name *names, size_t count, int key)
{
    for (size_t i = 0; i < count; i++)
        if (names[i].key == key) return names[i].name;
    return NULL;
}

// text: room for a character and its end.
static const char *name_character(unsigned char key, char *text)
{
    text[0] = (char)key;
    text[1] = '\0';
    if (key == '0' && glutGetModifiers() & GLUT_ACTIVE_CTRL) return "Ctrl+0";
    if (g_ascii_isgraph((char)key)) return text;
    return find_name(character_names, G_N_ELEMENTS(character_names), key);
}

static int find_held(const struct window *w, const char *name)
{
    for (int i = 0; i < w->held_count; i++)
        if (g_ascii_strcasecmp(w->held[i], name) == 0) return i;
    return -1;
}

static void press(struct window *w, const char *name)
{
    if (!name) return;
    if (find_held(w, name) < 0 && w->held_count < MAX_HELD)
        g_strlcpy(w->held[w->held_count++], name, sizeof w->held[0]);
    w->handler.key(w->handler.user, name);
}

static void let_go(struct window *w, int i)
{
    char name[sizeof w->held[0]];
    memcpy(name, w->held[i], sizeof name);
    memmove(w->held + i, w->held + i + 1, (size_t)(--w->held_count - i) * sizeof w->held[0]);
    if (w->handler.released) w->handler.released(w->handler.user, name);
}

// When Shift is released first, a key comes up by another name than it went down: '{' as '['. Then
// all keys count as released, so that none stays down for ever.
static void release(struct window *w, const char *name)
{
    if (!name) return;
    const int i = find_held(w, name);
    if (i >= 0) let_go(w, i);
    while (i < 0 && w->held_count) let_go(w, 0);
}

static void on_key(unsigned char key, int x, int y, void *user)
{
    (void)x, (void)y;
    char text[2];
    press(user, name_character(key, text));
}

static void on_key_up(unsigned char key, int x, int y, void *user)
{
    (void)x, (void)y;
    char text[2];
    release(user, name_character(key, text));
}

static void on_special(int key, int x, int y, void *user)
{
    (void)x, (void)y;
    press(user, find_name(special_names, G_N_ELEMENTS(special_names), key));
}

static void on_special_up(int key, int x, int y, void *user)
{
    (void)x, (void)y;
    release(user, find_name(special_names, G_N_ELEMENTS(special_names), key));
}

static void on_move(int x, int y, void *user)
{
    struct window *w = user;
    if (w->handler.moved) w->handler.moved(w->handler.user, x, y);
}

static void on_entry(int state, void *user)
{
    struct window *w = user;
    if (state == GLUT_LEFT && !w->buttons_down) on_move(-1, -1, w);
}

// Steps of the wheel arrive as presses of two more buttons.
static void on_mouse(int button, int state, int x, int y, void *user)
{
    enum { LAST_BUTTON = GLUT_RIGHT_BUTTON, WHEEL_AWAY, WHEEL_TOWARDS };
    struct window *w = user;
    const bool is_down = state == GLUT_DOWN;
    if (button > WHEEL_TOWARDS) return;
    if (button > LAST_BUTTON) {
        if (is_down && w->handler.wheel)
            w->handler.wheel(w->handler.user, button == WHEEL_AWAY ? 1 : -1, x, y);
        return;
    }
    w->buttons_down = MAX(0, w->buttons_down + (is_down ? 1 : -1));
    if (w->handler.button)
        w->handler.button(w->handler.user, (enum window_button)(button + 1), is_down, x, y);
    const bool is_outside = x < 0 || y < 0 || x >= w->width || y >= w->height;
    if (is_outside && !w->buttons_down) on_move(-1, -1, w);
}

static void on_display(void *user)
{
    struct window *w = user;
    w->handler.exposed(w->handler.user);
}

static void on_reshape(int width, int height, void *user)
{
    struct window *w = user;
    w->width = MAX(width, 1);
    w->height = MAX(height, 1);
    on_display(w);
}

static void on_status(int status, void *user)
{
    struct window *w = user;
    w->is_visible = status != GLUT_HIDDEN && status != GLUT_FULLY_COVERED;
}

static void on_close(void *user)
{
    struct window *w = user;
    if (!w->is_open) return;
    w->is_open = w->is_visible = false;
    w->handler.closing(w->handler.user);
}

// ---- life ----

static bool start_glew(struct window *w, struct error *err)
{
    glewExperimental = GL_TRUE;
    const GLenum result = glewInit();
    if (result != GLEW_OK && result != GLEW_ERROR_NO_GLX_DISPLAY)
        return error_set(err, "cannot load OpenGL's functions: %s", glewGetErrorString(result));
    while (glGetError() != GL_NO_ERROR) {
    }
    if (!glTexImage3D || !glMapBufferRange || !glGenVertexArrays)
        return error_set(err, "this OpenGL lacks functions of version 3.3");
    g_snprintf(w->renderer, sizeof w->renderer, "%s, OpenGL %s",
               (const char *)glGetString(GL_RENDERER), (const char *)glGetString(GL_VERSION));
    return true;
}

// A window manager of the last twenty years names itself on the root window.
static bool has_manager(Display *display)
{
    const Atom name = XInternAtom(display, "_NET_SUPPORTING_WM_CHECK", True);
    unsigned long count;
    void *window = name == None ? NULL
                                : exchange_property(display, DefaultRootWindow(display), name,
                                                    XA_WINDOW, 32, 1, &count);
    if (window) XFree(window);
    return window;
}

static void open_guarded(struct window *w, const char *title, int width, int height)
{
    char name[] = "tilescope", *argv[] = {name, NULL};
    int argc = 1;
    exchange_survive_errors();
    glutInitErrorFuncUcall(on_error, w);
    glutInitWarningFuncUcall(on_warning, w);
    glutInit(&argc, argv);
    glutInitContextVersion(3, 3);
    glutInitContextProfile(GLUT_CORE_PROFILE);
    glutInitDisplayMode(GLUT_RGBA | GLUT_DOUBLE);
    glutSetOption(GLUT_ACTION_ON_WINDOW_CLOSE, GLUT_ACTION_CONTINUE_EXECUTION);
    glutInitWindowSize(width, height);
    w->id = glutCreateWindow(title);
    glutSetKeyRepeat(GLUT_KEY_REPEAT_DEFAULT);
    glutKeyboardFuncUcall(on_key, w);
    glutKeyboardUpFuncUcall(on_key_up, w);
    glutSpecialFuncUcall(on_special, w);
    glutSpecialUpFuncUcall(on_special_up, w);
    glutMotionFuncUcall(on_move, w);
    glutPassiveMotionFuncUcall(on_move, w);
    glutEntryFuncUcall(on_entry, w);
    glutMouseFuncUcall(on_mouse, w);
    glutReshapeFuncUcall(on_reshape, w);
    glutDisplayFuncUcall(on_display, w);
    glutWindowStatusFuncUcall(on_status, w);
    glutCloseFuncUcall(on_close, w);
}

struct window *window_open(const char *title, int width, int height,
                           const struct window_handler *handler, bool *has_display,
                           struct error *err)
{
    Display *display = find_display(err);
    *has_display = display != NULL;
    if (!display) return NULL;
    struct window *w = g_new0(struct window, 1);
    *w = (struct window){
        .handler = *handler, .width = width, .height = height, .is_visible = true, .err = err};
    w->is_guarded = true;
    if (setjmp(w->refused)) {
        g_free(w);
        return NULL;
    }
    open_guarded(w, title, width, height);
    w->is_guarded = false;
    w->err = NULL;
    XCloseDisplay(display);  // not before: a display's last client may take it down
    const bool has_context = glXGetCurrentContext() != NULL;
    if (!has_context) error_set(err, "cannot open a window: no OpenGL 3.3 context to be had");
    if (!has_context || !start_glew(w, err)) {
        glutDestroyWindow(w->id);
        g_free(w);
        return NULL;
    }
    w->has_manager = has_manager(glXGetCurrentDisplay());
    if (!w->has_manager) glutPositionWindow(0, 0);  // else a row and a column are off the screen
    // Without it X sends a release before every press that a held key repeats.
    XkbSetDetectableAutoRepeat(glXGetCurrentDisplay(), True, NULL);
    w->is_open = true;
    return w;
}

void window_close(struct window *w)
{
    if (!w) return;
    if (w->is_open) {
        on_close(w);
        glutDestroyWindow(w->id);
        glutMainLoopEvent();  // freeglut destroys windows in its loop
    }
    glutExit();
    g_free(w);
}

void window_poll(struct window *w)
{
    (void)w;
    glutMainLoopEvent();
}

void window_size(const struct window *w, int *width, int *height)
{
    *width = w->width;
    *height = w->height;
}

bool window_is_visible(const struct window *w)
{
    return w->is_visible;
}

void window_swap(struct window *w)
{
    (void)w;
    glutSwapBuffers();
}

// Reads the display's own list: GLEW's flags are set for all, and a software GLX then crashes.
static bool has_extension(Display *display, const char *name)
{
    const char *list = glXQueryExtensionsString(display, DefaultScreen(display));
    g_auto(GStrv) names = g_strsplit(list ? list : "", " ", -1);
    return g_strv_contains((const gchar *const *)names, name);
}

enum window_vsync window_set_vsync(struct window *w, bool is_on)
{
    (void)w;
    Display *display = glXGetCurrentDisplay();
    const GLXDrawable drawable = glXGetCurrentDrawable();
    unsigned int interval = 0;
    if (!display || !drawable) return WINDOW_VSYNC_UNKNOWN;
    if (has_extension(display, "GLX_MESA_swap_control")) {
        glXSwapIntervalMESA(is_on);
        interval = (unsigned int)glXGetSwapIntervalMESA();
    } else if (has_extension(display, "GLX_EXT_swap_control")) {
        glXSwapIntervalEXT(display, drawable, is_on);
        glXQueryDrawable(display, drawable, GLX_SWAP_INTERVAL_EXT, &interval);
    } else {
        return WINDOW_VSYNC_UNKNOWN;
    }
    return interval ? WINDOW_VSYNC_ON : WINDOW_VSYNC_OFF;
}

const char *window_vsync_name(enum window_vsync vsync)
{
    static const char *const names[] = {
        [WINDOW_VSYNC_UNKNOWN] = "unknown", [WINDOW_VSYNC_OFF] = "off", [WINDOW_VSYNC_ON] = "on"};
    return names[vsync];
}

void window_set_fullscreen(struct window *w, bool is_on)
{
    if (is_on == w->is_fullscreen) return;
    w->is_fullscreen = is_on;
    if (w->has_manager && is_on) {
        glutFullScreen();
    } else if (w->has_manager) {
        glutLeaveFullScreen();
    } else if (is_on) {  // glutFullScreen would not move the window into the corner
        w->before_fullscreen.x = glutGet(GLUT_WINDOW_X);
        w->before_fullscreen.y = glutGet(GLUT_WINDOW_Y);
        w->before_fullscreen.width = w->width;
        w->before_fullscreen.height = w->height;
        glutPositionWindow(0, 0);
        glutReshapeWindow(glutGet(GLUT_SCREEN_WIDTH), glutGet(GLUT_SCREEN_HEIGHT));
    } else {
        glutPositionWindow(w->before_fullscreen.x, w->before_fullscreen.y);
        glutReshapeWindow(w->before_fullscreen.width, w->before_fullscreen.height);
    }
}

// freeglut sets the old property, which knows Latin-1 only.
void window_set_title(struct window *w, const char *title)
{
    (void)w;
    Display *display = glXGetCurrentDisplay();
    const Atom name = XInternAtom(display, "_NET_WM_NAME", False);
    const Atom utf8 = XInternAtom(display, "UTF8_STRING", False);
    glutSetWindowTitle(title);
    XChangeProperty(display, glXGetCurrentDrawable(), name, utf8, 8, PropModeReplace,
                    (const unsigned char *)title, (int)strlen(title));
}

void window_set_cursor(struct window *w, enum window_cursor cursor)
{
    static const int shapes[] = {[WINDOW_ARROW] = GLUT_CURSOR_LEFT_ARROW,
                                 [WINDOW_RESIZE_ACROSS] = GLUT_CURSOR_LEFT_RIGHT,
                                 [WINDOW_HAND] = GLUT_CURSOR_INFO};
    if (cursor == w->cursor) return;
    w->cursor = cursor;
    glutSetCursor(shapes[cursor]);
}

unsigned long window_number(const struct window *w)
{
    (void)w;
    return glXGetCurrentDrawable();
}

const char *window_renderer(const struct window *w)
{
    return w->renderer;
}
