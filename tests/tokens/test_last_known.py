"""What a token last read, while the service can't answer."""

import time
from datetime import datetime, timedelta

import msgspec
import pytest
from django.utils import timezone

from dashboard.interfaces import ManagementInterface, StorageInterface, Token
from dashboard.interfaces.management.projects import Project
from dashboard.interfaces.transport import sessions
from dashboard.team.models import Person
from dashboard.tokens import credentials, names
from dashboard.tokens.last_known import KEPT, Key, Readings
from dashboard.tokens.models import LastKnown, StoredToken
from tests.conftest import Sandbox
from tests.features.service import Calls, Faults
from tests.features.test_calls import REF
from tests.interfaces import servers
from tests.interfaces.calls import CALLS
from tests.pages import PageClient
from tests.people import client_of, hold

MAX_BYTES = 256 * 1024
MAX_ROWS = 500

PROJECT, SECRETS, BUCKET = f"/projects/{REF}/", f"/projects/{REF}/secrets/", f"/storage/{REF}/handbook/"
UNANSWERED: dict[str, dict[str, object]] = {
    "failed": {"status": 500},
    "the page of a proxy": {"html": True},
    "nothing at all": {"empty": True},
    "cut": {"cut": "mid"},
    "too many requests": {"status": 429, "retry_after": 30},
}


@pytest.fixture
def keeper(owner: Person, service: Sandbox) -> PageClient:
    hold(owner, service.personal_token)
    hold(owner, service.storage_tokens[REF]["service"], REF)
    return client_of(owner)


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", UNANSWERED)
def test_a_failing_page_shows_what_this_token_last_read_with_its_age(keeper: PageClient, faults: Faults, fault: str) -> None:
    for path in (
        SECRETS,
        BUCKET,
        f"{PROJECT}functions/",
        f"{PROJECT}network/bans/",
        f"/storage/{REF}/",
        PROJECT,
        "/?list=now",
    ):
        before = keeper.get(path).text
        faults("*", **UNANSWERED[fault])
        answer = keeper.get(path)
        faults("*", delay=0)
        assert answer.status_code == 200
        assert "X-Problem" in answer, path
        assert "Showing data from" in answer.text, path
        assert answer.text.count("<tr") == before.count("<tr"), path


@pytest.mark.parametrize("status", [401, 403, 404])
def test_nothing_is_shown_of_what_the_token_may_not_read_any_more(keeper: PageClient, faults: Faults, status: int) -> None:
    assert "SMTP_HOST" in keeper.get(SECRETS).text
    faults("M5", status=status)
    assert "SMTP_HOST" not in keeper.get(SECRETS).text
    faults("M5", status=500)
    assert "SMTP_HOST" not in keeper.get(SECRETS).text, "not later either"


def test_another_token_is_shown_nothing(keeper: PageClient, ada: Person, faults: Faults, service: Sandbox) -> None:
    assert "SMTP_HOST" in keeper.get(SECRETS).text
    token = hold(ada, service.personal_token)
    StoredToken.objects.filter(pk=token.pk).update(fingerprint="another-token")
    faults("M5", status=500)
    assert "SMTP_HOST" not in client_of(ada).get(SECRETS).text


def test_no_value_of_a_secret_and_no_root_key_is_kept(keeper: PageClient, service: Sandbox) -> None:
    for path in (SECRETS, f"{PROJECT}encryption/"):
        keeper.get(path)
    management = ManagementInterface(service.management_url, Token(service.personal_token))
    kept = b"".join(bytes(row.body) for row in LastKnown.objects.all())
    assert b"SMTP_HOST" in kept
    assert not [secret for secret in management.secrets.all(REF) if secret.value.encode() in kept]
    assert management.encryption.get(REF).root_key.encode() not in kept


def test_it_is_forgotten_with_the_token(keeper: PageClient, owner: Person) -> None:
    keeper.get(SECRETS)
    token = StoredToken.objects.get(person=owner, kind="management")
    assert LastKnown.objects.filter(fingerprint=token.fingerprint).exists()
    credentials.forget(owner, token)
    assert not LastKnown.objects.filter(fingerprint=token.fingerprint).exists()
    assert names.known(token.fingerprint) == ()


def test_a_write_is_never_answered_from_it(keeper: PageClient, faults: Faults) -> None:
    keeper.get(SECRETS)
    faults("M5", status=500)
    answer = keeper.post(f"{SECRETS}delete/?name=SMTP_HOST", {"name": "SMTP_HOST"})
    assert "Showing data from" not in answer.text


