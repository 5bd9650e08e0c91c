#include "filter/adopt.h"

#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "filter/adopt_notes.h"
#include "filter/directives.h"

enum { MAX_TOKENS = 8192, MAX_STEPS = 2 };
enum axes { THREAD_X = 1, BLOCK_X = 2, THREAD_Y = 4, BLOCK_Y = 8, AXIS_Z = 16 };

// A comparison of the tokens up to `to` with an argument, such as `i < n`.
struct bound {
    int argument, from, to;
};

// A kernel's body: its tokens without comments and lines with #.
struct body {
    const struct adopt_kernel *kernel;
    struct c_token *tokens;
    int count;
    struct bound bounds[32];
    int bound_count;
    unsigned int guarded;  // params that a bound is all of
    unsigned int negated;  // that stand as -n, as a radius does
    unsigned int used;     // that stand in it at all
};

// ---- tokens ----

static bool is(const struct body *b, int i, const char *text)
{
    return i >= 0 && i < b->count && c_token_is(b->tokens[i], text);
}

static bool is_mark(const struct body *b, int i, const char *marks)
{
    return i >= 0 && i < b->count && b->tokens[i].kind == C_TOKEN_MARK &&
           strchr(marks, *b->tokens[i].start);
}

static bool is_word(const struct body *b, int i)
{
    return i >= 0 && i < b->count && b->tokens[i].kind == C_TOKEN_WORD;
}

// True if both are one sign, such as ++.
static bool is_double(const struct body *b, int i, const char *marks)
{
    return is_mark(b, i, marks) && is_mark(b, i + 1, marks) &&
           *b->tokens[i].start == *b->tokens[i + 1].start &&
           b->tokens[i].start + 1 == b->tokens[i + 1].start;
}

// The mark that closes the one at i.
static int closing(const struct body *b, int i)
{
    for (int depth = 0; i < b->count; i++) {
        depth += is_mark(b, i, "([{") - is_mark(b, i, ")]}");
        if (depth <= 0) break;
    }
    return i;
}

// The end of an expression from i on: a mark that closes more than it opens, or ends it.
static int expression_end(const struct body *b, int i, const char *ends)
{
    for (; i < b->count && !is_mark(b, i, ends) && !is_mark(b, i, ")]}"); i++)
        if (is_mark(b, i, "([{")) i = closing(b, i);
    return MIN(i, b->count);
}

// The number of the param that the token names; -1: it names none.
static int find_param(const struct body *b, int i)
{
    const struct signature *const s = &b->kernel->signature;
    for (int k = 0; is_word(b, i) && !is(b, i - 1, ".") && k < s->argument_count; k++)
        if (!s->arguments[k].is_pointer && is(b, i, s->arguments[k].name))
            return b->kernel->numbers[k];
    return -1;
}

// The value that the variable at `word` is set to first, unless that holds the word itself.
static bool find_definition(const struct body *b, int word, int *from, int *to)
{
    char name[SIGNATURE_NAME];
    if (!is_word(b, word) || is(b, word - 1, ".") || b->tokens[word].length >= sizeof name)
        return false;
    g_snprintf(name, sizeof name, "%.*s", (int)b->tokens[word].length, b->tokens[word].start);
    for (int i = 0; i < b->count; i++) {
        if (!is(b, i, name) || is(b, i - 1, ".") || !is(b, i + 1, "=") || is(b, i + 2, "="))
            continue;
        *from = i + 2;
        *to = expression_end(b, i + 2, ";,");
        return *from > word || *to <= word;
    }
    return false;
}

static unsigned int find_axes(const struct body *b, int from, int to, int steps)
{
    static const struct {
        const char *word, *member;
        unsigned int axis;
    } known[] = {{"threadIdx", "x", THREAD_X}, {"blockIdx", "x", BLOCK_X},
                 {"threadIdx", "y", THREAD_Y}, {"blockIdx", "y", BLOCK_Y},
                 {"threadIdx", "z", AXIS_Z},   {"blockIdx", "z", AXIS_Z}};
    unsigned int axes = 0;
    for (int i = from; i < to; i++) {
        int first, last;
        for (size_t k = 0; k < G_N_ELEMENTS(known); k++)
            if (is(b, i, known[k].word) && is(b, i + 2, known[k].member)) axes |= known[k].axis;
        if (steps && find_definition(b, i, &first, &last))
            axes |= find_axes(b, first, last, steps - 1);
    }
    return axes;
}

// ---- what a body does ----

