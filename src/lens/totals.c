#include "lens/totals.h"

#include <glib.h>

struct totals {
    GHashTable *rows;  // by key_of
    GArray *sorted;    // of totals_rows
};

struct totals *totals_create(void)
{
    struct totals *t = g_new(struct totals, 1);
    t->rows = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    t->sorted = g_array_new(FALSE, FALSE, sizeof(struct totals_row));
    return t;
}

void totals_destroy(struct totals *t)
{
    if (!t) return;
    g_hash_table_destroy(t->rows);
    g_array_free(t->sorted, TRUE);
    g_free(t);
}

void totals_clear(struct totals *t)
{
    g_hash_table_remove_all(t->rows);
}

// Rises as the rows do.
static guint64 key_of(const struct totals_row *row)
{
    return (guint64)row->site << 24 | (guint64)row->kind << 16 | (guint64)row->space << 8 |
           row->bytes;
}

static struct totals_row *find_row(struct totals *t, const struct totals_row *like)
{
    G_STATIC_ASSERT(sizeof(gpointer) == sizeof(guint64));
    const gpointer key = (gpointer)(gsize)key_of(like);
    struct totals_row *row = g_hash_table_lookup(t->rows, key);
    if (row) return row;
    row = g_new(struct totals_row, 1);
    *row = (struct totals_row){like->site, like->kind, like->space, like->bytes, {0}};
    g_hash_table_insert(t->rows, key, row);
    return row;
}

void totals_add(struct totals *t, const struct lens_request *r)
{
    const struct totals_row like = {r->site, r->kind, r->space, r->bytes, {0}};
    model_count(r, &find_row(t, &like)->counts);
}

void totals_merge(struct totals *to, const struct totals *from)
{
    GHashTableIter iter;
    gpointer row;
    g_hash_table_iter_init(&iter, from->rows);
    while (g_hash_table_iter_next(&iter, NULL, &row))
        model_add(&find_row(to, row)->counts, &((const struct totals_row *)row)->counts);
}

static int compare(const void *a, const void *b)
{
    const guint64 first = key_of(a), second = key_of(b);
    return (first > second) - (first < second);
}

const struct totals_row *totals_rows(struct totals *t, int *count)
{
    GHashTableIter iter;
    gpointer row;
    g_array_set_size(t->sorted, 0);
    g_hash_table_iter_init(&iter, t->rows);
    while (g_hash_table_iter_next(&iter, NULL, &row)) g_array_append_vals(t->sorted, row, 1);
    g_array_sort(t->sorted, compare);
    *count = (int)t->sorted->len;
    return (const struct totals_row *)(const void *)t->sorted->data;
}

struct lens_counts totals_of(const struct totals *t, enum trace_space space, enum trace_kind kind)
{
    struct lens_counts sum = {0};
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, t->rows);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const struct totals_row *row = value;
        if (row->space == space && row->kind == kind) model_add(&sum, &row->counts);
    }
    return sum;
}
