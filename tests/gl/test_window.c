// test_window -- keys and pointer of a real window, sent by xdotool. On an X server of its own
// (Xvfb), so that nobody's desktop gets the keys. 77: no Xvfb, or no xdotool.
#include "unit.h"

#include <X11/Xlib.h>
#include <stdio.h>

#include "gl/window.h"
#include "server.h"

static const gint64 PATIENCE_US = 5000000;
static const char TITLE[] = "tilescope test_window";
enum { WIDTH = 500, HEIGHT = 300 };

static struct window *window;
static GString *heard;  // "+a -a move 3,4 ..."

static void on_key(void *user, const char *key)
{
    g_string_append_printf(heard, "+%s ", key);
}

static void on_released(void *user, const char *key)
{
    g_string_append_printf(heard, "-%s ", key);
}

static void on_moved(void *user, int x, int y)
{
    g_string_append_printf(heard, "move %d,%d ", x, y);
}

static void on_button(void *user, enum window_button button, bool is_down, int x, int y)
{
    g_string_append_printf(heard, "%s%d %d,%d ", is_down ? "down" : "up", (int)button, x, y);
}

static void on_wheel(void *user, int steps, int x, int y)
{
    g_string_append_printf(heard, "wheel %d %d,%d ", steps, x, y);
}

static void on_event(void *user) {}

static void poll_for(gint64 us)
{
    const gint64 start = g_get_monotonic_time();
    while (g_get_monotonic_time() - start < us) {
        window_poll(window);
        g_usleep(500);
    }
}

// xdotool's words; what was heard before is forgotten.
static void xdotool(const char *format, ...) G_GNUC_PRINTF(1, 2);
static void xdotool(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *words = g_strdup_vprintf(format, args);
    va_end(args);
    g_autofree char *line = g_strconcat("xdotool ", words, NULL);
    int status = -1;
    poll_for(20000);
    g_string_truncate(heard, 0);
    assert_true(g_spawn_command_line_sync(line, NULL, NULL, &status, NULL));
    assert_int_equal(status, 0);
}

static void expect_heard(const char *text)
{
    const gint64 start = g_get_monotonic_time();
    while (!strstr(heard->str, text) && g_get_monotonic_time() - start < PATIENCE_US)
        window_poll(window);
    poll_for(20000);
    if (!strstr(heard->str, text)) fail_msg("no '%s' in '%s'", text, heard->str);
}

static void expect_only(const char *text)
{
    expect_heard(text);
    if (strcmp(heard->str, text)) fail_msg("'%s' instead of '%s'", heard->str, text);
}

// ---- keys ----

// As xdotool calls it, and as the window does.
TEST(every_key_has_its_name)
{
    g_auto(GStrv) keys = g_strsplit(
        "a=a shift+a=A bracketleft=[ braceleft={ 5=5 less=< space=space Escape=Esc Return=Return "
        "Tab=Tab BackSpace=Backspace Delete=Delete Left=Left Right=Right Up=Up Down=Down "
        "Prior=PgUp "
        "Next=PgDn Home=Home End=End F1=F1 F11=F11 shift+Left=Left ctrl+Right=Right "
        "shift+BackSpace=Backspace ctrl+Home=Home ctrl+c=Ctrl+C ctrl+0=Ctrl+0 0=0 shift+F11=F11",
        " ", -1);
    for (char **key = keys; *key; key++) {
        char expected[32], *name = strchr(*key, '=');
        *name++ = '\0';
        g_snprintf(expected, sizeof expected, "+%s -%s ", name, name);
        xdotool("key %s", *key);
        expect_only(expected);
    }
}

TEST(keys_without_a_name_are_not_heard)
{
    xdotool("key F7 ctrl+a Shift_L Insert adiaeresis z");
    expect_only("+z -z ");
}

TEST(a_held_key_repeats_and_is_released_once)
{
    static const char *const keys[] = {"e", "Down"};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        xdotool("keydown %s", keys[i]);
        poll_for(1500000);  // the server begins to repeat after 0.66 s
        assert_null(strchr(heard->str, '-'));
        g_autofree char *twice = g_strdup_printf("+%s +%s ", keys[i], keys[i]);
        const bool has_repeated = strstr(heard->str, twice);
        if (!has_repeated) printf("this server does not repeat %s\n", keys[i]);
        xdotool("keyup %s", keys[i]);
        g_strlcpy(twice, "-", 2);
        expect_heard(twice);
        assert_ptr_equal(strchr(heard->str, '-'), strrchr(heard->str, '-'));
    }
}

TEST(a_key_is_released_by_the_name_it_was_pressed_with)
{
    xdotool("keydown shift keydown a keyup shift keyup a");
    expect_only("+A -A ");
    xdotool("keydown shift keydown bracketleft keyup shift keyup bracketleft");
    expect_only("+{ -{ ");
}

// ---- pointer ----

