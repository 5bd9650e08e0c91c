#!/usr/bin/env bash
# `tilescope bench` from outside: what it prints and writes, how it exits, Ctrl-C, and bad input.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"

mkdir plots
cd plots || exit 1
mkdir box

prefix=(bench --device cpu --budget 1e6)

# bench ARGUMENTS…: the same as run, without the progress that a busy machine has time for.
bench() {
    run "$@"
    err=$(grep -v "$progress" "$work/err")
}
progress='^ *[0-9]* %  [0-9]* s left  '

# good ARGUMENTS…: the same, and it exits with 0.
good() {
    bench "$@"
    expect "bench $* exits with 0 ($err)" is $status 0
}

small=(--size 67x45 --radius '1,3')

# ---- what it prints ----

printf '%s\n' '__global__ void loud(int *b, int n)' '{' \
    '    const int i = blockIdx.x * blockDim.x + threadIdx.x;' \
    '    if (i < n) b[i] = printf("%d\n", i);' '}' >loud.cu
"$program" adopt loud.cu -o said.cu >/dev/null
bench said.cu --param n=1000
expect 'a kernel that prints is measured' has "$status $out" '0 '
expect 'and nothing is printed but a warning' is "$err" \
    'tilescope: a kernel with printf is slower than one without'
rm loud.cu said.cu

good --help
for word in --filter --variant --radius --block --unroll --size --device --budget --cpu --format --plot --sweep --param 130; do
    expect "--help tells $word" has "$out" "$word"
done
expect '--help: no line is longer than 100 columns' is "$(awk 'length > 100' <<<"$out")" ''

good "${small[@]}" --variant naive
expect 'nothing on stderr without a terminal' is "$err" ''
for word in 67×45 'cold ms' 'hot ms' quartiles Gpix/s GB/s '% of copy' '× naive' copy exact; do
    expect "the table says $word" has "$out" "$word"
done
expect 'one row a radius' is "$(grep -c '^mean .* exact$' <<<"$out")" 2

good "${small[@]}" --variant all --unroll --format csv
variants=$(sed -n 's,^//! variant \([a-z0-9_]*\) .*,\1,p' "$source_dir/kernels/filters/mean.cu" | sort -u | wc -l)
expect 'csv: no fewer rows than variants and radii' \
    is "$(grep -c '^mean,.*,on,.*,exact,' <<<"$out")" $((2 * variants))
expect 'csv: columns have units' has "$(head -n 1 <<<"$out")" cold_median_ms
expect 'csv: nothing but rows' is "$(awk -F'"' '{ n = 0; for (i = 1; i <= NF; i += 2) n += gsub(",", "", $i); print n }' \
    <<<"$out" | sort -u | wc -l)" 1

good "${small[@]}" --format json
for key in tilescope date device driver picture rows cold_median_ms check is_complete; do
    expect "json has $key" has "$out" "\"$key\""
done

threshold=(--size 67x45 --filter threshold --variant naive)
good "${threshold[@]}" --param c=-3..3+3 --param radius=1,2 --format csv
expect 'csv: the axis has a column' is "$(head -n 1 <<<"$out" | cut -d , -f 3-5)" params,c,block_width
expect 'csv: every combination is a row' is "$(sed -n 's/^threshold,naive,\([^,]*,[^,]*\),.*,exact,.*/\1/p' <<<"$out" |
    tr '\n' ' ')" 'radius=1,-3 radius=1,0 radius=1,3 radius=2,-3 radius=2,0 radius=2,3 '
bench "${threshold[@]}" --sweep c --param c=7
expect 'the table has the axis' has "$out" 'params    c  block'

good --size 67x45 --radius 3 --variant naive --block 32x8,64x32
expect 'a refused block is a row with its reason' has "$out" '64×32  block 64×32 has 2048 threads'

good --size 67x45 --filter all --radius 2 --variant naive --cpu
expect 'the host has its rows' has "$out" 'cpu all threads'

bench --size 2000x2000 --radius 64 --variant naive --budget 10
expect 'nothing within the budget exits with 1' is $status 1
expect 'too slow is a row' has "$out" 'too slow'
expect 'too slow is one line on stderr' is "$(wc -l <<<"$err")" 1

# A kernel that is wrong is found, told, and no success.
mkdir -p "$work/data/kernels/filters"
sed 's/+ area \/ 2/+ area/' "$source_dir/kernels/filters/mean.cu" >"$work/data/kernels/filters/mean.cu"
bench "${small[@]}" --variant naive --data "$work/data"
expect 'wrong results exit with 1' is $status 1
expect 'wrong results are told' has "$out" 'wrong, max 1'
expect 'wrong results are counted' is "$err" 'tilescope: 2 results differ from the reference'

expect 'a wrong time is marked' has "$out" '✗ '
bench "${small[@]}" --variant naive --data "$work/data" --plot wrong.svg
expect 'a plot of wrong results is there' [ -s wrong.svg ]
rm -f wrong.svg

