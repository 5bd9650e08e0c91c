# shellcheck shell=bash disable=SC2154  # work, program, probe, source_dir are shell.sh's
# Sourced by tests that drive the real window: shell.sh, an X server of its own, so that nobody's
# desktop gets the keys, the viewer in it, and what the viewer says of its state. Ends with 77 where
# there is none. Before it may be set: device, the screen's size, and in display another X server.
#
# What the viewer says is read from --dump-state (docs/scripting.md): the facts by their names
# (variant, check, message), switches and numbers of the state with a dot (.zoom), what a side is made
# with by its name (B.block: null or 16x16). `noted` is any note since the last press that was not
# waited for yet, however soon it went. Nothing is read before the viewer has taken in all presses.

# shellcheck source=tests/program/shell.sh
declare -F expect >/dev/null || . "$(dirname "${BASH_SOURCE[0]}")/shell.sh"
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
export MESA_DEBUG=1  # Mesa reports errors of OpenGL on stderr
device=${device:-cpu}
# Mesa draws on one thread: more of them only wait for each other while kernels run.
if [ "$device" = cpu ]; then export LIBGL_ALWAYS_SOFTWARE=1 LP_NUM_THREADS=1; fi

shots=$work/shots
dump=$work/state.json
mkdir "$shots"
pid=''
window=''

