// test_exchange -- on an X server of its own (Xvfb), another program asks for what is offered:
// forms, several at once, large ones, programs that go in the middle, and a manager that takes over
// at the end. And the list that a file manager drops: how it is dropped is
// test_exchange_window.sh's. 77: no Xvfb.
#include "unit.h"

#include <X11/Xatom.h>

#include "gl/exchange.h"
#include "server.h"

static const gint64 PATIENCE_US = 20000000;
static const char TABLE[] = "variant\tms\nnaive 32×8\t1.41\n";
enum { PNG_BYTES = 100, LARGE_BYTES = 9000003 };

// The other program, and the exchange that answers it.
struct other {
    Display *display;
    Window window;
};
static struct other o;
static struct exchange *e;
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

// Asks for a form, while the exchange answers. None: it is not to be had.
static Atom ask(const char *target, Atom property, Time time)
{
    XEvent event = {0};
    const gint64 start = g_get_monotonic_time();
    XConvertSelection(o.display, atom("CLIPBOARD"), atom(target), property, o.window, time);
    do {
        XFlush(o.display);
        assert_null(exchange_poll(e, &err));
        assert_true(g_get_monotonic_time() - start < PATIENCE_US);
    } while (!XCheckTypedEvent(o.display, SelectionNotify, &event));
    assert_int_equal(event.xselection.target, atom(target));
    return event.xselection.property;
}

// Takes a property's bytes away, which are freed after the test. Words count as unsigned longs.
static const GByteArray *take(Atom property, Atom *type)
{
    int format;
    unsigned long count, rest;
    unsigned char *value = NULL;
    GByteArray *bytes = g_byte_array_new();
    g_ptr_array_add(taken, bytes);
    XGetWindowProperty(o.display, o.window, property, 0, 1 << 24, True, AnyPropertyType, type,
                       &format, &count, &rest, &value);
    const int size = (int)count * (format == 32 ? (int)sizeof(long) : 1);
    if (size) g_byte_array_append(bytes, value, (guint)size);
    if (value) XFree(value);
    return bytes;
}

static GBytes *make_png(gsize size)
{
    guchar *png = g_malloc(size);
    for (gsize i = 0; i < size; i++) png[i] = (guchar)(i * i >> 7);
    return g_bytes_new_take(png, size);
}

static bool offer(struct exchange *to, gsize png_bytes, bool has_table)
{
    GBytes *png = make_png(png_bytes);
    GBytes *table = has_table ? g_bytes_new(TABLE, strlen(TABLE)) : NULL;
    const bool is_good = exchange_offer(to, png, table, &err);
    g_bytes_unref(png);
    if (table) g_bytes_unref(table);
    return is_good;
}

static void expect_bytes(Atom property, const char *type_name, const void *bytes, gsize size)
{
    Atom type;
    const GByteArray *found = take(property, &type);
    assert_int_equal(type, atom(type_name));
    assert_int_equal(found->len, size);
    assert_memory_equal(found->data, bytes, size);
}

static void expect_png(Atom property, gsize size)
{
    GBytes *png = make_png(size);
    expect_bytes(property, "image/png", g_bytes_get_data(png, NULL), size);
    g_bytes_unref(png);
}

static void expect_atoms(const char *const *names)
{
    Atom type;
    const GByteArray *found = take(ask("TARGETS", atom("P"), CurrentTime), &type);
    assert_int_equal(type, XA_ATOM);
    const unsigned long *atoms = (unsigned long *)(void *)found->data;
    assert_int_equal(found->len, g_strv_length((gchar **)(void *)names) * sizeof *atoms);
    for (int i = 0; names[i]; i++) assert_int_equal(atoms[i], atom(names[i]));
}

static int open_both(void **state)
{
    err.text[0] = '\0';
    o = open_other();
    e = exchange_open(None, &err);
    return e && offer(e, PNG_BYTES, true) ? 0 : -1;
}

static int close_both(void **state)
{
    exchange_close(g_steal_pointer(&e));
    XCloseDisplay(o.display);
    g_ptr_array_set_size(taken, 0);
    return 0;
}

// ---- what is asked ----

#define BETWEEN_BOTH(name) TEST_WITH(name, open_both, close_both)

