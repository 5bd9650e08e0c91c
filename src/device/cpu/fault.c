#include "device/cpu/fault.h"

#include <errno.h>
#include <glib.h>
#include <setjmp.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <ucontext.h>

#include "base/wall.h"

bool fault_is_own(const siginfo_t *info)
{
    return info->si_code > 0 || (info->si_code == SI_TKILL && info->si_pid == getpid());
}

bool fault_has_address(const siginfo_t *info)
{
    return info->si_code > 0 && info->si_signo != SIGTRAP;
}

// A fault that has an address comes again when the handler returns.
void fault_end_process(int number, const siginfo_t *info)
{
    signal(number, SIG_DFL);
    if (!fault_has_address(info)) raise(number);
}

const char *fault_words(const siginfo_t *info, bool is_stack_full)
{
    const int number = info->si_signo;
    if (number == SIGABRT) return "calls abort()";
    if (number == SIGTRAP) return "runs into a breakpoint";
    if (!fault_has_address(info)) return "sends itself a signal";
    // Clang's trap for this, which its sanitizer puts before a division.
    static const unsigned char by_zero[] = {0x67, 0x0f, 0xb9, 0x40, 0x03};
    const bool is_by_zero = number == SIGILL && memcmp(info->si_addr, by_zero, sizeof by_zero) == 0;
    if (number == SIGFPE || is_by_zero) return "divides an integer by zero";
    if (number == SIGILL) return "runs into an illegal instruction";
    return is_stack_full ? "fills its stack: its calls are too deep, or its local arrays too large"
                         : "reads or writes outside its memory";
}

struct fault_place fault_locate(const void *context)
{
#if defined(__x86_64__)
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    const bool is_write = registers[REG_ERR] & 2;
    return (struct fault_place){(uintptr_t)registers[REG_RIP], (uintptr_t)registers[REG_RSP],
                                is_write ? "writes" : "reads"};
#elif defined(__aarch64__)
    const mcontext_t *registers = &((const ucontext_t *)context)->uc_mcontext;
    return (struct fault_place){(uintptr_t)registers->pc, (uintptr_t)registers->sp,
                                "reads or writes"};
#else
    (void)context;
    return (struct fault_place){0, 0, "reads or writes"};
#endif
}

// ---- calls of host functions ----

enum { SIGNAL_STACK_BYTES = 64 * 1024, LOOK_NS = 20000000, NEAR_STACK_BYTES = 64 * 1024 };

struct running {
    const struct host_call *call;
    const struct object *object;
    jmp_buf home;
    unsigned step;
    double since_ms;  // the thread's processor time when the step was first seen
    char why[256];
};

static _Thread_local struct running *current;

void host_call_interrupt(const void *context)
{
    struct running *r = current;
    if (!r) return;
    const bool is_stopped = r->call->stop && atomic_load(r->call->stop);
    const unsigned step = atomic_load(r->call->steps);
    if (step != r->step) r->since_ms = wall_thread_ms();
    r->step = step;
    if (!is_stopped && wall_thread_ms() - r->since_ms <= r->call->limit_ms) return;
    if (!object_holds(r->object, fault_locate(context).instruction)) return;
    if (is_stopped)
        g_strlcpy(r->why, "was stopped", sizeof r->why);
    else
        g_snprintf(r->why, sizeof r->why, "has not come back for %.3g s",
                   r->call->limit_ms / 1000.0);
    current = NULL;
    longjmp(r->home, 1);
}

void host_call_fail(const char *why)
{
    struct running *r = current;
    if (!r) return;
    g_strlcpy(r->why, why, sizeof r->why);
    current = NULL;
    longjmp(r->home, 1);
}

void host_call_fault(int number, const siginfo_t *info, const void *context)
{
    struct running *r = current;
    if (!r || !fault_is_own(info)) return;
    const uintptr_t below = fault_locate(context).stack - (uintptr_t)info->si_addr;
    const bool is_stack_full = number == SIGSEGV && fault_has_address(info) &&
                               below + NEAR_STACK_BYTES / 2 < NEAR_STACK_BYTES;
    host_call_fail(fault_words(info, is_stack_full));
}

// A function of its own, so that longjmp() spoils no variable of host_call_run().
static bool call(struct running *r)
{
    if (setjmp(r->home)) return false;
    current = r;
    r->call->run(r->call->data);
    current = NULL;
    return true;
}

bool host_call_run(const struct module *m, const struct host_call *what, struct error *err)
{
    struct running r = {.call = what, .object = object_of(m), .since_ms = wall_thread_ms()};
    g_autofree unsigned char *stack = g_malloc(SIGNAL_STACK_BYTES);  // the thread's may be full
    stack_t previous;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG};
    event._sigev_un._tid = gettid();
    const struct itimerspec looks = {{.tv_nsec = LOOK_NS}, {.tv_nsec = LOOK_NS}};
    // The timer counts processor time, so it does not interrupt a call that waits in a library.
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer))
        return error_set(err, "%s cannot be called: %s", what->name, g_strerror(errno));
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = SIGNAL_STACK_BYTES}, &previous);
    timer_settime(timer, 0, &looks, NULL);
    const bool is_done = call(&r);
    timer_delete(timer);
    sigaltstack(&previous, NULL);
    return is_done || error_set(err, "%s %s", what->name, r.why);
}
