"""The index of a service key moves along when another replaces it, and only then."""

import sqlite3
from contextlib import closing

import jwt
import pytest

from dashboard.catalog import queries
from dashboard.catalog.crawl import begin
from dashboard.catalog.models import Catalog
from dashboard.catalog.query import Filter
from dashboard.jobs.worker import sweep
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.formats import is_service_key
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.catalog.conftest import Shelf
from tests.conftest import Sandbox
from tests.environment import RUN_DIR
from tests.features.service import Calls, Faults
from tests.jobs.conftest import turn
from tests.people import hold


def another(key: str) -> str:
    """A second service key of the same storage, signed with the sandbox's own secret."""
    claims = jwt.decode(key, options={"verify_signature": False})
    with closing(sqlite3.connect(RUN_DIR / "sandbox" / "sandbox.sqlite3")) as database:
        secret = database.execute("SELECT jwt_secret FROM sandbox_project WHERE ref = ?", (claims["ref"],)).fetchone()[0]
    return jwt.encode({**claims, "iat": claims["iat"] + 1}, secret, algorithm="HS256")


def replaced(shelf: Shelf, owner: Person, key: str) -> queries.Known | None:
    """What the index knows once the owner stored this key instead."""
    store(owner, Kind.STORAGE, shelf.space, key)
    sweep()
    return queries.state(Workspace(owner), shelf.space, shelf.bucket)


@pytest.fixture
def service_key(shelf: Shelf, service: Sandbox) -> str:
    return service.storage_tokens[shelf.space]["service"]


def test_it_moves_along_when_one_service_key_replaces_another(
    shelf: Shelf, owner: Person, service_key: str, calls: Calls
) -> None:
    shelf.put("a/b.txt", "c.txt")
    shelf.crawl()
    before = shelf.state()
    calls()
    assert another(service_key) != service_key
    assert replaced(shelf, owner, another(service_key)) == before
    assert sum("/object/sign/" in call for call in calls()) == 1


def test_a_crawl_that_is_running_goes_on_with_the_new_key(shelf: Shelf, owner: Person, service_key: str) -> None:
    shelf.put("a.txt")
    shelf.crawl()
    shelf.put("b.txt")
    job = begin(*shelf.place).job
    store(owner, Kind.STORAGE, shelf.space, another(service_key))
    assert turn(job).state == "done"
    assert {entry.key for entry in queries.keys(Workspace(owner), shelf.space, shelf.bucket, Filter.parse(""))} == {
        "a.txt",
        "b.txt",
    }


@pytest.mark.parametrize("role", ["anon", "objects"])
def test_a_weaker_key_inherits_nothing(shelf: Shelf, owner: Person, service: Sandbox, role: str) -> None:
    shelf.put("a.txt")
    shelf.crawl()
    assert replaced(shelf, owner, service.storage_tokens[shelf.space][role]) is None


def test_a_service_key_after_a_weaker_one_reads_the_bucket_itself(
    shelf: Shelf, owner: Person, service: Sandbox, service_key: str
) -> None:
    shelf.put("a.txt")
    hold(owner, service.storage_tokens[shelf.space]["objects"], shelf.space)
    turn(begin(Workspace(owner), shelf.space, shelf.bucket).job)
    assert queries.state(Workspace(owner), shelf.space, shelf.bucket)
    assert replaced(shelf, owner, service_key) is None


def test_a_sample_that_is_not_confirmed_moves_nothing(shelf: Shelf, owner: Person, service_key: str) -> None:
    shelf.put("a.txt", "b.txt")
    shelf.crawl()
    shelf.storage.objects.delete(shelf.bucket, "a.txt")
    assert replaced(shelf, owner, another(service_key)) is None


def test_an_empty_bucket_proves_nothing(shelf: Shelf, owner: Person, service_key: str) -> None:
    shelf.crawl()
    assert shelf.state().complete
    assert replaced(shelf, owner, another(service_key)) is None


def test_a_service_that_does_not_confirm_costs_the_index_and_not_the_token(
    shelf: Shelf, owner: Person, service_key: str, faults: Faults
) -> None:
    shelf.put("a.txt")
    shelf.crawl()
    faults("S15", status=500)
    assert replaced(shelf, owner, another(service_key)) is None
    assert StoredToken.objects.get(person=owner, space=shelf.space).open() == another(service_key)


def test_a_colleague_who_still_holds_the_old_key_keeps_the_index(
    shelf: Shelf, owner: Person, ada: Person, service: Sandbox, service_key: str
) -> None:
    shelf.put("a.txt")
    shelf.crawl()
    hold(ada, service.personal_token)
    hold(ada, service_key, shelf.space)
    assert replaced(shelf, owner, another(service_key)) is None
    assert queries.state(Workspace(ada), shelf.space, shelf.bucket)
    store(ada, Kind.STORAGE, shelf.space, another(service_key))
    assert queries.state(Workspace(owner), shelf.space, shelf.bucket), (
        "the last one takes it along, for everybody with the new key"
    )


def test_an_index_that_the_new_key_made_itself_is_not_overwritten(
    shelf: Shelf, owner: Person, ada: Person, service: Sandbox, service_key: str
) -> None:
    shelf.put("a.txt")
    hold(ada, service.personal_token)
    hold(ada, another(service_key), shelf.space)
    turn(begin(Workspace(ada), shelf.space, shelf.bucket).job)
    kept = Catalog.objects.get()
    shelf.crawl()
    assert replaced(shelf, owner, another(service_key))
    sweep()
    assert Catalog.objects.get().pk == kept.pk


def test_a_service_key_is_known_by_its_role_or_its_prefix(service: Sandbox, service_key: str) -> None:
    assert is_service_key(service_key)
    assert is_service_key("sb_secret_0123456789")
    assert not is_service_key("sb_publishable_0123456789")
    for role in ("anon", "objects", "inbox"):
        assert not any(is_service_key(keys[role]) for keys in service.storage_tokens.values())
