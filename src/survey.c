#include "survey.h"

#include <assert.h>
#include <glib.h>
#include <math.h>
#include <string.h>

struct entry {
    struct survey_point point;  // in normal form
    double taps;
    bool is_shown;  // its times are those of shown frames: done
    bool is_refused, is_wanted;
    int group, place;  // when wanted: place among the wishes
    struct stats_summary ms;
    GList link;  // in ages
    struct stats stats;
    char reason[sizeof(((struct survey_result *)0)->reason)];
};

struct survey {
    GHashTable *entries;  // of struct entry, which is its own key; owned
    GQueue ages;          // the same; the one that changed last is the last
    GArray *wishes;       // as they were given
    GPtrArray *wanted;    // entries, each once
    GPtrArray *open;      // those of them to be measured, the next one first
    unsigned version;
};

// ---- points ----

static bool is_block_of(const struct pass *p, const struct settings *s)
{
    return (!s->block_width || s->block_width == p->block_width) &&
           (!s->block_height || s->block_height == p->block_height);
}

// Whether all passes that follow the choice would run in this block unasked.
static bool is_default_block(const struct variant *v, const struct settings *s)
{
    bool follows = false;
    for (int i = 0; i < v->pass_count; i++) {
        if (v->passes[i].is_fixed) continue;
        if (!is_block_of(&v->passes[i], s)) return false;
        follows = true;
    }
    return follows || is_block_of(&v->passes[0], s);
}

// One form of all points that launch the same, so that forms can be compared.
static struct survey_point normal(const struct survey_point *point)
{
    struct survey_point n = {.filter = point->filter, .variant = point->variant};
    const struct settings *s = &point->settings;
    for (int i = 0; i < n.filter->param_count; i++)
        n.settings.params.v[i] = s->params.v[i] + 0.0;  // -0 becomes 0
    n.settings.is_unrolled = s->is_unrolled && filter_radius(n.filter) >= 0;
    if (is_default_block(n.variant, s)) return n;
    n.settings.block_width = s->block_width;
    n.settings.block_height = s->block_height;
    return n;
}

bool survey_is_same_point(const struct survey_point *a, const struct survey_point *b)
{
    return a->filter == b->filter && a->variant == b->variant &&
           launch_is_same(&a->settings, &b->settings);
}

static guint hash_entry(gconstpointer data)
{
    const struct survey_point *point = &((const struct entry *)data)->point;
    const struct settings *s = &point->settings;
    guint hash = g_direct_hash(point->variant) * 31 + (guint)s->is_unrolled;
    hash = (hash * 31 + (guint)s->block_width) * 31 + (guint)s->block_height;
    for (int i = 0; i < point->filter->param_count; i++)
        hash = hash * 31 + g_double_hash(&s->params.v[i]);
    return hash;
}

static gboolean is_same_entry(gconstpointer a, gconstpointer b)
{
    return survey_is_same_point(&((const struct entry *)a)->point,
                                &((const struct entry *)b)->point);
}

static struct entry *find(const struct survey *s, const struct survey_point *point)
{
    const struct entry key = {.point = normal(point)};
    return g_hash_table_lookup(s->entries, &key);
}

// ---- what is kept ----

struct survey *survey_create(void)
{
    struct survey *s = g_new0(struct survey, 1);
    s->entries = g_hash_table_new_full(hash_entry, is_same_entry, NULL, g_free);
    s->wishes = g_array_new(FALSE, FALSE, sizeof(struct survey_wish));
    s->wanted = g_ptr_array_new();
    s->open = g_ptr_array_new();
    return s;
}

void survey_destroy(struct survey *s)
{
    if (!s) return;
    g_ptr_array_free(s->open, TRUE);
    g_ptr_array_free(s->wanted, TRUE);
    g_array_free(s->wishes, TRUE);
    g_hash_table_destroy(s->entries);
    g_free(s);
}

void survey_forget(struct survey *s)
{
    g_ptr_array_set_size(s->open, 0);
    g_ptr_array_set_size(s->wanted, 0);
    g_array_set_size(s->wishes, 0);
    g_queue_init(&s->ages);
    g_hash_table_remove_all(s->entries);
    s->version++;
}

static void drop(struct survey *s, struct entry *e)
{
    g_queue_unlink(&s->ages, &e->link);
    g_hash_table_remove(s->entries, e);
}

static void drop_oldest(struct survey *s)
{
    for (GList *l = s->ages.head; l; l = l->next) {
        struct entry *e = l->data;
        if (e->is_wanted) continue;
        drop(s, e);
        return;
    }
}

// The entry of a point, made if there is none.
static struct entry *take(struct survey *s, const struct survey_point *point)
{
    struct entry *e = find(s, point);
    if (e) return e;
    if (g_hash_table_size(s->entries) >= SURVEY_BOUND) drop_oldest(s);
    e = g_new0(struct entry, 1);
    e->point = normal(point);
    e->taps = launch_taps(e->point.filter, &e->point.settings);
    e->link.data = e;
    g_hash_table_add(s->entries, e);
    g_queue_push_tail_link(&s->ages, &e->link);
    return e;
}

