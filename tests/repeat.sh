#!/usr/bin/env bash
# Does any test fail for nothing? Runs every test that drives a window, waits or measures many times
# beside busy loops, and prints how often each of them failed.
#
#     tests/repeat.sh [-n RUNS] [-b LOOPS] [-p PRESET] [-t] [REGEX]
#
#     -n RUNS     how often each test is run (20)
#     -b LOOPS    how many loops keep the processors busy (4)
#     -p PRESET   which build (ci); ./check has configured it
#     -t          only prints the table
#     REGEX       of the tests' whole names, in place of all that wait or measure
#
# It may be interrupted and started again: what was run at the same commit beside as many loops
# counts, and only what is missing is run. Its records and the output of what failed are in
# build/repeat. It exits with 0 if each test was run so often and none has failed.
set -uo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)

# What drives a window, waits or measures. The sanitized build has some that the other one has not.
waiting='bench|bench_command|bench_compare|builder|cli|compilers|display|edges_window|endurance'
waiting+='|exchange|exchange_window|grade|labs_window|large_window|lens_window|lens_wait|live'
waiting+='|engine|own_file_window|own_time|prints_window|process|proctor|restart|results|run'
waiting+='|sandbox|sharing_window|signals|source|stage_on_cpu|timekeeper|times_window|tools'
waiting+='|tour_command|tour_window|traces|tracing|viewer|watch|watchdog|window|workspace'

runs=20 loops=4 preset=ci is_table_only=''
while getopts n:b:p:t option; do
    case $option in
    n) runs=$OPTARG ;;
    b) loops=$OPTARG ;;
    p) preset=$OPTARG ;;
    t) is_table_only=yes ;;
    *) sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//p}' "$0" >&2 && exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[[ $runs$loops =~ ^[0-9]+$ ]] || { echo "repeat.sh: -n and -b take whole numbers" >&2 && exit 2; }

cd "$root" || exit 2
# ./check builds a test that runs under the sanitizers for them only.
cmake --build "build/$preset" >/dev/null || { echo "repeat.sh: build/$preset does not build" >&2 && exit 2; }
tree=$(git rev-parse --short HEAD 2>/dev/null || echo tree)
git diff --quiet HEAD 2>/dev/null || tree+=-changed-$(git diff HEAD | cksum | cut -d ' ' -f 1)
records=$root/build/repeat/$tree-$preset-$loops
mkdir -p "$records"

mapfile -t tests < <(ctest --test-dir "build/$preset" -N -R "^(${1:-$waiting})\$" |
    sed -n 's/^ *Test *#[0-9]*: //p')
[ ${#tests[@]} -gt 0 ] || { echo "repeat.sh: no such test in build/$preset; ./check builds it" >&2 && exit 2; }

# A test's record has a line a run: ok, skipped or FAILED, and its seconds.
for name in "${tests[@]}"; do : >>"$records/$name.runs"; done
count_runs() { wc -l <"$records/$1.runs"; }

table() {
    local name status=0
    printf '\n%s, %s busy loops, %s\n%-16s %5s %8s %8s %12s\n' "$tree" "$loops" "$preset" \
        test runs failures skipped 'longest, s'
    for name in "${tests[@]}"; do
        awk -v name="$name" -v wanted="$runs" '
            { count[$1]++; if ($2 > longest) longest = $2 }
            END {
                printf "%-16s %5d %8d %8d %12d\n", name, NR, count["FAILED"], count["skipped"], longest
                exit NR < wanted || count["FAILED"] || count["skipped"]
            }' "$records/$name.runs" || status=1
    done
    return $status
}

# The loops end with this script, even if it is killed.
busy=()
begin_loops() {
    local i
    for ((i = 0; i < loops; i++)); do
        while kill -0 $$ 2>/dev/null; do :; done &
        busy+=($!)
    done
}
end_loops() { [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}" 2>/dev/null; }

run_once() {
    local name=$1 start=$SECONDS log=$records/$1.log word=ok number
    ctest --test-dir "build/$preset" -R "^$name\$" --output-on-failure >"$log" 2>&1 || word=FAILED
    grep -q '\*\*\*Skipped' "$log" && word=skipped
    printf '%s %d\n' $word $((SECONDS - start)) >>"$records/$name.runs"
    number=$(count_runs "$name")
    printf '%-16s %3d of %d  %-8s %5d s\n' "$name" "$number" "$runs" $word $((SECONDS - start))
    [ $word = ok ] || cp "$log" "$records/$name.$number.log"
    rm -f "$log"
}

if [ -z "$is_table_only" ]; then
    trap end_loops EXIT
    trap 'table; exit 130' INT TERM HUP
    begin_loops
    # In rounds, so that something is known of each test early.
    for ((round = 1; round <= runs; round++)); do
        for name in "${tests[@]}"; do
            [ "$(count_runs "$name")" -ge $round ] || run_once "$name"
        done
    done
    end_loops
    busy=()
fi
table
