"""Thumbnails, pages, Markdown and source: rendered in a process of their own, whatever the file was made for."""

import re
import socket
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from dashboard.viewer import drawings, pictures, process
from dashboard.viewer.drawings import PAGE, THUMBNAIL
from dashboard.viewer.pictures import Renderer, Renderings
from dashboard.viewer.protocol import Task, outlined

MOST_PAGE_BYTES = 400 * 1024
MOST_THUMBNAIL_BYTES = 30 * 1024

PICTURE, DOCUMENT = Task.PICTURE, Task.FIRST_PAGE
ORIENTATION, ARTIST = 0x0112, 0x013B


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    found = Renderer()
    yield found
    found.close()


def saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def drawn(renderer: Renderer, data: bytes, task: Task) -> bytes:
    return next(iter(renderer.make(data, task)), b"")


def opened(data: bytes) -> Image.Image:
    assert data
    return Image.open(BytesIO(data))


def pdf(*, width: float = 600, height: float = 800, pages: int = 1) -> bytes:
    made = pypdfium2.PdfDocument.new()
    for _ in range(pages):
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
def test_a_picture_of_each_type_gets_a_small_one_of_at_most_30_kib(renderer: Renderer, kind: str) -> None:
    noise = Image.effect_noise((1200, 900), 90).convert("RGB")
    made = drawn(renderer, saved(noise, kind), PICTURE)
    small = opened(made)
    assert small.format == "WEBP"
    assert small.width <= THUMBNAIL[0]
    assert small.height <= THUMBNAIL[1]
    assert len(made) <= MOST_THUMBNAIL_BYTES


def test_a_picture_is_turned_by_its_exif_and_loses_all_metadata(renderer: Renderer) -> None:
    exif = Image.Exif()
    exif[ORIENTATION], exif[ARTIST] = 6, "Somebody at home"
    source = saved(
        Image.new("RGB", (400, 200), "red"), "JPEG", exif=exif, comment=b"secret place", icc_profile=b"profile of a camera"
    )
    made = drawn(renderer, source, PICTURE)
    small = opened(made)
    assert small.height > small.width
    assert not small.getexif()
    assert not {"exif", "xmp", "icc_profile", "comment"} & small.info.keys()
    assert b"Somebody" not in made
    assert b"secret" not in made


def test_a_pdf_shows_its_first_page(renderer: Renderer) -> None:
    small = opened(drawn(renderer, pdf(), DOCUMENT))
    assert small.size == (180, 240)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: saved(Image.new("1", (20_000, 20_000)), "PNG"), PICTURE),
        (lambda: png_of(2**31 - 1, 2**31 - 1), PICTURE),
        (lambda: png_of(6000, 6000), PICTURE),
        (lambda: saved(Image.new("RGB", (300, 300)), "JPEG")[:200], PICTURE),
        (lambda: b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', PICTURE),
        (lambda: saved(Image.new("RGB", (30, 30)), "BMP"), PICTURE),
        (lambda: saved(Image.new("RGB", (30, 30)), "TIFF"), PICTURE),
        (lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n", PICTURE),
        (lambda: b"%PDF-1.7\n" + b"\0" * 5000, DOCUMENT),
        (lambda: saved(Image.new("RGB", (30, 30)), "PNG"), DOCUMENT),
        (lambda: b"", PICTURE),
        (lambda: b"GIF89a" + b"\xff" * 2000, PICTURE),
    ],
    ids=["bomb", "huge", "claimed", "cut", "svg", "bmp", "tiff", "postscript", "no pdf", "picture as pdf", "empty", "broken gif"],
)
def test_a_file_made_to_attack_gives_no_picture_and_the_next_one_does(
    renderer: Renderer, make: Callable[[], bytes], kind: Task
) -> None:
    assert drawn(renderer, make(), kind) == b""
    assert drawn(renderer, saved(Image.new("RGB", (30, 30)), "PNG"), PICTURE)


def test_a_picture_with_a_page_behind_it_gives_only_the_picture(renderer: Renderer) -> None:
    polyglot = saved(Image.new("RGB", (30, 30), "blue"), "GIF") + b"<script>alert(1)</script>" + pdf()
    made = drawn(renderer, polyglot, PICTURE)
    assert opened(made).size == (30, 30)
    assert b"script" not in made


