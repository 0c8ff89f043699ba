"""What a person sees and restores of snapshots through a grant: its folders, with `read`, and nothing after it was revoked."""

import re
from html import unescape
from uuid import uuid4

import msgspec
import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from dashboard.catalog.lookup import find
from dashboard.features.objects.services.delete import delete_many
from dashboard.jobs.models import Job, State
from dashboard.journal.models import Entry
from dashboard.snapshots import capture, restore_plan, trash
from dashboard.snapshots.manifest import Manifest, read_heads, write_head
from dashboard.snapshots.store import Store
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.bulk.conftest import go, words
from tests.features.grants import Lent, lent
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx
from tests.people import hold
from tests.snapshots.test_capture import ended, in_a_folder
from tests.snapshots.test_pages import names

__all__ = ["in_a_folder", "lent"]

EVERYTHING = {"all": "1", "filter": "*"}


def address(lent: Lent, name: str, **query: str) -> str:
    """The address of the last snapshot."""
    return reverse(f"snapshots:{name}", args=[lent.space, lent.bucket, read_heads(capture.store())[-1].id], query=query or None)


def of_bucket(lent: Lent, name: str = "index", **query: str) -> str:
    return reverse(f"snapshots:{name}", args=[lent.space, lent.bucket], query=query or None)


def page(client: PageClient, href: str) -> str:
    return unescape(client.get(href).text)


def taken(owner: Person, lent: Lent) -> None:
    """Take a snapshot; then one object inside and one outside are gone, and one inside is changed."""
    lent.put("inside/gone.txt", "inside/changed.txt", "inside/deep/same.txt", "outside.txt", "beside/gone.txt", body=b"then")
    assert ended(capture.begin(Workspace(owner), lent.space, lent.bucket, back="")).state == State.DONE
    lent.storage.objects.delete_many(lent.bucket, ["inside/gone.txt", "outside.txt"])
    lent.storage.objects.replace(lent.bucket, "inside/changed.txt", b"now", content_type="text/plain")


def text(lent: Lent, key: str) -> str:
    return lent.storage.objects.read(lent.bucket, key).read_all(100).decode()


def exists(lent: Lent, key: str) -> bool:
    return find(lent.storage, lent.bucket, key) is not None


def planned(lent: Lent) -> Job:
    """Let Ada plan a restoration of everything to where it was."""
    given = {"space": lent.space, "bucket": lent.bucket}
    lent.client.post(address(lent, "restorations", **EVERYTHING), given, headers=htmx("dialog"))
    return turn(Job.objects.filter(kind="restore objects").latest("pk"))


