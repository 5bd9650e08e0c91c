#!/usr/bin/env bash
# What the window measures and compares, by real keys and a real mouse: bars, sweep, heat map, two
# pictures and their difference, zoom, block grid, sheets; and a window opened as a screenshot was.
#
# Pictures are as large as the window, or an exact part of it, wherever pixels are looked at.
set -uo pipefail
ulimit -c unlimited
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"
# shellcheck source=tests/window.sh
. "$(dirname "$0")/window.sh"
start_server DISPLAY +extension GLX
export DISPLAY

"$probe" noise small.png 41 37 grey 2
"$probe" noise c.png 301 203 rgb 3
"$probe" noise tiny.png 12 9 grey 4
# flat NAME WIDTH HEIGHT GREY: a picture that every filter but invert leaves as it is.
flat() {
    printf 'P5\n%d %d\n255\n' "$2" "$3"
    head -c $(($2 * $3)) /dev/zero | tr '\0' "\\$(printf %o "$4")"
}
flat flat.pgm 160 90 128 >flat.pgm

# to PANEL X Y: the pointer goes to that place of a panel, in hundredths of its sides.
to() {
    local left top width height
    wait_for "a place for $1" says "$1_box" '?*'
    value "$1_box"
    read -r left top width height <<<"$REPLY"
    xdotool mousemove $((left + width * $2 / 100)) $((top + height * $3 / 100))
}
click() { xdotool click "${1:-1}"; }
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
    value "$1_box"
    read -r left top width height <<<"$REPLY"
    echo $((left + width * $2 / 100)) $((top + height * $3 / 100)) \
        $((width * $4 / 100)) $((height * $5 / 100))
}
is_less() { awk "BEGIN {exit !($1 < $2)}"; }

# ---- restored ----

mkdir 사진
cp c.png '사진/写真 한글.png'
open '사진/写真 한글.png' --size 700x450 --light --text-scale 1.5
until_says picture '写真 한글.png' "${settled[@]}"
xdotool mousemove 400 200
key c 3 bracketright Up -- B.variant shared B.block 64x8 B.radius 4
key f -- B.filter threshold
key greater l p t g Z Z v -- .bars true .sweep true .heat true .grid true .zoom 1.5625
click  # pins the divider
until_says "${settled[@]}" B.c 6 .vsync true
xdotool mousemove 500 300  # over a panel, or not
shoot
look
before=$state
"$probe" shape "$shot" >shape
cp "$shot" whole.png
press q
has_ended 0
open --restore whole.png
until_says "${settled[@]}" picture '写真 한글.png' .comparing true
expect 'a restored window has the same state' [ "$state" = "$before" ]
expect 'and carries it on' is "$(sed 's/ rgb//' shape)" "$(xdotool getwindowgeometry "$window" | sed -n 's/ *Geometry: //p')"
grab
press q
has_ended 0


ls core* 2>/dev/null && cp core* /tmp/tt/
finish
