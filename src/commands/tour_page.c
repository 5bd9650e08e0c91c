#include "commands/tour_handout.h"

#include <string.h>

#include "draw/code.h"

// Parts of the page. Those of a step are put together at its end.
enum { FACTS, CLAIMS, STEPS, CAPTIONS, STEP_CLAIMS, PICTURES, REST };

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

static void append_element(GString *html, const char *tag, const char *class, const char *text)
{
    if (!*text) return;
    g_string_append_printf(html, "<%s%s%s%s>", tag, *class ? " class=\"" : "", class,
                           *class ? "\"" : "");
    rows_append_html(html, text);
    g_string_append_printf(html, "</%s>", tag);
}

// ---- the page ----

void tour_page_init(struct tour_page *page, const char *title)
{
    *page = (struct tour_page){.title = g_strdup(title), .step = 1};
    for (int i = 0; i < TOUR_PAGE_PARTS; i++) page->parts[i] = g_string_new(NULL);
}

void tour_page_finish(struct tour_page *page)
{
    if (!page->title) return;
    for (int i = 0; i < TOUR_PAGE_PARTS; i++) g_string_free(page->parts[i], TRUE);
    g_free(page->title);
    *page = (struct tour_page){.title = NULL};
}

void tour_page_add_fact(struct tour_page *page, const char *name, const char *value)
{
    GString *html = page->parts[FACTS];
    g_string_append(html, "<tr>");
    append_element(html, "td", "", name);
    append_element(html, "td", "", value);
    g_string_append(html, "</tr>\n");
}

char *tour_page_html(const struct tour_page *page)
{
    GString *html =
        g_string_new("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/"
                     "xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>");
    rows_append_html(html, page->title);
    g_string_append_printf(html, "</title>\n<style>\n%s", style);
    for (int kind = CODE_COMMENT; kind < CODE_KINDS; kind++) {
        const struct paint_color c = code_color((enum code_kind)kind, true);
        g_string_append_printf(html, ".k%d { color: #%02x%02x%02x; }\n", kind, (int)(255 * c.red),
                               (int)(255 * c.green), (int)(255 * c.blue));
    }
    g_string_append(html, "</style>\n</head>\n<body>\n");
    append_element(html, "h1", "", page->title);
    g_string_append_printf(html, "\n<table class=\"facts\">\n%s</table>\n",
                           page->parts[FACTS]->str);
    if (page->parts[CLAIMS]->len)
        g_string_append_printf(html,
                               "<p>Claims, as this machine finds them:</p>\n"
                               "<ul class=\"claims\">\n%s</ul>\n",
                               page->parts[CLAIMS]->str);
    g_string_append(html, page->parts[STEPS]->str);
    g_string_append(html, "</body>\n</html>\n");
    return g_string_free(html, FALSE);
}

// ---- a step ----

void tour_page_add_caption(struct tour_page *page, const char *text)
{
    GString *html = page->parts[CAPTIONS];
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_string_append(html, "<p class=\"caption\">");
    for (char **line = lines; *line; line++) {
        if (line != lines) g_string_append(html, "<br/>");
        rows_append_html(html, *line);
    }
    g_string_append(html, "</p>\n");
}

// step 0: without a link to its step.
static void append_claim(GString *html, const char *sentence, const struct claim_finding *found,
                         int step)
{
    const enum claim_verdict v = found->verdict;
    g_string_append_printf(html, "<li class=\"%s\"><span class=\"mark\">%s</span>",
                           v == CLAIM_HOLDS   ? "holds"
                           : v == CLAIM_FAILS ? "fails"
                                              : "open",
                           claim_mark(v));
    if (step) g_string_append_printf(html, "<a href=\"#step-%d\">Step %d</a>: ", step, step);
    rows_append_html(html, sentence);
    if (*found->figures) {
        g_string_append(html, ": ");
        append_element(html, "span", "figures", found->figures);
    }
    if (*found->why) {
        g_string_append(html, " ");
        append_element(html, "span", "why", found->why);
    }
    g_string_append(html, "</li>\n");
}

void tour_page_add_claim(struct tour_page *page, const char *sentence,
                         const struct claim_finding *found)
{
    append_claim(page->parts[CLAIMS], sentence, found, page->step);
    append_claim(page->parts[STEP_CLAIMS], sentence, found, 0);
}

