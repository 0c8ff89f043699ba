"""The ledger: every link with its state, found by what it is, and what needs looking after."""

import csv
import re
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from dashboard.features.sharing.services.overview import FACT
from dashboard.links import follow, ledger, lifecycle
from dashboard.links.models import RawLink, Share
from dashboard.team.models import Person, Role
from dashboard.tokens.workspace import Workspace
from tests.features.service import Calls, Faults
from tests.features.sharing.conftest import Desk
from tests.pages import PageClient
from tests.people import hold
from tests.sandboxes import Sandbox

LEDGER, RAW = "/links/", "/links/presigned/"


def body(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


def names(answer: Any) -> list[str]:
    """What the rows lead to, in order."""
    found = re.findall(
        r'<a class="entry__link".*?middle__head">([^<]*)</span><span class="middle__tail">([^<]*)', answer.text, re.DOTALL
    )
    return ["".join(parts) for parts in found]


def table(answer: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(body(answer))))


def states(answer: Any) -> list[str]:
    return re.findall(r'data-label="State">\s*<span.*?<span>([^<]+)', answer.text, re.DOTALL)


@pytest.fixture
def locked(desk: Desk, service: Sandbox) -> Person:
    """Lena has both tokens; then somebody else's link set her password."""
    lena = Person.objects.create(email="lena@example.org", name="Lena Locked")
    hold(lena, service.personal_token)
    hold(lena, service.storage_tokens[desk.space]["service"], desk.space)
    lena.lock(by=desk.person)
    lena.save()
    return lena


def test_the_code_of_a_link_is_told_to_nobody_while_its_owner_is_locked(desk: Desk) -> None:
    share, path = desk.share("a.txt")
    assert share.code == path.removeprefix("/l/")
    share.owner.lock(by=Person.objects.create(email="otto@example.org", role=Role.OWNER))
    share.owner.save()
    assert Share.objects.get(pk=share.pk).code == ""


@pytest.fixture
def every_state(desk: Desk, ada: Person, locked: Person) -> dict[str, Share]:
    """One link in each state, by the value that filters for it."""
    made = {
        word: desk.share(f"{word}.txt")[0]
        for word in ("live", "gone", "hidden", "locked", "owner left", "used-up", "expired", "ended")
    }
    Share.objects.filter(pk=made["gone"].pk).update(gone_at=timezone.now())
    Share.objects.filter(pk=made["hidden"].pk).update(hidden_at=timezone.now())
    Share.objects.filter(pk=made["locked"].pk).update(owner=locked)
    Person.objects.filter(pk=ada.pk).update(is_active=False)
    Share.objects.filter(pk=made["owner left"].pk).update(owner=ada)
    Share.objects.filter(pk=made["used-up"].pk).update(limit=2, opened=2)
    Share.objects.filter(pk=made["expired"].pk).update(ends_at=timezone.now() - timedelta(minutes=1))
    lifecycle.revoke(desk.person, Share.objects.filter(pk=made["ended"].pk))
    return made


def test_each_state_has_its_words_and_can_be_filtered_for(desk: Desk, every_state: dict[str, Share]) -> None:
    everything = desk.client.get(LEDGER)
    for words in (
        *("Active", "File missing", "No access", "Locked", "Owner left", "Limit reached", "Expired", "Revoked", "2 of 2"),
        "8 links",
    ):
        assert words in everything.text, words
    for state in every_state:
        found = desk.client.get(LEDGER, {"state": state})
        assert names(found) == [f"{state}.txt"], state
        assert "1 link<" in found.text


class TestALockedOwner:
    """A link that does not open until its owner unlocks their tokens is not "Active"."""

    def test_their_link_is_locked_with_the_reason_until_they_unlock(self, desk: Desk, locked: Person) -> None:
        desk.put("a.txt")
        share, path = desk.share("a.txt")
        Share.objects.update(owner=locked)
        assert desk.visitor.get(path).status_code == 410
        theirs = desk.client.get(LEDGER)
        assert states(theirs) == ["Locked"]
        assert "The owner must unlock their account" in theirs.text
        assert f"/links/{share.pk}/ending/" in theirs.text, "it can be revoked"
        locked.unlock()
        locked.save()
        assert states(desk.client.get(LEDGER)) == ["Active"], "also after somebody tried it in the meantime"

    def test_a_token_stored_since_opens_none_of_their_links(self, desk: Desk, service: Sandbox, locked: Person) -> None:
        desk.share("a.txt")
        Share.objects.update(owner=locked)
        hold(locked, service.storage_tokens[desk.space]["service"], desk.space)
        assert states(desk.client.get(LEDGER)) == states(desk.client.get(LEDGER, {"state": "locked"})) == ["Locked"]

    def test_what_opens_no_more_keeps_its_state(self, desk: Desk, locked: Person) -> None:
        desk.share("a.txt")
        Share.objects.update(owner=locked, ends_at=timezone.now())
        assert states(desk.client.get(LEDGER)) == ["Expired"]


