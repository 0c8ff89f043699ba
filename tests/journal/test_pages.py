import csv
import io
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from dashboard.journal import queries, recorder
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.recorder import record
from dashboard.team.models import Person
from tests.markup import Element, parse
from tests.pages import PageClient


@pytest.fixture
def entries(owner: Person, ada: Person) -> list[Entry]:
    made = [
        ("S1", owner, "bucket photos", "abc", Outcome.DONE),
        ("S6", ada, "bucket letters", "abc", Outcome.REFUSED),
        ("M6", ada, "secrets API_KEY", "xyz", Outcome.DONE),
    ]
    return [
        Entry.objects.create(operation=operation, person=person, target=target, place=place, outcome=outcome)
        for operation, person, target, place, outcome in made
    ]


def spreadsheet(response: Any) -> str:
    return b"".join(response.streaming_content).decode()


def test_an_owner_sees_everybody_newest_first(as_owner: PageClient, entries: list[Entry]) -> None:
    text = as_owner.get("/journal/").content.decode()
    assert text.index("secrets API_KEY") < text.index("bucket letters") < text.index("bucket photos")
    assert "Your changes" not in text


def test_a_member_sees_only_the_own_entries(as_ada: PageClient, entries: list[Entry]) -> None:
    text = as_ada.get("/journal/").content.decode()
    assert "bucket letters" in text
    assert "bucket photos" not in text
    assert "Your changes</p>" in text


def test_another_persons_entry_is_not_found(as_ada: PageClient, entries: list[Entry]) -> None:
    assert as_ada.get(f"/journal/{entries[0].pk}/").status_code == 404
    assert as_ada.get(f"/journal/{entries[1].pk}/").status_code == 200
    assert as_ada.get("/journal/999999/").status_code == 404


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"operation": "S6"}, {"bucket letters"}),
        ({"place": "abc"}, {"bucket letters", "bucket photos"}),
        ({"outcome": "refused"}, {"bucket letters"}),
        ({"q": "photos"}, {"bucket photos"}),
        ({"q": "letters buck"}, {"bucket letters"}),
        ({"place": "abc", "outcome": "done"}, {"bucket photos"}),
        ({"place": "not-offered"}, {"bucket letters", "bucket photos", "secrets API_KEY"}),
        ({"q": "nothing has this"}, set()),
    ],
)
def test_it_filters(as_owner: PageClient, entries: list[Entry], query: dict[str, str], shown: set[str]) -> None:
    text = as_owner.get("/journal/", query).content.decode()
    assert {target for target in ("bucket photos", "bucket letters", "secrets API_KEY") if target in text} == shown


def test_it_filters_by_person(as_owner: PageClient, entries: list[Entry], ada: Person) -> None:
    text = as_owner.get("/journal/", {"person": str(ada.pk)}).content.decode()
    assert "bucket letters" in text
    assert "bucket photos" not in text


def test_a_member_cannot_filter_into_anothers_entries(as_ada: PageClient, entries: list[Entry], owner: Person) -> None:
    assert "bucket photos" not in as_ada.get("/journal/", {"person": str(owner.pk)}).content.decode()


def test_nothing_that_matches_is_told_apart_from_nothing_at_all(as_owner: PageClient, ada: Person) -> None:
    assert "No activity yet" in as_owner.get("/journal/").content.decode()
    Entry.objects.create(operation="S1", person=ada)
    assert "No entry matches" in as_owner.get("/journal/", {"q": "zzz"}).content.decode()


def test_pages_follow_each_other_and_keep_the_filter(as_owner: PageClient, ada: Person) -> None:
    Entry.objects.bulk_create([Entry(operation="S1", person=ada, target=f"bucket {number:03}") for number in range(120)])
    first = as_owner.get("/journal/", {"place": "", "operation": "S1"}).content.decode()
    assert "bucket 119" in first
    assert "bucket 069" not in first
    assert "operation=S1&amp;offset=50" in first
    last = as_owner.get("/journal/", {"operation": "S1", "offset": "100"}).content.decode()
    assert "bucket 000" in last
    assert "offset=150" not in last


def test_htmx_gets_the_list_alone(as_owner: PageClient, entries: list[Entry]) -> None:
    response = as_owner.part("/journal/", "entries", q="photos")
    assert response.status_code == 200
    assert b"<html" not in response.content
    assert b"bucket photos" in response.content


def test_the_details_show_before_and_after(as_owner: PageClient, owner: Person) -> None:
    entry = Entry.objects.create(
        operation="S5",
        person=owner,
        target="bucket photos",
        before={"public": False},
        after={"public": True, "list": ["a", "b"]},
        status=200,
        outcome=Outcome.DONE,
    )
    text = as_owner.get(f"/journal/{entry.pk}/").content.decode()
    cells = parse(text).root.all("td")
    assert [cell.text for cell in cells] == ["no", "yes", "", "a, b"]
    assert [cell.get("class") for cell in cells] == ["", "", "before-after__none", ""], "what was not recorded is left out"
    for part in ("Changed bucket photos", "S5", "200"):
        assert part in text


