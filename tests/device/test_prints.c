// What kernels have printed, as lines: of formats that are right, wrong and hostile.
#include "unit.h"

#include <stdbool.h>

#include "device/prints.h"

static struct prints prints;  // too large for a stack

struct value {
    char type;
    union {
        long long whole;
        double real;
        const char *text;
    };
};
#define INT(n)     ((struct value){'i', {.whole = (n)}})
#define UINT(n)    ((struct value){'u', {.whole = (n)}})
#define LONG(n)    ((struct value){'I', {.whole = (n)}})
#define ULONG(n)   ((struct value){'U', {.whole = (n)}})
#define REAL(x)    ((struct value){'d', {.real = (x)}})
#define TEXT(t)    ((struct value){'s', {.text = (t)}})
#define POINTER(n) ((struct value){'p', {.whole = (n)}})

// As kernels/prints.h does it, from thread x of block 3.
static struct prints_record *print(unsigned x, const char *format, const struct value *values)
{
    struct prints_record *const r = &prints.records[prints.calls++];
    *r = (struct prints_record){.block = {3, 0, 1}, .thread = {x, 2, 0}};
    g_strlcpy(r->texts, format, PRINTS_FORMAT);
    r->length = (unsigned)strlen(r->texts) + 1;
    for (; values && values->type; values++) {
        r->types[r->count] = values->type;
        memcpy(&r->values[r->count], &values->whole, sizeof *r->values);
        if (values->type == 's') {
            r->values[r->count] = r->length;
            g_strlcpy(r->texts + r->length, values->text, PRINTS_TEXT - r->length);
            r->length += (unsigned)strlen(values->text) + 1;
        }
        r->count++;
    }
    return r;
}

static void assert_written(const char *wanted)
{
    g_autofree char *text = prints_write(&prints);
    if (wanted)
        assert_string_equal(text, wanted);
    else
        assert_null(text);
    prints.calls = 0;
}

#define PLACE "block (3, 0, 1) thread (7, 2, 0): "

static void assert_line(const char *format, const struct value *values, const char *wanted)
{
    g_autofree char *line = g_strconcat(PLACE, wanted, "\n", NULL);
    print(7, format, values);
    assert_written(line);
}

