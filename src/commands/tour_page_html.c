#include <stddef.h>
#include <string.h>

#include "base/terminal.h"
#include "commands/tour_page.h"
#include "draw/code.h"

// Dark on white, for paper and screen alike. What belongs together stays on one page.
static const char style[] =
    "body { font: 11pt/1.45 'DejaVu Sans', 'Noto Sans', sans-serif; color: #0a0e13;\n"
    "       background: #fff; max-width: 58em; margin: 2em auto; padding: 0 1.2em; }\n"
    "h1 { font-size: 1.9em; line-height: 1.2; margin: 0 0 .4em; }\n"
    "h2 { font-size: 1.2em; margin: 2.2em 0 .5em; padding-top: .5em;\n"
    "     border-top: 2px solid #0a0e13; break-after: avoid; }\n"
    "h2 small { font-weight: normal; color: #475569; margin-left: .7em; }\n"
    "table.facts { margin: 0 0 1em; } table.facts td { text-align: left; border: 0; }\n"
    "table.facts td:first-child, .note { color: #475569; }\n"
    ".caption { font-size: 1.12em; margin: .5em 0; break-after: avoid;\n"
    "           break-inside: avoid; }\n"
    "figure { margin: 1em 0; break-inside: avoid; }\n"
    "figure img { max-width: 100%; height: auto; border: 1px solid #cbd5e1; display: block;\n"
    "             box-sizing: border-box; }\n"
    "figcaption { color: #475569; font-size: .85em; margin-top: .3em; }\n"
    "table { border-collapse: collapse; margin: 1em 0; font-size: .9em; break-inside: avoid; }\n"
    "th { text-align: right; border-bottom: 1px solid #0a0e13; padding: .15em .7em; }\n"
    "td { text-align: right; border-bottom: 1px solid #cbd5e1; padding: .15em .7em; }\n"
    "th:first-child, td:first-child { text-align: left; padding-left: 0; }\n"
    "tr.shown td { font-weight: bold; }\n"
    "ul.claims { list-style: none; margin: .8em 0; padding: 0; }\n"
    "ul.claims li { margin: .35em 0; padding: .3em .6em .3em 2.2em; text-indent: -1.6em;\n"
    "               border-left: 4px solid #94a3b8; background: #f1f5f9; break-inside: avoid; }\n"
    "ul.claims li.holds { border-color: #15803d; } ul.claims li.fails { border-color: #b91c1c; }\n"
    ".mark { display: inline-block; width: 1.6em; text-indent: 0; font-weight: bold; }\n"
    ".holds .mark { color: #15803d; } .fails .mark { color: #b91c1c; }\n"
    ".figures { white-space: nowrap; } .why, .remark { color: #475569; }\n"
    "pre { font: 8.6pt/1.4 'DejaVu Sans Mono', 'Noto Sans Mono', monospace; white-space: "
    "pre-wrap;\n"
    "      overflow-wrap: anywhere; margin: .8em 0; padding: .6em .8em; background: #f8fafc;\n"
    "      border: 1px solid #cbd5e1; }\n"
    "pre.commands { background: #fff; break-inside: avoid; break-before: avoid; }\n"
    ".number { color: #475569; } .heading { font-weight: bold; }\n"
    ".added { background: #dcfce7; } .removed { background: #fee2e2; }\n"
    "@page { size: A4; margin: 16mm 15mm 18mm; @bottom-right { content: counter(page); } }\n"
    "@media print { body { font-size: 10pt; max-width: none; margin: 0; padding: 0; }\n"
    "               pre { font-size: 7.3pt; } }\n";

// As text of an element or of an attribute in quotes.
static void append(GString *html, const char *text)
{
    char *clean = terminal_clean(text);
    char *escaped = g_markup_escape_text(clean, -1);
    g_string_append(html, escaped);
    g_free(escaped);
    g_free(clean);
}

static void append_element(GString *html, const char *tag, const char *class, const char *text)
{
    if (!*text) return;
    g_string_append_printf(html, "<%s%s%s%s>", tag, *class ? " class=\"" : "", class,
                           *class ? "\"" : "");
    append(html, text);
    g_string_append_printf(html, "</%s>", tag);
}

// Lines of a caption.
static void append_lines(GString *html, const char *text)
{
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (line != lines) g_string_append(html, "<br/>");
        append(html, *line);
    }
    g_strfreev(lines);
}

// ---- head ----

