#include "grade/wire.h"

#include <errno.h>
#include <glib.h>
#include <unistd.h>

// Whole pieces, whichever way they go.
static bool carry(int fd, unsigned char *at, size_t bytes, bool is_out)
{
    while (bytes) {
        const ssize_t done = is_out ? write(fd, at, bytes) : read(fd, at, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}

bool wire_write(int fd, const void *from, size_t bytes)
{
    return carry(fd, (unsigned char *)from, bytes, true);
}

bool wire_read(int fd, void *to, size_t bytes)
{
    return carry(fd, to, bytes, false);
}

bool wire_send(int fd, enum wire_kind kind, const void *payload, size_t bytes)
{
    const struct wire_head head = {.kind = (uint32_t)kind, .bytes = bytes};
    return wire_write(fd, &head, sizeof head) && wire_write(fd, payload, bytes);
}

char **wire_environment(const struct submission *s, const char *kept)
{
    char **all = g_new0(char *, 1);
    g_auto(GStrv) names = g_listenv(), words = g_strsplit(kept, " ", -1);
    g_autofree char *work = g_build_filename(s->folder, "work", NULL);
    for (char **name = names; *name; name++) {
        bool is_kept = false;
        for (char **word = words; *word; word++)
            is_kept |= g_str_has_suffix(*word, "_") ? g_str_has_prefix(*name, *word)
                                                    : g_str_equal(*name, *word);
        if (is_kept) all = g_environ_setenv(all, *name, g_getenv(*name), TRUE);
    }
    all = g_environ_setenv(all, "TMPDIR", work, TRUE);
    return all;
}