// Params among the tokens from `first` on bound what stands from `from` on: `i < n`, or `n > i`.
static void add_bounds(struct adopter *a, struct adopt_kernel *k, struct body *b, int first,
                       int last, int from, int to)
{
    const unsigned int axes = find_axes(b, from, to, MAX_STEPS);
    const bool in_x = axes & BLOCK_X, in_y = axes & BLOCK_Y;
    bool is_whole = true;  // else i < n / 16, or i < width * height
    for (int i = first; i < last; i++) is_whole &= !is_mark(b, i, "*/%");
    for (int i = first; i < last; i++) {
        const int param = find_param(b, i);
        if (param < 0 || b->bound_count == G_N_ELEMENTS(b->bounds)) continue;
        b->bounds[b->bound_count++] = (struct bound){param, from, to};
        a->arguments[param].is_size |= axes != 0;
        if (!is_whole) continue;
        b->guarded |= 1u << param;
        if (in_x && !in_y && k->across < 0) {
            k->across = param;
            k->is_row_a_block = !(axes & THREAD_X);
        }
        if (in_y && !in_x && k->down < 0) k->down = param;
    }
}

static void read_comparison(struct adopter *a, struct adopt_kernel *k, struct body *b, int sign)
{
    const int right = is(b, sign + 1, "=") ? sign + 2 : sign + 1;
    const int end = expression_end(b, right, "&|;,?");
    int left = sign;
    while (left > 0 && !is_mark(b, left - 1, "(&|;,{}?=")) left--;
    if (is_double(b, sign, "<>") || is_mark(b, sign - 1, "<>-") || left == sign) return;
    add_bounds(a, k, b, right, end, left, sign);
    if (sign - left == 1) add_bounds(a, k, b, left, sign, right, end);
}

static void read_body(struct adopter *a, struct adopt_kernel *k, struct body *b,
                      const struct c_item *item)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct c_token));
    struct c_tokens tokens = c_tokens_of(item->head);
    for (struct c_token token;
         (token = c_tokens_next_code(&tokens)).kind && all->len < MAX_TOKENS;) {
        if (token.start >= item->start + item->length) break;
        if (!token.is_directive && (all->len || c_token_is(token, "{")))
            g_array_append_val(all, token);
    }
    *b = (struct body){.kernel = k, .count = (int)all->len};
    b->tokens = (struct c_token *)(void *)g_array_free(all, FALSE);
    for (int i = 0; i < b->count; i++) {
        const int param = find_param(b, i);
        if (is_mark(b, i, "<>")) read_comparison(a, k, b, i);
        if (is(b, i, "blockIdx") && is(b, i + 2, "x"))
            k->has_wide_blocks |= (is(b, i - 1, "*") && find_param(b, i - 2) < 0) ||
                                  (is(b, i + 3, "*") && find_param(b, i + 4) < 0);
        k->has_shared |= is(b, i, "extern");
        if (param < 0) continue;
        b->used |= 1u << param;
        if (is(b, i - 1, "-") && is_mark(b, i - 2, "=(,")) b->negated |= 1u << param;
    }
}

// Params that multiply or divide in an index are factors; others bound its variables.
static void read_index(const struct body *b, int from, int to, int steps,
                       struct adopt_argument *array)
{
    for (int i = from; i < to; i++) {
        const int param = find_param(b, i);
        int first, last;
        if (param >= 0 && (is_mark(b, i - 1, "*/%") || is(b, i + 1, "*")))
            array->factors |= 1u << param;
        if (param >= 0 || !find_definition(b, i, &first, &last)) continue;
        for (const struct bound *k = b->bounds; k < b->bounds + b->bound_count; k++)
            for (int at = k->from; at < k->to && !(b->negated >> k->argument & 1); at++)
                if (is_word(b, at) && b->tokens[at].length == b->tokens[i].length &&
                    !strncmp(b->tokens[at].start, b->tokens[i].start, b->tokens[i].length))
                    array->bounds |= 1u << k->argument;
        if (steps) read_index(b, first, last, steps - 1, array);
    }
}

// True if what stands from i on, behind a name, is an index, and then =, ++, or the like.
static bool is_assigned(const struct body *b, int i)
{
    for (;; i++)
        if (is(b, i, "["))
            i = closing(b, i);
        else if (is(b, i, "."))
            i++;
        else
            break;
    if (is_double(b, i, "+-")) return true;
    if (is(b, i, "=")) return !is(b, i + 1, "=");
    return is_mark(b, i, "+-*/%&|^") ? is(b, i + 1, "=")
                                     : is_double(b, i, "<>") && is(b, i + 2, "=");
}

// The pointer that is set to the one at i: the name in `float *p = &a[8]`, or "".
static void find_alias(const struct body *b, int i, char name[SIGNATURE_NAME])
{
    while (is_mark(b, i - 1, "&(")) i--;
    const bool is_set = is(b, i - 1, "=") && is_word(b, i - 2) &&
                        (is(b, i - 3, "*") || is(b, i - 3, "auto") || is(b, i - 3, "__restrict__"));
    g_snprintf(name, SIGNATURE_NAME, "%.*s", is_set ? (int)b->tokens[i - 2].length : 0,
               is_set ? b->tokens[i - 2].start : "");
}

