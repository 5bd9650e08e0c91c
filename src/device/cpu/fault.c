#include "device/cpu/fault.h"

#include <glib.h>
#include <unistd.h>
#include <ucontext.h>

static void listen_to(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction before,
        action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

void fault_listen(void (*handler)(int number, siginfo_t *info, void *context))
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) listen_to(numbers[i], handler);
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
    if (number == SIGFPE) return "divides an integer by zero";
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
