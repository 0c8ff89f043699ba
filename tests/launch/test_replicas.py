"""Two replicas behind the nginx of compose.yaml, while one fails, dies or is replaced."""

import re
import sqlite3
from pathlib import Path

import pytest
import requests

from tests.launch import proxy
from tests.launch.replicas import Team, Visits, team

pytestmark = [pytest.mark.nginx, pytest.mark.skipif(proxy.NGINX is None, reason="nginx is not installed")]


@pytest.mark.exhaustive
def test_a_failing_page_takes_no_replica_out(tmp_path: Path) -> None:
    """While a page that answers 503 is requested again and again, every other request is answered."""
    with team(tmp_path) as ours:
        with sqlite3.connect(tmp_path / "data" / "pilothouse.sqlite3") as database:
            database.execute("DROP TABLE django_session")
        with Visits(ours, lambda session: failing(ours, session), people=2) as tabs:
            tabs.wait_for(2)
            with Visits(ours, lambda session: sign_in_page(ours, session), people=2) as others:
                others.wait_for(100)
    assert set(tabs.outcomes) == {503}
    assert set(others.outcomes) == {200}


@pytest.mark.exhaustive
def test_a_killed_replica_fails_no_get(tmp_path: Path) -> None:
    with team(tmp_path) as ours, Visits(ours, lambda session: sign_in_page(ours, session)) as visits:
        visits.wait_for(50)
        ours.replicas[0].kill()
        visits.wait_for(300)
    assert set(visits.outcomes) == {200}


@pytest.mark.exhaustive
def test_replicas_are_replaced_one_by_one_without_a_lost_request(tmp_path: Path) -> None:
    with (
        team(tmp_path) as ours,
        Visits(ours, lambda session: sign_in_page(ours, session), people=4) as gets,
        Visits(ours, lambda session: theme(ours, session), people=4) as posts,
    ):
        for replica in ours.replicas:
            posts.wait_for(50)
            replica.stop()
            posts.wait_for(50)
            replica.start()
    assert set(gets.outcomes) == {200}
    assert set(posts.outcomes) == {303}


def failing(ours: Team, session: requests.Session) -> int:
    return session.get(f"{ours.address}/", cookies={"__Host-session": "k" * 32}, timeout=30).status_code


def sign_in_page(ours: Team, session: requests.Session) -> int:
    return session.get(f"{ours.address}/account/login/", timeout=30).status_code


def theme(ours: Team, session: requests.Session) -> int:
    """A change without a service: the theme of this browser."""
    if "__Host-csrf" not in session.cookies:
        page = session.get(f"{ours.address}/account/login/", timeout=30)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert token
        session.headers["X-CSRFToken"] = token[1]
    headers = {"Referer": f"{ours.address}/"}
    answer = session.post(
        f"{ours.address}/appearance/theme/", {"theme": "dark"}, headers=headers, timeout=30, allow_redirects=False
    )
    return answer.status_code
