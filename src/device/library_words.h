// library_words.h -- what kernels use of the standard library of C++ and of CUDA's
// math_constants.h, for compilers that find no headers of these. CUDA has std:: as cuda::std::,
// too. device_text.h leaves std:: out where CUDA has a name without it.
#pragma once

#define STD_WORDS_REAL(type, prefix)                                                      \
    "template <> struct numeric_limits<" type ">\n{\n"                                    \
    "    static constexpr bool is_specialized = true, is_integer = false;\n"              \
    "    static constexpr bool is_signed = true, has_infinity = true;\n"                  \
    "    static __device__ constexpr " type " max() { return " prefix "_MAX; }\n"         \
    "    static __device__ constexpr " type " min() { return " prefix "_MIN; }\n"         \
    "    static __device__ constexpr " type " lowest() { return -" prefix "_MAX; }\n"     \
    "    static __device__ constexpr " type " epsilon() { return " prefix "_EPSILON; }\n" \
    "    static __device__ STD_CONSTANT " type " infinity() { return INFINITY; }\n"       \
    "    static __device__ STD_CONSTANT " type " quiet_NaN() { return NAN; }\n};\n"

static const char library_words[] =
    "#ifdef __CUDACC_RTC__\n#define STD_CONSTANT\n"  // its INFINITY is the result of a function
    "#else\n#define STD_CONSTANT constexpr\n#endif\n"
    "namespace std\n{\n"
    "template <typename T> struct numeric_limits\n{\n"  // of whole numbers
    "    static constexpr bool is_specialized = true, is_integer = true;\n"
    "    static constexpr bool is_signed = T(-1) < T(0);\n"
    "    static constexpr int digits = int(sizeof(T) * 8) - is_signed;\n"
    "    static __device__ constexpr T max()\n    {\n"
    "        return T((((T(1) << (digits - 1)) - 1) << 1) + 1);\n    }\n"
    "    static __device__ constexpr T min() { return is_signed ? T(-max() - 1) : T(0); }\n"
    "    static __device__ constexpr T lowest() { return min(); }\n};\n" STD_WORDS_REAL("float",
                                                                                        "FLT")
        STD_WORDS_REAL(
            "double",
            "DBL") "template <typename A, typename B> struct is_same { static constexpr bool value "
                   "= false; };\n"
                   "template <typename A> struct is_same<A, A> { static constexpr bool value = "
                   "true; };\n"
                   "template <typename A, typename B> constexpr bool is_same_v = is_same<A, "
                   "B>::value;\n"
                   "template <bool C, typename A, typename B> struct conditional { typedef A type; "
                   "};\n"
                   "template <typename A, typename B> struct conditional<false, A, B> { typedef B "
                   "type; };\n"
                   "template <bool C, typename A, typename B>\n"
                   "using conditional_t = typename conditional<C, A, B>::type;\n"
                   "template <bool C, typename A = void> struct enable_if { };\n"
                   "template <typename A> struct enable_if<true, A> { typedef A type; };\n"
                   "template <bool C, typename A = void> using enable_if_t = typename enable_if<C, "
                   "A>::type;\n"
                   "template <typename A> __device__ constexpr A min(A a, A b) { return b < a ? b "
                   ": a; }\n"
                   "template <typename A> __device__ constexpr A max(A a, A b) { return a < b ? b "
                   ": a; }\n"
                   "template <typename A> __device__ inline void swap(A &a, A &b)\n{\n"
                   "    const A c = a;\n    a = b;\n    b = c;\n}\n"
                   "}\n"
                   "namespace cuda { namespace std { using namespace ::std; } }\n"
                   "#define CUDART_INF_F INFINITY\n"
                   "#define CUDART_NAN_F NAN\n"
                   "#define CUDART_MAX_NORMAL_F FLT_MAX\n"
                   "#define CUDART_MIN_DENORM_F 1.401298464e-45f\n"
                   "#define CUDART_ZERO_F 0.0f\n"
                   "#define CUDART_ONE_F 1.0f\n"
                   "#define CUDART_PI_F 3.141592654f\n"
                   "#define CUDART_PIO2_F 1.570796327f\n"
                   "#define CUDART_2PI_F 6.283185307f\n"
                   "#define CUDART_L2E_F 1.442695041f\n"
                   "#define CUDART_LN2_F 0.693147181f\n"
                   "#define CUDART_SQRT_TWO_F 1.414213562f\n"
                   "#define CUDART_INF ((double)INFINITY)\n"
                   "#define CUDART_NAN ((double)NAN)\n"
                   "#define CUDART_PI 3.1415926535897931e+0\n";
