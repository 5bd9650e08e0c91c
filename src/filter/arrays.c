#include "filter/arrays.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "filter/choice.h"

enum { ALIGNMENT = 512, WRAP = 4096, MAX_SIDE = 4096 };
static const long long MAX_COUNT = 1LL << 31;

const struct array_type_facts array_types[ARRAY_TYPES] = {
    [ARRAY_BYTE] = {"unsigned char", "|u1", 1, false},
    [ARRAY_INT] = {"int", "<i4", 4, false},
    [ARRAY_UINT] = {"unsigned int", "<u4", 4, false},
    [ARRAY_FLOAT] = {"float", "<f4", 4, true},
    [ARRAY_CHAR] = {"char", "|i1", 1, false},
    [ARRAY_SHORT] = {"short", "<i2", 2, false},
    [ARRAY_USHORT] = {"unsigned short", "<u2", 2, false},
    [ARRAY_LONG] = {"long long", "<i8", 8, false},
    [ARRAY_ULONG] = {"unsigned long long", "<u8", 8, false},
    [ARRAY_HALF] = {"half", "<f2", 2, true},
    [ARRAY_DOUBLE] = {"double", "<f8", 8, true},
    [ARRAY_BFLOAT] = {"__nv_bfloat16", "|V2", 2, true},
};

int arrays_find(const struct filter *f, const char *name)
{
    for (int i = 0; i < f->array_count; i++)
        if (!strcmp(f->arrays[i].name, name)) return i;
    return -1;
}

int arrays_first(const struct filter *f, enum array_kind kind)
{
    for (int i = 0; i < f->array_count; i++)
        if (f->arrays[i].kind == kind) return i;
    return -1;
}

void arrays_add_pictures(struct filter *f)
{
    static const struct array arrays[ARRAYS_OF_FILTER] = {
        [ARRAYS_IN] = {.name = "in",
                       .kind = ARRAY_IN,
                       .extent = ARRAY_PICTURE,
                       .fill = ARRAY_GIVEN},
        [ARRAYS_OUT] = {.name = "out", .kind = ARRAY_OUT, .extent = ARRAY_PICTURE},
        [ARRAYS_SCRATCH] = {.name = "scratch",
                            .type = ARRAY_UINT,
                            .kind = ARRAY_SCRATCH,
                            .extent = ARRAY_WORDS},
        [ARRAYS_WEIGHTS] = {.name = "weights",
                            .type = ARRAY_INT,
                            .kind = ARRAY_IN,
                            .extent = ARRAY_WEIGHTS,
                            .fill = ARRAY_GIVEN},
    };
    memcpy(f->arrays, arrays, sizeof arrays);
    f->array_count = ARRAYS_OF_FILTER;
}

bool arrays_are_in_place(const struct choice *c)
{
    const struct filter *const f = c->filter;
    bool is_found = false;
    for (int i = 0; f && i < f->array_count; i++) is_found |= f->arrays[i].from > 0;
    return is_found;
}

bool arrays_are_taken(const struct filter *f, const struct variant *v, int array)
{
    if (!v || !v->pass_count || filter_has_picture(f) || filter_has_reference(f) ||
        f->arrays[array].is_constant)
        return true;
    unsigned int taken = f->before.arrays;
    for (int i = 0; i < v->pass_count; i++) taken |= v->passes[i].arrays;
    for (const struct pass *one = f->untimed; one < f->untimed + f->untimed_count; one++)
        if (!strcmp(one->entry, v->prepare) || !strcmp(one->entry, v->finish)) taken |= one->arrays;
    for (int i = 0; i < f->array_count; i++)
        if (taken >> i & 1 && f->arrays[i].from) taken |= 1u << (f->arrays[i].from - 1);
    return !taken || taken >> array & 1;
}

int arrays_shown(const struct choice *c, int index)
{
    const struct filter *const f = c->filter;
    const bool is_other = index >= 0 && index < f->array_count;
    if (is_other && !filter_has_picture(f)) return index;
    for (int i = 0; i < f->array_count; i++)
        if (f->arrays[i].kind == ARRAY_OUT && arrays_are_taken(f, c->variant, i)) return i;
    return arrays_first(f, ARRAY_OUT);
}

