"""What the list of all hostnames says of each: DNS, the next step, automatic checks, and the last known state."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.features.hostname.models import Known
from tests.features.hostname.desk import CAMPAIGN, PORTFOLIO, TRACKING, UPLOADS, Desk
from tests.features.hostname.test_review import PAGE, row
from tests.features.service import Calls, Faults
from tests.pages import PageClient


@pytest.fixture
def active(desk: Desk) -> tuple[str, str]:
    return desk.active()


def listed(client: PageClient, **query: str) -> list[str]:
    """The refs of the rows that a filter leaves."""
    text = client.part(PAGE, "fleet", **query).text
    return re.findall(r'<code class="entry__code">([a-z]{20})</code>', text)


def group_of(client: PageClient, key: str) -> str:
    """The rows of one group."""
    found = re.search(rf'id="fleet-{key}">(.*?)</tbody>', client.part(PAGE, "fleet").text, re.DOTALL)
    return found[1] if found else ""


def state_in(html: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html).split()))


def test_an_active_hostname_whose_record_is_gone_reads_dns_broken(
    as_keeper: PageClient, desk: Desk, active: tuple[str, str], calls: Calls
) -> None:
    ref, host = active
    fine = row(as_keeper, ref)
    assert 'beforeend:#fleet-active"' in fine
    assert "DNS broken" not in fine
    desk.dns({"action": "remove", "name": host})
    broken = row(as_keeper, ref, "active")
    assert 'beforeend:#fleet-broken"' in broken
    assert re.search(r"status--danger[^>]*>.*?DNS broken", broken, re.DOTALL)
    assert f"CNAME {host}: missing" in state_in(broken)
    assert ">Fix DNS</a>" in broken
    calls()
    assert ref in group_of(as_keeper, "broken"), "as last seen, without looking again"
    assert calls() == ["GET /v1/projects"]
    desk.publish(host, "CNAME", f"{ref}.supabase.co")
    assert 'beforeend:#fleet-active"' in row(as_keeper, ref, "broken")


def test_a_row_finds_in_dns_what_the_projects_page_finds(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    assert f"CNAME {host}: missing" in state_in(row(as_keeper, ref))
    page = as_keeper.get(desk.address("index", ref, check="now")).text
    assert "Add these 3 records at your DNS provider." in state_in(page)
    desk.publish(host, "CNAME", f"elsewhere.{host}")
    assert f"CNAME {host}: wrong value" in state_in(row(as_keeper, ref))


def test_the_check_on_the_projects_page_is_known_to_the_list(as_keeper: PageClient, desk: Desk, active: tuple[str, str]) -> None:
    ref, host = active
    row(as_keeper, ref)
    desk.dns({"action": "remove", "name": host})
    page = as_keeper.get(desk.address("index", ref, check="now"))
    assert ">DNS broken</span>" in page.text
    assert ref in group_of(as_keeper, "broken")
    desk.publish(host, "CNAME", f"{ref}.supabase.co")
    assert "DNS broken" not in as_keeper.get(desk.address("index", ref, check="now")).text


def test_a_removed_project_reads_removed_and_is_not_asked(as_keeper: PageClient) -> None:
    removed = group_of(as_keeper, "removed")
    assert CAMPAIGN in removed
    assert ">Removed</span>" in removed
    assert "hx-get" not in removed
    assert CAMPAIGN in listed(as_keeper, state="removed")
    assert CAMPAIGN not in listed(as_keeper, state="failed")


def test_resolvers_that_do_not_answer_change_nothing(as_keeper: PageClient, desk: Desk, active: tuple[str, str]) -> None:
    ref, host = active
    desk.dns({"action": "break", "name": host, "how": "servfail"})
    found = row(as_keeper, ref)
    assert 'beforeend:#fleet-active"' in found
    assert "No resolver answered, so DNS wasn't checked." in state_in(found)


@pytest.mark.parametrize(("ref", "step"), [(UPLOADS, "Set up hostname"), (PORTFOLIO, "Activate hostname"), (TRACKING, "")])
def test_each_row_names_its_next_step(as_keeper: PageClient, desk: Desk, ref: str, step: str) -> None:
    found = re.findall(r'<a class="fleet__next" href="([^"]*)">([^<]*)</a>', row(as_keeper, ref))
    assert found == ([(desk.address("index", ref), step)] if step else [])


def test_a_row_says_whether_it_is_checked_automatically(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, _ = desk.set_up()
    assert "Checked automatically" not in row(as_keeper, ref)
    as_keeper.get(desk.address("index", ref))
    as_keeper.send(desk.address("watch", ref), act="start")
    assert "Checked automatically" in row(as_keeper, ref)
    assert as_keeper.part(PAGE, "fleet").text.count("Checked automatically") == 1
    as_keeper.send(desk.address("watch", ref), act="stop")
    assert "Checked automatically" not in row(as_keeper, ref)


@pytest.mark.usefixtures("desk")
class TestTheFilter:
    def test_it_finds_names_refs_and_hostnames(self, as_keeper: PageClient) -> None:
        everything = listed(as_keeper)
        for ref in everything:
            row(as_keeper, ref)
        # The others can't be read, so they may match.
        read = set(Known.objects.values_list("ref", flat=True))

        def found(**query: str) -> set[str]:
            return read & set(listed(as_keeper, **query))

        assert found(q=TRACKING.upper()) == found(q="track.nordlicht") == {TRACKING}
        assert TRACKING in found(q="nordlicht", state="active")
        assert found(q="nordlicht", state="none") == set()
        assert UPLOADS in found(state="none")
        assert set(listed(as_keeper, state="odd one")) == set(everything)
        assert f"{len(everything)} projects, filtered" in as_keeper.part(PAGE, "fleet", q=TRACKING).text

    def test_a_row_that_was_never_read_stays_until_it_is_known_not_to_match(self, as_keeper: PageClient) -> None:
        assert TRACKING in listed(as_keeper, state="none")
        address = reverse("hostnames:row", args=[TRACKING])
        asked = {"name": "x", "in": "loading", "state": "none"}
        assert TRACKING not in as_keeper.get(address, asked, headers={"HX-Request": "true"}).text
        assert TRACKING not in listed(as_keeper, state="none")
        rows = as_keeper.part(PAGE, "fleet", state="none").text
        assert "&amp;state=none" in rows, "each row is asked for with the filter"

    def test_it_survives_a_reload_and_works_without_script(self, as_keeper: PageClient, calls: Calls) -> None:
        page = as_keeper.get(PAGE, {"q": "track", "state": "active"}).text
        assert calls() == []
        assert f'hx-get="{PAGE}?q=track&amp;state=active"' in page
        assert f'href="{PAGE}?list=now&amp;q=track&amp;state=active"' in page


class TestAFailure:
    def test_it_shows_the_last_known_state_with_its_age(
        self, as_keeper: PageClient, desk: Desk, active: tuple[str, str], faults: Faults
    ) -> None:
        ref, host = active
        desk.dns({"action": "remove", "name": host})
        row(as_keeper, ref)
        Known.objects.update(read_at=timezone.now() - timedelta(hours=3))
        faults("M15", status=500)
        found = state_in(row(as_keeper, ref))
        assert "Unreachable" in found
        assert "Last known: DNS broken, 3 hours ago" in found
        assert host in found

    @pytest.mark.usefixtures("desk")
    def test_it_takes_no_row_out_of_a_filtered_list(self, as_keeper: PageClient, faults: Faults) -> None:
        faults("M15", status=500)
        address = reverse("hostnames:row", args=[TRACKING])
        asked = {"name": "x", "in": "active", "state": "active"}
        assert TRACKING in as_keeper.get(address, asked, headers={"HX-Request": "true"}).text

    @pytest.mark.usefixtures("desk")
    def test_a_refusal_shows_nothing_of_before(self, as_keeper: PageClient, faults: Faults) -> None:
        row(as_keeper, TRACKING)
        faults("M15", status=403)
        found = row(as_keeper, TRACKING, "active")
        assert "Last known" not in found
        assert "track.nordlicht-logistik.example" not in found


def test_what_was_so_before_the_first_look_is_at_least_that_old(as_keeper: PageClient, desk: Desk) -> None:
    ref, _, found = desk.set_up()
    assert "At least since" in state_in(row(as_keeper, ref))
    desk.publish_all(ref, found)
    desk.management.hostname.reverify(ref)
    changed = state_in(row(as_keeper, ref))
    assert "Waiting for certificate" in changed
    assert "At least since" not in changed
