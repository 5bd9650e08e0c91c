// viewer.h -- the window's state and its loop. view_command.c opens and closes what viewer.c runs.
//
//     a turn:  events ─▶ jobs press ─▶ jobs follow ─▶ stage ─▶ facts ─▶ jobs show ─▶ drawing
//                 └─ keys change the app's state and ask for things ─┘        jobs tell ◀─┘
//
// Jobs do everything but drawing, such as writing a sheet or reloading the kernels. They meet
// only in struct viewer: a job reads the user's state and the facts of the turn, takes what a key
// asks for with viewer_take(), and may show another choice than the user's (overrides). It leaves
// the user's choice alone. Nobody else sees the state of a job. To add one: a struct
// job_type, and a row in the table of viewer_jobs.c.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/app.h"
#include "app/input.h"
#include "app/options.h"
#include "app/state.h"
#include "base/error.h"
#include "gl/display.h"
#include "gl/exchange.h"
#include "gl/window.h"
#include "lens/traces.h"
#include "frame/results.h"
#include "screen/lens_model.h"
#include "screen/overlay.h"
#include "screen/panel_model.h"
#include "tour/tour_play.h"
#include "tour/tour_value.h"
#include "viewer/caption.h"
#include "viewer/draw_pace.h"
#include "viewer/stage.h"

struct viewer;

// When a job may act. In a turn, the stage makes its frames between FOLLOWS and SHOWS; the window
// is drawn between SHOWS and TELLS. Jobs of one phase may be stepped in any order.
enum job_phase {
    JOB_PRESSES,  // presses keys, as the user does
    JOB_FOLLOWS,  // brings window and stage to what the user wishes
    JOB_SHOWS,    // uses what the stage has done: the facts of this turn are known
    JOB_WRITES,   // adds words to the overlay's content, each time it is written
    JOB_DRAWN,    // the window was drawn and is not yet swapped
    JOB_TELLS,    // says what the window shows: the drawing of this turn is on the screen
    JOB_ENDS,     // the window is closed: ends what is under way. The stage may be gone
    JOB_PHASES
};

// Functions may be NULL.
struct job_type {
    size_t size;                                             // of the job's state, at first zeros
    void (*open)(void *job, const struct options *options);  // before there is a window
    void (*step[JOB_PHASES])(void *job, struct viewer *v);
    bool (*is_busy)(const void *job);  // whether a script of keys has to wait for it
    void (*finish)(void *job);         // frees what the state owns
};

extern const struct job_type capture_job, dump_job, lens_job, panels_job, picture_job, reload_job,
    sharing_job, sheet_job, source_job, times_job, tour_job;

// All jobs that there are.
struct jobs;

struct jobs *jobs_create(const struct options *options);
void jobs_destroy(struct jobs *jobs);  // accepts NULL
void jobs_step(struct jobs *jobs, enum job_phase phase, struct viewer *v);
bool jobs_are_busy(const struct jobs *jobs);

// The facts of a turn. They are made once, after the stage's part, and all that the turn says comes
// from them.
struct viewer_turn {
    int sides;                 // how many are shown; 0: no turn yet
    struct caption_pair pair;  // about what each side shows; of one side, only its own facts
    bool is_settled;           // times and checks of all sides
    bool is_measured;          // and all that panels want
};

// The mouse over the picture: dragging pans, the wheel zooms. While two pictures are compared, the
// divider follows the cursor. A click pins it, and another one releases it.
struct pointer {
    int x, y;  // the cursor, in window pixels
    int64_t moved_us;
    bool is_inside;  // the window; false: x and y are its last place
    bool is_down, is_dragging;
    int down_x, down_y;
    bool is_pinned;  // the divider stays
    bool is_away;    // over something that is not the picture
};

// Requests of the user that nobody has answered yet.
struct viewer_input {
    int asked[INPUT_REQUESTS];  // how often each was asked for and not yet taken
    struct choice to_pin;       // what was chosen when the baseline was asked for
    char held[16];      // the key that is to be pressed again for a long launch; empty: none
    double allowed_ms;  // launches may be predicted to take as long
    unsigned presses;   // of keys and buttons, and steps of the wheel
    long keys_left;     // of --keys
    struct pointer pointer;
    bool is_closing;  // the user quits, or the window was closed
};

// The pictures that n goes through.
struct viewer_pictures {
    char **list;
    char **dropped;    // are to take its place; owned; NULL: none were dropped
    bool has_dropped;  // they are not those of the command line
    int shown;
    unsigned version;             // counts up when another one is shown
    char *name;                   // of the shown one
    char *sha256;                 // image_checksum()'s
    bool is_grey;                 // they are read as grey
    struct image whole, reduced;  // the shown one; and its copy, without pixels where it is small
};