def test_a_long_animation_shows_its_first_picture(renderer: Renderer) -> None:
    frames = [Image.new("P", (64, 64), number % 200) for number in range(300)]
    made = drawn(renderer, saved(frames[0], "GIF", save_all=True, append_images=frames[1:]), PICTURE)
    assert not getattr(opened(made), "is_animated", False)


def test_a_renderer_that_was_killed_is_replaced(renderer: Renderer) -> None:
    renderer._running().kill()
    assert drawn(renderer, saved(Image.new("RGB", (30, 30)), "PNG"), PICTURE)


@pytest.mark.parametrize(("limit", "value"), [("MEMORY_BYTES", 1024 * 1024), ("WALL_SECONDS", 0.0)], ids=["memory", "time"])
def test_a_fork_beyond_its_limit_gives_no_picture(monkeypatch: pytest.MonkeyPatch, limit: str, value: float) -> None:
    changed = f"from dashboard.viewer import process; process.{limit} = {value}; process.serve()"
    monkeypatch.setattr(pictures, "PROGRAM", f"import sys; sys.path.append(sys.argv[1]); {changed}")
    limited = Renderer()
    assert limited.make(saved(Image.new("RGB", (3000, 3000)), "PNG"), PICTURE) == []
    limited.close()


def test_a_cache_keeps_what_was_asked_for_last_within_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "CACHE_BYTES", 4096)
    made = Renderings()
    reads: list[int] = []

    def read(number: int) -> Callable[[], bytes]:
        def inner() -> bytes:
            reads.append(number)
            return saved(Image.new("RGB", (30, 30), (number, 0, 0)), "PNG")

        return inner

    for number in (1, 2, 3, 1, 4, 5, 1, 2):
        assert made.get(number, PICTURE, read(number))
    assert reads == [1, 2, 3, 4, 5, 2]


def words(renderer: Renderer, text: str, task: Task = Task.MARKDOWN, option: str = "") -> str:
    return next(iter(renderer.make(text.encode(), task, option)), b"").decode()


def test_a_pdf_gives_four_pages_at_once_and_at_most_twenty(renderer: Renderer) -> None:
    source = pdf(pages=23)
    head, *first = renderer.make(source, Task.PAGES, "0")
    count, sizes = outlined(head)
    assert (count, len(sizes)) == (23, 20)
    assert [opened(one).size for one in first] == sizes[:4]
    assert max(map(len, first)) <= MOST_PAGE_BYTES
    assert [len(renderer.make(source, Task.PAGES, str(at))) for at in (16, 20)] == [5, 1]


