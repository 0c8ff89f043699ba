"""Random trees in which folders at every depth differ only in letter case: each page and job sees every one of them."""

import re
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from random import Random
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4
from zipfile import ZipFile

import pytest
from django.urls import reverse

from dashboard.catalog import queries
from dashboard.catalog.crawl import begin
from dashboard.catalog.keys import folder_of, trail
from dashboard.catalog.walk import list_rows
from dashboard.features.buckets.services import usage
from dashboard.features.bulk.services import read_choice
from dashboard.features.objects.services.folders import suggestions
from dashboard.interfaces import StorageInterface
from dashboard.jobs.models import State
from dashboard.tokens.models import StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.bulk.conftest import Desk, go, words
from tests.features.service import Faults
from tests.jobs.conftest import turn
from tests.pages import PageClient

pytestmark = pytest.mark.exhaustive

TREES = range(4)
NAMES = ("Docs", "docs", "DOCS", "a_b", "A_B", "axb", "x")


def keys_of(seed: int) -> list[str]:
    """Twins at the root and at every depth below, with objects in all of them."""
    dice = Random(seed)  # noqa: S311 - a tree, not a secret
    folders = ["", "Docs/", "docs/"]
    for _ in range(14):
        parent = dice.choice([folder for folder in folders if folder.count("/") < 3])
        folders.append(f"{parent}{dice.choice(NAMES)}/")
    return sorted({f"{folder}{dice.choice('abAB')}{dice.randint(1, 3)}.txt" for folder in folders})


def folders_of(keys: list[str]) -> set[str]:
    return {path for key in keys for _, path in trail(folder_of(key))}


def inside(path: str, folders: set[str]) -> list[str]:
    return sorted(one for one in folders if one != path and folder_of(one[:-1]) == path)


def boxes(html: str, name: str) -> list[str]:
    return sorted(unescape(value) for value in re.findall(rf'name="{name}" value="([^"]*)"', html))


@pytest.fixture(params=TREES)
def keys(request: pytest.FixtureRequest) -> list[str]:
    return keys_of(request.param)


@pytest.fixture
def desk(
    as_owner: PageClient, storage_token: StoredToken, storage: StorageInterface, ref: str, keys: list[str]
) -> Iterator[Desk]:
    bucket = f"tree {uuid4().hex[:10]}"
    storage.buckets.create(bucket)
    found = Desk(as_owner, Workspace(storage_token.person), storage, ref, bucket, bucket)
    for key in keys:
        found.put(key, body=key.encode())
    yield found
    storage.buckets.empty(bucket)
    storage.buckets.delete(bucket)


def left(desk: Desk, keys: list[str]) -> list[str]:
    """S15 takes no letter for another."""
    items = desk.storage.signing.sign_many(desk.bucket, keys, expires_in=60)
    return [key for key, item in zip(keys, items, strict=True) if item.link]


def test_every_list_shows_every_folder(desk: Desk, keys: list[str]) -> None:
    folders = folders_of(keys)
    address = reverse("objects:index", args=(desk.space, desk.bucket))
    for path in ["", *sorted(folders)]:
        expected = inside(path, folders)
        by_time = list_rows(desk.storage, desk.bucket, path, sort_by="created_at")
        assert sorted(one for one, row in by_time if row.is_folder and one.startswith(path)) == expected, path
        for query in ({}, {"sort": "-name"}, {"sort": "created"}, {"view": "grid"}):
            html = desk.client.get(address, {"path": path, **query}).text
            assert boxes(html, "folder") == expected, (path, query)
            assert boxes(html, "key") == [key for key in keys if folder_of(key) == path], (path, query)
        places = read_choice(desk.workspace, desk.space, desk.bucket, path, source=desk.bucket)
        assert sorted(place.path for place in places.folders) == expected, path
        offered = suggestions(desk.workspace, desk.space, desk.bucket, path)
        assert {one for one in offered if one.endswith("/") and one.startswith(path)} == set(expected), path


