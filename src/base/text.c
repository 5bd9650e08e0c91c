#include "base/text.h"

#include <glib.h>
#include <stdarg.h>
#include <string.h>

static void end_whole(char *text)
{
    const char *end;
    g_utf8_validate(text, -1, &end);
    text[end - text] = '\0';
}

void text_copy(char *text, size_t size, const char *from)
{
    g_strlcpy(text, from, size);
    end_whole(text);
}

void text_copy_line(char *text, size_t size, const char *from)
{
    text_copy(text, size, from);
    text[strcspn(text, "\n")] = '\0';
}

void text_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    g_vsnprintf(text + used, (gulong)(size - used), format, args);
    va_end(args);
    end_whole(text + used);
}

void text_join(char *text, size_t size, const char *between, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *words = g_strdup_vprintf(format, args);
    va_end(args);
    if (*words) text_append(text, size, "%s%s", *text ? between : "", words);
}

int64_t text_reading_us(const char *text)
{
    enum { NOTICED_US = 1000000, LETTER_US = 70000, LEAST_US = 2500000 };
    return MAX(LEAST_US, NOTICED_US + (int64_t)LETTER_US * g_utf8_strlen(text, -1));
}

char **text_match(const char *pattern, const char *text)
{
    g_autofree char *whole = g_strdup_printf("\\s*(?:%s)$", pattern);
    g_autoptr(GRegex) regex = g_regex_new(
        whole,  // by default, a byte of UTF-8 may be an end of a line, too
        G_REGEX_RAW | G_REGEX_ANCHORED | G_REGEX_DOLLAR_ENDONLY | G_REGEX_NEWLINE_ANYCRLF, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    const int count = g_regex_get_capture_count(regex);
    if (!g_regex_match(regex, text, 0, &match)) return NULL;
    char **parts = g_new0(char *, count + 1);
    for (int i = 0; i < count; i++) {
        parts[i] = g_match_info_fetch(match, i + 1);
        if (!parts[i]) parts[i] = g_strdup("");
    }
    return parts;
}
