"""The recipient sees what is shared: streamed through us, counted, revocable, with or without a download button."""

import re
from datetime import timedelta
from html import unescape
from io import BytesIO
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from PIL import Image

from dashboard.links import lifecycle
from dashboard.links.models import Share
from dashboard.viewer import content, thumbnails
from dashboard.viewer.pictures import Renderings
from tests.browser.steps import png
from tests.features.service import Calls
from tests.features.sharing.conftest import Desk
from tests.viewer.test_pictures import pdf

MEBIBYTE = 1 << 20


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of other tests are not reused."""
    monkeypatch.setattr(content, "renderings", Renderings())
    monkeypatch.setattr(thumbnails, "renderings", Renderings())


def sources(text: str) -> list[str]:
    """What the page loads besides style sheets."""
    return [unescape(found) for found in re.findall(r'<(?:img|audio|video)[^>]* src="([^"]+)"', text)]


def opened(share: Share) -> int:
    return Share.objects.get(pk=share.pk).opened


def revoke(desk: Desk, share: Share) -> None:
    lifecycle.revoke(desk.person, Share.objects.filter(pk=share.pk))


def test_a_picture_is_shown_by_bytes_of_ours_that_can_do_nothing_else(desk: Desk) -> None:
    desk.put("v7.png", body=png(), content_type="image/png")
    share, path = desk.share("v7.png", download_name="Poster")
    (address,) = sources(desk.visitor.get(path).text)
    answer = desk.visitor.get(address)
    assert (answer.getvalue(), answer["Content-Type"]) == (png(), "image/png")
    assert "sandbox" in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "Poster.png" in answer["Content-Disposition"]
    assert opened(share) == 1


@pytest.mark.parametrize(("size", "reads"), [(100, 1), (17 * 1024, 2)])
def test_a_small_text_that_is_opened_again_at_once_is_read_once(desk: Desk, calls: Calls, size: int, reads: int) -> None:
    desk.put("note.txt", body=b"x" * size)
    share, path = desk.share("note.txt")
    calls()
    texts = [desk.visitor.get(path).text for _ in range(2)]
    assert all("xxx" in text for text in texts)
    assert len([call for call in calls() if "GET" in call and "/object/authenticated/" in call]) == reads
    assert opened(share) == 2


def test_a_page_that_was_just_opened_is_drawn_anew_once_it_shows_something_else(desk: Desk) -> None:
    desk.put("note.txt", body=b"x")
    share, path = desk.share("note.txt")
    assert [desk.visitor.get(path).text for _ in range(2)] == [desk.visitor.get(path).text] * 2
    Share.objects.filter(pk=share.pk).update(note="Look at line 2")
    assert "Look at line 2" in desk.visitor.get(path).text
    Share.objects.filter(pk=share.pk).update(hides_download=True)
    assert "Download" not in desk.visitor.get(path).text


def steps(text: str) -> dict[str, str]:
    """Where the files before and after lead."""
    return {step: unescape(href) for href, step in re.findall(r'href="([^"]+)" rel="(prev|next) ', text)}


def test_a_file_of_several_leads_to_the_ones_before_and_after(desk: Desk, calls: Calls) -> None:
    desk.put("f/a.txt", "f/b.txt", "f/g/c.txt", "other.txt")
    share, path = desk.share(folders=("f/",))
    hrefs = re.findall(r'class="shared__name" href="([^"]+)"', desk.visitor.get(path).text)
    pages = [desk.visitor.get(unescape(href)).text for href in hrefs]
    assert [sorted(steps(page)) for page in pages] == [["next"], ["next", "prev"], ["prev"]]
    assert [re.findall(r"\d of \d", page) for page in pages] == [["1 of 3"], ["2 of 3"], ["3 of 3"]]
    assert [steps(pages[1])[step] for step in ("prev", "next")] == [unescape(hrefs[0]), unescape(hrefs[2])]
    assert "<script" not in pages[1]
    assert not steps(desk.visitor.get(desk.share("other.txt")[1]).text), "a single file has no neighbours"
    limited, counted = desk.share(folders=("f/",), limit=9)
    first = re.findall(r'class="shared__name" href="([^"]+)"', desk.visitor.get(counted).text)[0]
    assert not steps(desk.visitor.get(desk.visitor.get(unescape(first))["Location"]).text), "each step would count"
    assert opened(limited) == 1
    revoke(desk, share)
    assert desk.visitor.get(unescape(hrefs[1])).status_code == 410


def test_sound_and_video_are_read_in_ranges(desk: Desk) -> None:
    for key, tag in (("a.mp3", "audio"), ("a.mp4", "video")):
        desk.put(key, body=bytes(100), content_type="application/octet-stream")
        page = desk.visitor.get(desk.share(key)[1]).text
        assert f"<{tag} " in page
        part = desk.visitor.get(sources(page)[0], headers={"Range": "bytes=10-19"})
        assert (part.status_code, part["Content-Range"], len(part.getvalue())) == (206, "bytes 10-19/100", 10)


def test_a_pdf_is_shown_as_pages_text_tables_and_markdown_as_such(desk: Desk) -> None:
    desk.put("a.pdf", body=pdf(pages=3), content_type="application/pdf")
    pages = sources(desk.visitor.get(desk.share("a.pdf")[1]).text)
    assert len(pages) == 3
    picture = desk.visitor.get(pages[2])
    assert (picture.status_code, picture["Content-Type"]) == (200, "image/webp")
    shows = {
        "a.txt": (b"some words", "some words"),
        "a.csv": (b"name,size\nx,1\n", "<th scope="),
        "a.md": (b"# Hello", ">Hello</h"),
    }
    for key, (body, found) in shows.items():
        desk.put(key, body=body)
        share, path = desk.share(key)
        page = desk.visitor.get(path).text
        assert (found in page, "Whole file" in page) == (True, False), key
        assert opened(share) == 1


def test_a_file_made_to_attack_fetches_and_runs_nothing(desk: Desk) -> None:
    body = b"<script>owned()</script>\n\n![x](https://strangers.example/x.png)\n\n[y](javascript:owned())"
    desk.put("a.md", body=body, content_type="text/markdown")
    answer = desk.visitor.get(desk.share("a.md")[1])
    assert "<script" not in answer.text
    assert 'href="javascript' not in answer.text
    assert sources(answer.text) == []
    desk.put("a.html", body=body, content_type="text/html")
    _, path = desk.share("a.html")
    assert "<script" not in desk.visitor.get(path).text
    assert desk.visitor.get(f"{path}/media").status_code == 404


def test_a_file_that_browsers_cannot_show_is_not_counted_until_it_is_downloaded(desk: Desk) -> None:
    desk.put("a.zip", body=b"PK", content_type="application/zip")
    share, path = desk.share("a.zip")
    page = desk.visitor.get(path).text
    assert "no preview" in page
    assert "ZIP archive" in page
    assert opened(share) == 0
    desk.visitor.get(f"{path}/file")
    assert opened(share) == 1


@pytest.mark.parametrize(
    ("key", "content_type", "icon"),
    [
        ("all.zip", "application/zip", 'data-kind="archive" data-ending="ZIP"'),
        ("damaged.pdf", "application/pdf", 'data-kind="pdf" data-ending="PDF"'),
        ("no-ending", "application/octet-stream", 'data-kind=""'),
    ],
)
def test_the_icon_of_its_kind_stands_where_a_file_has_no_preview(desk: Desk, key: str, content_type: str, icon: str) -> None:
    desk.put(key, body=b"x", content_type=content_type)
    assert f'<span class="kind" {icon}></span>' in desk.visitor.get(desk.share(key)[1]).text


def test_files_of_a_list_have_the_icons_of_their_kinds_also_behind_thumbnails(desk: Desk) -> None:
    desk.put("f/a.zip", "f/b.png", "f/c", body=b"x", content_type="application/octet-stream")
    text = desk.visitor.get(desk.share(folders=("f/",))[1]).text
    found = re.findall(r'<(\w+) class="shared__icon"\s*data-kind="(\w*)"(?:\s*data-ending="(\w+)")?', text)
    assert found == [("span", "archive", "ZIP"), ("img", "image", "PNG"), ("span", "", "")]


def test_messengers_and_head_see_the_name_and_read_and_count_nothing(desk: Desk, calls: Calls) -> None:
    desk.put("a.txt", body=b"some words")
    share, path = desk.share("a.txt")
    calls()
    preview = desk.visitor.get(path, headers={"User-Agent": "WhatsApp/2.23"})
    assert "a.txt" in preview.text
    assert "some words" not in preview.text
    assert desk.visitor.head(path).status_code == 200
    assert not [call for call in calls() if "/object/authenticated/" in call]
    assert opened(share) == 0


class TestLimit:
    def test_a_limited_file_is_shown_after_it_was_counted_and_again_for_free(self, desk: Desk) -> None:
        desk.put("a.png", body=png(), content_type="image/png")
        share, path = desk.share("a.png", limit=1)
        page = desk.visitor.get(path).text
        assert sources(page) == []
        assert "Downloads left: 1" in page
        assert opened(share) == 0
        view = desk.visitor.get(f"{path}/view")["Location"]
        assert opened(share) == 1
        shown = desk.visitor.get(view).text
        (address,) = sources(shown)
        for _ in range(2):
            assert desk.visitor.get(address).getvalue() == png()
        download = re.search(r'href="(/l/[^"]+/file/[^"]+)"', shown)
        assert download
        assert desk.visitor.get(download[1]).getvalue() == png()
        assert opened(share) == 1
        assert desk.visitor.get(f"{path}/view").status_code == 410

    def test_without_a_ticket_nothing_of_a_limited_link_is_read(self, desk: Desk) -> None:
        desk.put("in/a.png", body=png(), content_type="image/png")
        desk.put("in/a.pdf", body=pdf(), content_type="application/pdf")
        share, path = desk.share(folders=("in/",), limit=1)
        assert "<img" not in desk.visitor.get(path).text.partition("<main")[2]
        for address in ("media?n=0&key=in/a.png", "page?n=0&key=in/a.pdf&number=1", "media?n=0&key=in/a.png&ticket=" + "A" * 22):
            answer = desk.visitor.get(f"{path}/{address}")
            assert answer.status_code in (302, 410), address
        assert opened(share) == 0

    def test_a_messenger_takes_no_ticket(self, desk: Desk) -> None:
        desk.put("a.txt")
        share, path = desk.share("a.txt", limit=1)
        assert desk.visitor.get(f"{path}/view", headers={"User-Agent": "WhatsApp/2.23"})["Location"] == path
        assert desk.visitor.head(f"{path}/view").status_code == 200
        assert opened(share) == 0


class TestRevoked:
    def test_everything_that_the_page_loads_ends_with_the_link(self, desk: Desk) -> None:
        desk.put("in/a.png", body=png(), content_type="image/png")
        desk.put("in/a.pdf", body=pdf(), content_type="application/pdf")
        share, path = desk.share(folders=("in/",))
        listed = desk.visitor.get(path).text
        addresses = [*sources(listed), *map(unescape, re.findall(r'href="(/l/[^"]+/view[^"]+)"', listed))]
        for view in addresses[-2:]:
            addresses += sources(desk.visitor.get(view).text)
        assert len(addresses) == 6
        for address in addresses:
            answer: Any = desk.visitor.get(address)
            assert answer.status_code == 200, address
            if answer.streaming:  # one that is left unread is reported when its memory is freed, in any test
                assert b"".join(answer.streaming_content)
        revoke(desk, share)
        for address in addresses:
            assert desk.visitor.get(address).status_code == 410, address

    def test_a_video_under_way_breaks_off(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("dashboard.features.sharing.views.downloads.RECHECK_SECONDS", 0.0)
        desk.put("a.mp4", body=bytes(6 * MEBIBYTE), content_type="video/mp4")
        share, path = desk.share("a.mp4")
        answer: Any = desk.visitor.get(f"{path}/media")
        blocks = iter(answer.streaming_content)
        assert next(blocks)
        revoke(desk, share)
        with pytest.raises(ConnectionAbortedError):
            list(blocks)


class TestWithoutDownload:
    def test_a_link_without_a_download_button_shows_the_file_and_sends_none(self, desk: Desk) -> None:
        desk.put("a.png", body=png(), content_type="image/png")
        form = {"life": "3600", "landing": "view"}
        answer = desk.client.post(f"{desk.address()}?key=a.png", form)
        assert "Link created" in answer.text
        assert "save what they see" in desk.client.get(desk.address(), {"key": "a.png"}).text
        share, path = desk.share("a.png", hides_download=True)
        page = desk.visitor.get(path).text
        assert "Download" not in page
        assert len(sources(page)) == 1
        assert desk.visitor.get(f"{path}/file")["Location"] == path
        assert desk.visitor.get(f"{path}/all")["Location"] == path
        assert opened(share) == 1

    def test_a_folder_without_download_buttons_is_listed_and_viewed(self, desk: Desk) -> None:
        desk.put("in/a.png", "in/b.png", body=png(), content_type="image/png")
        _, path = desk.share(folders=("in/",), hides_download=True)
        page = desk.visitor.get(path).text
        assert "Download" not in page
        assert desk.visitor.get(f"{path}/all").headers.get("Location") == path
        views = [unescape(view) for view in re.findall(r'href="(/l/[^"]+/view[^"]+)"', page)]
        assert [len(sources(desk.visitor.get(view).text)) for view in views] == [1, 1]

    def test_a_limit_counts_views_where_there_are_no_downloads(self, desk: Desk) -> None:
        desk.put("a.png", body=png(), content_type="image/png")
        _, path = desk.share("a.png", hides_download=True, limit=1)
        page = desk.visitor.get(path).text
        assert "Views left: 1" in page
        assert "ownload" not in page
        assert desk.visitor.get(desk.visitor.get(f"{path}/view")["Location"]).status_code == 200
        full = desk.visitor.get(path)
        assert (full.status_code, "View limit reached" in full.text) == (410, True)
        assert "ownload" not in full.text


def test_nothing_is_shown_before_the_password(desk: Desk) -> None:
    desk.put("a.png", body=png(), content_type="image/png")
    _, path = desk.share("a.png", password="four random words")
    for address in ("view", "media", "page?number=1"):
        assert desk.visitor.get(f"{path}/{address}")["Location"] == path
    assert desk.visitor.get(f"{path}/thumbnail").status_code == 404
    assert sources(desk.visitor.get(path).text) == []
    assert desk.visitor.post(path, {"password": "four random words"}).status_code == 303
    assert len(sources(desk.visitor.get(path).text)) == 1


def test_the_password_is_asked_for_again_after_half_an_hour_and_once_it_is_another_one(desk: Desk) -> None:
    desk.put("a.png", body=png(), content_type="image/png")
    share, path = desk.share("a.png", password="four random words")
    desk.visitor.post(path, {"password": "four random words"})
    for minutes, shown in ((29, 1), (31, 0)):
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes)):
            assert len(sources(desk.visitor.get(path).text)) == shown, minutes
    lifecycle.change(desk.person, share, lifecycle.Terms(ends_at=share.ends_at, password="four other words"))
    assert sources(desk.visitor.get(path).text) == []


def test_a_list_has_thumbnails_at_addresses_of_this_link_alone(desk: Desk) -> None:
    out = BytesIO()
    Image.new("RGB", (64, 48), "red").save(out, "PNG")
    desk.put("in/a.png", body=out.getvalue(), content_type="image/png")
    desk.put("in/b.txt", body=b"words")
    _, path = desk.share(folders=("in/",))
    _, other = desk.share(folders=("in/",))
    (address,) = sources(desk.visitor.get(path).text)
    answer = desk.visitor.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/webp")
    for wrong in (address.replace(path, other), address.replace("a.png", "b.txt"), re.sub(r"until=\d", "until=9", address)):
        assert desk.visitor.get(wrong).status_code == 404, wrong


@pytest.mark.parametrize("terms", [{"limit": 3}, {"password": "four random words"}])
def test_a_thumbnail_that_was_offered_ends_with_the_link_s_new_terms(desk: Desk, terms: dict[str, Any]) -> None:
    desk.put("in/a.png", body=png(), content_type="image/png")
    share, path = desk.share(folders=("in/",))
    (address,) = sources(desk.visitor.get(path).text)
    assert desk.visitor.get(address).status_code == 200
    lifecycle.change(desk.person, share, lifecycle.Terms(ends_at=share.ends_at, **terms))
    assert desk.visitor.get(address).status_code == 404


def test_a_viewed_file_of_several_leads_back_and_never_outside(desk: Desk) -> None:
    desk.put("in/a.txt", "out.txt", body=b"words")
    _, path = desk.share(folders=("in/",))
    page = desk.visitor.get(f"{path}/view", {"n": "0", "key": "in/a.txt"}).text
    assert "words" in page
    assert f'href="{path}"' in page
    for way in ("view", "media", "page", "thumbnail"):
        for key in ("out.txt", "in/../out.txt", ""):
            assert desk.visitor.get(f"{path}/{way}", {"n": "0", "key": key}).status_code == 404, (way, key)
