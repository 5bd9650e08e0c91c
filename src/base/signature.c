#include "base/signature.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "base/text.h"

static bool take(char *to, size_t size, const char *start, const char *end)
{
    const size_t length = (size_t)(end - start);
    if (length >= size) return false;
    memcpy(to, start, length);
    to[length] = '\0';
    return true;
}

// Words that say how an argument is kept, not what it is.
static bool is_qualifier(struct c_token token)
{
    static const char *const words[] = {"volatile",          "struct",       "register",
                                        "__grid_constant__", "__restrict__", "__restrict",
                                        "restrict",          "typename"};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (c_token_is(token, words[i])) return true;
    return false;
}

// Adds the word before to the type: the last word turns out to be the name.
static bool add_word(struct signature_argument *a, struct c_token word)
{
    if (*a->name) {
        const size_t length = strlen(a->type);
        if (length + (length > 0) + strlen(a->name) >= sizeof a->type) return false;
        if (length) g_strlcat(a->type, " ", sizeof a->type);
        g_strlcat(a->type, a->name, sizeof a->type);
    }
    return take(a->name, sizeof a->name, word.start, word.start + word.length);
}

static bool is_one_of(struct c_token token, const char *marks)
{
    return token.kind == C_TOKEN_MARK && strchr(marks, *token.start);
}

// Reads one argument and returns the comma or closing parenthesis behind it. Its name may stand in
// parentheses: float (*rows)[32]. In a default, < is no bracket.
static struct c_token read_argument(struct signature_argument *a, struct c_tokens *tokens,
                                    bool *is_good)
{
    int depth = 0;
    bool is_default = false, is_inner = false;  // inner: the name is still to come, in parentheses
    struct c_token token, before = {.kind = C_TOKEN_END};
    for (*a = (struct signature_argument){.is_pointer = false};
         (token = c_tokens_next_code(tokens)).kind;) {
        if (!depth && is_one_of(token, ",)")) break;
        if (c_tokens_skip_std(token, tokens)) continue;
        is_default |= !depth && c_token_is(token, "=");
        if (depth == 1 && c_token_is(before, "(")) is_inner = !*a->type && is_one_of(token, "*&");
        const bool is_word = !is_default && token.kind == C_TOKEN_WORD && (!depth || is_inner);
        if (!is_default && (is_inner || !depth) && is_one_of(token, "*[")) a->is_pointer = true;
        a->stars += !is_default && !depth && is_one_of(token, "*");
        if (is_word && c_token_is(token, "const")) {
            a->is_const |= !a->is_pointer;  // behind the star it is the pointer that is const
        } else if (is_word && !is_qualifier(token)) {
            *is_good &= add_word(a, token);
            is_inner = false;
        }
        depth += is_one_of(token, "([{") || (!is_default && c_token_is(token, "<"));
        depth -= is_one_of(token, ")]}") || (!is_default && c_token_is(token, ">"));
        before = token;
    }
    if (*a->type) return token;
    g_strlcpy(a->type, a->name, sizeof a->type);  // a single word is a type
    a->name[0] = '\0';
    return token;
}

// Skips from an opening mark to the one that closes it.
static struct c_token skip_group(struct c_tokens *tokens, const char *opening, const char *closing)
{
    struct c_token token;
    for (int depth = 1; depth && (token = c_tokens_next_code(tokens)).kind;)
        depth += c_token_is(token, opening) - c_token_is(token, closing);
    return token;
}

