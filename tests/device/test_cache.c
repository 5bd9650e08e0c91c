// The cache of compiled kernels: what comes back, when it is off, and that it never is an error.
#include "unit.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "base/signals.h"
#include "device/cache.h"
#include "folder.h"

static int use_own_folder(void **state)
{
    char *folder = g_dir_make_tmp("tilescope-cache-XXXXXX", NULL);
    if (!folder) return -1;
    g_autofree char *inner = g_build_filename(folder, "not", "there yet", NULL);
    g_setenv("TILESCOPE_CACHE", inner, TRUE);
    *state = folder;
    return 0;
}

static int remove_own_folder(void **state)
{
    file_remove_all(*state);
    g_free(*state);
    return 0;
}

static int entries_in(const char *folder)
{
    int count = 0;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    if (!dir) return 0;
    while (g_dir_read_name(dir)) count++;
    return count;
}

// ---- keys ----

TEST(keys_are_sha256_of_text_and_boundaries)
{
    char *const keys[] = {
        cache_key("abc", NULL),         cache_key("ab", "c", NULL),     cache_key("a", "bc", NULL),
        cache_key("a", "b", "c", NULL), cache_key("abc", "", NULL),     cache_key("", "abc", NULL),
        cache_key("abd", NULL),         cache_key("ab", "", "c", NULL), cache_key("", NULL),
        cache_key("", "", NULL),        cache_key("c", "ab", NULL)};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        assert_int_equal(strlen(keys[i]), 64);
        assert_int_equal(strspn(keys[i], "0123456789abcdef"), 64);
        for (size_t k = 0; k < i; k++) assert_string_not_equal(keys[i], keys[k]);
    }
    assert_string_equal(keys[0],  // of "abc\0"
                        "dc1114cd074914bd872cc1f9a23ec910ea2203bc79779ab2e17da25782a624fc");
    char *again = cache_key("ab", "c", NULL);
    assert_string_equal(again, keys[1]);
    free(again);
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) free(keys[i]);
}

// ---- entries ----

#define IN_FOLDER(name) TEST_WITH(name, use_own_folder, remove_own_folder)

IN_FOLDER(what_was_written_comes_back)
{
    static char large[70001];
    static const struct {
        const char *key, *bytes;
        size_t size;
    } rows[] = {{"all", large, sizeof large},
                {"zeros", "a\0b\0\0", 5},
                {"one", "x", 1},
                {"none", "", 0},
                {"one", "yz", 2},
                {"all", "shorter", 7}};
    void *bytes = (void *)1;
    size_t size = 42;
    assert_false(cache_read("missing", ".bin", &bytes, &size));
    for (size_t i = 0; i < sizeof large; i++) large[i] = (char)(i * 7 + i / 256);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        cache_write(rows[i].key, ".bin", rows[i].bytes, rows[i].size);
        assert_true(cache_read(rows[i].key, ".bin", &bytes, &size));
        assert_int_equal(size, rows[i].size);
        assert_memory_equal(bytes, rows[i].bytes, size);
        g_free(bytes);
    }
    assert_int_equal(entries_in(g_getenv("TILESCOPE_CACHE")), 4);  // and nothing half written
    bytes = (void *)1;
    assert_false(cache_read("one", ".so", &bytes, &size));
    assert_ptr_equal(bytes, (void *)1);
    assert_int_equal(size, 7);
}

