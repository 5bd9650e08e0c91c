// nvrtc.h -- compiles kernel files for the GPU with NVRTC, CUDA's run-time compiler.
//
// libnvrtc is opened when the program runs, so that the program starts, and builds, without it.
// Needs no GPU and no driver. Does not cache and does not load what it made: backend_cuda.c does.
// A struct nvrtc may be used by several threads; NVRTC itself compiles one file after the other.
#ifndef NVRTC_H
#define NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/headers.h"

struct nvrtc;

// What to compile, and for what. Borrowed for the call.
struct nvrtc_job {
    const char *path, *source;     // the kernel file; path is for messages and profilers
    const struct header *headers;  // found by their base names in #include, without a search
    int header_count;
    int arch;    // 90: sm_90
    int radius;  // RADIUS becomes this literal; -1: it stays undefined
};

// Opens the newest libnvrtc of newest_major (13: CUDA 13) or one of the majors before it, down to
// 12: a driver of that major loads what they make. Searched: the file or folder that
// TILESCOPE_NVRTC names, and then nothing else; the system's libraries; CUDA_HOME, CUDA_PATH and
// CONDA_PREFIX; /usr/local/cuda*; pip's packages in VIRTUAL_ENV and in the home folder.
struct nvrtc *nvrtc_open(int newest_major, struct error *err);
void nvrtc_close(struct nvrtc *n);  // accepts NULL

void nvrtc_version(const struct nvrtc *n, int *major, int *minor);

// Architectures it makes machine code for, ascending (75, 80, ...); returns how many.
int nvrtc_archs(const struct nvrtc *n, const int **archs);

// Hash of all that decides what nvrtc_compile makes of a job. The caller frees it.
char *nvrtc_key(const struct nvrtc *n, const struct nvrtc_job *job);

// Makes something for cudaLibraryLoadData: a cubin, or, for an arch newer than this NVRTC, PTX
// (text with its final NUL) that the driver translates. The caller frees it. Warnings are dropped.
// On failure err holds the compiler's errors, each "path:line: message" with the line of source and
// a caret below it.
bool nvrtc_compile(const struct nvrtc *n, const struct nvrtc_job *job, void **binary, size_t *size,
                   struct error *err);

#endif
