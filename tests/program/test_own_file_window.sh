#!/usr/bin/env bash
# A CUDA file that lies beside the installed kernels, in the window: named on the command line or
# dropped, with and without notes, edited as it runs, broken, and away.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"

drop() { "$(dirname "$probe")/drag" "$window" "file://${PWD// /%20}/$1" >dropped; }
# fill NAME VALUE: a file without notes that writes one grey.
fill() {
    printf '%s\n' "__global__ void $1(float *a, int n)" '{' \
        '    int i = blockIdx.x * blockDim.x + threadIdx.x;' "    if (i < n) a[i] = $2;" '}'
}
mkdir one 'the other'
"$probe" noise a.png 64 48 grey 1

# ---- named ----

fill fill 40 >one/Fill.cu
open one/Fill.cu --size 640x360
until_says noted 'guessed: * runs over *; n is a size · tilescope adopt Fill.cu writes it down' \
    filter Fill variant fill current yes check 'not checked'
key f -- filter access
key F -- filter Fill current yes
{ fill first 50; fill second 60; } >one/Fill.cu
until_says noted 'kernels reloaded: fill is gone, first is shown' variant first current yes
key 2 -- variant second current yes
echo '#define GREY 7' >one/grey.cuh
{ echo '#include "grey.cuh"'; fill first GREY; } >one/Fill.cu
until_says noted 'kernels reloaded*' variant first current yes
: >dropped
echo 'int mistake = nowhere;' >>one/grey.cuh
until_says noted 'kernels reloaded*' # host code of a header is left out
echo '__device__ int mistake = nowhere;' >one/grey.cuh
until_says message '*nowhere*' filter Fill
echo '#define GREY 8' >one/grey.cuh
until_says message '' filter Fill current yes
echo '__global__ void first(struct body *a) { }' >one/Fill.cu
until_says message '*first is left out*of type body*' variant first
mv one/Fill.cu one/away
until_says message "*Fill.cu'*No such file*" variant first
fill first 9 >one/Fill.cu
until_says message '' noted 'kernels reloaded' variant first current yes

# Where a kernel reaches outside of arrays whose sizes were guessed, the guess may be what is wrong.
fill wild '*(float *)16' >one/Fill.cu
until_says message '*outside its memory*guessed*tilescope adopt Fill.cu -o Fill.cu*' variant wild
fill beyond 'a[i + n / 2]' >one/Fill.cu
until_says message '*Fill.cu:4: beyond: *reads a?*?; a has * elements*guessed*' variant beyond
fill first 9 >one/Fill.cu
until_says message '' variant first current yes

# ---- dropped ----

sed -n '1,/^}/p' <(printf '%s\n' '//! lab "Dropped"' '//! param n 1000 [1, 5000]' \
    '//! array a out [n]' '//! variant thin 64x1'; fill thin 3) >'the other/dropped.cu'
drop 'the other/dropped.cu'
until_says noted 'Dropped is shown' filter dropped variant thin current yes
key f -- filter access
key F -- filter dropped
echo '//! oops' >>'the other/dropped.cu'
until_says message "*dropped.cu:*unknown directive 'oops'*" filter dropped
sed -i '$d' 'the other/dropped.cu'
until_says message '' noted 'kernels reloaded' filter dropped current yes
# A mistake in what is dropped leaves what is shown, and is tried again when it is mended.
echo '//! lab "Bad' >bad.cu
drop bad.cu
until_says message '*bad.cu:1: expected*' filter dropped current yes
key Up -- n '*' filter dropped current yes
sed 's/Dropped/Mended/' 'the other/dropped.cu' >bad.cu
until_says message '' noted 'Mended is shown' filter bad current yes
head -c 2000 /dev/urandom >binary.cu
drop binary.cu
until_says message '*binary.cu*' filter bad
mkdir folder.cu
drop folder.cu
until_says message '*folder.cu*' filter bad
# One of an installed one's name takes its place.
sed 's/Dropped/Own mean/' 'the other/dropped.cu' >mean.cu
drop mean.cu
until_says noted 'Own mean is shown' filter mean variant thin current yes
# And lets it go for the next one, on the side that keys act on.
fill own 5 >one/Bare.cu
key c -- .comparing true
drop one/Bare.cu
until_says noted 'guessed: * · tilescope adopt Bare.cu writes it down' B.filter Bare \
    A.filter mean A.variant naive
# Many guesses give way to how to keep them, with the file's own name.
{ fill fill 40; fill later 40; fill last 40; } | sed 's/int n)/int n, float angle, float *what_lies_around, float *what_is_far)/
    s/= 40/= angle * what_lies_around[i] + what_is_far[i]/' >'the other/lab 3 (1).cu'
drop 'the other/lab 3 (1).cu'
until_says B.filter lab_3__1_ noted \
    "guessed: * runs over *; … · tilescope adopt 'lab 3 (1).cu' writes it down"
quit 0 'tilescope: one/Fill.cu: guessed: n is a size.*writes them down'

finish
