"""One notification of each kind: it happens, a worker's turn notices it, and it arrives by mail and in the team's channel."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.features.file_requests.models import ReceivedFile
from dashboard.features.functions import tasks as function_tasks
from dashboard.features.hostname.services import watch
from dashboard.features.network.services.restrictions import CHECK_STORED
from dashboard.jobs import schedules
from dashboard.jobs.models import Schedule
from dashboard.journal.models import Entry
from dashboard.links.models import Share
from dashboard.notifications import delivery, inbox, kinds
from dashboard.notifications.models import Notification
from dashboard.snapshots import schedule
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.catalog.conftest import Shelf, shelf
from tests.features.file_requests.conftest import Desk as RequestDesk
from tests.features.file_requests.conftest import desk as requests_desk
from tests.features.file_requests.conftest import send
from tests.features.functions.desk import REF, SOURCE
from tests.features.functions.desk import Desk as FunctionDesk
from tests.features.functions.desk import desk as functions_desk
from tests.features.hostname.desk import Desk as HostnameDesk
from tests.features.hostname.desk import desk as hostname_desk
from tests.features.network.desk import TRACKING
from tests.features.network.desk import Desk as NetworkDesk
from tests.features.network.desk import desk as network_desk
from tests.features.network.reviewed import MORE, reviewed
from tests.features.service import Faults
from tests.features.sharing.conftest import Desk as ShareDesk
from tests.features.sharing.conftest import desk as share_desk
from tests.features.sharing.conftest import hidden
from tests.notifications.conftest import mails
from tests.notifications.sinks import Sink, receiver
from tests.pages import PageClient
from tests.people import client_of, hold

__all__ = [
    "functions_desk",
    "hidden",
    "hostname_desk",
    "mails",
    "network_desk",
    "requests_desk",
    "share_desk",
    "shelf",
]

# Elsewhere: those of jobs in tests/jobs/test_notifications.py, of lost answers in test_lost_answers.py, those about an account in
# tests/team/test_notifications.py.
HERE = {
    *("hostname check finished", "hostname broken", "restrictions stuck", "link expires", "link limit", "link file missing"),
    *("link opened", "snapshots stopped", "files arrived", "token refused", "token expires", "function changed", "grant"),
}
ELSEWHERE = {"job decision", "job finished", "job failed", "account", "doubt ended"}


@dataclass(frozen=True, slots=True)
class Told:
    """What arrived: subjects of mails, titles of posts."""

    mails: Sink
    posts: Sink

    def by(self, kind: str, person: Person) -> tuple[str, str]:
        """Run a worker's turns; return the one mail about this kind, and the path that the notification leads to."""
        for _ in range(2):
            delivery.remind()
            while delivery.deliver_next():
                pass
        (row,) = Notification.objects.filter(kind=kind, person=person)
        (mail,) = [mail for mail in self.mails.mails if mail["To"] == person.email and mail["Subject"].endswith(f": {row.title}")]
        post = [post for post in self.posts.posts if f"\n{kinds.title_of(kind)} · Event " in post["message"]][-1]
        assert post["title"].replace(f"{person}'s", "Your") == mail["Subject"].strip()
        assert f"https://pilothouse.example{row.address}\n" in post["message"]
        assert client_of(person).get(row.address).status_code == 200
        return row.title, row.address


@pytest.fixture(autouse=True)
def snapshots_in_a_folder(tmp_path: Path, settings: Settings) -> None:
    settings.SNAPSHOT_URL = (tmp_path / "store").as_uri()
    (tmp_path / "store").mkdir()


@pytest.fixture
def told(mails: Sink, settings: Settings) -> Iterator[Told]:
    with receiver() as posts:
        settings.NOTIFY_URLS = [f"json://127.0.0.1:{posts.port}/"]
        yield Told(mails, posts)


def due(kind: str) -> None:
    """Let the worker find every schedule of this kind due, and run it."""
    Schedule.objects.filter(kind=kind, next_at__isnull=False).update(next_at=timezone.now())
    while schedules.run_due():
        pass


def test_every_kind_is_tested() -> None:
    assert {kind.name for kind in kinds.listed()} == HERE | ELSEWHERE


def test_the_end_of_an_automatic_hostname_check(
    as_keeper: PageClient, owner: Person, hostname_desk: HostnameDesk, told: Told
) -> None:
    ref, host, found = hostname_desk.set_up()
    as_keeper.get(hostname_desk.address("index", ref))
    as_keeper.post(hostname_desk.address("watch", ref), {"act": "start"})
    hostname_desk.publish_all(ref, found)
    due(watch.WATCH)
    timer = Schedule.objects.get(kind=watch.WATCH)
    Schedule.objects.update(payload={**timer.payload, "asked_at": None})
    due(watch.WATCH)
    assert told.by("hostname check finished", owner) == (f"{host}: Ready to activate", f"/projects/{ref}/hostname/")


