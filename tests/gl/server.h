// server.h -- an X server of a test's own (Xvfb), so that nobody's desktop gets its keys and its
// clipboard.
#pragma once

// Runs the tests on one, which DISPLAY names, if it and all the programs are there, and returns
// what main() shall return. It ends with this process, however that ends.
int server_run(const char *const *programs, int (*run)(void));
