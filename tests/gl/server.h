// server.h -- an X server of a test's own (Xvfb), so that nobody's desktop gets its keys and its
// clipboard.
#ifndef SERVER_H
#define SERVER_H

#include <glib.h>
#include <stdbool.h>

bool server_has_program(const char *name);

// Starts one and sets DISPLAY. It ends with this process, however that ends. 0: it does not start.
GPid server_start(void);
void server_stop(GPid pid);

#endif
