"""File requests and access name folders: they follow a folder that is moved, or it stays."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.features.file_requests.models import FileRequest
from dashboard.features.file_requests.services import requests
from dashboard.jobs import kinds
from dashboard.jobs.models import Job, State
from dashboard.journal.models import Entry
from dashboard.team.models import Person
from dashboard.tokens.models import Grant, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.bulk.conftest import Desk
from tests.features.file_requests.conftest import TERMS, send
from tests.features.grants import lend
from tests.pages import PageClient


def asked_for(desk: Desk, folder: str) -> tuple[FileRequest, str]:
    """A file request and the path that opens it."""
    terms = requests.Terms(**TERMS, ends_at=timezone.now() + timedelta(days=7))
    asked, code = requests.make(desk.workspace, desk.space, desk.bucket, folder, terms)
    return asked, f"/r/{code}"


def folders_of(grant: Grant) -> list[str]:
    return list(Grant.objects.get(pk=grant.pk).folders)


def folder_of(asked: FileRequest) -> str:
    return FileRequest.objects.get(pk=asked.pk).folder


def reviewed(job: Job) -> str:
    return " ".join(kinds.plan_of(job).details)


def test_a_file_request_follows_a_folder_that_is_renamed_and_goes_on_receiving(desk: Desk) -> None:
    desk.put("fair/2025/a.txt")
    asked, path = asked_for(desk, "fair/2025/photos/")
    beside, _ = asked_for(desk, "fair/2025b/")
    visitor = PageClient()
    assert visitor.post(path, {"name": "Ann"}).status_code == 303
    assert send(visitor, path, "before.png").status_code == 200

    job = desk.rename("fair/2025/", "2026")
    assert job.state == State.DONE
    assert "Everything that names them follows: 1 file request." in reviewed(job)
    assert (folder_of(asked), folder_of(beside)) == ("fair/2026/photos/", "fair/2025b/")
    entry = Entry.objects.get(operation="file request changed")
    assert (entry.before, entry.after) == (
        {"folder": "fair/2025/photos/"},
        {"request": asked.pk, "folder": "fair/2026/photos/"},
    )
    assert send(visitor, path, "after.png").status_code == 200
    for file in asked.received.all():
        desk.client.post(reverse("file_requests:accept", args=(asked.pk,)), {"file": file.pk})
    assert {"fair/2026/photos/before.png", "fair/2026/photos/after.png"} <= set(desk.names())


def test_a_folder_into_which_files_are_requested_changes_no_bucket(desk: Desk) -> None:
    desk.put("fair/a.txt")
    asked, _ = asked_for(desk, "fair/")
    job = desk.carry("move", "fair/", to="", bucket=desk.other)
    assert (job.state, job.message) == (
        State.FAILED,
        f"Nothing was moved. The file request “{asked.title}” receives files there and can't change its bucket. Revoke it first.",
    )
    assert desk.names() == ["fair/a.txt"]
    requests.revoke(desk.workspace.person, asked)
    assert desk.carry("move", "fair/", to="", bucket=desk.other).state == State.DONE
    assert folder_of(asked) == "fair/"


@pytest.mark.parametrize("across", [False, True])
def test_access_follows_a_folder_and_reaches_what_it_reached(
    desk: Desk, storage_token: StoredToken, ada: Person, *, across: bool
) -> None:
    desk.put("team/plans/a.txt", "team/other.txt")
    grant = lend(storage_token, ada, f"{desk.bucket}/team/plans/", f"{desk.other}/kept/")
    there = desk.other if across else desk.bucket
    job = desk.carry("move", "team/plans/", to="archive/", bucket=there)
    assert job.state == State.DONE, job.message
    assert "Everything that names them follows: 1 access grant." in reviewed(job)
    assert folders_of(grant) == sorted([f"{there}/archive/plans/", f"{desk.other}/kept/"])
    seen = Workspace(ada).storage(desk.space)
    with seen.objects.read(there, "archive/plans/a.txt") as stream:
        assert b"".join(stream) == b"x"
    assert Entry.objects.filter(operation="access changed", person=desk.workspace.person).count() == 1


def test_access_never_grows_by_a_move_into_a_folder_that_holds_other_files(
    desk: Desk, storage_token: StoredToken, ada: Person
) -> None:
    desk.put("team/plans/a.txt", "archive/plans/secret.txt")
    grant = lend(storage_token, ada, f"{desk.bucket}/team/plans/")
    job = desk.carry("move", "team/plans/", to="archive/")
    assert job.state == State.FAILED
    assert job.message.startswith(f"Nothing was moved. Colleagues have access to {desk.bucket}/team/plans/")
    assert folders_of(grant) == [f"{desk.bucket}/team/plans/"]
    assert desk.names() == ["archive/plans/secret.txt", "team/plans/a.txt"]


def test_access_stays_where_a_folder_above_or_beside_it_moves_or_access_has_ended(
    desk: Desk, storage_token: StoredToken, ada: Person
) -> None:
    desk.put("team/plans/a.txt", "team/plans2/b.txt")
    wider = lend(storage_token, ada, f"{desk.bucket}/team/")
    ended = lend(storage_token, ada, f"{desk.bucket}/team/plans/")
    Grant.objects.filter(pk=ended.pk).update(revoked_at=timezone.now())
    assert desk.rename("team/plans/", "done").state == State.DONE
    assert folders_of(wider) == [f"{desk.bucket}/team/"]
    assert folders_of(ended) == [f"{desk.bucket}/team/plans/"]


def test_access_follows_a_folder_that_changes_its_letter_case(desk: Desk, storage_token: StoredToken, ada: Person) -> None:
    desk.put("Plans/a.txt")
    grant = lend(storage_token, ada, f"{desk.bucket}/Plans/")
    assert desk.rename("Plans/", "plans").state == State.DONE
    assert folders_of(grant) == [f"{desk.bucket}/plans/"]


def test_deleting_a_folder_says_what_goes_on_working_there(desk: Desk, storage_token: StoredToken, ada: Person) -> None:
    desk.put("fair/a.txt")
    asked_for(desk, "fair/in/")
    lend(storage_token, ada, f"{desk.bucket}/fair/")
    job = desk.delete("fair/")
    assert job.state == State.PLANNED
    assert "Stays and keeps working: 1 access grant, 1 file request." in reviewed(job)
