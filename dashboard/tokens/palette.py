"""Registry of what the command palette finds. Upper layers register sources and actions in their `feature`.

A source returns what the person's own credentials show, from the database and last known data, without calling a service.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from dashboard.interfaces.management.projects import Project
from dashboard.tokens.access import WorkspaceRequest, recent
from dashboard.tokens.last_known import of_project, remembered
from dashboard.tokens.models import Kind
from dashboard.web.pages.finder import Hit

Find = Callable[[WorkspaceRequest, str], Iterable[Hit]]


@dataclass(frozen=True, slots=True)
class Source:
    """Entries of one kind. `find` returns those that match a text, best first."""

    title: str
    find: Find
    order: int


@dataclass(frozen=True, slots=True)
class Action:
    """Something to do. A label with "{}" is about a project: `view` takes its ref, the label its name.

    `query` (or a fragment) follows the address. Without `is_on` there is no such page here.
    """

    label: str
    icon: str
    view: str
    query: str = ""
    is_on: Callable[[], bool] = lambda: True


T = TypeVar("T")

_sources: list[Source] = []
_actions: list[Action] = []
_words: dict[str, str] = {}


def add_source(title: str, find: Find, *, order: int) -> None:
    _sources.append(Source(title, find, order))


def add_action(label: str, icon: str, view: str, query: str = "", *, is_on: Callable[[], bool] = lambda: True) -> None:
    _actions.append(Action(label, icon, view, query, is_on))


def add_words(view: str, words: str) -> None:
    """Let further usual words find the sections and actions that lead to a URL name."""
    _words[view] = words


def words_for(view: str) -> str:
    return _words.get(view, "")


def sources() -> list[Source]:
    return sorted(_sources, key=lambda source: source.order)


def actions() -> list[Action]:
    return [action for action in _actions if action.is_on()]


def projects(request: WorkspaceRequest) -> list[Project]:
    """Return the person's projects, recently used ones first, then by name. Waits at most a second."""
    ranks = {ref: rank for rank, ref in enumerate(recent(request))}
    found = request.workspace.projects()
    return sorted(found, key=lambda project: (ranks.get(project.id, len(ranks)), project.name.casefold(), project.id))


def of_projects(request: WorkspaceRequest, operation: str, shape: type[T]) -> list[tuple[Project, T]]:
    """Return what each project's credential last read by an operation whose only argument is the ref."""
    found = projects(request)
    mine = {project.id: request.workspace.fingerprint(Kind.MANAGEMENT, project.id) for project in found}
    known = remembered({ref: of_project(fingerprint, operation, ref) for ref, fingerprint in mine.items()}, shape)
    return [(project, known[project.id]) for project in found if project.id in known]
