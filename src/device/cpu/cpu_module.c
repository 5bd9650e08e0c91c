#include "device/cpu/cpu_module.h"

#include <dlfcn.h>
#include <elf.h>
#include <glib.h>
#include <link.h>
#include <string.h>

#include "device/build_log.h"
#include "device/cpu/host_call.h"
#include "device/cpu/lines.h"

void cpu_module_unload(struct cpu_module *m)
{
    for (int i = 0; i < m->module.entry_count; i++) g_free(m->names[i]);
    object_finish(&m->object);
    g_free(m);
}

static bool add_entry(struct cpu_module *m, const struct build *build, struct error *err)
{
    const int i = m->module.entry_count;
    void *symbol = dlsym(m->object.handle, build->entries[i]);
    if (!symbol)
        return error_set(err, "%s: there is no kernel '%s'", build_log_name(build->path),
                         build->entries[i]);
    memcpy(&m->kernels[i], &symbol, sizeof symbol);
    m->names[i] = g_strdup_printf("%s: %s", build_log_name(build->path), build->entries[i]);
    m->module.facts[i].max_threads = EMULATOR_MAX_THREADS;
    m->module.entry_count++;
    return true;
}

struct cpu_module *cpu_module_load(const struct compiler *compiler, const struct build *build,
                                   const char *include, struct error *err)
{
    struct build_code code;
    if (!compiler_make(compiler, build, include, &code, err)) return NULL;
    struct cpu_module *m = g_new0(struct cpu_module, 1);
    bool is_good = object_load(&m->object, &code, build, err);
    g_free(code.bytes);
    while (is_good && m->object.handle && m->module.entry_count < build->entry_count)
        is_good = add_entry(m, build, err);
    if (is_good) return m;
    cpu_module_unload(m);
    return NULL;
}

bool cpu_module_find_constant(struct backend *b, const struct module *m, const char *name,
                              void **memory, size_t *bytes)
{
    (void)b;
    void *const found = dlsym(((const struct cpu_module *)m)->object.handle, name);
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    if (!found || !dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return false;
    *memory = found;
    *bytes = symbol->st_size;
    return true;
}

void *cpu_module_function(struct backend *b, const struct module *m, const char *name)
{
    (void)b;
    return dlsym(((const struct cpu_module *)m)->object.handle, name);
}

bool cpu_module_call(const struct module *m, const struct host_call *call, struct error *err)
{
    return host_call_run(call, &((const struct cpu_module *)m)->object, err);
}

bool cpu_module_find_lines(const struct module *m, const unsigned int *sites, int count,
                           struct trace_chain *chains, struct error *err)
{
    return lines_find(((const struct cpu_module *)m)->object.path, sites, count, chains, err);
}
