"""Parse pasted `.env` lines or JSON, and write the names of secrets as `.env` lines. References aren't expanded."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO

from dotenv.parser import Binding, parse_stream

from dashboard.features.secrets.rules.draft import Item
from dashboard.features.secrets.rules.json_object import read_json

MAX_BYTES = 1_000_000
MAX_LINES = 20_000
BYTE_ORDER_MARK = "\ufeff"
BACKSLASH_KEPT = "The backslash is saved as written. Some .env parsers drop it, as in \\$."
MARK_DROPPED = "The file began with a byte-order mark. It was dropped."

# Not the first line of an INI file, such as [section].
_JSON = re.compile(r"\s*(?:\{|\[\s*[\[\]{\"])")
_LINE_ENDS = re.compile(r"\r\n?")
# python-dotenv takes quadratic time for runs of spaces.
_LONG_GAP = re.compile(r"[^\S\n]{201}")
_BEFORE_VALUE = r"(?:export\s+)?(?:'[^']+'|[^=#\s]+)[^\S\n]*="
_NAMED = re.compile(_BEFORE_VALUE)
_OPENED = re.compile(rf"{_BEFORE_VALUE}[^\S\n]*(['\"])")
_QUOTES = "'\""
# Base64 lines may end in "A==" or "A=", so require a value after the sign.
_ENTRY_IN_VALUE = re.compile(r"^[^\S\n]*(?:export[^\S\n]+)?[A-Za-z_][A-Za-z0-9_]*=[^=\n]", re.MULTILINE)
# Another entry on the same line, as a shell would parse it. In lower case it may be part of a connection string.
_ENTRY_BESIDE = re.compile(r"\s(?:export\s+[A-Za-z_][A-Za-z0-9_]*|[A-Z_][A-Z0-9_]*)=")
_REFERENCE = re.compile(r"(?<![\\$])\$[A-Za-z_]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# Escapes that python-dotenv decodes, by quote, and those that all parsers decode alike.
_DECODED = {"'": "\\'", '"': "\\'\"abfnrtv"}
_DECODED_ALIKE = "nr"
_PLAIN_KEY = re.compile(r"(?!['{\[\ufeff])[^=#\s\0]+")
_QUOTED_KEY = re.compile(r"[^'\n\r\0]+")


def read(text: str) -> tuple[Item, ...]:
    """Return the entries and unreadable lines in order, without comments and blank lines."""
    text = _LINE_ENDS.sub("\n", text)
    marked, text = text.startswith(BYTE_ORDER_MARK), text.removeprefix(BYTE_ORDER_MARK)
    if refused := _size_problem(text):
        return (refused,)
    items = tuple(read_json(text) if _JSON.match(text) else _lines(text))
    if marked and items:
        items = (replace(items[0], notes=(MARK_DROPPED, *items[0].notes)), *items[1:])
    return items


def normalize_newlines(value: str) -> str:
    """Undo the carriage returns that browsers send with text areas."""
    return _LINE_ENDS.sub("\n", value)


def template_of(names: Sequence[str], ref: str) -> str:
    """Return the names as lines of a `.env` file without values."""
    lines = (f"{key}=\n" if (key := _key(name)) else "# One name can't be written in a .env file.\n" for name in names)
    return f"# Names of the secrets of project {ref}, without their values.\n\n{''.join(lines)}"


def _size_problem(text: str) -> Item | None:
    size = len(text.encode(errors="surrogatepass"))
    if size > MAX_BYTES:
        return Item(1, why=f"A draft holds at most {MAX_BYTES:,} bytes; this one has {size:,}. Nothing was read.")
    if text.count("\n") > MAX_LINES:
        return Item(MAX_LINES, why=f"A draft has at most {MAX_LINES:,} lines. Nothing was read.")
    if gap := _LONG_GAP.search(text):
        return Item(text.count("\n", 0, gap.start()) + 1, why="There are more than 200 spaces in a row here. Nothing was read.")
    return None


def _lines(text: str) -> Iterator[Item]:
    for binding in parse_stream(StringIO(text)):
        raw = binding.original.string
        body, line = raw.strip(), binding.original.line + raw[: len(raw) - len(raw.lstrip())].count("\n")
        if binding.key is not None and binding.value is not None and not binding.error:
            yield Item(line, name=binding.key, value=binding.value, notes=tuple(_notes(binding, line)))
        elif body and (binding.key is not None or binding.error):
            yield Item(line, why=_syntax_problem(body, line))


def _syntax_problem(body: str, line: int) -> str:
    """Return why a line can't be parsed, without quoting it."""
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
    """Yield warnings if the parsed value may not be what the writer expects."""
    raw = binding.original.string.lstrip()
    named = _NAMED.match(raw)
    before, after = (raw[: named.end() - 1], raw[named.end() :]) if named else ("", raw)
    written, value = after.strip(" \t"), binding.value or ""
    quote = written[:1] if written[:1] in _QUOTES else ""
    yield from _quoted_notes(written, value, quote) if quote else _unquoted_notes(before, after.split("\n")[0], value)
    # python-dotenv expands ${VAR} in any quotes.
    if "${" in value or (quote != "'" and _REFERENCE.search(value)):
        yield "References such as ${VAR} or $VAR aren't expanded. They are saved as written."
    if quote != "'" and "$$" in value:
        yield "$$ is saved as two characters. Some .env parsers read it as one $."
    if inside := _ENTRY_IN_VALUE.search(value, value.find("\n") + 1 or len(value)):
        first = line + value.count("\n", 0, inside.start() + 1) if quote else line
        yield f"The value spans several lines, and line {first} looks like another entry. Is a quote missing?"


def _unquoted_notes(before: str, after: str, value: str) -> Iterator[str]:
    if after.strip() != value:
        yield "Everything after the # was dropped as a comment. Quote the value to keep it."
    elif "#" in value:
        yield "The # is part of the value. Some .env parsers cut the value there; quotes make it clear."
    elif value and (after.rstrip() != after or (after.lstrip() != after and not before[-1:].isspace())):
        yield "Spaces around the value were dropped. Quote the value to keep them."
    if _ENTRY_BESIDE.search(value):
        yield "What looks like another entry on this line is saved as part of the value."
    if "\\n" in value:
        yield "\\n is saved as two characters. In double quotes it would be a line break."
    if "\\$" in value:
        yield BACKSLASH_KEPT
    if value.startswith("`") and (len(value) == 1 or not value.endswith("`")):
        yield "The backtick is saved as part of the value. Some .env parsers read it as a quote."


def _quoted_notes(written: str, value: str, quote: str) -> Iterator[str]:
    escapes = {found[1] for found in _ESCAPE.finditer(_inside(written, quote))}
    if escapes & set(_DECODED[quote]) - set(_DECODED_ALIKE if quote == '"' else ""):
        yield "Backslash escapes in the quotes were decoded. Some .env parsers keep the backslash."
    if quote == '"' and escapes - set(_DECODED[quote]):
        yield BACKSLASH_KEPT
    if quote == "'" and "\\n" in value:
        yield "\\n is saved as two characters. In double quotes it would be a line break."


def _inside(written: str, quote: str) -> str:
    """Return the raw text between the quotes."""
    found = re.match(rf"{quote}((?:[^{quote}\\]|\\.)*)", written, re.DOTALL)
    return found[1] if found else ""


def _key(name: str) -> str:
    """Return the name as a `.env` file spells it; empty if it can't."""
    if _PLAIN_KEY.fullmatch(name):
        return name
    return f"'{name}'" if _QUOTED_KEY.fullmatch(name) else ""