def test_only_its_folders_are_seen_and_no_figures_of_the_whole(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    shown = page(lent.client, of_bucket(lent))
    assert address(lent, "show") in shown
    assert 'data-label="Objects"' not in shown
    assert "What your folders looked like" in shown
    root = page(lent.client, address(lent, "show"))
    assert names(root) == ["inside"]
    assert "in this snapshot" not in root
    inside = page(lent.client, address(lent, "show", path="inside/"))
    assert names(inside) == ["changed.txt", "deep", "gone.txt"]
    assert [inside.count(word) for word in ("Deleted since", "Changed since")] == [1, 1]
    assert names(page(lent.client, address(lent, "show", path="inside/deep/"))) == ["same.txt"]
    for path in ("beside/", "inside/../beside/"):
        assert names(page(lent.client, address(lent, "show", path=path))) == []
    elsewhere = reverse("snapshots:index", args=[lent.space, lent.other])
    assert lent.client.get(elsewhere).status_code == 404


def test_only_its_folders_are_downloaded_and_that_is_journaled(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    sent = lent.client.get(address(lent, "file", key="inside/gone.txt"))
    assert b"".join(sent.streaming_content) == b"then"  # type: ignore[attr-defined] # it is streamed
    entry = Entry.objects.get(operation="downloaded")
    assert (entry.person, entry.through) == (lent.ada, owner)
    for name in ("file", "restoration"):
        assert lent.client.get(address(lent, name, key="outside.txt")).status_code == 404
    assert lent.client.get(of_bucket(lent, "versions", key="outside.txt")).status_code == 404
    assert address(lent, "file") in page(lent.client, of_bucket(lent, "versions", key="inside/gone.txt"))


def test_the_menu_leads_there_and_offers_no_taking(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    bucket = page(lent.client, reverse("objects:index", args=[lent.space, lent.bucket]))
    assert of_bucket(lent) in bucket
    assert of_bucket(lent, "schedule") not in bucket
    shown = page(lent.client, of_bucket(lent))
    assert not re.search(r"Take a snapshot|Schedule|/deletion/", shown)


@pytest.mark.parametrize(("name", "on_one"), [("new", False), ("schedule", False), ("deletion", True)])
def test_it_manages_none(owner: Person, lent: Lent, name: str, on_one: bool) -> None:
    taken(owner, lent)
    lent.change(folders=[])
    href = address(lent, name) if on_one else of_bucket(lent, name)
    assert "token of their own" in lent.client.post(href, {"every": "daily", "last": "1", "days": "1"}).text
    assert len(read_heads(capture.store())) == 1
    assert Job.objects.filter(kind__in=["take snapshot", "delete snapshots"]).count() == 1


def test_without_read_nothing_is_seen(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    lent.change(acts=["upload"])
    bucket = lent.client.get(reverse("objects:index", args=[lent.space, lent.bucket])).text
    assert "~snapshots" not in bucket
    for href in (of_bucket(lent), of_bucket(lent, "trash"), address(lent, "file", key="inside/gone.txt")):
        assert "doesn't include: View and download" in page(lent.client, href)


def test_after_it_was_revoked_nothing_is_seen(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    lent.change(revoked_at=timezone.now())
    for href in (of_bucket(lent), address(lent, "show", path="inside/"), address(lent, "file", key="inside/gone.txt")):
        shown = page(lent.client, href)
        assert f"{lent.grant.giver} revoked this access" in shown
        assert "~snapshots/2" not in shown.split("<main")[-1]


def test_the_whole_bucket_is_seen_with_its_figures(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    lent.change(folders=[f"{lent.bucket}/"])
    assert names(page(lent.client, address(lent, "show"))) == ["beside", "inside", "outside.txt"]
    assert 'data-label="Objects">5<' in page(lent.client, of_bucket(lent))


def test_restoring_needs_upload_and_replacing_needs_change(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    gone, changed = (address(lent, "restoration", key=f"inside/{name}.txt") for name in ("gone", "changed"))
    lent.change(acts=["read"])
    assert "doesn't include: Upload new files" in page(lent.client, gone)
    assert "Restore" not in page(lent.client, address(lent, "show", path="inside/")).split("<main")[-1]
    assert "doesn't include: Upload new files" in page(lent.client, address(lent, "restorations", **EVERYTHING))
    lent.change(acts=["read", "upload"])
    assert "doesn't include: Replace files" in page(lent.client, changed)
    assert "restored and verified" in lent.client.post(gone, {"count": "0"}, headers=htmx("dialog")).text
    assert (text(lent, "inside/gone.txt"), text(lent, "inside/changed.txt")) == ("then", "now")


def test_everything_is_what_is_in_its_folders(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    done = go(planned(lent), "replace")
    assert (done.state, sorted(words(done))) == (State.DONE, ["inside/changed.txt", "inside/gone.txt"])
    assert (text(lent, "inside/gone.txt"), text(lent, "inside/changed.txt")) == ("then", "then")
    assert not exists(lent, "outside.txt")


def test_a_bucket_that_it_does_not_cover_is_not_said_to_be_missing(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    for bucket in (lent.other, "nowhere"):
        given = {"space": lent.space, "bucket": bucket}
        refused = unescape(lent.client.post(address(lent, "restorations", **EVERYTHING), given, headers=htmx("dialog")).text)
        assert "Your access doesn't cover this bucket." in refused
        assert "has no bucket" not in refused
    assert not Job.objects.filter(kind="restore objects").exists()


def test_a_choice_of_other_folders_restores_nothing(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    for chosen in ({"folder": "beside/"}, {"key": "outside.txt"}):
        answer = lent.client.post(address(lent, "restorations", **chosen), {"space": lent.space, "bucket": lent.bucket})
        assert answer.status_code == 404
    assert not Job.objects.filter(kind="restore objects").exists()


def test_a_plan_says_what_may_not_be_replaced(owner: Person, lent: Lent) -> None:
    taken(owner, lent)
    lent.change(acts=["read", "upload"])
    done = go(planned(lent))
    assert words(done)["inside/changed.txt"] == "Your access doesn't include: Replace files."
    assert (text(lent, "inside/gone.txt"), text(lent, "inside/changed.txt")) == ("then", "now")


def test_a_plan_says_what_its_access_does_not_cover_elsewhere(owner: Person, lent: Lent) -> None:
    lent.put("inside/empty/.emptyFolderPlaceholder", body=b"")
    taken(owner, lent)
    lent.change(folders=[f"{lent.bucket}/inside/", f"{lent.other}/somewhere/"])
    given = {"space": lent.space, "bucket": lent.other}
    lent.client.post(address(lent, "restorations", **EVERYTHING), given, headers=htmx("dialog"))
    job = go(turn(Job.objects.filter(kind="restore objects").latest("pk")))
    assert set(words(job).values()) == {restore_plan.NOT_COVERED}
    assert job.conflicts == job.total == 4


@pytest.mark.parametrize("way", ["revoked", "narrowed"])
def test_a_restoration_stops_once_it_is_revoked_or_narrowed(owner: Person, lent: Lent, way: str) -> None:
    taken(owner, lent)
    job = planned(lent)
    assert job.state == State.PLANNED
    lent.change(**({"revoked_at": timezone.now()} if way == "revoked" else {"folders": [f"{lent.bucket}/inside/deep/"]}))
    stopped = go(job, "replace")
    assert (stopped.state, stopped.done) == (State.FAILED, 0)
    assert not exists(lent, "inside/gone.txt")
    assert text(lent, "inside/changed.txt") == "now"


def test_a_restoration_elsewhere_stops_once_it_is_revoked(owner: Person, lent: Lent, service: Sandbox) -> None:
    taken(owner, lent)
    space = next(ref for ref in service.storage_tokens if ref != lent.space)
    key, name = service.storage_tokens[space]["service"], f"restored {uuid4().hex[:8]}"
    hold(lent.ada, service.personal_token)
    hold(lent.ada, key, space)
    storage = service.interface(space, key)
    storage.buckets.create(name)
    lent.client.post(address(lent, "restorations", **EVERYTHING), {"space": space, "bucket": name}, headers=htmx("dialog"))
    job = turn(Job.objects.get(kind="restore objects"))
    lent.change(revoked_at=timezone.now())
    stopped, stored = go(job), storage.objects.all(name)
    storage.buckets.empty(name)
    storage.buckets.delete(name)
    assert (stopped.state, stopped.done, stored) == (State.FAILED, 0, [])


def delete(person: Person, lent: Lent, *keys: str) -> None:
    here = (Workspace(person), lent.space, lent.bucket)
    delete_many(*here, list(keys), rows=trash.listed(*here, keys))


def test_what_others_deleted_is_seen_and_restored_in_its_folders(owner: Person, lent: Lent) -> None:
    lent.put("inside/a.txt", "outside.txt", "zzz.txt", body=b"then")
    delete(owner, lent, "inside/a.txt", "outside.txt", "zzz.txt")
    lent.put("outside2.txt")
    delete(owner, lent, "outside2.txt")
    mixed, outside = read_heads(capture.store())
    shown = page(lent.client, of_bucket(lent, "trash"))
    assert mixed.id in shown
    assert outside.id not in shown
    assert "outside" not in shown
    assert 'data-label="Objects">1<' in shown
    undo = reverse("snapshots:undo", args=[lent.space, lent.bucket, mixed.id])
    assert "Restore 1 object" in page(lent.client, undo)
    lent.client.post(undo, {"count": "0"})
    assert ended(Job.objects.get(kind="restore objects")).done == 1
    assert text(lent, "inside/a.txt") == "then"
    assert not exists(lent, "outside.txt")
    for name in ("show", "undo"):
        href = reverse(f"snapshots:{name}", args=[lent.space, lent.bucket, outside.id])
        assert lent.client.get(href).status_code == 404


@pytest.mark.usefixtures("small_segments")
def test_the_trash_reads_little_of_what_is_not_shown(owner: Person, lent: Lent, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, others = [f"inside/{number:02}.txt" for number in range(30)], [f"other/{number:02}.txt" for number in range(30)]
    lent.put(*inside, *others, body=b"then")
    delete(owner, lent, *inside, *others)
    lent.put("inside/x.txt")
    delete(owner, lent, "inside/x.txt")
    read, original = list[str](), Store.chunk

    def noted(store: Store, name: str) -> bytes:
        read.append(name)
        return original(store, name)

    monkeypatch.setattr(Store, "chunk", noted)
    monkeypatch.setattr("dashboard.features.snapshots.views.snapshots.DELETIONS_PER_PAGE", 1)
    (large, _) = read_heads(capture.store())
    segments = [segment.chunk for segment in Manifest(capture.store(), large.lists).segments]
    assert len(segments) > 3
    read.clear()
    page(lent.client, of_bucket(lent, "trash"))
    assert not set(read) & set(segments), "names say that it is in scope"
    second = page(lent.client, of_bucket(lent, "trash", offset="1"))
    assert 'data-label="Objects">30<' in second
    assert 0 < len(set(read) & set(segments)) < len(segments)
    read.clear()
    assert page(lent.client, of_bucket(lent, "trash", offset="1")).count(">30<") == second.count(">30<")
    assert not read


def test_what_it_deleted_itself_is_brought_back(lent: Lent, settings: Settings) -> None:
    settings.TRASH_DAYS = 30
    lent.put("inside/a.txt", body=b"then")
    deletion = reverse("objects:deletion", args=[lent.space, lent.bucket], query={"key": "inside/a.txt"})
    done = lent.client.post(deletion, headers=htmx("dialog"))
    assert address(lent, "undo") in done.text
    lent.client.post(address(lent, "undo"), {"count": "0"})
    assert ended(Job.objects.get(kind="restore objects")).done == 1
    assert text(lent, "inside/a.txt") == "then"


def test_a_giver_without_a_service_key_shows_only_what_their_token_took(owner: Person, lent: Lent, service: Sandbox) -> None:
    taken(owner, lent)
    (head,) = read_heads(capture.store())
    plain = next(token for name, token in service.storage_tokens[lent.space].items() if name != "service")
    lent.change(token=hold(owner, plain, lent.space).fingerprint)
    assert "No snapshots yet" in page(lent.client, of_bucket(lent))
    assert lent.client.get(address(lent, "show")).status_code == 404
    write_head(capture.store(), msgspec.structs.replace(head, token=lent.grant.token))
    assert names(page(lent.client, address(lent, "show", path="inside/deep/"))) == ["same.txt"]
