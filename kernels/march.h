// march.h -- sums over a square window at a cost that does not depend on its size: what the
// `running` variants are.
//
// A block takes a strip of the picture, its halo included, and marches through it, STEP rows at a
// time:
//
//     down     Each thread keeps, of its 8 columns, the sums over the 2r + 1 rows of the window. A
//              row further they gain a fresh pixel and lose a stale one. They go to shared memory.
//     across   Each thread takes a piece of one row and slides along it: the window's sum gains the
//              column that comes in at the lead and loses the one that falls out at the trail.
//     out      The pixels that this gives wait in shared memory too, until the block writes whole
//              rows: the lanes of a warp are 8 rows apart, and would each write to another line.
//
//                   halo        pixels that the block writes          halo
//                 |------|----------------------------------------|------|
//     one row of sums:      trail |<------ 2r + 1 columns ------>| lead
//
// A column's sum is at most 129 * 255, so a word holds two: one instruction picks the pair (lead,
// trail) out of two words, one more adds their difference.
//
// Every second band is marched through upside down: neighbours then need the rows that they share
// at the same time, and find them in the L2 cache.
#ifndef MARCH_H
#define MARCH_H

#include "kernel.h"

// What to tune. The variants' lines say the same: blocks of MARCH_THREADS,
// columns= a strip without its halo, rows= a multiple of STEP.
enum {
    MARCH_THREADS = 64,
    STEP = 8,   // rows that go down, and then across, between two barriers
    READ = 8,   // of those, rows whose pixels are read at once
    AHEAD = 1,  // the next READ rows are on their way while the threads go across
};

enum {
    COLUMNS = 8,  // of a thread: two words of pixels a row
    PAIRS = COLUMNS / 2,
    STRIP = MARCH_THREADS * COLUMNS,
    PITCH = STRIP + 8,              // 8 lanes that read 8 rows meet 8 different sets of banks
    PIECES = MARCH_THREADS / STEP,  // of a row, a thread each
    WRITTEN = 16,                   // pixels that a thread writes at once
    WRITERS = STRIP / WRITTEN,      // threads that write a row of the strip
    OUT_PITCH = STRIP + WRITTEN     // as PITCH
};

enum march_result { MARCH_MEAN, MARCH_THRESHOLD };

// ---- words ----

