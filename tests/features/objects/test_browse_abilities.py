"""What a token can do in a bucket: only a success proves that it can, only a refusal of that very act that it can't."""

import pytest
from django.urls import reverse

from dashboard.interfaces.exchange import Exchange
from dashboard.team.models import Person
from dashboard.tokens import abilities, checks
from dashboard.tokens.abilities import Abilities
from dashboard.tokens.credentials import all_of, check_again, forget, store
from dashboard.tokens.models import Ability, Kind, StoredToken
from dashboard.tokens.sight import abilities_of
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.objects.conftest import Desk
from tests.features.objects.test_upload import check, put, sent
from tests.features.service import Faults, faults

__all__ = ["faults"]


def known(person: Person, desk: Desk) -> Abilities:
    return abilities_of(Workspace(person), desk.space, desk.bucket)


def held(person: Person, service: Sandbox, desk: Desk, key: str) -> StoredToken:
    return store(person, Kind.STORAGE, desk.space, service.storage_tokens[desk.space][key])


@pytest.fixture
def token() -> StoredToken:
    return StoredToken(kind=Kind.STORAGE, space="shared", fingerprint="f" * 32)


def answer(operation: str, outcome: str, status: int | None = 200, rows: int | None = None) -> Exchange:
    return Exchange(operation, outcome, status, 1.0, None, None, bucket="inbox", rows=rows)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("given", "learned"),
    [
        (answer("S13", "done", rows=1), Abilities(list=True)),
        (answer("S13", "done", rows=0), Abilities()),
        (answer("S13", "NotAllowed", 403), Abilities(list=False)),
        (answer("S18", "done"), Abilities(read=True)),
        (answer("S19", "NotFound", 404), Abilities()),
        (answer("S19", "NotAllowed", 403), Abilities(read=False)),
        (answer("S9", "done"), Abilities(insert=True)),
        (answer("S9", "NotAllowed", 403), Abilities(insert=False)),
        (answer("S9", "Conflict", 409), Abilities()),
        (answer("S9", "TokenRefused", 401), Abilities()),
        (answer("S9", "NotAllowed", None), Abilities()),
        (answer("S10", "done"), Abilities(update=True)),
        (answer("S10", "Broken", 500), Abilities()),
        (answer("S7", "done"), Abilities(delete=True)),
        (answer("S8", "done", rows=0), Abilities()),
        (answer("S8", "done", rows=2), Abilities(delete=True)),
        (answer("S11", "NotAllowed", 403), Abilities()),
        (answer("S20", "done"), Abilities()),
    ],
)
def test_what_each_answer_proves(token: StoredToken, given: Exchange, learned: Abilities) -> None:
    abilities.learn(token, [given])
    assert abilities.load(token.fingerprint, "shared", "inbox") == learned
    assert abilities.load(token.fingerprint, "shared", "other") == Abilities()


@pytest.mark.django_db
def test_the_latest_answer_counts(token: StoredToken) -> None:
    refused, done = answer("S9", "NotAllowed", 403), answer("S9", "done")
    for given, expected in (([refused], False), ([done], True), ([done, refused], False), ([refused, done], True)):
        abilities.learn(token, given)
        assert abilities.load(token.fingerprint, "shared", "inbox").insert is expected


def test_a_token_is_probed_when_it_is_stored_and_checked(
    owner: Person, service: Sandbox, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "PROBED_BUCKETS", 10_000)  # other tests leave buckets
    held(owner, service, desk, "service")
    assert known(owner, desk) == Abilities(list=True, read=True, insert=True, update=True, delete=True)
    assert not Ability.objects.exists()
    token = held(owner, service, desk, "member")
    assert known(owner, desk) == Abilities()
    desk.put("a.txt")
    check_again(token)
    assert known(owner, desk) == Abilities(list=True, read=True)
    held(owner, service, desk, "inbox")
    assert known(owner, desk) == Abilities()
    held(owner, service, desk, "member")
    assert known(owner, desk) == Abilities(list=True, read=True)


def test_what_a_token_can_do_is_learned_from_what_it_does_and_forgotten_with_it(
    owner: Person, service: Sandbox, desk: Desk
) -> None:
    desk.put("in/a.txt")
    held(owner, service, desk, "objects")
    assert known(owner, desk) == Abilities()
    assert desk.client.get(desk.address()).status_code == 200
    assert known(owner, desk) == Abilities(list=True)
    assert desk.client.get(desk.address("details"), {"key": "in/a.txt"}).status_code == 200
    assert put(desk, "in/b.txt").status_code == 200
    assert known(owner, desk) == Abilities(list=True, read=True, insert=True)
    forget(owner, all_of(owner)[-1])
    assert not Ability.objects.exists()


def test_a_guess_disables_nothing_and_a_later_success_corrects_a_refusal(owner: Person, service: Sandbox, desk: Desk) -> None:
    desk.put("in/a.txt")
    full = desk.client.get(desk.address()).text
    token = held(owner, service, desk, "objects")
    for operation in ("S7", "S8", "S9", "S10", "S13", "S18", "S19"):
        abilities.learn(token, [Exchange(operation, "NotAllowed", 403, 1.0, None, None, bucket=desk.bucket)])
    assert known(owner, desk) == Abilities(list=False, read=False, insert=False, update=False, delete=False)
    refused = desk.client.get(desk.address()).text
    for mark in ("data-pick", "disabled", "aria-disabled", "data-row", 'href="', "<button"):
        assert refused.count(mark) == full.count(mark), mark
    assert put(desk, "in/b.txt").status_code == 200
    assert known(owner, desk).insert is True
    assert known(owner, desk).list is True


def test_refusals_of_the_service_are_named_and_an_upload_that_it_hides_is_not_called_missing(
    owner: Person, service: Sandbox, desk: Desk, faults: Faults
) -> None:
    held(owner, service, desk, "inbox")
    desk.client.post(reverse("buckets:named", args=[desk.space]), {"name": desk.bucket})
    words = "new row violates row-level security policy"
    faults("S9", status=403, message=words)
    assert put(desk, "in/a.txt").status_code == 403
    assert known(owner, desk) == Abilities(insert=False)
    assert "or this token may not list them. It can&#x27;t upload files here." in desk.client.get(desk.address()).text
    faults("S13", status=403, message=words)
    faults("S19", status=403, message=words)
    assert check(desk, sent("in/a.txt", 5))["verdicts"] == {"in/a.txt": "unseen"}
    assert known(owner, desk) == Abilities(list=False, read=False, insert=False)
