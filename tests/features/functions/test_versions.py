"""Kept versions: sealed, shared by token only, compared, deployed again."""

import pytest
from pytest_django import Settings

from dashboard.features.functions.models import Body, Part, Seen
from dashboard.features.functions.services import versions
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from tests.conftest import Sandbox
from tests.features.functions.desk import BUNDLE, OTHER, REF, SOURCE, Desk
from tests.features.service import Calls
from tests.markup import parse
from tests.pages import PageClient
from tests.people import client_of


def look(client: PageClient, desk: Desk, slug: str, *bodies: str | bytes) -> list[Seen]:
    """Each body in turn becomes the live one and is looked at; the versions, oldest first."""
    client.get(desk.address("show", slug))
    for body in bodies:
        if isinstance(body, str):
            desk.management.functions.update(REF, slug, body=body, verify_jwt=True)
        else:
            desk.management.functions.update_bundle(REF, slug, bundle=body, verify_jwt=True)
        client.get(desk.address("show", slug))
    return list(Seen.objects.filter(body__slug=slug).order_by("version"))


def test_each_version_is_listed_newest_first_with_the_live_one_marked(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.put()
    look(as_keeper, desk, slug, OTHER)
    calls()
    answer = as_keeper.get(desk.address("versions", slug))
    assert len(calls()) == 1
    rows = answer.context["versions"]
    assert [(row.number, row.is_live) for row in rows] == [("2", True), ("1", False)]
    assert "Up to 100 versions and" in answer.text
    assert answer.text.count("JWT verified") == 2
    assert "Not reported" not in answer.text


def test_the_same_body_is_kept_once_under_two_versions(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    look(as_keeper, desk, slug, OTHER, SOURCE)
    assert Body.objects.filter(slug=slug).count() == 2
    assert Seen.objects.filter(body__slug=slug).count() == 3


def test_a_body_is_sealed(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put("// canary-4716\n")
    look(as_keeper, desk, slug)
    stored = Part.objects.get(body__slug=slug).sealed.stored()
    assert "canary" not in stored
    assert stored.startswith("v1.")


def test_a_large_body_comes_back_whole(as_keeper: PageClient, desk: Desk) -> None:
    data = b"ESZIP2.3" + bytes(range(256)) * 5000
    slug = desk.put(data)
    (seen,) = look(as_keeper, desk, slug)
    assert seen.body.parts.count() == 3
    assert as_keeper.get(desk.address("version_body", slug, seen.pk)).content == data


def test_who_stored_the_same_token_sees_them(as_keeper: PageClient, desk: Desk, ada: Person, service: Sandbox) -> None:
    slug = desk.put()
    (seen,) = look(as_keeper, desk, slug)
    store(ada, Kind.MANAGEMENT, "", service.personal_token)
    assert client_of(ada).get(desk.address("version", slug, seen.pk)).status_code == 200


def test_one_is_shown_as_it_was(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    first, _ = look(as_keeper, desk, slug, OTHER)
    answer = as_keeper.get(desk.address("version", slug, first.pk))
    assert "Version 1 of" in answer.text
    assert first.body.digest in answer.text
    assert "one" in answer.text


def test_one_whose_key_is_gone_says_so(as_keeper: PageClient, desk: Desk, settings: Settings) -> None:
    slug = desk.put()
    (seen,) = look(as_keeper, desk, slug)
    part = seen.body.parts.get()
    Part.objects.filter(pk=part.pk).update(sealed=type(part.sealed)("v1.00000000.gone"))
    assert "can't be opened" in as_keeper.get(desk.address("version", slug, seen.pk)).text
    assert as_keeper.get(desk.address("version_body", slug, seen.pk)).status_code == 404
    assert as_keeper.post(desk.address("again", slug, seen.pk)).status_code == 404


def test_two_are_compared(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.put()
    first, second = look(as_keeper, desk, slug, OTHER)
    calls()
    answer = as_keeper.get(desk.address("compare", slug, old=str(first.pk), new=str(second.pk)))
    assert calls() == []
    assert "1 line removed, 1 added" in answer.text
    same = as_keeper.get(desk.address("compare", slug, old=str(first.pk), new=str(first.pk)))
    assert "No line differs" in same.text


def test_bundles_are_compared_by_their_digests(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(BUNDLE)
    first, second = look(as_keeper, desk, slug, BUNDLE + b"x")
    assert "The bodies differ" in as_keeper.get(desk.address("compare", slug, old=str(first.pk), new=str(second.pk))).text
    assert "the same code" in as_keeper.get(desk.address("compare", slug, old=str(first.pk), new=str(first.pk))).text


def test_a_comparison_without_two_versions_leads_back(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    (first,) = look(as_keeper, desk, slug)
    assert as_keeper.get(desk.address("compare", slug, old="x")).status_code == 302
    assert as_keeper.get(desk.address("compare", slug, old=str(first.pk), new="999999")).status_code == 404


def test_a_roll_back_keeps_the_flags_of_now_and_says_of_which_version_it_is(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(name="Named", verify_jwt=True)
    first, _ = look(as_keeper, desk, slug, OTHER)
    desk.management.functions.update(REF, slug, verify_jwt=False)
    review = as_keeper.post(desk.address("again", slug, first.pk))["Location"]
    answer = as_keeper.get(review)
    assert "Rolls back to version 1." in answer.text
    assert "With version 1, “Require a JWT” was on" in answer.text
    assert "1 line removed, 1 added" in answer.text
    desk.send(as_keeper, review, note="it broke")
    noticed = as_keeper.get(desk.address("show", slug)).text
    function = desk.get(slug)
    assert (function.name, function.verify_jwt, function.import_map) == ("Named", False, False)
    assert desk.body(slug).decode() == SOURCE
    assert f"Rolled {slug} back to version 1. It is version {function.version:.0f} now." in noticed
    activity = parse(as_keeper.get("/journal/").text).root.text
    assert f"Rolled back function {slug} to version 1" in activity
    assert "Rolled back to version 1. it broke" in as_keeper.get(desk.address("versions", slug)).text


def test_the_text_sent_from_here_stands_for_a_bundle_that_the_service_made_of_it(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    desk.send(as_keeper, desk.review(as_keeper, slug, OTHER))
    function = desk.get(slug)
    Body.objects.filter(slug=slug).exclude(seen__sent=True).delete()
    desk.management.functions.update_bundle(REF, slug, bundle=BUNDLE, verify_jwt=True)
    Seen.objects.filter(body__slug=slug).update(version=function.version + 1)
    assert "1 line removed, 1 added" in as_keeper.get(desk.review(as_keeper, slug, SOURCE)).text


def test_the_oldest_versions_go_when_there_are_too_many(
    as_keeper: PageClient, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "VERSIONS_MAX", 2)
    slug = desk.put()
    kept = look(as_keeper, desk, slug, OTHER, "// three\n")
    assert [seen.version for seen in kept] == [2, 3]
    assert Body.objects.filter(slug=slug).count() == 2


def test_the_oldest_bodies_go_when_they_are_too_large(as_keeper: PageClient, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "VERSIONS_MAX_BYTES", 100)
    slug = desk.put("// " + "a" * 60)
    kept = look(as_keeper, desk, slug, "// " + "b" * 60)
    assert [seen.version for seen in kept] == [2]
