"""Sending a new project: once, whatever happens."""

import json
import logging
from datetime import timedelta
from hashlib import sha256
from threading import Thread

import pytest
import requests
import time_machine
from django.db import connection
from django.urls import reverse
from django.utils import timezone
from requests.adapters import HTTPAdapter

from dashboard.journal.models import Entry, Outcome
from dashboard.reviews.models import Part, Review, State
from dashboard.team.models import Person
from tests.features.projects.desk import ORGANIZATION, Creation, password_in
from tests.features.service import Calls, Faults, Overtaken
from tests.people import client_of
from tests.tokens.test_canary import everything_in_the_database

FREE_LIMIT = "The following organization members have exceeded their free project limits: Olga."


def test_it_creates_the_project_and_leads_to_its_state(creation: Creation, calls: Calls) -> None:
    review = creation.ask(plan="pro")
    calls()
    answer = review.send()
    made = creation.there()
    assert len(made) == 1
    assert (made[0]["region"], made[0]["organization_id"]) == ("eu-west-1", "quiet-harbour-heron")
    assert (answer.status_code, answer["Location"]) == (303, reverse("projects:arrival", args=[made[0]["ref"]]))
    asked = calls()[:3]
    assert (set(asked[:2]), asked[2]) == ({"GET /v1/organizations", "GET /v1/projects"}, "POST /v1/projects")


def test_a_review_that_can_not_be_checked_leads_back_to_itself(creation: Creation, faults: Faults) -> None:
    review = creation.ask()
    faults("M3", status=500, times=1)
    failed = creation.client.post(review.address, review.ready, headers={"Referer": f"http://testserver{review.address}"})
    assert "Nothing was changed." in failed.text
    assert f'href="{review.address}">Go back</a>' in failed.text
    assert password_in(creation.client.get(review.address).text) == password_in(review.text)
    assert creation.there() == []


