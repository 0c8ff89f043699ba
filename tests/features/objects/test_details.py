"""One object beside its list."""

from collections.abc import Callable

from tests.features.objects.conftest import Desk

PANEL = {"HX-Request": "true", "HX-Target": "objects-details"}


def test_the_panel_shows_everything_that_is_known(desk: Desk) -> None:
    desk.storage.objects.upload(desk.bucket, "a/b c.txt", b"hello", content_type="text/plain", cache_control="max-age=60")
    answer = desk.client.get(desk.address(), {"path": "a/", "open": "a/b c.txt"}).text
    for text in (
        "a/b c.txt",
        "5 bytes",
        "text/plain",
        "max-age=60",
        "5d41402abc4b2a76b9719d911017c592",
        "Last accessed",
        "httpStatusCode",
    ):
        assert text in answer


def test_htmx_gets_the_panel_alone_from_the_same_address(desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.put("a.txt")
    before = len(calls())
    answer = desk.client.get(desk.address(), {"open": "a.txt"}, headers=PANEL)
    assert answer.text.lstrip().startswith("<aside")
    assert len(calls()) - before == 3


def test_closing_leaves_an_empty_panel_and_asks_nothing(desk: Desk, calls: Callable[[], list[str]]) -> None:
    before = len(calls())
    answer = desk.client.get(desk.address(), headers=PANEL)
    assert "data-panel" not in answer.text
    assert len(calls()) == before


def test_the_details_have_a_page_of_their_own(desk: Desk) -> None:
    desk.put("dir/a?b&c.txt")
    answer = desk.client.get(desk.address("details"), {"key": "dir/a?b&c.txt"})
    assert answer.status_code == 200
    assert "<h1" in answer.text
    assert "Last accessed" in answer.text


def test_an_object_that_is_gone_is_said_to_be_gone(desk: Desk) -> None:
    desk.put("here.txt")
    assert "This object is gone" in desk.client.get(desk.address(), {"open": "gone.txt"}).text
    assert desk.client.get(desk.address("details"), {"key": "gone.txt"}).status_code == 404


def test_only_a_public_bucket_has_public_addresses(desk: Desk) -> None:
    desk.put("a b.txt")
    assert "/object/public/" not in desk.client.get(desk.address(), {"open": "a b.txt"}).text
    desk.storage.buckets.update(desk.bucket, public=True)
    assert "a%20b.txt" in desk.client.get(desk.address(), {"open": "a b.txt"}).text


def test_own_metadata_and_hostile_names_are_only_text(desk: Desk) -> None:
    desk.put("<script>.txt".replace("<", "(").replace(">", ")"))
    answer = desk.client.get(desk.address(), {"open": "(script).txt"}).text
    assert "(script).txt" in answer
