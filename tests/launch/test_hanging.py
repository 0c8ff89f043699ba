"""One process of the real web server in front of a service that answers for one project and hangs for another."""

from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import requests

from tests.launch.hole import THREADS, beside_a_hole
from tests.sandboxes import Sandbox

TABS = 56
# Only what would never end is given up: a busy machine is slow.
PATIENCE_SECONDS = 300
SLOW = "The service is slow to answer"


def test_tabs_on_a_hanging_project_leave_the_others_quick(sandbox: Sandbox, tmp_path: Path) -> None:
    with beside_a_hole(sandbox, tmp_path / "data") as (service, owner, hanging, healthy), ThreadPoolExecutor(TABS) as tabs:
        cookies = owner.session.cookies.get_dict()

        def open_tab(_: int) -> requests.Response:
            return requests.get(owner.address + hanging, cookies=cookies, timeout=PATIENCE_SECONDS)

        opened = [tabs.submit(open_tab, number) for number in range(TABS)]
        told = as_completed(opened, timeout=PATIENCE_SECONDS)
        # These come while the others still hang.
        for answer in (next(told).result() for _ in range(TABS - THREADS // 4)):
            assert SLOW in answer.text
        assert service.waiting == service.most == THREADS // 4
        assert SLOW in open_tab(0).text
        page = owner.get(healthy)
        assert (page.status_code, SLOW in page.text) == (200, False)
        assert requests.get(f"{owner.address}/readyz", timeout=PATIENCE_SECONDS).status_code == 200
        assert service.waiting, "all of this came while the other project hung"
        service.opened.set()
        assert SLOW not in "".join(each.result().text for each in told)
        assert SLOW not in open_tab(0).text


def test_a_burst_on_a_healthy_project_is_served_in_full(sandbox: Sandbox, tmp_path: Path) -> None:
    patient = {"PAGE_PATIENCE_MS": str(PATIENCE_SECONDS * 1000)}
    with beside_a_hole(sandbox, tmp_path / "data", **patient) as (_, owner, _, healthy), ThreadPoolExecutor(TABS) as tabs:
        cookies = owner.session.cookies.get_dict()
        answers = list(
            tabs.map(lambda _: requests.get(owner.address + healthy, cookies=cookies, timeout=PATIENCE_SECONDS), range(TABS))
        )
        assert [answer.status_code for answer in answers] == [200] * TABS
        assert not any(SLOW in answer.text for answer in answers)