bool signature_read(struct signature *s, const struct c_item *item)
{
    struct c_tokens tokens = c_tokens_of(item->head);
    struct c_token before = {.kind = C_TOKEN_END}, token;
    bool is_good = true;
    *s = (struct signature){.argument_count = 0};
    if (item->kind != C_ITEM_FUNCTION && item->kind != C_ITEM_KERNEL) return false;
    while ((token = c_tokens_next_code(&tokens)).kind && token.start < item->start + item->length) {
        // Behind such words, as __launch_bounds__ is, parentheses do not hold arguments.
        const bool is_attribute =
            c_token_is(before, "alignas") ||
            (before.kind == C_TOKEN_WORD && before.length > 4 && !strncmp(before.start, "__", 2) &&
             !strncmp(before.start + before.length - 2, "__", 2));
        if (c_token_is(before, "template") && c_token_is(token, "<")) {
            const char *const start = token.start + 1;
            token = skip_group(&tokens, "<", ">");
            is_good &= take(s->parameters, sizeof s->parameters, start, token.start);
        } else if (c_token_is(token, "(") && is_attribute) {
            const char *const start = token.start + 1;
            token = skip_group(&tokens, "(", ")");
            if (c_token_is(before, "__launch_bounds__"))
                is_good &= take(s->bounds, sizeof s->bounds, start, token.start);
        } else if (c_token_is(token, "(")) {
            break;
        }
        s->is_device |= c_token_is(token, "__device__");
        before = token;
    }
    if (before.kind != C_TOKEN_WORD ||
        !take(s->name, sizeof s->name, before.start, before.start + before.length))
        return false;
    do {
        struct signature_argument a;
        token = read_argument(&a, &tokens, &is_good);
        const bool is_void = !*a.name && !a.is_pointer && (!*a.type || !strcmp(a.type, "void"));
        if (is_void && !s->argument_count && c_token_is(token, ")")) break;
        if (s->argument_count == SIGNATURE_MAX_ARGUMENTS) return false;
        s->arguments[s->argument_count++] = a;
    } while (c_token_is(token, ","));
    return is_good && c_token_is(token, ")");
}

// A struct's declaration in a text, from "typedef" or "struct" up to its semicolon.
struct found {
    const char *start, *braces, *behind, *end;  // behind: behind its closing brace
    int alignment;                              // that it asks for; 0: none
};

#define HEAD                                     \
    "(?:\\btypedef\\s+)?\\b(?:struct|class)\\s+" \
    "(?:(?:__align__|alignas)\\s*\\(\\s*(\\d+)\\s*\\)\\s*)?"

// The opening brace of what closes at `brace`; NULL: there is none.
static const char *opening_of(const char *text, const char *brace)
{
    int depth = 1;
    while (depth && brace > text) {
        brace--;
        depth += (*brace == '}') - (*brace == '{');
    }
    return depth ? NULL : brace;
}

