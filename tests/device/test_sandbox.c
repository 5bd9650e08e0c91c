// test_sandbox -- what a process can no longer do, tried by children of this one.
//
// It skips what the system lacks, and under the sanitizers, whose own calls are shut out, too.
#include "unit.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "device/sandbox.h"

enum { DID = 0, DID_NOT = 1, LACKS = 77 };

struct place {
    char *folder, *inside, *outside;
};

static int make_place(void **state)
{
    struct place *p = g_new0(struct place, 1);
    p->folder = g_dir_make_tmp("tilescope-sandbox-XXXXXX", NULL);
    p->inside = g_build_filename(p->folder, "in", NULL);
    p->outside = g_build_filename(p->folder, "secret", NULL);
    assert_true(g_file_set_contents(p->outside, "42", 2, NULL));
    assert_int_equal(g_mkdir(p->inside, 0700), 0);
    *state = p;
    return 0;
}

static int remove_place(void **state)
{
    g_autofree struct place *p = *state;
    file_remove_all(p->folder);
    g_free(p->folder);
    g_free(p->inside);
    g_free(p->outside);
    return 0;
}

typedef bool action(const struct place *p);

static bool can_open(const char *path, int flags)
{
    const int fd = open(path, flags, 0600);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static bool makes_a_file(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, "made", NULL);
    return can_open(path, O_WRONLY | O_CREAT);
}

static bool can_map(size_t bytes, int rights)
{
    return mmap(NULL, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
           MAP_FAILED;
}

#define ACTION(name, is_done)               \
    static bool name(const struct place *p) \
    {                                       \
        return is_done;                     \
    }
ACTION(writes_inside, makes_a_file(p->inside))
ACTION(writes_outside, can_open(p->outside, O_WRONLY))
ACTION(reads_outside, can_open(p->outside, O_RDONLY))
ACTION(makes_a_file_outside, makes_a_file(p->folder))
ACTION(opens_a_socket, socket(AF_INET, SOCK_STREAM, 0) >= 0)
ACTION(takes_much_memory, can_map((size_t)8 << 30, PROT_READ | PROT_WRITE))
ACTION(makes_code, can_map(4096, PROT_READ | PROT_WRITE | PROT_EXEC))
ACTION(forks, fork() >= 0)
ACTION(asks_who_its_parent_is, getppid() > 0)
ACTION(reads_a_file_of_the_system, can_open("/usr/bin/env", O_RDONLY))

// To what it is already, in case it may.
static bool sets_the_clock(const struct place *p)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return !clock_settime(CLOCK_REALTIME, &now);
}

static bool computes(const struct place *p)
{
    g_autofree char *copy = g_malloc(1 << 20);
    return *strcpy(copy, p->folder) == '/';
}

// What sandbox_enter() is followed by.
typedef bool further(char *missing);

static bool not_further(char *missing)
{
    *missing = '\0';
    return true;
}

static bool close_and_seal(char *missing)
{
    return sandbox_close(missing) && !*missing && sandbox_seal(missing);
}

static void act(const struct place *p, action *what, further *shut)
{
    static const char *const none[] = {"/usr", NULL};
    char missing[SANDBOX_MISSING], more[SANDBOX_MISSING];
    const struct sandbox sandbox = {.writable = p->inside,
                                    .readable = none,
                                    .cpu_s = 10,
                                    .memory_bytes = (size_t)1 << 30,
                                    .file_bytes = 1 << 20};
    const bool is_shut = sandbox_enter(&sandbox, missing) && shut(more);
    _exit(!is_shut || *missing || *more ? LACKS : what(p) ? DID : DID_NOT);
}

// The exit status of a child that acts, or 128 and the signal that ended it.
static int try(const struct place *p, action *what, further *shut)
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) act(p, what, shut);
    assert_int_equal(waitpid(child, &status, 0), child);
    const int result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (result == LACKS) {
        print_message("skipped: this system, or a sanitizer, does not have the whole sandbox\n");
        skip();
    }
    return result;
}

// Each of these, up to the first NULL, has that result.
static void expect(const struct place *p, further *shut, int result, action *const *actions)
{
    for (; *actions; actions++) assert_int_equal(try(p, *actions, shut), result);
}
#define THESE(...) ((action *const[]){__VA_ARGS__, NULL})

TEST_WITH(a_process_that_has_entered, make_place, remove_place)
{
    expect(*state, not_further, DID, THESE(computes, writes_inside, forks));
    expect(*state, not_further, DID_NOT,
           THESE(writes_outside, reads_outside, makes_a_file_outside, opens_a_socket,
                 sets_the_clock, takes_much_memory));
}

TEST_WITH(a_process_that_is_closed, make_place, remove_place)
{
    expect(*state, sandbox_close, DID, THESE(computes, reads_a_file_of_the_system));
    expect(*state, sandbox_close, DID_NOT, THESE(reads_outside));
    expect(*state, sandbox_close, 128 + SIGSYS,
           THESE(writes_inside, opens_a_socket, sets_the_clock, forks, asks_who_its_parent_is));
}

TEST_WITH(a_process_that_is_sealed, make_place, remove_place)
{
    expect(*state, close_and_seal, DID, THESE(computes));
    expect(*state, close_and_seal, DID_NOT, THESE(reads_a_file_of_the_system));
    expect(*state, close_and_seal, 128 + SIGSYS,
           THESE(writes_inside, opens_a_socket, sets_the_clock, forks, asks_who_its_parent_is,
                 makes_code));
}
