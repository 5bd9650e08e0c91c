#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static bool refuse(struct error *err)
{
    return error_set(err, "%s", g_strerror(errno));
}

bool file_refuse(struct error *err, const char *attempt, const char *path)
{
    g_autofree char *name = g_filename_display_name(path);
    error_prefix(err, "cannot %s '%s': ", attempt, name);
    return false;
}

bool file_is_regular(const struct stat *facts, struct error *err)
{
    return S_ISREG(facts->st_mode) ||
           error_set(err, S_ISDIR(facts->st_mode) ? "it is a folder" : "it is not a regular file");
}

// ---- reading ----

// It never waits for a pipe's other end, but it does for a program that holds a lease on the file.
FILE *file_open(const char *path, long long *size, struct error *err)
{
    struct stat facts;
    FILE *stream = NULL;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == EWOULDBLOCK) fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &facts))
        refuse(err);
    else if (file_is_regular(&facts, err) && !(stream = fdopen(fd, "rb")))
        refuse(err);
    if (stream)
        *size = facts.st_size;
    else
        file_refuse(err, "read", path);
    if (fd >= 0 && !stream) close(fd);
    return stream;
}

char *file_read_text(const char *path, struct error *err)
{
    long long size;
    FILE *stream = file_open(path, &size, err);
    if (!stream) return NULL;
    GString *text = g_string_new(NULL);
    bool is_good = true;
    if (size <= FILE_MAX_TEXT_BYTES) {
        // gzread() reads packed and plain files alike; the limit holds for the unpacked text.
        char part[1 << 16];
        int got = -1, mistake = Z_OK;
        errno = 0;
        const int fd = dup(fileno(stream));
        const gzFile packed = fd >= 0 ? gzdopen(fd, "rb") : NULL;
        while (packed && text->len <= FILE_MAX_TEXT_BYTES &&
               (got = gzread(packed, part, sizeof part)) > 0)
            g_string_append_len(text, part, got);
        if (packed) gzerror(packed, &mistake);
        if (packed)
            gzclose(packed);
        else if (fd >= 0)
            close(fd);
        is_good = (got >= 0 && mistake == Z_OK) ||
                  error_set(err, "%s", errno ? g_strerror(errno) : "it is damaged");
    }
    fclose(stream);
    if (is_good && (size > FILE_MAX_TEXT_BYTES || text->len > FILE_MAX_TEXT_BYTES))
        is_good = error_set(err, "it is larger than %d MB", FILE_MAX_TEXT_BYTES >> 20);
    else if (is_good)
        is_good = strlen(text->str) == text->len || error_set(err, "it is not text");
    if (!is_good) file_refuse(err, "read", path);
    if (g_str_has_prefix(text->str, BYTE_ORDER_MARK))
        g_string_erase(text, 0, strlen(BYTE_ORDER_MARK));
    return g_string_free(text, !is_good);
}

// ---- writing ----

static void remove_beside(const struct file_output *o)
{
    unlinkat(o->folder, strrchr(o->beside, '/') + 1, 0);
    close(o->folder);
}

static bool open_beside(struct file_output *o, const struct stat *old, struct error *err)
{
    g_autofree char *folder = g_path_get_dirname(o->target);
    o->beside = g_build_filename(folder, ".tilescope-XXXXXX", NULL);
    int fd = g_mkstemp_full(o->beside, O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0) {
        refuse(err);
        g_clear_pointer(&o->beside, g_free);
    } else {
        o->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    if (fd < 0) return false;
    // The new file gets the old one's owner and mode. If that fails, the old file is written in
    // place.
    struct stat now;
    const bool is_taken_over =
        o->is_new || (!fstat(fd, &now) &&
                      ((now.st_uid == old->st_uid && now.st_gid == old->st_gid) ||
                       !fchown(fd, old->st_uid, old->st_gid)) &&
                      !fchmod(fd, old->st_mode & 07777));
    if (!is_taken_over) {
        close(fd);
        remove_beside(o);
        g_clear_pointer(&o->beside, g_free);
        fd = open(o->target, O_WRONLY | O_TRUNC | O_CLOEXEC);
    }
    o->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    return o->stream || refuse(err);
}

static void finish(struct file_output *o)
{
    g_free(o->path);
    g_free(o->target);
    g_free(o->beside);
    *o = (struct file_output){0};
}

bool file_begin(struct file_output *o, const char *path, struct error *err)
{
    struct stat old = {0};
    *o = (struct file_output){.path = g_strdup(path), .is_new = stat(path, &old) != 0};
    if (o->is_new || file_is_regular(&old, err)) {
        char *real = o->is_new || access(path, W_OK) ? NULL : realpath(path, NULL);
        o->target = g_strdup(o->is_new ? path : real);
        free(real);
        if (o->target ? open_beside(o, &old, err) : refuse(err)) return true;
    }
    finish(o);
    return file_refuse(err, "write", path);
}

// Some file systems do not know how to rename without replacing.
static bool publish(const struct file_output *o)
{
    if (!o->beside) return true;
    if (!o->is_new) return rename(o->beside, o->target) == 0;
    if (!renameat2(AT_FDCWD, o->beside, AT_FDCWD, o->target, RENAME_NOREPLACE)) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    if (link(o->beside, o->target)) return false;
    unlink(o->beside);
    return true;
}

bool file_end(struct file_output *o, bool is_complete, struct error *err)
{
    if (fclose(o->stream) && is_complete) is_complete = refuse(err);
    if (is_complete && !publish(o)) is_complete = refuse(err);
    if (!is_complete) file_refuse(err, "write", o->path);
    if (o->beside && !is_complete)
        remove_beside(o);
    else if (o->beside)
        close(o->folder);
    finish(o);
    return is_complete;
}

bool file_write(const char *path, const void *bytes, size_t size, struct error *err)
{
    struct file_output o;
    if (!file_begin(&o, path, err)) return false;
    const bool is_written = fwrite(bytes, 1, size, o.stream) == size || refuse(err);
    return file_end(&o, is_written, err);
}

bool file_remove_all(const char *path)
{
    if (!g_remove(path)) return true;
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *inner = g_build_filename(path, name, NULL);
        file_remove_all(inner);
    }
    return !g_remove(path);
}
