#include "device/cpu/compiler.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "base/file.h"
#include "base/text.h"
#include "device/build_log.h"
#include "device/cache.h"
#include "device/cpu/cuda_text.h"
#include "device/process.h"
#include "device/cpu/rewrite.h"
#include "device/device_text.h"
#include "device/library_words.h"

struct compiler {
    char **command;   // the program and its first arguments
    char *version;    // the first line of its --version
    char *processor;  // the processor's features, as the system lists them; or ""
    char *source;     // the folder src, for includes such as "device/trace.h"
};

static const char *const flags[] = {
    // No parts of C++ that need its library, which is not linked.
    "-std=gnu++17",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-nostdinc++",
    "-O3",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-Wl,-Bsymbolic",             // a kernel's __constant__ never means a symbol of the program
    "-Wl,--wrap=__tls_get_addr",  // object.c says where __shared__ arrays are
    "-fno-strict-aliasing",       // kernels read pixels as wider words
    "-fsigned-char",
    "-ffp-contract=off",
    // Without this the place of a loop in the object changes its time by up to 70 % (Zen 4).
    "-falign-functions=64",
    "-falign-loops=32",
    "-fno-finite-loops",    // an endless loop stays one
    "-Wno-narrowing",       // CUDA takes {int, float} for two floats
    "-Werror=return-type",  // a thread would run into the next function
    // A frame too large for a thread's stack in a block (emulated_block.c: 256 KB) does not
    // compile, and calls that pass the stack's end hit the page below it.
    "-Wframe-larger-than=131072",
    "-fstack-clash-protection",
    "-fdiagnostics-color=never",
    NULL,
};

// What makes the compiler call trace_hooks.c. GCC may drop a load in a ragged loop from -O2 on, and
// clang splits vectors from -O1 on; neither may link its sanitizer's library.
static const char *const traced_flags[] = {
    "-DEMULATOR_IS_TRACED",  "-g1", "-fsanitize=thread", "-nodefaultlibs", "-fno-plt",
    "-Wl,--hash-style=both",  // object.c counts the symbols
    "-Wno-attributes",       NULL,
};
// Calls that become __wrap___tsan_read1 and so on.
static const char *const hooks[] = {
    "__sanitizer_cov_trace_pc",
    "__tsan_atomic_thread_fence",
    "__tsan_func_entry",
    "__tsan_func_exit",
    "__tsan_init",
    "__tsan_read1",
    "__tsan_read16",
    "__tsan_read2",
    "__tsan_read4",
    "__tsan_read8",
    "__tsan_read_range",
    "__tsan_unaligned_read16",
    "__tsan_unaligned_read2",
    "__tsan_unaligned_read4",
    "__tsan_unaligned_read8",
    "__tsan_unaligned_write16",
    "__tsan_unaligned_write2",
    "__tsan_unaligned_write4",
    "__tsan_unaligned_write8",
    "__tsan_vptr_read",
    "__tsan_vptr_update",
    "__tsan_write1",
    "__tsan_write16",
    "__tsan_write2",
    "__tsan_write4",
    "__tsan_write8",
    "__tsan_write_range",
};
static const char *const traced_by_gcc[] = {
    "-O1",
    "-fsanitize-coverage=trace-pc",
    "-fno-tree-sra",
    "-fno-tree-vectorize",
    "-fno-thread-jumps",    // a copy of a basic block for some lanes would be another site
    "-fno-reorder-blocks",  // what has no line of its own has that of the line before
    NULL,
};
static const char *const traced_by_clang[] = {
    "-O0",    "-fsanitize-coverage=bb,no-prune,trace-pc",
    "-mllvm", "-tsan-instrument-read-before-write=1",
    NULL,
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

// The remedy if the compiler's message says that it lacks C++ (GCC has a package for it); NULL: it
// does not.
static const char *find_lack(const char *said)
{
    return strstr(said, "cc1plus") && (strstr(said, "execvp") || strstr(said, "posix_spawn"))
               ? "it has no C++: install g++"
               : NULL;
}

// The compiler's answer to a question, for g_free.
static char *ask(const struct compiler *c, const char *const *arguments, struct error *err)
{
    const struct process process = {.command = c->command, .arguments = arguments, .limit_s = 5};
    char *said = NULL;
    if (!process_run(&process, &said, err) && said) {
        const char *const lack = find_lack(said);
        error_set(err, "'%s %s' failed%s%s", c->command[0], arguments[0], lack ? ": " : "",
                  lack ? lack : "");
        g_clear_pointer(&said, g_free);
    }
    return said;
}

struct compiler *compiler_find(bool is_to_trace, struct error *err)
{
    const char *const names[] = {is_to_trace ? "gcc" : NULL,
#ifdef TILESCOPE_CC
                                 TILESCOPE_CC,
#endif
                                 "cc", "gcc", "clang"};
    const char *const chosen = g_getenv("CC");
    const bool is_chosen = chosen && *chosen;
    char **command = is_chosen ? command_of(chosen) : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(names) && !command && !is_chosen; i++)
        command = names[i] ? command_of(names[i]) : NULL;
    if (!command && is_chosen)
        error_set(err, "no C++ compiler found: CC names '%s'", chosen);
    else if (!command)
        error_set(err, "no C++ compiler found (tried cc, gcc, clang): install g++ or set CC");
    if (!command) return NULL;
    struct compiler *c = g_new0(struct compiler, 1);
    c->command = command;
    c->source = data_path("src");
    // The key holds the processor's features, because machines with different processors may share
    // a cache.
    g_autofree char *text = NULL;
    g_auto(GStrv) features = g_file_get_contents("/proc/cpuinfo", &text, NULL, NULL)
                                 ? text_match("(?s:.*?\\n(flags\\s*:[^\\n]*).*)", text)  // x86's
                                 : NULL;
    c->processor = g_strdup(features ? features[0] : "");
    c->version = ask(c, (const char *const[]){"--version", NULL}, err);
    if (!c->version) {
        error_prefix(err, "no C++ compiler found: ");
        compiler_free(c);
        return NULL;
    }
    c->version[strcspn(c->version, "\n")] = '\0';
    return c;
}

