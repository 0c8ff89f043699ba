"""A project whose functions tests may change, and slugs that no other test uses."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from dashboard.interfaces import ManagementInterface, Token, errors
from dashboard.interfaces.management.functions import Function
from tests.conftest import Sandbox
from tests.pages import PageClient

REF = "xreugplnbwsqhdvfyakt"
SOURCE = "Deno.serve(() => new Response('one'));\n"
OTHER = "Deno.serve(() => new Response('two'));\n"
BUNDLE = b"ESZIP2.3" + bytes(range(256)) * 8


@dataclass(frozen=True, slots=True)
class Desk:
    """The functions of one project, used directly at the service."""

    management: ManagementInterface
    made: list[str] = field(default_factory=list)

    def slug(self) -> str:
        """Return an unused slug. The function is deleted after the test."""
        self.made.append(f"fn-{uuid4().hex[:10]}")
        return self.made[-1]

    def put(self, body: str | bytes = SOURCE, *, name: str = "", verify_jwt: bool = True, import_map: bool = False) -> str:
        slug = self.slug()
        name = name or slug
        if isinstance(body, str):
            self.management.functions.create(REF, slug=slug, name=name, body=body, verify_jwt=verify_jwt, import_map=import_map)
        else:
            self.management.functions.create_bundle(
                REF, slug=slug, name=name, bundle=body, verify_jwt=verify_jwt, import_map=import_map
            )
        return slug

    def get(self, slug: str) -> Function:
        return self.management.functions.get(REF, slug)

    def body(self, slug: str) -> bytes:
        return self.management.functions.body(REF, slug).data

    def is_there(self, slug: str) -> bool:
        try:
            self.get(slug)
        except errors.NotFound:
            return False
        return True

    def address(self, view: str, *names: object, **query: str) -> str:
        return reverse(f"functions:{view}", args=[REF, *names], query=query or None)

    def review(self, client: PageClient, slug: str, text: str = OTHER, **more: object) -> str:
        """Draft a new body for an existing function. Return the address of its review."""
        live = self.get(slug)
        flags = {
            "name": live.name,
            **({"verify_jwt": "on"} if live.verify_jwt else {}),
            **({"import_map": "on"} if live.import_map else {}),
        }
        answer = client.post(self.address("replace", slug), {"text": text, **flags, **more})
        assert answer.status_code == 303, answer.text
        return str(answer["Location"])

    def send(self, client: PageClient, review: str, **more: str) -> object:
        """Apply a review as it is shown now."""
        return client.post(review, {"shown": shown(client, review), **more})


def shown(client: PageClient, review: str) -> str:
    """Return the revision in the review's form."""
    form = client.get(review).context["form"]
    return str(form["shown"].value())


def file(data: bytes, name: str = "main.eszip") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


@pytest.fixture
def desk(service: Sandbox) -> Iterator[Desk]:
    desk = Desk(ManagementInterface(service.management_url, Token(service.personal_token)))
    yield desk
    for slug in desk.made:
        with suppress(errors.NotFound):
            desk.management.functions.delete(REF, slug)
