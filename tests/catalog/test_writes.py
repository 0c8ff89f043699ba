"""Our own writes, entered into the index at once."""

import threading
import time

import pytest
from django.db import connection, transaction
from django.utils import timezone

from dashboard.catalog import queries, uploads, writes
from dashboard.catalog.models import Catalog, Folder, Indexed
from dashboard.catalog.query import Filter
from dashboard.features.objects.services import delete, folders
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from dashboard.web.files.digests import DigestedBody
from tests.catalog.conftest import Shelf
from tests.conftest import Sandbox
from tests.features.grants import lend


def sums(shelf: Shelf) -> tuple[int, int, int]:
    state = shelf.state()
    rows = Indexed.objects.filter(catalog__bucket=shelf.bucket, is_marker=False)
    folders = Folder.objects.filter(catalog__bucket=shelf.bucket)
    assert state.objects == rows.count() == sum(folder.count or 0 for folder in folders)
    assert state.bytes == sum(row.size or 0 for row in rows) == sum(folder.bytes for folder in folders)
    assert state.folders == folders.exclude(path="").count()
    return state.objects, state.bytes, state.folders


def test_what_is_stored_is_found_at_once(shelf: Shelf) -> None:
    shelf.put("a.txt")
    shelf.crawl()
    for size in (3, 5):
        uploads.store(
            *shelf.place, "b/c/d.txt", DigestedBody(b"x" * size), size=size, content_type="text/plain", policy="replace"
        )
    folders.create_folder(*shelf.place, "kept/")
    assert shelf.known() == ["a.txt", "b/c/d.txt"]
    assert sums(shelf) == (2, 6, 3)


def test_what_is_deleted_is_gone_at_once_with_the_folders_it_kept(shelf: Shelf) -> None:
    shelf.put("a.txt", "b/c/d.txt", "b/e.txt", "f/g/h/i.txt")
    shelf.crawl()
    delete.delete_object(*shelf.place, "f/g/h/i.txt")
    delete.delete_many(*shelf.place, ["b/c/d.txt", "never there"])
    assert shelf.known() == ["a.txt", "b/e.txt"]
    assert sums(shelf) == (2, 2, 1)


def test_what_is_moved_keeps_its_size_and_type(shelf: Shelf) -> None:
    shelf.put("a/b.txt", "c.txt", body=b"12345", content_type="text/csv")
    shelf.crawl()
    writes.transferred(*shelf.place, {"a/b.txt": "d/e.txt", "c.txt": "a2.txt"})
    entries = list(queries.keys(*shelf.place, Filter()))
    assert [(entry.key, entry.size, entry.mimetype) for entry in entries] == [
        ("a2.txt", 5, "text/csv"),
        ("d/e.txt", 5, "text/csv"),
    ]
    assert sums(shelf) == (2, 10, 1)


def test_a_chain_of_names_moves_on_by_one(shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"1")
    shelf.put("b.txt", body=b"22")
    shelf.crawl()
    writes.transferred(*shelf.place, {"b.txt": "c.txt", "a.txt": "b.txt"})
    assert [(entry.key, entry.size) for entry in queries.keys(*shelf.place, Filter())] == [("b.txt", 1), ("c.txt", 2)]


