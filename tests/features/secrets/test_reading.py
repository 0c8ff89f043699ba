"""The reader of pasted text: a table of nasty inputs, and round trips."""

import json
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.features.secrets.checking import check
from dashboard.features.secrets.pieces import Reading
from dashboard.features.secrets.reading import MOST_BYTES, read

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
    "nothing is filled in": ("A=1\nB=${A} $A ${C:-d}", {"A": "1", "B": "${A} $A ${C:-d}"}),
    "signs in the value": ("A=b=c==\nB=postgres://u:p@h/d?x=1&y=2", {"A": "b=c==", "B": "postgres://u:p@h/d?x=1&y=2"}),
    "empty values": ("A=\nB=''\nC=\"\"\nD=   \n", {"A": "", "B": "", "C": "", "D": ""}),
    "a comment for a value": ("A= # nothing", {"A": ""}),
    "a quoted name": ("'A B'=1", {"A B": "1"}),
    "quotes in the middle": ("A=b\"c'd", {"A": "b\"c'd"}),
    "json": ('{"A": "1", "B": "x\\ny \\u00e9", "C": ""}', {"A": "1", "B": "x\ny é", "C": ""}),
    "json over lines": ('\r\n{\r\n  "A": "1",\r\n  "B": "2"\r\n}\r\n', {"A": "1", "B": "2"}),
    "json with a mark and a comma too many": ('\ufeff{"A": "1",}', {"A": "1"}),
    "empty json": ("{}", {}),
    "nothing": ("", {}),
    "spaces and lines": (" \n\t\n\n", {}),
}


@pytest.mark.parametrize(("text", "values"), READ.values(), ids=READ)
def test_it_reads(text: str, values: dict[str, str]) -> None:
    reading = read(text)
    assert {piece.name: piece.value for piece in reading.entries} == values
    assert not [piece for piece in reading.pieces if piece.why]


# text, and (line, part of the sentence, does it stop) for everything that is said about it
SAID: dict[str, tuple[str, list[tuple[int, str, bool]]]] = {
    "no sign": ("A=1\n\nB 2\nC=3", [(3, "no = between", True)]),
    "no sign after carriage returns": ("A=1\r\nB 2\r\nC D\r\n", [(2, "no = between", True), (3, "no = between", True)]),
    "a name alone": ("A", [(1, "no = between", True)]),
    "a sign alone": ("A=1\n=2", [(2, "can't be read as NAME=value", True)]),
    "words before the sign": ("A=1\nTWO WORDS=2", [(2, "can't be read as NAME=value", True)]),
    "a quote left open": ("A='1\nB=2", [(1, "never closed", True)]),
    "a quote left open before another": ('A="1\nB="2"\nC=3', [(1, "closes on line 2", True)]),
    "more after the quote": ("A='1' 2", [(1, "follows the closing quote", True)]),
    "a quote left open that swallows": ('A="1\nB=2\nC=3"', [(1, "line 2 looks like an entry", False)]),
    "reserved": ("A=1\nSUPABASE_URL=2", [(2, "belong to the platform", True)]),
    "reserved but for capitals": ("supabase_url=2", [(1, "easily taken for one", False)]),
    "no variable": ("MY-KEY=1\n1A=2", [(1, "work everywhere", False), (2, "work everywhere", False)]),
    "twice": ("A=1\nB=2\n\nA=3", [(1, "A stands on line 4, too", True), (4, "A stands on line 1, too", True)]),
    "a long name": (f"{'A' * 257}=1", [(1, "at most 256 characters; this one has 257", True)]),
    "a long value": (f"A={'x' * 24_577}", [(1, "at most 24,576 characters; this one has 24,577", True)]),
    "a nul": ("A=1\0", [(1, "NUL", True)]),
    "typographic quotes": ("A=\u201cx\u201d", [(1, "Typographic quotes", False)]),
    "spaces at the end": ("A=1  \nB=2", [(1, "spaces at the end were left out", False)]),
    "spaces in quotes": ("A=' 1 '", [(1, "starts or ends with spaces", False)]),
    "quotes in quotes": ("A='\"1\"'", [(1, "stands in quotes", False)]),
    "a comment on the line": ("A=pass #word", [(1, "left out as a comment", False)]),
    "an escape that is none": ("A=1\\n2", [(1, "two characters", False)]),
    "nothing filled in": ("A=${B}", [(1, "nothing is filled in", False)]),
    "an empty value": ("A=", [(1, "The value is empty", False)]),
    "a byte-order mark": ("\ufeffA=1", [(1, "byte-order mark", False)]),
    "many spaces": (f"A=1\nB={' ' * 300}x", [(2, "200 spaces", True)]),
    "json: a number": ('{"A": "1",\n"B": 2,\n"C": "3"}', [(2, "no text", True)]),
    "json: a list": ('{"A": ["x", {"y": 1}]}', [(1, "no text", True)]),
    "json: null": ('{"A": null}', [(1, "no text", True)]),
    "json: twice": ('{"A": "1",\n"A": "2"}', [(1, "stands on line 2", True), (2, "stands on line 1", True)]),
    "json: no end": ('{"A": "1",\n"B": "2', [(2, "not closed", True)]),
    "json: no comma": ('{"A": "1"\n"B": "2"}', [(2, "comma", True)]),
    "json: no colon": ('{"A"\n"1"}', [(2, "colon", True)]),
    "json: no quotes": ("{A: 1}", [(1, "double quotes", True)]),
    "json: nonsense": ('{"A": nonsense}', [(1, "no JSON value", True)]),
    "json: too deep": ('{"A": ' + "[" * 100_000, [(1, "no JSON value", True)]),
    "json: more": ('{"A": "1"}\nB=2', [(2, "follows the closing brace", True)]),
    "json: half a character": ('{"A": "\\ud800"}', [(1, "half of a character", True)]),
    "json: half a name": ('{"A\\ud800": "x"}', [(1, "half of a character", True)]),
    "json: an empty name": ('{"": "x"}', [(1, "no name", True)]),
    "json: a line break in a text": ('{"A": "1\n2"}', [(1, "not closed", True)]),
}


