#include "grade/wire.h"

#include <errno.h>
#include <unistd.h>

bool wire_write(int fd, const void *from, size_t bytes)
{
    for (const unsigned char *at = from; bytes;) {
        const ssize_t done = write(fd, at, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}

bool wire_send(int fd, enum wire_kind kind, const void *payload, size_t bytes)
{
    const struct wire_head head = {.kind = (uint32_t)kind, .bytes = bytes};
    return wire_write(fd, &head, sizeof head) && wire_write(fd, payload, bytes);
}

bool wire_read(int fd, void *to, size_t bytes)
{
    for (unsigned char *at = to; bytes;) {
        const ssize_t done = read(fd, at, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}
