// own_time.h -- how much of the passing time a thread has had for itself, so that a busy machine is
// no evidence against it.
//
// A thread's own time is the processor time that it spends, and the time for which it waits for
// anything but a processor: a file, a lock, a clock. While it is ready and others have the
// processors, or while it is stopped, its own time stands still.
//
// Another thread looks now and then, and adds up what the looks prove. Each struct own_time belongs
// to one thread that looks. A group of other processes is looked at alike.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// A thread that can be looked at while it lives.
struct own_time_thread {
    int id;
    clockid_t clock;
};

struct own_time_look {
    int64_t now_us, cpu_us;
    bool is_waiting;  // also where the system does not say
};

// Begin with most_us, the rest zeroed.
struct own_time {
    int64_t us;       // so far
    int64_t most_us;  // that a wait between two looks may add: the process may have been stopped
    struct own_time_look last;
};

struct own_time_thread own_time_thread(void);  // the calling one
struct own_time_look own_time_look(struct own_time_thread of);

// Returns what this look adds: the first one nothing. A wait counts if it was seen at this look and
// at the last one.
int64_t own_time_add(struct own_time *t, struct own_time_look look);

// How much time of its own a process group may take. Begin with group and limit_us, the rest
// zeroed; limit_us 0: as much as it likes.
struct own_time_limit {
    int group;
    int64_t limit_us, next_look_us;
    struct own_time own;  // since it was looked at first
};

// To be asked again and again. It looks a few times within the limit, so that a group that ends
// before costs nothing.
bool own_time_is_over(struct own_time_limit *l);
