#include "measure/result_check.h"

#include <glib.h>

enum result_check result_check_of(const struct choice *point, struct image_difference found)
{
    const int tolerance = point->variant ? point->variant->library.tolerance : 0;
    if (!found.count) return CHECK_EXACT;
    return found.max <= tolerance ? CHECK_NEAR : CHECK_WRONG;
}

void result_check_write_wrong(char *text, size_t size, const struct choice *point,
                              struct image_difference found)
{
    if (found.is_outside)
        g_snprintf(text, size, "writes behind %s", point->filter->arrays[found.plane].name);
    else
        g_snprintf(text, size, "max |diff| = %d", found.max);
}

const char *result_check_name(enum result_check check)
{
    static const char *const names[] = {[CHECK_UNKNOWN] = "not checked",
                                        [CHECK_NO_REFERENCE] = "not checked",
                                        [CHECK_EXACT] = "exact",
                                        [CHECK_NEAR] = "within tolerance",
                                        [CHECK_WRONG] = "wrong"};
    return names[check];
}
