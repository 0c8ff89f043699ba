"""The pages of the storage against a server as old as the document, and against one whose listings end after 100 rows."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from io import BytesIO
from uuid import uuid4
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from dashboard.catalog import queries
from dashboard.catalog.crawl import begin
from dashboard.catalog.query import Filter
from dashboard.features.bulk import services as jobs
from dashboard.jobs.models import State
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.features.bulk.conftest import Desk, go, through, words
from tests.jobs.conftest import turn
from tests.pages import PageClient

pytestmark = pytest.mark.one_database

SERVERS = {"document": ("--generation", "document"), "capped": ("--list-cap", "100")}
MANY = 205


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    running = start_sandbox(RUN_DIR / f"server-{request.param}", "--empty", *SERVERS[request.param])
    yield running
    stop_sandbox(running)


@pytest.fixture
def is_old(request: pytest.FixtureRequest, server: Sandbox) -> bool:
    return "document" in request.node.callspec.id


@pytest.fixture
def sandbox(server: Sandbox) -> Sandbox:
    """What `service` configures."""
    return server


@pytest.fixture
def desk(service: Sandbox, ref: str, storage_token: StoredToken, as_owner: PageClient, owner: Person) -> Iterator[Desk]:
    storage = service.interface(ref)
    bucket, other = f"shelf {uuid4().hex[:8]}", f"other {uuid4().hex[:8]}"
    for name in (bucket, other):
        storage.buckets.create(name)
    yield Desk(as_owner, Workspace(owner), storage, ref, bucket, other)
    for found in storage.buckets.all():
        storage.buckets.empty(found.id)
        storage.buckets.delete(found.id)


@pytest.fixture
def many(desk: Desk) -> list[str]:
    """Keys of one folder, more than a capped page holds."""
    keys = [f"many/{number:03}.txt" for number in range(MANY)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(desk.put, keys))
    return keys


def home(desk: Desk, verb: str = "index") -> str:
    return reverse(f"objects:{verb}", args=[desk.space, desk.bucket])


def everything(desk: Desk, folder: str, bucket: str = "") -> list[str]:
    """Names of a folder at the service, to the end."""
    names: list[str] = []
    while rows := desk.storage.objects.all(bucket or desk.bucket, prefix=folder, limit=1000, offset=len(names)):
        names += [row.name for row in rows]
    return names


def test_the_list_of_buckets_and_their_settings(desk: Desk, is_old: bool) -> None:
    listed = desk.client.get(reverse("buckets:index", args=[desk.space]))
    assert desk.bucket in listed.text
    new = reverse("buckets:new", args=[desk.space])
    made = desk.client.send(new, name=f"made {uuid4().hex[:6]}", size="5", size_unit="MB", types="image/png")
    assert made.status_code == 200
    assert ("older versions don&#x27;t support bucket limits" in made.text) == is_old
    edit = reverse("buckets:edit", args=[desk.space, desk.bucket])
    assert ("ignored the size limit" in desk.client.send(edit, size="1", size_unit="MB").text) == is_old
    assert desk.client.send(new, name=desk.bucket).status_code == 422


def test_a_bucket_is_published_tried_and_deleted(desk: Desk) -> None:
    desk.put("a.txt")
    edit = reverse("buckets:edit", args=[desk.space, desk.bucket])
    assert "a.txt" in desk.client.send(edit, public="on").text
    assert "Without a token, the service returned this file." in desk.client.send(edit, public="on", publish="on").text
    assert "Without a token, the service refused this file." in desk.client.send(edit).text
    delete = reverse("buckets:delete", args=[desk.space, desk.bucket])
    assert desk.client.part(delete, "dialog")["Location"] == reverse("bulk:removal", args=[desk.space, desk.bucket])
    gone = reverse("buckets:delete", args=[desk.space, desk.other])
    assert "deleted" in desk.client.send(gone, typed=desk.other).text


def test_what_is_not_there_is_not_found(desk: Desk) -> None:
    assert desk.client.get(reverse("objects:index", args=[desk.space, "nothing"])).status_code == 404
    assert desk.client.get(reverse("objects:details", args=[desk.space, desk.bucket]), {"key": "no.txt"}).status_code == 404


def test_a_long_folder_is_read_to_its_end(desk: Desk, many: list[str]) -> None:
    seen: set[str] = set()
    waiting, asked = [f"{home(desk)}?path=many/"], set()
    while waiting:
        address = waiting.pop()
        asked.add(address)
        page = desk.client.get(address)
        assert page.status_code == 200
        seen |= set(re.findall(r"\b(\d{3}\.txt)\b", page.text))
        further = {unescape(link) for link in re.findall(r'href="([^"]*offset=\d+[^"]*)"', page.text)}
        waiting += sorted(further - asked - set(waiting))
        assert len(asked) < 20
    assert seen == {key.removeprefix("many/") for key in many}


def test_only_what_is_there_is_replaced(desk: Desk, is_old: bool) -> None:
    where = {"key": "gone.txt", "policy": "replace"}
    answer = desk.client.put(home(desk, "upload"), b"x", content_type="text/plain", query_params=where)
    assert answer.status_code == (404 if is_old else 200), "today's service creates it; an older one has nothing to replace"
    desk.put("there.txt")
    files = [SimpleUploadedFile("there.txt", b"new"), SimpleUploadedFile("beside.txt", b"new")]
    done = desk.client.post(home(desk, "upload"), {"path": "", "policy": "replace", "chosen": files}, follow=True)
    assert "2 of 2 files uploaded" in done.text
    assert (desk.text("there.txt"), desk.text("beside.txt")) == ("new", "new")


def test_an_upload_is_stored_shown_opened_and_deleted(desk: Desk) -> None:
    key = "letters/a b+c.txt"
    answer = desk.client.put(f"{home(desk, 'upload')}", b"hello", content_type="text/plain", query_params={"key": key})
    assert answer.status_code in (200, 201), answer.content
    again = desk.client.put(
        f"{home(desk, 'upload')}", b"again", content_type="text/plain", query_params={"key": key, "policy": "replace"}
    )
    assert again.status_code in (200, 201), again.content
    assert desk.text(key) == "again"
    details = desk.client.get(home(desk, "details"), {"key": key})
    for fact in ("a b+c.txt", "5 bytes", "text/plain"):
        assert fact in details.text
    opened = desk.client.get(home(desk, "download"), {"key": key})
    assert (opened.status_code, "/object/sign/" in opened["Location"]) == (302, True)
    gone = turn(jobs.delete(desk.workspace, desk.selection(key), back="/"))
    assert go(gone).state == State.DONE if gone.state == State.PLANNED else gone.state == State.DONE
    assert everything(desk, "letters/") == []


def test_an_archive_holds_the_whole_folder(desk: Desk, many: list[str]) -> None:
    answer = desk.client.get(home(desk, "archive"), {"go": "1", "folder": "many/"})
    assert answer.status_code == 200
    assert len(ZipFile(BytesIO(answer.getvalue())).namelist()) == len(many)


def test_a_folder_is_moved_to_its_last_object(desk: Desk, many: list[str]) -> None:
    job = desk.carry("move", "many/", to="there/")
    job = go(job) if job.state == State.PLANNED else through(job)
    assert (job.state, job.done) == (State.DONE, len(many)), words(job)
    assert everything(desk, "many/") == []
    assert len(everything(desk, "there/many/")) == len(many)


def test_another_bucket_gets_it_or_nothing_is_lost(desk: Desk, is_old: bool) -> None:
    desk.put("a.txt", "b.txt", body=b"dear")
    job = desk.carry("move", "a.txt", "b.txt", to="in/", bucket=desk.other)
    job = go(job) if job.state == State.PLANNED else through(job)
    here, there = everything(desk, ""), everything(desk, "in/", desk.other)
    if is_old:
        assert job.state != State.DONE or there == ["a.txt", "b.txt"], words(job)
        assert {"a.txt", "b.txt"} <= set(here) or there == ["a.txt", "b.txt"]
    else:
        assert (here, there) == ([], ["a.txt", "b.txt"])
    kept = {desk.text(f"in/{name}", desk.other) if name in there else desk.text(name) for name in ("a.txt", "b.txt")}
    assert kept == {"dear"}


def test_a_bucket_is_emptied_and_deleted(desk: Desk, many: list[str]) -> None:
    job = go(turn(jobs.remove(desk.workspace, desk.space, desk.bucket, back="/")))
    assert job.state == State.DONE, words(job)
    assert desk.bucket not in {found.id for found in desk.storage.buckets.all()}


def test_a_crawl_finds_every_object_and_the_list_counts_them(desk: Desk, many: list[str]) -> None:
    desk.put("top.bin", body=b"x" * 2048)
    job = through(begin(desk.workspace, desk.space, desk.bucket).job)
    assert job.state == State.DONE, job.message
    known = queries.state(desk.workspace, desk.space, desk.bucket)
    assert known
    assert (known.objects, known.complete) == (MANY + 1, True)
    found = queries.search(desk.workspace, desk.space, desk.bucket, Filter.parse("size:>1kb"), offset=0, limit=10)
    assert found
    assert [row.key for row in found.rows] == ["top.bin"]
    assert f"{MANY + 1}" in desk.client.get(reverse("buckets:index", args=[desk.space])).text
