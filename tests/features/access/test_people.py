"""People: who sees what of whom, and whose access stands on whose page."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.features.file_requests.models import FileRequest
from dashboard.links.models import Share, Target
from dashboard.team.models import Person
from dashboard.tokens.models import Grant, StoredToken
from tests.features.access.test_grants import VIEW, give
from tests.markup import Element, parse
from tests.pages import PageClient
from tests.people import client_of, confirmed

REF = "ktmvqhzwrbnxpgaydcle"
LIST = reverse("people:index")


@pytest.fixture
def ref() -> str:
    return REF


@pytest.fixture
def bob(db: None) -> Person:
    return Person.objects.create(email="bob@example.org", name="Bob Bystander")


def page_of(person: Person) -> str:
    return reverse("people:person", args=[person.pk])


def listed(client: PageClient, **asked: str) -> dict[str, str]:
    """What the list says of each person's access."""
    rows = parse(client.get(LIST, asked).text).root.all("tr")[1:]
    return {row.all("a")[0].text: row.all("td")[0].text for row in rows if row.all("a")}


def headings(client: PageClient, person: Person) -> list[str]:
    return [heading.text for heading in parse(client.get(page_of(person)).text).root.all("h2")]


def allowed(client: PageClient, person: Person) -> dict[str, list[str]]:
    """The acts that are allowed at each place on somebody's page."""
    found, places = dict[str, list[str]](), list[str]()
    for listed in parse(client.get(page_of(person)).text).root.all("ul"):
        if "grant__places" in listed.get("class"):
            places = [item.text for item in listed.all("li")]
        elif "grant__acts" in listed.get("class"):
            acts = [item.text for item in listed.all("li") if "not allowed" not in item.text]
            found |= {key: [act.removesuffix("allowed").strip() for act in acts] for key in places}
    return found


def link(grant: Grant, bucket: str, key: str, *, ends_at: datetime) -> None:
    """Share an object through a grant, as its receiver."""
    assert grant.person
    share = Share(owner=grant.person, space=grant.place, bucket=bucket, grant=grant, ends_at=ends_at)
    share.issue_code()
    share.save()
    target = Target(share=share)
    target.point_to(bucket, key)
    target.save()


def request_files(grant: Grant, bucket: str, folder: str, *, ends_at: datetime) -> None:
    """Request files through a grant, as its receiver."""
    assert grant.person
    asked = FileRequest(owner=grant.person, space=grant.place, bucket=bucket, folder=folder, title="Photos", grant=grant)
    asked.ends_at, asked.token = ends_at, grant.token
    asked.most_bytes = asked.most_files = asked.most_total = 9
    asked.issue_code()
    asked.save()


def anyway(text: str) -> str:
    """The value of the box that confirms what a form names."""
    [box] = [one for one in parse(text).root.all("input") if one.get("name") == "anyway"]
    assert not box.has("checked")
    return box.get("value")


def exported(client: PageClient, **asked: str) -> list[str]:
    answer: Any = client.get(reverse("access:export"), asked)
    return b"".join(answer.streaming_content).decode().splitlines()


@pytest.mark.parametrize("former", ["/team/", "/access/", "/access/?place=x"])
def test_the_former_pages_lead_to_people(owner: Person, visitor: PageClient, former: str) -> None:
    assert visitor.get(former)["Location"].startswith("/account/login/")
    assert str(client_of(owner).get(former)["Location"]).startswith(LIST)


def test_the_list_says_who_reaches_what_through_whom(
    owner: Person, ada: Person, bob: Person, storage_token: StoredToken, management_token: StoredToken
) -> None:
    give(owner, ada, REF, Terms(acts=("read",), folders=("handbook/a/", "handbook/b/")))
    grants.give(owner, REF, {"management": Terms(acts=("read",), sections=("secrets",))}, people=[ada])
    otto = Person.objects.create(email="otto@example.org", name="Otto", role="owner")
    assert listed(client_of(owner))["Ada Member"] == "2 folders, 1 section through you"
    assert listed(client_of(otto))["Ada Member"] == "2 folders, 1 section through Olga Owner"
    mine = listed(client_of(ada))
    assert mine["Olga Owner"] == "gives you 2 folders, 1 section"
    assert mine["Ada Member"] == "2 folders, 1 section through Olga Owner"
    assert listed(client_of(bob)) == dict.fromkeys(["Ada Member", "Bob Bystander", "Olga Owner", "Otto"], "None")


