"""Catalogs that have nobody left to read them."""

import threading

from django.db import connection, transaction

from dashboard.catalog import queries, writes
from dashboard.catalog.crawl import lock
from dashboard.catalog.models import Catalog, Folder, Indexed, Trace
from dashboard.jobs.worker import sweep
from dashboard.team.models import Person
from dashboard.tokens.credentials import forget, store
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.catalog.conftest import Shelf
from tests.conftest import Sandbox


def rows() -> int:
    return sum(model.objects.count() for model in (Catalog, Folder, Indexed, Trace))


def test_the_index_goes_with_the_last_token_that_read_it(shelf: Shelf, ada: Person, owner: Person, service: Sandbox) -> None:
    shelf.put("a/b.txt", "c.txt")
    shelf.crawl()
    mine = StoredToken.objects.get(person=owner, kind=Kind.STORAGE, space=shelf.space)
    store(ada, Kind.MANAGEMENT, "", service.personal_token)
    hers = store(ada, Kind.STORAGE, shelf.space, service.storage_tokens[shelf.space]["service"])
    forget(owner, mine)
    sweep()
    assert queries.state(Workspace(ada), shelf.space, shelf.bucket)
    forget(ada, hers)
    sweep()
    assert not rows()


def test_a_large_one_goes_by_pieces_and_nobody_is_told_of_half_of_it(shelf: Shelf, owner: Person, service: Sandbox) -> None:
    shelf.put("a.txt")
    shelf.crawl()
    catalog = Catalog.objects.get()
    root = Folder.objects.get()
    Indexed.objects.bulk_create(Indexed(catalog=catalog, folder=root, key=f"b/{number}", name="b") for number in range(2000))
    forget(owner, StoredToken.objects.get(person=owner, kind=Kind.STORAGE, space=shelf.space))
    sweep()
    assert Indexed.objects.count() == 1
    store(owner, Kind.STORAGE, shelf.space, service.storage_tokens[shelf.space]["service"])
    workspace = Workspace(owner)
    sweep()
    assert queries.state(workspace, shelf.space, shelf.bucket) is None
    shelf.crawl()
    assert shelf.known() == ["a.txt"]


def test_a_deleted_bucket_is_forgotten_while_a_crawl_writes_down_a_page(transactional_db: None, shelf: Shelf) -> None:
    shelf.put("a.txt")
    shelf.crawl()
    catalog = Catalog.objects.get()
    written, forgotten = threading.Event(), threading.Event()

    def enter() -> None:
        with transaction.atomic():
            locked = lock(catalog)
            Indexed.objects.create(catalog=locked, folder=Folder.objects.get(), key="late.txt", name="late.txt")
            written.set()
            forgotten.wait(0.5)
        connection.close()

    crawl = threading.Thread(target=enter)
    crawl.start()
    assert written.wait(10)
    writes.forgotten(shelf.space, shelf.bucket)
    forgotten.set()
    crawl.join()
    assert not rows()
