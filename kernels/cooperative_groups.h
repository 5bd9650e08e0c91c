// cooperative_groups.h -- the part of CUDA's cooperative groups that works inside a block: the
// block itself, tiles of it, and the lanes of a warp that are together, with their shuffles, votes,
// reductions and scans. It is written in CUDA's own words, so it means the same on every device.
// nvcc takes NVIDIA's header instead. Blocks have two dimensions.
#ifndef COOPERATIVE_GROUPS_H
#define COOPERATIVE_GROUPS_H

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include_next <cooperative_groups.h>
#else

// On the CPU, messages about barriers name the line that called.
#ifdef __CUDACC__
#define GROUPS_LINE
#define GROUPS_NEXT_LINE
#define GROUPS_PASS
#define GROUPS_PASS_NEXT
#define GROUPS_COPY memcpy
#else
#define GROUPS_LINE      int line = __builtin_LINE()
#define GROUPS_NEXT_LINE , int line = __builtin_LINE()
#define GROUPS_PASS      line
#define GROUPS_PASS_NEXT , line
#define GROUPS_COPY      __builtin_memcpy
#endif
#define GROUPS_INLINE           static __device__ __forceinline__
#define GROUPS_METHOD           __device__ __forceinline__
// What CUDA has and a kernel cannot have here, with what to write instead.
#define GROUPS_MISSING(message) static_assert(!sizeof(never *), message)

namespace cooperative_groups
{

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

// ---- the block and the grid ----

class thread_block
{
  public:
    GROUPS_METHOD static void sync(GROUPS_LINE) { __syncthreads(GROUPS_PASS); }
    GROUPS_METHOD static unsigned int thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    GROUPS_METHOD static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
    GROUPS_METHOD static unsigned int num_threads() { return size(); }
    GROUPS_METHOD static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    GROUPS_METHOD static dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    GROUPS_METHOD static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    GROUPS_METHOD static dim3 dim_threads() { return group_dim(); }
};

// CUDA keeps in it what tiles of several warps share. Here they have that memory themselves.
template <unsigned int threads = 1024> struct block_tile_memory {
    unsigned char unused;
};

GROUPS_INLINE thread_block this_thread_block()
{
    return thread_block();
}

template <unsigned int threads>
GROUPS_INLINE thread_block this_thread_block(block_tile_memory<threads> &)
{
    return thread_block();
}

class grid_group
{
  public:
    template <class never = void> GROUPS_METHOD void sync() const
    {
        GROUPS_MISSING("the blocks of a grid cannot wait for each other here: write what comes "
                       "behind grid.sync() as another kernel of the same variant");
    }
    GROUPS_METHOD static bool is_valid() { return false; }
    GROUPS_METHOD static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    GROUPS_METHOD static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    GROUPS_METHOD static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    GROUPS_METHOD static unsigned long long size() { return num_blocks() * thread_block::size(); }
    GROUPS_METHOD static unsigned long long num_threads() { return size(); }
    GROUPS_METHOD static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    GROUPS_METHOD static dim3 dim_blocks() { return group_dim(); }
    GROUPS_METHOD static dim3 block_index() { return thread_block::group_index(); }
};

GROUPS_INLINE grid_group this_grid()
{
    return grid_group();
}

template <class never = void> GROUPS_INLINE int this_cluster()
{
    GROUPS_MISSING("there are no clusters here: share through global memory, between kernels");
    return 0;
}

template <class never = void> GROUPS_INLINE int this_multi_grid()
{
    GROUPS_MISSING("a kernel runs on one device here: use this_grid()");
    return 0;
}

template <class never, class... types>
GROUPS_INLINE void memcpy_async(const never &, const types &...)
{
    GROUPS_MISSING("there is no memcpy_async here: copy in a loop from thread_rank() in steps of "
                   "size(), and call sync()");
}

// ---- lanes of a warp, by their mask ----

GROUPS_INLINE unsigned int groups_lane()
{
    return thread_block::thread_rank() % 32;
}

GROUPS_INLINE unsigned int groups_rank(unsigned int mask)
{
    return __popc(mask & ((1u << groups_lane()) - 1));
}

// The lane of that rank; without one, the own lane.
GROUPS_INLINE int groups_lane_of(unsigned int mask, unsigned int rank)
{
    if (rank >= (unsigned int)__popc(mask)) return groups_lane();
    for (; rank > 0; rank--) mask &= mask - 1;
    return __ffs((int)mask) - 1;
}

// Those lanes of a mask whose ranks have the same quotient by `lanes` as the own one.
GROUPS_INLINE unsigned int groups_part(unsigned int mask, unsigned int lanes)
{
    unsigned int part = 0;
    const unsigned int own = groups_rank(mask) / lanes;
    for (unsigned int rank = 0; mask; rank++, mask &= mask - 1)
        if (rank / lanes == own) part |= mask & ~(mask - 1);
    return part;
}

// A value of any type in the words that are shuffled.
template <class type> struct groups_words {
    unsigned int words[(sizeof(type) + 3) / 4];
    GROUPS_METHOD explicit groups_words(const type &value) : words()
    {
        GROUPS_COPY(words, &value, sizeof value);
    }
    GROUPS_METHOD type value() const
    {
        type value;
        GROUPS_COPY(&value, words, sizeof value);
        return value;
    }
};
#define GROUPS_SHUFFLE(type, value, shuffle, ...)                     \
    groups_words<type> all(value);                                    \
    for (unsigned int &word : all.words) word = shuffle(__VA_ARGS__); \
    return all.value()

// The lanes of a warp that are in one place together, or a part of them.
class coalesced_group
{
    unsigned int lanes;

