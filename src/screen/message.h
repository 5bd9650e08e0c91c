// message.h -- words over the picture: a note, a refusal with its reason, a compiler's log or a
// lecture's caption.
//
//     ┌──────────────────────────────────┐   ┌───────────────────────────────────────┐
//     │▌ (/)  needs 66 KB of shared      │   │▌ /!\ mean.cu does not compile         │
//     │▌      memory, the GPU allows 48  │   │▌     mean.cu(41): error: expected ";" │
//     └──────────────────────────────────┘   │▌         sum += x                     │
//                                            │▌     …                                │
//                                            └───────────────────────────────────────┘
//
// The first line is a headline, except in a caption, which has one size. Text becomes smaller until
// it fits; what still does not fit is cut with an ellipsis.
#ifndef MESSAGE_H
#define MESSAGE_H

#include "draw/paint.h"
#include "screen/overlay.h"

enum message_kind {
    MESSAGE_NOTE = OVERLAY_NOTE,
    MESSAGE_REFUSED = OVERLAY_REFUSED,
    MESSAGE_BROKEN = OVERLAY_BROKEN,
    MESSAGE_CAPTION
};
enum message_height { MESSAGE_HIGH, MESSAGE_MIDDLE, MESSAGE_LOW };  // in its area

struct message {
    PangoLayout *head, *body;  // the first line and the rest
    enum message_kind kind;
    struct paint_box box;
    double base;    // the size of normal text, at most the overlay's; other sizes are multiples
    double frame;   // the base size of its padding and of the air around it
    uint64_t hash;  // of all that it was placed with
};

void message_init(struct message *message, PangoContext *context);
void message_finish(struct message *message);

// Lays text out within area and returns the box that it will cover.
struct paint_box message_place(struct message *message, const struct paint *paint, const char *text,
                               enum message_kind kind, struct paint_box area,
                               enum message_height height);

void message_draw(const struct message *message, const struct paint *paint);

#endif
