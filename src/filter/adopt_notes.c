// This file is long because each note looks at the arguments of all kernels.
#include "filter/adopt_notes.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { BYTE_VALUES = 256 };

bool adopt_guess(struct adopter *a, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    g_string_append_vprintf(a->guesses, format, words);
    va_end(words);
    g_string_append_c(a->guesses, '\n');
    return false;
}

static void add_sides(struct adopter *a, struct adopt_argument *array, unsigned int bits)
{
    for (int i = 0; i < a->count && array->side_count < ARRAYS_MAX_DIMENSIONS; i++)
        if (bits >> i & 1) array->sides[array->side_count++] = i;
}

// The number of an own param of that name, which no kernel takes.
static int find_own(struct adopter *a, const char *name)
{
    int at = 0;
    while (at < a->count && strcmp(a->arguments[at].name, name) != 0) at++;
    if (at < a->count) return at;
    a->arguments[at] = (struct adopt_argument){.type = "int", .is_size = true};
    g_strlcpy(a->arguments[at].name, name, FILTER_NAME);
    return a->count++;
}

// True if main launches other numbers of threads across and down, and no argument bounds them.
static bool is_oblong(const struct adopt_kernel *k)
{
    return k->has_rows && k->across < 0 && k->down < 0 && k->launched[0] && k->launched[1] &&
           k->launched[0] != k->launched[1] && !k->bound;
}

// Adds a param that no kernel takes: the number of elements, or of rows and columns.
static void add_own_size(struct adopter *a, struct adopt_argument *array)
{
    int least = 0;
    bool has_rows = false, is_bound = false;
    for (int i = 0; i < a->kernel_count; i++) {
        const struct adopt_kernel *const k = a->kernels[i];
        if (!(k->arguments >> (array - a->arguments) & 1)) continue;
        least = MAX(least, MAX(k->bound, k->row));
        if (!k->has_rows && !k->bound && *k->launched > k->width) least = MAX(least, *k->launched);
        if (k->has_rows && *k->launched == k->launched[1]) least = MAX(least, *k->launched);
        if (is_oblong(k)) least = (int)MIN((long long)*k->launched * k->launched[1], 1 << 26);
        has_rows |= k->has_rows && !is_oblong(k);
        is_bound |= k->bound > 0;
    }
    const int at = find_own(a, has_rows ? "side" : "elements");
    struct adopt_argument *const size = &a->arguments[at];
    size->is_unguarded |= !is_bound;
    size->least = MAX(size->least, least);
    array->side_count = has_rows ? 2 : 1;
    array->sides[0] = array->sides[1] = at;
}

// Adds sides, rows before columns if a kernel's threads have them.
static void add_rows(struct adopter *a, struct adopt_argument *array, unsigned int sides)
{
    for (int i = 0; i < a->kernel_count && !array->side_count; i++) {
        const struct adopt_kernel *const k = a->kernels[i];
        const bool takes_it = k->arguments >> (array - a->arguments) & 1;
        if (!takes_it || k->across < 0 || k->down < 0 || k->across == k->down ||
            sides != (1u << k->across | 1u << k->down))
            continue;
        add_sides(a, array, 1u << k->down);
        add_sides(a, array, 1u << k->across);
    }
    const unsigned int last = array->pitch ? sides & 1u << (array->pitch - 1) : 0;
    if (array->side_count) return;
    add_sides(a, array, sides & ~last);
    add_sides(a, array, last);
}

// Makes the shape of an array whose index has a z one of three sides: in the order of its kernel's
// axes, or of so many layers.
static void add_layers(struct adopter *a, struct adopt_argument *array)
{
    int *const sides = array->sides;
    for (int i = 0; i < a->kernel_count; i++) {
        const struct adopt_kernel *const k = a->kernels[i];
        const bool takes_it = k->arguments >> (array - a->arguments) & 1;
        unsigned int own = 0;
        if (!takes_it || k->across < 0 || k->down < 0 || k->deep < 0) continue;
        for (int n = 0; n < array->side_count; n++) own |= 1u << sides[n];
        if (own != (1u << k->across | 1u << k->down | 1u << k->deep)) continue;
        array->side_count = ARRAYS_MAX_DIMENSIONS;
        sides[0] = k->deep;
        sides[1] = k->down;
        sides[2] = k->across;
        return;
    }
    if (array->side_count && array->side_count < ARRAYS_MAX_DIMENSIONS) {
        memmove(sides + 1, sides, sizeof *sides * (size_t)array->side_count++);
        sides[0] = find_own(a, "layers");
    }
}

