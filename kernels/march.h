// march.h -- sums over a square window at a cost that does not depend on its size: what the
// `running` variants are.
//
// A block takes a strip of the picture, its halo included, and marches through it, STEP rows at a
// time:
//
//     down     Each thread keeps, of its 8 columns, the sums over the 2r + 1 rows of the window. A
//              row further they gain a fresh pixel and lose a stale one. They go to shared memory,
//              each alone and all 8 together.
//     across   Each thread takes a piece of one row and slides along it: the window's sum gains the
//              column that comes in at the lead and loses the one that falls out at the trail.
//              The first window is summed from the groups of 8 columns. Meanwhile the rows of the
//              next step are on their way to the registers.
//     out      The pixels that this gives wait in shared memory too, until the block writes whole
//              rows: the lanes of a warp are 8 rows apart, and would each write to another line.
//
//                   halo        pixels that the block writes          halo
//                 |------|----------------------------------------|------|
//     one row of sums:      trail |<------ 2r + 1 columns ------>| lead
//
// Every second band is marched through upside down: neighbours then need the rows that they share
// at the same time, and find them in the L2 cache, which is told what will be needed again.
#ifndef MARCH_H
#define MARCH_H

#include "kernel.h"
#include "slide.h"

// What to tune. The lets size the grid, of blocks of MARCH_THREADS. A block writes a strip without
// its halo, and as many rows (a multiple of STEP) as let the GPU hold all blocks at once; otherwise
// the last few would run alone, in a second round. An H200's multiprocessor holds 10 blocks. From
// radius 9 on it gets 6: more of them would have more rows between fresh and stale than the L2
// cache keeps.
//! let march_columns = 8*bw - (radius + 7)/8*16
//! let march_strips = (width - 1)/march_columns + 1
//! let march_blocks = multiprocessors*(10 - 4*min(1, radius/9))
//! let march_rows = 8*max(2, height/8/max(1, march_blocks/march_strips) + 1)
enum {
    MARCH_THREADS = 64,
    STEP = 8,    // rows that go down, and then across, between two barriers
    BATCH = 32,  // rows read at once, at most, before the first step
};

enum {
    COLUMNS = 8,  // of a thread: two words of pixels a row
    PAIRS = COLUMNS / 2,
    STRIP = MARCH_THREADS * COLUMNS,
    PITCH = STRIP + 8,                   // 8 lanes that read 8 rows meet 8 different sets of banks
    GROUP_PITCH = MARCH_THREADS + 1,     // likewise
    PIECES = MARCH_THREADS / STEP,       // of a row, a thread each
    WRITERS = STRIP / WRITTEN,           // threads that write a row of the strip
    TOGETHER = MARCH_THREADS / WRITERS,  // rows that the block writes at once
    OUT_PITCH = STRIP + WRITTEN          // as PITCH
};

static __device__ __forceinline__ int round_up(int value, int step)
{
    return (value + step - 1) / step * step;
}

// ---- what a block does ----

// Its strip and band. Rows are counted in the direction of the march.
struct part {
    int left, end;    // columns that the block writes
    int width;        // those of a block that has as many as it may
    int top, bottom;  // rows
    int last;         // the picture's last row
    int is_upside_down;
    int is_edge;  // part of the strip lies outside the picture
};

static __device__ __forceinline__ struct part part_of(plane in, int halo)
{
    const int height = round_up((in.height + gridDim.y - 1) / gridDim.y, STEP);
    const int top = blockIdx.y * height, bottom = min(top + height, in.height);
    struct part p;
    p.width = round_up((in.width + gridDim.x - 1) / gridDim.x, WRITTEN);
    p.left = blockIdx.x * p.width;
    p.end = min(p.left + p.width, in.width);
    p.is_upside_down = blockIdx.y % 2;
    p.top = p.is_upside_down ? in.height - bottom : top;
    p.bottom = p.is_upside_down ? in.height - top : bottom;
    p.last = in.height - 1;
    p.is_edge = p.left < halo || p.left - halo + STRIP > in.width;
    return p;
}

// Rows of a plane, from a column on. Offsets are 32 bits, modulo 2^32, and so is the pitch, which
// is negative upside down: 64 bits would take twice the instructions.
struct lines {
    unsigned char *pixels;
    unsigned int start, pitch;
};

static __device__ __forceinline__ struct lines lines_of(plane picture, int x, struct part part)
{
    const unsigned int pitch = (unsigned int)picture.pitch;
    struct lines lines;
    lines.pixels = picture.pixels;
    lines.start =
        (unsigned int)x + (part.is_upside_down ? (unsigned int)(picture.height - 1) * pitch : 0);
    lines.pitch = part.is_upside_down ? 0 - pitch : pitch;
    return lines;
}

static __device__ __forceinline__ unsigned char *line_at(struct lines lines, int y)
{
    return lines.pixels + (lines.start + (unsigned int)y * lines.pitch);
}

// ---- the L2 cache ----

