# shellcheck shell=bash disable=SC2154  # work, program, probe are shell.sh's
# Sourced behind shell.sh by tests that drive the real window: an X server of its own, so that
# nobody's desktop gets the keys, and the viewer in it. Ends with 77 where there is none.

for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
export MESA_DEBUG=1 LIBGL_ALWAYS_SOFTWARE=1  # Mesa reports errors of OpenGL on stderr

cd "$work" || exit 1
started=()  # processes to end
trap 'kill "${started[@]}" 2>/dev/null; cd /; rm -rf "$work"' EXIT
pid=''
window=''

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

# wait_for WHAT COMMAND…: until it succeeds, at most 30 s. Nothing comes after a viewer that is gone.
wait_for() {
    local what=$1 end=$((SECONDS + 30))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || { fail "waited 30 s for $what"; return 1; }
        if [ -n "$pid" ] && is_gone; then
            wait "$pid"
            fail "waited for $what, but the viewer ended with $?: $(<err)"
            finish
            exit 1
        fi
        sleep 0.03
    done
}

find_window() { window=$(xdotool search --onlyvisible --name '^Tilescope$' 2>/dev/null) && [ -n "$window" ]; }
is_gone() { ! kill -0 "$pid" 2>/dev/null; }

# open ARGUMENTS…: the viewer in the background, its window in the corner, the pointer in it.
open() {
    # A shell's background commands ignore SIGINT unless told otherwise.
    env --default-signal=INT "$program" view --device cpu "$@" >out 2>err &
    pid=$!
    started+=("$pid")
    wait_for "a window of: $*" find_window || exit 1
    xdotool windowmove --sync "$window" 0 0 mousemove 0 0
}

# has_ended WANTED [STDERR]: the viewer has gone with that status and said nothing else on stderr.
has_ended() {
    local status=0
    wait_for 'the viewer to end' is_gone || kill -KILL "$pid"
    wait "$pid" || status=$?
    pid=''
    checks=$((checks + 1))
    [[ $status =~ ^($1)$ ]] || fail "the viewer exits with $status, not $1: $(<err)"
    expect 'nothing is said on stderr' is "$(<err)" "${2:-}"
}

press() { xdotool key --delay 1 "$@"; }
