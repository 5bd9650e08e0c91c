// message.h -- the panel over the picture: a note, a refusal with its reason, a compiler's log.
//
//     ┌──────────────────────────────────┐   ┌───────────────────────────────────────┐
//     │▌ (/)  needs 66 KB of shared      │   │▌ /!\ mean.cu does not compile         │
//     │▌      memory, the GPU allows 48  │   │▌     mean.cu(41): error: expected ";" │
//     └──────────────────────────────────┘   │▌         sum += x                     │
//                                            │▌     …                                │
//                                            └───────────────────────────────────────┘
//
// The first line is the headline. Text is as large as fits, then wrapped or cut with an ellipsis.
// Placing lays it out and remembers it; drawing may then be repeated for any clip.
#ifndef MESSAGE_H
#define MESSAGE_H

#include "overlay.h"
#include "paint.h"

struct message;

struct message *message_create(PangoContext *context);
void message_destroy(struct message *message);  // accepts NULL

// Lays text out within area; the box that it will cover. Notes stand low, the others in the middle.
struct paint_box message_place(struct message *message, const struct paint *paint, const char *text,
                               enum overlay_tone tone, struct paint_box area);
void message_draw(const struct message *message, const struct paint *paint);

#endif
