#include "screen/dock_layout.h"

#include <math.h>

#include "draw/listing.h"

// Parts of the area: across for one picture, down for two.
static const double least_share = 0.5, largest_share = 0.72, pair_share = 0.56;
static const double lens_share = 0.5, pair_lens_share = 0.33, pair_source_share = 0.41;
static const double pair_lenses_share = 0.61;  // without sources
static const double text_size = 0.72;          // in base sizes
static const double least_size = 11;           // pixels, unless the window's own text is as small
static const double least_height = 8;          // in ems: with less there are no docks
static const double lens_lines = 15.5, least_lens_lines = 13, least_lens_width = 36;  // in ems
static const double full_lens_lines = 26;                                             // in ems
static const int columns_usual = 78, columns_least = 44;

// Cuts a part of the room off, at its right or at its lower edge.
static struct paint_box cut_right(struct paint_box *room, double width)
{
    room->width -= width;
    return (struct paint_box){room->left + room->width, room->top, width, room->height};
}

static struct paint_box cut_bottom(struct paint_box *room, double height)
{
    room->height -= height;
    return (struct paint_box){room->left, room->top + room->height, room->width, height};
}

static double size_of_text(double width, double base, double plain)
{
    const double columns = CLAMP(columns_usual * plain / base, columns_least, columns_usual);
    const double size = fmin(text_size * base, listing_size(width, (int)columns));
    return fmax(size, fmin(least_size, text_size * base));
}

// A lens is as high as its lines need, but takes at most `part` of the height.
static double lens_height(double height, double part, double em)
{
    return floor(fmin(part * height, lens_lines * em));
}

static void lay_out_single(struct dock_plan *plan, const struct overlay_docks *docks, double base,
                           double plain, bool has_caption)
{
    struct paint_box *room = &plan->room;
    const double largest = docks->lens[0] || has_caption ? least_share : largest_share;
    const double share = CLAMP(least_share * base / plain, least_share, largest);
    const bool is_high = room->height > room->width;
    const double width = floor(share * room->width);
    plan->em = size_of_text(is_high ? room->width : width, base, plain);
    if (docks->source[0])
        plan->boxes[OVERLAY_SOURCE_A] =
            is_high ? cut_bottom(room, floor(pair_share * room->height)) : cut_right(room, width);
    if (docks->lens[0])
        plan->boxes[OVERLAY_LENS_A] =
            cut_bottom(room, lens_height(room->height, lens_share, plan->em));
}

static void lay_out_pair(struct dock_plan *plan, const struct overlay_docks *docks, double base,
                         double plain)
{
    const bool has_source = docks->source[0], has_lens = docks->lens[0];
    const double height = plan->room.height, width = floor(plan->room.width / 2);
    plan->em = size_of_text(width, base, plain);
    if (has_lens) {
        struct paint_box row = cut_bottom(
            &plan->room,
            lens_height(height, has_source ? pair_lens_share : pair_lenses_share, plan->em));
        plan->boxes[OVERLAY_LENS_B] = cut_right(&row, width);
        plan->boxes[OVERLAY_LENS_A] = row;
    }
    if (has_source) {
        struct paint_box row =
            cut_bottom(&plan->room, floor((has_lens ? pair_source_share : pair_share) * height));
        plan->boxes[OVERLAY_SOURCE_B] = cut_right(&row, width);
        plan->boxes[OVERLAY_SOURCE_A] = row;
    }
}

void dock_layout_compute(struct dock_plan *plan, const struct overlay_docks *docks,
                         struct paint_box between, double base, double plain, bool has_caption)
{
    const bool is_pair = docks->source[1] || docks->lens[1];
    *plan = (struct dock_plan){.room = between};
    if (is_pair)
        lay_out_pair(plan, docks, base, plain);
    else
        lay_out_single(plan, docks, base, plain, has_caption);
    const struct paint_box lens = plan->boxes[OVERLAY_LENS_A];
    plan->lens_em =
        fmin(plan->em, fmin(lens.height / least_lens_lines, lens.width / least_lens_width));
    if (between.height < least_height * plan->em) *plan = (struct dock_plan){.room = between};
}

void dock_layout_full(struct dock_plan *plan, const struct overlay_docks *docks,
                      struct paint_box window, double base)
{
    *plan = (struct dock_plan){.room = window, .em = text_size * base};
    if (docks->lens[1])
        plan->boxes[OVERLAY_LENS_B] = cut_right(&plan->room, floor(window.width / 2));
    plan->boxes[OVERLAY_LENS_A] = cut_right(&plan->room, plan->room.width);
    plan->lens_em = fmin(plan->em, fmin(window.height / full_lens_lines,
                                        plan->boxes[OVERLAY_LENS_A].width / least_lens_width));
}
