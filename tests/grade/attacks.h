// attacks.h -- what the submissions of test_attacks do, as pieces of a transpose that is right.
//
// SECRET stands for a path of a file that they must not read, MADE for a file that they must not
// make. To add one: a row. Rows of one kind must all end in the way that test_attacks says of it.
#ifndef ATTACKS_H
#define ATTACKS_H

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

// Texts above the kernel that do not get as far as a kernel that runs. What the compiler says, and
// what it makes, holds nothing of a file.
static const char *const compiled_above[] = {
    "#include \"SECRET\"",
    "#include <SECRET>",
    "#include_next \"SECRET\"",
    "#import \"SECRET\"",
    "#define NAME \"SECRET\"\n#include NAME",
    "int secret =\n#include \"SECRET\"\n;",
    "static const char secret[] = {\n#embed \"SECRET\"\n};",
    "#pragma GCC dependency \"SECRET\"\n#error no",
    "#pragma GCC pch_preprocess \"SECRET\"\n#error no",
    "#line 1 \"SECRET\"\n#error no",
    "# 1 \"SECRET\"\nint x = nothing;",
    "#include \"/proc/self/environ\"",
    "#include \"/proc/self/rootSECRET\"",
    "#include \"/proc/self/cwd/secret.txt\"",
    "#include \"kernel.h/../../SECRET\"",
    "#include \"/etc/passwd\"",
    "#include \"../given.txt\"",
    "#include \"/dev/stdin\"",
    "asm(\".section .data\\n.globl here\\nhere: .incbin \\\"SECRET\\\"\");",
    "__asm__(\".include \\\"SECRET\\\"\");",
    "asm(\".incbin \\\"/proc/self/environ\\\"\");",
    "asm(\".print \\\"no\\\"\\n.err\\n.include \\\"/etc/passwd\\\"\");",
    "__attribute((constructor(101))) static void f(void) { INSIDE_CALL }",
    "static void f(void) { INSIDE_CALL }\n"
    "__attribute__((section(\".init_array\"), used)) static void (*const g)(void) = f;",
    "void _init(void) { INSIDE_CALL }\nint open(const char *, int, ...);\n"
    "int (*volatile k)(const char *, int, ...) = open;",
};

// What takes too much of the compiler's time, memory or disk.
static const char *const bombs[] = {
    "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(A(A(x)))))))))\nint y = B(1);",
    "asm(\".rept 2000000000\\n.byte 1\\n.endr\");",
    "asm(\".fill 3000000000, 1, 1\");",
    "static const char big[3000000000] = {1}; const char *volatile k = big;",
    "#include \"mine.cu\"",
    "__constant__ char c[1 << 30] = {1};",
    "__attribute__((constructor)) static void f(void) { for (;;) ; }",
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
    CALL(4, "\"SECRET\"", "d.b", "0"),                         // stat
    CALL(89, "\"/proc/self/exe\"", "d.b", "99"),               // readlink
    CALL(41, "2", "1", "0"),                                   // socket
    CALL6(53, "1", "1", "0", "d.b", "0", "0"),                 // socketpair
    CALL(57, "0", "0", "0"),                                   // fork
    CALL(56, "0", "0", "0"),                                   // clone
    CALL(59, "\"/bin/sh\"", "0", "0"),                         // execve
    CALL(62, "PARENT", "0", "0"),                              // kill
    CALL(62, "-1", "0", "0"),                                  // kill, everybody
    CALL(101, "0", "0", "0"),                                  // ptrace
    CALL(310, "PARENT", "d.b", "0"),                           // process_vm_readv
    CALL(105, "65534", "0", "0"),                              // setuid
    CALL(160, "7", "d.b", "0"),                                // setrlimit
    CALL(302, "0", "0", "0"),                                  // prlimit64
    CALL6(9, "0", "4096", "7", "0x22", "-1", "0"),             // mmap, of code
    CALL(10, "(long)d.b & -4096", "4096", "7"),                // mprotect, of code
    CALL(157, "1", "9", "0"),                                  // prctl
    CALL(317, "2", "0", "d.b"),                                // seccomp
    CALL(319, "\"x\"", "0", "0"),                              // memfd_create
    CALL(32, "0", "0", "0"),                                   // dup
    CALL(110, "0", "0", "0"),                                  // getppid
};