static void move_to(int x, int y)
{
    g_autofree char *expected = g_strdup_printf("move %d,%d ", x, y);
    xdotool("mousemove --window %s %d %d", g_getenv("TEST_WINDOW"), x, y);
    expect_heard(expected);
}

TEST(the_pointer_is_followed_and_leaves)
{
    move_to(100, 50);
    move_to(499, 299);
    xdotool("mousemove 1500 900");
    expect_heard("move -1,-1 ");
    assert_true(g_str_has_suffix(heard->str, "move -1,-1 "));
}

TEST(buttons_tell_where)
{
    move_to(20, 30);
    for (int button = 1; button <= 3; button++) {
        char expected[64];
        g_snprintf(expected, sizeof expected, "down%d 20,30 up%d 20,30 ", button, button);
        xdotool("click %d", button);
        expect_only(expected);
    }
    xdotool("click 8 click 9 click 4");  // "back" and "forward" are not heard
    expect_only("wheel 1 20,30 ");
    xdotool("click --repeat 2 --delay 1 5");
    expect_only("wheel -1 20,30 wheel -1 20,30 ");
}

TEST(a_drag_goes_on_outside)
{
    move_to(400, 200);
    xdotool("mousedown 1 mousemove --window %s 600 250", g_getenv("TEST_WINDOW"));
    expect_heard("move 600,250 ");
    assert_null(strstr(heard->str, "-1,-1"));
    xdotool("mouseup 1");
    expect_heard("up1 600,250 move -1,-1 ");
}

// ---- size ----

static void expect_size(int width, int height)
{
    const gint64 start = g_get_monotonic_time();
    int w = 0, h = 0;
    while ((w != width || h != height) && g_get_monotonic_time() - start < PATIENCE_US) {
        poll_for(1000);
        window_size(window, &w, &h);
    }
    assert_int_equal(w, width);
    assert_int_equal(h, height);
}

TEST(full_screen_comes_and_goes)
{
    Display *x = XOpenDisplay(NULL);
    const int width = DisplayWidth(x, DefaultScreen(x)),
              height = DisplayHeight(x, DefaultScreen(x));
    XCloseDisplay(x);
    for (int turn = 0; turn < 3; turn++) {
        window_set_fullscreen(window, true);
        window_set_fullscreen(window, true);
        expect_size(width, height);
        xdotool("mousemove 7 9");  // it begins in the corner of the screen
        expect_heard("move 7,9 ");
        window_set_fullscreen(window, false);
        window_set_fullscreen(window, false);
        expect_size(WIDTH, HEIGHT);
    }
}

TEST(every_cursor_can_be_set)
{
    for (int cursor = WINDOW_ARROW; cursor <= WINDOW_HAND; cursor++) {
        window_set_cursor(window, (enum window_cursor)cursor);
        poll_for(2000);
    }
    window_set_cursor(window, WINDOW_ARROW);
    xdotool("key q");
    expect_only("+q -q ");
}

// ---- the window ----

// The window's number, for xdotool, and the keyboard for the window.
static bool find_window(void)
{
    g_autofree char *line = g_strdup_printf("xdotool search --sync --name '^%s$'", TITLE),
                    *number = NULL;
    const bool is_found = g_spawn_command_line_sync(line, &number, NULL, NULL, NULL) && *number;
    if (is_found) {
        g_setenv("TEST_WINDOW", g_strstrip(number), true);
        xdotool("windowfocus --sync %s", number);
    }
    return is_found;
}

static bool open_window(void)
{
    const struct window_handler handler = {.key = on_key,
                                           .exposed = on_event,
                                           .closing = on_event,
                                           .released = on_released,
                                           .moved = on_moved,
                                           .button = on_button,
                                           .wheel = on_wheel};
    bool has_display;
    window = window_open(TITLE, WIDTH, HEIGHT, &handler, &has_display, &err);
    if (!window) {
        printf("failed: %s\n", err.text);
        return false;
    }
    poll_for(100000);
    if (find_window()) return true;
    printf("failed: xdotool does not find the window\n");
    window_close(window);
    return false;
}

TEST(the_title_can_be_set)
{
    static const char *const titles[] = {"평균.png – Tilescope", "a \"b\".png", TITLE};
    for (size_t i = 0; i < G_N_ELEMENTS(titles); i++) {
        g_autofree char *name = NULL;
        window_set_title(window, titles[i]);
        poll_for(50000);
        g_autofree char *line =
            g_strdup_printf("xdotool getwindowname %s", g_getenv("TEST_WINDOW"));
        assert_true(g_spawn_command_line_sync(line, &name, NULL, NULL, NULL));
        assert_string_equal(g_strchomp(name), titles[i]);
    }
}

static int run(void)
{
    int failed = 1;
    heard = g_string_new(NULL);
    if (open_window()) {
        failed = unit_run("window", NULL, NULL);
        window_close(window);
    }
    g_string_free(heard, TRUE);
    return failed;
}

int main(void)
{
    return server_run((const char *[]){"Xvfb", "xdotool", NULL}, run);
}
