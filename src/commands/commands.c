#include "commands/commands.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/input.h"
#include "base/file.h"
#include "base/rows.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "tour/tour.h"
#include "tour/tour_list.h"

enum outcome command_fail(enum outcome outcome, const struct error *err)
{
    terminal_print(stderr, "tilescope: %s\n", err->text);
    return outcome;
}

enum outcome command_misuse(struct error *err, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    g_autofree char *text = g_strdup_vprintf(format, words);
    va_end(words);
    error_set(err, "%s", text);
    return OUTCOME_USAGE;
}

void command_print_json(cJSON *json)
{
    g_autofree char *text = rows_print_json(json);
    terminal_print(stdout, "%s", text);
}

void command_add_lines(cJSON *json, const char *name, const char *lines)
{
    cJSON *array = cJSON_AddArrayToObject(json, name);
    g_auto(GStrv) split = g_strsplit(lines, "\n", -1);
    for (char **line = split; *line; line++)
        if (**line) cJSON_AddItemToArray(array, cJSON_CreateString(*line));
}

bool command_can_write(const char *path, struct error *err)
{
    struct stat facts;
    g_autofree char *folder = g_path_get_dirname(path);
    bool is_writable = true;
    if (!*path)
        is_writable = error_set(err, "it has no name");
    else if (access(folder, W_OK | X_OK))
        is_writable = error_set(err, "%s", g_strerror(errno));
    else if (!stat(path, &facts))
        is_writable = file_is_regular(&facts, err);
    else if (!lstat(path, &facts))
        is_writable = error_set(err, "it is a link that leads nowhere");
    return is_writable || file_refuse(err, "write", path);
}

bool command_load_filters(struct filter_list *filters, const struct options *o,
                          struct error *notice, struct error *err)
{
    g_autofree char *folder = options_kernel_folder(o), *headers = options_include_folder(o);
    const bool is_loaded = filter_list_load(filters, folder, headers, err);
    const bool is_whole =
        is_loaded && (!o->file || filter_list_add(filters, o->file, headers, err));
    if (is_loaded && !is_whole) filter_list_finish(filters);
    if (is_whole) input_settle_keys(filters, notice);
    if (is_whole && o->file && filters->filters[0].guesses) {
        g_auto(GStrv) lines = g_strsplit(filters->filters[0].guesses, "\n", -1);
        for (char **line = lines; *line && **line; line++)
            terminal_print(stderr, "tilescope: %s: guessed: %s\n", filters->filters[0].path, *line);
        terminal_print(stderr, "tilescope: `tilescope adopt %s` writes them down\n",
                       filters->filters[0].path);
    }
    return is_whole;
}

char *command_find_tour(const struct options *o, const char *word,
                        const struct filter_list *filters, struct error *err)
{
    g_autofree char *own = options_folder(o, "tours");
    char *path = tour_list_find(own, word, filters, err);
    OWNED(tour_finish) struct tour tour = {0};
    const bool is_lent = path && options_lends_tours(o) && g_str_has_prefix(path, own);
    if (is_lent && !tour_load(&tour, path, filters, NULL)) g_clear_pointer(&path, g_free);
    if (path || !o->data) return path;
    // Is it one of the program's own tours, which --data has no kernels for, or lacks?
    const struct options without = {0};
    g_autofree char *tours = options_folder(&without, "tours"),
                    *kernels = options_kernel_folder(&without);
    g_autofree char *ours = tour_list_find(tours, word, filters, NULL);
    if (ours && options_lends_tours(o))
        error_set(err,
                  "tour '%s' needs kernels that '%s' lacks: copy them from '%s', or leave out "
                  "--data",
                  word, o->data, kernels);
    else if (ours)
        error_set(err, "there is no tour '%s' in '%s': copy '%s' there, or leave out --data", word,
                  own, ours);
    return NULL;
}

char *command_keys(void)
{
    const struct options nothing = {0};
    OWNED(filter_list_finish) struct filter_list filters = {0};
    struct error err = {""};
    // Where no file can be read, there are no keys of filters.
    command_load_filters(&filters, &nothing, NULL, &err);
    return input_help_text(&filters);
}

