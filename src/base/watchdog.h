// watchdog.h -- acts when a call into a driver does not return.
//
// A thread of its own watches the guarded calls. It acts at most once, while the caller is still
// stuck; a call that returns meanwhile continues after it has acted. A call that returns in time
// costs two locks and a short system call. The caller's own time counts (own_time.h): a caller that
// gets no processor is not late.
#pragma once

struct watchdog;

// act is called on the watchdog's thread when a guarded call takes longer than the limit, and may
// not call the watchdog. NULL: no thread could be made, and nothing is guarded.
struct watchdog *watchdog_create(int limit_ms, void (*act)(void *user), void *user);
// Not while a call is guarded. Accepts NULL, and so do the other two.
void watchdog_destroy(struct watchdog *w);

// One thread guards one call at a time.
void watchdog_begin(struct watchdog *w);
void watchdog_end(struct watchdog *w);

// For tests: how often its thread has looked for a late call.
unsigned watchdog_looks(struct watchdog *w);
