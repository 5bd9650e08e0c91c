#!/usr/bin/env bash
# The window as a user has it: a real one, real key events, and what is then on the screen.
#
# On an X server of its own (Xvfb), so that nobody's desktop gets the keys, and on the cpu backend,
# which every machine has. Mesa reports errors of OpenGL on stderr, which must stay empty.
set -uo pipefail
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"
export MESA_DEBUG=1 LIBGL_ALWAYS_SOFTWARE=1
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done

cd "$work" || exit 1
started=()  # processes to end
trap 'kill "${started[@]}" 2>/dev/null; cd /; rm -rf "$work"' EXIT

# start_server NAME OPTIONS…: an X server; its display's name goes into the variable NAME.
start_server() {
    local -n name=$1
    shift
    local number='' patience=300
    Xvfb -displayfd 3 -screen 0 1600x1000x24 -noreset "$@" 3>server 2>/dev/null &
    started+=($!)
    until { read -r number <server; } 2>/dev/null; do
        ((patience-- > 0)) || { echo "Xvfb does not start" >&2; exit 1; }
        sleep 0.1
    done
    rm server
    name=:$number
}
start_server DISPLAY +extension GLX
export DISPLAY

# ---- a window with real keys ----

shots=$work/shots
mkdir "$shots"
pid=''
window=''

# wait_for WHAT COMMAND…: until it succeeds, at most 30 s.
wait_for() {
    local what=$1 end=$((SECONDS + 30))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || { fail "waited 30 s for $what"; return 1; }
        sleep 0.03
    done
}

find_window() { window=$(xdotool search --onlyvisible --name '^Tilescope$' 2>/dev/null) && [ -n "$window" ]; }
is_gone() { ! kill -0 "$pid" 2>/dev/null; }

# open ARGUMENTS…: the viewer in the background, its window in the corner, the pointer in it.
open() {
    # A shell's background commands ignore SIGINT unless told otherwise.
    env --default-signal=INT "$program" view --device cpu --shots "$shots" "$@" >out 2>err &
    pid=$!
    started+=("$pid")
    wait_for "a window of: $*" find_window || exit 1
    xdotool windowmove --sync "$window" 0 0 mousemove 0 0
}

# has_ended WANTED: the viewer has gone with that status and said nothing on stderr.
has_ended() {
    local status=0
    wait_for 'the viewer to end' is_gone || kill -KILL "$pid"
    wait "$pid" || status=$?
    checks=$((checks + 1))
    [[ $status =~ ^($1)$ ]] || fail "the viewer exits with $status, not $1: $(<err)"
    expect 'nothing is said on stderr' is "$(<err)" "${2:-}"
}

press() { xdotool key --delay 1 "$@"; }

# shoot: a screenshot by its key; its path goes into shot.
has_more_lines() { [ "$(wc -l <out)" -gt "$1" ]; }
shoot() {
    local lines
    lines=$(wc -l <out)
    press s
    wait_for 'a screenshot' has_more_lines "$lines" || return
    shot=$(tail -n 1 out)
}

