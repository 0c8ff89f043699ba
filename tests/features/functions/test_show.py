"""One function: its facts and its live body."""

import pytest
from django.urls import reverse

from dashboard.features.functions.models import Seen
from tests.features.functions import strange
from tests.features.functions.desk import BUNDLE, REF, SOURCE, Desk
from tests.features.service import Calls, Faults
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
        "verify_jwt off",
        "Anyone with the address",
        desk.get(slug).id,
        "1 line",
    ):
        assert words in answer.text


def test_a_bundle_is_recognised_and_offered(as_keeper: PageClient, desk: Desk) -> None:
    for mark in (b"ESZIP_V2", b"ESZIP2.3", b"EZBR"):
        slug = desk.put(mark + bytes(range(64)))
        answer = as_keeper.get(desk.address("show", slug))
        assert f"Bundle ({mark.decode()})" in answer.text
        assert f"Download {slug}.eszip" in answer.text


def test_bytes_of_an_unknown_kind_are_only_offered(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(b"\x00\x01 nothing known")
    answer = as_keeper.get(desk.address("show", slug))
    assert "Unknown format" in answer.text
    assert "\x00" not in answer.text


def test_what_a_service_unpacks_is_shown_file_by_file(as_keeper: PageClient, strange_service: None) -> None:
    assert "Show source files" in as_keeper.get(reverse("functions:show", args=[strange.REF, "strange.one"])).text
    answer = as_keeper.get(reverse("functions:sources", args=[strange.REF, "strange.one"])).text
    assert answer.index("source/index.ts · 1 line") < answer.index("source/deep/a.ts · 1 line") < answer.index("source/x.wasm")
    assert "&quot;&lt;b&gt;&quot;" in answer
    assert "<code>source/x.wasm</code> is not text" in answer


def test_what_stays_packed_is_offered_for_download(as_keeper: PageClient, desk: Desk) -> None:
    source, bundle = desk.put(SOURCE), desk.put(BUNDLE)
    assert "No source files" in as_keeper.get(desk.address("sources", bundle)).text
    assert "source/index.ts" in as_keeper.get(desk.address("sources", source)).text


def test_the_body_is_saved_under_the_slug(as_keeper: PageClient, desk: Desk) -> None:
    bundle, source = desk.put(BUNDLE), desk.put(SOURCE)
    answer = as_keeper.get(desk.address("body", bundle))
    assert answer.content == BUNDLE
    assert answer["Content-Disposition"] == f'attachment; filename="{bundle}.eszip"'
    assert "sandbox" in answer["Content-Security-Policy"]
    assert f'"{source}.ts"' in as_keeper.get(desk.address("body", source))["Content-Disposition"]


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
    assert "verify_jwt not reported" in answer.text
    assert "22 Jun 2023, 08:37:05 UTC" in answer.text
    assert '<code class="quiet" title="The number that the service sent, in an unknown unit">5</code>' in answer.text
    assert "Bundle (ESZIP2.9)" in answer.text


@pytest.mark.parametrize(("slug", "words"), [("legacy_webhook", "Nobody can call it"), ("notify-recipient", "limits calls")])
def test_states_that_are_not_plain_are_explained(as_keeper: PageClient, slug: str, words: str) -> None:
    assert words in as_keeper.get(reverse("functions:show", args=[TRACKING, slug])).text


def test_looking_keeps_the_body_once(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    for _ in range(3):
        as_keeper.get(desk.address("show", slug))
    (seen,) = Seen.objects.filter(body__slug=slug)
    assert (seen.version, seen.verify_jwt, seen.sent, seen.body.size) == (1, True, False, len(SOURCE))


def test_a_body_that_can_not_be_read_leaves_the_facts(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    slug = desk.put()
    faults("M14", status=500)
    answer = as_keeper.get(desk.address("show", slug))
    assert answer.status_code == 200
    assert "The service failed" in answer.text
    assert desk.get(slug).id in answer.text


def test_one_that_is_not_there_is_not_found(as_keeper: PageClient, desk: Desk) -> None:
    for view in ("show", "body", "sources", "calls", "edit", "delete", "replace", "versions"):
        assert as_keeper.get(desk.address(view, "not-there")).status_code == 404, view


def test_it_takes_no_post(as_keeper: PageClient, desk: Desk) -> None:
    for view in ("show", "body", "sources", "calls", "versions", "compare"):
        assert as_keeper.post(desk.address(view, "a")).status_code == 405, view
