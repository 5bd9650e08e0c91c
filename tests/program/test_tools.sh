#!/usr/bin/env bash
# What the window measures and compares, by real keys and a real mouse: bars, sweep, heat map, two
# pictures and their difference, zoom, block grid, sheets; and a window opened as a screenshot was.
#
# Pictures are as large as the window, or an exact part of it, wherever pixels are looked at.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"

"$probe" noise small.png 41 37 grey 2
"$probe" noise c.png 301 203 rgb 3
"$probe" noise tiny.png 12 9 grey 4
# flat WIDTH HEIGHT GREY: a picture that every filter but invert leaves as it is.
flat() {
    printf 'P5\n%d %d\n255\n' "$1" "$2"
    head -c $(($1 * $2)) /dev/zero | tr '\0' "\\$(printf %o "$3")"
}
flat 160 90 128 >flat.pgm

# to PANEL X Y: the pointer goes to that place of a panel, in hundredths of its sides.
to() {
    local left top width height
    wait_for "a place for $1" says "$1_box" '?*'
    box "$1"
    xdotool mousemove $((left + width * $2 / 100)) $((top + height * $3 / 100))
}
# at_once KEYS…: and then a click, all before the next picture.
at_once() {
    kill -STOP "$pid"
    press "$@"
    click
    kill -CONT "$pid"
}
# all_measured AT_LEAST: of what is wanted.
all_measured() {
    local wanted
    look
    value to_measure
    wanted=$REPLY
    [ "$wanted" -ge "$1" ] && says measured "$wanted"
}
pixel() { "$probe" pixel grabbed.png "$1" "$2"; }
has_pixel() { grab && [ "$(pixel "$1" "$2")" = "$3" ]; }
# region PANEL X Y WIDTH HEIGHT: of a panel, in hundredths of its sides, as words for probe_png.
region() {
    local left top width height
    box "$1"
    echo $((left + width * $2 / 100)) $((top + height * $3 / 100)) \
        $((width * $4 / 100)) $((height * $5 / 100))
}

# ---- bars ----

open small.png --size 640x400
until_says filter mean variant naive "${settled[@]}"
key l -- .bars true
wait_for 'all bars' all_measured 5
row=0  # six rows, a library's is the last: the first is 26 % down the panel, each 12.4 % high
for variant in naive texture shared separable running; do
    to bars 30 $((26 + row++ * 124 / 10))
    click
    until_says variant $variant "${exact[@]}"
done
key BackSpace -- variant separable
key BackSpace BackSpace BackSpace -- variant naive
key bracketright braceright braceright braceright -- block 64x64 current no message '*4096 threads*'
wait_for 'the bars of those that can run' all_measured 5
grab
mv grabbed.png refused.png
key braceleft -- block 64x32 message '*2048 threads*'
# shellcheck disable=SC2046
says_other_reason() { grab && ! same refused.png grabbed.png $(region bars 40 25 55 10) >/dev/null; }
wait_for 'another reason in its row' says_other_reason
key braceleft braceleft bracketleft -- block 32x8 "${exact[@]}"
# A click on what keys before it have already changed hits nothing: Invert has no fifth variant.
to bars 30 87
at_once e
until_says filter invert variant naive "${exact[@]}"
press m
wait_for 'the bars of the mean' all_measured 5
at_once Up
until_says filter mean variant naive radius 4 "${exact[@]}"
key Down -- radius 3
key l -- .bars false

# ---- the list of what is typed for ----

# The cursor marks a row, the wheel the next one, and a click chooses it. What lies behind is not hit.
key l slash m e a n colon -- .bars true menu_row 'Mean: naive'
to menu 50 50
is_marked() { says menu_row 'Mean: ?*' && ! says menu_row 'Mean: naive'; }
wait_for 'the row under the cursor to be marked' is_marked
value menu_row
marked=$REPLY
click 5
is_next() { says menu_row 'Mean: ?*' && ! says menu_row "$marked"; }
wait_for 'the wheel to mark the next row' is_next
click 4
until_says menu_row "$marked"
click
until_says menu_row '' variant "${marked#Mean: }" filter mean
key 1 slash m e a n colon -- menu_row 'Mean: naive'
at_once h  # where the cursor is there was another row, or none
until_says menu_why 'Nothing has these words.' variant naive
xdotool mousemove 2 300
click
until_says menu_why '' variant naive .bars true
key l -- .bars false "${exact[@]}"

