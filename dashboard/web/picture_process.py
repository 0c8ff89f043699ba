"""Make thumbnails of pictures that strangers stored. A program of its own: it imports nothing of ours and reads no setting.

It reads requests from standard input (4 bytes of length, 1 byte of kind, the file) and writes answers (4 bytes of length, a WebP
picture, or nothing for what can't be shown). Each file is decoded in a fork with limits on memory, CPU and time, so that a file
made to attack ends that fork alone.
"""

import os
import resource
import select
import signal
import struct
import sys
import time
import warnings
from io import BytesIO
from pathlib import Path
from typing import cast

import pypdfium2
from PIL import Image, ImageOps

SIZE = (320, 240)
MOST_PIXELS = 50_000_000
MOST_BYTES = 30 * 1024
MEMORY_BYTES = 512 * 1024 * 1024
CPU_SECONDS = 4
WALL_SECONDS = 6.0
QUALITIES = (75, 55, 35, 15)
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
PICTURE, DOCUMENT = 0, 1


def render(data: bytes, kind: int) -> bytes:
    """Return a small WebP picture without metadata."""
    source = _page(data) if kind == DOCUMENT else _picture(data)
    mode = "RGBA" if "A" in source.getbands() or "transparency" in source.info else "RGB"
    small = source.convert(mode)
    # A new picture has no EXIF, XMP or colour profile.
    clean = Image.new(mode, small.size)
    clean.paste(small)
    while min(clean.size) > 0:
        for quality in QUALITIES:
            out = BytesIO()
            clean.save(out, "WEBP", quality=quality, method=2)
            if out.tell() <= MOST_BYTES:
                return out.getvalue()
        clean = clean.reduce(2)
    return b""


def _picture(data: bytes) -> Image.Image:
    with Image.open(BytesIO(data), formats=FORMATS) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            raise ValueError("too many pixels")
        # The colours of a palette can't be mixed.
        whole = picture.convert("RGBA") if picture.mode == "P" else picture
        # Without a gap, JPEG is decoded at the smallest scale that is large enough.
        whole.thumbnail(SIZE, reducing_gap=1.0)
        return ImageOps.exif_transpose(whole)


def _page(data: bytes) -> Image.Image:
    """The first page of a PDF."""
    page = pypdfium2.PdfDocument(data)[0]
    width, height = page.get_size()
    scale = min(SIZE[0] / max(width, 1), SIZE[1] / max(height, 1))
    return cast("Image.Image", page.render(scale=scale, may_draw_forms=False).to_pil())


def isolated(data: bytes, kind: int) -> bytes:
    """Decode in a fork, which is killed when it takes too long."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        _decode_and_exit(data, kind, writer)
    os.close(writer)
    try:
        return _read_until(reader, time.monotonic() + WALL_SECONDS)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _decode_and_exit(data: bytes, kind: int, writer: int) -> None:
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
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        os.write(writer, render(data, kind))
        status = 0
    finally:
        os._exit(status)


def _used() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _read_until(reader: int, until: float) -> bytes:
    """At most 30 KiB until the end of the pipe; nothing if that comes too late."""
    found = b""
    while (left := until - time.monotonic()) > 0 and select.select([reader], [], [], left)[0]:
        block = os.read(reader, MOST_BYTES + 1)
        if not block:
            return found if len(found) <= MOST_BYTES else b""
        found += block
    return b""


def serve() -> None:
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    Image.init()
    source, out = sys.stdin.buffer, sys.stdout.buffer
    while len(head := source.read(5)) == 5:
        length, kind = struct.unpack("!IB", head)
        answer = isolated(source.read(length), kind)
        out.write(struct.pack("!I", len(answer)) + answer)
        out.flush()


if __name__ == "__main__":
    serve()
