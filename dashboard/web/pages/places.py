"""The place of a page, derived from its address alone, so that the frame can be shown even after failures.

`navigation` says what leads where, and `frame` what every page shows; neither knows whose project this is.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest
from django.urls import Resolver404, ResolverMatch, resolve

from dashboard.web.failures.cards import AGAIN, CHECK, Problem, Step
from dashboard.web.pages import navigation
from dashboard.web.pages.htmx import page_behind
from dashboard.web.pages.navigation import Link, Steps, Switch

_namers: list[Callable[[HttpRequest, str], str]] = []

V = TypeVar("V", bound=Callable[..., Any])


def draft_view(view: V) -> V:
    """Mark a view whose posted fields contain no secret, so that error pages can keep them."""
    view.__dict__["is_draft_view"] = True
    return view


def draft_of(request: HttpRequest) -> tuple[tuple[str, str], ...]:
    """Return the fields posted to a `draft_view`, without the CSRF token."""
    view = request.resolver_match.func if request.resolver_match else None
    if request.method != "POST" or not getattr(view, "is_draft_view", False):
        return ()
    return tuple((name, str(value)) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken" for value in values)


@dataclass(frozen=True, slots=True)
class Place:
    """A project, a space or an item in one. `is_known`: a token of the person has reached it before.

    `ref` is that of the project or space, `links` are a project's sections. `switch` leads to other projects or, if there are
    none, to other buckets, and is labelled `called`. `bucket_switch` leads to the other buckets of this storage.
    """

    ref: str
    title: str
    name: str
    steps: Steps
    links: tuple[Link, ...]
    is_known: bool
    called: str
    switch: Switch | None
    bucket_switch: Switch | None


def with_way_back(request: HttpRequest, problem: Problem) -> Problem:
    """Return the problem with a next step that leads to the page with the current state."""
    if request.method != "POST" or problem.step not in (CHECK, AGAIN, None):
        return problem
    place = place_of(request)
    if place is None:
        return problem if problem.step is CHECK else replace(problem, step=Step("Go back", page_behind(request)))
    label, href = place.steps[-1]
    return replace(problem, step=Step(CHECK.label if problem.step is CHECK else f"Back to {label}", href))


def name_places(name: Callable[[HttpRequest, str], str]) -> None:
    """Register how to name projects on pages without a workspace. Once, in a `feature`."""
    _namers[:] = [name]


def known_name(request: HttpRequest, ref: str) -> str:
    """Return the name of a project that the person's tokens have reached; empty for others."""
    known: Callable[[str], str] | None = getattr(request, "known_name", None)
    if known:
        return known(ref)
    try:
        return _namers[0](request, ref) if _namers and request.user.is_authenticated else ""
    except DatabaseError:
        # Error pages must work without the database.
        return ""


def place_of(request: HttpRequest, path: str = "") -> Place | None:
    """Return the place in this address or in `path`; None if there is no project or space."""
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
        links = () if shared else navigation.project_sections(request, space, "storage")
        title = "Buckets"
    else:
        links = navigation.project_sections(request, ref, navigation.section_of(match.namespace))
        here = next((link for link in links if link.here), None)
        steps = navigation.root_steps("ref", ref, called)
        title = called if here is None or here.href == steps[-1][1] else here.label
        steps += ((here.label, here.href),) if here and here.href != steps[-1][1] else ()
    for step in navigation.inner_steps(arguments):
        title = step[0]
        steps += (step,)
    bucket = arguments.get("bucket", "")
    buckets = navigation.switch("space", space, bucket=bucket) if space else None
    section = "storage" if space else navigation.section_of(match.namespace)
    return Place(
        ref=ref or space,
        title=title,
        name=called,
        steps=steps,
        links=links,
        is_known=bool(name),
        called=called if links else bucket or called,
        switch=navigation.switch("ref", ref or space, section=section) if links else None if settings.MANAGEMENT_URL else buckets,
        bucket_switch=buckets if bucket else None,
    )


def _match(path: str) -> ResolverMatch | None:
    try:
        return resolve(path)
    except Resolver404:
        return None
