#include "device/cpu/fault.h"

#include <glib.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <ucontext.h>

void fault_listen(void (*handler)(int number, siginfo_t *info, void *context))
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    struct sigaction before,
        action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
}

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
    return (struct fault_place){(uintptr_t)registers[REG_RIP], (uintptr_t)registers[REG_RSP]};
#elif defined(__aarch64__)
    const mcontext_t *registers = &((const ucontext_t *)context)->uc_mcontext;
    return (struct fault_place){(uintptr_t)registers->pc, (uintptr_t)registers->sp};
#else
    (void)context;
    return (struct fault_place){0, 0};
#endif
}

// ---- calls of host functions ----

enum { SIGNAL_STACK_BYTES = 64 * 1024, LOOK_US = 20000, NEAR_STACK_BYTES = 64 * 1024 };

struct running {
    const struct host_call *call;
    const struct object *object;
    jmp_buf home;
    pthread_t thread;
    clockid_t clock;  // of the thread's processor time
    atomic_bool is_late;
    char why[256];

    GMutex lock;
    GCond ended;
    bool is_over;
};

static _Thread_local struct running *current;

static bool is_stopped(const struct running *r)
{
    return r->call->stop && atomic_load(r->call->stop);
}

void host_call_interrupt(const void *context)
{
    struct running *r = current;
    if (!r || (!is_stopped(r) && !atomic_load(&r->is_late))) return;
    if (fault_locate(context).instruction - (uintptr_t)r->object->code >= r->object->code_bytes)
        return;
    if (is_stopped(r))
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

static double spent_ms(const struct running *r)
{
    struct timespec spent = {0, 0};
    clock_gettime(r->clock, &spent);
    return 1e3 * (double)spent.tv_sec + 1e-6 * (double)spent.tv_nsec;
}

// The thread that looks.
static gpointer look(gpointer data)
{
    struct running *r = data;
    unsigned seen = atomic_load(r->call->steps);
    double since_ms = spent_ms(r);
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&r->lock);
    while (!r->is_over) {
        g_cond_wait_until(&r->ended, &r->lock, g_get_monotonic_time() + LOOK_US);
        if (r->is_over) break;
        const unsigned steps = atomic_load(r->call->steps);
        if (steps != seen) since_ms = spent_ms(r);
        seen = steps;
        if (spent_ms(r) - since_ms > r->call->limit_ms) atomic_store(&r->is_late, true);
        if (is_stopped(r) || atomic_load(&r->is_late)) pthread_kill(r->thread, SIGURG);
    }
    return NULL;
}

// Whatever the call does to its own variables, these are on the caller's stack.
static bool call(struct running *r)
{
    if (setjmp(r->home)) return false;
    current = r;
    r->call->run(r->call->data);
    current = NULL;
    return true;
}

bool host_call_run(const struct host_call *what, const struct object *object, struct error *err)
{
    struct running r = {.call = what, .object = object, .thread = pthread_self()};
    g_autofree unsigned char *stack = g_malloc(SIGNAL_STACK_BYTES);  // a full one may be the cause
    stack_t previous;
    g_mutex_init(&r.lock);
    g_cond_init(&r.ended);
    pthread_getcpuclockid(r.thread, &r.clock);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = SIGNAL_STACK_BYTES}, &previous);
    GThread *looker = g_thread_new("host call", look, &r);
    const bool is_done = call(&r);
    g_mutex_lock(&r.lock);
    r.is_over = true;
    g_cond_signal(&r.ended);
    g_mutex_unlock(&r.lock);
    g_thread_join(looker);
    g_mutex_clear(&r.lock);
    g_cond_clear(&r.ended);
    sigaltstack(&previous, NULL);
    return is_done || error_set(err, "%s %s", what->name, r.why);
}
