"""Whatever somebody sends to an address instead of our own forms, the answer is a refusal and never a failure of ours.

A new address and the hidden fields of its forms are included automatically.
"""

import re
from html import unescape

import pytest
from django.http import HttpResponse
from django.test import Client

from dashboard.team.models import Person
from tests.features.test_every_address import service
from tests.features.test_leaks import JSON, QUERY, TYPED, addresses, everything, values
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
LENGTHS = [str(2**63), str(2**64), "9" * 5000, "²"]


def hidden_fields(client: Client, path: str) -> set[str]:
    """The names of the hidden fields in the forms of a page."""
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
        filled = dict.fromkeys(hidden_fields(client, path) | {"chosen", "keys", "selection", "sealed", "state"}, text)
        for fields in ({**TYPED, **filled}, {**dict.fromkeys(TYPED, text), **filled}):
            answer = client.post(path, fields)
            everything(answer)  # a stream that is not read keeps its place among the transfers
            assert answer.status_code != 500, f"{name} ({path})"
            asked += 1
        if name in JSON:
            answer = client.post(path, text, content_type="application/json")
            assert answer.status_code == 400, f"{name} ({path})"
    assert asked > 30


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
