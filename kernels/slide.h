// slide.h -- the half of march.h that goes across: sums of windows along a row of column sums, and
// what becomes of them.
//
// A column's sum is at most 129 * 255, so a word holds two: one instruction picks the pair (lead,
// trail) out of two words, one more adds their difference.
#ifndef SLIDE_H
#define SLIDE_H

#include "kernel.h"

enum { WRITTEN = 16 };  // pixels that a thread finishes, and later writes, at once

enum march_result { MARCH_MEAN, MARCH_THRESHOLD };

// ---- words ----

// sum + a.low * b.byte0 + a.high * b.byte1, for unsigned halves and signed bytes.
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

// sum + a.low * b.byte0 + a.high * b.byte1, or the bytes 2 and 3, for signed halves and unsigned
// bytes.
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

// Where the sum of column n is among those of its row. Four columns are two words, first the even
// ones: to part four bytes into even and odd takes less than to part them in the middle.
static __device__ __forceinline__ int word_of(int n)
{
    return n / 4 * 2 + n % 2;
}

static __device__ __forceinline__ int half_of(int n)
{
    return n / 2 % 2;
}

// ---- along a row ----

// What a thread slides along: `count` pixels of one row, all in shared memory.
struct piece {
    const unsigned short *sums;  // of the columns, from that of the first pixel on
    const unsigned int *groups;  // of every 8 columns, likewise
    const unsigned char *from;   // the pixels themselves
    unsigned char *to;
    int count;
};

// How a window's sum becomes a pixel.
struct finish {
    enum march_result result;
    unsigned int minus_area;  // in the lower half
    unsigned int start;       // where sums begin to count
    float inverse;
};

// Sums stay below 2^23. So 2^23 as a float, plus the sum in its bits, is that float plus the sum;
// and adding 2^23 to the mean rounds it and leaves it in the lowest bits. Exact: A is odd, so that
// no mean lies half-way, and for every radius and sum up to 255 A the outcome was compared.
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

// The window one to the right: column `lead` of its words comes in, `trail` falls out.
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
    const uint4 four = *(const uint4 *)from;
    words[0] = four.x;
    words[1] = four.y;
    words[2] = four.z;
    words[3] = four.w;
}

// The first window's sum. Whole groups of 8 columns are added: from the one that the trail is in,
// whose columns before the trail are taken off again, up to the one that the lead is in, whose
// columns before the lead are added.
static __device__ __forceinline__ unsigned int first_sum(unsigned int sum, struct piece piece,
                                                         int behind, int groups, int into_trail,
                                                         int into_lead)
{
    const uint4 *trail = (const uint4 *)piece.sums - behind;
    const unsigned int *group = piece.groups - behind;
    unsigned int words[4];
#pragma unroll
    for (int i = 0; i < groups; i++) sum += group[i];
    if (into_lead) take(words, trail + groups, 1);
#pragma unroll
    for (int n = 0; n < into_lead; n++)
        sum = add_products(words[word_of(n)], half_of(n) ? 0x0100 : 0x0001, sum);
    if (into_trail) take(words, trail, 1);
#pragma unroll
    for (int n = 0; n < into_trail; n++)
        sum = add_products(words[word_of(n)], half_of(n) ? 0xff00 : 0x00ff, sum);
    return sum;
}

// Column 0 of the piece is the middle of its first window; lead and trail are read in groups of 8.
// phase is radius % 8. A GPU gets a literal: which words and halves hold them is then known
// beforehand.
static __device__ __forceinline__ void slide_along(struct piece piece, struct finish f, int radius,
                                                   int phase)
{
    const int into_lead = (phase + 1) % 8, into_trail = (8 - phase) % 8;
    const int behind = (radius + 7) / 8, groups = behind + (radius + 1) / 8;
    const uint4 *trail = (const uint4 *)piece.sums - behind, *lead = trail + groups;
    unsigned int sum = first_sum(f.start, piece, behind, groups, into_trail, into_lead);
    // 16 columns, behind the group before them where the first is in the middle of that.
    const int leads_before = into_lead ? 4 : 0, trails_before = into_trail ? 4 : 0;
    unsigned int leads[12], trails[12];
    if (into_lead) take(leads, lead++, 1);
    if (into_trail) take(trails, trail++, 1);
#pragma unroll 2
    for (int x = 0; x < piece.count; x += WRITTEN, lead += 2, trail += 2) {
        unsigned int pixels[4] = {0}, words[4];
        take(leads + leads_before, lead, 2);
        take(trails + trails_before, trail, 2);
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
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (into_lead) leads[i] = leads[8 + i];
            if (into_trail) trails[i] = trails[8 + i];
        }
    }
}

static __device__ __forceinline__ void go_across(struct piece piece, struct finish f, int radius)
{
#ifdef __CUDACC__
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
#else
    slide_along(piece, f, radius, radius % 8);  // eight of them double the time to compile a file
#endif
}

#endif
