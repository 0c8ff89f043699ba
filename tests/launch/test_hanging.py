"""One process of the real web server in front of a service that answers for one project and hangs for another."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

import pytest
import requests

from tests.launch.command import starting
from tests.launch.hole import Hole, hole
from tests.launch.visitor import Visitor
from tests.sandboxes import Sandbox

TABS, THREADS = 56, 32
SLOW = "The service is slow to answer"


@pytest.fixture(scope="module")
def beside_a_hole(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hole, Visitor, str, str]]:
    """The hole, somebody signed in who holds a management token, and a page of a project that hangs and of a healthy one."""
    hanging, healthy = list(sandbox.storage_tokens)[:2]
    given = {"WEB_CONCURRENCY": "1", "WEB_THREADS": str(THREADS)}
    with (
        hole(sandbox.management_url, f"/{hanging}/") as service,
        starting(tmp_path_factory.mktemp("hole") / "data", MANAGEMENT_URL=service.address, **given) as started,
    ):
        started.wait_until_ready()
        assert started.link
        with Visitor(started.address) as owner:
            owner.enter_by(started.link)
            owner.submit(owner.get("/account/tokens/new/?kind=management"), token=sandbox.personal_token)
            yield service, owner, f"/projects/{hanging}/secrets/", f"/projects/{healthy}/secrets/"


def test_tabs_on_a_hanging_project_leave_the_others_quick(beside_a_hole: tuple[Hole, Visitor, str, str]) -> None:
    service, owner, hanging, healthy = beside_a_hole
    with ThreadPoolExecutor(TABS) as tabs:
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


def test_a_burst_on_a_healthy_project_is_served_in_full(beside_a_hole: tuple[Hole, Visitor, str, str]) -> None:
    _, owner, _, healthy = beside_a_hole
    with ThreadPoolExecutor(TABS) as tabs:
        cookies = owner.session.cookies.get_dict()
        answers = list(tabs.map(lambda _: requests.get(owner.address + healthy, cookies=cookies, timeout=60), range(TABS)))
        assert [answer.status_code for answer in answers] == [200] * TABS
        assert not any(SLOW in answer.text for answer in answers)
