"""Set attributes of this process in the Linux kernel. Does nothing on other systems."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4

_prctl = getattr(ctypes.CDLL(None, use_errno=True), "prctl", None) if sys.platform == "linux" else None
if _prctl:
    # Narrower numbers could leave garbage in the upper half of a register.
    _prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]


def prctl(option: int, value: int, address: int = 0) -> None:
    """Set one attribute of this process. Raises `OSError`."""
    if _prctl and _prctl(option, value, address, 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def refuse_inspection() -> None:
    """Keep other processes of this user from reading our memory and environment, and disable core dumps.

    Forks inherit this, executed programs don't.
    """
    prctl(PR_SET_DUMPABLE, 0)


def end_with_parent() -> None:
    """Get SIGTERM when the parent dies."""
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
