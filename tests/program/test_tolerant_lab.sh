#!/usr/bin/env bash
# A lab with a tolerance: run, bench, render, grade and list tell it in the same words.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
export CUDA_VISIBLE_DEVICES=  # the errors are those of the C library

mkdir -p data/kernels/labs
cp "$source_dir"/kernels/*.h data/kernels/
mkdir -p data/kernels/filters
cp "$source_dir/kernels/filters/invert.cu" data/kernels/filters/

# lab NAME LINE: a lab of two variants; `off` is about 2e-6 too large.
lab() {
    cat >"data/kernels/labs/$1.cu" <<END_OF_LAB
//! lab "$1"
//! param n 1000 [1, 1000000] numbers
$2
//! array a in [n] noise -9, 9
//! array y out [n] shown 0, 9000
#include "lab.h"

//! reference y
__host__ __device__ double y_reference(const float *a, long long i)
{
    return exp((double)a[i]);
}

//! variant naive 256x1
__global__ void naive(float *y, const float *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = expf(a[i]);
}

//! variant off 256x1
__global__ void off(float *y, const float *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = expf(a[i]) * 1.000002f;
}
END_OF_LAB
}
lab near '//! tolerance 1e-6 relative'
lab steps '//! tolerance 2 ulp'
lab none ''
near='within 1e-6, max [0-9.]+e-8'
far='not within 1e-6, max 2\.[0-9]+e-6'
options=(--data data --device cpu)

run run near "${options[@]}" --variant naive
expect 'run says how near it is' is "$status $out" "0 near naive, n 1000: .*, $near"
run run near "${options[@]}" --variant off
expect 'run refuses what is not near enough' is "$status $err" \
    "1 tilescope: off is wrong: y differs at [0-9]+ of row 0, $far"
run run steps "${options[@]}" --variant naive
expect 'run tells steps between floats' is "$status $out" '0 .*, within 2 ulp, max [01]'

run bench near "${options[@]}" --budget 1e6
expect 'bench tells both' is "$status $out" "1 .*$near.*wrong, $far.*"
run bench near "${options[@]}" --budget 1e6 --variant naive --format csv
expect 'so does its csv' is "$status $out" "0 .*\"$near\".*"
run bench near "${options[@]}" --budget 1e6 --variant naive --format json
expect 'and its json' is "$status $out" "0 .*\"check\":.\"$near\".*"
run render near "${options[@]}" --sheet --budget 1e6 -o sheet.png
expect 'and a sheet' is "$status $(chunk sheet.png 'result naive')" "1 .*, $near"
expect 'which marks what is wrong' has "$(chunk sheet.png 'result off')" 'not within 1e-6, max 2'

run list "${options[@]:0:2}"
expect 'list tells it' has "$out" $'  2 off          256×1\n  results are within 1e-6\n'
run list "${options[@]:0:2}" --format json
expect 'and its json' has "$(tr -d '\n\t' <<<"$out")" '"tolerance":1e-06,"tolerance_unit":"relative"'

cat >mine.cu <<'END'
#include "lab.h"
//! variant mine 64x1
__global__ void mine(float *y, const float *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __expf(a[i]);
}
END
sed 's/__expf(a\[i\])/& * 1.000002f/' mine.cu >far.cu
grade=(--data data --seed 7)
run grade mine.cu --against near "${grade[@]}"
expect 'grade takes what is near' is "$status $out" '0 .*within 1e-6 with n .*'
run grade far.cu --against near "${grade[@]}"
expect 'and nothing else' is "$status $out" \
    '1 .*✗ +0 of 5  within 1e-6 with n 1'$'\n'' +y is wrong: at element 0 it is .*'
expect 'which gets no points for less' has "$out" 'no points, because no result is within 1e-6'
run grade mine.cu --against none "${grade[@]}"
expect 'a lab that needs a tolerance and has none cannot grade' is "$status $err" \
    '2 .*none\.cu:11:12: exp: its last bits differ between devices.*'

run run none "${options[@]}"
expect 'a file without a tolerance calls none' is "$status $(head -1 <<<"$err")" \
    '1 tilescope: none\.cu:11:12: exp: its last bits differ between devices; say //! tolerance 1e-6 relative'

# One of ours, at rows of odd lengths, and at some that no block keeps in its registers.
for columns in 1 7 33 4097 20000 65536; do
    for variant in naive block online warp vector registers; do
        run run softmax --device cpu --variant $variant --param rows=3 --param columns=$columns
        expect "softmax $variant with $columns columns" \
            is "$status $out" '0 .*, within 1e-5, max [0-9.e-]+'
    done
done
finish
