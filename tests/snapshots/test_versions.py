"""Earlier versions of a file: shown by the viewer, and compared."""

import re
from collections.abc import Mapping
from html import unescape
from io import BytesIO

import pytest
from django.utils import timezone
from PIL import Image

from dashboard.features.objects.services.delete import delete_many
from dashboard.features.snapshots import services
from dashboard.interfaces import ObjectStream
from dashboard.interfaces.storage.objects import Objects
from dashboard.snapshots import capture, earlier, objects, trash
from dashboard.snapshots.manifest import Entry, Manifest, read_heads
from dashboard.snapshots.store import Damaged, Store
from dashboard.team.models import Person
from dashboard.tokens import grants
from dashboard.tokens.errors import GrantUnusable
from tests.catalog.conftest import Shelf, shelf
from tests.conftest import Sandbox
from tests.features.grants import Lent, lent
from tests.pages import PageClient, htmx
from tests.people import client_of, hold
from tests.snapshots import test_grantees
from tests.snapshots.test_capture import ended, in_a_folder, run
from tests.snapshots.test_pages import address
from tests.viewer.test_pictures import HOSTILE, pdf

__all__ = ["in_a_folder", "lent", "shelf"]

NAMES = ("file", "view", "bytes", "page", "comparison")
NO_TEXT, LONG = "Only text files can be compared line by line", "Files over 256 KB can't be compared here"


def versions(client: PageClient, shelf: Shelf, name: str, key: str = "a.txt") -> list[str]:
    """The addresses that the list of versions offers, newest first."""
    page = client.get(f"{address(shelf, 'versions')}?key={key}").text
    return list(dict.fromkeys(unescape(href) for href in re.findall(rf'href="([^"]*/file/{name}\?[^"]*)"', page)))


def comparison(client: PageClient, shelf: Shelf, key: str) -> str:
    """The address that compares the last version of a file, also of one that offers none."""
    return versions(client, shelf, "view/", key)[0].replace("/view/", "/comparison/")


def again(shelf: Shelf, body: bytes, key: str = "a.txt", content_type: str = "text/plain") -> None:
    shelf.storage.objects.replace(shelf.bucket, key, body, content_type=content_type)


def text(client: PageClient, href: str) -> str:
    answer = client.get(href)
    assert answer.status_code == 200
    return unescape(answer.text).split("<main")[-1]


def compared(client: PageClient, href: str) -> str:
    """The comparison alone, which waits for the service as long as it takes."""
    answer = client.get(href, headers=htmx("comparison"))
    assert answer.status_code == 200
    return answer.text


def lines(page: str) -> list[tuple[str, str]]:
    return re.findall(r'difference__sign">(.)</td>\s*<td class="difference__text">([^<]*)', page)


def test_snapshots_of_other_files_hide_no_version(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "VERSIONS_MAX", 2)
    shelf.put("a.txt", "b.txt", "docs/c.txt")
    run(shelf)
    ended(capture.begin(*shelf.place, "docs/", back=""))
    late = ["e1.txt", "e2.txt", "e3.txt", "e4.txt"]
    shelf.put(*late)
    for gone in (late, ["b.txt"]):
        delete_many(*shelf.place, gone, rows=trash.listed(*shelf.place, gone))
    assert len(versions(as_owner, shelf, "view/")) == 1
    assert len(versions(as_owner, shelf, "view/", "b.txt")) == 1
    assert len(versions(as_owner, shelf, "view/", "e4.txt")) == 1
    assert versions(as_owner, shelf, "view/", "d.txt") == []


