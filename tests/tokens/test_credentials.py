from pathlib import Path

import pytest
from django.http import Http404
from pytest_django import Settings

from dashboard.journal.models import Entry
from dashboard.team.models import Person
from dashboard.tokens import spaces
from dashboard.tokens.actor import stop_reason, workspace_of
from dashboard.tokens.credentials import check_again, forget, store
from dashboard.tokens.errors import TokenMissing
from dashboard.tokens.formats import BadToken
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Inactive
from tests.conftest import Sandbox, start_sandbox, stop_sandbox

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2lnbmF0dXJl"


def test_a_management_token_is_checked_sealed_and_counted(owner: Person, service: Sandbox) -> None:
    token = store(owner, Kind.MANAGEMENT, "", f"  Bearer {service.personal_token}\n")
    assert token.open() == service.personal_token
    assert token.last4 == service.personal_token[-4:]
    assert token.reach["organizations"] >= 1
    assert token.reach["projects"] >= 1
    assert token.checked_at is not None
    assert len(token.fingerprint) == 32


def test_a_storage_token_is_checked_with_its_space(
    owner: Person, service: Sandbox, ref: str, management_token: StoredToken
) -> None:
    token = store(owner, Kind.STORAGE, ref, service.storage_tokens[ref]["service"])
    assert token.open() == service.storage_tokens[ref]["service"]
    assert token.placement == "header"
    assert token.reach["role"] == "service_role"
    assert token.reach["project"]
    assert isinstance(token.reach["buckets"], int)


def test_storing_again_replaces(owner: Person, service: Sandbox, management_token: StoredToken) -> None:
    again = store(owner, Kind.MANAGEMENT, "", service.personal_token)
    assert list(StoredToken.objects.filter(person=owner)) == [again]
    assert Entry.objects.latest("pk").operation == "token replaced"


@pytest.mark.parametrize(
    ("pasted", "sentence"),
    [
        ("", "Paste the token"),
        ("   ", "Paste the token"),
        ("sbp_123 456", "no spaces or line breaks"),
        ("sbp_123\nsbp_456", "no spaces or line breaks"),
        ("sbp_ünïcode", "not a token"),
        ("x" * 9000, "not a token"),
        (JWT, "storage token"),
        ("sb_secret_abc", "storage token"),
    ],
)
def test_what_cannot_be_a_management_token_is_refused_with_a_sentence(
    owner: Person, service: Sandbox, pasted: str, sentence: str
) -> None:
    with pytest.raises(BadToken, match=sentence):
        store(owner, Kind.MANAGEMENT, "", pasted)
    assert not StoredToken.objects.exists()


def test_a_management_token_is_no_storage_token(owner: Person, service: Sandbox, ref: str, management_token: StoredToken) -> None:
    with pytest.raises(BadToken, match="management token"):
        store(owner, Kind.STORAGE, ref, service.personal_token)


def test_a_refused_token_is_not_stored_and_not_repeated(owner: Person, service: Sandbox) -> None:
    wrong = "sbp_" + "0" * 40
    with pytest.raises(BadToken, match="does not accept") as refusal:
        store(owner, Kind.MANAGEMENT, "", wrong)
    assert wrong not in str(refusal.value)
    assert not StoredToken.objects.exists()


def test_a_refused_storage_token_is_not_stored(owner: Person, service: Sandbox, ref: str, management_token: StoredToken) -> None:
    with pytest.raises(BadToken, match="does not accept"):
        store(owner, Kind.STORAGE, ref, JWT)
    assert not StoredToken.objects.filter(kind=Kind.STORAGE).exists()


def test_when_the_service_cannot_be_asked_nothing_is_stored(owner: Person, service: Sandbox, settings: Settings) -> None:
    settings.MANAGEMENT_URL = "http://127.0.0.1:9"
    with pytest.raises(BadToken, match="could not check it"):
        store(owner, Kind.MANAGEMENT, "", service.personal_token)
    assert not StoredToken.objects.exists()


def test_a_storage_token_waits_for_the_management_token(owner: Person, service: Sandbox, ref: str) -> None:
    with pytest.raises(BadToken, match="management token first"):
        store(owner, Kind.STORAGE, ref, service.storage_tokens[ref]["service"])


def test_a_project_that_the_management_token_does_not_show_gets_no_token(
    owner: Person, service: Sandbox, management_token: StoredToken
) -> None:
    with pytest.raises(BadToken, match="shows no project"):
        store(owner, Kind.STORAGE, "elsewhere", JWT)


@pytest.mark.parametrize("space", ["", "a.b", "a/b", "UPPER", "x" * 64, "evil.example#", "shared\n", "ä"])
def test_nothing_but_a_plain_label_becomes_part_of_an_address(
    owner: Person, service: Sandbox, management_token: StoredToken, space: str
) -> None:
    with pytest.raises(BadToken):
        store(owner, Kind.STORAGE, space, JWT)


