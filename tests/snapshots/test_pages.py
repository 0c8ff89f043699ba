"""Pages of snapshots: who may see and take them, and what they say."""

import re
from pathlib import Path

import msgspec
from django.urls import reverse
from pytest_django import Settings

from dashboard.jobs.models import Job
from dashboard.snapshots import capture
from dashboard.snapshots.manifest import read_heads, write_head
from dashboard.team.models import Person, Role
from dashboard.tokens.models import StoredToken
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.grants import lend
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
    assert f'action="{address(shelf, "new")}"' in page
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
    assert "2.0 KiB" in page
    head = read_heads(capture.store())[0]
    shown = as_owner.get(reverse("snapshots:show", args=[shelf.space, shelf.bucket, head.id])).text
    assert "Nothing was left out" in shown


def test_the_menu_of_a_bucket_has_it_only_where_there_is_a_store(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    bucket = reverse("objects:index", args=[shelf.space, shelf.bucket])
    page = as_owner.get(bucket).text
    assert address(shelf) in page
    assert address(shelf, "new") in page
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


def test_a_grantee_neither_sees_nor_takes_snapshots(
    as_owner: PageClient, shelf: Shelf, ada: Person, storage_token: StoredToken
) -> None:
    run(shelf)
    lend(storage_token, ada)
    client = client_of(ada)
    bucket = reverse("objects:index", args=[shelf.space, shelf.bucket])
    assert "~snapshots" not in client.get(bucket).text
    assert "token of their own" in client.get(address(shelf)).text
    assert "token of their own" in client.post(address(shelf, "new")).text
    assert Job.objects.filter(kind="take snapshot").count() == 1


def test_a_store_that_is_away_is_told(as_owner: PageClient, shelf: Shelf, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings.SNAPSHOT_URL = (tmp_path / "file" / "store").as_uri()
    page = as_owner.get(address(shelf))
    assert page.status_code == 200
    assert "The store of snapshots can't be read." in page.text
