// nvrtc.h -- compiles kernel files for the GPU with NVRTC, CUDA's run-time compiler. It is the
// struct translator of backend.h.
//
// nvrtc_open loads libnvrtc at run time, so that the program builds and starts without it.
// Compiling needs no GPU and no driver. This module neither caches nor loads the result;
// backend_cuda_module.c does. Several threads may use a translator; NVRTC compiles one file at a
// time.
#pragma once

#include "device/backend.h"
#include "device/headers.h"

// Opens the newest libnvrtc, from CUDA newest_major down to 12, that makes code for the target's
// architecture. The driver loads the code of each of these, and 13 no longer knows some GPUs that
// 12 knows. If none makes such code, err says what the newest one makes.
// If TILESCOPE_NVRTC names a file or folder, only that is searched. Otherwise the search goes
// through the system's libraries; CUDA_HOME, CUDA_PATH and CONDA_PREFIX; /usr/local/cuda*; pip's
// packages in VIRTUAL_ENV and in the home folder.
struct translator *nvrtc_open(const struct build_target *target, struct error *err);
void nvrtc_close(struct translator *t);  // accepts NULL

// A hash of everything that decides the result of nvrtc_compile. The caller frees it.
char *nvrtc_key(const struct translator *t, const struct build *build,
                const struct headers *headers);

// Makes a binary for cudaLibraryLoadData: a cubin, or PTX (text with its final NUL) for an
// architecture newer than this NVRTC, which the driver translates. Messages and profilers show the
// build's path; #include finds the headers by their base names. Warnings are dropped. On failure
// err holds the compiler's errors, as build_log.h shows them.
bool nvrtc_compile(const struct translator *t, const struct build *build,
                   const struct headers *headers, struct build_code *code, struct error *err);
