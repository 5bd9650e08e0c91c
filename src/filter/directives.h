// directives.h -- reads the //! lines of a kernel file. kernels/README.md has their grammar.
//
// filter.c calls directives_read(); the rest is what directives*.c share.
#pragma once

#include <glib.h>

#include "base/error.h"
#include "filter/filter.h"
#include "base/signature.h"

// A kernel file. Its headers lie beside it, or else in the folder `headers` unless that is NULL.
struct directives_text {
    const char *path, *source, *headers;
    const char *beside;  // the texts of the headers beside it (headers.h)
};

// Fills a zeroed filter with the file's name (from the path), its notes and, allocated, its calls.
// On failure err is "path:line: message" and f holds what was read before.
bool directives_read(struct filter *f, const struct directives_text *text, struct error *err);

// True if a text has notes.
bool directives_are_in(const char *source);

// ---- for directives*.c ----

// Where the parser stands: one line of one file.
struct reader {
    struct filter *f;
    const char *path, *headers;
    int line;
    const char *word, *form;  // of the note being read
    struct pass *pending;     // a variant line that waits for its kernel
    int pending_line;
    struct variant *variant;  // of the pending line, until its kernel has begun
    int weights_line, tolerance_line;
    char *let_places[FILTER_MAX_LETS];  // "path:line" of each let; owned
    char comment[512];                  // the comment lines directly above
    char **file;                        // the file line's parts, until all names are known; owned
    int file_line;
    const char *text;             // the whole file, and the headers beside it
    unsigned int arrays;          // that the last call takes, as bits
    GArray *functions;            // of the text that is being read: struct directives_function
    GString *calls;               // of the kernels and references that were found
    GString *defined;             // names of kernels that have a line above them, between blanks
    char callee[FILTER_ENTRY];    // the kernel that the line names; empty: the one below it
    char given[128];              // values that the line gives to arguments: "(a=b, n=4)"; or empty
    char reference[ARRAYS_NAME];  // of a reference line that waits for its function
    int reference_line;
    struct error *err;
};

// A function of a text with a body.
struct directives_function {
    struct signature signature;
    char scope[C_ITEM_SCOPE];
    int line;
    bool is_kernel, is_read;  // is_read false: its signature is incomplete
};

// Sets the error, with path and line in front. Always returns false.
bool directives_fail(struct reader *r, const char *format, ...) G_GNUC_PRINTF(2, 3);

bool directives_is_name(const char *text);        // of a variant or a value
bool directives_is_identifier(const char *text);  // C's, of a param, an array or a let
// True if the text behind //! is no note but Doxygen's comment, as in //! @param or //!< text.
bool directives_is_comment(const char *text);

// The comma between two expressions, which is outside of parentheses, or the text's end.
const char *directives_comma(const char *text);

// A group of text_match().
#define DIRECTIVES_NUMBER \
    "([-+]?(?i:0x[\\da-f]+|\\d+\\.?\\d*(?:e[-+]?\\d+)?|\\.\\d+(?:e[-+]?\\d+)?|nan|inf))"

// Sets the error to the form that the note must have. Always returns false.
bool directives_expect(struct reader *r);

// Reads a note from the text behind its word. A header may have only some kinds of notes.
bool directives_read_note(struct reader *r, const char *text, bool is_header);

// These take the parts of a note that match its pattern in directives.c's table.
bool directives_read_param(struct reader *r, char **parts);
bool directives_read_array(struct reader *r, char **parts);
bool directives_read_reference(struct reader *r, char **parts);
bool directives_read_file(struct reader *r, char **parts);
bool directives_read_let(struct reader *r, char **parts);
bool directives_read_before(struct reader *r, char **parts);
bool directives_read_variant(struct reader *r, char **parts);
bool directives_read_untimed(struct reader *r, char **parts);
bool directives_read_compiled(struct reader *r, char **parts);
bool directives_read_library(struct reader *r, char **parts);

// These resolve names of things that may stand below the note that names them.
bool directives_compile_lets(struct reader *r);
bool directives_resolve_file(struct reader *r);

// The enum array_type of any of C's names for an element, or for a vector of them; -1: it is no
// such name.
int directives_find_type(const char *name);

// Reads the fields of a text's struct, as C lays them out. False: there is no such struct, or it
// has others than numbers, and err says so.
bool directives_read_record(struct array_record *record, const char *text, const char *name,
                            struct error *err);

// The functions of a text; the caller frees the array.
GArray *directives_find_functions(const char *text);
// An argument of that name in any function; NULL: none has one.
const struct signature_argument *directives_find_argument(const struct reader *r, const char *name);
// Gives the pending line the kernel "name" or "name<arguments>".
bool directives_bind(struct reader *r, const char *callee);
// Gives the pending line the function that begins in the line being read.
bool directives_read_function(struct reader *r);
// The text through which the host calls kernels and references (kernels/launch.h); g_free frees it.
char *directives_write_calls(const struct reader *r);

// Reads the lets and untimed kernels of a header in the file's folder or in that of headers.
bool directives_read_header(struct reader *r, const char *name);