def test_it_is_bounded_in_number_size_and_age(owner: Person, db: None) -> None:
    now = timezone.now()
    for question, days in (("old", 30), ("not yet", 29)):
        LastKnown.objects.create(
            fingerprint="g", operation="S2", question=question, body=b"[]", read_at=now - timedelta(days=days, hours=1)
        )
    LastKnown.objects.bulk_create(
        LastKnown(fingerprint="f", operation="S2", question=str(number), body=b"[]", read_at=timezone.now())
        for number in range(MAX_ROWS + 5)
    )
    readings = Readings()
    readings.read(Key("f", "S13", "new"), list, lambda: ["a"])
    readings.read(Key("f", "S13", "large"), list, lambda: ["x" * MAX_BYTES])
    readings.flush()
    kept = set(LastKnown.objects.values_list("question", flat=True))
    assert len(kept) == MAX_ROWS + 1
    assert "not yet" in kept
    assert "new" in kept
    assert not {"old", "large"} & kept


@pytest.mark.parametrize("operation", sorted(KEPT))
def test_what_is_kept_of_an_operation_can_be_read_again(operation: str) -> None:
    shapes: list[object] = []
    records: list[object] = []

    class Listening:
        def read(self, _operation: str, _question: str, shape: object, ask: object) -> object:
            shapes.append(shape)
            records.append(ask())  # type: ignore[operator] # what the transport hands in
            return records[-1]

    call = CALLS[operation]
    with servers.serving(servers.answer(call.good_bytes, kind=call.good_type)) as server:
        management = ManagementInterface(server.address, Token("t"), memory=Listening())  # type: ignore[arg-type] # as above
        storage = StorageInterface(server.address, Token("t"), memory=Listening())  # type: ignore[arg-type] # as above
        call.run((management, storage))
    sessions.forget()
    assert msgspec.json.decode(msgspec.json.encode(records[0]), type=shapes[0]) == records[0]


def test_no_page_waits_for_a_slow_list_of_projects(keeper: PageClient, faults: Faults, calls: Calls) -> None:
    keeper.get("/?list=now")
    faults("M1", delay=12)
    begun = time.monotonic()
    for path in (SECRETS, f"{PROJECT}functions/", f"{PROJECT}network/bans/", f"{PROJECT}hostname/", BUCKET):
        assert "parcel-tracking" in keeper.get(path).text
    assert time.monotonic() - begun < 12


def test_the_name_of_a_project_survives_a_restart_while_the_list_is_slow(keeper: PageClient, faults: Faults) -> None:
    keeper.get("/?list=now")
    names.forget()
    faults("M1", delay=12)
    begun = time.monotonic()
    assert "parcel-tracking" in keeper.get(SECRETS).text
    assert time.monotonic() - begun < 12


def test_a_name_that_was_never_read_is_waited_for_a_second_only(keeper: PageClient, faults: Faults) -> None:
    faults("M1", delay=12)
    begun = time.monotonic()
    assert REF in keeper.get(SECRETS).text
    assert time.monotonic() - begun < 12


def test_projects_are_learnt_by_any_page_that_reads_them(keeper: PageClient, owner: Person, calls: Calls) -> None:
    keeper.get("/?list=now")
    calls()
    keeper.get(SECRETS)
    assert calls() == [f"GET /v1/projects/{REF}/secrets"]
    fingerprint = StoredToken.objects.get(person=owner, kind="management").fingerprint
    assert all(isinstance(project, Project) for project in names.known(fingerprint))


def test_what_a_process_remembers_of_reads_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "MAX_TOKENS", 2)
    for number in range(5):
        names.learn(f"print {number}", ())
    assert len(names._tokens) <= 2
    assert names.knows("print 4")


def test_an_answer_is_stored_once_a_minute_or_when_it_is_another_one_or_was_deleted(db: None) -> None:
    def read(answer: str) -> datetime:
        readings = Readings()
        readings.read(Key("f", "M1", "all"), str, lambda: answer)
        readings.flush()
        return LastKnown.objects.get(question="all", body=f'"{answer}"'.encode()).read_at

    first = read("a")
    assert read("a") == first
    assert read("b") > first
    LastKnown.objects.all().delete()  # as another process does
    assert read("b") > first
    LastKnown.objects.update(read_at=first - timedelta(minutes=1))
    assert read("b") > first
