#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "device/backend.h"
#include "filter/directives_impl.h"

// ---- //! library name FUNCTION(ARGUMENT, ...) [tolerance=N] ----

static bool fail_unknown(struct reader *r, const char *name)
{
    GString *names = g_string_new(NULL);
    for (int i = 0; i < LIBRARY_COUNT; i++)
        g_string_append_printf(names, "%s%s", i ? ", " : "", library_of((enum library_id)i)->name);
    directives_fail(r, "no library function '%s'; known are %s", name, names->str);
    g_string_free(names, TRUE);
    return false;
}

static char letter_of(const struct array *a)
{
    static const char letters[] = {
        [ARRAY_BYTE] = 'b', [ARRAY_INT] = 'i', [ARRAY_UINT] = 'u', [ARRAY_FLOAT] = 'f'};
    const char letter = letters[a->type];
    return a->kind == ARRAY_IN ? letter : g_ascii_toupper(letter);
}

// A param that is a whole number, or an array of the type that the function takes.
static bool read_argument(struct reader *r, const struct library_function *f, int *place,
                          char letter, const char *name)
{
    const int param = filter_param(r->f, name), array = arrays_find(r->f, name);
    const bool is_number = letter == 'n';
    *place = is_number ? param : array;
    const bool fits = is_number ? param >= 0 && !r->f->params[param].is_float
                                : array >= 0 && letter_of(&r->f->arrays[array]) == letter;
    return fits || directives_fail(r, "'%s' does not suit %s(%s)", name, f->name, f->example);
}

static bool read_arguments(struct reader *r, struct variant *v, const char *text)
{
    const struct library_function *f = v->library.function;
    char **names = g_strsplit(text, ",", -1);
    bool is_good = g_strv_length(names) == strlen(f->arguments) ||
                   directives_fail(r, "expected: %s(%s)", f->name, f->example);
    for (int i = 0; is_good && names[i]; i++)
        is_good =
            read_argument(r, f, &v->library.arguments[i], f->arguments[i], g_strstrip(names[i]));
    g_strfreev(names);
    return is_good;
}

static bool read_tolerance(struct reader *r, struct variant *v, const char *text)
{
    int used = 0;
    if (!text[strspn(text, " \t")]) return true;
    if (sscanf(text, " tolerance=%d %n", &v->library.tolerance, &used) == 1 && used && !text[used])
        return (v->library.tolerance >= 1 && v->library.tolerance <= 255 && !r->f->is_lab) ||
               directives_fail(r, "tolerance= is for filters, from 1 to 255");
    return directives_fail(r, "'%s' is not understood in a library line",
                           text + strspn(text, " \t"));
}

static bool is_free(struct reader *r, const char *name)
{
    int count = 0;
    if (!directives_is_name(name))
        return directives_fail(r, "variant '%s' is not a lower-case name", name);
    if (filter_variant(r->f, name)) return directives_fail(r, "a second variant '%s'", name);
    for (int i = 0; i < r->f->variant_count; i++)
        count += r->f->variants[i].library.function != NULL;
    if (count == BACKEND_MAX_FUNCTIONS)
        return directives_fail(r, "more than %d libraries", BACKEND_MAX_FUNCTIONS);
    return r->f->variant_count < FILTER_MAX_VARIANTS ||
           directives_fail(r, "more than %d variants", FILTER_MAX_VARIANTS);
}

bool directives_read_library(struct reader *r, const char *text)
{
    struct variant v = {.pass_count = 0};
    char name[64], function[96], arguments[256];
    int used = 0;
    if (!directives_can_begin(r)) return false;
    if (sscanf(text, " %63s %95[A-Za-z0-9_:] ( %255[^)])%n", name, function, arguments, &used) !=
            3 ||
        !used)
        return directives_fail(r, "expected: //! library name FUNCTION(ARGUMENT, ...)");
    if (!is_free(r, name)) return false;
    v.library.function = library_find(function);
    v.library.line = r->line;
    if (!v.library.function) return fail_unknown(r, function);
    if (v.library.function->is_of_pictures == r->f->is_lab)
        return directives_fail(r, "%s is for %s", function, r->f->is_lab ? "filters" : "labs");
    g_strlcpy(v.name, name, sizeof v.name);
    text_copy(v.note, sizeof v.note, r->comment);
    if (!read_arguments(r, &v, arguments) || !read_tolerance(r, &v, text + used)) return false;
    r->f->variants[r->f->variant_count++] = v;
    return true;
}
