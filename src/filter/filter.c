#include "filter/filter.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "base/file.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "device/headers.h"
#include "filter/adopt.h"
#include "filter/directives.h"

// A filter is more than half a megabyte, most of which stays zero: to copy it takes longer than to
// read its file. zeroed is so again on failure.
// If the text has no headers, they are read.
static bool parse(struct filter *zeroed, struct directives_text text, struct error *err)
{
    g_autofree char *beside = text.beside ? NULL : headers_text_beside(text.path, text.source);
    if (beside) text.beside = beside;
    const bool is_good = directives_read(zeroed, &text, err);
    zeroed->path = g_strdup(text.path);
    zeroed->source = g_strdup(text.source);
    if (!is_good) filter_finish(zeroed);
    return is_good;
}

bool filter_parse(struct filter *f, const char *path, const char *source, const char *headers,
                  struct error *err)
{
    g_autofree struct filter *found = g_new0(struct filter, 1);
    if (!parse(found, (struct directives_text){path, source, headers, NULL}, err)) return false;
    *f = *found;
    return true;
}

static void free_texts(struct filter *f)
{
    g_free(f->path);
    g_free(f->source);
    g_free(f->calls);
    g_free(f->guesses);
}

void filter_finish(struct filter *f)
{
    free_texts(f);
    *f = (struct filter){0};
}

struct filter *filter_copy(const struct filter *f)
{
    struct filter *copy = g_memdup2(f, sizeof *f);
    copy->path = g_strdup(f->path);
    copy->source = g_strdup(f->source);
    copy->calls = g_strdup(f->calls);
    copy->guesses = g_strdup(f->guesses);
    return copy;
}

void filter_free(struct filter *copy)
{
    if (copy) free_texts(copy);
    g_free(copy);
}

bool filter_has_same_text(const struct filter *a, const struct filter *b)
{
    return !strcmp(a->path, b->path) && !strcmp(a->source, b->source);
}

// ---- the filters of a folder, and one of a file that lies anywhere ----

const char *const filter_folders[FILTER_FOLDERS] = {"filters", "labs"};

static int by_name(const void *a, const void *b)
{
    char *const *one = a, *const *other = b;
    return strcmp(strrchr(*one, '/') + 1, strrchr(*other, '/') + 1);
}

static bool add_files(GPtrArray *paths, const char *folder, struct error *err)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    if (!dir)
        return error_set(err, "cannot open the kernel folder '%s': %s", folder, g_strerror(errno));
    for (const char *name; (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, ".cu") && name[0] != '.')
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    return true;
}

bool filter_list_load(struct filter_list *list, const char *folder, const char *headers,
                      struct error *err)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    bool is_good = add_files(paths, folder, err);
    for (size_t i = 0; is_good && i < G_N_ELEMENTS(filter_folders); i++) {
        g_autofree char *inner = g_build_filename(folder, filter_folders[i], NULL);
        if (g_file_test(inner, G_FILE_TEST_IS_DIR)) is_good = add_files(paths, inner, err);
    }
    g_ptr_array_sort(paths, by_name);
    struct filter_list found = {.filters = g_new0(struct filter, paths->len)};
    GString *mistakes = g_string_new(NULL);
    if (is_good && !paths->len)
        is_good = error_set(err, "the kernel folder '%s' holds no .cu file", folder);
    if (is_good && paths->len > FILTER_MAX_FILES)
        is_good = error_set(err, "the kernel folder '%s' holds more than %d .cu files", folder,
                            FILTER_MAX_FILES);
    for (guint i = 0; is_good && i < paths->len; i++) {
        struct filter *f = &found.filters[found.count];
        const char *path = g_ptr_array_index(paths, i);
        struct error mistake = {""};
        g_autofree char *text = file_read_text(path, &mistake);
        if (text && parse(f, (struct directives_text){path, text, headers, NULL}, &mistake)) {
            for (const struct filter *other = found.filters; is_good && other < f; other++)
                if (!strcmp(f->name, other->name))
                    is_good = error_set(err, "'%s' and '%s' have one name", other->path, f->path);
            found.count++;
        } else {
            g_string_append_printf(mistakes, "%s%s", mistakes->len ? "\n" : "", mistake.text);
        }
    }
    if (is_good && !found.count)
        is_good = error_set(err, "%.*s", (int)strcspn(mistakes->str, "\n"), mistakes->str);
    found.mistakes = g_string_free(mistakes, mistakes->len == 0);
    if (is_good)
        *list = found;
    else
        filter_list_finish(&found);
    return is_good;
}

