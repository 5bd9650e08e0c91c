// What test_emulator.c runs: each kernel does one thing that threads of a block do together, and
// writes one word a thread (of all blocks) to scratch. Not a filter; the program never loads it.
#include "kernel.h"

__device__ unsigned int thread_in_block(void)
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__device__ unsigned int block_in_grid(void)
{
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

__device__ unsigned int thread_in_grid(void)
{
    return block_in_grid() * blockDim.x * blockDim.y * blockDim.z + thread_in_block();
}

// ---- barriers ----

__global__ void everybody(unsigned int *scratch)
{
    atomicAdd(&scratch[thread_in_grid()], thread_in_grid() + 1);
}

__global__ void neighbour(unsigned int *scratch)
{
    const unsigned int t = thread_in_block(), count = blockDim.x * blockDim.y * blockDim.z;
    extern __shared__ unsigned int words[];
    words[t] = thread_in_grid();
    __syncthreads();
    scratch[thread_in_grid()] = words[(t + 1) % count];
}

// Sum of the block's thread numbers, in steps.
__global__ void reduction(unsigned int *scratch)
{
    const unsigned int t = thread_in_block(), count = blockDim.x * blockDim.y * blockDim.z;
    extern __shared__ unsigned int words[];
    words[t] = t;
    for (unsigned int step = 512; step > 0; step /= 2) {
        __syncthreads();
        if (t < step && t + step < count) words[t] += words[t + step];
    }
    __syncthreads();
    scratch[thread_in_grid()] = words[0];
}

__global__ void votes_of_block(unsigned int *scratch)
{
    const unsigned int t = thread_in_block();
    const int count = __syncthreads_count(t % 3 == 0);
    const int some = __syncthreads_or(t == 5), none = __syncthreads_or(t == 9999);
    const int all = __syncthreads_and(t < 9999), most = __syncthreads_and(t != 5);
    scratch[thread_in_grid()] = count << 4 | (some != 0) << 3 | (none != 0) << 2 |
                                (all != 0) << 1 | (most != 0);
}

// Every third thread leaves before the barrier.
__global__ void leave_early(unsigned int *scratch)
{
    const unsigned int t = thread_in_block(), count = blockDim.x * blockDim.y * blockDim.z;
    extern __shared__ unsigned int words[];
    words[t] = t;
    if (t % 3 == 1) return;
    __syncthreads();
    scratch[thread_in_grid()] = words[count - 1 - t];
}

// What lives on a thread's stack, or in its registers, outlives barriers.
__global__ void own_stack(unsigned int *scratch)
{
    unsigned int own[64], sum = 0;
    const float x = thread_in_block() * 0.5f;
    for (int i = 0; i < 64; i++) own[i] = thread_in_block() * i;
    for (int i = 0; i < 64; i++) {
        __syncthreads();
        sum += own[i];
    }
    scratch[thread_in_grid()] = sum + (unsigned int)(x * 2);
}

__constant__ unsigned int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
__device__ unsigned int bonus = 1000;

__global__ void memories(unsigned int *scratch)
{
    extern __shared__ unsigned char bytes[];
    __shared__ unsigned int rows[32][33];
    __shared__ uint4 wide;
    const unsigned int t = thread_in_block();
    rows[t % 32][t / 32] = squares[t % 8];
    bytes[t] = (unsigned char)t;
    if (t == 0) wide = make_uint4(1, 2, 3, 4);
    __syncthreads();
    scratch[thread_in_grid()] = rows[t % 32][t / 32] + bytes[t] + bonus + wide.w;
}

__global__ void indices(unsigned int *scratch)
{
    scratch[thread_in_grid()] = threadIdx.x | (threadIdx.z * blockDim.y + threadIdx.y) << 8 |
                                blockIdx.x << 16 | blockIdx.y << 20 | blockIdx.z << 24 | blockDim.x % 2 << 28 |
                                gridDim.z << 29;
}

// ---- warps ----

__global__ void shuffle_at(unsigned int *scratch)
{
    const int t = thread_in_block();
    const int a = __shfl_sync(0xffffffff, t * 10, 3), b = __shfl_sync(0xffffffff, t * 10, t + 1, 8);
    scratch[thread_in_grid()] = (unsigned int)a << 16 | (unsigned int)b;
}

__global__ void shuffle_up(unsigned int *scratch)
{
    const int t = thread_in_block();
    const int a = __shfl_up_sync(0xffffffff, t * 10, 5);
    const int b = __shfl_up_sync(0xffffffff, t * 10, 3, 8);
    scratch[thread_in_grid()] = (unsigned int)a << 16 | (unsigned int)b;
}

__global__ void shuffle_down(unsigned int *scratch)
{
    const int t = thread_in_block();
    const int a = __shfl_down_sync(0xffffffff, t * 10, 5);
    const int b = __shfl_down_sync(0xffffffff, t * 10, 1, 4);
    scratch[thread_in_grid()] = (unsigned int)a << 16 | (unsigned int)b;
}

__global__ void shuffle_xor(unsigned int *scratch)
{
    const int t = thread_in_block();
    const int a = __shfl_xor_sync(0xffffffff, t * 10, 17);
    const int b = __shfl_xor_sync(0xffffffff, t * 10, 9, 8);
    scratch[thread_in_grid()] = (unsigned int)a << 16 | (unsigned int)b;
}

// The whole value comes across, whatever its type.
__global__ void shuffle_types(unsigned int *scratch)
{
    const int t = thread_in_block();
    const unsigned int mask = __ballot_sync(0xffffffff, 1);
    const unsigned char small = (unsigned char)t;
    int ok = __shfl_xor_sync(mask, 3000000000u + t, 1) == 3000000000u + (t ^ 1);
    ok = ok && __shfl_xor_sync(mask, t + 0.25f, 1) == (t ^ 1) + 0.25f;
    ok = ok && __shfl_xor_sync(mask, t + 0.1, 1) == (t ^ 1) + 0.1;
    ok = ok && __shfl_xor_sync(mask, -5000000000ll - t, 1) == -5000000000ll - (t ^ 1);
    ok = ok && __shfl_xor_sync(mask, 1ull << 63 | t, 1) == (1ull << 63 | (t ^ 1));
    ok = ok && __shfl_xor_sync(mask, small, 1) == (t ^ 1) % 256;
    scratch[thread_in_grid()] = ok;
}

__global__ void votes_of_warp(unsigned int *scratch)
{
    const int t = thread_in_block();
    const unsigned int ballot = __ballot_sync(0xffffffff, t % 3 == 0);
    const int any = __any_sync(0xffffffff, t == 33), all = __all_sync(0xffffffff, t < 33);
    scratch[thread_in_grid()] = ballot ^ (any ? 0x10000000 : 0) ^ (all ? 0x20000000 : 0);
}

// Two halves of a warp that know nothing of each other.
__global__ void halves(unsigned int *scratch)
{
    const int t = thread_in_block();
    unsigned int sum = t;
    if (t % 2) {
        for (int i = 16; i > 1; i /= 2) sum += __shfl_xor_sync(0xaaaaaaaa, sum, i);
    } else {
        __syncwarp(0x55555555);
        sum = __ballot_sync(0x55555555, t % 32 > 15);
    }
    __syncwarp();
    scratch[thread_in_grid()] = sum;
}

// Lanes that have ended do not hold the others.
__global__ void shuffle_of_the_rest(unsigned int *scratch)
{
    const int t = thread_in_block();
    if (t % 32 >= 20) return;
    scratch[thread_in_grid()] = __shfl_down_sync(0xffffffff, t, 1);
}

// Lanes that go one way are there together, however often; nobody waits for those that never come.
__global__ void together(unsigned int *scratch)
{
    const int t = thread_in_block();
    unsigned int lanes = 0;
    if (t % 3 == 2) return;
    if (t % 3 == 0)
        lanes = __activemask();
    else
        for (int i = 0; i <= t % 2; i++) lanes = __activemask();
    __syncthreads();
    scratch[thread_in_grid()] = lanes;
}

// A warp's sums through shuffles, the block's through shared memory.
__global__ void shuffle_and_barrier(unsigned int *scratch)
{
    extern __shared__ unsigned int sums[];
    const unsigned int t = thread_in_block(), warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
    unsigned int sum = t;
    for (int i = 16; i > 0; i /= 2) sum += __shfl_xor_sync(0xffffffff, sum, i);
    if (t % 32 == 0) sums[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned int i = 0; i < warps; i++) sum += sums[i];
    scratch[thread_in_grid()] = sum;
}

// ---- atomics, across blocks ----

__global__ void atomics(unsigned int *scratch)
{
    const unsigned int t = thread_in_grid();
    float *const floats = (float *)scratch;
    int *const ints = (int *)scratch;
    unsigned long long *const longs = (unsigned long long *)scratch;
    atomicAdd(&scratch[0], 2);
    atomicSub(&scratch[1], 1);
    atomicAdd(&ints[2], -3);
    atomicMin(&ints[3], -(int)t);
    atomicMax(&ints[4], (int)t);
    atomicMax(&scratch[5], t);
    atomicMin(&scratch[6], t + 7);
    atomicOr(&scratch[7], 1u << t % 32);
    atomicAnd(&scratch[8], ~(1u << t % 31));
    atomicXor(&scratch[9], t);
    atomicAdd(&floats[10], 0.5f);
    atomicInc(&scratch[11], 6);
    atomicDec(&scratch[12], 9);
    for (unsigned int old = scratch[13], seen;; old = seen) {
        seen = atomicCAS(&scratch[13], old, old + 5);
        if (seen == old) break;
    }
    atomicAdd(&scratch[14], atomicExch(&scratch[15], t + 1));  // all but the last one left there
    atomicAdd(&longs[8], 1ull << 32 | 1);
    __threadfence();
}

// ---- what must be refused ----

__global__ void two_barriers()
{
    if (threadIdx.x < 5)
        __syncthreads();  // two_barriers: first
    else
        __syncthreads();  // two_barriers: second
}

__global__ void two_barriers_late()
{
    __syncthreads();
    if (thread_in_block() != 4) __syncthreads();  // two_barriers_late: first
    __syncthreads();                              // two_barriers_late: second
}

__global__ void stuck()
{
    if (threadIdx.x % 2)
        __shfl_sync(0xffffffff, 1, 0);  // stuck: first
    else
        __syncthreads();  // stuck: second
}

__global__ void two_shuffles()
{
    if (threadIdx.x % 2)
        __shfl_sync(0xffffffff, 1, 0);  // two_shuffles: first
    else
        __shfl_sync(0xffffffff, 1, 0);  // two_shuffles: second
}

__global__ void two_masks()
{
    const unsigned int mask = threadIdx.x % 2 ? 0xffffffff : 0x7fffffff;
    __shfl_sync(mask, 1, 0);  // two_masks: first, second
}

__global__ void not_in_mask()
{
    __ballot_sync(2, 1);  // not_in_mask: first
}
