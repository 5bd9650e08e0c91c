// drag.c -- drags a list of URIs onto a window and drops it, as a file manager does: the source's
// side of XDND.
//
//     drag WINDOW LIST        LIST: URIs with \n between them
//     drag -t WINDOW LIST     offers other types, too: five in all
//     drag -n WINDOW LIST     offers no files
//
// Prints "taken", "refused" or "not wanted". Fails with 1 where the window takes no part.
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 300000 };

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "drag: %s\n", what);
    exit(1);
}

struct source {
    Display *display;
    Window window, target, proxy;
    const char *list;
};

static Atom atom(const struct source *s, const char *name)
{
    return XInternAtom(s->display, name, False);
}

// The first word of a property; 0: there is none.
static unsigned long property(const struct source *s, Window window, const char *name)
{
    Atom type;
    int format;
    unsigned long count, rest, word = 0;
    unsigned char *value = NULL;
    XGetWindowProperty(s->display, window, atom(s, name), 0, 1, False, AnyPropertyType, &type,
                       &format, &count, &rest, &value);
    if (value && format == 32 && count) word = *(unsigned long *)(void *)value;
    if (value) XFree(value);
    return word;
}

static void find_proxy(struct source *s)
{
    const Window proxy = property(s, s->target, "XdndProxy");
    s->proxy = proxy && property(s, proxy, "XdndProxy") == proxy ? proxy : s->target;
    if (property(s, s->proxy, "XdndAware") < 5) die("nothing can be dropped there");
}

static void tell(const struct source *s, const char *message, long l1, long l2, long l3, long l4)
{
    XEvent event = {.xclient = {.type = ClientMessage,
                                .window = s->target,
                                .message_type = atom(s, message),
                                .format = 32,
                                .data.l = {(long)s->window, l1, l2, l3, l4}}};
    XSendEvent(s->display, s->proxy, False, NoEventMask, &event);
}

static void next_event(const struct source *s, XEvent *event)
{
    struct pollfd fd = {ConnectionNumber(s->display), POLLIN, 0};
    if (!XPending(s->display) && poll(&fd, 1, PATIENCE_MS) != 1) die("nobody answers");
    XNextEvent(s->display, event);
}

static void answer(const struct source *s, const XSelectionRequestEvent *r)
{
    XChangeProperty(s->display, r->requestor, r->property, r->target, 8, PropModeReplace,
                    (const unsigned char *)s->list, (int)strlen(s->list));
    XEvent reply = {.xselection = {.type = SelectionNotify,
                                   .requestor = r->requestor,
                                   .selection = r->selection,
                                   .target = r->target,
                                   .property = r->property,
                                   .time = r->time}};
    XSendEvent(s->display, r->requestor, False, NoEventMask, &reply);
}

// Waits for a message, and gives the list to who asks for it meanwhile.
static XClientMessageEvent wait_for(const struct source *s, const char *message)
{
    XEvent event;
    for (;;) {
        next_event(s, &event);
        if (event.type == SelectionRequest) answer(s, &event.xselectionrequest);
        if (event.type == ClientMessage && event.xclient.message_type == atom(s, message))
            return event.xclient;
    }
}

static void enter(const struct source *s, char option)
{
    const long version = 5l << 24;
    const Atom uris = atom(s, option == 'n' ? "text/html" : "text/uri-list");
    const Atom types[] = {atom(s, "a/a"), atom(s, "b/b"), atom(s, "c/c"), atom(s, "d/d"), uris};
    XChangeProperty(s->display, s->window, atom(s, "XdndTypeList"), XA_ATOM, 32, PropModeReplace,
                    (const unsigned char *)types, 5);
    if (option == 't')
        tell(s, "XdndEnter", version | 1, (long)types[0], (long)types[1], (long)types[2]);
    else
        tell(s, "XdndEnter", version, (long)uris, None, None);
}

int main(int argc, char **argv)
{
    const char option = argc == 4 ? argv[1][1] : ' ';
    if (argc < 3) die("usage: drag [-t|-n] WINDOW LIST");
    struct source s = {.display = XOpenDisplay(NULL), .list = argv[argc - 1]};
    if (!s.display) die("no display");
    s.target = strtoul(argv[argc - 2], NULL, 0);
    s.window = XCreateSimpleWindow(s.display, DefaultRootWindow(s.display), 0, 0, 1, 1, 0, 0, 0);
    find_proxy(&s);
    XSetSelectionOwner(s.display, atom(&s, "XdndSelection"), s.window, CurrentTime);
    enter(&s, option);
    tell(&s, "XdndPosition", 0, 10l << 16 | 10, CurrentTime, (long)atom(&s, "XdndActionCopy"));
    if (!(wait_for(&s, "XdndStatus").data.l[1] & 1)) {
        tell(&s, "XdndLeave", 0, 0, 0, 0);
        puts("not wanted");
    } else {
        tell(&s, "XdndDrop", 0, CurrentTime, 0, 0);
        puts(wait_for(&s, "XdndFinished").data.l[1] & 1 ? "taken" : "refused");
    }
    XCloseDisplay(s.display);
    return 0;
}
