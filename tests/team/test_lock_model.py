"""The lock as a model: no sequence of writes of somebody who holds the newest link opens anything that the person had.

All sequences of three writes, or of two in a run that is not exhaustive. A write that leaves everything as it was is no step:
what follows it follows a shorter sequence, too.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.db import transaction
from pytest_django import Settings

from dashboard.team import ceremony, factors, gate
from dashboard.team.models import Person
from dashboard.tokens.models import Grant
from tests.pages import PageClient
from tests.people import PASSWORD, confirmed
from tests.sandboxes import Sandbox
from tests.team.oidc_provider import Provider
from tests.team.test_single_sign_on import provider
from tests.team.test_takeover import CHOSEN, LOCK, NEW, link_for, use, victim

__all__ = ["provider", "victim"]

OTHER = "nine quiet lanterns by the river"
PERSONS = "twelve patient herons in the reeds"


@dataclass
class Intruder:
    """The maker of the link: their own session as an owner, and one in the account for each password that they chose."""

    owner: PageClient
    inside: PageClient
    victim: Person
    outsider: Person
    tokens: dict[str, str]
    provider: Provider
    passwords: set[str] = field(default_factory=lambda: {CHOSEN})

    def post(self, path: str, **values: str) -> None:
        self.inside.post(path, values)


def another_link(intruder: Intruder) -> None:
    intruder.inside = use(link_for(intruder.owner, intruder.victim), OTHER)
    intruder.passwords.add(OTHER)


def start_over(intruder: Intruder) -> None:
    intruder.post(f"{LOCK}start-over/", password=NEW, again=NEW, typed=intruder.victim.email)
    intruder.passwords.add(NEW)


def at_each_token(part: str, *, is_typed: bool = False) -> Callable[[Intruder], None]:
    def write(intruder: Intruder) -> None:
        for token in intruder.victim.stored_tokens.all():
            values = {"token": intruder.tokens[token.space]} if is_typed else {}
            intruder.post(f"/account/tokens/{token.pk}/{part}/", **values)

    return write


def end_a_session(intruder: Intruder) -> None:
    for session in UserSession.objects.filter(user=intruder.victim):
        intruder.post(f"/account/sign-in/devices/{session.pk}/end/")


def sign_in_again(intruder: Intruder) -> None:
    for password in sorted(intruder.passwords):
        client = PageClient()
        if client.post("/account/login/", {"login": intruder.victim.email, "password": password}).status_code == 302:
            intruder.inside = client


def mail_a_link(intruder: Intruder) -> None:
    PageClient().post("/account/password/reset/", {"email": intruder.victim.email})


def at_provider(intruder: Intruder, client: PageClient) -> None:
    """Sign in with the intruder's own account, which has the person's address, but not as a verified one."""
    led = client.post("/account/login/oidc/", {"next": LOCK})
    back = urlsplit(intruder.provider.sign_in(led["Location"]))
    client.get(f"{back.path}?{back.query}")


def connect_at_provider(intruder: Intruder) -> None:
    client = PageClient()
    at_provider(intruder, client)
    if "_auth_user_id" in client.session:
        intruder.inside = client


def give_access(intruder: Intruder) -> None:
    acts = {"whole": "on", "storage_acts": "read", "sections": "secrets", "section_acts": "read"}
    for place in intruder.tokens:
        intruder.post(f"/access/new/?place={place}", people=str(intruder.outsider.pk), life="none", **acts)


def revoke_access(intruder: Intruder) -> None:
    for grant in Grant.objects.filter(giver=intruder.victim):
        intruder.post(f"/access/{grant.pk}/revocation/")


WRITES: dict[str, Callable[[Intruder], None]] = {
    "another link": another_link,
    "start over": start_over,
    "forget tokens": at_each_token("forgetting"),
    "replace tokens": at_each_token("replacement", is_typed=True),
    "add a management token": lambda who: who.post("/account/tokens/new/?kind=management", token=who.tokens[""]),
    "unlock by the link's password": lambda who: who.post(LOCK, password=CHOSEN),
    "unlock by a code": lambda who: who.post(LOCK, code="000000"),
    "unlock by a mailed code": lambda who: who.post(LOCK, mailed="00000000"),
    "choose a password": lambda who: who.post(f"{LOCK}password/", password=NEW, again=NEW),
    "change the password": lambda who: who.post("/account/password/change/", oldpassword=CHOSEN, password1=NEW, password2=NEW),
    "confirm": lambda who: who.post("/account/reauthenticate/", password=CHOSEN),
    "add an app": lambda who: who.post("/account/sign-in/app/new/", code="000000"),
    "add a passkey": lambda who: who.post("/account/sign-in/passkeys/new/", credential="{}", name="any"),
    "sign out everywhere": lambda who: who.post("/account/sessions/"),
    "end other sessions": lambda who: who.post("/account/sign-in/devices/end/"),
    "end a session": end_a_session,
    "sign in again": sign_in_again,
    "mail a code": lambda who: who.post(f"{LOCK}mail/"),
    "mail a link": mail_a_link,
    "confirm at the provider": lambda who: at_provider(who, who.inside),
    "connect at the provider": connect_at_provider,
    "new codes": lambda who: who.post("/account/sign-in/codes/new/"),
    "give access": give_access,
    "revoke access": revoke_access,
}


def state(intruder: Intruder) -> tuple[Any, ...]:
    """What decides what opens: rows, and what the intruder's session has proved or was told."""
    person = intruder.victim
    person.refresh_from_db()
    tokens = tuple(person.stored_tokens.order_by("pk").values_list("space", "fingerprint"))
    rows = tuple(Authenticator.objects.filter(user=person).values_list("type", flat=True))
    accounts = tuple(SocialAccount.objects.filter(user=person).values_list("uid", flat=True))
    grants = Grant.objects.filter(revoked_at=None).count()
    session = intruder.inside.session
    kept = tuple(str(session.get(name)) for name in (ceremony.PROOF, ceremony.CODE, ceremony.LINK, gate.MARK))
    serials = person.session_serial, person.link_serial
    return person.password, *serials, person.locked_at, tokens, rows, accounts, grants, *kept


