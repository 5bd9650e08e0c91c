// viewer_source.c -- the job of the source docks: the text that runs, next to its picture.
#include <glib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "frame/machine_text.h"
#include "lens/issue.h"
#include "screen/source_model.h"
#include "viewer/viewer.h"

// NVRTC compiles a choice's file on a thread of its own, which also reads what came of it.
struct machine {
    struct work work;
    struct filter *copy;  // of what it was made or is being made of; NULL: nothing
    unsigned version;
    struct launch_build build;
    struct build_target target;
    struct build_code loaded;  // a copy, for the module may go; bytes NULL: NVRTC compiles the file
    char *include;
    atomic_bool stop;
    struct machine_text made;
    struct error why;            // there is none, or not yet
    bool is_reading;             // only that: the text is there
    const struct variant *told;  // of the copy, whose all these are
    struct machine_code codes[FILTER_MAX_PASSES];
    unsigned reads;                     // counts up when these change
    char loops[256];                    // of SASS
    const struct lens_result *counted;  // only compared, with its requests
    double requests, instructions;      // of the launch that it tells of
};

struct source_job {
    struct source_model models[APP_SIDES];
    char *include;                              // their folder
    struct headers headers;                     // as they were when the filters were read
    unsigned version;                           // of the filters, plus one; 0: none was read
    const struct variant *variants[APP_SIDES];  // shown last
    double begun[APP_SIDES];   // the line from which nobody has scrolled it yet; -1: somebody has
    int now[APP_SIDES];        // the line of the lens's request, shown last; -1: none
    unsigned told[APP_SIDES];  // the prints of each side
    struct machine machines[APP_SIDES];
    bool had_machine;  // shown last
    bool has_looked;   // for NVRTC
    char no_machine[96];
};

// ---- machine code ----

static void forget_codes(struct machine *k)
{
    for (int i = 0; i < FILTER_MAX_PASSES; i++) machine_code_finish(&k->codes[i]);
}

// Says what the inner loop of each of a variant's kernels consists of, too.
static void read_machine(void *user)
{
    struct machine *k = user;
    k->loops[0] = '\0';
    k->counted = NULL;
    forget_codes(k);
    for (int pass = 0; k->made.text && pass < k->told->pass_count; pass++) {
        struct machine_code *const code = &k->codes[pass];
        char inner[160];
        if (!machine_code_read(code, k->made.text, k->told->passes[pass].entry, NULL) ||
            code->is_ptx)
            continue;
        machine_code_write_inner(code, inner, sizeof inner);
        if (pass) text_append(k->loops, sizeof k->loops, " · pass %d, ", pass + 1);
        text_append(k->loops, sizeof k->loops, "%s (SASS for %s)", inner, code->arch);
    }
}

static void make_machine(void *user)
{
    struct machine *k = user;
    k->why.text[0] = '\0';
    const struct translation asked = {.build.params = k->build.params,
                                      .include = k->include,
                                      .target = k->target,
                                      .cancel = &k->stop};
    const struct build_code *const loaded = k->loaded.bytes ? &k->loaded : NULL;
    if (machine_text_make(&k->made, k->copy, &asked, loaded, &k->why)) k->why = k->made.why_no_sass;
    read_machine(k);
}

static void forget_machine(struct machine *k)
{
    atomic_store(&k->stop, true);
    work_end(&k->work, true);
    forget_codes(k);
    g_free(k->made.text);
    g_free(k->loaded.bytes);
    g_free(k->include);
    filter_free(k->copy);
    *k = (struct machine){.reads = k->reads};
}

// Counts the instructions of a launch, as a traced block tells them.
static double count_instructions(struct machine *k, const struct variant *v,
                                 const struct lens_result *r)
{
    if (!r || !k->made.text || *v->compiled || r->pass_count != v->pass_count) return 0;
    if (k->counted == r && k->requests == r->launch.requests) return k->instructions;
    k->counted = r;
    k->requests = r->launch.requests;
    k->instructions = 0;
    for (int i = 0; i < r->pass_count; i++)
        k->instructions +=
            r->passes[i].warp_times * issue_count(&k->codes[i], &r->passes[i], false);
    return k->instructions;
}

