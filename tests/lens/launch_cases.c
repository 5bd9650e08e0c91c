// launch_cases -- launches what each line of a file names once, so that a profiler counts many
// kernels of one process.
//
//     launch_cases DEVICE KERNELS CASES
//
// A line is "PICTURE FILTER VARIANT BLOCK name=value …", with "-" for no picture (a lab) and for
// the variant's own block. For each line and pass it prints the number of the line, the pass and
// the kernel's name; or "refused" and the reason. Only these launches lie between cudaProfilerStart
// and cudaProfilerStop, not those that fill, pack or prepare: run `ncu --profile-from-start off`.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_CUDA
#include <cuda_profiler_api.h>
#endif

#include "base/image.h"
#include "device/backend.h"
#include "filter/choice.h"
#include "frame/frame.h"
#include "frame/workspace.h"

enum { SKIPPED = 77 };

struct launcher {
    struct backend *backend;
    struct filter_list filters;
    const struct filter *filter;  // what module is of
    struct module *module;
};

static void profile(const struct launcher *l, bool is_on)
{
#ifdef HAVE_CUDA
    if (!backend_device(l->backend)->is_gpu) return;
    if (is_on)
        cudaProfilerStart();
    else
        cudaProfilerStop();
#else
    (void)l;
    (void)is_on;
#endif
}

static bool compile(struct launcher *l, const struct filter *f, struct error *err)
{
    if (l->filter == f) return true;
    backend_unload(l->backend, l->module);
    l->filter = NULL;
    l->module = frame_build(l->backend, f, (struct build){.params = NULL}, err);
    if (l->module) l->filter = f;
    return l->module != NULL;
}

static bool launch(struct launcher *l, const struct choice *c, struct planes picture, int line,
                   struct error *err)
{
    OWNED(workspace_finish) struct workspace w = {0};
    struct frame frame = {.backend = l->backend, .choice = *c, .module = l->module};
    bool is_done = frame_plan(&frame, picture, err) &&
                   workspace_init(&w, l->backend, picture, 1, err) &&
                   workspace_prepare(&w, &frame, err) && backend_wait(l->backend, err);
    if (is_done) {
        const struct frame_memory memory = workspace_of(&w, &frame);
        profile(l, true);
        is_done = frame_run(&frame, &memory, err) && backend_wait(l->backend, err);
        profile(l, false);
    }
    for (int pass = 0; is_done && pass < frame.plan.pass_count; pass++)
        printf("%d %d %s\n", line, pass, c->variant->passes[pass].entry);
    if (!is_done) backend_wait(l->backend, NULL);
    return is_done;
}

static bool run_words(struct launcher *l, char **words, int line, struct error *err)
{
    OWNED(image_finish) struct image picture = {0};
    struct choice c;
    const struct choice_words named = {.filter = words[1],
                                       .variant = words[2],
                                       .block = strcmp(words[3], "-") ? words[3] : NULL,
                                       .params = words + 4};
    const bool is_done =
        choice_read(&c, &named, &l->filters, err) && compile(l, c.filter, err) &&
        (!filter_has_picture(c.filter) || image_load(&picture, words[0], false, err)) &&
        launch(l, &c, picture.planes, line, err);
    return is_done;
}

static void run_line(struct launcher *l, char *text, int line)
{
    struct error err = {""};
    g_auto(GStrv) words = g_strsplit(g_strstrip(text), " ", -1);
    if (g_strv_length(words) < 4) error_set(&err, "four words are missing");
    if (*err.text || !run_words(l, words, line, &err)) printf("%d refused %s\n", line, err.text);
}

int main(int argc, char **argv)
{
    struct launcher l = {.backend = NULL};
    struct error err = {""};
    char line[1024];
    FILE *cases = argc == 4 ? fopen(argv[3], "r") : NULL;
    if (!cases) return 2;
    l.backend = backend_open(argv[1], NULL, 0, &err);
    if (!l.backend) {
        printf("skipped: %s\n", err.text);
        fclose(cases);
        return SKIPPED;
    }
    backend_set_include(l.backend, argv[2]);
    const bool is_loaded = filter_list_load(&l.filters, argv[2], NULL, &err);
    if (!is_loaded) printf("%s\n", err.text);
    filter_list_use_cpu(&l.filters);  // as the lens does
    for (int i = 0; is_loaded && fgets(line, sizeof line, cases); i++) run_line(&l, line, i);
    backend_unload(l.backend, l.module);
    filter_list_finish(&l.filters);
    backend_close(l.backend);
    fclose(cases);
    return !is_loaded;
}
