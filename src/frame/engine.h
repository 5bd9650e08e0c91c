// engine.h -- runs what a side of the screen shows, frame after frame, and measures it.
//
// The queue holds one job at a time. A round is a frame and the measurements behind it:
//
//     the frame, n times ──▶ a device copy, n times ──▶ a point, n times ──▶ ... ──▶ at rest
//     [read, check]                                     [check]
//
// Each job stands between two marks and begins on an idle queue, so that times can be compared.
// They are the device's. Launches shorter than 0.2 ms are repeated n times (batch.h), and their
// time is divided by n. All times and checks go to the results, and nowhere else.
//
// A point is a choice that the results want, or want again to compare it with the shown one. Points
// are measured behind frames whose own time is settled, in the engine's memory, so that the shown
// picture is untouched. They take about 8 ms a round, or one batch if that is longer; those that
// are wanted again take an eighth of the time. The copy is measured in every round until its time
// is settled, and then in one of eight. Without frames, because the shown choice is refused,
// engine_measure makes rounds of points alone.
//
// Engines of one backend may share builder and results if only one of them has something in the
// queue. An engine does not know windows, GL or text. One thread uses it.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "device/backend.h"
#include "filter/choice.h"
#include "frame/builder.h"
#include "frame/check.h"
#include "frame/frame.h"
#include "frame/reference.h"
#include "frame/results.h"
#include "frame/workspace.h"

// The engine's state.
enum engine_state {
    ENGINE_RESTS,     // nothing is in the queue
    ENGINE_COMPILES,  // likewise, because the choice's first module is not there yet
    ENGINE_FRAME,     // the chosen frame is in it
    ENGINE_POINT,     // a copy or a point is in it
    ENGINE_GIVEN_UP,  // a point is in it that does not come back; then the round ends
    ENGINE_LEFT,      // a job is in it that no longer counts: the frame's target is undefined
    ENGINE_FAILED,    // the device has stopped
};

enum engine_choice {
    ENGINE_WAITS,    // it compiles, or the queue is busy with another choice
    ENGINE_BROKEN,   // the kernel does not compile; err has the compiler's log
    ENGINE_REFUSED,  // this launch is not possible; err says why
    ENGINE_READY,    // engine_begin may be called
};

// How far the check of the shown frames is. A picture is checked whenever its choice becomes the
// shown one, and arrays only while the results do not know their check.
enum engine_check {
    ENGINE_UNSEEN,     // no frame was begun
    ENGINE_FIRST,      // the first one was begun
    ENGINE_DUE,        // it needs a frame, or the reference is still being compiled
    ENGINE_CHECKING,   // another frame would not help
    ENGINE_UNCHECKED,  // it could not be done
    ENGINE_CHECKED,    // the results' verdict is true of the shown frames
};

enum { ENGINE_NUMBERS = 64 };

// Facts about the shown frames; their times and checks are elsewhere.
struct engine_report {
    bool is_generic;            // another module runs meanwhile: the choice's is being compiled
    int repeats;                // launches in the last frame
    double launch_ms;           // the CPU's time to queue one of them
    struct kernel_facts facts;  // of the first pass
    size_t shared_bytes[FILTER_MAX_PASSES];  // of a block, by pass; a CPU knows the dynamic ones
    struct occupancy occupancy;
    long long element_index;         // the wanted one of a lab's shown array; -1: none
    double element;                  // its value in the last frame
    int number_count;                // how many values that array has; 0: more than fit below
    double numbers[ENGINE_NUMBERS];  // all its values in the last frame
};

// The owner may read state, shown, report, check and kept, and set check back to UNSEEN: the next
// frame then counts as the first of its choice. The target of a first frame is poisoned before it
// runs, and copied to host memory (kept) when it is complete.
struct engine {
    struct backend *backend;
    struct builder *builder;
    struct results *results;
    const struct references *references;
    struct planes picture;       // in host memory
    struct workspace workspace;  // of the picture; what is not shown is written here

