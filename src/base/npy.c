#include "base/npy.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#include "base/text.h"

enum { PREFIX = 10, ALIGNMENT = 64 };
#define BLANKS " \t\n"
static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

// ---- reading ----

static bool refuse_text(struct error *err)
{
    return error_set(err, "its head is not one of NumPy's");
}

// A comma follows each side, but the last of several may lack it.
static bool read_shape(struct npy *head, const char *text, struct error *err)
{
    g_auto(GStrv) sides = g_strsplit(text, ",", -1);
    int count = (int)g_strv_length(sides);
    const bool ends_in_comma = count && !*g_strstrip(sides[count - 1]);
    count -= ends_in_comma;
    if (count == 1 && !ends_in_comma) return refuse_text(err);
    if (count > NPY_MAX_DIMENSIONS)
        return error_set(err, "it has more than %d dimensions", NPY_MAX_DIMENSIONS);
    for (int i = 0; i < count; i++) {
        gint64 side;
        if (!g_ascii_string_to_signed(g_strstrip(sides[i]), 10, 0, G_MAXINT64, &side, NULL))
            return refuse_text(err);
        head->shape[i] = side;
    }
    head->dimensions = count;
    return true;
}

// One key and its value; *found has a bit for each key.
static bool read_entry(struct npy *head, const char **text, unsigned int *found, struct error *err)
{
    g_auto(GStrv) parts = text_match(
        "(['\"])(descr|fortran_order|shape)\\1\\s*:\\s*(?:(\\[)|(['\"])((?:(?!\\4).)*)\\4"
        "|(True|False)|(\\()([\\d,\\s]*)\\))\\s*((?s).*)",
        *text);
    if (!parts) return refuse_text(err);
    const char key = *parts[1], *const type = parts[4], *const order = parts[5];
    const unsigned int bit = key == 'd' ? 1 : key == 'f' ? 2 : 4;
    *text += strlen(*text) - strlen(parts[8]);
    if (*found & bit || (bit == 2 && !*order) || (bit == 4 && !*parts[6])) return refuse_text(err);
    *found |= bit;
    if (bit == 2)
        return *order == 'F' || error_set(err, "its elements lie in Fortran's order, not C's");
    if (bit == 4) return read_shape(head, parts[7], err);
    if (*parts[2]) return error_set(err, "its elements are records");
    if (!*parts[3]) return refuse_text(err);
    if (strspn(type, "<>|=abcdefghijklmnopqrstuvwxyzOSUVM?0123456789") < strlen(type) ||
        g_strlcpy(head->type, type, sizeof head->type) >= sizeof head->type)
        return error_set(err, "the type of its elements is not a number's");
    return true;
}

bool npy_read(struct npy *head, FILE *stream, struct error *err)
{
    unsigned char prefix[PREFIX];
    struct npy found = {.dimensions = 0};
    unsigned int keys = 0;
    const size_t bytes = fread(prefix, 1, sizeof prefix, stream);
    if (bytes < sizeof magic || memcmp(prefix, magic, sizeof magic) != 0)
        return error_set(err, "it is not a .npy file");
    if (bytes < PREFIX) return error_set(err, "it ends within its head");
    if (prefix[6] != 1 || prefix[7] != 0)
        return error_set(err, "it has version %d.%d of the format, not 1.0", prefix[6], prefix[7]);
    const size_t length = (size_t)prefix[8] | (size_t)prefix[9] << 8;
    g_autofree char *text = g_malloc0(length + 1);
    if (fread(text, 1, length, stream) != length) return error_set(err, "it ends within its head");
    const char *at = text;
    for (char before = '{'; at[strspn(at, BLANKS)] == before; before = ',') {
        at += strspn(at, BLANKS) + 1;
        if (at[strspn(at, BLANKS)] == '}') break;
        if (!read_entry(&found, &at, &keys, err)) return false;
    }
    at += strspn(at, BLANKS);
    if (strlen(text) < length || keys != 7 || *at != '}' || at[1 + strspn(at + 1, BLANKS)])
        return refuse_text(err);
    *head = found;
    return true;
}

// ---- writing ----

void npy_write_shape(const struct npy *head, char *text)
{
    g_strlcpy(text, "(", NPY_SHAPE);
    for (int i = 0; i < head->dimensions; i++) {
        const size_t used = strlen(text);
        g_snprintf(text + used, NPY_SHAPE - used, "%s%lld", i ? ", " : "", head->shape[i]);
    }
    g_strlcat(text, head->dimensions == 1 ? ",)" : ")", NPY_SHAPE);
}

bool npy_write(const struct npy *head, FILE *stream, struct error *err)
{
    char shape[NPY_SHAPE];
    npy_write_shape(head, shape);
    g_autoptr(GString) text = g_string_new_len((const char *)magic, sizeof magic);
    g_string_append_len(text, "\1\0\0\0", PREFIX - sizeof magic);
    g_string_append_printf(text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                           head->type, shape);
    while ((text->len + 1) % ALIGNMENT) g_string_append_c(text, ' ');
    g_string_append_c(text, '\n');
    text->str[8] = (char)((text->len - PREFIX) & 255);
    text->str[9] = (char)((text->len - PREFIX) >> 8);
    return fwrite(text->str, 1, text->len, stream) == text->len ||
           error_set(err, "%s", g_strerror(errno));
}
