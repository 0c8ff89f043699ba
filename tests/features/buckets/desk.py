"""The storage of one project, and buckets that nobody else uses."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
from django.urls import reverse

from dashboard.interfaces import StorageInterface, Token
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.storage.buckets import Bucket
from tests.conftest import Sandbox


@dataclass(frozen=True, slots=True)
class Desk:
    """One space, straight at the service."""

    storage: StorageInterface
    space: str
    made: list[str] = field(default_factory=list)

    def name(self, form: str = "test-{}") -> str:
        """A name of its own for this test; the bucket is deleted afterwards."""
        self.made.append(form.format(uuid4().hex[:10]))
        return self.made[-1]

    def put(self, form: str = "test-{}", **settings: object) -> str:
        name = self.name(form)
        self.storage.buckets.create(name, **settings)  # type: ignore[arg-type] # passed on as they came
        return name

    def bucket(self, name: str) -> Bucket | None:
        try:
            return self.storage.buckets.get(name)
        except NotFound:
            return None

    def address(self, view: str, *bucket: str) -> str:
        return reverse(f"buckets:{view}", args=[self.space, *bucket])


@pytest.fixture
def desk(service: Sandbox, ref: str) -> Iterator[Desk]:
    desk = Desk(StorageInterface(service.storage(ref), Token(service.storage_tokens[ref]["service"])), ref)
    yield desk
    for name in desk.made:
        if desk.bucket(name):
            desk.storage.buckets.empty(name)
            desk.storage.buckets.delete(name)
