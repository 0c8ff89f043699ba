"""Who can prove nothing about a locked account starts over, in the session of the newest link: nothing of the account stays."""

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.utils import timezone

from dashboard.features.file_requests.models import FileRequest
from dashboard.features.sharing.models import LinkSet
from dashboard.jobs.models import Job, Schedule
from dashboard.journal.models import Entry
from dashboard.links.lifecycle import Terms, make
from dashboard.links.models import Share
from dashboard.notifications.models import Notification
from dashboard.reviews import reviews
from dashboard.reviews.models import Review
from dashboard.team import hooks
from dashboard.team.models import Person
from dashboard.tokens.models import Grant, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.test_leaks import requested
from tests.pages import PageClient
from tests.people import client_of, confirmed
from tests.sandboxes import Sandbox
from tests.team.test_takeover import CHOSEN, LOCK, NEW, link_for, take_over, use, victim

__all__ = ["victim"]

OVER = f"{LOCK}start-over/"


def start_over(client: PageClient, person: Person, password: str = NEW, typed: str = "") -> int:
    form = {"password": password, "again": password, "typed": typed or person.email}
    return int(client.post(OVER, form).status_code)


@pytest.fixture
def full(victim: Person, owner: Person, ref: str) -> Person:
    """Has one of everything that starting over ends."""
    make(victim, ref, "any", keys=["a.txt"], terms=Terms(ends_at=timezone.now() + timedelta(days=1)))
    ends = timezone.now() + timedelta(days=1)
    LinkSet.objects.create(owner=victim, space=ref, bucket="any", selection={}, keeps_until=ends)
    reviews.create(Workspace(victim), "any purpose", {"value": "typed by the person"})
    Job.objects.create(kind="any", owner=victim, title="Any")
    Schedule.objects.create(kind="any", owner=victim, key="any", every=60)
    requested(victim, victim.stored_tokens.get(space=ref))
    for giver, person in ((victim, owner), (owner, victim)):
        Grant.objects.create(giver=giver, person=person, kind="storage", space=ref, place=ref, token="any")
    return victim


def test_one_confirmed_act_ends_everything_and_opens_an_empty_account(owner: Person, full: Person) -> None:
    client = take_over(owner, full)
    other = client_of(Person.objects.get(pk=full.pk))
    assert OVER in client.get(LOCK).text
    assert "can't be undone" in client.get(OVER).text.replace("&#x27;", "'")
    assert all(of(full).exists() for of in hooks.belongings)
    assert start_over(client, full) == 303
    for model in (StoredToken, Share, LinkSet, FileRequest, Review, Job, Schedule, Authenticator):
        assert not model.objects.exists(), model
    assert not Grant.objects.filter(revoked_at=None).exists()
    assert client.get("/people/").status_code == 200
    assert other.get("/people/")["Location"].startswith("/account/login/")
    full.refresh_from_db()
    assert (full.is_locked, full.check_password(NEW)) == (False, True)
    assert Entry.objects.filter(operation="account started over", outcome="done").count() == 1
    assert Notification.objects.filter(person=owner, title__contains="started over").exists()


def test_the_address_must_be_typed_and_the_password_be_another(owner: Person, victim: Person) -> None:
    client = take_over(owner, victim)
    assert start_over(client, victim, typed="other@example.org") == 422
    assert start_over(client, victim, password=CHOSEN) == 422
    assert victim.stored_tokens.count() == 2


def test_only_the_session_of_the_newest_link_starts_over(owner: Person, victim: Person) -> None:
    client = take_over(owner, victim)
    signed_in = client_of(Person.objects.get(pk=victim.pk))
    assert OVER not in signed_in.get(LOCK).text
    assert signed_in.post(OVER)["Location"] == LOCK
    link = link_for(confirmed(owner), victim)
    assert start_over(client, victim) == 302, "a newer link was made"
    newest = use(link, "another phrase chosen by somebody")
    assert client.post(OVER)["Location"].startswith("/account/login/")
    assert start_over(newest, victim) == 303


def test_factors_from_before_end_too(owner: Person, victim: Person, service: Sandbox) -> None:
    client = take_over(owner, victim)
    Authenticator.objects.create(user=victim, type="totp", data={"secret": "any"}, created_at=victim.joined_at)
    assert start_over(client, victim) == 303
    assert not Authenticator.objects.exists()
