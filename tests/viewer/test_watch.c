// test_watch -- saves, half-written saves, new, touched, renamed and deleted files.
#include "unit.h"

#include <glib/gstdio.h>

#include "viewer/watch.h"
#include "folder.h"

struct place {
    char *folder;
    struct watch *watch;
};

static char *path_of(const struct place *p, const char *name)
{
    return g_build_filename(p->folder, name, NULL);
}

static void save(const struct place *p, const char *name, const char *text)
{
    char *path = path_of(p, name);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    g_free(path);
}

// How often a change is told within some looks.
static int told(const struct place *p)
{
    enum { LOOKS = 5 };
    int count = 0;
    for (int i = 0; i < LOOKS; i++) count += watch_look(p->watch);
    return count;
}

static int open_place(void **state)
{
    struct place *p = g_new0(struct place, 1);
    p->folder = g_dir_make_tmp("watch-XXXXXX", NULL);
    save(p, "mean.cu", "one");
    save(p, "kernel.h", "one");
    save(p, "notes.txt", "one");
    p->watch = watch_create(p->folder);
    *state = p;
    return 0;
}

static int close_place(void **state)
{
    struct place *p = *state;
    folder_remove(p->folder);
    watch_destroy(p->watch);
    g_free(p->folder);
    g_free(p);
    return 0;
}

static void test_each_change_is_told_once(void **state)
{
    struct place *p = *state;
    char *path = path_of(p, "new.cu");
    assert_int_equal(told(p), 0);
    save(p, "mean.cu", "two, longer");
    assert_int_equal(told(p), 1);
    save(p, "mean.cu", "TWO, LONGER");  // of the same length
    assert_int_equal(told(p), 1);
    save(p, "kernel.h", "two");
    assert_int_equal(told(p), 1);
    save(p, "new.cu", "one");
    assert_int_equal(told(p), 1);
    assert_int_equal(g_remove(path), 0);
    assert_int_equal(told(p), 1);
    save(p, "notes.txt", "not a kernel");
    assert_int_equal(told(p), 0);
    g_free(path);
}

static void test_many_saves_are_one_change(void **state)
{
    struct place *p = *state;
    int count = 0;
    for (int i = 0; i < 200; i++) {  // no two looks find the same file
        char text[16];
        g_snprintf(text, sizeof text, "%d", i);
        save(p, "mean.cu", text);
        count += watch_look(p->watch);
    }
    assert_int_equal(count, 0);
    assert_int_equal(told(p), 1);
}

// It looks by itself, and not at each call.
static void test_a_change_is_told_in_time(void **state)
{
    struct place *p = *state;
    int calls = 0;
    save(p, "mean.cu", "two, longer");
    for (; !watch_has_changed(p->watch); calls++) g_usleep(1000);
    assert_true(calls > 0);
}

static void test_a_folder_may_come_and_go(void **state)
{
    struct place *p = *state;
    char *away = g_strconcat(p->folder, "-away", NULL);
    assert_int_equal(g_rename(p->folder, away), 0);
    assert_int_equal(told(p), 1);
    assert_int_equal(g_rename(away, p->folder), 0);
    assert_int_equal(told(p), 1);
    g_free(away);
    watch_destroy(NULL);
}

// One file, whatever its name: it may be replaced, and come and go.
static void test_a_file_alone(void **state)
{
    struct place *p = *state;
    char *path = path_of(p, "notes.txt");
    watch_destroy(p->watch);
    p->watch = watch_create(path);
    save(p, "mean.cu", "two");
    assert_int_equal(told(p), 0);
    save(p, "notes.txt", "two");
    assert_int_equal(told(p), 1);
    g_remove(path);
    assert_int_equal(told(p), 1);
    save(p, "notes.txt", "three");
    assert_int_equal(told(p), 1);
    g_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_change_is_told_once, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_many_saves_are_one_change, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_a_change_is_told_in_time, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_a_folder_may_come_and_go, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_a_file_alone, open_place, close_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
