#include "filter/adopt_notes.h"

#include <string.h>

// ---- shapes ----

static int count_bits(unsigned int bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

static void add_sides(struct adopter *a, struct adopt_argument *array, unsigned int bits)
{
    for (int i = 0; i < a->count && array->side_count < ARRAYS_MAX_DIMENSIONS; i++)
        if (bits >> i & 1) array->sides[array->side_count++] = i;
}

// The int of a letter, as a bit.
static unsigned int find_letter(const struct adopter *a, char letter)
{
    for (int i = 0; i < a->count; i++)
        if (!a->arguments[i].is_array && g_ascii_tolower(*a->arguments[i].name) == letter &&
            !a->arguments[i].name[1])
            return 1u << i;
    return 0;
}

// Where M, N and K are: A[M][K], B[K][N], C[M][N]. Else by indexes: y * width + x is of [y][width].
static void choose_shape(struct adopter *a, struct adopt_argument *array, unsigned int sizes)
{
    static const char sides[][3] = {"mk", "kn", "mn"};
    const int letter = g_ascii_tolower(*array->name) - 'a';
    const unsigned int f = array->use.factors & sizes, all = f | (array->use.bounds & sizes);
    unsigned int own = 0;  // of the kernels that have it
    for (int i = 0; i < a->kernel_count; i++)
        if (a->kernels[i]->arguments >> (array - a->arguments) & 1)
            own |= a->kernels[i]->arguments & sizes;
    if (!array->name[1] && letter >= 0 && letter < 3 && find_letter(a, 'm') &&
        find_letter(a, 'n') && find_letter(a, 'k')) {
        add_sides(a, array, find_letter(a, sides[letter][0]));
        add_sides(a, array, find_letter(a, sides[letter][1]));
    } else if (count_bits(f) == 1 && count_bits(all) <= 2) {
        add_sides(a, array, all != f ? all & ~f : count_bits(own) == 2 ? own & ~f : f);
        add_sides(a, array, f);
    } else {
        add_sides(a, array, all ? all : own);
    }
    if (array->side_count) return;
    // No param says how many elements there are: one that no kernel takes does.
    struct adopt_argument *const last = &a->arguments[a->count - 1];
    if (strcmp(last->name, "elements") != 0)
        a->arguments[a->count++] = (struct adopt_argument){"elements", "int", .is_size = true};
    array->sides[array->side_count++] = a->count - 1;
}

// ---- blocks and domains ----

// A number that speaks of blocks, or of rows, or has that name, and is at most so large; 0: none.
static int find_number(const struct adopter *a, const struct adopt_kernel *used_by,
                       const char *pattern, int most)
{
    int found = 0;
    for (int i = 0; i < a->constants.count && !found; i++) {
        const struct adopt_constant *const one = &a->constants.list[i];
        char *name = g_strndup(one->name, one->length);
        if (one->value > 0 && one->value <= most &&
            g_regex_match_simple(pattern, name, G_REGEX_CASELESS, 0) &&
            (!used_by || adopt_body_has(&used_by->body, name)))
            found = one->value;
        g_free(name);
    }
    return found;
}

void adopt_choose_block(const struct adopter *a, struct adopt_kernel *k)
{
    static const char sides[] = "^(?!.*rows).*(block|tile|thread)";
    const bool is_flat = !(k->body.axes & ADOPT_THREAD_Y);
    const int most = is_flat ? 1024 : 32;
    const char *const text = k->signature.bounds;
    int bounds = (int)g_ascii_strtoll(text, NULL, 10);
    char *name = g_strdup_printf(
        "^%.*s$", (int)strspn(text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_"), text);
    if (!bounds) bounds = find_number(a, NULL, name, 1024);
    g_free(name);
    int side = find_number(a, k, sides, most), rows = 0;
    k->is_fixed |= side || bounds;
    if (!side && !*k->given) side = find_number(a, NULL, sides, most);
    if (!is_flat && side) rows = find_number(a, k, "rows", side);
    k->width = is_flat ? side ? side : 256 : side ? side : 16;
    k->height = is_flat ? 1 : rows ? rows : k->width;
    k->each = rows ? k->width / rows : 1;
    if (k->is_tiled) k->width = 1024;
    if (k->is_tiled || bounds < 1 || bounds > 1024) return;
    k->width = is_flat ? bounds : MIN(bounds, k->width);
    k->height = bounds / k->width;
}

// What threads are for: the sizes that bound their indexes, or else an array that they write.
static void write_domain(const struct adopter *a, const struct adopt_kernel *k, GString *text)
{
    const char *across = NULL, *down = NULL, *each = "";
    const struct adopt_argument *const out = &a->arguments[k->out];
    const bool has_rows = k->body.axes & (ADOPT_THREAD_Y | ADOPT_BLOCK_Y);
    for (int i = 0; i < k->body.bound_count; i++) {
        const struct adopt_bound *const bound = &k->body.bounds[i];
        const bool in_x = bound->axes & ADOPT_BLOCK_X, in_y = bound->axes & ADOPT_BLOCK_Y;
        if (in_x && !in_y && !across) {
            across = a->arguments[bound->argument].name;
            each = bound->axes & ADOPT_THREAD_X ? "" : " * bw";
        }
        if (in_y && !in_x && !down) down = a->arguments[bound->argument].name;
    }
    if (k->is_tiled && out->side_count > 1)
        g_string_append_printf(text, "(%s + 31) / 32 * bw, (%s + 31) / 32",
                               a->arguments[out->sides[0]].name, a->arguments[out->sides[1]].name);
    else if (across && (down || !has_rows))
        g_string_append_printf(text, "%s%s%s%s", across, each, down ? ", " : "", down ? down : "");
    else if (has_rows && out->side_count > 1)
        g_string_append_printf(text, "%s, %s", a->arguments[out->sides[out->side_count - 1]].name,
                               a->arguments[out->sides[out->side_count - 2]].name);
    else if (out->side_count > 1 && !k->body.has_wide_blocks)
        g_string_append_printf(text, "%s * bw", a->arguments[out->sides[0]].name);
    else
        for (int i = 0; i < out->side_count; i++)
            g_string_append_printf(text, "%s%s", i ? " * " : "", a->arguments[out->sides[i]].name);
}

// ---- the notes ----

static void write_param(struct adopter *a, const struct adopt_argument *p)
{
    static const int sizes[][3] = {{1 << 20, 1 << 16, 1 << 26}, {1024, 128, 8192}, {64, 16, 512}};
    const int *const size = sizes[CLAMP(p->dimensions, 1, 3) - 1];
    const bool is_float = !strcmp(p->type, "float"), is_radius = strstr(p->name, "radius");
    char steps[16] = "";
    int step = 1;
    for (int i = 0; i < a->kernel_count && p->is_unguarded; i++)
        step = MAX(step, a->kernels[i]->is_tiled ? 32 : a->kernels[i]->width);
    if (step > 1) g_snprintf(steps, sizeof steps, " step %d", step);
    g_string_append_printf(a->notes, "//! param %s ", p->name);
    if (p->is_size)
        g_string_append_printf(a->notes, "%d cpu=%d [%d, %d%s]\n", MAX(size[0] / step, 1) * step,
                               MAX(size[1] / step, 1) * step, step, size[2], steps);
    else
        g_string_append(a->notes, is_float    ? "float 1.0 [-1000, 1000]\n"
                                  : is_radius ? "3 [0, 64]\n"
                                              : "1 [0, 1024]\n");
    adopt_guess(a, "%s is %s", p->name, p->is_size ? "a size" : is_radius && !is_float ? "3" : "1");
}

static void write_array(struct adopter *a, const struct adopt_argument *array, int *count)
{
    GString *shape = g_string_new(NULL);
    for (int i = 0; i < array->side_count; i++)
        g_string_append_printf(shape, "[%s%s", a->arguments[array->sides[i]].name,
                               i + 1 < array->side_count ? "]" : "");
    if (array->lanes > 1) g_string_append_printf(shape, " * %d", array->lanes);
    // What is read before it is written begins as an in array, where there may be one more.
    const bool has_begin = array->is_out && array->use.is_read && *count < ARRAYS_MAX;
    if (has_begin)
        g_string_append_printf(a->notes, "//! array %.24s_before %s in %s] noise 0, 255\n",
                               array->name, array->type, shape->str);
    *count += has_begin;
    g_string_append_printf(a->notes, "//! array %s %s %s %s]", array->name, array->type,
                           array->is_out ? "out" : "in", shape->str);
    if (has_begin) g_string_append_printf(a->notes, " from %.24s_before", array->name);
    g_string_append(a->notes, array->is_out ? " shown 0, 255\n" : " noise 0, 255\n");
    adopt_guess(a, "%s%s] is %s%s", array->name, shape->str, array->is_out ? "out" : "in",
                has_begin ? ", and is noise before, since it is read" : "");
    g_string_free(shape, TRUE);
}

static void write_variant(struct adopter *a, const struct adopt_kernel *k)
{
    const bool has_shared = adopt_body_has(&k->body, "extern");
    GString *domain = g_string_new(NULL);
    write_domain(a, k, domain);
    g_string_append_printf(a->notes, "//! variant %s %dx%d of %s%s domain=%s", k->variant, k->width,
                           k->height, k->signature.name, k->given, domain->str);
    if (k->each > 1) g_string_append_printf(a->notes, " each=1x%d", k->each);
    g_string_append_printf(a->notes, "%s%s\n", has_shared ? " shared=4 * bw * bh" : "",
                           k->is_fixed ? " block=fixed" : "");
    adopt_guess(a, "%s%s runs over %s in blocks of %dx%d%s", k->signature.name, k->given,
                domain->str, k->width, k->height,
                has_shared ? " with 4 shared bytes a thread" : "");
    g_string_free(domain, TRUE);
}

void adopt_write_notes(struct adopter *a, const char *name)
{
    unsigned int from = 0, sizes = 0;
    for (int i = 0; i < a->count; i++)
        from |= a->arguments[i].use.factors | a->arguments[i].use.bounds;
    if (find_letter(a, 'm') && find_letter(a, 'n') && find_letter(a, 'k'))
        from |= find_letter(a, 'm') | find_letter(a, 'n') | find_letter(a, 'k');
    for (int i = 0; i < a->count; i++) {
        a->arguments[i].is_size |= from >> i & 1;
        a->arguments[i].is_size &=
            !a->arguments[i].is_array && !strcmp(a->arguments[i].type, "int");
        sizes |= (unsigned int)a->arguments[i].is_size << i;
    }
    for (int i = 0; i < a->count; i++) {
        struct adopt_argument *const array = &a->arguments[i];
        if (array->is_array) choose_shape(a, array, sizes);
        for (int n = 0; n < array->side_count; n++) {
            int *const most = &a->arguments[array->sides[n]].dimensions;
            *most = MAX(*most, array->side_count);
        }
    }
    g_string_append_printf(a->notes, "//! lab \"%s\"\n", name);
    int count = 0;
    for (int i = 0; i < a->count; i++) count += a->arguments[i].is_array;
    for (int i = 0; i < a->count; i++)
        if (!a->arguments[i].is_array) write_param(a, &a->arguments[i]);
    for (int i = 0; i < a->count; i++)
        if (a->arguments[i].is_array) write_array(a, &a->arguments[i], &count);
    for (int i = 0; i < a->kernel_count; i++) write_variant(a, a->kernels[i]);
}
