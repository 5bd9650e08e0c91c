#include "device/headers.h"

#include "base/file.h"
#include "base/text.h"
#include "device/backend.h"
#include "device/build_log.h"
#include "device/cache.h"
#include "device/device_text.h"

#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool headers_load(struct headers *h, const char *folder, struct error *err)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, ".h") && name[0] != '.' && strcmp(name, "kernel.h"))
            g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, by_name);
    // kernel.h comes first, even if it is missing: reading it then fails with its name.
    g_ptr_array_insert(names, 0, g_strdup("kernel.h"));
    struct headers found = {.list = g_new0(struct header, names->len)};
    bool is_good = true;
    for (guint i = 0; i < names->len && is_good; i++) {
        struct header *const one = &found.list[found.count++];
        one->path = g_build_filename(folder, g_ptr_array_index(names, i), NULL);
        one->text = file_read_text(one->path, err);
        is_good = one->text != NULL;
    }
    if (is_good)
        *h = found;
    else
        headers_finish(&found);
    return is_good;
}

void headers_add_users(struct headers *h, const char *path, const char *source)
{
    g_autofree char *folder = g_path_get_dirname(path);
    struct c_tokens tokens = c_tokens_of(source);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        const struct c_token included = c_tokens_included(token, &tokens);
        const bool is_quoted = included.kind == C_TOKEN_STRING && *included.start == '"';
        if (!is_quoted || included.length <= 2) continue;
        g_autofree char *name = g_strndup(included.start + 1, included.length - 2),
                        *beside = g_build_filename(folder, name, NULL);
        if (strchr(name, '/') || headers_find(h, name, strlen(name))) continue;
        char *const text = file_read_text(beside, NULL);
        if (!text) continue;
        // A line of _Pragma("once") becomes a directive, which stays where host code is left out.
        static const char form[] = "(?m)^[ \\t]*_Pragma[ \\t]*\\([ \\t]*\"once\"[ \\t]*\\)";
        g_auto(GStrv) parts = g_regex_split_simple(form, text, G_REGEX_RAW, 0);
        char *const own = g_strjoinv("#pragma once", parts);
        g_free(text);
        h->list = g_renew(struct header, h->list, h->count + 1);
        struct header *const one = &h->list[h->count++];
        *one = (struct header){g_steal_pointer(&beside), own, true};
        headers_add_users(h, one->path, own);
    }
}

char *headers_text_beside(const char *path, const char *source)
{
    OWNED(headers_finish) struct headers found = {0};
    GString *all = g_string_new(NULL);
    headers_add_users(&found, path, source);
    for (int i = found.count; i-- > 0;) g_string_append_printf(all, "%s\n", found.list[i].text);
    return g_string_free(all, FALSE);
}

void headers_finish(struct headers *h)
{
    for (int i = 0; i < h->count; i++) {
        g_free(h->list[i].path);
        g_free(h->list[i].text);
    }
    g_free(h->list);
    *h = (struct headers){0};
}

const struct header *headers_find(const struct headers *h, const char *name, size_t length)
{
    for (int i = 0; i < h->count; i++) {
        const char *own = build_log_name(h->list[i].path);
        if (strlen(own) == length && !strncmp(own, name, length)) return &h->list[i];
    }
    return NULL;
}

const struct header *headers_included(const struct headers *h, struct c_token token,
                                      struct c_tokens behind)
{
    const struct c_token name = c_tokens_included(token, &behind);
    return name.kind == C_TOKEN_STRING && name.length > 2
               ? headers_find(h, name.start + 1, name.length - 2)
               : NULL;
}

char *headers_key(const struct headers *h)
{
    char *key = g_strdup("");
    for (int i = 0; i < h->count; i++) {
        char *longer = cache_key(key, build_log_name(h->list[i].path), h->list[i].text, NULL);
        g_free(key);
        key = longer;
    }
    return key;
}

// ---- what a file includes and calls ----

static const char no_header[] = " is not one of the headers that a kernel file may include, which "
                                "are those beside kernel.h";

static void refuse(struct build_log *log, const char *path, const char *joined, struct c_token name,
                   const char *why, const char *remedy)
{
    const char *line = name.start;
    while (line > joined && line[-1] != '\n') line--;
    g_autofree char *message =
        g_strdup_printf("%.*s%s%s", (int)name.length, name.start, why, remedy);
    build_log_add(log, path, name.line, (int)(name.start - line) + 1, message, NULL);
}