def test_a_page_shows_what_both_gave_each_other_and_owners_see_everything(
    owner: Person, ada: Person, bob: Person, storage_token: StoredToken
) -> None:
    give(owner, ada, REF)
    assert headings(client_of(owner), ada) == ["Through you"]
    assert headings(client_of(ada), ada) == ["Through Olga Owner"]
    assert headings(client_of(ada), owner) == ["To you"]
    assert headings(client_of(bob), ada) == headings(client_of(bob), owner) == []
    otto = Person.objects.create(email="otto@example.org", name="Otto", role="owner")
    assert headings(client_of(otto), ada) == ["Through Olga Owner"]
    assert headings(client_of(otto), owner) == ["To Ada Member"]


def test_every_act_has_a_column_of_its_own(owner: Person, ada: Person, storage_token: StoredToken) -> None:
    give(owner, ada, REF, Terms(acts=("read", "upload", "sign"), folders=("handbook/", "invoices/2026/")))
    rights = ["View", "Upload", "Sign links"]
    assert allowed(client_of(owner), ada) == {"handbook/": rights, "invoices/2026/": rights}


def test_access_for_a_role_is_on_the_pages_of_those_who_have_it_and_of_its_giver(
    owner: Person, ada: Person, storage_token: StoredToken
) -> None:
    grants.give(owner, REF, {"storage": VIEW}, people=[], role=ada.role)
    client = client_of(owner)
    assert headings(client, ada) == ["Through you"]
    assert headings(client, owner) == [f"To everybody: {ada.get_role_display().lower()} or higher"]
    assert listed(client)["Ada Member"] == "1 folder through you"


def test_giving_and_revoking_refresh_the_page_and_say_which_links_end(
    owner: Person, ada: Person, storage_token: StoredToken
) -> None:
    grant = give(owner, ada, REF)
    later = timezone.now() + timedelta(days=1)
    link(grant, "handbook", "procedures/damaged.md", ends_at=later)
    request_files(grant, "handbook", "sent/", ends_at=later)
    client = confirmed(owner)
    assert "2 active links end with it" in client.get(page_of(ada)).text
    way = reverse("access:revocation", args=[grant.pk])
    asked = client.part(way, "dialog").text
    assert "This stops their jobs and links: 1 active share link and 1 file request." in asked
    assert "“damaged.md” of Ada Member" in asked
    assert "“Photos” of Ada Member" in asked
    assert "grants:changed" in client.send(way)["HX-Trigger"]
    part = client.part(page_of(ada), "person").text
    assert "grants:changed from:body" in part
    assert part.index("Past access") < part.index("Revoked")


LINK, REQUEST = "“damaged.md” of Ada Member", "“Photos” of Ada Member"


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"folders": ["handbook/welcome/"]}, {LINK, REQUEST}),
        ({"life": "86400"}, {LINK, REQUEST}),
        ({"folders": ["handbook/procedures/"]}, {REQUEST}),
        ({"storage_acts": ["read"]}, {REQUEST}),
        ({"folders": ["handbook/sent/"]}, {LINK}),
        ({"life": "604800"}, set()),
    ],
)
def test_a_change_ends_no_link_that_it_does_not_name(
    owner: Person, ada: Person, storage_token: StoredToken, changed: dict[str, Any], named: set[str]
) -> None:
    grant = give(owner, ada, REF, Terms(acts=("read", "upload"), folders=("handbook/",)))
    soon = timezone.now() + timedelta(days=2)
    link(grant, "handbook", "procedures/damaged.md", ends_at=soon)
    request_files(grant, "handbook", "sent/", ends_at=soon)
    way, client = reverse("access:change", args=[grant.pk]), client_of(owner)
    asked: dict[str, Any] = {"folders": ["handbook/"], "storage_acts": ["read", "upload"], "life": "none", **changed}
    answer = client.send(way, **asked)
    assert answer.status_code == (422 if named else 200)
    assert {name for name in (LINK, REQUEST) if name in answer.text} == named
    grant.refresh_from_db()
    if named:
        assert (grant.acts, grant.folders, grant.ends_at) == (["read", "upload"], ["handbook/"], None)
        assert client.send(way, **asked, anyway="on").status_code == 422, "it was ticked for something else"
        assert client.send(way, **asked, anyway=anyway(answer.text)).status_code == 200


