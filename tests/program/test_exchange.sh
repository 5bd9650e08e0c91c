#!/usr/bin/env bash
# What the window gives to other programs: the clipboard, as xclip takes it.
set -uo pipefail
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
command -v xclip >/dev/null || { echo 'skipped: no xclip'; exit 77; }
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"
start_server DISPLAY +extension GLX
export DISPLAY

paste() { xclip -selection clipboard -o -t "$1"; }
# The note stays in what the viewer says: another key takes it away first.
copy() {
    key k k -- noted ''
    key ctrl+c -- noted "$1"
}

"$probe" noise a.png 203 117 rgb 1
"$probe" noise large.png 900 700 rgb 2

open a.png large.png --size 640x360
until_says "${exact[@]}"
key space -- .frozen true  # nothing is measured for this test
copy 'copied the window'
expect 'without a panel only the picture is offered' \
    is "$(paste TARGETS | xargs)" 'TARGETS TIMESTAMP MULTIPLE image/png'
paste image/png >pasted.png
expect 'what is pasted is as large as the window' is "$("$probe" shape pasted.png)" '640x360 rgb'
expect 'and carries its settings' is "$(chunk pasted.png variant)" naive
key p -- .sweep true
key l -- .bars true
copy 'copied the window, and the bars as a table'
expect 'with a panel its table is offered, too' has "$(paste TARGETS | xargs)" 'UTF8_STRING'
expect 'the table has a row a variant' is "$(paste UTF8_STRING | cut -f 1 | xargs)" \
    'variant naive texture shared separable running npp'
expect 'and is the same as plain text' \
    is "$(paste 'text/plain;charset=utf-8' | head -n 1)" $'variant\tblock\tms.*state'

# A large one goes piece by piece.
key n l p -- picture large.png .bars false current yes
xdotool windowsize "$window" 900 700
key o -- .bare true
copy 'copied the window'
paste image/png >large_pasted.png
expect 'a large picture is one of several pieces' [ "$(stat -c %s large_pasted.png)" -gt 500000 ]
wait_for 'the window to show what was pasted' shows large_pasted.png  # once the note has gone
printf 'else' | xclip -selection clipboard
expect 'who copies last has the clipboard' is "$(paste UTF8_STRING)" else
press q
has_ended 0

"$program" view --device cpu --restore pasted.png --keys q a.png >out 2>err
expect 'a pasted picture restores its window' is "$?" 0

finish
