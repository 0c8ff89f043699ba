"""Pages of somebody whose access was paused, ended or revoked: the name they knew, and why nothing works."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import requests
from django.urls import reverse
from django.utils import timezone

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.team.models import Person
from dashboard.tokens import names
from dashboard.tokens.models import Grant, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.access.test_grants_frame import sections
from tests.markup import parse
from tests.pages import PageClient
from tests.people import client_of, hold
from tests.sandboxes import Sandbox

NAME = "parcel-tracking"
READ = Terms(acts=("read",), folders=("handbook/",))
SECRETS = Terms(acts=("read",), sections=("secrets", "types"))
PAUSED = "Olga Owner stored another token and has to confirm this access."


@pytest.fixture
def ref(service: Sandbox) -> str:
    """The project that is called `NAME`."""
    return "ktmvqhzwrbnxpgaydcle"


@pytest.fixture
def given(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> Grant:
    """Reading one bucket, for Ada."""
    return grants.give(owner, ref, {"storage": READ}, people=[ada])[0]


def pause(given: Grant) -> None:
    Grant.objects.filter(pk=given.pk).update(token="another")


def end(given: Grant) -> None:
    Grant.objects.filter(pk=given.pk).update(ends_at=timezone.now() - timedelta(days=1))


def revoke(given: Grant) -> None:
    grants.revoke(given.giver, given)


def forget(given: Grant) -> None:
    given.giver.stored_tokens.filter(kind=given.kind).delete()


def crumbs(client: PageClient, path: str) -> list[str]:
    trail = next(one for one in parse(client.get(path).text).root.all("nav") if one.get("class") == "crumbs")
    return [one.text for one in trail.all("li")]


@pytest.mark.parametrize(
    ("lose", "reason"),
    [
        (pause, PAUSED),
        (end, "Olga Owner can extend it."),
        (revoke, "Olga Owner revoked this access."),
        (forget, "Olga Owner no longer stores the token that this access uses, and has to store one again."),
    ],
)
def test_a_storage_that_was_lost_keeps_its_name_and_says_who_can_help(
    given: Grant, ada: Person, ref: str, lose: Callable[[Grant], None], reason: str
) -> None:
    client, here = client_of(ada), reverse("buckets:index", args=[ref])
    before = crumbs(client, here)
    assert NAME in before
    lose(given)
    answer = client.get(here)
    assert answer.headers["X-Problem"] == "GrantUnusable"
    assert reason in parse(answer.text).root.text
    assert crumbs(client, here)[: len(before)] == before
    assert sections(client, here) == ["Storage"], "no section that never worked"


def test_a_project_that_was_lost_keeps_its_name_and_its_sections(
    owner: Person, ada: Person, management_token: StoredToken, ref: str
) -> None:
    Workspace(owner).projects()
    given = grants.give(owner, ref, {"management": SECRETS}, people=[ada])[0]
    client, here = client_of(ada), reverse("secrets:index", args=[ref])
    before, offered = crumbs(client, here), sections(client, here)
    names.forget()
    pause(given)
    assert NAME in before
    assert PAUSED in parse(client.get(here).text).root.text
    assert (crumbs(client, here)[: len(before)], sections(client, here)) == (before, offered)
    assert PAUSED in client.get(reverse("home:index"), {"list": "now"}).text


def test_home_names_what_pauses_and_asks_for_no_token(given: Grant, owner: Person, ada: Person) -> None:
    client, managed = client_of(ada), grants.give(owner, given.place, {"management": SECRETS}, people=[ada])[0]
    assert "Your access to" not in client.get("/").text
    pause(given)
    pause(managed)
    home = parse(client.get("/").text).root.text
    assert home.count(f"Your access to {NAME} doesn't work") == 1, "of the storage and of its project"
    assert PAUSED in home
    assert "Add your management token" not in home
    revoke(given)
    revoke(managed)
    assert "Your access to" not in client.get("/").text, "nothing is left to wait for"


def test_a_lost_project_shows_no_name_that_it_got_since(
    given: Grant, owner: Person, ada: Person, service: Sandbox, ref: str
) -> None:
    pause(given)
    stored = owner.stored_tokens.get(kind="storage")
    stored.reach["project"] = "renamed"
    stored.save()
    fingerprint = owner.stored_tokens.get(kind="management").fingerprint
    names.learn(fingerprint, [])
    assert NAME in crumbs(client_of(ada), reverse("buckets:index", args=[ref]))


def test_access_of_a_role_that_was_lost_tells_no_name(owner: Person, storage_token: StoredToken, ref: str) -> None:
    given = grants.give(owner, ref, {"storage": READ}, role="operator")[0]
    revoke(given)
    newcomer = Person.objects.create(email="nora@example.org", name="Nora", role="operator")
    assert NAME not in client_of(newcomer).get(reverse("buckets:index", args=[ref])).text


def test_beside_an_own_token_that_does_not_help_the_frame_says_what_is_lost(
    owner: Person, ada: Person, management_token: StoredToken, service: Sandbox
) -> None:
    headers = {"Authorization": f"Bearer {service.personal_token}"}
    people = requests.get(f"{service.management_url}/_keys", headers=headers, timeout=10).json()["people"]
    hold(ada, next(one["personal_token"] for one in people if one["role"] == "read_only"))
    own = Workspace(ada).projects()
    beyond = next(project for project in Workspace(owner).projects() if project not in own)
    given = grants.give(owner, beyond.id, {"management": SECRETS}, people=[ada])[0]
    grants.choose(ada, "management", beyond.id, given.pk)
    client, here = client_of(ada), reverse("secrets:index", args=[beyond.id])
    before, offered = crumbs(client, here), sections(client, here)
    assert beyond.name in before
    pause(given)
    answer = client.get(here)
    assert answer.headers["X-Problem"] == "NotAllowed", "what the service says to the own token"
    assert PAUSED in answer.text
    assert (crumbs(client, here)[: len(before)], sections(client, here)) == (before, offered)
    assert PAUSED not in client.get(reverse("secrets:index", args=[own[0].id])).text


def test_confirming_again_takes_over_the_name_of_today(given: Grant, owner: Person, service: Sandbox, ref: str) -> None:
    Grant.objects.update(name="as it was called before")
    hold(owner, service.storage_tokens[ref]["anon"], ref)
    grants.confirm(owner, grants.unconfirmed(owner))
    assert Grant.objects.get().name == NAME
