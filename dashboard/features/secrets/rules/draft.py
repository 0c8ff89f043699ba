"""A draft of many secrets: what was read, what is to be said about it, and the fixes that take one click."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.utils.crypto import salted_hmac

from dashboard.features.secrets.rules.entries import Finding, Piece
from dashboard.features.secrets.rules.findings import check
from dashboard.features.secrets.rules.names import is_reserved
from dashboard.web.text import counted

MOST_SHOWN = 200


@dataclass(frozen=True)
class Draft:
    """The pieces in their order."""

    pieces: tuple[Piece, ...] = ()

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Draft":
        """The draft that `payload` was made from."""
        rows = payload["pieces"]
        return cls(tuple(Piece(number, name, value, why, tuple(notes), place) for number, name, value, why, notes, place in rows))

    def payload(self) -> dict[str, Any]:
        """The draft as plain JSON, values and all: only to be sealed."""
        return {
            "pieces": [
                [piece.number, piece.name, piece.value, piece.why, list(piece.notes), piece.place] for piece in self.pieces
            ]
        }

    @cached_property
    def by_piece(self) -> list[list[Finding]]:
        """The findings of each piece."""
        return check(self.pieces)

    @property
    def findings(self) -> list[Finding]:
        """All of them, problems first, each kind in the order of the pieces."""
        return sorted((found for findings in self.by_piece for found in findings), key=lambda found: not found.stops)

    @property
    def problems(self) -> list[Finding]:
        """What stops sending."""
        return [found for found in self.findings if found.stops]

    @property
    def warnings(self) -> dict[str, list[str]]:
        """For a draft without a problem: what to know about each name."""
        return {
            piece.name: [found.text for found in findings]
            for piece, findings in zip(self.pieces, self.by_piece, strict=True)
            if piece.name is not None and findings
        }

    @property
    def entries(self) -> list[Piece]:
        return [piece for piece in self.pieces if piece.name is not None]

    @property
    def values(self) -> dict[str, str]:
        """For a draft without a problem: names to values."""
        return {piece.name: piece.value for piece in self.pieces if piece.name is not None}

    @property
    def fixes(self) -> list["Fix"]:
        """What one click would fix."""
        counts = {name: len(self.pieces) - len(change(self).pieces) for name, (_, change) in FIXES.items()}
        return [Fix(name, FIXES[name][0](count)) for name, count in counts.items() if count]

    def fixed(self, name: str) -> "Draft":
        """The draft after a fix; the same where there is none of that name."""
        return FIXES[name][1](self) if name in FIXES else self

    def stamp(self, seen: str = "") -> str:
        """Stands for the draft and for what else was seen with it. It is keyed, so nothing can be guessed from it."""
        return salted_hmac("draft of secrets", json.dumps([self.payload(), seen]), algorithm="sha256").hexdigest()[:32]

    def in_rows(self) -> "Draft":
        """The entries numbered as rows; lines that could not be read keep the number of their line."""
        rows, pieces = 0, []
        for piece in self.pieces:
            rows += piece.name is not None
            pieces.append(replace(piece, number=rows, place="row") if piece.name is not None else piece)
        return Draft(tuple(pieces))


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix and the label of its button."""

    name: str
    label: str


def _without_reserved(draft: Draft) -> Draft:
    return Draft(tuple(piece for piece in draft.pieces if piece.name is None or not is_reserved(piece.name)))


def _last_of_each(draft: Draft) -> Draft:
    last = {piece.name: index for index, piece in enumerate(draft.pieces) if piece.name}
    return Draft(tuple(piece for index, piece in enumerate(draft.pieces) if not piece.name or last[piece.name] == index))


def _without_unread(draft: Draft) -> Draft:
    return Draft(tuple(piece for piece in draft.pieces if piece.name is not None))


FIXES: dict[str, tuple[Callable[[int], str], Callable[[Draft], Draft]]] = {
    "reserved": (lambda count: f"Skip {counted(count, 'reserved name')}", _without_reserved),
    "doubles": (lambda _: "Keep the last of each duplicate", _last_of_each),
    "unread": (lambda count: f"Skip {counted(count, 'unreadable line')}", _without_unread),
}
