#!/usr/bin/env bash
# Labs in the real window, by real keys: their arrays, badges, comparing, what they refuse, restoring
# and live editing. On the cpu backend, with two labs of the test's own, whose arrays are small.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"

mkdir -p data/kernels/filters data/kernels/labs
cp "$source_dir"/kernels/*.h data/kernels
cp "$source_dir"/kernels/filters/{invert,mean}.cu data/kernels/filters
cp -r "$source_dir/shaders" data
turn=data/kernels/labs/turn.cu

# What `wrong` adds to one column is less than a grey.
cat >$turn <<'TEXT'
//! lab "Turn" key Q
//! param rows     90 [60, 300]  rows of a
//! param columns  160 [60, 300]  columns of a
//! array a  in  [rows][columns] noise 0, 255
//! array b  out [columns][rows] shown 0, 255 * rows / 90
#include "lab.h"

//! reference b
__host__ __device__ double turn_reference(const float *a, int rows, int columns, long long i)
{
    return a[i % rows * columns + i / rows];
}

__device__ void turn(float *b, const float *a, int rows, int columns, float added)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= rows || y >= columns) return;
    b[y * rows + x] = a[x * columns + y] + (x == 3 ? added : 0);
}

//! variant naive 32x8
__global__ void turn_naive(float *b, const float *a, int rows, int columns)
{
    turn(b, a, rows, columns, 0);
}

//! variant wrong 32x8
__global__ void turn_wrong(float *b, const float *a, int rows, int columns)
{
    turn(b, a, rows, columns, 0.25f);
}
TEXT
cp $turn turn.good

# A vector, shown in rows of 128, and none that is checked.
cat >data/kernels/labs/double.cu <<'TEXT'
//! lab "Double" key K
//! param n 10000 [1, 1000000]  numbers
//! array x  in  [n] noise 0, 127
//! array y  out [n] shown 0, 255
#include "lab.h"

//! variant naive 256x1
__global__ void double_naive(int *y, const int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
TEXT

# A check of it does not end while there is a file `held`. Each element waits for a moment only: what
# does not come back is refused.
cat >data/kernels/labs/slow.cu <<TEXT
//! lab "Slow" key U
//! param n 16384 [1, 16384]  numbers
//! array y out [n] shown 0, 255
#include "lab.h"

extern "C" __device__ int access(const char *path, int mode);
extern "C" __device__ int usleep(unsigned int us);

//! reference y
__host__ __device__ double slow_reference(int n, long long i)
{
    if (i >= n / 8 && access("$work/held", 0) == 0) usleep(50000);
    return i;
}

//! variant naive 256x1
__global__ void slow_naive(int *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = i;
}
TEXT

"$probe" noise colour.png 203 117 rgb 1
"$probe" noise grey.png 90 160 grey 2  # as large as Turn's array

# ---- arrays ----

open colour.png grey.png --data data --size 640x400
until_says filter mean picture colour.png "${exact[@]}"
key Q -- filter turn variant naive array b size 90x160 planes 1 picture '' "${settled[@]}"
key n -- filter turn array a size 160x90 "${exact[@]}"
key N -- array b size 90x160 "${exact[@]}"
key 2 -- variant wrong check wrong current yes
key n -- array a variant wrong check wrong current yes
key N -- array b
key 1 -- variant naive "${exact[@]}"
key Up -- rows 91 size 91x160 "${exact[@]}"
key period -- noted 'columns 160*'
key Down -- rows 91 columns 159 size 91x159 "${exact[@]}"
key BackSpace -- rows 91 columns 160
key comma -- noted 'rows 91*'
key Down -- rows 90 size 90x160 "${exact[@]}"
key bracketleft -- block 16x8 "${exact[@]}"
key bracketright -- block 32x8
key l -- .bars true to_measure 2 measured 2
key l -- .bars false
key p -- .sweep true sweep_box '?*'
key p -- .sweep false
key K -- filter double array y size 128x79 check 'not checked' current yes
key n -- array x size 128x79 current yes
: >held
key U -- filter slow check 'checking [1-9]* %' current yes
key Q -- filter turn array b "${exact[@]}"  # the array was chosen for the other lab
rm held
key U -- filter slow "${exact[@]}"
key Q -- filter turn array b "${exact[@]}"

# Each variant with its time and its badge, beside the lab's input.
sheet
expect 'a sheet of a lab says what it shows' is "$(chunk "$shot" array)" b
expect 'it has the result of naive' is "$(chunk "$shot" 'result naive')" \
    '[0-9.]+ ms on this CPU \(.*\), [0-9.]+ sectors.* per element, exact'
expect 'it has the result of wrong' is "$(chunk "$shot" 'result wrong')" \
    '[0-9.]+ ms on this CPU \(.*\), max \|diff\| = 1.*, wrong'
expect 'its first cell shows the input' [ "$("$probe" colours "$shot" 60 160 400 300)" -gt 100 ]
expect 'it can be restored from' has "$(chunk "$shot" tilescope-state)" '"filter":"turn"'
key n -- array a "${exact[@]}"
sheet
expect 'a sheet shows the array that is chosen' is "$(chunk "$shot" array)" a
until_says array a variant naive noted 'saved *'
press S
until_says noted 'sheet: *'
key N -- noted 'sheet given up*' array b
until_says "${exact[@]}"
press space
until_says .frozen true
key Up -- rows 91 current yes
key Down space -- rows 90 .frozen false "${exact[@]}"

# ---- back to a filter ----

key m -- filter mean picture colour.png size 203x117 planes 3 array '' "${exact[@]}"
key n -- picture grey.png "${exact[@]}"
key Q -- filter turn array b "${exact[@]}"
key m -- filter mean picture grey.png size 90x160 "${exact[@]}"

# ---- two of them ----

refusal='B: A picture and an array cannot be compared.'
key c -- .comparing true .side 1 "${settled[@]}"
key Q -- filter turn current no message "$refusal"  # though both are grey and as large
key x -- .side 0 filter mean current yes
key Q -- filter turn current yes message '' difference_max 0
key x m -- .side 1 filter mean current no message "$refusal"
key n -- picture colour.png current no message "$refusal"
key Q -- filter turn message '' difference_max 0 "${exact[@]}"
key 2 -- variant wrong check wrong difference_max 0 current yes
key 1 Up Up -- rows 92 size 90x160 current yes check exact legend '0 … 260'  # of both
key x Down -- .side 0 rows 89 size 89x160 current yes check exact
key d -- .difference true current yes
key d -- .difference false
key space -- .frozen true
key Down -- rows 88 size 88x160 current yes
key x -- .side 1 rows 92 current yes  # the picture beside it was made anew, too
key space -- .frozen false
key n -- B.array a array a current yes
key x -- .side 0 A.array b B.array a array b current yes  # each side has its own
key x N -- .side 1 B.array b array b current yes
key K -- filter double current yes message '' legend 'A 0 … 2[0-9]*' legend_b 'B 0 … 127'
key g -- .grid true grid_box '?*'
sheet
expect 'a sheet of two labs has the time of A' is "$(chunk "$shot" 'result A')" '[0-9.]+ ms on this CPU \(.*\), .*'
expect 'and says why there is no B' has "$(chunk "$shot" 'result B')" \
    "refused: x: int 10000 is not of the sheet's shape, b: float 160"
key Q c -- .comparing false filter turn rows 92 "${exact[@]}"

# ---- large words in a small window ----

xdotool windowsize "$window" 800 600
for _ in {1..12}; do press plus plus; done
until_says .text_scale 4 .grid true grid_box '?*'
box grid
expect "the block's panel is in the window: $REPLY" \
    [ "$left" -ge 0 -a "$top" -ge 0 -a $((left + width)) -le 800 -a $((top + height)) -le 600 ]
key n -- array a "${exact[@]}"
key 2 -- variant wrong check wrong current yes array a
shoot
expect 'a screenshot has no pixels a second' is "$(chunk "$shot" gpix_per_s)" ''
expect 'a screenshot names the array' is "$(chunk "$shot" array)" a
has_chunks "$shot" filter=turn variant=wrong rows=92 size=160x92 check=wrong
quit

# ---- restored ----

open --restore "$shot" --data data
until_says filter turn variant wrong rows 92 array a .grid true .text_scale 4 check wrong current yes
key m -- filter mean picture colour.png "${exact[@]}"
quit

# ---- a short array shows its numbers ----

open --data "$source_dir" --filter sum --param n=100 --size 640x400
until_says filter sum array s "${settled[@]}" numbers 913
key 4 -- variant first_add "${exact[@]}" numbers 913
key n -- array a numbers ''
key n c -- .comparing true array s numbers ''
key c n Down -- .comparing false array a n 50 numbers '[-0-9]* *[0-9]'
quit

# ---- edited while it is shown ----

open colour.png --data data --filter mean --size 640x400 --bare
key Q -- filter turn array b "${exact[@]}"
grab && cp grabbed.png before.png
sed 's/return;/return nothing;/' turn.good >$turn
until_says message "*'nothing'*" current yes
key Up Down -- rows 90 current yes
until_says filter turn variant naive check exact
sed 's,^//! variant wrong.*,//! variant wrong,' turn.good >$turn
until_says message '*turn.cu:*'
sed 's/(x == 3 ? added : 0)/1/' turn.good >$turn
until_says message '' filter turn check wrong current yes
sed 's/key Q/key s/' turn.good >$turn
until_says message '*turn.cu:1: key s is the viewer*' filter turn
cp turn.good $turn
until_says message '' filter turn "${exact[@]}"
wait_for 'the old picture' shows before.png
key n -- array a "${exact[@]}"
sed 's/\bb\b/c/g' turn.good >$turn
until_says noted '*reloaded*' filter turn array a "${exact[@]}"
key n -- array c "${exact[@]}"
rm $turn
until_says message '*turn.cu is gone*' filter turn current yes
quit

finish
