"""Presigned links to give away."""

import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from urllib.parse import quote

import pytest
import requests
from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.features.objects.services.links import CreatedLink
from dashboard.journal.models import Entry
from tests.features.hostname.desk import TRACKING
from tests.features.objects.conftest import Desk
from tests.pages import kept


def addresses(html: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'<code class="links__address">([^<]+)</code>', html)]


def ask(desk: Desk, *keys: str, **fields: str) -> str:
    answer = desk.client.post(kept(desk.client, desk.address("links"), key=keys), {"life": "3600", "opens": "view", **fields})
    assert answer.status_code == 200, answer.text
    return str(answer.text)


def said_end() -> datetime:
    after = Entry.objects.latest("pk").after
    assert after
    return datetime.fromisoformat(after["ends_at"])


def test_a_link_is_absolute_and_opens_without_a_sign_in(desk: Desk) -> None:
    desk.put("dir/a b?.txt", body=b"shared")
    asked = desk.client.get(desk.address("links"), {"key": "dir/a b?.txt"})
    assert "1 hour" in asked.text
    assert "can&#x27;t be revoked" in asked.text
    (address,) = addresses(ask(desk, "dir/a b?.txt"))
    assert requests.get(address, timeout=10).content == b"shared"


def test_a_selection_gets_a_link_each_and_refusals_are_named(desk: Desk) -> None:
    desk.put("a.txt", "b.txt")
    chosen = desk.client.post(desk.address("links"), {"key": ["a.txt", "b.txt", "gone.txt"]}, follow=True)
    assert "3 objects" in chosen.text
    done = ask(desk, "a.txt", "b.txt", "gone.txt")
    assert len(addresses(done)) == 2
    assert "gone.txt" in done
    assert "does not exist" in done
    assert "Copy all links" in done


@pytest.mark.parametrize(("life", "seconds"), [("3600", 3600), ("86400", 86400), ("604800", 604800), ("2592000", 2592000)])
def test_the_end_is_the_chosen_one(desk: Desk, life: str, seconds: int) -> None:
    desk.put("a.txt")
    ask(desk, "a.txt", life=life)
    end = said_end()
    assert abs((end - datetime.now(UTC)).total_seconds() - seconds) < 30


def test_an_exact_end_is_meant_in_the_persons_zone(desk: Desk) -> None:
    desk.put("a.txt")
    end = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(days=3)
    local = (end + timedelta(hours=9)).strftime("%Y-%m-%dT%H:%M")
    ask(desk, "a.txt", life="exact", end=local, zone="Asia/Tokyo")
    assert abs((said_end() - end).total_seconds()) < 5


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"life": "exact"}, "Enter when it expires"),
        ({"life": "exact", "end": "2001-01-01T00:00"}, "in the past"),
        ({"life": "5"}, "Select a valid choice"),
    ],
)
def test_bad_input_is_a_sentence_at_the_form(desk: Desk, fields: dict[str, str], words: str) -> None:
    answer = desk.client.post(f"{desk.address('links')}?key=a.txt", fields)
    assert answer.status_code == 422
    assert words in answer.text


def test_where_browsers_reach_no_storage_it_says_why_there_are_no_links(desk: Desk, settings: Settings) -> None:
    settings.STORAGE_PUBLIC_URL = "none"
    assert "Signed links are unavailable" in desk.client.get(desk.address("links"), {"key": "a.txt"}).text


def test_nothing_chosen_is_said(desk: Desk) -> None:
    assert "Nothing selected" in desk.client.get(desk.address("links")).text


def test_a_link_given_away_is_in_the_journal_without_its_token(desk: Desk) -> None:
    desk.put("a.txt")
    (address,) = addresses(ask(desk, "a.txt"))
    entry = Entry.objects.latest("pk")
    assert entry.operation == "S15"
    assert address.partition("token=")[2] not in json.dumps([entry.after, entry.before, entry.target, entry.message])


def test_a_link_to_hand_out_is_not_printed_with_its_address() -> None:
    assert "token" not in repr(CreatedLink("a.txt", "https://storage.example/object/sign/b/a.txt?token=x", ""))


def test_a_link_shows_the_object_or_downloads_it_under_the_chosen_name(desk: Desk) -> None:
    desk.put("a.txt", body=b"shared")

    def disposition(**fields: str) -> str:
        (address,) = addresses(ask(desk, "a.txt", **fields))
        got = requests.get(address, timeout=10)
        assert got.content == b"shared"
        return got.headers.get("Content-Disposition", "")

    assert "attachment" not in disposition(opens="view", name="ignored.txt")
    assert "attachment" in disposition(opens="download")
    assert disposition(opens="download", name="offer 2.txt").endswith("UTF-8''offer%202.txt")
    for address in addresses(ask(desk, "a.txt", "a.txt", opens="download")):
        assert "attachment" in requests.get(address, timeout=10).headers["Content-Disposition"]


@pytest.mark.parametrize("name", ["a/b.txt", "a\\b.txt", "a\nb.txt"])
def test_a_name_that_no_file_can_have_is_refused(desk: Desk, name: str) -> None:
    fields = {"life": "3600", "opens": "download", "name": name}
    answer = desk.client.post(f"{desk.address('links')}?key=a.txt", fields)
    assert (answer.status_code, "no slashes" in answer.text) == (422, True)


class TestCustomHostname:
    @pytest.fixture
    def space(self) -> str:
        return TRACKING

    def test_an_active_custom_hostname_is_the_host_of_the_link(self, desk: Desk, settings: Settings) -> None:
        desk.put("a.txt")
        host = "track.nordlicht-logistik.example"
        settings.STORAGE_PUBLIC_URL = "https://{ref}.storage.example/storage/v1"
        form = f"{desk.address('links')}?key=a.txt"
        assert host not in desk.client.get(form).text, "nothing is known of it yet"
        assert desk.client.get(reverse("hostname:index", args=(desk.space,))).status_code == 200
        assert host in desk.client.get(form).text
        (custom,) = addresses(ask(desk, "a.txt", address="custom"))
        (own,) = addresses(ask(desk, "a.txt", address="own"))
        start = f"/storage/v1/object/sign/{quote(desk.bucket)}/a.txt?token="
        assert custom.startswith(f"https://{host}{start}")
        assert own.startswith(f"https://{desk.space}.storage.example{start}")
        settings.STORAGE_PUBLIC_URL = "https://storage.example/{ref}/storage/v1"
        assert host not in desk.client.get(form).text, "there, the host is not the project's own"
