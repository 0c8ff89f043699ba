"""Reviewing a list, consenting, applying it, and restoring another."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from dashboard.features.network.models import AppliedSet, ListText
from dashboard.features.network.rules.ranges import read
from dashboard.journal.models import Entry, Outcome
from dashboard.labels.services import ProjectLabel, set_label
from dashboard.reviews.models import Review
from dashboard.team.models import Person
from tests.features.network.desk import HOME, SIGNAGE, STAGING, TRACKING, UPLOADS, V4, V6, Desk, from_address
from tests.features.service import Calls, Faults
from tests.pages import PageClient

READ = f"GET /v1/projects/{TRACKING}/network-restrictions"
APPLY = f"POST /v1/projects/{TRACKING}/network-restrictions/apply"
MORE = "203.0.113.0/24 # office\n198.51.100.17\n192.0.2.0/24\n2001:db8:4f::/48"


def seen_in(text: str) -> dict[str, str]:
    """The hidden field of a page's form: the list that it was made from."""
    return dict(re.findall(r'<input type="hidden" name="(seen)" value="([^"]*)"', text))


def text_in(page: str) -> str:
    area = re.search(r'<textarea[^>]*name="text"[^>]*>\s?(.*?)</textarea>', page, flags=re.DOTALL)
    assert area
    return area[1]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A review as it is shown to one address."""

    client: PageClient
    href: str
    headers: dict[str, str]

    @property
    def page(self) -> str:
        answer = self.client.get(self.href, headers=self.headers)
        assert answer.status_code == 200
        return str(answer.text)

    def apply(self, page: str = "", **typed: str) -> Any:
        """Apply what `page` shows, or what the review shows now."""
        return self.client.post(self.href, {**seen_in(page or self.page), **typed}, headers=self.headers)


def begun(client: PageClient, answer: Any, address: str = HOME) -> Reviewed:
    """The review that an answer leads to."""
    assert answer.status_code == 302
    return Reviewed(client, answer["Location"], from_address(address))


def reviewed(client: PageClient, desk: Desk, text: str, *, address: str = HOME) -> Reviewed:
    """A review, begun from the editor as it is now."""
    editor = client.get(desk.address("restrictions")).text
    return begun(client, client.post(desk.address("plan"), {**seen_in(editor), "text": text}), address)


def restored(client: PageClient, desk: Desk, of: str, ref: str = TRACKING, *, address: str = HOME) -> Reviewed:
    """A review of a list that the service or the history has."""
    return begun(client, client.post(desk.address("plan", ref), {"of": of}), address)


def test_a_plan_shows_what_changes_and_sends_nothing(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    page = reviewed(as_keeper, desk, "203.0.113.0/24 # office\n192.0.2.0/24 # new").page
    assert APPLY not in calls()
    for title, ranges in (("Added", ["192.0.2.0/24"]), ("Removed", ["198.51.100.17/32", *V6]), ("Unchanged", ["203.0.113.0/24"])):
        part = page.split(f"{title} <span")[1].split("</details>")[0]
        assert re.findall(r"<code>([^<]+)</code>", part) == ranges
    assert "2 ranges, 512 addresses, may reach the database; nobody over IPv6." in page
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
    assert f'<strong class="mono field__typed">{TRACKING}</strong>' in page
    calls()
    for typed in ("", TRACKING.upper(), f"{TRACKING} "):
        answer = review.apply(page, typed=typed)
        assert answer.status_code == 422
        assert "Nothing was changed." in answer.text
    assert APPLY not in calls()
    assert review.apply(page, typed=TRACKING).status_code == 303
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
    assert review.apply(typed=TRACKING).status_code == 303
    assert desk.lists[0] != V4 or desk.lists[1] == []


def test_a_list_that_changed_meanwhile_is_refused_with_the_difference(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    review = reviewed(as_keeper, desk, MORE)
    page = review.page
    desk.put("203.0.113.0/24", "192.0.2.64/26")
    calls()
    answer = review.apply(page)
    assert answer.status_code == 422
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


def test_a_list_with_a_problem_stays_in_the_editor(as_keeper: PageClient, desk: Desk) -> None:
    review = reviewed(as_keeper, desk, MORE)
    for address in (desk.address("plan"), f"{review.href}list/"):
        answer = as_keeper.post(address, {"text": "203.0.113.0/24\n10.0.0.0/8 # vpn"})
        assert answer.status_code == 422
        assert "Line 2: Private addresses aren&#x27;t supported" in answer.text
        assert "10.0.0.0/8 # vpn" in answer.text
    assert as_keeper.post(desk.address("plan"), {"text": "#\n" * 2001}).status_code == 422


def test_the_list_of_a_review_can_be_edited(as_keeper: PageClient, desk: Desk) -> None:
    review = reviewed(as_keeper, desk, MORE)
    assert f'href="{review.href}list/"' in review.page
    editor = as_keeper.get(f"{review.href}list/").text
    assert "192.0.2.0/24" in text_in(editor)
    assert f'action="{review.href}list/"' in editor
    again = as_keeper.post(f"{review.href}list/", {**seen_in(editor), "text": f"{text_in(editor)}\n192.0.2.1"})
    assert (again.status_code, again["Location"]) == (302, review.href)
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


def test_comments_survive_a_change_made_elsewhere(as_keeper: PageClient, desk: Desk) -> None:
    reviewed(as_keeper, desk, MORE).apply()
    desk.put("203.0.113.0/24", "192.0.2.128/25")
    text = text_in(as_keeper.get(desk.address("restrictions")).text)
    assert text.split("\n") == ["203.0.113.0/24  # office", "2001:db8:4f::/48", "192.0.2.128/25"]


def test_every_applied_list_is_kept_and_can_be_restored(as_keeper: PageClient, desk: Desk) -> None:
    reviewed(as_keeper, desk, MORE).apply()
    newest, found = AppliedSet.objects.all()
    assert (newest.text, newest.person.email, newest.confirmed) == (  # type: ignore[union-attr] # somebody sent it
        "203.0.113.0/24  # office\n198.51.100.17/32\n192.0.2.0/24\n2001:db8:4f::/48",
        "olga@example.org",
        True,
    )
    assert (found.v4, found.v6, found.person) == (V4, V6, None)
    assert len(newest.token) == 32
    page = as_keeper.get(desk.address("restrictions")).text
    assert "found on the service" in page
    assert "Current list" in page
    assert f'value="{found.pk}"' in page
    review = restored(as_keeper, desk, str(found.pk))
    assert "<code>192.0.2.0/24</code>" in review.page.split("Removed <span")[1]
    review.apply()
    assert desk.lists == (V4, V6)
    assert AppliedSet.objects.count() == 3


def test_the_list_in_force_is_kept_too_when_the_saved_one_never_was(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M25", stay=True)
    desk.put("192.0.2.0/24")
    reviewed(as_keeper, desk, MORE).apply()
    assert {tuple(kept.v4) for kept in AppliedSet.objects.filter(person=None)} == {tuple(V4), ("192.0.2.0/24",)}


def test_a_list_that_is_not_kept_or_not_of_this_project_is_not_found(as_keeper: PageClient, desk: Desk) -> None:
    other = AppliedSet.objects.create(project=UPLOADS, token="0", v4=["1.2.3.4/32"])
    for of in ("0", "x", str(other.pk), "9" * 30, ""):
        assert as_keeper.post(desk.address("plan"), {"of": of}).status_code == 404
    assert as_keeper.get(desk.address("plan")).status_code == 302


def test_a_kept_list_for_ipv6_that_the_service_no_longer_shows_is_edited_first(as_keeper: PageClient, desk: Desk) -> None:
    kept = AppliedSet.objects.create(project=UPLOADS, token="0", v4=[], v6=["2001:db8::/32"], text="2001:db8::/32")
    answer = as_keeper.post(desk.address("plan", UPLOADS), {"of": str(kept.pk)})
    assert answer.status_code == 422
    assert "has no IPv6 list" in answer.text


def test_many_lists_are_shown_on_demand(as_keeper: PageClient, desk: Desk) -> None:
    for number in range(8):
        AppliedSet.objects.create(project=TRACKING, token="0", v4=[f"192.0.2.{number}/32"], v6=[])
    page = as_keeper.get(desk.address("restrictions")).text
    assert page.count("Restore this list") == 5
    assert "Show all 8" in page
    assert as_keeper.get(desk.address("restrictions", sets="all")).text.count("Restore this list") == 8


def test_a_list_that_stays_saved_can_be_sent_again_or_replaced_by_the_previous(
    as_keeper: PageClient, desk: Desk, faults: Faults
) -> None:
    faults("M25", stay=True)
    reviewed(as_keeper, desk, MORE).apply()
    page = as_keeper.get(desk.address("restrictions")).text
    assert "The list is saved." in page
    assert "every 3s" in page
    assert "Saved, not in force" in page
    assert "In force now" in page
    again = restored(as_keeper, desk, "saved")
    assert "Send again" in again.page
    back = restored(as_keeper, desk, "in-force")
    assert "<code>192.0.2.0/24</code>" in back.page.split("Removed <span")[1]
    faults("M25", rate=0)
    assert again.apply().status_code == 303
    assert desk.now.status == "applied"


def test_consent_is_measured_against_the_list_in_force(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    review = restored(as_keeper, desk, "saved", STAGING, address="198.51.100.1")
    assert "Your own address 198.51.100.1 will be locked out." in review.page


def test_a_lost_answer_is_settled_by_reading_back(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    review = reviewed(as_keeper, desk, MORE)
    faults("M25", cut="after")
    assert review.apply().status_code == 303
    assert Entry.objects.get(operation="M25").outcome == Outcome.DONE
    kept = AppliedSet.objects.first()
    assert kept
    assert kept.confirmed


def unknown(client: PageClient, desk: Desk, faults: Faults) -> Reviewed:
    """A review whose list was sent without an answer, and not applied so far."""
    review = reviewed(client, desk, MORE)
    page = review.page
    faults("M25", cut="before", times=1)
    answer = review.apply(page)
    assert answer.status_code == 200
    assert "The outcome is unknown" in answer.text
    assert Entry.objects.get(operation="M25").outcome == Outcome.UNKNOWN
    return review


def test_an_answer_that_never_came_keeps_the_list_as_unconfirmed_until_the_service_shows_it(
    as_keeper: PageClient, desk: Desk, faults: Faults
) -> None:
    review = unknown(as_keeper, desk, faults)
    assert not AppliedSet.objects.filter(person__isnull=False).get().confirmed
    assert "Unconfirmed" in as_keeper.get(desk.address("restrictions")).text
    again = reviewed(as_keeper, desk, MORE).page
    assert "The outcome of an earlier list is being checked" in again
    assert "Apply 4 ranges" not in again
    draft = read(MORE, has_v6=True)
    desk.put(*draft.v4, v6=list(draft.v6))
    settled = as_keeper.get(review.href)
    assert (settled.status_code, settled["Location"]) == (302, desk.address("restrictions"))
    assert Entry.objects.get(operation="M25").outcome == Outcome.DONE
    assert AppliedSet.objects.filter(person__isnull=False).get().confirmed


def test_a_review_with_an_unknown_outcome_is_not_offered_again_before_ten_minutes(
    as_keeper: PageClient, desk: Desk, faults: Faults, calls: Calls
) -> None:
    review = unknown(as_keeper, desk, faults)
    page = review.page
    assert "The request may still be running." in page
    assert "Apply 4 ranges" not in page
    calls()
    assert review.apply(page).status_code == 302
    assert APPLY not in calls()
    Review.objects.update(applied_at=timezone.now() - timedelta(minutes=11))
    Entry.objects.update(started_at=timezone.now() - timedelta(minutes=11), check_until=timezone.now() - timedelta(minutes=1))
    page = review.page
    assert "The list was not applied" in page
    assert Entry.objects.get(operation="M25").outcome == Outcome.NOT_APPLIED
    assert "Apply 4 ranges" in page
    assert review.apply(page).status_code == 303
    assert "192.0.2.0/24" in desk.lists[0]


def test_an_expired_review_says_so_and_sends_nothing(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    review = reviewed(as_keeper, desk, MORE)
    page = review.page
    Review.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    calls()
    assert review.apply(page)["Location"] == desk.address("restrictions")
    assert calls() == []
    assert "This review has expired. Nothing was sent." in as_keeper.get(desk.address("restrictions")).text


@pytest.mark.parametrize(
    ("status", "words"), [(403, "but not for this"), (400, "does not accept these values"), (429, "slow down")]
)
def test_a_refusal_stands_on_the_review_which_stays_open(
    as_keeper: PageClient, desk: Desk, faults: Faults, status: int, words: str
) -> None:
    review = reviewed(as_keeper, desk, MORE)
    faults("M25", status=status, times=1)
    answer = review.apply()
    assert answer.status_code == 422
    assert words in answer.text
    assert not AppliedSet.objects.exists()
    assert not ListText.objects.exists()
    assert Entry.objects.get(operation="M25").outcome == Outcome.REFUSED
    assert review.apply().status_code == 303


def test_a_review_sent_twice_acts_once(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    review = reviewed(as_keeper, desk, MORE)
    page = review.page
    calls()
    assert [review.apply(page).status_code for _ in range(2)] == [303, 302]
    assert calls().count(APPLY) == 1
    assert as_keeper.get(review.href)["Location"] == desk.address("restrictions")


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
