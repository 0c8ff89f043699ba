"""The steps of creating a project, and the service's view of it."""

import re
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import requests
from django.urls import reverse

from tests.conftest import Sandbox
from tests.pages import PageClient

NEW = reverse("projects:new")
ORGANIZATION = "quiet-harbour-heron"


@dataclass
class Creation:
    """One project being created. `typed` is what a person enters; `name` is unique to each test."""

    client: PageClient
    service: Sandbox
    name: str = field(default_factory=lambda: f"atlas {uuid4().hex[:10]}")

    @property
    def typed(self) -> dict[str, str]:
        return {"name": self.name, "organization": ORGANIZATION, "region": "eu-west-1", "plan": "free"}

    def ask(self, **change: str) -> "Review":
        """Fill the form and continue to the review."""
        answer = self.client.post(NEW, {**self.typed, **change})
        assert answer.status_code == 303
        address = str(answer["Location"])
        return Review(self.client, address, self.client.get(address).text)

    def create(self) -> str:
        """Create it directly at the service. Return its ref."""
        body = {"name": self.name, "organization_id": ORGANIZATION, "db_pass": "demo", "region": "eu-west-1", "plan": "free"}
        return str(requests.post(self._address, json=body, headers=self._headers, timeout=10).json()["id"])

    def there(self) -> list[dict[str, Any]]:
        """Return every project with that name at the service."""
        found = requests.get(self._address, headers=self._headers, timeout=10).json()
        return [project for project in found if project["name"] == self.name]

    @property
    def _address(self) -> str:
        return f"{self.service.management_url}/v1/projects"

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.service.personal_token}"}


@dataclass
class Review:
    """The page that asks. `send` presses its button, with everything ticked."""

    client: PageClient
    address: str
    text: str

    @property
    def ready(self) -> dict[str, str]:
        return {"kind": "generated", "saved": "on", "another": "on"}

    def send(self, **change: str) -> Any:
        return self.client.post(self.address, {**self.ready, **change})


def password_in(html: str) -> str:
    found = re.search(r'<code class="review__password">([^<]+)</code>', html)
    assert found
    return found[1]
