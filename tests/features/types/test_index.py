"""Generated types: the page, its fragment, the file, and the check of a committed file."""

import re
from urllib.parse import urlencode

import pytest
import requests
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from dashboard.features.types import services
from dashboard.features.types.services import Generated
from dashboard.features.types.views import CHECK, TEXT
from dashboard.interfaces import ManagementInterface, Token
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from tests.conftest import Sandbox
from tests.features.service import Calls, Faults
from tests.pages import PageClient, htmx
from tests.people import client_of

LAB, PAUSED, COMING = "xreugplnbwsqhdvfyakt", "qnlfwrtaxvjbkmcysdge", "aojxnkwqhevtdzprmlcs"
MADE, NAMED = f"GET /v1/projects/{LAB}/types/typescript", "GET /v1/projects"


def address(view: str = "index", ref: str = LAB, **query: object) -> str:
    return reverse(f"types:{view}", args=[ref]) + (f"?{urlencode(query, doseq=True)}" if query else "")


@pytest.fixture(autouse=True)
def nothing_remembered(db: None) -> None:
    cache.clear()


@pytest.fixture
def present(service: Sandbox) -> str:
    return ManagementInterface(service.management_url, Token(service.personal_token)).types.generate(LAB)


def test_nothing_is_generated_before_somebody_asks(as_keeper: PageClient, calls: Calls) -> None:
    page = as_keeper.get(address())
    assert "No types generated yet" in page.text
    assert 'value="public"' in page.text
    assert calls() == [NAMED]


def test_the_frame_is_there_at_once_and_fetches_the_types(as_keeper: PageClient, calls: Calls) -> None:
    page = as_keeper.get(address(schemas="public, auth"))
    assert calls() == [NAMED]
    assert 'hx-trigger="load"' in page.text
    assert 'aria-busy="true"' in page.text
    load = re.search(r'hx-get="([^"]+)" hx-trigger="load"', page.text)
    assert load
    part = as_keeper.part(load[1].replace("&amp;", "&"), TEXT)
    assert calls() == [MADE]
    assert "parcel_events" in part.text
    assert "aal_level" in part.text
    assert 'class="code__keyword"' in part.text
    assert 'hx-trigger="load"' not in part.text


def test_without_script_the_page_waits(as_keeper: PageClient, calls: Calls) -> None:
    page = as_keeper.get(address(schemas="public"))
    assert f'href="{address(schemas="public", wait=1).replace("&", "&amp;")}"' in page.text
    calls()
    page = as_keeper.get(address(schemas="public", wait=1))
    assert calls() == [MADE]
    assert "parcel_events" in page.text
    assert "parcel_events" in as_keeper.get(address(schemas="public", wait=1)).text
    assert calls() == []


def test_types_that_are_too_large_to_keep_are_generated_for_each_page(
    as_keeper: PageClient, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "KEPT_MAX_CHARACTERS", 10)
    for _ in range(2):
        calls()
        assert "parcel_events" in as_keeper.part(address(schemas="public"), TEXT).text
        assert calls() == [MADE]


def test_a_file_needs_no_other_generation(as_keeper: PageClient, calls: Calls) -> None:
    as_keeper.part(address(schemas="public"), TEXT)
    calls()
    as_keeper.get(address("file", schemas="public"))
    assert MADE not in calls()
    as_keeper.part(address(schemas="public", again=1), TEXT)
    assert calls() == [MADE]


def test_what_is_too_much_for_a_page_can_be_saved(as_keeper: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "SHOWN_MAX_CHARACTERS", 10)
    part = as_keeper.part(address(schemas="public"), TEXT).text
    assert "Too large to show" in part
    assert "parcel_events" not in part
    assert "parcel_events" in as_keeper.get(address("file", schemas="public")).content.decode()