// Fresh rows are read once more, as stale ones; stale rows and what is written are not. Left to
// itself the cache gives up the one for the other.
static __device__ __forceinline__ unsigned long long keep_it(void)
{
    unsigned long long policy = 0;
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

static __device__ __forceinline__ unsigned long long drop_it(void)
{
    unsigned long long policy = 0;
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

static __device__ __forceinline__ uint2 read_8(const unsigned char *from, unsigned long long policy)
{
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
    uint2 pixels;
    asm("ld.global.nc.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
        : "=r"(pixels.x), "=r"(pixels.y)
        : "l"(from), "l"(policy));
    return pixels;
#else
    (void)policy;
    return __ldg((const uint2 *)from);
#endif
}

static __device__ __forceinline__ void write_16(unsigned char *to, uint4 pixels,
                                                unsigned long long policy)
{
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
    asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to),
                 "r"(pixels.x), "r"(pixels.y), "r"(pixels.z), "r"(pixels.w), "l"(policy)
                 : "memory");
#else
    (void)policy;
    *(uint4 *)to = pixels;
#endif
}

// ---- down ----

// A thread's columns. Beyond the picture's left and right edge all columns are the edge's: which
// byte of the eight that the thread reads each of its columns is, as __byte_perm wants it.
struct columns {
    struct lines lines;
    unsigned int lower, upper;  // columns 0 ... 3, 4 ... 7
};

static __device__ __forceinline__ struct columns columns_of(plane in, int x, struct part part)
{
    const int from = clamp(x, 0, (in.width - 1) / COLUMNS * COLUMNS);
    struct columns own = {lines_of(in, from, part), 0, 0};
    for (int i = 0; i < 4; i++) {
        own.lower |= (unsigned int)(clamp(x + i, 0, in.width - 1) - from) << 4 * i;
        own.upper |= (unsigned int)(clamp(x + 4 + i, 0, in.width - 1) - from) << 4 * i;
    }
    return own;
}

static __device__ __forceinline__ uint2 repeat_edge(struct columns own, uint2 pixels)
{
    return make_uint2(__byte_perm(pixels.x, pixels.y, own.lower),
                      __byte_perm(pixels.x, pixels.y, own.upper));
}

static __device__ __forceinline__ uint2 read_row(struct columns own, int y, int last)
{
    return __ldg((const uint2 *)line_at(own.lines, clamp(y, 0, last)));
}

struct rows {
    uint2 fresh[STEP], stale[STEP];
};

// The pixels as they lie there: repeat_edges() follows when they have arrived.
static __device__ __forceinline__ void read_rows(struct rows *rows, struct columns own, int y,
                                                 int last, int radius)
{
    const int in = y + radius, out = y - radius - 1;
    if (out >= 0 && in + STEP - 1 <= last) {  // row by row: neither a product nor a clamp for each
        const unsigned char *fresh = line_at(own.lines, in), *stale = line_at(own.lines, out);
        const long pitch = (int)own.lines.pitch;
#pragma unroll
        for (int i = 0; i < STEP; i++, fresh += pitch, stale += pitch) {
            rows->fresh[i] = read_8(fresh, keep_it());
            rows->stale[i] = read_8(stale, drop_it());
        }
    } else {
#pragma unroll
        for (int i = 0; i < STEP; i++) {
            rows->fresh[i] = read_row(own, in + i, last);
            rows->stale[i] = read_row(own, out + i, last);
        }
    }
}

static __device__ __forceinline__ void repeat_edges(struct rows *rows, struct columns own)
{
#pragma unroll
    for (int i = 0; i < STEP; i++) {
        rows->fresh[i] = repeat_edge(own, rows->fresh[i]);
        rows->stale[i] = repeat_edge(own, rows->stale[i]);
    }
}

// Sums of four columns, in two words: all bytes as one number, which is even + 256 odd, and odd.
static __device__ __forceinline__ void add_word(unsigned int *sums, unsigned int fresh,
                                                unsigned int stale)
{
    sums[0] += fresh - stale;
    sums[1] += __byte_perm(fresh, 0, 0x4341) - __byte_perm(stale, 0, 0x4341);
}

static __device__ __forceinline__ void add_row(unsigned int *sums, uint2 fresh, uint2 stale)
{
    add_word(sums, fresh.x, stale.x);
    add_word(sums + 2, fresh.y, stale.y);
}

// The sums of the window around the row above the first: 2r + 1 rows, in batches of one size, all
// rows of one on their way together.
static __device__ __forceinline__ void add_first_rows(unsigned int *sums, struct columns own,
                                                      struct part part, int radius)
{
    const int rows = 2 * radius + 1, batches = (rows + BATCH - 1) / BATCH;
    const int batch = (rows + batches - 1) / batches;
#pragma unroll 1
    for (int n = 0; n < rows; n += batch) {
        uint2 row[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            row[i] = make_uint2(0, 0);
            if (i < batch && n + i < rows)
                row[i] = read_row(own, part.top - 1 - radius + n + i, part.last);
        }
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            if (part.is_edge) row[i] = repeat_edge(own, row[i]);
            add_row(sums, row[i], make_uint2(0, 0));
        }
    }
}

