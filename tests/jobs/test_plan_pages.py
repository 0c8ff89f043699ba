"""The page of a job that was planned, and its owner's word."""

import csv
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from dashboard.jobs import transitions
from dashboard.jobs.models import Job, Phase, State
from dashboard.jobs.transitions import start
from dashboard.jobs.views.jobs import started
from dashboard.labels.models import Label
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.jobs.trials import write, written
from tests.pages import PageClient
from tests.worker import run_once


def text(response: Any) -> str:
    return str(response.content.decode())


def plan(person: Person, file: Path, *, go: str = "required", **parameters: Any) -> Job:
    job = start(
        Workspace(person),
        "trial plan",
        parameters={"file": str(file), **parameters},
        title="Write lines",
        place="abc",
        approval=go,
    )
    run_once(job.pk)
    job.refresh_from_db()
    return job


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "effects"


@pytest.fixture
def planned(owner: Person, file: Path) -> Job:
    """30 lines, 6 in conflict, and 30 has to be typed."""
    return plan(owner, file, conflicts=True, typed="30")


def word(job: Job, **values: str) -> dict[str, str]:
    assert job.planned_at
    return {"planned": job.planned_at.isoformat(), "policy": "both", "typed": "30", **values}


def test_the_page_says_what_will_happen_and_asks_for_a_word(as_owner: PageClient, planned: Job) -> None:
    page = text(as_owner.get(f"/jobs/{planned.pk}/"))
    for message in (
        "Ready to apply",
        "nothing has changed yet",
        "30 lines are written, 3,000 bytes in all.",
        "30 calls.",
        "6 conflicts",
        "What is there stays, and the new line is not written.",
        "Keep both",
        "Write 30 lines",
        "Discard…",
        "there/1<",
        "100 bytes",
    ):
        assert message in page
    assert 'value="skip" aria-describedby="policy-skip" checked' in " ".join(page.split())


def test_the_items_in_conflict_can_be_looked_at_alone(as_owner: PageClient, planned: Job) -> None:
    found = text(as_owner.part(f"/jobs/{planned.pk}/", "job-items", items="conflict"))
    assert "Conflicts" in found
    assert found.count("There is one already.") == 6
    assert "there/6<" not in found
    export: Any = as_owner.get(f"/jobs/{planned.pk}/export/", {"items": "conflict"})
    rows = list(csv.DictReader(io.StringIO(b"".join(export.streaming_content).decode())))
    assert [row["item"] for row in rows] == ["5", "10", "15", "20", "25", "30"]
    assert {(row["bytes"], row["conflict"], row["outcome"]) for row in rows} == {("100", "There is one already.", "Waiting")}
    assert "conflict" in export["Content-Disposition"]


def test_the_owners_word_begins_it_with_the_policy_chosen(as_owner: PageClient, planned: Job, file: Path) -> None:
    response = as_owner.post(f"/jobs/{planned.pk}/beginning/", word(planned))
    assert response.status_code == 303
    planned.refresh_from_db()
    assert (planned.state, planned.phase, planned.parameters["policy"]) == (State.QUEUED, Phase.RUN, "both")
    assert written(file) == []
    run_once(planned.pk)
    page = text(as_owner.get(f"/jobs/{planned.pk}/"))
    assert "Plan</h2>" in page
    assert "6 conflicts: keep both." in page
    assert "there/5 (2)" in page
    assert "there/6 (2)" not in page
    assert len(written(file)) == 30


def test_htmx_is_led_to_the_page(as_owner: PageClient, planned: Job) -> None:
    response = as_owner.send(f"/jobs/{planned.pk}/beginning/", "job-plan", **word(planned))
    assert response["HX-Redirect"] == f"/jobs/{planned.pk}/"


@pytest.mark.parametrize(
    ("values", "status", "message"),
    [
        ({"typed": ""}, 422, "Type 30 to continue."),
        ({"typed": "30 "}, 422, "does not match 30"),
        ({"policy": ""}, 422, "Choose what to do with the conflicts"),
        ({"policy": "replace"}, 422, "Choose what to do with the conflicts"),
        ({"planned": "2020-01-01T00:00:00+00:00"}, 409, "Nothing was changed: the plan was made again."),
        ({"planned": ""}, 409, "Nothing was changed: the plan was made again."),
    ],
)
def test_a_word_that_is_not_exact_is_refused(
    as_owner: PageClient, planned: Job, values: dict[str, str], status: int, message: str
) -> None:
    for response in (
        as_owner.post(f"/jobs/{planned.pk}/beginning/", word(planned, **values)),
        as_owner.send(f"/jobs/{planned.pk}/beginning/", "job-plan", **word(planned, **values)),
    ):
        assert response.status_code == status
        assert message in text(response)
    planned.refresh_from_db()
    assert planned.state == State.PLANNED


