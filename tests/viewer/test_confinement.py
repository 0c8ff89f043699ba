"""What a fork that renders can reach: nothing but its memory, also for a file that took it over."""

import os
from pathlib import Path

import pytest

from dashboard.viewer import pictures
from dashboard.viewer.pictures import Renderer
from dashboard.viewer.protocol import Task

PROBE = """
import ctypes, os, socket, sys
from dashboard.viewer import process, words

def attempt(name, act, *arguments):
    try:
        act(*arguments)
    except OSError as refused:
        return f"{name}: {refused.strerror}"
    return f"{name}: done"

def call(number, *arguments):
    if library.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def probe(data, task, option):
    web, sibling, key = option.split()
    renderer = os.getppid()
    for name, pid in (("own", os.getpid()), ("renderer", renderer), ("web", web), ("sibling", sibling)):
        for part in ("environ", "mem", "maps", "fd/0"):
            yield attempt(f"{part} of {name}", os.open, f"/proc/{pid}/{part}", os.O_RDONLY).encode()
        piece = ctypes.create_string_buffer(8)
        vector = (ctypes.c_size_t * 2)(ctypes.addressof(piece), 8)
        read = (CALLS["process_vm_readv"], int(pid), vector, 1, vector, 1, 0)
        yield attempt(f"process_vm_readv of {name}", call, *read).encode()
        yield attempt(f"ptrace of {name}", call, CALLS["ptrace"], SEIZE, int(pid), 0, 0).encode()
        yield attempt(f"signal to {name}", os.kill, int(pid), 0).encode()
    for what, act, *arguments in (
        ("read keys", os.open, key, os.O_RDONLY), ("write keys", os.open, key, os.O_WRONLY), ("remove keys", os.unlink, key),
        ("list", os.listdir, os.path.dirname(key)), ("look", os.stat, key), ("socket", socket.socket),
        ("local socket", socket.socket, socket.AF_UNIX), ("pair", socket.socketpair), ("memory file", os.memfd_create, "x"),
        ("pipe", os.pipe), ("io_uring", call, 425, 1, 0), ("pidfd", call, 434, renderer, 0),
        ("foreign call", call, 0x40000000 + 257), ("fork", lambda: os.fork() or os._exit(0)),
        ("program", os.execv, sys.executable, [sys.executable]),
    ):
        yield attempt(what, act, *arguments).encode()

SEIZE = 0x4206
X86, ARM = {"process_vm_readv": 310, "ptrace": 101}, {"process_vm_readv": 270, "ptrace": 117}
CALLS = {"x86_64": X86, "aarch64": ARM}[os.uname().machine]
library = ctypes.CDLL(None, use_errno=True)
process.render = probe
process.serve()
"""


def test_a_fork_that_was_taken_over_reaches_no_file_no_process_and_no_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "vault_keys"
    key.write_text("secret")
    sibling = Renderer()
    others = f"{os.getpid()} {sibling._running().pid}"
    monkeypatch.setattr(pictures, "PROGRAM", f"import sys; sys.path.append(sys.argv[1])\n{PROBE}")
    hostile = Renderer()
    said = hostile.make(b"x", Task.PICTURE, f"{others} {key}")
    hostile.close()
    sibling.close()
    assert len(said) == 4 * 7 + 15
    assert [line for line in said if not line.endswith(b": Operation not permitted")] == []
    assert key.read_text() == "secret"


EVERY_LEXER = """
from dashboard.viewer import process, words
from pygments.lexers import get_all_lexers

def each(data, task, option):
    words.load_lexers()
    return [words.coloured(data.decode(), aliases[0]).encode() for _, aliases, _, _ in get_all_lexers() if aliases]

process.render = each
process.CPU_SECONDS = process.WALL_SECONDS = 120
process.serve()
"""


@pytest.mark.exhaustive
def test_every_language_is_coloured_without_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lexers import others, and lists of words, when they first need them."""
    monkeypatch.setattr(pictures, "PROGRAM", f"import sys; sys.path.append(sys.argv[1])\n{EVERY_LEXER}")
    whole = Renderer()
    source = "<?php print('a');\n```rust\nfn x() {}\n```\n.. code:: lua\n\n  x = 1\n\n```nothing\n"
    assert len(whole.make(source.encode(), Task.CODE, "a.py")) > 500
    whole.close()
