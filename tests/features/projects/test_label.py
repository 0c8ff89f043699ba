"""Labelling a project in a dialog, and the list by label."""

import json
import re

import pytest
from django.urls import reverse

from dashboard.journal.models import Entry
from dashboard.labels.services import ProjectLabel, label_of, set_label
from dashboard.team.models import Person, Role
from tests.conftest import Sandbox
from tests.features.service import Calls
from tests.pages import PageClient
from tests.people import client_of, hold

REF = "ktmvqhzwrbnxpgaydcle"
OTHER = "vcyhgqxtmdzlopkenrbw"
LABEL = reverse("projects:label", args=[REF])
HERE = reverse("home:index")


def listed(client: PageClient, **query: str) -> str:
    """Home's list, read just now."""
    return client.get(HERE, {"list": "now", **query}).text


def names(html: str) -> list[str]:
    return re.findall(r'class="overview__cut"><a href="[^"]*" title="[^"]*">([^<]+)<', html)


FULL = {"name": "Customer A", "colour": "teal", "production": "on", "note": "One.\r\nTwo."}


def test_it_opens_with_what_is_there(as_keeper: PageClient, owner: Person, calls: Calls) -> None:
    set_label(owner, REF, ProjectLabel(name="Staging", colour="yellow", note="Ask Olga."), project="p")
    text = as_keeper.part(LABEL, "dialog").text
    assert calls() == ["GET /v1/projects"]
    assert 'value="Staging"' in text
    assert "Ask Olga." in text
    assert re.search(r'value="yellow"[^>]* checked', text)
    assert as_keeper.get(LABEL).status_code == 200


def test_from_the_list_it_refreshes_the_list(as_keeper: PageClient) -> None:
    answer = as_keeper.send(f"{LABEL}?list", **FULL)
    assert json.loads(answer["HX-Trigger"]) == {"dialog:close": True, "projects:changed": True}
    assert label_of(REF) == ProjectLabel(name="Customer A", colour="teal", production=True, note="One.\nTwo.")
    entry = Entry.objects.get(operation="label changed")
    assert entry.target == "label of project parcel-tracking"


def test_from_the_overview_the_whole_page_comes_anew(as_keeper: PageClient) -> None:
    answer = as_keeper.send(LABEL, **FULL)
    assert answer["HX-Redirect"] == reverse("projects:show", args=[REF])


def test_without_script_it_leads_back(as_keeper: PageClient) -> None:
    assert as_keeper.post(LABEL, FULL)["Location"] == reverse("projects:show", args=[REF])
    assert as_keeper.post(f"{LABEL}?list", {})["Location"] == HERE
    assert not label_of(REF)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "n" * 31}, "at most 30 characters"),
        ({"note": "n" * 501}, "at most 500 characters"),
        ({"colour": "beige"}, "Select a valid choice"),
        ({"name": ""}, "Enter a label"),
    ],
)
def test_bad_input_is_said_at_the_field(as_keeper: PageClient, change: dict[str, str], sentence: str) -> None:
    answer = as_keeper.send(LABEL, **{**FULL, **change})
    assert answer.status_code == 422
    assert sentence in answer.text
    assert not label_of(REF)


def test_who_does_not_reach_the_project_can_not_label_it(as_keeper: PageClient, as_ada: PageClient, service: Sandbox) -> None:
    unknown = reverse("projects:label", args=["aaaaaaaaaaaaaaaaaaaa"])
    assert as_keeper.get(unknown).status_code == 404
    assert as_keeper.post(unknown, FULL).status_code == 404
    assert "No management token" in as_ada.post(LABEL, FULL).text
    assert not label_of(REF)


def test_it_takes_no_put(as_keeper: PageClient) -> None:
    assert as_keeper.put(LABEL).status_code == 405


