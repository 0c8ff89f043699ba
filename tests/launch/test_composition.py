"""What the files for a team say: compose.yaml as Compose reads it, its nginx before a real web, its role in a real PostgreSQL."""

import os
import re
import secrets
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import requests

from dashboard.launch import gunicorn_config
from dashboard.launch.rules import RULES
from tests.launch import proxy
from tests.launch.command import ROOT, Started, environment, free_port, starting
from tests.launch.replicas import KEYS, NOWHERE

needs_nginx = [pytest.mark.nginx, pytest.mark.skipif(proxy.NGINX is None, reason="nginx is not installed")]

# The image says where its files are.
SET_BY_IMAGE = {"DATA_DIR", "STATIC_ROOT"}
# Settings of ours that the composition makes of others.
MADE = {"DATABASE_URL", "TRUSTED_PROXIES", "SNAPSHOT_URL"}


def settings_of_the_readme() -> set[str]:
    """The first column of the table under Configuration."""
    table = (ROOT / "README.md").read_text().partition("## Configuration")[2].partition("\n## ")[0]
    return {name for row in re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize("name", ["prepare", "web", "worker"])
def test_every_setting_of_the_readme_reaches_each_part(name: str) -> None:
    given = proxy.composition()["services"][name]["environment"]
    assert len(settings_of_the_readme()) > 15
    assert settings_of_the_readme() - set(given) == SET_BY_IMAGE
    assert set(given) - settings_of_the_readme() == set()


def test_a_setting_that_is_left_out_keeps_its_default() -> None:
    """A name without a value is passed on where it has one; `${NAME:-}` would set it to nothing."""
    given = proxy.composition()["services"]["web"]["environment"]
    required = {name for name, value in given.items() if value and f"${{{name}:?" in value}
    assert required == {"PUBLIC_URL", "SECRET_KEY", "VAULT_KEYS"}
    assert {name for name, value in given.items() if value is not None} == required | MADE


def test_nothing_is_written_into_a_read_only_container() -> None:
    """Compose copies secrets from variables, and configs with a content, into the container: it refuses read-only ones.

    Files would be mounted with the owner and mode of the host, which the plain user of the image can't read.
    """
    found = proxy.composition()
    assert "secrets" not in found
    read_only = {name for name, service in found["services"].items() if service.get("read_only")}
    assert read_only == {"prepare", "web", "worker"}
    for name in read_only:
        assert not {"secrets", "configs"} & set(found["services"][name]), name


def test_two_of_each_share_the_work() -> None:
    services = proxy.composition()["services"]
    assert {name: services[name]["deploy"]["replicas"] for name in ("web", "worker")} == {"web": 2, "worker": 2}


def test_nginx_finds_new_replicas_by_name() -> None:
    text = proxy.shipped("nginx")
    assert "resolver 127.0.0.11 valid=1s" in text
    assert re.search(r"zone web \w+;\s+server web:8000 resolve ", text)


@pytest.fixture
def database() -> Iterator[str]:
    """The address of a PostgreSQL server that may get a role; without what the role script leaves there."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        pytest.skip("DATABASE_URL names no PostgreSQL server")
    drop = "DROP DATABASE IF EXISTS pilothouse WITH (FORCE)", "DROP ROLE IF EXISTS pilothouse"
    with psycopg.connect(server, autocommit=True) as connection:
        for statement in drop:
            connection.execute(statement)
        yield server
        for statement in drop:
            connection.execute(statement)


def test_the_database_role_owns_its_database_and_nothing_else(database: str) -> None:
    parts = urlsplit(database)
    # As the image does it: sourced by a shell that has the password.
    psql = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"), reverse=True)), Path("psql"))
    given = {"POSTGRES_PASSWORD": 'it\'s a "password"', "PATH": f"{psql.parent}:/usr/bin:/bin"}
    given |= {"PGHOST": parts.hostname or "", "PGPORT": str(parts.port or 5432), "PGDATABASE": parts.path.strip("/")}
    subprocess.run(["bash", "-ec", proxy.shipped("role")], env=given, check=True, timeout=30)
    with psycopg.connect(database, autocommit=True) as connection:
        role = "SELECT rolsuper, rolcreaterole, rolcreatedb, rolcanlogin FROM pg_roles WHERE rolname = 'pilothouse'"
        assert connection.execute(role).fetchone() == (False, False, False, True)
        owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'pilothouse'"
        assert connection.execute(owner).fetchone() == ("pilothouse",)
        left = "SELECT rolpassword IS NULL FROM pg_authid WHERE rolname = current_user"
        assert connection.execute(left).fetchone() == (True,)
    with psycopg.connect(database, user="pilothouse", dbname="pilothouse", autocommit=True) as connection:
        connection.execute("CREATE TABLE a_table ()")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("CREATE ROLE another")


def test_the_settings_of_the_composition_pass_the_deployment_check(tmp_path: Path) -> None:
    """As Compose fills them in from a `.env` with what is required, a service and e-mail."""
    values = {"PUBLIC_URL": "https://pilothouse.example", **KEYS, "SECRET_KEY": secrets.token_hex(32)}
    values |= {"DATABASE_PASSWORD": secrets.token_hex(32), "OWNER_EMAIL": "ada@pilothouse.example"}
    values |= {"EMAIL_URL": "smtp+tls://me:secret@mail.example:587"}
    values |= {"MANAGEMENT_URL": "https://api.example", "STORAGE_URL": "https://{ref}.example/storage/v1"}
    given = {name: filled(name, text, values) for name, text in proxy.composition()["services"]["web"]["environment"].items()}
    known = {name: text for name, text in given.items() if text is not None} | {"DATA_DIR": str(tmp_path)}
    assert set(known) > {"SECRET_KEY", "DATABASE_URL", "EMAIL_URL"}
    words = ["check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=environment(known), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def filled(name: str, text: str | None, values: dict[str, str]) -> str | None:
    """The value of a variable, as Compose works it out."""
    if text is None:
        return values.get(name)
    return re.sub(r"\$\{(\w+)(?::-([^}]*))?[^}]*\}", lambda found: values.get(found[1]) or found[2], text)


def test_every_setting_stands_in_the_readme() -> None:
    settings = "".join((ROOT / "dashboard" / name).read_text() for name in ("settings.py", "backends.py"))
    read = {*RULES, *re.findall(r'(?:env\.\w+|_text|_names|_key)\("(\w+)"', settings), "SSL_CERT_FILE"}
    read -= {"SANDBOX_URL", "START_URL"}  # `start` sets these
    assert sorted(read - settings_of_the_readme()) == []


def test_all_pools_of_the_composition_together_leave_the_database_room() -> None:
    """PostgreSQL takes 100 connections by default; a backup, a console and a second start need some."""
    code = "from dashboard.settings import DATABASES; print(DATABASES['default']['OPTIONS']['pool']['max_size'])"
    given = {"DATABASE_URL": "postgres://pilothouse@database/pilothouse", **KEYS}
    pool = int(
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(given), capture_output=True, check=True).stdout
    )
    processes = {"web": proxy.replicas("web") * gunicorn_config.workers, "worker": proxy.replicas("worker"), "prepare": 1}
    assert pool * sum(processes.values()) < 80, processes


@dataclass
class Front:
    """The shipped nginx, before one installation."""

    started: Started
    tls: int
    plain: int
    certificate: Path

    @property
    def address(self) -> str:
        return f"https://127.0.0.1:{self.tls}"

    def session(self) -> requests.Session:
        made = requests.Session()
        made.trust_env, made.verify = False, str(self.certificate)
        return made

    def connect(self) -> ssl.SSLSocket:
        trust = ssl.create_default_context(cafile=self.certificate)
        return trust.wrap_socket(socket.create_connection(("127.0.0.1", self.tls), timeout=20), server_hostname="127.0.0.1")


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """One installation for all questions."""
    folder, tls = tmp_path_factory.mktemp("front"), free_port()
    settings = {"PUBLIC_URL": f"https://127.0.0.1:{tls}", "TRUSTED_PROXIES": "1", "MANAGEMENT_URL": NOWHERE}
    with (
        starting(folder / "data", **settings, METRICS_ADDRESS=f"127.0.0.1:{free_port()}") as started,
        proxy.proxy(folder / "nginx", tls, started.address) as plain,
    ):
        yield Front(started.wait_until_ready(), tls, plain, folder / "nginx" / "fullchain.pem")


class TestShippedProxy:
    pytestmark = needs_nginx

    def test_people_sign_in_over_tls_and_plain_http_leads_there(self, front: Front) -> None:
        assert front.started.link
        assert front.started.link.startswith(front.address)
        led = requests.get(f"http://127.0.0.1:{front.plain}/account/login/?x=1", allow_redirects=False, timeout=10)
        assert (led.status_code, led.headers["Location"]) == (308, f"{front.address}/account/login/?x=1")
        page = requests.get(f"{front.address}/account/login/", verify=str(front.certificate), timeout=10)
        assert page.status_code == 200
        assert "max-age=63072000" in page.headers["Strict-Transport-Security"]
        assert all(cookie.name.startswith("__Host-") and cookie.secure for cookie in page.cookies)
        assert page.cookies
        straight = requests.get(f"{front.started.address}/account/login/", allow_redirects=False, timeout=10)
        assert straight.status_code == 301

    def test_dripping_clients_hold_no_thread(self, front: Front) -> None:
        with ExitStack() as stack:
            for _ in range(90):
                connection = stack.enter_context(front.connect())
                connection.sendall(b"POST /account/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx")
            page = requests.get(f"{front.address}/account/login/", verify=str(front.certificate), timeout=20)
            assert page.status_code == 200

    def test_seven_people_behind_one_address_can_upload_at_the_same_time(self, front: Front) -> None:
        with ExitStack() as stack:
            # Each with two tabs of three uploads; a connection counts from its whole head on.
            uploads = [stack.enter_context(front.connect()) for _ in range(7 * 2 * 3)]
            head = "PUT /storage/shared/bucket/~upload/?key=a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx"
            for connection in uploads:
                connection.sendall(head.encode())
            statuses = {connection.makefile("rb").readline().split()[1] for connection in uploads}
            assert b"429" not in statuses, statuses

    def test_it_leads_and_passes_on_to_one_host_whatever_a_client_names(self, front: Front) -> None:
        with front.session() as session:
            forged = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
            assert session.get(f"{front.address}/account/login/", headers=forged, timeout=10).status_code == 200
            led = session.get(f"http://127.0.0.1:{front.plain}/", headers=forged, timeout=10, allow_redirects=False)
            assert (led.status_code, led.headers["Location"]) == (308, f"{front.address}/")

    def test_it_speaks_only_with_an_exchange_that_keeps_no_key(self, front: Front) -> None:
        """ECDHE with an authenticated cipher: what was recorded can't be read with a key that is stolen later."""
        assert agreed(front.tls, "ECDHE-RSA-AES128-GCM-SHA256") == "ECDHE-RSA-AES128-GCM-SHA256"
        for cipher in ("AES128-GCM-SHA256", "AES256-SHA", "ECDHE-RSA-AES128-SHA256", "DHE-RSA-AES128-GCM-SHA256"):
            assert agreed(front.tls, cipher) is None, cipher

    def test_every_answer_forbids_frames_and_asks_for_tls(self, front: Front, tmp_path: Path) -> None:
        with front.session() as session:
            page = session.get(f"{front.address}/account/login/", timeout=10)
            sheet = re.search(r'rel="stylesheet" href="([^"]+)"', page.text)
            assert sheet
            paths = {"/account/login/": 200, sheet[1]: 200, "/healthz": 200, "/readyz": 200, "/nowhere/": 404, "/": 302}
            for path, status in paths.items():
                assert_protected(session.get(front.address + path, timeout=10, allow_redirects=False), status)
            huge = session.post(f"{front.address}/", data=b"x" * (11 << 20), timeout=10)
            assert_protected(huge, 413)
        with proxy.proxy(tmp_path, alone := free_port(), NOWHERE):
            nobody = requests.get(f"https://127.0.0.1:{alone}/", verify=str(tmp_path / "fullchain.pem"), timeout=10)
            assert_protected(nobody, 502)

    def test_the_id_of_a_request_is_that_of_the_proxy_whatever_a_client_sends(self, front: Front) -> None:
        with front.session() as session:
            found = session.get(f"{front.address}/account/login/", headers={"X-Request-ID": "f" * 32}, timeout=10)
            assert re.fullmatch(r"[0-9a-f]{32}", found.headers["X-Request-ID"])
            assert found.headers["X-Request-ID"] != "f" * 32

    def test_browsers_are_offered_http_2_by_an_nginx_that_knows_the_directive(self, front: Front) -> None:
        trust = ssl.create_default_context(cafile=front.certificate)
        trust.set_alpn_protocols(["h2", "http/1.1"])
        with (
            socket.create_connection(("127.0.0.1", front.tls), timeout=20) as plain,
            trust.wrap_socket(plain, server_hostname="127.0.0.1") as encrypted,
        ):
            assert encrypted.selected_alpn_protocol() == ("http/1.1" if proxy.version() < proxy.KNOWS_ALL else "h2")

    def test_headers_and_page_leave_in_one_piece(self, front: Front) -> None:
        """A killed web server has sent the whole answer or nothing, so that nginx can ask another one."""
        port = urlsplit(front.started.address).port
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(b"GET /account/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-Proto: https\r\n\r\n")
                head, _, page = connection.recv(1 << 20).partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200 ")
                assert page.endswith(b"</html>\n")

    def test_nobody_outside_gets_the_figures(self, front: Front) -> None:
        straight = front.started.address
        with front.session() as session:
            for path in ("/metrics", "/metrics/database"):
                assert requests.get(straight + path, timeout=10).status_code == 200
                assert session.get(front.address + path, timeout=10).status_code == 404
                # Of another proxy, which passes everything on.
                assert requests.get(straight + path, headers={"X-Forwarded-For": "203.0.113.7"}, timeout=10).status_code == 404
            for path in ("//metrics", "/%6detrics", "/x/../metrics"):
                assert session.get(front.address + path, timeout=10).status_code == 404


def assert_protected(answer: requests.Response, status: int) -> None:
    assert answer.status_code == status, answer.url
    assert "frame-ancestors 'none'" in answer.headers.get("Content-Security-Policy", ""), answer.url
    assert answer.headers.get("Strict-Transport-Security") == "max-age=63072000", answer.url


@pytest.mark.parametrize(
    ("chosen", "more"), [("", ""), ("subdomains", "; includeSubDomains"), ("preload", "; includeSubDomains; preload")]
)
def test_what_hsts_says_of_other_hosts_is_for_the_operator_to_choose(tmp_path: Path, chosen: str, more: str) -> None:
    """By Pilothouse, and by nginx alone, which nothing answers."""
    given = environment({**KEYS, "PUBLIC_URL": "https://pilothouse.example", "DATA_DIR": str(tmp_path), "HSTS": chosen})
    code = "from dashboard import settings as s; print(s.SECURE_HSTS_INCLUDE_SUBDOMAINS, s.SECURE_HSTS_PRELOAD)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=given, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str("Sub" in more), str("preload" in more)]
    if proxy.NGINX:
        with proxy.proxy(tmp_path, port := free_port(), NOWHERE, HSTS=chosen):
            nobody = requests.get(f"https://127.0.0.1:{port}/", verify=str(tmp_path / "fullchain.pem"), timeout=10)
            assert nobody.headers["Strict-Transport-Security"] == f"max-age=63072000{more}"


def test_each_service_has_an_exact_image_and_limits() -> None:
    for name, service in proxy.composition()["services"].items():
        assert service["image"] == "pilothouse" or re.search(r":\d+\.\d+(\.\d+)?(@sha256:[0-9a-f]{64})?$", service["image"]), name
        assert service["mem_limit"], name
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name
        assert "build" not in service or "./brand:/brand:ro" in service["volumes"], name


def agreed(port: int, cipher: str) -> str | None:
    """The cipher of a TLS 1.2 connection with a client that offers this one only; None: they found no common one."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(f"{cipher}:@SECLEVEL=0")
    try:
        with socket.create_connection(("127.0.0.1", port)) as plain, context.wrap_socket(plain) as encrypted:
            found = encrypted.cipher()
            return found[0] if found else None
    except (ssl.SSLError, ConnectionResetError):
        return None


def test_every_cookie_is_tied_to_this_host_under_https() -> None:
    """Every place that sets a cookie, and the settings of Django's own."""
    ours = [path for path in (ROOT / "dashboard").rglob("*.py") if "sandbox" not in path.parts]
    places = [path for path in ours if "set_cookie(" in path.read_text()]
    assert len(places) >= 3
    for path in places:
        text = path.read_text()
        assert "cookie_name(" in text or "COOKIE_NAME" in text, path
        assert "path=" not in text, path
    named = re.findall(r'^(\w+_COOKIE_NAME) = "(__Host-|)', (ROOT / "dashboard" / "settings.py").read_text(), re.MULTILINE)
    assert len(named) >= 2
    assert {prefix for _, prefix in named} == {"__Host-"}
