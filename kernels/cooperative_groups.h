// cooperative_groups.h -- the part of CUDA's cooperative groups that works inside a block: the block
// itself, and tiles of a warp with their shuffles, votes and reductions. It is written in CUDA's own
// words, so it means the same on every device. Blocks have two dimensions.
#ifndef COOPERATIVE_GROUPS_H
#define COOPERATIVE_GROUPS_H

// On the CPU, messages about barriers name the line that called.
#ifdef __CUDACC__
#define GROUPS_LINE
#define GROUPS_NEXT_LINE
#define GROUPS_PASS
#define GROUPS_PASS_NEXT
#else
#define GROUPS_LINE      int line = __builtin_LINE()
#define GROUPS_NEXT_LINE , int line = __builtin_LINE()
#define GROUPS_PASS      line
#define GROUPS_PASS_NEXT , line
#endif
#define GROUPS_INLINE static __device__ __forceinline__
#define GROUPS_METHOD __device__ __forceinline__

namespace cooperative_groups
{

class thread_block
{
public:
    GROUPS_METHOD void sync(GROUPS_LINE) const { __syncthreads(GROUPS_PASS); }
    GROUPS_METHOD unsigned int thread_rank() const
    {
        return threadIdx.y * blockDim.x + threadIdx.x;
    }
    GROUPS_METHOD unsigned int size() const { return blockDim.x * blockDim.y; }
    GROUPS_METHOD unsigned int num_threads() const { return size(); }
    GROUPS_METHOD dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    GROUPS_METHOD dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, 0); }
    GROUPS_METHOD dim3 group_dim() const { return dim3(blockDim.x, blockDim.y, 1); }
    GROUPS_METHOD dim3 dim_threads() const { return group_dim(); }
};

GROUPS_INLINE thread_block this_thread_block()
{
    return thread_block();
}

// So many neighbouring lanes of a warp: 1, 2, 4, 8, 16 or 32.
template <unsigned int lanes, class parent = void> class thread_block_tile
{
    static_assert(lanes && lanes <= 32 && !(lanes & (lanes - 1)),
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");
    GROUPS_METHOD static unsigned int block_rank()
    {
        return threadIdx.y * blockDim.x + threadIdx.x;
    }
    GROUPS_METHOD static unsigned int first_lane() { return block_rank() % 32 / lanes * lanes; }
    GROUPS_METHOD static unsigned int mask()
    {
        return 0xffffffffu >> (32 - lanes) << first_lane();
    }

public:
    thread_block_tile() = default;
    template <class other>
    GROUPS_METHOD thread_block_tile(const thread_block_tile<lanes, other> &)
    {
    }
    GROUPS_METHOD void sync(GROUPS_LINE) const { __syncwarp(mask() GROUPS_PASS_NEXT); }
    GROUPS_METHOD unsigned int thread_rank() const { return block_rank() % lanes; }
    GROUPS_METHOD static constexpr unsigned int size() { return lanes; }
    GROUPS_METHOD static constexpr unsigned int num_threads() { return lanes; }
    GROUPS_METHOD unsigned int meta_group_rank() const { return block_rank() / lanes; }
    GROUPS_METHOD unsigned int meta_group_size() const
    {
        return (blockDim.x * blockDim.y + lanes - 1) / lanes;
    }
    template <class type> GROUPS_METHOD type shfl(type value, int lane GROUPS_NEXT_LINE) const
    {
        return __shfl_sync(mask(), value, lane, lanes GROUPS_PASS_NEXT);
    }
    template <class type>
    GROUPS_METHOD type shfl_up(type value, unsigned int delta GROUPS_NEXT_LINE) const
    {
        return __shfl_up_sync(mask(), value, delta, lanes GROUPS_PASS_NEXT);
    }
    template <class type>
    GROUPS_METHOD type shfl_down(type value, unsigned int delta GROUPS_NEXT_LINE) const
    {
        return __shfl_down_sync(mask(), value, delta, lanes GROUPS_PASS_NEXT);
    }
    template <class type> GROUPS_METHOD type shfl_xor(type value, int bits GROUPS_NEXT_LINE) const
    {
        return __shfl_xor_sync(mask(), value, bits, lanes GROUPS_PASS_NEXT);
    }
    GROUPS_METHOD int any(int predicate GROUPS_NEXT_LINE) const
    {
        return __any_sync(mask(), predicate GROUPS_PASS_NEXT);
    }
    GROUPS_METHOD int all(int predicate GROUPS_NEXT_LINE) const
    {
        return __all_sync(mask(), predicate GROUPS_PASS_NEXT);
    }
    GROUPS_METHOD unsigned int ballot(int predicate GROUPS_NEXT_LINE) const
    {
        return __ballot_sync(mask(), predicate GROUPS_PASS_NEXT) >> first_lane();
    }
};

template <unsigned int lanes, class parent>
GROUPS_INLINE thread_block_tile<lanes, parent> tiled_partition(const parent &)
{
    return thread_block_tile<lanes, parent>();
}

template <class group> GROUPS_INLINE void sync(const group &g GROUPS_NEXT_LINE)
{
    g.sync(GROUPS_PASS);
}

#define GROUPS_OPERATOR(name, result)                                                  \
    template <class type> struct name {                                                \
        GROUPS_METHOD type operator()(type a, type b) const { return (type)(result); } \
    };
GROUPS_OPERATOR(plus, a + b)
GROUPS_OPERATOR(less, b < a ? b : a)
GROUPS_OPERATOR(greater, a < b ? b : a)
GROUPS_OPERATOR(bit_and, a &b)
GROUPS_OPERATOR(bit_or, a | b)
GROUPS_OPERATOR(bit_xor, a ^ b)

// The value of all threads of a tile together, for each of them.
template <unsigned int lanes, class parent, class type, class operation>
GROUPS_INLINE type reduce(const thread_block_tile<lanes, parent> &tile, type value,
                          operation combine GROUPS_NEXT_LINE)
{
    for (int bits = lanes / 2; bits > 0; bits /= 2)
        value = combine(value, tile.shfl_xor(value, bits GROUPS_PASS_NEXT));
    return value;
}

// The value of a thread and of those below it.
template <unsigned int lanes, class parent, class type, class operation>
GROUPS_INLINE type inclusive_scan(const thread_block_tile<lanes, parent> &tile, type value,
                                  operation combine GROUPS_NEXT_LINE)
{
    for (unsigned int delta = 1; delta < lanes; delta *= 2) {
        const type below = tile.shfl_up(value, delta GROUPS_PASS_NEXT);
        if (tile.thread_rank() >= delta) value = combine(below, value);
    }
    return value;
}

}  // namespace cooperative_groups

#endif
