#include "gl/exchange.h"

#include <X11/Xatom.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/terminal.h"

enum { DRAG_VERSION = 5, LIST_BYTES = 1 << 20, MAX_PAIRS = 32, EVENTS_A_TURN = 100 };
static const gint64 MANAGER_US = 1000000;  // that a clipboard manager may take

// Atoms: of the clipboard, the messages of a drag, and what these hold.
enum { CLIPBOARD, TARGETS, TIMESTAMP, MULTIPLE, PAIRS, MANAGER, SAVE, PNG, TEXT, UTF8 };
enum { AWARE = UTF8 + 1, PROXY, ENTER, POSITION, STATUS, LEAVE, DROP, FINISHED };
enum { TYPES = FINISHED + 1, DRAGGED, COPY, URIS, ATOMS };
static const char *const names[ATOMS] = {
    [CLIPBOARD] = "CLIPBOARD", [TARGETS] = "TARGETS",       [TIMESTAMP] = "TIMESTAMP",
    [MULTIPLE] = "MULTIPLE",   [PAIRS] = "ATOM_PAIR",       [MANAGER] = "CLIPBOARD_MANAGER",
    [SAVE] = "SAVE_TARGETS",   [PNG] = "image/png",         [TEXT] = "text/plain;charset=utf-8",
    [UTF8] = "UTF8_STRING",    [AWARE] = "XdndAware",       [PROXY] = "XdndProxy",
    [ENTER] = "XdndEnter",     [POSITION] = "XdndPosition", [STATUS] = "XdndStatus",
    [LEAVE] = "XdndLeave",     [DROP] = "XdndDrop",         [FINISHED] = "XdndFinished",
    [TYPES] = "XdndTypeList",  [DRAGGED] = "XdndSelection", [COPY] = "XdndActionCopy",
    [URIS] = "text/uri-list"};

struct exchange {
    Display *display;
    Window window;  // of its own
    Atom atoms[ATOMS];

    GBytes *png, *table;  // what is offered; NULL: not that
    Time since;
    bool is_answered;  // by a manager

    Window target;  // freeglut's
    Window source;  // whose drag is over it; None: there is none
    bool has_files;
};

// ---- for all connections of the process ----

// Xlib's own handler would end the process.
static int on_error(Display *display, XErrorEvent *event)
{
    (void)display, (void)event;
    return 0;
}

// Xlib cannot go on without its server and would end the process after this. The process's
// libraries would then find their connections lost, too, and each would say so.
static int on_gone(Display *display)
{
    terminal_print(stderr, "tilescope: the X server of display '%s' is gone\n",
                   DisplayString(display));
    _exit(EXIT_FAILURE);
}

void exchange_survive_errors(void)
{
    XSetErrorHandler(on_error);
    XSetIOErrorHandler(on_gone);
}

void *exchange_property(Display *display, Window of, Atom property, Atom type, int format,
                        long most, unsigned long *count)
{
    Atom found = None;
    int found_format = 0;
    unsigned long rest = 0;
    unsigned char *value = NULL;
    *count = 0;
    XGetWindowProperty(display, of, property, 0, most, False, type, &found, &found_format, count,
                       &rest, &value);
    if (value && found == type && found_format == format && !rest) return value;
    if (value) XFree(value);
    return NULL;
}

// Replaces a property by longs, as X calls its 32-bit words.
static void put(const struct exchange *e, Window to, Atom property, Atom type,
                const unsigned long *words, int count)
{
    XChangeProperty(e->display, to, property, type, 32, PropModeReplace,
                    (const unsigned char *)words, count);
}

// ---- the offer ----

static void clear_offer(struct exchange *e)
{
    g_clear_pointer(&e->png, g_bytes_unref);
    g_clear_pointer(&e->table, g_bytes_unref);
}

bool exchange_has_offer(const struct exchange *e)
{
    return e->png || e->table;
}

