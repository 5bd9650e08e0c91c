#!/usr/bin/env bash
# A kernel that never ends, on a GPU, which cannot stop it: the window says so, starts again with
# what is chosen or mended, and can be closed.
#
# On the cpu backend such a kernel is stopped, and test_live.sh shows it.
#
#     TILESCOPE_ENDLESS_DEVICE   which GPU (cuda)
#     TILESCOPE_ENDLESS_DISPLAY  on which X server; none: one of its own
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
device=${TILESCOPE_ENDLESS_DEVICE:-cuda}
display=${TILESCOPE_ENDLESS_DISPLAY:-}
why=$("$program" devices 2>&1)
if [ "$device" = cuda ] && ! grep -q '^cuda:' <<<"$why"; then
    echo "skipped: there is no GPU: $why"
    exit 77
fi
# shellcheck source=tests/program/window.sh
. "$source_dir/tests/program/window.sh"
export TILESCOPE_CACHE=$work/cache
mkdir data
cp -r "$source_dir/kernels" data
lab=data/kernels/labs/caught.cu

# save FACTOR [BODY [PREPARING]]: the lab, whose first variant has that body, and its last one what
# prepares.
save() {
    cat >"$lab" <<TEXT
//! lab "Caught"
//! param n 4096 [1, 65536]  elements
//! array a  in      [n] noise 0, 9
//! array b  out     [n] shown 0, 99
//! array t  scratch [n]
#include "lab.h"

//! reference b
__host__ __device__ double caught_reference(const int *a, long long i)
{
    return $1 * a[i];
}

//! variant naive 256x1
__global__ void caught_naive(int *b, const int *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ${2:-}
    if (i < n) b[i] = $1 * a[i];
}

//! variant other 256x1
__global__ void caught_other(int *b, const int *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = $1 * a[i];
}

//! untimed 256x1 domain=n
__global__ void caught_prepare(int *t, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ${3:-}
    if (i < n) t[i] = 0;
}

//! variant ready 256x1 prepare=caught_prepare
__global__ void caught_ready(int *b, const int *a, const int *t, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = $1 * a[i] + t[i];
}
TEXT
}
endless='for (volatile int k = 0; i >= 0; k = 1 - k) continue;'
line='tilescope: a kernel does not come back, and a GPU cannot stop it:'
again="$line starting again"

# The new process has this one's number. What the old one said of its state is no longer read.
count_restarts() { grep -c "^$again\$" err; }
has_restarted() { [ "$(count_restarts)" = "$1" ] && rm -f "$dump" && begin_to_listen; }
restarts=0
until_restarted() {
    restarts=$((restarts + 1))
    wait_for "the program to start again, $restarts" has_restarted $restarts
    wait_for 'its window' find_window
    until_says noted 'started again: a GPU cannot stop an endless kernel' "$@"
}
until_told() { until_says message "caught ${1:-naive} has not come back for*A GPU cannot stop it*"; }

"$probe" noise a.png 200 100 grey 1

save 2
open a.png --data data --filter caught --variant naive --size 1280x720
until_says variant naive "${exact[@]}"
save 3 "$endless"
until_told
grab

# ---- it is mended by saving ----

save 4
until_restarted filter caught variant naive "${exact[@]}"

# ---- another variant ----

save 5 "$endless"
until_told
press 2
until_restarted filter caught variant other "${exact[@]}"

# ---- what prepares ----

save 6 '' "$endless"
key 3 -- variant ready
until_told ready
press 2
until_restarted filter caught variant other "${exact[@]}"

# ---- whatever waits for the queue ----

key 1 -- variant naive
save 7 "$endless"
until_told
press 2 c
until_restarted variant other .comparing true
key c -- variant other

# ---- it is left ----

press 1
until_told
press q
said=$(for ((i = 0; i < restarts; i++)); do echo "$again"; done
    echo "$line ending without waiting for it")
has_ended 0 "$said"

finish
