"""No page shows a stored token, whatever a service does: not in its text or headers, and not in the log at DEBUG.

Every address of Pilothouse is asked for while the services fail in every way. They quote the whole request in their answers,
as a careless one may. A new address with a new kind of parameter has to be named here before this passes.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from http.cookies import SimpleCookie
from typing import cast
from urllib.parse import quote

import pytest
from django.db import transaction
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from pytest_django.fixtures import Settings

import dashboard.tokens.workspace
from dashboard.catalog.selection import Selection
from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.features.secrets.rules.draft import Draft
from dashboard.features.secrets.rules.env import read
from dashboard.features.sharing.models import LinkSet
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.operations import Timing
from dashboard.interfaces.transport import Transport, sessions
from dashboard.journal.models import Entry, Outcome
from dashboard.links.lifecycle import Terms, make
from dashboard.notifications import mail
from dashboard.notifications.models import Notification
from dashboard.reviews import reviews
from dashboard.snapshots import capture
from dashboard.snapshots.manifest import Head, write_head
from dashboard.team.models import Person
from dashboard.tokens import names
from dashboard.tokens.models import Grant, Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.interfaces import servers
from tests.pages import htmx
from tests.people import PASSWORD
from tests.plugins.exhaustive import Part, in_parts

pytestmark = pytest.mark.one_database

REF = "leakyprojectleakypro"
MANAGEMENT = "canary-5d1f0a77.93bc/q8+w"
STORAGE = "canary-c04e66b2.71aa/z5+k"
SECRETS = tuple(form for token in (MANAGEMENT, STORAGE) for form in (token, quote(token), quote(token, safe="")))
# These would end the session or take the token away, or show nothing but samples; none of them asks a service.
LEFT_OUT = {"account_logout", "account:sessions", "account:forgetting", "team:deactivation"}
SAMPLES = "patterns:"
# These hand out the bytes that the service keeps as a function's body (M14) or an object (S18), whatever is in them.
BODIES = {"functions:body", "functions:show", "objects:archive", "objects:preview", "sharing:show", "sharing:view"}
# What these answer with is ours alone. They ask no service, so how it fails is nothing to them: one condition is enough.
_OURS = """
access:active access:change access:confirmation access:export access:folder access:former access:new access:revocation
account:app_new account:codes account:codes_new account:device_end account:devices_end account:factor_deletion
account:passkey_challenge account:passkey_name account:passkey_new account:sign_in account_passkey_challenge
account:lock_mail account:lock_password account:start_over account:disconnection account_oidc account_oidc_callback
mfa_authenticate mfa_challenge mfa_login_webauthn
account:lock account:name account:tokens account_change_password account_inactive account_login account_reauthenticate
account_reset_password account_reset_password_done account_reset_password_from_key_done account_set_password
buckets:advice buckets:limit bulk:rename functions:advice functions:again functions:compare functions:review
functions:version functions:version_body home:index home:hostnames hostnames:daily
jobs:beginning jobs:cancellation jobs:continuation
jobs:export jobs:index jobs:planning jobs:progress jobs:repetition jobs:outcome jobs:resend jobs:rest jobs:show jobs:tray
jobs:unsettled jobs:doubts home:export home:forgetting home:row home:saving
journal:export journal:index journal:show network:label network:lint
network:review
network:origin network:edit objects:going objects:links
objects:manifest objects:selection objects:tray projects:review projects:change search:crawl search:export
secrets:advice sharing:all sharing:edit sharing:revoke sharing:revoke_many sharing:export sharing:export_raw sharing:forgetting
palette:keys web:brand_logo web:brand_sheet
trial:index trial:line trial:hide trial:begin trial:leave
trial:switches trial:switch trial:dns trial:publish trial:remove
sharing:thumbnail network:origin
sharing:ledger sharing:new sharing:openings sharing:output sharing:raw sharing:restore sharing:restore_many sharing:ticket
team:activation
file_requests:index file_requests:inbox file_requests:edit file_requests:revoke file_requests:restore
notifications:index notifications:preferences notifications:read notifications:read_all notifications:show
notifications:unsubscribe
team:former people:index people:person team:link team:new team:role team:handover
web:theme encryption:review buckets:forgetting bulk:labels objects:thumbnail
objects:batch objects:batch_export projects:former buckets:former snapshots:new network:former network:former_finding
access:folders snapshots:deletion snapshots:file snapshots:restoration snapshots:schedule
snapshots:view snapshots:bytes snapshots:page snapshots:comparison
snapshots:erasure snapshots:undo snapshots:versions store:usage
"""
SILENT = frozenset(_OURS.split())
JSON = {
    "objects:plan": {"files": [["a.txt", 1, "text/plain"]]},
    "objects:check": {"receipts": [{"key": "a.txt", "size": 1}]},
}
QUERY = {
    "name": "API_KEY",
    "key": "a.txt",
    "open": "a.txt",
    "kind": "storage",
    "space": REF,
    "theme": "dark",
    "address": "203.0.113.7",
    "until": "999",
}
TYPED = {
    **QUERY,
    "value": "v",
    "typed": "photos",
    "keys": '["a.txt"]',
    "token": "typed-by-a-person-0001",
    "ends": "3600",
    "life": "3600",
    "landing": "page",
    "opens": "view",
    "preset": "3600",
    "email": "new@example.org",
    "role": "operator",
    "public": "on",
    "path": "b/",
    "custom_hostname": "api.example.com",
    "title": "Photos",
    "most_mb": "1",
    "most_files": "1",
    "total_mb": "1",
    "until": "999",
    "count": "1",
}
DRAFTED = Draft(read("A=x")).payload()
SHORT = Timing(connect=0.1, quick=0.1, slow=0.1, heavy=0.1, stall=0.1, pause=0.01)
PATIENT = Timing(pause=0.01)

CONDITIONS: dict[str, servers.Behave | None] = {
    **{str(status): servers.refusal(status) for status in (400, 401, 403, 404, 413, 429, 500)},
    "refused": None,
    "timeout": servers.silence,
    "garbage": servers.garbage,
    "no JSON": servers.answer(f"<p>{STORAGE} {MANAGEMENT}".encode(), kind="text/html"),
    "wrong JSON": servers.answer(f'{{"name": {{"a": "{STORAGE}"}}, "Key": 1, "id": "{MANAGEMENT}"}}'.encode()),
    "redirect": servers.answer(b"", status=302, more=f"Location: /elsewhere?authorization={STORAGE}\r\n"),
    "cut": servers.cut,
    "short": servers.ends_after(b"[", of=1000),
}


def addresses(values: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Name and path of everything that has an address."""
    yield from _walk(get_resolver().url_patterns, "", "", values)


