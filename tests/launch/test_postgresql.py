"""The same start on PostgreSQL: run where DATABASE_URL names a server (`.ci/run` does)."""

import os
import re
import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
import requests

from tests.launch import proxy
from tests.launch.command import Started, starting
from tests.launch.hole import beside_a_hole
from tests.launch.replicas import Visits, team
from tests.launch.visitor import Visitor, invited
from tests.sandboxes import Sandbox

CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"


@pytest.fixture
def database() -> Iterator[str]:
    """The address of an empty database of its own."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        pytest.skip("DATABASE_URL names no PostgreSQL server")
    name = f"start_{secrets.token_hex(4)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{server.rpartition('/')[0]}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_it_starts_on_postgresql_and_finds_everything_again(database: str, tmp_path: Path) -> None:
    with starting(tmp_path / "data", DATABASE_URL=database) as started:
        started.wait_until_ready()
        assert started.link
        with Visitor(started.address) as owner:
            owner.enter_by(started.link)
            assert owner.get("/organizations/").url.endswith("/organizations/")
        assert not (started.data / "pilothouse.sqlite3").exists()
        assert started.stop() == 0
    with starting(tmp_path / "data", DATABASE_URL=database) as again:
        assert "with your password" in again.wait_until_ready().welcome


def test_readiness_follows_the_database(database: str, tmp_path: Path) -> None:
    server, _, name = database.rpartition("/")
    with (
        starting(tmp_path / "data", DATABASE_URL=database, MANAGEMENT_URL="http://127.0.0.1:9") as started,
        psycopg.connect(f"{server}/postgres", autocommit=True) as other,
    ):
        started.wait_until_ready()
        assert {ready(started) for _ in range(8)} == {200}
        other.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        other.execute(CUT, [name])
        assert ready(started) == 503
        page = requests.get(f"{started.address}/", cookies={"pilothouse_session": "k" * 32}, timeout=20)
        assert (page.status_code, "use its own database" in page.text) == (503, True)
        assert requests.get(f"{started.address}/healthz", timeout=20).status_code == 200
        other.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        deadline = time.monotonic() + 20
        while (status := ready(started)) != 200 and time.monotonic() < deadline:
            time.sleep(0.2)
        assert status == 200


def test_connections_that_were_cut_are_replaced_before_anybody_notices(database: str, tmp_path: Path) -> None:
    server, _, name = database.rpartition("/")
    with (
        starting(tmp_path / "data", DATABASE_URL=database, MANAGEMENT_URL="http://127.0.0.1:9") as started,
        psycopg.connect(f"{server}/postgres", autocommit=True) as other,
    ):
        started.wait_until_ready()
        assert {ready(started) for _ in range(8)} == {200}
        other.execute(CUT, [name])
        assert {ready(started) for _ in range(8)} == {200}


def test_slow_transfers_and_a_hanging_project_leave_connections_for_others(
    database: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    ref = list(sandbox.storage_tokens)[1]
    storage, token = sandbox.storage(ref), sandbox.storage_tokens[ref]["service"]
    key = {"Authorization": f"Bearer {token}"}
    requests.post(f"{storage}/bucket", json={"name": "slow"}, headers=key, timeout=10)
    requests.post(f"{storage}/object/slow/large.bin", data=bytes(16 << 20), headers={**key, "x-upsert": "true"}, timeout=30)
    given = {"DATABASE_URL": database, "STORAGE_URL": sandbox.storage_url, "STORAGE_PUBLIC_URL": "none"}
    with beside_a_hole(sandbox, tmp_path / "data", **given) as (service, owner, hanging, _), ExitStack() as stack:
        colleague = stack.enter_context(invited(owner, "colleague@example.org"))
        colleague.submit(colleague.get("/account/tokens/new/?kind=management"), token=sandbox.personal_token)
        large = f"{owner.address}/storage/{ref}/slow/~download/?key=large.bin"
        for person in (owner, colleague):  # one person may have half of the sixteen places
            person.submit(person.get(f"/account/tokens/new/?kind=storage&space={ref}"), token=token)
            for _ in range(8):
                taken = person.session.get(large, stream=True, timeout=30)
                stack.callback(taken.close)
                assert (taken.status_code, taken.headers["Content-Length"]) == (200, str(16 << 20))
            assert person.session.get(large, stream=True, timeout=30).status_code == 503
        cookies = owner.session.cookies.get_dict()
        tabs = stack.enter_context(ThreadPoolExecutor(8))
        stack.callback(service.opened.set)
        for _ in range(8):
            tabs.submit(requests.get, owner.address + hanging, cookies=cookies, timeout=60)
        service.wait_for(8)
        assert requests.get(f"{owner.address}/readyz", timeout=20).status_code == 200
        assert owner.get("/journal/").status_code == 200


@pytest.mark.skipif(proxy.NGINX is None, reason="nginx is not installed")
def test_while_the_database_is_away_the_proxy_keeps_every_replica(database: str, tmp_path: Path) -> None:
    """Pages say what is wrong, static files and the health address go on, and all is well when the database is back."""
    server, _, name = database.rpartition("/")
    with (
        team(tmp_path, DATABASE_URL=database) as ours,
        ours.session() as session,
        psycopg.connect(f"{server}/postgres", autocommit=True) as other,
    ):
        sheet = re.search(r'rel="stylesheet" href="([^"]+)"', session.get(f"{ours.address}/account/login/", timeout=20).text)
        assert sheet
        assert home(ours.address, session) == (302, False)
        other.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        other.execute(CUT, [name])
        with Visits(ours, lambda session: home(ours.address, session)[0], people=2) as pages:
            pages.wait_for(2)
            for path in ("/healthz", sheet[1]) * 20:
                assert session.get(ours.address + path, timeout=20).status_code == 200
            assert home(ours.address, session) == (503, True)
        assert set(pages.outcomes) == {503}
        other.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        deadline = time.monotonic() + 30
        while home(ours.address, session) != (302, False):
            assert time.monotonic() < deadline
            time.sleep(0.2)


def home(address: str, session: requests.Session) -> tuple[int, bool]:
    """The status for somebody whose session has to be read from the database, and whether our own page says what is wrong."""
    answer = session.get(f"{address}/", cookies={"__Host-session": "k" * 32}, timeout=30, allow_redirects=False)
    return answer.status_code, "use its own database" in answer.text


def ready(started: Started) -> int:
    return requests.get(f"{started.address}/readyz", timeout=20).status_code
