// Memory between pages that nobody may touch: every byte of it is there, and behind it is nothing.
#include "unit.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cpu/fiber.h"
#include "device/cpu/guarded.h"

// Whether a child that writes there is ended by SIGSEGV.
static bool is_closed(volatile unsigned char *place)
{
    int status = 0;
    const pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        *place = 1;
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void test_every_byte_is_there(void **state)
{
    static const size_t sizes[] = {1, 511, 512, 513, 4096, 4097, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *memory = guarded_alloc(sizes[i]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 512, 0);
        memset(memory, 0xA5, sizes[i]);
        assert_int_equal(memory[sizes[i] - 1], 0xA5);
        guarded_free(memory);
    }
    guarded_free(NULL);
}

static void test_nothing_is_behind_it(void **state)
{
    if (FIBER_HAS_ASAN) {
        print_message("skipped: the sanitizer has a heap of its own\n");
        skip();
    }
    unsigned char *memory = guarded_alloc(9045);
    assert_false(is_closed(memory + 9215));
    assert_true(is_closed(memory + 9216));
    assert_true(is_closed(memory - sysconf(_SC_PAGESIZE)));
    guarded_free(memory);
}

static void test_too_much_is_refused(void **state)
{
    assert_null(guarded_alloc(SIZE_MAX / 4));
    assert_null(guarded_alloc(SIZE_MAX - 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_is_there),
        cmocka_unit_test(test_nothing_is_behind_it),
        cmocka_unit_test(test_too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
