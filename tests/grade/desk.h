// desk.h -- what tests of the grader share: the program's filters, and a submission.
#pragma once

#include "unit.h"

#include "folder.h"
#include "grade/submission.h"

struct desk {
    struct filter_list list;
    const struct filter *given;    // transpose
    struct submission submission;  // zeroed until one is opened
    char *folder;                  // of the test's own files
};

static inline int desk_set_up(void **state)
{
    struct desk *d = g_new0(struct desk, 1);
    must(filter_list_load(&d->list, TILESCOPE_KERNELS, NULL, &err));
    d->given = filter_find(&d->list, "transpose");
    d->folder = g_dir_make_tmp("tilescope-desk-XXXXXX", NULL);
    *state = d;
    return 0;
}

static inline int desk_tear_down(void **state)
{
    struct desk *d = *state;
    submission_close(&d->submission);
    filter_list_finish(&d->list);
    file_remove_all(d->folder);
    g_free(d->folder);
    g_free(d);
    return 0;
}

// Opens a text as mine.cu, in place of what was open. name: of the lab or filter.
static inline struct submission *desk_open(struct desk *d, const char *name, const char *text)
{
    submission_close(&d->submission);
    must(submission_open_text(&d->submission, filter_find(&d->list, name), "mine.cu", text,
                              TILESCOPE_KERNELS, &err));
    return &d->submission;
}

// Puts a text into the file that is compiled, behind the back of what has read it.
static inline void desk_write(struct desk *d, const char *text)
{
    g_autofree char *path = g_strdup_printf("%s/kernels/mine.cu", d->submission.folder);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

// Opens an empty transpose, and puts more text behind it in that way.
static inline void desk_open_with(struct desk *d, const char *more)
{
    g_autofree char *text = submission_skeleton(d->given);
    desk_open(d, "transpose", text);
    g_autofree char *all = g_strconcat(d->submission.filter.source, more, NULL);
    desk_write(d, all);
}
