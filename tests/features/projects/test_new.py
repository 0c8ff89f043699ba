"""The form of a new project and its review: nothing is sent yet."""

import re

import pytest
from django.urls import reverse

from dashboard.features.projects.passwords import Password, opened, sealed
from dashboard.team.models import Person
from tests.conftest import Sandbox
from tests.features.projects.desk import NEW, Creation, hidden, key_of, password_in
from tests.features.service import FAILURES, Calls, Faults
from tests.pages import PageClient

OFFERED = {
    *("us-east-1", "us-west-1", "us-west-2", "ca-central-1", "sa-east-1", "eu-west-1", "eu-west-2", "eu-west-3", "eu-central-1"),
    *("ap-south-1", "ap-southeast-1", "ap-southeast-2", "ap-northeast-1", "ap-northeast-2"),
}


def test_it_offers_the_organizations_and_fourteen_regions_by_name(as_keeper: PageClient, calls: Calls) -> None:
    text = as_keeper.get(NEW).text
    assert calls() == ["GET /v1/organizations"]
    assert "Nordlicht Logistik" in text
    region = text.partition('<select name="region"')[2].partition("</select>")[0]
    assert set(re.findall(r'value="([a-z0-9-]+)"', region)) == OFFERED
    assert "Central EU (Frankfurt)" in region
    assert 'optgroup label="Europe"' in region


def test_it_can_be_opened_filled(as_keeper: PageClient) -> None:
    text = as_keeper.get(
        NEW, {"organization": "studio-marlowe-k2vq8d", "region": "eu-west-3", "name": "atlas", "plan": "pro"}
    ).text
    assert 'value="studio-marlowe-k2vq8d" selected' in text
    assert 'value="eu-west-3" selected' in text
    assert 'value="atlas"' in text
    assert re.search(r'value="pro"[^>]* checked', text)


def test_the_review_says_it_in_plain_words_and_sends_nothing(creation: Creation, calls: Calls) -> None:
    text = creation.review(plan="pro").text
    words = re.sub(r"<[^>]+>|\s+", " ", text)
    words = re.sub(r" +", " ", words)
    assert f"This creates a billable project {creation.name} in West EU (Ireland) , owned by Nordlicht Logistik" in words
    assert "It costs money from the moment it exists" in words
    assert "Create the billable project" in words
    assert sorted(calls()) == ["GET /v1/organizations", "GET /v1/organizations", "GET /v1/projects"]
    assert creation.there() == []


def test_a_generated_password_is_shown_once_and_travels_sealed(creation: Creation, owner: Person) -> None:
    text = creation.review().text
    password = password_in(text)
    assert re.fullmatch(r"[A-Za-z0-9]{24}", password)
    fields = hidden(text)
    assert password not in str(fields)
    assert opened(fields["sealed"], owner, fields["once"]) == Password(password, generated=True)
    assert "I saved the password" in text
    assert password not in str(dict(creation.client.session))


def test_a_typed_password_is_never_sent_back(creation: Creation, owner: Person) -> None:
    text = creation.review(kind="own", password="canary-4711-long-enough").text
    assert "canary-4711" not in text
    assert "The one that you typed, 23 characters" in text
    assert "I saved the password" not in text
    fields = hidden(text)
    kept = opened(fields["sealed"], owner, fields["once"])
    assert kept == Password("canary-4711-long-enough", generated=False)


def test_a_short_one_is_called_short(creation: Creation) -> None:
    assert "That is short" in creation.review(kind="own", password="short").text


def test_a_sealed_password_opens_for_its_person_and_form_only(owner: Person, ada: Person) -> None:
    text = sealed(Password("x", generated=True), owner, "k" * 20)
    assert opened(text, owner, "k" * 20)
    assert opened(text, ada, "k" * 20) is None
    assert opened(text, owner, "l" * 20) is None
    assert opened("v1.nonsense", owner, "k" * 20) is None
    assert "x" not in repr(Password("x", generated=False)).partition("(")[2].replace("generated=False", "")


def test_going_back_to_change_something_keeps_everything(creation: Creation, owner: Person) -> None:
    first = creation.review()
    again = creation.client.post(NEW, {**hidden(first.text), "change": "1"})
    assert again.status_code == 200
    assert f'value="{creation.name}"' in again.text
    assert 'value="eu-west-1" selected' in again.text
    fields = hidden(again.text)
    assert fields["once"] == hidden(first.text)["once"]
    second = creation.client.post(NEW, {**creation.typed, **fields})
    assert password_in(second.text) == password_in(first.text)


def test_a_typed_password_survives_a_mistake_elsewhere(creation: Creation, owner: Person) -> None:
    wrong = creation.review(kind="own", password="canary-4711", region="")
    assert wrong.status_code == 422
    assert "Choose the region." in wrong.text
    assert "canary-4711" not in wrong.text
    assert "The one that you typed is kept" in wrong.text
    fields = {**creation.typed, **hidden(wrong.text), "kind": "own", "password": ""}
    assert "The one that you typed, 11 characters" in creation.client.post(NEW, fields).text


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": " "}, "Give the project a name."),
        ({"name": "n" * 257}, "at most 256 characters"),
        ({"organization": "somebody-elses"}, "Your token does not reach this organization"),
        ({"region": "us-east-2"}, "There is no such region on offer"),
        ({"region": "moon-1"}, "There is no such region on offer"),
        ({"plan": "team"}, "Select a valid choice"),
        ({"kind": "own"}, "Type the password, or have one generated."),
    ],
)
def test_bad_input_is_said_at_the_field(creation: Creation, change: dict[str, str], sentence: str) -> None:
    answer = creation.review(**change)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "Create the billable project" not in answer.text


def test_a_name_that_is_taken_in_the_organization_is_warned_of(creation: Creation) -> None:
    text = creation.review(name="Parcel-Tracking").text
    assert "Nordlicht Logistik has a project of this name already" in text
    assert reverse("projects:show", args=["ktmvqhzwrbnxpgaydcle"]) in text
    assert "Create another project called" in text
    elsewhere = creation.review(name="parcel-tracking", organization="studio-marlowe-k2vq8d").text
    assert "of this name already" not in elsewhere


def test_a_name_that_needs_escaping_stays_whole(creation: Creation) -> None:
    text = creation.review(name='<b>"&amp;').text
    assert "&lt;b&gt;&quot;&amp;amp;" in text


def test_it_wants_a_sign_in(visitor: PageClient) -> None:
    assert visitor.get(NEW).status_code == 302
    assert visitor.post(NEW).status_code == 302


def test_it_invites_to_store_a_token(as_ada: PageClient, service: Sandbox) -> None:
    assert "No management token yet" in as_ada.get(NEW).text


def test_it_takes_no_delete(as_keeper: PageClient) -> None:
    assert as_keeper.delete(NEW).status_code == 405


@pytest.mark.parametrize("failure", FAILURES)
def test_it_says_how_the_service_failed(as_keeper: PageClient, faults: Faults, failure: str) -> None:
    fault, status, words = FAILURES[failure]
    faults("M3", **fault)
    answer = as_keeper.get(NEW)
    assert answer.status_code == status
    assert words in answer.text


def test_each_form_has_a_key_of_its_own(as_keeper: PageClient) -> None:
    assert key_of(as_keeper.get(NEW).text) != key_of(as_keeper.get(NEW).text)
