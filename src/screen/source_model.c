#include "screen/source_model.h"

#include <glib.h>
#include <string.h>

#include "base/diff.h"
#include "base/hash.h"
#include "device/backend.h"
#include "device/machine_code.h"
#include "draw/code.h"
#include "filter/kernel_text.h"
#include "screen/lens_model.h"

void source_model_finish(struct source_model *m)
{
    g_clear_pointer(&m->texts, g_ptr_array_unref);
    g_clear_pointer(&m->lines, g_array_unref);
    g_clear_pointer(&m->chains, g_array_unref);
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

// ---- what changed ----

// The bodies of a variant's passes, one after the other.
static GArray *bodies_of(struct source_model *m, const struct kernel_text *text)
{
    GArray *body = g_array_new(FALSE, FALSE, sizeof(struct listing_line));
    for (int i = 0; i < text->count; i++) {
        if (text->parts[i].kind != KERNEL_TEXT_PASS) continue;
        const struct lines lines = split(m, &text->parts[i]);
        g_array_append_vals(body, lines.list + lines.body, (guint)(lines.count - lines.body));
    }
    return body;
}

static const char **stripped(struct source_model *m, const GArray *body)
{
    const char **texts = keep(m, g_new(const char *, body->len + 1));
    for (guint i = 0; i < body->len; i++)
        texts[i] = keep(m, g_strstrip(g_strdup(g_array_index(body, struct listing_line, i).text)));
    return texts;
}

// The lines of the variant above and of this one, as they are compared.
struct changes {
    GArray *above;  // struct listing_line
    bool *above_kept, *kept;
    int above_at, at;  // what comes next
    int added, removed;
    const struct kernel_text *above_text;
};

// Adds the removed lines that stand before the next line that both have.
static void add_removed(struct source_model *m, struct changes *c)
{
    for (; c->above_at < (int)c->above->len && !c->above_kept[c->above_at]; c->above_at++) {
        struct listing_line line = g_array_index(c->above, struct listing_line, c->above_at);
        line.number = 0;
        line.mark = LISTING_REMOVED;
        if (!line.text[strspn(line.text, " ")]) continue;
        add_line(m, line);
        c->removed++;
    }
}

// ---- all of it ----

// A pass, of which the changed lines are marked, or a function that it uses, below its name.
static void add_part(struct source_model *m, const struct kernel_text_part *part,
                     struct changes *changes)
{
    const struct lines lines = split(m, part);
    const bool is_pass = part->kind == KERNEL_TEXT_PASS, is_first = !m->lines->len;
    if (!is_first || !is_pass) add_line(m, (struct listing_line){.text = ""});
    for (char **kept = m->kept; is_pass && kept && *kept; kept += 2) {  // the CPU runs it as it is
        if (strcmp(*kept, part->name) != 0) continue;
        char *text = keep(m, g_strconcat("stays slow on a CPU: ", kept[1], NULL));
        add_line(m, (struct listing_line){.text = text, .mark = LISTING_HEADING});
        break;
    }
    if (is_first) m->head = (int)m->lines->len + part->head;
    if (!is_pass) {
        bool is_new = changes;
        for (int i = 0; is_new && i < changes->above_text->count; i++)
            is_new = strcmp(changes->above_text->parts[i].path, part->path) != 0 ||
                     changes->above_text->parts[i].line != part->line;
        g_autofree char *base = g_path_get_basename(part->path);
        char *heading = g_strdup_printf("%s%s%s%s%s", base, *part->name ? " · " : "", part->name,
                                        part->kind == KERNEL_TEXT_UNTIMED ? " · not timed" : "",
                                        is_new ? " · new" : "");
        add_line(m, (struct listing_line){.text = keep(m, heading), .mark = LISTING_HEADING});
    }
    for (int i = 0; i < lines.count; i++) {
        struct listing_line line = lines.list[i];
        if (is_pass && changes && i >= lines.body) {
            add_removed(m, changes);
            if (changes->kept[changes->at++]) {
                changes->above_at++;
            } else if (line.text[strspn(line.text, " ")]) {
                line.mark = LISTING_ADDED;
                changes->added++;
            }
        }
        add_line(m, line);
    }
}

static void add_prints(struct source_model *m, const char *printed)
{
    enum { MOST = 12 };
    g_auto(GStrv) lines = g_strsplit(printed, "\n", -1);
    const int count = (int)g_strv_length(lines) - 1;  // behind the last one is nothing
    const int shown = count > MOST ? MOST - 1 : count;
    add_line(m, (struct listing_line){.text = "printed", .mark = LISTING_HEADING});
    for (int i = 0; i < shown; i++)
        add_line(
            m, (struct listing_line){.text = keep(m, g_strdelimit(g_strdup(lines[i]), "\t", ' '))});
    if (shown < count)
        add_line(m, (struct listing_line){
                        .text = keep(m, g_strdup_printf("… and %d lines more in the terminal",
                                                        count - shown))});
}

static void add_all(struct source_model *m, const struct kernel_text *text, struct changes *changes)
{
    for (int i = 0; i < text->count; i++)
        if (text->parts[i].kind == KERNEL_TEXT_PASS) add_part(m, &text->parts[i], changes);
    if (changes) add_removed(m, changes);
    for (int i = 0; i < text->count; i++)
        if (text->parts[i].kind != KERNEL_TEXT_PASS) add_part(m, &text->parts[i], changes);
}

// The nearest variant above that has kernels, as a library's has not. NULL: there is none.
static const struct variant *above_of(const struct source_model_facts *f)
{
    const struct variant *v = f->variant;
    while (!f->variant->library.function && v > f->filter->variants)
        if (!(--v)->library.function) return v;
    return NULL;
}

static void add_changed(struct source_model *m, const struct kernel_text *text)
{
    const struct source_model_facts *f = &m->facts;
    const struct variant *above = above_of(f);
    OWNED(kernel_text_finish) struct kernel_text other;
    kernel_text_find(&other, f->filter, above, f->headers);
    struct changes changes = {.above_text = &other};
    g_autoptr(GArray) body = bodies_of(m, text);
    GArray *above_body = bodies_of(m, &other);
    changes.above = above_body;
    changes.above_kept = keep(m, g_new0(bool, above_body->len + 1));
    changes.kept = keep(m, g_new0(bool, body->len + 1));
    diff_lines(stripped(m, above_body), (int)above_body->len, stripped(m, body), (int)body->len,
               changes.above_kept, changes.kept);
    add_all(m, text, &changes);
    g_snprintf(m->listing.about, sizeof m->listing.about, "+%d  −%d  against %s", changes.added,
               changes.removed, above->name);
    g_array_free(changes.above, TRUE);
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
                                .number = place ? place->line : 0};
    if (arguments < 2) machine_line_write(from, line.figures, sizeof line.figures);
    g_array_set_size(m->chains, m->lines->len);
    g_array_append_val(m->chains, from->chain);
    add_line(m, line);
}

