"""Somebody who may use one folder asks every address that takes a bucket for what lies beside it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

import pytest
import requests
from django.http import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from requests.adapters import HTTPAdapter

from dashboard.tokens import access
from tests.features.grants import Lent, lent
from tests.features.test_leaks import everything
from tests.pages import htmx
from tests.plugins.exhaustive import Part, in_parts

__all__ = ["lent"]

pytestmark = pytest.mark.one_database

KEY, FOLDER = "inside/a.txt", "inside/"
OTHER = "another bucket"
# What is refused, in the same bucket: a key and its folder. tests/tokens/test_scope.py has more spellings.
REFUSED = {
    "a sibling folder": ("beside/hidden.txt", "beside/"),
    "a twin by letter case": ("Inside/hidden.txt", "Inside/"),
    "an encoded way out": ("inside/%2e%2e/beside/hidden.txt", "inside/%2e%2e/beside/"),
    OTHER: (KEY, FOLDER),
}
THERE = ("beside/hidden.txt", "insides/hidden.txt", "Inside/hidden.txt", "hidden.txt")
# Names that no request holds, and the bytes of all that is out of reach.
UNNAMED, SECRET = "unnamed", b"out of reach"
FORM = {"life": "3600", "landing": "page", "opens": "view", "preset": "3600", "kind": "csv", "policy": "new"}
Sent = list[str]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Every call that reaches the service: verb, decoded path and body."""
    found: Sent = []
    original = HTTPAdapter.send

    def noted(self: HTTPAdapter, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        body = request.body.decode() if isinstance(request.body, bytes) else ""
        found.append(f"{request.method} {unquote(request.path_url or '')} {body}")
        return original(self, request, **options)

    monkeypatch.setattr(HTTPAdapter, "send", noted)
    return found


@pytest.fixture
def hidden(lent: Lent) -> Lent:
    beside = [f"{key.removesuffix('hidden.txt')}{UNNAMED}.txt" for key in THERE]
    lent.put(KEY)
    lent.put(*THERE, *beside, body=SECRET)
    lent.put(KEY, f"{FOLDER}{UNNAMED}.txt", bucket=lent.other, body=SECRET)
    return lent


def addresses(space: str, bucket: str) -> Iterator[tuple[str, str]]:
    """Name and path of every address that takes a bucket."""
    values = {"space": space, "bucket": bucket, "set_id": "1", "kind": "csv", "ident": "20260101T000000Z-0000"}

    def walk(patterns: list[URLPattern | URLResolver], before: str, names: str) -> Iterator[tuple[str, str]]:
        for pattern in patterns:
            route = before + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, route, f"{pattern.namespace}:" if pattern.namespace else names)
            elif "<bucket>" in route:
                yield f"{names}{pattern.name}", "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: quote(values[found[1]]), route)

    return walk(get_resolver().url_patterns, "", "")


def asked(client: Client, path: str, query: Mapping[str, str], fields: Mapping[str, str]) -> Iterator[HttpResponseBase]:
    yield client.get(path, query)
    yield client.post(path, fields)
    yield client.post(path, {**fields, **FORM}, headers=htmx("dialog"), query_params=query)
    yield client.put(path, b"x", content_type="text/plain", query_params=query)


def signed_in(lent: Lent) -> Client:
    """A client that checks no markup, which takes most of the time."""
    client = Client()
    client.force_login(lent.ada)
    return client


def touches(call: str, lent: Lent, what: str) -> bool:
    """Whether a call is about a refused target."""
    key, folder = REFUSED[what]
    if what == OTHER:
        return lent.other in call
    names = (key, folder, folder.rstrip("/"))
    return any(f"{lent.bucket}/{name}" in call or f'"{name}' in call for name in names)


@pytest.mark.parametrize("what", REFUSED)
@in_parts
def test_every_address_answers_404_and_the_service_is_not_asked(hidden: Lent, sent: Sent, what: str, part: Part) -> None:
    key, folder = REFUSED[what]
    bucket = hidden.other if what == OTHER else hidden.bucket
    client, count = signed_in(hidden), 0
    for name, path in part.of(addresses(hidden.space, bucket)):
        for query in ({"key": key}, {"folder": folder}):
            for answer in asked(client, path, query, query):
                assert answer.status_code in {404, 405}, f"{name} ({path}) {query}: {answer.status_code}"
                count += answer.status_code == 404
    assert count > 0
    assert [call for call in sent if touches(call, hidden, what)] == []


@pytest.mark.parametrize("what", REFUSED)
@in_parts
def test_the_guard_alone_lets_no_call_through(
    hidden: Lent, sent: Sent, monkeypatch: pytest.MonkeyPatch, what: str, part: Part
) -> None:
    """Without the check of addresses, and by every other name that a form or address may give to a place."""
    monkeypatch.setattr(access, "_require_reach", lambda _request, _workspace: None)
    key, folder = REFUSED[what]
    bucket = hidden.other if what == OTHER else hidden.bucket
    client, inside = signed_in(hidden), {"key": KEY}
    queries: tuple[dict[str, str], ...] = (
        {"key": key},
        {"folder": folder},
        {"path": folder, "open": key, "name": "x", "keys": key, "search": key},
        {"path": key},
        inside | {"to": folder, "to_bucket": bucket},
    )
    for name, path in part.of(addresses(hidden.space, bucket)):
        for query in queries:
            fields = {"to": folder, "to_bucket": bucket, **query, **FORM}
            posted = client.post(path, fields, headers=htmx("dialog"), query_params=query)
            for answer in (client.get(path, query), posted):
                assert answer.status_code < 500, f"{name} ({path}) {query}"
                text = everything(answer)
                assert UNNAMED not in text, f"{name} ({path}) {query}"
                assert SECRET.decode() not in text, f"{name} ({path}) {query}"
    assert [call for call in sent if touches(call, hidden, what)] == []


def test_what_is_inside_is_reached_by_the_same_addresses(hidden: Lent, sent: Sent) -> None:
    client = signed_in(hidden)
    answers = {name: client.get(path, {"key": KEY}).status_code for name, path in addresses(hidden.space, hidden.bucket)}
    reached = {name for name, status in answers.items() if status in {200, 302, 303}}
    assert {"objects:index", "objects:details", "objects:download", "objects:preview", "sharing:new", "bulk:move"} <= reached
    assert len(reached) > 20
    assert any(f"{hidden.bucket}/{KEY}" in call for call in sent)
