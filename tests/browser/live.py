"""Chromium at the live server of this process, for pages whose rows a test makes itself."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, sync_playwright
from pytest_django.live_server_helper import LiveServer

from dashboard.team.models import Person
from tests.browser.conftest import CHROMIUM, FLAGS, MISSING
from tests.browser.console import console

__all__ = ["console", "engine"]

UNSAFE = "DJANGO_ALLOW_ASYNC_UNSAFE"
MARKS = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason=MISSING),
]


@pytest.fixture(scope="module")
def engine() -> Iterator[Browser]:
    before = os.environ.get(UNSAFE)
    os.environ[UNSAFE] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield browser
        browser.close()
    if before is None:
        del os.environ[UNSAFE]


def signed_in(engine: Browser, live_server: LiveServer, person: Person, **options: Any) -> BrowserContext:
    visitor = Client()
    visitor.force_login(person)
    context = engine.new_context(base_url=live_server.url, **options)
    session = visitor.cookies["pilothouse_session"].value
    context.add_cookies([{"name": "pilothouse_session", "value": session, "url": live_server.url}])
    return context
