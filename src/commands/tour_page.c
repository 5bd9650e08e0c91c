#include "commands/tour_page.h"

#include <string.h>

#include "base/file.h"

// ---- the parts ----

static void free_fact(void *data)
{
    struct tour_page_fact *fact = data;
    g_free(fact->name);
    g_free(fact->value);
    g_free(fact);
}

static void free_picture(void *data)
{
    struct tour_page_picture *picture = data;
    g_free(picture->words);
    g_byte_array_free(picture->bytes, TRUE);
    g_free(picture);
}

static void free_claim(void *data)
{
    struct tour_page_claim *claim = data;
    g_free(claim->sentence);
    g_free(claim->figures);
    g_free(claim->why);
    g_free(claim);
}

static void free_step(void *data)
{
    struct tour_page_step *step = data;
    g_free(step->settings);
    g_free(step->remark);
    g_ptr_array_free(step->captions, TRUE);
    g_ptr_array_free(step->pictures, TRUE);
    g_ptr_array_free(step->claims, TRUE);
    g_ptr_array_free(step->commands, TRUE);
    g_array_free(step->rows, TRUE);
    g_free(step);
}

void tour_page_init(struct tour_page *page, const char *title)
{
    *page = (struct tour_page){.title = g_strdup(title),
                               .facts = g_ptr_array_new_with_free_func(free_fact),
                               .steps = g_ptr_array_new_with_free_func(free_step)};
}

void tour_page_finish(struct tour_page *page)
{
    if (!page->title) return;
    g_free(page->title);
    g_ptr_array_free(page->facts, TRUE);
    g_ptr_array_free(page->steps, TRUE);
    *page = (struct tour_page){.title = NULL};
}

void tour_page_add_fact(struct tour_page *page, const char *name, const char *value)
{
    struct tour_page_fact *fact = g_new(struct tour_page_fact, 1);
    *fact = (struct tour_page_fact){g_strdup(name), g_strdup(value)};
    g_ptr_array_add(page->facts, fact);
}

struct tour_page_step *tour_page_add_step(struct tour_page *page)
{
    struct tour_page_step *step = g_new0(struct tour_page_step, 1);
    step->settings = g_strdup("");
    step->captions = g_ptr_array_new_with_free_func(g_free);
    step->pictures = g_ptr_array_new_with_free_func(free_picture);
    step->claims = g_ptr_array_new_with_free_func(free_claim);
    step->commands = g_ptr_array_new_with_free_func(g_free);
    step->rows = g_array_new(FALSE, TRUE, sizeof(struct tour_page_row));
    g_ptr_array_add(page->steps, step);
    return step;
}

void tour_page_add_picture(struct tour_page_step *step, const char *words, GByteArray *bytes,
                           double width)
{
    struct tour_page_picture *picture = g_new(struct tour_page_picture, 1);
    *picture = (struct tour_page_picture){g_strdup(words), bytes, width};
    g_ptr_array_add(step->pictures, picture);
}

// ---- files ----

bool tour_page_check_path(const char *path, struct error *err)
{
    return g_str_has_suffix(path, ".html") || g_str_has_suffix(path, ".htm") ||
           error_set(err, "cannot write '%s': it ends in none of .html .htm", path);
}

bool tour_page_save(const struct tour_page *page, const char *path, struct error *err)
{
    char *text = tour_page_html(page);
    const bool is_saved = file_write(path, text, strlen(text), err);
    g_free(text);
    return is_saved;
}