// True if a kernel that takes the param has another one that bounds its threads.
static bool is_beside_guard(const struct adopter *a, const struct adopt_argument *p)
{
    bool is_beside = false;
    for (int i = 0; i < a->kernel_count && !p->is_guard; i++)
        for (int n = 0; n < a->count && a->kernels[i]->arguments >> (p - a->arguments) & 1; n++)
            is_beside |= a->kernels[i]->arguments >> n & 1 && a->arguments[n].is_guard;
    return is_beside;
}

// The sizes that a struct has beside its array, as height and width, or stride, beside elements,
// if no index in a kernel tells more. They become its sides. 0: none for its rows, or its columns.
static unsigned int find_beside(struct adopter *a, struct adopt_argument *array)
{
    static const char *const forms[] = {"^(height|rows)$", "^(width|stride|columns|cols)$"};
    const char *const end = strrchr(array->name, '_');
    const bool is_told = array->factors | array->bounds;
    const size_t length = end && !is_told ? (size_t)(end - array->name) + 1 : 0;
    unsigned int found[2] = {0, 0};
    for (int i = 0; i < a->count && length; i++) {
        struct adopt_argument *const p = &a->arguments[i];
        for (int side = 0; side < 2; side++) {
            if (p->is_array || strcmp(p->type, "int") || strncmp(p->name, array->name, length) ||
                !g_regex_match_simple(forms[side], p->name + length, 0, 0))
                continue;
            array->sides[side] = i;
            found[side] |= 1u << i;
            p->dimensions = 2;
        }
    }
    if (!found[0] || !found[1]) return 0;
    array->side_count = 2;
    return found[0] | found[1];
}

// Chooses a shape by the array's indexes: y * width + x with y below height gives [height][width].
static void choose_shape(struct adopter *a, struct adopt_argument *array, unsigned int sizes)
{
    if (array->side_count) return;  // a struct has told
    for (int i = 0; i < a->count; i++) {
        const struct adopt_argument *const p = &a->arguments[i];
        if (!p->pitch_of || !(array->factors >> i & 1)) continue;
        array->factors = (array->factors & ~(1u << i)) | 1u << (p->pitch_of - 1);
    }
    const unsigned int f = array->factors & sizes, all = f | (array->bounds & sizes);
    const bool is_plain = array->plain && !(array->plain & PLAIN_OTHER) && !all;
    unsigned int own = 0, unused = 0;  // sizes of the kernels that take it
    bool is_square = false, has_rows = false;
    for (int i = 0; i < a->kernel_count; i++) {
        const struct adopt_kernel *const k = a->kernels[i];
        if (!(k->arguments >> (array - a->arguments) & 1)) continue;
        own |= k->arguments & sizes;
        has_rows |= k->has_rows;
        is_square |= k->across >= 0 && k->across == k->down && f == 1u << k->across;
        if (k->unused >= 0 && sizes >> k->unused & 1) unused = 1u << k->unused;
    }
    if (array->is_indirect && !all) {
        array->fixed = (1 + array->is_run) * BYTE_VALUES;  // the values of our noise
        for (int i = 0; i < a->kernel_count; i++)
            if (a->kernels[i]->arguments >> (array - a->arguments) & 1)
                array->fixed = MAX(array->fixed, a->kernels[i]->most);
        return;
    }
    if (array->is_lookup && all == f && __builtin_popcount(f) == 1) {
        array->fixed = BYTE_VALUES;
        add_sides(a, array, f);
    } else if (is_plain) {  // an element for each thread of a block or for each block, or a few
        array->fixed = MAX(array->constants, 1);
        for (int i = 0; i < a->kernel_count; i++) {
            struct adopt_kernel *const k = a->kernels[i];
            if (!(k->arguments >> (array - a->arguments) & 1)) continue;
            k->is_fixed |= (array->plain & (PLAIN_THREAD | PLAIN_BLOCK)) != 0;
            if (array->plain & PLAIN_THREAD) array->fixed = MAX(array->fixed, k->width * k->height);
            // Of several kernels, the one with the most blocks counts.
            const struct adopt_kernel *const most = array->of_blocks;
            const bool has_more =
                !most || k->width * k->across_each < most->width * most->across_each;
            if (array->plain & PLAIN_BLOCK && !k->is_one_block && has_more) array->of_blocks = k;
        }
    } else if (__builtin_popcount(f) == 1 && __builtin_popcount(all) <= 2 &&
               (has_rows || !array->is_deep)) {
        add_sides(a, array,
                  all != f                                     ? all & ~f
                  : unused                                     ? unused
                  : __builtin_popcount(own) == 2 && !is_square ? own & ~f
                                                               : f);
        add_sides(a, array, f);
    } else {
        add_rows(a, array, all ? all : own);
    }
    if (!array->side_count && !array->fixed) add_own_size(a, array);
    if (array->is_deep || adopt_is_given(a, array->name, "tex3D", "Layered")) add_layers(a, array);
}

