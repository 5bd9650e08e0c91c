#include "device/cpu/object.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/build_log.h"
#include "device/cpu/emulator.h"
#include "device/cpu/trace_hooks.h"
#include "device/process.h"

// For __tls_get_addr(): an offset in a module's thread-local storage, which the first call makes.
struct tls_place {
    unsigned long module, offset;
};
void *__tls_get_addr(struct tls_place *place);
void *__wrap___tls_get_addr(struct tls_place *place);

static _Thread_local unsigned char *placed;

static void add_range(struct object *o, uintptr_t start, size_t bytes, int space)
{
    o->ranges = g_renew(struct emulator_range, o->ranges, o->range_count + 1);
    o->ranges[o->range_count++] =
        (struct emulator_range){.start = start, .bytes = bytes, .as = start, .space = space};
}

static int take_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct object *o = data;
    if (strcmp(info->dlpi_name, o->path) != 0) return 0;
    o->base = (const void *)info->dlpi_addr;
    // __constant__ variables are all variables that the object exports. The hash table of a traced
    // object's link says how many symbols there are (compiler.c asks for it).
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Sym) *symbols = NULL;
        size_t count = 0;
        for (const ElfW(Dyn) *entry =
                 (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
             entry->d_tag != DT_NULL; entry++) {
            const void *const at = (const void *)entry->d_un.d_ptr;
            if (entry->d_tag == DT_SYMTAB) symbols = at;
            if (entry->d_tag == DT_HASH) count = ((const ElfW(Word) *)at)[1];
        }
        for (const ElfW(Sym) *s = symbols; s && s < symbols + count; s++)
            if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_shndx != SHN_UNDEF)
                add_range(o, info->dlpi_addr + s->st_value, s->st_size, TRACE_CONSTANT);
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_TLS) {
            o->shared_bytes = part->p_memsz;
            o->shared_alignment = part->p_align;
        }
        if (part->p_type != PT_LOAD) continue;
        o->image_bytes = MAX(o->image_bytes, part->p_vaddr + part->p_memsz);
        if (part->p_flags & PF_X) {
            o->code = (const void *)start;
            o->code_bytes = part->p_memsz;
        }
        if (part->p_flags & PF_W) add_range(o, start, part->p_memsz, TRACE_GLOBAL);
    }
    return 1;
}

// ---- the object ----

// Loads the sealed copy.
static bool load(struct object *o, const char *name, struct error *err)
{
    o->handle = dlopen(o->path, RTLD_NOW | RTLD_LOCAL);
    if (!o->handle) {
        const char *why = dlerror();  // "/proc/…/fd/7: undefined symbol: nowhere"
        if (g_str_has_prefix(why, o->path))
            why += strlen(o->path) + strspn(why + strlen(o->path), ": ");
        return error_set(err, "%s: cannot load the compiled kernels: %s", name, why);
    }
    dl_iterate_phdr(take_object, o);
    if (o->shared_bytes && dlinfo(o->handle, RTLD_DI_TLS_MODID, &o->shared_module) != 0)
        o->shared_bytes = 0;
    return true;
}

