"""What is kept of each project, and for whom."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.facts import memory, overview
from dashboard.facts.models import KeptFact
from dashboard.facts.overview import Overview
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.service import Calls, Faults
from tests.pages import PageClient
from tests.people import hold
from tests.sandboxes import Sandbox

REF = "ktmvqhzwrbnxpgaydcle"
READ = {"hostname", "access", "bans", "functions", "storage"}


def of(person: Person, ref: str) -> Overview:
    return overview.overviews(Workspace(person), [ref])[ref]


def shown(person: Person, ref: str) -> set[str]:
    return {key for key, cell in of(person, ref).cells.items() if cell.read_at}


@pytest.fixture
def ref(service: Sandbox) -> str:
    """A project of which everything can be read."""
    return REF


@pytest.fixture
def known(as_keeper: PageClient, owner: Person, ref: str) -> Person:
    """The owner, whose tokens read all facts of `ref`."""
    assert overview.refresh(Workspace(owner), ref).wait == 0
    assert shown(owner, ref) == READ
    return owner


def test_a_refresh_makes_one_call_for_each_fact_and_none_again_for_fifteen_minutes(
    as_keeper: PageClient, owner: Person, ref: str, calls: Calls
) -> None:
    overview.refresh(Workspace(owner), ref)
    assert len(calls()) == len(READ)
    overview.refresh(Workspace(owner), ref)
    assert calls() == []
    KeptFact.objects.filter(key="bans").update(tried_at=timezone.now() - timedelta(minutes=16))
    overview.refresh(Workspace(owner), ref)
    assert calls() == [f"POST /v1/projects/{ref}/network-bans/retrieve"]


def test_what_any_page_reads_updates_the_overview(as_keeper: PageClient, owner: Person, ref: str) -> None:
    as_keeper.get(reverse("functions:index", args=[ref]))
    assert shown(owner, ref) == {"functions"}


def test_facts_are_shown_only_to_the_token_that_read_them(known: Person, ada: Person, service: Sandbox, ref: str) -> None:
    hold(ada, service.personal_token)
    assert shown(ada, ref) == READ - {"storage"}
    StoredToken.objects.filter(person=ada).update(fingerprint="0" * 32)
    assert shown(ada, ref) == set()


def test_a_token_whose_write_is_refused_loses_its_facts_and_reads_them_again_once_it_is_accepted(
    known: Person, as_keeper: PageClient, ref: str, faults: Faults
) -> None:
    faults("M23", status=401)
    lifting = as_keeper.post(reverse("network:lift", args=[ref]), {"addresses": "198.51.100.7"})
    assert "Your management token was refused" in lifting.text
    assert shown(known, ref) == {"storage", "bans"}, "the bans were read after it"
    overview.refresh(Workspace(known), ref)
    assert shown(known, ref) == READ


def test_facts_older_than_thirty_days_are_hidden_and_deleted(known: Person, ref: str) -> None:
    old = timezone.now() - timedelta(days=31)
    KeptFact.objects.update(read_at=old)
    assert shown(known, ref) == set()
    KeptFact.objects.update(tried_at=old)
    memory.forget_old()
    assert not KeptFact.objects.exists()


def test_a_refused_read_erases_the_fact(known: Person, ref: str, faults: Faults) -> None:
    faults("M10", status=403)
    KeptFact.objects.filter(key="functions").update(tried_at=timezone.now() - timedelta(minutes=16))
    overview.refresh(Workspace(known), ref)
    kept = KeptFact.objects.get(key="functions")
    assert (kept.value, kept.read_at) == (None, None)
    assert kept.failure


def test_a_failure_of_the_service_keeps_the_last_value_and_says_what_failed(known: Person, ref: str, faults: Faults) -> None:
    faults("M10", status=500)
    KeptFact.objects.filter(key="functions").update(tried_at=timezone.now() - timedelta(minutes=16))
    assert overview.refresh(Workspace(known), ref).wait == 0
    cell = of(known, ref).cells["functions"]
    assert cell.shown is not None
    assert cell.failure == "The management service returned an error (500)."


def test_what_went_unanswered_is_asked_again_after_15_seconds_and_then_ever_slower(
    known: Person, ref: str, faults: Faults
) -> None:
    faults("M10", status=500)
    kept = KeptFact.objects.filter(key="functions")
    pauses = []
    for _ in range(8):
        kept.update(tried_at=timezone.now() - timedelta(minutes=16))
        overview.refresh(Workspace(known), ref)
        due_at = of(known, ref).cells["functions"].due_at
        assert due_at is not None
        pauses.append((due_at - kept.get().tried_at).total_seconds())
    assert pauses == [15, 30, 60, 120, 240, 480, 900, 900]
    faults("M10", delay=0)
    kept.update(tried_at=timezone.now() - timedelta(minutes=16))
    overview.refresh(Workspace(known), ref)
    assert not of(known, ref).failure
    faults("M10", status=500)
    kept.update(tried_at=timezone.now() - timedelta(minutes=16))
    overview.refresh(Workspace(known), ref)
    assert kept.get().unanswered == 1, "an answer ends the count"


def test_a_refusal_is_an_answer_and_not_asked_again_sooner(known: Person, ref: str, faults: Faults) -> None:
    faults("M10", status=403)
    kept = KeptFact.objects.filter(key="functions")
    kept.update(tried_at=timezone.now() - timedelta(minutes=16))
    overview.refresh(Workspace(known), ref)
    due_at = of(known, ref).cells["functions"].due_at
    assert due_at == kept.get().tried_at + timedelta(minutes=15)


def test_a_service_that_does_not_answer_pauses_the_refresh(known: Person, ref: str, faults: Faults) -> None:
    faults("M10", cut="before")
    KeptFact.objects.filter(key="functions").update(tried_at=timezone.now() - timedelta(minutes=16))
    assert overview.refresh(Workspace(known), ref).wait == 15


def test_a_rate_limit_is_not_kept_as_a_failure(as_keeper: PageClient, owner: Person, ref: str, faults: Faults) -> None:
    faults("M10", status=429, retry_after=7)
    assert overview.refresh(Workspace(owner), ref).wait == 7
    assert not KeptFact.objects.filter(key="functions").exists()
    assert [fact.key for fact in of(owner, ref).due] == ["functions"]


def test_a_refused_token_loses_everything_it_read(known: Person, ref: str, faults: Faults) -> None:
    faults("M10", status=401)
    KeptFact.objects.filter(key="functions").update(tried_at=timezone.now() - timedelta(minutes=16))
    overview.refresh(Workspace(known), ref)
    assert set(KeptFact.objects.filter(read_at__isnull=False).values_list("key", flat=True)) == {"storage"}


def test_a_deleted_token_takes_its_facts_with_it(known: Person, as_keeper: PageClient) -> None:
    from dashboard.tokens import credentials

    for token in StoredToken.objects.filter(person=known):
        credentials.forget(known, token)
    assert not KeptFact.objects.exists()


def test_no_fact_contains_a_secret_value(known: Person) -> None:
    """M5 is read by no fact."""
    assert set(KeptFact.objects.values_list("key", flat=True)) == READ
