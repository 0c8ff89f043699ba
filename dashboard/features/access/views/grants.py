"""Give, change, revoke and confirm access."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.catalog.queries import children
from dashboard.features.access.forms import AccessForm
from dashboard.features.access.rules import key_of, place_in_words, receiver_of
from dashboard.features.access.services import grants, places
from dashboard.features.access.services.places import own_workspace
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.links import through
from dashboard.links.models import CodedLink
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.gate import fresh_sign_in
from dashboard.team.rights import needs
from dashboard.tokens import spaces
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.credentials import own_token
from dashboard.tokens.last_known import of_buckets, remembered
from dashboard.tokens.models import Grant, Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import dialog, done, submit
from dashboard.web.pages.confirm import confirm
from dashboard.web.pages.finder import Group, Hit, Matches, find, matching, query_of
from dashboard.web.pages.navigation import place_title
from dashboard.web.pages.places import known_name

ANYWAY = "Give access all the same"
CHANGE_ANYWAY = "Change access all the same"
# The heading of the places to choose from, by what one of them is called.
GROUPS = {"Project": "Projects", "Storage": "Storage"}
SUGGESTIONS_MAX = 200
HOME = "people:index"


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
@needs("access granted")
def new(request: PersonRequest) -> HttpResponse:
    """Give access at a `place`, also with a `folder` ticked. Without a place, choose one first."""
    return _give(request, request.GET.get("place", ""), request.GET.get("folder", ""))


@require_http_methods(["GET", "POST"])
@with_workspace
@fresh_sign_in
@needs("access granted")
def new_in_bucket(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Give access to a bucket, or to one `folder` of it."""
    return _give(request, space, f"{bucket}/{request.GET.get('folder', '')}")


def _give(request: PersonRequest, place: str, folder: str) -> HttpResponse:
    own = own_workspace(request.user)
    if not place or not places.kinds_at(own, place):
        return _choose(request, own)
    people, given = request.GET.getlist("person"), grants.given_at(request.user, place)
    for grant in given:
        if request.method == "GET" and people == [str(grant.person_id)]:
            return redirect(_change_of(grant, folder))
    name = places.name_of(own, place)
    initial = {"folders": [folder] if folder else [], "people": people}
    form = AccessForm(posted(request), giver=request.user, given=given, initial=initial, **_offers(own, place))
    context = {
        "title": "Give access",
        "lead": f"{name}: through your token, which they never see.",
        "back": reverse(HOME),
        "is_alone": not form.fields["people"].queryset.exists(),  # type: ignore[attr-defined] # of its only kind of field
        "given": [(receiver_of(grant), _change_of(grant, folder)) for grant in given],
        "button": "Give access",
        "wide": True,
    }

    if form.is_bound and form.is_valid():
        form.ask_about(places.unseen(own, place, _folders(form.terms)), ANYWAY)

    def perform() -> list[Grant]:
        chosen = form.cleaned_data
        return grants.give(request.user, place, form.terms, people=chosen["people"], role=chosen["role"])

    def then(made: list[Grant]) -> HttpResponse:
        count = len({key_of(grant) for grant in made})
        whom, address = (receiver_of(made[0]), _page_of(made[0])) if count == 1 else (f"{count:,} people", reverse(HOME))
        return done(request, f"Access to {name} given to {whom}.", changed="grants", to=address, link=("Show access", address))

    return submit(request, form, "access/_form.html", perform=perform, then=then, context=context)


