// directives.h -- reads the //! lines of a kernel file. kernels/README.md has their grammar.
//
// filter.c calls directives_read(); the rest is what directives*.c share.
#pragma once

#include <glib.h>

#include "base/error.h"
#include "filter/filter.h"
#include "base/signature.h"

// Fills name (from the path), title, key, params and variants of a zeroed filter; nothing of it is
// allocated. Headers lie beside the file, or else in the folder `headers` unless that is NULL. On
// failure err is "path:line: message" and f holds what was read before.
bool directives_read(struct filter *f, const char *path, const char *source, const char *headers,
                     struct error *err);

// True if a text has notes.
bool directives_are_in(const char *source);

// ---- for directives*.c ----

// Where the parser stands: one line of one file.
struct reader {
    struct filter *f;
    const char *path, *headers;
    int line;
    struct pass *pending;  // a variant line that waits for its kernel
    int pending_line;
    struct variant *variant;  // of the line, until its kernel has begun
    int weights_line, tolerance_line;
    char *let_places[FILTER_MAX_LETS];  // "path:line" of each let; owned
    char comment[512];                  // the comment lines directly above
    char file_text[128];                // of the file line, until all its names are known
    int file_line;
    GArray *functions;            // of the text that is being read: struct directives_function
    GString *calls;               // of the kernels and references that were found
    GString *defined;             // names of kernels that have a line above them, between blanks
    char callee[FILTER_ENTRY];    // that the line names; empty: the kernel below it
    char given[128];              // and what it gives to some arguments: "(a=b, n=4)"; or empty
    char reference[ARRAYS_NAME];  // of a reference line that waits for its function
    int reference_line;
    struct error *err;
};

// A function of a text with a body.
struct directives_function {
    struct signature signature;
    char scope[C_ITEM_SCOPE];
    int line;
    bool is_kernel, is_read;  // false: only what its signature begins with is known
};

// Sets the error, behind path and line. Always false.
bool directives_fail(struct reader *r, const char *format, ...) G_GNUC_PRINTF(2, 3);

bool directives_is_name(const char *text);        // of a variant or a value
bool directives_is_file_name(const char *text);   // without .cu
bool directives_is_identifier(const char *text);  // C's, of a param, an array or a let
bool directives_is_keyword(const char *text);     // C++ has it, so nothing can be called so
bool directives_ends_word(const char *text);      // at a blank, or the text's end
// What is behind //! is no note: Doxygen's comments begin so, too, as in //! @param or //!< text.
bool directives_is_comment(const char *text);

// The comma between two expressions, which is outside of parentheses, or the text's end.
const char *directives_comma(const char *text);

// Read the text behind `//! param`, `//! array` or `//! reference`.
bool directives_read_param(struct reader *r, const char *text);
bool directives_read_array(struct reader *r, const char *text);
bool directives_read_reference(struct reader *r, const char *text);

// The type of an element by any of C's names for it, such as that of a vector of them; -1: there is
// none of that name.
int directives_find_type(const char *name);

// Read the text behind `//! file`, and find its names when all of them are known.
bool directives_read_file(struct reader *r, const char *text);
bool directives_resolve_file(struct reader *r);

// Read the text behind `//! before`, `//! variant` or `//! untimed`.
bool directives_read_before(struct reader *r, const char *text);
bool directives_read_variant(struct reader *r, const char *text);
bool directives_read_untimed(struct reader *r, const char *text);

// The functions of a text; the caller frees the array.
GArray *directives_find_functions(const char *text);
// An argument of that name; NULL: no function has one.
const struct signature_argument *directives_find_argument(const struct reader *r, const char *name);
// Gives the pending line the kernel "name" or "name<arguments>".
bool directives_bind(struct reader *r, const char *callee);
// Gives a line that waits the function that begins in the line that was read.
bool directives_read_function(struct reader *r);
// The text through which the host calls kernels and references (kernels/launch.h); g_free frees it.
char *directives_write_calls(const struct reader *r);

// Reads the text behind `//! compiled`, between a variant line and its kernel.
bool directives_read_compiled(struct reader *r, const char *text);

// Reads the text behind `//! library`.
bool directives_read_library(struct reader *r, const char *text);

// Reads the text behind `//! let`, which is compiled when all params are known.
bool directives_read_let(struct reader *r, const char *text);
bool directives_compile_lets(struct reader *r);

// Reads the lets and untimed kernels of a header in the file's folder or in that of headers.
bool directives_read_header(struct reader *r, const char *name);
