"""The viewer: what each kind of object looks like, through the running service."""

import re
from html import unescape
from io import BytesIO
from urllib.parse import unquote

import pytest
from PIL import Image

from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.viewer import content
from dashboard.viewer.pictures import Renderings
from tests.conftest import Sandbox
from tests.features.objects.conftest import Desk
from tests.features.service import Faults, faults
from tests.viewer.test_pictures import HOSTILE, pdf

MOST_SOURCE_BYTES = 20 * 1024 * 1024

__all__ = ["faults"]


@pytest.fixture
def desk(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(content, "renderings", Renderings())
    return desk


def shown(desk: Desk, key: str) -> str:
    answer = desk.client.get(desk.address("preview"), {"key": key})
    assert answer.status_code == 200
    return answer.text


def pages(desk: Desk, key: str) -> list[str]:
    return [unescape(address) for address in re.findall(r'viewer__page" src="([^"]+)"', shown(desk, key))]


def test_pictures_sound_and_video_are_elements_with_our_address(desk: Desk) -> None:
    for key, tag in (("a.png", "img"), ("a.mp3", "audio"), ("a.mp4", "video")):
        desk.put(key, body=b"x", content_type="application/octet-stream")
        assert re.search(rf'<{tag} [^>]*src="/storage/[^"]*~preview/bytes/\?key={key}"', shown(desk, key))


def test_a_pdf_is_shown_as_pages_and_past_twenty_says_so(desk: Desk) -> None:
    desk.put("a.pdf", body=pdf(pages=22), content_type="application/pdf")
    found = pages(desk, "a.pdf")
    assert len(found) == 20
    assert "First 20 of 22 pages" in shown(desk, "a.pdf")
    for address in (found[0], found[4], found[19]):
        answer = desk.client.get(address)
        assert (answer.status_code, answer["Content-Type"]) == (200, "image/webp")
        assert answer["Content-Security-Policy"].startswith("default-src 'none'")
        assert answer["Cache-Control"] == "private, no-store"
        assert Image.open(BytesIO(answer.content)).width > 1000
    for number in ("0", "21", "x", "9999999"):
        assert desk.client.get(re.sub(r"number=\d+", f"number={number}", found[0])).status_code == 404


def test_a_page_is_drawn_anew_when_its_pdf_was_replaced_and_gone_when_it_is_gone(desk: Desk) -> None:
    desk.put("a.pdf", body=pdf(), content_type="application/pdf")
    (address,) = pages(desk, "a.pdf")
    before = desk.client.get(address).content
    desk.storage.objects.replace(desk.bucket, "a.pdf", pdf(width=800, height=600), content_type="application/pdf")
    assert desk.client.get(address).content != before
    desk.storage.objects.delete(desk.bucket, "a.pdf")
    assert desk.client.get(address).status_code == 404


def test_no_page_outlives_the_right_to_read_its_pdf(desk: Desk, owner: Person, service: Sandbox) -> None:
    desk.put("a.pdf", body=pdf(), content_type="application/pdf")
    (address,) = pages(desk, "a.pdf")
    assert desk.client.get(address).status_code == 200
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])
    assert desk.client.get(address).status_code in {403, 404}


@pytest.mark.parametrize("body", [b"%PDF-1.7\n" + b"\0" * 5000, b"<script>alert(1)</script>"], ids=["broken", "script"])
def test_a_pdf_that_cannot_be_shown_offers_the_download(desk: Desk, body: bytes) -> None:
    desk.put("a.pdf", body=body, content_type="application/pdf")
    found = shown(desk, "a.pdf")
    assert "This PDF can&#x27;t be shown" in found
    assert "~download/?key=a.pdf" in found


def test_a_pdf_beyond_the_limit_is_not_read(desk: Desk, service: Sandbox) -> None:
    desk.put("a.pdf", body=bytes(MOST_SOURCE_BYTES + 1), content_type="application/pdf")
    assert "PDFs over 20.0 MB have no preview" in shown(desk, "a.pdf")


def test_csv_is_a_table_and_its_cells_are_escaped(desk: Desk) -> None:
    desk.put(
        "a.csv", body=b'name;note\n"<script>alert(1)</script>";=HYPERLINK("https://tracker.example")\n', content_type="text/csv"
    )
    found = shown(desk, "a.csv")
    assert '<th scope="col">name</th>' in found
    assert "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>" in found
    assert "<script>alert" not in found


@pytest.mark.parametrize(("columns", "words"), [(50, "Whole file · UTF-8<"), (51, "Whole file · UTF-8 · first 50 columns<")])
def test_a_table_says_that_it_has_more_columns(desk: Desk, columns: int, words: str) -> None:
    desk.put("a.csv", body=b";".join([b"name"] * columns) + b"\n" + b";".join([b"1"] * columns), content_type="text/csv")
    assert words in shown(desk, "a.csv")