def attacking(page: bytes, *others: bytes) -> bytes:
    """A PDF with one page and further objects, numbered from 4."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/OpenAction 4 0 R/AcroForm<</Fields[]/XFA 4 0 R>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    ]
    lines = [b"%d 0 obj%s endobj\n" % (number, one) for number, one in enumerate([*objects, page, *others], 1)]
    return b"%PDF-1.7\n" + b"".join(lines) + b"trailer<</Root 1 0 R>>\n%%EOF"


def streamed(head: bytes, data: bytes) -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (head, len(data), data)


BLANK = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>"
DRAWN = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>"


def calling(address: str) -> dict[str, bytes]:
    """PDFs that refer to an address, each in another way."""
    there = f"({address})".encode()
    outside = b"<</FS/URL/F%s>>" % there
    return {
        "script": attacking(BLANK, b"<</S/JavaScript/JS(app.launchURL%s; this.submitForm%s;)>>" % (there, there)),
        "address": attacking(BLANK, b"<</S/URI/URI%s>>" % there),
        "program": attacking(BLANK, b"<</S/Launch/F%s>>" % there),
        "form": attacking(BLANK, b"<</S/SubmitForm/F%s>>" % outside),
        "document": attacking(BLANK, b"<</S/GoToR/F%s/D[0/Fit]>>" % outside),
        "picture": attacking(
            DRAWN,
            streamed(b"", b"/X Do"),
            streamed(b"/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/F%s" % outside, b""),
        ),
    }


def test_a_pdf_that_refers_to_elsewhere_is_drawn_and_nothing_is_fetched(renderer: Renderer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        for data in calling(f"http://127.0.0.1:{listener.getsockname()[1]}/").values():
            assert len(renderer.make(data, Task.PAGES, "0")) == 2
            assert drawn(renderer, data, Task.FIRST_PAGE)
        with pytest.raises(BlockingIOError):
            listener.accept()


def bombs() -> dict[str, bytes]:
    picture, form = b"/Type/XObject/Subtype/Image/BitsPerComponent 8/ColorSpace/DeviceRGB", b"/Type/XObject/Subtype/Form"
    spaces = zlib.compress(zlib.compress(b" " * 10**8))
    itself = b"%s/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>" % form
    circle = b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 99999999>>"
    return {
        "spaces": attacking(DRAWN, streamed(b"/Filter[/FlateDecode/FlateDecode]", spaces)),
        "itself": attacking(DRAWN, streamed(b"", b"/X Do"), streamed(itself, b"/X Do " * 99)),
        "gigapixels": attacking(DRAWN, streamed(b"", b"/X Do"), streamed(b"%s/Width 65000/Height 65000" % picture, b"x")),
        "circle": b"%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj%s endobj\ntrailer<</Root 1 0 R>>" % circle,
        "lines": attacking(DRAWN, streamed(b"", b"0 0 m 99 99 l S\n" * 1_000_000)),
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize("bomb", ["spaces", "itself", "gigapixels", "circle", "lines"])
def test_a_pdf_bomb_ends_within_its_limits_and_the_next_one_is_drawn(renderer: Renderer, bomb: str) -> None:
    before = renderer._running().pid
    assert all(len(part) <= MOST_PAGE_BYTES for part in renderer.make(bombs()[bomb], Task.PAGES, "0"))
    assert drawn(renderer, pdf(), DOCUMENT)
    assert renderer._running().pid == before


@pytest.mark.parametrize(("width", "height"), [(14_400, 14_400), (14_400, 1), (1, 14_400), (3, 3)])
def test_no_page_is_larger_than_a_screen(renderer: Renderer, width: float, height: float) -> None:
    head, page = renderer.make(pdf(width=width, height=height), Task.PAGES, "0")
    assert opened(page).width <= PAGE[0] + 1
    assert opened(page).height <= PAGE[1] + 1
    assert outlined(head)[1] == [opened(page).size]


def test_a_damaged_page_leaves_those_before_it(renderer: Renderer) -> None:
    source = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R 9 0 R]/Count 2>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>endobj\ntrailer<</Root 1 0 R/Size 4>>\n%%EOF"
    )
    head, *pages = renderer.make(source, Task.PAGES, "0")
    assert outlined(head)[0] == 2
    assert len(pages) == 1


HOSTILE = """# Hello <script>alert(1)</script>

