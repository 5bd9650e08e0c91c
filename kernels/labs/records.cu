//! lab "Records" key R
//! param fields  16 [1, 128]  floats in a record
//! param m       8 [2, 64]  for j = 2 ... m every field x becomes x + x / j
//! param n       1048576 cpu=8192 [1, 4194304]  records
// in and out are arrays of structures (AoS): record after record. The other two are structures of
// arrays (SoA): all first fields, then all second ones, and so on.
//! array in       in      [n][fields] noise 0, 255
//! array out      out     [n][fields] shown 0, 128*(m + 1) ramp
//! array soa_in   scratch [fields][n]
//! array soa_out  scratch [fields][n]
//! goal sectors <= 1.05 copy
//! goal conflicts = 0
//! goal time <= 1.3 copy
#include "lab.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// x + x / j, rounded once: every variant rounds in the same places.
static __host__ __device__ __forceinline__ float grown(float x, float one_jth)
{
    return fmaf(x, one_jth, x);
}

//! reference out
__host__ __device__ double records_reference(const float *in, int m, long long i)
{
    float x = in[i];
    for (int j = 2; j <= m; j++) x = grown(x, 1.0f / j);
    return x;
}

//! untimed 32x8 domain=n, fields
__global__ void records_to_soa(float *soa_in, const float *in, int fields, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int f = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && f < fields) soa_in[f * n + i] = in[i * fields + f];
}

//! untimed 32x8 domain=n, fields
__global__ void records_to_aos(float *out, const float *soa_out, int fields, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int f = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && f < fields) out[i * fields + f] = soa_out[f * n + i];
}

// One thread a record, j by j. The lanes of a warp read the same field of 32 records, `fields`
// words apart: from 8 fields on each lane needs a sector of 32 bytes of its own. At 16 fields an
// H200 takes, unrolled, 11 times as long as for a copy of the records.
//! variant aos 256x1 domain=n
__global__ void records_aos(float *out, const float *in, int fields, int m, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || threadIdx.y > 0) return;
    float *const record = out + i * fields;
    const float *from = in + i * fields;
    for (int j = 2; j <= m; j++, from = record)
        for (int f = 0; f < fields; f++) record[f] = grown(from[f], 1.0f / j);
}

// The same on structures of arrays: the 32 words are neighbours, one line of 128 bytes. 1.6 copies;
// but 10 at 128 fields, which no cache keeps from one j to the next.
//! variant soa 256x1 domain=n prepare=records_to_soa finish=records_to_aos
__global__ void records_soa(float *soa_out, const float *soa_in, int fields, int m, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || threadIdx.y > 0) return;
    const float *from = soa_in + i;
    for (int j = 2; j <= m; j++, from = soa_out + i)
        for (int f = 0; f < fields; f++) soa_out[f * n + i] = grown(from[f * n], 1.0f / j);
}

#define FOUR_FROM(j)    1.0f / (j), 1.0f / ((j) + 1), 1.0f / ((j) + 2), 1.0f / ((j) + 3)
#define SIXTEEN_FROM(j) FOUR_FROM(j), FOUR_FROM((j) + 4), FOUR_FROM((j) + 8), FOUR_FROM((j) + 12)
__constant__ float one_over[65] = {0, SIXTEEN_FROM(1), SIXTEEN_FROM(17), SIXTEEN_FROM(33),
                                   SIXTEEN_FROM(49)};

// 1 / j comes from constant memory, which gives all lanes one word at once. That buys nothing here:
// the compiler had already moved the division out of the loop over the fields.
//! variant soa_constant 256x1 domain=n prepare=records_to_soa finish=records_to_aos
__global__ void records_soa_constant(float *soa_out, const float *soa_in, int fields, int m, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || threadIdx.y > 0) return;
    const float *from = soa_in + i;
    for (int j = 2; j <= m; j++, from = soa_out + i)
        for (int f = 0; f < fields; f++) soa_out[f * n + i] = grown(from[f * n], one_over[j]);
}

//! let record_pitch = fields + 1 - fields % 2

// Records again, but the block moves them to shared memory and back in the order of memory, and
// works there: 1.12 copies. Rows of an odd number of words keep the lanes in different banks. Long
// records leave room for few threads: 2.3 copies at 128 fields.
//! variant aos_shared 64x1 domain=n shared=4*bw*record_pitch
__global__ void records_aos_shared(float *out, const float *in, int fields, int m, int n)
{
    float *const staged = (float *)tile;
    const int pitch = fields | 1, threads = blockDim.x * blockDim.y;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    const int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first);
    for (int k = thread; k < count * fields; k += threads)
        staged[k / fields * pitch + k % fields] = in[first * fields + k];
    __syncthreads();
    if (thread < count)
        for (int j = 2; j <= m; j++)
            for (int f = 0; f < fields; f++)
                staged[thread * pitch + f] = grown(staged[thread * pitch + f], one_over[j]);
    __syncthreads();
    for (int k = thread; k < count * fields; k += threads)
        out[first * fields + k] = staged[k / fields * pitch + k % fields];
}

// Fields wait in shared memory: each thread uses its own words only, so there is no barrier.
// 1.4 copies.
//! variant soa_shared 64x1 domain=n shared=4*bw*fields prepare=records_to_soa finish=records_to_aos
__global__ void records_soa_shared(float *soa_out, const float *soa_in, int fields, int m, int n)
{
    float *const staged = (float *)tile + threadIdx.x;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, pitch = blockDim.x;
    if (i >= n || threadIdx.y > 0) return;
    for (int f = 0; f < fields; f++) staged[f * pitch] = soa_in[f * n + i];
    for (int j = 2; j <= m; j++)
        for (int f = 0; f < fields; f++) staged[f * pitch] = grown(staged[f * pitch], one_over[j]);
    for (int f = 0; f < fields; f++) soa_out[f * n + i] = staged[f * pitch];
}

// x for all j, from the first to the last.
static __device__ __forceinline__ float finished(float x, int m)
{
    for (int j = 2; j <= m; j++) x = grown(x, one_over[j]);
    return x;
}

// The loops change places: a field waits in a register from its load to its store, and no other
// memory is needed. __ldg promises that soa_in does not change, so loads may go ahead of stores:
// 1.12 copies, at 128 fields 1.07.
//! variant registers 256x1 domain=n prepare=records_to_soa finish=records_to_aos
__global__ void records_registers(float *soa_out, const float *soa_in, int fields, int m, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || threadIdx.y > 0) return;
    for (int f = 0; f < fields; f++) soa_out[f * n + i] = finished(__ldg(soa_in + f * n + i), m);
}

// No field depends on another, so a thread may take any four neighbouring words, whichever fields
// of whichever records they are: 16 bytes at a time, and records may stay as they are. 1.02 copies
// at any number of fields.
//! variant vector 256x1 each=4x1 domain=n*fields
__global__ void records_vector(float *out, const float *in, int fields, int m, int n)
{
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x), count = n * fields;
    if (threadIdx.y > 0) return;
    if (first + 3 < count) {
        const float4 x = *(const float4 *)(in + first);
        *(float4 *)(out + first) =
            make_float4(finished(x.x, m), finished(x.y, m), finished(x.z, m), finished(x.w, m));
    } else {
        for (int k = first; k < count; k++) out[k] = finished(in[k], m);
    }
}