# ---- sweep ----

xdotool mousemove 0 0
key space p -- .frozen true .sweep true sweep_box '?*' message ''  # nothing is measured yet
grab
mv grabbed.png before.png
# shellcheck disable=SC2046
has_curves() { grab && ! same before.png grabbed.png $(region sweep 20 20 50 60) >/dev/null; }
key space -- .frozen false
wait_for 'the whole sweep' all_measured 60
wait_for 'its curves' has_curves
grab
mv grabbed.png before.png
key Up -- radius 4 "${exact[@]}"
wait_for 'the sweep again' all_measured 60
# shellcheck disable=SC2046
is_marked_elsewhere() { grab && ! same before.png grabbed.png $(region sweep 20 20 50 60) >/dev/null; }
wait_for 'the mark to move with the radius' is_marked_elsewhere
radii=()
last=4
for x in 30 45 60; do
    to sweep $x 50
    click
    has_other_radius() { look && value radius && [ "$REPLY" != "$last" ]; }
    wait_for "a click at $x % of the sweep" has_other_radius
    last=$REPLY
    radii+=("$last")
done
expect "clicks further right mean larger radii: ${radii[*]}" \
    [ "${radii[0]}" -lt "${radii[1]}" -a "${radii[1]}" -lt "${radii[2]}" ]
key BackSpace BackSpace BackSpace -- radius 4
wait_for 'the sweep of radius 4' all_measured 60
until_says "${settled[@]}"

shoot
mapfile -t saved < <(tail -n 3 out)
csv=${saved[0]} svg=${saved[1]}
expect 's saves the data' is "$csv" '.*-sweep\.csv'
expect 's saves the plot' is "$svg" '.*-sweep\.svg'
expect 'the plot is one' has "$(head -c 300 "$svg")" '<svg'
expect 'the data name their units' is "$(head -n 1 "$csv")" \
    'filter,variant,params,radius_px,.*,median_ms,lower_quartile_ms,upper_quartile_ms,.*'
# filter,variant,params,radius,bw,bh,unroll,median,lower,upper,...
expect 'a row a variant and radius' is \
    "$(tail -n +2 "$csv" | cut -d, -f2,4 | sort -u | wc -l)" "$(($(wc -l <"$csv") - 1))"
expect 'every row has its times, in order' awk -F, \
    'NR > 1 && $2 != "npp" && !($8 > 0 && $9 > 0 && $9 <= $8 && $8 <= $10) {print; bad = 1} END {exit bad || NR < 61}' "$csv"
in_csv=$(awk -F, '$2 == "naive" && $4 == 4 {print $8}' "$csv")
in_png=$(chunk "$shot" kernel_ms)
expect "the file's time of what is shown, $in_csv, is the picture's, $in_png" \
    awk "BEGIN {exit !($in_csv > 0.98 * $in_png && $in_csv < 1.02 * $in_png)}"
key f Up -- filter threshold .sweep true
is_begun() { look && value measured && [ "$REPLY" -gt 0 ]; }
wait_for 'the sweep of another filter' is_begun
key e -- filter invert .sweep true "${exact[@]}"
lines=$(wc -l <out)
shoot
expect 'what has no radius has no sweep to save' [ "$(wc -l <out)" = $((lines + 1)) ]
key f -- filter mean
key u -- unroll on  # nothing of it is known yet
wait_for 'the sweep, unrolled' is_begun
key Escape -- .sweep false to_measure 1
key u -- unroll off

# ---- heat map ----

press t
until_says .heat true heat_box '?*'
wait_for 'the whole heat map' all_measured 30
# One thread a block is not on the map.
key bracketleft bracketleft bracketleft bracketleft bracketleft braceleft braceleft braceleft -- block 1x1
wait_for 'the heat map again' all_measured 30
before=1x1
has_other_block() { look && value A.block && [ "$REPLY" != "$before" ]; }
key Return -- noted "a CPU's times choose no block for a GPU" block 1x1
for x in 25 55; do
    to heat $x 60
    click
    wait_for "a click at $x % of the heat map" has_other_block
    before=$REPLY
    until_says "${exact[@]}"
