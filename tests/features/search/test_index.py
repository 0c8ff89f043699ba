"""Search in a whole bucket, as pages."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse
from django.utils.html import escape

from dashboard.catalog import writes
from dashboard.features.search import views
from dashboard.jobs.models import Job, State
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from tests.catalog.conftest import Shelf
from tests.conftest import Sandbox
from tests.features.service import Calls
from tests.jobs.conftest import turn
from tests.pages import PageClient, htmx
from tests.people import client_of


def address(shelf: Shelf, verb: str = "index") -> str:
    return reverse(f"search:{verb}", kwargs={"space": shelf.space, "bucket": shelf.bucket})


def found(html: str) -> list[str]:
    return re.findall(r'name="key" value="([^"]*)"', html)


@pytest.fixture
def filled(shelf: Shelf) -> Shelf:
    shelf.put("2024/Invoice 1.pdf", "2024/photo.jpg", "2025/q1/invoice-2.pdf", body=b"x" * 2048, content_type="application/pdf")
    shelf.put("readme.txt", body=b"")
    shelf.crawl()
    return shelf


def test_a_bucket_that_was_not_read_says_so_and_offers_to_read_it(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt")
    answer = as_owner.get(address(shelf))
    assert "Not searchable yet" in answer.text
    assert f'action="{escape(address(shelf, "crawl"))}"' in answer.text
    assert not found(answer.text)


def test_reading_it_is_a_job_that_a_second_person_joins(
    as_owner: PageClient, ada: Person, service: Sandbox, shelf: Shelf
) -> None:
    begun = as_owner.post(address(shelf, "crawl"))
    assert begun.status_code == 303
    job = Job.objects.get()
    store(ada, Kind.MANAGEMENT, "", service.personal_token)
    store(ada, Kind.STORAGE, shelf.space, service.storage_tokens[shelf.space]["service"])
    joined = client_of(ada).post(address(shelf, "crawl"), headers=htmx("search-state"))
    assert "is already being counted by Olga Owner" in joined.text
    assert "index:changed" in joined["HX-Trigger"]
    assert Job.objects.count() == 1
    waiting = as_owner.get(address(shelf), headers=htmx("search-state"))
    assert "Counting" in waiting.text
    assert "was=crawling" in waiting.text
    turn(job)
    first = as_owner.get(address(shelf), {"was": "unknown"}, headers=htmx("search-state"))
    assert first["HX-Retarget"] == "#search"
    assert 'id="search-results"' in first.text
    ended = as_owner.get(address(shelf), {"was": "crawling"}, headers=htmx("search-state"))
    assert "index:changed" in ended["HX-Trigger"]
    assert "As of" in ended.text
    assert "HX-Trigger" not in as_owner.get(address(shelf), headers=htmx("search-state")).headers


def test_it_finds_objects_of_all_folders_and_says_how_many(as_owner: PageClient, filled: Shelf) -> None:
    answer = as_owner.get(address(filled), {"q": "invoice"})
    assert found(answer.text) == ["2024/Invoice 1.pdf", "2025/q1/invoice-2.pdf"]
    assert "2 objects, 4.1 KB" in answer.text
    assert "As of" in answer.text
    assert "All 2 matches" in answer.text


def test_a_hit_opens_in_its_folder(as_owner: PageClient, filled: Shelf) -> None:
    answer = as_owner.get(address(filled), {"q": "invoice-2"})
    base = reverse("objects:index", kwargs={"space": filled.space, "bucket": filled.bucket})
    href = re.search(rf'href="({re.escape(escape(base))}\?path=[^"]*open=[^"]*)"', answer.text)
    assert href
    asked = parse_qs(urlsplit(href[1].replace("&amp;", "&")).query)
    assert asked == {"path": ["2025/q1/"], "open": ["2025/q1/invoice-2.pdf"]}


@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        ("ext:pdf path:2024", ["2024/Invoice 1.pdf"]),
        ("size:<1kb", ["readme.txt"]),
        ("type:image/", []),
        ("type:text/", ["readme.txt"]),
        ("newer:1h ext:jpg,pdf", ["2024/Invoice 1.pdf", "2025/q1/invoice-2.pdf", "2024/photo.jpg"]),
        ("older:1d", []),
    ],
)
def test_filters_narrow_it(as_owner: PageClient, filled: Shelf, asked: str, keys: list[str]) -> None:
    assert found(as_owner.get(address(filled), {"q": asked}).text) == keys


def test_what_is_not_understood_is_said_at_the_field(as_owner: PageClient, filled: Shelf) -> None:
    answer = as_owner.get(address(filled), {"q": "size:huge colour:red"})
    assert "“huge” is not a size" in answer.text
    assert "There is no filter called “colour:”" in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert not found(answer.text)


def test_the_fields_write_into_the_box(as_owner: PageClient, filled: Shelf) -> None:
    fields = {"fields": "1", "words": "invoice", "ext": "pdf", "least": "2 kb", "path": "2025/", "older": ""}
    answer = as_owner.get(address(filled), fields)
    assert answer.status_code == 302
    shown = as_owner.get(answer["Location"])
    assert 'value="invoice ext:pdf size:&gt;=2kb path:2025/"' in shown.text
    assert 'name="least" value="2kb"' in shown.text
    assert found(shown.text) == ["2025/q1/invoice-2.pdf"]


def test_it_sorts_over_everything(as_owner: PageClient, filled: Shelf) -> None:
    for largest in ({"sort": "-size"}, {"sort": "size", "order": "desc"}):
        answer = as_owner.get(address(filled), largest).text
        assert found(answer)[-1] == "readme.txt"
        assert 'aria-sort="descending"' in answer
        assert not re.search("[?;]order=", answer.partition("<main")[2])
    assert found(as_owner.get(address(filled), {"sort": "path"}).text)[0] == "2024/Invoice 1.pdf"
    assert found(as_owner.get(address(filled)).text)[-1] == "readme.txt"


def test_more_rows_come_by_a_link(as_owner: PageClient, filled: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "PAGE", 3)
    first = as_owner.get(address(filled), {"sort": "path"})
    assert len(found(first.text)) == 3
    more = re.search(r'<a href="([^"]+)"[^>]*>Show more</a>', first.text)
    assert more
    href = more[1].replace("&amp;", "&")
    assert found(as_owner.get(href).text) == ["readme.txt"]
    rows = as_owner.get(href, headers=htmx("search-more-3"))
    assert rows["HX-Retarget"] == "tbody:has(> #search-more-3)"
    assert found(rows.text) == ["readme.txt"]


def test_the_largest_folders_lead_into_themselves(as_owner: PageClient, filled: Shelf) -> None:
    answer = as_owner.get(address(filled))
    row = (
        r'<li class="find__folder">\s*<a href="[^"]*"><bdi>([^<]*)</bdi></a>\s*<span class="find__size"><span[^>]*>([^<]*)</span>'
    )
    ranked = re.findall(row, answer.text)
    assert ranked == [("2024/", "4.1 KB"), ("2025/", "2.0 KB")]
    assert "Largest folders in 2025/" in as_owner.get(address(filled), {"q": "path:2025/"}).text
    assert "Largest folders" not in as_owner.get(address(filled), {"q": "invoice"}).text


def test_everything_that_matches_goes_to_a_spreadsheet(as_owner: PageClient, filled: Shelf) -> None:
    writes.stored(*filled.place, "=formula.pdf", size=1, mimetype="=x")
    answer = as_owner.get(address(filled, "export"), {"q": "ext:pdf"})
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    lines = b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[attr-defined] # it is sent as it is read
    assert lines[0] == "key,bytes,type,changed,created,etag"
    assert [line.split(",")[0] for line in lines[1:]] == ["2024/Invoice 1.pdf", "2025/q1/invoice-2.pdf", "'=formula.pdf"]


def test_a_weaker_key_sees_nothing_of_it(ada: Person, service: Sandbox, filled: Shelf) -> None:
    store(ada, Kind.MANAGEMENT, "", service.personal_token)
    store(ada, Kind.STORAGE, filled.space, service.storage_tokens[filled.space]["anon"])
    answer = client_of(ada).get(address(filled), {"q": "invoice"})
    assert "Not searchable yet" in answer.text
    assert "Invoice" not in answer.text


def test_it_asks_the_service_nothing_but_the_name_of_the_project(as_owner: PageClient, filled: Shelf, calls: Calls) -> None:
    as_owner.get(address(filled))
    calls()
    as_owner.get(address(filled), {"q": "invoice"})
    as_owner.get(address(filled, "export"))
    assert calls() == []


def test_a_reading_that_did_not_end_says_so(as_owner: PageClient, filled: Shelf) -> None:
    as_owner.post(address(filled, "crawl"))
    Job.objects.filter(state=State.QUEUED).update(state=State.FAILED, message="The token was refused.")
    answer = as_owner.get(address(filled)).text
    assert "Partly counted" in answer
    assert "The token was refused." in answer
    assert "Count again" in answer


def test_a_bucket_whose_count_failed_is_not_called_empty(as_owner: PageClient, shelf: Shelf) -> None:
    as_owner.post(address(shelf, "crawl"))
    Job.objects.filter(state=State.QUEUED).update(state=State.FAILED, message="Bucket not found.")
    answer = as_owner.get(address(shelf)).text
    assert "Bucket not found." in answer
    assert "Counting stopped before it found any objects." in answer
    assert "was empty" not in answer