// What is done with the elements behind a pointer. One that goes elsewhere, as into a call or a
// cast, may be read and written there. True: some are written.
static bool read_use(const struct body *b, const char *pointer, int steps,
                     struct adopt_argument *array)
{
    bool is_written = false;
    for (int i = 0; i < b->count; i++) {
        char alias[SIGNATURE_NAME];
        if (!is(b, i, pointer) || is(b, i - 1, ".")) continue;
        const bool has_index = is(b, i + 1, "[");
        if (is(b, i + 1, "=") && (is_word(b, i - 1) || is_word(b, i - 2))) continue;  // declared
        const bool is_address = is(b, i - 1, "&") && !is(b, i - 2, "&") && !is_word(b, i - 2) &&
                                !is_mark(b, i - 2, ")]");
        const int end = has_index ? closing(b, i + 1) : i;
        if (has_index)
            read_index(b, i + 2, end, MAX_STEPS, array);
        else if (is(b, i + 1, "+"))
            read_index(b, i + 2, expression_end(b, i + 2, ";,"), MAX_STEPS, array);
        find_alias(b, i, alias);
        if ((!has_index || is_address) && *alias) {
            if (steps && strcmp(alias, pointer) != 0)
                is_written |= read_use(b, alias, steps - 1, array);
            continue;
        }
        const bool is_elsewhere = !has_index || is_address;
        const bool is_set = is_assigned(b, i + 1) || is_double(b, i - 2, "+-");
        is_written |= is_elsewhere || is_set;
        array->is_read |= is_elsewhere || !is_set || !is(b, end + 1, "=");
    }
    return is_written;
}

// What the kernel does with its arguments. If it seems to write nothing, it writes where it may.
static void look_at(struct adopter *a, struct adopt_kernel *k, const struct body *b)
{
    int last = k->out = -1;
    for (int i = 0; i < k->signature.argument_count; i++) {
        const int number = k->numbers[i];
        struct adopt_argument *const to = &a->arguments[number];
        if (!to->is_array) {
            to->is_size |= !(b->used >> number & 1);  // a host knows what for
            to->is_unguarded |= !(b->guarded >> number & 1);
            continue;
        }
        const bool is_written = read_use(b, to->name, MAX_STEPS, to);
        if (k->signature.arguments[i].is_const) continue;
        last = number;
        to->is_out |= is_written;
        if (is_written && k->out < 0) k->out = number;
    }
    if (k->out < 0) k->out = last;
    a->arguments[k->out].is_out = true;
}

// ---- a kernel's block ----

// The number that the file gives to a name of that pattern, as in #define TILE 16 or TILE = 16, at
// most so large; 0: none. With a kernel's body, only to a name that stands in it.
static int find_number(const struct adopter *a, const struct body *used_by, const char *pattern,
                       int most)
{
    static const char numbers[] =
        "(?|#[ \\t]*define[ \\t]+(\\w+)[ \\t]+|\\b(\\w+) *= *)([1-9]\\d{0,5})[uU]?\\b";
    GMatchInfo *match;
    g_autoptr(GRegex) regex = g_regex_new(numbers, G_REGEX_RAW, 0, NULL);
    int found = 0;
    g_regex_match(regex, a->source, 0, &match);
    for (; !found && g_match_info_matches(match); g_match_info_next(match, NULL)) {
        g_autofree char *name = g_match_info_fetch(match, 1), *text = g_match_info_fetch(match, 2);
        const int value = (int)g_ascii_strtoll(text, NULL, 10);
        bool is_used = !used_by;
        for (int i = 0; used_by && i < used_by->count; i++) is_used |= is(used_by, i, name);
        if (is_used && value <= most && g_regex_match_simple(pattern, name, G_REGEX_CASELESS, 0))
            found = value;
    }
    g_match_info_free(match);
    return found;
}

// Of __launch_bounds__(128), or a number such as TILE_DIM, with BLOCK_ROWS beside it.
static void choose_block(const struct adopter *a, struct adopt_kernel *k, const struct body *b)
{
    static const char sides[] = "^(?!.*rows).*(block|tile|thread)";
    const bool is_flat = !(find_axes(b, 0, b->count, 0) & THREAD_Y);
    const int most = is_flat ? 1024 : 32;
    const int bounds = (int)g_ascii_strtoll(k->signature.bounds, NULL, 10);
    int side = find_number(a, b, sides, most);
    k->is_fixed |= side || bounds;
    if (!side && !*k->given) side = find_number(a, NULL, sides, most);
    const int rows = !is_flat && side ? find_number(a, b, "rows", side) : 0;
    k->width = side ? side : is_flat ? 256 : 16;
    k->height = is_flat ? 1 : rows ? rows : k->width;
    k->each = rows ? k->width / rows : 1;
    if (bounds < 1 || bounds > 1024) return;
    k->width = is_flat ? bounds : MIN(bounds, k->width);
    k->height = bounds / k->width;
}

