"""Links, indexes and sessions outlive a change of SECRET_KEY and VAULT_KEYS."""

from cryptography.fernet import Fernet
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.catalog.models import Catalog
from dashboard.catalog.queries import states
from dashboard.tokens.credentials import fingerprint
from dashboard.tokens.models import StoredToken
from dashboard.tokens.workspace import Workspace
from dashboard.vault import lookup
from dashboard.vault.models import LookupKey
from dashboard.vault.reseal import reseal
from dashboard.vault.seals import Sealed
from tests.features.sharing.conftest import Desk
from tests.pages import PageClient


def restart() -> None:
    """What a process knows of the look-up key goes with it."""
    lookup._key.cache_clear()


def test_links_indexes_and_sessions_survive_a_change_of_both_keys(
    desk: Desk, settings: Settings, storage_token: StoredToken
) -> None:
    desk.put("a.txt")
    _, link = desk.share("a.txt")
    Catalog.objects.create(space=desk.space, bucket=desk.bucket, token=storage_token.fingerprint, as_of=timezone.now(), crawl=1)
    other = PageClient()
    other.force_login(desk.person)
    secret, text = settings.SECRET_KEY, storage_token.open()

    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [secret]
    settings.VAULT_KEYS = [Fernet.generate_key().decode(), *settings.VAULT_KEYS]
    restart()
    assert reseal().broken == 0
    settings.VAULT_KEYS = settings.VAULT_KEYS[:1]
    restart()

    assert desk.visitor.get(link).status_code == 200
    assert list(states(Workspace(desk.person), desk.space)) == [desk.bucket]
    assert fingerprint(text) == storage_token.fingerprint
    assert desk.client.get("/account/").status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    assert other.get("/account/").status_code == 302


def test_a_lookup_key_that_opens_no_more_is_replaced_and_counts_again_when_it_opens(desk: Desk, settings: Settings) -> None:
    kept = settings.VAULT_KEYS
    desk.put("a.txt")
    _, link = desk.share("a.txt")
    settings.VAULT_KEYS = [Fernet.generate_key().decode()]
    lookup.ensure_key()
    assert LookupKey.objects.count() == 2
    assert desk.visitor.get(link).status_code == 404
    settings.VAULT_KEYS = [*settings.VAULT_KEYS, *kept]
    lookup.ensure_key()
    assert LookupKey.objects.count() == 2
    assert desk.visitor.get(link).status_code == 200


def test_the_lookup_key_is_random_sealed_and_created_once(desk: Desk) -> None:
    assert desk.person.pk
    (row,) = LookupKey.objects.all()
    key = row.sealed.open(owner=0, purpose=lookup.PURPOSE)
    assert len(bytes.fromhex(key)) == 32
    assert isinstance(row.sealed, Sealed)
    lookup.ensure_key()
    assert LookupKey.objects.get().sealed == row.sealed
