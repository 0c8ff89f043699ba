"""The one way to destroy something."""

from collections.abc import Iterator

import pytest

from dashboard.web.input.idempotency import new_key
from tests.pages import PageClient
from tests.web import urls

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.web.urls")]


@pytest.fixture(autouse=True)
def acts() -> Iterator[list[str]]:
    urls.ACTS.clear()
    urls.FRESH["count"] = 3
    yield urls.ACTS
    urls.ACTS.clear()


def test_it_says_what_happens_and_offers_the_way_out(signed_in: PageClient) -> None:
    text = signed_in.part("/remove/", "dialog").content.decode()
    assert "Links stop working." in text
    assert "data-dialog-close data-focus" in text
    assert "Delete Photos</button>" in text


def test_it_is_a_page_with_a_way_back(signed_in: PageClient) -> None:
    text = signed_in.get("/remove/").content.decode()
    assert '<a class="button" href="/patterns/" autofocus>Cancel</a>' in text


def test_it_acts_when_name_and_count_are_right(signed_in: PageClient, acts: list[str]) -> None:
    answer = signed_in.send("/remove/", typed="Photos", count="3")
    assert answer.status_code == 200
    assert acts == ["removed"]
    assert "Photos deleted." in answer.content.decode()


def test_it_goes_on_without_htmx(signed_in: PageClient) -> None:
    answer = signed_in.post("/remove/", {"typed": "Photos", "count": "3"})
    assert (answer.status_code, answer["Location"]) == (303, "/patterns/")


@pytest.mark.parametrize("typed", ["", "photos", "Photos ", " Photos", "Photo"])
def test_it_refuses_a_wrong_name(signed_in: PageClient, acts: list[str], typed: str) -> None:
    answer = signed_in.send("/remove/", typed=typed, count="3")
    assert answer.status_code == 422
    assert "Nothing was changed." in answer.content.decode()
    assert acts == []


def test_it_refuses_when_the_count_changed_and_shows_the_new_one(signed_in: PageClient, acts: list[str]) -> None:
    urls.FRESH["count"] = 5
    answer = signed_in.send("/remove/", typed="Photos", count="3")
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "changed from 3 to 5" in text
    assert 'name="count" value="5"' in text
    assert 'value="Photos"' in text
    assert acts == []


def test_it_refuses_a_missing_count(signed_in: PageClient, acts: list[str]) -> None:
    assert signed_in.send("/remove/", typed="Photos").status_code == 409
    assert acts == []


def test_a_refusal_of_the_service_is_said_on_the_question(signed_in: PageClient) -> None:
    answer = signed_in.send("/stuck/", anything="1")
    assert answer.status_code == 422
    assert "The resource already exists" in answer.content.decode()


def test_a_double_post_destroys_once(signed_in: PageClient, acts: list[str]) -> None:
    key = new_key()
    for _ in range(2):
        assert signed_in.send("/remove/", typed="Photos", count="3", once=key).status_code == 200
    assert acts == ["removed"]