@require_GET
@signed_in
@needs("access granted")
def folders(request: PersonRequest) -> HttpResponse:
    """List the buckets of a storage (S2), or the folders in `path` (S13), to be ticked in the form.

    The form of a `grant` shows its folders already.
    """
    space, path = request.GET.get("place", ""), request.GET.get("path", "")
    if own_token(request.user, Kind.STORAGE.value, space) is None:
        raise Http404("There is no token of yours for this storage.")
    found, has_more = places.folders_in(own_workspace(request.user), space, path)
    only = request.GET.get("grant", "")
    shown = {
        folder for grant in request.user.grants_given.filter(place=space) if str(grant.pk) == only for folder in grant.folders
    }
    context = {
        "path": path,
        "names": [(folder, folder.removeprefix(path).removesuffix("/"), folder in shown) for folder in found],
        "has_more": has_more,
        "query": urlencode({"place": space} | ({"grant": only} if shown else {})),
    }
    return render(request, "access/_folders.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
@needs("access changed")
def change(request: PersonRequest, grant_id: int) -> HttpResponse:
    """Change what the receiver of a grant may do at its place. Widening it needs a fresh sign-in. `folder` is ticked, too."""
    grant = get_object_or_404(Grant, pk=grant_id, giver=request.user, revoked_at=None)
    own, tree = own_workspace(request.user), grants.tree_of(grant)
    offers = _offers(own, grant.place, tree.get(Kind.STORAGE.value))
    form = AccessForm(posted(request), giver=request.user, tree=tree, more=request.GET.getlist("folder"), **offers)
    receiver = receiver_of(grant)
    context = {
        "title": f"Access of {receiver}",
        "lead": f"{places.name_of(own, grant.place)}: through your token.",
        "back": _page_of(grant),
        "button": "Save access",
        "wide": True,
    }

    if form.is_bound and form.is_valid():
        known = {folder for one in tree.values() for folder in one.folders}
        unseen = places.unseen(own, grant.place, sorted({*_folders(form.terms)} - known))
        losses = dict(_losses(request, tree, form.terms))
        lost = [f"{link.ONE} {link.pk}" for links in losses.values() for link in links]
        form.ask_about([*unseen, *losses], CHANGE_ANYWAY, lost=lost)

    def then(is_changed: object) -> HttpResponse:
        message, tone = (f"Access of {receiver} changed.", "good") if is_changed else ("Nothing was changed.", "info")
        return done(request, message, changed="grants", to=_page_of(grant), tone=tone)

    def answer(request: PersonRequest) -> HttpResponse:
        perform = partial(grants.change, request.user, tree, form.terms) if form.is_bound and form.is_valid() else _nothing
        return submit(request, form, "access/_form.html", perform=perform, then=then, context=context)

    if form.is_bound and form.is_valid() and grants.is_wider(tree, form.terms):
        return fresh_sign_in(answer)(request)  # type: ignore[return-value] # what `answer` returns
    return answer(request)


@require_http_methods(["GET", "POST"])
@signed_in
def revocation(request: PersonRequest, grant_id: int) -> HttpResponse:
    """Revoke what the receiver of a grant may do at its place. Only its giver and owners may."""
    given = Grant.objects.filter(revoked_at=None) if request.user.is_owner else request.user.grants_given.filter(revoked_at=None)
    grant = get_object_or_404(given, pk=grant_id)
    tree = grants.tree_of(grant)
    receiver, place = receiver_of(grant), known_name(request, grant.place) or grant.place
    links = through.links_through(one.pk for one in tree.values())
    ended = through.in_words(links)
    return confirm(
        request,
        title=f"Revoke access of {receiver}",
        button="Revoke access",
        consequences=[
            f"{receiver} can no longer use {place} through {_whose(request, grant)} token.",
            f"This stops their jobs and links{ended and f': {ended}'}.",
            "Signed links that were already made work until they expire.",
            "This can't be undone, but access can be given again.",
        ],
        items=[*(place_in_words(one.scope) for one in tree.values()), *through.named(request.user, links)],
        perform=lambda: grants.revoke(request.user, *tree.values()),
        then=lambda _: done(request, f"Access of {receiver} revoked.", changed="grants", to=_page_of(grant)),
        back=_page_of(grant),
    )


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
@needs("access confirmed")
def confirmation(request: PersonRequest) -> HttpResponse:
    """Confirm paused grants for the token stored now: all, or those of the card that shows `grant`."""
    found = grants.unconfirmed(request.user)
    if only := request.GET.get("grant", ""):
        of = {key_of(grant) for grant in found if str(grant.pk) == only}
        found = [grant for grant in found if key_of(grant) in of]
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


def _choose(request: PersonRequest, own: Workspace) -> HttpResponse:
    """Choose the place: one's own projects, and storages with a token of one's own."""
    found = places.places(own)
    if not found:
        has_token = own_token(request.user, Kind.MANAGEMENT, "") is not None
        return dialog(request, "access/_no_token.html", {"title": "Give access", "has_token": has_token, "back": reverse(HOME)})
    keep = [("person", person) for person in request.GET.getlist("person")]
    offered = (
        Hit(
            name=name,
            href=f"{reverse('access:new')}?{urlencode([('place', place), *keep])}",
            icon="hard-drive" if place == spaces.SHARED else "layers",
        )
        for place, name in found.items()
    )
    query = query_of(request)
    hits = matching(query, offered)
    matches = Matches(
        action=reverse("access:new"),
        query=query,
        hint=place_title(),
        none="Nothing matches.",
        groups=[Group(GROUPS.get(place_title(), "Projects and storage"), hits)] if hits else [],
        keep=keep,
    )
    return find(request, matches, title="Give access to", back=reverse(HOME))


def _offers(own: Workspace, place: str, stored: Grant | None = None) -> dict[str, Any]:
    """Return what the form offers at a place: kinds, names of folders that are known already, and where others are browsed."""
    kinds = places.kinds_at(own, place)
    if Kind.STORAGE not in kinds:
        return {"kinds": kinds}
    query = urlencode({"place": place} | ({"grant": stored.pk} if stored else {}))
    return {"kinds": kinds, "suggestions": _suggestions(own, place), "browse": f"{reverse('access:folders')}?{query}"}


def _suggestions(own: Workspace, place: str) -> list[str]:
    """Return suggestions: the buckets that the person's own token last read, and the indexed folders directly in them."""
    read = remembered({place: of_buckets(own.fingerprint(Kind.STORAGE, place), place)}, list[Bucket])
    found: list[str] = []
    for bucket in read.get(place, []):
        folders, _ = children(own, place, bucket.id, "", "", limit=SUGGESTIONS_MAX)
        found += [f"{bucket.id}/", *(f"{bucket.id}/{folder}" for folder in folders)]
    return found[:SUGGESTIONS_MAX]


def _folders(terms: Mapping[str, grants.Terms]) -> list[str]:
    return [folder for one in terms.values() for folder in one.folders]


def _change_of(grant: Grant, folder: str) -> str:
    address = reverse("access:change", args=[grant.pk])
    return f"{address}?{urlencode({'folder': folder})}" if folder else address


def _page_of(grant: Grant) -> str:
    """Return the page that shows a grant: its receiver's, or its giver's if it is for everybody with a role."""
    return reverse("people:person", args=[grant.person_id or grant.giver_id])


def _losses(
    request: PersonRequest, tree: grants.Tree, terms: Mapping[str, grants.Terms]
) -> Iterator[tuple[str, list[CodedLink]]]:
    """Yield the links that changed terms close earlier, or take files from, each with a sentence about them."""
    for kind, grant in tree.items():
        wanted = terms.get(kind)
        if wanted is None:
            lost, verbs = through.links_through([grant.pk]), ("stops working", "stop working")
        else:
            lost = through.lost(grant, wanted.scope(kind, grant.place), wanted.ends_at)
            verbs = ("closes earlier or loses files", "close earlier or lose files")
        if lost:
            names = ", ".join(through.named(request.user, lost))
            yield f"{through.in_words(lost)} {verbs[len(lost) > 1]}{names and f': {names}'}.", lost


def _whose(request: PersonRequest, grant: Grant) -> str:
    return "your" if grant.giver_id == request.user.pk else f"{grant.giver}'s"


def _nothing() -> None:
    """Do nothing: the placeholder for an act of a form that is only shown or is invalid."""
