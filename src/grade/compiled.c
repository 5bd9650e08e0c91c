#include "grade/compiled.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "grade/allowed.h"

// What a tool of binutils says of an object; NULL: it does not run. The caller frees it.
static char *ask_tool(const char *const *argv, struct error *err)
{
    char *said = NULL;
    int status = 0;
    if (g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL,
                     NULL, NULL, &said, NULL, &status, NULL) &&
        g_spawn_check_wait_status(status, NULL))
        return said;
    g_free(said);
    error_set(err, "%s of binutils, which checks what kernels call, does not run", argv[0]);
    return NULL;
}

// "memcpy U", a line each.
static bool check_symbols(const char *said, struct error *err)
{
    bool is_good = true;
    char **lines = g_strsplit(said, "\n", -1);
    for (char **line = lines; is_good && *line; line++)
        if (**line && !allowed_symbol(*line))
            is_good = error_set(err, "a kernel uses '%.*s', which CUDA does not have",
                                (int)strcspn(*line, "@ "), *line);
    g_strfreev(lines);
    return is_good;
}

// Constructors, destructors, and functions that choose a function. One constructor is the C
// compiler's, in every traced object: it calls __tsan_init of trace_words.h. Words with a bracket,
// and names of relocations, are readelf's own: no symbol of C is called so.
static bool runs_when_loaded(const char *said)
{
    static const char *const marks[] = {"(INIT)", "(PREINIT", "(FINI", "_IRELATIV", " IFUNC "};
    const char *const count = strstr(said, "(INIT_ARRAYSZ)");
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        if (strstr(said, marks[i])) return true;
    return count && strtoul(count + strlen("(INIT_ARRAYSZ)"), NULL, 10) != sizeof(void *);
}

static bool check_start(const char *said, struct error *err)
{
    return !runs_when_loaded(said) ||
           error_set(err, "a function of the file runs when it is loaded, before any kernel");
}

enum nm_part { NAME, CLASS = 2, TYPE, SIZE, SECTION = 6, PARTS };

// What a kernel may write and another launch finds there is a local symbol; __constant__ variables
// are global ones. The linker's own symbols have no size.
static bool check_variable(char *const *parts, struct error *err)
{
    const bool stays = !strcmp(parts[TYPE], "OBJECT") && *parts[SIZE] &&
                       (*parts[CLASS] == 'b' || *parts[CLASS] == 'd') &&
                       !strstr(parts[SECTION], ".ro");
    return !stays || error_set(err,
                               "the variable '%s' keeps its value from one launch to the next: "
                               "make it const, __shared__ or __constant__",
                               parts[NAME]);
}

// All functions of a kernel are put into it, but those that are called by their address or by
// themselves. The C compiler does not report the loads and stores of structs that pass through such
// a call.
static bool check_function(char *const *parts, struct error *err)
{
    const bool is_own = !strcmp(parts[TYPE], "FUNC") && *parts[CLASS] == 't';
    return !is_own || allowed_function(parts[NAME], parts[SECTION]) ||
           error_set(err,
                     "the function '%s' is called by its address or by itself: what it reads and "
                     "writes cannot be counted",
                     parts[NAME]);
}

// Looks at a line of nm: "launches  |0000000000006038|   b  |   OBJECT|0000000000000004| |.bss".
static bool check_definition(const char *line, struct error *err)
{
    char **parts = g_strsplit(line, "|", -1);
    bool is_good = true;
    if (g_strv_length(parts) == PARTS) {
        for (int i = 0; i < PARTS; i++) g_strstrip(parts[i]);
        is_good = check_variable(parts, err) && check_function(parts, err);
    }
    g_strfreev(parts);
    return is_good;
}

static bool check_definitions(const char *said, struct error *err)
{
    bool is_good = true;
    char **lines = g_strsplit(said, "\n", -1);
    for (char **line = lines; is_good && *line; line++) is_good = check_definition(*line, err);
    g_strfreev(lines);
    return is_good;
}

enum { MAX_WORDS = 8 };
static const struct look {
    const char *words[MAX_WORDS];  // the path follows
    bool (*check)(const char *said, struct error *err);
} looks[] = {
    {{"nm", "-D", "-u", "-P"}, check_symbols},
    {{"readelf", "-W", "-d", "-r", "--dyn-syms"}, check_start},
    {{"nm", "-f", "sysv"}, check_definitions},
};

enum compiled_verdict compiled_check(const char *path, struct error *err)
{
    bool is_good = true;
    for (size_t i = 0; is_good && i < G_N_ELEMENTS(looks); i++) {
        const char *argv[MAX_WORDS + 1] = {NULL};
        size_t count = 0;
        for (; looks[i].words[count]; count++) argv[count] = looks[i].words[count];
        argv[count] = path;
        char *said = ask_tool(argv, err);
        if (!said) return COMPILED_NOT_KNOWN;
        is_good = looks[i].check(said, err);
        g_free(said);
    }
    return is_good ? COMPILED_GOOD : COMPILED_REFUSED;
}