done
to heat 93 20
click
until_says noted '*threads*' A.block "$before"
to heat 55 60
at_once Up
until_says radius 5 A.block "$before" "${exact[@]}"
at_once e Return
until_says filter invert block 32x8 "${exact[@]}"
key t -- .heat false
quit

# ---- two pictures ----

render() { "$program" render c.png -o "$@" --device cpu >/dev/null; }
render naive3.png
render naive4.png --radius 4
render invert.png --filter invert
# split LEFT RIGHT X: the window shows LEFT left of X and RIGHT right of it, but for the divider.
split() {
    grab && same grabbed.png "$1" 0 0 $(($3 - 3)) 203 >/dev/null &&
        same grabbed.png "$2" $(($3 + 3)) 0 $((298 - $3)) 203 >/dev/null
}

open c.png --size 301x203 --bare
until_says "${exact[@]}"
xdotool mousemove 150 100
key c -- .comparing true .side 1 B.filter mean A.filter mean
key 2 Up bracketright u -- B.variant texture B.radius 4 B.block 64x8 B.unroll true "${exact[@]}"
until_says A.variant naive A.radius 3 A.block null A.unroll false
key x -- .side 0 variant naive radius 3 block 32x8 unroll off
key 3 -- A.variant shared B.variant texture
key 1 -- A.variant naive
key x -- .side 1 variant texture "${exact[@]}"
wait_for 'A and B beside each other' split naive3.png naive4.png 150
for x in 40 260; do
    xdotool mousemove $x 60
    wait_for "the divider at $x" split naive3.png naive4.png $x
done
click
xdotool mousemove 90 60
until_says .divider 0.8654485049*  # 260.5 / 301
wait_for 'a pinned divider' split naive3.png naive4.png 260
xdotool keydown Tab
wait_for 'A and B flipped' split naive4.png naive3.png 260
xdotool keyup Tab
wait_for 'A and B back' split naive3.png naive4.png 260
click
xdotool mousemove 120 60
wait_for 'the divider to follow again' split naive3.png naive4.png 120
key e -- B.filter invert A.filter mean "${exact[@]}"
wait_for 'another filter in B' split naive3.png invert.png 120
key m -- B.filter mean B.radius 4 "${exact[@]}"

# ---- their difference ----

read -r max count < <("$probe" difference naive3.png naive4.png wanted.png)
key d -- .difference true difference_max "$max" difference_count "$count"
wait_for 'the difference, amplified' shows wanted.png
expect 'the pictures are such that no amplified value is halfway between two' [ $((max % 2)) = 1 ]
key Down -- B.radius 3 difference_max 0 difference_count 0
"$probe" difference naive3.png naive3.png wanted.png >/dev/null
wait_for 'no difference, which is black' shows wanted.png
key d -- .difference false .comparing true
key e -- B.filter invert
key c -- .comparing false A.filter invert "${exact[@]}"
wait_for 'the side that keys acted on stays' shows invert.png
key c -- .comparing true B.filter mean .side 1
key x c -- .comparing false A.filter invert
quit

# ---- zoom ----

open small.png --size 410x370 --bare --filter invert  # ten pixels a side each
until_says zoom '' .zoom 0 "${exact[@]}"
grab
mv grabbed.png fitted.png
"$program" render small.png -o inverted.png --filter invert --device cpu >/dev/null
wanted=$("$probe" pixel inverted.png 30 8)
expect 'a pixel of the picture fills its place' is "$("$probe" colours fitted.png 300 80 10 10)" 1
expect 'and is the right one' is "$("$probe" pixel fitted.png 305 85)" "$wanted"
xdotool mousemove 305 85
click 4 && click 4 && click 4
until_says .zoom 1.953125
wait_for 'a wheel that zooms about the cursor' has_pixel 305 85 "$wanted"
expect 'what was beside it is now in it' is "$("$probe" colours grabbed.png 298 78 15 15)" 1
xdotool mousemove 200 200 mousedown 1 mousemove 215 203 mousemove 170 240 mouseup 1
wait_for 'a drag that moves it along' has_pixel 275 125 "$wanted"
xdotool mousemove 275 125
click 5
until_says .zoom 1.5625
wait_for 'a wheel that zooms out about the cursor' has_pixel 275 125 "$wanted"
key z -- .zoom 0 .center_x 0 .center_y 0
wait_for 'the whole picture' shows fitted.png
key Z Z Z -- .zoom 1.953125
wait_for 'a key that zooms about the cursor' has_pixel 275 125 "$("$probe" pixel fitted.png 275 125)"
quit

