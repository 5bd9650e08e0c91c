#include "tour/tour_list.h"

#include <glib.h>
#include <string.h>

#include "base/suggest.h"
#include "tour/tour.h"

static const char ending[] = ".tour";

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct tour_entry *)a)->name, ((const struct tour_entry *)b)->name);
}

static void finish_entry(struct tour_entry *e)
{
    g_free(e->name);
    g_free(e->path);
    g_free(e->title);
    g_free(e->why);
}

void tour_list_load(struct tour_list *l, const char *folder, bool is_lent,
                    const struct filter_list *filters)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct tour_entry));
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    int left_out = 0;
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        if (!g_str_has_suffix(name, ending)) continue;
        OWNED(tour_finish) struct tour tour = {0};
        struct error err = {""};
        struct tour_entry entry = {.name = g_strndup(name, strlen(name) - strlen(ending)),
                                   .path = g_build_filename(folder, name, NULL)};
        if (tour_load(&tour, entry.path, filters, &err)) {
            entry.title = g_strdup(tour.title);
            entry.steps = tour.step_count;
        } else {
            entry.why = g_strdup(err.text);
        }
        if (is_lent && !entry.title) {
            finish_entry(&entry);
            left_out++;
        } else {
            g_array_append_val(entries, entry);
        }
    }
    g_array_sort(entries, compare);
    l->left_out = left_out;
    l->count = (int)entries->len;
    l->entries = (struct tour_entry *)(void *)g_array_free(entries, FALSE);
}

void tour_list_finish(struct tour_list *l)
{
    for (int i = 0; i < l->count; i++) finish_entry(&l->entries[i]);
    g_free(l->entries);
    *l = (struct tour_list){0};
}

// ---- one of them ----

const char *tour_list_short_name(const char *name)
{
    const size_t digits = strspn(name, "0123456789");
    return digits && name[digits] == '_' ? name + digits + 1 : name;
}

char *tour_list_find(const char *folder, const char *word, const struct filter_list *filters,
                     struct error *err)
{
    OWNED(tour_list_finish) struct tour_list list = {0};
    char *path = NULL;
    if (strchr(word, '/') || g_str_has_suffix(word, ending) ||
        g_file_test(word, G_FILE_TEST_EXISTS))
        return g_strdup(word);
    tour_list_load(&list, folder, false, filters);
    for (int i = 0; i < list.count && !path; i++)
        if (!strcmp(list.entries[i].name, word) ||
            !strcmp(tour_list_short_name(list.entries[i].name), word))
            path = g_strdup(list.entries[i].path);
    if (!path) {
        g_autoptr(GString) names = g_string_new(NULL);
        for (int i = 0; i < list.count; i++)
            g_string_append_printf(names, "%s%s", i ? " " : "",
                                   tour_list_short_name(list.entries[i].name));
        error_set(err, "there is no tour '%s'", word);
        suggest(err, word, names->str);
    }
    return path;
}
