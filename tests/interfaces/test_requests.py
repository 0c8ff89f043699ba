"""What goes over the wire for each operation, and where the document's facts are written down."""

import inspect
import json
import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import responses

from dashboard.interfaces import ManagementInterface, Placement, StorageInterface, Token
from dashboard.interfaces.operations import OPERATIONS
from tests.contract.document import ROWS
from tests.interfaces.calls import CALLS, LINK_TOKEN, PUBLIC
from tests.interfaces.conftest import Connect

BASE = "https://service.example/storage/v1"


def _sent(connect: Connect, ident: str, placement: Placement = Placement.HEADER) -> Any:
    call = CALLS[ident]
    with responses.RequestsMock() as mock:
        mock.add(OPERATIONS[ident].method, re.compile(".*"), body=call.good_bytes, content_type=call.good_type)
        call.run(connect(BASE, placement=placement))
        assert len(mock.calls) == 1
        return mock.calls[0].request


def test_each_operation_has_a_row_in_the_documents_order() -> None:
    assert list(ROWS) == list(OPERATIONS)


@pytest.mark.parametrize("ident", ROWS)
def test_the_table_says_what_the_document_says(ident: str) -> None:
    assert (OPERATIONS[ident].method, OPERATIONS[ident].path) == (ROWS[ident]["method"], ROWS[ident]["path"])


def test_each_public_method_opens_with_its_operation() -> None:
    found = set()
    for interface in (ManagementInterface("http://x", Token("t")), StorageInterface("http://x", Token("t"))):
        for group in vars(interface).values():
            for name, method in inspect.getmembers(group, inspect.ismethod):
                if name.startswith("_"):
                    continue
                first = (method.__doc__ or "").splitlines()[0]
                ident, verb, path = re.fullmatch(r"([MS]\d+) · ([A-Z]+) (\S+)", first).groups()  # type: ignore[union-attr]  # fails the test
                assert (verb, path) == (ROWS[ident]["method"], ROWS[ident]["path"]), method
                found.add(ident)
    assert found == set(ROWS)


def test_the_old_download_says_that_it_is_deprecated() -> None:
    assert "Deprecated" in (StorageInterface("http://x", Token("t")).objects.get.__doc__ or "")


@pytest.mark.parametrize("ident", ROWS)
def test_it_sends_the_path_the_query_and_the_body(connect: Connect, ident: str) -> None:
    sent, call = _sent(connect, ident), CALLS[ident]
    parts = urlsplit(sent.url)
    assert parts.path == "/storage/v1" + call.path
    assert dict(parse_qsl(parts.query)) == (call.query or {})
    assert set(dict(parse_qsl(parts.query))) <= {*ROWS[ident]["required"], *ROWS[ident]["optional"]}
    if call.body is not None:
        assert json.loads(sent.body) == call.body
        assert sent.headers["Content-Type"] == "application/json"
    elif ident not in {"S9", "S10"}:
        assert not sent.body
        assert "Content-Type" not in sent.headers


@pytest.mark.parametrize("ident", ROWS)
def test_the_credential_goes_into_the_header(connect: Connect, ident: str) -> None:
    sent = _sent(connect, ident)
    expected = None if ident in PUBLIC else "Bearer canary"
    assert sent.headers.get("Authorization") == expected
    assert sent.headers.get("apikey") == ("canary" if ident.startswith("S") and ident not in PUBLIC else None)
    assert "canary" not in sent.url
    assert "Cookie" not in sent.headers


@pytest.mark.parametrize("ident", [ident for ident in ROWS if ident.startswith("S")])
def test_the_credential_goes_into_the_query_when_asked(connect: Connect, ident: str) -> None:
    sent = _sent(connect, ident, Placement.QUERY)
    query = dict(parse_qsl(urlsplit(sent.url).query))
    assert query.get("authorization") == (None if ident in PUBLIC else "Bearer canary")
    assert ("authorization" in ROWS[ident]["required"]) == (ident not in PUBLIC)
    assert "Authorization" not in sent.headers
    assert "apikey" not in sent.headers
    if ident == "S16":
        assert query["token"] == LINK_TOKEN


def test_a_bundle_goes_out_as_bytes_with_its_facts_in_the_query(connect: Connect) -> None:
    with responses.RequestsMock() as mock:
        mock.add("PATCH", re.compile(".*"), body=CALLS["M12"].good_bytes)
        management, _ = connect(BASE)
        management.functions.update_bundle("a" * 20, "hello", bundle=b"ESZIP_V2", verify_jwt=False, import_map=True)
        sent: Any = mock.calls[0].request
    assert sent.body == b"ESZIP_V2"
    assert sent.headers["Content-Type"] == "application/vnd.denoland.eszip"
    assert dict(parse_qsl(urlsplit(sent.url).query)) == {"verify_jwt": "false", "import_map": "true"}


def test_newer_members_go_out_only_where_they_are_given(connect: Connect) -> None:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        mock.add("POST", re.compile(".*/bucket/"), json={"name": "b"})
        mock.add("PUT", re.compile(".*/bucket/b"), json={"message": "ok"})
        mock.add("POST", re.compile(".*/projects$"), body=CALLS["M2"].good_bytes)
        mock.add("POST", re.compile(".*/apply"), body=CALLS["M25"].good_bytes)
        management, storage = connect(BASE)
        storage.buckets.create("b", public=True, file_size_limit=0, allowed_mime_types=["image/*"])
        storage.buckets.update("b", public=False, file_size_limit=None, allowed_mime_types=["text/plain"])
        management.projects.create("p", organization_id="a", db_pass="w", region="r", plan="pro", organization_slug="a-b")
        management.network.apply("a" * 20, allowed=[], allowed_v6=["::/0"])
        bodies = [json.loads(call.request.body or b"") for call in mock.calls]
    assert bodies[0] == {"id": "b", "name": "b", "public": True, "file_size_limit": 0, "allowed_mime_types": ["image/*"]}
    assert bodies[1] == {"public": False, "file_size_limit": None, "allowed_mime_types": ["text/plain"]}
    assert bodies[2]["organization_slug"] == "a-b"
    assert bodies[3] == {"dbAllowedCidrs": [], "dbAllowedCidrsV6": ["::/0"]}


def test_an_upload_says_what_it_is(connect: Connect) -> None:
    with responses.RequestsMock() as mock:
        mock.add("POST", re.compile(".*"), json={"Key": "b/a"})
        _, storage = connect(BASE)
        stored = storage.objects.upload("b", "a", b"12", content_type="text/css", cache_control="max-age=60", upsert=True)
        headers = mock.calls[0].request.headers
    assert (stored.key, stored.id) == ("b/a", None)
    assert (headers["Content-Type"], headers["Cache-Control"], headers["x-upsert"]) == ("text/css", "max-age=60", "true")
    assert headers["Content-Length"] == "2"
    assert "Transfer-Encoding" not in headers
