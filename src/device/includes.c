#include "device/includes.h"

#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "device/build_log.h"

struct text {
    const char *path, *source;
};

struct search {
    const struct headers *headers;
    struct build_log *log;
    GArray *texts;  // struct text: the file, then the headers that were reached
};

static void add_text(struct search *s, const char *path, const char *source)
{
    for (guint i = 0; i < s->texts->len; i++)
        if (g_array_index(s->texts, struct text, i).source == source) return;
    const struct text text = {path, source};
    g_array_append_val(s->texts, text);
}

static void refuse(struct search *s, const struct text *text, const char *joined,
                   struct c_token name)
{
    static const char why[] = "is not one of the headers that a kernel file may include, which "
                              "are those beside kernel.h";
    const char *line = name.start;
    while (line > joined && line[-1] != '\n') line--;
    const size_t closed = strcspn(name.start, ">\n"), rest = name.start[closed] == '>';
    const size_t length = *name.start == '<' ? closed + rest : name.length;
    char *message = g_strdup_printf("%.*s %s", (int)length, name.start, why);
    build_log_add(s->log, text->path, name.line, (int)(name.start - line) + 1, message, NULL);
    g_free(message);
}

// ---- directives ----

static bool begins(struct c_token token, const char *prefix)
{
    const char *word = token.start + 1 + strspn(token.start + 1, " \t");
    return token.kind == C_TOKEN_DIRECTIVE && g_str_has_prefix(word, prefix);
}

// "#if 0" and no more.
static bool switches_off(struct c_token token, struct c_tokens behind)
{
    if (!begins(token, "if") || begins(token, "ifdef") || begins(token, "ifndef")) return false;
    if (!c_token_is(c_tokens_next(&behind), "0")) return false;
    do token = c_tokens_next(&behind);
    while (token.kind == C_TOKEN_COMMENT && !token.is_first);
    return token.kind == C_TOKEN_END || token.is_first;
}

// Skips what "#if 0" switches off, up to where it may be on again.
static void skip_off(struct c_tokens *tokens)
{
    int depth = 1;  // of the #ifs
    while (depth > 0) {
        const struct c_token token = c_tokens_next(tokens);
        if (token.kind == C_TOKEN_END) return;
        if (depth == 1 && begins(token, "el")) return;
        depth += begins(token, "if") - begins(token, "endif");
    }
}

static void read_text(struct search *s, struct text text, bool is_header)
{
    char *joined = c_tokens_join_lines(text.source);
    struct c_tokens tokens = c_tokens_of(joined);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        if (switches_off(token, tokens)) skip_off(&tokens);
        if (!begins(token, "include") && !begins(token, "import")) continue;
        const struct c_token name = c_tokens_next(&tokens);
        const struct header *header =
            name.kind == C_TOKEN_STRING && name.length > 2
                ? headers_find(s->headers, name.start + 1, name.length - 2)
                : NULL;
        // common.h includes the emulator's where no CUDA compiler reads. The cache's key of the cpu
        // device covers it.
        const bool is_emulator = is_header && c_token_is(name, "\"cuda_words.h\"");
        if (header)
            add_text(s, header->path, header->text);
        else if (!is_emulator)
            refuse(s, &text, joined, name);
    }
    g_free(joined);
}

bool includes_check(const struct build *build, const struct headers *headers, struct error *err)
{
    struct search s = {.headers = headers,
                       .log = build_log_create(build->path, build->source, headers),
                       .texts = g_array_new(FALSE, FALSE, sizeof(struct text))};
    add_text(&s, build->path, build->source);
    for (guint i = 0; i < s.texts->len; i++)
        read_text(&s, g_array_index(s.texts, struct text, i), i > 0);
    const bool is_refused = build_log_take(s.log, err);
    build_log_free(s.log);
    g_array_free(s.texts, TRUE);
    return !is_refused;
}
