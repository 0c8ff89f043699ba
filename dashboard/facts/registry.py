"""The facts that features register in `AppConfig.ready`, in column order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.interfaces.errors import NotFound
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

# The views of the list of projects, each with its columns.
PROJECTS, STORAGE = "projects", "storage"


@dataclass(frozen=True, slots=True)
class Need:
    """A problem and its one next step: the label of a button and a URL name, which takes the place unless `is_global`."""

    words: str
    label: str
    view: str
    query: str = ""
    is_global: bool = False
    urgent: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A fact of one place. `number` is the sort key of lists; `detail` is a sentence for the place's own page.

    `is_gone`: the place was removed, so nothing else can be read of it.
    """

    text: str
    tone: str = ""
    number: float = 0
    detail: str = ""
    need: Need | None = None
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """One column of an overview.

    `show` turns kept values by place into what is shown, for all places at once. A fact with an `operation` is read from the
    service: `read` makes that one call, `summarize` turns its record into a small value for JSON, and `absent` does so for a
    `NotFound` that is an answer (None: it is a failure). Without an operation, the value is None and `show` asks the database.
    `view` is the URL name of its page, which takes the place unless `is_global`. `tabs`: the views that show it. `unit` names
    one of what the number counts and the page lists, so that the number leads there.
    """

    key: str
    title: str
    view: str
    order: int
    show: Callable[[Workspace, Mapping[str, Any]], Mapping[str, Shown]]
    kind: Kind = Kind.MANAGEMENT
    operation: str = ""
    read: Callable[[Workspace, str], object] | None = None
    summarize: Callable[[Any], Any] | None = None
    absent: Callable[[NotFound], Any] | None = None
    is_global: bool = False
    tabs: tuple[str, ...] = (PROJECTS,)
    unit: str = ""


_facts: dict[str, Fact] = {}


def register(fact: Fact) -> None:
    _facts[fact.key] = fact


def facts() -> list[Fact]:
    """Return all registered facts in their order."""
    return sorted(_facts.values(), key=lambda fact: fact.order)


def of_operation(operation: str) -> list[Fact]:
    return [fact for fact in _facts.values() if fact.operation == operation]