static bool begins(struct c_token token, const char *prefix)
{
    const char *word = token.start + 1 + strspn(token.start + 1, " \t");
    return token.kind == C_TOKEN_DIRECTIVE && g_str_has_prefix(word, prefix);
}

// Behind exactly "#if 0", skips the lines that it disables, up to its #else, #elif or #endif.
static void skip_off(struct c_token token, struct c_tokens *tokens)
{
    struct c_tokens behind = *tokens;
    if (!c_token_is(c_tokens_directive(token, &behind), "if")) return;
    if (!c_token_is(c_tokens_next_code(&behind), "0")) return;
    token = c_tokens_next_code(&behind);
    if (token.kind && token.is_directive && token.kind != C_TOKEN_DIRECTIVE) return;
    for (int depth = 1; depth > 0;) {  // of the #ifs
        token = c_tokens_next(tokens);
        if (token.kind == C_TOKEN_END || (depth == 1 && begins(token, "el"))) return;
        depth += begins(token, "if") - begins(token, "endif");
    }
}

bool headers_uses(const char *text, GHashTable *words)
{
    struct c_tokens tokens = c_tokens_of(text);
    struct c_token macro = {.kind = C_TOKEN_END};  // the one being defined
    bool is_used = false;
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        if (token.kind == C_TOKEN_DIRECTIVE)
            macro = begins(token, "define") ? c_tokens_next(&tokens) : token;
        if (token.kind != C_TOKEN_WORD) continue;
        g_autofree char *word = g_strndup(token.start, token.length);
        const bool is_one = g_hash_table_contains(words, word);
        is_used |= is_one && !token.is_directive;
        if (is_one && token.is_directive && macro.kind == C_TOKEN_WORD)
            g_hash_table_add(words, g_strndup(macro.start, macro.length));
    }
    return is_used;
}

// ---- functions whose last bits differ between devices ----
//
// They are functions of the C library and of CUDA that are not rounded correctly, such as expf, and
// CUDA's fast ones. They are found by name; members and names that the text itself declares do not
// count.

// The state of a reader of a text's tokens.
struct inexact {
    GHashTable *own;           // names that the text declares
    struct c_token before[2];  // the last two tokens, the last one first
};

// Each with an f is a function of floats, too. cpu/cuda_words.h has words for the common ones.
static const char *const names[] = {
    "exp",    "exp2",   "exp10",   "expm1",   "log",     "log2",    "log10", "log1p",      "sin",
    "cos",    "tan",    "asin",    "acos",    "atan",    "atan2",   "sinh",  "cosh",       "tanh",
    "asinh",  "acosh",  "atanh",   "pow",     "cbrt",    "rcbrt",   "rsqrt", "hypot",      "erf",
    "erfc",   "sincos", "lgamma",  "tgamma",  "normcdf", "sinpi",   "cospi", "sincospi",   "rhypot",
    "norm3d", "norm4d", "rnorm3d", "rnorm4d", "erfinv",  "erfcinv", "erfcx", "normcdfinv", NULL};
static const char *const fast[] = {"__expf",    "__exp10f",   "__logf",   "__log2f",     "__log10f",
                                   "__powf",    "__sinf",     "__cosf",   "__tanf",      "__tanhf",
                                   "__sincosf", "__fdividef", "fdividef", "__frsqrt_rn", NULL};

// Takes the text's next token, with `tokens` behind it. True: it names such a function.
static bool take_inexact(struct inexact *reader, struct c_token token, struct c_tokens tokens)
{
    static const char *const statements[] = {"return", "else", "do", "case", "throw"};
    const struct c_token before[2] = {reader->before[0], reader->before[1]};
    if (token.kind == C_TOKEN_COMMENT) return false;
    reader->before[1] = before[0];
    reader->before[0] = token;
    if (token.kind != C_TOKEN_WORD) return false;
    g_autofree char *word = g_strndup(token.start, token.length);
    // A variable may well be called log, so a name without f counts only in a call.
    const bool is_call = c_token_is(c_tokens_next_code(&tokens), "(");
    bool is_inexact = g_strv_contains(fast, word) || (is_call && g_strv_contains(names, word));
    if (g_str_has_suffix(word, "f") && !is_inexact) {
        g_autofree char *shorter = g_strndup(word, token.length - 1);
        is_inexact = g_strv_contains(names, shorter);
    }
    if (!is_inexact) return false;
    // Behind a type, or "#define", it is a new name.
    bool is_declared = before[0].kind == (token.is_directive ? C_TOKEN_DIRECTIVE : C_TOKEN_WORD);
    for (size_t i = 0; i < G_N_ELEMENTS(statements) && !token.is_directive; i++)
        is_declared &= !c_token_is(before[0], statements[i]);
    if (is_declared) g_hash_table_add(reader->own, g_strdup(word));
    const bool is_member =
        c_token_is(before[0], ".") || (c_token_is(before[0], ">") && c_token_is(before[1], "-"));
    return !is_member && !g_hash_table_contains(reader->own, word);
}

