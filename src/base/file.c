#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static bool refuse(struct error *err)
{
    return error_set(err, "%s", g_strerror(errno));
}

bool file_is_regular(const struct stat *facts, struct error *err)
{
    return S_ISREG(facts->st_mode) ||
           error_set(err, S_ISDIR(facts->st_mode) ? "it is a folder" : "it is not a regular file");
}

// ---- reading ----

static bool read_all(int fd, size_t size, char *text, struct error *err)
{
    size_t done = 0;
    ssize_t got = 1;
    while (done < size && (got = read(fd, text + done, size - done)) != 0) {
        if (got < 0 && errno != EINTR) return refuse(err);
        if (got > 0) done += (size_t)got;
    }
    text[done] = '\0';
    return strlen(text) == done || error_set(err, "it is not text");
}

// It never waits for a pipe's other end. -1: err says why it cannot be opened.
static int open_regular(const char *path, long long *size, struct error *err)
{
    struct stat facts;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &facts) ? refuse(err) : file_is_regular(&facts, err))) {
        *size = facts.st_size;
        return fd;
    }
    if (fd < 0) refuse(err);
    if (fd >= 0) close(fd);
    return -1;
}

static char *read_text(int fd, long long size, struct error *err)
{
    if (size > FILE_MAX_TEXT_BYTES) {
        error_set(err, "it is larger than %d MB", FILE_MAX_TEXT_BYTES >> 20);
        return NULL;
    }
    char *text = g_malloc((size_t)size + 1);
    if (!read_all(fd, (size_t)size, text, err)) g_clear_pointer(&text, g_free);
    return text;
}

char *file_read_text(const char *path, struct error *err)
{
    long long size;
    const int fd = open_regular(path, &size, err);
    char *text = fd >= 0 ? read_text(fd, size, err) : NULL;
    if (fd >= 0) close(fd);
    if (!text) error_prefix(err, "cannot read '%s': ", path);
    if (text && g_str_has_prefix(text, BYTE_ORDER_MARK))
        memmove(text, text + strlen(BYTE_ORDER_MARK), strlen(text + strlen(BYTE_ORDER_MARK)) + 1);
    return text;
}

FILE *file_open(const char *path, long long *size, struct error *err)
{
    const int fd = open_regular(path, size, err);
    FILE *stream = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !stream) {
        refuse(err);
        close(fd);
    }
    if (!stream) error_prefix(err, "cannot read '%s': ", path);
    return stream;
}

// ---- writing ----

// Finds the file that is replaced, if there is one.
static bool find_target(struct file_output *o, struct stat *facts, struct error *err)
{
    o->is_new = stat(o->path, facts) != 0;
    if (o->is_new) return (o->target = g_strdup(o->path));
    if (!file_is_regular(facts, err)) return false;
    char *real = access(o->path, W_OK) ? NULL : realpath(o->path, NULL);
    o->target = g_strdup(real);
    free(real);
    return o->target || refuse(err);
}

// Gives the new file the old one's owner and mode. False: it may not.
static bool take_over(int fd, const struct stat *old)
{
    struct stat now;
    if (fstat(fd, &now)) return false;
    const bool is_same_owner = now.st_uid == old->st_uid && now.st_gid == old->st_gid;
    return (is_same_owner || fchown(fd, old->st_uid, old->st_gid) == 0) &&
           fchmod(fd, old->st_mode & 07777) == 0;
}

static void remove_beside(const struct file_output *o)
{
    unlinkat(o->folder, strrchr(o->beside, '/') + 1, 0);
    close(o->folder);
}

static bool open_beside(struct file_output *o, const struct stat *old, struct error *err)
{
    char *folder = g_path_get_dirname(o->target);
    o->beside = g_build_filename(folder, ".tilescope-XXXXXX", NULL);
    int fd = g_mkstemp_full(o->beside, O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0) {
        refuse(err);
        g_clear_pointer(&o->beside, g_free);
    } else {
        o->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    g_free(folder);
    if (fd < 0) return false;
    if (!o->is_new && !take_over(fd, old)) {
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
    *o = (struct file_output){.path = g_strdup(path)};
    if (find_target(o, &old, err) && open_beside(o, &old, err)) return true;
    finish(o);
    return error_prefix(err, "cannot write '%s': ", path);
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
    if (!is_complete) error_prefix(err, "cannot write '%s': ", o->path);
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
