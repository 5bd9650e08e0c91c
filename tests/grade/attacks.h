// attacks.h -- what the submissions of test_attacks do, as pieces of a transpose that is right.
//
// SECRET stands for a path of a file that they must not read, MADE for a file that they must not
// make. To add one: a row. Rows of one kind must all fail in the way that test_attacks says of it.
#ifndef ATTACKS_H
#define ATTACKS_H

// A system call, without any function. A kernel that gets an answer never ends.
#define CALL(number, a, b, c)                                                      \
    "{ long r; asm volatile(\"syscall\" : \"=a\"(r) : \"0\"((long)(" #number "))," \
    " \"D\"((long)(" a ")), \"S\"((long)(" b ")), \"d\"((long)(" c "))"            \
    " : \"rcx\", \"r11\", \"memory\"); if (r >= 0) for (;;) ; }"

// Texts above the kernel that are refused before anything is compiled.
static const char *const refused_above[] = {
    // directives that not everybody sees
    "\v#include \"SECRET\"",
    "\f#include \"SECRET\"",
    " \v # include \"SECRET\"",
    "//\r#include \"SECRET\"",
    "// \r#define transpose_mine other",
    "/*\r*/\v#include \"SECRET\"",
    "\v#pragma GCC optimize(0)",
    "\v#define threadIdx other",
    "\x1b[2J",
    "\b\b\b",
    "\x7f",
    "\x01",
    "%:include \"SECRET\"",
    "\?\?=include \"SECRET\"",
    "#inc\\\nlude \"SECRET\"",
    "#\\\ninclude \"SECRET\"",
    "# /* */ include \"SECRET\"",
    "/* */ #include \"SECRET\"",
    "#/*\n*/include \"SECRET\"",
    "#include \\\n\"SECRET\"",
    "#in\\ \nclude \"SECRET\"",
    // files
    "#include \"SECRET\"",
    "#include <SECRET>",
    "#include <stdio.h>",
    "#include_next \"SECRET\"",
    "#import \"SECRET\"",
    "#define NAME \"SECRET\"\n#include NAME",
    "#include \"given.txt\"",
    "#include \"../given.txt\"",
    "#include \"/proc/self/environ\"",
    "#include \"/dev/stdin\"",
    "#include \"kernel.h/../../SECRET\"",
    "#embed \"SECRET\"",
    "#ident \"x\"",
    "#sccs \"x\"",
    "#line 1 \"SECRET\"",
    "# 1 \"SECRET\"",
    "#assert a(b)",
    "#warning x",
    "#if __has_include(\"SECRET\")\n#endif",
    "#if __has_embed(\"SECRET\")\n#endif",
    "#ifdef __has_include\n#endif",
    "#pragma GCC dependency \"SECRET\"",
    "#pragma GCC pch_preprocess \"SECRET\"",
    "#pragma comment(lib, \"SECRET\")",
    "#pragma comment(linker, \"-T SECRET\")",
    "#pragma push_macro(\"p\")",
    "#pragma once",
    "_Pragma(\"GCC poison p\")",
    "_Pragma(\"comment(lib, \\\"SECRET\\\")\")",
    // assembler
    "asm(\".incbin \\\"SECRET\\\"\");",
    "__asm__(\".incbin \\\"SECRET\\\"\");",
    "__asm(\".include \\\"SECRET\\\"\");",
    "#define P(a, b) a##b\nP(a, sm)(\"nop\");",
    "#define P(a, b) a%:%:b\nP(a, sm)(\"nop\");",
    "#define P(a, b) a#\\\n#b\nP(a, sm)(\"nop\");",
    "#define P(a, b) a\?\?=\?\?=b\nP(a, sm)(\"nop\");",
    "a\\\nsm(\"nop\");",
    "\\u0061sm(\"nop\");",
    "as\\\\\nm(\"nop\");",
    "__as\\\nm__(\"nop\");",
    "#define A asm\nA(\"nop\");",
    "R\"(\" )\"; asm(\"nop\"); //)\"",
    "const char *s = \"\nasm(\\\"nop\\\");",
    // functions that run by themselves, and other people's
    "__attribute__((constructor)) static void f(void) {}",
    "__attribute__((destructor)) static void f(void) {}",
    "__attribute((constructor(101))) static void f(void) {}",
    "__attribute__((section(\".init_array\"))) static void (*f)(void);",
    "__attribute__((ifunc(\"g\"))) int f(void);",
    "__attribute__((alias(\"g\"))) int f(void);",
    "[[gnu::constructor]] static void f(void) {}",
    "[[__gnu__::__constructor__]] void f(void);",
    "__attribute__((no_sanitize(\"thread\"))) static void f(void) {}",
    "__declspec(naked) void f(void);",
    "extern int errno;",
    "extern char **environ;",
    "static void *f(void) { return __builtin_return_address(0); }",
    "static int f(void) { return __sync_fetch_and_add((int *)0, 1); }",
    "static void f(void) { emulator_log = 0; }",
    "static void f(void) { EMULATOR_LOG(block); }",
    "static void f(void) { __tsan_init(); }",
    "static void f(void) { __sanitizer_cov_trace_pc(); }",
    "#undef KERNEL_THREAD\n#define __global__",
    "#define for while",
    "#define tile other",
    "#define section(x)",
    "#ifdef __CUDACC__\n#endif",
    "#ifdef __cplusplus\n#endif",
    "#ifdef __x86_64__\n#endif",
    "#ifdef linux\n#endif",
    "#ifdef __CUDA_ARCH__\n#endif",
};

