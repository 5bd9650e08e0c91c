// fill.h -- kernels of the program's own over any array of a lab: one fills it, one paints it.
#ifndef FILL_H
#define FILL_H

// arrays.h in src/filter has the same numbers.
enum {
    LAB_BYTE,
    LAB_INT,
    LAB_UINT,
    LAB_FLOAT,
    LAB_CHAR,
    LAB_SHORT,
    LAB_USHORT,
    LAB_LONG,
    LAB_ULONG,
    LAB_HALF,
    LAB_DOUBLE,
    LAB_BFLOAT
};
enum { LAB_NOISE, LAB_LETTER, LAB_COUNTED, LAB_PERMUTATION };

struct lab_task {
    void *array;
    long long count;  // elements
    int type, fill;
    int low, high;          // of noise and the letter; of what is shown
    unsigned int seed;      // another one for each array
    int columns, step;      // elements a row of the array or its picture; a pixel across
    unsigned char *pixels;  // the picture's first plane
    int width, height, pitch;
    int fields, record_bytes;    // of an array of structs: its elements are the fields of each
    unsigned char types[16];     // of the fields; 128 more for one that is 0 or 1
    unsigned short offsets[16];  // of the fields, in bytes
};

// The same task with the element i, a struct's field, as the first of an array of its type.
static __device__ __forceinline__ struct lab_task lab_field(struct lab_task t, long long i)
{
    const int field = (int)(i % t.fields);
    t.array = (char *)t.array + i / t.fields * t.record_bytes + t.offsets[field];
    t.type = t.types[field] & 127;
    if (t.types[field] & 128) t.low = 0, t.high = 1;
    return t;
}

// Sixty-four bits that depend on every bit of x.
static __device__ __forceinline__ unsigned long long lab_hash(unsigned long long x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// Where i goes when 0 ... count - 1 are shuffled: four rounds, each of which mixes one half of the
// bits into the other, are undone by four others, so no two numbers meet. A result that is too
// large goes once more.
static __device__ __forceinline__ long long lab_shuffled(long long i, long long count)
{
    int half = 1;
    while (1ll << 2 * half < count) half++;
    const unsigned int mask = (1u << half) - 1;
    do {
        unsigned int left = (unsigned int)(i >> half), right = (unsigned int)i & mask;
        for (int round = 0; round < 4; round++) {
            const unsigned int mixed =
                left ^ ((unsigned int)lab_hash(right + 64ull * round) & mask);
            left = right;
            right = mixed;
        }
        i = (long long)left << half | right;
    } while (i >= count);
    return i;
}

// True inside of a letter F that fills the array, drawn on ten by ten squares. An F looks different
// when it is transposed, mirrored or rotated.
static __device__ __forceinline__ bool lab_is_in_letter(struct lab_task t, long long i)
{
    const int x = (int)(i % t.columns * 10 / t.columns);
    const int y = (int)(i / t.columns * 10 / (t.count / t.columns));
    if (x < 2 || x > 7 || y < 1 || y > 8) return false;
    return x <= 3 || y <= 2 || (x <= 6 && (y == 4 || y == 5));
}

// The letter has the upper third of the range, and what surrounds it the lower third. Both are
// noise, so that a kernel that reads a neighbour by mistake still gets another value.
static __device__ __forceinline__ long long lab_filling(struct lab_task t, long long i)
{
    if (t.fill == LAB_COUNTED) return i;
    if (t.fill == LAB_PERMUTATION) return lab_shuffled(i, t.count);
    const unsigned long long range = (unsigned long long)((long long)t.high - t.low) + 1;
    const unsigned long long span = t.fill == LAB_LETTER ? (range + 2) / 3 : range;
    const unsigned long long key = (unsigned long long)i + ((unsigned long long)t.seed << 40);
    const unsigned long long above = lab_hash(key + 1) % span;
    const bool is_bright = t.fill == LAB_LETTER && lab_is_in_letter(t, i);
    return t.low + (long long)(is_bright ? range - 1 - above : above);
}

// The 16 bits of a half: a sign, five bits of exponent, ten of mantissa. What has more is cut.
static __device__ __forceinline__ unsigned short lab_half(long long value)
{
    unsigned int magnitude = (unsigned int)min(value < 0 ? -value : value, 65504ll), exponent = 25;
    if (!magnitude) return 0;
    for (; magnitude >= 2048; exponent++) magnitude /= 2;
    for (; magnitude < 1024; exponent--) magnitude *= 2;
    return (unsigned short)((value < 0 ? 32768 : 0) | exponent << 10 | (magnitude - 1024));
}

static __device__ __forceinline__ void lab_store(struct lab_task t, long long i, long long value)
{
    if (t.type == LAB_BYTE) ((unsigned char *)t.array)[i] = (unsigned char)value;
    if (t.type == LAB_INT) ((int *)t.array)[i] = (int)value;
    if (t.type == LAB_UINT) ((unsigned int *)t.array)[i] = (unsigned int)value;
    if (t.type == LAB_FLOAT) ((float *)t.array)[i] = (float)value;
    if (t.type == LAB_CHAR) ((signed char *)t.array)[i] = (signed char)value;
    if (t.type == LAB_SHORT || t.type == LAB_USHORT) ((short *)t.array)[i] = (short)value;
    if (t.type == LAB_LONG || t.type == LAB_ULONG) ((long long *)t.array)[i] = value;
    if (t.type == LAB_HALF) ((unsigned short *)t.array)[i] = lab_half(value);
    if (t.type == LAB_DOUBLE) ((double *)t.array)[i] = (double)value;
    if (t.type == LAB_BFLOAT)  // what has more bits is cut
        ((unsigned short *)t.array)[i] = (unsigned short)(__float_as_uint((float)value) >> 16);
}

// Fills an array, one thread an element.
static __device__ __forceinline__ void lab_fill(struct lab_task t)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t.count) return;
    const bool is_plain = t.fields == 1;
    if (!is_plain) t = lab_field(t, i);
    lab_store(t, is_plain ? i : 0, lab_filling(t, i));
}

