#include "tour/tour_list.h"

#include <glib.h>
#include <string.h>

#include "tour/tour.h"

static const char ending[] = ".tour";

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct tour_entry *)a)->name, ((const struct tour_entry *)b)->name);
}

static struct tour_entry read_entry(const char *folder, const char *file,
                                    const struct filter_list *filters)
{
    struct tour tour = {0};
    struct error err = {""};
    struct tour_entry e = {.name = g_strndup(file, strlen(file) - strlen(ending)),
                           .path = g_build_filename(folder, file, NULL)};
    if (tour_load(&tour, e.path, filters, &err)) {
        e.title = g_strdup(tour.title);
        e.steps = tour.step_count;
    } else {
        e.why = g_strdup(err.text);
    }
    tour_finish(&tour);
    return e;
}

void tour_list_load(struct tour_list *l, const char *folder, const struct filter_list *filters)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct tour_entry));
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        if (!g_str_has_suffix(name, ending)) continue;
        const struct tour_entry entry = read_entry(folder, name, filters);
        g_array_append_val(entries, entry);
    }
    if (dir) g_dir_close(dir);
    g_array_sort(entries, compare);
    l->count = (int)entries->len;
    l->entries = (struct tour_entry *)(void *)g_array_free(entries, FALSE);
}

void tour_list_finish(struct tour_list *l)
{
    for (int i = 0; i < l->count; i++) {
        g_free(l->entries[i].name);
        g_free(l->entries[i].path);
        g_free(l->entries[i].title);
        g_free(l->entries[i].why);
    }
    g_free(l->entries);
    *l = (struct tour_list){0};
}
