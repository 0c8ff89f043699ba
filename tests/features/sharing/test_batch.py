"""The sign desk: what to sign, what there is of it, and the links in every form."""

import csv
import re
from datetime import timedelta
from html import unescape
from io import StringIO
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.features.sharing.models import LinkSet
from dashboard.jobs.models import Job
from dashboard.journal.models import Entry
from dashboard.links.models import RawLink
from dashboard.team.models import Person
from tests.features.network.desk import TRACKING
from tests.features.sharing.conftest import Calls, Desk, Faults
from tests.features.sharing.signing import MISSING, address, crawled, output, prepared, signed, table
from tests.pages import htmx

HOST = "track.nordlicht-logistik.example"


def test_few_are_counted_first_and_signed_in_the_request(desk: Desk, calls: Calls) -> None:
    desk.put("a/1.txt", "a/2.txt", "b.txt", body=b"12345")
    links = prepared(desk, keys="a/1.txt\r\nb.txt\nnot there.txt\n\n")
    assert not any("/object/sign/" in call for call in calls())
    page = desk.client.get(address(desk, "signed", links.pk)).text
    assert "2 objects, 10 bytes." in page
    assert "1 object not found, or not visible to your token." in page
    assert "not there.txt" in page
    calls()
    signed(desk, links)
    assert [call for call in calls() if "/object/sign/" in call] == [sign_call(desk)]
    assert (links.signed, links.refused, links.waiting) == (2, 1, [])
    assert RawLink.objects.get().keys == ["a/1.txt", "b.txt"]
    assert (Entry.objects.get(operation="S15").after or {})["keys"] == ["a/1.txt", "b.txt"]
    assert not Job.objects.exists()


def test_the_failed_ones_are_signed_again_alone(desk: Desk) -> None:
    desk.put("a.txt")
    links = signed(desk, prepared(desk, keys="a.txt\nlate.txt"))
    desk.put("late.txt")
    end = links.ends_at
    signed(desk, links, refused="1")
    assert (links.signed, links.refused) == (2, 0)
    assert (Entry.objects.filter(operation="S15").latest("pk").after or {})["keys"] == ["late.txt"]
    entry = RawLink.objects.get()
    assert (entry.count, entry.keys) == (2, ["a.txt", "late.txt"])
    assert links.ends_at is not None
    assert end is not None
    assert abs(links.ends_at - end) < timedelta(seconds=2)


def test_keys_with_spaces_at_their_ends_are_signed_and_visible(desk: Desk) -> None:
    keys = [" first.txt", "last.txt ", "a/ ", "  "]
    desk.put(*keys)
    links = signed(desk, prepared(desk, keys="\n".join([*keys, " none"])))
    assert (links.signed, links.refused) == (4, 1)
    assert RawLink.objects.get().keys == keys
    assert "␣none" in desk.client.get(address(desk, "signed", links.pk)).text
    assert "␣first.txt" in desk.client.get(reverse("objects:index", args=(desk.space, desk.bucket))).text
    assert [key for key, _ in prepared(desk, folder="a").waiting] == ["a/ "]


def test_a_folder_a_search_and_a_table_of_keys_are_taken(desk: Desk) -> None:
    desk.put("f/1.txt", "f/g/2.txt", "k,1.txt")
    assert [key for key, _ in prepared(desk, folder="f").waiting] == ["f/1.txt", "f/g/2.txt"]
    assert [key for key, _ in prepared(desk, keys="f/g/\nk,1.txt").waiting] == ["k,1.txt", "f/g/2.txt"]
    assert [key for key, _ in prepared(desk, keys='key,size\n"k,1.txt",3\nf/1.txt,4').waiting] == ["k,1.txt", "f/1.txt"]
    listed = SimpleUploadedFile("list.csv", b"key,size\r\nf/1.txt,5\r\nlate/2.txt,6\r\n")
    assert [key for key, _ in prepared(desk, list=listed).waiting] == ["f/1.txt", "late/2.txt"]
    answer = desk.client.post(address(desk), {"life": "3600", "opens": "view", "search": "ext:txt"})
    assert answer.status_code == 422
    assert "isn&#x27;t searchable yet" in answer.text


@pytest.mark.parametrize("fields", [{}, {"keys": "\n\n"}, {"keys": "a", "search": "b"}, {"keys": "x" * 1025}])
def test_a_form_without_sense_says_so(desk: Desk, fields: dict[str, str]) -> None:
    answer = desk.client.post(address(desk), {"life": "3600", "opens": "view", **fields})
    assert answer.status_code == 422
    assert not LinkSet.objects.exists()


