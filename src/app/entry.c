#include "app/entry.h"

#include <glib.h>
#include <string.h>

static const struct param *param_of(const struct app *a)
{
    return &app_filter(a)->params[app_param(a)];
}

void entry_toggle(struct app *a)
{
    if (app_param(a) < 0)
        g_snprintf(a->note, sizeof a->note, "%s has no parameter", app_filter(a)->name);
    else
        a->menu = APP_MENU_VALUE;
    *a->typed = '\0';
}

void entry_press(struct app *a, const char *key)
{
    const size_t length = strlen(a->typed);
    const bool is_typed = !key[1] && (g_ascii_isalnum(*key) || strchr("._+-", *key));
    if (!strcmp(key, "Return") && length) {
        const struct filter *f = app_filter(a);
        struct param_values values = app_settings(a)->params;
        struct error err;
        if (filter_set_param(f, &values, param_of(a)->name, a->typed, &err) &&
            filter_check(f, &values, &err)) {
            app_settings(a)->params = values;
            a->menu = APP_MENU_NONE;
        } else {
            g_strlcpy(a->note, err.text, sizeof a->note);
        }
    } else if (!strcmp(key, "Esc") || !strcmp(key, "Return")) {
        a->menu = APP_MENU_NONE;
    } else if (!strcmp(key, "Backspace") && length)
        a->typed[length - 1] = '\0';
    else if (is_typed)
        g_strlcat(a->typed, key, FILTER_VALUE);
    else
        g_snprintf(a->note, sizeof a->note, "%s cannot be typed here", key);
}

void entry_write(const struct app *a, char *text, size_t size)
{
    g_snprintf(text, size, "%s = %s_", param_of(a)->name, a->typed);
}

void entry_write_limits(const struct app *a, char *text, size_t size)
{
    const struct param *p = param_of(a);
    char least[FILTER_VALUE], most[FILTER_VALUE];
    filter_write_value(p, p->min, least);
    filter_write_value(p, p->max, most);
    g_snprintf(text, size, "%s to %s", least, most);
}
