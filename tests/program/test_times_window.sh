#!/usr/bin/env bash
# Times of another device: `bench --record` writes them, and a window without a GPU shows them: for
# the text, params and block that were recorded, and for nothing else.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"

mkdir -p data/kernels/filters data/kernels/labs
cp "$source_dir"/kernels/*.h data/kernels
"$probe" noise a.png 64 48 grey 1
cat >data/kernels/filters/edge.cu <<'TEXT'
//! filter "Edge"
//! param radius 1 [0, 3]  pixels
#include "kernel.h"
//! reference out
__host__ __device__ int edge_reference(plane in, int radius, int x, int y) { return 255 - load(in, x + radius, y); }

//! variant naive 32x8
__global__ void edge_naive(plane out, plane in, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] = 255 - load(in, x + radius, y);
}

//! variant other 16x16
__global__ void edge_other(plane out, plane in, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] = 255 - load(in, x + radius, y);
}
TEXT
cat >data/kernels/labs/line.cu <<'TEXT'
//! lab "Line"
//! param n 65536 cpu=4096 [256, 1048576]  numbers
#include "lab.h"
//! array a in [n] counted
//! array b out [n]
//! reference b
__host__ __device__ double line_reference(const float *a, long long i) { return a[i]; }
//! variant naive 256x1
__global__ void line_naive(float *b, const float *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i];
}
TEXT

cat >data/kernels/labs/span.cu <<'TEXT'
//! lab "Span"
//! param n 4096 [256, 4096]  numbers
//! param width 2 [1, 4]  numbers of a sum
#include "lab.h"
//! array a in [n] counted
//! array b out [n]
//! reference b
__host__ __device__ double span_reference(const float *a, int width, long long i) { return a[i] + width; }
//! variant naive 256x1
__global__ void span_naive(float *b, const float *a, int n, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] + width;
}
TEXT

# ---- recording ----

prefix=(bench --device cpu --data data --size 64x48 --budget 1e6)
works --record run.json -q
expect 'all is reached' is "$err" ''
cp run.json whole.json
run --record run.json -q
expect 'what is finished is not measured again' cmp run.json whole.json
# time NAME [FILE]: of the recording, in ms.
time_of() { grep -oP "\"${1%% *}\":\{[^}]*\"${1#* }\":\[\K[^,]*" "${2-card.json}"; }

expect 'other params than the axis are there' is \
    "$(time_of 'span\/naive 256×1 n 4096 · width 4' whole.json)" '[0-9.e-]+'

# Only what is missing is measured, and not what has a time, even one that nobody would measure.
sed -E 's/("edge\/other":\{[^}]*)"64×4 radius 1":[^]]*\],/\1/
    s/("edge\/naive":\{[^}]*"16×16 radius 1":)[^]]*/\1[1e6,1e6,1e6,3/' whole.json >run.json
expect 'a case is gone' is "$(time_of 'edge\/other 64×4 radius 1' run.json)" ''
run --record run.json -q
expect 'and measured again' is "$(time_of 'edge\/other 64×4 radius 1' run.json)" '[0-9.e-]+'
expect 'one that is there is kept' is "$(time_of 'edge\/naive 16×16 radius 1' run.json)" 1000000
refuse 2 '--record measures all: --times does not go with it' --record run.json --times h200
refuse 2 '--record measures all: --radius does not go with it' --record run.json --radius 3
refuse 1 "'run.json' was recorded of 64×48: name another file" --record run.json --size 32x32
ln -s nowhere link.json
mkdir folder.json
refuse 1 "cannot write 'link.json': it is a link that leads nowhere" --record link.json
refuse 1 "cannot write 'folder.json': it is a folder" --record folder.json
echo '{}' >hostile.json
refuse 1 "'hostile.json' holds no times that tilescope has recorded: it has no recorded times" \
    --record hostile.json

# The same as if a card had been there, which begins with other sizes.
sed -E 's/"is_gpu":false/"is_gpu":true/; s/"name":"[^"]*"/"name":"Card X"/
    s/"date":"[^"]*"/"date":"2026-11-23T10:00:00+01:00"/; s/\bn 4096":/n 65536":/g' whole.json >card.json
expect 'times are there' is "$(time_of 'edge\/naive 32×8 radius 1')" '[0-9.e-]+'

prefix=(view --data data)
refuse 1 "whole.json' was recorded on a CPU: its times say nothing about a GPU" --times ./whole.json
refuse 1 "hostile.json' holds no times" --times ./hostile.json
refuse 1 "no times are recorded under the name 'nothing'" --times nothing

# ---- a tour's claims ----

# Times that differ by more than their spread, whatever this machine measures.
sed -i -E 's|("edge/naive":\{[^}]*"32×8 radius 1":)\[[^]]*|\1[4,3.9,4.1,31|; s|("edge/other":\{[^}]*"16×16 radius 1":)\[[^]]*|\1[2,1.9,2.1,31|' card.json
# And without a time for one radius.
sed -E 's/"[^"]* radius 3":\[[^]]*\],//g; s/,"[^"]* radius 3":\[[^]]*\]//g' card.json >part.json
printf '%s\n' 'title Edges' 'caption On {device}: {ms:naive}.' \
    'claim {ms:other} < {ms:naive}: it is faster' \
    'claim {ms:naive} < {ms:other}: it is slower' \
    'claim {ms:naive@radius=3} < {ms:naive}: far is fast' wait >edge.tour
