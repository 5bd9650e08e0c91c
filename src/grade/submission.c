#include "grade/submission.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "base/file.h"
#include "base/signature.h"
#include "device/build_log.h"
#include "device/headers.h"
#include "filter/directives.h"
#include "base/c_items.h"

// The given part, which stands in front of the student's text where its lines are read.
static const char given_directives[] = "given.txt";

// ---- what is whose ----

enum owner { OF_VARIANTS, OF_TITLE, OF_INCLUDE, OF_PARAMS, OF_ARRAYS, OF_REFERENCE };

static enum owner owner_of_line(const char *line)
{
    static const struct {
        const char *word;
        enum owner owner;
    } notes[] = {{"filter", OF_TITLE}, {"lab", OF_TITLE},           {"weights", OF_TITLE},
                 {"goal", OF_TITLE},   {"file", OF_TITLE},          {"param", OF_PARAMS},
                 {"array", OF_ARRAYS}, {"reference", OF_REFERENCE}, {"tolerance", OF_TITLE}};
    char word[16] = "";
    if (sscanf(line, " //! %15[a-z]", word) == 1)
        for (size_t i = 0; i < G_N_ELEMENTS(notes); i++)
            if (!strcmp(word, notes[i].word)) return notes[i].owner;
    struct c_tokens tokens = c_tokens_of(line);
    const struct c_token name = c_tokens_included(c_tokens_next_code(&tokens), &tokens);
    const bool is_ours = c_token_is(name, "\"lab.h\"") || c_token_is(name, "\"kernel.h\"");
    return is_ours ? OF_INCLUDE : OF_VARIANTS;
}

// A function with its comment, in which a reference line may stand.
static enum owner owner_of_item(const struct c_item *item)
{
    g_autofree char *comment = g_strndup(item->start, (gsize)(item->head - item->start));
    return strstr(comment, "//! reference ") ? OF_REFERENCE : OF_VARIANTS;
}

// Only the lines of the wanted owners, a bit each, with a blank line before the reference.
static char *lines_of(const char *text, unsigned int wanted)
{
    g_autofree char *code = c_tokens_blank_comments(text, false);
    g_auto(GStrv) code_lines = g_strsplit(code, "\n", -1), lines = g_strsplit(text, "\n", -1);
    const guint count = g_strv_length(lines);
    g_autofree enum owner *owners = g_new(enum owner, count + 1);
    OWNED(c_items_finish) struct c_items items;
    for (guint i = 0; i < count; i++) owners[i] = owner_of_line(code_lines[i]);
    c_items_find(&items, text);
    for (int i = 0; i < items.count; i++) {
        const enum owner owner = owner_of_item(&items.list[i]);
        guint line = (guint)items.list[i].line - 1;
        for (size_t at = 0; owner && at < items.list[i].length; line++) {
            owners[line] = owner;
            at += strlen(lines[line]) + 1;
        }
    }
    GString *all = g_string_new(NULL);
    for (guint i = 0; i < count; i++) {
        const bool is_wanted = wanted >> owners[i] & 1;
        if (is_wanted && i && owners[i - 1] != owners[i] && owners[i] == OF_REFERENCE)
            g_string_append_c(all, '\n');
        if (is_wanted) g_string_append_printf(all, "%s\n", lines[i]);
    }
    return g_string_free(all, FALSE);
}

// Adds an argument to a kernel's head. Where the line would be longer than 100 columns, it goes
// into a new one, below the first argument.
static void add_argument(GString *head, const char *format, ...)
{
    enum { COLUMNS = 100 };
    va_list list;
    va_start(list, format);
    g_autofree char *argument = g_strdup_vprintf(format, list);
    va_end(list);
    const char *const line = strrchr(head->str, '\n');
    const size_t used = strlen(line ? line + 1 : head->str), first = strcspn(head->str, "(") + 1;
    if (head->len == first)
        g_string_append(head, argument);
    else if (used + strlen(", ") + strlen(argument) + strlen(")") <= COLUMNS)
        g_string_append_printf(head, ", %s", argument);
    else
        g_string_append_printf(head, ",\n%*s%s", (int)first, "", argument);
}

