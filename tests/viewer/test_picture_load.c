// test_picture_load -- a file that is slow to open holds nobody up, and what cannot be read says
// so.
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <unistd.h>

#include "viewer/viewer.h"

static char *folder;

static char *save(struct planes picture)
{
    struct error err = {""};
    char *path = g_build_filename(folder, "a.png", NULL);
    if (!image_save(picture, path, NULL, 0, &err)) fail_msg("%s", err.text);
    return path;
}

// Whoever opens the file waits until the lease is given up.
static int take_lease(const char *path)
{
    const int file = open(path, O_RDWR);
    assert_true(file >= 0);
    signal(SIGIO, SIG_IGN);  // it says that somebody waits
    if (fcntl(file, F_SETLEASE, F_WRLCK) == 0) return file;
    print_message("skipped: no leases in %s: %s\n", folder, strerror(errno));
    close(file);
    skip();
    return -1;
}

static void a_slow_file_holds_nobody_up(void **state)
{
    struct image image = {0};
    struct error err = {""};
    assert_true(image_init(&image, 41, 37, 3, &err));
    image_fill_noise(image.planes, 1);
    char *path = save(image.planes), *sha256 = image_checksum(path);
    const int lease = take_lease(path);
    struct picture_load *load = picture_load_begin(path, false);
    for (int i = 0; i < 5; i++) assert_false(g_atomic_int_get(&load->is_done));
    close(lease);
    if (!picture_load_end(load)) fail_msg("%s", load->err.text);
    assert_int_equal(image_compare(load->image.planes, image.planes).count, 0);
    assert_string_equal(load->sha256, sha256);
    picture_load_free(load);
    load = picture_load_begin(path, true);
    assert_true(picture_load_end(load) && load->image.planes.count == 1);
    picture_load_free(load);
    image_finish(&image);
    g_remove(path);
    g_free(sha256);
    g_free(path);
}

static void what_cannot_be_read_has_a_reason(void **state)
{
    struct picture_load *load = picture_load_begin("/nosuch.png", false);
    assert_false(picture_load_end(load));
    assert_string_equal(load->err.text, "cannot read '/nosuch.png': No such file or directory");
    assert_null(load->sha256);
    picture_load_free(load);
}

static int open_folder(void **state)
{
    folder = g_dir_make_tmp("tilescope-picture-XXXXXX", NULL);
    return !folder;
}

static int close_folder(void **state)
{
    g_rmdir(folder);
    g_free(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_file_holds_nobody_up),
        cmocka_unit_test(what_cannot_be_read_has_a_reason),
    };
    return cmocka_run_group_tests_name("picture_load", tests, open_folder, close_folder);
}
