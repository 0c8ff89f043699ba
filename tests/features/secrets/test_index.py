"""The list of secrets."""

import json
import re
from datetime import timedelta
from hashlib import sha256
from urllib.parse import quote

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.journal.models import Entry
from dashboard.team.models import Person
from dashboard.web.http.logs import JsonFormatter
from tests.conftest import Sandbox
from tests.features.secrets.desk import REF, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient

TRACKING = "ktmvqhzwrbnxpgaydcle"


def names(html: str) -> list[str]:
    return re.findall(r'<code class="entry__code" title="[^"]*">([^<]+)</code>', html)


def test_it_lists_names_sorted(as_keeper: PageClient, desk: Desk) -> None:
    desk.put(form="test_b_{}")
    desk.put(form="TEST_A_{}")
    found = names(as_keeper.get(desk.address("index")).text)
    assert found == sorted(found, key=str.casefold)
    assert set(desk.made) <= set(found)


def test_no_value_and_no_digest_is_in_the_page(as_keeper: PageClient, desk: Desk) -> None:
    desk.put("a value that is nowhere else")
    answer = as_keeper.get(desk.address("index"))
    assert "Show the digest of " in answer.text
    assert "a value that is nowhere else" not in answer.text
    assert sha256(b"a value that is nowhere else").hexdigest() not in answer.text


def test_it_asks_the_service_two_things_and_one_for_the_list_alone(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    as_keeper.get(desk.address("index"))
    assert sorted(calls()) == ["GET /v1/projects", f"GET /v1/projects/{REF}/secrets"]
    as_keeper.part(desk.address("index"), "secret-list")
    assert calls() == [f"GET /v1/projects/{REF}/secrets"]


def test_it_finds_by_part_of_the_name(as_keeper: PageClient, desk: Desk) -> None:
    wanted, other = desk.put(), desk.put()
    answer = as_keeper.get(desk.address("index"), {"q": wanted.lower()})
    assert names(answer.text) == [wanted]
    assert other not in answer.text
    assert "No matching name" in as_keeper.get(desk.address("index"), {"q": "§"}).text


def test_a_project_without_secrets_says_what_they_are_for(as_keeper: PageClient) -> None:
    answer = as_keeper.get(reverse("secrets:index", args=["hbzoeyrqmcuwfkdlnavs"]))
    assert "No secrets yet" in answer.text
    assert "0 secrets (the service allows about 100)" in answer.text


def test_reserved_entries_are_marked_and_can_not_be_deleted(as_keeper: PageClient) -> None:
    answer = as_keeper.get(reverse("secrets:index", args=[TRACKING]), {"q": "SUPABASE_URL"})
    assert "Read-only" in answer.text
    assert "Delete" not in answer.text


@pytest.mark.parametrize("form", ["a/b?c=d&e#{}", "<b>{}</b>", "%2F..%2F{}", "ключ {}", '"quoted" {}'])
def test_a_name_can_contain_anything(as_keeper: PageClient, desk: Desk, form: str) -> None:
    name = desk.put(form=form)
    listed = as_keeper.get(desk.address("index"))
    assert f'href="{desk.address("delete")}?name={quote(name, safe="")}"' in listed.text
    assert as_keeper.get(desk.address("delete", name=name)).status_code == 200


def test_the_name_of_the_project_is_not_worth_a_failure(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M1", status=500)
    answer = as_keeper.get(desk.address("index"))
    assert answer.status_code == 200
    assert REF in answer.text


def test_it_names_who_changed_a_secret_to_those_who_may_see_the_entry(
    as_keeper: PageClient, as_ada_with_token: PageClient, owner: Person, desk: Desk
) -> None:
    def by(client: PageClient, name: str) -> str:
        found = re.search(r'data-label="By">(.*?)</td>', client.get(desk.address("index", q=name)).text, re.DOTALL)
        return " ".join(re.sub("<[^>]+>", "", found[1]).split()) if found else ""

    mine, elsewhere = desk.name(), desk.put()
    as_keeper.send(desk.address("new"), name=mine, value="x")
    assert by(as_keeper, mine) == str(owner)
    assert by(as_keeper, elsewhere) == "Unknown"
    assert by(as_ada_with_token, mine) == "Unknown"
    Entry.objects.update(started_at=timezone.now() - timedelta(hours=1))
    assert by(as_keeper, mine) == "Unknown", "somebody changed it since"


def test_it_invites_to_store_a_token(as_ada: PageClient, desk: Desk) -> None:
    assert "No management token yet" in as_ada.get(desk.address("index")).text


def test_a_project_that_is_not_there_is_not_found(as_keeper: PageClient) -> None:
    answer = as_keeper.get(reverse("secrets:index", args=["aaaaaaaaaaaaaaaaaaaa"]))
    assert answer.status_code == 404


def test_it_takes_no_post(as_keeper: PageClient, desk: Desk) -> None:
    assert as_keeper.post(desk.address("index")).status_code == 405


def test_a_newcomer_without_sandbox_tokens_sees_no_names(as_ada: PageClient, service: Sandbox, desk: Desk) -> None:
    name = desk.put()
    assert name not in as_ada.get(desk.address("index")).text


def test_a_call_without_an_answer_is_in_the_log_with_the_id_of_its_request(
    as_keeper: PageClient, desk: Desk, faults: Faults, caplog: pytest.LogCaptureFixture
) -> None:
    faults("M5", status=500)
    with caplog.at_level("INFO", "dashboard.web.failures.request_log"):
        answer = as_keeper.get(desk.address("index"))
    call, asked = [json.loads(JsonFormatter().format(record)) for record in caplog.records]
    assert call["message"].startswith("M5 ended as Broken after ")
    assert call["request"] == asked["request"] == answer["X-Request-ID"]
    assert (asked["message"], asked["status"], asked["path"]) == ("Failed: The service failed", 200, desk.address("index"))
    assert asked["calls"] == 2
    assert asked["calls_ms"] > 0