static void add_machine(struct source_model *m)
{
    const struct source_model_facts *f = &m->facts;
    g_autofree char *own = g_path_get_basename(f->filter->path);
    if (f->no_machine) add_remark(m, g_strdup(f->no_machine));
    if (!f->machine) g_strlcpy(m->listing.about, "no machine code", sizeof m->listing.about);
    for (int pass = 0; f->machine && pass < f->variant->pass_count; pass++) {
        struct machine_code code;
        struct error err;
        const char *const entry = f->variant->passes[pass].entry;
        g_autofree char *name = g_strconcat("launch_", entry, NULL);
        if (!machine_code_read(&code, f->machine, name, &err)) continue;
        char counts[512];
        machine_code_write_counts(&code, 0, counts, sizeof counts);
        add_line(m,
                 (struct listing_line){.text = keep(m, g_strdup(entry)), .mark = LISTING_HEADING});
        add_remark(m, g_strdup(counts));
        for (int i = 0; i < code.count; i += MAX(1, machine_code_arguments(&code, i)))
            add_instruction(m, &code, i, own);
        g_snprintf(m->listing.about, sizeof m->listing.about, "%s for %s",
                   code.is_ptx ? "PTX" : "SASS", code.arch);
        machine_code_finish(&code);
    }
    g_array_set_size(m->chains, m->lines->len);
}

