"""Two buckets for each test, and jobs that run in this process."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.catalog.selection import Selection
from dashboard.features.bulk import services as jobs
from dashboard.features.bulk.rules import into, renamed
from dashboard.interfaces import StorageInterface
from dashboard.jobs import transitions
from dashboard.jobs.models import Job, JobItem, State
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.service import Calls, Faults
from tests.jobs.conftest import requests_have_ended, turn
from tests.pages import PageClient


@dataclass(frozen=True, slots=True)
class Desk:
    """A bucket and another one, used by their owner through the pages and directly at the service."""

    client: PageClient
    workspace: Workspace
    storage: StorageInterface
    space: str
    bucket: str
    other: str

    def address(self, verb: str, **query: str) -> str:
        return reverse(f"bulk:{verb}", kwargs={"space": self.space, "bucket": self.bucket}, query=query or None)

    def put(self, *keys: str, body: bytes = b"x", bucket: str = "") -> None:
        for key in keys:
            self.storage.objects.upload(bucket or self.bucket, key, body, content_type="text/plain")

    def names(self, bucket: str = "", folder: str = "") -> list[str]:
        """Return all names, sorted."""
        found: list[str] = []
        for row in self.storage.objects.all(bucket or self.bucket, prefix=folder, limit=1500):
            found += self.names(bucket, f"{folder}{row.name}/") if row.is_folder else [folder + row.name]
        return sorted(found)

    def text(self, key: str, bucket: str = "") -> str:
        with self.storage.objects.read(bucket or self.bucket, key) as stream:
            return b"".join(stream).decode()

    def selection(self, *names: str) -> Selection:
        return Selection(
            self.space,
            self.bucket,
            keys=tuple(name for name in names if not name.endswith("/")),
            folders=tuple(name for name in names if name.endswith("/")),
        )

    def delete(self, *names: str) -> Job:
        return turn(jobs.delete(self.workspace, self.selection(*names), back="/"))

    def carry(self, verb: str, *names: str, to: str = "", bucket: str = "") -> Job:
        wanted = into("copy" if verb == "copy" else "move", self.selection(*names), bucket or self.bucket, to)
        return turn(jobs.transfer(self.workspace, wanted, back="/"))

    def rename(self, old: str, name: str) -> Job:
        return turn(jobs.rename(self.workspace, renamed(self.selection(old), name), back="/"))


def go(job: Job, policy: str = "") -> Job:
    """Approve the job's plan, and run it to its end, through all its pauses."""
    assert job.state == State.PLANNED, f"{job.state}: {job.message}"
    assert transitions.apply(job, policy)
    return through(job)


def through(job: Job) -> Job:
    for _ in range(60):
        requests_have_ended(job)
        Job.objects.filter(pk=job.pk).update(due_at=timezone.now())
        job = turn(job)
        if not job.is_alive:
            return job
    raise AssertionError(f"the job does not end: {job.state} ({job.message})")


def outcomes(job: Job) -> dict[str, str]:
    """Return states by target."""
    return dict(JobItem.objects.filter(job=job).values_list("target", "state"))


def words(job: Job) -> dict[str, str]:
    return dict(JobItem.objects.filter(job=job).values_list("target", "message"))


@pytest.fixture
def desk(storage_token: StoredToken, storage: StorageInterface, as_owner: PageClient, owner: Person, ref: str) -> Iterator[Desk]:
    bucket, other = f"bulk {uuid4().hex[:10]}", f"other {uuid4().hex[:10]}"
    storage.buckets.create(bucket)
    storage.buckets.create(other)
    yield Desk(as_owner, Workspace(owner), storage, ref, bucket, other)
    left = {found.id for found in storage.buckets.all()}
    for name in {bucket, other} & left:
        storage.buckets.empty(name)
        storage.buckets.delete(name)


__all__ = ["Calls", "Faults"]
