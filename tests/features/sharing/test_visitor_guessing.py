"""Passwords and codes can't be guessed, and a password gives nothing away before it is right."""

import logging
import re
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from dashboard.links.lifecycle import Terms, change
from dashboard.links.models import Share
from dashboard.web.http.logs import JsonFormatter
from dashboard.web.models import Attempt
from tests.features.sharing.conftest import Calls, Desk

PASSWORD = "correct horse battery"


@pytest.fixture
def locked(desk: Desk) -> tuple[Share, str]:
    desk.put("dir/Secret plan.pdf", body=b"x" * 4096, content_type="application/pdf")
    return desk.share("dir/Secret plan.pdf", password=PASSWORD, note="The plan", landing=False)


def test_before_the_right_password_nothing_is_said_and_nothing_is_asked(
    desk: Desk, locked: tuple[Share, str], calls: Calls
) -> None:
    share, path = locked
    calls()
    texts = [desk.visitor.get(path).text]
    wrong = desk.visitor.post(path, {"password": "wrong"})
    assert wrong.status_code == 422
    texts.append(wrong.text)
    for address in (f"{path}/file", f"{path}/file?n=0"):
        asked = desk.visitor.get(address)
        assert (asked.status_code, asked["Location"]) == (302, path)
        assert desk.visitor.head(address).status_code == 302
    for text in texts:
        for secret in ("Secret", ".pdf", "pdf", "4.1 KB", "4096", "The plan", desk.bucket):
            assert secret not in text, secret
    assert calls() == [], "the storage was asked"
    share.refresh_from_db()
    assert share.opened == 0


def test_a_missing_object_looks_the_same_behind_a_password(desk: Desk, locked: tuple[Share, str]) -> None:
    _, missing = desk.share("never there.txt", password=PASSWORD)
    texts = [re.sub(r'value="\w+"', "", desk.visitor.post(path, {"password": "wrong"}).text) for path in (locked[1], missing)]
    assert texts[0] == texts[1]


