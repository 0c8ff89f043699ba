"""The openings of a link: each is listed once for its owner, with how and what with, and nothing about who it was."""

import re
from collections.abc import Callable
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.forms import model_to_dict
from django.urls import reverse
from django.utils import timezone

from dashboard.jobs import retention
from dashboard.links import access
from dashboard.links.models import Device, Opening, Share, Ticket
from dashboard.links.openings import Visit, daily, listed
from dashboard.team.models import Person
from tests.features.sharing.conftest import Desk
from tests.people import client_of

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"
DESKTOP = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
DEVICES = {
    PHONE: "phone",
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36": "phone",
    "Mozilla/5.0 (Linux; Android 13; SM-X700) AppleWebKit/537.36 Chrome/120.0 Safari/537.36": "tablet",
    "Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1": "tablet",
    DESKTOP: "computer",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36": "computer",
    "curl/8.5.0": "other",
    "Wget/1.21.4 (linux-gnu)": "other",
    "": "other",
}


def openings(share: Share) -> list[tuple[bool, str]]:
    """Whether each downloaded, and its device, the latest first."""
    return [(opening.downloaded, opening.device) for opening in listed(share)]


def test_a_view_and_a_download_are_listed_with_their_devices(desk: Desk) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    desk.visitor.get(path, headers={"User-Agent": PHONE})
    desk.visitor.get(f"{path}/file", headers={"User-Agent": DESKTOP})
    assert openings(share) == [(True, "computer"), (False, "phone")]
    assert Share.objects.get(pk=share.pk).opened == 2


def test_a_zip_and_bytes_through_us_are_downloads(desk: Desk, hidden: None) -> None:
    desk.put("a.txt", "f/b.txt")
    one, path = desk.share("a.txt")
    several, packed = desk.share("a.txt", folders=("f/",))
    b"".join(desk.visitor.get(f"{path}/file"))
    b"".join(desk.visitor.get(f"{packed}/all"))
    assert openings(one) == openings(several) == [(True, "other")]


def test_what_does_not_count_is_not_listed(desk: Desk) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    locked, closed = desk.share("a.txt", password="four random words")
    desk.visitor.head(path)
    desk.visitor.head(f"{path}/file")
    desk.visitor.get(f"{path}/file", headers={"Range": "bytes=5-"})
    desk.visitor.get(path, headers={"User-Agent": "Slackbot-LinkExpanding 1.0"})
    desk.visitor.get(closed)
    assert not openings(share)
    assert not openings(locked)
    desk.visitor.post(closed, {"password": "four random words"})
    desk.visitor.get(closed)
    assert len(openings(locked)) == 1


def test_an_opening_of_a_limited_link_is_listed_once_its_content_was_sent(desk: Desk, hidden: None) -> None:
    desk.put("a.txt", "b.txt")
    share, path = desk.share("a.txt", "b.txt", limit=2)
    ticketed = desk.visitor.get(f"{path}/file?n=0")["Location"]
    assert not openings(share), "nothing was sent yet"
    for _ in range(2):
        b"".join(desk.visitor.get(ticketed))
    assert openings(share) == [(True, "other")]
    viewed = desk.visitor.get(f"{path}/view?n=1")["Location"]
    assert desk.visitor.get(viewed).status_code == 200
    assert openings(share) == [(False, "other"), (True, "other")]


def test_a_counted_opening_that_begins_twice_is_listed_once(desk: Desk) -> None:
    share, _ = desk.share("a.txt", limit=2)
    assert access.take_ticket(share, desk.bucket, "a.txt", "192.0.2.7")
    seen_by_two = [Ticket.objects.get(share=share) for _ in range(2)]
    for ticket in seen_by_two:
        access.begun(ticket, Visit(downloaded=True, device=Device.PHONE))
    assert openings(share) == [(True, "phone")]


