// test_clipboard -- another program asks for what is offered, on an X server of its own (Xvfb):
// forms, several at once, large ones, programs that go in the middle, and a manager that takes over
// at the end. 77: no Xvfb.
#include "unit.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <stdio.h>

#include "gl/clipboard.h"
#include "server.h"

static const gint64 PATIENCE_US = 20000000;
static const char TABLE[] = "variant\tms\nnaive 32×8\t1.41\n";
enum { LARGE = 9000003 };

// The other program, and the clipboard that answers it.
struct other {
    Display *display;
    Window window;
};
static struct other o;
static struct clipboard *c;
static GPtrArray *taken;  // byte arrays of a test

static struct other open_other(void)
{
    Display *d = XOpenDisplay(NULL);
    const struct other other = {d,
                                XCreateSimpleWindow(d, DefaultRootWindow(d), 0, 0, 1, 1, 0, 0, 0)};
    XSelectInput(d, other.window, PropertyChangeMask);
    return other;
}

static Atom atom(const char *name)
{
    return XInternAtom(o.display, name, False);
}

// Waits for an event of that type while the clipboard answers.
static bool next_event(int type, XEvent *event)
{
    const gint64 start = g_get_monotonic_time();
    while (g_get_monotonic_time() - start < PATIENCE_US) {
        clipboard_poll(c);
        if (XCheckTypedEvent(o.display, type, event)) return true;
        XFlush(o.display);
    }
    return false;
}

static Atom ask(const char *target, Atom property, Time time)
{
    XEvent event;
    XConvertSelection(o.display, atom("CLIPBOARD"), atom(target), property, o.window, time);
    assert_true(next_event(SelectionNotify, &event));
    assert_int_equal(event.xselection.target, atom(target));
    return event.xselection.property;
}

// Takes a property's bytes away, which are freed after the test. Words count as unsigned longs.
static const GByteArray *take(const struct other *from, Atom property, Atom *type)
{
    int format;
    unsigned long count, rest;
    unsigned char *value = NULL;
    GByteArray *bytes = g_byte_array_new();
    g_ptr_array_add(taken, bytes);
    XGetWindowProperty(from->display, from->window, property, 0, 1 << 24, True, AnyPropertyType,
                       type, &format, &count, &rest, &value);
    const int size = (int)count * (format == 32 ? (int)sizeof(long) : 1);
    if (size) g_byte_array_append(bytes, value, (guint)size);
    if (value) XFree(value);
    return bytes;
}

static struct clipboard *offer(bool has_table, gsize png_bytes)
{
    struct error err = {""};
    struct clipboard *made = clipboard_open(&err);
    if (!made) fail_msg("%s", err.text);
    guchar *png = g_malloc(png_bytes);
    for (gsize i = 0; i < png_bytes; i++) png[i] = (guchar)(i * i >> 7);
    struct clipboard_offer both = {.png = g_bytes_new_take(png, png_bytes)};
    if (has_table) both.table = g_bytes_new(TABLE, strlen(TABLE));
    assert_true(clipboard_offer(made, &both, &err));
    g_bytes_unref(both.png);
    if (both.table) g_bytes_unref(both.table);
    return made;
}

static void expect_atoms(const char *const *names)
{
    Atom type;
    const GByteArray *found = take(&o, ask("TARGETS", atom("P"), CurrentTime), &type);
    assert_int_equal(type, XA_ATOM);
    const unsigned long *atoms = (unsigned long *)(void *)found->data;
    assert_int_equal(found->len, g_strv_length((gchar **)(void *)names) * sizeof *atoms);
    for (int i = 0; names[i]; i++) assert_int_equal(atoms[i], atom(names[i]));
}

static int open_both(void **state)
{
    o = open_other();
    c = offer(true, 100);
    return 0;
}

static int close_both(void **state)
{
    clipboard_close(g_steal_pointer(&c));
    XCloseDisplay(o.display);
    g_ptr_array_set_size(taken, 0);
    return 0;
}

// ---- what is asked ----

static void it_offers_what_there_is(void **state)
{
    static const char *const both[] = {
        "TARGETS",     "TIMESTAMP", "MULTIPLE", "image/png", "text/plain;charset=utf-8",
        "UTF8_STRING", NULL};
    static const char *const picture[] = {"TARGETS", "TIMESTAMP", "MULTIPLE", "image/png", NULL};
    expect_atoms(both);
    assert_int_equal(ask("text/html", atom("P"), CurrentTime), None);
    assert_int_equal(ask("image/png", atom("P"), 1), None);  // long before the offer
    clipboard_close(c);
    c = offer(false, 100);
    expect_atoms(picture);
    assert_int_equal(ask("UTF8_STRING", atom("P"), CurrentTime), None);
}

static void texts_and_times_come_at_once(void **state)
{
    Atom type;
    const GByteArray *text = take(&o, ask("text/plain;charset=utf-8", None, CurrentTime), &type);
    assert_int_equal(type, atom("text/plain;charset=utf-8"));
    assert_int_equal(text->len, strlen(TABLE));
    assert_memory_equal(text->data, TABLE, text->len);
    const GByteArray *time = take(&o, ask("TIMESTAMP", atom("P"), CurrentTime), &type);
    assert_int_equal(type, XA_INTEGER);
    assert_true(*(unsigned long *)(void *)time->data > 1);
}

