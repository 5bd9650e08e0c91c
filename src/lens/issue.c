#include "lens/issue.h"

#include <glib.h>
#include <math.h>
#include <string.h>

enum {
    NEAREST = 16,
    HALVINGS = 16,        // of the range in which share() searches
    MOST_PAIRS = 2000000  // of an instruction and a counted line: a window waits some 10 ms
};

static const double TEXTURE_QUADS = 8;  // requests of one warp's instruction (model.h)
static const double TEXEL_BYTES = 4;    // what stands for them, since machine code names no bytes

// A basic block: its instructions run together.
struct basic {
    int begin, end;  // lines of the machine code
    int next[2];     // blocks that may follow; -1: none
    int before;      // the only block that it may follow; -1: none, or several
    int before_count;
    bool is_repeated;  // in a loop
};

struct blocks {
    const struct machine_code *code;
    struct basic *all;
    double *left;  // the instructions of each that are not counted yet
    int count;
};

// The bytes that a source line moved for a lane, or else the warps, which all begin.
struct demand {
    const struct lens_line *line;  // NULL: warps
    double times;                  // all of them, in the blocks together
    double *each;                  // of each block, when it runs once
    double most;                   // how often a block may have run for it
};

// ---- basic blocks ----

static bool is_branch_on(const struct machine_line *line, const char *name)
{
    return g_str_has_prefix(line->text + line->opcode, name);
}

// True if the next instruction may follow this one.
static bool falls_through(const struct machine_line *line)
{
    const char *const operand = strchr(line->text + line->opcode, ' ');
    const bool has_condition = line->opcode > 0 || (operand && strchr(operand + 1, ' '));
    return line->kind != MACHINE_BRANCH || has_condition || is_branch_on(line, "CALL");
}

static struct blocks find_blocks(const struct machine_code *m)
{
    g_autofree int *of_line = g_new0(int, (gsize)m->count + 1);
    struct blocks b = {.code = m};
    of_line[0] = 1;  // first those that begin a block, then the block of each line
    for (int i = 0; i < m->count; i++) {
        const int target = m->lines[i].target;
        if (target >= 0) of_line[target] = 1;
        if (m->lines[i].kind == MACHINE_BRANCH) of_line[i + 1] = 1;
    }
    b.all = g_new0(struct basic, (gsize)m->count + 1);
    for (int i = 0; i < m->count; i++) {
        if (of_line[i]) b.all[b.count++].begin = i;
        of_line[i] = b.count - 1;
        b.all[b.count - 1].end = i + 1;
    }
    b.left = g_new(double, (gsize)b.count);
    for (int i = 0; i < b.count; i++) {
        struct basic *one = &b.all[i];
        const struct machine_line *last = &m->lines[one->end - 1];
        b.left[i] = one->end - one->begin;
        one->next[0] = falls_through(last) && i + 1 < b.count ? i + 1 : -1;
        one->next[1] = last->target >= 0 ? of_line[last->target] : -1;
        for (int k = 0; k < 2; k++) {
            if (one->next[k] < 0 || (k && one->next[1] == one->next[0])) continue;
            struct basic *const next = &b.all[one->next[k]];
            next->before = next->before_count++ ? -1 : i;
        }
    }
    b.all[0].before_count++;  // the launch
    int loop = b.count;       // where the first loop begins of those that end behind a block
    for (int i = b.count - 1; i >= 0; i--) {
        if (b.all[i].before_count != 1 || !i) b.all[i].before = -1;
        if (b.all[i].next[1] >= 0 && b.all[i].next[1] <= i) loop = MIN(loop, b.all[i].next[1]);
        b.all[i].is_repeated = loop <= i;
    }
    return b;
}

// The block that always follows; -1: none does.
static int only_next(const struct blocks *b, int at)
{
    const struct basic *one = &b->all[at];
    const struct machine_line *last = &b->code->lines[one->end - 1];
    const bool is_known = last->kind != MACHINE_BRANCH || last->target >= 0;
    return !is_known || (one->next[0] >= 0 && one->next[1] >= 0) ? -1
                                                                 : MAX(one->next[0], one->next[1]);
}

// ---- sharing them out ----

// Takes instructions for one run of a block: its own, and then those of the nearest blocks that run
// at least as often. False: there are not so many.
static bool take(struct blocks *b, int from, double wanted)
{
    int queue[NEAREST] = {from}, count = 1;
    for (int i = 0; i < count && wanted > 0; i++) {
        const int at = queue[i], others[] = {b->all[at].before, only_next(b, at)};
        const double taken = fmin(wanted, b->left[at]);
        b->left[at] -= taken;
        wanted -= taken;
        for (int k = 0; k < 2 && count < NEAREST; k++) {
            int seen = 0;
            while (seen < count && queue[seen] != others[k]) seen++;
            if (others[k] >= 0 && seen == count) queue[count++] = others[k];
        }
    }
    return wanted < 1e-6;
}

