// draw_pace.h -- when the viewer draws a new frame of a choice that is on the screen already.
//
// A graphics card draws every frame. Where the processor draws, the kernels wait for it meanwhile.
// So it draws 5 frames a second of one choice, which look alike, and fewer if they would take more
// than a quarter of the time; those between them are measured only. The first frame of a choice
// never waits, nor does what a key, the pointer or a new line of words changes.
//
// While the user waits for something that comes within moments, such as a traced block, a slow
// drawing does not begin just before it comes.
//
// {0} is a valid beginning. The caller gives the time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { DRAW_PACE_SIDES = 2 };

struct draw_pace {
    int64_t drawn_us, took_us;           // when the window was last drawn, and how long that took
    unsigned versions[DRAW_PACE_SIDES];  // what it showed then; a choice has a version of its own
    unsigned present[DRAW_PACE_SIDES];   // what the newest frames show
    bool has_frame;                      // one of them is not drawn yet
    int64_t awaited_us;  // since when something is awaited, by the caller; 0: nothing is
};

// A frame is there to be drawn, which shows these versions.
void draw_pace_add(struct draw_pace *p, const unsigned versions[DRAW_PACE_SIDES]);
bool draw_pace_is_due(const struct draw_pace *p, bool is_gpu, int64_t now_us);
// True: drawing waits for what is awaited, until a tenth of a second after awaited_us, but no
// longer than a quarter of a second after the last drawing. The first frame of a choice is never
// put off.
bool draw_pace_is_put_off(const struct draw_pace *p, int64_t now_us);
// The window was drawn, for whatever reason.
void draw_pace_drawn(struct draw_pace *p, int64_t start_us, int64_t end_us);
