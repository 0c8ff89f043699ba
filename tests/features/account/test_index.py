import pytest
from pytest_django import Settings

from dashboard.journal.models import Entry
from dashboard.team.models import Person
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from dashboard.vault.seals import Sealed
from tests.conftest import Sandbox
from tests.markup import parse
from tests.pages import PageClient
from tests.people import client_of

MANAGEMENT = "/account/tokens/new/?kind=management"


def storage(ref: str) -> str:
    return f"/account/tokens/new/?kind=storage&space={ref}"


def test_without_tokens_it_offers_to_add_them(as_owner: PageClient, service: Sandbox) -> None:
    text = as_owner.get("/account/").content.decode()
    primary = [link.text.strip() for link in parse(text).root.all("a") if "button--primary" in link.get("class").split()]
    assert primary == ["Add management token"]
    assert "Add storage token" in text


def test_a_token_is_pasted_checked_and_shown_only_by_its_end(as_owner: PageClient, service: Sandbox) -> None:
    response = as_owner.post(MANAGEMENT, {"token": f" {service.personal_token} "}, follow=True)
    text = response.content.decode()
    token = StoredToken.objects.get()
    assert f"…{service.personal_token[-4:]}" in text
    assert token.fingerprint[:8] in text
    assert token.fingerprint not in text
    assert "Token stored" in text
    assert "Active" in text
    assert service.personal_token not in text


def test_a_storage_token_names_its_project_and_reach(
    as_owner: PageClient, service: Sandbox, ref: str, management_token: StoredToken
) -> None:
    text = as_owner.post(storage(ref), {"token": service.storage_tokens[ref]["service"]}, follow=True).content.decode()
    assert "as service_role" in text
    assert ref in text
    token = StoredToken.objects.get(space=ref)
    assert f"storage token for {token.reach['project']}" in as_owner.get(f"/account/tokens/{token.pk}/replacement/").text
    entry = Entry.objects.get(operation="token stored", place=ref)
    assert entry.target == "storage token", "the entry names the project itself"


def test_a_weak_key_is_called_weak(as_owner: PageClient, service: Sandbox, ref: str, management_token: StoredToken) -> None:
    assert "Limited" in as_owner.post(storage(ref), {"token": service.storage_tokens[ref]["anon"]}, follow=True).content.decode()


@pytest.mark.parametrize(
    ("pasted", "sentence"),
    [
        ("", "required"),
        ("sbp_1 2", "no spaces"),
        ("sbp_" + "0" * 40, "does not accept"),
        ("eyJhbGciOiJub25lIn0.e30.", "storage token"),
    ],
)
def test_a_bad_token_is_refused_with_a_sentence_and_not_repeated(
    as_owner: PageClient, service: Sandbox, pasted: str, sentence: str
) -> None:
    response = as_owner.post(MANAGEMENT, {"token": pasted})
    assert response.status_code == 422
    text = response.content.decode()
    assert sentence in text
    if len(pasted) > 10:
        assert pasted not in text
    assert not StoredToken.objects.exists()


def test_a_service_that_is_away_is_a_sentence_too(as_owner: PageClient, service: Sandbox, settings: Settings) -> None:
    settings.MANAGEMENT_URL = "http://127.0.0.1:9"
    response = as_owner.post(MANAGEMENT, {"token": service.personal_token})
    assert response.status_code == 422
    assert "the service could not check it" in response.content.decode()


def test_the_field_is_write_only_and_not_for_password_managers(as_owner: PageClient, service: Sandbox) -> None:
    text = as_owner.get(MANAGEMENT).content.decode()
    field = text[text.index("<input", text.index('for="id_token"')) :].split(">")[0]
    for part in ('type="password"', 'autocomplete="off"', 'spellcheck="false"'):
        assert part in field
    assert "value=" not in field


def test_the_projects_without_a_token_can_be_chosen(
    as_owner: PageClient, service: Sandbox, ref: str, storage_token: StoredToken
) -> None:
    text = as_owner.get("/account/tokens/new/?kind=storage").content.decode()
    assert f'value="{ref}"' not in text
    other = next(name for name in service.storage_tokens if name != ref)
    assert f'value="{other}"' in text
    response = as_owner.post(
        "/account/tokens/new/?kind=storage", {"space": other, "token": service.storage_tokens[other]["service"]}
    )
    assert response.status_code == 303
    assert StoredToken.objects.filter(space=other).exists()


def test_choosing_a_project_asks_for_the_management_token_first(as_owner: PageClient, service: Sandbox) -> None:
    text = as_owner.get("/account/tokens/new/?kind=storage").content.decode()
    assert "No management token" in text
    assert "/account/tokens/new/?kind=management" in text


@pytest.mark.parametrize("query", ["", "?kind=", "?kind=root", "?kind=storage&space=a.b", "?kind=storage&space=UPPER"])
def test_other_kinds_are_not_found(as_owner: PageClient, service: Sandbox, query: str) -> None:
    assert as_owner.get(f"/account/tokens/new/{query}").status_code == 404


