"""Looking at objects: as text, as pictures, never as pages."""

import re

import pytest
from django.http import HttpResponseBase
from pytest_django.fixtures import Settings

from dashboard.viewer.looks import Kind, decode, indented, look_of
from tests.browser.steps import png
from tests.features.objects.conftest import Desk
from tests.features.objects.hostile import CORPUS
from tests.pages import htmx
from tests.viewer.test_pictures import pdf

FIRST = 256_000


def text(desk: Desk, key: str) -> str:
    """What the details show of an object, without the colours of source."""
    answer = desk.client.get(desk.address("preview"), {"key": key}, headers=htmx("objects-preview"))
    assert answer.status_code == 200
    return re.sub(r"</?span[^>]*>", "", answer.text)


def shown(desk: Desk, key: str, **headers: str) -> HttpResponseBase:
    return desk.client.get(desk.address("bytes"), {"key": key}, headers=headers)


class TestText:
    def test_it_is_shown_escaped_and_says_that_it_is_all(self, desk: Desk) -> None:
        desk.put("a.html", body=b"<script>alert(1)</script>", content_type="text/html")
        found = text(desk, "a.html")
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in found
        assert "<script>" not in found
        assert "Whole file" in found
        assert "UTF-8" in found

    def test_of_a_long_one_the_beginning_is_shown_and_said(self, desk: Desk) -> None:
        desk.put("long.txt", body=b"\xc3\xa9" + b"x" * (FIRST - 3) + "é".encode() + b"END")
        found = text(desk, "long.txt")
        assert "First 256.0 KB of 256.0 KB" in found
        assert "END" not in found
        assert "\ufffd" not in found

    def test_whole_json_is_set_out_with_every_value_as_it_was(self, desk: Desk) -> None:
        desk.put("a.json", body=b'{"a":1.0e5,"big":12345678901234567890123,"s":"[,]"}', content_type="application/json")
        found = text(desk, "a.json")
        assert "  &quot;a&quot;: 1.0e5,\n" in found
        assert "12345678901234567890123" in found
        assert "reformatted" in found

    def test_half_a_json_is_shown_as_it_is(self, desk: Desk) -> None:
        desk.put("b.json", body=b'{"a":"' + b"x" * FIRST + b'"}', content_type="application/json")
        assert "reformatted" not in text(desk, "b.json")

    def test_an_empty_object_is_said_to_be_empty(self, desk: Desk) -> None:
        desk.put("empty.txt", body=b"")
        assert "This file is empty" in text(desk, "empty.txt")

    def test_bytes_that_are_no_text_are_not_shown(self, desk: Desk) -> None:
        desk.put("a.txt", body=bytes(range(256)))
        found = text(desk, "a.txt")
        assert "Not a text file" in found
        assert "<pre" not in found

    def test_it_has_a_page_of_its_own_without_script(self, desk: Desk) -> None:
        desk.put("dir/a.txt", body=b"words")
        answer = desk.client.get(desk.address("preview"), {"key": "dir/a.txt"})
        assert "<h1" in answer.text
        assert "words" in answer.text

    def test_a_table_is_shown_by_its_first_rows(self, desk: Desk) -> None:
        desk.put("a.csv", body=b"zone;price\n" + b"".join(b"Z%d;1\n" % number for number in range(40)), content_type="text/csv")
        found = text(desk, "a.csv")
        assert "<th" in found
        assert found.count("<tr>") == 20

    def test_what_is_gone_is_not_found_and_details_say_so(self, desk: Desk) -> None:
        assert "It was deleted or moved" in text(desk, "gone.txt")
        assert desk.client.get(desk.address("preview"), {"key": "gone.txt"}).status_code == 404
        assert desk.client.get(desk.address("preview")).status_code == 404


class TestPictures:
    def test_they_come_with_our_type_and_no_rights(self, desk: Desk) -> None:
        desk.put("a.png", body=png(), content_type="image/png")
        answer = shown(desk, "a.png")
        assert answer.status_code == 200
        assert answer["Content-Type"] == "image/png"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'; sandbox"
        assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer.getvalue() == png()

    def test_a_film_is_given_in_pieces_so_that_no_player_holds_a_thread(self, desk: Desk) -> None:
        whole = bytes(5_000_000)
        desk.put("film.mp4", body=whole, content_type="video/mp4")
        answer = shown(desk, "film.mp4", Range="bytes=0-")
        assert answer.status_code == 206
        assert answer["Content-Range"] == f"bytes 0-4194303/{len(whole)}"
        assert answer["Accept-Ranges"] == "bytes"
        assert len(answer.getvalue()) == 4_194_304
        last = shown(desk, "film.mp4", Range="bytes=4999990-")
        assert last.getvalue() == whole[4_999_990:]
        beyond = shown(desk, "film.mp4", Range="bytes=9000000-")
        assert (beyond.status_code, beyond["Content-Range"]) == (416, f"bytes */{len(whole)}")

    def test_a_film_that_was_replaced_does_not_go_on_in_the_middle(self, desk: Desk) -> None:
        desk.put("film.mp4", body=bytes(1000), content_type="video/mp4")
        tag = desk.client.head(desk.address("bytes"), {"key": "film.mp4"})["ETag"]
        same = shown(desk, "film.mp4", **{"Range": "bytes=10-19", "If-Range": tag})
        assert (same.status_code, len(same.getvalue())) == (206, 10)
        desk.storage.objects.replace(desk.bucket, "film.mp4", b"another", content_type="video/mp4")
        other = shown(desk, "film.mp4", **{"Range": "bytes=10-19", "If-Range": tag})
        assert (other.status_code, other.getvalue()) == (200, b"another")

    def test_a_type_that_says_nothing_leaves_it_to_the_name(self, desk: Desk) -> None:
        desk.put("a.jpg", body=b"x", content_type="application/octet-stream")
        answer = shown(desk, "a.jpg")
        assert (answer["Content-Type"], answer.getvalue()) == ("image/jpeg", b"x")

    def test_what_is_known_is_not_sent_again(self, desk: Desk) -> None:
        desk.put("a.png", body=png(), content_type="image/png")
        first = shown(desk, "a.png")
        assert first.getvalue()
        assert shown(desk, "a.png", **{"If-None-Match": first["ETag"]}).status_code == 304

    def test_everything_else_is_not_shown(self, desk: Desk) -> None:
        desk.put("a.svg", body=b"<svg/>", content_type="image/svg+xml")
        desk.put("a.pdf", body=b"%PDF", content_type="application/pdf")
        for key in ("a.svg", "a.pdf", "gone.png"):
            assert shown(desk, key).status_code == 404


