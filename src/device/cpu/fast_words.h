// fast_words.h -- the words of kernels that rewrite.c has written: strips of a block's threads, and
// what their lanes exchange. It stands behind a kernel file's text.
#ifndef FAST_WORDS_H
#define FAST_WORDS_H

// The names are variables from here on.
#undef threadIdx
#undef blockIdx

#define EMULATOR_INSIDE __attribute__((always_inline))

// The linker puts .tdata before the arrays of kernels as they stand: behind these nothing follows,
// so that a thread which reaches behind them faults.
#ifdef __wasm__
#define EMULATOR_FAST_SHARED static
#else
#define EMULATOR_FAST_SHARED static __thread __attribute__((section(".tdata")))
#endif

// Lanes do not read what others of their strip write without waiting for them.
#ifdef __clang__
#define EMULATOR_TOGETHER _Pragma("clang loop vectorize(assume_safety)")
#else
#define EMULATOR_TOGETHER _Pragma("GCC ivdep")
#endif

enum { EMULATOR_WARP = 32, EMULATOR_STRIPS = 1024 };

// The lanes of a strip where a block's rows stay apart and strips need not be warps.
#ifndef EMULATOR_STRIP
#define EMULATOR_STRIP 32
#endif

// This block, or as one block it and up to `most` - 1 blocks right of it, if strips are whole then
// and there are no more threads than a block may have. is_flat: with all rows in one. It holds
// no copies of the built-in variables, which took 50 ns of each block.
struct emulator_blocks {
    const bool is_flat;
    unsigned doublings;

    EMULATOR_INSIDE emulator_blocks(unsigned most, bool is_flat = false)
        : is_flat(is_flat), doublings(0)
    {
        const unsigned width = size().x, all = ::blockDim.x * ::blockDim.y * ::blockDim.z;
        if (!(width % EMULATOR_WARP)) return;
        while (size().x % EMULATOR_WARP && 2u << doublings <= most &&
               !(::blockIdx.x >> doublings & 1) && all << doublings << 1 <= 1024)
            doublings++;
        emulator_turn.done = 1u << doublings;
    }
    EMULATOR_INSIDE uint3 index() const
    {
        return {::blockIdx.x >> doublings, ::blockIdx.y, ::blockIdx.z};
    }
    EMULATOR_INSIDE dim3 size() const
    {
        return dim3((is_flat ? ::blockDim.x * ::blockDim.y : ::blockDim.x) << doublings,
                    is_flat ? 1 : ::blockDim.y, ::blockDim.z);
    }
};

template <bool is> struct emulator_truth {
    static constexpr bool value = is;
};

// Only declared: decltype(emulator_value(x)) is x's type without const and reference.
template <class T> T emulator_value(T x);

// Up to `lanes` neighbours of one row of the block.
template <unsigned lanes> struct emulator_strip {
    unsigned width, height, depth;  // of the block
    unsigned x, y, z;               // of its first thread
    unsigned number, at;            // of strips and of threads before it
    unsigned count;                 // of its threads
    unsigned all;                   // a bit for each

    static constexpr unsigned full = ~0u >> (32 - lanes);  // `all` of a whole strip

    EMULATOR_INSIDE emulator_strip(const dim3 &block)
        : width(block.x), height(block.y), depth(block.z), x(0), y(0), z(0), number(0), at(0),
          count(0), all(0)
    {
    }

    // Goes to the next one, at first to the first. False: there is none.
    EMULATOR_INSIDE bool next()
    {
        number += count > 0;
        at += count;
        x += count;
        if (x >= width) {
            x = 0;
            if (++y == height) {
                y = 0;
                z++;
            }
        }
        count = width - x < lanes ? width - x : lanes;
        all = count == lanes ? full : (1u << count) - 1;
        return z < depth;
    }
    EMULATOR_INSIDE uint3 thread(unsigned lane) const { return {x + lane, y, z}; }
};

// True if a lane of the block is left.
template <unsigned lanes>
static inline EMULATOR_INSIDE bool emulator_any(const unsigned *masks, const dim3 &block)
{
    const unsigned strips = (block.x + lanes - 1) / lanes * block.y * block.z;
    unsigned any = 0;
    for (unsigned i = 0; i < strips; i++) any |= masks[i];
    return any;
}

// Does something for each lane of a mask, which has one. is_inside: all loads are known to stay
// inside the picture.
template <unsigned lanes, class F>
static inline EMULATOR_INSIDE void emulator_lanes(const emulator_strip<lanes> &s, unsigned mask,
                                                  bool is_inside, F each)
{
    if (mask == s.full && is_inside) {
        EMULATOR_TOGETHER
        for (unsigned lane = 0; lane < lanes; lane++)
            each(lane, s.thread(lane), emulator_truth<true>());
    } else {
        const unsigned behind = 32 - (unsigned)__builtin_clz(mask);
        for (unsigned lane = 0; lane < behind; lane++)
            if (mask >> lane & 1) each(lane, s.thread(lane), emulator_truth<false>());
    }
}

