// This file is long because all of it reads or writes the same entries.
#include "frame/results.h"

#include <assert.h>
#include <glib.h>
#include <math.h>

#include "base/text.h"
#include "filter/launch.h"
#include "frame/recording.h"

static const char avoided_reason[] = "it did not come back: its key tries again";

struct entry {
    struct choice point;  // in normal form
    double work;          // launch_work()
    double cost_ms;       // what a launch takes, for predictions; 0: not known
    bool is_refused, is_blamed, is_wanted;
    int group, place;     // when wanted: place among the wishes
    unsigned kept_at;     // the last list of wishes that keeps it
    bool is_outdated;     // its samples are too old for the next one to join them
    double least_ms;      // of the samples, the dropped ones too
    struct result known;  // all but what follows from the others: state_of()
    GList link;           // in ages
    struct stats stats;
    unsigned rounds[STATS_WINDOW];  // of the last samples; a ring by stats.seen
};

struct results {
    GHashTable *entries;          // of struct entry, which is its own key; owned
    GQueue ages;                  // of them, those that changed longest ago first
    GArray *wishes;               // as they were given
    GPtrArray *wanted;            // entries, each once
    GPtrArray *open;              // those of them that are to be measured, the next one first
    unsigned round, list;         // numbers of the present round and list of wishes
    GHashTable *avoided;          // names, "filter/variant"; owned
    GHashTable *doubted;          // such names, to where they are wrong; never freed
    struct recording *recording;  // whose times are shown; NULL: those that are measured
};

// ---- points ----

static guint hash_entry(gconstpointer data)
{
    const struct choice *point = &((const struct entry *)data)->point;
    const struct settings *s = &point->settings;
    guint hash = g_direct_hash(point->variant) * 31 + (guint)s->is_unrolled;
    hash = (hash * 31 + (guint)s->block_width) * 31 + (guint)s->block_height;
    for (int i = 0; point->filter && i < point->filter->param_count; i++)
        hash = hash * 31 + g_double_hash(&s->params.v[i]);
    return hash;
}

static gboolean is_same_entry(gconstpointer a, gconstpointer b)
{
    return choice_is_same(&((const struct entry *)a)->point, &((const struct entry *)b)->point);
}

static struct entry *find(const struct results *s, const struct choice *point)
{
    const struct entry key = {.point = choice_normal(point)};
    return g_hash_table_lookup(s->entries, &key);
}

// ---- what is kept ----

struct results *results_create(void)
{
    struct results *s = g_new0(struct results, 1);
    s->entries = g_hash_table_new_full(hash_entry, is_same_entry, NULL, g_free);
    s->wishes = g_array_new(FALSE, FALSE, sizeof(struct results_wish));
    s->wanted = g_ptr_array_new();
    s->open = g_ptr_array_new();
    s->avoided = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    s->doubted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return s;
}

void results_destroy(struct results *s)
{
    if (!s) return;
    g_ptr_array_free(s->open, TRUE);
    g_ptr_array_free(s->wanted, TRUE);
    g_array_free(s->wishes, TRUE);
    g_hash_table_destroy(s->entries);
    g_hash_table_destroy(s->avoided);
    g_hash_table_destroy(s->doubted);
    g_free(s);
}

static void drop(struct results *s, struct entry *e)
{
    g_queue_unlink(&s->ages, &e->link);
    g_hash_table_remove(s->entries, e);
}

static enum result_check unchecked(const struct choice *point)
{
    return point->variant && filter_has_reference(point->filter) ? CHECK_UNKNOWN : CHECK_IMPOSSIBLE;
}

static void refuse(struct entry *e, const char *reason)
{
    e->is_refused = true;
    text_copy_line(e->known.reason, sizeof e->known.reason, reason);
}

