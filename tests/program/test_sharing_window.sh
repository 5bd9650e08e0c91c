#!/usr/bin/env bash
# Who shares a sector, in the real window: the key that goes through requests, warps and blocks, the
# sector under the cursor, a whole launch, two pictures, and a lab's arrays. On the cpu backend,
# which every machine has.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"
mkdir data
cp -r "$source_dir/kernels" data
"$probe" noise a.png 203 117 grey 1
open a.png --data data --size 1280x720
until_says variant naive "${settled[@]}"

# ---- a block of a filter ----

colours() { grab && test "$("$probe" colours grabbed.png 700 350 180 100)" "$@"; }
key ampersand -- noted 'M opens the memory lens' .sector_requests false
key M -- .lens true lens 'Memory · block 3, 7' lens_stale no legend ''
wait_for 'the noise' colours -gt 9
key ampersand -- .sector_requests true legend 'untouched … 49 requests a sector, line at 5' sharing 'in, by sectors of 32 bytes'
wait_for 'one colour far from the block' colours -eq 1

# The picture lies from 309, 115 to 972, 497; its rows are 8 sectors apart.
xdotool mousemove 680 310
until_says sharing 'in, sector 475: 49 requests of 7 warps' lens 'Memory · block 3, 7'
xdotool mousemove 680 130  # another block, once the cursor rests
until_says sharing 'in, sector *: * requests of * warps' lens 'Memory · block 3, 0' lens_stale no
xdotool mousemove 680 310
until_says lens 'Memory · block 3, 7' lens_stale no sharing 'in, sector 475: 49 requests of 7 warps'
key j -- sharing 'out, sector 475: 1 request of 1 warp' legend 'untouched … 1 request a sector'
key J -- sharing 'in, sector 475: *'

# ---- a whole launch ----

key 3 W -- variant shared lens_totals 'whole launch*' lens_stale no sharing 'in, sector 475: * requests of * warps'
key ampersand -- .sector_requests false .sector_warps true sharing 'in, sector 475: * warps of 3 blocks'
key ampersand -- .sector_blocks true legend 'untouched … 6 blocks a sector' sharing 'in, sector 475: 3 blocks'
wait_for 'what is in three rows of blocks and in two' colours -eq 2
# Another choice leads back to the block, which touches a sector alone.
key Up -- radius 4 .whole false legend 'untouched … 1 block a sector' lens_stale no
key Down -- radius 3 lens_stale no

# ---- two pictures ----

key c 1 -- .comparing true B.variant naive lens_b_stale no legend 'A untouched … 1 block a sector' legend_b 'B untouched … 1 block a sector'
key d -- .difference true legend '' sharing ''
key d -- .difference false legend_b 'B untouched … 1 block a sector'
key c -- .comparing false legend 'untouched … 1 block a sector'

# ---- a lab ----

key T 3 -- filter transpose variant read_columns lens_stale no sharing 'b, *'
key ampersand ampersand ampersand -- .sector_warps true legend 'untouched … 1 warp a sector'
key n n -- sharing 'a, *' legend 'untouched … 8 warps a sector'
key W -- lens_totals 'whole launch*' sharing 'a, sector *: 8 warps of 1 block'
shoot
expect 'all of a is read by as many' [ "$("$probe" colours "$shot" 500 200 200 100)" -le 3 ]
key Escape -- .sector_warps false .lens true sharing '' legend '0 … 255'

quit

# ---- a picture that is shown reduced: a screenshot is of all of it, and of the whole launch ----

"$probe" noise large.png 1920 1080 grey 1
open large.png --data data --size 640x360 --reduce-above 0.001
until_says variant naive current yes stage_settled yes size 960x540
key M W -- .whole true lens_totals 'whole launch*' lens_stale no
shoot
until_says .whole true size 960x540 lens_totals 'whole launch*'
expect 'it is of the whole launch' is "$(chunk "$shot" size)" '.*1920x1080'
quit
finish
