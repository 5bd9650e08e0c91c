#include "lens/totals.h"

#include <glib.h>

struct totals {
    GArray *rows;
    GHashTable *index;  // key to number; NULL: not since the rows were sorted
};

struct totals *totals_create(void)
{
    struct totals *t = g_new0(struct totals, 1);
    t->rows = g_array_new(FALSE, FALSE, sizeof(struct totals_row));
    return t;
}

void totals_destroy(struct totals *t)
{
    if (!t) return;
    totals_clear(t);
    g_array_free(t->rows, TRUE);
    g_free(t);
}

static void forget_index(struct totals *t)
{
    if (t->index) g_hash_table_destroy(t->index);
    t->index = NULL;
}

void totals_clear(struct totals *t)
{
    g_array_set_size(t->rows, 0);
    forget_index(t);
}

static struct totals_row *row_at(const struct totals *t, guint i)
{
    return &g_array_index(t->rows, struct totals_row, i);
}

// Rises as the rows do.
static guint64 key_of(const struct totals_row *row)
{
    return (guint64)row->site << 24 | (guint64)row->kind << 16 | (guint64)row->space << 8 |
           row->bytes;
}

static gpointer pointer_of(guint64 key)
{
    G_STATIC_ASSERT(sizeof(gpointer) == sizeof key);
    return (gpointer)(gsize)key;
}

static void make_index(struct totals *t)
{
    t->index = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < t->rows->len; i++)
        g_hash_table_insert(t->index, pointer_of(key_of(row_at(t, i))), GUINT_TO_POINTER(i));
}

static struct totals_row *find_row(struct totals *t, const struct totals_row *like)
{
    const gpointer key = pointer_of(key_of(like));
    if (!t->index) make_index(t);
    gpointer found;
    if (!g_hash_table_lookup_extended(t->index, key, NULL, &found)) {
        found = GUINT_TO_POINTER(t->rows->len);
        const struct totals_row row = {like->site, like->kind, like->space, like->bytes, {0}};
        g_array_append_val(t->rows, row);
        g_hash_table_insert(t->index, key, found);
    }
    return row_at(t, GPOINTER_TO_UINT(found));
}

void totals_add(struct totals *t, const struct lens_request *r)
{
    const struct totals_row like = {r->site, r->kind, r->space, r->bytes, {0}};
    model_count(r, &find_row(t, &like)->counts);
}

void totals_merge(struct totals *to, const struct totals *from)
{
    for (guint i = 0; i < from->rows->len; i++)
        model_add(&find_row(to, row_at(from, i))->counts, &row_at(from, i)->counts);
}

static int compare(const void *a, const void *b)
{
    const guint64 first = key_of(a), second = key_of(b);
    return (first > second) - (first < second);
}

const struct totals_row *totals_rows(struct totals *t, int *count)
{
    g_array_sort(t->rows, compare);
    forget_index(t);
    *count = (int)t->rows->len;
    return (const struct totals_row *)t->rows->data;
}

struct lens_counts totals_of(const struct totals *t, enum trace_space space, enum trace_kind kind)
{
    struct lens_counts sum = {0};
    for (guint i = 0; i < t->rows->len; i++)
        if (row_at(t, i)->space == space && row_at(t, i)->kind == kind)
            model_add(&sum, &row_at(t, i)->counts);
    return sum;
}
