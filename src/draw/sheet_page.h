// sheet_page.h -- the page of a sheet: where things are, how they are drawn, and its file.
#ifndef SHEET_PAGE_H
#define SHEET_PAGE_H

#include "draw/sheet.h"

// Makes a copy as small as the picture will be on this sheet, so that the whole one can be freed.
// is_max: a pixel is the largest value of its area, else its average.
bool sheet_page_shrink(struct image *small, const struct sheet *sheet, struct planes picture,
                       bool is_max, struct error *err);
bool sheet_page_save(const struct sheet *sheet, const char *path, const struct image_text *texts,
                     int text_count, struct error *err);

#endif