// The entry of a point, made if there is none.
static struct entry *take(struct results *s, const struct choice *point)
{
    struct entry *e = find(s, point);
    if (e) return e;
    GList *oldest = s->ages.head;
    while (oldest && ((struct entry *)oldest->data)->is_wanted) oldest = oldest->next;
    if (g_hash_table_size(s->entries) >= RESULTS_BOUND && oldest) drop(s, oldest->data);
    e = g_new0(struct entry, 1);
    e->point = choice_normal(point);
    if (point->filter) e->work = launch_work(point->filter, &e->point.settings);
    e->known.check = unchecked(point);
    e->link.data = e;
    if (results_avoids(s, point)) refuse(e, avoided_reason);
    g_hash_table_add(s->entries, e);
    g_queue_push_tail_link(&s->ages, &e->link);
    return e;
}

static enum result_state state_of(const struct entry *e)
{
    if (e->is_refused) return RESULT_REFUSED;
    if (!e->stats.seen) return RESULT_UNKNOWN;
    const bool is_done = stats_is_settled(&e->stats) && e->known.check != CHECK_UNKNOWN;
    return is_done ? RESULT_DONE : RESULT_MEASURING;
}

static void restart(struct entry *e)
{
    e->stats.seen = 0;
    e->known.ms = (struct stats_summary){0};
    e->is_outdated = false;
}

// ---- what is wanted ----

// Puts a wanted entry in its place among the open ones, unless it is done or refused.
static void place_open(struct results *s, struct entry *e)
{
    if (!e->is_wanted) return;
    g_ptr_array_remove(s->open, e);
    const enum result_state state = state_of(e);
    if (state == RESULT_DONE || state == RESULT_REFUSED) return;
    guint at = s->open->len;
    for (; at > 0; at--) {
        const struct entry *b = g_ptr_array_index(s->open, at - 1);
        const bool is_before = e->group != b->group             ? e->group < b->group
                               : e->stats.seen != b->stats.seen ? e->stats.seen < b->stats.seen
                                                                : e->place < b->place;
        if (!is_before) break;
    }
    g_ptr_array_insert(s->open, (gint)at, e);
}

static void want_nothing(struct results *s)
{
    for (guint i = 0; i < s->wanted->len; i++) {
        struct entry *e = g_ptr_array_index(s->wanted, i);
        const bool is_blank = state_of(e) == RESULT_UNKNOWN && e->cost_ms <= 0 &&
                              e->known.check == unchecked(&e->point);
        e->is_wanted = false;
        if (is_blank) drop(s, e);
    }
    g_ptr_array_set_size(s->wanted, 0);
    g_ptr_array_set_size(s->open, 0);
}

// Rounds since its last sample.
static unsigned age_of(const struct results *s, const struct entry *e)
{
    return e->stats.seen ? s->round - e->rounds[(e->stats.seen - 1) % STATS_WINDOW] : G_MAXUINT;
}

void results_want(struct results *s, const struct results_wish *wishes, int count)
{
    assert(count >= 0 && count < RESULTS_BOUND);
    bool is_same = s->wishes->len == (guint)count;
    for (int i = 0; is_same && i < count; i++) {
        const struct results_wish *old = &g_array_index(s->wishes, struct results_wish, i);
        is_same = old->group == wishes[i].group && old->is_kept == wishes[i].is_kept &&
                  choice_is_same(&old->point, &wishes[i].point);
    }
    if (is_same) return;
    want_nothing(s);
    g_array_set_size(s->wishes, 0);
    s->list++;
    for (int i = 0; i < count; i++) {
        struct entry *e = take(s, &wishes[i].point);
        g_array_append_val(s->wishes, wishes[i]);
        if (wishes[i].is_kept) {
            if (e->kept_at + 1 < s->list) e->is_outdated = age_of(s, e) > STATS_WINDOW;
            e->kept_at = s->list;
        }
        if (e->is_wanted && e->group <= wishes[i].group) continue;
        if (!e->is_wanted) g_ptr_array_add(s->wanted, e);
        e->group = wishes[i].group;
        e->place = i;
        e->is_wanted = true;
        place_open(s, e);
    }
}

