#!/usr/bin/env bash
# What `cmake --install` writes, used without the source tree, and what else is built for users:
# PROGRAM SOURCE_DIR PROBE_PNG BUILD_DIR
set -uo pipefail
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
build=$(realpath "$4")
cd "$work" || exit 1

# hide_tree FILE: where the program names the source tree, it now names a folder that is not there.
hide_tree() {
    local nowhere=/${source_dir//?/-}
    TREE=$source_dir NOWHERE=${nowhere:0:${#source_dir}} perl -pi -e 's/\Q$ENV{TREE}\E/$ENV{NOWHERE}/g' "$1"
    ! grep -qaF "$source_dir" "$1"
}

files() { (cd "$1" && find . -type f -o -type l | sort); }

# ---- what is installed ----

expect 'it is installed' cmake --install "$build" --prefix "$work/first"
mapfile -t manifest <"$build/install_manifest.txt"
expect 'the manifest names what was installed' is "$(printf '%s\n' "${manifest[@]}" | sort)" \
    "$(files first | sed "s|^\.|$work/first|")"
expect 'the pictures of the documents and their sources stay behind' is \
    "$(files first | grep -E '\.c$|sheet|screenshot')" ''

mkdir 'new place'
mv first 'new place/moved'
prefix="$work/new place/moved"
installed=$prefix/bin/tilescope
expect 'the tree can be hidden' hide_tree "$installed"

# ---- the program, moved and alone ----

before=$(contents "$prefix")
sample=$prefix/share/tilescope/assets/scene.png
expect 'the sample is there' cmp "$sample" "$source_dir/assets/scene.png"
for filter in mean gaussian; do
    expect "$filter is rendered where it was built" \
        "$program" render "$sample" -o wanted.png --filter $filter --device cpu
    TILESCOPE_CACHE=$work/fresh-$filter expect "$filter is rendered" \
        "$installed" render "$sample" -o out.png --filter $filter --device cpu
    expect "it is the same $filter" same wanted.png out.png
done
expect 'list is the same' cmp <("$installed" list) <("$program" list)
expect 'without a display, the sample is rendered' \
    env -u DISPLAY "$installed" view --device cpu --filter gaussian
expect 'it is the same sample' same wanted.png tilescope.png
expect 'nothing is written below the prefix' is "$(contents "$prefix")" "$before"

mkdir alone
cp "$installed" alone/tilescope
alone/tilescope list >said 2>&1
expect 'a program without its files says what is missing, in one line' \
    is "$?$(<said)" '1tilescope: [^
]*/kernels[^
]*'

# ---- without cmocka ----

# A folder with all that pkg-config knows here, but for one.
mkdir known
IFS=: read -ra folders < <(pkg-config --variable pc_path pkg-config)
find "${folders[@]}" -name '*.pc' ! -name cmocka.pc -exec ln -sf -t known {} + 2>/dev/null
said=$(PKG_CONFIG_LIBDIR=$work/known cmake -G Ninja -S "$source_dir" -B plain 2>&1)
expect 'without cmocka it is configured' [ -e plain/build.ninja ]
expect 'that says why there are no tests' has "$said" 'cmocka is not there: no tests'
targets=$(ninja -C plain -t targets all)
expect 'the program can be built' has "$targets" $'\ntilescope: '
expect 'no test is built' is "$(grep -c '^tests/' <<<"$targets")" 0

finish
