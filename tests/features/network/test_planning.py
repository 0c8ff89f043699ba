"""Planning a list, consenting, sending it, and going back."""

import re

import pytest

from dashboard.features.network.models import AppliedSet, ListText
from dashboard.features.network.rules.ranges import read
from dashboard.journal.models import Entry, Outcome
from dashboard.labels.changes import set_label
from dashboard.labels.queries import ProjectLabel
from dashboard.team.models import Person
from tests.features.network.desk import HOME, SIGNAGE, STAGING, TRACKING, UPLOADS, V4, V6, Desk, from_address
from tests.features.service import Calls, Faults
from tests.pages import PageClient

READ = f"GET /v1/projects/{TRACKING}/network-restrictions"
APPLY = f"POST /v1/projects/{TRACKING}/network-restrictions/apply"
MORE = "203.0.113.0/24 # office\n198.51.100.17\n192.0.2.0/24\n2001:db8:4f::/48"


def carried(text: str) -> dict[str, str]:
    """What a page's form sends besides what is typed."""
    names = re.findall(r'<input type="hidden" name="(seen|fingerprint|once)" value="([^"]*)"', text)
    area = re.search(r'<textarea[^>]*name="text"[^>]*>\s?(.*?)</textarea>', text, flags=re.DOTALL)
    assert area
    return {**dict(names), "text": area[1]}


def planned(client: PageClient, desk: Desk, text: str, *, address: str = HOME) -> str:
    """The page of a plan, begun from the editor as it is now."""
    form = carried(client.get(desk.address("restrictions")).text)
    answer = client.post(desk.address("plan"), {**form, "text": text}, headers=from_address(address))
    assert answer.status_code == 200
    return str(answer.text)


