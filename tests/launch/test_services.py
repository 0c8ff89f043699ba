"""The same command in front of a service that is configured: no sandbox, and only what that service is for."""

from pathlib import Path

import pytest
import requests
from pytest_django import Settings

from tests.launch.command import Started, starting
from tests.launch.replicas import NOWHERE
from tests.launch.visitor import Visitor
from tests.pages import PageClient
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


@pytest.mark.parametrize(
    ("management", "storage", "offered"),
    [(NOWHERE, NOWHERE, {"/projects/", "/storage/"}), (NOWHERE, "", {"/projects/"}), ("", NOWHERE, {"/storage/"})],
    ids=["both", "management alone", "storage alone"],
)
def test_pages_offer_what_the_service_is_for(
    as_owner: PageClient, settings: Settings, management: str, storage: str, offered: set[str]
) -> None:
    settings.MANAGEMENT_URL, settings.STORAGE_URL = management, storage
    page = as_owner.get("/journal/").text
    assert {path for path in ("/projects/", "/storage/") if f'href="{path}"' in page} == offered
    assert {as_owner.get(path, follow=True).status_code for path in offered} == {200}


def test_a_service_that_is_down_keeps_nobody_from_signing_in(tmp_path: Path) -> None:
    with starting(tmp_path / "data", MANAGEMENT_URL=NOWHERE) as started:
        assert sections(started.wait_until_ready()) == {"/projects/"}
