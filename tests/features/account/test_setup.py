"""The first tokens of a new owner of a real service, all on one page."""

import re
import sqlite3
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest
import requests
from pytest_django import Settings

from dashboard.journal.models import Entry
from dashboard.launch.owner import welcome
from dashboard.team.models import Person
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.service import Faults
from tests.pages import PageClient
from tests.people import confirmed
from tests.sandboxes import Sandbox, start_sandbox, stop_sandbox

SETUP = "/account/setup/"


def lines(service: Sandbox, *refs: str) -> dict[str, str]:
    return {"tokens": "\n".join(f"{ref}={service.storage_tokens[ref]['service']}" for ref in refs)}


def test_home_leads_somebody_without_tokens_to_the_one_page(as_owner: PageClient, service: Sandbox) -> None:
    assert f'href="{SETUP}"' in as_owner.get("/").text
    assert "Check and store" in as_owner.get(SETUP).text


def test_token_projects_and_keys_are_stored_on_one_page(as_owner: PageClient, service: Sandbox) -> None:
    text = as_owner.post(SETUP, {"management-token": service.personal_token}, follow=True).text
    assert "Token stored:" in text
    refs = list(service.storage_tokens)[:2]
    assert text.count("data-secret") == 1, "one field for all projects"
    assert all(f"<code>{ref}</code>" in text for ref in refs)
    answer = as_owner.post(SETUP, lines(service, *refs), follow=True)
    assert answer.redirect_chain == [("/", 303)]
    assert "2 tokens stored." in answer.text
    assert set(StoredToken.objects.filter(kind=Kind.STORAGE).values_list("space", flat=True)) == set(refs)
    assert f"<code>{refs[0]}</code>" not in as_owner.get(SETUP).text, "it is not asked for again"


def test_the_page_is_done_once_every_project_has_its_key(as_owner: PageClient, service: Sandbox) -> None:
    as_owner.post(SETUP, {"management-token": service.personal_token})
    headers = {"Authorization": f"Bearer {service.personal_token}"}
    tokens = requests.get(f"{service.management_url}/_keys", headers=headers, timeout=10).json()["storage_tokens"]
    page = as_owner.get(SETUP).text
    assert ">Skip</a>" in page
    asked = re.findall(r"<code>([a-z]{20})</code>", page)
    answer = as_owner.post(SETUP, {"tokens": "\n".join(f"{ref}={tokens[ref]['service']}" for ref in asked)})
    assert answer.status_code == 303
    page = as_owner.get(SETUP).text
    assert ">Done</a>" in page
    assert "data-secret" not in page


def test_a_wrong_management_token_is_refused_and_not_repeated(as_owner: PageClient, service: Sandbox) -> None:
    wrong = "sbp_" + "0" * 40
    answer = as_owner.post(SETUP, {"management-token": wrong})
    assert answer.status_code == 422
    assert "does not accept" in answer.text
    assert wrong not in answer.text
    assert not StoredToken.objects.exists()


def test_a_refused_token_is_named_by_its_line_and_the_others_are_stored(
    as_owner: PageClient, service: Sandbox, management_token: StoredToken
) -> None:
    good, bad = list(service.storage_tokens)[:2]
    answer = as_owner.post(SETUP, {"tokens": f"{bad}=not-a-key\n{good}={service.storage_tokens[good]['service']}"})
    assert answer.status_code == 422
    assert re.search(r"Line 1, [^:]+: ", answer.text)
    assert f"<code>{bad}</code>" in answer.text
    assert f"<code>{good}</code>" not in answer.text
    assert "not-a-key" not in answer.text
    assert "1 token stored." in answer.text
    assert list(StoredToken.objects.filter(kind=Kind.STORAGE).values_list("space", flat=True)) == [good]


@pytest.mark.parametrize(
    "text",
    [
        "{ref}={token}",
        "# tokens of today\n\n {ref} = {token} \n",
        "{ref},{token}",
        "ref,token\n{ref},{token}",
        "Name;Ref;Key\n{name};{ref};{token}",
        '"{name}","{token}"',
        "{name}\t{token}",
        "\ufeff{ref}='{token}'",
    ],
)
def test_lines_and_tables_are_read(as_owner: PageClient, service: Sandbox, management_token: StoredToken, text: str) -> None:
    ref = next(iter(service.storage_tokens))
    name = next(project.name for project in Workspace(management_token.person).projects() if project.id == ref)
    token = service.storage_tokens[ref]["service"]
    assert as_owner.post(SETUP, {"tokens": text.format(ref=ref, name=name, token=token)}).status_code == 303
    stored = StoredToken.objects.get(kind=Kind.STORAGE)
    assert (stored.space, stored.open()) == (ref, token)


