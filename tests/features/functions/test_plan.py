"""Deploying: form, plan, yes."""

from tests.features.functions.desk import BUNDLE, OTHER, SOURCE, Desk, file
from tests.features.service import Calls
from tests.pages import PageClient


def test_a_new_function_from_source(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.slug()
    answer = as_keeper.post(desk.address("new"), {"slug": slug, "text": SOURCE.replace("\n", "\r\n"), "verify_jwt": "on"})
    assert answer.status_code == 303, answer.text
    plan = answer["Location"]
    calls()
    page = as_keeper.get(plan)
    assert len(calls()) == 3
    assert "Makes a new function" in page.text
    sent = desk.send(as_keeper, plan, note="first")
    assert sent.status_code == 303, sent.text
    assert sent["Location"] == desk.address("show", slug)
    assert desk.body(slug).decode() == SOURCE
    assert desk.get(slug).verify_jwt is True


def test_a_bundle_replaces_a_source(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.put(verify_jwt=False, name="Old")
    plan = desk.plan(as_keeper, slug, "", file=file(BUNDLE), import_map="on")
    page = as_keeper.get(plan)
    assert "Bundles can't be compared" in page.text
    sent = desk.send(as_keeper, plan)
    assert sent.status_code == 303
    function = desk.get(slug)
    assert (function.name, function.verify_jwt, function.import_map, function.version) == ("Old", False, True, 2)
    assert desk.body(slug) == BUNDLE


def test_all_pages(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    assert as_keeper.get(desk.address("show", slug)).status_code == 200
    plan = desk.plan(as_keeper, slug, OTHER)
    assert "to be deployed" in as_keeper.get(plan).text
    assert desk.send(as_keeper, plan, note="why").status_code == 303
    versions = as_keeper.get(desk.address("versions", slug))
    assert "why" in versions.text
    rows = versions.context["versions"]
    assert [row.number for row in rows] == ["2", "1"]
    assert as_keeper.get(rows[0].href).status_code == 200
    assert as_keeper.get(desk.address("version_body", slug, rows[1].pk)).content.decode() == SOURCE
    assert as_keeper.get(desk.address("compare", slug, old=str(rows[1].pk), new=str(rows[0].pk))).status_code == 200
    again = as_keeper.post(desk.address("again", slug, rows[1].pk))
    assert again.status_code == 303
    assert "again" in as_keeper.get(again["Location"]).text
    desk.send(as_keeper, again["Location"])
    assert desk.body(slug).decode() == SOURCE
    assert as_keeper.get(desk.address("calls", slug)).status_code == 200
    assert as_keeper.get(desk.address("edit", slug)).status_code == 200
    assert as_keeper.get(desk.address("delete", slug)).status_code == 200
    assert as_keeper.get(desk.address("new")).status_code == 200
    assert as_keeper.get(desk.address("replace", slug)).status_code == 200
