#include <string.h>

#include "base/c_tokens.h"
#include "base/suggest.h"
#include "filter/directives.h"

// ---- the functions of a text ----

GArray *directives_find_functions(const char *text)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct directives_function));
    OWNED(c_items_finish) struct c_items items;
    c_items_find(&items, text);
    for (int i = 0; i < items.count; i++) {
        struct directives_function one = {.line = items.list[i].head_line,
                                          .is_kernel = items.list[i].kind == C_ITEM_KERNEL};
        struct signature *const s = &one.signature;
        g_strlcpy(one.scope, items.list[i].scope, sizeof one.scope);
        one.is_read = signature_read(s, &items.list[i]);
        const bool is_long = one.is_kernel && !*s->name;
        if (is_long)
            g_snprintf(s->name, sizeof s->name, "%.*s", (int)items.list[i].name_length,
                       items.list[i].name);
        if (is_long || c_item_defines(&items.list[i], s->name, strlen(s->name)))
            g_array_append_val(all, one);
    }
    return all;
}

static const struct directives_function *function(const struct reader *r, guint i)
{
    return &g_array_index(r->functions, struct directives_function, i);
}

// A kernel's argument of the name counts first, then any function's.
const struct signature_argument *directives_find_argument(const struct reader *r, const char *name)
{
    for (int kernels = 1; kernels >= 0; kernels--)
        for (guint i = 0; i < r->functions->len; i++) {
            const struct signature *const s = &function(r, i)->signature;
            for (int k = 0; k < s->argument_count; k++)
                if (function(r, i)->is_kernel >= kernels && !strcmp(s->arguments[k].name, name))
                    return &s->arguments[k];
        }
    return NULL;
}

// ---- the call of one of them ----

enum caller { BY_LAUNCH, BY_REFERENCE };

// The arguments that the program knows for a filter's kernels, and for references, between blanks.
static const char *own_words(const struct reader *r, enum caller caller)
{
    static const char *const words[][2] = {{" ", " in out scratch weights "},
                                           {" i ", " in weights x y "}};
    return words[caller][filter_has_picture(r->f)];
}

// Writes the value that the line gives to an argument, or else the argument's name.
static bool find_given(const char *given, const char *argument, char name[SIGNATURE_NAME])
{
    g_auto(GStrv) pairs = g_strsplit_set(given, "(,)", -1);
    bool is_given = false;
    g_strlcpy(name, argument, SIGNATURE_NAME);
    for (char **pair = pairs; *pair && !is_given; pair++) {
        g_auto(GStrv) sides = g_strsplit(*pair, "=", 2);
        is_given = sides[0] && sides[1] && !strcmp(g_strstrip(sides[0]), argument);
        if (is_given) g_strlcpy(name, g_strstrip(sides[1]), SIGNATURE_NAME);
    }
    return is_given;
}

static bool add_argument(struct reader *r, GString *call, enum caller caller,
                         const struct signature *s, const struct signature_argument *a);

// Adds a struct, of whose members each is the param or array of both names: A_width for A.width.
static bool add_members(struct reader *r, GString *call, enum caller caller,
                        const struct signature *s, const char *name, struct signature *members)
{
    bool is_good = true;
    g_string_append_c(call, '{');
    for (int i = 0; is_good && i < members->argument_count; i++) {
        struct signature_argument *const member = &members->arguments[i];
        g_autofree char *both = g_strdup_printf("%s_%s", name, member->name);
        if (g_strlcpy(member->name, both, sizeof member->name) >= sizeof member->name)
            return directives_fail(r, "'%s' is too long", both);
        if (i) g_string_append(call, ", ");
        if (!member->is_pointer) g_string_append_printf(call, "(%s)", member->type);
        is_good = add_argument(r, call, caller, s, member);
        const int array = is_good ? arrays_find(r->f, both) : -1;
        if (array >= 0)
            g_snprintf(r->f->arrays[array].argument, ARRAYS_NAME, "%.15s.%.15s", name,
                       both + strlen(name) + 1);
    }
    g_string_append_c(call, '}');
    return is_good;
}

// Adds C's arithmetic over params and arrays.
static void add_value(struct reader *r, GString *call, const char *text)
{
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        g_autofree char *part = g_strndup(token.start, token.length);
        const int of = arrays_find(r->f, part);
        if (of >= 0) r->arrays |= 1u << of;
        if (of >= 0)
            g_string_append_printf(call, "(%s *)d.", array_type_name(&r->f->arrays[of]));
        else if (filter_param(r->f, part) >= 0)
            g_string_append(call, "p.");
        g_string_append(call, part);
    }
}

