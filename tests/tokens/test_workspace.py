from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.http import Http404
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from dashboard.interfaces import errors
from dashboard.journal.models import Entry, Outcome
from dashboard.team.models import Person
from dashboard.tokens.errors import TokenBroken, TokenMissing
from dashboard.tokens.models import StoredToken
from dashboard.tokens.workspace import Inactive, Workspace
from dashboard.vault.seals import Sealed
from tests.conftest import Sandbox
from tests.interfaces import servers


def test_it_asks_the_service_with_the_persons_token(owner: Person, management_token: StoredToken) -> None:
    assert Workspace(owner).management.projects.all()


def test_each_person_has_only_the_own_tokens(ada: Person, management_token: StoredToken) -> None:
    with pytest.raises(TokenMissing) as missing:
        assert Workspace(ada).management
    assert missing.value.kind == "management"


def test_it_says_which_storage_token_is_missing(owner: Person, management_token: StoredToken, ref: str) -> None:
    with pytest.raises(TokenMissing) as missing:
        Workspace(owner).storage(ref)
    assert (missing.value.kind, missing.value.space) == ("storage", ref)


def test_it_opens_the_storage_of_a_space(owner: Person, storage_token: StoredToken, ref: str) -> None:
    assert isinstance(Workspace(owner).storage(ref).buckets.all(), list)


@pytest.mark.parametrize("form", ["header", "query"])
def test_a_form_that_is_set_counts_also_for_tokens_stored_before(
    owner: Person, storage_token: StoredToken, ref: str, settings: Settings, form: str
) -> None:
    StoredToken.objects.filter(pk=storage_token.pk).update(placement="query" if form == "header" else "header")
    settings.STORAGE_AUTHORIZATION = form
    with servers.serving(servers.answer(b"[]")) as server:
        settings.STORAGE_URL = f"{server.address}/{{ref}}/storage/v1"
        Workspace(owner).storage(ref).buckets.all()
        assert (b"?authorization=" in server.requests[0]) == (form == "query")
        assert (b"\r\nAuthorization: " in server.requests[0]) == (form == "header")


@pytest.mark.parametrize("space", ["", "a.b", "UPPER", "..", "x" * 64, "shared@evil"])
def test_what_cannot_be_a_space_is_not_found(owner: Person, service: Sandbox, space: str) -> None:
    with pytest.raises(Http404):
        Workspace(owner).storage(space)


def test_a_token_that_does_not_open_asks_to_reconnect(owner: Person, management_token: StoredToken) -> None:
    StoredToken.objects.update(sealed=Sealed("v1.00000000.rubbish"))
    with pytest.raises(TokenBroken) as broken:
        assert Workspace(owner).management
    assert broken.value.broken


def test_somebody_deactivated_has_no_workspace(owner: Person, service: Sandbox) -> None:
    owner.is_active = False
    with pytest.raises(Inactive):
        Workspace(owner)


def test_spaces_are_the_projects_and_say_which_have_a_token(
    owner: Person, storage_token: StoredToken, ref: str, service: Sandbox
) -> None:
    spaces = {space.name: space for space in Workspace(owner).spaces()}
    assert spaces.keys() >= service.storage_tokens.keys()
    assert spaces[ref].has_token
    assert spaces[ref].title != ref
    assert sum(space.has_token for space in spaces.values()) == 1


def test_with_one_storage_there_is_one_space(owner: Person, service: Sandbox, settings: Settings, ref: str) -> None:
    settings.STORAGE_URL = service.storage(ref)
    (space,) = Workspace(owner).spaces()
    assert (space.name, space.has_token) == ("shared", False)


def test_without_storage_there_is_no_space(owner: Person, service: Sandbox, settings: Settings) -> None:
    settings.STORAGE_URL = ""
    assert Workspace(owner).spaces() == []
    with pytest.raises(Http404):
        Workspace(owner).storage("shared")


def test_without_management_it_is_not_found(owner: Person, service: Sandbox, settings: Settings) -> None:
    settings.MANAGEMENT_URL = ""
    with pytest.raises(Http404):
        assert Workspace(owner).management
    with pytest.raises(Http404):
        Workspace(owner).require("management")


