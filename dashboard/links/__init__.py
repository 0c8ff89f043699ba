"""Records of share links, and of raw presigned links that were handed out: what moves, deletions and lists must know of them.

What other floors use is offered here by name and loaded at first use: Django imports this package before its models may be.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.links.carrying import carry, dying_ids, emptied, folders_lost, lost, page_lost
    from dashboard.links.raw import note_raw
    from dashboard.links.reading import counts, named, of_object

__all__ = ["carry", "counts", "dying_ids", "emptied", "folders_lost", "lost", "named", "note_raw", "of_object", "page_lost"]

_HOMES = {
    "carry": "carrying",
    "lost": "carrying",
    "dying_ids": "carrying",
    "emptied": "carrying",
    "folders_lost": "carrying",
    "page_lost": "carrying",
    "named": "reading",
    "note_raw": "raw",
    "counts": "reading",
    "of_object": "reading",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
