#include "gl/clipboard.h"

#include <X11/Xatom.h>

#include "gl/connection.h"

enum { MAX_PAIRS = 32, EVENTS_A_TURN = 100 };
static const gint64 MANAGER_US = 1000000;  // that a manager may take over

enum { CLIPBOARD, TARGETS, TIMESTAMP, MULTIPLE, PAIRS, MANAGER, SAVE, PNG, TEXT, UTF8, ATOMS };
static const char *const names[ATOMS] = {
    [CLIPBOARD] = "CLIPBOARD", [TARGETS] = "TARGETS", [TIMESTAMP] = "TIMESTAMP",
    [MULTIPLE] = "MULTIPLE",   [PAIRS] = "ATOM_PAIR", [MANAGER] = "CLIPBOARD_MANAGER",
    [SAVE] = "SAVE_TARGETS",   [PNG] = "image/png",   [TEXT] = "text/plain;charset=utf-8",
    [UTF8] = "UTF8_STRING"};

struct clipboard {
    struct connection x;
    Atom atoms[ATOMS];
    Time since;
    struct clipboard_offer offer;
    bool is_answered;  // by a manager
};

// ---- the offer ----

static void clear_offer(struct clipboard *c)
{
    g_clear_pointer(&c->offer.png, g_bytes_unref);
    g_clear_pointer(&c->offer.table, g_bytes_unref);
}

bool clipboard_has_offer(const struct clipboard *c)
{
    return c->offer.png || c->offer.table;
}

bool clipboard_offer(struct clipboard *c, const struct clipboard_offer *offer, struct error *err)
{
    const size_t most = connection_most_bytes(&c->x);
    if (offer->png && g_bytes_get_size(offer->png) > most)
        return error_set(err, "a picture of %zu MB is too large for the clipboard",
                         g_bytes_get_size(offer->png) >> 20);
    c->since = connection_time(&c->x);
    XSetSelectionOwner(c->x.display, c->atoms[CLIPBOARD], c->x.window, c->since);
    if (XGetSelectionOwner(c->x.display, c->atoms[CLIPBOARD]) != c->x.window)
        return error_set(err, "the clipboard is kept by another program");
    clear_offer(c);
    if (offer->png) c->offer.png = g_bytes_ref(offer->png);
    if (offer->table) c->offer.table = g_bytes_ref(offer->table);
    return true;
}

static int list_forms(const struct clipboard *c, unsigned long *forms)
{
    int count = 0;
    if (c->offer.png) forms[count++] = c->atoms[PNG];
    if (c->offer.table) forms[count++] = c->atoms[TEXT];
    if (c->offer.table) forms[count++] = c->atoms[UTF8];
    return count;
}

// ---- requests ----

// Puts one form of the offer into a property. False: there is no such form.
static bool convert(struct clipboard *c, Window to, Atom property, Atom target)
{
    const unsigned long since = c->since;
    unsigned long targets[ATOMS] = {c->atoms[TARGETS], c->atoms[TIMESTAMP], c->atoms[MULTIPLE]};
    GBytes *bytes = target == c->atoms[PNG]                                ? c->offer.png
                    : target == c->atoms[TEXT] || target == c->atoms[UTF8] ? c->offer.table
                                                                           : NULL;
    if (target == c->atoms[TARGETS])
        connection_put(&c->x, to, property, XA_ATOM, targets, 3 + list_forms(c, targets + 3));
    else if (target == c->atoms[TIMESTAMP])
        connection_put(&c->x, to, property, XA_INTEGER, &since, 1);
    else if (bytes)
        XChangeProperty(c->x.display, to, property, target, 8, PropModeReplace,
                        g_bytes_get_data(bytes, NULL), (int)g_bytes_get_size(bytes));
    return target == c->atoms[TARGETS] || target == c->atoms[TIMESTAMP] || bytes;
}

// Pairs of a target and its property; what cannot be had becomes None.
static bool convert_pairs(struct clipboard *c, Window to, Atom property)
{
    unsigned long count;
    unsigned long *pairs =
        connection_get(c->x.display, to, property, c->atoms[PAIRS], 32, 2 * MAX_PAIRS, &count);
    if (!pairs) return false;
    const bool is_good = count % 2 == 0;
    for (unsigned long i = 0; is_good && i < count; i += 2)
        if (!pairs[i + 1] || !convert(c, to, pairs[i + 1], pairs[i])) pairs[i + 1] = None;
    if (is_good) connection_put(&c->x, to, property, c->atoms[PAIRS], pairs, (int)count);
    XFree(pairs);
    return is_good;
}

// The server's milliseconds begin again after 49 days.
static bool is_since(const struct clipboard *c, Time time)
{
    return time == CurrentTime || (gint32)((guint32)time - (guint32)c->since) >= 0;
}

static void answer(struct clipboard *c, const XSelectionRequestEvent *r)
{
    const bool is_many = r->target == c->atoms[MULTIPLE];
    const Atom property = r->property || is_many ? r->property : r->target;  // old programs
    // It may be of a time when the selection was another program's. The clipboard's own window asks
    // for nothing.
    const bool is_ours = clipboard_has_offer(c) && r->selection == c->atoms[CLIPBOARD] &&
                         r->requestor != c->x.window && is_since(c, r->time);
    const bool is_good = is_ours && property &&
                         (is_many ? convert_pairs(c, r->requestor, property)
                                  : convert(c, r->requestor, property, r->target));
    XEvent reply = {.xselection = {.type = SelectionNotify,
                                   .requestor = r->requestor,
                                   .selection = r->selection,
                                   .target = r->target,
                                   .property = is_good ? property : None,
                                   .time = r->time}};
    XSendEvent(c->x.display, r->requestor, False, NoEventMask, &reply);
}

static void handle(struct clipboard *c, const XEvent *event)
{
    switch (event->type) {
    case SelectionRequest:
        answer(c, &event->xselectionrequest);
        break;
    case SelectionClear:
        if (is_since(c, event->xselectionclear.time)) clear_offer(c);
        break;
    case SelectionNotify:
        c->is_answered = true;
        break;
    }
}

void clipboard_poll(struct clipboard *c)
{
    for (int i = 0; i < EVENTS_A_TURN && XPending(c->x.display); i++) {
        XEvent event;
        XNextEvent(c->x.display, &event);
        handle(c, &event);
    }
    XFlush(c->x.display);
}

// ---- life ----

struct clipboard *clipboard_open(struct error *err)
{
    struct clipboard *c = g_new0(struct clipboard, 1);
    if (connection_open(&c->x, names, c->atoms, ATOMS, err)) return c;
    g_free(c);
    error_prefix(err, "no clipboard: ");
    return NULL;
}

// A manager asks for all forms, and says when it has them.
static void hand_over(struct clipboard *c)
{
    unsigned long forms[ATOMS];
    const gint64 end = g_get_monotonic_time() + MANAGER_US;
    if (!clipboard_has_offer(c) || !XGetSelectionOwner(c->x.display, c->atoms[MANAGER])) return;
    connection_put(&c->x, c->x.window, c->atoms[SAVE], XA_ATOM, forms, list_forms(c, forms));
    XConvertSelection(c->x.display, c->atoms[MANAGER], c->atoms[SAVE], c->atoms[SAVE], c->x.window,
                      c->since);
    for (; !c->is_answered && g_get_monotonic_time() < end; g_usleep(1000)) clipboard_poll(c);
}

void clipboard_close(struct clipboard *c)
{
    if (!c) return;
    hand_over(c);
    clear_offer(c);
    connection_close(&c->x);
    g_free(c);
}