def test_it_says_who_ended_a_link_of_somebody_else(desk: Desk, ada: Person, as_ada: PageClient) -> None:
    share, _ = desk.share("a.txt")
    Share.objects.update(owner=ada)
    lifecycle.revoke(desk.person, Share.objects.filter(pk=share.pk))
    assert "Revoked by Olga Owner" in as_ada.get(LEDGER).text
    assert "Revoked by Olga Owner" in desk.client.get(LEDGER).text


def test_it_is_searched_by_name_note_bucket_and_person(desk: Desk, ada: Person) -> None:
    desk.share("reports/Quarter three.pdf")
    desk.share("b.txt", note="For the tax office")
    theirs, _ = desk.share("c.txt")
    Share.objects.filter(pk=theirs.pk).update(owner=ada)
    for words, found in {
        "quarter": ["Quarter three.pdf"],
        "TAX office": ["b.txt"],
        "ada member": ["c.txt"],
        "reports/ three": ["Quarter three.pdf"],
        "tax quarter": [],
        "%": [],
    }.items():
        assert names(desk.client.get(LEDGER, {"q": words})) == found, words
    assert len(names(desk.client.get(LEDGER, {"q": desk.bucket}))) == 3
    assert names(desk.client.get(LEDGER, {"person": str(ada.pk)})) == ["c.txt"]
    assert len(names(desk.client.get(LEDGER, {"place": f"{desk.space}/{desk.bucket}"}))) == 3
    assert "No matching links" in desk.client.get(LEDGER, {"q": "nothing like it"}).text


def test_a_filter_that_is_not_offered_does_not_filter(desk: Desk) -> None:
    desk.share("a.txt")
    for query in ({"state": "odd"}, {"person": "999999"}, {"person": "x"}, {"place": "a/b"}, {"view": "odd"}, {"sort": "note"}):
        assert names(desk.client.get(LEDGER, query)) == ["a.txt"], query


def test_it_is_sorted_by_what_stands_in_the_columns(desk: Desk) -> None:
    for number, (name, days, opened) in enumerate((("a", 3, 5), ("b", 1, 0), ("c", 2, 9))):
        share, _ = desk.share(name, ends_at=timezone.now() + timedelta(days=days))
        seen = timezone.now() - timedelta(hours=number) if opened else None
        Share.objects.filter(pk=share.pk).update(opened=opened, opened_at=seen)
    for sort, order in {"": "cba", "ends": "bca", "-ends": "acb", "opened": "bac", "-opened": "cab", "-last": "acb"}.items():
        assert "".join(names(desk.client.get(LEDGER, {"sort": sort}))) == order, sort


def test_pages_keep_the_filter(desk: Desk) -> None:
    for number in range(52):
        desk.share(f"{number:02}.txt", note="many")
    desk.share("other.txt")
    first = desk.client.part(LEDGER, "links", q="many", sort="ends")
    assert "52 links" in first.text
    assert len(names(first)) == 50
    assert "q=many&amp;sort=ends&amp;offset=50" in first.text
    assert len(names(desk.client.get(LEDGER, {"q": "many", "offset": "50"}))) == 2


def test_what_needs_looking_after_is_counted_and_listed(desk: Desk) -> None:
    for name, days in (("soon.txt", 7), ("short.txt", 1)):
        share, _ = desk.share(name, ends_at=timezone.now() + timedelta(hours=20))
        Share.objects.filter(pk=share.pk).update(made_at=share.ends_at - timedelta(days=days))
    desk.share("week.txt", ends_at=timezone.now() + timedelta(days=7))
    opened, _ = desk.share("opened.txt", ends_at=timezone.now() + timedelta(days=20))
    Share.objects.filter(pk=opened.pk).update(opened=1, opened_at=timezone.now())
    desk.share("never.txt", ends_at=timezone.now() + timedelta(days=20))
    page = desk.client.get(LEDGER)
    counts = dict(re.findall(r'view=(\w+)"[^>]*>[^<]*<span class="links__number">(\d+)', page.text))
    assert counts == {"soon": "1", "unopened": "4", "pointless": "0"}
    assert names(desk.client.get(LEDGER, {"view": "soon"})) == ["soon.txt"]
    assert names(desk.client.get(LEDGER, {"view": "unopened"})) == ["never.txt", "week.txt", "short.txt", "soon.txt"]


