#!/usr/bin/env bash
# tilescope grade with a GPU: NVRTC compiles the submission shut in, and the GPU takes its time.
# As root, also as an ordinary user.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
why=$("$program" devices 2>&1)
if ! grep -q '^cuda:' <<<"$why"; then
    echo "skipped: there is no GPU: $why"
    exit 77
fi
chmod 755 "$work"
mkdir -m 777 "$work/tmp"
export TMPDIR=$work/tmp TILESCOPE_CACHE= LECTURER_SECRET=canary-in-the-environment
cd "$work" || exit 1
base=$source_dir/tests/grade/right.cu
echo 'canary-in-a-file' >secret.txt
chmod 644 secret.txt

# grade NAME [COMMAND…]: runs it on NAME.cu with its words before it; sets status and out.
grade() {
    local name=$1
    shift
    status=0
    out=$(timeout 300 "$@" "$program" grade "$name.cu" --against transpose --seed 7 2>&1) || status=$?
}

# submission NAME SED: right.cu, changed.
submission() { sed "$2" "$base" >"$1.cu"; }

submission right ''
submission only_cpu 's|^    const bool is_inside|    static thread_local int wrong; (void)wrong;\n&|'
submission vertical_tab 's|^// Rows are|\v#include "'"$work"'/secret.txt"\n&|'
submission return_behind_slashes 's|^// Rows are|//\r#include "'"$work"'/secret.txt"\n&|'

try_all() {
    local who=$1
    shift
    grade right "$@"
    expect "$who: a time is taken: $out" grep -qE 'time: [0-9.]+ × copy' <<<"$out"
    expect "$who: the kernel is timed on the GPU as one that is right" is "$status" '[01]'
    grade only_cpu "$@"
    expect "$who: what only NVRTC refuses gets no time" is "$status" 1
    expect "$who: its line is named" has "$out" 'only_cpu.cu:15:'
    for name in vertical_tab return_behind_slashes; do
        grade "$name" "$@"
        expect "$who: $name gets no points" is "$status" 1
        expect_not "$who: $name shows nothing of the file" grep -q canary <<<"$out"
    done
    expect "$who: no folder is left behind" is "$(ls tmp)" ''
}
try_all "$(id -un)"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    try_all nobody setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent
fi
finish
