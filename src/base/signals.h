// signals.h -- lets Ctrl-C and its like end the program in order, so that no partial file and no
// temporary folder stays.
//
// A signal is held back and looked for, so that no handler and no global is needed. Whoever waits
// or works for long asks signals_came() and gives up; the command then returns as after an error,
// and main() lets the signal end the process.
#pragma once

#include <stdbool.h>

// Holds SIGINT, SIGTERM and, unless nohup started us, SIGHUP back, in this thread and in those that
// it starts from now on. If the process has not ended by itself grace_s seconds after one has come,
// that signal ends it.
void signals_hold(double grace_s);

// Holds them back in this thread alone, for a while: the caller asks signals_came() and lets them
// through soon.
void signals_block(void);

// True if one has come.
bool signals_came(void);

// Lets them through: one that has come ends the process.
void signals_release(void);

// A child process calls it before it becomes another program, which has its signals as usual. Only
// functions that a signal handler may call are called.
void signals_enter_child(void);
