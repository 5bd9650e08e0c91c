//! lab "Stencil"
//! param n       256 cpu=64 [1, 1024]  rows and columns of a plane
//! param planes  256 cpu=64 [1, 1024]  planes
// Whole numbers this small stay exact in floats, whatever the order in which they are added.
//! array a  in  [planes][n][n] noise 0, 255
//! array b  out [planes][n][n] shown -1000, 1000 signed
// Rows of the blocks that go through 16 planes: those of the next 16 come behind all of them.
//! let rows = (n + bh - 1)/bh*bh*((planes + 15)/16)
//! goal sectors <= 1.3 copy
//! goal conflicts = 0
//! goal time <= 1.2 copy
#include "lab.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// Numbers lie in rows, rows in planes: at most 2^30 numbers.
struct grid {
    int n, planes;
};

static __host__ __device__ __forceinline__ int index_of(struct grid g, int x, int y, int z)
{
    return (z * g.n + y) * g.n + x;
}

static __host__ __device__ __forceinline__ bool has(struct grid g, int x, int y, int z)
{
    return x >= 0 && x < g.n && y >= 0 && y < g.n && z >= 0 && z < g.planes;
}

// The number at x, y, z, or 0 outside.
static __host__ __device__ __forceinline__ float at(const float *a, struct grid g, int x, int y,
                                                    int z)
{
    return has(g, x, y, z) ? a[index_of(g, x, y, z)] : 0;
}

// The discrete Laplace operator: the six neighbours, less six times the number itself.
//! reference b
__host__ __device__ double stencil_reference(const float *a, int n, int planes, long long i)
{
    const struct grid g = {n, planes};
    const int x = i % n, y = i / n % n, z = i / n / n;
    return (double)at(a, g, x - 1, y, z) + at(a, g, x + 1, y, z) + at(a, g, x, y - 1, z) +
           at(a, g, x, y + 1, z) + at(a, g, x, y, z - 1) + at(a, g, x, y, z + 1) - 6.0 * a[i];
}

// One thread a number: seven loads, most of which the caches serve, since neighbours have read the
// same numbers for themselves.
//! variant naive 256x1 domain=n*n*planes columns=bw*bh
__global__ void stencil_naive(float *b, const float *a, int n, int planes)
{
    const struct grid g = {n, planes};
    const int i = blockIdx.x * num_threads() + thread_rank();
    const int x = i % n, y = i / n % n, z = i / n / n;
    if (z >= planes) return;
    b[i] = at(a, g, x - 1, y, z) + at(a, g, x + 1, y, z) + at(a, g, x, y - 1, z) +
           at(a, g, x, y + 1, z) + at(a, g, x, y, z - 1) + at(a, g, x, y, z + 1) - 6 * a[i];
}

// ---- blocks that go through planes ----
//
// A block has a rectangle of a plane, one thread a number, and goes through PLANES planes. Shared
// memory holds the rectangle of the present plane, with a rim of one number.

enum { PLANES = 16 };

// Where a thread begins, and before which plane its block ends.
struct column {
    int x, y, first, end;
};

static __device__ __forceinline__ struct column column_of_thread(struct grid g, int wide)
{
    const int down = (g.n + blockDim.y - 1) / blockDim.y;  // blocks below each other in a plane
    const int first = blockIdx.y / down * PLANES;
    const struct column c = {(int)(blockIdx.x * blockDim.x + threadIdx.x) * wide,
                             (int)(blockIdx.y % down * blockDim.y + threadIdx.y), first,
                             min(first + PLANES, g.planes)};
    return c;
}

// Fills the rectangle of plane z, if `own` is the thread's number of it, and returns where that is.
static __device__ __forceinline__ const float *fill(const float *a, struct grid g, int x, int y,
                                                    int z, float own)
{
    const int width = blockDim.x + 2;
    float *const cell = (float *)tile + (threadIdx.y + 1) * width + threadIdx.x + 1;
    __syncthreads();  // the plane before is not needed any more
    *cell = own;
    if (threadIdx.x == 0) cell[-1] = at(a, g, x - 1, y, z);
    if (threadIdx.x == blockDim.x - 1) cell[1] = at(a, g, x + 1, y, z);
    if (threadIdx.y == 0) cell[-width] = at(a, g, x, y - 1, z);
    if (threadIdx.y == blockDim.y - 1) cell[width] = at(a, g, x, y + 1, z);
    __syncthreads();
    return cell;
}

// The four neighbours within the plane.
static __device__ __forceinline__ float add_plane(const float *cell)
{
    const int width = blockDim.x + 2;
    return cell[-1] + cell[1] + cell[-width] + cell[width];
}

// The plane's neighbours come from shared memory, those of the planes below and above as before:
// each number is loaded three times instead of seven, but threads wait at two barriers a plane.
//! variant shared 32x8 domain=n,rows shared=4*(bw+2)*(bh+2)
__global__ void stencil_shared(float *b, const float *a, int n, int planes)
{
    const struct grid g = {n, planes};
    const struct column c = column_of_thread(g, 1);
    for (int z = c.first; z < c.end; z++) {
        const float here = at(a, g, c.x, c.y, z);
        const float *const cell = fill(a, g, c.x, c.y, z, here);
        if (c.x >= n || c.y >= n) continue;
        b[index_of(g, c.x, c.y, z)] =
            add_plane(cell) + at(a, g, c.x, c.y, z - 1) + at(a, g, c.x, c.y, z + 1) - 6 * here;
    }
}

