#!/usr/bin/env bash
# The kernel beside the picture: by its key, with its changes, scrolled, of two pictures, restored,
# and while its file is edited. On the cpu backend, which every machine has.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"
mkdir data
cp -r "$source_dir/kernels" data
mean=data/kernels/filters/mean.cu

"$probe" noise a.png 203 117 rgb 1
open a.png --data data --size 1280x720
until_says variant naive "${settled[@]}"
# has_text X Y W H: whether letters are drawn there.
has_text() { grab && [ "$("$probe" colours grabbed.png "$@")" -gt 8 ]; }

# ---- open, changes, closed ----

key E -- .source true .changes false source 'mean.cu · naive' source_about ''
box source
expect "the picture is beside it: $REPLY" [ "$left" -ge 400 -a "$width" -ge 600 -a "$height" -ge 400 ]
wait_for 'the source to be drawn' has_text "$left" "$top" "$width" "$height"
value source_lines
naive_lines=$REPLY
key 2 -- variant texture source 'mean.cu · texture' "${settled[@]}"
key E -- .changes true source_about '+1  −1  against naive'
key 1 -- source 'mean.cu · naive' source_about 'the first variant' source_lines "$naive_lines"
shoot
expect 'the state has it' has "$(chunk "$shot" tilescope-state)" '"source":true,"changes":true'
key E -- .source true .changes false .machine true source 'mean.cu · naive' source_about '?*'
key E -- .source false .machine false source ''

# ---- scrolled ----

key parenright -- noted 'E opens the source'
key E -- .source true message ''
key parenright -- .source_line '[1-9]*'
key parenleft -- .source_line 0
key parenleft -- .source_line 0
xdotool mousemove $((left + 100)) $((top + 100))
click 5
until_says .source_line 3 .zoom 0
click 5 && click 4 && click 4 && click 4
until_says .source_line 0 .zoom 0
xdotool mousemove 100 300
click 4
until_says .source_line 0 .zoom 1.25
press z
key 3 -- variant shared "${settled[@]}"
key parenright -- .source_line '[1-9]*'
key 5 -- variant running .source_line 0 "${settled[@]}"
key parenright -- .source_line '[1-9]*'
line=$(fact .source_line)
shoot
quit
open --data data --restore "$shot" --size 1280x720
until_says variant running .source true .source_line "$line" "${settled[@]}"
key 1 -- variant naive .source_line 0

# ---- of two pictures ----

# B begins with the kernel itself: what is said about it would take more than a third of its page.
head=$(awk '/^__global__ void mean_shared\(/ { print lines } { lines = /^\/\// ? lines + 1 : 0 }' "$mean")
key c 3 -- .comparing true source 'A · mean.cu · naive' source_b 'B · mean.cu · shared' \
    .source_line 0 .source_line_b "$head" "${settled[@]}"
scrolled=$((head + 3))  # by one step of the wheel
box source_b
xdotool mousemove 600 200
until_says .divider '0.469*'
xdotool mousemove $((left + 50)) $((top + 100))
click 5
until_says .source_line 0 .source_line_b $scrolled .divider '0.469*'
box source
xdotool mousemove $((left + 50)) $((top + 100))
click
until_says .side 0
key parenright -- .source_line '[1-9]*' .source_line_b $scrolled
key c -- .comparing false source 'mean.cu · naive'

# ---- machine code ----

# A source line that is clicked is brought into view among the instructions, which are marked.
key 3 -- variant shared marked ''
key 1 -- variant naive marked '' .source_line 0 source_box '?*'
box source
xdotool mousemove $((left + 100)) $((top + 200))
click
until_says marked 'mean.cu:?*'
key E -- .changes true
key E -- .machine true source_about '?* *'
about=$(fact source_about)
if [ "$about" = 'no machine code' ]; then
    echo "its lines are skipped: NVRTC is not there"
else
    expect "it is named: $about" is "$about" '(PTX|SASS) for sm_[0-9]+'
    key parenright parenright -- .source_line '[1-9]*'
    xdotool mousemove $((left + 100)) $((top + 200))
    click
    until_says .machine true marked '*.?*:[0-9]*'
    key 3 -- variant shared source 'mean.cu · shared' source_about "$about" .source_line 0 marked ''
    key 1 -- variant naive source_about "$about"
