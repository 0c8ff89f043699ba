"""What a bucket holds, by folder, type and age."""

import re
from datetime import timedelta
from html import unescape
from urllib.parse import quote

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.catalog.models import Indexed
from dashboard.team.models import Person, Role
from tests.catalog.conftest import Shelf
from tests.features.service import Calls, Faults
from tests.pages import PageClient

ROW = re.compile(
    r'<th class="table__wrap" scope="row">\s*<bdi>(?:<a href="([^"]*)">)?([^<]*)(?:</a>)?</bdi>\s*</th>'
    r'\s*<td class="number">([^<]*)</td>'
)


def address(shelf: Shelf, path: str = "") -> str:
    here = reverse("buckets:usage", kwargs={"space": shelf.space, "bucket": shelf.bucket})
    return f"{here}?path={path}" if path else here


def section(html: str, name: str) -> str:
    return html.partition(f'aria-labelledby="usage-{name}"')[2].partition("</section>")[0]


def rows(html: str, name: str) -> dict[str, int]:
    return {unescape(label): int(objects) for _, label, objects in ROW.findall(section(html, name))}


@pytest.fixture
def filled(shelf: Shelf) -> Shelf:
    shelf.put("2024/a.pdf", "2024/deep/b.pdf", body=b"x" * 3000, content_type="application/pdf")
    shelf.put("2025/c.png", body=b"x" * 2000, content_type="image/png")
    shelf.put("readme.txt", body=b"x" * 500, content_type="text/plain")
    shelf.put("empty.txt", body=b"", content_type="text/plain")
    shelf.crawl()
    return shelf


def test_folders_types_and_ages_add_up_to_the_whole(as_owner: PageClient, filled: Shelf, calls: Calls) -> None:
    Indexed.objects.filter(key="2024/a.pdf").update(updated_at=timezone.now() - timedelta(days=400))
    Indexed.objects.filter(key="2025/c.png").update(updated_at=timezone.now() - timedelta(days=20))
    calls()
    page = as_owner.get(address(filled)).text
    assert [call for call in calls() if "/storage/" in call] == [f"GET /{filled.space}/storage/v1/bucket/{quote(filled.bucket)}"]
    assert rows(page, "folders") == {"2024/": 2, "2025/": 1, "Files in no folder": 2}
    assert rows(page, "types") == {"application/pdf": 2, "image/png": 1, "text/plain": 2}
    assert rows(page, "ages") == {"Last 7 days": 3, "8 to 30 days": 1, "31 days to a year": 0, "More than a year": 1}
    assert "in 5" in page.partition('class="usage__total"')[2].partition("</p>")[0]


def test_the_treemap_covers_its_area_and_leads_into_folders(as_owner: PageClient, filled: Shelf) -> None:
    page = as_owner.get(address(filled)).text
    cells = re.findall(r'class="treemap__cell" x="[\d.]+%" y="[\d.]+%" width="([\d.]+)%" height="([\d.]+)%"', page)
    assert len(cells) == 3
    assert sum(float(width) * float(high) for width, high in cells) == pytest.approx(10_000, rel=0.001)
    assert f'href="{address(filled, "2024%2F")}"' in page
    inner = as_owner.get(address(filled, "2024/")).text
    assert rows(inner, "folders") == {"deep/": 1, "Files in this folder": 1}
    assert rows(inner, "types") == {"application/pdf": 2}


