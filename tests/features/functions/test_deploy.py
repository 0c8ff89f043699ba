"""The form before a review: a body, flags, and what is wrong with them before anything is sent."""

from base64 import b64decode
from typing import Any

import pytest

from dashboard.features.functions.rules import Content, Flags, slug_problem
from dashboard.features.functions.services.verification import mismatches_of
from dashboard.reviews.models import Review
from tests.features.functions.desk import BUNDLE, OTHER, REF, SOURCE, Desk, file
from tests.features.service import Calls
from tests.pages import PageClient

SOURCE_MAX_BYTES, BUNDLE_MAX_BYTES = 5 << 20, 20 << 20


def post(client: PageClient, desk: Desk, **form: object) -> Any:
    return client.post(desk.address("new"), {"slug": "drafted", "text": SOURCE, **form})


def test_it_asks_for_slug_source_and_flags_with_the_check_on(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(desk.address("new"))
    assert answer.context["form"]["verify_jwt"].value() is True
    assert "at most 5.2 MB" in answer.text
    assert "at most 21.0 MB" in answer.text


def test_for_a_function_that_is_there_it_begins_with_its_flags(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(BUNDLE, name="Packed", verify_jwt=False, import_map=True)
    form = as_keeper.get(desk.address("replace", slug)).context["form"]
    assert [form[name].value() for name in ("name", "verify_jwt", "import_map")] == ["Packed", False, True]
    assert "slug" not in form.fields


def test_nothing_is_sent_before_the_plan(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    answer = post(as_keeper, desk, verify_jwt="on")
    assert answer.status_code == 303
    assert calls() == []


def test_a_file_may_be_a_source_or_a_bundle(as_keeper: PageClient, desk: Desk) -> None:
    for data, kind in ((SOURCE.encode(), "source"), (BUNDLE, "bundle"), ("\ufeffconst ü = 1\r\n".encode(), "source")):
        assert post(as_keeper, desk, text="", file=file(data)).status_code == 303
        payload = Review.objects.latest("created_at").payload
        assert payload
        assert b64decode(payload["body"]) == data
        assert Content(data).kind == kind


def test_unknown_bytes_go_as_a_bundle_only_when_that_is_meant(as_keeper: PageClient, desk: Desk) -> None:
    answer = post(as_keeper, desk, text="", file=file(b"\x00\x01\x02"))
    assert answer.status_code == 422
    assert "neither text nor a known bundle" in answer.text
    assert post(as_keeper, desk, text="", file=file(b"\x00\x01\x02"), anyway="on").status_code == 303


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"slug": ""}, "Enter a slug"),
        ({"slug": "1st"}, "starts with an English letter"),
        ({"slug": "é"}, "starts with an English letter"),
        ({"slug": "a.b c"}, "Not allowed: space ."),
        ({"slug": "a" * 257}, "at most 256 characters"),
        ({"text": "  \r\n "}, "Paste source text or choose a file"),
        ({"text": "x" * 500_001}, "At most 500,000 characters fit here"),
    ],
)
def test_what_is_wrong_is_said_at_the_field_and_kept(
    as_keeper: PageClient, desk: Desk, form: dict[str, object], words: str
) -> None:
    answer = post(as_keeper, desk, name="Stays", **form)
    assert answer.status_code == 422
    assert words in answer.text
    assert 'value="Stays"' in answer.text


def test_a_file_and_a_text_are_one_too_many(as_keeper: PageClient, desk: Desk) -> None:
    assert "Use either source text or a file" in post(as_keeper, desk, file=file(BUNDLE)).text


def test_an_empty_file_and_one_that_is_too_large(as_keeper: PageClient, desk: Desk) -> None:
    assert "This file is empty" in post(as_keeper, desk, text="", file=file(b"")).text
    assert "at most 5.2 MB" in post(as_keeper, desk, text="", file=file(b"x" * (SOURCE_MAX_BYTES + 1))).text
    answer = post(as_keeper, desk, text="", file=file(b"ESZIP2.3" + bytes(BUNDLE_MAX_BYTES)))
    assert "at most 21.0 MB" in answer.text


def test_a_form_of_more_than_32_mebibytes_is_not_even_read(as_keeper: PageClient, desk: Desk) -> None:
    assert post(as_keeper, desk, text="", file=file(bytes(33 << 20))).status_code == 400


def test_advice_on_a_slug_asks_nobody(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    assert "Not allowed: ." in as_keeper.part(desk.address("advice"), "slug-advice", slug="a.b").text
    assert "advice--danger" not in as_keeper.part(desk.address("advice"), "slug-advice", slug="a-b_1").text
    assert calls() == []


def test_the_rule_is_the_stricter_one_for_new_slugs() -> None:
    assert [slug_problem(slug) is None for slug in ("a", "a-b_C9", "_a", "-a", "9", "a.b", "a/b", "a\n")] == [True, True] + [
        False
    ] * 6


def test_somebody_elses_plan_is_not_found(as_keeper: PageClient, as_ada: PageClient, desk: Desk) -> None:
    review = post(as_keeper, desk)["Location"]
    assert as_keeper.get(review).status_code == 200
    assert "No management token yet" in as_ada.get(review).text
    assert as_keeper.get(review.replace(REF, "ktmvqhzwrbnxpgaydcle")).status_code == 404
    assert as_keeper.get(review.replace("/drafted/", "/other/")).status_code == 404


def test_a_plan_for_a_slug_that_is_taken_shows_what_changes(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(verify_jwt=False)
    answer = as_keeper.get(post(as_keeper, desk, slug=slug, text=OTHER, verify_jwt="on")["Location"])
    assert "Replaces version 1." in answer.text
    assert "changes" in answer.text


@pytest.mark.parametrize(
    ("data", "warning"),
    [
        (b"//" + b"x" * 4_000_000, "often fails to bundle"),
        (BUNDLE + b"x" * 10_000_000, "at most 10 MB"),
        (SOURCE.encode(), ""),
        (BUNDLE, ""),
    ],
    ids=["large source", "large bundle", "source", "bundle"],
)
def test_a_size_that_some_services_refuse_is_warned_of(data: bytes, warning: str) -> None:
    found = Content(data)
    assert found.problem == ""
    assert (warning in found.warning) if warning else found.warning == ""


def test_what_the_service_made_of_the_flags_is_compared_one_by_one(as_keeper: PageClient, desk: Desk) -> None:
    function = desk.get(desk.put(name="Here", verify_jwt=True, import_map=True))
    assert mismatches_of(Flags("Here", verify_jwt=True, import_map=True), function) == ()
    assert mismatches_of(Flags("Here", verify_jwt=True, import_map=None), function) == ()
    found = mismatches_of(Flags("There", verify_jwt=False, import_map=False), function)
    assert [(one.name, one.sent) for one in found] == [("The name", "“There”"), ("verify_jwt", "off"), ("import_map", "off")]