def sequences(intruder: Intruder, steps: int, done: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield after each sequence of so many writes or fewer, in the state that it leads to."""
    yield done
    if len(done) == steps:
        return
    before = state(intruder)
    for name, write in WRITES.items():
        with undone(intruder):
            write(intruder)
            if state(intruder) != before:
                yield from sequences(intruder, steps, (*done, name))


@contextmanager
def undone(intruder: Intruder) -> Iterator[None]:
    """Undo what is done within, in the database and in the browsers."""
    here, inside, passwords = transaction.savepoint(), intruder.inside, set(intruder.passwords)
    cookies = deepcopy(inside.cookies), deepcopy(intruder.owner.cookies)
    yield
    transaction.savepoint_rollback(here)
    intruder.inside, intruder.passwords = inside, passwords
    inside.cookies, intruder.owner.cookies = cookies
    intruder.victim.refresh_from_db()


def assert_closed(person: Person, held: set[int], done: tuple[str, ...]) -> None:
    """Nothing that the person had opens: it is locked, or gone."""
    person.refresh_from_db()
    if person.is_locked:
        assert not any(token.opens for token in person.stored_tokens.all()), done
    else:
        assert "start over" in done, done
        assert not person.stored_tokens.filter(pk__in=held).exists(), done
    assert not factors.kinds_of(person), done


def assert_shut_out(intruder: Intruder, done: tuple[str, ...]) -> None:
    """Once the person unlocks, no session or password of the intruder opens the account."""
    person = intruder.victim
    client = PageClient()
    client.force_login(person)
    client.post(LOCK, {"password": PASSWORD})
    answer = client.post(f"{LOCK}password/", {"password": PERSONS, "again": PERSONS})
    assert answer.status_code == 303, done
    assert intruder.inside.get("/people/")["Location"].startswith("/account/login/"), done
    person.refresh_from_db()
    assert not any(person.check_password(password) for password in intruder.passwords), done
    assert client.get("/people/").status_code == 200, done


def test_no_sequence_of_writes_opens_anything(  # noqa: PLR0917 - pytest fills them by name
    owner: Person, victim: Person, provider: Provider, service: Sandbox, ref: str, settings: Settings, exhaustive: bool
) -> None:
    steps = 3 if exhaustive else 2
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    provider.account["email_verified"] = False
    tokens = {"": service.personal_token, ref: service.storage_tokens[ref]["service"]}
    outside = confirmed(owner)
    intruder = Intruder(outside, use(link_for(outside, victim)), victim, owner, tokens, provider)
    held, tried = set(victim.stored_tokens.values_list("pk", flat=True)), set()
    for done in sequences(intruder, steps):
        tried.add(done)
        assert_closed(victim, held, done)
        if victim.is_locked and "start over" not in done:  # else the old password is gone with the rest
            with undone(intruder):
                assert_shut_out(intruder, done)
    assert {len(done) for done in tried} == set(range(steps + 1))
    assert ("another link",) * steps in tried
    assert {("another link", "start over"), ("mail a code", "another link"), ("sign in again", "another link")} <= tried
