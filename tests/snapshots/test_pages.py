"""Pages of snapshots: who may see and take them, and what they say."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import msgspec
import pytest
from django.urls import reverse
from pytest_django import Settings

from dashboard.catalog import walk
from dashboard.features.snapshots import services
from dashboard.jobs.models import Job
from dashboard.journal.models import Entry
from dashboard.snapshots import capture
from dashboard.snapshots.manifest import Manifest, read_heads, write_head
from dashboard.snapshots.store import StoreError, folder_of, opened
from dashboard.team.models import Person, Role
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.service import Faults
from tests.pages import PageClient, htmx
from tests.people import client_of, hold
from tests.snapshots.test_capture import ended, in_a_folder, run

__all__ = ["in_a_folder", "shelf"]


def address(shelf: Shelf, name: str = "index") -> str:
    return reverse(f"snapshots:{name}", args=[shelf.space, shelf.bucket])


def test_a_snapshot_is_taken_from_the_page_and_listed(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"x" * 2048)
    page = as_owner.get(address(shelf)).text
    assert "No snapshots yet" in page
    assert re.findall(f'action="{address(shelf, "new")}"|Take (?:a )?snapshot', page)[1:] == ["Take a snapshot"]
    begun = as_owner.post(address(shelf, "new"), headers=htmx("snapshots"))
    assert "jobs:changed" in begun["HX-Trigger"]
    job = Job.objects.get()
    waiting = as_owner.get(address(shelf)).text
    assert reverse("jobs:show", args=[job.pk]) in waiting
    assert "every 3s" in waiting
    as_owner.post(address(shelf, "new"), headers=htmx("snapshots"))
    assert Job.objects.filter(kind="take snapshot").count() == 1
    ended(job)
    page = as_owner.get(address(shelf)).text
    assert "1 snapshot<" in page
    assert re.findall(r'data-label="(?:Objects|Left out)">([^<]+)<', page) == ["1", "0"]
    assert "2.0 KB" in page


def test_the_menu_of_a_bucket_has_it_only_where_there_is_a_store(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    bucket = reverse("objects:index", args=[shelf.space, shelf.bucket])
    page = as_owner.get(bucket).text
    assert address(shelf) in page
    assert f'href="{address(shelf, "schedule")}?folder="' in page
    settings.SNAPSHOT_URL = "none"
    assert address(shelf) not in as_owner.get(bucket).text
    assert as_owner.get(address(shelf)).status_code == 404
    assert as_owner.post(address(shelf, "new")).status_code == 404


def test_a_viewer_sees_snapshots_and_takes_none(as_owner: PageClient, owner: Person, shelf: Shelf) -> None:
    run(shelf)
    Person.objects.filter(pk=owner.pk).update(role=Role.VIEWER)
    assert "1 snapshot<" in as_owner.get(address(shelf)).text
    assert "Needs the operator role" in as_owner.post(address(shelf, "new")).text
    assert Job.objects.filter(kind="take snapshot").count() == 1


def test_snapshots_of_another_token_are_for_a_service_key_that_reads_the_bucket(
    as_owner: PageClient, owner: Person, shelf: Shelf, service: Sandbox, faults: Faults
) -> None:
    run(shelf)
    (head,) = read_heads(capture.store())
    write_head(capture.store(), msgspec.structs.replace(head, token="0" * 32))
    assert "1 snapshot<" in as_owner.get(address(shelf)).text
    faults("S4", status=403)
    assert "No snapshots yet" in as_owner.get(address(shelf)).text


def test_a_plain_token_sees_its_own_snapshots_only(owner: Person, shelf: Shelf, service: Sandbox, ada: Person) -> None:
    run(shelf)
    (head,) = read_heads(capture.store())
    plain = next(token for name, token in service.storage_tokens[shelf.space].items() if name != "service")
    hold(ada, service.personal_token)
    hold(ada, plain, shelf.space)
    assert "No snapshots yet" in client_of(ada).get(address(shelf)).text
    shown = client_of(ada).get(reverse("snapshots:show", args=[shelf.space, shelf.bucket, head.id]))
    assert shown.status_code == 404


def test_a_store_that_is_away_is_told(as_owner: PageClient, shelf: Shelf, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings.SNAPSHOT_URL = (tmp_path / "file" / "store").as_uri()
    here = [shelf.space, shelf.bucket, "20260101T000000Z-1"]
    inside = [reverse(f"snapshots:{name}", args=here) for name in ("show", "file", "restoration")]
    for way in (address(shelf), address(shelf, "versions"), *inside):
        page = as_owner.get(way)
        assert page.status_code == 503, way
        assert "The store of snapshots can&#x27;t be read" in page.text
        assert str(tmp_path) not in page.text


def test_a_folder_of_the_store_that_is_gone_is_no_empty_store(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt")
    run(shelf)
    inside, folder = snapshot_address(shelf), folder_of(capture.store().url)
    assert folder
    away = folder.rename(folder.with_name("away"))
    for way in (inside, *(address(shelf, name) for name in ("index", "trash", "versions")), reverse("store:usage")):
        page = as_owner.get(way)
        assert page.status_code == 503, way
        assert "The store of snapshots can&#x27;t be read" in page.text
    for call in (capture.store().free, capture.store().probe):
        with pytest.raises(StoreError, match="folder of the snapshots is missing"):
            call()
    opened.cache_clear()
    assert as_owner.get(address(shelf)).status_code == 503, "neither does a process that opens it now make it anew"
    assert not folder.exists()
    away.rename(folder)
    assert names(as_owner.get(inside).text) == ["a.txt"]


def snapshot_address(shelf: Shelf, name: str = "show", **query: str) -> str:
    head = read_heads(capture.store())[-1]
    return f"{reverse(f'snapshots:{name}', args=[shelf.space, shelf.bucket, head.id])}?{urlencode(query)}"


def names(page: str) -> list[str]:
    return re.findall(r"<bdi>([^<]*)</bdi></a></span>\s*</th>", page)


def test_a_bucket_is_browsed_as_of_a_snapshot(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt", "c.txt", "deep/er/d.txt", "deep/e.txt", body=b"then")
    shelf.put("empty/.emptyFolderPlaceholder", body=b"")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["b.txt", "deep/e.txt"])
    shelf.storage.objects.replace(shelf.bucket, "c.txt", b"now", content_type="text/plain")
    shelf.put("new.txt")
    page = as_owner.get(snapshot_address(shelf)).text
    assert names(page) == ["a.txt", "b.txt", "c.txt", "deep", "empty"]
    assert re.findall(r'data-kind="(\w*)"(?:\s*data-ending="(\w+)")?', page) == [("text", "TXT")] * 3 + [("folder", "")] * 2
    assert "As of" in page
    assert [len(re.findall(word, page)) for word in ("Deleted since", "Changed since")] == [1, 1]
    assert names(as_owner.get(snapshot_address(shelf, path="deep/")).text) == ["e.txt", "er"]
    deepest = as_owner.get(snapshot_address(shelf, path="deep/er/")).text
    assert names(deepest) == ["d.txt"]
    assert "then" in as_owner.get(unescape(re.findall(r'href="([^"]*/file/view/[^"]*)"', deepest)[0])).text
    assert "Nothing here then" in as_owner.get(snapshot_address(shelf, path="empty/")).text
    assert "Nothing here then" in as_owner.get(snapshot_address(shelf, path="nowhere/")).text


def test_the_same_bytes_of_another_type_are_changed(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    run(shelf)
    shelf.storage.objects.replace(shelf.bucket, "a.txt", b"then", content_type="text/html")
    shelf.storage.objects.replace(shelf.bucket, "b.txt", b"then", content_type="text/plain")
    assert as_owner.get(snapshot_address(shelf)).text.count("Changed since") == 1


def test_a_folder_that_can_not_be_listed_now_says_nothing_of_today(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["a.txt"])
    assert "Deleted since" in as_owner.get(snapshot_address(shelf)).text
    faults("S13", status=500)
    page = as_owner.get(snapshot_address(shelf)).text
    assert names(page) == ["a.txt"]
    assert "Deleted since" not in page
    assert "We can't tell what was changed or deleted since" in page
    assert 'aria-label="Restore a.txt"' in page


def test_a_large_folder_is_compared_page_by_page(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "PAGE", 100)
    shelf.put(*(f"{number:03}.txt" for number in range(102)))
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["101.txt"])
    page = as_owner.get(snapshot_address(shelf)).text
    assert page.count("Deleted since") == 1
    assert "We can't tell" not in page
    monkeypatch.setattr(services, "COMPARED_MAX", 100)
    page = as_owner.get(snapshot_address(shelf)).text
    assert "Deleted since" not in page
    assert "We can't tell what was changed or deleted since" in page


def test_a_large_folder_is_shown_in_parts(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "ROWS_MAX", 2)
    shelf.put("a.txt", "b/c.txt", "d.txt", "e.txt")
    run(shelf)
    page = as_owner.get(snapshot_address(shelf)).text
    assert names(page) == ["a.txt", "b"]
    more = re.search(r'href="([^"]*after=[^"]*)"', page)
    assert more
    assert names(as_owner.get(unescape(more[1])).text) == ["d.txt", "e.txt"]


def test_in_a_folder_of_a_snapshot_that_folder_is_offered_whole(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a/b.txt", "c.txt")
    run(shelf)
    assert "Restore everything" in as_owner.get(snapshot_address(shelf)).text
    page = as_owner.get(snapshot_address(shelf, path="a/")).text
    assert "Restore everything" not in page
    button = re.search(r'<a class="button" href="([^"]+)"[^>]*>\s*(?:<svg.*?</svg>)?\s*Restore folder', page, re.DOTALL)
    assert button
    assert "Restore a" in as_owner.get(unescape(button[1])).text


def test_a_file_is_downloaded_as_it_was(as_owner: PageClient, shelf: Shelf, owner: Person) -> None:
    shelf.put("folder/a.html", body=b"<script>then", content_type="text/html")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["folder/a.html"])
    answer = as_owner.get(snapshot_address(shelf, "file", key="folder/a.html"))
    assert b"".join(answer.streaming_content) == b"<script>then"  # type: ignore[attr-defined] # it is streamed
    assert answer["Content-Length"] == "12"
    assert answer["Content-Type"] == "application/octet-stream"
    assert 'attachment; filename="a.html"' in answer["Content-Disposition"]
    assert as_owner.get(snapshot_address(shelf, "file", key="other")).status_code == 404
    (entry,) = Manifest(capture.store(), read_heads(capture.store())[0].lists)
    capture.store().put(f"chunks/{entry.chunks[0][:2]}/{entry.chunks[0]}", b"damaged")
    damaged = as_owner.get(snapshot_address(shelf, "file", key="folder/a.html"))
    assert (damaged.status_code, "Its bytes are damaged in the store" in damaged.text) == (503, True)
    assert "What was kept can&#x27;t be read" in damaged.text
    assert "The store of snapshots can" not in damaged.text
    assert as_owner.get(snapshot_address(shelf, "file", key="a").replace("Z-", "Z-9")).status_code == 404
    assert as_owner.get(reverse("snapshots:show", args=[shelf.space, shelf.bucket, "..x"])).status_code == 404


def test_the_details_of_a_file_lead_to_its_earlier_versions(as_owner: PageClient, shelf: Shelf) -> None:
    versions = f"{address(shelf, 'versions')}?key=a.txt"
    details = f"{reverse('objects:details', args=[shelf.space, shelf.bucket])}?key=a.txt"
    shelf.put("a.txt", body=b"first")
    assert versions in as_owner.get(details).text
    assert "No earlier versions" in as_owner.get(versions).text
    run(shelf)
    run(shelf)
    shelf.storage.objects.replace(shelf.bucket, "a.txt", b"the second", content_type="text/plain")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["a.txt"])
    run(shelf)
    assert versions in as_owner.get(details).text
    page = as_owner.get(versions, headers=htmx("dialog")).text
    files = [unescape(href) for href in re.findall(r'href="([^"]*/file/\?[^"]*)"', page)]
    sent = [b"".join(as_owner.get(href).streaming_content) for href in files]  # type: ignore[attr-defined] # they are streamed
    assert sent == [b"the second", b"first"]
    oldest = read_heads(capture.store())[0]
    assert oldest.id in files[1]
    assert "No earlier versions" in as_owner.get(f"{address(shelf, 'versions')}?key=other").text


def restoration(shelf: Shelf, key: str) -> str:
    return snapshot_address(shelf, "restoration", key=key)


def test_a_deleted_file_is_restored_with_all_that_was_known_of_it(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.storage.objects.upload(
        shelf.bucket, "a.html", b"<p>then", content_type="text/html", cache_control="max-age=60", metadata={"by": "Ada"}
    )
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["a.html"])
    assert restoration(shelf, "a.html") in unescape(as_owner.get(snapshot_address(shelf)).text)
    asked = as_owner.get(restoration(shelf, "a.html"))
    assert "It replaces none." in asked.text
    done = as_owner.post(restoration(shelf, "a.html"), {"count": "0"}, headers=htmx("dialog"))
    assert "a.html restored and verified." in done.text
    assert "objects:changed" in done["HX-Trigger"]
    again = as_owner.get(snapshot_address(shelf), headers=htmx("snapshot-folder")).text
    assert 'hx-trigger="objects:changed from:body' in again
    assert "Deleted since" not in again
    info = shelf.storage.objects.info(shelf.bucket, "a.html")
    assert (info.content_type, info.cache_control, info.metadata) == ("text/html", "max-age=60", {"by": "Ada"})
    assert shelf.storage.objects.read(shelf.bucket, "a.html").read_all(100) == b"<p>then"
    entry = Entry.objects.latest("pk")
    assert (entry.operation, entry.outcome) == ("S9", "done")


def test_a_changed_file_is_replaced_only_as_it_was_shown(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["a.txt"])
    as_owner.get(restoration(shelf, "a.txt"))
    shelf.put("a.txt", body=b"new today")
    refused = as_owner.post(restoration(shelf, "a.txt"), {"count": "0"})
    assert refused.status_code == 409
    assert "It replaces the one that is there now (9 bytes)." in refused.text
    assert shelf.storage.objects.read(shelf.bucket, "a.txt").read_all(100) == b"new today"
    as_owner.post(restoration(shelf, "a.txt"), {"count": "1"})
    assert shelf.storage.objects.read(shelf.bucket, "a.txt").read_all(100) == b"then"
    assert Entry.objects.latest("pk").operation == "S10"


def test_what_the_bucket_refuses_is_told_before(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"x" * 2000)
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["a.txt"])
    shelf.storage.buckets.update(shelf.bucket, public=False, file_size_limit=1000)
    assert "The bucket allows at most" in as_owner.get(restoration(shelf, "a.txt")).text
    as_owner.post(restoration(shelf, "a.txt"), {"count": "0"})
    assert shelf.storage.objects.all(shelf.bucket) == []


def test_a_damaged_object_is_not_restored(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    shelf.storage.objects.replace(shelf.bucket, "a.txt", b"now", content_type="text/plain")
    (entry,) = Manifest(capture.store(), read_heads(capture.store())[0].lists)
    capture.store().put(f"chunks/{entry.chunks[0][:2]}/{entry.chunks[0]}", b"ruin")
    told = as_owner.post(restoration(shelf, "a.txt"), {"count": "1"})
    assert (told.status_code, "Not restored. Its bytes are damaged in the store" in told.text) == (422, True)
    capture.store().remove_chunks(entry.chunks)
    told = as_owner.post(restoration(shelf, "a.txt"), {"count": "1"})
    assert (told.status_code, "Not restored. Its bytes are missing in the store" in told.text) == (422, True)
    missing = as_owner.get(snapshot_address(shelf, "file", key="a.txt"))
    assert (missing.status_code, "What was kept can&#x27;t be read" in missing.text) == (503, True)
    assert shelf.storage.objects.read(shelf.bucket, "a.txt").read_all(100) == b"now"


def test_a_viewer_restores_nothing(as_owner: PageClient, owner: Person, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, ["a.txt"])
    Person.objects.filter(pk=owner.pk).update(role=Role.VIEWER)
    assert "Needs the operator role" in as_owner.post(restoration(shelf, "a.txt"), {"count": "0"}).text
    assert shelf.storage.objects.all(shelf.bucket) == []
