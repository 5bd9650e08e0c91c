// filter_list.c -- the filters of a folder, and one of a file that lies anywhere.
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "base/file.h"
#include "filter/adopt.h"
#include "filter/directives.h"

const char *const filter_folders[FILTER_FOLDERS] = {"filters", "labs"};

static int by_name(const void *a, const void *b)
{
    char *const *one = a, *const *other = b;
    return strcmp(strrchr(*one, '/') + 1, strrchr(*other, '/') + 1);
}

static bool add_files(GPtrArray *paths, const char *folder, struct error *err)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    if (!dir)
        return error_set(err, "cannot open the kernel folder '%s': %s", folder, g_strerror(errno));
    for (const char *name; (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, ".cu") && name[0] != '.')
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    return true;
}

bool filter_list_load(struct filter_list *list, const char *folder, const char *headers,
                      struct error *err)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    bool is_good = add_files(paths, folder, err);
    for (size_t i = 0; is_good && i < G_N_ELEMENTS(filter_folders); i++) {
        g_autofree char *inner = g_build_filename(folder, filter_folders[i], NULL);
        if (g_file_test(inner, G_FILE_TEST_IS_DIR)) is_good = add_files(paths, inner, err);
    }
    g_ptr_array_sort(paths, by_name);
    struct filter_list found = {.filters = g_new0(struct filter, paths->len)};
    GString *mistakes = g_string_new(NULL);
    if (is_good && !paths->len)
        is_good = error_set(err, "the kernel folder '%s' holds no .cu file", folder);
    if (is_good && paths->len > FILTER_MAX_FILES)
        is_good = error_set(err, "the kernel folder '%s' holds more than %d .cu files", folder,
                            FILTER_MAX_FILES);
    for (guint i = 0; is_good && i < paths->len; i++) {
        struct filter *f = &found.filters[found.count];
        const char *path = g_ptr_array_index(paths, i);
        struct error mistake = {""};
        g_autofree char *text = file_read_text(path, &mistake);
        if (text && filter_parse(f, path, text, headers, &mistake)) {
            found.count++;
            if (found.count > 1 && !strcmp(f->name, f[-1].name))  // names are those of files
                is_good = error_set(err, "'%s' and '%s' have one name", f[-1].path, f->path);
        } else {
            g_string_append_printf(mistakes, "%s%s", mistakes->len ? "\n" : "", mistake.text);
        }
    }
    if (is_good && !found.count)
        is_good = error_set(err, "%.*s", (int)strcspn(mistakes->str, "\n"), mistakes->str);
    found.mistakes = g_string_free(mistakes, mistakes->len == 0);
    if (is_good)
        *list = found;
    else
        filter_list_finish(&found);
    return is_good;
}

bool filter_list_add(struct filter_list *list, const char *path, const char *headers,
                     struct error *err)
{
    g_autofree struct filter *f = g_new0(struct filter, 1);  // more than half a megabyte
    g_autofree char *text = file_read_text(path, err), *guesses = NULL;
    bool is_good = text;
    if (is_good && !directives_are_in(text)) {
        g_autofree char *name = g_path_get_basename(path);
        name[strlen(name) - strlen(".cu")] = '\0';
        g_autofree char *notes = adopt_propose(name, text, &guesses, err);
        g_autofree char *bare = g_steal_pointer(&text);
        text = notes ? g_strconcat(bare, "\n", notes, NULL) : NULL;  // behind it: no line moves
        is_good = notes || error_prefix(err, "%s: ", path);
    }
    is_good = is_good && filter_parse(f, path, text, headers, err);
    f->guesses = g_steal_pointer(&guesses);
    int at = 0;  // of an equal name
    while (is_good && at < list->count && strcmp(list->filters[at].name, f->name)) at++;
    if (is_good && at == FILTER_MAX_FILES)
        is_good = error_set(err, "'%s' is one more than %d files", path, FILTER_MAX_FILES);
    if (is_good && at == list->count)
        list->filters = g_renew(struct filter, list->filters, ++list->count);
    else if (is_good)
        filter_finish(&list->filters[at]);
    if (is_good) {
        memmove(list->filters + 1, list->filters, (size_t)at * sizeof *f);
        list->filters[0] = *f;
    } else {
        filter_finish(f);
    }
    return is_good;
}

void filter_list_finish(struct filter_list *list)
{
    for (int i = 0; i < list->count; i++) filter_finish(&list->filters[i]);
    g_free(list->filters);
    g_free(list->mistakes);
    *list = (struct filter_list){0};
}

bool filter_is_left_out(const struct filter_list *list, const char *name, struct error *err)
{
    g_auto(GStrv) mistakes = g_strsplit(list->mistakes ? list->mistakes : "", "\n", -1);
    g_autofree char *parsed = g_strdup_printf("/%s.cu:", name),
                    *read = g_strdup_printf("/%s.cu'", name);
    char *found = NULL;
    for (int i = 0; mistakes[i] && !found; i++)
        if (strstr(mistakes[i], parsed) || strstr(mistakes[i], read))
            error_set(err, "%s", found = mistakes[i]);
    return found != NULL;
}

void filter_list_use_cpu(struct filter_list *list)
{
    for (int i = 0; i < list->count; i++)
        for (int k = 0; k < list->filters[i].param_count; k++)
            list->filters[i].params[k].value = list->filters[i].params[k].cpu_value;
}