class TestAPublicBucket:
    def test_it_is_asked_for_only_where_that_is_wanted(self, desk: Desk, calls: Calls) -> None:
        desk.share("a.txt")
        calls()
        desk.client.get(LEDGER)
        assert calls() == []
        chip = desk.client.part(LEDGER, "links-pointless")
        assert ">0</span>" in chip.text
        assert calls() == [f"GET /{desk.space}/storage/v1/bucket/"]
        desk.client.get(LEDGER, {"view": "pointless"})
        assert calls() == [], "asked within the last minute"

    def test_its_links_are_marked_and_listed_as_pointless(self, desk: Desk) -> None:
        desk.share("a.txt")
        desk.storage.buckets.update(desk.bucket, public=True)
        assert "No matching links" not in (answer := desk.client.get(LEDGER, {"view": "pointless"})).text
        assert names(answer) == ["a.txt"]
        assert "password, limit and expiry protect nothing" in answer.text
        assert "public bucket" in desk.client.get(LEDGER).text

    def test_a_service_that_fails_leaves_the_list_as_it_was(self, desk: Desk, faults: Faults) -> None:
        desk.share("a.txt")
        faults("S2", status=500)
        assert desk.client.get(LEDGER, {"view": "pointless"}).status_code == 200
        assert names(desk.client.get(LEDGER)) == ["a.txt"]

    def test_somebody_without_a_token_learns_nothing_of_it(self, desk: Desk, as_ada: PageClient, ada: Person) -> None:
        desk.share("a.txt")
        Share.objects.update(owner=ada)
        desk.storage.buckets.update(desk.bucket, public=True)
        assert names(desk.client.get(LEDGER, {"view": "pointless"})) == ["a.txt"]
        assert names(as_ada.get(LEDGER, {"view": "pointless"})) == []
        assert "public bucket" not in as_ada.get(LEDGER).text


def test_the_own_live_link_can_be_copied_from_its_row(desk: Desk, ada: Person) -> None:
    share, path = desk.share("a.txt")
    assert path in desk.client.get(LEDGER).text
    Share.objects.filter(pk=share.pk).update(owner=ada)
    assert path not in desk.client.get(LEDGER).text, "somebody else's"
    Share.objects.filter(pk=share.pk).update(owner=desk.person)
    lifecycle.revoke(desk.person, Share.objects.all())
    assert path not in desk.client.get(LEDGER).text, "it opens nothing"


class TestGone:
    def test_a_file_that_was_missed_is_shown_until_it_is_there_again(self, desk: Desk) -> None:
        _, path = desk.share("a.txt", landing=False)
        for address in (path, f"{path}/file"):
            Share.objects.update(gone_at=None)
            assert desk.visitor.get(address).status_code == 404
            assert states(desk.client.get(LEDGER)) == ["File missing"]
        desk.put("a.txt")
        assert desk.visitor.get(path).status_code == 302
        assert states(desk.client.get(LEDGER)) == ["Active"]

    def test_one_file_of_a_set_says_nothing_of_the_link(self, desk: Desk) -> None:
        desk.put("a.txt")
        _, path = desk.share("a.txt", "b.txt")
        assert desk.visitor.get(f"{path}/file?n=1").status_code == 404
        assert desk.visitor.get(f"{path}/file?n=77").status_code == 404
        assert states(desk.client.get(LEDGER)) == ["Active"]

    def test_what_is_deleted_here_is_known_to_be_gone(self, desk: Desk) -> None:
        desk.put("a.txt", "b.txt")
        desk.share("a.txt")
        desk.share("a.txt", "b.txt")
        address = reverse("objects:deletion", args=(desk.space, desk.bucket)) + "?key=a.txt"
        asked = desk.client.get(address).text
        assert "2 active share links will lead to a missing file" in asked
        assert "of Olga Owner, expires" in asked
        desk.client.post(address)
        assert states(desk.client.get(LEDGER)) == ["Active", "File missing"]


class TestTheSpreadsheet:
    @pytest.mark.usefixtures("every_state")
    def test_it_holds_what_was_filtered_and_no_address(self, desk: Desk) -> None:
        desk.share("=danger.txt", note="+1", limit=3, password="four random words")
        codes = [share.code for share in Share.objects.all()]
        rows = table(desk.client.get("/links/export/"))
        assert len(rows) == 9
        assert (rows[0]["leads to"], rows[0]["note"], rows[0]["limit"], rows[0]["password"]) == (
            "'=danger.txt",
            "'+1",
            "3",
            "yes",
        )
        assert not any(code in body(desk.client.get("/links/export/")) for code in codes if code)
        assert [row["state"] for row in table(desk.client.get("/links/export/", {"state": "gone"}))] == ["File missing"]

    def test_it_holds_only_what_one_may_see(self, desk: Desk, as_ada: PageClient) -> None:
        desk.share("a.txt")
        assert table(as_ada.get("/links/export/")) == []
        assert Client().get("/links/export/").status_code == 302


