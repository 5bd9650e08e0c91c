#include "viewer/pane_check.h"

#include <glib.h>
#include <string.h>

#include "measure/live_timer.h"
#include "measure/result_checker.h"
#include "viewer/caption.h"
#include "viewer/pane.h"

void pane_check_init(struct pane_check *k, const struct pane_host *host, int layer)
{
    *k = (struct pane_check){.host = host, .layer = layer, .checker = checker_create()};
}

void pane_check_finish(struct pane_check *k)
{
    checker_destroy(k->checker);
}

void pane_check_forget(struct pane_check *k)
{
    k->is_begun = k->is_due = k->is_read = false;
    k->tries = 0;
    checker_forget(k->checker);
}

void pane_check_drain(struct pane_check *k)
{
    checker_drain(k->checker);
}

// ---- the check ----

// Unrolled frames come from another module than those that were shown meanwhile.
bool pane_check_begin(struct pane_check *k, const struct live_timer *timer)
{
    const struct choice shown = live_timer_shown(timer);
    const int tries = k->tries;
    if (k->is_begun && choice_is_same(&shown, &k->choice)) return false;
    pane_check_forget(k);
    k->tries = tries;
    k->choice = shown;
    k->is_begun = true;
    k->is_due = !live_timer_checks(shown.filter);
    return true;
}

// The texture itself, so that the check is of what the window shows, whatever path it took.
static struct planes read_texture(struct pane_check *k)
{
    const struct planes buffer = checker_buffer(k->checker, planes_at(k->host->shape, NULL));
    if (buffer.pixels && !k->is_read) display_read(k->host->display, k->layer, buffer);
    k->is_read = buffer.pixels != NULL;
    return buffer;
}

void pane_check_keep(struct pane_check *k, struct planes target)
{
    struct error unused = {""};  // a device that fails shows with the next call
    k->kept.pixels = NULL;
    if (k->host->path == INTEROP_CPU) return;
    const struct planes to = checker_other(k->checker, planes_at(target, NULL));
    if (to.pixels && backend_download(k->host->backend, to, target, &unused)) k->kept = to;
}

static bool is_same_picture(struct planes a, struct planes b)
{
    for (int plane = 0; plane < a.count; plane++)
        for (int y = 0; y < a.height; y++)
            if (memcmp(planes_row(a, plane, y), planes_row(b, plane, y), (size_t)a.width) != 0)
                return false;
    return true;
}

bool pane_check_look(struct pane_check *k)
{
    if (!k->kept.pixels) return true;
    const struct planes shown = read_texture(k);
    const bool is_there = !shown.pixels || is_same_picture(shown, k->kept);
    k->kept.pixels = NULL;
    k->tries = is_there ? 0 : k->tries + 1;
    if (!is_there) k->is_begun = k->is_due = k->is_read = false;
    return is_there;
}

static void read_back(struct pane_check *k, const struct reference *reference,
                      const struct reference_samples *samples)
{
    const struct pane_host *h = k->host;
    if (read_texture(k).pixels)
        checker_begin(k->checker, reference, h->picture, samples);
    else
        results_leave_unchecked(h->results, &k->choice, "there is no memory to check it in");
}

void pane_check_step(struct pane_check *k)
{
    struct reference reference;
    const struct reference_samples samples = checker_samples(NULL);
    const struct choice *c = &k->choice;
    if (!k->is_due) return;
    switch (reference_get(&reference, &k->host->references, c->filter, &c->settings.params)) {
    case BUILDER_BUILDING:
        return;
    case BUILDER_READY:
        read_back(k, &reference, &samples);
        break;
    case BUILDER_FAILED:
        results_leave_unchecked(k->host->results, c, NULL);
        break;
    }
    k->is_due = false;
}

void pane_check_tell(const struct pane_check *k)
{
    if (k->is_begun) result_checker_tell(k->checker, k->host->results, &k->choice);
}

// ---- what there is to say ----

// What the checker has found is done once the results know it.
bool pane_check_is_done(const struct pane_check *k)
{
    struct image_difference unused;
    if (!live_timer_checks(k->choice.filter) &&
        (k->is_due || checker_result(k->checker, &unused, NULL) == CHECKER_RUNNING))
        return false;
    return results_get(k->host->results, &k->choice).check != CHECK_UNKNOWN;
}

bool pane_check_wants_frame(const struct pane_check *k)
{
    return live_timer_checks(k->choice.filter) && !pane_check_is_done(k);
}

// As it is recorded, but right only when this very picture is.
void pane_check_facts(const struct pane_check *k, const struct choice *choice,
                      struct caption_facts *facts)
{
    const struct result known = results_get(k->host->results, k->is_begun ? &k->choice : choice);
    struct image_difference unused;
    const bool is_done = checker_result(k->checker, &unused, NULL) == CHECKER_DONE;
    const bool is_right = known.check == CHECK_EXACT || known.check == CHECK_NEAR;
    const bool is_own = live_timer_checks(choice->filter);
    facts->check = is_right && !is_done && !is_own ? CHECK_UNKNOWN : known.check;
    facts->difference = known.difference;
    g_strlcpy(facts->unchecked, known.unchecked, sizeof facts->unchecked);
}
