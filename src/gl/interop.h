// interop.h -- lends the display's pixel-buffer object to a backend for the length of a frame.
//
//     interop  the kernel writes the buffer itself, mapped into CUDA's address space: zero copy
//     staged   the kernel writes device memory; it is copied through the host into the buffer
//              (hybrid laptops, WSL2, remote X: wherever GL and CUDA do not meet)
//     cpu      CPU threads write the buffer, mapped into the process
//
// It also chooses the device that computes, and its path.
//
// This is the only module that calls both CUDA and GL. Every call needs a current GL context. GL
// must not touch the buffer between lend and return. All work in between runs in the backend's one
// stream, in which map and unmap run too.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"
#include "device/backend.h"

enum interop_path { INTEROP_MAPPED, INTEROP_STAGED, INTEROP_CPU };

struct interop;
struct watchdog;

const char *interop_path_name(enum interop_path path);   // "interop", "staged", "cpu"
const char *interop_path_about(enum interop_path path);  // "interop: PBO mapped, zero copy"
bool interop_path_parse(const char *name, enum interop_path *path);

// The CUDA device that draws the current GL context, or -1: err says why there is none.
int interop_drawing_device(struct error *err);

// Prepares to lend a buffer of the shape's size along a path; a path that the backend does not have
// is refused. The watchdog guards the driver's calls of interop, which have been seen not to come
// back after a kernel fault in another process. NULL: none; it is borrowed.
struct interop *interop_create(struct backend *b, enum interop_path path, unsigned int buffer,
                               struct planes shape, struct watchdog *watchdog, struct error *err);
// Takes back what is lent and ends the registration; call it before the buffer is deleted. Accepts
// NULL.
void interop_destroy(struct interop *i);

// Memory for the frame to write: valid until interop_return. is_read: the host will read it, too,
// which may take longer.
bool interop_lend(struct interop *i, bool is_read, struct planes *target, struct error *err);
// Hands the buffer back to GL, with pixels only if has_result (then the queue must be idle).
bool interop_return(struct interop *i, bool has_result, struct error *err);

// The device that computes, and the path on which its pictures reach the window. The GPU that draws
// the window is preferred, by interop; then any GPU, staged; then the CPU.
struct device_choice {
    struct backend *backend;  // the caller closes it
    enum interop_path path;
    bool has_interop;    // interop works; if staged was asked for, it is untried and may work
    char reasons[2048];  // a line for each better choice that was not taken
};

// device and path are words of the command line; "auto" or NULL: the best. err says why a forced
// one is refused. Nothing is mapped where staged is asked for. The watchdog guards the attempt;
// NULL: none.
bool device_choice_make(struct device_choice *c, const char *device, const char *path,
                        struct watchdog *watchdog, struct error *err);
