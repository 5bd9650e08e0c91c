// contrast.h -- how well a colour stands out from another one, by WCAG 2.1.
#pragma once

#include <math.h>

// Of a colour from 0 to 1 each.
static inline double contrast_luminance(double red, double green, double blue)
{
    const double values[] = {red, green, blue}, weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += weights[i] *
               (values[i] <= 0.04045 ? values[i] / 12.92 : pow((values[i] + 0.055) / 1.055, 2.4));
    return sum;
}

// Of two luminances.
static inline double contrast_of(double a, double b)
{
    return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}
