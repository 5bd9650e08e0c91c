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

// The other program.
struct other {
    Display *display;
    Window window;
};

static struct other open_other(void)
{
    Display *d = XOpenDisplay(NULL);
    const struct other o = {d, XCreateSimpleWindow(d, DefaultRootWindow(d), 0, 0, 1, 1, 0, 0, 0)};
    XSelectInput(d, o.window, PropertyChangeMask);
    return o;
}

static Atom atom(const struct other *o, const char *name)
{
    return XInternAtom(o->display, name, False);
}

// Waits for an event of that type while the clipboard answers.
static bool next_event(const struct other *o, struct clipboard *c, int type, XEvent *event)
{
    const gint64 start = g_get_monotonic_time();
    while (g_get_monotonic_time() - start < PATIENCE_US) {
        clipboard_poll(c);
        if (XCheckTypedEvent(o->display, type, event)) return true;
        XFlush(o->display);
    }
    return false;
}

static Atom ask(const struct other *o, struct clipboard *c, const char *target, Atom property,
                Time time)
{
    XEvent event;
    XConvertSelection(o->display, atom(o, "CLIPBOARD"), atom(o, target), property, o->window, time);
    assert_true(next_event(o, c, SelectionNotify, &event));
    assert_int_equal(event.xselection.target, atom(o, target));
    return event.xselection.property;
}

// Takes a property's bytes away and adds them; 0: there were none. Words count as unsigned longs.
static int take(const struct other *o, Atom property, GByteArray *into, Atom *type)
{
    int format;
    unsigned long count, rest;
    unsigned char *value = NULL;
    XGetWindowProperty(o->display, o->window, property, 0, 1 << 24, True, AnyPropertyType, type,
                       &format, &count, &rest, &value);
    const int size = (int)count * (format == 32 ? (int)sizeof(long) : 1);
    if (size) g_byte_array_append(into, value, (guint)size);
    if (value) XFree(value);
    return size;
}

static struct clipboard *offer(bool has_table, gsize png_bytes)
{
    struct error err = {""};
    struct clipboard *c = clipboard_open(&err);
    if (!c) fail_msg("%s", err.text);
    guchar *png = g_malloc(png_bytes);
    for (gsize i = 0; i < png_bytes; i++) png[i] = (guchar)(i * i >> 7);
    struct clipboard_offer o = {.png = g_bytes_new_take(png, png_bytes)};
    if (has_table) o.table = g_bytes_new(TABLE, strlen(TABLE));
    assert_true(clipboard_offer(c, &o, &err));
    g_bytes_unref(o.png);
    if (o.table) g_bytes_unref(o.table);
    return c;
}

static void expect_atoms(const struct other *o, struct clipboard *c, const char *const *names)
{
    GByteArray *found = g_byte_array_new();
    const Atom property = ask(o, c, "TARGETS", atom(o, "P"), CurrentTime);
    Atom type;
    take(o, property, found, &type);
    assert_int_equal(type, XA_ATOM);
    const unsigned long *atoms = (unsigned long *)(void *)found->data;
    assert_int_equal(found->len, g_strv_length((gchar **)(void *)names) * sizeof *atoms);
    for (int i = 0; names[i]; i++) assert_int_equal(atoms[i], atom(o, names[i]));
    g_byte_array_free(found, TRUE);
}

// ---- what is asked ----

static void it_offers_what_there_is(void **state)
{
    static const char *const both[] = {
        "TARGETS",     "TIMESTAMP", "MULTIPLE", "image/png", "text/plain;charset=utf-8",
        "UTF8_STRING", NULL};
    static const char *const picture[] = {"TARGETS", "TIMESTAMP", "MULTIPLE", "image/png", NULL};
    const struct other o = open_other();
    struct clipboard *c = offer(true, 100);
    expect_atoms(&o, c, both);
    assert_int_equal(ask(&o, c, "text/html", atom(&o, "P"), CurrentTime), None);
    assert_int_equal(ask(&o, c, "image/png", atom(&o, "P"), 1), None);  // long before the offer
    clipboard_close(c);
    c = offer(false, 100);
    expect_atoms(&o, c, picture);
    assert_int_equal(ask(&o, c, "UTF8_STRING", atom(&o, "P"), CurrentTime), None);
    clipboard_close(c);
    XCloseDisplay(o.display);
}

