#include "draw/sheet.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "filter/launch.h"
#include "measure/figures.h"

// ---- cells ----

static void set_picture(const struct sheet *s, struct sheet_cell *cell, struct planes picture)
{
    struct error err = {""};
    struct planes square = picture;
    square.pixels = planes_row(picture, 0, s->detail_top) + s->detail_left;
    square.width = square.height = SHEET_DETAIL;
    if (!sheet_shrink(&cell->picture, s, picture, cell->is_difference, &err))
        sheet_refuse(cell, err.text);
    else if (s->has_detail &&
             image_init(&cell->detail, SHEET_DETAIL, SHEET_DETAIL, picture.count, NULL))
        image_copy(cell->detail.planes, square);
}

static struct sheet_cell *add_cell(struct sheet *s)
{
    g_assert(s->count < SHEET_MAX_CELLS);
    return &s->cells[s->count++];
}

static long contrast_at(struct planes v, int left, int top)
{
    long sum = 0;
    for (int plane = 0; plane < v.count; plane++)
        for (int y = top; y < top + SHEET_DETAIL - 1; y++) {
            const unsigned char *row = planes_row(v, plane, y),
                                *below = planes_row(v, plane, y + 1);
            for (int x = left; x < left + SHEET_DETAIL - 1; x++)
                sum += abs(row[x] - row[x + 1]) + abs(row[x] - below[x]);
        }
    return sum;
}

// Returns the shape of an array's picture, and writes "b: float 160×90".
static struct planes describe_array(const struct choice *c, int array, char *text, size_t size)
{
    struct arrays_layout layout;
    int columns, step;
    text[0] = '\0';
    if (array < 0 || filter_has_picture(c->filter) ||
        !arrays_plan(&layout, c, (struct planes){0}, NULL))
        return planes_shape(1, 1, 1);
    const struct array *a = &c->filter->arrays[array];
    g_snprintf(text, size, "%s: %s", a->name, array_write_shape(a, &layout.places[array]).text);
    return array_picture(a, &layout.places[array], &columns, &step);
}

void sheet_begin(struct sheet *s, enum sheet_kind kind, const struct choice *c, int array,
                 struct planes picture, int variants)
{
    char input[96] = "the picture";
    *s = (struct sheet){.kind = kind, .planned = variants + 1, .picture = planes_at(picture, NULL)};
    if (!filter_has_picture(c->filter)) {
        const int in = arrays_first(c->filter, ARRAY_IN);
        s->picture = describe_array(c, arrays_shown(c, array), s->subject, sizeof s->subject);
        s->legend = legend_of(c, array, NULL);
        describe_array(c, in, input, sizeof input);
        if (in >= 0) {  // it has another scale than the legend's
            const struct legend range = legend_of(c, in, NULL);
            text_append(input, sizeof input, " · %s … %s", range.low, range.high);
        }
    }
    if (kind != SHEET_VARIANTS) return;
    struct sheet_cell *source = add_cell(s);
    g_strlcpy(source->label, "copy", sizeof source->label);
    g_strlcpy(source->note, input, sizeof source->note);
    g_strlcpy(source->speed, "the floor: read and write once", sizeof source->speed);
}

// The detail is the square of SHEET_DETAIL with the most contrast between neighbours, where a
// filter changes most. None: the picture is too small for a detail to show more than the whole.
void sheet_set_input(struct sheet *s, struct planes v)
{
    long most = -1;
    const bool is_large =
        !s->subject[0] && v.width >= 8 * SHEET_DETAIL && v.height >= 4 * SHEET_DETAIL;
    for (int y = 0; is_large && y + SHEET_DETAIL <= v.height; y += SHEET_DETAIL / 2)
        for (int x = 0; x + SHEET_DETAIL <= v.width; x += SHEET_DETAIL / 2) {
            const long contrast = contrast_at(v, x, y);
            if (contrast <= most) continue;
            most = contrast;
            s->has_detail = true;
            s->detail_left = x;
            s->detail_top = y;
        }
    if (s->kind == SHEET_VARIANTS) set_picture(s, &s->cells[0], v);
}

