// table.h -- panels and the lens as text that a spreadsheet takes: a row a line, its fields between
// tabs, the first row their names.
//
// It has the figures that are on the screen and nothing else. A word behind a figure says that it
// is wrong, refused or not settled. The caller frees the text.
#pragma once

#include "screen/overlay.h"

// The open panel that was opened last. *name says which; NULL: no panel is open.
char *table_of_panels(const struct overlay_panels *panels, const char **name);

// The lanes of the request that a lens shows; NULL: it shows none.
char *table_of_lens(const struct lens_view *view);
