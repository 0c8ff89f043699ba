"""A project whose root key tests may replace, and a person who has just signed in."""

import secrets
from dataclasses import dataclass
from typing import Any

import pytest
from django.urls import reverse

from dashboard.interfaces import ManagementInterface, Token
from dashboard.team.models import Person
from tests.conftest import Sandbox
from tests.pages import PageClient
from tests.people import PASSWORD

REF, NAME = "xreugplnbwsqhdvfyakt", "marlowe-lab"
PAUSED, COMING = "qnlfwrtaxvjbkmcysdge", "aojxnkwqhevtdzprmlcs"


@dataclass(frozen=True, slots=True)
class Desk:
    """The root key of one project, directly at the service, and a person's steps to replace it."""

    management: ManagementInterface
    keeper: PageClient

    def key(self) -> str:
        return self.management.encryption.get(REF).root_key

    def put(self, key: str = "") -> str:
        """Set another key directly at the service."""
        return self.management.encryption.update(REF, root_key=key or secrets.token_hex(32)).root_key

    def address(self, view: str = "index", *args: object) -> str:
        return reverse(f"encryption:{view}", args=[REF, *args])

    def save(self) -> Any:
        return self.keeper.post(self.address("file"))

    def choose(self, key: str = "") -> Any:
        """Take the first step, with the current key saved and a new one generated or pasted. Return its review, if accepted."""
        self.save()
        typed = {"saved": "on", "source": "paste" if key else "generate", "key": key}
        answer = self.keeper.post(self.address("replacement"), typed)
        return self.keeper.get(answer["Location"]) if answer.status_code == 303 else answer

    def confirm(self, chosen: Any, **changed: str) -> Any:
        """Take the second step, with everything ticked and typed."""
        ticked = {f"consequence_{number}": "on" for number in (1, 2, 3)}
        return self.keeper.post(chosen.wsgi_request.path, {**ticked, "typed": NAME, **changed})


@pytest.fixture
def desk(service: Sandbox, as_keeper: PageClient, owner: Person) -> Desk:
    return key_desk(ManagementInterface(service.management_url, Token(service.personal_token)), as_keeper, owner)


def key_desk(management: ManagementInterface, as_keeper: PageClient, owner: Person) -> Desk:
    desk = Desk(management, as_keeper)
    desk.put()
    owner.set_password(PASSWORD)
    owner.save()
    as_keeper.force_login(owner)
    as_keeper.post("/account/reauthenticate/?next=/", {"password": PASSWORD})
    PageClient.tokens = PageClient.tokens | {desk.key()}
    return desk
