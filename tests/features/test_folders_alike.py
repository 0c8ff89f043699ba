"""Folders that differ only in letter case, which the service lists as one: every page and every job sees each of them alone."""

import re
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from io import BytesIO
from urllib.parse import quote
from uuid import uuid4
from zipfile import ZipFile

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.catalog import queries
from dashboard.catalog.crawl import begin
from dashboard.catalog.query import Filter
from dashboard.jobs.models import State
from dashboard.links.lifecycle import Terms, make
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.bulk.conftest import Calls, Desk, go, outcomes, words
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx

UPPER = ["Photos/Sub/b.txt", "Photos/a.txt", "Photos/sub/deep/e.txt"]
LOWER = ["photos/Sub/f.txt", "photos/a.txt", "photos/c.txt", "photos/sub/d.txt"]
BESIDE = ["Photos2/x.txt", "other.txt"]
ALL = sorted(UPPER + LOWER + BESIDE)


@pytest.fixture
def desk(as_owner: PageClient, owner: Person, storage_token: StoredToken, service: Sandbox, ref: str) -> Iterator[Desk]:
    assert storage_token.pk
    storage = service.interface(ref)
    bucket, other = f"alike {uuid4().hex[:10]}", f"other {uuid4().hex[:10]}"
    for name in (bucket, other):
        storage.buckets.create(name)
    found = Desk(as_owner, Workspace(owner), storage, ref, bucket, other)
    for key in ALL:
        found.put(key, body=key.encode())
    yield found
    for name in (bucket, other):
        storage.buckets.empty(name)
        storage.buckets.delete(name)


def there(desk: Desk, *beyond: str, bucket: str = "") -> list[str]:
    """Which of all keys, and of those beyond, lead to an object: S15 takes no letter for another."""
    asked = sorted({*ALL, *beyond})
    items = desk.storage.signing.sign_many(bucket or desk.bucket, asked, expires_in=60)
    return [key for key, item in zip(asked, items, strict=True) if item.link]


def listed(desk: Desk, **query: str) -> str:
    return desk.client.get(reverse("objects:index", args=(desk.space, desk.bucket)), query).text


def shown(html: str) -> list[str]:
    cells = re.findall(r'<th scope="row">.*?<bdi[^>]*>(.*?)</bdi>', html, re.DOTALL)
    return [re.sub("<[^>]+>", "", cell) for cell in cells]


@pytest.mark.parametrize("sort", ["name", "created"])
def test_a_folder_shows_its_own_entries_and_names_the_one_that_differs_in_case(desk: Desk, sort: str) -> None:
    upper, lower = (listed(desk, path=path, sort=sort) for path in ("Photos/", "photos/"))
    assert sorted(shown(upper)) == ["Sub", "a.txt", "sub"]
    assert sorted(shown(lower)) == ["Sub", "a.txt", "c.txt", "sub"]
    assert "differs only in letter case" in upper
    assert re.search(r'<a\s+href="[^"]*path=photos%2F[^"]*"[^>]*><bdi>photos/</bdi></a>', upper)
    assert "<bdi>Photos/</bdi>" in lower
    assert "letter case" not in listed(desk, path="Photos2/")


def test_whatever_a_folder_shows_can_be_opened(desk: Desk) -> None:
    for path in ("Photos/", "photos/", "Photos/Sub/", "Photos/sub/deep/", "photos/sub/", "photos/Sub/"):
        html = listed(desk, path=path)
        names = [name for name in shown(html) if name.endswith(".txt")]
        assert names, path
        for name in names:
            answer = desk.client.get(reverse("objects:details", args=(desk.space, desk.bucket)), {"key": path + name})
            assert answer.status_code == 200, path + name
            assert "deleted or moved" not in answer.text


def test_a_typed_path_of_another_case_leads_to_the_folders_there_are(desk: Desk) -> None:
    html = listed(desk, path="PHOTOS/")
    assert shown(html) == []
    assert "differ only in letter case" in html
    assert "<bdi>Photos/</bdi>" in html
    assert "<bdi>photos/</bdi>" in html


def test_a_search_in_a_folder_finds_nothing_in_its_twin(desk: Desk) -> None:
    assert shown(listed(desk, path="Photos/", search="c")) == []
    assert shown(listed(desk, path="photos/", search="C")) == ["c.txt"]


def test_no_call_more_is_made_where_no_folder_has_a_twin(desk: Desk, calls: Calls) -> None:
    listed(desk, path="Photos2/")
    calls()
    listed(desk, path="Photos2/")
    assert [call.rpartition("/object/")[2] for call in calls() if call.startswith("POST")] == [f"list/{quote(desk.bucket)}"]


