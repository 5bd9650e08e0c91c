#include "screen/lens_pair.h"

#include <glib.h>
#include <string.h>

#include "base/text.h"

// ---- a request as another kernel may make it ----

static const char *array_of(const struct lens_result *r, const struct lens_request *q)
{
    const struct lens_memory *m =
        lens_result_memory_at(r, q, __builtin_ctz(q->active ? q->active : 1));
    return m ? m->name : "";
}

// The cursors of the first requests of all instructions that make such accesses, of one warp or, if
// that is -1, of all.
static GArray *list_alike(const struct lens_result *r, const struct lens_access *access, int warp)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct lens_cursor));
    for (int pass = 0; pass < r->pass_count; pass++) {
        const struct lens_pass *p = &r->passes[pass];
        g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
        for (int i = 0; i < p->step_count; i++) {
            const struct lens_request *q = &p->steps[i].request;
            if (warp >= 0 && p->steps[i].warp != MIN(warp, lens_model_warps(p) - 1)) continue;
            if (q->kind != access->kind || strcmp(array_of(r, q), access->array) != 0 ||
                (!*access->array && q->space != access->space) ||
                !g_hash_table_add(seen, GUINT_TO_POINTER(q->site)))
                continue;
            const struct lens_cursor at = {.pass = pass,
                                           .warp = p->steps[i].warp,
                                           .instance = p->steps[i].instance,
                                           .site = q->site};
            g_array_append_val(list, at);
        }
    }
    return list;
}

bool lens_pair_access(const struct lens_result *r, struct lens_cursor *cursor,
                      struct lens_access *access)
{
    const struct lens_step *now = lens_model_find(r, cursor);
    if (!now) return false;
    *access = (struct lens_access){.space = (enum trace_space)now->request.space,
                                   .kind = (enum trace_kind)now->request.kind,
                                   .warp = now->warp,
                                   .instance = now->instance};
    text_copy(access->array, sizeof access->array, array_of(r, &now->request));
    g_autoptr(GArray) list = list_alike(r, access, now->warp);
    for (guint i = 0; i < list->len; i++) {
        const struct lens_cursor at = g_array_index(list, struct lens_cursor, i);
        if (at.pass == cursor->pass && at.site == cursor->site) access->number = (int)i;
    }
    return true;
}

bool lens_pair_go(const struct lens_result *r, struct lens_cursor *cursor,
                  const struct lens_access *access)
{
    for (int tries = 0; tries < 2; tries++) {
        g_autoptr(GArray) list = list_alike(r, access, tries ? -1 : access->warp);
        if (!list->len) continue;
        const guint number = MIN((guint)access->number, list->len - 1);
        *cursor = g_array_index(list, struct lens_cursor, number);
        cursor->instance = MAX(cursor->instance, access->instance);
        return lens_model_find(r, cursor) != NULL;
    }
    return false;
}

// ---- two of them ----

// False: the side's kernel makes no request like the other side's.
static bool go_to_other(const struct lens_pair_now *now, int side)
{
    struct lens_access access;
    return lens_pair_access(now->results[!side], &now->cursors[!side], &access) &&
           lens_pair_go(now->results[side], &now->cursors[side], &access);
}

void lens_pair_follow(struct lens_pair *pair, const struct lens_pair_now *now)
{
    bool is_new[2];
    for (int i = 0; i < 2; i++)
        is_new[i] =
            pair->sides[i].variant != now->variants[i] || pair->sides[i].version != now->version;
    if (!now->has_gone && !is_new[0] && !is_new[1]) return;
    const bool are_new = is_new[0] && is_new[1];
    for (int i = 0; i < 2 && !are_new; i++) {
        const struct lens_pair_side *s = &pair->sides[i];
        if (!is_new[i] || (i == now->active && now->has_gone)) continue;
        if (!s->variant || !lens_pair_go(now->results[i], &now->cursors[i], &s->access))
            go_to_other(now, i);
    }
    if (now->has_gone || are_new) go_to_other(now, now->has_gone ? !now->active : 1);
    for (int i = 0; i < 2; i++) {
        struct lens_pair_side *s = &pair->sides[i];
        *s = (struct lens_pair_side){.variant = now->variants[i], .version = now->version};
        lens_pair_access(now->results[i], &now->cursors[i], &s->access);
    }
}
