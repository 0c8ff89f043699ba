"""Operations on pages: their words, what they are about, and which of them a view sends."""

from collections.abc import Callable
from typing import Any, TypeVar

from dashboard.interfaces.operations import OPERATIONS, About

V = TypeVar("V", bound=Callable[..., Any])

# Our own acts that are about the same as operations, and those about something else. All others belong to `TEAM`.
_OURS = {
    About.PROJECTS: ("label changed",),
    About.FUNCTIONS: ("function note changed",),
    About.OBJECTS: ("downloaded", "snapshot deleted", "file erased"),
    About.LINKS: (
        "link shared",
        "link changed",
        "link revoked",
        "links revoked",
        "link reopened",
        "links reopened",
        "files requested",
        "file request changed",
        "file request revoked",
        "file request restored",
    ),
}
# What the operations and our own acts are about, for filters.
KINDS = {
    **{
        about.value: (*(one.id for one in OPERATIONS.values() if one.words.about is about), *_OURS.get(about, ()))
        for about in About
    },
    "Sandbox": ("sandbox switched", "sandbox DNS published", "sandbox DNS removed"),
}
TEAM = "Team and sign-in"


def kind_of(operation: str) -> str:
    """Return the subject of an operation or act of ours: a key of `KINDS`, or `TEAM`."""
    return next((kind for kind, members in KINDS.items() if operation in members), TEAM)


def sends(*operations: str) -> Callable[[V], V]:
    """Declare the operations that a view's form or review sends, for "Show request"."""

    def mark(view: V) -> V:
        view.__dict__["sends"] = operations
        return view

    return mark


def words(operation: str) -> str:
    """Return what an operation does: "create the bucket". An act of ours is its own words: "token stored"."""
    return OPERATIONS[operation].words.text if operation in OPERATIONS else operation


def usual_cause(operation: str, failure: str) -> str:
    """Return the operation's specific cause, or an empty string."""
    return OPERATIONS[operation].words.causes.get(failure, "")
