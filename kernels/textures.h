// textures.h -- texture and surface objects in kernels of labs, over an array of the file. The
// program includes it before a file that says cudaTextureObject_t or cudaSurfaceObject_t, and hands
// over the array of the argument's name: its last side is the width, and the first of three sides is
// the depth, or the number of layers. They read as those of a cudaTextureDesc of zeros do: the
// nearest element, in its own type, at places that are counted from 0; outside, the edge. If the
// file's host code says otherwise, as with cudaFilterModeLinear, normalizedCoords = 1 or
// cudaAddressModeWrap, that is so for all its textures: the program defines the words below. nvcc
// has CUDA's own.
#ifndef TEXTURES_H
#define TEXTURES_H

struct launch_texture {
    const void *at;
    long long row;  // bytes
    int height, depth;  // the height of all layers together
};
#define cudaTextureObject_t launch_texture
#define cudaSurfaceObject_t launch_texture

#define TEXTURES_INLINE static __device__ __forceinline__

// A place along a side of so many elements, counted from 0.
TEXTURES_INLINE float texture_place(float x, int side)
{
#ifdef TEXTURES_NORMALIZED
    const float turn = floorf(x);
    (void)turn;
#if defined TEXTURES_WRAP
    x -= turn;
#elif defined TEXTURES_MIRROR
    x = turn - 2 * floorf(turn / 2) == 0 ? x - turn : 1 - (x - turn);
#endif
    return x * (float)side;
#else
    (void)side;
    return x;
#endif
}

TEXTURES_INLINE int texture_index(float x, int side)
{
    const int i = (int)fminf(fmaxf(x, -1), (float)side);
#if defined TEXTURES_WRAP && defined TEXTURES_NORMALIZED
    return i < 0 ? side - 1 : i < side ? i : 0;
#elif defined TEXTURES_BORDER
    return i < side ? i : -1;  // it is 0 there
#else
    return i < 0 ? 0 : i < side ? i : side - 1;
#endif
}

template <class type>
TEXTURES_INLINE type texture_element(launch_texture t, float x, float y)
{
    const int width = (int)(t.row / (int)sizeof(type));
    const int column = texture_index(x, width), row = texture_index(y, t.height);
    return column < 0 || row < 0 ? type() : ((const type *)t.at)[(long long)row * width + column];
}

// sum + weight * value
template <class type> TEXTURES_INLINE type texture_sum(type, float, type value)
{
    static_assert(!sizeof(type), "only textures of floats are filtered: cudaFilterModePoint");
    return value;
}

TEXTURES_INLINE float texture_sum(float sum, float weight, float value)
{
    return sum + weight * value;
}

TEXTURES_INLINE float2 texture_sum(float2 sum, float weight, float2 v)
{
    return make_float2(sum.x + weight * v.x, sum.y + weight * v.y);
}

TEXTURES_INLINE float4 texture_sum(float4 sum, float weight, float4 v)
{
    return make_float4(sum.x + weight * v.x, sum.y + weight * v.y, sum.z + weight * v.z,
                       sum.w + weight * v.w);
}

template <class type> TEXTURES_INLINE type tex2D(launch_texture t, float x, float y)
{
    x = texture_place(x, (int)(t.row / (int)sizeof(type)));
    y = texture_place(y, t.height);
#ifdef TEXTURES_LINEAR
    // Elements lie at 0.5, 1.5 …; the weights are in steps of 1/256, as the texture unit's.
    const float left = floorf(x - 0.5f), top = floorf(y - 0.5f);
    const float a = rintf((x - 0.5f - left) * 256) / 256, b = rintf((y - 0.5f - top) * 256) / 256;
    type sum = texture_sum(type(), (1 - a) * (1 - b), texture_element<type>(t, left, top));
    sum = texture_sum(sum, a * (1 - b), texture_element<type>(t, left + 1, top));
    sum = texture_sum(sum, (1 - a) * b, texture_element<type>(t, left, top + 1));
    return texture_sum(sum, a * b, texture_element<type>(t, left + 1, top + 1));
#else
    return texture_element<type>(t, floorf(x), floorf(y));
#endif
}

