#!/usr/bin/env bash
# A large picture in the window on a CPU: shown reduced, or whole; and what is made of the whole in
# any case. Limits of --reduce-above are so far away that no machine's times come near.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"

"$probe" noise large.png 1501 701 grey 1
"$probe" noise other.png 701 1501 rgb 2
"$probe" noise small.png 203 117 rgb 3
whole=(size 1501x701 whole_size 1501x701 "${settled[@]}" stage_settled yes)
reduced=(size 751x351 whole_size 1501x701 "${settled[@]}" stage_settled yes)
slow=(--reduce-above 0.000001) # every frame takes too long
fast=(--reduce-above 1000000)

# ---- by itself, and by its key ----

open large.png "${fast[@]}" --size 640x360
until_says "${whole[@]}"
key Up -- radius 4 "${whole[@]}"
key ctrl+0 -- noted 'from now on, large pictures are shown reduced' radius 4 "${reduced[@]}"
key Down -- radius 3 "${reduced[@]}"
quit

open large.png --reduce-above 0 --size 640x360
until_says "${whole[@]}"
key ctrl+0 -- "${reduced[@]}"
quit

open large.png small.png other.png "${slow[@]}" --size 640x360
until_says "${reduced[@]}"
key Up -- radius 4 "${reduced[@]}"
key n -- picture small.png size 203x117 whole_size 203x117 "${settled[@]}"
key ctrl+0 -- noted 'this picture is small: all of it is shown' size 203x117
key n -- picture other.png size 351x751 whole_size 701x1501 "${settled[@]}"
key ctrl+0 -- noted 'from now on, all of a picture is shown' size 701x1501 whole_size 701x1501
until_says "${settled[@]}"  # however long it takes
key n -- picture large.png "${whole[@]}"
key ctrl+0 -- "${reduced[@]}"
key n n -- picture other.png size 351x751 "${settled[@]}"
key c 2 -- .comparing true B.variant texture size 351x751 whole_size 701x1501 "${settled[@]}"
key ctrl+0 -- size 701x1501 difference_max 0 "${settled[@]}"
key c -- .comparing false
key T -- filter transpose "${settled[@]}"
key ctrl+0 -- noted "a lab's arrays are never reduced" filter transpose current yes
quit

# ---- the lens ----

