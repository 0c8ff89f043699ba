"""What entries say."""

from datetime import UTC, date, datetime

import pytest
from django.utils import timezone

from dashboard.interfaces.operations import OPERATIONS
from dashboard.journal import queries
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.periods import day_title
from dashboard.journal.recorder import record
from dashboard.journal.sentences import ACTS, OWN_ACTS, Part, kind_in_the_past, predicate_of, sentence
from dashboard.team.models import Person
from dashboard.team.rights import LEAST
from tests.pages import PageClient

# Rights to something that leaves no entry, or the entry of an operation.
WITHOUT_ENTRY = {
    *("secret value shown", "list exported", "job begun", "hostname watched", "link signed"),
    *("address labelled", "production mark changed", "snapshot usage shown"),
}


@pytest.mark.parametrize(
    ("operation", "target", "said"),
    [
        ("S1", "bucket photos", "Created bucket photos"),
        ("S3", "bucket photos", "Emptied bucket photos"),
        ("S7", "object photos/a.png", "Deleted photos/a.png"),
        ("S8", "1 objects in photos", "Deleted 1 object in photos"),
        ("S8", "2500 objects in photos", "Deleted 2,500 objects in photos"),
        ("S11", "1,000 objects of labels to archive/2025", "Moved 1,000 objects of labels to archive/2025"),
        ("S12", "250 objects in labels", "Changed type or caching of 250 objects in labels"),
        ("S12", "250 objects of labels to the root", "Copied 250 objects of labels to the root"),
        ("S12", "a question: does labels reach other buckets?", "Checked whether labels reaches other buckets"),
        ("S15", "12 objects in handbook", "Created signed links to 12 objects in handbook"),
        ("snapshot deleted", "snapshot of 2026-11-28 of bucket photos", "Deleted the snapshot of 2026-11-28 of bucket photos"),
        ("file erased", "a.txt from 2 snapshots of bucket photos", "Erased a.txt from 2 snapshots of bucket photos"),
        ("M6", "6 secrets: A, B, C, D, E and 1 more", "Saved 6 secrets: A, B, C, D, E and 1 more"),
        ("password confirmed", "/team/new/", "Confirmed with the password"),
        ("code confirmed", "Root key", "Confirmed with a code for Root key"),
        ("code confirmed", "to unlock the account", "Confirmed with a code to unlock the account"),
        ("M17", "hostname a.example", "Set up hostname a.example"),
        ("M18", "hostname a.example", "Verified hostname a.example"),
        ("M20", "root key", "Revealed root key"),
        ("S9", "2024 photos.zip from Ann, sent to “Fair”", "Uploaded 2024 photos.zip from Ann, sent to “Fair”"),
        ("S9", "object lesson.pdf from Ann, sent to “Fair”", "Uploaded object lesson.pdf from Ann, sent to “Fair”"),
        ("S9", ", objects in a.pdf", "Uploaded , objects in a.pdf"),
        ("M23", "203.0.113.10", "Lifted the ban of 203.0.113.10"),
        ("M23", "2001:db8::1", "Lifted the ban of 2001:db8::1"),
        ("M23", "2 addresses", "Lifted 2 bans"),
        ("M25", "network restrictions", "Applied network restrictions"),
        ("M25", "", "Applied the network restrictions"),
        ("link shared", "share link to handbook/contract.pdf", "Shared handbook/contract.pdf"),
        ("link revoked", "share link 3 to handbook/contract.pdf", "Revoked share link 3 to handbook/contract.pdf"),
        ("links revoked", "2 share links", "Revoked 2 share links"),
        ("role changed", "ada@example.org", "Changed the role of ada@example.org"),
        ("token forgotten", "storage token", "Forgot the storage token"),
        ("token stored", "management token", "Stored the management token"),
        ("access granted", "View, share · handbook/drivers/ · Nora", "Gave Nora access to handbook/drivers/: view, share"),
        ("access granted", "View · Whole storage · Ada", "Gave Ada access to the whole storage: view"),
        ("access granted", "View · a/ · Everybody: viewer or higher", "Gave everybody (viewer or higher) access to a/: view"),
        ("access changed", "View · photos/ · Ada", "Changed Ada's access to photos/: view"),
        ("access confirmed", "View · photos/ · Ada", "Confirmed Ada's access to photos/: view"),
        ("access revoked", "View · Secrets, Types · Ada", "Revoked Ada's access to Secrets, Types: view"),
        ("access revoked", "View · a/ · Everybody: owner", "Revoked the access of everybody (owner) to a/: view"),
        ("access granted", "written otherwise", "Gave access: written otherwise"),
        ("sandbox switched", "Slow", "Set the sandbox to Slow"),
        ("sandbox switched", "Reset", "Reset the sandbox"),
        ("S11", "folder handbook/rules-old to rules", "Renamed folder handbook/rules-old to rules"),
        ("S11", "file handbook/a.pdf to b.pdf", "Renamed file handbook/a.pdf to b.pdf"),
        ("S11", "folder 1.pdf from Ann, sent to “Fair”", "Moved folder 1.pdf from Ann, sent to “Fair”"),
        ("sign-in", "ada@example.org", "Signed in"),
        ("of a later version", "something", "Of a later version something"),
    ],
)
def test_what_was_done_is_a_sentence_in_the_past(operation: str, target: str, said: str) -> None:
    assert " ".join(sentence(operation, target, Outcome.DONE)).strip() == said


def test_a_hostname_that_stayed_unverified_was_checked() -> None:
    said = {status: predicate_of("M18", {"status": status}) for status in ("2_initiated", "3_challenge_verified")}
    first, second = (" ".join(sentence("M18", "hostname a.example", Outcome.DONE, exactly=exactly)) for exactly in said.values())
    assert (first, second) == ("Checked hostname a.example", "Verified hostname a.example")


