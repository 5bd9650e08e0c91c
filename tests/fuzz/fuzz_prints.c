// What kernels have printed: the bytes of records as a kernel may have left them.
#include "device/prints.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct prints prints;  // too large for a stack
    const size_t whole = MIN(size, sizeof prints.records);
    memset(&prints, 0, sizeof prints);
    memcpy(prints.records, data, whole);
    prints.calls = whole / sizeof *prints.records + 1;
    g_autofree char *text = prints_write(&prints);
    assert(!text || (g_utf8_validate(text, -1, NULL) && g_str_has_suffix(text, "\n")));
    return 0;
}