bool results_next(const struct results *s, int skip, struct choice *next)
{
    assert(skip >= 0);
    if ((guint)skip >= s->open->len) return false;
    *next = ((const struct entry *)g_ptr_array_index(s->open, skip))->point;
    return true;
}

bool results_again(const struct results *s, struct choice *next)
{
    const struct entry *oldest = NULL;
    for (guint i = 0; i < s->wanted->len; i++) {
        const struct entry *e = g_ptr_array_index(s->wanted, i);
        if (e->kept_at != s->list || state_of(e) != RESULT_DONE || !age_of(s, e)) continue;
        if (!oldest || age_of(s, e) > age_of(s, oldest)) oldest = e;
    }
    if (oldest) *next = oldest->point;
    return oldest != NULL;
}

void results_progress(const struct results *s, int *done, int *wanted)
{
    *wanted = (int)s->wanted->len;
    *done = *wanted - (int)s->open->len;
}

// ---- what is avoided ----

// NULL: it is a copy, which has no variant.
static char *name_variant(const struct choice *point)
{
    return point->variant ? g_strdup_printf("%s/%s", point->filter->name, point->variant->name)
                          : NULL;
}

bool results_avoids(const struct results *s, const struct choice *point)
{
    g_autofree char *name = name_variant(point);
    return name && g_hash_table_contains(s->avoided, name);
}

void results_avoid(struct results *s, const char *variant)
{
    g_hash_table_add(s->avoided, g_strdup(variant));
}

void results_avoid_none(struct results *s)
{
    g_hash_table_remove_all(s->avoided);
}

char **results_avoided(const struct results *s)
{
    g_autofree gpointer *names = g_hash_table_get_keys_as_array(s->avoided, NULL);
    char **copies = g_strdupv((char **)names);
    return copies;
}

// ---- what is known ----

static void change(struct results *s, struct entry *e)
{
    g_queue_unlink(&s->ages, &e->link);
    g_queue_push_tail_link(&s->ages, &e->link);
    place_open(s, e);
}

void results_begin(struct results *s, const struct choice *point)
{
    g_autofree char *name = name_variant(point);
    const bool was_avoided = name && g_hash_table_remove(s->avoided, name);
    for (GList *l = s->ages.head; was_avoided && l; l = l->next) {  // these are unknown again
        struct entry *one = l->data;
        if (one->point.variant != point->variant) continue;
        one->is_refused = false;
        place_open(s, one);
    }
    struct entry *e = take(s, point);
    restart(e);
    e->is_refused = e->is_blamed = false;
    change(s, e);
}

void results_next_round(struct results *s)
{
    s->round++;
}

void results_add(struct results *s, const struct choice *point, double ms)
{
    int recent = 0;  // samples of the last rounds
    struct entry *e = take(s, point);
    if (e->is_outdated) restart(e);
    e->rounds[e->stats.seen % STATS_WINDOW] = s->round;
    stats_add(&e->stats, ms);
    while (recent < MIN(e->stats.seen, STATS_WINDOW) &&
           s->round - e->rounds[(e->stats.seen - 1 - recent) % STATS_WINDOW] < STATS_WINDOW)
        recent++;
    e->known.ms = stats_summarize(&e->stats, MAX(STATS_SETTLED, recent));
    e->least_ms = e->stats.seen > 1 ? fmin(e->least_ms, ms) : ms;
    // Other work of the machine only adds to a time. So until a time is settled, the least counts.
    if (e->known.ms.count)
        e->cost_ms = stats_is_settled(&e->stats) ? e->known.ms.median : e->least_ms;
    change(s, e);
}

void results_refuse(struct results *s, const struct choice *point, const char *reason)
{
    struct entry *e = take(s, point);
    refuse(e, reason);
    change(s, e);
}

void results_blame(struct results *s, const struct choice *point, const char *reason)
{
    results_refuse(s, point, reason);
    take(s, point)->is_blamed = true;
}

