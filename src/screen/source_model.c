#include "screen/source_model.h"

#include <glib.h>
#include <string.h>

#include "base/diff.h"
#include "base/hash.h"
#include "device/backend.h"
#include "draw/code.h"
#include "filter/kernel_text.h"
#include "screen/lens_model.h"

void source_model_finish(struct source_model *m)
{
    g_clear_pointer(&m->texts, g_ptr_array_unref);
    g_clear_pointer(&m->lines, g_array_unref);
    g_strfreev(m->kept);
    *m = (struct source_model){.texts = NULL};
}

// ---- lines ----

// A part's lines, in memory that m owns: valid UTF-8 without tabs.
struct lines {
    struct listing_line *list;
    int count;
    int body;  // the first line that is compared: behind its opening brace
};

static void *keep(struct source_model *m, void *memory)
{
    g_ptr_array_add(m->texts, memory);
    return memory;
}

static struct lines split(struct source_model *m, const struct kernel_text_part *part)
{
    g_autofree char *valid = g_utf8_make_valid(part->start, (gssize)part->length);
    g_auto(GStrv) pieces = g_strsplit(valid, "\t", -1);
    char *text = keep(m, g_strjoinv("    ", pieces));
    const size_t length = strlen(text);
    const char *file = keep(m, g_path_get_basename(part->path));
    unsigned char *kinds = keep(m, g_malloc(length + 1));
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct listing_line));
    struct lines lines = {.body = part->body};
    code_classify(text, length, kinds);
    for (char *at = text; at;) {
        char *end = strchr(at, '\n');
        if (end) *end = '\0';
        const struct listing_line line = {.text = at,
                                          .kinds = kinds + (at - text),
                                          .file = file,
                                          .number = part->line + (int)list->len};
        g_array_append_val(list, line);
        at = end ? end + 1 : NULL;
    }
    lines.count = (int)list->len;
    lines.list = keep(m, g_array_free(list, FALSE));
    return lines;
}

static void add_line(struct source_model *m, struct listing_line line)
{
    g_array_append_val(m->lines, line);
}

// Adds words that are no line of a file; m owns them from now on.
static void add_words(struct source_model *m, char *words, enum listing_mark mark)
{
    add_line(m, (struct listing_line){.text = keep(m, words), .mark = mark});
}

// ---- parts ----

// A pass, or a function that it uses below its name. above: the text of the variant above, which
// lacks what is new; NULL: nothing is compared. body: the places of the lines that are compared.
static void add_part(struct source_model *m, const struct kernel_text_part *part,
                     const struct kernel_text *above, GArray *body)
{
    const struct lines lines = split(m, part);
    const bool is_pass = part->kind == KERNEL_TEXT_PASS, is_first = !m->lines->len;
    if (!is_first || !is_pass) add_words(m, g_strdup(""), LISTING_PLAIN);
    for (char **kept = m->kept; is_pass && kept && *kept; kept += 2) {  // the CPU runs it as it is
        if (strcmp(*kept, part->name) != 0) continue;
        add_words(m, g_strconcat("stays slow on a CPU: ", kept[1], NULL), LISTING_HEADING);
        break;
    }
    if (is_first) m->head = (int)m->lines->len + part->head;
    if (!is_pass) {
        bool is_new = above;
        for (int i = 0; is_new && i < above->count; i++)
            is_new =
                strcmp(above->parts[i].path, part->path) != 0 || above->parts[i].line != part->line;
        g_autofree char *base = g_path_get_basename(part->path);
        add_words(m,
                  g_strdup_printf("%s%s%s%s%s", base, *part->name ? " · " : "", part->name,
                                  part->kind == KERNEL_TEXT_UNTIMED ? " · not timed" : "",
                                  is_new ? " · new" : ""),
                  LISTING_HEADING);
    }
    for (int i = 0; i < lines.count; i++) {
        if (is_pass && i >= lines.body) g_array_append_val(body, m->lines->len);
        add_line(m, lines.list[i]);
    }
}

static void add_prints(struct source_model *m, const char *printed)
{
    enum { MOST = 12 };
    g_auto(GStrv) lines = g_strsplit(printed, "\n", -1);
    const int count = (int)g_strv_length(lines) - 1;  // behind the last one is nothing
    const int shown = count > MOST ? MOST - 1 : count;
    add_words(m, g_strdup("printed"), LISTING_HEADING);
    for (int i = 0; i < shown; i++)
        add_words(m, g_strdelimit(g_strdup(lines[i]), "\t", ' '), LISTING_PLAIN);
    if (shown < count)
        add_words(m, g_strdup_printf("… and %d lines more in the terminal", count - shown),
                  LISTING_PLAIN);
}

// ---- what changed ----

static bool is_blank(const struct listing_line *line)
{
    return !line->text[strspn(line->text, " ")];
}