def test_automatic_snapshots_that_can_not_go_on(owner: Person, shelf: Shelf, told: Told, storage_token: StoredToken) -> None:
    schedule.start(*shelf.place, every="daily", last=7, days=30)
    kept = {field.attname: getattr(storage_token, field.attname) for field in StoredToken._meta.concrete_fields}
    storage_token.delete()
    due(schedule.KIND)
    StoredToken(**kept).save(force_insert=True)
    title, address = told.by("snapshots stopped", owner)
    assert title == f"Snapshots of {shelf.bucket} stopped: Its owner's storage token for {shelf.space} is no longer stored."
    assert address.endswith("/~snapshots/")


def test_an_automatic_hostname_check_that_can_not_go_on(
    as_keeper: PageClient, owner: Person, hostname_desk: HostnameDesk, mails: Sink
) -> None:
    ref, _, _ = hostname_desk.set_up()
    as_keeper.get(hostname_desk.address("index", ref))
    as_keeper.post(hostname_desk.address("watch", ref), {"act": "start"})
    StoredToken.objects.all().delete()
    due(watch.WATCH)
    (row,) = Notification.objects.filter(kind="hostname check finished", person=owner)
    assert row.title == "Automatic hostname check stopped: Its owner's management token is no longer stored."


def test_a_hostname_that_breaks_after_activation(
    as_keeper: PageClient, owner: Person, hostname_desk: HostnameDesk, told: Told
) -> None:
    ref, host = hostname_desk.active()
    as_keeper.send(hostname_desk.address("daily", ref), act="start")
    due(watch.DAILY)
    assert not Notification.objects.exists()
    hostname_desk.serve(host, "expired")
    due(watch.DAILY)
    due(watch.DAILY)
    subject, _ = told.by("hostname broken", owner)
    assert subject == f"{host}: Certificate invalid: It has expired."


def test_restrictions_that_stay_stored(
    as_keeper: PageClient, owner: Person, network_desk: NetworkDesk, faults: Faults, told: Told
) -> None:
    faults("M25", stay=True)
    reviewed(as_keeper, network_desk, MORE).apply()
    timer = Schedule.objects.get(kind=CHECK_STORED)
    assert timer.next_at
    assert timer.next_at > timezone.now() + timedelta(minutes=9)
    due(CHECK_STORED)
    assert told.by("restrictions stuck", owner)[1] == network_desk.address("restrictions")
    assert not Schedule.objects.filter(kind=CHECK_STORED).exists()


def test_restrictions_that_stay_stored_are_told_to_every_administrator_who_sees_the_project(
    as_keeper: PageClient, owner: Person, ada: Person, network_desk: NetworkDesk, faults: Faults
) -> None:
    outsider, operator, given, elsewhere, gone = (
        Person.objects.create(email=f"{name}@example.org", role=role)
        for name, role in (
            ("outsider", "owner"),
            ("operator", "operator"),
            ("given", "administrator"),
            ("elsewhere", "administrator"),
            ("gone", "owner"),
        )
    )
    text = StoredToken.objects.get(person=owner, space="").open()
    for person in (ada, operator, gone):
        hold(person, text)
    Person.objects.filter(pk=gone.pk).update(is_active=False)
    for person, section in ((given, "network"), (elsewhere, "secrets")):
        grants.give(owner, TRACKING, {"management": Terms(acts=("read",), sections=(section,))}, people=[person])
    faults("M25", stay=True)
    reviewed(as_keeper, network_desk, MORE).apply()
    due(CHECK_STORED)
    told_to = Notification.objects.filter(kind="restrictions stuck").values_list("person__email", flat=True)
    assert sorted(told_to) == ["ada@example.org", "given@example.org", "olga@example.org"]
    assert not Notification.objects.filter(person=outsider).exists()


def test_restrictions_in_force_are_nothing_to_tell(as_keeper: PageClient, network_desk: NetworkDesk, faults: Faults) -> None:
    faults("M25", stay=True)
    reviewed(as_keeper, network_desk, MORE).apply()
    faults("M25", rate=0)
    network_desk.management.network.apply(TRACKING, allowed=["192.0.2.0/24"])
    due(CHECK_STORED)
    assert not Notification.objects.exists()


