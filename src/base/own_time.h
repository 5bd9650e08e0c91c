// own_time.h -- how much of the passing time a thread has had for itself, so that nobody blames it
// when the machine is busy.
//
// A thread's own time is the processor time that it spends, and the time for which it waits for
// anything but a processor: a file, a lock, a clock. Its own time stands still while it is ready
// and others have the processors, and while it is stopped.
//
// Another thread looks at it now and then and adds up what the looks prove. Each struct own_time
// belongs to the one thread that looks. A group of other processes can be measured in the same way.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// A thread to look at; it must be alive.
struct own_time_thread {
    int id;
    clockid_t clock;
};

struct own_time_look {
    int64_t now_us, cpu_us;
    bool is_waiting;  // also true if the system does not say
};

// Set most_us at the start, and zero the rest.
struct own_time {
    int64_t us;       // so far
    int64_t most_us;  // the most that a wait between two looks adds, as the process may have been
                      // stopped
    struct own_time_look last;
};

struct own_time_thread own_time_thread(void);  // the calling one
struct own_time_look own_time_look(struct own_time_thread of);

// Returns the microseconds that this look adds; the first one adds none. A wait counts if the
// thread waits at this look and waited at the last one.
int64_t own_time_add(struct own_time *t, struct own_time_look look);

// How much own time a process group may take. Set group and limit_us at the start, and zero the
// rest. limit_us 0: no limit.
struct own_time_limit {
    int group;
    int64_t limit_us, next_look_us;
    struct own_time own;  // since the first look
};

// True if the group has had more own time than the limit. Call it again and again: it looks at the
// group only every eighth of the limit.
bool own_time_is_over(struct own_time_limit *l);
