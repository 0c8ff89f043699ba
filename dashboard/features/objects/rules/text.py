"""Bytes of a stranger as text, with an honest word on how they were read. Pure: nothing here asks the service."""

import codecs
import re
from dataclasses import dataclass

import msgspec

LONGEST_INDENTED = 1 << 20
_CHARSET = re.compile(r"charset\s*=\s*\"?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
# What a stored type may name. UTF-7 is not here: it hides markup from those who look for it, and nobody stores it in good faith.
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
    """The text, and how it was read ("UTF-8"); `note` says what is to be known of that, `binary` that it is no text."""

    text: str = ""
    encoding: str = ""
    note: str = ""
    binary: bool = False


def decode(data: bytes, content_type: str = "", *, whole: bool = True) -> Decoded:
    """Read by its mark, else as UTF-8, else as its type says, else as Windows-1252, which fits nearly everything.

    Not `whole`: a character that is cut at the end is left out.
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
        return Decoded(found.text, found.encoding, f"Read as {found.encoding}, as its type says; it is not UTF-8.")
    text = data.decode("cp1252", errors="replace")
    note = "It is not UTF-8 and does not say what it is. It is read as Windows-1252, so some characters may be wrong."
    return Decoded(text, "Windows-1252", note, binary=_is_binary(text))


def indented(text: str) -> str | None:
    """JSON with a member a line and every value as it was written; None where it is not JSON, or would grow too long."""
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
    """More than one in twenty of the first characters is a control character."""
    head = text[:4096]
    strange = sum(character < " " and character not in "\t\n\r\f\x1b" for character in head)
    return strange * 20 > len(head)
