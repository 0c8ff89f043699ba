"""Names over the whole alphabet make the round trip; all others are refused before anything is sent."""

import string
from collections.abc import Callable

import pytest
from django.urls import reverse
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dashboard.interfaces.names import key_problem
from tests.features.objects.conftest import Desk
from tests.features.objects.test_upload import plan, put

pytestmark = [pytest.mark.one_database, pytest.mark.exhaustive]

ALPHABET = string.ascii_letters + string.digits + "_!.*'()&$@=;:+,?- "
SEGMENT = st.text(ALPHABET, min_size=1, max_size=40).filter(lambda text: text not in (".", ".."))
GOOD = st.lists(SEGMENT, min_size=1, max_size=6).map("/".join)
ANY = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)
PATIENT = settings(max_examples=60)


@PATIENT
@given(key=GOOD)
@example(key=" ")
def test_a_good_name_is_stored_listed_opened_downloaded_and_deleted(desk: Desk, key: str) -> None:
    body = key.encode()
    assert put(desk, key, body, policy="replace").json()["key"] == key
    assert desk.bytes_of(key) == body
    folder, slash, name = key.rpartition("/")
    assert name in desk.names(folder + slash)
    assert desk.client.get(desk.address("details"), {"key": key}).status_code == 200
    assert desk.client.get(desk.address("download"), {"key": key}).status_code == 302
    address = reverse("objects:deletion", kwargs={"space": desk.space, "bucket": desk.bucket}, query={"key": key})
    assert desk.client.post(address).status_code == 303
    assert name not in desk.names(folder + slash)


@PATIENT
@given(key=ANY.filter(lambda key: key_problem(key) is not None))
def test_a_bad_name_is_refused_with_a_good_suggestion_and_nothing_is_sent(
    desk: Desk, calls: Callable[[], list[str]], key: str
) -> None:
    before = len(calls())
    assert put(desk, key).status_code == 422
    assert len(calls()) == before
    (told,) = plan(desk, key)
    assert told["problem"]
    assert told["suggestion"] == "" or key_problem(told["suggestion"]) is None
