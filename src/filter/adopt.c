#include "filter/adopt.h"

#include <glib.h>
#include <string.h>

#include "filter/adopt_notes.h"
#include "filter/directives.h"

bool adopt_guess(struct adopter *a, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    g_string_append_vprintf(a->guesses, format, words);
    va_end(words);
    g_string_append_c(a->guesses, '\n');
    return false;
}

// ---- arguments ----

// NULL: a note cannot have this type.
static const char *find_type(const struct adopt_kernel *k, const struct signature_argument *of)
{
    static const char wholes[] = "^(bool|size_t|u?int(32|64)_t|uint|unsigned|"
                                 "(unsigned )?(int|short|long|long int|long long))$";
    char *pattern = g_strdup_printf("\\b(typename|class)\\s+%s\\b", of->type);
    const bool is_templates = g_regex_match_simple(pattern, k->signature.parameters, 0, 0);
    g_free(pattern);
    const int found = directives_find_type(is_templates ? "float" : of->type);
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

static bool is_of_blocks(const char *name)
{
    return g_regex_match_simple("block|tile|thread", name, G_REGEX_CASELESS, 0);
}

// What a template is given, up to its first default: float, true, or the side of a block.
static void give(struct adopt_kernel *k)
{
    const bool is_flat = !(k->body.axes & ADOPT_THREAD_Y), has_rows = k->body.axes & ADOPT_BLOCK_Y;
    GString *given = g_string_new(NULL);
    char **parts = g_strsplit(k->signature.parameters, ",", -1);
    for (char **part = parts; *part && !strchr(*part, '='); part++) {
        const bool is_block = is_of_blocks(*part), is_tile = is_block && is_flat && has_rows;
        const int number = !is_flat ? 16 : is_block && !is_tile ? 256 : 32;
        g_string_append(given, part == parts ? "" : ", ");
        g_strchug(*part);
        if (g_str_has_prefix(*part, "typename") || g_str_has_prefix(*part, "class"))
            g_string_append(given, "float");
        else if (g_str_has_prefix(*part, "bool"))
            g_string_append(given, "true");
        else
            g_string_append_printf(given, "%d", number);
        k->is_tiled |= is_tile;
        k->is_fixed |= is_block;
    }
    if (*parts) g_snprintf(k->given, sizeof k->given, "<%s>", given->str);
    g_strfreev(parts);
    g_string_free(given, TRUE);
}

// What the kernel does with its arguments. If it seems to write nothing, it writes where it may.
static void look_at(struct adopter *a, struct adopt_kernel *k)
{
    unsigned int guarded = 0;
    int last = k->out = -1;
    for (int i = 0; i < k->body.bound_count; i++) {
        const struct adopt_bound *const bound = &k->body.bounds[i];
        if (bound->axes) a->arguments[bound->argument].is_size = true;
        if (!bound->is_quotient) guarded |= 1u << bound->argument;
    }
    for (int i = 0; i < k->signature.argument_count; i++) {
        struct adopt_argument *const to = &a->arguments[k->numbers[i]];
        const bool may_be_out = to->is_array && !k->signature.arguments[i].is_const;
        to->is_size |= !(k->body.used >> k->numbers[i] & 1);  // a host knows what for
        to->is_unguarded |= !to->is_array && !(guarded >> k->numbers[i] & 1);
        if (may_be_out) last = k->numbers[i];
        if (!to->is_array) continue;
        const struct adopt_use use = adopt_body_find_use(&k->body, to->name);
        to->use.factors |= use.factors;
        to->use.bounds |= use.bounds;
        to->use.is_read |= use.is_read;
        to->is_out |= may_be_out && use.is_written;
        if (may_be_out && use.is_written && k->out < 0) k->out = last;
    }
    if (k->out < 0) k->out = last;
    if (last >= 0) a->arguments[k->out].is_out = true;
}

// ---- kernels ----

static void name_variant(const struct adopter *a, struct adopt_kernel *k)
{
    char *lower = g_ascii_strdown(k->signature.name, -1);
    bool is_free = true;
    g_snprintf(k->variant, sizeof k->variant, "%s%.27s", *lower == '_' ? "k" : "", lower);
    for (int i = 0; i < a->kernel_count; i++)
        is_free &= strcmp(a->kernels[i]->variant, k->variant) != 0;
    if (!is_free)
        g_snprintf(k->variant, sizeof k->variant, "k%d_%.26s", a->kernel_count + 1, lower);
    g_free(lower);
}

// False: it says why the kernel is left out.
static bool read_kernel(struct adopter *a, struct adopt_kernel *k, const struct c_item *item)
{
    const struct signature *const s = &k->signature;
    bool has_array = false;
    if (!signature_read(&k->signature, item) || strpbrk(s->parameters, ".<"))
        return adopt_guess(a, "%.*s is left out: its head cannot be read", (int)item->name_length,
                           item->name);
    for (int i = 0; i < a->kernel_count; i++)
        if (!strcmp(a->kernels[i]->signature.name, s->name))
            return adopt_guess(a, "%s is left out where it stands again", s->name);
    if (a->kernel_count == FILTER_MAX_VARIANTS)
        return adopt_guess(a, "%s is left out: there are %d before it", s->name,
                           FILTER_MAX_VARIANTS);
    for (int i = 0; i < s->argument_count; i++) {
        if ((k->numbers[i] = take_argument(a, k, &s->arguments[i])) < 0) return false;
        k->arguments |= 1u << k->numbers[i];
        has_array |= s->arguments[i].is_pointer && !s->arguments[i].is_const;
    }
    if (!has_array)
        return adopt_guess(a, "%s is left out: there is nothing that it may write", s->name);
    adopt_body_read(&k->body, s, k->numbers, item);
    return !(k->body.axes & ADOPT_Z) || adopt_guess(a, "%s is left out: its grid has a z", s->name);
}

static void take_kernel(struct adopter *a, const struct c_item *item)
{
    struct adopt_kernel *k = g_new0(struct adopt_kernel, 1);
    const int count = a->count;
    if (read_kernel(a, k, item)) {
        give(k);
        look_at(a, k);
        name_variant(a, k);
        adopt_choose_block(a, k);
        a->kernels[a->kernel_count++] = k;
        return;
    }
    a->count = count;
    adopt_body_finish(&k->body);
    g_free(k);
}

bool adopt_propose(struct adopt *to, const char *name, const char *source, struct error *err)
{
    struct adopter *a = g_new0(struct adopter, 1);
    struct c_items items;
    a->notes = g_string_new(NULL);
    a->guesses = g_string_new(NULL);
    adopt_constants_find(&a->constants, source);
    c_items_find(&items, source);
    for (int i = 0; i < items.count; i++)
        if (items.list[i].kind == C_ITEM_KERNEL) take_kernel(a, &items.list[i]);
    const bool is_good = a->kernel_count > 0;
    if (is_good)
        adopt_write_notes(a, name);
    else
        error_set(err, "it has no notes, and no kernel that runs without%s%.*s",
                  a->guesses->len ? ": " : "", (int)strcspn(a->guesses->str, "\n"),
                  a->guesses->str);
    for (int i = 0; i < a->kernel_count; i++) {
        adopt_body_finish(&a->kernels[i]->body);
        g_free(a->kernels[i]);
    }
    c_items_finish(&items);
    to->notes = g_string_free(a->notes, !is_good);
    to->guesses = g_string_free(a->guesses, !is_good);
    g_free(a);
    return is_good;
}

void adopt_finish(struct adopt *a)
{
    g_free(a->notes);
    g_free(a->guesses);
    *a = (struct adopt){NULL, NULL};
}
