// textures.h -- texture objects in kernels of labs, over an array of the file. The program includes
// it before a file that says cudaTextureObject_t, and hands over the array of the argument's name:
// its last side is the width. They read as those of a cudaTextureDesc of zeros do: the nearest
// element, in its own type, at places that are counted from 0; outside, the edge. nvcc has CUDA's
// own.
#ifndef TEXTURES_H
#define TEXTURES_H

struct launch_texture {
    const void *at;
    int width, height;
};
#define cudaTextureObject_t launch_texture

template <class type>
static __device__ __forceinline__ type tex2D(launch_texture t, float x, float y)
{
    const int column = (int)fminf(fmaxf(floorf(x), 0), (float)(t.width - 1));
    const int row = (int)fminf(fmaxf(floorf(y), 0), (float)(t.height - 1));
    return ((const type *)t.at)[(long long)row * t.width + column];
}

template <class type> static __device__ __forceinline__ type tex1D(launch_texture t, float x)
{
    return tex2D<type>(t, x, 0);
}

// It is 0 outside.
template <class type> static __device__ __forceinline__ type tex1Dfetch(launch_texture t, int i)
{
    return i >= 0 && i < (long long)t.width * t.height ? ((const type *)t.at)[i] : type();
}

#endif