bool exchange_offer(struct exchange *e, GBytes *png, GBytes *table, struct error *err)
{
    enum { HEAD_BYTES = 64 };
    const long words = MAX(XExtendedMaxRequestSize(e->display), XMaxRequestSize(e->display));
    if (png && g_bytes_get_size(png) > 4 * (size_t)words - HEAD_BYTES)
        return error_set(err, "a picture of %zu MB is too large for the clipboard",
                         g_bytes_get_size(png) >> 20);
    // A selection is owned from a time of the server's. Appending nothing to a property makes an
    // event that has the present one.
    XEvent event;
    XChangeProperty(e->display, e->window, XA_WM_NAME, XA_STRING, 8, PropModeAppend, NULL, 0);
    do XWindowEvent(e->display, e->window, PropertyChangeMask, &event);
    while (event.xproperty.atom != XA_WM_NAME);
    e->since = event.xproperty.time;
    XSetSelectionOwner(e->display, e->atoms[CLIPBOARD], e->window, e->since);
    if (XGetSelectionOwner(e->display, e->atoms[CLIPBOARD]) != e->window)
        return error_set(err, "the clipboard is kept by another program");
    clear_offer(e);
    if (png) e->png = g_bytes_ref(png);
    if (table) e->table = g_bytes_ref(table);
    return true;
}

static int list_forms(const struct exchange *e, unsigned long *forms)
{
    int count = 0;
    if (e->png) forms[count++] = e->atoms[PNG];
    if (e->table) forms[count++] = e->atoms[TEXT];
    if (e->table) forms[count++] = e->atoms[UTF8];
    return count;
}

// Puts one form of the offer into a property. False: there is no such form.
static bool convert(const struct exchange *e, Window to, Atom property, Atom target)
{
    const unsigned long since = e->since;
    unsigned long targets[ATOMS] = {e->atoms[TARGETS], e->atoms[TIMESTAMP], e->atoms[MULTIPLE]};
    GBytes *bytes = target == e->atoms[PNG]                                ? e->png
                    : target == e->atoms[TEXT] || target == e->atoms[UTF8] ? e->table
                                                                           : NULL;
    if (target == e->atoms[TARGETS])
        put(e, to, property, XA_ATOM, targets, 3 + list_forms(e, targets + 3));
    else if (target == e->atoms[TIMESTAMP])
        put(e, to, property, XA_INTEGER, &since, 1);
    else if (bytes)
        XChangeProperty(e->display, to, property, target, 8, PropModeReplace,
                        g_bytes_get_data(bytes, NULL), (int)g_bytes_get_size(bytes));
    return target == e->atoms[TARGETS] || target == e->atoms[TIMESTAMP] || bytes;
}

// Answers pairs of a target and its property, which becomes None if there is no such form.
static bool convert_pairs(const struct exchange *e, Window to, Atom property)
{
    unsigned long count;
    unsigned long *pairs =
        exchange_property(e->display, to, property, e->atoms[PAIRS], 32, 2 * MAX_PAIRS, &count);
    if (!pairs) return false;
    const bool is_good = count % 2 == 0;
    for (unsigned long i = 0; is_good && i < count; i += 2)
        if (!pairs[i + 1] || !convert(e, to, pairs[i + 1], pairs[i])) pairs[i + 1] = None;
    if (is_good) put(e, to, property, e->atoms[PAIRS], pairs, (int)count);
    XFree(pairs);
    return is_good;
}

// True if a time is not before the offer's; the server's milliseconds begin again after 49 days.
static bool is_since(const struct exchange *e, Time time)
{
    return time == CurrentTime || (gint32)((guint32)time - (guint32)e->since) >= 0;
}

static void answer(const struct exchange *e, const XSelectionRequestEvent *r)
{
    const bool is_many = r->target == e->atoms[MULTIPLE];
    const Atom property = r->property || is_many ? r->property : r->target;  // old programs
    // The request may date from when another program owned the selection. The exchange's own
    // window does not ask for what it offers itself.
    const bool is_ours = exchange_has_offer(e) && r->selection == e->atoms[CLIPBOARD] &&
                         r->requestor != e->window && is_since(e, r->time);
    const bool is_good = is_ours && property &&
                         (is_many ? convert_pairs(e, r->requestor, property)
                                  : convert(e, r->requestor, property, r->target));
    XEvent reply = {.xselection = {.type = SelectionNotify,
                                   .requestor = r->requestor,
                                   .selection = r->selection,
                                   .target = r->target,
                                   .property = is_good ? property : None,
                                   .time = r->time}};
    XSendEvent(e->display, r->requestor, False, NoEventMask, &reply);
}

