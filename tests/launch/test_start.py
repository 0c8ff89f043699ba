"""One command for everything, as a person meets it: from an empty folder with the sandbox standing in."""

import gc
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tests.launch.command import AS_ANYBODY, ROOT, Started, environment, free_port, gone, is_running, parent_of, refused, starting
from tests.launch.test_doctor import doctor
from tests.launch.test_metrics import folders_of
from tests.launch.visitor import Visitor

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="Only root may look into processes that have keys.")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """One start for the tests that change nothing that the others look at."""
    with starting(tmp_path_factory.mktemp("start") / "data", STATIC_ROOT="") as started:
        yield started.wait_until_ready()


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """One start for the tests that kill one part of it each."""
    with starting(tmp_path_factory.mktemp("mended") / "data") as started:
        yield started.wait_until_ready()


def test_it_prints_an_address_that_answers(running: Started) -> None:
    assert f"Pilothouse is ready: {running.address}/" in running.welcome
    assert "signs everybody out" not in running.welcome
    assert requests.get(f"{running.address}/healthz", timeout=10).text == "ok\n"
    assert requests.get(f"{running.address}/readyz", timeout=10).text == "ok\n"


def test_probes_need_no_allowed_host(running: Started) -> None:
    assert requests.get(f"{running.address}/healthz", headers={"Host": "10.1.2.3"}, timeout=10).status_code == 200
    assert requests.get(f"{running.address}/account/login/", headers={"Host": "10.1.2.3"}, timeout=10).status_code == 400


def test_its_files_are_private(running: Started) -> None:
    assert stat.S_IMODE(running.data.stat().st_mode) == 0o700
    for name in ("secret_key", "vault_keys", "pilothouse.sqlite3"):
        assert stat.S_IMODE((running.data / name).stat().st_mode) == 0o600


def test_answers_name_no_server(running: Started) -> None:
    answer = requests.get(f"{running.address}/account/login/", timeout=10)
    assert "gunicorn" not in str(answer.headers).lower()
    assert "X-Powered-By" not in answer.headers


def test_static_files_are_served_compressed_for_ever(running: Started) -> None:
    page = requests.get(f"{running.address}/account/login/", timeout=10).text
    address = (
        page.partition('rel="stylesheet" href="')[2].partition('"')[0] or page.partition('<link href="')[2].partition('"')[0]
    )
    answer = requests.get(running.address + address, headers={"Accept-Encoding": "gzip"}, timeout=10)
    assert answer.status_code == 200
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Encoding"] == "gzip"


def test_a_second_start_on_the_same_folder_is_refused(running: Started) -> None:
    status, _, said = refused("--data", str(running.data), "--port", str(free_port()))
    assert status == 2
    assert said.count("\n") == 1
    assert "already running" in said


def test_the_link_lets_the_first_owner_in_once_who_holds_the_tokens_of_the_sandbox(running: Started) -> None:
    link = running.link
    assert link
    assert link.startswith(running.address)
    with Visitor(running.address) as owner:
        assert owner.enter_by(link).status_code == 200
        assert owner.get("/organizations/").url.endswith("/organizations/")
        refs = re.findall(r'href="/projects/([a-z0-9]+)/"', owner.get("/?list=now").text)
        assert refs
        buckets = [owner.get(f"/storage/{ref}/") for ref in refs]
        assert any(
            f'href="/storage/{ref}/' in page.text for ref, page in zip(refs, buckets, strict=True) if page.status_code == 200
        )
    with Visitor(running.address) as stranger:
        assert "password1" not in stranger.get(link).text


def test_its_doctor_finds_no_problem(running: Started) -> None:
    status, report = doctor(running.data)
    assert status == 0, report
    assert {line[:8].strip() for line in report.splitlines()} <= {"ok", ""}, report
    for subject in ("settings", "keys", "addresses", "database", "worker", "management", "storage", "clock", "DNS", "mail"):
        assert f" {subject} " in report, subject


def test_it_has_no_figures_unless_they_are_asked_for(running: Started) -> None:
    for path in ("/metrics", "/metrics/database"):
        assert requests.get(running.address + path, timeout=10).status_code == 404
    assert folders_of(running) == set()


@pytest.mark.parametrize(
    ("words", "said"),
    [(("reseal",), "encrypted with the newest key"), (("link", "nobody@example.org"), "Nobody on the team")],
)
def test_other_commands_find_the_keys_of_the_folder(running: Started, words: tuple[str, ...], said: str) -> None:
    here = environment({"DATA_DIR": str(running.data)})
    done = subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, env=here, capture_output=True, text=True, check=False)
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@only_root
def test_no_part_and_no_file_of_ours_holds_a_token_in_the_clear(running: Started) -> None:
    with sqlite3.connect(running.data / "sandbox" / "sandbox.sqlite3") as service:
        tokens = [token.encode() for (token,) in service.execute("SELECT token FROM sandbox_person")]
    assert tokens
    assert requests.get(f"{running.address}/readyz", timeout=10).status_code == 200
    places = [Path(f"/proc/{pid}/{what}") for pid in running.children() for what in ("cmdline", "environ")]
    ours = [path for path in running.data.rglob("*") if path.is_file() and "sandbox" not in path.parts]
    assert any(path.name == "pilothouse.sqlite3" for path in ours)
    for place in (*places, *ours):
        kept = place.read_bytes()
        assert not any(token in kept or token.removeprefix(b"sbp_") in kept for token in tokens), place


