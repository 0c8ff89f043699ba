"""What holds for every address of Pilothouse: who may ask, from where, what the answer carries, and that no text becomes markup.

A new address is included automatically; one that is open to everybody has to be named here.
"""

import json
import re
from collections.abc import Iterator
from html import unescape
from socket import socket
from typing import Any
from urllib.parse import urlencode

import pytest
from django.apps import apps
from django.http import HttpResponse, HttpResponseBase
from django.test import Client
from pytest_django.fixtures import Settings

from dashboard.interfaces.operations import OPERATIONS
from dashboard.interfaces.transport import sessions
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from dashboard.web.models import Attempt
from tests.features.test_leaks import QUERY, REF, SILENT, addresses, asked, everything, freshly_signed_in, values
from tests.interfaces import servers
from tests.interfaces.calls import CALLS
from tests.pages import htmx
from tests.plugins.exhaustive import Part, in_parts

__all__ = ["values"]

pytestmark = pytest.mark.one_database

OPEN_TO_EVERYBODY = re.compile(
    r"account_(login|oidc\w*|inactive|set_password|reset_password\w*)|web:(theme|brand_\w+)|file_requests:(open|upload)|notifications:unsubscribe"
    r"|sharing:(show|file|ticket|all|view|media|document|thumbnail)"
)
# The signed address is the permission: a mail program posts there from nowhere (RFC 8058).
ONE_CLICK = {"notifications:unsubscribe"}
VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# These ask the service, but not for want of a stored token: where one is stored, visitors' pages, reviews of other things, and
# pages that name projects.
WITHOUT_TOKEN = frozenset(
    {
        *("account:check", "account:replacement", "account:setup", "account:token_new"),
        *("objects:links", "sharing:file", "sharing:show", "sharing:signed", "file_requests:open", "file_requests:upload"),
        *("sharing:view", "sharing:media", "sharing:document"),
        *("secrets:rows", "network:edit", "network:review"),
        *("access:folders", "palette:index", "projects:switch"),
    }
)
# What was seen of the service, for those who hold the token.
MEMORIES = {
    "LastKnown",
    "Ability",
    "StoredToken",
    "Known",
    "SeenRecord",
    "Event",
    "Check",
    "Seen",
    "Body",
    "Part",
    "KeptFact",
    "Budget",
}
MARKUP = "'\"><img src=x onerror=alert(1)>"
DATA = {
    "success": True,
    "errors": [MARKUP],
    "messages": [],
    "surprise": {MARKUP: MARKUP},
    "result": {
        "hostname": MARKUP,
        "status": MARKUP,
        "custom_origin_server": MARKUP,
        "ownership_verification": {"type": "txt", "name": MARKUP, "value": MARKUP},
        "verification_errors": [MARKUP],
        "ssl": {
            "status": MARKUP,
            "validation_records": [{"txt_name": MARKUP, "txt_value": MARKUP}],
            "validation_errors": [{"message": MARKUP}],
        },
    },
}
MEMBERS = {"metadata": {"size": 3, "mimetype": MARKUP, MARKUP: MARKUP}, "data": DATA}


def marked(value: Any) -> Any:
    """The same with markup for every text."""
    if isinstance(value, dict):
        return {name: MEMBERS[name] if name in MEMBERS else marked(each) for name, each in value.items()}
    if isinstance(value, list):
        return [marked(each) for each in value]
    return MARKUP if isinstance(value, str) else value


def operation_of(head: bytes) -> str:
    verb, target = head.split(b"\r\n", 1)[0].decode().split(" ")[:2]
    path = re.sub(r"^/[^/]+/storage/v1", "", target.partition("?")[0])
    found = {
        ident: len(operation.path.replace("{wildcard}", ""))
        for ident, operation in OPERATIONS.items()
        if operation.method == verb and re.fullmatch(re.sub(r"\\{(\w+)\\}", ".+", re.escape(operation.path)), path)
    }
    return max(found, key=lambda ident: found[ident])


def answer_in_markup(connection: socket, head: bytes) -> None:
    good = CALLS[operation_of(head)].good
    body = MARKUP.encode() if isinstance(good, bytes) else b"" if good is None else json.dumps(marked(good)).encode()
    servers.answer(body)(connection, head)


@pytest.fixture
def service(settings: Settings) -> Iterator[servers.Server]:
    """A service whose every text is markup."""
    with servers.serving(answer_in_markup) as server:
        settings.MANAGEMENT_URL = server.address
        settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = f"{server.address}/{{ref}}/storage/v1"
        settings.STORAGE_AUTHORIZATION = "header"
        yield server
    sessions.forget()


def assert_guarded(answer: HttpResponseBase, name: str) -> None:
    """Nobody frames it, guesses its type, keeps it, learns where it stands, or runs what is not ours in it."""
    assert "default-src 'none'" in answer["Content-Security-Policy"], name
    assert "unsafe" not in answer["Content-Security-Policy"], name
    assert answer["X-Frame-Options"] == "DENY", name
    assert answer["X-Content-Type-Options"] == "nosniff", name
    assert answer["Referrer-Policy"] in ("same-origin", "no-referrer"), name
    assert "no-store" in answer["Cache-Control"], name


