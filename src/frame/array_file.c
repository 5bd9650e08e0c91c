#include "frame/array_file.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/signals.h"

_Static_assert(G_BYTE_ORDER == G_LITTLE_ENDIAN, "elements go into files as they lie in memory");
enum { PIECE_BYTES = 16 << 20 };

// ---- forms ----

static const struct file_form *bin_form(const struct filter *lab, int array)
{
    return lab->arrays[array].kind == ARRAY_IN ? &lab->file_in : &lab->file_out;
}

bool array_file_form(enum array_form *form, const struct filter *lab, int array, const char *path,
                     struct error *err)
{
    const char *const name = lab->arrays[array].name;
    *form = g_str_has_suffix(path, ".bin") ? ARRAY_FILE_BIN : ARRAY_FILE_NPY;
    if (*form == ARRAY_FILE_NPY)
        return g_str_has_suffix(path, ".npy") ||
               error_set(err, "'%s' ends neither in .npy nor in .bin", path);
    if (!lab->has_file)
        return error_set(err, "'%s': %s has no .bin files; use .npy", path, lab->name);
    return bin_form(lab, array)->array == array ||
           error_set(err, "'%s': a .bin of %s holds %s or %s, not %s", path, lab->name,
                     lab->arrays[lab->file_in.array].name, lab->arrays[lab->file_out.array].name,
                     name);
}

// ---- heads of inputs ----

static void fix(struct array_input *in, int param, double value)
{
    in->fixed[in->fixed_count].param = param;
    in->fixed[in->fixed_count++].value = value;
}

static bool read_params(struct array_input *in, struct error *err)
{
    const struct file_form *form = bin_form(in->lab, in->array);
    for (int i = 0; i < form->param_count; i++) {
        gint32 value;
        if (fread(&value, sizeof value, 1, in->stream) != 1)
            return error_set(err, "it ends before %s", in->lab->params[form->params[i]].name);
        fix(in, form->params[i], value);
    }
    return true;
}

static bool refuse_shape(const struct array_input *in, const char *wanted, struct error *err)
{
    char shape[NPY_SHAPE];
    npy_write_shape(&in->head, shape);
    return error_set(err, "its shape is %s, and that of %s is %s", shape,
                     in->lab->arrays[in->array].name, wanted);
}

static bool read_npy(struct array_input *in, struct error *err)
{
    const struct array *a = &in->lab->arrays[in->array];
    const struct words npy = array_npy(a);
    const char *const wanted = npy.text;
    if (!npy_read(&in->head, in->stream, err)) return false;
    if (strcmp(in->head.type, wanted) != 0)
        return error_set(err, "its elements are '%s', and those of %s are '%s' (%s)", in->head.type,
                         a->name, wanted, array_type_name(a));
    if (in->head.dimensions != a->dimensions) {
        g_autoptr(GString) declared = g_string_new(NULL);  // "[rows][columns]"
        for (int i = 0; i < a->dimensions; i++) {
            g_autofree char *side = g_strstrip(g_strdup(a->shape[i].text));
            g_string_append_printf(declared, "[%s]", side);
        }
        return refuse_shape(in, declared->str, err);
    }
    // A param that alone is a side is fixed. A side that fixes it again is left to
    // array_input_check.
    for (int i = 0; i < a->dimensions; i++) {
        g_autofree char *name = g_strstrip(g_strdup(a->shape[i].text));
        const int param = filter_param(in->lab, name);
        bool is_fixed = param < 0 || in->lab->params[param].is_float;
        for (int k = 0; k < in->fixed_count; k++) is_fixed |= in->fixed[k].param == param;
        if (!is_fixed) fix(in, param, (double)in->head.shape[i]);
    }
    return true;
}

bool array_input_open(struct array_input *in, const struct filter *lab, int array, const char *path,
                      struct error *err)
{
    struct array_input made = {.lab = lab, .array = array};
    if (!array_file_form(&made.form, lab, array, path, err)) return false;
    if (!(made.stream = file_open(path, &made.bytes, err))) return false;
    made.path = g_strdup(path);
    if (!(made.form == ARRAY_FILE_NPY ? read_npy : read_params)(&made, err)) {
        error_prefix(err, "cannot read '%s': ", path);
        array_input_finish(&made);
        return false;
    }
    made.bytes -= ftello(made.stream);
    *in = made;
    return true;
}

