#include "commands/run_files.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/terminal.h"
#include "commands/commands.h"

// ---- NAME=FILE ----

// The array that a pair names, and its file; -1: err says what is wrong.
static int read_pair(const struct filter *lab, const char *option, const char *pair,
                     const char **path, struct error *err)
{
    const char *const sign = strchr(pair, '=');
    if (!sign || sign == pair || !sign[1]) {
        error_set(err, "'%s' is not understood; expected %s NAME=FILE", pair, option);
        return -1;
    }
    char *name = g_strndup(pair, (gsize)(sign - pair));
    const int array = command_find_array(lab, name, err);
    g_free(name);
    *path = sign + 1;
    return array;
}

// ---- outputs ----

// Where a file is or would be, without links; NULL: its folder is not there. The caller frees it.
static char *real_place(const char *path)
{
    char *real = realpath(path, NULL);
    if (real) return real;
    char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    char *real_folder = realpath(folder, NULL);
    char *place = real_folder ? g_build_filename(real_folder, name, NULL) : NULL;
    free(real_folder);
    g_free(folder);
    g_free(name);
    return place;
}

static bool is_same_place(const char *one, const char *other)
{
    char *a = real_place(one), *b = real_place(other);
    const bool is_same = a && b && !strcmp(a, b);
    free(a);
    free(b);
    return is_same;
}

static enum outcome add_output(struct run_files *files, const struct filter *lab, const char *pair,
                               struct error *err)
{
    struct run_output out = {.array = -1};
    if ((out.array = read_pair(lab, "--out", pair, &out.path, err)) < 0) return OUTCOME_USAGE;
    if (lab->arrays[out.array].kind == ARRAY_SCRATCH) {
        error_set(err, "%s is scratch of %s: it holds no result", lab->arrays[out.array].name,
                  lab->name);
        return OUTCOME_USAGE;
    }
    if (files->output_count == RUN_MAX_OUTPUTS) {
        error_set(err, "--out is given more than %d times", RUN_MAX_OUTPUTS);
        return OUTCOME_USAGE;
    }
    if (!array_file_form(&out.form, lab, out.array, out.path, err)) return OUTCOME_USAGE;
    for (int i = 0; i < files->output_count; i++)
        if (is_same_place(files->outputs[i].path, out.path)) {
            error_set(err, "two arrays would go into '%s'", out.path);
            return OUTCOME_USAGE;
        }
    if (!command_can_write(out.path, err)) return OUTCOME_REFUSED;
    files->outputs[files->output_count++] = out;
    return OUTCOME_DONE;
}

// ---- inputs ----

static enum outcome add_input(struct run_files *files, const struct filter *lab, const char *pair,
                              struct error *err)
{
    const char *path;
    enum array_form form;
    const int array = read_pair(lab, "--in", pair, &path, err);
    if (array < 0) return OUTCOME_USAGE;
    if (lab->arrays[array].kind != ARRAY_IN) {
        error_set(err, "%s is not an in array of %s", lab->arrays[array].name, lab->name);
        return OUTCOME_USAGE;
    }
    for (int i = 0; i < files->input_count; i++)
        if (files->inputs[i].array == array) {
            error_set(err, "--in is given twice for %s", lab->arrays[array].name);
            return OUTCOME_USAGE;
        }
    if (!array_file_form(&form, lab, array, path, err)) return OUTCOME_USAGE;
    if (!array_input_open(&files->inputs[files->input_count], lab, array, path, err))
        return OUTCOME_REFUSED;
    files->input_count++;
    return OUTCOME_DONE;
}

// Who says what a param is; NULL: nobody yet.
struct sayers {
    const char *of[FILTER_MAX_PARAMS];
};

static struct sayers sayers_of(const struct options *o, const struct filter *lab)
{
    struct sayers s = {{NULL}};
    for (char *const *pair = o->params; pair && *pair; pair++) {
        char *name = g_strndup(*pair, strcspn(*pair, "="));
        const int param = filter_param(lab, name);
        if (param >= 0) s.of[param] = "--param";
        g_free(name);
    }
    return s;
}

static bool fix_param(struct choice *choice, struct sayers *s, const char *path, int param,
                      double value, struct error *err)
{
    const struct param *p = &choice->filter->params[param];
    double *now = &choice->settings.params.v[param];
    char is[FILTER_VALUE], wanted[FILTER_VALUE];
    filter_write_value(p, *now, is);
    filter_write_value(p, value, wanted);
    if (s->of[param] && *now != value)
        return error_set(err, "%s is %s by '%s', and %s by '%s'", p->name, wanted, path, is,
                         s->of[param]);
    s->of[param] = path;
    *now = value;
    return true;
}

