"""Reviewing a list, consenting and applying it."""

import re

import pytest

from dashboard.journal.models import Entry, Outcome
from dashboard.labels.services import ProjectLabel, set_label
from dashboard.team.models import Person
from tests.features.network.desk import HOME, NAME, SIGNAGE, TRACKING, UPLOADS, V4, V6, Desk
from tests.features.network.reviewed import APPLY, MORE, READ, begun, reviewed, seen_in, text_in
from tests.features.service import Calls, Overtaken
from tests.pages import PageClient


def test_a_plan_shows_what_changes_and_sends_nothing(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    page = reviewed(as_keeper, desk, "203.0.113.0/24 # office\n192.0.2.0/24 # new").page
    assert APPLY not in calls()
    for title, ranges in (("Added", ["192.0.2.0/24"]), ("Removed", ["198.51.100.17/32", *V6]), ("Unchanged", ["203.0.113.0/24"])):
        part = page.split(f"{title} <span")[1].split("</details>")[0]
        assert re.findall(r"<code>([^<]+)</code>", part) == ranges
    assert "2 ranges (512 addresses) may reach the database; nobody over IPv6." in page
    assert f"Your address <code>{HOME}</code>:" in page
    assert "becomes" in page
    assert "office" in page


def test_a_review_reads_once_and_applying_it_reads_and_sends(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    review = reviewed(as_keeper, desk, MORE)
    calls()
    page = review.page
    assert calls() == [READ]
    review.apply(page)
    assert calls() == [READ, APPLY]


def test_a_review_has_an_address_of_its_own_and_carries_nothing_in_the_page(as_keeper: PageClient, desk: Desk) -> None:
    review = reviewed(as_keeper, desk, MORE)
    assert re.fullmatch(rf"/projects/{TRACKING}/network/restrictions/review/[0-9a-f-]{{36}}/", review.href)
    page = review.page
    assert "office" not in page.split("<form")[-1].split('class="plan__sentences"')[0]
    assert "<textarea" not in page
    assert re.findall(r'<input type="hidden" name="(\w+)"', page.split('class="form"')[1]) == ["csrfmiddlewaretoken", "seen"]
    assert review.page.count("192.0.2.0/24") == page.count("192.0.2.0/24")


def test_a_review_belongs_to_its_person_and_project(as_keeper: PageClient, as_ada: PageClient, desk: Desk) -> None:
    review = reviewed(as_keeper, desk, MORE)
    assert as_ada.get(review.href).status_code in (403, 404)
    assert as_keeper.get(review.href.replace(TRACKING, UPLOADS)).status_code == 404


def test_sending_it_replaces_the_whole_list_and_keeps_the_comments(as_keeper: PageClient, desk: Desk) -> None:
    answer = reviewed(as_keeper, desk, MORE).apply()
    assert (answer.status_code, answer["Location"]) == (303, desk.address("restrictions"))
    assert desk.lists == (["203.0.113.0/24", "198.51.100.17/32", "192.0.2.0/24"], V6)
    page = as_keeper.get(desk.address("restrictions")).text
    assert "The list is in force." in page
    assert "203.0.113.0/24  # office" in page
    entry = Entry.objects.get(operation="M25")
    assert (entry.place, entry.outcome) == (TRACKING, Outcome.DONE)
    assert entry.before == {"dbAllowedCidrs": V4, "dbAllowedCidrsV6": V6, "status": "applied"}
    assert entry.after == {"dbAllowedCidrs": desk.lists[0], "dbAllowedCidrsV6": V6, "status": "applied"}


def test_a_service_that_shows_no_list_for_ipv6_is_sent_none(as_keeper: PageClient, desk: Desk) -> None:
    begun(as_keeper, as_keeper.post(desk.address("plan", UPLOADS), {"text": "192.0.2.0/24\n198.51.100.0/24"})).apply()
    sent = {"dbAllowedCidrs": ["192.0.2.0/24", "198.51.100.0/24"], "status": "applied"}
    assert Entry.objects.get(operation="M25").after == sent
    refused = as_keeper.post(desk.address("plan", UPLOADS), {"text": "2001:db8::/32"})
    assert refused.status_code == 422


def test_removing_your_own_range_wants_typed_consent(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    review = reviewed(as_keeper, desk, "198.51.100.17\n2001:db8:4f::/48")
    page = review.page
    assert f"Your own address {HOME} will be locked out." in page
    assert f'<strong class="mono field__typed">{NAME}</strong>' in page
    calls()
    for typed in ("", TRACKING, NAME.upper(), f"{NAME} "):
        answer = review.apply(page, typed=typed)
        assert answer.status_code == 422
        assert "Nothing was changed." in answer.text
    assert APPLY not in calls()
    assert review.apply(page, typed=NAME).status_code == 303
    assert desk.lists[0] == ["198.51.100.17/32"]


@pytest.mark.parametrize("address", ["192.0.2.9", "127.0.0.1", "10.0.0.4"])
def test_whoever_is_not_let_in_anyway_or_not_known_is_not_asked(as_keeper: PageClient, desk: Desk, address: str) -> None:
    assert 'name="typed"' not in reviewed(as_keeper, desk, "198.51.100.17\n2001:db8:4f::/48", address=address).page


def test_moving_to_a_narrower_range_that_holds_you_needs_no_consent(as_keeper: PageClient, desk: Desk) -> None:
    assert 'name="typed"' not in reviewed(as_keeper, desk, "203.0.113.8/29\n2001:db8:4f::/48").page


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "The list is empty: nobody will get in"),
        ("# nobody", "The list is empty: nobody will get in"),
        ("2001:db8:4f::/48", "Nobody will get in over IPv4."),
        ("203.0.113.0/24", "Nobody will get in over IPv6."),
    ],
)
def test_a_list_for_nobody_wants_typed_consent(as_keeper: PageClient, desk: Desk, text: str, reason: str) -> None:
    review = reviewed(as_keeper, desk, text, address="192.0.2.200")
    assert reason in review.page
    assert review.apply().status_code == 422
    assert desk.lists[0] == V4
    assert review.apply(typed=NAME).status_code == 303
    assert desk.lists[0] != V4 or desk.lists[1] == []


