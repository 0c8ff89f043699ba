"""A draft on its way: sealed, with marks where values were, and back again."""

from dataclasses import replace

import pytest
import time_machine
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.features.secrets.drafts import Kept, filled, keep, seal, template_of, text_of, unseal
from dashboard.features.secrets.pieces import Piece
from dashboard.features.secrets.reading import read

REF = "xreugplnbwsqhdvfyakt"
PIECES = (
    Piece(1, other="# canary in a comment"),
    Piece(2),
    Piece(3, name="A", value="canary\nof two lines"),
    Piece(5, other="canary unread", why="There is no = between a name and a value."),
    Piece(6, name="odd name's", value="canary"),
    Piece(7, name="B C", value="canary"),
)

anything = st.text(st.characters(exclude_categories=["Cs"]))
entries = st.builds(Piece, st.integers(1, 9), anything, anything)


def back(kept: Kept, text: str) -> list[Piece]:
    pieces, findings = filled(read(text).pieces, kept)
    assert findings == []
    return pieces


def bare(pieces: list[Piece] | tuple[Piece, ...]) -> list[Piece]:
    return [replace(piece, line=0) for piece in pieces]


def test_only_its_person_opens_it_and_only_for_its_project() -> None:
    kept = keep(PIECES, basis="b")
    sealed = seal(kept, owner=1, ref=REF)
    assert unseal(sealed, owner=1, ref=REF) == kept
    assert unseal(sealed, owner=2, ref=REF) is None
    assert unseal(sealed, owner=1, ref="ktmvqhzwrbnxpgaydcle") is None
    assert unseal(sealed[:-2], owner=1, ref=REF) is None
    for nothing in ("", "x", "v1.", "v1.00000000.x", "\0"):
        assert unseal(nothing, owner=1, ref=REF) is None


def test_it_opens_for_half_an_hour() -> None:
    with time_machine.travel("2026-05-01T10:00:00Z", tick=False) as clock:
        sealed = seal(keep(PIECES), owner=1, ref=REF)
        clock.shift(29 * 60)
        assert unseal(sealed, owner=1, ref=REF)
        clock.shift(2 * 60)
        assert unseal(sealed, owner=1, ref=REF) is None


def test_nothing_that_was_typed_is_in_the_text_or_the_seal() -> None:
    kept = keep(PIECES)
    assert "canary" not in text_of(kept)
    assert "canary" not in seal(kept, owner=1, ref=REF)
    assert "canary" not in repr(kept)


def test_the_text_brings_everything_back() -> None:
    kept = keep(PIECES)
    assert bare(back(kept, text_of(kept))) == bare(PIECES)


def test_marks_can_be_moved_renamed_and_typed_over() -> None:
    kept = keep(PIECES)
    pieces = back(kept, f"NEW='{kept.mark(2)}'\nA=typed\nexport B = {kept.mark(4)}")
    assert [(piece.name, piece.value) for piece in pieces] == [("NEW", PIECES[2].value), ("A", "typed"), ("B", "canary")]


@pytest.mark.parametrize("text", ["A={}", "A=x{}", "A='{}\n'"])
def test_a_mark_that_stands_for_nothing_is_never_a_value(text: str) -> None:
    mark = keep(PIECES).mark(2)
    for kept in (None, keep(PIECES)):
        pieces, findings = filled(read(text.format(mark)).pieces, kept)
        assert [found.stops for found in findings] == [True]
        assert len(pieces) == 1


def test_a_line_that_is_gone_says_so() -> None:
    kept = keep(PIECES)
    pieces, _ = filled(read(text_of(kept)).pieces, None)
    assert [piece.line for piece in pieces if "half an hour" in piece.why] == [1, 4, 5]


@settings(deadline=None)
@given(st.lists(entries, max_size=6))
def test_any_entries_come_back_from_their_text(pieces: list[Piece]) -> None:
    kept = keep(pieces)
    assert bare(back(kept, text_of(kept))) == bare(pieces)


@settings(deadline=None)
@given(st.lists(entries, max_size=6))
def test_any_entries_come_back_from_their_seal(pieces: list[Piece]) -> None:
    kept = keep(pieces)
    assert unseal(seal(kept, owner=1, ref=REF), owner=1, ref=REF) == kept


def test_a_draft_of_the_largest_size_fits_into_a_form() -> None:
    import random

    noise = random.Random(1).randbytes(500_000).hex()  # noqa: S311 - only to be hard to compress
    assert len(seal(keep([Piece(1, name="A", value=noise)]), owner=1, ref=REF)) < 2_000_000


@settings(deadline=None)
@given(st.lists(anything, max_size=6, unique=True))
def test_names_are_exported_as_they_are_read(names: list[str]) -> None:
    pieces = read(template_of(names, REF)).entries
    assert {piece.value for piece in pieces} <= {""}
    assert [piece.name for piece in pieces] == [name for name in names if name in {piece.name for piece in pieces}]
