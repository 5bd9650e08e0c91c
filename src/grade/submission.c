#include "grade/submission.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "base/file.h"
#include "device/build_log.h"
#include "device/headers.h"
#include "filter/kernel_text.h"

// The given part, as the filter's lines are read from, and as the compiler includes it.
static const char given_directives[] = "given.txt", given_header[] = "given.h";

// ---- what a text may hold ----

static const struct refusal {
    const char *word, *why;
} words[] = {
    {"asm", "is not counted; write it in CUDA C"},
    {"__asm", "is not counted; write it in CUDA C"},
    {"__asm__", "is not counted; write it in CUDA C"},
    {"memcpy", "is not counted; assign the elements"},
    {"memset", "is not counted; assign the elements"},
    {"memmove", "is not counted; assign the elements"},
    {"memcmp", "is not counted; compare the elements"},
    {"extern", "names something outside of the file; shared memory whose size is known at launch "
               "is called tile"},
    {"__CUDACC__", "tells devices apart; a kernel is the same on each"},
    {"__CUDA_ARCH__", "tells devices apart; a kernel is the same on each"},
};

static bool refuse(struct error *err, const char *name, int line, struct c_token token,
                   const char *why)
{
    return error_set(err, "%s:%d: '%.*s' %s", name, line, (int)token.length, token.start, why);
}

static bool is_plain(const char *name, const char *text, struct error *err)
{
    int line = 1;
    // Compilers disagree about what other control characters are: blanks, ends of lines, or
    // neither.
    for (const char *c = text; *c; c++) {
        line += *c == '\n';
        if (g_ascii_iscntrl(*c) && *c != '\n' && *c != '\t' && strncmp(c, "\r\n", 2) != 0)
            return error_set(err,
                             "%s:%d: the file has a control character (0x%02x): save it as "
                             "plain text",
                             name, line, (unsigned int)*c);
    }
    return true;
}

// Such a function stays one when all others have become part of the kernel. Of a call, GCC does not
// report the structs that are passed, and lanes that return from it meet too late.
static bool calls_itself(const char *name, const struct c_item *item, struct error *err)
{
    bool has_begun = false, is_found = false;
    char *text = g_strndup(item->start, item->length),
         *function = g_strndup(item->name, item->name_length);
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; !is_found && (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        struct c_tokens behind = tokens;
        if (!c_token_is(token, function) || !c_token_is(c_tokens_next(&behind), "(")) continue;
        is_found = has_begun;
        has_begun = true;
        if (is_found)
            refuse(err, name, item->line + token.line - 1, token,
                   "calls itself: what it reads and writes cannot be counted; write a loop");
    }
    g_free(text);
    g_free(function);
    return is_found;
}

bool submission_check_text(const char *name, const char *text, struct error *err)
{
    if (!is_plain(name, text, err)) return false;
    char *joined = c_tokens_join_lines(text);
    struct c_tokens tokens = c_tokens_of(joined);
    struct c_items items;
    bool is_good = true;
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;)
        for (size_t i = 0; is_good && token.kind == C_TOKEN_WORD && i < G_N_ELEMENTS(words); i++)
            if (c_token_is(token, words[i].word))
                is_good = refuse(err, name, token.line, token, words[i].why);
    c_items_find(&items, joined);
    for (int i = 0; is_good && i < items.count; i++)
        is_good = items.list[i].kind != C_ITEM_FUNCTION || !calls_itself(name, &items.list[i], err);
    c_items_finish(&items);
    g_free(joined);
    return is_good;
}

// ---- what is whose ----

enum owner { OF_VARIANTS, OF_TITLE, OF_INCLUDE, OF_PARAMS, OF_ARRAYS, OF_REFERENCE };

static enum owner owner_of_line(const char *line)
{
    static const char *const titles[] = {"filter", "lab", "weights", "goal", "file"};
    char word[16] = "";
    if (sscanf(line, " //! %15[a-z]", word) == 1)
        for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
            if (!strcmp(word, titles[i])) return OF_TITLE;
    int used = 0;
    sscanf(line, " # include \"%15[a-z].h\"%n", word, &used);
    if (used && (!strcmp(word, "lab") || !strcmp(word, "kernel"))) return OF_INCLUDE;
    sscanf(line, " NO_PARAMS ; %n", &used);
    return used && strstr(line, "NO_PARAMS") ? OF_PARAMS : OF_VARIANTS;
}

