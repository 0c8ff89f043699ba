"""A bucket read into the index."""

from functools import partial
from pathlib import Path
from typing import cast

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from dashboard.catalog import crawl, folder_pages, queries, walk, writes
from dashboard.catalog.crawl import begin
from dashboard.catalog.models import Catalog, Folder, Indexed, Trace
from dashboard.catalog.query import Filter
from dashboard.features.objects.services.folders import create_folder
from dashboard.interfaces import StorageInterface, Token
from dashboard.interfaces.errors import Broken
from dashboard.jobs.models import Job, State
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.pages.sort_order import Order
from tests.catalog.conftest import Shelf
from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.features.service import Faults
from tests.jobs.conftest import turn


def test_it_knows_every_object_of_every_folder(shelf: Shelf) -> None:
    shelf.put("a.txt", "b/c.txt", "b/d/e.txt", "f//g.txt", body=b"12345")
    assert shelf.crawl().state == State.DONE
    assert shelf.known() == ["a.txt", "b/c.txt", "b/d/e.txt", "f//g.txt"]
    state = shelf.state()
    assert (state.objects, state.bytes, state.folders, state.complete, state.crawling) == (4, 20, 4, True, False)


def test_a_bucket_that_was_never_crawled_is_not_known(shelf: Shelf) -> None:
    assert queries.state(*shelf.place) is None
    assert queries.search(*shelf.place, Filter(), offset=0, limit=10) is None
    assert queries.states(shelf.workspace, shelf.space).get(shelf.bucket) is None


@pytest.mark.parametrize(("sort", "field"), [("size", "size"), ("changed", "updated_at"), ("created", "created_at")])
def test_unknown_values_come_last_in_either_order_on_every_database(shelf: Shelf, sort: str, field: str) -> None:
    for key in ("a.txt", "b.txt", "c.txt"):
        shelf.put(key, body=key.encode() * ord(key[0]))
    shelf.crawl()
    Indexed.objects.filter(catalog__bucket=shelf.bucket, key="b.txt").update(**{field: None})
    for order, keys in (("asc", ["a.txt", "c.txt", "b.txt"]), ("desc", ["c.txt", "a.txt", "b.txt"])):
        found = queries.search(*shelf.place, Filter(), sort=sort, order=cast("Order", order), offset=0, limit=10)
        assert found
        assert [entry.key for entry in found.rows] == keys


def test_what_is_gone_is_swept_away(shelf: Shelf) -> None:
    shelf.put("a.txt", "b/c.txt", "b/d/e.txt")
    shelf.crawl()
    shelf.storage.objects.delete_many(shelf.bucket, ["b/c.txt", "b/d/e.txt"])
    shelf.put("z/y.txt")
    shelf.crawl()
    assert shelf.known() == ["a.txt", "z/y.txt"]
    assert set(Folder.objects.filter(catalog__bucket=shelf.bucket).values_list("path", flat=True)) == {"", "z/"}


def test_the_mark_of_an_empty_folder_is_kept_but_not_counted(shelf: Shelf) -> None:
    create_folder(*shelf.place, "empty/")
    shelf.put("full/a.txt")
    shelf.crawl()
    assert shelf.known() == ["full/a.txt"]
    assert queries.folder_sizes(*shelf.place, ["empty/", "full/", "no/"]) == {"empty/": (0, 0), "full/": (1, 1)}


def test_large_folders_come_page_by_page(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "PAGE", 100)
    names = [f"many/{number:04}.txt" for number in range(250)]
    shelf.put(*names)
    shelf.crawl()
    assert shelf.known() == names