void results_forget(struct results *s)
{
    want_nothing(s);
    g_array_set_size(s->wishes, 0);
    while (s->ages.head) drop(s, s->ages.head->data);
    if (s->recording) recording_forget_texts(s->recording);
}

void results_forget_device(struct results *s)
{
    want_nothing(s);
    g_array_set_size(s->wishes, 0);
    for (GList *l = s->ages.head, *next; l; l = next) {
        struct entry *e = l->data;
        next = l->next;
        restart(e);
        e->cost_ms = 0;
        e->known.check = unchecked(&e->point);
        if (!e->is_blamed) drop(s, e);
    }
}

enum result_check result_check_of(const struct choice *point, struct image_difference found)
{
    const bool has_own = point->filter && point->filter->tolerance.unit;
    if (found.count) return CHECK_WRONG;
    return has_own || found.error > 0 ? CHECK_NEAR : CHECK_EXACT;
}

static void write_found(char *text, size_t size, const char *before, const struct choice *point,
                        struct image_difference found)
{
    const struct tolerance t = filter_tolerance(point->filter, point->variant, NULL, 0);
    text_copy(text, size, before);
    tolerance_append_found(text, size, t, found.error);
}

void result_check_write_wrong(char *text, size_t size, const struct choice *point,
                              struct image_difference found)
{
    if (found.elsewhere)
        g_snprintf(text, size, "wrong %s", found.elsewhere);
    else if (found.is_outside)
        g_snprintf(text, size, "writes behind %s", point->filter->arrays[found.plane].name);
    else if (isfinite(found.error) && found.error > 0)
        write_found(text, size, "not ", point, found);
    else
        g_snprintf(text, size, "max |diff| = %d", found.max);
}

void result_check_write(char *text, size_t size, const struct choice *point,
                        enum result_check check, struct image_difference found)
{
    static const char *const names[] = {[CHECK_UNKNOWN] = "not checked",
                                        [CHECK_IMPOSSIBLE] = "not checked",
                                        [CHECK_EXACT] = "exact",
                                        [CHECK_NEAR] = "",
                                        [CHECK_WRONG] = "wrong"};
    if (check == CHECK_NEAR)
        write_found(text, size, "", point, found);
    else
        text_copy(text, size, names[check]);
}

void results_check(struct results *s, const struct choice *point, struct image_difference found)
{
    struct entry *e = take(s, point);
    const enum result_check check = result_check_of(point, found);
    const bool is_worse =
        found.max > e->known.difference.max ||
        (found.max == e->known.difference.max && found.error > e->known.difference.error);
    if (e->known.check >= CHECK_NEAR ? !is_worse : e->known.check == check) return;
    e->known.check = check;
    e->known.difference = found;
    change(s, e);
}

void results_leave_unchecked(struct results *s, const struct choice *point, const char *why)
{
    struct entry *e = take(s, point);
    if (e->known.check != CHECK_UNKNOWN && !(e->known.check == CHECK_IMPOSSIBLE && why)) return;
    e->known.check = CHECK_IMPOSSIBLE;
    text_copy_line(e->known.unchecked, sizeof e->known.unchecked, why ? why : "");
    change(s, e);
}

void results_doubt(struct results *s, const struct choice *point, const char *where)
{
    char *const name = name_variant(point);
    if (where)
        g_hash_table_insert(s->doubted, name, (void *)(uintptr_t)g_intern_string(where));
    else
        g_hash_table_remove(s->doubted, name);
    if (!where) g_free(name);
}