bool arrays_are_all_taken(const struct filter *f, const struct variant *v)
{
    bool are_all = true;
    for (int i = 0; i < f->array_count; i++)
        are_all &= f->arrays[i].kind == ARRAY_SCRATCH || arrays_are_taken(f, v, i);
    return are_all;
}

bool array_is_noise(const struct array *a)
{
    return a->fill == ARRAY_NOISE || a->fill == ARRAY_LETTER;
}

bool array_is_filled(const struct array *a)
{
    return a->kind == ARRAY_IN && a->fill != ARRAY_GIVEN;
}

// ---- places ----

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Plans an array whose shape is an expression. *needed: the elements that a launch needs to read.
static bool plan_shape(struct array_place *place, long long *needed, const struct array *a,
                       const double *values, struct error *err)
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
    const int fields = array_fields(a);
    if (count * fields > MAX_COUNT)
        return error_set(err, "%s has %lld elements of %d fields; an array holds 2^31 of these",
                         a->name, count, fields);
    place->count = count * fields;
    place->columns = (int)MIN(side * fields, G_MAXINT);
    place->rows = count / side;
    place->bytes = (size_t)count * array_step(a);
    place->high = 255;
    *needed = count;
    if (a->reads.count && !expr_eval(&a->reads, values, needed, err))
        return error_prefix(err, "what is read of %s: ", a->name);
    if (*needed < 1 || *needed > count)
        return error_set(err, "%s reads %lld of its %lld elements", a->name, *needed, count);
    if (!a->low.count) return true;
    if (!expr_eval(&a->low, values, &place->low, err) ||
        !expr_eval(&a->high, values, &place->high, err))
        return error_prefix(err, "the range of %s: ", a->name);
    if (place->low < G_MININT || place->high > G_MAXINT || place->low > place->high)
        return error_set(err, "%s has the range %lld, %lld", a->name, place->low, place->high);
    return true;
}

size_t array_word(const struct filter *f, int array)
{
    const struct array *const a = &f->arrays[array];
    const int own = a->record.count ? a->record.alignment : (int)array_types[a->type].bytes;
    return (size_t)MAX(own, f->word_bytes);
}

const char *array_words(const struct filter *f, int array)
{
    const struct array *const a = &f->arrays[array];
    return f->guesses && *a->argument ? a->argument : a->name;
}

size_t array_end(const struct array_place *place)
{
    return place->offset + aligned(place->bytes);
}

int array_fields(const struct array *a)
{
    return MAX(a->record.count, 1);
}

size_t array_step(const struct array *a)
{
    return a->record.count ? (size_t)a->record.bytes : array_types[a->type].bytes;
}

void array_limit_word(const struct array_record *record, int *word)
{
    if (record->count && (!*word || record->alignment < *word)) *word = record->alignment;
}

bool array_has_reals(const struct array *a)
{
    bool has_any = false;
    for (int i = 0; i < array_fields(a); i++) has_any |= array_types[array_type_at(a, i)].is_real;
    return has_any;
}

enum array_type array_type_at(const struct array *a, long long index)
{
    return a->record.count ? a->record.fields[index % a->record.count].type : a->type;
}

long long array_record_index(const struct array_record *record, size_t offset)
{
    const size_t rest = offset % (size_t)record->bytes;
    int field = record->count - 1;
    while (field > 0 && (size_t)record->fields[field].offset > rest) field--;
    return (long long)(offset / (size_t)record->bytes) * record->count + field;
}

size_t array_offset(const struct array *a, const struct array_place *place, long long index)
{
    const struct planes *p = &place->picture;
    const size_t i = (size_t)index, fields = (size_t)array_fields(a);
    if (!p->width) return i / fields * array_step(a) + (size_t)a->record.fields[i % fields].offset;
    const size_t row = i / (size_t)p->width, height = (size_t)p->height;
    return row / height * p->plane_bytes + row % height * (size_t)p->pitch + i % (size_t)p->width;
}

struct planes arrays_picture(const struct filter *f, struct planes picture)
{
    return !f || filter_has_picture(f) ? picture : (struct planes){.pixels = NULL};
}

static void plan_words(struct array_place *place, size_t offset, long long count)
{
    *place = (struct array_place){.offset = offset,
                                  .bytes = 4 * (size_t)count,
                                  .is_shared = true,
                                  .count = count,
                                  .columns = (int)count,
                                  .rows = 1};
}

