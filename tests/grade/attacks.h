// attacks.h -- what the submissions of test_attacks do, as pieces of a transpose that is right.
//
// SECRET stands for a path of a file that they must not read, MADE for a file that they must not
// make. To add one: a row. Rows of one kind must all end in the way that test_attacks says of it.
#pragma once

// A system call, without any function. A kernel that gets an answer never ends: ANSWERED stands for
// what it does then.
#define CALL6(number, a, b, c, e, f, g)                                                    \
    "{ const long v[6] = {(long)(" a "), (long)(" b "), (long)(" c "), (long)(" e "),"     \
    " (long)(" f "), (long)(" g ")};"                                                      \
    " long r; register long r10 asm(\"r10\") = v[3]; register long r8 asm(\"r8\") = v[4];" \
    " register long r9 asm(\"r9\") = v[5]; asm volatile(\"syscall\" : \"=a\"(r) :"         \
    " \"0\"((long)(" #number ")), \"D\"(v[0]), \"S\"(v[1]), \"d\"(v[2]), \"r\"(r10),"      \
    " \"r\"(r8), \"r\"(r9) : \"rcx\", \"r11\", \"memory\"); if (r >= 0) ANSWERED; }"
#define CALL(number, a, b, c) CALL6(number, a, b, c, "0", "0", "0")

// A function of C, for a kernel. What is not the device's is left out before a compiler sees it.
#define C_FUNCTION "extern \"C\" __device__ "

#define INCLUDE(what) "__device__ int secret =\n%:" what "\n;\n"

// Texts above the kernel that do not get as far as a kernel that runs. What the compiler says, and
// what it makes, holds nothing of a file. Our reader does not know the # of what includes files.
static const char *const compiled_above[] = {
    INCLUDE("include \"SECRET\""),
    INCLUDE("include <SECRET>"),
    INCLUDE("include_next \"SECRET\""),
    INCLUDE("import \"SECRET\""),
    "#define NAME \"SECRET\"\n#include NAME",
    "#define NAME \"SECRET\"\n" INCLUDE("include NAME"),
    "__device__ const char secret[] = {\n%:embed \"SECRET\"\n};",
    "#pragma GCC dependency \"SECRET\"\n#error no",
    "__device__ _Pragma(\"GCC dependency \\\"SECRET\\\"\") int one;\n#error no",
    "#pragma GCC pch_preprocess \"SECRET\"\n#error no",
    "#line 1 \"SECRET\"\n#error no",
    "# 1 \"SECRET\"\n__device__ int x = nothing;",
    INCLUDE("include \"/proc/self/environ\""),
    INCLUDE("include \"/proc/self/rootSECRET\""),
    INCLUDE("include \"/proc/self/cwd/secret.txt\""),
    INCLUDE("include \"kernel.h/../../SECRET\""),
    INCLUDE("include \"/etc/passwd\""),
    INCLUDE("include \"../given.txt\""),
    INCLUDE("include \"/dev/stdin\""),
    "asm(\".section .data\\n.globl here\\nhere: .incbin \\\"SECRET\\\"\");",
    "__device__ __attribute__((used)) void f() { __asm__(\".include \\\"SECRET\\\"\"); }",
    "struct s { __device__ s() { __asm(\".incbin \\\"SECRET\\\"\"); } };\n__device__ s one;",
    "asm(\".incbin \\\"/proc/self/environ\\\"\");",
    "asm(\".print \\\"no\\\"\\n.err\\n.include \\\"/etc/passwd\\\"\");",
    "__device__ __attribute((constructor(101))) static void f(void) { INSIDE_CALL }",
    "__device__ static void f(void) { INSIDE_CALL }\n"
    "__device__ __attribute__((section(\".init_array\"), used)) static void (*const g)(void) = f;",
    C_FUNCTION "void _init(void) { INSIDE_CALL }\n" C_FUNCTION "int open(const char *, int, ...);\n"
               "__device__ int (*volatile k)(const char *, int, ...) = open;",
    // what C++ runs before a kernel
    "struct s { __device__ s() { INSIDE_CALL } };\nstatic __device__ s one;",
    "struct s { __device__ s() { INSIDE_CALL } };\n"
    "__device__ __attribute__((init_priority(101))) s one;",
    "__device__ int f() { INSIDE_CALL return 1; }\n__device__ int k = f();",
    "__device__ int k = [] { INSIDE_CALL return 1; }();",
    "template <int N> struct s { static int k; __device__ static int f() { INSIDE_CALL return N; } "
    "};\ntemplate <int N> __device__ int s<N>::k = f();\n__device__ int *of() { return &s<1>::k; }",
};

