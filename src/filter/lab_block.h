// lab_block.h -- the element of a lab's array under a pixel of its picture, and the block and
// thread that write it.
//
// A file says which elements a block covers by its block, `each`, `columns=` and `rows=` over the
// array's shape. Where a variant has a `domain=` of its own, threads are taken to write elements in
// the order in which they lie: in the array's rows, in its columns, or one behind the other. If the
// domain has another size for some params, only the file's author knows, and nothing is said of
// that; nor is it where a variant says order=own, or a trace shows another block's element.
//
// Pure: asks no device. screen/block_text.h puts it into words.
#ifndef LAB_BLOCK_H
#define LAB_BLOCK_H

#include <stdbool.h>

#include "base/error.h"
#include "filter/block_info.h"

struct lab_block {
    int array;  // that is shown
    long long index, row, column;
    bool has_block;          // whether it is known who writes the element
    int domain_x, domain_y;  // where it lies in the launch's domain, which the blocks share out
    long long block_column, block_row;
    struct block_info_thread thread;    // in that block
    struct launch_config config;        // of the last pass
    int covered_width, covered_height;  // pixels that a block covers in the picture; 0: not known
};

// How the picture shows the array: columns of a row, and elements a pixel across and down.
struct lab_block_view {
    int array, columns, step;
};

// facts: x and y are a pixel of the array's picture, or of a larger one; below 0 they are 0. False:
// no element is there, the launch is refused, or it is a library's.
bool lab_block_find(struct lab_block *b, const struct block_info_facts *facts,
                    struct lab_block_view view, struct error *err);
// The block has been traced: those of its threads that store the element. None: it is another
// block's, and nobody knows whose.
void lab_block_see(struct lab_block *b, const struct block_info_writer *writer);

#endif
