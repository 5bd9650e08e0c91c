#!/usr/bin/env bash
# The window as a user has it: a real one, real key events, and what is then on the screen.
#
# On an X server of its own (Xvfb), so that nobody's desktop gets the keys, and on the cpu backend,
# which every machine has. Mesa reports errors of OpenGL on stderr, which must stay empty. Panels,
# comparing and the mouse are test_tools.sh's.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"

"$probe" noise a.png 203 117 rgb 1
"$probe" noise b.png 41 37 grey 2
"$probe" noise c.png 301 203 rgb 3

# Beside the rest, out of its way: played keys wait for a compiler that takes longer than they wait
# for times.
aside=''
start_server aside +extension GLX
mkdir slow
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase $1 in --version | -print-*) ;; *) sleep 22 ;; esac\nexec cc "$@"\n' >slow/cc
chmod +x slow/cc
DISPLAY=$aside CC=$work/slow/cc TILESCOPE_CACHE='' "$program" view a.png --device cpu --shots slow \
    --size 320x180 --keys 's q' >slow/out 2>&1 &
slow=$!
started+=("$slow")

# ---- every key ----

# The first one comes while the window opens.
xdotool mousemove 0 0
{ until find_window; do nap 0.02; done; press r; } &
open a.png b.png c.png --size 640x360
until_says noted 'kernels reloaded'
until_says filter mean variant naive radius 3 block 32x8 unroll off path cpu picture a.png "${settled[@]}"
shoot
for chunk in Software device driver size planes kernel_ms kernel_ms_q1 kernel_ms_q3 samples gpix_per_s \
    gb_per_s copy_ms naive_ms frame_ms; do
    expect "a screenshot has the text chunk $chunk" [ -n "$(chunk "$shot" $chunk)" ]
