"""The operations: each view is found by the decorator above it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar

from django.http import HttpResponseBase

View = Callable[..., HttpResponseBase]
V = TypeVar("V", bound=View)
STORAGE = "/{ref}/storage/v1"


@dataclass(frozen=True)
class Operation:
    """One operation: the document's id, method, path template and view.

    `{name}` is one path segment; `{wildcard}` is the rest of the path, percent-decoded once, possibly empty. A literal segment
    has precedence over a parameter, and a parameter over the wildcard.
    """

    id: str
    method: str
    path: str
    view: View

    @property
    def interface(self) -> Literal["management", "storage", "switch"]:
        return {"M": "management", "S": "storage"}.get(self.id[0], "switch")  # type: ignore[return-value]  # a dict of literals

    @property
    def address(self) -> str:
        return f"{STORAGE}{self.path}" if self.interface == "storage" else self.path

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        text = re.sub(r"\\{(\w+)\\}", self._group, re.escape(self.address))
        return re.compile(text + ("?" if self.path.endswith("/") else ""), re.DOTALL)

    @staticmethod
    def _group(found: re.Match[str]) -> str:
        return "(?P<wildcard>.*)" if found[1] == "wildcard" else f"(?P<{found[1]}>[^/]+)"

    @property
    def rank(self) -> list[int]:
        """Sort key: literal segments before parameters, parameters before the wildcard."""
        return [2 if part == "{wildcard}" else 1 if part.startswith("{") else 0 for part in self.address.split("/")]


OPERATIONS: list[Operation] = []


def operation(ident: str, method: str, path: str) -> Callable[[V], V]:
    """Make a view that of an operation. Paths are the document's; test switches, whose ids begin with `_`, have their own."""

    def add(view: V) -> V:
        OPERATIONS.append(Operation(ident, method, path, view))
        return view

    return add