def said(text: str) -> list[tuple[int, str, bool]]:
    reading = read(text)
    findings = [*reading.findings, *check(reading.pieces)]
    return [(found.line, found.text, found.stops) for found in sorted(findings, key=lambda found: found.line)]


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
    found = said("A=" + "é" * (MOST_BYTES // 2))
    assert [(line, stops) for line, _, stops in found] == [(1, True)]
    assert "at most 1,000,000 bytes" in found[0][1]


def test_a_sentence_never_holds_what_was_typed() -> None:
    for text, _ in SAID.values():
        canary = text.replace("1", "canary").replace("2", "canary")
        assert not [sentence for _, sentence, _ in said(canary) if "canary" in sentence]
        assert "canary" not in repr(read(canary)) or "canary" in str([piece.name for piece in read(canary).entries])


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


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_nothing_takes_long(text: str) -> None:
    started = time.process_time()
    check(read(text).pieces)
    assert time.process_time() - started < 20


names = st.text(string.ascii_letters + string.digits + "_-.", min_size=1)
values = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))


def as_env(pairs: dict[str, str]) -> str:
    lines = []
    for number, (name, value) in enumerate(pairs.items()):
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'{"export " if number % 2 else ""}{name}="{quoted}" # note {number}')
    return "\n".join(lines)


def texts(reading: Reading) -> dict[str, str]:
    return {piece.name or "": piece.value for piece in reading.entries}


@settings(deadline=None)
@given(st.dictionaries(names, values, max_size=8))
def test_what_is_quoted_comes_back(pairs: dict[str, str]) -> None:
    env = as_env(pairs)
    if " " * 201 not in env:
        assert texts(read(env)) == pairs


@settings(deadline=None)
@given(st.dictionaries(values, st.text(st.characters(exclude_categories=["Cs"])), max_size=8), st.sampled_from([None, 2]))
def test_json_comes_back(pairs: dict[str, str], indent: int | None) -> None:
    assert texts(read(json.dumps(pairs, indent=indent))) == pairs
    assert texts(read(json.dumps(pairs, indent=indent, ensure_ascii=False).replace("\x7f", "\\u007f"))) == pairs


@settings(deadline=None)
@given(st.text())
def test_whatever_it_is_there_is_an_answer(text: str) -> None:
    reading = read(text)
    check(reading.pieces)
    assert all(1 <= piece.line <= text.count("\n") + text.count("\r") + 1 for piece in reading.pieces)
