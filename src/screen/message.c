#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/hash.h"
#include "screen/overlay_parts.h"

// How a message looks; lengths are in base sizes.
static const struct look {
    double head, body;  // fonts: the first line and the rest
    double smallest;  // the factor, of the fonts at text scale 1, to which they shrink before text
                      // is cut; a log's head does not
    double padding, symbol;
    double air;      // to the area's edge
    double widest;   // of the text, in sizes of the head's font
    int head_lines;  // at most
    bool is_code;    // the body keeps its lines and is set in a fixed-width font
    bool is_whole;   // all of the text is head
    enum paint_weight weight;
} looks[] = {
    [OVERLAY_NOTE] = {1.0, 0.9, 0.7, 0.75, 0, 0.8, 60, 3, .weight = PAINT_MEDIUM},
    [OVERLAY_REFUSED] = {1.7, 1.05, 0.6, 1.4, 2.6, 1, 30, 8, .weight = PAINT_BOLD},
    [OVERLAY_BROKEN] = {1.15, 0.95, 0.74, 1.3, 1.5, 1, 1000, 4, true, .weight = PAINT_BOLD},
    [OVERLAY_LECTURE] = {1.75, 1, 0.45, 1, 0, 0.55, 34, 20, false, true, PAINT_MEDIUM},
};

// The air around words grows with the text scale up to this one, but in a low area, a caption's
// gives way before its words become smaller: to that part of the height, and to so much of a base.
static const double largest_frame = 1.5, caption_frame = 1 / 12.0, least_frame = 0.6;

static const double smallest_log = 10;  // pixels an em; below that a log is cut instead

void message_init(struct message *m, PangoContext *context)
{
    *m = (struct message){.head = paint_text_create(context), .body = paint_text_create(context)};
}

void message_finish(struct message *m)
{
    g_object_unref(m->head);
    g_object_unref(m->body);
}

static bool has_body(const struct message *m)
{
    return *pango_layout_get_text(m->body) != '\0';
}

static double body_gap(const struct message *m, double base)
{
    return has_body(m) ? 0.5 * base : 0;
}

static double text_height(const struct message *m, double base)
{
    const double head = paint_text_height(m->head);
    return has_body(m) ? head + body_gap(m, base) + paint_text_height(m->body) : head;
}

static double text_width(const struct message *m)
{
    return fmax(paint_text_width(m->head), has_body(m) ? paint_text_width(m->body) : 0);
}

// Breaks the text into as few lines as the width allows, all about equally long.
static void wrap_evenly(PangoLayout *layout, const char *text, struct paint_font font, double width)
{
    paint_text_wrap(layout, text, font, width);
    const int lines = pango_layout_get_line_count(layout);
    double narrow = width / 2, wide = width;
    if (lines < 2) return;
    while (wide - narrow > font.size / 2) {
        const double middle = (narrow + wide) / 2;
        paint_text_wrap(layout, text, font, middle);
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD);  // rather too wide than a broken word
        const bool fits =
            pango_layout_get_line_count(layout) <= lines && paint_text_width(layout) <= middle;
        *(fits ? &wide : &narrow) = middle;
    }
    paint_text_wrap(layout, text, font, wide);
}

static void set_message(struct message *m, const struct paint *paint, char *const *parts,
                        double factor, double width)
{
    const struct look *look = &looks[m->tone];
    const double least_head = fmin(1, paint->plain / paint->base);
    const double head_factor = look->is_code ? fmax(factor, least_head) : factor;
    const struct paint_font head = {look->head * paint->base * head_factor, look->weight, false};
    const struct paint_font body = {look->body * paint->base * factor, PAINT_NORMAL, look->is_code};
    m->size = head.size;
    // Smaller words of a caption have longer lines before they become smaller still.
    const double widest = look->widest * (look->is_whole ? look->head * paint->base : head.size);
    wrap_evenly(m->head, parts[0], head, fmin(width, widest));
    paint_text_wrap(m->body, parts[1] ? parts[1] : "", body, look->is_code ? -1 : width);
    const double line = paint_text_height(m->head) / pango_layout_get_line_count(m->head);
    if (pango_layout_get_line_count(m->head) > look->head_lines)
        paint_text_limit(m->head, line * look->head_lines);
}

