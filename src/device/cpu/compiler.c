#include "device/cpu/compiler.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/file.h"
#include "device/build_log.h"
#include "device/cache.h"
#include "device/cpu/process.h"
#include "device/cpu/toolchain.h"
#include "device/headers.h"
#include "device/includes.h"

static const double VERSION_LIMIT_S = 5;

struct compiler {
    char **command;  // the program and its first arguments
    char *version;
    char *source;  // the folder of all layers: headers name their own, as in "device/trace.h"
    char *words;   // the folder with cuda_words.h
};

static const char *const flags[] = {
    "-std=gnu11",
    "-O2",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-Wl,-Bsymbolic",        // a kernel's __constant__ never means a symbol of the program
    "-fno-strict-aliasing",  // kernels read pixels as wider words
    "-fsigned-char",
    "-ffp-contract=off",
    // Without it a loop's place in the object changes its time by up to 70 % (Zen 4).
    "-falign-functions=64",
    "-falign-loops=32",
    // CUDA C refuses these too.
    "-Werror=implicit-function-declaration",
    "-Werror=implicit-int",
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    // What is too large for the stack of a thread in a block (emulated_block.c: 256 KB) does not
    // compile, and what passes its end by many calls hits the page below it.
    "-Wframe-larger-than=131072",
    "-fstack-clash-protection",
    "-fdiagnostics-color=never",
};

// What makes the compiler call trace_words.h. GCC may drop a load in a ragged loop from -O2 on, and
// clang splits vectors from -O1 on; neither may link its sanitizer's library.
static const char *const traced_flags[] = {
    "-DEMULATOR_IS_TRACED",  "-g1", "-fsanitize=thread", "-nodefaultlibs",
    "-Wl,--hash-style=both",  // object.c counts the symbols
    "-Wno-attributes",
};
static const char *const traced_libraries[] = {"-lgcc", "-lc"};
static const char *const traced_by_gcc[] = {
    "-O1",
    "-fsanitize-coverage=trace-pc",
    "-fno-tree-sra",
    "-fno-tree-vectorize",
    "-fno-thread-jumps",  // a copy of a block for some lanes would be another place than the block
};
static const char *const traced_by_clang[] = {
    "-O0",
    "-fsanitize-coverage=bb,no-prune,trace-pc",
    "-mllvm",
    "-tsan-instrument-read-before-write=1",
};

// ---- finding it ----

static char **command_of(const char *words)
{
    char **command = NULL;
    if (!g_shell_parse_argv(words, NULL, &command, NULL)) return NULL;
    char *program = g_find_program_in_path(command[0]);
    if (!program) {
        g_strfreev(command);
        return NULL;
    }
    g_free(command[0]);
    command[0] = program;
    return command;
}

static char **find_command(const char *first, struct error *err)
{
    const char *chosen = g_getenv("CC");
    if (chosen && *chosen) {
        char **command = command_of(chosen);
        if (!command) error_set(err, "no C compiler found: CC names '%s'", chosen);
        return command;
    }
    const char *const names[] = {first,
#ifdef TILESCOPE_CC
                                 TILESCOPE_CC,
#endif
                                 "cc", "gcc", "clang"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        char **command = names[i] ? command_of(names[i]) : NULL;
        if (command) return command;
    }
    error_set(err, "no C compiler found (tried cc, gcc, clang): install gcc or set CC");
    return NULL;
}

// What one run may take, and where it keeps its own files.
struct limits {
    const char *folder;
    double limit_s;
    const atomic_bool *cancel;
    const struct build_guard *guard;  // NULL: no further limits
};

static bool run(const struct compiler *c, const char *const *arguments, const struct limits *limits,
                char **output, struct error *err)
{
    GPtrArray *argv = g_ptr_array_new();
    for (char **word = c->command; *word; word++) g_ptr_array_add(argv, *word);
    for (; *arguments; arguments++) g_ptr_array_add(argv, (gpointer)*arguments);
    g_ptr_array_add(argv, NULL);
    // The log, read below, must be in English with ASCII quotes, whatever the user's language.
    char **environment = g_environ_setenv(g_get_environ(), "LC_ALL", "C", TRUE);
    if (limits->folder) environment = g_environ_setenv(environment, "TMPDIR", limits->folder, TRUE);
    const struct build_guard *const guard = limits->guard;
    const struct process process = {.argv = (char **)argv->pdata,
                                    .environment = environment,
                                    .limit_s = limits->limit_s,
                                    .cancel = limits->cancel,
                                    .cpu_s = guard ? guard->compiler_s : 0,
                                    .memory_bytes = guard ? guard->compiler_bytes : 0};
    const bool is_done = process_run(&process, output, err);
    g_strfreev(environment);
    g_ptr_array_free(argv, TRUE);
    return is_done;
}