// Plans the shape of one array, and the elements that a launch needs.
static bool plan_one(struct array_place *place, long long *needed, const struct choice *c,
                     const struct array *a, struct planes picture, const double *scope,
                     struct error *err)
{
    const long long pixels = (long long)picture.width * picture.height * picture.count;
    switch (a->extent) {
    case ARRAY_EXPRESSED:
        return plan_shape(place, needed, a, scope, err);
    case ARRAY_PICTURE:
        *place = (struct array_place){.picture = planes_at(picture, NULL),
                                      .columns = picture.width,
                                      .rows = (long long)picture.height * picture.count,
                                      .count = pixels,
                                      .bytes = planes_bytes(picture)};
        *needed = pixels;
        break;
    case ARRAY_WORDS:  // behind the weights, which stay for variants without it
        plan_words(place, aligned(WEIGHTS_BYTES),
                   !c->variant || c->variant->pass_count > 1 ? pixels : 0);
        break;
    case ARRAY_WEIGHTS:
        plan_words(place, 0, c->filter->has_weights ? WEIGHTS_BYTES / 4 : 0);
        break;
    }
    return true;
}

enum { PAGES_BYTES = 16384, MOST_GAP_BYTES = 1 << 20 };  // whole pages

// The bytes in front of an array with which it ends where its gap begins.
static size_t before_gap(const struct filter *f, size_t bytes)
{
    return f->guesses ? -aligned(bytes) % PAGES_BYTES : 0;
}

