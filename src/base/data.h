// data.h -- finds the folder with the files that belong to the program: kernels, shaders, samples.
//
// An installed program has it at a fixed place relative to its own folder; both may be moved
// together. A program in a build folder uses the source tree, which has the same folders.
// The module does not open these files or check that they are there.
#pragma once

// The path of `name` in that folder. The caller frees it. Any thread may call.
char *data_path(const char *name);

// The path of a shared object that the program opens at run time, such as "libtilescope_cub". It
// lies in an installed program's folder of libraries; in a build folder, beside the program or
// above its tests. The caller frees it. Any thread may call.
char *data_library_path(const char *name);
