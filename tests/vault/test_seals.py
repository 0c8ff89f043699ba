import pytest
from cryptography.fernet import Fernet
from pytest_django import Settings

from dashboard.vault.checks import check_keys, keys_problem
from dashboard.vault.seals import CannotOpen, Sealed, newest_prefix

SECRET = "sbp_" + "c4" * 20


def test_it_opens_for_its_owner_and_purpose() -> None:
    assert Sealed.seal(SECRET, owner=7, purpose="token:management:").open(owner=7, purpose="token:management:") == SECRET


@pytest.mark.parametrize(("owner", "purpose"), [(8, "token:management:"), (7, "token:storage:abc")])
def test_it_does_not_open_for_somebody_or_something_else(owner: int, purpose: str) -> None:
    sealed = Sealed.seal(SECRET, owner=7, purpose="token:management:")
    with pytest.raises(CannotOpen):
        sealed.open(owner=owner, purpose=purpose)


def test_nothing_prints_what_is_sealed() -> None:
    sealed = Sealed.seal(SECRET, owner=7, purpose="p")
    for text in (repr(sealed), str(sealed), f"{sealed}", sealed.stored()):
        assert SECRET not in text


def test_the_same_text_is_sealed_differently_each_time() -> None:
    assert Sealed.seal(SECRET, owner=7, purpose="p") != Sealed.seal(SECRET, owner=7, purpose="p")


def test_an_older_key_still_opens_and_the_newest_one_seals(settings: Settings) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.VAULT_KEYS = [old]
    sealed = Sealed.seal(SECRET, owner=7, purpose="p")
    settings.VAULT_KEYS = [new, old]
    assert sealed.open(owner=7, purpose="p") == SECRET
    assert not sealed.stored().startswith(newest_prefix())
    fresh = sealed.resealed()
    settings.VAULT_KEYS = [new]
    assert fresh.open(owner=7, purpose="p") == SECRET
    with pytest.raises(CannotOpen):
        sealed.open(owner=7, purpose="p")


@pytest.mark.parametrize(
    "text",
    ["", "plain", "v1", "v1.", "v1.00000000.gAAAA", "v2.{id}.gAAAA", "v1.{id}.", "v1.{id}.nonsense", "v1.{id}.gAAAAABl\u00e9"],
)
def test_what_was_tampered_with_does_not_open_and_does_not_crash(text: str, settings: Settings) -> None:
    key_id = newest_prefix().split(".")[1]
    with pytest.raises(CannotOpen):
        Sealed(text.replace("{id}", key_id)).open(owner=7, purpose="p")


@pytest.mark.parametrize("inside", [b"[]", b"{}", b"not json", b'{"owner": 7}'])
def test_a_token_of_the_right_key_with_other_content_does_not_open(inside: bytes, settings: Settings) -> None:
    token = Fernet(settings.VAULT_KEYS[0]).encrypt(inside).decode()
    with pytest.raises(CannotOpen):
        Sealed(newest_prefix() + token).open(owner=7, purpose="p")


def test_bad_keys_are_named_by_number_and_never_quoted(settings: Settings) -> None:
    good = Fernet.generate_key().decode()
    assert keys_problem([good]) is None
    assert "empty" in (keys_problem([]) or "")
    problem = keys_problem([good, "not-a-key"]) or ""
    assert "Key 2" in problem
    assert "not-a-key" not in problem
    assert "twice" in (keys_problem([good, good]) or "")
    settings.VAULT_KEYS = ["nonsense"]
    assert [error.id for error in check_keys(None)] == ["vault.E001"]
