// directives.h -- reads the //! lines of a kernel file. kernels/README.md has their grammar.
//
// filter.c calls directives_read(); the rest is what directives*.c share.
#ifndef DIRECTIVES_H
#define DIRECTIVES_H

#include <glib.h>

#include "base/error.h"
#include "filter/filter.h"

// Fills name (from the path), title, key, params and variants of a zeroed filter; nothing of it is
// allocated. Headers lie beside the file, or else in the folder `headers` unless that is NULL. On
// failure err is "path:line: message" and f holds what was read before.
bool directives_read(struct filter *f, const char *path, const char *source, const char *headers,
                     struct error *err);

// ---- for directives*.c ----

// Where the parser stands: one line of one file.
struct reader {
    struct filter *f;
    const char *path, *headers;
    int line;
    struct pass *pending;  // a variant line that waits for its KERNEL
    int pending_line;
    int weights_line;
    char *let_places[FILTER_MAX_LETS];              // "path:line" of each let; owned
    enum { OUTSIDE, IN_PARAMS, IN_ARRAYS } fields;  // between the braces of a struct
    char comment[512];                              // the comment lines directly above
    char file_text[128];  // of the file line, until all its names are known
    int file_line;
    struct error *err;
};

// Sets the error, behind path and line. Always false.
bool directives_fail(struct reader *r, const char *format, ...) G_GNUC_PRINTF(2, 3);

bool directives_is_name(const char *text);
bool directives_ends_word(const char *text);  // at a blank, or the text's end

// The comma between two expressions, which is outside of parentheses, or the text's end.
const char *directives_comma(const char *text);

// A field of struct params: with its limits, whose text is behind //!, and without.
bool directives_read_param(struct reader *r, const char *field, const char *text);
bool directives_read_field(struct reader *r, const char *line);

// A field of struct arrays with what is behind its //!, and a line that may say REFERENCE.
bool directives_read_array(struct reader *r, const char *field, const char *text);
bool directives_read_reference(struct reader *r, const char *line);

// Read the text behind `//! file`, and find its names when all of them are known.
bool directives_read_file(struct reader *r, const char *text);
bool directives_resolve_file(struct reader *r);

// Read the text behind `//! before`, `//! variant` or `//! untimed`, and the KERNEL that follows.
bool directives_read_before(struct reader *r, const char *text);
bool directives_read_variant(struct reader *r, const char *text);
bool directives_read_untimed(struct reader *r, const char *text);
bool directives_read_kernel(struct reader *r, const char *line);
// Reads the text behind `//! compiled`, between a variant line and its KERNEL.
bool directives_read_compiled(struct reader *r, const char *text);

// Reads the text behind `//! library`.
bool directives_read_library(struct reader *r, const char *text);

// Reads the text behind `//! let`, which is compiled when all params are known.
bool directives_read_let(struct reader *r, const char *text);
bool directives_compile_lets(struct reader *r);

// Reads the lets and untimed kernels of a header in the file's folder or in that of headers.
bool directives_read_header(struct reader *r, const char *name);

#endif
