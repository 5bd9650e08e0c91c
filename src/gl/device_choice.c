#include "gl/device_choice.h"

#include <glib.h>
#include <string.h>

#include "base/text.h"

static bool is_auto(const char *word)
{
    return !word || !strcmp(word, "auto");
}

static void add_reason(struct device_choice *c, const char *name, const char *why)
{
    text_append(c->reasons, sizeof c->reasons, "%s%s: %s", *c->reasons ? "\n" : "", name, why);
}

// The GPU that draws the window when there is one: only it can write the window's buffers.
static struct backend *open_best(struct device_choice *c, struct error *err)
{
    char reasons[1024] = "";
    struct error why = {""};
    const int drawing = interop_drawing_device(&why);
    if (drawing >= 0) {
        char device[16];
        g_snprintf(device, sizeof device, "cuda:%d", drawing);
        struct backend *b = backend_open(device, reasons, sizeof reasons, &why);
        if (b) return b;
        add_reason(c, device, why.text);
    }
    struct backend *b = backend_open("auto", reasons, sizeof reasons, err);
    if (reasons[0])
        text_append(c->reasons, sizeof c->reasons, "%s%s", *c->reasons ? "\n" : "", reasons);
    return b;
}

// GPUs that are not the drawing one are refused here before the driver gives a black picture.
static bool is_drawing_gpu(const struct device_choice *c, struct error *err)
{
    const struct device *d = backend_device(c->backend);
    if (!d->is_gpu) return error_set(err, "device %s is no GPU", d->id);
    const int drawing = interop_drawing_device(err);
    char id[16];
    g_snprintf(id, sizeof id, "cuda:%d", drawing);
    if (drawing < 0) return false;
    if (strcmp(id, d->id)) return error_set(err, "%s draws the window, not %s", id, d->id);
    return true;
}

static bool pick_path(struct device_choice *c, const char *path, struct watchdog *watchdog,
                      struct error *err)
{
    const bool is_tried = !path || strcmp(path, "staged") != 0;
    const bool is_gpu = backend_device(c->backend)->is_gpu;
    struct error why = {""};
    c->has_interop =
        is_drawing_gpu(c, &why) && (!is_tried || interop_probe(c->backend, watchdog, &why));
    if (is_auto(path)) {
        c->path = c->has_interop ? INTEROP_MAPPED : is_gpu ? INTEROP_STAGED : INTEROP_CPU;
        if (is_gpu && !c->has_interop) add_reason(c, "interop", why.text);
        return true;
    }
    if (!interop_path_parse(path, &c->path))
        return error_set(err, "unknown path '%s'; known are auto, interop, staged and cpu", path);
    if (c->path == INTEROP_MAPPED && !c->has_interop)
        return error_set(err, "cannot take path interop: %s", why.text);
    if (c->path == INTEROP_CPU && is_gpu)
        return error_set(err, "cannot take path cpu: device %s is a GPU",
                         backend_device(c->backend)->id);
    return true;
}

bool device_choice_make(struct device_choice *c, const char *device, const char *path,
                        struct watchdog *watchdog, struct error *err)
{
    struct device_choice found = {0};
    if (is_auto(device) && path && !strcmp(path, "cpu")) device = "cpu";
    found.backend = is_auto(device)
                        ? open_best(&found, err)
                        : backend_open(device, found.reasons, sizeof found.reasons, err);
    if (!found.backend) return false;
    if (!pick_path(&found, path, watchdog, err)) {
        backend_close(found.backend);
        return false;
    }
    *c = found;
    return true;
}
