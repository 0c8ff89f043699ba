"""The facts that features register in `feature`, in column order."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.interfaces.errors import NotFound
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

# Where facts are shown: on the project's own page, and in the views of the list of projects.
PROJECT, PROJECTS, STORAGE, NETWORK, HOSTNAMES = "project", "projects", "storage", "network", "hostnames"


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Problem:
    """A kind of problem. `key` is its name in addresses; `one` and `many` follow the number of places that have it."""

    key: str
    one: str
    many: str = ""
    urgent: bool = False


@dataclass(frozen=True, slots=True)
class Need:
    """A problem and its one next step: the label of a button and a URL name, which takes the place unless `is_global`.

    `inside`: what the URL takes after the place.
    """

    problem: Problem
    words: str
    label: str
    view: str
    query: str = ""
    is_global: bool = False
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A fact of one place. `number` is the sort key of lists; `detail` is a sentence for the place's own page.

    `short`: what a small cell shows instead of the text. `step`: what is done next though nothing is wrong, as a button's
    label, in the fact's review. `is_gone`: the place was removed, so nothing else can be read of it.
    """

    text: str
    short: str = ""
    tone: str = ""
    number: float = 0
    detail: str = ""
    need: Need | None = None
    step: str = ""
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """How the place's own page draws a fact: a template, and `of(workspace, place, value)`, which returns its `picture`.

    None if there is nothing to draw.
    """

    template: str
    of: Callable[[Workspace, str, Any], object | None]


@dataclass(frozen=True, slots=True)
class Turned:
    """Something that is on or off in many places at once: in how many of them it is on, and whether this person may end some.

    `view`: the URL name that takes "start" or "stop" as `act`. `words`: what the switch alone doesn't say.
    """

    label: str
    view: str
    total: int
    on: int
    ends: bool
    words: str

    @property
    def is_on(self) -> bool:
        return self.on == self.total


@dataclass(frozen=True, slots=True)
class Review:
    """A tab about one fact: rows are filtered by its text, and it is read and checked again after a minute.

    `check` gets what was just read, to look further; it returns what the row should say of that, or "". `checked` returns the
    places where that was done within the last minute. `turned` gets the values by place, and returns what is switched for
    all of them, or None.
    """

    tab: str
    check: Callable[[Workspace, str, Any], str]
    checked: Callable[[Workspace, Collection[str]], Collection[str]]
    turned: Callable[[Workspace, Mapping[str, Any]], Turned | None]


@dataclass(frozen=True, slots=True)
class Fact:
    """One column of an overview.

    `show` turns kept values by place into what is shown, for all places at once. A fact with an `operation` is read from the
    service: `read` makes that one call, `summarize` turns its record into a small value for JSON, and `absent` does so for a
    `NotFound` that is an answer (None: it is a failure); `unasked` is what a place that is up needs if its token isn't stored.
    Without `read`, only other pages read it, and `show` gets None for a place of which nothing is kept. Without an operation,
    the values come from the database: from `source`, which is asked once for all facts that share it, or from `show` itself; a
    fact `of` another shows that one's kept values.
    `view` is the URL name of its page, which takes the place unless `is_global`. `tabs`: where it is shown; `icon`: what stands
    for its title in small cells. `find` turns a kept value into what it says about an IP address that somebody looks for.
    `is_name`: places are found by its text. `is_available`: whether there is such a fact here at all.
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
    unasked: Callable[[str], Need] | None = None
    is_global: bool = False
    find: Callable[[Any, str], Shown] | None = None
    source: Callable[[Workspace, Collection[str]], Mapping[str, Any]] | None = None
    tabs: tuple[str, ...] = (PROJECT, PROJECTS)
    icon: str = ""
    picture: Picture | None = None
    of: str = ""
    review: Review | None = None
    is_name: bool = False
    is_available: Callable[[], bool] = _always

    def review_in(self, tab: str) -> Review | None:
        return self.review if self.review and self.review.tab == tab else None


_facts: dict[str, Fact] = {}


def register(fact: Fact) -> None:
    _facts[fact.key] = fact


def facts() -> list[Fact]:
    """Return all registered facts in their order."""
    return sorted(_facts.values(), key=lambda fact: fact.order)


def of_operation(operation: str) -> list[Fact]:
    return [fact for fact in _facts.values() if fact.operation == operation]
