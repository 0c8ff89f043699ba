"""A private bucket for each test, a person who requests files, and outsiders who send them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.features.file_requests.services import requests
from dashboard.interfaces import StorageInterface
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.service import Calls, Faults
from tests.pages import PageClient

__all__ = ["Calls", "Faults"]

TERMS: dict[str, Any] = {
    "title": "Photos of the fair",
    "note": "",
    "types": "",
    "most_bytes": 1 << 20,
    "most_files": 20,
    "most_total": 10 << 20,
    "password": "",
    "zone": "",
}


@dataclass(frozen=True, slots=True)
class Desk:
    """One bucket, its owner's pages (`client`), and the service itself (`storage`)."""

    client: PageClient
    storage: StorageInterface
    person: Person
    space: str
    bucket: str

    def ask(self, folder: str = "fair/", **terms: Any) -> tuple[FileRequest, str]:
        """Create a file request. Return it with the path that opens it."""
        terms.setdefault("ends_at", timezone.now() + timedelta(days=7))
        wanted = requests.Terms(**{**TERMS, **terms})
        asked, code = requests.make(Workspace(self.person), self.space, self.bucket, folder, wanted)
        return asked, f"/r/{code}"

    def sender(self, path: str, name: str = "Ann") -> PageClient:
        """Return the client of an outsider who entered their name."""
        client = PageClient()
        assert client.post(path, {"name": name}).status_code == 303
        return client

    def receive(self, asked: FileRequest, path: str, *names: str) -> list[ReceivedFile]:
        client = self.sender(path)
        for name in names:
            assert send(client, path, name).status_code == 200, name
        return list(asked.received.order_by("pk"))

    def names(self, prefix: str) -> list[str]:
        return sorted(entry.name for entry in self.storage.objects.all(self.bucket, prefix=prefix, limit=1000))

    def inbox(self, asked: FileRequest, verb: str = "inbox") -> str:
        return reverse(f"file_requests:{verb}", args=(asked.pk,))


def send(client: PageClient, path: str, name: str, body: bytes = b"bytes", kind: str = "image/png") -> Any:
    return client.put(f"{path}/file?{urlencode({'name': name})}", body, content_type=kind)


@pytest.fixture
def desk(as_owner: PageClient, owner: Person, storage_token: StoredToken, storage: StorageInterface, ref: str) -> Iterator[Desk]:
    assert storage_token.pk
    bucket = f"asked {uuid4().hex[:12]}"
    storage.buckets.create(bucket)
    yield Desk(as_owner, storage, owner, ref, bucket)
    storage.buckets.empty(bucket)
    storage.buckets.delete(bucket)
