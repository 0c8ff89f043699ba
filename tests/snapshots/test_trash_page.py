"""The page of the trash: while the store is away, its second page, and with an S3 store."""

from html import unescape
from pathlib import Path

import pytest
from django.urls import reverse
from pytest_django import Settings

from dashboard.features.snapshots.views import snapshots as views
from dashboard.jobs.models import Job, State
from dashboard.journal.models import Entry
from dashboard.snapshots import restore
from dashboard.web.text import exact
from tests.catalog.conftest import Shelf, shelf
from tests.features.bulk.conftest import through
from tests.features.service import Calls, calls
from tests.pages import PageClient, htmx
from tests.snapshots.test_capture import ended, in_a_folder
from tests.snapshots.test_restore import names, text
from tests.snapshots.test_trash import deletions, for_thirty_days, one, selected

__all__ = ["calls", "for_thirty_days", "in_a_folder", "shelf"]


def home(shelf: Shelf) -> str:
    return reverse("snapshots:trash", args=[shelf.space, shelf.bucket])


def test_while_the_store_is_away_the_page_says_so_in_its_frame(
    as_owner: PageClient, shelf: Shelf, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    settings.SNAPSHOT_URL = (tmp_path / "file" / "store").as_uri()
    here = [shelf.space, shelf.bucket, "20260101T000000Z-1"]
    for way in (home(shelf), *(reverse(f"snapshots:{name}", args=here) for name in ("undo", "deletion"))):
        page = as_owner.get(way)
        assert page.status_code == 503, way
        assert "The store of snapshots can't be read" in unescape(page.text)
        assert str(tmp_path) not in page.text
        assert "Try again" in page.text
        assert f"<li>{shelf.bucket}</li>" not in page.text, "it is in the breadcrumb already"


def test_older_deletions_are_on_the_second_page(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "DELETIONS_PER_PAGE", 2)
    shelf.put("1.txt", "2.txt", "3.txt")
    for key in ("1.txt", "2.txt", "3.txt"):
        as_owner.post(one(shelf, key), headers=htmx("dialog"))
    first, second = as_owner.get(home(shelf)).text, as_owner.get(home(shelf), {"offset": "2"}).text
    assert f"{home(shelf)}?offset=2" in unescape(first)
    assert [name for name in ("1.txt", "2.txt", "3.txt") if name in first] == ["2.txt", "3.txt"]
    assert [name for name in ("1.txt", "2.txt", "3.txt") if name in second] == ["1.txt"]


def test_with_an_s3_store_it_is_kept_restored_and_deleted_for_good(
    as_owner: PageClient,
    shelf: Shelf,
    settings: Settings,
    s3_settings: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in s3_settings.items():
        monkeypatch.setenv(name, value)
    settings.SNAPSHOT_URL = s3_settings["SNAPSHOT_URL"]
    shelf.put("a.txt", body=b"then")
    as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog"))
    assert not names(shelf)
    assert "a.txt" in as_owner.get(home(shelf)).text
    (head,) = deletions()
    as_owner.post(reverse("snapshots:undo", args=[shelf.space, shelf.bucket, head.id]), headers=htmx("dialog"))
    assert through(Job.objects.get(kind="restore objects")).state == State.DONE
    assert text(shelf, "a.txt") == "then"
    as_owner.post(reverse("snapshots:deletion", args=[shelf.space, shelf.bucket, head.id]), headers=htmx("dialog"))
    assert ended(Job.objects.get(kind="delete snapshots")).state == State.DONE
    assert "Nothing in the trash" in as_owner.get(home(shelf)).text


def test_a_confirmed_deletion_is_listed_once_and_compared_once(as_owner: PageClient, shelf: Shelf, calls: Calls) -> None:
    shelf.put("a.txt", "b.txt")
    for address, fields in ((one(shelf, "a.txt"), {}), (selected(as_owner, shelf, "b.txt"), {"count": "1"})):
        calls()
        as_owner.post(address, fields, headers=htmx("dialog"))
        lists = [call for call in calls() if "/object/list" in call]
        assert len(lists) == 2, "before it is kept, and right before it is deleted"
    assert not names(shelf)


def test_what_the_trash_keeps_is_called_no_snapshot(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "a/b.txt")
    as_owner.post(one(shelf, "a.txt"), headers=htmx("dialog"))
    (head,) = deletions()
    here = [shelf.space, shelf.bucket, head.id]
    page = as_owner.get(reverse("snapshots:show", args=here)).text
    assert f'<a href="{home(shelf)}">Trash</a>' in page
    assert f'href="{reverse("snapshots:index", args=here[:2])}"' not in page
    assert "Snapshot" not in page
    assert "in the trash." in page
    waiting = restore.undo(shelf.workspace, head, back="/")
    as_owner.post(reverse("snapshots:deletion", args=here), headers=htmx("dialog"))
    refused = ended(Job.objects.get(kind="delete snapshots"))
    assert refused.title == f"Delete what was deleted at {exact(head.begun)} from the trash of {shelf.bucket}"
    assert refused.message == f"A job restores from what was deleted at {exact(head.begun)}. Delete it once that has ended."
    through(waiting)
    as_owner.post(reverse("snapshots:deletion", args=here), headers=htmx("dialog"))
    ended(Job.objects.filter(kind="delete snapshots").latest("pk"))
    assert Entry.objects.get(operation="snapshot deleted").target == f"trash of {exact(head.begun)} of bucket {shelf.bucket}"
