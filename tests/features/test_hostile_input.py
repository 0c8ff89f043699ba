"""Whatever somebody sends to an address instead of our own forms, the answer is a refusal and never a failure of ours.

A new address and the hidden fields of its forms are included automatically.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from html import unescape
from urllib.parse import quote, quote_plus

import pytest
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.test import Client
from django.utils.datastructures import MultiValueDict

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.team.models import Person, Role
from dashboard.tokens.scope import SECTIONS
from tests.features.test_every_address import service
from tests.features.test_leaks import JSON, QUERY, REF, TYPED, addresses, everything, freshly_signed_in, undone, values
from tests.interfaces import servers
from tests.plugins.exhaustive import Part, in_parts

__all__ = ["service", "values"]

pytestmark = pytest.mark.one_database

DEEP = 20_000
HOSTILE = {
    "lists in lists": "[" * DEEP,
    "an unknown member without end": '{"keys":["a"],"x":' + '{"a":' * DEEP,
    "another shape": '{"keys": 1, "folders": {"a": []}, "filter": [], "path": null, "all": {}, "files": [[]]}',
    "a long number": "9" * 5000,
    "half a character": '["\\ud800"]',
    "a null character": '["\\u0000"]\0',
}
# What one field alone may carry.
FIELD = {
    "lists in lists": "[" * 3000,
    "a number of 22 digits": "9" * 22,
    "a number of 5,000 digits": "9" * 5000,
    "a null character": "a\0b",
    "half a character": "a\ud800b",
    "percent signs": "%" * 10_000,
    "a megabyte, a percent sign quoted again and again": "%" + "25" * 500_000,
}
# What a part of a path may be, too.
PART = FIELD | {"the folder above": "..", "a control character": "\x7f"}
# gunicorn takes no longer ones.
LONGEST_PART = 8190
HEADERS = (
    ("HX-Target", "HX-Current-URL", "X-Late", "X-Tries", "X-CSRFToken", "Accept-Encoding"),
    ("Range", "If-Range", "If-None-Match", "If-Modified-Since", "Referer", "Origin", "User-Agent", "Accept", "X-Late", "X-Tries"),
)
COOKIES = ("pilothouse_csrf", "pilothouse_device", "theme", "accepted", "messages")
LENGTHS = [str(2**63), str(2**64), "9" * 5000, "²"]


_hidden: dict[str, set[str]] = {}


def hidden_fields(client: Client, name: str, path: str) -> set[str]:
    """The names of the hidden fields in the forms of a page, which is read once in each process."""
    if name not in _hidden:
        _hidden[name] = _read_hidden_fields(client, path)
    return _hidden[name]


def _read_hidden_fields(client: Client, path: str) -> set[str]:
    answer = client.get(path, QUERY)
    text = everything(answer)  # also reads a stream to its end, which keeps a place among the transfers until then
    if not isinstance(answer, HttpResponse) or "html" not in answer.get("Content-Type", ""):
        return set()
    inputs = re.findall(r"<input[^>]*>", text)
    found = {name[1] for each in inputs if 'type="hidden"' in each and (name := re.search(r'name="([^"]+)"', each))}
    return {unescape(name) for name in found} - {"csrfmiddlewaretoken", "once"}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@in_parts
def test_no_text_in_a_form_or_body_is_a_failure_of_ours(
    text: str, owner: Person, values: dict[str, str], service: servers.Server, part: Part
) -> None:
    assert service.address
    client = Client(raise_request_exception=False)
    client.force_login(owner)
    asked = 0
    for name, path in part.of(addresses(values)):
        filled = dict.fromkeys(hidden_fields(client, name, path) | {"chosen", "keys", "selection", "sealed", "state"}, text)
        for fields in ({**TYPED, **filled}, {**dict.fromkeys(TYPED, text), **filled}):
            answer = client.post(path, fields)
            everything(answer)  # a stream that is not read keeps its place among the transfers
            assert answer.status_code != 500, f"{name} ({path})"
            asked += 1
        if name in JSON:
            answer = client.post(path, text, content_type="application/json")
            assert answer.status_code == 400, f"{name} ({path})"
    assert asked


@pytest.mark.parametrize("length", LENGTHS)
@in_parts
def test_no_announced_length_is_a_failure_of_ours(
    length: str, owner: Person, values: dict[str, str], service: servers.Server, part: Part
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(owner)
    for name, path in part.of(addresses(values)):
        for verb, kind in (
            ("POST", "application/x-www-form-urlencoded"),
            ("POST", "multipart/form-data; boundary=x"),
            ("POST", "application/json"),
            ("PUT", "text/plain"),
        ):
            answer = client.generic(verb, f"{path}?key=a.txt", b"", content_type=kind, CONTENT_LENGTH=length)
            everything(answer)  # a stream that is not read keeps its place among the transfers
            assert answer.status_code != 500, f"{verb} {name} ({path}) {kind}"
    upload = client.generic("PUT", f"/storage/{values['ref']}/photos/~upload/?key=a.txt", b"", CONTENT_LENGTH=str(2**63))
    assert upload.status_code == 400
    assert not any(head.startswith(b"POST") and b"/object/photos" in head.split(b"\r\n")[0] for head in service.requests)


@contextmanager
def fields_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The names of the fields that the views look for, by name or by going through all."""
    names: set[str] = set()

    def noting(method: str) -> None:
        plain = getattr(QueryDict, method)

        def noted(fields: QueryDict, name: str, *more: object) -> object:
            # What was sent is filled in by name, too.
            if sys._getframe(1).f_code is not MultiValueDict.setlistdefault.__code__:
                names.add(name)
            return plain(fields, name, *more)

        patch.setattr(QueryDict, method, noted)

    with monkeypatch.context() as patch:
        for method in ("__getitem__", "__contains__", "getlist", "get"):
            noting(method)
        yield names


