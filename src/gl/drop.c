#include "gl/drop.h"

#include <X11/Xatom.h>
#include <glib.h>
#include <string.h>

#include "gl/connection.h"

enum { VERSION = 5, LIST_BYTES = 1 << 20, EVENTS_A_TURN = 100 };

enum {
    AWARE,
    PROXY,
    ENTER,
    POSITION,
    STATUS,
    LEAVE,
    DROP,
    FINISHED,
    TYPES,
    SELECTION,
    COPY,
    URIS,
    ATOMS
};
static const char *const names[ATOMS] = {
    [AWARE] = "XdndAware",         [PROXY] = "XdndProxy",       [ENTER] = "XdndEnter",
    [POSITION] = "XdndPosition",   [STATUS] = "XdndStatus",     [LEAVE] = "XdndLeave",
    [DROP] = "XdndDrop",           [FINISHED] = "XdndFinished", [TYPES] = "XdndTypeList",
    [SELECTION] = "XdndSelection", [COPY] = "XdndActionCopy",   [URIS] = "text/uri-list"};

struct drop {
    struct connection x;
    Atom atoms[ATOMS];
    Window target;  // freeglut's
    Window source;  // whose drag is over it; None: there is none
    bool has_files;
};

// ---- names ----

static char *read_name(const char *uri, struct error *err)
{
    enum { MAX_SHOWN = 100 };
    char *host = NULL;
    char *name = g_filename_from_uri(uri, &host, NULL);
    const bool is_here = !host || !*host || !g_ascii_strcasecmp(host, "localhost") ||
                         !g_ascii_strcasecmp(host, g_get_host_name());
    if (!name || !is_here) {
        char *shown = g_utf8_make_valid(uri, -1);
        const bool is_long = g_utf8_strlen(shown, -1) > MAX_SHOWN;
        if (is_long) *g_utf8_offset_to_pointer(shown, MAX_SHOWN) = '\0';
        error_set(err, "'%s%s' is not a file of this machine", shown, is_long ? "…" : "");
        g_free(shown);
        g_clear_pointer(&name, g_free);
    }
    g_free(host);
    return name;
}

// Lines end as a text's in mail; one that begins with # is a remark.
char **drop_read_list(const char *list, struct error *err)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    char **lines = g_strsplit_set(list, "\r\n", -1);
    bool is_good = true;
    for (int i = 0; lines[i] && is_good; i++) {
        if (!*lines[i] || *lines[i] == '#') continue;
        char *name = read_name(lines[i], err);
        is_good = name != NULL;
        if (name) g_ptr_array_add(found, name);
    }
    g_strfreev(lines);
    if (is_good && !found->len) is_good = error_set(err, "no file was dropped");
    g_ptr_array_add(found, NULL);
    if (is_good) return (char **)g_ptr_array_free(found, FALSE);
    g_ptr_array_free(found, TRUE);
    return NULL;
}

// ---- messages ----

static void send(const struct drop *d, int message, long flags, Atom action)
{
    XEvent event = {.xclient = {.type = ClientMessage,
                                .window = d->source,
                                .message_type = d->atoms[message],
                                .format = 32}};
    event.xclient.data.l[0] = (long)d->target;
    event.xclient.data.l[1] = flags;
    event.xclient.data.l[message == STATUS ? 4 : 2] = (long)action;
    XSendEvent(d->x.display, d->source, False, NoEventMask, &event);
}

static bool has_atom(const Atom *atoms, unsigned long count, Atom wanted)
{
    for (unsigned long i = 0; i < count; i++)
        if (atoms[i] == wanted) return true;
    return false;
}

// A source with more than three types lists them in a property.
static bool lists_files(const struct drop *d)
{
    unsigned long count;
    Atom *types =
        connection_get(d->x.display, d->source, d->atoms[TYPES], XA_ATOM, 32, 1024, &count);
    const bool is_found = types && has_atom(types, count, d->atoms[URIS]);
    if (types) XFree(types);
    return is_found;
}

static void finish(struct drop *d, bool is_taken)
{
    send(d, FINISHED, is_taken, is_taken ? d->atoms[COPY] : None);
    d->source = None;
}

static void on_message(struct drop *d, const XClientMessageEvent *event)
{
    const long *l = event->data.l;
    if (event->format != 32) return;
    if (event->message_type == d->atoms[ENTER]) {
        const Atom types[] = {(Atom)l[2], (Atom)l[3], (Atom)l[4]};
        d->source = (Window)l[0];
        d->has_files =
            l[1] & 1 ? lists_files(d) : has_atom(types, G_N_ELEMENTS(types), d->atoms[URIS]);
    }
    if (!d->source || (Window)l[0] != d->source) return;
    // The source may tell each movement: 2 says so.
    if (event->message_type == d->atoms[POSITION])
        send(d, STATUS, d->has_files ? 3 : 2, d->has_files ? d->atoms[COPY] : None);
    if (event->message_type == d->atoms[LEAVE]) d->source = None;
    if (event->message_type != d->atoms[DROP]) return;
    if (d->has_files)
        XConvertSelection(d->x.display, d->atoms[SELECTION], d->atoms[URIS], d->atoms[SELECTION],
                          d->x.window, (Time)l[2]);
    else
        finish(d, false);
}

// A list of a megabyte would come piece by piece: nobody drops so many files on a window.
static char *take_list(const struct drop *d, struct error *err)
{
    unsigned long count;
    char *value = connection_get(d->x.display, d->x.window, d->atoms[SELECTION], d->atoms[URIS], 8,
                                 LIST_BYTES / 4, &count);
    XDeleteProperty(d->x.display, d->x.window, d->atoms[SELECTION]);
    if (!value) error_set(err, "too many files were dropped at once, or none that can be read");
    char *list = value ? g_strndup(value, count) : NULL;
    if (value) XFree(value);
    return list;
}

static char **on_selection(struct drop *d, const XSelectionEvent *event, struct error *err)
{
    char **files = NULL;
    if (!d->source) return NULL;
    char *list = event->property ? take_list(d, err) : NULL;
    if (!event->property) error_set(err, "the program that drops files does not give their names");
    if (list) files = drop_read_list(list, err);
    finish(d, files != NULL);
    g_free(list);
    return files;
}

char **drop_poll(struct drop *d, struct error *err)
{
    char **files = NULL;
    for (int i = 0; i < EVENTS_A_TURN && !files && !err->text[0] && XPending(d->x.display); i++) {
        XEvent event;
        XNextEvent(d->x.display, &event);
        if (event.type == ClientMessage) on_message(d, &event.xclient);
        if (event.type == SelectionNotify) files = on_selection(d, &event.xselection, err);
    }
    XFlush(d->x.display);
    return files;
}

// ---- life ----

// A proxy names itself, so that one that has gone is not followed.
struct drop *drop_open(unsigned long window, struct error *err)
{
    const unsigned long version = VERSION;
    struct drop *d = g_new0(struct drop, 1);
    if (!connection_open(&d->x, names, d->atoms, ATOMS, err)) {
        g_free(d);
        error_prefix(err, "nothing can be dropped: ");
        return NULL;
    }
    d->target = window;
    const Window both[] = {d->x.window, d->target};
    for (size_t i = 0; i < G_N_ELEMENTS(both); i++) {
        connection_put(&d->x, both[i], d->atoms[AWARE], XA_ATOM, &version, 1);
        connection_put(&d->x, both[i], d->atoms[PROXY], XA_WINDOW, &d->x.window, 1);
    }
    XFlush(d->x.display);
    return d;
}

void drop_close(struct drop *d)
{
    if (!d) return;
    connection_close(&d->x);
    g_free(d);
}