done
for pair in filter=mean variant=naive radius=3 block=32x8 picture=a.png settled=yes check=exact; do
    expect "a screenshot says $pair" is "$(chunk "$shot" ${pair%=*})" ${pair#*=}
done
expect 'a screenshot is named by date and time' \
    is "$(basename "$shot")" 'tilescope-[0-9]{8}-[0-9]{6}(-[0-9]+)?\.png'

number=0
for variant in naive texture shared separable running; do
    key $((++number)) -- variant $variant "${exact[@]}"
done
for digit in 7 8 9; do key $digit -- variant running noted 'mean has 6 variants'; done
key Right -- message '*npp needs a CUDA GPU and libnppif*'
key Right -- variant naive message ''
key 5 -- variant running
key Left Left -- variant shared
key Left Left -- variant naive
key f -- filter threshold variant naive "${exact[@]}"  # by name
key 2 -- filter threshold variant texture "${exact[@]}"
key greater -- c 6 "${exact[@]}"
key less less -- c 4 "${exact[@]}"
key comma -- c 4 noted 'c 4: *'  # it is the only one beside the radius
key period -- c 4
key F -- filter mean variant naive "${exact[@]}"
key e -- filter invert variant naive  # by their own keys, as the kernel files have them
key 2 -- filter invert variant vector "${exact[@]}"
key Up -- noted 'invert has no radius'
key w -- filter flip
key a -- filter gaussian
key y -- filter threshold variant texture
key m -- filter mean variant naive
# Settled: on a busy machine, radius 11 is predicted to take seconds after one slow frame.
key Up -- radius 4 "${settled[@]}"
key Down -- radius 3
key Prior -- radius 11
key Next -- radius 3
key Next -- radius 0 "${exact[@]}"
key numbersign 7 5 Return -- radius 0 menu_why 'radius 75*64*'  # typed: refused, and still open
key BackSpace BackSpace 1 1 Return -- radius 11
key numbersign 0 Return -- radius 0
key slash -- menu_row Mean
key Up Down Return -- filter mean radius 0
key slash t e x t u r e space m e a n Return -- variant texture menu_row ''
key slash f i r s t Return -- variant naive
key slash x y z -- menu_why 'Nothing has these words.' .comparing false
key Escape slash a u t o t u n -- menu_row 'heat map over block shapes'
key Return -- .heat true
key t -- .heat false
key slash r a d i u s space equal Return 0 Return -- radius 0
key Up Up Up -- radius 3
key bracketleft -- block 16x8 "${settled[@]}"
key bracketright bracketright -- block 64x8
key braceleft -- block 64x4
key braceright braceright -- block 64x16 "${exact[@]}"
key bracketleft braceleft -- block 32x8
key b -- block 16x16 "${exact[@]}"
key B -- block 32x8
key u -- unroll on "${settled[@]}"
key Up -- unroll on radius 4 "${exact[@]}"
key BackSpace -- unroll on radius 3
key BackSpace -- unroll off radius 3 "${exact[@]}"
key i -- path staged "${settled[@]}"
key i -- path cpu "${exact[@]}"
key n -- picture b.png planes 1 size 41x37 "${settled[@]}"
key n -- picture c.png planes 3 size 301x203 "${exact[@]}"
key n -- picture a.png
key N -- picture c.png
key N N -- picture a.png "${exact[@]}"
key r -- noted 'kernels reloaded'
until_says "${exact[@]}"
for pair in l=bars p=sweep t=heat g=grid; do
    key ${pair%=*} -- .${pair#*=} true
    key ${pair%=*} -- .${pair#*=} false
done
key p Y -- .roofline true .sweep false bound 'memory traffic *× the minimum · each sector once a block'
until_says sweep_caption 'emulated: no ceilings*'
key p -- .roofline false .sweep true
key p -- .sweep false
key E -- .source true
key parenleft parenright -- .source true
key E E E -- .source false
key M -- .lens true lens 'Memory*'
key j J semicolon colon apostrophe quotedbl -- .lens true
key exclam -- .playing true noted 'the lens plays: 1 step a second*'
key exclam -- .playing false
key P -- baseline "mean naive · radius 3 · 32×8, *" noted 'baseline: mean naive *'
key 2 -- variant texture baseline 'mean naive *' against_baseline '?*'
key Up -- against_baseline '' baseline '*: not comparable, other params'
key Down 1 P -- variant naive baseline ''
key W -- .whole true
key W -- .whole false
key ampersand -- .sector_requests true legend 'untouched … * requests a sector*'
key ampersand ampersand -- .sector_blocks true legend 'untouched … 1 block a sector'
key ampersand -- .sector_blocks false legend ''
key M -- .lens_full true .lens true
key M -- .lens false
key Return -- noted 't opens the heat map*'
key D -- menu_row '*step*'
key Escape -- menu_row ''
for one in G I O 0; do key $one -- noted 'no tour is open*'; done
for one in x Tab; do key $one -- .comparing false noted 'there is one picture*'; done
key c -- .comparing true .side 1 "${settled[@]}"
key x -- .side 0
key Tab x -- .side 1
key d -- .difference true .comparing true
key c -- .difference false .comparing false .side 0
key ctrl+c -- noted 'copied the window'
for _ in "$source_dir"/assets/runs/*.gz; do key ctrl+t -- noted 'times: *'; done
key ctrl+t -- noted 'times of this computer'
key ctrl+0 -- noted 'this picture is small: all of it is shown'
key Z -- .zoom 1.25
key z -- .zoom 0
kill -STOP "$pid"
mark 2
xdotool click 5 click 4  # the whole picture cannot become smaller, but larger, in the same turn
kill -CONT "$pid"
until_says .zoom 1.25
key z -- .zoom 0
press S
is_sheet() { has_new_shot 0 && [[ $shot == *-sheet.png ]]; }
wait_for 'a sheet' is_sheet
expect 'a sheet is as wide as a slide' is "$("$probe" shape "$shot")" '1920x[0-9]+ rgb'
tried+=' S s q Escape '

# Frozen, the screen stands still: times no longer change.
has_grown() { grab && [ "$("$probe" shape grabbed.png)" = "$1 rgb" ]; }
key space -- .frozen true current yes message ''
# shellcheck disable=SC2016
stands_still() { grab && cp grabbed.png still.png && key k k -- .light false && shows still.png; }
wait_for 'the frozen screen to stand still' stands_still
look
value kernel_ms  # of the frame that ran when space came, too
first=$REPLY

# toggles NAME THERE BACK…: a key changes the state and the screen, and BACK change them back.
differs() { ! shows still.png; }
toggles() {
    local name=$1 there=$2 value
    shift 2
    look
    value "$name"
    value=$REPLY
    press "$there"
    wait_for "$there shows" differs
    until_says
    expect_not "$there changes $name" says "$name" "$value"
    tried+=" $there "
    key "$@" -- "$name" "$value"
    wait_for "$* goes back from $there" shows still.png
}
toggles .bare o o
toggles .light k k
toggles .text_scale plus minus
toggles .text_scale minus equal
toggles .help h h
toggles .help F1 F1
toggles .help h Escape
key v -- .vsync true
look && value vsync
[ "$REPLY" = on ] || until_says noted 'the driver * vsync *'  # Mesa's software renderer has none
key v -- .vsync false
key k k -- .light false message ''  # any key ends a note
wait_for 'v goes back from v' shows still.png
key F11 -- .fullscreen true
wait_for 'the whole screen' has_grown 1600x1000
key Escape -- .fullscreen false  # the window goes before the program does
wait_for 'the window again' has_grown 640x360
wait_for 'its content again' shows still.png
expect 'frozen: the time stands still' says kernel_ms "$first"
key space -- .frozen false current yes
is_running() { ! says kernel_ms "$first"; }
wait_for 'the picture to run again' is_running

# The table that help is made from names no key that was not tried. Labs have a test of their own.
while read -r names; do
    for name in $names; do
        [ "$name" != … ] || continue
        name=${x_names[$name]:-$name}
        expect "key $name is tried" has "$tried" " $name "
    done
done < <("$program" --help | sed '1,/^Keys in the window/d; / lab$/d; s/^  //; s/   *.*//')

# ---- illegal launches ----

key o -- .bare true current yes message ''  # what differs now is the picture or a message
wait_for 'the bare screen to stand still' stands_still
press bracketright bracketright bracketright
until_says block 256x8 current no settled no message '*2048 threads*'
wait_for 'refused: the reason shows' differs
expect 'refused: the last good picture stays' same still.png grabbed.png 0 0 640 30
expect 'refused: the panel has text' [ "$("$probe" colours grabbed.png 100 100 440 160)" -gt 20 ]
expect_not 'refused: the last good picture is not black' is "$("$probe" colours grabbed.png 0 0 640 30)" 1
key 3 -- variant shared block 256x8 current no
key 1 bracketleft bracketleft bracketleft -- block 32x8 "${exact[@]}"
wait_for 'a legal block to recover' shows still.png

# ---- resizing ----

has_shape() { shoot && [ "$("$probe" shape "$shot")" = "$1 rgb" ]; }
key n n Up -- picture c.png radius 4 "${exact[@]}"
"$program" render c.png -o c4.png --radius 4 --device cpu >/dev/null
for size in 1x1 301x203 37x500 1200x41 301x203; do
    xdotool windowsize "$window" ${size%x*} ${size#*x}
    wait_for "a window of $size" has_shape $size
done
until_says "${exact[@]}"
shoot
expect 'as large as its picture, the window shows its very pixels' same c4.png "$shot"
key k k -- .light false message ''  # "saved ..." goes with a key
wait_for 'the window to show what the screenshot holds' shows "$shot"
key o -- .bare false
xdotool windowsize "$window" 640 360
wait_for 'the window to grow' has_shape 640x360
xdotool windowunmap --sync "$window" windowmap --sync "$window"
shoot
until_says current yes
quit

# ---- odd pictures ----

shapes=('1 1 rgb' '41 1 rgb' '1 37 grey' '203 117 rgb' '203 117 grey' '5 3 rgb')
odd=()
for i in "${!shapes[@]}"; do
    read -r width height kind <<<"${shapes[i]}"
    odd+=("odd$i.png")
    "$probe" noise odd$i.png "$width" "$height" "$kind" 5
    "$program" render odd$i.png -o wanted$i.png --radius 2 --device cpu >/dev/null
done
for path in cpu staged; do
    open "${odd[@]}" --path $path --size 1x1 --bare --radius 2
    for i in "${!shapes[@]}"; do
        read -r width height kind <<<"${shapes[i]}"
        xdotool windowsize "$window" "$width" "$height"
        until_says picture odd$i.png path $path "${exact[@]}"
        checks=$((checks + 1))
        wait_for "the pixels of ${shapes[i]} along $path" shows wanted$i.png
        press n
    done
    quit
done

# ---- played keys ----

mapfile -t played < <("$program" view a.png --device cpu --shots "$shots" --size 320x180 \
    --keys '3 Up Up ] s f s q' 2>err)
expect 'played keys: two screenshots' is ${#played[@]} 2
expect 'played keys: silence' is "$(<err)" ''
for pair in variant=shared radius=5 block=64x8 settled=yes check=exact; do
    expect "played keys: $pair" is "$(chunk "${played[0]}" ${pair%=*})" ${pair#*=}
done
expect 'played keys: filter' is "$(chunk "${played[1]}" filter)" threshold
shot=$("$program" view a.png --device cpu --shots "$shots" --size 320x180 --keys 's q')
expect 'played keys: the first one waits for settled times, too' is "$(chunk "$shot" settled)" yes
open a.png --size 320x180 --keys Up
until_says radius 4 keys_left 0 "${settled[@]}"
key k -- .light true  # played keys without q leave the window open
quit
for open in h 'E h h' / D '# 1' t; do
    expect "a script's q ends, whatever is open: $open" timeout "$patience" \
        "$program" view a.png --device cpu --size 320x180 --keys "$open q"
done

# ---- two labs with one key ----

mkdir own
cp -r "$source_dir/kernels" own
sed '1s/$/ key T/' <("$program" grade --skeleton transpose) >own/kernels/labs/my.cu
open a.png --data own --size 320x180
key T -- filter transpose
quit 0 'tilescope: own/kernels/labs/my.cu:1: key T is lab transpose'"'s: lab my has none"
rm -r own

# ---- windows that save in the same second ----

mkdir together
several=()
for i in 1 2 3 4; do
    "$program" view a.png --device cpu --shots together --size 320x180 --keys 's s q' \
        >"together.$i" 2>&1 &
    several+=($!)
done
for process in "${several[@]}"; do
    status=0
    wait "$process" || status=$?
    expect 'one of several windows ends well' is $status 0
done
expect 'each screenshot has a file of its own' is "$(sort together.? | uniq)" "$(ls together/*)"
expect 'and none is missing' is "$(sort -u together.? | wc -l)" 8
rm -r together together.?

# ---- taking over from a process that the driver has caught ----

sides='[{"filter": "mean", "variant": "shared", "params": {"radius": 9}, "block": null, "unroll": false}]'
resumed='{"format": 1, "sides": %s, "staged": true, "light": true, "facts": {"picture": "%s", "note": "why it was"}}'
printf "tilescope restart\n$resumed" "$sides" 1 >resume
open a.png b.png --size 320x200 --path staged --resume resume --keys 1
until_says noted 'why it was' variant shared radius 9 picture b.png path staged .light true
expect 'the state that was taken over is removed' eval '[ ! -e resume ]'
quit
for hostile in '' x '{}' '{"format": 1}' '{"format": 1, "facts": {"picture": "1"}}' '{"facts": 7}' \
    "$(printf "$resumed" '[{"filter": "nosuch"}]' 1)" "$(printf "$resumed" "$sides" 7)"; do
    printf 'tilescope restart\n%s' "$hostile" >resume
    "$program" view a.png b.png --device cpu --resume resume >out 2>err
    expect "a state like '$hostile' is refused" is "$?" 1
    expect 'with one line' is "$(<err)" 'tilescope: [^'$'\n'']*'
done
printf "$resumed" "$sides" 1 >resume
"$program" view a.png b.png --device cpu --resume resume >out 2>err
expect "a user's file is refused" is "$?" 1
expect 'with its reason' is "$(<err)" "tilescope: cannot read 'resume': no restart .*"
expect 'and kept' eval '[ -e resume ]'

# ---- ways to close it ----

for way in q Escape close INT TERM; do
    open a.png --size 320x200
    until_says current yes
    wanted=0
    case $way in
    q) press q ;;
    Escape)
        key Escape -- noted 'Esc again to quit'
        key k -- message ''  # anything else means no
        key Escape -- noted 'Esc again to quit'
        click
        until_says noted ''
        key Escape -- noted 'Esc again to quit'
        # The second one must come soon: on a busy machine it may have to be pressed twice, too.
        for ((i = 0; i < 10 * patience; i++)); do
            press Escape
            nap 0.1
            if is_gone; then break; fi
        done
        ;;
    close) "$probe" close "$window" ;;
    INT) kill -INT "$pid" && wanted='0|130' ;;
    TERM) kill -TERM "$pid" && wanted='0|143' ;;
    esac
    has_ended "$wanted"
done
open a.png --size 320x200  # at once, while kernels are being compiled
quit
for size in 320x200 1x1; do
    open a.png --size $size
    until_says current yes
    kill -STOP "$pid"
    press s q  # both are there before the next picture
    kill -CONT "$pid"
    has_ended 0
    expect "$size: a screenshot is taken before the end" is "$("$probe" shape "$(<out)")" "$size rgb"
done

# The X server may go first.
own_server=$DISPLAY
start_server DISPLAY +extension GLX
server=${started[-1]}
open a.png --size 320x200
until_says current yes
kill "$server"
has_ended 1 "tilescope: the X server of display '$DISPLAY' is gone"
DISPLAY=$own_server

# ---- kernel files that change ----

mkdir data
cp -r "$source_dir/kernels" data
mean=data/kernels/filters/mean.cu
# The picture as large as the window, so that the panel's pixels are all that can differ.
open c.png --data data --size 301x203 --bare --radius 4
until_says variant naive "${exact[@]}"
wait_for 'kernels of --data to run' shows c4.png
shows_panel() { ! shows c4.png; }

sed -i '0,/unsigned int sum = 0;/s//unsigned int sum = zero;/' $mean
press r
wait_for 'the log of a kernel that does not compile' shows_panel
until_says current yes message '*zero*'
key Up -- radius 5 variant naive "${exact[@]}"
key Down -- radius 4 "${exact[@]}"
cp "$source_dir/kernels/filters/mean.cu" $mean
sed -i 's,^//! variant texture.*,//! variant texture,' $mean
press r
wait_for 'the message of a file that does not parse' shows_panel
until_says message '*mean.cu:*'
cp "$source_dir/kernels/filters/mean.cu" $mean
sed -n '/^\/\/! variant naive/,/^}/s/naive/again/; /again/,/^}/p' "$source_dir/kernels/filters/mean.cu" >>$mean
press r
has_seventh() { says variant again || { press 7 && false; }; }  # behind the library's
wait_for 'the new variant on its key' has_seventh
key k k -- variant again radius 4 .light false message '' "${exact[@]}"
wait_for 'the picture of the new variant' shows c4.png
sed -i 's/(sum + area \/ 2) \/ area/(sum + area \/ 2) \/ area + 1/' $mean
press r
until_says variant again check wrong current yes
quit

# ---- pictures that cannot be shown ----

"$probe" noise wide.png 40000 1 grey 4
cp b.png soon_gone.png
open c.png wide.png soon_gone.png --size 301x203 --bare --radius 4
rm soon_gone.png
until_says picture c.png "${exact[@]}"
wait_for 'the picture' shows c4.png
for pair in n=wide N=soon_gone; do
    key ${pair%=*} -- picture c.png noted "*${pair#*=}.png*"
    # It goes by itself: one that was missed is brought back.
    is_told() { shows_panel || { says message '' && press "${pair%=*}" && false; }; }
    wait_for "${pair%=*} to a bad picture: a message" is_told
    key k k -- picture c.png .light false message '' "${exact[@]}"
    wait_for "${pair%=*} to a bad picture: the old one stays" shows c4.png
done
quit
open wide.png c.png soon_gone.png b.png --size 301x203
until_says picture c.png noted "*'wide.png'*40000*"
key n -- picture b.png noted "skipped: *'soon_gone.png': No such file*"
key N -- picture c.png noted "skipped: *'soon_gone.png'*"
key N -- picture b.png noted "skipped: *'wide.png'*"
expect 'the title names the picture' is "$(xdotool getwindowname "$window")" 'b.png – Tilescope'
quit
"$program" view wide.png --device cpu >out 2>err
expect 'a huge picture is refused at the start' is "$?" 1
expect 'and named' is "$(<err)" "tilescope: [^
]*'wide.png'[^
]*40000[^
]*"
"$program" view wide.png nosuch.png wide.png --device cpu >out 2>err
expect 'nothing but bad pictures are refused' is "$?" 1
expect 'and each is named once, in one line' is "$(sed "s/[^']*'\([^']*\)'[^']*/\1 /g" err)" 'wide.png nosuch.png '

# ---- a folder for screenshots that goes away ----

open c.png --size 301x203 --bare
shoot
mv "$shots" "$shots.away"
press s
has_said() { [ -s err ]; }
wait_for 'a word about the screenshot' has_said
mv "$shots.away" "$shots"
shoot
quit 1 "tilescope: cannot write '$shots/[^
]*"

# ---- a folder for the dumped state that goes away ----

mkdir told
stays=$dump
dump=$work/told/state.json
open c.png --size 301x203
until_says current yes
mv told told.away  # at once: rm -r could fail where a file is just being written
press k
wait_for 'a word about the state' has_said
press k k q
has_ended 1 "tilescope: cannot write '$dump'[^
]*"
dump=$stays

# ---- launches that would take seconds ----

# They sleep, so that they take long on any machine.
mkdir -p dozing
cp -r "$source_dir/kernels" "$source_dir/shaders" dozing
cat >dozing/kernels/filters/dozing.cu <<'EOF'
//! filter "Dozing"
//! param radius 0 [0, 64]  pixels
#include "kernel.h"
extern "C" __device__ int usleep(unsigned int);
__device__ void doze(unsigned int us)
{
    if (!blockIdx.x && !blockIdx.y && !threadIdx.x && !threadIdx.y) usleep(us);
}
//! variant naive 32x8
__global__ void dozing_naive(int radius)
{
    doze(40000 * radius);
}
//! variant late 32x8
__global__ void dozing_late()
{
    doze(1050000);
}
//! variant steady 4x1
__global__ void dozing_steady()
{
    if (!threadIdx.x) usleep(500000);
}
EOF
open b.png --data dozing --filter dozing --size 320x240
until_says filter dozing variant naive radius 0 current yes kernel_ms '?*'
held=0
for radius in 8 16 24 32 40 48 56 64; do
    press Prior
    is_answered() { says radius $radius current yes || says noted 'predicted to take *'; }
    wait_for 'a larger radius, or a question' is_answered
    until_says
    if ! says radius $radius; then
        held=$radius
        break
    fi
    until_says current yes kernel_ms '?*'
done
expect 'some radius asks first' [ $held -gt 0 ]
expect 'what ran goes on' says current yes
key Prior -- radius $held  # pressed again
quit

# A side that runs already is not asked about when the keys go to it.
open b.png --data dozing --filter dozing --size 320x240
until_says filter dozing variant naive kernel_ms '?*'
key 2 -- variant late
key Escape -- noted 'Esc again to quit'
until_says kernel_ms '[1-9][0-9][0-9][0-9]*' message ''  # a note goes by itself, too
key c -- .side 1 variant late
key 1 -- variant naive
key x -- .side 0 variant late
key x -- .side 1 variant naive
key 2 -- variant late  # A runs it
key c -- .comparing false variant late
key 1 -- variant naive
key 2 -- variant naive noted 'predicted to take * s a frame: press 2 again to run it'
key 2 -- variant late

# How long another variant takes says little, and this one can be stopped. Its blocks end one by one.
key 3 -- variant steady message 'dozing steady is still running (* s): large pictures are slow on a CPU'
until_says settled no
key 1 -- variant naive message ''
quit

# ---- a display without OpenGL ----

plain=''
start_server plain -extension GLX
DISPLAY=$plain "$program" view c.png --radius 4 --device cpu >out 2>err
expect 'without GLX, the frame is written' is "$?" 0
expect 'without GLX, one line says so' is "$(<err)" "tilescope: no OpenGL [^
]*tilescope.png[^
]*"
expect 'without GLX, the frame is right' same c4.png tilescope.png

# ---- devices ----

json=$("$program" devices --device cpu --format json 2>err)
expect 'devices says nothing on stderr' is "$(<err)" ''
expect 'devices: the path of a window' has "$json" '"path":	"cpu"'
expect 'devices: the renderer' has "$json" '"renderer":'
json=$("$program" devices --device cpu --path staged --format json)
expect 'devices: the forced path' has "$json" '"path":	"staged"'
"$program" view a.png --device cpu --path interop >out 2>err
expect 'a path that cannot be taken is refused' is "$?" 1
expect 'and why' is "$(<err)" 'tilescope: cannot take path interop: [^
]+'

wait "$slow"
expect 'played keys: a slow compiler is waited for' is "$(chunk "$(<slow/out)" settled)" yes

finish
