#!/usr/bin/env bash
# Random keys, mouse, resizes from 1×1 to 4K, other pictures, saved kernels: the window goes on, shows
# what the reference says, and its memory stays where it was.
#
# TILESCOPE_ENDURANCE_S says for how long (20), TILESCOPE_ENDURANCE_SEED what happens (printed),
# TILESCOPE_ENDURANCE_DEVICE where (cpu).
set -uo pipefail
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"
export MESA_DEBUG=1
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done

seconds=${TILESCOPE_ENDURANCE_S:-20}
RANDOM=${TILESCOPE_ENDURANCE_SEED:-$$}
device=${TILESCOPE_ENDURANCE_DEVICE:-cpu}
printf 'seed %s, %s s on %s\n' "${TILESCOPE_ENDURANCE_SEED:-$$}" "$seconds" "$device"
[ "$device" = cpu ] && export LIBGL_ALWAYS_SOFTWARE=1

cd "$work" || exit 1
mkdir shots data
cp -r "$source_dir/kernels" "$source_dir/shaders" data/
dump=$work/state.json
started=()
trap 'kill "${started[@]}" 2>/dev/null; cd /; rm -rf "$work"' EXIT

# The sanitizers' own memory grows for a while; what they find counts, not their size.
is_sanitized() { nm "$program" 2>/dev/null | grep -q __asan_init; }

if [ -z "${TILESCOPE_ENDURANCE_DISPLAY:-}" ]; then
    mkfifo server
    Xvfb -displayfd 3 -screen 0 4096x2304x24 -noreset +extension GLX 3>server 2>/dev/null &
    started+=($!)
    read -r number <server
    export DISPLAY=:$number
else
    export DISPLAY=$TILESCOPE_ENDURANCE_DISPLAY
fi

# picture WIDTH HEIGHT P5|P6: noise.
picture() {
    local bytes=$(($1 * $2 * ($3 - 2 == 4 ? 3 : 1)))
    { printf 'P%d\n%d %d\n255\n' "$3" "$1" "$2"; head -c $bytes /dev/urandom; }
}
noise() { # NAME WIDTH HEIGHT PLANES
    { [ "$4" = 3 ] && printf 'P6\n' || printf 'P5\n'; printf '%d %d\n255\n' "$2" "$3"
      head -c $(($2 * $3 * $4)) /dev/urandom; } >"$1"
}
noise a.ppm 333 257 3
noise b.pgm 1 1 1
noise c.pgm 509 67 1
noise d.ppm 64 48 3

"$program" view --device "$device" --data data --shots shots --size 640x480 --dump-state "$dump" \
    a.ppm b.pgm c.pgm d.ppm >out 2>err &
pid=$!
started+=("$pid")

is_alive() { kill -0 "$pid" 2>/dev/null; }
wait_for() { # SECONDS COMMAND…
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        { [ $SECONDS -lt $end ] && is_alive; } || return 1
        sleep 0.05
    done
}
find_window() { window=$(xdotool search --onlyvisible --name '^Tilescope$' 2>/dev/null) && [ -n "$window" ]; }
wait_for 30 find_window || { cat err; echo 'no window'; exit 1; }
xdotool windowmove --sync "$window" 0 0 mousemove 10 10

fact() { sed -n "s/^.*\"$1\":[[:space:]]*\"\(.*\)\".*$/\1/p" "$dump" 2>/dev/null | tail -1; }
memory_kb() { awk '/^VmRSS/ {print $2}' "/proc/$pid/status"; }

keys=(1 2 3 4 5 6 7 Left Right f F Up Down Up Down comma period less greater u bracketleft bracketright
    braceleft braceright b B l p t g c x d Tab z Z n N space r i v o plus minus k h F11 Escape BackSpace
    Return m a y e w question F5 Home)
sizes=('1 1' '2 900' '4096 2304' '3840 2160' '640 480' '320 200' '1280 720' '7 5')

# A random action into the array `actions`, for one call of xdotool.
add_action() {
    local roll=$((RANDOM % 100)) key size
    if [ $roll -lt 76 ]; then
        key=${keys[RANDOM % ${#keys[@]}]}
        actions+=(key --delay 1 "$key")
    elif [ $roll -lt 84 ]; then
        actions+=(mousemove $((RANDOM % 640)) $((RANDOM % 480)))
    elif [ $roll -lt 90 ]; then
        actions+=(click $((RANDOM % 5 + 1)))
    elif [ $roll -lt 95 ]; then
        size=${sizes[RANDOM % ${#sizes[@]}]}
        # shellcheck disable=SC2086
        actions+=(windowsize "$window" $size)
    elif [ $roll -lt 97 ]; then
        actions+=(key --delay 1 s)
    else
        actions+=(sleep 0.2)
    fi
}

# Back to something small: then what is shown must be measured and checked within seconds. Escape
# closes what is open, and would quit where nothing is: so the help is opened before.
rest=(windowsize "$window" 640 480 mousemove 5 5 keydown h keyup h)
check_picture() {
    local settle=("$window" 640 480)
    xdotool windowsize "${settle[@]}" key --delay 1 m 1 Prior Next Next Next Next Next Next Next Next Up Up
    [ "$(fact frozen)" = yes ] && xdotool key space
    is_good() { [ "$(fact filter)" = mean ] && [ "$(fact radius)" = 2 ] && [ "$(fact stage_settled)" = yes ] && [ "$(fact check)" = exact ]; }
    wait_for 60 is_good && return
    fail "after $done_actions actions: $(fact filter) $(fact variant) radius $(fact radius), settled $(fact settled), check $(fact check), message $(fact message)"
}

done_actions=0
first_kb=0
end=$((SECONDS + seconds))
while [ $SECONDS -lt $end ] && is_alive && [ $failures -eq 0 ]; do
    for round in 1 2 3 4 5 6 7 8 9 10; do
        actions=()
        for _ in 1 2 3 4 5 6 7 8 9 10; do add_action; done
        # Escape quits where nothing is open: only ever after the help was opened.
        for i in "${!actions[@]}"; do
            [ "${actions[i]}" = Escape ] && actions[i]=h
        done
        xdotool "${actions[@]}" 2>/dev/null
        if [ "$round" = 5 ]; then  # a saved kernel
            sed "s|^// One thread.*|// One thread, $RANDOM|" "$source_dir/kernels/mean.cu" >data/kernels/mean.cu
        fi
        done_actions=$((done_actions + 10))
    done
    check_picture
    checks=$((checks + 1))
    rm -f shots/*
    [ $first_kb -eq 0 ] && [ $SECONDS -ge $((end - seconds * 2 / 3)) ] && first_kb=$(memory_kb)
done

checks=$((checks + 1))
is_alive || fail "the window has gone: $(tail -5 err)"
last_kb=$(memory_kb)
printf '%d actions, memory %d to %d KB\n' $done_actions "$first_kb" "$last_kb"
if [ "$seconds" -ge 600 ] && ! is_sanitized; then
    expect 'memory stays within 5 %' [ $((last_kb * 100)) -le $((first_kb * 105)) ]
fi
xdotool key q q
gone() { ! is_alive; }
wait_for 20 gone
gone || wait_for 1 gone
wait "$pid"
status=$?
expect 'it ends well' is "$status" '[01]'
expect 'nothing of OpenGL, CUDA or a sanitizer is said' is "$(grep -i 'mesa\|error\|cuda\|sanitizer' err)" ''
finish
