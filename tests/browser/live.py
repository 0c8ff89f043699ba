"""Chromium at the live server of this process, for pages whose rows a test makes itself."""

from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext
from pytest_django.live_server_helper import LiveServer

from dashboard.team.models import Person
from tests.browser.chromium import CHROMIUM, MISSING
from tests.browser.console import console

__all__ = ["console"]

MARKS = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason=MISSING),
]


def signed_in(browser: Browser, live_server: LiveServer, person: Person, **options: Any) -> BrowserContext:
    visitor = Client()
    visitor.force_login(person)
    context = browser.new_context(base_url=live_server.url, **options)
    session = visitor.cookies["pilothouse_session"].value
    context.add_cookies([{"name": "pilothouse_session", "value": session, "url": live_server.url}])
    return context