def test_a_version_is_shown_as_the_viewer_shows_files(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.py", body=b"def then(): pass", content_type="text/x-python")
    shelf.put("a.md", body=HOSTILE.encode(), content_type="text/markdown")
    shelf.put("a.html", body=b"<script>then()</script>", content_type="text/html")
    shelf.put("a.zip", body=b"PK", content_type="application/zip")
    shelf.put("a.txt", body=b"")
    run(shelf)
    again(shelf, b"def now(): pass", "a.py", "text/x-python")
    found = {
        ending: text(as_owner, versions(as_owner, shelf, "view/", f"a.{ending}")[0]) for ending in ("py", "md", "html", "zip")
    }
    assert '<span class="code__keyword">def</span> then' in re.sub(
        r'<span class="code__(?!keyword)[^>]*>|(?<=then)</span>', "", found["py"]
    )
    assert "As of" in found["py"]
    assert "<h2>Hello" in found["md"]
    assert not re.search(r"tracker\.example|<script|<img|<iframe|onclick", found["md"].partition('class="viewer"')[2])
    assert "<script>then" not in found["html"]
    assert "then" in found["html"]
    assert "Files of this type have no preview" in found["zip"]
    assert versions(as_owner, shelf, "", "a.zip")[0].split("?")[0] in found["zip"]
    assert "This file is empty" in text(as_owner, versions(as_owner, shelf, "view/")[0])


def test_a_picture_is_sent_as_it_was_and_a_page_of_a_pdf_drawn(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.png", body=b"a picture then", content_type="image/png")
    shelf.put("a.svg", body=b"<svg/>", content_type="image/svg+xml")
    shelf.put("a.pdf", body=pdf(pages=2), content_type="application/pdf")
    run(shelf)
    again(shelf, b"now", "a.png", "image/png")
    again(shelf, b"now", "a.pdf", "application/pdf")
    shown = text(as_owner, versions(as_owner, shelf, "view/", "a.png")[0])
    (media,) = re.findall(r'viewer__image" src="([^"]+)"', shown)
    sent = as_owner.get(media)
    assert b"".join(sent.streaming_content) == b"a picture then"  # type: ignore[attr-defined] # it is streamed
    assert (sent["Content-Type"], sent["Content-Length"]) == ("image/png", "14")
    assert sent["Content-Security-Policy"].startswith("default-src 'none'")
    part = as_owner.get(media, headers={"Range": "bytes=2-8"})
    assert (part.status_code, part["Content-Range"]) == (206, "bytes 2-8/14")
    assert b"".join(part.streaming_content) == b"picture"  # type: ignore[attr-defined] # it is streamed
    assert as_owner.get(media, headers={"Range": "bytes=14-20"}).status_code == 200
    assert as_owner.get(media.replace("a.png", "a.svg")).status_code == 404
    shown = text(as_owner, versions(as_owner, shelf, "view/", "a.pdf")[0])
    pages = re.findall(r'viewer__page" src="([^"]+)"', shown)
    assert len(pages) == 2
    drawn = as_owner.get(pages[1])
    assert (drawn["Content-Type"], Image.open(BytesIO(drawn.content)).width > 1000) == ("image/webp", True)
    assert as_owner.get(pages[1].replace("number=2", "number=3")).status_code == 404


@pytest.mark.parametrize(("first", "last"), [(0, 3), (2, 9), (4, 7), (7, 8), (9, 9), (3, 100)])
def test_a_range_is_cut_from_the_chunks_that_hold_it(
    store: Store, monkeypatch: pytest.MonkeyPatch, first: int, last: int
) -> None:
    monkeypatch.setattr(earlier, "CHUNK_MAX_BYTES", 4)
    whole = b"0123456789"
    chunks = [store.add(whole[at : at + 4])[0] for at in (0, 4, 8)]
    entry = Entry(key="a", size=10, chunks=chunks)
    found = earlier.Earlier(store, entry, iter).read("b", "a", headers={"Range": f"bytes={first}-{last}"})
    assert (found.status, b"".join(found), found.length) == (206, whole[first : last + 1], len(whole[first : last + 1]))


def test_a_range_of_other_chunks_is_refused(store: Store) -> None:
    entry = Entry(key="a", size=10, chunks=[store.add(b"01234567890")[0]])
    with pytest.raises(Damaged):
        earlier.Earlier(store, entry, iter).read("b", "a", headers={"Range": "bytes=0-3"})


def test_a_damaged_version_is_not_shown(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    (entry,) = Manifest(capture.store(), read_heads(capture.store())[0].lists)
    shown, compared = (versions(as_owner, shelf, name)[0] for name in ("view/", "comparison/"))
    capture.store().put(f"chunks/{entry.chunks[0][:2]}/{entry.chunks[0]}", b"ruin")
    again(shelf, b"now")
    for href in (shown, compared):
        answer = as_owner.get(href)
        assert (answer.status_code, "Its bytes are damaged in the store" in answer.text) == (503, True)


def test_a_version_is_compared_with_the_file_now(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"one\ntwo\nthree\n")
    run(shelf)
    again(shelf, b"one\n2 < 3\nthree\n")
    (href,) = versions(as_owner, shelf, "comparison/")
    page = compared(as_owner, href)
    assert lines(page) == [(" ", "one"), ("-", "two"), ("+", "2 &lt; 3"), (" ", "three")]
    assert "+ the file now" in page


def test_two_versions_are_compared_the_older_one_first(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"first\n")
    for body in (b"second\n", b"third\n"):
        run(shelf)
        again(shelf, body)
    newer, older = versions(as_owner, shelf, "comparison/")
    idents = [re.search(r"~snapshots/([^/]+)/", href)[1] for href in (newer, older)]  # type: ignore[index] # it is there
    for href, other in ((newer, idents[1]), (older, idents[0])):
        assert f'value="{other}"' in compared(as_owner, href)
        assert lines(compared(as_owner, f"{href}&to={other}")) == [("-", "first"), ("+", "second")]
    assert "are the same, byte for byte" in compared(as_owner, f"{newer}&to={idents[0]}")
    for other in ("20260101T000000Z-1", "..x"):
        assert as_owner.get(f"{newer}&to={other}").status_code == 404


@pytest.mark.parametrize(("key", "kind", "offered"), [("a.txt", "text/plain", True), ("a.zip", "application/zip", False)])
def test_only_texts_offer_to_be_compared(as_owner: PageClient, shelf: Shelf, key: str, kind: str, offered: bool) -> None:
    shelf.put(key, body=b"then", content_type=kind)
    run(shelf)
    assert bool(versions(as_owner, shelf, "comparison/", key)) is offered
    (shown,) = versions(as_owner, shelf, "view/", key)
    assert ("/file/comparison/" in text(as_owner, shown)) is offered


def test_an_equal_file_is_told_without_being_read(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.zip", body=b"PK\0\0", content_type="application/zip")
    run(shelf)
    monkeypatch.setattr(Objects, "read", None)
    assert "are the same, byte for byte" in unescape(compared(as_owner, comparison(as_owner, shelf, "a.zip")))


@pytest.mark.parametrize(
    ("bodies", "kind", "told"),
    [
        ((b"a\0b" * 100, b"text"), "text/plain", NO_TEXT),
        ((b"then", b"now"), "application/zip", NO_TEXT),
        ((b"x" * 256_001, b"now"), "text/plain", LONG),
        ((b"then", b"x" * 256_001), "text/plain", LONG),
        ((b"", b"x" * 256_000), "text/plain", "1 line removed, 1 added"),
        ((b'{"a":1}', b'{"a": 1}'), "application/json", "No line differs"),
    ],
)
def test_what_can_not_be_compared_is_told(
    as_owner: PageClient, shelf: Shelf, bodies: tuple[bytes, bytes], kind: str, told: str
) -> None:
    then, now = bodies
    shelf.put("a", body=then, content_type=kind)
    run(shelf)
    again(shelf, now, "a", kind)
    page = unescape(compared(as_owner, comparison(as_owner, shelf, "a")))
    assert told in " ".join(page.split())


def test_a_large_file_is_not_read(as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    again(shelf, b"x" * 256_001)
    href = versions(as_owner, shelf, "comparison/")[0]
    read, asked = Objects.read, list[str]()

    def noted(objects: Objects, bucket: str, key: str, *, headers: Mapping[str, str]) -> ObjectStream:
        asked.append(key)
        return read(objects, bucket, key, headers=headers)

    monkeypatch.setattr(Objects, "read", noted)
    assert LONG in unescape(compared(as_owner, href))
    assert asked == []


def test_a_file_that_grows_while_it_is_compared_is_not_cut(
    as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    again(shelf, b"now")
    info = shelf.storage.objects.info(shelf.bucket, "a.txt")
    again(shelf, b"x" * 256_001)
    monkeypatch.setattr(Objects, "info", lambda *_: info)
    assert LONG in unescape(compared(as_owner, versions(as_owner, shelf, "comparison/")[0]))


def test_a_file_that_is_gone_has_only_versions_to_compare_with(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    shelf.storage.objects.delete(shelf.bucket, "a.txt")
    page = unescape(compared(as_owner, versions(as_owner, shelf, "comparison/")[0]))
    assert "The file is not there now" in page
    assert "difference__" not in page


def test_a_plain_token_opens_no_version_that_another_token_took(
    as_owner: PageClient, ada: Person, shelf: Shelf, service: Sandbox
) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    found = versions(as_owner, shelf, "[a-z/]*")
    plain = next(token for name, token in service.storage_tokens[shelf.space].items() if name != "service")
    hold(ada, service.personal_token)
    hold(ada, plain, shelf.space)
    assert len(found) == 3
    for href in (*found, found[0].replace("?", "bytes/?"), found[0].replace("?", "page/?")):
        assert client_of(ada).get(href).status_code == 404, href


@pytest.mark.parametrize("asked", ["", "bytes=0-11"], ids=["the whole", "a range"])
def test_a_picture_stops_on_its_way_once_the_grant_is_revoked(
    owner: Person, lent: Lent, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    for module in (objects, earlier):
        monkeypatch.setattr(module, "CHUNK_MAX_BYTES", 4)
    monkeypatch.setattr(grants, "RECHECK_SECONDS", 0.0)
    lent.storage.objects.upload(lent.bucket, "inside/a.png", b"0123456789ab", content_type="image/png")
    test_grantees.taken(owner, lent)
    href, headers = test_grantees.address(lent, "bytes", key="inside/a.png"), {"Range": asked} if asked else {}
    assert b"".join(lent.client.get(href, headers=headers).streaming_content) == b"0123456789ab"  # type: ignore[attr-defined] # it is streamed
    blocks = iter(lent.client.get(href, headers=headers).streaming_content)  # type: ignore[attr-defined] # it is streamed
    assert next(blocks) == b"0123"
    lent.change(revoked_at=timezone.now())
    with pytest.raises(GrantUnusable):
        list(blocks)


def test_a_grant_opens_versions_in_its_folders_while_it_may_read(owner: Person, lent: Lent) -> None:
    test_grantees.taken(owner, lent)
    at = test_grantees.address
    assert "then" in text(lent.client, at(lent, "view", key="inside/changed.txt"))
    assert lines(compared(lent.client, at(lent, "comparison", key="inside/changed.txt"))) == [("-", "then"), ("+", "now")]
    for name in NAMES:
        assert lent.client.get(at(lent, name, key="outside.txt")).status_code == 404
        assert lent.client.get(at(lent, name, key="inside/../outside.txt")).status_code == 404
    for change, told in (({"acts": ["upload"]}, "View and download"), ({"revoked_at": timezone.now()}, "revoked this access")):
        lent.change(**change)
        for name in NAMES:
            page = unescape(lent.client.get(at(lent, name, key="inside/changed.txt")).text)
            assert told in page, name
            assert "then" not in page.split("<main")[-1].replace("authen", "")