class TestRawLinks:
    @pytest.fixture(autouse=True)
    def handed_out(self, desk: Desk, owner: Person) -> None:
        for keys, hours in ((["dir/one.txt"], 1), ([f"many/{number}.txt" for number in range(30)], -1)):
            RawLink.objects.create(
                person=owner,
                space=desk.space,
                bucket=desk.bucket,
                keys=keys,
                count=len(keys),
                ends_at=timezone.now() + timedelta(hours=hours),
            )

    def test_they_stand_there_with_the_plain_words(self, desk: Desk) -> None:
        answer = desk.client.get(RAW)
        for words in ("one.txt", "30 objects", "and 10 more", "Active", "Expired", "t be revoked"):
            assert words in answer.text, words
        assert "2 entries" in answer.text
        assert "one.txt" not in desk.client.part(RAW, "raw-links", state="expired").text
        found = desk.client.part(RAW, "raw-links", q="ONE.t", sort="-count").text
        assert "one.txt" in found
        assert "30 objects" not in found
        RawLink.objects.filter(count=1).update(keys=["ключ/файл.txt"])
        assert "файл.txt" in desk.client.part(RAW, "raw-links", q="файл").text
        assert "No matching links" in desk.client.part(RAW, "raw-links", q="none like it").text

    def test_a_member_sees_the_own_ones_only(self, as_ada: PageClient) -> None:
        assert "No signed links yet" in as_ada.get(RAW).text
        assert "one.txt" not in body(as_ada.get("/links/presigned/export/"))

    def test_they_can_be_exported(self, desk: Desk) -> None:
        rows = table(desk.client.get("/links/presigned/export/", {"sort": "count"}))
        assert [(row["objects"], row["first object"]) for row in rows] == [("1", "dir/one.txt"), ("30", "many/0.txt")]

    def test_what_is_signed_in_the_browser_is_noted(self, desk: Desk) -> None:
        desk.put("signed.txt")
        address = reverse("objects:links", args=(desk.space, desk.bucket)) + "?key=signed.txt"
        assert desk.client.post(address, {"life": "3600", "opens": "view"}).status_code == 200
        answer = desk.client.get(RAW)
        assert "signed.txt" in answer.text
        assert "token=" not in answer.text


@pytest.mark.parametrize("is_locked", [False, True])
def test_a_hundred_links_cost_no_query_each(
    desk: Desk, locked: Person, django_assert_max_num_queries: DjangoAssertNumQueries, is_locked: bool
) -> None:
    for number in range(30):
        desk.share(f"{number}.txt")
    if is_locked:
        Share.objects.update(owner=locked)
    desk.client.get(LEDGER)
    with django_assert_max_num_queries(22):
        desk.client.get(LEDGER)


def test_an_objects_page_shows_its_links(desk: Desk) -> None:
    desk.put("dir/a.txt")
    desk.share("dir/a.txt", note="To the printer")
    desk.share(folders=("dir/",), note="All of it")
    page = desk.client.get(reverse("objects:details", args=(desk.space, desk.bucket)), {"key": "dir/a.txt"})
    assert "To the printer" in page.text
    assert "All of it" in page.text


def test_links_are_named_in_a_warning_as_far_as_one_may_see_them(desk: Desk, ada: Person, later: Callable[..., None]) -> None:
    for number in range(5):
        desk.share("a.txt", note=f"note {number}")
    dying = follow.dying_ids(desk.space, desk.bucket, keys=["a.txt"])
    assert len(dying) == 5
    assert ledger.named(desk.person, dying)[-1] == "2 more"
    assert ledger.named(ada, dying) == []
    later(timedelta(days=8))
    assert follow.dying_ids(desk.space, desk.bucket, keys=["a.txt"]) == set()


@pytest.mark.parametrize("name", ["sharing:ledger", "sharing:raw", "file_requests:index"])
def test_an_empty_list_has_no_filters_and_leads_to_the_buckets(desk: Desk, name: str) -> None:
    page, filtered = desk.client.get(reverse(name)).text, desk.client.get(f"{reverse(name)}?state=live").text
    assert 'class="filter' not in page
    assert f'href="{reverse("home:index")}?view=storage"' in page
    assert 'class="filter' in filtered, "what hides the rows stays in sight"


def test_overviews_count_the_links_and_those_on_their_last_day(desk: Desk) -> None:
    desk.put("a.txt")
    desk.share("a.txt", ends_at=timezone.now() + timedelta(days=30))
    assert FACT.show(Workspace(desk.person), {desk.space: None})[desk.space].text == "1"
    share, _ = desk.share("a.txt", ends_at=timezone.now() + timedelta(days=7))
    assert FACT.show(Workspace(desk.person), {desk.space: None})[desk.space].text == "2"
    Share.objects.filter(pk=share.pk).update(made_at=F("made_at") - timedelta(days=7), ends_at=F("ends_at") - timedelta(days=6.5))
    assert FACT.show(Workspace(desk.person), {desk.space: None})[desk.space].text == "2 · 1 expires soon"