// True if the codes of the choice's kernels are there.
static bool tells(const struct machine *k, const struct choice *c)
{
    return k->copy && !k->work.thread && !strcmp(k->copy->path, c->filter->path) &&
           !strcmp(k->told->name, c->variant->name);
}

static void begin_machine(struct machine *k, void (*run)(void *user))
{
    k->is_reading = run == read_machine;
    k->reads++;
    work_begin(&k->work, "machine code", run, k);
}

// Begins what is missing, and stops what nobody wants any more.
static void step_machine(struct machine *k, struct viewer *v, int side, unsigned version)
{
    const struct pane_facts *const f = viewer_facts(v, side);
    const struct choice c = viewer_choice(v, side);
    const struct launch_build build = launch_build(&c);
    if (work_end(&k->work, false)) {
        if (atomic_load(&k->stop)) forget_machine(k);
        v->screen.needs_words = true;
    }
    const bool is_it = k->copy && k->version == version && !strcmp(k->copy->path, c.filter->path) &&
                       !strcmp(k->build.params, build.params) &&
                       (!*build.params || k->build.variant == build.variant);
    const bool is_told = is_it && tells(k, &c);
    v->source.loops[side] = is_told ? k->loops : "";
    v->source.instructions[side] =
        is_told ? count_instructions(k, c.variant, v->lens.sides[side].counts) : 0;
    if (is_it && !is_told && !k->work.thread) {
        k->told = filter_variant(k->copy, c.variant->name);
        begin_machine(k, read_machine);
    }
    // What bounds a kernel on a GPU follows from it, and its module is at hand.
    const bool is_counted = f->loaded && v->lens.sides[side].counts && v->source.has_disassembler;
    const bool is_wanted =
        side < app_sides(&v->app) && ((v->app.has_source && v->app.has_machine) || is_counted);
    if (k->work.thread && !(is_it && (is_wanted || k->is_reading))) atomic_store(&k->stop, true);
    // A GPU's module is shown as it was loaded, which the device's compiler may yet have to make.
    const bool is_waiting = f->device->is_gpu && (f->is_compiling || f->report.is_generic);
    if (k->work.thread || is_it || !is_wanted || is_waiting) return;
    forget_machine(k);
    *k = (struct machine){.copy = filter_copy(c.filter),
                          .version = version,
                          .build = build,
                          .target = machine_text_target(f->device),
                          .include = options_include_folder(v->options),
                          .reads = k->reads};
    if (f->loaded)
        k->loaded =
            (struct build_code){g_memdup2(f->loaded->bytes, f->loaded->size), f->loaded->size};
    k->told = filter_variant(k->copy, c.variant->name);
    begin_machine(k, make_machine);
    v->screen.needs_words = true;
}

static bool is_busy(const void *job)
{
    const struct source_job *s = job;
    return s->machines[APP_A].work.thread || s->machines[APP_B].work.thread;
}

// ---- the text ----

static void finish(void *job)
{
    struct source_job *s = job;
    for (int i = 0; i < APP_SIDES; i++) {
        source_model_finish(&s->models[i]);
        forget_machine(&s->machines[i]);
    }
    headers_finish(&s->headers);
    g_free(s->include);
}

