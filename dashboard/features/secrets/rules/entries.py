"""What a draft of many secrets is made of, and what is said about it."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry of a draft; or, where `name` is None, a line that could not be read (`why` says so).

    `number` counts lines or rows (`place`) from 1. `notes` are warnings about how the line was read. No value stands in a repr.
    """

    number: int
    name: str | None = None
    value: str = field(default="", repr=False)
    why: str = ""
    notes: tuple[str, ...] = ()
    place: str = "line"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a piece before anything is sent. `stops`: nothing can be sent until it is fixed.

    The sentence holds names and numbers, never a value or a part of a line.
    """

    number: int
    text: str
    stops: bool = True
    place: str = "line"

    @property
    def where(self) -> str:
        return f"{self.place.capitalize()} {self.number}"
