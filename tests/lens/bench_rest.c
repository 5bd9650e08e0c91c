// Prints how long the lens takes for the block under a cursor that has come to rest, once the
// kernel is compiled, and in brackets the processor time of all threads, which other programs do
// not lengthen; judges nothing. Arguments: filters or labs, with or without a variant, as in
// "mean/shared"; none: those that a lecture begins with.
//
//     first   another choice was traced before
//     same    the cursor rests over another block
//     again   the choice returns after another one, as in a comparison of two
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/image.h"
#include "lens/tracing.h"

enum { WIDTH = 1920, HEIGHT = 1080 };

static const char *const usual[] = {
    "mean/naive",         "mean/shared",     "mean/separable", "mean/running", "gaussian/shared",
    "gaussian/separable", "threshold/naive", "transpose",      "matmul",       "sum",
    "histogram",          "sliding",         "matvec",         "records",      "banks"};

struct bench {
    struct tracing *tracing;
    struct tracing_watch watch;
    struct filter_list filters;
    struct image picture;
};

static struct tracing_request request_of(const struct filter *f, const struct variant *v)
{
    struct tracing_request r = {.choice = {.filter = f, .variant = v}};
    r.choice.settings.params = filter_defaults(f);
    return r;
}

struct cost {
    double elapsed_ms, processor_ms;
};

static struct cost cost_now(void)
{
    return (struct cost){.elapsed_ms = (double)g_get_monotonic_time() / 1e3,
                         .processor_ms = (double)clock() * 1e3 / CLOCKS_PER_SEC};
}

static struct cost cost_since(struct cost begin)
{
    const struct cost now = cost_now();
    return (struct cost){.elapsed_ms = now.elapsed_ms - begin.elapsed_ms,
                         .processor_ms = now.processor_ms - begin.processor_ms};
}

// What one request costs. If it is refused, err says why.
static struct cost trace(struct bench *b, struct tracing_request r, int x, int y, struct error *err)
{
    const struct cost begin = cost_now();
    r.picture = b->picture.planes;
    r.x = x;
    r.y = y;
    struct lens_result *result = tracing_run(b->tracing, &r, &b->watch, err);
    const struct cost cost = cost_since(begin);
    lens_result_free(result);
    return cost;
}

static void time_variant(struct bench *b, const struct filter *f, const struct variant *v)
{
    const struct variant *other = v == f->variants && f->variant_count > 1 ? v + 1 : f->variants;
    const struct tracing_request wanted = request_of(f, v), before = request_of(f, other);
    struct error err = {""};
    const struct cost begin = cost_now();
    printf("%-10s %-15s ", f->name, v->name);
    if (!tracing_build(b->tracing, &wanted, &b->watch, &err)) {
        printf("not compiled: %.*s\n", (int)strcspn(err.text, "\n"), err.text);
        return;
    }
    const struct cost build = cost_since(begin);
    trace(b, before, 0, 0, &err);
    const struct cost first = trace(b, wanted, WIDTH / 2, HEIGHT / 2, &err);
    if (*err.text) {
        printf("%s\n", err.text);
        return;
    }
    const struct cost same = trace(b, wanted, WIDTH / 3, HEIGHT / 3, &err);
    trace(b, before, 0, 0, &err);
    const struct cost again = trace(b, wanted, WIDTH / 4, HEIGHT / 4, &err);
    printf("build %6.0f  first %5.0f (%3.0f)  same %5.0f (%3.0f)  again %5.0f (%3.0f) ms%s%s\n",
           build.elapsed_ms, first.elapsed_ms, first.processor_ms, same.elapsed_ms,
           same.processor_ms, again.elapsed_ms, again.processor_ms, *err.text ? "  " : "",
           err.text);
}

static void time_named(struct bench *b, const char *name)
{
    char **parts = g_strsplit(name, "/", 2);
    const struct filter *f = filter_find(&b->filters, parts[0]);
    for (int i = 0; f && i < f->variant_count; i++)
        if (!parts[1] || !strcmp(parts[1], f->variants[i].name))
            time_variant(b, f, f->variants + i);
    g_strfreev(parts);
}

int main(int argc, char **argv)
{
    struct bench b = {.tracing = NULL};
    struct error err = {""};
    if (filter_list_load(&b.filters, TILESCOPE_KERNELS, TILESCOPE_KERNELS, &err) &&
        image_init(&b.picture, WIDTH, HEIGHT, 1, &err))
        b.tracing = tracing_create(TILESCOPE_KERNELS, SHARE_BLOCKS, &err);
    if (!b.tracing) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    filter_list_use_cpu(&b.filters);
    image_fill_noise(b.picture.planes, 1);
    for (int i = 1; i < argc; i++) time_named(&b, argv[i]);
    for (size_t i = 0; argc < 2 && i < G_N_ELEMENTS(usual); i++) time_named(&b, usual[i]);
    tracing_destroy(b.tracing);
    filter_list_finish(&b.filters);
    image_finish(&b.picture);
    return 0;
}
