"""Deleting a function: its body is kept first."""

from typing import Any

import pytest

from dashboard.features.functions.models import Seen
from dashboard.features.functions.services import versions as versions_service
from dashboard.journal.models import Entry, Outcome
from tests.features.functions.desk import REF, SOURCE, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient


def test_it_says_what_happens_and_wants_the_slug(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    answer = as_keeper.part(desk.address("delete", slug), "dialog")
    assert f"Delete {slug}?" in answer.text
    assert f'data-must-be="{slug}"' in answer.text
    assert "Its code is kept here." in answer.text


def test_it_keeps_the_body_and_deletes(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.put()
    calls()
    answer = as_keeper.send(desk.address("delete", slug), typed=slug)
    assert len(calls()) == 3
    assert "Its code is kept here" in answer.text
    assert not desk.is_there(slug)
    kept = versions_service.open_body(Seen.objects.get(body__slug=slug).body)
    assert kept is not None
    assert kept.data.decode() == SOURCE
    entry = Entry.objects.get(operation="M13")
    assert (entry.target, entry.outcome) == (f"function {slug}", Outcome.DONE)
    assert entry.before
    assert entry.before["body"] == f"sha256:{kept.digest}"


def test_its_versions_are_still_found_in_the_list_and_deployed_again(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(name="Back", verify_jwt=False)
    as_keeper.send(desk.address("delete", slug), typed=slug)
    assert desk.address("versions", slug) in as_keeper.get(desk.address("index")).text
    versions = as_keeper.get(desk.address("versions", slug))
    assert "Deleted, or your token can't see it" in versions.text
    review = as_keeper.post(desk.address("again", slug, versions.context["versions"][0].pk))["Location"]
    assert "Creates the function" in as_keeper.get(review).text
    desk.send(as_keeper, review)
    function = desk.get(slug)
    assert (function.name, function.verify_jwt) == ("Back", False)
    assert desk.body(slug).decode() == SOURCE


def test_from_its_own_page_it_leads_to_the_list(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    address = desk.address("delete", slug)
    headers = {"HX-Request": "true", "HX-Target": "dialog", "HX-Current-URL": f"http://testserver{desk.address('show', slug)}"}
    answer = as_keeper.post(address, {"typed": slug}, headers=headers)
    assert answer["HX-Redirect"] == desk.address("index")


def test_without_script_it_leads_to_the_list(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    answer = as_keeper.post(desk.address("delete", slug), {"typed": slug})
    assert (answer.status_code, answer["Location"]) == (303, desk.address("index"))


@pytest.mark.parametrize("typed", ["", "other"])
def test_another_slug_deletes_nothing(as_keeper: PageClient, desk: Desk, typed: str) -> None:
    slug = desk.put()
    assert as_keeper.send(desk.address("delete", slug), typed=typed).status_code == 422
    assert desk.is_there(slug)


def test_a_body_that_can_not_be_kept_takes_more_words(
    as_keeper: PageClient, desk: Desk, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug = desk.put()
    faults("M14", status=500)
    answer: Any = as_keeper.part(desk.address("delete", slug), "dialog")
    assert "could not be read, so it is not kept" in answer.text
    assert as_keeper.send(desk.address("delete", slug), typed=slug).status_code == 422
    assert desk.is_there(slug)
    assert as_keeper.send(desk.address("delete", slug), typed=f"{slug} without its code").status_code == 200
    assert not desk.is_there(slug)


def test_a_body_that_is_too_large_is_to_be_downloaded_first(
    as_keeper: PageClient, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug = desk.put()
    monkeypatch.setattr(versions_service, "KEPT_MAX_BYTES", 10)
    assert "Download it first" in as_keeper.part(desk.address("delete", slug), "dialog").text
    assert "This code is not kept" in as_keeper.get(desk.address("show", slug)).text


def test_a_refusal_stands_on_the_question(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    slug = desk.put()
    faults("M13", status=403)
    answer = as_keeper.send(desk.address("delete", slug), typed=slug)
    assert answer.status_code == 422
    assert "not for this" in answer.text
    assert desk.is_there(slug)
    assert Entry.objects.get(operation="M13", place=REF).outcome == Outcome.REFUSED


def test_what_is_gone_already_is_said_over_the_list_which_looks_again(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    as_keeper.send(desk.address("delete", slug), typed=slug)
    answer = as_keeper.send(desk.address("delete", slug), typed=slug)
    assert f"Function {slug} was already deleted." in answer.text
    assert "functions:changed" in answer["HX-Trigger"]