def test_no_process_with_keys_shows_its_memory_or_environment_to_another_of_the_same_user(running: Started) -> None:
    """The sandbox has no keys, and shows that the kernel would answer."""
    assert requests.get(f"{running.address}/readyz", timeout=10).status_code == 200
    parts = {running.process.pid: "start", **running.children()}
    assert {pid: name for pid, name in parts.items() if "dashboard.sandbox" not in name and is_readable(pid)} == {}
    assert is_readable(running.part("dashboard.sandbox"))
    assert len([name for name in parts.values() if "gunicorn_config" in name]) == 3


def is_readable(pid: int) -> bool:
    probe = f"import sys; sys.exit(not open('/proc/{pid}/environ').read())"
    done = subprocess.run([*AS_ANYBODY, sys.executable, "-c", probe], stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0 or b"Permission denied" in done.stderr
    return done.returncode == 0


def test_a_killed_web_server_comes_back(mended: Started) -> None:
    killed = mended.part("gunicorn_config")
    os.kill(killed, signal.SIGKILL)
    assert "web server ended (killed by SIGKILL)" in mended.wait_for("web server ended")
    assert mended.next_part("gunicorn_config", killed) != killed
    assert requests.get(f"{mended.address}/readyz", timeout=20).status_code == 200


def test_a_killed_sandbox_comes_back_on_its_port(mended: Started) -> None:
    killed = mended.part("dashboard.sandbox")
    command = mended.children()[killed]
    os.kill(killed, signal.SIGKILL)
    mended.wait_for("sandbox ended")
    reborn = mended.next_part("dashboard.sandbox", killed)
    assert mended.children()[reborn] == command
    sandbox = re.search(r"--port (\d+)", command)
    assert sandbox
    assert answers(f"http://127.0.0.1:{sandbox[1]}/v1/projects") == 401
    assert mended.part("dashboard.sandbox") == reborn


def answers(address: str) -> int:
    """The status, as soon as there is one."""
    deadline = time.monotonic() + 20
    while True:
        try:
            return requests.get(address, timeout=10).status_code
        except requests.ConnectionError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_killed_worker_comes_back(mended: Started) -> None:
    killed = mended.part("dashboard.launch.prepare")
    os.kill(killed, signal.SIGKILL)
    assert "killed by SIGKILL" in mended.wait_for("worker ended")
    os.kill(mended.part("manage.py work"), signal.SIGKILL)
    assert "killed by SIGKILL" in mended.wait_for("worker ended")
    assert mended.part("manage.py work")


@only_root
def test_web_workers_share_no_connection_and_no_thread(running: Started) -> None:
    """They are forked from one process that has loaded the application."""
    process = Path(f"/proc/{running.part('gunicorn_config')}")
    opened = [str(entry.readlink()) for entry in (process / "fd").iterdir()]
    assert [name for name in opened if str(running.data) in name] == []
    assert len([name for name in opened if name.startswith("socket:")]) == 1, "the one that it listens on"
    assert len(list((process / "task").iterdir())) == 1


@pytest.mark.parametrize(("at_once", "least"), [(1, 15), (20, 5)])
def test_both_web_processes_serve(running: Started, at_once: int, least: int) -> None:
    parent = running.part("gunicorn_config")
    deadline = time.monotonic() + 30
    while len(web := [pid for pid in running.children() if parent_of(pid) == parent]) < 2:  # it is ready with the first
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with ThreadPoolExecutor(at_once) as clients:
        served = Counter(clients.map(lambda _: server_of_one(running, web), range(40)))
    assert all(served[pid] >= least for pid in web), served


def server_of_one(running: Started, web: list[int]) -> int:
    """The process that answers one request over a connection of its own."""
    port = urlsplit(running.address).port
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
        ends = f":{port:04X}", f":{connection.getsockname()[1]:04X}"
        for _ in range(100):  # the kernel's table may leave rows out while others come and go
            rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
            names = {f"socket:[{row[9]}]" for row in rows if (row[1][-5:], row[2][-5:]) == ends}
            if holders := [pid for pid in web if names & opened(pid)]:
                return holders[0]
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")  # it is kept for us as long as we ask
            assert connection.recv(4096)
    raise AssertionError("no process holds the connection")


def opened(pid: int) -> set[str]:
    """The targets of the descriptors of a process, which may close some while we look."""
    found = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(str(entry.readlink()))
    return found


def test_the_garbage_collector_runs_once_everything_is_loaded() -> None:
    """The settings switch it off while Django loads."""
    assert gc.isenabled()


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_every_part(tmp_path: Path, number: int) -> None:
    with starting(tmp_path / "data") as started:
        started.wait_until_ready()
        deadline = time.monotonic() + 20
        while len(below := started.children()) < 6 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert len(below) == 6
        assert started.stop(number) == 0
        assert gone(below, 1) == {}


def test_an_early_signal_ends_it_too(tmp_path: Path) -> None:
    with starting(tmp_path / "data") as started:
        deadline = time.monotonic() + 20
        while not started.children() and time.monotonic() < deadline:
            time.sleep(0.02)
        below = started.children()
        assert started.stop() == 0
        assert gone(below, 1) == {}


def test_nothing_outlives_a_killed_parent(tmp_path: Path) -> None:
    with starting(tmp_path / "data") as started:
        below = started.wait_until_ready().children()
        started.process.kill()
        started.process.wait()
        assert gone(below) == {}
        assert not is_running(started.process.pid)