static enum survey_state state_of(const struct entry *e)
{
    if (e->is_refused) return SURVEY_REFUSED;
    if (e->is_shown || stats_is_settled(&e->stats)) return SURVEY_DONE;
    return e->stats.seen ? SURVEY_MEASURING : SURVEY_UNKNOWN;
}

// ---- what is wanted ----

static bool is_before(const struct entry *a, const struct entry *b)
{
    if (a->group != b->group) return a->group < b->group;
    if (a->stats.seen != b->stats.seen) return a->stats.seen < b->stats.seen;
    return a->place < b->place;
}

// Puts an entry where it belongs among the open ones, if it does.
static void file(struct survey *s, struct entry *e)
{
    if (!e->is_wanted) return;
    g_ptr_array_remove(s->open, e);
    const enum survey_state state = state_of(e);
    if (state == SURVEY_DONE || state == SURVEY_REFUSED) return;
    guint at = s->open->len;
    while (at > 0 && is_before(e, g_ptr_array_index(s->open, at - 1))) at--;
    g_ptr_array_insert(s->open, (gint)at, e);
}

static bool is_wanted_already(const struct survey *s, const struct survey_wish *wishes, int count)
{
    if (s->wishes->len != (guint)count) return false;
    for (int i = 0; i < count; i++) {
        const struct survey_wish *old = &g_array_index(s->wishes, struct survey_wish, i);
        if (old->group != wishes[i].group || !survey_is_same_point(&old->point, &wishes[i].point))
            return false;
    }
    return true;
}

static void want_nothing(struct survey *s)
{
    for (guint i = 0; i < s->wanted->len; i++) {
        struct entry *e = g_ptr_array_index(s->wanted, i);
        e->is_wanted = false;
        if (state_of(e) == SURVEY_UNKNOWN) drop(s, e);
    }
    g_ptr_array_set_size(s->wanted, 0);
    g_ptr_array_set_size(s->open, 0);
}

void survey_want(struct survey *s, const struct survey_wish *wishes, int count)
{
    assert(count >= 0 && count < SURVEY_BOUND);
    if (is_wanted_already(s, wishes, count)) return;
    want_nothing(s);
    g_array_set_size(s->wishes, 0);
    for (int i = 0; i < count; i++) {
        struct entry *e = take(s, &wishes[i].point);
        g_array_append_val(s->wishes, wishes[i]);
        if (e->is_wanted && e->group <= wishes[i].group) continue;
        if (!e->is_wanted) g_ptr_array_add(s->wanted, e);
        e->group = wishes[i].group;
        e->place = i;
        e->is_wanted = true;
        file(s, e);
    }
}

bool survey_next(const struct survey *s, int skip, struct survey_point *next)
{
    assert(skip >= 0);
    if ((guint)skip >= s->open->len) return false;
    *next = ((const struct entry *)g_ptr_array_index(s->open, skip))->point;
    return true;
}

void survey_progress(const struct survey *s, int *done, int *wanted)
{
    *wanted = (int)s->wanted->len;
    *done = *wanted - (int)s->open->len;
}

// ---- what is known ----

static void change(struct survey *s, struct entry *e)
{
    g_queue_unlink(&s->ages, &e->link);
    g_queue_push_tail_link(&s->ages, &e->link);
    file(s, e);
    s->version++;
}

void survey_add(struct survey *s, const struct survey_point *point, double ms)
{
    struct entry *e = take(s, point);
    if (e->is_shown) return;
    stats_add(&e->stats, ms);
    e->ms = stats_summarize(&e->stats);
    change(s, e);
}

static bool is_same_summary(const struct stats_summary *a, const struct stats_summary *b)
{
    return a->count == b->count && a->median == b->median && a->lower == b->lower &&
           a->upper == b->upper;
}

void survey_set(struct survey *s, const struct survey_point *point, struct stats_summary ms)
{
    assert(ms.count > 0);
    struct entry *e = take(s, point);
    if (state_of(e) == SURVEY_DONE && is_same_summary(&e->ms, &ms)) return;
    stats_reset(&e->stats);
    e->ms = ms;
    e->is_shown = true;
    e->is_refused = false;
    change(s, e);
}

// The first line, as far as it fits in whole letters.
static void shorten(char *text, size_t size, const char *from)
{
    const char *end;
    g_strlcpy(text, from, MIN(size, strcspn(from, "\n") + 1));
    if (!g_utf8_validate(text, -1, &end)) text[end - text] = '\0';
}

void survey_refuse(struct survey *s, const struct survey_point *point, const char *reason)
{
    struct entry *e = take(s, point);
    e->is_refused = true;
    shorten(e->reason, sizeof e->reason, reason);
    change(s, e);
}

