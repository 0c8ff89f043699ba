"""What saving a draft would do, told by comparing."""

import re
from hashlib import md5, sha256

import pytest

from dashboard.features.secrets.draft_forms import Choice
from dashboard.features.secrets.plans import is_same, plan_of
from dashboard.interfaces.management.secrets import Secret
from tests.features.secrets.desk import REF, Desk
from tests.features.secrets.drafting import CANARY, Draft, box_of, calls_of, ticked
from tests.features.service import Calls


def test_it_tells_new_changed_same_and_what_only_the_service_has(draft: Draft, desk: Desk, calls: Calls) -> None:
    new, changed, same, only = desk.name(), desk.put("old"), desk.put(CANARY), desk.put()
    calls()
    answer = draft.plan(f"{new}={CANARY}\n{changed}={CANARY}\n{same}={CANARY}\n")
    assert answer.status_code == 200
    assert "1 new, 1 changed, 1 the same" in answer.text
    assert re.search(rf"{same}</code></li>", answer.text)
    assert len(ticked(answer, "write")) == 2
    assert ticked(answer, "delete") == []
    assert box_of(answer, "delete", only)
    assert sorted(set(calls_of(calls()))) == (["M5"] if draft.htmx else ["M1", "M5"])


def test_the_platforms_own_are_never_offered_for_deletion(draft: Draft) -> None:
    assert "SUPABASE_" not in draft.plan("A=1").text


def test_the_same_file_again_is_an_empty_plan(draft: Draft, desk: Desk, calls: Calls) -> None:
    names = [desk.name(), desk.name()]
    text = f'{names[0]}="one\n{CANARY}"\n{names[1]}=\n'
    draft.apply(draft.plan(text))
    calls()
    second = draft.plan(text)
    assert "Nothing to send" in second.text
    assert "All 2 secrets of this draft are the same" in second.text
    assert ticked(second, "write") == []
    answer = draft.apply(second)
    assert answer.status_code == 422
    assert "Nothing is ticked, so nothing was sent" in answer.text
    assert set(calls_of(calls())) <= {"M1", "M5"}


@pytest.mark.parametrize(
    ("returned", "same"),
    [
        ("text", True),
        ("other", False),
        (sha256(b"text").hexdigest(), True),
        (sha256(b"other").hexdigest(), False),
        (sha256(b"text").hexdigest().upper(), False),
        (md5(b"text").hexdigest(), True),  # noqa: S324 - what an old service returned
        (sha256(b"text").hexdigest()[:32], False),
        ("", False),
    ],
)
def test_a_value_is_compared_as_text_and_as_digest(returned: str, same: bool) -> None:
    assert is_same(Secret(name="A", value=returned), "text") is same


def test_a_digest_typed_is_not_the_value_that_it_stands_for() -> None:
    digest = sha256(b"text").hexdigest()
    # It looks the same because the service may return values in clear: then it is not sent back, which is the safe side.
    assert is_same(Secret(name="A", value=digest), digest)


def test_the_order_in_which_the_service_lists_means_nothing() -> None:
    secrets = [Secret(name="A", value="1"), Secret(name="B", value="2")]
    assert plan_of({}, secrets).basis == plan_of({}, secrets[::-1]).basis
    assert plan_of({}, secrets).basis != plan_of({}, secrets[:1]).basis
    reserved = Secret(name="SUPABASE_URL", value="3")
    assert plan_of({}, secrets).basis == plan_of({}, [*secrets, reserved]).basis


def test_a_plan_without_room_names_how_many_must_stay() -> None:
    there = [Secret(name=f"THERE{number}", value="x") for number in range(98)]
    plan = plan_of({f"NEW{number}": "x" for number in range(4)}, there)
    every = frozenset(line.key for line in plan.to_send)
    assert "no room for 2 of the new secrets" in (Choice(every, frozenset(), "").problem(plan, REF) or "")
    two = frozenset(line.key for line in plan.to_send[:2])
    assert Choice(two, frozenset(), "").problem(plan, REF) is None


def test_the_way_back_keeps_the_draft(draft: Draft) -> None:
    plan = draft.plan("A=1\nB=2")
    sealed = re.search(r'id="plan-back".*?name="sealed" value="([^"]+)"', plan.text)
    assert sealed
    answer = draft.client.post(draft.desk.address("draft"), {"sealed": sealed[1], "mode": "rows", "act": "back"})
    assert answer.text.count("Kept: 1 character.") == 2