static struct c_token next_of_code(struct c_tokens *tokens)
{
    struct c_token token;
    do token = c_tokens_next(tokens);
    while (token.kind == C_TOKEN_COMMENT);
    return token;
}

static enum owner owner_of_item(const struct c_item *item)
{
    const bool is_struct = item->kind == C_ITEM_STRUCT;
    if (is_struct && c_item_defines(item, "params", strlen("params"))) return OF_PARAMS;
    if (is_struct && c_item_defines(item, "arrays", strlen("arrays"))) return OF_ARRAYS;
    // A kernel's item is named like the kernel, so a REFERENCE is told by its word.
    struct c_tokens tokens = c_tokens_of(item->start);
    const bool is_reference =
        item->kind == C_ITEM_KERNEL && c_token_is(next_of_code(&tokens), "REFERENCE");
    return is_reference ? OF_REFERENCE : OF_VARIANTS;
}

// The owner of each line of a text, from its first; the caller frees it.
static enum owner *owners_of(const char *text, char **lines)
{
    char *code = c_tokens_blank_comments(text), **code_lines = g_strsplit(code, "\n", -1);
    const guint count = g_strv_length(lines);
    enum owner *owners = g_new(enum owner, count + 1);
    struct c_items items;
    for (guint i = 0; i < count; i++) owners[i] = owner_of_line(code_lines[i]);
    g_strfreev(code_lines);
    g_free(code);
    c_items_find(&items, text);
    for (int i = 0; i < items.count; i++) {
        const enum owner owner = owner_of_item(&items.list[i]);
        guint line = (guint)items.list[i].line - 1;
        for (size_t at = 0; owner && at < items.list[i].length; line++) {
            owners[line] = owner;
            at += strlen(lines[line]) + 1;
        }
    }
    c_items_finish(&items);
    return owners;
}

// The lines of these owners, as bits, alone; params, arrays and REFERENCE a blank line apart.
static char *lines_of(const char *text, unsigned int wanted)
{
    char **lines = g_strsplit(text, "\n", -1);
    enum owner *owners = owners_of(text, lines);
    GString *all = g_string_new(NULL);
    for (guint i = 0; lines[i]; i++) {
        const bool is_wanted = wanted >> owners[i] & 1;
        if (is_wanted && i && owners[i - 1] != owners[i] && owners[i] > OF_INCLUDE)
            g_string_append_c(all, '\n');
        if (is_wanted) g_string_append_printf(all, "%s\n", lines[i]);
    }
    g_free(owners);
    g_strfreev(lines);
    return g_string_free(all, FALSE);
}

static char *given_text(const struct filter *given)
{
    return lines_of(given->source,
                    1u << OF_TITLE | 1u << OF_INCLUDE | 1u << OF_PARAMS | 1u << OF_ARRAYS);
}

// ---- the student's text ----

static bool is_same_code(const char *one, const char *other)
{
    struct c_tokens a = c_tokens_of(one), b = c_tokens_of(other);
    struct c_token x, y;
    do {
        x = next_of_code(&a);
        y = next_of_code(&b);
        if (x.kind != y.kind || x.length != y.length || strncmp(x.start, y.start, x.length))
            return false;
    } while (x.kind != C_TOKEN_END);
    return true;
}

static char *notes_on(const struct filter *given, const char *text)
{
    static const char *const names[] = {
        [OF_PARAMS] = "struct params", [OF_ARRAYS] = "struct arrays", [OF_REFERENCE] = "REFERENCE"};
    GString *notes = g_string_new(NULL);
    for (int i = OF_PARAMS; i <= OF_REFERENCE; i++) {
        char *ours = lines_of(given->source, 1u << i), *theirs = lines_of(text, 1u << i);
        if (*theirs && !is_same_code(ours, theirs))
            g_string_append_printf(notes, "%s of the file is not %s's and was ignored\n", names[i],
                                   given->name);
        g_free(ours);
        g_free(theirs);
    }
    return g_string_free(notes, FALSE);
}