static void cut_message(struct message *m, double base, double width, double height)
{
    if (looks[m->tone].is_whole && paint_text_height(m->head) > height) {
        // Pango drops paragraphs that do not fit without an ellipsis: they become one.
        g_autofree char *text = g_strdelimit(g_strdup(pango_layout_get_text(m->head)), "\n", ' ');
        pango_layout_set_text(m->head, text, -1);
    }
    if (paint_text_height(m->head) > height) paint_text_limit(m->head, height);
    if (!has_body(m)) return;
    const double rest = height - paint_text_height(m->head) - body_gap(m, base);
    if (rest <= 0) {
        pango_layout_set_text(m->body, "", -1);
        return;
    }
    if (paint_text_height(m->body) > rest) {
        if (looks[m->tone].is_code) {
            // Keeps the lines that fit and puts "…" in place of the others.
            const double line = paint_text_height(m->body) / pango_layout_get_line_count(m->body);
            const int kept = MAX(1, (int)floor(rest / line)) - 1;
            g_auto(GStrv) lines = g_strsplit(pango_layout_get_text(m->body), "\n", -1);
            g_autoptr(GString) text = g_string_new(NULL);
            for (int i = 0; i < kept && lines[i]; i++)
                g_string_append_printf(text, "%s\n", lines[i]);
            g_string_append(text, "…");
            pango_layout_set_text(m->body, text->str, -1);
        } else {
            paint_text_limit(m->body, rest);
        }
    }
    if (looks[m->tone].is_code && paint_text_width(m->body) > width) paint_text_cut(m->body, width);
}

static double symbol_room(const struct look *look, double base)
{
    return look->symbol > 0 ? (look->symbol + 0.9) * base : 0;
}

// Captions become that much smaller where this saves a line.
static const double calmer = 0.85;

// Above this factor a caption becomes smaller rather than break a word.
static const double unbroken = 0.4;

static bool has_broken_word(PangoLayout *layout)
{
    const PangoWrapMode usual = pango_layout_get_wrap(layout);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD);
    const double room = (double)pango_layout_get_width(layout) / PANGO_SCALE;
    const bool is_broken = room > 0 && paint_text_width(layout) > room;
    pango_layout_set_wrap(layout, usual);
    return is_broken;
}

struct paint_box message_place(struct message *m, const struct paint *paint, const char *text,
                               enum overlay_tone tone, struct paint_box area,
                               enum message_height where)
{
    const struct look *look = &looks[tone];
    // A message with a symbol becomes smaller as a whole, but no smaller than at text scale 1,
    // until a line of its head fits into a low area.
    const double line = 1.4 * look->head, most = 2 * look->air + 1.6 * look->padding + line;
    struct paint fitted = *paint;
    if (look->symbol > 0) fitted.base = fmin(paint->base, fmax(paint->plain, area.height / most));
    const double base = fitted.base;
    double frame = fmin(base, largest_frame * paint->plain);
    if (tone == OVERLAY_LECTURE)
        frame = fmin(frame, fmax(least_frame * paint->plain, caption_frame * area.height));
    const double air = look->air * frame;
    const uint64_t shape = HASH_VALUE(HASH_VALUE(HASH_VALUE(0, tone), area), where);
    const uint64_t hash = hash_text(HASH_VALUE(HASH_VALUE(shape, base), paint->plain), text);
    if (hash == m->hash) return m->box;
    m->hash = hash;
    m->base = base;
    m->frame = frame;
    const double frame_width = 2 * look->padding * frame + symbol_room(look, base);
    const double frame_height = 1.6 * look->padding * frame;
    const double width = fmax(0, area.width - 2 * air - frame_width);
    const double height = fmax(0, area.height - 2 * air - frame_height);
    g_autofree char *trimmed =
        g_strchomp(look->is_whole ? number_keep_together(text) : g_strdup(text));
    g_auto(GStrv) split_text = g_strsplit(trimmed, "\n", look->is_whole ? 1 : 2);  // head, body
    char *const *parts = split_text[0] ? split_text : (char *[]){"", NULL};
    m->tone = tone;
    const double readable = look->is_code ? fmin(1, smallest_log / (look->body * base)) : 0;
    const double smallest = fmax(look->smallest * fmin(1, paint->plain / base), readable);
    int fewest = INT_MAX;
    if (look->is_whole) {
        set_message(m, &fitted, parts, calmer, width);
        fewest = pango_layout_get_line_count(m->head);
    }
    // The last factor that is tried is exactly the smallest; then the loop ends.
    for (double factor = 1, step = 0.05; factor >= smallest;
         factor = factor > smallest ? fmax(smallest, factor - step) : smallest - step) {
        set_message(m, &fitted, parts, factor, width);
        if (factor > calmer && pango_layout_get_line_count(m->head) > fewest) continue;
        if (look->is_whole && factor > unbroken && has_broken_word(m->head)) continue;
        // A log's head becomes no smaller than at text scale 1, and may be cut.
        const bool is_whole = look->is_code || !pango_layout_is_ellipsized(m->head);
        if (is_whole && text_height(m, base) <= height && text_width(m) <= width) break;
    }
    cut_message(m, base, width, height);
    const double text_room = ceil(fmin(text_width(m), width));
    struct paint_box box = {.width = text_room + frame_width,
                            .height = ceil(fmin(text_height(m, base), height)) + frame_height};
    box.height = fmax(box.height, fmin(area.height, (look->symbol + 1) * base));
    box.left = round(area.left + (area.width - box.width) / 2);
    const double free = area.height - box.height;
    const double above[] = {
        [MESSAGE_HIGH] = air, [MESSAGE_MIDDLE] = free / 2, [MESSAGE_LOW] = free - air};
    box.top = round(area.top + above[where]);
    return m->box = box;
}