// How much of a picture is shown, and who has decided it (viewer_extent_after).
enum extent {
    EXTENT_NEW,      // the picture comes
    EXTENT_TRIED,    // the reduced copy, whose first settled time decides
    EXTENT_WHOLE,    // all of it, until a frame takes too long
    EXTENT_REDUCED,  // the reduced copy
    EXTENT_USERS_WHOLE,
    EXTENT_USERS_REDUCED
};

struct viewer_extent {
    enum extent chosen;
    bool is_reduced;  // the stage has the copy
    bool is_needed;   // some job needs the whole in the next turn,
    bool is_held;     // and in this one
    bool is_due;      // another one was chosen, which the next turn shows
    bool has_failed;  // there was no memory for another one
};

// The open tour.
struct viewer_tour {
    struct tour file;
    const char *path;              // NULL: none is open
    const struct tour_play *play;  // whose figures are to be measured; NULL: none
    char *wanted;                  // the file of a tour that is to be opened; owned; NULL: none
    // The times of frames along each path to the screen, with one choice, size and vsync.
    struct viewer_path_times {
        struct choice choice;
        struct planes picture;
        const char *vsync;                                // NULL: nothing is known yet
        struct tour_screen_times times[INTEROP_CPU + 1];  // counts 0: not taken, or not settled
    } path_times;
    struct choice told;           // that its words tell of; filter NULL: the present one
    unsigned told_version;        // of the kernels; another one: it is not valid
    struct tour_pointer pointed;  // what it draws the eye to
    bool is_pointed_new;          // and is to be brought into view
};

// The part of a side that the memory lens shows.
struct viewer_lens_side {
    const struct lens_result *result;  // of a block; NULL: nothing
    const struct lens_result *counts;  // of the present block, also without a lens; NULL: not yet
    const struct lens_result *whole;   // of the whole launch, if the user asked for it; NULL: none
    const struct trace_chain *now;     // the lines of the request that it shows
    bool has_text;                     // its lines are those of the kernel's present text
    bool is_stale;                     // it is of another choice or block
    bool is_pending;                   // and the right one will come
    // The launch or block whose sectors are shown, if the user asked for them. NULL: unshared says
    // why there are none.
    const struct lens_result *shared;
    struct tracing_request shared_of;
    char unshared[128];
};

// The results that the lens's job gives to the others, and their requests.
struct viewer_lens {
    struct traces *traces;
    struct viewer_lens_side sides[APP_SIDES];
    struct lens_cursor cursors[APP_SIDES];  // the request on which each side's lens stands
    struct lens_pair pair;                  // and which kind of request that is
    struct trace_place line;                // whose first request it is to show; line 0: none
    int x, y;                               // the pixel that lens and block panel are about
    struct panel_model_lens variants;       // of the active side's filter
    // A block of the active side's present choice, while the block panel is open; NULL: there is
    // none, and no_block says why.
    const struct lens_result *block;
    char no_block[128];
};

// The window, its content, and when it was drawn.
struct viewer_screen {
    struct window *window;
    struct display *display;
    struct overlay *overlay;
    struct overlay_content content;
    struct viewer_turn written;  // when the content was
    int64_t written_us;
    struct display_grid grid;  // zeros: there is no block under the cursor
    bool needs_draw, needs_words;
    enum window_vsync vsync;
    struct draw_pace pace;
};

struct viewer_notes {
    char text[256];  // the last one, until something is pressed
    int64_t since_us;
    bool is_over;    // it has been on the screen long enough
    cJSON *last;     // the last ones, for dumps of the state (viewer_dump.c); owned
    unsigned dumps;  // that were written
    bool is_failed;  // something could not be written
};

// Recorded times: files to choose from, and the one that is shown.
struct viewer_times {
    struct recording *recording;  // owned; NULL: the times are those of the stage's device
    struct recording *before;     // owned; facts of this turn may be of it
    char **paths;                 // owned
    int shown;                    // of the paths, from 1; 0: none
    bool is_chosen;               // the user has asked for them
    char *name;                   // owned; for saved states (state_picture)
    char *restored;               // owned; the name in the state that --restore has read
};

// A file that was edited is tried at other sizes than the shown one (edges.h).
enum viewer_edited { EDITED_DUE = 1, EDITED_TRYING, EDITED_TRIED };

