#include "device/cpu/cpu_module.h"

#include <dlfcn.h>
#include <elf.h>
#include <glib.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "device/build_log.h"
#include "device/cpu/host_call.h"
#include "device/cpu/process.h"
#include "device/trace.h"

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

// ---- source lines ----

// addr2line of the binutils, which a C compiler needs anyway, finds them.
enum { SITES_A_RUN = 500 };

static char *run_addr2line(const char *program, const char *path, const unsigned int *sites,
                           int count, struct error *err)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
    char *said = NULL;
    const char *const first[] = {program, "-a", "-i", "-e", path};
    for (size_t i = 0; i < G_N_ELEMENTS(first); i++) g_ptr_array_add(argv, g_strdup(first[i]));
    for (int i = 0; i < count; i++) g_ptr_array_add(argv, g_strdup_printf("0x%x", sites[i]));
    g_ptr_array_add(argv, NULL);
    if (!process_ask((char **)argv->pdata, &said, err) && said) {
        error_set(err, "cannot find source lines: %s", g_strchomp(said));
        g_clear_pointer(&said, g_free);
    }
    g_ptr_array_free(argv, TRUE);
    return said;
}

// "/home/me/mean.cu:27 (discriminator 2)"; "??:0" is not known.
static void add_place(struct trace_chain *chain, const char *line)
{
    const char *const colon = strrchr(line, ':'), *const slash = strrchr(line, '/');
    const int number = colon ? atoi(colon + 1) : 0;
    if (number <= 0 || chain->count == TRACE_MAX_PLACES) return;
    const char *const name = slash && slash < colon ? slash + 1 : line;
    struct trace_place *place = &chain->places[chain->count++];
    g_strlcpy(place->file, name, MIN(sizeof place->file, (size_t)(colon - name) + 1));
    place->line = number;
}

// The outermost line is the one where a kernel begins: there the emulator calls its body.
static void read_chains(char *said, int count, struct trace_chain *chains)
{
    char **lines = g_strsplit(said, "\n", -1);
    int at = -1;
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "0x"))
            at++;
        else if (at >= 0 && at < count)
            add_place(&chains[at], *line);
    }
    for (int i = 0; i < count; i++)
        if (chains[i].count > 1 && chains[i].count < TRACE_MAX_PLACES) chains[i].count--;
    g_strfreev(lines);
}

bool cpu_module_find_lines(const struct module *m, const unsigned int *sites, int count,
                           struct trace_chain *chains, struct error *err)
{
    const char *const path = ((const struct cpu_module *)m)->object.path;
    char *program = g_find_program_in_path("addr2line");
    if (!program)
        return error_set(err, "source lines are not known: addr2line is missing, install binutils");
    bool is_found = true;
    for (int done = 0; done < count && is_found; done += SITES_A_RUN) {
        const int now = MIN(SITES_A_RUN, count - done);
        memset(chains + done, 0, sizeof *chains * (size_t)now);
        char *said = run_addr2line(program, path, sites + done, now, err);
        is_found = said != NULL;
        if (said) read_chains(said, now, chains + done);
        g_free(said);
    }
    g_free(program);
    return is_found;
}
