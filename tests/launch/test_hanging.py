"""One process of the real web server in front of a service that answers for one project and hangs for another."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

import requests

from tests.launch.command import starting
from tests.launch.hole import Hole, hole
from tests.launch.visitor import Visitor
from tests.sandboxes import Sandbox

TABS, THREADS = 56, 32
SLOW = "The service is slow to answer"


@contextmanager
def beside_a_hole(sandbox: Sandbox, data: Path, **settings: str) -> Iterator[tuple[Hole, Visitor, str, str]]:
    """The hole, somebody signed in who holds a management token, and the refs of a project that hangs and of a healthy one."""
    hanging, healthy = list(sandbox.storage_tokens)[:2]
    given = {"WEB_CONCURRENCY": "1", "WEB_THREADS": str(THREADS), **settings}
    with (
        hole(sandbox.management_url, f"/{hanging}/") as service,
        starting(data, MANAGEMENT_URL=service.address, **given) as started,
    ):
        started.wait_until_ready()
        assert started.link
        with Visitor(started.address) as owner:
            owner.enter_by(started.link)
            owner.submit(owner.get("/account/tokens/new/?kind=management"), token=sandbox.personal_token)
            yield service, owner, f"/projects/{hanging}/secrets/", f"/projects/{healthy}/secrets/"


def test_tabs_on_a_hanging_project_leave_the_others_quick(sandbox: Sandbox, tmp_path: Path) -> None:
    with (
        beside_a_hole(sandbox, tmp_path / "data") as (service, owner, hanging, healthy),
        ThreadPoolExecutor(TABS) as tabs,
    ):
        cookies = owner.session.cookies.get_dict()

        def open_tab(_: int) -> requests.Response:
            return requests.get(owner.address + hanging, cookies=cookies, timeout=60)

        opened = [tabs.submit(open_tab, number) for number in range(TABS)]
        told = as_completed(opened, timeout=30)
        # These come while the others still hang.
        for answer in (next(told).result() for _ in range(TABS - THREADS // 4)):
            assert SLOW in answer.text
        assert service.waiting == service.most == THREADS // 4
        assert SLOW in open_tab(0).text
        page = owner.get(healthy)
        assert (page.status_code, SLOW in page.text) == (200, False)
        assert requests.get(f"{owner.address}/readyz", timeout=10).status_code == 200
        service.opened.set()
        assert SLOW not in "".join(each.result().text for each in told)
        assert SLOW not in open_tab(0).text


def test_a_burst_on_a_healthy_project_is_served_in_full(sandbox: Sandbox, tmp_path: Path) -> None:
    with (
        beside_a_hole(sandbox, tmp_path / "data") as (_, owner, _, healthy),
        ThreadPoolExecutor(TABS) as tabs,
    ):
        cookies = owner.session.cookies.get_dict()
        answers = list(tabs.map(lambda _: requests.get(owner.address + healthy, cookies=cookies, timeout=60), range(TABS)))
        assert [answer.status_code for answer in answers] == [200] * TABS
        assert not any(SLOW in answer.text for answer in answers)
