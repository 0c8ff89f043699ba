import re

import pytest
from django.core.mail import EmailMessage
from pytest_django import Settings

from dashboard.journal.models import Entry
from dashboard.team import mail
from dashboard.team.models import Person, Role
from tests.pages import PageClient
from tests.people import PASSWORD, confirmed

NEW = {"email": "new@example.org", "name": "New Person", "role": "operator"}


@pytest.fixture
def as_owner(owner: Person) -> PageClient:
    """The password was confirmed a moment ago."""
    return confirmed(owner)


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, pattern
    return match.group(1)


def owners_pages(person: Person) -> list[str]:
    return ["/team/new/", f"/team/{person.pk}/link/", f"/team/{person.pk}/role/", f"/team/{person.pk}/deactivation/"]


def test_htmx_is_sent_to_the_sign_in_page_as_a_whole(visitor: PageClient, db: None) -> None:
    response = visitor.part("/people/", "people")
    assert response["HX-Redirect"].startswith("/account/login/")


def test_everybody_is_listed_with_role_and_state(as_owner: PageClient, ada: Person) -> None:
    text = as_owner.get("/people/").content.decode()
    for part in ("Olga Owner", "olga@example.org", "Ada Member", "Owner", "Member", "No password yet", "Add person", "You"):
        assert part in text


def test_a_member_reads_the_list_and_changes_nothing(as_ada: PageClient, owner: Person, ada: Person) -> None:
    text = as_ada.get("/people/").content.decode()
    assert "Olga Owner" in text
    assert "Add person" not in text
    assert "Deactivate" not in text
    for path in owners_pages(owner):
        assert as_ada.get(path).status_code == 403
        assert as_ada.post(path, NEW).status_code == 403
    assert Person.objects.count() == 2


def test_adding_somebody_shows_a_link_that_works_once(as_owner: PageClient, visitor: PageClient) -> None:
    text = as_owner.post("/team/new/", NEW).content.decode()
    person = Person.objects.get(email="new@example.org")
    assert (person.name, person.role, person.has_usable_password()) == ("New Person", Role.OPERATOR, False)
    link = found(r'value="(http://testserver/account/password/reset/key/[^"]+)"', text)
    assert "not shown again" in text
    assert link not in as_owner.get("/people/").content.decode()
    address = visitor.get(link, follow=True).redirect_chain[-1][0]
    visitor.post(address, {"password1": PASSWORD, "password2": PASSWORD})
    assert visitor.get("/people/").status_code == 200
    assert [entry.operation for entry in Entry.objects.order_by("pk")] == ["person added", "link used", "sign-in"]


def test_for_htmx_the_link_comes_in_the_dialog_and_the_list_fetches_itself(as_owner: PageClient) -> None:
    response = as_owner.send("/team/new/", **NEW)
    assert response["HX-Trigger"] == "people:changed"
    assert b"<html" not in response.content
    assert b"New Person added" in response.content


def test_the_link_is_mailed_where_mail_is_set_up(as_owner: PageClient, mailoutbox: list[EmailMessage]) -> None:
    text = as_owner.post("/team/new/", NEW).content.decode()
    assert "We also mail it" in text
    mail.wait_for_delivery()
    assert mailoutbox[0].to == ["new@example.org"]


