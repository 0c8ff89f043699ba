"""The ledger tells at once what became of what a link leads to, and visitors are told of a file that is still there."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.catalog.selection import Selection
from dashboard.features.bulk import services as jobs
from dashboard.features.bulk.rules import into
from dashboard.jobs.models import State as JobState
from dashboard.links.models import Share
from dashboard.links.states import State
from dashboard.tokens.credentials import forget, store
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.bulk.conftest import go
from tests.features.sharing.conftest import Desk
from tests.jobs.conftest import turn

WAITS = "Temporarily unavailable"


def state_of(share: Share) -> State:
    return Share.objects.select_related("owner").get(pk=share.pk).state


def delete(desk: Desk, *folders: str, keys: tuple[str, ...] = ()) -> None:
    chosen = Selection(desk.space, desk.bucket, keys=keys, folders=folders)
    assert go(turn(jobs.delete(Workspace(desk.person), chosen, back="/"))).state == JobState.DONE


def weaken(desk: Desk, service: Sandbox) -> None:
    """The owner stores a key that no row policy lets read anything."""
    store(desk.person, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])


def test_a_folder_that_our_own_job_deleted_is_missing_at_once(desk: Desk) -> None:
    desk.put("shared/a.txt", "shared/deep/b.txt", "shared/deep/.emptyFolderPlaceholder", body=b"")
    desk.put("kept/c.txt")
    whole, _ = desk.share(folders=("shared/",))
    inside, _ = desk.share(folders=("shared/deep/",))
    kept, _ = desk.share(folders=("kept/",))
    bucket, _ = desk.share(folders=("",))
    delete(desk, "shared/deep/")
    assert [state_of(share) for share in (whole, inside, kept, bucket)] == [State.LIVE, State.GONE, State.LIVE, State.LIVE]
    delete(desk, keys=("shared/a.txt",))
    assert [state_of(share) for share in (whole, inside, kept, bucket)] == [State.GONE, State.GONE, State.LIVE, State.LIVE]


def test_a_shared_folder_is_missing_at_once_when_its_last_file_is_deleted_in_the_browser(desk: Desk) -> None:
    desk.put("shared/a.txt", "shared/b.txt")
    share, _ = desk.share(folders=("shared/",))
    address = reverse("objects:deletion", args=(desk.space, desk.bucket))
    desk.client.post(f"{address}?key=shared/a.txt", {})
    assert state_of(share) is State.LIVE
    desk.client.post(f"{address}?key=shared/b.txt", {})
    assert state_of(share) is State.GONE


def test_a_shared_folder_is_missing_at_once_when_everything_in_it_was_moved_away(desk: Desk) -> None:
    desk.put("shared/a.txt", "other/b.txt")
    emptied, _ = desk.share(folders=("shared/",))
    moved, _ = desk.share(folders=("other/",))
    workspace = Workspace(desk.person)
    one = Selection(desk.space, desk.bucket, keys=("shared/a.txt",))
    for chosen in (one, Selection(desk.space, desk.bucket, folders=("other/",))):
        wanted = into("move", chosen, desk.bucket, "to/")
        assert turn(jobs.transfer(workspace, wanted, back="/")).state == JobState.DONE
    assert state_of(emptied) is State.GONE
    assert state_of(moved) is State.LIVE
    assert moved.targets.get().key == "to/other/"


def test_a_weaker_key_shows_in_the_ledger_at_once_and_a_stronger_one_too(desk: Desk, service: Sandbox) -> None:
    desk.put("a.txt", "shared/b.txt")
    shares = [desk.share("a.txt")[0], desk.share(folders=("shared/",))[0], desk.share("a.txt", "shared/b.txt")[0]]
    weaken(desk, service)
    assert {state_of(share) for share in shares} == {State.HIDDEN}
    ledger = desk.client.get(reverse("sharing:ledger"))
    assert ledger.text.count("No access") >= len(shares)
    assert not re.search(r"status[^>]*>[^<]*<[^>]*>File missing", ledger.text)
    store(desk.person, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["service"])
    assert {state_of(share) for share in shares} == {State.LIVE}


def test_a_forgotten_token_shows_in_the_ledger_at_once(desk: Desk) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    forget(desk.person, StoredToken.objects.get(person=desk.person, kind=Kind.STORAGE, space=desk.space))
    assert state_of(share) is State.HIDDEN
    answer = desk.visitor.get(path)
    assert (answer.status_code, WAITS in answer.text) == (503, True)


@pytest.mark.parametrize("way", ["", "/file", "/all"])
@pytest.mark.parametrize("what", ["object", "folder", "set"])
def test_visitors_are_not_told_that_a_file_is_gone_which_a_weaker_key_does_not_see(
    desk: Desk, service: Sandbox, what: str, way: str
) -> None:
    desk.put("shared/a.txt", "shared/b.txt")
    share, path = {
        "object": lambda: desk.share("shared/a.txt"),
        "folder": lambda: desk.share(folders=("shared/",)),
        "set": lambda: desk.share("shared/a.txt", "shared/b.txt"),
    }[what]()
    weaken(desk, service)
    Share.objects.update(hidden_at=None)
    query = {"n": "0", "key": "shared/a.txt"} if way == "/file" else {}
    answer = desk.visitor.get(f"{path}{way}", query)
    if answer.status_code == 302:
        answer = desk.visitor.get(answer["Location"])
    assert (answer.status_code, WAITS in answer.text) == (503, True)
    assert "gone" not in answer.text
    assert state_of(share) is State.HIDDEN


def test_what_is_really_gone_is_still_said_to_be_gone(desk: Desk) -> None:
    desk.put("shared/a.txt")
    share, path = desk.share(folders=("shared/",))
    assert desk.visitor.get(path).status_code == 200
    desk.storage.objects.delete(desk.bucket, "shared/a.txt")
    answer = desk.visitor.get(path)
    assert (answer.status_code, "File missing" in answer.text) == (404, True)
    assert "The file was" not in answer.text, "it was a folder"
    assert state_of(share) is State.GONE


@pytest.mark.parametrize("way", ["", "/all"])
def test_the_ledger_is_right_at_once_when_the_link_of_an_empty_folder_is_opened(desk: Desk, way: str) -> None:
    desk.put("shared/a.txt")
    share, path = desk.share(folders=("shared/",), ends_at=timezone.now() + timedelta(days=1))
    desk.storage.objects.delete(desk.bucket, "shared/a.txt")
    assert desk.visitor.get(f"{path}{way}").status_code == 404
    assert state_of(share) is State.GONE
    desk.put("shared/a.txt")
    answer = desk.visitor.get(f"{path}{way}")
    assert answer.status_code == 200
    assert b"".join(answer), "unread, an archive holds a place for transfers"
    assert state_of(share) is State.LIVE


def test_the_dialog_says_that_files_added_later_are_included(desk: Desk) -> None:
    said = "Files added to the folder later are included."
    assert said in desk.client.get(desk.address(), {"folder": "shared/"}).text
    assert said not in desk.client.get(desk.address(), {"key": "a.txt"}).text
