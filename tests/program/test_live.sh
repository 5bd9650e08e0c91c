#!/usr/bin/env bash
# Kernels edited while the window shows them, as an editor saves them: in one go, in pieces, broken,
# away, two hundred times in a row, and with a loop that never ends.
#
# live.cu paints one grey, its radius above a base, so that a single pixel of the window says which
# text runs and that it still obeys its keys. On the cpu backend, which every machine has.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"
export TMPDIR=$work/tmp TILESCOPE_CACHE=$work/cache  # whose files are counted
mkdir "$TMPDIR" data
cp -r "$source_dir/kernels" data
live=data/kernels/live.cu

# text BASE [BODY]: live.cu, whose kernel paints BASE + radius, after BODY.
text() {
    cat <<TEXT
//! filter "Live"
//! param radius 3 [0, 64]  added to the grey
#include "kernel.h"

//! variant plain 32x8
__global__ void live_plain(plane out, plane in, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    ${2:-}
    if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] = $1 + radius;
}
TEXT
}

save() { text "$@" >"$live"; }

# in_one_go: what it reads becomes live.cu, of which nobody sees a part.
in_one_go() {
    cat >"$work/next.cu"
    mv "$work/next.cu" "$live"
}

milliseconds() { echo $((${EPOCHREALTIME/./} / 1000)); }

# shows GREY: the picture's corner, which no panel covers. panel: something lies over its middle.
grab() { "$probe" grab "$window" grabbed.png; }
shows() { grab && [ "$("$probe" pixel grabbed.png 2 2)" = "$1 $1 $1" ]; }
has_panel() { grab && [ "$("$probe" colours grabbed.png 150 120 100 60)" -gt 4 ]; }
has_no_panel() { grab && [ "$("$probe" colours grabbed.png 150 120 100 60)" = 1 ]; }
threads() { find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l; }
list_modules() { awk '$6 ~ "^/memfd:.*[.]cu$" { print $5, $6 }' "/proc/$pid/maps" | sort -u; }
modules() { list_modules | wc -l; }

# soon WHAT COMMAND…: waits until it succeeds, and prints how long that took. It is not judged,
# because it depends on what else runs.
soon() {
    local what=$1 start
    shift
    start=$(milliseconds)
    wait_for "$what" "$@" && echo "$what: $(($(milliseconds) - start)) ms"
}

"$probe" noise a.png 400 300 grey 1
save 10
open a.png --data data --filter live --size 400x300 --bare
wait_for 'the first picture' shows 13
wait_for 'the other filters to be compiled' eval '[ "$(modules)" -ge 3 ]'
threads_at_first=$(threads)

# ---- every save shows ----
# The compiler alone, for the same text: with a cold cache, less with a warm one.
render_ms() {
    local start
    start=$(milliseconds)
    "$program" render a.png -o out.png --data data --filter live --device cpu >/dev/null
    echo $(($(milliseconds) - start))
}
save 0 ';'
cold=$(render_ms)
compile_ms=$((cold - $(render_ms)))
wait_for 'the second picture' shows 3
times=()
for base in 20 30 40 50 60 70 80; do
    start=$(milliseconds)
    save $base
    wait_for "the save of $base to show" shows $((base + 3))
    times+=($(($(milliseconds) - start)))
done
mapfile -t sorted < <(printf '%s\n' "${times[@]}" | sort -n)
echo "from save to picture: ${times[*]} ms, median ${sorted[3]}; the compiler alone: $compile_ms ms"

# ---- a new variant ----

{ text 80; text 120 | sed -n '/variant/,$s/plain/other/; /variant/,$p'; } | in_one_go
has_second() { press 2 && shows 123; }
soon 'a new variant on its key' has_second
{ text 80; text 140 | sed -n '/variant/,$s/plain/renamed/; /variant/,$p'; } | in_one_go
until_says noted 'kernels reloaded: other is gone, renamed is shown' variant renamed current yes
{ text 120 | sed 's/plain/first/'; text 80 | sed -n '/variant/,$p'; } | in_one_go
until_says noted 'kernels reloaded: renamed is gone, first is shown' variant first current yes
{ text 80; text 120 | sed -n '/variant/,$s/plain/other/; /variant/,$p'; } | in_one_go
press 1
wait_for 'the first variant' shows 83

# ---- a new file ----
# Its name sorts first, so every filter moves: what was chosen for them stays with their names.

new_file() {
    cat <<'TEXT'
//! filter "Added"
//! param grey 7 [0, 255]  painted everywhere
#include "kernel.h"

//! variant plain 32x8
__global__ void added_plain(plane out, int grey)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] = grey;
}
TEXT
}
key f -- filter mean radius 3
key Up Up -- filter mean radius 5
key F -- filter live radius 3
key Up -- filter live radius 4
new_file >data/kernels/added.cu
until_says noted 'kernels reloaded' filter live radius 4 current yes
key f -- filter mean radius 5
key F -- filter live radius 4
key Down -- filter live radius 3
key F F F F -- filter added grey 7 current yes
rm data/kernels/added.cu
until_says message '*added.cu is gone*'
key f f f f -- filter live radius 3
# No key and no save is needed once it is not shown.
until_says noted 'kernels reloaded' filter live radius 3 current yes
key f -- filter mean radius 5
key F -- filter live radius 3
# One with a mistake is left out, and the others go on; it is there once it is mended.
echo '//! oops' >data/kernels/added.cu
until_says noted 'kernels reloaded; left out: */added.cu:1: *' filter live radius 3 current yes
key f -- filter mean
new_file >data/kernels/added.cu
until_says noted 'kernels reloaded' filter mean current yes
rm data/kernels/added.cu
until_says noted 'kernels reloaded' filter mean current yes
key F -- filter live radius 3

