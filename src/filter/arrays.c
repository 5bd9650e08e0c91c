#include "filter/arrays.h"

#include <glib.h>
#include <string.h>

#include "filter/filter.h"

enum { ALIGNMENT = 512 };
static const long long MAX_COUNT = 1LL << 31;

static const struct {
    const char *name, *npy;
    size_t bytes;
} types[] = {
    [ARRAY_BYTE] = {"unsigned char", "|u1", 1},
    [ARRAY_INT] = {"int", "<i4", 4},
    [ARRAY_UINT] = {"unsigned int", "<u4", 4},
    [ARRAY_FLOAT] = {"float", "<f4", 4},
};

size_t array_type_bytes(enum array_type type)
{
    return types[type].bytes;
}

const char *array_type_name(enum array_type type)
{
    return types[type].name;
}

const char *array_type_npy(enum array_type type)
{
    return types[type].npy;
}

int arrays_find(const struct filter *f, const char *name)
{
    for (int i = 0; i < f->array_count; i++)
        if (!strcmp(f->arrays[i].name, name)) return i;
    return -1;
}

static int first_of(const struct filter *f, enum array_kind kind)
{
    for (int i = 0; i < f->array_count; i++)
        if (f->arrays[i].kind == kind) return i;
    return -1;
}

int arrays_first_in(const struct filter *f)
{
    return first_of(f, ARRAY_IN);
}

int arrays_first_out(const struct filter *f)
{
    return first_of(f, ARRAY_OUT);
}

int arrays_shown(const struct filter *f, int index)
{
    return index >= 0 && index < f->array_count ? index : arrays_first_out(f);
}

// ---- places ----

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool plan_shape(struct array_place *place, const struct array *a, const double *values,
                       struct error *err)
{
    long long count = 1, side = 1;
    for (int i = 0; i < a->dimensions; i++) {
        if (!expr_eval(&a->shape[i], values, &side, err))
            return error_prefix(err, "the shape of %s: ", a->name);
        if (side < 1 || side > MAX_COUNT || count * side > MAX_COUNT)
            return error_set(err, "%s has a side of %lld; an array holds 1 to 2^31 elements",
                             a->name, side);
        place->sides[i] = side;
        count *= side;
    }
    place->count = count;
    place->columns = (int)MIN(side, G_MAXINT);
    place->rows = count / side;
    place->bytes = (size_t)count * array_type_bytes(a->type);
    return true;
}

// Counts the elements of an in array that a launch needs to read.
static bool count_reads(long long *needed, const struct array_place *place, const struct array *a,
                        const double *values, struct error *err)
{
    *needed = place->count;
    if (!a->reads.count) return true;
    if (!expr_eval(&a->reads, values, needed, err))
        return error_prefix(err, "what is read of %s: ", a->name);
    return (*needed >= 1 && *needed <= place->count) ||
           error_set(err, "%s reads %lld of its %lld elements", a->name, *needed, place->count);
}

static bool plan_range(struct array_place *place, const struct array *a, const double *values,
                       struct error *err)
{
    place->high = 255;
    if (!a->low.count) return true;
    if (!expr_eval(&a->low, values, &place->low, err) ||
        !expr_eval(&a->high, values, &place->high, err))
        return error_prefix(err, "the range of %s: ", a->name);
    if (place->low < G_MININT || place->high > G_MAXINT || place->low > place->high)
        return error_set(err, "%s has the range %lld, %lld", a->name, place->low, place->high);
    return true;
}

bool arrays_plan(struct arrays_layout *layout, const struct filter *f,
                 const struct param_values *values, struct error *err)
{
    struct arrays_layout made = {.count = f->array_count};
    double scope[FILTER_WORDS + FILTER_MAX_PARAMS] = {0};
    memcpy(scope + FILTER_WORDS, values->v, sizeof values->v);
    for (int i = 0; i < f->array_count; i++) {
        const struct array *a = &f->arrays[i];
        struct array_place *place = &made.places[i];
        long long needed;
        if (!plan_shape(place, a, scope, err) || !count_reads(&needed, place, a, scope, err) ||
            !plan_range(place, a, scope, err))
            return false;
        place->offset = made.bytes;
        made.bytes += aligned(place->bytes);
        if (a->kind == ARRAY_IN) made.in_bytes += (double)place->bytes;
        if (a->kind == ARRAY_OUT) made.out_bytes += (double)place->bytes;
        if (a->kind != ARRAY_SCRATCH)
            made.least_bytes += (double)needed * (double)array_type_bytes(a->type);
    }
    made.copy_offset = made.bytes;
    made.copy_bytes = MAX((size_t)(made.least_bytes / 2), 1);
    made.bytes += aligned(made.copy_bytes);
    *layout = made;
    return true;
}

bool arrays_move_alike(const struct filter *f, const struct param_values *a,
                       const struct param_values *b)
{
    struct arrays_layout first, second;
    return !f->is_lab || (arrays_plan(&first, f, a, NULL) && arrays_plan(&second, f, b, NULL) &&
                          first.copy_bytes == second.copy_bytes);
}

// ---- words and values ----

void array_write_shape(const struct array *a, const struct array_place *place, char *text,
                       size_t size)
{
    if (a->dimensions == 1)
        g_snprintf(text, size, "%s %lld", array_type_name(a->type), place->count);
    else
        g_snprintf(text, size, "%s %lld×%d", array_type_name(a->type), place->rows, place->columns);
}

double array_value(enum array_type type, const void *elements, long long index)
{
    switch (type) {
    case ARRAY_BYTE:
        return ((const unsigned char *)elements)[index];
    case ARRAY_INT:
        return ((const int *)elements)[index];
    case ARRAY_UINT:
        return ((const unsigned int *)elements)[index];
    case ARRAY_FLOAT:
        return (double)((const float *)elements)[index];
    }
    return 0;
}