def test_the_public_address_is_none_where_everything_is_streamed(
    owner: Person, service: Sandbox, settings: Settings, ref: str
) -> None:
    assert Workspace(owner).storage_public_url(ref) == service.storage(ref)
    settings.STORAGE_PUBLIC_URL = "https://{ref}.files.example"
    assert Workspace(owner).storage_public_url(ref) == f"https://{ref}.files.example"
    settings.STORAGE_PUBLIC_URL = "none"
    assert Workspace(owner).storage_public_url(ref) is None


def test_last_use_is_written_once_a_minute_at_most(
    owner: Person, management_token: StoredToken, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    StoredToken.objects.update(last_used_at=long_ago)
    workspace = Workspace(owner)
    workspace.management.projects.all()
    workspace.flush()
    written = StoredToken.objects.get().last_used_at
    assert written is not None
    assert written > long_ago
    again = Workspace(owner)
    again.management.projects.all()
    with django_assert_num_queries(0):
        again.flush()
    assert StoredToken.objects.get().last_used_at == written


def test_a_refusal_is_written_with_the_words(owner: Person, management_token: StoredToken) -> None:
    management_token.seal("sbp_" + "0" * 40)
    management_token.save()
    workspace = Workspace(owner)
    with pytest.raises(errors.TokenRefused):
        workspace.management.projects.all()
    workspace.flush("Unauthorized")
    token = StoredToken.objects.get()
    assert token.is_refused
    assert token.refusal == "Unauthorized"


def test_an_unreachable_service_says_nothing_about_the_token(
    owner: Person, management_token: StoredToken, settings: Settings
) -> None:
    settings.MANAGEMENT_URL = "http://127.0.0.1:9"
    StoredToken.objects.update(last_used_at=None)
    workspace = Workspace(owner)
    with pytest.raises(errors.Unreachable):
        workspace.management.projects.all()
    workspace.flush()
    token = StoredToken.objects.get()
    assert token.last_used_at is None
    assert token.refused_at is None


def count_buckets(workspace: Workspace, ref: str) -> int:
    return len(workspace.storage(ref).buckets.all())


def test_pool_threads_never_touch_the_database(
    owner: Person, storage_token: StoredToken, ref: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    workspace = Workspace(owner)
    with django_assert_num_queries(0), ThreadPoolExecutor(8) as pool:
        buckets = [pool.submit(count_buckets, workspace, ref) for _ in range(16)]
        projects = [pool.submit(workspace.management.projects.all) for _ in range(16)]
        assert len({call.result() for call in buckets}) == 1
        assert all(call.result() for call in projects)
    workspace.flush()


def test_a_write_is_journaled_with_token_and_status(owner: Person, storage_token: StoredToken, ref: str) -> None:
    workspace = Workspace(owner)
    with workspace.record("S1", target="bucket journal-test", place=ref) as change:
        workspace.storage(ref).buckets.create("journal-test")
        change.after = {"name": "journal-test"}
    entry = Entry.objects.latest("pk")
    assert (entry.operation, entry.place, entry.token, entry.status) == ("S1", ref, storage_token.fingerprint, 200)
    assert entry.outcome == Outcome.DONE
    with pytest.raises(errors.Conflict), workspace.record("S1", target="bucket journal-test", place=ref):
        workspace.storage(ref).buckets.create("journal-test")
    assert Entry.objects.latest("pk").outcome == Outcome.REFUSED
    workspace.storage(ref).buckets.delete("journal-test")


def test_nothing_prints_a_token(owner: Person, storage_token: StoredToken, ref: str, service: Sandbox) -> None:
    workspace = Workspace(owner)
    texts = [
        repr(workspace),
        repr(workspace.management),
        repr(workspace.storage(ref)),
        repr(storage_token),
        str(storage_token),
        str(vars(storage_token)),
    ]
    for text in texts:
        assert service.personal_token not in text
        assert service.storage_tokens[ref]["service"] not in text
