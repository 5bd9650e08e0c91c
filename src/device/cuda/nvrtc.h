// nvrtc.h -- compiles kernel files for the GPU with NVRTC, CUDA's run-time compiler.
//
// nvrtc_open loads libnvrtc at run time, so that the program builds and starts without it.
// Compiling needs no GPU and no driver. This module neither caches nor loads the result;
// backend_cuda_module.c does. Several threads may use a struct nvrtc, but NVRTC compiles one file
// after the other.
#ifndef NVRTC_H
#define NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/headers.h"

struct nvrtc;

// What to compile. Everything is borrowed for the call.
struct nvrtc_job {
    const char *path, *source;      // the kernel file; messages and profilers show path
    const struct headers *headers;  // #include finds them by their base names
    int arch;                       // 90: sm_90
    const char *params;             // PARAMS becomes this; NULL: it is not defined
};

// Opens the newest libnvrtc of CUDA newest_major or an earlier major, down to 12: a driver of
// newest_major loads what they make. If TILESCOPE_NVRTC names a file or folder, only that is
// searched. Otherwise the search goes through the system's libraries; CUDA_HOME, CUDA_PATH and
// CONDA_PREFIX; /usr/local/cuda*; pip's packages in VIRTUAL_ENV and in the home folder.
struct nvrtc *nvrtc_open(int newest_major, struct error *err);
// The newest of these that makes code for a GPU of that architecture: 13 left out what 12 knows. If
// none does, err says what the newest makes.
struct nvrtc *nvrtc_open_for(int newest_major, int arch, struct error *err);
void nvrtc_close(struct nvrtc *n);  // accepts NULL

// Lists the architectures for which it makes machine code, ascending: 75, 80 ... Returns how many.
int nvrtc_archs(const struct nvrtc *n, const int **archs);

// False: a GPU of that architecture is too old for it.
bool nvrtc_can_make(const struct nvrtc *n, int arch, struct error *err);

// A hash of everything that decides the result of nvrtc_compile. The caller frees it.
char *nvrtc_key(const struct nvrtc *n, const struct nvrtc_job *job);

// Makes a binary for cudaLibraryLoadData: a cubin, or PTX (text with its final NUL) for an arch
// newer than this NVRTC, which the driver translates. The caller frees it. Warnings are dropped. On
// failure err holds the compiler's errors, as build_log.h shows them.
bool nvrtc_compile(const struct nvrtc *n, const struct nvrtc_job *job, void **binary, size_t *size,
                   struct error *err);

#endif
