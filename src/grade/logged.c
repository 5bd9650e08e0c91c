#include "grade/logged.h"

#include <glib.h>
#include <string.h>

enum { IS_READ = 1, IS_WRITTEN = 2 };

struct logged {
    struct wire_memory pieces[WIRE_MAX_MEMORY];
    unsigned char *marks[WIRE_MAX_MEMORY];  // of each byte
    int count;
    unsigned char *shared;  // marks of the present block
    size_t shared_bytes;
    struct logged_shared blocks;  // before it
};

struct logged *logged_create(void)
{
    return g_new0(struct logged, 1);
}

static void forget(struct logged *l)
{
    for (int i = 0; i < l->count; i++) g_free(l->marks[i]);
    l->count = 0;
    l->shared_bytes = 0;
    l->blocks = (struct logged_shared){0};
}

void logged_destroy(struct logged *l)
{
    if (l) forget(l);
    if (l) g_free(l->shared);
    g_free(l);
}

void logged_begin(struct logged *l, const struct wire_memory *list, int count)
{
    forget(l);
    for (int i = 0; i < count; i++) {
        l->pieces[i] = list[i];
        l->marks[i] = g_malloc0(list[i].bytes);
    }
    l->count = count;
}

static void add_shared(struct logged *l, unsigned long long at, int bytes, unsigned char mark)
{
    for (int i = 0; i < bytes && at < l->shared_bytes; i++) l->shared[at++] |= mark;
}

// Shared memory has addresses of its own, and constants are no piece.
void logged_add(struct logged *l, const struct trace_event *e)
{
    const unsigned char mark = e->kind == TRACE_LOAD    ? IS_READ
                               : e->kind == TRACE_STORE ? IS_WRITTEN
                                                        : IS_READ | IS_WRITTEN;
    if (e->kind == TRACE_FLOW) return;
    if (e->space == TRACE_SHARED) {
        add_shared(l, e->address, e->bytes, mark);
        return;
    }
    for (int i = 0; i < l->count; i++) {
        const unsigned long long at = e->address - l->pieces[i].address;
        if (at >= l->pieces[i].bytes) continue;
        const unsigned long long end = MIN(at + e->bytes, l->pieces[i].bytes);
        for (unsigned long long k = at; k < end; k++) l->marks[i][k] |= mark;
        return;
    }
}

bool logged_has_changes(const struct logged *l, int piece, const unsigned char *before,
                        const unsigned char *after, size_t bytes)
{
    if (piece >= l->count || l->pieces[piece].bytes != bytes) return false;
    for (size_t i = 0; i < bytes; i++)
        if (before[i] != after[i] && !(l->marks[piece][i] & IS_WRITTEN)) return false;
    return true;
}

bool logged_has_row(const struct logged *l, int piece, size_t begin, size_t bytes)
{
    if (piece >= l->count || begin + bytes > l->pieces[piece].bytes) return false;
    for (size_t i = begin; i < begin + bytes; i++)
        if (!(l->marks[piece][i] & IS_WRITTEN)) return false;
    return true;
}

size_t logged_count_read(const struct logged *l, int piece)
{
    size_t count = 0;
    for (size_t i = 0; piece < l->count && i < l->pieces[piece].bytes; i++)
        count += l->marks[piece][i] & IS_READ;
    return count;
}

struct logged_shared logged_shared_sum(const struct logged *l)
{
    struct logged_shared sum = l->blocks;
    for (size_t i = 0; i < l->shared_bytes; i++) {
        sum.read += (l->shared[i] & IS_READ) != 0;
        sum.written += (l->shared[i] & IS_WRITTEN) != 0;
        sum.both += l->shared[i] == (IS_READ | IS_WRITTEN);
    }
    return sum;
}

void logged_begin_block(struct logged *l, size_t shared_bytes)
{
    l->blocks = logged_shared_sum(l);
    l->shared = g_realloc(l->shared, shared_bytes);
    l->shared_bytes = shared_bytes;
    if (shared_bytes) memset(l->shared, 0, shared_bytes);
}
