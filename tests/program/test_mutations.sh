#!/usr/bin/env bash
# Can the kernel tests fail? Breaks one thing at a time in a copy of the kernels and expects
# test_kernels to notice:  test_mutations.sh TEST_KERNELS SOURCE_DIR
set -u
test_kernels=$1
kernels=$2/kernels
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

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
    "$test_kernels" cpu 0.0005 "$3" "$folder" >"$work/log" 2>&1
    local code=$?
    if [ $code -eq 1 ] && grep -q '^WRONG' "$work/log"; then
        passed=$((passed + 1))
    else
        echo "FAILED $1: test_kernels did not notice (exit $code)"
        tail -3 "$work/log"
        failed=$((failed + 1))
    fi
}

"$test_kernels" cpu 0.0005 mean "$kernels" >"$work/log" 2>&1 || {
    echo "FAILED: the kernels as they are do not pass"
    tail -3 "$work/log"
    exit 1
}
broken index filters/mean.cu mean 's/dx <= p\.radius; dx++) sum += load/dx < p.radius; dx++) sum += load/'
broken barrier filters/mean.cu mean 's/__syncthreads();  .*$//'
broken clamp common.h mean 's/return min(max(value, low), high);/return max(value, low) % (high + 1);/'
broken rounding filters/mean.cu mean 's|(sum + area / 2) / area|sum / area|'
broken weight filters/gaussian.cu gaussian '0,/constant_weights\[dx/s/constant_weights\[dx/constant_weights[dx - (dx > 0)/'
broken mirror filters/flip.cu flip '0,/width - 1 - x/s/width - 1 - x/width - x/'
broken word filters/flip.cu flip 's/0x1054/0x1045/'
broken shift filters/flip.cu flip 's/8 \* (first & 3)/8 * (first \& 1)/'
broken staging filters/flip.cu flip 's/thread <= words/thread < words/'
broken packing rgb24.h flip 's/3 \* x\] = rgb24/3 * x + 1] = rgb24/'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
