"""Lists that were applied: kept with their comments, and restored."""

from dashboard.features.network.models import AppliedSet
from tests.features.network.desk import STAGING, TRACKING, UPLOADS, V4, V6, Desk
from tests.features.network.reviewed import MORE, restored, reviewed, text_in
from tests.features.service import Faults
from tests.pages import PageClient


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