void source_model_update(struct source_model *m, const struct source_model_facts *f)
{
    const struct source_model_facts *old = &m->facts;
    const bool is_same = old->filter == f->filter && old->variant == f->variant &&
                         old->version == f->version && !g_strcmp0(old->letter, f->letter) &&
                         old->has_changes == f->has_changes && old->is_broken == f->is_broken &&
                         old->is_gone == f->is_gone && !old->printed == !f->printed &&
                         old->prints == f->prints && !old->include == !f->include &&
                         old->machine == f->machine && old->no_machine == f->no_machine;
    m->facts = *f;  // pointers, whose texts may have moved
    if (is_same) return;
    struct listing *l = &m->listing;
    OWNED(kernel_text_finish) struct kernel_text text;
    source_model_finish(m);
    m->facts = *f;
    m->texts = g_ptr_array_new_with_free_func(g_free);
    m->lines = g_array_new(FALSE, FALSE, sizeof(struct listing_line));
    m->chains = g_array_new(FALSE, TRUE, sizeof(struct trace_chain));
    const struct build build = {
        .path = f->filter->path, .source = f->filter->source, .calls = f->filter->calls};
    struct error ignored;
    if (f->include) g_free(backend_rewrite(&build, f->include, &m->kept, &ignored));
    kernel_text_find(&text, f->filter, f->variant, f->headers);
    const bool is_machine = f->machine || f->no_machine;
    if (f->printed) add_prints(m, f->printed);
    if (is_machine)
        add_machine(m);
    else if (f->has_changes && above_of(f))
        add_changed(m, &text);
    else
        add_all(m, &text, NULL);
    g_autofree char *base = g_path_get_basename(f->filter->path);
    g_snprintf(l->title, sizeof l->title, "%s%s%s · %s", f->letter, *f->letter ? " · " : "", base,
               f->variant->name);
    if (f->is_broken && !is_machine)
        g_strlcpy(l->about,
                  f->is_gone ? "the file is gone: this still runs"
                             : "what was saved cannot run: this does",
                  sizeof l->about);
    else if (f->has_changes && !is_machine && !above_of(f))
        g_strlcpy(l->about, f->variant->library.function ? "a library's" : "the first variant",
                  sizeof l->about);
    l->lines = (const struct listing_line *)(const void *)m->lines->data;
    l->count = (int)m->lines->len;
    g_strlcpy(m->about, l->about, sizeof m->about);
}

// ---- what the lens has found ----

static bool is_now(const struct trace_chain *now, const struct listing_line *line)
{
    for (int i = 0; now && line->number && i < now->count; i++)
        if (now->places[i].line == line->number && !strcmp(now->places[i].file, line->file))
            return true;
    return false;
}

// chain: of machine code, all lines that it comes from.
static bool is_marked(const struct trace_place *marked, const struct listing_line *line,
                      const struct trace_chain *chain)
{
    if (!marked || !marked->line || !line->number) return false;
    const struct listing_line place = {.number = marked->line, .file = marked->file};
    return (line->number == marked->line && !strcmp(line->file, marked->file)) ||
           is_now(chain, &place);
}

void source_model_set_lens(struct source_model *m, const struct source_model_lens *lens)
{
    struct listing_line *worst = NULL;
    unsigned long long most = 0;
    m->listing.figure_columns = 0;
    m->listing.is_stale = lens->is_stale;
    if (*m->about || !lens->result)
        g_strlcpy(m->listing.about, m->about, sizeof m->listing.about);
    else
        g_snprintf(m->listing.about, sizeof m->listing.about,
                   "%srequests × sectors or wavefronts / fewest",
                   lens->result->is_whole ? "whole launch: " : "");
    m->listing.hash =
        HASH_VALUE(hash_text(hash_text(0, m->listing.title), m->listing.about), lens->is_stale);
    for (guint i = 0; i < m->lines->len; i++) {
        struct listing_line *line = &g_array_index(m->lines, struct listing_line, i);
        const bool is_code = i < m->chains->len;
        struct lens_figures found = {.excess = 0};
        line->is_worst = false;
        line->is_now = lens->result && is_now(lens->now, line);
        line->is_marked = is_marked(
            lens->marked, line, is_code ? &g_array_index(m->chains, struct trace_chain, i) : NULL);
        // What an instruction of machine code does stands where a line's cost does.
        const bool has_cost = !is_code && lens->result && line->number;
        if (!is_code) {
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