TEST(values_are_written_as_c_does)
{
    const struct {
        const char *format;
        struct value values[5];  // up to one without a type
        const char *wanted;
    } rows[] = {
        {"plain", {{0}}, "plain"},
        {"%d|%i|%u", {INT(-5), INT(5), UINT(4294967295)}, "-5|5|4294967295"},
        {"%x %X %#o", {INT(-1), UINT(255), INT(8)}, "ffffffff FF 010"},
        {"%lx %llu %zu",
         {LONG(-1), ULONG(-1), ULONG(3)},
         "ffffffffffffffff 18446744073709551615 3"},
        {"%d", {LONG(1LL << 40)}, "1099511627776"},
        {"%d %u", {UINT(4294967295), INT(-1)}, "-1 4294967295"},
        {"%hhd %hd %hhx", {INT(300), INT(65535), INT(-1)}, "44 -1 ff"},
        {"[%5d|%-5d|%05d]", {INT(42), INT(42), INT(42)}, "[   42|42   |00042]"},
        {"[%+d|% d|%.3d]", {INT(1), INT(1), INT(1)}, "[+1| 1|001]"},
        {"[%*d|%*d]", {INT(4), INT(1), INT(-4), INT(1)}, "[   1|1   ]"},
        {"[%.*f|%.*f]", {INT(1), REAL(2.25), INT(-1), REAL(2.25)}, "[2.2|2.250000]"},
        {"%f %e %g", {REAL(0.5), REAL(1500), REAL(1e-7)}, "0.500000 1.500000e+03 1e-07"},
        {"%8.3lf %a", {REAL(3.14159), REAL(1)}, "   3.142 0x1p+0"},
        {"%s, %5.2s|%-4s|", {TEXT("ab"), TEXT("cdef"), TEXT("gh")}, "ab,    cd|gh  |"},
        {"%c%c%3c", {INT('o'), INT('k'), INT('!')}, "ok  !"},
        {"a%cb%3cc", {INT(0), INT(256)}, "ab  c"},
        {"%p %12p", {POINTER(0xabc0), POINTER(16)}, "0xabc0         0x10"},
        {"100 %% of %d", {INT(3)}, "100 % of 3"},
        // What does not suit is shown with its type.
        {"%d %f", {REAL(2.5), INT(3)}, "[double 2.5] [int 3]"},
        {"%s %s", {INT(-1), POINTER(255)}, "[int -1] [pointer 0xff]"},
        {"%p %d", {TEXT("word"), TEXT("two")}, "[text word] [text two]"},
        {"%f %f %x", {LONG(-9), ULONG(9), POINTER(1)}, "[long -9] [unsigned long 9] [pointer 0x1]"},
        {"%n", {POINTER(4096)}, "[pointer 0x1000]"},
        {"%d and %d", {INT(1)}, "1 and [missing]"},
        {"%n%s%*d%.*f", {{0}}, "[missing][missing][missing][missing]"},
        {"%*d", {TEXT("wide"), INT(5)}, "5"},
        {"%y %k%", {INT(1)}, "%y %k%"},
        {"%", {INT(1)}, "%"},
        {"%-+ #0-+ #0-+ #0", {INT(1)}, "%-+ #0-+ #0-+ #0"},
        {"%5.3ll", {INT(1)}, "%5.3ll"},
        {"%1$d %m %S %C %'d", {INT(1)}, "%1$d %m %S %C %'d"},
        {"no values %s", {{'?'}}, "no values [pointer 0x0]"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_line(rows[i].format, rows[i].values, rows[i].wanted);
}

TEST(widths_are_bounded)
{
    static const char *const formats[] = {"%2000000000d", "%.2000000000d", "%99999999999999999999d",
                                          "%*d",          "%-*d",          "%.*d"};
    static const long long wides[] = {2000000000, -2000000000, G_MAXINT64, G_MININT64};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(wides); k++) {
            const bool has_star = strchr(formats[i], '*');
            print(7, formats[i], (struct value[]){LONG(wides[k]), INT(1), {0}});
            g_autofree char *text = prints_write(&prints);
            assert_true(strlen(text) <= strlen(PLACE) + 1 + 64 + 1);  // a sign
            assert_true(!has_star || strchr(text + strlen(PLACE), '1'));
            prints.calls = 0;
        }
}

TEST(texts_are_bounded_and_clean)
{
    g_autofree char *longer = g_strnfill(PRINTS_FORMAT + 5, 'x');
    g_autofree char *wanted = g_strndup(longer, PRINTS_FORMAT - 1);
    g_autofree char *cut = g_strconcat(wanted, "…", NULL);
    assert_line(longer, NULL, cut);
    assert_line("a\033[2Jb\r\xff%c", (struct value[]){INT(0), {0}}, "a�[2Jb��");
    // Nothing is behind its end.
    struct prints_record *const r = print(7, "%s%s", NULL);
    memset(r->texts + 5, 'y', PRINTS_TEXT - 5);
    r->count = 4000000000;
    r->types[0] = r->types[1] = 's';
    r->values[0] = PRINTS_TEXT - 4;
    r->values[1] = G_MAXUINT64;
    assert_written(PLACE "yyy\n");
    memset(&prints.records[0], 'z', sizeof prints.records[0]);
    prints.calls = 1;
    g_autofree char *text = prints_write(&prints);
    assert_true(g_str_has_prefix(text, "block (2054847098, ") && g_utf8_validate(text, -1, NULL));
    prints.calls = 0;
}

TEST(a_thread_goes_on_in_its_line)
{
    print(7, "1 ", NULL);
    print(8, "a ", NULL);
    print(7, "2\n3", NULL);
    print(8, "b\n", NULL);
    print(8, "c\n\n", NULL);
    print(7, "4", NULL);
    assert_written(PLACE "1 2\n" PLACE "34\n"
                         "block (3, 0, 1) thread (8, 2, 0): a b\n"
                         "block (3, 0, 1) thread (8, 2, 0): c\n"
                         "block (3, 0, 1) thread (8, 2, 0): \n");
    print(7, "", NULL);
    assert_written(NULL);
    assert_written(NULL);
}

TEST(lines_are_bounded)
{
    for (unsigned i = 0; i < PRINTS_RECORDS; i++) print(i, "x\n", NULL);
    prints.calls = 5000000000;
    g_autofree char *text = prints_write(&prints);
    assert_true(g_str_has_suffix(text, "thread (199, 2, 0): x\n"
                                       "… and 4999999800 more calls of printf\n"));
    g_free(text);
    prints.calls = 0;
    g_autofree char *ends = g_strnfill(150, '\n');
    for (int i = 0; i < 3; i++) print(7, ends, NULL);
    text = prints_write(&prints);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    assert_int_equal(g_strv_length(lines), 202);  // the last one is empty
    assert_string_equal(lines[200], "… and 1 more calls of printf");
    g_free(text);
    prints.calls = 0;
    for (int i = 0; i < PRINTS_RECORDS; i++) print(7, "%20d", (struct value[]){INT(i), {0}});
    text = prints_write(&prints);
    assert_int_equal(strlen(text), strlen(PLACE) + 1000 + 1);
    prints.calls = 0;
}
