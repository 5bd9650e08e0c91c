#!/usr/bin/env bash
# Runs a fuzzer for TILESCOPE_FUZZ_S seconds: RUNS HARNESS CORPUS [MORE]. Without it, so many times,
# with the same inputs each time. MORE is a second folder of inputs. What it finds on the way is not
# kept; an input that fails stays in the present folder, and its name is the last line.
set -euo pipefail
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
mkdir -p "$3"
much=(-seed=1 -runs="$1")
[ -z "${TILESCOPE_FUZZ_S:-}" ] || much=(-seed=0 -max_total_time="$TILESCOPE_FUZZ_S")
"$2" "${much[@]}" -timeout=120 -rss_limit_mb=3000 -malloc_limit_mb=0 \
    -error_exitcode=1 -print_final_stats=1 -verbosity=0 "$found" "${@:3}"