def _walk(patterns: list[URLPattern | URLResolver], before: str, space: str, values: dict[str, str]) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else space
            if inner != SAMPLES:
                yield from _walk(pattern.url_patterns, route, inner, values)
        elif "(?P" not in route and f"{space}{pattern.name}" not in LEFT_OUT:
            for name in pattern.pattern.converters or {}:
                assert name in values, f"{route} has a parameter that this test does not know: {name}"
            for name, value in values.items():
                route = re.sub(rf"<(?:\w+:)?{name}>", values.get(f"{space}{name}", value), route)
            assert "<" not in route, f"{route} has a parameter that this test does not know"
            yield f"{space}{pattern.name}", f"/{route}"


@pytest.fixture
def values(owner: Person) -> dict[str, str]:
    """The owner with both tokens, and what the addresses need."""
    for kind, space, text in ((Kind.MANAGEMENT, "", MANAGEMENT), (Kind.STORAGE, REF, STORAGE)):
        token = StoredToken(person=owner, kind=kind, space=space, last4="0000", fingerprint=f"{kind}-print"[:16])
        token.seal(text)
        token.save()
    entry = Entry.objects.create(operation="S1", person=owner, target="bucket photos", place=REF, outcome=Outcome.DONE)
    share, code = make(owner, REF, "photos", keys=["a.txt"], terms=Terms(ends_at=timezone.now() + timedelta(days=1)))
    request, request_code = requested(owner, token)
    chosen = Selection(REF, "photos", keys=("a.txt",)).as_parameters()
    kept = timezone.now() + timedelta(days=1)
    links = LinkSet.objects.create(
        owner=owner, space=REF, bucket="photos", selection=chosen, waiting=[["a.txt", 1]], life=60, keeps_until=kept
    )
    return {
        "ref": REF,
        "space": REF,
        "bucket": "photos",
        "token_id": str(token.pk),
        "entry_id": str(entry.pk),
        "person_id": str(owner.pk),
        "slug": "hello-world",
        "pk": "1",
        "job_id": "1",
        "share_id": str(share.pk),
        "code": code,
        "request_id": str(request.pk),
        "file_requests:code": request_code,
        "notifications:code": mail.unsubscribe_code(owner.pk, "job failed"),
        "notification_id": str(Notification.objects.create(person=owner, kind="job failed", key="1", title="T", address="/").pk),
        "ident": snapshot_of(token).id,
        "grant_id": str(given(owner, token).pk),
        "ticket": "t" * 22,
        "set_id": str(links.pk),
        "kind": "csv",
        "key": "share",
        "factor_id": "1",
        "session_id": "1",
        "review_id": str(reviews.create(Workspace(owner), f"secrets of {REF}", DRAFTED).pk),
    }


def snapshot_of(token: StoredToken) -> Head:
    """A snapshot of an empty bucket."""
    now = timezone.now()
    head = Head(
        id="20261127T000000Z-1",
        space=REF,
        bucket="photos",
        token=token.fingerprint,
        begun=now,
        ended=now,
        objects=0,
        bytes=0,
        new_bytes=0,
        left_out=0,
        unlisted=0,
        lists=[],
    )
    write_head(capture.store(), head)
    return head