prefix=(tour --device cpu --data data edge.tour a.png)
works --times part.json --report edge.html
expect 'its claims are judged by them, and whose they are is said' is "$(tr '\n' ' ' <<<"$out")" \
    'times: Card X, recorded 23 Nov 2026; pictures: 64×48 colour *1  ✓ it is faster: 2.*<.*4.* ✗ it is slower.* – far is fast.*no time of it was recorded.*'
expect 'its hand-out says whose they are' has "$(<edge.html)" 'Card X, recorded 23 Nov 2026; pictures: 64×48 colour'
expect 'and its caption' has "$(<edge.html)" 'On Card X, recorded 23 Nov 2026: 4'
run --times off
expect 'without them there are none' has "$out" 'not known without a GPU'
prefix=(view --data data)

# ---- rows and plots of them ----

prefix=(bench --data data --filter edge)
works --times part.json --radius 1,3 --plot edge.svg
expect 'they say whose they are' has "$out" 'Card X (recorded, '
expect 'and when' has "$out" '64×48 colour noise, 2026-11-23T10:00:00+01:00'
expect 'each has its time' is "$out" '.*naive *1  32×8  *4\.00  3\.90–4\.10 *31 .*right when recorded.*'
expect 'and how it compares with the others' is "$out" '.*other *1  16×16  *2\.00 .* 2\.00  right when recorded.*'
expect 'or the reason why it has none' is "$out" '.*naive *3  32×8 *no time of it was recorded.*'
expect 'the plot is there, too' has "$(<edge.svg)" '<svg'
run --times part.json --radius 1 --format json
echo "$out" >card-rows.json
expect 'programs are told' is "$out" '.*"is_recorded":[[:space:]]*true.*'
run --times part.json --radius 3
expect 'without any it says so' is "$status $err" '1 tilescope: nothing of this was recorded'
refuse 2 '--times measures nothing: --size does not go with it' --times part.json --size 64x48
refuse 2 '--times measures nothing: IMAGE does not go with it' a.png --times part.json
refuse 1 "no times are recorded under the name 'nothing'" --times nothing
prefix=(compare)
run card-rows.json --ignore variant,block
expect 'they are compared as others are' is "$out" 'a, b  card-rows.json: Card X, .*naive → other .*▲ b is faster.*'

# ---- a filter ----

# ms NAME: as the window writes it.
ms() { printf '%.6f' "$(time_of "$1")"; }
open a.png --data data --filter edge --size 640x360 --times card.json
until_says "${settled[@]}" kernel_ms "$(ms 'edge\/naive 32×8 radius 1')" device '*thread*' \
    times_from 'Card X, recorded 23 Nov 2026' times_of '64x48, 3 planes' measured 0 to_measure 0
key 2 -- variant other current yes kernel_ms "$(ms 'edge\/other 16×16 radius 1')"
key Up -- variant other current yes kernel_ms "$(ms 'edge\/other 16×16 radius 2')"
key Down bracketright -- kernel_ms "$(ms 'edge\/other 32×16 radius 1')"
key bracketright -- times_missing 'no time of it was recorded' current yes
key bracketleft bracketleft -- kernel_ms "$(ms 'edge\/other 16×16 radius 1')" times_missing '' \
    local_ms '?*'
shoot
expect 'a screenshot says whose times it has' is "$(chunk "$shot" times_from)" '.*Card X, recorded 23 Nov 2026'
expect 'and its driver' is "$(chunk "$shot" times_driver)" '.+'
expect 'and the local time' is "$(chunk "$shot" local_ms)" '.*[0-9.]+'

