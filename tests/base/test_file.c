// Whole files: what is read, and that what is written never harms what was there.
#include "unit.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "ordinary_user.h"
#include "folder.h"

static int enter_folder(void **state)
{
    return folder_set_up(state) || g_chdir(*state);
}

static int leave_folder(void **state)
{
    return g_chdir("/") || folder_tear_down(state);
}

static int count_files(void)
{
    int count = 0;
    g_autoptr(GDir) dir = g_dir_open(".", 0, NULL);
    while (g_dir_read_name(dir)) count++;
    return count;
}

static void put(const char *path, const char *text)
{
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void expect_file(const char *path, const char *wanted)
{
    g_autofree char *text = file_read_text(path, &err);
    must(text);
    assert_string_equal(text, wanted);
}

static struct stat facts_of(const char *path)
{
    struct stat facts;
    assert_int_equal(lstat(path, &facts), 0);
    return facts;
}

// ---- reading ----

static void expect_unread(const char *path, const char *message)
{
    err.text[0] = '\0';
    assert_null(file_read_text(path, &err));
    assert_string_equal(err.text, message);
}

#define IN_FOLDER(name) TEST_WITH(name, enter_folder, leave_folder)

IN_FOLDER(only_texts_are_read)
{
    put("text", "one\ntwo");
    put("empty", "");
    put("marked", "\xef\xbb\xbfone");
    assert_true(g_file_set_contents("binary", "a\0b", 3, NULL));
    assert_int_equal(mkfifo("pipe", 0600), 0);
    put("large", "");
    assert_int_equal(truncate("large", FILE_MAX_TEXT_BYTES + 1), 0);
    expect_file("text", "one\ntwo");
    expect_file("empty", "");
    expect_file("marked", "one");
    expect_unread("binary", "cannot read 'binary': it is not text");
    expect_unread("pipe", "cannot read 'pipe': it is not a regular file");
    expect_unread("/dev/zero", "cannot read '/dev/zero': it is not a regular file");
    expect_unread(".", "cannot read '.': it is a folder");
    expect_unread("large", "cannot read 'large': it is larger than 16 MB");
    expect_unread("no", "cannot read 'no': No such file or directory");
}

static void put_packed(const char *path, size_t size)
{
    const gzFile packed = gzopen(path, "wb");
    g_autofree char *text = g_malloc0(size + 1);
    memset(text, 'a', size);
    assert_int_equal(gzwrite(packed, text, (unsigned)size), size);
    assert_int_equal(gzclose(packed), Z_OK);
}

IN_FOLDER(packed_texts_are_unpacked)
{
    put_packed("packed", 3);
    expect_file("packed", "aaa");
    put_packed("bomb", FILE_MAX_TEXT_BYTES + 1);
    assert_true(facts_of("bomb").st_size < 1 << 20);
    expect_unread("bomb", "cannot read 'bomb': it is larger than 16 MB");
    put_packed("part", 1000);
    assert_int_equal(truncate("part", facts_of("part").st_size - 3), 0);
    expect_unread("part", "cannot read 'part': it is damaged");
    g_autofree char *bytes = NULL;
    size_t size;
    put_packed("changed", 1000);
    assert_true(g_file_get_contents("changed", &bytes, &size, NULL));
    bytes[size - 6] ^= 1;  // in the checksum
    assert_true(g_file_set_contents("changed", bytes, (gssize)size, NULL));
    expect_unread("changed", "cannot read 'changed': it is damaged");
}

// ---- writing ----

static void write_ok(const char *path, const char *text)
{
    must(file_write(path, text, strlen(text), &err));
}

static void expect_unwritten(const char *path, const char *message)
{
    err.text[0] = '\0';
    const int count = count_files();
    assert_false(file_write(path, "new", 3, &err));
    assert_string_equal(err.text, message);
    assert_int_equal(count_files(), count);
}

IN_FOLDER(files_are_written)
{
    write_ok("a", "one");
    expect_file("a", "one");
    write_ok("a", "");
    expect_file("a", "");
    assert_int_equal(count_files(), 1);
}

IN_FOLDER(what_is_no_file_stays)
{
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(g_mkdir("folder", 0700), 0);
    expect_unwritten("pipe", "cannot write 'pipe': it is not a regular file");
    assert_true(S_ISFIFO(facts_of("pipe").st_mode));
    expect_unwritten("/dev/null", "cannot write '/dev/null': it is not a regular file");
    expect_unwritten("folder", "cannot write 'folder': it is a folder");
    expect_unwritten("no/file", "cannot write 'no/file': No such file or directory");
    put("file", "");
    expect_unwritten("file/new", "cannot write 'file/new': Not a directory");
}

IN_FOLDER(links_are_followed)
{
    put("real", "old");
    assert_int_equal(symlink("real", "link"), 0);
    write_ok("link", "new");
    assert_true(S_ISLNK(facts_of("link").st_mode));
    assert_true(S_ISREG(facts_of("real").st_mode));
    expect_file("real", "new");
}

IN_FOLDER(mode_and_owner_stay)
{
    put("a", "old");
    assert_int_equal(g_chmod("a", 0640), 0);
    const bool is_root = chown("a", 12345, 54321) == 0;
    if (!is_root) print_message("not tried with another owner: only root may give a file away\n");
    const struct stat before = facts_of("a");
    write_ok("a", "new");
    const struct stat after = facts_of("a");
    assert_int_equal(after.st_mode, before.st_mode);
    assert_int_equal(after.st_uid, before.st_uid);
    assert_int_equal(after.st_gid, before.st_gid);
    expect_file("a", "new");
    const mode_t mask = umask(027);
    write_ok("b", "new");
    umask(mask);
    assert_int_equal(facts_of("b").st_mode & 0777, 0640);
}

IN_FOLDER(protected_files_stay)
{
    ordinary_user_begin(".");
    put("a", "old");
    assert_int_equal(g_chmod("a", 0444), 0);
    expect_unwritten("a", "cannot write 'a': Permission denied");
    expect_file("a", "old");
    assert_int_equal(g_chmod("a", 0), 0);
    expect_unread("a", "cannot read 'a': Permission denied");
    assert_int_equal(g_chmod(".", 0500), 0);
    expect_unwritten("new", "cannot write 'new': Permission denied");
    assert_int_equal(g_chmod(".", 0700), 0);
    ordinary_user_end();
}

IN_FOLDER(a_failure_keeps_the_old_file)
{
    struct file_output o;
    put("a", "old");
    assert_true(file_begin(&o, "a", &err));
    assert_true(fputs("half", o.stream) >= 0);
    error_set(&err, "out of ideas");
    assert_false(file_end(&o, false, &err));
    assert_string_equal(err.text, "cannot write 'a': out of ideas");
    expect_file("a", "old");
    assert_int_equal(count_files(), 1);
}

IN_FOLDER(two_writers_of_a_new_file)
{
    struct file_output one, two;
    assert_true(file_begin(&one, "a", &err) && file_begin(&two, "a", &err));
    assert_true(fputs("one", one.stream) >= 0 && fputs("two", two.stream) >= 0);
    assert_true(file_end(&one, true, &err));
    assert_false(file_end(&two, true, &err));
    assert_string_equal(err.text, "cannot write 'a': File exists");
    expect_file("a", "one");
    assert_int_equal(count_files(), 1);
}

IN_FOLDER(a_folder_is_renamed_meanwhile)
{
    struct file_output o;
    assert_int_equal(g_mkdir("before", 0755), 0);
    assert_true(file_begin(&o, "before/a", &err));
    assert_int_equal(g_rename("before", "after"), 0);
    assert_false(file_end(&o, true, &err));
    assert_string_equal(err.text, "cannot write 'before/a': No such file or directory");
    assert_int_equal(g_rmdir("after"), 0);  // it is empty
}

// Where a link leads stays.
IN_FOLDER(all_is_removed)
{
    assert_int_equal(g_mkdir("kept", 0755), 0);
    assert_int_equal(g_mkdir_with_parents("gone/inner", 0755), 0);
    assert_true(file_write("kept/a", "a", 1, &err) && file_write("gone/inner/b", "b", 1, &err));
    assert_int_equal(symlink("../../kept", "gone/inner/link"), 0);
    assert_true(file_remove_all("gone"));
    assert_false(file_remove_all("gone"));
    assert_int_equal(count_files(), 1);
    expect_file("kept/a", "a");
}