static bool take_all(struct blocks *b, const struct demand *d, double one)
{
    for (int i = 0; i < b->count; i++)
        if (d->each[i] > 0 && !take(b, i, one * d->each[i])) return false;
    return true;
}

// Takes the most instructions that there are for one time of the demand. Returns how many were
// executed for it.
static double share(struct blocks *b, const struct demand *d)
{
    const size_t bytes = (size_t)b->count * sizeof *b->left;
    g_autofree double *before = g_memdup2(b->left, bytes);
    double taken = 0, more = 0;
    for (int i = 0; i < b->count; i++)
        if (d->each[i] > 0) more = fmax(more, (b->code->count + 1) / d->each[i]);
    for (int i = 0; i < HALVINGS && more > 0; i++) {
        const double middle = (taken + more) / 2;
        *(take_all(b, d, middle) ? &taken : &more) = middle;
        memcpy(b->left, before, bytes);
    }
    take_all(b, d, taken);
    return taken * d->times;
}

// ---- what the lines ask for ----

static const enum machine_space spaces[] = {[TRACE_GLOBAL] = MACHINE_GLOBAL,
                                            [TRACE_SHARED] = MACHINE_SHARED,
                                            [TRACE_TEXTURE] = MACHINE_TEXTURE};
static const enum machine_kind kinds[] = {
    [TRACE_LOAD] = MACHINE_LOAD, [TRACE_STORE] = MACHINE_STORE, [TRACE_ATOMIC] = MACHINE_ATOMIC};

static bool is_same_place(const struct trace_chain *a, const struct trace_chain *b)
{
    return a->count && b->count && a->places->line == b->places->line &&
           !strcmp(a->places->file, b->places->file);
}

// The demand of a line that another one has made already, or a new one.
static struct demand *demand_of(GArray *demands, const struct lens_line *line, int blocks)
{
    for (guint i = 0; i < demands->len; i++) {
        struct demand *d = &g_array_index(demands, struct demand, i);
        if (d->line && d->line->kind == line->kind && d->line->space == line->space &&
            is_same_place(&d->line->chain, &line->chain))
            return d;
    }
    const struct demand new = {.line = line, .each = g_new0(double, (gsize)blocks)};
    g_array_append_val(demands, new);
    return &g_array_index(demands, struct demand, demands->len - 1);
}

static void find_accesses(const struct blocks *b, struct demand *d, double warps)
{
    double all = 0, least = INFINITY;
    bool is_repeated = false;
    for (int i = 0; i < b->count; i++) {
        for (int k = b->all[i].begin; k < b->all[i].end; k++) {
            const struct machine_line *line = &b->code->lines[k];
            if (line->kind == kinds[d->line->kind] && line->space == spaces[d->line->space] &&
                is_same_place(&line->chain, &d->line->chain))
                d->each[i] += line->bits ? line->bits / 8 : TEXEL_BYTES;
        }
        all += d->each[i];
        if (d->each[i] <= 0) continue;
        least = fmin(least, d->each[i]);
        is_repeated |= b->all[i].is_repeated;
    }
    if (!is_repeated) d->times = fmin(d->times, warps * all);
    d->most = d->times / least;
}

static gint by_most(gconstpointer a, gconstpointer b)
{
    const struct demand *const one = a, *const two = b;
    return (one->most < two->most) - (one->most > two->most);
}

static void free_demand(gpointer demand)
{
    g_free(((struct demand *)demand)->each);
}

double issue_count(const struct machine_code *m, const struct lens_pass *p, bool is_whole)
{
    const struct launch_config *c = &p->config;
    const double grid = is_whole ? (double)c->grid_width * c->grid_height * c->grid_depth : 1;
    const double warps =
        grid * ((c->block_width * c->block_height + MODEL_LANES - 1) / MODEL_LANES);
    if (m->is_ptx || !m->count || p->line_count > MOST_PAIRS / m->count) return 0;
    struct blocks b = find_blocks(m);
    g_autoptr(GArray) demands = g_array_new(FALSE, FALSE, sizeof(struct demand));
    g_array_set_clear_func(demands, free_demand);
    struct demand all = {.times = warps, .most = warps, .each = g_new0(double, (gsize)b.count)};
    all.each[0] = 1;
    g_array_append_val(demands, all);
    for (int i = 0; i < p->line_count; i++) {
        const struct lens_line *line = &p->lines[i];
        if (line->space == TRACE_CONSTANT) continue;  // a compiler loads them once, ahead of loops
        const double bytes =
            line->space == TRACE_TEXTURE ? TEXEL_BYTES / TEXTURE_QUADS : line->bytes;
        demand_of(demands, line, b.count)->times += bytes * (double)line->counts.requests;
    }
    for (guint i = 1; i < demands->len; i++)
        find_accesses(&b, &g_array_index(demands, struct demand, i), warps);
    // The innermost loops choose first.
    g_array_sort(demands, by_most);
    double sum = 0;
    for (guint i = 0; i < demands->len; i++)
        sum += share(&b, &g_array_index(demands, struct demand, i));
    g_free(b.all);
    g_free(b.left);
    return sum;
}
