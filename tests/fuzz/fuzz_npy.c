// Heads of .npy files: any answer but a crash, and a head that was read is written and read again.
#include <stdio.h>
#include <unistd.h>

#include "base/npy.h"
#include "fuzz.h"

static void write_and_read(const struct npy *head)
{
    struct npy again;
    struct error err = {""};
    FILE *file = tmpfile();
    assert(file && npy_write(head, file, &err));
    rewind(file);
    assert(npy_read(&again, file, &err));
    assert(!strcmp(again.type, head->type) && again.dimensions == head->dimensions);
    assert(!memcmp(again.shape, head->shape, sizeof again.shape));
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct npy head = {.dimensions = 0};
    struct error err = {""};
    const int file = fuzz_file(data, size, path, sizeof path);
    FILE *stream = fopen(path, "rb");
    assert(stream);
    if (npy_read(&head, stream, &err)) {
        assert(head.dimensions >= 0 && head.dimensions <= NPY_MAX_DIMENSIONS);
        for (int i = 0; i < head.dimensions; i++) assert(head.shape[i] >= 0);
        write_and_read(&head);
    } else {
        fuzz_check_refusal(&err);
    }
    fclose(stream);
    close(file);
    return 0;
}