// What takes too much of the compiler's time, memory or disk, one of each kind. DOUBLED stands for
// types t1 to t40, the name of each twice as long as that of the one before. ENDLESS_BOMB is the
// place of one that only the limit of time ends.
enum { ENDLESS_BOMB = 3 };
static const char *const bombs[] = {
    "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(A(A(x)))))))))\n"
    "__device__ int y = B(1);",
    "asm(\".rept 2000000000\\n.byte 1\\n.endr\");",
    "__device__ const char big[3000000000] = {1}; __device__ const char *volatile k = big;",
    INCLUDE("include __FILE__") INCLUDE("include __FILE__"),
    "__device__ __attribute__((constructor)) static void f(void) { for (;;) ; }",
    // templates that make one another, without an end, and twice as many each time
    "template <class T> struct f { enum { v = f<f<T>>::v }; };\n__device__ int k = f<int>::v;",
    "template <int N, int M> struct f { enum { v = f<N - 1, 2 * M>::v + f<N - 1, 2 * M + 1>::v }; "
    "};"
    "\ntemplate <int M> struct f<0, M> { enum { v = 1 }; };\n__device__ int k = f<30, 0>::v;",
    "DOUBLED __device__ t40 k = 1;",
    "__device__ constexpr int f() { for (int i = 0;; i++) ; }\n__device__ constexpr int k = f();",
};

// Calls of the system from the kernel itself: they end its process, or are refused. Outside of the
// sandbox each of them gets what it asks for, and harms nobody. PARENT stands for the process of
// the test.
static const char *const calls[] = {
    CALL(2, "\"SECRET\"", "0", "0"),                           // open
    CALL(257, "-100", "\"SECRET\"", "0"),                      // openat
    CALL6(257, "-100", "\"MADE\"", "0102", "0600", "0", "0"),  // openat, to make it
    CALL(85, "\"MADE\"", "0777", "0"),                         // creat
    CALL(83, "\"MADE\"", "0777", "0"),                         // mkdir
    CALL(87, "\"SECRET\"", "0", "0"),                          // unlink
    CALL(82, "\"SECRET\"", "\"SECRET.more\"", "0"),            // rename
    CALL(86, "\"SECRET\"", "\"SECRET.more\"", "0"),            // link
    CALL(88, "\"SECRET\"", "\"MADE\"", "0"),                   // symlink
    CALL(90, "\"SECRET\"", "0600", "0"),                       // chmod
    CALL(4, "\"SECRET\"", "b", "0"),                           // stat
    CALL(89, "\"/proc/self/exe\"", "b", "99"),                 // readlink
    CALL(41, "2", "1", "0"),                                   // socket
    CALL6(53, "1", "1", "0", "b", "0", "0"),                   // socketpair
    CALL(57, "0", "0", "0"),                                   // fork
    CALL(56, "0", "0", "0"),                                   // clone
    CALL(59, "\"/bin/sh\"", "0", "0"),                         // execve
    CALL(62, "PARENT", "0", "0"),                              // kill
    CALL(62, "-1", "0", "0"),                                  // kill, everybody
    CALL(101, "0", "0", "0"),                                  // ptrace
    CALL(310, "PARENT", "b", "0"),                             // process_vm_readv
    CALL(105, "65534", "0", "0"),                              // setuid
    CALL(160, "7", "b", "0"),                                  // setrlimit
    CALL(302, "0", "0", "0"),                                  // prlimit64
    CALL6(9, "0", "4096", "7", "0x22", "-1", "0"),             // mmap, of code
    CALL(10, "(long)b & -4096", "4096", "7"),                  // mprotect, of code
    CALL(157, "1", "9", "0"),                                  // prctl
    CALL(317, "2", "0", "b"),                                  // seccomp
    CALL(319, "\"x\"", "0", "0"),                              // memfd_create
    CALL(32, "0", "0", "0"),                                   // dup
    CALL(110, "0", "0", "0"),                                  // getppid
};

