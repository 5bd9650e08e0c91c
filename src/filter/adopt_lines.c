// adopt_lines.c -- which lines of a file a compiler reads, as #if and #ifdef say.
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "base/text.h"
#include "filter/adopt_notes.h"

enum truth { FALSE_HERE, TRUE_HERE, NOT_KNOWN };

// An #if that is open.
struct condition {
    bool is_outer_read;  // the lines around it are
    bool is_taken;       // one of its branches surely is
    bool is_read;        // the present branch may be
};

// The name is defined, as macros say. Names that compilers define are not known.
static enum truth is_defined(GHashTable *macros, const char *name)
{
    if (g_hash_table_contains(macros, name)) return TRUE_HERE;
    return g_str_has_prefix(name, "__") ? NOT_KNOWN : FALSE_HERE;
}

// The truth of `defined(X)`, `!defined X`, `X`, `12` or `X >= 12`; of others it is not known.
static enum truth judge(GHashTable *macros, const char *text)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    g_auto(GStrv) asked = text_match("\\s*(!?)\\s*defined[\\s(]*(\\w+)[\\s)]*", text);
    g_auto(GStrv) compared = text_match("\\s*(\\w+)\\s*(?:(==|!=|<=|>=|<|>)\\s*(\\d+)\\s*)?", text);
    if (asked) {
        const enum truth defined = is_defined(macros, asked[1]);
        return defined == NOT_KNOWN ? defined : (defined == TRUE_HERE) != (*asked[0] == '!');
    }
    if (!compared) return NOT_KNOWN;
    const char *value = compared[0];
    if (!g_ascii_isdigit(*value)) {
        const enum truth defined = is_defined(macros, value);
        if (defined == NOT_KNOWN) return NOT_KNOWN;
        value = defined == TRUE_HERE ? g_hash_table_lookup(macros, value) : "0";
    }
    char *end;
    const long own = strtol(value, &end, 0), other = atol(compared[2]);
    if (end == value || *end) return NOT_KNOWN;
    const bool answers[] = {own == other, own != other, own <= other, own >= other,
                            own<other, own> other};
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++)
        if (!strcmp(compared[1], signs[i])) return answers[i];
    return own != 0;
}

// Keeps what #define and #undef say. text: what stands behind these.
static void note_macro(GHashTable *macros, bool is_defined, const char *text)
{
    g_auto(GStrv) parts = text_match("\\s*(\\w+)(.*)", text);
    if (parts && is_defined)
        g_hash_table_insert(macros, g_strdup(parts[0]), g_strdup(g_strstrip(parts[1])));
    else if (parts)
        g_hash_table_remove(macros, parts[0]);
}

// The text with blanks in place of what is not read. Macros are those before it, and then behind
// it.
static char *read_lines(GHashTable *macros, const char *source)
{
    enum { MOST_OPEN = 64 };
    struct condition open[MOST_OPEN + 1] = {{true, true, true}}, *now = open;
    char *const text = g_strdup(source);
    g_autofree char *bare = c_tokens_blank_comments(source, true);
    const char *left = NULL;  // from where on no line is read
    struct c_tokens tokens = c_tokens_of(bare);
    struct c_token token;
    do {
        token = c_tokens_next(&tokens);
        struct c_tokens behind = tokens;
        if (token.kind && token.kind != C_TOKEN_DIRECTIVE) continue;
        const struct c_token word = c_tokens_directive(token, &behind);
        g_autofree char *rest = g_strndup(behind.at, strcspn(behind.at, "\n"));
        const bool is_ifdef = c_token_is(word, "ifdef"), is_ifndef = c_token_is(word, "ifndef");
        const bool is_elif = c_token_is(word, "elif"), is_else = c_token_is(word, "else");
        const bool opens = c_token_is(word, "if") || is_ifdef || is_ifndef;
        const bool was_read = now->is_read;
        g_autofree char *asked = g_strdup_printf(is_ifdef    ? "defined%s"
                                                 : is_ifndef ? "!defined%s"
                                                             : "%s",
                                                 rest);
        if (opens && now == open + MOST_OPEN) break;
        if (opens) now[1] = (struct condition){.is_outer_read = now->is_read}, now++;
        if ((opens || is_elif || is_else) && now > open) {
            const enum truth is_true = is_else ? TRUE_HERE : judge(macros, asked);
            now->is_read = now->is_outer_read && !now->is_taken && is_true != FALSE_HERE;
            now->is_taken |= is_true == TRUE_HERE;
        } else if (c_token_is(word, "endif") && now > open) {
            now--;
        } else if (now->is_read && (c_token_is(word, "define") || c_token_is(word, "undef"))) {
            note_macro(macros, c_token_is(word, "define"), rest);
        }
        const char *const end = token.kind ? token.start : bare + strlen(bare);
        for (; left && left < end; left++)
            if (*left != '\n') text[left - bare] = ' ';
        // Of two branches one is left: what begins in it ends behind the #endif.
        if ((is_elif || is_else) && !(was_read && now->is_read))
            memset(text + (token.start - bare), ' ', strcspn(token.start, "\n"));
        left = now->is_read ? NULL : tokens.at;
    } while (token.kind);
    return text;
}

static GHashTable *macros_of(const char *source)
{
    GHashTable *const macros = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_free(read_lines(macros, source));
    return macros;
}

char *adopt_read_lines(const char *beside, const char *file)
{
    // What the file defines mostly stands above what it includes.
    g_autoptr(GHashTable) of_file = macros_of(file), of_beside = macros_of(beside);
    g_autofree char *headers = read_lines(of_file, beside), *own = read_lines(of_beside, file);
    return g_strconcat(headers, own, NULL);
}
