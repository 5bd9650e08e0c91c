#include "device/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The address sanitizer reserves terabytes, and asks the system for more than a kernel does.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HAS_SANITIZER 0
#endif

static void miss(char *missing, const char *what)
{
    if (*missing) g_strlcat(missing, ", ", SANDBOX_MISSING);
    g_strlcat(missing, what, SANDBOX_MISSING);
}

// ---- limits ----

static bool limit(int what, rlim_t value)
{
    struct rlimit r;
    if (getrlimit(what, &r)) return false;
    r.rlim_cur = r.rlim_max = r.rlim_max == RLIM_INFINITY ? value : MIN(r.rlim_max, value);
    return !setrlimit(what, &r);
}

// ---- files: Landlock ----

// Newer than some systems' header. The kernel's documentation, userspace-api/landlock.
struct ruleset {
    unsigned long long files, network, scopes;
};
enum {
    MAY_EXECUTE = 1 << 0,
    MAY_WRITE = 1 << 1,
    MAY_READ = 1 << 2,
    MAY_LIST = 1 << 3,
    ALL_OF_FIRST = (1 << 13) - 1,
    ABI_OF_REFER = 2,
    ABI_OF_TRUNCATE = 3,
    ABI_OF_NETWORK = 4,
    ABI_OF_IOCTL = 5,
    ABI_OF_SCOPES = 6,
    NO_SOCKETS_AND_SIGNALS_OUTSIDE = 3,
    NO_TCP = 3,
};

static bool allow(int ruleset, const char *path, unsigned long long rights)
{
    struct stat facts;
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return true;
    const bool is_folder = !fstat(fd, &facts) && S_ISDIR(facts.st_mode);
    const struct landlock_path_beneath_attr rule = {
        .allowed_access = is_folder ? rights : rights & (MAY_EXECUTE | MAY_WRITE | MAY_READ),
        .parent_fd = fd};
    const long result =
        syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(fd);
    return !result;
}

static bool lock_files(const struct sandbox *s)
{
    const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1) return false;
    const struct ruleset rules = {
        .files = (unsigned long long)ALL_OF_FIRST | (abi >= ABI_OF_REFER ? 1u << 13 : 0) |
                 (abi >= ABI_OF_TRUNCATE ? 1u << 14 : 0) | (abi >= ABI_OF_IOCTL ? 1u << 15 : 0),
        .network = NO_TCP,
        .scopes = NO_SOCKETS_AND_SIGNALS_OUTSIDE};
    const size_t bytes = abi >= ABI_OF_SCOPES    ? sizeof rules
                         : abi >= ABI_OF_NETWORK ? offsetof(struct ruleset, scopes)
                                                 : offsetof(struct ruleset, network);
    const int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, bytes, 0);
    if (fd < 0) return false;
    bool is_good = allow(fd, "/dev/null", MAY_READ | MAY_WRITE) && allow(fd, "/usr", MAY_LIST) &&
                   (!s->writable || allow(fd, s->writable, rules.files));
    for (const char *const *path = s->readable; is_good && *path; path++)
        is_good = allow(fd, *path, MAY_EXECUTE | MAY_READ | MAY_LIST);
    is_good = is_good && !syscall(SYS_landlock_restrict_self, fd, 0);
    close(fd);
    return is_good;
}

// ---- calls: seccomp ----

static const char never[] =
    "socket socketpair clock_settime clock_adjtime settimeofday adjtimex ptrace "
    "process_vm_readv process_vm_writev mount umount2 pivot_root chroot unshare setns bpf "
    "perf_event_open keyctl add_key request_key reboot kexec_load init_module finit_module "
    "delete_module swapon swapoff io_uring_setup userfaultfd open_by_handle_at "
    "name_to_handle_at sethostname setdomainname";

// The system calls of a sealed process.
static const char sealed[] =
    "read write readv writev close futex munmap mremap madvise brk exit exit_group "
    "rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack set_robust_list rseq sched_yield "
    "clock_gettime clock_nanosleep nanosleep gettid getpid getrandom poll ppoll "
    "restart_syscall sched_getaffinity";

// The system calls of a loader, and the seal.
static const char closed[] = "mmap mprotect fstat newfstatat lseek pread64 prctl seccomp";

static bool add_rules(scmp_filter_ctx filter, uint32_t action, const char *names)
{
    g_auto(GStrv) calls = g_strsplit(names, " ", -1);
    bool is_good = true;
    for (char **name = calls; is_good && *name; name++)
        is_good = !seccomp_rule_add(filter, action, seccomp_syscall_resolve_name(*name), 0);
    return is_good;
}

// Installs a filter for the process if everything succeeded so far.
static bool end_rules(scmp_filter_ctx filter, bool is_good)
{
    is_good = is_good && !seccomp_load(filter);
    if (filter) seccomp_release(filter);
    return is_good;
}

// ---- both ----

bool sandbox_enter(const struct sandbox *s, char *missing)
{
    *missing = '\0';
    enum { MAX_FILES = 64 };
    signal(SIGXFSZ, SIG_DFL);  // the process ends with this signal, which says why
    const bool has_all = limit(RLIMIT_CPU, (rlim_t)s->cpu_s) &&
                         (HAS_SANITIZER || limit(RLIMIT_AS, s->memory_bytes)) &&
                         limit(RLIMIT_FSIZE, s->file_bytes) && limit(RLIMIT_CORE, 0) &&
                         limit(RLIMIT_NOFILE, MAX_FILES);
    if (!has_all || HAS_SANITIZER) miss(missing, "limits of time and memory");
    const bool has_files = !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && lock_files(s);
    const scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    const bool has_calls = end_rules(f, f && add_rules(f, SCMP_ACT_ERRNO(EPERM), never));
    if (!has_files) miss(missing, "no files elsewhere (Landlock)");
    if (!has_calls) miss(missing, "no network and no clocks (seccomp)");
    return has_files && has_calls;
}

static bool forbid(bool may_load, char *missing)
{
    const struct scmp_arg_cmp only_reads = SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT, 0);
    const struct scmp_arg_cmp is_not_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    *missing = '\0';
    const scmp_filter_ctx f = HAS_SANITIZER ? NULL : seccomp_init(SCMP_ACT_KILL_PROCESS);
    bool is_good =
        f && !seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1) && add_rules(f, SCMP_ACT_ALLOW, sealed);
    if (may_load)
        is_good = is_good && add_rules(f, SCMP_ACT_ALLOW, closed) &&
                  !seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, only_reads);
    else  // malloc sometimes opens a file, and works without it
        is_good = is_good && !seccomp_rule_add(f, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat), 0) &&
                  !seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, is_not_code) &&
                  !seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, is_not_code);
    if (end_rules(f, is_good)) return true;
    miss(missing, "no system calls (seccomp)");
    return HAS_SANITIZER;
}

bool sandbox_close(char *missing)
{
    return forbid(true, missing);
}

bool sandbox_seal(char *missing)
{
    return forbid(false, missing);
}