def test_a_share_link_about_to_expire(share_desk: ShareDesk, owner: Person, told: Told) -> None:
    share_desk.put("a.txt")
    now = timezone.now()
    share, _ = share_desk.share("a.txt")
    short, _ = share_desk.share("a.txt", ends_at=now + timedelta(hours=1))
    delivery.remind()
    assert not Notification.objects.exists()
    Share.objects.filter(pk=share.pk).update(made_at=now - timedelta(days=6), ends_at=now + timedelta(hours=20))
    assert told.by("link expires", owner) == ("Share link to a.txt expires soon", f"/links/{share.pk}/")
    assert short.ends_at < now + timedelta(days=1), "a link made for an hour needs no warning"


def test_a_share_link_at_its_limit(share_desk: ShareDesk, owner: Person, hidden: None, told: Told) -> None:
    share_desk.put("a.txt")
    share, path = share_desk.share("a.txt", limit=1, landing=False)
    assert share_desk.visitor.get(path).status_code in (200, 302)
    assert told.by("link limit", owner) == ("Share link to a.txt has reached its limit", f"/links/{share.pk}/")


def test_the_first_opening_of_a_share_link_is_told_to_its_owner_alone(share_desk: ShareDesk, owner: Person, told: Told) -> None:
    share_desk.put("a.txt")
    share, path = share_desk.share("a.txt", tells_first=True)
    _, other = share_desk.share("a.txt")
    share_desk.visitor.get(path, headers={"User-Agent": "WhatsApp/2.23.20.0"})
    share_desk.visitor.get(other)
    delivery.remind()
    assert not Notification.objects.exists(), "a preview is no opening, and the other link tells nothing"
    for _ in range(2):
        share_desk.visitor.get(path)
        delivery.remind()
    while delivery.deliver_next():
        pass
    rows = Notification.objects.filter(kind="link opened").values_list("person", "title", "address")
    assert list(rows) == [(owner.pk, "Share link to a.txt was opened for the first time", f"/links/{share.pk}/")]
    assert [mail["To"] for mail in told.mails.mails] == [owner.email]
    assert not told.posts.posts


def test_a_share_link_whose_file_is_missing(share_desk: ShareDesk, owner: Person, told: Told) -> None:
    share_desk.put("a.txt")
    share, path = share_desk.share("a.txt")
    share_desk.storage.objects.delete(share_desk.bucket, "a.txt")
    for _ in range(2):
        assert share_desk.visitor.get(path).status_code == 404
    assert told.by("link file missing", owner) == ("Share link to a.txt leads to a missing file", f"/links/{share.pk}/")


def test_requested_files_that_have_arrived(requests_desk: RequestDesk, owner: Person, told: Told) -> None:
    asked, path = requests_desk.ask()
    sender = requests_desk.sender(path)
    for name in ("a.png", "b.png"):
        assert send(sender, path, name).status_code == 200
    assert told.by("files arrived", owner) == ("2 files arrived for “Photos of the fair”", f"/links/requests/{asked.pk}/")


def test_more_files_for_a_request_are_told_once_no_other_comes(requests_desk: RequestDesk, owner: Person, told: Told) -> None:
    _, path = requests_desk.ask()
    sender = requests_desk.sender(path)
    assert send(sender, path, "a.png").status_code == 200
    assert told.by("files arrived", owner)[0] == "1 file arrived for “Photos of the fair”"
    for name in ("b.png", "c.png"):
        assert send(sender, path, name).status_code == 200
    titles = Notification.objects.filter(kind="files arrived", person=owner).order_by("pk").values_list("title", flat=True)
    delivery.remind()
    assert len(titles.all()) == 1, "more may come at once"
    ReceivedFile.objects.update(made_at=timezone.now() - timedelta(minutes=2))
    for _ in range(2):
        delivery.remind()
    assert list(titles.all()) == ["1 file arrived for “Photos of the fair”", "3 files arrived for “Photos of the fair”"]
    first = ReceivedFile.objects.first()
    assert first
    ReceivedFile.objects.filter(pk=first.pk).update(state=ReceivedFile.State.ACCEPTED)
    delivery.remind()
    assert len(titles.all()) == 2, "an accepted file is no news"


def test_a_token_that_was_refused(as_keeper: PageClient, owner: Person, ref: str, faults: Faults, told: Told) -> None:
    faults("S2", status=401)
    for _ in range(2):
        as_keeper.get(f"/storage/{ref}/")
    assert told.by("token refused", owner) == ("Your storage token for route-planner-2022 was refused", "/account/")


