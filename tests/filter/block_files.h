// block_files.h -- a GPU, and the labs "Turn" and "Sum", for tests of blocks and of what is said
// about them. The labs' variants differ in who writes an element.
#pragma once

#include "device/backend.h"

static const struct device gpu = {.is_gpu = true,
                                  .max_threads = 1024,
                                  .max_block_width = 1024,
                                  .max_block_height = 1024,
                                  .max_grid_width = 1 << 30,
                                  .max_grid_height = 65535,
                                  .max_shared_bytes = 49152};

static const char matrix[] =
    "//! lab \"Turn\"\n"
    "//! param rows 100 [1, 65536] rows\n"
    "//! param columns 70 [1, 65536] columns\n"
    "//! array a float in [rows][columns] noise 0, 255\n"
    "//! array b float out [rows][columns] shown 0, 255\n"
    "//! variant naive 32x8\n__global__ void a() {}\n"
    "//! variant each 8x4 each=4x2\n__global__ void b() {}\n"
    "//! variant wide 32x8 columns=64\n__global__ void c() {}\n"
    "//! variant own 256x1 domain=rows*columns + 1\n__global__ void d() {}\n"
    "//! variant linear 64x1 each=2x1 domain=rows*columns\n__global__ void e() {}\n"
    "//! variant turned 32x8 domain=rows, columns\n__global__ void f() {}\n"
    "//! variant straight 32x8 domain=columns, rows\n__global__ void g() {}\n"
    "//! variant once 256x1 domain=7000\n__global__ void h() {}\n"
    "//! variant shuffled 32x8 order=own\n__global__ void i() {}\n"
    "//! variant deep 8x4x4 domain=columns, rows, 6\n__global__ void j() {}\n";
static const char vector[] = "//! lab \"Sum\"\n"
                             "//! param n 10000 [1, 16777216] numbers\n"
                             "//! array x int in [n] noise -9, 9\n"
                             "//! array s int out [n] shown 0, 255\n"
                             "//! variant naive 256x1\n__global__ void a() {}\n"
                             "//! variant each 64x1 each=4x1\n__global__ void b() {}\n";