// ---- files that are dropped ----

static char *read_name(const char *uri, struct error *err)
{
    enum { MAX_SHOWN = 100 };
    g_autofree char *host = NULL;
    char *name = g_filename_from_uri(uri, &host, NULL);
    const bool is_here = !host || !*host || !g_ascii_strcasecmp(host, "localhost") ||
                         !g_ascii_strcasecmp(host, g_get_host_name());
    if (!name || !is_here) {
        g_autofree char *shown = g_utf8_make_valid(uri, -1);
        const bool is_long = g_utf8_strlen(shown, -1) > MAX_SHOWN;
        if (is_long) *g_utf8_offset_to_pointer(shown, MAX_SHOWN) = '\0';
        error_set(err, "'%s%s' is not a file of this machine", shown, is_long ? "…" : "");
        g_clear_pointer(&name, g_free);
    }
    return name;
}

// Lines end with CR and LF; one that begins with # is a remark.
char **exchange_read_list(const char *list, struct error *err)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) lines = g_strsplit_set(list, "\r\n", -1);
    bool is_good = true;
    for (int i = 0; lines[i] && is_good; i++) {
        if (!*lines[i] || *lines[i] == '#') continue;
        char *name = read_name(lines[i], err);
        is_good = name;
        if (name) g_ptr_array_add(found, name);
    }
    if (is_good && !found->len) is_good = error_set(err, "no file was dropped");
    g_ptr_array_add(found, NULL);
    return (char **)(is_good ? g_ptr_array_free(found, FALSE) : g_ptr_array_free(found, TRUE));
}

static void send(const struct exchange *e, int message, long flags, Atom action)
{
    XEvent event = {.xclient = {.type = ClientMessage,
                                .window = e->source,
                                .message_type = e->atoms[message],
                                .format = 32}};
    event.xclient.data.l[0] = (long)e->target;
    event.xclient.data.l[1] = flags;
    event.xclient.data.l[message == STATUS ? 4 : 2] = (long)action;
    XSendEvent(e->display, e->source, False, NoEventMask, &event);
}

static bool has_atom(const Atom *atoms, unsigned long count, Atom wanted)
{
    for (unsigned long i = 0; i < count; i++)
        if (atoms[i] == wanted) return true;
    return false;
}

static void finish_drag(struct exchange *e, bool is_taken)
{
    send(e, FINISHED, is_taken, is_taken ? e->atoms[COPY] : None);
    e->source = None;
}

static void on_message(struct exchange *e, const XClientMessageEvent *event)
{
    const long *l = event->data.l;
    if (event->format != 32) return;
    if (event->message_type == e->atoms[ENTER]) {
        const Atom types[] = {(Atom)l[2], (Atom)l[3], (Atom)l[4]};
        unsigned long count;
        e->source = (Window)l[0];
        e->has_files = has_atom(types, G_N_ELEMENTS(types), e->atoms[URIS]);
        if (l[1] & 1) {  // a source with more than three types lists them in a property
            Atom *all = exchange_property(e->display, e->source, e->atoms[TYPES], XA_ATOM, 32, 1024,
                                          &count);
            e->has_files = all && has_atom(all, count, e->atoms[URIS]);
            if (all) XFree(all);
        }
    }
    if (!e->source || (Window)l[0] != e->source) return;
    // 1: files may be dropped here; 2: the source shall report each movement.
    if (event->message_type == e->atoms[POSITION])
        send(e, STATUS, e->has_files ? 3 : 2, e->has_files ? e->atoms[COPY] : None);
    if (event->message_type == e->atoms[LEAVE]) e->source = None;
    if (event->message_type != e->atoms[DROP]) return;
    if (e->has_files)
        XConvertSelection(e->display, e->atoms[DRAGGED], e->atoms[URIS], e->atoms[DRAGGED],
                          e->window, (Time)l[2]);
    else
        finish_drag(e, false);
}

