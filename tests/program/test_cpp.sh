#!/usr/bin/env bash
# Kernel files of C++: what the program calls of them compiles and is right with each compiler there is.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"
export DISPLAY=:99999  # nothing here may need one

cd "$work" || exit 1
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

# on DEVICE WORDS: every variant, with and without literals.
on() {
    local variant
    for variant in $(variants_of data/kernels/labs/odd.cu); do
        for unroll in '' --unroll; do
            run run odd --data=data --device="$1" --variant="$variant" --param=Alpha=1.5 ${unroll:+"$unroll"}
            expect "odd $variant $unroll on $2: $err" is "$out" '.*, exact'
        done
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
done
unset CC
if has_gpu; then
    on cuda cuda
else
    echo 'skipped: there is no GPU for CUDA'
fi

run run odd --data=data --device=cpu --param=n=150
expect 'a value between two steps is refused' is "$err" \
    'tilescope: n 150 is none of 100, 200 … 65500 of odd'
finish
