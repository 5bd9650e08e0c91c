#!/usr/bin/env bash
# Kernel files of C++: what the program calls of them compiles and is right with each compiler there is.
# Cooperative groups mean the same on every device, and the same as with NVIDIA's own header.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"

mkdir -p data/kernels/labs
cat >data/kernels/labs/odd.cu <<'END'
//! lab "Odd declarations"
//! param n      4000 [100, 65500 step 100] numbers
//! param Alpha  2 [0, 9] factor
//! array a float in [n] noise 0, 255
//! array b float out [n] shown 0, 255
#include "lab.h"

__global__ void b(float *a, int n);  // of no line, and the name of an array

namespace course {

template <class T> struct pair {
    T x, y;
    __host__ __device__ T product() const { return x * y; }
};

//! reference b
__host__ __device__ double b_reference(long long i, const float *a, float Alpha)
{
    return pair<float>{a[i], Alpha}.product();
}

//! variant plain 64x1
__global__ void plain(const int n, float (*b)[10], float const (*const a)[10], float Alpha = 1 << 2)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i / 10][i % 10] = a[i / 10][i % 10] * Alpha;
}

//! variant tiled 64x1 of tiled<64, float> shared=4*bw block=fixed
//! variant half 32x1 of course::tiled<(2 > 1 ? 32 : 0), float, 1> shared=4*bw block=fixed
template <int N, class T, int M = 2>
__global__ void __launch_bounds__(N * M, M) tiled(T *b, const T *__restrict__ a, int n, const float &Alpha)
{
    extern __shared__ T s[]
        [1];
    const int i = blockIdx.x * N + threadIdx.x;
    if (i < n) s[N - 1 - threadIdx.x][0] = a[i];
    __syncthreads();
    if (i < n) b[i] = pair<T>{s[N - 1 - threadIdx.x][0], Alpha}.product();
}

inline namespace newest {
extern "C" {
//! variant vector 32x1 each=4x1 domain=n
__global__ void __launch_bounds__(1024) vector(float4 *b, const float4 *a, int n, float Alpha)
{
    extern __shared__ __align__(16) float4 wide[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    b[i] = make_float4(a[i].x * Alpha, a[i].y * Alpha, a[i].z * Alpha, a[i].w * Alpha);
}
}
}

}  // namespace course

// One symbol for all of a file.
extern __shared__ float of_file[];

//! variant outside 64x1 shared=4*bw
static __global__ void p(float *b, const float *a, int n, float Alpha)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) of_file[threadIdx.x] = a[i] * Alpha;
    if (i < n) b[i] = of_file[threadIdx.x];
}
END

# ---- cooperative groups ----

cat >data/kernels/labs/groups.cu <<'END'
//! lab "Sums of blocks"
//! param n 4096 [256, 65536 step 256] numbers
//! array a in  [n] noise -100, 100
//! array b out [n/256] shown 0, 255
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

// The sum of 256 numbers.
//! reference b
__host__ __device__ double b_reference(const int *a, long long i)
{
    double sum = 0;
    for (int k = 0; k < 256; k++) sum += a[256 * i + k];
    return sum;
}

//! variant tiles 256x1 block=fixed each=1x1 domain=n
__global__ void tiles(const int *a, int *b)
{
    __shared__ int sums[64];
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto four = cg::tiled_partition<4>(warp);
    const int value = a[cg::this_grid().thread_rank()];
    int sum = cg::reduce(four, value, cg::plus<int>());
    int least = value, most = value;
    for (unsigned int i = 0; i < four.size(); i++) {
        least = min(least, four.shfl(value, i));
        most = max(most, four.shfl(value, i));
    }
    if (cg::reduce(four, value, cg::less<int>()) != least) sum = 1 << 20;
    if (cg::reduce(four, value, cg::greater<int>()) != most) sum = 1 << 20;
    if (cg::reduce(four, 1u << four.thread_rank(), cg::bit_or<unsigned int>()) != 15) sum = 1 << 20;
    if (four.ballot(four.thread_rank() > 1) != 12) sum = 1 << 20;
    if (four.thread_rank() == 0)
        sums[warp.meta_group_rank() * four.meta_group_size() + four.meta_group_rank()] = sum;
    block.sync();
    if (block.thread_rank() > 0) return;
    for (int i = 1; i < 64; i++) sum += sums[i];
    b[blockIdx.x] = sum;
}

//! variant several_warps 256x1 block=fixed domain=n
__global__ void several_warps(const int *a, int *b)
{
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ int sums[2];
    const auto block = cg::this_thread_block(memory);
    const auto tile = cg::tiled_partition<128>(block);
    const int value = a[256 * blockIdx.x + block.thread_rank()];
    int sum = cg::reduce(tile, value, cg::plus<int>());
    if (tile.shfl(tile.thread_rank(), 100) != 100) sum = 1 << 20;
    if (!tile.any(tile.thread_rank() == 77) || tile.any(tile.thread_rank() == 128)) sum = 1 << 20;
    if (!tile.all(tile.thread_rank() < 128) || tile.all(tile.thread_rank() < 127)) sum = 1 << 20;
    if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
    cg::sync(block);
    if (block.thread_rank() == 0) b[blockIdx.x] = sums[0] + sums[1];
}