// Finds a struct of that name. The text has no comments. Braces are counted here and not by a
// regular expression, which would start again at each of the braces that a text may leave open.
static bool find_struct(struct found *s, const char *text, const char *name)
{
    enum { MOST_LETTERS = 300 };  // of a head
    g_autofree char *own = g_strdup_printf(HEAD "%s\\s*(?=\\{)", name),
                    *last = g_strdup_printf("\\}(?=\\s*%s\\s*;)", name);
    g_autoptr(GRegex) first = g_regex_new(own, G_REGEX_RAW, 0, NULL),
                      behind = g_regex_new(last, G_REGEX_RAW, 0, NULL),
                      ahead = g_regex_new(HEAD "(?:\\w+\\s*)?$", G_REGEX_RAW, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL, closing = NULL;
    g_autofree char *head = NULL, *asked = NULL;
    int from, to;
    if (!first || !behind) return false;
    const char *base = text;
    if (!g_regex_match(first, text, 0, &match)) {
        if (!g_regex_match(behind, text, 0, &closing)) return false;
        g_match_info_fetch_pos(closing, 0, &from, NULL);
        const char *const brace = opening_of(text, text + from);
        if (!brace) return false;
        base = MAX(text, brace - MOST_LETTERS);
        head = g_strndup(base, (gsize)(brace - base));
        g_clear_pointer(&match, g_match_info_free);
        if (!g_regex_match(ahead, head, 0, &match)) return false;
    }
    g_match_info_fetch_pos(match, 0, &from, &to);
    asked = g_match_info_fetch(match, 1);
    *s =
        (struct found){base + from, base + to, base + to + 1, .alignment = asked ? atoi(asked) : 0};
    for (int depth = 1; depth && *s->behind; s->behind++)
        depth += (*s->behind == '{') - (*s->behind == '}');
    for (s->end = s->behind; g_ascii_isalnum(*s->end) || g_ascii_isspace(*s->end) ||
                             (*s->end && strchr("_,", *s->end));)
        s->end++;
    return *s->end++ == ';';
}

// A side such as [K] becomes [4] if the text says #define K 4 or constexpr int K = 4.
static gboolean write_side(const GMatchInfo *match, GString *to, gpointer text)
{
    g_autofree char *whole = g_match_info_fetch(match, 0), *name = g_match_info_fetch(match, 1);
    g_autofree char *form = g_strdup_printf(
        "(?:\\bdefine\\s+|\\bconst(?:expr)?\\s+(?:\\w+\\s+){1,3})%s\\s*=?[\\s(]*(\\d{1,9})[uU]?\\b"
        "(?!\\s*[-+*/%%<.])",
        name);
    g_auto(GStrv) parts = g_regex_split_simple(form, text, G_REGEX_RAW, 0);
    const char *const value = parts[0] ? parts[1] : NULL;
    if (value)
        g_string_append_printf(to, "[%s]", value);
    else
        g_string_append(to, whole);
    return FALSE;
}

static char *with_sides(const char *declaration, const char *text)
{
    g_autoptr(GRegex) named = g_regex_new("\\[\\s*([A-Za-z_]\\w*)\\s*\\]", G_REGEX_RAW, 0, NULL);
    return g_regex_replace_eval(named, declaration, -1, 0, 0, write_side, (gpointer)text, NULL);
}

char *signature_struct_text(const char *text, const char *name)
{
    g_autofree char *code = c_tokens_blank_comments(text, true), *whole = NULL;
    struct found found;
    if (find_struct(&found, code, name))
        whole = g_strndup(found.start, (gsize)(found.end - found.start));
    return whole ? with_sides(whole, code) : NULL;
}

// What stands in a struct's braces besides its functions and labels, without its last semicolon.
static char *members_of(const char *inside)
{
    GString *all = g_string_new(NULL);
    g_autoptr(GRegex) labels =
        g_regex_new("\\b(public|private|protected)\\s*:", G_REGEX_RAW, 0, NULL);
    g_autofree char *own = g_regex_replace_literal(labels, inside, -1, 0, "", 0, NULL);
    struct c_tokens tokens = c_tokens_of(own);
    const char *start = NULL;  // of a declaration
    bool is_function = false, has_value = false;
    for (struct c_token token, before = {.kind = C_TOKEN_END};
         (token = c_tokens_next_code(&tokens)).kind; before = token) {
        if (!start && c_token_is(token, ";")) continue;  // behind a function's body
        if (!start) start = token.start;
        has_value |= c_token_is(token, "=");
        is_function |= c_token_is(token, "operator");
        if (c_token_is(token, "virtual")) g_string_append_c(all, '{');  // it has a table
        if (c_token_is(token, "(")) skip_group(&tokens, "(", ")");
        const bool has_body = c_token_is(token, "{"), ends = c_token_is(token, ";");
        if (has_body) skip_group(&tokens, "{", "}");
        struct c_tokens ahead = tokens;
        const struct c_token next = c_tokens_next_code(&ahead);
        // Not so: alignas(8) int a; float (*b)[4]; int c = int(3);
        is_function |= c_token_is(token, "(") && before.kind == C_TOKEN_WORD &&
                       !c_token_is(before, "__attribute__") && !has_value &&
                       (is_one_of(next, ";:{=-&") || c_token_is(next, "const") ||
                        c_token_is(next, "noexcept"));
        if (!ends && !(has_body && is_function && !is_one_of(next, ",{"))) continue;
        if (ends && !is_function) g_string_append_len(all, start, tokens.at - start);
        start = NULL;
        is_function = has_value = false;
    }
    if (all->len && all->str[all->len - 1] == ';') g_string_truncate(all, all->len - 1);
    return g_string_free(all, FALSE);
}

bool signature_read_members(struct signature *s, const char *text, const char *name)
{
    enum { MOST_LETTERS = 2000 };
    static const char plain[] =
        "^(?!(.*;)?\\s*(static|friend|using|typedef)\\b)[\\w\\s,;*\\[\\]]*$";
    static const char vectors[] =
        "struct float2 {float x, y;}; struct float3 {float x, y, z;};"
        "struct float4 {float x, y, z, w;}; struct double2 {double x, y;};"
        "struct double3 {double x, y, z;}; struct double4 {double x, y, z, w;};"
        "struct int2 {int x, y;}; struct int3 {int x, y, z;}; struct int4 {int x, y, z, w;};"
        "struct uint2 {unsigned int x, y;}; struct uint3 {unsigned int x, y, z;};"
        "struct uint4 {unsigned int x, y, z, w;}; struct uchar2 {unsigned char x, y;};"
        "struct uchar3 {unsigned char x, y, z;}; struct uchar4 {unsigned char x, y, z, w;};"
        "struct dim3 {unsigned int x, y, z;}; struct half2 {half x, y;};"
        "typedef struct curandState {int v[6];} curandState_t;";
    g_autofree char *code = c_tokens_blank_comments(text, true),
                    *all = g_strconcat(code, vectors, NULL);
    struct found found;
    if (!find_struct(&found, all, name)) return false;
    g_autofree char *braces = g_strndup(found.braces + 1, (gsize)(found.behind - found.braces - 2)),
                    *members = members_of(braces);
    if (strlen(members) > MOST_LETTERS) return false;
    g_autoptr(GRegex) values =  // int a = 3, b{4};
        g_regex_new("\\s*(?:=[^,;{}()]*|\\{[\\w\\s.+-]*\\})", G_REGEX_OPTIMIZE, 0, NULL);
    g_autofree char *bare = g_regex_replace_literal(values, members, -1, 0, "", 0, NULL),
                    *inside = with_sides(bare, code);
    if (!g_regex_match_simple(plain, inside, G_REGEX_RAW | G_REGEX_DOTALL, 0)) return false;
    // Becomes a function with these arguments, each behind its own type.
    g_autoptr(GString) function = g_string_new("void members(");
    g_auto(GStrv) lines = g_strsplit(inside, ";", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) names = g_strsplit(g_strstrip(*line), ",", -1);
        g_auto(GStrv) type = text_match("(.*?)[\\s*]*\\w+\\s*(?:\\[.*)?", names[0] ? names[0] : "");
        if (!type) return false;
        for (int i = 0; names[i]; i++) {
            const size_t length = strcspn(names[i], "[");
            g_autofree char *own = g_strchomp(g_strndup(names[i], length));
            int count = 1;  // elements of an array: each is an argument
            for (const char *side = names[i] + length; *side; side += strcspn(side, "[")) {
                side += 1 + strspn(side + 1, " ");
                const size_t digits = strspn(side, "0123456789");
                const bool is_number = side[digits + strspn(side + digits, " ")] == ']';
                count = (int)MIN((long long)count * (is_number ? atoi(side) : 0),
                                 SIGNATURE_MAX_ARGUMENTS + 1);
            }
            if (count < 1) return false;
            for (int n = 0; n < count; n++) {
                const bool is_first = function->str[function->len - 1] == '(';
                g_string_append_printf(function, "%s%s %s", is_first ? "" : ",", i ? type[0] : "",
                                       own);
                if (names[i][length]) g_string_append_printf(function, "_%d", n);
            }
        }
    }
    struct c_items items;
    g_string_append(function, ") {}");
    c_items_find(&items, function->str);
    const bool is_good = items.count == 1 && signature_read(s, &items.list[0]);
    c_items_finish(&items);
    s->alignment = found.alignment;
    return is_good;
}
