"""Confine a process that renders files to memory, time, and writing its answer. Permanent.

A seccomp filter lists the allowed calls, so the process can't open a file or socket, start a process or send a signal. A refused
call fails with EPERM, and a file whose rendering needed it gets no picture.
"""

import ctypes
import errno
import os
import struct
import sys

from dashboard.web.process.kernel import prctl

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO = 0x7FFF0000, 0x00050000
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
# Offsets in `struct seccomp_data`.
NUMBER, ARCHITECTURE = 0, 4

# AUDIT_ARCH and call numbers by machine. x86-64 has a second set above 0x40000000, refused with the rest.
MACHINES = {
    "x86_64": (
        0xC000003E,
        {
            "write": 1, "close": 3, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14,
            "rt_sigreturn": 15, "mremap": 25, "madvise": 28, "getpid": 39, "exit": 60, "gettimeofday": 96, "sigaltstack": 131,
            "gettid": 186, "time": 201, "futex": 202, "restart_syscall": 219, "clock_gettime": 228, "exit_group": 231,
            "getrandom": 318,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "write": 64, "close": 57, "mmap": 222, "mprotect": 226, "munmap": 215, "brk": 214, "rt_sigaction": 134,
            "rt_sigprocmask": 135, "rt_sigreturn": 139, "mremap": 216, "madvise": 233, "getpid": 172, "exit": 93,
            "gettimeofday": 169, "sigaltstack": 132, "gettid": 178, "futex": 98, "restart_syscall": 128, "clock_gettime": 113,
            "exit_group": 94, "getrandom": 278,
        },
    ),
}  # fmt: skip


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def confine() -> None:
    """Confine this process, which must have one thread, on known machines. Raises `OSError` if the kernel can't."""
    if sys.platform != "linux" or os.uname().machine not in MACHINES:
        return
    instructions = program(*MACHINES[os.uname().machine])
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    wanted = _Program(len(instructions) // 8, instructions)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(wanted))


def program(architecture: int, calls: dict[str, int]) -> bytes:
    """Return the filter that allows only these calls of this architecture."""
    refused = SECCOMP_RET_ERRNO | errno.EPERM
    lines = [_line(LOAD_WORD, ARCHITECTURE), _line(JUMP_IF_EQUAL, architecture, then=1), _line(RETURN, refused)]
    lines.append(_line(LOAD_WORD, NUMBER))
    for number in calls.values():
        lines += [_line(JUMP_IF_EQUAL, number, otherwise=1), _line(RETURN, SECCOMP_RET_ALLOW)]
    return b"".join([*lines, _line(RETURN, refused)])


def _line(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    """Return one `struct sock_filter`; a jump skips `then` or `otherwise` instructions."""
    return struct.pack("HBBI", code, then, otherwise, value)
