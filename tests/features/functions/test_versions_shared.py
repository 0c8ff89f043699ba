"""Kept bodies across tokens: what another token deployed can be rolled back with each token that reads the live body now."""

import pytest

from dashboard.features.functions.models import Seen
from dashboard.team.models import Person, Role
from dashboard.tokens.models import StoredToken
from tests.conftest import Sandbox
from tests.features.functions.desk import BUNDLE, OTHER, REF, SOURCE, Desk
from tests.features.functions.test_versions import look
from tests.features.service import Calls, Faults
from tests.pages import PageClient
from tests.people import client_of, hold


@pytest.fixture
def colleague(ada: Person, service: Sandbox) -> PageClient:
    """Somebody with another token for the same projects; Pilothouse tells tokens apart by fingerprint only."""
    token = hold(ada, service.personal_token)
    StoredToken.objects.filter(pk=token.pk).update(fingerprint="0" * 32)
    return client_of(ada)


def test_a_colleague_rolls_back_what_another_deployed(as_keeper: PageClient, colleague: PageClient, desk: Desk) -> None:
    slug = desk.put()
    look(as_keeper, desk, slug)
    desk.send(as_keeper, desk.review(as_keeper, slug, OTHER))
    page = colleague.get(desk.address("versions", slug))
    assert [row.number for row in page.context["versions"]] == ["2", "1"]
    first = Seen.objects.get(body__slug=slug, version=1)
    review = colleague.post(desk.address("again", slug, first.pk))["Location"]
    assert "1 line removed, 1 added" in colleague.get(review).text
    desk.send(colleague, review)
    assert desk.body(slug).decode() == SOURCE


def test_who_cannot_read_the_live_body_sees_no_kept_one(
    as_keeper: PageClient, colleague: PageClient, desk: Desk, faults: Faults
) -> None:
    slug = desk.put()
    (seen,) = look(as_keeper, desk, slug)
    faults("M14", status=403)
    assert "No versions kept yet" in colleague.get(desk.address("versions", slug)).text
    for address in (desk.address("version", slug, seen.pk), desk.address("version_body", slug, seen.pk)):
        assert colleague.get(address).status_code == 404
        assert as_keeper.get(address).status_code == 200
    assert colleague.get(desk.address("compare", slug, old=str(seen.pk), new=str(seen.pk))).status_code == 404
    assert colleague.post(desk.address("again", slug, seen.pk)).status_code == 404


def test_a_viewer_sees_no_version_that_only_another_token_read(
    as_keeper: PageClient, colleague: PageClient, ada: Person, desk: Desk, calls: Calls
) -> None:
    slug = desk.put()
    (seen,) = look(as_keeper, desk, slug)
    Person.objects.filter(pk=ada.pk).update(role=Role.VIEWER)
    calls()
    assert "No versions kept yet" in colleague.get(desk.address("versions", slug)).text
    assert not any("body" in call for call in calls())
    assert colleague.get(desk.address("version_body", slug, seen.pk)).status_code == 403


def test_the_live_version_read_once_proves_the_right_to_the_earlier_ones_without_reading_it_again(
    as_keeper: PageClient, colleague: PageClient, desk: Desk, calls: Calls
) -> None:
    slug = desk.put()
    first, _ = look(as_keeper, desk, slug, OTHER)
    address = desk.address("version_body", slug, first.pk)
    calls()
    assert colleague.get(address).content.decode() == SOURCE
    assert [call.rpartition("/")[2] for call in calls()] == [slug, "body"]
    assert colleague.get(address).content.decode() == SOURCE
    assert [call.rpartition("/")[2] for call in calls()] == [slug]
    desk.management.functions.update(REF, slug, body="// three\n", verify_jwt=True)
    assert colleague.get(address).status_code == 200
    assert [call.rpartition("/")[2] for call in calls() if "body" in call] == ["body"], "another version proves nothing"


def test_bodies_of_a_deleted_function_stay_with_their_token(as_keeper: PageClient, colleague: PageClient, desk: Desk) -> None:
    slug = desk.put()
    (seen,) = look(as_keeper, desk, slug)
    desk.management.functions.delete(REF, slug)
    assert colleague.get(desk.address("version", slug, seen.pk)).status_code == 404
    assert as_keeper.get(desk.address("version", slug, seen.pk)).status_code == 200
    desk.management.functions.create(REF, slug=slug, name=slug, body="// new\n", verify_jwt=True, import_map=False)
    assert colleague.get(desk.address("version", slug, seen.pk)).status_code == 404, "that was another function"
    assert "No versions kept yet" in colleague.get(desk.address("versions", slug)).text


def test_while_the_service_is_away_nobody_sees_what_others_kept(
    as_keeper: PageClient, colleague: PageClient, desk: Desk, faults: Faults
) -> None:
    slug = desk.put()
    (seen,) = look(as_keeper, desk, slug, OTHER)[:1]
    colleague.get(desk.address("show", slug))
    for operation in ("M11", "M14"):
        faults(operation, status=500)
    assert SOURCE.strip() not in colleague.get(desk.address("version", slug, seen.pk)).text
    assert [row.number for row in colleague.get(desk.address("versions", slug)).context["versions"]] == ["2"]


def test_a_body_both_tokens_read_is_listed_once(as_keeper: PageClient, colleague: PageClient, desk: Desk) -> None:
    slug = desk.put()
    look(as_keeper, desk, slug)
    colleague.get(desk.address("show", slug))
    assert Seen.objects.filter(body__slug=slug).count() == 2
    assert len(colleague.get(desk.address("versions", slug)).context["versions"]) == 1


def test_a_colleague_edits_the_text_that_another_deployed_as_a_bundle(
    as_keeper: PageClient, colleague: PageClient, desk: Desk
) -> None:
    slug = desk.put()
    desk.send(as_keeper, desk.review(as_keeper, slug, OTHER))
    function = desk.get(slug)
    desk.management.functions.update_bundle(REF, slug, bundle=BUNDLE, verify_jwt=True)
    Seen.objects.filter(body__slug=slug, sent=True).update(version=function.version + 1)
    assert OTHER.strip() in colleague.get(desk.address("replace", slug)).text.replace("&#x27;", "'").replace("&gt;", ">")
