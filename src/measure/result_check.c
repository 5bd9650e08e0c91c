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

void result_check_write(char *text, size_t size, const struct choice *point,
                        enum result_check check)
{
    if (check == CHECK_NO_REFERENCE && !choice_can_be_checked(point))
        g_strlcpy(text, "nothing checks it", size);
    else if (check == CHECK_EXACT && !filter_has_reference(point->filter))
        g_snprintf(text, size, "checked against %s", point->filter->variants[0].name);
    else
        g_strlcpy(text, result_check_name(check), size);
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