static void step(void *job, struct viewer *v)
{
    struct source_job *s = job;
    if (!s->version) {  // the first turn
        g_autofree char *program = backend_find_program("nvdisasm");
        v->source.has_disassembler = program != NULL;
        for (int i = 0; i < APP_SIDES; i++) s->begun[i] = v->app.has_source ? -1 : 0;
    }
    if (s->version != v->kernels.version + 1) {
        // With the filters, so that their texts belong together. Headers that cannot be read now
        // leave the old ones.
        struct headers found;
        g_free(s->include);
        s->include = options_include_folder(v->options);
        if (headers_load(&found, s->include, NULL)) {
            headers_finish(&s->headers);
            s->headers = found;
        }
        s->version = v->kernels.version + 1;
        for (int i = 0; i < APP_SIDES; i++) s->variants[i] = NULL;
    }
    // Another variant is shown from its first line on. What a saved state opens with stays.
    for (int i = 0; i < APP_SIDES; i++) {
        const struct variant *now = viewer_choice(v, i).variant;
        const bool is_other = s->had_machine != (v->app.has_source && v->app.has_machine);
        const bool is_new = s->variants[i] && (s->variants[i] != now || is_other);
        if (is_new) v->app.scrolls[i].first = s->begun[i] = 0;
        if (is_other) s->now[i] = -1;
        if (s->variants[i] && s->variants[i] != now) v->source.marked.line = 0;
        s->variants[i] = now;
    }
    s->had_machine = v->app.has_source && v->app.has_machine;
}

// The line of the kernel's file that a tour points to, which is brought into view once.
static void follow_tour(struct viewer *v, const struct listing *l, int side)
{
    struct app_scroll *scroll = &v->app.scrolls[side];
    int at = 0;
    if (v->tour.pointed.place != TOUR_SOURCE_LINE || v->app.side != side) return;
    g_autofree char *file = g_path_get_basename(viewer_choice(v, side).filter->path);
    while (at < l->count &&
           (l->lines[at].number != v->tour.pointed.line || strcmp(l->lines[at].file, file) != 0))
        at++;
    v->screen.content.pointer = (struct overlay_pointer){
        .kind = OVERLAY_POINTED_LINE, .index = OVERLAY_SOURCE_A + side, .line = at};
    if (!v->tour.is_pointed_new || !scroll->page) return;
    v->tour.is_pointed_new = false;
    if (at == l->count) viewer_note(v, "the tour points to a line that is not among these");
    if (at < l->count) scroll->first = MAX(0, at - scroll->page / 2);
}

static const struct listing *listing_of(struct source_job *s, struct viewer *v, int side)
{
    static const char *const letters[] = {"A", "B"};
    static const struct machine_code unknown[FILTER_MAX_PASSES];
    const struct choice choice = viewer_choice(v, side);
    struct source_model_facts facts = {
        .filter = choice.filter,
        .variant = choice.variant,
        .headers = &s->headers,
        .version = s->version,
        .letter = v->app.is_comparing ? letters[side] : "",
        .has_changes = v->app.has_changes,
        .is_broken = v->app.is_saved_broken,
        .printed = v->stage->panes[side].printed,
        .prints = v->stage->panes[side].prints,
        .include = viewer_facts(v, side)->device->is_gpu ? NULL : s->include,
        .is_generic = viewer_facts(v, side)->report.is_generic,
        .is_gone = v->app.is_saved_broken && !g_file_test(choice.filter->path, G_FILE_TEST_EXISTS)};
    const struct machine *const k = &s->machines[side];
    if (v->app.has_machine && choice.variant->library.function) {
        facts.no_machine = "a library's: it has no kernel of its own";
    } else if (v->app.has_machine && !tells(k, &choice)) {
        facts.machine = unknown;
        facts.no_machine = k->is_reading ? "…" : "NVRTC compiles it …";
    } else if (v->app.has_machine) {
        facts.machine = k->made.text ? k->codes : NULL;
        facts.machine_version = k->reads;
        facts.no_machine = *k->why.text ? k->why.text : NULL;
    }
    source_model_update(&s->models[side], &facts);
    const struct viewer_lens_side *lens = &v->lens.sides[side];
    const struct lens_result *of_block = lens->has_text ? lens->result : NULL;
    const struct source_model_lens found = {.result = lens->whole ? lens->whole : of_block,
                                            .now = lens->has_text ? lens->now : NULL,
                                            .is_stale = lens->is_stale && !lens->whole,
                                            .marked = &v->source.marked};
    source_model_set_lens(&s->models[side], &found);
    struct listing *listing = &s->models[side].listing;
    // Until it is scrolled, the page decides: where a comment would take more than a third of it,
    // the kernel itself comes first.
    struct app_scroll *scroll = &v->app.scrolls[side];
    const int head = s->models[side].head;
    if (scroll->first != s->begun[side]) s->begun[side] = -1;
    if (s->begun[side] >= 0 && scroll->page)
        scroll->first = s->begun[side] = head > scroll->page / 3 ? head : 0;
    // The line of another request that the lens shows is brought into view.
    int now = 0;
    while (now < listing->count && !listing->lines[now].is_now && !listing->lines[now].is_marked)
        now++;
    if (now == listing->count) now = -1;
    const bool is_seen = now >= scroll->first && now < scroll->first + scroll->page;
    if (now != s->now[side] && scroll->page) {
        s->now[side] = now;
        if (now >= 0 && !is_seen) scroll->first = MAX(0, now - scroll->page / 2);
    }
    follow_tour(v, listing, side);
    listing->first = (int)scroll->first;
    listing->is_active = v->app.is_comparing && v->app.side == side;
    return listing;
}

