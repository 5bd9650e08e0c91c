// data.h -- finds the folder with the files that belong to the program: kernels, shaders, samples.
//
// An installed program has it at a fixed place beside its own, and both may be moved together.
// A program in a build folder takes the source tree, which has the same folders inside.
// The module does not open these files or check that they are there.
#pragma once

// The path of `name` in that folder. The caller frees it. Any thread may call.
char *data_path(const char *name);

// The path of a shared object that the program opens as it runs: "libtilescope_cub" lies in a
// folder of libraries of an installed program, and in a build folder beside the program or above
// its tests. The caller frees it. Any thread may call.
char *data_library_path(const char *name);