void message_draw(const struct message *m, const struct paint *paint)
{
    const struct look *look = &looks[m->tone];
    const struct paint_theme *t = paint->theme;
    const double base = m->base;
    const double left = m->box.left + look->padding * m->frame + symbol_room(look, base);
    const double top = m->box.top + (m->box.height - text_height(m, base)) / 2;
    const double head = paint_text_height(m->head);
    paint_panel(paint, m->box, m->frame, t->panel.alpha);
    if (look->symbol > 0) {  // the kind of trouble, and an edge of its colour
        const bool is_broken = m->tone == OVERLAY_BROKEN;
        const struct paint_color color = is_broken ? t->bad : t->warning;
        const struct paint_box edge = {m->box.left, m->box.top, 0.4 * base, m->box.height};
        paint_clip(paint, edge);
        paint_fill_box(paint, m->box, 0.5 * m->frame, color);
        cairo_restore(paint->cairo);
        paint_symbol(paint, is_broken ? PAINT_TRIANGLE : PAINT_BARRED,
                     m->box.left + look->padding * m->frame + (look->symbol / 2 + 0.15) * base,
                     look->is_code ? top + head / 2 : m->box.top + m->box.height / 2,
                     look->symbol * base, color);
    }
    PangoAttrList *usual = pango_attr_list_ref(pango_layout_get_attributes(m->head));
    PangoAttrList *colored = pango_attr_list_copy(usual);
    if (m->tone == OVERLAY_LECTURE) {
        // The marks of claims at the beginnings of lines (docs/tours.md). Other lines have none.
        const char *const text = pango_layout_get_text(m->head);
        const struct {
            const char *mark;
            struct paint_color color;
        } marks[] = {{"✓ ", t->good}, {"✗ ", t->bad}, {"≈ ", t->warning}};
        for (const char *line = text; line; line = strchr(line, '\n')) {
            line += *line == '\n';
            for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
                if (g_str_has_prefix(line, marks[i].mark))
                    paint_text_color(colored, marks[i].color, (size_t)(line - text),
                                     (size_t)(line - text) + strlen(marks[i].mark));
        }
    }
    pango_layout_set_attributes(m->head, colored);
    paint_text_at_top(paint, m->head, left, top, paint->theme->text);
    pango_layout_set_attributes(m->head, usual);
    pango_attr_list_unref(colored);
    pango_attr_list_unref(usual);
    if (has_body(m))
        paint_text_at_top(paint, m->body, left, top + head + body_gap(m, base), t->text);
}