@pytest.mark.parametrize("agent", DEVICES)
def test_the_kind_of_device_is_all_that_is_kept_of_a_visitor(desk: Desk, agent: str) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    desk.visitor.get(path, headers={"User-Agent": agent, "Sec-Fetch-User": "?1"})
    kept = model_to_dict(Opening.objects.get(share=share))
    assert set(kept) == {"id", "share", "at", "downloaded", "device"}
    assert kept["device"] == DEVICES[agent]


def test_only_the_links_owner_sees_the_openings(desk: Desk, ada: Person) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    desk.visitor.get(path, headers={"User-Agent": PHONE})
    where = reverse("sharing:openings", args=(share.pk,))
    page = desk.client.get(where).text
    assert "Viewed" in page
    assert ">Phone<" in page
    for address in (reverse("sharing:ledger"), reverse("sharing:edit", args=(share.pk,))):
        assert where in desk.client.get(address).text
    assert client_of(ada).get(where).status_code == 404
    Share.objects.filter(pk=share.pk).update(owner=ada)
    assert desk.client.get(where).status_code == 404, "an owner of the team sees the link, not its openings"
    for address in (reverse("sharing:ledger"), reverse("sharing:edit", args=(share.pk,))):
        assert where not in desk.client.get(address).text


def test_openings_are_listed_by_the_readers_day(desk: Desk) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    for _ in range(3):
        desk.visitor.get(path)
    zone = ZoneInfo("Pacific/Kiritimati")
    today = timezone.now().astimezone(zone).replace(hour=0, minute=0)
    yesterday = (today - timedelta(days=1)).replace(hour=14, minute=2)
    times = (yesterday - timedelta(minutes=1), yesterday, today)
    for opening, at in zip(Opening.objects.filter(share=share).order_by("pk"), times, strict=True):
        Opening.objects.filter(pk=opening.pk).update(at=at)
    desk.client.cookies["pilothouse_zone"] = zone.key
    text = desk.client.get(reverse("sharing:openings", args=(share.pk,))).text
    shown = re.findall(r"(?:Today|Yesterday)(?=</h2>)|\d\d:\d\d(?=</time>)", text)
    assert shown == ["Today", "00:00", "Yesterday", "14:02", "14:01"]


def test_the_list_of_links_draws_the_readers_last_14_days(desk: Desk, ada: Person) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    assert "openings__bars" not in desk.client.get(reverse("sharing:ledger")).text
    for _ in range(4):
        desk.visitor.get(path)
    zone = ZoneInfo("Pacific/Kiritimati")
    noon = timezone.now().astimezone(zone).replace(hour=12)
    old, early, *_ = Opening.objects.filter(share=share).order_by("pk").values_list("pk", flat=True)
    Opening.objects.filter(pk=old).update(at=noon - timedelta(days=14))
    Opening.objects.filter(pk=early).update(at=noon - timedelta(days=13))
    assert daily([share.pk], zone) == {share.pk: [1, *[0] * 12, 2]}
    desk.client.cookies["pilothouse_zone"] = zone.key
    text = desk.client.get(reverse("sharing:ledger")).text
    assert '<path d="M0 20v-10h4v10zM6 20v-1h4v1z' in text
    assert 'd="M78 20v-20h4v20z"' in text
    Share.objects.filter(pk=share.pk).update(owner=ada)
    assert "openings__bars" not in desk.client.get(reverse("sharing:ledger")).text, "openings are for the link's owner"


def test_openings_are_kept_for_90_days(desk: Desk, later: Callable[[timedelta], None]) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", ends_at=timezone.now() + timedelta(days=365))
    desk.visitor.get(path)
    later(timedelta(days=89))
    desk.visitor.get(path)
    retention.tidy()
    assert len(openings(share)) == 2
    later(timedelta(days=2))
    assert len(openings(share)) == 1, "also before a worker deletes it"
    retention.tidy()
    assert Opening.objects.count() == 1
    assert Share.objects.get(pk=share.pk).opened == 2
