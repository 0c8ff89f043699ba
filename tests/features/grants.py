"""A bucket with a folder that a person may use through a grant, and what lies beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import uuid4

import pytest

from dashboard.interfaces import StorageInterface
from dashboard.team.models import Person
from dashboard.tokens.models import Grant, Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.pages import PageClient
from tests.people import client_of

EVERYTHING = ("read", "share", "upload", "change", "delete", "buckets", "sign")


@dataclass(frozen=True, slots=True)
class Lent:
    """A grant for Ada on the folder `inside/` of `bucket`. `other` is another bucket of the space."""

    ada: Person
    client: PageClient
    grant: Grant
    storage: StorageInterface
    space: str
    bucket: str
    other: str

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.ada)

    def put(self, *keys: str, bucket: str = "", body: bytes = b"x") -> None:
        for key in keys:
            self.storage.objects.upload(bucket or self.bucket, key, body, content_type="text/plain")

    def change(self, **values: object) -> None:
        """Change the grant as its giver would."""
        for name, value in values.items():
            setattr(self.grant, name, value)
        self.grant.version += 1
        self.grant.save()


def lend(token: StoredToken, person: Person, *folders: str, acts: Sequence[str] = EVERYTHING) -> Grant:
    """Create a grant on folders of the space of a stored token."""
    return Grant.objects.create(
        giver=token.person,
        kind=Kind.STORAGE,
        space=token.space,
        place=token.space,
        person=person,
        acts=list(acts),
        folders=list(folders),
        token=token.fingerprint,
    )


@pytest.fixture
def lent(service: Sandbox, ref: str, storage_token: StoredToken, ada: Person) -> Iterator[Lent]:
    storage = service.interface(ref)
    bucket, other = f"lent-{uuid4().hex[:8]}", f"other-{uuid4().hex[:8]}"
    for name in (bucket, other):
        storage.buckets.create(name)
    grant = lend(storage_token, ada, f"{bucket}/inside/")
    yield Lent(ada, client_of(ada), grant, storage, ref, bucket, other)
    for name in (bucket, other):
        storage.buckets.empty(name)
        storage.buckets.delete(name)
