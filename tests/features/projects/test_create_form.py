"""The form of a new project and its review: nothing is sent yet."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse

from dashboard.reviews.models import Part, Review
from tests.conftest import Sandbox
from tests.features.projects.desk import NEW, Creation, password_in
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


def test_it_can_be_opened_for_an_organization(as_keeper: PageClient) -> None:
    assert 'value="studio-marlowe-k2vq8d" selected' in as_keeper.get(NEW, {"organization": "studio-marlowe-k2vq8d"}).text


def test_the_review_says_it_in_plain_words_and_sends_nothing(creation: Creation, calls: Calls) -> None:
    text = creation.ask(plan="pro").text
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text))
    assert "It costs money from the moment it exists; Nordlicht Logistik pays." in words
    assert f"Name{creation.name}" in words
    assert "West EU (Ireland) eu-west-1" in words
    assert "PlanPro" in words
    assert "Create billable project" in words
    asked = calls()
    assert set(asked) == {"GET /v1/organizations", "GET /v1/projects"}
    assert len(asked) == 3
    assert creation.there() == []


def test_a_generated_password_is_sealed_and_survives_reload_and_a_second_tab(creation: Creation) -> None:
    review, other = creation.ask(), creation.ask()
    password = password_in(review.text)
    assert re.fullmatch(r"[A-Za-z0-9]{24}", password)
    assert password not in review.address
    assert password not in str([part.sealed.stored() for part in Part.objects.all()])
    assert "I saved the generated password" in review.text
    assert password not in str(dict(creation.client.session))
    assert password_in(creation.client.get(review.address).text) == password
    assert password_in(creation.client.get(other.address).text) == password_in(other.text) != password
    assert "no-store" in creation.client.get(review.address)["Cache-Control"]


def test_no_browser_may_fill_in_an_earlier_password(creation: Creation) -> None:
    assert re.search(r'<form class="form review"[^>]* autocomplete="off"', creation.ask().text)


def test_going_back_to_edit_keeps_everything(creation: Creation) -> None:
    review = creation.ask()
    change = re.search(r'<a class="button" href="([^"]+)">Edit', review.text)
    assert change
    again = creation.client.get(change[1]).text
    assert f'value="{creation.name}"' in again
    assert 'value="eu-west-1" selected' in again
    changed = creation.client.post(change[1], {**creation.typed, "region": "eu-west-3"})
    assert (changed.status_code, changed["Location"]) == (303, review.address)
    text = creation.client.get(review.address).text
    assert "eu-west-3" in text
    assert password_in(text) == password_in(review.text)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": " "}, "Enter a name."),
        ({"name": "n" * 257}, "at most 256 characters"),
        ({"organization": "somebody-elses"}, "Your token can&#x27;t see this organization"),
        ({"region": ""}, "Choose a region."),
        ({"region": "other"}, "Enter a region code."),
        ({"region": "other", "region_code": "Moon 1"}, "Use lower-case letters, digits and hyphens"),
        ({"region": "moon_1"}, "Use lower-case letters, digits and hyphens"),
        ({"plan": "team"}, "Choose Free or Pro."),
    ],
)
def test_bad_input_is_said_at_the_field(creation: Creation, change: dict[str, str], sentence: str) -> None:
    creation.ask()
    edit = reverse("projects:change", args=[Review.objects.get().pk])
    for address in (NEW, edit):
        answer = creation.client.post(address, {**creation.typed, **change})
        assert answer.status_code == 422
        assert sentence in answer.text
        assert f'action="{address}"' in answer.text


def test_an_organization_that_is_gone_since_is_said_at_the_form(creation: Creation) -> None:
    review = creation.ask()
    drafted = Review.objects.get()
    drafted.seal({**(drafted.payload or {}), "organization": "gone"})
    answer = creation.client.get(review.address)
    assert answer.status_code == 422
    assert "Your token can&#x27;t see this organization" in answer.text


def test_a_region_of_later_can_be_typed_and_is_sent(creation: Creation) -> None:
    asked = creation.client.post(NEW, {**creation.typed, "region": "other", "region_code": "mx-central-1"})
    assert asked.status_code == 303
    review = creation.ask(region="mx-central-1")
    assert "mx-central-1</code>" in review.text
    refused = review.send()
    assert refused.status_code == 422
    assert "Invalid enum value" in refused.text
    assert 'value="mx-central-1"' in refused.text
    assert 'value="other" selected' in refused.text


def test_a_name_that_is_taken_in_the_organization_is_warned_of(creation: Creation) -> None:
    text = creation.ask(name="Parcel-Tracking").text
    assert "Nordlicht Logistik already has a project with this name" in text
    assert reverse("projects:show", args=["ktmvqhzwrbnxpgaydcle"]) in text
    assert "Create another project called" in text
    elsewhere = creation.ask(name="parcel-tracking", organization="studio-marlowe-k2vq8d").text
    assert "with this name" not in elsewhere


def test_a_name_that_needs_escaping_stays_whole(creation: Creation) -> None:
    text = creation.ask(name='<b>"&amp;').text
    assert "&lt;b&gt;&quot;&amp;amp;" in text


def test_it_invites_to_store_a_token(as_ada: PageClient, service: Sandbox) -> None:
    assert "No management token yet" in as_ada.get(NEW).text


def test_it_takes_no_delete(as_keeper: PageClient) -> None:
    for address in (NEW, reverse("projects:review", args=[uuid4()])):
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