def test_storage_alone_with_one_address_takes_one_token(owner: Person, service: Sandbox, ref: str, settings: Settings) -> None:
    settings.MANAGEMENT_URL = ""
    settings.STORAGE_URL = service.storage(ref)
    token = store(owner, Kind.STORAGE, "shared", service.storage_tokens[ref]["service"])
    assert token.space == "shared"
    with pytest.raises(BadToken, match="storage does not exist"):
        store(owner, Kind.STORAGE, ref, service.storage_tokens[ref]["service"])
    with pytest.raises(BadToken, match="Management is not set up"):
        store(owner, Kind.MANAGEMENT, "", service.personal_token)


def test_storage_alone_with_an_address_per_project_needs_no_management(
    owner: Person, service: Sandbox, ref: str, settings: Settings
) -> None:
    settings.MANAGEMENT_URL = ""
    assert store(owner, Kind.STORAGE, ref, service.storage_tokens[ref]["service"]).space == ref


def test_the_form_in_which_the_service_takes_the_token_is_found_and_kept(
    owner: Person, settings: Settings, tmp_path: Path
) -> None:
    other = start_sandbox(tmp_path, "--authorization", "query")
    try:
        space = next(iter(other.storage_tokens))
        settings.MANAGEMENT_URL = ""
        settings.STORAGE_URL = other.storage_url
        key = other.storage_tokens[space]["service"]
        assert store(owner, Kind.STORAGE, space, key).placement == "query"
        settings.STORAGE_AUTHORIZATION = "header"
        with pytest.raises(BadToken):
            store(owner, Kind.STORAGE, space, key)
        settings.STORAGE_AUTHORIZATION = "query"
        assert store(owner, Kind.STORAGE, space, key).placement == "query"
    finally:
        stop_sandbox(other)


def test_checking_again_writes_down_that_it_works(management_token: StoredToken) -> None:
    StoredToken.objects.update(last_used_at=None, checked_at=None, reach={})
    management_token.refresh_from_db()
    checked = check_again(management_token)
    assert checked.last_used_at is not None
    assert checked.reach["projects"] >= 1
    assert not checked.is_refused


def test_checking_again_writes_down_a_refusal_with_its_words(management_token: StoredToken) -> None:
    management_token.seal("sbp_" + "0" * 40)
    management_token.save()
    checked = check_again(management_token)
    assert checked.is_refused
    assert checked.refusal


def test_forgetting_deletes_and_is_journaled(owner: Person, management_token: StoredToken) -> None:
    forget(owner, management_token)
    assert not StoredToken.objects.exists()
    assert Entry.objects.latest("pk").operation == "token forgotten"


def test_the_journal_knows_the_fingerprint_and_not_the_token(owner: Person, service: Sandbox) -> None:
    token = store(owner, Kind.MANAGEMENT, "", service.personal_token)
    entry = Entry.objects.get()
    assert entry.token == token.fingerprint
    assert service.personal_token not in str(vars(entry))


def test_a_token_moved_to_another_person_or_space_does_not_open(owner: Person, ada: Person, storage_token: StoredToken) -> None:
    assert storage_token.opens
    StoredToken.objects.filter(pk=storage_token.pk).update(person=ada)
    storage_token.refresh_from_db()
    assert not storage_token.opens
    StoredToken.objects.filter(pk=storage_token.pk).update(person=owner, space="elsewhere")
    storage_token.refresh_from_db()
    assert not storage_token.opens


@pytest.mark.parametrize("address", ["https://storage.example/{ref}", "https://storage.example", ""])
def test_what_is_no_space_never_becomes_an_address(settings: Settings, address: str) -> None:
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = address
    for space in ("../other", "a.b", "", "A"):
        for make in (spaces.address, spaces.public_address):
            with pytest.raises(ValueError, match="can't be a space"):
                make(space)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TokenMissing(kind="storage", space="abc", broken=True), "storage token for abc can't be decrypted"),
        (TokenMissing(kind="management", locked=True), "account is locked"),
        (TokenMissing(kind="management"), "management token is no longer stored"),
        (Http404("The space is gone."), "The space is gone."),
        (Http404(), "no longer configured"),
        (Inactive(), "can no longer sign in"),
    ],
    ids=str,
)
def test_why_work_of_somebody_stopped_is_said_with_what_to_do(error: Exception, words: str) -> None:
    assert words in (stop_reason(error) or "")


def test_nothing_acts_for_somebody_who_is_gone(db: None) -> None:
    with pytest.raises(Inactive), workspace_of(4711):
        raise AssertionError
