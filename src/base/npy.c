#include "base/npy.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

enum { PREFIX = 10, ALIGNMENT = 64 };
static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

// ---- reading ----

static bool refuse_text(struct error *err)
{
    return error_set(err, "its head is not one of NumPy's");
}

// Goes over a word and the blanks around it, if the text goes on with it.
static bool take(const char **at, const char *word)
{
    const char *const from = *at + strspn(*at, " \t\n");
    if (strncmp(from, word, strlen(word)) != 0) return false;
    *at = from + strlen(word);
    *at += strspn(*at, " \t\n");
    return true;
}

static bool read_type(struct npy *head, const char **at, struct error *err)
{
    const char quote[] = {**at, '\0'};
    if (quote[0] == '[') return error_set(err, "its elements are records");
    if (quote[0] != '\'' && quote[0] != '"') return refuse_text(err);
    const size_t length = strcspn(++*at, quote);
    if (!(*at)[length]) return refuse_text(err);
    if (length >= sizeof head->type ||
        strspn(*at, "<>|=abcdefghijklmnopqrstuvwxyzOSUVM?0123456789") < length)
        return error_set(err, "the type of its elements is not a number's");
    memcpy(head->type, *at, length);
    head->type[length] = '\0';
    *at += length + 1;
    return true;
}

static bool read_order(struct npy *head, const char **at, struct error *err)
{
    (void)head;
    if (take(at, "False")) return true;
    return take(at, "True") ? error_set(err, "its elements lie in Fortran's order, not C's")
                            : refuse_text(err);
}

// A comma follows each side, but the last of several may lack it.
static bool read_shape(struct npy *head, const char **at, struct error *err)
{
    bool has_comma = true;
    head->dimensions = 0;
    if (!take(at, "(")) return refuse_text(err);
    while (!take(at, ")")) {
        if (head->dimensions == NPY_MAX_DIMENSIONS)
            return error_set(err, "it has more than %d dimensions", NPY_MAX_DIMENSIONS);
        if (!has_comma || !g_ascii_isdigit(**at)) return refuse_text(err);
        char *end;
        errno = 0;
        head->shape[head->dimensions++] = g_ascii_strtoll(*at, &end, 10);
        *at = end;
        if (errno) return refuse_text(err);
        has_comma = take(at, ",");
    }
    return head->dimensions != 1 || has_comma || refuse_text(err);
}

static const struct {
    const char *key;
    bool (*read)(struct npy *head, const char **at, struct error *err);
} entries[] = {{"descr", read_type}, {"fortran_order", read_order}, {"shape", read_shape}};

// One key and its value; *found has a bit for each key.
static bool read_entry(struct npy *head, const char **at, unsigned int *found, struct error *err)
{
    for (size_t i = 0; i < G_N_ELEMENTS(entries); i++) {
        char quoted[2][32];
        g_snprintf(quoted[0], sizeof quoted[0], "'%s'", entries[i].key);
        g_snprintf(quoted[1], sizeof quoted[1], "\"%s\"", entries[i].key);
        if (!take(at, quoted[0]) && !take(at, quoted[1])) continue;
        if (*found & 1u << i || !take(at, ":")) return refuse_text(err);
        *found |= 1u << i;
        return entries[i].read(head, at, err);
    }
    return refuse_text(err);
}

static bool read_text(struct npy *head, const char *text, struct error *err)
{
    unsigned int found = 0;
    bool has_comma = true;
    if (!take(&text, "{")) return refuse_text(err);
    while (!take(&text, "}")) {
        if (!has_comma) return refuse_text(err);
        if (!read_entry(head, &text, &found, err)) return false;
        has_comma = take(&text, ",");
    }
    return (found == (1u << G_N_ELEMENTS(entries)) - 1 && !*text) || refuse_text(err);
}

bool npy_read(struct npy *head, FILE *stream, struct error *err)
{
    unsigned char prefix[PREFIX];
    struct npy found = {.dimensions = 0};
    const size_t bytes = fread(prefix, 1, sizeof prefix, stream);
    if (bytes < sizeof magic || memcmp(prefix, magic, sizeof magic) != 0)
        return error_set(err, "it is not a .npy file");
    if (bytes < PREFIX) return error_set(err, "it ends within its head");
    if (prefix[6] != 1 || prefix[7] != 0)
        return error_set(err, "it has version %d.%d of the format, not 1.0", prefix[6], prefix[7]);
    const size_t length = (size_t)prefix[8] | (size_t)prefix[9] << 8;
    g_autofree char *text = g_malloc0(length + 1);
    const bool is_good =
        fread(text, 1, length, stream) == length
            ? (strlen(text) == length || refuse_text(err)) && read_text(&found, text, err)
            : error_set(err, "it ends within its head");
    if (is_good) *head = found;
    return is_good;
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