bool arrays_plan(struct arrays_layout *layout, const struct choice *c, struct planes picture,
                 struct error *err)
{
    if (!c->filter) {
        g_autofree struct filter *alone = g_new0(struct filter, 1);  // more than half a megabyte
        arrays_add_pictures(alone);
        alone->array_count = ARRAYS_SCRATCH;
        return arrays_plan(layout, &(struct choice){.filter = alone}, picture, err);
    }
    const struct filter *f = c->filter;
    struct arrays_layout made = {.count = f->array_count};
    double scope[FILTER_WORDS + FILTER_MAX_PARAMS] = {0};
    size_t gap = 0;  // before the next array
    memcpy(scope + FILTER_WORDS, c->settings.params.v, sizeof c->settings.params.v);
    for (int i = 0; i < f->array_count; i++) {
        const struct array *a = &f->arrays[i];
        struct array_place *place = &made.places[i];
        long long needed = 0;
        if (!plan_one(place, &needed, c, a, picture, scope, err)) return false;
        if (a->from && made.places[a->from - 1].bytes != place->bytes)
            return error_set(err, "%s begins as %s, which has another size", a->name,
                             f->arrays[a->from - 1].name);
        const size_t own =
            CLAMP(aligned(place->bytes) + before_gap(f, place->bytes), PAGES_BYTES, MOST_GAP_BYTES);
        if (f->guesses && own > gap) made.bytes += own - gap;
        if (!place->is_shared) place->offset = made.bytes + before_gap(f, place->bytes);
        size_t *const bytes = place->is_shared ? &made.shared_bytes : &made.bytes;
        if (place->bytes) *bytes = MAX(*bytes, array_end(place));
        gap = f->guesses ? own : 0;
        made.bytes += gap;
        if (a->kind == ARRAY_IN && !place->is_shared) made.in_bytes += (double)place->bytes;
        if (a->kind == ARRAY_OUT) made.out_bytes += (double)place->bytes;
        const double bytes_needed = (double)needed * (double)array_step(a);
        if (a->kind != ARRAY_SCRATCH) made.least_bytes += bytes_needed;
        if (a->kind != ARRAY_SCRATCH && arrays_are_taken(f, c->variant, i))
            made.taken_bytes += bytes_needed;
    }
    if (filter_has_picture(f) && c->variant && *c->variant->prepare) {
        // A picture with another number of planes than prepare= wants is refused, so it needs
        // nothing.
        const int planes = f->untimed[filter_untimed(f, c->variant->prepare)].planes;
        if (!planes || planes == picture.count) made.own_bytes = 2 * planes_bytes(picture);
    }
    // A picture is copied in whole lines, which move fastest.
    enum { LINE_BYTES = 128 };
    const struct array_place *out = &made.places[ARRAYS_OUT];
    made.copy_bytes = MAX((size_t)(made.least_bytes / 2), 1);
    made.copy_offset = made.bytes;
    if (out->picture.width) {
        made.copy_offset = out->offset;
        made.copy_bytes = (made.copy_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    } else {
        made.bytes += aligned(made.copy_bytes) + before_gap(f, made.copy_bytes);
    }
    *layout = made;
    return true;
}

bool arrays_move_alike(const struct filter *f, const struct param_values *a,
                       const struct param_values *b)
{
    struct arrays_layout first, second;
    const struct planes none = {.pixels = NULL};
    return arrays_plan(&first, &(struct choice){.filter = f, .settings.params = *a}, none, NULL) &&
           arrays_plan(&second, &(struct choice){.filter = f, .settings.params = *b}, none, NULL) &&
           first.copy_bytes == second.copy_bytes;
}

// ---- what is shown ----

struct planes array_picture(const struct array *a, const struct array_place *place, int *columns,
                            int *step)
{
    *columns = place->columns;
    *step = 1;
    if (a->extent == ARRAY_PICTURE) return place->picture;
    if (a->dimensions == 1) {
        int side = 1;
        while (side < WRAP && (long long)side * side < place->count) side *= 2;
        side = MAX(side / array_fields(a), 1) * array_fields(a);  // whole records
        *columns = (int)MIN(place->count, side);
    } else if (place->rows > 4LL * place->columns) {
        // So many short rows, such as records, stand side by side that the picture is about square.
        const double beside = sqrt((double)place->rows / place->columns);
        *columns *= (int)CLAMP(WRAP / place->columns, 1, beside);
    }
    const long long down = (place->count - 1) / *columns + 1;
    *step = (int)((MAX(*columns, down) - 1) / MAX_SIDE) + 1;
    return planes_shape((*columns - 1) / *step + 1, (int)((down - 1) / *step) + 1, 1);
}

// ---- words and values ----

struct words array_write_shape(const struct array *a, const struct array_place *place)
{
    struct words w = {""};
    text_append(w.text, sizeof w.text, "%s ", array_type_name(a));
    if (a->dimensions == 1)
        text_append(w.text, sizeof w.text, "%lld", place->count / array_fields(a));
    else
        text_append(w.text, sizeof w.text, "%lld×%d", place->rows,
                    place->columns / array_fields(a));
    return w;
}

void array_write_element(const char *name, const struct array_record *record, long long row,
                         long long column, char *text, size_t size)
{
    const int fields = MAX(record->count, 1);
    text_copy(text, size, name);
    if (row >= 0) text_append(text, size, "[%lld]", row);
    text_append(text, size, "[%lld]", column / fields);
    if (record->count) text_append(text, size, ".%s", record->fields[column % fields].name);
}

const char *array_type_name(const struct array *a)
{
    return a->record.count ? a->record.name : array_types[a->type].name;
}

struct words array_npy(const struct array *a)
{
    struct words npy;
    g_strlcpy(npy.text, array_types[a->type].npy, sizeof npy.text);
    if (a->record.count) g_snprintf(npy.text, sizeof npy.text, "|V%d", a->record.bytes);
    return npy;
}

// Of IEEE's 16 bits: a sign, five of exponent, ten of mantissa.
static double half_value(guint16 bits)
{
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double magnitude = exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
                             : exponent     ? ldexp(mantissa + 1024, exponent - 25)
                                            : ldexp(mantissa, -24);
    return bits >> 15 ? -magnitude : magnitude;
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
    case ARRAY_CHAR:
        return ((const signed char *)elements)[index];
    case ARRAY_SHORT:
        return ((const gint16 *)elements)[index];
    case ARRAY_USHORT:
        return ((const guint16 *)elements)[index];
    case ARRAY_LONG:
        return (double)((const gint64 *)elements)[index];
    case ARRAY_ULONG:
        return (double)((const guint64 *)elements)[index];
    case ARRAY_HALF:
        return half_value(((const guint16 *)elements)[index]);
    case ARRAY_DOUBLE:
        return ((const double *)elements)[index];
    case ARRAY_BFLOAT: {
        const guint32 bits = (guint32)((const guint16 *)elements)[index] << 16;
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    case ARRAY_TYPES:
        break;
    }
    return 0;
}
