#!/usr/bin/env bash
# Kernels that are edited in the window are tried at two awkward sizes: what is exact as it is shown,
# 64x48 pixels or 4096 elements, may be wrong there.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"

mkdir data
cp -r "$source_dir/kernels" data
"$probe" noise a.png 64 48 grey 1

# text CONDITION [BODY]: a filter whose first variant writes where that holds, behind BODY.
text() {
    cat <<TEXT
//! filter "Edge"
#include "kernel.h"
//! reference out
__host__ __device__ int edge_reference(plane in, int x, int y) { return 255 - load(in, x, y); }
#define AT const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y
#define PUT out.pixels[y * out.pitch + x] = 255 - in.pixels[y * in.pitch + x]

//! variant plain 32x8
__global__ void edge_plain(plane out, plane in) { AT; ${2:-} if ($1) PUT; }

//! variant other 32x8
__global__ void edge_other(plane out, plane in) { AT; if (x < out.width && y < out.height) PUT; }
TEXT
}
save() {
    text "$@" >next
    mv next data/kernels/edge.cu
    until_says noted 'kernels reloaded' filter edge current yes
}
right='x < out.width && y < out.height'
whole_words='x / 16 * 16 + 16 <= out.width && y < out.height'

# ---- a file of the kernels' folder ----

text "$whole_words" >data/kernels/edge.cu
open a.png --data data --filter edge --size 640x360
until_says "${exact[@]}" other_sizes ''  # nobody has edited it
save "$whole_words" ';'
until_says other_sizes checked check 'wrong at 33×17: first at (32, 0)' current yes
shoot
expect 'a screenshot says it' is "$(chunk "$shot" check | LC_ALL=C sed 's/.*: //')" 'first at \(32, 0\)'
key 2 -- variant other "${exact[@]}"
key 1 -- variant plain check 'wrong at 33×17: *'
key f -- filter flip "${exact[@]}" other_sizes ''
key F -- filter edge check 'wrong at 33×17: *'
save "$right"
until_says other_sizes checked "${exact[@]}"

# What is not shown is tried behind what is.
key 2 -- variant other
save "$whole_words"
until_says other_sizes checked variant other "${exact[@]}"
key 1 -- variant plain check 'wrong at 33×17: *'

# One that does not end there is left for the next text.
if ! nm "$program" | grep __tsan_init >/dev/null; then
    save "$right" 'while (out.width == 33) continue;'
    until_says other_sizes checking "${exact[@]}"
    save "$whole_words"
    until_says other_sizes checked check 'wrong at 33×17: *'
fi
# One that faults there disturbs nobody.
if ! is_sanitized; then
    save "$right" 'if (x == 32 && out.width == 33) *(volatile int *)16 = 1;'
    until_says noted '*edge_plain: thread (0, *' other_sizes checked \
        check 'wrong at 33×17: the kernel faults' current yes
    save "$right"
    until_says other_sizes checked "${exact[@]}"
fi
quit

# ---- a lab, in a file of the user's own ----

# line CONDITION: b is a, where that holds.
line() {
    printf '%s\n' '//! lab "Line"' '//! param n 4096 [256, 65536]' '#include "lab.h"' \
        '//! array a in [n] counted' '//! array b out [n]' '//! reference b' \
        '__host__ __device__ double line_reference(const float *a, long long i) { return a[i]; }' \
        '//! variant plain 256x1' '__global__ void line_plain(float *b, const float *a, int n)' \
        "{ const int i = blockIdx.x * blockDim.x + threadIdx.x; if ($1) b[i] = a[i]; }" >next
    mv next line.cu
}
line 'i < n'
open line.cu --size 640x360
until_says filter line other_sizes checked "${exact[@]}"
line 'i <= n'
until_says noted 'kernels reloaded' other_sizes checked check 'wrong at n 1025: writes behind b'
line 'i / 256 * 256 + 256 <= n'
until_says noted 'kernels reloaded' other_sizes checked check 'wrong at n 1025: first at b\[1024]'
line 'i < n'
until_says noted 'kernels reloaded' other_sizes checked "${exact[@]}"
quit

finish