def test_a_plan_shows_what_changes_and_sends_nothing(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    page = planned(as_keeper, desk, "203.0.113.0/24 # office\n192.0.2.0/24 # new")
    assert APPLY not in calls()
    for title, ranges in (("Added", ["192.0.2.0/24"]), ("Removed", ["198.51.100.17/32", *V6]), ("Unchanged", ["203.0.113.0/24"])):
        part = page.split(f"{title} <span")[1].split("</details>")[0]
        assert re.findall(r"<code>([^<]+)</code>", part) == ranges
    assert "2 ranges, 512 addresses, may reach the database; nobody by IPv6." in page
    assert f"Your address <code>{HOME}</code>:" in page
    assert "becomes" in page
    assert "office" in page


def test_a_plan_asks_one_thing_and_sending_it_two(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    page = carried(planned(as_keeper, desk, MORE))
    calls()
    as_keeper.post(desk.address("plan"), page)
    assert calls() == [READ]
    as_keeper.post(desk.address("apply"), page)
    assert calls() == [READ, APPLY]


def test_sending_it_replaces_the_whole_list_and_keeps_the_comments(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.post(desk.address("apply"), carried(planned(as_keeper, desk, MORE)), headers=from_address())
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
    form = carried(as_keeper.get(desk.address("restrictions", UPLOADS)).text)
    plan = as_keeper.post(desk.address("plan", UPLOADS), {**form, "text": "192.0.2.0/24\n198.51.100.0/24"})
    as_keeper.post(desk.address("apply", UPLOADS), carried(plan.text))
    sent = {"dbAllowedCidrs": ["192.0.2.0/24", "198.51.100.0/24"], "status": "applied"}
    assert Entry.objects.get(operation="M25").after == sent
    refused = as_keeper.post(desk.address("plan", UPLOADS), {**form, "text": "2001:db8::/32"})
    assert refused.status_code == 422


def test_removing_your_own_range_wants_typed_consent(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    page = planned(as_keeper, desk, "198.51.100.17\n2001:db8:4f::/48")
    assert f"Your own address {HOME} does not get in any more." in page
    assert f'<strong class="mono field__typed">{TRACKING}</strong>' in page
    form = carried(page)
    calls()
    for typed in ("", TRACKING.upper(), f"{TRACKING} "):
        answer = as_keeper.post(desk.address("apply"), {**form, "typed": typed}, headers=from_address())
        assert answer.status_code == 422
        assert f"Type {TRACKING} to go on. Nothing was sent." in answer.text
    assert APPLY not in calls()
    assert as_keeper.post(desk.address("apply"), {**form, "typed": TRACKING}, headers=from_address()).status_code == 303
    assert desk.lists[0] == ["198.51.100.17/32"]


@pytest.mark.parametrize("address", ["192.0.2.9", "127.0.0.1", "10.0.0.4"])
def test_whoever_is_not_let_in_anyway_or_not_known_is_not_asked(as_keeper: PageClient, desk: Desk, address: str) -> None:
    page = planned(as_keeper, desk, "198.51.100.17\n2001:db8:4f::/48", address=address)
    assert 'name="typed"' not in page


def test_moving_to_a_narrower_range_that_holds_you_needs_no_consent(as_keeper: PageClient, desk: Desk) -> None:
    assert 'name="typed"' not in planned(as_keeper, desk, "203.0.113.8/29\n2001:db8:4f::/48")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "The list is empty: nobody gets in any more"),
        ("# nobody", "The list is empty: nobody gets in any more"),
        ("2001:db8:4f::/48", "Nobody gets in by IPv4 any more."),
        ("203.0.113.0/24", "Nobody gets in by IPv6 any more."),
    ],
)
def test_a_list_for_nobody_wants_typed_consent(as_keeper: PageClient, desk: Desk, text: str, reason: str) -> None:
    page = planned(as_keeper, desk, text, address="192.0.2.200")
    assert reason in page
    form = carried(page)
    assert as_keeper.post(desk.address("apply"), form).status_code == 422
    assert desk.lists[0] == V4
    assert as_keeper.post(desk.address("apply"), {**form, "typed": TRACKING}).status_code == 303
    assert desk.lists[0] != V4 or desk.lists[1] == []


def test_a_list_that_changed_meanwhile_is_refused_with_the_difference(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    form = carried(planned(as_keeper, desk, MORE))
    desk.put("203.0.113.0/24", "192.0.2.64/26")
    calls()
    answer = as_keeper.post(desk.address("apply"), form, headers=from_address())
    assert answer.status_code == 422
    assert APPLY not in calls()
    assert "changed since this plan was made. Nothing was sent" in answer.text
    assert "<code>192.0.2.64/26</code> was added meanwhile" in answer.text
    assert "<code>198.51.100.17/32</code> was removed meanwhile" in answer.text
    assert desk.lists[0] == ["203.0.113.0/24", "192.0.2.64/26"]
    again = as_keeper.post(desk.address("apply"), carried(answer.text), headers=from_address())
    assert again.status_code == 303
    assert desk.lists[0] == ["203.0.113.0/24", "198.51.100.17/32", "192.0.2.0/24"]


def test_a_plan_from_an_old_editor_says_what_changed(as_keeper: PageClient, desk: Desk) -> None:
    form = carried(as_keeper.get(desk.address("restrictions")).text)
    desk.put("203.0.113.0/24")
    answer = as_keeper.post(desk.address("plan"), {**form, "text": MORE})
    assert "The list on the service changed since you began." in answer.text
    assert "<code>198.51.100.17/32</code> was removed meanwhile" in answer.text


def test_a_list_with_a_problem_stays_in_the_editor(as_keeper: PageClient, desk: Desk) -> None:
    form = carried(as_keeper.get(desk.address("restrictions")).text)
    for view in ("plan", "apply"):
        answer = as_keeper.post(desk.address(view), {**form, "text": "203.0.113.0/24\n10.0.0.0/8 # vpn"})
        assert answer.status_code == 422
        assert "Line 2: Private addresses are not supported" in answer.text
        assert "10.0.0.0/8 # vpn" in answer.text
    assert as_keeper.post(desk.address("plan"), {**form, "text": "#\n" * 2001}).status_code == 422


def test_the_editor_can_be_gone_back_to(as_keeper: PageClient, desk: Desk) -> None:
    form = carried(planned(as_keeper, desk, MORE))
    answer = as_keeper.post(desk.address("plan"), {**form, "edit": "1"})
    assert answer.status_code == 200
    assert "192.0.2.0/24" in carried(answer.text)["text"]


def test_the_same_list_is_not_sent_and_new_comments_are_kept(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    same = "\n".join([*V4, *V6])
    page = planned(as_keeper, desk, same)
    assert "The service has this list already." in page
    page = planned(as_keeper, desk, f"# offices\n{same}")
    assert "Keep the comments" in page
    calls()
    answer = as_keeper.post(desk.address("apply"), carried(page))
    assert answer.status_code == 303
    assert calls() == [READ]
    assert "# offices" in as_keeper.get(desk.address("restrictions")).text


def test_comments_survive_a_change_made_elsewhere(as_keeper: PageClient, desk: Desk) -> None:
    as_keeper.post(desk.address("apply"), carried(planned(as_keeper, desk, MORE)), headers=from_address())
    desk.put("203.0.113.0/24", "192.0.2.128/25")
    text = carried(as_keeper.get(desk.address("restrictions")).text)["text"]
    assert text.split("\n") == ["203.0.113.0/24  # office", "2001:db8:4f::/48", "192.0.2.128/25"]


def test_every_applied_list_is_kept_and_planned_back_in_one_click(as_keeper: PageClient, desk: Desk) -> None:
    as_keeper.post(desk.address("apply"), carried(planned(as_keeper, desk, MORE)), headers=from_address())
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
    assert "The list of now" in page
    assert f"?of={found.pk}" in page
    plan = as_keeper.get(desk.address("plan", of=str(found.pk)), headers=from_address())
    assert "<code>192.0.2.0/24</code>" in plan.text.split("Removed <span")[1]
    as_keeper.post(desk.address("apply"), carried(plan.text), headers=from_address())
    assert desk.lists == (V4, V6)
    assert AppliedSet.objects.count() == 3


def test_the_list_in_force_is_kept_too_when_the_saved_one_never_was(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M25", stay=True)
    desk.put("192.0.2.0/24")
    as_keeper.post(desk.address("apply"), carried(planned(as_keeper, desk, MORE)), headers=from_address())
    assert {tuple(kept.v4) for kept in AppliedSet.objects.filter(person=None)} == {tuple(V4), ("192.0.2.0/24",)}


def test_a_list_that_is_not_kept_or_not_of_this_project_is_not_found(as_keeper: PageClient, desk: Desk) -> None:
    other = AppliedSet.objects.create(project=UPLOADS, token="0", v4=["1.2.3.4/32"])
    for of in ("0", "x", str(other.pk), "9" * 30, ""):
        assert as_keeper.get(desk.address("plan", of=of)).status_code == 404
    assert as_keeper.get(desk.address("plan")).status_code == 302
    assert as_keeper.get(desk.address("apply")).status_code == 302


def test_a_kept_list_for_ipv6_that_the_service_no_longer_shows_is_edited_first(as_keeper: PageClient, desk: Desk) -> None:
    kept = AppliedSet.objects.create(project=UPLOADS, token="0", v4=[], v6=["2001:db8::/32"], text="2001:db8::/32")
    answer = as_keeper.get(desk.address("plan", UPLOADS, of=str(kept.pk)))
    assert answer.status_code == 422
    assert "shows no list for IPv6" in answer.text


def test_many_lists_are_shown_on_demand(as_keeper: PageClient, desk: Desk) -> None:
    for number in range(8):
        AppliedSet.objects.create(project=TRACKING, token="0", v4=[f"192.0.2.{number}/32"], v6=[])
    page = as_keeper.get(desk.address("restrictions")).text
    assert page.count("Plan this list") == 6  # five of them, and the editor's own
    assert "Show all 8" in page
    assert as_keeper.get(desk.address("restrictions", sets="all")).text.count("Plan this list") == 9


def test_a_list_that_stays_saved_can_be_sent_again_or_gone_back_from(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M25", stay=True)
    as_keeper.post(desk.address("apply"), carried(planned(as_keeper, desk, MORE)), headers=from_address())
    page = as_keeper.get(desk.address("restrictions")).text
    assert "The list is saved." in page
    assert "every 3s" in page
    assert "Saved, not in force" in page
    assert "In force until then" in page
    again = as_keeper.get(desk.address("plan", of="saved"), headers=from_address())
    assert "Send the list again" in again.text
    back = as_keeper.get(desk.address("plan", of="in-force"), headers=from_address())
    assert "<code>192.0.2.0/24</code>" in back.text.split("Removed <span")[1]
    faults("M25", rate=0)
    assert as_keeper.post(desk.address("apply"), carried(again.text), headers=from_address()).status_code == 303
    assert desk.now.status == "applied"


def test_consent_is_measured_against_the_list_in_force(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    plan = as_keeper.get(desk.address("plan", STAGING, of="saved"), headers=from_address("198.51.100.1"))
    assert "Your own address 198.51.100.1 does not get in any more." in plan.text


def test_a_lost_answer_is_settled_by_reading_back(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    form = carried(planned(as_keeper, desk, MORE))
    faults("M25", cut="after")
    assert as_keeper.post(desk.address("apply"), form, headers=from_address()).status_code == 303
    assert Entry.objects.get(operation="M25").outcome == Outcome.DONE
    kept = AppliedSet.objects.first()
    assert kept
    assert kept.confirmed


def test_an_answer_that_never_came_keeps_the_list_as_unconfirmed_until_the_service_shows_it(
    as_keeper: PageClient, desk: Desk, faults: Faults
) -> None:
    form = carried(planned(as_keeper, desk, MORE))
    faults("M25", cut="before", times=1)
    answer = as_keeper.post(desk.address("apply"), form, headers=from_address())
    assert answer.status_code == 200
    assert "The outcome is unknown" in answer.text
    assert Entry.objects.get(operation="M25").outcome == Outcome.UNKNOWN
    assert not AppliedSet.objects.filter(person__isnull=False).get().confirmed
    assert "No answer came" in as_keeper.get(desk.address("restrictions")).text
    again = planned(as_keeper, desk, MORE)
    assert "The outcome of an earlier list is being checked" in again
    assert "Apply 4 ranges" not in again
    draft = read(MORE, has_v6=True)
    desk.put(*draft.v4, v6=list(draft.v6))
    as_keeper.get(desk.address("restrictions"))
    assert Entry.objects.get(operation="M25").outcome == Outcome.DONE
    assert AppliedSet.objects.filter(person__isnull=False).get().confirmed


@pytest.mark.parametrize(
    ("status", "words"), [(403, "but not for this"), (400, "does not accept what was sent"), (429, "slow down")]
)
def test_a_refusal_stands_on_the_plan(as_keeper: PageClient, desk: Desk, faults: Faults, status: int, words: str) -> None:
    form = carried(planned(as_keeper, desk, MORE))
    faults("M25", status=status)
    answer = as_keeper.post(desk.address("apply"), form, headers=from_address())
    assert answer.status_code == 422
    assert words in answer.text
    assert not AppliedSet.objects.exists()
    assert not ListText.objects.exists()
    assert Entry.objects.get(operation="M25").outcome == Outcome.REFUSED


def test_a_form_sent_twice_acts_once(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    form = carried(planned(as_keeper, desk, MORE))
    calls()
    for _ in range(2):
        assert as_keeper.post(desk.address("apply"), form, headers=from_address()).status_code == 303
    assert calls().count(APPLY) == 1


@pytest.mark.parametrize("view", ["plan", "apply"])
def test_it_wants_a_sign_in_a_token_and_the_right_method(
    visitor: PageClient, as_ada: PageClient, as_keeper: PageClient, desk: Desk, view: str
) -> None:
    assert visitor.post(desk.address(view), {"text": ""}).status_code == 302
    assert as_ada.post(desk.address(view), {"text": ""}).status_code == 403
    assert as_keeper.put(desk.address(view)).status_code == 405
    assert as_keeper.get(desk.address("plan", SIGNAGE, of="saved")).status_code == 422


def test_a_project_called_production_asks_one_thing_more(as_keeper: PageClient, desk: Desk, owner: Person, calls: Calls) -> None:
    assert "is production" not in planned(as_keeper, desk, MORE)
    set_label(owner, TRACKING, ProjectLabel(production=True), project="parcel-tracking")
    page = planned(as_keeper, desk, MORE)
    assert "I know that this project is production" in page
    calls()
    refused = as_keeper.post(desk.address("apply"), carried(page), headers=from_address())
    assert refused.status_code == 422
    assert "tick the box to go on. Nothing was done." in refused.text
    assert APPLY not in calls()
    sent = as_keeper.post(desk.address("apply"), {**carried(refused.text), "production": "yes"}, headers=from_address())
    assert sent.status_code == 303
    assert APPLY in calls()