// The kernel files of the folder, and one from elsewhere.
struct viewer_kernels {
    struct filter_list filters;
    unsigned version;    // counts up when they are read anew
    char *file;          // the one from elsewhere; owned; NULL: there is none
    char *dropped_file;  // is to take its place; owned; NULL: none was dropped
    GHashTable *edited;  // names of those whose text was, to enum viewer_edited; owned
    char **avoided;      // results_avoid(), after a restart; owned; NULL: none
};

// Facts about the text of the shown kernels.
struct viewer_source {
    const char *loops[APP_SIDES];    // inner loops of each side's kernels; NULL, empty: not known
    bool has_disassembler;           // nvdisasm is installed
    double instructions[APP_SIDES];  // of each side's launch (issue.h), if its lens has counts
    struct trace_place marked;       // the line that was clicked; line 0: none
};

struct viewer {
    const struct options *options;
    struct viewer_kernels kernels;
    struct app app;  // the user's state
    struct viewer_input input;
    struct viewer_pictures pictures;
    struct viewer_extent extent;
    struct viewer_tour tour;

    struct stage *stage;
    struct panel_model *panels;
    struct jobs *jobs;
    struct exchange *exchange;  // with other programs (gl/exchange.h); owned; NULL: there is none

    // The choice that a job shows on a side in place of the user's, until it says otherwise. Keys
    // and saved states go on with the user's choice.
    struct viewer_override {
        struct choice choice;  // filter NULL: the user's
        bool shows_input;      // of a lab the first in array, in place of the user's
    } overrides[APP_SIDES];
    struct viewer_turn now;
    struct viewer_lens lens;
    struct viewer_source source;
    struct viewer_notes notes;
    struct viewer_times times;
    struct viewer_screen screen;
};

// Returns when the user quits.
void viewer_loop(struct viewer *v);

// Shows a note for as long as reading it takes.
void viewer_note(struct viewer *v, const char *format, ...) G_GNUC_PRINTF(2, 3);
bool viewer_has_note(const struct viewer *v);                // it is on the screen
void viewer_end_note(struct viewer *v);                      // something newer is to be read
struct viewport_sizes viewer_sizes(const struct viewer *v);  // window and picture, in pixels
// Where the picture lies in the window, and how large its pixels are.
struct paint_box viewer_place(const struct viewer *v, double *across, double *down);

// Takes a request. Returns how often it was asked for since it was last taken.
int viewer_take(struct viewer *v, enum input_request request);
bool viewer_has_request(const struct viewer *v);  // something was asked for and not yet taken

struct choice viewer_choice(const struct viewer *v, int side);  // what a side shows

// The user's choices that are to be saved. {0}: none.
struct viewer_subject {
    bool is_pair, is_frozen;
    int side;
    unsigned picture_version;
    const struct recording *times;  // NULL: this device's
    struct choice choices[APP_SIDES];
    int arrays[APP_SIDES];
};
struct viewer_subject viewer_subject_of(const struct viewer *v);
bool viewer_has_subject(const struct viewer *v, const struct viewer_subject *s);  // still

// The facts of this turn. A side that was opened since then has the facts of the other one. There
// are none before the first turn's stage: what may come earlier, such as a key or a saved file, has
// to wait while now.sides is 0.
const struct pane_facts *viewer_facts(const struct viewer *v, int side);

bool viewer_is_of_pictures(const struct viewer *v);  // no side shows a lab's array

// The facts of this turn belong to the user's choice, and not to a job's.
bool viewer_shows_chosen(const struct viewer *v);

// The present choice is shown, measured and checked, or cannot be.
bool viewer_is_settled(const struct viewer *v);

void viewer_draw(struct viewer *v);  // if there is something new; else it rests for a moment

// Draws the scene, with or without the overlay, and does not swap. is_new: the overlay's pixels are
// not those that the display has.
void viewer_paint(struct viewer *v, bool has_overlay, bool is_new);

// A message over the picture. The first one of a turn stays.
void viewer_set_message(struct viewer *v, enum overlay_tone tone, const char *text);

// ---- viewer_jobs.c ----

// Work on a thread of its own, so that the picture does not wait for it. One thread makes all
// calls. {0}: there is none.
struct work {
    GThread *thread;  // NULL: there is none, or it was seen to end
    gint is_done;     // atomic
    void (*run)(void *user);
    void *user;
};

void work_begin(struct work *w, const char *name, void (*run)(void *user), void *user);
// True once, when it has ended. is_waiting: waits for that.
bool work_end(struct work *w, bool is_waiting);

// ---- viewer_picture.c ----

// Reads and shows the first picture of the list that can be read, from index on, and notes those
// that it passes over. The app's state follows. On failure the old one stays, and err says what is
// wrong with each. What the user steps to, and what was dropped, is read by a job.
bool viewer_load_picture(struct viewer *v, int index, struct error *err);

