"""However the service fails, each page says so, in full, as a part, and as a dialog.

What the pages ask for is the table of test_calls.py: every operation of every page fails in every way, alone.
"""

import re
from collections.abc import Iterator
from functools import partial
from html import unescape

import pytest
from django.core.cache import cache
from django.http import HttpResponseBase
from django.test import Client

import dashboard.tokens.workspace
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.operations import Timing
from dashboard.interfaces.transport import Transport
from dashboard.team.models import Person
from dashboard.tokens import names
from dashboard.tokens.models import LastKnown
from tests.features.service import FAILURES, Faults
from tests.features.test_calls import OVER_ALL, PAGES, REF, TYPES
from tests.features.test_every_address import operation_of
from tests.features.test_leaks import everything
from tests.markup import parse
from tests.pages import PageClient, htmx
from tests.people import hold
from tests.plugins.exhaustive import Part, in_parts
from tests.sandboxes import Sandbox

pytestmark = pytest.mark.one_database

# Parts that a page loads after itself, and what they ask for.
PARTS = {
    **{(address, target): calls for (address, target), calls in OVER_ALL.items() if target},
    ("{project}types/?schemas=public", "types-text"): [TYPES],
}
FIND = "/?view=network&address=203.0.113.7"
# Others ask M1 for nothing but the project's name.
NEED_PROJECTS = {
    "{project}",
    "{project}label/",
    "/",
    "/?view=storage",
    "/?view=network&address=203.0.113.7",
    "/hostnames/",
    "/account/setup/",
}
# What these pages can do without, or say in a place of its own.
DO_WITHOUT = {
    "/": {"M3"},
    "/?view=storage": {"M3"},
    FIND: {"M3"},
    "/hostnames/": {"M3"},
    "{project}": {"M3"},
    "{project}functions/print-label/calls/": {"M15"},
    "{project}functions/print-label/delete/": {"M14"},
    "{project}hostname/instructions/": {"M15"},
    "{storage}~delete/handbook/": {"S13"},
    "{storage}~check/handbook/?key=welcome/first-week.md": {"S20", "S21"},
    "{storage}handbook/": {"S4"},
    "{storage}handbook/?path=welcome/": {"S4"},
    "{storage}handbook/~upload/": {"S4"},
    "{storage}handbook/~usage/": {"S4"},
    "{storage}handbook/~details/public/?key=welcome/first-week.md": {"S4", "S20", "S21"},
}
FILES = {"{storage}handbook/~download/archive/?folder=welcome/"}
FILE_STATUS = {"too many requests": 429, "refused": 403}
EMPTY_IS_A_BODY = "M14"
# Where a dialog says what it counts.
COUNTED = re.compile(r'data-waits hx-get="([^"]+)" hx-trigger="load" hx-target="#dialog"')
# A list that asks the service for nothing.
OURS = {"hostname-links", "home-list", "home-attention"}


def forget_what_was_read() -> None:
    """A page that fails would be drawn from it."""
    names.forget()
    LastKnown.objects.all().delete()
    cache.clear()


def asked(client: Client, address: str, target: str) -> HttpResponseBase:
    path = address.format(project=f"/projects/{REF}/", storage=f"/storage/{REF}/")
    answer: HttpResponseBase = client.get(path, headers=htmx(target) if target else None)
    return answer


def needs(client: PageClient) -> Iterator[tuple[str, str, str]]:
    """Address, target and operation of every page, of each list that refetches itself, and of every dialog."""
    texts = {address: everything(asked(client, address, "")) for address in PAGES}
    dialogs = {path for text in texts.values() for path in re.findall(r'hx-get="([^"?]+)[^"]*" hx-target="#dialog"', text)}
    places = {(address, ""): calls for address, calls in PAGES.items()} | PARTS
    for address, text in texts.items():
        path = address.format(project=f"/projects/{REF}/", storage=f"/storage/{REF}/")
        if path.partition("?")[0] in dialogs:
            counted = COUNTED.search(everything(asked(client, address, "dialog")))
            places[unescape(counted[1]) if counted else address, "dialog"] = PAGES[address]
        for part in parse(text).root.all("section", "div"):
            if "from:body" in part.get("hx-trigger") and part.get("hx-get") == path and part.get("id") not in OURS:
                places[address, part.get("id")] = PAGES[address]
    for (address, target), calls in places.items():
        for operation in dict.fromkeys(operation_of(f"{call} HTTP/1.1\r\n".encode()) for call in calls):
            yield address, target, operation


@pytest.fixture
def keeper(as_keeper: PageClient, owner: Person, service: Sandbox, monkeypatch: pytest.MonkeyPatch) -> PageClient:
    """Somebody with both tokens, whose calls are repeated at once."""
    hold(owner, service.storage_tokens[REF]["service"], REF)
    for interface in (Transport, StorageInterface):
        timed = partial(interface, timing=Timing(pause=0.01))
        monkeypatch.setattr(dashboard.tokens.workspace, interface.__name__, timed)
    return as_keeper


@in_parts
def test_every_page_says_how_the_service_failed(keeper: PageClient, owner: Person, faults: Faults, part: Part) -> None:
    plain = Client()
    plain.force_login(owner)
    found: list[str] = []
    sweep = list(needs(keeper))
    assert len(sweep) > 50
    for address, target, operation in part.of(sweep):
        optional = operation in DO_WITHOUT.get(address, ()) or (operation == "M1" and address not in NEED_PROJECTS)
        for failure, (fault, status, words) in FAILURES.items():
            if (operation == EMPTY_IS_A_BODY and failure == "nothing at all") or (optional and failure != "failed"):
                continue
            forget_what_was_read()
            faults(operation, **fault)
            # The rules of the house hold for one failure as for another.
            answer = asked(keeper if failure == "failed" else plain, address, target)
            expected = FILE_STATUS.get(failure, 502) if address in FILES else status
            if (answer.status_code, words in everything(answer)) != (expected, not optional):
                found.append(f"{address} {target} {operation} {failure}: {answer.status_code} {answer.get('X-Problem')}")
        faults(operation, delay=0.001)
    assert not found, "\n".join(found)
