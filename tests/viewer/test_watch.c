// test_watch -- saves, half-written saves, new, touched, renamed and deleted files.
#include "unit.h"

#include <glib/gstdio.h>

#include "viewer/watch.h"
#include "folder.h"

static char *folder;
static struct watch *watch;

static void save(const char *name, const char *text)
{
    g_free(folder_file(folder, name, text));
}

static void remove_file(const char *name)
{
    g_autofree char *path = folder_file(folder, name, NULL);
    assert_int_equal(g_remove(path), 0);
}

// How often a change is told within some looks.
static int told(void)
{
    enum { LOOKS = 5 };
    int count = 0;
    for (int i = 0; i < LOOKS; i++) count += watch_look(watch);
    return count;
}

static int open_place(void **state)
{
    folder = folder_make();
    save("mean.cu", "one");
    save("kernel.h", "one");
    save("notes.txt", "one");
    watch = watch_create(folder);
    return 0;
}

static int close_place(void **state)
{
    folder_end(folder);
    watch_destroy(watch);
    return 0;
}

#define IN_PLACE(name) TEST_WITH(name, open_place, close_place)

IN_PLACE(each_change_is_told_once)
{
    assert_int_equal(told(), 0);
    save("mean.cu", "two, longer");
    assert_int_equal(told(), 1);
    save("mean.cu", "TWO, LONGER");  // of the same length
    assert_int_equal(told(), 1);
    save("kernel.h", "two");
    assert_int_equal(told(), 1);
    save("new.cu", "one");
    assert_int_equal(told(), 1);
    remove_file("new.cu");
    assert_int_equal(told(), 1);
    save("notes.txt", "not a kernel");
    assert_int_equal(told(), 0);
}

IN_PLACE(many_saves_are_one_change)
{
    int count = 0;
    for (int i = 0; i < 200; i++) {  // no two looks find the same file
        char text[16];
        g_snprintf(text, sizeof text, "%d", i);
        save("mean.cu", text);
        count += watch_look(watch);
    }
    assert_int_equal(count, 0);
    assert_int_equal(told(), 1);
}

// It looks by itself, and not at each call.
IN_PLACE(a_change_is_told_in_time)
{
    int calls = 0;
    save("mean.cu", "two, longer");
    for (; !watch_has_changed(watch); calls++) g_usleep(1000);
    assert_true(calls > 0);
}

IN_PLACE(a_folder_may_come_and_go)
{
    g_autofree char *away = g_strconcat(folder, "-away", NULL);
    assert_int_equal(g_rename(folder, away), 0);
    assert_int_equal(told(), 1);
    assert_int_equal(g_rename(away, folder), 0);
    assert_int_equal(told(), 1);
    watch_destroy(NULL);
}

// One file, whatever its name: it may be replaced, and come and go.
IN_PLACE(a_file_alone)
{
    g_autofree char *path = folder_file(folder, "notes.txt", NULL);
    watch_destroy(watch);
    watch = watch_create(path);
    save("mean.cu", "two");
    assert_int_equal(told(), 0);
    save("notes.txt", "two");
    assert_int_equal(told(), 1);
    remove_file("notes.txt");
    assert_int_equal(told(), 1);
    save("notes.txt", "three");
    assert_int_equal(told(), 1);
}
