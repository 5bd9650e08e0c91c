//! lab "Turned" key T
//! file .bin rows a -> rows columns b
#include "lab.h"

struct params {
    int rows;     //! 4096 cpu=512 [1, 32768] of a
    int columns;  //! 7 [1, 99]
};

//! let both = rows*columns
struct arrays {
    const unsigned char *a;  //! in [rows][columns] noise -rows, max(1, rows)
    const unsigned int *p;   //! in [both] permutation
    const float *k;          //! in [2][rows][columns] counted
    float *b;                //! out [columns][rows] shown 0, 255
    int *t;                  //! scratch [both]
};

REFERENCE(b)
{
    return d.a[i];
}

// One thread an element.
//! variant naive 32x8 prepare=turn finish=turn_back
KERNEL(naive)
//! variant square 32x8 domain=both, min(rows, 9) each=4x4 shared=4*bw
KERNEL(square)
//! untimed 32x8 domain=rows, columns
KERNEL(turn)
//! untimed 16x16
KERNEL(turn_back)