char *filter_name_of(const char *path)
{
    char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, ".cu")) name[strlen(name) - strlen(".cu")] = '\0';
    g_strcanon(name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-", '_');
    if (!*name || *name == '-') *name = '_';  // of ".cu", _cu
    if (strlen(name) >= FILTER_NAME) name[FILTER_NAME - 1] = '\0';
    return name;
}

bool filter_list_add(struct filter_list *list, const char *path, const char *headers,
                     struct error *err)
{
    g_autofree struct filter *f = g_new0(struct filter, 1);
    g_autofree char *text = file_read_text(path, err), *guesses = NULL,
                    *beside = text ? headers_text_beside(path, text) : NULL;
    bool is_good = text;
    if (is_good && !directives_are_in(text)) {
        g_autofree char *notes = adopt_propose(path, beside, text, &guesses, err);
        g_autofree char *bare = g_steal_pointer(&text);
        text = notes ? g_strconcat(bare, "\n", notes, NULL) : NULL;  // behind it: no line moves
        is_good = notes || error_prefix(err, "%s: ", path);
    }
    is_good = is_good && parse(f, (struct directives_text){path, text, headers, beside}, err);
    f->guesses = g_steal_pointer(&guesses);
    f->word_bytes = is_good && f->guesses && adopt_has_vectors(beside, text) ? 16 : 4;
    int at = 0;  // of an equal name
    while (is_good && at < list->count && strcmp(list->filters[at].name, f->name)) at++;
    if (is_good && at == FILTER_MAX_FILES)
        is_good = error_set(err, "'%s' is one more than %d files", path, FILTER_MAX_FILES);
    if (is_good && at == list->count)
        list->filters = g_renew(struct filter, list->filters, ++list->count);
    else if (is_good)
        filter_finish(&list->filters[at]);
    if (is_good) {
        memmove(list->filters + 1, list->filters, (size_t)at * sizeof *f);
        list->filters[0] = *f;
    } else {
        filter_finish(f);
    }
    return is_good;
}

void filter_list_finish(struct filter_list *list)
{
    for (int i = 0; i < list->count; i++) free_texts(&list->filters[i]);
    g_free(list->filters);
    g_free(list->mistakes);
    *list = (struct filter_list){0};
}

bool filter_is_left_out(const struct filter_list *list, const char *name, struct error *err)
{
    g_auto(GStrv) mistakes = g_strsplit(list->mistakes ? list->mistakes : "", "\n", -1);
    g_autofree char *parsed = g_strdup_printf("/%s.cu:", name),
                    *read = g_strdup_printf("/%s.cu'", name);
    char *found = NULL;
    for (int i = 0; mistakes[i] && !found; i++)
        if (strstr(mistakes[i], parsed) || strstr(mistakes[i], read))
            error_set(err, "%s", found = mistakes[i]);
    return found != NULL;
}

void filter_list_use_cpu(struct filter_list *list)
{
    for (int i = 0; i < list->count; i++)
        for (int k = 0; k < list->filters[i].param_count; k++)
            list->filters[i].params[k].value = list->filters[i].params[k].cpu_value;
}

// ---- look-ups ----

const struct filter *filter_find(const struct filter_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->filters[i].name, name)) return &list->filters[i];
    return NULL;
}

const struct variant *filter_variant(const struct filter *f, const char *name)
{
    for (int i = 0; i < f->variant_count; i++)
        if (!strcmp(f->variants[i].name, name)) return &f->variants[i];
    return NULL;
}

int filter_param(const struct filter *f, const char *name)
{
    for (int i = 0; i < f->param_count; i++)
        if (!strcmp(f->params[i].name, name)) return i;
    return -1;
}

const char *filter_kind(const struct filter *f)
{
    return filter_has_picture(f) ? "filter" : "lab";
}

bool filter_has_reference(const struct filter *f)
{
    bool has_any = false;
    for (int i = 0; i < f->array_count; i++) has_any |= f->arrays[i].has_reference;
    return has_any;
}

struct tolerance filter_tolerance(const struct filter *f, const struct variant *v,
                                  const struct array *a, long long index)
{
    const struct tolerance exact = {.unit = TOLERANCE_NONE};
    if (v && v->library.tolerance.unit) return v->library.tolerance;
    return a && !array_types[array_type_at(a, index)].is_real ? exact : f->tolerance;
}

bool filter_is_interleaved(const struct filter *f, const struct variant *v)
{
    const int index = *v->prepare ? filter_untimed(f, v->prepare) : -1;
    return index >= 0 && f->untimed[index].pitch.count > 0;
}

int filter_radius(const struct filter *f)
{
    const int radius = filter_param(f, "radius");
    return radius >= 0 && !f->params[radius].is_float ? radius : -1;
}

