"""What the real command writes while it runs, and which headers of a client it believes."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.launch.command import Started, starting
from tests.launch.replicas import NOWHERE


@pytest.fixture(scope="module")
def access_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "access.log"


@pytest.fixture(scope="module")
def behind_a_proxy(access_log: Path) -> Iterator[Started]:
    """Every address may set forwarding headers then, and an operator has switched gunicorn's access log on."""
    settings = {"TRUSTED_PROXIES": "1", "MANAGEMENT_URL": NOWHERE, "GUNICORN_CMD_ARGS": f"--access-logfile {access_log}"}
    with starting(access_log.with_name("data"), **settings) as started:
        started.wait_until_ready()
        yield started


def test_no_key_of_a_password_link_reaches_gunicorns_access_log(behind_a_proxy: Started, access_log: Path) -> None:
    key = "1-d1abcd-0123456789abcdef0123456789abcdef-1"
    answer = requests.get(f"{behind_a_proxy.address}/account/password/reset/key/{key}/", timeout=10)
    assert answer.status_code == 200
    deadline = time.monotonic() + 20
    while "password/reset/key/" not in (text := access_log.read_text()):
        assert time.monotonic() < deadline, "the line is written after the answer"
        time.sleep(0.05)
    messages = [json.loads(line)["message"] for line in text.splitlines()]
    assert any("/account/password/reset/key/•••" in message for message in messages)
    assert "0123456789abcdef" not in text


@pytest.mark.parametrize("name", ["SCRIPT_NAME", "Script-Name", "X-Script-Name"])
def test_a_client_can_not_say_under_which_path_we_are(behind_a_proxy: Started, name: str) -> None:
    page = requests.get(f"{behind_a_proxy.address}/account/login/", headers={name: "/account"}, timeout=10)
    assert page.status_code == 200
    assert 'action="/account/login/"' in page.text
    assert "/account/account/" not in page.text


def test_an_address_that_leads_nowhere_is_no_warning(behind_a_proxy: Started) -> None:
    address = behind_a_proxy.address
    assert requests.get(f"{address}/nowhere/", timeout=10).status_code == 404
    assert requests.get(f"{address}/", headers={"Host": "evil.example"}, timeout=10).status_code == 400
    # The log knows the second of the two, and nothing of the first.
    lines = behind_a_proxy.welcome
    while "evil.example" not in lines:
        lines += behind_a_proxy.next_line(30)
    assert "nowhere" not in lines
