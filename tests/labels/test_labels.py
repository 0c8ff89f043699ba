"""What the team calls a project: kept, journaled, shown on every page of it, and asking for more care."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from dashboard.journal.models import Entry, Outcome
from dashboard.labels.models import Label
from dashboard.labels.services import ProjectLabel, is_production, label_of, labels, set_label
from dashboard.team.models import Person, Role
from dashboard.team.rights import RoleMissing
from tests.conftest import Sandbox
from tests.pages import PageClient

REF = "ktmvqhzwrbnxpgaydcle"
CUSTOMER = ProjectLabel(name="Customer A", colour="teal", production=True, note="Ask Olga.")


@pytest.fixture
def production(owner: Person) -> None:
    set_label(owner, REF, CUSTOMER, project="parcel-tracking")


def test_a_project_without_a_label_has_an_empty_one(db: None) -> None:
    assert not label_of(REF)
    assert not is_production(REF)
    assert labels() == {}


def test_it_is_kept_for_everybody_and_journaled(owner: Person) -> None:
    set_label(owner, REF, CUSTOMER, project="parcel-tracking")
    assert label_of(REF) == CUSTOMER
    assert labels() == {REF: CUSTOMER}
    assert is_production(REF)
    entry = Entry.objects.get()
    assert (entry.operation, entry.place, entry.target) == ("label changed", REF, "label of project parcel-tracking")
    assert (entry.outcome, entry.before) == (Outcome.DONE, None)
    assert entry.after == {"name": "Customer A", "colour": "teal", "production": True, "note": "Ask Olga."}


def test_a_change_is_journaled_with_what_was_there_before(owner: Person, ada: Person, production: None) -> None:
    set_label(ada, REF, ProjectLabel(name="Old customer", production=True), project="parcel-tracking")
    entry = Entry.objects.first()
    assert entry
    assert entry.before == CUSTOMER.facts
    assert entry.after == {"name": "Old customer", "production": True}
    assert Label.objects.get().changed_by == ada


def test_an_operator_neither_sets_nor_removes_the_production_mark(ada: Person, production: None) -> None:
    ada.role, other = Role.OPERATOR, "another-project"
    for ref, label in ((REF, ProjectLabel()), (REF, ProjectLabel(name="x")), (other, ProjectLabel(production=True))):
        with pytest.raises(RoleMissing, match="Needs the administrator role"):
            set_label(ada, ref, label, project="any")
    assert (is_production(REF), is_production(other)) == (True, False)


def test_an_empty_label_takes_the_old_one_away(owner: Person, production: None) -> None:
    set_label(owner, REF, ProjectLabel(), project="parcel-tracking")
    assert not Label.objects.exists()
    assert not label_of(REF)


def test_saving_what_is_there_already_journals_nothing(owner: Person, production: None) -> None:
    set_label(owner, REF, CUSTOMER, project="parcel-tracking")
    assert Entry.objects.count() == 1


@pytest.mark.parametrize("where", ["projects:show", "secrets:index", "buckets:index"])
def test_every_page_of_the_project_shows_it(as_keeper: PageClient, owner: Person, ref: str, where: str) -> None:
    set_label(owner, ref, CUSTOMER, project="any")
    text = as_keeper.get(reverse(where, args=[ref])).text
    assert '<header class="top" data-colour="teal">' in text
    assert "Customer A" in text
    assert "Production</span>" in text


def test_other_pages_do_not(as_keeper: PageClient, production: None) -> None:
    for address in ("/", "/journal/", reverse("projects:show", args=["vcyhgqxtmdzlopkenrbw"])):
        assert '<header class="top">' in as_keeper.get(address).text


def test_a_note_alone_draws_nothing_at_the_top(as_keeper: PageClient, owner: Person) -> None:
    set_label(owner, REF, ProjectLabel(note="Ask Olga."), project="parcel-tracking")
    text = as_keeper.get(reverse("projects:show", args=[REF])).text
    assert '<span class="labels">' not in text
    assert "Ask Olga." in text


def test_who_does_not_reach_the_project_does_not_learn_of_it(as_ada: PageClient, service: Sandbox, production: None) -> None:
    text = as_ada.get(reverse("projects:show", args=[REF])).text
    assert "Customer A" not in text
    assert "teal" not in text


def test_nobody_who_is_not_signed_in_sees_it(visitor: PageClient, production: None) -> None:
    answer = visitor.get(reverse("projects:show", args=[REF]), follow=True)
    assert "Customer A" not in answer.text


def test_a_part_of_a_page_does_not_ask_for_it(as_keeper: PageClient, production: None) -> None:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        as_keeper.part(reverse("secrets:index", args=[REF]), "secret-list")
    assert not [query for query in asked.captured_queries if "labels_label" in query["sql"]]


def secret_question(client: PageClient) -> str:
    name = f"LABELLED_{REF[:4].upper()}"
    client.post(reverse("secrets:new", args=[REF]), {"name": name, "value": "x"})
    return f"{reverse('secrets:delete', args=[REF])}?name={name}"


def test_destroying_in_production_asks_one_question_more(as_keeper: PageClient, production: None) -> None:
    address = secret_question(as_keeper)
    name = address.partition("=")[2]
    assert "I know that this project is production" in as_keeper.part(address, "dialog").text
    refused = as_keeper.send(address, typed=name)
    assert refused.status_code == 422
    assert "This project is production" in refused.text
    done = as_keeper.send(address, typed=name, production="yes")
    assert done.status_code == 200
    assert "dialog:close" in json.loads(done["HX-Trigger"])


def test_elsewhere_it_does_not(as_keeper: PageClient) -> None:
    address = secret_question(as_keeper)
    assert "this project is production" not in as_keeper.part(address, "dialog").text
    assert as_keeper.send(address, typed=address.partition("=")[2]).status_code == 200