// Notes how many sides the arrays of a param have.
static void note_dimensions(struct adopter *a, struct adopt_argument *array)
{
    // What is read through tex2D or surf2Dread has rows.
    if (array->side_count == 1 && adopt_is_given(a, array->name, "tex2D", "surf2D"))
        array->sides[array->side_count++] = array->sides[0];
    struct adopt_argument *const first = &a->arguments[array->sides[0]];
    const bool is_window = array->side_count == 2 && array->sides[0] == array->sides[1] &&
                           first->is_looped && !first->is_guard && is_beside_guard(a, first);
    first->is_window |= is_window;
    for (int i = 0; i < array->side_count && !is_window; i++) {
        int *const most = &a->arguments[array->sides[i]].dimensions;
        *most = MAX(*most, array->side_count);
    }
}

static void write_param(struct adopter *a, const struct adopt_argument *p)
{
    // For a loop over all elements in each thread, over a few, as clusters, and over neighbours.
    static const int looped[][3] = {{1 << 14, 1 << 10, 1 << 20}, {64, 16, 1 << 16}, {15, 7, 64}};
    static const int sizes[][3] = {{1 << 20, 1 << 16, 1 << 26}, {1024, 128, 8192}, {64, 16, 512}};
    // Also if it is beside a size of the grid, as a number of classes.
    const bool is_few = p->is_looped || is_beside_guard(a, p);
    const int *const size = p->dimensions < 2 && is_few ? looped[p->is_window ? 2 : !p->is_guard]
                                                        : sizes[CLAMP(p->dimensions, 1, 3) - 1];
    const bool is_float = !strcmp(p->type, "float"),
               is_radius = p->is_radius || g_regex_match_simple("^r$|radius", p->name, 0, 0),
               is_size = p->is_size && !p->is_radius;
    const bool is_least = g_regex_match_simple("min(_\\w+)?$", p->name, G_REGEX_CASELESS, 0);
    const bool is_most = g_regex_match_simple("max(_\\w+)?$", p->name, G_REGEX_CASELESS, 0);
    const double most = fmax(1000, fabs(p->value));
    char steps[16] = "", value[32];
    int step = 1;
    // The value that main passes, or else a guess by the name: pictures of a plane lie around 0.
    const bool is_filter = g_regex_match_simple("(kernel|filter|mask)_?(size|width|height|dim)",
                                                p->name, G_REGEX_CASELESS, 0);
    double chosen = p->is_step ? 2 : is_radius || is_filter ? 3 : p->is_looped ? 100 : 1;
    if (is_float) chosen = is_least ? -2 : is_most ? 2 : 1;
    if (p->value != 0) chosen = p->value;
    g_ascii_formatd(value, sizeof value, is_float ? "%.7g" : "%.0f", chosen);
    if (is_float && !strpbrk(value, ".en")) g_strlcat(value, ".0", sizeof value);
    for (int i = 0; i < a->kernel_count && p->is_unguarded && !p->is_window; i++)
        step = MAX(step, a->kernels[i]->width * a->kernels[i]->across_each);
    if (step > 1) g_snprintf(steps, sizeof steps, " step %d", step);
    const int own = is_few && p->dimensions < 2 && !p->is_guard ? (int)fmin(p->value, size[2]) : 0;
    const int least = (p->least + step - 1) / step * step;
    g_string_append_printf(a->notes, "//! param %s ", p->name);
    if (is_size && least > 0 && least <= size[2])
        g_string_append_printf(a->notes, "%d [%d, %d%s]\n", least, least, size[2], steps);
    else if (is_size && own > 0 && own % step == 0)
        g_string_append_printf(a->notes, "%d [%d, %d%s]\n", own, step, size[2], steps);
    else if (is_size)
        g_string_append_printf(a->notes, "%d cpu=%d [%d, %d%s]\n", MAX(size[0] / step, 1) * step,
                               MAX(size[1] / step, 1) * step, step, size[2], steps);
    else if (is_float)
        g_string_append_printf(a->notes, "float %s [-%.7g, %.7g]\n", value, most, most);
    else
        g_string_append_printf(a->notes, "%s [%d, %d]\n", value,
                               p->is_step ? 1 : (int)fmin(chosen, 0),
                               p->is_bool   ? 1
                               : is_radius  ? 64
                               : p->is_step ? 32
                                            : MAX(1024, (int)MIN(p->value, INT_MAX)));
    adopt_guess(a, "%s is %s", p->name, is_size ? "a size" : value);
}

