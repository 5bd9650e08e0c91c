// What a pointer may point to.
#include "device/cpu/rewrite_parts.h"

static bool holds_address(const struct rewriter *r, const struct var *v)
{
    return v->is_pointer || rewrite_type_facts(r, v, HOLDS_ADDRESS) & HOLDS_ADDRESS;
}

// True if a word may give a pointer to what a variable of each thread's own holds; or, into a
// number that holds no address as such, with & before it.
static bool may_point(const struct rewriter *r, guint i, const struct var *v, bool is_number)
{
    if (v->kind != VAR_LANE || v->is_shared) return false;
    if (is_number) return v->is_exposed && i > 0 && rewrite_is(r, i - 1, "&");
    return v->is_exposed || holds_address(r, v) ||
           (rewrite_is_array(v) && !rewrite_is(r, i + 1, "["));
}

static bool keep_targets_in(struct rewriter *r, const struct var *p, struct range range)
{
    bool is_changed = false;
    for (guint i = range.from; i < range.to; i++) {
        const int var = rewrite_word(r, i)->var;
        struct var *const v = var >= 0 ? rewrite_var(r, var) : NULL;
        if (!v || !may_point(r, i, v, !holds_address(r, p))) continue;
        is_changed |= (p->has_runs && !v->has_runs) || (p->has_regions && !v->has_regions);
        v->has_runs |= p->has_runs;
        v->has_regions |= p->has_regions;
    }
    return is_changed;
}

void rewrite_keep_targets(struct rewriter *r)
{
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (guint i = 0; i < r->vars->len; i++) {
            const struct var *const p = rewrite_var(r, (int)i);
            if (!(p->has_runs || p->has_regions)) continue;
            is_changed |= keep_targets_in(r, p, p->init);
            for (const struct change *c = NULL; (c = rewrite_next_change(r, (int)i, c));)
                is_changed |= keep_targets_in(r, p, c->by);
            const struct range all = {0, r->words->len};  // a function may have set it
            if (p->is_exposed && holds_address(r, p)) is_changed |= keep_targets_in(r, p, all);
        }
    }
}