def test_it_begins_in_the_first_folder_that_does_not_hold_nearly_all_in_one(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("all/of/it/one/a.bin", "all/of/it/two/b.bin", body=b"x" * 5000)
    shelf.put("all/small.txt", "small.txt", body=b"x" * 10)
    shelf.crawl()
    assert rows(as_owner.get(address(shelf)).text, "folders") == {"one/": 1, "two/": 1}
    whole = f"{address(shelf)}?path="
    assert f'<a href="{whole}">Usage</a>' in as_owner.get(address(shelf)).text
    assert rows(as_owner.get(whole).text, "folders") == {"all/": 3, "Files in no folder": 1}


def drawn(html: str) -> tuple[dict[str, str], str]:
    """What the treemap shows, with its size, and the sentence above it."""
    part = section(html, "folders").partition("</svg>\n      </section>")[0]
    said = re.sub(r"<[^>]*>", "", part.partition('<p class="quiet">')[2].partition("</p>")[0])
    return dict(re.findall(r"<title>(.*): (.*)</title>", part)), " ".join(unescape(said).split())


def test_what_holds_nearly_all_is_never_drawn_as_one_block(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("all/of/it/one/a.bin", "all/of/it/two/b.bin", body=b"x" * 5000)
    shelf.put("all/small.txt", "small.txt", body=b"x" * 10)
    shelf.crawl()
    spread = {"one/": "5.0 KB", "two/": "5.0 KB"}
    for path in ("?path=", "?path=all%2F"):
        page = as_owner.get(f"{address(shelf)}{path}").text
        assert drawn(page) == (spread, "Nearly all of it is in all/of/it/:")
        assert f'href="{address(shelf, "all%2Fof%2Fit%2F")}"' in page
    assert drawn(as_owner.get(address(shelf)).text) == (spread, ""), "that folder itself says which it is"


def test_the_largest_files_are_drawn_where_files_hold_nearly_all(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("docs/a.txt", body=b"x" * 20)
    for number in range(22):
        shelf.put(f"in/{number:02}.bin", body=b"x" * (3000 - number))
    shelf.crawl()
    files = {f"{number:02}.bin": "3.0 KB" for number in range(20)}
    folder = as_owner.get(address(shelf, "in/")).text
    assert drawn(folder) == ({**files, "Other files in this folder": "6.0 KB"}, "Nearly all of it is in these files:")
    assert rows(folder, "folders") == {"Files in this folder": 22}
    assert folder.count("treemap__tight") == folder.count("treemap__name"), "no name is cut on a phone"
    whole = as_owner.get(f"{address(shelf)}?path=").text
    assert drawn(whole) == (drawn(folder)[0], "Nearly all of it is in files of in/:")
    assert rows(whole, "folders") == {"docs/": 1, "in/": 22}


def test_its_rows_lead_to_the_same_objects_in_the_search(as_owner: PageClient, filled: Shelf) -> None:
    Indexed.objects.filter(key="2024/a.pdf").update(updated_at=timezone.now() - timedelta(days=400))
    page = as_owner.get(address(filled)).text
    for name in ("types", "ages"):
        linked = [(unescape(href), int(objects)) for href, _, objects in ROW.findall(section(page, name)) if href]
        assert linked
        for href, objects in linked:
            assert as_owner.get(href).text.count('name="key" value="') == objects, href


def test_largest_and_newest_come_first(as_owner: PageClient, filled: Shelf) -> None:
    Indexed.objects.filter(key="readme.txt").update(updated_at=timezone.now() + timedelta(minutes=1))
    page = as_owner.get(address(filled)).text
    titles = {name: re.findall(r'title="([^"]*)"><bdi>', section(page, name)) for name in ("largest", "newest")}
    assert set(titles["largest"][:2]) == {"2024/a.pdf", "2024/deep/b.pdf"}
    assert titles["newest"][0] == "readme.txt"
    for act in ("~share/", "~deletion/"):
        assert f'{act}?key=2024%2Fdeep%2Fb.pdf"' in section(page, "largest")


def test_counting_begins_by_itself_unless_a_viewer_looks(as_owner: PageClient, owner: Person, shelf: Shelf) -> None:
    shelf.put("a.txt")
    page = as_owner.get(address(shelf)).text
    assert 'hx-trigger="load once, submit"' in page
    Person.objects.filter(pk=owner.pk).update(role=Role.VIEWER)
    page = as_owner.get(address(shelf)).text
    assert "load once" not in page
    assert "Not counted yet" in page
    assert reverse("search:crawl", kwargs={"space": shelf.space, "bucket": shelf.bucket}) in page


def test_an_unknown_folder_and_an_empty_one_say_so(as_owner: PageClient, filled: Shelf) -> None:
    assert "No such folder" in as_owner.get(address(filled, "nowhere/")).text
    Indexed.objects.all().delete()
    assert "No objects" in as_owner.get(address(filled)).text


def test_it_works_while_the_service_fails(as_owner: PageClient, filled: Shelf, faults: Faults) -> None:
    faults("S4", status=500)
    page = as_owner.get(address(filled))
    assert page.status_code == 200
    assert rows(page.text, "types")
    assert "Private" not in page.text
    assert "Can't tell if public" in page.text
