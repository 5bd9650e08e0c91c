// endless.h -- for tests of kernels and references that never end by themselves. Include cmocka.h
// before.
#ifndef ENDLESS_H
#define ENDLESS_H

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

#endif
