"""Making, changing and ending share links, as somebody signed in does."""

import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.journal.models import Entry
from dashboard.links.models import Share
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.features.service import Calls
from tests.features.sharing.conftest import Desk
from tests.pages import PageClient, kept


def of(desk: Desk, *keys: str, folders: tuple[str, ...] = ()) -> str:
    """The address of the form for a selection."""
    return kept(desk.client, desk.address(), key=keys, folder=folders)


def form(**fields: str) -> dict[str, str]:
    return {"life": "604800", "landing": "page", **fields}


def made_address(text: str) -> str:
    found = re.search(r'<code class="links__address"[^>]*>([^<]+)</code>', text)
    assert found, text
    return unescape(found[1])


def test_an_object_is_shared_for_a_week_and_the_address_is_shown_once_made(desk: Desk) -> None:
    desk.put("a b.txt")
    asked = desk.client.get(desk.address(), {"key": "a b.txt"})
    assert "Share a b.txt" in asked.text
    assert re.search(r'value="604800"[^>]*selected', asked.text)
    assert not Share.objects.exists(), "opening the dialog makes nothing"
    done = desk.client.post(of(desk, "a b.txt"), form())
    assert done.status_code == 200
    address = made_address(done.text)
    assert address.startswith("http://testserver/l/")
    assert "Copy, change or revoke it" in done.text
    assert desk.visitor.get(address).status_code == 200
    share = Share.objects.get()
    assert abs((share.ends_at - datetime.now(UTC)) - timedelta(days=7)) < timedelta(minutes=1)


def test_the_address_is_below_the_public_one_where_that_is_set(desk: Desk, settings: Settings) -> None:
    settings.PUBLIC_URL = "https://pilot.example"
    assert made_address(desk.client.post(of(desk, "a.txt"), form()).text).startswith("https://pilot.example/l/")


def test_making_asks_the_service_nothing(desk: Desk, calls: Calls) -> None:
    calls()
    desk.client.get(desk.address(), {"key": "a.txt"})
    desk.client.post(of(desk, "a.txt"), form())
    assert calls() == []


def test_a_selection_and_a_folder_are_shared_as_one_link(desk: Desk) -> None:
    desk.put("a.txt", "in/b.txt")
    asked = desk.client.post(desk.address(), {"key": ["a.txt"], "folder": ["in/"]}, follow=True)
    assert "1 object and 1 folder" in asked.text
    address = made_address(desk.client.post(of(desk, "a.txt", folders=("in/",)), form()).text)
    page = desk.visitor.get(address)
    assert ">in/b.txt<" in page.text
    assert Share.objects.get().landing, "more than one object always comes with the page"


def test_in_the_dialog_the_list_of_links_learns_of_it(desk: Desk) -> None:
    answer = desk.client.send(of(desk, "a.txt"), **form())
    assert answer["HX-Trigger"] == "links:changed"
    assert "Link created" in answer.text


@pytest.mark.parametrize(
    ("fields", "status", "is_protected"),
    [
        ({}, 200, False),
        ({"protected": "no"}, 200, False),
        ({"protected": "no", "password": "four random words"}, 200, False),
        ({"protected": "no", "password": "short"}, 200, False),
        ({"protected": "yes", "password": "four random words"}, 200, True),
        ({"password": "four random words"}, 200, True),
        ({"protected": "yes"}, 422, False),
        ({"protected": "yes", "password": "short"}, 422, False),
    ],
)
def test_the_word_for_the_password_decides(desk: Desk, fields: dict[str, str], status: int, is_protected: bool) -> None:
    assert desk.client.post(of(desk, "a.txt"), form(**fields)).status_code == status
    assert [bool(share.password) for share in Share.objects.all()] == [is_protected] * (status == 200)


