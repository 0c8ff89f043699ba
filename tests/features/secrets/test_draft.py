"""The draft: two ways to write, problems at their lines, nothing sent back in clear."""

import re

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.urls import reverse

from dashboard.team.models import Person
from tests.features.secrets.desk import REF, Desk
from tests.features.secrets.drafting import CANARY, Draft, calls_of, hidden, rows_in, text_in
from tests.features.service import FAILURES, Calls, Faults
from tests.pages import PageClient

ENV = f"""# {CANARY} in a comment
export FIRST="{CANARY}
on two lines"

SECOND='{CANARY} # no comment' # but this
"""


def test_it_opens_empty_in_both_ways(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    assert 'name="text"' in as_keeper.get(desk.address("draft")).text
    assert sorted(calls_of(calls())) == ["M1", "M5"]
    rows = as_keeper.get(desk.address("draft", mode="rows"))
    assert rows_in(rows) == {"name": ["", "", ""], "kept": ["", "", ""], "value": ["", "", ""]}


def test_switching_keeps_everything(draft: Draft) -> None:
    rows = draft.send("rows", mode="text", text=ENV)
    assert rows_in(rows)["name"] == ["FIRST", "SECOND", ""]
    assert "on 2 lines" in rows.text
    text = draft.send("text", mode="rows", sealed=hidden(rows, "sealed"), **rows_in(rows))
    lines = text_in(text).splitlines()
    assert [re.sub(r"<kept:\w+:\d+>", "…", line) for line in lines] == ["# …", "FIRST=…", "", "SECOND=…"]
    again = draft.send("rows", mode="text", sealed=hidden(text, "sealed"), text=text_in(text))
    assert rows_in(again)["name"] == ["FIRST", "SECOND", ""]
    plan = draft.send("plan", "draft-plan", mode="rows", sealed=hidden(again, "sealed"), **rows_in(again))
    assert "2 new, 0 changed" in plan.text


def test_what_is_kept_arrives_as_it_was_typed(draft: Draft, desk: Desk) -> None:
    name, other = desk.name(), desk.name()
    rows = draft.send("rows", mode="text", text=f'{name}="one\n\\"two\\""\n{other}=plain')
    fields = rows_in(rows)
    fields["value"][1] = "typed\r\nanew"
    text = draft.send("text", mode="rows", sealed=hidden(rows, "sealed"), **fields)
    draft.apply(draft.plan(text_in(text), sealed=hidden(text, "sealed")))
    assert desk.holds(name, 'one\n"two"')
    assert desk.holds(other, "typed\nanew")


def test_no_answer_holds_what_was_typed(draft: Draft, as_keeper: PageClient) -> None:
    unreadable = f"{ENV}\nBROKEN {CANARY}\nSUPABASE_X={CANARY}"
    rows = draft.send("rows", mode="text", text=unreadable)
    answers = [
        rows,
        draft.send("check", "draft-findings", mode="text", text=unreadable),
        draft.send("plan", "draft-plan", mode="text", text=unreadable),
        draft.plan(ENV),
        draft.send("text", mode="text", text=unreadable),
        draft.send("text", mode="rows", sealed=hidden(rows, "sealed"), **rows_in(rows)),
        draft.send("merge", mode="text", text=ENV, more=unreadable),
        draft.send("rows", mode="rows", name=["A"], value=[CANARY], kept=[""]),
        draft.apply(draft.plan(ENV), write=[]),
    ]
    for answer in answers:
        assert CANARY not in answer.text
        assert CANARY not in str(answer.headers)
        assert "no-store" in answer["Cache-Control"]
    assert CANARY not in str([session.get_decoded() for session in Session.objects.all()])
    assert CANARY not in str(as_keeper.cookies)


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("A=1\nB 2", 2, "no = between"),
        ("A=1\r\n\r\nSUPABASE_URL=2", 3, "belong to the platform"),
        (f"{'A' * 257}=1", 1, "at most 256 characters"),
        (f"A={'x' * 24_577}", 1, "at most 24,576 characters"),
        ("A=1\nA=2", 2, "stands on line 1, too"),
        ("\n".join(f"A{number}=x" for number in range(101)), 101, "about 100 secrets"),
        ('{"A": 1}', 1, "no text"),
    ],
)
def test_a_problem_is_told_at_its_line_before_anything_is_sent(
    draft: Draft, calls: Calls, text: str, line: int, sentence: str
) -> None:
    calls()
    answer = draft.plan(text)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert f"Line {line}</a>" in answer.text
    assert "M5" not in calls_of(calls())


def test_advice_does_not_hinder(draft: Draft) -> None:
    assert "Typographic quotes" in draft.send("check", "draft-findings", mode="text", text="A=“x”").text
    assert draft.plan("A=“x”").status_code == 200


def test_an_empty_draft_is_not_compared(draft: Draft, calls: Calls) -> None:
    answer = draft.plan("# nothing\n")
    assert answer.status_code == 422
    assert "nothing to compare" in answer.text
    assert "M5" not in calls_of(calls())