static void append_colors(GString *html)
{
    for (int kind = CODE_COMMENT; kind < CODE_KINDS; kind++) {
        const struct paint_color c = code_color((enum code_kind)kind, true);
        g_string_append_printf(html, ".k%d { color: #%02x%02x%02x; }\n", kind, (int)(255 * c.red),
                               (int)(255 * c.green), (int)(255 * c.blue));
    }
}

static void append_head(GString *html, const struct tour_page *page)
{
    g_string_append(html, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/"
                          "xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>");
    append(html, page->title);
    g_string_append(html, "</title>\n<style>\n");
    g_string_append(html, style);
    append_colors(html);
    g_string_append(html, "</style>\n</head>\n<body>\n");
    append_element(html, "h1", "", page->title);
    g_string_append(html, "\n<table class=\"facts\">\n");
    for (guint i = 0; i < page->facts->len; i++) {
        const struct tour_page_fact *fact = page->facts->pdata[i];
        g_string_append(html, "<tr>");
        append_element(html, "td", "", fact->name);
        append_element(html, "td", "", fact->value);
        g_string_append(html, "</tr>\n");
    }
    g_string_append(html, "</table>\n");
}

// ---- claims ----

static const char *class_of(enum claim_verdict verdict)
{
    return verdict == CLAIM_HOLDS ? "holds" : verdict == CLAIM_FAILS ? "fails" : "open";
}

static void append_claim(GString *html, const struct tour_page_claim *c, int step)
{
    g_string_append_printf(html, "<li class=\"%s\"><span class=\"mark\">%s</span>",
                           class_of(c->verdict), claim_mark(c->verdict));
    if (step) g_string_append_printf(html, "<a href=\"#step-%d\">Step %d</a>: ", step, step);
    append(html, c->sentence);
    if (*c->figures) {
        g_string_append(html, ": ");
        append_element(html, "span", "figures", c->figures);
    }
    if (*c->why) {
        g_string_append(html, " ");
        append_element(html, "span", "why", c->why);
    }
    g_string_append(html, "</li>\n");
}

static bool has_claims(const struct tour_page *page)
{
    for (guint i = 0; i < page->steps->len; i++)
        if (((const struct tour_page_step *)page->steps->pdata[i])->claims->len) return true;
    return false;
}

static void append_all_claims(GString *html, const struct tour_page *page)
{
    if (!has_claims(page)) return;
    g_string_append(html, "<p>Claims, as this machine finds them:</p>\n<ul class=\"claims\">\n");
    for (guint i = 0; i < page->steps->len; i++) {
        const struct tour_page_step *step = page->steps->pdata[i];
        for (guint k = 0; k < step->claims->len; k++)
            append_claim(html, step->claims->pdata[k], (int)i + 1);
    }
    g_string_append(html, "</ul>\n");
}

// ---- a step ----

static void append_picture(GString *html, const struct tour_page_picture *p)
{
    char *data = g_base64_encode(p->bytes->data, p->bytes->len);
    g_string_append_printf(html, "<figure><img width=\"%.0f\" src=\"data:image/png;base64,%s\"",
                           p->width, data);
    g_string_append(html, " alt=\"");
    append(html, p->words);
    g_string_append(html, "\"/>");
    append_element(html, "figcaption", "", p->words);
    g_string_append(html, "</figure>\n");
    g_free(data);
}

// The columns of figures, behind the variant: texts of a row by their offset.
static const struct {
    const char *name;
    size_t offset;
} columns[] = {
    {"ms", offsetof(struct tour_page_row, time)},
    {"middle half", offsetof(struct tour_page_row, spread)},
    {"% of copy", offsetof(struct tour_page_row, copy)},
    {"× naive", offsetof(struct tour_page_row, naive)},
    {"sectors", offsetof(struct tour_page_row, sectors)},
    {"conflicts", offsetof(struct tour_page_row, conflicts)},
    {"result", offsetof(struct tour_page_row, check)},
};

// Whether any row has that column's figure.
static bool has_column(const struct tour_page_step *step, size_t column)
{
    for (guint i = 0; i < step->rows->len; i++) {
        const struct tour_page_row *row = &g_array_index(step->rows, struct tour_page_row, i);
        if (*((const char *)row + columns[column].offset)) return true;
    }
    return false;
}

static void append_row(GString *html, const struct tour_page_step *step,
                       const struct tour_page_row *row)
{
    g_string_append(html, row->is_shown ? "<tr class=\"shown\"><td>" : "<tr><td>");
    append(html, row->variant);
    g_string_append(html, "</td>");
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
        if (!has_column(step, i)) continue;
        g_string_append(html, "<td>");
        append(html, (const char *)row + columns[i].offset);
        g_string_append(html, "</td>");
    }
    g_string_append(html, "</tr>\n");
}

