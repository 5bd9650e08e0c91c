#!/usr/bin/env bash
# tilescope grade: submissions with known verdicts, in every format, and every bad input.
set -uo pipefail
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
export DISPLAY=:99999          # nothing here may need one
export CUDA_VISIBLE_DEVICES=  # no test judges a time

find_python JSON
cd "$work" || exit 1
mkdir tmp
export TMPDIR=$work/tmp

# run ARGUMENTS…: sets status, out and err.
run() {
    status=0
    timeout 300 "$program" grade "$@" >"$work/out" 2>"$work/err" || status=$?
    out=$(<"$work/out")
    err=$(<"$work/err")
}

# ---- known verdicts: file | lab, unless it is transpose | exit | words of its report | more ----

while IFS='|' read -r name against code words more; do
    run "$source_dir/tests/grade/$name.cu" --against "${against:-transpose}" --seed 7
    if [ "$name" = too_much_device_memory ] && has "$out" 'lacks: limits of time and memory'; then
        echo "skipped: $name: this build runs without limits"
        continue
    fi
    expect "$name exits with $code" is "$status" "$code"
    expect "$name: why" has "$out" "$words"
    expect "$name: and more" has "$out" "$more"
    expect "$name says nothing on stderr" is "$err" ''
done <<'END'
right||0|10 of 10  goal: sectors at most 1.05 × copy|A kernel that works around the measuring can get the points for memory, races and goals unnoticed
wrong_at_edge||1|b is wrong: at row 96, column 0 it is not written and should be 149
race||1|one thread writes in shared memory what another reads: put __syncthreads() between the two
barrier_in_branch||1|not all threads reach a barrier: 128 wait, as thread 0; 128 never come, as thread 128|barrier_in_branch.cu:22: if (threadIdx.y < 4) __syncthreads();
race_in_global||1|race_in_global.cu:21: d.t[0] += 1;
out_of_bounds||1|reads a[
outside_shared||1|writes tile[
too_slow||1|sectors: 4.500 × copy
one_lane||1|sectors: 8.000 × copy
uncoalesced||1|uncoalesced.cu:20: if (x < p.rows
conflicts||1|conflicts: 138880
endless||1|is too long to be traced: it was stopped after
does_not_compile||1|does_not_compile.cu:20:82: expected ';' before '}' token
too_much_memory||1|needs 1048576 B of shared memory per block, the device allows 232448 B
too_much_device_memory||1|cannot load the compiled kernels: failed to map segment
cheat_file||1|it asked the operating system for something, which no kernel does
cheat_include||1|cheat_include.cu:15:10: "/etc/passwd" is not one of the headers
hidden_pixels|mean|1|✗     0 of 10  goal: sectors at most 2 × copy
calls_itself||1|calls_itself.cu:17: 'power' calls itself: what it reads and writes cannot be counted
counts_launches||1|it writes a variable of the file, which keeps its value from one launch to the next|counts_launches.cu:23: if (x == 0 && y == 0) launches++;
changes_thread||1|changes_thread.cu:20:17: assignment of member 'y' in read-only object
outside_row|invert|1|writes beside the rows of out, at byte
END

status=0
"$program" grade "$source_dir/tests/grade/right.cu" --against transpose >/dev/full 2>"$work/err" ||
    status=$?
expect 'a report that cannot be printed is no bad submission' is "$status" 2

# A compiler may be a script around another one.
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v cc)" >wrapper
chmod 755 wrapper
TILESCOPE_CACHE='' CC=$work/wrapper run "$source_dir/tests/grade/right.cu" --against transpose --seed 7
expect 'a compiler that is a script: it is graded' is "$status" 0
expect 'a compiler that is a script: nothing is said' is "$err" ''
expect 'no folder is left behind' is "$(ls tmp)" ''

# A name that could be mistaken for something else.
odd=$'a\nb\e[31m \xff.cu'
cp "$source_dir/tests/grade/does_not_compile.cu" "$odd"
run "$odd" --against transpose --seed 7 --json odd.json
expect 'a file of any name is graded' is "$status" 1
expect 'its name is one line' is "$(sed -n '1s/, mine.*//p' "$work/out")" $'a b\xef\xbf\xbd\\[31m \xef\xbf\xbd.cu'
expect 'and JSON' "$python" -c 'import json; assert json.load(open("odd.json"))["file"] == "a b\ufffd[31m \ufffd.cu"'
rm -f "$odd"

# ---- an end before its time ----

# runs PATTERN: some process has been started with such words.
runs() { cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -q "$1"; }
# wait_until WORDS…: a condition, for as long as a compiler may take.
wait_until() {
    for ((i = 0; i < 600; i++)); do "$@" && return; sleep 0.1; done
    return 1
}
no_work() { ! runs "$TMPDIR/[t]ilescope-grade-"; }
"$program" grade "$source_dir/tests/grade/endless_compile.cu" --against transpose >/dev/null 2>err &
grader=$!
expect 'a compiler begins' wait_until runs "cc1.*$TMPDIR/[t]ilescope-grade-"
kill "$grader"
wait "$grader"
expect 'an interrupted grade ends as its signal says' is $? 143
expect 'its compiler ends with it' wait_until no_work
expect 'it says nothing' is "$(<err)" ''
expect 'it leaves no folder behind' is "$(ls tmp)" ''

# ---- reports ----

run "$source_dir/tests/grade/cheat_sizes.cu" --against transpose --seed 7 --json a.json
expect 'what is wrong at some sizes exits with 1' is "$status" 1
expect 'and gets no points for its speed' has "$out" 'no points, because not every result is exact'
expect 'the JSON is what an autograder reads' "$python" -c '
import json
g = json.load(open("a.json"))
tests = g["tests"]
assert g["seed"] == 7 and g["variant"] == "mine" and g["against"] == "transpose"
assert g["score"] == sum(t["score"] for t in tests) == 30
assert g["max_score"] == sum(t["max_score"] for t in tests) >= 90
assert [t["status"] for t in tests[:3]] == ["passed", "passed", "failed"]
assert "b is wrong: at row 0, column 0 it is not written" in tests[2]["output"]
assert "works around the measuring" in g["output"]'
expect 'the table has a row a test' is "$(grep -c '^[✓✗–] ' "$work/out")" 15
expect 'the table repeats the seed' grep -q -e '--seed 7' "$work/out"

# ---- files that are no kernels: no points, and the JSON is written all the same ----

while IFS='|' read -r name words; do
    rm -f no.json
    run "$name.cu" --against transpose --seed 7 --json no.json
    expect "$name exits with 1" is "$status" 1
    expect "$name: why" has "$out" "$words"
    expect "$name: the JSON says the same" "$python" -c '
import json, sys
g = json.load(open("no.json"))
assert g["score"] == 0 and g["max_score"] >= 90, g
assert sys.argv[1] in g["tests"][0]["output"], g' "$words"
done < <(
    printf '#include "lab.h"\n#include "a\0b"\n' >nul.cu
    printf 'a\0b' >nul_alone.cu
    : >empty.cu
    printf '\xff\xfe\n' >bytes.cu
    head -c 16777217 /dev/zero | tr '\0' ' ' >large.cu
    printf '%s\n' 'nul|it is not text' 'nul_alone|it is not text' 'empty|does not include' \
        'bytes|does not include' 'large|it is larger than 16 MB'
)

# ---- goals: the best variant of a file meets them, the first one does not ----

while read -r file best naive; do
    run "$source_dir/kernels/$file.cu" --against "${file#*/}" --variant "$best"
    expect "$file $best passes: $out" is "$status" 0
    run "$source_dir/kernels/$file.cu" --against "${file#*/}" --variant "$naive"
    expect "$file $naive does not" is "$status" 1
    expect "$file $naive: why" grep -q '^✗ .*  goal: sectors at most' out
done <<'END'
labs/access bytes4 shuffled
labs/constants constant global
labs/histogram lanes global
labs/matmul wide naive
labs/matvec vector naive
labs/records vector aos
labs/sliding scanned naive
labs/sum vector modulo
labs/transpose vector write_columns
END

# What goes wrong in the same way each time is told once.
sed 's/d\.a\[/((const float *)8)[/' "$source_dir/tests/grade/right.cu" >astray.cu
run astray.cu --against transpose
expect 'a kernel that faults each time says so once' \
    is "$(grep -c 'reads or writes outside its memory' out)" 1
expect 'and then that it is the same' grep -q '^ *the same as above$' out
expect 'its line is told' has "$out" 'reads address 0x'

# ---- a skeleton ----

run --skeleton matvec
expect 'a skeleton exits with 0' is "$status" 0
cp out skeleton.cu
run skeleton.cu --against matvec
expect 'a skeleton is graded' is "$status" 1
expect 'it compiles, and no more' has "$out" 'mine against matvec: 5 of '

# ---- what goes wrong ----

refuses() {
    local what=$1 words=$2
    shift 2
    run "$@"
    expect "$what exits with 2" is "$status" 2
    expect "$what says why" has "$err" "$words"
    expect "$what prints nothing" is "$out" ''
}
good=$source_dir/tests/grade/right.cu
refuses 'no file' 'grade wants one file' --against transpose
refuses 'nothing to compare with' '--against says which' "$good"
refuses 'an unknown lab' "unknown filter or lab 'transpos'" "$good" --against transpos
refuses 'a file that is not there' "cannot read 'nowhere.cu'" nowhere.cu --against transpose
refuses 'an unknown variant' "right.cu has no variant 'best'" "$good" --against transpose --variant best
refuses 'a seed that is none' "seed 'x' is not a number" "$good" --against transpose --seed x
refuses 'a place that is none' "cannot write 'no/a.json'" "$good" --against transpose --json no/a.json
cp "$good" mine.cu
ln -s mine.cu link.json
for place in mine.cu link.json; do
    refuses "the submission as $place" "'$place' is the submission, which --json would overwrite" \
        mine.cu --against transpose --json $place
done
expect 'and it is still there' cmp -s mine.cu "$good"
ours='the grader cannot compile a file of its own:'
TMPDIR=$work/none refuses 'no place for files' "$ours Failed to create file" "$good" --against transpose
CC=no-such-compiler refuses 'no C compiler' 'no C compiler found' "$good" --against transpose
refuses 'a skeleton of nothing' "unknown filter or lab 'tree'" --skeleton tree

finish
