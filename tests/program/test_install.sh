#!/usr/bin/env bash
# What `cmake --install` writes, used without the source tree, and what else is built for users:
# PROGRAM SOURCE_DIR PROBE_PNG BUILD_DIR
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"

# hide_tree FILE: where the program names the source tree, it now names a folder that is not there.
# One letter is changed, because the linker may have put a shorter text, "rb" say, into its end.
hide_tree() {
    TREE=$source_dir NOWHERE=/-${source_dir:2} perl -pi -e 's/\Q$ENV{TREE}\E/$ENV{NOWHERE}/g' "$1"
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
for page in README.md CONTRIBUTING.md docs/keys.md docs/tours.md docs/grading.md kernels/README.md; do
    expect "the documentation has $page" [ -s "$prefix/share/doc/tilescope/$page" ]
done
expect 'the tree can be hidden' hide_tree "$installed"

# ---- the program, moved and alone ----

before=$(contents "$prefix")
sample=$prefix/share/tilescope/assets/scene.png
expect 'the sample is there' cmp "$sample" "$source_dir/assets/scene.png"
expect 'a picture is rendered where it was built' \
    "$program" render "$sample" -o wanted.png --filter gaussian --device cpu
TILESCOPE_CACHE=$work/fresh-moved expect 'and where it was moved to' \
    "$installed" render "$sample" -o out.png --filter gaussian --device cpu
expect 'it is the same picture' same wanted.png out.png
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

# ---- the manual, the menu, completion ----

# is_here PROGRAM: what this machine lacks is not tested, and the test says so.
is_here() { command -v "$1" >/dev/null || { echo "skipped without $1: $2" && false; }; }

page=$prefix/share/man/man1/tilescope.1
expect 'the manual is there' [ -s "$page" ]
options=$(for name in view render bench list devices; do "$program" $name --help; done |
    grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE '\-\-.*' | sort -u)
if is_here groff 'the manual'; then
    expect 'the manual is without mistakes' is "$(groff -man -Tutf8 -ww -z "$page" 2>&1)" ''
    expect 'so it is in ASCII' is "$(groff -man -Tascii -ww -z "$page" 2>&1)" ''
    shown=$(groff -man -Tascii -P-cbou "$page" | tr -s '[:space:]' ' ')  # lines may end anywhere
    for word in $options 'Mean filter' TILESCOPE_CACHE 130 'with your rights' --skeleton --report; do
        expect "the manual has $word" has "$shown" "$word"
    done
fi
if is_here desktop-file-validate "the menu's entry"; then
    expect "the menu's entry is without mistakes" \
        desktop-file-validate "$prefix/share/applications/tilescope.desktop"
fi
expect 'its icon is there' [ -s "$prefix/share/icons/hicolor/scalable/apps/tilescope.svg" ]

PATH=$prefix/bin:$PATH  # the scripts ask the program
# complete_bash WORD…: what bash offers for the last word.
complete_bash() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _tilescope "$1" "${@: -1}" "${@: -2:1}"
    echo "${COMPREPLY[*]}"
}
# shellcheck source=/dev/null
. "$prefix/share/bash-completion/completions/tilescope"
expect 'bash calls it' has "$(complete -p tilescope)" '-o default -F _tilescope'
expect 'a command' is "$(complete_bash tilescope ren)" render
expect 'any command' has "$(complete_bash tilescope '')" 'view render run bench compare lens sass grade adopt tour list tours devices'
expect 'an option of a command' is "$(complete_bash tilescope render --ra)" --radius
expect 'an option of no command' is "$(complete_bash tilescope --ra)" --radius
expect "another command's option" is "$(complete_bash tilescope list --ra)" ''
expect 'a file is left to bash' is "$(complete_bash tilescope render pict)" ''
expect 'a lab in place of a picture' is "$(complete_bash tilescope render reco)" records
expect 'a filter, too' is "$(complete_bash tilescope bench gau)" gaussian
expect 'but not where arrays come from files' is "$(complete_bash tilescope run gau)" ''
offered=$(for name in view render bench list devices; do
    complete_bash tilescope $name -- | tr ' ' '\n'
done | sort -u)
expect 'every option is offered' is "$offered" "$options"
expect 'hidden options are not' is "$(complete_bash tilescope view --pro)" ''
if is_here zsh 'its completion'; then
    # What it gives to _describe, which only an interactive shell has.
    said=$(zsh -fc '_describe() { print -rl -- "${(@P)2}" }; _files() { }
        words=(tilescope render --ra) CURRENT=3; . "$1"' - "$prefix/share/zsh/site-functions/_tilescope")
    expect 'zsh offers an option, and says what it is' is "$said" '--radius:radius in pixels'
fi
if is_here fish 'its completion'; then
    file=$prefix/share/fish/vendor_completions.d/tilescope.fish
    said=$(HOME=$work fish --no-config -c "source '$file'; complete -C 'tilescope render --ra'")
    expect 'fish offers an option, and says what it is' is "$said" $'--radius\tradius in pixels'
    said=$(HOME=$work fish --no-config -c "source '$file'; complete -C 'tilescope list --ra'")
    expect "fish does not offer another command's" is "$said" ''
fi

# ---- the package ----

make_package() { cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/package"; }

if is_here dpkg-shlibdeps 'the package'; then
    expect 'cpack makes a package' make_package
    deb=$(echo package/*.deb)
    depends=", $(dpkg-deb -f "$deb" Depends)"
    for name in libc6 libglib2.0-0 libpng16-16 libgl1 'g++ | c++-compiler' 'libc6-dev | libc-dev'; do
        expect "it depends on $name" has "$depends" ", $name"
    done
    for name in libglib2.0-0t64 libpng16-16t64; do
        expect "and on the $name of other releases" has "$depends" " | $name ("
    done
    expect 'it wants the revision of no release' is "$(grep -o '([^)]*-[^)]*)' <<<"$depends")" ''
    expect 'it lies below /usr, and is of root' is \
        "$(dpkg-deb -c "$deb" | awk '$2 != "root/root" || $6 !~ /^\.\/(usr\/|$)/')" ''
    expect 'it is unpacked' dpkg -x "$deb" unpacked
    expect 'it has what was installed' is "$(files unpacked/usr)" "$(files "$prefix")"
    expect 'its program is stripped' is "$(objdump -t unpacked/usr/bin/tilescope | grep -c ' \.text')" 0
    expect 'the tree can be hidden from it' hide_tree unpacked/usr/bin/tilescope
    TILESCOPE_CACHE=$work/fresh expect 'a picture is rendered' \
        unpacked/usr/bin/tilescope render "$sample" -o out.png --filter gaussian --device cpu
    expect 'it is the same' same wanted.png out.png
fi

# ---- without cmocka, and with an nvcc that cannot compile here ----

# A folder with all that pkg-config knows here, but for one.
mkdir known
IFS=: read -ra folders < <(pkg-config --variable pc_path pkg-config)
find "${folders[@]}" -name '*.pc' ! -name cmocka.pc -exec ln -sf -t known {} + 2>/dev/null
nvcc=$(sed -n 's/^CUDAToolkit_NVCC_EXECUTABLE:.*=//p' "$build/CMakeCache.txt")
cat >nvcc <<END
#!/bin/sh
case " \$* " in *" -c "*) echo 'math.h(1): error: exception specification is incompatible' && exit 2 ;; esac
exec '$nvcc' "\$@"
END
chmod +x nvcc
said=$(PKG_CONFIG_LIBDIR=$work/known cmake -G Ninja -S "$source_dir" -B plain \
    -DTILESCOPE_STATIC_JPEG=ON ${nvcc:+-DCUDAToolkit_NVCC_EXECUTABLE=$work/nvcc} 2>&1)
expect 'without cmocka it is configured' [ -e plain/build.ninja ]
expect 'that says why there are no tests' has "$said" 'cmocka is not there: no tests'
targets=$(ninja -C plain -t targets all)
expect 'the program can be built' has "$targets" $'\ntilescope: '
if [ -x "$nvcc" ]; then
    expect 'it is built for CUDA' has "$said" 'both backends, cuda and cpu'
    expect 'what nvcc cannot compile is left out' has "$said" \
        'No CUB: nvcc fails here. math.h(1): error: exception specification'
    expect 'so it does not end the build' is "$(grep -c tilescope_cub <<<"$targets")" 0
else
    echo 'skipped: there is no nvcc'
fi
expect 'libjpeg can be a part of it' grep -q 'LINK_LIBRARIES = .*/libjpeg\.a' plain/build.ninja
expect 'no test is built' is "$(grep -c '^tests/' <<<"$targets")" 0

finish