// The lanes of a mask for which something holds.
template <unsigned lanes, class F>
static inline EMULATOR_INSIDE unsigned emulator_mask(const emulator_strip<lanes> &s, unsigned mask,
                                                     F holds)
{
    unsigned char is[lanes] = {0};
    unsigned found = 0;
    emulator_lanes(s, mask, true, [&](unsigned lane, uint3 thread, auto) EMULATOR_INSIDE {
        is[lane] = holds(lane, thread, emulator_truth<false>()) ? 1 : 0;
    });
    for (unsigned i = 0; i < lanes; i += 8) {  // a product's highest byte has eight bits
        unsigned long long eight;
        __builtin_memcpy(&eight, is + i, sizeof eight);
        found |= (unsigned)(eight * 0x0102040810204080u >> 56) << i;
    }
    return found;
}

// An index of a strip's first thread. Before the first element lies what is unsigned and almost
// 2^32.
template <class T> static inline EMULATOR_INSIDE long emulator_index(T index)
{
    return sizeof(T) < sizeof(long) ? (long)(int)index : (long)index;
}

// ---- bytes and pictures ----

// A strip's bytes, for lanes that read one each.
template <unsigned lanes>
static inline EMULATOR_INSIDE void emulator_read(int (&to)[lanes], const unsigned char *from)
{
    // GCC 12 would widen bytes in two steps, through a port that is the bottleneck then. The words
    // are stored as wide as they are loaded: a load of two stores waits until both are in the
    // cache.
    unsigned done = 0;
#if defined(__AVX2__) && !defined(__clang__)
    typedef char bytes __attribute__((vector_size(16)));
#ifdef __AVX512F__
    typedef int words __attribute__((vector_size(64)));
    for (; done + 16 <= lanes; done += 16) {
        bytes sixteen;
        __builtin_memcpy(&sixteen, from + done, sizeof sixteen);
        const words wide = __builtin_ia32_pmovzxbd512_mask(sixteen, words{}, 0xffff);
        __builtin_memcpy(to + done, &wide, sizeof wide);
    }
#endif
    typedef int half __attribute__((vector_size(32)));
    for (; done < lanes; done += 8) {
        long long eight;
        __builtin_memcpy(&eight, from + done, sizeof eight);
        typedef long long pair __attribute__((vector_size(16)));
        const half wide = __builtin_ia32_pmovzxbd256((bytes)(pair){eight, 0});
        __builtin_memcpy(to + done, &wide, sizeof wide);
    }
#endif
    for (; done < lanes; done++) to[done] = from[done];
}

#ifdef KERNEL_H
// True if pixels (x, y) … (x + across, y) are in the picture.
static inline EMULATOR_INSIDE bool emulator_is_inside(const plane &in, long long x, int across,
                                                      long long y)
{
    return x >= 0 && x + across < in.width && y >= 0 && y < in.height;
}

// read: the pixel, where it was read beforehand.
template <bool is, class... Read>
static inline EMULATOR_INSIDE int emulator_load(const plane &in, int x, int y, emulator_truth<is>,
                                                Read... read)
{
    if constexpr (!is)
        return load(in, x, y);
    else if constexpr (sizeof...(read))
        return (read + ...);
    else
        return in.pixels[y * in.pitch + x];
}
#endif

// ---- what lanes give each other ----

template <unsigned bytes> struct emulator_word {
    typedef unsigned int type;
};
template <> struct emulator_word<8> {
    typedef unsigned long long type;
};

// A value of each lane that takes part; a lane that is not among them gives what emulated_block.c
// gives. Values lie side by side, behind and before room for lanes that are none. So the compiler
// makes a vector of what lanes take from neighbours, if nothing is loaded or chosen by a jump.
struct emulator_exchange {
    alignas(64) unsigned char bytes[3 * EMULATOR_WARP * sizeof(unsigned long long)];
    unsigned lanes;

    template <class T> EMULATOR_INSIDE void put(unsigned lane, T value)
    {
        ((T *)bytes)[EMULATOR_WARP + lane] = value;
    }
    // source: own, or other.
    template <class T> EMULATOR_INSIDE T take(unsigned mask, int own, int other, int source) const
    {
        typedef typename emulator_word<sizeof(T)>::type word;
        const word *const words = (const word *)bytes + EMULATOR_WARP;
        const word is_there = lanes >> source & mask >> source & 1, is_other = source != own;
        const word given = words[own] ^ ((words[own] ^ words[other]) & -is_other);
        const word whole = given ^ ((given ^ (word)0xa5a5a5a5a5a5a5a5u) & (is_there - 1));
        T value;
        __builtin_memcpy(&value, &whole, sizeof value);
        return value;
    }
#define EMULATOR_TAKE(name, which, by, other)                                               \
    template <class T>                                                                      \
    EMULATOR_INSIDE T name(unsigned lane, unsigned mask, which given, int width = 32) const \
    {                                                                                       \
        const int own = (int)lane, source = emulator_lane_##by(own, given, width);          \
        return take<T>(mask, own, other, source);                                           \
    }
    EMULATOR_TAKE(at, int, at, source)
    EMULATOR_TAKE(up, unsigned, up, own - (int)(given & 31))
    EMULATOR_TAKE(down, unsigned, down, own + (int)(given & 31))
    EMULATOR_TAKE(across, int, xor, source)
};

struct emulator_vote {
    unsigned lanes, yes;  // that take part, and those that say yes

    EMULATOR_INSIDE unsigned ballot(unsigned mask) const { return yes & mask; }
    EMULATOR_INSIDE int any(unsigned mask) const { return (yes & mask) != 0; }
    EMULATOR_INSIDE int every(unsigned mask) const { return (lanes & ~yes & mask) == 0; }
};

#endif
