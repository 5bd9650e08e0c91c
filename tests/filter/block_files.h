// block_files.h -- the labs "Turn" and "Sum" for tests of blocks and of what is said about them.
// Their variants differ in who writes an element.
#ifndef BLOCK_FILES_H
#define BLOCK_FILES_H

static const char matrix[] = "//! lab \"Turn\"\n"
                             "struct params {\n"
                             "    int rows;     //! 100 [1, 65536] rows\n"
                             "    int columns;  //! 70 [1, 65536] columns\n"
                             "};\n"
                             "struct arrays {\n"
                             "    const float *a;  //! in [rows][columns] noise 0, 255\n"
                             "    float *b;        //! out [rows][columns] shown 0, 255\n"
                             "};\n"
                             "//! variant naive 32x8\nKERNEL(a)\n"
                             "//! variant each 8x4 each=4x2\nKERNEL(b)\n"
                             "//! variant wide 32x8 columns=64\nKERNEL(c)\n"
                             "//! variant own 256x1 domain=rows*columns + 1\nKERNEL(d)\n"
                             "//! variant linear 64x1 each=2x1 domain=rows*columns\nKERNEL(e)\n"
                             "//! variant turned 32x8 domain=rows, columns\nKERNEL(f)\n"
                             "//! variant straight 32x8 domain=columns, rows\nKERNEL(g)\n"
                             "//! variant once 256x1 domain=7000\nKERNEL(h)\n"
                             "//! variant shuffled 32x8 order=own\nKERNEL(i)\n";
static const char vector[] = "//! lab \"Sum\"\n"
                             "struct params {\n"
                             "    int n;  //! 10000 [1, 16777216] numbers\n"
                             "};\n"
                             "struct arrays {\n"
                             "    const int *x;  //! in [n] noise -9, 9\n"
                             "    int *s;        //! out [n] shown 0, 255\n"
                             "};\n"
                             "//! variant naive 256x1\nKERNEL(a)\n"
                             "//! variant each 64x1 each=4x1\nKERNEL(b)\n";

#endif
