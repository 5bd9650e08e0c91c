#!/usr/bin/env bash
# The memory lens in the real window: the block under the cursor, steps by keys and wheel, lines,
# two pictures, a lab, an edited kernel and a kernel that cannot be traced. On the cpu backend,
# which every machine has.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"
mkdir data
cp -r "$source_dir/kernels" data
mean=data/kernels/filters/mean.cu
now=(lens_stale no)

"$probe" noise a.png 203 117 grey 1
open a.png --data data --size 1280x720
until_says variant naive "${settled[@]}"

# ---- one block ----

key semicolon -- noted 'M opens the memory lens'
key W -- noted 'M opens the memory lens' .whole false
key M -- .lens true "${now[@]}" lens 'Memory · block 3, 7' lens_where 'warp 0 of 8 · round 1 of 49 · mean.cu:*kernel.h:*'
until_says lens_totals 'per pixel: 50.0 B wanted · 92.* B fetched by requests*would do' lens_request 'global load · in · 32 lanes*'
box lens
expect "it lies below the picture: $REPLY" [ "$top" -gt 360 -a "$height" -gt 150 -a "$width" = 1280 ]
key semicolon semicolon -- lens_where 'warp 0 of 8 · round 3 of 49*'
key colon -- lens_where 'warp 0 of 8 · round 2 of 49*'
key j -- lens_where 'warp 0 of 8 · round 1 of 1 *' lens_request 'global store · out*1 sector*'
key J -- lens_request 'global load*'
key apostrophe -- lens_where 'warp 1 of 8*'
key quotedbl quotedbl -- lens_where 'warp 7 of 8*'
xdotool mousemove $((left + 200)) $((top + 30))
click 5
until_says lens_where 'warp 7 of 8 · round 2 of 49*' .zoom 0
click 4
until_says lens_where 'warp 7 of 8 · round 1 of 49*'

# The cursor's block, once it rests; a lane under it is named.
# How long that takes is printed and not judged, because it depends on what else runs.
xdotool mousemove 420 200
start=${EPOCHREALTIME/./}
until_says lens 'Memory · block 1, *' "${now[@]}"
echo "the block under the cursor: $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
xdotool mousemove $((left + width / 64)) $((top + 72 * height / 155))  # in the lanes' row
until_says lens_request '* · lane 0: pixel *'
# The block panel is about the same block, though the pointer is elsewhere.
key g -- .grid true lens 'Memory · block 1, *' grid '*block\\t1, *'
key g -- .grid false

# ---- lines ----

key 5 -- variant running "${now[@]}" lens_caveat "counts as written; the GPU's compiler *"
key 3 -- variant shared "${now[@]}" lens_totals '*block: 0 conflicts' "${settled[@]}"
key E -- .source true source_about 'requests*'
box source
# The rows of the listing from its last line up, until one has shared loads: they come at the end.
at_line() {
    for ((y = top + height - 14; y > top + 30; y -= 14)); do
        xdotool mousemove $((left + width / 3)) "$y"
        click
        until_says lens_stale no
        says lens_request 'shared load*' && return
    done
    return 1
}
wait_for 'a click on a line to show its request' at_line

# ---- a whole launch ----

# The same figures as the command's.
same_as_command() {
    local table
    table=$("$program" lens a.png --data data --filter mean --all "$@" 2>/dev/null)
    value variant
    read -r _ _ _ sectors _ _ conflicts < <(grep "^$REPLY " <<<"$table")
    value lens_totals
    expect "$sectors sectors and $conflicts conflicts as in: $REPLY" \
        like "$REPLY" "whole launch, per pixel: *B fetched* · $sectors sectors where *would do · launch: $conflicts conflicts"
}
like() { [[ $1 == $2 ]]; }  # a pattern
key W -- .whole true lens_totals 'whole launch, per pixel: *' source_about 'whole launch: requests*'
until_says lens_where '*warp 0 of 8*' "${now[@]}"
same_as_command --radius 3
key W -- .whole false lens_totals 'per pixel: *block: 0 conflicts' source_about 'requests*'
key W -- .whole true lens_totals 'whole launch, per pixel: *'
key Up -- radius 4 .whole false lens_totals 'per pixel: *' "${now[@]}" "${settled[@]}"

