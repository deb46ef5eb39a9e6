"""What the standard library of one system has and that of another one lacks.

The emulation of other systems takes these names away.
"""

POSIX = {  # absent on Windows
    "os": """O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_SYNC RTLD_NOW WEXITED WNOHANG WSTOPPED
        WIFEXITED WEXITSTATUS WIFSIGNALED WTERMSIG P_PID chown chroot confstr ctermid fchdir fchown
        fork forkpty fpathconf fstatvfs getegid geteuid getgid getgroups getloadavg getpgid getpgrp
        getpriority getresuid getsid getuid initgroups killpg lchown lockf major makedev mkfifo
        mknod nice openpty pathconf posix_fallocate posix_spawn pread preadv pwrite pwritev
        register_at_fork sched_get_priority_max sched_yield sendfile setegid seteuid setgid
        setgroups setpgid setpriority setresuid setreuid setsid setuid statvfs sync sysconf
        tcgetpgrp tcsetpgrp ttyname uname wait wait3 wait4""",
    "signal": """ITIMER_REAL SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGIO SIGKILL SIGPIPE SIGPROF
        SIGQUIT SIGSTOP SIGSYS SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM
        SIGWINCH SIGXCPU SIGXFSZ SIG_BLOCK SIG_SETMASK SIG_UNBLOCK alarm getitimer pause
        pthread_kill pthread_sigmask setitimer siginterrupt sigpending sigwait""",
    "select": "poll PIPE_BUF",
    "socket": "AF_UNIX CMSG_LEN SCM_RIGHTS recv_fds send_fds",
    "time": """CLOCK_MONOTONIC CLOCK_REALTIME clock_getres clock_gettime clock_settime
        pthread_getcpuclockid""",
}
LINUX = {  # absent on Windows and on macOS
    "os": """EFD_CLOEXEC GRND_NONBLOCK MFD_ALLOW_SEALING MFD_CLOEXEC O_TMPFILE RTLD_DEEPBIND
        copy_file_range eventfd fdatasync getrandom getxattr memfd_create pidfd_open
        posix_fadvise removexattr sched_getaffinity sched_setaffinity sched_setscheduler
        setxattr splice waitid""",  # macOS has the last one since Python 3.13
    "signal": """SIGPOLL SIGPWR SIGRTMAX SIGRTMIN SIGSTKFLT pidfd_send_signal sigtimedwait
        sigwaitinfo""",
    "select": "EPOLLIN epoll",
    "socket": "AF_ALG AF_NETLINK AF_VSOCK",
    "time": "CLOCK_BOOTTIME CLOCK_TAI",
}
MODULES = {
    "win32": {"crypt", "curses", "fcntl", "grp", "nis", "posix", "pty", "pwd", "readline",
              "resource", "syslog", "termios", "tty"},
    "darwin": set[str](),
}  # fmt: skip
FOLDERS = ("/proc", "/sys")  # of the kernel of Linux


def names_absent(system: str) -> dict[str, set[str]]:
    """Return what each module of the standard library lacks on a system."""
    lacking = (LINUX, POSIX) if system == "win32" else (LINUX,)
    return {name: {*" ".join(each[name] for each in lacking).split()} for name in LINUX}
