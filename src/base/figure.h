// figure.h -- numbers as people read them.
#ifndef FIGURE_H
#define FIGURE_H

#include <stddef.h>

// Three significant figures, without an exponent: "0.0412", "4.12", "412", "41200".
void figure_three(char *text, size_t size, double value);

#endif