@in_parts
def test_no_text_of_the_service_becomes_markup(
    owner: Person, values: dict[str, str], service: servers.Server, part: Part
) -> None:
    client = Client()
    client.force_login(owner)
    assert MARKUP in unescape(everything(client.get(f"/projects/{REF}/functions/"))), "it stands in many pages, as text"
    for name, path in part.of(addresses(values)):
        for headers in ({}, htmx("dialog")):
            answer = client.get(path, QUERY, headers=headers)
            assert_guarded(answer, name)
            if answer.get("Content-Type", "").startswith("text/html"):
                assert "<img src=x" not in everything(answer), f"{name} ({path})"


@in_parts
def test_nobody_changes_anything_from_elsewhere(
    owner: Person, values: dict[str, str], service: servers.Server, part: Part
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    page = client.get("/account/")
    assert isinstance(page, HttpResponse)
    token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[0]
    asked = len(service.requests)
    for name, path in part.of(addresses(values)):
        answer = client.post(path, "{}", content_type="text/plain")
        assert answer.status_code in (403, 405) or name in ONE_CLICK, f"{name} ({path})"
        assert_guarded(answer, name)
    for path in (f"/storage/{REF}/~new/", f"/storage/{REF}/photos/~upload/", f"/projects/{REF}/secrets/new/"):
        answers = [
            client.post(path, {"typed": "x"}),
            client.post(path, {"csrfmiddlewaretoken": token[::-1]}),
            client.post(path, {"csrfmiddlewaretoken": token}, headers={"origin": "https://elsewhere.example"}),
            client.put(path, b"bytes", headers=htmx("dialog")),
            client.delete(path),
        ]
        assert {answer.status_code for answer in answers} <= {403, 405}, path
    assert len(service.requests) == asked


def stored() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the product, but for what counts visitors."""
    models = [model for model in apps.get_models() if model.__module__.startswith("dashboard.")]
    return {model.__name__: list(model._default_manager.order_by("pk").values_list()) for model in models if model != Attempt}


def leads_to_sign_in(answer: HttpResponseBase) -> bool:
    where = answer.get("HX-Redirect") or answer.get("Location") or ""
    return answer.status_code == 401 or (answer.status_code in {200, 302} and where.startswith("/account/login/"))


@in_parts
def test_who_is_not_signed_in_is_told_and_changes_nothing(values: dict[str, str], service: servers.Server, part: Part) -> None:
    client = Client()
    before = stored()
    for name, path in part.of(addresses(values)):
        if OPEN_TO_EVERYBODY.fullmatch(name):
            continue
        for verb in VERBS:
            for headers in ({}, htmx("dialog")):
                answer = client.generic(verb, f"{path}?{urlencode(QUERY)}", headers=headers)
                assert answer.status_code == 405 or leads_to_sign_in(answer), f"{verb} {name} ({path}): {answer.status_code}"
    assert service.requests == []
    assert stored() == before


@pytest.mark.exhaustive
def test_every_address_takes_get_or_post_or_both_and_nothing_else(values: dict[str, str], service: servers.Server) -> None:
    """Who is not signed in is sent away, where the method is taken; allauth's own pages are its matter."""
    client = Client()
    strange = {}
    for name, path in addresses(values):
        taken = {verb for verb in VERBS if client.generic(verb, path).status_code != 405}
        if taken not in ({"GET"}, {"POST"}, {"GET", "POST"}) and not name.startswith(("account_", "mfa_")):
            strange[name] = taken
    assert strange == {"objects:upload": {"GET", "POST", "PUT"}, "file_requests:upload": {"PUT"}}


@in_parts
def test_opening_an_address_changes_nothing(owner: Person, values: dict[str, str], service: servers.Server, part: Part) -> None:
    """A GET writes nothing here and sends nothing to the service that would change it."""
    client = freshly_signed_in(owner)
    before = stored()
    for name, path in part.of(addresses(values)):
        for headers in ({}, htmx("dialog")):
            everything(client.get(path, QUERY, headers=headers))
            after = stored()
            assert {model for model in before if before[model] != after[model]} <= MEMORIES, f"{name} ({path})"
    sent = {operation_of(head) for head in service.requests}
    assert [ident for ident in sent if not OPERATIONS[ident].reads] == []
    assert sent


@in_parts
def test_without_a_token_each_address_asks_for_one_and_the_service_for_nothing(
    owner: Person, values: dict[str, str], service: servers.Server, part: Part
) -> None:
    StoredToken.objects.all().delete()
    client = freshly_signed_in(owner)
    silent = []
    for name, path in part.of(addresses(values)):
        answers = list(asked(client, name, path, reading_only=False))
        missing = [answer for answer in answers if answer.get("X-Problem") == "TokenMissing"]
        assert {answer.status_code for answer in missing} <= {200, 403}, f"{name} ({path})"
        if not missing:
            silent.append(name)
    assert set(silent) <= SILENT | WITHOUT_TOKEN, sorted({*silent} - SILENT - WITHOUT_TOKEN)
    assert service.requests == []