static void several_forms_are_asked_for_at_once(void **state)
{
    const Atom many = atom("MANY"), pairs_type = atom("ATOM_PAIR");
    const Atom pairs[] = {atom("UTF8_STRING"), atom("A"),         atom("text/html"),
                          atom("B"),           atom("image/png"), atom("C")};
    Atom type;
    assert_int_equal(ask("MULTIPLE", many, CurrentTime), None);  // of nothing
    XChangeProperty(o.display, o.window, many, pairs_type, 32, PropModeReplace,
                    (const unsigned char *)pairs, G_N_ELEMENTS(pairs));
    assert_int_equal(ask("MULTIPLE", many, CurrentTime), many);
    const GByteArray *answer = take(&o, many, &type);
    assert_int_equal(answer->len, sizeof pairs);
    assert_int_equal(((Atom *)(void *)answer->data)[1], pairs[1]);
    assert_int_equal(((Atom *)(void *)answer->data)[3], None);
    assert_int_equal(take(&o, pairs[1], &type)->len, strlen(TABLE));
    assert_int_equal(take(&o, pairs[3], &type)->len, 0);
    assert_int_equal(take(&o, pairs[5], &type)->len, 100);
}

// Any program may ask for what is put into a property of the clipboard's own window.
static void its_own_window_is_not_answered(void **state)
{
    const Window own = XGetSelectionOwner(o.display, atom("CLIPBOARD"));
    XConvertSelection(o.display, atom("CLIPBOARD"), atom("image/png"), atom("P"), own, CurrentTime);
    assert_int_equal(ask("TIMESTAMP", atom("Q"), CurrentTime), atom("Q"));
    int count = 0;
    Atom *properties = XListProperties(o.display, own, &count);
    for (int i = 0; i < count; i++) assert_int_not_equal(properties[i], atom("P"));
    if (properties) XFree(properties);
}

// ---- large pictures ----

static void a_large_picture_comes_whole(void **state)
{
    clipboard_close(c);
    c = offer(false, LARGE);
    Atom type;
    const GByteArray *bytes = take(&o, ask("image/png", atom("P"), CurrentTime), &type);
    assert_int_equal(bytes->len, LARGE);
    for (gsize i = 0; i < LARGE; i++)
        if (bytes->data[i] != (guchar)(i * i >> 7)) fail_msg("byte %zu is another one", (size_t)i);
}

// No request could carry it. What was offered before stays.
static void a_picture_that_is_too_large_is_refused(void **state)
{
    struct error err = {""};
    GBytes *png = g_bytes_new_take(g_malloc0(20 << 20), 20 << 20);
    assert_false(clipboard_offer(c, &(struct clipboard_offer){.png = png}, &err));
    assert_string_equal(err.text, "a picture of 20 MB is too large for the clipboard");
    assert_true(clipboard_has_offer(c));
    g_bytes_unref(png);
}

// Others get what they ask for, though one has gone before its answer.
static void a_program_that_goes_harms_nobody(void **state)
{
    const struct other gone = open_other();
    XConvertSelection(gone.display, atom("CLIPBOARD"), atom("image/png"), atom("Q"), gone.window,
                      CurrentTime);
    XCloseDisplay(gone.display);
    assert_int_equal(ask("image/png", atom("P"), CurrentTime), atom("P"));
}

// ---- the end of an offer ----

static void the_last_who_copies_has_the_clipboard(void **state)
{
    struct clipboard *first = c;
    c = offer(true, 200);
    const gint64 start = g_get_monotonic_time();
    while (clipboard_has_offer(first) && g_get_monotonic_time() - start < PATIENCE_US)
        clipboard_poll(first);
    assert_false(clipboard_has_offer(first));
    assert_true(clipboard_has_offer(c));
    Atom type;
    assert_int_equal(take(&o, ask("image/png", atom("P"), CurrentTime), &type)->len, 200);
    clipboard_close(first);
    clipboard_close(g_steal_pointer(&c));
    assert_int_equal(XGetSelectionOwner(o.display, atom("CLIPBOARD")), None);
}

// A manager that asks for the picture, and then says that it has it.
static gpointer manage(gpointer data)
{
    XEvent event;
    Atom type;
    (void)data;
    do XNextEvent(o.display, &event);
    while (event.type != SelectionRequest);
    const XSelectionRequestEvent r = event.xselectionrequest;
    XConvertSelection(o.display, atom("CLIPBOARD"), atom("image/png"), atom("P"), o.window,
                      CurrentTime);
    do XNextEvent(o.display, &event);
    while (event.type != SelectionNotify);
    const GByteArray *bytes = take(&o, event.xselection.property, &type);
    XEvent reply = {.xselection = {.type = SelectionNotify,
                                   .requestor = r.requestor,
                                   .selection = r.selection,
                                   .target = r.target,
                                   .property = r.property,
                                   .time = r.time}};
    XSendEvent(o.display, r.requestor, False, NoEventMask, &reply);
    XFlush(o.display);
    return GUINT_TO_POINTER(bytes->len);
}

static void a_manager_takes_over_at_the_end(void **state)
{
    XSetSelectionOwner(o.display, atom("CLIPBOARD_MANAGER"), o.window, CurrentTime);
    XSync(o.display, False);
    GThread *manager = g_thread_new("manager", manage, NULL);
    clipboard_close(c);
    assert_int_equal(GPOINTER_TO_UINT(g_thread_join(manager)), 100);
    c = offer(true, 300);  // one that does not answer is waited for, but not for ever
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_both, close_both)

static int run(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_offers_what_there_is),
        TEST(texts_and_times_come_at_once),
        TEST(several_forms_are_asked_for_at_once),
        TEST(its_own_window_is_not_answered),
        TEST(a_large_picture_comes_whole),
        TEST(a_picture_that_is_too_large_is_refused),
        TEST(a_program_that_goes_harms_nobody),
        TEST(the_last_who_copies_has_the_clipboard),
        TEST(a_manager_takes_over_at_the_end),
    };
    taken = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    g_ptr_array_unref(taken);
    return failed;
}

int main(void)
{
    return server_run((const char *[]){"Xvfb", NULL}, run);
}
