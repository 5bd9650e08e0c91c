// trouble.h -- why a picture on the screen is not what was chosen.
//
// The kind says what the viewer does about it, and how it is shown; the text is for the user.
#ifndef TROUBLE_H
#define TROUBLE_H

enum trouble_kind {
    TROUBLE_NONE,
    TROUBLE_BROKEN,   // the kernel does not compile; the text is the compiler's log
    TROUBLE_REFUSED,  // this launch cannot be
    TROUBLE_LATE,     // the frame in hand may never be complete
    TROUBLE_FAULTED,  // the device stopped
};

struct trouble {
    enum trouble_kind kind;
    char text[4096];  // NONE: empty
};

#endif
