#!/usr/bin/env bash
# What the window gives to other programs and takes from them: the clipboard, as xclip takes it, and
# files, as a file manager drops them.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"
command -v xclip >/dev/null || { echo 'skipped: no xclip'; exit 77; }

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

# The pixel under the cursor has the values of both pictures.
"$probe" mean a.png mean.png 3
key g -- .grid true grid_box '?*'
xdotool mousemove 321 187
copy 'copied the window, and the block as a table'
table=$(paste UTF8_STRING)
read -r x y < <(sed -n '1s/pixel \(.*\), /\1 /p' <<<"$table")
expect 'its value in the source' \
    is "$(sed -n 's/^in\t//p' <<<"$table")" "$("$probe" pixel a.png "$x" "$y" | sed 's/ /, /g')"
expect 'and in the result' \
    is "$(sed -n 's/^out\t//p' <<<"$table")" "$("$probe" pixel mean.png "$x" "$y" | sed 's/ /, /g')"

# A large one.
key n l p g -- picture large.png .bars false current yes
xdotool windowsize "$window" 900 700
key o -- .bare true
copy 'copied the window'
paste image/png >large_pasted.png
expect 'a large picture is pasted whole' [ "$(stat -c %s large_pasted.png)" -gt 500000 ]
wait_for 'the window to show what was pasted' shows large_pasted.png  # once the note has gone
printf 'else' | xclip -selection clipboard  # which owns it some time after it has returned
pastes() { [ "$(paste "$1" 2>/dev/null)" = "$2" ]; }
wait_for 'who copies last to have the clipboard' pastes UTF8_STRING else

# ---- files that are dropped ----

# drop LINES [-t|-n]: drops these lines of a list; what becomes of them goes into dropped.
drop() { dropped=$("$(dirname "$probe")/drag" ${2:-} "$window" "$1"); }
uri() { printf 'file://%s\r\n' "${PWD// /%20}/$1"; }

"$probe" noise b.png 41 37 grey 3
"$probe" noise 'c d.png' 31 21 rgb 4
echo 'no picture' >text.png
drop "$(uri b.png)
$(uri text.png)
$(uri c%20d.png)"
expect 'several files are taken' is "$dropped" taken
until_says picture b.png current yes noted '3 pictures: n goes through them'
key n -- picture 'c d.png' noted "skipped: *'*/text.png'*"
key n -- picture b.png
drop "$(uri c%20d.png)" -t
expect 'a source of many types is asked for its list' is "$dropped" taken
until_says picture 'c d.png' current yes
key n -- picture 'c d.png' noted 'there is one picture'
# A picture that is slow to read: the window goes on with the old one.
cp b.png slow.png
"$probe" hold slow.png >held 2>&1 &
holder=$!
started+=($holder)
wait_for 'a file that is held, or cannot be' [ -s held ]
drop "$(uri slow.png)"
if [ "$(<held)" = held ]; then
    until_says message "reading 'slow.png'*" picture 'c d.png'
    key Up -- radius 4 picture 'c d.png'
    key Down -- radius 3 picture 'c d.png'
else
    printf 'not tried: %s\n' "$(<held)"
fi
kill $holder
until_says picture slow.png current yes message ''
drop "$(uri c%20d.png)"
until_says picture 'c d.png'
while read -r name words; do
    drop "$(uri "$name")"
    until_says picture 'c d.png' noted "$words"
done <<'END'
text.png *text.png*
none.png *none.png'*No such file*
a.npy 'a.npy' is an array*tilescope run*
END
drop 'https://b/c.png'
expect 'what is no file is refused' is "$dropped" refused
until_says noted "'https://b/c.png' is not a file of this machine"
drop 'file:///b' -n
expect 'what is no list of files is not wanted' is "$dropped" 'not wanted'
# A screenshot restores what it shows, and finds its picture.
key 2 Up -- variant texture radius 4
shoot
cp "$shot" shown.png
"$probe" noise other.png 41 37 grey 9
drop "$(uri other.png)"
until_says picture other.png current yes
key 1 l -- variant naive radius 4 .bars true
key Down -- radius 3
drop "$(uri shown.png)"
until_says noted "restored 'shown.png'" picture 'c d.png' variant texture radius 4 .bars false
look
expect 'and nothing is said instead' is "$(last_note)" "restored 'shown.png'"
# Its picture has changed, or is no longer there.
"$probe" noise 'c d.png' 31 21 rgb 5
drop "$(uri other.png)"
until_says picture other.png
drop "$(uri shown.png)"
until_says noted '*has changed*' picture 'c d.png' variant texture current yes
rm 'c d.png'
drop "$(uri other.png)"
until_says picture other.png
drop "$(uri shown.png)"
until_says noted "*'c d.png'*" picture other.png variant texture current yes
# Of one that was read as grey, and is gone, nothing stays.
"$probe" noise gone.png 41 37 rgb 3
"$program" render gone.png --gray --device cpu -o grey.png >/dev/null
rm gone.png
drop "$(uri grey.png)"
until_says noted "*'gone.png'*" variant naive radius 3
drop "$(uri b.png)"
until_says picture b.png current yes .grey false
# The next picture is not held against it.
remarks() { grep -c '"text":.*since the screenshot was made' "$dump"; }
before=$(remarks)
drop "$(uri b.png)"
until_says picture b.png current yes
expect 'a picture that was not found is looked for no more' is "$(remarks)" "$before"
key 1 -- variant naive
drop "file://$source_dir/tours/06_banks.tour"
until_says tour_step '1 of *'
quit

"$program" view --device cpu --restore pasted.png --keys q a.png >out 2>err
expect 'a pasted picture restores its window' is "$?" 0

finish