// The text with as many lines as before; NULL: it includes neither lab.h nor kernel.h.
static char *prepare_text(const char *text)
{
    char **lines = g_strsplit(text, "\n", -1);
    enum owner *owners = owners_of(text, lines);
    GString *all = g_string_new(NULL);
    bool has_include = false;
    for (guint i = 0; lines[i]; i++) {
        if (owners[i] == OF_INCLUDE && !has_include)
            g_string_append_printf(all, "#include \"%s\"", given_header);
        else if (owners[i] == OF_VARIANTS)
            g_string_append(all, lines[i]);
        has_include |= owners[i] == OF_INCLUDE;
        g_string_append_c(all, '\n');
    }
    g_free(owners);
    g_strfreev(lines);
    return g_string_free(all, !has_include);
}

// ---- the folder ----

char *submission_include(const char *folder)
{
    return g_build_filename(folder, "kernels", NULL);
}

static bool write_file(const char *folder, const char *name, const char *text, struct error *err)
{
    char *path = g_build_filename(folder, name, NULL);
    const bool is_written = file_write(path, text, strlen(text), err);
    g_free(path);
    return is_written;
}

static bool make_folder(struct submission *s, struct error *err)
{
    GError *why = NULL;
    s->folder = g_dir_make_tmp("tilescope-grade-XXXXXX", &why);
    if (!s->folder) {
        error_set(err, "%s", why->message);
        g_error_free(why);
        return false;
    }
    char *kernels = submission_include(s->folder),
         *work = g_build_filename(s->folder, "work", NULL);
    const bool is_made = !g_mkdir(kernels, 0700) && !g_mkdir(work, 0700);
    g_free(kernels);
    g_free(work);
    return is_made || error_set(err, "cannot make folders in '%s'", s->folder);
}

// ---- reading it as a filter ----

// The path has the given file's name, which is the filter's.
static bool parse(struct filter *f, const char *folder, const char *given_name, const char *given,
                  const char *text, const char *file_name, struct error *err)
{
    char *path = g_strdup_printf("%s/kernels/%s.cu", folder, given_name);
    char *all = g_strconcat(given, text, NULL);
    const bool is_good = filter_parse(f, path, all, err);
    const size_t length = strlen(path);
    if (!is_good && !strncmp(err->text, path, length) && err->text[length] == ':') {
        // "…/transpose.cu:57: why" becomes "student.cu:41: why".
        char *rest = NULL, **lines = g_strsplit(given, "\n", -1);
        const long line = strtol(err->text + length + 1, &rest, 10);
        const long own = line - (long)g_strv_length(lines) + 1;
        char *why = g_strdup(rest);
        error_set(err, "%s:%ld%s", file_name, MAX(own, 1), why);
        g_free(why);
        g_strfreev(lines);
    }
    g_free(all);
    g_free(path);
    return is_good;
}

bool submission_read(struct filter *f, const char *folder, const char *given_name,
                     const char *file_name, struct error *err)
{
    char *ours = g_build_filename(folder, given_directives, NULL);
    char *path = g_build_filename(folder, "kernels", file_name, NULL);
    char *given = file_read_text(ours, err), *text = given ? file_read_text(path, err) : NULL;
    const bool is_good = text && parse(f, folder, given_name, given, text, file_name, err);
    if (is_good) {  // what is compiled includes the given part
        g_free(f->path);
        g_free(f->source);
        f->path = g_steal_pointer(&path);
        f->source = g_steal_pointer(&text);
    }
    g_free(text);
    g_free(given);
    g_free(path);
    g_free(ours);
    return is_good;
}

bool submission_can_be_graded(const struct submission *s, const struct variant *v,
                              struct error *err)
{
    const char *const why = v->library.function ? "is a library's, not a kernel"
                            : *v->prepare || *v->finish
                                ? "has prepare= or finish=, which is not counted: a submission "
                                  "does all its work in its passes"
                                : NULL;
    return !why || error_set(err, "%s: variant '%s' %s", s->name, v->name, why);
}

static bool fill_folder(struct submission *s, const struct filter *given, const char *text,
                        const struct headers *headers, struct error *err)
{
    char *theirs = prepare_text(text);
    if (!theirs)
        return error_set(err, "%s:1: the file does not include \"%s\"", s->name,
                         filter_has_picture(given) ? "kernel.h" : "lab.h");
    char *ours = given_text(given), *kernels = NULL;
    // A header may hold no lines of params and arrays; to the compiler they are comments.
    GString *header = g_string_new(ours);
    g_string_replace(header, "//!", "// ", 0);
    bool is_good = make_folder(s, err);
    if (is_good) kernels = submission_include(s->folder);
    for (int i = 0; i < headers->count && is_good; i++)
        is_good =
            write_file(kernels, build_log_name(headers->list[i].path), headers->list[i].text, err);
    is_good = is_good && write_file(s->folder, given_directives, ours, err) &&
              write_file(kernels, given_header, header->str, err) &&
              write_file(kernels, s->name, theirs, err);
    g_string_free(header, TRUE);
    g_free(kernels);
    g_free(ours);
    g_free(theirs);
    return is_good;
}

