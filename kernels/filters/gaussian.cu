//! filter "Gaussian" key a
//! param radius  3 [0, 64]  pixels on each side of the centre
//! param sigma   0.0 [0, 64]  width of the bell in pixels; 0: 0.3 (radius - 1) + 0.8
//! weights gaussian
//! goal sectors <= 4 copy
//! goal time <= 6 copy
#include "kernel.h"

extern __shared__ __align__(16) unsigned char tile[];  // the block's dynamic shared memory

// The same numbers as `weights`, where a warp that reads one of them gets it in one cycle.
__constant__ int constant_weights[129];

// Weights of a row sum to 2^12, of the window to 2^24; the sum holds the half that rounds.
enum { HALF = 1 << 23, SHIFT = 24 };

// The window's sum, each pixel times the weights of its row and its column, rounded half up.
//! reference out
__host__ __device__ int gaussian_reference(plane in, const int *weights, int radius, int x, int y)
{
    long long sum = HALF;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            sum +=
                (long long)weights[radius + dy] * weights[radius + dx] * load(in, x + dx, y + dy);
    return (int)(sum >> SHIFT);
}

// One thread per pixel, every tap and every weight straight from global memory:
// (2r+1)^2 loads of each a pixel.
//! variant naive 32x8
__global__ void gaussian_naive(plane out, plane in, const int *weights, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    unsigned int sum = HALF;
    for (int dy = -radius; dy <= radius; dy++) {
        unsigned int row = 0;
        for (int dx = -radius; dx <= radius; dx++)
            row += weights[radius + dx] * load(in, x + dx, y + dy);
        sum += weights[radius + dy] * row;
    }
    out.pixels[y * out.pitch + x] = (unsigned char)(sum >> SHIFT);
}

// The weights come from constant memory: all lanes want the same one, which the constant cache
// hands to the multiplication itself, without a load.
//! variant constant 32x8
__global__ void gaussian_constant(plane out, plane in, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    unsigned int sum = HALF;
    for (int dy = -radius; dy <= radius; dy++) {
        unsigned int row = 0;
        for (int dx = -radius; dx <= radius; dx++)
            row += constant_weights[radius + dx] * load(in, x + dx, y + dy);
        sum += constant_weights[radius + dy] * row;
    }
    out.pixels[y * out.pitch + x] = (unsigned char)(sum >> SHIFT);
}

// The pixels come through the texture unit, too, which clamps at no cost but answers fewer
// requests a cycle than the L1 cache.
//! variant texture 32x8
__global__ void gaussian_texture(plane out, plane in, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    unsigned int sum = HALF;
    for (int dy = -radius; dy <= radius; dy++) {
        unsigned int row = 0;
        for (int dx = -radius; dx <= radius; dx++)
            row += constant_weights[radius + dx] * fetch(in, x + dx, y + dy);
        sum += constant_weights[radius + dy] * row;
    }
    out.pixels[y * out.pitch + x] = (unsigned char)(sum >> SHIFT);
}

// The block first copies its pixels and a halo of r around them into shared memory: global
// loads a pixel fall from (2r+1)^2 to (bw+2r)(bh+2r) / (bw*bh), multiplications stay.
//! variant shared 32x8 shared=(bw + 2*radius) * (bh + 2*radius)
__global__ void gaussian_shared(plane out, plane in, int radius)
{
    const int tile_width = blockDim.x + 2 * radius, tile_height = blockDim.y + 2 * radius;
    const int left = blockIdx.x * blockDim.x - radius, top = blockIdx.y * blockDim.y - radius;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x)
            tile[ty * tile_width + tx] = (unsigned char)load(in, left + tx, top + ty);
    __syncthreads();

    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;

    unsigned int sum = HALF;
    for (int dy = 0; dy <= 2 * radius; dy++) {
        unsigned int row = 0;
        for (int dx = 0; dx <= 2 * radius; dx++)
            row += constant_weights[dx] * tile[(threadIdx.y + dy) * tile_width + threadIdx.x + dx];
        sum += constant_weights[dy] * row;
    }
    out.pixels[y * out.pitch + x] = (unsigned char)(sum >> SHIFT);
}

// One pass adds along the rows, the next along the columns of its sums: 2(2r+1) taps instead of
// (2r+1)^2, for a word a pixel that goes to scratch and back. Both passes stage what they read.
//! variant separable 32x8 shared=(bw + 2*radius) * bh
__global__ void gaussian_separable_rows(plane out, plane in, unsigned int *scratch, int radius)
{
    const int row_width = blockDim.x + 2 * radius;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int left = blockIdx.x * blockDim.x - radius;
    unsigned char *const row = tile + threadIdx.y * row_width;
    for (int tx = threadIdx.x; tx < row_width; tx += blockDim.x)
        row[tx] = (unsigned char)load(in, left + tx, y);
    __syncthreads();
    if (x >= out.width || y >= out.height) return;

    unsigned int sum = 0;
    for (int dx = 0; dx <= 2 * radius; dx++) sum += constant_weights[dx] * row[threadIdx.x + dx];
    scratch[y * in.width + x] = sum;
}

