"""A job in a real browser, done by a real worker: its page follows it, acts on it, and stops asking when it has ended."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from dashboard.jobs import Job, start
from dashboard.jobs.models import State
from dashboard.team.models import Person
from dashboard.tokens import Workspace
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.steps import accessible
from tests.jobs.conftest import Process

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the PATH: the pages of jobs are not tried in a browser"),
]


@pytest.fixture(scope="module")
def engine() -> Iterator[Browser]:
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def tab(engine: Browser, live_server: LiveServer, owner: Person, served_static_files: None) -> Iterator[Page]:
    visitor = Client()
    visitor.force_login(owner)
    context = engine.new_context(base_url=live_server.url, reduced_motion="reduce")
    session = visitor.cookies["pilothouse_session"].value
    context.add_cookies([{"name": "pilothouse_session", "value": session, "url": live_server.url}])
    said: list[str] = []
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    context.close()
    assert said == []


@pytest.fixture
def job(owner: Person, tmp_path: Path) -> Job:
    parameters = {"file": str(tmp_path / "effects"), "seconds": 0.08}
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
    expect(tab.locator("#job-progress .status")).to_have_text("Paused", timeout=10_000)
    tab.get_by_role("button", name="Go on").click()
    expect(tab.locator("#job-progress .status")).to_have_text("Running", timeout=10_000)
    tab.locator("#job-cancellation").click()
    tab.get_by_role("button", name="Cancel the job").click()
    expect(tab.locator("dialog")).to_be_hidden()
    expect(tab.locator("#job-progress .status")).to_have_text("Cancelled", timeout=10_000)
    expect(tab.locator("#job-items")).to_contain_text("Not begun")
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert 0 < job.done < 60


def test_the_keyboard_keeps_its_place_while_the_page_renews_itself(tab: Page, job: Job, workers: Callable[[], Process]) -> None:
    workers()
    tab.goto(f"/jobs/{job.pk}/")
    expect(tab.locator("#job-progress .status")).to_have_text("Running", timeout=30_000)
    tab.locator("#job-cancellation").focus()
    with tab.expect_response(re.compile("/progress/")):
        pass
    tab.wait_for_timeout(200)
    assert tab.evaluate("document.activeElement.id") == "job-cancellation"


def test_the_list_of_jobs_is_accessible(tab: Page, job: Job) -> None:
    tab.goto("/jobs/")
    expect(tab.get_by_role("link", name="Write 60 lines")).to_be_visible()
    accessible(tab)
