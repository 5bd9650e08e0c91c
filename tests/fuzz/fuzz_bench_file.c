// Benchmarks from files: what is read is compared with itself and with an empty one.
#include "fuzz.h"
#include "measure/bench_compare.h"

static void compare(const struct bench_file *a, const struct bench_file *b)
{
    OWNED(bench_compare_finish) struct bench_compare c;
    struct error err = {""};
    assert(bench_compare_init(&c, a, b, NULL, NULL));
    g_autofree char *text = bench_compare_report(&c, "a", "b");
    if (!bench_compare_check(&c, &err)) fuzz_check_refusal(&err);
    assert(g_utf8_validate(text, -1, NULL));
    assert(c.count <= a->count + b->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct bench_file none = {.count = 0};
    struct bench_file f;
    struct error err = {""};
    g_autofree char *text = fuzz_text(data, size);
    if (bench_file_parse(&f, "a.json", text, &err)) {
        compare(&f, &f);
        compare(&f, &none);
        compare(&none, &f);
        bench_file_finish(&f);
    } else {
        fuzz_check_refusal(&err);
    }
    return 0;
}