static void texts_and_times_come_at_once(void **state)
{
    const struct other o = open_other();
    struct clipboard *c = offer(true, 100);
    GByteArray *text = g_byte_array_new(), *time = g_byte_array_new();
    Atom type;
    take(&o, ask(&o, c, "text/plain;charset=utf-8", None, CurrentTime), text, &type);
    assert_int_equal(type, atom(&o, "text/plain;charset=utf-8"));
    assert_int_equal(text->len, strlen(TABLE));
    assert_memory_equal(text->data, TABLE, text->len);
    take(&o, ask(&o, c, "TIMESTAMP", atom(&o, "P"), CurrentTime), time, &type);
    assert_int_equal(type, XA_INTEGER);
    assert_true(*(unsigned long *)(void *)time->data > 1);
    g_byte_array_free(text, TRUE);
    g_byte_array_free(time, TRUE);
    clipboard_close(c);
    XCloseDisplay(o.display);
}

static void several_forms_are_asked_for_at_once(void **state)
{
    const struct other o = open_other();
    struct clipboard *c = offer(true, 100);
    const Atom many = atom(&o, "MANY"), pairs_type = atom(&o, "ATOM_PAIR");
    const Atom pairs[] = {atom(&o, "UTF8_STRING"), atom(&o, "A"),         atom(&o, "text/html"),
                          atom(&o, "B"),           atom(&o, "image/png"), atom(&o, "C")};
    GByteArray *answer = g_byte_array_new(), *bytes = g_byte_array_new();
    Atom type;
    assert_int_equal(ask(&o, c, "MULTIPLE", many, CurrentTime), None);  // of nothing
    XChangeProperty(o.display, o.window, many, pairs_type, 32, PropModeReplace,
                    (const unsigned char *)pairs, G_N_ELEMENTS(pairs));
    assert_int_equal(ask(&o, c, "MULTIPLE", many, CurrentTime), many);
    take(&o, many, answer, &type);
    assert_int_equal(answer->len, sizeof pairs);
    assert_int_equal(((Atom *)(void *)answer->data)[1], pairs[1]);
    assert_int_equal(((Atom *)(void *)answer->data)[3], None);
    assert_int_equal(take(&o, pairs[1], bytes, &type), strlen(TABLE));
    assert_int_equal(take(&o, pairs[3], bytes, &type), 0);
    assert_int_equal(take(&o, pairs[5], bytes, &type), 100);
    g_byte_array_free(answer, TRUE);
    g_byte_array_free(bytes, TRUE);
    clipboard_close(c);
    XCloseDisplay(o.display);
}

// Any program may ask for what is put into a property of the clipboard's own window.
static void its_own_window_is_not_answered(void **state)
{
    const struct other o = open_other();
    struct clipboard *c = offer(true, 100);
    const Window own = XGetSelectionOwner(o.display, atom(&o, "CLIPBOARD"));
    XConvertSelection(o.display, atom(&o, "CLIPBOARD"), atom(&o, "image/png"), atom(&o, "P"), own,
                      CurrentTime);
    assert_int_equal(ask(&o, c, "TIMESTAMP", atom(&o, "Q"), CurrentTime), atom(&o, "Q"));
    int count = 0;
    Atom *properties = XListProperties(o.display, own, &count);
    for (int i = 0; i < count; i++) assert_int_not_equal(properties[i], atom(&o, "P"));
    if (properties) XFree(properties);
    clipboard_close(c);
    XCloseDisplay(o.display);
}

// ---- large pictures ----

static void a_large_picture_comes_whole(void **state)
{
    const struct other o = open_other();
    struct clipboard *c = offer(false, LARGE);
    GByteArray *bytes = g_byte_array_new();
    Atom type;
    assert_int_equal(take(&o, ask(&o, c, "image/png", atom(&o, "P"), CurrentTime), bytes, &type),
                     LARGE);
    for (gsize i = 0; i < LARGE; i++)
        if (bytes->data[i] != (guchar)(i * i >> 7)) fail_msg("byte %zu is another one", (size_t)i);
    g_byte_array_free(bytes, TRUE);
    clipboard_close(c);
    XCloseDisplay(o.display);
}

// No request could carry it. What was offered before stays.
static void a_picture_that_is_too_large_is_refused(void **state)
{
    struct clipboard *c = offer(false, 100);
    struct error err = {""};
    GBytes *png = g_bytes_new_take(g_malloc0(20 << 20), 20 << 20);
    assert_false(clipboard_offer(c, &(struct clipboard_offer){.png = png}, &err));
    assert_string_equal(err.text, "a picture of 20 MB is too large for the clipboard");
    assert_true(clipboard_has_offer(c));
    g_bytes_unref(png);
    clipboard_close(c);
}

