#include "base/error.h"

#include <glib.h>
#include <stdarg.h>
#include <stdio.h>

static void write_line(struct error *err, const char *format, va_list args)
{
    vsnprintf(err->text, sizeof err->text, format, args);
    g_strdelimit(err->text, "\n", '?');
}

bool error_set(struct error *err, const char *format, ...)
{
    if (!err) return false;
    va_list args;
    va_start(args, format);
    write_line(err, format, args);
    va_end(args);
    return false;
}

bool error_set_log(struct error *err, const char *log)
{
    if (err) g_strlcpy(err->text, log, sizeof err->text);
    return false;
}

bool error_prefix(struct error *err, const char *format, ...)
{
    if (!err) return false;
    struct error tail = *err;
    va_list args;
    va_start(args, format);
    write_line(err, format, args);
    va_end(args);
    g_strlcat(err->text, tail.text, sizeof err->text);
    return false;
}
