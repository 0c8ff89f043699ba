"""Revoking a grant ends what is under way through it: uploads, downloads, archives, jobs, links and schedules."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dashboard.catalog.selection import Selection
from dashboard.features.bulk import services as bulk
from dashboard.features.bulk.rules import into
from dashboard.features.file_requests.services import requests as file_requests
from dashboard.interfaces import errors
from dashboard.interfaces.storage.objects import Objects
from dashboard.jobs import schedules, transitions
from dashboard.jobs.models import Job, Schedule, State
from dashboard.journal.models import Entry, Outcome
from dashboard.links.lifecycle import Terms, make
from dashboard.links.models import RawLink, Share
from dashboard.links.states import State as LinkState
from dashboard.reviews import reviews
from dashboard.team.models import Person
from dashboard.tokens import grants
from dashboard.tokens.errors import GrantUnusable
from dashboard.tokens.models import ActiveGrant, Grant, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.bulk.conftest import through
from tests.features.grants import Lent, lend, lent
from tests.jobs.conftest import turn
from tests.people import client_of, hold

__all__ = ["lent"]

MIB = 1 << 20
KEY = "inside/a.txt"
SOON = timedelta(hours=1)


@pytest.fixture(autouse=True)
def grants_are_read_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits a second for the next look."""
    monkeypatch.setattr(grants, "RECHECK_SECONDS", 0.0)


def revoke(lent: Lent) -> None:
    Grant.objects.filter(pk=lent.grant.pk).update(revoked_at=timezone.now())


class Body(BytesIO):
    """A body during which something happens."""

    def __init__(self, size: int, meanwhile: Callable[[], None]) -> None:
        super().__init__(b"x" * size)
        self._meanwhile = meanwhile

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() >= MIB:
            self._meanwhile()
        return super().read(min(size or 0, 1 << 16))


def rest_of(blocks: Iterator[bytes]) -> list[bytes]:
    """What still comes of a stream that ends with the grant."""
    came: list[bytes] = []
    with pytest.raises(GrantUnusable):
        came.extend(blocks)
    return came


def test_a_grant_is_looked_up_once_a_second(lent: Lent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grants, "RECHECK_SECONDS", 1.0)
    granted = lent.workspace.grant_at("storage", lent.space)
    assert granted is not None
    revoke(lent)
    granted.require()
    later = time.monotonic() + 1.0
    monkeypatch.setattr(time, "monotonic", lambda: later)
    with pytest.raises(GrantUnusable):
        granted.require()


def test_revoking_during_an_upload_cuts_it_and_nothing_is_stored(lent: Lent) -> None:
    client, size = Client(), 4 * MIB
    client.force_login(lent.ada)
    body = Body(size, lambda: revoke(lent))
    address = f"{reverse('objects:upload', args=[lent.space, lent.bucket])}?key={KEY}"
    extra: dict[str, Any] = {"wsgi.input": body, "CONTENT_LENGTH": str(size)}
    answer = client.generic("PUT", address, content_type="text/plain", **extra)
    assert answer.status_code == 403
    assert body.tell() < 2 * MIB, "the rest is not read"
    assert Entry.objects.get(operation="S9", person=lent.ada).outcome == Outcome.FAILED
    with pytest.raises(errors.NotFound):
        lent.storage.objects.info(lent.bucket, KEY)


def test_revoking_during_a_download_ends_it(lent: Lent) -> None:
    lent.put(KEY, body=b"x" * (5 * MIB))
    answer = lent.client.get(reverse("objects:download", args=[lent.space, lent.bucket]), {"key": KEY})
    assert answer.status_code == 200, "streamed, and no redirect to a signed link"
    blocks = iter(answer)
    next(blocks)
    revoke(lent)
    assert rest_of(blocks) == []
    entry = Entry.objects.get(operation="downloaded")
    assert (entry.person, entry.through, entry.target) == (lent.ada, lent.grant.giver, f"object {lent.bucket}/{KEY}")


