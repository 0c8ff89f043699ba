"""Somebody who has grants only is led nowhere: no enabled control ends at a missing token."""

from urllib.parse import urlsplit

from django.urls import Resolver404, resolve, reverse

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.team.models import Person, Role
from dashboard.tokens.models import StoredToken
from dashboard.tokens.refusals import UNGRANTABLE
from dashboard.tokens.scope import PRESETS, SECTIONS
from tests.markup import Element, parse
from tests.people import client_of

LEADS = ("href", "hx-get", "action", "hx-post", "formaction")
PAGES_MAX = 150
# Signing out and switching ends the crawl; the rest asks for a token of one's own on purpose.
LEFT_OUT = frozenset({"account_logout", "account:token_new", "account:replacement", "account:setup"})


def enabled(root: Element) -> set[str]:
    """The addresses of the controls of a page that are not disabled."""
    controls = (one for one in root if one.tag in ("a", "button", "form", "div", "section", "tr"))
    return {one.get(name) for one in controls if not one.has("aria-disabled") for name in LEADS if one.get(name).startswith("/")}


def test_no_enabled_control_leads_to_a_missing_token(
    ada: Person, owner: Person, management_token: StoredToken, storage_token: StoredToken, ref: str
) -> None:
    Person.objects.filter(pk=ada.pk).update(role=Role.ADMINISTRATOR)
    everything = Terms(acts=tuple(PRESETS["manage"][1]["management"]), sections=tuple(SECTIONS))
    grants.give(owner, "management", ref, everything, people=[ada])
    grants.give(owner, "storage", ref, Terms(acts=tuple(PRESETS["manage"][1]["storage"]), folders=()), people=[ada])
    ada.refresh_from_db()
    client = client_of(ada)
    waiting = [reverse("home:index"), reverse("palette:index")]
    seen: set[str] = set()
    dead: dict[str, str] = {}
    while waiting and len(seen) < PAGES_MAX:
        path = waiting.pop(0)
        try:
            match = resolve(urlsplit(path).path)
        except Resolver404:
            continue
        # One page of each kind is enough.
        if match.view_name in seen or match.view_name in LEFT_OUT:
            continue
        seen.add(match.view_name)
        answer = client.get(path)
        if answer.headers.get("X-Problem") == "TokenMissing":
            dead[path] = match.view_name
        if answer.status_code != 200 or not answer.headers["Content-Type"].startswith("text/html") or answer.streaming:
            waiting += [answer.headers["Location"]] if answer.status_code in (302, 303) else []
            continue
        offered = enabled(parse(answer.content.decode()).root)
        waiting += sorted(offered)
        for address in offered:
            try:
                view = resolve(urlsplit(address).path).func
            except Resolver404:
                continue
            if not UNGRANTABLE.isdisjoint(getattr(view, "sends", ())):
                dead[address] = f"on {path}"
    assert dead == {}
    assert len(seen) > 40
