"""Review, then apply: a sealed draft with an address of its own, applied once.

    review = reviews.create(workspace, "secrets of ref", {"entries": [...]})    # then redirect to its page
    review = reviews.find(workspace, "secrets of ref", pk)                       # 404 for anybody else
    review.payload                                                               # opened only where it is asked for
    reviews.apply(review, lambda: reviews.Outcome({"saved": 4}))                 # once; later visits see review.outcome

What features use is offered here by name and loaded at first use: Django imports this package before its models may be.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.reviews.lifecycle import Outcome, apply, create, discard, find, find_unfinished, reopen, revise, settle, tidy
    from dashboard.reviews.models import Review, State

__all__ = [
    "Outcome",
    "Review",
    "State",
    "apply",
    "create",
    "discard",
    "find",
    "find_unfinished",
    "reopen",
    "revise",
    "settle",
    "tidy",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'models' if name in ('Review', 'State') else 'lifecycle'}"), name)
