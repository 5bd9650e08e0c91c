#include "lens/model.h"

#include <assert.h>
#include <string.h>

#include <glib.h>

static const char MEASURED[] = "sm_90";

static bool is_active(const struct lens_request *r, int lane)
{
    return r->active >> lane & 1;
}

static int bits(unsigned int mask)
{
    return __builtin_popcount(mask);
}

// ---- sectors ----

// Marks the bytes of lanes as used. Lanes that follow each other tend to share a sector, so the
// newest is tried first.
static void collect(struct lens_sectors *s, const struct lens_request *r, unsigned int lanes)
{
    s->count = 0;
    memset(s->of_lane, -1, sizeof s->of_lane);
    for (unsigned int left = lanes & r->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const unsigned long long from = r->address[lane], end = from + r->bytes;
        for (unsigned long long at = from, next; at < end; at = next) {
            const unsigned long long number = at / MODEL_SECTOR_BYTES;
            next = MIN(end, (number + 1) * MODEL_SECTOR_BYTES);
            int i = s->count - 1;
            while (i >= 0 && s->number[i] != number) i--;
            if (i < 0) {
                i = s->count++;
                s->number[i] = number;
                s->used[i] = 0;
            }
            const unsigned int first = at % MODEL_SECTOR_BYTES;
            s->used[i] |= ((1u << (next - at)) - 1) << first;
            if (at == from) s->of_lane[lane] = (signed char)i;
        }
    }
}

void model_sectors(const struct lens_request *r, struct lens_sectors *sectors)
{
    struct lens_sectors found;
    collect(&found, r, ~0u);
    *sectors = found;
    signed char place[MODEL_MAX_SECTORS];
    for (int i = 0; i < found.count; i++) {
        int smaller = 0;
        for (int j = 0; j < found.count; j++) smaller += found.number[j] < found.number[i];
        place[i] = (signed char)smaller;
        sectors->number[smaller] = found.number[i];
        sectors->used[smaller] = found.used[i];
    }
    for (int lane = 0; lane < MODEL_LANES; lane++)
        if (is_active(r, lane)) sectors->of_lane[lane] = place[found.of_lane[lane]];
}

// ---- turns ----

// A lane's access to shared or constant memory is one unit: a word, or two or four in a row, which
// lie in as many banks. Accesses are aligned, so two units share all of their banks or none.
static unsigned long long unit(const struct lens_request *r, int lane)
{
    return r->address[lane] / MAX(r->bytes, MODEL_WORD_BYTES);
}

int model_banks_a_lane(const struct lens_request *r)
{
    return MAX(r->bytes, MODEL_WORD_BYTES) / MODEL_WORD_BYTES;
}

static int bank_group(const struct lens_request *r, int lane)
{
    return (int)(unit(r, lane) % (unsigned long long)(MODEL_BANKS / model_banks_a_lane(r)));
}

int model_bank(const struct lens_request *r, int lane)
{
    return bank_group(r, lane) * model_banks_a_lane(r);
}

// True if all active lanes want what their partner wants. A lane without an active partner does
// not matter.
static bool partners_agree(const struct lens_request *r, int distance)
{
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        const int partner = lane ^ distance;
        if (is_active(r, lane) && is_active(r, partner) && r->address[lane] != r->address[partner])
            return false;
    }
    return true;
}

// Lanes that want one unit share its turn, but lanes of an atomic follow each other.
static void take_turns_at_banks(const struct lens_request *r, unsigned int lanes,
                                struct lens_turns *t)
{
    const bool has_sharing = r->kind != TRACE_ATOMIC;
    // Lists of lanes: next leads from each to the one before it in the same banks, or to -1.
    signed char newest[MODEL_BANKS], next[MODEL_LANES], taken[MODEL_BANKS] = {0};
    memset(newest, -1, sizeof newest);
    int longest = 0;
    for (unsigned int left = lanes & r->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left), group = bank_group(r, lane);
        int same = has_sharing ? newest[group] : -1;
        while (same >= 0 && unit(r, same) != unit(r, lane)) same = next[same];
        if (same >= 0) {
            t->of_lane[lane] = t->of_lane[same];
            continue;
        }
        next[lane] = newest[group];
        newest[group] = (signed char)lane;
        t->of_lane[lane] = (signed char)(t->count + taken[group]++);
        longest = MAX(longest, taken[group]);
    }
    for (int turn = 1; turn < longest; turn++) t->is_conflict[t->count + turn] = true;
    t->count += longest;
}

static unsigned int lane_mask(int from, int count)
{
    return (count < MODEL_LANES ? (1u << count) - 1 : ~0u) << from;
}