// Adds a texture or surface object over an array, whose last side is the width. The first of three
// is its depth.
static void add_texture(struct reader *r, GString *call, int array)
{
    const struct array *const a = &r->f->arrays[array];
    g_string_append_printf(call, "launch_texture{d.%s, ", a->name);
    g_string_append_printf(call, "%d * (", (int)array_step(a));
    add_value(r, call, a->shape[a->dimensions - 1].text);
    g_string_append(call, "), 1");
    for (int i = 0; i + 1 < a->dimensions; i++) {
        g_string_append(call, " * (");
        add_value(r, call, a->shape[i].text);
        g_string_append_c(call, ')');
    }
    g_string_append(call, ", ");
    add_value(r, call, a->dimensions == ARRAYS_MAX_DIMENSIONS ? a->shape[0].text : "1");
    g_string_append_c(call, '}');
}

// Adds what the host hands over for an argument: arrays are launch_pointers of `d`, params members
// of `p` (kernels/launch.h).
static bool add_argument(struct reader *r, GString *call, enum caller caller,
                         const struct signature *s, const struct signature_argument *a)
{
    char name[SIGNATURE_NAME];
    const bool is_given = find_given(caller == BY_LAUNCH ? r->given : "", a->name, name);
    const int array = arrays_find(r->f, name), param = filter_param(r->f, name);
    struct signature members;
    const bool is_struct = !a->is_pointer && signature_read_members(&members, r->text, a->type),
               is_array = array >= 0 && !is_struct && !filter_has_picture(r->f);
    if (is_array) r->arrays |= 1u << array;
    if (is_array && is_given)
        g_strlcpy(r->f->arrays[array].argument, a->name, sizeof r->f->arrays[array].argument);
    g_autofree char *word = g_strdup_printf(" %s ", name);
    if (!*a->name) return directives_fail(r, "'%s' has an argument without a name", s->name);
    if (is_given && (!directives_is_identifier(name) || !strcmp(name, "NULL"))) {
        add_value(r, call, name);  // or NULL
    } else if (strstr(own_words(r, caller), word)) {
        if (is_array || param >= 0)
            return directives_fail(r,
                                   "'%s' of '%s' has a meaning of its own there; give the %s "
                                   "another name",
                                   a->name, s->name, is_array ? "array" : "param");
        g_string_append(call, name);
    } else if (is_array) {
        const bool is_texture =
            !strcmp(a->type, "cudaTextureObject_t") || !strcmp(a->type, "cudaSurfaceObject_t");
        if (!a->is_pointer && !is_texture)
            return directives_fail(r, "'%s' of '%s' is an array, so it must be a pointer", a->name,
                                   s->name);
        const struct array_record *const record = &r->f->arrays[array].record;
        if (is_texture)
            add_texture(r, call, array);
        else if (record->count && !strcmp(record->name, a->type))
            g_string_append_printf(call, "launch_records<%d>{d.%s}", record->bytes, name);
        else
            g_string_append_printf(call, "launch_pointer{d.%s}", name);
    } else if (param >= 0) {
        if (a->is_pointer)
            return directives_fail(r, "'%s' of '%s' is a param, so it cannot be a pointer", a->name,
                                   s->name);
        g_autofree char *form =
            g_strdup_printf("\\benum\\s+(class\\s+)?%s\\b|\\benum\\b[^;{}]*\\{[^{}]*\\}\\s*%s\\s*;",
                            a->type, a->type);
        if (directives_find_type(a->type) < 0 && directives_is_identifier(a->type) &&
            g_regex_match_simple(form, r->text, G_REGEX_RAW, 0))
            g_string_append_printf(call, "(%s)", a->type);
        g_string_append_printf(call, "p.%s", name);
    } else if (is_struct) {
        return add_members(r, call, caller, s, name, &members);
    } else {
        g_autoptr(GString) names = g_string_new(own_words(r, caller));
        struct error why = {""};
        for (int i = 0; i < r->f->param_count; i++)
            g_string_append_printf(names, " %s", r->f->params[i].name);
        for (int i = 0; i < r->f->array_count && !filter_has_picture(r->f); i++)
            g_string_append_printf(names, " %s", r->f->arrays[i].name);
        error_set(&why, "'%s' wants '%s', which is no param and no array of the file", s->name,
                  name);
        suggest(&why, name, names->str);
        return directives_fail(r, "%s", why.text);
    }
    return true;
}

