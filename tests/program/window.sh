# shellcheck shell=bash disable=SC2154  # work, program, probe, source_dir are shell.sh's
# Sourced behind shell.sh by tests that drive the real window: an X server of its own, so that
# nobody's desktop gets the keys, the viewer in it, and what the viewer says of its state. Ends with
# 77 where there is none.
#
# What the viewer says is read from --dump-state: the facts by their names (variant, check, message),
# switches and numbers of the state with a dot (.zoom), what a side is made with by its name (B.block:
# null or 16x16).

for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
export MESA_DEBUG=1  # Mesa reports errors of OpenGL on stderr
device=${device:-cpu}
if [ "$device" = cpu ]; then export LIBGL_ALWAYS_SOFTWARE=1; fi

cd "$work" || exit 1
shots=$work/shots
dump=$work/state.json
mkdir "$shots"
started=()  # processes to end
trap 'kill "${started[@]}" 2>/dev/null; cd /; rm -rf "$work"' EXIT
pid=''
window=''

patience=300  # seconds; only what hangs takes as long, on however busy a machine

# start_server NAME OPTIONS…: an X server; its display's name goes into the variable NAME. -r: on a
# busy machine, a key may come up so late that the server would repeat it.
start_server() {
    local -n name=$1
    shift
    local number='' tries=300
    Xvfb -displayfd 3 -screen 0 1600x1000x24 -noreset -r "$@" 3>server 2>/dev/null &
    started+=($!)
    until { read -r number <server; } 2>/dev/null; do
        ((tries-- > 0)) || { echo "Xvfb does not start" >&2; exit 1; }
        sleep 0.1
    done
    rm server
    name=:$number
}

# ---- the viewer ----

# wait_for WHAT COMMAND…: until it succeeds, with patience. Nothing comes after a viewer that is gone.
wait_for() {
    local what=$1 end=$((SECONDS + patience))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || { fail "waited $patience s for $what"; return 1; }
        if [ -n "$pid" ] && is_gone; then
            wait "$pid"
            fail "waited for $what, but the viewer ended with $?: $(<err)"
            finish
            exit 1
        fi
        sleep 0.03
    done
}

find_window() { window=$(xdotool search --onlyvisible --name 'Tilescope$' 2>/dev/null) && [ -n "$window" ]; }
is_gone() { ! kill -0 "$pid" 2>/dev/null; }

# open ARGUMENTS…: the viewer in the background, its window in the corner, the pointer in it.
open() {
    rm -f "$dump"
    # A shell's background commands ignore SIGINT unless told otherwise.
    env --default-signal=INT "$program" view --device "$device" --shots "$shots" \
        --dump-state "$dump" "$@" >out 2>err &
    pid=$!
    started+=("$pid")
    wait_for "a window of: $*" find_window || exit 1
    xdotool windowmove --sync "$window" 0 0 mousemove 0 0
}

# has_ended WANTED [STDERR]: the viewer has gone with that status and said nothing else on stderr.
has_ended() {
    local status=0
    wait_until_gone || kill -KILL "$pid"
    wait "$pid" || status=$?
    pid=''
    checks=$((checks + 1))
    [[ $status =~ ^($1)$ ]] || fail "the viewer exits with $status, not $1: $(<err)"
    expect 'nothing is said on stderr' is "$(<err)" "${2:-}"
}

wait_until_gone() {
    local end=$((SECONDS + patience))
    until is_gone; do
        [ $SECONDS -lt $end ] || { fail "waited $patience s for the viewer to end"; return 1; }
        sleep 0.03
    done
}

press() { xdotool key --delay 1 "$@"; }

# ---- what it says ----

# look: reads the dump, as it is now, into what value finds things in.
facts='' state='' side_a='' side_b=''
look() {
    local text='' sides
    { IFS= read -rd '' text <"$dump"; } 2>/dev/null
    facts=${text#*$'\t"facts":'}
    state=${text%%$'\t"facts":'*}
    sides=${state#*$'\t"sides":'}
    sides=${sides%%$'],\n\t"side":'*}
    side_a=${sides%%'}, {'*}
    side_b=${sides#"$side_a"}
}

# value NAME: of the last look into REPLY, empty where there is none.
value() {
    local name=$1 text=$facts
    case $1 in
    .*) name=${1#.} text=$state ;;
    A.*) name=${1#A.} text=$side_a ;;
    B.*) name=${1#B.} text=$side_b ;;
    esac
    REPLY=${text#*"\"$name\":"$'\t'}
    if [ "$REPLY" = "$text" ]; then
        REPLY=''
        return
    fi
    REPLY=${REPLY%%$'\n'*}
    REPLY=${REPLY%,}
    REPLY=${REPLY#\"}
    REPLY=${REPLY%\"}
    # A list would be a pattern's brackets.
    [[ $REPLY != '['*']' ]] || { REPLY=${REPLY:1:-1} && REPLY=${REPLY//, /x}; }
}

# says NAME PATTERN…: all of them hold now; what does not goes into unsaid.
unsaid=''
says() {
    look
    unsaid='nothing is said yet'
    [ -n "$facts" ] || return
    while [ $# -gt 1 ]; do
        value "$1"
        # shellcheck disable=SC2053  # a pattern is wanted
        [[ $REPLY == $2 ]] || { unsaid="$1 is '$REPLY', not '$2'"; return 1; }
        shift 2
    done
}
# The picture is that of the choice; its times are settled, too, which takes a dozen frames more.
exact=(current yes check exact)
settled=("${exact[@]}" settled yes)

until_says() {
    checks=$((checks + 1))
    wait_for "$*" says "$@" || printf '    %s\n' "$unsaid" >&2
}

# key KEYS… -- NAME PATTERN…: after the keys are pressed, the viewer says so.
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
    until_says "$@"
}

# ---- what it shows ----

# shoot: a screenshot by its key; its path goes into shot.
shot=''
has_new_shot() {
    local lines
    mapfile -t lines <out
    [ ${#lines[@]} -gt "$1" ] && shot=${lines[-1]} && [[ $shot == *.png ]]
}
shoot() {
    local lines
    mapfile -t lines <out
    press s
    wait_for 'a screenshot' has_new_shot ${#lines[@]}
}

# sheet: the comparison sheet by its key; its path goes into shot.
sheet() {
    local lines
    mapfile -t lines <out
    press S
    wait_for 'a sheet' has_new_shot ${#lines[@]}
    expect 'a sheet is named so' is "$shot" '.*-sheet\.png'
    expect 'a sheet is as wide as a slide' is "$("$probe" shape "$shot")" '1920x[0-9]+ rgb'
}

# grab: what the window shows now, into grabbed.png.
grab() { "$probe" grab "$window" grabbed.png; }
shows() { grab && same grabbed.png "$@" >/dev/null; }
