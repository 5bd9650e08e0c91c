// Arithmetic in kernel files, over values up to the ends of what a name may hold.
#include "filter/expr.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct expr_scope scope = {
        .names = {"bw", "width", "radius", "big", "half", "low"}, .name_count = 6};
    static const double values[] = {32, 32768, 255, 9.2e18, 0.5, -4e18};
    struct expr expr;
    struct error err = {""};
    long long value = 17;
    if (size >= EXPR_TEXT) return 0;
    g_autofree char *text = fuzz_text(data, size);
    if (!expr_compile(&expr, text, &scope, &err) || !expr_eval(&expr, values, &value, &err)) {
        assert(err.text[0]);
        assert(value == 17);
    }
    return 0;
}