def test_a_folder_that_changes_between_two_pages_is_listed_anew(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "PAGE", 100)
    monkeypatch.setattr(crawl, "STEP_SECONDS", 0.0)
    names = [f"{number:04}.txt" for number in range(150)]
    shelf.put(*names)
    asked: list[int] = []
    original = walk.list_page

    def deletes_before_the_second(*args: object, offset: int = 0, **more: object) -> walk.Listing:
        asked.append(offset)
        if offset == 99 and asked.count(99) == 1:
            shelf.storage.objects.delete_many(shelf.bucket, names[:10])
        return original(*args, offset=offset, **more)  # type: ignore[arg-type] # passed on as they came

    monkeypatch.setattr(folder_pages, "list_page", deletes_before_the_second)
    monkeypatch.setattr(crawl, "STEP_SECONDS", 2.0)
    turn(begin(*shelf.place).job)
    assert asked == [0, 99, 0, 99]
    assert shelf.known() == names[10:]


def written(sent: CaptureQueriesContext) -> list[str]:
    """Return the statements that wrote rows of objects."""
    verbs = ("INSERT INTO", "UPDATE", "DELETE FROM")
    said = [query["sql"].strip().replace('"', "") for query in sent.captured_queries]
    return [sql for sql in said if any(f"{verb} catalog_indexed" in sql for verb in verbs)]


def test_a_folder_with_the_same_objects_as_before_writes_none(shelf: Shelf) -> None:
    shelf.put("a.txt", "b/c.txt", "b/d/e.txt", "f/g.txt")
    shelf.crawl()
    shelf.put("f/h.txt")
    with CaptureQueriesContext(connection) as sent:
        shelf.crawl()
    assert [sql.partition(":")[0] for sql in written(sent)] == ["2 times"]
    with CaptureQueriesContext(connection) as sent:
        shelf.crawl()
    assert not written(sent)
    assert shelf.known() == ["a.txt", "b/c.txt", "b/d/e.txt", "f/g.txt", "f/h.txt"]
    assert shelf.state().objects == 5


