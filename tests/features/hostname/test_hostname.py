"""What holds for setting up, verifying, activating and deleting alike."""

import pytest

from dashboard.journal.models import Entry, Outcome
from tests.features.hostname.desk import NEWSLETTER, STAGING, TICKED, UPLOADS, Desk
from tests.features.service import Faults
from tests.pages import PageClient


@pytest.mark.parametrize("view", ["verification", "activation", "delete"])
def test_without_a_hostname_there_is_nothing_to_act_on(as_keeper: PageClient, desk: Desk, view: str) -> None:
    for ref in (UPLOADS, NEWSLETTER):
        assert as_keeper.post(desk.address(view, ref), TICKED).status_code == 404


@pytest.mark.parametrize(
    ("operation", "view"), [("M17", "new"), ("M18", "verification"), ("M19", "activation"), ("M16", "delete")]
)
def test_a_refusal_stands_at_the_act_and_a_lost_answer_is_unknown(
    as_keeper: PageClient, desk: Desk, faults: Faults, operation: str, view: str
) -> None:
    data = {"custom_hostname": "api.lost.example", "anyway": "on", "typed": "track-staging.nordlicht-logistik.example", **TICKED}
    as_keeper.get(desk.address("index", STAGING))
    faults(operation, status=429, retry_after=30)
    answer = as_keeper.send(desk.address(view, STAGING), **data)
    assert answer.status_code == 422
    assert "Try again <time" in answer.text
    faults(operation, cut="before")
    assert "The outcome is unknown" in as_keeper.send(desk.address(view, STAGING), **data).text
    assert Entry.objects.filter(operation=operation).first().outcome == Outcome.UNKNOWN  # type: ignore[union-attr] # it is there