def test_a_token_about_to_expire(as_keeper: PageClient, owner: Person, ref: str, told: Told) -> None:
    token = StoredToken.objects.get(space=ref)
    end = timezone.now() + timedelta(days=6)
    StoredToken.objects.filter(pk=token.pk).update(reach={**token.reach, "ends": end.isoformat()})
    subject, address = told.by("token expires", owner)
    assert (subject, address) == ("Your storage token for route-planner-2022 expires within a week", "/account/")
    StoredToken.objects.filter(pk=token.pk).update(reach={**token.reach, "ends": (end + timedelta(days=9)).isoformat()})
    delivery.remind()
    assert Notification.objects.filter(person=owner).count() == 1


def test_a_function_that_somebody_else_deployed_or_deleted(
    as_keeper: PageClient, ada: Person, functions_desk: FunctionDesk, told: Told
) -> None:
    owner = Person.objects.get(email="olga@example.org")
    slug = functions_desk.put()
    functions_desk.send(as_keeper, functions_desk.review(as_keeper, slug))
    hold(ada, StoredToken.objects.get(person=owner, space="").open())
    as_ada = client_of(ada)
    function_tasks.remind()
    (first,) = Notification.objects.all()
    assert (first.person, first.title) == (None, f"The function “{slug}” was deployed by Olga Owner"), "nobody else changed it"
    functions_desk.send(as_ada, functions_desk.review(as_ada, slug, "Deno.serve(() => new Response('three'));\n"))
    title = f"The function “{slug}” was deployed by Ada Member"
    assert told.by("function changed", owner) == (title, f"/projects/{REF}/functions/{slug}/")
    as_ada.post(functions_desk.address("delete", slug), {"typed": slug})
    assert Entry.objects.filter(operation="M13").exists()
    delivery.remind()
    last = Notification.objects.filter(person=owner).first()
    assert last
    assert last.title == f"The function “{slug}” was deleted by Ada Member"
    assert inbox.unread_count(ada.pk) == 0


def test_functions_created_and_deleted_through_a_token_are_told_to_its_owner_in_order(
    as_keeper: PageClient, ada: Person, functions_desk: FunctionDesk
) -> None:
    owner = Person.objects.get(email="olga@example.org")
    terms = Terms(acts=("read", "change", "functions"), sections=("functions",))
    grants.give(owner, REF, {"management": terms}, people=[ada])
    as_ada, slugs = client_of(ada), ("zeta", "alpha")
    for slug in slugs:
        drafted = as_ada.post(functions_desk.address("new"), {"slug": slug, "text": SOURCE})
        functions_desk.send(as_ada, drafted["Location"])
    for slug in slugs:
        as_ada.post(functions_desk.address("delete", slug), {"typed": slug})
    delivery.remind()
    rows = Notification.objects.filter(kind="function changed").order_by("pk")
    assert list(rows.values_list("person__name", "title")) == [
        ("Olga Owner", f"The function “{slug}” was {verb} by Ada Member through your token")
        for verb in ("created", "deleted")
        for slug in slugs
    ]
    assert set(rows.values_list("place", flat=True)) == {REF}


def test_access_that_was_given_changed_and_revoked(
    owner: Person, ada: Person, storage_token: StoredToken, ref: str, told: Told
) -> None:
    terms = Terms(acts=("read",), folders=("handbook/",))
    (grant,) = grants.give(owner, ref, {"storage": terms}, people=[ada])
    delivery.remind()
    while delivery.deliver_next():
        pass
    assert {(mail["To"], mail["Subject"].strip()) for mail in told.mails.mails} == {
        (ada.email, "route-planner-2022: Olga Owner gave you access: View · handbook/"),
        (owner.email, "route-planner-2022: You gave access: Ada Member, View · handbook/"),
    }
    assert not told.posts.posts, "channels learn nothing of it"
    grants.change(owner, {"storage": grant}, {"storage": Terms(acts=("read", "upload"), folders=("handbook/",))})
    delivery.remind()
    grants.change(
        owner, {"storage": grant}, {"storage": Terms(acts=("read", "upload"), folders=("handbook/",), note="until summer")}
    )
    grants.revoke(owner, grant)
    delivery.remind()
    titles = [row.title for row in Notification.objects.filter(person=ada).order_by("pk")]
    assert titles == [
        "Olga Owner gave you access: View · handbook/",
        "Olga Owner changed your access: View, upload · handbook/",
        "Your access through Olga Owner's token was revoked",
    ]
