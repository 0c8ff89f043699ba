"""The list of a bucket."""

import re
import time
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from pytest_django.fixtures import Settings

from dashboard.catalog.crawl import begin
from dashboard.features.objects.records import Query
from dashboard.features.objects.services import browse
from dashboard.features.objects.services.browse import Folder
from dashboard.features.objects.views import rows
from dashboard.interfaces import StorageInterface
from dashboard.team.models import Person
from dashboard.tokens.credentials import forget, store
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from dashboard.web.pages.sort_order import Sort
from tests.conftest import Sandbox
from tests.features.objects.conftest import Desk
from tests.features.service import Faults
from tests.jobs.conftest import turn


def shown(html: str) -> list[str]:
    cells = re.findall(r'<th scope="row">.*?<bdi[^>]*>(.*?)</bdi>', html, re.DOTALL)
    return [re.sub("<[^>]+>", "", cell) for cell in cells]


def test_it_shows_folders_first_then_objects(desk: Desk) -> None:
    desk.put("zeta/x.txt", "alpha.txt", "photos/a.png", "Readme.txt")
    answer = desk.client.get(desk.address())
    assert shown(answer.text) == ["photos", "zeta", "alpha.txt", "Readme.txt"]
    assert "4 entries" in answer.text


def test_no_folder_is_missing_from_z_to_a(desk: Desk, faults: Faults) -> None:
    """Services of 2026 leave out folders that come after an object, also where a page ends."""
    numbers = range(150)
    desk.put(
        *(f"{number:03}.txt" for number in numbers), *(f"{number:03}/x.txt" for number in numbers), "Docs/a.txt", "docs/b.txt"
    )
    faults("S13", spoil=True)
    seen, address = list[str](), f"{desk.address()}?sort=-name"
    while address:
        page = desk.client.get(address).text
        seen += shown(page)
        more = re.search(r'class="more"[^>]*hx-get="([^"]+)"', page)
        address = more[1].replace("&amp;", "&") if more else ""
        if address.startswith("?"):
            address = desk.address() + address
    assert sorted(seen) == sorted([f"{number:03}{end}" for number in numbers for end in ("", ".txt")] + ["Docs", "docs"])
    assert seen[:4] == ["docs", "Docs", "149", "149.txt"]


def test_folders_whose_names_contain_the_filter_are_found_from_z_to_a(desk: Desk, faults: Faults) -> None:
    desk.put("a.txt", "my a/x.txt", "my b/x.txt", "z a.txt")
    faults("S13", spoil=True)
    for sort in ("name", "-name"):
        page = desk.client.get(desk.address(), {"search": "y", "sort": sort}).text
        assert sorted(shown(page)) == ["my a", "my b"]


def test_another_column_sorts_from_a_first_and_from_the_newest_first() -> None:
    assert rows.time_column(Query(), base="").words == "sort newest first"
    assert rows.columns(Query(sort=Sort("-created")), base="")[0].words == "sort A to Z"


def test_a_folder_shows_what_is_in_it_and_the_way_back(desk: Desk) -> None:
    desk.put("a b/c+d/e.txt")
    answer = desk.client.get(desk.address(), {"path": "a b/c+d"})
    assert shown(answer.text) == ["e.txt"]
    assert f'href="{desk.address()}?path=a+b%2F"' in answer.text


def test_a_long_path_is_told_by_its_ends(desk: Desk) -> None:
    desk.put("a/b/c/d/e/f/g.txt")
    answer = desk.client.get(desk.address(), {"path": "a/b/c/d/e/f/"}).text
    assert re.findall(r"<bdi>([^<]+)</bdi></(?:a></li|h1)>", answer) == [desk.bucket, "… 4 folders", "e", "f"]
    assert f'href="{desk.address()}?path=a%2Fb%2Fc%2Fd%2F"' in answer


def test_a_file_has_the_colour_of_its_kind_and_its_extension(desk: Desk) -> None:
    desk.put("a.pdf", "b.xlsx", "c.weird", "d.longer", "sub/x.txt")
    desk.put("no extension", content_type="image/png")
    page = desk.client.get(desk.address()).text
    marks = re.findall(r'<a(?:\sdata-kind="(\w+)")?(?:\sdata-ending="(\w+)")?\s+href="\?open=([^"]+)"', page)
    assert sorted(marks, key=lambda mark: mark[2]) == [
        ("pdf", "PDF", "a.pdf"),
        ("table", "XLSX", "b.xlsx"),
        ("text", "", "c.weird"),
        ("text", "", "d.longer"),
        ("image", "", "no+extension"),
    ]


