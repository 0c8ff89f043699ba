"""A bucket for each test, a person who shares from it, and a visitor who opens links without a sign-in."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.interfaces import StorageInterface
from dashboard.links.lifecycle import Terms, make
from dashboard.links.models import Share
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.conftest import Sandbox
from tests.features.service import Calls, Faults
from tests.pages import PageClient

__all__ = ["Calls", "Faults"]


@dataclass(frozen=True, slots=True)
class Desk:
    """One bucket, its owner's pages (`client`), the service itself (`storage`), and a visitor from outside."""

    client: PageClient
    visitor: PageClient
    storage: StorageInterface
    person: Person
    space: str
    bucket: str

    def put(self, *keys: str, body: bytes = b"x", content_type: str = "text/plain") -> None:
        for key in keys:
            self.storage.objects.upload(self.bucket, key, body, content_type=content_type)

    def share(self, *keys: str, folders: tuple[str, ...] = (), **terms: Any) -> tuple[Share, str]:
        """Share these keys. Return the link with the path that opens it."""
        terms.setdefault("ends_at", timezone.now() + timedelta(days=7))
        share, code = make(self.person, self.space, self.bucket, keys=keys, folders=folders, terms=Terms(**terms))
        return share, f"/l/{code}"

    def address(self) -> str:
        return reverse("sharing:new", args=(self.space, self.bucket))


@pytest.fixture
def desk(as_owner: PageClient, owner: Person, storage_token: StoredToken, storage: StorageInterface, ref: str) -> Iterator[Desk]:
    assert storage_token.pk
    bucket = f"shared {uuid4().hex[:12]}"
    storage.buckets.create(bucket)
    yield Desk(as_owner, PageClient(), storage, owner, ref, bucket)
    storage.buckets.empty(bucket)
    storage.buckets.delete(bucket)


@pytest.fixture
def hidden(service: Sandbox, settings: Settings) -> None:
    """Hide the storage from browsers, so that everything is streamed through us."""
    assert service.storage_url
    settings.STORAGE_PUBLIC_URL = "none"