def test_with_storage_alone_there_is_no_management_section(
    as_owner: PageClient, service: Sandbox, settings: Settings, ref: str
) -> None:
    settings.MANAGEMENT_URL = ""
    settings.STORAGE_URL = service.storage(ref)
    text = as_owner.get("/account/").content.decode()
    assert "Management token" not in text
    assert as_owner.get(MANAGEMENT).status_code == 404
    response = as_owner.post("/account/tokens/new/?kind=storage", {"token": service.storage_tokens[ref]["service"]})
    assert response.status_code == 303
    assert StoredToken.objects.get().space == "shared"


def test_with_storage_alone_per_project_the_project_is_typed(
    as_owner: PageClient, service: Sandbox, settings: Settings, ref: str
) -> None:
    settings.MANAGEMENT_URL = ""
    address = "/account/tokens/new/?kind=storage"
    bad = as_owner.post(address, {"space": "No Such!", "token": service.storage_tokens[ref]["service"]})
    assert bad.status_code == 422
    assert "lower-case letters" in bad.content.decode()
    assert as_owner.post(address, {"space": ref, "token": service.storage_tokens[ref]["service"]}).status_code == 303


def test_with_management_alone_there_is_no_storage_section(as_owner: PageClient, service: Sandbox, settings: Settings) -> None:
    settings.STORAGE_URL = ""
    assert "Storage token" not in as_owner.get("/account/").content.decode()
    assert as_owner.get("/account/tokens/new/?kind=storage").status_code == 404


def test_a_token_is_checked_again(as_owner: PageClient, management_token: StoredToken) -> None:
    text = as_owner.post(f"/account/tokens/{management_token.pk}/check/", follow=True).content.decode()
    assert "management token works" in text
    response = as_owner.send(f"/account/tokens/{management_token.pk}/check/", "")
    assert "tokens:changed" in response["HX-Trigger"]


def test_a_refused_token_says_so_in_its_row(as_owner: PageClient, management_token: StoredToken) -> None:
    management_token.seal("sbp_" + "0" * 40)
    management_token.save()
    text = as_owner.post(f"/account/tokens/{management_token.pk}/check/", follow=True).content.decode()
    assert "refused the management token" in text
    assert "Refused" in text
    response = as_owner.send(f"/account/tokens/{management_token.pk}/check/", "")
    assert response["HX-Trigger"] == "tokens:changed"


def test_a_refusal_on_any_page_is_shown_at_the_desk(as_owner: PageClient, management_token: StoredToken) -> None:
    management_token.seal("sbp_" + "0" * 40)
    management_token.save()
    refused = as_owner.get("/account/tokens/new/?kind=storage")
    assert refused.status_code == 200
    assert "/account/" in refused.content.decode()
    text = as_owner.get("/account/").content.decode()
    assert "Refused" in text
    assert "The service reported" in text


def test_a_hundred_storage_tokens_are_shown_at_a_time_those_that_fail_first(
    as_owner: PageClient, storage_token: StoredToken
) -> None:
    copies = [
        StoredToken(person=storage_token.person, kind=Kind.STORAGE, space=f"{number:020}", reach={"project": f"copy-{number:03}"})
        for number in range(119)
    ]
    for copy in copies:
        copy.seal("a token")
    copies[-1].sealed = Sealed("v1.00000000.rubbish")
    StoredToken.objects.bulk_create(copies)
    first, rest = as_owner.get("/account/").text, as_owner.get("/account/?offset=100").text
    assert "100 of 120" in first
    assert "120 of 120" in rest
    assert first.index("copy-118") < first.index("Reconnect") < first.index("copy-000")
    assert "copy-117" in rest


def test_a_token_is_replaced(as_owner: PageClient, service: Sandbox, management_token: StoredToken) -> None:
    address = f"/account/tokens/{management_token.pk}/replacement/"
    assert as_owner.get(address).status_code == 200
    assert as_owner.post(address, {"token": "sbp_" + "0" * 40}).status_code == 422
    assert StoredToken.objects.get().pk == management_token.pk
    assert as_owner.post(address, {"token": service.personal_token}).status_code == 303
    assert Entry.objects.latest("pk").operation == "token replaced"


def test_a_token_is_forgotten_after_a_question(as_owner: PageClient, management_token: StoredToken) -> None:
    address = f"/account/tokens/{management_token.pk}/forgetting/"
    assert "until you revoke it" in as_owner.get(address).content.decode()
    assert StoredToken.objects.exists()
    assert as_owner.post(address).status_code == 303
    assert not StoredToken.objects.exists()


