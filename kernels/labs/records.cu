//! lab "Records" key R
//! goal sectors <= 1.05 copy
//! goal conflicts = 0
//! goal time <= 1.3 copy
#include "lab.h"

struct params {
    int fields;  //! 16 [1, 128] floats in a record
    int m;       //! 8 [2, 64] for j = 2 ... m every field x becomes x + x / j
    int n;       //! 1048576 cpu=8192 [1, 4194304] records
};

// in and out are arrays of structures (AoS): record after record. The other two are structures of
// arrays (SoA): all first fields, then all second ones, and so on.
struct arrays {
    const float *in;  //! in [n][fields] noise 0, 255
    float *out;       //! out [n][fields] shown 0, 128*(m + 1) ramp
    float *soa_in;    //! scratch [fields][n]
    float *soa_out;   //! scratch [fields][n]
};

// x + x / j, rounded once: every variant rounds in the same places.
static __device__ __forceinline__ float grown(float x, float one_jth)
{
    return fmaf(x, one_jth, x);
}

REFERENCE(out)
{
    float x = d.in[i];
    for (int j = 2; j <= p.m; j++) x = grown(x, 1.0f / j);
    return x;
}

//! untimed 32x8 domain=n, fields
KERNEL(records_to_soa)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int f = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < p.n && f < p.fields) d.soa_in[f * p.n + i] = d.in[i * p.fields + f];
}

//! untimed 32x8 domain=n, fields
KERNEL(records_to_aos)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int f = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < p.n && f < p.fields) d.out[i * p.fields + f] = d.soa_out[f * p.n + i];
}

// One thread a record, j by j. The lanes of a warp read the same field of 32 records, `fields`
// words apart: from 8 fields on each lane needs a sector of 32 bytes of its own. At 16 fields an
// H200 takes, unrolled, 11 times as long as for a copy of the records.
//! variant aos 256x1 domain=n
KERNEL(records_aos)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n || threadIdx.y > 0) return;
    float *const record = d.out + i * p.fields;
    const float *from = d.in + i * p.fields;
    for (int j = 2; j <= p.m; j++, from = record)
        for (int f = 0; f < p.fields; f++) record[f] = grown(from[f], 1.0f / j);
}

// The same on structures of arrays: the 32 words are neighbours, one line of 128 bytes. 1.6 copies;
// but 10 at 128 fields, which no cache keeps from one j to the next.
//! variant soa 256x1 domain=n prepare=records_to_soa finish=records_to_aos
KERNEL(records_soa)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n || threadIdx.y > 0) return;
    const float *from = d.soa_in + i;
    for (int j = 2; j <= p.m; j++, from = d.soa_out + i)
        for (int f = 0; f < p.fields; f++) d.soa_out[f * p.n + i] = grown(from[f * p.n], 1.0f / j);
}

#define FOUR_FROM(j)    1.0f / (j), 1.0f / ((j) + 1), 1.0f / ((j) + 2), 1.0f / ((j) + 3)
#define SIXTEEN_FROM(j) FOUR_FROM(j), FOUR_FROM((j) + 4), FOUR_FROM((j) + 8), FOUR_FROM((j) + 12)
__constant__ float one_over[65] = {0, SIXTEEN_FROM(1), SIXTEEN_FROM(17), SIXTEEN_FROM(33),
                                   SIXTEEN_FROM(49)};

// 1 / j comes from constant memory, which gives all lanes one word at once. That buys nothing here:
// the compiler had already moved the division out of the loop over the fields.
//! variant soa_constant 256x1 domain=n prepare=records_to_soa finish=records_to_aos
KERNEL(records_soa_constant)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n || threadIdx.y > 0) return;
    const float *from = d.soa_in + i;
    for (int j = 2; j <= p.m; j++, from = d.soa_out + i)
        for (int f = 0; f < p.fields; f++)
            d.soa_out[f * p.n + i] = grown(from[f * p.n], one_over[j]);
}

//! let record_pitch = fields + 1 - fields % 2

// Records again, but the block moves them to shared memory and back in the order of memory, and
// works there: 1.12 copies. Rows of an odd number of words keep the lanes in different banks. Long
// records leave room for few threads: 2.3 copies at 128 fields.
//! variant aos_shared 64x1 domain=n shared=4*bw*record_pitch
KERNEL(records_aos_shared)
{
    float *const staged = (float *)tile;
    const int pitch = p.fields | 1, threads = blockDim.x * blockDim.y;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    const int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, p.n - first);
    for (int k = thread; k < count * p.fields; k += threads)
        staged[k / p.fields * pitch + k % p.fields] = d.in[first * p.fields + k];
    __syncthreads();
    if (thread < count)
        for (int j = 2; j <= p.m; j++)
            for (int f = 0; f < p.fields; f++)
                staged[thread * pitch + f] = grown(staged[thread * pitch + f], one_over[j]);
    __syncthreads();
    for (int k = thread; k < count * p.fields; k += threads)
        d.out[first * p.fields + k] = staged[k / p.fields * pitch + k % p.fields];
}

// Fields wait in shared memory: each thread uses its own words only, so there is no barrier.
// 1.4 copies.
//! variant soa_shared 64x1 domain=n shared=4*bw*fields prepare=records_to_soa finish=records_to_aos
KERNEL(records_soa_shared)
{
    float *const staged = (float *)tile + threadIdx.x;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, pitch = blockDim.x;
    if (i >= p.n || threadIdx.y > 0) return;
    for (int f = 0; f < p.fields; f++) staged[f * pitch] = d.soa_in[f * p.n + i];
    for (int j = 2; j <= p.m; j++)
        for (int f = 0; f < p.fields; f++)
            staged[f * pitch] = grown(staged[f * pitch], one_over[j]);
    for (int f = 0; f < p.fields; f++) d.soa_out[f * p.n + i] = staged[f * pitch];
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
KERNEL(records_registers)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n || threadIdx.y > 0) return;
    for (int f = 0; f < p.fields; f++)
        d.soa_out[f * p.n + i] = finished(__ldg(d.soa_in + f * p.n + i), p.m);
}

// No field depends on another, so a thread may take any four neighbouring words, whichever fields
// of whichever records they are: 16 bytes at a time, and records may stay as they are. 1.02 copies
// at any number of fields.
//! variant vector 256x1 each=4x1 domain=n*fields
KERNEL(records_vector)
{
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x), count = p.n * p.fields;
    if (threadIdx.y > 0) return;
    if (first + 3 < count) {
        const float4 x = *(const float4 *)(d.in + first);
        *(float4 *)(d.out + first) = make_float4(finished(x.x, p.m), finished(x.y, p.m),
                                                 finished(x.z, p.m), finished(x.w, p.m));
    } else {
        for (int k = first; k < count; k++) d.out[k] = finished(d.in[k], p.m);
    }
}