// Replaces a template's parameter by the type that the callee gives to it: Op by plus of map<plus>.
static void find_type(const struct signature *s, const char *callee, char type[SIGNATURE_NAME])
{
    const char *at = strchr(callee, '<');
    if (!at || !directives_is_identifier(type)) return;
    g_autofree char *form = g_strdup_printf("\\b(?:class|typename)\\s+%s\\b", type);
    g_auto(GStrv) parts = g_regex_split_simple(form, s->parameters, G_REGEX_RAW, 0);
    if (!parts[0] || !parts[1]) return;
    at++;
    for (const char *comma = parts[0]; *at && (comma = strchr(comma, ',')); comma++)
        at = directives_comma(at), at += *at == ',';
    g_auto(GStrv) given = text_match("\\s*(\\w+)\\s*[,>].*", at);
    if (given) g_strlcpy(type, given[0], SIGNATURE_NAME);
}

// Adds "LAUNCH…(symbol, bounds, callee(arguments))" to the file's calls, once.
static bool add_call(struct reader *r, enum caller caller, const char *symbol, const char *callee,
                     const struct directives_function *function)
{
    static const char *const macros[][2] = {{"LAUNCH_ARRAYS", "LAUNCH_PICTURE"},
                                            {"REFERENCE_ARRAYS", "REFERENCE_PICTURE"}};
    const struct signature *const s = &function->signature;
    g_autoptr(GString) call = g_string_new(macros[caller][filter_has_picture(r->f)]);
    g_string_append_printf(call, "(%s, ", symbol);
    g_autofree char *head = g_strdup(call->str);
    if (caller == BY_LAUNCH && *s->bounds && !*s->parameters) {
        g_string_append_printf(call, "LAUNCH_BOUNDS(%s)", s->bounds);
    } else if (caller == BY_LAUNCH && *s->bounds) {
        // A template's __launch_bounds__ may use its parameters, so the call is a template with the
        // same ones.
        g_autofree char *bounds = g_strdup_printf(
            "template <%s> struct bounds_%s { static constexpr int of[] = {%s}; };\n",
            s->parameters, s->name, s->bounds);
        if (!strstr(r->calls->str, bounds)) g_string_append(r->calls, bounds);
        const char *part = s->bounds;
        for (int i = 0; part; i++) {
            g_string_append_printf(call, "%sbounds_%s%s::of[%d]", i ? ", " : "LAUNCH_BOUNDS(",
                                   s->name, strchr(callee, '<'), i);
            part = directives_comma(part);
            part = *part ? part + 1 : NULL;
        }
        g_string_append_c(call, ')');
    }
    g_string_append_printf(call, "%s::%s%s(", caller == BY_LAUNCH ? ", " : "", function->scope,
                           callee);
    bool is_good = function->is_read ||
                   directives_fail(r,
                                   "the arguments of '%s' cannot be read: there are at most %d, "
                                   "with names and types of less than %d letters",
                                   s->name, SIGNATURE_MAX_ARGUMENTS, SIGNATURE_NAME);
    for (int i = 0; is_good && i < s->argument_count; i++) {
        struct signature_argument one = s->arguments[i];
        find_type(s, callee, one.type);
        if (i) g_string_append(call, ", ");
        is_good = add_argument(r, call, caller, s, &one);
    }
    g_string_append(call, "))\n");
    const bool is_known = strstr(r->calls->str, call->str);
    if (is_good && !is_known && strstr(r->calls->str, head))
        is_good = directives_fail(r, "a second kernel '%s'", symbol);
    if (is_good && !is_known) g_string_append(r->calls, call->str);
    return is_good;
}

// ---- which one a line means ----