def test_another_persons_token_is_not_found(as_ada: PageClient, management_token: StoredToken) -> None:
    for part in ("replacement", "forgetting"):
        assert as_ada.get(f"/account/tokens/{management_token.pk}/{part}/").status_code == 404
        assert as_ada.post(f"/account/tokens/{management_token.pk}/{part}/").status_code == 404
    assert as_ada.post(f"/account/tokens/{management_token.pk}/check/").status_code == 404
    assert management_token.fingerprint not in as_ada.get("/account/").content.decode()
    assert StoredToken.objects.exists()


def test_a_token_that_does_not_open_asks_to_reconnect(
    as_owner: PageClient, service: Sandbox, management_token: StoredToken
) -> None:
    StoredToken.objects.update(sealed=Sealed("v1.00000000.rubbish"))
    text = as_owner.get("/account/").content.decode()
    assert "Reconnect" in text
    page = as_owner.get("/account/tokens/new/?kind=storage")
    assert page.status_code == 200
    assert "Store your" in page.content.decode()
    assert as_owner.post(f"/account/tokens/{management_token.pk}/check/").status_code == 403
    assert as_owner.post(MANAGEMENT, {"token": service.personal_token}).status_code == 303
    assert "Active" in as_owner.get("/account/").content.decode()


def test_a_row_moved_to_another_person_is_no_way_in(as_ada: PageClient, ada: Person, management_token: StoredToken) -> None:
    StoredToken.objects.update(person=ada)
    assert "Reconnect" in as_ada.get("/account/").content.decode()


def test_the_sandbox_gives_its_own_key_when_the_field_is_empty(
    as_owner: PageClient, service: Sandbox, ref: str, management_token: StoredToken, settings: Settings
) -> None:
    settings.SANDBOX_URL = service.management_url
    assert "Leave empty" in as_owner.get(storage(ref)).content.decode()
    assert as_owner.post(storage(ref), {"token": ""}).status_code == 303
    assert StoredToken.objects.get(kind=Kind.STORAGE).open() == service.storage_tokens[ref]["service"]


def test_the_sandboxs_key_needs_the_management_token(
    as_owner: PageClient, service: Sandbox, ref: str, settings: Settings
) -> None:
    settings.SANDBOX_URL = service.management_url
    response = as_owner.post(storage(ref), {"token": ""})
    assert response.status_code == 422
    assert "management token first" in response.content.decode()


def test_a_sandbox_that_is_away_is_a_sentence(
    as_owner: PageClient, service: Sandbox, ref: str, management_token: StoredToken, settings: Settings
) -> None:
    settings.SANDBOX_URL = "http://127.0.0.1:9"
    response = as_owner.post(storage(ref), {"token": ""})
    assert response.status_code == 422
    assert "does not answer" in response.content.decode()


def test_without_the_sandbox_the_field_is_required(
    as_owner: PageClient, service: Sandbox, ref: str, management_token: StoredToken
) -> None:
    assert "Leave empty" not in as_owner.get(storage(ref)).content.decode()
    assert as_owner.post(storage(ref), {"token": ""}).status_code == 422


def test_a_name_is_changed(as_ada: PageClient, ada: Person) -> None:
    assert as_ada.post("/account/name/", {"name": "Ada King"}).status_code == 303
    ada.refresh_from_db()
    assert ada.name == "Ada King"
    assert as_ada.post("/account/name/", {"name": "x" * 101}).status_code == 422


def test_signing_out_everywhere_asks_and_then_ends_this_session_too(as_ada: PageClient, ada: Person) -> None:
    elsewhere = client_of(ada)
    assert as_ada.get("/account/sessions/").status_code == 200
    assert as_ada.post("/account/sessions/").status_code == 303
    for client in (as_ada, elsewhere):
        assert client.get("/account/").status_code == 302


def test_htmx_gets_the_parts_alone(as_owner: PageClient, storage_token: StoredToken) -> None:
    for part in ("tokens", "you"):
        assert b"<html" not in as_owner.part("/account/", part).content
    for path in (
        MANAGEMENT,
        f"/account/tokens/{storage_token.pk}/replacement/",
        f"/account/tokens/{storage_token.pk}/forgetting/",
        "/account/name/",
    ):
        assert b"<html" not in as_owner.part(path, "dialog").content


def test_storing_in_the_dialog_refreshes_the_list(as_owner: PageClient, service: Sandbox) -> None:
    response = as_owner.send(MANAGEMENT, token=service.personal_token)
    assert "tokens:changed" in response["HX-Trigger"]


def test_csrf_is_asked_for(owner: Person, service: Sandbox) -> None:
    client = PageClient(enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.post(MANAGEMENT, {"token": service.personal_token}).status_code == 403
    assert not StoredToken.objects.exists()


def test_when_every_project_has_a_token_it_says_so(
    as_owner: PageClient, owner: Person, service: Sandbox, storage_token: StoredToken
) -> None:
    for space in Workspace(owner).spaces():
        if not space.has_token:
            storage_token.pk, storage_token.space = None, space.name
            storage_token.seal("anything")
            storage_token.save()
    assert "Every project has a token" in as_owner.get("/account/tokens/new/?kind=storage").content.decode()