# shoot_until KEY VALUE…: screenshots until their text chunks have these values.
has_chunks() {
    shoot || return
    while [ $# -gt 1 ]; do
        [[ $(chunk "$shot" "$1") == "$2" ]] || return
        shift 2
    done
}
shoot_until() {
    checks=$((checks + 1))
    wait_for "$*" has_chunks "$@" || "$probe" text "$shot" >&2
}
settled=(current yes settled yes check exact)

# key KEYS… -- KEY VALUE…: after the keys are pressed, screenshots say so and show a checked frame.
tried=''
key() {
    local keys=()
    while [ "$1" != -- ]; do
        keys+=("$1")
        shift
    done
    shift
    tried+=" ${keys[*]} "
    press "${keys[@]}"
    shoot_until "$@"
}

"$probe" noise a.png 203 117 rgb 1
"$probe" noise b.png 41 37 grey 2
"$probe" noise c.png 301 203 rgb 3

# ---- every key ----

open a.png b.png c.png --size 900x500
shoot_until filter mean variant naive radius 3 block 32x8 unroll off path cpu picture a.png "${settled[@]}"
for chunk in Software device driver size planes kernel_ms kernel_ms_q1 kernel_ms_q3 samples gpix_per_s \
    gb_per_s copy_ms percent_of_copy naive_ms frame_ms; do
    expect "a screenshot has the text chunk $chunk" [ -n "$(chunk "$shot" $chunk)" ]
done
expect 'a screenshot is named by date and time' \
    is "$(basename "$shot")" 'tilescope-[0-9]{8}-[0-9]{6}(-[0-9]+)?\.png'

number=0
for variant in naive texture shared separable running; do
    key $((++number)) -- variant $variant "${settled[@]}"
done
for digit in 6 7 8 9; do key $digit -- variant running; done  # there is none: nothing changes
key Right -- variant naive
key Left -- variant running
key Left Left -- variant shared
key Left Left -- variant naive
key f -- filter threshold variant naive "${settled[@]}"  # by name
key 2 -- filter threshold variant texture "${settled[@]}"
key greater -- c 6 "${settled[@]}"
key less less -- c 4 "${settled[@]}"
key comma -- c 4  # it is the only one beside the radius
key period -- c 4
key F -- filter mean variant naive "${settled[@]}"
key e -- filter invert variant naive  # by their own keys, as the kernel files have them
key 2 -- filter invert variant vector "${settled[@]}"
key m -- filter mean variant naive
key Up -- radius 4 "${settled[@]}"
key Down -- radius 3
key Prior -- radius 11
key Next -- radius 3
key Next -- radius 0 "${settled[@]}"
key Up Up Up -- radius 3
key bracketleft -- block 16x8 "${settled[@]}"
key bracketright bracketright -- block 64x8
key braceleft -- block 64x4
key braceright braceright -- block 64x16 "${settled[@]}"
key bracketleft braceleft -- block 32x8
key b -- block 16x16 "${settled[@]}"
key B -- block 32x8
key u -- unroll on "${settled[@]}"
key Up -- unroll on radius 4 "${settled[@]}"
key u -- unroll off "${settled[@]}"
key i -- path staged "${settled[@]}"
key i -- path cpu "${settled[@]}"
key n -- picture b.png planes 1 size 41x37 "${settled[@]}"
key n -- picture c.png planes 3 size 301x203 "${settled[@]}"
key n -- picture a.png
key N -- picture c.png
key N N -- picture a.png "${settled[@]}"
key r -- "${settled[@]}"

# Frozen, the screen stands still: times no longer change.
key space -- current yes
first=$(chunk "$shot" kernel_ms)
shoot
expect 'frozen: the time stands still' is "$(chunk "$shot" kernel_ms)" "$first"
stands_still() { shoot && last=$shot && shoot && same "$last" "$shot" >/dev/null; }
wait_for 'the frozen screen to stand still' stands_still
still=$shot

# toggles KEYS BACK…: they change the screen, and BACK change it back.
toggles() {
    local there=$1
    shift
    key "$there" -- current yes
    expect_not "$there shows" same "$still" "$shot"
    key "$@" -- current yes
    expect "$* goes back from $there" same "$still" "$shot"
}
toggles o o
toggles k k
toggles plus minus
toggles minus equal
toggles h h
toggles F1 q  # q closes the help first
toggles h Escape
key v -- current yes
key v -- current yes
expect 'v goes back from v' same "$still" "$shot"
key space -- current yes
is_running() { shoot && [ "$(chunk "$shot" kernel_ms)" != "$first" ]; }
wait_for 'the picture to run again' is_running
tried+=' s q Escape '

# The table that help is made from names no key that was not tried.
while read -r names; do
    for name in $names; do
        case $name in
        …) continue ;;
        ←) name=Left ;;
        →) name=Right ;;
        ↑) name=Up ;;
        ↓) name=Down ;;
        PgUp) name=Prior ;;
        PgDn) name=Next ;;
        ,) name=comma ;;
        .) name=period ;;
        '<') name=less ;;
        '>') name=greater ;;
        '[') name=bracketleft ;;
        ']') name=bracketright ;;
        '{') name=braceleft ;;
        '}') name=braceright ;;
        +) name=plus ;;
        -) name=minus ;;
        Esc) name=Escape ;;
        esac
        expect "key $name is tried" has "$tried" " $name "
    done