void compiler_free(struct compiler *c)
{
    if (!c) return;
    g_strfreev(c->command);
    g_free(c->version);
    g_free(c->processor);
    g_free(c->source);
    g_free(c);
}

const char *compiler_version(const struct compiler *c)
{
    return c->version;
}

// ---- compiling ----

static void add_all(GPtrArray *all, const char *const *words)
{
    for (; *words; words++)
        if (**words) g_ptr_array_add(all, g_strdup(*words));
}

// All arguments but the names of input and output.
static GPtrArray *arguments_of(const struct compiler *c, const struct build *build)
{
    const bool is_clang = strstr(c->version, "clang");
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
    add_all(all, flags);
    // A traced object gets none of the user's flags: two sanitizers do not go together.
    if (build->is_traced) {
        add_all(all, traced_flags);
        add_all(all, is_clang ? traced_by_clang : traced_by_gcc);
        for (size_t i = 0; i < G_N_ELEMENTS(hooks); i++)
            g_ptr_array_add(all, g_strconcat("-Wl,--wrap=", hooks[i], NULL));
        if (strstr(c->processor, " fma ")) g_ptr_array_add(all, g_strdup("-mfma"));  // else a call
    } else {
        const char *const chosen = g_getenv("TILESCOPE_KERNEL_FLAGS");
        // Of version 5, addr2line (2.40) may take the text's name for that of its #line.
        if (build->has_lines) add_all(all, (const char *const[]){"-g1", "-gdwarf-4", NULL});
        if (*c->processor) g_ptr_array_add(all, g_strdup("-march=native"));
        // Clang takes AVX-512's further registers for kept by __tls_get_addr, which finds shared
        // memory, but the C library's memset, which that may call, writes them.
        if (*c->processor && is_clang) g_ptr_array_add(all, g_strdup("-mno-avx512f"));
        g_auto(GStrv) more = g_strsplit(chosen ? chosen : "", " ", -1);
        add_all(all, (const char *const *)more);
    }
    g_ptr_array_add(
        all, g_strdup(is_clang ? "-Werror=frame-larger-than" : "-Werror=frame-larger-than=131072"));
    // GCC then compiles nothing that no launch needs: neither a file's other kernels nor what was
    // inlined. It reports an error inside one of CUDA's words at the kernel's line, as clang does
    // anyway, and keeps a division by a known 0.
    // stencil's loops, doubled again and again, took GCC twice as long, and ran no faster.
    if (!is_clang)
        add_all(all, (const char *const[]){"-fwhole-program", "-Wno-attributes",
                                           "-ftrack-macro-expansion=0",
                                           "-fno-isolate-erroneous-paths-dereference",
                                           "--param=max-jump-thread-duplication-stmts=8", NULL});
    // Without this clang replaces a division by a known 0 by some value.
    if (is_clang)
        add_all(all, (const char *const[]){"-fsanitize=integer-divide-by-zero",
                                           "-fsanitize-trap=integer-divide-by-zero", NULL});
#if defined(__x86_64__)
    if (!is_clang) g_ptr_array_add(all, g_strdup("-mtls-dialect=gnu"));  // by __tls_get_addr()
#endif
    // From version 11 on, it counts columns as a terminal shows them unless it is asked for bytes;
    // "gcc (Debian 12.2.0-14) 12.2.0"
    const char *const number = strrchr(c->version, ')');
    if (!is_clang && number && atoi(number + 1) >= 11)
        g_ptr_array_add(all, g_strdup("-fdiagnostics-column-unit=byte"));
    if (build->params) g_ptr_array_add(all, g_strconcat("-DPARAMS=", build->params, NULL));
    g_ptr_array_add(all, g_strconcat("-I", c->source, NULL));
    return all;
}