def test_the_right_password_opens_the_page_and_the_file_for_this_browser_only(desk: Desk, locked: tuple[Share, str]) -> None:
    _, path = locked
    answer = desk.visitor.post(path, {"password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (303, path)
    (cookie,) = answer.cookies.values()
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/", True, "Lax")
    page = desk.visitor.get(path)
    assert "Secret plan.pdf" in page.text, "with a password the page comes first: a form may not lead to another origin"
    assert desk.visitor.get(f"{path}/file")["Location"].startswith("http")
    assert "Password required" in Client().get(path).content.decode()


def test_the_cookie_is_good_for_half_an_hour_for_this_link_and_this_password(
    desk: Desk, locked: tuple[Share, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    share, path = locked
    _, other = desk.share("dir/Secret plan.pdf", password=PASSWORD)
    (cookie,) = desk.visitor.post(path, {"password": PASSWORD}).cookies.values()
    (name,) = Client().post(other, {"password": PASSWORD}).cookies
    elsewhere = Client()
    elsewhere.cookies[name] = elsewhere.cookies[cookie.key] = cookie.value
    assert "Password required" in elsewhere.get(other).content.decode()
    assert "Secret plan" in elsewhere.get(path).content.decode()
    with monkeypatch.context() as patch:
        late = time.time() + 31 * 60
        patch.setattr(time, "time", lambda: late)
        assert "Password required" in elsewhere.get(path).content.decode()
    change(desk.person, share, Terms(ends_at=share.ends_at, password="another horse"))
    assert "Password required" in elsewhere.get(path).content.decode()


def test_the_form_is_sent_with_its_token_also_where_the_browser_hides_the_origin(locked: tuple[Share, str]) -> None:
    _, path = locked
    browser = Client(enforce_csrf_checks=True)
    browser.get(path)
    token = browser.cookies["pilothouse_csrf"].value
    form = {"password": PASSWORD, "csrfmiddlewaretoken": token}
    assert browser.post(path, form, headers={"Origin": "null"}).status_code == 303
    stale = browser.post(path, {"password": PASSWORD}, headers={"Origin": "null"})
    assert (stale.status_code, b"Form expired" in stale.content) == (403, True)
    assert browser.post(path, form, headers={"Origin": "https://evil.example"}).status_code == 403


def test_ten_wrong_passwords_lock_that_link_for_that_address_alone(
    desk: Desk, locked: tuple[Share, str], later: Callable[[timedelta], None]
) -> None:
    desk.put("open.txt")
    _, path = locked
    (_, good), (_, other) = desk.share("open.txt"), desk.share("open.txt", password=PASSWORD)
    for _number in range(10):
        wrong = desk.visitor.post(path, {"password": "no"})
        assert (wrong.status_code, "After 10 tries the link locks for 15 minutes." in wrong.text) == (422, True)
    barred = desk.visitor.post(path, {"password": PASSWORD})
    assert (barred.status_code, 0 < int(barred["Retry-After"]) <= 900) == (429, True)
    assert desk.visitor.get(good).status_code == 200, "other links stay open"
    assert desk.visitor.post(other, {"password": PASSWORD}).status_code == 303
    assert Client(REMOTE_ADDR="203.0.113.99").post(path, {"password": PASSWORD}).status_code == 303, "so does it for others"
    later(timedelta(minutes=13))
    assert desk.visitor.post(path, {"password": PASSWORD}).status_code == 429
    later(timedelta(minutes=2, seconds=1))
    assert desk.visitor.post(path, {"password": PASSWORD}).status_code == 303


def test_a_hundred_wrong_passwords_from_all_addresses_lock_the_link_for_all(
    desk: Desk, later: Callable[[timedelta], None], settings: Settings
) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # a hundred of scrypt take ten seconds
    _, path = desk.share("a.txt", password=PASSWORD)
    for number in range(100):
        assert Client(REMOTE_ADDR=f"203.0.113.{number // 10}").post(path, {"password": "no"}).status_code == 422
    assert Client(REMOTE_ADDR="203.0.113.99").post(path, {"password": PASSWORD}).status_code == 429
    later(timedelta(minutes=15, seconds=1))
    assert Client(REMOTE_ADDR="203.0.113.99").post(path, {"password": PASSWORD}).status_code == 303


def test_ten_wrong_codes_from_an_address_and_then_it_opens_nothing_at_all(
    desk: Desk, locked: tuple[Share, str], later: Callable[[timedelta], None]
) -> None:
    desk.put("open.txt")
    _, good = desk.share("open.txt")
    for number in range(10):
        assert desk.visitor.get(f"/l/{str(number) * 22}").status_code == 404
    answers = [desk.visitor.get(path) for path in (f"/l/{'z' * 22}", good, locked[1], f"{good}/file")]
    assert [answer.status_code for answer in answers] == [429] * 4
    assert len({answer.text for answer in answers}) == 1, "a right code must look like a wrong one now"
    assert Client(REMOTE_ADDR="203.0.113.50").get(good).status_code == 200
    later(timedelta(minutes=15, seconds=1))
    assert desk.visitor.get(good).status_code == 200
    assert Client().get(f"/l/{'z' * 22}").status_code == 404
    assert Attempt.objects.count() == 1, "old tries are swept away"


def test_of_hundreds_of_guesses_ten_count(desk: Desk, locked: tuple[Share, str], exhaustive: bool) -> None:
    tries = 1000 if exhaustive else 200
    statuses = [desk.visitor.post(locked[1], {"password": f"guess {number}"}).status_code for number in range(tries)]
    assert (statuses.count(422), statuses.count(429)) == (10, tries - 10)


def test_of_ipv6_the_whole_network_counts_as_one(locked: tuple[Share, str]) -> None:
    for number in range(10):
        Client(REMOTE_ADDR=f"2001:db8:1:2::{number:x}").get(f"/l/{'q' * 22}")
    assert Client(REMOTE_ADDR="2001:db8:1:2:ffff::1").get(locked[1]).status_code == 429
    assert Client(REMOTE_ADDR="2001:db8:1:3::1").get(locked[1]).status_code == 200


def test_an_address_is_believed_only_from_a_trusted_proxy(locked: tuple[Share, str], settings: Settings) -> None:
    for number in range(10):
        Client().get(f"/l/{'w' * 22}", headers={"X-Forwarded-For": f"198.51.100.{number}"})
    assert Client().get(locked[1], headers={"X-Forwarded-For": "198.51.100.77"}).status_code == 429
    settings.TRUSTED_PROXIES = 1
    assert Client().get(locked[1], headers={"X-Forwarded-For": "198.51.100.77"}).status_code == 200


def test_right_passwords_are_not_counted(locked: tuple[Share, str]) -> None:
    for _ in range(12):
        assert Client().post(locked[1], {"password": PASSWORD}).status_code == 303
    assert Attempt.objects.count() == 0


def test_no_address_stands_in_the_database(desk: Desk) -> None:
    Client(REMOTE_ADDR="203.0.113.5").get(f"/l/{'q' * 22}")
    assert "203.0.113.5" not in Attempt.objects.get().subject
    assert desk.person.pk


def test_the_password_is_kept_as_a_hash_of_scrypt(locked: tuple[Share, str]) -> None:
    assert locked[0].password.startswith("scrypt$")


def test_no_log_holds_a_code(desk: Desk, locked: tuple[Share, str], caplog: pytest.LogCaptureFixture) -> None:
    _, path = locked
    desk.visitor.post(path, {"password": "wrong"})
    desk.visitor.get(f"{path}/file/{'t' * 22}")
    formatter = JsonFormatter()
    logging.getLogger("django.request").error("Internal Server Error: %s", path)
    written = "\n".join(formatter.format(record) for record in caplog.records)
    assert "/l/" in written
    assert path.removeprefix("/l/") not in written
    assert "t" * 22 not in written