bool submission_open_text(struct submission *s, const struct filter *given, const char *name,
                          const char *raw, const char *headers_folder, struct error *err)
{
    struct headers headers = {.count = 0};
    GString *text = g_string_new(raw);
    g_string_replace(text, "\r\n", "\n", 0);
    *s = (struct submission){.name = g_strdup(name)};
    bool is_good =
        (g_str_has_suffix(name, ".cu") || error_set(err, "'%s' is not a .cu file", name)) &&
        (text->len <= SUBMISSION_MAX_BYTES ||
         error_set(err, "%s is larger than %d KB", name, SUBMISSION_MAX_BYTES >> 10)) &&
        headers_load(&headers, headers_folder, err) &&
        submission_check_text(s->name, text->str, err) &&
        fill_folder(s, given, text->str, &headers, err) &&
        submission_read(&s->filter, s->folder, given->name, s->name, err);
    // The readers of //! lines see single lines, so a macro may look like a struct to them.
    if (is_good && (s->filter.param_count != given->param_count ||
                    s->filter.array_count != given->array_count))
        is_good =
            error_set(err, "%s declares params or arrays beside those of %s", s->name, given->name);
    if (is_good)
        s->notes = notes_on(given, text->str);
    else
        submission_close(s);
    headers_finish(&headers);
    g_string_free(text, TRUE);
    return is_good;
}

bool submission_open(struct submission *s, const struct filter *given, const char *path,
                     const char *headers, struct error *err)
{
    char *text = file_read_text(path, err), *name = g_path_get_basename(path);
    *s = (struct submission){.name = NULL};
    const bool is_good = text && submission_open_text(s, given, name, text, headers, err);
    g_free(name);
    g_free(text);
    return is_good;
}

void submission_close(struct submission *s)
{
    if (s->folder) file_remove_all(s->folder);
    filter_finish(&s->filter);
    g_free(s->folder);
    g_free(s->name);
    g_free(s->notes);
    *s = (struct submission){.folder = NULL};
}

// ---- a file to begin with ----

static bool uses(const char *text, const struct c_item *item)
{
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;)
        if (token.kind == C_TOKEN_WORD && c_item_defines(item, token.start, token.length))
            return true;
    return false;
}

// The functions and constants that the REFERENCE calls, which stand above it.
static char *helpers_of(const struct filter *given, const char *reference)
{
    struct c_items items;
    GString *all = g_string_new(NULL);
    c_items_find(&items, given->source);
    for (int i = items.count; i-- > 0;) {
        const struct c_item *item = &items.list[i];
        if (item->kind == C_ITEM_KERNEL || owner_of_item(item) != OF_VARIANTS) continue;
        char *text = g_strndup(item->start, item->length);
        if (uses(reference, item) || uses(all->str, item)) {
            g_string_prepend(all, "\n");
            g_string_prepend(all, text);
            g_string_prepend(all, "\n");
        }
        g_free(text);
    }
    c_items_finish(&items);
    return g_string_free(all, FALSE);
}

char *submission_skeleton(const struct filter *given)
{
    // The lab's key stays its own: the file may come to lie beside it.
    GRegex *key = g_regex_new("^(//! *(?:lab|filter) .*) key .$", G_REGEX_MULTILINE, 0, NULL);
    char *ours = given_text(given), *above = g_regex_replace(key, ours, -1, 0, "\\1", 0, NULL);
    char *reference = lines_of(given->source, 1u << OF_REFERENCE);
    char *helpers = helpers_of(given, reference);
    char *text = g_strdup_printf(
        "%s%s%s\n// What this kernel does, and why it is fast.\n//! variant mine 32x8\n"
        "KERNEL(%s_mine)\n{\n}\n",
        above, helpers, reference, given->name);
    g_regex_unref(key);
    g_free(ours);
    g_free(above);
    g_free(reference);
    g_free(helpers);
    return text;
}