def test_revoking_during_a_zip_ends_it(lent: Lent) -> None:
    lent.put(*(f"inside/{number}.txt" for number in range(30)), body=b"x" * 1000)
    address = reverse("objects:archive", args=[lent.space, lent.bucket])
    answer = lent.client.get(address, {"go": "1", "folder": "inside/"})
    assert answer.status_code == 200
    blocks = iter(answer)
    next(blocks)
    revoke(lent)
    assert rest_of(blocks) == []
    assert Entry.objects.get(operation="downloaded").through == lent.grant.giver


def test_narrowing_during_a_download_ends_it(lent: Lent) -> None:
    lent.put(KEY, body=b"x" * (3 * MIB))
    blocks = iter(lent.client.get(reverse("objects:download", args=[lent.space, lent.bucket]), {"key": KEY}))
    next(blocks)
    lent.change(folders=[f"{lent.bucket}/elsewhere/"])
    with pytest.raises(errors.NotFound):
        list(blocks)


def delete(lent: Lent, *keys: str) -> Job:
    job = bulk.delete(lent.workspace, Selection(lent.space, lent.bucket, keys=keys), back="/")
    assert job.grants == [lent.grant.pk]
    return job


def test_a_job_acts_through_its_grant_and_never_through_another_credential(lent: Lent, service: Sandbox) -> None:
    lent.put(KEY)
    job = delete(lent, KEY)
    hold(lent.ada, service.storage_tokens[lent.space]["service"], lent.space)
    ActiveGrant.objects.create(person=lent.ada, kind="storage", place=lent.space, grant=None)
    lend(lent.grant.giver.stored_tokens.get(space=lent.space), lent.ada)
    revoke(lent)
    job = turn(job)
    assert job.state == State.FAILED
    assert job.message == "Olga Owner revoked this access."
    assert lent.storage.objects.info(lent.bucket, KEY).size == 1


