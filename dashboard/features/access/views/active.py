"""The credential used at a place: shown in the frame, and switched."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.features.access.forms import CredentialForm
from dashboard.features.access.rules import in_words, place_in_words
from dashboard.features.access.services.grants import choose
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.grants import Granted
from dashboard.tokens.models import Kind
from dashboard.tokens.refusals import lost_at
from dashboard.tokens.workspace import Workspace
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import done, submit


@dataclass(frozen=True, slots=True)
class Acting:
    """The credential used at the page's place, and where to switch it; `href` is empty if there is no other."""

    words: str
    href: str


def acting(request: HttpRequest) -> Acting | None:
    """Return what the frame shows; None if the person has no grant here.

    If a grant was lost and the own token is stored but doesn't help, it is the reason. Without a token the page itself says it.
    """
    workspace, kind, place = _here(request)
    usable = workspace.usable_at(kind, place) if workspace and place else []
    if not workspace or not usable:
        lost = lost_at(workspace, kind, place) if workspace and place and workspace.has(kind, place) else None
        return Acting(lost.reason, "") if lost else None
    current = workspace.grant_at(kind, place)
    has_other = len(usable) > 1 or workspace.has_own(kind, place)
    query = urlencode({"kind": kind, "place": place})
    return Acting(
        words_of(current) if current else "Your own token",
        f"{reverse('access:active')}?{query}" if has_other else "",
    )


def give_access(request: HttpRequest) -> str:
    """Return where to give access to the page's place; empty where the person's own token doesn't act."""
    workspace, kind, place = _here(request)
    if not workspace or not place or not workspace.has_own(kind, place):
        return ""
    if workspace.grant_at(kind, place) or lost_at(workspace, kind, place):
        return ""
    return f"{reverse('access:new')}?{urlencode({'place': place})}"


def _here(request: HttpRequest) -> tuple[Workspace | None, Kind, str]:
    """Return the person's workspace, if the page has one, and the kind and place of its address."""
    workspace: Workspace | None = getattr(request, "workspace", None)
    names = request.resolver_match.kwargs if workspace and request.resolver_match else {}
    if "space" in names:
        return workspace, Kind.STORAGE, names["space"]
    return workspace, Kind.MANAGEMENT, names.get("ref", "")


@require_http_methods(["GET", "POST"])
@with_workspace
def switch(request: WorkspaceRequest) -> HttpResponse:
    """Choose the credential to use at a place: `kind` and `place`."""
    kind, place, workspace = request.GET.get("kind", ""), request.GET.get("place", ""), request.workspace
    usable = workspace.usable_at(kind, place)
    if not usable:
        raise Http404("You have no access to choose here.")
    choices = [(str(one.grant.pk), words_of(one)) for one in usable]
    if workspace.has_own(kind, place):
        choices.insert(0, (CredentialForm.OWN, "Your own token"))
    current = workspace.grant_at(kind, place)
    initial = {"credential": str(current.grant.pk) if current else CredentialForm.OWN}
    form = CredentialForm(posted(request), choices=choices, initial=initial)
    back = reverse("buckets:index" if kind == Kind.STORAGE else "projects:show", args=[place])
    return submit(
        request,
        form,
        perform=lambda: choose(request.user, kind, place, form.grant_id),
        then=lambda _: done(request, "Switched.", to=back),
        context={"title": "Switch access", "lead": "One token acts here at a time.", "button": "Switch", "back": back},
    )


def words_of(granted: Granted) -> str:
    return f"Through {granted.grant.giver}'s token · {in_words(granted.scope)} · {place_in_words(granted.scope)}"
