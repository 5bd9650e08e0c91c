#!/usr/bin/env bash
# Random keys, mouse, resizes from 1×1 to 4K, other pictures, saved kernels and shaders: the window
# goes on, shows what the reference says, and its memory stays where it was.
#
#     TILESCOPE_ENDURANCE_S        for how many seconds (10); memory is looked at from 600 on
#     TILESCOPE_ENDURANCE_SEED     what happens (printed)
#     TILESCOPE_ENDURANCE_DEVICE   where (cpu)
#     TILESCOPE_ENDURANCE_DISPLAY  on which X server; none: one of its own
#     TILESCOPE_ENDURANCE_KERNELS  the kernels (those of the source): wrong ones must be noticed
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
seconds=${TILESCOPE_ENDURANCE_S:-10}
seed=${TILESCOPE_ENDURANCE_SEED:-$$}
device=${TILESCOPE_ENDURANCE_DEVICE:-cpu}
display=${TILESCOPE_ENDURANCE_DISPLAY:-}
screen=4096x2304
kernels=$(cd "$OLDPWD" && realpath "${TILESCOPE_ENDURANCE_KERNELS:-$source_dir/kernels}")
# shellcheck source=tests/program/window.sh
. "$source_dir/tests/program/window.sh"
patience=$((2 * patience))  # frames of 4K in software, and modules asked for in the meantime
RANDOM=$seed
printf 'seed %s, %s s on %s\n' "$seed" "$seconds" "$device"

# Mesa's threads in software keep textures of frames that are long over, as large as those were.
export LP_NUM_THREADS=0

# A cache of its own, as every saved kernel leaves something in it; what others compiled helps.
if [ -d "$TILESCOPE_CACHE" ]; then cp -r "$TILESCOPE_CACHE" cache; fi
export TILESCOPE_CACHE=$work/cache
mkdir data
cp -r "$kernels" data/kernels
cp -r "$source_dir/shaders" data/

pictures=('41 29 rgb' '1 1 grey' '131 7 grey' '32 24 rgb')
names=()
for i in "${!pictures[@]}"; do
    read -r width height kind <<<"${pictures[i]}"
    "$probe" noise "$i.png" "$width" "$height" "$kind" "$i"
    "$probe" mean "$i.png" "mean$i.png" 2  # shares no code with the program
    names+=("$i.png")
done

# What happened last, and in what state, for whoever has to find out.
explain() {
    [ $failures -eq 0 ] && return
    printf -- '-- the last actions of seed %s:\n' "$seed"
    tail -n 12 actions
    printf -- '-- stderr:\n'
    tail -n 40 err
    printf -- '-- state:\n%s\n' "$(<"$dump")"
}
trap 'explain; end_started; cd /; rm -rf "$work"' EXIT

# ---- what happens ----

# All keys, some of which do nothing, but those that quit, those of catch_up, and those of tours,
# which press keys of their own.
keys=(Up Down Up Down Home F5)
tour_keys=(D G I O 0)
mapfile -t table < <(
    sed -nE '/^static const struct row rows/,/^};/{ s/^    \{"[^"]* [^"]*"//; p }' "$source_dir/src/app/input.c" |
        grep -oE '(\{|name = )"(\\"|[^"]+)"' | sed -E 's/^(\{|name = )"//; s/"$//; s/^\\//'
)
for name in "${table[@]}"; do
    case $name in
    q | Esc | + | - | = | D | G | I | O | 0) ;;
    *) keys+=("${x_names[$name]:-$name}") ;;
    esac