    double limit_ms;                        // of a point's launch
    int round, copied;                      // copied: the last round with a copy
    gint64 round_begun_us, round_ended_us;  // ended: of the last complete one
    int passed_over, found;                 // points, in this round
    gint64 points_us;                       // when the first of them began
    gint64 again_begun_us, again_us;  // when the kept point began, 0: it is none; when the next may

    enum engine_state state;
    struct frame shown, point;  // module NULL of the shown one: nothing was chosen
    const struct frame *job;    // the one of these that is or was last in the queue; NULL: none
    struct planes target;       // of the round's frame; pixels NULL: it has none
    int repeats;                // launches of the job
    bool is_checked_point;      // its result goes to the checker
    bool is_repainted;          // the next frame shows something else of the same choice
    bool has_prints;  // the next frame is the first of its choice, whose kernels call printf
    char *printed;    // what that frame printed (backend_take_prints); the owner takes it
    double begun_ms;  // on the device's own time (backend_work)

    enum engine_check check;
    struct image kept;  // what the last first frame has made; no pixels: there was no memory
    // Of struct variant: those that were right on fibers (frame.is_strict), and those that stay
    // there, because their fast code does not agree (agreement.h).
    GPtrArray *judged, *distrusted;
    struct choice on_fibers;  // its first frame wrote this there; variant NULL: none has
    uint64_t on_fibers_print;
    struct checker *checker;
    struct choice checking;  // whose check runs or was not told yet; variant NULL: none
    struct engine_report report;
    long long wanted_element;  // of the shown array, set by the owner, and read after each frame;
                               // -1: none
};

// The builder compiles for the same backend. All are borrowed. The engine adds to the results;
// their owner makes them forget. references NULL: nothing is checked.
struct engine *engine_create(struct backend *b, struct builder *builder, struct results *results,
                             const struct references *references);
void engine_destroy(struct engine *e);  // accepts NULL; waits for the queue

// Copies a picture from host memory onto the device, and borrows it, for checks, until the next one
// is set or the engine is destroyed. Call it at rest, and make the results forget the old picture.
bool engine_set_picture(struct engine *e, struct planes picture, struct error *err);

// Compiles with another builder from now on, because the sources changed. It waits for the queue,
// so that the old builder may go. The results must forget before its filters go.
void engine_adopt(struct engine *e, struct builder *builder);

// Sets what to run. It is cheap if nothing changed; otherwise times start anew.
enum engine_choice engine_choose(struct engine *e, const struct choice *choice, struct error *err);

// Call it when frames go into other targets: their times start anew.
void engine_restart(struct engine *e);

void engine_show(struct engine *e, int array, const struct array_scale *scale);  // frame_show

// Queues a frame into target: backend memory of the frame's shape (frame_picture). A lab also
// paints into a grey target of another shape, as far as that reaches. Only when READY.
bool engine_begin(struct engine *e, struct planes target, struct error *err);
// True: another frame would tell nothing now, and on a CPU it would take time from compilers, the
// window and other programs. A settled frame is due again after nine times the duration of its
// round, at least a quarter of a second and at most two. Only when READY.
bool engine_may_rest(const struct engine *e);
// Begins a round without a frame. False: there is nothing to measure.
bool engine_measure(struct engine *e);
// Goes on with the round. IDLE: it is complete. FAILED: a device fault.
enum backend_state engine_poll(struct engine *e, struct error *err);
bool engine_is_busy(const struct engine *e);  // something is in the queue
// Drops the queued work, and ends it where the device can do that.
void engine_leave(struct engine *e);

// The choice whose kernels are in the queue, or were last; during a copy, the shown one.
struct choice engine_running(const struct engine *e);
// After FAILED: finds the choice that the device was running, and whether that was a point. False:
// it was running a copy, or nothing.
bool engine_find_culprit(const struct engine *e, struct choice *culprit, bool *is_point);

// The choice that frames are made of. It is not unrolled while its own module is still compiled.
struct choice engine_shown(const struct engine *e);
bool engine_is_settled(const struct engine *e);  // the results know its time
