#include "lens/sharing.h"

#include <string.h>

#include "lens/share.h"

static size_t count_groups(const struct sharing_array *a)
{
    return (a->count + a->group - 1) / a->group;
}

static size_t bytes_of(const struct sharing_array *a)
{
    return count_groups(a) * sizeof *a->groups;
}

struct sharing *sharing_create(const struct lens_memory *memory, int count)
{
    size_t bytes = G_MAXSIZE;
    struct sharing *s = g_new0(struct sharing, 1);
    s->array_count = count;
    for (size_t group = 1; bytes > (size_t)SHARE_SECTORS << 20; group *= 2) {
        bytes = 0;
        for (int i = 0; i < count; i++) {
            struct sharing_array *a = &s->arrays[i];
            const unsigned long long end = memory[i].address + memory[i].bytes;
            a->first = memory[i].address / MODEL_SECTOR_BYTES;
            a->count =
                memory[i].bytes ? (size_t)((end - 1) / MODEL_SECTOR_BYTES - a->first + 1) : 0;
            a->group = group;
            bytes += bytes_of(a);
        }
    }
    bool is_there = bytes > 0;
    for (int i = 0; is_there && i < count; i++) {
        s->arrays[i].groups = g_try_malloc0(bytes_of(&s->arrays[i]));
        is_there = s->arrays[i].groups || !s->arrays[i].count;
    }
    if (is_there) return s;
    sharing_destroy(s);
    return NULL;
}

void sharing_destroy(struct sharing *s)
{
    for (int i = 0; s && i < s->array_count; i++) g_free(s->arrays[i].groups);
    g_free(s);
}

void sharing_clear(struct sharing *s)
{
    for (int i = 0; i < s->array_count; i++)
        if (s->arrays[i].count) memset(s->arrays[i].groups, 0, bytes_of(&s->arrays[i]));
}

void sharing_count(struct sharing *s, GHashTable *warps, int warp, const struct lens_request *r)
{
    struct lens_sectors touched;
    const unsigned int *before = NULL;
    if (r->space != TRACE_GLOBAL && r->space != TRACE_TEXTURE) return;
    model_sectors(r, &touched);
    for (int i = 0; i < touched.count; i++) {
        const unsigned long long number = touched.number[i];
        int k = 0;
        while (k < s->array_count && number - s->arrays[k].first >= s->arrays[k].count) k++;
        if (k == s->array_count) continue;
        const struct sharing_array *const a = &s->arrays[k];
        unsigned int *const counts = a->groups[(number - a->first) / a->group];
        if (counts == before) continue;
        before = counts;
        const int last = GPOINTER_TO_INT(g_hash_table_lookup(warps, counts)) - 1;
        g_atomic_int_inc(&counts[SHARING_REQUESTS]);
        if (last == warp) continue;
        g_atomic_int_inc(&counts[SHARING_WARPS]);
        if (last < 0) g_atomic_int_inc(&counts[SHARING_BLOCKS]);
        g_hash_table_insert(warps, counts, GINT_TO_POINTER(warp + 1));
    }
}

void sharing_add(struct sharing *to, const struct sharing *more)
{
    for (int i = 0; i < to->array_count; i++)
        for (size_t k = 0; k < count_groups(&to->arrays[i]); k++)
            for (int by = 0; by < SHARING_COUNTS; by++)
                to->arrays[i].groups[k][by] += more->arrays[i].groups[k][by];
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

size_t sharing_last(const struct sharing_array *a, size_t sector)
{
    return MIN(sector - sector % a->group + a->group, a->count) - 1;
}

unsigned int sharing_most(const struct sharing_array *a, enum sharing_by by, size_t offset,
                          size_t bytes)
{
    unsigned int most = 0;
    const size_t group = a->group * MODEL_SECTOR_BYTES;
    if (!bytes) return 0;
    for (size_t i = offset / group; i <= (offset + bytes - 1) / group && i < count_groups(a); i++)
        most = MAX(most, a->groups[i][by]);
    return most;
}
