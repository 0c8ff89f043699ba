"""The same command in front of a service that is configured: no sandbox, and only what that service is for."""

from pathlib import Path

import requests

from tests.launch.command import Started, starting
from tests.launch.visitor import Visitor
from tests.sandboxes import Sandbox


def sections(started: Started) -> set[str]:
    """Which of the two halves the frame of a page offers to a signed-in owner without tokens; each opens without an error."""
    assert started.link
    with Visitor(started.address) as owner:
        owner.enter_by(started.link)
        page = owner.get("/journal/").text
        offered = {path for path in ("/projects/", "/storage/") if f'href="{path}"' in page}
        assert {owner.get(path).status_code for path in offered} == {200}
        return offered


def test_both_addresses_start_no_sandbox(tmp_path: Path, sandbox: Sandbox) -> None:
    with starting(tmp_path / "data", MANAGEMENT_URL=sandbox.management_url, STORAGE_URL=sandbox.storage_url) as started:
        started.wait_until_ready()
        assert "sandbox" not in started.welcome
        assert not any("dashboard.sandbox" in command for command in started.children().values())
        assert not (started.data / "sandbox").exists()
        assert requests.get(f"{started.address}/readyz", timeout=10).status_code == 200
        assert sections(started) == {"/projects/", "/storage/"}


def test_management_alone_has_no_storage(tmp_path: Path, sandbox: Sandbox) -> None:
    with starting(tmp_path / "data", MANAGEMENT_URL=sandbox.management_url) as started:
        assert sections(started.wait_until_ready()) == {"/projects/"}


def test_storage_alone_has_no_projects(tmp_path: Path, sandbox: Sandbox) -> None:
    ref = next(iter(sandbox.storage_tokens))
    with starting(tmp_path / "data", STORAGE_URL=sandbox.storage(ref)) as started:
        assert sections(started.wait_until_ready()) == {"/storage/"}


def test_a_service_that_is_down_keeps_nobody_from_signing_in(tmp_path: Path) -> None:
    with starting(tmp_path / "data", MANAGEMENT_URL="http://127.0.0.1:9") as started:
        assert sections(started.wait_until_ready()) == {"/projects/"}