# ---- two pictures ----

key c 1 -- .comparing true B.variant naive lens 'A · Memory*' lens_b 'B · Memory*' "${now[@]}" lens_b_stale no
key semicolon -- lens_b_where '* 2 of 81 *'
key W -- .whole false .whole_b true lens_totals 'per pixel: *' lens_b_totals 'whole launch, per pixel: *'

# A key and a click before the next picture: what is clicked is no longer there.
box lens_b
xdotool mousemove $((left + width / 2)) $((top + height / 2))
kill -STOP "$pid"
press c
click
kill -CONT "$pid"
until_says .comparing false "${now[@]}"
key 3 -- variant shared "${now[@]}"
key 1 -- variant naive "${now[@]}"

# ---- beside the times ----

key l -- .bars true lens_figures '[0-9.]* | [0-9.]* | [0-9.]* · 0 | [0-9.]* · 0 | [0-9.]* · *'
sheet() { has_new_shot "$1" && [[ $shot == *-sheet.png ]]; }
mapfile -t lines <out
press S
wait_for 'a sheet' sheet ${#lines[@]}
expect 'a sheet has them' has "$(chunk "$shot" 'result naive')" 'sectors per pixel'
key l -- .bars false lens_figures ''

# ---- edited ----

sed -i 's|^    unsigned int sum = 0;|    unsigned int sum = tile[0] * 0;|' "$mean"
until_says noted 'kernels reloaded'
until_says "${now[@]}"
key M M M -- .lens true "${now[@]}"

# Where the edited kernel cannot be traced, its lines get no figures of the text before.
until_says .source true source_about 'requests*'
sed -i 's|^    unsigned int sum = tile|    for (volatile int i = 1; i;) continue;\n&|' "$mean"
until_says lens '*not traced' lens_totals '* too long to be traced*' source_about ''
sed -i '/volatile int i = 1/d' "$mean"
until_says source_about 'requests*' "${now[@]}"

# A header, whose text no kernel file holds.
before=$(fact lens_totals)
sed -i 's|return row + column;|return row + column * 8 % in.width;|' data/kernels/kernel.h
has_others() { says "${now[@]}" lens_totals 'per pixel: *' && value lens_totals && [ "$REPLY" != "$before" ]; }
wait_for 'the counts of the edited header' has_others
quit
cp "$source_dir/kernels/kernel.h" data/kernels

# ---- the whole window ----

# A transpose through shared memory: the 32 wavefronts of a column's read, whatever is open.
open --data data --filter transpose --param rows=64 --param columns=64 --text-scale 2 --size 1280x720
until_says variant copy "${settled[@]}"
key 4 l M j j -- variant shared .bars true .lens_full false "${now[@]}" lens_request 'shared load*' lens_rows '[1-9]* of 32, 0 alike'
key M -- .lens true .lens_full true lens 'Transpose · shared · block *' lens_rows '32 of 32, 32 alike' lens_moved '32 wavefronts where 1 would do'
covers() { look && value lens_box && [ "$REPLY" = '0 0 1280 720' ]; }
wait_for 'the lens to have the window' covers
xdotool mousemove 600 400
click 5
until_says lens_request 'global store*' lens_rows ''
click 4
until_says lens_request 'shared load*' lens_rows '32 of 32, 32 alike'
shoot
key 3 -- variant read_columns "${now[@]}" lens_rows '' lens_moved 'fetched 1024 B, used 128 B'
key j -- lens_moved 'touches 128 B, writes 128 B'
key l -- .lens_full false .lens true .bars true
key M c -- .lens_full true .comparing true lens 'A · Transpose *' lens_b 'B · Transpose *' lens_b_stale no
key Escape -- .lens_full false .comparing true .lens true

# Two kernels stand on the same kind of request to the same array, as far as both make it.
# That holds for one picture, too: of two, the side that the keys act on stays.
key 1 -- .comparing true B.variant copy lens_b_request 'global store · b *' lens_b_stale no
key c -- .comparing false variant copy lens_request 'global store · b *' "${now[@]}"
key 3 -- variant read_columns lens_request 'global store · b *' "${now[@]}"
key c 4 -- .comparing true B.variant shared lens_b_request 'global store · b *' lens_b_stale no
until_says lens_request 'global store · b *' "${now[@]}"
key J -- lens_b_request 'shared load*' lens_request 'global store · b *'
key j j -- lens_b_request 'global load · a *' lens_request 'global load · a *'
key apostrophe -- lens_b_where 'warp 1 of 8*' lens_where 'warp 1 of 8*'
key x j -- .side 0 lens_request 'global store · b *' lens_b_request 'global store · b *'
# A step that comes while the other kernel is still traced is followed once that is there.
kill -STOP "$pid"
press x 5 x j
kill -CONT "$pid"
until_says .side 0 B.variant padded lens_request 'global load · a *' lens_b_request 'global load · a *' lens_b_stale no

# It steps by itself, and keys and wheel set the pace; the text keeps its size.
key exclam -- .playing true noted 'the lens plays: 1 step a second*'
key plus plus -- noted 'the lens plays: 4 steps a second*'
until_says lens_where 'warp [1-7] of 8*'
until_says lens_where 'warp 0 of 8*' lens_request 'global load*'
until_says lens_where 'warp 0 of 8*' lens_request 'global store*'
box lens
xdotool mousemove $((left + width / 2)) $((top + height / 2))
click 5
until_says noted 'the lens plays: 2 steps a second*'
key Escape -- .playing false .lens true
key c M 4 -- .comparing false .lens_full true variant shared "${now[@]}"

# What bands would say of the result stands in the title.
transpose=data/kernels/labs/transpose.cu
sed -i 's|= square\[place(x|= 1 + square[place(x|' $transpose
until_says lens 'Transpose · shared · ✗ * · block *' lens_totals 'per element: *'
sed -i 's|= 1 + square|= square|' $transpose
until_says lens 'Transpose · shared · block *'
key M -- .lens false .lens_full false
quit
open --data data --restore "$shot" --size 1280x720
until_says .lens_full true "${now[@]}" lens 'Transpose · shared *'
quit

# ---- a lab, and restored ----

open --data data --filter banks --size 1280x720
until_says variant plain "${settled[@]}"
key M -- "${now[@]}" lens_totals 'per element: *block: 0 conflicts'
key j -- lens_request 'shared *' lens_marks '[1-9]*'  # what its lanes write
key Up -- stride 2 "${now[@]}" lens_totals '*block: [1-9]* conflicts' "${settled[@]}"
shoot
quit
open --data data --restore "$shot" --size 1280x720
until_says .lens true "${now[@]}" lens_totals '*block: [1-9]* conflicts'
quit

# A histogram's file does not say which block adds to a bin.
open --data data --filter histogram --size 1280x720
until_says variant global "${settled[@]}"
key M -- "${now[@]}" lens 'Memory · block 0, 0*' lens_caveat 'the first block: which one writes *'
quit

# ---- a launch that takes long is stopped ----

"$probe" noise large.png 900 600 grey 1
open large.png --data data --radius 24 --size 800x600
until_says variant naive
has_devices() { [ "$(cat "/proc/$pid/task"/*/comm 2>/dev/null | grep -c '^cpu queue')" = "$1" ]; }
wait_for 'one device to show the picture, one to count for the headline' has_devices 2
key M -- .lens true "${now[@]}"
key W -- .whole true lens '*whole launch: *'
wait_for 'the lens to have two' has_devices 3
key Escape -- .whole false .lens true lens 'Memory · block *' lens_totals 'per pixel: *'
key Y M M -- .roofline true .lens false
wait_for 'the launches to let go of theirs' has_devices 2
key Y -- .roofline false
wait_for 'the headline to keep its own' has_devices 2
key M -- .lens true "${now[@]}" lens 'Memory · block *' lens_totals 'per pixel: *'
quit

# ---- without a compiler ----

CC=no-such-compiler open a.png --data data --size 640x400
until_says .lens false
key M -- lens '*not traced' lens_totals 'no C++ compiler found*'
quit
finish