void sheet_finish(struct sheet *s)
{
    for (int i = 0; i < s->count; i++) {
        image_finish(&s->cells[i].picture);
        image_finish(&s->cells[i].detail);
    }
    *s = (struct sheet){.count = 0};
}

// A and B may differ in anything, so each names all; variants share what the title names.
static void write_note(const struct sheet *s, struct sheet_cell *cell, int array)
{
    const struct choice *c = &cell->choice;
    const size_t size = sizeof cell->note;
    const struct words block = launch_write_block(c->variant, &c->settings);
    g_strlcpy(cell->note, block.text, size);
    if (s->kind != SHEET_PAIR) return;
    describe_array(c, arrays_shown(c, array), cell->note, size);
    text_join(cell->note, size, " · ", "%s",
              filter_write_params(c->filter, &c->settings.params).text);
    text_join(cell->note, size, " · ", "%s%s", c->variant->library.function ? "" : "block ",
              block.text);
    if (choice_can_unroll(c))
        text_join(cell->note, size, " · ", "unroll %s", c->settings.is_unrolled ? "on" : "off");
}

struct sheet_cell *sheet_add(struct sheet *s, const struct choice *c, int array)
{
    struct sheet_cell *cell = add_cell(s);
    cell->choice = *c;
    if (s->kind == SHEET_PAIR) {
        g_strlcpy(cell->name, s->count > 1 ? "B" : "A", sizeof cell->name);
        g_snprintf(cell->label, sizeof cell->label, "%s %s %s", cell->name, c->filter->name,
                   c->variant->name);
    } else {
        g_strlcpy(cell->name, c->variant->name, sizeof cell->name);
        g_snprintf(cell->label, sizeof cell->label, "%d %s",
                   (int)(c->variant - c->filter->variants) + 1, c->variant->name);
    }
    cell->map = c->filter->arrays[arrays_shown(c, array)].map;
    write_note(s, cell, array);
    if (s->subject[0]) {
        char words[96], reason[160];
        const struct planes shape = describe_array(c, arrays_shown(c, array), words, sizeof words);
        g_snprintf(reason, sizeof reason, "%s is not of the sheet's shape, %s", words, s->subject);
        if (words[0] && !planes_is_same_shape(shape, s->picture)) sheet_refuse(cell, reason);
    }
    return cell;
}

static void set_times(struct sheet_cell *cell, struct stats_summary ms)
{
    cell->ms = ms;
    figures_write_ms(cell->time, sizeof cell->time, ms);
    if (ms.count > 1) figures_write_quartiles(cell->spread, sizeof cell->spread, ms);
}

void sheet_set_result(struct sheet *s, struct sheet_cell *cell, struct planes picture,
                      struct stats_summary ms)
{
    if (cell->reason[0]) return;
    set_times(cell, ms);
    set_picture(s, cell, picture);
}

void sheet_set_check(struct sheet_cell *cell, struct image_difference difference)
{
    cell->check = result_check_of(&cell->choice, difference);
    cell->difference = difference;
}

void sheet_refuse(struct sheet_cell *cell, const char *why)
{
    g_strlcpy(cell->reason, why, MIN(sizeof cell->reason, strcspn(why, "\n") + 1));
    cell->time[0] = cell->spread[0] = '\0';
    cell->ms = (struct stats_summary){0};
}

// ---- differences ----

// |a - b|, the largest of the planes for a pixel, and its factor (figures_gain). Returns how many
// pixels differ in any plane.
static long subtract(struct planes to, struct planes a, struct planes b, int *max, double *gain)
{
    long pixels = 0;
    *max = 0;
    for (int y = 0; y < a.height; y++)
        for (int x = 0; x < a.width; x++) {
            int most = 0;
            for (int p = 0; p < a.count; p++)
                most = MAX(most, abs(planes_row(a, p, y)[x] - planes_row(b, p, y)[x]));
            pixels += most > 0;
            *max = MAX(*max, most);
        }
    *gain = figures_gain(*max);
    for (int p = 0; p < a.count; p++)
        for (int y = 0; y < a.height; y++) {
            const unsigned char *left = planes_row(a, p, y), *right = planes_row(b, p, y);
            unsigned char *row = planes_row(to, p, y);
            for (int x = 0; x < a.width; x++)
                row[x] = (unsigned char)(abs(left[x] - right[x]) * *gain + 0.5);
        }
    return pixels;
}

