// The parts of every variant that is delivered, and what they contain.
#include "unit.h"

#include "filter/kernel_text.h"

static struct headers headers;
static struct filter_list filters;

static int load_all(void **state)
{
    return headers_load(&headers, TILESCOPE_KERNELS, &err) &&
                   filter_list_load(&filters, TILESCOPE_KERNELS, TILESCOPE_KERNELS, &err)
               ? 0
               : -1;
}

static struct kernel_text text_of(const char *filter, const char *variant)
{
    struct kernel_text t;
    const struct filter *f = filter_find(&filters, filter);
    kernel_text_find(&t, f, filter_variant(f, variant), &headers);
    return t;
}

// "kernel.h:load " of each part.
static char *names_of(const struct kernel_text *t)
{
    GString *all = g_string_new(NULL);
    for (int i = 0; i < t->count; i++) {
        g_autofree char *base = g_path_get_basename(t->parts[i].path);
        g_string_append_printf(all, "%s:%s ", base, t->parts[i].name);
    }
    return g_string_free(all, FALSE);
}

TEST(parts_stand_in_order)
{
    static const char *const wanted[][3] = {
        {"mean", "naive", "mean.cu:mean_naive mean.cu:mean_of kernel.h:plane kernel.h:load "},
        {"mean", "separable",
         "mean.cu:mean_separable_rows mean.cu:mean_separable_columns mean.cu:mean_of "
         "kernel.h:plane kernel.h:load "},
        {"mean", "npp", "mean.cu:npp mean.cu:mean_reference kernel.h:plane kernel.h:load "},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        OWNED(kernel_text_finish) struct kernel_text t = text_of(wanted[i][0], wanted[i][1]);
        g_autofree char *names = names_of(&t);
        if (!g_str_has_prefix(names, wanted[i][2])) fail_msg("%s", names);
        assert_non_null(strstr(names, " kernel.h:clamp "));
    }
}

TEST(headers_are_reached_through_headers)
{
    OWNED(kernel_text_finish) struct kernel_text t = text_of("mean", "running");
    g_autofree char *names = names_of(&t);
    assert_non_null(strstr(names, "march.h:march "));
    assert_non_null(strstr(names, "slide.h:"));
}

// Whether a line of a text begins there.
static bool is_line(const char *text, const char *start, int line)
{
    for (; line > 1; line--) text = strchr(text, '\n') + 1;
    return text == start;
}

static void check_part(const struct filter *f, const struct kernel_text_part *part)
{
    g_autofree char *own = g_strndup(part->start, part->length);
    assert_true(part->path != f->path || is_line(f->source, part->start, part->line));
    if (part->kind == KERNEL_TEXT_PASS) {
        g_autofree char *head = g_strdup_printf("__global__ void %s(", part->name);
        assert_non_null(strstr(own, head));
        g_autofree char *of = g_strdup_printf(" of %s", part->name);
        assert_true(strstr(own, "//! variant ") || strstr(f->source, of) ||
                    !strcmp(part->name, f->before.entry));
    }
}

TEST(every_variant_has_its_passes)
{
    for (int i = 0; i < filters.count; i++)
        for (int k = 0; k < filters.filters[i].variant_count; k++) {
            const struct filter *f = &filters.filters[i];
            const struct variant *v = &f->variants[k];
            OWNED(kernel_text_finish) struct kernel_text t;
            kernel_text_find(&t, f, v, &headers);
            int passes = 0, untimed = 0;
            for (int part = 0; part < t.count; part++) {
                check_part(f, &t.parts[part]);
                passes += t.parts[part].kind == KERNEL_TEXT_PASS;
                untimed += t.parts[part].kind == KERNEL_TEXT_UNTIMED;
            }
            assert_int_equal(passes, v->pass_count);
            assert_int_equal(untimed, (*v->prepare != 0) + (*v->finish != 0));
        }
}

SUITE("kernel_text", load_all, NULL)