IN_FOLDER(path_makes_the_folder)
{
    const char *const folder = g_getenv("TILESCOPE_CACHE");
    g_autofree char *path = cache_path("key", ".suffix");
    g_autofree char *wanted = g_build_filename(folder, "key.suffix", NULL);
    assert_string_equal(path, wanted);
    assert_true(g_file_test(folder, G_FILE_TEST_IS_DIR));
    assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

// ---- turns ----

static const char made_once[] = "0123456789abcdef";

static gpointer await_it(gpointer data)
{
    g_autofree void *bytes = NULL;
    size_t size = 0;
    int turn;
    g_atomic_int_set((gint *)data, 1);
    const bool is_found = cache_await(made_once, ".so", 1e6, NULL, &bytes, &size, &turn);
    const bool is_good = is_found && turn < 0 && size == 3 && !memcmp(bytes, "abc", size);
    return GINT_TO_POINTER(is_good);
}

IN_FOLDER(what_another_makes_is_waited_for)
{
    void *bytes;
    size_t size;
    int turn;
    gint has_begun = 0;
    assert_false(cache_await(made_once, ".so", 0, NULL, &bytes, &size, &turn));
    assert_true(turn >= 0);
    GThread *thread = g_thread_new("waits", await_it, &has_begun);
    while (!g_atomic_int_get(&has_begun)) g_usleep(1000);
    g_usleep(50000);  // it would come back meanwhile
    cache_write(made_once, ".so", "abc", 3);
    close(turn);
    assert_true(GPOINTER_TO_INT(g_thread_join(thread)));
}

IN_FOLDER(nobody_waits_for_ever)
{
    const atomic_bool cancel = true;
    void *bytes;
    size_t size;
    int turn, other;
    assert_false(cache_await(made_once, ".so", 0, NULL, &bytes, &size, &turn));
    assert_false(cache_await("f123456789abcdef", ".so", 1e6, NULL, &bytes, &size, &other));
    assert_true(other >= 0);  // not for another key
    close(other);
    assert_false(cache_await(made_once, ".so", 0.03, NULL, &bytes, &size, &other));
    assert_int_equal(other, -1);
    assert_false(cache_await(made_once, ".so", 1e6, &cancel, &bytes, &size, &other));
    assert_int_equal(other, -1);
    sigset_t ending, before;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ending, &before);
    raise(SIGTERM);
    assert_false(cache_await(made_once, ".so", 1e6, NULL, &bytes, &size, &other));
    assert_int_equal(other, -1);
    assert_true(signals_came());
    sigwait(&ending, &(int){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(turn);  // without an entry
    assert_false(cache_await(made_once, ".so", 1e6, NULL, &bytes, &size, &turn));
    assert_true(turn >= 0);
    close(turn);
    g_setenv("TILESCOPE_CACHE", "", TRUE);
    assert_false(cache_await(made_once, ".so", 1e6, NULL, &bytes, &size, &turn));
    assert_int_equal(turn, -1);
}

// ---- what goes ----

static bool is_taken(const char *key)
{
    void *bytes = NULL;
    size_t size;
    const bool is_read = cache_read(key, ".so", &bytes, &size);
    free(bytes);
    return is_read;
}

// The name of an entry, or of a file like one; g_free frees it.
static char *name_of(int number)
{
    char text[16];
    g_snprintf(text, sizeof text, "%d", number);
    return cache_key(text, NULL);
}

static void put(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");  // keeps the mode
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void put_aged(const char *path, time_t used)
{
    struct utimbuf times = {used, used};
    put(path, "x", 1);
    assert_int_equal(g_utime(path, &times), 0);
}

// A folder that somebody named may hold more than the cache: those files stay. Most entries here
// only look like some: what is in them is read when they are asked for.
IN_FOLDER(what_was_used_last_stays)
{
    static const char *const others[] = {
        "notes.txt",
        "0123.so",
        "1114cd074914bd872cc1f9a23ec910ea2203bc79779ab2e17da25782a624fc",
        "XY1114cd074914bd872cc1f9a23ec910ea2203bc79779ab2e17da25782a624fc.so",
        "dc1114cd074914bd872cc1f9a23ec910ea2203bc79779ab2e17da25782a624fc.txt",
        "dc1114cd074914bd872cc1f9a23ec910ea2203bc79779ab2e17da25782a624fc.so.bz2"};
    enum { ALL = CACHE_ENTRIES + (int)G_N_ELEMENTS(others) };
    const char *const folder = g_getenv("TILESCOPE_CACHE");
    g_autofree char *first = name_of(0), *last = name_of(CACHE_ENTRIES);
    cache_write(first, ".so", "abc", 3);
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_autofree char *path = g_build_filename(folder, others[i], NULL);
        put_aged(path, 1);
    }
    for (int i = 1; i < CACHE_ENTRIES; i++) {
        g_autofree char *key = name_of(i), *path = cache_path(key, ".so");
        put_aged(path, 1000000 + i);
    }
    assert_int_equal(entries_in(folder), ALL);
    g_autofree char *path = cache_path(first, ".so");
    assert_int_equal(g_utime(path, &(struct utimbuf){1000000, 1000000}), 0);
    assert_true(is_taken(first));  // and so it is not the oldest any more
    cache_write(last, ".so", "abc", 3);
    assert_int_equal(entries_in(folder), ALL);
    assert_true(is_taken(first) && is_taken(last));
    for (int i = 1; i < CACHE_ENTRIES; i++) {
        g_autofree char *key = name_of(i), *other = g_strconcat(folder, "/", key, ".so", NULL);
        assert_int_equal(g_file_test(other, G_FILE_TEST_EXISTS), i != 1);
    }
}

// ---- what is not taken ----

IN_FOLDER(damaged_entries_are_not_taken)
{
    char *path = cache_path("key", ".so"), *bytes = NULL;
    gsize size;
    cache_write("key", ".so", "the machine code of a kernel", 28);
    assert_true(is_taken("key"));
    assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    for (size_t cut = 0; cut < size; cut++) {
        put(path, bytes, cut);
        if (is_taken("key")) fail_msg("cut to %zu bytes", cut);
    }
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 4;
        put(path, bytes, size);
        bytes[i] ^= 4;
        if (is_taken("key")) fail_msg("byte %zu is wrong", i);
    }
    put(path, bytes, size);
    assert_true(is_taken("key"));
    char *other = cache_path("other", ".so");
    put(other, bytes, size);
    assert_int_equal(g_chmod(other, 0600), 0);
    assert_false(is_taken("other"));  // a whole one under another one's name
    cache_write("other", ".so", "abc", 3);
    assert_true(is_taken("other"));
    g_free(bytes);
    free(other);
    free(path);
}

IN_FOLDER(entries_of_others_are_not_taken)
{
    static const int refused[] = {0620, 0602, 0666};
    char *path = cache_path("key", ".so"), *aside = cache_path("aside", ".so");
    cache_write("key", ".so", "abc", 3);
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        assert_int_equal(g_chmod(path, refused[i]), 0);
        if (is_taken("key")) fail_msg("of mode %o", (unsigned)refused[i]);
    }
    assert_int_equal(g_chmod(path, 0644), 0);
    assert_true(is_taken("key"));
    if (chown(path, 12345, (gid_t)-1) == 0)
        assert_false(is_taken("key"));
    else
        print_message("not tried with another owner: only root may give a file away\n");
    assert_int_equal(g_unlink(path), 0);
    cache_write("key", ".so", "abc", 3);
    assert_int_equal(g_rename(path, aside), 0);
    assert_int_equal(symlink(aside, path), 0);
    assert_false(is_taken("key"));
    assert_int_equal(g_unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);  // and nobody waits for a writer
    assert_false(is_taken("key"));
    free(aside);
    free(path);
}