def test_looking_through_fills_only_the_findings(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    answer = Draft(as_keeper, desk, htmx=True).send("", "draft-findings", mode="text", text="A=1\nB")
    assert answer.text.count("<textarea") == 0
    assert "Line 2" in answer.text
    assert calls() == []


def test_problems_of_a_plan_stand_beside_the_text_that_stays(as_keeper: PageClient, desk: Desk) -> None:
    answer = Draft(as_keeper, desk, htmx=True).plan("A")
    assert answer["HX-Retarget"] == "#draft-findings"


def test_lines_count_as_they_are_drawn(as_keeper: PageClient, desk: Desk) -> None:
    answer = Draft(as_keeper, desk).plan('A="1\n2\n3"\nB')
    assert "Line 2</a>" in answer.text
    rows = Draft(as_keeper, desk).send("rows", mode="text", text="# c\nA=1\n\nSUPABASE_B=1")
    assert "Row 2</a>" in rows.text
    assert 'id="draft-row-2"' in rows.text


def test_rows_are_added_and_taken_out(draft: Draft) -> None:
    answer = draft.send("rows", mode="rows", name=["A", "B"], value=["1", "2"], kept=["", ""])
    assert rows_in(answer)["name"] == ["A", "B", ""]
    answer = draft.send("", remove="1", mode="rows", sealed=hidden(answer, "sealed"), **rows_in(answer))
    assert rows_in(answer)["name"] == ["B", ""]


def test_a_row_without_a_name_is_a_problem(draft: Draft) -> None:
    answer = draft.send("plan", "draft-plan", mode="rows", name=["A", ""], value=["1", "2"], kept=["", ""])
    assert answer.status_code == 422
    assert "a value and no name" in answer.text
    assert "Row 2</a>" in answer.text


def test_more_lines_join_the_draft(draft: Draft) -> None:
    answer = draft.send("merge", mode="text", text="A=1", more='{"B": "2", "A": "3"}')
    assert rows_in(answer)["name"] == ["A", "B", "A", ""]
    assert "A stands on row 3, too" in answer.text


def test_what_could_not_be_read_can_be_left_out(draft: Draft) -> None:
    answer = draft.send("rows", mode="text", text="A=1\nB")
    assert "Leave out what could not be read" in answer.text
    answer = draft.send("tidy", mode="rows", sealed=hidden(answer, "sealed"), **rows_in(answer))
    assert "nothing to object to" in answer.text


def test_more_rows_than_a_form_can_carry_stay_text(draft: Draft) -> None:
    answer = draft.send("rows", mode="text", text="\n".join(f"A{number}=x" for number in range(300)))
    assert 'name="text"' in answer.text
    assert len(text_in(answer).splitlines()) == 300


def test_values_are_kept_for_half_an_hour(draft: Draft, owner: Person) -> None:
    with time_machine.travel("2026-05-01T10:00:00Z", tick=False) as clock:
        draft.client.force_login(owner)
        rows = draft.send("rows", mode="text", text="A=1\nB=2")
        clock.shift(31 * 60)
        fields = rows_in(rows)
        fields["value"][1] = "typed again"
        answer = draft.send("plan", "draft-plan", mode="rows", sealed=hidden(rows, "sealed"), **fields)
    assert answer.status_code == 422
    assert answer.text.count("Type it again") == 1
    assert "Row 1</a>" in answer.text


def test_a_draft_of_somebody_else_stays_shut(draft: Draft, as_ada_with_token: PageClient, desk: Desk) -> None:
    rows = draft.send("rows", mode="text", text="A=1")
    hers = Draft(as_ada_with_token, desk).send("plan", mode="rows", sealed=hidden(rows, "sealed"), **rows_in(rows))
    assert hers.status_code == 422
    assert "Type it again" in hers.text


def test_it_wants_a_sign_in_and_a_token(visitor: PageClient, as_ada: PageClient, desk: Desk) -> None:
    assert visitor.get(desk.address("draft")).status_code == 302
    assert visitor.post(desk.address("draft"), {"act": "plan"}).status_code == 302
    assert "No management token yet" in as_ada.get(desk.address("draft")).text
    answer = as_ada.post(desk.address("draft"), {"act": "plan", "text": f"A={CANARY}"})
    assert answer.status_code == 403
    assert CANARY not in answer.text


def test_it_takes_no_other_method(as_keeper: PageClient, desk: Desk) -> None:
    assert as_keeper.put(desk.address("draft")).status_code == 405


def test_a_project_that_is_not_there_is_not_found(as_keeper: PageClient) -> None:
    address = reverse("secrets:draft", args=["aaaaaaaaaaaaaaaaaaaa"])
    assert as_keeper.get(address).status_code == 404
    assert as_keeper.post(address, {"act": "plan", "text": "A=1"}).status_code == 404


@pytest.mark.parametrize("failure", FAILURES)
def test_it_says_how_the_service_failed(draft: Draft, faults: Faults, failure: str) -> None:
    fault, _, words = FAILURES[failure]
    faults("M5", **fault)
    answer = draft.plan(f"A={CANARY}")
    assert answer.status_code == 422
    assert words in answer.text
    assert CANARY not in answer.text


def test_the_name_of_the_project_is_not_worth_a_failure(draft: Draft, faults: Faults) -> None:
    faults("M1", status=500)
    assert draft.plan("A=1").status_code == 200
    assert draft.client.get(draft.desk.address("draft")).status_code == 200


def test_the_list_leads_to_it(as_keeper: PageClient, desk: Desk) -> None:
    assert f'href="{desk.address("draft")}"' in as_keeper.get(reverse("secrets:index", args=[REF])).text