// The head of a kernel that takes all there is, from which arrays and params have their types.
static char *head_of(const struct filter *given, const char *name)
{
    static const enum array_kind kinds[] = {ARRAY_OUT, ARRAY_IN, ARRAY_SCRATCH};
    const bool has_picture = filter_has_picture(given);
    GString *head = g_string_new(NULL);
    g_string_printf(head, "__global__ void %s(", name);
    if (has_picture) add_argument(head, "plane out"), add_argument(head, "plane in");
    if (given->has_weights) add_argument(head, "const int *weights");
    for (size_t k = 0; k < G_N_ELEMENTS(kinds) && !has_picture; k++)
        for (int i = 0; i < given->array_count; i++)
            if (given->arrays[i].kind == kinds[k])
                add_argument(head, "%s%s *%s", kinds[k] == ARRAY_IN ? "const " : "",
                             array_type_name(&given->arrays[i]), given->arrays[i].name);
    for (int i = 0; i < given->param_count; i++)
        add_argument(head, "%s %s", given->params[i].is_float ? "float" : "int",
                     given->params[i].name);
    g_string_append_c(head, ')');
    return g_string_free(head, FALSE);
}

// Adds the declaration of a struct of the given file, below those of its members.
static void add_struct(GString *to, const struct filter *given, const char *name)
{
    struct signature members;
    g_autofree char *text = signature_struct_text(given->source, name);
    if (!text || strstr(to->str, text) || !signature_read_members(&members, given->source, name))
        return;
    for (int i = 0; i < members.argument_count; i++)
        add_struct(to, given, members.arguments[i].type);
    g_string_append_printf(to, "%s\n", text);
}

// The structs of which arrays consist.
static char *structs_of(const struct filter *given)
{
    GString *all = g_string_new(NULL);
    for (int i = 0; i < given->array_count; i++)
        if (given->arrays[i].record.count) add_struct(all, given, given->arrays[i].record.name);
    return g_string_free(all, FALSE);
}

// ---- the student's text ----

// The file may declare the structs of the given one's arrays again, but no others of these names.
static bool check_structs(const struct filter *given, const char *name, const char *text,
                          struct error *err)
{
    for (int i = 0; i < given->array_count; i++) {
        struct array_record own;
        const struct array_record *const record = &given->arrays[i].record;
        if (!record->count || !directives_read_record(&own, text, record->name, NULL)) continue;
        bool is_same = own.count == record->count && own.bytes == record->bytes;
        for (int k = 0; is_same && k < own.count; k++)
            is_same = own.fields[k].type == record->fields[k].type &&
                      !strcmp(own.fields[k].name, record->fields[k].name);
        if (is_same) continue;
        g_autofree char *ours = signature_struct_text(given->source, record->name);
        return error_set(err, "%s: '%s' must be as in %s: %s", name, record->name, given->name,
                         ours ? ours : "another struct");
    }
    return true;
}

// Compares the two without their blanks.
static bool is_same_text(const char *one, const char *other)
{
    for (;; one++, other++) {
        one += strspn(one, " \t\n");
        other += strspn(other, " \t\n");
        if (*one != *other) return false;
        if (!*one) return true;
    }
}

// ---- the folder ----

char *submission_include(const char *folder)
{
    return g_build_filename(folder, "kernels", NULL);
}

static bool write_file(const char *folder, const char *name, const char *text, struct error *err)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    return file_write(path, text, strlen(text), err);
}

// ---- reading it as a filter ----

