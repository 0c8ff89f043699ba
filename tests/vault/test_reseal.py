from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db import connection
from pytest_django import Settings

from dashboard.team.models import Person
from dashboard.tokens.models import Kind, StoredToken
from dashboard.vault import reseal as vault_reseal
from dashboard.vault.models import LookupKey
from dashboard.vault.reseal import Resealed, reseal
from dashboard.vault.seals import Sealed, newest_prefix


@pytest.fixture(autouse=True)
def nothing_else_is_sealed(db: None) -> None:
    LookupKey.objects.all().delete()


def keep(person: Person, space: str, text: str = "a secret") -> StoredToken:
    token = StoredToken(person=person, kind=Kind.STORAGE, space=space, last4=text[-4:], fingerprint="0" * 8)
    token.seal(text)
    token.save()
    return token


def test_after_resealing_the_older_key_is_not_needed_any_more(ada: Person, settings: Settings) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.VAULT_KEYS = [old]
    tokens = [keep(ada, f"space-{number}", f"secret {number}") for number in range(5)]
    settings.VAULT_KEYS = [new, old]
    out = StringIO()
    call_command("reseal", stdout=out)
    assert "5 encrypted" in out.getvalue()
    assert "can now remove" in out.getvalue()
    settings.VAULT_KEYS = [new]
    for number, token in enumerate(tokens):
        token.refresh_from_db()
        assert token.open() == f"secret {number}"
    assert reseal() == Resealed(done=0, broken=0)


def test_it_works_through_more_rows_than_one_batch(ada: Person, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_reseal, "BATCH", 2)
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.VAULT_KEYS = [old]
    for number in range(5):
        keep(ada, f"space-{number}")
    settings.VAULT_KEYS = [new, old]
    assert reseal() == Resealed(done=5, broken=0)


def test_a_broken_value_is_counted_and_left_as_it_is(ada: Person, settings: Settings) -> None:
    token = keep(ada, "space")
    StoredToken.objects.filter(pk=token.pk).update(sealed=Sealed("v1.00000000.rubbish"))
    out = StringIO()
    call_command("reseal", stdout=out)
    assert "1 can't be decrypted" in out.getvalue()
    token.refresh_from_db()
    assert token.sealed == Sealed("v1.00000000.rubbish")


def test_a_plain_text_never_gets_into_the_column(ada: Person) -> None:
    token = StoredToken(person=ada, kind=Kind.STORAGE, space="space", last4="text", fingerprint="0" * 8)
    token.sealed = "a plain text"  # type: ignore[assignment] # the mistake that is to be caught
    with pytest.raises(TypeError, match="Sealed"):
        token.save()


def test_an_update_does_not_get_a_plain_text_in_either(ada: Person) -> None:
    kept = keep(ada, "space")
    with pytest.raises(TypeError, match="Sealed"):
        StoredToken.objects.filter(pk=kept.pk).update(sealed="a plain text")


def test_the_column_holds_no_plain_text(ada: Person) -> None:
    keep(ada, "space", "canary-in-the-column")
    with connection.cursor() as cursor:
        cursor.execute("SELECT sealed FROM tokens_storedtoken")
        (column,) = cursor.fetchone()
    assert "canary" not in column
    assert column.startswith(newest_prefix())
