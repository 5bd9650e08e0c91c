#!/usr/bin/env bash
# A CUDA file that lies anywhere, with notes and without: every command takes it in place of a filter
# or lab, and adopt writes down what was guessed of it.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
export DISPLAY=:99999  # nothing here may need one

cd "$work" || exit 1
mkdir box own 'own/a folder.cu'
cat >own/Saxpy-2.cu <<'END'
#include <stdio.h>
#include "twice.cuh"

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = TWICE * a * x[i];
}

int main(void)
{
    saxpy<<<4096, 256>>>(1 << 20, 2.0f, NULL, NULL);
    printf("done\n");
    return 0;
}
END
echo '#define TWICE 2' >own/twice.cuh
cat >own/mean.cu <<'END'
//! Halves a picture.
//! filter "Half"
//! variant naive 32x8
#include "kernel.h"
__global__ void half_naive(plane out, plane in)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] = load(in, x, y) / 2;
}
END
"$probe" noise a.png 37 23 grey 1
"$probe" noise flat.png 8 8 grey 2

# ---- without notes ----

run run own/Saxpy-2.cu --device cpu --param n=1000 --param a=3 --out y=y.npy
expect "a file without notes runs ($err)" is $status 0
expect 'its name is the file'"'"'s, as it is written' has "$out" 'Saxpy-2 saxpy, n 1000 · a 3: '
expect 'nobody has said what is right' has "$out" 'not checked'
expect 'each guess is a line' is "$(grep -c ': guessed: ' <<<"$err")" 5
expect 'a guess says why' has "$err" 'tilescope: own/Saxpy-2.cu: guessed: n is a size'
expect 'the last line says what to do' is "${err##*$'\n'}" 'tilescope: .tilescope adopt own/Saxpy-2.cu. writes them down'
run run own/Saxpy-2.cu --in x=y.npy --out y=z.npy --device cpu
expect 'what it has written is as long as n' is $status 0
run lens own/Saxpy-2.cu
expect 'the lens counts it' is $status 0
expect 'as the hardware does' is "$(grep 'global load' <<<"$out" | xargs)" 'global load 2048 32.0 262144 8192 8192'
echo '__global__ void k(int *a, int n) { if (threadIdx.x < n) a[0] = missing; }' >own/mistaken.cu
run lens own/mistaken.cu
expect 'a mistake has its line' has "$err" $'\n    __global__ void k(int *a, int n) { if'
run lens --filter own/Saxpy-2.cu --param n=320
expect '--filter may name it, too' has "$out" 'Saxpy-2 saxpy, n 320 · a 1'
run bench own/Saxpy-2.cu --device cpu --param n=1024 --budget 300 -q
expect "it is measured ($err)" is $status 0
expect 'as a lab' has "$out" 'saxpy'
run render own/Saxpy-2.cu --device cpu -o s.png
expect "what it writes is a picture ($err)" is $status 0
run list own/Saxpy-2.cu
expect 'it is listed alone' is "$(grep -v '^ ' <<<"$out")" 'Saxpy-2  Saxpy-2'
run render own/Saxpy-2.cu --sheet --budget 300 --device cpu -o sheet.png
expect "its variants make a sheet ($err)" is $status 0
run render --restore s.png own/Saxpy-2.cu --device cpu -o again.png
expect "a picture of it is restored with it ($err)" same s.png again.png

# ---- what main puts into constant memory ----

cat >own/convolve.cu <<'END'
#define RADIUS 2
#define WIDTH (2 * RADIUS + 1)
__constant__ float mask[WIDTH][WIDTH];
__global__ void convolve(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        int row = y + i / WIDTH - RADIUS, column = x + i % WIDTH - RADIUS;
        if (row >= 0 && row < height && column >= 0 && column < width)
            sum += in[row * width + column] * mask[i / WIDTH][i % WIDTH];
    }
    out[y * width + x] = sum;
}
END
run run own/convolve.cu --device cpu --out out=sums.npy
expect "coefficients are proposed ($err)" has "$err" 'mask[25] is noise from 0 to 1'
expect 'and filled, so that sums are no zeros' [ "$(tail -c +129 sums.npy | tr -d '\0' | wc -c)" -gt 0 ]

# ---- adopt ----