// A hash of everything that decides the object; NULL: what every kernel includes cannot be read.
// Copies of a folder share it: objects with lines hold names of files, but no folder is read there.
static char *key_of(const struct compiler *c, const struct build *build, const char *own,
                    const struct rewritten *fast, const struct headers *headers,
                    const GPtrArray *arguments, struct error *err)
{
    static const char *const names[] = {"device/cpu/cuda_words.h", "device/cpu/trace_words.h",
                                        "device/cpu/kernel_interface.h", "device/trace.h",
                                        "device/cpu/fast_words.h"};
    g_autoptr(GString) line = g_string_new(TILESCOPE_TEXT_KEY);
    for (char **word = c->command; *word; word++) g_string_append_printf(line, " %s", *word);
    for (guint i = 0; i < arguments->len; i++)
        if (!g_str_has_prefix(arguments->pdata[i], "-I"))
            g_string_append_printf(line, " %s", (const char *)arguments->pdata[i]);
    g_autofree char *contract = headers_key(headers);
    char *key = cache_key(c->version, build->is_traced ? "" : c->processor, line->str,
                          build->is_traced || build->has_lines ? build_log_name(build->path) : "",
                          own, build->calls ? build->calls : "", contract, fast->text, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(names) && key; i++) {
        g_autofree char *path = g_build_filename(c->source, names[i], NULL),
                        *text = file_read_text(path, err), *shorter = key;
        key = text ? cache_key(shorter, text, NULL) : NULL;
    }
    return key;
}

// GCC lists the lines that need an error's template before the error, the innermost first; clang
// lists them behind it.
static const struct build_log_form form = {
    .first = "^(?<path>.+?):(?<line>[0-9]+):(?:(?<column>[0-9]+):)? "
             "(?:(?<error>(?:fatal )?error)|warning): (?<text>.*?)(?: \\[-W[^]]*\\])?$",
    .user = "^(?<path>.+?):(?<line>[0-9]+):(?<column>[0-9]+): (?:  (?<before>required) from "
            "|note: in instantiation of .* requested here$)",
};

// Runs the compiler on a file with these last arguments. *is_wrong: it found mistakes in the text.
static bool run(const struct compiler *c, const struct build *build, const struct headers *headers,
                GPtrArray *arguments, const char *folder, bool *is_wrong, struct error *err)
{
    const struct build_guard *const guard = build->guard;
    const struct process process = {.command = c->command,
                                    .arguments = (const char *const *)arguments->pdata,
                                    .folder = folder,
                                    .cancel = build->cancel,
                                    .cpu_s = guard ? guard->compiler_s : 0,
                                    .memory_bytes = guard ? guard->compiler_bytes : 0};
    g_autofree char *log = NULL;
    const bool is_done = process_run(&process, &log, err);
    *is_wrong = !is_done && log && build_log_tell(build, headers, &form, log, err);
    if (!is_done && log && !*is_wrong) {  // shown unchanged: the text may not be the cause
        g_autofree char *valid = g_utf8_make_valid(log, -1);
        const char *const lack = find_lack(valid);
        error_set_log(err, lack ? lack : *valid ? valid : "it said nothing");
        error_prefix(err, "%s: the C++ compiler failed: ", build_log_name(build->path));
    }
    return is_done;
}

// The same for a fast object: the file's kernels as they stand, in front of those that are written
// anew, are not worth the time to unroll them. If it does not compile, the builder has another one.
static char *quicken(const struct compiler *c, const struct build *build, const char *text,
                     bool *is_own)
{
    if (!build->is_fast) return g_strdup(text);
    g_autofree char *divided = cuda_text_divide(text, is_own);
    const char *const anew = strstr(divided, "device/cpu/fast_words.h");
    return strstr(c->version, "clang") ? g_steal_pointer(&divided)
                                       : cuda_text_unroll(divided, anew ? anew : divided);
}

