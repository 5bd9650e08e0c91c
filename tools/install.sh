# shellcheck shell=bash disable=SC2154  # root is the sourcing command's
# Sourced by ../run and ../check: finds what is missing, installs it by apt, builds.
#
#   need PACKAGES PROBE…     when the command PROBE… fails, PACKAGES are missing; names that differ
#                            between releases are written a|b: the first that apt knows is taken
#   want PACKAGES PROBE…     the same, but the program does without: tried once, and never an obstacle
#   install_missing NEEDS…   installs what the functions NEEDS find missing, or says what to
#                            install and how, and fails
#   build_preset NAME ARG…   configures, with more arguments for CMake, and builds $target, or all that
#                            is built by default; prints only errors
#
# Probes look for the thing itself, not for its package: what was installed by hand counts.
# Everything is said on stderr: stdout belongs to the program.

missing=()  # PACKAGES of the probes that failed
probes=()   # and those probes
wanted=()   # PACKAGES that are only wanted

need() {
    local packages=$1
    shift
    "$@" >/dev/null 2>&1 && return
    missing+=("$packages")
    probes+=("$*")
}

# Where somebody would have to be asked for a password it is not worth it.
want() {
    local packages=$1
    shift
    "$@" >/dev/null 2>&1 && return
    [ ! -e "$root/build/wanted.txt" ] && can_install_silently && wanted+=("$packages")
    return 0
}

has_program() { command -v "$1"; }

has_compiler() { printf '#include <stdio.h>\n' | cc -E -; }

has_cxx() { cc -x c++ -E /dev/null; }

has_cmake() {
    local version
    version=$(cmake --version | sed -n 's/^cmake version //p')
    [ -n "$version" ] && printf '3.21\n%s\n' "$version" | sort -VC
}

has_library() { pkg-config --exists "$*"; }

has_header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]; }

# Hangul, Kana and Han in one file of 5 MB.
east_asian_fonts='fonts-wqy-microhei|fonts-noto-cjk'

# What nvcc compiles with, where it is.
has_compiler_for_nvcc() {
    find_toolkit
    ! command -v nvcc || printf '#include <cmath>\n' | g++ -E -x c++ -
}

has_font() {
    local folders=(/usr/share/fonts /usr/local/share/fonts ~/.fonts ~/.local/share/fonts)
    [ -n "$(find "${folders[@]}" -regex '.*\.\([ot]t[cf]\|pf[ab]\)' -print -quit 2>/dev/null)" ]
}

# Letters of a language, by its code: of file names, captions and comments in kernels.
has_letters() { [ -n "$(fc-list ":lang=$1" family)" ]; }

has_east_asian_letters() { has_letters ko && has_letters ja; }

# What the program is built with and runs on. The compiler also compiles kernels, as C++, as it runs.
needs_to_run() {
    need 'gcc libc6-dev' has_compiler
    need 'g++' has_cxx
    need 'cmake' has_cmake
    need 'ninja-build' has_program ninja
    need 'pkg-config|pkgconf' has_program pkg-config
    need 'libglib2.0-dev' has_library glib-2.0
    need 'libpango1.0-dev' has_library pangocairo
    need 'libcairo2-dev' has_library cairo
    need 'libpng-dev' has_library libpng
    need 'libjpeg-dev' has_library libjpeg
    need 'libwebp-dev' has_library libwebp libwebpdemux
    need 'libtiff-dev' has_library libtiff-4 '>=' 4.5
    need 'libcjson-dev' has_library libcjson
    need 'libseccomp-dev' has_library libseccomp
    need 'zlib1g-dev' has_library zlib
    need 'libstb-dev' has_header stb/stb_image.h
    need 'libglew-dev' has_library glew
    need 'libglut-dev|freeglut3-dev' has_library glut '>=' 3.4
    need 'libgl-dev' has_library gl
    need 'libx11-dev' has_library x11
    need 'fonts-dejavu-core' has_font
    want 'g++' has_compiler_for_nvcc
    want "$east_asian_fonts" has_east_asian_letters
}

# ---- apt ----