// Lanes that go different ways are different groups.
//! variant coalesced 256x1 block=fixed domain=n
__global__ void coalesced(const int *a, int *b)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int value = a[256 * blockIdx.x + threadIdx.x];
    if (value & 1) {
        const cg::coalesced_group odd = cg::coalesced_threads();
        const int all = cg::reduce(odd, value, cg::plus<int>());
        if (odd.thread_rank() == 0) atomicAdd(&sum, all);
    } else {
        const cg::coalesced_group even = cg::coalesced_threads();
        const int below = cg::exclusive_scan(even, value, cg::plus<int>());
        const int last = even.shfl(below + value, even.size() - 1);
        const unsigned int bits = even.size() == 32 ? ~0u : (1u << even.size()) - 1;
        const unsigned int votes = even.ballot(1);
        if (even.thread_rank() == 0) atomicAdd(&sum, votes == bits ? last : 1 << 20);
    }
    __syncthreads();
    if (threadIdx.x == 0) b[blockIdx.x] = sum;
}

// One lane adds for all that are there with it.
//! variant aggregated 256x1 block=fixed domain=n
__global__ void aggregated(const int *a, int *b)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    for (int i = 0; i < a[256 * blockIdx.x + threadIdx.x] + 100; i++) {
        const unsigned int lanes = __activemask();
        if (__popc(lanes & ((1u << threadIdx.x % 32) - 1)) == 0) atomicAdd(&sum, __popc(lanes));
    }
    __syncthreads();
    if (threadIdx.x == 0) b[blockIdx.x] = sum - 256 * 100;
}

// A struct of two numbers, and a function of ours that puts two together.
struct __align__(8) range {
    int least;
    float most;
};

__device__ range both(range a, range b)
{
    return {min(a.least, b.least), max(a.most, b.most)};
}

//! variant structs 256x1 block=fixed domain=n
__global__ void structs(const int *a, int *b)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int value = a[256 * blockIdx.x + threadIdx.x];
    const range of_warp = cg::reduce(warp, range{value, (float)value}, both);
    const int least = cg::reduce(warp, value, cg::less<int>());
    const int most = cg::reduce(warp, value, cg::greater<int>());
    atomicAdd(&sum, of_warp.least == least && of_warp.most == most ? value : 1 << 20);
    __syncthreads();
    if (threadIdx.x == 0) b[blockIdx.x] = sum;
}

//! variant scans 256x1 block=fixed domain=n
__global__ void scans(const int *a, int *b)
{
    __shared__ int sums[16];
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int value = a[256 * blockIdx.x + threadIdx.x];
    const int up_to = cg::inclusive_scan(tile, value, cg::plus<int>());
    const int below = cg::exclusive_scan(tile, value);
    if (tile.thread_rank() == 15) sums[tile.meta_group_rank()] = below + value == up_to ? up_to : 1 << 20;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 16; i++) sum += sums[i];
    if (threadIdx.x == 0) b[blockIdx.x] = sum;
}

// A group whose size is known when the kernel runs.
__device__ int sum_of(cg::thread_group g, int *shared, int value)
{
    for (int i = g.size() / 2; i > 0; i /= 2) {
        shared[g.thread_rank()] = value;
        g.sync();
        if (g.thread_rank() < i) value += shared[g.thread_rank() + i];
        g.sync();
    }
    return value;
}

//! variant any_group 256x1 block=fixed domain=n
__global__ void any_group(const int *a, int *b)
{
    __shared__ int shared[256], of_block;
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition(block, 32);
    const cg::thread_group part = cg::tiled_partition(warp, 8);
    if (threadIdx.x == 0) of_block = 0;
    block.sync();
    const int value = a[256 * blockIdx.x + threadIdx.x];
    const int sum = sum_of(part, &shared[threadIdx.x / 8 * 8], value);
    if (part.thread_rank() == 0) atomicAdd(&of_block, sum);
    block.sync();
    const int again = sum_of(block, shared, value);
    if (threadIdx.x == 0) b[blockIdx.x] = of_block == again ? again : 1 << 20;
}

// The same without groups, by words of a warp.
//! variant words 256x1 block=fixed domain=n
__global__ void words(const int *a, int *b)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
#if __CUDA_ARCH__ >= 700
    const int value = a[256 * blockIdx.x + threadIdx.x];
    const unsigned int alike = __match_any_sync(~0u, value & 3);
    int of_alike = 0, least = value, most = value;
    for (unsigned int rest = alike; rest; rest &= rest - 1) {
        const int other = __shfl_sync(alike, value, __ffs((int)rest) - 1);
        of_alike += other;
        least = min(least, other);
        most = max(most, other);
    }
