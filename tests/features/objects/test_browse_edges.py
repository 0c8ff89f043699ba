"""Where a list ends, what goes beyond it, and what the index knows of it."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from dashboard.catalog.crawl import begin
from dashboard.features.objects.services import browse
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.features.objects.conftest import Desk
from tests.jobs.conftest import turn


def test_a_folder_of_just_a_page_claims_no_more(signed_in: Client, desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.put(*[f"many/{number:03}.txt" for number in range(100)])
    desk.client.get(desk.address())
    before = len(calls())
    answer = desk.client.get(desk.address(), {"path": "many/"}).text
    assert len(calls()) - before == 3  # S4, S13, and S13 for one row: some services give 100 rows at once and no more
    assert "100 entries<" in answer
    assert "offset=" not in answer


def test_a_list_that_is_capped_goes_on_all_the_same(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse, "PAGE_ROWS", 300)
    monkeypatch.setattr(browse, "LEAST_CAP", 7)
    desk.put(*[f"many/{number:02}.txt" for number in range(14)])
    answer = desk.client.get(desk.address(), {"path": "many/"}).text
    assert "14 entries<" in answer


def test_folders_are_chosen_like_objects(desk: Desk) -> None:
    desk.put("a b/x.txt", "c.txt")
    answer = desk.client.get(desk.address()).text
    assert 'name="folder" value="a b/"' in answer
    assert 'name="key" value="c.txt"\ndata-bytes="1"' in answer


def test_a_folder_that_goes_on_may_be_taken_whole(desk: Desk) -> None:
    desk.put(*[f"many/{number:03}.txt" for number in range(101)])
    answer = desk.client.get(desk.address(), {"path": "many/"}).text
    assert "Everything in this folder" in answer
    assert "Everything" not in desk.client.get(desk.address()).text
    assert "Everything" not in desk.client.get(desk.address(), {"path": "many/", "search": "0"}).text


def test_what_the_index_knows_stands_beside_the_list(desk: Desk, owner: Person) -> None:
    desk.put("deep/er/x.txt", "deep/y.txt", body=b"x" * 2048)
    assert "In this bucket" not in desk.client.get(desk.address()).text
    turn(begin(Workspace(owner), desk.space, desk.bucket).job)
    answer = desk.client.get(desk.address()).text
    assert re.search(r'<td\stitle="2 objects, as of [^"]+">4.1 KB</td>', answer)
    assert re.search(r"Total in this bucket: 2 objects, 4.1 KB, as of <time [^>]*data-when[^>]*>", answer)
    inside = desk.client.get(desk.address(), {"path": "deep/"}).text
    assert "Total in this folder: 2 objects, 4.1 KB" in inside