struct object *object_load(const struct build_code *code, const struct build *build,
                           struct error *err)
{
    const struct build_guard *const guard = build->guard;
    const char *const name = build_log_name(build->path);
    const unsigned char *const bytes = code->bytes;
    char shown[200];  // a longer one is refused
    size_t done = 0;
    ssize_t got = 0;
    struct object *const o = g_new0(struct object, 1);
    g_strlcpy(shown, name, sizeof shown);
    o->has_lines = build->has_lines || build->is_traced;
    o->file = memfd_create(shown, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (o->file >= 0) o->path = g_strdup_printf("/proc/%d/fd/%d", (int)getpid(), o->file);
    while (o->file >= 0 && done < code->size &&
           (got = write(o->file, bytes + done, code->size - done)) > 0)
        done += (size_t)got;
    bool is_good =
        o->file >= 0 && done == code->size &&
        !fcntl(o->file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
    if (!is_good)
        error_set(err, "%s: no memory for the compiled kernels: %s", name, g_strerror(errno));
    if (is_good && guard && guard->is_never_loaded) return o;
    if (is_good && guard && guard->before_load) guard->before_load(guard->data);
    is_good = is_good && load(o, name, err);
    for (int i = 0; is_good && i < build->entry_count; i++) {
        o->module.facts[i].max_threads = EMULATOR_MAX_THREADS;
        o->module.entry_count++;
        if (!build->entries[i]) continue;
        g_autofree char *launched = g_strconcat("launch_", build->entries[i], NULL);
        void *const symbol = dlsym(o->handle, launched);
        memcpy(&o->kernels[i], &symbol, sizeof symbol);
        const char *const kernel = build->kernels ? build->kernels[i] : NULL;
        o->names[i] = g_strdup_printf("%s: %s", name, kernel ? kernel : build->entries[i]);
        is_good = symbol || error_set(err, "%s: there is no kernel '%s'", name, build->entries[i]);
    }
    if (is_good) return o;
    object_free(o);
    return NULL;
}

// The loader knows an object by its path, which holds the descriptor's number. If it keeps the
// object, the descriptor stays open, so that no other object gets that path.
void object_free(struct object *o)
{
    if (o->handle) dlclose(o->handle);
    void *const still = o->handle ? dlopen(o->path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (still)
        dlclose(still);
    else if (o->path)
        close(o->file);
    for (int i = 0; i < o->module.entry_count; i++) g_free(o->names[i]);
    g_free(o->path);
    g_free(o->ranges);
    g_free(o);
}

bool object_holds(const struct object *o, uintptr_t instruction)
{
    return instruction - (uintptr_t)o->code < o->code_bytes || emulator_is_hook(instruction);
}

// The linker makes kernels' objects call this instead of the loader (compiler.c).
void *__wrap___tls_get_addr(struct tls_place *place)
{
    return placed ? placed + place->offset : __tls_get_addr(place);
}

const void *object_shared(const struct object *o)
{
    return o->shared_bytes ? __wrap___tls_get_addr(&(struct tls_place){o->shared_module, 0}) : NULL;
}

void object_place_shared(void *memory)
{
#if defined(__x86_64__)  // other processors' objects find their storage without a call
    placed = memory;
#endif
}

bool object_find_constant(struct backend *b, const struct module *m, const char *name,
                          void **memory, size_t *bytes)
{
    void *const found = object_function(m, name);
    Dl_info info;
    (void)b;
    ElfW(Sym) *symbol = NULL;
    if (!found || !dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return false;
    *memory = found;
    *bytes = symbol->st_size;
    return true;
}

void *object_function(const struct module *m, const char *name)
{
    return dlsym(object_of(m)->handle, name);
}

// ---- source lines: addr2line of the binutils, which a C++ compiler needs anyway, finds them ----

enum { SITES_A_RUN = 500 };

// The outermost line is the one where a kernel begins: there the emulator calls its body.
static void read_chains(char *said, int count, struct trace_chain *chains)
{
    g_auto(GStrv) lines = g_strsplit(said, "\n", -1);
    int at = -1;  // the chain of the lines that follow
    for (char **line = lines; *line; line++) {
        // "/home/me/mean.cu:27 (discriminator 2)"; "??:0" is not known.
        const char *const colon = strrchr(*line, ':'), *const slash = strrchr(*line, '/');
        const int number = colon ? atoi(colon + 1) : 0;
        const char *const name = slash && slash < colon ? slash + 1 : *line;
        if (g_str_has_prefix(*line, "0x")) {
            at++;
        } else if (at >= 0 && at < count && number > 0 && chains[at].count < TRACE_MAX_PLACES &&
                   !g_str_has_prefix(name,
                                     "cuda_words.h:")) {  // a word's place is its user's line
            struct trace_place *const place = &chains[at].places[chains[at].count++];
            g_strlcpy(place->file, name, MIN(sizeof place->file, (size_t)(colon - name) + 1));
            place->line = number;
        }
    }
    for (int i = 0; i < count; i++)
        if (chains[i].count > 1 && chains[i].count < TRACE_MAX_PLACES) chains[i].count--;
}

bool object_find_lines(const struct module *m, const unsigned int *sites, int count,
                       struct trace_chain *chains, struct error *err)
{
    g_autofree char *program = g_find_program_in_path("addr2line");
    if (!program)
        return error_set(err, "source lines are not known: addr2line is missing, install binutils");
    char *const command[] = {program,      (char *)"-a",       (char *)"-i",
                             (char *)"-e", object_of(m)->path, NULL};
    bool is_found = true;
    for (int done = 0; done < count && is_found; done += SITES_A_RUN) {
        const int now = MIN(SITES_A_RUN, count - done);
        g_autoptr(GPtrArray) numbers = g_ptr_array_new_with_free_func(g_free);
        for (int i = 0; i < now; i++)
            g_ptr_array_add(numbers, g_strdup_printf("0x%x", sites[done + i]));
        g_ptr_array_add(numbers, NULL);
        const struct process process = {
            .command = command, .arguments = (const char *const *)numbers->pdata, .limit_s = 20};
        g_autofree char *said = NULL;
        is_found = process_run(&process, &said, err);
        memset(chains + done, 0, sizeof *chains * (size_t)now);
        if (is_found)
            read_chains(said, now, chains + done);
        else if (said)
            error_set(err, "cannot find source lines: %s", g_strchomp(said));
    }
    return is_found;
}