class TestCustomHostname:
    @pytest.fixture
    def ref(self) -> str:
        return TRACKING

    def test_every_output_can_have_an_active_custom_hostname(self, desk: Desk, settings: Settings) -> None:
        settings.STORAGE_PUBLIC_URL = "https://{ref}.storage.example/storage/v1"
        desk.put("a.txt")
        links = signed(desk, prepared(desk, keys="a.txt"))
        page = address(desk, "signed", links.pk)
        assert HOST not in desk.client.get(page).text, "nothing is known of it yet"
        assert desk.client.get(reverse("hostname:index", args=(desk.space,))).status_code == 200
        assert "?host=custom" in desk.client.get(page).text
        chosen = desk.client.get(f"{page}?host=custom").text
        outputs = set(re.findall(r'href="([^"]+/(?:lines|csv|script)[^"]*)"', chosen))
        assert len(outputs) == 4
        for output_url in outputs:
            assert "host=custom" in output_url
            answer = desk.client.get(unescape(output_url))
            text = b"".join(answer).decode()
            assert f"https://{HOST}/storage/v1/object/sign/" in text
            assert "storage.example" not in text.replace(HOST, "")
        assert f"https://{desk.space}.storage.example/" in output(desk, links, "lines")
        settings.STORAGE_PUBLIC_URL = "https://storage.example/{ref}/storage/v1"
        assert desk.client.get(f"{address(desk, 'output', links.pk, 'lines')}?host=custom").status_code == 404


def test_every_output_names_the_objects_and_leads_to_them(desk: Desk) -> None:
    desk.put("f/a & b.txt", "f/it's (1).txt")
    links = signed(desk, prepared(desk, keys="f/a & b.txt\nf/it's (1).txt\nf/none.txt"))
    lines = output(desk, links, "lines").splitlines()
    assert len(lines) == 2
    assert all(line.startswith("http") for line in lines)
    rows = list(csv.DictReader(StringIO(output(desk, links, "csv"))))
    assert [row["key"] for row in rows] == ["f/a & b.txt", "f/it's (1).txt", "f/none.txt"]
    assert [row["address"] for row in rows] == [*lines, ""]
    assert rows[2]["refusal"] == MISSING
    script = output(desk, links, "script")
    assert script.startswith("#!/bin/sh")
    assert script.count("\nfetch ") == 2
    shown = desk.client.get(address(desk, "output", links.pk, "lines"), {"show": "1"})
    assert "no-store" in shown["Cache-Control"]
    assert re.search(r"<textarea[^>]*readonly", shown.text)
    assert desk.client.get(address(desk, "output", links.pk, "exe")).status_code == 404


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"opens": "view", "name": "ignored"}, [None, None]),
        ({"opens": "download"}, ["", ""]),
        ({"opens": "download", "name": "offer"}, ["offer 1.txt", "offer 2.pdf"]),
        ({"opens": "download", "name": "offer.doc"}, ["offer 1.doc", "offer 2.doc"]),
    ],
)
def test_a_set_shows_its_objects_or_downloads_them_under_numbered_names(
    desk: Desk, fields: dict[str, str], names: list[str | None]
) -> None:
    desk.put("a.txt", "b/c.pdf")
    links = signed(desk, prepared(desk, keys="a.txt\nb/c.pdf", **fields))
    queries = [parse_qs(urlsplit(line).query, keep_blank_values=True) for line in output(desk, links, "lines").split()]
    assert [query.get("download", [None])[0] for query in queries] == names
    assert {row["address"] for row in table(output(desk, links, "csv"))} == set(output(desk, links, "lines").split())
    again = desk.client.get(f"{address(desk)}?again={links.pk}").text
    assert bool(re.search(r'value="download"[^>]* checked', again)) == (fields["opens"] == "download")


def test_one_signed_link_has_the_name_without_a_number(desk: Desk) -> None:
    desk.put("a.txt")
    links = signed(desk, prepared(desk, keys="a.txt", opens="download", name="offer"))
    assert output(desk, links, "lines").strip().endswith("&download=offer.txt")


def test_what_was_signed_stays_when_the_service_fails_in_between(desk: Desk, faults: Faults) -> None:
    desk.put("a.txt")
    links = prepared(desk, keys="a.txt")
    faults("S15", status=429, retry_after=30)
    answer = desk.client.post(address(desk, "signing", links.pk))
    assert answer.status_code == 422
    links.refresh_from_db()
    assert links.waiting == [["a.txt", 1]]
    assert not RawLink.objects.exists()


