"""Read an object and prepare what the viewer shows of it."""

import csv
from collections.abc import Hashable, Iterable
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from io import StringIO

from django.utils.safestring import SafeString

from dashboard.interfaces.errors import Rejected
from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.viewer.looks import Decoded, Kind, Look, decode, extension, indented, is_json, look_of
from dashboard.viewer.pictures import MOST_SOURCE_BYTES, renderings
from dashboard.viewer.protocol import MOST_PAGES, PAGES_AT_ONCE, Task, outlined
from dashboard.web.files.downloads import Stream
from dashboard.web.files.ranges import Readable
from dashboard.web.text import bytes_text

FIRST_BYTES = 256_000
MOST_ROWS = 500
MOST_COLUMNS = 50
MOST_CELL = 500
MARKDOWN = ("md", "markdown", "mdown")
DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An object, and the token that reads it (`owner`: space and fingerprint). Pictures are cached for that token alone.

    `is_visited`: for a visitor of a link.
    """

    objects: Readable
    bucket: str
    key: str
    owner: Hashable
    is_visited: bool = False

    @property
    def name(self) -> str:
        return self.key.rpartition("/")[2] or self.key

    def read_version(self, version: str, limit: int) -> bytes | None:
        """Return the whole object (S18); None if it is now another version, or larger than `limit` bytes."""
        with closing(self.objects.read(self.bucket, self.key)) as stream:
            is_same = version_of(stream.headers.get("etag")) == version and stream.length is not None
            return _first(stream, limit) if is_same and (stream.length or 0) <= limit else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """The first bytes as text. `size`: of the object in bytes, None if unknown; `is_indented`: reformatted JSON."""

    text: str
    shown: int
    size: int | None
    encoding: str = ""
    note: str = ""
    binary: bool = False
    is_indented: bool = False

    @property
    def is_whole(self) -> bool:
        return self.size is not None and self.shown >= self.size

    @property
    def words(self) -> str:
        """A description of the part: "First 256.0 KB of 1.2 MB · UTF-8"."""
        if self.size == 0:
            return "Empty object."
        if self.binary:
            return "Not a text file."
        part = f"First {bytes_text(self.shown)} of {bytes_text(self.size) if self.size else 'more'}"
        parts = ["Whole file" if self.is_whole else part, self.encoding, "reformatted" if self.is_indented else ""]
        return " · ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of a PDF. Its size is in rendered pixels."""

    number: int
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What the viewer shows of one object.

    One of: an address (`look`), pages, rows (first the column names), Markdown, or text; else `nothing` says why. `words` is a
    line about what is shown, `note` a caveat.
    """

    name: str
    look: Look
    pages: tuple[Page, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    prose: str = ""
    text: str = ""
    words: str = ""
    note: str = ""
    nothing: str = ""


def version_of(etag: str | None) -> str:
    """Return the short name of an object's version, for addresses and caches; "" if the service doesn't tell versions apart."""
    return sha256(etag.encode()).hexdigest()[:8] if etag else ""


def read_content(source: Source, info: ObjectInfo) -> Content:
    """Read a PDF or the beginning of a text (S18), nothing of others. `info` is the answer of S19. Raises `Busy`."""
    look = look_of(source.key, info.content_type)
    if info.size == 0:
        return Content(name=source.name, look=look, nothing="This file is empty.")
    if look.kind is Kind.PDF:
        return _document(source, look, info)
    if look.kind is Kind.TEXT:
        return _written(source, look)
    nothing = "Files of this type have no preview." if look.kind is Kind.NONE else ""
    return Content(name=source.name, look=look, nothing=nothing)


def page_picture(source: Source, number: int) -> bytes:
    """Return a page of a PDF as WebP, b"" if there is none. S19 proves that the token may still read it; S18 unless cached."""
    info = source.objects.info(source.bucket, source.key)
    if look_of(source.key, info.content_type).kind is not Kind.PDF or not 1 <= number <= MOST_PAGES:
        return b""
    at = number - 1
    # An earlier page may have used up the time.
    for first in dict.fromkeys((at // PAGES_AT_ONCE * PAGES_AT_ONCE, at)):
        made = _parts(source, info, first)[1:]
        if at - first < len(made):
            return made[at - first]
    return b""


def read_beginning(source: Source) -> Beginning:
    """Read the first 256 KB (S18). Raises `NotFound`."""
    try:
        stream = source.objects.read(source.bucket, source.key, headers={"Range": f"bytes=0-{FIRST_BYTES - 1}"})
    except Rejected as refusal:
        if refusal.status != 416:
            raise
        # An empty object has no ranges.
        return Beginning(text="", shown=0, size=0)
    with closing(stream):
        data = _first(stream, FIRST_BYTES)
    size = _size(stream, len(data))
    whole = size is not None and len(data) >= size
    content_type = stream.headers.get("content-type", "")
    found: Decoded = decode(data, content_type, whole=whole)
    formatted = indented(found.text) if whole and not found.binary and is_json(source.key, content_type) else None
    return Beginning(
        text="" if found.binary else (formatted or found.text),
        shown=len(data),
        size=size,
        encoding=found.encoding,
        note=found.note,
        binary=found.binary,
        is_indented=formatted is not None,
    )


def _document(source: Source, look: Look, info: ObjectInfo) -> Content:
    if info.size is not None and info.size > MOST_SOURCE_BYTES:
        return Content(name=source.name, look=look, nothing=f"PDFs over {bytes_text(MOST_SOURCE_BYTES)} have no preview.")
    parts = _parts(source, info, 0)
    if len(parts) < 2:
        return Content(name=source.name, look=look, nothing="This PDF can't be shown: it is damaged, protected or too complex.")
    count, sizes = outlined(parts[0])
    pages = tuple(Page(number=number, width=width, height=height) for number, (width, height) in enumerate(sizes, 1))
    words = f"{count:,} page{'' if count == 1 else 's'}" if count <= MOST_PAGES else f"First {MOST_PAGES} of {count:,} pages"
    return Content(name=source.name, look=look, pages=pages, words=words)


def _parts(source: Source, info: ObjectInfo, first: int) -> list[bytes]:
    """Return the outline of this version of a PDF, and its pages from `first` on."""

    def read() -> bytes | None:
        return source.read_version(version_of(info.etag), MOST_SOURCE_BYTES)

    if not info.etag:
        return renderings.render(Task.PAGES, read, str(first), is_visitor=source.is_visited)
    name = (source.owner, source.bucket, source.key, info.etag, "pages", first)
    return renderings.parts(name, Task.PAGES, read, str(first), is_visitor=source.is_visited)


def _written(source: Source, look: Look) -> Content:
    found = read_beginning(source)
    ending = extension(source.key)
    rows: tuple[tuple[str, ...], ...] = ()
    prose = text = ""
    # A recipient is told only what is missing.
    words = "" if source.is_visited and found.is_whole else found.words
    if ending in ("csv", "tsv"):
        rows = table_of(found.text, is_whole=found.is_whole)
        cut = [
            f"first {MOST_ROWS} rows" if len(rows) > MOST_ROWS else "",
            f"first {MOST_COLUMNS} columns" if _is_wide(found.text) else "",
        ]
        words = " · ".join(filter(None, [words, *cut])) if rows else words
    elif ending in MARKDOWN and found.text:
        prose = _marked_up(source, Task.MARKDOWN, found.text)
    if found.text and not rows and not prose:
        text = _marked_up(source, Task.CODE, found.text, "a.json" if found.is_indented else source.name) or found.text
    nothing = "" if found.text else found.words
    return Content(name=source.name, look=look, rows=rows, prose=prose, text=text, words=words, note=found.note, nothing=nothing)


def _marked_up(source: Source, task: Task, text: str, option: str = "") -> str:
    """Return the text as HTML; "" if that takes too long or too much memory."""
    parts = renderings.render(task, text.encode, option, is_visitor=source.is_visited)
    # `words` has cleaned or escaped it.
    return SafeString(parts[0].decode()) if parts else ""


def table_of(text: str, *, is_whole: bool) -> tuple[tuple[str, ...], ...]:
    """Return the column names and at most 500 rows; empty if the text is no table. If not `is_whole`, the last row may be cut."""
    try:
        rows = _rows(csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text)))
    except csv.Error:
        return ()
    if not is_whole and len(rows) <= MOST_ROWS:
        rows = rows[:-1]
    width = min(max(map(len, rows), default=0), MOST_COLUMNS)
    return tuple((*row, *[""] * (width - len(row))) for row in rows)


def _delimiter(text: str) -> str:
    return max(DELIMITERS, key=text.partition("\n")[0].count)


def _is_wide(text: str) -> bool:
    """Whether the first line of a table has more columns than are shown."""
    return text.partition("\n")[0].count(_delimiter(text)) >= MOST_COLUMNS


def _rows(reader: Iterable[list[str]]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for row in reader:
        if row:
            rows.append(tuple(cell[:MOST_CELL] for cell in row[:MOST_COLUMNS]))
        if len(rows) > MOST_ROWS:
            break
    return rows


def _first(stream: Stream, most: int) -> bytes:
    """Return at most so many bytes, even if a range was ignored."""
    parts: list[bytes] = []
    left = most
    for block in stream:
        parts.append(block[:left])
        left -= len(parts[-1])
        if left <= 0:
            break
    return b"".join(parts)


def _size(stream: Stream, read: int) -> int | None:
    if stream.status == 206:
        total = stream.headers.get("content-range", "").rpartition("/")[2]
        return int(total) if total.isascii() and total.isdecimal() and len(total) < 19 else None
    return stream.length if stream.length is not None else (read if read < FIRST_BYTES else None)
