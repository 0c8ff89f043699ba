"""How to show an object, by type and extension, and how to decode text. Types that can carry scripts are shown as text."""

import codecs
import re
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from dashboard.web.files.downloads import SHOWN, bare_type

# Types that say nothing: decide by extension.
GENERIC = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-binary", "text/plain"})
BY_EXTENSION = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "avif":
    "image/avif", "bmp": "image/bmp", "ico": "image/x-icon", "mp3": "audio/mpeg", "oga": "audio/ogg", "ogg": "audio/ogg",
    "opus": "audio/ogg", "wav": "audio/wav", "weba": "audio/webm", "m4a": "audio/mp4", "aac": "audio/aac", "flac":
    "audio/flac", "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov":
    "video/quicktime",
}  # fmt: skip
SYNONYMS = {
    "image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/vnd.microsoft.icon": "image/x-icon", "image/x-ms-bmp":
    "image/bmp", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/x-m4a":
    "audio/mp4", "audio/x-flac": "audio/flac", "video/x-m4v": "video/mp4",
}  # fmt: skip
TEXTS = frozenset(
    {
        "application/json", "application/ld+json", "application/geo+json", "application/manifest+json", "application/xml",
        "application/javascript", "application/ecmascript", "application/x-javascript", "application/typescript",
        "application/yaml", "application/x-yaml", "application/toml", "application/sql", "application/graphql",
        "application/x-sh", "application/x-ndjson", "application/jsonl", "application/xhtml+xml", "application/rtf",
        "application/x-httpd-php", "application/x-subrip", "message/rfc822", "application/pgp-keys", "application/x-pem-file",
        "multipart/related",
    }
)  # fmt: skip
TEXT_EXTENSIONS = frozenset(
    {
        "txt", "text", "log", "md", "markdown", "rst", "json", "jsonl", "ndjson", "geojson", "csv", "tsv", "xml", "xsl", "xslt",
        "html", "htm", "xhtml", "mht", "mhtml", "svg", "css", "scss", "less", "js", "mjs", "cjs", "jsx", "ts", "tsx", "vue",
        "yaml", "yml", "toml", "ini", "cfg", "conf", "env", "properties", "sql", "graphql", "sh", "bash", "zsh", "bat", "ps1",
        "py", "rb", "go", "rs", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs", "php", "pl", "lua", "r", "swift", "scala",
        "dockerfile", "makefile", "gitignore", "editorconfig", "diff", "patch", "tex", "srt", "vtt", "ics", "vcf", "pem", "crt",
        "key", "pub", "eml", "tf", "proto", "lock",
    }
)  # fmt: skip
JSON_EXTENSIONS = frozenset({"json", "geojson", "webmanifest"})
PDF = "application/pdf"


class Kind(StrEnum):
    """Ways to show an object: as text, by a media element, on the storage's own address, or not at all."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    PDF = "pdf"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Look:
    """The kind, and the type to send for images, audio and video."""

    kind: Kind
    type: str = ""


def look_of(key: str, content_type: str | None) -> Look:
    said = bare_type(content_type or "")
    said = SYNONYMS.get(said, said)
    ending = extension(key)
    if said in GENERIC and ending in BY_EXTENSION:
        said = BY_EXTENSION[ending]
    if said in SHOWN:
        return Look(Kind(said.partition("/")[0]), said)
    if said == PDF or (said in GENERIC and ending == "pdf"):
        return Look(Kind.PDF)
    text = said.startswith("text/") or said in TEXTS or said.endswith(("+xml", "+json"))
    return Look(Kind.TEXT if text or (said in GENERIC and ending in TEXT_EXTENSIONS) else Kind.NONE)


def is_json(key: str, content_type: str | None) -> bool:
    said = bare_type(content_type or "")
    return said.endswith(("/json", "+json")) or (said in GENERIC and extension(key) in JSON_EXTENSIONS)


def extension(key: str) -> str:
    return key.rpartition("/")[2].rpartition(".")[2].lower()


LONGEST_INDENTED = 1 << 20
_CHARSET = re.compile(r"charset\s*=\s*\"?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
# Encodings accepted from a stored type. Not UTF-7, which can hide markup from filters.
_NAMED = frozenset({"utf-8", "ascii", "iso8859-1", "cp1252", "iso8859-15", "iso8859-2", "cp1250", "cp1251", "koi8-r"}) | {
    "shift_jis", "euc_jp", "iso2022_jp", "gb18030", "gbk", "gb2312", "big5", "euc_kr", "utf-16", "utf-16-le", "utf-16-be",
}  # fmt: skip
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NAMES = {"utf-8-sig": "UTF-8", "utf-8": "UTF-8", "ascii": "ASCII", "cp1252": "Windows-1252", "iso8859-1": "Latin-1"}
_SIGNS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text and its encoding ("UTF-8"). `note`: a caveat; `binary`: it is not text."""

    text: str = ""
    encoding: str = ""
    note: str = ""
    binary: bool = False


def decode(data: bytes, content_type: str = "", *, whole: bool = True) -> Decoded:
    """Decode by byte order mark, else as UTF-8, else by the stored type, else as Windows-1252, which fits nearly everything.

    Without `whole`, a character cut off at the end is dropped.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _read(data, encoding, whole) or Decoded(binary=True)
    named = _named(content_type)
    if b"\0" in data:
        found = _read(data, named, whole) if named.startswith("utf-16") else None
        return found or Decoded(binary=True)
    if found := _read(data, "utf-8", whole):
        return found
    if named and (found := _read(data, named, whole)):
        return Decoded(found.text, found.encoding, f"Not UTF-8; read as {found.encoding}, as its type says.")
    text = data.decode("cp1252", errors="replace")
    note = "Unknown encoding, read as Windows-1252. Some characters may be wrong."
    return Decoded(text, "Windows-1252", note, binary=_is_binary(text))


def indented(text: str) -> str | None:
    """Indent JSON without changing its values; None if it is not JSON, or would grow too long."""
    depth = size = 0
    for sign in _SIGNS.findall(text):
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        if len(sign) == 1:
            size += 2 * max(depth, 0) + 2
        if size > LONGEST_INDENTED:
            return None
    try:
        return msgspec.json.format(text, indent=2)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def _read(data: bytes, encoding: str, whole: bool) -> Decoded | None:
    try:
        text = codecs.getincrementaldecoder(encoding)("strict").decode(data, whole)
    except UnicodeError:
        return None
    return Decoded(text, _NAMES.get(encoding, encoding.upper().replace("_", "-")), binary=_is_binary(text))


def _named(content_type: str) -> str:
    match = _CHARSET.search(content_type)
    try:
        name = codecs.lookup(match[1]).name if match else ""
    except LookupError:
        name = ""
    return name if name in _NAMED else ""


def _is_binary(text: str) -> bool:
    """Whether more than 5 % of the first characters are control characters."""
    head = text[:4096]
    strange = sum(character < " " and character not in "\t\n\r\f\x1b" for character in head)
    return strange * 20 > len(head)
