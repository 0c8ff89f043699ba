"""The page for the owner of the DNS: one hostname's records and their states, by a link, and nothing else."""

import re
from collections.abc import Callable, Collection
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dashboard.features.hostname.models import Known
from dashboard.features.hostname.rules.findings import Question
from dashboard.features.hostname.services import instructions, resolver
from dashboard.features.hostname.services.resolver import Answers, Resolver
from dashboard.journal.models import Entry
from dashboard.links.models import Share
from dashboard.links.states import State
from dashboard.tokens.models import StoredToken
from tests.features.hostname.desk import NEWSLETTER, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient, htmx

TERMS = {"life": "604800", "note": ""}


@pytest.fixture(autouse=True)
def nothing_was_looked_up() -> None:
    instructions.forget()


def address(ref: str) -> str:
    return reverse("sharing:instructions", args=(ref,))


def share(client: PageClient, ref: str, **terms: str) -> str:
    """Make a link as somebody signed in does; the path that opens it."""
    answer = client.post(address(ref), {**TERMS, **terms}, headers=htmx("dialog"))
    found = re.search(r'<code class="links__address"[^>]*>https?://[^/]+(/l/[\w-]{22})<', answer.text)
    assert found, answer.text
    return found[1]


def text_of(answer: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text)))


def older(seconds: int) -> None:
    Known.objects.update(read_at=timezone.now() - timedelta(seconds=seconds))