def test_a_line_that_can_not_be_read_is_named_and_not_repeated(
    as_owner: PageClient, service: Sandbox, management_token: StoredToken
) -> None:
    ref = next(iter(service.storage_tokens))
    token = service.storage_tokens[ref]["service"]
    answer = as_owner.post(SETUP, {"tokens": f"{token}\nnobody=x\n{ref}=\n{ref}={token}\n{ref},again"})
    assert answer.status_code == 422
    text = unescape(answer.text)
    for words in (
        "Line 1: no project",
        "Line 2: no project",
        "Line 3 has no token.",
        "Line 5 repeats line 4.",
        "1 token stored.",
    ):
        assert words in text
    assert token not in text
    assert StoredToken.objects.get(kind=Kind.STORAGE).space == ref


def test_every_step_can_be_skipped(as_owner: PageClient, service: Sandbox) -> None:
    assert ">Skip</a>" in as_owner.get(SETUP).text
    as_owner.post(SETUP, {"management-token": service.personal_token})
    assert ">Skip</a>" in as_owner.get(SETUP).text, "beside fields, Done would seem to store them"
    answer = as_owner.post(SETUP, {}, follow=True)
    assert answer.redirect_chain == [("/", 303)]
    assert "No tokens entered." in answer.text


def test_a_storage_without_projects_asks_for_its_one_key(as_owner: PageClient, service: Sandbox, settings: Settings) -> None:
    ref = next(iter(service.storage_tokens))
    settings.MANAGEMENT_URL, settings.STORAGE_URL = "", service.storage(ref)
    text = as_owner.get(SETUP).text
    assert "Management token" not in text.split("<main")[1]
    as_owner.post(SETUP, {"tokens": service.storage_tokens[ref]["service"]})
    assert StoredToken.objects.get().space == "shared"
    assert "Stored" in as_owner.get(SETUP).text.split("<main")[1]


def test_a_service_that_fails_keeps_the_page_and_says_so(
    as_owner: PageClient, service: Sandbox, management_token: StoredToken, faults: Faults
) -> None:
    faults("M1", status=500)
    assert "The service failed" in unescape(as_owner.get(SETUP).text)


def test_keys_stored_together_are_one_line_of_the_activity(
    as_owner: PageClient, service: Sandbox, management_token: StoredToken
) -> None:
    refs = list(service.storage_tokens)[:3]
    as_owner.post(SETUP, lines(service, *refs))
    assert Entry.objects.filter(operation="token stored").count() == 3
    assert Entry.objects.filter(operation="token stored", part_of=None).count() == 1


def test_the_first_start_is_one_line_of_the_activity(db: None, service: Sandbox) -> None:
    told = {"personal_token": service.personal_token, "storage_tokens": service.storage_tokens}
    welcome(email="first@example.org", address="http://127.0.0.1:8000", sandbox=told)
    stored = Entry.objects.filter(person=Person.objects.get(), operation="token stored")
    assert stored.count() > 3
    assert stored.filter(part_of=None).count() == 1


def test_a_token_that_lists_no_project_leads_to_a_project_or_another_token(
    as_owner: PageClient, owner: Person, service: Sandbox, settings: Settings, tmp_path: Path
) -> None:
    other = start_sandbox(tmp_path, "--empty")
    try:
        with closing(sqlite3.connect(tmp_path / "sandbox.sqlite3")) as database, database:
            database.execute("DELETE FROM sandbox_organization_members")
        settings.MANAGEMENT_URL, settings.STORAGE_URL = other.management_url, other.storage_url
        text = as_owner.post(SETUP, {"management-token": other.personal_token}, follow=True).text.split("<main")[1]
        storage = as_owner.get("/account/tokens/new/?kind=storage").text
        home, network = (as_owner.get(f"/?list=now&view={view}").text for view in ("", "network"))
        access = confirmed(owner).get("/access/new/").text
    finally:
        stop_sandbox(other)
    assert "Your token shows none." in text
    assert f"/account/tokens/{StoredToken.objects.get().pk}/replacement/" in text
    assert "Stored</" not in text, "no key is stored"
    assert "Create a project first." in storage
    assert "No projects yet" in home
    assert "0 projects" not in home
    assert "No projects yet" in network
    assert "Your address is" not in network
    assert "There is no project to give access to yet." in access