# finds_block: the block that the lens is about, into column and row.
finds_block() {
    says lens 'Memory · block *' lens_stale no stage_settled yes || return
    value lens
    REPLY=${REPLY#Memory · block }
    column=${REPLY%%,*} row=${REPLY#*, }
    row=${row%%[!0-9]*}
}
open large.png "${slow[@]}" --size 1280x720
key M -- .lens true "${reduced[@]}" lens 'Memory · block *'
wait_for 'the block in the middle' finds_block
first=$column,$row
box lens
xdotool mousemove 500 300
rests() { finds_block && [ "$column,$row" != "$first" ]; }
wait_for 'the block under the cursor' rests
expect 'which is not the first one' [ "$column" -ge 2 ]
before=$column,$row
xdotool mousemove $((left + 60)) $((top + 12)) # over the lens, whose block stays
key ctrl+0 -- "${whole[@]}"
wait_for 'the block in the whole' finds_block
expect "the block at $before of the copy is twice as far in the whole" \
    [ "$((column / 2)),$((row / 2))" = "$before" ]
quit

# ---- a screenshot, and a sheet ----

"$program" render large.png -o wanted.png --filter mean --radius 2 --device cpu >/dev/null
open large.png "${slow[@]}" --size 1501x701 --clean --bare --radius 2
until_says radius 2 "${reduced[@]}"
shoot
has_chunks "$shot" size=1501x701 whole_size=1501x701 settled=yes check=exact radius=2
expect 'a screenshot shows every pixel' same wanted.png "$shot"
until_says "${reduced[@]}"
key ctrl+c -- noted 'copied the window'
until_says "${reduced[@]}"
key e -- filter invert "${reduced[@]}"
sheet
has_chunks "$shot" size=1501x701 whole_size=1501x701 filter=invert
until_says filter invert "${reduced[@]}"
quit

mapfile -t played < <("$program" view large.png "${slow[@]}" --device cpu --shots "$shots" \
    --size 320x180 --keys 's 2 s q' 2>err)
expect 'played keys: silence' is "$(<err)" ''
expect 'played keys wait for a screenshot of the whole' is "${#played[@]}" 2
for i in 0 1; do
    expect 'each is of the whole' is "$(chunk "${played[i]}" size)" 1501x701
    expect 'and settled' is "$(chunk "${played[i]}" settled)" yes
done
expect 'and of its own choice' is "$(chunk "${played[0]}" variant),$(chunk "${played[1]}" variant)" \
    naive,texture

# ---- given up ----

# On the whole, naive waits for a file.
mkdir -p data
cp -r "$source_dir/kernels" "$source_dir/shaders" data
cat >data/kernels/filters/gate.cu <<END
//! filter "Gate"
#include "kernel.h"
extern "C" __device__ int usleep(unsigned int);
extern "C" __device__ int access(const char *, int);
__device__ void blacken(plane out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] = 0;
}
__device__ void wait(int width)
{
    if (width < 1000 || blockIdx.x || blockIdx.y || threadIdx.x || threadIdx.y) return;
    while (access("$work/gate", 0)) usleep(5000);
}
END
cat >>data/kernels/filters/gate.cu <<'END'
//! variant naive 32x8
__global__ void gate_naive(plane out)
{
    blacken(out);
    wait(out.width);
}
//! variant open 32x8
__global__ void gate_open(plane out)
{
    blacken(out);
}
END
waits='the screenshot waits for the whole picture*'
shown=(current yes settled yes stage_settled yes)
open large.png "${slow[@]}" --data data --filter gate --size 640x360
until_says variant naive size 751x351 "${shown[@]}"
press s
until_says size 1501x701 message "$waits"
key k -- .light true message "$waits" # not a choice
key 2 -- variant open noted 'screenshot given up: something else is shown'
touch gate
until_says variant open size 751x351 whole_size 1501x701 "${shown[@]}"
expect 'no screenshot was taken' is "$(<out)" ''
rm gate
key 1 -- variant naive size 751x351 "${shown[@]}"
press S
until_says size 1501x701
key 2 -- variant open noted 'sheet given up: something else is shown'
touch gate
until_says variant open size 751x351 "${shown[@]}"
rm gate
key 1 -- variant naive size 751x351 "${shown[@]}"
press s
until_says size 1501x701 message "$waits"
press q
touch gate
has_ended 1 'tilescope: no screenshot: the window did not yet show the whole picture'
rm gate

# ---- reduced again ----

# Frames of the whole take longer from a radius of 1 on.
cat >data/kernels/filters/gate.cu <<'END'
//! filter "Gate"
//! param radius 0 [0, 8]
#include "kernel.h"
extern "C" __device__ int usleep(unsigned int);
//! variant naive 32x8
__global__ void gate_naive(plane out, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] = 0;
    if (out.width < 1000 || blockIdx.x || blockIdx.y || threadIdx.x || threadIdx.y) return;
    for (int i = 0; radius && i < 41; i++) usleep(50000);
}
END
open large.png --reduce-above 2000 --data data --filter gate --size 640x360
until_says radius 0 size 1501x701 "${shown[@]}"
key Up -- radius 1 size 751x351 whole_size 1501x701 "${shown[@]}"
key Down -- radius 0 size 751x351 "${shown[@]}"
quit

# ---- a tour ----

printf 'title T\nm 1\ncaption {filter} of {device}\nwait\n2\ncaption {variant}\nwait\n' >t.tour
open large.png "${slow[@]}" --size 640x360 --script t.tour
until_says tour_step '1 of 2' tour_waits yes "${whole[@]}"
key ctrl+0 -- noted 'all of the picture is shown as long as its figures are needed' size 1501x701
key space -- tour_step '2 of 2' tour_waits yes variant texture "${whole[@]}"
key space -- noted 'the tour is over' "${reduced[@]}"
quit

for bad in -1 nan inf x; do
    "$program" view large.png --device cpu --reduce-above $bad >out 2>err
    expect "--reduce-above $bad is refused" is $? 2
done

finish
