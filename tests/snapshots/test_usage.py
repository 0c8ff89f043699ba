"""Who uses how much of the store of snapshots."""

import re
from pathlib import Path

import msgspec
import pytest
from django.urls import reverse
from pytest_django import Settings

from dashboard.snapshots import capture, usage
from dashboard.snapshots.manifest import read_heads, write_head
from dashboard.team.models import Person, Role
from tests.catalog.conftest import Shelf, shelf
from tests.pages import PageClient
from tests.snapshots.test_capture import in_a_folder, run

__all__ = ["in_a_folder", "shelf"]

USAGE = reverse("store:usage")


def cells(page: str, label: str) -> list[str]:
    found = re.findall(rf'data-label="{label}">(.*?)</td>', page, re.DOTALL)
    return [" ".join(re.sub("<[^>]+>", "", cell).split()) for cell in found]


def test_administrators_see_who_added_how_much_and_the_limit(
    as_owner: PageClient, owner: Person, shelf: Shelf, settings: Settings
) -> None:
    shelf.put("a.bin", body=bytes(range(250)) * 4000)
    run(shelf)
    shelf.put("b.bin", body=bytes(range(251)) * 4000)
    run(shelf)
    first, last = read_heads(capture.store())
    elsewhere = msgspec.structs.replace(first, bucket="other", token="0" * 32, new_bytes=5000, deleted_by="Ann", names=["x"])
    write_head(capture.store(), elsewhere)
    settings.SNAPSHOT_MAX_BYTES = 10_000_000
    Person.objects.filter(pk=owner.pk).update(role=Role.ADMINISTRATOR)
    found = usage.of_store()
    assert found.bytes == sum(path.stat().st_size for path in Path(store_folder(settings), "chunks").rglob("*") if path.is_file())
    assert [(use.bucket, use.snapshots, use.deletions, use.bytes) for use in found.uses] == [
        (shelf.bucket, 2, 0, first.new_bytes + last.new_bytes),
        ("other", 0, 1, 5000),
    ]
    page = as_owner.get(USAGE).text
    assert cells(page, "Token of") == [str(owner), "Nobody now"]
    assert cells(page, "Of the limit") == [f"{found.uses[0].bytes / 100_000:.1f}%", "0.1%"]
    assert "SNAPSHOT_MAX_BYTES" in page
    settings.SNAPSHOT_MAX_BYTES = 0
    page = as_owner.get(USAGE).text
    assert "no limit" in page
    assert cells(page, "Share")[0].startswith("99.")


def store_folder(settings: Settings) -> str:
    return str(settings.SNAPSHOT_URL).removeprefix("file://")


def test_an_empty_store_says_where_snapshots_are_taken(as_owner: PageClient, shelf: Shelf) -> None:
    page = as_owner.get(USAGE).text
    assert "No snapshots yet" in page
    assert 'href="/?view=storage">Choose a bucket</a>' in page


def test_operators_do_not_see_it(as_owner: PageClient, owner: Person, shelf: Shelf) -> None:
    run(shelf)
    index = reverse("snapshots:index", args=[shelf.space, shelf.bucket])
    assert USAGE in as_owner.get(index).text
    Person.objects.filter(pk=owner.pk).update(role=Role.OPERATOR)
    assert USAGE not in as_owner.get(index).text
    answer = as_owner.get(USAGE)
    assert (answer.status_code, "Needs the administrator role" in answer.text) == (403, True)


def test_a_snapshot_that_can_not_be_read_is_counted_as_such(as_owner: PageClient, shelf: Shelf) -> None:
    run(shelf)
    (head,) = read_heads(capture.store())
    capture.store().put(head.path, b"damaged")
    assert "1 snapshot can't be read." in as_owner.get(USAGE).text


def test_a_store_with_too_many_chunks_is_not_counted(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt")
    run(shelf)
    monkeypatch.setattr(usage, "COUNT_SECONDS", -1.0)
    assert "too many chunks" in as_owner.get(USAGE).text


def test_without_a_store_there_is_no_such_page(as_owner: PageClient, settings: Settings) -> None:
    settings.SNAPSHOT_URL = "none"
    assert as_owner.get(USAGE).status_code == 404


def test_the_palette_leads_to_it_only_where_there_is_a_store(as_owner: PageClient, settings: Settings) -> None:
    search = f"{reverse('palette:index')}?q=snapshot+storage"
    assert f'href="{USAGE}"' in as_owner.get(search).text
    settings.SNAPSHOT_URL = "none"
    assert f'href="{USAGE}"' not in as_owner.get(search).text