// Others get what they ask for, though one has gone before its answer.
static void a_program_that_goes_harms_nobody(void **state)
{
    const struct other gone = open_other(), o = open_other();
    struct clipboard *c = offer(false, 100);
    XConvertSelection(gone.display, atom(&gone, "CLIPBOARD"), atom(&gone, "image/png"),
                      atom(&gone, "Q"), gone.window, CurrentTime);
    XCloseDisplay(gone.display);
    assert_int_equal(ask(&o, c, "image/png", atom(&o, "P"), CurrentTime), atom(&o, "P"));
    clipboard_close(c);
    XCloseDisplay(o.display);
}

// ---- the end of an offer ----

static void the_last_who_copies_has_the_clipboard(void **state)
{
    const struct other o = open_other();
    struct clipboard *first = offer(false, 100), *second = offer(true, 200);
    const gint64 start = g_get_monotonic_time();
    while (clipboard_has_offer(first) && g_get_monotonic_time() - start < PATIENCE_US)
        clipboard_poll(first);
    assert_false(clipboard_has_offer(first));
    assert_true(clipboard_has_offer(second));
    GByteArray *bytes = g_byte_array_new();
    Atom type;
    assert_int_equal(
        take(&o, ask(&o, second, "image/png", atom(&o, "P"), CurrentTime), bytes, &type), 200);
    g_byte_array_free(bytes, TRUE);
    clipboard_close(first);
    clipboard_close(second);
    assert_int_equal(XGetSelectionOwner(o.display, atom(&o, "CLIPBOARD")), None);
    XCloseDisplay(o.display);
}

// A manager that asks for the picture, and then says that it has it.
static gpointer manage(gpointer data)
{
    const struct other *o = data;
    XEvent event;
    Atom type;
    GByteArray *bytes = g_byte_array_new();
    do XNextEvent(o->display, &event);
    while (event.type != SelectionRequest);
    const XSelectionRequestEvent r = event.xselectionrequest;
    XConvertSelection(o->display, atom(o, "CLIPBOARD"), atom(o, "image/png"), atom(o, "P"),
                      o->window, CurrentTime);
    do XNextEvent(o->display, &event);
    while (event.type != SelectionNotify);
    take(o, event.xselection.property, bytes, &type);
    XEvent reply = {.xselection = {.type = SelectionNotify,
                                   .requestor = r.requestor,
                                   .selection = r.selection,
                                   .target = r.target,
                                   .property = r.property,
                                   .time = r.time}};
    XSendEvent(o->display, r.requestor, False, NoEventMask, &reply);
    XFlush(o->display);
    return bytes;
}

static void a_manager_takes_over_at_the_end(void **state)
{
    struct other o = open_other();
    XSetSelectionOwner(o.display, atom(&o, "CLIPBOARD_MANAGER"), o.window, CurrentTime);
    XSync(o.display, False);
    struct clipboard *c = offer(true, 300);
    GThread *manager = g_thread_new("manager", manage, &o);
    clipboard_close(c);
    GByteArray *bytes = g_thread_join(manager);
    assert_int_equal(bytes->len, 300);
    g_byte_array_free(bytes, TRUE);
    c = offer(true, 300);
    clipboard_close(c);  // one that does not answer is waited for, but not for ever
    XCloseDisplay(o.display);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_offers_what_there_is),
        cmocka_unit_test(texts_and_times_come_at_once),
        cmocka_unit_test(several_forms_are_asked_for_at_once),
        cmocka_unit_test(its_own_window_is_not_answered),
        cmocka_unit_test(a_large_picture_comes_whole),
        cmocka_unit_test(a_picture_that_is_too_large_is_refused),
        cmocka_unit_test(a_program_that_goes_harms_nobody),
        cmocka_unit_test(the_last_who_copies_has_the_clipboard),
        cmocka_unit_test(a_manager_takes_over_at_the_end),
    };
    if (!server_has_program("Xvfb")) {
        printf("skipped: there is no Xvfb\n");
        return 77;
    }
    const GPid server = server_start();
    if (!server) {
        printf("failed: Xvfb does not start\n");
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    server_stop(server);
    return failed;
}