// Behind a number of blocks, as many threads.
#define BLOCKS " * bw"

// Writes the domain of the threads: the sizes that bound their indexes, or else an array that they
// write.
static void write_domain(const struct adopter *a, const struct adopt_kernel *k, GString *text)
{
    const struct adopt_argument *const all = a->arguments, *const over = &all[MAX(k->over, 0)];
    const bool has_layers = k->has_layers && over->is_deep && k->deep < 0 && over->side_count > 1;
    const int *const sides = over->sides + has_layers;
    const int count = k->over < 0 ? 0 : over->side_count - has_layers;
    if (k->is_one_block)
        g_string_append_printf(text, k->height > 1 ? "%d, %d" : "%d", k->width, k->height);
    else if (k->across >= 0 && (k->down >= 0 || !k->has_rows))
        g_string_append_printf(text, "%s%s%s%s", all[k->across].name,
                               k->is_row_a_block ? BLOCKS : "", k->down >= 0 ? ", " : "",
                               k->down >= 0 ? all[k->down].name : "");
    else if (is_oblong(k) && count == 1)
        g_string_append_printf(text, "%d, %d", *k->launched, k->launched[1]);
    else if (!count)
        g_string_append_printf(text, "%d",
                               MAX(MAX(over->fixed, k->width), MAX(k->bound, *k->launched)));
    else if (k->has_rows && count > 1)
        g_string_append_printf(text, "%s, %s", all[sides[count - 1]].name,
                               all[sides[count - 2]].name);
    else if (count > 1 && !k->has_wide_blocks)
        g_string_append_printf(text, "%s" BLOCKS, all[sides[0]].name);
    else
        for (int i = 0; i < count - (count > 1 && over->is_row_a_thread); i++)
            g_string_append_printf(text, "%s%s", i ? " * " : "", all[sides[i]].name);
}