def test_a_refused_number_makes_smaller_batches(desk: Desk, faults: Faults) -> None:
    desk.put(*(f"a/{number}" for number in range(12)))
    links = prepared(desk, folder="a/")
    faults("S15", status=413, message="Request body is too large", times=2)
    signed(desk, links)
    assert (links.signed, links.refused) == (12, 0)
    assert RawLink.objects.get().count == 12


def test_all_of_a_set_are_made_anew_with_another_end(desk: Desk) -> None:
    desk.put("a.txt", "b.txt")
    links = signed(desk, prepared(desk, keys="a.txt\nb.txt"))
    assert f'href="{address(desk, "signed", links.pk)}">2 links</a>' in desk.client.get(address(desk)).text
    page = desk.client.get(address(desk, "signed", links.pk)).text
    here = f"{address(desk)}?again={links.pk}"
    assert f'href="{here}"' in page
    asked = desk.client.get(here, headers=htmx("dialog"))
    assert asked.status_code == 200
    assert "Create links for 2 objects" in asked.text
    assert desk.client.post(here, {"life": "604800", "opens": "view"}).status_code == 303
    again = signed(desk, LinkSet.objects.latest("pk"))
    assert (again.signed, RawLink.objects.count()) == (2, 2)


def test_a_second_post_signs_nothing_twice(desk: Desk) -> None:
    desk.put("a.txt")
    links = signed(desk, signed(desk, prepared(desk, keys="a.txt")))
    assert links.signed == 1
    assert Entry.objects.filter(operation="S15").count() == 1


def test_folders_searches_and_large_selections_lead_from_the_list_to_the_desk(desk: Desk) -> None:
    there = reverse("objects:links", args=(desk.space, desk.bucket))
    for fields in ({"folder": "f/"}, {"all": "1", "filter": "ext:txt"}, {"key": [f"{number}.txt" for number in range(1001)]}):
        answer = desk.client.get(desk.client.post(there, fields)["Location"])
        assert answer.status_code == 302
        assert answer["Location"].startswith(f"{address(desk)}?selection=")
        shown = desk.client.get(answer["Location"], headers=htmx("dialog"))
        assert shown.status_code == 200
        assert 'name="keys"' not in shown.text
    assert desk.client.post(there, {"key": "a.txt"}, follow=True).status_code == 200


def test_without_an_address_for_browsers_it_says_so(desk: Desk, hidden: None) -> None:
    assert hidden is None
    asked = desk.client.get(address(desk)).text
    assert "Browsers can&#x27;t reach the storage here" in asked
    assert 'name="life"' not in asked


def sign_call(desk: Desk) -> str:
    path = f"/{desk.space}/storage/v1/object/sign/{desk.bucket.replace(' ', '%20')}"
    return f"POST {path}"


def test_a_folder_with_nothing_in_it_is_named(desk: Desk) -> None:
    desk.put("f/1.txt")
    page = desk.client.get(address(desk, "signed", prepared(desk, keys="f/\nnowhere/").pk)).text
    assert "1 object, 1 byte." in page
    assert "Empty: “nowhere/”." in page


def test_what_a_search_found_is_shared_as_one_link(desk: Desk) -> None:
    desk.put("a.txt", "f/b.txt", "c.pdf")
    crawled(desk)
    links = prepared(desk, search="ext:txt")
    for page in (desk.client.get(address(desk, "signed", links.pk)).text, opened_after_signing(desk, links)):
        assert set(re.findall(r'name="key" value="([^"]+)"', page)) == {"a.txt", "f/b.txt"}
        assert "It includes the current search results" in page


def test_what_is_missing_is_not_shared(desk: Desk) -> None:
    desk.put("a.txt")
    links = prepared(desk, keys="a.txt\nnone.txt")
    for page in (desk.client.get(address(desk, "signed", links.pk)).text, opened_after_signing(desk, links)):
        assert re.findall(r'name="key" value="([^"]+)"', page) == ["a.txt"]


def test_the_ledger_leads_to_the_page_where_a_set_is_kept(desk: Desk, ada: Person) -> None:
    desk.put("a.txt")
    links = signed(desk, prepared(desk, keys="a.txt\nnone.txt"))
    home = address(desk, "signed", links.pk)
    assert f'href="{home}"' in desk.client.get(reverse("sharing:raw")).text
    LinkSet.objects.update(owner=ada)
    assert "Show at the sign desk" not in desk.client.get(reverse("sharing:raw")).text, "only one's own can be opened"


def opened_after_signing(desk: Desk, links: LinkSet) -> str:
    return desk.client.get(address(desk, "signed", signed(desk, links).pk)).text
