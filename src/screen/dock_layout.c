#include "screen/dock_layout.h"

#include <math.h>

#include "draw/listing.h"

// Of the area: across for one picture, down for two.
static const double least_share = 0.5, largest_share = 0.72, pair_share = 0.56;
static const double text_size = 0.72;  // in base sizes
static const double least_size = 11;   // pixels, unless the window's own text is as small
static const double least_height = 8;  // in ems: with less there are no docks
static const int columns_usual = 78, columns_least = 44;

static double limit(double value, double least, double largest)
{
    return fmin(fmax(value, least), largest);
}

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
    const double columns = limit(columns_usual * plain / base, columns_least, columns_usual);
    const double size = fmin(text_size * base, listing_size(width, (int)columns));
    return fmax(size, fmin(least_size, text_size * base));
}

void dock_lay_out(struct dock_plan *plan, const struct overlay_docks *docks,
                  struct paint_box between, double base, double plain)
{
    const bool is_pair = docks->source[0] && docks->source[1];
    const double share = limit(least_share * base / plain, least_share, largest_share);
    *plan = (struct dock_plan){.room = between};
    struct paint_box all = is_pair || between.height > between.width
                               ? cut_bottom(&plan->room, floor(pair_share * between.height))
                               : cut_right(&plan->room, floor(share * between.width));
    const double width = is_pair ? floor(all.width / 2) : all.width;
    plan->em = size_of_text(width, base, plain);
    if (all.height < least_height * plan->em) {
        plan->room = between;
        return;
    }
    if (is_pair) plan->boxes[OVERLAY_SOURCE_B] = cut_right(&all, width);
    plan->boxes[OVERLAY_SOURCE_A] = all;
}
