"""What a draft of many secrets is made of, and what is said about it."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry of a draft; or, where `name` is None, a line that is none: blank, a comment, or (`why` says so) unreadable.

    `line` is where it begins in the text, from 1, or the number of its row. Neither value nor other line stands in a repr.
    """

    line: int
    name: str | None = None
    value: str = field(default="", repr=False)
    other: str = field(default="", repr=False)
    why: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a line before anything is sent. `stops`: nothing can be sent until it is mended.

    The sentence holds names and numbers, never a value or a part of a line.
    """

    line: int
    text: str
    stops: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: pieces in their order, and what was noticed while reading."""

    pieces: tuple[Piece, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def entries(self) -> list[Piece]:
        return [piece for piece in self.pieces if piece.name is not None]
