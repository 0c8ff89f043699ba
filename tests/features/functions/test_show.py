"""One function: its facts."""

import pytest
from django.urls import reverse

from tests.features.functions import strange
from tests.features.functions.desk import REF, Desk
from tests.features.service import Calls
from tests.pages import PageClient

TRACKING = "ktmvqhzwrbnxpgaydcle"


def test_a_source_is_shown_in_colours_with_every_fact(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put("const a = '<b>';\n", name="Shown & told", verify_jwt=False)
    answer = as_keeper.get(desk.address("show", slug))
    assert '<span class="code__keyword">const</span>' in answer.text
    assert "&#x27;&lt;b&gt;&#x27;" in answer.text
    for words in (
        "Shown &amp; told",
        "Unprotected",
        "<code>verify_jwt</code>: off",
        "Anyone with the address",
        desk.get(slug).id,
        "1 line",
    ):
        assert words in answer.text


def test_it_asks_three_things_side_by_side(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.put()
    calls()
    as_keeper.get(desk.address("show", slug))
    assert sorted(calls()) == [
        "GET /v1/projects",
        f"GET /v1/projects/{REF}/functions/{slug}",
        f"GET /v1/projects/{REF}/functions/{slug}/body",
    ]
    as_keeper.part(desk.address("show", slug), "function")
    assert len(calls()) == 2


def test_what_no_document_knows_is_shown_as_it_came(as_keeper: PageClient, strange_service: None) -> None:
    answer = as_keeper.get(reverse("functions:show", args=[strange.REF, "strange.one"]))
    assert "HIBERNATING" in answer.text
    assert "isn&#x27;t documented" in answer.text
    assert "<code>verify_jwt</code>: not reported" in answer.text
    assert "22 Jun 2023, 08:37:05 UTC" in answer.text
    assert '<code class="quiet" title="The number that the service sent, in an unknown unit">5</code>' in answer.text
    assert "Bundle (ESZIP2.9)" in answer.text


@pytest.mark.parametrize(("slug", "words"), [("legacy_webhook", "Nobody can call it"), ("notify-recipient", "limits calls")])
def test_states_that_are_not_plain_are_explained(as_keeper: PageClient, slug: str, words: str) -> None:
    assert words in as_keeper.get(reverse("functions:show", args=[TRACKING, slug])).text


def test_one_that_is_not_there_is_not_found(as_keeper: PageClient, desk: Desk) -> None:
    for view in ("show", "body", "sources", "calls", "edit", "delete", "replace", "versions"):
        assert as_keeper.get(desk.address(view, "not-there")).status_code == 404, view


def test_it_takes_no_post(as_keeper: PageClient, desk: Desk) -> None:
    for view in ("show", "body", "sources", "calls", "versions", "compare"):
        assert as_keeper.post(desk.address(view, "a")).status_code == 405, view