def test_what_one_token_read_no_weaker_one_sees(as_keeper: PageClient, ada: Person, service: Sandbox, calls: Calls) -> None:
    as_keeper.part(address(schemas="public"), TEXT)
    headers = {"Authorization": f"Bearer {service.personal_token}"}
    people = requests.get(f"{service.management_url}/_keys", headers=headers, timeout=10).json()["people"]
    weaker = next(person["personal_token"] for person in people if person["personal_token"] != service.personal_token)
    store(ada, Kind.MANAGEMENT, "", weaker)
    calls()
    answer = client_of(ada).part(address(schemas="public"), TEXT)
    assert answer["X-Problem"] == "NotAllowed"
    assert "parcels" not in answer.text
    assert calls() == [MADE]


def test_it_is_saved_under_a_stable_name(as_keeper: PageClient, present: str) -> None:
    answer = as_keeper.get(address("file", schemas="public"))
    assert answer["Content-Disposition"] == 'attachment; filename="database.types.ts"'
    assert answer.content.decode() == present
    assert "no-store" in answer["Cache-Control"]


def test_a_schema_that_was_asked_for_and_is_missing_is_named(as_keeper: PageClient, present: str) -> None:
    part = as_keeper.part(address(schemas="nowhere"), TEXT).text
    assert "Missing schema: <code>nowhere</code>" in part
    part = as_keeper.part(address(schemas="public,nowhere,neither"), TEXT).text
    assert "Missing schemas: <code>nowhere</code>, <code>neither</code>" in part
    assert "parcel_events" in part
    assert "Missing schema" not in as_keeper.part(address(schemas="public"), TEXT).text
    checked = as_keeper.post(address("check"), {"text": present, "schemas": "public, nowhere"}).text
    assert "Missing schema: <code>nowhere</code>" in checked
    assert "Your file is up to date" in checked


def test_a_missing_schema_is_named_in_types_that_are_too_large_to_be_read() -> None:
    large = "export type Database = {\n  public: {\n" + "      x: string\n" * 100_000 + "  }\n}\n"
    assert Generated(large, ("public", "nowhere", "a.*"), timezone.now()).missing == ("nowhere", "a.*")


def test_names_of_schemas_can_contain_anything(as_keeper: PageClient) -> None:
    odd = '"><b>x</b>,%2F..&c=1, ключ'
    page = as_keeper.get(address(schemas=odd))
    assert page.status_code == 200
    assert "<b>x" not in page.text
    assert as_keeper.part(address(schemas=odd), TEXT).status_code == 200


def test_a_proxy_that_gave_up_is_a_time_out_with_advice(as_keeper: PageClient, faults: Faults) -> None:
    faults("M8", plain=True)
    answer = as_keeper.part(address(schemas="public"), TEXT)
    assert answer.status_code == 200
    assert "upstream request timeout" in answer.text
    assert "Ask for fewer schemas at once" in answer.text
    assert f'hx-target="#{TEXT}"' in answer.text


def test_words_that_come_as_a_success_are_not_taken_for_types(as_keeper: PageClient, faults: Faults) -> None:
    faults("M8", empty=True)
    assert "Unexpected answer" in as_keeper.part(address(schemas="public"), TEXT).text


def test_a_project_that_is_paused_or_coming_up_says_so(as_keeper: PageClient) -> None:
    paused = as_keeper.part(address(ref=PAUSED, schemas="public"), TEXT)
    assert (paused.status_code, "The project is paused" in paused.text) == (200, True)
    coming = as_keeper.part(address(ref=COMING, schemas="public"), TEXT)
    assert (coming.status_code, "may still be starting" in coming.text) == (200, True)


def test_an_up_to_date_file_is_up_to_date(as_keeper: PageClient, present: str, calls: Calls) -> None:
    calls()
    answer = as_keeper.post(address("check"), {"text": present.replace("\n", " \r\n")})
    assert answer.status_code == 200
    assert "Your file is up to date" in answer.text
    assert sorted(calls()) == [NAMED, MADE]
    assert "parcel_events: {" not in answer.text


def test_a_check_asks_the_database_of_now(as_keeper: PageClient, calls: Calls, present: str) -> None:
    as_keeper.part(address(schemas="public"), TEXT)
    calls()
    as_keeper.post(address("check"), {"text": present, "schemas": "public"}, headers=htmx(CHECK))
    assert MADE in calls()