# ---- mistakes ----

mends() {  # BASE: a good text shows, and no panel is left
    save "$1"
    soon 'the mended kernel' shows $(($1 + 3))
    soon 'the panel to go' has_no_panel
}
breaks() {  # WHAT: a panel shows, and the last good kernel obeys its keys
    soon "a panel about $1" has_panel
    expect "$1: the last good kernel runs on" shows 83
    press Up
    wait_for "$1: its keys" shows 84
    press Down
    wait_for "$1: its keys" shows 83
    until_says message '?*'
}
save 80
wait_for 'the first text' has_no_panel
save 85 'int mistake = nowhere;'
breaks 'a mistake'
key 7 -- noted 'live has ? variants; what is in the files now cannot run'
# On the screen, over the mistake. It goes in a moment: one that was missed is brought back.
is_over_it() { says message '*cannot run' || { says message '*nowhere*' && press 7 && false; }; }
wait_for 'the words about a variant to be over the mistake' is_over_it
mends 80
rm "$live"
breaks 'a file that is gone'
mends 80
: >"$live"
breaks 'an empty file'
text 85 | head -c 300 >"$live"
breaks 'half a file'
mends 80
text 85 >data/kernels/next && mv data/kernels/next "$live"
wait_for 'a file that is replaced as a whole' shows 88
mends 80

# ---- a mistake on the side that keys do not act on ----

key c e -- filter invert
save 85 'int mistake = nowhere;'
until_says message '*nowhere*'
key x Up -- filter live radius 4
wait_for 'its last good kernel to obey its keys' shows 84
key Down c -- filter live radius 3
mends 80

# ---- many saves ----

kept=$(find "$TILESCOPE_CACHE" -type f | wc -l)
for i in {1..200}; do save $((i % 40)) "int save = $i;"; done
save 90
soon 'the last of 200 saves' shows 93
# Each one is saved while the one before is being compiled, or as soon as it shows.
is_taken_up() { [ "$(pgrep -nP "$pid")" != "$compiler" ] || shows $((103 + i)); }
for i in {1..10}; do
    compiler=$(pgrep -nP "$pid")
    save $((100 + i))
    wait_for "the slower save $i to be taken up" is_taken_up
done
soon 'the last of 10 slower saves' shows 113
key r -- noted 'kernels reloaded'  # behind all that was saved
expect 'and nothing comes after it' shows 113
made=$(($(find "$TILESCOPE_CACHE" -type f | wc -l) - kept))
echo "211 saves made $made modules"
expect "few of the saves were compiled, not $made" [ $made -le 60 ]
if is_sanitized; then
    echo 'skipped: old modules are unloaded; with a sanitizer, all that was loaded stays'
else
    wait_for 'the old modules to be unloaded' eval '[ "$(modules)" -le 2 ]'
    [ "$(modules)" -le 2 ] || { list_modules && cat "$dump"; } # why, where it fails
fi
wait_for 'the threads to be as many as before' eval '[ "$(threads)" -le "$threads_at_first" ]'
# What is shown may still be compiled once more, to run faster.
wait_for 'no temporary file to be left over' eval '[ -z "$(ls -A "$TMPDIR")" ]'

# ---- a loop that never ends ----

if nm "$program" | grep __tsan_init >/dev/null; then
    echo 'skipped: ThreadSanitizer lets nothing endless be ended'
    quit
    finish
    exit
fi
endless='for (volatile int i = 0; x >= 0; i = 1 - i) continue;'
if [ "$(uname -m)" = x86_64 ]; then  # it sleeps in its own code, and leaves the processor to others
    endless='const long ms[2] = {0, 1000000}; while (x >= 0) { long r; __asm__ volatile('
    endless+='"syscall" : "=a"(r) : "0"(35l), "D"(ms), "S"(0l) : "rcx", "r11", "memory"); }'
fi
{ text 120 "$endless"; text 140 | sed -n '/variant/,$s/plain/other/; /variant/,$p'; } | in_one_go
has_window_size() { grab && [ "$("$probe" shape grabbed.png)" = "$1 rgb" ]; }
soon 'a word about the endless kernel' has_panel
expect 'the last good picture stays' shows 113
press h
soon 'help over the endless kernel' eval 'grab && [ "$("$probe" colours grabbed.png 20 20 360 60)" -gt 20 ]'
press h
soon 'help to go' shows 113
xdotool windowsize "$window" 500 350
soon 'a resized window' has_window_size 500x350
xdotool windowsize "$window" 400 300
soon 'its size again' has_window_size 400x300
press 2
soon 'another variant' shows 143
press 1
soon 'a word about the endless kernel, again' has_panel
press P h
until_says .help true
expect 'a baseline is waited for, since the kernel may end' eval '! says noted "there is no time*"'
press h
mends 80
until_says noted 'kernels reloaded: no baseline is pinned' baseline ''
{ text 120 "$endless"; } | in_one_go
soon 'a word about the endless kernel, at last' has_panel
quit

finish
