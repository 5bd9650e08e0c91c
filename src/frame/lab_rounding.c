#include "frame/lab_rounding.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <stdint.h>

static const size_t PIECE_BYTES = 16 << 20;
static const double MOST = 1e-3;  // of the largest magnitude
enum { FEW = 4 };                 // a sum may be one of the numbers by chance

struct scan {
    GHashTable *missing;  // wanted values that no in array has held yet
    double largest;       // finite magnitude
    long long longest;    // side
};

static void note(struct scan *s, double value)
{
    if (isfinite(value)) s->largest = fmax(s->largest, fabs(value));
}

static bool scan_array(struct scan *s, const struct frame *frame, const struct frame_memory *memory,
                       int array, struct error *err)
{
    const struct array_place *place = &frame->arrays.places[array];
    float *const piece = g_malloc(MIN(PIECE_BYTES, place->bytes));
    bool is_good = true;
    for (size_t done = 0; is_good && done < place->bytes; done += PIECE_BYTES) {
        const size_t bytes = MIN(PIECE_BYTES, place->bytes - done);
        is_good =
            backend_read(frame->backend, piece,
                         (const unsigned char *)memory->arrays + place->offset + done, bytes, err);
        for (size_t i = 0; is_good && i < bytes / sizeof *piece; i++) {
            const double value = piece[i];
            note(s, value);
            if (g_hash_table_size(s->missing)) g_hash_table_remove(s->missing, &value);
        }
    }
    g_free(piece);
    for (int i = 0; i < frame->choice.filter->arrays[array].dimensions; i++)
        s->longest = MAX(s->longest, place->sides[i]);
    return is_good;
}

static bool scan_inputs(struct scan *s, const struct frame *frame,
                        const struct frame_memory *memory, struct error *err)
{
    const struct filter *lab = frame->choice.filter;
    for (int i = 0; i < lab->array_count; i++)
        if (lab->arrays[i].kind == ARRAY_IN && lab->arrays[i].type == ARRAY_FLOAT &&
            !scan_array(s, frame, memory, i, err))
            return false;
    return true;
}

// Any order of an infinite sum is infinite or not a number.
static bool explains(const struct scan *s, const struct check_sample *sample)
{
    if (sample->is == sample->wanted || (!isfinite(sample->is) && !isfinite(sample->wanted)))
        return true;
    if (!isfinite(sample->is)) return s->largest * (double)s->longest > (double)FLT_MAX;
    const double part = fmin((double)(s->longest + 1) * 0x1p-24, MOST);
    return fabs(sample->is - sample->wanted) <= part * s->largest;
}

static bool explains_array(const struct frame *frame, const struct frame_memory *memory, int array,
                           const struct check *check, bool *is_explained, struct error *err)
{
    struct scan s = {.missing = g_hash_table_new(g_double_hash, g_double_equal)};
    for (int i = 0; i < check->count; i++) {
        if (check->samples[i].array != array) continue;
        note(&s, check->samples[i].wanted);
        g_hash_table_add(s.missing, (gpointer)(uintptr_t)&check->samples[i].wanted);
    }
    const bool has_few = g_hash_table_size(s.missing) < FEW;
    const bool is_good = scan_inputs(&s, frame, memory, err);
    *is_explained = has_few || g_hash_table_size(s.missing) > 0;
    for (int i = 0; i < check->count && *is_explained; i++)
        if (check->samples[i].array == array) *is_explained = explains(&s, &check->samples[i]);
    g_hash_table_destroy(s.missing);
    return is_good;
}

bool lab_rounding_explains(const struct frame *frame, const struct frame_memory *memory,
                           const struct check *check, bool *is_explained, struct error *err)
{
    const struct filter *lab = frame->choice.filter;
    bool has_seen[ARRAYS_MAX] = {false};
    *is_explained = true;
    for (int i = 0; i < check->count && *is_explained; i++) {
        const int array = check->samples[i].array;
        if (check_sample_is_right(&check->samples[i]) || has_seen[array]) continue;
        has_seen[array] = true;
        *is_explained = lab->arrays[array].type == ARRAY_FLOAT;
        if (*is_explained && !explains_array(frame, memory, array, check, is_explained, err))
            return false;
    }
    return true;
}
