"""The parser of pasted text: a table of nasty inputs, round trips, and what other parsers read."""

import json
import re
import string
import time
from io import StringIO

import pytest
from dotenv import dotenv_values
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dashboard.features.secrets.rules.draft import Draft
from dashboard.features.secrets.rules.env import read

MAX_BYTES = 1_000_000

PEM = "-----BEGIN KEY-----\nMIIB==\nabc=\n-----END KEY-----\n"

# text, what is read of it
READ: dict[str, tuple[str, dict[str, str]]] = {
    "plain": ("A=1\nB=two words", {"A": "1", "B": "two words"}),
    "carriage returns": ("A=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
    "carriage returns alone": ("A=1\rB=2\r", {"A": "1", "B": "2"}),
    "several lines with carriage returns": ('A="1\r\n2"\r\nB=3', {"A": "1\n2", "B": "3"}),
    "a byte-order mark": ("\ufeffA=1", {"A": "1"}),
    "export": ("export A=1\n  export\tB='2'", {"A": "1", "B": "2"}),
    "something called export": ("export=1\nexporting=2", {"export": "1", "exporting": "2"}),
    "spaces around the sign": ("A = 1\nB\t=\t2", {"A": "1", "B": "2"}),
    "comments": ("# one\nA=1 # two\n  # three\nB=2", {"A": "1", "B": "2"}),
    "a hash that is no comment": ("A=a#b\nB='c # d'\nC=\"e # f\" # g", {"A": "a#b", "B": "c # d", "C": "e # f"}),
    "single quotes": (r"A='it\'s \n ${B} \\'", {"A": r"it's \n ${B} " + "\\"}),
    "double quotes": (r'A="say \"x\"\n\t\\"', {"A": 'say "x"\n\t\\'}),
    "a key of several lines": (f'A="{PEM}"\nB=1', {"A": PEM, "B": "1"}),
    "aren't expanded": ("A=1\nB=${A} $A ${C:-d}", {"A": "1", "B": "${A} $A ${C:-d}"}),
    "signs in the value": ("A=b=c==\nB=postgres://u:p@h/d?x=1&y=2", {"A": "b=c==", "B": "postgres://u:p@h/d?x=1&y=2"}),
    "empty values": ("A=\nB=''\nC=\"\"\nD=   \n", {"A": "", "B": "", "C": "", "D": ""}),
    "a comment for a value": ("A= # nothing", {"A": ""}),
    "a quoted name": ("'A B'=1", {"A B": "1"}),
    "quotes in the middle": ("A=b\"c'd", {"A": "b\"c'd"}),
    "json array": ('[{"name": "A", "value": "1"}, {"value": "x", "name": "B", "updated_at": null}]', {"A": "1", "B": "x"}),
    "json numbers and booleans": (
        '{"A": 2, "B": -1.50e3, "C": true, "D": false, "E": 12345678901234567890.10}',
        {"A": "2", "B": "-1.50e3", "C": "true", "D": "false", "E": "12345678901234567890.10"},
    ),
    "json array of numbers": ('[{"name": "A", "value": 1.0}]', {"A": "1.0"}),
    "empty json array": ("[]", {}),
    "json": ('{"A": "1", "B": "x\\ny \\u00e9", "C": ""}', {"A": "1", "B": "x\ny é", "C": ""}),
    "json over lines": ('\r\n{\r\n  "A": "1",\r\n  "B": "2"\r\n}\r\n', {"A": "1", "B": "2"}),
    "json with a mark and a comma too many": ('\ufeff{"A": "1",}', {"A": "1"}),
    "empty json": ("{}", {}),
    "nothing": ("", {}),
    "spaces and lines": (" \n\t\n\n", {}),
}


@pytest.mark.parametrize(("text", "values"), READ.values(), ids=READ)
def test_it_reads(text: str, values: dict[str, str]) -> None:
    draft = Draft(read(text))
    assert draft.values == values
    assert not [piece for piece in draft.items if piece.why]


# text, and (line, part of the sentence, does it stop) for everything that is said about it
SAID: dict[str, tuple[str, list[tuple[int, str, bool]]]] = {
    "no sign": ("A=1\n\nB 2\nC=3", [(3, "no = between", True)]),
    "no sign after carriage returns": ("A=1\r\nB 2\r\nC D\r\n", [(2, "no = between", True), (3, "no = between", True)]),
    "a name alone": ("A", [(1, "no = between", True)]),
    "a sign alone": ("A=1\n=2", [(2, "can't be read as NAME=value", True)]),
    "words before the sign": ("A=1\nTWO WORDS=2", [(2, "can't be read as NAME=value", True)]),
    "a quote left open": ("A='1\nB=2", [(1, "never closed", True)]),
    "a quote left open before another": ('A="1\nB="2"\nC=3', [(1, "closes on line 2", True)]),
    "more after the quote": ("A='1' 2", [(1, "after the closing quote", True)]),
    "a quote left open that swallows": ('A="1\nB=2\nC=3"', [(1, "line 2 looks like another entry", False)]),
    "reserved": ("A=1\nSUPABASE_URL=2", [(2, "reserved for the platform", True)]),
    "reserved but for capitals": ("supabase_url=2", [(1, "easily mistaken", False)]),
    "no variable": ("MY-KEY=1\n1A=2", [(1, "work everywhere", False), (2, "work everywhere", False)]),
    "twice": ("A=1\nB=2\n\nA=3", [(1, "A is also on line 4. Keep one.", True), (4, "A is also on line 1. Keep one.", True)]),
    "a long name": (f"{'A' * 257}=1", [(1, "at most 256 characters; this one has 257", True)]),
    "a long value": (f"A={'x' * 24_577}", [(1, "at most 24,576 characters; this one has 24,577", True)]),
    "a nul": ("A=1\0", [(1, "NUL", True)]),
    "typographic quotes": ("A=\u201cx\u201d", [(1, "Curly quotes", False)]),
    "spaces at the end": ("A=1  \nB=2", [(1, "Spaces around the value were dropped", False)]),
    "spaces in quotes": ("A=' 1 '", [(1, "starts or ends with spaces", False)]),
    "quotes in quotes": ("A='\"1\"'", [(1, "is in quotes", False)]),
    "a comment on the line": ("A=pass #word", [(1, "dropped as a comment", False)]),
    "an escape that is none": ("A=1\\n2", [(1, "two characters", False)]),
    "nothing filled in": ("A=${B}", [(1, "aren't expanded", False)]),
    "a dollar escaped": ('A="a\\$b"', [(1, "Some .env parsers drop it", False)]),
    "a backslash in single quotes": (r"A='a\\b'", [(1, "keep the backslash", False)]),
    "a quote escaped in single quotes": (r"A='it\'s'", [(1, "keep the backslash", False)]),
    "a tab that was a folder": (r'A="C:\temp"', [(1, "escapes in the quotes were decoded", False)]),
    "line breaks that everybody reads": (r'A="a\nb"', []),
    "a reference without braces": ("A=$B", [(1, "aren't expanded", False)]),
    "references in quotes": ("A=\"x $B\"\nC='x $B'\nD='${B}'", [(1, "aren't expanded", False), (3, "aren't expanded", False)]),
    "a price": ("A=5$", []),
    "two dollars": ("A=p$$w", [(1, "as one $", False)]),
    "a name after a semicolon": (";A=1", [(1, "a line that starts with ; as a comment", False)]),
    "a name after two slashes": ("//A=1", [(1, "a line that starts with // as a comment", False)]),
    "a curly quote at one end": ("A=x\u2019", [(1, "Curly quotes", False)]),
    "spaces before the value": ("A=  1\nB = 2", [(1, "Spaces around the value were dropped", False)]),
    "a hash inside": ("A=a#b", [(1, "parsers cut the value there", False)]),
    "a hash in quotes": ("A='a # b'", []),
    "an empty value": ("A=", [(1, "The value is empty", False)]),
    "a byte-order mark": ("\ufeffA=1", [(1, "byte-order mark", False)]),
    "many spaces": (f"A=1\nB={' ' * 300}x", [(2, "200 spaces", True)]),
    "json: a number": ('{"A": "1",\n"B": 2,\n"C": "3"}', [(2, "number is saved as text", False)]),
    "json: true": ('{"A": true}', [(1, "saved as text", False)]),
    "json: a digest in a list of secrets": (f'[{{"name": "A", "value": "{"0a" * 32}"}}]', [(1, "looks like the digest", False)]),
    "json: a digest typed": (f'{{"A": "{"0a" * 32}"}}', []),
    "json: names without values": (
        '["A", {"name": "B"},\n{"value": "1"}, {"name": 1, "value": "1"}]',
        [(1, "needs a", True), (1, "needs a", True), (2, "needs a", True), (2, "needs a", True)],
    ),
    "json: an array without an end": ('[{"name": "A", "value": "1"}\n', [(2, "comma or the closing ]", True)]),
    "json: more after the array": ("[]\nA=1", [(2, "after the end", True)]),
    "json: no number at all": ('{"A": NaN}', [(1, "not a JSON value", True)]),
    "an ini file": ("[section]\nA=1", [(1, "no = between", True)]),
    "json: a list": ('{"A": ["x", {"y": 1}]}', [(1, "not a text", True)]),
    "json: null": ('{"A": null}', [(1, "not a text", True)]),
    "json: twice": ('{"A": "1",\n"A": "2"}', [(1, "also on line 2", True), (2, "also on line 1", True)]),
    "json: no end": ('{"A": "1",\n"B": "2', [(2, "isn't closed", True)]),
    "json: no comma": ('{"A": "1"\n"B": "2"}', [(2, "comma", True)]),
    "json: no colon": ('{"A"\n"1"}', [(2, "colon", True)]),
    "json: no quotes": ("{A: 1}", [(1, "double quotes", True)]),
    "json: nonsense": ('{"A": nonsense}', [(1, "not a JSON value", True)]),
    "json: too deep": ('{"A": ' + "[" * 100_000, [(1, "not a JSON value", True)]),
    "json: more": ('{"A": "1"}\nB=2', [(2, "after the end", True)]),
    "json: half a character": ('{"A": "\\ud800"}', [(1, "half a character", True)]),
    "json: half a name": ('{"A\\ud800": "x"}', [(1, "half a character", True)]),
    "json: an empty name": ('{"": "x"}', [(1, "name is missing", True)]),
    "json: a line break in a text": ('{"A": "1\n2"}', [(1, "isn't closed", True)]),
}


def said(text: str) -> list[tuple[int, str, bool]]:
    in_order = sorted(Draft(read(text)).findings, key=lambda found: found.number)
    return [(found.number, found.text, found.stops) for found in in_order]


@pytest.mark.parametrize(("text", "wanted"), SAID.values(), ids=SAID)
def test_it_says_what_is_wrong_at_its_line(text: str, wanted: list[tuple[int, str, bool]]) -> None:
    found = said(text)
    assert [(line, stops) for line, _, stops in found] == [(line, stops) for line, _, stops in wanted], found
    for (_, sentence, _), (_, part, _) in zip(found, wanted, strict=True):
        assert part in sentence


def test_a_hundred_and_one_are_too_many() -> None:
    assert said("\n".join(f"A{number}=x" for number in range(100))) == []
    assert [(line, stops) for line, _, stops in said("\n".join(f"A{number}=x" for number in range(101)))] == [(101, True)]


def test_what_is_too_large_is_not_read() -> None:
    found = said("A=" + "é" * (MAX_BYTES // 2))
    assert [(line, stops) for line, _, stops in found] == [(1, True)]
    assert "at most 1,000,000 bytes" in found[0][1]


def test_a_sentence_never_holds_what_was_typed() -> None:
    for text, _ in SAID.values():
        canary = text.replace("1", "canary").replace("2", "canary")
        assert not [sentence for _, sentence, _ in said(canary) if "canary" in sentence]
        assert "canary" not in repr(read(canary)) or "canary" in str([piece.name for piece in read(canary)])


LONG = {
    "one quote after another": 'A="' * 200_000,
    "quotes over lines": "A='\n" * 19_000,
    "long gaps": "A=" + (" " * 199 + "x") * 4_500,
    "blank lines": "\n" * 900_000,
    "unreadable lines": "A\n" * 19_000,
    "json in json": '{"A":' * 100_000,
    "many members": "{" + '\n"A":"1",' * 19_000 + "}",
    "many members on one line": "{" + '"A":"1",' * 100_000 + "}",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_nothing_takes_long(text: str) -> None:
    started = time.process_time()
    assert Draft(read(text)).findings is not None
    assert time.process_time() - started < 20


names = st.text(string.ascii_letters + string.digits + "_-.", min_size=1)
values = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))


def as_env(pairs: dict[str, str]) -> str:
    lines = []
    for number, (name, value) in enumerate(pairs.items()):
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'{"export " if number % 2 else ""}{name}="{quoted}" # note {number}')
    return "\n".join(lines)


def texts(text: str) -> dict[str, str]:
    return Draft(read(text)).values


@given(st.dictionaries(names, values, max_size=8))
def test_what_is_quoted_comes_back(pairs: dict[str, str]) -> None:
    env = as_env(pairs)
    if " " * 201 not in env:
        assert texts(env) == pairs


@given(st.dictionaries(values, st.text(st.characters(exclude_categories=["Cs"])), max_size=8), st.sampled_from([None, 2]))
def test_json_comes_back(pairs: dict[str, str], indent: int | None) -> None:
    assert texts(json.dumps(pairs, indent=indent)) == pairs
    assert texts(json.dumps(pairs, indent=indent, ensure_ascii=False).replace("\x7f", "\\u007f")) == pairs


@given(st.dictionaries(values, values, max_size=8))
def test_a_json_array_comes_back(pairs: dict[str, str]) -> None:
    assert texts(json.dumps([{"name": name, "value": value} for name, value in pairs.items()])) == pairs


@given(st.text())
def test_whatever_it_is_there_is_an_answer(text: str) -> None:
    draft = Draft(read(text))
    assert all(1 <= found.number <= text.count("\n") + text.count("\r") + 1 for found in draft.findings)
    assert Draft.of(json.loads(json.dumps(draft.payload()))) == draft


# Lines of the kind that people write, of signs that parsers disagree about.
signs = st.sampled_from(
    ["a", "B", "1", " ", "\t", "#", "$", "{", "}", "\\", "'", '"', "`", "n", "t", "=", ";", "/", "\u201c", "."]
)
short = st.lists(signs, min_size=1, max_size=4).map("".join)
written = st.one_of(short, *(short.map(quote.format) for quote in ("'{}'", '"{}"', "'{}' # x", "word{}", "{}word")))
lines = st.builds("{}={}".format, st.sampled_from(["A", "B1", "c_d", "export A", ";A", "//A"]), written)
env_files = st.lists(lines, min_size=1, max_size=2).map("\n".join)

# The expressions of the most used parser of other languages (dotenv for Node.js, 16 and 17).
NODE = re.compile(
    r"""^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:\#.*)?$""",
    re.MULTILINE,
)


def node_reads(text: str) -> dict[str, str]:
    found = {}
    for match in NODE.finditer(text):
        value = (match[2] or "").strip()
        bare = re.sub(r"""^(['"`])([\s\S]*)\1$""", r"\2", value)
        found[match[1]] = bare.replace("\\n", "\n").replace("\\r", "\r") if value[:1] == '"' else bare
    return found


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("A=1\nB=to\u200bken", 2, "The value contains invisible characters (U+200B), which are saved too."),
        ('B="\ufeffx\u2060"', 1, "invisible characters (U+FEFF, U+2060)"),
        ("T\u200dOKEN=1", 1, "The name contains invisible characters (U+200D)"),
        ('{"A": "x\u200b"}', 1, "invisible characters (U+200B)"),
        ("A=1\nB=to\u00a0ken", 2, "The value contains invisible characters (U+00A0)"),
        ("A=x\u3164", 1, "The value contains invisible characters (U+3164)"),
        ("T\u115fOKEN=1", 1, "The name contains invisible characters (U+115F)"),
        ("A=x\u2003y\u2800", 1, "invisible characters (U+2003, U+2800)"),
        ("OK=1; export B=2", 1, "looks like another entry on this line"),
        ("A=1 B=2", 1, "looks like another entry on this line"),
        ("A=1\u2028B=2", 1, "The value contains U+2028, which ends no line"),
        ("A=1\x85B=2", 1, "The value contains U+0085, which ends no line"),
    ],
)
def test_what_cannot_be_seen_or_looks_like_two_entries_is_warned_of_on_its_line(text: str, line: int, words: str) -> None:
    found = [(finding.number, finding.stops) for finding in Draft(read(text)).findings if words in finding.text]
    assert found == [(line, False)]


@pytest.mark.parametrize("text", ["A=host=db port=5432 user=x", "A=Server=x;Database=y", "A=two words", 'A="1 B=2"', "A=a=b"])
def test_a_connection_string_is_not_taken_for_two_entries(text: str) -> None:
    assert not [finding for finding in Draft(read(text)).findings if "another entry" in finding.text]


@settings(max_examples=300)
@example('A="a\\$b"')
@example("A='a\\\\b'")
@given(env_files)
def test_what_has_no_problem_is_read_as_python_dotenv_reads_it(text: str) -> None:
    draft = Draft(read(text))
    if not draft.problems:
        assert draft.values == dotenv_values(stream=StringIO(text), interpolate=False)


@settings(max_examples=300)
@given(env_files)
def test_where_nothing_is_said_other_parsers_read_the_same(text: str) -> None:
    draft = Draft(read(text))
    if not draft.findings:
        assert draft.values == dotenv_values(stream=StringIO(text), interpolate=True)
        assert draft.values == node_reads(text)
