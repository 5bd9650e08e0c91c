// table.h -- what panels and the lens show, as text that a spreadsheet takes: a row a line, its
// fields between tabs, the first row their names.
//
// It says what is on the screen and nothing else: figures are those of the panel, and what is
// wrong, refused or not settled says so beside its figure. The caller frees the text.
#ifndef TABLE_H
#define TABLE_H

#include "screen/overlay.h"

// Of the open panel that was opened last. *name is what it is; NULL: no panel is open.
char *table_of_panels(const struct overlay_panels *panels, const char **name);

// The lanes of the request that a lens shows; NULL: it shows none.
char *table_of_lens(const struct lens_view *view);

#endif