struct result results_measured(const struct results *s, const struct choice *point)
{
    struct result result = {.state = RESULT_UNKNOWN, .check = unchecked(point)};
    const struct entry *e = find(s, point);
    if (e) {
        result = e->known;
        result.state = state_of(e);
        result.is_settled = !e->is_refused && stats_is_settled(&e->stats);
        if (e->is_refused) result.ms = (struct stats_summary){0};
        if (!e->is_refused) result.reason[0] = '\0';
        if (result.check != CHECK_IMPOSSIBLE) result.unchecked[0] = '\0';
    }
    if (point->variant && !filter_has_reference(point->filter) && !*result.unchecked)
        text_copy(result.unchecked, sizeof result.unchecked, "the file has no reference");
    // A result that is right at its own size may be wrong at another.
    const bool is_right = result.check == CHECK_EXACT || result.check == CHECK_NEAR;
    g_autofree char *name = is_right && g_hash_table_size(s->doubted) ? name_variant(point) : NULL;
    const char *const where = name ? g_hash_table_lookup(s->doubted, name) : NULL;
    if (!where) return result;
    result.check = CHECK_WRONG;
    result.difference = (struct image_difference){.count = 1, .elsewhere = where};
    return result;
}

struct choice results_timed(const struct results *s, const struct choice *point)
{
    struct choice timed = *point;
    for (int i = 0; s->recording && point->filter && i < point->filter->param_count; i++) {
        const struct param *p = &point->filter->params[i];
        if (timed.settings.params.v[i] == p->cpu_value) timed.settings.params.v[i] = p->gpu_value;
    }
    return timed;
}

struct result results_get(const struct results *s, const struct choice *point)
{
    if (!s->recording) return results_measured(s, point);
    const struct choice timed = results_timed(s, point);
    struct result r = {.state = RESULT_REFUSED, .check = unchecked(point)};
    switch (recording_find(s->recording, &timed, &r.ms)) {
    case RECORDING_FOUND:
        r.state = RESULT_DONE;
        r.is_settled = true;
        if (point->variant) r.check = result_check_of(point, (struct image_difference){0});
        break;
    case RECORDING_EDITED:
        g_strlcpy(r.reason, "edited since it was recorded: no time", sizeof r.reason);
        break;
    case RECORDING_LACKS:
        g_strlcpy(r.reason, "no time of it was recorded", sizeof r.reason);
        break;
    }
    return r;
}

void results_set_recording(struct results *s, struct recording *recording)
{
    s->recording = recording;
}

const struct recording *results_recording(const struct results *s)
{
    return s->recording;
}

const struct device *results_device(const struct results *s, const struct device *own)
{
    return s->recording ? &s->recording->device : own;
}

double results_copy_ms(const struct results *s, const struct choice *point)
{
    const struct choice copy = choice_copy_of(point);
    const bool is_floor = !point->filter || arrays_are_all_taken(point->filter, point->variant);
    return is_floor ? results_get(s, &copy).ms.median : 0;
}

double results_naive_ms(const struct results *s, const struct choice *point)
{
    struct choice naive;
    if (!choice_naive_of(point, &naive)) return 0;
    const struct result r = results_get(s, &naive), own = results_get(s, point);
    if (r.check == CHECK_WRONG || own.check == CHECK_WRONG) return 0;
    return r.state == RESULT_DONE ? r.ms.median : 0;
}

// ---- what is predicted ----
//
// Predictions come from the closest points: first those of the same variant, then those of the same
// block (or else the default one), then those that are unrolled alike. A prediction is rather too
// high than too low.

// How close a known launch is, in the order in which launches are preferred. To SAME_VARIANT,
// closeness() adds 2 for the default block or 4 for the same, and 1 if it is unrolled alike.
enum {
    NOT_CLOSE,
    OTHER_VARIANT,             // in any block
    OTHER_VARIANT_SAME_BLOCK,  // or in the default one
    SAME_VARIANT,
    SAME_VARIANT_AND_BLOCK = SAME_VARIANT + 2,  // or the default one
};