def test_the_hostnames_page_offers_it_and_the_dialog_gives_a_letter(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    assert address(ref) in as_keeper.get(desk.address("index", ref)).text
    asked = as_keeper.get(address(ref))
    assert f"Share instructions for {host}" in asked.text
    for name in ("limit", "landing"):
        assert f'name="{name}"' not in asked.text
    terms = {**TERMS, "password": "four random words", "zone": "Asia/Tokyo"}
    made = as_keeper.post(address(ref), terms, headers=htmx("dialog"))
    assert made["HX-Trigger"] == "links:changed"
    letter = unescape(re.search(r"<textarea[^>]*>(.*?)</textarea>", made.text, re.DOTALL)[1])  # type: ignore[index] # it is there
    assert f"DNS records for {host}" in letter
    assert re.search(r"https?://testserver/l/[\w-]{22}\n", letter)
    assert f"{host}. 300 IN CNAME {ref}.supabase.co." in letter
    assert "asks for a password" in letter
    assert re.search(r"expires at \w+ [0-9]+ \w+ 20[0-9]+, [0-9:]{5} in Tokyo \([0-9]+ \w+ 20[0-9]+, [0-9:]+ UTC\)", letter)
    assert "four random words" not in made.text


def test_the_page_shows_the_records_and_their_live_states_and_nothing_else(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, found = desk.set_up()
    path = share(as_keeper, ref, note="Please by Friday")
    first = PageClient().get(path)
    assert first.status_code == 200
    text = text_of(first)
    assert f"DNS records for {host}" in text
    assert "Please by Friday" in text
    assert f"{ref}.supabase.co" in text
    for record in found.certificate_records:
        assert record.name in text
        assert record.value in text
    assert "Missing" in text
    desk.publish_all(ref, found)
    instructions.forget()
    second = text_of(PageClient().get(path))
    assert "Missing" not in second
    assert "All records are correct" in second
    for word in ("<script", "Projects", "/projects/", "try-out", desk.sandbox.dns):
        assert word not in first.text, word
    assert first["X-Robots-Tag"].startswith("noindex")
    assert first["Referrer-Policy"] == "no-referrer"
    assert "script-src" not in first["Content-Security-Policy"]


def test_it_says_what_was_seen_and_what_to_do(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    desk.publish(host, "CNAME", "elsewhere.example")
    text = text_of(PageClient().get(share(as_keeper, ref)))
    assert "Wrong value" in text
    assert "CNAME elsewhere.example" in text
    assert f"Point the CNAME of {host} to {ref}.supabase.co" in text


def test_many_looks_are_one_look_up_and_one_call(
    as_keeper: PageClient, desk: Desk, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, _, _ = desk.set_up()
    path = share(as_keeper, ref)
    asked: list[object] = []
    real = resolver.ask

    def ask(questions: Collection[Question], of: Collection[Resolver]) -> Answers:
        asked.append(questions)
        return real(questions, of)

    monkeypatch.setattr(resolver, "ask", ask)
    older(60)
    calls()
    PageClient().get(path)
    first = len(asked)
    for _ in range(5):
        PageClient().get(path)
    assert calls() == [f"GET /v1/projects/{ref}/custom-hostname"]
    assert len(asked) == first
    monkeypatch.setattr(instructions, "LOOK_UP_EVERY_SECONDS", 0.0)
    PageClient().get(path)
    assert len(asked) > first


def test_a_password_is_asked_for_before_anything_is_told(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    ref, host, _ = desk.set_up()
    path = share(as_keeper, ref, password="four random words")
    calls()
    visitor = PageClient()
    asked = visitor.get(path)
    assert host not in asked.text
    assert calls() == []
    assert visitor.post(path, {"password": "something else"}).status_code == 422
    assert visitor.post(path, {"password": "four random words"}).status_code == 303
    assert host in visitor.get(path).text


def test_it_stands_in_the_ledger_and_can_be_ended_and_changed(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    path = share(as_keeper, ref)
    PageClient().get(path)
    PageClient().head(path)
    ledger = as_keeper.get("/links/", {"view": "instructions"})
    assert 'links__what" data-ending="DNS"' in ledger.text
    assert host in text_of(ledger).replace(" ", "")
    assert "Hostname instructions" in text_of(ledger).replace("instru ctions", "instructions")
    link = Share.objects.get()
    assert (link.opened, link.kind, link.space) == (1, "hostname", ref)
    edit = as_keeper.get(reverse("sharing:edit", args=(link.pk,)))
    assert 'name="limit"' not in edit.text
    assert path in edit.text
    answer = as_keeper.post(reverse("sharing:edit", args=(link.pk,)), {"life": "3600", "note": "Soon"})
    assert answer.status_code == 303
    assert "Soon" in PageClient().get(path).text
    as_keeper.post(reverse("sharing:revoke", args=(link.pk,)))
    assert PageClient().get(path).status_code == 410
    assert Entry.objects.filter(operation="link shared", target=f"link with instructions for {host}", place=ref).exists()


def test_nothing_can_be_downloaded_by_it(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    ref, _, _ = desk.set_up()
    path = share(as_keeper, ref)
    calls()
    for below in ("/file", "/all", "/file/" + "t" * 22):
        assert PageClient().get(path + below).status_code in (404, 410), below
    assert calls() == []


class TestItDies:
    def test_with_the_owners_right(self, as_keeper: PageClient, desk: Desk) -> None:
        ref, host, _ = desk.set_up()
        path = share(as_keeper, ref)
        StoredToken.objects.all().delete()
        answer = PageClient().get(path)
        assert (answer.status_code, host in answer.text) == (503, False)
        assert "Temporarily unavailable" in answer.text

    def test_when_the_token_is_refused(self, as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
        ref, host, _ = desk.set_up()
        path = share(as_keeper, ref)
        older(60)
        faults("M15", status=401, message="Invalid token")
        answer = PageClient().get(path)
        assert (answer.status_code, host in answer.text) == (503, False)

    def test_when_another_hostname_is_set_up(self, as_keeper: PageClient, desk: Desk) -> None:
        ref, host, _ = desk.set_up()
        path = share(as_keeper, ref)
        desk.management.hostname.delete(ref)
        older(60)
        gone = PageClient().get(path)
        assert gone.status_code == 404
        assert "Instructions missing" in gone.text
        assert "<span>File missing" in as_keeper.get("/links/").text
        desk.management.hostname.initialize(ref, custom_hostname=desk.host())
        older(60)
        assert PageClient().get(path).status_code == 404
        desk.management.hostname.delete(ref)
        desk.management.hostname.initialize(ref, custom_hostname=host)
        older(60)
        assert PageClient().get(path).status_code == 200
        assert "<span>File missing" not in as_keeper.get("/links/").text


def test_while_the_service_fails_what_was_known_is_shown(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    ref, host, _ = desk.set_up()
    path = share(as_keeper, ref)
    older(60)
    faults("M15", status=500)
    assert host in PageClient().get(path).text
    Known.objects.all().delete()
    answer = PageClient().get(path)
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")


def test_names_that_can_not_be_looked_up_are_still_told(
    as_keeper: PageClient, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, _, _ = desk.set_up()
    path = share(as_keeper, ref)

    def nobody(*_: object) -> Callable[[], None]:
        raise resolver.NoResolver("The system names no resolver.")

    monkeypatch.setattr(resolver, "resolvers", nobody)
    text = text_of(PageClient().get(path))
    assert "We can't check them at the moment" in text
    assert f"{ref}.supabase.co" in text


def test_nothing_is_shared_of_a_project_without_a_hostname(as_keeper: PageClient, desk: Desk) -> None:
    for answer in (as_keeper.get(address(NEWSLETTER)), as_keeper.post(address(NEWSLETTER), TERMS)):
        assert answer.status_code == 404
    assert not Share.objects.exists()


@pytest.mark.parametrize(("fields", "words"), [({"life": "x"}, "valid choice"), ({"password": "short"}, "At least 8")])
def test_bad_input_is_a_sentence_at_the_form(as_keeper: PageClient, desk: Desk, fields: dict[str, str], words: str) -> None:
    ref, _, _ = desk.set_up()
    answer = as_keeper.post(address(ref), {**TERMS, **fields})
    assert answer.status_code == 422
    assert words in answer.text


def test_the_hostnames_page_lists_the_live_links_and_ends_them(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    ref, _, _ = desk.set_up()
    home = desk.address("index", ref)
    path = share(as_keeper, ref, note="For Ana", zone="Asia/Tokyo")
    assert " in Tokyo (" in text_of(Client().get(path))
    assert "For Ana" in as_keeper.get(home).text
    calls()
    listed = as_keeper.part(home, "hostname-links").text
    assert calls() == []
    ending = re.search(r'hx-post="(/links/[0-9]+/ending/)"', listed)
    assert ending
    assert "opened 1" in text_of(as_keeper.part(home, "hostname-links"))
    as_keeper.post(ending[1], headers=htmx("hostname-links"))
    assert "For Ana" not in as_keeper.part(home, "hostname-links").text
    assert Client().get(path).status_code == 410


def test_deleting_the_hostname_says_which_links_die_and_the_ledger_knows(as_keeper: PageClient, desk: Desk) -> None:
    ref, host, _ = desk.set_up()
    share(as_keeper, ref)
    deleting = desk.address("delete", ref)
    assert "Active links to its DNS records that stop working: 1." in as_keeper.get(deleting).text
    as_keeper.post(deleting, {"typed": host})
    assert Share.objects.get().state == State.GONE
