// rows.h -- a table with declared columns, filled a cell at a time, and its writers: text for
// people, HTML, CSV (RFC 4180), fields between tabs for a spreadsheet, and JSON.
//
// bench, compare, the lens, hand-outs, the saved sweep and the clipboard write their tables here;
// list, devices and grade print lists, which are none. An empty cell says that there is nothing. A
// row has as many cells as there are columns.
#pragma once

#include <cjson/cJSON.h>
#include <glib.h>

struct rows {
    GPtrArray *cells;  // char *; the titles are the first row
    GString *kinds;    // of the columns
};

enum rows_kind {
    ROWS_WORDS,   // to the left
    ROWS_NUMBER,  // to the right, and a number in JSON
};

// Declare the columns, add the cells row by row, and end the table, which frees it.
struct rows rows_begin(void);
void rows_add_column(struct rows *r, enum rows_kind kind, const char *title);
void rows_add(struct rows *r, const char *text);
void rows_add_format(struct rows *r, const char *format, ...) G_GNUC_PRINTF(2, 3);
// In place of all cells that are left of the row.
void rows_add_rest(struct rows *r, const char *text);

// Appends the table without the columns that are empty in all rows. HTML is the rows alone, of
// which the shown one (-1: none) has that class.
void rows_end_text(struct rows *r, GString *text);
void rows_append_html(GString *html, const char *text);  // as text, or in quotes
void rows_end_html(struct rows *r, GString *html, int shown);
// The caller frees what these return. JSON is an array with an object for each row, and null for
// an empty cell.
char *rows_end_csv(struct rows *r);
char *rows_end_tabs(struct rows *r);
cJSON *rows_end_json(struct rows *r);

cJSON *rows_pair_json(int x, int y);  // [x, y]
// Adds members to an object: "name%s width%d scale%g gpu%i". Behind each name stands the kind of
// its value: a text, a whole number, a number, or true or false.
void rows_add_members(cJSON *json, const char *members, ...) G_GNUC_PRINTF(2, 3);

// Prints JSON with a line break at its end, and deletes it. The caller frees the text.
char *rows_print_json(cJSON *json);
