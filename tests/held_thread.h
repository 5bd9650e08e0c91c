// held_thread.h -- keeps a thread of this process from the processors, as a busy machine does, for
// as long as a test wants. The thread is neither running nor waiting meanwhile. It also sees
// whether somebody else has stopped a thread for good.
#pragma once

struct held_thread {
    int process, to_it;
};

// id: gettid()'s. Returns when the thread stands still; fails the test where that cannot be.
struct held_thread held_thread_hold(int id);
void held_thread_let_go(struct held_thread h);

// Returns when the thread waits in pause(), where only a signal's handler of the program goes. A
// thread that never gets there fails the test after a minute.
void held_thread_expect_pause(int id);
