"""Read what somebody pasted: lines of a `.env` file, or a JSON object of texts. Nothing is filled in and nothing is run."""

import re
from collections.abc import Iterator
from io import StringIO

from dotenv.parser import Binding, parse_stream

from dashboard.features.secrets.json_reading import read_json
from dashboard.features.secrets.pieces import Finding, Piece, Reading

MOST_BYTES = 1_000_000
MOST_LINES = 20_000
MARK = "\ufeff"

_LINE_ENDS = re.compile(r"\r\n?")
# The parser's time grows with the square of a run of spaces.
_LONG_GAP = re.compile(r"[^\S\n]{201}")
_OPENED = re.compile(r"(?:export\s+)?(?:'[^']+'|[^=#\s]+)[^\S\n]*=[^\S\n]*(['\"])")
_QUOTES = "'\""
# "A==" and "A=" end lines of base64; an entry goes on after its sign.
_ENTRY_INSIDE = re.compile(r"^[^\S\n]*(?:export[^\S\n]+)?[A-Za-z_][A-Za-z0-9_]*=[^=\n]", re.MULTILINE)


def read(text: str) -> Reading:
    """Pieces in order with the lines they begin at, whatever is in the text; carriage returns count as ends of lines."""
    text = _LINE_ENDS.sub("\n", text)
    marked = text.startswith(MARK)
    text = text.removeprefix(MARK)
    noticed = (Finding(1, "A byte-order mark stood at the beginning. It was left out.", stops=False),) if marked else ()
    if stop := _too_much(text):
        return Reading((Piece(stop.line, why=stop.text),), noticed)
    found = read_json(text) if text.lstrip().startswith("{") else _read_lines(text)
    return Reading(found.pieces, noticed + found.findings)


def with_plain_ends(value: str) -> str:
    """A value with the line ends of a file: browsers send a text area with carriage returns."""
    return _LINE_ENDS.sub("\n", value)


def _too_much(text: str) -> Finding | None:
    size = len(text.encode(errors="surrogatepass"))
    if size > MOST_BYTES:
        return Finding(1, f"A draft holds at most {MOST_BYTES:,} bytes; this one has {size:,}. Nothing of it was read.")
    if text.count("\n") > MOST_LINES:
        return Finding(MOST_LINES, f"A draft has at most {MOST_LINES:,} lines. Nothing of it was read.")
    if gap := _LONG_GAP.search(text):
        return Finding(text.count("\n", 0, gap.start()) + 1, "More than 200 spaces stand in a row here. Nothing was read.")
    return None


def _read_lines(text: str) -> Reading:
    pieces: list[Piece] = []
    findings: list[Finding] = []
    for binding in parse_stream(StringIO(text)):
        raw = binding.original.string
        blank = raw[: len(raw) - len(raw.lstrip())].count("\n")
        start = binding.original.line
        pieces += [Piece(start + number) for number in range(blank)]
        body, line = raw.strip(), start + blank
        if not body:
            continue
        if binding.key is not None and binding.value is not None and not binding.error:
            pieces.append(Piece(line, name=binding.key, value=binding.value))
            findings += [Finding(line, noticed, stops=False) for noticed in _noticed(binding, line)]
        else:
            is_comment = binding.key is None and not binding.error
            pieces.append(Piece(line, other=body, why="" if is_comment else _why(body, line)))
    return Reading(tuple(pieces), tuple(findings))


def _why(body: str, line: int) -> str:
    """Why a line could not be read, without a word of what is in it."""
    opened = _OPENED.match(body)
    if opened and "\n" in body:
        last = line + body.count("\n")
        return f"The quote that opens here closes on line {last}, and more follows it. A quote is probably missing between."
    if opened and opened[1] not in body[opened.end() :]:
        return "The quote that opens the value is never closed."
    if opened:
        return "Something follows the closing quote of the value."
    if "=" not in body:
        return "There is no = between a name and a value."
    return "This can't be read as NAME=value."


def _noticed(binding: Binding, line: int) -> Iterator[str]:
    """What the reader did with a value, or left alone, that its writer may not expect."""
    raw = binding.original.string.lstrip()
    after = raw[raw.index("=", len(binding.key or "")) + 1 :].lstrip(" \t")
    value = binding.value or ""
    quote = after[:1] if after[:1] in _QUOTES else ""
    if not quote:
        line_text = after.split("\n")[0]
        if line_text.rstrip() != value:
            yield "What follows the # was left out as a comment. Quotes around the value would keep it."
        elif line_text != value:
            yield "The spaces at the end were left out. Quotes around the value would keep them."
    if quote != '"' and "\\n" in value:
        yield "A \\n stands in the value as two characters. Between double quotes it would be a line break."
    if "${" in value:
        yield "The ${ in the value is kept as it is written: nothing is filled in."
    if inside := _ENTRY_INSIDE.search(value, value.find("\n") + 1 or len(value)):
        first = line + value.count("\n", 0, inside.start() + 1) if quote else line
        yield f"The value runs over several lines, and line {first} looks like an entry of its own. Is a quote missing?"