@pytest.mark.parametrize(
    ("operation", "after", "said"),
    [
        ("M12", {"body": "sha256:0", "verify_jwt": True}, "Deployed function track"),
        ("M12", {"body": "sha256:0", "body of version": "14"}, "Rolled back function track to version 14"),
        ("M9", {"body": "sha256:0", "body of version": "14"}, "Rolled back function track to version 14"),
        ("M9", {"body": "sha256:0"}, "Created function track"),
        ("M12", {"verify_jwt": True}, "Changed the settings of function track"),
        ("M12", None, "Updated function track"),
        ("M12", "as an early version kept it", "Updated function track"),
    ],
)
def test_what_was_recorded_tells_a_deployment_from_a_roll_back(operation: str, after: object, said: str) -> None:
    assert " ".join(sentence(operation, "function track", Outcome.DONE, exactly=predicate_of(operation, after))) == said


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ("S1", "Created bucket"),
        ("M17", "Set up custom hostname"),
        ("M20", "Revealed root key"),
        ("S14", "Created signed link"),
        ("token stored", "Stored token"),
        ("access revoked", "Revoked access"),
        ("role changed", "Changed the role"),
        ("function note changed", "Changed function note"),
        ("sign-in", "Signed in"),
        ("of a later version", "Of a later version"),
    ],
)
def test_the_filter_names_acts_as_the_rows_do(operation: str, said: str) -> None:
    assert kind_in_the_past(operation) == said


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome.DONE, "Lifted"),
        (Outcome.PARTLY, "Lifted"),
        (Outcome.OPEN, "Lift"),
        (Outcome.REFUSED, "Tried to lift"),
        (Outcome.FAILED, "Tried to lift"),
        (Outcome.NOT_APPLIED, "Tried to lift"),
        (Outcome.UNKNOWN, "Tried to lift"),
    ],
)
def test_nothing_is_said_to_be_done_that_is_not_known_to_be(outcome: Outcome, said: str) -> None:
    assert sentence("M23", "2 addresses", outcome) == (said, "2 bans")


def test_every_act_that_leaves_an_entry_has_words() -> None:
    assert set(LEAST) - {*OPERATIONS, *ACTS, *OWN_ACTS} == WITHOUT_ENTRY


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            [
                ("S9", "object docs/a/1.pdf", "object docs/a/1.pdf", 1),
                ("S9", "object docs/a/2.pdf", "object docs/a/b/3.pdf", 299),
            ],
            "300 files to docs/a",
        ),
        ([("S9", "object docs/a", "object docs/a/b", 2)], "2 files to docs"),
        ([("S7", "object docs/1.pdf", "object images/2.png", 2)], "2 objects"),
        (
            [("S11", "100 objects of labels to old", "", 1), ("S11", "100 objects of labels to old", "", 9)],
            "1,000 objects of labels to old",
        ),
        ([("S11", "1 object of labels to old", "", 1), ("S11", "100 objects of labels to new", "", 2)], "201 objects"),
        ([("token stored", "management token", "", 1), ("token stored", "storage token", "", 9)], "10 tokens"),
        (
            [("S12", "a question: does labels reach other buckets?", "", 1), ("S8", "40 objects in labels", "", 2)],
            "80 objects in labels",
        ),
        (
            [("access granted", "View · photos/ · Ada", "", 1), ("access granted", "View · photos/ · Bob", "", 1)],
            "Ada and 1 more access to photos/: view",
        ),
        (
            [("access granted", "View · photos/ · Ada", "", 1), ("access granted", "Read · Secrets · Ada", "", 1)],
            "Ada access to photos/: view; Secrets: read",
        ),
        ([("S11", "folder docs/old to new", "folder docs/old to new", 5)], "folder docs/old to new"),
    ],
)
def test_an_act_of_several_entries_is_one_sentence_with_its_total(parts: list[tuple[str, str, str, int]], said: str) -> None:
    found = [Part(*part) for part in parts]
    assert sentence(found[0].operation, found[0].first, Outcome.DONE, found)[1] == said


def test_an_upload_of_files_is_one_row(as_ada: PageClient, ada: Person) -> None:
    for key in ("B.pdf", "a.pdf", "deeper/c.pdf"):
        with record(person_id=ada.pk, operation="S9", target=f"object docs/reports/{key}", place="abc", action="upload-1"):
            pass
    [row] = queries.rows(Entry.objects.filter(part_of=None), name=str, joins=True)
    assert f"{row.what} {row.target}" == "Uploaded 3 files to docs/reports"
    assert "3 entries" in as_ada.get("/journal/").text


def test_the_list_is_by_day_with_the_person_and_only_what_is_not_done_marked(as_owner: PageClient, ada: Person) -> None:
    now = timezone.now()
    Entry.objects.create(person=ada, operation="S1", target="bucket photos", outcome=Outcome.DONE, started_at=now)
    assert "Done</span>" not in (text := as_owner.get("/journal/").text)
    for part in (">Today</h2>", f">{now:%H:%M}</time>", ">AM</span>", "Ada Member", "Times in UTC"):
        assert part in text
    Entry.objects.update(outcome=Outcome.REFUSED)
    assert "Refused</span>" in as_owner.get("/journal/").text


@pytest.mark.parametrize(
    ("day", "title"),
    [
        (date(2026, 3, 1), "Today"),
        (date(2026, 2, 28), "Yesterday"),
        (date(2026, 2, 27), "Friday, 27 February"),
        (date(2025, 12, 31), "Wednesday, 31 December 2025"),
    ],
)
def test_days_are_named_as_people_do(day: date, title: str) -> None:
    assert day_title(day, datetime(2026, 3, 1, tzinfo=UTC).date()) == title
