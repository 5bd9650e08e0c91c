// adopt_head.c -- reads what stands outside of kernels' bodies: their names and arguments, and the
// file's numbers.
#include <glib.h>
#include <limits.h>
#include <string.h>

#include "filter/adopt_notes.h"
#include "filter/directives.h"

// NULL: a note cannot have this type.
static const char *find_type(const struct adopt_kernel *k, const struct signature_argument *of)
{
    static const char wholes[] = "^(bool|size_t|u?int(32|64)_t|uint|unsigned|"
                                 "(unsigned )?(int|short|long|long int|long long))$";
    g_autofree char *pattern = g_strdup_printf("\\b(typename|class)\\s+%s\\b", of->type);
    const bool is_templates = g_regex_match_simple(pattern, k->signature.parameters, 0, 0);
    const int found = directives_find_type(is_templates                ? "float"
                                           : !strcmp(of->type, "bool") ? "unsigned char"
                                                                       : of->type);
    if (of->stars > 1) return NULL;
    if (of->is_pointer) return found < 0 ? NULL : array_type_name((enum array_type)found);
    if (is_templates || !strcmp(of->type, "float") || !strcmp(of->type, "double")) return "float";
    return g_regex_match_simple(wholes, of->type, 0, 0) ? "int" : NULL;
}

// The number of an argument, which is added if it is new; -1: it cannot be one.
static int take_argument(struct adopter *a, const struct adopt_kernel *k,
                         const struct signature_argument *of)
{
    static const char *const words[] = {"bw", "bh", "multiprocessors", NULL};
    struct adopt_argument new = {.type = find_type(k, of), .is_array = of->is_pointer};
    const char last = *of->type ? of->type[strlen(of->type) - 1] : '?';
    const char *const kernel = k->signature.name;
    int alike = 0, i = 0;
    new.most = strcmp(of->type, "bool") ? 255 : 1;
    new.lanes = new.is_array &&last >= '1' && last <= '4' ? last - '0' : 1;
    for (int n = 0; n < a->count; n++) alike += a->arguments[n].is_array == new.is_array;
    while (i < a->count && strcmp(a->arguments[i].name, of->name)) i++;
    if (!directives_is_identifier(of->name) || g_strv_contains(words, of->name))
        adopt_guess(a, "%s is left out: no note can name its argument '%s'", kernel, of->name);
    else if (!new.type)
        adopt_guess(a, "%s is left out: its argument '%s' is of type %s%.*s", kernel, of->name,
                    of->type, of->stars, "**");
    else if (i < a->count &&
             (a->arguments[i].type != new.type || a->arguments[i].lanes != new.lanes ||
              a->arguments[i].is_array != new.is_array))
        adopt_guess(a, "%s is left out: its argument '%s' is of another type elsewhere", kernel,
                    of->name);
    else if (i == a->count && alike == (new.is_array ? ARRAYS_MAX : FILTER_MAX_PARAMS))
        adopt_guess(a, "%s is left out: there would be more than %d %s", kernel, alike,
                    new.is_array ? "arrays" : "params");
    else {
        g_strlcpy(new.name, of->name, sizeof new.name);
        if (i == a->count) a->arguments[a->count++] = new;
        return i;
    }
    return -1;
}

static void name_variant(const struct adopter *a, struct adopt_kernel *k)
{
    g_autofree char *lower = g_ascii_strdown(k->signature.name, -1);
    bool is_free = true;
    g_snprintf(k->variant, sizeof k->variant, "%s%.27s", *lower == '_' ? "k" : "", lower);
    for (int i = 0; i < a->kernel_count; i++)
        is_free &= strcmp(a->kernels[i]->variant, k->variant) != 0;
    if (!is_free)
        g_snprintf(k->variant, sizeof k->variant, "k%d_%.26s", a->kernel_count + 1, lower);
}

bool adopt_read_head(struct adopter *a, struct adopt_kernel *k, const struct c_item *item)
{
    const struct signature *const s = &k->signature;
    bool has_array = false;
    if (!signature_read(&k->signature, item) || strpbrk(s->parameters, ".<"))
        return adopt_guess(a, "%.*s is left out: its head cannot be read", (int)item->name_length,
                           item->name);
    for (int i = 0; i < a->kernel_count; i++)
        if (!strcmp(a->kernels[i]->signature.name, s->name))
            return adopt_guess(a, "%s is left out where it stands again", s->name);
    for (int i = 0; i < s->argument_count; i++) {
        if ((k->numbers[i] = take_argument(a, k, &s->arguments[i])) < 0) return false;
        k->arguments |= 1u << k->numbers[i];
        has_array |= s->arguments[i].is_pointer && !s->arguments[i].is_const;
    }
    if (!has_array)
        return adopt_guess(a, "%s is left out: there is nothing that it may write", s->name);
    name_variant(a, k);
    return true;
}

GArray *adopt_find_constants(const char *source)
{
    static const char numbers[] =
        "(?|#[ \\t]*define[ \\t]+(\\w+)[ \\t]+|\\b(\\w+) *= *)\\(?([1-9]\\d{0,7})[uU]?"
        "(?: *(\\*|<<) *([1-9]\\d{0,5})[uU]?)?\\b";
    enum { MOST = 256 };
    GArray *const all = g_array_new(FALSE, FALSE, sizeof(struct adopt_constant));
    GMatchInfo *match;
    g_autoptr(GRegex) regex = g_regex_new(numbers, G_REGEX_RAW, 0, NULL);
    g_regex_match(regex, source, 0, &match);
    for (; all->len < MOST && g_match_info_matches(match); g_match_info_next(match, NULL)) {
        g_autofree char *name = g_match_info_fetch(match, 1), *text = g_match_info_fetch(match, 2);
        g_autofree char *sign = g_match_info_fetch(match, 3), *by = g_match_info_fetch(match, 4);
        const long long value = g_ascii_strtoll(text, NULL, 10);
        const long long other = by && *by ? g_ascii_strtoll(by, NULL, 10) : 1;
        const bool is_shift = sign && *sign == '<';
        const long long all_of_it = is_shift ? value << MIN(other, 30) : value * other;
        struct adopt_constant c = {.value = (int)MIN(all_of_it, INT_MAX)};
        if (g_strlcpy(c.name, name, sizeof c.name) < sizeof c.name) g_array_append_val(all, c);
    }
    g_match_info_free(match);
    return all;
}
