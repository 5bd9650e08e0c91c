// Every arithmetic word that kernels may use (cuda_words.h) against a slow definition of its own,
// on each device there is: what differs between the CPU and a GPU would differ here first.
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/backend.h"

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

#define SLOW(name, value)                                    \
    static uint32_t name(uint32_t a, uint32_t b, uint32_t c) \
    {                                                        \
        (void)a, (void)b, (void)c;                           \
        return (uint32_t)(value);                            \
    }
#define LANE(name, value)                     \
    static int64_t name(int64_t x, int64_t y) \
    {                                         \
        return value;                         \
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

static uint32_t popc(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    uint32_t n = 0;
    for (; a; a /= 2) n += a % 2;
    return n;
}

static uint32_t clz(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    uint32_t n = 32;
    for (; a; a /= 2) n--;
    return n;
}

static uint32_t ffs_of(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    for (uint32_t n = 0; n < 32; n++)
        if (a & 1u << n) return n + 1;
    return 0;
}

static uint32_t brev(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    uint32_t r = 0;
    for (int i = 0; i < 32; i++, a /= 2) r = r * 2 + a % 2;
    return r;
}

static uint32_t byte_perm(uint32_t a, uint32_t b, uint32_t c)
{
    uint8_t in[8], out[4];
    memcpy(in, &a, 4);
    memcpy(in + 4, &b, 4);
    for (int i = 0; i < 4; i++, c /= 16) out[i] = in[c % 8];  // of each digit, three bits
    memcpy(&a, out, 4);
    return a;
}

static uint64_t doubled(uint32_t low, uint32_t high, uint32_t times)
{
    uint64_t both = (uint64_t)high << 32 | low;
    for (; times > 0; times--) both *= 2;
    return both;
}

static uint64_t halved(uint32_t low, uint32_t high, uint32_t times)
{
    uint64_t both = (uint64_t)high << 32 | low;
    for (; times > 0; times--) both /= 2;
    return both;
}

SLOW(byte_perm_plain, byte_perm(a, b, c & 0x7777))
SLOW(bytes_reversed, byte_perm(a, b, 0x0123))
SLOW(shift_l, doubled(a, b, c % 32) >> 32)
SLOW(shift_r, halved(a, b, c % 32))
SLOW(shift_lc, doubled(a, b, MIN(c % 40, 32)) >> 32)
SLOW(shift_rc, halved(a, b, MIN(c % 40, 32)))

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
SLOW(ceil_int, -floor_of(-as_float(a)))
SLOW(trunc_int, as_int(a) < 0 ? ceil_int(a, b, c) : floor_int(a, b, c))
SLOW(nearest_int, nearest_of(as_float(a)))

static uint32_t saturated(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    const double x = as_float(a) * 1e6f;
    return x >= 2147483647.0 ? 0x7fffffff : x <= -2147483648.0 ? 0x80000000 : (uint32_t)(int64_t)x;
}

// The greatest float whose square is not above a, or the next: whichever is nearer.
static uint32_t square_root(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
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

LANE(lane_add, x + y)
LANE(lane_sub, x - y)
LANE(lane_add_to_65535, MIN(x + y, 65535))
LANE(lane_add_to_255, MIN(x + y, 255))
LANE(lane_sub_to_0, MAX(x - y, 0))
LANE(lane_add_short, CLAMP(x + y, -32768, 32767))
LANE(lane_add_char, CLAMP(x + y, -128, 127))
LANE(lane_sub_short, CLAMP(x - y, -32768, 32767))
LANE(lane_sub_char, CLAMP(x - y, -128, 127))
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

static uint32_t packed(const struct row *row, uint32_t a, uint32_t b)
{
    const int bits = abs(row->bits);
    uint64_t result = 0;
    for (int i = 0; i < 32; i += bits) {
        int64_t x = a >> i & ((1u << bits) - 1), y = b >> i & ((1u << bits) - 1);
        if (row->bits < 0 && x >> (bits - 1)) x -= 1 << bits;
        if (row->bits < 0 && y >> (bits - 1)) y -= 1 << bits;
        const uint64_t lane = (uint64_t)row->lane(x, y) & ((1u << bits) - 1);
        result += row->is_sum ? lane : lane << i;
    }
    return (uint32_t)result;
}

// ---- the words. To add one: a row, with a slow function or one for a lane ----

static const struct row rows[] = {
    {"__popc(a)", .slow = popc},
    {"__clz((int)a)", .slow = clz},
    {"__ffs((int)a)", .slow = ffs_of},
    {"__brev(a)", .slow = brev},
    {"__byte_perm(a, b, c)", .slow = byte_perm},
    {"__byte_perm(a, b, c & 0x7777)", .slow = byte_perm_plain},
    {"__byte_perm(a, b, 0x0123)", .slow = bytes_reversed},
    {"__funnelshift_l(a, b, c)", .slow = shift_l},
    {"__funnelshift_r(a, b, c)", .slow = shift_r},
    {"__funnelshift_lc(a, b, c % 40)", .slow = shift_lc},
    {"__funnelshift_rc(a, b, c % 40)", .slow = shift_rc},
    {"__mulhi((int)a, (int)b)", .slow = mulhi},
    {"__umulhi(a, b)", .slow = umulhi},
    {"__sad((int)a, (int)b, c)", .slow = sad},
    {"__usad(a, b, c)", .slow = usad},
    {"__dp4a((int)a, (int)b, (int)c)", .slow = dp4a},
    {"__dp4a(a, b, c)", .slow = dp4a_unsigned},
    {"__dp4a(signed_bytes(a), signed_bytes(b), (int)c)", .slow = dp4a},
    {"__dp4a(bytes(a), bytes(b), c)", .slow = dp4a_unsigned},
    {"__dp2a_lo((int)a, (int)b, (int)c)", .slow = dp2a_lo},
    {"__dp2a_hi((int)a, (int)b, (int)c)", .slow = dp2a_hi},
    {"__dp2a_lo(a, b, c)", .slow = dp2a_lo_unsigned},
    {"__dp2a_hi(a, b, c)", .slow = dp2a_hi_unsigned},
    {"__dp2a_lo(signed_shorts(a), signed_bytes(b), (int)c)", .slow = dp2a_lo},
    {"__dp2a_hi(shorts(a), bytes(b), c)", .slow = dp2a_hi_unsigned},
    {"min((int)a, (int)b)", .slow = min_int},
    {"min(a, b)", .slow = min_unsigned},
    {"min((int)a, b)", .slow = min_unsigned},
    {"min(a, (int)b)", .slow = min_unsigned},
    {"min((long long)(int)a * 256, (long long)(int)b * 256) / 256", .slow = min_int},
    {"min(a * 256ull, b * 256ull) / 256", .slow = min_unsigned},
    {"__float_as_int(min(x, y))", .slow = min_float},
    {"__float_as_int(fminf(x, y))", .slow = min_float},
    {"max((int)a, (int)b)", .slow = max_int},
    {"max(a, b)", .slow = max_unsigned},
    {"max((int)a, b)", .slow = max_unsigned},
    {"max(a, (int)b)", .slow = max_unsigned},
    {"max((long long)(int)a * 256, (long long)(int)b * 256) / 256", .slow = max_int},
    {"max(a * 256ull, b * 256ull) / 256", .slow = max_unsigned},
    {"__float_as_int(max(x, y))", .slow = max_float},
    {"__float_as_int(fmaxf(x, y))", .slow = max_float},
    {"abs((int)a)", .slow = absolute_of_int},
    {"__float_as_int(x)", .slow = float_bits},
    {"__float_as_int(__int_as_float((int)(a % 0x7f000000)))", .slow = modulo},
    {"__float_as_int(fabsf(x))", .slow = absolute_float},
    {"(int)floorf(x)", .slow = floor_int},
    {"(int)ceilf(x)", .slow = ceil_int},
    {"(int)truncf(x)", .slow = trunc_int},
    {"(int)rintf(x)", .slow = nearest_int},
    {"__float2int_rd(x)", .slow = floor_int},
    {"__float2int_ru(x)", .slow = ceil_int},
    {"__float2int_rz(x)", .slow = trunc_int},
    {"__float2int_rn(x)", .slow = nearest_int},
    {"__float2int_rz(x * 1e6f)", .slow = saturated},
    {"__float2int_rn(__int_as_float(0x7fc00000))", .slow = zero},
    {"__float_as_int(sqrtf((float)a))", .slow = square_root},
    {"__float_as_int(fmaf(1 + (a & 4095) / 4096.0f, 1 + (b & 4095) / 4096.0f, -1))", .slow = fused},
    {"__ldg(&words[0])", .slow = same},
    {"__ldca(&words[0])", .slow = same},
    {"__ldcg(&words[0])", .slow = same},
    {"__ldcs(&words[0])", .slow = same},
    {"words_of(make_uchar4(a & 255, a >> 8 & 255, a >> 16 & 255, a >> 24))", .slow = same},
    {"make_uint4(b, c, a, b).z", .slow = same},
    {"make_ushort2(b & 0xffff, a & 0xffff).y", .slow = low_half},
    {"make_char4(0, 0, 0, -1).w", .slow = minus_one},
    {"sizeof(uchar3) * 100 + sizeof(float3)", .slow = sizes_of_3},
    {"__alignof__(uchar4) * 100 + __alignof__(float4)", .slow = alignments_of_4},
    {"sizeof(char4) + sizeof(ushort4) * 10 + sizeof(int4) * 100", .slow = sizes_of_4},
    {"__alignof__(short2) * 100 + __alignof__(uint2)", .slow = alignments_of_2},
    {"__vadd2(a, b)", .bits = 16, .lane = lane_add},
    {"__vadd4(a, b)", .bits = 8, .lane = lane_add},
    {"__vsub2(a, b)", .bits = 16, .lane = lane_sub},
    {"__vsub4(a, b)", .bits = 8, .lane = lane_sub},
    {"__vavgu2(a, b)", .bits = 16, .lane = lane_average},
    {"__vavgu4(a, b)", .bits = 8, .lane = lane_average},
    {"__vhaddu2(a, b)", .bits = 16, .lane = lane_half},
    {"__vhaddu4(a, b)", .bits = 8, .lane = lane_half},
    {"__vabsdiffu2(a, b)", .bits = 16, .lane = lane_distance},
    {"__vabsdiffu4(a, b)", .bits = 8, .lane = lane_distance},
    {"__vminu2(a, b)", .bits = 16, .lane = lane_min},
    {"__vminu4(a, b)", .bits = 8, .lane = lane_min},
    {"__vmaxu2(a, b)", .bits = 16, .lane = lane_max},
    {"__vmaxu4(a, b)", .bits = 8, .lane = lane_max},
    {"__vsubus2(a, b)", .bits = 16, .lane = lane_sub_to_0},
    {"__vsubus4(a, b)", .bits = 8, .lane = lane_sub_to_0},
    {"__vcmpeq2(a, b)", .bits = 16, .lane = lane_eq},
    {"__vcmpeq4(a, b)", .bits = 8, .lane = lane_eq},
    {"__vcmpne2(a, b)", .bits = 16, .lane = lane_ne},
    {"__vcmpne4(a, b)", .bits = 8, .lane = lane_ne},
    {"__vcmpgtu2(a, b)", .bits = 16, .lane = lane_gt},
    {"__vcmpgtu4(a, b)", .bits = 8, .lane = lane_gt},
    {"__vcmpgeu2(a, b)", .bits = 16, .lane = lane_ge},
    {"__vcmpgeu4(a, b)", .bits = 8, .lane = lane_ge},
    {"__vcmpltu2(a, b)", .bits = 16, .lane = lane_lt},
    {"__vcmpltu4(a, b)", .bits = 8, .lane = lane_lt},
    {"__vcmpleu2(a, b)", .bits = 16, .lane = lane_le},
    {"__vcmpleu4(a, b)", .bits = 8, .lane = lane_le},
    {"__vaddus2(a, b)", .bits = 16, .lane = lane_add_to_65535},
    {"__vaddus4(a, b)", .bits = 8, .lane = lane_add_to_255},
    {"__vmins2(a, b)", .bits = -16, .lane = lane_min},
    {"__vmins4(a, b)", .bits = -8, .lane = lane_min},
    {"__vmaxs2(a, b)", .bits = -16, .lane = lane_max},
    {"__vmaxs4(a, b)", .bits = -8, .lane = lane_max},
    {"__vcmpgts2(a, b)", .bits = -16, .lane = lane_gt},
    {"__vcmpgts4(a, b)", .bits = -8, .lane = lane_gt},
    {"__vcmplts2(a, b)", .bits = -16, .lane = lane_lt},
    {"__vcmplts4(a, b)", .bits = -8, .lane = lane_lt},
    {"__vaddss2(a, b)", .bits = -16, .lane = lane_add_short},
    {"__vaddss4(a, b)", .bits = -8, .lane = lane_add_char},
    {"__vsubss2(a, b)", .bits = -16, .lane = lane_sub_short},
    {"__vsubss4(a, b)", .bits = -8, .lane = lane_sub_char},
    {"__vsadu2(a, b)", .bits = 16, .lane = lane_distance, .is_sum = true},
    {"__vsadu4(a, b)", .bits = 8, .lane = lane_distance, .is_sum = true},
};

enum { ROWS = G_N_ELEMENTS(rows), THREADS = 4096 };

// ---- one kernel that does them all ----

static const char prologue[] =
    "#include \"kernel.h\"\n"
    "NO_PARAMS;\n"
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
    "KERNEL(words) {\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    const unsigned int *const words = (const unsigned int *)in.pixels + 3 * i;\n"
    "    const unsigned int a = words[0], b = words[1], c = words[2];\n"
    "    const float x = (float)(int)a / 65536.0f, y = (float)(int)b / 65536.0f;\n"
    "    (void)x, (void)y, (void)c, (void)out;\n";

static char *source_of_all(void)
{
    GString *text = g_string_new(prologue);
    for (size_t k = 0; k < ROWS; k++)
        g_string_append_printf(text, "    %s(&scratch[%d * i + %zu], (unsigned int)(%s));\n",
                               k % 2 ? "__stcs" : "__stcg", (int)ROWS, k, rows[k].expression);
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
    for (size_t k = 0; k < ROWS; k++)
        for (size_t i = 0; i < THREADS; i++) {
            const uint32_t a = words[3 * i], b = words[3 * i + 1], c = words[3 * i + 2];
            const uint32_t want = rows[k].slow ? rows[k].slow(a, b, c) : packed(&rows[k], a, b);
            if (results[ROWS * i + k] != want)
                fail_msg("%s of a = %08x, b = %08x, c = %08x is %08x, not %08x", rows[k].expression,
                         a, b, c, results[ROWS * i + k], want);
        }
}

static void run_all(struct backend *b)
{
    struct error err = {""};
    char *source = source_of_all();
    static const char *const entries[] = {"words"};
    const struct build build = {
        .path = "words.cu", .source = source, .entries = entries, .entry_count = 1};
    backend_set_include(b, TILESCOPE_KERNELS);
    struct module *m = backend_compile(b, &build, &err);
    if (!m) fail_msg("%s", err.text);

    // Memory as pictures 1024 bytes wide, without padding.
    const struct planes in = planes_shape(1024, THREADS * 12 / 1024, 1);
    const struct planes results = planes_shape(1024, THREADS * (int)ROWS * 4 / 1024, 1);
    uint32_t *words = g_malloc0(planes_bytes(in)), *got = g_malloc0(planes_bytes(results));
    fill_inputs(words);
    void *memory, *out, *scratch;
    assert_true(backend_alloc(b, planes_bytes(in), &memory, &err));
    assert_true(backend_alloc(b, planes_bytes(in), &out, &err));
    assert_true(backend_alloc(b, planes_bytes(results), &scratch, &err));
    assert_true(backend_upload(b, planes_at(in, memory), planes_at(in, (void *)words), &err));
    assert_true(backend_fill(b, scratch, 0xa5, planes_bytes(results), &err));
    const int params = 0;
    const struct launch launch = {.module = m,
                                  .config = {THREADS / 64, 1, 64, 1, 0},
                                  .out = planes_at(in, out),
                                  .in = planes_at(in, memory),
                                  .scratch = scratch,
                                  .params = &params,
                                  .params_bytes = sizeof params};
    if (!backend_launch(b, &launch, &err)) fail_msg("%s", err.text);
    if (!backend_wait(b, &err)) fail_msg("%s", err.text);
    assert_true(
        backend_download(b, planes_at(results, (void *)got), planes_at(results, scratch), &err));
    check(words, got);

    backend_free(b, memory);
    backend_free(b, out);
    backend_free(b, scratch);
    backend_unload(b, m);
    g_free(words);
    g_free(got);
    g_free(source);
}

static void test_words_on(const char *device)
{
    char reasons[1024];
    struct error err = {""};
    struct backend *b = backend_open(device, reasons, sizeof reasons, &err);
    if (!b) {
        printf("skipped: %s\n", err.text);
        skip();
    }
    run_all(b);
    backend_close(b);
}

static void test_words_on_cpu(void **state)
{
    test_words_on("cpu");
}

static void test_words_on_cuda(void **state)
{
    test_words_on("cuda");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_on_cpu),
        cmocka_unit_test(test_words_on_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