def given(owner: Person, token: StoredToken) -> Grant:
    """Access that the owner gave to a colleague."""
    person = Person.objects.create(email="colleague@example.org")
    scope = {"acts": ["read"], "folders": ["photos/"], "token": token.fingerprint}
    return Grant.objects.create(giver=owner, kind=Kind.STORAGE, space=REF, place=REF, person=person, **scope)


def requested(owner: Person, token: StoredToken) -> tuple[FileRequest, str]:
    """A file request with one file to review, and its code."""
    made = FileRequest(owner=owner, space=REF, bucket="photos", token=token.fingerprint, title="Photos", files=1, bytes=1)
    made.most_bytes, made.most_files, made.most_total = 1000, 10, 10_000
    made.ends_at = timezone.now() + timedelta(days=1)
    code = made.issue_code()
    made.save()
    ReceivedFile.objects.create(request=made, sender="Ann", name="a.txt", key="a.txt", size=1, state=ReceivedFile.State.RECEIVED)
    return made, code


def asked(client: Client, name: str, path: str, *, reading_only: bool) -> Iterator[HttpResponseBase]:
    yield client.get(path, QUERY)
    yield client.get(path, QUERY, headers=htmx("dialog"))
    if not reading_only:
        query = "&".join(f"{name}={value}" for name, value in QUERY.items())
        yield client.post(f"{path}?{query}", TYPED)
        yield client.post(f"{path}?{query}", TYPED, headers=htmx("dialog"))
        yield client.put(f"{path}?{query}", b"bytes", content_type="text/plain")
        if name in JSON:
            yield client.post(path, JSON[name], content_type="application/json")


@contextmanager
def undone(client: Client) -> Iterator[None]:
    """What one address changed, in the database or in the cookies, is nothing to the next."""
    cookies = SimpleCookie({name: cookie.value for name, cookie in client.cookies.items()})
    block = transaction.atomic()
    block._from_testcase = True  # type: ignore[attr-defined] # as the one around each test, so that a durable one may begin within it
    with block:
        yield
        transaction.set_rollback(True)
    client.cookies = cookies


def everything(answer: HttpResponseBase) -> str:
    body = answer.text if isinstance(answer, HttpResponse) else streamed(answer)
    return f"{answer.headers} {answer.cookies} {body}"


def streamed(answer: HttpResponseBase) -> str:
    """What came of a stream until its end, or until the service broke it off."""
    came = []
    try:
        for piece in cast("StreamingHttpResponse", answer):
            came.append(piece)  # noqa: PERF402 - what came before a failure counts
    except InterfaceError:
        pass
    return b"".join(came).decode(errors="replace")


def freshly_signed_in(owner: Person) -> Client:
    """Past the question that stands before the root key, too."""
    owner.set_password(PASSWORD)
    owner.save()
    client = Client()
    client.force_login(owner)
    assert client.post("/account/reauthenticate/?next=/", {"password": PASSWORD}).status_code == 302
    return client


@pytest.mark.parametrize(
    ("condition", "placement"), [*((name, "query") for name in CONDITIONS), ("401", "header"), ("403", "header")]
)
@in_parts
def test_no_page_shows_a_token_while_the_services_fail(  # noqa: PLR0917 - pytest fills them by name
    owner: Person,
    values: dict[str, str],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    condition: str,
    placement: str,
    part: Part,
) -> None:
    StoredToken.objects.filter(kind=Kind.STORAGE).update(placement=placement)
    waits = condition == "timeout"
    for interface in (Transport, StorageInterface):
        timed = partial(interface, timing=SHORT if waits else PATIENT)
        monkeypatch.setattr(dashboard.tokens.workspace, interface.__name__, timed)
    for name in ("", "django.request", "urllib3", "urllib3.connectionpool", "requests", "dashboard"):
        caplog.set_level(logging.DEBUG, logger=name)
    behave = CONDITIONS[condition]
    client = freshly_signed_in(owner)
    with servers.serving(behave or servers.cut) as server:
        settings.MANAGEMENT_URL = server.address
        settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = f"{server.address}/{{ref}}/storage/v1"
        settings.STORAGE_AUTHORIZATION = placement
        if behave is None:
            server.close()
        client.post(f"/r/{values['file_requests:code']}", TYPED)  # begins a visit, without which nothing can be sent
        for name, path in part.of(addresses(values)):
            if (name in BODIES and condition in {"no JSON", "wrong JSON"}) or (name in SILENT and condition != "400"):
                continue
            names.forget()  # or a page asks for the name of its project, or not, by the time since another page did
            before = len(server.requests)
            with undone(client):
                for answer in asked(client, name, path, reading_only=waits):
                    text = everything(answer)
                    assert not [secret for secret in SECRETS if secret in text], f"{name} ({path})"
            if condition == "400":
                assert (len(server.requests) == before) is (name in SILENT), f"{name} asked, or did not"
            sessions.forget()
        assert behave is None or server.requests
    assert not [secret for secret in SECRETS if secret in caplog.text]
    assert StoredToken.objects.count() == 2