@pytest.fixture
def labelled(owner: Person) -> None:
    set_label(owner, REF, ProjectLabel(name="Zebra", colour="teal", production=True), project="parcel-tracking")
    set_label(owner, OTHER, ProjectLabel(name="Aardvark", colour="red"), project="portfolio")


def test_the_list_shows_labels_and_offers_them_as_filters(as_keeper: PageClient, labelled: None) -> None:
    text = listed(as_keeper)
    assert '<span class="label" data-colour="teal">Zebra</span><span' not in text.partition("<table")[0]
    assert '<span class="label" data-colour="teal">Zebra</span>' in text
    for value in ("is:production", "name:Aardvark", "name:Zebra", "is:none"):
        assert f'<option value="{value}">' in text


def test_without_labels_there_is_nothing_to_filter_by(as_keeper: PageClient) -> None:
    assert 'name="label"' not in listed(as_keeper)


@pytest.mark.parametrize(
    ("label", "there", "not_there"),
    [
        ("name:Zebra", "parcel-tracking", "portfolio"),
        ("is:production", "parcel-tracking", "portfolio"),
        ("is:none", "marlowe-lab", "parcel-tracking"),
    ],
)
def test_it_keeps_to_one_label(as_keeper: PageClient, labelled: None, label: str, there: str, not_there: str) -> None:
    found = names(listed(as_keeper, label=label))
    assert there in found
    assert not_there not in found


def test_a_label_that_nobody_gave_matches_nothing(as_keeper: PageClient, labelled: None) -> None:
    assert "No project matches" in listed(as_keeper, label="name:Yak")


def test_a_label_is_searched_for(as_keeper: PageClient, labelled: None) -> None:
    assert names(listed(as_keeper, q="zEbR")) == ["parcel-tracking"]


def test_rows_by_label_end_with_the_unlabelled(as_keeper: PageClient, labelled: None) -> None:
    assert names(listed(as_keeper, group="label"))[:2] == ["portfolio", "parcel-tracking"]


def test_the_overview_shows_the_note_and_leads_to_the_form(as_keeper: PageClient, owner: Person) -> None:
    set_label(owner, REF, ProjectLabel(note="<b>Ask</b> Olga."), project="parcel-tracking")
    text = as_keeper.get(reverse("projects:show", args=[REF])).text
    assert "&lt;b&gt;Ask&lt;/b&gt; Olga." in text
    assert f'hx-get="{LABEL}"' in text


def test_an_operator_sees_the_production_mark_and_can_not_change_it(ada: Person, owner: Person, service: Sandbox) -> None:
    hold(ada, service.personal_token)
    Person.objects.filter(pk=ada.pk).update(role=Role.OPERATOR)
    client = client_of(ada)
    assert "Needs the administrator role" in client.part(LABEL, "dialog").text
    client.post(LABEL, {"name": "Staging", "production": "on"})
    assert (label_of(REF).name, label_of(REF).production) == ("Staging", False)
    set_label(owner, REF, ProjectLabel(name="Live", production=True), project="parcel-tracking")
    client.post(LABEL, {"name": "Nothing to see"})
    client.post(LABEL, {})
    assert label_of(REF).production


def test_a_label_saved_meanwhile_is_not_overwritten_unseen(as_keeper: PageClient, owner: Person) -> None:
    seen = re.compile(r'name="seen" value="(\w+)"')
    [before] = seen.findall(as_keeper.part(LABEL, "dialog").text)
    set_label(owner, REF, ProjectLabel(name="Staging", production=True), project="p")
    answer = as_keeper.send(LABEL, name="Mine", seen=before)
    assert answer.status_code == 409
    assert "It is now “Staging”, production." in answer.text
    assert 'value="Mine"' in answer.text
    assert label_of(REF) == ProjectLabel(name="Staging", production=True)
    [now] = seen.findall(answer.text)
    as_keeper.send(LABEL, name="Mine", seen=now)
    assert label_of(REF) == ProjectLabel(name="Mine")
