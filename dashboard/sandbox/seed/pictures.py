"""Pictures and documents drawn with plain code."""

import math
import struct
import zlib
from collections.abc import Callable, Sequence

Colour = tuple[int, int, int]


def png(width: int, height: int, paint: Callable[[float, float], Colour]) -> bytes:
    """Return a PNG. `paint` gives the colour at x and y, both from 0 to 1."""
    rows = b"".join(b"\0" + b"".join(bytes(paint(x / width, y / height)) for x in range(width)) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def sunrise(sky: Colour, sun: Colour, sea: Colour) -> Callable[[float, float], Colour]:
    """Paint a sunrise over the sea."""

    def paint(x: float, y: float) -> Colour:
        if y > 0.62:
            gleam = abs(x - 0.5) < 0.16 - (y - 0.62) * 0.2 + 0.03 * math.sin(y * 120)
            return _mix(sea, sun, 0.7 if gleam else (1 - y) * 0.4)
        if math.hypot(x - 0.5, (y - 0.62) * 0.75) < 0.17:
            return sun
        return _mix(sky, sun, max(0.0, y - 0.15))

    return paint


def parcel(ground: Colour, card: Colour, tape: Colour) -> Callable[[float, float], Colour]:
    """Paint a parcel with tape."""

    def paint(x: float, y: float) -> Colour:
        if 0.22 < x < 0.78 and 0.3 < y < 0.82:
            if abs(x - 0.5) < 0.05:
                return tape
            if 0.56 < x < 0.74 and 0.58 < y < 0.76:
                return (250, 250, 246) if int(x * 160) % 3 or y < 0.66 else (40, 40, 44)
            return _mix(card, (0, 0, 0), 0.12 if y > 0.42 else 0.0)
        return _mix(ground, (255, 255, 255), 0.08 * (int(y * 40) % 2))

    return paint


def weave(first: Colour, second: Colour) -> Callable[[float, float], Colour]:
    """Paint waves of two colours."""
    return lambda x, y: _mix(first, second, 0.5 + 0.5 * math.sin(9 * x + 4 * math.sin(5 * y)))


def _mix(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * min(1.0, max(0.0, share))) for a, b in zip(one, other, strict=True))
    return red, green, blue


def pdf(title: str, lines: Sequence[str]) -> bytes:
    """Return a PDF with one page of Latin text."""
    text = "\n".join(f"({_escaped(line)}) Tj T*" for line in lines)
    stream = f"BT /F1 22 Tf 60 770 Td ({_escaped(title)}) Tj /F1 11 Tf 16 TL 0 -36 Td\n{text}\nET".encode("latin-1", "replace")
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(parts) + 1
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % count + table + tail


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
