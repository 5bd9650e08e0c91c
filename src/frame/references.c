#include "frame/references.h"

#include <glib.h>

static void take_builder(struct references *r, struct builder *builder)
{
    r->has_own_builder = r->host && (r->has_own_host || !builder);
    r->builder = r->has_own_builder ? builder_create(r->host) : r->host ? builder : NULL;
}

void references_open(struct references *r, struct backend *device, struct builder *builder)
{
    char reasons[2048];
    struct error unused = {""};
    *r = (struct references){.host = device, .has_own_host = backend_device(device)->is_gpu};
    if (r->has_own_host) r->host = backend_open("cpu", reasons, sizeof reasons, &unused);
    if (r->has_own_host && r->host) backend_set_include(r->host, backend_include(device));
    take_builder(r, builder);
}

void references_close(struct references *r)
{
    if (r->has_own_builder) builder_destroy(r->builder);
    if (r->has_own_host) backend_close(r->host);
    *r = (struct references){0};
}

struct builder *references_renew(struct references *r, struct builder *builder)
{
    struct builder *const old = r->has_own_builder ? r->builder : NULL;
    take_builder(r, builder);
    return old;
}

enum builder_state references_get(const struct references *r, const struct filter *f,
                                  const struct module **module)
{
    struct error unused = {""};
    return r->builder ? builder_get(r->builder, f, "", module, &unused) : BUILDER_FAILED;
}

const struct module *references_wait(const struct references *r, const struct filter *f)
{
    const struct module *module = NULL;
    while (references_get(r, f, &module) == BUILDER_BUILDING) g_usleep(1000);
    return module;
}