// Marks the lines that the variant above does not have, and inserts those that it has alone.
static void mark_changes(struct source_model *m, const GArray *body,
                         const struct kernel_text *above_text, const char *name)
{
    g_autoptr(GArray) above = g_array_new(FALSE, FALSE, sizeof(struct listing_line));
    for (int i = 0; i < above_text->count; i++) {
        if (above_text->parts[i].kind != KERNEL_TEXT_PASS) continue;
        const struct lines lines = split(m, &above_text->parts[i]);
        g_array_append_vals(above, lines.list + lines.body, (guint)(lines.count - lines.body));
    }
    const struct listing_line *old = (const void *)above->data;
    const int old_count = (int)above->len, count = (int)body->len;
    g_auto(GStrv) old_texts = g_new0(char *, (gsize)old_count + 1);
    g_auto(GStrv) texts = g_new0(char *, (gsize)count + 1);
    g_autofree bool *old_kept = g_new0(bool, (gsize)old_count + 1);
    g_autofree bool *kept = g_new0(bool, (gsize)count + 1);
    for (int i = 0; i < old_count; i++) old_texts[i] = g_strstrip(g_strdup(old[i].text));
    for (int i = 0; i < count; i++) {
        const guint at = g_array_index(body, guint, i);
        texts[i] = g_strstrip(g_strdup(g_array_index(m->lines, struct listing_line, at).text));
    }
    diff_lines((const char *const *)old_texts, old_count, (const char *const *)texts, count,
               old_kept, kept);
    GArray *marked = g_array_new(FALSE, FALSE, sizeof(struct listing_line));
    int added = 0, removed = 0, next = 0;  // next: of the old lines
    for (guint at = 0, i = 0; at <= m->lines->len; at++) {
        const bool is_over = i == body->len || at == m->lines->len;
        const bool is_body = !is_over && g_array_index(body, guint, i) == at;
        for (; (is_body || is_over) && next < old_count && !old_kept[next]; next++) {
            struct listing_line line = old[next];
            line.number = 0;
            line.mark = LISTING_REMOVED;
            if (is_blank(&line)) continue;
            g_array_append_val(marked, line);
            removed++;
        }
        if (at == m->lines->len) break;
        struct listing_line line = g_array_index(m->lines, struct listing_line, at);
        if (is_body && kept[i++]) {
            next++;
        } else if (is_body && !is_blank(&line)) {
            line.mark = LISTING_ADDED;
            added++;
        }
        g_array_append_val(marked, line);
    }
    g_array_unref(m->lines);
    m->lines = marked;
    g_snprintf(m->listing.about, sizeof m->listing.about, "+%d  −%d  against %s", added, removed,
               name);
}

// The nearest variant above that has kernels, which a library's lacks. NULL: there is none.
static const struct variant *above_of(const struct source_model_facts *f)
{
    const struct variant *v = f->variant;
    while (!f->variant->library.function && v > f->filter->variants)
        if (!(--v)->library.function) return v;
    return NULL;
}

static void add_text(struct source_model *m)
{
    const struct source_model_facts *f = &m->facts;
    const struct variant *above = f->has_changes ? above_of(f) : NULL;
    OWNED(kernel_text_finish) struct kernel_text text, other = {.count = 0};
    g_autoptr(GArray) body = g_array_new(FALSE, FALSE, sizeof(guint));
    kernel_text_find(&text, f->filter, f->variant, f->headers);
    if (above) kernel_text_find(&other, f->filter, above, f->headers);
    for (int i = 0; i < text.count; i++) add_part(m, &text.parts[i], above ? &other : NULL, body);
    if (above) mark_changes(m, body, &other, above->name);
    if (f->is_broken)
        g_strlcpy(m->listing.about,
                  f->is_gone ? "the file is gone: this still runs"
                             : "what was saved cannot run: this does",
                  sizeof m->listing.about);
    else if (f->has_changes && !above)
        g_strlcpy(m->listing.about,
                  f->variant->library.function ? "a library's" : "the first variant",
                  sizeof m->listing.about);
}

// ---- machine code ----

static void add_remark(struct source_model *m, char *text)
{
    unsigned char *const kinds = keep(m, g_malloc(strlen(text) + 1));
    memset(kinds, CODE_COMMENT, strlen(text) + 1);
    add_line(m, (struct listing_line){.text = keep(m, text), .kinds = kinds});
}

static void add_instruction(struct source_model *m, const struct machine_code *code, int i,
                            const char *own)
{
    const struct machine_line *const from = &code->lines[i];
    const struct trace_place *const place = machine_line_place(from, own);
    const char *const bracket = machine_code_bracket(code, i);
    const int arguments = machine_code_arguments(code, i);
    g_autofree char *all = g_strdup_printf("ld.param, %d times", arguments);
    char *text =
        g_strdup_printf(code->is_ptx ? "%s %4d  %s" : "%s %04x  %s", *bracket ? bracket : " ",
                        from->address, arguments > 1 ? all : from->text);
    struct listing_line line = {.text = keep(m, text),
                                .file = place ? keep(m, g_strdup(place->file)) : "",
                                .number = place ? place->line : 0,
                                .chain = keep(m, g_memdup2(&from->chain, sizeof from->chain))};
    if (arguments < 2) machine_line_write(from, line.figures, sizeof line.figures);
    add_line(m, line);
}