bool array_input_check(const struct array_input *in, const struct array_place *place,
                       struct error *err)
{
    const long long wanted = (long long)place->bytes;
    struct npy head = {.dimensions = in->head.dimensions};
    char shape[NPY_SHAPE];
    bool is_good = true;
    memcpy(head.shape, place->sides, sizeof place->sides);
    npy_write_shape(&head, shape);
    if (in->form == ARRAY_FILE_NPY && memcmp(head.shape, in->head.shape, sizeof head.shape) != 0)
        is_good = refuse_shape(in, shape, err);
    if (is_good && in->bytes < wanted)
        is_good = error_set(err, "it ends after %lld of the %lld bytes of %s", in->bytes, wanted,
                            in->lab->arrays[in->array].name);
    if (is_good && in->bytes > wanted)
        is_good = error_set(err, "it goes on for %lld bytes after the last element of %s",
                            in->bytes - wanted, in->lab->arrays[in->array].name);
    return is_good || error_prefix(err, "cannot read '%s': ", in->path);
}

void array_input_finish(struct array_input *in)
{
    if (in->stream) fclose(in->stream);
    g_free(in->path);
    *in = (struct array_input){0};
}

// ---- elements ----

static bool may_go_on(struct error *err)
{
    return !signals_came() || error_set(err, "the program is ending");
}

bool array_input_read(struct array_input *in, const struct frame *frame,
                      const struct frame_memory *memory, struct error *err)
{
    const struct array *a = &in->lab->arrays[in->array];
    const struct array_place *place = &frame->arrays.places[in->array];
    unsigned char *const array = (unsigned char *)memory->arrays + place->offset;
    const size_t step = array_step(a), piece = PIECE_BYTES / step * step;
    const bool is_noise = array_is_noise(a) && array_has_reals(a);
    const bool is_permutation = a->fill == ARRAY_PERMUTATION;
    long long first = 0;  // element of the piece
    g_autofree unsigned char *elements = g_malloc(MIN(piece, place->bytes));
    for (size_t done = 0, bytes; done < place->bytes; done += bytes) {
        bytes = MIN(piece, place->bytes - done);
        bool is_good = may_go_on(err);
        if (is_good && fread(elements, 1, bytes, in->stream) != bytes)
            is_good = error_set(err, "%s",
                                ferror(in->stream) ? g_strerror(errno) : "it has become shorter");
        const bool is_looked_at = (is_noise && !in->has_unusual) || is_permutation;
        const long long end = first + (long long)(bytes / step) * array_fields(a);
        for (long long i = first; is_good && is_looked_at && i < end; i++) {
            const enum array_type type = array_type_at(a, i);
            const double value =
                array_value(type, elements + (array_offset(a, place, i) - done), 0);
            in->has_unusual |= is_noise && array_types[type].is_real &&
                               !(value >= (double)place->low && value <= (double)place->high &&
                                 value == rint(value));
            if (is_permutation &&
                !(value >= 0 && value < (double)place->count && value == floor(value)))
                is_good = error_set(err, "element %lld of %s is %.9g, not one of 0 to %lld", i,
                                    a->name, value, place->count - 1);
        }
        first = end;
        if (!is_good) return error_prefix(err, "cannot read '%s': ", in->path);
        if (!backend_write(frame->backend, array + done, elements, bytes, err)) return false;
    }
    return true;
}

// ---- writing ----

static bool write_bytes(const void *bytes, size_t size, FILE *stream, struct error *err)
{
    return fwrite(bytes, 1, size, stream) == size || error_set(err, "%s", g_strerror(errno));
}

bool array_output_write(const struct frame *frame, const struct frame_memory *memory, int array,
                        enum array_form form, FILE *stream, struct error *err)
{
    const struct choice *c = &frame->choice;
    const struct array *a = &c->filter->arrays[array];
    const struct array_place *place = &frame->arrays.places[array];
    const unsigned char *const from = (const unsigned char *)memory->arrays + place->offset;
    const struct file_form *bin = bin_form(c->filter, array);
    struct npy head = {.dimensions = a->dimensions};
    bool is_good = true;
    for (int i = 0; is_good && form == ARRAY_FILE_BIN && i < bin->param_count; i++) {
        const gint32 value = (gint32)c->settings.params.v[bin->params[i]];
        is_good = write_bytes(&value, sizeof value, stream, err);
    }
    g_strlcpy(head.type, array_npy(a).text, sizeof head.type);
    memcpy(head.shape, place->sides, sizeof place->sides);
    if (form == ARRAY_FILE_NPY) is_good = npy_write(&head, stream, err);
    g_autofree void *elements = g_malloc(MIN(PIECE_BYTES, place->bytes));
    for (size_t done = 0, bytes; is_good && done < place->bytes; done += bytes) {
        bytes = MIN(PIECE_BYTES, place->bytes - done);
        is_good = may_go_on(err) &&
                  backend_read(frame->backend, elements, from + done, bytes, err) &&
                  write_bytes(elements, bytes, stream, err);
    }
    return is_good;
}
