#include "base/terminal.h"

#include <glib.h>
#include <stdarg.h>
#include <stdbool.h>

static const gunichar REPLACEMENT = 0xfffd;

static bool is_harmless(gunichar c)
{
    const GUnicodeType type = g_unichar_type(c);
    if (c == '\n' || c == '\t') return true;
    return type != G_UNICODE_CONTROL && type != G_UNICODE_FORMAT &&
           type != G_UNICODE_LINE_SEPARATOR && type != G_UNICODE_PARAGRAPH_SEPARATOR;
}

char *terminal_clean(const char *text)
{
    char *valid = g_utf8_make_valid(text, -1);
    GString *clean = g_string_new(NULL);
    for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
        const gunichar c = g_utf8_get_char(at);
        g_string_append_unichar(clean, is_harmless(c) ? c : REPLACEMENT);
    }
    g_free(valid);
    return g_string_free(clean, FALSE);
}

void terminal_print(FILE *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = g_strdup_vprintf(format, args);
    va_end(args);
    char *clean = terminal_clean(text);
    fputs(clean, to);
    g_free(clean);
    g_free(text);
}

void terminal_erase_line(FILE *to)
{
    fputs("\r\033[K", to);
}
