"""A job in a real browser, done by a real worker: its page follows it, acts on it, and stops asking when it has ended."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from dashboard.jobs.models import Job, State
from dashboard.jobs.transitions import start
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.browser.console import Console
from tests.browser.live import MARKS, signed_in
from tests.browser.steps import accessible
from tests.jobs.conftest import Process

pytestmark = MARKS

SETTLED = "() => new Promise((done) => document.body.addEventListener('htmx:afterSettle', () => done(), { once: true }))"


@pytest.fixture
def tab(browser: Browser, live_server: LiveServer, owner: Person, served_static_files: None, console: Console) -> Iterator[Page]:
    context = signed_in(browser, live_server, owner, reduced_motion="reduce")
    page = context.new_page()
    console.listen(page)
    yield page
    context.close()


@pytest.fixture
def job(owner: Person, tmp_path: Path) -> Job:
    parameters = {"file": str(tmp_path / "effects"), "seconds": 0.15}
    return start(
        Workspace(owner),
        "trial one by one",
        items=[f"line {n}" for n in range(60)],
        parameters=parameters,
        title="Write 60 lines",
    )


def test_the_page_follows_the_job_to_its_end_and_then_asks_no_more(tab: Page, job: Job, workers: Callable[[], Process]) -> None:
    tab.goto(f"/jobs/{job.pk}/")
    expect(tab.locator("#job-progress")).to_contain_text("No worker is running")
    workers()
    expect(tab.locator("#job-progress")).to_contain_text("Running", timeout=30_000)
    expect(tab.locator("#job-progress")).to_contain_text(re.compile(r"[1-5]\d of 60"), timeout=30_000)
    expect(tab.locator("#job-progress .status")).to_have_text("Done", timeout=30_000)
    expect(tab.locator("#job-items tbody .status").last).to_have_text("Done")
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.wait_for_timeout(2500)
    assert asked == []
    accessible(tab)


def test_a_running_job_is_paused_goes_on_and_is_cancelled(tab: Page, job: Job, workers: Callable[[], Process]) -> None:
    workers()
    tab.goto(f"/jobs/{job.pk}/")
    tab.get_by_role("button", name="Pause").click(timeout=30_000)
    expect(tab.locator("#job-progress .status")).to_have_text("Paused")
    tab.get_by_role("button", name="Resume").click()
    expect(tab.locator("#job-progress .status")).to_have_text("Running")
    tab.locator("#job-cancellation").click()
    tab.get_by_role("button", name="Cancel job").click()
    expect(tab.locator("dialog")).to_be_hidden()
    expect(tab.locator("#job-progress .status")).to_have_text("Cancelled")
    expect(tab.locator("#job-items")).to_contain_text("Not started")
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert 0 < job.done < 60


@pytest.mark.usefixtures("job")
def test_a_poll_after_the_session_ended_says_so_and_leaves_the_page(tab: Page) -> None:
    tab.goto("/account/name/")
    field = tab.get_by_role("main").get_by_role("textbox")
    field.fill("typed")
    tab.context.clear_cookies()
    notice = tab.get_by_role("alert").filter(has_text="You are signed out. Sign in again in another tab.")
    notice.wait_for()
    with tab.expect_response(lambda answer: answer.headers.get("x-problem") == "SignedOut"):
        pass
    expect(notice).to_have_count(1)
    expect(notice).not_to_contain_text("\u00d7")
    expect(field).to_have_value("typed")


def test_the_keyboard_keeps_its_place_while_the_page_renews_itself(tab: Page, job: Job, workers: Callable[[], Process]) -> None:
    workers()
    tab.goto(f"/jobs/{job.pk}/")
    expect(tab.locator("#job-progress .status")).to_have_text("Running", timeout=30_000)
    tab.locator("#job-cancellation").focus()
    tab.evaluate(SETTLED)
    assert tab.evaluate("document.activeElement.id") == "job-cancellation"


def test_the_list_of_jobs_is_accessible(tab: Page, job: Job) -> None:
    tab.goto("/jobs/")
    expect(tab.get_by_role("link", name="Write 60 lines")).to_be_visible()
    accessible(tab)


def test_a_plan_that_was_made_again_is_refused_in_its_place_and_keeps_the_choice(
    tab: Page, console: Console, owner: Person, tmp_path: Path, workers: Callable[[], Process]
) -> None:
    parameters = {"file": str(tmp_path / "effects"), "conflicts": True, "typed": "30", "seconds": 1.5, "plan_seconds": 0.2}
    job = start(Workspace(owner), "trial plan", parameters=parameters, title="Write 30 lines")
    console.expect(409, f"/jobs/{job.pk}/beginning/")
    tab.goto(f"/jobs/{job.pk}/")
    workers()
    begin = tab.get_by_role("button", name="Write 30 lines", exact=True)
    expect(begin).to_be_visible(timeout=30_000)
    Job.objects.filter(pk=job.pk).update(planned_at=timezone.now())
    tab.get_by_label("Keep both").check()
    tab.get_by_label("Type 30 to continue").fill("30")
    begin.click()
    expect(tab.locator("#plan-problem")).to_contain_text("the plan was made again")
    expect(tab.get_by_label("Keep both")).to_be_checked()
    accessible(tab)
    begin.click()
    expect(tab.locator("#job-progress .status")).to_have_text("Running")


def test_a_plan_is_read_decided_and_begun_and_its_end_is_told_elsewhere(
    tab: Page, console: Console, owner: Person, tmp_path: Path, workers: Callable[[], Process]
) -> None:
    parameters = {"file": str(tmp_path / "effects"), "conflicts": True, "typed": "30", "seconds": 1.5, "plan_seconds": 0.2}
    job = start(Workspace(owner), "trial plan", parameters=parameters, title="Write 30 lines")
    console.expect(422, f"/jobs/{job.pk}/beginning/")
    tab.goto(f"/jobs/{job.pk}/")
    workers()
    begin = tab.get_by_role("button", name="Write 30 lines", exact=True)
    expect(begin).to_be_visible(timeout=30_000)
    expect(tab.locator("#job-items tbody tr")).to_have_count(30)
    accessible(tab)
    tab.get_by_role("link", name="Conflicts 6").click()
    expect(tab.locator("#job-items tbody tr")).to_have_count(6)
    tab.get_by_label("Keep both").check()
    tab.get_by_label("Type 30 to continue").fill("29")
    begin.click()
    expect(tab.locator("#plan-problem")).to_contain_text("does not match 30")
    expect(tab.get_by_label("Keep both")).to_be_checked()
    tab.get_by_label("Type 30 to continue").fill("30")
    tab.get_by_label("Type 30 to continue").press("Enter")
    expect(tab.locator("#job-progress .status")).to_have_text("Running")
    tab.goto("/journal/")
    tab.evaluate("document.body.addEventListener('lines:changed', () => document.body.dataset.heard = 'yes')")
    head = tab.locator("#job-tray-head")
    expect(head).to_contain_text("1 running")
    head.press("Enter")
    expect(tab.locator(".job-tray__row")).to_contain_text("Write 30 lines")
    with tab.expect_response(re.compile("/jobs/tray/")):
        pass
    expect(tab.locator("details.job-tray__fold")).to_have_attribute("open", "")
    expect(tab.locator("#notices")).to_contain_text("Write 30 lines: done.", timeout=40_000)
    assert tab.evaluate("document.body.dataset.heard") == "yes"
    expect(head).to_contain_text("1 ended")
    accessible(tab)
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    head.press("Escape")
    expect(tab.locator("details.job-tray__fold")).not_to_have_attribute("open", "")
    tab.wait_for_timeout(2500)
    assert asked == []
    job.refresh_from_db()
    assert (job.state, job.parameters["policy"]) == (State.DONE, "both")


def test_the_tray_acts_on_jobs_and_fits_a_phone(tab: Page, job: Job, workers: Callable[[], Process]) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.emulate_media(color_scheme="dark")
    workers()
    tab.goto("/journal/")
    tab.locator("#job-tray-head").click()
    tab.get_by_role("button", name="Pause Write 60 lines").click()
    expect(tab.get_by_role("button", name="Resume Write 60 lines")).to_be_visible(timeout=10_000)
    accessible(tab)
    tab.get_by_role("button", name="Resume Write 60 lines").click()
    tab.get_by_role("link", name="Cancel Write 60 lines").click()
    tab.get_by_role("button", name="Cancel job").click()
    expect(tab.locator(".job-tray__row .status")).to_have_text("Cancelled")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.locator("main").click(position={"x": 5, "y": 600})
    expect(tab.locator("details.job-tray__fold")).not_to_have_attribute("open", "")


def test_a_late_answer_to_the_page_leaves_the_dialog_open(tab: Page, job: Job) -> None:
    tab.goto(f"/jobs/{job.pk}/")
    answers: list[Route] = []
    tab.route("**/rest/", lambda route: answers.append(route))  # noqa: PLW0108 - Playwright marks what it calls, a built-in takes no mark
    tab.get_by_role("button", name="Pause").click()
    tab.locator("#job-cancellation").click()
    expect(tab.get_by_role("button", name="Cancel job")).to_be_visible()
    answers[0].continue_()
    expect(tab.locator(".notice")).to_be_attached()
    expect(tab.get_by_role("button", name="Cancel job")).to_be_visible()
    tab.get_by_role("button", name="Cancel job").click()
    expect(tab.locator("dialog")).to_be_hidden()


def test_a_renewal_does_not_lose_the_answer_to_what_was_pressed(tab: Page, job: Job, workers: Callable[[], Process]) -> None:
    workers()
    tab.goto(f"/jobs/{job.pk}/")
    lease: list[Route] = []
    tab.route("**/rest/", lambda route: lease.append(route))  # noqa: PLW0108 - Playwright marks what it calls, a built-in takes no mark
    tab.get_by_role("button", name="Pause").click(timeout=30_000)
    expect(tab.locator("#job-progress .htmx-request")).to_have_count(1)
    with tab.expect_response(re.compile("/progress/")):
        tab.evaluate("document.body.dispatchEvent(new CustomEvent('jobs:changed'))")
    lease[0].continue_()
    expect(tab.locator("#job-progress .status")).to_have_text("Paused", timeout=10_000)
    expect(tab.locator(".notice")).to_be_visible()
