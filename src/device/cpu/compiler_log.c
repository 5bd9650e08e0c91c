#include "device/cpu/compiler.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "device/backend.h"
#include "device/build_log.h"

// The error that is being read, and where the user's text needs the template that it is in.
struct reader {
    struct build_log *log;
    char **error, **user;  // what matched: all of it, path, line, column, message; or NULL
};

static void end_error(struct reader *r)
{
    char **const error = r->error;
    char **const place = r->user && !build_log_is_users(r->log, error[1]) ? r->user : error;
    build_log_add(r->log, place[1], atoi(place[2]), atoi(place[3]), error[4], NULL);
    g_clear_pointer(&r->user, g_strfreev);
    g_clear_pointer(&r->error, g_strfreev);
}

static char **match(const GRegex *form, const char *line)
{
    g_autoptr(GMatchInfo) found = NULL;
    return g_regex_match(form, line, 0, &found) ? g_match_info_fetch_all(found) : NULL;
}

// GCC tells before an error which lines need its template, the innermost first, and clang behind
// it.
static void read_log(struct build_log *log, const char *said)
{
    g_autoptr(GRegex) error_form = g_regex_new(
        "^(.+?):([0-9]+):(?:([0-9]+):)? (?:fatal )?error: (.*?)(?: \\[-W[^]]*\\])?$", 0, 0, NULL);
    g_autoptr(GRegex) user_form = g_regex_new("^(.+?):([0-9]+):([0-9]+): (?:  (required) from "
                                              "|note: in instantiation of .* requested here$)",
                                              0, 0, NULL);
    struct reader r = {.log = log};
    g_auto(GStrv) lines = g_strsplit(said, "\n", -1), required = NULL;
    for (char **line = lines; *line; line++) {
        char **parts = match(error_form, *line);
        if (parts) {
            if (r.error) end_error(&r);
            r = (struct reader){log, parts, required};
            required = NULL;
            continue;
        }
        parts = match(user_form, *line);
        char ***const kept = parts && g_strv_length(parts) > 4 ? &required : &r.user;
        const bool is_of_error = kept == &required || r.error;
        if (parts && !*kept && is_of_error && build_log_is_users(log, parts[1]))
            *kept = parts;
        else
            g_strfreev(parts);
    }
    if (r.error) end_error(&r);
    g_strfreev(r.user);
}

// GCC's C++ is a package of its own, and the word that is said of it is a program's name.
const char *compiler_log_lack(const char *said)
{
    const bool is_lacking =
        strstr(said, "cc1plus") && (strstr(said, "execvp") || strstr(said, "posix_spawn"));
    return is_lacking ? "it has no C++: install g++" : NULL;
}

bool compiler_log_tell(const struct build *build, const struct headers *headers, const char *said,
                       struct error *err)
{
    struct build_log *log = build_log_create(build, headers);
    g_autofree char *valid = g_utf8_make_valid(said, -1);
    const char *const lack = compiler_log_lack(valid);
    read_log(log, valid);
    const bool is_of_text = build_log_take(log, err);
    if (!is_of_text) {
        error_set_log(err, lack ? lack : *valid ? valid : "it said nothing");
        error_prefix(err, "%s: the C++ compiler failed: ", build_log_name(build->path));
    }
    build_log_free(log);
    return is_of_text;
}