struct state_picture viewer_picture(const struct viewer *v);  // the shown one; borrowed

// A CPU may take seconds for a frame of a large picture. The window then works on a reduced copy.
// Saved pictures and a tour's figures are of the whole picture.

// Facts about a picture and its frames.
struct extent_facts {
    bool has_copy;    // and a CPU, which needs it
    double limit_ms;  // of --reduce-above
    double whole_ms;  // that a frame of the whole is predicted to take; 0: not known
};

// A large picture opens reduced. It becomes whole if its first settled time allows that, and is
// reduced again, for good, if a frame of the whole takes too long. What the user chose stays, also
// for other pictures.
enum extent viewer_extent_after(enum extent now, const struct extent_facts *facts);
bool viewer_extent_is_reduced(enum extent extent);
// The side of the squares of which the copy has the means. 1: a small picture, which has none.
int viewer_extent_factor(struct planes whole);

// A job that calls it in each turn gets the whole picture. True: that is shown already, or never
// will be.
bool viewer_need_whole(struct viewer *v);
unsigned viewer_pixels_version(const struct viewer *v);  // another number: other pixels

// ---- viewer_reload.c ----

// Notes what was guessed about a file that has no notes of its own.
void viewer_note_guesses(struct viewer *v, const struct filter *f);

// ---- viewer_times.c ----

// Finds the recordings, and shows the one that --times names, or without a GPU the first. False: it
// cannot be read.
bool viewer_open_times(struct viewer *v, bool is_gpu, struct error *err);
void viewer_close_times(struct viewer *v);  // after the stage
// Shows those that a saved state names, if they are among the recordings. NULL: it names none.
void viewer_restore_times(struct viewer *v, const char *name);
// The word of --times for the times that are shown. A file that can no longer be read is off.
const char *viewer_times_word(const struct viewer *v);

// ---- viewer_events.c ----

struct window_handler viewer_handler(struct viewer *v);  // for the window's events
// is_sure: for a tour, whose author knows what runs, so that no key has to be pressed twice.
void viewer_press(struct viewer *v, const char *key, bool is_sure);
// Zooms in (positive) or out by steps, about the cursor or, without one, the window's centre.
void viewer_zoom(struct viewer *v, int steps);

// ---- viewer_capture.c ----

// Tells the user, on the screen and on the terminal, that a file was saved, or why not.
void saving_tell(struct viewer *v, const char *path, const struct error *err);

// ---- viewer_tour.c ----

// Sets the user's choices and panels to those of next. Settings of the screen stay as they are, and
// next gets them, too.
void viewer_take_settings(struct viewer *v, struct app *next);

// ---- viewer_tour_figures.c ----

// Lists the launches, at most max, whose times a tour's words tell while `now` is shown. Returns
// their number.
int viewer_told(struct viewer *v, const struct choice *now, struct choice *points, int max);
// Finds a figure of what is shown.
struct tour_value viewer_find_figure(void *viewer, const struct tour_figure *figure);
struct tour_value viewer_find_present(void *viewer, const struct tour_figure *figure);
char *viewer_fill(struct viewer *v, const char *caption);  // with figures; the caller frees it
// True if each figure of the tour's words is there, or can never be.
bool viewer_has_figures(struct viewer *v);
void viewer_note_path(struct viewer *v);  // keeps the times of this turn's path to the screen
void viewer_point_tour(struct viewer *v, const struct tour_pointer *to);
void viewer_write_pointer(struct viewer *v);  // into the content

// ---- viewer_panels.c ----

void viewer_point_panels(struct viewer *v);  // the cursor moved
bool viewer_click_panels(struct viewer *v);  // true: the click was for a panel

// ---- viewer_lens.c ----

// Since when a block is wanted. {0} is a valid beginning. The caller gives the time.
struct lens_wait {
    struct tracing_request block;
    int64_t since_us;
};

// Call it once a turn with the block that is wanted. False: the block has been wanted for a moment
// only. For that long, another block of the launch may be shown: most blocks are traced by then,
// and the lens would otherwise turn grey and back each time the cursor rests.
bool lens_wait_is_long(struct lens_wait *wait, const struct tracing_request *now, int64_t now_us);

// ---- viewer_sharing.c ----

// Outlines the pixels that the request of the active side's lens touches or, if the picture does
// not show that memory, those that its lanes write. If there are none, the view's words say why.
void viewer_mark_request(struct viewer *v, struct lens_view *view,
                         const struct lens_cursor *cursor);
