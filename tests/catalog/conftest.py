"""Buckets to crawl, and crawls run without a worker."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest

from dashboard.catalog import queries
from dashboard.catalog.crawl import begin
from dashboard.catalog.query import Filter
from dashboard.interfaces import StorageInterface
from dashboard.jobs.models import Job
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.jobs.conftest import turn


@dataclass(frozen=True, slots=True)
class Shelf:
    """One bucket, seen directly at the service (`storage`) and through its index."""

    workspace: Workspace
    storage: StorageInterface
    space: str
    bucket: str

    @property
    def place(self) -> tuple[Workspace, str, str]:
        return self.workspace, self.space, self.bucket

    def put(self, *keys: str, body: bytes = b"x", content_type: str = "text/plain") -> None:
        for key in keys:
            self.storage.objects.upload(self.bucket, key, body, content_type=content_type)

    def crawl(self) -> Job:
        """Run the crawl to its end."""
        return turn(begin(*self.place).job)

    def known(self, asked: str = "") -> list[str]:
        return [entry.key for entry in queries.keys(*self.place, Filter.parse(asked))]

    def state(self) -> queries.Known:
        found = queries.state(*self.place)
        assert found
        return found


@pytest.fixture
def shelf(owner: Person, storage_token: StoredToken, service: Sandbox, ref: str) -> Iterator[Shelf]:
    storage = service.interface(ref)
    name = f"index {uuid4().hex[:12]}"
    storage.buckets.create(name)
    yield Shelf(Workspace(owner), storage, ref, name)
    storage.buckets.empty(name)
    storage.buckets.delete(name)
