"""The service under test: the sandbox, or a real one that the environment names.

For a real one set CONTRACT_MANAGEMENT_URL, CONTRACT_PERSONAL_TOKEN and CONTRACT_REF (a project made for this: its secrets,
functions, hostname, bans and restrictions are changed) and CONTRACT_STORAGE_URL, CONTRACT_STORAGE_TOKEN (the service role's) and
CONTRACT_WEAK_TOKEN (the role anon). CONTRACT_AUTHORIZATION is header or query. CONTRACT_MAY_CREATE=1 allows to create an
organization and a project, which may cost money.
"""

import os
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec
import pytest
import requests

from dashboard.interfaces import ManagementInterface, Placement, StorageInterface, Token, errors
from dashboard.interfaces.management.projects import Project
from tests.environment import RUN_DIR
from tests.sandboxes import Sandbox, start_sandbox, stop_sandbox


@dataclass(frozen=True)
class Service:
    """The service's addresses and tokens. `is_sandbox` allows what a test would not do to a real one."""

    management_url: str
    storage_url: str
    ref: str
    personal_token: str
    storage_token: str
    weak_token: str
    placement: Placement
    may_create: bool
    is_sandbox: bool

    def management(self, token: str | None = None) -> ManagementInterface:
        return ManagementInterface(self.management_url, Token(token or self.personal_token))

    def storage(self, token: str | None = None, placement: Placement | None = None) -> StorageInterface:
        return StorageInterface(self.storage_url, Token(token or self.storage_token), placement=placement or self.placement)


def _named() -> Service | None:
    if not os.environ.get("CONTRACT_MANAGEMENT_URL"):
        return None
    return Service(
        management_url=os.environ["CONTRACT_MANAGEMENT_URL"],
        storage_url=os.environ["CONTRACT_STORAGE_URL"],
        ref=os.environ["CONTRACT_REF"],
        personal_token=os.environ["CONTRACT_PERSONAL_TOKEN"],
        storage_token=os.environ["CONTRACT_STORAGE_TOKEN"],
        weak_token=os.environ["CONTRACT_WEAK_TOKEN"],
        placement=Placement(os.environ.get("CONTRACT_AUTHORIZATION", "header")),
        may_create=os.environ.get("CONTRACT_MAY_CREATE") == "1",
        is_sandbox=False,
    )


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """Separate, because the project of this run must outlive a test."""
    running = start_sandbox(RUN_DIR / "contract")
    yield running
    stop_sandbox(running)


@pytest.fixture(scope="session")
def service(request: pytest.FixtureRequest) -> Service:
    """A service with a project of its own for this run."""
    named = _named()
    return named if named is not None else _in_sandbox(request.getfixturevalue("sandbox"))


def _in_sandbox(sandbox: Sandbox) -> Service:
    management = ManagementInterface(sandbox.management_url, Token(sandbox.personal_token))
    made = make_project(management, unique("contract"))
    answer = requests.get(
        f"{sandbox.management_url}/_keys", headers={"Authorization": f"Bearer {sandbox.personal_token}"}, timeout=10
    )
    tokens = msgspec.json.decode(answer.content)["storage_tokens"][made.ref]
    return Service(
        management_url=sandbox.management_url,
        storage_url=sandbox.storage(made.ref),
        ref=made.ref,
        personal_token=sandbox.personal_token,
        storage_token=tokens["service"],
        weak_token=tokens["anon"],
        placement=Placement.HEADER,
        may_create=True,
        is_sandbox=True,
    )


def make_project(management: ManagementInterface, name: str) -> Project:
    """Create a project in the first organization and wait until it answers."""
    organization = management.organizations.all()[0]
    made = management.projects.create(
        name,
        organization_id=organization.id,
        db_pass=secrets.token_urlsafe(16),
        region="eu-west-1",
        plan="free",
        organization_slug=organization.slug,
    )
    wait_for(lambda: _answers(management, made.ref), seconds=300)
    return made


def _answers(management: ManagementInterface, ref: str) -> bool:
    try:
        management.network.restrictions(ref)
        management.functions.all(ref)
    except (errors.Rejected, errors.Broken, errors.Conflict, errors.NotFound, errors.TimedOut):
        return False
    return True


def wait_for(is_so: Callable[[], bool], *, seconds: float) -> None:
    """Wait until the condition holds. Fails after `seconds`."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come to be so in time"
        time.sleep(0.1 if seconds < 60 else 0.5)


def unique(word: str) -> str:
    """Return a unique name."""
    return f"{word}-{secrets.token_hex(4)}"


@pytest.fixture
def management(service: Service) -> ManagementInterface:
    return service.management()


@pytest.fixture
def storage(service: Service) -> StorageInterface:
    return service.storage()


@pytest.fixture
def ref(service: Service) -> str:
    return service.ref


@pytest.fixture
def bucket(storage: StorageInterface) -> Iterator[str]:
    """A private bucket, deleted after the test."""
    yield from _bucket(storage, public=False)


@pytest.fixture
def public_bucket(storage: StorageInterface) -> Iterator[str]:
    """A public bucket, deleted after the test."""
    yield from _bucket(storage, public=True)


def _bucket(storage: StorageInterface, *, public: bool) -> Iterator[str]:
    name = storage.buckets.create(unique("contract"), public=public)
    yield name
    remove(storage, name)


def remove(storage: StorageInterface, bucket: str) -> None:
    """Empty and delete a bucket. Emptying may continue after its answer."""

    def is_gone() -> bool:
        try:
            storage.buckets.empty(bucket)
            storage.buckets.delete(bucket)
        except errors.Conflict:
            return False
        except errors.NotFound:
            return True
        return True

    wait_for(is_gone, seconds=30)
