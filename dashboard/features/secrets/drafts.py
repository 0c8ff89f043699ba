"""A draft of many secrets on its way between the browser and us: sealed as a whole, with marks where values were.

What was typed is never sent back in clear. A draft travels in a hidden field, sealed by the vault for one person and one
project, for half an hour; nothing of it is kept here. In the text and in the rows a mark stands for each value, comment and
unreadable line.
"""

import json
import re
import time
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from secrets import token_hex

from dashboard.features.secrets.pieces import Finding, Piece
from dashboard.vault.sealing import CannotOpen, Sealed

KEPT_SECONDS = 30 * 60
LOST = "The value was kept for half an hour, which has passed. Type it again."
LOST_LINE = "This line was kept for half an hour, which has passed. Type it again, or take it out."
PARTLY = "A mark for a kept value has to stand alone. Type the whole value."

_MARK = re.compile(r"<kept:([0-9a-f]{8}):(\d{1,5})>")
# As text such a name comes back as itself: no quote, brace or byte-order mark may begin it.
_PLAIN_KEY = re.compile(r"(?!['{\ufeff])[^=#\s\0]+")
_QUOTED_KEY = re.compile(r"[^'\n\r\0]+")


@dataclass(frozen=True, slots=True)
class Kept:
    """A draft as it was sealed last. `basis` stands for the service's list that a plan was made from; `until`: Unix seconds."""

    pieces: tuple[Piece, ...] = ()
    basis: str = ""
    until: float = 0.0
    nonce: str = field(default_factory=lambda: token_hex(4))

    def mark(self, number: int) -> str:
        """What stands for the piece of this number, from 0."""
        return f"<kept:{self.nonce}:{number}>"

    def behind(self, text: str) -> Piece | None:
        """The piece that the mark stands for; None for a mark of another draft and for what is no mark."""
        found = _MARK.fullmatch(text)
        if not found or found[1] != self.nonce or int(found[2]) >= len(self.pieces):
            return None
        return self.pieces[int(found[2])]


def keep(pieces: Sequence[Piece], *, basis: str = "") -> Kept:
    """The pieces, from now on, with marks of their own."""
    return Kept(tuple(pieces), basis, time.time() + KEPT_SECONDS)


def seal(kept: Kept, *, owner: int, ref: str) -> str:
    """The whole draft as a text that only this person can bring back, for this project. A megabyte grows to 1.8."""
    rows = [[piece.line, piece.name, piece.value, piece.other, piece.why] for piece in kept.pieces]
    inside = json.dumps({"pieces": rows, "basis": kept.basis, "until": kept.until, "nonce": kept.nonce})
    packed = b64encode(zlib.compress(inside.encode(), 6)).decode()
    return Sealed.seal(packed, owner=owner, purpose=_purpose(ref)).stored()


def unseal(text: str, *, owner: int, ref: str) -> Kept | None:
    """The draft as it was sealed; None when its time is over, or it is somebody else's, another project's or damaged."""
    try:
        packed = Sealed(text).open(owner=owner, purpose=_purpose(ref))
    except CannotOpen:
        return None
    inside = json.loads(zlib.decompress(b64decode(packed)))
    if inside["until"] < time.time():
        return None
    pieces = tuple(Piece(*row) for row in inside["pieces"])
    return Kept(pieces, inside["basis"], inside["until"], inside["nonce"])


def text_of(kept: Kept) -> str:
    """The draft as lines of a `.env` file, a mark in the place of every value and of every line that may hold one."""
    return "".join(f"{_line(kept, number, piece)}\n" for number, piece in enumerate(kept.pieces))


def template_of(names: Sequence[str], ref: str) -> str:
    """Names without values, as lines of a `.env` file."""
    head = f"# Names of the secrets of project {ref}. The values are not in it.\n\n"
    return head + "".join(
        f"{key}=\n" if (key := _key(name)) else "# One name can't be written in a file of this kind.\n" for name in names
    )


def filled(pieces: Sequence[Piece], kept: Kept | None) -> tuple[list[Piece], list[Finding]]:
    """The pieces with what their marks stand for, and what is to be said about marks that stand for nothing any more."""
    kept = kept or Kept()
    findings: list[Finding] = []
    found = [_filled(piece, kept, findings) for piece in pieces]
    return found, findings


def is_mark(text: str) -> bool:
    return bool(_MARK.fullmatch(text))


def _filled(piece: Piece, kept: Kept, findings: list[Finding]) -> Piece:
    if piece.name is None:
        return _filled_line(piece, kept)
    name = piece.name
    if is_mark(name):
        named = kept.behind(name)
        if named is None or named.name is None:
            return replace(piece, name=None, value="", other=name, why=LOST_LINE)
        name = named.name
    if not _MARK.search(piece.value):
        return replace(piece, name=name)
    behind = kept.behind(piece.value)
    if behind is not None and behind.name is not None:
        return replace(piece, name=name, value=behind.value)
    findings.append(Finding(piece.line, LOST if is_mark(piece.value) else PARTLY))
    return replace(piece, name=name)


def _filled_line(piece: Piece, kept: Kept) -> Piece:
    mark = piece.other.removeprefix("# ")
    if not is_mark(mark):
        return piece
    behind = kept.behind(mark)
    if behind is None or behind.name is not None:
        return replace(piece, why=LOST_LINE)
    return replace(behind, line=piece.line)


def _line(kept: Kept, number: int, piece: Piece) -> str:
    mark = kept.mark(number)
    if piece.name is None:
        return mark if piece.why else f"# {mark}" if piece.other else ""
    return f"{_key(piece.name) or mark}={mark}"


def _key(name: str) -> str:
    """The name as a `.env` file spells it; empty where it can't be spelled there."""
    if _PLAIN_KEY.fullmatch(name) and not is_mark(name):
        return name
    return f"'{name}'" if _QUOTED_KEY.fullmatch(name) and not is_mark(name) else ""


def _purpose(ref: str) -> str:
    return f"draft of the secrets of {ref}"
