// Every arithmetic word that kernels may use (cuda_words.h) against a slow definition of its own,
// on each device there is: what differs between the CPU and a GPU would differ here first.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"

typedef uint32_t slow_word(uint32_t a, uint32_t b, uint32_t c);
typedef int64_t lane_word(int64_t x, int64_t y);

struct row {
    const char *expression;  // over unsigned int a, b, c
    slow_word *slow;         // or, for packed words:
    int bits;                // of a lane; negative: lanes are signed
    lane_word *lane;
    bool is_sum;  // of the lanes
};

// ---- slow definitions ----

static int32_t as_int(uint32_t a) { return (int32_t)a; }
static float as_float(uint32_t a) { return (float)as_int(a) / 65536.0f; }
static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint32_t slow_popc(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    uint32_t n = 0;
    for (; a; a >>= 1) n += a & 1;
    return n;
}
static uint32_t slow_clz(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    uint32_t n = 0;
    for (uint64_t bit = 1ull << 31; bit && !(a & bit); bit >>= 1) n++;
    return n;
}
static uint32_t slow_ffs(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    for (uint32_t n = 0; n < 32; n++)
        if (a & 1u << n) return n + 1;
    return 0;
}
static uint32_t slow_brev(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    uint32_t r = 0;
    for (int i = 0; i < 32; i++, a /= 2) r = r * 2 + a % 2;
    return r;
}
static uint32_t slow_byte_perm(uint32_t a, uint32_t b, uint32_t c)
{
    uint8_t in[8], out[4];
    memcpy(in, &a, 4);
    memcpy(in + 4, &b, 4);
    for (int i = 0; i < 4; i++, c /= 16) {
        out[i] = in[c % 8];
        if (c % 16 > 7) out[i] = out[i] > 127 ? 255 : 0;
    }
    memcpy(&a, out, 4);
    return a;
}
static uint32_t slow_shift_l(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t both = (uint64_t)b << 32 | a;
    for (c %= 32; c > 0; c--) both *= 2;
    return (uint32_t)(both >> 32);
}
static uint32_t slow_shift_r(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t both = (uint64_t)b << 32 | a;
    for (c %= 32; c > 0; c--) both /= 2;
    return (uint32_t)both;
}
static uint32_t slow_shift_lc(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t both = (uint64_t)b << 32 | a;
    for (c = MIN(c, 32); c > 0; c--) both *= 2;
    return (uint32_t)(both >> 32);
}
static uint32_t slow_shift_rc(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t both = (uint64_t)b << 32 | a;
    for (c = MIN(c, 32); c > 0; c--) both /= 2;
    return (uint32_t)both;
}
static uint32_t slow_mulhi(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    const int64_t product = (int64_t)as_int(a) * as_int(b);
    return (uint32_t)((product - (int64_t)((uint64_t)product & 0xffffffff)) / 4294967296);
}
static uint32_t slow_umulhi(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    // by hand, in halves
    const uint64_t low = (uint64_t)(a & 0xffff) * b, high = (uint64_t)(a >> 16) * b;
    return (uint32_t)((high + (low >> 16)) >> 16);
}
static uint32_t slow_sad(uint32_t a, uint32_t b, uint32_t c)
{
    const int64_t d = (int64_t)as_int(a) - as_int(b);
    return (uint32_t)((d < 0 ? -d : d) + c);
}
static uint32_t slow_usad(uint32_t a, uint32_t b, uint32_t c)
{
    const int64_t d = (int64_t)a - b;
    return (uint32_t)((d < 0 ? -d : d) + c);
}

// Sum of products of lanes; bytes of b from skip on.
static uint32_t slow_dot(uint32_t a, uint32_t b, uint32_t c, int a_bits, bool is_signed, int skip)
{
    int64_t sum = c;
    for (int i = 0; i < 32 / a_bits; i++) {
        int64_t x = a >> a_bits * i & ((1u << a_bits) - 1), y = b >> 8 * (skip + i) & 255;
        if (is_signed && x >= 1 << (a_bits - 1)) x -= 1 << a_bits;
        if (is_signed && y >= 128) y -= 256;
        sum += x * y;
    }
    return (uint32_t)sum;
}
static uint32_t slow_dp4a(uint32_t a, uint32_t b, uint32_t c) { return slow_dot(a, b, c, 8, true, 0); }
static uint32_t slow_dp4a_u(uint32_t a, uint32_t b, uint32_t c) { return slow_dot(a, b, c, 8, false, 0); }
static uint32_t slow_dp2a_lo(uint32_t a, uint32_t b, uint32_t c) { return slow_dot(a, b, c, 16, true, 0); }
static uint32_t slow_dp2a_hi(uint32_t a, uint32_t b, uint32_t c) { return slow_dot(a, b, c, 16, true, 2); }
static uint32_t slow_dp2a_lo_u(uint32_t a, uint32_t b, uint32_t c) { return slow_dot(a, b, c, 16, false, 0); }
static uint32_t slow_dp2a_hi_u(uint32_t a, uint32_t b, uint32_t c) { return slow_dot(a, b, c, 16, false, 2); }

