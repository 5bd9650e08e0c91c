#include <string.h>

#include "base/terminal.h"
#include "commands/tour_page.h"

// A text on one line, none of whose letters means anything to Markdown.
static void append(GString *md, const char *text)
{
    char *clean = terminal_clean(text);
    for (const char *c = clean; *c; c++) {
        if (strchr("\\`*_{}[]<>()#+-!|~&", *c)) g_string_append_c(md, '\\');
        g_string_append_c(md, *c == '\n' || *c == '\t' ? ' ' : *c);
    }
    g_free(clean);
}

// A caption's newlines stay.
static void append_lines(GString *md, const char *text)
{
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (line != lines) g_string_append(md, "\\\n");
        append(md, *line);
    }
    g_string_append(md, "\n\n");
    g_strfreev(lines);
}

// The fence is longer than any row of backticks inside.
static void append_fenced(GString *md, const char *language, const char *text)
{
    char *clean = terminal_clean(text);
    size_t longest = 2;
    for (const char *c = clean; *c; c += MAX(1, strspn(c, "`")))
        longest = MAX(longest, strspn(c, "`"));
    char *fence = g_strnfill(longest + 1, '`');
    g_string_append_printf(md, "%s%s\n%s%s\n\n", fence, language, clean, fence);
    g_free(fence);
    g_free(clean);
}

static void append_claim(GString *md, const struct tour_page_claim *c, int step)
{
    g_string_append_printf(md, "- %s ", claim_mark(c->verdict));
    if (step) g_string_append_printf(md, "[Step %d](#%d): ", step, step);
    append(md, c->sentence);
    if (*c->figures) g_string_append(md, ": ");
    append(md, c->figures);
    if (*c->why) g_string_append(md, " — ");
    append(md, c->why);
    g_string_append_c(md, '\n');
}

static void append_head(GString *md, const struct tour_page *page)
{
    g_string_append(md, "# ");
    append(md, page->title);
    g_string_append(md, "\n\n| | |\n|---|---|\n");
    for (guint i = 0; i < page->facts->len; i++) {
        const struct tour_page_fact *fact = page->facts->pdata[i];
        g_string_append(md, "| ");
        append(md, fact->name);
        g_string_append(md, " | ");
        append(md, fact->value);
        g_string_append(md, " |\n");
    }
    if (tour_page_has_claims(page))
        g_string_append(md, "\nClaims, as this machine finds them:\n\n");
    for (guint i = 0; i < page->steps->len; i++) {
        const struct tour_page_step *step = page->steps->pdata[i];
        for (guint k = 0; k < step->claims->len; k++)
            append_claim(md, step->claims->pdata[k], (int)i + 1);
    }
    g_string_append_c(md, '\n');
}

// ---- a step ----

static void append_picture(GString *md, const struct tour_page_picture *p, const char *stem)
{
    char *name = g_strconcat(stem, "-", p->name, ".png", NULL);
    char *escaped = g_uri_escape_string(name, NULL, FALSE);
    g_string_append(md, "![");
    append(md, p->words);
    g_string_append_printf(md, "](%s)\n\n", escaped);
    g_free(escaped);
    g_free(name);
}

static void append_table(GString *md, const struct tour_page_step *step)
{
    if (!step->rows->len) return;
    GString *rule = g_string_new("|---|");
    g_string_append(md, "| variant |");
    for (const struct tour_page_column *c = tour_page_columns(); c->name; c++) {
        if (!tour_page_has(step, c->offset)) continue;
        g_string_append_printf(md, " %s |", c->name);
        g_string_append(rule, "---:|");
    }
    g_string_append_printf(md, "\n%s\n", rule->str);
    g_string_free(rule, TRUE);
    for (guint i = 0; i < step->rows->len; i++) {
        const struct tour_page_row *row = &g_array_index(step->rows, struct tour_page_row, i);
        g_string_append(md, row->is_shown ? "| **" : "| ");
        append(md, row->variant);
        g_string_append(md, row->is_shown ? "** |" : " |");
        for (const struct tour_page_column *c = tour_page_columns(); c->name; c++) {
            if (!tour_page_has(step, c->offset)) continue;
            g_string_append_c(md, ' ');
            append(md, (const char *)row + c->offset);
            g_string_append(md, " |");
        }
        g_string_append_c(md, '\n');
    }
    g_string_append_c(md, '\n');
}

static void append_source(GString *md, const struct tour_page_step *step)
{
    if (step->source_step)
        g_string_append_printf(md, "Kernel: see [step %d](#%d).\n\n", step->source_step,
                               step->source_step);
    if (step->source_step || !step->source.count) return;
    GString *text = g_string_new(NULL);
    for (int i = 0; i < step->source.count; i++) {
        const struct listing_line *line = &step->source.lines[i];
        if (line->mark == LISTING_REMOVED) continue;
        g_string_append_printf(text, "%s%s\n", line->mark == LISTING_HEADING ? "// " : "",
                               line->text);
    }
    append_fenced(md, "c", text->str);
    g_string_free(text, TRUE);
}

static void append_commands(GString *md, const struct tour_page_step *step)
{
    if (!step->commands->len) return;
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < step->commands->len; i++)
        g_string_append_printf(text, "%s\n", (const char *)step->commands->pdata[i]);
    append_fenced(md, "sh", text->str);
    g_string_free(text, TRUE);
}

static void append_step(GString *md, const struct tour_page_step *step, int number,
                        const char *stem)
{
    g_string_append_printf(md, "## %d\n\n", number);
    append_lines(md, step->settings);
    for (guint i = 0; i < step->captions->len; i++) append_lines(md, step->captions->pdata[i]);
    for (guint i = 0; i < step->claims->len; i++) append_claim(md, step->claims->pdata[i], 0);
    if (step->claims->len) g_string_append_c(md, '\n');
    for (guint i = 0; i < step->pictures->len; i++)
        append_picture(md, step->pictures->pdata[i], stem);
    if (step->remark) append_lines(md, step->remark);
    append_table(md, step);
    append_source(md, step);
    append_commands(md, step);
}

char *tour_page_markdown(const struct tour_page *page, const char *stem)
{
    GString *md = g_string_new(NULL);
    append_head(md, page);
    for (guint i = 0; i < page->steps->len; i++)
        append_step(md, page->steps->pdata[i], (int)i + 1, stem);
    return g_string_free(md, FALSE);
}