  public:
    GROUPS_METHOD explicit coalesced_group(unsigned int mask) : lanes(mask) {}
    GROUPS_METHOD unsigned int groups_mask() const { return lanes; }
    GROUPS_METHOD void sync(GROUPS_LINE) const { __syncwarp(lanes GROUPS_PASS_NEXT); }
    GROUPS_METHOD unsigned int thread_rank() const { return groups_rank(lanes); }
    GROUPS_METHOD unsigned int size() const { return __popc(lanes); }
    GROUPS_METHOD unsigned int num_threads() const { return size(); }
    GROUPS_METHOD unsigned int meta_group_rank() const { return 0; }
    GROUPS_METHOD unsigned int meta_group_size() const { return 1; }
    template <class type> GROUPS_METHOD type shfl(type value, int rank GROUPS_NEXT_LINE) const
    {
        GROUPS_SHUFFLE(type, value, __shfl_sync, lanes, word, groups_lane_of(lanes, rank),
                       32 GROUPS_PASS_NEXT);
    }
    template <class type>
    GROUPS_METHOD type shfl_up(type value, unsigned int delta GROUPS_NEXT_LINE) const
    {
        return shfl(value, thread_rank() - delta GROUPS_PASS_NEXT);
    }
    template <class type>
    GROUPS_METHOD type shfl_down(type value, unsigned int delta GROUPS_NEXT_LINE) const
    {
        return shfl(value, thread_rank() + delta GROUPS_PASS_NEXT);
    }
    GROUPS_METHOD int any(int predicate GROUPS_NEXT_LINE) const
    {
        return __any_sync(lanes, predicate GROUPS_PASS_NEXT);
    }
    GROUPS_METHOD int all(int predicate GROUPS_NEXT_LINE) const
    {
        return __all_sync(lanes, predicate GROUPS_PASS_NEXT);
    }
    GROUPS_METHOD unsigned int ballot(int predicate GROUPS_NEXT_LINE) const
    {
        const unsigned int votes = __ballot_sync(lanes, predicate GROUPS_PASS_NEXT);
        unsigned int packed = 0, rank = 0;
        for (unsigned int rest = lanes; rest; rest &= rest - 1)
            packed |= (votes & rest & ~(rest - 1) ? 1u : 0u) << rank++;
        return packed;
    }
    template <class type, class operation>
    GROUPS_METHOD type groups_reduce(type value, operation combine GROUPS_NEXT_LINE) const
    {
        for (unsigned int delta = 1; delta < size(); delta *= 2) {
            const type above = shfl_down(value, delta GROUPS_PASS_NEXT);
            if (thread_rank() + delta < size()) value = combine(value, above);
        }
        return shfl(value, 0 GROUPS_PASS_NEXT);
    }
};

GROUPS_INLINE coalesced_group coalesced_threads(GROUPS_LINE)
{
    return coalesced_group(__activemask(GROUPS_PASS));
}

// ---- tiles: so many neighbouring threads of a block, a power of two ----

template <unsigned int threads, class parent = void> class thread_block_tile;

// Where a thread is in what its tile is a part of.
template <class parent> struct groups_parent {
    GROUPS_METHOD static unsigned int rank() { return thread_block::thread_rank(); }
    GROUPS_METHOD static unsigned int size() { return thread_block::size(); }
};
template <unsigned int threads, class parent>
struct groups_parent<thread_block_tile<threads, parent>> {
    GROUPS_METHOD static unsigned int rank() { return thread_block::thread_rank() % threads; }
    GROUPS_METHOD static unsigned int size() { return threads; }
};

// A tile inside a warp.
template <unsigned int lanes, bool is_in_a_warp> class groups_tile
{
    GROUPS_METHOD static unsigned int first_lane() { return groups_lane() / lanes * lanes; }
    GROUPS_METHOD static unsigned int rank() { return groups_lane() % lanes; }

  public:
    GROUPS_METHOD static void groups_begin(GROUPS_LINE) {}
    GROUPS_METHOD static unsigned int groups_mask()
    {
        return 0xffffffffu >> (32 - lanes) << first_lane();
    }
    GROUPS_METHOD void sync(GROUPS_LINE) const { __syncwarp(groups_mask() GROUPS_PASS_NEXT); }
    template <class type> GROUPS_METHOD type shfl(type value, int lane GROUPS_NEXT_LINE) const
    {
        GROUPS_SHUFFLE(type, value, __shfl_sync, groups_mask(), word, lane, lanes GROUPS_PASS_NEXT);
    }
    template <class type>
    GROUPS_METHOD type shfl_up(type value, unsigned int delta GROUPS_NEXT_LINE) const
    {
        GROUPS_SHUFFLE(type, value, __shfl_up_sync, groups_mask(), word, delta,
                       lanes GROUPS_PASS_NEXT);
    }
    template <class type>
    GROUPS_METHOD type shfl_down(type value, unsigned int delta GROUPS_NEXT_LINE) const
    {
        GROUPS_SHUFFLE(type, value, __shfl_down_sync, groups_mask(), word, delta,
                       lanes GROUPS_PASS_NEXT);
    }
    template <class type> GROUPS_METHOD type shfl_xor(type value, int bits GROUPS_NEXT_LINE) const
    {
        GROUPS_SHUFFLE(type, value, __shfl_xor_sync, groups_mask(), word, bits,
                       lanes GROUPS_PASS_NEXT);
    }
    GROUPS_METHOD int any(int predicate GROUPS_NEXT_LINE) const
    {
        return __any_sync(groups_mask(), predicate GROUPS_PASS_NEXT);
    }
    GROUPS_METHOD int all(int predicate GROUPS_NEXT_LINE) const
    {
        return __all_sync(groups_mask(), predicate GROUPS_PASS_NEXT);
    }
    GROUPS_METHOD unsigned int ballot(int predicate GROUPS_NEXT_LINE) const
    {
        const unsigned int votes = __ballot_sync(groups_mask(), predicate GROUPS_PASS_NEXT);
        return (votes & groups_mask()) >> first_lane();
    }
    template <class type, class operation>
    GROUPS_METHOD type groups_reduce(type value, operation combine GROUPS_NEXT_LINE) const
    {
        for (int bits = lanes / 2; bits > 0; bits /= 2)
            value = combine(value, shfl_xor(value, bits GROUPS_PASS_NEXT));
        return value;
    }
};

// A tile of several warps. They meet in shared memory, which every tile of this size has a part of.
template <unsigned int threads> class groups_tile<threads, false>
{
    struct memory {
        unsigned int arrived[1024 / threads];
        unsigned long long values[32];  // one of each warp
    };
    GROUPS_METHOD static memory &shared()
    {
        __shared__ memory of_block;
        return of_block;
    }
    GROUPS_METHOD static unsigned int warp() { return thread_block::thread_rank() / 32; }
    GROUPS_METHOD static unsigned int tile() { return thread_block::thread_rank() / threads; }
    GROUPS_METHOD static unsigned int first_warp() { return tile() * (threads / 32); }
    GROUPS_METHOD static unsigned int warps()
    {
        return min(threads / 32, (thread_block::size() + 31) / 32 - first_warp());
    }
    template <class type> GROUPS_METHOD static type *value_of(unsigned int warp)
    {
        static_assert(sizeof(type) <= 8,
                      "tiles of several warps exchange at most 8 bytes a thread");
        return (type *)&shared().values[warp];
    }

  public:
    GROUPS_METHOD static void groups_begin(GROUPS_LINE)
    {
#ifdef __CUDACC__
        __syncthreads();
        if (thread_block::thread_rank() % threads == 0) shared().arrived[tile()] = 0;
        __syncthreads();
#endif
    }
    // On the CPU all tiles of the block must come.
    GROUPS_METHOD void sync(GROUPS_LINE) const
    {
#ifdef __CUDACC__
        __syncwarp();
        if (groups_lane() == 0) {
            unsigned int *const arrived = &shared().arrived[tile()];
            __threadfence_block();
            const unsigned int wanted = (atomicAdd(arrived, 1u) / warps() + 1) * warps();
            while ((int)(*(volatile unsigned int *)arrived - wanted) < 0) continue;
            __threadfence_block();
        }
        __syncwarp();
#else
        __syncthreads(GROUPS_PASS);
#endif
    }
    template <class type>
    GROUPS_METHOD type shfl(type value, unsigned int rank GROUPS_NEXT_LINE) const
    {
        type *const meeting = value_of<type>(first_warp());
        if (thread_block::thread_rank() % threads == rank % threads) *meeting = value;
        sync(GROUPS_PASS);
        value = *meeting;
        sync(GROUPS_PASS);
        return value;
    }
    GROUPS_METHOD int any(int predicate GROUPS_NEXT_LINE) const
    {
        return groups_reduce(predicate != 0, bit_or<int>() GROUPS_PASS_NEXT);
    }
    GROUPS_METHOD int all(int predicate GROUPS_NEXT_LINE) const
    {
        return groups_reduce(predicate != 0, bit_and<int>() GROUPS_PASS_NEXT);
    }
    template <class type, class operation>
    GROUPS_METHOD type groups_reduce(type value, operation combine GROUPS_NEXT_LINE) const
    {
        value = groups_tile<32, true>().groups_reduce(value, combine GROUPS_PASS_NEXT);
        if (groups_lane() == 0) *value_of<type>(warp()) = value;
        sync(GROUPS_PASS);
        value = *value_of<type>(first_warp());
        for (unsigned int i = 1; i < warps(); i++)
            value = combine(value, *value_of<type>(first_warp() + i));
        sync(GROUPS_PASS);
        return value;
    }
};

template <unsigned int threads, class parent>
class thread_block_tile : public groups_tile<threads, (threads <= 32)>
{
    static_assert(threads && threads <= 1024 && !(threads & (threads - 1)),
                  "a tile has 1, 2, 4 ... 512 or 1024 threads");

