// What test_warps.c traces, and test_ncu.sh counts on a GPU: each kernel lets the lanes of a warp
// part and meet again in one way. Not a picture worth seeing; the program never loads it.
//! filter "Divergence" key z
#include "kernel.h"

// The pixel's number, and what kind of lane it has: 0, 1, 2 or 3.
#define PIXEL                                                                                       \
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; \
    const int at = y * in.pitch + x, kind = (int)(threadIdx.y * blockDim.x + threadIdx.x) % 4;      \
    if (x >= out.width || y >= out.height) return;

//! variant copies 32x8
__global__ void divergent_copies(plane out, plane in)
{
    PIXEL
    out.pixels[at] = (unsigned char)(in.pixels[at] + kind);
}

// Two half-empty loads, a common one.
//! variant branches 32x8
//! compiled selects one of two addresses instead of branching
__global__ void divergent_branches(plane out, plane in)
{
    PIXEL
    int v;
    if (kind & 1)
        v = in.pixels[at] * 3;
    else
        v = in.pixels[at ^ 2] + 1;
    v += in.pixels[at];
    out.pixels[at] = (unsigned char)v;
}

// One to four loads, a common one; three times.
//! variant ragged 32x8
//! compiled unrolls the inner loop, so that lanes part more often
__global__ void divergent_ragged(plane out, plane in)
{
    PIXEL
    int sum = 0;
    for (int o = 0; o < 3; o++) {
        for (int i = 0; i <= kind; i++) sum += in.pixels[at ^ i ^ o];
        sum += in.pixels[at ^ o];
    }
    out.pixels[at] = (unsigned char)sum;
}

// Four first loads, three second ones, a common one.
//! variant breaks 32x8
//! compiled selects addresses instead of branching
__global__ void divergent_breaks(plane out, plane in)
{
    PIXEL
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += in.pixels[at ^ i];
        if (kind == i) break;
        sum += in.pixels[at ^ i ^ 1];
    }
    sum += in.pixels[at ^ 4];
    out.pixels[at] = (unsigned char)sum;
}

// Two loads of even lanes in odd rounds, four of all.
//! variant continues 32x8
//! compiled selects addresses instead of branching
__global__ void divergent_continues(plane out, plane in)
{
    PIXEL
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += in.pixels[at ^ i];
        if (i % 2 == 0 || kind % 2 == 1) continue;
        sum *= in.pixels[at ^ i ^ 1];
    }
    out.pixels[at] = (unsigned char)sum;
}

// Two outer rounds: one or two loads, a common one.
//! variant nested 32x8
__global__ void divergent_nested(plane out, plane in)
{
    PIXEL
    int sum = 0;
    for (int o = 0; o < 2; o++) {
        for (int i = 0; i <= (kind ^ o) % 2; i++) sum += in.pixels[at ^ i];
        sum += in.pixels[at ^ o];
    }
    out.pixels[at] = (unsigned char)sum;
}

// Three loads by kind, a common one.
//! variant cases 32x8
__global__ void divergent_cases(plane out, plane in)
{
    PIXEL
    int v = 0;
    switch (kind) {
    case 0: v = in.pixels[at ^ 1] * 3; break;
    case 1: v = in.pixels[at ^ 2] ^ 5; break;
    case 2: v = in.pixels[at ^ 3] + 7; break;
    }
    v += in.pixels[at];
    out.pixels[at] = (unsigned char)v;
}

// Of the two kinds that enter the if one returns there: a load by two kinds, one by one, one by
// three; two stores.
//! variant returns 32x8
__global__ void divergent_returns(plane out, plane in)
{
    PIXEL
    int v = 0;
    if (kind < 2) {
        v = in.pixels[at ^ 8];
        if (kind == 0) {
            out.pixels[at ^ 16] = (unsigned char)(v + 3);
            return;
        }
        v += in.pixels[at ^ 2];
    }
    v += in.pixels[at];
    out.pixels[at] = (unsigned char)v;
}

// Who fails one of two tests loads the same: a load by two kinds, one by one, one by three.
//! variant tests 32x8
__global__ void divergent_tests(plane out, plane in)
{
    PIXEL
    int v;
    if (kind < 2 && in.pixels[at ^ 8] <= kind)
        v = in.pixels[at] * 3;
    else
        v = in.pixels[at ^ 1] + 1;
    out.pixels[at] = (unsigned char)v;
}

// A load and a store by all. Shared memory: two stores by all, two loads by halves, one by all.
//! variant barriers 32x8 shared=4*bw*bh
__global__ void divergent_barriers(plane out, plane in)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x, count = blockDim.x * blockDim.y;
    const int at = min(y, out.height - 1) * in.pitch + min(x, out.width - 1);
    extern __shared__ int words[];
    int v;
    words[t] = in.pixels[at];
    __syncthreads();
    if (t & 1)
        v = words[t ^ 1] * 3;
    else
        v = words[t] + 1;
    v += __shfl_xor_sync(0xffffffff, v, 1);
    __syncthreads();
    words[t] = v;
    __syncthreads();
    v = words[(t + 1) % count];
    if (x < out.width && y < out.height) out.pixels[at] = (unsigned char)v;
}