started=()  # processes to end
# runs PID: a process that this shell has started, and not one that has got its number since.
runs() {
    local stat=''
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null
    [[ ${stat##*) } == [!Z]" $$ "* ]]
}
end_started() {
    local one
    for one in "${started[@]}"; do
        if runs "$one"; then kill "$one"; fi
    done
}
trap 'end_started; cd /; rm -rf "$work"' EXIT

patience=${PATIENCE:-300}  # seconds; only what hangs takes as long, on however busy a machine

# nap SECONDS: without a process.
mkfifo naps
exec {naps}<>naps
rm naps
nap() { read -rt "$1" -u "$naps" || :; }

# start_server NAME OPTIONS…: an X server; its display's name goes into the variable NAME. -r: on a
# busy machine, a key may come up so late that the server would repeat it.
start_server() {
    local -n name=$1
    shift
    local number=''
    mkfifo server
    Xvfb -displayfd 3 -screen 0 "${screen:-1600x1000}x24" -noreset -r "$@" 3<>server 2>/dev/null &
    started+=($!)
    read -rt "$patience" number <>server || { echo "Xvfb does not start" >&2; exit 1; }
    rm server
    name=:$number
}
if [ -n "${display:-}" ]; then DISPLAY=$display; else start_server DISPLAY +extension GLX; fi
export DISPLAY

# ---- the viewer ----

# wait_for WHAT COMMAND…: until it succeeds, with patience. Nothing comes after a viewer that is gone.
wait_for() {
    local what=$1 end=$((SECONDS + patience)) nap_ms=10 nap_s
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || { fail "waited $patience s for $what"; return 1; }
        if [ -n "$pid" ] && is_gone; then
            wait "$pid"
            fail "waited for $what, but the viewer ended with $?: $(<err)"
            finish
            exit 1
        fi
        printf -v nap_s 0.%03d $nap_ms
        nap "$nap_s"
        [ $nap_ms -ge 80 ] || nap_ms=$((2 * nap_ms))
    done
}

find_window() { window=$(xdotool search --onlyvisible --name 'Tilescope$' 2>/dev/null) && [ -n "$window" ]; }
is_gone() { ! runs "$pid"; }

# Times are measured here, not those that the program comes with.
times=(--times off)

# open ARGUMENTS…: the viewer in the background, its window in the corner, the pointer in it.
open() {
    rm -f "$dump"
    begin_to_listen
    # A shell's background commands ignore SIGINT unless told otherwise.
    env --default-signal=INT "$program" view --device "$device" "${times[@]}" --shots "$shots" \
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
        nap 0.03
    done
}

# mark [PRESSES]: notes count from now on, and so many more presses are to be taken in.
awaited=0 heard=0 heard_of_it=0
mark() {
    look
    heard=$serial heard_of_it=all
    awaited=$(((presses > awaited ? presses : awaited) + ${1:-0}))
}

press() {
    mark $#
    xdotool key --delay 1 "$@"
}

# What xdotool calls the keys of the program's table, as the program and its help name them.
declare -A x_names=([/]=slash [',']=comma [.]=period ['<']=less ['>']=greater ['#']=numbersign
    ['[']=bracketleft [']']=bracketright ['{']=braceleft ['}']=braceright ['(']=parenleft
    [')']=parenright [';']=semicolon [:]=colon ["'"]=apostrophe ['"']=quotedbl [+]=plus [-]=minus [!]=exclam ['&']=ampersand
    [←]=Left [→]=Right [↑]=Up [↓]=Down [PgUp]=Prior [PgDn]=Next [Backspace]=BackSpace [Esc]=Escape
    [Ctrl+C]=ctrl+c [Ctrl+T]=ctrl+t [Ctrl+0]=ctrl+0)

# click [BUTTON]: where the pointer is; 4 and 5 are the wheel's.
click() {
    mark 1
    xdotool click "${1:-1}"
}

# quit [WANTED [STDERR]]: by its key.
quit() {
    press q
    has_ended "${1:-0}" "${2:-}"
}

# Of a viewer that has just begun.
begin_to_listen() { awaited=0 heard=0 heard_of_it=0; }

# ---- what it says ----

# look: reads the dump, as it is now, into what value finds things in.
facts='' state='' side_a='' side_b='' told='' serial=0 presses=0 looked_at=none
look() {
    local LC_ALL=C text='' sides whole
    { IFS= read -rd '' text <"$dump"; } 2>/dev/null
    [ "$text" != "$looked_at" ] || return 0
    looked_at=$text
    # Bash looks for the start of a text from each of its letters, but for the end only once.
    whole=$text
    text=${text%$'\n\t"serial":\t'*}
    told=${whole:${#text}}
    told=${told#$'\n\t"serial":\t'}
    serial=${told%%,*}
    presses=${told#*$'\n\t"presses":\t'}
    presses=${presses%%,*}
    if [ -z "$text" ]; then serial=0 presses=0; fi
    state=${text%%$'\t"facts":'*}
    facts=${text:${#state}}
    sides=${state#*$'\t"sides":'}
    sides=${sides%%$'],\n\t"side":'*}
    side_a=${sides%%'}, {'*}
    side_b=${sides#"$side_a"}
}

# value NAME: of the last look into REPLY, empty where there is none.
value() {
    local LC_ALL=C name=$1 text=$facts
    case $1 in
    .*) name=${1#.} text=$state ;;
    A.*) name=${1#A.} text=$side_a ;;
    B.*) name=${1#B.} text=$side_b ;;
    esac
    local before=${text%%"\"$name\":"$'\t'*}
    REPLY=${text:${#before}}
    if [ -z "$REPLY" ]; then return; fi
    REPLY=${REPLY%%$'\n'*}
    REPLY=${REPLY#*$'\t'}
    REPLY=${REPLY%,}
    REPLY=${REPLY#\"}
    REPLY=${REPLY%\"}
    # A list would be a pattern's brackets.
    [[ $REPLY != '['*']' ]] || { REPLY=${REPLY:1:-1} && REPLY=${REPLY//, /x}; }
}

# fact NAME: prints what is said now.
fact() {
    look
    value "$1"
    echo "$REPLY"
}

# box PANEL: where it is now, into left, top, width and height.
box() {
    look
    value "$1_box"
    read -r left top width height <<<"$REPLY"
}

# The newest note of the last look, also once it is no longer on the screen.
last_note() { sed -n 's/^.*"text":[[:space:]]*"\(.*\)"$/\1/p' "$dump" | tail -n 1; }

# has_noted PATTERN: a note of the last look that was not waited for yet. Its serial number, and which
# one it is of those with that number, go into note_found.
note_found=()
has_noted() {
    local rest=$told number='' before count=0 text
    while [[ $rest == *$'"serial":\t'* ]]; do
        before=$number
        rest=${rest#*$'"serial":\t'}
        number=${rest%%,*}
        rest=${rest#*$'"text":\t"'}
        text=${rest%%$'"\n'*}
        [ "$number" = "$before" ] && count=$((count + 1)) || count=1
        [ "$number" -ge "$heard" ] || continue
        if [ "$number" = "$heard" ]; then
            [ "$heard_of_it" != all ] && [ $count -gt "$heard_of_it" ] || continue
        fi
        # shellcheck disable=SC2053  # a pattern is wanted
        [[ $text == $1 ]] && note_found=("$number" $count) && return
    done
    return 1
}

# says NAME PATTERN…: all of them hold now; what does not goes into unsaid.
unsaid=''
says() {
    look
    unsaid='nothing is said yet'
    note_found=()
    [ -n "$facts" ] || return
    unsaid="$presses of $awaited presses are taken in"
    [ "$presses" -ge "$awaited" ] || return
    while [ $# -gt 1 ]; do
        if [ "$1" = noted ] && [ -n "$2" ]; then
            has_noted "$2" || { unsaid="nothing like '$2' was noted since $heard: $told"; return 1; }
            shift 2
            continue
        fi
        value "$1"
        # shellcheck disable=SC2053  # a pattern is wanted
        [[ $REPLY == $2 ]] || { unsaid="$1 is '$REPLY', not '$2'"; return 1; }
        shift 2
    done
}
# The picture is that of the choice; its times are settled, too, which takes a dozen frames more.
exact=(current yes check exact)
settled=("${exact[@]}" settled yes)

# until_says NAME PATTERN…; with nothing: until all presses are taken in.
until_says() {
    checks=$((checks + 1))
    wait_for "${*:-all presses to be taken in}" says "$@" || printf '    %s\n' "$unsaid" >&2
    [ ${#note_found[@]} -eq 0 ] || heard=${note_found[0]} heard_of_it=${note_found[1]}
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
