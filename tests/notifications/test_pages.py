"""The bell, the list, reading, and the settings."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from dashboard.notifications import inbox
from dashboard.notifications.models import Notification
from dashboard.notifications.outbox import notify
from dashboard.team.models import Person
from tests.markup import parse
from tests.pages import PageClient, htmx


def tell(person: Person, *keys: object, kind: str = "trial") -> None:
    for key in keys:
        notify(kind, [person], title=f"Trial {key}", address=f"/jobs/?state={key}", key=str(key), place="somewhere")


def bell(client: PageClient) -> str:
    found = re.search(r'aria-label="(Notifications[^"]*)"', client.get("/journal/").text)
    assert found
    return found[1]


def test_the_bell_counts_what_is_unread_in_one_query(as_owner: PageClient, owner: Person, ada: Person) -> None:
    assert bell(as_owner) == "Notifications"
    tell(owner, 1, 2)
    tell(ada, 3)
    assert bell(as_owner) == "Notifications, 2 unread"
    with CaptureQueriesContext(
        connection,
    ) as queries:
        as_owner.get("/journal/")
    assert len([query for query in queries if "notifications_notification" in query["sql"]]) == 1
    Notification.objects.bulk_create(
        Notification(person=owner, kind="trial", key=f"n{number}", title="T", address="/") for number in range(120)
    )
    assert bell(as_owner) == "Notifications, 99+ unread"


def test_the_count_is_read_from_the_index_of_unread_ones(owner: Person) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("the planner of PostgreSQL reads a table of a few rows whole")
    plan = inbox.listed(owner.pk, unread=True).order_by().values("person").explain()
    assert "notifications_unread" in plan


def test_the_list_shows_ones_own_newest_first_in_pages(as_owner: PageClient, owner: Person, ada: Person) -> None:
    tell(owner, *range(60))
    tell(ada, "of Ada")
    text = as_owner.get("/notifications/").text
    titles = re.findall(r"Trial (\d+)</a>", text)
    assert titles == [str(number) for number in range(59, 9, -1)]
    assert "of Ada" not in text
    assert "50 of 60" in text
    assert re.findall(r"Trial (\d+)</a>", as_owner.part("/notifications/?offset=50", "notifications").text)[0] == "9"


def test_an_empty_list_says_so(as_owner: PageClient, owner: Person) -> None:
    page = as_owner.get("/notifications/").text
    assert "No notifications yet" in page
    assert "Filter notifications" not in page
    assert page.count('href="/notifications/settings/"') == 1
    assert "Nothing unread" in as_owner.get("/notifications/?unread=1").text


def test_opening_one_marks_it_as_read_and_leads_to_its_page(as_owner: PageClient, as_ada: PageClient, owner: Person) -> None:
    tell(owner, 1, 2, 3)
    first, second, third = Notification.objects.order_by("pk")
    link = next(a for a in parse(as_owner.get("/notifications/").text).root.all("a") if a.text == "Trial 1")
    assert (link.get("href"), link.get("hx-post")) == ("/jobs/?state=1", f"/notifications/{first.pk}/")
    assert as_owner.post(link.get("hx-post"), headers=htmx("x"))["HX-Redirect"] == "/jobs/?state=1"
    assert as_owner.post(f"/notifications/{second.pk}/")["Location"] == "/jobs/?state=2"
    assert as_ada.post(f"/notifications/{third.pk}/").status_code == 404
    assert list(inbox.listed(owner.pk, unread=True)) == [third]
    assert re.findall(r"Trial (\d+)</a>", as_owner.get("/notifications/?unread=1").text) == ["3"]


def test_one_or_all_are_marked_as_read(as_owner: PageClient, as_ada: PageClient, owner: Person, ada: Person) -> None:
    tell(owner, 1, 2, 3)
    tell(ada, 4)
    first = Notification.objects.filter(person=owner).order_by("pk")[0]
    assert as_ada.post(f"/notifications/{first.pk}/read/").status_code == 404
    assert as_owner.post(f"/notifications/{first.pk}/read/?unread=1")["Location"] == "/notifications/?unread=1"
    assert inbox.unread_count(owner.pk) == 2
    assert as_owner.post("/notifications/read/").status_code == 303
    assert (inbox.unread_count(owner.pk), inbox.unread_count(ada.pk)) == (0, 1)


def test_a_person_chooses_the_mails_of_each_kind_but_not_of_security_notices(
    as_owner: PageClient, owner: Person, ada: Person, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    boxes = {box.get("name"): box for box in parse(as_owner.get("/notifications/settings/").text).root.all("input")}
    labels = {
        label.text: boxes[label.get("for").removeprefix("id_")]
        for label in parse(as_owner.get("/notifications/settings/").text).root.all("label")
        if label.get("for").removeprefix("id_") in boxes
    }
    assert [labels[name].has("checked") for name in ("Trial", "Quiet trial", "Account trial")] == [True, False, True]
    assert labels["Account trial"].has("disabled")
    answer = as_owner.post("/notifications/settings/", {labels["Quiet trial"].get("name"): "on"})
    assert answer["Location"] == "/notifications/"
    chosen = inbox.mailed_kinds(owner.pk)
    assert (chosen["trial"], chosen["quiet trial"], chosen["account trial"]) == (False, True, True)
    assert inbox.mailed_kinds(ada.pk)["trial"]
