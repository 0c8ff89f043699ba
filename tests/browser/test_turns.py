"""Pages that ask the service for each of many projects."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import cookies_of, expect_read, hold, make_older
from tests.launch.command import starting
from tests.launch.visitor import Visitor


@dataclass(frozen=True, slots=True)
class Many:
    """A page and the service of somebody who has this many projects, and where what was read of them is kept."""

    page: Page
    neighbour: Neighbour
    projects: int
    database: Path


# Counts in the page itself: there an answer comes before the request that follows it.
COUNT = """
const open = XMLHttpRequest.prototype.open;
let underway = 0;
window.rows = { asked: [], times: [], answers: [], most: 0 };
XMLHttpRequest.prototype.open = function (method, address, ...rest) {
  const ref = /^.(?:hostnames|projects|overview).([a-z]{20})./.exec(new URL(address, location).pathname)?.[1];
  if (ref) {
    rows.asked.push(ref);
    rows.times.push(performance.now());
    rows.most = Math.max(rows.most, ++underway);
    this.addEventListener("loadend", () => {
      underway -= 1;
      rows.answers.push([ref, this.getResponseHeader("Retry-After")]);
    });
  }
  open.call(this, method, address, ...rest);
};
"""


ALL_ARE_DUE = """() => {
  for (const row of document.querySelectorAll(".overview__row[hx-get]")) row.dataset.turn = 2;
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@dataclass(frozen=True, slots=True)
class Rows:
    """What a page asked for its rows: the refs in order, when (in ms), and how many were under way at once.

    `answers` has each ref with its answer's Retry-After.
    """

    asked: list[str]
    times: list[float]
    answers: list[tuple[str, str | None]]
    most: int

    @classmethod
    def of(cls, page: Page) -> "Rows":
        return cls(**page.evaluate("window.rows"))

    def again(self) -> set[str]:
        """What was asked again, though its answer had not told to."""
        return {ref for ref in self.asked if self.asked.count(ref) > 1} - {ref for ref, wait in self.answers if wait}


@pytest.fixture
def many(busy_owner: Many) -> Many:
    """Nothing is known of the projects."""
    with closing(sqlite3.connect(busy_owner.database, timeout=20)) as database, database:
        database.execute("DELETE FROM facts_keptfact")
    return busy_owner


@pytest.fixture(scope="module")
def busy_owner(tmp_path_factory: pytest.TempPathFactory, browser: Browser, exhaustive: bool) -> Iterator[Many]:
    """A Pilothouse of its own, whose owner has many projects."""
    projects = 200 if exhaustive else 40
    with starting(tmp_path_factory.mktemp("turns") / "data") as started, Visitor(started.wait_until_ready().address) as owner:
        assert started.link
        owner.enter_by(started.link)
        neighbour = Neighbour(started)
        for number in range(projects):
            neighbour.project(f"many-{number:03}")
        context = browser.new_context(base_url=started.address, viewport={"width": 1280, "height": 800})
        context.add_cookies(cookies_of(owner))
        context.add_init_script(COUNT)
        yield Many(context.new_page(), neighbour, projects, started.data / "pilothouse.sqlite3")
        context.close()


def in_sight(page: Page, rows: str) -> list[str]:
    found: list[str] = page.locator(rows).evaluate_all(
        "rows => rows.filter(row => row.getBoundingClientRect().top < innerHeight)"
        ".map(row => row.getAttribute('hx-get').split('/')[2])"
    )
    return found


@pytest.mark.exhaustive
def test_all_hostnames_are_asked_four_at_a_time_rows_in_sight_first(many: Many, console: Console) -> None:
    page, neighbour = many.page, many.neighbour
    console.listen(page)
    # The service asks the first ones to come back later: nothing is asked until then.
    with neighbour.failing("M15", delay=0.2, status=429, retry_after=3, times=4):
        page.goto("/hostnames/")
        expect(page.locator(".overview__row[data-turn]")).not_to_have_count(0)
        seen = in_sight(page, ".overview__row[data-turn]")
        expect_read(page)
    rows = Rows.of(page)
    assert rows.most == 4, "two of the browser's six connections are left for what is clicked"
    assert len(set(rows.asked[:4])) == 4
    assert set(rows.asked[:4]) <= set(seen)
    assert rows.times[4] - rows.times[3] >= 2500
    assert len(set(rows.asked)) >= many.projects
    # Of the others, only those are asked again for which there was no room within the limits.
    assert not rows.again()
    # What was just seen is not asked again; only what could not be seen.
    failed = page.locator(".overview__row").filter(has_text="Unavailable").count()
    page.reload()
    expect(page.locator(".overview__row")).not_to_have_count(0)
    page.wait_for_load_state("networkidle")
    assert len(Rows.of(page).asked) == failed < 5


@pytest.mark.exhaustive
def test_an_address_is_looked_for_in_four_projects_at_a_time_and_once_in_each(many: Many, console: Console) -> None:
    page, neighbour = many.page, many.neighbour
    console.listen(page)
    with neighbour.failing("M24", delay=0.2):
        page.goto("/?view=network&address=203.0.113.7")
        page.wait_for_function("() => rows.asked.length > 20")
        with hold(page, "**/overview/**") as held:
            underway = [held.next() for _ in range(4)]
            # The others are read when the first ones, and the list, are older than a minute.
            make_older(many.database, minutes=5, with_list=True)
            for route in underway:
                route.continue_()
        expect_read(page)
    rows = Rows.of(page)
    # Two calls each.
    assert rows.most == 4
    assert len(set(rows.asked)) >= many.projects
    assert not rows.again()


def test_home_refreshes_the_rows_in_sight_before_the_others(many: Many, console: Console) -> None:
    page = many.page
    console.listen(page)
    page.goto("/")
    expect(page.locator(".overview__row[data-turn]")).not_to_have_count(0)
    expect(page.locator("#home-more")).to_have_count(0)
    ref, asked = page.evaluate("""() => {
      const last = [...document.querySelectorAll(".overview__row[data-turn]")].at(-1);
      last.scrollIntoView();
      return [last.querySelector("a").pathname.split("/")[2], window.rows.asked.length];
    }""")
    expect(page.locator(f'.overview__row[data-turn][hx-get*="{ref}"]')).to_have_count(0, timeout=60_000)
    rows = Rows.of(page)
    # Those under way go first, and what was in sight before.
    assert rows.asked.index(ref) < asked + 24
    # At most eight calls at a time, and rows here make one to four each.
    assert rows.most <= 8
    # Nothing of it may still be under way in the next test.
    page.evaluate("document.querySelectorAll('[data-turn]').forEach(row => row.removeAttribute('data-turn'))")
    expect(page.locator(".overview__row.htmx-request")).to_have_count(0, timeout=60_000)


def test_home_says_how_many_are_checked_then_puts_those_first_that_need_something_and_is_refreshed(
    tmp_path: Path, browser: Browser, console: Console
) -> None:
    with starting(tmp_path / "data") as started, Visitor(started.wait_until_ready().address) as owner:
        assert started.link
        owner.enter_by(started.link)
        context = browser.new_context(base_url=started.address, viewport={"width": 1280, "height": 800})
        context.add_cookies(cookies_of(owner))
        page = context.new_page()
        console.listen(page)
        with Neighbour(started).failing("M15", delay=0.5):
            page.goto("/")
            expect(page.locator(".attention__checked")).to_have_text(re.compile(r"^[1-9] of 9 checked$"))
            assert page.locator(".cell--loading").count()
            expect(page.locator(".attention__checked")).to_have_count(0, timeout=60_000)
        expect(page.locator(".overview__name a").nth(1)).to_have_text("parcel-tracking-staging")
        expect(page.locator(".cell--loading")).to_have_count(0)
        make_older(started.data / "pilothouse.sqlite3", minutes=10)
        page.goto("/")
        expect(page.locator("#home-age")).to_have_text(re.compile("Checked 1[01] minutes ago"))
        page.get_by_role("link", name="Refresh").click()
        # What is in use doesn't move, but the time is the new one.
        page.locator("#home-list tbody tr").first.hover()
        expect(page.locator("#home-age")).to_have_text(re.compile("Checked (just now|[0-9]+ seconds? ago)"), timeout=60_000)
        context.close()


def test_a_list_that_somebody_begins_to_use_is_not_put_in_order_under_the_pointer(page: Page) -> None:
    page.goto("/")
    expect_read(page)
    page.evaluate("""() => {
      document.querySelector("#home-list").dataset.seen = "";
      const line = `<p hx-get="/?ordered" hx-trigger="checked" hx-target="#home-list" hx-swap="outerHTML" hx-disinherit="*"></p>`;
      document.querySelector("#home-attention").insertAdjacentHTML("beforeend", line);
      htmx.process(document.body);
    }""")
    with hold(page, "**/?ordered") as held:
        for is_used in (True, False):
            page.evaluate("""htmx.trigger('[hx-trigger="checked"]', "checked")""")
            asked = held.next()
            if is_used:
                page.locator("#home-list tbody tr").first.hover()
            else:
                page.locator("h1").hover()
            with page.expect_response("**/?ordered"):
                asked.continue_()
            expect(page.locator("#home-list[data-seen]")).to_have_count(int(is_used))
            page.wait_for_timeout(300)
            expect(page.locator("#home-list[data-seen]")).to_have_count(int(is_used))


def test_rows_of_a_list_that_comes_while_others_are_read_get_their_turn(page: Page) -> None:
    page.goto("/?view=network")
    expect(page.locator(".overview__row[data-later]")).not_to_have_count(0, timeout=60_000)
    expect_read(page)
    with hold(page, "**/overview/**"):
        page.evaluate(ALL_ARE_DUE)
        expect(page.locator(".overview__row.htmx-request")).to_have_count(4)
        # Until it settles, htmx doesn't know the rows of the next list. Then the answers for rows of the list before it come.
        page.evaluate("htmx.config.defaultSettleDelay = 1500")
        page.get_by_label("Groups").select_option(label="By region")
        expect(page.locator(".overview__group")).not_to_have_count(0)
        page.evaluate(ALL_ARE_DUE)
    expect(page.locator("[data-turn]")).to_have_count(0, timeout=60_000)
    expect(page.locator("[data-loading][data-busy]")).to_have_count(0)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("address", "row"), [("/", ".overview__row"), ("/hostnames/", ".overview__row")])
def test_rows_of_a_page_that_stays_open_refresh_again(page: Page, address: str, row: str) -> None:
    asked: list[str] = []
    page.clock.install()
    page.goto(address)
    # The last known rows come first, without a time; the list of projects replaces them.
    expect(page.locator(f"{row}[data-later]")).not_to_have_count(0, timeout=60_000)
    expect_read(page)
    # What an earlier test read is due earlier, and what gave no answer soon.
    seconds = page.locator(f"{row}[data-later]").evaluate_all("rows => rows.map(row => Number(row.dataset.later))")
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(20_000)
    early = max(0, max(seconds) - 90)
    page.clock.fast_forward(1000 * early)
    page.wait_for_load_state("networkidle")
    assert len(set(asked)) <= sum(later <= early + 20 for later in seconds) < len(seconds)
    with page.expect_response(lambda answer: "/overview/" in answer.url or "/hostnames/" in answer.url):
        page.clock.fast_forward(1000 * (max(seconds) - early + 30))
    expect(page.locator("[data-turn]")).to_have_count(0, timeout=60_000)
    assert len(set(asked)) == len(seconds)
