"""The form of a new project and its review: nothing is sent yet."""

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from dashboard.features.projects.rules.passwords import opened, sealed
from dashboard.team.models import Person
from tests.conftest import Sandbox
from tests.features.projects.desk import NEW, REVIEW, Creation, key_of, password_in
from tests.features.service import FAILURES, Calls, Faults
from tests.pages import PageClient

OFFERED = {
    *("us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "sa-east-1"),
    *("eu-west-1", "eu-west-2", "eu-west-3", "eu-central-1", "eu-central-2", "eu-north-1"),
    *("ap-east-1", "ap-south-1", "ap-southeast-1", "ap-southeast-2", "ap-northeast-1", "ap-northeast-2"),
    "other",
}


def test_it_offers_the_organizations_and_todays_regions_by_name(as_keeper: PageClient, calls: Calls) -> None:
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
    text = creation.ask(plan="pro").text
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text))
    assert (
        f"This creates a billable project {creation.name} in West EU (Ireland), owned by Nordlicht Logistik, on the Pro" in words
    )
    assert "It costs money from the moment it exists" in words
    assert "Create the billable project" in words
    asked = calls()
    assert set(asked) == {"GET /v1/organizations", "GET /v1/projects"}
    assert len(asked) == 4
    assert creation.there() == []


def test_a_generated_password_is_shown_once_and_travels_sealed(creation: Creation, owner: Person) -> None:
    review = creation.ask()
    password = password_in(review.text)
    assert re.fullmatch(r"[A-Za-z0-9]{24}", password)
    assert password not in str(review.ready)
    assert password not in review.address
    assert opened(review.ready["sealed"], owner, review.ready["once"]) == password
    assert "I saved the generated password" in review.text
    assert password not in str(dict(creation.client.session))
    assert password_in(creation.client.get(review.address).text) != password


def test_no_browser_may_fill_in_an_earlier_password(creation: Creation) -> None:
    assert re.search(r'<form class="form review"[^>]* autocomplete="off"', creation.ask().text)


def test_a_sealed_password_opens_for_its_person_and_form_only(owner: Person, ada: Person) -> None:
    text = sealed("x", owner, "k" * 20)
    assert opened(text, owner, "k" * 20) == "x"
    assert opened(text, ada, "k" * 20) is None
    assert opened(text, owner, "l" * 20) is None
    assert opened("v1.nonsense", owner, "k" * 20) is None


def test_going_back_to_change_something_keeps_everything(creation: Creation) -> None:
    review = creation.ask()
    change = re.search(r'<a class="button" href="([^"]+)">Change something', review.text)
    assert change
    again = creation.client.get(unescape(change[1])).text
    assert f'value="{creation.name}"' in again
    assert 'value="eu-west-1" selected' in again
    assert key_of(again) == review.ready["once"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": " "}, "Give the project a name."),
        ({"name": "n" * 257}, "at most 256 characters"),
        ({"organization": "somebody-elses"}, "Your token does not reach this organization"),
        ({"region": ""}, "Choose the region."),
        ({"region": "other"}, "Type the region code."),
        ({"region": "other", "region_code": "Moon 1"}, "A region code has only small letters"),
        ({"region": "moon_1"}, "A region code has only small letters"),
        ({"plan": "team"}, "There is no such plan"),
    ],
)
def test_bad_input_is_said_at_the_field(creation: Creation, change: dict[str, str], sentence: str) -> None:
    typed = {**creation.typed, **change}
    answers = [
        creation.client.post(NEW, typed),
        creation.client.get(REVIEW, typed),
        creation.client.post(f"{REVIEW}?{urlencode(typed)}"),
    ]
    for answer in answers:
        assert answer.status_code == 422
        assert sentence in answer.text
        assert "Create the billable project" not in answer.text


def test_a_region_of_later_can_be_typed_and_is_sent(creation: Creation) -> None:
    asked = creation.client.post(NEW, {**creation.typed, "region": "other", "region_code": "mx-central-1"})
    assert (asked.status_code, "region=mx-central-1" in asked["Location"]) == (303, True)
    review = creation.ask(region="mx-central-1")
    assert "in <strong>mx-central-1</strong>" in review.text
    refused = review.send()
    assert refused.status_code == 422
    assert "Invalid enum value" in refused.text
    assert 'value="mx-central-1"' in refused.text
    assert 'value="other" selected' in refused.text


def test_a_name_that_is_taken_in_the_organization_is_warned_of(creation: Creation) -> None:
    text = creation.ask(name="Parcel-Tracking").text
    assert "Nordlicht Logistik has a project of this name already" in text
    assert reverse("projects:show", args=["ktmvqhzwrbnxpgaydcle"]) in text
    assert "Create another project called" in text
    elsewhere = creation.ask(name="parcel-tracking", organization="studio-marlowe-k2vq8d").text
    assert "of this name already" not in elsewhere


def test_a_name_that_needs_escaping_stays_whole(creation: Creation) -> None:
    text = creation.ask(name='<b>"&amp;').text
    assert "&lt;b&gt;&quot;&amp;amp;" in text


def test_it_wants_a_sign_in(visitor: PageClient) -> None:
    for address in (NEW, REVIEW):
        assert visitor.get(address).status_code == 302
        assert visitor.post(address).status_code == 302


def test_it_invites_to_store_a_token(as_ada: PageClient, service: Sandbox) -> None:
    assert "No management token yet" in as_ada.get(NEW).text


def test_it_takes_no_delete(as_keeper: PageClient) -> None:
    for address in (NEW, REVIEW):
        assert as_keeper.delete(address).status_code == 405


@pytest.mark.parametrize("operation", ["M1", "M3"])
@pytest.mark.parametrize("failure", FAILURES)
def test_the_review_says_how_the_service_failed(creation: Creation, faults: Faults, failure: str, operation: str) -> None:
    fault, status, words = FAILURES[failure]
    address = creation.ask().address
    faults(operation, **fault)
    answer = creation.client.get(address)
    assert answer.status_code == status
    assert words in answer.text


@pytest.mark.parametrize("failure", FAILURES)
def test_it_says_how_the_service_failed(as_keeper: PageClient, faults: Faults, failure: str) -> None:
    fault, status, words = FAILURES[failure]
    faults("M3", **fault)
    answer = as_keeper.get(NEW)
    assert answer.status_code == status
    assert words in answer.text


def test_each_form_has_a_key_of_its_own(as_keeper: PageClient) -> None:
    assert key_of(as_keeper.get(NEW).text) != key_of(as_keeper.get(NEW).text)
