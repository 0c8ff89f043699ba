from datetime import timedelta

from django.contrib.sessions.models import Session
from django.utils import timezone

from dashboard.jobs.retention import tidy


def test_sessions_that_ended_are_cleared_by_the_worker(db: None) -> None:
    now = timezone.now()
    for key, end in {"ended": now - timedelta(seconds=1), "open": now + timedelta(hours=1)}.items():
        Session.objects.create(session_key=key, session_data="", expire_date=end)
    tidy()
    assert list(Session.objects.values_list("session_key", flat=True)) == ["open"]