// Compiles in a folder of its own. own: the file's device code; fast: what stands behind it.
static bool make_object(const struct compiler *c, const struct build *build, const char *own,
                        const struct rewritten *fast, const struct headers *headers,
                        GPtrArray *arguments, struct build_code *object, bool *is_wrong,
                        struct error *err)
{
    g_autoptr(GError) why = NULL;
    g_autofree char *folder = g_dir_make_tmp("tilescope-XXXXXX", &why);
    char *bytes = NULL;
    g_autofree char *source = g_strconcat(folder ? folder : "", "/kernel.c", NULL);
    g_autofree char *made = g_strconcat(folder ? folder : "", "/kernel.so", NULL);
    g_autofree char *named = device_text_named(build->path, own, NULL, headers),
                    *text = cuda_text(named, NULL);
    g_autoptr(GString) all = g_string_new("#include \"device/cpu/cuda_words.h\"\n");
    g_string_append_printf(all, "%s%s%s\n%s#line 1 \"" BUILD_LOG_CALLS "\"\n%s", library_words,
                           headers->before, text, fast->text, fast->calls);
    bool is_own = false;  // one of the file's headers decides for all
    for (int i = 0; build->is_fast && i < headers->count; i++)
        if (headers->list[i].is_users) g_free(cuda_text_divide(headers->list[i].text, &is_own));
    g_autofree char *quick = quicken(c, build, all->str, &is_own);
    bool is_written = folder && file_write(source, quick, strlen(quick), err);
    for (int i = 0; is_written && i < headers->count; i++) {
        const struct header *h = &headers->list[i];
        const char *const calls = h->is_users ? build->calls : NULL;
        bool is_others = is_own;
        g_autofree char *path = g_build_filename(folder, build_log_name(h->path), NULL);
        g_autofree char *one = device_text_named(h->path, h->text, calls, headers),
                        *other = cuda_text(one, NULL),
                        *whole = quicken(c, build, other, &is_others);
        is_written = file_write(path, whole, strlen(whole), err);
    }
    g_ptr_array_add(arguments, g_strconcat("-I", folder, NULL));
    add_all(arguments, (const char *const[]){"-x", "c++", source, "-o", made, "-lm", NULL});
    if (build->is_traced) add_all(arguments, (const char *const[]){"-lgcc", "-lc", NULL});
    g_ptr_array_add(arguments, NULL);
    if (is_written && run(c, build, headers, arguments, folder, is_wrong, err))
        g_file_get_contents(made, &bytes, &object->size, &why);
    if (why) error_set(err, "%s: cannot compile: %s", build_log_name(build->path), why->message);
    if (folder) file_remove_all(folder);  // a compiler that was stopped leaves files of its own
    object->bytes = bytes;
    return bytes != NULL;
}

bool compiler_make(const struct compiler *c, const struct build *build,
                   const struct headers *headers, struct build_code *object, struct error *err)
{
    g_autoptr(GPtrArray) arguments = arguments_of(c, build);
    char *const calls = g_strdup(build->calls ? build->calls : "");
    g_autofree char *own =
        build->calls ? device_text(build->source, calls, headers) : g_strdup(build->source);
    struct rewritten fast = {.text = g_strdup(""), .calls = calls};
    if (build->is_fast) {
        rewritten_finish(&fast);
        rewrite(&fast, own, build->calls, headers);
    }
    if (build->lanes && strstr(fast.calls, "void strips_"))
        g_ptr_array_add(arguments, g_strdup_printf("-DEMULATOR_STRIP=%d", build->lanes));
    struct error why = {""};
    const bool is_new = !build->is_fast || *fast.names || error_set(err, "nothing is rewritten");
    g_autofree char *key = is_new ? key_of(c, build, own, &fast, headers, arguments, err) : NULL;
    int turn = -1;
    bool is_made = key && cache_await(key, ".so", CACHE_PATIENCE_S, build->cancel, &object->bytes,
                                      &object->size, &turn);
    if (key && !is_made) {
        bool is_wrong = false;  // else it may compile the next time
        is_made = make_object(c, build, own, &fast, headers, arguments, object, &is_wrong, &why);
        if (is_made) cache_write(key, ".so", object->bytes, object->size);
        if (build->is_fast && (is_made || is_wrong) &&
            !(build->cancel && atomic_load(build->cancel)))
            rewritten_keep_refusal(&fast, own, why.text);
        if (!is_made) error_set_log(err, why.text);
    }
    if (turn >= 0) close(turn);
    rewritten_finish(&fast);
    return is_made;
}