@pytest.mark.parametrize("page", [1000, 100])
def test_what_was_changed_added_and_removed_is_seen_among_what_was_not(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(walk, "PAGE", page)
    names = [f"many/{number:04}.txt" for number in range(250)]
    shelf.put(*names, "one/a.txt", "one/b.txt")
    shelf.crawl()
    shelf.storage.objects.replace(shelf.bucket, "many/0120.txt", b"longer", content_type="text/plain")
    shelf.storage.objects.replace(shelf.bucket, "one/a.txt", b"longer", content_type="text/plain")
    shelf.storage.objects.delete_many(shelf.bucket, ["many/0200.txt", "one/b.txt"])
    shelf.put("many/0250.txt", "one/c.txt")
    expected = sorted({*names, "many/0250.txt", "one/a.txt", "one/c.txt"} - {"many/0200.txt"})
    for _ in range(2):
        shelf.crawl()
        assert shelf.known() == expected
        assert shelf.known("size:>1b") == ["many/0120.txt", "one/a.txt"]
        assert (shelf.state().objects, shelf.state().bytes) == (len(expected), len(expected) + 10)


@pytest.mark.parametrize("page", [1000, 100])
def test_the_end_of_a_folder_that_became_shorter_is_swept_away(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    monkeypatch.setattr(walk, "PAGE", page)
    names = [f"{number:03}.txt" for number in range(250)]
    shelf.put(*names)
    shelf.crawl()
    shelf.storage.objects.delete_many(shelf.bucket, names[199:])
    shelf.crawl()
    assert shelf.known() == names[:199]


def test_the_index_is_corrected_where_a_write_of_ours_said_something_else(shelf: Shelf) -> None:
    shelf.put("a/1.txt", "a/2.txt")
    shelf.crawl()
    writes.stored(*shelf.place, "a/1.txt", size=99, mimetype="text/plain")
    shelf.crawl()
    assert shelf.known("size:>1b") == []
    writes.stored(*shelf.place, "a/3.txt", size=1, mimetype="text/plain")
    shelf.crawl()
    assert shelf.known() == ["a/1.txt", "a/2.txt"]


@pytest.mark.parametrize("page", [1000, 100])
def test_rows_that_went_missing_come_back(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    monkeypatch.setattr(walk, "PAGE", page)
    names = [f"{number:03}.txt" for number in range(120)]
    shelf.put(*names)
    shelf.crawl()
    Indexed.objects.filter(key__in=names[10:20]).delete()
    shelf.crawl()
    assert shelf.known() == names


def test_what_a_crawl_that_failed_had_saved_is_still_swept_by_the_next(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a/1.txt", "a/2.txt")
    shelf.crawl()
    shelf.storage.objects.delete_many(shelf.bucket, ["a/2.txt"])
    with monkeypatch.context() as patched:
        patched.setattr(crawl, "sweep", lambda *_: 1 / 0)
        assert shelf.crawl().state == State.FAILED
    shelf.crawl()
    assert shelf.known() == ["a/1.txt"]


@pytest.mark.parametrize("page", [1000, 2])
def test_folders_that_differ_only_in_case_are_written_each_time(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    monkeypatch.setattr(walk, "PAGE", page)
    monkeypatch.setattr(walk, "LEAST_CAP", min(page, 100))
    shelf.put("a/1.txt", "a/2.txt", "A/3.txt", "A/4.txt")
    shelf.crawl()
    shelf.crawl()
    assert shelf.known() == ["A/3.txt", "A/4.txt", "a/1.txt", "a/2.txt"]
    shelf.storage.objects.delete_many(shelf.bucket, ["a/1.txt", "A/3.txt"])
    shelf.crawl()
    assert shelf.known() == ["A/4.txt", "a/2.txt"]
    shelf.storage.objects.delete_many(shelf.bucket, ["A/4.txt"])
    shelf.crawl()
    assert shelf.known() == ["a/2.txt"]


def test_an_answer_with_fewer_rows_than_another_is_the_end(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put(*(f"{number:03}.txt" for number in range(110)), *(f"b/{number:03}.txt" for number in range(100)))
    asked: list[str] = []
    original = walk.list_page

    def notes(storage: StorageInterface, bucket: str, folder: str, **more: object) -> walk.Listing:
        asked.append(folder)
        return original(storage, bucket, folder, **more)  # type: ignore[arg-type] # passed on as they came

    monkeypatch.setattr(folder_pages, "list_page", notes)
    shelf.crawl()
    assert asked == ["", "b/"]
    assert shelf.state().objects == 210


def test_pages_before_a_refusal_are_kept_and_the_refused_one_is_requested_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "PAGE", 100)
    shelf.put(*(f"{number:03}.txt" for number in range(250)))
    root = Folder.objects.get(catalog__job=begin(*shelf.place).job)
    original = walk.list_page

    def refuses_the_second(*args: object, offset: int = 0, **more: object) -> walk.Listing:
        if offset:
            raise Broken(operation="S13", service="storage", status=503)
        return original(*args, offset=offset, **more)  # type: ignore[arg-type] # passed on as they came

    monkeypatch.setattr(folder_pages, "list_page", refuses_the_second)
    request = partial(folder_pages.request_pages, shelf.storage, shelf.bucket, lambda: True)
    found = request([root], most=0, rows=1000)
    [left] = folder_pages.left_of([root], found)
    assert ([page.offset for page in found], left.offset) == ([0], 100)
    with pytest.raises(Broken):
        request([left], most=0, rows=1000)
    monkeypatch.setattr(folder_pages, "list_page", original)
    assert [page.offset for page in request([left], most=0, rows=1000)] == [100, 199]
    assert [page.offset for page in request([root], most=0, rows=100)] == [0], "these are enough rows"
    ended = folder_pages.request_pages(shelf.storage, shelf.bucket, lambda: False, [root], most=0, rows=1000)
    assert [page.offset for page in ended] == [0], "the step is over"


def test_there_is_one_crawl_of_a_bucket_at_a_time(shelf: Shelf) -> None:
    first, second = begin(*shelf.place), begin(*shelf.place)
    assert (first.joined, second.joined, second.job) == (False, True, first.job)
    turn(first.job)
    assert not begin(*shelf.place).joined


def test_a_bucket_that_may_not_be_looked_into_is_not_taken_for_an_empty_one(shelf: Shelf) -> None:
    job = begin(shelf.workspace, shelf.space, "not there").job
    turn(job)
    assert job.state == State.FAILED
    state = queries.state(shelf.workspace, shelf.space, "not there")
    assert state
    assert not state.complete


def test_our_own_writes_during_a_crawl_are_known_better_than_its_pages(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a/gone.txt", "a/stays.txt")
    original = crawl._save

    def writes_before(catalog: Catalog, pages: list[folder_pages.Page]) -> int:
        if any(page.folder.path == "a/" for page in pages):
            writes.removed(shelf.space, shelf.bucket, ["a/gone.txt"])
            writes.stored(*shelf.place, "a/new.txt", size=7, mimetype="text/plain")
            writes.stored(*shelf.place, "later/deep/new.txt", size=7, mimetype="text/plain")
        return original(catalog, pages)

    monkeypatch.setattr(crawl, "_save", writes_before)
    turn(begin(*shelf.place).job)
    assert shelf.known() == ["a/new.txt", "a/stays.txt", "later/deep/new.txt"]
    assert not Trace.objects.exists()


def test_a_service_that_asks_for_patience_is_left_alone_and_nothing_is_lost(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a/1.txt", "b/2.txt", "c/3.txt")
    job = begin(*shelf.place).job
    faults("S13", status=429, retry_after=30, rate=0.5)
    for _ in range(20):
        turn(job)
        if job.state == State.DONE:
            break
        assert job.state == State.WAITING
        Job.objects.filter(pk=job.pk).update(due_at=timezone.now())
    assert shelf.known() == ["a/1.txt", "b/2.txt", "c/3.txt"]


def test_a_crawl_that_another_one_took_over_ends(shelf: Shelf) -> None:
    shelf.put("a.txt")
    first = begin(*shelf.place).job
    Job.objects.filter(pk=first.pk).update(state=State.FAILED)
    turn(begin(*shelf.place).job)
    Job.objects.filter(pk=first.pk).update(state=State.QUEUED)
    turn(first)
    assert first.state == State.FAILED
    assert "Another crawl" in first.message
    assert shelf.known() == ["a.txt"]


def test_what_a_stronger_token_reads_never_comes_to_the_index_of_a_weaker_one(
    shelf: Shelf, owner: Person, service: Sandbox
) -> None:
    shelf.put("a.txt")
    keys = service.storage_tokens[shelf.space]
    store(owner, Kind.STORAGE, shelf.space, keys["anon"])
    job = begin(Workspace(owner), shelf.space, shelf.bucket).job
    store(owner, Kind.STORAGE, shelf.space, keys["service"])
    job = turn(job)
    assert (job.state, job.message) == (State.FAILED, crawl.REPLACED)
    assert not Indexed.objects.exists()


def test_names_that_no_index_can_hold_are_counted_as_left_out(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writes, "KEY_LIMIT", 100)
    shelf.put("a" * 101, "b" * 100)
    shelf.crawl()
    state = shelf.state()
    assert (state.objects, state.left_out) == (1, 1)
    assert Indexed.objects.get(catalog__bucket=shelf.bucket).key == "b" * 100


def test_a_server_that_caps_its_rows_is_read_to_the_end(
    owner: Person, settings: Settings, tmp_path: Path, service: Sandbox
) -> None:
    capped = start_sandbox(tmp_path / "capped", "--list-cap", "100")
    try:
        space, keys = next((ref, keys) for ref, keys in capped.storage_tokens.items() if keys)
        settings.STORAGE_URL = capped.storage_url
        settings.MANAGEMENT_URL = capped.management_url
        store(owner, Kind.MANAGEMENT, "", capped.personal_token)
        store(owner, Kind.STORAGE, space, keys["service"])
        storage = StorageInterface(capped.storage(space), Token(keys["service"]))
        storage.buckets.create("many")
        names = [f"a/{number:03}.txt" for number in range(200)] + ["b/c.txt"]
        shelf = Shelf(Workspace(owner), storage, space, "many")
        shelf.put(*names)
        shelf.crawl()
        assert shelf.known() == names
    finally:
        stop_sandbox(capped)
