// Every arithmetic word that kernels may use (cuda_words.h), and what C++ adds, against a slow
// definition of its own, on each device there is: what differs between the CPU and a GPU would
// differ here first.
#include "on_device.h"

#include <stdio.h>
#include <stdlib.h>

typedef uint32_t slow_word(uint32_t a, uint32_t b, uint32_t c);
// Of two lanes; least and most are what fits into one.
typedef int64_t lane_word(int64_t x, int64_t y, int64_t least, int64_t most);

// ---- slow definitions ----

#define SLOW(name, value)                                    \
    static uint32_t name(uint32_t a, uint32_t b, uint32_t c) \
    {                                                        \
        (void)a, (void)b, (void)c;                           \
        return (uint32_t)(value);                            \
    }
#define LANE(name, value)                                                  \
    static int64_t name(int64_t x, int64_t y, int64_t least, int64_t most) \
    {                                                                      \
        (void)least, (void)most;                                           \
        return value;                                                      \
    }

static int32_t as_int(uint32_t a)
{
    return (int32_t)a;
}

// What the kernel calls x (of a) and y (of b).
static float as_float(uint32_t a)
{
    return (float)as_int(a) / 65536.0f;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Goes over a's bits from the least on.
#define OVER_BITS(name, start, step)                         \
    static uint32_t name(uint32_t a, uint32_t b, uint32_t c) \
    {                                                        \
        uint32_t n = start;                                  \
        (void)b, (void)c;                                    \
        for (uint32_t i = 0, bit; i < 32; i++) {             \
            bit = a / (1u << i) % 2;                         \
            step;                                            \
        }                                                    \
        return n;                                            \
    }
OVER_BITS(popc, 0, n += bit)
OVER_BITS(clz, 32, n = bit ? 31 - i : n)
OVER_BITS(ffs_of, 0, n = bit && !n ? i + 1 : n)
OVER_BITS(brev, 0, n = n * 2 + bit)

static uint32_t byte_perm(uint32_t a, uint32_t b, uint32_t c)
{
    uint8_t in[8], out[4];
    memcpy(in, &a, 4);
    memcpy(in + 4, &b, 4);
    for (int i = 0; i < 4; i++, c /= 16) out[i] = in[c % 8];  // of each digit, three bits
    memcpy(&a, out, 4);
    return a;
}

// Both words, high before low, times or divided by 2, so often.
static uint64_t shifted(uint32_t low, uint32_t high, uint32_t times, bool is_left)
{
    uint64_t both = (uint64_t)high << 32 | low;
    for (; times > 0; times--) both = is_left ? both * 2 : both / 2;
    return both;
}

SLOW(byte_perm_plain, byte_perm(a, b, c & 0x7777))
SLOW(bytes_reversed, byte_perm(a, b, 0x0123))
SLOW(shift_l, shifted(a, b, c % 32, true) >> 32)
SLOW(shift_r, shifted(a, b, c % 32, false))
SLOW(shift_lc, shifted(a, b, MIN(c % 40, 32), true) >> 32)
SLOW(shift_rc, shifted(a, b, MIN(c % 40, 32), false))

// Rounded down, which / does not do for negative products.
SLOW(mulhi, ((int64_t)as_int(a) * as_int(b) - (int64_t)(uint32_t)(a * b)) / 4294967296)
SLOW(umulhi, ((uint64_t)(a >> 16) * b + ((uint64_t)(a & 0xffff) * b >> 16)) >> 16)
SLOW(sad, llabs((int64_t)as_int(a) - as_int(b)) + c)
SLOW(usad, llabs((int64_t)a - b) + c)

// Sum of products of lanes; bytes of b from skip on.
static uint32_t dot(uint32_t a, uint32_t b, uint32_t c, int a_bits, bool is_signed, int skip)
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

SLOW(dp4a, dot(a, b, c, 8, true, 0))
SLOW(dp4a_unsigned, dot(a, b, c, 8, false, 0))
SLOW(dp2a_lo, dot(a, b, c, 16, true, 0))
SLOW(dp2a_hi, dot(a, b, c, 16, true, 2))
SLOW(dp2a_lo_unsigned, dot(a, b, c, 16, false, 0))
SLOW(dp2a_hi_unsigned, dot(a, b, c, 16, false, 2))

SLOW(same, a)
SLOW(zero, 0)
SLOW(minus_one, -1)
SLOW(low_half, a & 0xffff)
SLOW(modulo, a % 0x7f000000)
SLOW(second_of_2, b)
SLOW(sum, a + b)
SLOW(difference, a - b)
SLOW(fourth_power, (uint32_t)(a *a) * (uint32_t)(a * a))
SLOW(overloads, 123)
SLOW(ones, 511)
SLOW(clz_of_64, 32 + clz(a, b, c))
SLOW(ffs_of_64, ffs_of(a, b, c) ? 32 + ffs_of(a, b, c) : 0)
SLOW(sizes_of_64, 16 + 24 * 10 + 32 * 100)
SLOW(alignments_of_64, 16 + 8 * 100 + 16 * 1000)
SLOW(sizes_of_3, 3 * 100 + 12)
SLOW(sizes_of_4, 4 + 8 * 10 + 16 * 100)
SLOW(alignments_of_4, 4 * 100 + 16)
SLOW(alignments_of_2, 4 * 100 + 8)
SLOW(absolute_of_int, as_int(a) < 0 ? 0u - a : a)
SLOW(min_int, as_int(a) < as_int(b) ? a : b)
SLOW(max_int, as_int(a) < as_int(b) ? b : a)
SLOW(min_unsigned, a < b ? a : b)
SLOW(max_unsigned, a < b ? b : a)
SLOW(min_float, bits_of(as_float(min_int(a, b, c))))
SLOW(max_float, bits_of(as_float(max_int(a, b, c))))
SLOW(float_bits, bits_of(as_float(a)))
SLOW(absolute_float, bits_of(as_float(a)) & 0x7fffffff)

static int64_t floor_of(float x)
{
    int64_t n = (int64_t)x;
    while ((double)n > x) n--;
    return n;
}

static int64_t nearest_of(float x)
{
    const int64_t down = floor_of(x);
    const double rest = x - (double)down;
    return down + (rest > 0.5 || (rest == 0.5 && down % 2 != 0));
}

SLOW(floor_int, floor_of(as_float(a)))
SLOW(round_int, as_int(a) < 0 ? -floor_of(0.5f - as_float(a)) : floor_of(0.5f + as_float(a)))
SLOW(ceil_int, -floor_of(-as_float(a)))
SLOW(trunc_int, as_int(a) < 0 ? ceil_int(a, b, c) : floor_int(a, b, c))
SLOW(nearest_int, nearest_of(as_float(a)))

static uint32_t saturated(uint32_t a, uint32_t b, uint32_t c)
{
    const double x = as_float(a) * 1e6f;
    return x >= 2147483647.0 ? 0x7fffffff : x <= -2147483648.0 ? 0x80000000 : (uint32_t)(int64_t)x;
}

// The greatest float whose square is not above a, or the next: whichever is nearer.
static uint32_t square_root(uint32_t a, uint32_t b, uint32_t c)
{
    const double x = (float)a;
    uint32_t low = 0, high = bits_of(65536.0f);
    while (low < high) {
        const uint32_t middle = (low + high + 1) / 2;
        float root;
        memcpy(&root, &middle, sizeof root);
        if ((double)root * root <= x)
            low = middle;
        else
            high = middle - 1;
    }
    float below, above;
    const uint32_t next = low + 1;
    memcpy(&below, &low, sizeof below);
    memcpy(&above, &next, sizeof above);
    const double between = ((double)below + above) / 2;
    return between * between < x ? next : low;
}

// In double, where the product is exact.
SLOW(fused, bits_of((float)((1 + (a & 4095) / 4096.0) * (1 + (b & 4095) / 4096.0) - 1)))

SLOW(modulo_of_floats, (a >> 16) % (1 + (b >> 20)))
SLOW(minus_absolute, absolute_float(a, b, c) | 1u << 31)
SLOW(seven, 7)
SLOW(is_negative, a >> 31)
SLOW(saturated_to_1, as_int(a) <= 0 ? 0 : a > 65536 ? 65536 : (uint32_t)(as_float(a) * 65536))
SLOW(trunc_unsigned, as_int(a) <= 0 ? 0 : trunc_int(a, b, c))
SLOW(nearest_unsigned, as_int(a) <= 0 ? 0 : nearest_int(a, b, c))
SLOW(float_bits_of_half, bits_of((float)(a >> 1) / 32768.0f))
SLOW(mul24, (uint64_t)(int64_t)(as_int(a << 8) / 256) * (uint64_t)(int64_t)(as_int(b << 8) / 256))
SLOW(umul24, (uint64_t)(a % 16777216) * (b % 16777216))
SLOW(limits, 314159265 - 2147483647 + 1)
SLOW(ten, 10)

LANE(lane_add, x + y)
LANE(lane_sub, x - y)
LANE(lane_add_within, CLAMP(x + y, least, most))
LANE(lane_sub_within, CLAMP(x - y, least, most))
LANE(lane_average, (x + y) / 2 + (x + y) % 2)
LANE(lane_half, (x + y - (x + y) % 2) / 2)
LANE(lane_distance, x < y ? y - x : x - y)
LANE(lane_min, x < y ? x : y)
LANE(lane_max, x < y ? y : x)
LANE(lane_eq, x == y ? -1 : 0)
LANE(lane_ne, x == y ? 0 : -1)
LANE(lane_gt, x > y ? -1 : 0)
LANE(lane_ge, x < y ? 0 : -1)
LANE(lane_lt, x < y ? -1 : 0)
LANE(lane_le, x > y ? 0 : -1)

// ---- the words. To add one: a row in one of these tables ----

static const struct {
    const char *expression;  // over unsigned int a, b, c
    slow_word *slow;
} rows[] = {
    {"power<doubled(2)>(a)", fourth_power},
    {"both<unsigned int>{a, b}.sum()", sum},
    {"kind((int)a) * 100 + kind(a) * 10 + kind(x)", overloads},
    {"after_swaps(a, b)", second_of_2},
    {"after_swaps(a, b, 2)", same},
    {"[&] { return a - b; }()", difference},
    {"dim3(5).x * 100 + dim3(5).y * 10 + dim3(5).z", ones},
    {"warpSize * 0 + blockDim.z * 511", ones},
    {"__popc(a)", popc},
    {"__popcll((unsigned long long)a << 7)", popc},
    {"__clzll((long long)a)", clz_of_64},
    {"__ffsll((long long)a << 32)", ffs_of_64},
    {"__clz((int)a)", clz},
    {"__ffs((int)a)", ffs_of},
    {"__brev(a)", brev},
    {"__byte_perm(a, b, c)", byte_perm},
    {"__byte_perm(a, b, c & 0x7777)", byte_perm_plain},
    {"__byte_perm(a, b, 0x0123)", bytes_reversed},
    {"__funnelshift_l(a, b, c)", shift_l},
    {"__funnelshift_r(a, b, c)", shift_r},
    {"__funnelshift_lc(a, b, c % 40)", shift_lc},
    {"__funnelshift_rc(a, b, c % 40)", shift_rc},
    {"__mulhi((int)a, (int)b)", mulhi},
    {"__umulhi(a, b)", umulhi},
    {"__sad((int)a, (int)b, c)", sad},
    {"__usad(a, b, c)", usad},
    {"__dp4a((int)a, (int)b, (int)c)", dp4a},
    {"__dp4a(a, b, c)", dp4a_unsigned},
    {"__dp4a(signed_bytes(a), signed_bytes(b), (int)c)", dp4a},
    {"__dp4a(bytes(a), bytes(b), c)", dp4a_unsigned},
    {"__dp2a_lo((int)a, (int)b, (int)c)", dp2a_lo},
    {"__dp2a_hi((int)a, (int)b, (int)c)", dp2a_hi},
    {"__dp2a_lo(a, b, c)", dp2a_lo_unsigned},
    {"__dp2a_hi(a, b, c)", dp2a_hi_unsigned},
    {"__dp2a_lo(signed_shorts(a), signed_bytes(b), (int)c)", dp2a_lo},
    {"__dp2a_hi(shorts(a), bytes(b), c)", dp2a_hi_unsigned},
    {"min((int)a, (int)b)", min_int},
    {"min(a, b)", min_unsigned},
    {"min((int)a, b)", min_unsigned},
    {"min(a, (int)b)", min_unsigned},
    {"min((long long)(int)a * 256, (long long)(int)b * 256) / 256", min_int},
    {"min(a * 256ull, b * 256ull) / 256", min_unsigned},
    {"__float_as_int(min(x, y))", min_float},
    {"__float_as_int(fminf(x, y))", min_float},
    {"max((int)a, (int)b)", max_int},
    {"max(a, b)", max_unsigned},
    {"max((int)a, b)", max_unsigned},
    {"max(a, (int)b)", max_unsigned},
    {"max((long long)(int)a * 256, (long long)(int)b * 256) / 256", max_int},
    {"max(a * 256ull, b * 256ull) / 256", max_unsigned},
    {"__float_as_int(max(x, y))", max_float},
    {"__float_as_int(fmaxf(x, y))", max_float},
    {"abs((int)a)", absolute_of_int},
    {"abs((long long)(int)a)", absolute_of_int},
    {"__float_as_int(abs(x))", absolute_float},
    {"__float_as_int((float)fmin((double)x, (double)y))", min_float},
    {"__float_as_int(fmax(x, y))", max_float},
    {"__float_as_int((float)max((double)x, y))", max_float},
    {"__float_as_int(x)", float_bits},
    {"__float_as_uint(__uint_as_float(a % 0x7f000000))", modulo},
    {"__float_as_int(__int_as_float((int)(a % 0x7f000000)))", modulo},
    {"__float_as_int((float)__longlong_as_double(__double_as_longlong(x) & LLONG_MAX))",
     absolute_float},
    {"__float_as_int(fabsf(x))", absolute_float},
    {"(int)floorf(x)", floor_int},
    {"(int)ceilf(x)", ceil_int},
    {"(int)truncf(x)", trunc_int},
    {"(int)rintf(x)", nearest_int},
    {"(int)floor(x)", floor_int},
    {"(int)ceil((double)x)", ceil_int},
    {"(int)roundf(x)", round_int},
    {"(int)round((double)x)", round_int},
    {"__float2int_rd(x)", floor_int},
    {"__float2int_ru(x)", ceil_int},
    {"__float2int_rz(x)", trunc_int},
    {"__float2int_rn(x)", nearest_int},
    {"__float2int_rz(x * 1e6f)", saturated},
    {"__float2int_rn(__int_as_float(0x7fc00000))", zero},
    {"__float2int_rz(fmodf((float)(a >> 16), 1 + (b >> 20)))", modulo_of_floats},
    {"(int)nearbyintf(x)", nearest_int},
    {"__float_as_int(copysignf(x, -1))", minus_absolute},
    {"isnan(x) * 8 + isnan(NAN) * 4 + isinf(-INFINITY) * 2 + isfinite(x)", seven},
    {"signbit(x) + isfinite(INFINITY)", is_negative},
    {"__float2int_rz(__saturatef(x) * 65536)", saturated_to_1},
    {"__float2uint_rz(x)", trunc_unsigned},
    {"__float2uint_rn(x)", nearest_unsigned},
    {"__float_as_int(__int2float_rn((int)a) / 65536)", float_bits},
    {"__float_as_int(__uint2float_rn(a >> 1) / 32768)", float_bits_of_half},
    {"__float_as_int(__fmaf_rn(1 + (a & 4095) / 4096.0f, 1 + (b & 4095) / 4096.0f, -1))", fused},
    {"__mul24((int)a, (int)b)", mul24},
    {"__umul24(a, b)", umul24},
    {"(int)(M_PI * 1e8) - INT_MAX + (int)(DBL_EPSILON * 4503599627370496)", limits},
    {"(LLONG_MAX == -(LLONG_MIN + 1)) + (ULLONG_MAX == 2ull * LLONG_MAX + 1) + CHAR_BIT", ten},
    {"std::numeric_limits<int>::max() - INT_MAX + std::numeric_limits<short>::min() + 32778", ten},
    {"(std::numeric_limits<std::uint8_t>::max() == 255) + 8 +"
     "(std::numeric_limits<long long>::min() == LLONG_MIN)",
     ten},
    {"(cuda::std::numeric_limits<float>::infinity() == INFINITY) + 8 +"
     "(std::numeric_limits<double>::lowest() == -DBL_MAX)",
     ten},
    {"std::is_same<int, std::int32_t>::value + std::is_same_v<int, float> + 9", ten},
    {"sizeof(std::conditional_t<true, double, char>) + sizeof(std::enable_if_t<true, short>)", ten},
    {"(int)llround(x)", round_int},
    {"(int)std::lrint((double)x)", nearest_int},
    {"(remainder(7.0, 4.0) == -1) + (fdim(x, x) == 0) + (lrintf(1e30f) == LLONG_MAX) + 7", ten},
    {"(llround(-1e30) == LLONG_MIN) + (llround(CUDART_NAN) == LLONG_MIN) + 8", ten},
    {"(CUDART_INF_F == INFINITY) + (CUDART_INF > CUDART_PI) + (float)CUDART_PI / CUDART_PI_F + 7",
     ten},
    {"__float_as_int(std::sqrt((float)a))", square_root},
    {"std::min<std::size_t>(a, cuda::std::max(a, b))", same},
    {"__float_as_int(sqrtf((float)a))", square_root},
    {"__float_as_int(fmaf(1 + (a & 4095) / 4096.0f, 1 + (b & 4095) / 4096.0f, -1))", fused},
    {"__ldg(&words[0])", same},
    {"__ldca(&words[0])", same},
    {"__ldcg(&words[0])", same},
    {"__ldcs(&words[0])", same},
    {"__ldlu(&words[0])", same},
    {"__ldcv(&words[0])", same},
    {"words_of(make_uchar4(a & 255, a >> 8 & 255, a >> 16 & 255, a >> 24))", same},
    {"make_uint4(b, c, a, b).z", same},
    {"make_ushort2(b & 0xffff, a & 0xffff).y", low_half},
    {"make_char4(0, 0, 0, -1).w", minus_one},
    {"(unsigned int)make_ulonglong2(b, a).y", same},
    {"sizeof(double2) + sizeof(longlong3) * 10 + sizeof(double4) * 100", sizes_of_64},
    {"__alignof__(longlong2) + __alignof__(double3) * 100 + __alignof__(ulonglong4) * 1000",
     alignments_of_64},
    {"sizeof(uchar3) * 100 + sizeof(float3)", sizes_of_3},
    {"__alignof__(uchar4) * 100 + __alignof__(float4)", alignments_of_4},
    {"sizeof(char4) + sizeof(ushort4) * 10 + sizeof(int4) * 100", sizes_of_4},
    {"__alignof__(short2) * 100 + __alignof__(uint2)", alignments_of_2},
};

// On two shorts and on four bytes: "__vadd2(a, b)" and "__vadd4(a, b)".
static const struct {
    const char *name;
    lane_word *lane;
    bool is_signed;
    bool is_sum;  // of the lanes
} packed[] = {
    {"__vadd", lane_add},
    {"__vsub", lane_sub},
    {"__vavgu", lane_average},
    {"__vhaddu", lane_half},
    {"__vabsdiffu", lane_distance},
    {"__vminu", lane_min},
    {"__vmaxu", lane_max},
    {"__vsubus", lane_sub_within},
    {"__vcmpeq", lane_eq},
    {"__vcmpne", lane_ne},
    {"__vcmpgtu", lane_gt},
    {"__vcmpgeu", lane_ge},
    {"__vcmpltu", lane_lt},
    {"__vcmpleu", lane_le},
    {"__vaddus", lane_add_within},
    {"__vmins", lane_min, .is_signed = true},
    {"__vmaxs", lane_max, .is_signed = true},
    {"__vcmpgts", lane_gt, .is_signed = true},
    {"__vcmplts", lane_lt, .is_signed = true},
    {"__vaddss", lane_add_within, .is_signed = true},
    {"__vsubss", lane_sub_within, .is_signed = true},
    {"__vsadu", lane_distance, .is_sum = true},
};

enum { PLAIN = G_N_ELEMENTS(rows), ROWS = PLAIN + 2 * G_N_ELEMENTS(packed), THREADS = 4096 };

static char *expression_of(int row)
{
    if (row < PLAIN) return g_strdup(rows[row].expression);
    return g_strdup_printf("%s%d(a, b)", packed[(row - PLAIN) / 2].name, (row - PLAIN) % 2 ? 4 : 2);
}

static uint32_t slowly(int row, uint32_t a, uint32_t b, uint32_t c)
{
    if (row < PLAIN) return rows[row].slow(a, b, c);
    const int bits = (row - PLAIN) % 2 ? 8 : 16, word = (row - PLAIN) / 2;
    const bool is_signed = packed[word].is_signed;
    const int64_t size = 1 << bits, least = is_signed ? -size / 2 : 0, most = least + size - 1;
    uint64_t result = 0;
    for (int i = 0; i < 32; i += bits) {
        int64_t x = a >> i & (size - 1), y = b >> i & (size - 1);
        if (x > most) x -= size;
        if (y > most) y -= size;
        const uint64_t lane = (uint64_t)packed[word].lane(x, y, least, most) & (size - 1);
        result += packed[word].is_sum ? lane : lane << i;
    }
    return (uint32_t)result;
}

// ---- one kernel that does them all ----

static const char prologue[] =
    "#include \"kernel.h\"\n"
    "union word { unsigned int word; uchar4 bytes; char4 signed_bytes; ushort2 shorts;\n"
    "    short2 signed_shorts; };\n"
    "static __device__ uchar4 bytes(unsigned int a) "
    "{ union word w; w.word = a; return w.bytes; }\n"
    "static __device__ char4 signed_bytes(unsigned int a) "
    "{ union word w; w.word = a; return w.signed_bytes; }\n"
    "static __device__ ushort2 shorts(unsigned int a) "
    "{ union word w; w.word = a; return w.shorts; }\n"
    "static __device__ short2 signed_shorts(unsigned int a) "
    "{ union word w; w.word = a; return w.signed_shorts; }\n"
    "static __device__ unsigned int words_of(uchar4 a) "
    "{ union word w; w.bytes = a; return w.word; }\n"
    "template <int N, class T> static __device__ T power(T x) {\n"
    "    T product = 1;\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < N; i++) product *= x;\n"
    "    return product; }\n"
    "static __device__ constexpr int doubled(int n) { return 2 * n; }\n"
    "template <class T> struct both { T one, two;\n"
    "    __device__ T sum() const { return one + two; } };\n"
    "static __device__ int kind(int) { return 1; }\n"
    "static __device__ int kind(unsigned int) { return 2; }\n"
    "static __device__ int kind(float) { return 3; }\n"
    "static __device__ void swap(unsigned int &a, unsigned int &b) {\n"
    "    const auto kept = a; a = b; b = kept; }\n"
    "static __device__ unsigned int after_swaps(unsigned int a, unsigned int b, int times = 1) {\n"
    "#pragma unroll 1\n"
    "    for (int i = 0; i < times; i++) swap(a, b);\n"
    "    return a; }\n"
    "__global__ void words(plane in, unsigned int *scratch) {\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    const unsigned int *const words = (const unsigned int *)in.pixels + 3 * i;\n"
    "    const unsigned int a = words[0], b = words[1], c = words[2];\n"
    "    const float x = (float)(int)a / 65536.0f, y = (float)(int)b / 65536.0f;\n"
    "    (void)x, (void)y, (void)c;\n";

static char *source_of_all(void)
{
    static const char *const stores[] = {"__stcg", "__stcs", "__stwb", "__stwt"};
    GString *text = g_string_new(prologue);
    for (int k = 0; k < ROWS; k++) {
        g_autofree char *expression = expression_of(k);
        g_string_append_printf(text, "    %s(&scratch[%d * i + %d], (unsigned int)(%s));\n",
                               stores[k % G_N_ELEMENTS(stores)], ROWS, k, expression);
    }
    g_string_append(text, "}\n");
    return g_string_free(text, FALSE);
}

// Pairs of edge cases first, then noise.
static void fill_inputs(uint32_t *words)
{
    static const uint32_t edges[] = {0,          1,          0x7f,       0x80,       0xff,
                                     0x100,      0x7fff,     0x8000,     0xffff,     0x10000,
                                     0x7fffffff, 0x80000000, 0xffffffff, 0x80808080, 0x7f7f7f7f,
                                     0x01010101, 0x80008000, 0x7fff7fff, 0x00ff00ff, 0xff00ff00};
    const size_t n = G_N_ELEMENTS(edges);
    GRand *noise = g_rand_new_with_seed(7);
    for (size_t i = 0; i < THREADS; i++) {
        words[3 * i] = i < n * n ? edges[i % n] : g_rand_int(noise);
        words[3 * i + 1] = i < n * n ? edges[i / n] : g_rand_int(noise);
        words[3 * i + 2] = g_rand_int(noise);
    }
    g_rand_free(noise);
}

static void check(const uint32_t *words, const uint32_t *results)
{
    for (int k = 0; k < ROWS; k++)
        for (int i = 0; i < THREADS; i++) {
            const uint32_t a = words[3 * i], b = words[3 * i + 1], c = words[3 * i + 2];
            const uint32_t want = slowly(k, a, b, c), got = results[ROWS * i + k];
            if (got != want)
                fail_msg("%s of a = %08x, b = %08x, c = %08x is %08x, not %08x", expression_of(k),
                         a, b, c, got, want);
        }
}

static void test_words(void **state)
{
    const char *const device = *state;
    OWNED(close_backend) struct backend *b = backend_open(device, NULL, 0, &err);
    if (!b) {
        printf("skipped: %s\n", err.text);
        skip();
    }
    backend_set_include(b, TILESCOPE_KERNELS);
    g_autofree char *source = source_of_all();
    const size_t in_bytes = THREADS * 12, out_bytes = THREADS * ROWS * 4;
    // Without padding.
    struct rig r =
        rig_make(b, compile_one(b, source, "words"), planes_shape(1024, THREADS * 12 / 1024, 1),
                 (struct launch_config){THREADS / 64, 1, 64, 1, 0});
    g_autofree uint32_t *words = g_malloc0(in_bytes), *got = g_malloc0(out_bytes);
    fill_inputs(words);
    void *const scratch = allocate(b, out_bytes);
    r.launch.scratch = scratch;
    must(backend_write(b, r.launch.in.pixels, words, in_bytes, &err));
    must(backend_fill(b, scratch, 0xa5, out_bytes, &err));
    must(rig_runs(&r));
    must(backend_read(b, got, scratch, out_bytes, &err));
    check(words, got);
    backend_free(b, scratch);
    rig_free(&r);
}

// ---- the CPU's alone ----

static int set_up(void **state)
{
    g_unsetenv("TILESCOPE_KERNEL_FLAGS");  // are one compiler's
    *state = open_device("cpu");
    return 0;
}

static int tear_down(void **state)
{
    backend_close(*state);
    return 0;
}

// A file that includes nothing has CUDA's words, and those of C's headers of types and limits.
TEST(words_without_an_include)
{
    static const char source[] =
        "//! lab \"Words\"\n"
        "//! array b int out [1]\n"
        "static_assert(sizeof(int8_t) == 1 && sizeof(int16_t) == 2 && sizeof(int32_t) == 4, "
        "\"\");\n"
        "static_assert(sizeof(int64_t) == 8 && sizeof(uintptr_t) == sizeof(void *), \"\");\n"
        "static_assert((uint8_t)-1 == 255 && (uint16_t)-1 == 65535 && (uint32_t)-1 > 0, \"\");\n"
        "static_assert((uint64_t)-1 == ULLONG_MAX && (size_t)-1 == (uintptr_t)-1, \"\");\n"
        "static_assert((uchar)-1 == UCHAR_MAX && (ushort)-1 == USHRT_MAX, \"\");\n"
        "static_assert((uint)-1 == UINT_MAX && (ulong)-1 == ULLONG_MAX, \"\");\n"
        "static_assert(INT_MIN == -2147483647 - 1 && INT_MAX == 2147483647, \"\");\n"
        "static_assert(LLONG_MIN + LLONG_MAX == -1 && SHRT_MIN + SHRT_MAX == -1, \"\");\n"
        "static_assert(SCHAR_MIN == -128 && CHAR_BIT == 8, \"\");\n"
        "static_assert(FLT_MAX < INFINITY && FLT_MAX > 3.4e38f && FLT_MIN > 0, \"\");\n"
        "static_assert(1 + FLT_EPSILON > 1 && 1 + DBL_EPSILON > 1 && DBL_MAX > 1e308, \"\");\n"
        "static_assert(DBL_MIN > 0 && NAN != NAN && warpSize == 32, \"\");\n"
        "//! variant k 1x1\n"
        "__global__ void k(int *b) { *b = warpSize; __syncthreads(); }\n";
    struct module *m = compile_one(*state, source, "k");
    must(m != NULL);
    backend_unload(*state, m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"words_on_cpu", test_words, NULL, NULL, (char *)"cpu"},
        {"words_on_cuda", test_words, NULL, NULL, (char *)"cuda"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + run_with_each_compiler(set_up, tear_down);
}
