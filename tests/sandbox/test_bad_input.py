"""Whatever is sent, the answer is the service's: never a 500, never a traceback."""

import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests.sandbox.conftest import LAB, Caller

MEMBERS = some.sampled_from(
    [
        "name",
        "value",
        "slug",
        "body",
        "verify_jwt",
        "import_map",
        "custom_hostname",
        "root_key",
        "ipv4_addresses",
        "requester_ip",
        "dbAllowedCidrs",
        "dbAllowedCidrsV6",
        "organization_id",
        "organization_slug",
        "db_pass",
        "region",
        "region_selection",
        "plan",
        "type",
        "code",
        "action",
        "ttl",
        "how",
    ]
)
VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=12) | some.just("\x00"),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(MEMBERS, inner, max_size=4),
    max_leaves=8,
)
WRITES = [
    ("POST", "/v1/projects"),
    ("POST", "/v1/organizations"),
    ("POST", f"/v1/projects/{LAB}/secrets"),
    ("DELETE", f"/v1/projects/{LAB}/secrets"),
    ("POST", f"/v1/projects/{LAB}/functions"),
    ("PATCH", f"/v1/projects/{LAB}/functions/resize"),
    ("POST", f"/v1/projects/{LAB}/custom-hostname/initialize"),
    ("PUT", f"/v1/projects/{LAB}/pgsodium"),
    ("DELETE", f"/v1/projects/{LAB}/network-bans"),
    ("POST", f"/v1/projects/{LAB}/network-restrictions/apply"),
    ("POST", "/_dns"),
]
GENTLE = settings(max_examples=40)


@pytest.mark.parametrize(("method", "path"), WRITES)
@GENTLE
@given(body=VALUES)
def test_any_json_gets_an_answer(owner: Caller, method: str, path: str, body: object) -> None:
    answer = owner(method, path, data=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code < 500 or answer.status_code == 544
    assert answer.status_code < 300 or answer.json()["message"]


@GENTLE
@given(
    body=some.binary(max_size=64),
    kind=some.sampled_from(["application/json", "text/plain", "", "application/vnd.denoland.eszip"]),
)
def test_any_bytes_get_an_answer(owner: Caller, body: bytes, kind: str) -> None:
    for method, path in WRITES[:6]:
        answer = owner(method, path + "?verify_jwt=%00&name=%FF", data=body, headers={"Content-Type": kind})
        assert answer.status_code < 500


@GENTLE
@given(path=some.text(max_size=30), ref=some.text(min_size=1, max_size=25))
def test_any_path_gets_an_answer(owner: Caller, path: str, ref: str) -> None:
    quoted, place = (quote(text.encode("utf-8", "surrogatepass"), safe="") for text in (path, ref))
    for address in (
        f"/{quoted}",
        f"/v1/{quoted}",
        f"/v1/projects/{place}/secrets",
        f"/{place}/storage/v1/{quoted}",
        f"/v1/projects/{LAB}/functions/{place}",
    ):
        assert owner("GET", address).status_code < 500


def test_deeply_nested_json_is_refused(owner: Caller) -> None:
    answer = owner("POST", "/v1/organizations", data="[" * 100_000, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