# ---- two runs compared ----

compare() {
    local prefix=(compare)
    run "$@"
}

bench "${small[@]}" --variant naive,texture --format json
cp "$work/out" a.json
bench "${small[@]}" --variant naive,running --format json
sed 's/Intel/Other/; s/"name":	"/&Another /' "$work/out" >b.json
compare a.json b.json --plot both.svg
expect "compare exits with 0 ($err)" is "$status $err" '0 '
expect 'compare names both runs' is "$(grep -c '^[ab]  [ab].json: ' <<<"$out")" 2
expect 'compare says that the devices differ' has "$out" 'The runs differ in: devices'
expect 'every row that both have is compared' is \
    "$(grep -cE '^mean +naive +radius=[13] +32×8 .*(faster|slower|within the spread)$' <<<"$out")" 2
expect 'rows that only one has are listed' is \
    "$(grep -oE '(texture|running) .*only in [ab]$' <<<"$out" | sed -E 's/ .* / /' | sort -u | tr '\n' ' ')" \
    'running b texture a '
expect 'and counted' has "$out" '2 only in a, 2 only in b.'
expect 'compare draws both' has "$(<both.svg)" '<svg'
compare a.json a.json
expect 'a run is like itself' has "$out" 'b is faster in 0, slower in 0; 5 within the spread; 0 only'
compare a.json b.json --ignore variant,block
expect 'an ignored column shows both' has "$out" 'texture → running'
compare a.json --ignore variant
expect 'the cases of one file are compared' is "$(grep -cE '^mean +naive → texture +radius=[13] ' <<<"$out")" 2
expect 'which is named once' is "$(head -n 2 <<<"$out" | cut -c 1-14)" $'a, b  a.json: \n.*'
compare a.json
expect 'if it is said how they differ' is "$status $err" '2 tilescope: compare of one file wants --ignore .*'
echo '{"rows": 7' >hostile.json
prefix=(compare)
refuse 2 "compare has no column 'nothing'" a.json b.json --ignore nothing
refuse 2 'compare wants two files'
refuse 1 "'hostile.json' is not a benchmark of tilescope: it is not a JSON object" a.json hostile.json
refuse 1 "'none.json'" a.json none.json
prefix=(bench --device cpu --budget 1e6)
rm -f both.svg a.json b.json hostile.json

# ---- labs: their sizes are told, and no picture's ----

lab=(--filter transpose --variant shared,padded)
good "${lab[@]}" --param rows=60,120 --param columns=90
expect 'its head names what the sizes share' is "$(sed -n 2p <<<"$out")" 'columns 90, 20.*'
expect_not 'its head names no picture' has "$out" noise
expect_not 'it counts no pixels' has "$out" pix
bench "${lab[@]}" --param rows=60 --param columns=90 --block 32x8,16x16
expect 'or the arrays, where they keep their sizes' is "$(sed -n 2p <<<"$out")" \
    'a: float 60×90 · b: float 90×60, 20.*'
bench "${lab[@]}" --param rows=60,120 --param columns=90 --format csv
expect 'csv has the arrays of each row, and no width' is \
    "$(sed -n 's/.*,exact,,\(.*\),,,,,.*/\1/p' <<<"$out" | sort -u | tr '\n' ' ')" \
    'a\[120\]\[90\] b\[90\]\[120\] a\[60\]\[90\] b\[90\]\[60\] '
expect 'every size has a copy of its own' is \
    "$(awk -F, 'NR > 1 { print $4, $16 }' <<<"$out" | sort -u | wc -l)" 2
good sliding --sweep n_f --param n_f=1,2 --param n=64 --variant naive --format csv
expect "and the lab is measured" is "$(grep -c '^sliding,naive' <<<"$out")" 2
good invert --size 67x45 --variant naive --format csv
expect 'and the filter is measured' is "$(grep -c '^invert,naive' <<<"$out")" 1
bench --filter mean,transpose --size 67x45 --variant copy,naive --radius 1 --param rows=60 \
    --param columns=90 --format csv
expect "a filter beside a lab has its picture ($err)" has "$out" ,exact,,,67,45,1,
bench "${lab[@]}" --param rows=60,120 --param columns=90 --plot lab.svg
expect "a lab's plot is there" [ -s lab.svg ]
rm -f lab.svg

# ---- plots ----

for ending in svg pdf png; do
    bench --size 67x45 --radius 1,2 --variant naive --plot "a.$ending"
    expect "a plot as $ending exits with 0" is $status 0
    expect "a plot as $ending is there" [ -s "a.$ending" ]
    rm -f "a.$ending"
done
good --size 67x45 --radius 2 --variant naive --block 8x8,32x8,64x32 --plot heat.png
expect 'a heat map is there' [ -s heat.png ]
rm -f heat.png

# ---- a compiler that takes longer than the budget ----