fi
key E -- .source false .machine false
key E -- .source true .machine false source 'mean.cu · naive' source_about ''

# ---- edited ----

sed -i 's|^    unsigned int sum = 0;|    // Starts empty.\n&|' "$mean"
until_says noted 'kernels reloaded' source_lines $((naive_lines + 1)) source_about ''
cp "$mean" good.cu
sed -i 's|// Starts empty.|this is no C|' "$mean"
until_says message 'mean.cu*this*' source_lines $((naive_lines + 1)) source_about 'what was saved cannot run*'
cp good.cu "$mean"
until_says noted 'kernels reloaded' source_about ''
rm "$mean"
until_says message '*mean.cu is gone*' source_about 'the file is gone: this still runs'
cp good.cu "$mean"
until_says noted 'kernels reloaded' source_about ''
sed -i 's|^    const unsigned char \*row = in.pixels|    // The row.\n&|' data/kernels/kernel.h
until_says noted 'kernels reloaded' source_lines $((naive_lines + 2))
quit

# ---- loops that NVRTC unrolls for minutes ----

cat >endless.cu <<'END'
//! filter "Endless"
#include "kernel.h"

//! variant naive 32x8
__global__ void endless_naive(plane out, plane in)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    int sum = load(in, x, y);
    if (out.width < 0) {
#ifdef __CUDACC_RTC__
#pragma unroll 4096
        for (int i = 0; i < 4096; i++)
#pragma unroll 4096
            for (int k = 0; k < 4096; k++) sum += load(in, sum + i * k, y - k);
#endif
    }
    out.pixels[y * out.pitch + x] = (unsigned char)sum;
}
END
if [ "$about" != 'no machine code' ]; then
    open a.png --data data --file endless.cu --size 640x360
    until_says filter endless current yes
    key E E E -- .machine true source_about ''
    key m -- filter mean source_about "$about"  # it waits for nothing
    key BackSpace -- filter endless source_about ''
    quit
fi

# ---- what the inner loop consists of, where nothing that is counted bounds the kernel ----

if [ "$about" != 'no machine code' ]; then
    mkdir bin
    cat >bin/nvdisasm <<'END'
#!/bin/sh
printf '\t.target\tsm_90\n\t.section\t.text.launch_mean_naive,"ax"\n.text.launch_mean_naive:\n'
printf '.L_1:\n/*00*/ LDG.E.U8 R2, desc[UR4][R2.64] ;\n/*10*/ @P0 BRA `(.L_1) ;\n/*20*/ EXIT ;\n'
END
    chmod +x bin/nvdisasm
    PATH=$work/bin:$PATH open a.png --data "$source_dir" --times h200 --keys M --size 640x360
    until_says variant naive lens_stale no stage_settled yes bound 'bound by instructions or latency: *'
    bound=$(fact bound)
    expect_not 'nothing is said without machine code' has "$bound" 'inner loop'
    loop='inner loop: 2 instructions, 1 global load (SASS for sm_90)'
    key E E E -- .machine true source_about 'SASS for sm_90' \
        bound "$bound · issue at least * · $loop"
    key E -- .source false bound "$bound · issue at least * · $loop"
    key 2 -- variant texture bound '?*'  # the listing does not have it
    look
    value bound
    expect_not 'another variant has another loop' has "$REPLY" 'inner loop'
    quit
fi

# ---- without NVRTC ----

TILESCOPE_NVRTC=/nowhere open a.png --data data --keys 'E E E' --size 640x360
until_says .machine true source_about 'no machine code'
key E -- .source false
key slash m a c h i n e space c o d e -- menu_row 'machine code'
key Return -- .source false noted '*cannot load NVRTC*'
quit

# ---- in little room ----

open a.png --data data --size 640x360 --text-scale 2
until_says "${settled[@]}"
key E -- .source_line '[1-9]*'  # the kernel itself, not what is said about it
key parenleft parenleft -- .source_line 0
key 3 -- variant shared .source_line '[1-9]*'
# While nobody scrolls, the page decides.
xdotool windowsize "$window" 1600 1000
key minus minus minus minus minus minus minus minus -- .text_scale 1 .source_line 0
key parenright -- .source_line '[1-9]*'
key parenleft -- .source_line 0
xdotool windowsize "$window" 640 360
key plus plus plus plus plus plus plus plus -- .text_scale 2 .source_line 0
quit

finish