// The columns. Their sums have 20 bits, so each takes four bytes of shared memory.
//! variant separable 32x8 shared=4 * bw * (bh + 2*radius)
__global__ void gaussian_separable_columns(plane out, plane in, unsigned int *scratch, int radius)
{
    const int tile_height = blockDim.y + 2 * radius;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int top = blockIdx.y * blockDim.y - radius;
    unsigned int *const column = (unsigned int *)tile + threadIdx.x;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        column[ty * blockDim.x] =
            scratch[clamp(top + ty, 0, in.height - 1) * in.width + min(x, in.width - 1)];
    __syncthreads();
    if (x >= out.width || y >= out.height) return;

    unsigned int sum = HALF;
    for (int dy = 0; dy <= 2 * radius; dy++)
        sum += constant_weights[dy] * column[(threadIdx.y + dy) * blockDim.x];
    out.pixels[y * out.pitch + x] = (unsigned char)(sum >> SHIFT);
}

// ---- fast ----
//
// A warp marches down a strip of 32 columns, 16 rows a step, and lets the tensor cores multiply.
// Both passes are products of matrices of bytes, with the weights as a band along the diagonal:
//
//     rows     sums[x][y] = band[x][k] pixels[k][y]    k: the columns of the window of 16 pixels
//     columns  out[y][x]  = band[y][k] sums[k][x]      k: the rows of it
//
//         band:  w0 w1 w2 ..  0  0       Numbers of more than a byte go in as their bytes, one
//                 0 w0 w1 w2 ..  0       product for each pair: weights are two (the second is
//                 0  0 w0 w1 w2 ..       at most 16), sums of a row, 20 bits, are three.
//
// No lane ever needs what another one holds: mma_bytes (kernel.h) leaves sums where the second
// product wants them, if the order of rows in k and of columns in x follow the lanes' own. So k
// counts the rows of 16 as 0 1 8 9, 2 3 10 11, 4 5 12 13, 6 7 14 15, and x the columns as
// 0 1 4 5 8 9 12 13, 2 3 6 7 10 11 14 15. Sums wait in shared memory until the window has
// passed over them, each word read by the lane that wrote it: after the bands no barrier.

enum {
    STRIP = 32,        // columns of a warp: two tiles of 16
    STEP = 16,         // rows that it does at once: two halves of 8
    ROWS = 128,        // and in all, as `each=` of the variant says
    MAX_PRODUCTS = 5,  // of 32 columns or rows, at radius 64
    MAX_COLUMNS = 11,  // words of a row that a lane then holds
    HELD = 1,          // products whose bands a lane holds: all of them, up to radius 8
    KEPT = 384         // words that a warp keeps of a step: 3 bytes for 32 x 16 sums
};

// The window of 16 columns begins so far left of them: a whole word.
__device__ int lead_of(int radius)
{
    return (radius + 3) / 4 * 4;
}

// Products that add up to one sum: 32 columns of the window each, or 32 rows.
__device__ int row_products(int radius)
{
    return (16 + lead_of(radius) + radius + 31) / 32;
}

__device__ int kept_steps(int radius)
{
    return 1 + (radius + 7) / 8;  // 16 rows and 2r more
}

__device__ int column_products(int radius)
{
    return (kept_steps(radius) + 1) / 2;
}

// Four of the band's numbers from weight `at` on, the last two `jump` further; of each its byte.
__device__ unsigned int band_word(const int *weights, int radius, int at, int jump, int byte)
{
    unsigned int word = 0;
    for (int i = 0; i < 4; i++) {
        const int index = at + i + (i < 2 ? 0 : jump);
        const unsigned int weight = index >= 0 && index <= 2 * radius ? weights[index] : 0;
        word |= (weight >> 8 * byte & 255) << 8 * i;
    }
    return word;
}

// All bands of the block, as mma_bytes wants its first matrix: 32 lanes of four words, first the
// weights' low bytes and then their high ones; for each product of the rows, then of the columns.
__device__ void fill_bands(unsigned int *bands, const int *weights, int radius)
{
    const int rows = row_products(radius), words = 256 * (rows + column_products(radius));
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < words; i += blockDim.x * blockDim.y) {
        const int product = i / 256, byte = i / 128 % 2, lane = i / 4 % 32;
        const int row = lane / 4 + i % 2 * 8, half = i / 2 % 2, member = lane % 4;
        const int column = row % 8 / 2 * 4 + row % 2 + row / 8 * 2;  // the row-th in the order of x
        bands[i] = product < rows
                       ? band_word(weights, radius,
                                   32 * product + 16 * half + 4 * member - lead_of(radius) -
                                       column + radius,
                                   0, byte)
                       : band_word(weights, radius,
                                   32 * (product - rows) + 16 * half + 2 * member - row, 6, byte);
    }
}