# Bars and sweep have the recorded times, and nothing is measured for them.
key l p -- .bars true .sweep true current yes to_measure 0 sweep_caption 'unroll off'
shoot
csv=$(echo "$shots"/*-sweep.csv)
expect 'the saved sweep has the recorded times' is \
    "$(awk -F, '$2 == "naive" && $4 == 1 { print $8 }' "$csv")" "$(time_of 'edge\/naive 32×8 radius 1')0*"
expect 'with their device' is "$(awk -F, 'NR > 1 { print $(NF - 3), $NF }' "$csv" | sort -u)" \
    'Card X 2026-11-23T10:00:00\+01:00'
key l p -- .bars false .sweep false

# turn_times WORDS: presses the key until its note is like them. What else is told of the times may
# come a frame later.
turn_times() {
    local turn
    for turn in 1 2 3 4 5 6 7 8; do
        key ctrl+t -- noted 'times*'
        # shellcheck disable=SC2254
        case $(last_note) in $1) return ;; esac
    done
    fail "Ctrl+T never noted $1 ($turn times)"
}

# The key goes on to this computer's times and back, past those that are installed.
turn_times 'times of this computer'
until_says times_from '' "${settled[@]}"
expect_not 'this time is measured here' is "$(look; value kernel_ms; echo "$REPLY")" \
    "$(ms 'edge\/other 16×16 radius 1')"
turn_times 'times: Card X*'
until_says times_from 'Card X*' kernel_ms "$(ms 'edge\/other 16×16 radius 1')"

# Presses between two frames count each: one more than there are files, and all was shown again.
installed=("$source_dir"/assets/runs/*.gz)
[ -e "${installed[0]}" ] || installed=()
presses_all=(ctrl+t ctrl+t)
for _ in "${installed[@]}"; do presses_all+=(ctrl+t); done
kill -STOP "$pid"
press "${presses_all[@]}"
kill -CONT "$pid"
until_says noted 'times: Card X*' times_from 'Card X*'

# An edited kernel has no time, and the other one keeps its own.
sed -i '/^__global__ void edge_other/,$ s/255 - load(in, x + radius, y)/255 - load(in, x + radius, y + 0)/' \
    data/kernels/filters/edge.cu
until_says noted 'kernels reloaded' times_missing 'edited since it was recorded: no time' "${exact[@]}"
# Its local time is this computer's, also as a baseline.
key P -- noted 'baseline: edge other *ms on this CPU'
key P -- noted 'the baseline is no longer pinned'
# What panels say of the others is of the recording's picture, which is not grey.
key p -- .sweep true current yes
shoot
csv=$(ls -t "$shots"/*-sweep.csv | head -n 1)
expect 'a sweep of recorded times is of their picture' is \
    "$(awk -F, '$2 == "naive" { print $23 }' "$csv" | sort -u)" 3
expect 'and their device' is "$(awk -F, '$2 == "naive" { print $(NF - 3) }' "$csv" | sort -u)" 'Card X'
key p -- .sweep false
key 1 -- variant naive current yes times_missing '' kernel_ms "$(ms 'edge\/naive 16×16 radius 1')"

# The lens and the roofline count what bounds it for the same picture.
key M -- .lens true lens_stale no stage_settled yes bound '?*'
value bound
bound=$REPLY
key M M -- .lens false
key Y -- .roofline true bound "$bound"
key Y -- .roofline false

# A sheet has times of one device. The other variant waits while there is a file.
sed -i "s|^//! variant other|extern \"C\" __device__ int usleep(unsigned int);\\n\
extern \"C\" __device__ int access(const char *, int);\\n&|
    /^__global__ void edge_other/,$ s|^{|{ while (!access(\"$work/held\", 0)) usleep(5000);|" \
    data/kernels/filters/edge.cu
until_says noted 'kernels reloaded' "${settled[@]}"
touch held
press S
until_says noted 'sheet: 2 of 2'
key ctrl+t -- noted 'sheet given up: something else is shown'
rm held
quit

# ---- without a word ----

# The first that the program comes with.
times=()
zcat "$(echo "$source_dir"/assets/runs/*.gz | cut -d ' ' -f 1)" >installed.json
open a.png --size 640x360
until_says current yes check exact kernel_ms "$(printf %.6f "$(time_of 'mean\/naive 32×8 radius 3' installed.json)")" \
    times_from "$(grep -oP '"device":\{"name":"\K[^"]*' installed.json), recorded *"
turn_times 'times of this computer'
until_says times_from '' current yes
shoot
quit
open a.png --restore "$shot" --size 640x360
until_says times_from '' current yes
quit

# A library that is not here had its time there, though there is no picture of it.
open transpose --variant cublas --device cpu --size 640x360
until_says kernel_ms "$(printf %.6f "$(time_of 'transpose\/cublas library rows 4096 · columns 4096' installed.json)")" \
    times_of 'rows 4096 · columns 4096' current no settled yes
press P
until_says noted 'baseline: transpose cublas · *, 0.* ms'
quit

# No time of an own kernel was recorded: it is timed and counted here.
printf '__global__ void own(int *b, int n)\n{\n    if (threadIdx.x < n) b[threadIdx.x] = 1;\n}\n' >own.cu
open own.cu --size 640x360
until_says filter own current yes times_from '' times_missing ''
key f -- times_from '*, recorded *'
key F -- filter own times_from ''
key ctrl+t -- noted 'times: *' times_from '*, recorded *' times_missing 'no time of it was recorded'
quit 0 '.*'

# ---- a lab ----

open --data data line --size 640x360 --times card.json
until_says "${settled[@]}" kernel_ms "$(ms 'line\/naive 256×1 n 65536')" times_of 'n 65536' n 4096
key Up -- n 8192 current yes kernel_ms "$(ms 'line\/naive 256×1 n 8192')" times_of 'n 8192'
key p -- .sweep true current yes
shoot
csv=$(echo "$shots"/*-sweep.csv)
expect 'a sweep has no time for a size that stands for another' is \
    "$(awk -F, '$4 == 65536 { print $8 }' "$(ls -t "$shots"/*-sweep.csv | head -n 1)" | sort -u | wc -l)" '[12]'
quit

# ---- none ----

open a.png --data data --filter edge --size 640x360 --times off
until_says "${settled[@]}" times_from '' filter edge
quit

finish
