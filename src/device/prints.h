// prints.h -- what kernels have printed, as lines of text.
//
// kernels/prints.h has the same structs, and puts one record a call into them. Kernels may write
// anything there: each conversion of a format is checked here, and none of them is C's to read.
#ifndef PRINTS_H
#define PRINTS_H

enum { PRINTS_RECORDS = 200, PRINTS_VALUES = 16, PRINTS_TEXT = 384, PRINTS_FORMAT = 256 };

struct prints_record {
    unsigned int block[3], thread[3];
    unsigned int count, length;
    unsigned long long values[PRINTS_VALUES];
    char types[PRINTS_VALUES];  // i I: int of 32, 64 bits; u U: unsigned; d: double; p: pointer;
    char texts[PRINTS_TEXT];    // s: text, whose value says where it begins among these
};

struct prints {
    unsigned long long calls;  // those behind the last record left none
    struct prints_record records[PRINTS_RECORDS];
};

// Lines such as "block (3, 0, 0) thread (17, 0, 0): i = 5", valid UTF-8 without control characters,
// and a last one that counts the calls that are left out. A thread that does not end its line goes
// on in it. A value that does not suit its conversion stands in brackets, with its type. Ends with
// a newline; NULL: nothing was printed. g_free frees it.
char *prints_write(const struct prints *p);

#endif
