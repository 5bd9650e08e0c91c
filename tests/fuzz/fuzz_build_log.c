// Compilers' messages about a kernel: line and column, flags, a length, the source, the message.
#include "device/backend.h"
#include "device/build_log.h"
#include "fuzz.h"

enum { HEAD = 10 };

static void add(struct build_log *log, const uint8_t *head, const char *message, const char *source)
{
    int place[2];
    memcpy(place, head, sizeof place);
    if (head[8] & 1) place[0] &= 15;
    if (head[8] & 2) place[1] &= 63;
    for (int i = 0; i < 3; i++)
        build_log_add(log, head[8] & 4 ? "/k/mean.cu" : "kernel.h",
                      (int)((unsigned)place[0] + (unsigned)i), place[1], message,
                      head[8] & 8 ? source : NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {""};
    if (size < HEAD) return 0;
    const size_t length = data[9] % (size - HEAD + 1);
    g_autofree char *source = fuzz_text(data + HEAD, length);
    g_autofree char *message = fuzz_text(data + HEAD + length, size - HEAD - length);
    struct header header = {
        .path = (char *)"/k/kernel.h", .text = source, .is_users = data[8] & 16};
    const struct headers headers = {.list = &header, .count = 1};
    const struct build build = {.path = "/k/mean.cu", .source = source, .calls = "a("};
    struct build_log *log = build_log_create(&build, &headers);
    add(log, data, message, source);
    build_log_take(log, &err);
    build_log_free(log);
    return 0;
}
