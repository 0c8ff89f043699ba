"""The secrets of two projects side by side, and names without values."""

from hashlib import md5, sha256

import pytest
from django.urls import reverse

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.features.secrets.rules.comparison import compare
from dashboard.features.secrets.rules.env import read
from dashboard.interfaces.management.secrets import Secret
from dashboard.team.models import Person
from tests.features.secrets.desk import REF, Desk
from tests.features.secrets.drafting import CANARY, calls_of
from tests.features.service import Calls, Faults
from tests.pages import PageClient

OTHER = "ktmvqhzwrbnxpgaydcle"


@pytest.fixture
def there(desk: Desk) -> str:
    """A secret with the same value in both projects."""
    name = desk.put(CANARY)
    desk.management.secrets.create(OTHER, {name: CANARY})
    return name


def test_names_and_equality_are_all_it_shows(as_keeper: PageClient, desk: Desk, there: str, calls: Calls) -> None:
    here = desk.put(CANARY)
    calls()
    answer = as_keeper.get(desk.address("comparison", **{"with": OTHER, "show": "all"}))
    assert sorted(calls_of(calls())) == ["M1", "M5", "M5"]
    assert here in answer.text
    assert "Only here" in answer.text
    assert there in answer.text
    assert "Equal" in answer.text
    assert CANARY not in answer.text
    assert sha256(CANARY.encode()).hexdigest() not in answer.text
    assert "SUPABASE_" not in answer.text
    desk.management.secrets.create(OTHER, {there: "other"})
    assert "1 different" in as_keeper.part(desk.address("comparison"), "comparison", **{"with": OTHER}).text
    desk.management.secrets.delete(OTHER, [there])


def test_values_are_not_compared_with_what_is_remembered_without_them(
    as_keeper: PageClient, desk: Desk, there: str, faults: Faults
) -> None:
    address = desk.address("comparison", **{"with": OTHER, "show": "all"})
    desk.management.secrets.create(OTHER, {there: "other"})
    assert there in as_keeper.get(address).text
    faults("M5", status=500)
    answer = as_keeper.get(address)
    assert answer["X-Problem"] == "Broken"
    assert there not in answer.text
    faults("M5", delay=0.001)
    desk.management.secrets.delete(OTHER, [there])


@pytest.mark.usefixtures("as_keeper")
def test_nothing_is_said_of_values_that_access_leaves_out(
    as_ada: PageClient, owner: Person, ada: Person, desk: Desk, there: str
) -> None:
    terms = Terms(acts=("read",), sections=("secrets",))
    for ref in (REF, OTHER):
        grants.give(owner, ref, {"management": terms}, people=[ada])
    listed = as_ada.get(desk.address("index")).text
    assert there in listed
    assert "Value returned" not in listed
    compared = as_ada.part(desk.address("comparison"), "comparison", **{"with": OTHER, "show": "all"}).text
    assert "0 equal · 0 different" in " ".join(compared.split())
    desk.management.secrets.delete(OTHER, [there])


def test_equal_ones_are_left_out_until_asked_for(as_keeper: PageClient, desk: Desk, there: str) -> None:
    assert there not in as_keeper.get(desk.address("comparison", **{"with": OTHER})).text
    desk.management.secrets.delete(OTHER, [there])


@pytest.mark.parametrize(
    ("here", "there", "state"),
    [
        ("a", "a", "equal"),
        ("a", "b", "different"),
        ("a", None, "here"),
        (None, "a", "there"),
        ("a", sha256(b"a").hexdigest(), "equal"),
        (sha256(b"b").hexdigest(), "a", "different"),
        ("a", md5(b"a").hexdigest(), "equal"),  # noqa: S324 - what an old service returned
        (md5(b"a").hexdigest(), sha256(b"a").hexdigest(), "unknown"),  # noqa: S324 - the same
        ("", "", "unknown"),  # withheld
        ("", sha256(b"a").hexdigest(), "unknown"),
    ],
)
def test_a_digest_beside_a_text_tells(here: str | None, there: str | None, state: str) -> None:
    sides = compare(*([Secret(name="A", value=value)] if value is not None else [] for value in (here, there)))
    assert sides == {"A": state}


def test_it_asks_for_the_other_project_first(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    answer = as_keeper.get(desk.address("comparison"))
    assert "Nothing compared yet" in answer.text
    assert sorted(calls_of(calls())) == ["M1", "M5"]
    for nonsense in (REF, "../x", "A B"):
        assert "Nothing compared yet" in as_keeper.get(desk.address("comparison", **{"with": nonsense})).text


def test_another_project_that_can_not_be_read_is_a_message(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.get(desk.address("comparison", **{"with": "a" * 20}))
    assert answer.status_code == 200
    assert "Couldn't read the secrets" in answer.text


def test_without_the_projects_a_ref_can_be_typed(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M1", status=500)
    assert "Ref of the other project" in as_keeper.get(desk.address("comparison")).text


@pytest.mark.parametrize("view", ["comparison", "names"])
def test_they_take_no_post_and_know_no_missing_project(as_keeper: PageClient, desk: Desk, view: str) -> None:
    assert as_keeper.post(desk.address(view)).status_code == 405
    assert as_keeper.get(reverse(f"secrets:{view}", args=["a" * 20])).status_code == 404


def test_names_are_saved_as_a_template_without_values(as_keeper: PageClient, desk: Desk) -> None:
    plain, odd = desk.put(CANARY), desk.put(CANARY, form="odd name # {}")
    answer = as_keeper.get(desk.address("names"))
    assert answer["Content-Disposition"] == 'attachment; filename=".env.template"'
    assert "no-store" in answer["Cache-Control"]
    text = answer.content.decode()
    assert CANARY not in text
    assert sha256(CANARY.encode()).hexdigest() not in text
    entries = read(text)
    assert {plain, odd} <= {piece.name for piece in entries}
    assert {piece.value for piece in entries} == {""}
    assert "SUPABASE_" not in text