void survey_pardon(struct survey *s)
{
    for (GList *l = s->ages.head; l; l = l->next) {
        struct entry *e = l->data;
        if (!e->is_refused) continue;
        e->is_refused = false;
        file(s, e);
        s->version++;
    }
}

struct survey_result survey_result(const struct survey *s, const struct survey_point *point)
{
    struct survey_result result = {.state = SURVEY_UNKNOWN};
    const struct entry *e = find(s, point);
    if (!e) return result;
    result.state = state_of(e);
    if (e->is_refused)
        memcpy(result.reason, e->reason, sizeof result.reason);
    else
        result.ms = e->ms;
    return result;
}

unsigned survey_version(const struct survey *s)
{
    return s->version;
}

bool survey_naive_of(const struct survey_point *point, struct survey_point *naive)
{
    const struct variant *variant = filter_variant(point->filter, "naive");
    if (!variant) return false;
    struct survey_point found = *point;
    found.variant = variant;
    found.settings.block_width = found.settings.block_height = 0;
    *naive = found;
    return true;
}

// ---- what is predicted ----

// How much a known launch says about another of its filter; the nearest kin tell.
enum kinship {
    KIN_NONE,
    KIN_COUSIN,        // another variant
    KIN_USUAL_COUSIN,  // another variant, in a block that is not odd
    KIN_SIBLING,       // the variant, from here on; in any block
    KIN_LIKE_SIBLING,  // ... unrolled or not as this one
    KIN_USUAL,         // in the variant's default block, from here on in one block
    KIN_LIKE_USUAL,
    KIN_TWIN,  // in the same block
    KIN_LIKE_TWIN,
};

static bool is_usual(const struct entry *e)
{
    return !e->point.settings.block_width && !e->point.settings.block_height;
}

static enum kinship kinship_of(const struct entry *e, const struct survey_point *to)
{
    const struct settings *a = &e->point.settings, *b = &to->settings;
    if (e->point.filter != to->filter || !e->ms.count || e->ms.median <= 0) return KIN_NONE;
    const bool is_same_block =
        a->block_width == b->block_width && a->block_height == b->block_height;
    if (e->point.variant != to->variant)
        return is_same_block || is_usual(e) ? KIN_USUAL_COUSIN : KIN_COUSIN;
    const bool is_like = a->is_unrolled == b->is_unrolled;
    if (is_same_block) return is_like ? KIN_LIKE_TWIN : KIN_TWIN;
    if (is_usual(e)) return is_like ? KIN_LIKE_USUAL : KIN_USUAL;
    return is_like ? KIN_LIKE_SIBLING : KIN_SIBLING;
}

static enum kinship nearest(const struct survey *s, const struct survey_point *to)
{
    enum kinship best = KIN_NONE;
    for (const GList *l = s->ages.head; l; l = l->next) best = MAX(best, kinship_of(l->data, to));
    return best;
}

// What a tap costs more, of launches in one block: from the cheapest known settings to the dearest.
// Costs are concave over taps (linear, with an overhead; by the window's side; constant), so that
// this is too much beyond them rather than too little; never more than in proportion.
static double slope_of(const struct survey *s, const struct survey_point *to, enum kinship kin)
{
    const struct entry *least = NULL, *most = NULL;
    for (const GList *l = s->ages.head; l; l = l->next) {
        const struct entry *e = l->data;
        if (kinship_of(e, to) != kin) continue;
        if (!least || e->taps < least->taps) least = e;
        if (!most || e->taps > most->taps) most = e;
    }
    const double at_most = most->ms.median / most->taps;
    if (least->taps == most->taps) return at_most;
    const double rise = most->ms.median - least->ms.median;
    return CLAMP(rise / (most->taps - least->taps), 0, at_most);
}

double survey_predict(const struct survey *s, const struct survey_point *point)
{
    const struct survey_point to = normal(point);
    const struct entry *known = find(s, point);
    if (known && known->ms.count) return known->ms.median;
    const enum kinship kin = nearest(s, &to);
    if (kin == KIN_NONE) return 0;
    const bool is_one_block = kin >= KIN_USUAL;
    const double taps = launch_taps(to.filter, &to.settings);
    const double slope = is_one_block ? slope_of(s, &to, kin) : 0;
    double ms = 0;
    for (const GList *l = s->ages.head; l; l = l->next) {
        const struct entry *e = l->data;
        if (kinship_of(e, &to) != kin) continue;
        const double grown =
            is_one_block ? e->ms.median + slope * (taps - e->taps) : e->ms.median * taps / e->taps;
        ms = fmax(ms, grown);
    }
    return ms;
}

bool survey_knows(const struct survey *s, const struct survey_point *point)
{
    const struct survey_point to = normal(point);
    return nearest(s, &to) >= KIN_SIBLING;
}