done
# And those that the kernels' own files name, for a filter or a lab.
mapfile -t own_keys < <(grep -rhE '^//! (filter|lab) "[^"]*" key .$' "$kernels" | sed 's/.* //')
[ ${#own_keys[@]} -gt 12 ] || fail "only ${#own_keys[@]} keys in the kernels"
keys+=("${own_keys[@]}")
[ ${#keys[@]} -gt 75 ] || fail "only ${#keys[@]} keys in the table"
saved=filters/mean.cu
sizes=('1 1' '2 900' '4096 2304' '3840 2160' '640 480' '320 200' '1280 720' '7 5')

# A random place, mostly where panels are in a small window.
place() {
    if [ $((RANDOM % 8)) -eq 0 ]; then
        x=$((RANDOM % 4096)) y=$((RANDOM % 2304))
    else
        x=$((RANDOM % 640)) y=$((RANDOM % 480))
    fi
}

# A random action into the array `actions`, for one call of xdotool.
add_action() {
    local roll=$((RANDOM % 100)) x y
    place
    if [ $roll -lt 66 ]; then
        actions+=(key --delay 1 "${keys[RANDOM % ${#keys[@]}]}")
    elif [ $roll -lt 70 ]; then
        actions+=(mousemove "$x" "$y")
    elif [ $roll -lt 82 ]; then
        actions+=(mousemove "$x" "$y" click 1)
    elif [ $roll -lt 85 ]; then
        actions+=(click $((RANDOM % 5 + 1)))
    elif [ $roll -lt 87 ]; then
        actions+=(mousedown 1 mousemove "$x" "$y" mouseup 1)
    elif [ $roll -lt 89 ]; then
        actions+=(keydown Tab sleep 0.05 keyup Tab)
    elif [ $roll -lt 94 ]; then
        # shellcheck disable=SC2206
        actions+=(windowsize "$window" ${sizes[RANDOM % ${#sizes[@]}]})
    elif [ $roll -lt 96 ]; then
        actions+=(key --delay 1 s)
    elif [ $roll -lt 97 ]; then
        actions+=(key --delay 1 S)
    else
        actions+=(sleep 0.2)
    fi
}

# Returns when the viewer has taken in all keys before: nothing else changes the size of its text.
catch_up() {
    local key=plus sign=+ count=$((RANDOM % 8 + 1)) wanted many is_stopped=''
    look
    value .text_scale
    if [ "${REPLY%.*}" -ge 2 ]; then key=minus sign=-; fi
    wanted=$(awk "BEGIN {print $REPLY $sign $count * 0.125}")
    mapfile -t many < <(yes $key | head -n $count)
    press "${many[@]}"
    wait_for "text of size $wanted" has_wanted_size
}
# + and - change the pace of a lens that plays: it is stopped, once, and they come again.
has_wanted_size() {
    says .text_scale "$wanted" && return
    if [ ! "$is_stopped" ] && says .playing true; then
        is_stopped=yes
        press exclam "${many[@]}"
    fi
    return 1
}

is_wrong() {
    says check wrong || return
    fail "after $acted actions: $(what) is wrong"
}

# act COUNT: random actions, ten at a time, of which none may lead to a wrong picture. Now and then
# the viewer finds all ten at once, as after a turn that took long.
acted=0
act() {
    local left=$1 i actions
    while [ "$left" -gt 0 ]; do
        actions=()
        for i in 1 2 3 4 5 6 7 8 9 10; do add_action; done
        printf '%s\n' "${actions[*]}" >>actions
        if [ $((RANDOM % 4)) -eq 0 ]; then kill -STOP "$pid" && printf 'at once:\n' >>actions; fi
        xdotool "${actions[@]}" 2>/dev/null
        kill -CONT "$pid"
        left=$((left - 10))
        acted=$((acted + 10))
        if is_gone; then return; fi
        is_wrong && return
    done
}

save() { printf 'save %s\n' "$1" >>actions; cat >"data/$1"; }
save_something() {
    case $((RANDOM % 4)) in
    0 | 1) sed "1,/^\/\/ /s|^// .*|// Saved $RANDOM|" "$kernels/$saved" | save "kernels/$saved" ;;
    2) head -c 900 "$kernels/$saved" | save "kernels/$saved" ;;  # half of it; mended later
    3) save shaders/image.frag <"$source_dir/shaders/image.frag" ;;
    esac
}

# ---- what must be ----

what() {
    local name text=''
    for name in filter variant radius block unroll picture path; do
        value $name
        text+="$name $REPLY, "
    done
    echo "${text%, }"
}
checks_made=0

# within SECONDS COMMAND…
within() {
    local left
    for ((left = 10 * $1; left > 0; left--)); do
        "${@:2}" && return
        sleep 0.1
    done
    return 1
}

is_lab() {
    value "$1.filter"
    [ -n "$REPLY" ] && [ -e "$kernels/labs/$REPLY.cu" ]
}

# Whatever is shown, if it can run: exact, and so is what it is compared with. A lab may have been
# made so large that it takes minutes, and is left alone then.
check_side() {
    if is_lab A || is_lab B; then within 20 says stage_settled yes || return 0; fi
    wait_for "settled times of $(what)" says stage_settled yes
    is_wrong
    says current yes check exact && checks_made=$((checks_made + 1))
}
check_shown() {
    press Escape  # a list or a number that is typed would take the keys; no other one follows it
    catch_up
    holds .frozen true && press space
    xdotool windowsize "$window" 320 200
    wait_for 'the picture to run' says .frozen false
    check_side
    holds .comparing true || return
    value .side
    press x
    wait_for 'the other side' says .side $((1 - REPLY))
    check_side
}

# holds NAME PATTERN: now that all presses are taken in. Before, a key that switches would be pressed
# for a state that is over.
holds() {
    wait_for 'all presses to be taken in' says
    says "$@"
}

# off NAME KEY [VALUE]: what is open is closed. Help may have many pages, and h shows the next one.
off() {
    local tries=50
    until holds "$1" "${3-false}"; do
        ((tries-- > 0)) || { fail "$1 stays: $unsaid"; return; }
        press "$2"
    done
}

# Back to what the probe has computed: every pixel of the window.
check_pixels() {
    local switch index width height
    save "kernels/$saved" <"$kernels/$saved"
    for switch in .fullscreen=F11 .help=h .comparing=c .grid=g .frozen=space \
        .sector_{requests,warps,blocks}=ampersand; do
        off "${switch%=*}" "${switch#*=}"
    done
    holds .bare true || press o
    # In a common block, which naive can run in; twice where it may be asked whether it is meant.
    press z m m 1 1 b Next Next Next Next Next Next Next Next Up Up
    wait_for 'the mean at radius 2' says filter mean variant naive radius 2 .zoom 0 .bare true "${settled[@]}"
    value picture
    index=${REPLY%.png}
    read -r width height _ <<<"${pictures[index]}"
    xdotool windowsize "$window" "$width" "$height"
    checks=$((checks + 1))
    wait_for "the very pixels of $index.png, $(what)" shows "mean$index.png"
    checks_made=$((checks_made + 1))
    xdotool windowsize "$window" 640 480
    press o
}

# What is shared with the X server is left out: Mesa keeps the window's pictures there, and a check
# finds them as large as the window was a moment ago.
memory_kb() { awk '/^RssAnon/ {print $2}' "/proc/$pid/status"; }
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

lens_devices() { cat "/proc/$pid/task"/*/comm 2>/dev/null | grep -c '^cpu queue'; }
# Some seconds after it was closed, the lens has given back all that it took; and nothing is saved.
is_at_rest() {
    [ "$(lens_devices)" -eq "$devices" ] &&
        ! grep -qE '\(pool-[^)]*\) [^S]' "/proc/$pid/task"/*/stat 2>/dev/null &&
        ! grep -qE '^(saving|copying|picture|host call)$' "/proc/$pid/task"/*/comm 2>/dev/null
}
# The copy that others may paste becomes as large as this window. The lens, once it goes, gives the
# system back what is free, whoever freed it.
measure_memory() {
    local switch opened=()
    for switch in .lens=M .roofline=Y; do
        holds "${switch%=*}" true && opened+=("${switch#*=}")
    done
    press ctrl+c
    holds .lens true || press M
    wait_for 'the lens' says .lens true lens_stale no
    # Counts lead beside the times of a recorded GPU, and the lens goes on counting for them.
    [ "$device" = cpu ] || off .times ctrl+t ''
    for switch in .lens=M .roofline=Y; do off "${switch%=*}" "${switch#*=}"; done
    wait_for 'the lens to give back its memory' is_at_rest
    memory+=("$(memory_kb)")
    [ ${#opened[@]} -eq 0 ] || press "${opened[@]}"
}

is_swept() {
    look
    value measured
    local count=$REPLY
    value to_measure
    [ "$REPLY" -gt 0 ] && [ "$count" -ge "$REPLY" ]
}
# All kernels stay compiled, and the latest of those that were so for given values, which sweeps ask
# for until there are as many as are kept: what comes after that takes no more.
show_all() {
    local own digit
    for own in "${own_keys[@]}"; do
        press "$own"
        for digit in 1 2 3 4 5 6 7; do
            press $digit
            sleep 0.1  # it is taken in
            within 3 says stage_settled yes
        done
        press u p
        sleep 0.1
        within 20 is_swept
        press p u
    done
}

# ---- the run ----

open --data data --size 640x480 "${names[@]}"
xdotool windowfocus "$window"  # or a window of 1×1 has no keys
until_says current yes
devices=$(lens_devices)  # before there is a lens
[ "$seconds" -lt 600 ] || show_all
end=$((SECONDS + seconds * 9 / 10))
memory=()
for ((round = 1; SECONDS < end; round++)); do
    act 50
    save_something
    act 50
    check_shown
    [ $failures -eq 0 ] || break
    check_pixels
    [ $failures -eq 0 ] || break
    [ $((round % 3)) -gt 0 ] || measure_memory
    rm -f "$shots"/*
done
if [ $failures -eq 0 ]; then
    keys+=("${tour_keys[@]}" "${tour_keys[@]}" Return Return Return Return)
    while [ $SECONDS -lt $((end + seconds / 10)) ] && ! is_gone; do act 50; done
fi

count=${#memory[@]}
quarter=$(((count + 3) / 4))
before=0 after=0
if [ "$count" -ge 4 ]; then
    before=$(median "${memory[@]:quarter:quarter}")
    after=$(median "${memory[@]:count - quarter:quarter}")
fi
printf '%d actions, %d checks of what is shown, memory %d to %d KB\n' \
    $acted $checks_made "$before" "$after"
[ "$seconds" -lt 600 ] || printf 'in MB, one a check: %s\n' "${memory[*]%???}"
look
value shown_again
printf 'frames that the window did not take over: %s\n' "$REPLY"
expect 'some pictures were checked' [ $checks_made -gt 0 ]
if [ "$seconds" -ge 600 ] && ! is_sanitized; then
    expect 'memory was read often enough' [ "$count" -ge 4 ]
    expect 'memory stays within 5 %' [ $((after * 100)) -le $((before * 105)) ]
fi
# A sheet is given up when something else is chosen; a screenshot waits for that.
press Escape Right
catch_up
wait_for 'what was asked for' says stage_settled yes keys_left 0
for ((tries = 0; tries < 3; tries++)); do  # what is open goes first, a list and the help, too
    is_gone || { press Escape q && sleep 1; }
done
wait_until_gone
notes=$'([0-9]+ of [0-9]+: [^\n]*(\n|$))*'  # of tours
has_ended 0 "$notes"  # with nothing said by OpenGL, CUDA or a sanitizer
finish
