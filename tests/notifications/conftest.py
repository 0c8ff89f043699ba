from collections.abc import Iterator

import pytest
from pytest_django import Settings

from dashboard.notifications import kinds
from dashboard.notifications.kinds import Kind
from tests.notifications.sinks import Sink, smtp


@pytest.fixture(autouse=True)
def trial_kinds() -> Iterator[None]:
    """Register the tests' own kinds."""
    known = dict(kinds._kinds)
    kinds.register(Kind("trial", "Trial"))
    kinds.register(Kind("quiet trial", "Quiet trial", mails=False))
    kinds.register(Kind("account trial", "Account trial", is_security=True))
    yield
    kinds._kinds.clear()
    kinds._kinds.update(known)


@pytest.fixture
def mails(settings: Settings) -> Iterator[Sink]:
    """A mail server, configured."""
    with smtp() as sink:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", sink.port, 5
        settings.DEFAULT_FROM_EMAIL = "pilothouse@example.org"
        settings.PUBLIC_URL = "https://pilothouse.example"
        yield sink