// ---- its files ----

// The programs that a compiler starts, and the one of binutils that finds source lines.
static const char *const programs[] = {"cc",          "gcc",       "clang",  "cc1plus", "collect2",
                                       "as",          "ld",        "ld.bfd", "ld.gold", "ld.lld",
                                       "lto-wrapper", "addr2line", NULL};

// Takes over the path, which may be NULL.
static void add(GPtrArray *files, char *path)
{
    if (path && g_path_is_absolute(path) && g_file_test(path, G_FILE_TEST_EXISTS))
        g_ptr_array_add(files, path);
    else
        g_free(path);
}

static void add_libraries(GPtrArray *files, const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, ".so") || strstr(name, ".so.") || g_str_has_suffix(name, ".a") ||
            g_str_has_suffix(name, ".o"))
            add(files, g_build_filename(folder, name, NULL));
}

static void add_programs(GPtrArray *files, const char *folder)
{
    for (const char *const *name = programs; *name; name++)
        add(files, g_build_filename(folder, *name, NULL));
}

// "libraries: =/usr/lib/gcc/x86_64-linux-gnu/12/:/lib/x86_64-linux-gnu/". The compiler names some
// folders, which may hold a thousand libraries, in several ways.
static void add_each(GPtrArray *files, const char *list, void (*each)(GPtrArray *, const char *))
{
    g_auto(GStrv) folders = g_strsplit(list + (*list == '='), ":", -1);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, free, NULL);
    for (char **folder = folders; *folder; folder++) {
        char *real = realpath(*folder, NULL);
        if (real && g_hash_table_add(seen, real)) each(files, *folder);
    }
}

// If the compiler's name is a script, adds the programs that run it ("#! /usr/bin/env bash") and
// the compiler that it starts ("COLLECT_GCC=/opt/gcc/bin/gcc-real").
static void add_script(GPtrArray *files, const char *script, const char *said)
{
    static const char head[] = "COLLECT_GCC=";
    g_autofree char *text = NULL;
    if (g_file_get_contents(script, &text, NULL, NULL) && g_str_has_prefix(text, "#!")) {
        text[strcspn(text, "\n")] = '\0';
        g_auto(GStrv) words = g_strsplit_set(text + 2, " \t", -1);
        for (char **word = words; *word; word++)
            if (**word) add(files, g_find_program_in_path(*word));
    }
    const char *const started = strstr(said, head);
    if (!started) return;
    g_autofree char *name =
        g_strndup(started + strlen(head), strcspn(started + strlen(head), "\n"));
    add(files, g_find_program_in_path(name));
}

char **compiler_files(const struct compiler *c, struct error *err)
{
    static const char *const asks[] = {"-E", "-v", "-nostdinc++", "-x", "c++", "/dev/null", NULL};
    g_autofree char *folders = ask(c, (const char *const[]){"-print-search-dirs", NULL}, err),
                    *said = folders ? ask(c, asks, err) : NULL;
    if (!said) return NULL;
    GPtrArray *files = g_ptr_array_new();
    add(files, g_strdup(c->command[0]));
    add_script(files, c->command[0], said);
    add(files, g_strdup("/etc/ld.so.cache"));
    for (const char *const *name = programs; *name; name++)
        add(files, g_find_program_in_path(*name));
    const char *more = g_getenv("LD_LIBRARY_PATH");
    if (more) add_each(files, more, add_libraries);
    g_auto(GStrv) lines = g_strsplit(folders, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *list = strchr(*line, ' ');
        if (!list) continue;
        // These folders hold a compiler's own files and nothing else.
        const bool is_own = strstr(list, "/lib/gcc/") || strstr(list, "/lib/clang/");
        if (is_own && g_str_has_prefix(*line, "install:")) add(files, g_strdup(list + 1));
        if (g_str_has_prefix(*line, "programs:")) add_each(files, list + 1, add_programs);
        if (g_str_has_prefix(*line, "libraries:")) add_each(files, list + 1, add_libraries);
    }
    // Its folders of headers, each in a line that begins with a blank. Folders that somebody added
    // beside the system's do not count.
    const char *at = strstr(said, "#include <...> search starts here:\n");
    g_auto(GStrv) more_lines = g_strsplit(at ? at : "", "\n", -1);
    for (char **line = more_lines; *line && !g_str_has_prefix(*line, "End of search list"); line++)
        if (**line == ' ' && !strstr(*line, "/usr/local/include")) add(files, g_strdup(*line + 1));
    g_ptr_array_add(files, NULL);
    return (char **)g_ptr_array_free(files, FALSE);
}
