"""page, dialog, submit and done."""

import json
from collections.abc import Iterator
from html import unescape

import pytest
from django.test import RequestFactory

from dashboard.web.input.idempotency import new_key
from dashboard.web.pages.answers import dialog
from tests.pages import PageClient, htmx
from tests.web import urls

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.web.urls")]


@pytest.fixture(autouse=True)
def acts() -> Iterator[list[str]]:
    urls.ACTS.clear()
    yield urls.ACTS
    urls.ACTS.clear()


def test_a_form_is_a_page_without_htmx(signed_in: PageClient) -> None:
    text = signed_in.get("/add/").content.decode()
    assert "<h1" in text
    assert "hx-post" not in text


def test_a_form_is_a_dialog_for_htmx(signed_in: PageClient) -> None:
    text = signed_in.part("/add/", "dialog").content.decode()
    assert 'id="dialog-title"' in text
    assert "<html" not in text
    assert 'hx-post="/add/"' in text


def test_going_back_in_history_gets_the_whole_page(signed_in: PageClient) -> None:
    headers = {**htmx("dialog"), "HX-History-Restore-Request": "true"}
    assert "<!doctype html>" in signed_in.get("/add/", headers=headers).content.decode()


def test_a_dialog_without_a_title_is_a_mistake(rf: RequestFactory) -> None:
    request = rf.get("/")
    request.htmx = None  # type: ignore[attr-defined] # as if the middleware had run
    with pytest.raises(KeyError, match="title"):
        dialog(request, "dialog/_form.html", {})


def test_bad_input_is_422_with_a_sentence_at_the_field(signed_in: PageClient) -> None:
    answer = signed_in.send("/add/", name="taken", token="s3cret-value")
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "This name is taken." in text
    assert 'value="taken"' in text
    assert "s3cret-value" not in text
    assert 'aria-invalid="true"' in text
    assert 'aria-describedby="id_name_helptext id_name_error"' in text


def test_what_the_service_refuses_is_a_message_on_the_form(signed_in: PageClient, acts: list[str]) -> None:
    answer = signed_in.send("/add/", name="conflict")
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "The resource already exists" in text
    assert 'value="conflict"' in text
    assert acts == []


def test_a_wait_is_named_with_its_end(signed_in: PageClient) -> None:
    assert "Try again <time" in signed_in.send("/add/", name="slow-down").content.decode()


@pytest.mark.parametrize(("name", "sentence"), [("field", "Not this one."), ("whole", "Not like this.")])
def test_a_service_may_refuse_a_field_or_the_whole(signed_in: PageClient, name: str, sentence: str) -> None:
    answer = signed_in.post("/add/", {"name": name})
    assert answer.status_code == 422
    assert sentence in answer.content.decode()


def test_done_closes_the_dialog_and_fires_the_events(signed_in: PageClient, acts: list[str]) -> None:
    answer = signed_in.send("/add/", name="photos")
    assert json.loads(answer["HX-Trigger"]) == {"dialog:close": True, "things:changed": True, "counts:changed": True}
    assert answer["HX-Reswap"] == "none"
    assert "photos added." in answer.content.decode()
    assert 'href="/patterns/list/"' in answer.content.decode()
    assert acts == ["photos"]


def test_a_notice_has_no_link_to_the_page_it_is_on(signed_in: PageClient) -> None:
    here = htmx("dialog", "http://testserver/patterns/list/")
    answer = signed_in.post("/add/", {"name": "photos"}, headers=here).content.decode()
    assert "photos added." in answer
    assert 'href="/patterns/list/"' not in answer


def test_done_goes_on_with_303_without_htmx(signed_in: PageClient) -> None:
    answer = signed_in.post("/add/", {"name": "photos"})
    assert (answer.status_code, answer["Location"]) == (303, "/patterns/")
    text = signed_in.get("/patterns/").content.decode()
    assert "photos added." in text
    assert text.count("photos added.") == 1
    assert "photos added." not in signed_in.get("/patterns/").content.decode()


def test_a_name_with_markup_is_shown_as_text(signed_in: PageClient) -> None:
    text = signed_in.send("/add/", name="<b>x</b>").content.decode()
    assert "&lt;b&gt;x&lt;/b&gt; added." in text


def test_a_double_post_acts_once_and_gets_the_same_answer(signed_in: PageClient, acts: list[str]) -> None:
    key = new_key()
    first = signed_in.send("/add/", name="photos", once=key)
    second = signed_in.send("/add/", name="photos", once=key)
    assert acts == ["photos"]
    assert second["HX-Trigger"] == first["HX-Trigger"]
    assert "photos added." in second.content.decode()


def test_a_refused_form_may_be_sent_again_with_its_key(signed_in: PageClient, acts: list[str]) -> None:
    key = new_key()
    assert signed_in.send("/add/", name="conflict", once=key).status_code == 422
    assert signed_in.send("/add/", name="photos", once=key).status_code == 200
    assert acts == ["photos"]


def test_after_an_unknown_outcome_the_same_form_does_not_act_again(signed_in: PageClient) -> None:
    key = new_key()
    assert signed_in.post("/add/", {"name": "unknown-outcome", "once": key}).status_code == 200
    answer = signed_in.post("/add/", {"name": "photos", "once": key})
    assert answer.status_code == 409
    # By now it may be known, and the activity says so.
    assert "The outcome of the first request isn't known" in unescape(answer.content.decode())
    assert "outcome is unknown" not in answer.content.decode()


@pytest.mark.parametrize(("kind", "status", "again"), [("broken", 200, 409), ("unreachable", 422, 422), ("slow-down", 422, 422)])
def test_a_form_can_be_sent_again_only_where_nothing_was_done(signed_in: PageClient, kind: str, status: int, again: int) -> None:
    key = new_key()
    assert signed_in.send("/add/", name=kind, once=key).status_code == status
    assert signed_in.send("/add/", name=kind, once=key).status_code == again


@pytest.mark.parametrize("kind", ["broken", "unknown-outcome"])
def test_a_page_keeps_what_was_typed_where_the_outcome_is_unknown_and_can_not_be_sent_again(
    signed_in: PageClient, acts: list[str], kind: str
) -> None:
    key = new_key()
    answer = signed_in.post("/add/", {"name": kind, "once": key})
    assert answer.status_code == 200
    assert f'value="{kind}"' in answer.text
    assert f'value="{key}"' in answer.text, "the key that is used up"
    assert "Check the current state" in answer.text
    assert "Try again" not in answer.text


def test_a_page_keeps_what_was_typed_where_nothing_was_sent_and_can_be_sent_again(signed_in: PageClient) -> None:
    key = new_key()
    answer = signed_in.post("/add/", {"name": "unreachable", "once": key})
    assert answer.status_code == 422
    assert answer["X-Problem"] == "Unreachable"
    assert 'value="unreachable"' in answer.text
    assert f'value="{key}"' not in answer.text


def test_another_person_is_not_hindered_by_a_key(signed_in: PageClient, visitor: PageClient, acts: list[str]) -> None:
    key = new_key()
    signed_in.send("/add/", name="one", once=key)
    visitor.send("/add/", name="two", once=key)
    assert acts == ["one", "two"]


def test_every_form_has_its_own_key(signed_in: PageClient) -> None:
    keys = {signed_in.part("/add/", "dialog").content.decode().split('name="once" value="')[1].split('"')[0] for _ in range(3)}
    assert len(keys) == 3