open tiny.png --size 240x180 --bare --radius 0
until_says "${exact[@]}"
xdotool mousemove 130 90
click 4 && click 4 && click 4
until_says .zoom 1.953125  # 39 window pixels each
is_plain() { grab && [ "$("$probe" colours grabbed.png 124 84 12 12)" = 1 ]; }
has_values() { grab && [ "$("$probe" colours grabbed.png 124 84 12 12)" -gt 4 ]; }
wait_for 'plain pixels' is_plain
click 4
until_says .zoom 2.44140625  # 49
wait_for 'their values' has_values
click 5
wait_for 'plain pixels again' is_plain
quit

# ---- block grid ----

open flat.pgm --size 640x360 --bare  # blocks of 32x8 are 128x32 here
until_says "${exact[@]}"
wait_for 'a flat picture' has_pixel 128 16 '128 128 128'
xdotool mousemove 200 48  # in the block 1, 1
key g -- .grid true
has_line() {
    grab || return
    local left middle right
    read -r left _ < <(pixel 383 336)
    read -r right _ < <(pixel 384 336)
    read -r middle _ < <(pixel 448 336)
    [ "$left" -lt "$middle" ] && [ "$right" -gt "$middle" ] && [ "$middle" -lt 128 ]
}
wait_for 'a line between two blocks' has_line
has_bottom_line() {
    grab || return
    local above middle below
    read -r above _ < <(pixel 448 319)
    read -r below _ < <(pixel 448 320)
    read -r middle _ < <(pixel 448 330)
    [ "$above" -lt "$middle" ] && [ "$below" -gt "$middle" ]
}
wait_for 'a line below a block' has_bottom_line
wait_for 'the block under the cursor as it is' has_pixel 192 44 '128 128 128'
expect_not 'what lies outside its tile is dimmed' is "$(pixel 448 200)" '128 128 128'
xdotool mousemove 450 200
wait_for 'another block under the cursor' has_pixel 448 205 '128 128 128'
expect_not 'the first is dimmed' is "$(pixel 192 44)" '128 128 128'
key o -- .bare false grid_box '?*'
# shellcheck disable=SC2046
has_text() { grab && [ "$("$probe" colours grabbed.png $(region grid 5 5 90 90))" -gt 20 ]; }
wait_for 'text about it' has_text
key g -- .grid false
quit

# ---- sheets, clean screenshots ----

open c.png --size 301x203 --clean
until_says "${exact[@]}"
sheet
expect 'a sheet says what it shows' is "$(chunk "$shot" filter)" mean
for variant in $(variants_of "$source_dir/kernels/filters/mean.cu"); do
    expect "it has the result of $variant" is "$(chunk "$shot" "result $variant")" \
        '[0-9.]+ ms on this CPU \(.*\), .*, exact|refused: .*'
done
expect 'a sheet can be restored from' has "$(chunk "$shot" tilescope-state)" '"filter":"mean"'
until_says variant naive block 32x8 noted 'saved *'
# What is pinned or taken meanwhile is the user's choice, not the sheet's.
lines=$(wc -l <out)
press S
until_says noted 'sheet: [2-9]*'
press P s
has_both() { [ "$(wc -l <out)" = $((lines + 2)) ]; }
wait_for 'a sheet and a screenshot' has_both
expect 'a screenshot beside a sheet' is "$(chunk "$(tail -n 2 out | grep -v sheet)" variant)" naive
until_says baseline 'mean naive *'
key P -- baseline ''
key space Up -- radius 4 frozen yes current yes settled no
key P -- noted 'frozen: *' baseline ''
key space Down -- radius 3 frozen no "${settled[@]}"
shoot
expect 'a clean screenshot has no overlay' same naive3.png "$shot"
grab
expect_not 'the window has' same naive3.png grabbed.png
key h -- .help true
shoot
expect 'help is an overlay, too' same naive3.png "$shot"
key h -- .help false
key l o -- .bare true .bars true
shoot
expect 'bare or not, it is the same' same naive3.png "$shot"
key l o -- .bare false
press S
until_says noted 'sheet: *'
press Up
until_says noted 'sheet given up*' radius 4
press S
until_says noted 'sheet: *'
press c
until_says noted 'sheet given up*' .comparing true
key e -- B.filter invert A.filter mean "${exact[@]}"
lines=$(wc -l <out)
sheet
expect 'a sheet of two has the time of A' is "$(chunk "$shot" 'result A')" '[0-9.]+ ms on this CPU \(.*\), .*|refused: .*'
expect 'and that of B' is "$(chunk "$shot" 'result B')" '[0-9.]+ ms on this CPU \(.*\), .*|refused: .*'
expect 'those given up were not written' [ "$(wc -l <out)" = $((lines + 1)) ]
quit

