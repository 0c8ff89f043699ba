"""The process: how it starts, what it prints, how it ends, what it keeps."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from tests.conftest import start_sandbox, stop_sandbox
from tests.environment import ROOT
from tests.sandbox.conftest import TRACKING, Caller


def test_its_first_line_holds_all_that_is_needed_and_it_answers_at_once(tmp_path: Path) -> None:
    sandbox = start_sandbox(tmp_path)
    try:
        assert sandbox.storage_url == sandbox.management_url + "/{ref}/storage/v1"
        assert sandbox.dns.startswith("127.0.0.1:")
        assert sandbox.personal_token.startswith("sbp_")
        assert len(sandbox.personal_token) == 44
        assert set(sandbox.storage_tokens[TRACKING]) == {"service", "anon", "member", "objects", "inbox"}
        assert Caller(sandbox, sandbox.personal_token)("GET", "/v1/projects").status_code == 200
        assert requests.get(
            sandbox.storage(TRACKING) + "/bucket/",
            headers={"Authorization": f"Bearer {sandbox.storage_tokens[TRACKING]['service']}"},
            timeout=5,
        ).json()
    finally:
        stop_sandbox(sandbox)


def test_an_empty_one_has_one_organization_and_one_project(tmp_path: Path) -> None:
    sandbox = start_sandbox(tmp_path, "--empty")
    caller = Caller(sandbox, sandbox.personal_token)
    try:
        assert len(caller("GET", "/v1/organizations").json()) == 1
        (project,) = caller("GET", "/v1/projects").json()
        assert list(sandbox.storage_tokens) == [project["id"]]
        assert caller.project("GET", project["id"], "/secrets").json() == []
        assert caller.project("GET", project["id"], "/network-restrictions").json()["status"] == "applied"
    finally:
        stop_sandbox(sandbox)


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_all_of_it_before_the_server_would_give_up_waiting(tmp_path: Path, sign: signal.Signals) -> None:
    sandbox = start_sandbox(tmp_path, "--empty")
    with requests.Session() as session:
        session.get(sandbox.management_url + "/v1/projects", timeout=5)
        sandbox.process.send_signal(sign)
        sandbox.process.wait(20)
    assert_nobody_listens(sandbox.management_url)
    stop_sandbox(sandbox)


def test_it_keeps_what_was_acknowledged_when_it_is_killed(tmp_path: Path) -> None:
    first = start_sandbox(tmp_path, "--empty")
    caller = Caller(first, first.personal_token)
    ref = next(iter(first.storage_tokens))
    for number in range(5):
        assert caller.project("POST", ref, "/secrets", json=[{"name": f"KEPT_{number}", "value": "x"}]).status_code == 201
    first.process.send_signal(signal.SIGKILL)
    first.process.wait(5)
    second = start_sandbox(tmp_path, "--empty")
    try:
        assert second.personal_token == first.personal_token
        assert second.storage_tokens == first.storage_tokens
        again = Caller(second, second.personal_token)
        assert [secret["name"] for secret in again.project("GET", ref, "/secrets").json()] == [
            f"KEPT_{number}" for number in range(5)
        ]
    finally:
        stop_sandbox(first)
        stop_sandbox(second)


def test_it_ends_when_the_process_that_started_it_is_killed(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-m', 'dashboard.sandbox', '--data', {str(tmp_path)!r}, '--empty'],\n"
        "                         stdout=subprocess.PIPE, text=True)\n"
        "print(child.stdout.readline(), flush=True)\n"
        "child.wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        url = json.loads(parent.stdout.readline())["management_url"]
        parent.send_signal(signal.SIGKILL)
    assert_nobody_listens(url, within=5)


def test_a_used_port_is_one_sentence_and_exit_status_2(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run("--data", str(tmp_path), "--port", str(port))
    assert ended.returncode == 2
    assert ended.stderr == f"127.0.0.1:{port} can't be used: Address already in use.\n"


def test_a_folder_that_cannot_be_made_is_one_sentence_and_exit_status_2(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ended = run("--data", str(tmp_path / "file" / "below"))
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "can't be written" in ended.stderr


def test_a_folder_belongs_to_one_sandbox(tmp_path: Path) -> None:
    sandbox = start_sandbox(tmp_path, "--empty")
    try:
        ended = run("--data", str(tmp_path))
        assert (ended.returncode, ended.stderr) == (2, f"Another sandbox is running in {tmp_path}.\n")
    finally:
        stop_sandbox(sandbox)


def test_thirty_two_writes_at_once_all_succeed(owner: Caller) -> None:
    ref = owner.new_project("busy")
    with ThreadPoolExecutor(32) as pool:
        answers = list(
            pool.map(lambda n: owner.project("POST", ref, "/secrets", json=[{"name": f"N{n}", "value": "v"}]), range(64))
        )
    assert {answer.status_code for answer in answers} == {201}
    assert len(owner.project("GET", ref, "/secrets").json()) == 64


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "dashboard.sandbox", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=20, check=False, env=dict(os.environ))


def assert_nobody_listens(url: str, *, within: float = 2) -> None:
    host, port = url.removeprefix("http://").split(":")
    ends = time.monotonic() + within
    while time.monotonic() < ends:
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))):
                return
        time.sleep(0.05)
    raise AssertionError(f"somebody still listens at {url}")
