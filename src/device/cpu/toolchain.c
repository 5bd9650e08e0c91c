#include "device/cpu/toolchain.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/process.h"

// The programs that a compiler starts, and the one of binutils that finds source lines.
static const char *const programs[] = {"cc",          "gcc",       "clang",  "cc1",     "collect2",
                                       "as",          "ld",        "ld.bfd", "ld.gold", "ld.lld",
                                       "lto-wrapper", "addr2line", NULL};

static char *ask(char *const *command, const char *const *more, struct error *err)
{
    GPtrArray *argv = g_ptr_array_new();
    for (; *command; command++) g_ptr_array_add(argv, *command);
    for (; *more; more++) g_ptr_array_add(argv, (gpointer)*more);
    g_ptr_array_add(argv, NULL);
    char *said = NULL;
    if (!process_ask((char **)argv->pdata, &said, err) && said) {
        error_set(err, "'%s' does not tell where its files are", (char *)argv->pdata[0]);
        g_clear_pointer(&said, g_free);
    }
    g_ptr_array_free(argv, TRUE);
    return said;
}

static void add(GPtrArray *files, const char *path)
{
    if (g_path_is_absolute(path) && g_file_test(path, G_FILE_TEST_EXISTS))
        g_ptr_array_add(files, g_strdup(path));
}

static void add_in(GPtrArray *files, const char *folder, const char *name)
{
    char *path = g_build_filename(folder, name, NULL);
    add(files, path);
    g_free(path);
}

// A program where PATH has it, or by its own path.
static void add_named(GPtrArray *files, const char *name)
{
    char *path = g_find_program_in_path(name);
    if (path) add(files, path);
    g_free(path);
}

static void add_libraries(GPtrArray *files, const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, ".so") || strstr(name, ".so.") || g_str_has_suffix(name, ".a") ||
            g_str_has_suffix(name, ".o"))
            add_in(files, folder, name);
    if (dir) g_dir_close(dir);
}

static void add_programs(GPtrArray *files, const char *folder)
{
    for (const char *const *name = programs; *name; name++) add_in(files, folder, *name);
}

// "libraries: =/usr/lib/gcc/x86_64-linux-gnu/12/:/lib/x86_64-linux-gnu/". The compiler names some
// folders, which may hold a thousand libraries, in several ways.
static void add_each(GPtrArray *files, const char *list, void (*each)(GPtrArray *, const char *))
{
    char **folders = g_strsplit(list + (*list == '='), ":", -1);
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, free, NULL);
    for (char **folder = folders; *folder; folder++) {
        char *real = realpath(*folder, NULL);
        if (real && g_hash_table_add(seen, real)) each(files, *folder);
    }
    g_hash_table_destroy(seen);
    g_strfreev(folders);
}

static void read_search(GPtrArray *files, const char *said)
{
    char **lines = g_strsplit(said, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *list = strchr(*line, ' ');
        if (!list) continue;
        // These folders hold a compiler's own files and nothing else.
        const bool is_own = strstr(list, "/lib/gcc/") || strstr(list, "/lib/clang/");
        if (is_own && g_str_has_prefix(*line, "install:")) add(files, list + 1);
        if (g_str_has_prefix(*line, "programs:")) add_each(files, list + 1, add_programs);
        if (g_str_has_prefix(*line, "libraries:")) add_each(files, list + 1, add_libraries);
    }
    g_strfreev(lines);
}

// Its folders of headers, each in a line that begins with a blank. What somebody has put beside
// the system's is not the compiler's.
static void read_includes(GPtrArray *files, const char *said)
{
    const char *at = strstr(said, "#include <...> search starts here:\n");
    char **lines = g_strsplit(at ? at : "", "\n", -1);
    for (char **line = lines; *line && !g_str_has_prefix(*line, "End of search list"); line++)
        if (**line == ' ' && !strstr(*line, "/usr/local/include")) add(files, *line + 1);
    g_strfreev(lines);
}

// "#! /usr/bin/env bash": the programs that a compiler's name leads to where it is a script, but
// for what else the script calls.
static void add_interpreter(GPtrArray *files, const char *script)
{
    char *text = NULL;
    if (!g_file_get_contents(script, &text, NULL, NULL) || !g_str_has_prefix(text, "#!")) {
        g_free(text);
        return;
    }
    text[strcspn(text, "\n")] = '\0';
    char **words = g_strsplit_set(text + 2, " \t", -1);
    for (char **word = words; *word; word++)
        if (**word) add_named(files, *word);
    g_strfreev(words);
    g_free(text);
}

// "COLLECT_GCC=/opt/gcc/bin/gcc-real": the one that such a script has started.
static void add_started(GPtrArray *files, const char *said)
{
    static const char head[] = "COLLECT_GCC=";
    const char *const at = strstr(said, head);
    if (!at) return;
    char *name = g_strndup(at + strlen(head), strcspn(at + strlen(head), "\n"));
    add_named(files, name);
    g_free(name);
}

char **toolchain_files(char *const *command, struct error *err)
{
    const char *const search[] = {"-print-search-dirs", NULL};
    const char *const verbose[] = {"-E", "-v", "-x", "c", "/dev/null", NULL};
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    char *folders = ask(command, search, err),
         *includes = folders ? ask(command, verbose, err) : NULL;
    const bool is_known = includes != NULL;
    if (is_known) {
        add(files, command[0]);
        add_interpreter(files, command[0]);
        add_started(files, includes);
        add(files, "/etc/ld.so.cache");
        for (const char *const *name = programs; *name; name++) add_named(files, *name);
        const char *more = g_getenv("LD_LIBRARY_PATH");
        if (more) add_each(files, more, add_libraries);
        read_search(files, folders);
        read_includes(files, includes);
    }
    g_free(folders);
    g_free(includes);
    g_ptr_array_add(files, NULL);
    char **list = (char **)g_ptr_array_free(files, FALSE);
    if (is_known) return list;
    g_strfreev(list);
    return NULL;
}
