"""The banner of the sandbox: one line in the frame of every page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET

from dashboard.facts import overview
from dashboard.facts.overview import Overview
from dashboard.facts.registry import STORAGE
from dashboard.features.trial.rules import Guide, guides_for
from dashboard.features.trial.services import guides, switches
from dashboard.features.trial.services.guides import Progress
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.models import Person
from dashboard.tokens.access import recent
from dashboard.tokens.errors import TokenMissing
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.sandbox import SandboxError
from dashboard.tokens.workspace import Workspace
from dashboard.web.pages.answers import page
from dashboard.web.pages.frame import signed_in as is_signed_in
from dashboard.web.pages.htmx import wants_part

P = ParamSpec("P")
R = TypeVar("R", bound=HttpRequest)


@dataclass(frozen=True, slots=True)
class Line:
    """The banner. `fault` completes "The sandbox …". `is_active`: a guide is under way or a fault is switched on."""

    fault: str
    is_owner: bool
    progress: Progress | None
    href: str
    offered: Sequence[Guide]

    @property
    def is_active(self) -> bool:
        return bool(self.fault or self.progress)


def in_sandbox(
    view: Callable[Concatenate[R, P], HttpResponseBase],
) -> Callable[Concatenate[R, P], HttpResponseBase]:
    """Answer 404 unless `start` runs the embedded sandbox."""

    @wraps(view)
    def inner(request: R, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not settings.SANDBOX_URL:
            raise Http404("There is no embedded sandbox here.")
        return view(request, *args, **kwargs)

    return inner


def line_of(request: HttpRequest) -> Line | None:
    """Return the banner; None without the embedded sandbox, or if the person hid it and nothing is under way."""
    if not settings.SANDBOX_URL or not is_signed_in(request):
        return None
    person: Person = request.user  # type: ignore[assignment] # signed in
    try:
        trial = guides.trial_of(person)
        progress, fault = guides.current(trial), _fault(person)
        if trial.is_hidden and not progress and not fault:
            return None
        href = step_href(request, person, progress) if progress else ""
    except DatabaseError:
        # Error pages must work without the database.
        return None
    return Line(fault, person.is_owner, progress, href, guides_for(person.role))


@require_GET
@signed_in
@in_sandbox
def show(request: PersonRequest) -> HttpResponse:
    """Show the banner as a part. A guide requests it again to notice a finished step; 204 while still `?done=` steps are done."""
    if not wants_part(request):
        return redirect("trial:index")
    line = line_of(request)
    if line and line.progress and request.GET.get("done") == str(line.progress.done):
        return HttpResponse(status=204)
    return page(request, "trial/_line.html", {"line": line})


def step_href(request: HttpRequest, person: Person, progress: Progress) -> str:
    """Return the page of the next step, in the project of the latest one, the open one, or the one last used."""
    names = request.resolver_match.kwargs if request.resolver_match else {}
    here = str(names.get("ref") or names.get("space") or "")
    step, place = progress.step, progress.place or here or next(iter(recent(request)), "") or _fullest(person)
    address = ""
    match step.page if step else "":
        case "buckets":
            address = reverse("buckets:index", args=[place]) if place else f"{reverse('home:index')}?view={STORAGE}"
        case "draft" | "index" as name:
            address = reverse(f"secrets:{name}", args=[place]) if place else reverse("home:index")
        case "hostname" | "hostnames":
            address = reverse("hostname:index", args=[progress.place]) if progress.place else reverse("home:hostnames")
        case "links":
            address = reverse("sharing:ledger")
        case "switches":
            address = reverse("trial:switches")
    return address or reverse("trial:index")


def _fullest(person: Person) -> str:
    """Return the project whose storage is known to hold the most bytes; empty without a storage token."""
    kept = list(StoredToken.objects.filter(person=person, kind=Kind.STORAGE).values_list("space", flat=True))
    known = overview.overviews(Workspace(person), kept)
    return max(kept, key=lambda space: _number(known[space]), default="")


def _number(known: Overview) -> float:
    cell = known.cells.get("storage")
    return cell.shown.number if cell and cell.shown else 0


def _fault(person: Person) -> str:
    """Return the fault that is switched on; empty if there is none or that is unknown."""
    try:
        found = switches.faults(person)
    except (SandboxError, TokenMissing):
        return ""
    if not found:
        return ""
    mode = switches.mode_of(found)
    return mode.state if mode else "has faults switched on"
