// tour_handout.h -- plays a tour on the program's state, without a window, and makes its page.
//
// Keys act on struct app as in the window; panels, lens and figures come from the same models. Each
// step of the tour becomes a step of the page: its captions and claims with this machine's figures,
// the picture, the drawings that are open or that it points to, a table of times and counts, the
// kernel, and the commands that measure it again. What was shown before is not shown again: the
// page says in which step it was.
//
// Requests to the window, such as a screenshot, are ignored.
#ifndef TOUR_HANDOUT_H
#define TOUR_HANDOUT_H

#include "commands/headless.h"
#include "commands/tour_page.h"
#include "commands/tour_record.h"
#include "device/headers.h"
#include "tour/tour.h"

struct tour_handout_setup {
    const struct tour *tour;     // all are borrowed
    struct headless *headless;   // with filters, picture and device
    struct tour_record *record;  // of these
    const struct headers *headers;
    const char *subject;  // the words of a command that name the picture: "'a b.png'", "--size 9x9"
    const char *script;   // the words that name the tour: "banks", "'mine.tour'"
    const char *data;     // " --data 'course'"; empty: none
    const char *device;   // of the command line; NULL: none was named
    bool is_plain;        // only claims are wanted, no page
};

// Plays all of it, and adds the steps to the page and a line for each claim to the text. failures:
// how many claims that are not about time do not hold. False: the device failed, or Ctrl-C came.
bool tour_handout_make(const struct tour_handout_setup *setup, struct tour_page *page,
                       GString *claims, int *failures, struct error *err);

#endif