bool submission_read(struct filter *f, const char *folder, const char *given_name,
                     const char *file_name, struct error *err)
{
    g_autofree char *ours = g_build_filename(folder, given_directives, NULL);
    g_autofree char *path = g_build_filename(folder, "kernels", file_name, NULL);
    g_autofree char *given = file_read_text(ours, err),
                    *text = given ? file_read_text(path, err) : NULL;
    if (!text) return false;
    // It is read under the given file's name, which is the filter's.
    g_autofree char *read = g_strdup_printf("%s/kernels/%s.cu", folder, given_name);
    g_autofree char *all = g_strconcat(given, text, NULL);
    const bool is_good = filter_parse(f, read, all, NULL, err);
    const size_t length = strlen(read);
    if (!is_good && !strncmp(err->text, read, length) && err->text[length] == ':') {
        // "…/transpose.cu:57: why" becomes "student.cu:41: why".
        char *rest = NULL;
        g_auto(GStrv) lines = g_strsplit(given, "\n", -1);
        const long line = strtol(err->text + length + 1, &rest, 10);
        const long own = line - (long)g_strv_length(lines) + 1;
        g_autofree char *why = g_strdup(rest);
        error_set(err, "%s:%ld%s", file_name, MAX(own, 1), why);
    }
    if (is_good) {  // only the student's text is compiled, under its own name
        g_free(f->path);
        g_free(f->source);
        f->path = g_steal_pointer(&path);
        f->source = g_steal_pointer(&text);
    }
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
    g_autoptr(GError) why = NULL;
    s->folder = g_dir_make_tmp("tilescope-grade-XXXXXX", &why);
    if (!s->folder) return error_set(err, "%s", why->message);
    g_autofree char *kernels = submission_include(s->folder),
                    *work = g_build_filename(s->folder, "work", NULL);
    if (g_mkdir(kernels, 0700) || g_mkdir(work, 0700))
        return error_set(err, "cannot make folders in '%s'", s->folder);
    // Behind our lines stands a kernel that gives params and arrays the types that they have in our
    // own kernels: those of the student's may be others.
    g_autofree char *lines =
        lines_of(given->source, 1u << OF_TITLE | 1u << OF_PARAMS | 1u << OF_ARRAYS);
    g_autofree char *head = head_of(given, "tilescope_given"), *structs = structs_of(given);
    g_autofree char *ours = g_strdup_printf("%s%s%s {}\n", lines, structs, head);
    // The student's text without the lines that are given, and with as many lines as before.
    g_autofree char *code = c_tokens_blank_comments(text, false);
    g_auto(GStrv) code_lines = g_strsplit(code, "\n", -1), all = g_strsplit(text, "\n", -1);
    for (guint i = 0; all[i]; i++) {
        const enum owner owner = owner_of_line(code_lines[i]);
        if (owner != OF_VARIANTS && owner != OF_INCLUDE) *all[i] = '\0';
    }
    g_autofree char *theirs = g_strjoinv("\n", all);
    bool is_good = true;
    for (int i = 0; i < headers->count && is_good; i++)
        is_good =
            write_file(kernels, build_log_name(headers->list[i].path), headers->list[i].text, err);
    return is_good && write_file(s->folder, given_directives, ours, err) &&
           write_file(kernels, s->name, theirs, err);
}

bool submission_open_text(struct submission *s, const struct filter *given, const char *name,
                          const char *raw, const char *headers_folder, struct error *err)
{
    OWNED(headers_finish) struct headers headers = {.count = 0};
    g_autoptr(GString) text = g_string_new(raw);
    g_string_replace(text, "\r\n", "\n", 0);
    *s = (struct submission){.name = g_strdup(name)};
    const bool is_good =
        (g_str_has_suffix(name, ".cu") || error_set(err, "'%s' is not a .cu file", name)) &&
        (text->len <= SUBMISSION_MAX_BYTES ||
         error_set(err, "%s is larger than %d KB", name, SUBMISSION_MAX_BYTES >> 10)) &&
        headers_load(&headers, headers_folder, err) &&
        submission_check_text(s->name, text->str, err) &&
        check_structs(given, s->name, text->str, err) &&
        fill_folder(s, given, text->str, &headers, err) &&
        submission_read(&s->filter, s->folder, given->name, s->name, err);
    if (!is_good) {
        submission_close(s);
        return false;
    }
    static const char *const names[] = {
        [OF_PARAMS] = "the params", [OF_ARRAYS] = "the arrays", [OF_REFERENCE] = "the reference"};
    GString *notes = g_string_new(NULL);
    for (int i = OF_PARAMS; i <= OF_REFERENCE; i++) {
        g_autofree char *ours = lines_of(given->source, 1u << i),
                        *theirs = lines_of(text->str, 1u << i);
        if (*theirs && !is_same_text(ours, theirs))
            g_string_append_printf(notes, "%s of the file: not %s's, and ignored\n", names[i],
                                   given->name);
    }
    s->notes = g_string_free(notes, FALSE);
    return true;
}

bool submission_open(struct submission *s, const struct filter *given, const char *path,
                     const char *headers, struct error *err)
{
    g_autofree char *text = file_read_text(path, err), *name = g_path_get_basename(path);
    *s = (struct submission){.name = NULL};
    return text && submission_open_text(s, given, name, text, headers, err);
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

// ---- what is refused ----

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
    {"extern",
     "names something outside of the file; a kernel may be extern \"C\", and shared memory "
     "whose size is known at launch extern __shared__"},
    {"__CUDACC__", "tells devices apart; a kernel is the same on each"},
    {"__CUDA_ARCH__", "tells devices apart; a kernel is the same on each"},
};

static bool refuse(struct error *err, const char *name, int line, struct c_token token,
                   const char *why)
{
    return error_set(err, "%s:%d: '%.*s' %s", name, line, (int)token.length, token.start, why);
}

