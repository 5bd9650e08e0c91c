#!/usr/bin/env bash
# Can the kernel tests fail? Breaks one thing at a time in a copy of the kernels and expects
# test_kernels to notice:
#     test_mutations.sh TEST_KERNELS SOURCE_DIR
set -u
test_kernels=$1
kernels=$2/kernels
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# Each kernel here runs for less time than an optimizing compiler takes.
printf '#!/bin/sh\nexec cc "$@" -O0\n' >"$work/cc"
chmod +x "$work/cc"
export CC=$work/cc TILESCOPE_CACHE=$work/cache

# check FILTER FOLDER [BILLIONS]: runs the test of that file alone.
check() {
    "$test_kernels" cpu "${3:-0.0005}" "$1" "$2" >"$work/log" 2>&1
}

# broken NAME FILE FILTER SED: the sed script must change the file, and the tests must fail.
broken() {
    local folder=$work/$1
    cp -r "$kernels" "$folder"
    sed -i "$4" "$folder/$2"
    if cmp -s "$kernels/$2" "$folder/$2"; then
        echo "FAILED $1: the sed script changed nothing in $2"
        failed=$((failed + 1))
        return
    fi
    check "$3" "$folder"
    local code=$?
    if [ $code -eq 1 ] && grep -q '^WRONG' "$work/log"; then
        passed=$((passed + 1))
    else
        echo "FAILED $1: the tests did not notice (exit $code)"
        tail -3 "$work/log"
        failed=$((failed + 1))
    fi
}

# passes FILTER [BILLIONS]: it must, as it is.
passes() {
    check "$1" "$kernels" "${2:-}" && return
    echo "FAILED: the kernels of $1 as they are do not pass"
    tail -3 "$work/log"
    exit 1
}

passes mean
passes sum
passes matmul 0.0002  # several blocks of each variant are more steps than that
broken index filters/mean.cu mean 's/dx <= radius; dx++) sum += load/dx < radius; dx++) sum += load/'
broken barrier filters/mean.cu mean 's/__syncthreads();  .*$//'
broken clamp kernel.h mean 's/return min(max(value, low), high);/return max(value, low) % (high + 1);/'
broken rounding filters/mean.cu mean 's|(sum + area / 2) / area|sum / area|'
broken weight filters/gaussian.cu gaussian '0,/constant_weights\[dx/s/constant_weights\[dx/constant_weights[1 + dx/'
broken mirror filters/flip.cu flip 's/x : in\.width - 1 - x/x : in.width - x/'
broken word filters/flip.cu flip 's/0x1054/0x1045/'
broken shift filters/flip.cu flip 's/8 \* (first & 3)/8 * (first \& 1)/'
broken staging filters/flip.cu flip 's/thread <= words/thread < words/'
broken equal filters/threshold.cu threshold 's/y) > sum/y) >= sum/'
broken packing rgb24.h flip 's/3 \* x\] = rgb24/3 * x + 1] = rgb24/'

broken turn labs/transpose.cu transpose 's/ b\[y \* rows + x\]/ b[y * rows + rows - 1 - x]/'
broken half labs/sum.cu sum 's/(count + 1) \/ 2/count \/ 2/'
broken step labs/sum.cu sum 's/^        __syncthreads();$//'
broken window labs/sliding.cu sliding '0,/j <= last/s/j <= last/j < last/'
broken reference labs/sliding.cu sliding 's/j >= 0 && j < n) sum/j > 0 \&\& j < n) sum/'
broken tail labs/access.cu access 's/i + 3 >= n/i + 3 > n/'
broken clear labs/histogram.cu histogram 's/bin < 256) bins/bin < 255) bins/'
broken prepare labs/matvec.cu matvec 's/row < rows && column < columns/row < rows \&\& column + 1 < columns/'
broken finish labs/records.cu records 's/out\[i \* fields + f\] = soa_out\[f \* n + i\]/out[i * fields + f] = soa_out[i * fields + f]/'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