def test_the_spreadsheet_holds_the_filtered_entries(as_owner: PageClient, entries: list[Entry]) -> None:
    response = as_owner.get("/journal/export/", {"place": "abc"})
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert "attachment" in response["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(spreadsheet(response))))
    assert [row["target"] for row in rows] == ["bucket letters", "bucket photos"]
    assert rows[0]["person"] == "Ada Member"


@pytest.mark.parametrize("evil", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_cell_of_the_spreadsheet_is_a_formula(as_owner: PageClient, owner: Person, evil: str) -> None:
    Entry.objects.create(operation="S9", person=owner, target=evil)
    response = as_owner.get("/journal/export/")
    rows = list(csv.DictReader(io.StringIO(spreadsheet(response), newline="")))
    assert rows[0]["target"].startswith("'")


def test_a_member_exports_only_the_own_entries(as_ada: PageClient, entries: list[Entry]) -> None:
    text = spreadsheet(as_ada.get("/journal/export/"))
    assert "bucket letters" in text
    assert "bucket photos" not in text


def test_it_is_only_read(as_owner: PageClient, entries: list[Entry]) -> None:
    for path in ("/journal/", "/journal/export/", f"/journal/{entries[0].pk}/"):
        assert as_owner.post(path).status_code == 405


def test_markup_in_a_target_stays_text(as_owner: PageClient, owner: Person) -> None:
    Entry.objects.create(operation="S9", person=owner, target="<script>alert(1)</script>")
    assert b"<script>alert" not in as_owner.get("/journal/").content


class TestActions:
    """What one action changed is one line."""

    @pytest.fixture
    def upload(self, ada: Person) -> list[Entry]:
        made = []
        for number in range(3):
            with record(person_id=ada.pk, operation="S9", target=f"photo {number}", place="abc", action="upload-1") as change:
                change.outcome = Outcome.FAILED if number == 1 else None
                made.append(Entry.objects.get(pk=change.entry))
        return made

    def test_an_upload_of_three_files_is_one_line_with_a_list_behind_it(self, as_ada: PageClient, upload: list[Entry]) -> None:
        text = as_ada.get("/journal/").content.decode()
        assert "photo 0 and 2 more" in text
        assert "photo 1" not in text
        assert "3 entries: 2 done, 1 failed" in text
        assert '<span role="status">1 entry</span>' in text
        behind = f"/journal/?entry={upload[0].pk}"
        assert behind in text
        listed = as_ada.get(behind).content.decode()
        assert all(entry.target in listed for entry in upload)

    @pytest.mark.parametrize(
        ("outcomes", "shown"),
        [
            ("done done done", "Done"),
            ("refused failed refused", "Failed"),
            ("done refused done", "Partly applied"),
            ("done failed refused", "Partly applied"),
            ("done unknown refused", "Outcome unknown"),
        ],
    )
    def test_the_worst_outcome_is_the_one_of_the_action_unless_some_are_done(
        self, upload: list[Entry], outcomes: str, shown: str
    ) -> None:
        for entry, outcome in zip(upload, outcomes.split(), strict=True):
            Entry.objects.filter(pk=entry.pk).update(outcome=outcome)
        [row] = queries.rows(Entry.objects.filter(pk=upload[0].pk), name=str, joins=True)
        assert row.outcome == shown

    @pytest.mark.usefixtures("upload")
    def test_single_entries_are_found_by_outcome_and_text(self, as_ada: PageClient) -> None:
        assert "photo 1" in as_ada.get("/journal/", {"outcome": "failed"}).content.decode()
        assert "photo 2" in as_ada.get("/journal/", {"q": "photo 2"}).content.decode()

    @pytest.mark.usefixtures("upload")
    def test_the_actions_of_two_people_stay_apart(self, as_owner: PageClient, owner: Person) -> None:
        with record(person_id=owner.pk, operation="S9", target="mine", action="upload-1"):
            pass
        assert "2 entries:" not in as_owner.get("/journal/").content.decode()

    def test_two_that_begin_at_once_become_one_action(self, ada: Person) -> None:
        one, two = (Entry.objects.create(person=ada, operation="S9", target=f"twin {n}", action="upload-2") for n in (1, 2))
        part = Entry.objects.create(person=ada, operation="S9", target="of the second", action="upload-2", part_of=two)
        recorder.join_action(one)
        assert set(Entry.objects.filter(part_of=one)) == {two, part}

    def test_nobody_opens_the_actions_of_others(self, as_ada: PageClient, owner: Person) -> None:
        with record(person_id=owner.pk, operation="S9", target="secret plan", action="upload-3") as change:
            pass
        assert "secret plan" not in as_ada.get("/journal/", {"entry": str(change.entry)}).content.decode()


def test_it_filters_by_kind(as_owner: PageClient, entries: list[Entry]) -> None:
    assert shown(as_owner, operation="Buckets") == {"bucket letters", "bucket photos"}
    assert shown(as_owner, operation="Secrets") == {"secrets API_KEY"}


class TestDays:
    """Days begin when the reader's do."""

    ZONE = ZoneInfo("Pacific/Auckland")

    @pytest.fixture
    def today(self, as_owner: PageClient, entries: list[Entry]) -> date:
        """Today in Auckland: the three entries are of today, of the end of yesterday, and of eight days ago."""
        as_owner.cookies["pilothouse_zone"] = self.ZONE.key
        today = timezone.now().astimezone(self.ZONE).date()
        midnight = datetime.combine(today, time.min, self.ZONE)
        moments = (midnight, midnight - timedelta(minutes=1), midnight - timedelta(days=7, minutes=1))
        for entry, moment in zip(entries, moments, strict=True):
            Entry.objects.filter(pk=entry.pk).update(started_at=moment)
        return today

    @pytest.mark.parametrize(
        ("label", "found"),
        [
            ("Any day", {"bucket photos", "bucket letters", "secrets API_KEY"}),
            ("Today", {"bucket photos"}),
            ("Yesterday", {"bucket letters"}),
            ("Last 7 days", {"bucket photos", "bucket letters"}),
        ],
    )
    @pytest.mark.usefixtures("today")
    def test_one_click_shows_a_day(self, as_owner: PageClient, label: str, found: set[str]) -> None:
        days = chips(as_owner.get("/journal/"))
        text = as_owner.get(days[label].get("href")).text
        assert {target for target in ("bucket photos", "bucket letters", "secrets API_KEY") if target in text} == found
        assert [name for name, chip in chips(as_owner.get(days[label].get("href"))).items() if chip.has("aria-current")] == [
            label
        ]

    def test_both_ends_may_be_open(self, as_owner: PageClient, today: date) -> None:
        yesterday = str(today - timedelta(days=1))
        assert shown(as_owner, since=yesterday) == {"bucket photos", "bucket letters"}
        assert shown(as_owner, until=yesterday) == {"bucket letters", "secrets API_KEY"}
        assert shown(as_owner, since=yesterday, operation="Buckets", q="letters") == {"bucket letters"}

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ({"since": "2026-01-05", "until": "2026-01-05"}, "No changes on this day"),
            ({"since": "2026-01-05", "until": "2026-01-06"}, "No changes on these days"),
            ({"since": "2026-01-05", "until": "2026-01-05", "q": "bucket"}, "No entry matches"),
        ],
    )
    @pytest.mark.usefixtures("today")
    def test_a_day_without_changes_says_so(self, as_owner: PageClient, query: dict[str, str], said: str) -> None:
        assert said in as_owner.get("/journal/", query).text

    def test_a_day_keeps_the_other_filters_also_beside_the_list_alone(self, as_owner: PageClient, today: date) -> None:
        for answer in (as_owner.get("/journal/", {"q": "bucket"}), as_owner.part("/journal/", "entries", q="bucket")):
            assert chips(answer)["Today"].get("href") == f"/journal/?q=bucket&since={today}&until={today}"

    @pytest.mark.usefixtures("today")
    @pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "yesterday", "2026-02-30"])
    def test_what_is_no_day_of_ours_filters_nothing(self, as_owner: PageClient, day: str) -> None:
        assert len(shown(as_owner, since=day, until=day)) == 3

    def test_the_spreadsheet_holds_the_same_days(self, as_owner: PageClient, today: date) -> None:
        rows = csv.DictReader(io.StringIO(spreadsheet(as_owner.get("/journal/export/", {"since": str(today)}))))
        assert [row["target"] for row in rows] == ["bucket photos"]

    @pytest.mark.usefixtures("today")
    def test_without_a_known_zone_days_are_those_of_utc(self, as_owner: PageClient) -> None:
        as_owner.cookies["pilothouse_zone"] = "../etc/passwd"
        assert f"since={timezone.now():%Y-%m-%d}" in chips(as_owner.get("/journal/"))["Today"].get("href")


def chips(answer: Any) -> dict[str, Element]:
    [days] = [nav for nav in parse(answer.text).root.all("nav") if nav.get("id") == "entries-days"]
    return {chip.text: chip for chip in days.all("a")}


def shown(client: PageClient, **query: str) -> set[str]:
    text = client.get("/journal/", query).content.decode()
    return {target for target in ("bucket photos", "bucket letters", "secrets API_KEY") if target in text}