void sheet_add_difference(struct sheet *s, struct planes a, struct planes b)
{
    struct sheet_cell *cell = add_cell(s);
    OWNED(image_finish) struct image difference = {0};
    struct error err = {""};
    char count[64], digits[32];
    int max;
    double gain;
    cell->is_difference = true;
    g_strlcpy(cell->label, "|A − B|", sizeof cell->label);
    if (!image_init(&difference, a.width, a.height, a.count, &err)) {
        sheet_refuse(cell, err.text);
        return;
    }
    const long pixels = subtract(difference.planes, a, b, &max, &gain);
    set_picture(s, cell, difference.planes);
    if (!pixels) {
        g_strlcpy(cell->time, "no difference", sizeof cell->time);
        g_strlcpy(cell->speed, "every pixel is equal", sizeof cell->speed);
        return;
    }
    // "1 234 567", in groups of three with narrow spaces between them.
    g_snprintf(digits, sizeof digits, "%ld", pixels);
    count[0] = '\0';
    for (size_t i = 0, length = strlen(digits); i < length; i++)
        text_append(count, sizeof count, "%s%c", i && (length - i) % 3 == 0 ? "\u202f" : "",
                    digits[i]);
    g_snprintf(cell->time, sizeof cell->time, "max %d", max);
    g_strlcpy(cell->spread, "of 255", sizeof cell->spread);
    g_snprintf(cell->speed, sizeof cell->speed, "%s pixel%s differ%s", count,
               pixels == 1 ? "" : "s", pixels == 1 ? "s" : "");
    if (gain <= 1) return;
    figures_write_gain(count, sizeof count, gain);
    g_snprintf(cell->note, sizeof cell->note, "amplified %s×", count);
}

// ---- comparing the cells ----

static bool is_measured(const struct sheet_cell *cell)
{
    return cell->choice.filter && cell->ms.count && cell->ms.median > 0;
}

static bool is_candidate(const struct sheet_cell *cell)
{
    return is_measured(cell) && cell->check != CHECK_WRONG;
}

// A right result is compared with naive, if that is on the sheet. A and B are compared with each
// other. The sheet's copy moves as many bytes as the first choice, but a lab of a pair may move
// others.
static void write_speed(const struct sheet *s, struct sheet_cell *cell)
{
    const double ms = cell->ms.median;
    const struct sheet_cell *first = &s->cells[s->kind == SHEET_VARIANTS];
    if (!is_measured(cell)) return;
    if (!is_candidate(cell))
        result_check_write_wrong(cell->speed, sizeof cell->speed, &cell->choice, cell->difference);
    if (s->is_by_counts) return;
    for (int i = 0; i < s->count && s->kind == SHEET_VARIANTS && is_candidate(cell); i++) {
        const struct sheet_cell *naive = &s->cells[i];
        if (!is_candidate(naive) || strcmp(naive->name, "naive") != 0) continue;
        g_autofree char *unit = g_strdup_printf(FIGURES_NAIVE " %s", naive->note);  // its block
        figures_add(cell->speed, sizeof cell->speed, "", figures_speed_up(ms, naive->ms.median),
                    unit);
    }
    if (figures_bytes(&cell->choice, s->picture) == figures_bytes(&first->choice, s->picture))
        figures_add(cell->speed, sizeof cell->speed, " · ",
                    figures_percent_of_copy(ms, s->floor_ms), FIGURES_COPY);
}

// Of a pair, one is faster whatever they do.
static bool may_be_fastest(const struct sheet *s, const struct sheet_cell *cell)
{
    return is_candidate(cell) && (s->kind == SHEET_PAIR || !cell->choice.variant->is_floor);
}

static bool is_clearly_slower(const struct sheet_cell *cell, const struct sheet_cell *fastest)
{
    return figures_compare(fastest->ms, cell->ms) == FIGURES_FIRST_IS_FASTER;
}

