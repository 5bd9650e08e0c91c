#include "unit.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MOST = 128 };

struct error err;

static struct CMUnitTest tests[MOST];
static int lines[MOST], count;

void unit_add(struct CMUnitTest test, int line)
{
    int at = count++;
    if (count > MOST) g_error("more than %d tests in one program", MOST);
    for (; at && lines[at - 1] > line; at--) {
        tests[at] = tests[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at] = test;
    lines[at] = line;
}

// proc(5): "12 (pool) S". A thread that has just begun has its process's name, and runs.
static bool may_be_of_pool(const char *id)
{
    g_autofree char *path = g_strdup_printf("/proc/self/task/%s/stat", id), *stat = NULL;
    if (atoi(id) == getpid() || !g_file_get_contents(path, &stat, NULL, NULL)) return false;
    char own_name[16];
    prctl(PR_GET_NAME, own_name);
    const char *name = strchr(stat, '(') + 1, *end = strrchr(stat, ')');
    return g_str_has_prefix(name, "pool") ||
           (end[2] == 'R' && (size_t)(end - name) == strlen(own_name) &&
            g_str_has_prefix(name, own_name));
}

// The threads of GLib's pools end by themselves, some time after their pool. LeakSanitizer does not
// know a thread that is ending, and takes what GLib frees for it last for a leak.
static void let_pools_end(void)
{
    enum { PATIENCE_MS = 10000 };  // for a thread that a test has left for good
    bool is_there = true;
    g_thread_pool_set_max_unused_threads(0);
    for (int ms = 0; is_there && ms < PATIENCE_MS; ms++, g_usleep(1000)) {
        g_autoptr(GDir) threads = g_dir_open("/proc/self/task", 0, NULL);
        is_there = false;
        for (const char *id; threads && !is_there && (id = g_dir_read_name(threads));)
            is_there = may_be_of_pool(id);
    }
}

int unit_run(const char *name, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    const int failed = _cmocka_run_group_tests(name, tests, (size_t)count, set_up, tear_down);
    let_pools_end();
    return failed;
}

__attribute__((weak)) int main(void)
{
    return unit_run("tests", NULL, NULL);
}