def test_the_menu_of_a_bucket_offers_what_concerns_all_of_it(desk: Desk) -> None:
    desk.put("sub/a.txt")
    page = desk.client.get(desk.address(), {"path": "sub/"}).text
    menu = page.partition('id="bucket-menu"')[2].partition("</popup-menu>")[0]
    for address in ("~usage/?path=sub%2F", "~search/crawl/", "/access/new/", "~request/?folder=sub%2F"):
        assert address in menu
    for label in ("Upload folder", "Type and caching", "Settings", "Empty bucket", "Delete bucket"):
        assert f"</svg>{label}</" in menu


def test_a_row_leads_into_its_folder(desk: Desk) -> None:
    desk.put("one/two & three/x.txt")
    listed = desk.client.get(desk.address(), {"path": "one/"}).text
    address = re.search(r'class="objects__folder"\s+href="([^"]+)"', listed)
    assert address
    inside = desk.client.get(desk.address() + address[1].replace("&amp;", "&"))
    assert shown(inside.text) == ["x.txt"]


def test_a_time_that_the_service_never_updates_is_not_offered(desk: Desk) -> None:
    desk.put("a.txt")
    answer = desk.client.get(desk.address(), {"sort": "accessed"})
    assert answer.status_code == 200
    assert "Last accessed" not in answer.text


def test_it_asks_the_service_at_most_three_things(desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.put("a.txt")
    desk.client.get(desk.address())  # the project's name is known from now on
    before = len(calls())
    desk.client.get(desk.address())
    assert len(calls()) - before == 2
    before = len(calls())
    desk.client.get(desk.address(), {"open": "a.txt"})
    assert len(calls()) - before == 3


def test_the_mark_of_an_empty_folder_is_not_an_object(desk: Desk) -> None:
    desk.put("kept/.emptyFolderPlaceholder", body=b"")
    assert "This folder is empty" in desk.client.get(desk.address(), {"path": "kept/"}).text


def test_an_empty_bucket_says_so_and_how_to_begin(desk: Desk) -> None:
    assert "This bucket is empty" in desk.client.get(desk.address()).text


def test_a_search_shows_first_what_begins_with_the_text(desk: Desk) -> None:
    desk.put("meta.txt", "mp3.bin", "cat.txt", "am.txt")
    assert shown(desk.client.get(desk.address(), {"search": "M"}).text) == ["meta.txt", "mp3.bin", "am.txt"]
    nothing = desk.client.get(desk.address(), {"search": "zz"}).text
    assert "No names contain" in nothing
    assert "Clear filter" in nothing


def test_it_sorts_and_says_in_words_how(desk: Desk) -> None:
    desk.put("a.txt")
    desk.put("b.txt")
    answer = desk.client.get(desk.address(), {"sort": "-created"}).text
    assert shown(answer) == ["b.txt", "a.txt"]
    assert 'aria-sort="descending"' in answer
    assert "newest first" in answer


@pytest.mark.parametrize(
    ("old", "names", "column"),
    [
        ({"order": "desc"}, ["b.txt", "a.txt"], "-name"),
        ({"sort": "created", "order": "asc"}, ["a.txt", "b.txt"], "created"),
        ({"sort": "created", "order": "desc"}, ["b.txt", "a.txt"], "-created"),
    ],
)
def test_an_address_that_says_the_order_apart_still_sorts_and_leads_on_without(
    desk: Desk, old: dict[str, str], names: list[str], column: str
) -> None:
    desk.put("a.txt", "b.txt")
    answer = desk.client.get(desk.address(), old).text
    assert shown(answer) == names
    assert f'data-sort="{column}"' in answer
    assert not re.search("[?;]order=", answer.partition("<main")[2])


def test_what_an_address_asks_for_in_vain_counts_as_not_said(desk: Desk) -> None:
    desk.put("a.txt")
    answer = desk.client.get(desk.address(), {"sort": "-size", "offset": "-3"})
    assert shown(answer.text) == ["a.txt"]


def test_a_bucket_one_may_not_look_into_is_never_drawn_as_empty(desk: Desk, owner: Person, service: Sandbox) -> None:
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])
    answer = desk.client.get(desk.address())
    assert answer.status_code == 404
    assert "empty" not in re.sub(r'class="[^"]*"', "", answer.text)
    assert "can&#x27;t see it" in answer.text


def test_a_bucket_that_is_not_there_is_missing(desk: Desk) -> None:
    address = reverse("objects:index", kwargs={"space": desk.space, "bucket": "no such bucket"})
    assert desk.client.get(address).status_code == 404


def test_without_a_token_the_page_says_which_and_where(desk: Desk, owner: Person) -> None:
    forget(owner, StoredToken.objects.get(person=owner, kind=Kind.STORAGE))
    answer = desk.client.get(desk.address())
    assert answer.status_code == 200
    assert f"{reverse('account:token_new')}?kind=storage" in answer.text