int filter_untimed(const struct filter *f, const char *entry)
{
    for (int i = 0; i < f->untimed_count; i++)
        if (!strcmp(f->untimed[i].entry, entry)) return i;
    return -1;
}

// ---- arithmetic ----

static const char *const words[FILTER_WORDS] = {
    [FILTER_BW] = "bw",
    [FILTER_BH] = "bh",
    [FILTER_WIDTH] = "width",
    [FILTER_HEIGHT] = "height",
    [FILTER_MULTIPROCESSORS] = "multiprocessors",
};

bool filter_is_word(const struct filter *f, const char *name)
{
    for (int i = 0; i < FILTER_WORDS; i++) {
        // A lab has no picture, so its params may have these names, too.
        const bool is_of_picture = i == FILTER_WIDTH || i == FILTER_HEIGHT;
        if ((!is_of_picture || filter_has_picture(f)) && !strcmp(words[i], name)) return true;
    }
    return false;
}

static bool compile(const struct filter *f, const char *const *names, struct expr *e,
                    const char *text, struct error *err)
{
    struct expr_scope scope = {
        .name_count = FILTER_WORDS, .lets = f->lets, .let_count = f->let_count};
    _Static_assert(FILTER_WORDS + FILTER_MAX_PARAMS <= EXPR_MAX_NAMES, "a name for each value");
    memcpy(scope.names, names, sizeof words);
    for (int i = 0; i < f->param_count; i++) scope.names[scope.name_count++] = f->params[i].name;
    return expr_compile(e, text, &scope, err);
}

bool filter_compile(const struct filter *f, struct expr *e, const char *text, struct error *err)
{
    const char *names[FILTER_WORDS];
    for (int i = 0; i < FILTER_WORDS; i++)
        names[i] = filter_param(f, words[i]) >= 0 ? "" : words[i];
    return compile(f, names, e, text, err);
}

bool filter_compile_shape(const struct filter *f, struct expr *e, const char *text,
                          struct error *err)
{
    static const char *const none[FILTER_WORDS] = {"", "", "", "", ""};
    if (!compile(f, none, e, text, err)) return false;
    for (int i = 0; i < FILTER_WORDS; i++)
        if (expr_uses(e, i))
            return error_set(err, "'%s' follows from %s, which is not known yet", text, words[i]);
    return true;
}

// ---- values ----

int filter_name_index(const struct param *p, const char *name)
{
    for (int i = 0; i < p->name_count; i++)
        if (!strcmp(p->names[i], name)) return i;
    return -1;
}

struct param_values filter_defaults(const struct filter *f)
{
    struct param_values values = {{0}};
    for (int i = 0; i < f->param_count; i++) values.v[i] = f->params[i].value;
    return values;
}

// The fewest digits that give the value, without an exponent if that fits.
static struct value_text write_number(const struct param *p, double value)
{
    struct value_text v;
    int digits = 0;
    double read;
    do {
        g_snprintf(v.text, sizeof v.text, "%.*g", ++digits, value);
        read = g_ascii_strtod(v.text, NULL);
    } while (digits < 17 && (p->is_float ? (float)read != (float)value : read != value));
    const char *exponent = strchr(v.text, 'e');
    if (!exponent || fabs(value) >= 1e15 || fabs(value) < 1e-10) return v;
    const int decimals = digits - 1 - (int)g_ascii_strtoll(exponent + 1, NULL, 10);
    g_snprintf(v.text, sizeof v.text, "%.*f", MAX(decimals, 0), value);
    return v;
}

double filter_snap(const struct param *p, double value)
{
    const double inside = CLAMP(value, p->min, p->max);
    return p->is_float ? inside : p->min + floor((inside - p->min) / p->step) * p->step;
}

bool filter_check(const struct filter *f, const struct param_values *values, struct error *err)
{
    for (int i = 0; i < f->param_count; i++) {
        const struct param *p = &f->params[i];
        const double v = values->v[i];
        if (!(v >= p->min && v <= p->max))
            return error_set(err, "%s %s is outside [%s, %s] of %s", p->name,
                             write_number(p, v).text, write_number(p, p->min).text,
                             write_number(p, p->max).text, f->name);
        if (!p->is_float && v != floor(v))
            return error_set(err, "%s %s of %s is not a whole number", p->name,
                             write_number(p, v).text, f->name);
        if (v != filter_snap(p, v))
            return error_set(err, "%s %s is none of %s, %s … %s of %s", p->name,
                             write_number(p, v).text, write_number(p, p->min).text,
                             write_number(p, p->min + p->step).text,
                             write_number(p, filter_snap(p, p->max)).text, f->name);
    }
    return true;
}