void model_turns(const struct lens_request *r, struct lens_turns *t)
{
    const bool is_wide_load = r->kind == TRACE_LOAD && r->bytes > MODEL_WORD_BYTES;
    const bool is_double = is_wide_load && (partners_agree(r, 1) || partners_agree(r, 2));
    int step;
    *t = (struct lens_turns){0};
    memset(t->of_lane, -1, sizeof t->of_lane);
    switch ((enum trace_space)r->space) {
    case TRACE_GLOBAL:  // a lane of an atomic comes after the earlier lanes on its address
        for (int lane = 0; lane < MODEL_LANES; lane++) {
            if (!is_active(r, lane)) continue;
            int turn = 0;
            for (int other = 0; other < lane && r->kind == TRACE_ATOMIC; other++)
                turn += is_active(r, other) && r->address[other] == r->address[lane];
            t->of_lane[lane] = (signed char)turn;
            t->count = MAX(t->count, turn + 1);
        }
        t->ideal = t->count > 0;
        break;
    case TRACE_SHARED:  // The banks serve so many lanes together that they want at most 128 bytes,
                        // and twice as many if partners of a wide load want the same.
        step = (is_double ? 2 : 1) * MODEL_LANES / model_banks_a_lane(r);
        for (int from = 0; from < MODEL_LANES; from += step) {
            const unsigned int lanes = lane_mask(from, step);
            t->ideal += (r->active & lanes) != 0;
            take_turns_at_banks(r, lanes, t);
        }
        break;
    case TRACE_CONSTANT:
        for (int lane = 0; lane < MODEL_LANES; lane++) {
            if (!is_active(r, lane)) continue;
            int other = 0;
            while (!is_active(r, other) || unit(r, other) != unit(r, lane)) other++;
            t->of_lane[lane] = other < lane ? t->of_lane[other] : (signed char)t->count++;
        }
        t->ideal = t->count > 0;
        break;
    case TRACE_TEXTURE:  // in quads
        for (int lane = 0; lane < MODEL_LANES; lane++) {
            if (is_active(r, lane)) t->of_lane[lane] = (signed char)t->count;
            t->count += lane % 4 == 3 && (r->active & lane_mask(lane - 3, 4)) != 0;
        }
        t->ideal = t->count;
        break;
    }
}

int model_runs(const struct lens_request *r, const struct lens_turns *turns,
               struct lens_run runs[MODEL_LANES])
{
    int count = 0;
    unsigned int before = 0;
    for (int turn = 0; turn < turns->count; turn++) {
        unsigned int banks = 0;  // bit b: the wavefront takes a word of bank b
        for (int lane = 0; lane < MODEL_LANES; lane++)
            for (int i = 0; turns->of_lane[lane] == turn && i < model_banks_a_lane(r); i++)
                banks |= 1u << (model_bank(r, lane) + i) % MODEL_BANKS;
        if (!count || banks != before) runs[count++] = (struct lens_run){.first = turn};
        runs[count - 1].count++;
        before = banks;
    }
    return count;
}

// ---- counts ----

void model_count(const struct lens_request *r, struct lens_counts *add_to)
{
    const int sectors_a_line = MODEL_LINE_BYTES / MODEL_SECTOR_BYTES;
    assert(r->kind != TRACE_FLOW);
    if (!r->active) return;
    struct lens_turns turns;
    struct lens_sectors all;
    model_turns(r, &turns);
    collect(&all, r, ~0u);
    struct lens_counts c = {.requests = 1,
                            .lanes = (unsigned)bits(r->active),
                            .wanted_bytes = (unsigned)bits(r->active) * r->bytes};
    for (int i = 0; i < all.count; i++) c.bytes += (unsigned)bits(all.used[i]);
    const unsigned long long turn_count = (unsigned)turns.count;
    if (r->space == TRACE_SHARED) {
        c.wavefronts = turn_count;
        c.ideal_wavefronts = (unsigned)turns.ideal;
    } else if (r->space == TRACE_CONSTANT) {
        c.words = turn_count;
    } else {
        if (r->space == TRACE_TEXTURE) c.requests = turn_count;
        c.ideal_sectors = MAX(c.requests, (c.bytes + MODEL_SECTOR_BYTES - 1) / MODEL_SECTOR_BYTES);
        for (int turn = 0; turn < turns.count; turn++) {  // each asks for its sectors anew
            struct lens_sectors s;
            unsigned int lanes = turns.count == 1 ? ~0u : 0;
            for (int lane = 0; lane < MODEL_LANES && turns.count > 1; lane++)
                if (turns.of_lane[lane] == turn) lanes |= 1u << lane;
            collect(&s, r, lanes);
            c.sectors += (unsigned)s.count;
            for (int i = 0; i < s.count; i++) {
                int j = i - 1;
                while (j >= 0 && s.number[i] / sectors_a_line != s.number[j] / sectors_a_line) j--;
                c.lines += j < 0;
            }
        }
    }
    model_add(add_to, &c);
}

void model_add_times(struct lens_counts *add_to, const struct lens_counts *more,
                     unsigned long long times)
{
    add_to->requests += times * more->requests;
    add_to->lanes += times * more->lanes;
    add_to->wanted_bytes += times * more->wanted_bytes;
    add_to->bytes += times * more->bytes;
    add_to->sectors += times * more->sectors;
    add_to->lines += times * more->lines;
    add_to->ideal_sectors += times * more->ideal_sectors;
    add_to->wavefronts += times * more->wavefronts;
    add_to->ideal_wavefronts += times * more->ideal_wavefronts;
    add_to->words += times * more->words;
}

void model_add(struct lens_counts *add_to, const struct lens_counts *more)
{
    model_add_times(add_to, more, 1);
}

unsigned long long model_conflicts(const struct lens_counts *c)
{
    return c->wavefronts - c->ideal_wavefronts;
}

unsigned long long model_excess(const struct lens_counts *c, enum trace_space space)
{
    return space == TRACE_SHARED     ? model_conflicts(c)
           : space == TRACE_CONSTANT ? c->words - c->requests
                                     : c->sectors - c->ideal_sectors;
}

const char *model_foreign_rules(const struct device *device)
{
    return device && device->is_gpu && strcmp(device->arch, MEASURED) != 0 ? MEASURED : NULL;
}
