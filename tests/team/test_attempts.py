"""Guessing passwords is slow, whatever is done in between; strangers can't lock anybody out of a known device."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.core.mail import EmailMessage

from dashboard.journal.models import Entry
from dashboard.team import factors, mail
from dashboard.team.models import Person
from dashboard.web.limits.throttle import of_address
from dashboard.web.models import Attempt
from tests.pages import PageClient
from tests.people import PASSWORD, client_of
from tests.team.test_factors import STEP, code_of, first_step, with_app

WRONG = "not the pass phrase at all"


@pytest.fixture
def olga(owner: Person) -> Person:
    owner.set_password(PASSWORD)
    owner.save()
    return owner


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(datetime.now(UTC), tick=False) as found:
        yield found


def sign_in(client: PageClient, password: str = PASSWORD, email: str = "olga@example.org") -> Any:
    return client.post("/account/login/", {"login": email, "password": password})


def stranger(number: int = 0) -> PageClient:
    client = PageClient()
    client.defaults["REMOTE_ADDR"] = f"203.0.113.{number}"
    return client


def test_filling_the_cache_does_not_reset_the_count(olga: Person) -> None:
    for number in range(10):
        assert sign_in(stranger(number), WRONG).status_code == 422
    for number in range(400):
        cache.set(f"filler-{number}", number)
    answer = sign_in(stranger(99))
    assert (answer.status_code, "Too many wrong passwords" in answer.text) == (422, True)
    assert "_auth_user_id" not in answer.client.session


def test_a_thousand_guesses_are_ten(olga: Person) -> None:
    texts = [sign_in(stranger(number % 250), f"guess number {number}").text for number in range(60)]
    assert sum("Wrong e-mail" in text for text in texts) == 10


def test_one_address_tries_ten_times_in_all_whatever_accounts(olga: Person) -> None:
    for number in range(10):
        sign_in(stranger(7), WRONG, f"person{number}@example.org")
    assert "Too many" in sign_in(stranger(7)).text
    assert sign_in(stranger(8)).status_code == 302


def test_strangers_can_not_lock_somebody_out_of_a_known_device(olga: Person) -> None:
    device = stranger(1)
    sign_in(device)
    device.post("/account/logout/")
    for number in range(12):
        sign_in(stranger(100 + number), WRONG)
    assert "Too many" in sign_in(stranger(50)).text
    assert sign_in(device).status_code == 302


def test_a_known_device_has_ten_attempts_too(olga: Person) -> None:
    device = stranger(1)
    sign_in(device)
    device.post("/account/logout/")
    for _ in range(10):
        assert "Wrong e-mail" in sign_in(device, WRONG).text
    assert "Too many" in sign_in(device).text
    assert sign_in(stranger(2)).status_code == 302


def test_the_device_of_one_person_is_a_stranger_to_another(olga: Person, ada: Person) -> None:
    ada.set_password(PASSWORD)
    ada.save()
    device = stranger(1)
    sign_in(device, email=ada.email)
    device.post("/account/logout/")
    for number in range(10):
        sign_in(stranger(100 + number), WRONG)
    assert "Too many" in sign_in(device).text


@pytest.mark.parametrize("forged", ["", "x", "eyJwZXJzb24iOjF9:1xUzn3:AAAA"])
def test_a_forged_device_is_a_stranger(olga: Person, forged: str) -> None:
    client = stranger(1)
    client.cookies["pilothouse_device"] = forged
    for number in range(10):
        sign_in(stranger(100 + number), WRONG)
    assert "Too many" in sign_in(client).text


def test_the_device_cookie_opens_nothing_and_is_hidden_from_scripts(olga: Person) -> None:
    device = stranger(1)
    sign_in(device)
    cookie = device.cookies["pilothouse_device"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    alone = stranger(1)
    alone.cookies["pilothouse_device"] = cookie.value
    assert alone.get("/people/").status_code == 302


def test_after_a_quarter_of_an_hour_there_are_attempts_again(olga: Person, clock: time_machine.Traveller) -> None:
    for number in range(10):
        sign_in(stranger(number), WRONG)
    assert "Try again in 15 minutes" in sign_in(stranger(99)).text
    clock.shift(timedelta(minutes=14, seconds=59))
    assert sign_in(stranger(99)).status_code != 302
    clock.shift(timedelta(seconds=2))
    assert sign_in(stranger(99)).status_code == 302
    assert Attempt.objects.count() == 0


def test_addresses_of_one_ipv6_network_are_one_client() -> None:
    assert of_address("2001:db8:1:2::1") == of_address("2001:db8:1:2:ffff::9")
    assert of_address("2001:db8:1:2::1") != of_address("2001:db8:1:3::1")
    assert of_address("::ffff:203.0.113.9") == of_address("203.0.113.9")


def test_the_right_password_is_not_counted(olga: Person) -> None:
    for _ in range(12):
        assert sign_in(stranger(1)).status_code == 302
    assert Attempt.objects.count() == 0


def test_no_address_of_mail_or_network_stands_among_the_attempts(olga: Person) -> None:
    sign_in(stranger(5), WRONG)
    subjects = "".join(Attempt.objects.values_list("subject", flat=True))
    assert subjects
    assert "olga" not in subjects
    assert "203.0.113" not in subjects


def test_the_current_password_can_not_be_guessed_by_changing_it(olga: Person) -> None:
    session = client_of(olga)
    new = "seven kind otters row north"
    form = {"password1": new, "password2": new}
    for _ in range(10):
        cache.clear()
        session.post("/account/password/change/", {**form, "oldpassword": WRONG})
    cache.clear()
    answer = session.post("/account/password/change/", {**form, "oldpassword": PASSWORD})
    assert "Too many" in answer.text
    olga.refresh_from_db()
    assert olga.check_password(PASSWORD)


def test_resets_are_counted_for_the_mailbox_and_for_the_address(olga: Person, mailoutbox: list[EmailMessage]) -> None:
    for number in range(10):
        assert stranger(number).post("/account/password/reset/", {"email": olga.email}).status_code == 302
    cache.clear()
    barred = stranger(99).post("/account/password/reset/", {"email": "OLGA@example.org"})
    assert (barred.status_code, 0 < int(barred["Retry-After"]) <= 900) == (429, True)
    for number in range(10):
        stranger(50).post("/account/password/reset/", {"email": f"person{number}@example.org"})
    assert stranger(50).post("/account/password/reset/", {"email": "more@example.org"}).status_code == 429
    mail.wait_for_delivery()
    assert len(mailoutbox) == 10


def test_an_unknown_mailbox_gets_the_same_answer_and_nothing_is_sent_before_it(
    olga: Person, mailoutbox: list[EmailMessage], settings: Any
) -> None:
    """The mail server is slow, and nobody waits for it: neither answer tells who is on the team."""
    settings.EMAIL_BACKEND = "tests.team.slow_mail.Slow"
    from tests.team import slow_mail

    with slow_mail.held():
        known = stranger(1).post("/account/password/reset/", {"email": olga.email})
        unknown = stranger(2).post("/account/password/reset/", {"email": "nobody@example.org"})
        assert slow_mail.sent == []
    mail.wait_for_delivery()
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert slow_mail.sent == [olga.email]


def test_sign_in_failures_lockout_and_sign_out_are_in_the_journal(olga: Person) -> None:
    for number in range(10):
        sign_in(stranger(number), WRONG)
    sign_in(stranger(99))
    device = client_of(olga)
    device.post("/account/logout/")
    found = [(entry.operation, entry.outcome) for entry in Entry.objects.filter(person=olga).order_by("pk")]
    assert found == [*[("sign-in", "refused")] * 10, ("sign-in locked", "refused"), ("sign-out", "done")]
    assert Entry.objects.filter(operation="sign-in").values_list("after", flat=True)[0] == {"address": "203.0.113.9"}


def test_strangers_can_not_fill_the_journal(olga: Person) -> None:
    for number in range(60):
        sign_in(stranger(number), WRONG)
    assert Entry.objects.filter(person=olga).count() == 11


def test_wrong_codes_are_thirty_a_day(olga: Person, clock: time_machine.Traveller) -> None:
    secret, begun = with_app(olga), datetime.now(UTC)
    for turn in range(4):
        clock.move_to(begun + timedelta(minutes=16 * turn))
        client = first_step(olga)
        texts = [client.post(STEP, {"code": "123"}).text for _ in range(10)]
        assert sum(factors.WRONG_CODE in text for text in texts) == (10 if turn < 3 else 0)
    assert "Too many wrong codes. Try again in 24 hours." in client.post(STEP, {"code": code_of(secret)}).text
    clock.move_to(begun + timedelta(hours=24, seconds=1))
    client = first_step(olga)
    assert client.post(STEP, {"code": code_of(secret)}).status_code == 302
    clock.move_to(begun + timedelta(hours=50))
    first_step(olga).post(STEP, {"code": "123"})
    assert Attempt.objects.filter(subject__startswith="day:").count() == 1


def test_a_changed_password_is_in_the_journal_without_it(olga: Person) -> None:
    new = "seven kind otters row north"
    client_of(olga).post("/account/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    entry = Entry.objects.get(operation="password changed")
    assert (entry.person, entry.outcome, entry.before, entry.after) == (olga, "done", None, None)
