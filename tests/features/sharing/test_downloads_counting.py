"""A download counts once: not for a look at its head, its pieces or a preview, and never more often than allowed."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from dashboard.links import access, lifecycle
from dashboard.links.models import Device, Share, Ticket
from dashboard.links.openings import Visit
from dashboard.web.limits.transfers import bulkhead
from tests.features.service import Faults
from tests.features.sharing.conftest import Desk

PREVIEWS = (
    "WhatsApp/2.23.20.0",
    "facebookexternalhit/1.1",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "TelegramBot (like TwitterBot)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "Mozilla/5.0 (Windows NT 10.0) SkypeUriPreview Preview/0.5",
    "LinkedInBot/1.0",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
)


VISIT = Visit(downloaded=True, device=Device.COMPUTER)
PEOPLE = (
    "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 KAKAOTALK 10.5.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 [Pinterest/iOS]",
    "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/120.0 YaApp_Android/24 YandexSearch/24 Mobile",
)


def opened(share: Share) -> int:
    return Share.objects.get(pk=share.pk).opened


@pytest.mark.parametrize("agent", PREVIEWS)
@pytest.mark.parametrize("limit", [None, 1])
def test_a_messengers_preview_is_shown_the_page_and_counts_nothing(desk: Desk, agent: str, limit: int | None) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", landing=False, limit=limit)
    assert desk.visitor.get(path, headers={"User-Agent": agent}).status_code == 200
    assert desk.visitor.get(f"{path}/file", headers={"User-Agent": agent})["Location"] == path
    assert opened(share) == 0


@pytest.mark.parametrize("agent", PEOPLE)
def test_the_browser_inside_a_messenger_is_a_person(desk: Desk, agent: str) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    assert "/object/sign/" in desk.visitor.get(f"{path}/file", headers={"User-Agent": agent})["Location"]
    assert opened(share) == 1


def test_a_click_is_believed_whatever_the_browser_is_called(desk: Desk) -> None:
    desk.put("a.txt")
    _, path = desk.share("a.txt")
    answer = desk.visitor.get(f"{path}/file", headers={"User-Agent": "Viber/21", "Sec-Fetch-User": "?1"})
    assert "/object/sign/" in answer["Location"]


def test_a_browser_that_fetches_ahead_counts_nothing(desk: Desk) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", landing=False)
    assert desk.visitor.get(path, headers={"Sec-Purpose": "prefetch;prerender"}).status_code == 200
    assert opened(share) == 0


@pytest.mark.parametrize("limit", [None, 1])
def test_a_look_at_the_head_tells_of_the_file_and_counts_nothing(desk: Desk, limit: int | None) -> None:
    desk.put("dir/Übung.txt".replace("Ü", "U"), body=b"0123456789")
    share, path = desk.share("dir/Ubung.txt", landing=False, limit=limit)
    for address in (path, f"{path}/file"):
        head = desk.visitor.head(address)
        assert (head.status_code, head["Content-Length"], head.content) == (200, "10", b"")
        assert head["Accept-Ranges"] == "bytes"
        assert 'filename="Ubung.txt"' in head["Content-Disposition"]
    assert opened(share) == 0


def test_pieces_but_the_first_count_nothing(desk: Desk, hidden: None) -> None:
    desk.put("a.txt", body=b"0123456789")
    share, path = desk.share("a.txt")
    part = desk.visitor.get(f"{path}/file", headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.getvalue(), part["Content-Range"]) == (206, b"0123", "bytes 0-3/10")
    rest = desk.visitor.get(f"{path}/file", headers={"Range": "bytes=4-"})
    assert (rest.status_code, rest.getvalue()) == (206, b"456789")
    assert opened(share) == 1


def test_a_limited_download_is_streamed_and_its_ticket_gives_the_pieces(desk: Desk) -> None:
    desk.put("a.txt", body=b"0123456789")
    share, path = desk.share("a.txt", limit=1)
    ticket = desk.visitor.get(f"{path}/file")["Location"]
    assert ticket.startswith(f"{path}/file/")
    whole = desk.visitor.get(ticket)
    assert (whole.status_code, whole.getvalue()) == (200, b"0123456789")
    assert whole["Content-Disposition"] == 'attachment; filename="a.txt"'
    assert whole["Content-Type"] == "application/octet-stream"
    assert "sandbox" in whole["Content-Security-Policy"]
    assert desk.visitor.head(ticket)["Content-Length"] == "10"
    piece = desk.visitor.get(ticket, headers={"Range": "bytes=8-"})
    assert (piece.status_code, piece.getvalue()) == (206, b"89")
    assert opened(share) == 1
    assert desk.visitor.get(f"{path}/file").status_code == 410


def test_a_ticket_is_for_whoever_took_it_and_for_an_hour(desk: Desk, later: Callable[[timedelta], None]) -> None:
    desk.put("a.txt")
    _, path = desk.share("a.txt", limit=1)
    ticket = desk.visitor.get(f"{path}/file")["Location"]
    assert Client(REMOTE_ADDR="203.0.113.9").get(ticket).status_code == 410
    assert desk.visitor.get(ticket).getvalue() == b"x"
    _, other = desk.share("a.txt", limit=1)
    assert desk.visitor.get(f"{other}/file/{ticket.rpartition('/')[2]}").status_code == 410
    later(timedelta(minutes=61))
    assert desk.visitor.get(ticket).status_code == 410


def test_a_ticket_ends_with_its_link(desk: Desk) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", limit=2)
    ticket = desk.visitor.get(f"{path}/file")["Location"]
    lifecycle.revoke(desk.person, Share.objects.filter(pk=share.pk))
    assert desk.visitor.get(ticket).status_code == 410


def test_a_download_that_came_to_nothing_is_given_back(desk: Desk, faults: Faults) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", limit=1)
    ticket = desk.visitor.get(f"{path}/file")["Location"]
    faults("S18", status=500)
    assert desk.visitor.get(ticket).status_code == 503
    assert opened(share) == 0
    assert not Ticket.objects.filter(share=share).exists()


def test_a_download_that_began_is_never_given_back(desk: Desk, faults: Faults) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", limit=1)
    ticket = desk.visitor.get(f"{path}/file")["Location"]
    assert desk.visitor.get(ticket).getvalue() == b"x"
    faults("S18", status=500)
    assert desk.visitor.get(ticket).status_code == 503
    assert opened(share) == 1
    assert desk.visitor.get(f"{path}/file").status_code == 410


@pytest.mark.django_db(transaction=True)
def test_of_fifty_at_once_exactly_one_gets_the_last_download(desk: Desk) -> None:
    desk.put("a.txt", body=b"once")
    share, path = desk.share("a.txt", limit=1)

    def click(_: int) -> str:
        try:
            return str(Client().get(f"{path}/file").get("Location", ""))
        finally:
            connection.close()

    with ThreadPoolExecutor(50) as crowd:
        got = [address for address in crowd.map(click, range(50)) if address]
    assert len(got) == 1
    assert opened(share) == 1
    assert desk.visitor.get(got[0]).getvalue() == b"once"


class TestThroughUs:
    @pytest.fixture(autouse=True)
    def unreachable(self, hidden: None) -> None:
        """Browsers reach no storage."""

    def test_no_address_of_the_storage_is_told(self, desk: Desk) -> None:
        desk.put("a.txt", body=b"through us")
        _, path = desk.share("a.txt")
        answer = desk.visitor.get(f"{path}/file")
        assert (answer.status_code, answer.getvalue()) == (200, b"through us")
        assert "Location" not in answer

    def test_what_was_uploaded_never_renders_here(self, desk: Desk) -> None:
        desk.put("a.html", body=b"<script>1</script>", content_type="text/html")
        _, path = desk.share("a.html", landing=False)
        answer = desk.visitor.get(path)
        assert answer["Content-Type"] == "application/octet-stream"
        assert answer["Content-Disposition"].startswith("attachment")
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer.getvalue() == b"<script>1</script>"

    def test_conditions_are_honoured(self, desk: Desk) -> None:
        desk.put("a.txt", body=b"0123456789")
        _, path = desk.share("a.txt")
        first = desk.visitor.get(f"{path}/file")
        tag = first["ETag"]
        assert first.getvalue() == b"0123456789"
        assert desk.visitor.get(f"{path}/file", headers={"If-None-Match": tag}).status_code == 304
        same = desk.visitor.get(f"{path}/file", headers={"Range": "bytes=2-4", "If-Range": tag})
        assert (same.status_code, same.getvalue()) == (206, b"234")
        desk.storage.objects.replace(desk.bucket, "a.txt", b"changed meanwhile", content_type="text/plain")
        other = desk.visitor.get(f"{path}/file", headers={"Range": "bytes=2-4", "If-Range": tag})
        assert (other.status_code, other.getvalue()) == (200, b"changed meanwhile")
        outside = desk.visitor.get(f"{path}/file", headers={"Range": "bytes=99-"})
        assert (outside.status_code, outside["Content-Range"]) == (416, "bytes */17")

    def test_downloads_keep_to_the_slots_for_transfers(self, desk: Desk, settings: Settings) -> None:
        settings.WEB_THREADS = 2
        desk.put("a.txt")
        share, path = desk.share("a.txt")
        with bulkhead():
            answer = desk.visitor.get(f"{path}/file")
            assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert opened(share) == 0
        for _ in range(3):
            assert desk.visitor.get(f"{path}/file").getvalue() == b"x"

    def test_bytes_under_way_break_off_when_the_link_is_ended(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("dashboard.features.sharing.views.downloads.RECHECK_SECONDS", 0.0)
        desk.put("big.bin", body=bytes(6 << 20))
        share, path = desk.share("big.bin")
        answer: Any = desk.visitor.get(f"{path}/file")
        blocks = iter(answer.streaming_content)
        assert next(blocks)
        lifecycle.revoke(desk.person, Share.objects.filter(pk=share.pk))
        with pytest.raises(ConnectionAbortedError):
            list(blocks)


def test_no_more_are_taken_than_the_limit_allows(desk: Desk) -> None:
    share, _ = desk.share("a.txt", limit=2)
    assert [access.take(share, VISIT) for _ in range(3)] == [True, True, False]
    assert opened(share) == 2


def test_taking_is_refused_once_the_link_has_ended(desk: Desk) -> None:
    share, _ = desk.share("a.txt", limit=5)
    lifecycle.revoke(desk.person, Share.objects.filter(pk=share.pk))
    assert not access.take(share, VISIT)
    assert opened(share) == 0
