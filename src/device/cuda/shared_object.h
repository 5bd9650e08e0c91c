// shared_object.h -- finds a shared object of CUDA, such as libnvrtc, wherever it is installed.
//
// The program links none of them, so that it starts on machines without them. They stay open:
// CUDA's libraries keep process-wide state, and unloading gains nothing. Any thread may call.
#pragma once

enum { SHARED_OBJECT_OLDEST_MAJOR = 12 };  // of CUDA

// Opens the newest NAME.so.MAJOR, from newest_major down. It looks in the folder, which may be a
// pattern; if folder is NULL, among the system's libraries, in CUDA_HOME, CUDA_PATH and
// CONDA_PREFIX, in /usr/local/cuda*, and in pip's packages. *path is where it was found, for the
// caller to free; NULL: the dynamic linker found it. Returns NULL if there is none.
void *shared_object_find(const char *folder, const char *name, int newest_major, char **path);

// A program on PATH, or in a bin beside these folders. NULL: there is none. The caller frees it.
char *shared_object_find_program(const char *name);

void *shared_object_open(const char *path);  // NULL: it cannot be opened
