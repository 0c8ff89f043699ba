"""What saving a draft would do, told by comparing."""

import re
from hashlib import md5, sha256
from html import unescape

import pytest

from dashboard.features.secrets.rules.comparison import digests_of, has_value, plan_of
from dashboard.features.secrets.rules.draft import Draft as Items
from dashboard.features.secrets.rules.env import read
from dashboard.features.secrets.services.secrets import are_saved, wanted_values
from dashboard.interfaces.management.secrets import Secret
from tests.features.secrets.desk import Desk
from tests.features.secrets.drafting import CANARY, Draft, box_of, calls_of, row_of, rows_in, ticked
from tests.features.service import Calls, Faults
from tests.pages import PageClient


def test_it_tells_new_changed_same_and_what_only_the_service_has(draft: Draft, desk: Desk, calls: Calls) -> None:
    new, changed, same, only = desk.name(), desk.put("old"), desk.put(CANARY), desk.put()
    calls()
    answer = draft.review(f"{new}={CANARY}\n{changed}={CANARY}\n{same}={CANARY}\n")
    assert "1 new, 1 changed, 1 unchanged" in answer.text
    assert "Save 2 secrets" in answer.text
    assert re.search(rf"{same}</code></li>", answer.text)
    assert len(ticked(answer, "write")) == 2
    assert ticked(answer, "delete") == []
    assert box_of(answer, "delete", only)
    assert re.search(r"\d+ (isn|aren)'t in your file\. Tick any to delete\.", unescape(answer.text))
    assert sorted(calls_of(calls())) == ["M1", "M5"]


def test_it_is_not_told_from_what_is_remembered_without_values(draft: Draft, desk: Desk, faults: Faults) -> None:
    answer = draft.review(f"{desk.put(CANARY)}={CANARY}\n{desk.name()}=x\n")
    assert "1 new, 0 changed, 1 unchanged" in answer.text
    faults("M5", status=500)
    again = draft.client.get(answer.request["PATH_INFO"])
    assert again["X-Problem"] == "Broken"
    assert "changed," not in again.text


WARNINGS = {
    "cut at a hash": ("{}=pass #word", "dropped as a comment"),
    "empty": ("{}=", "The value is empty"),
    "reference": ("{}=${{HOME}}", "aren't expanded"),
    "bare reference": ("{}=$B", "aren't expanded"),
    "odd name": ("{}-odd=1", "may not work as an environment variable"),
    "escaped dollar": ('{}="a\\$b"', "Some .env parsers drop it"),
    "escaped backslash": (r"{}='a\\b'", "Some .env parsers keep the backslash"),
    "two dollars": ("{}=p$$w", "Some .env parsers read it as one $"),
    "semicolon": (";{}=1", "as a comment"),
    "slashes": ("//{}=1", "as a comment"),
    "curly quotes": ("{}=\u201cx\u201d", "Curly quotes are saved"),
    "trimmed spaces": ("{}=  x  ", "Spaces around the value were dropped"),
    "json number": ('{{"{}": 47110815471108}}', "The number is saved as text"),
    "digest": (f'[{{{{"name": "{{}}", "value": "{"0a" * 32}"}}}}]', "the digest that the service lists"),
}


@pytest.mark.parametrize(("text", "words"), WARNINGS.values(), ids=WARNINGS)
def test_a_warning_stands_beside_the_secret_that_it_is_about(as_keeper: PageClient, desk: Desk, text: str, words: str) -> None:
    name = desk.name()
    page = Draft(as_keeper, desk).review(text.format(name))
    row = next(row for row in re.findall(r"<tr>.*?</tr>", unescape(page.text), re.DOTALL) if name in row)
    assert words in row
    assert "47110815471108" not in page.text


def test_a_warning_goes_when_the_value_is_typed_anew(draft: Draft) -> None:
    rows = draft.rows("A=pass #word\nB=x #y")
    fields = rows_in(rows)
    fields["value"][0] = "pass #word"
    page = draft.save_rows(rows, **fields)
    assert "dropped as a comment" not in row_of(page, "A")
    assert "dropped as a comment" in row_of(page, "B")


def test_the_platforms_own_are_never_offered_for_deletion(draft: Draft) -> None:
    assert "SUPABASE_" not in draft.review("A=1").text


def test_the_same_file_again_has_nothing_to_save(draft: Draft, desk: Desk, calls: Calls) -> None:
    names = [desk.name(), desk.name()]
    text = f'{names[0]}="one\n{CANARY}"\n{names[1]}=\n'
    draft.save(draft.review(text))
    calls()
    second = draft.review(text)
    assert "No changes" in second.text
    assert "All 2 secrets in this draft are already saved" in second.text
    assert ticked(second, "write") == []
    answer = draft.save(second)
    assert answer.status_code == 422
    assert "Nothing is ticked. Nothing was changed." in answer.text
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
    assert has_value(Secret(name="A", value=returned), digests_of("text")) is same


def test_a_digest_typed_is_not_the_value_that_it_stands_for() -> None:
    digest = sha256(b"text").hexdigest()
    # It looks the same because the service may return values in clear: then it is not sent back, which is the safe side.
    assert has_value(Secret(name="A", value=digest), digests_of(digest))


def test_the_order_in_which_the_service_lists_means_nothing() -> None:
    secrets = [Secret(name="A", value="1"), Secret(name="B", value="2")]
    assert plan_of(Items(), secrets).basis == plan_of(Items(), secrets[::-1]).basis
    assert plan_of(Items(), secrets).basis != plan_of(Items(), secrets[:1]).basis
    reserved = Secret(name="SUPABASE_URL", value="3")
    assert plan_of(Items(), secrets).basis == plan_of(Items(), [*secrets, reserved]).basis


def test_a_plan_without_room_names_how_many_must_stay() -> None:
    there = [Secret(name=f"THERE{number}", value="x") for number in range(98)]
    plan = plan_of(Items(read("".join(f"NEW{number}=x\n" for number in range(4)))), there)
    assert "no room for 2 of the new secrets" in (plan.problem)
    assert plan.ticked([line.key for line in plan.to_send[:2]]).problem == ""


def test_a_value_that_looks_like_a_digest_is_found_saved_where_values_come_back_in_clear() -> None:
    value = "0a" * 32
    assert are_saved([Secret(name="A", value=value)], wanted_values({"A": value}))
    assert are_saved([Secret(name="A", value=sha256(value.encode()).hexdigest())], wanted_values({"A": value}))
    assert not are_saved([Secret(name="A", value="0b" * 32)], wanted_values({"A": value}))
