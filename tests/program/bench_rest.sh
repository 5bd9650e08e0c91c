#!/usr/bin/env bash
# Prints how long the window takes from a move of the pointer to the figures of the block under it,
# once the kernel is compiled for the lens; judges nothing. The rest of the pointer is part of the
# time, and so are the drawing of the figures and some milliseconds of xdotool's.
#
#     tests/program/bench_rest.sh build/ci/tilescope . build/ci/tests/probe_png build/ci \
#         [DEVICE [FILTER…]]
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
device=${5:-cpu}
# shellcheck source=tests/program/window.sh
. "$source_dir/tests/program/window.sh"
filters=("${@:6}")
[ ${#filters[@]} -gt 0 ] || filters=(mean threshold transpose matmul)
places=15
longest_us=3000000  # a place that takes longer is left out

now_us() { REPLY=${EPOCHREALTIME/./}; }

# The figures of another block than the one named so. It is asked often, and so costs little.
has_left() {
    local LC_ALL=C text=''
    { IFS= read -rd '' text <"$dump"; } 2>/dev/null
    [[ $text == *$'"lens_stale":\t"no"'* && $text != *$'"lens":\t"'"$1\""* ]]
}

# move X Y: the time until the figures are those of the block there, into taken_ms. It ends with 1
# where they do not change.
taken_ms=0
move() {
    local begin before
    look
    value lens
    before=$REPLY
    now_us
    begin=$REPLY
    xdotool mousemove "$1" "$2"
    until has_left "$before"; do
        now_us
        [ $((REPLY - begin)) -lt $longest_us ] || return 1
        read -rt 0.003 <>"$pause"
    done
    now_us
    taken_ms=$(((REPLY - begin) / 1000))
}

# Each place lies in another block than the one before. Where it does not, it is not counted.
time_variant() {
    local times=() sorted=() i
    for ((i = 0; i < places; i++)); do
        move $((450 + 90 * (i % 5))) $((120 + 60 * (i / 5))) && times+=("$taken_ms")
        read -rt 0.25 <>"$pause"
    done
    if [ ${#times[@]} -eq 0 ]; then
        printf '%-10s %-12s no other block under any place\n' "$filter" "$variant"
        return
    fi
    mapfile -t sorted < <(printf '%s\n' "${times[@]}" | sort -n)
    printf '%-10s %-12s %2d places, median %4s ms, quartiles %4s and %4s, longest %4s\n' \
        "$filter" "$variant" ${#times[@]} "${sorted[${#times[@]} / 2]}" \
        "${sorted[${#times[@]} / 4]}" "${sorted[${#times[@]} * 3 / 4]}" "${sorted[-1]}"
}

pause=$work/pause
mkfifo "$pause"
for filter in "${filters[@]}"; do
    file=$(find "$source_dir/kernels" -name "$filter.cu")
    for variant in $(variants_of "$file" | uniq); do
        open --filter "$filter" --variant "$variant" --size 1280x720
        until_says check exact
        xdotool mousemove 480 150
        key M -- .lens true lens_stale no settled yes
        time_variant
        press q
        has_ended 0
    done
done
finish
