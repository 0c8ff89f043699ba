"""Pasting secrets and editing them as rows: problems at their lines, nothing sent back in clear."""

import re
from typing import Any

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.urls import reverse

from dashboard.reviews.models import Part, Review
from dashboard.team.models import Person
from tests.features.secrets.desk import REF, Desk
from tests.features.secrets.drafting import CANARY, Draft, calls_of, hidden, rows_in, ticked
from tests.features.service import FAILURES, Calls, Faults
from tests.pages import PageClient

ENV = f"""# {CANARY} in a comment
export FIRST="{CANARY}
on two lines"

SECOND='{CANARY} # no comment' # but this
"""


def unescaped(answer: Any) -> str:
    return str(answer.text).replace("&#x27;", "'")


def test_it_opens_empty(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    page = as_keeper.get(desk.address("draft"))
    assert re.search(r'<textarea[^>]*name="text"[^>]*></textarea>', page.text)
    assert sorted(calls_of(calls())) == ["M1", "M5"]


def test_what_was_pasted_is_sealed_before_the_service_is_asked(draft: Draft, calls: Calls) -> None:
    calls()
    answer = draft.send("review", text=ENV)
    assert answer.headers.get("HX-Redirect", answer.headers.get("Location"))
    assert calls() == []
    assert Review.objects.count() == 1


def test_its_address_survives_reload_and_a_second_tab(draft: Draft) -> None:
    page = draft.review("A=1")
    for _ in range(2):
        assert "1 new, 0 changed" in draft.client.get(page.request["PATH_INFO"]).text


def test_a_review_is_not_there_for_anybody_else(draft: Draft, as_ada_with_token: PageClient, desk: Desk) -> None:
    address = draft.review("A=1").request["PATH_INFO"]
    for path in (address, f"{address}rows/"):
        assert as_ada_with_token.get(path).status_code == 404
        assert as_ada_with_token.post(path, {"act": "save"}).status_code == 404
    other = reverse("secrets:review", args=["ktmvqhzwrbnxpgaydcle", Review.objects.get().pk])
    assert draft.client.get(other).status_code == 404


def test_no_answer_holds_what_was_typed(draft: Draft, as_keeper: PageClient) -> None:
    unreadable = f"{ENV}\nBROKEN {CANARY}\nSUPABASE_X={CANARY}"
    rows, plan = draft.rows(unreadable), draft.review(ENV)
    answers = [
        rows,
        plan,
        draft.send("", text=unreadable),
        draft.send("review", text=unreadable),
        draft.save_rows(rows),
        draft.save_rows(draft.rows(ENV), "rows", more=unreadable),
        draft.save(plan, write=[]),
    ]
    for answer in answers:
        assert CANARY not in answer.text
        assert CANARY not in str(answer.headers)
        assert "no-store" in answer["Cache-Control"]
    assert CANARY not in str([session.get_decoded() for session in Session.objects.all()])
    assert CANARY not in str(as_keeper.cookies)
    assert CANARY not in str([part.sealed.stored() for part in Part.objects.all()])


PROBLEMS = {
    "no sign": ("A=1\nB 2", 2, "no = between"),
    "reserved": ("A=1\r\n\r\nSUPABASE_URL=2", 3, "reserved for the platform"),
    "long name": (f"{'A' * 257}=1", 1, "at most 256 characters"),
    "long value": (f"A={'x' * 24_577}", 1, "at most 24,576 characters"),
    "twice": ("A=1\nA=2", 2, "A is also on line 1. Keep one."),
    "too many": ("\n".join(f"A{number}=x" for number in range(101)), 101, "about 100 secrets"),
    "null": ('{"A": null}', 1, "not a text, a number"),
}


@pytest.mark.parametrize(("text", "line", "sentence"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_is_told_at_its_line_before_the_service_is_asked(
    draft: Draft, calls: Calls, text: str, line: int, sentence: str
) -> None:
    calls()
    answer = draft.send("review", text=text)
    if draft.htmx:
        assert (answer.status_code, answer["HX-Retarget"]) == (422, "#draft-findings")
    else:
        answer = draft.follow(answer)
    # Without script the draft is shown as rows, and only what can't be read has a line.
    shown = unescaped(answer).replace("in row", "on line") if not draft.htmx else unescaped(answer)
    assert sentence in shown
    assert f"Line {line}<" in answer.text or (not draft.htmx and re.search(r">Row \d+<", answer.text))
    assert "M5" not in calls_of(calls())
    assert 'value="save"' not in answer.text


def test_a_draft_with_problems_says_how_many_and_how_many_secrets_were_found(draft: Draft) -> None:
    answer = draft.send("review", text="A=1\nB 2\nSUPABASE_X=1\nA=3")
    answer = answer if draft.htmx else draft.follow(answer)
    assert "Fix 4 problems to continue (3 secrets found)" in answer.text


def test_one_click_skips_all_reserved_names(draft: Draft) -> None:
    text = "SUPABASE_URL=1\nA=2\nSUPABASE_KEY=3"
    problems = draft.send("review", text=text)
    problems = problems if draft.htmx else draft.follow(problems)
    assert "Skip 2 reserved names" in problems.text
    page = draft.review(text, fix="reserved") if draft.htmx else draft.save_rows(problems, "", fix="reserved")
    assert "1 new, 0 changed" in page.text
    assert "SUPABASE" not in page.text


def test_one_click_keeps_the_last_of_each_duplicate(draft: Draft, desk: Desk) -> None:
    name = desk.name()
    page = draft.review(f"{name}=first\n{name}=second\n{name}=last", fix="duplicates")
    draft.save(page)
    assert desk.holds(name, "last")


def test_one_click_after_another_fixes_everything(draft: Draft) -> None:
    page = draft.review("A=1\nA=2\nB\nSUPABASE_X=1", fix="reserved")
    assert "Fix 3 problems to continue (2 secrets found)" in page.text
    assert "Skip 1 unreadable line" in page.text
    page = draft.save_rows(draft.save_rows(page, "", fix="unreadable"), "", fix="duplicates")
    assert "1 new, 0 changed" in page.text


def test_an_empty_draft_is_not_reviewed(draft: Draft) -> None:
    answer = draft.send("review", text="# nothing\n")
    assert answer.status_code == 422
    assert "There is nothing to review yet" in answer.text
    assert Review.objects.count() == 0


def test_looking_through_fills_only_the_findings_and_keeps_nothing(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    answer = Draft(as_keeper, desk, htmx=True).send("", text="A=1\nB")
    assert answer.text.count("<textarea") == 0
    assert "Line 2" in answer.text
    assert calls() == []
    assert Review.objects.count() == 0


def test_more_lines_of_another_kind_join_the_draft(draft: Draft) -> None:
    rows = draft.rows("A=1", more='[{"name": "B", "value": "2"}]')
    assert rows_in(rows)["name"] == ["A", "B", ""]
    more = draft.save_rows(rows, "rows", more="A=3")
    assert rows_in(more)["name"] == ["A", "B", "A", ""]
    assert "A is also in row 3. Keep one." in more.text


def test_rows_keep_values_that_are_not_typed_anew(draft: Draft, desk: Desk) -> None:
    name, other = desk.name(), desk.name()
    rows = draft.rows(f'{name}="one\n\\"two\\""\n{other}=plain')
    assert "Stored: 9 characters on 2 lines. Type to replace." in rows.text
    fields = rows_in(rows)
    fields["value"][1] = "typed\r\nanew"
    draft.save(draft.save_rows(rows, **fields))
    assert desk.holds(name, 'one\n"two"')
    assert desk.holds(other, "typed\nanew")


def test_a_name_that_no_field_can_hold_is_kept_in_rows(draft: Draft) -> None:
    rows = draft.rows('{"A\\nB ": "1"}')
    fields = rows_in(rows)
    fields["name"][0] = "AB"
    page = draft.save_rows(rows, **fields)
    assert "A\nB " in page.text


def test_rows_are_added_and_removed_without_a_script(draft: Draft) -> None:
    rows = draft.rows("A=1\nB=2")
    rows = draft.save_rows(rows, "", remove="1")
    assert rows_in(rows)["name"] == ["B", ""]
    rows = draft.save_rows(rows, "rows", name=["B", "C"], stored=["0", ""], value=["", "3"])
    assert rows_in(rows)["name"] == ["B", "C", ""]


def test_rows_of_a_draft_that_changed_in_another_tab_are_not_saved_but_new_values_are_added(draft: Draft) -> None:
    first = draft.rows("A=1\nB=2")
    draft.save_rows(first, "", remove="1")
    answer = draft.save_rows(first, name=["A", "B", "C"], stored=["0", "1", ""], value=["", "", "3"], more="D=4")
    assert answer.status_code == 409
    assert "changed in another tab" in answer.text
    assert rows_in(answer)["name"] == ["B", "C", "D", ""]
    review = draft.save_rows(answer)
    assert [name in review.text for name in ("B", "C", "D")] == [True, True, True]


def test_rows_of_a_draft_that_changed_in_another_tab_are_told_so_while_they_are_typed(draft: Draft) -> None:
    first = draft.rows("A=1\nB=2")
    second = draft.save_rows(first, "", remove="1")
    answer = draft.client.send(
        first.request["PATH_INFO"], "draft-findings", seen=hidden(first, "seen"), name="A", value="7", stored=""
    )
    assert answer.status_code == 409
    assert answer["HX-Retarget"] == "#draft-findings"
    assert "changed in another tab" in answer.text
    assert rows_in(draft.client.get(first.request["PATH_INFO"])) == rows_in(second)


def test_a_row_without_a_name_is_a_problem(draft: Draft) -> None:
    page = draft.save_rows(draft.rows(""), name=["A", ""], value=["1", "2"], stored=["", ""])
    assert "The name is missing" in page.text
    assert "Row 2" in page.text


def test_more_rows_than_a_form_can_carry_are_not_edited_here(draft: Draft) -> None:
    assert "At most 250 rows can be edited here" in draft.rows("\n".join(f"A{number}=x" for number in range(300))).text


def test_a_draft_that_is_too_long_for_rows_is_kept_and_can_be_fixed(draft: Draft) -> None:
    rows = draft.rows("\n".join(f"A{number % 3}=x{number}" for number in range(300)))
    assert rows_in(rows)["name"] == []
    rows = draft.save_rows(rows, "rows")
    assert rows_in(rows)["name"] == []
    page = draft.save_rows(rows, "", fix="duplicates")
    assert "3 new, 0 changed" in page.text


def test_a_draft_waits_for_a_day_and_then_says_so(draft: Draft, owner: Person) -> None:
    with time_machine.travel("2026-05-01T10:00:00Z", tick=False) as clock:
        draft.client.force_login(owner)
        page = draft.review("A=1")
        clock.shift(23 * 3600)
        draft.client.force_login(owner)
        assert "1 new, 0 changed" in draft.client.get(page.request["PATH_INFO"]).text
        clock.shift(2 * 3600)
        assert "Draft expired" in draft.client.get(page.request["PATH_INFO"]).text
        assert "Draft expired" in draft.save(page).text
    assert Part.objects.count() == 0


def test_an_unsaved_draft_is_offered_where_secrets_are_listed_and_pasted(draft: Draft, desk: Desk) -> None:
    page = draft.review("A=1")
    for view in ("index", "draft"):
        answer = draft.client.get(desk.address(view))
        assert f'href="{page.request["PATH_INFO"]}">Continue<' in answer.text
    draft.act(page, "discard")
    assert "Unsaved draft" not in draft.client.get(desk.address("index")).text
    assert Part.objects.count() == 0


def test_several_unsaved_drafts_are_one_notice_with_the_newest_first(draft: Draft, desk: Desk) -> None:
    pages = [draft.review(f"A={number}").request["PATH_INFO"] for number in range(3)]
    answer = draft.client.get(desk.address("index")).text
    assert answer.count("alert--info drafts") == 1
    assert "3 unfinished drafts" in answer
    assert re.findall(r'href="([^"]+)">Continue<', answer) == pages[::-1]


def test_what_was_pasted_without_a_token_does_not_come_back(as_ada: PageClient, desk: Desk) -> None:
    answer = as_ada.post(desk.address("draft"), {"act": "review", "text": f"A={CANARY}"})
    assert answer.status_code == 403
    assert CANARY not in answer.text


def test_a_project_that_is_not_there_is_not_found(as_keeper: PageClient, desk: Desk) -> None:
    address = reverse("secrets:draft", args=["aaaaaaaaaaaaaaaaaaaa"])
    assert as_keeper.get(address).status_code == 404
    answer = as_keeper.post(address, {"act": "review", "text": "A=1"})
    assert as_keeper.get(answer["Location"]).status_code == 404


@pytest.mark.parametrize("failure", FAILURES)
def test_a_comparison_that_fails_says_how_and_keeps_the_draft(draft: Draft, faults: Faults, failure: str) -> None:
    fault, _, words = FAILURES[failure]
    faults("M5", **fault)
    answer = draft.review(f"A={CANARY}")
    assert words in answer.text
    assert CANARY not in answer.text
    faults("M5", delay=0.001)
    assert "1 new, 0 changed" in draft.client.get(answer.request["PATH_INFO"]).text


def test_the_name_of_the_project_is_not_worth_a_failure(draft: Draft, faults: Faults) -> None:
    faults("M1", status=500)
    assert draft.review("A=1").status_code == 200
    assert draft.client.get(draft.desk.address("draft")).status_code == 200


def test_a_draft_without_secrets_can_be_filled_or_discarded(draft: Draft) -> None:
    rows = draft.rows("")
    assert rows_in(rows) == {"name": ["", "", ""], "stored": ["", "", ""], "value": ["", "", ""]}
    review = rows.request["PATH_INFO"].removesuffix("rows/")
    assert draft.client.get(review)["Location"] == rows.request["PATH_INFO"]
    assert draft.client.get(rows.request["PATH_INFO"]).text.count(f'formaction="{review}"') == 1
    assert draft.save_rows(rows).status_code == 422
    page = draft.save_rows(rows, name=["A"], value=["1"], stored=[""])
    assert len(ticked(page, "write")) == 1
    assert hidden(page, "seen")


def test_the_list_leads_to_it(as_keeper: PageClient) -> None:
    page = as_keeper.get(reverse("secrets:index", args=[REF]))
    assert re.search(r'href="[^"]*/secrets/draft/">.*Paste \.env</a>', page.text)
