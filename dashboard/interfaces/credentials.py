"""Tokens, and where they are placed in a request."""

from enum import StrEnum
from typing import NoReturn

DOTS = "••••"


class Token:
    """A personal or storage token (or the token of a signed link).

    `repr` and `str` are dots and it can't be pickled; `reveal()` returns the text. Surrounding space is removed. ValueError
    (without the text) if it is empty or contains anything but visible ASCII, which headers can't carry.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        trimmed = text.strip()
        if not trimmed or not all("!" <= character <= "~" for character in trimmed):
            problem = "A token is one line of visible ASCII characters without spaces."
            text = trimmed = DOTS  # hide it from tracebacks with local values
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
        message = "A token can't be pickled."
        raise TypeError(message)


class Placement(StrEnum):
    """Where the storage credential goes.

    The document requires the query parameter `authorization`; today's service reads only the header.
    """

    HEADER = "header"
    QUERY = "query"
