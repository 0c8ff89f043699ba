"""Figures for Prometheus: complete across all workers of the web, off unless asked for, never for strangers."""

import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from dashboard.interfaces.operations import OPERATIONS
from tests.launch.command import Started, free_port, starting
from tests.launch.replicas import NOWHERE
from tests.launch.visitor import Visitor

Figures = dict[str, list[tuple[dict[str, str], float]]]


@pytest.fixture(scope="module")
def worker_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, worker_port: int) -> Iterator[Started]:
    with starting(tmp_path_factory.mktemp("measured") / "data", METRICS_ADDRESS=f"127.0.0.1:{worker_port}") as started:
        yield started.wait_until_ready()


@pytest.fixture(scope="module")
def owner(measured: Started) -> Iterator[Visitor]:
    assert measured.link
    with Visitor(measured.address) as visitor:
        visitor.enter_by(measured.link)
        yield visitor


def scraped(address: str) -> Figures:
    answer = requests.get(address, timeout=10)
    assert answer.status_code == 200, answer.text
    found: Figures = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def total(figures: Figures, name: str, **labels: str) -> float:
    return sum(value for found, value in figures.get(name, []) if labels.items() <= found.items())


def folders_of(started: Started) -> set[Path]:
    """The folders in which the processes of an installation add up their figures."""
    maps = "".join(Path(f"/proc/{pid}/maps").read_text() for pid in started.children())
    return {Path(found) for found in re.findall(r"\S*/pilothouse-metrics-\w+", maps)}


def test_each_worker_of_the_web_reports_the_requests_of_all(measured: Started) -> None:
    before = total(scraped(f"{measured.address}/metrics"), "pilothouse_requests_total", section="account", status="200")
    for _ in range(30):  # each over a connection of its own, so that both workers get some
        assert requests.get(f"{measured.address}/account/login/", timeout=10).status_code == 200
    seen = [scraped(f"{measured.address}/metrics") for _ in range(6)]
    assert {total(each, "pilothouse_requests_total", section="account", status="200") for each in seen} == {before + 30}
    assert total(seen[-1], "pilothouse_request_seconds_count", section="account") >= 30


def test_calls_to_the_service_are_counted_by_operation_and_outcome(measured: Started, owner: Visitor) -> None:
    assert owner.get("/?list=now").status_code == 200
    figures = scraped(f"{measured.address}/metrics")
    assert total(figures, "pilothouse_calls_total", operation="M1", outcome="done") >= 1
    assert total(figures, "pilothouse_call_seconds_count", operation="M1") >= 1


def test_labels_hold_words_of_ours_only(measured: Started, owner: Visitor) -> None:
    for path in ("/projects/no-such-ref/", "/canary-address/", "/storage/canary/"):
        owner.get(path)
    requests.request("CANARY", f"{measured.address}/", timeout=10)
    text = requests.get(f"{measured.address}/metrics", timeout=10).text
    assert "canary" not in text.lower()
    for labels, _ in scraped(f"{measured.address}/metrics")["pilothouse_calls_total"]:
        assert labels["operation"] in OPERATIONS


def test_figures_of_a_worker_that_was_killed_are_kept_until_the_end(tmp_path: Path) -> None:
    # An installation of its own: a kill would cut the connections that other tests keep.
    with starting(tmp_path / "data", METRICS_ADDRESS=f"127.0.0.1:{free_port()}", MANAGEMENT_URL=NOWHERE) as started:
        started.wait_until_ready()
        requests.get(f"{started.address}/account/login/", timeout=10)
        before = total(scraped(f"{started.address}/metrics"), "pilothouse_requests_total")
        assert before > 0
        folders = folders_of(started)
        assert len(folders) == 1
        web = started.part("gunicorn")
        child = next(pid for pid, command in started.children().items() if "gunicorn" in command and pid != web)
        os.kill(child, signal.SIGKILL)
        deadline = time.monotonic() + 30
        while child in started.children():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert total(scraped(f"{started.address}/metrics"), "pilothouse_requests_total") >= before
        assert started.stop() == 0
    assert not any(folder.exists() for folder in folders)


def test_the_worker_serves_its_own_figures(measured: Started, worker_port: int) -> None:
    figures = scraped(f"http://127.0.0.1:{worker_port}/metrics")
    assert "process_resident_memory_bytes" in figures
    assert "pilothouse_queue_age_seconds" not in figures


def test_figures_of_the_database_are_in_a_registry_of_their_own(measured: Started) -> None:
    figures = scraped(f"{measured.address}/metrics/database")
    assert {name for name in figures if not name.startswith("pilothouse_")} == set()
    assert total(figures, "pilothouse_workers") == 1
    assert total(figures, "pilothouse_queue_age_seconds") < 60
    assert total(figures, "pilothouse_notifications_waiting") == total(figures, "pilothouse_channels_failing") == 0
    assert {labels["state"] for labels, _ in figures["pilothouse_jobs"]} >= {"queued", "running", "done", "failed"}
    assert "pilothouse_jobs" not in scraped(f"{measured.address}/metrics")


def test_a_used_port_costs_the_figures_and_not_the_worker(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with starting(tmp_path / "data", METRICS_ADDRESS=address, MANAGEMENT_URL=NOWHERE) as started:
            started.wait_for("The figures of this worker are not served")
            started.wait_until_ready()
