"""Give, change, revoke and confirm access."""

from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.catalog.queries import children
from dashboard.features.access.forms import PARTS, GrantForm, TermsForm
from dashboard.features.access.rules import place_in_words, receiver_of
from dashboard.features.access.services import grants
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.links import through
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.gate import fresh_sign_in
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.credentials import own_token
from dashboard.tokens.last_known import of_buckets, remembered
from dashboard.tokens.models import Grant, Kind
from dashboard.tokens.project_names import learn_projects
from dashboard.tokens.workspace import Workspace
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import dialog, done, submit
from dashboard.web.pages.confirm import confirm
from dashboard.web.pages.finder import Group, Hit, Matches, find, matching, query_of
from dashboard.web.pages.navigation import place_title
from dashboard.web.pages.places import known_name
from dashboard.web.text import counted

SUGGESTIONS_MAX = 200
HOME = "people:index"


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
@needs("access granted")
def new(request: PersonRequest) -> HttpResponse:
    """Give access at a place: `kind` and `place`, for storage also `folder`. Without these, choose a place first."""
    return _give(request, request.GET.get("kind", ""), request.GET.get("place", ""), request.GET.get("folder", ""))


@require_http_methods(["GET", "POST"])
@with_workspace
@fresh_sign_in
@needs("access granted")
def new_in_bucket(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Give access to a bucket, or to one `folder` of it."""
    return _give(request, Kind.STORAGE.value, space, f"{bucket}/{request.GET.get('folder', '')}")


def _give(request: PersonRequest, kind: str, place: str, folder: str) -> HttpResponse:
    if kind not in Kind.values or not place or own_token(request.user, kind, place) is None:
        return _choose(request)
    own = _own(request)
    name = grants.title_of(kind, place, grants.name_of(own, place))
    initial = {
        "reach": PARTS,
        "folders": [folder] if folder else [],
        "people": request.GET.getlist("person"),
    }
    data = posted(request)
    form = GrantForm(data, giver=request.user, kind=kind, initial=initial, **_offers(own, kind, place))
    context = {
        "title": "Give access",
        "lead": f"{name}: through your token, which they never see.",
        "back": reverse(HOME),
        "is_alone": not form.fields["people"].queryset.exists(),  # type: ignore[attr-defined] # of its only kind of field
        "button": "Give access",
    }

    if form.is_bound and form.is_valid():
        form.ask_about(grants.unseen(own, place, form.terms.folders), grants.ANYWAY)

    def perform() -> list[Grant]:
        chosen = form.cleaned_data
        return grants.give(request.user, kind, place, form.terms, people=chosen["people"], role=chosen["role"])

    def then(made: list[Grant]) -> HttpResponse:
        message = (
            f"Access to {name} given to {receiver_of(made[0]) if len(made) == 1 else counted(len(made), 'person', 'people')}."
        )
        address = _page_of(made[0]) if len(made) == 1 else reverse(HOME)
        return done(request, message, changed="grants", to=address, link=("Show access", address))

    return submit(request, form, "access/_form.html", perform=perform, then=then, context=context)


@require_GET
@signed_in
@needs("access granted")
def folders(request: PersonRequest) -> HttpResponse:
    """List the buckets of a storage (S2), or the folders in `path` (S13), to be ticked in the form."""
    space, path = request.GET.get("place", ""), request.GET.get("path", "")
    if own_token(request.user, Kind.STORAGE.value, space) is None:
        raise Http404("There is no token of yours for this storage.")
    found, has_more = grants.folders_in(_own(request), space, path)
    names = [(folder, folder.removeprefix(path).removesuffix("/")) for folder in found]
    return render(request, "access/_folders.html", {"place": space, "path": path, "names": names, "has_more": has_more})


@require_http_methods(["GET", "POST"])
@signed_in
@needs("access changed")
def change(request: PersonRequest, grant_id: int) -> HttpResponse:
    """Change what a grant allows. Widening it needs a fresh sign-in."""
    grant = get_object_or_404(_lasting(request), pk=grant_id)
    own = _own(request)
    data = posted(request)
    form = TermsForm.of(grant, data, **_offers(own, grant.kind, grant.place))
    context = {
        "title": f"Access of {receiver_of(grant)}",
        "lead": f"{grants.title_of(grant.kind, grant.place, grants.name_of(own, grant.place))}, through your token.",
        "back": _page_of(grant),
        "button": "Change access",
    }

    if form.is_bound and form.is_valid():
        unseen = grants.unseen(own, grant.place, sorted({*form.terms.folders} - {*grant.folders}))
        form.ask_about([*unseen, *_losses(request, grant, form.terms)], grants.CHANGE_ANYWAY)

    def then(_: None) -> HttpResponse:
        return done(request, f"Access of {receiver_of(grant)} changed.", changed="grants", to=_page_of(grant))

    def answer(request: PersonRequest) -> HttpResponse:
        perform = partial(grants.change, request.user, grant, form.terms) if form.is_bound and form.is_valid() else _nothing
        return submit(request, form, "access/_form.html", perform=perform, then=then, context=context)

    if form.is_bound and form.is_valid() and grants.is_wider(grant, form.terms):
        return fresh_sign_in(answer)(request)  # type: ignore[return-value] # what `answer` returns
    return answer(request)


@require_http_methods(["GET", "POST"])
@signed_in
def revocation(request: PersonRequest, grant_id: int) -> HttpResponse:
    """Revoke a grant. Only its giver and owners may."""
    given = Grant.objects.filter(revoked_at=None) if request.user.is_owner else _lasting(request)
    grant = get_object_or_404(given.select_related("giver", "person"), pk=grant_id)
    receiver, place = receiver_of(grant), known_name(request, grant.place) or grant.place
    links = through.links_through([grant.pk])
    ended = through.in_words(links) or "links"
    return confirm(
        request,
        title=f"Revoke access of {receiver}",
        button="Revoke access",
        consequences=[
            f"{receiver} can no longer use {place} through {_whose(request, grant)} token.",
            f"Their {ended} through it stop working, and so do their jobs.",
            "Signed links that were already made work until they expire.",
            "This can't be undone, but access can be given again.",
        ],
        items=[place_in_words(grant.scope), *through.named(request.user, links)],
        perform=lambda: grants.revoke(request.user, grant),
        then=lambda _: done(request, f"Access of {receiver} revoked.", changed="grants", to=_page_of(grant)),
        back=_page_of(grant),
    )


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
@needs("access confirmed")
def confirmation(request: PersonRequest) -> HttpResponse:
    """Confirm paused grants for the token stored now: all, or only `grant`."""
    only = request.GET.get("grant", "")
    found = [grant for grant in grants.unconfirmed(request.user) if only in ("", str(grant.pk))]
    if not found:
        return done(request, "There is no access to confirm.", changed="grants", to=reverse(HOME), tone="info")
    return confirm(
        request,
        title="Confirm access",
        button="Confirm access",
        consequences=["You stored another token. These people act through it from now on, within the same limits."],
        items=[
            f"{receiver_of(grant)}: {known_name(request, grant.place) or grant.place} · {place_in_words(grant.scope)}"
            for grant in found
        ],
        perform=lambda: grants.confirm(request.user, found),
        then=lambda _: done(request, f"Access confirmed: {len(found):,}.", changed="grants", to=reverse(HOME)),
        back=reverse(HOME),
        danger=False,
    )


def _choose(request: PersonRequest) -> HttpResponse:
    """Choose the place: one's own projects, and storages with a token of one's own."""
    places = grants.places(request.user)
    if not places:
        has_token = own_token(request.user, Kind.MANAGEMENT, "") is not None
        return dialog(request, "access/_no_token.html", {"title": "Give access", "has_token": has_token, "back": reverse(HOME)})
    query = query_of(request)
    keep = [("person", person) for person in request.GET.getlist("person")]
    found = {
        title: [_hit(kind, place, name, icon, keep) for kind, place, name in places if kind == wanted]
        for wanted, title, icon in ((Kind.STORAGE, "Storage", "hard-drive"), (Kind.MANAGEMENT, "Management", "layers"))
    }
    matches = Matches(
        action=reverse("access:new"),
        query=query,
        hint=place_title(),
        none="Nothing matches.",
        groups=[Group(title, matching(query, hits)) for title, hits in found.items() if matching(query, hits)],
        keep=keep,
    )
    return find(request, matches, title="Give access to", back=reverse(HOME))


def _hit(kind: str, place: str, name: str, icon: str, keep: list[tuple[str, str]]) -> Hit:
    query = urlencode([("kind", kind), ("place", place), *keep])
    return Hit(name=name, href=f"{reverse('access:new')}?{query}", icon=icon)


def _suggestions(own: Workspace, kind: str, place: str) -> list[str]:
    """Return suggestions: the buckets that the person's own token last read, and the indexed folders directly in them."""
    if kind != Kind.STORAGE:
        return []
    read = remembered({place: of_buckets(own.fingerprint(Kind.STORAGE, place), place)}, list[Bucket])
    found: list[str] = []
    for bucket in read.get(place, []):
        folders, _ = children(own, place, bucket.id, "", "", limit=SUGGESTIONS_MAX)
        found += [f"{bucket.id}/", *(f"{bucket.id}/{folder}" for folder in folders)]
    return found[:SUGGESTIONS_MAX]


def _offers(own: Workspace, kind: str, place: str) -> dict[str, Any]:
    """Return what the form offers for folders: names that are known already, and where others are browsed."""
    return {"suggestions": _suggestions(own, kind, place), "browse": f"{reverse('access:folders')}?{urlencode({'place': place})}"}


def _own(request: PersonRequest) -> Workspace:
    """Return a workspace with the person's own tokens only, because received access can't be passed on."""
    own = Workspace(request.user, grants=())
    learn_projects(own)
    return own


def _lasting(request: PersonRequest) -> QuerySet[Grant]:
    return Grant.objects.filter(giver=request.user, revoked_at=None).select_related("giver", "person")


def _page_of(grant: Grant) -> str:
    """Return the page that shows a grant: its receiver's, or its giver's if it is for everybody with a role."""
    return reverse("people:person", args=[grant.person_id or grant.giver_id])


def _losses(request: PersonRequest, grant: Grant, terms: grants.Terms) -> list[str]:
    """Return a sentence about the links that changed terms close earlier, or take files from; none without such links."""
    lost = through.lost(grant, terms.scope(grant.kind, grant.place), terms.ends_at)
    if not lost:
        return []
    names = ", ".join(through.named(request.user, lost))
    verb = "closes earlier or loses" if len(lost) == 1 else "close earlier or lose"
    return [f"{through.in_words(lost)} {verb} files{names and f': {names}'}."]


def _whose(request: PersonRequest, grant: Grant) -> str:
    return "your" if grant.giver_id == request.user.pk else f"{grant.giver}'s"


def _nothing() -> None:
    """Do nothing: the placeholder for an act of a form that is only shown or is invalid."""
