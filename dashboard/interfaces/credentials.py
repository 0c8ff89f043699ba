"""What proves to the service who asks, and where it is put into a request."""

from enum import StrEnum
from typing import NoReturn

DOTS = "••••"


class Token:
    """A personal or storage token (or the token of a signed link).

    `repr` and `str` are dots and it can't be pickled: `reveal()` is the only way to the text. Space around it is taken off;
    ValueError (without the text) when it is empty or holds anything but visible ASCII, which no header can carry.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        trimmed = text.strip()
        if not trimmed or not all("!" <= character <= "~" for character in trimmed):
            problem = "A token is one line of visible ASCII characters without spaces."
            text = trimmed = DOTS  # so that no traceback with local values shows it
            raise ValueError(problem)
        self._text = trimmed

    def reveal(self) -> str:
        """Return the text itself."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Token({DOTS})"

    def __str__(self) -> str:
        return DOTS

    def __reduce__(self) -> NoReturn:
        message = "A token is not to be pickled."
        raise TypeError(message)


class Placement(StrEnum):
    """Where the storage credential goes.

    The document asks for the query parameter `authorization`; the service of today reads the header only.
    """

    HEADER = "header"
    QUERY = "query"