  public:
    thread_block_tile() = default;
    template <class other>
    GROUPS_METHOD thread_block_tile(const thread_block_tile<threads, other> &)
    {
    }
    GROUPS_METHOD operator coalesced_group() const { return coalesced_group(this->groups_mask()); }
    GROUPS_METHOD static unsigned int thread_rank()
    {
        return thread_block::thread_rank() % threads;
    }
    GROUPS_METHOD static constexpr unsigned int size() { return threads; }
    GROUPS_METHOD static constexpr unsigned int num_threads() { return threads; }
    GROUPS_METHOD static unsigned int meta_group_rank()
    {
        return groups_parent<parent>::rank() / threads;
    }
    GROUPS_METHOD static unsigned int meta_group_size()
    {
        return (groups_parent<parent>::size() + threads - 1) / threads;
    }
};

template <unsigned int threads, class parent>
GROUPS_INLINE thread_block_tile<threads, parent> tiled_partition(const parent &GROUPS_NEXT_LINE)
{
    thread_block_tile<threads, parent>::groups_begin(GROUPS_PASS);
    return thread_block_tile<threads, parent>();
}

// ---- groups whose size is known when the kernel runs ----

// A block, or lanes of a warp.
class thread_group
{
    unsigned int lanes;  // 0: the block