def test_somebody_without_a_name_is_asked_for_one_before_the_first_link(desk: Desk, owner: Person) -> None:
    assert 'name="name"' not in desk.client.get(desk.address(), {"key": "a.txt"}).text
    Person.objects.filter(pk=owner.pk).update(name="")
    desk.put("a.txt")
    assert "Recipients see who shared it." in desk.client.get(desk.address(), {"key": "a.txt"}).text
    for missing in ({}, {"name": "  "}):
        assert desk.client.post(of(desk, "a.txt"), form(**missing)).status_code == 422
    assert not Share.objects.exists()
    address = made_address(desk.client.post(of(desk, "a.txt"), form(name="Olga O.")).text)
    page = desk.visitor.get(address).text
    assert "Shared by <bdi>Olga O.</bdi>" in page
    assert owner.email not in page
    assert Entry.objects.get(operation="name changed").after == {"name": "Olga O."}
    assert 'name="name"' not in desk.client.get(desk.address(), {"key": "a.txt"}).text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"life": "exact"}, "Enter when it expires"),
        ({"life": "exact", "end": "2001-01-01T00:00"}, "in the past"),
        ({"life": "exact", "end": "0001-01-01T00:00", "zone": "Asia/Tokyo"}, "Choose another date"),
        ({"life": "5"}, "Select a valid choice"),
        ({"life": ""}, "required"),
        ({"limit": "0"}, "Enter 1 or more."),
        ({"limit": "many"}, "whole number"),
        ({"password": "short"}, "at least 8 characters"),
        ({"password": "password123"}, "too common"),
        ({"password": "9172837465"}, "entirely numeric"),
        ({"note": "x" * 501}, "at most 500 characters"),
    ],
)
def test_bad_input_is_a_sentence_at_the_form(desk: Desk, fields: dict[str, str], words: str) -> None:
    answer = desk.client.post(of(desk, "a.txt"), {**form(), **fields})
    assert answer.status_code == 422
    assert words in answer.text
    assert not Share.objects.exists()


@pytest.mark.parametrize(("zone", "kept"), [("Asia/Tokyo", "Asia/Tokyo"), ("Europe", ""), ("../x", ""), ("", "")])
def test_the_zone_is_kept_where_it_is_one(desk: Desk, zone: str, kept: str) -> None:
    made_address(desk.client.post(of(desk, "a.txt"), form(zone=zone)).text)
    share = Share.objects.get()
    assert share.zone == kept
    edit = {"life": "keep", "landing": "page", "note": "", "limit": ""}
    assert desk.client.post(reverse("sharing:edit", args=(share.pk,)), edit).status_code == 303
    assert ("in Tokyo" in desk.client.get(reverse("sharing:edit", args=(share.pk,))).text) is bool(kept)
    share.refresh_from_db()
    assert share.zone == kept, "without a script the browser names none"


def test_an_exact_end_is_meant_in_that_zone(desk: Desk) -> None:
    day = f"{datetime.now(UTC) + timedelta(days=3):%Y-%m-%d}"
    until = {**form(), "life": "exact", "end": f"{day}T09:00", "zone": "Asia/Tokyo"}
    made_address(desk.client.post(of(desk, "a.txt"), until).text)
    assert Share.objects.get().ends_at.hour == 0


def test_a_link_that_starts_the_download_is_offered_of_a_single_object_only(desk: Desk) -> None:
    assert 'value="direct"' in desk.client.get(desk.address(), {"key": "a.txt"}).text
    assert 'value="direct"' not in desk.client.get(desk.address(), {"key": ["a.txt", "b.txt"]}).text
    assert 'value="direct"' not in desk.client.get(desk.address(), {"folder": "in/"}).text
    for share, asked in ((desk.share("a.txt")[0], True), (desk.share("a.txt", "b.txt")[0], False)):
        text = desk.client.get(reverse("sharing:edit", args=(share.pk,))).text
        assert ('value="direct"' in text) is asked


def test_a_search_is_led_to_the_desk_before_anything_is_typed(desk: Desk) -> None:
    asked = desk.client.get(desk.address(), {"filter": "ext:pdf", "all": "1", "path": "in/"})
    assert "be shared" in asked.text
    assert "Create link" not in asked.text
    assert f"{reverse('sharing:desk', args=(desk.space, desk.bucket))}?filter=ext%3Apdf&amp;all=1&amp;path=in%2F" in asked.text


@pytest.mark.parametrize("selection", ["", "nonsense", "5"])
def test_an_address_without_a_selection_says_so(desk: Desk, selection: str) -> None:
    assert "Nothing selected" in desk.client.get(desk.address(), {"selection": selection}).text
    assert "Nothing selected" in desk.client.get(desk.address()).text


def test_a_selection_belongs_to_one_person_and_one_bucket(desk: Desk, as_ada: PageClient) -> None:
    here = of(desk, "a.txt")
    assert desk.client.get(here).status_code == 200
    assert "Share a.txt" not in as_ada.get(here).text
    elsewhere = f"{reverse('sharing:new', args=(desk.space, 'another-bucket'))}?{here.partition('?')[2]}"
    assert "Nothing selected" in desk.client.get(elsewhere).text


def test_a_selection_outlives_twenty_others_only_of_its_kind(desk: Desk) -> None:
    oldest = of(desk, "a.txt")
    for _ in range(20):
        newest = of(desk, "b.txt")
    assert desk.client.get(oldest).status_code == 404
    assert desk.client.get(newest).status_code == 200


