"""What somebody shared or left running ends with their role or account, and goes on by somebody else's role and token."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from dashboard.features.file_requests.models import FileRequest
from dashboard.features.file_requests.services import requests
from dashboard.features.hostname.services import watch
from dashboard.jobs import schedules
from dashboard.jobs.models import Job, Schedule, State
from dashboard.journal.models import Entry, Outcome
from dashboard.links.lifecycle import Terms, make
from dashboard.links.models import Share
from dashboard.team.models import Person, Role
from dashboard.tokens.models import Grant, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.file_requests.conftest import TERMS
from tests.features.grants import Lent, lent
from tests.pages import PageClient
from tests.people import confirmed, hold
from tests.sandboxes import Sandbox

__all__ = ["lent"]


@pytest.fixture
def left(ada: Person, service: Sandbox, ref: str) -> Iterator[tuple[str, str]]:
    """Ada has one of each; the paths of her share link and her file request."""
    hold(ada, service.personal_token)
    key = service.storage_tokens[ref]["service"]
    hold(ada, key, ref)
    storage, bucket = service.interface(ref, key), f"left {uuid4().hex[:12]}"
    storage.buckets.create(bucket)
    storage.objects.upload(bucket, "a.txt", b"x", content_type="text/plain")
    end = timezone.now() + timedelta(days=7)
    _, shared = make(ada, ref, bucket, keys=["a.txt"], terms=Terms(ends_at=end))
    _, asked = requests.make(Workspace(ada), ref, bucket, "fair/", requests.Terms(**{**TERMS, "ends_at": end}))
    watch.start_daily(Workspace(ada), ref)
    watch.start_watch(Workspace(ada), ref)
    waiting = Job(kind="delete objects", owner=ada, title="Delete", place=ref, state=State.PLANNED, planned_at=end)
    waiting.initial_cursor = {}
    waiting.save()
    Job.objects.create(kind="crawl bucket", owner=ada, title="Read", place=ref, state=State.PAUSED)
    yield f"/l/{shared}", f"/r/{asked}"
    storage.buckets.empty(bucket)
    storage.buckets.delete(bucket)


Hold = Callable[[Person], StoredToken]


@pytest.fixture
def hold_both(service: Sandbox, ref: str) -> Hold:
    """Store both tokens for somebody; return that of the storage."""

    def store(person: Person) -> StoredToken:
        hold(person, service.personal_token)
        return hold(person, service.storage_tokens[ref]["service"], ref)

    return store


def owners() -> set[str]:
    shared = (Share.objects.get().owner, FileRequest.objects.get().owner, Job.objects.get(title="Delete").owner)
    return {str(person) for person in (*shared, *(timer.owner for timer in Schedule.objects.all()))}


def test_links_and_file_requests_close_while_the_role_does_not_allow_sharing(left: tuple[str, str], visitor: PageClient) -> None:
    shared, asked = left
    for role, status in ((Role.OPERATOR, 200), (Role.VIEWER, 410), (Role.OPERATOR, 200)):
        Person.objects.update(role=role)
        assert [visitor.get(path).status_code for path in left] == [status, status]
        assert Share.objects.get().state == Share.objects.in_state("live" if status == 200 else "hidden").get().state
    Person.objects.update(role=Role.VIEWER)
    assert "may no longer make such links" in visitor.get(shared).text
    assert "may no longer make such links" in visitor.get(asked).text


def test_what_somebody_left_goes_on_by_the_tokens_of_who_takes_it_over(
    left: tuple[str, str], owner: Person, ada: Person, hold_both: Hold, visitor: PageClient
) -> None:
    token = hold_both(owner)
    client = confirmed(owner)
    client.post(f"/team/{ada.pk}/deactivation/", {"typed": ada.email})
    assert [visitor.get(path).status_code for path in left] == [410, 410]
    asked = client.part(f"/team/{ada.pk}/handover/", "dialog").text
    assert "1 unfinished job, 1 share link, 2 automatic checks, 1 file request" in " ".join(asked.split())
    assert client.post(f"/team/{ada.pk}/handover/", {"receiver": owner.pk}).status_code == 303
    assert owners() == {"Olga Owner"}
    assert [visitor.get(path).status_code for path in left] == [200, 200]
    assert Share.objects.get().code in left[0]
    assert FileRequest.objects.get().token == token.fingerprint
    assert Job.objects.get(title="Delete").state == State.QUEUED, "planned again, with the new owner's token"
    assert Job.objects.get(title="Read").owner == ada, "an index belongs to a token"
    assert all(timer.is_on for timer in Schedule.objects.all())
    entry = Entry.objects.get(operation="handed over")
    after = entry.after or {}
    assert (entry.outcome, entry.target, after["to"], after["left"]) == (Outcome.DONE, ada.email, owner.email, [])


@pytest.mark.parametrize("lacks", ["tokens", "role"])
def test_who_lacks_a_token_or_the_role_takes_nothing_over(
    left: tuple[str, str], owner: Person, ada: Person, hold_both: Hold, lacks: str
) -> None:
    role = Role.VIEWER if lacks == "role" else Role.OPERATOR
    receiver = Person.objects.create(email="vera@example.org", name="Vera", role=role)
    if lacks == "role":
        hold_both(receiver)
    answer = confirmed(owner).post(f"/team/{ada.pk}/handover/", {"receiver": receiver.pk})
    assert (answer.status_code, "Nothing was handed over" in answer.text) == (422, True)
    assert owners() == {"Ada Member"}
    assert Entry.objects.get(operation="handed over").outcome == Outcome.REFUSED


def test_what_was_made_through_a_grant_is_taken_over_by_its_giver_alone(
    lent: Lent, owner: Person, management_token: StoredToken, hold_both: Hold
) -> None:
    lent.put("inside/a.txt")
    ref, end = lent.space, timezone.now() + timedelta(days=7)
    given = Grant.objects.create(giver=owner, kind="management", place=ref, person=lent.ada, token=management_token.fingerprint)
    make(
        lent.ada,
        ref,
        lent.bucket,
        keys=["inside/a.txt"],
        terms=Terms(ends_at=end),
        through=lent.workspace.grant_at("storage", ref),
    )
    requests.make(lent.workspace, ref, lent.bucket, "inside/", requests.Terms(**{**TERMS, "ends_at": end}))
    Job.objects.create(
        kind="delete objects", owner=lent.ada, title="Delete", place=ref, state=State.PAUSED, grants=[lent.grant.pk]
    )
    schedules.start(watch.DAILY, ref, owner=lent.ada, grants=[given.pk], first_in=60, every=60, payload={"ref": ref})
    other = Person.objects.create(email="bob@example.org", name="Bob")
    hold_both(other)
    client, way = confirmed(owner), f"/team/{lent.ada.pk}/handover/"
    assert client.post(way, {"receiver": other.pk}).status_code == 422
    assert owners() == {"Ada Member"}
    assert client.post(way, {"receiver": owner.pk}).status_code == 303
    assert owners() == {"Olga Owner"}
    assert (Share.objects.get().grant, FileRequest.objects.get().grant) == (None, None)
    assert (Job.objects.get().grants, Schedule.objects.get().grants) == ([], [])


def test_a_persons_tokens_are_never_handed_over(left: tuple[str, str], owner: Person, ada: Person, hold_both: Hold) -> None:
    hold_both(owner)
    StoredToken.objects.filter(person=owner, kind="management").delete()
    before = set(StoredToken.objects.filter(person=ada).values_list("pk", "sealed"))
    confirmed(owner).post(f"/team/{ada.pk}/handover/", {"receiver": owner.pk})
    assert set(StoredToken.objects.filter(person=ada).values_list("pk", "sealed")) == before
    assert Schedule.objects.filter(owner=ada).count() == 2, "without a management token the checks stay"
