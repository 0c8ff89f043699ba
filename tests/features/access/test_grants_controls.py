"""Somebody who has grants only is led nowhere: the last operation of every enabled control is one that their grants allow."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.urls import Resolver404, ResolverMatch, resolve, reverse

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.operations import OPERATIONS
from dashboard.interfaces.transport import Ask
from dashboard.team.models import Person, Role
from dashboard.tokens.guard import ScopeGuard
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.scope import SECTIONS
from dashboard.tokens.workspace import Workspace
from tests.markup import Element, parse
from tests.pages import PageClient
from tests.people import client_of
from tests.sandboxes import Sandbox

LINKS = ("href", "hx-get")
LEADS = (*LINKS, "action", "hx-post", "formaction", "data-send")
PAGES_MAX = 150
# Signing out and switching ends the crawl; the rest asks for a token of one's own on purpose.
LEFT_OUT = frozenset({"account_logout", "account:token_new", "account:replacement", "account:setup"})
# What acts of ours need of a grant: an act, or a section and an act.
OURS = {
    "link shared": ("share",),
    "files requested": ("share", "upload"),
    "link signed": ("sign",),
    "secret value shown": ("secrets", "values"),
    "hostname watched": ("hostname", "change"),
}
UNGRANTABLE = {"M2", "M4", "M20", "M21"}
DENIED = {"TokenMissing", "NotAllowed", "GrantUnusable"}


@dataclass(frozen=True, slots=True)
class Given:
    """A grant on a project and one on its storage."""

    storage: tuple[str, ...] = ("read", "share", "upload", "change", "delete", "buckets")
    management: tuple[str, ...] = ("read", "change", "functions")
    folders: tuple[str, ...] = ()
    sections: tuple[str, ...] = tuple(SECTIONS)
    pages: int = 40

    def give(self, giver: Person, person: Person, ref: str) -> None:
        grants.give(giver, ref, {"management": Terms(acts=self.management, sections=self.sections)}, people=[person])
        grants.give(giver, ref, {"storage": Terms(acts=self.storage, folders=self.folders)}, people=[person])


GIVEN = {
    "view": Given(("read",), ("read",)),
    "upload": Given(("read", "share", "upload"), ("read", "change")),
    "one folder": Given(folders=("handbook/procedures/",)),
    "one section": Given(sections=("secrets",), pages=30),
    "nearly all": Given(),
}


def enabled(root: Element) -> Iterator[tuple[str, str]]:
    """The controls of a page that are not disabled: attribute and address. Uploads go to the folder in `data-path`, and what is
    ticked in a list lies where the person may look.

    A form is enabled by a button that sends it to its own address, and one that isn't posted is a link.
    """
    for one in root:
        if one.tag == "form" and not any(is_enabled_submit(button) for button in one.all("button")):
            continue
        if one.tag == "form" and one.get("method") != "post":
            yield "href", one.get("action")
            continue
        if one.tag in ("a", "button", "form", "div", "section", "tr") and not one.has("aria-disabled"):
            upload = f"?{urlencode({'path': one.get('data-path')})}" if one.has("data-path") else ""
            ticked = "?key=procedures/x" * one.has("data-for-keys")
            yield from (
                (name, one.get(name) + ticked + upload * (name == "data-send")) for name in LEADS if one.get(name).startswith("/")
            )


def is_enabled_submit(button: Element) -> bool:
    is_submit = button.get("type") in ("", "submit") and not button.has("formaction")
    return is_submit and not button.has("aria-disabled")


def matched(address: str) -> ResolverMatch | None:
    try:
        return resolve(urlsplit(address).path)
    except Resolver404:
        return None


def asks(match: ResolverMatch, address: str) -> Iterator[Ask]:
    """What the address's view sends to the service, about the object or folder that the address names."""
    query = parse_qs(urlsplit(address).query)
    bucket = str(match.kwargs.get("bucket", "a-new-bucket"))
    folder = (query.get("folder") or query.get("path") or [""])[-1]
    key = (query.get("key") or [f"{folder}x"])[0]
    names = {"ref": str(match.kwargs.get("ref", "")), "bucketId": bucket, "bucketName": bucket, "wildcard": key}
    moved = {"bucketId": bucket, "sourceKey": key, "destinationKey": key}
    body = {"name": bucket, "prefixes": [key], "paths": [key], "expiresIn": 60, **moved}
    # What a view needs is less than what it may send: an upload replaces only where the person may.
    sends, needs = getattr(match.func, "sends", ()), getattr(match.func, "needs", ())
    for operation in needs if OPERATIONS.keys() & {*needs} else sends:
        if operation in OPERATIONS:
            yield Ask(operation, names, json=body)