def test_a_link_leads_to_at_most_a_thousand_things(desk: Desk) -> None:
    answer = desk.client.post(of(desk, *(str(number) for number in range(1001))), form())
    assert answer.status_code == 422
    assert "at most 1,000" in answer.text


def test_a_double_post_makes_one_link(desk: Desk) -> None:
    fields, here = form(once="k" * 24), of(desk, "a.txt")
    desk.client.post(here, fields)
    desk.client.post(here, fields)
    assert Share.objects.count() == 1


def test_without_a_token_for_the_storage_nothing_is_shared(desk: Desk) -> None:
    StoredToken.objects.filter(kind="storage").delete()
    assert "No storage token" in desk.client.get(desk.address(), {"key": "a.txt"}).text
    assert desk.client.post(f"{desk.address()}?key=a.txt", form()).status_code == 403


def test_changing_keeps_the_address(desk: Desk) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", limit=5)
    edit = reverse("sharing:edit", args=(share.pk,))
    shown = desk.client.get(edit)
    assert made_address(shown.text).endswith(path)
    answer = desk.client.post(
        edit, {"life": "2592000", "landing": "page", "password": "four random words", "limit": "", "note": "New"}
    )
    assert answer.status_code == 303
    share.refresh_from_db()
    assert (share.limit, share.note, bool(share.password)) == (None, "New", True)
    assert share.ends_at > datetime.now(UTC) + timedelta(days=29)
    assert "Password required" in desk.visitor.get(path).text
    desk.client.post(edit, {"life": "keep", "landing": "page", "password": "", "limit": "", "note": ""})
    assert "Password required" in desk.visitor.get(path).text
    end = Share.objects.get(pk=share.pk).ends_at
    desk.client.post(edit, {"life": "keep", "landing": "page", "no_password": "on", "limit": "", "note": ""})
    assert "a.txt" in desk.visitor.get(path).text
    assert Share.objects.get(pk=share.pk).ends_at == end


def test_a_link_changed_meanwhile_is_not_overwritten_unseen(desk: Desk) -> None:
    share, _ = desk.share("a.txt")
    edit, seen = reverse("sharing:edit", args=(share.pk,)), re.compile(r'name="seen" value="(\w+)"')
    [before] = seen.findall(desk.client.get(edit).text)
    terms = {"life": "keep", "landing": "page", "password": ""}
    assert desk.client.post(edit, {**terms, "limit": "3", "note": "First", "seen": before}).status_code == 303
    answer = desk.client.post(edit, {**terms, "limit": "", "note": "Second", "seen": before})
    assert answer.status_code == 409
    assert "It now expires in 7 days and has a limit of 3, no password and the note “First”." in answer.text
    share.refresh_from_db()
    assert (share.limit, share.note) == (3, "First")
    [now] = seen.findall(answer.text)
    assert desk.client.post(edit, {**terms, "limit": "", "note": "Second", "seen": now}).status_code == 303
    share.refresh_from_db()
    assert (share.limit, share.note) == (None, "Second")


def test_changing_a_link_says_that_its_file_is_missing(desk: Desk) -> None:
    share, path = desk.share("a.txt")
    edit = reverse("sharing:edit", args=(share.pk,))
    assert "file is missing" not in desk.client.get(edit).text
    assert desk.visitor.get(path).status_code == 404
    assert "Its file is missing, so visitors can&#x27;t open it." in desk.client.get(edit).text


def test_a_limit_below_what_was_taken_is_refused(desk: Desk) -> None:
    share, _ = desk.share("a.txt", limit=5)
    Share.objects.update(opened=3)
    answer = desk.client.post(reverse("sharing:edit", args=(share.pk,)), {"life": "keep", "landing": "page", "limit": "2"})
    assert (answer.status_code, "It was already opened 3 times." in answer.text) == (422, True)


def test_revoking_and_restoring(desk: Desk) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    revoke, restore = (reverse(f"sharing:{verb}", args=(share.pk,)) for verb in ("revoke", "restore"))
    assert "Revoke link" in desk.client.get(revoke).text
    assert desk.visitor.get(path).status_code == 200
    ended = desk.client.send(revoke)
    assert "links:changed" in ended["HX-Trigger"]
    assert restore in ended.text, "it can be undone from the notice"
    assert "Changes apply once it is restored" in desk.client.get(reverse("sharing:edit", args=(share.pk,))).text
    assert desk.visitor.get(path).status_code == 410
    assert "Revoked" in desk.client.get(reverse("sharing:ledger")).text
    assert desk.client.post(restore).status_code == 303
    assert desk.visitor.get(path).status_code == 200