#if __CUDA_ARCH__ >= 800 || !defined(__CUDACC__)
    if (__reduce_add_sync(alike, value) != of_alike) of_alike = 1 << 20;
    if (__reduce_min_sync(alike, value) != least) of_alike = 1 << 20;
    if (__reduce_max_sync(alike, value) != most) of_alike = 1 << 20;
    if (__reduce_or_sync(alike, 1u << threadIdx.x % 32) != alike) of_alike = 1 << 20;
    if (__reduce_xor_sync(alike, 1u << threadIdx.x % 32) != alike) of_alike = 1 << 20;
    if (__reduce_and_sync(alike, alike | 1u << threadIdx.x % 32) != alike) of_alike = 1 << 20;
    if (__reduce_add_sync(alike, 1u) != __popc(alike)) of_alike = 1 << 20;
    if (__reduce_min_sync(alike, threadIdx.x) % 32 + 1 != __ffs((int)alike)) of_alike = 1 << 20;
    if (31 - __reduce_max_sync(alike, threadIdx.x) % 32 != __clz((int)alike)) of_alike = 1 << 20;
#endif
    if (threadIdx.x % 32 + 1 == __ffs((int)alike)) atomicAdd(&sum, of_alike);
#endif
    __syncthreads();
    if (threadIdx.x == 0) b[blockIdx.x] = sum;
}

//! variant partitions 256x1 block=fixed domain=n
__global__ void partitions(const int *a, int *b)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int value = a[256 * blockIdx.x + threadIdx.x];
    const auto alike = cg::labeled_partition(warp, value & 3);
    const int of_alike = cg::reduce(alike, value, cg::plus<int>());
    const auto odd = cg::binary_partition(warp, value & 1);
    const int of_odd = cg::reduce(odd, value, cg::plus<int>());
    if (alike.thread_rank() == 0) atomicAdd(&sum, 2 * of_alike);
    if (odd.thread_rank() == 0) atomicSub(&sum, of_odd);
    __syncthreads();
    if (threadIdx.x == 0) b[blockIdx.x] = sum;
}
END

# ---- on each device ----

# on DEVICE WORDS: every variant; those of odd with and without literals.
on() {
    local variant unroll
    for variant in $(variants_of data/kernels/labs/odd.cu); do
        for unroll in '' --unroll; do
            run run odd --data=data --device="$1" --variant="$variant" --param=Alpha=1.5 ${unroll:+"$unroll"}
            expect "odd $variant $unroll on $2: $err" is "$out" '.*, exact'
        done
    done
    for variant in $(variants_of data/kernels/labs/groups.cu); do
        run run groups --data=data --device="$1" --variant="$variant"
        expect "groups $variant on $2: $err" is "$out" '.*, exact'
    done
}
for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null; then
        echo "skipped: there is no $compiler"
        continue
    fi
    export CC=$compiler
    on cpu $compiler
    run lens odd --data=data --variant=tiled
    expect "the lens counts shared memory of a template with $compiler: $err" has "$out" 'shared load'
    run lens groups --data=data --all
    for variant in $(variants_of data/kernels/labs/groups.cu); do
        expect "the lens counts $variant with $compiler: $err" grep -E "^$variant +[1-9]" "$work/out"
    done
    expect_not "there is no race with $compiler" grep -E 'race:|outside:' "$work/out"
done
unset CC
if has_gpu; then
    on cuda cuda
else
    echo 'skipped: there is no GPU for CUDA'
fi
if command -v nvcc >/dev/null; then
    expect "nvcc takes it with NVIDIA's header" \
        nvcc -std=c++17 -arch=sm_80 -I"$source_dir/kernels" -c data/kernels/labs/groups.cu -o /dev/null
else
    echo 'skipped: there is no nvcc'
fi

# ---- what cannot be ----

while IFS='|' read -r code wanted; do
    cat >wrong.cu <<END
//! lab "Wrong"
//! array b int out [64] shown 0, 255
#include <cooperative_groups.h>
//! variant wrong 64x1
__global__ void wrong(int *b)
{
    auto block = cooperative_groups::this_thread_block();
    $code;
    block.sync();
}
END
    run run wrong.cu --device=cpu
    expect "$code is refused" is $status 1
    expect "$code is refused with what to use instead" has "$err" "$wanted"
    expect "the refusal of $code names its line" has "$err" 'wrong.cu:8'
done <<'END'
cooperative_groups::this_grid().sync()|another kernel of the same variant
auto c = cooperative_groups::this_cluster()|share through global memory
cooperative_groups::memcpy_async(block, b, b + 32, 32)|copy in a loop
cooperative_groups::tiled_partition<24>(block)|a tile has 1, 2, 4
END

run run odd --data=data --device=cpu --param=n=150
expect 'a value between two steps is refused' is "$err" \
    'tilescope: n 150 is none of 100, 200 … 65500 of odd'
finish
