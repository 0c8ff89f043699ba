"""Lifting bans: one, several, a pasted list; read back."""

import json
from html import unescape

import pytest
from django.urls import reverse

from dashboard.features.network.rules.addresses import parse_pasted
from dashboard.journal.models import Entry, Outcome
from tests.features.network.desk import STAGING, Bans
from tests.features.service import Calls, Faults
from tests.markup import parse
from tests.pages import PageClient

RETRIEVE = f"POST /v1/projects/{STAGING}/network-bans/retrieve"
REMOVE = f"DELETE /v1/projects/{STAGING}/network-bans"


def test_one_ban_is_lifted_and_read_back(as_keeper: PageClient, bans: Bans, calls: Calls) -> None:
    bans.put("198.51.100.7", "198.51.100.8")
    address = bans.address("lift", address="198.51.100.7")
    asked = as_keeper.part(address, "dialog").text
    assert "Lift the ban of 198.51.100.7" in asked
    assert "can connect" not in asked
    assert "Restrictions are separate, and still apply to it." in asked
    assert "or it will be banned again" in asked
    calls()
    answer = as_keeper.send(address)
    assert calls() == [RETRIEVE, REMOVE, RETRIEVE]
    assert "Lifted the ban of 198.51.100.7." in answer.text
    assert json.loads(answer["HX-Trigger"])["bans:changed"]
    assert bans.now == {"198.51.100.8"}


def test_without_script_it_leads_back_to_the_list(as_keeper: PageClient, bans: Bans) -> None:
    bans.put("2001:db8::7")
    assert as_keeper.get(bans.address("lift", address="2001:db8::7")).status_code == 200
    answer = as_keeper.post(bans.address("lift", address="2001:db8::7"))
    assert (answer.status_code, answer["Location"]) == (303, bans.address("bans"))
    assert bans.now == set()


def test_several_are_lifted_after_they_were_shown(as_keeper: PageClient, bans: Bans) -> None:
    bans.put("198.51.100.7", "198.51.100.8", "198.51.100.9")
    shown = as_keeper.post(bans.address("lift"), {"address": ["198.51.100.7", "198.51.100.9"]})
    assert shown.status_code == 200
    assert "198.51.100.7\n198.51.100.9</textarea>" in shown.text
    assert "Lift 2 bans" in shown.text
    assert "or it will be banned again" in shown.text
    assert len(bans.now) == 3
    answer = as_keeper.send(bans.address("lift"), addresses="198.51.100.7\n198.51.100.9")
    assert "Lifted 2 bans." in answer.text
    assert bans.now == {"198.51.100.8"}


def test_a_pasted_list_may_be_written_as_it_comes(as_keeper: PageClient, bans: Bans) -> None:
    bans.put("198.51.100.7", "2001:db8::7", "198.51.100.9")
    text = '["198.51.100.7", "2001:DB8:0::7"];\r\n203.0.113.5  # never banned\r\n\r\n198.51.100.9/32|::ffff:198.51.100.7'
    answer = as_keeper.send(bans.address("lift"), addresses=text)
    assert "Lifted 3 bans" in answer.text
    assert "1 address was not banned." in answer.text
    assert bans.now == set()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("198.51.100.7\noffice", "Line 2: “office” isn't an address."),
        ("198.51.100.7, 300.1.1.1", "Line 1: “300.1.1.1” isn't an address."),
        ("\n\n203.0.113.0/24", "Line 3: “203.0.113.0/24” is a range. Only single addresses can be banned."),
        ("fe80::1%eth0", "Line 1: “fe80::1%eth0” has a zone"),
        ("# nothing", "There is no address in this text."),
        ("", "Type or paste at least one address."),
        ("\n".join(f"198.51.{n // 250}.{n % 250}" for n in range(1001)), "the limit is 1,000 at once"),
    ],
)
def test_a_problem_is_said_at_its_line_and_nothing_is_sent(
    as_keeper: PageClient, bans: Bans, calls: Calls, text: str, sentence: str
) -> None:
    calls()
    answer = as_keeper.send(bans.address("lift"), addresses=text)
    assert answer.status_code == 422
    assert sentence in unescape(answer.text)
    assert calls() == []


def test_many_problems_are_counted(as_keeper: PageClient, bans: Bans) -> None:
    answer = as_keeper.send(bans.address("lift"), addresses=" ".join(f"x{n}" for n in range(30)))
    assert "And 10 more." in answer.text


