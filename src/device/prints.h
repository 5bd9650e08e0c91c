// prints.h -- what kernels have printed, as lines of text.
//
// kernels/prints.h has the same structs and writes a record for each call. A kernel may write
// anything there, so this module checks each conversion of a format and never passes a kernel's
// format to C.
#ifndef PRINTS_H
#define PRINTS_H

enum { PRINTS_RECORDS = 200, PRINTS_VALUES = 16, PRINTS_TEXT = 384, PRINTS_FORMAT = 256 };

struct prints_record {
    unsigned int block[3], thread[3];
    unsigned int count, length;
    unsigned long long values[PRINTS_VALUES];
    char types[PRINTS_VALUES];  // i I: int of 32, 64 bits; u U: unsigned; d: double; p: pointer;
    char texts[PRINTS_TEXT];    // s: a text; its value says where it begins in texts
};

struct prints {
    unsigned long long calls;  // calls for which no record was free left none
    struct prints_record records[PRINTS_RECORDS];
};

// Lines such as "block (3, 0, 0) thread (17, 0, 0): i = 5", valid UTF-8 without control characters,
// and a last line that counts the calls left out. A thread that did not end its line continues it.
// A value that does not suit its conversion stands in brackets, with its type. Ends with a newline;
// NULL: nothing was printed. g_free frees it.
char *prints_write(const struct prints *p);

#endif
