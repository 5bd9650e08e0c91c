// tour_record.h -- measures and counts what a tour's figures and panels ask for, without a window.
//
// Times come from the engine and the one record of results, as on the screen; counts from the
// memory lens, which traces the block in the middle. What was measured or counted once is kept for
// the steps that follow, so a figure is the same wherever the hand-out shows it.
//
// It does not draw or write. One thread uses it; its calls wait.
#pragma once

#include "screen/panel_model.h"
#include "tour/tour_value.h"

struct tour_record;

// Backend, picture and recording are borrowed. The recording's times take the place of those that
// would be measured; NULL: there is none. budget_s: seconds for all measuring; what it does not
// reach stays unknown. NULL: there is no memory for the picture.
struct tour_record *tour_record_open(struct backend *backend, struct planes picture,
                                     struct recording *recording, double budget_s,
                                     struct error *err);
void tour_record_close(struct tour_record *r);  // accepts NULL

// The source of figures while a choice is shown. It lives as long as the record.
struct tour_source tour_record_source(struct tour_record *r, const struct choice *shown);

// Measures the shown choice, the one that it is compared with, and what else is wanted. A choice
// that cannot be measured is refused in the results. False: the device failed, or Ctrl-C came.
bool tour_record_measure(struct tour_record *r, const struct choice *shown,
                         const struct choice *also, int also_count, struct error *err);
// The same, and what the open panels show, which the model holds. NULL: it failed.
const struct overlay_panels *tour_record_fill(struct tour_record *r, struct panel_model *panels,
                                              const struct panel_model_facts *facts,
                                              struct error *err);

const struct results *tour_record_results(const struct tour_record *r);

// The counts of a choice's block, traced when they are first asked for. NULL: why says why.
const struct lens_result *tour_record_block(struct tour_record *r, const struct choice *c,
                                            struct error *why);