IN_FOLDER(a_folder_that_others_may_write_to_is_off)
{
    static const int refused[] = {0777, 0770, 0702};
    const char *folder = g_getenv("TILESCOPE_CACHE");
    cache_write("key", ".so", "abc", 3);
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        assert_int_equal(g_chmod(folder, refused[i]), 0);
        assert_false(is_taken("key"));
        assert_null(cache_path("key", ".so"));
    }
    assert_int_equal(g_chmod(folder, 01777), 0);
    assert_true(is_taken("key"));
}

IN_FOLDER(no_umask_opens_an_entry)
{
    struct stat facts;
    const mode_t old = umask(0);
    cache_write("key", ".so", "abc", 3);
    umask(old);
    char *path = cache_path("key", ".so");
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(stat(g_getenv("TILESCOPE_CACHE"), &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0700);
    free(path);
}

// ---- off, and in the way ----

static void assert_off(void)
{
    void *bytes = (void *)1;
    size_t size = 42;
    assert_null(cache_path("key", ".bin"));
    cache_write("key", ".bin", "abc", 3);
    assert_false(cache_read("key", ".bin", &bytes, &size));
    assert_ptr_equal(bytes, (void *)1);
}

// Also where even root cannot make a folder.
IN_FOLDER(empty_and_a_folder_that_cannot_be_mean_off)
{
    g_setenv("TILESCOPE_CACHE", "", TRUE);
    assert_off();
    g_autofree char *file = g_build_filename(*state, "file", NULL);
    assert_true(g_file_set_contents(file, "x", 1, NULL));
    g_autofree char *below = g_build_filename(file, "cache", NULL);
    g_setenv("TILESCOPE_CACHE", below, TRUE);
    assert_off();
    g_setenv("TILESCOPE_CACHE", file, TRUE);
    assert_off();
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(file, &text, NULL, NULL));
    assert_string_equal(text, "x");
}

IN_FOLDER(an_entry_that_cannot_be_written_is_no_error)
{
    void *bytes;
    size_t size;
    char *path = cache_path("key", ".bin");
    assert_int_equal(g_mkdir_with_parents(path, 0755), 0);  // a folder stands in its place
    cache_write("key", ".bin", "abc", 3);
    assert_false(cache_read("key", ".bin", &bytes, &size));
    free(path);
}
