"""A new value for one secret, typed on its row."""

from html import unescape

import pytest

from dashboard.features.secrets.services.secrets import Row
from dashboard.journal.models import Entry
from dashboard.reviews.models import Review
from tests.features.secrets.desk import REF, Desk
from tests.features.secrets.drafting import CANARY, Draft, calls_of, ticked
from tests.features.service import Calls
from tests.pages import PageClient


def part_of(name: str) -> str:
    return Row(name, "value").id


def test_a_row_offers_to_replace_its_value_in_place(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put("old")
    listed = as_keeper.get(desk.address("index"), {"q": name}).text
    assert f'hx-get="{desk.address("replacement", name=name)}"' in listed
    assert f'hx-target="#{part_of(name)}"' in listed
    answer = as_keeper.part(desk.address("replacement", name=name), part_of(name))
    assert f'id="{part_of(name)}"' in answer.text
    assert f"New value of {name}" in answer.text
    assert 'hx-preserve="true"' in answer.text


def test_pasting_an_env_file_is_the_first_action_of_the_page(as_keeper: PageClient, desk: Desk) -> None:
    page = as_keeper.get(desk.address("index")).text
    assert f'<a class="button button--primary" href="{desk.address("draft")}">' in page


@pytest.mark.parametrize("htmx", [False, True], ids=["without script", "with script"])
def test_a_replaced_value_is_reviewed_then_saved_and_verified(
    as_keeper: PageClient, desk: Desk, calls: Calls, *, htmx: bool
) -> None:
    name, other = desk.put("old"), desk.put()
    draft, address = Draft(as_keeper, desk), desk.address("replacement", name=name)
    calls()
    posted = as_keeper.send(address, part_of(name), value=CANARY) if htmx else as_keeper.post(address, {"value": CANARY})
    assert calls() == []
    review = draft.follow(posted)
    assert "0 new, 1 changed, 0 unchanged" in review.text
    assert other not in review.text
    assert len(ticked(review, "write")) == 1
    assert not desk.holds(name, CANARY)
    calls()
    saved = draft.save(review)
    # Before and after the change, and for the list that it leads to.
    assert sorted(calls_of(calls())) == ["M5", "M5", "M5", "M6"]
    assert "Saved 1 secret" in saved.text
    assert desk.holds(name, CANARY)
    entry = Entry.objects.get(operation="M6")
    assert entry.target == f"secret {name}"
    for text in (posted.text, review.text, saved.text, as_keeper.get(desk.address("index")).text, str(entry.after)):
        assert CANARY not in text


def test_a_refused_value_stays_in_its_field_and_out_of_the_answer(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put("old")
    for value, sentence in (("", "Enter a value."), (CANARY * 1500, "A value has at most 24,576 characters")):
        for answer in (
            as_keeper.send(desk.address("replacement", name=name), part_of(name), value=value),
            as_keeper.post(desk.address("replacement", name=name), {"value": value}),
        ):
            assert answer.status_code == 422
            assert sentence in answer.text
            assert CANARY not in answer.text
    assert not Review.objects.exists()


def test_a_draft_of_one_new_value_deletes_nothing_even_after_editing_it_as_rows(as_keeper: PageClient, desk: Desk) -> None:
    name, other = desk.put("old"), desk.put()
    draft = Draft(as_keeper, desk)
    review = draft.follow(as_keeper.post(desk.address("replacement", name=name), {"value": " x"}))
    assert "starts or ends with spaces" in review.text
    rows = as_keeper.get(review.request["PATH_INFO"] + "rows/")
    again = draft.save_rows(rows)
    assert "0 new, 1 changed, 0 unchanged" in again.text
    assert other not in again.text
    assert "in your file" not in unescape(again.text)


def test_a_secret_that_is_gone_or_reserved_has_no_form(as_keeper: PageClient, desk: Desk) -> None:
    assert as_keeper.get(desk.address("replacement", name="SUPABASE_URL")).status_code == 404
    assert as_keeper.get(desk.address("replacement", name="NO_SUCH_SECRET")).status_code == 404
    assert f"/projects/{REF}/" in desk.address("replacement", name="X")