@pytest.mark.parametrize("fault", [{"status": 500}, {"delay": 9}], ids=["failed", "slow"])
def test_a_list_is_drawn_without_the_facts_of_its_bucket(desk: Desk, faults: Faults, fault: dict[str, object]) -> None:
    desk.put("a.txt")
    faults("S4", **fault)
    begun = time.monotonic()
    answer = desk.client.get(desk.address(), {"open": "a.txt"})
    assert time.monotonic() - begun < 7
    assert answer.status_code == 200
    assert shown(answer.text) == ["a.txt"]
    assert "Settings unavailable" in answer.text
    assert "<dt>Public access</dt><dd>Unknown" in answer.text
    assert "Private" not in answer.text


def test_an_empty_list_is_no_empty_bucket_while_the_bucket_does_not_answer(desk: Desk, faults: Faults) -> None:
    faults("S4", status=500)
    answer = desk.client.get(desk.address())
    assert answer["X-Problem"] == "Broken"
    assert "is empty" not in answer.text


def test_rows_alone_are_one_call(desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.put("a.txt")
    desk.client.part(desk.address(), "objects-list")
    assert [call.split("/")[-2] for call in calls() if call.startswith(("POST", "GET"))][1:] == ["list"]


def test_another_persons_token_is_not_used(desk: Desk) -> None:
    stranger = Client()
    stranger.force_login(Person.objects.create(email="stranger@example.org"))
    assert "No storage token" in stranger.get(desk.address()).text


def test_a_service_that_is_gone_is_said_to_be(desk: Desk, settings: Settings) -> None:
    settings.STORAGE_URL = "http://127.0.0.1:9/{ref}"
    answer = desk.client.get(desk.address())
    assert answer.status_code == 200
    assert "reached" in answer.text


def test_htmx_gets_the_list_alone_and_the_browser_alone(desk: Desk) -> None:
    desk.put("a.txt")
    part = desk.client.get(desk.address(), headers={"HX-Request": "true", "HX-Target": "objects-list"}).text
    assert part.lstrip().startswith("<div")
    assert 'id="objects-list"' in part
    assert "<html" not in part
    whole = desk.client.get(desk.address(), headers={"HX-Request": "true", "HX-Target": "objects"}).text
    assert 'id="objects"' in whole
    assert "<html" not in whole


def test_a_folder_of_many_comes_in_pages_of_100(signed_in: Client, desk: Desk) -> None:
    desk.put(*[f"many/{number:03}.txt" for number in range(130)])
    first = desk.client.get(desk.address(), {"path": "many/"}).text
    assert len(shown(first)) == 100
    more = re.search(r'hx-get="([^"]*offset=100[^"]*)"', first)
    assert more
    assert "First 100" in first
    answer = desk.client.part(more[1].replace("&amp;", "&"), "objects-more-100")
    assert (answer["HX-Reswap"], answer["HX-Retarget"]) == ("afterend", "tbody:has(> #objects-more-100)")
    rest = answer.text
    assert shown(rest) == [f"{number:03}.txt" for number in range(100, 130)]
    assert answer["HX-Reselect"] == "tbody"
    assert "<thead" not in rest
    assert "<form" not in rest
    assert "offset=" not in rest


def test_what_is_added_below_comes_in_larger_parts_up_to_the_end_of_the_stretch(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PAGE_ROWS": 3, "APPENDED_ROWS": 7, "SECTION_ROWS": 12}.items():
        monkeypatch.setattr(browse, name, value)
    monkeypatch.setattr(rows, "BLOCK", 4)
    names = [f"{number:02}.txt" for number in range(14)]
    desk.put(*names)
    assert shown(desk.client.get(desk.address()).text) == names[:3]
    assert shown(desk.client.get(desk.address(), {"offset": "3"}).text) == names[3:6]
    part = desk.client.part(f"{desk.address()}?offset=3", "objects-more-3").text
    assert [shown(block) for block in part.split("</tbody>")][:-1] == [names[3:7], names[7:10]]
    assert part.count('id="objects-more-10"') == 1
    rest = desk.client.part(f"{desk.address()}?offset=10", "objects-more-10").text
    assert shown(rest) == names[10:12]
    assert "Next entries, from 13" in rest


@pytest.mark.parametrize(
    ("offset", "found", "more", "grows"),
    [(0, 100, True, True), (1800, 100, True, True), (1900, 100, True, False)],
)
def test_after_2000_rows_a_list_leads_on_instead_of_growing(offset: int, found: int, more: bool, grows: bool) -> None:
    folder = Folder(query=Query(offset=offset), entries=[], more=more, next_offset=offset + found)
    assert folder.grows is grows


def test_a_list_that_stops_growing_leads_on(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse, "SECTION_ROWS", 200)
    desk.put(*[f"many/{number:03}.txt" for number in range(210)])
    grown = desk.client.part(f"{desk.address()}?path=many%2F&offset=100", "objects-more-100").text
    assert shown(grown)[-1] == "199.txt"
    way_on = re.search(r'<a\s[^>]*href="([^"]*offset=200[^"]*)"[^>]*>Next entries, from 201</a>', grown)
    assert way_on
    rest = desk.client.part(way_on[1].replace("&amp;", "&"), "objects-list").text
    assert len(shown(rest)) == 10
    assert "Start of list" in rest


def test_an_address_past_the_end_says_so(desk: Desk) -> None:
    desk.put("a.txt")
    answer = desk.client.get(desk.address(), {"offset": "400"}).text
    assert "End of list" in answer
    assert "No entries from 401 on" in answer


def test_the_header_says_what_the_bucket_admits(desk: Desk) -> None:
    desk.storage.buckets.update(desk.bucket, public=True, file_size_limit=1024, allowed_mime_types=["image/*"])
    answer = desk.client.get(desk.address()).text
    assert "Public" in answer
    assert "1.0 KB" in answer
    assert 'data-limit="1024"' in answer
    assert 'data-types="image/*"' in answer


@pytest.mark.parametrize("name", ["a?b", "c&d=e", "f+g", "h:i;j", "k,l", "m@n$", "it's (1)!", "*"])
def test_buckets_of_every_name_open(signed_in: Client, storage: StorageInterface, space: str, name: str) -> None:
    storage.buckets.create(name)
    try:
        storage.objects.upload(name, "x.txt", b"x", content_type="text/plain")
        address = reverse("objects:index", kwargs={"space": space, "bucket": name})
        answer = signed_in.get(address, {"open": "x.txt"})
        assert shown(answer.text) == ["x.txt"]
        assert escape(name) in answer.text
    finally:
        storage.buckets.empty(name)
        storage.buckets.delete(name)


def filtered(desk: Desk, text: str, **asked: str) -> str:
    return str(desk.client.get(desk.address("index"), {"search": text, **asked}).text)


def test_a_filter_finds_names_that_contain_the_text_without_an_index(desk: Desk) -> None:
    desk.put("plan.txt", "Old Plan.txt", "a plan/x.txt", "other.txt", "plan/old.txt")
    answer = filtered(desk, "plan")
    assert "4 entries with “plan”" in answer
    assert answer.index("plan.txt") < answer.index("Old Plan.txt")
    assert "other.txt" not in answer
    assert "among its first" not in answer
    assert "0 entries with “plan/”" not in answer


def test_a_filter_says_which_names_it_looked_through_in_a_long_folder(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse, "LOOKED_THROUGH", 100)
    desk.put(*(f"{number:03} plan.txt" for number in range(101)), body=b"")
    answer = filtered(desk, "plan")
    assert "100 entries with “plan”" in answer
    assert "names that contain it are among its first 100 entries" in answer


def test_a_filter_finds_names_that_contain_the_text_in_the_index(desk: Desk, owner: Person) -> None:
    desk.put("in/plan.txt", "in/Old Plan.txt", "in/a plan/x.txt", "in/other.txt", "in/deep/plan.txt", "plan.txt")
    turn(begin(Workspace(owner), desk.space, desk.bucket).job)
    answer = filtered(desk, "plan", path="in/")
    assert "3 entries with “plan”" in answer
    assert "names that contain it are as last counted" in answer
    assert "other.txt" not in answer


@pytest.mark.parametrize("is_indexed", [False, True])
def test_a_filter_says_that_more_names_contain_the_text(
    desk: Desk, owner: Person, monkeypatch: pytest.MonkeyPatch, is_indexed: bool
) -> None:
    monkeypatch.setattr(browse, "MOST_CONTAINING", 3)
    for added, words in ((range(3), "3 entries with “plan”"), (range(3, 5), "3 entries so far with “plan”")):
        desk.put(*(f"{number} plan.txt" for number in added), body=b"")
        if is_indexed:
            turn(begin(Workspace(owner), desk.space, desk.bucket).job)
        assert words in filtered(desk, "plan")


def test_the_search_of_the_whole_bucket_keeps_the_text_of_the_filter(desk: Desk) -> None:
    desk.put("in/a.txt")
    answer = filtered(desk, 'two words:"', path="in/")
    assert "?q=%22two+words%3A%22" in answer
    found = desk.client.get(reverse("search:index", args=[desk.space, desk.bucket]), {"q": '"two words:"'})
    assert found.status_code == 200
