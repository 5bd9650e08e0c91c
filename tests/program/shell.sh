# shellcheck shell=bash
# Sourced first by the shell tests, which are called with: PROGRAM SOURCE_DIR PROBE_PNG [BUILD_DIR]
# It works in a folder of its own, and sets program, source_dir, probe, build and work to their paths.
# What one of them compiled is there for the others, in the cache of all builds.
# Every expectation is counted; the test goes on after one that fails, and finish says how it went.

set -uo pipefail
program=$(realpath "$1")
source_dir=$(realpath "$2")
probe=$(realpath "$3")
work=$(mktemp -d)
# What the command of an expectation says goes into a file that is in no folder: a substitution
# would take a process each.
exec {complaint}<>"$work/complaint"
rm "$work/complaint"
complaint=/proc/self/fd/$complaint
checks=0
failures=0

unset CC TILESCOPE_DATA
export LC_ALL=C.UTF-8 TILESCOPE_CACHE DISPLAY=:99999  # only windows need one
build=$(realpath "${4:-$work}")
TILESCOPE_CACHE=$source_dir/build/cache
[ "$build" != "$work" ] || TILESCOPE_CACHE=$work/cache
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Both read all that they are given: grep -q would break the pipe, and pipefail judges that.
is_sanitized() { nm "$program" 2>/dev/null | grep -E '__(asan|tsan)_init' >/dev/null; }
has_gpu() { "$program" devices 2>/dev/null | grep '^cuda:' >/dev/null; }

fail() {
    failures=$((failures + 1))
    printf 'FAILED (line %s): %s\n' "${BASH_LINENO[-2]}" "$*" >&2
}

# expect WHAT COMMAND…: the command succeeds.
expect() {
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" >"$complaint" 2>&1 || fail "$what: $(<"$complaint")"
}

expect_not() {
    local what=$1
    shift
    checks=$((checks + 1))
    if "$@" >/dev/null 2>&1; then fail "$what"; fi
}

# is TEXT PATTERN: the whole text matches the extended regular expression.
is() {
    [[ $1 =~ ^($2)$ ]] && return
    printf "'%s' is not '%s'\n" "$1" "$2"
    return 1
}

# has TEXT WORDS: the words stand in the text.
has() {
    [[ $1 == *"$2"* ]] && return
    printf "'%s' is not in '%s'\n" "$2" "$1"
    return 1
}

# find_python WHAT: the path of python3 itself goes into python; on the PATH there may be a script that
# looks for it each time. Ends with 77 where there is none to read WHAT.
find_python() {
    python=$(python3 -c 'import sys; print(sys.executable)') && return
    echo "skipped: there is no python3 to read $1"
    exit 77
}

# figure PATH: a number or word of the JSON on stdout, such as kernels.0.arch, as find_python's Python
# prints it in JSON.
figure() {
    "$python" -c '
import json, sys
at = json.load(open(sys.argv[1]))
for step in sys.argv[2].split("."):
    at = at[int(step)] if isinstance(at, list) else at[step]
print(json.dumps(at))' "$work/out" "$1"
}

same() { "$probe" same "$@"; }

# The text chunk KEY of a PNG file.
chunk() { "$probe" text "$1" | sed -n "s/^$2=//p"; }

# has_chunks FILE KEY=VALUE…: the text chunks of a PNG file.
has_chunks() {
    local text pair
    text=$'\n'$("$probe" text "$1")$'\n'
    for pair in "${@:2}"; do expect "$1 says $pair" has "$text" $'\n'"$pair"$'\n'; done
}

# What a folder holds, as one line a file with its contents' sum.
contents() {
    (
        shopt -s dotglob globstar nullglob
        cd "$1" || exit
        files=()
        for file in **; do [ ! -f "$file" ] || [ -L "$file" ] || files+=("$file"); done
        [ ${#files[@]} -eq 0 ] || exec cksum -- "${files[@]}"
    )
}

# run ARGUMENTS…: starts the program with the words of prefix and these; sets status, out and err. The
# limit is for what hangs. A test that wants times gives --budget 1e6: no busy machine spends that.
prefix=()
run() {
    status=0
    timeout 900 "$program" "${prefix[@]}" "$@" >"$work/out" 2>"$work/err" </dev/null ||
        status=$?
    # As $(<file) would, but without a process.
    IFS=$'\n' read -rd '' out <"$work/out" || true
    IFS=$'\n' read -rd '' err <"$work/err" || true
}

# works ARGUMENTS…: the same, and it exits with 0.
works() {
    run "$@"
    expect "$* exits with 0 ($err)" is $status 0
}

# is_as_before NAMES: the folder box has these, and none is younger than the file stamp.
is_as_before() {
    local name now
    printf -v now '%s ' box/* box/.*
    [ "$now" = "$1" ] || return
    for name in box/* box/.*; do if [ "$name" -nt "$work/stamp" ]; then return 1; fi; done
}

# refuse STATUS WORDS ARGUMENTS…: it exits so, says one line that holds the words, prints nothing, or
# what the pattern in printed says, and leaves the folder box as it was. OUT stands for each of the
# outputs: a new file in there, and one that exists. Before a command line is understood, no output
# is looked at, and one of them will do.
outputs=(box/new.png box/old.png)
refuse() {
    local wanted=$1 words=$2 name before names=("${outputs[@]}")
    shift 2
    [ "$wanted" != 2 ] || names=("${outputs[checks % ${#outputs[@]}]}")
    printf -v before '%s ' box/* box/.*
    : >"$work/stamp"
    for name in "${names[@]}"; do
        run "${@//OUT/$name}"
        expect "$* exits with $wanted ($err)" is $status "$wanted"
        expect "$* says why in one line" is "$err" 'tilescope: [^
]+'
        expect "$* names it" has "$err" "$words"
        expect "$* prints no more" is "$out" "${printed:-}"
        expect "$* writes nothing" is_as_before "$before"
        [ "${*/OUT/}" = "$*" ] && break
    done
}

finish() {
    printf '%d checks, %d failed\n' "$checks" "$failures"
    [ "$failures" -eq 0 ]
}

# variants_of FILE: the variants of a kernel file, one a line; one of two passes twice.
variants_of() { sed -nE 's,^//! variant ([a-z0-9_]+) .*,\1,p' "$1"; }

# libraries_of FILE: those that are a library's, which a CPU refuses.
libraries_of() { sed -nE 's,^//! library ([a-z0-9_]+) .*,\1,p' "$1"; }