static bool fix_params(struct choice *choice, struct sayers *s, const struct array_input *in,
                       struct error *err)
{
    for (int i = 0; i < in->fixed_count; i++)
        if (!fix_param(choice, s, in->path, in->fixed[i].param, in->fixed[i].value, err))
            return false;
    return filter_check(choice->filter, &choice->settings.params, err) ||
           error_prefix(err, "cannot read '%s': ", in->path);
}

// The params that the files fix, and then whether the files fit to all of them.
static bool agree(struct run_files *files, const struct options *o, struct choice *choice,
                  struct error *err)
{
    struct sayers s = sayers_of(o, choice->filter);
    for (int i = 0; i < files->input_count; i++)
        if (!fix_params(choice, &s, &files->inputs[i], err)) return false;
    if (!arrays_plan(&files->layout, choice->filter, &choice->settings.params, err)) return false;
    for (int i = 0; i < files->input_count; i++)
        if (!array_input_check(&files->inputs[i], &files->layout.places[files->inputs[i].array],
                               err))
            return false;
    return true;
}

enum outcome run_files_open(struct run_files *files, const struct options *o, struct choice *choice,
                            struct error *err)
{
    enum outcome outcome = OUTCOME_DONE;
    for (char *const *pair = o->ins; outcome == OUTCOME_DONE && pair && *pair; pair++)
        outcome = add_input(files, choice->filter, *pair, err);
    for (char *const *pair = o->outs; outcome == OUTCOME_DONE && pair && *pair; pair++)
        outcome = add_output(files, choice->filter, *pair, err);
    if (outcome == OUTCOME_DONE && !agree(files, o, choice, err)) outcome = OUTCOME_REFUSED;
    return outcome;
}

void run_files_finish(struct run_files *files)
{
    for (int i = 0; i < files->input_count; i++) array_input_finish(&files->inputs[i]);
    *files = (struct run_files){.input_count = 0};
}

// ---- elements ----

bool run_files_fill(struct run_files *files, const struct frame *frame,
                    const struct frame_memory *memory, struct error *err)
{
    const struct filter *lab = frame->choice.filter;
    int in_count = 0;
    for (int i = 0; i < lab->array_count; i++) in_count += lab->arrays[i].kind == ARRAY_IN;
    if (files->input_count < in_count && !frame_fill(frame, memory, err)) return false;
    for (int i = 0; i < files->input_count; i++)
        if (!array_input_read(&files->inputs[i], frame, memory, err)) return false;
    return true;
}

const struct array_input *run_files_unusual(const struct run_files *files)
{
    for (int i = 0; i < files->input_count; i++)
        if (files->inputs[i].has_unusual) return &files->inputs[i];
    return NULL;
}

static void print_output(const struct run_output *out, const struct frame *frame)
{
    const struct array *a = &frame->choice.filter->arrays[out->array];
    char shape[64];
    array_write_shape(a, &frame->arrays.places[out->array], shape, sizeof shape);
    terminal_print(stdout, "%s: %s, %s\n", out->path, a->name, shape);
}

// Begins and writes each; returns how many were begun. *failed is the one that err is about, if its
// path is not in err yet.
static int write_outputs(const struct run_files *files, struct file_output *begun,
                         const struct frame *frame, const struct frame_memory *memory, int *failed,
                         struct error *err)
{
    for (int i = 0; i < files->output_count; i++) {
        const struct run_output *out = &files->outputs[i];
        if (!file_begin(&begun[i], out->path, err)) return i;
        if (array_output_write(frame, memory, out->array, out->form, begun[i].stream, err))
            continue;
        *failed = i;
        return i + 1;
    }
    return files->output_count;
}

bool run_files_write(const struct run_files *files, const struct frame *frame,
                     const struct frame_memory *memory, struct error *err)
{
    struct file_output begun[RUN_MAX_OUTPUTS];
    int failed = -1;
    const int count = write_outputs(files, begun, frame, memory, &failed, err);
    bool is_good = count == files->output_count && failed < 0;
    for (int i = 0; i < count; i++)
        if (!file_end(&begun[i], is_good, is_good || i == failed ? err : NULL)) is_good = false;
    for (int i = 0; is_good && i < count; i++) print_output(&files->outputs[i], frame);
    return is_good;
}
