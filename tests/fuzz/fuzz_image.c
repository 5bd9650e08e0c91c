// Picture files: any answer but a crash, and a picture that was read is a legal one.
#include <unistd.h>

#include "base/image.h"
#include "fuzz.h"

static uint8_t touch(struct planes planes)
{
    uint8_t all = 0;
    for (int plane = 0; plane < planes.count; plane++)
        for (int y = 0; y < planes.height; y++)
            all |= planes_row(planes, plane, y)[0] | planes_row(planes, plane, y)[planes.width - 1];
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct image image = {0};
    struct error err = {""};
    const int file = fuzz_file(data, size, path, sizeof path);
    if (image_load(&image, path, size % 2, &err)) {
        assert(image.planes.width >= 1 && image.planes.width <= PLANES_MAX_SIDE);
        assert(image.planes.height >= 1 && image.planes.height <= PLANES_MAX_SIDE);
        volatile uint8_t all = touch(image.planes);
        (void)all;
        image_finish(&image);
    } else {
        fuzz_check_refusal(&err);
    }
    close(file);
    return 0;
}
