"""A bucket for each test, in the sandbox's first running project, and a person who may use it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest
from django.urls import reverse
from pytest_django.fixtures import Settings
from requests.adapters import HTTPAdapter

from dashboard.interfaces import StorageInterface
from dashboard.team.models import Person
from tests.conftest import Sandbox
from tests.pages import PageClient
from tests.people import hold


@dataclass(frozen=True, slots=True)
class Desk:
    """One bucket, used by its owner through the pages (`client`) and directly at the service (`storage`)."""

    client: PageClient
    storage: StorageInterface
    space: str
    bucket: str

    def address(self, verb: str = "index") -> str:
        return reverse(f"objects:{verb}", kwargs={"space": self.space, "bucket": self.bucket})

    def put(self, *keys: str, body: bytes = b"x", content_type: str = "text/plain") -> None:
        for key in keys:
            self.storage.objects.upload(self.bucket, key, body, content_type=content_type)

    def names(self, prefix: str = "") -> list[str]:
        return [entry.name for entry in self.storage.objects.all(self.bucket, prefix=prefix, limit=1000)]

    def bytes_of(self, key: str) -> bytes:
        with self.storage.objects.read(self.bucket, key) as stream:
            return b"".join(stream)


@pytest.fixture
def service(settings: Settings, sandbox: Sandbox) -> Sandbox:
    settings.MANAGEMENT_URL = sandbox.management_url
    settings.STORAGE_URL = sandbox.storage_url
    settings.STORAGE_PUBLIC_URL = sandbox.storage_url
    return sandbox


@pytest.fixture
def space(sandbox: Sandbox) -> str:
    return next(ref for ref, keys in sandbox.storage_tokens.items() if keys)


@pytest.fixture
def owner(db: None, service: Sandbox, space: str) -> Person:
    somebody = Person.objects.create(email=f"{uuid4().hex}@example.org")
    hold(somebody, service.personal_token)
    hold(somebody, service.storage_tokens[space]["service"], space)
    return somebody


@pytest.fixture
def signed_in(owner: Person, service: Sandbox) -> PageClient:
    client = PageClient()
    client.tokens = {service.personal_token, *(key for keys in service.storage_tokens.values() for key in keys.values())}  # type: ignore[misc] # for this client alone
    client.force_login(owner)
    return client


@pytest.fixture
def storage(service: Sandbox, space: str) -> StorageInterface:
    return service.interface(space)


@pytest.fixture
def desk(signed_in: PageClient, storage: StorageInterface, space: str) -> Iterator[Desk]:
    bucket = f"objects {uuid4().hex[:12]}"
    storage.buckets.create(bucket)
    yield Desk(signed_in, storage, space, bucket)
    storage.buckets.empty(bucket)
    storage.buckets.delete(bucket)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Return the requests sent since the fixture was made, as "VERB path"."""
    sent: list[str] = []
    original = HTTPAdapter.send

    def counted(self: HTTPAdapter, request: object, *args: object, **kwargs: object) -> object:
        sent.append(f"{request.method} {request.path_url.split('?')[0]}")  # type: ignore[attr-defined] # a PreparedRequest
        return original(self, request, *args, **kwargs)  # type: ignore[arg-type] # passed on as it came

    monkeypatch.setattr(HTTPAdapter, "send", counted)
    return lambda: sent
