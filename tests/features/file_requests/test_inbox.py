"""Members accept or reject what arrived; until then it is in no share, ZIP, thumbnail or search."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from dashboard.catalog import queries
from dashboard.catalog.crawl import begin
from dashboard.catalog.selection import Selection
from dashboard.features.bulk import services as bulk
from dashboard.features.bulk.rules import Transfer
from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.features.file_requests.services import inbox, reservations
from dashboard.journal.models import Entry, Outcome
from dashboard.links.lifecycle import Terms, make
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.file_requests.conftest import Desk, Faults, send
from tests.features.lost import Lost, lost
from tests.jobs.conftest import turn
from tests.pages import PageClient

MAY_RUN_FOR = timedelta(minutes=2)

__all__ = ["lost"]


def accept(desk: Desk, asked: FileRequest, **chosen: Any) -> Any:
    return desk.client.post(desk.inbox(asked, "accept"), chosen, follow=True)


def reject(desk: Desk, asked: FileRequest, query: str, **typed: Any) -> Any:
    return desk.client.post(f"{desk.inbox(asked, 'reject')}?{query}", typed, follow=True)


def states(asked: FileRequest) -> dict[str, str]:
    return {file.name: file.state for file in asked.received.all()}


def test_an_accepted_file_moves_into_the_folder(desk: Desk) -> None:
    asked, path = desk.ask()
    (file,) = desk.receive(asked, path, "a.png")
    answer = accept(desk, asked, file=file.pk)
    assert "“a.png” accepted." in answer.text
    assert desk.names("fair/") == ["a.png"]
    file.refresh_from_db()
    assert (file.state, file.accepted_key, file.decided_by) == ("accepted", "fair/a.png", desk.person)
    entry = Entry.objects.get(operation="S11")
    assert entry.target == f"a.png from Ann, accepted from “Photos of the fair” to {desk.bucket}/fair/a.png"


def test_a_taken_name_is_never_overwritten(desk: Desk) -> None:
    asked, path = desk.ask()
    desk.storage.objects.upload(desk.bucket, "fair/a.png", b"old", content_type="image/png")
    files = desk.receive(asked, path, "a.png", "a.png")
    answer = accept(desk, asked, until=files[-1].pk)
    assert "2 files accepted." in answer.text
    assert "“a.png” is now “a (1).png”, since the name was taken." in answer.text
    assert desk.names("fair/") == ["a (1).png", "a (2).png", "a.png"]
    with desk.storage.objects.read(desk.bucket, "fair/a.png") as stream:
        assert b"".join(stream) == b"old"


def test_all_means_all_that_were_shown(desk: Desk) -> None:
    asked, path = desk.ask()
    shown = desk.receive(asked, path, "a.png", "b.png")
    send(desk.sender(path, "Eve"), path, "unseen.png")
    accept(desk, asked, until=shown[-1].pk)
    assert states(asked) == {"a.png": "accepted", "b.png": "accepted", "unseen.png": "received"}


@pytest.mark.parametrize("decide", ["accept", "reject"])
def test_what_the_key_cannot_see_is_not_called_missing_and_keeps_waiting(desk: Desk, service: Sandbox, decide: str) -> None:
    asked, path = desk.ask()
    (file,) = desk.receive(asked, path, "a.png")
    store(desk.person, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["inbox"])
    answer = accept(desk, asked, file=file.pk) if decide == "accept" else reject(desk, asked, f"file={file.pk}", count=1)
    assert "a.png" in answer.text
    assert states(asked) == {"a.png": "received"}
    asked.refresh_from_db()
    assert (asked.files, len(desk.names(file.key.rpartition("/")[0] + "/"))) == (1, 1)
    store(desk.person, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["service"])
    accept(desk, asked, file=file.pk)
    assert states(asked) == {"a.png": "accepted"}


def test_an_acceptance_in_doubt_is_not_settled_by_a_key_that_sees_nothing(desk: Desk, service: Sandbox, lost: Lost) -> None:
    asked, path = desk.ask()
    (file,) = desk.receive(asked, path, "a.png")
    lost.never_applied("S11")
    accept(desk, asked, file=file.pk)
    store(desk.person, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["inbox"])
    lost.clear()
    lost.pass_time(timedelta(hours=1))
    assert Entry.objects.get(operation="S11").outcome == Outcome.UNKNOWN
    assert states(asked)["a.png"] in {"received", "accepting"}
    assert desk.names("fair/") == [".requests"]


def test_a_rejected_file_is_deleted_after_confirmation(desk: Desk) -> None:
    asked, path = desk.ask()
    files = desk.receive(asked, path, "a.png", "b.png")
    dialog = desk.client.get(f"{desk.inbox(asked, 'reject')}?file={files[0].pk}")
    assert "Reject “a.png”" in dialog.text
    assert "deleted for good" in dialog.text
    assert states(asked) == {"a.png": "received", "b.png": "received"}
    assert "“a.png” rejected." in reject(desk, asked, f"file={files[0].pk}", count=1).text
    assert states(asked) == {"a.png": "rejected", "b.png": "received"}
    left = desk.storage.objects.all(desk.bucket, search=f"fair/.requests/{asked.pk}/")
    assert len(left) == 1
    assert Entry.objects.get(operation="S7").target == "a.png from Ann, rejected from “Photos of the fair”"


def test_a_file_that_is_gone_is_said_to_be_missing_and_frees_its_place(desk: Desk) -> None:
    asked, path = desk.ask()
    files = desk.receive(asked, path, "a.png", "b.png")
    desk.storage.objects.delete(desk.bucket, files[0].key)
    answer = accept(desk, asked, until=files[-1].pk)
    assert "1 file accepted." in answer.text
    assert "1 file not found: deleted or moved in the meantime." in answer.text
    assert states(asked) == {"a.png": "missing", "b.png": "accepted"}
    asked.refresh_from_db()
    assert asked.files == 1


@pytest.mark.parametrize("decide", [inbox.accept, inbox.reject])
def test_what_a_colleague_decided_on_meanwhile_is_left_alone(desk: Desk, decide: Callable[..., inbox.Tally]) -> None:
    asked, path = desk.ask()
    files = desk.receive(asked, path, "a.png")
    asked.received.update(state="accepting")
    outcome = decide(Workspace(desk.person), asked, files)
    assert (outcome.done, len(outcome.refused) + outcome.unknown) == (0, 1)
    assert desk.storage.objects.info(desk.bucket, files[0].key).size == 5
    assert not Entry.objects.filter(outcome=Outcome.DONE, operation__in=("S7", "S11")).exists()


def test_a_refused_move_leaves_the_file_to_review(desk: Desk, faults: Faults) -> None:
    asked, path = desk.ask()
    (file,) = desk.receive(asked, path, "a.png")
    faults("S11", status=403)
    answer = accept(desk, asked, file=file.pk)
    assert "“a.png” was not accepted:" in answer.text
    assert states(asked) == {"a.png": "received"}


@pytest.mark.parametrize(("operation", "query", "done"), [("S11", "accept", "accepted"), ("S7", "reject", "rejected")])
def test_a_lost_answer_is_unknown_and_then_settled(desk: Desk, lost: Lost, operation: str, query: str, done: str) -> None:
    asked, path = desk.ask()
    (file,) = desk.receive(asked, path, "a.png")

    def decide() -> Any:
        return accept(desk, asked, file=file.pk) if query == "accept" else reject(desk, asked, f"file={file.pk}", count=1)

    lost.applied_late(operation)
    assert "The outcome of 1 file is unknown and still being checked." in decide().text
    assert file.name not in [one.name for one in ReceivedFile.objects.filter(state="received")]
    assert "The outcome of 1 file is still being checked." in decide().text
    lost.clear()
    lost.pass_time(timedelta(seconds=6))
    reservations.settle(ReceivedFile.objects.all())
    assert states(asked) == {"a.png": done}


def test_what_was_never_moved_can_be_accepted_again(desk: Desk, lost: Lost) -> None:
    asked, path = desk.ask()
    (file,) = desk.receive(asked, path, "a.png")
    lost.never_applied("S11")
    accept(desk, asked, file=file.pk)
    lost.clear()
    lost.pass_time(MAY_RUN_FOR + timedelta(seconds=1))
    assert "“a.png” accepted." in accept(desk, asked, file=file.pk).text
    assert desk.names("fair/") == ["a.png"]


def test_only_its_maker_and_owners_of_the_team_see_a_request(desk: Desk, as_ada: PageClient, ada: Person) -> None:
    asked, path = desk.ask()
    (file,) = desk.receive(asked, path, "a.png")
    for verb in ("inbox", "revoke", "restore"):
        assert as_ada.get(desk.inbox(asked, verb)).status_code == 404
    assert as_ada.post(desk.inbox(asked, "accept"), {"file": file.pk}).status_code == 404
    assert as_ada.post(f"{desk.inbox(asked, 'reject')}?file={file.pk}", {"count": 1}).status_code == 404
    assert "Photos of the fair" not in as_ada.get("/links/requests/").text
    FileRequest.objects.filter(pk=asked.pk).update(owner=ada)
    page = desk.client.get("/links/requests/").text
    assert "Photos of the fair" in page
    assert "by Ada Member" in page
    assert states(asked) == {"a.png": "received"}


def test_a_request_of_another_member_shows_no_link(desk: Desk, ada: Person) -> None:
    asked, path = desk.ask()
    assert path in desk.client.get("/links/requests/").text
    FileRequest.objects.filter(pk=asked.pk).update(owner=ada)
    assert path not in desk.client.get("/links/requests/").text


class TestUntilAccepted:
    """What waits is in no share, ZIP, thumbnail or search, and is deleted with its folder."""

    def test_it_is_in_no_share(self, desk: Desk) -> None:
        asked, path = desk.ask()
        desk.storage.objects.upload(desk.bucket, "fair/seen.png", b"x", content_type="image/png")
        files = desk.receive(asked, path, "hidden.png")
        terms = Terms(ends_at=asked.ends_at)
        _, code = make(desk.person, desk.space, desk.bucket, folders=["fair/"], terms=terms)
        visitor = PageClient()
        page = visitor.get(f"/l/{code}")
        assert "seen.png" in page.text
        assert "hidden.png" not in page.text
        assert visitor.get(f"/l/{code}/file", {"n": "0", "key": files[0].key}).status_code == 404
        refused = desk.client.post(
            f"/storage/{desk.space}/{desk.bucket}/~share/?key={files[0].key}", {"life": "3600", "landing": "page"}
        )
        assert "Accept the files of a file request before you share them." in refused.text
        accept(desk, asked, file=files[0].pk)
        assert "hidden.png" in visitor.get(f"/l/{code}").text

    def test_it_is_in_no_zip(self, desk: Desk) -> None:
        asked, path = desk.ask()
        desk.storage.objects.upload(desk.bucket, "fair/seen.png", b"x", content_type="image/png")
        files = desk.receive(asked, path, "hidden.png")
        address = f"/storage/{desk.space}/{desk.bucket}/~download/archive/?folder=fair/&go=1"
        packed = b"".join(desk.client.get(address))
        assert b"seen.png" in packed
        assert b"hidden.png" not in packed
        accept(desk, asked, file=files[0].pk)
        assert b"hidden.png" in b"".join(desk.client.get(address))

    def test_it_is_in_no_search(self, desk: Desk) -> None:
        asked, path = desk.ask()
        desk.storage.objects.upload(desk.bucket, "fair/seen.png", b"x", content_type="image/png")
        before = desk.receive(asked, path, "before.png")
        workspace = Workspace(desk.person)
        turn(begin(workspace, desk.space, desk.bucket).job)
        desk.receive(asked, path, "after.png")
        page = f"/storage/{desk.space}/{desk.bucket}/~search/?q=png"
        shown = desk.client.get(page).text
        assert "seen.png" in shown
        assert "before.png" not in shown
        assert "after.png" not in shown
        known = queries.state(workspace, desk.space, desk.bucket)
        assert known
        assert (known.objects, known.bytes) == (1, 1)
        accept(desk, asked, file=before[0].pk)
        assert "before.png" in desk.client.get(page).text

    def test_it_has_no_thumbnail(self, desk: Desk) -> None:
        asked, path = desk.ask()
        (file,) = desk.receive(asked, path, "a.png")
        folder = file.key.removesuffix("a.png")
        address = f"/storage/{desk.space}/{desk.bucket}/"
        assert "~preview/thumbnail/" not in desk.client.get(address, {"path": folder, "view": "grid"}).text
        accept(desk, asked, file=file.pk)
        assert "~preview/thumbnail/" in desk.client.get(address, {"path": "fair/", "view": "grid"}).text

    def test_it_is_deleted_with_its_folder_and_left_behind_by_a_copy(self, desk: Desk) -> None:
        asked, path = desk.ask()
        desk.storage.objects.upload(desk.bucket, "fair/seen.png", b"x", content_type="image/png")
        desk.receive(asked, path, "hidden.png")
        workspace = Workspace(desk.person)
        selection = Selection(desk.space, desk.bucket, folders=("fair/",))
        wanted = Transfer(verb="copy", selection=selection, base="", bucket=desk.bucket, to="copies/")
        copied = turn(bulk.transfer(workspace, wanted, back="/"))
        assert (copied.state, copied.total) == ("done", 1)
        planned = turn(bulk.delete(workspace, selection, back="/"))
        assert (planned.state, planned.total) == ("planned", 2)
