// csv.h -- tables as comma-separated values (RFC 4180), a field at a time.
#ifndef CSV_H
#define CSV_H

#include <glib.h>

void csv_append(GString *csv, const char *field);  // quoted where it has to be
void csv_end_line(GString *csv);                   // after at least one field

#endif
