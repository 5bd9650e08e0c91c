#!/usr/bin/env bash
# printf in kernels, in the window: told once for each choice, in the terminal, in a note and above the
# source; bounded; and gone with the file's next text.
# shellcheck source=tests/program/window.sh
. "$(dirname "$0")/window.sh"

# says STATEMENT…: a lab whose second variant has them.
lab() {
    printf '%s\n' '//! lab "Says"' '//! param n 1000 [1, 100000]' '//! param twice 2 [1, 9]' \
        '//! array b out [n]' '//! variant quiet 64x1' '__global__ void quiet(int *b, int n)' \
        '{ if (threadIdx.x + blockIdx.x * 64 < n) b[threadIdx.x + blockIdx.x * 64] = 1; }' \
        '//! variant says 64x1' '__global__ void says(int *b, int n, int twice)' \
        '{ const int i = threadIdx.x + blockIdx.x * 64; if (i < n) b[i] = 1;' "$@" '}' >says.cu
}
one='block (1, 0, 0) thread (6, 0, 0): i = 70'
lab 'if (i == 70) printf("i = %d, %d\n", i, twice);'
open says.cu --size 1280x720
until_says variant quiet printed '' "${settled[@]/exact/not checked}"
key 2 -- variant says noted "printed: $one, 2" printed "$one, 2\\\\n" current yes
# The frames that follow tell nothing more.
until_says settled yes printed "$one, 2\\\\n"
key E -- source '* · says' source_lines '[1-9]*'
with=$(fact source_lines)
shoot
key Down -- n 500 printed "$one, 2\\\\n" current yes
key 1 -- variant quiet printed '' current yes
key 2 -- variant says printed "$one, 2\\\\n" current yes

# ---- without end ----

lab 'for (int k = 0; k < 100; k++) printf("k\t= %d\n", k);'
until_says noted 'printed: block (* thread (*: k*= *… and more in the terminal' current yes \
    printed '*… and * more calls of printf\\n'
look && value source_lines
expect 'a few lines are enough for the window' [ "$REPLY" -eq $((with + 11)) ]
shoot
key plus plus plus plus -- current yes
shoot
# Two lines and a blank of what was printed, the statement, and why it stayed slow are gone.
lab
until_says noted 'kernels reloaded' printed '' current yes source_lines $((with - 5))

# ---- two at once, and a mistake ----

lab 'if (i == 70) { printf("i = %d", i); printf(", %s\n", "B"); }'
key c -- .comparing true current yes
until_says noted "printed: $one, B" current yes
lab 'if (i == 70) { printf("before\n"); assert(n < 0); }'
until_says noted "printed: ${one/i = 70/before}" message '*fails in says.cu:*assert(n < 0)*'
quit 0 '((says says printed:|block [^
]*|… and [0-9]+ more calls of printf)
?)+'
expect 'each choice is told once' is "$(grep -c 'i = 70, 2' err)" 3
expect 'lines are bounded' [ "$(grep -c 'k	=' err)" = 200 ]
finish