// What a template is given, up to its first default: float, true, or the side of a block.
static void give(struct adopt_kernel *k, bool is_flat)
{
    g_autoptr(GString) given = g_string_new(NULL);
    g_auto(GStrv) parts = g_strsplit(k->signature.parameters, ",", -1);
    for (char **part = parts; *part && !strchr(*part, '='); part++) {
        const bool is_block = g_regex_match_simple("block|tile|thread", *part, G_REGEX_CASELESS, 0);
        const bool is_type = g_regex_match_simple("^\\s*(typename|class)\\b", *part, 0, 0);
        g_string_append_printf(given, "%s%s", given->len ? ", " : "",
                               is_type                 ? "float"
                               : strstr(*part, "bool") ? "true"
                               : is_block && is_flat   ? "256"
                                                       : "16");
        k->is_fixed |= is_block && !is_type;
    }
    if (*parts) g_snprintf(k->given, sizeof k->given, "<%s>", given->str);
}

// ---- kernels ----

// NULL: a note cannot have this type.
static const char *find_type(const struct adopt_kernel *k, const struct signature_argument *of)
{
    static const char wholes[] = "^(bool|size_t|u?int(32|64)_t|uint|unsigned|"
                                 "(unsigned )?(int|short|long|long int|long long))$";
    g_autofree char *pattern = g_strdup_printf("\\b(typename|class)\\s+%s\\b", of->type);
    const bool is_templates = g_regex_match_simple(pattern, k->signature.parameters, 0, 0);
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

// False: it says why the kernel is left out.
static bool read_head(struct adopter *a, struct adopt_kernel *k, const struct c_item *item)
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
    return has_array ||
           adopt_guess(a, "%s is left out: there is nothing that it may write", s->name);
}

static void take_kernel(struct adopter *a, const struct c_item *item)
{
    struct adopt_kernel *k = g_new0(struct adopt_kernel, 1);
    struct body b = {.count = 0};
    const int count = a->count;
    k->across = k->down = -1;
    bool is_good = read_head(a, k, item);
    if (is_good) read_body(a, k, &b, item);
    const unsigned int axes = find_axes(&b, 0, b.count, 0);
    if (axes & AXIS_Z)
        is_good = adopt_guess(a, "%s is left out: its grid has a z", k->signature.name);
    if (is_good) {
        k->has_rows = axes & (THREAD_Y | BLOCK_Y);
        give(k, !(axes & THREAD_Y));
        look_at(a, k, &b);
        name_variant(a, k);
        choose_block(a, k, &b);
        a->kernels[a->kernel_count++] = k;
    } else {
        a->count = count;
        g_free(k);
    }
    g_free(b.tokens);
}

bool adopt_propose(struct adopt *to, const char *name, const char *source, struct error *err)
{
    g_autofree struct adopter *a = g_new0(struct adopter, 1);
    struct c_items items;
    a->source = source;
    a->notes = g_string_new(NULL);
    a->guesses = g_string_new(NULL);
    c_items_find(&items, source);
    for (int i = 0; i < items.count; i++) {
        const struct c_item *const item = &items.list[i];
        if (item->kind != C_ITEM_KERNEL) continue;
        if (a->kernel_count == FILTER_MAX_VARIANTS) {
            adopt_guess(a, "%.*s and all behind it are left out: there are %d before",
                        (int)item->name_length, item->name, FILTER_MAX_VARIANTS);
            break;
        }
        take_kernel(a, item);
    }
    const bool is_good = a->kernel_count > 0;
    if (is_good)
        adopt_write_notes(a, name);
    else
        error_set(err, "it has no notes, and no kernel that runs without%s%.*s",
                  a->guesses->len ? ": " : "", (int)strcspn(a->guesses->str, "\n"),
                  a->guesses->str);
    for (int i = 0; i < a->kernel_count; i++) g_free(a->kernels[i]);
    c_items_finish(&items);
    to->notes = g_string_free(a->notes, !is_good);
    to->guesses = g_string_free(a->guesses, !is_good);
    return is_good;
}

void adopt_finish(struct adopt *a)
{
    g_free(a->notes);
    g_free(a->guesses);
    *a = (struct adopt){NULL, NULL};
}