static int closeness(const struct entry *c, const struct choice *to)
{
    const struct settings *a = &c->point.settings, *b = &to->settings;
    if (c->point.filter != to->filter || c->cost_ms <= 0) return NOT_CLOSE;
    if (!c->point.variant != !to->variant) return NOT_CLOSE;  // a copy is no launch
    const bool is_same = a->block_width == b->block_width && a->block_height == b->block_height;
    const int block = is_same ? 2 : !a->block_width && !a->block_height;
    if (c->point.variant != to->variant) return block ? OTHER_VARIANT_SAME_BLOCK : OTHER_VARIANT;
    return SAME_VARIANT + 2 * block + (a->is_unrolled == b->is_unrolled);
}

static int closest(const struct results *s, const struct choice *to)
{
    int best = NOT_CLOSE;
    for (const GList *l = s->ages.head; l; l = l->next) best = MAX(best, closeness(l->data, to));
    return best;
}

// Predicts from launches of another radius. In one block, one more tap costs the slope between the
// known settings with the fewest and with the most taps. Costs are concave over taps (linear with
// an overhead, by the window's side, or constant), so beyond the known ones this is rather too much
// than too little. It is never more than in proportion.
static double predict_by_taps(const struct results *s, const struct choice *to, int close)
{
    const bool is_one_block = close >= SAME_VARIANT_AND_BLOCK;
    const double taps = launch_work(to->filter, &to->settings);
    const struct entry *least = NULL, *most = NULL;
    double ms = 0, slope = 0;
    for (const GList *l = is_one_block ? s->ages.head : NULL; l; l = l->next) {
        const struct entry *c = l->data;
        if (closeness(c, to) != close) continue;
        if (!least || c->work < least->work) least = c;
        if (!most || c->work > most->work) most = c;
    }
    if (is_one_block) slope = most->cost_ms / most->work;
    if (is_one_block && least->work != most->work)
        slope = CLAMP((most->cost_ms - least->cost_ms) / (most->work - least->work), 0, slope);
    for (const GList *l = s->ages.head; l; l = l->next) {
        const struct entry *c = l->data;
        if (closeness(c, to) != close) continue;
        ms = fmax(ms, is_one_block ? c->cost_ms + slope * (taps - c->work)
                                   : c->cost_ms * taps / c->work);
    }
    return ms;
}

// If two launches have equal work, the slower one counts.
static bool is_nearer(const struct entry *c, const struct entry *than, double work)
{
    if (!than) return true;
    const double far = fabs(c->work - work), old = fabs(than->work - work);
    return far < old || (far == old && c->cost_ms > than->cost_ms);
}

// Predicts from launches with other numbers of elements. While few elements keep a device partly
// idle, more of them cost nothing; after that, time grows in proportion. So a slope between known
// ones would promise too little, and the nearest one below, in proportion, is at most too much. A
// known one above is no faster.
static double predict_by_ratio(const struct results *s, const struct choice *to, int close)
{
    const double work = launch_work(to->filter, &to->settings);
    const struct entry *below = NULL, *above = NULL;
    for (const GList *l = s->ages.head; l; l = l->next) {
        const struct entry *c = l->data;
        if (closeness(c, to) != close) continue;
        if (c->work <= work && is_nearer(c, below, work)) below = c;
        if (c->work >= work && is_nearer(c, above, work)) above = c;
    }
    if (!below) return above->cost_ms * work / above->work;
    const double grown = below->cost_ms * work / below->work;
    return above ? fmin(grown, fmax(below->cost_ms, above->cost_ms)) : grown;
}

double results_predict(const struct results *s, const struct choice *point)
{
    const struct entry *known = find(s, point);
    if (known && known->cost_ms > 0) return known->cost_ms;
    const struct choice to = choice_normal(point);
    const int close = closest(s, &to);
    if (close == NOT_CLOSE) return 0;
    const bool has_taps = filter_radius(to.filter) >= 0;
    return (has_taps ? predict_by_taps : predict_by_ratio)(s, &to, close);
}

bool results_has_variant(const struct results *s, const struct choice *point)
{
    const struct choice to = choice_normal(point);
    return closest(s, &to) >= SAME_VARIANT;
}