def test_a_filter_finds_every_folder(desk: Desk, keys: list[str]) -> None:
    folders = folders_of(keys)
    address = reverse("objects:index", args=(desk.space, desk.bucket))
    for path in ["", *sorted(folders)]:
        for text in ("do", "ocs"):
            html = desk.client.get(address, {"path": path, "search": text}).text
            assert boxes(html, "folder") == [one for one in inside(path, folders) if text in one[len(path) :].lower()], (
                path,
                text,
            )


def test_the_index_counts_every_folder_alone(desk: Desk, keys: list[str]) -> None:
    folders = folders_of(keys)
    assert turn(begin(desk.workspace, desk.space, desk.bucket).job).state == State.DONE
    sizes = queries.folder_sizes(desk.workspace, desk.space, desk.bucket, folders)
    assert sizes == {
        path: (len(below), sum(map(len, below))) for path in folders if (below := [key for key in keys if key.startswith(path)])
    }
    address = reverse("buckets:usage", args=(desk.space, desk.bucket))
    for path in ["", *sorted(folders)]:
        _, found = usage.read(desk.workspace, desk.space, desk.bucket, path)
        assert found
        assert {one.path: (one.objects, one.bytes) for one in found.folders} == {one: sizes[one] for one in inside(path, folders)}
        assert found.total.objects == len([key for key in keys if key.startswith(path)])
        html = desk.client.get(address, {"path": path}).text
        table = html.partition('id="usage-folders"')[2].partition("</table>")[0]
        linked = {parse_qs(urlsplit(unescape(href)).query).get("path", [""])[0] for href in re.findall(r'href="([^"]+)"', table)}
        assert linked - {path} == set(inside(path, folders)), path


def test_everything_that_is_ticked_is_packed_and_deleted_and_nothing_else(desk: Desk, keys: list[str]) -> None:
    folders = folders_of(keys)
    address = reverse("objects:index", args=(desk.space, desk.bucket))
    path = max(folders, key=lambda one: len(inside(one, folders)))
    html = desk.client.get(address, {"path": path}).text
    ticked = {"folder": boxes(html, "folder"), "key": boxes(html, "key"), "path": path}
    wanted = [key for key in keys if key.startswith(path)]
    archive = desk.client.get(reverse("objects:archive", args=(desk.space, desk.bucket)), {**ticked, "go": "1"})
    packed = ZipFile(BytesIO(archive.getvalue()))
    assert sorted(packed.read(name).decode() for name in packed.namelist()) == wanted
    job = desk.delete(*ticked["folder"], *ticked["key"])
    assert job.facts["objects"] == len(wanted)
    assert go(job).state == State.DONE, words(job)
    assert left(desk, keys) == [key for key in keys if key not in wanted]


def test_everything_in_a_folder_leaves_out_those_that_differ_from_it_in_case(desk: Desk, keys: list[str]) -> None:
    """The selection bar's offer sends the open folder as one that is ticked."""
    for path in sorted(folders_of(keys)):
        archive = desk.client.get(reverse("objects:archive", args=(desk.space, desk.bucket)), {"folder": path, "go": "1"})
        packed = ZipFile(BytesIO(archive.getvalue()))
        assert sorted(packed.read(name).decode() for name in packed.namelist()) == [key for key in keys if key.startswith(path)]
    path = next(one for one in ("docs/", "Docs/") if one in folders_of(keys))
    job = desk.delete(path)
    assert go(job).state == State.DONE, words(job)
    assert left(desk, keys) == [key for key in keys if not key.startswith(path)]


def test_the_whole_root_can_be_ticked(desk: Desk, keys: list[str]) -> None:
    html = desk.client.get(reverse("objects:index", args=(desk.space, desk.bucket))).text
    job = desk.delete(*boxes(html, "folder"), *boxes(html, "key"))
    assert job.facts["objects"] == len(keys)
    assert go(job).state == State.DONE, words(job)
    assert left(desk, keys) == []


def test_a_list_by_name_stays_where_the_service_fails_to_list_by_time(desk: Desk, keys: list[str], faults: Faults) -> None:
    faults("S13", status=500, skip=1)
    html = desk.client.get(reverse("objects:index", args=(desk.space, desk.bucket))).text
    assert {one.lower() for one in boxes(html, "folder")} == {one.lower() for one in inside("", folders_of(keys))}
    assert "Sort by time to see them all" in html