# Only the first thing that it compiles: what the compiler takes is no part of the budget.
mkdir slow
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase $1 in --version | -print-*) ;; *) mkdir %s 2>/dev/null && sleep 11 ;; esac\nexec cc "$@"\n' \
    "'$PWD/slow/begun'" >slow/cc
chmod +x slow/cc
CC=$PWD/slow/cc TILESCOPE_CACHE='' good invert --size 8x8 --variant naive --budget 10
expect 'the compiler was slow' [ -d slow/begun ]
expect 'the budget begins when it is done' is "$(grep -c '^invert  *naive .* exact$' <<<"$out")" 1
rm -r slow

# ---- Ctrl-C ----

# Progress is told after ten seconds, in which the kernel sleeps. It comes to the second radius when the
# first one is finished, on a busy machine later.
cat >"$work/doze.cu" <<'END'
//! filter "Doze"
//! param radius 1 [0, 64]  pixels
#include "kernel.h"
//! reference out
__host__ __device__ int doze_reference(plane in, int radius, int x, int y) { return load(in, x + radius, y); }
extern "C" __device__ int usleep(unsigned int);
//! variant naive 32x8
__global__ void doze_naive(plane out, plane in, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] = load(in, x + radius, y);
    if (x == 0 && y == 0) usleep(20000);
}
END
env --default-signal=INT "$program" bench --device cpu "$work/doze.cu" --size 64x48 --radius 1..64 \
    --budget 1e6 >"$work/out" 2>"$work/err" </dev/null &
process=$!
until grep -E "$progress"'doze radius ([2-9]|..)' "$work/err" >/dev/null || ! kill -0 $process 2>/dev/null; do
    sleep 0.1
done
kill -INT $process
status=0
wait $process || status=$?
expect 'Ctrl-C exits with 130' is $status 130
expect 'Ctrl-C prints what is finished' has "$(<"$work/out")" ' exact'
expect 'Ctrl-C says nothing on stderr' is "$(grep -v "$progress" "$work/err")" ''

# ---- bad input: one line, nothing on stdout, nothing written ----
# test_options and test_sweep have all words of the axes.

refuse 2 "radius '5..1' runs backwards" --radius 5..1
refuse 2 "unknown filter or lab 'nope'; known are " --filter nope
refuse 2 "mean has no param 'nope'; known are radius" --param nope=1
refuse 2 "unroll 'maybe' is not understood" --unroll maybe
for budget in 0 -1 nan inf; do refuse 2 " is not a number of seconds above 0" --budget $budget; done
refuse 2 "Cannot parse " --budget soon
refuse 2 "unknown format 'xml'; known are table, csv and json" --format xml
refuse 2 "size 32769x1 is beyond the largest, 32768x32768" --size 32769x1
refuse 2 "bench wants one picture or --size WxH" a.png b.png
refuse 2 "bench wants one picture or --size WxH" a.png --size 8x8
expect_not "a lab's recorded rows explain no pixels" has "$("$program" bench transpose --times h200)" pix
refuse 2 "there is no file, filter or lab 'maen'; did you mean 'mean'?" maen
refuse 2 "there is no file, filter or lab 'maen'; did you mean 'mean'?" --times h200 maen
refuse 2 "mean is a filter: --filter gaussian does not go with it" mean --filter gaussian
refuse 2 "sum is a lab: --filter mean does not go with it" sum --filter mean
refuse 1 "cannot read './sum': " ./sum
refuse 1 "cannot read 'a.png': " a.png
refuse 2 "labs have no picture: IMAGE and --size do not go with them" --filter labs --size 8x8
refuse 2 "labs have no picture: IMAGE and --size do not go with them" --filter sum a.png
refuse 2 "cannot plot to 'svg': it ends in none of .svg .pdf .png" --plot svg
refuse 1 "cannot write 'no/a.svg': " --radius 1,2 --plot no/a.svg
refuse 2 "nothing to plot: " --radius 3 --plot a.svg
refuse 2 " curves cannot be read" --block all --sweep radius --plot a.svg
expect 'nothing was written' is "$(ls -A)" box

# A kernel that counts its launches does not come back from a late one: the budget ends it, too.
cat >later.cu <<'END'
extern "C" __device__ int usleep(unsigned int);
__device__ int launches;
__global__ void later(int *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) atomicAdd(&launches, 1);
    while (atomicAdd(&launches, 0) > 40) usleep(1000);
    if (i < n) a[i] = i;
}
END
bench later.cu --param n=4096 --budget 6 -q
expect 'it comes back' is "$((status < 2)) $(grep -c '^later ' <<<"$out")" '1 1'

# More than the machine has is refused before it is asked for.
if [ "$(awk '/^MemAvailable/ { print int($2 / 1e6) }' /proc/meminfo)" -lt 4 ]; then
    refuse 1 " of the host's memory, and there are " --size 32768x32768
else
    echo 'skipped: this machine has the memory for 32768x32768'
fi

finish
