"""The live body of a function: shown, kept and saved."""

from django.urls import reverse

from dashboard.features.functions.models import Seen
from tests.features.functions import strange
from tests.features.functions.desk import BUNDLE, SOURCE, Desk
from tests.features.service import Faults
from tests.pages import PageClient


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
