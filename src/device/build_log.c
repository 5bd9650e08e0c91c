#include "device/build_log.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "device/backend.h"
#include "device/device_text.h"

enum { INDENT = 4, TAB = 4, ROOM = 64 };  // columns; bytes kept free for callers' prefixes

struct build_log {
    const struct build *build;
    const struct headers *headers;
    GString *text;
    char *hinted_path;  // the line that the last hint was given for
    int hinted_line;
    bool is_cut;
};

struct build_log *build_log_create(const struct build *build, const struct headers *headers)
{
    struct build_log *log = g_new0(struct build_log, 1);
    *log = (struct build_log){
        .build = build, .headers = headers, .text = g_string_new(NULL), .hinted_path = NULL};
    return log;
}

void build_log_free(struct build_log *log)
{
    if (!log) return;
    g_string_free(log->text, TRUE);
    g_free(log->hinted_path);
    g_free(log);
}

const char *build_log_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_users(const struct build_log *log, const char *path)
{
    bool is_one = !strcmp(path, log->build->path);
    for (int i = 0; i < log->headers->count; i++)
        is_one |= log->headers->list[i].is_users && !strcmp(path, log->headers->list[i].path);
    return is_one;
}

// The text of a file; NULL: it is none that was compiled.
static const char *text_of(const struct build_log *log, const char *path)
{
    const char *const name = build_log_name(path);
    const struct header *header = headers_find(log->headers, name, strlen(name));
    if (!strcmp(name, build_log_name(log->build->path))) return log->build->source;
    return header ? header->text : NULL;
}

// ---- the line ----

// Adds a line and its caret. INDENT blanks replace the line's indentation, so that large letters
// fit, and TAB blanks each tab.
static void add_line(GString *text, const char *source, int number, int column)
{
    while (source && --number > 0) {
        source = strchr(source, '\n');
        if (source) source++;
    }
    if (!source || !*source) return;  // there is no such line
    g_autofree char *raw = g_strndup(source, strcspn(source, "\r\n")),
                    *line = g_utf8_make_valid(raw, -1);
    const char *const start = line + strspn(line, " \t");
    const char *const at = line + MIN((size_t)(column > 0 ? column - 1 : 0), strlen(line));
    int caret = INDENT;
    g_string_append_printf(text, "\n%*s", INDENT, "");
    for (const char *c = start; *c; c = g_utf8_next_char(c)) {
        const gunichar letter = g_utf8_get_char(c);
        const int columns = g_unichar_iszerowidth(letter) ? 0 : g_unichar_iswide(letter) ? 2 : 1;
        if (c < at) caret += letter == '\t' ? TAB : columns;
        if (letter == '\t')
            g_string_append_printf(text, "%*s", TAB, "");
        else
            g_string_append_unichar(text, letter);
    }
    if (column > 0) g_string_append_printf(text, "\n%*s^", caret, "");
}

// ---- errors ----

// A compiler's words for a name that it does not know.
static const char unknown[] =
    "declared|is undefined|not a member|has no member|does not name a type"
    "|no (member|template|type) named|unknown type name"
    "|must be a class or namespace";

void build_log_add(struct build_log *log, const char *path, int line, int column,
                   const char *message, const char *more)
{
    // An error in the code behind the file follows from a mistake in the file, such as a template's
    // wrong argument. The user does not know its lines.
    const bool is_call = !strcmp(path, BUILD_LOG_CALLS);
    if (is_call && log->text->len) return;
    if (is_call) path = log->build->path, line = 0;
    if (line == log->hinted_line && !g_strcmp0(path, log->hinted_path)) return;
    g_autoptr(GString) text = g_string_new(build_log_name(path));
    if (line > 0) g_string_append_printf(text, ":%d", line);
    if (line > 0 && column > 0) g_string_append_printf(text, ":%d", column);
    g_autofree char *valid = g_utf8_make_valid(message, -1);
    const bool may_be_hosts = log->build->calls && is_users(log, path) && !log->is_cut &&
                              g_regex_match_simple(unknown, message, 0, 0);
    g_autofree char *hint = may_be_hosts ? device_text_hint(text_of(log, path), log->build->calls,
                                                            log->headers, line, column)
                                         : NULL;
    g_string_append_printf(text, ": %s%s%s", valid, hint ? "; " : "", hint ? hint : "");
    if (hint) {
        log->hinted_line = line;
        g_free(log->hinted_path);
        log->hinted_path = g_strdup(path);
    }
    if (more) g_string_append_printf(text, "\n%s", more);
    if (line > 0) add_line(text, text_of(log, path), line, column);

    const gsize limit = sizeof((struct error *)0)->text - ROOM;
    if (log->text->len + text->len > limit) log->is_cut = log->text->len > 0;
    if (!log->is_cut && !strstr(log->text->str, text->str))
        g_string_append_printf(log->text, "%s%s", log->text->len ? "\n" : "", text->str);
}