static void write_source(void *job, struct viewer *v)
{
    struct source_job *s = job;
    const int sides = app_sides(&v->app);
    for (int i = 0; i < APP_SIDES; i++)
        v->screen.content.docks.source[i] =
            v->app.has_source && i < sides ? listing_of(s, v, i) : NULL;
}

// Tells once what the first frame of a choice has printed: all of it in the terminal, and on the
// screen the first line.
static void tell_prints(void *job, struct viewer *v)
{
    struct source_job *s = job;
    // The palette has a row for machine code. NVRTC is looked for when it is first opened.
    if (!s->has_looked && v->app.menu == APP_MENU_ALL && v->now.sides) {
        struct error why = {""};
        const struct build_target target = machine_text_target(viewer_facts(v, APP_A)->device);
        s->has_looked = true;
        backend_translator_free(backend_translator(&target, &why));
        text_copy(s->no_machine, sizeof s->no_machine, why.text);
        s->no_machine[strcspn(s->no_machine, ",:")] = '\0';  // how to install it is long
    }
    v->app.no_machine = *s->no_machine ? s->no_machine : NULL;
    for (int i = 0; i < v->now.sides; i++) step_machine(&s->machines[i], v, i, s->version);
    for (int i = 0; i < v->now.sides; i++) {
        const struct pane *p = &v->stage->panes[i];
        if (s->told[i] == p->prints || !p->printed) continue;
        const char *const second = strchr(p->printed, '\n') + 1;
        char first[160];
        s->told[i] = p->prints;
        terminal_print(stderr, "%s %s printed:\n%s", p->choice.filter->name,
                       p->choice.variant->name, p->printed);
        text_copy_line(first, sizeof first, p->printed);
        viewer_note(v, "printed: %s%s%s", first, *second ? "\n… and more in the terminal" : "",
                    *second && !v->app.has_source ? " (E shows some)" : "");
    }
}

// How far keys may scroll is known once it is drawn.
static void read_scrolls(void *job, struct viewer *v)
{
    (void)job;
    for (int i = 0; i < APP_SIDES; i++) {
        struct listing_scroll scroll;
        const enum overlay_dock dock = i == APP_A ? OVERLAY_SOURCE_A : OVERLAY_SOURCE_B;
        if (!overlay_dock_scroll(v->screen.overlay, dock, &scroll)) continue;
        v->app.scrolls[i].last = scroll.last;
        v->app.scrolls[i].page = scroll.page;
    }
}

const struct job_type source_job = {.size = sizeof(struct source_job),
                                    .step = {[JOB_FOLLOWS] = step,
                                             [JOB_SHOWS] = tell_prints,
                                             [JOB_WRITES] = write_source,
                                             [JOB_TELLS] = read_scrolls},
                                    .is_busy = is_busy,
                                    .finish = finish};
