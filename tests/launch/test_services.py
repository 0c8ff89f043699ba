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


def tokens(started: Started) -> set[str]:
    """Which tokens Home asks a signed-in owner for who has none."""
    assert started.link
    with Visitor(started.address) as owner:
        owner.enter_by(started.link)
        return asked(owner.get("/").text)


def asked(page: str) -> set[str]:
    return {token for token in ("management", "storage") if f"Add your {token} token" in page}


def test_both_addresses_start_no_sandbox(tmp_path: Path, sandbox: Sandbox) -> None:
    with starting(tmp_path / "data", MANAGEMENT_URL=sandbox.management_url, STORAGE_URL=sandbox.storage_url) as started:
        started.wait_until_ready()
        assert "sandbox" not in started.welcome
        assert not any("dashboard.sandbox" in command for command in started.children().values())
        assert not (started.data / "sandbox").exists()
        assert requests.get(f"{started.address}/readyz", timeout=10).status_code == 200
        assert tokens(started) == {"management"}, "the page that takes it asks for storage"


@pytest.mark.parametrize(
    ("management", "storage", "offered"),
    [(NOWHERE, NOWHERE, {"management", "storage"}), (NOWHERE, "", {"management"}), ("", NOWHERE, {"storage"})],
    ids=["both", "management alone", "storage alone"],
)
def test_pages_offer_what_the_service_is_for(
    as_owner: PageClient, settings: Settings, management: str, storage: str, offered: set[str]
) -> None:
    settings.MANAGEMENT_URL, settings.STORAGE_URL = management, storage
    assert asked(as_owner.get("/").text) == offered


def test_a_service_that_is_down_keeps_nobody_from_signing_in(tmp_path: Path) -> None:
    with starting(tmp_path / "data", MANAGEMENT_URL=NOWHERE) as started:
        assert tokens(started.wait_until_ready()) == {"management"}
