"""Read what somebody pasted: lines of a `.env` file, or JSON. Nothing is filled in and nothing is run."""

import re
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO

from dotenv.parser import Binding, parse_stream

from dashboard.features.secrets.rules.entries import Piece
from dashboard.features.secrets.rules.json_object import is_json, read_json

MOST_BYTES = 1_000_000
MOST_LINES = 20_000
MARK = "\ufeff"
BACKSLASH = "The backslash is saved as written. Some .env parsers drop it, as in \\$."
MARKED = "The file began with a byte-order mark. It was dropped."

_LINE_ENDS = re.compile(r"\r\n?")
# The parser's time grows with the square of a run of spaces.
_LONG_GAP = re.compile(r"[^\S\n]{201}")
_BEFORE_VALUE = r"(?:export\s+)?(?:'[^']+'|[^=#\s]+)[^\S\n]*="
_NAMED = re.compile(_BEFORE_VALUE)
_OPENED = re.compile(rf"{_BEFORE_VALUE}[^\S\n]*(['\"])")
_QUOTES = "'\""
# "A==" and "A=" end lines of base64; an entry goes on after its sign.
_ENTRY_INSIDE = re.compile(r"^[^\S\n]*(?:export[^\S\n]+)?[A-Za-z_][A-Za-z0-9_]*=[^=\n]", re.MULTILINE)
_REFERENCE = re.compile(r"(?<![\\$])\$[A-Za-z_]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# What the parser decodes in either kind of quotes, and what every parser decodes alike.
_DECODED = {"'": "\\'", '"': "\\'\"abfnrtv"}
_DECODED_ALIKE = "nr"


def read(text: str) -> tuple[Piece, ...]:
    """The entries and unreadable lines in order, whatever is in the text; comments and blank lines are passed over."""
    text = _LINE_ENDS.sub("\n", text)
    marked, text = text.startswith(MARK), text.removeprefix(MARK)
    if stop := _too_much(text):
        return (stop,)
    pieces = read_json(text) if is_json(text) else tuple(_lines(text))
    if marked and pieces:
        pieces = (replace(pieces[0], notes=(MARKED, *pieces[0].notes)), *pieces[1:])
    return pieces


def with_plain_ends(value: str) -> str:
    """A value with the line ends of a file: browsers send a text area with carriage returns."""
    return _LINE_ENDS.sub("\n", value)


def _too_much(text: str) -> Piece | None:
    size = len(text.encode(errors="surrogatepass"))
    if size > MOST_BYTES:
        return Piece(1, why=f"A draft holds at most {MOST_BYTES:,} bytes; this one has {size:,}. Nothing was read.")
    if text.count("\n") > MOST_LINES:
        return Piece(MOST_LINES, why=f"A draft has at most {MOST_LINES:,} lines. Nothing was read.")
    if gap := _LONG_GAP.search(text):
        return Piece(text.count("\n", 0, gap.start()) + 1, why="There are more than 200 spaces in a row here. Nothing was read.")
    return None


def _lines(text: str) -> Iterator[Piece]:
    for binding in parse_stream(StringIO(text)):
        raw = binding.original.string
        body, line = raw.strip(), binding.original.line + raw[: len(raw) - len(raw.lstrip())].count("\n")
        if binding.key is not None and binding.value is not None and not binding.error:
            yield Piece(line, name=binding.key, value=binding.value, notes=tuple(_notes(binding, line)))
        elif body and (binding.key is not None or binding.error):
            yield Piece(line, why=_why(body, line))


def _why(body: str, line: int) -> str:
    """Why a line could not be read, without a word of what is in it."""
    opened = _OPENED.match(body)
    if opened and "\n" in body:
        last = line + body.count("\n")
        return f"The quote that opens here closes on line {last}, and more follows it. A quote is probably missing between."
    if opened and opened[1] not in body[opened.end() :]:
        return "The quote that opens the value is never closed."
    if opened:
        return "There is text after the closing quote."
    if "=" not in body:
        return "There is no = between a name and a value."
    return "This can't be read as NAME=value."


def _notes(binding: Binding, line: int) -> Iterator[str]:
    """What the parser did with a value, or left alone, that its writer may not expect."""
    raw = binding.original.string.lstrip()
    named = _NAMED.match(raw)
    before, after = (raw[: named.end() - 1], raw[named.end() :]) if named else ("", raw)
    written, value = after.strip(" \t"), binding.value or ""
    quote = written[:1] if written[:1] in _QUOTES else ""
    yield from _quoted(written, value, quote) if quote else _bare(before, after.split("\n")[0], value)
    # python-dotenv expands ${VAR} in any quotes.
    if "${" in value or (quote != "'" and _REFERENCE.search(value)):
        yield "References such as ${VAR} or $VAR aren't expanded. They are saved as written."
    if quote != "'" and "$$" in value:
        yield "$$ is saved as two characters. Some .env parsers read it as one $."
    if inside := _ENTRY_INSIDE.search(value, value.find("\n") + 1 or len(value)):
        first = line + value.count("\n", 0, inside.start() + 1) if quote else line
        yield f"The value spans several lines, and line {first} looks like another entry. Is a quote missing?"


def _bare(before: str, after: str, value: str) -> Iterator[str]:
    if after.strip() != value:
        yield "Everything after the # was dropped as a comment. Quote the value to keep it."
    elif "#" in value:
        yield "The # is part of the value. Some .env parsers cut the value there; quotes make it clear."
    elif value and (after.rstrip() != after or (after.lstrip() != after and not before[-1:].isspace())):
        yield "Spaces around the value were dropped. Quote the value to keep them."
    if "\\n" in value:
        yield "\\n is saved as two characters. In double quotes it would be a line break."
    if "\\$" in value:
        yield BACKSLASH
    if value.startswith("`") and (len(value) == 1 or not value.endswith("`")):
        yield "The backtick is saved as part of the value. Some .env parsers read it as a quote."


def _quoted(written: str, value: str, quote: str) -> Iterator[str]:
    escapes = {found[1] for found in _ESCAPE.finditer(_inside(written, quote))}
    if escapes & set(_DECODED[quote]) - set(_DECODED_ALIKE if quote == '"' else ""):
        yield "Backslash escapes in the quotes were decoded. Some .env parsers keep the backslash."
    if quote == '"' and escapes - set(_DECODED[quote]):
        yield BACKSLASH
    if quote == "'" and "\\n" in value:
        yield "\\n is saved as two characters. In double quotes it would be a line break."


def _inside(written: str, quote: str) -> str:
    """What is written between the quotes, escapes and all."""
    found = re.match(rf"{quote}((?:[^{quote}\\]|\\.)*)", written, re.DOTALL)
    return found[1] if found else ""