// The same, but nobody tries them outside: they would set the clock and mount a file system, and
// some containers refuse the last one to everybody.
static const char *const untried_calls[] = {
    CALL(227, "0", "d.b", "0"),            // clock_settime
    CALL(165, "\"a\"", "\"b\"", "\"c\""),  // mount
    CALL(425, "1", "d.b", "0"),            // io_uring_setup
};

// Pieces above, and in place of the kernel's body (NULL: the right one), that may be compiled,
// loaded and run: they reach nothing, and a call that does never ends. The test's own input, and
// its descriptor 3, are a secret file.
static const struct {
    const char *above, *body;
} harmless[] = {
    {"\v#include \"/dev/stdin\"", NULL},
    {"\v#include \"/proc/self/fd/0\"", NULL},
    {"\v#include \"/proc/self/fd/3\"", NULL},
    {"#line 1 \"SECRET\"", NULL},
    {"# 1 \"SECRET\"", NULL},
    {"__attribute__((destructor)) static void f(void) { INSIDE_CALL }", NULL},
    {"static void f(void) { INSIDE_CALL }\n"
     "__attribute__((section(\".fini_array\"), used)) static void (*const g)(void) = f;",
     NULL},
    {"static int f(void) { return 1; }\nstatic void *g(void) { INSIDE_CALL return f; }\n"
     "static int h(void) __attribute__((ifunc(\"g\"), unused));",
     NULL},
    {"int open(const char *, int, ...);\nstatic int (*const f)(const char *, int, ...) = open;",
     NULL},
    {"int open(const char *, int, ...);",
     "int (*volatile f)(const char *, int, ...) = open; if (f(\"SECRET\", 0) >= 0) for (;;) ;"},
    {"int system(const char *);",
     "int (*volatile f)(const char *) = system; d.b[0] = f(\"cat SECRET > MADE\");"},
    {"void *dlopen(const char *, int);\nvoid *dlsym(void *, const char *);",
     "int (*f)(const char *) = dlsym(dlopen(0, 2), \"system\"); f(\"cat SECRET > MADE\");"},
};

// Kernels that do not do what they are asked to: pieces above, and in place of the kernel's body.
static const struct {
    const char *above, *body;
} cheats[] = {
    {"", "for (;;) ;"},
    {"", "for (volatile int i = 0;; i++) ;"},
    {"static float kept[4];", "kept[0] += d.a[0]; d.b[0] = kept[0];"},
    {"static int f(int i) { return i ? f(i - 1) + 1 : 0; }", "d.b[f(3)] = 1;"},
    {"double reference_b(const void *, const void *, long long);",
     "d.b[0] = reference_b(&d, &p, 0);"},
    {"int open(const char *, int, ...);", "d.b[0] = open(\"SECRET\", 0);"},
    {"int puts(const char *);", "puts(\"SECRET\");"},
    {"void exit(int);", "exit(0);"},
    {"void abort(void);", "abort();"},
    {"char *getenv(const char *);", "d.b[0] = *getenv(\"CANARY_NAME\");"},
    {"int printf(const char *, ...);", "printf(\"{}\");"},
    {"void *malloc(unsigned long);", "malloc(1ul << 40);"},
    {"int raise(int);", "raise(9);"},
    {"void longjmp(void *, int);", "longjmp(0, 1);"},
    {"", "*(volatile int *)0 = 1;"},
    {"", "*(volatile int *)&d = 1; d.b[0] = 1;"},
    {"", "volatile int zero = 0; d.b[0] = 1 / zero;"},
    {"", "for (long i = -(1l << 30); i < 1l << 30; i += 512) ((volatile float *)d.b)[i] = 1;"},
    {"", "volatile char big[1 << 22]; for (int i = 0; i < 1 << 22; i++) big[i] = 1;"},
    {"", "if (threadIdx.x) __syncthreads();"},
    {"", "blockIdx.x = 1;"},
    // an answer in the process's place, with what a terminal obeys
    {"long write(int, const void *, unsigned long);\n__attribute__((constructor)) static void "
     "f(void) "
     "{ write(1, \"\\3\\0\\0\\0\\0\\0\\0\\0\\5\\0\\0\\0\\0\\0\\0\\0a\\n\\033[2J\", 21); }",
     ""},
    {"", ""},
};

#endif