// One of its layers; outside, the edge.
TEXTURES_INLINE launch_texture texture_layer(launch_texture t, int layer)
{
    t.height /= t.depth;
    layer = layer < 0 ? 0 : layer < t.depth ? layer : t.depth - 1;
    return {(const char *)t.at + t.row * t.height * layer, t.row, t.height, 1};
}

template <class type>
TEXTURES_INLINE type tex2DLayered(launch_texture t, float x, float y, int layer)
{
    return tex2D<type>(texture_layer(t, layer), x, y);
}

template <class type>
TEXTURES_INLINE type texture_slice(launch_texture t, float x, float y, float z)
{
    const int slice = texture_index(z, t.depth);
    return slice < 0 ? type() : tex2D<type>(texture_layer(t, slice), x, y);
}

template <class type> TEXTURES_INLINE type tex3D(launch_texture t, float x, float y, float z)
{
    z = texture_place(z, t.depth);
#ifdef TEXTURES_LINEAR
    const float front = floorf(z - 0.5f), c = rintf((z - 0.5f - front) * 256) / 256;
    const type sum = texture_sum(type(), 1 - c, texture_slice<type>(t, x, y, front));
    return texture_sum(sum, c, texture_slice<type>(t, x, y, front + 1));
#else
    return texture_slice<type>(t, x, y, floorf(z));
#endif
}

template <class type> TEXTURES_INLINE type tex1D(launch_texture t, float x)
{
    t.height = 1;
    return tex2D<type>(t, x, 0.5f);
}

// It is 0 outside, and never filtered.
template <class type> TEXTURES_INLINE type tex1Dfetch(launch_texture t, int i)
{
    return i >= 0 && i < t.row / (int)sizeof(type) * t.height ? ((const type *)t.at)[i] : type();
}

// ---- surfaces: x counts bytes ----

#ifndef __CUDACC__
enum { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
#endif

// Outside it is NULL or the edge, as the mode says, or an address that nothing has.
template <class type>
TEXTURES_INLINE type *surface_element(launch_texture t, int x, int y, int mode)
{
    const int width = (int)(t.row / (int)sizeof(type)), bytes = (int)sizeof(type);
    int column = x < 0 ? -1 : x / bytes;
    const bool is_inside = column >= 0 && column < width && y >= 0 && y < t.height;
    if (mode == cudaBoundaryModeZero && !is_inside) return NULL;
    if ((mode == cudaBoundaryModeTrap && !is_inside) || x % bytes) return (type *)(size_t)bytes;
    column = column < 0 ? 0 : column < width ? column : width - 1;
    y = y < 0 ? 0 : y < t.height ? y : t.height - 1;
    return (type *)t.at + ((long long)y * width + column);
}

template <class type>
TEXTURES_INLINE type surf2Dread(launch_texture t, int x, int y, int mode = cudaBoundaryModeTrap)
{
    const type *const from = surface_element<type>(t, x, y, mode);
    return from ? *from : type();
}

template <class type>
TEXTURES_INLINE void surf2Dread(type *to, launch_texture t, int x, int y,
                                int mode = cudaBoundaryModeTrap)
{
    *to = surf2Dread<type>(t, x, y, mode);
}

template <class type>
TEXTURES_INLINE void surf2Dwrite(type value, launch_texture t, int x, int y,
                                 int mode = cudaBoundaryModeTrap)
{
    type *const to = surface_element<type>(t, x, y, mode);
    if (to) *to = value;
}

template <class type>
TEXTURES_INLINE type surf1Dread(launch_texture t, int x, int mode = cudaBoundaryModeTrap)
{
    return surf2Dread<type>(t, x, 0, mode);
}

template <class type>
TEXTURES_INLINE void surf1Dwrite(type value, launch_texture t, int x,
                                 int mode = cudaBoundaryModeTrap)
{
    surf2Dwrite<type>(value, t, x, 0, mode);
}

#endif