// A thread keeps the numbers below and above its own in registers: what was above is here in the
// next plane, and below in the one after. Each number is loaded once, but for the rims.
//! variant registers 32x8 domain=n,rows shared=4*(bw+2)*(bh+2)
__global__ void stencil_registers(float *b, const float *a, int n, int planes)
{
    const struct grid g = {n, planes};
    const struct column c = column_of_thread(g, 1);
    float below = at(a, g, c.x, c.y, c.first - 1), here = at(a, g, c.x, c.y, c.first);
    for (int z = c.first; z < c.end; z++) {
        const float above = at(a, g, c.x, c.y, z + 1);
        const float *const cell = fill(a, g, c.x, c.y, z, here);
        if (c.x < n && c.y < n)
            b[index_of(g, c.x, c.y, z)] = add_plane(cell) + below + above - 6 * here;
        below = here;
        here = above;
    }
}

// ---- four numbers a thread ----

// Those from x on in a row, or as many as it has. x is a multiple of four.
static __device__ __forceinline__ float4 four_at(const float *a, struct grid g, int x, int y, int z)
{
    if (g.n % 4 != 0)
        return make_float4(at(a, g, x, y, z), at(a, g, x + 1, y, z), at(a, g, x + 2, y, z),
                           at(a, g, x + 3, y, z));
    if (!has(g, x, y, z)) return make_float4(0, 0, 0, 0);
    return *(const float4 *)(a + index_of(g, x, y, z));
}

static __device__ __forceinline__ void put_four(float *b, struct grid g, int x, int y, int z,
                                                float4 v)
{
    float *const to = b + index_of(g, x, y, z);
    if (!has(g, x, y, z)) return;
    if (g.n % 4 == 0) {
        *(float4 *)to = v;
        return;
    }
    to[0] = v.x;
    if (x + 1 < g.n) to[1] = v.y;
    if (x + 2 < g.n) to[2] = v.z;
    if (x + 3 < g.n) to[3] = v.w;
}

// The sums of four numbers in a row: `left` and `right` are beside them.
static __device__ __forceinline__ float4 add_neighbours(float left, float4 here, float right,
                                                        float4 before, float4 behind, float4 below,
                                                        float4 above)
{
    return make_float4(left + here.y + before.x + behind.x + below.x + above.x - 6 * here.x,
                       here.x + here.z + before.y + behind.y + below.y + above.y - 6 * here.y,
                       here.y + here.w + before.z + behind.z + below.z + above.z - 6 * here.z,
                       here.z + right + before.w + behind.w + below.w + above.w - 6 * here.w);
}

// 16 bytes a load, so that four times as many are on their way. The neighbours in a row are in the
// thread's own registers or in those of the lanes beside it; only rows meet in shared memory.
//! variant vector 32x8 multiple_of=32 domain=(n+3)/4,rows shared=16*bw*(bh+2)
__global__ void stencil_vector(float *b, const float *a, int n, int planes)
{
    const struct grid g = {n, planes};
    const struct column c = column_of_thread(g, 4);
    const int width = blockDim.x, lane = threadIdx.x % 32;
    float4 *const row = (float4 *)tile + (threadIdx.y + 1) * width + threadIdx.x;
    float4 below = four_at(a, g, c.x, c.y, c.first - 1), here = four_at(a, g, c.x, c.y, c.first);
    for (int z = c.first; z < c.end; z++) {
        const float4 above = four_at(a, g, c.x, c.y, z + 1);
        float left = __shfl_up_sync(~0u, here.w, 1), right = __shfl_down_sync(~0u, here.x, 1);
        if (lane == 0) left = at(a, g, c.x - 1, c.y, z);
        if (lane == 31) right = at(a, g, c.x + 4, c.y, z);
        __syncthreads();
        *row = here;
        if (threadIdx.y == 0) row[-width] = four_at(a, g, c.x, c.y - 1, z);
        if (threadIdx.y == blockDim.y - 1) row[width] = four_at(a, g, c.x, c.y + 1, z);
        __syncthreads();
        put_four(b, g, c.x, c.y, z,
                 add_neighbours(left, here, right, row[-width], row[width], below, above));
        below = here;
        here = above;
    }
}

// No shared memory and no barriers: the rows before and behind come through the L1 cache, where
// this block's threads have just had most of them. Three times the requests, nobody waits.
//! variant cached 32x8 multiple_of=32 domain=(n+3)/4,rows
__global__ void stencil_cached(float *b, const float *a, int n, int planes)
{
    const struct grid g = {n, planes};
    const struct column c = column_of_thread(g, 4);
    const int lane = threadIdx.x % 32;
    float4 below = four_at(a, g, c.x, c.y, c.first - 1), here = four_at(a, g, c.x, c.y, c.first);
    for (int z = c.first; z < c.end; z++) {
        const float4 above = four_at(a, g, c.x, c.y, z + 1);
        const float4 before = four_at(a, g, c.x, c.y - 1, z);
        const float4 behind = four_at(a, g, c.x, c.y + 1, z);
        float left = __shfl_up_sync(~0u, here.w, 1), right = __shfl_down_sync(~0u, here.x, 1);
        if (lane == 0) left = at(a, g, c.x - 1, c.y, z);
        if (lane == 31) right = at(a, g, c.x + 4, c.y, z);
        put_four(b, g, c.x, c.y, z,
                 add_neighbours(left, here, right, before, behind, below, above));
        below = here;
        here = above;
    }
}
