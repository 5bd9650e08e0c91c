#include "tour/tour_play.h"

#include <glib.h>

static const double KEY_SECONDS = 0.25;  // between keys

bool tour_play_is_over(const struct tour_play *p)
{
    return p->line == p->tour->count;
}

int tour_play_step(const struct tour_play *p)
{
    const struct tour *t = p->tour;
    int step = 0;
    while (step + 1 < t->step_count && p->line >= t->steps[step + 1].first) step++;
    return step;
}

bool tour_play_is_at_end(const struct tour_play *p)
{
    return p->is_waiting && p->tour->lines[p->line].kind == TOUR_WAIT_SPACE;
}

// ---- turn by turn ----

// A mark on the screen ends with its step.
static void end_line(struct tour_play *p)
{
    const int step = tour_play_step(p);
    p->line++;
    p->key = 0;
    p->is_waiting = false;
    if (tour_play_is_over(p)) p->is_hurrying = false;
    if (tour_play_is_over(p) || tour_play_step(p) != step) p->pointer = (struct tour_pointer){0};
}

// A caption or mark stays until the next one of its kind; a mark also ends with its step.
static void pass_line(struct tour_play *p, const struct tour_line *line)
{
    if (line->kind == TOUR_CAPTION) p->words = p->line;
    if (line->kind == TOUR_SHOW) p->pointer = line->pointer;
    end_line(p);
}

const char *tour_play_turn(struct tour_play *p, double now_s, bool is_typing, bool is_settled)
{
    if (tour_play_is_over(p)) return NULL;
    const struct tour_line *line = &p->tour->lines[p->line];
    const bool is_first = !p->is_waiting;  // turn of a wait
    const bool is_at_once = p->is_hurrying || is_typing;
    bool has_ended = false;
    const char *key = NULL;
    switch (line->kind) {
    case TOUR_KEYS:
        if (p->key > 0 && now_s - p->since_s < KEY_SECONDS && !is_at_once) return NULL;
        key = line->keys[p->key++];
        p->since_s = now_s;
        if (!line->keys[p->key]) end_line(p);
        break;
    case TOUR_CAPTION:
    case TOUR_SHOW:
    case TOUR_CLAIM:
    case TOUR_NOTE:
        pass_line(p, line);
        break;
    case TOUR_WAIT_SPACE:
    case TOUR_WAIT_SECONDS:
    case TOUR_WAIT_SETTLED:
        p->is_waiting = true;
        if (is_first) p->since_s = now_s;
        if (line->kind == TOUR_WAIT_SPACE && tour_play_step(p) >= p->goal) p->is_hurrying = false;
        if (line->kind == TOUR_WAIT_SECONDS) has_ended = now_s - p->since_s >= line->seconds;
        // In the turn of the last key its work has not begun yet, and the old times may still be
        // settled.
        if (line->kind == TOUR_WAIT_SETTLED) has_ended = is_settled && !is_first;
        if (p->is_hurrying || has_ended) end_line(p);
        break;
    }
    return key;
}

void tour_play_hurry(struct tour_play *p, int step)
{
    p->is_hurrying = true;
    p->goal = step;
    if (p->is_waiting) end_line(p);
}

void tour_play_skip(struct tour_play *p, int step)
{
    while (!tour_play_is_over(p)) {
        const struct tour_line *line = &p->tour->lines[p->line];
        if (line->kind == TOUR_WAIT_SPACE && tour_play_step(p) >= step) return;
        pass_line(p, line);
    }
}

bool tour_play_go_on(struct tour_play *p)
{
    if (tour_play_is_over(p) || p->is_hurrying) return false;
    if (p->is_waiting)
        end_line(p);
    else
        tour_play_hurry(p, tour_play_step(p));
    return true;
}

// ---- what is shown ----

static bool is_passing(const struct tour_play *p)
{
    return p->is_hurrying && tour_play_step(p) < p->goal;
}

const char *tour_play_caption(const struct tour_play *p)
{
    const struct tour_line *line = &p->tour->lines[p->words];
    if (is_passing(p)) return NULL;
    return p->line > p->words && line->kind == TOUR_CAPTION && *line->text ? line->text : NULL;
}

int tour_play_next_claim(const struct tour_play *p, int after)
{
    for (int i = MAX(after + 1, p->words); i < p->line && !is_passing(p); i++)
        if (p->tour->lines[i].kind == TOUR_CLAIM) return i;
    return -1;
}

bool tour_play_awaits_caption(const struct tour_play *p)
{
    const struct tour_step *step = &p->tour->steps[tour_play_step(p)];
    if (p->words >= step->first) return false;
    for (int i = p->line; i < step->first + step->count; i++)
        if (p->tour->lines[i].kind == TOUR_CAPTION) return true;
    return false;
}

int tour_play_figures(const struct tour_play *p, struct tour_figure *figures, int max)
{
    const char *caption = tour_play_caption(p);
    int count = caption ? tour_figure_list(caption, figures, max) : 0;
    for (int i = -1; (i = tour_play_next_claim(p, i)) >= 0;)
        count += claim_figures(&p->tour->lines[i].claim, figures + count, max - count);
    return count;
}