static struct compiler *find(const char *first, struct error *err)
{
    char **command = find_command(first, err);
    if (!command) return NULL;
    struct compiler *c = g_new0(struct compiler, 1);
    c->command = command;
    c->source = data_path("src");
    c->words = data_path("src/device/cpu");
    char *said = NULL;
    const struct limits limits = {.limit_s = VERSION_LIMIT_S};
    if (!run(c, (const char *const[]){"--version", NULL}, &limits, &said, err)) {
        if (said)
            error_set(err, "no C compiler found: '%s --version' failed", command[0]);
        else
            error_prefix(err, "no C compiler found: ");
        g_free(said);
        compiler_free(c);
        return NULL;
    }
    said[strcspn(said, "\n")] = '\0';
    c->version = said;
    return c;
}

struct compiler *compiler_find(struct error *err)
{
    return find(NULL, err);
}

struct compiler *compiler_find_to_trace(struct error *err)
{
    return find("gcc", err);
}

char **compiler_files(const struct compiler *c, struct error *err)
{
    return toolchain_files(c->command, err);
}

void compiler_free(struct compiler *c)
{
    if (!c) return;
    g_strfreev(c->command);
    g_free(c->version);
    g_free(c->source);
    g_free(c->words);
    g_free(c);
}

const char *compiler_version(const struct compiler *c)
{
    return c->version;
}

// ---- compiling ----

// Takes the errors from the compiler's output, "path:line:column: error: message [-Wname]", or all
// of it when no error has this form.
static void tidy_log(const struct build *build, const struct headers *headers, const char *raw,
                     struct error *err)
{
    GRegex *error_line = g_regex_new("^(.+?):([0-9]+):(?:([0-9]+):)? (?:fatal )?error: (.*?)"
                                     "(?: \\[-W[^]]*\\])?$",
                                     G_REGEX_MULTILINE, 0, NULL);
    struct build_log *log = build_log_create(build->path, build->source, headers);
    GMatchInfo *match = NULL;
    char *valid = g_utf8_make_valid(raw, -1);
    for (g_regex_match(error_line, valid, 0, &match); g_match_info_matches(match);
         g_match_info_next(match, NULL)) {
        char **parts = g_match_info_fetch_all(match);  // all of it, path, line, column, message
        build_log_add(log, parts[1], atoi(parts[2]), atoi(parts[3]), parts[4], NULL);
        g_strfreev(parts);
    }
    if (!build_log_take(log, err)) {
        error_set_log(err, *valid ? valid : "it said nothing");
        error_prefix(err, "%s: the C compiler failed: ", build_log_name(build->path));
    }
    g_free(valid);
    build_log_free(log);
    g_match_info_free(match);
    g_regex_unref(error_line);
}

// From version 11 on, GCC counts columns as a terminal shows them unless it is asked for bytes.
// Older ones and clang count bytes. "gcc (Debian 12.2.0-14) 12.2.0"
static bool counts_cells(const struct compiler *c)
{
    const char *const number = strrchr(c->version, ')');
    return !strstr(c->version, "clang") && number && atoi(number + 1) >= 11;
}

static void add_all(GPtrArray *all, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (*words[i]) g_ptr_array_add(all, g_strdup(words[i]));
}

// A traced object gets none of $TILESCOPE_KERNEL_FLAGS: two sanitizers do not go together.
static void add_purpose(GPtrArray *all, bool is_traced, bool is_clang)
{
    if (!is_traced) {
        const char *const chosen = g_getenv("TILESCOPE_KERNEL_FLAGS");
        char **more = g_strsplit(chosen ? chosen : "", " ", -1);
        add_all(all, (const char *const *)more, g_strv_length(more));
        g_strfreev(more);
        return;
    }
    add_all(all, traced_flags, G_N_ELEMENTS(traced_flags));
    if (is_clang)
        add_all(all, traced_by_clang, G_N_ELEMENTS(traced_by_clang));
    else
        add_all(all, traced_by_gcc, G_N_ELEMENTS(traced_by_gcc));
}

// All arguments but the names of input and output.
static GPtrArray *arguments_of(const struct compiler *c, const struct build *build,
                               const char *include)
{
    const bool is_clang = strstr(c->version, "clang");
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
    add_all(all, flags, G_N_ELEMENTS(flags));
    add_purpose(all, build->is_traced, is_clang);
    g_ptr_array_add(
        all, g_strdup(is_clang ? "-Werror=frame-larger-than" : "-Werror=frame-larger-than=131072"));
    // GCC then reports an error inside one of CUDA's words where the kernel uses the word, as clang
    // does by itself.
    if (!is_clang) g_ptr_array_add(all, g_strdup("-ftrack-macro-expansion=0"));
    if (counts_cells(c)) g_ptr_array_add(all, g_strdup("-fdiagnostics-column-unit=byte"));
    if (build->params) g_ptr_array_add(all, g_strconcat("-DPARAMS=", build->params, NULL));
    g_ptr_array_add(all, g_strconcat("-I", include, NULL));
    g_ptr_array_add(all, g_strconcat("-I", c->words, NULL));
    g_ptr_array_add(all, g_strconcat("-I", c->source, NULL));
    return all;
}

