// endless.h -- for tests of kernels and references that never end by themselves. Include cmocka.h
// before.
#pragma once

// A function for kernels that do not end, and for references that end late: it sleeps for a
// millisecond and leaves the processor to other tests. The call of the system stands in the
// kernel's own code, where it can be stopped, as it could not be in a library's.
#define ENDLESS_NAP                                                                               \
    "static __device__ void nap(void)\n{\n#ifdef __x86_64__\n    const long ms[2] = {0, "         \
    "1000000};\n    long "                                                                        \
    "r;\n"                                                                                        \
    "    __asm__ volatile(\"syscall\" : \"=a\"(r) : \"0\"(35l), \"D\"(ms), \"S\"(0l) : \"rcx\", " \
    "\"r11\", \"memory\");\n#else\n    for (volatile int i = 0; i < 1000000; i++) "               \
    "continue;\n#endif\n}\n"

// Skips the rest of a test where they cannot be ended: ThreadSanitizer keeps the signal for it
// until their thread calls something.
static inline void endless_skip(void)
{
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
    print_message("skipped: ThreadSanitizer lets nothing endless be ended\n");
    skip();
#endif
#endif
}