def test_the_index_holds_every_key_once_and_no_other(desk: Desk) -> None:
    assert turn(begin(desk.workspace, desk.space, desk.bucket).job).state == State.DONE
    found = queries.keys(desk.workspace, desk.space, desk.bucket, Filter.parse(""))
    assert [entry.key for entry in found] == ALL
    sizes = queries.folder_sizes(desk.workspace, desk.space, desk.bucket, ["Photos/", "photos/", "Photos/sub/"])
    assert {path: count for path, (count, _) in sizes.items()} == {"Photos/": 3, "photos/": 4, "Photos/sub/": 1}
    assert turn(begin(desk.workspace, desk.space, desk.bucket).job).state == State.DONE
    assert [entry.key for entry in queries.keys(desk.workspace, desk.space, desk.bucket, Filter.parse(""))] == ALL


def test_a_folder_is_deleted_and_its_twin_stays(desk: Desk) -> None:
    job = desk.delete("Photos/")
    assert job.facts["objects"] == len(UPPER)
    assert go(job).state == State.DONE
    assert set(outcomes(job).values()) == {"done"}, words(job)
    assert there(desk) == sorted(LOWER + BESIDE)


def test_both_are_deleted_at_once(desk: Desk) -> None:
    job = go(desk.delete("photos/", "Photos/", "PHOTOS/"))
    assert outcomes(job) == dict.fromkeys(UPPER + LOWER, "done"), words(job)
    assert there(desk) == BESIDE


@pytest.mark.parametrize("verb", ["move", "copy"])
@pytest.mark.parametrize("across", [False, True])
def test_a_folder_is_moved_and_copied_without_its_twin(desk: Desk, verb: str, across: bool) -> None:
    job = desk.carry(verb, "photos/", to="to/", bucket=desk.other if across else "")
    assert job.state == State.DONE, words(job)
    assert outcomes(job) == dict.fromkeys(LOWER, "done"), words(job)
    arrived = [f"to/{key}" for key in LOWER]
    assert there(desk, *arrived, bucket=desk.other if across else "") == sorted(arrived + ([] if across else there(desk)))
    assert there(desk) == (sorted(UPPER + BESIDE) if verb == "move" else ALL)


def test_a_folder_is_renamed_without_its_twin(desk: Desk) -> None:
    job = desk.rename("photos/", "pictures")
    assert outcomes(job) == dict.fromkeys(LOWER, "done"), words(job)
    arrived = [key.replace("photos/", "pictures/") for key in LOWER]
    assert there(desk, *arrived) == sorted(UPPER + BESIDE + arrived)


def test_what_lies_in_a_twin_is_in_nobodys_way(desk: Desk) -> None:
    desk.put("in/c.txt")
    job = desk.carry("copy", "in/c.txt", to="Photos/")
    assert (job.state, job.conflicts) == (State.DONE, 0), words(job)
    assert "Photos/c.txt" in there(desk, "Photos/c.txt")


def test_an_archive_holds_the_folder_alone(desk: Desk) -> None:
    where = reverse("objects:archive", args=(desk.space, desk.bucket))
    asked = desk.client.get(where, {"folder": "Photos/"}, headers=htmx("dialog"))
    assert "3 objects" in asked.text
    answer = desk.client.get(where, {"folder": "Photos/", "go": "1"})
    archive = ZipFile(BytesIO(answer.getvalue()))
    assert {archive.read(name).decode() for name in archive.namelist()} == set(UPPER)


def test_a_share_link_of_a_folder_leads_into_it_alone(desk: Desk, owner: Person) -> None:
    _, code = make(
        owner, desk.space, desk.bucket, folders=["photos/"], keys=[], terms=Terms(ends_at=timezone.now() + timedelta(days=1))
    )
    page = unescape(PageClient().get(f"/l/{code}").text)
    for key in LOWER:
        assert key.removeprefix("photos/") in page
    assert "b.txt" not in page
    assert "e.txt" not in page


def test_links_of_a_folder_are_signed_for_it_alone(desk: Desk) -> None:
    where = f"{reverse('objects:manifest', args=(desk.space, desk.bucket))}?folder=Photos%2F"
    answer = desk.client.post(where, {"kind": "csv", "life": "3600"})
    lines = answer.getvalue().decode().splitlines()[1:]
    assert sorted(line.partition(",")[0] for line in lines) == sorted(UPPER)