  public:
    GROUPS_METHOD explicit thread_group(unsigned int mask) : lanes(mask) {}
    GROUPS_METHOD thread_group(const thread_block &) : lanes(0) {}
    GROUPS_METHOD thread_group(const coalesced_group &group) : lanes(group.groups_mask()) {}
    template <unsigned int threads, class parent>
    GROUPS_METHOD thread_group(const thread_block_tile<threads, parent> &tile)
        : lanes(tile.groups_mask())
    {
    }
    GROUPS_METHOD unsigned int groups_mask() const
    {
        const unsigned int behind = thread_block::size() - thread_block::thread_rank() / 32 * 32;
        return lanes ? lanes : behind < 32 ? (1u << behind) - 1 : 0xffffffffu;
    }
    GROUPS_METHOD void sync(GROUPS_LINE) const
    {
        if (lanes)
            __syncwarp(lanes GROUPS_PASS_NEXT);
        else
            __syncthreads(GROUPS_PASS);
    }
    GROUPS_METHOD unsigned int size() const { return lanes ? __popc(lanes) : thread_block::size(); }
    GROUPS_METHOD unsigned int num_threads() const { return size(); }
    GROUPS_METHOD unsigned int thread_rank() const
    {
        return lanes ? groups_rank(lanes) : thread_block::thread_rank();
    }
};

// Of at most 32 threads.
template <class group> GROUPS_INLINE thread_group tiled_partition(const group &g, unsigned int size)
{
    return thread_group(groups_part(thread_group(g).groups_mask(), size));
}

GROUPS_INLINE coalesced_group tiled_partition(const coalesced_group &g, unsigned int size)
{
    return coalesced_group(groups_part(g.groups_mask(), size));
}

// The threads of a group inside a warp that give the same label.
template <class group, class type>
GROUPS_INLINE coalesced_group labeled_partition(const group &g, type label GROUPS_NEXT_LINE)
{
    const unsigned int mask = g.groups_mask();
    unsigned int same = mask;
    for (unsigned int rest = mask; rest;) {
        const type other = __shfl_sync(mask, label, __ffs((int)rest) - 1, 32 GROUPS_PASS_NEXT);
        const unsigned int lanes = __ballot_sync(mask, label == other GROUPS_PASS_NEXT);
        if (label == other) same = lanes;
        rest &= ~lanes;
    }
    return coalesced_group(same);
}

template <class group>
GROUPS_INLINE coalesced_group binary_partition(const group &g, bool predicate GROUPS_NEXT_LINE)
{
    return labeled_partition(g, (int)predicate GROUPS_PASS_NEXT);
}

// ---- what groups do together ----

template <class group> GROUPS_INLINE void sync(const group &g GROUPS_NEXT_LINE)
{
    g.sync(GROUPS_PASS);
}

// The value of all threads of a tile or of coalesced threads together, for each of them.
template <class group, class type, class operation>
GROUPS_INLINE type reduce(const group &g, type value, operation combine GROUPS_NEXT_LINE)
{
    return g.groups_reduce(value, combine GROUPS_PASS_NEXT);
}

// The value of a thread and of those below it, in a group inside a warp.
template <class group, class type, class operation>
GROUPS_INLINE type inclusive_scan(const group &g, type value, operation combine GROUPS_NEXT_LINE)
{
    for (unsigned int delta = 1; delta < g.size(); delta *= 2) {
        const type below = g.shfl_up(value, delta GROUPS_PASS_NEXT);
        if (g.thread_rank() >= delta) value = combine(below, value);
    }
    return value;
}

// The value of those below it.
template <class group, class type, class operation>
GROUPS_INLINE type exclusive_scan(const group &g, type value, operation combine GROUPS_NEXT_LINE)
{
    value = inclusive_scan(g, value, combine GROUPS_PASS_NEXT);
    const type below = g.shfl_up(value, 1 GROUPS_PASS_NEXT);
    return g.thread_rank() ? below : type();
}

template <class group, class type>
GROUPS_INLINE type inclusive_scan(const group &g, type value GROUPS_NEXT_LINE)
{
    return inclusive_scan(g, value, plus<type>() GROUPS_PASS_NEXT);
}

template <class group, class type>
GROUPS_INLINE type exclusive_scan(const group &g, type value GROUPS_NEXT_LINE)
{
    return exclusive_scan(g, value, plus<type>() GROUPS_PASS_NEXT);
}

}  // namespace cooperative_groups

#endif
#endif
