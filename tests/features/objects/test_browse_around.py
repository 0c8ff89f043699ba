"""What surrounds the pages of a bucket: the project's name, the way back, the local navigation."""

import re
import time
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.interfaces import ManagementInterface, Token
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind, StoredToken
from tests.conftest import Sandbox
from tests.features.objects.conftest import Desk
from tests.features.service import Faults
from tests.pages import htmx


def crumbs(html: str) -> list[tuple[str, str]]:
    inside = re.search(r'<ol class="crumbs__list">(.*?)</ol>', html, re.DOTALL)
    assert inside
    return re.findall(r'<li><a href="([^"]*)">([^<]*)</a></li>', inside[1])


def test_the_project_is_called_by_its_name(desk: Desk, service: Sandbox) -> None:
    desk.put("a.txt")
    projects = ManagementInterface(service.management_url, Token(service.personal_token)).projects.all()
    name = next(project.name for project in projects if project.id == desk.space)
    way = [
        (reverse("home:index"), "Home"),
        (reverse("projects:show", args=[desk.space]), name),
        (reverse("buckets:index", args=[desk.space]), "Storage"),
    ]
    for answer in (desk.client.get(desk.address()), desk.client.get(desk.address("details"), {"key": "a.txt"})):
        assert crumbs(answer.text)[:3] == way
        assert 'aria-label="Project"' in answer.text


def test_the_name_is_asked_for_once_a_minute_and_never_for_a_part(desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.client.get(desk.address(), headers=htmx("objects"))
    assert "GET /v1/projects" not in calls()
    desk.client.get(desk.address())
    desk.client.get(desk.address())
    assert calls().count("GET /v1/projects") == 1


@pytest.mark.parametrize("fault", [{"status": 500}, {"delay": 9}], ids=["failed", "slow"])
def test_the_name_is_not_worth_a_failure_nor_a_wait(desk: Desk, faults: Faults, fault: dict[str, object]) -> None:
    faults("M1", **fault)
    begun = time.monotonic()
    answer = desk.client.get(desk.address())
    assert answer.status_code == 200
    assert (reverse("projects:show", args=[desk.space]), desk.space) in crumbs(answer.text)
    assert time.monotonic() - begun < 7


def test_without_management_nothing_leads_to_projects(desk: Desk, settings: Settings) -> None:
    settings.MANAGEMENT_URL = ""
    answer = desk.client.get(desk.address())
    assert "/projects/" not in answer.text
    assert crumbs(answer.text)[:2] == [
        (reverse("home:index"), "Home"),
        (reverse("buckets:index", args=[desk.space]), desk.space),
    ]


def test_one_storage_alone_is_called_storage(desk: Desk, service: Sandbox, settings: Settings) -> None:
    settings.MANAGEMENT_URL = ""
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = service.storage(desk.space)
    token = StoredToken.objects.get(kind=Kind.STORAGE)
    store(token.person, Kind.STORAGE, "shared", token.open())
    answer = desk.client.get(reverse("objects:index", args=["shared", desk.bucket]))
    assert crumbs(answer.text)[:2] == [(reverse("home:index"), "Home"), (reverse("buckets:index", args=["shared"]), "Storage")]


def test_what_stands_in_the_frame_is_read_for_whole_pages_alone(desk: Desk) -> None:
    def asked(headers: dict[str, str]) -> str:
        with CaptureQueriesContext(connection) as captured:
            assert desk.client.get(desk.address(), headers=headers).status_code == 200
        return " ".join(query["sql"] for query in captured.captured_queries)

    whole, part = asked({}), asked(htmx("objects"))
    for table in ('FROM "jobs_job"', 'FROM "labels_label"'):
        assert (whole.count(table), part.count(table)) == (1, 0)
