"""Deleted files beside what a search of a bucket finds."""

import re
from html import unescape

import msgspec
import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from dashboard.features.objects.services.delete import delete_many
from dashboard.snapshots import capture, deleted, trash
from dashboard.snapshots.manifest import read_heads, write_head
from dashboard.team.models import Person
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.grants import Lent, lent
from tests.features.service import Calls, Faults
from tests.pages import PageClient, htmx
from tests.people import client_of, hold
from tests.snapshots import test_grantees
from tests.snapshots.test_capture import ended, in_a_folder, run

__all__ = ["in_a_folder", "lent", "shelf"]

PART = "Not all of the trash and the snapshots was read"


def listed(client: PageClient, place: Shelf | Lent, q: str = "a") -> str:
    """The part of the search."""
    answer = client.get(reverse("snapshots:deleted", args=[place.space, place.bucket], query={"q": q}), headers=htmx("deleted"))
    return " ".join(re.sub(r"</?a\b[^>]*>", "", unescape(answer.text)).split())


def names(client: PageClient, place: Shelf | Lent, q: str = "a") -> list[str]:
    return re.findall(r'scope="row"><bdi>([^<]*)</bdi>', listed(client, place, q))


def delete(shelf: Shelf, *keys: str) -> None:
    delete_many(*shelf.place, list(keys), rows=trash.listed(*shelf.place, keys))


