// caption.h -- writes the words and numbers of the overlay and of a screenshot's text chunks.
//
// Figures and their units come from measure/figures.h. This module only turns facts into text.
#pragma once

#include <stdbool.h>

#include "base/image.h"
#include "viewer/pane.h"

struct legend;
struct overlay_content;

// Two pictures that are compared.
struct caption_pair {
    struct pane_facts sides[2];
    int active;  // the side that keys act on
    bool is_difference_known, is_difference_shown;
    struct image_difference difference;
};

// True if the words change, and not only the numbers: something was measured, checked or shown for
// the first time, or is no longer.
bool caption_is_news(const struct pane_facts *told, const struct pane_facts *now);

// Write the bands' texts, as content's is_first asks, and the legend of a lab's picture. Messages,
// help, appearance and the pair's divider stay as they are.
void caption_write(struct overlay_content *content, const struct pane_facts *facts);
void caption_write_pair(struct overlay_content *content, const struct caption_pair *pair);

// Appends what a recorded time is of, where that is not what is shown: "at 1920×1080 colour",
// "at n 16777216".
void caption_add_size(char *text, size_t size, const struct pane_facts *facts);

// By how much a shown difference is amplified: the largest is white.
double caption_gain(const struct caption_pair *pair);

enum { CAPTION_VALUE = 160 };

// Adds a text chunk for a PNG, of less than CAPTION_VALUE bytes.
void caption_add(struct image_texts *texts, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Adds those that name a choice, its device and what is shown of it: a picture, or the array in its
// colours.
void caption_add_choice(struct image_texts *texts, const struct choice *c,
                        const struct device *device, const char *picture, const struct array *array,
                        const struct legend *legend);
// Replaces the texts by the facts as such chunks.
void caption_list(struct image_texts *texts, const struct pane_facts *facts);