// The same, but nobody tries them outside: they would set the clock and mount a file system, and
// some containers refuse the last one to everybody.
static const char *const untried_calls[] = {
    CALL(227, "0", "b", "0"),              // clock_settime
    CALL(165, "\"a\"", "\"b\"", "\"c\""),  // mount
    CALL(425, "1", "b", "0"),              // io_uring_setup
};

// Pieces above, and in place of the kernel's body (NULL: the right one), that may be compiled,
// loaded and run: they reach nothing, and a call that does never ends. The test's own input, and
// its descriptor 3, are a secret file.
static const struct {
    const char *above, *body;
} harmless[] = {
    {"__device__ int secret =\n\v#include \"/dev/stdin\"\n;", NULL},
    {"__device__ int secret =\n\v#include \"/proc/self/fd/0\"\n;", NULL},
    {"__device__ int secret =\n\v#include \"/proc/self/fd/3\"\n;", NULL},
    {"#include \"SECRET\"", NULL},  // left out, as all headers but ours
    {"#line 1 \"SECRET\"", NULL},
    {"# 1 \"SECRET\"", NULL},
    {"__device__ __attribute__((destructor)) static void f(void) { INSIDE_CALL }", NULL},
    {"__device__ static void f(void) { INSIDE_CALL }\n__device__ __attribute__((section("
     "\".fini_array\"), used)) static void (*const g)(void) = f;",
     NULL},
    {"struct s { __device__ ~s() { INSIDE_CALL } };\nstatic __device__ s one;", NULL},
    {"extern \"C\" { static __device__ int f(void) { return 1; }\n"
     "static __device__ int (*g(void))(void) { INSIDE_CALL return f; }\n"
     "static __device__ int h(void) __attribute__((ifunc(\"g\"), used)); }",
     NULL},
    {C_FUNCTION "int open(const char *, int, ...);\n"
                "__device__ int (*const f)(const char *, int, ...) = open;",
     NULL},
    {C_FUNCTION "int open(const char *, int, ...);",
     "int (*volatile f)(const char *, int, ...) = open; if (f(\"SECRET\", 0) >= 0) for (;;) ;"},
    {C_FUNCTION "int system(const char *);",
     "int (*volatile f)(const char *) = system; b[0] = f(\"cat SECRET > MADE\");"},
    {C_FUNCTION "void *dlopen(const char *, int);\n" C_FUNCTION
                "void *dlsym(void *, const char *);",
     "auto f = (int (*)(const char *))dlsym(dlopen(0, 2), \"system\"); f(\"cat SECRET > MADE\");"},
    {"struct base { __device__ virtual void f() = 0; };\n"
     "struct s : base { __device__ void f() override { INSIDE_CALL } };\n" C_FUNCTION
     "void __cxa_pure_virtual() {}",
     "s one; base *volatile p = &one; p->f();"},
    {"template <class F> __device__ void run(F f) { f(); }", "run([&] { INSIDE_CALL });"},
    {"", "struct s { __device__ ~s() { INSIDE_CALL } } one;"},
    {"struct s { __device__ s() { INSIDE_CALL } };", "static s one; b[0] = sizeof one;"},
    {"struct s { __device__ s() { INSIDE_CALL } };\n__device__ thread_local s one;",
     "b[0] = *(volatile char *)&one;"},
    {"__device__ void *operator new(unsigned long) { INSIDE_CALL return nullptr; }",
     "b[0] = *new float;"},
    {"__device__ int *k = new int[1 << 20];", NULL},
    // our reader takes the function for a part of a comment
    {"__device__ const char *const hidden = R\"(\"; /*)\"; __device__ void f() { INSIDE_CALL } /* "
     "*/",
     "f();"},
    {"", "if (__builtin_fork() > 0) for (;;) ;"},
};