def test_the_search_leads_there_when_it_looks_for_something(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    shelf.put("a.txt")
    shelf.crawl()
    search, part = (reverse(f"{name}", args=[shelf.space, shelf.bucket]) for name in ("search:index", "snapshots:deleted"))
    assert f'hx-get="{part}?q=invoice" hx-trigger="intersect once"' in as_owner.get(f"{search}?q=invoice").text
    assert part not in as_owner.get(search).text
    assert part not in as_owner.get(f"{search}?q=size:x").text
    assert "No deleted files match." in as_owner.get(f"{part}?q=invoice").text
    settings.SNAPSHOT_URL = "none"
    assert part not in as_owner.get(f"{search}?q=invoice").text
    assert as_owner.get(f"{part}?q=invoice").status_code == 404


def test_a_file_is_found_that_the_trash_does_not_name_in_its_list(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt", "c.txt", "d.txt")
    delete(shelf, "a.txt", "b.txt", "c.txt", "d.txt")
    assert names(as_owner, shelf, "name:d") == ["d.txt"]


def test_a_deleted_file_is_listed_until_it_is_restored(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("bills/Invoice 1.pdf", "bills/invoice 2.pdf", "other.txt", body=b"then")
    shelf.crawl()
    delete(shelf, "bills/Invoice 1.pdf", "other.txt")
    page = listed(as_owner, shelf, "invoice")
    assert re.findall(r"<bdi>([^<]*)</bdi>", page) == ["Invoice 1.pdf", "bills/"]
    assert '"When">Deleted <time' in page
    answer = as_owner.get(reverse("snapshots:deleted", args=[shelf.space, shelf.bucket], query={"q": "invoice"}))
    (restoration,) = re.findall(r'hx-get="([^"]*/restoration/[^"]*)"', answer.text)
    assert "It replaces none." in as_owner.get(unescape(restoration)).text
    as_owner.post(unescape(restoration), {"count": "0"})
    assert names(as_owner, shelf, "invoice") == []


def test_a_file_that_was_deleted_elsewhere_is_in_the_last_snapshots(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "ab.txt")
    run(shelf)
    run(shelf)
    shelf.storage.objects.delete(shelf.bucket, "a.txt")
    shelf.crawl()
    page = listed(as_owner, shelf)
    assert re.findall(r"<bdi>([^<]*)</bdi>", page) == ["a.txt"]
    assert '"When">Last kept <time' in page
    last = read_heads(capture.store())[-1]
    answer = as_owner.get(reverse("snapshots:deleted", args=[shelf.space, shelf.bucket], query={"q": "a"}))
    assert last.id in answer.text
    assert PART not in page


def test_snapshots_of_a_folder_hide_none_of_the_bucket(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "docs/b.txt")
    run(shelf)
    for _ in range(3):
        ended(capture.begin(*shelf.place, "docs/", back=""))
    shelf.storage.objects.delete(shelf.bucket, "a.txt")
    shelf.crawl()
    assert names(as_owner, shelf, "name:a") == ["a.txt"]


def test_the_last_deletion_of_a_file_counts(as_owner: PageClient, shelf: Shelf) -> None:
    for body in (b"first", b"the second"):
        shelf.put("a.txt", body=body)
        delete(shelf, "a.txt")
    run(shelf)
    page = listed(as_owner, shelf)
    assert page.count("<bdi>a.txt") == 1
    assert "10 bytes" in page


def test_what_is_there_is_not_listed_even_if_the_index_does_not_know_it(as_owner: PageClient, shelf: Shelf, calls: Calls) -> None:
    shelf.put("a.txt", "ab.txt", "abc.txt")
    run(shelf)
    shelf.crawl()
    delete(shelf, "a.txt", "ab.txt")
    shelf.put("a.txt")
    as_owner.get(reverse("snapshots:deleted", args=[shelf.space, shelf.bucket]))
    calls()
    assert names(as_owner, shelf) == ["ab.txt"]
    # Two names are listed, and the one that isn't there is asked for.
    assert len(calls()) == 3


def test_bytes_that_were_left_out_are_not_offered(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 10
    shelf.put("a1.txt", body=b"x" * 11)
    shelf.put("a2.txt")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["a1.txt", "a2.txt"])
    shelf.crawl()
    assert names(as_owner, shelf) == ["a2.txt"]


@pytest.mark.parametrize(("name", "value"), [("TRASHED_MAX", 1), ("SNAPSHOTS_MAX", 1), ("SECONDS", 0.0)])
def test_what_was_not_read_is_told(
    as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, name: str, value: float
) -> None:
    shelf.put("a1.txt", "a2.txt")
    run(shelf)
    run(shelf)
    delete(shelf, "a1.txt")
    delete(shelf, "a2.txt")
    assert PART not in listed(as_owner, shelf)
    monkeypatch.setattr(deleted, name, value)
    assert PART in listed(as_owner, shelf)


def test_more_than_are_shown_are_told(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deleted, "FOUND_MAX", 2)
    shelf.put("a1.txt", "a2.txt", "a3.txt")
    delete(shelf, "a1.txt", "a2.txt", "a3.txt")
    assert len(names(as_owner, shelf)) == 2
    assert "There are more." in listed(as_owner, shelf)


def test_without_a_sign_of_what_a_token_sees_nothing_is_called_deleted(shelf: Shelf, ada: Person, service: Sandbox) -> None:
    shelf.put("a.txt")
    run(shelf)
    hold(ada, service.personal_token)
    token = hold(ada, service.storage_tokens[shelf.space]["anon"], shelf.space)
    client = client_of(ada)
    assert names(client, shelf) == []
    (head,) = read_heads(capture.store())
    write_head(capture.store(), msgspec.structs.replace(head, token=token.fingerprint))
    assert names(client, shelf) == []


def test_deletions_by_another_token_are_for_a_service_key_that_reads_the_bucket(
    as_owner: PageClient, shelf: Shelf, faults: Faults
) -> None:
    shelf.put("a.txt")
    delete(shelf, "a.txt")
    (head,) = read_heads(capture.store())
    write_head(capture.store(), msgspec.structs.replace(head, token="0" * 32))
    assert names(as_owner, shelf) == ["a.txt"]
    faults("S4", status=403)
    assert names(as_owner, shelf) == []


def test_a_grant_finds_what_was_in_its_folders_while_it_may_read(owner: Person, lent: Lent) -> None:
    test_grantees.taken(owner, lent)
    lent.put("inside/away.txt", "away.txt")
    test_grantees.delete(owner, lent, "inside/away.txt", "away.txt")
    assert sorted(names(lent.client, lent, "a ext:txt")) == ["away.txt"]
    assert sorted(names(lent.client, lent, "ext:txt")) == ["away.txt", "gone.txt"]
    assert "outside" not in listed(lent.client, lent, "ext:txt")
    for change, told in (({"acts": ["upload"]}, "View and download"), ({"revoked_at": timezone.now()}, "revoked this access")):
        lent.change(**change)
        assert told in listed(lent.client, lent, "ext:txt")
        assert told in listed(lent.client, lent, "nothing")
        assert names(lent.client, lent, "ext:txt") == []