def test_the_link_is_not_mailed_elsewhere(as_owner: PageClient, mailoutbox: list[EmailMessage], settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    assert b"We also mail it" not in as_owner.post("/team/new/", NEW).content


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"email": "OLGA@example.org"}, "already has this address"),
        ({"email": "no address"}, "valid email address"),
        ({"email": ""}, "required"),
        ({"role": "king"}, "valid choice"),
        ({"name": "x" * 101}, "at most 100"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(as_owner: PageClient, change: dict[str, str], sentence: str) -> None:
    response = as_owner.post("/team/new/", {**NEW, **change})
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert Person.objects.count() == 1


def test_a_double_post_adds_once(as_owner: PageClient) -> None:
    key = found(r'name="once" value="([^"]+)"', as_owner.get("/team/new/").content.decode())
    as_owner.post("/team/new/", {**NEW, "once": key})
    again = as_owner.post("/team/new/", {**NEW, "once": key})
    assert again.status_code in {200, 303}
    assert Person.objects.count() == 2


def test_a_new_link_replaces_the_older_one(as_owner: PageClient, visitor: PageClient, ada: Person) -> None:
    links = [
        found(
            r'value="http://testserver(/account/password/reset/key/[^"]+)"',
            as_owner.post(f"/team/{ada.pk}/link/").content.decode(),
        )
        for _ in range(2)
    ]
    assert b"no longer works" in visitor.get(links[0]).content
    assert visitor.get(links[1]).status_code == 302


def test_a_role_is_changed(as_owner: PageClient, ada: Person) -> None:
    assert as_owner.post(f"/team/{ada.pk}/role/", {"role": "owner"}).status_code == 303
    ada.refresh_from_db()
    assert ada.is_owner
    assert Entry.objects.get().after == {"role": "owner"}


def test_the_last_owner_stays_owner_and_active(as_owner: PageClient, owner: Person, ada: Person) -> None:
    demoted = as_owner.post(f"/team/{owner.pk}/role/", {"role": "operator"})
    assert demoted.status_code == 422
    assert b"last active owner" in demoted.content
    gone = as_owner.post(f"/team/{owner.pk}/deactivation/", {"typed": owner.email})
    assert gone.status_code == 422
    assert b"last active owner" in gone.content
    owner.refresh_from_db()
    assert owner.is_owner
    assert owner.is_active


def test_a_deactivated_owner_does_not_count_as_one(as_owner: PageClient, owner: Person) -> None:
    Person.objects.create(email="former@example.org", role=Role.OWNER)
    Person.objects.filter(email="former@example.org").update(is_active=False)
    assert as_owner.post(f"/team/{owner.pk}/deactivation/", {"typed": owner.email}).status_code == 422


def test_deactivating_wants_the_address_typed(as_owner: PageClient, ada: Person) -> None:
    for typed in ("", "ada", "ADA@example.org"):
        assert as_owner.post(f"/team/{ada.pk}/deactivation/", {"typed": typed}).status_code == 422
    ada.refresh_from_db()
    assert ada.is_active
    assert as_owner.post(f"/team/{ada.pk}/deactivation/", {"typed": ada.email}).status_code == 303
    ada.refresh_from_db()
    assert not ada.is_active


def test_somebody_deactivated_comes_back(as_owner: PageClient, ada: Person) -> None:
    Person.objects.filter(pk=ada.pk).update(is_active=False)
    assert "Deactivated" in as_owner.get("/people/").content.decode()
    assert as_owner.get(f"/team/{ada.pk}/activation/").status_code == 200
    assert as_owner.post(f"/team/{ada.pk}/activation/").status_code == 303
    ada.refresh_from_db()
    assert ada.is_active


def test_somebody_deactivated_gets_no_link(as_owner: PageClient, ada: Person) -> None:
    Person.objects.filter(pk=ada.pk).update(is_active=False)
    response = as_owner.post(f"/team/{ada.pk}/link/")
    assert response.status_code == 422
    assert b"Reactivate them first" in response.content


def test_nobody_unknown_is_found(as_owner: PageClient, owner: Person) -> None:
    for path in ("/team/99999/link/", "/team/99999/role/", "/team/99999/deactivation/", f"/team/{owner.pk}/activation/"):
        assert as_owner.get(path).status_code == 404


def test_every_dialog_is_a_page_and_a_fragment(as_owner: PageClient, ada: Person) -> None:
    for path in owners_pages(ada):
        assert b"<html" in as_owner.get(path).content
        assert b"<html" not in as_owner.part(path, "dialog").content


def test_htmx_gets_the_list_alone(as_owner: PageClient, ada: Person) -> None:
    assert b"<html" not in as_owner.part("/people/", "people").content


def test_a_role_taken_away_counts_at_once(owner: Person, ada: Person) -> None:
    Person.objects.filter(pk=ada.pk).update(role=Role.OWNER)
    ada.refresh_from_db()
    client = confirmed(ada)
    assert client.get("/team/new/").status_code == 200
    Person.objects.filter(pk=ada.pk).update(role=Role.OPERATOR)
    assert client.get("/team/new/").status_code == 403
