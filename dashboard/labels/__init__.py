"""What the team calls a project among itself: a label, a colour, "production", a note. The service knows nothing of it.

What features use is offered here by name and loaded at first use: Django imports this package before its models may be.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.labels.reading import ProjectLabel, is_production, label_of, labels
    from dashboard.labels.writing import set_label

__all__ = ["ProjectLabel", "is_production", "label_of", "labels", "set_label"]

_HOMES = {
    "ProjectLabel": "reading",
    "is_production": "reading",
    "label_of": "reading",
    "labels": "reading",
    "set_label": "writing",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