// Such a function remains a call when all others are inlined into the kernel. GCC does not report
// the structs that a call passes, and lanes that return from it meet too late. A template that
// names another instantiation, as in sum<N / 2>(x), ends where it is compiled.
static bool calls_itself(const char *name, const struct c_item *item, struct error *err)
{
    bool has_begun = false;
    g_autofree char *text = g_strndup(item->start, item->length),
                    *function = g_strndup(item->name, item->name_length);
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        struct c_tokens behind = tokens;
        if (!c_token_is(token, function) || !c_token_is(c_tokens_next(&behind), "(")) continue;
        if (has_begun)
            return !refuse(
                err, name, item->line + token.line - 1, token,
                "calls itself: what it reads and writes cannot be counted; write a loop");
        has_begun = true;
    }
    return false;
}

bool submission_check_text(const char *name, const char *text, struct error *err)
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
    g_autofree char *joined = c_tokens_join_lines(text);
    struct c_tokens tokens = c_tokens_of(joined);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;)
        for (size_t i = 0; token.kind == C_TOKEN_WORD && i < G_N_ELEMENTS(words); i++) {
            struct c_tokens behind = tokens;
            const struct c_token next = c_tokens_next_code(&behind);
            const bool is_ours = c_token_is(token, "extern") &&
                                 (c_token_is(next, "__shared__") || next.kind == C_TOKEN_STRING);
            if (c_token_is(token, words[i].word) && !is_ours)
                return refuse(err, name, token.line, token, words[i].why);
        }
    OWNED(c_items_finish) struct c_items items;
    bool is_good = true;
    c_items_find(&items, joined);
    for (int i = 0; is_good && i < items.count; i++) {
        const struct c_item *const item = &items.list[i];
        if (item->kind != C_ITEM_FUNCTION) continue;
        int alike = 0;  // one that shares its name may call the other
        for (int k = 0; k < items.count; k++)
            alike += items.list[k].kind == C_ITEM_FUNCTION &&
                     c_item_defines(&items.list[k], item->name, item->name_length);
        is_good = alike > 1 || !calls_itself(name, item, err);
    }
    return is_good;
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

char *submission_skeleton(const struct filter *given)
{
    g_autofree char *mine = g_strconcat(given->name, "_mine", NULL);
    // The lab's key stays its own: the file may come to lie beside it.
    g_autoptr(GRegex) key =
        g_regex_new("^(//! *(?:lab|filter) .*) key .$", G_REGEX_MULTILINE, 0, NULL);
    g_autofree char *ours = lines_of(given->source, 1u << OF_TITLE | 1u << OF_INCLUDE |
                                                        1u << OF_PARAMS | 1u << OF_ARRAYS);
    g_autofree char *above = g_regex_replace(key, ours, -1, 0, "\\1", 0, NULL);
    g_autofree char *reference = lines_of(given->source, 1u << OF_REFERENCE);
    // The structs of the arrays, and what else the reference uses, which stand above it.
    g_autofree char *structs = structs_of(given);
    OWNED(c_items_finish) struct c_items items;
    g_autoptr(GString) helpers = g_string_new(NULL);
    c_items_find(&items, given->source);
    for (int i = items.count; i-- > 0;) {
        const struct c_item *item = &items.list[i];
        if (item->kind == C_ITEM_KERNEL || owner_of_item(item) != OF_VARIANTS) continue;
        g_autofree char *name = g_strndup(item->name, item->name_length);
        g_autofree char *own = *structs ? signature_struct_text(structs, name) : NULL;
        if (own) continue;
        g_autofree char *text = g_strdup_printf("\n%.*s\n", (int)item->length, item->start);
        if (uses(reference, item) || uses(helpers->str, item)) g_string_prepend(helpers, text);
    }
    g_autofree char *head = head_of(given, mine);
    const struct array *out = given->arrays;
    while (out < given->arrays + given->array_count && out->kind != ARRAY_OUT) out++;
    const bool has_picture = filter_has_picture(given);
    const bool is_row = !has_picture && out->dimensions == 1;
    return g_strdup_printf("%s%s%s%s%s\n// What this kernel does, and why it is fast.\n"
                           "// A launch has a thread for each %s%s: x is its %s; domain= says "
                           "otherwise.\n//! variant mine %s\n%s\n{\n}\n",
                           above, *structs ? "\n" : "", structs, helpers->str, reference,
                           has_picture ? "pixel" : "element of ", has_picture ? "" : out->name,
                           is_row ? "index" : "column, y its row", is_row ? "256x1" : "32x8", head);
}
