#!/usr/bin/env bash
# What files of courses have besides plain kernels: textures that are filtered, surfaces, functors,
# structs with functions, locks, CUDA's C++ library. Each is right on the CPU, also in its fast text.
# shellcheck source=tests/program/shell.sh
. "$(dirname "$0")/shell.sh"

# Each variant of a lab equals its reference, on fibers and in the fast text.
both() # FILE
{
    works run "$1" --device cpu
    expect "$1 is right" has "$out" ', exact'
    works bench "$1" --device cpu --budget 1e6 -q
    expect "$1 is right in the fast text" has "$out" exact
}

HEAD='//! param w 37 [1, 999]
//! param h 11 [1, 999]
'
PLACE='    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;'

# ---- textures, as the file's host code wants them ----

texture() # HOST X Y WANTED: a file that reads a texture at these places
{
    cat <<END
//! lab "Texture"
$HEAD//! array tex float in [h][w] noise 0, 255
//! array out out [h][w] shown 0, 255
__host__ __device__ inline float at(const float *tex, int w, int h, int x, int y) { return tex[y * w + x]; }
//! reference out
__host__ __device__ double wanted(const float *tex, int w, int h, long long i)
{
    const int x = i % w, y = i / w;
    return $4;
}
//! variant one 16x16
__global__ void one(float *out, cudaTextureObject_t tex, int w, int h)
{
$PLACE
    out[y * w + x] = tex2D<float>(tex, $2, $3);
}
int main() { cudaTextureDesc t = {}; $1 }
END
}
texture 't.filterMode = cudaFilterModeLinear;' 'x + 0.75f' 'y + 0.5f' \
    '0.75 * tex[y * w + x] + 0.25 * tex[y * w + (x + 1 < w ? x + 1 : x)]' >linear.cu
both linear.cu
texture 't.filterMode = cudaFilterModeLinear;' 'x + 0.5f' 'y + 1' \
    '0.5 * tex[y * w + x] + 0.5 * tex[(y + 1 < h ? y + 1 : y) * w + x]' >rows.cu
both rows.cu
# 2.5 widths to the right, which is half of one.
texture 't.normalizedCoords = true; t.addressMode[0] = cudaAddressModeWrap;' '(x + 0.5f) / w + 2' '(y + 0.5f) / h - 1' \
    'tex[y * w + x]' >wrap.cu
both wrap.cu
texture 't.normalizedCoords = 1; t.addressMode[0] = cudaAddressModeMirror;' '-(x + 0.5f) / w' '2 - (y + 0.5f) / h' \
    'tex[y * w + x]' >mirror.cu
both mirror.cu
texture 't.addressMode[0] = cudaAddressModeBorder;' 'x - 1' 'y + 1' \
    'x > 0 && y + 1 < h ? tex[(y + 1) * w + x - 1] : 0' >border.cu
both border.cu
# Three sides: planes of a volume, filtered between them, too, and layers.
deep() # HOST X Y Z WANTED: as above, z is the element's plane of 3
{
    texture "$1" "$2" "$3" "$5" | sed 's/\[h\]\[w\]/[3][h][w]/; s/(h, w)/&/
        s/const int x = i % w, y = i \/ w;/const int x = i % w, y = i \/ w % h, z = i \/ w \/ h;/
        s/16x16/16x4x3 domain=w,h,3/
        s/out\[y \* w + x\] = tex2D<float>(tex, \(.*\));$/const int z = threadIdx.z;\n    out[(z * h + y) * w + x] = '"$6"'<float>(tex, \1, '"$4"');/'
}
deep '' x y 'z + 0.9f' 'tex[i]' tex3D >planes.cu
both planes.cu
deep '' x y 'z - 1' 'tex[(z ? z - 1 : 0) * h * w + y * w + x]' tex3D >edges.cu
both edges.cu
deep 't.filterMode = cudaFilterModeLinear;' 'x + 0.5f' 'y + 0.5f' 'z + 0.75f' \
    '0.75 * tex[i] + 0.25 * tex[z < 2 ? i + h * w : i]' tex3D >between.cu
both between.cu
deep '' x y '2 - z' 'tex[((2 - z) * h + y) * w + x]' tex2DLayered >layered.cu
both layered.cu
# Also of vectors, whose array has four numbers each.
texture '' x y 'tex[i]' | sed '/array tex/ s/\[w\]/[w * 4]/; s/tex2D<float>/tex2D<float4>/; s/(tex, x, y)/(tex, x, y).z/
    s/return tex\[i\]/return tex[i * 4 + 2]/' >vectors.cu
both vectors.cu
texture 't.filterMode = cudaFilterModeLinear;
t.filterMode = cudaFilterModePoint;' x y 'tex[i]' >modes.cu
run run modes.cu --device cpu
expect 'two ways in one file are refused, at the line of one' is "$status $err" \
    '1 tilescope: modes.cu:21:16: cudaFilterModePoint: the file also says otherwise, but all its textures .*'
texture 't.normalizedCoords = 1; t.normalizedCoords = 0;' x y 'tex[i]' >modes.cu
run run modes.cu --device cpu
expect 'places are counted in one way' is "$status $err" \
    '1 tilescope: modes.cu:20:64: normalizedCoords = 0: the file also says otherwise.*'

