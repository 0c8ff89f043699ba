"""Where a page stands by its address alone: what stays around it whatever a service does."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest
from django.urls import Resolver404, ResolverMatch, resolve

from dashboard.web import navigation
from dashboard.web.cards import AGAIN, CHECK, Problem, Step
from dashboard.web.navigation import Link, Steps

_namers: list[Callable[[HttpRequest, str], str]] = []

V = TypeVar("V", bound=Callable[..., Any])


def draft_view(view: V) -> V:
    """Mark a view whose posted fields hold no secret: the page of a failure carries them, so that nothing typed is lost."""
    view.__dict__["is_draft_view"] = True
    return view


def draft_of(request: HttpRequest) -> tuple[tuple[str, str], ...]:
    """Return what was posted to a `draft_view`, by name, without what belongs to the form itself."""
    view = request.resolver_match.func if request.resolver_match else None
    if request.method != "POST" or not getattr(view, "is_draft_view", False):
        return ()
    return tuple((name, str(value)) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken" for value in values)


@dataclass(frozen=True, slots=True)
class Place:
    """A project, a storage or something in it. `is_known`: the person's token reached it before, so its label may be shown."""

    title: str
    name: str
    steps: Steps
    links: tuple[Link, ...]
    is_known: bool


def with_way_back(request: HttpRequest, problem: Problem) -> Problem:
    """The same problem; the next step of an act that failed leads to the page that shows the current state."""
    place = place_of(request) if request.method == "POST" and problem.step in (CHECK, AGAIN, None) else None
    if place is None:
        return problem
    label, href = place.steps[-1]
    return replace(problem, step=Step(CHECK.label if problem.step is CHECK else f"Back to {label}", href))


def name_places(name: Callable[[HttpRequest, str], str]) -> None:
    """Register how a project is named on pages that make no workspace. Once, in `AppConfig.ready`."""
    _namers[:] = [name]


def known_name(request: HttpRequest, ref: str) -> str:
    """Return what people call a project that the person's tokens reached before; empty for others."""
    known: Callable[[str], str] | None = getattr(request, "known_name", None)
    if known:
        return known(ref)
    try:
        return _namers[0](request, ref) if _namers and request.user.is_authenticated else ""
    except DatabaseError:
        # The page of a failing database is drawn, too.
        return ""


def place_of(request: HttpRequest, path: str = "") -> Place | None:
    """Return the place that the address, or another path of ours, names; None where it names no project and no storage."""
    match = _match(path) if path else request.resolver_match
    ref, space = (str(match.kwargs.get(name) or "") for name in ("ref", "space")) if match else ("", "")
    if not match or not (ref or space):
        return None
    name = known_name(request, ref or space)
    called = name or ref or space
    arguments = {name: str(value) for name, value in match.kwargs.items() if value}
    if space:
        shared = "{ref}" not in settings.STORAGE_URL
        steps = navigation.root_steps("space", space, "Storage" if shared else called)
        links = () if shared else navigation.project_sections(space, "storage")
        title = "Buckets"
    else:
        links = navigation.project_sections(ref, navigation.section_of(match.namespace))
        here = next((link for link in links if link.here), None)
        steps = navigation.root_steps("ref", ref, called)
        title = called if here is None or here.href == steps[-1][1] else here.label
        steps += ((here.label, here.href),) if here and here.href != steps[-1][1] else ()
    for step in navigation.inner_steps(arguments):
        title = step[0]
        steps += (step,)
    return Place(title=title, name=called, steps=steps, links=links, is_known=bool(name))


def _match(path: str) -> ResolverMatch | None:
    try:
        return resolve(path)
    except Resolver404:
        return None