def test_markdown_made_to_attack_is_shown_without_what_attacks(desk: Desk) -> None:
    desk.put("a.md", body=HOSTILE.encode(), content_type="text/markdown")
    found = shown(desk, "a.md").partition('class="viewer"')[2]
    assert "<h2>Hello" in found
    assert not re.search(r"tracker\.example|<script|<img|<iframe|onclick|hx-get", found.partition("<aside")[0])


@pytest.mark.parametrize("body", [b"<div>\n" * 40_000, b"<div></div>"], ids=["too complex", "nothing visible"])
def test_markdown_that_is_not_rendered_is_shown_as_source(desk: Desk, body: bytes) -> None:
    desk.put("a.md", body=body, content_type="text/markdown")
    assert "&lt;div&gt;" in shown(desk, "a.md")


def test_source_and_json_are_coloured(desk: Desk) -> None:
    desk.put("a.py", body=b"def f(): pass", content_type="text/x-python")
    desk.put("data", body=b'{"a":[1]}', content_type="application/json")
    assert '<span class="code__keyword">def</span>' in shown(desk, "a.py")
    found = shown(desk, "data")
    assert '<span class="code__number">1</span>' in found
    assert "reformatted" in found


def test_the_policy_of_the_viewer_is_that_of_every_page(desk: Desk) -> None:
    desk.put("a.md", body=HOSTILE.encode(), content_type="text/markdown")
    viewer = desk.client.get(desk.address("preview"), {"key": "a.md"})["Content-Security-Policy"]
    assert viewer == desk.client.get("/jobs/")["Content-Security-Policy"]
    assert "unsafe" not in viewer
    assert "img-src 'self'" in viewer


def test_what_has_no_preview_offers_the_download(desk: Desk) -> None:
    desk.put("a.zip", body=b"PK", content_type="application/zip")
    found = shown(desk, "a.zip")
    assert "Files of this type have no preview" in found
    assert "~download/?key=a.zip" in found


def beside(desk: Desk, key: str, **listing: str) -> tuple[str, str]:
    """The keys before and after one, as the viewer links them."""
    found = desk.client.get(desk.address("preview"), {"key": key, **listing}).text
    steps = dict(re.findall(r'href="[^"]*\?key=([^"&]+)[^"]*"[^>]*data-step="(\w+)"', found))
    named = {step: unquote(name) for name, step in steps.items()}
    return named.get("before", ""), named.get("after", "")


def test_files_beside_one_keep_folder_filter_and_order(desk: Desk) -> None:
    for key in ("d/a1.txt", "d/a2.txt", "d/b1.txt", "d/x/deep.txt", "d/ma2.txt", "e.txt"):
        desk.put(key)
    assert beside(desk, "d/a2.txt") == ("d/a1.txt", "d/b1.txt")
    assert beside(desk, "d/a1.txt") == ("", "d/a2.txt")
    assert beside(desk, "d/ma2.txt") == ("d/b1.txt", "")
    assert beside(desk, "d/a2.txt", sort="-name") == ("d/b1.txt", "d/a1.txt")
    assert beside(desk, "d/a2.txt", search="a") == ("d/a1.txt", "d/ma2.txt")
    assert beside(desk, "e.txt") == ("", "")
    text = desk.client.get(desk.address("preview"), {"key": "d/a2.txt", "sort": "-name"}).text
    back = re.search(r'href="([^"]*)" data-back aria-label="Back to the list"', text)
    assert back
    assert ">b1.txt<" in desk.client.get(back[1].replace("&amp;", "&")).text


def test_files_beside_one_are_found_across_pages_of_a_long_folder(desk: Desk) -> None:
    for number in range(203):
        desk.put(f"{number:03}.txt", body=b"")
    assert beside(desk, "099.txt") == ("098.txt", "100.txt")
    assert beside(desk, "100.txt", offset="100") == ("099.txt", "101.txt")
    assert beside(desk, "201.txt") == ("200.txt", "202.txt")
    assert beside(desk, "200.txt") == ("199.txt", "201.txt")
    found = desk.client.get(desk.address("preview"), {"key": "201.txt"}).text
    back = re.search(r'href="([^"]+)" data-back', found)
    assert back
    assert "offset=200#at=201.txt" in back[1]


def test_a_file_whose_content_cannot_be_read_keeps_its_neighbours_and_says_so(desk: Desk, faults: Faults) -> None:
    for key in ("a.txt", "b.txt", "c.txt"):
        desk.put(key)
    faults("S18", status=500)
    found = shown(desk, "b.txt")
    assert "Try again" in found
    assert 'rel="prev"' in found
    assert 'rel="next"' in found


@pytest.mark.parametrize("key", ["a.bin", "a.txt", "a.pdf", "a.png"])
def test_an_empty_file_is_called_empty(desk: Desk, key: str) -> None:
    desk.put(key, body=b"")
    assert "This file is empty." in shown(desk, key)