def test_what_goes_to_another_bucket_leaves_this_one(shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt")
    shelf.crawl()
    other = Catalog.objects.get(bucket=shelf.bucket)
    other.pk, other.bucket, other.count, other.bytes, other.folder_count = None, "elsewhere", 0, 0, 0
    other.save()
    writes.transferred(*shelf.place, {"a.txt": "x/a.txt"}, destination_bucket="elsewhere")
    writes.transferred(*shelf.place, {"b.txt": "x/b.txt"}, destination_bucket="elsewhere", copies=True)
    assert shelf.known() == ["b.txt"]
    there = [entry.key for entry in queries.keys(shelf.workspace, shelf.space, "elsewhere", Filter())]
    assert there == ["x/a.txt", "x/b.txt"]


def test_moves_between_two_buckets_lock_them_in_one_order(transactional_db: None, shelf: Shelf) -> None:
    if not connection.features.has_select_for_update_nowait:
        pytest.skip("this database has one lock for everything")
    token = shelf.workspace.fingerprint(Kind.STORAGE, shelf.space)
    first, second = (
        Catalog.objects.create(space=shelf.space, bucket=name, token=token, as_of=timezone.now()) for name in ("one", "two")
    )
    begun = threading.Event()

    def move_back() -> None:
        with transaction.atomic():
            begun.set()
            writes.transferred(shelf.workspace, shelf.space, "two", {"a.txt": "b.txt"}, destination_bucket="one")
        connection.close()

    thread = threading.Thread(target=move_back)
    with transaction.atomic():
        Catalog.objects.select_for_update().get(pk=first.pk)
        thread.start()
        assert begun.wait(10)
        time.sleep(0.3)
        assert Catalog.objects.select_for_update(nowait=True).get(pk=second.pk)
    thread.join()
    assert [entry.key for entry in queries.keys(shelf.workspace, shelf.space, "one", Filter())] == ["b.txt"]


def test_copies_stand_beside(shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"123")
    shelf.crawl()
    writes.transferred(*shelf.place, {"a.txt": "b/a.txt"}, copies=True)
    assert sums(shelf) == (2, 6, 1)


def test_an_emptied_bucket_holds_nothing_and_a_deleted_one_is_forgotten(shelf: Shelf) -> None:
    shelf.put("a.txt", "b/c.txt")
    shelf.crawl()
    before = timezone.now()
    writes.emptied(shelf.space, shelf.bucket)
    assert sums(shelf) == (0, 0, 0)
    assert shelf.state().as_of >= before, "what is known to be empty is known as of now"
    writes.stored(*shelf.place, "new.txt", size=1, mimetype=None)
    assert sums(shelf) == (1, 1, 0)
    writes.forgotten(shelf.space, shelf.bucket)
    assert queries.state(*shelf.place) is None
    assert not Indexed.objects.filter(catalog__bucket=shelf.bucket).exists()


def test_what_a_grantee_stores_moves_and_copies_is_in_the_index_of_the_giver(
    shelf: Shelf, storage_token: StoredToken, ada: Person
) -> None:
    shelf.put("in/a.txt")
    shelf.crawl()
    lend(storage_token, ada, f"{shelf.bucket}/in/")
    place = (Workspace(ada), shelf.space, shelf.bucket)
    uploads.store(*place, "in/new.txt", DigestedBody(b"xx"), size=2, content_type="text/plain", policy="new")
    writes.transferred(*place, {"in/a.txt": "in/b.txt"}, sizes={"in/a.txt": 1})
    writes.transferred(*place, {"in/b.txt": "in/c.txt"}, sizes={"in/b.txt": 1}, copies=True)
    assert shelf.known() == ["in/b.txt", "in/c.txt", "in/new.txt"]
    assert sums(shelf) == (3, 4, 1)


def test_a_bucket_that_is_not_indexed_stays_so(shelf: Shelf) -> None:
    writes.stored(*shelf.place, "a.txt", size=1, mimetype=None)
    writes.transferred(*shelf.place, {"a.txt": "b.txt"})
    writes.removed(shelf.space, shelf.bucket, ["b.txt"])
    assert not Catalog.objects.exists()


def test_another_token_learns_of_what_is_gone_but_not_of_what_came(shelf: Shelf, ada: Person, service: Sandbox) -> None:
    shelf.put("a.txt", "b.txt")
    shelf.crawl()
    store(ada, Kind.MANAGEMENT, "", service.personal_token)
    store(ada, Kind.STORAGE, shelf.space, service.storage_tokens[shelf.space]["anon"])
    weaker = Workspace(ada)
    assert queries.state(weaker, shelf.space, shelf.bucket) is None
    writes.stored(weaker, shelf.space, shelf.bucket, "c.txt", size=1, mimetype=None)
    writes.removed(shelf.space, shelf.bucket, ["a.txt"])
    assert shelf.known() == ["b.txt"]


def test_sizes_of_folders_count_all_below_and_nothing_beside(shelf: Shelf) -> None:
    shelf.put("a/1", "a/b/2", "a/b/c/3", "a-b/4", "ab/5", "a.b/6", body=b"12")
    shelf.crawl()
    sizes = queries.folder_sizes(*shelf.place, ["a/", "a/b/", "ab/", "a-b/", "none/"])
    assert sizes == {"a/": (3, 6), "a/b/": (2, 4), "ab/": (1, 2), "a-b/": (1, 2)}
    assert [(large.path, large.bytes) for large in queries.largest(*shelf.place)] == [
        ("a/", 6),
        ("a-b/", 2),
        ("a.b/", 2),
        ("ab/", 2),
    ]
    assert [large.path for large in queries.largest(*shelf.place, "a/")] == ["a/b/"]
