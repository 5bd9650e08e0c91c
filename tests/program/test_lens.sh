#!/usr/bin/env bash
# tilescope lens: what it counts, in every format, and every bad input.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"

find_python JSON
mkdir -p data/kernels/filters
cp "$source_dir"/kernels/*.h data/kernels/
planted=data/kernels/filters/planted.cu
printf '//! filter "Planted"\n#include "kernel.h"\n' >$planted
# plant VARIANT SHAPE <<BODY: x and y are the pixel, thread is the thread in its block, and bytes are
# in shared memory.
plant() {
    printf '\n//! variant %s %s\n__global__ void planted_%s(plane out, plane in)\n{\n' "$1" "$2" "$1" >>$planted
    printf '    const int %c = blockIdx.%c * blockDim.%c + threadIdx.%c;\n' x x x x y y y y >>$planted
    echo '    const int thread = threadIdx.y * blockDim.x + threadIdx.x;' >>$planted
    [[ $2 != *shared=* ]] || echo '    extern __shared__ unsigned char bytes[];' >>$planted
    { cat && printf '    (void)x, (void)y, (void)thread;\n}\n'; } >>$planted
}
write='if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] ='
plant naive 32x8 <<<"    $write load(in, x, y);"
plant loud 32x8 <<END
    $write load(in, x, y);
    printf("pixel %d of %s\\n", x, "a row");
END
plant endless 32x8 <<<'    for (;;) out.pixels[0] = load(in, 1, 1);'
plant racing '32x8 shared=bw*bh' <<END
    bytes[thread] = (unsigned char)load(in, x, y);
    $write bytes[thread ^ 1];
END
# Words of 4 bytes: half of what is needed.
plant small '32x8 shared=2*bw*bh' <<END
    ((int *)bytes)[thread] = load(in, x, y);
    __syncthreads();
    $write ((int *)bytes)[thread];
END
plant branch '32x8 shared=bw*bh' <<END
    bytes[thread] = (unsigned char)load(in, x, y);
    if (thread < 32)
        __syncthreads();
    $write bytes[thread ^ 64];
END
# Arrays of this file lie before tile.
plant with_static 32x8 <<END
    __shared__ unsigned char all[256];
    all[thread] = (unsigned char)load(in, x, y);
    $write all[thread];
END
plant faulty 32x8 <<<'    *(volatile int *)(out.pixels + (1ull << 44)) = 1;'

prefix=(lens --quiet)  # a busy machine would have time for progress
mkdir box

# ---- what it counts ----

works --size 512x512 --filter mean --variant naive --radius 1 --format json
expect 'it says nothing on stderr' is "$err" ''
for pair in model='"sm_90"' passes.0.kernel='"mean_naive"' passes.0.grid='[16, 64, 1]' \
    passes.0.block='[32, 8]' passes.0.global_load.requests=73728 \
    passes.0.global_load.sectors=119808 passes.0.global_store.requests=8192 \
    passes.0.global_store.sectors=8192 passes.0.shared_load.wavefronts=0 \
    passes.0.texture.requests=0 passes.0.constant.words=0 passes.0.lines.0.file='"kernel.h"' \
    passes.0.lines.0.inlined_into.0.file='"mean.cu"' passes.0.lines.0.space='"global"' \
    passes.0.lines.0.op='"load"' passes.0.lines.0.requests=73728 passes.0.lines.1.op='"store"'; do
    expect "${pair%%=*}" [ "$(figure "${pair%%=*}")" = "${pair#*=}" ]
done

# A printf does more than the kernel, and none of that is counted.
if_planted() { run --data data --size 70x50 --filter planted --variant "$1" --format csv; }
if_planted naive
quiet=${out//naive/loud}
if_planted loud
expect 'printf is not counted, and prints nothing' is "$status $err" '0 '
expect 'printf is not counted' [ "$out" = "$quiet" ]

run --size 512x512 --filter mean --variant separable --radius 4 --format json
expect 'both passes are counted' [ "$(figure passes.0.global_store.sectors)" = 32768 ]
expect 'both passes are counted' [ "$(figure passes.1.global_load.sectors)" = 65536 ]
expect 'shared memory is counted' [ "$(figure passes.1.shared_load.wavefronts)" = 73728 ]

run --size 512x512 --filter mean --variant shared --radius 4 --format json
for pair in load.requests=32768 load.sectors=63488 store.sectors=8192; do
    expect "shared: ${pair%%=*}" [ "$(figure "passes.0.global_${pair%%=*}")" = "${pair#*=}" ]
done
expect 'each lane reads its tile' [ "$(figure passes.0.shared_load.wavefronts)" = 663552 ]
expect 'the tile is written' [ "$(figure passes.0.shared_store.wavefronts)" = 32768 ]

run --size 512x512 --radius 1 --block-at 511,511 --format json
expect 'one block is counted' [ "$(figure passes.0.block_at)" = '[15, 63]' ]
expect 'one block is counted' [ "$(figure passes.0.global_store.requests)" = 8 ]

run --size 512x512 --radius 1 --format csv --lines
expect 'csv has a heading' is "$(head -1 "$work/out")" 'Kernel Name,File,Line,Metric Name,Metric Value'
expect "csv has ncu's names" has "$out" \
    'mean_naive,,,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,119808'
expect 'csv has lines' grep -q '^mean_naive,mean.cu,[0-9]*,l1tex.*_op_st.sum,8192$' "$work/out"

prefix=(lens)  # says how far it is only where that takes long
run --size 512x512 --radius 1 --lines
prefix=(lens --quiet)
expect 'progress is all that it says meanwhile' is "$(grep -vE '^naive: [0-9]+ %$' <<<"$err")" ''
expect 'the table has the figures' grep -Eq '^global load +73728 .* 119808 ' "$work/out"
expect 'the table has lines' grep -Eq '^mean.cu:[0-9]+ > kernel.h:[0-9]+  global load 1 B ' "$work/out"
expect 'no line is longer than 100 columns' is "$(awk 'length > 100' <"$work/out")" ''

works --size 70x50 --filter flip --all
expect 'all variants: one line each' grep -Eq '^vector +[0-9]+ +[0-9]+ +0\.[0-9]+ ' "$work/out"
expect 'all variants: a refused one says why' has "$out" \
    'words_rgb24: flip words_rgb24 works on colour pictures'

# A variant's sectors per pixel, and its requests.
columns_of() { awk -v name="$1" '$1 == name { print $4, $5 }' "$work/out"; }
run --size 128x64 --filter flip --all
whole=$(columns_of naive)
run --size 128x64 --filter flip --all --block-at 40,9
expect 'one block: its own requests' is "$(columns_of naive)" "${whole% *} 16"
expect 'and it says which figures are its own' has "$out" \
    'Of one block of each; sectors per pixel: of the launch.'

works transpose --variant write_columns --format json --param rows=64 --param columns=64
expect 'a lab is counted' [ "$(figure passes.0.global_load.requests)" = 128 ]
run "$source_dir/assets/scene.png" --filter flip --variant words_rgb24 --block-at 0,0 --format json
expect 'packed pixels are counted' [ "$(figure passes.0.global_store.requests)" -gt 0 ]

name=$'a tab\tand a line\nend.png'
"$probe" noise "$name" 9 9 grey 1
run "$name" --radius 1
expect 'a name of two lines stands in one' has "$(head -1 "$work/out")" \
    'a tab?and a line?end.png, 9×9 grey, counted by the rules of sm_90'

run --size 64x64 --radius 1 --filter mean --variant naive
expect 'a grid that follows from the picture is not told' is "$(head -1 "$work/out")" \
    '.* by the rules of sm_90'
run --size 64x64 --radius 1 --filter mean --variant running
heading=$(head -1 "$work/out")
if has_gpu; then
    expect "that of this GPU's multiprocessors neither" is "$heading" '.* by the rules of sm_90'
else
    expect "that of this CPU's threads is" is "$heading" \
        ".* by the rules of sm_90, with the grid of $(nproc) multiprocessors: this CPU's threads"
fi

# ---- races ----

at=$(grep -n '^    bytes\[thread\] =' $planted | head -1 | cut -d: -f1)
race="race: planted.cu:$((at + 1)) (load of thread 0) and planted.cu:$at (store of thread 1) touch \
tile[1]: put __syncthreads() between lines $at and $((at + 1))"
run --data data --size 64x8 --filter planted --variant racing
expect 'a race is named' grep -Fqx "$race" "$work/out"
run --data data --size 64x8 --filter planted --variant racing --block-at 40,0 --format json
expect 'and in JSON' is "$(figure passes.0.races.0.word),$(figure passes.0.races.0.accesses.1.line)" "0,$at"
run --data data --size 64x8 --filter planted --variant racing --format csv
expect 'and in CSV' has "$out" "planted_racing,planted.cu,$at,race with planted.cu:$((at + 1)),1"
if is_sanitized; then
    echo 'skipped: all variants, one of which faults; with a sanitizer that ends the program'
else
    run --data data --size 64x8 --filter planted --all
    expect 'hostile variants do not stop the others' is $status 0
    expect 'the good one is counted' grep -Eq '^naive +1024 ' "$work/out"
    expect 'the endless one is told' grep -q '^endless: .* too long to be traced: it was' "$work/out"
    expect 'the faulty one is told, with its line' grep -Eq \
        '^faulty: outside: planted.cu:[0-9]+: thread \(., .\) of block \(0, .\) (reads|writes) address' \
        "$work/out"
    expect 'and of all variants' grep -Fqx "racing: $race" "$work/out"
    expect 'but of no other than branch' is "$(grep -c race: "$work/out")" 2
fi

store=$(grep -n '((int \*)bytes)\[thread\] =' $planted | cut -d: -f1)
run --data data --size 64x8 --filter planted --variant small
expect 'an access outside is named' grep -Fqx "outside: planted.cu:$store: thread (0, 4) of block \
(0, 0) writes tile[128]; tile has 512 bytes of shared memory (128 elements)" "$work/out"
expect 'and each line of them' grep -q "^outside: planted.cu:$((store + 2)): .* reads tile\[128\]" "$work/out"
expect 'but nothing else' is "$(grep -c 'outside:\|race:' "$work/out")" 2
run --data data --size 64x8 --filter planted --variant small --format json
expect 'and in JSON' is "$(figure passes.0.outside.0.line),$(figure passes.0.outside.0.byte)" "$store,512"
run --data data --size 64x8 --filter planted --variant small --format csv
expect 'and in CSV' has "$out" "planted_small,planted.cu,$store,store outside of tile,1"

cat >deep.cu <<'END'
//! lab "Deep"
//! array b float out [8][64] shown 0, 255
//! variant naive 8x8x4 domain=8, 8, 8
__global__ void deep_naive(float *b)
{
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    b[64 * z + 8 * threadIdx.y + threadIdx.x + (z == 7 ? 64 : 0)] = 1;
}
END
run deep.cu --format json
expect 'with its layers in JSON' is "$(figure passes.0.outside.0.thread.2),$(figure passes.0.outside.0.block.2)" 3,1

barrier=$(grep -n '^    if (thread < 32)' $planted | cut -d: -f1)
run --data data --size 64x8 --filter planted --variant branch
expect 'a barrier in a branch is named' grep -Eq "touch tile\[[0-9]+\]: not all threads reach line \
$((barrier + 1)), where 32 wait, as thread 0; 224 never come, as thread 32\$" "$work/out"

# ---- awkward shapes ----

for size in 1x1 33x9; do
    for block in 1024x1 7x5 1x1; do
        run --size $size --block $block --radius 1 --format json
        expect "$size in $block exits with 0" is $status 0
        expect "$size in $block: every pixel is written" \
            [ "$(figure passes.0.lines.1.lanes)" = $((${size%x*} * ${size#*x})) ]
    done
done

# ---- what goes wrong ----

refuse 2 "unknown format 'xml'; known are table, csv and json" --format xml
refuse 2 'is beyond the largest' --size 99999x9
refuse 2 "block-at '3' is not understood" --size 9x9 --block-at 3
refuse 2 'is outside of' --size 9x9 --block-at 9,0
refuse 2 "block-at '4294967296,0' is not understood" \
    --size 9x9 --block-at 4294967296,0
refuse 2 "block-at 64,0 is outside of write_columns's domain of 64×32" \
    transpose --variant write_columns --param rows=32 --param columns=64 --block-at 64,0
works transpose --variant write_columns --param rows=32 --param columns=64 --block-at 63,31  # the last
refuse 2 'not both' x.png --size 9x9
refuse 1 "cannot read 'nowhere.png'" nowhere.png
run gaussian --size 9x9
expect 'a filter may be named as a lab is' has "$out" 'gaussian naive, '
refuse 2 "there is no file, filter or lab 'maen'; did you mean 'mean'?" maen
refuse 2 'is a lab, which has no picture' --filter sum --size 9x9
refuse 2 'is a lab, which has no picture' sum banks
refuse 2 'one picture' a.png b.png
refuse 2 'does not go with it' --all --variant naive
refuse 1 'threads' --size 9x9 --block 64x64
refuse 1 'the lens works on arrays of up to' transpose \
    --param rows=16384 --param columns=16384
expect 'it says what to do' has "$err" 'these take 3072: make rows smaller'
refuse 1 'pictures of up to 320 MiB, and naive takes 1721: choose a smaller one' \
    --size 30000x30000
refuse 1 ') is too long to be traced' \
    --data data --filter planted --variant endless --size 9x9
CC=no-such-compiler refuse 1 "no C++ compiler found: CC names 'no-such-compiler'" \
    --size 9x9

if ! is_sanitized; then
    cat >far.cu <<'END'
//! lab "Far"
//! array b float out [64] shown 0, 255
//! variant naive 8x8 domain=8, 8
__global__ void far_naive(float *b) { b[8 * threadIdx.y + threadIdx.x + 4096] = 1; }
END
    refuse 1 'outside: far.cu:4: thread (0, 0) of block (0, 0) writes b[4096]; b has 64 elements' \
        far.cu
fi

mkdir bin
for tool in gcc cc as ld timeout; do ln -s "$(command -v $tool)" bin/; done
PATH=$work/bin run --size 9x9 --lines
expect 'without addr2line it exits with 0' is $status 0
expect 'without addr2line it says what is missing' has "$err" 'install binutils'

finish