// The texts of what every kernel includes; NULL: one is missing.
static char *read_words(const struct compiler *c, struct error *err)
{
    static const char *const names[] = {"cuda_words.h", "trace_words.h"};
    GString *all = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        char *path = g_build_filename(c->words, names[i], NULL);
        char *text = file_read_text(path, err);
        g_free(path);
        if (!text) {
            g_string_free(all, TRUE);
            return NULL;
        }
        g_string_append(all, text);
        g_free(text);
    }
    return g_string_free(all, FALSE);
}

// A hash of everything that decides the object; NULL: cuda_words.h is missing. Only a traced object
// holds the names of files, so that what is compiled for one folder serves its copies.
static char *key_of(const struct compiler *c, const struct build *build,
                    const struct headers *headers, const GPtrArray *arguments, struct error *err)
{
    char *words = read_words(c, err);
    if (!words) return NULL;
    char *contract = headers_key(headers);
    GString *line = g_string_new(c->command[0]);
    for (char **word = c->command + 1; *word; word++) g_string_append_printf(line, " %s", *word);
    for (guint i = 0; i < arguments->len; i++)
        if (build->is_traced || !g_str_has_prefix(arguments->pdata[i], "-I"))
            g_string_append_printf(line, " %s", (const char *)arguments->pdata[i]);
    char *key = cache_key(c->version, line->str, build->is_traced ? build->path : "", build->source,
                          contract, words, NULL);
    g_string_free(line, TRUE);
    g_free(contract);
    g_free(words);
    return key;
}

static bool write_source(const char *path, const struct build *build, struct error *err)
{
    char *name = g_strescape(build->path, NULL);
    char *text = g_strdup_printf("#line 1 \"%s\"\n%s", name, build->source);
    GError *why = NULL;
    const bool is_written = g_file_set_contents(path, text, -1, &why);
    if (!is_written) error_set(err, "%s", why->message);
    g_clear_error(&why);
    g_free(text);
    g_free(name);
    return is_written;
}

// Compiles once, in a folder of its own.
struct work {
    const struct compiler *compiler;
    const struct build *build;
    const struct headers *headers;
    GPtrArray *arguments;
    char *folder, *source, *object;
};

static bool compile(const struct work *w, struct error *err)
{
    if (!write_source(w->source, w->build, err)) return false;
    const char *const files[] = {"-x", "c", w->source, "-o", w->object, "-lm"};
    add_all(w->arguments, files, G_N_ELEMENTS(files));
    if (w->build->is_traced)
        add_all(w->arguments, traced_libraries, G_N_ELEMENTS(traced_libraries));
    g_ptr_array_add(w->arguments, NULL);
    char *log = NULL;
    const struct limits limits = {
        .folder = w->folder, .cancel = w->build->cancel, .guard = w->build->guard};
    const bool is_done =
        run(w->compiler, (const char *const *)w->arguments->pdata, &limits, &log, err);
    if (!is_done && log) tidy_log(w->build, w->headers, log, err);
    g_free(log);
    return is_done;
}

// ---- once, in a folder of its own ----

static bool begin_work(struct work *w, struct error *err)
{
    GError *why = NULL;
    w->folder = g_dir_make_tmp("tilescope-XXXXXX", &why);
    if (!w->folder) {
        error_set(err, "%s: cannot compile: %s", build_log_name(w->build->path), why->message);
        g_error_free(why);
        return false;
    }
    w->source = g_build_filename(w->folder, "kernel.c", NULL);
    w->object = g_build_filename(w->folder, "kernel.so", NULL);
    return true;
}

// A compiler that was stopped leaves files of its own.
static void end_work(struct work *w)
{
    GDir *dir = g_dir_open(w->folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        char *path = g_build_filename(w->folder, name, NULL);
        g_unlink(path);
        g_free(path);
    }
    if (dir) g_dir_close(dir);
    g_rmdir(w->folder);
    g_free(w->source);
    g_free(w->object);
    g_free(w->folder);
}

static bool compile_and_keep(struct work *w, const char *key, struct build_code *object,
                             struct error *err)
{
    GError *why = NULL;
    char *bytes = NULL;
    if (!begin_work(w, err)) return false;
    const bool is_compiled = compile(w, err);
    if (is_compiled && g_file_get_contents(w->object, &bytes, &object->size, &why))
        cache_write(key, ".so", bytes, object->size);
    object->bytes = bytes;
    if (why) error_set(err, "%s: %s", build_log_name(w->build->path), why->message);
    g_clear_error(&why);
    end_work(w);
    return bytes != NULL;
}

bool compiler_make(const struct compiler *c, const struct build *build, const char *include,
                   struct build_code *object, struct error *err)
{
    struct headers headers;
    if (!headers_load(&headers, include, err)) return false;
    if (!includes_check(build, &headers, err)) {
        headers_finish(&headers);
        return false;
    }
    GPtrArray *arguments = arguments_of(c, build, include);
    char *key = key_of(c, build, &headers, arguments, err);
    struct work work = {c, build, &headers, arguments, NULL, NULL, NULL};
    const bool is_made = key && (cache_read(key, ".so", &object->bytes, &object->size) ||
                                 compile_and_keep(&work, key, object, err));
    g_free(key);
    g_ptr_array_free(arguments, TRUE);
    headers_finish(&headers);
    return is_made;
}