def test_a_stale_file_is_told_by_line(as_keeper: PageClient, present: str) -> None:
    old = present.replace("          note: string | null\n", "          note: string | null\n          gone: string\n", 1)
    part = as_keeper.post(address("check"), {"text": old}, headers=htmx(CHECK)).text
    assert "Your file differs" in part
    assert "difference__line--removed" in part
    assert "gone: string" in part
    assert "Save as database.types.ts" in part


def test_a_file_in_other_quotes_and_with_semicolons_is_up_to_date(as_keeper: PageClient, present: str) -> None:
    old = present.replace('"', "'").replace("string\n", "string;\n")
    answer = as_keeper.post(address("check"), {"text": old}).text
    assert "Your file is up to date" in answer
    assert "Only the formatting differs." in answer


def test_it_compares_with_the_schemas_that_are_named(as_keeper: PageClient, service: Sandbox) -> None:
    both = ManagementInterface(service.management_url, Token(service.personal_token)).types.generate(LAB, ["auth", "storage"])
    assert "Your file is up to date" in as_keeper.post(address("check"), {"text": both, "schemas": "auth, storage"}).text
    assert "Your file is up to date" in as_keeper.post(address("check", schemas="auth,storage"), {"text": both}).text
    assert "Your file differs" in as_keeper.post(address("check"), {"text": both}).text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_may_be_uploaded_in_any_usual_encoding(as_keeper: PageClient, present: str, encoding: str) -> None:
    file = SimpleUploadedFile("database.types.ts", present.encode(encoding))
    assert "Your file is up to date" in as_keeper.post(address("check"), {"file": file}).text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Choose a file or paste its text."),
        ({"text": "  \n"}, "Choose a file or paste its text."),
        ({"text": "a", "file": b"b"}, "not both"),
        ({"file": b"\xff\x00\xfe\x81"}, "not a text file"),
        ({"file": b"x" * 2_000_001}, "larger than 2 MB"),
        ({"text": "x" * 2_000_001}, "larger than 2 MB"),
    ],
    ids=["nothing", "blank", "both", "binary", "large", "long"],
)
def test_bad_input_is_told_at_its_field(as_keeper: PageClient, calls: Calls, given: dict[str, object], words: str) -> None:
    typed = {name: SimpleUploadedFile("x.ts", value) if isinstance(value, bytes) else value for name, value in given.items()}
    calls()
    answer = as_keeper.post(address("check"), typed)
    assert answer.status_code == 422
    assert words in answer.text
    assert MADE not in calls()


def test_a_text_that_is_no_generated_file_is_compared_by_line(as_keeper: PageClient) -> None:
    part = as_keeper.post(address("check"), {"text": "hello"}, headers=htmx(CHECK)).text
    assert "Your file differs" in part
    assert "difference__line--removed" in part


def test_a_check_that_fails_keeps_the_page_and_what_was_pasted(as_keeper: PageClient, faults: Faults) -> None:
    faults("M8", status=500, message="The generator is away")
    answer = as_keeper.post(address("check"), {"text": "hello"}, headers=htmx(CHECK))
    assert (answer.status_code, answer["HX-Reswap"]) == (422, "none")
    plain = as_keeper.post(address("check"), {"text": "pasted by hand"})
    assert (plain.status_code, "The generator is away" in plain.text) == (422, True)
    assert re.search(r"<textarea[^>]*>\s*pasted by hand</textarea>", plain.text)
    faults("M8", status=401)
    assert as_keeper.post(address("check"), {"text": "hello"})["X-Problem"] == "TokenRefused"


def test_reading_takes_no_post(as_keeper: PageClient) -> None:
    assert as_keeper.post(address()).status_code == 405
    assert as_keeper.post(address("file")).status_code == 405


def test_a_project_that_is_not_there_is_not_found(as_keeper: PageClient) -> None:
    assert as_keeper.part(address(ref="a" * 20, schemas="public"), TEXT).status_code == 404