# ---- restored ----

mkdir 사진
cp c.png '사진/写真 한글.png'
open '사진/写真 한글.png' --size 700x450 --light --text-scale 1.5
until_says picture '写真 한글.png' "${exact[@]}"
xdotool mousemove 400 200
key c 3 bracketright Up -- B.variant shared B.block 64x8 B.radius 4
key f -- B.filter threshold
key greater l p t g Z Z v -- .bars true .sweep true .heat true .grid true .zoom 1.5625
click  # pins the divider
until_says "${exact[@]}" B.c 6 .vsync true
xdotool mousemove 500 300  # over a panel, or not
shoot
look
before=$state
"$probe" shape "$shot" >shape
cp "$shot" whole.png
quit
cp c.png '写真 한글.png'
open --restore whole.png
until_says "${exact[@]}" picture '写真 한글.png' .comparing true
expect 'a restored window has the same state' [ "$state" = "$before" ]
expect 'and carries it on' is "$(sed 's/ rgb//' shape)" "$(xdotool getwindowgeometry "$window" | sed -n 's/ *Geometry: //p')"
grab
quit
"$program" view --restore whole.png --device cpu --keys q >out 2>err
expect 'closed before it has shown anything' is "$?$(<err)" 0

# test_cli and test_state have what cannot be restored.
rm '写真 한글.png'
"$program" view --restore whole.png --device cpu >out 2>err
expect 'without its picture it is refused, in one line' is "$?$(<err)" '1tilescope: [^
]*whole.png[^
]*neither beside it nor here[^
]*'

# ---- a tour ----

# Of another radius than the shown one, which is measured beside it.
printf 'm\ncaption {radius} {ms:running@radius=8} {ms:naive@radius=8} {x:running/naive}\npause settled\nwait\n' \
    >values.tour
open small.png --size 640x400 --script values.tour
until_says radius 3 caption '3 [0-9]* [0-9]* –*this CPU*'
quit

# ---- on a stage ----

cp flat.pgm '사진/flat too.pgm'
open flat.pgm '사진/gone.png' '사진/flat too.pgm' '사진/写真 한글.png' --size 640x360 --text-scale 4 --light
until_says .text_scale 4 .light true "${exact[@]}"
# brightness of the upper band, and of a row that only a high band reaches
is_light() { grab && read -r red _ < <(pixel 2 2) && [ "$red" -gt 190 ]; }
is_dark() { grab && read -r red _ < <(pixel 2 2) && [ "$red" -lt 90 ]; }
wait_for 'a light band' is_light
is_high() { [ "$(pixel 300 90)" != '128 128 128' ]; }
expect 'large text needs a high band' is_high
key k -- .light false
wait_for 'a dark band' is_dark
mapfile -t many < <(yes minus | head -n 24)
key "${many[@]}" -- .text_scale 1
is_low() { grab && ! is_high; }
wait_for 'a low band' is_low
press n
until_says picture 'flat too.pgm' noted '*사진/gone.png*'
has_message() { grab && [ "$("$probe" colours grabbed.png 0 80 640 250)" -gt 20 ]; }
# It stays for two seconds only: one that was missed is brought back.
is_told() { has_message || { says message '' && press N n && false; }; }
wait_for 'a message about it, over the flat picture' is_told
key n -- picture '写真 한글.png' "${exact[@]}"
quit

# ---- a path that is longer than what there is room for ----

many=$(printf 'ä%.0s' {1..100})
[ $((${#work} % 2)) -eq 0 ] && deep=$work/$many/$many || deep=$work/x$many/$many
mkdir -p "$deep"
open flat.pgm --size 640x360 --shots "$deep"
until_says "${exact[@]}"
press s
until_says noted 'saved */ä*ä'
quit
rm -r "${deep%/*}"

finish
