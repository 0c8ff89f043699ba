"""What the files for a team say, tried out: the nginx of compose.yaml before a real web."""

import re
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from dashboard.launch import gunicorn_config
from dashboard.launch.rules import RULES
from tests.launch import proxy
from tests.launch.command import ROOT, environment, free_port, starting

needs_nginx = [pytest.mark.nginx, pytest.mark.skipif(proxy.NGINX is None, reason="nginx is not installed")]


def test_every_setting_of_the_service_reaches_the_web() -> None:
    given = {name.removesuffix("_FILE") for name in proxy.settings_of_composition()}
    assert set(RULES) - given == set()


def test_every_setting_stands_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    settings = (ROOT / "dashboard" / "settings.py").read_text()
    read = {*RULES, *re.findall(r'env\.\w+\("(\w+)"', settings), "SSL_CERT_FILE"} - {"SANDBOX_URL"}  # `start` sets that one
    assert len(read) > 15
    assert [name for name in sorted(read) if f"`{name}`" not in readme] == []


def test_all_pools_of_the_composition_together_leave_the_database_room() -> None:
    """PostgreSQL takes 100 connections by default; a backup, a console and a second start need some."""
    code = "from dashboard.settings import DATABASES; print(DATABASES['default']['OPTIONS']['pool']['max_size'])"
    given = {"DATABASE_URL": "postgres://pilothouse@database/pilothouse", "SECRET_KEY": "k" * 50, "VAULT_KEYS": "v"}
    pool = int(
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(given), capture_output=True, check=True).stdout
    )
    processes = {"web": proxy.replicas("web") * gunicorn_config.workers, "worker": proxy.replicas("worker"), "prepare": 1}
    assert pool * sum(processes.values()) < 80, processes


class TestShippedProxy:
    pytestmark = needs_nginx

    def test_people_sign_in_over_tls_and_plain_http_leads_there(self, tmp_path: Path) -> None:
        tls = free_port()
        public = f"https://127.0.0.1:{tls}"
        with (
            starting(tmp_path / "data", PUBLIC_URL=public, TRUSTED_PROXIES="1", MANAGEMENT_URL="http://127.0.0.1:9") as started,
            proxy.proxy(tmp_path / "nginx", started.address.removeprefix("http://"), tls) as plain,
        ):
            started.wait_until_ready()
            assert started.link
            assert started.link.startswith(public)
            led = requests.get(f"http://127.0.0.1:{plain}/account/login/?x=1", allow_redirects=False, timeout=10)
            assert (led.status_code, led.headers["Location"]) == (308, "https://127.0.0.1/account/login/?x=1")
            page = requests.get(f"{public}/account/login/", verify=str(tmp_path / "nginx" / "fullchain.pem"), timeout=10)
            assert page.status_code == 200
            assert "max-age=63072000" in page.headers["Strict-Transport-Security"]
            assert all(cookie.name.startswith("__Host-") and cookie.secure for cookie in page.cookies)
            assert page.cookies
            straight = requests.get(f"{started.address}/account/login/", allow_redirects=False, timeout=10)
            assert straight.status_code == 301

    def test_dripping_clients_hold_no_thread(self, tmp_path: Path) -> None:
        tls = free_port()
        with (
            starting(
                tmp_path / "data", PUBLIC_URL=f"https://127.0.0.1:{tls}", TRUSTED_PROXIES="1", MANAGEMENT_URL="http://127.0.0.1:9"
            ) as started,
            proxy.proxy(tmp_path / "nginx", started.address.removeprefix("http://"), tls),
        ):
            started.wait_until_ready()
            trust = ssl.create_default_context(cafile=tmp_path / "nginx" / "fullchain.pem")
            dripping = [
                trust.wrap_socket(socket.create_connection(("127.0.0.1", tls)), server_hostname="127.0.0.1") for _ in range(90)
            ]
            for connection in dripping:
                connection.sendall(b"POST /account/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx")
            page = requests.get(
                f"https://127.0.0.1:{tls}/account/login/", verify=str(tmp_path / "nginx" / "fullchain.pem"), timeout=5
            )
            assert page.status_code == 200
            for connection in dripping:
                connection.close()
