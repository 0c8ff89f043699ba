"""A project whose secrets tests may change, and names that no other test uses."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from uuid import uuid4

import pytest
from django.urls import reverse

from dashboard.interfaces import ManagementInterface, Token
from tests.conftest import Sandbox

REF, NAME = "xreugplnbwsqhdvfyakt", "marlowe-lab"


@dataclass(frozen=True, slots=True)
class Desk:
    """The secrets of one project, used directly at the service."""

    management: ManagementInterface
    made: list[str] = field(default_factory=list)

    def name(self, form: str = "TEST_{}") -> str:
        """Return an unused name. The secret is deleted after the test."""
        self.made.append(form.format(uuid4().hex[:10]))
        return self.made[-1]

    def put(self, value: str = "x", form: str = "TEST_{}") -> str:
        name = self.name(form)
        self.management.secrets.create(REF, {name: value})
        return name

    def value(self, name: str) -> str | None:
        """Return the service's value: a digest, or None if there is no such secret."""
        return next((secret.value for secret in self.management.secrets.all(REF) if secret.name == name), None)

    def holds(self, name: str, value: str) -> bool:
        """Whether the service has exactly this value."""
        return self.value(name) == sha256(value.encode()).hexdigest()

    def address(self, view: str, **query: str) -> str:
        return reverse(f"secrets:{view}", args=[REF], query=query or None)


@pytest.fixture
def desk(service: Sandbox) -> Iterator[Desk]:
    desk = Desk(ManagementInterface(service.management_url, Token(service.personal_token)))
    yield desk
    desk.management.secrets.delete(REF, desk.made)
