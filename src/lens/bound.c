#include "lens/bound.h"

#include <glib.h>
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
        // More than there can be: the compiler has left out what the trace counted.
        const double all = c->instructions / ISSUES_A_CLOCK / clocks;
        b.has_instructions = all > 0 && all <= 1;
        if (b.has_instructions) b.issue = fmax(b.issue, all);
        b.l1 = c->l1_clocks / clocks;
    }
    if (c->is_known) b.foreign_rules = f->foreign_rules;
    b.by = b.shared >= CLOSE && b.shared > fmax(b.needed, fmax(b.l1, b.issue)) ? BOUND_SHARED
           : b.l1 >= CLOSE && b.l1 > fmax(b.needed, b.issue)                   ? BOUND_L1
           : b.issue >= CLOSE && b.issue > b.needed                            ? BOUND_ISSUE
           : b.needed >= CLOSE                                                 ? BOUND_NEEDED
           : !c->is_known                                                      ? BOUND_NOT_MEMORY
           : b.memory >= CLOSE                                                 ? BOUND_SECTORS
                                                                               : BOUND_NEITHER;
    return b;
}

// ---- words ----

// A part in per cent.
struct percent {
    char text[16];
};

static struct percent percent_of(double part)
{
    struct percent p = {"<1 %"};
    if (part >= 0.01) g_snprintf(p.text, sizeof p.text, "%.0f %%", 100 * part);
    return p;
}

static void add_rules(char *text, size_t size, const struct bound *b)
{
    if (*text && b->foreign_rules)
        text_append(text, size, ", by the rules of %s", b->foreign_rules);
}

void bound_write(const struct bound *b, char *text, size_t size)
{
    const struct number moved = number_three(b->moved);
    text[0] = '\0';
    switch (b->by) {
    case BOUND_UNKNOWN:
        break;
    case BOUND_EMULATED:
        if (b->moved > 0)
            text_append(text, size, "memory traffic %s× the minimum · each sector once a block",
                        moved.text);
        break;
    case BOUND_NEEDED:
        text_append(text, size, "bound by memory: %s of a copy's rate", percent_of(b->needed).text);
        break;
    case BOUND_SECTORS:
        text_append(text, size, "bound by memory traffic: %s× the minimum", moved.text);
        break;
    case BOUND_SHARED:
        text_append(text, size, "bound by shared memory: %s of its clocks",
                    percent_of(b->shared).text);
        break;
    case BOUND_L1:
        text_append(text, size, "bound by the L1 cache: %s of its clocks", percent_of(b->l1).text);
        break;
    case BOUND_ISSUE:
        text_append(text, size, "bound by instructions: at least %s of what can be issued",
                    percent_of(b->issue).text);
        break;
    case BOUND_NEITHER:
        text_append(text, size, "bound by instructions or latency: memory %s",
                    percent_of(b->memory).text);
        if (b->l1 > 0) text_append(text, size, " · L1 %s", percent_of(b->l1).text);
        if (b->shared > 0)
            text_append(text, size, " · shared memory %s", percent_of(b->shared).text);
        if (b->has_instructions)
            text_append(text, size, " · issue at least %s", percent_of(b->issue).text);
        break;
    case BOUND_NOT_MEMORY:
        text_append(text, size,
                    "the minimum of memory traffic takes %s of its time · M counts the rest",
                    percent_of(b->needed).text);
        break;
    }
    add_rules(text, size, b);
}

void bound_write_evidence(const struct bound *b, char *text, size_t size)
{
    text[0] = '\0';
    if (b->needed > 0) {
        text_append(text, size, "memory ");
        if (b->memory > 1.1 * b->needed)
            text_append(text, size, "%s to ", percent_of(b->needed).text);
        text_append(text, size, "%s%s", percent_of(b->memory).text, b->moved > 0 ? "" : " or more");
    }
    if (b->shared > 0) text_append(text, size, " · shared memory %s", percent_of(b->shared).text);
    if (b->l1 >= 0.01) text_append(text, size, " · L1 at least %s", percent_of(b->l1).text);
    if (b->issue >= 0.01)
        text_append(text, size, " · issue at least %s", percent_of(b->issue).text);
    if (b->moved > 0)
        text_join(text, size, " · ", "memory traffic %s× the minimum", number_three(b->moved).text);
    add_rules(text, size, b);
}