// Writes the range in which an array is shown: of our noise, or of sums over it. The mean of a
// product is 127.5², and that of coefficients from 0 to 1 is half.
static void write_shown(struct adopter *a, const struct adopt_argument *array)
{
    enum { MEAN = 16256 };
    g_autoptr(GString) all = g_string_new(NULL);  // as many elements as are summed
    int mean = 0;
    const struct adopt_argument *summed = NULL;
    int most = array->most * CLAMP(array->sums[0], 1, SHRT_MAX);
    for (int i = 0; i < a->kernel_count; i++) {
        const struct adopt_kernel *const k = a->kernels[i];
        if (!(k->arguments >> (array - a->arguments) & 1)) continue;
        most = MAX(most, array->most * MIN(k->taps / 2, SHRT_MAX));
        const bool is_one = array->is_added && !array->is_read && array->fixed;
        if (is_one && !all->len) write_domain(a, k, all);
        for (char *comma; (comma = strchr(all->str, ','));) *comma = '*';
        if (g_str_has_suffix(all->str, BLOCKS))  // which no range knows
            g_string_append_printf(g_string_truncate(all, all->len - strlen("bw")), "%d", k->width);
        mean = MAX(mean, k->has_products ? MEAN : array->most);
        if (array->of_blocks == k && k->has_sums)
            most = MAX(most, mean * k->width * k->across_each);
        if (summed || !k->has_products || k->taps) continue;
        // It sums over a size that is no side of what it writes, or over a side of a square.
        for (int n = 0; n < a->count && !summed; n++) {
            const struct adopt_argument *const one = &a->arguments[n];
            bool is_side = false;
            for (int side = 0; side < array->side_count; side++) is_side |= array->sides[side] == n;
            if (k->arguments >> n & 1 && one->is_size && one->dimensions > 1 && !is_side)
                summed = one;
        }
        if (!summed && array->side_count > 1) summed = &a->arguments[array->sides[1]];
    }
    if (all->len && array->fixed > 1)  // bins, of which each gets its part
        g_string_append_printf(all, " * 2 / %d + 1", array->fixed);
    else if (all->len && !array->is_counter)
        g_string_append_printf(all, " * %d", mean);
    if (all->len)
        g_string_append_printf(a->notes, " shown 0, min(%s, %d)\n", all->str, INT_MAX);
    else if (summed)
        g_string_append_printf(a->notes, " shown %d * %s, %d * %s\n", MEAN / 2, summed->name,
                               MEAN + MEAN / 2, summed->name);
    else
        g_string_append_printf(a->notes, " shown %d, %d\n",
                               -array->most * MIN(array->sums[1], SHRT_MAX), most);
}

static void write_array(struct adopter *a, const struct adopt_argument *array, int *count)
{
    g_autoptr(GString) shape = g_string_new(NULL);
    if (array->of_blocks) {
        const int each = array->of_blocks->width * array->of_blocks->across_each;
        g_autoptr(GString) domain = g_string_new(NULL);
        write_domain(a, array->of_blocks, domain);
        if (g_str_has_suffix(domain->str, BLOCKS))
            g_string_append_printf(shape, "[%.*s", (int)(domain->len - strlen(BLOCKS)),
                                   domain->str);
        else
            g_string_append_printf(shape, "[(%s + %d) / %d", domain->str, each - 1, each);
    } else if (array->fixed) {
        g_string_append_printf(shape, "[%d%s", array->fixed, array->side_count ? "]" : "");
    }
    for (int i = 0; i < array->side_count; i++) {
        const struct adopt_argument *const side = &a->arguments[array->sides[i]];
        g_string_append_printf(shape, side->is_radius ? "[2 * %s + 1" : "[%s", side->name);
        if (array->wider) g_string_append_printf(shape, " + %d", array->wider);
        if (i + 1 < array->side_count) g_string_append_c(shape, ']');
    }
    const bool has_end = array->has_end || (array->ends >> array->sides[0] & 1);
    const int apart = array->lanes * MAX(array->stride, 1);
    if (apart > 1) g_string_append_printf(shape, " * %d", apart);
    if (has_end && array->side_count == 1) g_string_append(shape, " + 1");
    if (array->before) g_string_append_printf(shape, " + %d", 2 * array->before);
    // Where no argument is a size, main makes it long enough for i * s, or i + s.
    const bool is_own =
        array->side_count == 1 && !strcmp(a->arguments[array->sides[0]].name, "elements");
    for (int i = 0; i < a->count; i++)
        if (a->arguments[i].is_step && array->steps >> i & 1)
            g_string_append_printf(shape, " * %s", a->arguments[i].name);
    for (int i = 0; i < a->count && is_own; i++)
        if (array->offsets >> i & 1 && !a->arguments[i].is_size)
            g_string_append_printf(shape, " + %s", a->arguments[i].name);
    // An array that is read and written begins as an in array, if there is room for one more.
    const bool is_read = array->is_read || array->is_added;
    const bool has_begin = array->is_out && is_read && *count < ARRAYS_MAX;
    if (has_begin)  // a sum begins as 0
        g_string_append_printf(a->notes, "//! array %.24s_before %s in %s] noise %d, %d\n",
                               array->name, array->type, shape->str, array->least,
                               array->is_read ? array->most : 0);
    *count += has_begin;
    g_string_append_printf(a->notes, "//! array %s %s %s %s]", array->name, array->type,
                           array->is_out ? "out" : "in", shape->str);
    if (has_begin) g_string_append_printf(a->notes, " from %.24s_before", array->name);
    if (array->is_out)
        write_shown(a, array);
    else
        g_string_append_printf(a->notes, " noise %d, %d\n", array->least, array->most);
    adopt_guess(a, "%s%s] is %s%s", array->name, shape->str, array->is_out ? "written" : "read",
                !has_begin       ? ""
                : array->is_read ? ", and is noise before, since it is read, too"
                                 : ", and is 0 before, since it is added to");
}

