"""What an entry changed, as its page shows it."""

import re
from typing import Any

import pytest

from dashboard.journal.details import differences
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.recorder import digest
from dashboard.team.models import Person
from tests.pages import PageClient

OLD, NEW = digest("old"), digest("new")


def shown(operation: str, before: Any, after: Any, target: str = "") -> list[tuple[str, str, str]]:
    changed, _ = differences(Entry(operation=operation, before=before, after=after, target=target))
    return [(one.name, one.before.text, one.after.text) for one in changed]


def test_secrets_are_told_by_name_and_in_words() -> None:
    before = {"returned": {"CHANGED": OLD, "SAME": OLD}}
    after = {"values": {"CHANGED": NEW, "SAME": OLD, "ADDED": NEW}}
    assert shown("M6", before, after) == [
        ("CHANGED", "set", "changed"),
        ("SAME", "set", "unchanged"),
        ("ADDED", "not set", "added"),
    ]
    assert shown("M6", {"returned": {"KEY": OLD}}, {"value": NEW}, "secret KEY") == [("KEY", "set", "changed")]
    assert shown("M7", {"returned": {"KEY": OLD}}, None) == [("KEY", "set", "deleted")]


def test_a_digest_is_there_on_demand_and_not_in_the_words() -> None:
    [change], _ = differences(Entry(operation="M12", before={"version": 3}, after={"version": 3, "body": NEW}))
    assert (change.name, change.before.text, change.after.text, change.after.digest) == ("Code", "", "set", NEW)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "yes"),
        (False, "no"),
        (None, "not set"),
        ("", "not set"),
        (52428800, "52,428,800"),
        ("2026-12-05T17:43:41.625688+00:00", "5 Dec 2026, 17:43:41 UTC"),
        ("2026-12-05T17:43", "2026-12-05T17:43"),
        ("The file", "The file"),
        ([], "none"),
        (["a", "b"], "a, b"),
        ([["a", "x/a"], ["b", "x/b"]], "a → x/a, b → x/b"),
        ([str(number) for number in range(1000)], f"{', '.join(map(str, range(20)))} and 980 more"),
        ([{"name": "a", "deep": {"b": 1}}], "name: a, deep: b: 1"),
    ],
)
def test_values_are_words_instead_of_json(value: Any, words: str) -> None:
    assert shown("S5", {"public": "?"}, {"public": value}) == [("Public", "?", words)]


def test_sizes_are_shown_as_everywhere() -> None:
    assert shown("S5", {"file_size_limit": None}, {"file_size_limit": 52428800}) == [("Size limit", "not set", "52.4 MB")]


def test_a_password_is_set_or_not() -> None:
    before, after = {"password": False, "landing": True}, {"password": True, "landing": False}
    assert shown("link changed", before, after) == [("Password", "not set", "set"), ("Shows a page first", "yes", "no")]


@pytest.mark.parametrize(
    ("before", "after", "heads"),
    [
        (None, {"limit": 5}, ["Field", "Value"]),
        ({"keys": ["a.txt"]}, None, ["Field", "Before"]),
        ({"public": True}, {"public": False}, ["Field", "Before", "After"]),
    ],
)
def test_a_side_that_nothing_is_known_of_has_no_column(
    as_owner: PageClient, owner: Person, before: Any, after: Any, heads: list[str]
) -> None:
    entry = Entry.objects.create(person=owner, operation="S5", before=before, after=after, outcome=Outcome.DONE)
    page = as_owner.get(f"/journal/{entry.pk}/").text
    assert re.findall(r'<th scope="col">([^<]+)</th>', page) == heads
    assert "—" not in page.partition("<table")[2].partition("</table>")[0]


def test_what_stayed_the_same_is_only_named() -> None:
    before = {"dbAllowedCidrs": ["203.0.113.0/24"], "dbAllowedCidrsV6": [], "handed over": {"links": 2}}
    after = {"dbAllowedCidrs": [], "dbAllowedCidrsV6": [], "handed over": {"links": 3}}
    changed, same = differences(Entry(operation="M25", before=before, after=after))
    assert [(one.name, one.before.text, one.after.text) for one in changed] == [
        ("IPv4 ranges", "203.0.113.0/24", "none"),
        ("Handed over: links", "2", "3"),
    ]
    assert same == ["IPv6 ranges"]


@pytest.mark.parametrize(
    ("outcome", "title"), [(Outcome.DONE, "After"), (Outcome.PARTLY, "After"), (Outcome.REFUSED, "Requested")]
)
def test_what_was_not_done_is_called_requested(as_owner: PageClient, owner: Person, outcome: Outcome, title: str) -> None:
    entry = Entry.objects.create(
        person=owner, operation="S5", before={"public": 1}, after={"public": 2, "done": 1, "of": 2}, outcome=outcome
    )
    assert f'<th scope="col">{title}</th>' in as_owner.get(f"/journal/{entry.pk}/").text


def test_a_value_that_is_no_object_is_shown_too() -> None:
    assert shown("of a later version", "a", ["b"]) == [("Value", "a", "b")]
