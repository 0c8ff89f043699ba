"""Every address by every role and method: what the table of rights refuses gets a page that names the role, and nothing is sent.

A new address is included automatically, with the acts that its view names.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import unquote, urlencode

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import Resolver404, resolve

from dashboard.interfaces.operations import OPERATIONS
from dashboard.team.models import Person, Role
from dashboard.team.rights import LEAST, least_at, needs_role
from tests.features.test_every_address import OPEN_TO_EVERYBODY, operation_of, service, stored
from tests.features.test_leaks import JSON, QUERY, REF, TYPED, addresses, everything, freshly_signed_in, values
from tests.interfaces import servers
from tests.pages import htmx
from tests.plugins.exhaustive import Part, in_parts

__all__ = ["service", "values"]

pytestmark = pytest.mark.one_database

# The entry that it names says which operation is sent again, and so which role it takes.
BY_ENTRY = "jobs:resend"

MISSING = re.compile(r"Needs the \w+ role\. You are")
# What a viewer may change: their own account, what they remember (an index needs a job), and what they shared before.
_OWN = """
Grant Person StoredToken Entry Session NamedBucket Trial Share FileRequest LinkSet Review Ticket Job Catalog Folder
Notification Preference LastKnown Ability Known SeenRecord Event Check Seen Body Part KeptFact Budget
SavedFilter
"""
OWN = frozenset(_OWN.split())


def requests(client: Client, name: str, path: str, *, allowed: bool) -> Iterator[tuple[str, HttpResponseBase]]:
    """Each method; what is to be refused also for the dialog and from scripts."""
    query = urlencode(QUERY)
    yield "GET", client.get(path, QUERY)
    yield "POST", client.post(f"{path}?{query}", TYPED)
    if allowed:
        return
    yield "HEAD", client.head(path, QUERY)
    yield "GET in the dialog", client.get(path, QUERY, headers=htmx("dialog"))
    yield "POST in the dialog", client.post(f"{path}?{query}", TYPED, headers=htmx("dialog"))
    yield "POST of JSON", client.post(path, JSON.get(name, {}), content_type="application/json")
    yield "PUT", client.put(f"{path}?{query}", b"bytes", content_type="text/plain")


class Refused(HTMLParser):
    """Collect what leads to addresses that a role may not open, and count the disabled controls."""

    def __init__(self, role: Role) -> None:
        super().__init__()
        self.role, self.form, self.disabled = role, "", 0
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.form = attributes.get("action", "")
            return
        self.disabled += "aria-disabled" in attributes
        leads = [attributes.get(name, "") for name in ("href", "hx-get", "hx-post", "formaction")]
        if tag == "button" and attributes.get("type") != "button" and "formaction" not in attributes:
            leads.append(self.form)
        self.found += [path for path in leads if path.startswith("/") and self.is_refused(path)]

    def is_refused(self, path: str) -> bool:
        try:
            return least_at(resolve(unquote(path.partition("?")[0])).func).rank > self.role.rank
        except Resolver404:
            return False

    def handle_endtag(self, tag: str) -> None:
        self.form = "" if tag == "form" else self.form


def controls(text: str, role: Role) -> tuple[list[str], int]:
    """The addresses of controls that the role may not use but could, and how many are shown disabled."""
    parser = Refused(role)
    parser.feed(text)
    return parser.found, parser.disabled


@pytest.mark.parametrize("role", list(Role))
@in_parts
def test_each_role_opens_what_the_table_allows_and_nothing_else(
    owner: Person, values: dict[str, str], service: servers.Server, role: Role, part: Part
) -> None:
    client = freshly_signed_in(owner)
    Person.objects.filter(pk=owner.pk).update(role=role)
    before, refused = stored(), 0
    for name, path in part.of(addresses(values)):
        if OPEN_TO_EVERYBODY.fullmatch(name):
            continue
        least = least_at(resolve(path).func)
        allowed = role.rank >= least.rank
        for method, answer in requests(client, name, path, allowed=allowed):
            said = f"{method} {name} ({path}): {answer.status_code}"
            if answer.status_code == 405:
                continue
            text = everything(answer)
            if allowed:
                assert MISSING.search(text) is None or name == BY_ENTRY, said
                assert controls(text, role)[0] == [], said
                continue
            refused += 1
            assert answer.status_code == 403, said
            assert method == "HEAD" or needs_role(least) in text, said
    sent = {operation_of(head) for head in service.requests}
    assert {operation for operation in sent if LEAST[operation].rank > role.rank} == set()
    if role == Role.VIEWER:
        assert refused > 0
        assert [operation for operation in sent if not OPERATIONS[operation].reads] == []
        after = stored()
        assert {model for model in before if before[model] != after[model]} <= OWN
    assert refused == 0 or role != Role.OWNER


@pytest.mark.parametrize(("role", "is_refused_some"), [(Role.VIEWER, True), (Role.OPERATOR, True), (Role.OWNER, False)])
def test_controls_that_are_refused_are_shown_disabled(
    owner: Person, values: dict[str, str], service: servers.Server, role: Role, is_refused_some: bool
) -> None:
    client = freshly_signed_in(owner)
    Person.objects.filter(pk=owner.pk).update(role=role)
    pages = ("/people/", f"/projects/{REF}/", f"/projects/{REF}/functions/", f"/projects/{REF}/secrets/", f"/storage/{REF}/")
    disabled = [controls(everything(client.get(path)), role)[1] for path in pages]
    assert any(disabled) is is_refused_some
