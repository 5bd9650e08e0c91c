#include "unit.h"

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

int unit_run(const char *name, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    return _cmocka_run_group_tests(name, tests, (size_t)count, set_up, tear_down);
}

__attribute__((weak)) int main(void)
{
    return unit_run("tests", NULL, NULL);
}
