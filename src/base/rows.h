// rows.h -- a table with declared columns that is filled cell by cell, and its writers: text for
// people, HTML, CSV (RFC 4180), fields between tabs for a spreadsheet, and JSON.
//
// bench, compare, the lens, hand-outs, the saved sweep and the clipboard write their tables with
// it; list, devices and grade print lists, not tables. An empty cell means no value. A row has as
// many cells as there are columns.
#pragma once

#include <cjson/cJSON.h>
#include <glib.h>
#include <stdbool.h>

struct rows {
    GPtrArray *cells;  // char *; the titles are the first row
    GString *kinds;    // of the columns
};

enum rows_kind {
    ROWS_WORDS,   // aligned left
    ROWS_NUMBER,  // aligned right, and a number in JSON
};

// First declare the columns, then add the cells row by row. A rows_end function writes the table
// and frees it.
struct rows rows_begin(void);
void rows_add_column(struct rows *r, enum rows_kind kind, const char *title);
void rows_add(struct rows *r, const char *text);
void rows_add_format(struct rows *r, const char *format, ...) G_GNUC_PRINTF(2, 3);
// Adds a text that fills the rest of the row's cells.
void rows_add_rest(struct rows *r, const char *text);

// These append the table to a text, without columns that are empty in all rows. HTML has only the
// rows; the row `shown` (-1: none) has the class "shown".
void rows_end_text(struct rows *r, GString *text);
void rows_append_html(GString *html, const char *text);  // escaped for text and for quotes
void rows_end_html(struct rows *r, GString *html, int shown);
// The caller frees what these return. JSON is an array with an object for each row, and null for
// an empty cell.
char *rows_end_csv(struct rows *r);
char *rows_end_tabs(struct rows *r);
cJSON *rows_end_json(struct rows *r);

// Adds members to an object: "name%s width%d scale%g gpu%i". Each name has the kind of its value
// behind it: a text, a whole number, a number, true or false.
void rows_add_members(cJSON *json, const char *members, ...) G_GNUC_PRINTF(2, 3);

// A new object behind those of an array.
cJSON *rows_add_object(cJSON *array);

// Reads such members into the places that follow: a buffer and its size_t for a text, which is made
// fit for a line of the screen; an int for a whole number, at least 0; a double; a bool. A member
// that is null or missing is read as empty, 0 or false. Returns what is wrong with one that is
// there, or NULL; then the places hold nothing.
const char *rows_read_members(const cJSON *json, const char *members, ...);

// Reads the finite numbers of a list that has so many. False: it is no such list.
bool rows_read_list(const cJSON *json, double *values, int count);

// True if all such members are there, and none is null.
bool rows_has_members(const cJSON *json, const char *members);

// Prints JSON with a line break at its end, and deletes it. The caller frees the text.
char *rows_print_json(cJSON *json);