static void append_table(GString *html, const struct tour_page_step *step)
{
    if (!step->rows->len) return;
    g_string_append(html, "<table>\n<tr><th>variant</th>");
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        if (has_column(step, i)) append_element(html, "th", "", columns[i].name);
    g_string_append(html, "</tr>\n");
    for (guint i = 0; i < step->rows->len; i++)
        append_row(html, step, &g_array_index(step->rows, struct tour_page_row, i));
    g_string_append(html, "</table>\n");
}

// Runs of letters of one kind.
static void append_code(GString *html, const struct listing_line *line)
{
    const size_t length = strlen(line->text);
    for (size_t at = 0, end; at < length; at = end) {
        const int kind = line->kinds ? line->kinds[at] : CODE_PLAIN;
        for (end = at + 1; end < length && (!line->kinds || line->kinds[end] == kind);) end++;
        char *run = g_strndup(line->text + at, end - at);
        if (kind == CODE_PLAIN)
            append(html, run);
        else {
            g_string_append_printf(html, "<span class=\"k%d\">", kind);
            append(html, run);
            g_string_append(html, "</span>");
        }
        g_free(run);
    }
}

static void append_source_line(GString *html, const struct listing_line *line)
{
    static const char *const classes[] = {[LISTING_PLAIN] = "",
                                          [LISTING_ADDED] = "added",
                                          [LISTING_REMOVED] = "removed",
                                          [LISTING_HEADING] = "heading"};
    static const char *const signs[] = {[LISTING_PLAIN] = " ",
                                        [LISTING_ADDED] = "+",
                                        [LISTING_REMOVED] = "−",
                                        [LISTING_HEADING] = " "};
    g_string_append_printf(html, "<span class=\"%s\">", classes[line->mark]);
    if (line->number)
        g_string_append_printf(html, "<span class=\"number\">%4d</span> ", line->number);
    else if (line->mark != LISTING_HEADING)
        g_string_append(html, "     ");
    g_string_append_printf(html, "%s ", signs[line->mark]);
    append_code(html, line);
    g_string_append(html, "</span>\n");
}

static void append_source(GString *html, const struct tour_page_step *step)
{
    if (step->source_step) {
        g_string_append_printf(
            html, "<p class=\"remark\">Kernel: see <a href=\"#step-%d\">step %d</a>.</p>\n",
            step->source_step, step->source_step);
        return;
    }
    if (!step->source.count) return;
    g_string_append(html, "<pre class=\"source\">");
    for (int i = 0; i < step->source.count; i++) append_source_line(html, &step->source.lines[i]);
    g_string_append(html, "</pre>\n");
}

static void append_commands(GString *html, const struct tour_page_step *step)
{
    if (!step->commands->len) return;
    g_string_append(html, "<pre class=\"commands\">");
    for (guint i = 0; i < step->commands->len; i++) {
        append(html, step->commands->pdata[i]);
        g_string_append_c(html, '\n');
    }
    g_string_append(html, "</pre>\n");
}

static void append_step(GString *html, const struct tour_page_step *step, int number, int count)
{
    g_string_append_printf(html, "<section id=\"step-%d\">\n<h2>%d of %d<small>", number, number,
                           count);
    append(html, step->settings);
    g_string_append(html, "</small></h2>\n");
    for (guint i = 0; i < step->captions->len; i++) {
        g_string_append(html, "<p class=\"caption\">");
        append_lines(html, step->captions->pdata[i]);
        g_string_append(html, "</p>\n");
    }
    if (step->claims->len) g_string_append(html, "<ul class=\"claims\">\n");
    for (guint i = 0; i < step->claims->len; i++) append_claim(html, step->claims->pdata[i], 0);
    if (step->claims->len) g_string_append(html, "</ul>\n");
    for (guint i = 0; i < step->pictures->len; i++) append_picture(html, step->pictures->pdata[i]);
    if (step->remark) append_element(html, "p", "remark", step->remark);
    append_table(html, step);
    append_source(html, step);
    append_commands(html, step);
    g_string_append(html, "</section>\n");
}

char *tour_page_html(const struct tour_page *page)
{
    GString *html = g_string_new(NULL);
    append_head(html, page);
    append_all_claims(html, page);
    for (guint i = 0; i < page->steps->len; i++)
        append_step(html, page->steps->pdata[i], (int)i + 1, (int)page->steps->len);
    g_string_append(html, "</body>\n</html>\n");
    return g_string_free(html, FALSE);
}