static void write_variant(struct adopter *a, const struct adopt_kernel *k)
{
    g_autoptr(GString) domain = g_string_new(NULL);
    write_domain(a, k, domain);
    int deep = k->deep;
    for (int i = 0; i < a->count; i++)
        if (k->has_layers && deep < 0 && k->arguments >> i & 1 && a->arguments[i].is_deep &&
            a->arguments[i].side_count > 1)
            deep = a->arguments[i].sides[0];
    if (deep >= 0)
        g_string_append_printf(domain, "%s, %s", strchr(domain->str, ',') ? "" : ", 1",
                               a->arguments[deep].name);
    g_autoptr(GString) given = g_string_new(NULL);
    for (int i = 0; i < k->signature.argument_count; i++) {
        const struct adopt_argument *const one = &a->arguments[k->numbers[i]];
        const char *const own = k->signature.arguments[i].name, *const sign =
                                                                    given->len ? ", " : "(";
        if (one->pitch_of)
            g_string_append_printf(given, "%s%s=%s * %d", sign, own,
                                   a->arguments[one->pitch_of - 1].name, one->pitch_bytes);
        else if (one->before)
            g_string_append_printf(given, "%s%s=%s + %d", sign, own, one->name, one->before);
        else if (strcmp(one->name, own) != 0 && !strchr(own, '.'))
            g_string_append_printf(given, "%s%s=%s", sign, own, one->name);
    }
    g_autofree char *block =
        g_strdup_printf(k->depth > 1 ? "%dx%dx%d" : "%dx%d", k->width, k->height, k->depth);
    g_string_append_printf(a->notes, "//! variant %s %s of %s%s%s%s domain=%s", k->variant, block,
                           k->signature.name, k->given, given->str, given->len ? ")" : "",
                           domain->str);
    if (k->tile[0]) g_string_append_printf(a->notes, " columns=%d", k->tile[0]);
    if (k->tile[1]) g_string_append_printf(a->notes, " rows=%d", k->tile[1]);
    if (k->each > 1 || k->across_each > 1)
        g_string_append_printf(a->notes, " each=%dx%d", k->across_each, k->each);
    g_string_append_printf(domain, " in blocks of %s", block);
    if (k->shared) {
        g_string_append_printf(a->notes, " shared=%d * bw * bh", k->shared * k->depth);
        g_string_append_printf(domain, " with %d shared bytes a thread", k->shared);
    }
    g_string_append_printf(a->notes, "%s\n", k->is_fixed ? " block=fixed" : "");
    adopt_guess(a, "%s%s runs over %s", k->signature.name, k->given, domain->str);
}

