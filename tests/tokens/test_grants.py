"""Acting through a grant: within its scope only, as a credential of its own, while the giver keeps the token."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import requests
from django.utils import timezone

from dashboard.catalog.walk import walk
from dashboard.interfaces import StorageInterface, errors
from dashboard.journal.models import Entry
from dashboard.team.models import Person, Role
from dashboard.tokens.errors import GrantUnusable, TokenMissing
from dashboard.tokens.guard import MARKER
from dashboard.tokens.models import ActiveGrant, Grant, Kind, StoredToken
from dashboard.tokens.scope import STORAGE_ACTS, Scope, outermost
from dashboard.tokens.workspace import Workspace
from tests.people import hold
from tests.sandboxes import Sandbox

VIEW = ["read"]


@pytest.fixture
def bucket(owner: Person, storage_token: StoredToken, ref: str) -> Iterator[str]:
    """A bucket with `own/`, its case twin, a sibling, and a folder that a wildcard would match."""
    storage, name = Workspace(owner).storage(ref), f"grants-{uuid4().hex[:8]}"
    storage.buckets.create(name)
    for key in ("own/a.txt", "own/sub/b.txt", "Own/twin.txt", "other/c.txt", "own-not/d.txt", "e.txt"):
        storage.objects.upload(name, key, b"text", content_type="text/plain")
    yield name
    storage.buckets.empty(name)
    storage.buckets.delete(name)


def give(token: StoredToken, person: Person, place: str, **terms: Any) -> Grant:
    return Grant.objects.create(
        giver=token.person, kind=token.kind, space=token.space, place=place, person=person, token=token.fingerprint, **terms
    )


def act(person: Person, ref: str) -> StorageInterface:
    return Workspace(person).storage(ref)


@pytest.fixture
def wildcards(service: Sandbox) -> Iterator[None]:
    """The sandbox takes `_` and `%` in prefixes as wildcards."""

    def switch(*, on: bool) -> None:
        headers = {"Authorization": f"Bearer {service.personal_token}"}
        requests.post(f"{service.management_url}/_wildcards", json={"on": on}, headers=headers, timeout=10).raise_for_status()

    switch(on=True)
    yield
    switch(on=False)


@pytest.mark.parametrize("search", [False, True])
@pytest.mark.usefixtures("wildcards")
def test_a_server_with_wildcards_shows_no_name_of_another_folder(
    ada: Person, storage_token: StoredToken, ref: str, bucket: str, search: bool
) -> None:
    own, objects = ("o_n/a.txt", "o_n/sub/b.txt"), Workspace(storage_token.person).storage(ref).objects
    for key in own:
        objects.upload(bucket, key, b"text", content_type="text/plain")
    prefix, path = ("", "o_n/") if search else ("o_n/", "")
    told = {row.name.rpartition("/")[2] for row in objects.all(bucket, prefix="o_n/", sort_by="name")}
    objects.upload(bucket, "own/secret.txt", b"text", content_type="text/plain")
    objects.upload(bucket, "own/hidden/c.txt", b"text", content_type="text/plain")
    assert {row.name for row in objects.all(bucket, prefix="o_n/")} > told, "the owner sees other folders' names"
    give(storage_token, ada, ref, acts=VIEW, folders=[f"{bucket}/o_n/"])
    shown = {row.name.rpartition("/")[2] for row in act(ada, ref).objects.all(bucket, prefix=prefix, search=path)}
    assert shown - {MARKER} == {"a.txt", "sub"}


def test_a_person_without_a_token_acts_within_the_granted_folder(
    ada: Person, storage_token: StoredToken, ref: str, bucket: str
) -> None:
    give(storage_token, ada, ref, acts=VIEW, folders=[f"{bucket}/own/"])
    storage = act(ada, ref)
    assert [found.name for found in storage.buckets.all()] == [bucket]
    assert storage.objects.read(bucket, "own/a.txt").read_all(10) == b"text"
    assert {entry.key for page in walk(storage, bucket) for entry in page.entries if not entry.is_marker} == {
        "own/a.txt",
        "own/sub/b.txt",
    }


@pytest.mark.parametrize("key", ["other/c.txt", "Own/twin.txt", "own-not/d.txt", "e.txt", "own/../other/c.txt", "own//a.txt"])
def test_what_is_outside_the_folder_is_answered_as_if_unknown(
    ada: Person, storage_token: StoredToken, ref: str, bucket: str, key: str
) -> None:
    give(storage_token, ada, ref, acts=list(STORAGE_ACTS), folders=[f"{bucket}/own/"])
    objects, signing = act(ada, ref).objects, act(ada, ref).signing
    tries: list[Callable[[], object]] = [
        lambda: objects.read(bucket, key),
        lambda: objects.info(bucket, key),
        lambda: objects.delete_many(bucket, ["own/a.txt", key]),
        lambda: objects.copy(bucket, key, "own/copy.txt"),
        lambda: objects.move(bucket, "own/a.txt", f"{key}.moved"),
        lambda: signing.sign(bucket, key, expires_in=60),
        lambda: signing.sign_many(bucket, [key], expires_in=60),
        lambda: objects.upload(bucket, f"{key}.new", b"", content_type="text/plain"),
    ]
    for attempt in tries:
        with pytest.raises((errors.NotFound, errors.NameRefused)):
            attempt()


def test_an_act_that_was_not_granted_is_refused(ada: Person, storage_token: StoredToken, ref: str, bucket: str) -> None:
    give(storage_token, ada, ref, acts=["read", "upload"], folders=[f"{bucket}/own/"])
    storage = act(ada, ref)
    storage.objects.upload(bucket, "own/new.txt", b"1", content_type="text/plain")
    for attempt in (
        lambda: storage.objects.delete(bucket, "own/a.txt"),
        lambda: storage.objects.replace(bucket, "own/a.txt", b"2", content_type="text/plain"),
        lambda: storage.objects.upload(bucket, "own/a.txt", b"2", content_type="text/plain", upsert=True),
        lambda: storage.signing.sign(bucket, "own/a.txt", expires_in=60),
        lambda: storage.buckets.empty(bucket),
        lambda: storage.buckets.create("another"),
    ):
        with pytest.raises((errors.NotAllowed, errors.NotFound)):
            attempt()


def test_a_grant_allows_no_more_than_its_givers_role(
    ada: Person, owner: Person, storage_token: StoredToken, ref: str, bucket: str
) -> None:
    give(storage_token, ada, ref, acts=list(STORAGE_ACTS), folders=[f"{bucket}/own/"])
    Person.objects.filter(pk=owner.pk).update(role=Role.VIEWER)
    objects = act(ada, ref).objects
    assert objects.read(bucket, "own/a.txt").read_all(10) == b"text"
    with pytest.raises(errors.NotAllowed, match="The role of Olga Owner"):
        objects.upload(bucket, "own/new.txt", b"1", content_type="text/plain")
    Person.objects.filter(pk=owner.pk).update(role=Role.OWNER)


def test_no_address_of_the_storage_is_told_through_a_grant(
    ada: Person, storage_token: StoredToken, ref: str, bucket: str
) -> None:
    give(storage_token, ada, ref, acts=["read", "share"], folders=[f"{bucket}/own/"])
    own, granted = Workspace(storage_token.person), Workspace(ada)
    assert own.redirect_url(ref)
    assert own.signing_url(ref)
    assert granted.redirect_url(ref) is None
    assert granted.signing_url(ref) is None


def test_signed_links_live_an_hour_at_most(ada: Person, storage_token: StoredToken, ref: str, bucket: str) -> None:
    give(storage_token, ada, ref, acts=["read", "sign"], folders=[f"{bucket}/"], ends_at=timezone.now() + timedelta(minutes=5))
    link = act(ada, ref).signing.sign(bucket, "own/a.txt", expires_in=86400)
    assert link.expires_at is not None
    assert link.expires_at <= timezone.now() + timedelta(minutes=5, seconds=2)


def test_a_granted_project_is_the_only_one_that_is_listed(ada: Person, owner: Person, management_token: StoredToken) -> None:
    project, other = Workspace(owner).management.projects.all()[:2]
    give(management_token, ada, project.id, acts=["read"], sections=["functions", "network"])
    management = Workspace(ada).management
    assert [one.id for one in management.projects.all()] == [project.id]
    assert [one.id for one in management.organizations.all()] == [project.organization_id]
    management.functions.all(project.id)
    for attempt in (
        lambda: management.secrets.all(project.id),
        lambda: management.functions.all(other.id),
        lambda: management.encryption.get(project.id),
        lambda: management.functions.delete(project.id, "any"),
        lambda: management.organizations.create("mine"),
    ):
        with pytest.raises((errors.NotFound, errors.NotAllowed, TokenMissing)):
            attempt()


def test_own_projects_and_granted_ones_are_listed_together(
    ada: Person, owner: Person, service: Any, management_token: StoredToken
) -> None:
    project = Workspace(owner).management.projects.all()[0]
    grant = give(management_token, ada, project.id, acts=["read"], sections=["secrets"])
    own = hold(ada, service.personal_token)
    assert len(Workspace(ada).management.projects.all()) > 1
    assert Workspace(ada).fingerprint(Kind.MANAGEMENT, project.id) == own.fingerprint
    ActiveGrant.objects.create(person=ada, kind=Kind.MANAGEMENT, place=project.id, grant=grant)
    chosen = Workspace(ada)
    assert chosen.fingerprint(Kind.MANAGEMENT, project.id) != own.fingerprint
    assert len({one.id for one in chosen.management.projects.all()}) > 1
    with pytest.raises(errors.NotAllowed):
        chosen.management.secrets.create(project.id, {"A": "b"})


def test_names_of_secrets_are_shown_without_values(ada: Person, owner: Person, management_token: StoredToken) -> None:
    management = Workspace(owner).management
    project = management.projects.all()[0]
    management.secrets.create(project.id, {"GRANTED_NAME": "value"})
    give(management_token, ada, project.id, acts=["read"], sections=["secrets"])
    found = Workspace(ada).management.secrets.all(project.id)
    management.secrets.delete(project.id, ["GRANTED_NAME"])
    assert found
    assert all(secret.name and not secret.value for secret in found)


def test_a_changed_scope_or_token_is_another_credential(ada: Person, storage_token: StoredToken, ref: str) -> None:
    grant = give(storage_token, ada, ref, acts=VIEW)
    first = Workspace(ada).fingerprint(Kind.STORAGE, ref)
    grant.version += 1
    grant.save()
    second = Workspace(ada).fingerprint(Kind.STORAGE, ref)
    assert len({first, second, storage_token.fingerprint}) == 3


def test_a_grant_pauses_when_the_giver_stores_another_token(ada: Person, storage_token: StoredToken, ref: str) -> None:
    grant = give(storage_token, ada, ref, acts=VIEW)
    StoredToken.objects.filter(pk=storage_token.pk).update(fingerprint="another")
    with pytest.raises(TokenMissing):
        act(ada, ref)
    with pytest.raises(GrantUnusable) as paused:
        Workspace(ada, grants=[grant.pk]).storage(ref)
    assert "has to confirm" in paused.value.reason


@pytest.mark.parametrize("change", [{"revoked_at": timezone.now()}, {"ends_at": timezone.now() - timedelta(hours=1)}])
def test_work_that_began_with_a_grant_falls_back_to_nothing(
    ada: Person, service: Any, storage_token: StoredToken, ref: str, change: dict[str, Any]
) -> None:
    grant = give(storage_token, ada, ref, acts=VIEW)
    hold(ada, service.storage_tokens[ref]["service"], ref)
    Grant.objects.filter(pk=grant.pk).update(**change)
    assert isinstance(act(ada, ref).buckets.all(), list)
    with pytest.raises(GrantUnusable):
        Workspace(ada, grants=[grant.pk]).storage(ref)


def test_entries_name_whose_token_was_used(ada: Person, owner: Person, storage_token: StoredToken, ref: str, bucket: str) -> None:
    give(storage_token, ada, ref, acts=["read", "upload"], folders=[f"{bucket}/own/"])
    workspace = Workspace(ada)
    with workspace.record("S9", target="own/new.txt", place=ref):
        workspace.storage(ref).objects.upload(bucket, "own/new.txt", b"1", content_type="text/plain")
    entry = Entry.objects.get(operation="S9", person=ada)
    assert entry.through == owner
    assert entry.token == workspace.fingerprint(Kind.STORAGE, ref)


def test_folders_inside_others_are_left_out() -> None:
    assert outermost(["b/x/y/", "b/x/", "b/xy/", "a/"]) == ("a/", "b/x/", "b/xy/")
    scope = Scope("storage", "ref", frozenset({"read"}), folders=("b/x/", "b/z/q/"))
    assert scope.leads("b", "") == ["x", "z"]
    assert scope.leads("b", "z/") == ["q"]
    assert not scope.leads("b", "x/")
