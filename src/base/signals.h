// signals.h -- lets Ctrl-C and similar signals end the program in order, so that no partial file
// and no temporary folder stays.
//
// The program blocks the signals and polls for them, which needs no handler and no global. Code
// that waits or works for long asks signals_came() and gives up; the command then returns as after
// an error, and main() lets the signal end the process.
#pragma once

#include <stdbool.h>

// Holds back SIGINT, SIGTERM and (unless nohup started us) SIGHUP, in this thread and in those that
// it starts from now on. If one has come and the process has not ended after grace_s seconds, that
// signal ends it.
void signals_hold(double grace_s);

// Holds them back for a short while in this thread only. The caller asks signals_came() and then
// calls signals_release().
void signals_block(void);

// True if one has come.
bool signals_came(void);

// Lets them through: one that has come ends the process.
void signals_release(void);

// A child process calls it before it becomes another program, which then gets its signals as usual.
// It calls only functions that a signal handler may call.
void signals_enter_child(void);