BETWEEN_BOTH(it_offers_what_there_is)
{
    static const char *const both[] = {
        "TARGETS",     "TIMESTAMP", "MULTIPLE", "image/png", "text/plain;charset=utf-8",
        "UTF8_STRING", NULL};
    static const char *const picture[] = {"TARGETS", "TIMESTAMP", "MULTIPLE", "image/png", NULL};
    Atom type;
    expect_atoms(both);
    assert_int_equal(ask("text/html", atom("P"), CurrentTime), None);
    assert_int_equal(ask("image/png", atom("P"), 1), None);  // long before the offer
    expect_bytes(ask("text/plain;charset=utf-8", None, CurrentTime), "text/plain;charset=utf-8",
                 TABLE, strlen(TABLE));
    const GByteArray *time = take(ask("TIMESTAMP", atom("P"), CurrentTime), &type);
    assert_int_equal(type, XA_INTEGER);
    assert_true(*(unsigned long *)(void *)time->data > 1);
    assert_true(offer(e, LARGE_BYTES, false));  // nothing of the old one stays
    expect_atoms(picture);
    assert_int_equal(ask("UTF8_STRING", atom("P"), CurrentTime), None);
    expect_png(ask("image/png", atom("P"), CurrentTime), LARGE_BYTES);
}

BETWEEN_BOTH(several_forms_are_asked_for_at_once)
{
    const Atom many = atom("MANY"), pairs_type = atom("ATOM_PAIR");
    const Atom pairs[] = {atom("UTF8_STRING"), atom("A"),         atom("text/html"),
                          atom("B"),           atom("image/png"), atom("C")};
    Atom type;
    assert_int_equal(ask("MULTIPLE", many, CurrentTime), None);  // of nothing
    XChangeProperty(o.display, o.window, many, pairs_type, 32, PropModeReplace,
                    (const unsigned char *)pairs, G_N_ELEMENTS(pairs));
    assert_int_equal(ask("MULTIPLE", many, CurrentTime), many);
    const GByteArray *answer = take(many, &type);
    assert_int_equal(answer->len, sizeof pairs);
    assert_int_equal(((Atom *)(void *)answer->data)[1], pairs[1]);
    assert_int_equal(((Atom *)(void *)answer->data)[3], None);
    expect_bytes(pairs[1], "UTF8_STRING", TABLE, strlen(TABLE));
    assert_int_equal(take(pairs[3], &type)->len, 0);
    expect_png(pairs[5], PNG_BYTES);
}

// Any program may ask for what is put into a property of the exchange's own window.
BETWEEN_BOTH(its_own_window_is_not_answered)
{
    const Window own = XGetSelectionOwner(o.display, atom("CLIPBOARD"));
    XConvertSelection(o.display, atom("CLIPBOARD"), atom("image/png"), atom("P"), own, CurrentTime);
    assert_int_equal(ask("TIMESTAMP", atom("Q"), CurrentTime), atom("Q"));
    int count = 0;
    Atom *properties = XListProperties(o.display, own, &count);
    for (int i = 0; i < count; i++) assert_int_not_equal(properties[i], atom("P"));
    if (properties) XFree(properties);
}

// No request could carry it. What was offered before stays.
BETWEEN_BOTH(a_picture_that_is_too_large_is_refused)
{
    assert_false(offer(e, 20 << 20, true));
    assert_string_equal(err.text, "a picture of 20 MB is too large for the clipboard");
    err.text[0] = '\0';
    expect_png(ask("image/png", atom("P"), CurrentTime), PNG_BYTES);
}

// Others get what they ask for, though one has gone before its answer.
BETWEEN_BOTH(a_program_that_goes_harms_nobody)
{
    const struct other gone = open_other();
    XConvertSelection(gone.display, atom("CLIPBOARD"), atom("image/png"), atom("Q"), gone.window,
                      CurrentTime);
    XCloseDisplay(gone.display);
    expect_png(ask("image/png", atom("P"), CurrentTime), PNG_BYTES);
}

// ---- the end of an offer ----

BETWEEN_BOTH(the_last_who_copies_has_the_clipboard)
{
    struct exchange *first = e;
    e = exchange_open(None, &err);
    assert_true(offer(e, 200, true));
    const gint64 start = g_get_monotonic_time();
    while (exchange_has_offer(first) && g_get_monotonic_time() - start < PATIENCE_US)
        exchange_poll(first, &err);
    assert_false(exchange_has_offer(first));
    expect_png(ask("image/png", atom("P"), CurrentTime), 200);
    exchange_close(first);
    exchange_close(g_steal_pointer(&e));
    assert_int_equal(XGetSelectionOwner(o.display, atom("CLIPBOARD")), None);
}