@pytest.fixture
def clients(owner: Person, values: dict[str, str]) -> list[Client]:
    """The owner of the tokens, and an administrator who acts through them by grants. They ask in turn."""
    assert values
    found = [freshly_signed_in(person) for person in (owner, granted(owner))]
    for client in found:
        client.raise_request_exception = False
    return found


def granted(owner: Person) -> Person:
    person = Person.objects.create(email="grantee@example.org", role=Role.ADMINISTRATOR)
    storage = Terms(acts=("read", "share", "upload", "change", "delete", "buckets"))
    grants.give(owner, REF, {"storage": storage}, people=[person])
    management = Terms(acts=("read", "change", "functions"), sections=tuple(SECTIONS))
    grants.give(owner, REF, {"management": management}, people=[person])
    return person


@in_parts
def test_no_text_in_a_field_is_a_failure_of_ours(
    clients: list[Client], values: dict[str, str], service: servers.Server, part: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each field gets each text while the others have another one, and one of the texts alone."""
    assert service.address
    failed, texts = set(), list(FIELD.values())
    for name, path in part.of(addresses(values)):
        for ask in (ask_by_get, ask_by_post):
            fields = set()
            for client in clients:
                with undone(client), fields_read(monkeypatch) as found:
                    ask(client, path, {})
                fields |= found
            if not fields:
                continue
            numbered = list(enumerate(sorted(fields), start=part.number))
            alone = [{field: texts[at % len(texts)]} for at, field in numbered]
            together = [{field: texts[(at + turn) % len(texts)] for at, field in numbered} for turn in range(len(texts))]
            for turn, sent in enumerate((*alone, *together)):
                client = clients[turn % len(clients)]
                with undone(client):
                    answer = ask(client, path, sent)
                if answer.status_code == 500:
                    failed.add(f"{name} ({path}): {', '.join(sent)}")
    assert failed == set()


@pytest.mark.parametrize("turn", range(len(PART)), ids=PART)
@in_parts
def test_no_text_in_a_part_of_the_path_is_a_failure_of_ours(
    turn: int, clients: list[Client], values: dict[str, str], service: servers.Server, part: Part
) -> None:
    assert service.address
    failed = set()
    segment = quote(list(PART.values())[turn][:LONGEST_PART], safe="", errors="surrogatepass")
    for changed in part.of(sorted(values)):
        for at, (name, path) in enumerate(addresses({**values, changed: segment}), start=turn):
            if segment not in path:
                continue
            client = clients[at % len(clients)]
            with undone(client):
                answer = ended(client.get(f"{path}?{encoded(QUERY)}"))
            if answer.status_code == 500:
                failed.add(f"{name}: {changed}")
    assert failed == set()


@pytest.mark.parametrize("text", FIELD.values(), ids=FIELD)
@in_parts
def test_no_text_in_a_header_is_a_failure_of_ours(
    text: str, owner: Person, values: dict[str, str], service: servers.Server, part: Part
) -> None:
    """Headers are read before anything asks whose token it is, so the owner alone asks."""
    assert service.address
    client = freshly_signed_in(owner)
    client.raise_request_exception = False
    failed = set()
    sent = text[:LONGEST_PART].encode(errors="surrogatepass").decode("latin-1")
    for name, path in part.of(addresses(values)):
        for headers in HEADERS:
            with undone(client):
                client.cookies.load(dict.fromkeys(COOKIES, sent))
                more = {"HX-Request": "true"} if "HX-Target" in headers else {}
                answer = ended(client.get(f"{path}?{encoded(QUERY)}", headers=dict.fromkeys(headers, sent) | more))
            if answer.status_code == 500:
                failed.add(f"{name}: {headers}")
    assert failed == set()


def ask_by_get(client: Client, path: str, fields: dict[str, str]) -> HttpResponseBase:
    cut = {name: text[:LONGEST_PART] for name, text in fields.items()}
    return ended(client.get(f"{path}?{encoded(QUERY | cut)}"))


def ask_by_post(client: Client, path: str, fields: dict[str, str]) -> HttpResponseBase:
    form = "application/x-www-form-urlencoded"
    return ended(client.post(f"{path}?{encoded(QUERY | fields)}", encoded(TYPED | fields), content_type=form))


def encoded(fields: dict[str, str]) -> str:
    return "&".join(f"{quoted(name)}={quoted(text)}" for name, text in fields.items())


@cache
def quoted(text: str) -> str:
    """Once for each text: a megabyte takes a third of a second."""
    return quote_plus(text, errors="surrogatepass")


def ended(answer: HttpResponseBase) -> HttpResponseBase:
    """Read to its end: a stream that is not read keeps its place among the transfers."""
    everything(answer)
    return answer