// Kernels that do not do what they are asked to: pieces above, and in place of the kernel's body.
static const struct {
    const char *above, *body;
} cheats[] = {
    {"", "for (;;) ;"},
    {"", "for (volatile int i = 0;; i++) ;"},
    {"static __device__ float kept[4];", "kept[0] += a[0]; b[0] = kept[0];"},
    {"static __device__ int f(int i) { return i ? f(i - 1) + 1 : 0; }", "b[f(3)] = 1;"},
    {"__device__ int g(int);\n__device__ int f(int i) { volatile char big[4096]; return g(i) + "
     "big[0]; }\n__device__ int g(int i) { return f(i + 1) + 1; }",
     "b[f(rows)] = 1;"},
    {C_FUNCTION "double reference_b(const void *, const void *, long long);",
     "const void *arrays[] = {a, b}; b[0] = reference_b(arrays, &rows, 0);"},
    {C_FUNCTION "int open(const char *, int, ...);", "b[0] = open(\"SECRET\", 0);"},
    {C_FUNCTION "int puts(const char *);", "puts(\"SECRET\");"},
    {C_FUNCTION "void exit(int);", "exit(0);"},
    {C_FUNCTION "void abort(void);", "abort();"},
    {"", "__builtin_abort();"},
    {"", "__builtin_trap();"},
    {"", "__builtin_unreachable();"},
    {C_FUNCTION "char *getenv(const char *);", "b[0] = *getenv(\"CANARY_NAME\");"},
    {C_FUNCTION "int printf(const char *, ...);", "printf(\"{}\");"},
    {C_FUNCTION "void *malloc(unsigned long);", "malloc(1ul << 40);"},
    {C_FUNCTION "int raise(int);", "raise(9);"},
    {C_FUNCTION "void longjmp(void *, int);", "longjmp(0, 1);"},
    {"", "void *at[5] = {}; __builtin_longjmp(at, 1);"},
    {"", "*(volatile int *)0 = 1;"},
    {"", "*(volatile long *)&b = 1; b[0] = 1;"},
    {"", "volatile int zero = 0; b[0] = 1 / zero;"},
    {"", "for (long i = -(1l << 30); i < 1l << 30; i += 512) ((volatile float *)b)[i] = 1;"},
    {"", "volatile char big[1 << 22]; for (int i = 0; i < 1 << 22; i++) big[i] = 1;"},
    {"", "if (threadIdx.x) __syncthreads();"},
    {"", "blockIdx.x = 1;"},
    {"", "throw 1;"},
    {"", "b[0] = *new float(1);"},
    {"struct s { __device__ virtual int f() { return 1; } };", "s *volatile p = nullptr; p->f();"},
    // an answer in the process's place, with what a terminal obeys
    {C_FUNCTION
     "long write(int, const void *, unsigned long);\n"
     "__device__ __attribute__((constructor)) static void f(void) "
     "{ write(1, \"\\3\\0\\0\\0\\0\\0\\0\\0\\5\\0\\0\\0\\0\\0\\0\\0a\\n\\033[2J\", 21); }",
     ""},
    {C_FUNCTION "long write(int, const void *, unsigned long);\n"
                "struct s { __device__ s() { write(1, \"\\3\\0\\0\\0\\0\\0\\0\\0\", 8); } };\n"
                "__device__ s one;",
     ""},
    {"", ""},
};