def test_the_slug_that_the_service_showed_is_sent_too(creation: Creation, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies: list[dict[str, str]] = []
    original = HTTPAdapter.send

    def noted(self: HTTPAdapter, request: requests.PreparedRequest, **options: object) -> requests.Response:
        if request.method == "POST":
            bodies.append(json.loads(request.body or b""))
        return original(self, request, **options)  # type: ignore[arg-type] # passed on as they came

    review = creation.ask()
    monkeypatch.setattr(HTTPAdapter, "send", noted)
    review.send()
    assert bodies == [
        {
            "name": creation.name,
            "organization_id": ORGANIZATION,
            "organization_slug": ORGANIZATION,
            "db_pass": password_in(review.text),
            "region": "eu-west-1",
            "plan": "free",
        }
    ]


def test_it_is_journaled_with_a_digest_of_the_password(creation: Creation) -> None:
    review = creation.ask()
    review.send()
    entry = Entry.objects.get(operation="M2")
    assert (entry.outcome, entry.status, entry.target) == (Outcome.DONE, 201, f"project {creation.name}")
    digest = sha256(password_in(review.text).encode()).hexdigest()
    assert entry.after == {
        "ref": creation.there()[0]["ref"],
        "organization": "quiet-harbour-heron",
        "region": "eu-west-1",
        "plan": "free",
        "database password": f"sha256:{digest}",
    }


@pytest.mark.parametrize("how", ["generated", "own"])
def test_the_password_stays_nowhere(creation: Creation, caplog: pytest.LogCaptureFixture, how: str) -> None:
    with caplog.at_level(logging.DEBUG):
        review = creation.ask()
        password = "canary-4711-canary" if how == "own" else password_in(review.text)
        answer = review.send(kind=how, password="canary-4711-canary")
        landed = creation.client.get(answer["Location"])
    for text in (landed.text, answer["Location"], caplog.text, str(dict(creation.client.session)), *everything_in_the_database()):
        assert password not in text


def test_the_same_form_again_makes_no_second_project(creation: Creation) -> None:
    review = creation.ask()
    first = review.send()
    for _ in range(2):
        again = review.send()
        assert (again.status_code, again["Location"]) == (303, review.address)
        assert creation.client.get(review.address)["Location"] == first["Location"]
    assert not Part.objects.exists()
    assert len(creation.there()) == 1


@pytest.mark.django_db(transaction=True)
def test_a_double_click_makes_one_project(creation: Creation, owner: Person, faults: Faults) -> None:
    faults("M2", delay=0.6)
    review, answers = creation.ask(), []

    def click() -> None:
        try:
            answers.append(client_of(owner).post(review.address, review.ready))
        finally:
            connection.close()

    clicks = [Thread(target=click) for _ in range(2)]
    for each in clicks:
        each.start()
    for each in clicks:
        each.join(30)
    assert len(creation.there()) == 1
    made = reverse("projects:arrival", args=[creation.there()[0]["ref"]])
    assert {answer["Location"] for answer in answers} <= {made, review.address}
    assert creation.client.get(review.address)["Location"] == made


@pytest.mark.django_db(transaction=True)
def test_a_second_press_that_sees_the_new_project_leads_to_it(creation: Creation, overtaken: Overtaken) -> None:
    review = creation.ask()
    pressed = {name: value for name, value in review.ready.items() if name != "another"}
    first = overtaken("GET /v1/projects", lambda: review.client.post(review.address, pressed))
    second = review.client.post(review.address, pressed)
    assert [answer.status_code for answer in (*first, second)] == [303, 303]
    assert second["Location"] == review.address
    assert len(creation.there()) == 1


def test_every_way_back_leads_to_what_was_made(creation: Creation) -> None:
    review = creation.ask()
    change = reverse("projects:change", args=[Review.objects.get().pk])
    made = review.send()["Location"]
    assert creation.client.get(review.address)["Location"] == made
    for back in (creation.client.get(change), creation.client.post(change, {**creation.typed, "name": "another name"})):
        assert (back.status_code, back["Location"]) == (303, review.address)
    assert len(creation.there()) == 1


@pytest.mark.parametrize("missing", ["saved", "another"])
def test_every_box_must_be_ticked(creation: Creation, missing: str) -> None:
    creation.name = "parcel-tracking" if missing == "another" else creation.name
    before = creation.there()
    review = creation.ask()
    answer = review.send(**{missing: ""})
    assert answer.status_code == 422
    assert {"saved": "Save the password first", "another": "A project with this name exists"}[missing] in answer.text
    assert password_in(answer.text) == password_in(review.text)
    assert creation.there() == before


@pytest.mark.parametrize(("password", "sentence"), [("  ", "Enter a password"), ("n" * 257, "at most 256 characters")])
def test_a_password_of_ones_own_must_be_one(creation: Creation, password: str, sentence: str) -> None:
    answer = creation.ask().send(kind="own", password=password)
    assert (answer.status_code, creation.there()) == (422, [])
    assert sentence in answer.text


def test_with_a_password_of_ones_own_nothing_needs_to_be_saved(creation: Creation) -> None:
    assert creation.ask().send(kind="own", password="four kind otters", saved="").status_code == 303
    digest = sha256(b"four kind otters").hexdigest()
    assert {"database password": f"sha256:{digest}"}.items() <= dict(Entry.objects.get(operation="M2").after or {}).items()


def test_a_typed_password_is_never_sent_back(creation: Creation) -> None:
    answer = creation.ask(name="parcel-tracking").send(kind="own", password="canary-4711", another="")
    assert answer.status_code == 422
    assert "canary-4711" not in answer.text


def test_another_persons_review_is_not_found_and_sends_nothing(creation: Creation, owner: Person, ada: Person) -> None:
    review = creation.ask()
    Review.objects.update(person=ada)
    assert creation.client.get(review.address).status_code == 404
    assert client_of(owner).post(review.address, review.ready).status_code == 404
    assert creation.there() == []


def test_a_review_that_has_expired_creates_nothing_and_keeps_no_password(creation: Creation) -> None:
    review = creation.ask()
    Review.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert review.send()["Location"] == review.address
    assert "This review has expired" in creation.client.get(review.address).text
    assert not Part.objects.exists()
    assert creation.there() == []


@pytest.mark.parametrize(
    ("message", "field", "words"),
    [
        ("name: String must contain at most 256 character(s)", "id_name", "String must contain at most 256"),
        ("db_pass: Password is too weak", "id_password", "Password is too weak"),
        ("region: Invalid enum value.", "id_region", "Invalid enum value."),
        ("organization_slug: Organization not found", "id_organization", "Organization not found"),
        (FREE_LIMIT, "id_plan", "another free project"),
    ],
)
def test_a_refusal_of_the_service_stands_at_its_field(
    creation: Creation, faults: Faults, message: str, field: str, words: str
) -> None:
    review = creation.ask()
    faults("M2", status=400, message=message)
    answer = review.send()
    assert answer.status_code == 422
    assert words in answer.text.partition(f'id="{field}_error"')[2].partition("</p>")[0]
    assert creation.name in answer.text
    entry = Entry.objects.get(operation="M2")
    assert (entry.outcome, entry.status) == (Outcome.REFUSED, 400)


def test_after_a_refusal_the_form_can_be_corrected_and_sent(creation: Creation, faults: Faults) -> None:
    review = creation.ask()
    faults("M2", status=400, message=FREE_LIMIT, times=1)
    refused = review.send()
    change = reverse("projects:change", args=[Review.objects.get().pk])
    assert f'action="{change}"' in refused.text
    assert creation.client.post(change, {**creation.typed, "plan": "pro"})["Location"] == review.address
    assert review.send().status_code == 303
    assert len(creation.there()) == 1


def test_a_refusal_that_names_no_field_stands_above(creation: Creation, faults: Faults) -> None:
    review = creation.ask()
    faults("M2", status=400, message="Something else is wrong")
    answer = review.send()
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert "Something else is wrong" in answer.text


def test_a_refusal_that_repeats_the_password_does_not_show_it(creation: Creation, faults: Faults) -> None:
    review = creation.ask()
    faults("M2", status=400, message="db_pass: “canary-4711” is too weak")
    answer = review.send(kind="own", password="canary-4711")
    assert "is too weak" in answer.text
    for text in (answer.text, *everything_in_the_database()):
        assert "canary-4711" not in text


@pytest.mark.parametrize(("status", "words"), [(403, "accepts your token, but not for this"), (429, "asks us to slow down")])
def test_what_is_not_wrong_with_the_form_stands_on_the_review(
    creation: Creation, faults: Faults, status: int, words: str
) -> None:
    review = creation.ask()
    faults("M2", status=status)
    answer = review.send()
    assert answer.status_code == 422
    assert words in answer.text
    assert "Create billable project" in answer.text
    assert creation.there() == []


@pytest.mark.parametrize("fault", [{"cut": "after"}, {"cut": "mid"}])
def test_a_lost_answer_is_settled_by_reading_the_projects(
    creation: Creation, faults: Faults, calls: Calls, fault: dict[str, object]
) -> None:
    review = creation.ask()
    faults("M2", **fault)
    calls()
    answer = review.send()
    made = reverse("projects:arrival", args=[creation.there()[0]["id"]])
    assert answer["Location"] == made
    assert creation.client.get(review.send()["Location"])["Location"] == made
    assert calls().count("POST /v1/projects") == 1
    assert Entry.objects.get(operation="M2").outcome == Outcome.DONE


@pytest.mark.parametrize("fault", [{"cut": "before"}, {"status": 500}, {"status": 504}, {"html": True}, {"empty": True}])
def test_without_a_confirmation_it_is_never_sent_again(
    creation: Creation, faults: Faults, calls: Calls, fault: dict[str, object]
) -> None:
    review = creation.ask()
    faults("M2", **fault)
    calls()
    answer = review.send()
    assert (answer.status_code, answer["Location"]) == (303, review.address)
    assert review.send()["Location"] == review.address
    assert creation.client.post(review.address, {"act": "reopen"})["Location"] == review.address
    assert calls().count("POST /v1/projects") == 1
    assert Entry.objects.get(operation="M2").outcome == Outcome.UNKNOWN
    page = creation.client.get(review.address).text
    assert creation.there() == []
    assert "Not listed yet" in page
    assert "Review again" not in page
    assert 'data-notice="info"' in page.partition('id="notices"')[2].partition("<template")[0]


def test_what_was_not_created_can_be_reviewed_and_sent_again_with_the_same_password(creation: Creation, faults: Faults) -> None:
    review = creation.ask()
    faults("M2", cut="before", times=1)
    review.send()
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        page = creation.client.part(review.address, "project-search").text
        assert "Not created" in page
        assert "hx-trigger" not in page
        creation.client.post(review.address, {"act": "reopen"})
        assert password_in(creation.client.get(review.address).text) == password_in(review.text)
        review.send()
    assert len(creation.there()) == 1


def test_a_project_that_is_created_late_is_found_and_settles_the_review(creation: Creation, faults: Faults) -> None:
    review = creation.ask()
    faults("M2", cut="before", times=1)
    review.send()
    there = creation.create()
    page = creation.client.part(review.address, "project-search").text
    assert "Created" in page
    made = reverse("projects:arrival", args=[there])
    assert made in page
    assert creation.client.get(review.address)["Location"] == made
    assert not Part.objects.exists()
    assert Entry.objects.get(operation="M2").outcome == Outcome.DONE


def test_a_project_that_only_the_list_shows_does_not_settle_the_review(creation: Creation, faults: Faults) -> None:
    review = creation.ask()
    faults("M2", cut="before", times=1)
    review.send()
    Entry.objects.update(check_until=None)
    there = creation.create()
    assert reverse("projects:arrival", args=[there]) in creation.client.part(review.address, "project-search").text
    assert Entry.objects.get(operation="M2").outcome == Outcome.UNKNOWN
    assert Review.objects.get().state == State.UNKNOWN


def test_a_project_of_that_name_that_was_there_before_is_not_taken_for_it(creation: Creation, faults: Faults) -> None:
    creation.create()
    review = creation.ask()
    faults("M2", cut="before", times=1)
    review.send()
    assert "Not listed yet" in creation.client.get(review.address).text


def test_a_list_that_can_not_be_read_gives_nothing_up(creation: Creation, faults: Faults) -> None:
    review = creation.ask()
    faults("M2", cut="before", times=1)
    review.send()
    faults("M1", status=500)
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        page = creation.client.part(review.address, "project-search").text
        assert "Unreachable" in page
        assert "Review again" not in page
        assert "every 10s" in page


def test_an_interrupted_creation_is_looked_for(creation: Creation) -> None:
    review = creation.ask()
    Review.objects.update(state=State.APPLYING, applied_at=timezone.now())
    assert "Being created" in creation.client.get(review.address).text
    Review.objects.update(applied_at=timezone.now() - timedelta(minutes=11))
    assert "Not created" in creation.client.get(review.address).text


@pytest.mark.parametrize(
    ("message", "kept"),
    [("region: Invalid enum value.", True), ("Something else is wrong", True), ("db_pass: Password is too weak", False)],
)
def test_an_own_password_is_kept_unless_it_was_refused_itself(
    creation: Creation, faults: Faults, message: str, *, kept: bool
) -> None:
    review = creation.ask()
    faults("M2", status=400, message=message, times=1)
    assert review.send(kind="own", password="a password of its own").status_code == 422
    assert ("The value you typed is kept." in creation.client.get(review.address).text) is kept
    assert review.send(kind="own", password="").status_code == (303 if kept else 422)
    assert len(creation.there()) == (1 if kept else 0)
