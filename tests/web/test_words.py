"""Numbers, bytes, times, notices, pages of lists, and what never reaches a log."""

import logging
import sys
from datetime import UTC, datetime, timedelta

import pytest
from django.http import QueryDict
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from dashboard.interfaces.operations import OPERATIONS
from dashboard.web.failures.operations import TEAM, kind_of
from dashboard.web.http.logs import JsonFormatter, redact
from dashboard.web.pages.notices import Notice, merged
from dashboard.web.pages.pagination import address, part_of, window
from dashboard.web.text import bytes_text, exact, exact_bytes, halves, local, relative, sortable
from tests.credentials import CREDENTIALS

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (None, "Unknown"),
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 KB"),
        (999_949, "999.9 KB"),
        (999_950, "1.0 MB"),
        (52428800, "52.4 MB"),
        (5 * 10**12, "5.0 TB"),
        (10**18, "1,000.0 PB"),
    ],
)
def test_bytes_have_units_of_a_thousand_and_one_decimal(count: int | None, words: str) -> None:
    assert bytes_text(count) == words


@given(st.integers(min_value=0, max_value=10**18 - 10**14))
def test_no_size_reaches_the_next_unit(count: int) -> None:
    number = float(bytes_text(count).split()[0].replace(",", ""))
    assert number < 1000


def test_exact_bytes_have_separators() -> None:
    assert exact_bytes(1468006) == "1,468,006 bytes"
    assert exact_bytes(1) == "1 byte"


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=3), "just now"),
        (timedelta(seconds=59), "59 seconds ago"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=23), "23 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=40), "1 month ago"),
        (timedelta(days=800), "2 years ago"),
        (-timedelta(seconds=2), "in a moment"),
        (-timedelta(days=2), "in 2 days"),
        (-timedelta(days=6, hours=23, minutes=59), "in 7 days"),
        (-timedelta(days=6, hours=11), "in 6 days"),
    ],
)
def test_times_are_relative(ago: timedelta, words: str) -> None:
    assert relative(NOW - ago, NOW) == words


def test_an_exact_time_names_its_zone() -> None:
    assert exact(NOW) == "21 Nov 2026, 12:00:00 UTC"
    assert sortable(NOW) == "2026-11-21 12:00:00 UTC"


@given(st.text(max_size=60))
def test_a_cut_key_is_still_whole(key: str) -> None:
    assert "".join(halves(key)) == key


def test_equal_notices_merge_and_three_are_enough() -> None:
    found = [Notice("a"), Notice("a"), Notice("b"), Notice("c"), Notice("d", "danger")]
    assert [(notice.text, notice.times) for notice in merged(found)] == [("d", 1), ("a", 2), ("b", 1)]


def test_a_page_knows_its_neighbours(rf: RequestFactory) -> None:
    page = part_of(rf.get("/list/", {"q": "a b", "offset": "100"}), list(range(250)))
    assert QueryDict(page.next.partition("?")[2]).dict() == {"q": "a b", "offset": "200"}
    assert QueryDict(page.previous.partition("?")[2]).dict() == {"q": "a b"}
    assert (page.first, page.last) == (101, 200)


def test_a_full_page_can_be_the_last_one(rf: RequestFactory) -> None:
    page = part_of(rf.get("/list/"), list(range(100)))
    assert (page.next, page.previous) == ("", "")


@pytest.mark.parametrize(("total", "first"), [(200, 101), (201, 201), (100, 1), (1, 1), (0, 0)])
def test_behind_the_end_is_the_last_page(rf: RequestFactory, total: int, first: int) -> None:
    page = part_of(rf.get("/list/", {"offset": "200"}), list(range(total)))
    assert (page.first, page.next) == (first, "")


@pytest.mark.parametrize("offset", ["-1", "x", "", "1e3", "9" * 40, "²"])
def test_a_strange_offset_is_the_start(rf: RequestFactory, offset: str) -> None:
    assert window(rf.get("/", {"offset": offset})).offset == 0


def test_a_question_mark_of_a_name_stays_part_of_the_address(rf: RequestFactory) -> None:
    assert address(rf.get("/storage/why%3F%20not/"), 100) == "/storage/why%3F%20not/?offset=100"


def test_the_start_has_a_clean_address(rf: RequestFactory) -> None:
    assert address(rf.get("/list/", {"offset": "100"}), 0) == "/list/"


@pytest.mark.parametrize("line", CREDENTIALS)
def test_what_is_taken_out_of_the_services_words_reaches_no_log_either(line: str) -> None:
    shown = redact(line)
    assert "•••" in shown
    assert not any(secret in shown for secret in ("hunter2", "eyJhbGci", "0123456789abcdef"))


@pytest.mark.parametrize(
    "line",
    [
        f"GET /object/x?authorization=Bearer%20{JWT}",
        f"Authorization: Bearer {JWT}",
        f"{{'Authorization': 'Bearer {JWT}'}}",
        f"/object/sign/a?token={JWT}&download=x",
        "apikey=abcdefgh0123456789",
        "personal token sbp_0123456789abcdef0123456789abcdef01234567",
        "Bearer abcdefgh0123456789",
        "Not Found: /account/password/reset/key/1-abcdefgh0123456789-1/",
        "GET /account/password/reset/key/1-d1abc-abcdefgh0123456789?next=/ HTTP/1.1",
    ],
)
def test_no_credential_reaches_a_log(line: str) -> None:
    shown = redact(line)
    assert "•••" in shown
    for secret in (JWT, "abcdefgh0123456789", "sbp_0123456789abcdef"):
        assert secret not in shown


def test_ordinary_lines_stay_as_they_are() -> None:
    line = "S1 ended as Conflict after 48 ms (status 409), 3 tokens checked"
    assert redact(line) == line


def test_a_traceback_is_redacted_too() -> None:
    try:
        int(f"https://x/object?token={JWT}")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, __file__, 1, "it failed", None, sys.exc_info())
    assert JWT not in JsonFormatter().format(record)


def test_no_operation_is_filed_under_the_team() -> None:
    assert [ident for ident in OPERATIONS if kind_of(ident) == TEAM] == []
    assert kind_of("token stored") == TEAM


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        ("Europe/Berlin", "Friday 1 January 2100, 00:05 in Berlin"),
        ("America/Argentina/Buenos_Aires", "Thursday 31 December 2099, 20:05 in Buenos Aires"),
        ("UTC", ""),
        ("Etc/GMT+2", ""),
        ("", ""),
        ("Europe", ""),
        ("../../etc/passwd", ""),
        ("Nowhere/City", ""),
        ("a\0b", ""),
    ],
)
def test_a_moment_is_told_in_a_zone_of_its_own(zone: str, words: str) -> None:
    assert local(datetime(2099, 12, 31, 23, 5, tzinfo=UTC), zone) == words