run adopt own/Saxpy-2.cu
expect 'its notes stand first' is "${out%%$'\n'*}" '//! lab "Saxpy-2"'
expect 'guesses are comments' has "$out" '// guessed: n is a size'
expect 'the file follows' has "$out" "$(<own/Saxpy-2.cu)"
expect 'nothing is on stderr' is "$err" ''
run adopt own/Saxpy-2.cu -o own/noted.cu
expect "the same goes into a file ($err)" is "$status$out" 0
run run own/noted.cu --device cpu --param n=1000 --param a=3 --out y=noted.npy
expect 'which then runs the same' cmp y.npy noted.npy
expect 'and nothing is guessed any more' is "$err" ''
outputs=(box/new.cu)
refuse 1 "'own/noted.cu' has notes: nothing is changed" adopt own/noted.cu -o OUT
refuse 1 'none.cu' adopt own/none.cu -o OUT
refuse 2 'adopt wants one file' adopt
refuse 2 'adopt wants one file' adopt own/noted.cu own/mean.cu
refuse 2 'adopt wants one file' adopt a.png

# ---- with notes ----

run render own/mean.cu flat.png --device cpu -o half.png
expect "a filter of an installed one's name takes its place ($err)" is $status 0
read -r was _ < <("$probe" pixel flat.png 3 3)
expect 'it halves' is "$("$probe" pixel half.png 3 3)" "($((was / 2)) ?){3}"
run render own/mean.cu --device cpu -o scene.png
expect 'without a picture it takes the sample' is $status 0
run list own/mean.cu
expect 'the installed one is hidden' is "$(grep -c '^mean ' <<<"$out")" 1
run lens own/mean.cu a.png
expect "a picture may stand behind it ($err)" has "$out" 'mean naive'
cp "$source_dir/kernels/labs/transpose.cu" own/Turn.cu
run grade own/Turn.cu --against own/Turn.cu --variant write_columns --without-sandbox --seed 1
expect "a lab of one's own is what another file is graded against ($err)" has "$out" 'exact with rows'
run run own/Turn.cu --device cpu --param rows=64 --param columns=64
expect "a lab's file runs ($err)" has "$out" 'Turn '

# ---- hostile files ----

printf '\177ELF\0\1\2' >own/binary.cu
: >own/empty.cu
head -c 17000000 /dev/zero | tr '\0' ' ' >own/huge.cu
echo '__global__ void k(double *a) { a[0] = 1; }' >own/doubles.cu
echo '//! lab "A' >own/broken.cu
printf '__global__ void k(int *a) { a[0] = 1; }\n/* open' >own/open.cu
mkfifo own/pipe.cu
cp own/Saxpy-2.cu 'own/a b.cu'
outputs=(box/new.png)
while read -r name words; do
    refuse 1 "$words" render "own/$name" -o OUT
done <<'END'
binary.cu binary.cu
empty.cu own/empty.cu: it has no notes, and no kernel that runs without
huge.cu huge.cu
doubles.cu k is left out: its argument 'a' is of type double*
broken.cu own/broken.cu:1: expected: //! lab "Title"
open.cu own/open.cu
pipe.cu pipe.cu
none.cu own/none.cu': No such file
END
refuse 1 'folder' render 'own/a folder.cu' -o OUT
refuse 1 "'a b' is not a name" render 'own/a b.cu' -o OUT
if [ "$(id -u)" != 0 ]; then
    cp own/mean.cu own/locked.cu
    chmod 000 own/locked.cu
    refuse 1 'Permission denied' render own/locked.cu -o OUT
fi
refuse 2 "one kernel file is taken, not 'own/mean.cu' and 'own/Turn.cu'" render own/mean.cu own/Turn.cu -o OUT
refuse 2 "one kernel file is taken, not 'own/mean.cu' and 'own/Turn.cu'" lens --filter own/mean.cu own/Turn.cu
refuse 2 "'own/mean.cu' is named, and --filter gaussian, too" lens --filter gaussian own/mean.cu
refuse 2 "unexpected argument 'mean'" list mean

# ---- an instantiation that there is not ----

cat >own/wrong.cu <<'END'
//! lab "Wrong"
//! param n 100 [1, 1000]
//! array y float out [n] shown 0, 255
//! variant naive 32x1 of fill<float>
template <int N> __global__ void fill(float *y) { y[threadIdx.x] = N; }
END
run run own/wrong.cu --device cpu
expect "the compiler's words have the file's name, and no line of the program's" is "$status $err" \
    '1 tilescope: wrong.cu: no matching function .*fill<float>.*'

finish
