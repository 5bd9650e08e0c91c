#include "base/csv.h"

#include <stdbool.h>
#include <string.h>

void csv_append(GString *csv, const char *field)
{
    const bool is_quoted = strpbrk(field, ",\"\r\n");
    if (is_quoted) g_string_append_c(csv, '"');
    for (; *field; field++) g_string_append_printf(csv, *field == '"' ? "\"\"" : "%c", *field);
    g_string_append(csv, is_quoted ? "\"," : ",");
}

void csv_end_line(GString *csv)
{
    csv->str[csv->len - 1] = '\n';  // the last comma
}
