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

// The truth of an #ifdef or #ifndef.
static enum truth judge_name(GHashTable *macros, const char *text, bool is_negated)
{
    const struct c_token token = c_tokens_next(&(struct c_tokens){.at = text});
    g_autofree char *name = g_strndup(token.start, token.length);
    const enum truth defined = is_defined(macros, name);
    return defined == NOT_KNOWN ? defined : (defined == TRUE_HERE) != is_negated;
}

// The truth of `defined(X)`, `!defined X`, `X`, `12` or `X >= 12`; of others it is not known.
static enum truth judge(GHashTable *macros, const char *text)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    g_auto(GStrv) asked = text_match("\\s*(!?)\\s*defined[\\s(]*(\\w+)[\\s)]*", text);
    g_auto(GStrv) compared = text_match("\\s*(\\w+)\\s*(?:(==|!=|<=|>=|<|>)\\s*(\\d+)\\s*)?", text);
    if (asked) return judge_name(macros, asked[1], *asked[0] == '!');
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
    struct c_tokens behind = c_tokens_of(text);
    const struct c_token token = c_tokens_next(&behind);
    g_autofree char *name = g_strndup(token.start, token.length);
    if (token.kind == C_TOKEN_WORD && is_defined)
        g_hash_table_insert(macros, g_steal_pointer(&name), g_strstrip(g_strdup(behind.at)));
    else
        g_hash_table_remove(macros, name);
}

// The text with blanks in place of what is not read. Macros are those before it, and then behind
// it. own: if not NULL, those that the text defines.
static char *read_lines(GHashTable *macros, GHashTable *own, const char *source)
{
    enum { MOST_OPEN = 64 };
    struct condition open[MOST_OPEN + 1] = {{true, true, true}}, *now = open;
    char *const text = g_strdup(source);
    const char *left = NULL;  // from where on no line is read
    struct c_tokens tokens = c_tokens_of(source);
    struct c_token token;
    do {
        token = c_tokens_next(&tokens);
        struct c_tokens behind = tokens;
        if (token.kind && token.kind != C_TOKEN_DIRECTIVE) continue;
        const struct c_token word = c_tokens_directive(token, &behind);
        g_autofree char *all = g_strndup(behind.at, strcspn(behind.at, "\n")),
                        *rest = c_tokens_blank_comments(all, true);
        const bool is_ifdef = c_token_is(word, "ifdef"), is_ifndef = c_token_is(word, "ifndef");
        const bool is_elif = c_token_is(word, "elif"), is_else = c_token_is(word, "else");
        const bool opens = c_token_is(word, "if") || is_ifdef || is_ifndef;
        const bool was_read = now->is_read;
        if (opens && now == open + MOST_OPEN) break;
        if (opens) now[1] = (struct condition){.is_outer_read = now->is_read}, now++;
        if ((opens || is_elif || is_else) && now > open) {
            const enum truth is_true = is_else                 ? TRUE_HERE
                                       : is_ifdef || is_ifndef ? judge_name(macros, rest, is_ifndef)
                                                               : judge(macros, rest);
            now->is_read = now->is_outer_read && !now->is_taken && is_true != FALSE_HERE;
            now->is_taken |= is_true == TRUE_HERE;
        } else if (c_token_is(word, "endif") && now > open) {
            now--;
        } else if (now->is_read && (c_token_is(word, "define") || c_token_is(word, "undef"))) {
            note_macro(macros, c_token_is(word, "define"), rest);
            if (own) note_macro(own, c_token_is(word, "define"), rest);
        }
        const char *const end = token.kind ? token.start : source + strlen(source);
        for (; left && left < end; left++)
            if (*left != '\n') text[left - source] = ' ';
        // Of two branches one is left: what begins in it ends behind the #endif.
        if ((is_elif || is_else) && !(was_read && now->is_read))
            memset(text + (token.start - source), ' ', strcspn(token.start, "\n"));
        left = now->is_read ? NULL : tokens.at;
    } while (token.kind);
    return text;
}

char *adopt_read_lines(const char *beside, const char *file)
{
    // What the file defines mostly stands above what it includes.
    g_autoptr(GHashTable) all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GHashTable) of_beside =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_free(read_lines(all, NULL, file));
    g_autofree char *headers = read_lines(all, of_beside, beside),
                    *own = read_lines(of_beside, NULL, file);
    return g_strconcat(headers, own, NULL);
}
