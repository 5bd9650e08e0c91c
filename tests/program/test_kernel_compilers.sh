#!/usr/bin/env bash
# shellcheck disable=SC2016  # another shell expands it
# Kernel files are ordinary CUDA C++: CUDA's own compiler takes each as it stands, and so does a C++
# compiler with the words of the CPU device.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"

mkdir texts wrong said

# ---- what is compiled ----

# example DOCUMENT HEADING: the first text of CUDA below that heading.
example() {
    awk -v heading="## $2" '$0 == heading { below = 1 } below && /^```$/ { exit }
        below && inside; below && /^```cuda$/ { inside = 1 }' "$source_dir/$1"
}
example README.md 'Add a filter in ten lines' >texts/posterize.cu
example kernels/README.md Labs >texts/scale.cu
for name in mean matvec; do
    run grade --skeleton $name --data="$source_dir"
    cp out texts/skeleton_of_$name.cu
done
expect "all texts are there" is "$(grep -l __global__ texts/*.cu | xargs -n 1 basename | tr '\n' ' ')" \
    'posterize.cu scale.cu skeleton_of_matvec.cu skeleton_of_mean.cu '

# One mistake each: in a kernel, and in a reference.
sed 's/threadIdx\.x;/threadIdx.w;/' texts/scale.cu >wrong/kernel.cu
sed 's/a\[i\] \* factor;/a[i] * factors;/' texts/scale.cu >wrong/reference.cu
for file in wrong/*.cu; do expect_not "$file has a mistake" cmp -s texts/scale.cu "$file"; done

# ---- by which compiler ----

# cuda_text.c writes declarations of dynamic shared memory anew before they are compiled for the CPU.
# Without that, they are arrays that are somewhere else.
cat >words.h <<'END'
#include "device/cpu/cuda_words.h"
#undef __shared__
#define __shared__
END

# compile COMPILER FILE: what it says goes into a file of said/; if it compiles, that has "compiled".
compile() {
    local log
    log=said/$1_$(basename "$2")
    if [ "$1" = nvcc ]; then
        # It reads all of the file; the test of NVRTC makes machine code of the kernels, optimized.
        nvcc -std=c++17 -arch="$arch" -I"$source_dir/kernels" -Xcicc -O0 -ptx "$2" -o /dev/null
    else
        "$1" -std=c++17 -fno-exceptions -fno-rtti -nostdinc++ -fsyntax-only -include words.h \
            -I"$source_dir/src" -I"$source_dir/kernels" -x c++ "$2"
    fi >"$log" 2>&1 && echo compiled >>"$log"
}
export -f compile
export source_dir arch

compilers=()
for name in clang++ g++; do
    if [ ${#compilers[@]} -eq 0 ] && command -v $name >/dev/null; then compilers=("$name"); fi
done
[ ${#compilers[@]} -gt 0 ] || echo 'skipped: there is neither clang++ nor g++'
if command -v nvcc >/dev/null; then
    compilers+=(nvcc)
    arch=$(nvcc --list-gpu-arch | tail -n 1)
    arch=sm_${arch#compute_}
else
    echo 'skipped: there is no nvcc to compile the same files'
fi

files=("$source_dir"/kernels/{filters,labs}/*.cu texts/*.cu)
for compiler in "${compilers[@]}"; do
    printf '%s\0' "${files[@]}" wrong/*.cu |
        xargs -0 -P 2 -I{} bash -c 'compile "$1" "$2"' _ "$compiler" {}
    for file in "${files[@]}"; do
        said=$(<"said/${compiler}_$(basename "$file")")
        expect "$compiler compiles $(basename "$file")" is "$said" '(.*
)?compiled'
    done
    for file in wrong/*.cu; do
        said=$(<"said/${compiler}_$(basename "$file")")
        expect "$compiler names the mistake of $file" has "$said" "$file"
        expect_not "$compiler refuses $file" has "$said" compiled
    done
done

# ---- what the cache must not mix up ----

# Kernels that the program compiled stay in its cache. Their names have a hash of the sources that
# prepare a kernel's text for the compiler, so that another version does not take them for its own.
for source in base/c_tokens.c device/cpu/compiler.c device/cpu/cuda_text.c device/device_text.c \
    device/headers.c; do
    hash=$(sha256sum <"$source_dir/src/$source")
    expect "the program has the hash of $source" grep -q "${hash%% *}" "$program"
done
finish