done < <("$program" --help | sed '1,/^Keys in the window/d; s/^  //; s/   *.*//')

# ---- illegal launches ----

key o -- current yes  # bare: what differs now is the picture or a message
wait_for 'the bare screen to stand still' stands_still
good=$shot
press bracketright bracketright bracketright
shoot_until block 256x8 current no settled no
expect_not 'refused: the reason shows' same "$good" "$shot"
expect 'refused: the last good picture stays' same "$good" "$shot" 0 0 900 40
expect 'refused: the panel has text' [ "$("$probe" colours "$shot" 100 150 700 200)" -gt 20 ]
expect_not 'refused: the last good picture is not black' is "$("$probe" colours "$shot" 0 0 900 40)" 1
press 3
shoot_until variant shared block 256x8 current no
press 1 bracketleft bracketleft bracketleft
shoot_until block 32x8 "${settled[@]}"
expect 'a legal block recovers' same "$good" "$shot"
key o -- current yes

# ---- resizing ----

has_shape() { shoot && [ "$("$probe" shape "$shot")" = "$1 rgb" ]; }
press n n o
shoot_until picture c.png radius 4 "${settled[@]}"
"$program" render c.png -o c4.png --radius 4 --device cpu >/dev/null
for size in 1x1 301x203 37x500 1200x41 301x203; do
    xdotool windowsize "$window" ${size%x*} ${size#*x}
    wait_for "a window of $size" has_shape $size
done
shoot_until "${settled[@]}"
expect 'as large as its picture, the window shows its very pixels' same c4.png "$shot"
shows() { "$probe" grab "$window" grabbed.png && same grabbed.png "$1" >/dev/null; }
wait_for 'the window to show what the screenshot holds' shows "$shot"  # once "saved ..." has gone
press o
shoot
xdotool windowsize "$window" 900 500
wait_for 'the window to grow' has_shape 900x500
xdotool windowunmap --sync "$window" windowmap --sync "$window"
shoot_until current yes
press q
has_ended 0

# ---- odd pictures ----

paths=(cpu staged)
for shape in '1 1 rgb' '41 1 rgb' '1 37 grey' '203 117 rgb' '203 117 grey' '5 3 rgb'; do
    read -r width height kind <<<"$shape"
    "$probe" noise odd.png "$width" "$height" "$kind" 5
    "$program" render odd.png -o wanted.png --radius 2 --device cpu >/dev/null
    for path in "${paths[@]}"; do
        open odd.png --path "$path" --size "${width}x$height" --bare --radius 2
        shoot_until "${settled[@]}"
        press q
        has_ended 0
        expect "$shape along $path: path" is "$(chunk "$shot" path)" "$path"
        expect "$shape along $path: pixels" same wanted.png "$shot"
    done
done

# ---- played keys ----

mapfile -t played < <("$program" view a.png --device cpu --shots "$shots" --size 640x360 \
    --keys '3 Up Up ] s f s q' 2>err)
expect 'played keys: two screenshots' is ${#played[@]} 2
expect 'played keys: silence' is "$(<err)" ''
for pair in variant=shared radius=5 block=64x8 settled=yes check=exact; do
    expect "played keys: $pair" is "$(chunk "${played[0]}" ${pair%=*})" ${pair#*=}
done
expect 'played keys: filter' is "$(chunk "${played[1]}" filter)" threshold
shot=$("$program" view a.png --device cpu --shots "$shots" --keys 's q')
expect 'played keys: the first one waits for settled times, too' is "$(chunk "$shot" settled)" yes
# shellcheck disable=SC2016
expect 'played keys without q leave the window open' eval \
    'timeout 2 "$program" view a.png --device cpu --keys Up; [ $? = 124 ]'

# ---- ways to close it ----

for way in q Escape close INT TERM; do
    open a.png --size 320x200
    shoot
    wanted=0
    case $way in
    q | Escape) press $way ;;
    close) "$probe" close "$window" ;;
    INT) kill -INT "$pid" && wanted='0|130' ;;
    TERM) kill -TERM "$pid" && wanted='0|143' ;;
    esac
    has_ended "$wanted"
