"""The storage of one project, and buckets that no other test uses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.catalog import writes
from dashboard.catalog.models import Catalog
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.links.lifecycle import Terms, make
from dashboard.team.models import Person
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox


@dataclass(frozen=True, slots=True)
class Desk:
    """One space, used directly at the service."""

    storage: StorageInterface
    space: str
    made: list[str] = field(default_factory=list)

    def name(self, form: str = "test-{}") -> str:
        """Return an unused name. The bucket is deleted after the test."""
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

    def crawled(self, person: Person, bucket: str, objects: Mapping[str, int], *, token: str = "") -> None:
        """Index these objects (sizes in bytes) for the person's key or another one."""
        workspace = Workspace(person)
        fingerprint = token or workspace.fingerprint(Kind.STORAGE, self.space)
        Catalog.objects.create(space=self.space, bucket=bucket, token=fingerprint, as_of=timezone.now(), crawl=1)
        for key, size in objects.items():
            if not token:
                writes.stored(workspace, self.space, bucket, key, size=size, mimetype="text/plain")

    def linked(self, person: Person, bucket: str, key: str) -> None:
        """Create an active share link of the person to this object."""
        make(person, self.space, bucket, keys=(key,), terms=Terms(ends_at=timezone.now() + timedelta(days=1)))

    def address(self, view: str, *bucket: str) -> str:
        return reverse(f"buckets:{view}", args=[self.space, *bucket])


@pytest.fixture
def desk(service: Sandbox, ref: str) -> Iterator[Desk]:
    desk = Desk(service.interface(ref), ref)
    yield desk
    for name in desk.made:
        if desk.bucket(name):
            desk.storage.buckets.empty(name)
            desk.storage.buckets.delete(name)
