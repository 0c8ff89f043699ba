"""The steps of creating a project, and what the service has of it."""

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from uuid import uuid4

import requests
from django.urls import reverse

from tests.conftest import Sandbox
from tests.pages import PageClient

NEW, REVIEW = reverse("projects:new"), reverse("projects:review")
ORGANIZATION = "quiet-harbour-heron"


@dataclass
class Creation:
    """One project on its way: `typed` is what a person puts into the form, `name` is its own in every test."""

    client: PageClient
    service: Sandbox
    name: str = field(default_factory=lambda: f"atlas {uuid4().hex[:10]}")

    @property
    def typed(self) -> dict[str, str]:
        key = key_of(self.client.get(NEW).text)
        return {"once": key, "name": self.name, "organization": ORGANIZATION, "region": "eu-west-1", "plan": "free"}

    def ask(self, **change: str) -> "Review":
        """Fill the form and go on to the review."""
        answer = self.client.post(NEW, {**self.typed, **change})
        assert answer.status_code == 303
        address = str(answer["Location"])
        return Review(self.client, address, self.client.get(address).text)

    def there(self) -> list[dict[str, Any]]:
        """Every project of that name that the service has."""
        address = f"{self.service.management_url}/v1/projects"
        headers = {"Authorization": f"Bearer {self.service.personal_token}"}
        found = requests.get(address, headers=headers, timeout=10).json()
        return [project for project in found if project["name"] == self.name]


@dataclass
class Review:
    """The page that asks; `send` is its button, with everything ticked."""

    client: PageClient
    address: str
    text: str

    @property
    def ready(self) -> dict[str, str]:
        return {**hidden(self.text), "kind": "generated", "saved": "on", "another": "on"}

    def send(self, **change: str) -> Any:
        return self.client.post(self.address, {**self.ready, **change})


def key_of(html: str) -> str:
    found = re.search(r'name="once" value="([^"]+)"', html)
    assert found
    return found[1]


def hidden(html: str) -> dict[str, str]:
    """The hidden fields of the form in the page's middle."""
    main = html.partition("<main")[2].partition("</main>")[0]
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', main)
    return {name: unescape(value) for name, value in found if name != "csrfmiddlewaretoken"}


def password_in(html: str) -> str:
    found = re.search(r'<code class="review__password">([^<]+)</code>', html)
    assert found
    return found[1]