def test_each_address_counts_once() -> None:
    assert parse_pasted("1.2.3.4 1.2.3.4\n2001:db8::1 2001:DB8::1").addresses == ("1.2.3.4", "2001:db8::1")


def test_one_that_is_banned_again_is_said(as_keeper: PageClient, bans: Bans, faults: Faults) -> None:
    bans.put("198.51.100.7")
    faults("M23", empty=True)
    for answer in (
        as_keeper.send(bans.address("lift", address="198.51.100.7")),
        as_keeper.send(bans.address("lift"), addresses="198.51.100.7 198.51.100.8"),
    ):
        assert answer.status_code == 422
        assert "these are still banned: 198.51.100.7." in answer.text
        assert json.loads(answer["HX-Trigger"]) == {"bans:changed": True}
    assert [entry.after for entry in Entry.objects.filter(operation="M23", target="198.51.100.7").order_by("pk")] == [
        {"banned": ["198.51.100.7"]},
        {"banned": ["198.51.100.7"], "requested": ["198.51.100.7", "198.51.100.8"]},
    ]


def test_a_lost_answer_is_settled_by_reading_back(as_keeper: PageClient, bans: Bans, faults: Faults) -> None:
    bans.put("198.51.100.7")
    faults("M23", cut="after")
    answer = as_keeper.send(bans.address("lift", address="198.51.100.7"))
    assert "Lifted the ban of 198.51.100.7." in answer.text
    assert Entry.objects.get(operation="M23").outcome == Outcome.DONE
    assert bans.now == set()


def test_a_ban_that_is_still_there_after_a_lost_answer_leaves_the_outcome_unknown(
    as_keeper: PageClient, bans: Bans, faults: Faults
) -> None:
    bans.put("198.51.100.7")
    faults("M23", cut="before")
    answer = as_keeper.send(bans.address("lift", address="198.51.100.7"))
    assert "The outcome is unknown" in answer.text
    assert Entry.objects.get(operation="M23").outcome == Outcome.UNKNOWN
    assert "Check now" in as_keeper.get(bans.address("bans")).text


def test_it_is_written_in_the_journal(as_keeper: PageClient, bans: Bans) -> None:
    bans.put("198.51.100.7")
    as_keeper.send(bans.address("lift"), addresses="198.51.100.7 198.51.100.8")
    entry = Entry.objects.get(operation="M23")
    assert (entry.target, entry.place, entry.outcome) == ("198.51.100.7", STAGING, Outcome.DONE)
    assert entry.before == {"banned": ["198.51.100.7"]}
    assert entry.after == {"banned": [], "requested": ["198.51.100.7", "198.51.100.8"]}
    assert "Lifted the ban of 198.51.100.7" in parse(as_keeper.get("/journal/").text).root.text


def test_its_entry_shows_one_ban_before_and_after(as_keeper: PageClient, bans: Bans) -> None:
    bans.put("198.51.100.7")
    as_keeper.send(bans.address("lift", address="198.51.100.7"))
    page = parse(as_keeper.get(reverse("journal:show", args=[Entry.objects.get(operation="M23").pk])).text).root
    told = [[cell.text for cell in (*row.all("th"), *row.all("td"))] for row in page.all("tbody")[0].all("tr")]
    assert told == [["Banned", "198.51.100.7", "none"]]


def test_a_refusal_stands_on_the_question(as_keeper: PageClient, bans: Bans, faults: Faults) -> None:
    bans.put("198.51.100.7")
    faults("M23", status=403)
    for answer in (
        as_keeper.send(bans.address("lift", address="198.51.100.7")),
        as_keeper.post(bans.address("lift"), {"addresses": "198.51.100.7"}),
    ):
        assert answer.status_code == 422
        assert "accepts your token, but not for this" in answer.text
    assert bans.now == {"198.51.100.7"}


def test_a_form_sent_twice_acts_once(as_keeper: PageClient, bans: Bans, calls: Calls) -> None:
    bans.put("198.51.100.7")
    for _ in range(2):
        answer = as_keeper.send(bans.address("lift"), addresses="198.51.100.7", once="k" * 24)
        assert "Lifted the ban of 198.51.100.7." in answer.text
    assert calls().count(REMOVE) == 1


def test_it_wants_an_address(as_keeper: PageClient, bans: Bans) -> None:
    assert as_keeper.get(bans.address("lift", address="office")).status_code == 404
