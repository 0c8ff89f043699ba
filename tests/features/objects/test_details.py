"""One object beside its list."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape

from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.interfaces import StorageInterface, Token
from dashboard.links.lifecycle import Terms, make
from dashboard.team.models import Person
from tests.features.objects.conftest import Desk
from tests.features.service import Faults
from tests.interfaces.servers import answer, serving
from tests.pages import htmx

PANEL = {"HX-Request": "true", "HX-Target": "objects-details"}


def test_the_panel_shows_everything_that_is_known(desk: Desk) -> None:
    desk.storage.objects.upload(desk.bucket, "a/b c.txt", b"hello", content_type="text/plain", cache_control="max-age=60")
    answer = desk.client.get(desk.address(), {"path": "a/", "open": "a/b c.txt"}).text
    for text in (
        "a/b c.txt",
        "5 bytes",
        "text/plain",
        "max-age=60",
        "5d41402abc4b2a76b9719d911017c592",
        "httpStatusCode",
    ):
        assert text in answer


def test_htmx_gets_the_panel_alone_from_the_same_address(desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.put("a.txt")
    before = len(calls())
    answer = desk.client.get(desk.address(), {"open": "a.txt"}, headers=PANEL)
    assert answer.text.lstrip().startswith("<aside")
    assert len(calls()) - before == 3


def test_closing_leaves_an_empty_panel_and_asks_nothing(desk: Desk, calls: Callable[[], list[str]]) -> None:
    before = len(calls())
    answer = desk.client.get(desk.address(), headers=PANEL)
    assert "data-panel" not in answer.text
    assert len(calls()) == before


def test_the_details_have_a_page_of_their_own(desk: Desk) -> None:
    desk.put("dir/a?b&c.txt")
    answer = desk.client.get(desk.address("details"), {"key": "dir/a?b&c.txt"})
    assert answer.status_code == 200
    assert "<h1" in answer.text
    assert "1 byte<" in answer.text
    assert "1 bytes" not in answer.text
    assert "Last accessed" not in answer.text


def test_an_object_that_is_gone_is_said_to_be_gone(desk: Desk) -> None:
    desk.put("here.txt")
    assert "Object not found" in desk.client.get(desk.address(), {"open": "gone.txt"}).text
    assert desk.client.get(desk.address("details"), {"key": "gone.txt"}).status_code == 404


def test_a_list_is_shown_though_the_open_object_can_not_be_read(desk: Desk, faults: Faults) -> None:
    desk.put("a.txt", "b.txt")
    faults("S19", status=500, message="The drawer is stuck")
    page = desk.client.get(desk.address(), {"open": "a.txt"})
    assert page.status_code == 200
    assert "b.txt" in page.text
    panel = page.text.partition('id="objects-details"')[2]
    assert "The drawer is stuck" in panel
    assert "?open=a.txt" in panel.partition("Try again")[0].rpartition("<a")[2]


def test_only_a_public_bucket_has_public_addresses(desk: Desk) -> None:
    desk.put("a b.txt")
    assert "/object/public/" not in desk.client.get(desk.address(), {"open": "a b.txt"}).text
    desk.storage.buckets.update(desk.bucket, public=True)
    assert "a%20b.txt" in desk.client.get(desk.address(), {"open": "a b.txt"}).text


def test_own_metadata_and_hostile_names_are_only_text(desk: Desk) -> None:
    desk.put("<script>.txt".replace("<", "(").replace(">", ")"))
    answer = desk.client.get(desk.address(), {"open": "(script).txt"}).text
    assert "(script).txt" in answer


def test_everything_s19_and_the_list_say_is_there(desk: Desk) -> None:
    desk.put("dir/a.txt", body=b"hello")
    info = desk.storage.objects.info(desk.bucket, "dir/a.txt")
    answer = desk.client.get(desk.address("details"), {"key": "dir/a.txt"}).text
    for said in (info.id, info.version, (info.etag or "").strip('"'), info.content_type, desk.bucket):
        assert said
        assert said in answer


def test_members_that_nobody_knows_yet_are_shown_too(desk: Desk, settings: Settings) -> None:
    told = b'{"name":"a.txt","size":3,"metadata":{"colour":"sea green","n":[1,2]},"archive_tier":"cold","bucket_id":"b"}'
    with serving(answer(told)) as server:
        settings.STORAGE_URL = f"{server.address}/{{ref}}/storage/v1"
        storage = StorageInterface(f"{server.address}/{desk.space}/storage/v1", Token("x.y.z"))
        info = storage.objects.info("b", "a.txt")
    assert info.others == {"archive_tier": "cold"}
    assert info.metadata == {"colour": "sea green", "n": [1, 2]}
    assert info.bucket_id == "b"


def test_the_panel_says_the_same_wherever_its_list_is(desk: Desk) -> None:
    desk.put("a.txt", *(f"b/{number}.txt" for number in range(3)))
    beside = desk.client.get(desk.address(), {"open": "a.txt"}).text
    elsewhere = desk.client.get(desk.address(), {"path": "b/", "open": "a.txt"}).text
    assert "httpStatusCode" in beside
    assert "httpStatusCode" not in elsewhere
    # The panel loads what the list doesn't have, from the same address.
    rest = re.search(r'id="objects-details"[^>]*hx-get="([^"]+)"\s+hx-trigger="load"', elsewhere)
    assert rest
    assert "httpStatusCode" in desk.client.get(unescape(rest[1]), headers=PANEL).text
    assert "hx-trigger" not in beside.partition('id="objects-details"')[2].partition(">")[0]


def test_no_way_to_the_panel_asks_for_more_than_it_shows(desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.put("a.txt", "b/c.txt")
    for query, headers in (
        ({"open": "a.txt"}, {}),
        ({"path": "b/", "open": "a.txt"}, {}),
        ({"path": "b/", "open": "a.txt"}, PANEL),
    ):
        before = len(calls())
        desk.client.get(desk.address(), query, headers=headers)
        # A list with folders asks once more, for those that differ only in letter case.
        most = 3 if "path" in query else 4
        assert len([call for call in calls()[before:] if "/storage/" in call]) == most


def test_everything_that_can_be_done_starts_from_here(desk: Desk) -> None:
    desk.put("a b.txt")
    answer = desk.client.get(desk.address("details"), {"key": "a b.txt"}).text
    for verb in ("~bulk/rename/", "~bulk/move/", "~bulk/copy/", "~share/", "~download/", "~details/public/"):
        assert f"{verb}?key=a%20b.txt" in answer


def test_one_button_is_primary_and_view_and_download_are_icons_with_names(desk: Desk) -> None:
    desk.put("a.txt")
    panel = desk.client.get(desk.address(), {"open": "a.txt"}).text.partition('id="objects-details"')[2]
    assert re.findall(r'class="button button--primary"[^>]*>.*?</svg>([^<]*)<', panel, re.DOTALL)[0] == "Share"
    assert panel.count("button--primary") == 1
    assert re.findall(r'button--square" href="[^"]*" aria-label="(\w+)" title="(\w+)"', panel) == [
        ("View", "View"),
        ("Download", "Download"),
    ]
    assert panel.index("details__first") < panel.index("data-panel-title") < panel.index("Share")
    assert "<code><bdi>a.txt" in panel.partition('class="fold"')[2]


def test_the_viewer_shares_its_file(desk: Desk) -> None:
    desk.put("a.txt")
    assert "/~share/?key=a.txt" in desk.client.get(desk.address("preview"), {"key": "a.txt"}).text


def test_live_links_to_it_are_listed(desk: Desk, owner: Person) -> None:
    desk.put("dir/a.txt")
    terms = Terms(ends_at=timezone.now() + timedelta(days=1), note="For the printers")
    make(owner, desk.space, desk.bucket, folders=["dir/"], terms=terms)
    assert "For the printers" in desk.client.get(desk.address("details"), {"key": "dir/a.txt"}).text


def test_what_is_not_drawn_has_the_icon_of_its_row(desk: Desk) -> None:
    desk.put("empty.txt", body=b"")
    desk.put("no-ending", body=b"\0", content_type="application/octet-stream")
    first = desk.client.get(desk.address("preview"), {"key": "empty.txt"}, headers=htmx("objects-preview")).text
    assert 'class="kind" data-kind="text" data-ending="TXT"' in first
    assert 'class="kind" data-kind=""></span>' in desk.client.get(desk.address(), {"open": "no-ending"}, headers=PANEL).text