bool filter_read_value(const struct param *p, const char *text, double *value, struct error *err)
{
    if (p->name_count) {
        const int index = filter_name_index(p, text);
        if (index >= 0) *value = index;
        if (index >= 0) return true;
        char *known[FILTER_MAX_NAMES + 1] = {NULL};
        for (int i = 0; i < p->name_count; i++) known[i] = (char *)p->names[i];
        g_autofree char *names = g_strjoinv(", ", known);
        error_set(err, "%s '%s' is not one of %s", p->name, text, names);
        return false;
    }
    return number_read(text, value) || error_set(err, "%s '%s' is not a number", p->name, text);
}

struct value_text filter_write_value(const struct param *p, double value)
{
    struct value_text v;
    if (!(value >= 0 && value < p->name_count)) return write_number(p, value);
    g_strlcpy(v.text, p->names[(int)value], sizeof v.text);
    return v;
}

bool filter_refuse_param(const struct filter *f, const char *name, struct error *err)
{
    error_set(err, "%s has no param '%s'", f->name, name);
    return suggest_known(err, name, f->params, f->param_count, sizeof f->params[0]);
}

bool filter_set_param(const struct filter *f, struct param_values *values, const char *name,
                      const char *text, struct error *err)
{
    const int index = filter_param(f, name);
    if (index < 0) return filter_refuse_param(f, name, err);
    return filter_read_value(&f->params[index], text, &values->v[index], err);
}

struct params_text filter_write_params(const struct filter *f, const struct param_values *values)
{
    struct params_text all = {""};
    for (int i = 0; i < f->param_count; i++)
        text_append(all.text, sizeof all.text, "%s%s %s", i ? " · " : "", f->params[i].name,
                    filter_write_value(&f->params[i], values->v[i]).text);
    return all;
}

void filter_add_changed(char *text, size_t size, const struct filter *f,
                        const struct param_values *values, const struct param_values *than,
                        const char *first)
{
    for (int i = 0; i < f->param_count; i++) {
        if (values->v[i] == than->v[i]) continue;
        text_append(text, size, "%s%s %s", first, f->params[i].name,
                    filter_write_value(&f->params[i], values->v[i]).text);
        first = ", ";
    }
}

bool filter_can_unroll(const struct filter *f)
{
    for (int i = 0; i < f->param_count; i++)
        if (!f->params[i].is_float) return true;
    return false;
}

// ---- weights ----

// The sides are equal and the sum is even, so the centre must be even: it is rounded up, and the
// sides share the rest.
void filter_gaussian(int *weights, int radius, double sigma)
{
    if (sigma <= 0) sigma = 0.3 * (radius - 1) + 0.8;
    double exact[WEIGHTS_MAX_RADIUS + 1] = {1};
    int sides[WEIGHTS_MAX_RADIUS + 1] = {0};
    double side = 0;
    for (int i = 1; i <= radius; i++) {
        const double distance = i / sigma;
        side += exact[i] = exact_exp_minus(distance * distance / 2);
    }
    const int centre = 2 * (int)ceil(WEIGHTS_SUM / 2 / (1 + 2 * side));
    int rest = (WEIGHTS_SUM - centre) / 2;
    const double scale = rest > 0 ? rest / side : 0;
    for (int i = 1; i <= radius; i++) {
        exact[i] *= scale;
        sides[i] = (int)exact[i];
        rest -= sides[i];
    }
    // Rounding down has left a rest: the weights that lost most get 1 more. Of equal ones the
    // nearer to the centre comes first, so that weights still fall from the centre.
    while (rest-- > 0) {
        int most = 1;
        for (int i = 2; i <= radius; i++)
            if (exact[i] - sides[i] > exact[most] - sides[most]) most = i;
        sides[most]++;
    }

    weights[radius] = centre;
    for (int i = 1; i <= radius; i++) weights[radius - i] = weights[radius + i] = sides[i];
}

void filter_fill_weights(const struct filter *f, const struct param_values *values,
                         int weights[WEIGHTS_MAX])
{
    memset(weights, 0, WEIGHTS_MAX * sizeof *weights);
    if (!f->has_weights) return;
    filter_gaussian(weights, (int)values->v[filter_radius(f)], values->v[filter_param(f, "sigma")]);
}

size_t filter_pack(const struct filter *f, const struct param_values *values, void *bytes)
{
    unsigned char *at = bytes;
    for (int i = 0; i < f->param_count; i++, at += 4) {
        const bool is_float = f->params[i].is_float;
        const int whole = is_float ? 0 : (int)values->v[i];
        const float real = (float)values->v[i];
        memcpy(at, is_float ? (const void *)&real : (const void *)&whole, 4);
    }
    if (!f->param_count) memset(at, 0, 4);  // a struct has at least one member
    return f->param_count ? 4 * (size_t)f->param_count : 4;
}