# Names of packages for what is missing, each once.
choose_packages() {
    local word name chosen
    # shellcheck disable=SC2048  # an entry may be several words
    for word in ${missing[*]}; do
        chosen=${word%%|*}
        for name in ${word//|/ }; do
            [ -n "$(apt-cache show "$name" 2>/dev/null)" ] && chosen=$name && break
        done
        printf '%s\n' "$chosen"
    done | sort -u
}

# The reason why nothing can be installed, or failure: it can.
why_not() {
    if ! command -v apt-get >/dev/null; then
        echo "there is no apt-get (elsewhere the packages' names differ a little)"
    elif [ "$(id -u)" = 0 ]; then
        return 1
    elif ! command -v sudo >/dev/null; then
        echo "you are not root and there is no sudo"
    elif ! sudo -n true 2>/dev/null && ! [ -t 0 ]; then
        echo "sudo wants a password and there is no terminal to ask for it"
    else
        return 1
    fi
}

can_install_silently() {
    command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true; }
}

apt_get() {
    local root_command=()
    [ "$(id -u)" = 0 ] || root_command=(sudo)
    "${root_command[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o DPkg::Lock::Timeout=120 "$@"
}

say_what_to_install() {
    echo "Tilescope needs packages that are not here, and cannot install them: $1."
    shift
    printf '  %s\n' "$@"
    echo "Install them with"
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
    echo "and start this command again."
} >&2

# Into log; package lists are read first when there are none, and again when that may help.
install_packages() {
    local log=$1
    shift
    apt_get install --no-install-recommends "$@" >"$log" 2>&1 && return
    echo "Reading apt's package lists …" >&2
    apt_get update >"$log" 2>&1 || true
    mapfile -t packages < <(choose_packages)
    apt_get install --no-install-recommends "${packages[@]}" >>"$log" 2>&1
}

find_missing() {
    missing=() probes=() wanted=()
    local needs
    for needs in "$@"; do "$needs"; done
}

# After find_missing.
install_wanted() {
    [ ${#wanted[@]} -gt 0 ] || return 0
    missing=("${wanted[@]}")
    local packages log
    mapfile -t packages < <(choose_packages)
    log=$(mktemp)
    echo "Installing ${packages[*]} …" >&2
    install_packages "$log" "${packages[@]}" || echo "That failed; Tilescope does without." >&2
    rm -f "$log"
    mkdir -p "$root/build"
    : >"$root/build/wanted.txt"
}

install_needed() {
    local packages reason log i
    find_missing "$@"
    [ ${#missing[@]} -eq 0 ] && return
    mapfile -t packages < <(choose_packages)
    if reason=$(why_not); then
        say_what_to_install "$reason" "${packages[@]}"
        return 1
    fi
    echo "Installing ${packages[*]} …" >&2
    log=$(mktemp)
    if ! install_packages "$log" "${packages[@]}"; then
        grep -E '^(E|W|Err)' "$log" | tail -n 4 >&2
        rm -f "$log"
        say_what_to_install "apt-get failed" "${packages[@]}"
        return 1
    fi
    rm -f "$log"
    hash -r
    find_missing "$@"
    for i in "${!missing[@]}"; do
        echo "${missing[i]} was installed, but is not enough on this release: ${probes[i]} fails" >&2
    done
    [ ${#missing[@]} -eq 0 ]
}

install_missing() {
    install_needed "$@" && install_wanted
}

# ---- building ----

# The newest CUDA toolkit joins PATH, where CMake looks for nvcc; without one nothing happens.
find_toolkit() {
    local folder
    command -v nvcc >/dev/null && return
    for folder in /usr/local/cuda $(printf '%s\n' /usr/local/cuda-* | sort -rV); do
        [ -x "$folder/bin/nvcc" ] && PATH=$PATH:$folder/bin && return
    done
    return 0
}

# CMake runs again only when the tree moved or a CUDA toolkit came, went or changed; ninja calls it
# for the rest.
build_preset() {
    local preset=$1 folder=$root/build/$1 nvcc facts
    shift
    find_toolkit
    nvcc=$(command -v nvcc || true)
    facts="$root $(readlink -f "${nvcc:-/}")"
    if [ "$(cat "$folder/facts.txt" 2>/dev/null)" != "$facts" ]; then
        echo "Building Tilescope ($preset) …" >&2
        rm -rf "$folder"
        mkdir -p "$folder"
        if ! (cd "$root" && cmake --preset "$preset" "$@") >"$folder/configure.log" 2>&1; then
            cat "$folder/configure.log" >&2
            return 1
        fi
        printf '%s\n' "$facts" >"$folder/facts.txt"
    fi
    cmake --build "$folder" --target "${target:-all}" >"$folder/build.log" 2>&1 && return
    grep -Ev '^\[[0-9]+/[0-9]+\] (Building|Linking)' "$folder/build.log" >&2
    return 1
}