// Texts above the kernel that go past the reader, to the compiler: what it says, and what it makes,
// holds nothing of a file; where it makes something, that is not loaded.
static const char *const compiled_above[] = {
    "\v#include \"SECRET\"",
    "\f#include \"SECRET\"",
    "\v#include <SECRET>",
    "\v#include_next \"SECRET\"",
    "//\n\v#import \"SECRET\"",
    "#define NAME \"SECRET\"\n\v#include NAME",
    "%:include \"SECRET\"",
    "int secret =\n\v#include \"SECRET\"\n;",
    "static const char secret[] = {\n\v#embed \"SECRET\"\n};",
    "#if __has_include(\"SECRET\")\n#error CANARY\n#endif\n#error no",
    "#pragma GCC dependency \"SECRET\"\n#error no",
    "#pragma GCC pch_preprocess \"SECRET\"\n#error no",
    "#line 1 \"SECRET\"\n#error no",
    "# 1 \"SECRET\"\nint x = nothing;",
    "\v#include \"/proc/self/environ\"",
    "\v#include \"/proc/self/cmdline\"",
    "\v#include \"/proc/1/environ\"",
    "\v#include \"/proc/self/rootSECRET\"",
    "\v#include \"/proc/self/cwd/secret.txt\"",
    "\v#include \"/etc/passwd\"",
    "\v#include \"/etc/hostname\"",
    "\v#include \"/root/.bashrc\"",
    "\v#include \"/usr/share/common-licenses/GPL-3\"",
    "asm(\".section .data\\n.globl here\\nhere: .incbin \\\"SECRET\\\"\");",
    "__asm__(\".include \\\"SECRET\\\"\");",
    "asm(\".incbin \\\"/proc/self/environ\\\"\");",
    "#define P(a, b) a##b\nP(a, sm)(\".incbin \\\"SECRET\\\"\");",
    "asm(\".section .linker,\\\"a\\\"\\n.ascii \\\"INPUT(SECRET)\\\"\"); int x = nothing;",
    "asm(\".file \\\"SECRET\\\"\\n.line 1\\n.error \\\"no\\\"\");",
    "asm(\".print \\\"no\\\"\\n.err\\n.include \\\"/etc/passwd\\\"\");",
    "__attribute__((constructor)) static void f(void) { INSIDE_CALL }",
    "__attribute__((destructor)) static void f(void) { INSIDE_CALL }",
    "static void f(void) { INSIDE_CALL }\n"
    "__attribute__((section(\".init_array\"), used)) static void (*const g)(void) = f;",
    "static void f(void) { INSIDE_CALL }\n"
    "__attribute__((section(\".fini_array\"), used)) static void (*const g)(void) = f;",
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
};

// Calls of the system from the kernel itself: they end its process, or are refused.
static const char *const calls[] = {
    CALL(2, "\"SECRET\"", "0", "0"),              // open
    CALL(257, "-100", "\"SECRET\"", "0"),         // openat
    CALL(257, "-100", "\"MADE\"", "0102"),        // openat, to make it
    CALL(85, "\"MADE\"", "0777", "0"),            // creat
    CALL(83, "\"MADE\"", "0777", "0"),            // mkdir
    CALL(87, "\"SECRET\"", "0", "0"),             // unlink
    CALL(82, "\"SECRET\"", "\"MADE\"", "0"),      // rename
    CALL(86, "\"SECRET\"", "\"MADE\"", "0"),      // link
    CALL(88, "\"SECRET\"", "\"MADE\"", "0"),      // symlink
    CALL(90, "\"SECRET\"", "0", "0"),             // chmod
    CALL(4, "\"SECRET\"", "d.b", "0"),            // stat
    CALL(89, "\"/proc/self/exe\"", "d.b", "99"),  // readlink
    CALL(41, "2", "1", "0"),                      // socket
    CALL(53, "1", "1", "0"),                      // socketpair
    CALL(57, "0", "0", "0"),                      // fork
    CALL(56, "0", "0", "0"),                      // clone
    CALL(59, "\"/bin/sh\"", "0", "0"),            // execve
    CALL(62, "1", "9", "0"),                      // kill
    CALL(62, "-1", "9", "0"),                     // kill, everybody
    CALL(101, "16", "1", "0"),                    // ptrace
    CALL(310, "1", "d.b", "1"),                   // process_vm_readv
    CALL(165, "\"a\"", "\"b\"", "\"c\""),         // mount
    CALL(105, "0", "0", "0"),                     // setuid
    CALL(227, "0", "d.b", "0"),                   // clock_settime
    CALL(160, "7", "d.b", "0"),                   // setrlimit
    CALL(302, "0", "0", "0"),                     // prlimit64
    CALL(9, "0", "4096", "7"),                    // mmap, of code
    CALL(10, "0", "4096", "7"),                   // mprotect, of code
    CALL(157, "1", "9", "0"),                     // prctl
    CALL(317, "0", "0", "0"),                     // seccomp
    CALL(425, "1", "d.b", "0"),                   // io_uring_setup
    CALL(319, "\"x\"", "0", "0"),                 // memfd_create
    CALL(32, "0", "0", "0"),                      // dup
    CALL(110, "0", "0", "0"),                     // getppid
};

// Kernels that do not do what they are asked to, but might get points for it: pieces above, and in
// place of the kernel's body.
static const struct {
    const char *above, *body;
} cheats[] = {
    {"", "for (;;) ;"},
    {"", "while (1) {}"},
    {"", "again: goto again;"},
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
    {"", ""},
};

#endif
