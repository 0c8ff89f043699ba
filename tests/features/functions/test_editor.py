"""Editing the live source of a function: what it begins with, and what somebody else deployed in between."""

import re
from base64 import b64decode
from html import unescape
from typing import Any

from dashboard.reviews.models import Review
from tests.features.functions.desk import BUNDLE, OTHER, REF, SOURCE, Desk, file
from tests.features.service import Faults
from tests.pages import PageClient

PASTE_MAX_CHARACTERS = 500_000

MINE = "Deno.serve(() => new Response('mine'));\n"


def opened(client: PageClient, desk: Desk, slug: str) -> dict[str, str]:
    """The fields of the form as a browser shows them."""
    form = client.get(desk.address("replace", slug)).context["form"]
    return {name: str(form[name].value() or "") for name in ("text", "base", "name")}


def post(client: PageClient, desk: Desk, slug: str, **fields: object) -> Any:
    return client.post(desk.address("replace", slug), {"verify_jwt": "on", **fields})


def body_of(answer: Any) -> bytes:
    """What the review that an answer leads to would send."""
    payload = Review.objects.get(pk=answer["Location"].rstrip("/").rpartition("/")[2]).payload
    assert payload
    return b64decode(payload["body"])


def test_the_editor_begins_with_the_live_source(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(SOURCE)
    assert opened(as_keeper, desk, slug)["text"] == SOURCE
    page = as_keeper.get(desk.address("replace", slug)).text
    assert "<code-editor" in page
    assert re.search(r'<textarea name="text"[^>]*>\s*Deno\.serve', unescape(page))


def test_a_review_shows_the_difference_between_the_live_source_and_the_edited_one(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(SOURCE)
    answer = post(as_keeper, desk, slug, **{**opened(as_keeper, desk, slug), "text": SOURCE.replace("one", "edited")})
    review = as_keeper.get(answer["Location"]).text
    assert "1 line removed, 1 added" in review
    assert desk.body(slug) == SOURCE.encode()


def test_carriage_returns_of_the_live_source_are_kept(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put("const a = 1;\r\nconst b = 2;\r\n")
    fields = opened(as_keeper, desk, slug)
    assert body_of(post(as_keeper, desk, slug, **{**fields, "text": "const a = 3;\r\nconst b = 2;\r\n"})) == (
        b"const a = 3;\r\nconst b = 2;\r\n"
    )


def test_a_file_replaces_a_source_that_was_not_edited(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(SOURCE)
    fields = opened(as_keeper, desk, slug)
    assert body_of(post(as_keeper, desk, slug, **fields, file=file(BUNDLE))) == BUNDLE
    refused = post(as_keeper, desk, slug, **{**fields, "text": MINE}, file=file(BUNDLE))
    assert "Use either source text or a file" in refused.text


def test_a_version_deployed_in_between_is_shown_before_it_can_be_replaced(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(SOURCE)
    fields = opened(as_keeper, desk, slug) | {"text": MINE}
    desk.management.functions.update(REF, slug, body=OTHER)
    answer = post(as_keeper, desk, slug, **fields)
    assert answer.status_code == 409
    shown = unescape(answer.text)
    assert "the function changed since you opened its source" in shown
    assert "Deployed in between" in shown
    assert "- the source you began with" in shown
    assert "new Response('two')" in shown
    assert answer.context["form"]["text"].value() == MINE
    assert not Review.objects.exists()
    again = answer.context["form"]["base"].value()
    assert again != fields["base"]
    review = as_keeper.get(post(as_keeper, desk, slug, **{**fields, "base": again})["Location"]).text
    assert "1 line removed, 1 added" in review


def test_a_review_leads_back_to_its_source(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(SOURCE)
    review = as_keeper.get(post(as_keeper, desk, slug, **{**opened(as_keeper, desk, slug), "text": MINE})["Location"])
    again = as_keeper.get(review.context["edit"])
    assert again.context["form"]["text"].value() == MINE
    fresh = as_keeper.get(as_keeper.post(desk.address("new"), {"slug": desk.slug(), "text": MINE, "name": "Fresh"})["Location"])
    form = as_keeper.get(fresh.context["edit"]).context["form"]
    assert (form["text"].value(), form["name"].value(), form["slug"].value()) == (MINE, "Fresh", desk.made[-1])


def test_the_editor_says_why_it_is_empty(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    bundle, long = desk.put(BUNDLE), desk.put("x" * (PASTE_MAX_CHARACTERS + 1))
    for slug, words in ((bundle, "The live code is a bundle"), (long, "too long to be edited here")):
        page = as_keeper.get(desk.address("replace", slug))
        assert words in page.text
        assert page.context["form"]["text"].value() == ""
    slug = desk.put(SOURCE)
    faults("M14", status=500)
    failed = as_keeper.get(desk.address("replace", slug))
    assert failed.context["problem"]
    assert failed.context["form"]["text"].value() == ""
