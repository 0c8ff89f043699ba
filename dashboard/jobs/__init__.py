"""Long work that outlives the tab, the request and the worker: jobs of many items, and timers that come round.

`jobs.start` begins a job; features register what they can do in `AppConfig.ready` (`kinds.register`, `timers.register`).
The names below are loaded at first use: Django imports this package before its models may be.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.jobs.answering import answer
    from dashboard.jobs.items import Item
    from dashboard.jobs.kinds import Kind
    from dashboard.jobs.models import Job, JobItem, Timer
    from dashboard.jobs.planning import Plan, Policy
    from dashboard.jobs.slices import Pause, Slice, Stop
    from dashboard.jobs.starting import start

__all__ = ["Item", "Job", "JobItem", "Kind", "Pause", "Plan", "Policy", "Slice", "Stop", "Timer", "answer", "start"]

_HOMES = {
    "Item": "items",
    "Job": "models",
    "JobItem": "models",
    "Kind": "kinds",
    "Pause": "slices",
    "Plan": "planning",
    "Policy": "planning",
    "Slice": "slices",
    "Stop": "slices",
    "Timer": "models",
    "answer": "answering",
    "start": "starting",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
