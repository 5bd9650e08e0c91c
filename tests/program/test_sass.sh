#!/usr/bin/env bash
# tilescope sass: the machine code of a variant, by NVRTC and nvdisasm, without a GPU; and every bad
# input.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"

find_python JSON
mkdir -p box bin tmp
export TMPDIR=$work/tmp
prefix=(sass)

# ---- what is refused before anything is compiled ----

refuse 2 "unknown variant 'nosuch' of transpose" transpose --variant nosuch
refuse 2 "unknown filter or lab 'nosuch'" nosuch
refuse 2 'wants one filter, lab or file' mean transpose
refuse 2 "arch 'sm_x' is not understood; expected sm_N, such as sm_86" mean --arch sm_x
refuse 2 "unknown format 'xml'; known are table, csv and json" mean --format xml
refuse 1 'has no kernel: it calls cublasSgeam of libcublas' transpose --variant cublas
TILESCOPE_NVRTC=/nowhere refuse 1 'CUDA' mean  # not in this build, or no NVRTC

run mean --ptx
[[ $err != *'no CUDA'* && $err != *'cannot load'* ]] || { echo "the rest is skipped: $err"; finish; exit; }

# ---- PTX, which NVRTC makes by itself ----

expect 'PTX that was wanted is no news' is "$err" ''
expect 'its head' has "$out" $': PTX for sm_'
cat >own.cu <<'END'
//! lab "Own"
#include "kernel.h"
//! param n 1024 [1024, 1024] elements
//! array x float in [n] noise -1, 1
//! array y float out [n] shown -1, 1

//! variant plain 128x1 domain=n
__global__ void plain(float *y, const float *x, int n)
{
    __shared__ float words[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float4 four = ((const float4 *)x)[threadIdx.x];
    float sum = four.x * four.y + four.z * four.w;
    words[threadIdx.x] = x[i];
    __syncthreads();
    for (int k = 1; k < n; k += k)
        sum += words[(threadIdx.x + k) % 128];
    y[i] = sum;
}
END
line() { grep -n "$1" own.cu | cut -d: -f1; }
works own.cu --ptx --arch sm_86
expect 'the architecture' has "$out" 'plain: PTX for sm_86'
run own.cu --ptx --arch 999
expect 'one that NVRTC does not know' has "$out" ', which NVRTC has in place of sm_999'
# Each access, with its line.
for words in "words\[threadIdx.x\] = x:store shared 32 bits" "words\[threadIdx.x\] = x:load global 32 bits" \
    "float4 four:load global 128 bits" "__syncthreads:barrier" "sum += words:load shared 32 bits" \
    "y\[i\] = sum:store global 32 bits"; do
    expect "${words#*:} at its line" grep -Eq " own.cu:$(line "${words%:*}") +${words#*:}\$" "$work/out"
done
expect 'arguments are one line' [ "$(grep -c 'ld\.param' "$work/out")" = 1 ]
expect 'the loop has brackets' grep -Eq '^ *[0-9]+ +│ +ld\.shared' "$work/out"
expect 'and a line of its own' grep -Eq '^loop at own.cu:' "$work/out"
expect 'the kernel is counted' grep -Eq '^kernel: [0-9]+ instructions; load global 1×32 1×128 bits; ' "$work/out"
run own.cu --ptx --unroll --format json
expect 'JSON has the kernel' is "$(figure kernels.0.kernel) $(figure kernels.0.language)" '"plain" "PTX"'
expect 'and its counts' has "$(figure kernels.0.counts.0)" '; barrier 1'
run own.cu --ptx --format csv
expect 'CSV begins with its columns' is "${out%%$'\n'*}" 'index,loop,instruction,line,memory.?'

# ---- SASS, which nvdisasm prints ----

cat >bin/nvdisasm <<'END'
#!/bin/sh
[ "$1 $2" = '-c -gi' ] && head -c 4 "$3" | grep -q ELF || exit 1
printf '\t.target\tsm_90\n\t.section\t.text.launch_plain,"ax"\n.text.launch_plain:\n'
printf '\t//## File "/a/own.cu", line 14\n        /*0000*/      LDG.E.64 R2, desc[UR4][R2.64] ;\n'
END
chmod +x bin/nvdisasm
PATH=$work/bin:$PATH run own.cu --arch 90
expect 'SASS is read' has "$out" 'plain: SASS for sm_90'
expect 'with its mark' grep -Eq '^0x0000 +LDG.E.64 R2, .* own.cu:14 +load global 64 bits$' "$work/out"
# Each of the launch's 32 warps executes that instruction.
prefix=(lens)
PATH=$work/bin:$PATH run own.cu --arch 90
expect 'the lens counts instructions' has "$out" $'\nat least 32 instructions of warps'
sed '/variant plain/a //! compiled does less' own.cu >less.cu
PATH=$work/bin:$PATH run less.cu --arch 90
expect_not 'at least, where the compiler leaves out what was counted' has "$out" 'instructions of warps'
PATH=$work/bin:$PATH run own.cu --arch 90 --format json
expect 'and so in JSON' is "$(figure passes.0.instructions)" 32
printf '#!/bin/sh\necho "nvdisasm fatal: no" >&2; exit 1\n' >bin/nvdisasm
PATH=$work/bin:$PATH refuse 1 'nvdisasm fatal: no' own.cu --arch 90
refuse 2 "arch 'x' is not understood" own.cu --arch x
prefix=(sass)
PATH=$work/bin:$PATH run own.cu
expect 'a broken nvdisasm is no end' has "$out" 'plain: PTX for sm_'
expect 'and says why' has "$err" 'nvdisasm fatal: no'
for line in 'sleep 1000' 'while echo y; do sleep 0.1; done'; do
    printf '#!/bin/sh\n%s\n' "$line" >bin/nvdisasm
    PATH=$work/bin:$PATH run own.cu
    expect 'nor is one that hangs' has "$out" 'plain: PTX for sm_'
    expect 'which is stopped' has "$err" 'was stopped: it does not come back'
done
printf '#!/bin/sh\nprintf "\\n.text.launch_plain:\\n/*0*/ LDG \\377 ;\\n"\n' >bin/nvdisasm
PATH=$work/bin:$PATH run own.cu
expect 'bytes that are no text are shown' has "$out" 'LDG �'

# ---- what NVRTC refuses ----

refuse 1 'no code for sm_20' mean --arch sm_20
sed -i 's/sum = four/sum = five/' own.cu
run own.cu
expect 'what does not compile is refused' is $status 1
expect 'with its place' has "$err" 'own.cu:13:17: identifier "five" is undefined'
expect 'it leaves nothing' is "$(contents "$TMPDIR")" ""

finish