// A half's exponent is 112 smaller than a float's of the same value.
static __device__ __forceinline__ float lab_half_value(unsigned int bits)
{
    const float magnitude = __uint_as_float((bits & 32767) << 13) * 5.192296858534828e33f;
    return bits & 32768 ? -magnitude : magnitude;
}

static __device__ __forceinline__ float lab_value(struct lab_task t, long long i)
{
    if (t.type == LAB_BYTE) return ((const unsigned char *)t.array)[i];
    if (t.type == LAB_INT) return (float)((const int *)t.array)[i];
    if (t.type == LAB_UINT) return (float)((const unsigned int *)t.array)[i];
    if (t.type == LAB_CHAR) return ((const signed char *)t.array)[i];
    if (t.type == LAB_SHORT) return ((const short *)t.array)[i];
    if (t.type == LAB_USHORT) return ((const unsigned short *)t.array)[i];
    if (t.type == LAB_LONG) return (float)((const long long *)t.array)[i];
    if (t.type == LAB_ULONG) return (float)((const unsigned long long *)t.array)[i];
    if (t.type == LAB_HALF) return lab_half_value(((const unsigned short *)t.array)[i]);
    if (t.type == LAB_DOUBLE) return (float)((const double *)t.array)[i];
    if (t.type == LAB_BFLOAT) return __uint_as_float(((const unsigned short *)t.array)[i] << 16);
    return ((const float *)t.array)[i];
}

// Paints an array as a grey picture, one thread a pixel: low is black, high white. Where there are
// more elements than pixels, a pixel shows the first of its `step` elements across, of the first of
// as many rows.
static __device__ __forceinline__ void lab_paint(struct lab_task t)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= t.width || y >= t.height) return;
    const long long column = (long long)x * t.step, row = (long long)y * t.step;
    const long long i = row * t.columns + column;
    const bool is_plain = t.fields == 1;
    float grey = 0;
    if (column < t.columns && i < t.count) {
        if (!is_plain) t = lab_field(t, i);
        grey = (lab_value(t, is_plain ? i : 0) - (float)t.low) * 255.0f /
               fmaxf((float)t.high - (float)t.low, 1.0f);
    }
    t.pixels[(long long)y * t.pitch + x] = (unsigned char)fminf(fmaxf(rintf(grey), 0.0f), 255.0f);
}

#endif
