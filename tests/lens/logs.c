#include "logs.h"

#include <assert.h>
#include <ctype.h>

static struct trace_event event_of(char letter, int thread)
{
    struct trace_event e = {.site = (unsigned char)letter};
    if (isupper((unsigned char)letter)) return e;
    e.kind = TRACE_LOAD;
    e.space = isdigit((unsigned char)letter) ? TRACE_SHARED : TRACE_GLOBAL;
    e.bytes = 4;
    e.address = 4 * (unsigned long long)thread;
    return e;
}

void logs_add(struct logs *l, const char *text)
{
    assert(l->count < LOGS_MAX_THREADS);
    size_t n = 0;
    for (; text[n]; n++) {
        assert(n < LOGS_MAX_EVENTS);
        l->events[l->count][n] = event_of(text[n], l->count);
    }
    l->threads[l->count] = (struct trace_thread){l->events[l->count], n};
    l->count++;
}
