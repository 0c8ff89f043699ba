"""Films that browsers can play: WebM from pictures, since the frames of a WebP are those of VP8."""

import struct
from io import BytesIO

from PIL import Image

PER_SECOND = 4


def webm(seconds: int, *, width: int = 320, height: int = 240) -> bytes:
    """Return a film of noise, about 300 KiB per second, with an index at its end, so that each second can be sought."""
    frames = [_frame(width, height) for _ in range(PER_SECOND)]
    info = _element(
        "1549A966",
        _number("2AD7B1", 1_000_000),
        _element("4489", struct.pack(">d", seconds * 1000)),
        *_made_by("tests.viewer.films"),
    )
    video = _element("E0", _number("B0", width), _number("BA", height))
    tracks = _element(
        "1654AE6B", _element("AE", _number("D7", 1), _number("73C5", 1), _number("83", 1), _element("86", b"V_VP8"), video)
    )
    clusters = [
        _element("1F43B675", _number("E7", second * 1000), *map(_block, range(PER_SECOND), frames)) for second in range(seconds)
    ]
    begin = len(_index(0)) + len(info) + len(tracks)
    starts = [begin + sum(map(len, clusters[:second])) for second in range(seconds)]
    points = [
        _element("BB", _number("B3", second * 1000), _element("B7", _number("F7", 1), _number("F1", start)))
        for second, start in enumerate(starts)
    ]
    index = _index(begin + sum(map(len, clusters)))
    head = _element(
        "1A45DFA3", _number("4286", 1), _number("42F7", 1), _number("42F2", 4), _number("42F3", 8), _element("4282", b"webm")
    )
    return head + _element("18538067", index, info, tracks, *clusters, _element("1C53BB6B", *points))


def _frame(width: int, height: int) -> bytes:
    """Return one picture of VP8: what follows the two headers of a WebP."""
    stored = BytesIO()
    Image.effect_noise((width, height), 80).convert("RGB").save(stored, "WEBP", quality=95)
    return stored.getvalue()[20:]


def _block(number: int, frame: bytes) -> bytes:
    return _element("A3", b"\x81" + struct.pack(">hB", number * 1000 // PER_SECOND, 0x80), frame)


def _index(cues: int) -> bytes:
    """Return the index of the cues, counted from the first byte of the segment's content."""
    return _element("114D9B74", _element("4DBB", _element("53AB", bytes.fromhex("1C53BB6B")), _number("53AC", cues)))


def _made_by(name: str) -> tuple[bytes, bytes]:
    return _element("4D80", name.encode()), _element("5741", name.encode())


def _number(name: str, value: int) -> bytes:
    return _element(name, value.to_bytes(8, "big"))


def _element(name: str, *content: bytes) -> bytes:
    data = b"".join(content)
    return bytes.fromhex(name) + (1 << 56 | len(data)).to_bytes(8, "big") + data
