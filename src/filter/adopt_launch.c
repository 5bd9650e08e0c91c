// adopt_launch.c -- reads what a file's host code says where it launches a kernel, as in
// scan<<<1, 512>>>(out, in, 512). A dim3 is not read.
#include <glib.h>

#include "filter/adopt_notes.h"
#include "filter/directives.h"

// A number, such as 2.5f, or what an expression of whole numbers is; 0: neither.
static double read_number(const char *text, const GArray *constants)
{
    g_autofree char *own = g_strstrip(g_strdup(text));
    char *end;
    const double number = g_ascii_strtod(own, &end);
    const bool is_number = end > own && (!*end || !g_ascii_strcasecmp(end, "f"));
    return is_number ? CLAMP(number, -1000, 1 << 20) : adopt_evaluate(own, constants);
}

void adopt_read_launch(struct adopter *a, struct adopt_kernel *k, const char *source,
                       const GArray *constants)
{
    enum { MOST_THREADS = 1024 };
    g_autofree char *pattern =
        g_strdup_printf("\\b%s\\s*(?:<[^;<>]*>\\s*)?<\\s*<\\s*<([^;,]*),([^;,>]*)"
                        "(?:,[^;>]*)?>\\s*>\\s*>\\s*\\(([^;]*)\\)\\s*;",
                        k->signature.name);
    g_autofree char *code = c_tokens_blank_comments(source);
    g_auto(GStrv) parts = g_regex_split_simple(pattern, code, G_REGEX_RAW, 0);
    if (!parts || g_strv_length(parts) < 4) return;
    const char *argument = parts[3];
    for (int i = 0; i < k->signature.argument_count && *argument; i++) {
        struct adopt_argument *const one = &a->arguments[k->numbers[i]];
        const char *const end = directives_comma(argument);
        g_autofree char *value = g_strndup(argument, (gsize)(end - argument));
        if (!one->is_array && one->value == 0) one->value = read_number(value, constants);
        argument = *end ? end + 1 : end;
    }
    const int blocks = adopt_evaluate(parts[1], constants);
    k->launched_width = adopt_evaluate(parts[2], constants);
    if (k->launched_width > MOST_THREADS) k->launched_width = 0;
    k->launched = (int)MIN((long long)blocks * k->launched_width, 1 << 26);
}