void tour_page_add_picture(struct tour_page *page, const char *words, GByteArray *bytes,
                           double width)
{
    GString *html = page->parts[PICTURES];
    g_autofree char *data = g_base64_encode(bytes->data, bytes->len);
    g_string_append_printf(
        html, "<figure><img width=\"%.0f\" src=\"data:image/png;base64,%s\" alt=\"", width, data);
    rows_append_html(html, words);
    g_string_append(html, "\"/>");
    append_element(html, "figcaption", "", words);
    g_string_append(html, "</figure>\n");
    g_byte_array_free(bytes, TRUE);
}

void tour_page_add_table(struct tour_page *page, struct rows *rows, int shown)
{
    g_string_append(page->parts[REST], "<table>\n");
    rows_end_html(rows, page->parts[REST], shown);
    g_string_append(page->parts[REST], "</table>\n");
}

void tour_page_add_source(struct tour_page *page, const struct listing_line *lines, int count)
{
    static const struct {
        const char *class, *sign;
    } marks[] = {[LISTING_PLAIN] = {"", " "},
                 [LISTING_ADDED] = {"added", "+"},
                 [LISTING_REMOVED] = {"removed", "−"},
                 [LISTING_HEADING] = {"heading", " "}};
    GString *html = page->parts[REST];
    if (!count) return;
    g_string_append(html, "<pre class=\"source\">");
    for (const struct listing_line *line = lines; line < lines + count; line++) {
        g_string_append_printf(html, "<span class=\"%s\">", marks[line->mark].class);
        if (line->number)
            g_string_append_printf(html, "<span class=\"number\">%4d</span> ", line->number);
        else if (line->mark != LISTING_HEADING)
            g_string_append(html, "     ");
        g_string_append_printf(html, "%s ", marks[line->mark].sign);
        // Runs of letters of one kind.
        const size_t length = strlen(line->text);
        for (size_t at = 0, end; at < length; at = end) {
            const int kind = line->kinds ? line->kinds[at] : CODE_PLAIN;
            for (end = at + 1; end < length && (!line->kinds || line->kinds[end] == kind);) end++;
            g_autofree char *run = g_strndup(line->text + at, end - at);
            if (kind != CODE_PLAIN) g_string_append_printf(html, "<span class=\"k%d\">", kind);
            rows_append_html(html, run);
            if (kind != CODE_PLAIN) g_string_append(html, "</span>");
        }
        g_string_append(html, "</span>\n");
    }
    g_string_append(html, "</pre>\n");
}

void tour_page_add_source_of(struct tour_page *page, int step)
{
    g_string_append_printf(
        page->parts[REST],
        "<p class=\"remark\">Kernel: see <a href=\"#step-%d\">step %d</a>.</p>\n", step, step);
}

void tour_page_add_commands(struct tour_page *page, char *const *commands)
{
    GString *html = page->parts[REST];
    g_string_append(html, "<pre class=\"commands\">");
    for (; *commands; commands++) {
        rows_append_html(html, *commands);
        g_string_append_c(html, '\n');
    }
    g_string_append(html, "</pre>\n");
}

void tour_page_end_step(struct tour_page *page, int step_count, const char *settings,
                        const char *remark)
{
    GString *html = page->parts[STEPS];
    g_string_append_printf(html, "<section id=\"step-%d\">\n<h2>%d of %d<small>", page->step,
                           page->step, step_count);
    rows_append_html(html, settings);
    g_string_append_printf(html, "</small></h2>\n%s", page->parts[CAPTIONS]->str);
    if (page->parts[STEP_CLAIMS]->len)
        g_string_append_printf(html, "<ul class=\"claims\">\n%s</ul>\n",
                               page->parts[STEP_CLAIMS]->str);
    g_string_append(html, page->parts[PICTURES]->str);
    if (remark) append_element(html, "p", "remark", remark);
    g_string_append_printf(html, "%s</section>\n", page->parts[REST]->str);
    for (int i = CAPTIONS; i <= REST; i++) g_string_truncate(page->parts[i], 0);
    page->step++;
}
