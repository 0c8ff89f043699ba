"""A year of use: each table has a lifetime in the README, and what is to end ends."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import models
from django.utils import timezone
from pytest_django import Settings

from dashboard.catalog.models import KeyLease
from dashboard.facts.models import KeptFact
from dashboard.features.sharing.models import LinkSet
from dashboard.jobs.models import Job, JobItem, State, Worker
from dashboard.jobs.worker import sweep
from dashboard.journal.models import Entry, Outcome
from dashboard.notifications.models import Delivery, Notification
from dashboard.reviews.models import Review
from dashboard.reviews.models import State as ReviewState
from dashboard.team.models import Person
from dashboard.tokens import last_known
from dashboard.tokens.models import LastKnown
from dashboard.web.limits import throttle
from dashboard.web.models import Attempt
from tests.environment import ROOT

EVERY = 5
# The row of README's Lifetimes that speaks of each table.
NAMED = {
    "Session": "sessions.Session usersessions.UserSession",
    "Guesses of a password": "web.Attempt",
    "One-time keys of forms": "web.FormKey",
    "People, tokens": (
        "team.Person account.EmailAddress mfa.Authenticator socialaccount.SocialAccount notifications.Preference labels.Label"
        " tokens.StoredToken tokens.Grant tokens.ActiveGrant functions.Note home.SavedFilter network.AddressLabel trial.Trial"
        " catalog.UnkeptBucket"
    ),
    "Workers, leases": "jobs.Worker catalog.KeyLease links.Ticket",
    "Review that was not applied": "reviews.Review reviews.Part",
    "Ended jobs": "jobs.Job jobs.JobItem",
    "Automatic checks": "jobs.Schedule",
    "Notifications": "notifications.Notification notifications.Delivery notifications.Outage",
    "Last known data": "tokens.LastKnown tokens.Ability facts.KeptFact facts.Budget",
    "Latest state of hostnames": "hostname.Known hostname.Check links.PublicBuckets",
    "Search index": "catalog.Catalog catalog.Folder catalog.Indexed catalog.Trace",
    "Share links, file requests": "links.Share links.Target links.RawLink file_requests.FileRequest file_requests.ReceivedFile",
    "Openings of share links": "links.Opening",
    "Sets of signed links": "sharing.LinkSet sharing.LinkBatch",
    "Versions of a function": "functions.Body functions.Part functions.Seen",
    "History of restrictions": "hostname.Event hostname.SeenRecord network.ListText network.AppliedSet",
    "Activity": "journal.Entry",
}
# One row, as many as there are kinds of rows, or never written.
FIXED = (
    "vault.LookupKey launch.Prepared contenttypes.ContentType auth.Permission auth.Group auth.Group_permissions"
    " account.EmailConfirmation socialaccount.SocialApp socialaccount.SocialToken"
)


def test_each_table_has_a_row_in_the_lifetimes_of_the_readme() -> None:
    section = re.search(r"### Lifetimes and limits\n(.*?)\n## ", Path(ROOT, "README.md").read_text(), re.DOTALL)
    assert section
    assert [row for row in NAMED if f"\n| {row}" not in section[1]] == []
    tables = sorted([*FIXED.split(), *(table for tables in NAMED.values() for table in tables.split())])
    assert tables == sorted(model._meta.label for model in apps.get_models(include_auto_created=True))


@pytest.fixture
def days(settings: Settings, tmp_path: Path) -> Iterator[datetime]:
    """Every fifth day of a year."""
    settings.ACTIVITY_DAYS, settings.DATA_DIR = 60, tmp_path
    now = timezone.now()
    return (now - timedelta(days=number) for number in range(365, 0, -EVERY))


def test_after_a_year_of_use_each_table_holds_its_lifetime_only(owner: Person, days: Iterator[datetime]) -> None:
    """One of each comes again and again; then a worker sweeps until nothing is left to do."""
    for at in days:
        _live(owner, at)
    throttle.count("trial")
    last_known._keep({last_known.Key("f" * 32, "M1", "now"): b"[]"})
    counts: dict[type[models.Model], int] = {}
    while counts != (counts := {model: model._default_manager.count() for model in DAYS}):
        sweep()
    assert {model.__name__: count for model, count in counts.items() if count > DAYS[model] / EVERY + 1} == {}


# How many days old a row may get.
DAYS: dict[type[models.Model], int] = {
    Session: 14,
    UserSession: 14,
    Attempt: 0,
    KeyLease: 0,
    Worker: 0,
    Review: 31,
    Job: 30,
    JobItem: 30,
    Notification: 90,
    Delivery: 90,
    LastKnown: 30,
    KeptFact: 30,
    LinkSet: 0,
    Entry: 61,
}


def _live(owner: Person, at: datetime) -> None:
    """Leave what a day leaves."""
    name = f"{at:%Y-%m-%d}"
    end = at + timedelta(days=14)
    Session.objects.create(session_key=name, session_data="", expire_date=end)
    UserSession.objects.create(session_key=name, user=owner, ip="192.0.2.1", user_agent="", created_at=at, last_seen_at=at)
    Attempt.objects.create(subject=name, at=at)
    KeyLease.objects.create(name=name, holder=name, person=owner, expires_at=at + timedelta(minutes=2))
    Worker.objects.create(pid=1, process_start="1", started_at=at, heartbeat_at=at)
    Review.objects.create(person=owner, purpose=name, state=ReviewState.DONE, created_at=at, expires_at=at + timedelta(days=1))
    job = Job.objects.create(kind="none", owner=owner, title=name, state=State.DONE, created_at=at, begun_at=at, ended_at=at)
    JobItem.objects.create(job=job, number=1, target=name, state="done")
    told = Notification.objects.create(person=owner, kind="none", key=name, title=name, address="/", made_at=at)
    Delivery.objects.create(notification=told, channel="email", state="sent", due_at=at)
    LastKnown.objects.create(fingerprint="f" * 32, operation="M1", question=name, body=b"[]", read_at=at)
    KeptFact.objects.create(fingerprint="f" * 32, place=name, key="none", tried_at=at)
    LinkSet.objects.create(owner=owner, space="shared", bucket="none", selection={}, made_at=at, ends_at=at, keeps_until=at)
    Entry.objects.create(person=owner, operation="S9", target=name, outcome=Outcome.DONE, started_at=at)
