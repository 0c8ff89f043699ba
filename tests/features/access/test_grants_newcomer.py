"""Somebody who has grants only: what they see, how they join, what is locked, and what their giver sees of them."""

import pytest
from django.urls import reverse

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.journal.models import Entry
from dashboard.team.links import LinkKeys
from dashboard.team.models import Person
from dashboard.team.passwords import set_by_link
from dashboard.tokens.grants import received
from dashboard.tokens.models import Grant, StoredToken
from dashboard.tokens.workspace import Workspace
from dashboard.vault import lookup
from tests.markup import parse
from tests.people import PASSWORD, client_of, confirmed
from tests.sandboxes import Sandbox


@pytest.fixture
def ref(service: Sandbox) -> str:
    """A project whose storage has the bucket "handbook"."""
    return "ktmvqhzwrbnxpgaydcle"


@pytest.fixture
def grant(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> Grant:
    """For Ada: one folder, in which she may share and upload."""
    terms = Terms(acts=("read", "share", "upload"), folders=("handbook/procedures/",))
    return grants.give(owner, ref, {"storage": terms}, people=[ada])[0]


def test_who_adds_a_person_is_led_to_give_them_access(owner: Person, storage_token: StoredToken, ref: str) -> None:
    client = confirmed(owner)
    added = client.send(reverse("team:new"), email="new@example.org", name="Nora", role="operator")
    nora = Person.objects.get(email="new@example.org")
    assert not Grant.objects.exists()
    choice = client.get(led(added.text, "/access/new/"))
    form = client.get(led(choice.text, f"place={ref}")).text
    people = [one for one in parse(form).root.all("input") if one.get("name") == "people"]
    assert [one.get("value") for one in people if one.has("checked")] == [str(nora.pk)]
    again = client.send(reverse("team:link", args=[nora.pk]))
    assert "Give access" not in again.text, "a new link is no new person"


def led(text: str, part: str) -> str:
    """Return the only link's address with this part."""
    [link] = [one for one in parse(text).root.all("a") if part in one.get("href")]
    return link.get("href")


@pytest.mark.parametrize("name", ["home:index", "account:tokens", "account:setup", "people:index", "palette:index"])
def test_the_pages_of_somebody_with_grants_only_work(grant: Grant, ada: Person, name: str) -> None:
    answer = client_of(ada).get(reverse(name))
    assert answer.status_code == 200
    assert "X-Problem" not in answer.headers


def test_the_list_of_projects_works_through_a_grant(owner: Person, ada: Person, management_token: StoredToken, ref: str) -> None:
    grants.give(owner, ref, {"management": Terms(acts=("read",), sections=("secrets",))}, people=[ada])
    client = client_of(ada)
    assert client.get(reverse("home:index"), {"list": "now"}).status_code == 200
    assert client.get(reverse("projects:show", args=[ref])).status_code == 200
    assert [project.id for project in Workspace(ada).projects()] == [ref]


def test_the_account_page_shows_received_access(grant: Grant, ada: Person) -> None:
    text = client_of(ada).get(reverse("account:tokens")).content.decode()
    assert "Access from others" in text
    assert reverse("people:person", args=[ada.pk]) in text


def test_home_asks_somebody_with_grants_for_no_token(grant: Grant, ada: Person, ref: str) -> None:
    text = client_of(ada).get(reverse("home:index")).content.decode()
    assert "Add your management token" not in text
    assert reverse("buckets:index", args=[ref]) in text


def test_the_activity_names_both_and_the_giver_sees_it(grant: Grant, owner: Person, ada: Person, ref: str) -> None:
    entry = Entry.objects.create(person=ada, operation="S9", target="file a.txt", place=ref, through=owner, outcome="done")
    Person.objects.filter(pk=owner.pk).update(role="operator")
    owner.refresh_from_db()
    client = client_of(owner)
    text = client.get(reverse("journal:index"), {"through": str(owner.pk)}).content.decode()
    assert 'title="file a.txt"' in text
    assert "through Olga Owner's token" in text
    assert "Ada Member" in text
    assert client.get(reverse("journal:show", args=[entry.pk])).status_code == 200
    assert "Ada Member,Olga Owner" in b"".join(client.get(reverse("journal:export"))).decode()
    stranger = Person.objects.create(email="bob@example.org", name="Bob")
    assert client_of(stranger).get(reverse("journal:show", args=[entry.pk])).status_code == 404


def test_a_password_set_by_another_owners_link_locks_received_access_until_it_is_unlocked(
    grant: Grant, owner: Person, ada: Person, ref: str
) -> None:
    ada.set_password(PASSWORD)
    ada.save()
    client = client_of(ada)
    assert client.post(reverse("account_login"), {"login": ada.email, "password": PASSWORD}).status_code == 302
    ada.refresh_from_db()
    assert ada.last_login
    other = Person.objects.create(email="otto@example.org", name="Otto", role="owner")
    set_by_link(ada, f"{PASSWORD} 2", key=LinkKeys(other.pk).make_token(ada))
    ada.refresh_from_db()
    assert "locked" in received(ada)[0].reason
    assert not Workspace(ada).has("storage", ref)
    client = client_of(ada)
    assert reverse("account:lock") in client.get(reverse("account:tokens")).content.decode()
    assert client.post(reverse("account:lock"), {"password": PASSWORD}).status_code == 302
    chosen = {"password": f"{PASSWORD} 3", "again": f"{PASSWORD} 3"}
    assert client.post(reverse("account:lock_password"), chosen).status_code == 303
    assert received(Person.objects.get(pk=ada.pk))[0].reason == ""


def test_the_link_of_the_only_giver_locks_nothing(grant: Grant, owner: Person, ada: Person) -> None:
    ada.set_password(PASSWORD)
    ada.last_login = ada.joined_at
    ada.save()
    set_by_link(ada, f"{PASSWORD} 2", key=LinkKeys(owner.pk).make_token(ada))
    assert [one.reason for one in received(Person.objects.get(pk=ada.pk))] == [""]


def test_the_first_page_that_a_process_draws_may_be_one_through_a_grant(grant: Grant, ada: Person, ref: str) -> None:
    """Its calls go side by side in threads without a database, while the process doesn't know the key of its digests yet."""
    client = client_of(ada)
    lookup._key.cache_clear()
    assert client.get(f"/storage/{ref}/handbook/?path=procedures/").status_code == 200


def test_somebody_without_token_and_access_is_told_whom_to_ask(service: Sandbox, owner: Person, ada: Person) -> None:
    own = reverse("people:person", args=(ada.pk,))
    for address in (reverse("home:index"), own, reverse("home:hostnames"), reverse("buckets:index", args=("somewhere",))):
        assert "sk Olga Owner to give you access" in client_of(ada).get(address).text
    assert "Or ask" not in client_of(owner).get(reverse("home:index")).text, "there is nobody else"
    Person.objects.filter(pk=owner.pk).update(name="")
    text = client_of(ada).get(reverse("home:index")).text
    assert "Or ask an owner of your team to give you access." in text
    assert owner.email not in text
    Person.objects.filter(pk=owner.pk).update(name="Olga Owner", is_active=False)
    assert "Or ask" not in client_of(ada).get(reverse("home:index")).text
