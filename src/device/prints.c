#include "device/prints.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "base/terminal.h"

enum { WIDEST = 64, LONGEST = 1000, MOST_LINES = 200 };  // letters, bytes, lines

// ---- a format ----

struct reader {
    const struct prints_record *record;
    const char *at;  // in the format
    unsigned taken;  // values used so far
};

static bool take(struct reader *r, char *type, unsigned long long *value)
{
    if (r->taken >= MIN(r->record->count, PRINTS_VALUES)) return false;
    *type = r->record->types[r->taken];
    *value = r->record->values[r->taken++];
    return true;
}

// Reads digits, or a star that takes a value; 0: neither.
static int read_number(struct reader *r, bool *is_negative)
{
    unsigned long long value = 0;
    char type;
    *is_negative = false;
    if (*r->at == '*') {
        r->at++;
        if (!take(r, &type, &value) || !strchr("iuIU", type)) return 0;
        *is_negative = (long long)value < 0;
        return (int)MIN(*is_negative ? 0 - value : value, WIDEST);
    }
    for (; g_ascii_isdigit(*r->at); r->at++)
        value = MIN(10 * value + (unsigned long long)(*r->at - '0'), WIDEST);
    return (int)value;
}

struct conversion {
    char flags[8];
    int width, precision;  // precision -1: none
    int halves;            // number of h
    char letter;           // '\0': the format ends before it
};

// Reads what follows a % sign.
static struct conversion read_conversion(struct reader *r)
{
    struct conversion c = {.precision = -1};
    bool is_negative;
    for (r->at++; *r->at && strchr("-+ #0", *r->at); r->at++)
        if (!strchr(c.flags, *r->at)) strncat(c.flags, r->at, 1);
    c.width = read_number(r, &is_negative);
    if (is_negative && !strchr(c.flags, '-')) strcat(c.flags, "-");
    if (*r->at == '.') {
        r->at++;
        c.precision = read_number(r, &is_negative);
        if (is_negative) c.precision = -1;
    }
    for (; *r->at && strchr("hljztL", *r->at); r->at++) c.halves += *r->at == 'h';
    c.letter = *r->at;
    r->at += c.letter != '\0';
    return c;
}

// Writes a value that suits. The format for C is built only from letters known here.
static void add_value(GString *to, const struct reader *r, const struct conversion *c, char type,
                      unsigned long long value)
{
    const int unused = 64 - (c->halves > 1 ? 8 : c->halves ? 16 : strchr("iu", type) ? 32 : 64);
    const bool is_whole = strchr("diouxX", c->letter);
    const char letter[] = {c->letter == 'p' ? 's' : c->letter, '\0'};
    // A text ends with the record's texts at the latest.
    const char *const text = r->record->texts + MIN(value, PRINTS_TEXT - 1);
    char format[32], pointer[32];
    double number;
    memcpy(&number, &value, sizeof number);
    g_snprintf(format, sizeof format, "%%%s*%s%s", c->flags, c->letter == 'c' ? "" : ".*",
               is_whole ? "ll" : "");
    strcat(format, letter);
    g_snprintf(pointer, sizeof pointer, "0x%llx", value);
    if (strchr("di", c->letter))
        value = (unsigned long long)((long long)(value << unused) >> unused);
    else if (is_whole)
        value = value << unused >> unused;
    if (c->letter == 'c' && !(value & 0xff))  // it would end the text; a terminal shows nothing
        g_string_append_printf(to, "%*s", MAX(c->width - 1, 0), "");
    else if (c->letter == 'c')
        g_string_append_printf(to, format, c->width, (int)(value & 0xff));
    else if (*letter == 's')
        g_string_append_printf(to, format, c->width, c->precision,
                               c->letter == 'p' ? pointer : text);
    else if (is_whole)
        g_string_append_printf(to, format, c->width, c->precision, value);
    else
        g_string_append_printf(to, format, c->width, c->precision, number);
}

static void add_conversion(GString *to, struct reader *r)
{
    static const struct {
        char type, letter;
        const char *name;
    } own[] = {{'i', 'd', "int"},    {'u', 'u', "unsigned int"}, {'I', 'd', "long"},
               {'s', 's', "text"},   {'d', 'g', "double"},       {'U', 'u', "unsigned long"},
               {'p', 'p', "pointer"}};
    static const struct {
        const char *letters, *types;  // that suit
    } rows[] = {{"diouxXc", "iIuU"}, {"eEfFgGaA", "d"}, {"s", "s"}, {"p", "p"}, {"n", ""}};
    const char *const start = r->at, *types = NULL;  // NULL: it is no conversion
    struct conversion c = read_conversion(r);
    for (size_t i = 0; c.letter && i < G_N_ELEMENTS(rows); i++)
        if (strchr(rows[i].letters, c.letter)) types = rows[i].types;
    char type;
    unsigned long long value;
    if (c.letter == '%') {
        g_string_append_c(to, '%');
    } else if (!types) {
        g_string_append_len(to, start, r->at - start);
    } else if (!take(r, &type, &value)) {
        g_string_append(to, "[missing]");
    } else if (type && strchr(types, type)) {
        add_value(to, r, &c, type, value);
    } else {
        size_t i = 0;
        while (i + 1 < G_N_ELEMENTS(own) && own[i].type != type) i++;
        c = (struct conversion){.precision = -1, .letter = own[i].letter};
        g_string_append_printf(to, "[%s ", own[i].name);
        add_value(to, r, &c, type, value);
        g_string_append_c(to, ']');
    }
}

char *prints_write(const struct prints *p)
{
    const int count = (int)MIN(p->calls, PRINTS_RECORDS);
    g_autoptr(GString) all = g_string_new(NULL);
    char *said[PRINTS_RECORDS];  // NULL: it belongs to an earlier record's line
    int lines = 0, told = 0;
    for (int i = 0; i < count; i++) {
        struct prints_record copy = p->records[i];
        struct reader r = {.record = &copy, .at = copy.texts};
        GString *const to = g_string_new(NULL);
        copy.texts[PRINTS_TEXT - 1] = '\0';
        while (*r.at)
            if (*r.at == '%')
                add_conversion(to, &r);
            else
                g_string_append_c(to, *r.at++);
        if (r.at - copy.texts == PRINTS_FORMAT - 1) g_string_append(to, "…");
        said[i] = g_string_free(to, FALSE);
    }
    for (int i = 0; i < count; i++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (int k = i; said[i] && k < count && !g_str_has_suffix(text->str, "\n"); k++) {
            const struct prints_record *const one = &p->records[i], *const other = &p->records[k];
            if (!said[k] || memcmp(one->block, other->block, sizeof one->block) != 0 ||
                memcmp(one->thread, other->thread, sizeof one->thread) != 0)
                continue;
            g_string_append(text, said[k]);
            if (k > i) g_clear_pointer(&said[k], g_free);
            told += lines < MOST_LINES;
        }
        const unsigned *const b = p->records[i].block, *const t = p->records[i].thread;
        const char *at = text->str;
        for (size_t length; *at && lines < MOST_LINES; lines++) {
            length = strcspn(at, "\n");
            g_string_append_printf(all, "block (%u, %u, %u) thread (%u, %u, %u): %.*s\n", b[0],
                                   b[1], b[2], t[0], t[1], t[2], (int)MIN(length, LONGEST), at);
            at += length + (at[length] == '\n');
        }
        g_free(said[i]);
    }
    if (p->calls > (unsigned)told)
        g_string_append_printf(all, "… and %llu more calls of printf\n", p->calls - (unsigned)told);
    return all->len ? terminal_clean(all->str) : NULL;
}
