"""The activity in a real browser, with entries of every outcome."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from dashboard.journal.models import Entry, Outcome
from dashboard.team.models import Person
from tests.browser.live import MARKS, signed_in
from tests.browser.test_every_page import WIDE

pytestmark = MARKS


@pytest.mark.exhaustive
@pytest.mark.usefixtures("served_static_files")
def test_every_outcome_fits_tablets_and_desks(browser: Browser, live_server: LiveServer, owner: Person) -> None:
    earlier = timezone.now() - timedelta(minutes=58)
    for outcome in Outcome:
        known = {"person": owner, "through": owner, "place": "ktmvqhzwrbnxpgaydcle", "outcome": outcome, "started_at": earlier}
        Entry.objects.create(operation="M25", target="203.0.113.0/24, 198.51.100.0/24", **known)
    context = signed_in(browser, live_server, owner)
    page = context.new_page()
    page.goto("/journal/")
    wide = []
    for width in (768, 820, 1024, 1200, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        wide += [width] if page.evaluate(WIDE) else []
    context.close()
    assert wide == []