static __device__ __forceinline__ void publish(unsigned short *to, unsigned int *group,
                                               const unsigned int *sums)
{
    const unsigned int a = sums[0] - 256 * sums[1], b = sums[2] - 256 * sums[3];
    *(uint4 *)to = make_uint4(a, sums[1], b, sums[3]);
    *group = add_products(a, 0x0101, add_products(sums[1], 0x0101, 0)) +
             add_products(b, 0x0101, add_products(sums[3], 0x0101, 0));
}

// ---- whole rows ----

// The rows y, y + TOGETHER, ... of a step, 16 pixels of each; `pixels` and `lines` are moved to the
// thread's own.
static __device__ __forceinline__ void write_rows(struct lines out, int y, int bottom,
                                                  const unsigned char (*pixels)[OUT_PITCH])
{
#pragma unroll
    for (int i = 0; i < STEP; i += TOGETHER)
        if (y + i < bottom) write_16(line_at(out, y + i), *(const uint4 *)pixels[i], drop_it());
}

static __device__ __forceinline__ void copy_16(unsigned char *to, const unsigned char *from)
{
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     (unsigned int)__cvta_generic_to_shared(to)),
                 "l"(from)
                 : "memory");
#else
    *(uint4 *)to = *(const uint4 *)from;
#endif
}

static __device__ __forceinline__ void wait_for_copies(void)
{
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// The other way round, for a threshold: the pixels themselves are on their way while the threads go
// down.
static __device__ __forceinline__ void bring_rows(unsigned char (*pixels)[OUT_PITCH],
                                                  struct lines in, int y, int last)
{
#pragma unroll
    for (int i = 0; i < STEP; i += TOGETHER) copy_16(pixels[i], line_at(in, min(y + i, last)));
}

// ---- all of it ----

// The whole kernel. c is of MARCH_THRESHOLD only.
static __device__ __forceinline__ void march(plane out, plane in, int radius,
                                             enum march_result result, int c)
{
    __shared__ __align__(16) unsigned short shared[STEP][PITCH];
    __shared__ unsigned int groups[STEP][GROUP_PITCH];
    __shared__ __align__(16) unsigned char pixels[STEP][OUT_PITCH], centres[STEP][OUT_PITCH];
    const int thread = threadIdx.x, halo = round_up(radius, COLUMNS);
    const struct part part = part_of(in, halo);
    if (part.left >= part.end || part.top >= part.bottom) return;  // all threads of the block

    const struct columns own = columns_of(in, part.left - halo + thread * COLUMNS, part);
    unsigned int sums[PAIRS] = {0};
    add_first_rows(sums, own, part, radius);

    const int row = thread % STEP, length = round_up((part.width + PIECES - 1) / PIECES, WRITTEN);
    const int first = thread / STEP * length;
    const struct finish f = finish_of(result, radius, c);
    const int count = min(length, part.end - part.left - first);

    const int own_16 = thread % WRITERS * WRITTEN, own_row = thread / WRITERS;
    const int is_writer = part.left + own_16 < part.end;
    const struct lines to = lines_of(out, part.left + own_16, part);
    const struct lines from = lines_of(in, part.left + own_16, part);
    struct rows rows;
    read_rows(&rows, own, part.top, part.last, radius);
    if (result == MARCH_THRESHOLD && is_writer)
        bring_rows((unsigned char(*)[OUT_PITCH]) & centres[own_row][own_16], from,
                   part.top + own_row, part.last);
#pragma unroll 1
    for (int y = part.top; y < part.bottom; y += STEP) {
        const int is_more = y + STEP < part.bottom;
        if (part.is_edge) repeat_edges(&rows, own);
#pragma unroll
        for (int i = 0; i < STEP; i++) {
            add_row(sums, rows.fresh[i], rows.stale[i]);
            publish(&shared[i][thread * COLUMNS], &groups[i][thread], sums);
        }
        if (result == MARCH_THRESHOLD) wait_for_copies();
        __syncthreads();
        if (is_more) read_rows(&rows, own, y + STEP, part.last, radius);
        if (y + row < part.bottom && count > 0) {
            const struct piece piece = {&shared[row][first + halo],
                                        &groups[row][(first + halo) / COLUMNS],
                                        &centres[row][first], &pixels[row][first], count};
            go_across(piece, f, radius);
        }
        __syncthreads();
        if (!is_writer) continue;
        if (result == MARCH_THRESHOLD && is_more)
            bring_rows((unsigned char(*)[OUT_PITCH]) & centres[own_row][own_16], from,
                       y + STEP + own_row, part.last);
        write_rows(to, y + own_row, part.bottom,
                   (unsigned char(*)[OUT_PITCH]) & pixels[own_row][own_16]);
    }
}

#endif
