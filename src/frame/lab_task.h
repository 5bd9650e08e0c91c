// lab_task.h -- the argument of the kernels that fill and paint a lab's arrays, which kernels/lab.h
// has under the same fields.
#ifndef LAB_TASK_H
#define LAB_TASK_H

struct lab_task {
    void *array;
    long long count;
    int type, fill;
    int low, high;
    unsigned int seed;
    int columns, step;
    unsigned char *pixels;
    int width, height, pitch;
};

#endif