def test_a_list_that_changed_meanwhile_is_refused_with_the_difference(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    review = reviewed(as_keeper, desk, MORE)
    page = review.page
    desk.put("203.0.113.0/24", "192.0.2.64/26")
    calls()
    answer = review.apply(page)
    assert answer.status_code == 409
    assert APPLY not in calls()
    assert "changed since you opened this review. Nothing was sent" in answer.text
    assert "<code>192.0.2.64/26</code> was added" in answer.text
    assert "<code>198.51.100.17/32</code> was removed" in answer.text
    assert desk.lists[0] == ["203.0.113.0/24", "192.0.2.64/26"]
    assert review.apply(answer.text).status_code == 303
    assert desk.lists[0] == ["203.0.113.0/24", "198.51.100.17/32", "192.0.2.0/24"]


def test_a_review_from_an_old_editor_says_what_changed(as_keeper: PageClient, desk: Desk) -> None:
    editor = as_keeper.get(desk.address("restrictions")).text
    desk.put("203.0.113.0/24")
    page = begun(as_keeper, as_keeper.post(desk.address("plan"), {**seen_in(editor), "text": MORE})).page
    assert "The list on the service changed since you began." in page
    assert "<code>198.51.100.17/32</code> was removed" in page


@pytest.mark.django_db(transaction=True)
def test_a_second_press_that_reads_the_new_list_leads_to_the_outcome(
    as_keeper: PageClient, desk: Desk, overtaken: Overtaken
) -> None:
    review = reviewed(as_keeper, desk, MORE)
    page = review.page
    first = overtaken(READ, lambda: review.apply(page))
    second = review.apply(page)
    assert [answer.status_code for answer in (*first, second)] == [303, 302]
    assert second["Location"] == review.href


def test_a_list_with_a_problem_stays_in_the_editor(as_keeper: PageClient, desk: Desk) -> None:
    review = reviewed(as_keeper, desk, MORE)
    for address in (desk.address("plan"), f"{review.href}list/"):
        answer = as_keeper.post(address, {"text": "203.0.113.0/24\n10.0.0.0/8 # vpn"})
        assert answer.status_code == 422
        assert "Line 2, “10.0.0.0/8”: Private addresses aren&#x27;t supported" in answer.text
        assert "10.0.0.0/8 # vpn" in answer.text
    assert as_keeper.post(desk.address("plan"), {"text": "#\n" * 2001}).status_code == 422


def test_the_list_of_a_review_can_be_edited(as_keeper: PageClient, desk: Desk) -> None:
    review = reviewed(as_keeper, desk, MORE)
    assert f'href="{review.href}list/"' in review.page
    editor = as_keeper.get(f"{review.href}list/").text
    assert "192.0.2.0/24" in text_in(editor)
    assert f'action="{review.href}list/"' in editor
    again = as_keeper.post(f"{review.href}list/", {**seen_in(editor), "text": f"{text_in(editor)}\n192.0.2.1"})
    assert (again.status_code, again["Location"]) == (303, review.href)
    assert "192.0.2.1/32" in review.page


def test_the_same_list_is_not_sent_and_new_comments_are_kept(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    same = "\n".join([*V4, *V6])
    assert "The service already has this list." in reviewed(as_keeper, desk, same).page
    review = reviewed(as_keeper, desk, f"# offices\n{same}")
    page = review.page
    assert "Save comments" in page
    calls()
    assert review.apply(page).status_code == 303
    assert calls() == [READ]
    assert "# offices" in as_keeper.get(desk.address("restrictions")).text


def test_it_wants_a_sign_in_a_token_and_the_right_method(
    visitor: PageClient, as_ada: PageClient, as_keeper: PageClient, desk: Desk
) -> None:
    review = reviewed(as_keeper, desk, MORE)
    for address in (desk.address("plan"), review.href, f"{review.href}list/"):
        assert visitor.post(address, {"text": ""}).status_code == 302
        assert as_ada.post(address, {"text": ""}).status_code in (403, 404)
        assert as_keeper.put(address).status_code == 405
    assert as_keeper.post(desk.address("plan", SIGNAGE), {"of": "saved"}).status_code == 422


def test_a_project_called_production_asks_one_thing_more(as_keeper: PageClient, desk: Desk, owner: Person, calls: Calls) -> None:
    review = reviewed(as_keeper, desk, MORE)
    assert "is production" not in review.page
    set_label(owner, TRACKING, ProjectLabel(production=True), project="parcel-tracking")
    page = review.page
    assert "I know that this project is production" in page
    calls()
    refused = review.apply(page)
    assert refused.status_code == 422
    assert "tick the box to continue. Nothing was changed." in refused.text
    assert APPLY not in calls()
    assert review.apply(refused.text, production="yes").status_code == 303
    assert APPLY in calls()
