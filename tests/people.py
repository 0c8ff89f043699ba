"""People who act in tests, the service they use, and clients that check every page."""

from collections.abc import Iterator
from concurrent.futures import wait
from dataclasses import replace

import pytest
from django.conf import settings as django_settings
from django.utils import timezone
from pytest_django import Settings

from dashboard.interfaces import StorageInterface
from dashboard.team import mail
from dashboard.team.gate import MARK
from dashboard.team.models import Person, Role
from dashboard.tokens import checks, credentials
from dashboard.tokens.credentials import fingerprint
from dashboard.tokens.models import Kind, StoredToken
from tests.pages import PageClient
from tests.sandboxes import Sandbox

PASSWORD = "correct horse battery staple"
_found: dict[tuple[str, ...], checks.Found] = {}


@pytest.fixture
def owner(db: None) -> Person:
    return Person.objects.create(email="olga@example.org", name="Olga Owner", role=Role.OWNER)


@pytest.fixture
def ada(db: None) -> Person:
    return Person.objects.create(email="ada@example.org", name="Ada Member", role=Role.ADMINISTRATOR)


@pytest.fixture
def visitor(db: None) -> PageClient:
    """A client without a sign-in."""
    return PageClient()


@pytest.fixture
def as_owner(owner: Person) -> PageClient:
    return client_of(owner)


@pytest.fixture
def as_ada(ada: Person) -> PageClient:
    return client_of(ada)


@pytest.fixture
def service(sandbox: Sandbox, settings: Settings) -> Iterator[Sandbox]:
    """The sandbox, configured as the service. No page may show one of its tokens."""
    settings.MANAGEMENT_URL = sandbox.management_url
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = sandbox.storage_url
    PageClient.tokens = {sandbox.personal_token, *(key for keys in sandbox.storage_tokens.values() for key in keys.values())}
    yield sandbox
    PageClient.tokens = set()


@pytest.fixture
def ref(service: Sandbox) -> str:
    """A project whose storage answers."""
    return next(iter(service.storage_tokens))


@pytest.fixture
def storage(service: Sandbox, ref: str) -> StorageInterface:
    """The storage of the project `ref`, as its service key sees it."""
    return service.interface(ref)


@pytest.fixture
def management_token(owner: Person, service: Sandbox) -> StoredToken:
    """The owner's stored management token."""
    return hold(owner, service.personal_token)


@pytest.fixture
def storage_token(owner: Person, service: Sandbox, ref: str, management_token: StoredToken) -> StoredToken:
    """The owner's stored token for the project `ref`."""
    return hold(owner, service.storage_tokens[ref]["service"], ref)


def hold(person: Person, text: str, space: str = "") -> StoredToken:
    """Store a person's token for a storage or, without a space, for management. Checked once per run, not journaled."""
    kind = Kind.STORAGE if space else Kind.MANAGEMENT
    settings = django_settings
    told = (space, text, settings.MANAGEMENT_URL, settings.STORAGE_URL, settings.STORAGE_AUTHORIZATION)
    if told not in _found:
        known, found = credentials._require_place(person, kind, space), checks.check(kind, space, text)
        _found[told] = replace(found, reach={**known, **found.reach})
    StoredToken.objects.filter(person=person, kind=kind, space=space).delete()
    token = StoredToken(person=person, kind=kind, space=space, last4=text[-4:], fingerprint=fingerprint(text))
    token.placement, token.reach, token.checked_at = _found[told].placement, dict(_found[told].reach), timezone.now()
    token.last_used_at = token.checked_at
    token.seal(text)
    token.save()
    return token


def client_of(person: Person) -> PageClient:
    client = PageClient()
    client.force_login(person)
    return client


def confirmed(person: Person) -> PageClient:
    """Return a client of a person who has just confirmed the password."""
    person.set_password(PASSWORD)
    person.save()
    client = client_of(person)
    session = client.session
    session[MARK] = {"person": person.pk, "at": timezone.now().timestamp()}
    session.save()
    return client


@pytest.fixture(autouse=True)
def mails_are_delivered() -> Iterator[None]:
    """Wait for mail, so that none of one test lands in the outbox of the next."""
    yield
    wait(set(mail._under_way))