static bool bind_kernel(struct reader *r, const char *callee,
                        const struct directives_function *function)
{
    const struct signature *const s = &function->signature;
    struct pass *const pass = r->pending;
    r->pending = NULL;
    if (*s->parameters && !strchr(callee, '<'))
        return directives_fail(r,
                               "'%s' is a template: name an instantiation, as in: //! variant "
                               "name WxH of %s<32>",
                               s->name, s->name);
    g_strlcpy(pass->kernel, callee, sizeof pass->kernel);
    // Makes a symbol for an instantiation: tiled_32_float for tiled<32, float>.
    g_autofree char *whole = g_strconcat(callee, r->given, NULL), *words = g_strdup(whole);
    g_strcanon(words, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_", ' ');
    g_auto(GStrv) parts = g_regex_split_simple(" +", g_strstrip(words), 0, 0);
    g_autofree char *symbol = g_strjoinv("_", parts);
    if (g_strlcpy(pass->entry, symbol, FILTER_ENTRY) >= FILTER_ENTRY)
        return directives_fail(r, "'%s' is too long", whole);
    r->arrays = 0;
    const bool is_good = add_call(r, BY_LAUNCH, pass->entry, callee, function);
    pass->arrays |= r->arrays;
    return is_good;
}

// True if each argument is a param or an array. An #if may choose among kernels of one name.
static bool has_known_arguments(const struct reader *r, const struct signature *s)
{
    char name[SIGNATURE_NAME];
    bool is_known = true;
    for (int i = 0; i < s->argument_count; i++)
        is_known &= find_given(r->given, s->arguments[i].name, name) ||
                    filter_param(r->f, name) >= 0 || arrays_find(r->f, name) >= 0;
    return is_known;
}

bool directives_bind(struct reader *r, const char *callee)
{
    struct error why = {""};
    g_autofree char *name = g_strndup(callee, strcspn(callee, "<"));
    // The name may have all of its kernel's namespaces in front, or none.
    const struct directives_function *found = NULL;
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < r->functions->len; i++) {
        const struct directives_function *const one = function(r, i);
        g_autofree char *whole = g_strconcat(one->scope, one->signature.name, NULL);
        if (one->is_kernel && (!strcmp(name, one->signature.name) || !strcmp(name, whole)) &&
            (!found || (!has_known_arguments(r, &found->signature) &&
                        has_known_arguments(r, &one->signature))))
            found = one;
        if (one->is_kernel) g_string_append_printf(names, " %s", one->signature.name);
    }
    if (!found) error_set(&why, "there is no kernel '%s'", name);
    if (!found) suggest(&why, name, names->str);
    const char *const own =
        found && g_str_has_prefix(callee, found->scope) ? callee + strlen(found->scope) : callee;
    return found ? bind_kernel(r, own, found) : directives_fail(r, "%s", why.text);
}

bool directives_read_function(struct reader *r)
{
    for (guint i = 0; i < r->functions->len; i++) {
        const struct directives_function *const one = function(r, i);
        if (one->line != r->line) continue;
        if (one->is_kernel) r->variant = NULL;
        if (one->is_kernel && *r->reference)
            return directives_fail(r, "the reference of '%s' cannot be a kernel", r->reference);
        if (one->is_kernel && r->pending) {  // a kernel that the lines above it name, once
            g_autofree char *name = g_strdup_printf(" %s%s ", one->scope, one->signature.name);
            const bool is_known = strstr(r->defined->str, name);
            g_string_append(r->defined, name);
            if (is_known ? !directives_fail(r, "a second kernel '%s'", one->signature.name)
                         : !bind_kernel(r, one->signature.name, one))
                return false;
        }
        if (one->is_kernel || !*r->reference) continue;
        if (!one->signature.is_device)  // its body is host code, which is left out
            return directives_fail(r, "'%s' is a reference, so it must be __host__ __device__",
                                   one->signature.name);
        const bool is_good = add_call(r, BY_REFERENCE, r->reference, one->signature.name, one);
        r->reference[0] = '\0';
        if (!is_good) return false;
    }
    return true;
}

// ---- all of them ----

char *directives_write_calls(const struct reader *r)
{
    const struct filter *f = r->f;
    GString *all = g_string_new(filter_has_picture(f) ? "" : "#define LAUNCH_LAB\n");
    g_string_append(all, "#include \"launch.h\"\nstruct launch_params {");
    for (int i = 0; i < f->param_count; i++)
        g_string_append_printf(all, " %s %s;", f->params[i].is_float ? "float" : "int",
                               f->params[i].name);
    g_string_append(all, f->param_count ? " };\n" : " int none; };\n");
    if (!filter_has_picture(f)) {
        g_string_append(all, "struct launch_arrays {");
        for (int i = 0; i < f->array_count; i++)
            g_string_append_printf(all, " void *%s;", f->arrays[i].name);
        g_string_append(all, " };\n");
    }
    g_string_append(all, r->calls->str);
    return g_string_free(all, FALSE);
}
