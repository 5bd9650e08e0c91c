#include "base/terminal.h"

#include <stdarg.h>
#include <unistd.h>

#include "base/signals.h"

static const gunichar REPLACEMENT = 0xfffd;

char *terminal_clean(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    GString *clean = g_string_new(NULL);
    for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
        const gunichar c = g_utf8_get_char(at);
        const GUnicodeType type = g_unichar_type(c);
        const bool is_harmless =
            c == '\n' || c == '\t' ||
            (type != G_UNICODE_CONTROL && type != G_UNICODE_FORMAT &&
             type != G_UNICODE_LINE_SEPARATOR && type != G_UNICODE_PARAGRAPH_SEPARATOR);
        g_string_append_unichar(clean, is_harmless ? c : REPLACEMENT);
    }
    return g_string_free(clean, FALSE);
}

static void print(FILE *to, const char *format, va_list args)
{
    g_autofree char *text = g_strdup_vprintf(format, args), *clean = terminal_clean(text);
    fputs(clean, to);
}

void terminal_print(FILE *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(to, format, args);
    va_end(args);
}

// ---- progress ----

static void erase_line(FILE *to)
{
    fputs("\r\033[K", to);
}

void terminal_progress_begin(struct terminal_progress *p, FILE *to, bool is_quiet)
{
    static const gint64 TERMINAL_US = 100000, LOG_US = 10000000;
    const bool is_terminal = isatty(fileno(to)) == 1;
    *p = (struct terminal_progress){.to = to,
                                    .is_quiet = is_quiet,
                                    .is_terminal = is_terminal,
                                    .every_us = is_terminal ? TERMINAL_US : LOG_US,
                                    .shown_us = g_get_monotonic_time()};
}

bool terminal_progress_is_due(struct terminal_progress *p)
{
    return !p->is_quiet && g_get_monotonic_time() - p->shown_us >= p->every_us && !signals_came();
}

void terminal_progress_show(struct terminal_progress *p, const char *format, ...)
{
    va_list args;
    if (p->is_terminal) erase_line(p->to);
    va_start(args, format);
    print(p->to, format, args);
    va_end(args);
    if (!p->is_terminal) fputc('\n', p->to);
    fflush(p->to);
    p->has_line = p->is_terminal;
    p->shown_us = g_get_monotonic_time();
}

void terminal_progress_end(struct terminal_progress *p)
{
    if (p->has_line) erase_line(p->to);
    p->has_line = false;
}