// ---- the check ----

// Adds textures.h, and how the file's host code wants its textures read: all in one way.
static void add_textures(struct headers *h, const struct build *build, struct build_log *log)
{
    static const struct {
        const char *form, *name;  // name: of a macro; NULL: textures.h reads so anyway
        int kind;
    } ways[] = {
        {"\\bnormalizedCoords\\s*=\\s*(1|true)\\b", "NORMALIZED", 0},
        {"\\bnormalizedCoords\\s*=\\s*(0|false)\\b", NULL, 0},
        {"\\bcudaFilterModeLinear\\b", "LINEAR", 1},
        {"\\bcudaFilterModePoint\\b", NULL, 1},
        {"\\bcudaAddressModeClamp\\b", NULL, 2},
        {"\\bcudaAddressModeWrap\\b", "WRAP", 2},
        {"\\bcudaAddressModeMirror\\b", "MIRROR", 2},
        {"\\bcudaAddressModeBorder\\b", "BORDER", 2},
    };
    unsigned int kinds = 0;
    g_autofree char *code = c_tokens_blank_comments(build->source, false);
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_autoptr(GRegex) regex = g_regex_new(ways[i].form, G_REGEX_RAW, 0, NULL);
        g_autoptr(GMatchInfo) match = NULL;
        int from, to;
        if (!g_regex_match(regex, code, 0, &match)) continue;
        g_match_info_fetch_pos(match, 0, &from, &to);
        struct c_token said = {.start = code + from, .length = (size_t)(to - from), .line = 1};
        for (const char *at = code; at < said.start; at++) said.line += *at == '\n';
        if (kinds >> ways[i].kind & 1)
            refuse(log, build->path, code, said,
                   ": the file also says otherwise, but all its textures are read in one way", "");
        kinds |= 1u << ways[i].kind;
        if (ways[i].name)
            text_append(h->before, sizeof h->before, "#define TEXTURES_%s\n", ways[i].name);
    }
    text_append(h->before, sizeof h->before, "#include \"textures.h\"\n");
}

// Headers of ours that a file need not include: it includes CUDA's that do, or whole libraries.
static const struct {
    const char *word, *header;
} unasked[] = {
    {"cuda::std", "cuda_std.h"}, {"__nv_bfloat16", "cuda_bf16.h"}, {"__half", "cuda_fp16.h"}};

// True if texts call printf. A macro that does may be defined behind its first use.
static bool do_print(const GPtrArray *texts)
{
    g_autoptr(GHashTable) words = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    guint known = 0;
    bool is_used = false;
    for (g_hash_table_add(words, g_strdup("printf")); g_hash_table_size(words) > known;) {
        known = g_hash_table_size(words);
        for (guint i = 0; i < texts->len; i++) is_used |= headers_uses(texts->pdata[i], words);
    }
    return is_used;
}

// An #include that no #if surrounds, in a header that is read each time: whoever includes that
// reads this one, too. text: in which the name lies.
struct inclusion {
    const struct header *from, *to;
    guint from_index, to_index;  // among those that the file reaches
    const char *text;
    struct c_token name;
};

// Refuses headers that include each other without an end. A compiler ends at a depth of 200, but
// where each includes two, that takes longer than anybody waits.
static bool refuse_circle(struct build_log *log, const GArray *inclusions)
{
    guint before;
    g_autoptr(GArray) all = g_array_copy((GArray *)inclusions);
    do {  // leaves those that lie on a circle, or between two
        before = all->len;
        for (guint i = all->len; i-- > 0;) {
            const struct inclusion *const list = (const void *)all->data;
            bool is_reached = false, leads_on = false;
            for (guint k = 0; k < all->len; k++) {
                is_reached |= list[k].to == list[i].from;
                leads_on |= list[i].to == list[k].from;
            }
            if (!is_reached || !leads_on) g_array_remove_index(all, i);
        }
    } while (all->len < before);
    const struct inclusion *const first = (const void *)all->data;
    if (all->len)
        refuse(log, first->from->path, first->text, first->name,
               " includes this file again, without an end: begin both with #pragma once", "");
    return all->len;
}

