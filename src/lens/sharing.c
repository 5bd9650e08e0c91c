#include "lens/sharing.h"

#include <string.h>

#include "lens/share.h"

struct sharing *sharing_create(const struct lens_memory *memory, int count)
{
    size_t bytes = 0;
    struct sharing *s = g_new0(struct sharing, 1);
    for (int i = 0; i < count; i++) {
        struct sharing_array *a = &s->arrays[s->array_count++];
        a->first = memory[i].address / MODEL_SECTOR_BYTES;
        if (memory[i].bytes)
            a->count = (size_t)((memory[i].address + memory[i].bytes - 1) / MODEL_SECTOR_BYTES -
                                a->first + 1);
        bytes += a->count * sizeof *a->sectors;
    }
    bool is_there = bytes && bytes <= (size_t)SHARE_SECTORS << 20;
    for (int i = 0; is_there && i < count; i++) {
        struct sharing_array *a = &s->arrays[i];
        a->sectors = g_try_malloc0(a->count * sizeof *a->sectors);
        is_there = a->sectors || !a->count;
    }
    if (is_there) return s;
    sharing_destroy(s);
    return NULL;
}

void sharing_destroy(struct sharing *s)
{
    for (int i = 0; s && i < s->array_count; i++) g_free(s->arrays[i].sectors);
    g_free(s);
}

void sharing_clear(struct sharing *s)
{
    for (int i = 0; i < s->array_count; i++)
        if (s->arrays[i].count)
            memset(s->arrays[i].sectors, 0, s->arrays[i].count * sizeof *s->arrays[i].sectors);
}

void sharing_count(struct sharing *s, GHashTable *warps, int warp, const struct lens_request *r)
{
    struct lens_sectors touched;
    if (r->space != TRACE_GLOBAL && r->space != TRACE_TEXTURE) return;
    model_sectors(r, &touched);
    for (int i = 0; i < touched.count; i++) {
        const unsigned long long number = touched.number[i];
        const gpointer key = GSIZE_TO_POINTER(number);
        int k = 0;
        while (k < s->array_count && number - s->arrays[k].first >= s->arrays[k].count) k++;
        if (k == s->array_count) continue;
        unsigned int *const counts = s->arrays[k].sectors[number - s->arrays[k].first];
        const int last = GPOINTER_TO_INT(g_hash_table_lookup(warps, key)) - 1;
        g_atomic_int_inc(&counts[SHARING_REQUESTS]);
        if (last == warp) continue;
        g_atomic_int_inc(&counts[SHARING_WARPS]);
        if (last < 0) g_atomic_int_inc(&counts[SHARING_BLOCKS]);
        g_hash_table_insert(warps, key, GINT_TO_POINTER(warp + 1));
    }
}

void sharing_add(struct sharing *to, const struct sharing *more)
{
    for (int i = 0; i < to->array_count; i++)
        for (size_t k = 0; k < to->arrays[i].count; k++)
            for (int by = 0; by < SHARING_COUNTS; by++)
                to->arrays[i].sectors[k][by] += more->arrays[i].sectors[k][by];
}

struct sharing *sharing_of_block(const struct lens_result *r)
{
    struct sharing *s = sharing_create(r->memory, r->memory_count);
    g_autoptr(GHashTable) warps = g_hash_table_new(NULL, NULL);
    for (int i = 0; s && i < r->pass_count; i++) {
        const struct lens_pass *p = &r->passes[i];
        g_hash_table_remove_all(warps);
        for (int k = 0; k < p->step_count; k++)
            sharing_count(s, warps, p->steps[k].warp, &p->steps[k].request);
    }
    return s;
}

unsigned int sharing_most(const struct sharing_array *a, enum sharing_by by, size_t offset,
                          size_t bytes)
{
    unsigned int most = 0;
    if (!bytes) return 0;
    const size_t end = (offset + bytes - 1) / MODEL_SECTOR_BYTES;
    for (size_t i = offset / MODEL_SECTOR_BYTES; i <= end && i < a->count; i++)
        most = MAX(most, a->sectors[i][by]);
    return most;
}