def test_a_page_gives_access_to_its_person(owner: Person, ada: Person, bob: Person, storage_token: StoredToken) -> None:
    client = confirmed(owner)
    way = next(one for one in parse(client.get(page_of(ada)).text).root.all("a") if one.text == "Give access")
    form = parse(client.part(f"{way.get('href')}&place={REF}", "dialog").text).root
    assert [field.get("value") for field in form.all("input") if field.get("name") == "people" and field.has("checked")] == [
        str(ada.pk)
    ]
    assert "Give access" not in client.get(page_of(owner)).text, "one's own page"
    assert "Give access" not in client_of(ada).get(page_of(bob)).text, "no token"


def test_only_owners_change_people(owner: Person, ada: Person) -> None:
    def acts(client: PageClient, person: Person) -> list[str]:
        links: list[Element] = parse(client.get(page_of(person)).text).root.all("a")
        return [link.text for link in links if link.get("class").startswith("menu__item") and "/team/" in link.get("href")]

    assert acts(client_of(owner), ada) == ["Change role", "New link", "Hand over", "Deactivate"]
    assert acts(client_of(ada), owner) == []
    Person.objects.filter(pk=ada.pk).update(is_active=False)
    assert acts(client_of(owner), ada) == ["Reactivate", "Hand over"]


def test_nobody_is_searched_for_where_there_is_nobody_else(owner: Person) -> None:
    assert 'role="search"' not in client_of(owner).get(LIST).text
    assert 'role="search"' in client_of(owner).get(f"{LIST}?q=nobody").text
    Person.objects.create(email="ada@example.org")
    assert 'role="search"' in client_of(owner).get(LIST).text


def test_people_are_found_by_name_and_by_what_they_reach(
    owner: Person, ada: Person, bob: Person, storage_token: StoredToken
) -> None:
    give(owner, ada, REF)
    client = client_of(owner)
    assert list(listed(client, q="byst")) == ["Bob Bystander"]
    assert list(listed(client, q="bob@")) == ["Bob Bystander"]
    assert listed(client_of(bob), q="bob@") == {}, "an address that isn't shown finds nobody"
    assert list(listed(client, bucket="handbook")) == ["Ada Member"]
    assert "Nobody matches" in client.get(LIST, {"q": "nobody"}).text


def test_access_is_exported_past_one_too(owner: Person, ada: Person, storage_token: StoredToken) -> None:
    give(owner, ada, REF)
    carl = Person.objects.create(email="carl@example.org", name="=Carl")
    grants.revoke(owner, give(owner, carl, REF, Terms(acts=("read",), folders=("invoices/2026/",))))
    lines = exported(client_of(owner))
    assert len(lines) == 3
    assert lines[1].startswith("'=Carl,Olga Owner,storage,")
    assert ",revoked," in lines[1]
    assert len(exported(client_of(owner), bucket="handbook")) == 2


def test_somebody_who_is_not_there_is_not_found(owner: Person) -> None:
    assert client_of(owner).get(reverse("people:person", args=[999_999])).status_code == 404


def test_more_access_takes_no_more_queries(
    owner: Person, ada: Person, storage_token: StoredToken, management_token: StoredToken
) -> None:
    client = client_of(owner)
    counts = []
    for kind, terms in (("storage", VIEW), ("management", Terms(acts=("read",), sections=("secrets",)))):
        grants.give(owner, REF, {kind: terms}, people=[ada])
        client.get(page_of(ada))
        with CaptureQueriesContext(connection) as queries:
            client.get(page_of(ada))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_who_has_no_token_is_told_to_ask_instead_of_to_give(owner: Person, as_ada: PageClient) -> None:
    text = as_ada.get(page_of(owner)).text
    assert "Ask them to give you access to a folder or a section." in text
    assert "Give access" not in text