# ---- surfaces ----

surface() # WRITE: a file that writes a surface
{
    cat <<END
//! lab "Surface"
$HEAD//! array in unsigned char in [h][w * 4] noise 0, 255
//! array out unsigned char out [h][w * 4] shown 0, 255
//! reference out
__host__ __device__ double wanted(const unsigned char *in, int w, int h, long long i)
{
    return i % 4 ? in[i] : 255 - in[i];
}
//! variant invert 16x16 domain=w,h
__global__ void invert(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h)
{
$PLACE
    uchar4 data;
    surf2Dread(&data, in, x * 4, y);
    const uchar4 same = surf2Dread<uchar4>(in, (x - w) * 4, y, cudaBoundaryModeZero);
    data.x = 255 - data.x + same.x;
    $1
}
END
}
surface 'surf2Dwrite(data, out, x * 4, y);' >surface.cu
both surface.cu
surface 'surf2Dwrite(data, out, x * 4 + 4, y);' >outside.cu
run run outside.cu --device cpu
expect 'a place outside of a surface ends the launch' is "$status $(grep -c 'reads or writes outside' <<<"$err")" '1 1'

# ---- functors, and structs with functions ----

cat >functors.cu <<'END'
//! lab "Functors"
//! param n 1000 [1, 4096]
//! param op_by 3 [0, 9]
//! array a float in [n] noise 0, 255
//! array b float out [n] shown 0, 999
struct times { int by; __device__ float operator()(float x) const { return x * by; } };
struct triple { __device__ float operator()(float x) const { return 3 * x; } };
//! reference b
__host__ __device__ double wanted(const float *a, int op_by, long long i) { return a[i] * (op_by + 0); }
//! variant members 64x1 of map<times>
//! variant none 64x1 of map<triple>
template <class Op> __global__ void map(const float *a, float *b, int n, Op op)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = op(a[i]);
}
END
both functors.cu
run run functors.cu --device cpu --variant members --param op_by=5
expect 'its members are params' has "$out" ', exact'
cat >vectors3.cu <<'END'
//! lab "Vec3"
//! param n 1000 [1, 4096]
//! array a Vec3 in [n] noise 0, 255
//! array b Vec3 out [n] shown 0, 999
#define SIDES 3
class Vec3 {
public:
    float v[SIDES];
    __host__ __device__ Vec3() : v{0, 0, 0} {}
    __host__ __device__ Vec3(float x, float y, float z) : v{x, y, z} {}
    Vec3(const std::vector<float> &from) { v[0] = from[0]; }
    __host__ __device__ Vec3 operator+(const Vec3 &o) const { return Vec3(v[0] + o.v[0], v[1] + o.v[1], v[2] + o.v[2]); }
    __host__ __device__ Vec3 &operator*=(float s) { for (int k = 0; k < SIDES; k++) v[k] *= s; return *this; }
};
//! reference b
__host__ __device__ double wanted(const Vec3 *a, int n, long long i)
{
    return 2 * (a[i / 3].v[i % 3] + a[n - 1 - i / 3].v[i % 3]);
}
//! variant sum 64x1
__global__ void sum(Vec3 *b, const Vec3 *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Vec3 both = a[i] + a[n - 1 - i];
    both *= 2;
    b[i] = both;
}
END
both vectors3.cu
# The host's functions are left out of a struct; the lock is taken and given back.
cat >lock.cu <<'END'
#include <cstdio>
#define CHECK(call) if ((call) != cudaSuccess) exit(1)
struct Lock {
    int *mutex;
    Lock() { CHECK(cudaMalloc(&mutex, sizeof(int))); }
    ~Lock() { cudaFree(mutex); }
    __device__ void lock() { while (atomicCAS(mutex, 0, 1) != 0) {} }
    __device__ void unlock() { atomicExch(mutex, 0); }
};
__global__ void count(Lock lock, int *sum, const int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.x == 0) { lock.lock(); *sum += a[i]; lock.unlock(); }
}
END
works run lock.cu --device cpu --param n=256 --out lock_mutex=mutex.npy
expect 'a lock is free at last' is "$(tail -c 4 mutex.npy | od -An -tu4 | tr -d ' ')" 0

# ---- vectors by value, managed memory, branches of an #if that share their braces ----