def refused(workspace: Workspace, match: ResolverMatch, address: str) -> str:
    """Why the guard doesn't let the control's last operation through; empty if it does."""
    space, ref = match.kwargs.get("space"), match.kwargs.get("ref")
    kind, place = (Kind.STORAGE, space) if space else (Kind.MANAGEMENT, ref)
    for ask in asks(match, address):
        if not place:
            if ask.operation in UNGRANTABLE:
                return f"{ask.operation} can't be given"
            continue
        granted = workspace.grant_at(kind, str(place))
        if granted is None:
            return f"{ask.operation} without any grant"
        try:
            ScopeGuard(granted).check(ask)
        except InterfaceError as denied:
            return f"{ask.operation}: {denied!s}"
    for act in getattr(match.func, "needs", ()):
        # Anyone who sees a project's hostname may share its instructions.
        needed = () if act == "link shared" and not space else OURS.get(act, ())
        granted = workspace.grant_at(kind, str(place)) if needed and place else None
        if granted and not {*needed} <= granted.scope.acts | granted.scope.sections:
            return str(act)
    return ""


def dead_ends(client: PageClient, workspace: Workspace, ref: str) -> tuple[dict[str, str], int]:
    """Crawl one page of each kind, and a bucket within and outside one folder: which enabled controls end at a refusal?"""
    bucket = reverse("objects:index", args=[ref, "handbook"])
    starts = [reverse("home:index"), reverse("palette:index"), bucket, f"{bucket}?path=procedures/"]
    waiting = list(starts)
    seen: set[str] = set()
    dead: dict[str, str] = {}
    while waiting and len(seen) < PAGES_MAX:
        path = waiting.pop(0)
        match = matched(path)
        if match is None or match.view_name in LEFT_OUT or (match.view_name in seen and path not in starts):
            continue
        seen.add(match.view_name)
        starts = [start for start in starts if start != path]
        answer = client.get(path)
        if answer.headers.get("X-Problem") in DENIED:
            dead[path] = answer.headers["X-Problem"]
        if answer.status_code != 200 or not answer.headers["Content-Type"].startswith("text/html") or answer.streaming:
            waiting += [answer.headers["Location"]] if answer.status_code in (302, 303) else []
            continue
        offered = set(enabled(parse(answer.content.decode()).root))
        waiting += sorted({address for _, address in offered})
        for name, address in offered:
            found = matched(address)
            # A page that shows what only some may change: its form leads elsewhere.
            is_shown = name in LINKS and getattr(found and found.func, "needs", None) == ()
            if found and not is_shown and (reason := refused(workspace, found, address)):
                dead[address] = f"on {path}: {reason}"
    return dead, len(seen)


@pytest.fixture
def ref(service: Sandbox) -> str:
    """A project whose storage has the bucket "handbook"."""
    return "ktmvqhzwrbnxpgaydcle"


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", GIVEN)
def test_the_last_operation_of_every_enabled_control_is_allowed(
    name: str, ada: Person, owner: Person, storage_token: StoredToken, ref: str
) -> None:
    Person.objects.filter(pk=ada.pk).update(role=Role.ADMINISTRATOR)
    given = GIVEN[name]
    given.give(owner, ada, ref)
    ada.refresh_from_db()
    dead, pages = dead_ends(client_of(ada), Workspace(ada), ref)
    assert not dead, "\n".join(f"{address} {reason}" for address, reason in sorted(dead.items()))
    assert pages > given.pages


def test_what_was_ticked_in_a_given_folder_can_be_moved_and_deleted(
    ada: Person, owner: Person, storage_token: StoredToken, ref: str
) -> None:
    GIVEN["one folder"].give(owner, ada, ref)
    page = client_of(ada).get(reverse("objects:index", args=[ref, "handbook"]), {"path": "procedures/"})
    offered = {matched(address).view_name for _, address in enabled(parse(page.content.decode()).root) if "?key=" in address}  # type: ignore[union-attr] # all are ours
    assert {"bulk:copy", "bulk:move", "objects:selection", "sharing:new"} <= offered