// A manager that asks for the picture, and then says that it has it.
static gpointer manage(gpointer data)
{
    XEvent event;
    Atom type;
    do XNextEvent(o.display, &event);
    while (event.type != SelectionRequest);
    const XSelectionRequestEvent r = event.xselectionrequest;
    XConvertSelection(o.display, atom("CLIPBOARD"), atom("image/png"), atom("P"), o.window,
                      CurrentTime);
    do XNextEvent(o.display, &event);
    while (event.type != SelectionNotify);
    const GByteArray *bytes = take(event.xselection.property, &type);
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

BETWEEN_BOTH(a_manager_takes_over_at_the_end)
{
    XSetSelectionOwner(o.display, atom("CLIPBOARD_MANAGER"), o.window, CurrentTime);
    XSync(o.display, False);
    GThread *manager = g_thread_new("manager", manage, NULL);
    exchange_close(e);
    assert_int_equal(GPOINTER_TO_UINT(g_thread_join(manager)), PNG_BYTES);
    e = exchange_open(None, &err);
    assert_true(offer(e, 300, true));  // one that does not answer is not waited for for ever
}

// ---- lists that are dropped ----

TEST(a_list_has_the_names_of_files)
{
    g_autofree char *here = g_strdup_printf("file://%s/tmp/here", g_get_host_name());
    const struct {
        const char *list, *files[2], *refusal;  // refusal: of what is no file of this machine
    } cases[] = {
        {"file:///tmp/a.png\r\n", {"/tmp/a.png"}},
        {"file:///tmp/a.png", {"/tmp/a.png"}},
        {"file:///tmp/a\r\n# file:///tmp/b\r\nfile:///tmp/c\r\n", {"/tmp/a", "/tmp/c"}},
        {"file:///tmp/%ED%8F%89%20%23%25%27%0A.png\n", {"/tmp/평 #%'\n.png"}},
        {"file://localhost/tmp/%80", {"/tmp/\x80"}},
        {here, {"/tmp/here"}},
        {"file:///a\r\nhttps://b/c.png", {NULL}, "https://b/c.png"},
        {"file://elsewhere/a", {NULL}, "file://elsewhere/a"},
        {"file:a.png", {NULL}, "file:a.png"},
        {"/tmp/a.png", {NULL}, "/tmp/a.png"},
        {"file:///a%00b", {NULL}, "file:///a%00b"},
        {"file:///a%2Fb", {NULL}, "file:///a%2Fb"},
        {"file:///a%zz", {NULL}, "file:///a%zz"},
        {"http://a\xff", {NULL}, "http://a\uFFFD"},
        {"", {NULL}},
        {"\r\n# a remark\r\n", {NULL}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *refusal =
            cases[i].refusal
                ? g_strdup_printf("'%s' is not a file of this machine", cases[i].refusal)
                : g_strdup("no file was dropped");
        g_auto(GStrv) files = exchange_read_list(cases[i].list, &err);
        assert_true(!files == !cases[i].files[0]);
        if (!files) assert_string_equal(err.text, refusal);
        for (int k = 0; files && k < 2; k++) {
            assert_true(!files[k] == !cases[i].files[k]);
            if (files[k]) assert_string_equal(files[k], cases[i].files[k]);
        }
    }
}

// What is wrong with it stays in sight, on the screen, too.
TEST(a_long_name_is_cut)
{
    g_autoptr(GString) list = g_string_new("http://");
    for (int i = 0; i < 100000; i++) g_string_append(list, "평");
    assert_null(exchange_read_list(list->str, &err));
    assert_true(g_str_has_suffix(err.text, "평…' is not a file of this machine"));
    assert_true(g_utf8_strlen(err.text, -1) < 160);
}

static int run(void)
{
    taken = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
    const int failed = unit_run("exchange", NULL, NULL);
    g_ptr_array_unref(taken);
    return failed;
}

int main(void)
{
    return server_run((const char *[]){"Xvfb", NULL}, run);
}
