#include "measure/bound.h"

#include <math.h>

#include "base/number.h"
#include "base/text.h"

static const double CLOSE = 0.6;
static const double ISSUES_A_CLOCK = 4;  // a multiprocessor's schedulers

// ---- finding ----

static double clocks_a_ms(const struct device *d)
{
    return 1e3 * d->clock_mhz * d->multiprocessors;
}

double bound_shared_ms(const struct bound_facts *f)
{
    const double clocks = f->device->is_gpu ? clocks_a_ms(f->device) : 0;
    return f->counts.is_known && clocks > 0 ? f->counts.wavefronts / clocks : 0;
}

static enum bound_by choose(const struct bound *b, bool has_counts)
{
    if (b->shared >= CLOSE && b->shared > fmax(b->needed, b->l1)) return BOUND_SHARED;
    if (b->l1 >= CLOSE && b->l1 > b->needed) return BOUND_L1;
    if (b->needed >= CLOSE) return BOUND_NEEDED;
    if (!has_counts) return BOUND_NOT_MEMORY;
    return b->memory >= CLOSE ? BOUND_SECTORS : BOUND_NEITHER;
}

struct bound bound_find(const struct bound_facts *f)
{
    const struct bound_counts *c = &f->counts;
    struct bound b = {.by = BOUND_UNKNOWN};
    if (c->is_known && f->bytes > 0) b.moved = BOUND_SECTOR_BYTES * c->sectors / f->bytes;
    if (!f->device->is_gpu) b.by = BOUND_EMULATED;
    if (!f->device->is_gpu || f->ms <= 0 || f->copy_ms <= 0) return b;
    b.needed = f->copy_ms / f->ms;
    b.memory = fmax(b.needed, b.needed * b.moved);
    b.shared = bound_shared_ms(f) / f->ms;
    const double clocks = clocks_a_ms(f->device) * f->ms;
    if (c->is_known && clocks > 0) {
        b.issue = c->requests / ISSUES_A_CLOCK / clocks;
        b.l1 = c->l1_clocks / clocks;
    }
    if (c->is_known) b.foreign_rules = f->foreign_rules;
    b.by = choose(&b, c->is_known);
    return b;
}

// ---- words ----

static void add_percent(char *text, size_t size, double part)
{
    if (part < 0.01)
        text_append(text, size, "<1 %%");
    else
        text_append(text, size, "%.0f %%", 100 * part);
}

static void add_traffic(char *text, size_t size, const struct bound *b)
{
    char figure[32];
    number_three(figure, sizeof figure, b->moved);
    text_append(text, size, "%s× the minimum", figure);
}

static void add_clocks(char *text, size_t size, const char *unit, double part)
{
    text_append(text, size, "bound by %s: ", unit);
    add_percent(text, size, part);
    text_append(text, size, " of its clocks");
}

static void write_cause(const struct bound *b, char *text, size_t size)
{
    text[0] = '\0';
    switch (b->by) {
    case BOUND_UNKNOWN:
        return;
    case BOUND_EMULATED:
        if (b->moved <= 0) return;
        text_append(text, size, "memory traffic ");
        add_traffic(text, size, b);
        text_append(text, size, ", each sector once a block");
        return;
    case BOUND_NEEDED:
        text_append(text, size, "bound by memory: ");
        add_percent(text, size, b->needed);
        text_append(text, size, " of a copy's rate");
        return;
    case BOUND_SECTORS:
        text_append(text, size, "bound by memory traffic: ");
        add_traffic(text, size, b);
        return;
    case BOUND_SHARED:
        add_clocks(text, size, "shared memory", b->shared);
        return;
    case BOUND_L1:
        add_clocks(text, size, "the L1 cache", b->l1);
        return;
    case BOUND_NEITHER:
        text_append(text, size, "bound by instructions or latency: memory ");
        add_percent(text, size, b->memory);
        if (b->l1 > 0) text_append(text, size, ", L1 ");
        if (b->l1 > 0) add_percent(text, size, b->l1);
        if (b->shared > 0) text_append(text, size, ", shared memory ");
        if (b->shared > 0) add_percent(text, size, b->shared);
        return;
    case BOUND_NOT_MEMORY:
        text_append(text, size, "the minimum of memory traffic takes ");
        add_percent(text, size, b->needed);
        text_append(text, size, " of its time: M counts the rest");
        return;
    }
}

static void add_rules(char *text, size_t size, const struct bound *b)
{
    if (*text && b->foreign_rules)
        text_append(text, size, ", by the rules of %s", b->foreign_rules);
}

void bound_write(const struct bound *b, char *text, size_t size)
{
    write_cause(b, text, size);
    add_rules(text, size, b);
}

void bound_write_evidence(const struct bound *b, char *text, size_t size)
{
    text[0] = '\0';
    if (b->needed > 0) {
        text_append(text, size, "memory ");
        if (b->memory > 1.1 * b->needed) {
            add_percent(text, size, b->needed);
            text_append(text, size, " to ");
        }
        add_percent(text, size, b->memory);
        text_append(text, size, b->moved > 0 ? "" : " or more");
    }
    if (b->shared > 0) {
        text_append(text, size, " · shared memory ");
        add_percent(text, size, b->shared);
    }
    if (b->l1 >= 0.01) {
        text_append(text, size, " · L1 at least ");
        add_percent(text, size, b->l1);
    }
    if (b->issue >= 0.01) {
        text_append(text, size, " · issue at least ");
        add_percent(text, size, b->issue);
    }
    if (b->moved > 0) {
        text_append(text, size, "%smemory traffic ", *text ? " · " : "");
        add_traffic(text, size, b);
    }
    add_rules(text, size, b);
}