![pixel](https://tracker.example/p.png) <img src="https://tracker.example/q.png" srcset="https://tracker.example/r.png 2x" onerror="alert(1)">
[a](javascript:alert(1)) [b](//tracker.example/x) [c](/account/) [d](?next:me) [e](data:text/html,x) <a href="vbscript:x">f</a>
[ours](https://example.org/a "title") <a href="https://example.org/b" onclick="alert(1)" style="position:fixed" id="main" class="button">g</a>

<iframe src="https://tracker.example/"></iframe><object data="https://tracker.example/"></object><embed src="https://tracker.example/">
<video poster="https://tracker.example/"></video><audio src="https://tracker.example/"></audio><base href="https://tracker.example/">
<form action="https://tracker.example/"><input name="password"><button>Send</button></form><meta http-equiv="refresh" content="0;url=https://tracker.example/">
<style>@import "https://tracker.example/"</style><link rel="stylesheet" href="https://tracker.example/"><svg onload="alert(1)"><use href="https://tracker.example/"/></svg>
<table background="https://tracker.example/"><tr><td style="background:url(https://tracker.example/)">cell</td></tr></table>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;">
<div hx-get="/account/" hx-trigger="load">later</div>
"""  # noqa: E501 - one attack a line


def test_markdown_keeps_its_words_and_loses_scripts_references_and_our_addresses(renderer: Renderer) -> None:
    found = words(renderer, HOSTILE)
    assert "<h2>Hello" in found
    assert "pixel" in found
    tags = {tuple(sorted(re.findall(r'[\w-]+(?:="[^"]*")?', tag))) for tag in re.findall(r"<[^>/][^>]*>", found)}
    rest = ('rel="noopener noreferrer nofollow"', 'target="_blank"')
    first, second = (("a", f'href="https://example.org/{name}"', *rest) for name in "ab")
    assert tags == {("h2",), ("p",), ("table",), ("tbody",), ("tr",), ("td",), (*first, 'title="title"'), second}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "bomb",
    ["<div>\n" * 40_000, "[" * 100_000 + "](", "*a **a " * 30_000, "|" * 60_000 + "\n" + "|-" * 60_000],
    ids=["tags", "brackets", "stars", "columns"],
)
def test_a_markdown_bomb_ends_within_its_limits_and_the_next_one_is_shown(renderer: Renderer, bomb: str) -> None:
    assert "<script" not in words(renderer, bomb)
    assert words(renderer, "next") == "<p>next</p>\n"


@pytest.mark.parametrize(
    "text",
    ["<div>\n" * 101 + "x", "".join(f"<b id={number}>" for number in range(101)) + "x", "<b>x</b> " * 20_001],
    ids=["deep", "unclosed", "many"],
)
def test_markdown_with_html_too_complex_to_clean_is_not_rendered(renderer: Renderer, text: str) -> None:
    assert words(renderer, text) == ""


def test_complex_html_that_is_quoted_or_closed_is_rendered(renderer: Renderer) -> None:
    quoted = "```\n" + "<div>\n" * 30_000 + "```\n"
    assert "&lt;div&gt;" in words(renderer, quoted)
    assert words(renderer, "<b>x</b> <br> <p>x " * 500).count("<b>") == 500


@pytest.mark.parametrize("text", ["<div></div>", "<!-- a note -->", "[link]: https://example.org", "<div>\n\n&nbsp;\n\n</div>"])
def test_markdown_that_would_show_nothing_is_not_rendered(renderer: Renderer, text: str) -> None:
    assert words(renderer, text) == ""


def test_source_is_coloured_and_escaped(renderer: Renderer) -> None:
    found = words(renderer, "def f():\n    return '<script>'\n", Task.CODE, "a.py")
    assert '<span class="code__keyword">def</span>' in found
    assert "&lt;script&gt;" in found
    assert words(renderer, "<b>", Task.CODE, "a.unknown") == "&lt;b&gt;"
    assert "<" not in words(renderer, "<b>\n" * 60_000, Task.CODE, "a.py")


def test_the_process_gets_no_variable_of_the_environment_and_no_settings(renderer: Renderer) -> None:
    process = renderer._running()
    assert renderer.make(b"x", Task.MARKDOWN)
    assert Path(f"/proc/{process.pid}/environ").read_bytes() == b""


def test_callers_that_want_the_same_at_once_read_it_once() -> None:
    made, reads, ready = Renderings(), [0], threading.Barrier(4)

    def read() -> bytes:
        reads[0] += 1
        return saved(Image.new("RGB", (30, 30)), "PNG")

    def want(_number: int) -> bytes:
        ready.wait()
        return made.get("one", PICTURE, read)

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(want, range(4)))) == 1
    assert reads == [1]


@pytest.mark.parametrize(
    ("task", "make", "option"),
    [
        (PICTURE, lambda: saved(Image.effect_noise((1200, 900), 90).convert("P"), "PNG"), ""),
        (DOCUMENT, pdf, ""),
        (Task.PAGES, lambda: pdf(pages=6), "4"),
        (Task.MARKDOWN, lambda: b"# Title\n\n*text*", ""),
        (Task.CODE, lambda: b"import this\n", "a.py"),
    ],
    ids=lambda one: one.name if isinstance(one, Task) else "",
)
def test_what_a_fork_makes_arrives_whole_and_unchanged(
    renderer: Renderer, task: Task, make: Callable[[], bytes], option: str
) -> None:
    data = make()
    made = renderer.make(data, task, option)
    assert made == list(process.render(data, task, option))
    assert all(made)


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_read() -> None:
    with pytest.raises(ValueError, match="too many pixels"):
        drawings.picture(png_of(8000, 7000))


def test_a_picture_that_is_small_in_no_quality_gets_smaller() -> None:
    noise = Image.effect_noise((320, 240), 90)
    made = drawings._clean(noise, 1000)
    assert len(made) <= 1000
    assert max(opened(made).size) < 320