def test_revoking_during_a_job_stops_it_between_its_items(lent: Lent, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [f"inside/{number}.txt" for number in range(40)]
    lent.put(*keys)
    wanted = into("copy", Selection(lent.space, lent.bucket, keys=tuple(keys)), lent.bucket, "inside/to/")
    job = bulk.transfer(lent.workspace, wanted, back="/")
    copied: list[str] = []
    original = Objects.copy

    def counted(self: Objects, *args: Any, **options: Any) -> str:
        copied.append(args[1])
        return original(self, *args, **options)

    def stopped(granted: grants.Granted) -> None:
        if len(copied) >= 8:
            revoke(lent)
        look(granted)

    look = grants.Granted.require
    monkeypatch.setattr(Objects, "copy", counted)
    monkeypatch.setattr(Workspace, "recheck", lambda workspace: stopped(workspace._granted["storage", lent.space]))
    job = through(job)
    assert job.state == State.FAILED
    assert job.message == "Olga Owner revoked this access."
    assert 8 <= len(copied) < 40
    assert job.done + job.unknown <= len(copied)


def test_a_share_link_opens_through_its_grant_only_and_ends_with_it(lent: Lent, service: Sandbox) -> None:
    lent.put(KEY, "beside/b.txt")
    through_it = lent.workspace.grant_at("storage", lent.space)
    terms = Terms(ends_at=timezone.now() + SOON)
    share, code = make(lent.ada, lent.space, lent.bucket, keys=[KEY], terms=terms, through=through_it)
    assert Entry.objects.get(operation="link shared").through == lent.grant.giver
    address = reverse("sharing:file", args=[code])
    opened = Client().get(address)
    assert (opened.status_code, b"".join(opened)) == (200, b"x")
    target = share.targets.get()
    target.point_to(lent.bucket, "beside/b.txt")
    target.save()
    assert Client().get(address).status_code == 404, "a target outside the scope is not found"
    target.point_to(lent.bucket, KEY)
    target.save()
    hold(lent.ada, service.storage_tokens[lent.space]["service"], lent.space)
    revoke(lent)
    assert Client().get(address).status_code == 410
    assert Share.objects.get(pk=share.pk).state == LinkState.HIDDEN
    assert list(Share.objects.in_state(LinkState.HIDDEN)) == [share]
    assert list(Share.objects.in_state(LinkState.LIVE)) == []


@pytest.mark.parametrize("change", ["ended", "other token", "locked", "forgotten", "giver left"])
def test_the_ledger_finds_a_link_whose_grant_does_not_work(lent: Lent, change: str) -> None:
    lent.put(KEY)
    terms, acting = Terms(ends_at=timezone.now() + SOON), lent.workspace.grant_at("storage", lent.space)
    share, _ = make(lent.ada, lent.space, lent.bucket, keys=[KEY], terms=terms, through=acting)
    assert list(Share.objects.in_state(LinkState.LIVE)) == [share]
    token = StoredToken.objects.filter(person=lent.grant.giver, space=lent.space)
    giver = Person.objects.filter(pk=lent.grant.giver_id)
    changes: dict[str, Callable[[], object]] = {
        "ended": partial(Grant.objects.filter(pk=lent.grant.pk).update, ends_at=timezone.now()),
        "other token": partial(token.update, fingerprint="another"),
        "locked": partial(giver.update, locked_at=timezone.now()),
        "forgotten": token.delete,
        "giver left": partial(giver.update, is_active=False),
    }
    changes[change]()
    found = Share.objects.in_state(LinkState.HIDDEN)
    assert [one.state for one in found] == [LinkState.HIDDEN]
    assert list(Share.objects.in_state(LinkState.LIVE)) == []


def test_deleting_through_a_grant_ends_no_link_to_what_lies_outside(lent: Lent) -> None:
    lent.put(KEY, "beside/b.txt")
    terms, giver = Terms(ends_at=timezone.now() + SOON), lent.grant.giver
    shares = {
        folder: make(giver, lent.space, lent.bucket, folders=[folder], terms=terms)[0] for folder in ("inside/", "beside/", "")
    }
    job = through(delete(lent, KEY))
    assert transitions.apply(job)
    assert through(job).state == State.DONE
    states = {folder: Share.objects.get(pk=share.pk).state for folder, share in shares.items()}
    assert states == {"inside/": LinkState.GONE, "beside/": LinkState.LIVE, "": LinkState.LIVE}


def test_sharing_and_asking_for_files_need_their_act(lent: Lent) -> None:
    lent.put(KEY)
    lent.change(acts=["read", "upload"])
    for name, query in (("sharing:new", {"key": KEY}), ("file_requests:new", {"folder": "inside/"})):
        answer = lent.client.get(reverse(name, args=[lent.space, lent.bucket]), query)
        assert "Make share links" in answer.text, name
        assert answer.status_code == 403, name


def test_a_file_request_takes_files_through_its_grant(lent: Lent) -> None:
    terms = file_requests.Terms(
        title="Photos", note="", types="", most_bytes=100, most_files=2, most_total=200, password="", zone="UTC",
        ends_at=timezone.now() + SOON,
    )  # fmt: skip
    asked, code = file_requests.make(lent.workspace, lent.space, lent.bucket, "inside/", terms)
    assert asked.grants == [lent.grant.pk]
    row = file_requests.rows(lent.ada, file_requests.visible(lent.ada))[0]
    assert row.state == LinkState.LIVE
    assert Client().get(reverse("file_requests:open", args=[code])).status_code == 200
    revoke(lent)
    assert file_requests.rows(lent.ada, file_requests.visible(lent.ada))[0].state == LinkState.HIDDEN
    assert Client().get(reverse("file_requests:open", args=[code])).status_code != 200


def test_a_review_acts_with_the_credentials_it_was_made_with(lent: Lent, service: Sandbox) -> None:
    made = reviews.create(lent.workspace, "selection", {})
    hold(lent.ada, service.storage_tokens[lent.space]["service"], lent.space)
    ActiveGrant.objects.create(person=lent.ada, kind="storage", place=lent.space, grant=None)
    workspace = Workspace(lent.ada)
    assert workspace.grant_at("storage", lent.space) is None
    reviews.find(workspace, "selection", made.pk)
    assert workspace.grant_at("storage", lent.space) is not None
    own = reviews.create(Workspace(lent.ada), "selection", {})
    ActiveGrant.objects.all().delete()
    StoredToken.objects.filter(person=lent.ada).delete()
    workspace = Workspace(lent.ada)
    reviews.find(workspace, "selection", own.pk)
    assert not workspace.has("storage", lent.space)


def test_a_schedule_ends_with_its_grant(lent: Lent, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def look(workspace: Workspace, schedule: Schedule) -> float | None:
        seen.append(workspace.storage(lent.space).buckets.get(lent.bucket).id)
        return 1.0

    monkeypatch.setitem(schedules._runs, "look", look)
    started = schedules.start("look", "here", owner=lent.ada, grants=lent.workspace.grants, first_in=0, every=1)
    assert schedules.run_due()
    revoke(lent)
    Schedule.objects.filter(pk=started.pk).update(next_at=timezone.now())
    assert schedules.run_due()
    started.refresh_from_db()
    assert (seen, started.is_on, started.message) == ([lent.bucket], False, "Olga Owner revoked this access.")


def test_signed_links_are_handed_out_only_with_their_act(lent: Lent, owner: Person) -> None:
    lent.put(KEY)
    assert lent.workspace.signing_url(lent.space) is not None
    assert lent.workspace.redirect_url(lent.space) is None
    lent.change(acts=["read", "share"])
    assert lent.workspace.signing_url(lent.space) is None
    answer = lent.client.post(
        f"{reverse('objects:links', args=[lent.space, lent.bucket])}?key={KEY}", {"life": "3600", "opens": "view"}
    )
    assert "/object/sign/" not in answer.text


def test_signed_links_through_a_grant_are_offered_for_an_hour_at_most_and_listed(lent: Lent, owner: Person) -> None:
    lent.put(KEY)
    way = f"{reverse('objects:links', args=[lent.space, lent.bucket])}?key={KEY}"
    asked = lent.client.get(way).text
    assert "1 hour" in asked
    assert "1 day" not in asked
    assert "an hour at most" in asked
    later = f"{timezone.now() + timedelta(hours=3):%Y-%m-%dT%H:%M}"
    assert "This is too late" in lent.client.post(way, {"life": "exact", "end": later, "opens": "view"}).text
    assert RawLink.objects.count() == 0
    assert "/object/sign/" in lent.client.post(way, {"life": "3600", "opens": "view"}).text
    revoke(lent)
    for person in (owner, lent.ada):
        shown = " ".join(client_of(person).get(reverse("people:index")).text.split())
        assert f"1 into <bdi>{lent.bucket}</bdi> by Ada Member through Olga Owner's token" in shown
    RawLink.objects.update(ends_at=timezone.now())
    assert "Signed links work until" not in client_of(owner).get(reverse("people:index")).text


def test_signed_links_are_offered_until_the_grant_ends(lent: Lent) -> None:
    lent.put(KEY)
    lent.change(ends_at=timezone.now() + timedelta(minutes=30))
    asked = lent.client.get(f"{reverse('objects:links', args=[lent.space, lent.bucket])}?key={KEY}").text
    assert "Until your access ends" in asked
    assert "1 hour" not in asked


def test_an_upload_after_access_was_revoked_names_who_revoked_it(lent: Lent) -> None:
    revoke(lent)
    answer = lent.client.put(
        f"{reverse('objects:upload', args=[lent.space, lent.bucket])}?key={KEY}", b"x", content_type="text/plain"
    )
    assert answer.status_code == 403
    assert "revoked this access" in answer.json()["text"]
    assert lent.space not in answer.json()["text"]
