// test_translator -- NVRTC compiles a submission where it can read nothing else, and what it sends
// is looked at.
//
// It needs NVRTC and no GPU; without NVRTC, or where the system cannot shut a process in, it skips.
#include "desk.h"
#include "frame/translator.h"

#define SECRET "canary_in_a_file_of_the_lecturer"

static const struct build_target target = {.arch = 90, .newest_major = 13};
static bool has_nvrtc;
static struct error missing;  // why there is none

static bool translate_with(const struct desk *d,
                           bool (*run)(const struct translation *, struct build_code *,
                                       struct error *),
                           const char *readable, struct build_code *code)
{
    OWNED(filter_finish) struct filter f = {.path = NULL};
    g_autofree char *include = submission_include(d->submission.folder);
    must(submission_read(&f, d->submission.folder, "transpose", "mine.cu", &err));
    const struct translation t = {.program = TILESCOPE_PROGRAM,
                                  .build = {.path = f.path, .source = f.source, .calls = f.calls},
                                  .include = include,
                                  .target = target,
                                  .readable = readable};
    return run(&t, code, &err);
}

static bool translate(const struct desk *d, struct build_code *code)
{
    return translate_with(d, translator_run, d->submission.folder, code);
}

// The same in this process, which is not shut in.
static bool translate_here(const struct desk *d)
{
    struct build_code code = {.bytes = NULL};
    const bool is_done = translate_with(d, translator_run_here, NULL, &code);
    g_free(code.bytes);
    return is_done;
}

static bool holds(const struct build_code *code, const char *word)
{
    const char *const bytes = code->bytes;
    for (size_t i = 0; i + strlen(word) <= code->size; i++)
        if (!memcmp(bytes + i, word, strlen(word))) return true;
    return false;
}

static int set_up(void **state)
{
    desk_set_up(state);
    desk_open_with(*state, "");
    struct build_code code = {.bytes = NULL};
    struct translator *t = backend_translator(&target, &err);
    has_nvrtc = t && (translate(*state, &code) || !strstr(err.text, "cannot shut NVRTC in"));
    missing = err;
    backend_translator_free(t);
    g_free(code.bytes);
    return 0;
}

static void skip_without_nvrtc(void)
{
    if (has_nvrtc) return;
    print_message("skipped: %s\n", missing.text);
    skip();
}

TEST(what_is_honest_becomes_code)
{
    struct build_code code = {.bytes = NULL};
    skip_without_nvrtc();
    desk_open_with(*state, "__constant__ int table[4];\n");
    must(translate(*state, &code));
    assert_true(translator_is_code(&code));
    // What the stopwatch launches (kernels/launch.h).
    assert_true(holds(&code, "launch_transpose_mine"));
    g_free(code.bytes);
}

TEST(an_error_names_the_students_line)
{
    struct build_code code = {.bytes = NULL};
    skip_without_nvrtc();
    desk_open_with(*state, "__device__ int none() { return nothing; }\n");
    assert_false(translate(*state, &code));
    assert_non_null(strstr(err.text, "identifier \"nothing\" is undefined"));
    assert_true(g_str_has_prefix(err.text, "mine.cu:"));
}

// SECRET_FILE stands for the path.
static void open_naming(struct desk *d, const char *text, const char *path)
{
    char **parts = g_strsplit(text, "SECRET_FILE", -1), *more = g_strjoinv(path, parts);
    desk_open_with(d, more);
    g_free(more);
    g_strfreev(parts);
}

// The first of them shows that NVRTC would leak the file if it could: the test can fail.
TEST(no_word_of_another_file_comes_out)
{
    static const char *const texts[] = {
        "\v#include \"SECRET_FILE\"\n",
        "\f#include \"SECRET_FILE\"\n",
        "//\r#include \"SECRET_FILE\"\n",
        "#define NAME \"SECRET_FILE\"\n\v#include NAME\n",
        "int secret =\n\v#include \"SECRET_FILE\"\n;\n",
        "\v#include_next \"SECRET_FILE\"\n",
        "\v#import \"SECRET_FILE\"\n",
        "%:include \"SECRET_FILE\"\n",
        "\?\?=include \"SECRET_FILE\"\n",
        "\v#include <../../../../../../../../../../../..SECRET_FILE>\n",
        "#if __has_include(\"SECRET_FILE\")\n#error " SECRET "\n#endif\n#error no\n",
        "\v#include \"/proc/self/environ\"\n#error no\n",
        "\v#include \"/proc/self/root/SECRET_FILE\"\n",
        "\v#include \"/etc/passwd\"\n",
    };
    struct desk *d = *state;
    skip_without_nvrtc();
    g_autofree char *secret = g_build_filename(d->folder, "secret.txt", NULL);
    assert_true(g_file_set_contents(secret, SECRET " 42\n", -1, NULL));
    open_naming(d, texts[0], secret);
    assert_false(translate_here(d));
    assert_non_null(strstr(err.text, "secret.txt:1"));
    g_setenv("TILESCOPE_TEST_SECRET", SECRET, TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        struct build_code code = {.bytes = NULL};
        open_naming(d, texts[i], secret);
        err.text[0] = '\0';
        // A compiler may take some of it for a comment.
        if (translate(d, &code)) assert_false(holds(&code, "canary"));
        g_free(code.bytes);
        if (strstr(err.text, SECRET) || strstr(err.text, "secret.txt:") ||
            strstr(err.text, "root:"))
            fail_msg("%s: %s", texts[i], err.text);
    }
    g_unsetenv("TILESCOPE_TEST_SECRET");
}

TEST(an_endless_compilation_ends)
{
    struct build_code code = {.bytes = NULL};
    skip_without_nvrtc();
    desk_open_with(*state, "#define A(x) x x x x x x x x x x\n"
                           "#define B(x) A(A(A(A(A(A(A(A(x))))))))\n"
                           "__device__ int much() { B(B(;)) return 0; }\n");
    assert_false(translate(*state, &code));
    assert_string_not_equal(err.text, "");
}

TEST(only_code_is_code)
{
    static char ptx[] = "//\n.version 8.0\n.target sm_90\n", bad[] = "\n.version 8\n.target \xff\n";
    static char elf[64] = "\177ELF\2\1\1";
    assert_true(translator_is_code(&(struct build_code){ptx, sizeof ptx}));
    assert_false(translator_is_code(&(struct build_code){ptx, sizeof ptx - 1}));
    assert_false(translator_is_code(&(struct build_code){bad, sizeof bad}));
    assert_false(translator_is_code(&(struct build_code){elf, sizeof elf}));
    elf[18] = (char)190;
    assert_true(translator_is_code(&(struct build_code){elf, sizeof elf}));
    assert_false(translator_is_code(&(struct build_code){elf, sizeof elf - 1}));
    elf[40] = 65;  // its table of sections begins behind its end
    assert_false(translator_is_code(&(struct build_code){elf, sizeof elf}));
    assert_false(translator_is_code(&(struct build_code){NULL, 0}));
}

SUITE("translator", set_up, desk_tear_down)
