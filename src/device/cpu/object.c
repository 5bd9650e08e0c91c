#define _GNU_SOURCE  // dl_iterate_phdr, RTLD_DI_TLS_MODID
#include "device/cpu/object.h"

#include <dlfcn.h>
#include <elf.h>
#include <glib.h>
#include <link.h>
#include <stdint.h>

#include "device/cpu/cuda_words.h"

// What the loader gives each thread of a module's storage, and makes when it is asked for first.
struct tls_place {
    unsigned long module, offset;
};
void *__tls_get_addr(struct tls_place *place);

static void add_range(struct object *o, uintptr_t start, size_t bytes, int space)
{
    o->ranges = g_renew(struct emulator_range, o->ranges, o->range_count + 1);
    o->ranges[o->range_count++] = (struct emulator_range){start, bytes, start, space};
}

// ---- constants: all variables that the object exports ----

struct symbols {
    const ElfW(Sym) * list;
    size_t count;
};

// The hash table of the traced object's link says how many there are (compiler.c asks for it).
static struct symbols find_symbols(const ElfW(Dyn) * entry)
{
    struct symbols found = {NULL, 0};
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *const at = (const void *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_SYMTAB) found.list = at;
        if (entry->d_tag == DT_HASH) found.count = ((const ElfW(Word) *)at)[1];
    }
    return found;
}

static void add_constants(struct object *o, uintptr_t base, const ElfW(Dyn) * dynamic)
{
    const struct symbols symbols = find_symbols(dynamic);
    for (size_t i = 0; symbols.list && i < symbols.count; i++) {
        const ElfW(Sym) *s = &symbols.list[i];
        if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_shndx != SHN_UNDEF)
            add_range(o, base + s->st_value, s->st_size, EMULATOR_CONSTANT);
    }
}

// ---- segments ----

struct search {
    struct object *object;
    uintptr_t inside;
    bool is_traced;
};

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

static void take_segment(const struct search *s, uintptr_t base, const ElfW(Phdr) * part)
{
    struct object *o = s->object;
    const uintptr_t start = base + part->p_vaddr;
    if (part->p_type == PT_TLS) o->shared_bytes = part->p_memsz;
    if (part->p_type != PT_LOAD) return;
    if (s->inside - start < part->p_memsz) {
        o->code = (const void *)start;
        o->code_bytes = part->p_memsz;
    }
    if (s->is_traced && part->p_flags & PF_W) add_range(o, start, part->p_memsz, EMULATOR_GLOBAL);
}

static int take_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    const struct search *s = data;
    if (!holds(info, s->inside)) return 0;
    s->object->path = g_strdup(info->dlpi_name);
    s->object->base = (const void *)info->dlpi_addr;
    for (int i = 0; s->is_traced && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            add_constants(s->object, info->dlpi_addr,
                          (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
    for (int i = 0; i < info->dlpi_phnum; i++)
        take_segment(s, info->dlpi_addr, &info->dlpi_phdr[i]);
    return 1;
}

// ---- the object ----

void object_init(struct object *o, void *handle, const void *inside, bool is_traced)
{
    *o = (struct object){.handle = handle};
    struct search search = {o, (uintptr_t)inside, is_traced};
    dl_iterate_phdr(take_object, &search);
    if (o->shared_bytes && dlinfo(handle, RTLD_DI_TLS_MODID, &o->shared_module) != 0)
        o->shared_bytes = 0;
}

void object_finish(struct object *o)
{
    if (o->handle) dlclose(o->handle);
    g_free(o->path);
    g_free(o->ranges);
    *o = (struct object){0};
}

const void *object_shared(const struct object *o)
{
    return o->shared_bytes ? __tls_get_addr(&(struct tls_place){o->shared_module, 0}) : NULL;
}