def test_a_project_called_production_asks_for_a_tick(as_owner: PageClient, owner: Person, planned: Job) -> None:
    Label.objects.create(ref="abc", production=True, changed_by=owner)
    assert "I know that this project is production" in text(as_owner.get(f"/jobs/{planned.pk}/"))
    response = as_owner.post(f"/jobs/{planned.pk}/beginning/", word(planned))
    assert response.status_code == 422
    assert "tick the box" in text(response)
    assert as_owner.post(f"/jobs/{planned.pk}/beginning/", word(planned, production="yes")).status_code == 303


def test_only_its_owner_begins_it(as_owner: PageClient, as_ada: PageClient, ada: Person, file: Path) -> None:
    job = plan(ada, file)
    page = text(as_owner.get(f"/jobs/{job.pk}/"))
    assert "Only Ada Member can apply it" in page
    assert "beginning/" not in page
    for path in ("beginning/", "planning/"):
        assert as_owner.post(f"/jobs/{job.pk}/{path}", word(job)).status_code == 404
    assert as_ada.post(f"/jobs/{job.pk}/beginning/", word(job)).status_code == 303


def test_an_old_plan_is_made_again_before_anything_begins(as_owner: PageClient, planned: Job) -> None:
    Job.objects.update(planned_at=timezone.now() - timedelta(hours=25))
    page = text(as_owner.get(f"/jobs/{planned.pk}/"))
    assert "This plan expired" in page
    assert "Write 30 lines" not in page
    planned.refresh_from_db()
    as_owner.post(f"/jobs/{planned.pk}/beginning/", word(planned))
    planned.refresh_from_db()
    assert (planned.state, planned.phase) == (State.QUEUED, Phase.PLAN)
    run_once(planned.pk)
    page = text(as_owner.get(f"/jobs/{planned.pk}/"))
    assert "The plan was older than 24 hours, so it is being made again." in page
    assert "Write 30 lines" in page


def test_a_plan_is_made_again_on_demand(as_owner: PageClient, planned: Job) -> None:
    assert as_owner.post(f"/jobs/{planned.pk}/planning/").status_code == 303
    planned.refresh_from_db()
    assert (planned.state, planned.phase) == (State.QUEUED, Phase.PLAN)
    assert "because the job is in another state now" in text(as_owner.post(f"/jobs/{planned.pk}/planning/", follow=True))
    assert "because the job is in another state now" in text(as_owner.post(f"/jobs/{planned.pk}/beginning/", follow=True))


def test_a_plan_whose_facts_changed_says_why_it_asks_again(as_owner: PageClient, planned: Job, file: Path) -> None:
    write(f"{file}.changed", "yes")
    as_owner.post(f"/jobs/{planned.pk}/beginning/", word(planned))
    run_once(planned.pk)
    run_once(planned.pk)
    assert "There are other lines than before." in text(as_owner.get(f"/jobs/{planned.pk}/"))


def test_dropping_a_plan_says_that_nothing_was_changed(as_owner: PageClient, planned: Job) -> None:
    asked = text(as_owner.get(f"/jobs/{planned.pk}/cancellation/"))
    assert "Nothing was changed" in asked
    assert "Discard plan" in asked
    as_owner.post(f"/jobs/{planned.pk}/cancellation/")
    planned.refresh_from_db()
    assert planned.state == State.CANCELLED


def test_the_page_hears_when_the_plan_is_ready(as_owner: PageClient, owner: Person, file: Path) -> None:
    job = start(Workspace(owner), "trial plan", parameters={"file": str(file)})
    page = text(as_owner.get(f"/jobs/{job.pk}/"))
    assert "Not known until planning is done" in page
    assert 'hx-trigger="plan:changed from:body"' in page
    run_once(job.pk)
    progress = as_owner.part(f"/jobs/{job.pk}/progress/", "job-progress", seen="plan-None-0")
    assert progress.status_code == 286
    assert json.loads(progress["HX-Trigger"]) == {"items:changed": True, "plan:changed": True}
    assert "Write 30 lines" in text(as_owner.part(f"/jobs/{job.pk}/", "job-plan"))


def test_each_phase_is_named_with_how_far_it_is(as_owner: PageClient, planned: Job) -> None:
    for phase, message in (("plan", ("Planning", "36 scanned, 30 to do")), ("verify", ("Verifying", "36 of 0 verified"))):
        Job.objects.update(state=State.RUNNING, phase=phase)
        page = text(as_owner.get(f"/jobs/{planned.pk}/"))
        assert all(one in page for one in message)


def test_a_view_answers_with_the_page_of_the_plan_or_with_a_notice(rf: Any, owner: Person, file: Path) -> None:
    asking = plan(owner, file)
    clear = plan(owner, file, approval="conflict")
    for job, where in ((asking, f"/jobs/{asking.pk}/"), (clear, f"/jobs/{clear.pk}/")):
        request = rf.post("/storage/")
        request.user, request.htmx, request._messages = owner, False, []
        request._messages = type("Messages", (), {"add": lambda *_: None})()
        response = started(request, job)
        assert (response.status_code, response["Location"]) == (303, where)
    assert transitions.apply(asking)