def test_all_of_it_is_in_the_journal_without_code_or_password(desk: Desk) -> None:
    answer = desk.client.post(of(desk, "a.txt"), form(password="four random words", note="Hello"))
    code = made_address(answer.text).rpartition("/")[2]
    share = Share.objects.get()
    for verb in ("revoke", "restore"):
        desk.client.post(reverse(f"sharing:{verb}", args=(share.pk,)))
    fields = {"life": "3600", "landing": "page", "limit": "2", "note": "", "password": "other random words"}
    desk.client.post(reverse("sharing:edit", args=(share.pk,)), fields)
    entries = Entry.objects.filter(operation__startswith="link ").order_by("pk")
    assert [entry.operation for entry in entries] == ["link shared", "link revoked", "link reopened", "link changed"]
    assert {entry.outcome for entry in entries} == {"done"}
    text = json.dumps([[entry.before, entry.after, entry.target] for entry in entries])
    for secret in (code, "four random words", "other random words"):
        assert secret not in text
    assert '"limit": 2' in text


class TestOthers:
    def test_a_member_sees_and_touches_only_the_own_links(self, desk: Desk, as_ada: PageClient, ada: Person) -> None:
        share, _ = desk.share("a.txt")
        assert ada.pk != share.owner_id
        assert "No share links yet" in as_ada.get(reverse("sharing:ledger")).text
        for verb in ("edit", "revoke", "restore"):
            address = reverse(f"sharing:{verb}", args=(share.pk,))
            assert as_ada.get(address).status_code == 404
            assert as_ada.post(address).status_code == 404
        share.refresh_from_db()
        assert share.revoked_at is None

    def test_an_owner_of_the_team_sees_everybodys_but_not_their_addresses(self, desk: Desk, ada: Person) -> None:
        share, path = desk.share("a.txt")
        Share.objects.update(owner=ada)
        assert "Ada Member" in desk.client.get(reverse("sharing:ledger")).text
        edit = desk.client.get(reverse("sharing:edit", args=(share.pk,)))
        assert edit.status_code == 200
        assert path not in edit.text

    def test_no_other_verb_is_taken(self, desk: Desk) -> None:
        share, path = desk.share("a.txt")
        assert desk.client.put(desk.address()).status_code == 405
        assert desk.client.post(reverse("sharing:ledger")).status_code == 405
        assert desk.client.delete(reverse("sharing:revoke", args=(share.pk,))).status_code == 405
        assert desk.visitor.put(path).status_code == 405
        assert desk.visitor.post(f"{path}/file").status_code == 405


def test_the_ledger_tells_state_count_and_end_in_pages(desk: Desk) -> None:
    desk.share("dir/a.txt", limit=5, password="four random words")
    Share.objects.update(opened=2)
    page = desk.client.get(reverse("sharing:ledger"))
    for words in ("a.txt", "2 of 5", "Active", "password", "1 link"):
        assert words in page.text, words
    for _ in range(100):
        desk.share("b.txt")
    assert "101 links" in desk.client.part(reverse("sharing:ledger"), "links").text
    assert "a.txt" in desk.client.get(reverse("sharing:ledger"), {"offset": "100"}).text


def test_a_bucket_with_a_question_mark_in_its_name_is_shared_from(desk: Desk) -> None:
    bucket = f"why? {uuid4().hex[:8]}"
    desk.storage.buckets.create(bucket)
    try:
        for verb in ("new", "desk"):
            here = reverse(f"sharing:{verb}", args=(desk.space, bucket))
            text = desk.client.get(here, {"key": "a.txt"}).text
            assert f'action="{here}?key=a.txt"' in text
    finally:
        desk.storage.buckets.delete(bucket)


def test_the_folder_toolbar_offers_every_kind_of_link_by_one_button(desk: Desk) -> None:
    desk.put("f/a.txt")
    place = (desk.space, desk.bucket)
    page = desk.client.get(f"/storage/{desk.space}/{quote(desk.bucket)}/?path=f/").text
    assert re.findall(r'aria-label="(Share [^"]+)"', page) == ["Share this folder"]
    asked = desk.client.get(f"{desk.address()}?folder=f%2F").text
    kinds = re.findall(r'class="chip" href="([^"]+)"', asked)
    wanted = [(reverse("sharing:new", args=place)), reverse("objects:links", args=place), reverse("sharing:desk", args=place)]
    assert [unescape(href).partition("?")[0] for href in kinds] == wanted
    signed = desk.client.get(unescape(kinds[1]), follow=True).text
    assert "Share f" in signed