// Refuses a header that is read very often, as the last of 30 of which each includes the next one
// twice: a compiler reads it 2^30 times. Inclusions without a circle end.
static void refuse_many(struct build_log *log, const GArray *all, guint count)
{
    enum { MOST = 10000 };
    bool is_over = false;
    g_autofree double *times = g_new0(double, 3 * count);
    double *const now = times + count, *const next = now + count;
    now[0] = 1;
    while (!is_over) {  // ways of one more step
        is_over = true;
        memset(next, 0, sizeof *next * count);
        for (guint i = 0; i < all->len; i++) {
            const struct inclusion *const one = &g_array_index(all, struct inclusion, i);
            next[one->to_index] += now[one->from_index];
            if (times[one->to_index] + next[one->to_index] <= MOST) continue;
            refuse(log, one->from->path, one->text, one->name,
                   " would be read more than 10000 times: begin it with #pragma once", "");
            return;
        }
        for (guint i = 0; i < count; i++) {
            times[i] += now[i] = next[i];
            is_over &= next[i] == 0;
        }
    }
}

bool headers_check(struct headers *h, const struct build *build, struct error *err)
{
    struct build_log *log = build_log_create(build, h);
    const struct header file = {(char *)build->path, (char *)build->source, true};
    g_autoptr(GPtrArray) reached = g_ptr_array_new();  // the file, then headers
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) inclusions = g_array_new(FALSE, FALSE, sizeof(struct inclusion));
    bool is_inexact = false;
    g_ptr_array_add(reached, (gpointer)&file);
    for (guint i = 0; i < reached->len; i++) {
        const struct header *const one = g_ptr_array_index(reached, i);
        // The part that is compiled: without host code and forbidden #includes.
        g_autofree char *text = build->calls && one->is_users
                                    ? device_text(one->text, build->calls, h)
                                    : g_strdup(one->text);
        g_autofree char *code = c_tokens_blank_comments(text, false);
        char *joined = c_tokens_join_lines(code);
        struct c_tokens tokens = c_tokens_of(joined);
        g_autoptr(GHashTable) own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        struct inexact inexact = {.own = own, .before = {{.start = ""}, {.start = ""}}};
        const guint known = inclusions->len;
        int ifs = 0;
        bool is_once = false;
        for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
            skip_off(token, &tokens);
            if (take_inexact(&inexact, token, tokens) && build->inexact && !is_inexact) {
                refuse(log, one->path, joined, token, ": its last bits differ between devices; ",
                       build->inexact);
                is_inexact = true;  // one line with the remedy follows
            }
            const struct header *const header = headers_included(h, token, tokens);
            struct c_tokens behind = tokens;
            ifs += begins(token, "if") - begins(token, "endif");
            is_once |= begins(token, "pragma") && c_token_is(c_tokens_next_code(&behind), "once");
            const struct c_token name = c_tokens_included(token, &tokens);
            guint to = reached->len;
            if (header && !g_ptr_array_find(reached, header, &to))
                g_ptr_array_add(reached, (gpointer)header);
            else if (!header && name.kind)
                refuse(log, one->path, joined, name, no_header, "");
            const struct inclusion inclusion = {one, header, i, to, joined, name};
            if (header && !ifs && !begins(token, "import"))  // which reads no header again
                g_array_append_val(inclusions, inclusion);
        }
        g_ptr_array_add(texts, joined);
        if (is_once) g_array_set_size(inclusions, known);
    }
    if (!refuse_circle(log, inclusions)) refuse_many(log, inclusions, reached->len);
    const bool has_prints = do_print(texts);
    g_ptr_array_add(texts, NULL);
    g_autofree char *all = g_strjoinv("\n", (char **)texts->pdata);
    g_strlcpy(h->before, has_prints ? "#include \"prints.h\"\n" : "", sizeof h->before);
    if (strstr(all, "cudaTextureObject_t") || strstr(all, "cudaSurfaceObject_t"))
        add_textures(h, build, log);
    for (size_t i = 0; i < G_N_ELEMENTS(unasked); i++)
        if (strstr(all, unasked[i].word))
            text_append(h->before, sizeof h->before, "#include \"%s\"\n", unasked[i].header);
    const bool is_refused = build_log_take(log, err);
    build_log_free(log);
    return !is_refused;
}