// sum + a.low * b.byte0 + a.high * b.byte1, for unsigned halves and signed
// bytes.
static __device__ __forceinline__ unsigned int add_products(unsigned int halves, unsigned int bytes,
                                                            unsigned int sum)
{
#ifdef __CUDACC__
    asm("dp2a.lo.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(halves), "r"(bytes));
    return sum;
#else
    return sum + (halves & 0xffff) * (unsigned int)(signed char)bytes +
           (halves >> 16) * (unsigned int)(signed char)(bytes >> 8);
#endif
}

// sum + a.low * b.byte0 + a.high * b.byte1, or the bytes 2 and 3, for signed
// halves and unsigned bytes.
static __device__ __forceinline__ unsigned int
add_signed_products(unsigned int halves, unsigned int bytes, int is_upper, unsigned int sum)
{
#ifdef __CUDACC__
    if (is_upper)
        asm("dp2a.hi.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(halves), "r"(bytes));
    else
        asm("dp2a.lo.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(halves), "r"(bytes));
    return sum;
#else
    const unsigned int two = is_upper ? bytes >> 16 : bytes;
    return sum + (unsigned int)(short)halves * (two & 255) +
           (unsigned int)(short)(halves >> 16) * (two >> 8 & 255);
#endif
}

// Where the sum of column n is among those of its row. Four columns are two
// words, first the even ones: to part four bytes into even and odd takes less
// than to part them in the middle.
static __device__ __forceinline__ int word_of(int n)
{
    return n / 4 * 2 + n % 2;
}

static __device__ __forceinline__ int half_of(int n)
{
    return n / 2 % 2;
}

static __device__ __forceinline__ int slot_of(int n)
{
    return 2 * word_of(n) + half_of(n);
}

// ---- down ----

// The product in 64 bits by one instruction; the compiler's own way takes five.
static __device__ __forceinline__ const unsigned char *row_of(const unsigned char *pixels, int y,
                                                              int pitch)
{
#ifdef __CUDACC__
    const unsigned char *row;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(row) : "r"(y), "r"(pitch), "l"(pixels));
    return row;
#else
    return pixels + (long)y * pitch;
#endif
}

// A thread's columns: in.pixels are moved to the first of them.
static __device__ __forceinline__ uint2 read_columns(struct plane in, int y)
{
    return __ldg((const uint2 *)row_of(in.pixels, y, in.pitch));
}

struct rows {
    uint2 fresh[READ], stale[READ];
};

static __device__ __forceinline__ void read_rows(struct rows *rows, struct plane in, int y,
                                                 int radius)
{
    const int last = in.height - 1;
#pragma unroll
    for (int i = 0; i < READ; i++) {
        rows->fresh[i] = read_columns(in, min(y + i + radius, last));
        rows->stale[i] = read_columns(in, clamp(y + i - radius - 1, 0, last));
    }
}

// Sums of four columns, in two words: all bytes as one number, which is even +
// 256 odd, and odd.
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

static __device__ __forceinline__ void publish(unsigned short *to, const unsigned int *sums)
{
    *(uint4 *)to = make_uint4(sums[0] - 256 * sums[1], sums[1], sums[2] - 256 * sums[3], sums[3]);
}

// Beyond the picture's left and right edge all columns are the edge's: so are
// their sums, and no pixel has to be looked at. left: columns of the strip
// outside, right: its first one outside.
static __device__ __forceinline__ void repeat_edges(unsigned short (*sums)[PITCH], int left,
                                                    int right, int radius)
{
    const int end = min(right + radius, STRIP), first = threadIdx.x / STEP;
    unsigned short *const row = sums[threadIdx.x % STEP];
    for (int n = first; n < left; n += PIECES) row[slot_of(n)] = row[slot_of(left)];
    for (int n = right + first; n < end; n += PIECES) row[slot_of(n)] = row[slot_of(right - 1)];
}

// ---- across ----

// What a thread slides along: `count` pixels of one row.
struct piece {
    const unsigned short *sums;  // of the columns, from that of the first pixel on
    const unsigned char *from;   // the pixels themselves
    unsigned char *to;           // in shared memory
    int count;
};

// How a window's sum becomes a pixel.
struct finish {
    enum march_result result;
    unsigned int minus_area;  // in the lower half
    unsigned int start;       // where sums begin to count
    float inverse;
};

// Sums stay below 2^23. So 2^23 as a float, plus the sum in its bits, is that
// float plus the sum; and adding 2^23 to the mean rounds it and leaves it in
// the lowest bits. Exact: A is odd, so that no mean lies half-way, and for
// every radius and sum up to 255 A the outcome was compared.
enum { TWO_23 = 1 << 23, TWO_23_BITS = 0x4b000000 };

static __device__ __forceinline__ struct finish finish_of(enum march_result result, int radius,
                                                          int c)
{
    const int area = (2 * radius + 1) * (2 * radius + 1);
    struct finish f;
    f.result = result;
    f.minus_area = (unsigned int)-area & 0xffff;
    f.start = result == MARCH_MEAN ? (unsigned int)TWO_23_BITS : (unsigned int)(-c * area);
    f.inverse = 1.0f / area;
    return f;
}

static __device__ __forceinline__ unsigned int mean_in_byte_0(struct finish f, unsigned int sum)
{
    const float more = __int_as_float((int)sum) - (float)TWO_23;
    return (unsigned int)__float_as_int(fmaf(more, f.inverse, (float)TWO_23));
}

// S - c A < p A: the sign of S - c A - p A, in the highest bit.
static __device__ __forceinline__ unsigned int sign_in_bit_31(struct finish f, unsigned int sum,
                                                              unsigned int pixels, int i)
{
    const unsigned int times = i % 2 ? f.minus_area << 16 : f.minus_area;
    return add_signed_products(times, pixels, i / 2, sum);
}

// Two bytes: the highest bit of a in all bits of the lower, that of b in all of the upper.
static __device__ __forceinline__ unsigned int spread_signs(unsigned int a, unsigned int b)
{
#ifdef __CUDACC__
    unsigned int bytes;
    asm("prmt.b32 %0, %1, %2, 0x00fb;" : "=r"(bytes) : "r"(a), "r"(b));
    return bytes;  // above them: byte 0 of a, which nobody looks at
#else
    return (a >> 31) * 0xff + (b >> 31) * 0xff00;
#endif
}

// Four sums to four pixels.
static __device__ __forceinline__ unsigned int finish_word(struct finish f, const unsigned int *sum,
                                                           unsigned int pixels)
{
    unsigned int value[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        value[i] = f.result == MARCH_MEAN ? mean_in_byte_0(f, sum[i])
                                          : sign_in_bit_31(f, sum[i], pixels, i);
    if (f.result == MARCH_THRESHOLD)
        return __byte_perm(spread_signs(value[0], value[1]), spread_signs(value[2], value[3]),
                           0x5410);
    return __byte_perm(__byte_perm(value[0], value[1], 0x0040),
                       __byte_perm(value[2], value[3], 0x0040), 0x5410);
}

// The window one to the right: column `lead` of its words comes in, `trail`
// falls out.
static __device__ __forceinline__ unsigned int
slide(unsigned int sum, const unsigned int *leads, int lead, const unsigned int *trails, int trail)
{
    const unsigned int pick =
        (half_of(lead) ? 0x0032 : 0x0010) | (half_of(trail) ? 0x7600 : 0x5400);
    const unsigned int pair = __byte_perm(leads[word_of(lead)], trails[word_of(trail)], pick);
    return add_products(pair, 0xff01, sum);  // + 1, - 1
}

static __device__ __forceinline__ void take(unsigned int *words, const uint4 *from, int count)
{
#pragma unroll
    for (int i = 0; i < count; i++) {
        const uint4 four = from[i];
        words[4 * i] = four.x;
        words[4 * i + 1] = four.y;
        words[4 * i + 2] = four.z;
        words[4 * i + 3] = four.w;
    }
}

static __device__ __forceinline__ void read_pixels(unsigned int *words, const unsigned char *from)
{
    const uint4 four = __ldg((const uint4 *)from);
    words[0] = four.x;
    words[1] = four.y;
    words[2] = four.z;
    words[3] = four.w;
}

// The first window's sum. Whole groups of 8 columns are added: up to the one
// that the lead is in, whose columns before the lead are then added, from the
// one that the trail is in, whose columns before the trail are taken off.
static __device__ __forceinline__ unsigned int
first_sum(unsigned int sum, const uint4 *lead, int into_lead, const uint4 *trail, int into_trail)
{
    for (const uint4 *eight = trail; eight < lead; eight++) {
        sum = add_products(eight->x, 0x0101, sum);
        sum = add_products(eight->y, 0x0101, sum);
        sum = add_products(eight->z, 0x0101, sum);
        sum = add_products(eight->w, 0x0101, sum);
    }
    unsigned int words[PAIRS];
    take(words, lead, 1);
#pragma unroll
    for (int n = 0; n < into_lead; n++)
        sum = add_products(words[word_of(n)], half_of(n) ? 0x0100 : 0x0001, sum);
    take(words, trail, 1);
#pragma unroll
    for (int n = 0; n < into_trail; n++)
        sum = add_products(words[word_of(n)], half_of(n) ? 0xff00 : 0x00ff, sum);
    return sum;
}

// Column 0 of the piece is the middle of its first window; lead and trail are
// read in groups of 8. phase is radius % 8, a literal: which words and halves
// hold them is then known beforehand.
static __device__ __forceinline__ void slide_along(struct piece piece, struct finish f, int radius,
                                                   int phase)
{
    const int into_lead = (phase + 1) % 8, into_trail = (8 - phase) % 8;
    const uint4 *lead = (const uint4 *)piece.sums + (radius + 1) / 8;
    const uint4 *trail = (const uint4 *)piece.sums - (radius + 7) / 8;
    unsigned int sum = first_sum(f.start, lead, into_lead, trail, into_trail);
#pragma unroll 1
    for (int x = 0; x < piece.count; x += WRITTEN, lead += 2, trail += 2) {
        unsigned int leads[12], trails[12], pixels[4] = {0}, words[4];
        take(leads, lead, into_lead ? 3 : 2);
        take(trails, trail, into_trail ? 3 : 2);
        if (f.result == MARCH_THRESHOLD) read_pixels(pixels, piece.from + x);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned int sums[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int n = 4 * k + i;
                sums[i] = sum;
                sum = slide(sum, leads, into_lead + n, trails, into_trail + n);
            }
            words[k] = finish_word(f, sums, pixels[k]);
        }
        *(uint4 *)(piece.to + x) = make_uint4(words[0], words[1], words[2], words[3]);
    }
}

static __device__ __forceinline__ void go_across(struct piece piece, struct finish f, int radius)
{
    switch (radius % 8) {
    case 0:
        slide_along(piece, f, radius, 0);
        break;
    case 1:
        slide_along(piece, f, radius, 1);
        break;
    case 2:
        slide_along(piece, f, radius, 2);
        break;
    case 3:
        slide_along(piece, f, radius, 3);
        break;
    case 4:
        slide_along(piece, f, radius, 4);
        break;
    case 5:
        slide_along(piece, f, radius, 5);
        break;
    case 6:
        slide_along(piece, f, radius, 6);
        break;
    case 7:
        slide_along(piece, f, radius, 7);
        break;
    }
}

// ---- out ----

// Writes STEP rows of `width` pixels, those that the picture has; out.pixels
// are moved to the first.
static __device__ __forceinline__ void
write_rows(struct plane out, const unsigned char (*pixels)[OUT_PITCH], int width, int height)
{
    const int x = threadIdx.x % WRITERS * WRITTEN;
    if (x >= width) return;
#pragma unroll
    for (int y = threadIdx.x / WRITERS; y < STEP; y += MARCH_THREADS / WRITERS)
        if (y < height) *(uint4 *)(out.pixels + y * out.pitch + x) = *(const uint4 *)&pixels[y][x];
}

// ---- all of it ----

static __device__ __forceinline__ int round_up(int value, int step)
{
    return (value + step - 1) / step * step;
}

static __device__ __forceinline__ struct plane upside_down(struct plane p)
{
    p.pixels += (long)(p.height - 1) * p.pitch;
    p.pitch = -p.pitch;
    return p;
}

// The whole kernel. c is of MARCH_THRESHOLD only.
static __device__ __forceinline__ void march(struct plane out, struct plane in, int radius,
                                             enum march_result result, int c)
{
    __shared__ __align__(16) unsigned short shared[STEP][PITCH];
    __shared__ __align__(16) unsigned char pixels[STEP][OUT_PITCH];
    const int thread = threadIdx.x;
    const int halo = round_up(radius, COLUMNS);
    const int width = round_up((in.width + gridDim.x - 1) / gridDim.x, WRITTEN);
    const int height = round_up((in.height + gridDim.y - 1) / gridDim.y, STEP);
    const int left = blockIdx.x * width, end = min(left + width, in.width);
    int top = blockIdx.y * height, bottom = min(top + height, in.height);
    if (left >= end || top >= bottom) return;  // all threads of the block
    if (blockIdx.y % 2) {
        const int first = in.height - bottom;
        bottom = in.height - top;
        top = first;
        in = upside_down(in);
        out = upside_down(out);
    }

    struct plane own = in;
    own.pixels += clamp(left - halo + thread * COLUMNS, 0, (in.width - 1) / COLUMNS * COLUMNS);
    unsigned int sums[PAIRS] = {0};  // of the window around the row above the band
#pragma unroll 8
    for (int y = top - 1 - radius; y < top + radius; y++)
        add_row(sums, read_columns(own, clamp(y, 0, in.height - 1)), make_uint2(0, 0));

    const int before = left == 0 ? halo : 0, after = in.width - (left - halo);
    const int row = thread % STEP, length = round_up((width + PIECES - 1) / PIECES, WRITTEN);
    const int first = left + thread / STEP * length;
    const struct finish f = finish_of(result, radius, c);
    struct piece piece;
    piece.sums = &shared[row][first - left + halo];
    piece.to = &pixels[row][first - left];
    piece.count = min(length, end - first);

    struct rows rows;
    if (AHEAD) read_rows(&rows, own, top, radius);
#pragma unroll 1
    for (int y = top; y < bottom; y += STEP) {
#pragma unroll 1
        for (int k = 0; k < STEP; k += READ) {
            if (!AHEAD) read_rows(&rows, own, y + k, radius);
#pragma unroll
            for (int i = 0; i < READ; i++) {
                add_row(sums, rows.fresh[i], rows.stale[i]);
                publish(&shared[k + i][thread * COLUMNS], sums);
            }
            if (AHEAD) read_rows(&rows, own, y + k + READ, radius);
        }
        __syncthreads();
        if (before > 0 || after < STRIP) {
            repeat_edges(shared, before, after, radius);
            __syncthreads();
        }
        if (y + row < bottom && piece.count > 0) {
            piece.from = row_of(in.pixels, y + row, in.pitch) + first;
            go_across(piece, f, radius);
        }
        __syncthreads();
        struct plane rows_out = out;
        rows_out.pixels += (long)y * out.pitch + left;
        write_rows(rows_out, pixels, end - left, bottom - y);
    }
}

#endif