// The memory that Linux can give without swapping; 0: not known.
static double free_host_bytes(void)
{
    g_autofree char *text = NULL;
    double kib = 0;
    if (!g_file_get_contents("/proc/meminfo", &text, NULL, NULL)) return 0;
    const char *line = strstr(text, "MemAvailable:");
    if (line) kib = g_ascii_strtod(line + strlen("MemAvailable:"), NULL);
    return kib * 1024;
}

static bool has_memory(const char *what, const char *whose, double wanted, double there,
                       struct error *err)
{
    return wanted <= there || there <= 0 ||
           error_set(err, "%s take %.3g GB of %s memory, and there are %.3g GB", what,
                     wanted * 1e-9, whose, there * 1e-9);
}

bool command_has_memory(const char *what, const struct device *device, double device_bytes,
                        double host_bytes, struct error *err)
{
    if (!device->is_gpu)
        return has_memory(what, "the host's", device_bytes + host_bytes, free_host_bytes(), err);
    return has_memory(what, "the GPU's", device_bytes, (double)device->memory_bytes, err) &&
           has_memory(what, "the host's", host_bytes, free_host_bytes(), err);
}

struct backend *command_open_device(const struct options *o, struct filter_list *filters,
                                    struct error *err)
{
    struct backend *b = backend_open(o->device ? o->device : "auto", NULL, 0, err);
    if (!b) return NULL;
    g_autofree char *include = options_include_folder(o);
    backend_set_include(b, include);
    if (!backend_device(b)->is_gpu) filter_list_use_cpu(filters);
    return b;
}

bool command_load_picture(struct image *picture, const struct options *o, const char *path,
                          struct error *err)
{
    if (path) return image_load(picture, path, o->is_grey, err);
    if (o->size) {
        int width, height;
        if (!choice_read_picture_size(o->size, &width, &height, err) ||
            !image_init(picture, width, height, 1, err))
            return false;
        image_fill_noise(picture->planes, 1);
        return true;
    }
    g_autofree char *sample = options_sample("scene.png");
    return image_load(picture, sample, o->is_grey, err);
}

char *command_describe_picture(struct planes picture, const char *name)
{
    return g_strdup_printf("%s, %d×%d %s", name, picture.width, picture.height,
                           picture.count == 1 ? "grey" : "colour");
}

bool command_take_name(const struct filter_list *filters, struct options *o, struct error *err)
{
    char *const word = o->pictures[0];
    if (!word) return true;
    const struct filter *named = filter_find(filters, word);
    if (filter_is_left_out(filters, word, err)) return false;
    if (!named && !g_file_test(word, G_FILE_TEST_EXISTS)) {
        // It may be a misspelt filter or lab. A word with neither '.' nor '/' is one.
        struct error near = {""};
        g_autoptr(GString) names = g_string_new(NULL);
        for (int i = 0; i < filters->count; i++)
            g_string_append_printf(names, "%s ", filters->filters[i].name);
        suggest(&near, word, names->str);
        if (near.text[0] || !strpbrk(word, "./"))
            return error_set(err, "there is no file, filter or lab '%s'%s", word, near.text);
    }
    if (!named) return true;
    if (o->filter && strcmp(o->filter, word) != 0)
        return error_set(err, "%s is a %s: --filter %s does not go with it", word,
                         filter_kind(named), o->filter);
    o->filter = word;
    o->pictures++;
    return true;
}

int command_find_array(const struct filter *lab, const char *name, struct error *err)
{
    const int array = arrays_find(lab, name);
    if (array >= 0) return array;
    error_set(err, "%s has no array '%s'", lab->name, name);
    suggest_known(err, name, lab->arrays, lab->array_count, sizeof lab->arrays[0]);
    return -1;
}

char *command_find_picture(const struct options *o, const struct state_picture *picture,
                           struct error *changed, struct error *err)
{
    if (!picture->name) {
        error_set(err, "'%s' does not say which picture it was made of: name one", o->restore);
        return NULL;
    }
    g_autofree char *samples = options_sample("");
    char *path = state_find_picture(picture, o->restore, samples, changed);
    if (!path) *err = *changed;
    if (path && changed->text[0]) command_fail(OUTCOME_DONE, changed);
    return path;
}

bool command_all_right(int wrong, struct error *err)
{
    return !wrong || error_set(err, "%d result%s differ%s from the reference", wrong,
                               wrong == 1 ? "" : "s", wrong == 1 ? "s" : "");
}