// Marks each cell that is as fast as the fastest. If all are, none is marked.
static void mark_fastest(struct sheet *s)
{
    const struct sheet_cell *fastest = NULL;
    int candidates = 0, slower = 0;
    for (int i = 0; i < s->count; i++) {
        const struct sheet_cell *cell = &s->cells[i];
        if (!may_be_fastest(s, cell)) continue;
        candidates++;
        if (!fastest || cell->ms.median < fastest->ms.median) fastest = cell;
    }
    for (int i = 0; i < s->count; i++)
        slower += may_be_fastest(s, &s->cells[i]) && is_clearly_slower(&s->cells[i], fastest);
    if (!slower) return;
    const char *words = slower < candidates - 1 ? "among the fastest"
                        : s->kind == SHEET_PAIR ? "faster"
                                                : "fastest";
    for (int i = 0; i < s->count; i++)
        if (may_be_fastest(s, &s->cells[i]) && !is_clearly_slower(&s->cells[i], fastest))
            g_strlcpy(s->cells[i].tag, words, sizeof s->cells[i].tag);
}

// ---- the page ----

static struct figures_side side_of(const struct sheet_cell *cell)
{
    return (struct figures_side){cell->name, cell->ms, cell->check == CHECK_WRONG};
}

void sheet_complete(struct sheet *s, const struct sheet_page *p)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *made = g_date_time_format(now, "%Y-%m-%d %H:%M");
    s->is_by_counts = !device_has_gpu_times(p->device);
    s->floor_ms = p->copy.median;
    if (s->kind == SHEET_VARIANTS) set_times(&s->cells[0], p->copy);
    if (s->kind == SHEET_VARIANTS && s->is_by_counts) s->cells[0].speed[0] = '\0';  // no floor
    for (int i = 0; i < s->count; i++) write_speed(s, &s->cells[i]);
    if (!s->is_by_counts) mark_fastest(s);
    char words[160] = "";
    const struct sheet_cell *const a = &s->cells[0], *const b = &s->cells[1];
    if (s->kind == SHEET_PAIR) {
        if (!s->is_by_counts && s->count > 1 && is_measured(a) && is_measured(b))
            figures_write_comparison(words, sizeof words, side_of(a), side_of(b));
        g_snprintf(s->title, sizeof s->title, "A and B%s%s", words[0] ? ": " : "", words);
    } else {
        const struct choice *c = &s->cells[s->count - 1].choice;
        g_strlcpy(s->title, c->filter->title, sizeof s->title);
        text_join(s->title, sizeof s->title, " · ", "%s",
                  filter_write_params(c->filter, &c->settings.params).text);
        text_join(s->title, sizeof s->title, " · ", c->settings.is_unrolled ? "unroll on" : "");
    }
    char copy[32], mark[64] = "";
    int least = 0;
    for (int i = 0; i < s->count; i++) {
        const int count = s->cells[i].choice.filter ? s->cells[i].ms.count : 0;
        if (count && (!least || count < least)) least = count;
    }
    figures_write_ms(copy, sizeof copy, p->copy);
    if (copy[0] && !s->is_by_counts)
        g_snprintf(mark, sizeof mark, "Mark: a device copy, %s. ", copy);
    s->footer[0] = '\0';
    if (p->times && *p->times) text_append(s->footer, sizeof s->footer, "Times: %s. ", p->times);
    text_append(
        s->footer, sizeof s->footer, "%sMedians and quartiles of at least %d %s. %sTilescope %s",
        s->is_by_counts ? "Times of a CPU. " : "", least, p->samples, mark, TILESCOPE_VERSION);
    g_strlcpy(s->detail, s->subject, sizeof s->detail);
    if (!s->subject[0]) {
        g_autofree char *name = g_filename_display_basename(p->picture_name);
        g_snprintf(s->detail, sizeof s->detail, "%s · %d×%d %s", name, s->picture.width,
                   s->picture.height, s->picture.count == 1 ? "grey" : "colour");
    }
    g_strlcpy(s->device, p->device->name, sizeof s->device);
    g_snprintf(s->date, sizeof s->date, "%s · %s", p->device->driver, made);
    g_strlcpy(s->made, made, sizeof s->made);
}