static uint32_t slow_min_int(uint32_t a, uint32_t b, uint32_t c) { (void)c; return as_int(a) < as_int(b) ? a : b; }
static uint32_t slow_max_int(uint32_t a, uint32_t b, uint32_t c) { (void)c; return as_int(a) < as_int(b) ? b : a; }
static uint32_t slow_min_uint(uint32_t a, uint32_t b, uint32_t c) { (void)c; return a < b ? a : b; }
static uint32_t slow_max_uint(uint32_t a, uint32_t b, uint32_t c) { (void)c; return a < b ? b : a; }
static uint32_t slow_min_float(uint32_t a, uint32_t b, uint32_t c) { (void)c; return bits_of(as_float(slow_min_int(a, b, 0))); }
static uint32_t slow_max_float(uint32_t a, uint32_t b, uint32_t c) { (void)c; return bits_of(as_float(slow_max_int(a, b, 0))); }
static uint32_t slow_first_float(uint32_t a, uint32_t b, uint32_t c) { (void)b, (void)c; return bits_of(as_float(a)); }
static uint32_t slow_abs(uint32_t a, uint32_t b, uint32_t c) { (void)b, (void)c; return as_int(a) < 0 ? 0u - a : a; }
static uint32_t slow_same(uint32_t a, uint32_t b, uint32_t c) { (void)b, (void)c; return a; }
static uint32_t slow_bytes_reversed(uint32_t a, uint32_t b, uint32_t c) { return slow_byte_perm(a, b, (void)c, 0x0123); }

// as_float() is a multiple of 2^-16 or, when big, of something coarser: integers tell its floor.
static int64_t floor_of(float x)
{
    int64_t n = (int64_t)x;
    while ((double)n > x) n--;
    while ((double)(n + 1) <= x) n++;
    return n;
}
static uint32_t slow_floor(uint32_t a, uint32_t b, uint32_t c) { (void)b, (void)c; return (uint32_t)floor_of(as_float(a)); }
static uint32_t slow_ceil(uint32_t a, uint32_t b, uint32_t c) { (void)b, (void)c; return (uint32_t)-floor_of(-as_float(a)); }
static uint32_t slow_trunc(uint32_t a, uint32_t b, uint32_t c) { return as_int(a) < 0 ? slow_ceil(a, b, c) : slow_floor(a, b, c); }
static uint32_t slow_round(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    const int64_t down = floor_of(as_float(a));
    const double rest = as_float(a) - (double)down;
    return (uint32_t)(down + (rest > 0.5 || (rest == 0.5 && down % 2 != 0)));
}
static uint32_t slow_saturate(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    const double x = (double)as_float(a) * 1e6;
    return x >= 2147483647.0 ? 0x7fffffff : x <= -2147483648.0 ? 0x80000000 : (uint32_t)(int32_t)(float)x;
}

static int64_t lane_add(int64_t x, int64_t y) { return x + y; }
static int64_t lane_sub(int64_t x, int64_t y) { return x - y; }
static int64_t within(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }
static int64_t lane_add_u16(int64_t x, int64_t y) { return within(x + y, 0, 65535); }
static int64_t lane_add_u8(int64_t x, int64_t y) { return within(x + y, 0, 255); }
static int64_t lane_sub_u(int64_t x, int64_t y) { return within(x - y, 0, 65535); }
static int64_t lane_add_s16(int64_t x, int64_t y) { return within(x + y, -32768, 32767); }
static int64_t lane_add_s8(int64_t x, int64_t y) { return within(x + y, -128, 127); }
static int64_t lane_sub_s16(int64_t x, int64_t y) { return within(x - y, -32768, 32767); }
static int64_t lane_sub_s8(int64_t x, int64_t y) { return within(x - y, -128, 127); }
static int64_t lane_average(int64_t x, int64_t y) { return (x + y) / 2 + (x + y) % 2; }
static int64_t lane_half(int64_t x, int64_t y) { return (x + y) / 2; }
static int64_t lane_distance(int64_t x, int64_t y) { return x < y ? y - x : x - y; }
static int64_t lane_min(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t lane_max(int64_t x, int64_t y) { return x < y ? y : x; }
static int64_t lane_eq(int64_t x, int64_t y) { return x == y ? -1 : 0; }
static int64_t lane_ne(int64_t x, int64_t y) { return x == y ? 0 : -1; }
static int64_t lane_gt(int64_t x, int64_t y) { return x > y ? -1 : 0; }
static int64_t lane_ge(int64_t x, int64_t y) { return x < y ? 0 : -1; }
static int64_t lane_lt(int64_t x, int64_t y) { return x < y ? -1 : 0; }
static int64_t lane_le(int64_t x, int64_t y) { return x > y ? 0 : -1; }

// ---- the words. To add one: a row, with a slow function or a lane's ----

static const struct row rows[] = {
    {"__popc(a)", slow_popc},
    {"__clz((int)a)", slow_clz},
    {"__ffs((int)a)", slow_ffs},
    {"__brev(a)", slow_brev},
    {"__byte_perm(a, b, c & 0x7777)", slow_byte_perm_of_low},
    {"__byte_perm(a, b, c)", slow_byte_perm},
    {"__byte_perm(a, b, 0x0123)", slow_bytes_reversed},
    {"__funnelshift_l(a, b, c)", slow_shift_l},
    {"__funnelshift_r(a, b, c)", slow_shift_r},
    {"__funnelshift_lc(a, b, c)", slow_shift_lc},
    {"__funnelshift_rc(a, b, c)", slow_shift_rc},
    {"__funnelshift_l(a, b, c % 40)", slow_shift_l_40},
    {"__mulhi((int)a, (int)b)", slow_mulhi},
    {"__umulhi(a, b)", slow_umulhi},
    {"__sad((int)a, (int)b, c)", slow_sad},
    {"__usad(a, b, c)", slow_usad},
    {"__dp4a((int)a, (int)b, (int)c)", slow_dp4a},
    {"__dp4a(a, b, c)", slow_dp4a_u},
};
