"""Signed links: joined to our address only when they are what they should be, and shown without their token."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
import responses

from dashboard.interfaces import StorageInterface, Token, errors
from dashboard.interfaces.storage.signed_links import SignedLink
from tests.interfaces import servers
from tests.interfaces.calls import LINK_TOKEN
from tests.interfaces.conftest import Connect

BASE = "https://service.example/storage/v1"
LINK = SignedLink(f"/object/sign/b/sp ace/a+b?c.txt?token={LINK_TOKEN}")


def _answered(body: Any) -> StorageInterface:
    responses.add("POST", re.compile(".*"), json=body)
    return StorageInterface(BASE, Token("canary"))


def test_a_link_becomes_an_address_that_a_browser_can_open() -> None:
    assert LINK.address(BASE + "/") == f"{BASE}/object/sign/b/sp%20ace/a+b%3Fc.txt?token={LINK_TOKEN}"
    assert LINK.address(BASE, True).endswith("&download=")
    assert LINK.address(BASE, "my ü&.txt").endswith("&download=my%20%C3%BC%26.txt")


def test_what_the_service_encoded_already_is_not_encoded_twice() -> None:
    link = SignedLink("/object/sign/b/a%3Fb%20c.txt?token=t")
    assert link.address(BASE) == f"{BASE}/object/sign/b/a%3Fb%20c.txt?token=t"


def test_a_link_tells_its_end_and_hides_its_token() -> None:
    assert LINK.expires_at == datetime(2026, 11, 20, 10, 37, 10, tzinfo=UTC)
    assert LINK_TOKEN not in repr(LINK)
    assert LINK_TOKEN not in f"{[LINK]}"
    assert "a+b?c.txt" in repr(LINK)


@pytest.mark.parametrize(
    "token", ["opaque", "a.b.c", "a.e30.c", "a.eyJleHAiOiJ4In0.c", "a.eyJleHAiOjFlMzAwfQ.c", "a.W10.c", "a.%%%.c", "."]
)
def test_a_token_that_is_no_jwt_has_no_known_end(token: str) -> None:
    assert SignedLink(f"/object/sign/b/k?token={token}").expires_at is None


@responses.activate
@pytest.mark.parametrize(
    "signed",
    [
        "https://evil.example/object/sign/b/k?token=t",
        "//evil.example/object/sign/b/k?token=t",
        "/object/public/b/k?token=t",
        "/object/sign/../../bucket/b?token=t",
        "/object/sign/b/k",
        "/object/sign/b/k?token=",
        "/object/sign/b/k?token=t&download=x",
        "/object/sign/b/k?token=t t",
        "/object/sign/b/k\n?token=t",
        "object/sign/b/k?token=t",
        "",
    ],
)
def test_a_link_to_elsewhere_is_not_taken(signed: str) -> None:
    storage = _answered({"signedURL": signed})
    with pytest.raises(errors.Unexpected, match="S14"):
        storage.signing.sign("b", "k", expires_in=60)
    with pytest.raises(errors.NameRefused):
        storage.signing.open(signed)
    assert len(responses.calls) == 1


@responses.activate
def test_several_links_are_matched_by_path() -> None:
    storage = _answered(
        [
            {"error": None, "path": "c d", "signedURL": "/object/sign/b/c d?token=2"},
            {"error": "Either the object does not exist or you do not have access to it", "path": "b", "signedURL": None},
            {"error": None, "path": "a", "signedURL": "/object/sign/b/a?token=1"},
        ]
    )
    first, second, third, fourth = storage.signing.sign_many("b", ["a", "b", "c d", "never"], expires_in=60)
    assert (first.path, first.error, first.link) == ("a", None, SignedLink("/object/sign/b/a?token=1"))
    assert (second.link, second.error) == (None, "Either the object does not exist or you do not have access to it")
    assert (third.path, third.link) == ("c d", SignedLink("/object/sign/b/c d?token=2"))
    assert (fourth.link, fourth.error) == (None, "The service gave no link for this object.")


@responses.activate
def test_several_links_without_paths_are_matched_by_position() -> None:
    storage = _answered([{"signedURL": "/object/sign/b/a?token=1"}, {"error": "no", "signedURL": None}, {"signedURL": "//x"}])
    items = storage.signing.sign_many("b", ["a", "b", "c"], expires_in=60)
    assert [item.link for item in items] == [SignedLink("/object/sign/b/a?token=1"), None, None]
    assert items[1].error == "no"
    assert items[2].error


def test_a_link_is_opened_without_our_credential(connect: Connect) -> None:
    with servers.serving(
        servers.answer(b"hello", kind="text/plain", more="Expires: Fri, 20 Nov 2026 10:37:10 GMT\r\n")
    ) as server:
        _, storage = connect(server.address)
        stream = storage.signing.open(LINK, download="a b.txt", headers={"Range": "bytes=0-"})
        assert b"".join(stream) == b"hello"
        head = server.requests[0].decode()
    assert head.startswith(f"GET /object/sign/b/sp%20ace/a+b%3Fc.txt?download=a+b.txt&token={LINK_TOKEN} ")
    assert "canary" not in head
    assert stream.headers["expires"]