static void add_machine(struct source_model *m)
{
    const struct source_model_facts *f = &m->facts;
    g_autofree char *own = g_path_get_basename(f->filter->path);
    if (f->no_machine) add_remark(m, g_strdup(f->no_machine));
    if (!f->machine) g_strlcpy(m->listing.about, "no machine code", sizeof m->listing.about);
    for (int pass = 0; f->machine && pass < f->variant->pass_count; pass++) {
        const struct machine_code *const code = &f->machine[pass];
        if (!code->count) continue;
        char counts[512];
        machine_code_write_counts(code, 0, counts, sizeof counts);
        add_words(m, g_strdup(f->variant->passes[pass].entry), LISTING_HEADING);
        add_remark(m, g_strdup(counts));
        for (int i = 0; i < code->count; i += MAX(1, machine_code_arguments(code, i)))
            add_instruction(m, code, i, own);
        g_snprintf(m->listing.about, sizeof m->listing.about, "%s for %s",
                   code->is_ptx ? "PTX" : "SASS", code->arch);
    }
}

void source_model_update(struct source_model *m, const struct source_model_facts *f)
{
    const struct source_model_facts *old = &m->facts;
    const bool is_same =
        old->filter == f->filter && old->variant == f->variant && old->version == f->version &&
        !g_strcmp0(old->letter, f->letter) && old->has_changes == f->has_changes &&
        old->is_broken == f->is_broken && old->is_gone == f->is_gone &&
        !old->printed == !f->printed && old->prints == f->prints && !old->include == !f->include &&
        old->is_generic == f->is_generic && old->machine == f->machine &&
        old->machine_version == f->machine_version && old->no_machine == f->no_machine;
    if (is_same) {
        m->facts = *f;  // pointers, whose texts may have moved
        return;
    }
    source_model_finish(m);
    m->facts = *f;
    m->texts = g_ptr_array_new_with_free_func(g_free);
    m->lines = g_array_new(FALSE, FALSE, sizeof(struct listing_line));
    const struct build build = {
        .path = f->filter->path, .source = f->filter->source, .calls = f->filter->calls};
    if (f->include) g_free(backend_rewrite(&build, f->include, &m->kept, NULL, NULL));
    if (f->printed) add_prints(m, f->printed);
    if (f->machine || f->no_machine)
        add_machine(m);
    else
        add_text(m);
    struct listing *l = &m->listing;
    g_autofree char *base = g_path_get_basename(f->filter->path);
    g_snprintf(l->title, sizeof l->title, "%s%s%s · %s", f->letter, *f->letter ? " · " : "", base,
               f->variant->name);
    l->lines = (const struct listing_line *)(const void *)m->lines->data;
    l->count = (int)m->lines->len;
    m->has_about = *l->about != '\0';
}

// ---- what the lens has found ----

void source_model_set_lens(struct source_model *m, const struct source_model_lens *lens)
{
    struct listing_line *worst = NULL;
    unsigned long long most = 0;
    m->listing.figure_columns = 0;
    m->listing.is_stale = lens->is_stale;
    const char *const scope = lens->result && lens->result->is_whole ? "whole launch: " : "";
    if (!m->has_about)
        g_snprintf(m->listing.about, sizeof m->listing.about, "%s%s", scope,
                   lens->result ? "requests × sectors or wavefronts / fewest" : "");
    m->listing.hash =
        HASH_VALUE(hash_text(hash_text(0, m->listing.title), m->listing.about), lens->is_stale);
    for (guint i = 0; i < m->lines->len; i++) {
        struct listing_line *line = &g_array_index(m->lines, struct listing_line, i);
        struct lens_figures found = {.excess = 0};
        line->is_worst = false;
        line->is_now =
            lens->result && lens->now && lens_result_leads(lens->now, line->file, line->number);
        const struct trace_place *const marked = lens->marked;
        line->is_marked =
            marked && marked->line && line->number &&
            ((line->number == marked->line && !strcmp(line->file, marked->file)) ||
             (line->chain && lens_result_leads(line->chain, marked->file, marked->line)));
        // An instruction of machine code shows what it does in place of a cost.
        const bool has_cost = !line->chain && lens->result && line->number;
        if (!line->chain) {
            line->figures[0] = '\0';
            line->is_at_fault =
                has_cost && lens_result_is_at_fault(lens->result, line->file, line->number);
        }
        if (has_cost && lens_model_line(lens->result, line->file, line->number, &found))
            lens_model_write_figures(&found, line->figures, sizeof line->figures);
        const int columns = (int)g_utf8_strlen(line->figures, -1);
        m->listing.figure_columns = MAX(m->listing.figure_columns, columns);
        if (found.excess > most) worst = line;
        most = MAX(most, found.excess);
        const int values[] = {line->number, (int)line->mark, line->is_now, line->is_at_fault,
                              line->is_marked};
        m->listing.hash =
            HASH_VALUE(hash_text(hash_text(m->listing.hash, line->text), line->figures), values);
    }
    if (worst) worst->is_worst = true;
}
