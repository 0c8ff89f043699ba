"""Render untrusted files in a process of its own, which reads no setting or environment variable.

It reads requests from standard input and writes answers (4 bytes of length, then parts) to standard output, as in `protocol`.
Each file is rendered in a fork with limits on memory, CPU and time, and without files, sockets or other processes, so that a
malicious file ends only that fork. The answer is whatever was rendered by then.
"""

import os
import resource
import select
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from dashboard.viewer import drawings, words
from dashboard.viewer.confinement import confine
from dashboard.viewer.protocol import HEAD, LENGTH, Task, framed
from dashboard.web.process.kernel import refuse_inspection

MEMORY_BYTES = 512 * 1024 * 1024
CPU_SECONDS = 5
WALL_SECONDS = 10.0
MOST_ANSWER_BYTES = 8 * 1024 * 1024


def render(data: bytes, task: Task, option: str) -> Iterator[bytes]:
    """Yield the parts of the answer."""
    match task:
        case Task.PICTURE:
            yield drawings.picture(data)
        case Task.FIRST_PAGE:
            yield drawings.first_page(data)
        case Task.PAGES:
            yield from drawings.pages(data, int(option))
        case Task.MARKDOWN:
            yield words.markdown(data.decode()).encode()
        case Task.CODE:
            yield words.code(data.decode(), option).encode()


def isolated(data: bytes, task: Task, option: str) -> bytes:
    """Render in a fork, which is killed if it takes too long."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        _render_and_exit(data, task, option, writer)
    os.close(writer)
    try:
        return _read_until(reader, time.monotonic() + WALL_SECONDS)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _render_and_exit(data: bytes, task: Task, option: str, writer: int) -> None:
    status = 1
    try:
        for what, most in (
            (resource.RLIMIT_AS, _used() + MEMORY_BYTES),
            (resource.RLIMIT_CPU, CPU_SECONDS),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(what, (most, most))
        os.close(0)
        os.close(1)
        confine()
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        for part in render(data, task, option):
            left = memoryview(framed(part))
            while left:
                left = left[os.write(writer, left) :]
        status = 0
    finally:
        os._exit(status)


def _used() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _read_until(reader: int, until: float) -> bytes:
    """Return the bytes that arrive before the pipe ends or the time is up; b"" if they are too many."""
    found = bytearray()
    while (left := until - time.monotonic()) > 0 and select.select([reader], [], [], left)[0]:
        block = os.read(reader, 1 << 20)
        if not block:
            break
        found += block
        if len(found) > MOST_ANSWER_BYTES:
            return b""
    return bytes(found)


def serve() -> None:
    refuse_inspection()
    Image.MAX_IMAGE_PIXELS = drawings.MOST_PIXELS
    Image.init()
    source, out = sys.stdin.buffer, sys.stdout.buffer
    while len(head := source.read(HEAD.size)) == HEAD.size:
        length, task, named = HEAD.unpack(head)
        option = source.read(named).decode()
        if task == Task.CODE:
            # A fork can't import, so load them now.
            words.load_lexers()
        answer = isolated(source.read(length), Task(task), option)
        out.write(LENGTH.pack(len(answer)) + answer)
        out.flush()