bool build_log_take(const struct build_log *log, struct error *err)
{
    if (!log->text->len) return false;
    g_autofree char *text = g_strconcat(log->text->str, log->is_cut ? "\n... and more" : "", NULL);
    error_set_log(err, text);
    return true;
}

// ---- a compiler's output ----

struct place {
    char *path;  // NULL: there is none
    int line, column;
};

// The message being read.
struct reader {
    struct build_log *log;
    bool is_kept;             // it is an error
    bool is_in_note;          // a note of that error is being read
    struct place own;         // where the message is
    struct place user, next;  // where the user's text needs its template; next: the next one's
    char *text;
    GString *more;  // its further lines
    gsize last;     // where the last further line begins
};

static struct place place_in(const GMatchInfo *match)
{
    g_autofree char *line = g_match_info_fetch_named(match, "line"),
                    *column = g_match_info_fetch_named(match, "column");
    return (struct place){g_match_info_fetch_named(match, "path"), line ? atoi(line) : 0,
                          column ? atoi(column) : 0};
}

static bool has(const GMatchInfo *match, const char *group)
{
    g_autofree char *text = g_match_info_fetch_named(match, group);
    return text && *text;
}

static void end_message(struct reader *r)
{
    const bool is_own = !r->user.path || !r->own.path || is_users(r->log, r->own.path);
    const struct place at = is_own ? r->own : r->user;
    if (r->is_kept)
        build_log_add(r->log, at.path, at.line, at.column, r->text,
                      is_own && r->more->len ? r->more->str + 1 : NULL);
    g_free(r->own.path);
    g_free(r->user.path);
    g_free(r->text);
    g_string_truncate(r->more, 0);
    *r = (struct reader){.log = r->log, .user = r->next, .more = r->more};
}

static void begin_message(struct reader *r, const GMatchInfo *match)
{
    const struct build *const build = r->log->build;
    const bool is_at_end = has(match, "end");
    r->is_in_note = r->is_kept && has(match, "note");
    if (r->is_in_note) return;
    end_message(r);
    g_autofree char *text = g_match_info_fetch_named(match, "text");
    r->is_kept = has(match, "error");
    r->text = g_strconcat(text, is_at_end ? " at the end of the file" : "", NULL);
    r->own = place_in(match);
    if (!*r->own.path) {  // it has no place, or the file's end
        g_free(r->own.path);
        r->own = (struct place){g_strdup(build->path), is_at_end, 0};
        for (const char *c = build->source; is_at_end && *c; c++) r->own.line += *c == '\n' && c[1];
    }
}

bool build_log_tell(const struct build *build, const struct headers *headers,
                    const struct build_log_form *form, const char *said, struct error *err)
{
    struct build_log *log = build_log_create(build, headers);
    struct reader r = {.log = log, .more = g_string_new(NULL)};
    g_autoptr(GRegex) first = g_regex_new(form->first, 0, 0, NULL),
                      user = g_regex_new(form->user, 0, 0, NULL),
                      noise = form->noise ? g_regex_new(form->noise, 0, 0, NULL) : NULL;
    g_autofree char *valid = g_utf8_make_valid(said, -1);
    g_auto(GStrv) lines = g_strsplit(valid, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_autoptr(GMatchInfo) message = NULL, needs = NULL;
        if (noise && g_regex_match(noise, *line, 0, NULL)) continue;
        if (g_regex_match(first, *line, 0, &message)) {
            begin_message(&r, message);
            continue;
        }
        const bool is_needed = g_regex_match(user, *line, 0, &needs);
        struct place place = is_needed ? place_in(needs) : (struct place){.path = NULL};
        struct place *const kept = is_needed && has(needs, "before") ? &r.next : &r.user;
        if (is_needed && !kept->path && (kept == &r.next || r.is_kept) && is_users(log, place.path))
            *kept = (struct place){g_steal_pointer(&place.path), place.line, place.column};
        g_free(place.path);
        // Of a note only the lines count that need the error's template.
        if (!form->has_more || (r.is_in_note && !is_needed)) continue;
        const size_t blanks = strspn(*line, " \t");
        if (!strcmp(*line + blanks, "^") && r.more->len) {
            // The log itself shows the source line above the caret.
            r.own.column = (int)blanks - 1;
            g_string_truncate(r.more, r.last);
        } else {
            r.last = r.more->len;
            g_string_append_printf(r.more, "\n%*s%s", INDENT, "", *line + blanks);
        }
    }
    end_message(&r);
    g_free(r.user.path);
    g_string_free(r.more, TRUE);
    const bool has_errors = build_log_take(log, err);
    build_log_free(log);
    return has_errors;
}