cat >values.cu <<'END'
//! lab "Values"
//! param n 1000 [1, 4096]
//! param by_x float 2 [0, 9]
//! param by_y float 3 [0, 9]
//! param at_x 5 [0, 9]
//! param at_y 6 [0, 9]
//! param at_z 7 [0, 9]
//! array a int in [n] noise 0, 99
//! array b int out [n] shown 0, 999
#include <cuda_fp16.h>
__device__ __managed__ int table[4] = {1, 2, 3, 4};
//! reference b
__host__ __device__ double wanted(const int *a, long long i) { return 2 * a[i] + 3 + 5 + 6 + 7 + 1 + i % 4; }
//! variant sum 64x1
__global__ void sum(int *b, const int *a, half2 by, uint3 at, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHECKED
    if (i < n) { assert(i >= 0);
#elif defined(STRIDED)
    for (int k = i; k < n; k += n) {
#else
    if (i < n) {
#endif
        b[i] = (int)__half2float(__hfma(by.x, __int2half_rn(a[i]), by.y)) + at.x + at.y + at.z + table[i % 4];
    }
}
END
both values.cu
cat >branches.cu <<'END'
#define SIZE 1000
#if SIZE > 500
__global__ void fill(float *a, int n)
{
#else
__global__ void fill(float *a, long n)
{
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;
}
END
works run branches.cu --device cpu --param n=7 --out a=a.npy

# ---- CUDA's C++ library, and doubles as bits ----

cat >library.cu <<'END'
#include <cuda/std/array>
//! lab "Library"
//! param n 1000 [1, 4096]
//! array a int in [n] noise 0, 255
//! array b int out [n] shown 0, 999
//! reference b
__host__ __device__ double wanted(const int *a, long long i) { return a[i] < 10 ? 10 : a[i] > 99 ? 99 : a[i]; }
//! variant clamp 64x1
__global__ void clamp(int *b, const int *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::std::array<int, 2> ends = {10, 99};
    int most = cuda::std::numeric_limits<int>::lowest();
    for (int one : ends) most = cuda::std::max(most, one);
    b[i] = cuda::std::min(cuda::std::max(a[i], ends[0]), most) + (cuda::std::clamp(a[i], 0, 300) - a[i]);
}
END
both library.cu
cat >bits.cu <<'END'
//! lab "Bits"
//! param n 1000 [1, 4096]
//! array a int in [n] noise 0, 255
//! array s_before double in [4] noise 0, 0
//! array s double out [4] from s_before shown 0, 99999
//! reference s
__host__ __device__ double wanted(const int *a, int n, long long i)
{
    double sum = 0;
    for (int k = i; k < n; k += 4) sum += a[k];
    return sum;
}
__device__ void add(double *at, double by)
{
    unsigned long long *const bits = (unsigned long long *)at, old = *bits, was;
    do {
        was = old;
        old = atomicCAS(bits, was, __double_as_longlong(by + __longlong_as_double(was)));
    } while (was != old);
}
//! variant add 64x1 domain=n
__global__ void sums(double *s, const int *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) add(&s[i % 4], a[i]);
}
END
both bits.cu

# ---- bfloat16: without its header, as cuBLAS's have it; each operation rounds once, to the even ----

cat >bfloat.cu <<'END'
//! lab "Bfloat"
//! param n 1000 [1, 4096]
//! array a in [n] noise -300, 300
//! array third out [n] shown -100, 100
//! array twice out [n] shown -600, 600
//! array bits out [n] shown 0, 65535
// The nearest number of eight bits.
__host__ __device__ inline double rounded(double x)
{
    double scale = 1;
    while (x && fabs(x) >= 256 * scale) scale *= 2;
    while (x && fabs(x) < 128 * scale) scale /= 2;
    return rint(x / scale) * scale;
}
//! reference third
__host__ __device__ double of_third(const __nv_bfloat16 *a, long long i) { return rounded((double)(float)a[i] / 3); }
//! reference twice
__host__ __device__ double of_twice(const __nv_bfloat16 *a, long long i) { return rounded((double)(float)a[i] + (float)a[i] + 1); }
//! reference bits
__host__ __device__ double of_bits(long long i)
{
    const int known[] = {0x3f81, 0x3f80, 0x3f82, 0xbf81, 0x7f80, 0x0001, 0x7fff, 0x3f81};
    return known[i % 8];
}
//! variant round 64x1 of rounds domain=n
__global__ void rounds(__nv_bfloat16 *third, __nv_bfloat162 *twice, unsigned short *bits,
                       const __nv_bfloat16 *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double values[] = {1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8, 1 + 0x3p-8, -1 - 0x1p-8 - 0x1p-40,
                             3.4e38 * 2, 0x1p-133, NAN, 1 + 0x3p-8 - 0x1p-40};
    third[i] = a[i] / __nv_bfloat16(3);
    const __nv_bfloat162 both = __halves2bfloat162(a[i], a[i]);
    const __nv_bfloat16 two = __hfma(both.x, __nv_bfloat16(2), __nv_bfloat16(1));
    ((__nv_bfloat16 *)twice)[i] = two;
    bits[i] = __bfloat16_as_ushort(values[i % 8]);
}
END
both bfloat.cu

cat >bfloat_sum.cu <<'END'
//! lab "Bfloat sum"
//! param n 100 [1, 255]
//! array a in [n] noise 0, 1
//! array s_before __nv_bfloat16 in [2] noise 0, 0
//! array s out [2] from s_before shown 0, 255
//! reference s
__host__ __device__ double wanted(const __nv_bfloat16 *a, int n, long long i)
{
    float sum = 0;
    for (int k = i; k < n; k += 2) sum += (float)a[k];
    return sum;
}
//! variant sum 64x1 domain=n
__global__ void sum(__nv_bfloat16 *s, const __nv_bfloat16 *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&s[i % 2], a[i]);
}
END
both bfloat_sum.cu

finish
