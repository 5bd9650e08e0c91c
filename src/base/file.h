// file.h -- reads and writes whole files. All outputs of the program go through it.
//
// A file is written under another name in its folder and renamed when it is complete, so that a
// failure keeps the old file and leaves no part of the new one. Links are followed. Folders,
// devices, pipes and write-protected files are refused. A file that is replaced keeps its mode and
// its owner; where they cannot be kept, it is written in place. A file that was not there when the
// writing began does not replace one that another program has made since.
//
// Any thread may call. Messages begin with "cannot read" or "cannot write" and the path.
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"

// Puts the attempt, "read" or "write", and the path in front of the reason. Always returns false.
bool file_refuse(struct error *err, const char *attempt, const char *path);

// True if stat() found a regular file; err says what else it found, without the path.
bool file_is_regular(const struct stat *facts, struct error *err);

enum { FILE_MAX_TEXT_BYTES = 16 << 20 };

// Reads a text, which ends with a zero byte and holds no other one. It takes regular files of at
// most FILE_MAX_TEXT_BYTES and never waits for a pipe's other end. It unpacks a file that gzip has
// packed, up to as many bytes, and drops a byte order mark of UTF-8. The caller frees the text.
// NULL: err says why it cannot be read.
char *file_read_text(const char *path, struct error *err);

// Opens a regular file to read its bytes, and finds how many there are. The caller closes it. NULL:
// err says why it cannot be read.
FILE *file_open(const char *path, long long *size, struct error *err);

// A file that is being written.
struct file_output {
    FILE *stream;
    char *path, *target;  // as the caller gave it, and where links lead; owned
    char *beside;         // the file that is written first; NULL: the target itself; owned
    int folder;           // a descriptor of the folder of beside, which may be renamed
    bool is_new;
};

// After file_begin has returned true, file_end must follow. It closes the stream and keeps the file
// if is_complete. Otherwise it drops a file that is not yet in its place, and adds the path to err,
// which already says why. Returns true if the file was kept.
bool file_begin(struct file_output *o, const char *path, struct error *err);
bool file_end(struct file_output *o, bool is_complete, struct error *err);

bool file_write(const char *path, const void *bytes, size_t size, struct error *err);

// Removes a file, a link, or a folder with all its contents. False: it is still there, or never
// was.
bool file_remove_all(const char *path);