done
open a.png --size 320x200  # at once, while kernels are being compiled
press q
has_ended 0

# ---- kernel files that change ----

mkdir data
cp -r "$source_dir/kernels" data
mean=data/kernels/mean.cu
# The picture as large as the window, so that the panel's pixels are all that can differ.
open c.png --data data --size 301x203 --bare --radius 4
shoot_until variant naive "${settled[@]}"
expect 'kernels of --data run' same c4.png "$shot"
shows_panel() { shoot && ! same c4.png "$shot" >/dev/null; }
shows_picture() { shoot && same c4.png "$shot" >/dev/null; }

sed -i '0,/unsigned int sum = 0;/s//unsigned int sum = zero;/' $mean
press r
wait_for 'the log of a kernel that does not compile' shows_panel
expect 'the old kernel goes on' is "$(chunk "$shot" current)" yes
key Up -- radius 5 variant naive "${settled[@]}"
key Down -- radius 4 "${settled[@]}"
cp "$source_dir/kernels/mean.cu" $mean
sed -i 's,^//! variant texture.*,//! variant texture,' $mean
press r
wait_for 'the message of a file that does not parse' shows_panel
cp "$source_dir/kernels/mean.cu" $mean
sed -n '/^\/\/! variant naive/,/^}/s/naive/again/; /again/,/^}/p' "$source_dir/kernels/mean.cu" >>$mean
press r
has_sixth() { press 6 && shoot && [ "$(chunk "$shot" variant)" = again ]; }
wait_for 'the new variant on its key' has_sixth
shoot_until variant again radius 4 "${settled[@]}"
wait_for 'the message to go' shows_picture
sed -i 's/(sum + area \/ 2) \/ area/(sum + area \/ 2) \/ area + 1/' $mean
press r
shoot_until variant again check wrong current yes
press q
has_ended 0

# ---- pictures that cannot be shown ----

"$probe" noise wide.png 40000 1 grey 4
cp b.png soon_gone.png
open c.png wide.png soon_gone.png --size 301x203 --bare --radius 4
rm soon_gone.png
shoot_until picture c.png "${settled[@]}"
wait_for 'the picture' shows_picture
for key in n N; do
    press $key
    sleep 0.2
    "$probe" grab "$window" grabbed.png
    expect_not "$key to a bad picture: a message shows" same c4.png grabbed.png
    shoot_until picture c.png "${settled[@]}"
    expect "$key to a bad picture: the old one stays" same c4.png "$shot"
done
press q
has_ended 0
"$program" view wide.png --device cpu >out 2>err
expect 'a huge picture is refused at the start' is "$?" 1
expect 'and named' is "$(<err)" "tilescope: [^
]*'wide.png'[^
]*40000[^
]*"

# ---- a folder for screenshots that goes away ----

open c.png --size 301x203 --bare
shoot
mv "$shots" "$shots.away"
press s
has_said() { [ -s err ]; }
wait_for 'a word about the screenshot' has_said
mv "$shots.away" "$shots"
shoot
press q
has_ended 1 "tilescope: cannot write '$shots/[^
]*"

# ---- launches that would take seconds ----

"$probe" noise large.png 1600 1200 rgb 6
open large.png --size 320x240 --radius 0
shoot_until radius 0 current yes settled yes
held=0
for radius in 8 16 24 32 40 48 56 64; do
    press Prior
    shoot
    if [ "$(chunk "$shot" radius)" != $radius ]; then
        held=$radius
        break
    fi
    shoot_until current yes settled yes
done
expect 'some radius asks first' [ $held -gt 0 ]
expect 'what ran goes on' is "$(chunk "$shot" current)" yes
press Prior Prior  # asked, and pressed again
shoot_until radius $held
press q
has_ended 0

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

finish
