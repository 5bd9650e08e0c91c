// cuda_pipeline.h -- copies to shared memory that a GPU makes while its threads go on, from sm_80
// on. A CPU and an older GPU copy at once. nvcc takes NVIDIA's header instead.
#ifndef CUDA_PIPELINE_H
#define CUDA_PIPELINE_H

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include_next <cuda_pipeline.h>
#else

#define PIPELINE_INLINE static __device__ __forceinline__

#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800

// Copies 4, 8 or 16 bytes, of which the last `zeros` become 0.
PIPELINE_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                             size_t zeros = 0)
{
    const unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
    const unsigned int some = (unsigned int)(bytes - zeros);
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :
                     : "r"(at), "l"(from), "r"(some)
                     : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                     :
                     : "r"(at), "l"(from), "r"(some)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                     :
                     : "r"(at), "l"(from), "r"(some)
                     : "memory");
}

PIPELINE_INLINE void __pipeline_commit()
{
    asm volatile("cp.async.commit_group;" : : : "memory");
}

// Waits for all but the last `prior` commits of the thread; here for all but at most three.
PIPELINE_INLINE void __pipeline_wait_prior(size_t prior)
{
    if (prior == 0)
        asm volatile("cp.async.wait_group 0;" : : : "memory");
    else if (prior == 1)
        asm volatile("cp.async.wait_group 1;" : : : "memory");
    else if (prior == 2)
        asm volatile("cp.async.wait_group 2;" : : : "memory");
    else
        asm volatile("cp.async.wait_group 3;" : : : "memory");
}

#else

PIPELINE_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                             size_t zeros = 0)
{
    if (zeros)
        for (size_t i = 0; i < bytes; i++)
            ((char *)to)[i] = i < bytes - zeros ? ((const char *)from)[i] : 0;
    else if (bytes == 16)
        *(int4 *)to = *(const int4 *)from;
    else if (bytes == 8)
        *(int2 *)to = *(const int2 *)from;
    else
        *(int *)to = *(const int *)from;
}

PIPELINE_INLINE void __pipeline_commit()
{
}

PIPELINE_INLINE void __pipeline_wait_prior(size_t)
{
}

#endif
#endif
#endif