// A list of a megabyte would come piece by piece: nobody drops so many files on a window.
static char **on_list(struct exchange *e, const XSelectionEvent *event, struct error *err)
{
    unsigned long count;
    if (!e->source) return NULL;
    char *value = event->property ? exchange_property(e->display, e->window, e->atoms[DRAGGED],
                                                      e->atoms[URIS], 8, LIST_BYTES / 4, &count)
                                  : NULL;
    XDeleteProperty(e->display, e->window, e->atoms[DRAGGED]);
    if (!value)
        error_set(err, event->property
                           ? "too many files were dropped at once, or none that can be read"
                           : "the program that drops files does not give their names");
    g_autofree char *list = value ? g_strndup(value, count) : NULL;
    if (value) XFree(value);
    char **files = list ? exchange_read_list(list, err) : NULL;
    finish_drag(e, files != NULL);
    return files;
}

// ---- every turn ----

char **exchange_poll(struct exchange *e, struct error *err)
{
    char **files = NULL;
    for (int i = 0; i < EVENTS_A_TURN && !files && !err->text[0] && XPending(e->display); i++) {
        XEvent event;
        XNextEvent(e->display, &event);
        switch (event.type) {
        case SelectionRequest:
            answer(e, &event.xselectionrequest);
            break;
        case SelectionClear:
            if (is_since(e, event.xselectionclear.time)) clear_offer(e);
            break;
        case SelectionNotify:
            if (event.xselection.selection == e->atoms[DRAGGED])
                files = on_list(e, &event.xselection, err);
            else
                e->is_answered = true;
            break;
        case ClientMessage:
            on_message(e, &event.xclient);
            break;
        }
    }
    XFlush(e->display);
    return files;
}

// ---- life ----

struct exchange *exchange_open(Window target, struct error *err)
{
    const unsigned long version = DRAG_VERSION;
    Display *display = XOpenDisplay(NULL);
    if (!display) {
        error_set(err, "nothing can be copied or dropped: the X server takes no other connection");
        return NULL;
    }
    exchange_survive_errors();
    struct exchange *e = g_new0(struct exchange, 1);
    e->display = display;
    e->window = XCreateSimpleWindow(display, DefaultRootWindow(display), -1, -1, 1, 1, 0, 0, 0);
    e->target = target;
    XSelectInput(display, e->window, PropertyChangeMask);
    XInternAtoms(display, (char **)(void *)names, ATOMS, False, e->atoms);
    // A proxy names itself, so that one that has gone is not followed.
    const Window both[] = {e->window, target};
    for (int i = 0; i < (target ? 2 : 0); i++) {
        put(e, both[i], e->atoms[AWARE], XA_ATOM, &version, 1);
        put(e, both[i], e->atoms[PROXY], XA_WINDOW, &e->window, 1);
    }
    XFlush(display);
    return e;
}

// A manager asks for all forms, and says when it has them.
static void hand_over(struct exchange *e)
{
    unsigned long forms[ATOMS];
    const gint64 end = g_get_monotonic_time() + MANAGER_US;
    if (!exchange_has_offer(e) || !XGetSelectionOwner(e->display, e->atoms[MANAGER])) return;
    put(e, e->window, e->atoms[SAVE], XA_ATOM, forms, list_forms(e, forms));
    XConvertSelection(e->display, e->atoms[MANAGER], e->atoms[SAVE], e->atoms[SAVE], e->window,
                      e->since);
    for (; !e->is_answered && g_get_monotonic_time() < end; g_usleep(1000)) {
        struct error ignored = {""};  // nothing is dropped any more
        g_strfreev(exchange_poll(e, &ignored));
    }
}

void exchange_close(struct exchange *e)
{
    if (!e) return;
    hand_over(e);
    clear_offer(e);
    XCloseDisplay(e->display);
    g_free(e);
}