// Where a lane finds a column of words, and how it clamps their bytes to the picture.
struct word_column {
    int offset;
    unsigned int selector;
};

__device__ struct word_column find_column(plane in, int x)
{
    const int last = in.width - 1, offset = clamp(x, 0, last & ~3);
    unsigned int selector = 0;
    for (int i = 0; i < 4; i++) selector |= (clamp(x + i, 0, last) - offset) << 4 * i;
    const struct word_column column = {offset, selector};
    return column;
}

// The lane's words of 16 rows.
__device__ __forceinline__ void load_step(unsigned int pixels[2][MAX_COLUMNS], plane in,
                                          const struct word_column *columns, int count, int top)
{
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const unsigned char *row = in.pixels + clamp(top + 8 * half, 0, in.height - 1) * in.pitch;
#pragma unroll
        for (int i = 0; i < MAX_COLUMNS; i++)
            if (i < count)
                pixels[half][i] = __byte_perm(*(const unsigned int *)(row + columns[i].offset), 0,
                                              columns[i].selector);
    }
}

// Four sums of three bytes as three words: all lowest bytes, all middle ones, all highest. To be
// read back by the same lane, 32 words from word to word.
__device__ __forceinline__ void keep_sums(unsigned int *kept, unsigned int a, unsigned int b,
                                          unsigned int c, unsigned int d)
{
    const unsigned int ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
    kept[0] = __byte_perm(ab, cd, 0x5410);
    kept[32] = __byte_perm(ab, cd, 0x7632);
    kept[64] = __byte_perm(__byte_perm(a, b, 0x0062), __byte_perm(c, d, 0x0062), 0x5410);
}

// A band of the weights' low bytes and one of their high ones. A lane holds its own words of the
// first HELD products, reads those of the rest from shared memory.
struct band {
    uint4 low, high;
};

__device__ __forceinline__ struct band find_band(const struct band *held, const uint4 *bands, int i)
{
    if (i < HELD) return held[i];
    const struct band band = {bands[64 * i], bands[64 * i + 32]};
    return band;
}

__device__ __forceinline__ void hold_bands(struct band *held, const uint4 *bands, int products)
{
#pragma unroll
    for (int i = 0; i < HELD; i++)
        if (i < products) {
            held[i].low = bands[64 * i];
            held[i].high = bands[64 * i + 32];
        }
}

