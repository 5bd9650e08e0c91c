// Text chunks of PNG files.
#include <unistd.h>

#include "base/image.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct image_texts texts = {0};
    struct error err = {""};
    const int file = fuzz_file(data, size, path, sizeof path);
    if (image_read_texts(&texts, path, &err)) {
        assert(texts.count <= IMAGE_MAX_TEXTS);
        for (int i = 0; i < texts.count; i++)
            assert(g_utf8_validate(texts.texts[i].text, -1, NULL));
        image_texts_finish(&texts);
    } else {
        fuzz_check_refusal(&err);
    }
    close(file);
    return 0;
}