@pytest.mark.parametrize("name", CORPUS)
def test_no_hostile_object_gets_a_type_that_can_carry_a_script(desk: Desk, name: str) -> None:
    body, content_type = CORPUS[name]
    desk.put(name, body=body, content_type=content_type)
    answer = shown(desk, name)
    if answer.status_code == 200:
        assert answer.getvalue() == body
        assert answer["Content-Type"].split("/")[0] in {"image", "audio", "video"}
        assert "svg" not in answer["Content-Type"]
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in answer["Content-Security-Policy"]
    else:
        assert answer.status_code == 404
    assert "<script" not in text(desk, name)


class TestDocuments:
    def test_the_details_show_the_first_page(self, desk: Desk) -> None:
        desk.put("a.pdf", body=pdf(pages=3), content_type="application/pdf")
        found = text(desk, "a.pdf")
        assert found.count("<img") == 1
        assert "3 pages" in found
        assert f'{desk.address("page")}?key=a.pdf&amp;number=1"' in found

    def test_a_pdf_opens_on_the_storage_address(self, desk: Desk) -> None:
        desk.put("a.pdf", body=b"%PDF-1.4", content_type="application/pdf")
        answer = desk.client.get(desk.address("document"), {"key": "a.pdf"})
        assert answer.status_code == 302
        assert "/object/sign/" in answer["Location"]
        assert "download" not in answer["Location"].partition("token=")[2]
        assert "in a new tab" in desk.client.get(desk.address(), {"open": "a.pdf"}).text

    @pytest.mark.parametrize("address", ["none", "http://testserver/storage/v1"])
    def test_where_that_is_not_reached_or_is_our_own_it_is_only_downloaded(
        self, desk: Desk, settings: Settings, address: str
    ) -> None:
        desk.put("a.pdf", body=b"%PDF-1.4", content_type="application/pdf")
        settings.STORAGE_PUBLIC_URL = address
        assert desk.client.get(desk.address("document"), {"key": "a.pdf"}).status_code == 404
        assert "in a new tab" not in desk.client.get(desk.address(), {"open": "a.pdf"}).text

    def test_nothing_else_is_opened_there(self, desk: Desk) -> None:
        desk.put("a.pdf", body=b"<script>", content_type="text/html")
        assert desk.client.get(desk.address("document"), {"key": "a.pdf"}).status_code == 404


@pytest.mark.parametrize(
    ("key", "content_type", "kind"),
    [
        ("a.png", "image/png", Kind.IMAGE),
        ("a", "IMAGE/PNG; x=y", Kind.IMAGE),
        ("a.svg", "image/svg+xml", Kind.TEXT),
        ("a.svg", "application/octet-stream", Kind.TEXT),
        ("a.html", "", Kind.TEXT),
        ("a.png", "text/html", Kind.TEXT),
        ("a.mp3", "audio/mpeg", Kind.AUDIO),
        ("a.webm", "video/webm", Kind.VIDEO),
        ("a.pdf", "application/pdf", Kind.PDF),
        ("a.zip", "application/zip", Kind.NONE),
        ("a.bin", None, Kind.NONE),
    ],
)
def test_how_it_is_shown_goes_by_the_type_then_by_the_name(key: str, content_type: str | None, kind: Kind) -> None:
    assert look_of(key, content_type).kind is kind


@pytest.mark.parametrize(
    ("data", "content_type", "words", "encoding"),
    [
        ("grün".encode(), "", "grün", "UTF-8"),
        (b"\xef\xbb\xbfx", "", "x", "UTF-8"),
        ("grün".encode("utf-16"), "", "grün", "UTF-16"),
        ("grün".encode("latin-1"), "text/plain; charset=iso-8859-1", "grün", "Latin-1"),
        ("grün".encode("cp1252"), "text/plain", "grün", "Windows-1252"),
        ("яд".encode("koi8-r"), 'text/plain; charset="KOI8-R"', "яд", "KOI8-R"),
        (b"+ADw-script+AD4-", "text/html; charset=utf-7", "+ADw-script+AD4-", "UTF-8"),
    ],
)
def test_text_is_read_as_what_it_is(data: bytes, content_type: str, words: str, encoding: str) -> None:
    found = decode(data, content_type)
    assert (found.text, found.encoding, found.binary) == (words, encoding, False)


def test_a_guess_is_said_to_be_one() -> None:
    assert "may be wrong" in decode(b"gr\xfcn").note


@pytest.mark.parametrize("hostile", ["[" * 100_000, "[" * 900 + "1," * 100_000 + "1" + "]" * 900, "{not json", ""])
def test_json_that_is_none_or_would_grow_is_left_as_it_is(hostile: str) -> None:
    assert indented(hostile) is None
