"""The terms of a request can be changed, within what has arrived; its address stays."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import check_password
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.features.file_requests.models import FileRequest
from dashboard.features.file_requests.services import requests
from dashboard.journal.models import Entry
from dashboard.team.models import Person, Role
from tests.features.file_requests.conftest import Desk, send
from tests.pages import PageClient

NEW = {"title": "Slides", "note": "By Friday", "types": ".pdf", "most_files": 3, "most_mb": 5, "total_mb": 9, "life": "keep"}


def change(desk: Desk, asked: FileRequest, **fields: Any) -> Any:
    answer = desk.client.post(desk.inbox(asked, "edit"), NEW | fields, follow=True)
    asked.refresh_from_db()
    return answer


def test_terms_change_and_the_address_stays(desk: Desk) -> None:
    asked, path = desk.ask(password="one two three four")
    ends_at, digest = asked.ends_at, asked.code_digest
    assert "Request changed. Its address stays." in change(desk, asked).text
    assert (asked.title, asked.note, asked.types) == ("Slides", "By Friday", ".pdf")
    assert (asked.most_files, asked.most_bytes, asked.most_total) == (3, 5_000_000, 9_000_000)
    assert (asked.ends_at, asked.code_digest) == (ends_at, digest)
    assert check_password("one two three four", asked.password)
    entry = Entry.objects.get(operation="file request changed")
    assert ((entry.before or {})["files"], (entry.after or {})["files"]) == (20, 3)
    change(desk, asked, no_password="on", life="86400")
    assert asked.password == ""
    assert asked.ends_at < ends_at
    assert "Slides" in PageClient().get(path).text


def test_unchanged_limits_keep_every_byte(desk: Desk) -> None:
    asked, _path = desk.ask()
    form = desk.client.get(desk.inbox(asked, "edit")).context["form"]
    shown = {name: form[name].value() for name in ("most_mb", "total_mb")}
    assert shown == {"most_mb": "1.048576", "total_mb": "10.48576"}
    change(desk, asked, **shown)
    assert (asked.most_bytes, asked.most_total) == (1 << 20, 10 << 20)


def test_limits_never_fall_below_what_has_arrived(desk: Desk) -> None:
    asked, path = desk.ask()
    client = desk.sender(path)
    for name in ("a.png", "b.png"):
        assert send(client, path, name, b"x" * 1_000_000).status_code == 200
    answer = change(desk, asked, types="", most_files=1, total_mb=1)
    assert answer.status_code == 422
    assert "2 files already received." in answer.text
    assert "2.0 MB already received." in answer.text
    assert asked.most_files == 20
    assert change(desk, asked, types="", most_files=2, total_mb=2).status_code == 200
    assert send(client, path, "c.png").status_code == 410, "both limits are reached"


def test_a_file_that_arrives_while_the_form_is_open_counts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, path = desk.ask()
    really = requests.change

    def late(*args: Any) -> None:
        desk.receive(asked, path, "a.png", "b.png", "c.png", "d.png")
        really(*args)

    monkeypatch.setattr(requests, "change", late)
    answer = change(desk, asked)
    assert answer.status_code == 409
    assert "More files arrived in the meantime." in answer.text
    assert (asked.most_files, asked.files) == (20, 4)


def test_only_its_owner_changes_it(desk: Desk, other_owner: PageClient) -> None:
    asked, _path = desk.ask()
    assert other_owner.get(desk.inbox(asked)).status_code == 200
    assert other_owner.get(desk.inbox(asked, "edit")).status_code == 404
    assert desk.inbox(asked, "edit") not in other_owner.get("/links/requests/").text
    assert desk.inbox(asked, "edit") in desk.client.get("/links/requests/").text


def test_who_revoked_a_request_restores_it_and_its_owner_does_not(desk: Desk, other_owner: PageClient) -> None:
    asked, path = desk.ask()
    Person.objects.filter(pk=desk.person.pk).update(role=Role.OPERATOR)
    assert other_owner.post(desk.inbox(asked, "revoke")).status_code == 303
    assert desk.inbox(asked, "restore") not in desk.client.get("/links/requests/").text
    answer = desk.client.post(desk.inbox(asked, "restore"))
    assert (answer.status_code, "Only the person who revoked this request" in answer.text) == (422, True)
    assert PageClient().get(path).status_code == 410
    assert desk.inbox(asked, "restore") in other_owner.get("/links/requests/").text
    assert other_owner.post(desk.inbox(asked, "restore")).status_code == 303
    assert PageClient().get(path).status_code == 200


def test_a_request_of_a_locked_owner_says_who_must_act(desk: Desk, owner: Person) -> None:
    desk.ask()
    assert "must unlock" not in desk.client.get("/links/requests/").text
    lena = Person.objects.create(email="lena@example.org")
    lena.lock(by=owner)
    lena.save()
    FileRequest.objects.update(owner=lena)
    assert "The owner must unlock their account" in desk.client.get("/links/requests/").text


@pytest.fixture
def other_owner(db: None) -> PageClient:
    client = PageClient()
    client.force_login(Person.objects.create(email="second@example.org", role=Role.OWNER))
    return client


def test_accepting_shows_its_request(desk: Desk) -> None:
    asked, path = desk.ask()
    desk.receive(asked, path, "a.png")
    assert "S11" in desk.client.get(desk.inbox(asked)).text


def test_a_request_always_ends_within_a_year(desk: Desk, settings: Settings) -> None:
    settings.SHARE_MAX_DAYS = 1
    here = f"/storage/{desk.space}/{desk.bucket}/~request/?folder=fair/"
    asked = desk.client.get(here).text
    lives = ["3600", "86400", "604800", "2592000", "7776000", "31536000"]
    assert re.findall(r'name="life" value="(\w+)"', asked) == [*lives, "exact"], "the policy is of links that give files away"
    late = f"{timezone.now() + timedelta(days=366):%Y-%m-%dT%H:%M}"
    for fields in ({"life": "none"}, {"life": "exact", "end": late}):
        answer = desk.client.post(here, NEW | {"title": "Photos"} | fields)
        assert answer.status_code == 422, fields
    assert "At most a year ahead." in answer.text
    assert desk.client.post(here, NEW | {"title": "Photos", "life": "31536000"}).status_code == 200


def test_the_list_is_filtered_by_the_state_that_each_badge_shows(desk: Desk) -> None:
    titles: dict[str, dict[str, object]] = {
        "live": {},
        "ended": {"revoked_at": timezone.now(), "revoked_by": desk.person},
        "expired": {"ends_at": timezone.now()},
        "used-up": {"files": 20},
        "hidden": {"token": "another"},
    }
    for title, fields in titles.items():
        asked, _ = desk.ask(title=f"Wanted {title}")
        FileRequest.objects.filter(pk=asked.pk).update(**fields)
    every = desk.client.get("/links/requests/").text
    for title in titles:
        shown = desk.client.part(f"/links/requests/?state={title}", "file-requests").text
        assert re.findall(r"Wanted ([\w-]+)</bdi>", shown) == [title]
        assert f"Wanted {title}</bdi>" in every
    assert "No matching requests" in desk.client.get("/links/requests/?state=locked").text
    assert len(re.findall(r"Wanted", desk.client.part("/links/requests/?state=nonsense", "file-requests").text)) >= len(titles)
