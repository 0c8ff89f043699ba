from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone

from dashboard.jobs.retention import tidy
from dashboard.team.models import Person

LONG_AGO = timedelta(days=15)


def test_sessions_that_ended_are_cleared_by_the_worker_with_what_is_known_of_them(owner: Person) -> None:
    now = timezone.now()
    for key, end in {"ended": now - timedelta(seconds=1), "open": now + timedelta(hours=1)}.items():
        Session.objects.create(session_key=key, session_data="", expire_date=end)
        UserSession.objects.create(session_key=key, user=owner, ip="192.0.2.1", user_agent="", last_seen_at=now - LONG_AGO)
    UserSession.objects.create(session_key="not saved yet", user=owner, ip="192.0.2.1", user_agent="", last_seen_at=now)
    tidy()
    assert list(Session.objects.values_list("session_key", flat=True)) == ["open"]
    assert set(UserSession.objects.values_list("session_key", flat=True)) == {"open", "not saved yet"}