// The params that are sizes.
static unsigned int find_sizes(struct adopter *a)
{
    unsigned int from = 0, sizes = 0, places = 0, pitches = 0, radii = 0, steps = 0;
    for (int i = 0; i < a->count; i++) {
        struct adopt_argument *const one = &a->arguments[i];
        from |= one->factors | one->bounds;
        if (one->is_array) from |= find_beside(a, one);
        places |= one->places;
        pitches |= one->pitches;
        radii |= one->radii;
        steps |= one->steps;
    }
    for (int i = 0; i < a->kernel_count; i++) {  // what bounds threads' indexes is no pitch
        const struct adopt_kernel *const k = a->kernels[i];
        const int bounds[] = {k->across, k->down, k->deep};
        for (int n = 0; n < 3; n++)
            if (bounds[n] >= 0) a->arguments[bounds[n]].pitch_of = 0;
    }
    for (int i = 0; i < a->count; i++) {
        struct adopt_argument *const one = &a->arguments[i];
        one->is_size |= from >> i & 1;
        one->is_size &= !one->is_array && !strcmp(one->type, "int") && !one->is_bool;
        if ((places & ~pitches) >> i & 1 && !one->is_guard && !one->is_looped) one->is_size = false;
        one->is_radius = one->is_size && radii >> i & 1;
        if (one->pitch_of || (strstr(one->name, "radius") && !one->is_radius)) one->is_size = false;
        one->is_step = steps >> i & 1 && !one->is_guard && !one->is_array;
        one->is_size &= !one->is_step;
        sizes |= (unsigned int)one->is_size << i;
    }
    return sizes;
}

void adopt_write_notes(struct adopter *a, const char *name)
{
    const unsigned int sizes = find_sizes(a);
    int count = 0;
    bool has_out = false;
    for (int i = 0; i < a->count; i++) count += a->arguments[i].is_array;
    for (int i = 0; i < a->count; i++)
        if (a->arguments[i].is_array) choose_shape(a, &a->arguments[i], sizes);
    for (int i = 0; i < a->count; i++)
        if (a->arguments[i].is_array) note_dimensions(a, &a->arguments[i]);
    // A lab needs an out array, even if no kernel writes one; it then shows nothing.
    for (int i = 0; i < a->count; i++) has_out |= a->arguments[i].is_out;
    if (!has_out && a->count < ADOPT_MAX_ARGUMENTS) {
        a->arguments[a->count++] = (struct adopt_argument){.name = "nothing",
                                                           .type = "int",
                                                           .fixed = 1,
                                                           .lanes = 1,
                                                           .most = 255,
                                                           .is_array = true,
                                                           .is_out = true};
        adopt_guess(a, "no kernel writes an array: nothing stands where one would");
    }
    g_string_append_printf(a->notes, "//! lab \"%s\"\n", name);
    for (int i = 0; i < a->count; i++)
        if (!a->arguments[i].is_array && !a->arguments[i].pitch_of)
            write_param(a, &a->arguments[i]);
    for (int i = 0; i < a->count; i++)
        if (a->arguments[i].is_array) write_array(a, &a->arguments[i], &count);
    for (guint n = 0; n < a->coefficients->len; n++) {
        const struct adopt_coefficients *const c =
            &g_array_index(a->coefficients, struct adopt_coefficients, n);
        bool is_free = c->is_used && count < ARRAYS_MAX;
        for (int i = 0; i < a->count; i++) is_free &= strcmp(a->arguments[i].name, c->name) != 0;
        if (!is_free) continue;
        count++;
        g_string_append_printf(a->notes, "//! array %s %s constant [%d] noise 0, 1\n", c->name,
                               c->type, c->count);
        adopt_guess(a, "%s[%d] is noise from 0 to 1: whoever launches fills it", c->name, c->count);
    }
    for (int i = 0; i < a->kernel_count; i++) write_variant(a, a->kernels[i]);
}
