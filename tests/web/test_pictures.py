"""Thumbnails: decoded in a process of their own, whatever the file was made for."""

import struct
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from dashboard.web import pictures
from dashboard.web.picture_process import MOST_BYTES, SIZE
from dashboard.web.pictures import Decoder, Thumbnails

PICTURE, DOCUMENT = 0, 1
ORIENTATION, ARTIST = 0x0112, 0x013B


@pytest.fixture(scope="module")
def decoder() -> Iterator[Decoder]:
    found = Decoder()
    yield found
    found.close()


def saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def opened(data: bytes) -> Image.Image:
    assert data
    return Image.open(BytesIO(data))


def pdf(*, width: int = 600, height: int = 800) -> bytes:
    made = pypdfium2.PdfDocument.new()
    made.new_page(width, height)
    out = BytesIO()
    made.save(out)
    return out.getvalue()


def png_of(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_a_picture_of_each_type_gets_a_small_one_of_at_most_30_kib(decoder: Decoder, kind: str) -> None:
    noise = Image.effect_noise((1200, 900), 90).convert("RGB")
    made = decoder.make(saved(noise, kind), PICTURE)
    small = opened(made)
    assert small.format == "WEBP"
    assert small.width <= SIZE[0]
    assert small.height <= SIZE[1]
    assert len(made) <= MOST_BYTES


def test_a_picture_is_turned_by_its_exif_and_loses_all_metadata(decoder: Decoder) -> None:
    exif = Image.Exif()
    exif[ORIENTATION], exif[ARTIST] = 6, "Somebody at home"
    source = saved(
        Image.new("RGB", (400, 200), "red"), "JPEG", exif=exif, comment=b"secret place", icc_profile=b"profile of a camera"
    )
    made = decoder.make(source, PICTURE)
    small = opened(made)
    assert small.height > small.width
    assert not small.getexif()
    assert not {"exif", "xmp", "icc_profile", "comment"} & small.info.keys()
    assert b"Somebody" not in made
    assert b"secret" not in made


def test_a_pdf_shows_its_first_page(decoder: Decoder) -> None:
    small = opened(decoder.make(pdf(), DOCUMENT))
    assert small.size == (180, 240)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (saved(Image.new("1", (20_000, 20_000)), "PNG"), PICTURE),
        (png_of(2**31 - 1, 2**31 - 1), PICTURE),
        (png_of(6000, 6000), PICTURE),
        (saved(Image.new("RGB", (300, 300)), "JPEG")[:200], PICTURE),
        (b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', PICTURE),
        (saved(Image.new("RGB", (30, 30)), "BMP"), PICTURE),
        (saved(Image.new("RGB", (30, 30)), "TIFF"), PICTURE),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n", PICTURE),
        (b"%PDF-1.7\n" + b"\0" * 5000, DOCUMENT),
        (saved(Image.new("RGB", (30, 30)), "PNG"), DOCUMENT),
        (b"", PICTURE),
        (b"GIF89a" + b"\xff" * 2000, PICTURE),
    ],
    ids=["bomb", "huge", "claimed", "cut", "svg", "bmp", "tiff", "postscript", "no pdf", "picture as pdf", "empty", "broken gif"],
)
def test_a_file_made_to_attack_gives_no_picture_and_the_next_one_does(decoder: Decoder, data: bytes, kind: int) -> None:
    assert decoder.make(data, kind) == b""
    assert decoder.make(saved(Image.new("RGB", (30, 30)), "PNG"), PICTURE)


def test_a_picture_with_a_page_behind_it_gives_only_the_picture(decoder: Decoder) -> None:
    polyglot = saved(Image.new("RGB", (30, 30), "blue"), "GIF") + b"<script>alert(1)</script>" + pdf()
    made = decoder.make(polyglot, PICTURE)
    assert opened(made).size == (30, 30)
    assert b"script" not in made


def test_a_long_animation_shows_its_first_picture(decoder: Decoder) -> None:
    frames = [Image.new("P", (64, 64), number % 200) for number in range(300)]
    made = decoder.make(saved(frames[0], "GIF", save_all=True, append_images=frames[1:]), PICTURE)
    assert not getattr(opened(made), "is_animated", False)


def test_a_decoder_that_was_killed_is_replaced(decoder: Decoder) -> None:
    decoder._running().kill()
    assert decoder.make(saved(Image.new("RGB", (30, 30)), "PNG"), PICTURE)


@pytest.mark.parametrize(("limit", "value"), [("MEMORY_BYTES", 1024 * 1024), ("WALL_SECONDS", 0.0)], ids=["memory", "time"])
def test_a_fork_beyond_its_limit_gives_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    text = pictures.PROGRAM.read_text()
    program = tmp_path / "picture_process.py"
    lines = [f"{limit} = {value}" if line.startswith(f"{limit} =") else line for line in text.splitlines()]
    program.write_text("\n".join(lines))
    monkeypatch.setattr(pictures, "PROGRAM", program)
    limited = Decoder()
    assert limited.make(saved(Image.new("RGB", (3000, 3000)), "PNG"), PICTURE) == b""
    limited.close()


def test_a_cache_keeps_what_was_asked_for_last_within_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "CACHE_BYTES", 4096)
    made = Thumbnails()
    reads: list[int] = []

    def read(number: int) -> Callable[[], bytes]:
        def inner() -> bytes:
            reads.append(number)
            return saved(Image.new("RGB", (30, 30), (number, 0, 0)), "PNG")

        return inner

    for number in (1, 2, 3, 1, 4, 5, 1, 2):
        assert made.get(number, PICTURE, read(number))
    assert reads == [1, 2, 3, 4, 5, 2]
