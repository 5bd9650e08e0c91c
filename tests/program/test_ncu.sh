#!/usr/bin/env bash
# The lens against the hardware: PROGRAM SOURCE_DIR LAUNCH_CASES
# Every filter and lab variant runs under ncu at three shapes; what the lens counts must be equal.
# It skips where there is no GPU, no ncu, or no right to read the GPU's counters. It keeps its
# files in the folder TILESCOPE_NCU_FOLDER, if there is one of that name in the environment.
set -uo pipefail

program=$(realpath "$1")
source_dir=$(realpath "$2")
launcher=$(realpath "$3")
folder=${TILESCOPE_NCU_FOLDER:-$(mktemp -d)}
[ -n "${TILESCOPE_NCU_FOLDER:-}" ] || trap 'rm -rf "$folder"' EXIT

skip() {
    echo "skipped: $*"
    exit 77
}

command -v ncu >/dev/null || skip 'there is no ncu (Nsight Compute)'
command -v python3 >/dev/null || skip 'there is no python3'

# The program's own kernels, and those whose lanes part.
mkdir -p "$folder/data"
cp -r "$source_dir/kernels" "$folder/data"
ln -sfn "$source_dir/shaders" "$folder/data/shaders"
cp "$source_dir/tests/kernels/divergent.cu" "$folder/data/kernels/filters"

python3 "$source_dir/tests/lens/compare_ncu.py" "$program" "$launcher" "$folder/data/kernels" \
    "$folder"