// Pass over the rows of a step: its two tiles of 16 columns, both halves of 8 rows.
__device__ __forceinline__ void sum_rows(unsigned int *kept, const struct band *held,
                                         const uint4 *bands, int products,
                                         unsigned int pixels[2][MAX_COLUMNS])
{
    uint4 low[4], high[4];
    low[0] = low[1] = low[2] = low[3] = make_uint4(0, 0, 0, 0);
    high[0] = high[1] = high[2] = high[3] = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < MAX_PRODUCTS; i++) {
        if (i >= products) break;
        const struct band band = find_band(held, bands, i);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const unsigned int *const words = pixels[k % 2] + k / 2 + 2 * i;
            low[k] = mma_bytes(band.low, words[0], words[1], low[k]);
            high[k] = mma_bytes(band.high, words[0], words[1], high[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k += 2, kept += KEPT / 2) {
        keep_sums(kept, low[k].x + 256 * high[k].x, low[k].y + 256 * high[k].y,
                  low[k + 1].x + 256 * high[k + 1].x, low[k + 1].y + 256 * high[k + 1].y);
        keep_sums(kept + KEPT / 4, low[k].z + 256 * high[k].z, low[k].w + 256 * high[k].w,
                  low[k + 1].z + 256 * high[k + 1].z, low[k + 1].w + 256 * high[k + 1].w);
    }
}

// What products give, by the weight of their bytes in the result: 1, 2^8, 2^16 and 2^24.
struct parts {
    uint4 a, b, c, d;
};

__device__ __forceinline__ uint4 join(struct parts p)
{
    return make_uint4(p.a.x + (p.b.x << 8) + (p.c.x << 16) + (p.d.x << 24),
                      p.a.y + (p.b.y << 8) + (p.c.y << 16) + (p.d.y << 24),
                      p.a.z + (p.b.z << 8) + (p.c.z << 16) + (p.d.z << 24),
                      p.a.w + (p.b.w << 8) + (p.c.w << 16) + (p.d.w << 24));
}

// Pass over the columns of the steps kept, of which the oldest lies at `slot`: 16 rows of a tile.
__device__ __forceinline__ void sum_columns(uint4 sums[2], const unsigned int *kept, int slot,
                                            int slots, const struct band *held, const uint4 *bands)
{
    struct parts parts[2];
    parts[0].b = parts[0].c = parts[0].d = make_uint4(0, 0, 0, 0);
    parts[0].a = make_uint4(HALF, HALF, HALF, HALF);
    parts[1] = parts[0];
#pragma unroll
    for (int i = 0; i < MAX_PRODUCTS; i++) {
        if (2 * i >= slots) break;
        const struct band band = find_band(held, bands, i);
        const unsigned int *first = kept + slot * KEPT;
        slot = slot + 1 < slots ? slot + 1 : 0;
        const unsigned int *second = kept + slot * KEPT;
        slot = slot + 1 < slots ? slot + 1 : 0;
#pragma unroll
        for (int k = 0; k < 2; k++, first += KEPT / 4, second += KEPT / 4) {
            struct parts *const p = &parts[k];
            p->a = mma_bytes(band.low, first[0], second[0], p->a);
            p->b = mma_bytes(band.low, first[32], second[32], p->b);
            p->c = mma_bytes(band.low, first[64], second[64], p->c);
            p->b = mma_bytes(band.high, first[0], second[0], p->b);
            p->c = mma_bytes(band.high, first[32], second[32], p->c);
            p->d = mma_bytes(band.high, first[64], second[64], p->d);
        }
    }
    sums[0] = join(parts[0]);
    sums[1] = join(parts[1]);
}

// The top bytes of four sums: pixels.
__device__ unsigned int top_bytes(unsigned int a, unsigned int b, unsigned int c, unsigned int d)
{
    return __byte_perm(__byte_perm(a, b, 0x0073), __byte_perm(c, d, 0x0073), 0x5410);
}

//! let fast_bytes = 1024*(3+radius/8)+48*bw*bh*(1+(radius+7)/8)

// Two ideas: both passes in one kernel, nothing between them but shared memory; and the products
// on the tensor cores: 256 of bytes a pixel at r = 8, of which one instruction does 4096. 2.7
// copies up to r = 8 on an H200, 12 at 64.
//! variant fast 128x1 each=1x128 multiple_of=32 shared=fast_bytes level=expert
//! compiled merges neighbouring loads from the tile
__global__ void gaussian_fast(plane out, plane in, const int *weights, int radius)
{
    fill_bands((unsigned int *)tile, weights, radius);
    __syncthreads();
    const int left = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * STRIP;
    const int top = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (left >= out.width || top >= out.height) return;

    const int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % 32;
    const int group = lane / 4, member = lane % 4;
    const int products = row_products(radius), slots = kept_steps(radius);
    const uint4 *const row_bands = (const uint4 *)tile + lane;
    const uint4 *const column_bands = row_bands + 64 * products;
    unsigned int *const kept = (unsigned int *)tile + 256 * (products + column_products(radius)) +
                               thread / 32 * slots * KEPT + lane;
    struct band held_rows[HELD], held_columns[HELD];
    hold_bands(held_rows, row_bands, products);
    hold_bands(held_columns, column_bands, column_products(radius));
    struct word_column columns[MAX_COLUMNS];
    unsigned int pixels[2][MAX_COLUMNS];
#pragma unroll
    for (int i = 0; i < MAX_COLUMNS; i++)
        columns[i] = find_column(in, left - lead_of(radius) + 16 * i + 4 * member);

    const int steps = (min(ROWS, out.height - top) + STEP - 1) / STEP + slots - 1;
    load_step(pixels, in, columns, 2 * products + 1, top - radius + group);
    for (int step = 0, slot = 0; step < steps; step++) {
        sum_rows(kept + slot * KEPT, held_rows, row_bands, products, pixels);
        const int next = top - radius + (step + 1) * STEP + group;  // meanwhile on its way
        load_step(pixels, in, columns, 2 * products + 1, next);
        slot = slot + 1 < slots ? slot + 1 : 0;  // of the oldest
        if (step < slots - 1) continue;

        const int y = top + (step - slots + 1) * STEP + group;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            uint4 sums[2];
            sum_columns(sums, kept + i * KEPT / 2, slot, slots, held_columns, column_bands);
            const int x = left + 16 * i + 4 * member;
            if (x >= out.width) continue;
            unsigned int *const to = (unsigned int *)(out.pixels + y * out.pitch + x);
            if (y < out.height) to[0] = top_bytes(sums[0].x, sums[0].y, sums[1].x, sums[1].y);
            if (y + 8 < out.height)
                to[2 * out.pitch] = top_bytes(sums[0].z, sums[0].w, sums[1].z, sums[1].w);
        }
    }
}

// What NVIDIA's library of image processing makes of the same weights, as floats, a call for each
// plane.
//! library npp nppiFilterGaussAdvancedBorder_8u_C1R_Ctx(radius) tolerance=1
