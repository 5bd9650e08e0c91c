#include "draw/code.h"

#include <string.h>

#include "base/c_tokens.h"

// On a dark and on a light panel.
static const struct paint_color colors[CODE_KINDS][2] = {
    [CODE_PLAIN] = {PAINT_RGB(0xf8fafc), PAINT_RGB(0x0a0e13)},
    [CODE_COMMENT] = {PAINT_RGB(0xa9bda4), PAINT_RGB(0x46604a)},
    [CODE_LAUNCH] = {PAINT_RGB(0xffc24a), PAINT_RGB(0x8a4a00)},
    [CODE_KEYWORD] = {PAINT_RGB(0xcbaeff), PAINT_RGB(0x6a2fb0)},
    [CODE_TYPE] = {PAINT_RGB(0x86ccff), PAINT_RGB(0x0a58a8)},
    [CODE_NUMBER] = {PAINT_RGB(0xffb17a), PAINT_RGB(0x9a3c00)},
    [CODE_DIRECTIVE] = {PAINT_RGB(0xf5a3cb), PAINT_RGB(0x9c1f6a)},
    [CODE_CUDA] = {PAINT_RGB(0x62dccb), PAINT_RGB(0x00666b)},
};

struct paint_color code_color(enum code_kind kind, bool is_light)
{
    return colors[kind][is_light];
}

// ---- words ----

// Words between blanks. One that ends with * stands for all that begin so.
static const char keywords[] =
    "if else for while do return break continue switch case default goto sizeof const static "
    "extern inline volatile struct enum template typename class using namespace constexpr auto "
    "operator true false union typedef asm __restrict__ __device__ __host__ __global__ "
    "__shared__ __constant__ __forceinline__";
static const char types[] =
    "void bool char short int long float double signed unsigned size_t uchar* uint* int2 int3 "
    "int4 float2 float3 float4 dim3";
static const char cuda_words[] =
    "threadIdx blockIdx blockDim gridDim warpSize atomic* tex2D __sync* __shfl* __ballot* __any* "
    "__all* __thread* __ld* __st* __pop* __ffs* __clz* __byte_perm __launch_bounds__";

static bool is_in(struct c_token word, const char *list)
{
    for (size_t length; *list; list += length + (list[length] == ' ')) {
        length = strcspn(list, " ");
        const bool is_start = list[length - 1] == '*';
        const size_t least = length - is_start;
        if ((is_start ? word.length >= least : word.length == least) &&
            !strncmp(word.start, list, least))
            return true;
    }
    return false;
}

static enum code_kind kind_of(struct c_token token)
{
    switch (token.kind) {
    case C_TOKEN_COMMENT:
        return token.length > 2 && token.start[2] == '!' ? CODE_LAUNCH : CODE_COMMENT;
    case C_TOKEN_WORD:
        return is_in(token, keywords)     ? CODE_KEYWORD
               : is_in(token, types)      ? CODE_TYPE
               : is_in(token, cuda_words) ? CODE_CUDA
                                          : CODE_PLAIN;
    case C_TOKEN_NUMBER:
    case C_TOKEN_STRING:
        return CODE_NUMBER;
    case C_TOKEN_DIRECTIVE:
        return CODE_DIRECTIVE;
    case C_TOKEN_MARK:
    case C_TOKEN_END:
        break;
    }
    return CODE_PLAIN;
}

void code_classify(const char *text, size_t length, unsigned char *kinds)
{
    struct c_tokens tokens = c_tokens_of(text);
    memset(kinds, CODE_PLAIN, length);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        const size_t at = (size_t)(token.start - text);
        if (at >= length) return;
        const size_t room = length - at;
        memset(kinds + at, kind_of(token), token.length < room ? token.length : room);
    }
}
